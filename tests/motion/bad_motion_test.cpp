// User-defined motions that return invalid values: the query throws an Error, and does not hang or return nonsense.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/first_contact.hpp>
#include <whisker/make/make.hpp>
#include <whisker/world.hpp>

#include "geometry/constants.hpp"
#include "support/error_of.hpp"

namespace whisker {
namespace {

using test::error_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A straight motion along x to the origin, from 9 away, given by functions.
CustomMotion good_motion() {
  CustomMotion motion;
  motion.start = Pose(Vector3(9, 0, 0));
  motion.pose = [](double t) { return Pose(Vector3(9 - 9 * t, 0, 0)); };
  motion.way = [](double from, double to, double) { return 9 * (to - from) * (1 + 1e-12); };
  motion.error = 1e-12;
  return motion;
}

/// The same, with the pose modified from time 0.25 on.
CustomMotion bad_pose(const std::function<void(Matrix3&, Vector3&)>& spoil) {
  CustomMotion motion = good_motion();
  motion.pose = [spoil](double t) {
    Matrix3 rotation = Matrix3::Identity();
    Vector3 translation(9 - 9 * t, 0, 0);
    if (t > 0.25) spoil(rotation, translation);
    return Pose(rotation, translation);
  };
  return motion;
}

std::vector<CustomMotion> bad_poses() {
  return {bad_pose([](Matrix3&, Vector3& translation) { translation[1] = nan; }),
          bad_pose([](Matrix3&, Vector3& translation) { translation[2] = infinity; }),
          bad_pose([](Matrix3& rotation, Vector3&) { rotation(0, 1) = nan; }),
          bad_pose([](Matrix3& rotation, Vector3&) { rotation *= 2; }),
          bad_pose([](Matrix3& rotation, Vector3&) { rotation(0, 0) = -1; })};
}

std::vector<Shape> shapes() {
  return {Sphere{1}, Box{Vector3(1, 1, 1)}, Cylinder{1, 1}, Mesh(make::torus({.around = 12, .across = 8}))};
}

TEST(BadMotion, TheGoodOneMeets) {
  for (const Shape& a : shapes())
    for (const Shape& b : shapes())
      EXPECT_EQ(first_contact({a, good_motion()}, {b, Still{Pose(Vector3(0.5, 0, 0))}}).status, ImpactStatus::touch);
}

TEST(BadMotion, APoseThatIsNoneIsAnError) {
  for (const CustomMotion& motion : bad_poses()) {
    EXPECT_NE(error_of([&] { pose_at(motion, 0.5); }).find("at time 0.5"), std::string::npos);
    for (const Shape& a : shapes()) {
      for (const Shape& b : shapes()) {
        const auto said = [&](auto&& ask) { return error_of([&] { ask(Moving(a, motion), Moving(b)); }); };
        EXPECT_NE(said([](const Moving& x, const Moving& y) { first_contact(x, y); }).find("`pose` of a custom motion"),
                  std::string::npos);
        EXPECT_NE(said([](const Moving& x, const Moving& y) { first_contact(y, x); }).find("`pose` of a custom motion"),
                  std::string::npos);
        EXPECT_NE(
            said([](const Moving& x, const Moving& y) { touches_during(x, y); }).find("`pose` of a custom motion"),
            std::string::npos);
      }
    }
    World world;
    const BodyId id = world.add(Sphere{1}, motion.start);
    world.add(Sphere{1});
    world.update();
    const BodyMotion motions[] = {{id, motion}};
    EXPECT_NE(error_of([&] { world.first_contacts(motions); }).find("`pose` of a custom motion"), std::string::npos);
    EXPECT_NE(error_of([&] { world.move_to_first_contact(motions); }).find("`pose` of a custom motion"),
              std::string::npos);
    EXPECT_EQ(world.pose(id).translation()[0], 9);
  }
}

TEST(BadMotion, AWayThatIsNoneIsAnError) {
  for (const double bad : {nan, -nan, -1.0, -infinity}) {
    for (const double from_time : {-1.0, 0.25}) {  // always, or later on
      CustomMotion motion = good_motion();
      motion.way = [=](double from, double to, double) { return from > from_time ? bad : 9 * (to - from); };
      const Shape ball = Sphere{1};
      EXPECT_NE(error_of([&] {
                  first_contact({ball, motion}, {ball});
                }).find("`way` of a custom motion"),
                std::string::npos)
          << bad;
      if (from_time < 0) {
        EXPECT_NE(error_of([&] { swept_bounds(ball, motion); }).find("`way` of a custom motion"), std::string::npos);
      }
    }
  }
}

TEST(BadMotion, APaceThatIsNoneIsAnError) {
  const Turning turning{.start = Pose(Vector3(9, 0, 0)), .by = Vector3(-9, 0, 0)};
  const Shape ball = Sphere{1};
  const auto said = [&](const std::function<double(double)>& pace) {
    return error_of([&] { first_contact({ball, with_pace(turning, pace)}, {ball}); });
  };
  EXPECT_EQ(said([](double t) { return t * t; }), "no error");
  EXPECT_NE(said([](double t) { return t > 0.25 && t < 0.9 ? nan : t; }).find("pace"), std::string::npos);
  EXPECT_NE(said([](double t) { return t > 0.25 ? infinity : t; }).find("pace"), std::string::npos);
  EXPECT_NE(said([](double t) { return 1 - t; }).find("the pace decreases"), std::string::npos);
}

TEST(BadMotion, WithoutItsFunctionsItHasNoPoses) {
  CustomMotion motion = good_motion();
  const CustomMotion taken = std::move(motion);
  EXPECT_NE(error_of([&] { pose_at(motion, 0.5); }).find("needs its function"), std::string::npos);
  EXPECT_NE(error_of([&] { check(Motion(motion)); }).find("both functions"), std::string::npos);
  EXPECT_EQ(error_of([&] { pose_at(taken, 0.5); }), "no error");
}

}  // namespace
}  // namespace whisker
