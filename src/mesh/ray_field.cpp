// Every triangle of a height field that a ray hits.

#include <algorithm>
#include <array>
#include <cmath>

#include "mesh/height_field_queries.hpp"
#include "mesh/tree_frame.hpp"

namespace whisker::mesh {
namespace {

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

}  // namespace

void cast_ray_all_field(const Ray& ray, const HeightField& field, const Pose& pose, const RayRange& range,
                        std::vector<RayHit>& hits) {
  if (!(range.lower <= range.upper)) return;
  const LocalFrame frame(pose, largest_coordinate(field));
  // A ray without a direction is a point: any direction through it finds the cells that it may be in.
  const bool stands = ray.direction.isZero(0);
  const RayQuery query =
      stands ? ray_query(frame, {ray.origin, Vector3::UnitX()}, {0, 0}) : ray_query(frame, ray, range);
  std::array<FieldBlock, 3 * 64 + 1> waiting;  // at most three per level
  std::size_t count = 0;
  waiting[count++] = whole_field(field);
  while (count > 0) {
    const FieldBlock block = waiting[--count];
    if (!passes(query, box_of_block(field, block))) continue;
    if (block.level > 0) {
      each_part(field, block, [&](const FieldBlock& part) { waiting[count++] = part; });
      continue;
    }
    const std::size_t first = first_triangle(field, block.i, block.j);
    for (std::size_t number = first; number < first + 2; ++number) {
      std::optional<RayHit> hit = ray_triangle(ray, field.triangle(number), pose, range);
      if (!hit) continue;
      hit->face->triangle = number;
      hits.push_back(*hit);
    }
  }
}

}  // namespace whisker::mesh
