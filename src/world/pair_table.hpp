#pragma once

// The pairs of a World's bodies and the second step of an update: the broad phase, whose pairs are merged with those of
// the previous update.

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include <whisker/world.hpp>

#include "world/body_table.hpp"

namespace whisker::world {

/// A pair whose boxes overlap.
struct PairRecord {
  static constexpr std::uint32_t no_cache = 0xFFFFFFFF;

  PairKey key = 0;
  std::uint32_t cache = no_cache;
  bool is_refused : 1 = false;  ///< by the user's filter
  bool is_new : 1 = false;      ///< it had not been tested before this update
  bool was_touching : 1 = false;
  bool is_touching = false;
  /// The number of updates in a row in which the pair was due but not tested, at most 65535. 0: its state is known. (So
  /// the longest waiting pairs can be told apart as long as an update tests more than one in 16,000 pairs.)
  std::uint16_t waited = 0;
  static constexpr std::uint16_t longest_wait = 0xFFFF;

  bool is_open() const { return waited != 0; }
};
static_assert(sizeof(PairRecord) == 16);

/// Whether two bodies with these options may form a pair.
inline bool let_meet(const BodyOptions& a, const BodyOptions& b) {
  return (a.layers & b.meets) != 0 && (b.layers & a.meets) != 0 && !(a.is_static && b.is_static);
}

struct PairTable {
  explicit PairTable(const WorldOptions& options);

  std::unique_ptr<BroadPhase> broad_phase;
  bool is_users_broad_phase;

  using Filter = std::function<bool(BodyId, BodyId)>;
  Filter filter;                      ///< the one of the last update
  std::optional<Filter> next_filter;  ///< set since then
  bool filter_is_new = false;
  std::exception_ptr filter_error;  ///< the first one thrown by the filter in this update
  std::unordered_set<PairKey> switched_off, next_switched_off;
  std::vector<PairKey> switched;  ///< pairs that were switched on or off since the last update

  std::vector<PairRecord> records;     ///< ascending
  std::vector<std::uint32_t> to_test;  ///< indices of records, ascending
  std::vector<PairKey> ended;          ///< pairs that touched and are no longer pairs
  std::deque<PairCache> caches;

  /// Whether two bodies may form a pair, ignoring the user's filter.
  bool may_meet(const BodyTable& bodies, std::uint32_t a, std::uint32_t b) const {
    return let_meet(bodies.body[a], bodies.body[b]) && (switched_off.empty() || !switched_off.contains(pair_key(a, b)));
  }
  /// The same, including the filter.
  bool is_pair(const BodyTable& bodies, std::uint32_t a, std::uint32_t b) const;
  void give_cache(PairRecord& record);

  /// To be called when an update begins.
  void take_filter();
  /// The second step of an update. If the broad phase throws, the changes are pending again.
  void find(BodyTable& bodies);
  /// To be called when an update ends: forgets the switches of removed bodies.
  void forget_removed(const BodyTable& bodies);

 private:
  void merge(const BodyTable& bodies);

  std::vector<PairKey> found_;  ///< by the broad phase
  std::vector<PairRecord> next_records_;
  std::vector<std::uint32_t> free_caches_;
};

}  // namespace whisker::world
