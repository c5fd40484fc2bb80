// Certified penetration depth of simple shapes.
//
// The depth of two convex cores that overlap is the least overlap of their extents over the normals of the faces of
// their Minkowski difference: the face normals of both, and the cross products of their edges. The overlap along any
// direction is an upper bound on the depth. The least overlap over all normals, minus what their rounding can hide, is
// a lower bound. Radii add to the depth of overlapping cores. If the cores are a distance d apart, the depth is the sum
// of the radii minus d.

#include "convex/certificate.hpp"
#include "convex/convex_queries.hpp"
#include "convex/exchange.hpp"
#include "convex/min_overlap.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::convex {
namespace {

using Core = SimpleShape::Core;
using geometry::to_double_double;
using geometry::to_vector3;

// `found` is a depth in the scaled world.
Depth unscaled(const MinOverlap& found, double factor) {
  Depth result;
  result.cost.primitive_tests = 1;
  if (!(found.upper > 0.0)) return result;
  result.lower = unscaled_down(found.lower, factor);
  result.upper = unscaled_up(found.upper, factor);
  result.normal = to_vector3(found.direction);
  result.point_a = to_vector3(found.point_a) / factor;
  result.point_b = to_vector3(found.point_b) / factor;
  return result;
}

// A bounded core (first) and a half-space or plane: the core leaves through the nearest side.
MinOverlap plane_depth(const SimpleShape& a, const SimpleShape& plane) {
  const PlaneHeights h = heights_over(plane, a);
  const DoubleDouble depth = -h.gap();
  return {depth - certificate_error, depth + certificate_error, h.toward(), h.nearest(), h.opposite()};
}

// Two unbounded shapes that touch.
Depth unbounded_depth(const SimpleShape& a, const SimpleShape& b, double factor) {
  Depth result;
  result.cost.primitive_tests = 1;
  const bool solid_a = a.core == Core::half_space;
  const bool solid_b = b.core == Core::half_space;
  const bool parallel = geometry::exactly_parallel(a.normal, b.normal);
  const auto [along, opposed] = parallel_planes(a, b);
  if (!parallel || (solid_a && solid_b && !opposed)) {
    result.lower = result.upper = infinity;
    return result;
  }
  if (!solid_a && !solid_b) return result;  // two planes that coincide separate at once
  const bool through_origin = magnitude(a) == 0 && magnitude(b) == 0;
  if (through_origin) return result;  // both boundaries pass exactly through it
  const UnitPlane plane_a = unit_plane(a);
  const Vector3dd border_a = plane_a.border_point();
  // b leaves a half-space a along a's normal. If a is a plane, the half-space b leaves it against b's normal.
  return unscaled({.lower = abs(along) - certificate_error,
                   .upper = abs(along) + certificate_error,
                   .direction = solid_a || opposed ? plane_a.normal : -plane_a.normal,
                   .point_a = border_a,
                   .point_b = border_a + plane_a.normal * along},
                  factor);
}

// Requires a.core <= b.core, and that a and b are not proven apart. See depth_of_touching.
Depth ordered_overlap(const SimpleShape& a, const SimpleShape& b, bool cores_touch) {
  Depth result;
  result.cost.primitive_tests = 1;
  if (a.is_bounded() && magnitude(a) == 0 && magnitude(b) == 0) return result;  // points at the origin
  const double factor = unit_scale(a, b);
  const SimpleShape sa = scaled(a, factor);
  const SimpleShape sb = scaled(b, factor);
  if (!a.is_bounded()) return unbounded_depth(sa, sb, factor);
  SimpleShape core_a = sa;
  SimpleShape core_b = sb;
  core_a.radius = core_b.radius = 0;
  const DoubleDouble radii = geometry::sum(sa.radius, sb.radius);

  MinOverlap depth;
  if (!b.is_bounded()) {
    depth = plane_depth(core_a, core_b);
  } else {
    // If the cores are proven apart, the depth is the sum of the radii minus the gap, along the line that joins the
    // cores. Cores that overlap, or are too close to decide, separate along the direction of least overlap. The gap, if
    // there is one, bounds the rest.
    const Distance gap = cores_touch ? Distance() : distance_simple_simple(core_a, core_b, Effort::full);
    if (gap.lower > 0) {
      depth = {-gap.upper, -gap.lower, to_double_double(gap.normal), to_double_double(gap.point_a),
               to_double_double(gap.point_b)};
    } else {
      depth = min_overlap(core_a, core_b);
      const DoubleDouble at_least = -gap.upper;
      if (gap.upper > 0 || depth.lower < at_least) depth.lower = at_least;
    }
  }
  if (b.is_bounded() && depth.upper < 0.0 && !(radii > 0.0)) return result;
  depth.lower += radii;
  depth.upper += radii;
  depth.point_a = depth.point_a + depth.direction * sa.radius;
  depth.point_b = depth.point_b - depth.direction * sb.radius;
  return unscaled(depth, factor);
}

// Requires a.core <= b.core.
Depth ordered_depth(const SimpleShape& a, const SimpleShape& b) {
  if (a.core == Core::convex || b.core == Core::convex) {
    if (!b.is_bounded()) return depth_convex_plane(placed_body(a), b);
    return depth_convex_convex(placed_body(a), placed_body(b), {});
  }
  if (touches_simple_simple(a, b)) return ordered_overlap(a, b, false);
  Depth result;
  result.cost.primitive_tests = 1;
  return result;
}

}  // namespace

Depth depth_simple_simple(const SimpleShape& a, const SimpleShape& b) {
  if (!comes_first(b, a)) return ordered_depth(a, b);
  Depth result = ordered_depth(b, a);
  exchange(result);
  return result;
}

Depth depth_of_touching(const SimpleShape& a, const SimpleShape& b, bool cores_touch) {
  if (!comes_first(b, a)) return ordered_overlap(a, b, cores_touch);
  Depth result = ordered_overlap(b, a, cores_touch);
  exchange(result);
  return result;
}

}  // namespace whisker::convex
