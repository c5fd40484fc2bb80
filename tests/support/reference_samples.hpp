#pragma once

// The pairs of simple shapes as test parameters, each with its sample of scenes and the true answers about them.

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "support/random_shapes.hpp"
#include "support/reference.hpp"

namespace whisker::test {

/// Two kinds of simple shapes, as indices of SimpleShape; first <= second.
struct KindPair {
  std::size_t first = 0, second = 0;

  std::string name() const {
    return std::string(simple_shape_name(first)) + "_" + std::string(simple_shape_name(second));
  }
  friend bool operator<(const KindPair& a, const KindPair& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  }
  friend void PrintTo(const KindPair& pair, std::ostream* out) { *out << pair.name(); }
};

inline std::vector<KindPair> all_kind_pairs() {
  std::vector<KindPair> pairs;
  for (std::size_t first = 0; first < simple_shape_count; ++first) {
    for (std::size_t second = first; second < simple_shape_count; ++second)
      pairs.push_back({first, second});
  }
  return pairs;
}

inline std::string kind_pair_name(const testing::TestParamInfo<KindPair>& info) {
  return info.param.name();
}

inline Shape make_shape(const SimpleShape& shape) {
  return std::visit([](const auto& s) { return Shape(s); }, shape);
}

/// A scene in one of its two orders, for the queries and for the reference.
struct View {
  Placed a, b;
  const PlacedSet<Real>& set_a;
  const PlacedSet<Real>& set_b;
  const Truth& truth;

  /// The allowed error of a number whose true value is `exact`: 1e-12 of it plus eight spacings of the doubles at the
  /// largest coordinate.
  Real tolerance(const Real& exact) const { return tolerance(exact, 0); }
  /// The same where `coordinate` is part of the result.
  Real tolerance(const Real& exact, double coordinate) const {
    return Real("1e-12") * exact + Real(8 * spacing_of_doubles_at(std::max(truth.size, coordinate)));
  }
};

/// Where the witness points of a sample lie: within eight spacings of the doubles of their shapes. Few may lie as far
/// off as the 2^-46 of the sizes, or 128 spacings, that docs/guarantees.md states: the middle of faces or edges that
/// are parallel only up to rounding is computed from all coordinates of both shapes.
class WitnessPoints {
 public:
  /// Whether a point that lies `off` its shape is allowed. `coordinate` is the largest of the points.
  bool allows(const View& view, const Real& off, double coordinate) {
    const double spacing = spacing_of_doubles_at(std::max(view.truth.size, coordinate));
    ++seen_;
    far_ += off > Real(8 * spacing) ? 1u : 0u;
    return off <= Real(128 * spacing);
  }
  /// Both points of a scene, in both orders, for two scenes and one more in 200.
  void expect_few_far() const { EXPECT_LE(far_, 8 + seen_ / 200) << "of " << seen_ << " points"; }

 private:
  std::size_t seen_ = 0, far_ = 0;
};

struct Sample {
  Scene scene;
  Shape a, b;
  PlacedSet<Real> set_a, set_b;
  Truth truth;

  explicit Sample(const Scene& s)
      : scene(s),
        a(make_shape(s.a)),
        b(make_shape(s.b)),
        set_a(place_set<Real>(s.a, s.pose_a)),
        set_b(place_set<Real>(s.b, s.pose_b)),
        truth(truth_about(s.a, s.pose_a, s.b, s.pose_b)) {}

  View in_order() const { return {{a, scene.pose_a}, {b, scene.pose_b}, set_a, set_b, truth}; }
  View swapped() const { return {{b, scene.pose_b}, {a, scene.pose_a}, set_b, set_a, truth}; }
};

/// The sample of a pair: all families in turn. Made once for all tests of a program.
inline const std::vector<Sample>& samples_of(const KindPair& pair) {
  static std::map<KindPair, std::vector<Sample>> made;
  const auto found = made.find(pair);
  if (found != made.end()) return found->second;
  std::mt19937_64 random = seeded(1000 + 10 * pair.first + pair.second);
  const std::size_t count = cases(550);
  std::vector<Sample> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    samples.emplace_back(make_scene(random, pair.first, pair.second, static_cast<Family>(i % family_count)));
  }
  return made.emplace(pair, std::move(samples)).first->second;
}

/// Writes what is wrong with a view to `wrong`, or nothing.
using Check = std::function<void(const View&, std::ostream& wrong)>;

/// Runs the check on every sample of the pair in both orders. Shows the first few failures and counts the rest.
inline void check_all(const KindPair& pair, const Check& check) {
  constexpr std::size_t shown = 3;
  std::size_t failed = 0, checked = 0;
  for (const Sample& sample : samples_of(pair)) {
    for (const bool swap : {false, true}) {
      std::ostringstream wrong;
      wrong.precision(17);
      ++checked;
      try {
        check(swap ? sample.swapped() : sample.in_order(), wrong);
      } catch (const std::exception& error) {
        wrong << "threw " << error.what();
      }
      if (wrong.str().empty()) continue;
      if (++failed <= shown) {
        ADD_FAILURE() << wrong.str() << (swap ? "\nasked as (b, a) of " : "\nasked as (a, b) of ")
                      << describe(sample.scene);
      }
    }
  }
  if (failed > shown) ADD_FAILURE() << failed << " of " << checked << " failed";
}

inline bool is_finite(const Vector3& v) {
  return v.allFinite();
}

/// Whether v is a unit vector up to rounding.
inline bool is_unit(const Vector3& v) {
  return std::abs(v.norm() - 1) <= 8 * std::numeric_limits<double>::epsilon();
}

/// The distance of a point from a placed set.
inline Real distance_to(const PlacedSet<Real>& set, const Vector3& point) {
  const Gap<Real> between = gap(PlacedSet<Real>::point(exactly<Real>(point)), set);
  return between.value > 0 ? between.value : Real(0);
}

/// A number of the reference, short enough to read.
inline std::string digits(const Real& x) {
  return x.str(20);
}

}  // namespace whisker::test
