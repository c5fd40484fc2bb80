#pragma once

/// \file
/// SphereBody: a solid mesh together with its sphere tree, for queries that can stop early with bounds.
///
///     Mesh mesh = load_mesh("bunny.stl");
///     SphereBody bunny(build_sphere_tree(mesh, {.depth = 3}), mesh);
///     bool hit = touches({bunny, pose_a}, {bunny, pose_b});
///     Distance d = distance({bunny, pose_a}, {bunny, pose_b}, {.tolerance = 0.01});
///     SphereContacts found = contacts({bunny, pose_a}, {bunny, pose_b}, {.budget = 5000});
///
/// The answers are about the placed *solid mesh*, as in queries.hpp. Distance bounds contain the distance of the placed
/// solids at every budget, also if one solid lies inside the other and their surfaces are apart. The bounds follow from
/// the spheres: if two spheres are apart, so are the parts that they cover, and the protrusion of the spheres bounds
/// how far apart the solids can be.
///
/// Two properties of the tree are trusted, as build_sphere_tree guarantees them (sphere_tree.hpp): the sphere of a node
/// covers the part of the surface that the node represents, and the children of a node represent all of that part. The
/// protrusions are measured anew on the mesh, so trees without protrusions, for instance from a file, work as well.
///
/// For a query that can be interrupted and resumed use SphereQuery (sphere_query.hpp), for many bodies at once
/// SphereWorld (sphere_world.hpp). After a few calls a query allocates nothing, except in the exact last step where the
/// shape's own queries allocate, and for space in the caller's results. Each thread keeps the bodies of its last query
/// alive.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_contacts.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker {

/// Options of a SphereBody.
struct SphereBodyOptions {
  /// The number of threads that measure the spheres: 0 for all that oneTBB provides, 1 for the calling thread alone, n
  /// for at most n. A negative number is an Error. The body does not depend on it.
  int threads = 0;
};

/// A solid and its sphere tree. Immutable: copies share their data, and any number of threads may use it. Spheres have
/// the numbers of the tree's nodes.
class SphereBody {
 public:
  /// The number of no sphere.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  /// The largest number of children of a node.
  static constexpr std::uint32_t max_children = 64;

  /// Copies the spheres of the tree and shares the mesh. Computes one signed distance per sphere. Throws an Error if
  /// the mesh is not a solid (Mesh::solid()), a sphere of the tree is not finite, has a number beyond `max_coordinate`
  /// or a negative radius, a node has more than `max_children` children or its child indices are invalid, or a vertex
  /// of a triangle lies outside the root's sphere.
  SphereBody(const SphereTree& tree, const Mesh& mesh, const SphereBodyOptions& options = {});

  /// The number of spheres. Sphere 0 is the root.
  std::size_t size() const;
  /// A sphere in the mesh's frame. This function and all others that take a sphere number throw an Error if there is no
  /// such sphere.
  BoundingSphere sphere(std::size_t i) const;
  /// An upper bound on the distance from any point of the sphere to the solid.
  double protrusion(std::size_t i) const;
  /// The number of the first child; the other children follow it. Meaningless for a leaf.
  std::uint32_t first_child(std::size_t i) const;
  std::uint32_t child_count(std::size_t i) const;
  bool is_leaf(std::size_t i) const { return child_count(i) == 0; }
  /// The solid.
  const Mesh& mesh() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"SphereBody", std::shared_ptr<const Storage>> storage_;
};

/// A body and its pose: `{body, pose}`, or a body alone, which is at the identity. A parameter type: it refers to the
/// body, so do not store it.
struct PlacedSphereBody {
  const SphereBody& body;
  Pose pose;

  PlacedSphereBody(const SphereBody& body_, const Pose& pose_ = {}) : body(body_), pose(pose_) {}
};

/// How much work a call may do. SphereQuery and SphereWorld can continue in a later call.
struct SphereBudget {
  /// The largest number of operations: two for each sphere that is transformed to the world frame, one for each test of
  /// two spheres, as in Bradshaw's thesis. Only the exact last step may exceed it.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Start no further work after this many seconds; with 0 or less, start none. The result then depends on timing.
  double seconds = std::numeric_limits<double>::infinity();
};

/// When a distance is accurate enough.
struct SphereGoal {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// Whether to continue with the triangles when the spheres cannot improve the bounds any further. This is one step,
  /// which cannot be interrupted and does not count as operations. If false, the query then stops with `Stop::limit`.
  bool exact = true;
};

/// How many operations `touches` spends on the spheres before it tests the triangles.
inline constexpr std::uint64_t touch_operations = 4096;
/// Whether the two solids share a point. Exact, as `touches` of the two meshes: false only if the solids share no
/// point, true only if they do. The spheres are tested first, with at most `touch_operations` operations, then the
/// triangles. If `cost` is given, the work is added to it.
bool touches(const PlacedSphereBody& a, const PlacedSphereBody& b, Cost* cost = nullptr);
/// The same for a shape and b's solid: true unless they are proven apart.
bool touches(const Placed& a, const PlacedSphereBody& b, Cost* cost = nullptr);

/// The distance of the two solids, or of a shape and a solid; 0 if they share a point. The fields of Distance mean
/// here:
///
///  - `lower` and `upper` contain the true distance.
///  - `point_a` and `point_b` are points of the two solids, up to rounding, at most `upper` apart.
///  - `normal` points from point_a to point_b; it is zero if the points coincide.
///  - A feature of kind `sphere` is the node whose sphere the upper bound comes from. If the bound comes from the
///    triangles, the features are those of `distance` of the two meshes: a triangle, or the whole if one solid lies
///    inside the other. For a shape, the feature is the one that the point lies on.
///  - `stop` is why the search ended: `exact`, `tolerance`, `budget`, or `limit` if the spheres cannot improve the
///    bounds.
///  - `cost.volume_updates` counts spheres transformed to the world frame, `cost.volume_tests` tests of spheres.
///    `cost.primitive_tests` belongs to the exact last step.
///
/// Throws an Error if the tolerance is negative or NaN, or if the seconds of the budget are NaN.
Distance distance(const PlacedSphereBody& a, const PlacedSphereBody& b, const SphereGoal& goal = {},
                  const SphereBudget& budget = {});
Distance distance(const Placed& a, const PlacedSphereBody& b, const SphereGoal& goal = {},
                  const SphereBudget& budget = {});

/// Options of contacts().
struct SphereContactOptions {
  OpenSpheres open = OpenSpheres::repulsion;  ///< What to do with pairs that the budget left unopened.
  /// `budget` and `seconds` as in SphereBudget.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

/// The result of contacts().
struct SphereContacts {
  /// In an order that depends only on the bodies and poses.
  std::vector<SphereContact> pairs;
  /// `exact` if the search reached all leaves, otherwise `budget`.
  Stop stop = Stop::exact;
  Cost cost;
};

/// All pairs of overlapping leaf spheres. If the budget ends first, also pairs of the inner spheres that were reached,
/// as the option `open` says. If there are no contacts and the budget did not end, the solids are proven apart. If one
/// solid lies inside the other and their surfaces are apart, there is one contact of the two roots, with error 0.
/// Throws an Error if `seconds` is NaN.
SphereContacts contacts(const PlacedSphereBody& a, const PlacedSphereBody& b, const SphereContactOptions& options = {});
/// The same into a reused result.
void contacts(const PlacedSphereBody& a, const PlacedSphereBody& b, const SphereContactOptions& options,
              SphereContacts& result);
/// All leaf spheres that are not proven apart from a shape. In each contact, `sphere_a` is SphereBody::none and `error`
/// is that of the leaf. Here one operation is one distance query between a sphere and the shape.
///
/// If the center of a sphere lies in the shape, depth and normal are those of `depth` for the shape and the sphere. A
/// compound, or a mesh that is not solid, has no depth: then the normal is zero and the depth is the radius. If the
/// shape lies inside the solid and touches no sphere, there is one contact with the root. Throws an Error if `seconds`
/// is NaN.
SphereContacts contacts(const Placed& a, const PlacedSphereBody& b, const SphereContactOptions& options = {});
void contacts(const Placed& a, const PlacedSphereBody& b, const SphereContactOptions& options, SphereContacts& result);

}  // namespace whisker
