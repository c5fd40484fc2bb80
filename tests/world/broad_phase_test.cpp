// Every broad phase finds the pairs that comparing all boxes finds, at every update, whatever happens to the boxes.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <tbb/global_control.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/simd.hpp>

#include "geometry/constants.hpp"
#include "methods/broad_phases/hashed_grid.hpp"
#include "methods/broad_phases/sweep_and_prune.hpp"
#include "support/baselines/broad_phases.hpp"
#include "support/cases.hpp"
#include "world/box_pairs.hpp"
#include "world/column_sweep.hpp"
#include "world/static_and_moving.hpp"

namespace whisker::world {
namespace {

using methods::HashedGrid;
using methods::SweepAndPrune;
using methods::SweepAndPruneOptions;
using test::cases;
using test::seeded;
using test::uniform;
using Random = std::mt19937_64;

using baselines::MotionLimits;

struct Kind {
  std::string name;
  std::function<std::unique_ptr<BroadPhase>()> make;
};

template <class T, class... Arguments>
Kind kind(std::string name, Arguments... arguments) {
  return {std::move(name), [arguments...] { return std::make_unique<T>(arguments...); }};
}

using Table = SweepAndPruneOptions::Table;

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds = {
      kind<ColumnSweep>("column sweep"),
      kind<StaticAndMoving>("static and moving", false),
      kind<StaticAndMoving>("static and moving, or all swept", true),
      kind<SweepAndPrune>("sweep and prune, dense", SweepAndPruneOptions{.table = Table::dense}),
      kind<SweepAndPrune>("sweep and prune, sparse", SweepAndPruneOptions{.table = Table::sparse}),
      kind<SweepAndPrune>("sweep and prune, dense, by insertion only",
                          SweepAndPruneOptions{.table = Table::dense, .always_insert = true}),
      kind<SweepAndPrune>("sweep and prune, sparse, by insertion only",
                          SweepAndPruneOptions{.table = Table::sparse, .always_insert = true}),
      kind<SweepAndPrune>("sweep and prune, dense up to 64", SweepAndPruneOptions{.max_dense = 64}),
      kind<HashedGrid>("hashed grid"),
      kind<baselines::RectangleSweep>("rectangle sweep"),
      kind<baselines::Octree>("octree"),
      kind<baselines::KdTree>("kd-tree"),
      kind<baselines::SpaceTimeBounds>("space-time bounds"),
  };
  return kinds;
}

// --- boxes that change ---------------------------------------------------------------------------------------------

/// Boxes by number, and what has changed since the last update.
struct Scene {
  std::vector<Aabb> box;
  std::vector<std::uint8_t> is_changed, is_static;
  std::vector<std::uint32_t> changed;

  std::size_t size() const { return box.size(); }
  void add(const Aabb& b, bool fixed = false) {
    box.push_back(b);
    is_changed.push_back(1);
    is_static.push_back(fixed ? 1 : 0);
  }
  void set(std::size_t i, const Aabb& b) {
    box[i] = b;
    is_changed[i] = 1;
  }
  void remove(std::size_t i) { set(i, Aabb{}); }
  void fix(std::size_t i, bool fixed) {
    is_static[i] = fixed ? 1 : 0;
    is_changed[i] = 1;
  }
  Boxes look() {
    changed.clear();
    for (std::uint32_t i = 0; i < size(); ++i)
      if (is_changed[i] != 0) changed.push_back(i);
    return {box, is_changed, is_static, changed};
  }
  void seen() { std::fill(is_changed.begin(), is_changed.end(), std::uint8_t{0}); }
};

bool share_a_point(const Aabb& a, const Aabb& b) {
  for (int axis = 0; axis < 3; ++axis) {
    if (a.lower[axis] > a.upper[axis] || b.lower[axis] > b.upper[axis]) return false;
    if (std::max(a.lower[axis], b.lower[axis]) > std::min(a.upper[axis], b.upper[axis])) return false;
  }
  return true;
}

/// The pairs, found by comparing all boxes.
std::vector<PairKey> all_pairs(const Scene& scene, bool first) {
  std::vector<PairKey> pairs;
  for (std::uint32_t i = 0; i < scene.size(); ++i) {
    for (std::uint32_t j = i + 1; j < scene.size(); ++j) {
      if (scene.is_static[i] != 0 && scene.is_static[j] != 0) continue;
      if (!first && scene.is_changed[i] == 0 && scene.is_changed[j] == 0) continue;
      if (share_a_point(scene.box[i], scene.box[j])) pairs.push_back(pair_key(i, j));
    }
  }
  return pairs;
}

std::string words(const Aabb& box) {
  std::ostringstream out;
  out.precision(17);
  out << "[" << box.lower.transpose() << " .. " << box.upper.transpose() << "]";
  return out.str();
}

/// Describes the first pair that is in only one of the lists.
std::string difference(const Scene& scene, const std::vector<PairKey>& found, const std::vector<PairKey>& truth) {
  std::ostringstream out;
  out << found.size() << " pairs, should be " << truth.size();
  if (!std::is_sorted(found.begin(), found.end())) out << ", not sorted";
  const auto at = std::mismatch(found.begin(), found.end(), truth.begin(), truth.end());
  const bool missing = at.first == found.end() || (at.second != truth.end() && *at.second < *at.first);
  if (at.first == found.end() && at.second == truth.end()) return out.str();
  const PairKey key = missing ? *at.second : *at.first;
  out << "; " << (missing ? "missing" : "wrong") << ": " << first_of(key) << " " << second_of(key) << " "
      << words(scene.box[first_of(key)]) << " " << words(scene.box[second_of(key)]);
  return out.str();
}

/// Runs all kinds side by side on one scene.
class Trial {
 public:
  explicit Trial(std::string name) : name_(std::move(name)) {
    for (const Kind& k : all_kinds())
      phases_.push_back(k.make());
  }

  void look(Scene& scene) {
    const std::vector<PairKey> truth = all_pairs(scene, looks_ == 0);
    const Boxes boxes = scene.look();
    std::vector<PairKey> found = {pair_key(1, 2)};  // stale contents, not from the last update
    for (std::size_t k = 0; k < phases_.size(); ++k) {
      phases_[k]->find_pairs(boxes, found);
      if (found == truth) continue;
      ADD_FAILURE() << all_kinds()[k].name << ", " << name_ << ", look " << looks_ << ": "
                    << difference(scene, found, truth);
      failed_ = true;
    }
    ++looks_;
    pairs_ += truth.size();
    scene.seen();
  }
  bool failed() const { return failed_; }
  std::size_t pairs() const { return pairs_; }

 private:
  std::string name_;
  std::vector<std::unique_ptr<BroadPhase>> phases_;
  std::size_t looks_ = 0, pairs_ = 0;
  bool failed_ = false;
};

bool chance(Random& random, double share) {
  return uniform(random, 0, 1) < share;
}
Vector3 anywhere(Random& random, double low, double high) {
  return {uniform(random, low, high), uniform(random, low, high), uniform(random, low, high)};
}
Aabb around(const Vector3& center, const Vector3& half) {
  return {center - half, center + half};
}
Aabb moved(const Aabb& box, const Vector3& by) {
  return {box.lower + by, box.upper + by};
}

using Maker = std::function<Aabb(Random&)>;

/// How lively a run is, as fractions of the boxes at each update.
struct Life {
  double moves = 0.5, step = 0.1;
  double teleports = 0.01, comes = 0.02, goes = 0.02, changes_kind = 0.01;
  double fixed = 0.2;       ///< of the new ones
  double pauses = 0.1;      ///< of the updates: nothing changes
  double all_leave = 0.01;  ///< of the updates
  double all_move = 0.1;    ///< of the updates
};

void live(Random& random, Scene& scene, const Maker& make, const Life& life, std::size_t most) {
  if (chance(random, life.pauses)) return;
  if (chance(random, life.all_leave)) {
    for (std::size_t i = 0; i < scene.size(); ++i)
      scene.remove(i);
    return;
  }
  const bool all = chance(random, life.all_move);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if (scene.box[i].empty()) {
      if (chance(random, 5 * life.comes)) scene.set(i, make(random));
    } else if (chance(random, life.goes)) {
      scene.remove(i);
    } else if (chance(random, life.teleports)) {
      scene.set(i, make(random));
    } else if (chance(random, life.changes_kind)) {
      scene.fix(i, scene.is_static[i] == 0);
    } else if (all || (scene.is_static[i] == 0 && chance(random, life.moves))) {
      scene.set(i, moved(scene.box[i], anywhere(random, -life.step, life.step)));
    }
  }
  const auto come = static_cast<std::size_t>(life.comes * static_cast<double>(most) * uniform(random, 0, 2));
  for (std::size_t i = 0; i < come && scene.size() < most; ++i)
    scene.add(make(random), chance(random, life.fixed));
}

void run(const std::string& name, std::uint64_t stream, const Maker& make, const Life& life = {},
         std::size_t count = 150, std::size_t looks = 40) {
  Random random = seeded(stream);
  std::size_t pairs = 0;
  for (std::size_t round = 0; round < cases(2); ++round) {
    Trial trial(name);
    Scene scene;
    for (std::size_t i = 0; i < count; ++i)
      scene.add(make(random), chance(random, life.fixed));
    for (std::size_t look = 0; look < looks && !trial.failed(); ++look) {
      if (look > 0) live(random, scene, make, life, 2 * count);
      trial.look(scene);
    }
    if (trial.failed()) break;
    pairs += trial.pairs();
  }
  EXPECT_GT(pairs, 0u) << "nothing was shown";
}

// --- runs ----------------------------------------------------------------------------------------------------------

Aabb usual(Random& random) {
  return around(anywhere(random, 0, 8), anywhere(random, 0.1, 0.8));
}

TEST(BroadPhases, AgreeWithAllPairsOnBoxesThatComeMoveAndGo) {
  run("usual", 5001, usual);
  run("usual, all moving", 5002, usual, {.moves = 1, .step = 0.3});
  run("usual, few moving", 5003, usual, {.moves = 0.01, .all_move = 0});
  run("usual, mostly fixed", 5004, usual, {.fixed = 0.9});
}

TEST(BroadPhases, AgreeWhereBoxesJumpAbout) {
  run("all jump", 5011, usual, {.teleports = 1});
  run("some jump", 5012, usual, {.teleports = 0.2});
  run("one in a hundred jumps, nothing else moves", 5013, usual, {.moves = 0, .teleports = 0.01, .all_move = 0});
}

TEST(BroadPhases, AgreeWhereNumbersComeAndGoInMasses) {
  run("crowds", 5021, usual, {.comes = 0.5, .goes = 0.4, .all_leave = 0.2});
}

TEST(BroadPhases, AgreeOnBoxesThatShareFacesExactly) {
  // On a lattice: every bound coincides with many others, and boxes may have no thickness.
  const auto whole = [](Random& random, int low, int high) {
    return static_cast<double>(std::uniform_int_distribution<int>(low, high)(random));
  };
  const auto make = [whole](Random& random) {
    const Vector3 lower(whole(random, 0, 9), whole(random, 0, 9), whole(random, 0, 9));
    return Aabb{lower, lower + Vector3(whole(random, 0, 2), whole(random, 0, 2), whole(random, 0, 2))};
  };
  run("lattice, jumping", 5031, make, {.moves = 0, .teleports = 0.3, .all_move = 0});
  Random random = seeded(5032);
  for (std::size_t round = 0; round < cases(2); ++round) {
    Trial trial("lattice, walking");
    Scene scene;
    for (int i = 0; i < 200; ++i)
      scene.add(make(random), chance(random, 0.2));
    for (int look = 0; look < 40 && !trial.failed(); ++look) {
      trial.look(scene);
      for (std::size_t i = 0; i < scene.size(); ++i)
        if (chance(random, 0.3))
          scene.set(i, moved(scene.box[i], {whole(random, -1, 1), whole(random, -1, 1), whole(random, -1, 1)}));
    }
  }
}

TEST(BroadPhases, AgreeAcrossTheLastBitOfContact) {
  // A box beside each of the other boxes, at the same bound or one bit before or behind it.
  Random random = seeded(5041);
  for (std::size_t round = 0; round < cases(2); ++round) {
    Trial trial("last bit");
    Scene scene;
    for (int i = 0; i < 100; ++i) {
      const Aabb box = around(anywhere(random, -8, 8), anywhere(random, 0.1, 0.8));
      scene.add(box);
      scene.add(box);
    }
    for (int look = 0; look < 20 && !trial.failed(); ++look) {
      for (std::size_t i = 0; i < scene.size(); i += 2) {
        const int axis = std::uniform_int_distribution<int>(0, 2)(random);
        const Aabb& box = scene.box[i];
        Aabb beside = box;
        const double bound = box.upper[axis];
        const double steps[] = {bound, std::nextafter(bound, infinity), std::nextafter(bound, -infinity)};
        beside.lower[axis] = steps[std::uniform_int_distribution<std::size_t>(0, 2)(random)];
        beside.upper[axis] = beside.lower[axis] + 0.01;
        scene.set(i + 1, beside);
      }
      trial.look(scene);
    }
  }
}

TEST(BroadPhases, AgreeOnSizesOneToAMillion) {
  const auto make = [](Random& random) {
    const double size = std::pow(10, uniform(random, -4, 2));
    return around(anywhere(random, -10, 10), size * anywhere(random, 0.2, 1));
  };
  run("sizes", 5051, make);
  const auto thin = [](Random& random) {
    const auto size = [&] { return std::pow(10, uniform(random, -4, 1)); };
    return around(anywhere(random, -10, 10), {size(), size(), size()});
  };
  run("thin ones of all sizes", 5052, thin);
  const auto one_huge = [](Random& random) {
    return chance(random, 0.01) ? around(anywhere(random, -1, 1), Vector3(1e5, 1e5, 2))
                                : around(anywhere(random, -10, 10), anywhere(random, 0.1, 0.5));
  };
  run("few huge ones", 5053, one_huge);
}

TEST(BroadPhases, AgreeWhereAllAreInOnePoint) {
  const auto point = [](Random&) { return Aabb{Vector3(1, 2, 3), Vector3(1, 2, 3)}; };
  run("one point", 5061, point, {.moves = 0, .all_move = 0}, 60, 20);
  run("one point, stirred", 5062, point, {.step = 1e-3}, 60, 20);
  const auto same = [](Random& random) { return around(Vector3::Zero(), anywhere(random, 0, 1)); };
  run("one center", 5063, same, {.step = 0.5}, 60, 20);
  const auto origin = [](Random&) { return Aabb{Vector3::Zero(), Vector3(-0.0, -0.0, -0.0)}; };
  run("zeros of both signs", 5064, origin, {.moves = 0, .all_move = 0}, 60, 20);
}

TEST(BroadPhases, AgreeOnPointsAndPlates) {
  const auto points = [](Random& random) {
    const Vector3 at = anywhere(random, -1, 1);
    return chance(random, 0.5) ? Aabb{at, at} : around(at, anywhere(random, 0, 0.3));
  };
  run("points", 5071, points);
  const auto plates = [](Random& random) {
    Vector3 half = anywhere(random, 0.1, 2);
    half[std::uniform_int_distribution<int>(0, 2)(random)] = 0;
    return around(anywhere(random, -4, 4), half);
  };
  run("plates", 5072, plates);
}

TEST(BroadPhases, AgreeOnInfiniteBoxes) {
  const auto make = [](Random& random) {
    Aabb box = around(anywhere(random, -4, 4), anywhere(random, 0.1, 0.6));
    if (!chance(random, 0.1)) return box;
    for (int axis = 0; axis < 3; ++axis) {
      if (chance(random, 0.6)) box.lower[axis] = -infinity;
      if (chance(random, 0.6)) box.upper[axis] = infinity;
    }
    return box;
  };
  run("half-spaces among others", 5081, make);
  const auto all = [](Random& random) {
    Aabb box = around(anywhere(random, -4, 4), anywhere(random, 0.1, 0.6));
    const int axis = std::uniform_int_distribution<int>(0, 2)(random);
    (chance(random, 0.5) ? box.lower[axis] = -infinity : box.upper[axis] = infinity);
    return box;
  };
  run("half-spaces only", 5082, all, {}, 80);
  const auto at_infinity = [](Random& random) {
    Aabb box = around(anywhere(random, -1, 1), anywhere(random, 0.1, 0.6));
    const int axis = std::uniform_int_distribution<int>(0, 2)(random);
    if (chance(random, 0.3)) box.lower[axis] = box.upper[axis] = chance(random, 0.5) ? infinity : -infinity;
    return box;
  };
  run("boxes at infinity", 5083, at_infinity, {}, 80);
}

TEST(BroadPhases, AgreeInFlatWorldsLinesAndClusters) {
  run("flat", 5091, [](Random& random) {
    return around({uniform(random, 0, 20), uniform(random, 0, 20), 0}, anywhere(random, 0.3, 0.6));
  });
  run("exactly flat", 5092, [](Random& random) {
    return Aabb{Vector3(uniform(random, 0, 20), uniform(random, 0, 20), 1), Vector3(20, 20, 1)};
  });
  for (int axis = 0; axis < 3; ++axis) {
    run("line along " + std::to_string(axis), 5093 + static_cast<std::uint64_t>(axis), [axis](Random& random) {
      Vector3 at = anywhere(random, 0, 0.1);
      at[axis] = uniform(random, 0, 50);
      return around(at, anywhere(random, 0.1, 0.4));
    });
  }
  run("clusters", 5097, [](Random& random) {
    const Vector3 center = 50 * Vector3(std::floor(uniform(random, 0, 3)), std::floor(uniform(random, 0, 2)), 0);
    return around(center + anywhere(random, 0, 1), anywhere(random, 0.01, 0.2));
  });
}

TEST(BroadPhases, AgreeWhereOneIsFarAwayAndAtTheEndsOfNumbers) {
  run("one far", 5101, [](Random& random) {
    if (chance(random, 0.01)) return around(anywhere(random, 0, 1) * 1e6, anywhere(random, 0.1, 0.5));
    return around(anywhere(random, 0, 6), anywhere(random, 0.1, 0.5));
  });
  run("all far", 5102, [](Random& random) {
    return around(Vector3::Constant(1e9) + anywhere(random, 0, 6), anywhere(random, 0.1, 0.5));
  });
  const auto number = [](Random& random) {
    const double size = std::pow(10, uniform(random, -320, 308));
    return chance(random, 0.5) ? size : -size;
  };
  const auto extreme = [number](Random& random) {
    Aabb box;
    box.include(Vector3(number(random), number(random), number(random)));
    box.include(Vector3(number(random), number(random), number(random)));
    return box;
  };
  run("numbers of all sizes", 5103, extreme, {.moves = 0, .teleports = 0.2, .all_move = 0}, 80);
  const auto tiny = [number](Random& random) {
    const Vector3 at(number(random), number(random), number(random));
    return Aabb{at, at + at.cwiseAbs() * 1e-3};
  };
  run(
      "small ones of all sizes", 5104,
      [&](Random& random) { return chance(random, 0.5) ? tiny(random) : extreme(random); },
      {.moves = 0, .teleports = 0.2, .all_move = 0}, 80);
  run("subnormal", 5105,
      [](Random& random) { return around(anywhere(random, 0, 1) * 1e-320, anywhere(random, 0, 1) * 1e-320); },
      {.moves = 0, .teleports = 0.3, .all_move = 0});
}

TEST(BroadPhases, NameNothingWhereThereIsNothing) {
  Trial trial("nothing");
  Scene scene;
  trial.look(scene);
  trial.look(scene);
  scene.add(Aabb{});
  trial.look(scene);
  scene.set(0, around(Vector3::Zero(), Vector3::Ones()));
  trial.look(scene);
  scene.add(around(Vector3::Zero(), Vector3::Ones()));
  trial.look(scene);
  EXPECT_EQ(trial.pairs(), 1u);
  trial.look(scene);  // nothing has changed
  EXPECT_EQ(trial.pairs(), 1u);
  scene.remove(0);
  scene.remove(1);
  trial.look(scene);
  trial.look(scene);
  scene.set(0, around(Vector3::Zero(), Vector3::Ones()));
  trial.look(scene);
  EXPECT_EQ(trial.pairs(), 1u);
}

TEST(BroadPhases, BoxesThatAreEmptyAlongOneAxisOnlyOverlapNothing) {
  run("half empty", 5111, [](Random& random) {
    Aabb box = around(anywhere(random, 0, 5), anywhere(random, 0.2, 1));
    if (chance(random, 0.2)) std::swap(box.lower[1], box.upper[1]);
    return box;
  });
}

TEST(BroadPhases, AllBoxesCountAsChangedAtTheFirstLook) {
  Random random = seeded(5121);
  Scene scene;
  for (int i = 0; i < 200; ++i)
    scene.add(usual(random), chance(random, 0.2));
  scene.seen();
  Trial trial("first look");
  trial.look(scene);
  EXPECT_GT(trial.pairs(), 0u);
  trial.look(scene);
}

TEST(HashedGrid, FindsBoxesThatOverlapABox) {
  Random random = seeded(5131);
  HashedGrid grid;
  Scene scene;
  for (int i = 0; i < 200; ++i)
    scene.add(usual(random), chance(random, 0.2));
  std::vector<PairKey> pairs;
  std::size_t found_in_all = 0;
  for (std::size_t look = 0; look < cases(20); ++look) {
    const Boxes boxes = scene.look();
    grid.find_pairs(boxes, pairs);
    scene.seen();
    for (int question = 0; question < 20; ++question) {
      Aabb box = usual(random);
      if (question % 4 == 0) box = around(anywhere(random, 0, 8), anywhere(random, 0, 6));
      if (question == 1) box.upper[0] = infinity;
      if (question == 2) box = {Vector3::Constant(-infinity), Vector3::Constant(infinity)};
      if (question == 3) box = scene.box[7];
      if (question == 5) box = Aabb{};
      std::vector<std::uint32_t> truth, found = {1};
      for (std::uint32_t i = 0; i < scene.size(); ++i)
        if (share_a_point(scene.box[i], box)) truth.push_back(i);
      found_in_all += truth.size();
      grid.find_overlapping(boxes, box, found);
      EXPECT_EQ(found, truth) << words(box);
    }
    if (HasFailure()) break;
    live(random, scene, usual, {}, 300);
  }
  EXPECT_GT(found_in_all, 0u);
}

// --- threads and instruction sets ----------------------------------------------------------------------------------

/// Enough boxes for every kind to split the work: the pairs of a few updates, one list after the other.
std::vector<PairKey> pairs_of_a_run(const Kind& k, std::size_t count, int looks, bool with_truth) {
  Random random = seeded(5201);
  const auto make = [](Random& r) {
    const double size = chance(r, 0.01) ? 3 : 0.5;
    return around(anywhere(r, 0, 24), size * anywhere(r, 0.5, 1));
  };
  Scene scene;
  for (std::size_t i = 0; i < count; ++i)
    scene.add(make(random), chance(random, 0.2));
  const std::unique_ptr<BroadPhase> phase = k.make();
  std::vector<PairKey> all, found;
  for (int look = 0; look < looks; ++look) {
    if (look > 0) live(random, scene, make, {.moves = look % 2 == 0 ? 1.0 : 0.02, .pauses = 0, .all_leave = 0}, count);
    phase->find_pairs(scene.look(), found);
    if (with_truth) {
      const std::vector<PairKey> truth = all_pairs(scene, look == 0);
      EXPECT_TRUE(found == truth) << k.name << ", look " << look << ": " << difference(scene, found, truth);
    }
    scene.seen();
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

TEST(BroadPhases, AnswersAreTheSameWithAnyNumberOfThreads) {
  constexpr std::size_t count = 4500;
  constexpr int looks = 3;
  std::vector<PairKey> truth;
  for (const Kind& k : all_kinds()) {
    const bool first = &k == &all_kinds().front();
    for (std::size_t threads = 1; threads <= 8; threads += threads < 4 ? 1 : 4) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      const std::vector<PairKey> found = pairs_of_a_run(k, count, looks, first && threads == 1);
      if (truth.empty()) truth = found;
      EXPECT_GT(found.size(), 1000u);
      EXPECT_TRUE(found == truth) << k.name << ", " << threads << " threads";
    }
  }
}

/// Restores the best target at the end of a test.
struct ForcedTarget {
  explicit ForcedTarget(const std::string& name) { EXPECT_TRUE(use_simd_target(name)) << name; }
  ~ForcedTarget() { use_simd_target(""); }
};

TEST(BroadPhases, AnswersAreTheSameOnEveryInstructionSet) {
  const std::vector<std::string> targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  std::vector<PairKey> truth;
  for (const std::string& target : targets) {
    const ForcedTarget forced(target);
    for (const Kind& k : all_kinds()) {
      const std::vector<PairKey> found = pairs_of_a_run(k, 1500, 4, truth.empty());
      if (truth.empty()) truth = found;
      EXPECT_GT(found.size(), 100u);
      EXPECT_TRUE(found == truth) << k.name << ", " << target;
    }
  }
}

// --- static and moving ---------------------------------------------------------------------------------------------

/// Updates until boxes have come to rest, and then with some of them moving.
void expect_truth_among_resting(Scene& scene, StaticAndMoving& phase, std::span<const std::size_t> movers,
                                Random& random, double step) {
  std::vector<PairKey> pairs;
  std::size_t named = 0;
  for (int look = 0; look < 12; ++look) {
    phase.find_pairs(scene.look(), pairs);
    if (look == 0 || look >= 8) {
      const std::vector<PairKey> truth = all_pairs(scene, look == 0);
      ASSERT_TRUE(pairs == truth) << look << ": " << difference(scene, pairs, truth);
      named += truth.size();
    }
    scene.seen();
    for (const std::size_t i : movers)
      scene.set(i, moved(scene.box[i], anywhere(random, -step, step)));
  }
  EXPECT_GT(named, 0u);
}

TEST(StaticAndMoving, WalksATreeWhereTheMapIsTooCoarseForColumns) {
  // Two clusters, each in a single point of the map, and a border that lies on both sides of one column.
  Random random = seeded(5251);
  Scene scene;
  std::vector<std::size_t> movers;
  for (std::size_t i = 0; i < 6000; ++i) {
    const Vector3 town = Vector3::Constant(i % 2 == 0 ? 0 : 1e8);
    scene.add(around(town + anywhere(random, 0, 20), anywhere(random, 0.2, 0.8)), i % 7 == 0);
    if (i % 150 < 2) movers.push_back(i);
  }
  for (int i = 0; i < 4; ++i)  // they reach into many columns, not all of which are crowded
    scene.add(around(Vector3::Constant(5e7), Vector3(5e7, 5e7, 5e7 - 10 * i)));
  movers.insert(movers.end(), {6000, 6001, 6002, 6003});
  StaticAndMoving phase(true);
  expect_truth_among_resting(scene, phase, movers, random, 0.5);
  EXPECT_TRUE(phase.has_tree());
}

TEST(StaticAndMoving, WalksATreeWhereLargeBoxesMoveAmongSmallOnes) {
  Random random = seeded(5252);
  Scene scene;
  std::vector<std::size_t> movers;
  for (std::size_t i = 0; i < 4000; ++i) {
    const bool is_large = i % 100 == 0;
    if (is_large) movers.push_back(i);
    const Vector3 half = is_large ? anywhere(random, 8, 12) : anywhere(random, 0.4, 0.6);
    scene.add(around(anywhere(random, 0, 20), half), i % 7 == 0);
  }
  StaticAndMoving phase(true);
  expect_truth_among_resting(scene, phase, movers, random, 0.5);
  EXPECT_TRUE(phase.has_tree());
}

TEST(StaticAndMoving, NeedsNoTreeForBoxesThatAreSpread) {
  Random random = seeded(5253);
  Scene scene;
  std::vector<std::size_t> movers;
  for (std::size_t i = 0; i < 4000; ++i) {
    scene.add(around(anywhere(random, 0, 30), std::pow(10, uniform(random, -1.5, 0.3)) * anywhere(random, 0.5, 1)));
    if (i % 20 == 0) movers.push_back(i);
  }
  scene.box[7] = around(Vector3::Constant(15), Vector3(20, 20, 1));
  StaticAndMoving phase(true);
  expect_truth_among_resting(scene, phase, movers, random, 0.5);
  EXPECT_FALSE(phase.has_tree());
}

// --- sweep and prune -----------------------------------------------------------------------------------------------

TEST(SweepAndPrune, SwapsOnlyWhatPassesEachOther) {
  SweepAndPrune phase({.table = Table::sparse});
  Scene scene;
  for (int i = 0; i < 100; ++i)
    scene.add(around(Vector3::Constant(3 * i), Vector3::Ones()));
  std::vector<PairKey> pairs;
  phase.find_pairs(scene.look(), pairs);
  EXPECT_EQ(phase.cost().merged, 100u);
  EXPECT_EQ(phase.cost().swaps, 0u);
  scene.seen();
  // All move by less than the gaps, so no end passes another.
  for (std::size_t i = 0; i < scene.size(); ++i)
    scene.set(i, moved(scene.box[i], Vector3::Constant(0.5)));
  phase.find_pairs(scene.look(), pairs);
  EXPECT_EQ(phase.cost().swaps, 0u);
  EXPECT_EQ(phase.cost().inserted, 100u);
  scene.seen();
  // One moves into the next: along each axis, its upper end passes the lower end of the next one.
  scene.set(50, moved(scene.box[50], Vector3::Constant(1.5)));
  phase.find_pairs(scene.look(), pairs);
  EXPECT_EQ(phase.cost().swaps, 3u);
  EXPECT_EQ(pairs, std::vector<PairKey>{pair_key(50, 51)});
  scene.seen();
  scene.set(50, moved(scene.box[50], Vector3::Constant(-1.5)));
  phase.find_pairs(scene.look(), pairs);
  EXPECT_EQ(phase.cost().swaps, 3u);
  EXPECT_TRUE(pairs.empty());
}

TEST(SweepAndPrune, SortsAnewWhereEverythingJumps) {
  Random random = seeded(5301);
  SweepAndPrune adaptive({.table = Table::sparse}), stubborn({.table = Table::sparse, .always_insert = true});
  Scene scene;
  std::vector<PairKey> pairs, other;
  for (int look = 0; look < 3; ++look) {
    for (std::size_t i = 0; i < 2000; ++i) {
      const Aabb box = around(anywhere(random, 0, 40), anywhere(random, 0.1, 0.5));
      look == 0 ? scene.add(box) : scene.set(i, box);
    }
    adaptive.find_pairs(scene.look(), pairs);
    stubborn.find_pairs(scene.look(), other);
    EXPECT_EQ(pairs, other);
    EXPECT_EQ(adaptive.cost().merged, 2000u);
    EXPECT_EQ(adaptive.cost().swaps, 0u);
    if (look > 0) {
      EXPECT_EQ(stubborn.cost().merged, 0u);
      EXPECT_GT(stubborn.cost().swaps, 1000000u);
    }
    scene.seen();
  }
  // A few jump, and only they are merged in.
  for (std::size_t i = 0; i < 20; ++i)
    scene.set(100 * i, around(anywhere(random, 0, 40), anywhere(random, 0.1, 0.5)));
  adaptive.find_pairs(scene.look(), pairs);
  EXPECT_EQ(adaptive.cost().merged + adaptive.cost().inserted, 20u);
}

TEST(SweepAndPrune, GivesUpInsertionWhereMorePassThanItsSampleSaid) {
  for (const Table table : {Table::dense, Table::sparse}) {
    for (const std::size_t movers : {2000u, 200u}) {
      Random random = seeded(5302);
      SweepAndPrune phase({.table = table});
      Scene scene;
      for (std::size_t i = 0; i < 2000; ++i)
        scene.add(around(anywhere(random, 0, 25), anywhere(random, 0.1, 0.5)), i >= 1900);
      std::vector<PairKey> pairs;
      for (int look = 0; look < 3; ++look) {
        phase.find_pairs(scene.look(), pairs);
        ASSERT_EQ(pairs, all_pairs(scene, look == 0));
        if (look > 0) {
          EXPECT_TRUE(phase.cost().sorted_anew);
          EXPECT_GE(phase.cost().inserted, movers - 1);
        }
        scene.seen();
        // A sample of 64 would include only those that stay.
        const std::size_t step = (movers + 63) / 64;
        for (std::size_t i = 0; i < movers; ++i)
          scene.set(i, i % step == 0 ? scene.box[i] : around(anywhere(random, 0, 25), anywhere(random, 0.1, 0.5)));
        if (look == 0) {
          scene.remove(1999);
          scene.add(usual(random));
        }
      }
      // The new order stays valid from then on.
      for (std::size_t i = 0; i < movers; ++i)
        scene.set(i, moved(scene.box[i], anywhere(random, -0.01, 0.01)));
      phase.find_pairs(scene.look(), pairs);
      scene.seen();
      for (std::size_t i = 0; i < movers; ++i)
        scene.set(i, moved(scene.box[i], anywhere(random, -0.01, 0.01)));
      phase.find_pairs(scene.look(), pairs);
      EXPECT_EQ(pairs, all_pairs(scene, false));
      EXPECT_FALSE(phase.cost().sorted_anew);
    }
  }
}

TEST(SweepAndPrune, TheSparseFormHoldsMemoryForBoxesAndPairsOnly) {
  // Flat and in a row: 2000 boxes that all overlap along two axes, and hardly along the third.
  SweepAndPrune sparse({.table = Table::sparse}), dense({.table = Table::dense});
  Scene scene;
  for (int i = 0; i < 2000; ++i)
    scene.add(around(Vector3(2.5 * i, 0, 0), Vector3(1, 50, 50)));
  std::vector<PairKey> pairs;
  for (int look = 0; look < 4; ++look) {
    sparse.find_pairs(scene.look(), pairs);
    dense.find_pairs(scene.look(), pairs);
    scene.seen();
    for (std::size_t i = 0; i < scene.size(); ++i)
      scene.set(i, moved(scene.box[i], Vector3(0.1, i % 2 == 0 ? 5 : -5, 0)));
  }
  EXPECT_LT(sparse.memory(), 2000u * 600u);
  EXPECT_GT(dense.memory(), 2000u * 1999u / 2);
  EXPECT_FALSE(sparse.is_dense());
  EXPECT_TRUE(dense.is_dense());
}

// --- hashed grid ---------------------------------------------------------------------------------------------------

TEST(HashedGrid, DoesNotCompareWhatIsFarApartWhateverTheSizes) {
  // Sizes from one to a thousand, spread so that hardly any overlap: far fewer comparisons than the two million pairs.
  Random random = seeded(5401);
  Scene scene;
  for (int i = 0; i < 2000; ++i)
    scene.add(around(anywhere(random, 0, 1000), std::pow(10, uniform(random, -1.5, 1.5)) * anywhere(random, 0.5, 1)));
  HashedGrid phase;
  std::vector<PairKey> pairs;
  phase.find_pairs(scene.look(), pairs);
  EXPECT_EQ(pairs, all_pairs(scene, true));
  EXPECT_LT(phase.cost().compared, 40u * scene.size());
}

TEST(HashedGrid, LetsBoxesRestThatHaveCeasedToMove) {
  Random random = seeded(5402);
  Scene scene;
  for (int i = 0; i < 2000; ++i)
    scene.add(around(anywhere(random, 0, 30), anywhere(random, 0.2, 0.6)));
  HashedGrid phase;
  std::vector<PairKey> pairs;
  int settled = 0;
  std::uint64_t compared = 0;
  for (int look = 0; look < 40; ++look) {
    phase.find_pairs(scene.look(), pairs);
    EXPECT_EQ(pairs, all_pairs(scene, look == 0)) << look;
    scene.seen();
    if (look == 0) {
      EXPECT_EQ(phase.cost().moving, 2000u);
    } else {
      settled += phase.cost().settled ? 1 : 0;
      compared += phase.cost().compared;
      EXPECT_LE(phase.cost().moving, 1000u);
    }
    // Different ones each time.
    for (std::size_t i = 0; i < 20; ++i) {
      const std::size_t number = std::uniform_int_distribution<std::size_t>(0, scene.size() - 1)(random);
      scene.set(number, moved(scene.box[number], anywhere(random, -1, 1)));
    }
  }
  EXPECT_GE(settled, 1);
  EXPECT_LE(settled, 10);
  EXPECT_LT(compared, 40u * 2000u);
}

// --- space-time bounds ---------------------------------------------------------------------------------------------

/// A box that moves along each axis with a velocity that changes at most by the acceleration.
struct Flyer {
  Aabb box;
  Vector3 velocity;
  double acceleration;

  void fly(Random& random, double time) {
    // A constant acceleration for this period, slightly below the maximum to allow for rounding.
    const Vector3 a = 0.99 * acceleration * anywhere(random, -1, 1);
    box = moved(box, velocity * time + a * (time * time / 2));
    velocity += a * time;
  }
};

TEST(SpaceTimeBounds, NoContactIsEarlierThanTheEarliest) {
  Random random = seeded(5501);
  std::size_t never = 0, met = 0, tight = 0;
  for (std::size_t i = 0; i < cases(20000); ++i) {
    const auto flyer = [&] {
      const double most = chance(random, 0.3) ? 0 : std::pow(10, uniform(random, -2, 1));
      return Flyer{around(anywhere(random, -5, 5), anywhere(random, 0.1, 1)), anywhere(random, -3, 3), most};
    };
    Flyer a = flyer(), b = flyer();
    const MotionLimits of_a{a.velocity, 0, a.acceleration}, of_b{b.velocity, 0, b.acceleration};
    const double bound = baselines::earliest_contact(a.box, of_a, b.box, of_b);
    if (share_a_point(a.box, b.box)) {
      EXPECT_EQ(bound, 0);
      continue;
    }
    EXPECT_GT(bound, 0);
    never += bound == infinity ? 1 : 0;
    // With maximum acceleration toward each other, or at random.
    const bool at_random = chance(random, 0.5);
    double time = 0;
    for (int step = 0; step < 200; ++step) {
      const double while_ = 0.02;
      if (at_random) {
        a.fly(random, while_);
        b.fly(random, while_);
      } else {
        const Vector3 way = (b.box.lower + b.box.upper - a.box.lower - a.box.upper).array().sign().matrix();
        for (Flyer* f : {&a, &b}) {
          const Vector3 pull = (f == &a ? 0.999999 : -0.999999) * f->acceleration * way;
          f->box = moved(f->box, f->velocity * while_ + pull * (while_ * while_ / 2));
          f->velocity += pull * while_;
        }
      }
      time += while_;
      if (!share_a_point(a.box, b.box)) continue;
      ++met;
      ASSERT_LE(bound, time * (1 + 1e-12)) << words(a.box) << words(b.box);
      tight += bound > time - 1.5 * while_ ? 1 : 0;
      break;
    }
  }
  // They meet often, and often as early as the bound.
  EXPECT_GT(met, cases(20000) / 20);
  EXPECT_GT(tight, met / 20);
  EXPECT_GT(never, cases(20000) / 100);
}

TEST(SpaceTimeBounds, KnowsTheTimeOfPlainMeetings) {
  const Aabb a = around(Vector3::Zero(), Vector3::Ones()), b = around(Vector3(10, 0, 0), Vector3::Ones());
  const auto contact = [&](const MotionLimits& of_a, const MotionLimits& of_b) {
    return baselines::earliest_contact(a, of_a, b, of_b);
  };
  const MotionLimits still{Vector3::Zero(), 0, 0};
  EXPECT_EQ(contact(still, still), infinity);
  EXPECT_NEAR(contact({Vector3(2, 0, 0), 0, 0}, still), 4, 1e-12);
  EXPECT_NEAR(contact({Vector3(2, 0, 0), 0, 0}, {Vector3(-2, 0, 0), 0, 0}), 2, 1e-12);
  EXPECT_NEAR(contact({Vector3::Zero(), 0, 4}, still), 2, 1e-12);        // 8 = 4 t² / 2
  EXPECT_NEAR(contact({Vector3::Zero(), 2, 0}, still), 4, 1e-12);        // 8 = 2 t
  EXPECT_NEAR(contact({Vector3(-2, 0, 0), 0, 4}, still), 2.5616, 1e-4);  // 8 = −2 t + 2 t²
  EXPECT_EQ(contact({Vector3(2, 1, 0), 0, 0}, still), infinity);         // has left along the other axis by then
  EXPECT_EQ(contact({Vector3(-1, 0, 0), 0, 0}, still), infinity);
  EXPECT_EQ(contact({}, still), 0);  // nothing is known
  EXPECT_EQ(baselines::earliest_contact(a, still, Aabb{}, {}), infinity);
  // A half-space below never ends along x and y.
  const Aabb ground{Vector3::Constant(-infinity), Vector3(infinity, infinity, -5)};
  EXPECT_NEAR(baselines::earliest_contact(a, {Vector3(3, 3, -2), 0, 0}, ground, still), 2, 1e-12);
}

TEST(SpaceTimeBounds, LooksAtFewPairsAndMissesNone) {
  Random random = seeded(5502);
  baselines::SpaceTimeBounds phase;
  Scene scene;
  std::vector<Flyer> flyers;
  const double side = 30, while_ = 0.02;
  for (std::uint32_t i = 0; i < 300; ++i) {
    flyers.push_back({around(anywhere(random, 0, side), anywhere(random, 0.2, 0.7)), anywhere(random, -2, 2), 1});
    scene.add(flyers[i].box, false);
    if (i % 50 != 0) phase.promise(i, {flyers[i].velocity, 0, 1});  // the others announce no motion
  }
  std::vector<PairKey> pairs;
  std::uint64_t compared = 0, named = 0;
  const int looks = static_cast<int>(cases(200));
  for (int look = 0; look < looks; ++look) {
    phase.set_time(look * while_);
    for (std::uint32_t i = 0; i < flyers.size() && look > 0; ++i) {
      Flyer& f = flyers[i];
      f.fly(random, while_);
      bool bounced = false;
      for (int axis = 0; axis < 3; ++axis) {
        if ((f.box.lower[axis] < 0 && f.velocity[axis] < 0) || (f.box.upper[axis] > side && f.velocity[axis] > 0)) {
          f.velocity[axis] = -f.velocity[axis];
          bounced = true;
        }
      }
      const bool jumps = chance(random, 0.001), known = i % 50 != 0;
      if (jumps) f.box = around(anywhere(random, 0, side), anywhere(random, 0.2, 0.7));
      scene.set(i, f.box);
      if (!known) continue;
      if (jumps || bounced) {
        phase.promise(i, {f.velocity, 0, 1});
      } else if (i % 2 == 0) {
        phase.renew(i, {f.velocity, 0, 1});
      }
    }
    phase.find_pairs(scene.look(), pairs);
    const std::vector<PairKey> truth = all_pairs(scene, look == 0);
    ASSERT_EQ(pairs, truth) << look << ": " << difference(scene, pairs, truth);
    named += truth.size();
    if (look > 0) compared += phase.compared();
    scene.seen();
  }
  EXPECT_GT(named, 0u);
  const double share = static_cast<double>(compared) / (looks * 300.0 * 299.0 / 2);
  EXPECT_LT(share, 0.2);
  RecordProperty("share", std::to_string(share));
}

}  // namespace
}  // namespace whisker::world
