#pragma once

// The true answers about two placed simple shapes, computed only from the definitions in docs/guarantees.md, to a
// hundred digits.
//
// Each shape becomes either a polytope with a radius around it or a plane with one or two sides. One number answers all
// three queries, the gap: if positive it is the distance, if negative minus the depth. Where the gap is too close to
// zero to decide whether the shapes share a point, rational arithmetic decides.

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>

#include "support/reference_polytope.hpp"

namespace whisker::test {

/// The seven shapes whose pairs have direct algorithms, in the order of ShapeKind.
using SimpleShape = std::variant<Sphere, Capsule, Box, HalfSpace, Plane, Segment, Triangle>;

template <class N>
Vec<N> exactly(const Vector3& v) {
  return {N(v.x()), N(v.y()), N(v.z())};
}

/// A set of points in the world.
template <class N>
struct PlacedSet {
  enum class Kind { rounded_polytope, half_space, plane };

  Kind kind = Kind::rounded_polytope;
  Polytope<N> core;  // all points within `radius` of the core, or…
  N radius = N(0);
  Vec<N> normal, origin;  // …all y with normal · (y - origin) <= offset, or == offset
  N offset = N(0);

  bool bounded() const { return kind == Kind::rounded_polytope; }

  void translate(const Vec<N>& by) {
    core.translate(by);
    origin = origin + by;
  }

  static PlacedSet point(const Vec<N>& p) {
    PlacedSet set;
    set.core = make_point(p);
    return set;
  }
};

template <class N>
PlacedSet<N> place_set(const Sphere& sphere, const Pose& pose) {
  PlacedSet<N> set;
  set.core = make_point(exactly<N>(pose.translation()));
  set.radius = N(sphere.radius);
  return set;
}

template <class N>
PlacedSet<N> place_set(const Capsule& capsule, const Pose& pose) {
  PlacedSet<N> set;
  const Vec<N> arm = (N(capsule.length) / N(2)) * exactly<N>(pose.rotation().col(2));
  set.core = make_segment(exactly<N>(pose.translation()) - arm, exactly<N>(pose.translation()) + arm);
  set.radius = N(capsule.radius);
  return set;
}

template <class N>
PlacedSet<N> place_set(const Box& box, const Pose& pose) {
  std::array<Vec<N>, 3> half_axes;
  for (int i = 0; i < 3; ++i) {
    half_axes[static_cast<std::size_t>(i)] = (N(box.size[i]) / N(2)) * exactly<N>(pose.rotation().col(i));
  }
  PlacedSet<N> set;
  set.core = make_parallelepiped(exactly<N>(pose.translation()), half_axes);
  return set;
}

template <class N, class HalfSpaceOrPlane>
PlacedSet<N> place_side(const HalfSpaceOrPlane& side, const Pose& pose) {
  PlacedSet<N> set;
  set.normal = exactly<N>(place_direction(pose, side.normal));
  set.origin = exactly<N>(pose.translation());
  set.offset = N(side.offset);
  return set;
}

template <class N>
PlacedSet<N> place_set(const HalfSpace& half_space, const Pose& pose) {
  PlacedSet<N> set = place_side<N>(half_space, pose);
  set.kind = PlacedSet<N>::Kind::half_space;
  return set;
}

template <class N>
PlacedSet<N> place_set(const Plane& plane, const Pose& pose) {
  PlacedSet<N> set = place_side<N>(plane, pose);
  set.kind = PlacedSet<N>::Kind::plane;
  return set;
}

template <class N>
PlacedSet<N> place_set(const Segment& segment, const Pose& pose) {
  PlacedSet<N> set;
  set.core = make_segment(exactly<N>(place(pose, segment.a)), exactly<N>(place(pose, segment.b)));
  return set;
}

template <class N>
PlacedSet<N> place_set(const Triangle& triangle, const Pose& pose) {
  PlacedSet<N> set;
  set.core = make_triangle(exactly<N>(place(pose, triangle.a)), exactly<N>(place(pose, triangle.b)),
                           exactly<N>(place(pose, triangle.c)));
  return set;
}

template <class N>
PlacedSet<N> place_set(const SimpleShape& shape, const Pose& pose) {
  return std::visit([&pose](const auto& s) { return place_set<N>(s, pose); }, shape);
}

/// The gap of two sets: the distance if positive, minus the depth if negative.
template <class N>
struct Gap {
  bool inseparable = false;  // no translation separates them: the gap is minus infinity
  N value = N(0);
};

namespace reference {

template <class N>
N magnitude(const N& x) {
  return x < 0 ? N(-x) : x;
}

/// A relative core distance that is nothing but the number type's rounding error.
template <class N>
N negligible() {
  return N(std::numeric_limits<N>::epsilon()) * N(1 << 20);
}

template <class N>
N largest_coordinate_of(const Vec<N>& v) {
  return std::max({magnitude(v.x), magnitude(v.y), magnitude(v.z)});
}

template <class N>
N largest_coordinate_of(const Polytope<N>& a) {
  N largest = N(0);
  for (const Vec<N>& v : a.vertices)
    largest = std::max(largest, largest_coordinate_of(v));
  return largest;
}

template <class N>
Gap<N> gap_of_polytopes(const PlacedSet<N>& a, const PlacedSet<N>& b) {
  const N radii = a.radius + b.radius;
  const N apart = square_root(closest_points(a.core, b.core).squared_distance);
  const N size = std::max(largest_coordinate_of(a.core), largest_coordinate_of(b.core));
  if (apart > size * negligible<N>()) return {false, apart - radii};
  return {false, -escape(a.core, b.core).depth - radii};
}

/// The range of the set along the plane's normal, measured from the plane and multiplied by the normal's length.
template <class N>
std::pair<N, N> heights_over(const PlacedSet<N>& plane, const PlacedSet<N>& polytope) {
  Polytope<N> relative = polytope.core;
  relative.translate(-plane.origin);
  const auto [low, high] = range_along(relative, plane.normal);
  return {low - plane.offset, high - plane.offset};
}

template <class N>
Gap<N> gap_of_plane_and_polytope(const PlacedSet<N>& plane, const PlacedSet<N>& polytope) {
  const auto [low, high] = heights_over(plane, polytope);
  const N unit = length(plane.normal);
  const N above = low / unit - polytope.radius;
  if (plane.kind == PlacedSet<N>::Kind::half_space) return {false, above};
  const N below = -high / unit - polytope.radius;
  return {false, std::max(above, below)};
}

/// For parallel planes: the offset of plane b from plane a along the normal of a, times |normal of a|. The ratio of two
/// parallel normals equals the ratio of any coordinate, so no square root is needed.
template <class N>
N parallel_offset(const PlacedSet<N>& a, const PlacedSet<N>& b, bool& opposite) {
  const N *ma = &a.normal.x, *mb = &b.normal.x;
  if (magnitude(a.normal.y) > magnitude(*ma)) ma = &a.normal.y, mb = &b.normal.y;
  if (magnitude(a.normal.z) > magnitude(*ma)) ma = &a.normal.z, mb = &b.normal.z;
  const N ratio = *ma / *mb;
  opposite = ratio < 0;
  return dot(a.normal, b.origin - a.origin) + b.offset * ratio - a.offset;
}

template <class N>
Gap<N> gap_of_planes(const PlacedSet<N>& a, const PlacedSet<N>& b, const N& unit) {
  using Kind = typename PlacedSet<N>::Kind;
  if (!cross(a.normal, b.normal).is_zero()) return {true, N(0)};
  bool opposite = false;
  const N offset = parallel_offset(a, b, opposite);
  if (a.kind == Kind::plane && b.kind == Kind::plane) return {false, magnitude(offset) / unit};
  if (a.kind == Kind::half_space && b.kind == Kind::plane) return {false, offset / unit};
  if (a.kind == Kind::half_space && !opposite) return {true, N(0)};
  if (a.kind == Kind::half_space) return {false, offset / unit};
  return {false, (opposite ? offset : N(-offset)) / unit};  // a plane against a half-space
}

}  // namespace reference

template <class N>
Gap<N> gap(const PlacedSet<N>& a, const PlacedSet<N>& b) {
  if (a.bounded() && b.bounded()) return reference::gap_of_polytopes(a, b);
  if (b.bounded()) return reference::gap_of_plane_and_polytope(a, b);
  if (a.bounded()) return reference::gap_of_plane_and_polytope(b, a);
  return reference::gap_of_planes(a, b, length(a.normal));
}

// Compiled once, in reference.cpp: with numbers of a hundred digits, compiling them takes seconds.
extern template PlacedSet<double> place_set<double>(const SimpleShape& shape, const Pose& pose);
extern template PlacedSet<Real> place_set<Real>(const SimpleShape& shape, const Pose& pose);
extern template PlacedSet<Rational> place_set<Rational>(const SimpleShape& shape, const Pose& pose);
extern template Gap<double> gap<double>(const PlacedSet<double>& a, const PlacedSet<double>& b);
extern template Gap<Real> gap<Real>(const PlacedSet<Real>& a, const PlacedSet<Real>& b);

/// Whether the sets share a point, without rounding.
bool share_a_point(const PlacedSet<Rational>& a, const PlacedSet<Rational>& b);
bool share_a_point(const SimpleShape& a, const Pose& pose_a, const SimpleShape& b, const Pose& pose_b);

/// The largest magnitude among the coordinates of a placed set. For a bounded set, its corners or ends with the radius
/// around them; for a plane, its origin and its point nearest to the origin.
Real largest_coordinate_of(const PlacedSet<Real>& a);

/// The answers to the three queries.
struct Truth {
  bool touching = false;     ///< Exact.
  bool inseparable = false;  ///< The depth is infinite.
  Real distance = 0;
  Real depth = 0;        ///< For separable shapes.
  double size = 0;       ///< The largest coordinate of either set.
  Real uncertainty = 0;  ///< Error bound of `distance` and `depth`: the reference's own rounding.
};

inline double spacing_of_doubles_at(double x) {
  return std::nextafter(x, std::numeric_limits<double>::infinity()) - x;
}

Truth truth_about(const PlacedSet<Real>& a, const PlacedSet<Real>& b);
Truth truth_about(const SimpleShape& a, const Pose& pose_a, const SimpleShape& b, const Pose& pose_b);

}  // namespace whisker::test
