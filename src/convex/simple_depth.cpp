#include "convex/simple_depth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "convex/certificate.hpp"
#include "convex/least_overlap.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::convex {
namespace {

using Core = SimpleShape::Core;
using geometry::dot;
using geometry::norm;
using geometry::to_double_double;
using geometry::to_vector3;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The depth of what is left: bounds in the scaled world, brought back.
struct ScaledDepth {
  DoubleDouble lower;
  DoubleDouble upper;
  Vector3dd direction;
  Vector3dd point_a;
  Vector3dd point_b;
};

Depth unscaled(const ScaledDepth& scaled_depth, double factor) {
  Depth result;
  if (!(scaled_depth.upper > 0.0)) return result;
  result.lower = scaled_depth.lower > 0.0 ? round_down(scaled_depth.lower) / factor : 0;
  if (result.lower < 0x1p-1000) result.lower = 0;
  result.upper = round_up(scaled_depth.upper) / factor;
  result.direction = to_vector3(scaled_depth.direction);
  result.point_a = to_vector3(scaled_depth.point_a) / factor;
  result.point_b = to_vector3(scaled_depth.point_b) / factor;
  return result;
}

// A bounded core (first) and a half-space or plane: out through the nearest side.
ScaledDepth plane_depth(const SimpleShape& a, const SimpleShape& plane) {
  const Vector3dd normal = to_double_double(plane.normal);
  const DoubleDouble length = norm(normal);
  const Vector3dd unit = normal * (1.0 / length);
  const DoubleDouble offset = plane.offset / length;
  const Vector3dd origin = to_double_double(plane.pose.translation);
  const Reach low = reach(a, -unit, origin);
  const Reach high = reach(a, unit, origin);
  const DoubleDouble below = offset + low.value;                         // how far a reaches under the plane
  const DoubleDouble above = high.value - offset;                        // how far over it
  const bool upward = plane.core == Core::half_space || below <= above;  // a leaves along the normal
  const DoubleDouble depth = upward ? below : above;
  ScaledDepth result;
  result.lower = depth - certificate_error;
  result.upper = depth + certificate_error;
  result.direction = upward ? -unit : unit;  // of the plane's own move
  result.point_a = upward ? low.point : high.point;
  result.point_b = result.point_a + (upward ? unit : -unit) * depth;
  return result;
}

// Two that reach to infinity and touch.
Depth unbounded_depth(const SimpleShape& a, const SimpleShape& b, double factor) {
  Depth result;
  const bool solid_a = a.core == Core::half_space;
  const bool solid_b = b.core == Core::half_space;
  const bool opposed = a.normal.dot(b.normal) < 0;
  if (!geometry::exactly_parallel(a.normal, b.normal) || (solid_a && solid_b && !opposed)) {
    result.lower = result.upper = infinity;
    return result;
  }
  const Vector3dd normal_a = to_double_double(a.normal);
  const DoubleDouble length_a = norm(normal_a);
  const DoubleDouble length_b = norm(to_double_double(b.normal));
  const Vector3dd unit = normal_a * (1.0 / length_a);
  const DoubleDouble offset_b = b.offset / length_b;
  // Where b's border lies along a's normal, counted from a's border.
  const DoubleDouble along = dot(unit, geometry::difference(b.pose.translation, a.pose.translation)) +
                             (opposed ? -offset_b : offset_b) - a.offset / length_a;
  const DoubleDouble depth = abs(along);
  if (!solid_a && !solid_b) return result;  // two planes that coincide part at once
  ScaledDepth scaled_depth;
  scaled_depth.lower = depth - certificate_error;
  scaled_depth.upper = depth + certificate_error;
  // b leaves a half-space a along a's normal; a plane a is left by the half-space b against b's normal.
  const Vector3dd normal_b = opposed ? -unit : unit;
  scaled_depth.direction = solid_a ? unit : -normal_b;
  scaled_depth.point_a = to_double_double(a.pose.translation) + unit * (a.offset / length_a);
  scaled_depth.point_b = scaled_depth.point_a + unit * along;
  return unscaled(scaled_depth, factor);
}

// a.core <= b.core.
Depth ordered_depth(const SimpleShape& a, const SimpleShape& b) {
  Depth result;
  result.cost.primitive_tests = 1;
  if (!touches_simple_simple(a, b)) return result;
  if (a.is_bounded() && magnitude(a) == 0 && magnitude(b) == 0) return result;  // points, at the origin
  const double factor = unit_scale(a, b);
  const SimpleShape sa = scaled(a, factor);
  const SimpleShape sb = scaled(b, factor);
  if (!a.is_bounded()) {
    result = unbounded_depth(sa, sb, factor);
    result.cost.primitive_tests = 1;
    return result;
  }
  SimpleShape core_a = sa;
  SimpleShape core_b = sb;
  core_a.radius = core_b.radius = 0;
  const DoubleDouble radii = geometry::sum(sa.radius, sb.radius);

  ScaledDepth depth;
  if (!b.is_bounded()) {
    depth = plane_depth(core_a, core_b);
  } else {
    // Cores proven apart leave the radii less the gap, along the line that joins them. Cores that overlap, or are
    // closer than can be told, part along the direction of least overlap; the gap, if there is one, bounds the rest.
    const Distance gap = distance_simple_simple(core_a, core_b, Effort::full);
    if (gap.lower > 0) {
      depth.lower = -gap.upper;
      depth.upper = -gap.lower;
      depth.direction = to_double_double(gap.normal);
      depth.point_a = to_double_double(gap.point_a);
      depth.point_b = to_double_double(gap.point_b);
    } else {
      const LeastOverlap least = least_overlap(core_a, core_b);
      depth = {least.lower, least.upper, least.direction, least.point_a, least.point_b};
      const DoubleDouble at_least = -gap.upper;
      if (gap.upper > 0 || depth.lower < at_least) depth.lower = at_least;
    }
  }
  if (b.is_bounded() && depth.upper < 0.0 && !(radii > 0.0)) return result;
  depth.lower += radii;
  depth.upper += radii;
  depth.point_a = depth.point_a + depth.direction * sa.radius;
  depth.point_b = depth.point_b - depth.direction * sb.radius;
  result = unscaled(depth, factor);
  result.cost.primitive_tests = 1;
  return result;
}

}  // namespace

Depth depth_simple_simple(const SimpleShape& a, const SimpleShape& b) {
  if (!comes_first(b, a)) return ordered_depth(a, b);
  Depth result = ordered_depth(b, a);
  std::swap(result.point_a, result.point_b);
  result.direction = -result.direction;
  return result;
}

}  // namespace whisker::convex
