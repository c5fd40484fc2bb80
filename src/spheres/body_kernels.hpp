#pragma once

// The spheres of a body in world coordinates, eight at a time: transformed when first needed, and tested.
//
// Compiled once per instruction set, therefore only plain structs.

#include <cstddef>
#include <cstdint>

namespace whisker {
class Pose;
class SphereBody;
}  // namespace whisker

namespace whisker::spheres {

/// A body in a pose. Spheres are identified by their indices. The arrays of coordinates, radii and heights have
/// SphereBodyStorage::lane_padding more elements than there are spheres.
struct PlacedNodes {
  const SphereBody* body;
  const Pose* pose;
  // In the body's frame (SphereBodyStorage).
  const double *x, *y, *z;
  const double* radius;
  const double* height;
  const std::uint32_t* first_child;
  const std::uint32_t* child_count;
  // Centers in world coordinates, as place() computes them. Filled only where they have been requested.
  double *world_x, *world_y, *world_z;
  /// The world coordinates of a node's children are valid if the node's stamp equals `step`.
  std::uint32_t* stamp;
  std::uint32_t step;
  double rotation[9] = {};  ///< row by row
  double translation[3] = {};
  /// Upper bound on how far the solid in the world may exceed what a radius or a height states, rounding included.
  double slack = 0;

  bool has_placed_children(std::uint32_t node) const { return stamp[node] == step; }
  /// The operations that testing the children of a node takes: two to transform each child that has no world
  /// coordinates yet, one for each test.
  std::uint64_t operations(std::uint32_t node) const {
    return std::uint64_t{child_count[node]} * (has_placed_children(node) ? 1 : 3);
  }
};

/// Two spheres that overlap, or have not been proven disjoint.
struct FrontEntry {
  std::uint32_t pair;  ///< of bodies
  std::uint32_t a, b;  ///< spheres
};

struct FrontPair {
  std::uint32_t body_a, body_b;
  std::uint32_t open = 0;      ///< entries still to be opened
  std::uint32_t resolved = 0;  ///< entries of two leaves
};

/// Entries to be opened, and the arrays to which the resulting entries are appended.
struct FrontWork {
  PlacedNodes* bodies = nullptr;
  FrontPair* pairs = nullptr;
  const FrontEntry* entries = nullptr;
  std::size_t entry_count = 0;
  FrontEntry* next = nullptr;  ///< must have room for 64 more per entry
  std::size_t next_count = 0;
  FrontEntry* resolved = nullptr;  ///< must have room for 64 more per entry
  std::size_t resolved_count = 0;
  std::uint32_t* emptied = nullptr;  ///< pairs left without overlapping spheres; must have room for one per entry
  std::size_t emptied_count = 0;
  std::uint64_t operations = 0;  ///< remaining
  std::uint64_t updates = 0;
  std::uint64_t tests = 0;
};

/// Whether to open a: the larger sphere is opened, but never a leaf.
inline bool opens_a(const PlacedNodes& a, std::uint32_t i, const PlacedNodes& b, std::uint32_t j) {
  return a.child_count[i] != 0 && (b.child_count[j] == 0 || a.radius[i] >= b.radius[j]);
}

/// Opens entries in order, testing the larger sphere's children against the other sphere, until an entry would take
/// more operations than remain. Returns the number of entries opened.
std::size_t open_front(FrontWork& work);

/// Transforms the children of a node to world coordinates, unless that is done already. Returns how many were
/// transformed.
std::uint32_t place_children(PlacedNodes& nodes, std::uint32_t node);

/// Computes, for each child of a node with placed children, a lower bound on its distance from the sphere `beside` of
/// the other body, and an upper bound on the distance of the two solids. Neither bound is clamped at 0. The arrays need
/// room for the child count rounded up to a multiple of eight.
void measure_children(const PlacedNodes& nodes, std::uint32_t node, const PlacedNodes& other, std::uint32_t beside,
                      double* gaps, double* uppers);

}  // namespace whisker::spheres
