// World::manifolds: the contact manifolds of all pairs, with names that last.

#include <algorithm>
#include <tbb/parallel_for.h>

#include <whisker/error.hpp>

#include "queries/manifold_places.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/table.hpp"
#include "shapes/kind_traits.hpp"
#include "world/world_storage.hpp"

namespace whisker {
namespace {

using world::ManifoldState;
using world::PairRecord;

/// How many pairs one thread takes at a time.
constexpr std::size_t pairs_at_a_time = 32;

/// What the last call found, from a pair on: both the entries and the pairs are in order.
class Earlier {
 public:
  Earlier(std::span<const ManifoldState::Entry> entries, const WorldPair& first)
      : next_(std::ranges::lower_bound(entries, first, {}, &ManifoldState::Entry::pair)), end_(entries.end()) {}

  /// The entry of a pair that is not before the last one that was asked for; null if there is none.
  const ManifoldState::Entry* find(const WorldPair& pair) {
    while (next_ != end_ && next_->pair < pair)
      ++next_;
    return next_ != end_ && next_->pair == pair ? &*next_ : nullptr;
  }

 private:
  std::span<const ManifoldState::Entry>::iterator next_, end_;
};

/// The memory of a pair, new if it was another's or a body has another shape now.
queries::NearMemory& near_memory(std::unique_ptr<ManifoldState::Near>& near, const world::BodyTable& bodies,
                                 PairKey key) {
  const std::uint32_t a = first_of(key), b = second_of(key);
  const WorldPair pair = bodies.pair_of(key);
  if (near == nullptr) near = std::make_unique<ManifoldState::Near>();
  if (near->pair != pair || near->version_a != bodies.shape_version[a] || near->version_b != bodies.shape_version[b])
    *near = {pair, bodies.shape_version[a], bodies.shape_version[b], {}};
  return near->memory;
}

/// Copies a manifold, but of its points only those that there are: there is room for many, and most places have few.
void copy_used(const WorldPair& pair, const ContactManifold& from, PairManifold& to) {
  to.pair = pair;
  ContactManifold& manifold = to.manifold;
  manifold.normal = from.normal;
  manifold.count = from.count;
  std::copy_n(from.storage.begin(), from.count, manifold.storage.begin());
  manifold.lower = from.lower;
  manifold.upper = from.upper;
  manifold.feature_a = from.feature_a;
  manifold.feature_b = from.feature_b;
  manifold.cost = from.cost;
}

/// Appends the items of all parts to `all`, in parallel. `items_of(part)` is a vector of the part.
template <class Item, class ItemsOf>
void join_parts(std::span<ManifoldState::Part> parts, std::vector<Item>& all, const ItemsOf& items_of) {
  std::vector<std::size_t> first(parts.size() + 1, 0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    first[i + 1] = first[i] + items_of(parts[i]).size();
  all.resize(first.back());
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
    const auto& items = items_of(parts[i]);
    std::copy(items.begin(), items.end(), all.begin() + static_cast<std::ptrdiff_t>(first[i]));
  });
}

void join_manifolds(std::span<ManifoldState::Part> parts, std::vector<PairManifold>& all) {
  std::vector<std::size_t> first(parts.size() + 1, 0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    first[i + 1] = first[i] + parts[i].count;
  all.resize(first.back());
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
    for (std::size_t k = 0; k < parts[i].count; ++k)
      copy_used(parts[i].manifolds[k].pair, parts[i].manifolds[k].manifold, all[first[i] + k]);
  });
}

}  // namespace

std::span<const PairManifold> World::manifolds(const ManifoldOptions& options) {
  queries::check_options(options);
  if (options.cache != nullptr || options.memory != nullptr)
    throw Error("world: manifolds: the options must have no cache and no memory; the world keeps its own");
  Storage& s = *storage_;
  ManifoldState& state = s.manifolds;
  std::vector<PairRecord>& records = s.pairs.records;
  for (PairRecord& record : records) {
    const std::uint32_t a = first_of(record.key), b = second_of(record.key);
    if (record.is_refused || record.cache != PairRecord::no_cache || (s.bodies.is_box[a] | s.bodies.is_box[b]) != 0)
      continue;
    const shapes::KindTraits& x = shapes::traits_of(s.bodies.shape[a]);
    const shapes::KindTraits& y = shapes::traits_of(s.bodies.shape[b]);
    const bool is_convex = x.is_convex && y.is_convex && (x.has_cache || y.has_cache);
    if (is_convex || queries::uses_near_memory(queries::algorithms(s.bodies.shape[a], s.bodies.shape[b]).manifolds))
      s.pairs.give_cache(record);
  }
  state.near.resize(std::max(state.near.size(), s.pairs.caches.size()));

  const std::size_t part_count = (records.size() + pairs_at_a_time - 1) / pairs_at_a_time;
  if (state.parts.size() < part_count) state.parts.resize(part_count);
  const std::span<ManifoldState::Part> parts = std::span(state.parts).first(part_count);
  with_threads("world", s.threads, [&] {
    tbb::parallel_for(std::size_t{0}, part_count, [&](std::size_t n) {
      ManifoldState::Part& part = parts[n];
      part.count = 0;
      part.entries.clear();
      part.points.clear();
      const std::size_t begin = n * pairs_at_a_time, end = std::min(records.size(), begin + pairs_at_a_time);
      Earlier earlier(state.entries, s.bodies.pair_of(records[begin].key));
      for (std::size_t i = begin; i < end; ++i) {
        const PairRecord& record = records[i];
        if (record.is_refused) continue;
        const std::uint32_t slot_a = first_of(record.key), slot_b = second_of(record.key);
        const world::BodyTable::Body body_a = s.bodies.body_of(slot_a), body_b = s.bodies.body_of(slot_b);
        const Placed& a = body_a;
        const Placed& b = body_b;
        const auto find = queries::algorithms(a.shape, b.shape).manifolds;
        if (find == nullptr) queries::refuse("contact_manifolds", a, b);
        ManifoldOptions asked = options;
        if (record.cache != PairRecord::no_cache) asked.cache = &s.pairs.caches[record.cache];
        part.found.clear();
        if (record.cache != PairRecord::no_cache && queries::uses_near_memory(find)) {
          queries::NearMemory& near = near_memory(state.near[record.cache], s.bodies, record.key);
          queries::find_manifolds_near(a, b, options, near, part.found);
        } else {
          find(a, b, asked, part.found);
        }
        if (part.found.empty()) continue;
        const WorldPair pair = s.bodies.pair_of(record.key);
        const ManifoldState::Entry* const last = earlier.find(pair);
        std::span<const ManifoldMemory::Point> before;
        ManifoldState::Entry& entry = part.entries.emplace_back(ManifoldState::Entry{.pair = pair});
        if (last != nullptr) {
          before = std::span(state.points).subspan(last->first, last->count);
          entry.next_id = last->next_id;
        }
        entry.first = part.points.size();
        queries::keep_names(part.found, a.pose, b.pose, queries::name_reach(a.shape, b.shape), before, entry.next_id,
                            part.points);
        entry.count = part.points.size() - entry.first;
        if (part.manifolds.size() < part.count + part.found.size())
          part.manifolds.resize(2 * part.count + part.found.size());
        for (const ContactManifold& manifold : part.found)
          copy_used(pair, manifold, part.manifolds[part.count++]);
      }
    });
    std::size_t before = 0;
    for (ManifoldState::Part& part : parts) {
      for (ManifoldState::Entry& entry : part.entries)
        entry.first += before;
      before += part.points.size();
    }
    join_manifolds(parts, state.manifolds);
    join_parts(
        parts, state.entries, [](ManifoldState::Part & part) -> auto& { return part.entries; });
    join_parts(
        parts, state.points, [](ManifoldState::Part & part) -> auto& { return part.points; });
  });
  return state.manifolds;
}

}  // namespace whisker
