#pragma once

// The internal storage of a World: one member for each step of an update.

#include <cstdint>
#include <memory>
#include <vector>

#include <whisker/world.hpp>

#include "geometry/threads.hpp"
#include "queries/near_memory.hpp"
#include "shapes/lazily.hpp"
#include "world/body_table.hpp"
#include "world/pair_table.hpp"
#include "world/pair_tests.hpp"
#include "world/static_tree.hpp"
#include "world/touch_events.hpp"

namespace whisker {

namespace world {

/// A tree of the world's boxes for queries, built by the first query.
struct QueryTree {
  StaticTree tree;
  std::vector<std::uint32_t> unbounded;  ///< bodies with infinite boxes, ascending
};

/// What World::manifolds keeps from one call to the next.
struct ManifoldState {
  /// The points of a pair, a range of `points`.
  struct Entry {
    WorldPair pair;
    std::size_t first = 0;
    std::size_t count = 0;
    std::uint64_t next_id = 1;
  };
  /// The manifolds of some consecutive pairs.
  struct Part {
    std::vector<PairManifold> manifolds;  ///< the first `count`
    std::size_t count = 0;
    std::vector<Entry> entries;
    std::vector<ManifoldMemory::Point> points;
    std::vector<ContactManifold> found;  ///< of one pair
  };

  /// The triangles near a body, while the pair and its shapes are the same.
  struct Near {
    WorldPair pair;
    std::uint32_t version_a = 0, version_b = 0;  ///< of the shapes
    queries::NearMemory memory;
  };

  std::vector<Part> parts;
  std::vector<std::unique_ptr<Near>> near;  ///< by a pair's number of a cache; null where there is no use for it
  std::vector<PairManifold> manifolds;      ///< the result
  std::vector<Entry> entries;               ///< ascending
  std::vector<ManifoldMemory::Point> points;
};

}  // namespace world

struct World::Storage {
  explicit Storage(const WorldOptions& options) : threads(options.threads), bodies(options), pairs(options) {}

  int threads;
  world::BodyTable bodies;
  world::PairTable pairs;
  world::PairTests tests;
  world::TouchEvents events;
  world::ManifoldState manifolds;
  UpdateReport report;
  shapes::Lazily<world::QueryTree> tree;

  const world::QueryTree& query_tree() const;
  bool is_among(std::uint32_t slot, const WorldFilter& among) const {
    return (bodies.body[slot].layers & among.layers) != 0;
  }
  /// Calls look(slot, body) for bodies in the filter's layers, as StaticTree::visit_nearest does for boxes; those with
  /// infinite boxes come first.
  template <class Nearness, class Farthest, class Look>
  void visit_nearest(const WorldFilter& filter, const Nearness& nearness, const Farthest& farthest,
                     const Look& look) const;
  /// The bodies in the filter's layers whose boxes overlap this one, ascending.
  void find_overlapping(const Aabb& around, const WorldFilter& filter, std::vector<std::uint32_t>& found) const;
};

}  // namespace whisker
