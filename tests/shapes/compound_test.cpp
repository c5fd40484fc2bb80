// Compound: the union of placed shapes.

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>
#include <whisker/shape.hpp>

#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::turned_pose;
using test::uniform;

/// Two boxes of volume 8 and 16, at x = -3 and x = 3.
Compound dumbbell() {
  return Compound({{Box{{2, 2, 2}}, Pose(Vector3(-3, 0, 0))}, {Box{{4, 2, 2}}, Pose(Vector3(3, 0, 0))}});
}

TEST(Compound, RefusesToBeEmpty) {
  EXPECT_THROW(Compound({}), Error);
}

TEST(Compound, KeepsItsPartsAndSharesThem) {
  const Compound compound = dumbbell();
  ASSERT_EQ(compound.parts().size(), 2u);
  EXPECT_EQ(compound.parts()[1].shape.as<Box>()->size, Vector3(4, 2, 2));
  EXPECT_EQ(compound.parts()[1].pose.translation(), Vector3(3, 0, 0));
  const Compound copy = compound;
  EXPECT_EQ(copy.parts().data(), compound.parts().data());
}

TEST(Compound, BoundsEncloseAllParts) {
  const Shape shape = dumbbell();
  EXPECT_TRUE(shape.bounds().contains({-4, -1, -1}));
  EXPECT_TRUE(shape.bounds().contains({5, 1, 1}));
  EXPECT_LT((shape.bounds().lower - Vector3(-4, -1, -1)).norm(), 1e-13);
  EXPECT_LT((shape.bounds().upper - Vector3(5, 1, 1)).norm(), 1e-13);
}

TEST(Compound, PlacedBoundsEncloseThePlacedParts) {
  auto random = seeded(71);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Pose inner = turned_pose(random, 5), outer = turned_pose(random, 5);
    const Shape part = Box{Vector3(1, 2, 3)};
    const Shape shape = Compound({{part, inner}, {Sphere{0.5}, turned_pose(random, 5)}});
    const Aabb bounds = shape.bounds(outer);
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3 local(corner & 1 ? 0.5 : -0.5, corner & 2 ? 1 : -1, corner & 4 ? 1.5 : -1.5);
      const Vector3 point = place(outer, place(inner, local));
      EXPECT_TRUE((point.array() <= bounds.upper.array() + 1e-14).all());
      EXPECT_TRUE((point.array() >= bounds.lower.array() - 1e-14).all());
    }
  }
}

TEST(Compound, VolumeAndCentroidAreThoseOfTheParts) {
  const Shape shape = dumbbell();
  EXPECT_DOUBLE_EQ(shape.volume(), 24);
  EXPECT_LT((shape.centroid() - Vector3(1, 0, 0)).norm(), 1e-14);
}

TEST(Compound, CentroidOfPartsWithoutVolumeIsTheirMean) {
  const Shape shape = Compound({{Segment{{0, 0, 0}, {2, 0, 0}}, Pose(Vector3(0, 1, 0))}, {Sphere{0}, Pose()}});
  EXPECT_EQ(shape.volume(), 0);
  EXPECT_LT((shape.centroid() - Vector3(0.5, 0.5, 0)).norm(), 1e-15);
}

TEST(Compound, CentroidOfTheLargestPartsIsFinite) {
  const Shape shape = Compound({{Box{Vector3::Constant(1e90)}, Pose(Vector3(-5e89, 0, 0))},
                                {Box{Vector3::Constant(1e90)}, Pose(Vector3(7e89, 0, 0))}});
  EXPECT_NEAR(shape.centroid()[0] / 1e89, 1, 1e-12);
}

TEST(Compound, MayHoldCompounds) {
  const Shape twice = Compound({{dumbbell(), Pose(Vector3(0, 10, 0))}, {dumbbell(), Pose(Vector3(0, -10, 0))}});
  EXPECT_DOUBLE_EQ(twice.volume(), 48);
  EXPECT_LT((twice.centroid() - Vector3(1, 0, 0)).norm(), 1e-14);
  EXPECT_TRUE(twice.bounds().contains({5, 11, 1}));
  EXPECT_FALSE(twice.bounds().contains({5, 11.1, 1}));
  EXPECT_FALSE(twice.is_unbounded());
}

// Each level contains the previous one twice: n levels have 2^n parts.
Compound doubled(int levels, const Shape& shape = Box{{1, 1, 1}}) {
  Compound result({{shape}});
  for (int i = 0; i < levels; ++i)
    result = Compound({{result, Pose(Vector3(std::ldexp(1.0, i), 0, 0))}, {result}});
  return result;
}

TEST(Compound, NestedByDoublingStopsAtItsLimitBeforeItCostsTime) {
  const auto start = std::chrono::steady_clock::now();
  const Compound most = doubled(31);
  const Shape shape = most;
  // 2^31 boxes side by side.
  EXPECT_EQ(most.volume(), 0x1p31);
  EXPECT_NEAR(most.centroid()[0], (0x1p31 - 1) / 2, 1);
  EXPECT_NEAR(most.bounds().upper[0], 0x1p31 - 0.5, 10);
  EXPECT_FALSE(shape.is_unbounded());
  EXPECT_TRUE(shape.bounds(Pose(Vector3(5, 0, 0))).contains(Vector3(0x1p31 + 4.5, 0.5, 0.5)));
  EXPECT_TRUE(Shape(doubled(20, HalfSpace{})).is_unbounded());
  const std::string said = test::error_of([&] { doubled(60); });
  EXPECT_NE(said.find("2^32 parts or more"), std::string::npos) << said;
  // A chain of compounds has no more parts, and is refused because of its depth.
  Compound chain({{Sphere{1}}});
  for (std::size_t i = 1; i < Compound::max_nesting; ++i)
    chain = Compound(std::vector<CompoundPart>{{Shape(chain)}});
  EXPECT_NE(test::error_of([&] { Compound(std::vector<CompoundPart>{{Shape(chain)}}); }).find("nested deeper"),
            std::string::npos);
  // If nested compounds did not share their computed properties, 2^32 parts would be visited, which takes more than
  // half a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Compound, OneNestedByDoublingIsAskedWhatItTouches) {
  const Shape shape = doubled(31);
  const Pose above(Vector3(12345678, 0, 2));
  EXPECT_TRUE(touches(shape, {Sphere{1.6}, above}));
  EXPECT_FALSE(touches(shape, {Sphere{1.4}, above}));
}

TEST(Compound, PlacedBoundsOfManyNestedPartsEncloseThem) {
  auto random = seeded(73);
  for (std::uint64_t round = 0; round < cases(50); ++round) {
    // 2^13 balls, which do not shrink with a slightly inexact rotation.
    const Pose step = turned_pose(random, 5);
    Compound many({{Sphere{1}, turned_pose(random, 5)}});
    for (int i = 0; i < 13; ++i)
      many = Compound({{many, step}, {many, turned_pose(random, 5)}});
    Pose pose = turned_pose(random, 5);
    pose.set_rotation(pose.rotation() * (1 - 4e-10));
    const Aabb box = Shape(many).bounds(pose);
    // Follows a random path down to one of the balls.
    for (int tries = 0; tries < 100; ++tries) {
      Pose at = pose;
      const Shape* inner = nullptr;
      for (const Compound* c = &many; c != nullptr; c = inner->as<Compound>()) {
        const CompoundPart& part = c->parts()[random() % c->parts().size()];
        at = compose(at, part.pose);
        inner = &part.shape;
      }
      const Aabb ball = inner->bounds(at);
      EXPECT_TRUE(box.contains(ball.lower) && box.contains(ball.upper));
    }
  }
}

TEST(Compound, WithAnUnboundedPartIsUnbounded) {
  const Shape shape = Compound({{dumbbell(), Pose()}, {HalfSpace{}, Pose()}});
  EXPECT_TRUE(shape.is_unbounded());
  EXPECT_TRUE(Shape(Compound({{shape, Pose()}})).is_unbounded()) << "nested";
  EXPECT_EQ(shape.volume(), std::numeric_limits<double>::infinity());
  EXPECT_THROW(shape.centroid(), Error);
  EXPECT_EQ(shape.bounds().upper[0], std::numeric_limits<double>::infinity());
}

TEST(Compound, HasNoSupportMapping) {
  const Shape shape = dumbbell();
  EXPECT_FALSE(shape.has_support());
  EXPECT_THROW(shape.support({1, 0, 0}), Error);
}

}  // namespace
}  // namespace whisker
