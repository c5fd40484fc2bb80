#pragma once

// The shapes that a shape consists of: itself or, for a compound, its parts and the parts of the compounds among them,
// in the order in which Feature::part numbers them.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <whisker/shape.hpp>

#include "shapes/compound_storage.hpp"
#include "shapes/internals.hpp"

namespace whisker::queries {

/// Calls `visit(shape)` for each of them.
template <class Visit>
void each_leaf(const Shape& shape, const Visit& visit) {
  const Compound* const compound = shape.as<Compound>();
  if (compound == nullptr) return visit(shape);
  for (const CompoundPart& part : compound->parts())
    each_leaf(part.shape, visit);
}

/// Whether `fits(kind)` holds for the kinds of all of them. Does not visit them.
template <class Fits>
bool all_leaf_kinds(const Shape& shape, const Fits& fits) {
  for (std::uint32_t rest = kinds_of(shape); rest != 0; rest &= rest - 1)
    if (!fits(static_cast<ShapeKind>(std::countr_zero(rest)))) return false;
  return true;
}

/// The one of them that has a number, placed.
struct Leaf {
  const Shape& shape;
  Pose pose;
};
inline Leaf leaf_at(const Shape& shape, const Pose& pose, std::uint32_t number) {
  const Compound* const compound = shape.as<Compound>();
  if (compound == nullptr) return {shape, pose};
  const std::vector<std::uint32_t>& numbers = storage_of(*compound).first_number;
  const auto next = std::upper_bound(numbers.begin(), numbers.end(), number);
  const auto index = static_cast<std::size_t>(next - numbers.begin()) - 1;
  const CompoundPart& part = compound->parts()[index];
  return leaf_at(part.shape, compose(pose, part.pose), number - numbers[index]);
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
