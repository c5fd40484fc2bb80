#include "spheres/sphere_set_mesh.hpp"

#include <algorithm>
#include <bit>

#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "geometry/placed_box.hpp"
#include "mesh/surface_distance.hpp"
#include "mesh/triangle_at.hpp"
#include "shapes/internals.hpp"
#include "spheres/sphere_set_walk.hpp"

namespace whisker::spheres {
namespace {

constexpr auto no_member = static_cast<std::uint32_t>(PlacedGroup::size);

Members bit(std::size_t i) {
  return Members{1} << i;
}

/// The members with indices below i.
Members below(std::uint32_t i) {
  return i >= no_member ? ~Members{0} : bit(i) - 1;
}

}  // namespace

MeshSide::MeshSide(const mesh::PlacedMesh& placed)
    : placed_(placed), frame_(placed), box_(geometry::placed_box(placed.mesh.bounds(), placed.pose)) {}

bool MeshSide::begin(GroupWalk& walk, const PlacedGroup& group, const BoundingSphere& ball) const {
  walk.tree = frame_.tree;
  walk.count = group.count;
  walk.wanted = group.all();
  walk.error = frame_.error(group.coordinate);
  walk.stretch = frame_.stretch;
  const Matrix3& m = frame_.inverse;
  const Vector3& t = frame_.pose.translation();
  for (std::size_t i = 0; i < group.count; ++i) {
    const double dx = group.x[i] - t[0], dy = group.y[i] - t[1], dz = group.z[i] - t[2];
    walk.x[i] = (m(0, 0) * dx + m(0, 1) * dy + m(0, 2) * dz) * frame_.scale;
    walk.y[i] = (m(1, 0) * dx + m(1, 1) * dy + m(1, 2) * dz) * frame_.scale;
    walk.z[i] = (m(2, 0) * dx + m(2, 1) * dy + m(2, 2) * dz) * frame_.scale;
  }
  for (std::size_t i = group.count; i % 8 != 0; ++i)
    walk.x[i] = walk.y[i] = walk.z[i] = walk.limit[i] = 0;
  const Vector3 center = frame_.to_local(ball.center);
  for (int i = 0; i < 3; ++i)
    walk.ball[i] = center[i];
  return (frame_.coordinate + group.coordinate + ball.radius) * frame_.scale < longest_walk / 8;
}

void MeshSide::set_limits(GroupWalk& walk, const PlacedGroup& group, double limit) const {
  const double grow = (1 + 0x1p-48) * frame_.scale;
  for (std::size_t i = 0; i < group.count; ++i)
    walk.limit[i] = (limit + group.radii[i]) * grow;
}

Members MeshSide::inside(const PlacedGroup& group, Members asked, Members apart) const {
  if (!placed_.mesh.is_solid()) return 0;
  Members in_box = 0;
  for (std::size_t i = 0; i < group.count; ++i)
    in_box |= static_cast<Members>(box_.contains(group.center(i))) << i;
  if ((asked & in_box) == 0) return 0;
  // Two overlapping balls that the surface does not touch are on the same side of it.
  std::uint32_t linked[PlacedGroup::size];
  for (std::size_t i = 0; i < group.count; ++i) {
    const auto j = static_cast<std::uint32_t>(group.links[i] - group.first);
    linked[i] = static_cast<std::uint32_t>(i);
    if (j == i || (apart & bit(i)) == 0 || (apart & bit(j)) == 0) continue;
    const double dx = group.x[i] - group.x[j], dy = group.y[i] - group.y[j], dz = group.z[i] - group.z[j];
    const double reach = (group.radii[i] + group.radii[j]) * (1 - 0x1p-40);
    // Squares that underflow prove nothing.
    if (reach > 1e-140 && dx * dx + dy * dy + dz * dz < reach * reach) linked[i] = j;
  }
  Members outside = ~in_box;
  for (std::size_t i = group.count; i-- > 0;)
    if ((outside & bit(i)) != 0) outside |= bit(linked[i]);
  Members known = outside;
  Members found = 0;
  for (std::size_t i = 0; i < group.count; ++i) {
    const std::size_t j = linked[i];
    if (j != i && (known & bit(j)) != 0) {
      known |= bit(i);
      if ((found & bit(j)) != 0) found |= bit(i);
      continue;
    }
    if ((known & bit(i)) != 0 || (asked & bit(i)) == 0) continue;
    known |= bit(i);
    if (mesh::winding_number(placed_, group.center(i)) != 0) found |= bit(i);
  }
  return found & asked;
}

std::uint32_t MeshSide::first_touching(const PlacedGroup& group, const BoundingSphere& ball, bool any,
                                       Cost& cost) const {
  std::uint32_t first = no_member;
  GroupWalk walk;
  if (!begin(walk, group, ball)) {
    for (std::uint32_t i = 0; i < group.count && first == no_member; ++i)
      if (mesh::touching_triangle(placed_, group.sphere(i), mesh::no_guess, cost)) first = i;
  } else {
    set_limits(walk, group, 0);
    walk.ball_limit = ball.radius * (1 + 0x1p-40) * frame_.scale;
    const auto visit = [&](GroupWalk& w, const NearSphere& near) {
      // The triangle is within the radius, either by the traversal's bounds or by the exact test.
      const double radius = group.radii[near.sphere];
      if (!(near.upper < radius * (1 - 0x1p-48) * frame_.scale)) {
        const convex::SimpleShape triangle = convex::simple_triangle(mesh::triangle_at(placed_, near.triangle));
        if (!convex::touches_simple_simple(triangle, group.sphere(near.sphere))) return;
      }
      first = near.sphere;
      w.wanted = any ? 0 : w.wanted & below(first);
    };
    walk_group(walk, cost, visit);
  }
  if (first != no_member && any) return first;
  // All spheres with lower indices are apart from the surface.
  const Members free = group.all() & below(first);
  static_assert(no_member == 64);  // as countr_zero says if there is none
  return std::min(first, static_cast<std::uint32_t>(std::countr_zero(inside(group, free, free))));
}

Members MeshSide::within(const PlacedGroup& group, const BoundingSphere& ball, double limit, Cost& cost) const {
  GroupWalk walk;
  if (!(limit < infinity) || !begin(walk, group, ball)) return group.all();
  set_limits(walk, group, limit);
  walk.ball_limit = (ball.radius + limit) * (1 + 0x1p-40) * frame_.scale;
  Members found = 0;
  const auto visit = [&](GroupWalk& w, const NearSphere& near) {
    found |= bit(near.sphere);
    w.wanted &= ~bit(near.sphere);
  };
  walk_group(walk, cost, visit);
  return found;
}

Members MeshSide::closest(const PlacedGroup& group, const BoundingSphere& ball, double& limit, Cost& cost) const {
  GroupWalk walk;
  if (!begin(walk, group, ball)) return group.all();
  // In the tree's unit: lower bound on the distance of each sphere from the surface, over the triangles visited.
  double lower[PlacedGroup::size];
  std::fill(lower, lower + group.count, infinity);
  const auto set = [&](GroupWalk& w) {
    set_limits(w, group, limit * (1 + 0x1p-40));
    w.ball_limit = (ball.radius + limit) * (1 + 0x1p-38) * frame_.scale;
    w.largest_limit = w.ball_limit;
  };
  const auto visit = [&](GroupWalk& w, const NearSphere& near) {
    lower[near.sphere] = std::min(lower[near.sphere], near.lower);
    const double world = near.upper / frame_.scale * (1 + 0x1p-52);
    const double radius = group.radii[near.sphere];
    const double apart = std::max(0.0, world - radius + 0x1p-52 * (world + radius));
    if (!(apart < limit)) return;
    limit = apart;
    set(w);
  };
  set(walk);
  // Start with a sphere that is likely to be near.
  const Vector3 middle = geometry::placed_point(placed_.pose, storage_of(placed_.mesh).center);
  const auto gap = [&](std::uint32_t i) { return (group.center(i) - middle).norm() - group.radii[i]; };
  const std::uint32_t promising = geometry::least_of(group.count, gap).number;
  walk.wanted = bit(promising);
  walk_group(walk, cost, visit);
  walk.wanted = group.all() & ~bit(promising);
  walk_group(walk, cost, visit);
  Members found = 0;
  for (std::uint32_t i = 0; i < group.count; ++i)
    if (lower[i] <= walk.limit[i]) found |= bit(i);
  return found;
}

}  // namespace whisker::spheres
