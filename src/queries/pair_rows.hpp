#pragma once

// How an algorithm for a pair of kinds becomes rows of the table. An algorithm is a struct with static functions that
// have the names and signatures of PairAlgorithms; those that it lacks stay null, except that the questions about
// moving shapes follow from `distance`, and the rows of the exchanged pair from the pair's own.

#include <utility>

#include "convex/exchange.hpp"
#include "queries/first_contact.hpp"
#include "queries/table.hpp"

namespace whisker::queries {

template <class Pair>
concept HasContacts = requires(const Placed& a, const ContactOptions& options, Contacts& result) {
  Pair::contacts(a, a, options, result);
};
template <class Pair>
concept HasDepth = requires(const Placed& a, const DepthOptions& options) {
  Pair::depth(a, a, options);
};

/// `contacts` for two shapes that are each a single feature.
template <class Pair>
void contact_of_single_features(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  if (!Pair::touches(a, b, nullptr, result.cost)) return;
  if (result.pairs.size() >= options.max_count) {
    result.stop = Stop::count;
    return;
  }
  Contact contact;
  if (options.segments) {
    const Distance found = Pair::distance(a, b, {});
    contact.segment = {found.point_a, found.point_a};
  }
  result.pairs.push_back(contact);
}

/// The cache with the two shapes exchanged, for the lifetime of this object.
class SwappedCache {
 public:
  explicit SwappedCache(PairCache* cache) : cache_(cache) {
    if (cache_ != nullptr) cache_->exchange();
  }
  ~SwappedCache() {
    if (cache_ != nullptr) cache_->exchange();
  }
  SwappedCache(const SwappedCache&) = delete;
  SwappedCache& operator=(const SwappedCache&) = delete;

 private:
  PairCache* cache_;
};

/// The same with the two shapes exchanged.
template <class Pair>
struct Flipped {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    const SwappedCache exchanged(cache);
    return Pair::touches(b, a, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options,
                       Contacts& result) requires HasContacts<Pair> {
    const std::size_t begin = result.pairs.size();
    Pair::contacts(b, a, options, result);
    for (std::size_t i = begin; i < result.pairs.size(); ++i)
      std::swap(result.pairs[i].a, result.pairs[i].b);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    const SwappedCache exchanged(options.cache);
    Distance result = Pair::distance(b, a, options);
    exchange(result);
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) requires HasDepth<Pair> {
    const SwappedCache exchanged(options.cache);
    DepthOptions flipped = options;
    flipped.hint = -options.hint;
    Depth result = Pair::depth(b, a, flipped);
    exchange(result);
    return result;
  }
};

/// The rows of an algorithm.
template <class Pair>
constexpr PairAlgorithms rows_of() {
  PairAlgorithms rows;
  rows.touches = &Pair::touches;
  rows.distance = &Pair::distance;
  rows.first_contact = &advance_to_contact;
  rows.touches_during = &touches_by_first_contact<&advance_to_contact>;
  if constexpr (HasContacts<Pair>) rows.contacts = &Pair::contacts;
  if constexpr (HasDepth<Pair>) rows.depth = &Pair::depth;
  return rows;
}

/// Adds the rows of a registered kind and another kind, in both orders.
template <class Pair>
void register_pair(ShapeKind a, ShapeKind b) {
  set_algorithms(a, b, rows_of<Pair>());
  if (a != b) set_algorithms(b, a, rows_of<Flipped<Pair>>());
}

}  // namespace whisker::queries
