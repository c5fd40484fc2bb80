#pragma once

/// \file
/// VolumeTree: a bounding volume hierarchy over a mesh with any kind of bounding volume and any builder, to study and
/// compare them.
///
///     VolumeTree a(make::icosphere(), {.kind = VolumeKind::kdop18}), b(data, {.kind = VolumeKind::kdop18});
///     Cost cost;
///     bool hit = touches(a, pose_a, b, pose_b, &cost);
///     print(cost.volume_updates, cost.volume_tests, cost.primitive_tests);   // N_u, N_v and N_p of the cost function
///
/// N_u, N_v and N_p are the counts in the cost function by which the publications compare bounding volumes. All kinds
/// and builders give the same answers. For ordinary queries use Mesh, whose own tree is faster than any of these.

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

/// The bounding volumes that a VolumeTree can have.
enum class VolumeKind : std::uint8_t {
  sphere,            ///< BoundingSphere
  aabb,              ///< Aabb
  obb,               ///< Obb
  kdop14,            ///< Kdop<14>
  kdop18,            ///< Kdop<18>
  kdop26,            ///< Kdop<26>
  segment_sphere,    ///< SegmentSweptSphere
  triangle_sphere,   ///< TriangleSweptSphere
  rectangle_sphere,  ///< RectangleSweptSphere
};

/// Options of a VolumeTree.
struct VolumeTreeOptions {
  VolumeKind kind = VolumeKind::obb;
  TreeOptions tree = {};                      ///< How the triangles are split, and with how many threads.
  BoxFit box_fit = BoxFit::hull_area;         ///< How oriented boxes are fitted.
  SphereFit sphere_fit = SphereFit::minimal;  ///< How spheres are fitted.
};

/// A tree with up to eight children per node and up to four triangles per leaf. Immutable: copies share their data, and
/// any number of threads may use it.
class VolumeTree {
 public:
  /// Throws an Error if a vertex is not finite or beyond `max_coordinate`, an index is out of range, there is no
  /// triangle, or an option is out of range.
  explicit VolumeTree(MeshData data, const VolumeTreeOptions& options = {});

  /// The mesh that it was built from, as given.
  const MeshData& data() const;
  VolumeKind kind() const;
  /// Statistics of the tree; O(n log n). Each level describes its volumes as the levels of a Mesh's report describe its
  /// boxes: τ is how far the farthest of some points on the boundary of a volume (its corners, if it is a box) is from
  /// the triangles in the volume, and d is the diagonal of the triangles' AABB. `surface_cost` uses the volumes' own
  /// surfaces.
  TreeReport report() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"VolumeTree", std::shared_ptr<const Storage>> storage_;
};

/// Whether the placed triangles of a and b share a point. Exact for the placed vertices place(pose, vertex). If `cost`
/// is given, the work is added to it. All queries here throw an Error if the two trees have different kinds of volumes.
bool touches(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b, Cost* cost = nullptr);

/// All pairs of triangles that share a point, sorted; exact as `touches` is. If `cost` is given, the work is added to
/// it.
std::vector<TrianglePair> triangle_contacts(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b,
                                            const Pose& pose_b, Cost* cost = nullptr);

/// The distance of the two surfaces, with a pair of triangles that has this distance as features. The search visits the
/// nearest volumes first. The bounds differ by as much as the result of closest_points() may be off. Both are exactly 0
/// if the two triangles share a point.
Distance distance(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b);

}  // namespace whisker::methods
