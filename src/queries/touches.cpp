#include "queries/table.hpp"

namespace whisker {

namespace {

bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost* cost) {
  const queries::PairAlgorithms& pair = queries::checked_algorithms(a, b);
  if (pair.touches == nullptr) queries::refuse("touches", a, b);
  Cost unused;
  return pair.touches(a, b, cache, cost != nullptr ? *cost : unused);
}

}  // namespace

bool touches(const Placed& a, const Placed& b, Cost* cost) {
  return touches(a, b, nullptr, cost);
}

bool touches(const Placed& a, const Placed& b, PairCache& cache, Cost* cost) {
  return touches(a, b, &cache, cost);
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
  }
  return false;
}

}  // namespace whisker
