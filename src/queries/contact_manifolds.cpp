// contact_manifolds: the places where two shapes of any kind touch.

#include <algorithm>
#include <string>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_set.hpp>

#include "geometry/constants.hpp"
#include "geometry/lease.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/raw_pose.hpp"
#include "queries/manifold_places.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/part_walk.hpp"
#include "queries/table.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker {
namespace queries {
namespace {

using Manifolds = std::vector<ContactManifold>;

/// Parts with the same features have different ids.
void add_part_numbers(std::span<ContactManifold> found, std::uint32_t part_a, std::uint32_t part_b) {
  constexpr std::uint64_t spread = 0x9E3779B1;  // 2^32 / golden ratio
  for (ContactManifold& manifold : found) {
    manifold.feature_a.part += part_a;
    manifold.feature_b.part += part_b;
    for (ManifoldPoint& p : std::span(manifold.storage).first(manifold.count)) {
      const std::uint64_t a = (p.id >> 32) + part_a * spread, b = (p.id & 0xFFFFFFFFu) + part_b * spread;
      p.id = a << 32 | (b & 0xFFFFFFFFu);
    }
  }
}

/// The rows for the manifolds of these kinds. Throws an Error if there are none.
auto manifolds_row(const Placed& a, const Placed& b) {
  const auto row = algorithms(a.shape, b.shape).manifolds;
  if (row == nullptr) refuse("contact_manifolds", a, b);
  return row;
}

/// The options for a shape without its radius.
ManifoldOptions with_radius(const ManifoldOptions& options, double radius) {
  ManifoldOptions within = options;
  within.margin = std::min(options.margin + radius, max_coordinate);
  return within;
}
/// Gives a the radius.
void add_radius(ContactManifold& manifold, double radius) {
  manifold.lower -= radius;
  manifold.upper -= radius;
  for (ManifoldPoint& p : std::span(manifold.storage).first(manifold.count)) {
    p.point_a += manifold.normal * radius;
    p.gap -= radius;
  }
}

/// Whether the manifold that is the only one of a pair is not of triangles that touch, but the shortest way out.
bool is_way_out(const ContactManifold& manifold) {
  return manifold.feature_a.kind == FeatureKind::whole && manifold.feature_b.kind == FeatureKind::whole &&
         manifold.upper < 0;
}

/// How far rounding may move a bounded shape.
double rounding_of_box(const Aabb& box) {
  double largest = 0;
  for (int i = 0; i < 3; ++i)
    for (const double bound : {box.lower[i], box.upper[i]})
      if (std::abs(bound) < infinity) largest = std::max(largest, std::abs(bound));
  return 0x1p-46 * largest;
}

}  // namespace

void manifolds_convex(const Placed& a, const Placed& b, const ManifoldOptions& options, Manifolds& manifolds) {
  const ContactManifold found = algorithms(a.shape, b.shape).manifold(a, b, options);
  if (found.count > 0) manifolds.push_back(found);
}

void manifolds_compound(const Placed& a, const Placed& b, const ManifoldOptions& options, Manifolds& manifolds) {
  require_pairs("contact_manifolds", a, b, [](const PairAlgorithms& pair) { return pair.manifolds != nullptr; });
  const double limit =
      options.margin + rounding_of_box(a.shape.bounds(a.pose)) + rounding_of_box(b.shape.bounds(b.pose));
  ManifoldOptions of_parts = options;
  of_parts.cache = nullptr;
  Cost cost;
  walk_parts(
      a, b, cost, no_budget, [&](double gap) { return gap <= limit; },
      [&](const Part& part_a, const Part& part_b, double) {
        const std::size_t begin = manifolds.size();
        manifolds_row(part_a.placed, part_b.placed)(part_a.placed, part_b.placed, of_parts, manifolds);
        add_part_numbers(std::span(manifolds).subspan(begin), part_a.first_number, part_b.first_number);
        return false;
      });
}

void manifolds_body(const Placed& a, const Placed& b, const ManifoldOptions& options, Manifolds& manifolds) {
  const Shape solid = b.shape.as<SphereBody>()->mesh();
  manifolds_row(a, {solid, b.pose})(a, {solid, b.pose}, options, manifolds);
}

void manifolds_rounded(const Placed& a, const Placed& b, const ManifoldOptions& options, Manifolds& manifolds) {
  const shapes::RoundedData& data = *shapes::rounded_data(a.shape);
  const Placed inner(data.inner, a.pose);
  const std::size_t begin = manifolds.size();
  manifolds_row(inner, b)(inner, b, with_radius(options, data.radius), manifolds);
  if (manifolds.size() == begin + 1 && is_way_out(manifolds.back())) {
    // Where the core gets out, the radius need not.
    const Depth way = algorithms(a.shape, b.shape).depth(a, b, {});
    if (way.has_points()) {
      const ContactPoint p{.a = way.point_a, .b = way.point_b, .normal = way.normal, .gap = -way.upper};
      manifolds.pop_back();
      return join_points(std::span(&p, 1), {options.max_angle, 0, 0}, manifolds);
    }
  }
  for (ContactManifold& manifold : std::span(manifolds).subspan(begin))
    add_radius(manifold, data.radius);
}

ContactManifold manifold_slab(const Placed& a, const Placed& b, const ManifoldOptions& options) {
  const shapes::RoundedData& data = *shapes::rounded_data(a.shape);
  const Placed inner(data.inner, a.pose);
  ContactManifold found = algorithms(inner.shape, b.shape).manifold(inner, b, with_radius(options, data.radius));
  if (found.count > 0) add_radius(found, data.radius);
  return found;
}

ContactManifold manifold_slab_exchanged(const Placed& a, const Placed& b, const ManifoldOptions& options) {
  const SwappedCache exchanged(options.cache);
  ContactManifold found = manifold_slab(b, a, options);
  exchange(found);
  return found;
}

void manifolds_spheres(const Placed& a, const Placed& b, const ManifoldOptions& options, Manifolds& manifolds) {
  struct Memory {
    Manifolds found;
    std::vector<ContactPoint> points;
  };
  const SphereSet& set = *b.shape.as<SphereSet>();
  const Aabb box = a.shape.bounds(a.pose);
  const double rounding = rounding_of_box(box) + rounding_of_box(b.shape.bounds(b.pose));
  const geometry::Lease<Memory> memory;
  memory->points.clear();
  ManifoldOptions of_ball = options;
  of_ball.cache = nullptr;
  double radius = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Vector3 center = geometry::placed_point(b.pose, set.center(i));
    const double around = set.radius(i) + (options.margin + rounding);
    if (geometry::box_gap(box, {center, center}) > around * (1 + 0x1p-40)) continue;
    const Shape ball = Sphere{set.radius(i)};
    const Placed placed(ball, geometry::raw_pose(center));
    memory->found.clear();
    manifolds_row(a, placed)(a, placed, of_ball, memory->found);
    radius = std::max(radius, set.radius(i));
    for (const ContactManifold& manifold : memory->found) {
      for (const ManifoldPoint& p : manifold.points()) {
        memory->points.push_back({p.point_a,
                                  p.point_b,
                                  manifold.normal,
                                  p.gap,
                                  p.id ^ (i + 1),
                                  manifold.feature_a,
                                  {0, FeatureKind::sphere, static_cast<std::uint32_t>(i)}});
      }
    }
  }
  join_points(memory->points, {options.max_angle, 0x1p-12 * radius, rounding}, manifolds);
}

}  // namespace queries

void contact_manifolds(const Placed& a, const Placed& b, const ManifoldOptions& options,
                       std::vector<ContactManifold>& manifolds) {
  queries::check_options(options);
  manifolds.clear();
  queries::manifolds_row(a, b)(a, b, options, manifolds);
  queries::make_ids_unique(manifolds);
  if (options.memory == nullptr) return;
  ManifoldMemory& memory = *options.memory;
  const geometry::Lease<std::vector<ManifoldMemory::Point>> after;
  after->clear();
  queries::keep_names(manifolds, a.pose, b.pose, queries::name_reach(a.shape, b.shape), memory.points, memory.next_id,
                      *after);
  memory.points.swap(*after);
}

}  // namespace whisker
