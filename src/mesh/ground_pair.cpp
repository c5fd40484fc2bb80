// Two grounds. Where both have the same up direction, everything is in the plane across it: deep below the surfaces
// they are two prisms, and the distance and the depth are those of their cross-sections, two parallelograms. Otherwise
// they are closest at a finite depth, and their surfaces and walls are asked in pairs.
//
// Source of the bound on that depth: with w = p - q for points p and q of the surfaces, the shortest
// w - s u + t v with s, t >= 0 for unit vectors u, v at an angle has s, t <= |w| / sin(angle), and at most 2 |w| if the
// angle is not acute, because then |s u - t v| is at least s and t.

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "geometry/constants.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/ground.hpp"
#include "mesh/ground_parts.hpp"
#include "mesh/separation_search.hpp"

namespace whisker::mesh {
namespace {

constexpr double least_sine = 0x1p-20;  // of the angle between two up directions that are told apart

Vector3 corner_of(const PlacedField& placed, int k) {
  const HeightField& field = placed.field;
  return geometry::placed_point(placed.pose,
                                field.vertex(k == 1 || k == 2 ? field.columns() - 1 : 0, k > 1 ? field.rows() - 1 : 0));
}

/// The cross-section of a ground, in the plane through the origin across a unit vector: a parallelogram, up to
/// rounding.
struct CrossSection {
  std::array<Vector3, 4> corners;

  CrossSection(const PlacedField& placed, const Vector3& up) {
    for (int k = 0; k < 4; ++k) {
      const Vector3 corner = corner_of(placed, k);
      corners[static_cast<std::size_t>(k)] = corner - up * up.dot(corner);
    }
  }
  std::array<Triangle, 2> halves() const {
    return {Triangle{corners[0], corners[1], corners[2]}, Triangle{corners[0], corners[2], corners[3]}};
  }
  double reach(const Vector3& direction) const {
    double most = -infinity;
    for (const Vector3& corner : corners)
      most = std::max(most, direction.dot(corner));
    return most;
  }
};

/// A height along `up` below which the whole cross-section of a ground is in the ground.
double deep_below(const PlacedField& placed, const Vector3& up) {
  double lowest = infinity;
  for (std::size_t j = 0; j < placed.field.rows(); ++j)
    for (std::size_t i = 0; i < placed.field.columns(); ++i)
      lowest = std::min(lowest, up.dot(geometry::placed_point(placed.pose, placed.field.vertex(i, j))));
  return lowest;
}

bool have_same_up(const PlacedField& a, const PlacedField& b) {
  return up_of(a.pose) == up_of(b.pose);
}

double pair_size(const PlacedField& a, const PlacedField& b) {
  return largest_number(a) + largest_number(b);
}

Distance distance_of_prisms(const PlacedField& a, const PlacedField& b) {
  const Vector3 up = geometry::unit_vector(up_of(a.pose));
  const CrossSection section_a(a, up), section_b(b, up);
  Distance nearest;
  nearest.lower = nearest.upper = infinity;
  for (const Triangle& half_a : section_a.halves()) {
    for (const Triangle& half_b : section_b.halves()) {
      const Distance found =
          convex::distance_simple_simple(convex::simple_triangle(half_a), convex::simple_triangle(half_b));
      nearest.cost += found.cost;
      const double lower = std::min(nearest.lower, found.lower);
      if (found.upper < nearest.upper) {
        const Cost cost = nearest.cost;
        nearest = found;
        nearest.cost = cost;
      }
      nearest.lower = lower;
    }
  }
  const double error = wall_error(pair_size(a, b));
  nearest.lower = std::max(0.0, nearest.lower - 2 * error);
  if (nearest.upper > 0) nearest.upper += 2 * error;
  if (!(nearest.lower > 0)) nearest.normal = Vector3::Zero();
  nearest.feature_a = nearest.feature_b = {};
  const double height = std::min(deep_below(a, up), deep_below(b, up)) - error;
  nearest.point_a += up * height;
  nearest.point_b += up * height;
  return nearest;
}

/// The walls, down to a depth.
Mesh walls_of(const PlacedField& placed, double down) {
  MeshData data;
  const HeightField& field = placed.field;
  const Vector3 up = geometry::unit_vector(up_of(placed.pose));
  const auto add = [&](const Vector3& p, const Vector3& q) {
    const auto first = static_cast<std::uint32_t>(data.vertices.size());
    const Vector3 a = geometry::placed_point(placed.pose, p), b = geometry::placed_point(placed.pose, q);
    data.vertices.insert(data.vertices.end(), {a, b, a - down * up, b - down * up});
    data.triangles.push_back({first, first + 1, first + 2});
    data.triangles.push_back({first + 1, first + 2, first + 3});
  };
  for (const std::size_t row : {std::size_t{0}, field.rows() - 1})
    for (std::size_t i = 0; i + 1 < field.columns(); ++i)
      add(field.vertex(i, row), field.vertex(i + 1, row));
  for (const std::size_t column : {std::size_t{0}, field.columns() - 1})
    for (std::size_t j = 0; j + 1 < field.rows(); ++j)
      add(field.vertex(column, j), field.vertex(column, j + 1));
  return Mesh(std::move(data));
}

/// For two grounds that are not parallel.
Distance distance_of_parts(const PlacedField& a, const PlacedField& b) {
  const Vector3 up_a = geometry::unit_vector(up_of(a.pose)), up_b = geometry::unit_vector(up_of(b.pose));
  Distance nearest = distance_ground_field(a, b, {});
  const auto take = [&](const Distance& found) {
    Cost cost = nearest.cost;
    cost += found.cost;
    const double lower = std::min(nearest.lower, found.lower);
    if (found.upper < nearest.upper) nearest = found;
    nearest.lower = lower;
    nearest.cost = cost;
  };
  Distance other_way = distance_ground_field(b, a, {});
  exchange(other_way);
  take(other_way);
  if (!(nearest.upper > 0)) return nearest;

  Aabb box = Shape(a.field).bounds(a.pose);
  const Aabb box_b = Shape(b.field).bounds(b.pose);
  box.include(box_b.lower);
  box.include(box_b.upper);
  const double size = (box.upper - box.lower).stableNorm();
  const double sine = up_a.cross(up_b).norm(), cosine = up_a.dot(up_b);
  const double most = max_coordinate / 2 - pair_size(a, b);
  double down = cosine <= 0 ? 2 * size : size / std::max(sine, least_sine);
  // Nearly parallel walls, or enormous ones, may meet deeper than is looked at.
  const bool is_certain = (cosine <= 0 || sine >= least_sine) && down * (1 + 1e-6) <= most;
  down = std::min(down * (1 + 1e-6), most);
  if (down > 0) {
    const Mesh walls_a = walls_of(a, down), walls_b = walls_of(b, down);
    const Pose still;
    Distance walls = distance_mesh_mesh({walls_a, still}, {walls_b, still}, {});
    const double error = wall_error(pair_size(a, b) + down);
    walls.lower = std::max(0.0, walls.lower - 2 * error);
    if (walls.upper > 0) walls.upper += 2 * error;
    walls.feature_a = walls.feature_b = {};
    take(walls);
  }
  if (!is_certain) {
    nearest.lower = 0;
    nearest.stop = Stop::limit;
  }
  if (!(nearest.lower > 0)) nearest.normal = Vector3::Zero();
  return nearest;
}

/// How far b has to move along a unit vector `way` to be beyond a plane across it that a is not beyond. Infinite if one
/// of the grounds goes on in this direction without end.
double way_past(const PlacedField& a, const PlacedField& b, const Vector3& way) {
  constexpr double slack = 0x1p-50;  // of directions that are across an up direction up to rounding
  if (way.dot(up_of(a.pose)) < -slack || way.dot(up_of(b.pose)) > slack) return infinity;
  return -deep_below(a, -way) - deep_below(b, way);
}

}  // namespace

Distance distance_ground_ground(const PlacedField& a, const PlacedField& b, const DistanceOptions&) {
  return have_same_up(a, b) ? distance_of_prisms(a, b) : distance_of_parts(a, b);
}

bool touches_ground_ground(const PlacedField& a, const PlacedField& b, PairCache*, Cost& cost) {
  const Distance apart = distance_ground_ground(a, b, {});
  cost += apart.cost;
  return !(apart.lower > 0);
}

Depth depth_ground_ground(const PlacedField& a, const PlacedField& b, const DepthOptions&) {
  Depth result;
  if (!touches_ground_ground(a, b, nullptr, result.cost)) return result;
  const Vector3 up_a = geometry::unit_vector(up_of(a.pose)), up_b = geometry::unit_vector(up_of(b.pose));
  Separation best;
  const auto try_way = [&](const Vector3& way, double length) {
    if (!(length < best.length) || way.isZero(0)) return;
    best = {std::max(length, 0.0), way};
  };
  const double error = 2 * wall_error(pair_size(a, b));
  double lower = 0;
  if (have_same_up(a, b)) {
    // Two convex polygons leave each other across one of their edges.
    const CrossSection section_a(a, up_a), section_b(b, up_a);
    for (const CrossSection& section : {section_a, section_b}) {
      for (const std::size_t k : {0u, 1u, 2u, 3u}) {
        const Vector3 way = geometry::unit_vector(up_a.cross(section.corners[(k + 1) % 4] - section.corners[k]));
        try_way(way, section_a.reach(way) + section_b.reach(-way));
      }
    }
    lower = std::max(0.0, best.length - error);
  } else {
    const double cosine = up_a.dot(up_b);
    for (const Vector3& way : {up_a, Vector3(-up_b), Vector3(up_a - up_b), Vector3(up_a - cosine * up_b),
                               Vector3(cosine * up_a - up_b), up_a.cross(up_b), up_b.cross(up_a)}) {
      const Vector3 unit = geometry::unit_vector(way);
      if (!unit.isZero(0)) try_way(unit, way_past(a, b, unit));
    }
  }
  // Beyond this they are apart, however the cross-sections and the planes across the way were rounded.
  best.length += 4 * error;
  const auto gap = [&](const Vector3& by) {
    const Pose there = geometry::raw_pose(b.pose.rotation(), b.pose.translation() + by);
    const Distance found = distance_ground_ground(a, {b.field, there}, {});
    result.cost += found.cost;
    return found;
  };
  set_depth(best, lower, error / 4, gap, result);
  // Grounds that are not proven to be apart need not be close where they were looked at.
  if (have_same_up(a, b) || gap(result.normal * result.upper).lower > 0) return result;
  result.point_b = result.point_a - result.normal * result.upper;
  return result;
}

}  // namespace whisker::mesh
