#pragma once

/// \file
/// SphereBody: a solid mesh together with its sphere tree, for queries that can stop early with bounds. It is a shape
/// like any other.
///
///     Mesh mesh = load_mesh("bunny.stl");
///     SphereBody bunny(build_sphere_tree(mesh, {.depth = 3}), mesh);
///     bool hit = touches({bunny, pose_a}, {bunny, pose_b});
///     Distance d = distance({bunny, pose_a}, {bunny, pose_b}, {.tolerance = 0.01});
///     SphereContacts found = sphere_contacts({bunny, pose_a}, {bunny, pose_b}, {.budget = 5000});
///
/// The answers are about the placed *solid mesh*, as in queries.hpp. Distance bounds contain the distance of the placed
/// solids at every budget, also if one solid lies inside the other and their surfaces are apart. The bounds follow from
/// the spheres: if two spheres are apart, so are the parts that they cover, and the protrusion of the spheres bounds
/// how far apart the solids can be.
///
///  - `touches` is exact, as that of the two meshes. The spheres are tested first, with at most 4096 operations, then
///  the
///    triangles.
///  - `distance` refines the bounds with the spheres, then with the triangles, and stops with the option `tolerance` or
///    `budget`, which counts operations (SphereBudget, sphere_query.hpp). `upper_bound` and `close_enough` are not
///    used. `point_a` and `point_b` are points of the two solids, up to rounding, at most `upper` apart. A feature of
///    kind `sphere` is the node whose sphere the upper bound comes from. If the bound comes from the triangles, the
///    features are those of the two meshes: a triangle, or the whole if one solid lies inside the other.
///    `cost.volume_updates` counts spheres transformed to the world frame, `cost.volume_tests` tests of spheres, and
///    `cost.primitive_tests` belongs to the exact last step.
///  - All other queries are those of the mesh.
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

#include <whisker/detail/held.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/mesh.hpp>

namespace whisker {

struct SphereTree;

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

}  // namespace whisker
