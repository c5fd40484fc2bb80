// A user-defined broad phase: the interface provides everything that it needs, and its errors are reported.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/methods/broad_phases.hpp>
#include <whisker/world.hpp>

#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "world/random_bodies.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_shape;
using test::random_vector;
using test::seeded;
using test::turned_pose;
using test::uniform;

/// As in the documentation of the interface.
class AllPairs final : public BroadPhase {
 public:
  void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override {
    pairs.clear();
    for (std::uint32_t a = 0; a < boxes.box.size(); ++a)
      for (std::uint32_t b = a + 1; b < boxes.box.size(); ++b)
        if (boxes.is_pair(a, b)) pairs.push_back(pair_key(a, b));
  }
};

/// Passes the boxes to another broad phase, and checks the guarantees of the interface.
class Checked final : public BroadPhase {
 public:
  void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override {
    const std::size_t count = boxes.box.size();
    ASSERT_EQ(boxes.is_changed.size(), count);
    ASSERT_EQ(boxes.is_static.size(), count);
    ASSERT_GE(count, last_.size());
    std::vector<std::uint32_t> changed;
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_LE(boxes.is_changed[i], 1);
      ASSERT_LE(boxes.is_static[i], 1);
      if (boxes.is_changed[i] != 0) {
        changed.push_back(i);
        continue;
      }
      ASSERT_FALSE(is_first_);
      ASSERT_LT(i, last_.size());
      ASSERT_TRUE(boxes.box[i].empty() ? last_[i].empty()
                                       : boxes.box[i].lower == last_[i].lower && boxes.box[i].upper == last_[i].upper);
      ASSERT_EQ(boxes.is_static[i], was_fixed_[i]);
    }
    ASSERT_EQ(changed, std::vector<std::uint32_t>(boxes.changed.begin(), boxes.changed.end()));
    last_.assign(boxes.box.begin(), boxes.box.end());
    was_fixed_.assign(boxes.is_static.begin(), boxes.is_static.end());
    is_first_ = false;
    all_.find_pairs(boxes, pairs);
  }

 private:
  AllPairs all_;
  bool is_first_ = true;
  std::vector<Aabb> last_;
  std::vector<std::uint8_t> was_fixed_;
};

void expect_same(const World& world, const World& other) {
  ASSERT_TRUE(std::ranges::equal(world.touching(), other.touching()));
  ASSERT_TRUE(std::ranges::equal(world.events(), other.events()));
  ASSERT_EQ(world.near_pairs(), other.near_pairs());
  ASSERT_EQ(world.report().pairs, other.report().pairs);
  ASSERT_EQ(world.report().tested, other.report().tested);
  ASSERT_EQ(world.report().moved, other.report().moved);
  ASSERT_EQ(world.unresolved().size(), other.unresolved().size());
  for (std::size_t i = 0; i < world.unresolved().size(); ++i) {
    ASSERT_EQ(world.unresolved()[i].pair, other.unresolved()[i].pair);
    ASSERT_EQ(world.unresolved()[i].lower, other.unresolved()[i].lower);
    ASSERT_EQ(world.unresolved()[i].upper, other.unresolved()[i].upper);
  }
}

TEST(UserBroadPhase, GivesTheAnswersOfEveryOther) {
  auto random = seeded(141);
  std::size_t touching = 0;
  for (std::size_t run = 0; run < cases(10); ++run) {
    std::vector<World> worlds;
    worlds.emplace_back();
    const BroadPhaseFactory others[] = {[] { return std::make_unique<AllPairs>(); },
                                        [] { return std::make_unique<Checked>(); },
                                        column_sweep(),
                                        static_and_moving(),
                                        methods::sweep_and_prune(),
                                        methods::hashed_grid()};
    for (const BroadPhaseFactory& other : others)
      worlds.emplace_back(WorldOptions{.broad_phase = other});
    std::vector<BodyId> ids;
    const auto all = [&](const auto& change) {
      for (World& world : worlds)
        change(world);
    };
    for (int step = 0; step < 40; ++step) {
      for (std::size_t change = 0; change < 8 || ids.size() < 20; ++change) {
        const auto what = ids.size() < 20 ? 0 : random() % 8;
        const BodyOptions options{.is_static = random() % 4 == 0, .layers = random() % 5 == 0 ? 2u : 1u};
        if (what < 2) {
          const Shape shape = random() % 20 == 0 ? Shape(HalfSpace{Vector3::UnitZ(), -2}) : random_shape(random);
          const Pose pose = turned_pose(random, 3);
          BodyId added;
          all([&](World& world) { added = world.add(shape, pose, options); });
          ids.push_back(added);
        } else {
          const std::size_t i = random() % ids.size();
          const BodyId id = ids[i];
          if (what == 2) {
            all([&](World& world) { world.remove(id); });
            ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
          } else if (what == 3) {
            all([&](World& world) { world.set_options(id, options); });
          } else {
            Pose pose = worlds[0].pose(id);
            pose.set_translation(pose.translation() + random_vector(random, 0.3));
            all([&](World& world) { world.move(id, pose); });
          }
        }
      }
      const UpdateOptions limits = step % 5 == 4 ? UpdateOptions{.budget = 3} : UpdateOptions{};
      all([&](World& world) { world.update(limits); });
      for (std::size_t w = 1; w < worlds.size(); ++w)
        ASSERT_NO_FATAL_FAILURE(expect_same(worlds[0], worlds[w]))
            << "world " << w << ", run " << run << ", step " << step;
      touching += worlds[0].touching().size();
    }
  }
  EXPECT_GT(touching, 0u);
}

/// Throws at some calls, and returns wrong pairs at others.
struct Script {
  enum What { right, throws, unsorted, twice, same, too_large } next = right;
};
class Scripted final : public BroadPhase {
 public:
  explicit Scripted(std::shared_ptr<const Script> script) : script_(std::move(script)) {}
  void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override {
    all_.find_pairs(boxes, pairs);
    const auto count = static_cast<std::uint32_t>(boxes.box.size());
    switch (script_->next) {
      case Script::throws:
        throw std::runtime_error("out of order");
      case Script::unsorted:
        pairs = {pair_key(1, 2), pair_key(0, 1)};
        break;
      case Script::twice:
        pairs = {pair_key(0, 1), pair_key(0, 1)};
        break;
      case Script::same:
        pairs = {PairKey{1} << 32 | 1};
        break;
      case Script::too_large:
        pairs = {pair_key(0, count)};
        break;
      case Script::right:
        break;
    }
  }

 private:
  AllPairs all_;
  std::shared_ptr<const Script> script_;
};

TEST(UserBroadPhase, MayThrowAndIsAskedAgain) {
  for (const Script::What what : {Script::throws, Script::unsorted, Script::twice, Script::same, Script::too_large}) {
    const auto script = std::make_shared<Script>();
    World world({.broad_phase = [script] { return std::make_unique<Scripted>(script); }});
    World twin;
    std::vector<BodyId> ids;
    for (int i = 0; i < 5; ++i) {
      ids.push_back(world.add(Sphere{1}, Pose(Vector3(1.5 * i, 0, 0))));
      twin.add(Sphere{1}, Pose(Vector3(1.5 * i, 0, 0)));
    }
    world.update();
    twin.update();
    ASSERT_NO_FATAL_FAILURE(expect_same(world, twin));
    // One body leaves, one moves and one is added while the broad phase fails; and once more.
    for (int round = 0; round < 2; ++round) {
      for (World* w : {&world, &twin}) {
        if (round == 0) w->remove(ids[2]);
        w->move(ids[1], Pose(Vector3(2.8 + round, 0, 0)));
        w->add(Sphere{0.5}, Pose(Vector3(3, round, 0)));
      }
      script->next = what;
      EXPECT_ANY_THROW(world.update());
      EXPECT_ANY_THROW(world.update());
      script->next = Script::right;
      world.update();
      twin.update();
      ASSERT_NO_FATAL_FAILURE(expect_same(world, twin));
      EXPECT_GT(world.touching().size(), 0u);
    }
  }
}

TEST(UserBroadPhase, ThatIsNotThereIsAnError) {
  const WorldOptions none{.broad_phase = [] { return std::unique_ptr<BroadPhase>(); }};
  EXPECT_NE(test::error_of([&] { const World world(none); }).find("broad phase"), std::string::npos);
}

}  // namespace
}  // namespace whisker
