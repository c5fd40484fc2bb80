// Keeps the table of worst observed errors of convex shapes in docs/accuracy.md correct.

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "support/accuracy_table.hpp"
#include "support/convex_cases.hpp"

namespace whisker::test {
namespace {

// Fixed: the table is about these cases, whatever the scale and seed of the other tests.
constexpr std::size_t cases_per_pair = 66;
constexpr std::size_t first_case = 9000000;
constexpr double accuracy_of_distance = 1e-9;
constexpr double accuracy_of_depth = 1e-6;

/// Relative to the allowed error: 64 spacings of the doubles at the largest coordinate plus a fraction of the answer.
AccuracyRow measure(const ConvexPair& pair) {
  AccuracyRow worst = {};
  const auto keep_worst = [&worst](std::size_t column, Extended share) {
    worst[column] = std::max(worst[column], static_cast<double>(share));
  };
  for (std::size_t i = 0; i < cases_per_pair; ++i) {
    const ConvexCase c = make_convex_case(pair.first, pair.second, first_case + i);
    if (c.family == ConvexFamily::sloppy) continue;
    const ConvexView view(c, i / convex_family_count % 2 == 1);
    const Distance apart = distance(view.a, view.b);
    const Extended allowed = view.allowed(view.truth.upper, accuracy_of_distance);
    keep_worst(0, std::abs(Extended(apart.value()) - view.truth.upper) / allowed);
    keep_worst(1, (Extended(apart.upper) - Extended(apart.lower)) / allowed);
    const Depth deep = depth(view.a, view.b);
    if (!std::isfinite(deep.upper)) continue;  // exactly infinite
    std::vector<Vec<Extended>> hints;
    if (deep.upper > 0) hints.push_back(exactly<Extended>(deep.normal));
    const ReferenceGap<Extended> gap =
        view.gap({.relative_width = 0.05 * accuracy_of_depth, .width_of_size = 1e-17, .evaluations = 1500}, hints);
    const Extended least = std::max(Extended(0), -gap.upper), most = std::max(Extended(0), -gap.lower);
    const Extended allowed_depth = view.allowed(most, accuracy_of_depth);
    const Extended value = Extended(deep.value());
    keep_worst(2, std::max({Extended(0), least - value, value - most}) / allowed_depth);
    keep_worst(3, (Extended(deep.upper) - Extended(deep.lower)) / allowed_depth);
  }
  return worst;
}

std::string title(const ConvexPair& pair) {
  const auto kind = [](std::size_t k) { return std::string(name(static_cast<ShapeKind>(k))); };
  return kind(pair.first) + ", " + kind(pair.second);
}

TEST(ConvexAccuracy, EveryNumberOfTheTableIsWhatIsMeasured) {
  unsetenv("WHISKER_TEST_SEED");  // the table is about the cases of the default seed
  AccuracyRows measured;
  for (const ConvexPair& pair : all_convex_pairs())
    measured.emplace_back(title(pair), measure(pair));
  AccuracyTable("convex_accuracy_test", 1).check(measured);
}

TEST(ConvexAccuracy, TheTextNamesTheNumberOfCasesThatAreMeasured) {
  std::ostringstream phrase;
  phrase << "measured over " << cases_per_pair / convex_family_count * (convex_family_count - 1) << " cases";
  EXPECT_NE(read_accuracy_document().find(phrase.str()), std::string::npos);
}

}  // namespace
}  // namespace whisker::test
