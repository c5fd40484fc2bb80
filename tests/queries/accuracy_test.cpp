// Keeps the table of worst observed errors of simple shapes in docs/accuracy.md correct.

#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "support/accuracy_table.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

// Fixed: the table is about these scenes, whatever the scale and seed of the other tests.
constexpr std::size_t scenes_per_pair = 990;
constexpr std::uint64_t seed = 20;

void keep_worst(double& worst, const Real& error, double unit) {
  worst = std::max(worst, Real(error / Real(unit)).convert_to<double>());
}

/// In spacings of doubles at the largest coordinate.
AccuracyRow measure(const KindPair& pair) {
  std::mt19937_64 random(seed + 100 * pair.first + pair.second);
  AccuracyRow worst = {};
  for (std::size_t i = 0; i < scenes_per_pair; ++i) {
    const auto family = static_cast<Family>(i % family_count);
    if (family == Family::sloppy) continue;
    const Sample sample(make_scene(random, pair.first, pair.second, family));
    const double unit = spacing_of_doubles_at(sample.truth.size);
    for (const View& view : {sample.in_order(), sample.swapped()}) {
      const Distance apart = distance(view.a, view.b);
      keep_worst(worst[0], abs(Real(apart.value()) - view.truth.distance), unit);
      keep_worst(worst[1], Real(apart.upper) - Real(apart.lower), unit);
      if (view.truth.inseparable) continue;  // infinite, exactly
      const Depth deep = depth(view.a, view.b);
      keep_worst(worst[2], abs(Real(deep.value()) - view.truth.depth), unit);
      keep_worst(worst[3], Real(deep.upper) - Real(deep.lower), unit);
    }
  }
  return worst;
}

std::string title(const KindPair& pair) {
  std::string text = std::string(simple_shape_name(pair.first)) + ", " + std::string(simple_shape_name(pair.second));
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

TEST(Accuracy, EveryNumberOfTheTableIsWhatIsMeasured) {
  AccuracyRows measured;
  for (const KindPair& pair : all_kind_pairs())
    measured.emplace_back(title(pair), measure(pair));
  AccuracyTable("accuracy_test", 0.5).check(measured);
}

TEST(Accuracy, TheTextNamesTheNumberOfScenesThatAreMeasured) {
  const std::size_t measured = scenes_per_pair / family_count * (family_count - 1);
  std::ostringstream phrase;
  phrase << "measured over " << measured << " scenes";
  EXPECT_NE(read_accuracy_document().find(phrase.str()), std::string::npos);
}

}  // namespace
}  // namespace whisker::test
