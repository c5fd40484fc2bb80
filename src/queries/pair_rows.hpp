#pragma once

// How an algorithm for a pair of kinds becomes rows of the table. An algorithm is a struct with static functions that
// have the names and signatures of PairAlgorithms; those that it lacks stay null, except that the questions about
// moving shapes follow from `distance`, signed distances from `distance` and `depth`, and the rows of the exchanged
// pair from the pair's own.

#include <utility>

#include "convex/exchange.hpp"
#include "queries/first_contact.hpp"
#include "queries/signed_distance.hpp"
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

template <class Pair>
concept HasSigned = requires(const Placed& a, const SignedDistanceOptions& options) {
  Pair::signed_distance(a, a, options);
};
/// `depth` with the features on which its points lie.
template <class Pair>
concept HasDepthOn = requires(const Placed& a, const DepthOptions& options, Features* on) {
  Pair::depth_on(a, a, options, on);
};

/// `signed_distance` for a pair that has a depth.
template <class Pair>
Distance signed_distance_of(const Placed& a, const Placed& b, const SignedDistanceOptions& options) {
  if constexpr (HasSigned<Pair>) {
    return Pair::signed_distance(a, b, options);
  } else {
    return signed_by_both(a, b, options, &Pair::distance, [&](const DepthOptions& asked, Features& on) {
      if constexpr (HasDepthOn<Pair>) {
        return Pair::depth_on(a, b, asked, &on);
      } else {
        return Pair::depth(a, b, asked);
      }
    });
  }
}

/// `contacts` for two shapes that are each a single feature.
template <class Pair>
void contact_of_single_features(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  const bool is_touching = Pair::touches(a, b, nullptr, result.cost);
  if (!is_touching) {
    if (!(options.margin > 0)) return;
    const Distance apart = Pair::distance(a, b, {.upper_bound = options.margin});
    result.cost += apart.cost;
    if (apart.lower > options.margin) return;
  }
  if (result.pairs.size() >= options.max_count) {
    result.stop = Stop::count;
    return;
  }
  Contact contact;
  if (options.segments && is_touching) {
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
  static Distance signed_distance(const Placed& a, const Placed& b,
                                  const SignedDistanceOptions& options) requires HasDepth<Pair> {
    const SwappedCache exchanged(options.cache);
    Distance result = signed_distance_of<Pair>(b, a, options);
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
  if constexpr (HasDepth<Pair>) {
    rows.depth = &Pair::depth;
    rows.signed_distance = &signed_distance_of<Pair>;
  }
  return rows;
}

/// Adds the rows of a registered kind and another kind, in both orders.
template <class Pair>
void register_pair(ShapeKind a, ShapeKind b) {
  set_algorithms(a, b, rows_of<Pair>());
  if (a != b) set_algorithms(b, a, rows_of<Flipped<Pair>>());
}

}  // namespace whisker::queries
