#pragma once

/// \file
/// SphereContact: an estimate, from two overlapping spheres of sphere trees, of where and how deep the solids meet,
/// with a bound of its error; and the reduction of many such contacts to a few.
///
///     SphereContacts found = sphere_contacts({bunny, pose_a}, {bunny, pose_b}, {.budget = 5000});
///     std::vector<SphereContact> few;
///     reduce_contacts(found.pairs, 4, few);
///     for (const SphereContact& c : few) apply_force(c.point, c.depth * c.normal, c.weight);

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <whisker/queries.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// What to do with pairs of overlapping spheres whose children were not tested when the budget ended.
enum class OpenSpheres : std::uint8_t {
  /// Report them as contacts. This keeps the solids apart, sometimes a little too early.
  repulsion,
  /// Ignore them. Solids may penetrate, and may jump apart once there is time to test them more closely.
  penetration,
};

/// What is known of a pair of bodies.
enum class SpherePairState : std::uint8_t {
  open,      ///< Some overlapping spheres are not opened yet.
  contacts,  ///< All spheres were opened, and leaves overlap.
  apart,     ///< Proven: the solids share no point.
  inside,    ///< Proven: one solid, or a part of it, lies inside the other, and their surfaces are apart.
};

/// Two spheres that overlap; in the world frame.
struct SphereContact {
  std::uint32_t sphere_a = 0;  ///< The node of a's tree.
  std::uint32_t sphere_b = 0;  ///< The node of b's tree.
  /// A point on the line of the centers, which it divides in the ratio of the radii. It lies in both spheres, so it is
  /// no farther from either solid than the protrusion of its sphere.
  Vector3 point = Vector3::Zero();
  /// Unit vector from a's center to b's. If these coincide, from root center to root center, or +x if these coincide
  /// too.
  Vector3 normal = Vector3::Zero();
  double depth = 0;  ///< How far the spheres overlap along `normal`.
  /// The volume that the two spheres share: the weight of this contact relative to others.
  double weight = 0;
  /// The sum of the two spheres' protrusions. The solids are no farther apart than this.
  double error = 0;
  bool is_open = false;  ///< The spheres have children that were not tested.
};

/// Options of sphere_contacts().
struct SphereContactOptions {
  OpenSpheres open = OpenSpheres::repulsion;  ///< What to do with pairs that the budget left unopened.
  /// `budget` and `seconds` as in SphereBudget.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

/// The result of sphere_contacts().
struct SphereContacts {
  /// In an order that depends only on the bodies and poses.
  std::vector<SphereContact> pairs;
  /// `exact` if the search reached all leaves, otherwise `budget`.
  Stop stop = Stop::exact;
  Cost cost;
};

/// All pairs of overlapping leaf spheres of two SphereBodies. If the budget ends first, also pairs of the inner spheres
/// that were reached, as the option `open` says. If there are no contacts and the budget did not end, the solids are
/// proven apart. If one solid lies inside the other and their surfaces are apart, there is one contact of the two
/// roots, with error 0.
///
/// If a is another shape: all leaf spheres of b that are not proven apart from it. In each contact, `sphere_a` is
/// SphereBody::none and `error` is that of the leaf. Here one operation is one distance query between a sphere and the
/// shape. If the center of a sphere lies in the shape, depth and normal are those of `depth` for the shape and the
/// sphere. A compound, or a mesh that is not solid, has no depth: then the normal is zero and the depth is the radius.
/// If the shape lies inside the solid and touches no sphere, there is one contact with the root.
///
/// Throws an Error if b is not a SphereBody or `seconds` is NaN.
SphereContacts sphere_contacts(const Placed& a, const Placed& b, const SphereContactOptions& options = {});
/// The same into a reused result.
void sphere_contacts(const Placed& a, const Placed& b, const SphereContactOptions& options, SphereContacts& result);

/// Reduces many contacts of the same two bodies to at most `max_count`, which replace the contents of `few`.
///
/// The deepest contact is chosen first, then repeatedly the contact whose point is farthest from all chosen ones. Every
/// contact joins the group of the nearest chosen one, on a tie the one chosen first. Each group becomes one contact
/// with the weighted mean of the points, the normalized weighted mean of the normals, the sum of the weights, the
/// largest depth and error, and the spheres of the chosen contact. It is open if one of its contacts is. If the mean
/// normal cancels out, it is replaced by that of the chosen contact. All ties are resolved in favor of the earlier
/// contact, so the same input gives the same result. Takes O(max_count × n) time for n contacts.
void reduce_contacts(std::span<const SphereContact> contacts, std::size_t max_count, std::vector<SphereContact>& few);

}  // namespace whisker
