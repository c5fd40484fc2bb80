#include <algorithm>
#include <cmath>
#include <hwy/base.h>
#include <string>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/geometry/moving_features.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "motion/feature_impacts.hpp"

namespace whisker {
void motion::check(const FeatureImpactOptions& options) {
  if (!(options.tolerance >= 0)) throw Error("first contact of features: the tolerance must be a length, 0 or larger");
  if (!(options.time_tolerance >= 0))
    throw Error("first contact of features: the tolerance in time must be 0 or larger");
  if (!(options.separation >= 0) || !(options.separation <= max_coordinate))
    throw Error("first contact of features: the separation must be a length, 0 or larger");
  if (!(options.until >= 0) || !(options.until <= 1))
    throw Error("first contact of features: `until` must be a time from 0 to 1");
}

namespace {

using motion::check;
using motion::corners_of_first;
using motion::FeaturePair;
using motion::FeaturePairKind;
using motion::LinearAnswer;
using motion::LinearOptions;
using motion::LinearOutcome;
using motion::LinearPolygon;

/// The corners of one feature at both ends.
struct MovingFeature {
  const Vector3* start[3];
  const Vector3* end[3];
};
MovingFeature feature(const MovingPoint& p) {
  return {{&p.start}, {&p.end}};
}
MovingFeature feature(const MovingSegment& s) {
  return {{&s.start.a, &s.start.b}, {&s.end.a, &s.end.b}};
}
MovingFeature feature(const MovingTriangle& t) {
  return {{&t.start.a, &t.start.b, &t.start.c}, {&t.end.a, &t.end.b, &t.end.c}};
}

std::size_t corners_of(FeaturePairKind kind) {
  return static_cast<std::size_t>(motion::layout_of(kind).corners);
}
FeaturePair pair_of(FeaturePairKind kind, const MovingFeature& a, const MovingFeature& b) {
  FeaturePair pair{};
  const std::size_t first = corners_of_first(kind);
  for (std::size_t i = 0; i < corners_of(kind); ++i) {
    pair.start[i] = (i < first ? a.start[i] : b.start[i - first])->data();
    pair.end[i] = (i < first ? a.end[i] : b.end[i - first])->data();
  }
  return pair;
}

[[noreturn]] void refuse() {
  throw Error("first contact of features: a coordinate is not finite, or beyond 1e90");
}

bool touch_at_start(FeaturePairKind kind, const FeaturePair& pair) {
  const auto corner = [&](int i) { return Vector3(pair.start[i][0], pair.start[i][1], pair.start[i][2]); };
  switch (kind) {
    case FeaturePairKind::point_point:
      return corner(0) == corner(1);
    case FeaturePairKind::point_segment:
      return touches_point_segment(corner(0), {corner(1), corner(2)});
    case FeaturePairKind::point_triangle:
      return touches_point_triangle(corner(0), {corner(1), corner(2), corner(3)});
    default:
      return touches_segment_segment({corner(0), corner(1)}, {corner(2), corner(3)});
  }
}

/// The largest displacement of a corner along an axis.
double largest_way(FeaturePairKind kind, const FeaturePair& pair) {
  double way = 0;
  for (std::size_t i = 0; i < corners_of(kind); ++i)
    for (int k = 0; k < 3; ++k)
      way = std::max(way, std::abs(pair.end[i][k] - pair.start[i][k]));
  return way;
}

Vector3 unit(const Vector3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return Vector3::Zero();
  // Lengths near the limits of doubles have few bits.
  const Vector3 scaled = largest > 0x1p-400 && largest < 0x1p400 ? v : Vector3(v / largest);
  return scaled / scaled.norm();
}

/// Sets the weights from those of the polygon's corners.
void set_weights(FeaturePairKind kind, const double* of_corners, FeatureImpact& impact) {
  const motion::PolygonLayout layout = motion::layout_of(kind);
  for (int i = 0; i < layout.count; ++i) {
    impact.weights_a[static_cast<std::size_t>(layout.a[i])] += of_corners[i];
    impact.weights_b[static_cast<std::size_t>(layout.b[i]) - corners_of_first(kind)] += of_corners[i];
  }
  // Sums are rounded and may exceed 1.
  for (double& weight : impact.weights_a)
    weight = std::min(weight, 1.0);
  for (double& weight : impact.weights_b)
    weight = std::min(weight, 1.0);
}

/// Sets the point halfway between the two points that the weights define.
void set_point(FeaturePairKind kind, const FeaturePair& pair, FeatureImpact& impact) {
  const std::size_t first = corners_of_first(kind);
  double twice[3] = {};
  for (std::size_t i = 0; i < corners_of(kind); ++i) {
    const double weight = i < first ? impact.weights_a[i] : impact.weights_b[i - first];
    for (int k = 0; k < 3; ++k)
      twice[k] += weight * (pair.start[i][k] + impact.time * (pair.end[i][k] - pair.start[i][k]));
  }
  impact.point = {twice[0] / 2, twice[1] / 2, twice[2] / 2};
}

/// Sets the normal and the weights of any impact.
void describe_generally(FeaturePairKind kind, const LinearPolygon& p, FeatureImpact& impact) {
  const double t = impact.time;
  const motion::NearestOfPolygon nearest = motion::nearest_of_polygon(p, t);
  set_weights(kind, nearest.weight, impact);
  // From a to b just before the contact: perpendicular to both, on the side where b was. If they do not define a plane,
  // along the remaining displacement.
  const auto at = [&](const double(&start)[4], const double(&change)[4], double time) {
    return Vector3(start[0] + time * change[0], start[1] + time * change[1], start[2] + time * change[2]);
  };
  Vector3 before = Vector3::Zero(), way = Vector3::Zero();
  for (int i = 0; i < p.count; ++i) {
    before += nearest.weight[i] * at(p.x[i], p.dx[i], 0);
    way += nearest.weight[i] * Vector3(p.dx[i][0], p.dx[i][1], p.dx[i][2]);
  }
  Vector3 normal = Vector3::Zero();
  if (p.count >= 3) {
    const Vector3 e = at(p.e[0], p.de[0], t), f = at(p.e[1], p.de[1], t);
    const Vector3 across = e.cross(f);
    if (across.norm() > 0x1p-40 * e.norm() * f.norm()) normal = across;
  }
  if (normal.isZero(0)) {
    // The part of the displacement that is perpendicular to the polygon, if the polygon is a segment.
    normal = before.isZero(0) ? Vector3(-way) : before;
    Vector3 side = Vector3::Zero();
    for (int i = 0; i < p.sides; ++i) {
      const Vector3 one = at(p.e[i], p.de[i], t);
      if (one.norm() > side.norm()) side = one;
    }
    if (!side.isZero(0)) {
      const Vector3 rest = normal - side * (normal.dot(side) / side.squaredNorm());
      if (rest.norm() > 0x1p-40 * normal.norm()) normal = rest;
    }
  }
  // The side on which b is before the contact. At the start, the side that b moves to.
  const double side = before.isZero(0) ? -normal.dot(way) : normal.dot(before);
  impact.normal = unit(side < 0 ? Vector3(-normal) : normal);
  if (impact.normal.isZero(0)) impact.normal = Vector3::UnitX();
}

/// Copies the description. Returns false if it is not plain.
bool describe_as(FeaturePairKind kind, const motion::Description& told, FeatureImpact& impact) {
  if (!told.is_set) return false;
  set_weights(kind, told.weight, impact);
  impact.normal = {told.normal[0], told.normal[1], told.normal[2]};
  return true;
}

void describe_one(FeaturePairKind kind, const FeaturePair& pair, const LinearPolygon& p, FeatureImpact& impact) {
  const bool has_plane = kind == FeaturePairKind::point_triangle || kind == FeaturePairKind::segment_segment;
  if (!(has_plane && describe_as(kind, motion::describe_plainly(kind, pair, impact.time), impact)))
    describe_generally(kind, p, impact);
  set_point(kind, pair, impact);
}

LinearOptions linear(const FeatureImpactOptions& options, bool is_checked) {
  return {options.tolerance, options.tolerance, options.time_tolerance, options.separation, options.until, is_checked};
}

/// The contact as the user sees it, without normal, weights and point.
FeatureImpact impact_of(FeaturePairKind kind, const FeaturePair& pair, const LinearPolygon& polygon,
                        const LinearAnswer& answer, const FeatureImpactOptions& options) {
  FeatureImpact impact = motion::apart_impact();
  impact.status = ImpactStatus::touch;
  impact.time_lower = answer.lower;
  impact.time_upper = answer.upper;
  impact.certain = answer.certain;
  impact.stop = answer.limited ? Stop::limit : Stop::tolerance;
  if (answer.lower == 0) {
    const bool is_separated = polygon.separation > 0;
    bool touching = touch_at_start(kind, pair);
    if (!touching && is_separated) {
      LinearAnswer start;
      motion::first_contact_by_axes(polygon, 0, 0, start);
      touching = start.certain;
    }
    if (touching) {
      impact.status = ImpactStatus::touching_at_start;
      impact.time_upper = 0;
      impact.certain = true;
      impact.stop = Stop::exact;
    } else if (!is_separated && (options.until == 0 || (polygon.is_still && largest_way(kind, pair) == 0))) {
      return motion::apart_impact();
    }
  }
  impact.time = motion::middle(impact.time_lower, impact.time_upper);
  // If displacements are lost in rounding, the polygon appears to stand still, and any time counts as good enough.
  if (polygon.is_still && impact.time_upper - impact.time_lower > options.time_tolerance &&
      largest_way(kind, pair) > options.tolerance)
    impact.stop = Stop::limit;
  return impact;
}

/// The contact of a pair that is not apart.
HWY_NOINLINE FeatureImpact described_impact(FeaturePairKind kind, const FeaturePair& pair, const LinearPolygon& polygon,
                                            const LinearAnswer& answer, const FeatureImpactOptions& options) {
  FeatureImpact impact = impact_of(kind, pair, polygon, answer, options);
  if (impact.status != ImpactStatus::apart) describe_one(kind, pair, polygon, impact);
  return impact;
}

/// `near`: as in LinearOptions. Most pairs are apart, so this much is worth a copy per kind.
template <FeaturePairKind kind>
HWY_INLINE FeatureImpact first_contact(const MovingFeature& a, const MovingFeature& b,
                                       const FeatureImpactOptions& options, double near) {
  const FeaturePair pair = pair_of(kind, a, b);
  LinearOptions asked = linear(options, false);
  asked.near = near;
  LinearPolygon polygon;
  LinearAnswer answer;
  const LinearOutcome outcome = motion::first_contact_of(kind, pair, asked, polygon, answer);
  if (outcome == LinearOutcome::refused) refuse();
  if (outcome == LinearOutcome::apart) return motion::apart_impact();
  return described_impact(kind, pair, polygon, answer, options);
}

/// For triangles that share points of which none is a corner on a face or a crossing of sides.
void set_piercing(const Triangle& a, const Triangle& b, FeatureImpact& impact) {
  impact = FeatureImpact{};
  impact.status = ImpactStatus::touching_at_start;
  impact.time = impact.time_lower = impact.time_upper = 0;
  const Vector3 point = intersect_triangle_triangle(a, b).points[0];
  const auto weights = [&](const Triangle& t) {
    Matrix3 corners;
    corners << t.a - point, t.b - point, t.c - point;
    const double largest = corners.cwiseAbs().maxCoeff();
    LinearPolygon polygon{};  // it does not move
    polygon.count = 3;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        polygon.x[i][k] = corners(k, i) / largest;
    const motion::NearestOfPolygon nearest = motion::nearest_of_polygon(polygon, 0);
    return std::array<double, 3>{nearest.weight[0], nearest.weight[1], nearest.weight[2]};
  };
  impact.point = point;
  impact.weights_a = weights(a);
  impact.weights_b = weights(b);
  // Perpendicular to a triangle that has an area: either both have one, or a side of the degenerate triangle pierces
  // the other.
  const auto across = [](const Triangle& t) { return unit(unit(t.b - t.a).cross(unit(t.c - t.a))); };
  Vector3 normal = across(b);
  if (normal.isZero(0)) normal = across(a);
  const double side = normal.dot(((b.a - a.a) + (b.b - a.b)) + (b.c - a.c));
  impact.normal = side < 0 ? Vector3(-normal) : normal;
}

}  // namespace

FeatureImpact first_contact_point_point(const MovingPoint& a, const MovingPoint& b,
                                        const FeatureImpactOptions& options) {
  check(options);
  return first_contact<FeaturePairKind::point_point>(feature(a), feature(b), options, options.tolerance);
}

FeatureImpact first_contact_point_segment(const MovingPoint& a, const MovingSegment& b,
                                          const FeatureImpactOptions& options) {
  check(options);
  return first_contact<FeaturePairKind::point_segment>(feature(a), feature(b), options, options.tolerance);
}

FeatureImpact first_contact_point_triangle(const MovingPoint& a, const MovingTriangle& b,
                                           const FeatureImpactOptions& options) {
  check(options);
  return first_contact<FeaturePairKind::point_triangle>(feature(a), feature(b), options, options.tolerance);
}

FeatureImpact first_contact_segment_segment(const MovingSegment& a, const MovingSegment& b,
                                            const FeatureImpactOptions& options) {
  check(options);
  return first_contact<FeaturePairKind::segment_segment>(feature(a), feature(b), options, options.tolerance);
}

FeatureImpact first_contact_triangle_triangle(const MovingTriangle& a, const MovingTriangle& b,
                                              const FeatureImpactOptions& options) {
  check(options);
  const MovingFeature fa = feature(a), fb = feature(b);
  FeatureImpact first;
  Cost cost;  // of all parts
  FeatureImpactOptions left = options;
  // The tolerance applies to all corners, not only to those of a part.
  double change = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      change = std::max(change, ((*fb.end[j] - *fa.end[i]) - (*fb.start[j] - *fa.start[i])).cwiseAbs().maxCoeff());
  left.time_tolerance = std::max(options.time_tolerance, change > 0 ? options.tolerance / change : 1.0);
  left.tolerance = 0;
  const auto sooner = [&](const FeatureImpact& found) {
    if (found.status == ImpactStatus::apart) return false;
    if (first.status == ImpactStatus::apart) return true;
    if (found.time_lower != first.time_lower) return found.time_lower < first.time_lower;
    return found.certain && !first.certain;
  };
  // Assigns the weights of a part's corners, of which a side has two, to the corresponding corners of the triangle.
  const auto put = [](std::array<double, 3>& weights, std::size_t i, std::size_t j) {
    const std::array<double, 3> of_part = weights;
    weights = {};
    weights[j] = of_part[1];
    weights[i] = of_part[0];
  };
  FeatureImpact proof;  // the certain contact with the earliest proven time, if any
  const auto take = [&](FeatureImpact& found) {
    cost += found.cost;
    if (found.status == ImpactStatus::apart) return;
    if (found.certain && (proof.status == ImpactStatus::apart || found.time_upper < proof.time_upper)) {
      proof = found;
      // Contacts that begin later do not matter.
      left.until = std::min(left.until, proof.time_upper);
    }
    if (sooner(found)) first = found;
  };
  // A corner of a triangle is a side with itself.
  const auto side = [](const MovingFeature& f, std::size_t i, std::size_t j) {
    return MovingFeature{{f.start[i], f.start[j]}, {f.end[i], f.end[j]}};
  };
  for (std::size_t i = 0; i < 3; ++i) {
    FeatureImpact of_a = first_contact<FeaturePairKind::point_triangle>(side(fa, i, i), fb, left, options.tolerance);
    put(of_a.weights_a, i, i);
    take(of_a);
    FeatureImpact of_b = first_contact<FeaturePairKind::point_triangle>(side(fb, i, i), fa, left, options.tolerance);
    std::swap(of_b.weights_a, of_b.weights_b);
    put(of_b.weights_b, i, i);
    of_b.normal = -of_b.normal;
    take(of_b);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i_next = (i + 1) % 3, j_next = (j + 1) % 3;
      FeatureImpact of_sides = first_contact<FeaturePairKind::segment_segment>(side(fa, i, i_next), side(fb, j, j_next),
                                                                               left, options.tolerance);
      put(of_sides.weights_a, i, i_next);
      put(of_sides.weights_b, j, j_next);
      take(of_sides);
    }
  }
  // Triangles may pierce each other at the start without any of these contacts.
  if (first.status != ImpactStatus::touching_at_start && touches_triangle_triangle(a.start, b.start)) {
    set_piercing(a.start, b.start, first);
    first.cost = cost;
    return first;
  }
  if (proof.status != ImpactStatus::apart) {
    const double width = first.time_upper - first.time_lower, lower = first.time_lower;
    first = proof;
    first.time_lower = std::min(lower, proof.time_upper);
    // An earlier contact that is neither proven nor excluded keeps the bounds apart.
    if (first.time_upper - first.time_lower > width) first.stop = Stop::limit;
  }
  first.cost = cost;
  return first;
}

void motion::for_each_impact(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count,
                             const FeatureImpactOptions& options, const ImpactRequest& request,
                             geometry::FunctionRef<void(std::size_t number, const FeatureImpact& impact)> take) {
  const auto look = [&](std::size_t number, const FeaturePair& pair, const LinearPolygon& polygon,
                        const LinearAnswer& answer) {
    FeatureImpact impact = impact_of(kind, pair, polygon, answer, options);
    if (impact.status == ImpactStatus::apart) return;
    if (request.is_described) describe_one(kind, pair, polygon, impact);
    take(number, impact);
  };
  if (!first_contacts_of(kind, pairs, count, linear(options, request.is_checked), look)) refuse();
}

void motion::describe(FeaturePairKind kind, const FeaturePairs& pairs, const FeatureImpactOptions& options,
                      std::span<FeatureImpact> impacts) {
  constexpr std::size_t most = 64;
  double times[most];
  Description told[most];
  for (std::size_t first = 0; first < impacts.size(); first += most) {
    const std::size_t count = std::min(most, impacts.size() - first);
    FeaturePairs some = pairs;
    some.numbered += first;
    for (std::size_t i = 0; i < count; ++i)
      times[i] = impacts[first + i].time;
    describe_plainly(kind, some, count, times, told);
    for (std::size_t i = 0; i < count; ++i) {
      FeatureImpact& impact = impacts[first + i];
      const FeaturePair pair = some.pair(kind, i);
      if (!describe_as(kind, told[i], impact)) {
        LinearPolygon polygon;
        set_polygon_of(kind, pair, linear(options, true), polygon);
        describe_generally(kind, polygon, impact);
      }
      set_point(kind, pair, impact);
    }
  }
}

namespace {

template <class Question>
void all_first_contacts(FeaturePairKind kind, std::span<const Question> questions, std::span<FeatureImpact> results,
                        const FeatureImpactOptions& options) {
  check(options);
  if (questions.size() != results.size()) {
    throw Error("first contacts of features: " + std::to_string(questions.size()) + " queries, but " +
                std::to_string(results.size()) + " results; the two counts must be equal");
  }
  // The queries must lie in memory as the layout of rows says.
  static_assert(sizeof(Question) == 24 * sizeof(double));
  constexpr std::size_t at_once = 256;  // so that results are still in the cache
  for (std::size_t first = 0; first < questions.size(); first += at_once) {
    const std::size_t count = std::min(at_once, questions.size() - first);
    motion::set_apart(results.subspan(first, count));
    const auto* const rows = reinterpret_cast<const double*>(&questions[first]);
    motion::for_each_impact(kind, {.rows = rows}, count, options, {},
                            [&](std::size_t i, const FeatureImpact& impact) { results[first + i] = impact; });
  }
}

}  // namespace

void first_contacts(std::span<const PointTriangle> questions, std::span<FeatureImpact> results) {
  first_contacts(questions, {}, results);
}

void first_contacts(std::span<const PointTriangle> questions, const FeatureImpactOptions& options,
                    std::span<FeatureImpact> results) {
  all_first_contacts(FeaturePairKind::point_triangle, questions, results, options);
}

void first_contacts(std::span<const SegmentSegment> questions, std::span<FeatureImpact> results) {
  first_contacts(questions, {}, results);
}

void first_contacts(std::span<const SegmentSegment> questions, const FeatureImpactOptions& options,
                    std::span<FeatureImpact> results) {
  all_first_contacts(FeaturePairKind::segment_segment, questions, results, options);
}

}  // namespace whisker
