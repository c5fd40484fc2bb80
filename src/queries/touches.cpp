// touches for two placed shapes, and is_supported.

#include "queries/table.hpp"

namespace whisker {

namespace {

bool find_touch(const Placed& a, const Placed& b, PairCache* cache, Cost* given_cost) {
  Cost unused;
  Cost& cost = given_cost != nullptr ? *given_cost : unused;
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.touches == nullptr) queries::refuse("touches", a, b);
  return pair.touches(a, b, cache, cost);
}

}  // namespace

bool touches(const Placed& a, const Placed& b, Cost* cost) {
  return find_touch(a, b, nullptr, cost);
}

bool touches(const Placed& a, const Placed& b, const TouchOptions& options, Cost* cost) {
  return find_touch(a, b, options.cache, cost);
}

bool is_supported(Question question, ShapeKind a, ShapeKind b) {
  const queries::PairAlgorithms& pair = queries::algorithms(a, b);
  switch (question) {
    case Question::touches:
      return pair.touches != nullptr;
    case Question::distance:
      return pair.distance != nullptr;
    case Question::depth:
      return pair.depth != nullptr;
    case Question::signed_distance:
      return pair.signed_distance != nullptr;
  }
  return false;
}

}  // namespace whisker
