// touches, closer_than and contacts of every pair of convex shapes of which one is a cylinder, cone, ellipsoid, convex
// hull or custom shape, against a reference that proves its own bounds; and that all queries agree.

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"
#include "support/convex_cases.hpp"
#include "support/count_allocations.hpp"

namespace whisker::test {
namespace {

class TouchOfConvexPair : public testing::TestWithParam<ConvexPair> {
 protected:
  void SetUp() override {
    for (const Question question : {Question::touches, Question::distance, Question::depth})
      ASSERT_TRUE(GetParam().supported(question)) << "the pair is not supported";
  }
};

INSTANTIATE_TEST_SUITE_P(All, TouchOfConvexPair, testing::ValuesIn(all_convex_pairs()), convex_pair_name);

/// Whether the shapes are apart, decided with 384 bits if the bounds of the view leave it open.
bool proven_apart(const ConvexView& view) {
  if (view.truth.lower > 0) return true;
  const ReferenceDistance<Real> exact = view.exact_distance();
  return exact.lower > Real(1e-60) * exact.size;
}

TEST_P(TouchOfConvexPair, FalseMeansApartAndApartByMoreThanRoundingMeansFalse) {
  check_convex(GetParam(), cases(99), [](const ConvexView& view, std::ostream& wrong) {
    const bool touching = touches(view.a, view.b);
    if (!touching && !proven_apart(view) && view.slack == 0) wrong << "they share a point; ";
    if (!touching && view.truth.overlapping && view.slack > 0 &&
        -view.gap({.relative_width = 0.1, .evaluations = 500}).upper > view.slack) {
      wrong << "they overlap; ";
    }
    if (touching && view.truth.lower > 2 * view.allowed(view.truth.lower, 0)) {
      wrong << "they are " << number(view.truth.lower) << " apart, " << number(view.truth.lower / view.ulp)
            << " ulp of the size; ";
    }
    Cost cost;
    if (touching != touches(view.b, view.a)) wrong << "the orders differ; ";
    if (touching != touches(view.a, view.b, &cost)) wrong << "the cost changes the answer; ";
  });
}

TEST_P(TouchOfConvexPair, AllVerbsAgree) {
  check_convex(
      GetParam(), cases(55),
      [](const ConvexView& view, std::ostream& wrong) {
        const bool touching = touches(view.a, view.b);
        const Distance d = distance(view.a, view.b);
        const Depth p = depth(view.a, view.b);
        const Contacts c = contacts(view.a, view.b);
        if (!touching && !(d.upper > 0)) wrong << "apart, but the distance is at most " << d.upper << "; ";
        if (!touching && p.upper != 0) wrong << "apart, but the depth is up to " << p.upper << "; ";
        if (d.lower > 0 && touching) wrong << "touching, but the distance is at least " << d.lower << "; ";
        if (d.lower > 0 && p.upper > 0) wrong << "distance from " << d.lower << ", depth up to " << p.upper << "; ";
        if (p.lower > 0 && d.upper > 0 && d.lower > 0) wrong << "both deep and apart; ";
        if (!touching && closer_than(view.a, view.b, 0)) wrong << "apart, but not farther than 0; ";
        if (touching && !closer_than(view.a, view.b, 0)) wrong << "touching, but farther than 0; ";
        if (c.pairs.size() != (touching ? 1u : 0u)) {
          wrong << c.pairs.size() << " contacts where touches is " << touching << "; ";
        } else if (touching) {
          const Contact& contact = c.pairs[0];
          if (contact.a != Feature() || contact.b != Feature()) wrong << "the contact is not of the wholes; ";
          if (contact.segment.a != contact.segment.b) wrong << "the contact is no point; ";
          const double coordinate = contact.segment.a.lpNorm<Eigen::Infinity>();
          const Extended allowed = view.allowed(0, 0) + 64 * spacing_of_doubles_at(coordinate);
          const Extended off = std::max(view.off_a(contact.segment.a), view.off_b(contact.segment.a));
          if (!(off <= allowed)) {
            wrong << "the contact at " << contact.segment.a.transpose() << " is " << number(off) << " off; ";
          }
        }
      },
      1000000);
}

TEST_P(TouchOfConvexPair, CloserThanIsTrueUnlessProvenFarther) {
  check_convex(
      GetParam(), cases(33),
      [](const ConvexView& view, std::ostream& wrong) {
        const double truth = static_cast<double>(view.truth.upper);
        const Extended allowed = 2 * view.allowed(view.truth.upper, 1e-9);
        for (const double limit : {0.0, 0.5 * truth, std::nextafter(truth, 0), truth, 2 * truth}) {
          const bool closer = closer_than(view.a, view.b, limit);
          if (!closer && view.truth.upper <= Extended(limit) - view.slack) {
            wrong << "not closer than " << limit << " though " << number(view.truth.upper) << " apart; ";
          }
          if (closer && view.truth.lower > Extended(limit) + allowed) {
            wrong << "closer than " << limit << " though " << number(view.truth.lower) << " apart; ";
          }
          if (closer != closer_than(view.b, view.a, limit)) wrong << "the orders differ at " << limit << "; ";
        }
      },
      2000000);
}

TEST_P(TouchOfConvexPair, ACacheChangesNoAnswer) {
  std::mt19937_64 random = seeded(4712 + 100 * GetParam().first + GetParam().second);
  PairCache carried;
  check_convex(
      GetParam(), cases(11),
      [&](const ConvexView& view, std::ostream& wrong) {
        PairCache own;
        const double size = static_cast<double>(view.ulp) * 0x1p50;
        Pose pose = view.b.pose;
        for (int step = 0; step < 10; ++step) {
          const Placed b(view.b.shape, pose);
          const bool cold = touches(view.a, b);
          PairCache strange;
          memory_of(strange).closest_a = static_cast<std::uint32_t>(random());
          memory_of(strange).closest_b = static_cast<std::uint32_t>(random() % 9);
          memory_of(strange).apart_a = static_cast<std::uint32_t>(random());
          fill_corners(random, strange);
          for (double& x : memory_of(strange).apart_along)
            x = uniform(random, -1, 1);
          for (PairCache* cache : {&own, &carried, &strange}) {
            if (touches(view.a, b, {.cache = cache}) != cold)
              wrong << "step " << step << ": cold it is " << cold << "; ";
            distance(view.a, b, {.cache = cache});  // leaves the data that distance caches for touches
            if (touches(view.a, b, {.cache = cache}) != cold)
              wrong << "step " << step << ": after distance, not " << cold << "; ";
          }
          const Distance apart = distance(view.a, b);
          for (const double limit : {0.0, 0.5 * apart.upper, apart.lower, apart.upper, 2 * apart.upper}) {
            const bool cold_closer = closer_than(view.a, b, limit);
            for (PairCache* cache : {&own, &carried, &strange})
              if (closer_than(view.a, b, limit, {.cache = cache}) != cold_closer)
                wrong << "step " << step << ": closer than " << limit << " is not " << cold_closer << "; ";
          }
          pose = moved_on(pose, 0.005, size * Vector3(0.01, -0.004, 0.007));
        }
      },
      3000000);
}

TEST_P(TouchOfConvexPair, NothingIsAllocatedOnceWarm) {
  std::vector<ConvexCase> all;
  for (std::size_t i = 0; i < 2 * convex_family_count; ++i)
    all.push_back(make_convex_case(GetParam().first, GetParam().second, 4000000 + i));
  PairCache cache;
  const auto ask = [&all, &cache] {
    bool any = false;
    for (const ConvexCase& c : all) {
      any |= touches({c.a.shape, c.pose_a}, {c.b.shape, c.pose_b});
      any |= touches({c.a.shape, c.pose_a}, {c.b.shape, c.pose_b}, {.cache = &cache});
      any |= distance({c.a.shape, c.pose_a}, {c.b.shape, c.pose_b}).upper > 0;
      any |= distance({c.a.shape, c.pose_a}, {c.b.shape, c.pose_b}, {.cache = &cache}).upper > 0;
      any |= closer_than({c.a.shape, c.pose_a}, {c.b.shape, c.pose_b}, 0.1);
      any |= closer_than({c.a.shape, c.pose_a}, {c.b.shape, c.pose_b}, 0.1, {.cache = &cache});
    }
    return any;
  };
  ask();
  const std::size_t before = allocations.load();
  ask();
  EXPECT_EQ(allocations.load() - before, 0u) << "allocations in " << 6 * all.size() << " queries";
}

// ---- exact contact

/// Shapes that meet in exactly one point, edge or face with simple coordinates, and the same slightly apart.
TEST(TouchOfConvexShapes, ExactContactTouchesAndAThousandthAwayDoesNot) {
  const std::vector<Vector3> cube = convex_cases::box_points(Vector3(2, 2, 2));
  const Shape hull = ConvexHull(cube), box = Box{Vector3(2, 2, 2)}, cylinder = Cylinder{1, 2}, cone = Cone{1, 2},
              egg = Ellipsoid{Vector3(1, 1, 1)}, sphere = Sphere{1}, capsule = Capsule{0.5, 1},
              custom = CustomConvex([](const Vector3&d) { return Vector3(d / std::sqrt(d.dot(d))); }, 1e-15);
  const std::vector<std::pair<const char*, const Shape*>> unit = {
      {"hull", &hull},     {"box", &box},       {"cylinder", &cylinder}, {"cone", &cone},
      {"ellipsoid", &egg}, {"sphere", &sphere}, {"capsule", &capsule},   {"custom", &custom}};
  // All of these reach from -1 to 1 along z, so that one above the other touches.
  for (const auto& [name_a, a] : unit) {
    for (const auto& [name_b, b] : unit) {
      if (!is_supported(Question::touches, a->kind(), b->kind())) {
        ADD_FAILURE() << name_a << " and " << name_b << " are not supported";
        continue;
      }
      EXPECT_TRUE(touches({*a}, {*b, Pose(Vector3(0, 0, 2))})) << name_a << " below " << name_b;
      EXPECT_FALSE(touches({*a}, {*b, Pose(Vector3(0, 0, 2.001))})) << name_a << " below " << name_b;
      EXPECT_TRUE(touches({*a}, {*b, Pose(Vector3(0, 0, 1.999))})) << name_a << " below " << name_b;
    }
  }
}

TEST(TouchOfConvexShapes, EqualCubesAsHullsMeetFaceToFaceEdgeToEdgeAndVertexToVertex) {
  const std::vector<Vector3> points = convex_cases::box_points(Vector3(1, 1, 1));
  const Shape cube = ConvexHull(points);
  if (!is_supported(Question::touches, ShapeKind::convex_hull, ShapeKind::convex_hull)) GTEST_FAIL() << "not supported";
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        for (const double shift : {0.0, 0.25}) {
          Vector3 at(x, y, z);
          for (int i = 0; i < 3; ++i) {
            if (at[i] == 0) at[i] = shift;
          }
          EXPECT_TRUE(touches({cube}, {cube, Pose(at)})) << at.transpose();
          const Distance d = distance({cube}, {cube, Pose(at)});
          EXPECT_EQ(d.lower, 0) << at.transpose();
          EXPECT_LE(d.upper, 1e-14) << at.transpose();
          for (int i = 0; i < 3; ++i) {
            if (std::abs(at[i]) != 1) continue;
            Vector3 apart = at;
            apart[i] *= 1 + 1e-10;
            EXPECT_FALSE(touches({cube}, {cube, Pose(apart)})) << apart.transpose();
            apart[i] = std::nextafter(at[i], 2 * at[i]);
            const Distance beside = distance({cube}, {cube, Pose(apart)});
            EXPECT_LE(beside.lower, std::numeric_limits<double>::epsilon()) << apart.transpose();
            EXPECT_GE(beside.upper, std::numeric_limits<double>::epsilon()) << apart.transpose();
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace whisker::test
