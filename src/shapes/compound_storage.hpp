#pragma once

// The data that copies of a Compound share.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/compound.hpp>
#include <whisker/shape.hpp>

#include "shapes/internals.hpp"
#include "shapes/lazily.hpp"
#include "shapes/mass_body.hpp"
#include "trees/box_tree.hpp"

namespace whisker {

/// A ball around a bounded shape.
struct PartBall {
  Vector3 center = Vector3::Zero();
  double radius = 0;
};

/// In the shape's own frame.
PartBall ball_of_shape(const Shape& shape);

struct Compound::Storage {
  std::vector<CompoundPart> parts;
  Aabb bounds;

  /// The number of each part. For a nested compound, the number of its first part.
  std::vector<std::uint32_t> first_number;
  std::uint32_t part_count = 0;  // counting the parts of nested compounds
  std::size_t nesting = 1;       // 1 for a compound of plain shapes
  /// Bit k: some part, possibly of a nested compound, has ShapeKind k. Compounds themselves do not count.
  std::uint32_t kinds = 0;
  bool has_surface_mesh = false;  // some part is a mesh that is not solid

  /// The boxes of the bounded parts in the compound's frame, and the part that each item of the tree represents.
  trees::BoxTree tree;
  std::vector<std::uint32_t> bounded;
  std::vector<PartBall> balls;  // around the bounded parts, in the compound's frame
  std::vector<std::uint32_t> unbounded;
  /// Upper bound, over all bounded parts at any depth of nesting, on the distance of their points from the origin, and
  /// on the distance from the origin of their own frame plus all translations above it. Rounding errors of placing
  /// parts are proportional to this.
  double reach = 0;
  bool is_unbounded = false;  // some part is unbounded, at any depth

  // Computed when first needed, and only once for all occurrences of a nested compound: compounds nested by doubling
  // have too many parts to visit one by one.
  shapes::Lazily<double> volume;
  shapes::Lazily<Vector3> centroid;
  shapes::Lazily<shapes::MassBody> mass;
};

using CompoundStorage = StorageOf<Compound>;

/// The placed box of a compound with more parts, counted through nested ones, is computed from its own box, without
/// visiting them.
inline constexpr std::uint32_t max_single_parts = 4096;

/// The same `kinds` and `has_surface_mesh` for any shape: one that is not a compound is its only part.
inline std::uint32_t kinds_of(const Shape& shape) {
  if (const auto* compound = shape.as<Compound>()) return storage_of(*compound).kinds;
  return 1u << static_cast<unsigned>(shape.kind());
}
inline bool has_surface_mesh(const Shape& shape) {
  if (const auto* compound = shape.as<Compound>()) return storage_of(*compound).has_surface_mesh;
  const auto* mesh = shape.as<Mesh>();
  return mesh != nullptr && !mesh->is_solid();
}

}  // namespace whisker
