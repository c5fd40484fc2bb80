#include "convex/convex_batch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <whisker/convex_hull.hpp>

#include "convex/convex_batch_block.hpp"
#include "convex/convex_contact.hpp"
#include "convex/convex_frame.hpp"
#include "geometry/safe_norm.hpp"
#include "shapes/internals.hpp"

namespace whisker::convex {
namespace {

constexpr double norm_wider = 1 + 0x1p-48;  // the same as in convex_body

/// The lowest `count` bits.
std::uint64_t vertex_bits(std::uint32_t count) {
  return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

/// The vertices that ConvexBody makes from half sizes: one for a sphere, two for a capsule, eight for a box.
void set_own(std::uint32_t count, const Vector3& half, BatchShape& shape) {
  const bool is_box = count == 8;
  for (int k = 0; k < 8; ++k) {
    const bool is_up = is_box ? (k & 4) != 0 : k == 1;
    const double x = !is_box ? 0 : (k & 1) != 0 ? half[0] : -half[0];
    const double y = !is_box ? 0 : (k & 2) != 0 ? half[1] : -half[1];
    const double z = count == 1 ? 0 : is_up ? half[2] : -half[2];
    shape.own_coordinates[0][k] = x;
    shape.own_coordinates[1][k] = y;
    shape.own_coordinates[2][k] = z;
    shape.own_corners[k] = {x, y, z, static_cast<double>(k)};
  }
  const auto& [x, y, z] = shape.own_coordinates;
  static_cast<BatchBody&>(shape) = {x, y, z, shape.own_corners, nullptr, vertex_bits(count), 8, nullptr};
}

/// Does what convex_body does for the shape, in place, because the result may point into itself.
void set_shape(const Shape& shape, BatchShape& result) {
  result.is_placed = true;
  for (double& number : result.numbers)
    number = 0;
  if (const auto* hull = shape.as<ConvexHull>()) {
    const HullSupport& table = support_table_of(*hull);
    const HullSupport* const cells = table.has_cells() ? &table : nullptr;
    static_cast<BatchBody&>(result) = {
        table.x, table.y, table.z, table.vertices, table.rounded, vertex_bits(table.count), table.padded, cells};
    result.is_placed = cells == nullptr && table.padded <= FrameBody::max_placed;
    result.numbers[3] = table.size;
    for (int i = 0; i < 3; ++i)
      result.numbers[i] = table.middle[i];
  } else if (const auto* box = shape.as<Box>()) {
    const Vector3 half = box->size / 2;
    result.numbers[3] = geometry::safe_norm(half) * norm_wider;
    set_own(8, half, result);
  } else if (const auto* capsule = shape.as<Capsule>()) {
    const Vector3 half(0, 0, capsule->length / 2);
    result.numbers[3] = geometry::safe_norm(half) * norm_wider;
    result.numbers[4] = capsule->radius;
    set_own(2, half, result);
  } else {
    result.numbers[4] = shape.as<Sphere>()->radius;
    set_own(1, {0, 0, 0}, result);
  }
}

static_assert(sizeof(Pose) == 12 * sizeof(double));
const double* numbers(const Pose& pose) {
  return pose.rotation().data();
}

/// A block and its shapes. Consecutive pairs often share shapes.
struct Work {
  BatchBlock block;
  BatchShape shapes[2 * BatchBlock::most];  // set as needed

  Work(const Upcoming& upcoming, BatchBlock::Question question) {
    block.upcoming = upcoming;
    block.question = question;
  }

  /// Puts swapped pairs at the end, so that pairs that are processed together are more alike. `is_left_out(i, sizes)`
  /// is called for every pair, with the sum of the sizes of the two shapes.
  template <class LeaveOut>
  void set(std::span<const BatchPair> pairs, const LeaveOut& is_left_out) {
    const Shape* last_a = nullptr;
    const Shape* last_b = nullptr;
    const BatchShape* shape_a = nullptr;
    const BatchShape* shape_b = nullptr;
    std::size_t shape_count = 0, begin = 0, end = pairs.size();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const BatchPair& pair = pairs[i];
      if (pair.a != last_a) shape_a = &new_shape(*pair.a, shape_count);
      if (pair.b != last_b) shape_b = &new_shape(*pair.b, shape_count);
      last_a = pair.a;
      last_b = pair.b;
      if (is_left_out(i, shape_a->reach() + shape_b->reach())) continue;
      // The order is unpredictable, so no branch depends on it.
      const Vector3 &at_a = pair.pose_a->translation(), &at_b = pair.pose_b->translation();
      const bool swapped = at_a[0] != at_b[0] ? at_b[0] < at_a[0] : compare_numbers(at_b, at_a) < 0;
      const std::size_t first = swapped ? 1 : 0;
      const BatchShape* const both[2] = {shape_a, shape_b};
      const double* const poses[2] = {numbers(*pair.pose_a), numbers(*pair.pose_b)};
      end -= first;
      const std::size_t at = begin + first * (end - begin);
      begin += 1 - first;
      block.entries[at] = {both[first], both[1 - first], poses[first], poses[1 - first], static_cast<std::uint32_t>(i),
                           swapped};
    }
    block.count = begin + (pairs.size() - end);
    block.shapes = shapes;
    block.shape_count = shape_count;
    if (begin == end) return;
    const auto entries = std::begin(block.entries);
    const auto at = [&](std::size_t i) { return entries + static_cast<std::ptrdiff_t>(i); };
    std::copy(at(end), at(pairs.size()), at(begin));
  }
  const BatchShape& new_shape(const Shape& shape, std::size_t& count) {
    set_shape(shape, shapes[count]);
    return shapes[count++];
  }
  /// Answers the pairs. Calls take(i, number) for each that could be answered: pair `number` is the block's i-th.
  template <class Take>
  void answer(std::span<bool> answered, const Take& take) {
    work_block(block);
    for (std::size_t i = 0; i < block.count; ++i) {
      const std::size_t number = block.entries[i].number;
      answered[number] = block.answered[i];
      if (block.answered[i]) take(i, number);
    }
  }
  /// The same for the distances of all pairs, with these options.
  template <class Take>
  void measure(std::span<const BatchPair> pairs, double upper_bound, double close_enough, double tolerance,
               std::span<bool> answered, const Take& take) {
    block.upper_bound = upper_bound;
    block.close_enough = close_enough;
    block.tolerance = tolerance;
    set(pairs, [](std::size_t, double) { return false; });
    answer(answered, take);
  }
};

Vector3 vector_of(const double (&numbers)[3]) {
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

bool is_for_lanes(const DistanceOptions& options) {
  return options.cache == nullptr && options.budget >= GjkLoop<Vec3>::max_supports && options.tolerance >= 0 &&
         options.upper_bound >= 0 && !std::isnan(options.close_enough);
}

void touches_in_lanes(std::span<const BatchPair> pairs, std::span<bool> answers, std::span<bool> answered,
                      const Upcoming& upcoming) {
  Work work(upcoming, BatchBlock::Question::touches);
  work.set(pairs, [&](std::size_t i, double sizes) {
    if (!are_far_apart(sizes, *pairs[i].pose_a, *pairs[i].pose_b)) return false;
    answered[i] = true;
    answers[pairs[i].number] = false;
    return true;
  });
  work.answer(answered,
              [&](std::size_t i, std::size_t number) { answers[pairs[number].number] = work.block.touching[i]; });
}

void distance_in_lanes(std::span<const BatchPair> pairs, const DistanceOptions& options, std::span<Distance> answers,
                       std::span<bool> answered, std::span<HullCorners> corners, const Upcoming& upcoming) {
  Work work(upcoming, BatchBlock::Question::distance);
  const auto take = [&](std::size_t i, std::size_t number) {
    const BatchBlock::Answer& found = work.block.answers[i];
    Distance& answer = answers[pairs[number].number];
    answer.lower = found.lower;
    answer.upper = found.upper;
    answer.point_a = vector_of(found.point_a);
    answer.point_b = vector_of(found.point_b);
    answer.normal = vector_of(found.normal);
    answer.feature_a = {};
    answer.feature_b = {};
    answer.stop = work.block.stopped[i] ? Stop::tolerance : Stop::exact;
    answer.cost = {};
    answer.cost.primitive_tests = static_cast<std::uint64_t>(found.supports);
    corners[number] = work.block.corners(i);
  };
  work.measure(pairs, options.upper_bound, options.close_enough, options.tolerance, answered, take);
}

void closer_than_in_lanes(std::span<const BatchPair> pairs, double limit, std::span<bool> answers,
                          std::span<bool> answered, const Upcoming& upcoming) {
  Work work(upcoming, BatchBlock::Question::distance);
  work.measure(pairs, limit, limit, 0, answered, [&](std::size_t i, std::size_t number) {
    answers[pairs[number].number] = work.block.answers[i].lower <= limit;
  });
}

}  // namespace whisker::convex
