#pragma once

// The signed distance of a pair, from its distance and its depth.

#include <whisker/queries.hpp>

#include "queries/witness.hpp"

namespace whisker::queries {

/// Completes the distance of two shapes that are not proven apart by their depth, whose points lie on these features.
/// `distance` is the function that computed it.
void join_depth(const Placed& a, const Placed& b, DistanceOf distance, const Depth& deep, const Features& on,
                Distance& result);

/// Whether a cache remembers that the pair overlapped.
bool did_overlap(const PairCache* cache);

/// The signed distance for any pair: asks for the distance and, if the shapes are not apart, for the depth. If they
/// overlapped the last time, asks for the depth first. `depth(options, features)` has the features on which the points
/// lie.
template <class DepthOn>
Distance signed_by_both(const Placed& a, const Placed& b, const SignedDistanceOptions& options, DistanceOf distance,
                        const DepthOn& depth);

namespace detail {
void remember_overlap(PairCache* cache, bool overlaps);
}

template <class DepthOn>
Distance signed_by_both(const Placed& a, const Placed& b, const SignedDistanceOptions& options, DistanceOf distance,
                        const DepthOn& depth) {
  Depth deep;
  Features on;
  Distance result;
  const auto ask_depth = [&] {
    const std::uint64_t spent = result.cost.volume_tests + result.cost.primitive_tests;
    deep = depth(DepthOptions{.tolerance = options.tolerance,
                              .budget = spent < options.budget ? options.budget - spent : 0,
                              .cache = options.cache},
                 on);
  };
  const bool is_depth_first = did_overlap(options.cache);
  if (is_depth_first) ask_depth();
  if (!(deep.lower > 0)) {
    result = distance(a, b,
                      {.tolerance = options.tolerance,
                       .upper_bound = options.upper_bound,
                       .budget = options.budget,
                       .cache = options.cache});
    if (result.lower > 0) {
      result.cost += deep.cost;
      detail::remember_overlap(options.cache, false);
      return result;
    }
    if (!is_depth_first) ask_depth();
  }
  join_depth(a, b, distance, deep, on, result);
  detail::remember_overlap(options.cache, deep.lower > 0);
  return result;
}

}  // namespace whisker::queries
