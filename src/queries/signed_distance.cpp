// signed_distance: the distance of two placed shapes, or minus their penetration depth.

#include "queries/signed_distance.hpp"

#include <array>
#include <string>

#include <whisker/error.hpp>

#include "convex/flatness.hpp"
#include "convex/pair_memory.hpp"
#include "convex/simple_shape.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/unit_vector.hpp"
#include "queries/check_query.hpp"
#include "queries/table.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/kind_traits.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker {
namespace queries {
namespace {

/// way_off for two parallel planes, half-spaces or rounded planes.
Vector3 way_off_plane(const Placed& a, const Placed& b) {
  const auto is_half_space = [](const Placed& placed) { return placed.shape.as<HalfSpace>() != nullptr; };
  const convex::SimpleShape flat_a = convex::place_simple(shapes::without_radius(a.shape), a.pose),
                            flat_b = convex::place_simple(shapes::without_radius(b.shape), b.pose);
  const Vector3 normal_a = geometry::unit_vector(flat_a.normal), normal_b = geometry::unit_vector(flat_b.normal);
  if (is_half_space(a)) return normal_a;
  if (is_half_space(b)) return -normal_b;
  const auto* const slab_a = shapes::rounded_data(a.shape);
  const auto* const slab_b = shapes::rounded_data(b.shape);
  // Two planes that coincide separate toward either side. Exchanged planes must get opposite ones.
  if (slab_a == nullptr && slab_b == nullptr)
    return convex::comes_first(flat_b, flat_a) ? Vector3(-normal_b) : normal_a;
  // With a radius, the middle of one is clearly on one side of the other.
  const auto point_on = [](const convex::SimpleShape& flat, const Vector3& normal) {
    return Vector3(flat.pose.translation() + normal * (flat.offset / flat.normal.stableNorm()));
  };
  const double height = normal_a.dot(point_on(flat_b, normal_b) - point_on(flat_a, normal_a));
  return height < 0 ? Vector3(-normal_a) : normal_a;
}

/// A direction in which b, which touches a without overlapping it, moves away. Zero if none is found.
Vector3 way_off(const Placed& a, const Placed& b, DistanceOf distance, Cost& cost) {
  const auto normal_of = [](const Placed& plane) {
    return geometry::unit_vector(convex::place_simple(shapes::without_radius(plane.shape), plane.pose).normal);
  };
  const auto is_flat = [](const Shape& shape) { return shape.is_unbounded() && shapes::traits_of(shape).is_convex; };
  const auto is_ground = [](const Shape& shape) {
    return shapes::ground_surface(shapes::without_radius(shape)) != nullptr;
  };
  const bool is_flat_a = is_flat(a.shape), is_flat_b = is_flat(b.shape);
  if (is_flat_a && is_flat_b) return way_off_plane(a, b);
  if (is_ground(a.shape)) return geometry::unit_vector(a.pose.rotation().col(2));
  if (is_ground(b.shape)) return -geometry::unit_vector(b.pose.rotation().col(2));
  if (is_flat_a) return normal_of(a);
  if (is_flat_b) return -normal_of(b);
  if (a.shape.is_unbounded() || b.shape.is_unbounded()) return Vector3::Zero();
  // Exchanged shapes must get the opposite direction. Only shapes of one kind, and convex ones, come in both orders.
  const bool are_convex = shapes::traits_of(a.shape).is_convex && shapes::traits_of(b.shape).is_convex;
  if ((are_convex || a.shape.kind() == b.shape.kind()) && convex::comes_first(b, a))
    return -way_off(b, a, distance, cost);
  // From a little farther away, the shapes show in which direction they are apart.
  const Aabb box_a = a.shape.bounds(a.pose), box_b = b.shape.bounds(b.pose);
  const double size = (box_a.upper - box_a.lower).stableNorm() + (box_b.upper - box_b.lower).stableNorm();
  const Vector3 between =
      geometry::unit_vector((box_b.lower / 2 + box_b.upper / 2) - (box_a.lower / 2 + box_a.upper / 2));
  const std::array<Vector3, 7> ways = {between,           Vector3::UnitZ(), -Vector3::UnitZ(), Vector3::UnitY(),
                                       -Vector3::UnitY(), Vector3::UnitX(), -Vector3::UnitX()};
  for (const Vector3& way : ways) {
    const Vector3 by = way * (0x1p-10 * size);
    if (by.isZero(0)) continue;
    const Distance apart = distance(a, {b.shape, geometry::raw_pose(b.pose.rotation(), b.pose.translation() + by)}, {});
    cost += apart.cost;
    if (apart.lower > 0) return apart.normal;
  }
  return Vector3::Zero();
}

}  // namespace

void join_depth(const Placed& a, const Placed& b, DistanceOf distance, const Depth& deep, const Features& on,
                Distance& result) {
  result.cost += deep.cost;
  if (deep.upper > 0) {
    result.lower = -deep.upper;
    if (deep.lower > 0) result.upper = -deep.lower;
    result.normal = deep.normal;
    result.point_a = deep.point_a;
    result.point_b = deep.point_b;
    result.feature_a = on.a;
    result.feature_b = on.b;
    result.stop = deep.stop;
  } else if (result.normal.isZero(0)) {
    result.normal = way_off(a, b, distance, result.cost);
  }
}

bool did_overlap(const PairCache* cache) {
  return cache != nullptr && memory_of(*cache).did_overlap;
}

void detail::remember_overlap(PairCache* cache, bool overlaps) {
  if (cache != nullptr) memory_of(*cache).did_overlap = overlaps;
}

}  // namespace queries

namespace {

/// What depth() refuses, whether or not the shapes overlap.
void check_solids(const Placed& a, const Placed& b) {
  for (const Placed* const placed : {&a, &b}) {
    if (!has_surface_mesh(placed->shape)) continue;
    throw Error(std::string("signed_distance: ") +
                (placed->shape.as<Compound>() != nullptr ? "a mesh of the compound" : "the mesh") +
                " is a surface, which has no inside to overlap; make it solid() first (it must be closed)");
  }
  const bool is_compound = a.shape.as<Compound>() != nullptr || b.shape.as<Compound>() != nullptr;
  const std::uint32_t fields = 1u << static_cast<unsigned>(ShapeKind::height_field);
  if (is_compound && ((kinds_of(a.shape) | kinds_of(b.shape)) & fields) != 0) {
    throw Error(
        "signed_distance: a height field of the compound is a surface, which has no inside to overlap; use its "
        "ground() (make/ground.hpp)");
  }
}

}  // namespace

Distance signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options) {
  queries::refuse_fault("signed_distance", queries::fault_of(options));
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.signed_distance == nullptr) queries::refuse("signed_distance", a, b);
  check_solids(a, b);
  if (!options.features) return pair.signed_distance(a, b, options);
  Distance result = pair.signed_distance(a, b, options);
  queries::name_features(a, b, result);
  return result;
}

}  // namespace whisker
