#pragma once

// One side of a depth query: a placed solid mesh, or a bounded simple shape.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "convex/simple_shape.hpp"
#include "mesh/mesh_queries.hpp"

namespace whisker::mesh {

/// How far a set extends along a direction. `reach` is an upper bound that is too large by at most `error`. `point` is
/// a point of the set that reaches this far, up to rounding.
struct Extreme {
  double reach = 0;
  double error = 0;
  Vector3 point = Vector3::Zero();
};

/// An upper bound on the absolute coordinates of a placed mesh's points, at most slightly too large.
double magnitude_of(const PlacedMesh& placed);

/// Returns the placed corner of a mesh that is farthest along a unit direction. `hint` is the triangle to start with.
/// It is set to the triangle that has the farthest corner.
Extreme farthest_corner(const PlacedMesh& placed, const Vector3& direction, std::uint32_t& hint, Cost& cost);

/// How deep a body reaches into a half-space, or into a plane, which it leaves through the nearest side.
/// `depth_in(half_space)` is how deep it reaches into one half-space.
template <class DepthIn>
Depth flat_depth(const convex::SimpleShape& flat, const DepthIn& depth_in) {
  convex::SimpleShape half_space = flat;
  half_space.core = convex::SimpleShape::Core::half_space;
  Depth result = depth_in(half_space);
  if (flat.core == convex::SimpleShape::Core::half_space) return result;
  half_space.normal = -flat.normal;
  half_space.offset = -flat.offset;
  const Depth other = depth_in(half_space);
  const double lower = std::min(result.lower, other.lower);
  if (other.upper < result.upper) result = other;
  result.lower = std::min(lower, result.upper);
  return result;
}

/// Makes `deepest`, the depth of some corners in a half-space, that of one more. Counts a primitive test.
void include_corner(const Vector3& corner, const convex::SimpleShape& half_space, Depth& deepest);

/// Throws an Error for a surface.
void require_solid(const Mesh& mesh);

/// A body as the depth search uses it. A simple shape is a core plus a radius around it. A mesh is its own core.
class DepthBody {
 public:
  explicit DepthBody(const PlacedMesh& mesh);
  explicit DepthBody(const convex::SimpleShape& shape);

  bool is_mesh() const { return mesh_.has_value(); }
  const PlacedMesh& mesh() const { return *mesh_; }
  const convex::SimpleShape& simple() const { return simple_; }
  double radius() const { return is_mesh() ? 0 : simple_.radius; }
  bool is_convex_core() const { return !is_mesh() && simple_.core == convex::SimpleShape::Core::convex; }
  /// Whether the core is a convex body in its own exact coordinates.
  bool is_convex() const;
  /// No absolute coordinate of the placed body is larger than this.
  double magnitude() const { return magnitude_; }
  /// Whether a point can be proven to lie inside, away from the border.
  bool has_inside() const;
  /// How far the points that `farthest` returns may be off the core, not counting rounding.
  double point_error() const;
  /// A bounding box, up to rounding.
  Aabb box() const;

  /// The extreme of the core along a unit direction.
  Extreme farthest(const Vector3& direction, Cost& cost);

  /// The signed distance of a point from the border, in plain doubles: positive inside, negative outside. Outside, its
  /// magnitude is at most the point's distance from the body. `out` is set to the vector from the point to the nearest
  /// point of the border, or to zero where that is unknown.
  double inner_distance(const Vector3& point, Vector3& out, Cost& cost) const;
  /// A lower bound on the signed distance that accounts for all rounding errors.
  double min_inner_distance(const Vector3& point, Cost& cost) const;

  /// The body translated by a vector, up to rounding.
  Pose moved_pose(const Vector3& by) const;
  convex::SimpleShape moved_simple(const Vector3& by) const;

 private:
  /// A point in the frame of a box or convex core. The rotation's deviation from a true rotation is not corrected here;
  /// `own_frame_error` bounds its effect.
  Vector3 to_own_frame(const Vector3& point) const {
    return simple_.pose.rotation().transpose() * (point - simple_.pose.translation());
  }
  double own_frame_error(const Vector3& point) const;

  std::optional<PlacedMesh> mesh_;
  convex::SimpleShape simple_;
  double magnitude_ = 0;
  std::uint32_t hint_ = 0;
};

/// The distance of b, moved by a vector, from a, which must be a mesh. Distances above `most` do not matter.
Distance moved_distance(const DepthBody& a, const DepthBody& b, const Vector3& by, double most, Cost& cost);

}  // namespace whisker::mesh
