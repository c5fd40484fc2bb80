#pragma once

// The shapes that a shape consists of: itself or, for a compound, its parts and the parts of the compounds among them,
// in the order in which Feature::part numbers them.

#include <algorithm>

#include <whisker/shape.hpp>

namespace whisker::queries {

/// Calls `visit(shape)` for each of them.
template <class Visit>
void each_leaf(const Shape& shape, const Visit& visit) {
  const Compound* const compound = shape.as<Compound>();
  if (compound == nullptr) return visit(shape);
  for (const CompoundPart& part : compound->parts())
    each_leaf(part.shape, visit);
}

/// Calls `visit(shape, pose)` for each of them, placed, until it returns true. Returns whether it did.
template <class Visit>
bool any_leaf(const Shape& shape, const Pose& pose, const Visit& visit) {
  const Compound* const compound = shape.as<Compound>();
  if (compound == nullptr) return visit(shape, pose);
  return std::any_of(compound->parts().begin(), compound->parts().end(),
                     [&](const CompoundPart& part) { return any_leaf(part.shape, compose(pose, part.pose), visit); });
}

}  // namespace whisker::queries
