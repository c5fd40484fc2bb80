// Rigid motions and the first contact of rotating shapes: never later than a contact found by dense sampling, and
// within the tolerance of it.

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_pose;
using test::seeded;
using test::uniform;
using test::scenes::any_rotation;
using test::scenes::unit_vector;

using LongMatrix = Eigen::Matrix<long double, 3, 3>;
using LongVector = Eigen::Matrix<long double, 3, 1>;
using std::numbers::pi;

/// The position of a point of the body at time t, in long double.
LongVector truth(const Turning& motion, const Vector3& point, long double t) {
  const LongVector turn = motion.turn.cast<long double>() * t;
  const long double angle = turn.norm();
  LongMatrix r = LongMatrix::Identity();
  if (angle > 0) r = Eigen::AngleAxis<long double>(angle, turn / angle).toRotationMatrix();
  const LongVector x = motion.start.rotation().cast<long double>() * point.cast<long double>() +
                       motion.start.translation().cast<long double>();
  const LongVector center = motion.center.cast<long double>();
  return center + t * motion.by.cast<long double>() + r * (x - center);
}

double off(const Pose& a, const Pose& b) {
  return std::max((a.rotation() - b.rotation()).cwiseAbs().maxCoeff(),
                  (a.translation() - b.translation()).cwiseAbs().maxCoeff());
}

TEST(RigidMotion, BothEndsAreMet) {
  auto random = seeded(701);
  double worst = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Pose from = random_pose(random, 1);
    Pose to = random_pose(random, 1);
    if (i % 3 == 0) {  // a half turn, nearly or exactly
      const double angle = i % 2 == 0 ? pi : pi - 1e-9;
      to.set_rotation(Eigen::AngleAxisd(angle, unit_vector(random)).toRotationMatrix() * from.rotation());
    }
    if (i % 5 == 0) {  // hardly any rotation
      to.set_rotation(
          Eigen::AngleAxisd(std::pow(10, uniform(random, -14, -3)), unit_vector(random)).toRotationMatrix() *
          from.rotation());
    }
    for (const Turning& motion : {screw(from, to), turning(from, to), turning(from, to, unit_vector(random))}) {
      EXPECT_EQ(off(pose_at(motion, 0), from), 0);
      // Also if the axis of a screw motion with a small rotation is far away.
      const double relative = off(pose_at(motion, 1), to) / 0x1p-52;
      worst = std::max(worst, relative);
      EXPECT_LE(relative, 16) << i;
    }
  }
  std::printf("the end is met within %.1f units in the last place of 1\n", worst);
}

TEST(RigidMotion, PosesAreWhereRealNumbersPutThem) {
  auto random = seeded(702);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    Turning motion;
    motion.start = random_pose(random, 3);
    motion.center = 3 * unit_vector(random);
    motion.by = uniform(random, 0, 5) * unit_vector(random);
    motion.turn = std::pow(10, uniform(random, -6, 4)) * unit_vector(random);
    const double t = uniform(random, 0, 1);
    const Pose pose = pose_at(motion, t);
    const Vector3 point = unit_vector(random);
    const double error = static_cast<double>((place(pose, point).cast<long double>() - truth(motion, point, t)).norm());
    EXPECT_LE(error, 64 * 0x1p-53 * 14 + 8 * 0x1p-53 * motion.turn.norm() * 7) << i;
    EXPECT_NO_THROW(Pose(pose.rotation(), pose.translation()));
  }
}

TEST(RigidMotion, AScrewAndASpinWithTheSameEndsAreTheSameOnTheAxis) {
  // A screw motion about z through (1, 0): the body's point on the axis moves in a straight line, so a rotation about
  // that point is the same motion.
  const Pose from(Vector3(3, 0, 0));
  const Pose to(Eigen::AngleAxisd(1, Vector3::UnitZ()).toRotationMatrix(),
                Vector3(1 + 2 * std::cos(1.0), 2 * std::sin(1.0), 0.5));
  const Turning a = screw(from, to), b = turning(from, to, Vector3(-2, 0, 0));
  for (const double t : {0.1, 0.25, 0.5, 0.9, 1.0})
    EXPECT_LE(off(pose_at(a, t), pose_at(b, t)), 1e-15);
}

TEST(RigidMotion, KeyPosesAreInterpolated) {
  auto random = seeded(703);
  std::vector<Pose> keys;
  for (int i = 0; i < 7; ++i)
    keys.push_back(random_pose(random, 2));
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    EXPECT_EQ(off(pose_at(screw(keys[i], keys[i + 1]), 0), keys[i]), 0);
    EXPECT_LE(off(pose_at(screw(keys[i], keys[i + 1]), 1), keys[i + 1]), 1e-14);
  }
}

TEST(RigidMotion, SinusoidsAreAsTightAsTheirEndsAndCrests) {
  const Interval known = sinusoid(std::sqrt(3.0), 1, Interval(0, pi / 2));
  EXPECT_LE(known.lower, 1);
  EXPECT_GE(known.lower, 1 - 4 * 0x1p-52);
  EXPECT_GE(known.upper, 2);
  EXPECT_LE(known.upper, 2 + 4 * 0x1p-51);
  auto random = seeded(706);
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const double b = uniform(random, -2, 2), c = uniform(random, -2, 2), from = uniform(random, -20, 20);
    const double to = from + std::pow(10, uniform(random, -6, 1));
    const Interval range = sinusoid(b, c, Interval(from, to));
    double lower = HUGE_VAL, upper = -HUGE_VAL;
    for (int k = 0; k <= 400; ++k) {
      const double t = std::min(to, from + (to - from) * k / 400);
      const long double value = b * std::cos(static_cast<long double>(t)) + c * std::sin(static_cast<long double>(t));
      EXPECT_GE(value, static_cast<long double>(range.lower) - 1e-18L);
      EXPECT_LE(value, static_cast<long double>(range.upper) + 1e-18L);
      lower = std::min(lower, static_cast<double>(value));
      upper = std::max(upper, static_cast<double>(value));
    }
    // The largest possible change between two samples.
    const double step = (to - from) / 400, slack = 3 * step * step + 1e-13;
    EXPECT_GE(range.lower, lower - slack);
    EXPECT_LE(range.upper, upper + slack);
  }
}

TEST(RigidMotion, PosesOverAnIntervalHoldAllPosesInIt) {
  auto random = seeded(707);
  for (std::size_t i = 0; i < cases(500); ++i) {
    Turning turn{random_pose(random, 3), 2 * unit_vector(random), unit_vector(random),
                 std::pow(10, uniform(random, -8, 1)) * unit_vector(random)};
    if (i % 7 == 0) turn.turn.setZero();
    const double from = uniform(random, 0, 1), to = uniform(random, from, 1);
    const PoseInterval over = pose_over(turn, Interval(from, to));
    for (int k = 0; k <= 20; ++k) {
      const Pose pose = pose_at(turn, from + (to - from) * k / 20);
      for (int row = 0; row < 3; ++row) {
        const auto r = static_cast<std::size_t>(row);
        // The pose itself is rounded.
        EXPECT_GE(pose.translation()[row], over.translation[r].lower - 1e-13);
        EXPECT_LE(pose.translation()[row], over.translation[r].upper + 1e-13);
        for (int column = 0; column < 3; ++column) {
          const Interval& entry = over.rotation(r, static_cast<std::size_t>(column));
          EXPECT_GE(pose.rotation()(row, column), entry.lower - 1e-14);
          EXPECT_LE(pose.rotation()(row, column), entry.upper + 1e-14);
          EXPECT_LE(width(entry), 1.01 * turn.turn.norm() * (to - from) + 1e-13);
        }
      }
    }
    const PoseInterval straight = pose_over(Straight{turn.start, turn.by}, Interval(0.5, 0.5));
    EXPECT_LE((turn.start.translation() + 0.5 * turn.by -
               Vector3(straight.translation[0].lower, straight.translation[1].lower, straight.translation[2].lower))
                  .norm(),
              1e-14);
  }
}

TEST(RigidMotion, OtherPacesAndWaysKeepTheirEndsAndTheirBounds) {
  auto random = seeded(708);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Pose from = random_pose(random, 2), middle = random_pose(random, 2), to = random_pose(random, 2);
    Turning turn = screw(from, to);
    std::vector<CustomMotion> motions = {with_pace(turn, [](double t) { return t * t * (3 - 2 * t); }),
                                         through(from, middle, to)};
    if (turn.turn.norm() < 3.1) motions.push_back(with_even_half_tangent(turn));
    for (const CustomMotion& motion : motions) {
      EXPECT_EQ(off(motion.pose(0), from), 0);
      EXPECT_LE(off(motion.pose(1), to), 1e-14);
      const double t0 = uniform(random, 0, 1), t1 = uniform(random, t0, 1), reach = uniform(random, 0, 2);
      const Vector3 point = reach * unit_vector(random);
      const double went = (place(motion.pose(t1), point) - place(motion.pose(t0), point)).norm();
      EXPECT_LE(went, motion.way(t0, t1, reach) + 2 * motion.error);
    }
    EXPECT_LE(off(motions[1].pose(0.5), middle), 1e-14);
    // The tangent of the half angle grows linearly.
    if (motions.size() > 2) {
      const auto angle = [&](double t) {
        return Eigen::AngleAxisd(Matrix3(motions[2].pose(t).rotation() * from.rotation().transpose())).angle();
      };
      EXPECT_NEAR(std::tan(angle(0.5) / 2), std::tan(angle(1.0) / 2) / 2, 1e-9 * (1 + std::tan(angle(1.0) / 2)));
    }
  }
  EXPECT_THROW(with_even_half_tangent(Turning{.turn = Vector3(4, 0, 0)}), Error);
  EXPECT_THROW(pose_over(through({}, {}, {}), Interval(0, 1)), Error);
}

TEST(RigidMotion, SweptBoundsHoldTheShapeAtAllTimes) {
  auto random = seeded(705);
  const Shape shapes[] = {Mesh(make::gear()), Box{Vector3(1, 2, 3)}, Capsule{.radius = 0.2, .length = 1.5}};
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Shape& shape = shapes[i % 3];
    const Pose from = random_pose(random, 5);
    Motion motion = screw(from, random_pose(random, 5));
    if (i % 4 == 1) motion = Straight{from, 3 * unit_vector(random)};
    if (i % 4 == 2) motion = Turning{from, 5 * unit_vector(random), unit_vector(random), 0.01 * unit_vector(random)};
    if (i % 4 == 3) motion = Turning{from, from.translation(), unit_vector(random), 100 * unit_vector(random)};
    const Aabb box = swept_bounds(shape, motion);
    for (int k = 0; k <= 50; ++k) {
      const Pose pose = pose_at(motion, k / 50.0);
      for (int axis = 0; axis < 3; ++axis) {
        // The shape is inside the planes of the box's sides.
        Vector3 out = Vector3::Zero();
        out[axis] = 1;
        const Shape above = HalfSpace{-out, -(box.upper[axis] + 1e-9)}, below = HalfSpace{out, box.lower[axis] - 1e-9};
        EXPECT_FALSE(touches({shape, pose}, {above}));
        EXPECT_FALSE(touches({shape, pose}, {below}));
      }
    }
  }
}

/// The first of many evenly spaced times at which they touch; 2 if there is none.
double sampled(const Moving& a, const Moving& b, int looks) {
  for (int i = 0; i <= looks; ++i) {
    const double t = static_cast<double>(i) / looks;
    if (touches({a.shape, pose_at(a.motion, t)}, {b.shape, pose_at(b.motion, t)})) return t;
  }
  return 2;
}

void expect_right(const Moving& a, const Moving& b, const MotionImpact& hit, int looks) {
  const double seen = sampled(a, b, looks);
  if (hit.status == ImpactStatus::apart) {
    EXPECT_EQ(seen, 2);
    return;
  }
  if (hit.status == ImpactStatus::touching_at_start) {
    EXPECT_EQ(seen, 0);
    return;
  }
  EXPECT_GT(seen, 0);
  EXPECT_LE(hit.time_lower, seen);
  EXPECT_LE(hit.time_lower, hit.time);
  EXPECT_LE(hit.time, hit.time_upper);
  const auto touch_at = [&](double t) {
    return touches({a.shape, pose_at(a.motion, t)}, {b.shape, pose_at(b.motion, t)});
  };
  EXPECT_FALSE(touches({a.shape, hit.pose_a}, {b.shape, hit.pose_b}));
  const bool is_cast = a.shape.kind() < ShapeKind::mesh && b.shape.kind() < ShapeKind::mesh &&
                       !std::holds_alternative<Turning>(a.motion) && !std::holds_alternative<Turning>(b.motion);
  EXPECT_TRUE(is_cast || !hit.certain || touch_at(hit.time_upper));
}

TEST(RigidContact, NoLaterThanDenseLooksAndCloseToThem) {
  auto random = seeded(704);
  const std::vector<Shape> shapes = {Mesh(make::torus({.around = 24, .across = 12})),
                                     Mesh(make::gear()),
                                     Mesh(make::icosphere()),
                                     ConvexHull(make::random_hull({.points = 30}).vertices),
                                     Box{Vector3(0.2, 1.5, 0.3)},
                                     Capsule{.radius = 0.2, .length = 1.5},
                                     Cylinder{.radius = 0.4, .length = 1},
                                     Segment{Vector3(-1, 0, 0), Vector3(1, 0, 0)}};
  std::size_t touched = 0, wide = 0;
  const std::size_t count = cases(150);
  for (std::size_t i = 0; i < count; ++i) {
    const Shape &sa = shapes[random() % shapes.size()], &sb = shapes[random() % shapes.size()];
    const auto motion = [&]() -> Motion {
      const Pose from = random_pose(random, 4), to = random_pose(random, 4);
      switch (random() % 4) {
        case 0:
          return screw(from, to);
        case 1:
          return turning(from, to);
        case 2:
          return Straight{from, to.translation() - from.translation()};
        default:
          return turning_with_velocity(from, from.translation(), unit_vector(random), 8 * unit_vector(random));
      }
    };
    const Moving a(sa, motion()), b(sb, motion());
    const MotionImpact hit = first_contact(a, b);
    expect_right(a, b, hit, 400);
    if (hit.status != ImpactStatus::touch) continue;
    ++touched;
    if (!hit.certain || hit.time_upper - hit.time_lower > 1e-9) ++wide;
    // With a tolerance, the bounds are that wide and contain the finer result.
    const MotionImpact rough = first_contact(a, b, {.tolerance = 1e-4});
    EXPECT_LE(rough.time_lower, hit.time_upper);
    EXPECT_TRUE(!rough.certain || !hit.certain || rough.time_upper >= hit.time_lower);
    EXPECT_LE(rough.cost.primitive_tests, hit.cost.primitive_tests + 1000);
    // In the other order.
    const MotionImpact other = first_contact({sb, b.motion}, {sa, a.motion});
    EXPECT_EQ(other.status, hit.status);
    EXPECT_EQ(other.time_lower, hit.time_lower);
  }
  EXPECT_GT(touched, count / 20);
  EXPECT_LE(wide, touched / 10 + 1);
  std::printf("%zu of %zu touch, %zu with wide bounds\n", touched, count, wide);
}

TEST(RigidContact, AnArmWhoseEndsAreFreeMeetsThePostBetweenThem) {
  const Shape arm = Box{Vector3(2, 0.1, 0.1)}, post = Mesh(make::box({.size_x = 0.1, .size_y = 0.1, .size_z = 2}));
  // Rotates about one end from 0 to 90 degrees. The post is at 45 degrees.
  const Turning swing{Pose(Vector3(1, 0, 0)), Vector3::Zero(), Vector3::Zero(), Vector3(0, 0, pi / 2)};
  const Pose at_post(Vector3(1.2, 1.2, 0));
  const Moving a(arm, swing), b(post, Still{at_post});
  EXPECT_FALSE(touches({arm, pose_at(swing, 0)}, {post, at_post}));
  EXPECT_FALSE(touches({arm, pose_at(swing, 1)}, {post, at_post}));
  const MotionImpact hit = first_contact(a, b);
  ASSERT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_TRUE(hit.certain);
  EXPECT_LE(hit.time_upper - hit.time_lower, 1e-12);
  // The post's corner (1.15, 1.15) or (1.25, 1.15) meets the upper side of the arm, which is 0.05 off its axis.
  const double angle = std::atan2(1.15, 1.25) - std::asin(0.05 / std::hypot(1.25, 1.15));
  EXPECT_NEAR(hit.time, angle / (pi / 2), 1e-12);
  EXPECT_TRUE(touches_during(a, b));
}

TEST(RigidContact, ATorusThatWouldLinkAnotherInOneStep) {
  const Shape ring = Mesh(make::torus({.around = 48, .across = 24}));
  const Pose here, across(Eigen::AngleAxisd(pi / 2, Vector3::UnitX()).toRotationMatrix(), Vector3(4, 0, 0));
  const Pose linked(across.rotation(), Vector3(1, 0, 0));
  EXPECT_FALSE(touches({ring, here}, {ring, across}));
  EXPECT_FALSE(touches({ring, here}, {ring, linked}));
  const MotionImpact hit = first_contact({ring, Still{here}}, {ring, screw(across, linked)});
  EXPECT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_TRUE(hit.certain);
}

TEST(RigidContact, AFastThingDoesNotPassAThinWall) {
  const Shape wall = Mesh(MeshData{{{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}}, {{0, 1, 2}, {0, 2, 3}}});
  const Shape bullet = Mesh(make::icosphere({.radius = 0.001}));
  const Turning shot = turning_with_velocity(Pose(Vector3(0.3, 0.2, 100)), Vector3(0.3, 0.2, 100), Vector3(0, 0, -1000),
                                             Vector3(3, 1, 2));
  const MotionImpact hit = first_contact({bullet, shot}, {wall});
  ASSERT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_TRUE(hit.certain);
  EXPECT_NEAR(hit.time, 0.1, 2e-6);
}

TEST(RigidContact, APegTurnsIntoAHole) {
  // A square peg over a square hole, rotated by 45 degrees: moving down, it hits the rim. With the right rotation it
  // goes in.
  std::vector<CompoundPart> parts;
  const Shape beam_x = Box{Vector3(3, 0.9, 0.2)}, beam_y = Box{Vector3(0.9, 3, 0.2)};
  parts.push_back({beam_x, Pose(Vector3(0, 1.05, 0))});
  parts.push_back({beam_x, Pose(Vector3(0, -1.05, 0))});
  parts.push_back({beam_y, Pose(Vector3(1.05, 0, 0))});
  parts.push_back({beam_y, Pose(Vector3(-1.05, 0, 0))});
  const Shape plate = Compound(parts);
  const Shape peg = Mesh(make::box({.size_x = 1.1, .size_y = 1.1, .size_z = 1}));
  const Pose above(Vector3(0, 0, 1)), in(Vector3(0, 0, 0.1));
  EXPECT_EQ(first_contact({peg, screw(above, in)}, {plate}).status, ImpactStatus::apart);
  const Pose turned(Eigen::AngleAxisd(pi / 4, Vector3::UnitZ()).toRotationMatrix(), Vector3(0, 0, 1));
  const MotionImpact hit = first_contact({peg, Straight{turned, Vector3(0, 0, -0.9)}}, {plate});
  ASSERT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_NEAR(hit.time, 0.4 / 0.9, 1e-12);
  // If it also rotates on its way down, it hits the rim or not as dense sampling says.
  for (const double start : {1.0, 1.5, 2.0}) {
    const Pose from(turned.rotation(), Vector3(0, 0, start));
    const Moving a(peg, screw(from, in)), b(plate);
    expect_right(a, b, first_contact(a, b), 2000);
  }
}

TEST(RigidContact, OddMotionsEndInBoundedTime) {
  const Shape torus = Mesh(make::torus({.around = 16, .across = 8})), box = Box{Vector3(1, 1, 1)};
  // No motion at all.
  EXPECT_EQ(first_contact({torus, Turning{Pose(Vector3(5, 0, 0))}}, {torus}).status, ImpactStatus::apart);
  // At the same place from the start.
  EXPECT_EQ(first_contact({torus, screw({}, Pose(Vector3(1, 0, 0)))}, {torus}).status, ImpactStatus::touching_at_start);
  // By one unit in the last place.
  const double next = std::nextafter(2.0, 0.0);
  EXPECT_NE(first_contact({box, screw(Pose(Vector3(2, 0, 0)), Pose(Vector3(next, 0, 0)))}, {box}).status,
            ImpactStatus::touching_at_start);
  // One full turn, and a thousand, of a shape that does not reach the other.
  for (const double turns : {1.0, 1000.0}) {
    const Turning spin{Pose(Vector3(0, 0, 0)), Vector3::Zero(), Vector3::Zero(), Vector3(0, 0, 2 * pi * turns)};
    EXPECT_EQ(first_contact({torus, spin}, {box, Still{Pose(Vector3(0, 0, 3))}}).status, ImpactStatus::apart);
    // The same for an arm that hits in its first quarter turn.
    const Turning arm{Pose(Vector3(3, 0, 0)), Vector3::Zero(), Vector3::Zero(), Vector3(0, 0, 2 * pi * turns)};
    const MotionImpact hit = first_contact({box, arm}, {box, Still{Pose(Vector3(0, 3, 0))}});
    ASSERT_EQ(hit.status, ImpactStatus::touch);
    EXPECT_LE(hit.time_upper, 0.25 / turns);
    EXPECT_GE(hit.time_lower, 0.1 / turns);
  }
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(message([&] {
              first_contact({box, Turning{.turn = Vector3(nan, 0, 0)}}, {box});
            }).find("turn"),
            std::string::npos);
  EXPECT_NE(message([&] {
              first_contact({box, Turning{.by = Vector3(infinity, 0, 0)}}, {box});
            }).find("by"),
            std::string::npos);
  EXPECT_NE(message([&] {
              first_contact({box, Turning{.turn = Vector3(1e10, 0, 0)}}, {box});
            }).find("split"),
            std::string::npos);
  EXPECT_NE(message([&] {
              first_contact({HalfSpace{}, Turning{.turn = Vector3(1, 0, 0)}}, {box});
            }).find("turns"),
            std::string::npos);
  EXPECT_NE(message([&] { first_contact({box, CustomMotion{}}, {box}); }).find("both functions"), std::string::npos);
  // With unknown path lengths.
  CustomMotion unknown;
  unknown.pose = [](double) { return Pose(); };
  unknown.way = [infinity](double, double, double) { return infinity; };
  EXPECT_EQ(swept_bounds(box, unknown).lower, Vector3::Constant(-infinity));
  EXPECT_EQ(swept_bounds(box, unknown).upper, Vector3::Constant(infinity));
  EXPECT_EQ(first_contact({box, unknown}, {box, Still{Pose(Vector3(5, 0, 0))}}).status, ImpactStatus::touch);
  // The other shape may rotate.
  const Turning fall{Pose(Vector3(0, 0, 2)), Vector3(0, 0, 2), Vector3(0, 0, -2), Vector3(1, 0, 0)};
  EXPECT_EQ(first_contact({HalfSpace{}}, {box, fall}).status, ImpactStatus::touch);
}

TEST(RigidContact, RotationsThatStretchAreCountedFarFromTheShapesOrigin) {
  // A small triangle, a million units from the origin of its frame, rotates about a point that the stretch moves 8e-4
  // away from it.
  Turning turn;
  turn.start.set_rotation(Matrix3::Identity() * (1 + 4e-10));
  turn.center = {1e6, 0, 0};
  turn.turn = {0, 0, 3};
  const Vector3 own = turn.start.rotation().transpose() * turn.center;
  const double e = 1e-6;
  const Shape small = Triangle{own + Vector3(-e, 0, 0), own + Vector3(e, e, 0), own + Vector3(e, -e, e)};
  const Still post{Pose(turn.center + 8e-4 * Vector3(std::cos(2.0), std::sin(2.0), 0))};
  const Shape ball = Sphere{1e-4};
  ASSERT_TRUE(touches({small, pose_at(turn, 2.0 / 3)}, {ball, post.pose}));
  for (const MotionImpact& hit :
       {first_contact({small, turn}, {ball, post}), first_contact({ball, post}, {small, turn})}) {
    ASSERT_EQ(hit.status, ImpactStatus::touch);
    EXPECT_TRUE(hit.certain);
    EXPECT_NEAR(hit.time, (2 - 0.125) / 3, 1e-2);
  }
  const Aabb swept = swept_bounds(small, turn);
  for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const Aabb there = small.bounds(pose_at(turn, t));
    EXPECT_TRUE((there.lower.array() >= swept.lower.array() - 1e-9).all()) << t;
    EXPECT_TRUE((there.upper.array() <= swept.upper.array() + 1e-9).all()) << t;
  }
}

TEST(RigidContact, AMotionOfTheUsersOwnIsTheSame) {
  const Shape ball = Mesh(make::icosphere()), box = Box{Vector3(0.5, 0.5, 0.5)};
  const Turning turn{Pose(Vector3(4, 0, 0)), Vector3::Zero(), Vector3(0, 0, 0.5), Vector3(0, 0, 3)};
  CustomMotion own;
  own.start = turn.start;
  own.pose = [&](double t) { return pose_at(turn, t); };
  own.way = [&](double from, double to, double reach) { return (3 * (4 + reach) + 0.5) * (to - from) * (1 + 1e-12); };
  own.error = 1e-14;
  const Still post{Pose(Vector3(0, 4, 0))};
  const MotionImpact a = first_contact({ball, turn}, {box, post}), b = first_contact({ball, own}, {box, post});
  ASSERT_EQ(a.status, ImpactStatus::touch);
  ASSERT_EQ(b.status, ImpactStatus::touch);
  EXPECT_LE(a.time_lower, b.time_upper);
  EXPECT_LE(b.time_lower, a.time_upper);
  EXPECT_NEAR(a.time, b.time, 1e-10);
}

}  // namespace
}  // namespace whisker
