#include <algorithm>

#include <whisker/spheres/sphere_contacts.hpp>

#include "geometry/constants.hpp"
#include "geometry/lists.hpp"
#include "geometry/safe_norm.hpp"
#include "shapes/internals.hpp"
#include "spheres/body_nodes.hpp"
#include "spheres/contact_front.hpp"

namespace whisker {
namespace spheres {
namespace {

constexpr double pi = 3.14159265358979323846;

/// The volume shared by two balls at the given distance, computed in an order in which nothing overflows.
double shared_volume(double radius_a, double radius_b, double apart) {
  const double depth = radius_a + radius_b - apart;
  if (!(depth > 0)) return 0;
  const double smaller = std::min(radius_a, radius_b), larger = std::max(radius_a, radius_b);
  if (apart <= larger - smaller) return 4.0 / 3 * pi * smaller * smaller * smaller;
  const double uneven = larger - smaller;
  return pi / 12 * (depth * depth) * (apart + 2 * (radius_a + radius_b) - 3 * (uneven / apart) * uneven);
}

/// The contact normal for two spheres with coinciding centers, which define no direction: the direction between the
/// roots.
Vector3 direction_of_roots(const PlacedNodes& a, const PlacedNodes& b) {
  const Vector3 away = world_center(b, 0) - world_center(a, 0);
  const double length = geometry::safe_norm(away);
  return length > 0 ? Vector3(away / length) : Vector3::UnitX();
}

}  // namespace

double set_contact(const PlacedNodes& a, std::uint32_t i, const PlacedNodes& b, std::uint32_t j,
                   SphereContact& contact) {
  // A tree with a second, better fitting sphere per node would use that sphere here.
  const Vector3 center_a = world_center(a, i), away = world_center(b, j) - center_a;
  const double radius_a = a.radius[i], radius_b = b.radius[j], radii = radius_a + radius_b;
  const double slack = a.slack + b.slack;
  const double apart = geometry::safe_norm(away);
  contact.sphere_a = i;
  contact.sphere_b = j;
  contact.point = center_a + (radii > 0 ? radius_a / radii : 0.5) * away;
  contact.normal = apart > 0 ? Vector3(away / apart) : direction_of_roots(a, b);
  contact.depth = std::max(radii - apart, 0.0);
  contact.weight = shared_volume(radius_a, radius_b, apart);
  contact.error = storage_of(*a.body).protrusion[i] + storage_of(*b.body).protrusion[j] + slack;
  contact.is_open = false;
  return std::max(apart * (1 + 0x1p-48) + (a.height[i] + b.height[j] + slack), 0.0);
}

}  // namespace spheres

void reduce_contacts(std::span<const SphereContact> contacts, std::size_t max_count, std::vector<SphereContact>& few) {
  few.clear();
  if (contacts.empty() || max_count == 0) return;
  /// The chosen contact nearest to a contact.
  struct Nearest {
    double away = infinity;
    std::size_t group = 0;
  };
  thread_local std::vector<Nearest> nearest;
  thread_local std::vector<std::size_t> seeds;
  nearest.assign(contacts.size(), {});
  seeds.clear();
  const auto choose = [&](std::size_t seed) {
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const double away = geometry::safe_norm(Vector3(contacts[seed].point - contacts[i].point));
      if (away < nearest[i].away) nearest[i] = {away, seeds.size()};
    }
    seeds.push_back(seed);
  };
  const auto first = std::ranges::max_element(contacts, {}, &SphereContact::depth);
  choose(static_cast<std::size_t>(first - contacts.begin()));
  while (seeds.size() < max_count) {
    const auto farthest = std::ranges::max_element(nearest, {}, &Nearest::away);
    if (!(farthest->away > 0)) break;
    choose(static_cast<std::size_t>(farthest - nearest.begin()));
  }

  for (const std::size_t seed : seeds) {
    SphereContact& group = few.emplace_back(contacts[seed]);
    group.point = group.normal = Vector3::Zero();
    group.weight = 0;
  }
  // Weights are cubes of lengths. As fractions of the largest, their products with points do not overflow.
  const double heaviest = geometry::greatest_of(contacts, &SphereContact::weight);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const SphereContact& contact = contacts[i];
    SphereContact& group = few[nearest[i].group];
    const double share = heaviest > 0 ? contact.weight / heaviest : 0;
    group.point += share * contact.point;
    group.normal += share * contact.normal;
    group.weight += contact.weight;
    group.depth = std::max(group.depth, contact.depth);
    group.error = std::max(group.error, contact.error);
    group.is_open = group.is_open || contact.is_open;
  }
  for (std::size_t k = 0; k < few.size(); ++k) {
    const SphereContact& seed = contacts[seeds[k]];
    const double share = heaviest > 0 ? few[k].weight / heaviest : 0;
    few[k].point = share > 0 ? Vector3(few[k].point / share) : seed.point;
    const double length = few[k].normal.norm();
    few[k].normal = length > 1e-9 * share ? Vector3(few[k].normal / length) : seed.normal;
  }
}

}  // namespace whisker
