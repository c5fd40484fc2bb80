#pragma once

/// \file
/// VolumeTree: a tree over a mesh with any kind of bounding volume and any builder, to study and compare them.
///
///     VolumeTree a(make::icosphere(), {.kind = VolumeKind::kdop18});
///     Cost cost;
///     bool hit = touches(a, pose_a, b, pose_b, &cost);   // N_u, N_v and N_p of the sources' cost function
///
/// A Mesh has a tree of its own that is faster than any of these. All kinds and builders give the same answers.

#include <cstdint>
#include <memory>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/obb.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/pose.hpp>
#include <whisker/queries.hpp>

namespace whisker::methods {

enum class VolumeKind : std::uint8_t {
  sphere,
  aabb,
  obb,
  kdop14,
  kdop18,
  kdop26,
  segment_sphere,
  triangle_sphere,
  rectangle_sphere,
};

struct VolumeTreeOptions {
  VolumeKind kind = VolumeKind::obb;
  TreeOptions tree;
  BoxFit box_fit = BoxFit::hull_area;         ///< Of oriented boxes.
  SphereFit sphere_fit = SphereFit::minimal;  ///< Of spheres.
};

/// Eight volumes a node, up to four triangles a leaf. Copies share their data; any number of threads may use it.
class VolumeTree {
 public:
  /// Throws an Error if a vertex is not finite or beyond `max_coordinate`, an index is out of range, or there is no
  /// triangle.
  explicit VolumeTree(MeshData data, const VolumeTreeOptions& options = {});

  const MeshData& data() const;
  VolumeKind kind() const;
  /// Levels tell of the volumes as a Mesh's do of its boxes: τ is how far the farthest of some points of a volume's
  /// border (its corners, if it has any) is from the triangles in it, d the diagonal of their bounding box.
  /// `surface_cost` is about the volumes' own surfaces. O(n log n).
  TreeReport report() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"VolumeTree", std::shared_ptr<const Storage>> storage_;
};

/// Do the placed triangles of a and b share a point? Exact, about place(pose, vertex). Where `cost` is given, the work
/// is added to it. These queries throw an Error if the trees are of different kinds.
bool touches(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b, Cost* cost = nullptr);

/// All pairs of triangles that share a point, sorted.
std::vector<TrianglePair> triangle_contacts(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b,
                                            const Pose& pose_b, Cost* cost = nullptr);

/// The distance of the surfaces, and as features a pair of triangles that has it; nearest volumes first. The bounds are
/// as far apart as closest_points() may be off; both are exactly 0 if the two triangles share a point.
Distance distance(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b);

}  // namespace whisker::methods
