#include "convex/simple_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <whisker/geometry/triangle_tests.hpp>

#include "convex/closest_features.hpp"
#include "convex/convex_queries.hpp"
#include "convex/exchange.hpp"
#include "convex/min_overlap.hpp"
#include "convex/quick_distance.hpp"
#include "convex/simple_convex.hpp"
#include "geometry/constants.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::convex {
namespace {

using Core = SimpleShape::Core;
using geometry::dot;
using geometry::norm;
using geometry::to_vector3;

// Bounds on the distance of two cores, in the scaled world, with the points that give them.
struct Gap {
  DoubleDouble lower = -1.0;  // not positive: nothing is proven
  DoubleDouble upper = 1e9;
  Vector3dd point_a{};
  Vector3dd point_b{};
  Vector3dd normal{};     // unit, from a to b; zero if the points coincide
  bool touching = false;  // proven to share a point; point_a == point_b is one, up to rounding

  // Whether the bounds differ by no more than their own rounding.
  bool is_tight() const { return (upper - lower).hi <= 0x1p-50 * upper.hi + 16 * certificate_error; }
};

Gap touching_at(const Vector3dd& point) {
  return {.lower = 0.0, .upper = 0.0, .point_a = point, .point_b = point, .touching = true};
}

// The lower bound from a direction: the gap between the supporting planes perpendicular to it.
void certify_direction(const SimpleShape& a, const SimpleShape& b, const Vector3dd& point_a, const Vector3dd& point_b,
                       const Vector3dd& normal, Gap& best) {
  const DoubleDouble lower = dot(normal, point_b - point_a) - reach(a, normal, point_a).value -
                             reach(b, -normal, point_b).value - certificate_error;
  if (lower > best.lower) {
    best.lower = lower;
    best.normal = normal;
    // The points should lie along the normal: among equally close pairs, take the one that gives the bound.
    if (norm(point_b - point_a).hi <= best.upper.hi * (1 + 0x1p-46)) {
      best.point_a = point_a;
      best.point_b = point_b;
    }
  }
}

// The normal of two features that determine one: a face, or two edges that are not parallel. More accurate than the
// difference of their points if these are close together. Zero if the features determine no normal.
Vector3dd common_normal(const FeaturePair& pair) {
  const auto across = [](const Vector3dd& e, const Vector3dd& f) {
    const Vector3dd normal = geometry::cross(e, f);
    const DoubleDouble length = norm(normal);
    return length.hi > 0x1p-80 * norm(e).hi * norm(f).hi ? normal * (1.0 / length) : Vector3dd{};
  };
  const auto& [a, b] = pair;
  if (a.freedom == 2) return across(a.direction[0], a.direction[1]);
  if (b.freedom == 2) return across(b.direction[0], b.direction[1]);
  if (a.freedom == 1 && b.freedom == 1) return across(a.direction[0], b.direction[0]);
  return {};
}

// Both bounds from one pair of points: their distance, and the gap along the line between them. Each bound is kept if
// it is better than the known one.
void certify(const SimpleShape& a, const SimpleShape& b, const FeaturePair& pair, Gap& best) {
  const Vector3dd point_a = pair.a.point();
  const Vector3dd point_b = pair.b.point();
  const Vector3dd between = point_b - point_a;
  const DoubleDouble length = norm(between);
  if (length + certificate_error < best.upper) {
    best.upper = length + certificate_error;
    best.point_a = point_a;
    best.point_b = point_b;
  }
  if (length.hi < 0x1p-80) return;
  certify_direction(a, b, point_a, point_b, between * (1.0 / length), best);
}

// Only the lower bound, from the features' common normal, for points that are close together.
void certify_normal(const SimpleShape& a, const SimpleShape& b, const FeaturePair& pair, Gap& best) {
  const Vector3dd point_a = pair.a.point();
  const Vector3dd point_b = pair.b.point();
  const Vector3dd normal = common_normal(pair);
  const int side = sign(dot(normal, point_b - point_a));
  if (side != 0) certify_direction(a, b, point_a, point_b, side > 0 ? normal : -normal, best);
}

// Whether exact predicates decide contact of the cores. Requires a.core <= b.core.
bool has_exact_test(const SimpleShape& a, const SimpleShape& b) {
  const auto is_flat = [](const SimpleShape& shape) { return shape.corner_count() > 0 && !shape.has_tails(); };
  return is_flat(a) && (is_flat(b) || !b.is_bounded());
}

// Whether a point, segment or triangle shares a point with a half-space or plane.
bool core_touches_plane(const SimpleShape& a, const SimpleShape& b) {
  const geometry::ExactPlane plane = plane_of(b);
  int lowest = 1, highest = -1;
  a.each_corner([&](const Vector3& corner) {
    const int side = geometry::side_of(plane, corner);
    lowest = std::min(lowest, side);
    highest = std::max(highest, side);
  });
  return lowest <= 0 && (highest >= 0 || b.core == Core::half_space);
}

// Requires a.core <= b.core, with an exact test.
bool cores_touch(const SimpleShape& a, const SimpleShape& b) {
  if (!b.is_bounded()) return core_touches_plane(a, b);
  const Vector3& point = a.corners.a;
  if (a.core == Core::point) {
    if (b.core == Core::point) return point == b.corners.a;
    return b.core == Core::segment ? touches_point_segment(point, b.segment())
                                   : touches_point_triangle(point, b.corners);
  }
  if (b.core == Core::segment) return touches_segment_segment(a.segment(), b.segment());
  if (a.core == Core::segment) return touches_segment_triangle(a.segment(), b.corners);
  return touches_triangle_triangle(a.corners, b.corners);
}

// `unscaled_a` and `unscaled_b` are a and b before scaling. Exact tests apply to these.
Gap bounded_gap(const SimpleShape& a, const SimpleShape& b, const SimpleShape& unscaled_a,
                const SimpleShape& unscaled_b) {
  Gap gap;
  FeaturePair pair = find_closest_features(a, b);
  certify(a, b, pair, gap);
  if (has_exact_test(a, b)) {
    if (gap.lower <= 0.0 && cores_touch(unscaled_a, unscaled_b)) return touching_at(gap.point_a);
  } else if (gap.lower <= 0.0 && gap.upper.hi < 0x1p-40) {
    // A box that overlaps: no plane will separate it, and the least overlap proves it.
    const MinOverlap overlap = min_overlap(a, b);
    if (overlap.lower > 0.0) return touching_at(gap.point_a);
    if (-overlap.upper > gap.lower) {
      gap.lower = -overlap.upper;
      gap.normal = overlap.direction;
    }
  }
  if (gap.is_tight()) return gap;
  refine(pair);
  certify(a, b, pair, gap);
  if (gap.is_tight()) return gap;
  certify_normal(a, b, pair, gap);
  if (gap.is_tight()) return gap;
  // Several features are nearly equally far: try all of them.
  visit_all_features(a, b, [&](const FeaturePair& other) {
    if (norm(other.b.point() - other.a.point()) > gap.upper * 1.001) return;
    certify(a, b, other, gap);
    certify_normal(a, b, other, gap);
  });
  return gap;
}

// A point on both boundaries, which are not parallel: p + x (n - (n·m) m), with m the second normal, stays on the
// second plane while it approaches the first.
Vector3dd common_border_point(const UnitPlane& a, const UnitPlane& b) {
  const Vector3dd start = b.border_point();
  const Vector3dd along = a.normal - b.normal * dot(a.normal, b.normal);
  const DoubleDouble missing = a.offset - dot(a.normal, start - a.origin);
  return start + along * (missing / geometry::squared_norm(along));
}

Gap unbounded_gap(const SimpleShape& a, const SimpleShape& b) {
  const UnitPlane plane_a = unit_plane(a);
  if (!geometry::exactly_parallel(a.normal, b.normal)) return touching_at(common_border_point(plane_a, unit_plane(b)));
  const auto [along, opposed] = parallel_planes(a, b);
  const bool solid_a = a.core == Core::half_space;
  const bool solid_b = b.core == Core::half_space;
  const Vector3dd border_a = plane_a.border_point();
  const Vector3dd border_b = border_a + plane_a.normal * along;
  const bool apart_above = along > 0.0 && (!solid_b || opposed);               // b is on the side of a's normal
  const bool apart_below = along < 0.0 && !solid_a && (!solid_b || !opposed);  // a is a plane, b is on its other side
  if (!apart_above && !apart_below) return touching_at(along > 0.0 || (solid_b && opposed) ? border_a : border_b);
  return {.lower = abs(along) - certificate_error,
          .upper = abs(along) + certificate_error,
          .point_a = border_a,
          .point_b = border_b,
          .normal = along > 0.0 ? plane_a.normal : -plane_a.normal};
}

// A bounded core and a half-space or plane, scaled and unscaled as for bounded_gap.
Gap plane_gap(const SimpleShape& a, const SimpleShape& plane, const SimpleShape& unscaled_a,
              const SimpleShape& unscaled_plane) {
  const PlaneHeights h = heights_over(plane, a);
  const DoubleDouble distance = h.gap();
  if (distance <= -certificate_error) return touching_at(h.common());
  const bool is_open = distance <= certificate_error && has_exact_test(a, plane);
  if (is_open && cores_touch(unscaled_a, unscaled_plane)) return touching_at(h.nearest());
  return {distance - certificate_error, distance + certificate_error, h.nearest(), h.opposite(), h.toward()};
}

Vector3 unscaled(const Vector3dd& point, double factor) {
  return to_vector3(point) / factor;
}

// The distance that follows from a gap of the cores and the radii. Lengths are to be divided by `factor`.
Distance distance_of(const Gap& gap, const SimpleShape& a, const SimpleShape& b, double factor) {
  const DoubleDouble radii = geometry::sum(a.radius, b.radius);
  const DoubleDouble lower = gap.lower - radii;
  const DoubleDouble upper = gap.upper - radii;
  Distance result;
  result.cost.primitive_tests = 1;
  if (gap.touching || upper <= 0.0) {
    // A common point: between the cores, in proportion to the radii, which together span the gap.
    const double share = radii.hi > 0 ? a.radius / radii.hi : 0;
    result.point_a = unscaled(gap.point_a + (gap.point_b - gap.point_a) * share, factor);
    result.point_b = result.point_a;
    return result;
  }
  result.upper = unscaled_up(upper, factor);
  result.lower = unscaled_down(lower, factor);
  result.point_a = unscaled(gap.point_a + gap.normal * a.radius, factor);
  result.point_b = unscaled(gap.point_b - gap.normal * b.radius, factor);
  // Nonzero if the shapes are known to be apart, by the bounds or by an exact test.
  if (result.lower > 0 || (has_exact_test(a, b) && !(radii > 0.0))) {
    result.normal = to_vector3(gap.normal);
  }
  return result;
}

bool has_convex_core(const SimpleShape& a, const SimpleShape& b) {
  return a.core == Core::convex || b.core == Core::convex;
}

// Requires a.core <= b.core, one of them convex.
Distance convex_distance(const SimpleShape& a, const SimpleShape& b, const DistanceOptions& options = {}) {
  if (!b.is_bounded()) return distance_convex_plane(placed_body(a), b);
  return distance_convex_convex(placed_body(a), placed_body(b), options);
}

bool convex_touches(const SimpleShape& a, const SimpleShape& b) {
  if (!b.is_bounded()) return touches_convex_plane(placed_body(a), b);
  Cost cost;
  return touches_convex_convex(placed_body(a), placed_body(b), nullptr, cost);
}

// The distance if doubles do not determine it. Requires a.core <= b.core.
Distance full_distance(const SimpleShape& a, const SimpleShape& b) {
  if (magnitude(a) == 0 && magnitude(b) == 0) {
    return distance_of(touching_at(Vector3dd()), a, b, 1);  // at the origin there is no length to measure rounding by
  }
  const double factor = unit_scale(a, b);
  const SimpleShape sa = scaled(a, factor);
  const SimpleShape sb = scaled(b, factor);
  const Gap gap = !sa.is_bounded()   ? unbounded_gap(sa, sb)
                  : !sb.is_bounded() ? plane_gap(sa, sb, a, b)
                                     : bounded_gap(sa, sb, a, b);
  return distance_of(gap, sa, sb, factor);
}

// Requires a.core <= b.core.
Distance ordered_distance(const SimpleShape& a, const SimpleShape& b, Effort effort) {
  if (has_convex_core(a, b)) return convex_distance(a, b);
  Distance result;
  result.cost.primitive_tests = 1;
  if (effort == Effort::quick && find_quick_distance(a, b, result) != Quick::unknown) return result;
  return full_distance(a, b);
}

// Requires a.core <= b.core.
bool ordered_signed(const SimpleShape& a, const SimpleShape& b, Distance& apart, Depth& deep) {
  if (find_quick_distance(a, b, apart, &deep) != Quick::unknown) return deep.upper > 0;
  apart.cost.primitive_tests = 1;
  bool cores_touch = a.radius == 0 && b.radius == 0;
  if (find_quick_distance(a, b, apart) == Quick::unknown) {  // otherwise it is 0
    apart = full_distance(a, b);
    if (apart.lower > 0) return false;
    // An exact test has found a gap where the bounds do not show it.
    if (cores_touch && apart.upper > 0 && has_exact_test(a, b)) return false;
    cores_touch = cores_touch && apart.upper == 0;
  }
  deep = depth_of_touching(a, b, cores_touch);
  return true;
}

bool ordered_touches(const SimpleShape& a, const SimpleShape& b) {
  if (has_convex_core(a, b)) return convex_touches(a, b);
  if (has_exact_test(a, b) && a.radius == 0 && b.radius == 0) return cores_touch(a, b);
  if (const QuickTouch seen = find_axes_touch(a, b); seen != QuickTouch::unknown) return seen == QuickTouch::yes;
  return !(ordered_distance(a, b, Effort::quick).lower > 0);
}

}  // namespace

Distance distance_simple_simple(const SimpleShape& a, const SimpleShape& b, Effort effort) {
  if (!comes_first(b, a)) return ordered_distance(a, b, effort);
  Distance result = ordered_distance(b, a, effort);
  exchange(result);
  return result;
}

Distance distance_within(const SimpleShape& a, const SimpleShape& b, double upper_bound) {
  const bool bounded = a.is_bounded() && b.is_bounded();
  if (!has_convex_core(a, b) || !bounded || !(upper_bound < std::numeric_limits<double>::infinity())) {
    return distance_simple_simple(a, b);
  }
  // A bound so much larger that the full bounds of a pair beyond it would not reach down to `upper_bound` either. So
  // the result of a search does not depend on what it visited before.
  const double bound = plainly_farther(a.core == Core::convex ? a : b, upper_bound);
  const bool swap = comes_first(b, a);
  const DistanceOptions options{.upper_bound = bound};
  Distance found = swap ? convex_distance(b, a, options) : convex_distance(a, b, options);
  if (found.lower > bound && found.upper == std::numeric_limits<double>::infinity()) return found;
  if (found.stop == Stop::tolerance) return distance_simple_simple(a, b);
  if (swap) exchange(found);
  return found;
}

Distance distance_sphere_sphere(const Vector3& center_a, double radius_a, const Vector3& center_b, double radius_b) {
  Distance result;
  if (find_sphere_distance(center_a, radius_a, center_b, radius_b, result) != Quick::unknown) return result;
  return distance_simple_simple(simple_point(center_a, radius_a), simple_point(center_b, radius_b));
}

bool signed_simple_simple(const SimpleShape& a, const SimpleShape& b, Distance& apart, Depth& deep) {
  if (!comes_first(b, a)) return ordered_signed(a, b, apart, deep);
  const bool is_deep = ordered_signed(b, a, apart, deep);
  exchange(apart);
  exchange(deep);
  return is_deep;
}

bool touches_simple_simple(const SimpleShape& a, const SimpleShape& b) {
  return comes_first(b, a) ? ordered_touches(b, a) : ordered_touches(a, b);
}

}  // namespace whisker::convex
