#pragma once

// One side of a depth query: a placed solid mesh, or a simple shape that is bounded.

#include <cstdint>
#include <optional>

#include "convex/simple_shape.hpp"
#include "mesh/mesh_queries.hpp"

namespace whisker::mesh {

/// How far a set reaches along a direction: no farther than `reach`, which may be too large by `error`, and a point of
/// it that goes so far, up to rounding.
struct Extreme {
  double reach = 0;
  double error = 0;
  Vector3 point = Vector3::Zero();
};

/// The largest coordinate that a placed mesh's points may have, or a little more.
double magnitude_of(const PlacedMesh& placed);

/// The farthest placed corner of a mesh along a direction of length 1. `hint` is a triangle to begin at, and becomes
/// the one with the corner.
Extreme farthest_corner(const PlacedMesh& placed, const Vector3& direction, std::uint32_t& hint, Cost& cost);

/// A body as the search for its depth sees it. A simple shape is a core with a radius about it; a mesh is its own core.
class DepthBody {
 public:
  explicit DepthBody(const PlacedMesh& mesh);
  explicit DepthBody(const convex::SimpleShape& shape);

  bool is_mesh() const { return mesh_.has_value(); }
  const PlacedMesh& mesh() const { return *mesh_; }
  const convex::SimpleShape& simple() const { return simple_; }
  double radius() const { return is_mesh() ? 0 : simple_.radius; }
  bool is_convex_core() const { return !is_mesh() && simple_.core == convex::SimpleShape::Core::convex; }
  /// Its core is a convex body, in its own exact coordinates.
  bool is_convex() const;
  /// No coordinate of the placed body is larger.
  double magnitude() const { return magnitude_; }
  /// Whether a point can be proven to lie inside, away from the border.
  bool has_inside() const;
  /// How far points that `farthest` gives may be off the core, but for rounding.
  double point_error() const;
  /// A box about it, up to rounding.
  Aabb box() const;

  /// Of the core, along a direction of length 1.
  Extreme farthest(const Vector3& direction, Cost& cost);

  /// Positive inside: how far a point is from the border, in plain doubles; negative outside, by no more than how far
  /// the point is from the body. `out` is where the border is nearest, from the point; zero where that is not known.
  double inner_distance(const Vector3& point, Vector3& out, Cost& cost) const;
  /// The same, never too large, all roundings counted.
  double min_inner_distance(const Vector3& point, Cost& cost) const;

  /// The body moved by a vector, up to rounding.
  Pose moved_pose(const Vector3& by) const;
  convex::SimpleShape moved_simple(const Vector3& by) const;

 private:
  /// Of a box or convex core: a point in its frame, but for what its rotation is off one.
  Vector3 to_own_frame(const Vector3& point) const;
  double own_frame_error(const Vector3& point) const;

  std::optional<PlacedMesh> mesh_;
  convex::SimpleShape simple_;
  double magnitude_ = 0;
  std::uint32_t hint_ = 0;
};

}  // namespace whisker::mesh
