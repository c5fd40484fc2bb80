// Two shapes that stand on each other with known feet: `distance` and `depth` return the middle of the intersection of
// the feet, or the point itself if it is one point, and do not jump from one gap to the next.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/queries.hpp>

#include "support/standing_shapes.hpp"

namespace whisker::test {
namespace {

struct StancePair {
  Stance below, above;

  std::string name() const { return std::string(test::name(below)) + "_under_" + std::string(test::name(above)); }
  friend void PrintTo(const StancePair& pair, std::ostream* out) { *out << pair.name(); }
};

std::vector<StancePair> all_stance_pairs() {
  std::vector<StancePair> pairs;
  for (std::size_t i = 0; i < stance_count; ++i) {
    for (std::size_t j = 2; j < stance_count; ++j) {  // no plane above another shape: the other order is tested too
      if (i >= 2 || j >= 2) pairs.push_back({static_cast<Stance>(i), static_cast<Stance>(j)});
    }
  }
  return pairs;
}

/// The worst error of each pair of stances, relative to the allowed error.
std::map<std::string, double>& worst_seen() {
  static std::map<std::string, double> seen;
  return seen;
}
std::size_t& asked() {
  static std::size_t count = 0;
  return count;
}

class PrintWorst : public testing::Environment {
 public:
  void TearDown() override {
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [name, value] : worst_seen())
      sorted.emplace_back(value, name);
    std::sort(sorted.rbegin(), sorted.rend());
    std::printf("%zu pairs of points; worst, as a part of what is allowed:\n", asked());
    for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 12); ++i)
      std::printf("  %.3g %s\n", sorted[i].first, sorted[i].second.c_str());
  }
};
const testing::Environment* const print_worst = testing::AddGlobalTestEnvironment(new PrintWorst);

std::string describe_standing(const StandingPair& pair, double gap) {
  std::ostringstream text;
  text.precision(17);
  const auto placed = [&text](const Shape& shape, const Pose& pose) {
    text << test::describe(shape) << " at ";
    for (int row = 0; row < 3; ++row)
      text << "{" << pose.rotation()(row, 0) << ", " << pose.rotation()(row, 1) << ", " << pose.rotation()(row, 2)
           << "}";
    text << ", {" << pose.translation().transpose() << "}\n";
  };
  text << "gap " << gap << "\n  a: ";
  placed(pair.a.shape, pair.pose_a);
  text << "  b: ";
  placed(pair.b.shape, pair.pose_b(gap));
  return text.str();
}

/// The allowed error of a point: the rounding of the places and of the result. If a boundary is curved, also as far as
/// a boundary of this size is flat up to rounding; for a distance, up to the width of its bounds.
double allowed_off(const StandingPair& pair, double gap) {
  const double spacing = spacing_of_doubles_at(pair.frame.translation().lpNorm<Eigen::Infinity>() + pair.size);
  const bool bends = pair.a.is_smooth || pair.b.is_smooth || pair.a.is_bent || pair.b.is_bent;
  return 4096 * spacing + (bends ? std::sqrt(2 * pair.size * (gap < 0 ? 4 : 64) * spacing) : 0);
}

constexpr std::array<double, 8> gaps = {1e-2, 1e-4, 1e-6, 1e-9, -1e-2, -1e-4, -1e-6, -1e-9};

std::string stance_pair_name(const testing::TestParamInfo<StancePair>& info) {
  return info.param.name();
}

class WitnessOfStances : public testing::TestWithParam<StancePair> {};

INSTANTIATE_TEST_SUITE_P(All, WitnessOfStances, testing::ValuesIn(all_stance_pairs()), stance_pair_name);

/// Where a distance or a depth says that the shapes meet; a is the lower one.
struct Answer {
  bool found = false;
  Vector3 point_a, point_b, normal;
  double gap = 0;
};

Answer ask(const StandingPair& pair, double gap, bool swap, PairCache* cache) {
  const Placed a(pair.a.shape, pair.pose_a), b(pair.b.shape, pair.pose_b(gap));
  Answer answer;
  if (gap > 0) {
    const Distance d = swap ? distance(b, a, {.cache = cache}) : distance(a, b, {.cache = cache});
    answer = {d.normal != Vector3::Zero(), d.point_a, d.point_b, d.normal, d.upper};
  } else {
    const Depth d = swap ? depth(b, a, {.cache = cache}) : depth(a, b, {.cache = cache});
    answer = {d.normal != Vector3::Zero(), d.point_a, d.point_b, d.normal, -d.upper};
  }
  if (swap) {
    std::swap(answer.point_a, answer.point_b);
    answer.normal = -answer.normal;
  }
  return answer;
}

TEST_P(WitnessOfStances, DistanceAndDepthGiveTheMiddleOfWhatIsShared) {
  std::mt19937_64 random =
      seeded(7100 + 100 * static_cast<std::uint64_t>(GetParam().below) + static_cast<std::uint64_t>(GetParam().above));
  std::size_t failed = 0, tried = 0;
  double& worst = worst_seen()[GetParam().name()];
  for (std::size_t made = 0; made < cases(3) && tried < 100 * cases(3); ++tried) {
    const bool distant = made % 3 == 2;
    const auto pair = make_standing_pair(random, GetParam().below, GetParam().above, distant);
    if (!pair) continue;
    ++made;
    PairCache cache;
    for (const double gap : gaps) {
      if (gap < 0 && !pair->is_shallow) continue;
      if (distant && std::abs(gap) < 1e-6) continue;  // below the spacing of doubles at their coordinates
      for (const int way : {0, 1, 2}) {
        const Answer answer = ask(*pair, gap, way == 1, way == 2 ? &cache : nullptr);
        ++asked();
        if (!answer.found) {
          if (++failed <= 2) ADD_FAILURE() << "no points, " << describe_standing(*pair, gap);
          continue;
        }
        const double off =
            std::max((answer.point_a - pair->point_a()).norm(), (answer.point_b - pair->point_b(gap)).norm());
        const double allowed = allowed_off(*pair, gap);
        worst = std::max(worst, off / allowed);
        if (off > allowed && ++failed <= 2) {
          std::ostringstream text;
          text.precision(17);
          text << "off the middle by " << off << ", allowed " << allowed << (way == 1 ? ", swapped" : "")
               << (way == 2 ? ", cached" : "") << ": is " << answer.point_a.transpose() << " | "
               << answer.point_b.transpose() << ", not " << pair->point_a().transpose() << " | "
               << pair->point_b(gap).transpose() << ", dimension " << pair->shared.dimension << ", extent "
               << static_cast<double>(pair->shared.extent) << ", normal off by "
               << (answer.normal - pair->normal).norm();
          ADD_FAILURE() << text.str() << ", " << describe_standing(*pair, gap);
        }
      }
    }
  }
  if (failed > 2) ADD_FAILURE() << failed << " failed";
}

/// With no gap at all, rounding decides whether they overlap.
TEST_P(WitnessOfStances, TouchingShapesMeetInTheMiddleOfWhatIsShared) {
  std::mt19937_64 random = seeded(7400000 + 100 * static_cast<std::uint64_t>(GetParam().below) +
                                  static_cast<std::uint64_t>(GetParam().above));
  std::size_t failed = 0, tried = 0;
  double& worst = worst_seen()["touching " + GetParam().name()];
  for (std::size_t made = 0; made < cases(2) && tried < 30 * cases(2); ++tried) {
    const auto pair = make_standing_pair(random, GetParam().below, GetParam().above, false);
    if (!pair || !pair->is_shallow) continue;
    ++made;
    const Placed a(pair->a.shape, pair->pose_a), b(pair->b.shape, pair->pose_b(0));
    const Depth deep = depth(a, b);
    const Distance far = distance(a, b);
    ++asked();
    const Vector3 found = deep.upper > 0 ? deep.point_a : far.point_a;
    const double off = (found - pair->point_a()).norm(), allowed = allowed_off(*pair, 0);
    worst = std::max(worst, off / allowed);
    if (off > allowed && ++failed <= 1) {
      ADD_FAILURE() << "off the middle by " << off << ", allowed " << allowed << ", depth " << deep.upper
                    << ", distance " << far.upper << ", dimension " << pair->shared.dimension << ", "
                    << describe_standing(*pair, 0);
    }
  }
}

/// If a patch has more than one point, its middle follows from the points: the midpoint of two, or the centroid of the
/// polygon for shapes with straight edges. Points that hardly differ from others are not in a patch.
TEST_P(WitnessOfStances, PatchesLieAroundTheMiddleOfWhatIsShared) {
  std::mt19937_64 random = seeded(7200000 + 100 * static_cast<std::uint64_t>(GetParam().below) +
                                  static_cast<std::uint64_t>(GetParam().above));
  std::size_t failed = 0, tried = 0;
  double& worst = worst_seen()["patch of " + GetParam().name()];
  for (std::size_t made = 0; made < cases(2) && tried < 100 * cases(2); ++tried) {
    const auto pair = make_standing_pair(random, GetParam().below, GetParam().above, false);
    if (!pair) continue;
    ++made;
    if (pair->shared.dimension == 2 && (pair->a.foot.is_disc || pair->b.foot.is_disc)) continue;
    if (pair->shared.dimension == 2 && (pair->a.foot.corners.size() > 8 || pair->b.foot.corners.size() > 8)) continue;
    for (const double gap : gaps) {
      if (gap < 0 && !pair->is_shallow) continue;
      const ContactManifold patch =
          contact_manifold({pair->a.shape, pair->pose_a}, {pair->b.shape, pair->pose_b(gap)}, {.margin = 0.011});
      ++asked();
      Vector3 middle_a = Vector3::Zero(), middle_b = Vector3::Zero();
      double allowed = allowed_off(*pair, gap);
      if (patch.count >= 3) {
        double area = 0;
        const Vector3 o = patch.storage[0].point_a;
        for (std::uint32_t i = 1; i + 1 < patch.count; ++i) {
          const Vector3 p = patch.storage[i].point_a, q = patch.storage[i + 1].point_a;
          const double part = (p - o).cross(q - o).dot(patch.normal);
          area += part;
          middle_a += part * (o + p + q) / 3;
        }
        middle_a /= area;
        middle_b = middle_a + patch.storage[0].gap * patch.normal;
      } else {
        for (const ManifoldPoint& p : patch.points()) {
          middle_a += p.point_a / patch.count;
          middle_b += p.point_b / patch.count;
        }
      }
      if (patch.count > 1) allowed += 2e-3 * static_cast<double>(pair->shared.extent);
      // Nearly parallel faces and edges have points within the margin where nothing is shared yet.
      const int dimension = patch.count < 3 ? static_cast<int>(patch.count) - 1 : 2;
      if (dimension > pair->shared.dimension) continue;
      const double off =
          patch.count == 0 ? 1 : std::max((middle_a - pair->point_a()).norm(), (middle_b - pair->point_b(gap)).norm());
      worst = std::max(worst, off / allowed);
      if (off > allowed && ++failed <= 2) {
        ADD_FAILURE() << "the patch's " << patch.count << " points lie around " << middle_a.transpose() << ", off by "
                      << off << ", allowed " << allowed << ", dimension " << pair->shared.dimension << ", "
                      << describe_standing(*pair, gap);
      }
    }
  }
  if (failed > 2) ADD_FAILURE() << failed << " failed";
}

}  // namespace
}  // namespace whisker::test
