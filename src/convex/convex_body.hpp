#pragma once

// The bounded convex shapes in one form for GJK: a core with a support mapping, and a radius around it.

#include <array>
#include <cstdint>

#include <whisker/custom_convex.hpp>
#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

#include "shapes/hull_support.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker::convex {

/// A placed shape. It refers to the shape that it was made from.
struct ConvexBody {
  /// `vertices`: the hull of points, either those of a hull's table or a few points of its own.
  enum class Core : unsigned char { vertices, cylinder, cone, ellipsoid, custom };

  ConvexBody() = default;
  explicit ConvexBody(const Pose& placed) : pose(placed) {}

  Core core = Core::vertices;
  /// The vertices are already in the world, and the pose is the identity.
  bool in_world = false;
  double radius = 0;
  /// No point of the core is farther than this from the origin of its frame, rounding included.
  double size = 0;
  /// How far a point returned by a user's support function may be off.
  double support_error = 0;
  Pose pose;
  /// A point of the core, in its frame, where searches begin.
  Vector3 middle = Vector3::Zero();

  const HullSupport* table = nullptr;
  std::uint32_t own_count = 0;
  /// x, y and z of the body's own vertices. Unused entries repeat the first vertex. Not set if the body has none.
  alignas(64) std::array<std::array<double, 8>, 3> own;

  double disc = 0;                  ///< cylinder and cone: radius
  double half_length = 0;           ///< cylinder and cone
  Vector3 radii = Vector3::Zero();  ///< ellipsoid
  const CustomConvex* custom = nullptr;

  bool has_vertices() const { return core == Core::vertices; }
  std::uint32_t vertex_count() const { return table != nullptr ? table->count : own_count; }
  Vector3 vertex(std::uint32_t i) const {
    if (table != nullptr) return {table->x[i], table->y[i], table->z[i]};
    return {own[0][i], own[1][i], own[2][i]};
  }
};

/// Whether `convex_body` accepts this kind: bounded and convex.
inline bool is_convex(ShapeKind kind) {
  return shapes::is_bounded_convex(shapes::traits_of(kind));
}

ConvexBody convex_body(const Shape& shape, const Pose& pose);

/// A triangle whose corners are in world coordinates.
ConvexBody convex_triangle(const Triangle& triangle);

/// Compares two vectors or matrices number by number: -1 if x comes first, 1 if y does, 0 if they are equal. Usually
/// the first numbers already differ. If they are equal, the next two of `more` are compared, and so on.
template <class Matrix, class... More>
inline int compare_numbers(const Matrix& x, const Matrix& y, const More&... more) {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (x.data()[i] != y.data()[i]) return x.data()[i] < y.data()[i] ? -1 : 1;
  if constexpr (sizeof...(more) > 0) return compare_numbers(more...);
  return 0;
}

/// An order of bodies of one kind, by their numbers. A pair is always processed in this order, so that its results do
/// not depend on which shape was named first.
bool comes_first(const ConvexBody& a, const ConvexBody& b);

}  // namespace whisker::convex
