#pragma once

/// \file
/// SphereContact: where two overlapping spheres of sphere trees say that their solids meet, how far that may be from
/// the truth, and how many such contacts become a few.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker {

/// What becomes of pairs of spheres that overlap and were not opened when the budget ended.
enum class OpenSpheres : std::uint8_t {
  /// They are contacts: solids are kept apart, at times a little early.
  repulsion,
  /// They are left out: solids may enter each other, and may jump when they are looked at more closely.
  penetration,
};

/// Two spheres that overlap. World frame.
struct SphereContact {
  std::uint32_t sphere_a = 0;  ///< Numbers of the tree's nodes.
  std::uint32_t sphere_b = 0;
  /// On the line of the centers, parted as the radii are: in both spheres, so no farther from either solid than its
  /// sphere stands off.
  Vector3 point = Vector3::Zero();
  /// Unit vector along the centers, from a to b; where they coincide along those of the roots, or x if these do too.
  Vector3 normal = Vector3::Zero();
  double depth = 0;  ///< How far the spheres overlap along it.
  /// The volume that the two spheres share: how much the contact is to count beside others.
  double weight = 0;
  /// The two spheres' protrusions together: the solids are no farther apart than this.
  double error = 0;
  bool is_open = false;  ///< The two have children that were not looked at.
};

/// A few contacts for many of the same two bodies: at most `max_count`, written over `few`. The rule: the deepest is
/// chosen first; then, again and again, the one whose point is farthest from all chosen. Every contact joins the chosen
/// one whose point is nearest, of equals the one chosen first. Each group becomes one contact with the mean point and
/// normal, each by weight, the sum of the weights, the largest depth and error, and the spheres of the chosen one; it
/// is open if one of them is. A mean normal that cancels out is the chosen one's. Of equals the earlier counts, so
/// the same contacts give the same few. `max_count` × n steps.
void reduce_contacts(std::span<const SphereContact> contacts, std::size_t max_count, std::vector<SphereContact>& few);

}  // namespace whisker
