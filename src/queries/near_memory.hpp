#pragma once

// The triangles of a surface near a convex shape, kept from one query to the next: as long as the shape has moved
// little, no other triangle can have come near.

#include <cstdint>
#include <vector>

#include <whisker/contact_manifold.hpp>

#include "queries/table.hpp"

namespace whisker::queries {

/// For one pair of shapes.
struct NearMemory {
  /// All triangles except some that were farther than `limit` from the shape, at these poses. Ascending.
  std::vector<std::uint32_t> numbers;
  Pose shape, surface;
  double limit = -1;       ///< negative: nothing is known
  std::uint32_t uses = 0;  ///< how many queries since then used them

  /// How far a point of the shape, which is no farther than `reach` from its origin, may have moved relative to the
  /// surface; infinite if the surface itself has moved. `rounding` is that of placed points.
  double moved(const Pose& shape_now, const Pose& surface_now, double reach, double rounding) const;
  /// By how much more than asked for to look around, given how far the shape moved since the last time.
  double choose_skin(double moved, double reach) const;
};

/// Whether the row for manifolds can use a memory.
bool uses_near_memory(decltype(PairAlgorithms::manifolds) row);

/// Does what the row does, with a memory.
void find_manifolds_near(const Placed& a, const Placed& b, const ManifoldOptions& options, NearMemory& memory,
                         std::vector<ContactManifold>& manifolds);

}  // namespace whisker::queries
