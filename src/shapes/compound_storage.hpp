#pragma once

// What a Compound shares between its copies.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/compound.hpp>
#include <whisker/shape.hpp>

#include "shapes/internals.hpp"
#include "shapes/lazily.hpp"
#include "trees/box_tree.hpp"

namespace whisker {

struct Compound::Storage {
  std::vector<CompoundPart> parts;
  Aabb bounds;

  /// The number of each part: of a nested compound that of its first one.
  std::vector<std::uint32_t> first_number;
  std::uint32_t part_count = 0;  // through nested compounds
  std::size_t nesting = 1;       // 1 for a compound of plain shapes
  /// Bit k: a part, also of a nested compound, has ShapeKind k. Compounds themselves do not count.
  std::uint32_t kinds = 0;
  bool has_surface_mesh = false;  // a mesh that is not solid is among them

  /// Boxes of the bounded parts in the compound's frame, and the parts that the tree's items stand for.
  trees::BoxTree tree;
  std::vector<std::uint32_t> bounded;
  std::vector<std::uint32_t> unbounded;
  /// No bounded part, at whatever depth of nesting, has a point farther from the origin, nor one farther from the
  /// origin of its own frame plus all translations above it: what roundings of placing are measured by.
  double reach = 0;
  bool is_unbounded = false;  // a part is, at whatever depth

  // Found when first asked for, once for all places in which a nested compound stands: compounds that are nested by
  // doubling have more parts than can be looked at one by one.
  shapes::Lazily<double> volume;
  shapes::Lazily<Vector3> centroid;
};

using CompoundStorage = StorageOf<Compound>;

}  // namespace whisker
