#pragma once

// The spheres of a body in the world, eight at a time: brought there when first asked for, and tested.
//
// Compiled once per instruction set; plain structs alone.

#include <cstddef>
#include <cstdint>

namespace whisker::spheres {

/// Rows of numbers that kernels read or write have so many more than there are spheres.
inline constexpr std::size_t lane_padding = 8;

/// A body in a pose. Spheres are known by their numbers.
struct PlacedNodes {
  // In the body's frame (SphereBodyStorage).
  const double *x, *y, *z;
  const double* radius;
  const double* height;
  const std::uint32_t* first_child;
  const std::uint32_t* child_count;
  // Centers in the world, as place() gives them, where they were asked for.
  double *world_x, *world_y, *world_z;
  /// The children of a node are in the world if its stamp is `step`.
  std::uint32_t* stamp;
  std::uint32_t step;
  double rotation[9];  ///< row by row
  double translation[3];
  /// How much less than its radius, or its height, says the world's solid may be off, rounding included.
  double slack;

  bool has_placed_children(std::uint32_t node) const { return stamp[node] == step; }
  /// What it takes to look at the children of a node: two for each that has to be brought to the world, one for its
  /// test.
  std::uint64_t operations(std::uint32_t node) const {
    return std::uint64_t{child_count[node]} * (has_placed_children(node) ? 1 : 3);
  }
};

/// Two spheres that overlap, or are not known not to.
struct FrontEntry {
  std::uint32_t pair;  ///< of bodies
  std::uint32_t a, b;  ///< spheres
};

struct FrontPair {
  std::uint32_t body_a, body_b;
  std::uint32_t open = 0;      ///< entries that are still to be opened
  std::uint32_t resolved = 0;  ///< entries of two leaves
};

/// Entries to be opened, and where to put what comes of them.
struct FrontWork {
  PlacedNodes* bodies;
  FrontPair* pairs;
  const FrontEntry* entries;
  std::size_t entry_count;
  FrontEntry* next;  ///< room for 64 from each entry
  std::size_t next_count = 0;
  FrontEntry* resolved;  ///< as much
  std::size_t resolved_count = 0;
  std::uint32_t* emptied;  ///< pairs of which nothing overlaps any more; room for one from each entry
  std::size_t emptied_count = 0;
  std::uint64_t operations;  ///< that are left
  std::uint64_t updates = 0;
  std::uint64_t tests = 0;
};

/// Which of the two is opened: the larger, a leaf never.
inline bool opens_a(const PlacedNodes& a, std::uint32_t i, const PlacedNodes& b, std::uint32_t j) {
  return a.child_count[i] != 0 && (b.child_count[j] == 0 || a.radius[i] >= b.radius[j]);
}

/// Opens entries in order, until one would take more operations than are left: the larger sphere's children against the
/// other sphere. Returns how many were opened.
std::size_t open_front(FrontWork& work);

/// Brings the children of a node to the world, if they are not there yet. Returns how many were brought.
std::uint32_t place_children(PlacedNodes& nodes, std::uint32_t node);

/// A ball in the world that children are measured against.
struct MeasuredBall {
  double center[3];
  double radius;
  double height;
  double slack;
};

/// For each child of a node, which is in the world, a lower bound of its distance from the ball, and an upper bound of
/// that of the two solids; neither cut at 0. Room for the next multiple of eight.
void measure_children(const PlacedNodes& nodes, std::uint32_t node, const MeasuredBall& ball, double* gaps,
                      double* uppers);

}  // namespace whisker::spheres
