#pragma once

/// \file
/// SphereBody: a solid mesh together with its sphere tree, for questions that may be answered in part.
///
///     Mesh mesh = load_mesh("bunny.stl");
///     SphereBody bunny(build_sphere_tree(mesh, {.depth = 3}), mesh);
///     bool hit = touches({bunny, pose_a}, {bunny, pose_b});
///     Distance d = distance({bunny, pose_a}, {bunny, pose_b}, {.tolerance = 0.01});
///     SphereContacts found = contacts({bunny, pose_a}, {bunny, pose_b}, {.budget = 5000});
///
/// What answers are about is the *solid mesh*, placed as everywhere (queries.hpp): bounds of a distance contain that of
/// the placed solids at every budget, also where one lies inside the other and their surfaces are apart. Spheres that
/// are apart prove that what they cover is; how far spheres stand off the solid bounds how far apart the solids can be.
///
/// Two things are taken from the tree on trust, as build_sphere_tree promises them (sphere_tree.hpp): a node's sphere
/// covers the part of the surface that the node stands for, and its children stand for all of that part. How far
/// spheres stand off is measured anew on the mesh, so a tree without that number, from a file say, serves as well.
///
/// A question that can be interrupted and resumed is a SphereQuery (sphere_query.hpp); many bodies at once are a
/// SphereWorld (sphere_world.hpp). Nothing is allocated by a question after the first few, but for the exact last step
/// where the shape's own questions do, and for room in the caller's results; a thread keeps the bodies that it asked
/// about last.

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

struct SphereBodyOptions {
  /// How many threads measure the spheres: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative
  /// is an Error. The body is the same.
  int threads = 0;
};

/// An immutable value: copies share their data, and any number of threads may use it. Spheres have the numbers of the
/// tree's nodes.
class SphereBody {
 public:
  /// The number of no sphere.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  /// A node may have so many children.
  static constexpr std::uint32_t max_children = 64;

  /// Throws an Error if the mesh is not that of a solid (Mesh::solid()), a sphere of the tree is not finite or has a
  /// negative radius, children are not where they can be or more than `max_children`, or a vertex of a triangle is not
  /// in the root's sphere. One signed distance per sphere.
  SphereBody(const SphereTree& tree, const Mesh& mesh, const SphereBodyOptions& options = {});

  /// How many spheres there are, the root first.
  std::size_t size() const;
  /// In the mesh's frame. This and all that takes the number of a sphere throws an Error if there is no such sphere.
  BoundingSphere sphere(std::size_t i) const;
  /// No point of the sphere is farther from the solid than this.
  double protrusion(std::size_t i) const;
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

/// A body and where it stands: `{body, pose}`, or a body alone for one in its own frame. A parameter type: it refers to
/// the body, so it is not to be stored.
struct PlacedSphereBody {
  const SphereBody& body;
  Pose pose;

  PlacedSphereBody(const SphereBody& body_, const Pose& pose_ = {}) : body(body_), pose(pose_) {}
};

/// How much work is allowed. What it leaves open can be resumed where there is something to resume.
struct SphereBudget {
  /// Two for each sphere that is brought to the world, one for each test of two spheres: the costs of Bradshaw's
  /// thesis. Never exceeded, but by the exact last step.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Begin nothing more after so many seconds; nothing at all if not more than 0. How far one gets depends on the
  /// clock.
  double seconds = std::numeric_limits<double>::infinity();
};

/// When a distance is good enough.
struct SphereGoal {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// When the spheres can tell no more, go on to the triangles: one step, which is not interrupted and not counted in
  /// operations. Otherwise stop there, with `Stop::limit`.
  bool exact = true;
};

/// Do the two solids share a point? As `touches` of the two meshes says: false only if the solids share no point, true
/// only if they do. The spheres are asked first, for `touch_operations` operations at most, then the triangles.
inline constexpr std::uint64_t touch_operations = 4096;
bool touches(const PlacedSphereBody& a, const PlacedSphereBody& b, Cost* cost = nullptr);
/// The same of a shape and b's solid, true unless proven apart.
bool touches(const Placed& a, const PlacedSphereBody& b, Cost* cost = nullptr);

/// The distance of the two solids; 0 if they share a point.
///
/// `lower` and `upper` contain the truth. The points are points of the two, within rounding, at most `upper` apart, and
/// `normal` leads from one to the other; zero where the points coincide. A feature of the kind `sphere` names the node
/// whose sphere the upper bound comes from. Where the bound comes from the triangles, the features are those of the
/// meshes' own `distance`: a triangle, or the whole where one solid lies in the other. Of a shape, the feature is what
/// of it the point lies on. `stop` tells why the search ended: `exact`, `tolerance`, `budget`, or `limit` where the
/// spheres can tell no more. In `cost`, `volume_updates` are spheres brought to the world, `volume_tests` tests of
/// spheres, and `primitive_tests` belong to the exact last step.
///
/// Throws an Error if the tolerance is negative or NaN.
Distance distance(const PlacedSphereBody& a, const PlacedSphereBody& b, const SphereGoal& goal = {},
                  const SphereBudget& budget = {});
Distance distance(const Placed& a, const PlacedSphereBody& b, const SphereGoal& goal = {},
                  const SphereBudget& budget = {});

struct SphereContactOptions {
  OpenSpheres open = OpenSpheres::repulsion;
  /// As in SphereBudget.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

struct SphereContacts {
  /// In an order that depends on the bodies alone.
  std::vector<SphereContact> pairs;
  /// `exact` if all leaves were looked at, else `budget`.
  Stop stop = Stop::exact;
  Cost cost;
};

/// Every pair of leaves that overlap, or, where the budget ends before, of the spheres that were reached: with none the
/// solids are proven apart, if the budget did not end. One solid inside the other, surfaces apart, gives one contact of
/// the two roots with no error.
SphereContacts contacts(const PlacedSphereBody& a, const PlacedSphereBody& b, const SphereContactOptions& options = {});
/// The same into memory that is used again.
void contacts(const PlacedSphereBody& a, const PlacedSphereBody& b, const SphereContactOptions& options,
              SphereContacts& result);
/// Every leaf that is not proven apart from a shape. `sphere_a` is none; the error is that of the leaf. An operation is
/// here a question about a sphere and the shape.
///
/// Where the center of a sphere lies in the shape, depth and normal are those of `depth` for the sphere, where there is
/// one: a compound, and a mesh that is no solid, have none, and then the normal is zero and the depth the radius.
SphereContacts contacts(const Placed& a, const PlacedSphereBody& b, const SphereContactOptions& options = {});
void contacts(const Placed& a, const PlacedSphereBody& b, const SphereContactOptions& options, SphereContacts& result);

}  // namespace whisker
