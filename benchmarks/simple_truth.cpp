// The true answers of the suite `simple`, from the oracle of the tests: bounds that prove themselves, in 64 bits of
// mantissa, or in 384 where these are too few.

#include <algorithm>
#include <cmath>
#include <limits>

#include "simple.hpp"
#include "support/convex_reference.hpp"

namespace whisker::bench {
namespace {

/// For half-spaces and planes, in exact arithmetic up to the last division.
TrueGap gap_of_sides(const SimpleInput& input) {
  const auto placed = [](const Shape& shape, const Pose& pose) {
    if (const auto* plane = shape.as<Plane>()) return test::place_set<test::Real>(test::SimpleShape(*plane), pose);
    return test::place_set<test::Real>(test::SimpleShape(*shape.as<HalfSpace>()), pose);
  };
  const auto gap = test::gap(placed(input.a, input.pose_a), placed(input.b, input.pose_b));
  const double value = gap.inseparable ? -std::numeric_limits<double>::infinity() : gap.value.convert_to<double>();
  return {value, value};
}

}  // namespace

TrueGap true_gap(Question question, const SimpleInput& input) {
  if (input.a.is_unbounded() && input.b.is_unbounded()) return gap_of_sides(input);
  const test::ReferencePair<test::Extended> pair(input.a, input.pose_a, input.b, input.pose_b);
  // Bounds 1e-8 apart are enough for a depth; for a touch it is enough that they agree on its sign.
  test::DepthEffort effort{.relative_width = 0, .width_of_size = 1e-9, .evaluations = 200000};
  if (question == Question::touches) effort = {.relative_width = 0.5, .width_of_size = 0, .evaluations = 20000};
  const auto gap = pair.gap(effort);
  return {static_cast<double>(gap.lower), static_cast<double>(gap.upper)};
}

bool truth_is_known(const SimpleRow& row) {
  return std::all_of(row.truths.begin(), row.truths.end(), [&row](const TrueGap& truth) {
    if (row.question != Question::touches) return truth.upper - truth.lower <= simple_tolerance / 10;
    return truth.lower > 0 || truth.upper < 0 || truth.upper - truth.lower <= simple_tolerance / 10;
  });
}

std::size_t count_wrong(const SimpleRow& row, const Answers& answers) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < row.inputs.size(); ++i) {
    const TrueGap& truth = row.truths[i];
    if (row.question == Question::touches) {
      const bool apart = truth.lower > simple_tolerance, overlapping = truth.upper < -simple_tolerance;
      wrong += (apart && answers[i] != 0) || (overlapping && answers[i] != 1) ? 1u : 0u;
      continue;
    }
    const double sign = row.question == Question::distance ? 1 : -1;
    const double low = std::min(sign * truth.lower, sign * truth.upper);
    const double high = std::max(sign * truth.lower, sign * truth.upper);
    wrong += answers[i] >= low - simple_tolerance && answers[i] <= high + simple_tolerance ? 0u : 1u;
  }
  return wrong;
}

}  // namespace whisker::bench
