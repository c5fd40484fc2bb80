#include "mesh/ray_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mesh/tree_frame.hpp"

namespace whisker::mesh {
namespace {

struct Block {
  int level;
  std::size_t i;
  std::size_t j;
};

/// Whether the line may pass through the box within its range. A direction component of zero is replaced by a very
/// small one: over any length that matters, this moves the line by less than rounding does.
bool passes(const RayQuery& query, const Aabb& box) {
  double first = query.lower;
  double last = query.upper;
  for (int i = 0; i < 3; ++i) {
    const double step = query.direction[i];
    const double inverse = 1 / (std::abs(step) < 0x1p-60 ? 0x1p-60 : step);
    const double middle = (box.lower[i] / 2 + box.upper[i] / 2 - query.origin[i]) * inverse;
    const double reach = (box.upper[i] / 2 - box.lower[i] / 2 + query.error) * std::abs(inverse);
    first = std::max(first, middle - reach);
    last = std::min(last, middle + reach);
  }
  return first <= last;
}

Aabb block_box(const HeightField& field, const Block& block) {
  const HeightField::Range heights = field.block_range(block.level, block.i, block.j);
  const auto border = [&](std::size_t k, std::size_t cells, double spacing) {
    return static_cast<double>(std::min(k << block.level, cells)) * spacing;
  };
  Aabb box;
  box.lower = {border(block.i, field.columns() - 1, field.spacing_x()),
               border(block.j, field.rows() - 1, field.spacing_y()), heights.lowest};
  box.upper = {border(block.i + 1, field.columns() - 1, field.spacing_x()),
               border(block.j + 1, field.rows() - 1, field.spacing_y()), heights.highest};
  return box;
}

}  // namespace

void cast_ray_all_field(const Ray& ray, const HeightField& field, const Pose& pose, const RayRange& range,
                        std::vector<RayHit>& hits) {
  if (!(range.lower <= range.upper)) return;
  const Aabb bounds = field.bounds();
  const LocalFrame frame(pose, bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).maxCoeff());
  // A ray without a direction is a point: any direction through it finds the cells that it may be in.
  const bool stands = ray.direction.isZero(0);
  const RayQuery query =
      stands ? ray_query(frame, {ray.origin, Vector3::UnitX()}, {0, 0}) : ray_query(frame, ray, range);
  std::array<Block, 3 * 64 + 1> waiting;  // at most three per level
  std::size_t count = 0;
  waiting[count++] = {field.levels() - 1, 0, 0};
  while (count > 0) {
    const Block block = waiting[--count];
    if (!passes(query, block_box(field, block))) continue;
    if (block.level > 0) {
      const std::size_t columns = field.block_columns(block.level - 1);
      const std::size_t rows = field.block_rows(block.level - 1);
      for (std::size_t j = 2 * block.j; j < std::min(2 * block.j + 2, rows); ++j)
        for (std::size_t i = 2 * block.i; i < std::min(2 * block.i + 2, columns); ++i)
          waiting[count++] = {block.level - 1, i, j};
      continue;
    }
    const std::size_t cell = block.j * (field.columns() - 1) + block.i;
    for (std::size_t number = 2 * cell; number < 2 * cell + 2; ++number) {
      std::optional<RayHit> hit = ray_triangle(ray, field.triangle(number), pose, range);
      if (!hit) continue;
      hit->face->triangle = number;
      hits.push_back(*hit);
    }
  }
}

}  // namespace whisker::mesh
