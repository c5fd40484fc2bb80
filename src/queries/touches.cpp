// touches for two placed shapes, and is_supported.

#include "convex/hull_pair.hpp"
#include "queries/table.hpp"

namespace whisker {

namespace {

bool find_touch(const Placed& a, const Placed& b, PairCache* cache, Cost* given_cost) {
  Cost unused;
  Cost& cost = given_cost != nullptr ? *given_cost : unused;
  const auto *const hull_a = a.shape.as<ConvexHull>(), *const hull_b = b.shape.as<ConvexHull>();
  if (hull_a != nullptr && hull_b != nullptr) {
    // Nearly all pairs are answered without the table, including the check of their poses.
    const convex::HullContact contact = convex::find_hull_contact(*hull_a, a.pose, *hull_b, b.pose, cache, cost);
    if (contact != convex::HullContact::unknown) return contact == convex::HullContact::touching;
  }
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape.kind(), b.shape.kind());
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
  }
  return false;
}

}  // namespace whisker
