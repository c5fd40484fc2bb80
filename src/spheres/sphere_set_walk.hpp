#pragma once

// All spheres of a group down the tree of a mesh at once: eight boxes a step, each against all spheres that came so
// far.
//
// Compiled once per instruction set; plain structs alone.

#include <cstddef>
#include <cstdint>

#include <whisker/result.hpp>

#include "geometry/constants.hpp"
#include "trees/oriented_tree.hpp"

namespace whisker::spheres {

/// What goes down. Lengths are in the tree's unit, centers in the mesh's frame (mesh/tree_frame.hpp).
struct GroupWalk {
  const trees::OrientedTree* tree = nullptr;
  std::size_t count = 0;  ///< what follows has numbers up to the next multiple of 8, which are not looked at
  alignas(64) double x[64], y[64], z[64];
  /// A triangle that is farther than this from the sphere's center is of no interest to the sphere.
  alignas(64) double limit[64];
  /// No limit is larger; may be lowered with them, and only saves work.
  double largest_limit = infinity;
  /// Bit i: sphere i still asks.
  std::uint64_t wanted = 0;
  double error = 0;    ///< as of mesh::NearQuery
  double stretch = 1;  ///< as of mesh::NearQuery
  /// A ball about all spheres, its center in the mesh's frame: what is farther from its center than this is of no
  /// interest to any of them.
  double ball[3] = {};
  double ball_limit = 0;
};

/// A triangle that may be within the limit of a sphere.
struct NearSphere {
  std::uint32_t sphere;    ///< its number in the group
  std::uint32_t triangle;  ///< its number in the mesh
  double lower;            ///< The center is at least so far from it…
  double upper;            ///< …and at most so far.
};

/// What to do with it: may lower limits, and take bits from `wanted`.
struct GroupVisit {
  void (*call)(void* self, GroupWalk& walk, const NearSphere& near);
  void* self;
};

/// No coordinate, error or radius of the tree may be beyond this: floats must hold their squares.
inline constexpr double longest_walk = 0x1p50;

/// Visits, for each sphere that is wanted, every triangle but those that are proven farther from its center than its
/// limit, each once. The same order and bounds on every instruction set.
void walk_group(GroupWalk& walk, Cost& cost, const GroupVisit& visit);

/// The same for a visitor `visit(walk, near)`.
template <class Visit>
void walk_group(GroupWalk& walk, Cost& cost, Visit& visit) {
  walk_group(walk, cost,
             GroupVisit{[](void* self, GroupWalk& w, const NearSphere& near) { (*static_cast<Visit*>(self))(w, near); },
                        &visit});
}

}  // namespace whisker::spheres
