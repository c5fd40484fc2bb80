// Bounding volumes in motion: volumes that are reported apart are so at all sampled times in long double, by an
// independent definition of motions and volumes; and volumes that are apart are reported as such.

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/methods/moving_volumes.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using namespace methods;
using test::cases;
using test::seeded;
using test::uniform;
using test::scenes::any_rotation;
using test::scenes::unit_vector;

using LongMatrix = Eigen::Matrix<long double, 3, 3>;
using LongVector = Eigen::Matrix<long double, 3, 1>;
constexpr double pi = 3.14159265358979323846;

// --- the truth -------------------------------------------------------------------------------------------------------

/// A parallelepiped and all points within a radius of it, in world coordinates.
struct Set {
  LongVector center = LongVector::Zero();
  LongMatrix sides = LongMatrix::Zero();  // half sides, as columns
  LongMatrix axes = LongMatrix::Identity();
  long double radius = 0;
};

Set set_of(const BodyVolume& volume) {
  Set set;
  if (const auto* ball = std::get_if<BoundingSphere>(&volume)) {
    set.center = ball->center.cast<long double>();
    set.radius = ball->radius;
  } else if (const auto* box = std::get_if<Aabb>(&volume)) {
    const LongVector lower = box->lower.cast<long double>(), upper = box->upper.cast<long double>();
    set.center = (lower + upper) / 2;
    set.sides = LongVector((upper - lower) / 2).asDiagonal();
  } else {
    const auto& oriented = std::get<Obb>(volume);
    set.center = oriented.center.cast<long double>();
    set.axes = oriented.axes.cast<long double>();
    for (int i = 0; i < 3; ++i)
      set.sides.col(i) = set.axes.col(i) * static_cast<long double>(oriented.half[i]);
  }
  return set;
}

/// The placed volume at time t.
Set set_at(const BodyVolume& volume, const Motion& motion, long double t) {
  Set set = set_of(volume);
  const Pose& start = start_of(motion);
  LongMatrix rotation = start.rotation().cast<long double>();
  set.center = rotation * set.center + start.translation().cast<long double>();
  if (const auto* straight = std::get_if<Straight>(&motion)) set.center += t * straight->by.cast<long double>();
  if (const auto* turning = std::get_if<Turning>(&motion)) {
    const LongVector turn = turning->turn.cast<long double>();
    const long double angle = turn.norm();
    const LongVector center = turning->center.cast<long double>();
    LongMatrix change = LongMatrix::Zero();  // due to the rotation, without losing digits to a distant center
    if (angle > 0) {
      const LongVector k = turn / angle;
      LongMatrix beside;
      beside << 0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0;
      const long double half = std::sin(angle * t / 2);
      change = std::sin(angle * t) * beside + 2 * half * half * (beside * beside);
    }
    set.center += t * turning->by.cast<long double>() + change * (set.center - center);
    rotation += change * rotation;
  }
  set.sides = rotation * set.sides;
  set.axes = rotation * set.axes;
  return set;
}

/// The largest separation along any of the tried directions, negative if none separates them. For two boxes, the face
/// normals and the cross products of edges; if one is a ball, also the direction to the closest point of the other.
long double gap(const Set& a, const Set& b) {
  const LongVector between = b.center - a.center;
  long double best = -std::numeric_limits<long double>::infinity();
  const auto look = [&](const LongVector& direction) {
    const long double length = direction.norm();
    if (!(length > 0)) return;
    long double along = std::abs(between.dot(direction));
    for (int i = 0; i < 3; ++i)
      along -= std::abs(a.sides.col(i).dot(direction)) + std::abs(b.sides.col(i).dot(direction));
    best = std::max(best, along / length - a.radius - b.radius);
  };
  const bool balls = a.sides.isZero(0) || b.sides.isZero(0);
  for (int i = 0; i < 3; ++i) {
    look(a.axes.col((i + 1) % 3).cross(a.axes.col((i + 2) % 3)));
    look(b.axes.col((i + 1) % 3).cross(b.axes.col((i + 2) % 3)));
    for (int j = 0; j < 3 && !balls; ++j) {
      const LongVector product = a.axes.col(i).cross(b.axes.col(j));
      if (product.norm() > 1e-9L) look(product);
    }
  }
  if (balls) {
    // One of them is a ball: the closest point of the other's box to its center.
    const Set& box = a.sides.isZero(0) ? b : a;
    const LongVector center = a.sides.isZero(0) ? LongVector(-between) : between;
    LongVector point = LongVector::Zero();
    for (int i = 0; i < 3; ++i) {
      const long double half = box.sides.col(i).norm();
      point += box.axes.col(i) * std::clamp(center.dot(box.axes.col(i)), -half, half);
    }
    look(center - point);
  }
  return best;
}

long double gap_at(const BodyVolume& a, const Motion& motion_a, const BodyVolume& b, const Motion& motion_b,
                   long double t) {
  return gap(set_at(a, motion_a, t), set_at(b, motion_b, t));
}

// --- cases -----------------------------------------------------------------------------------------------------------

BodyVolume random_volume(std::mt19937_64& random, std::size_t kind) {
  const Vector3 center = uniform(random, 0, 0.5) * unit_vector(random);
  if (kind % 3 == 0) return BoundingSphere{center, uniform(random, 0.2, 0.7)};
  Vector3 half(uniform(random, 0.1, 0.8), uniform(random, 0.1, 0.8), uniform(random, 0.1, 0.8));
  if (random() % 5 == 0) half[static_cast<int>(random() % 3)] = 1e-3;
  if (kind % 3 == 1) return Aabb{center - half, center + half};
  return Obb{any_rotation(random), center, half};
}

Motion random_motion(std::mt19937_64& random, double far) {
  const Pose start(any_rotation(random), uniform(random, 0, far) * unit_vector(random));
  const Vector3 by = uniform(random, 0, 2 * far) * unit_vector(random);
  switch (random() % 8) {
    case 0:
      return Still{start};
    case 1:
    case 2:
      return Straight{start, by};
    case 3:
      return screw(start, Pose(any_rotation(random), uniform(random, 0, far) * unit_vector(random)));
    default:
      return Turning{start, start.translation() + uniform(random, 0, 2) * unit_vector(random), by,
                     std::pow(10, uniform(random, -3, 1.2)) * unit_vector(random)};
  }
}

struct Case {
  BodyVolume a, b;
  Motion motion_a, motion_b;
};
Case random_case(std::mt19937_64& random, std::size_t i, double far) {
  return {random_volume(random, i), random_volume(random, i / 3), random_motion(random, far),
          random_motion(random, far)};
}

void move(Motion& motion, const Vector3& by) {
  std::visit(
      [&](auto& known) {
        if constexpr (requires { known.pose.translation(); })
          known.pose.set_translation(known.pose.translation() + by);
        else
          known.start.set_translation(known.start.translation() + by);
        if constexpr (requires { known.center; }) known.center += by;
      },
      motion);
}

double speed_of(const Motion& motion) {
  if (const auto* straight = std::get_if<Straight>(&motion)) return straight->by.norm();
  if (const auto* turning = std::get_if<Turning>(&motion))
    return turning->by.norm() + turning->turn.norm() * (2 + (turning->start.translation() - turning->center).norm());
  return 0;
}

// --- may_touch -------------------------------------------------------------------------------------------------------

TEST(MovingVolumes, WhatTouchesAtAnyTimeOfAnIntervalIsNeverCalledApart) {
  auto random = seeded(1701);
  std::size_t touching = 0, apart = 0;
  for (std::size_t i = 0; i < cases(6000); ++i) {
    const Case c = random_case(random, i, uniform(random, 0.5, 4));
    const double from = uniform(random, 0, 1);
    const double to = std::min(1.0, from + std::pow(10, uniform(random, -5, 0)));
    const bool may = may_touch(c.a, c.motion_a, c.b, c.motion_b, {from, to});
    apart += may ? 0 : 1;
    bool touches = false;
    for (int k = 0; k <= 60 && !touches; ++k) {
      const long double t = from + (static_cast<long double>(to) - from) * k / 60;
      touches = gap_at(c.a, c.motion_a, c.b, c.motion_b, t) < 0;
    }
    touching += touches ? 1 : 0;
    EXPECT_TRUE(may || !touches) << i;
    EXPECT_TRUE(!touches || may_touch(c.b, c.motion_b, c.a, c.motion_a, {from, to})) << i;
  }
  std::printf("touching %zu, proven apart %zu of %zu\n", touching, apart, cases(6000));
  EXPECT_GT(touching, cases(6000) / 8);
  EXPECT_GT(apart, cases(6000) / 3);
}

TEST(MovingVolumes, ContactsOfOneUnitInTheLastPlaceAreNotMissed) {
  // Placed so that, in long double, they touch at one known time by about the rounding error of doubles.
  auto random = seeded(1702);
  std::size_t touching = 0, within = 0;
  for (std::size_t i = 0; i < cases(4000); ++i) {
    Case c = random_case(random, i, 2);
    const double time = uniform(random, 0, 1);
    // Along the line of the centers, toward each other, to where they begin to touch.
    const Set a = set_at(c.a, c.motion_a, time);
    Set b = set_at(c.b, c.motion_b, time);
    const LongVector way = (b.center - a.center).normalized();
    long double near = -8, far = 8;
    for (int k = 0; k < 80; ++k) {
      const long double middle = (near + far) / 2;
      Set moved = b;
      moved.center = a.center + way * middle;
      // Only the outer side counts.
      (middle < 0 || gap(a, moved) < 0 ? near : far) = middle;
    }
    const long double now = (b.center - a.center).norm();
    move(c.motion_b, (way * (near - now)).cast<double>());
    if (!(gap_at(c.a, c.motion_a, c.b, c.motion_b, time) < 0)) continue;
    ++touching;
    const auto depth = static_cast<double>(-gap_at(c.a, c.motion_a, c.b, c.motion_b, time));
    within += depth < 1e-15 ? 1 : 0;
    const double before = std::max(0.0, time - std::pow(10, uniform(random, -16, 0)));
    const double after = std::min(1.0, time + std::pow(10, uniform(random, -16, 0)));
    EXPECT_TRUE(may_touch(c.a, c.motion_a, c.b, c.motion_b, Interval(time))) << i;
    EXPECT_TRUE(may_touch(c.a, c.motion_a, c.b, c.motion_b, {time, after})) << i;
    EXPECT_TRUE(may_touch(c.a, c.motion_a, c.b, c.motion_b, {before, time})) << i;
    EXPECT_TRUE(may_touch(c.a, c.motion_a, c.b, c.motion_b, {before, after})) << i;
  }
  EXPECT_GT(touching, cases(4000) / 4);
  EXPECT_GT(within, touching / 2);
}

TEST(MovingVolumes, NarrowIntervalsAboutAFreeTimeAreProvenApart) {
  auto random = seeded(1703);
  std::size_t free = 0, wide = 0;
  for (std::size_t i = 0; i < cases(6000); ++i) {
    const Case c = random_case(random, i, uniform(random, 1, 3));
    const double time = uniform(random, 0, 1);
    const auto apart = static_cast<double>(gap_at(c.a, c.motion_a, c.b, c.motion_b, time));
    if (!(apart > 1e-9)) continue;
    ++free;
    EXPECT_FALSE(may_touch(c.a, c.motion_a, c.b, c.motion_b, Interval(time))) << i << ' ' << apart;
    // Over intervals so short that, by the speed of the fastest points, less than the whole distance is covered.
    const double speed = speed_of(c.motion_a) + speed_of(c.motion_b);
    for (const double part : {0.001, 0.1, 0.3}) {
      const double reach = std::min(0.5, part * apart / (speed + 1e-9));
      const Interval t(std::max(0.0, time - reach), std::min(1.0, time + reach));
      EXPECT_FALSE(may_touch(c.a, c.motion_a, c.b, c.motion_b, t)) << i << ' ' << apart << ' ' << part;
    }
    // Counts how often even an interval twice as long as the speed allows is proven.
    const double reach = std::min(0.5, 2 * apart / (speed + 1e-9));
    const Interval t(std::max(0.0, time - reach), std::min(1.0, time + reach));
    wide += may_touch(c.a, c.motion_a, c.b, c.motion_b, t) ? 0u : 1u;
  }
  std::printf("free %zu, proven so at twice the time that speed allows: %zu\n", free, wide);
  EXPECT_GT(free, cases(6000) / 3);
  EXPECT_GT(wide, free / 2);
}

TEST(MovingVolumes, WhatReachesOutOnlyBetweenTheEndsIsNotMissed) {
  // A rod that rotates about its middle, or about a point outside it, and a wall that its end reaches only at time 1/2.
  // In half of the cases everything is rotated as well. All of the bulge is between the ends of the interval.
  auto random = seeded(1708);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const double angle = uniform(random, 0.1, 3), reach = uniform(random, 1e-6, 0.5),
                 in = std::pow(10, -uniform(random, 3, 9));
    const Obb rod{Matrix3::Identity(), Vector3(i % 3 == 0 ? 1 : 0, 0, 0), Vector3(1, 1e-9, 1e-9)};
    const double tip = rod.center[0] + 1;
    // Along x at time 1/2.
    Turning swing{.turn = Vector3(0, 0, angle)};
    swing.start.set_rotation(Eigen::AngleAxisd(-angle / 2, Vector3::UnitZ()).toRotationMatrix());
    const Obb wall{Matrix3::Identity(), Vector3(tip + 1 - in, 0, 0), Vector3(1, 3, 3)};
    const Pose turned(i % 2 == 0 ? Matrix3(Matrix3::Identity()) : any_rotation(random), Vector3::Zero());
    Turning moved = swing;
    moved.start.set_rotation(turned.rotation() * swing.start.rotation());
    moved.turn = turned.rotation() * swing.turn;
    const Interval t(0.5 - reach, 0.5 + reach);
    ASSERT_LT(gap_at(rod, moved, wall, Still{turned}, 0.5L), 0);
    EXPECT_TRUE(may_touch(rod, moved, wall, Still{turned}, t)) << i;
    EXPECT_TRUE(may_touch(wall, Still{turned}, rod, moved, t)) << i;
    // In the frame of the rod, the wall rotates.
    const Turning back{.start = Pose(swing.start.rotation().transpose(), Vector3::Zero()), .turn = -swing.turn};
    EXPECT_TRUE(may_touch(wall, back, rod, Still{}, t)) << i;
  }
}

/// The 15 axes with the intervals of all entries of both poses (Redon, Kheddar, Coquillart 2002).
bool may_touch_by_entries(const Obb& a, const Motion& motion_a, const Obb& b, const Motion& motion_b,
                          const Interval& t) {
  const PoseInterval pose_a = pose_over(motion_a, t), pose_b = pose_over(motion_b, t);
  std::array<IntervalVector3, 3> e, f;
  for (int i = 0; i < 3; ++i) {
    e[static_cast<std::size_t>(i)] = pose_a.rotation * IntervalVector3(Vector3(a.axes.col(i)));
    f[static_cast<std::size_t>(i)] = pose_b.rotation * IntervalVector3(Vector3(b.axes.col(i)));
  }
  const IntervalVector3 between = (pose_b.rotation * IntervalVector3(b.center) + pose_b.translation) -
                                  (pose_a.rotation * IntervalVector3(a.center) + pose_a.translation);
  const auto parts = [&](const IntervalVector3& axis, int own_a, int own_b) {
    double reach = 0;
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (own_a < 0 || own_a == k) reach += a.half[k] * (own_a == k ? 1 : magnitude(dot(axis, e[i])));
      if (own_b < 0 || own_b == k) reach += b.half[k] * (own_b == k ? 1 : magnitude(dot(axis, f[i])));
    }
    return mignitude(dot(axis, between)) > reach;
  };
  for (int i = 0; i < 3; ++i) {
    if (parts(e[static_cast<std::size_t>(i)], i, -1) || parts(f[static_cast<std::size_t>(i)], -1, i)) return false;
  }
  for (const IntervalVector3& x : e) {
    for (const IntervalVector3& y : f) {
      if (parts(cross(x, y), -1, -1)) return false;
    }
  }
  return true;
}

TEST(MovingVolumes, ChordsProveMoreThanIntervalsOfEntries) {
  auto random = seeded(1704);
  for (const double width : {1e-3, 1e-2, 0.03, 0.1, 0.3}) {
    std::size_t free = 0, chords = 0, entries = 0, only_entries = 0;
    for (std::size_t i = 0; i < cases(1000); ++i) {
      Obb a = std::get<Obb>(random_volume(random, 2)), b = std::get<Obb>(random_volume(random, 2));
      // Rotations by about 1 radian in total, whichever of the two moves.
      const auto motion = [&](double far) -> Motion {
        const Pose start(any_rotation(random), far * unit_vector(random));
        return Turning{start, start.translation() + uniform(random, 0, 1) * unit_vector(random), unit_vector(random),
                       uniform(random, 0.5, 2) * unit_vector(random)};
      };
      const Motion motion_a = motion(0), motion_b = motion(uniform(random, 1, 3));
      const double from = uniform(random, 0, 1 - width), to = from + width;
      bool is_free = true;
      for (int k = 0; k <= 8 && is_free; ++k)
        is_free = gap_at(a, motion_a, b, motion_b, from + (to - from) * k / 8) > 0;
      if (!is_free) continue;
      ++free;
      const bool by_chords = !may_touch(a, motion_a, b, motion_b, {from, to});
      const bool by_entries = !may_touch_by_entries(a, motion_a, b, motion_b, {from, to});
      chords += by_chords;
      entries += by_entries;
      only_entries += by_entries && !by_chords;
    }
    std::printf("width %5.3f: free %zu, proven by chords %zu, by intervals of entries %zu, by those alone %zu\n", width,
                free, chords, entries, only_entries);
    EXPECT_GE(chords, entries);
    if (width <= 0.1) {
      EXPECT_LE(only_entries, free / 100);
    }
    if (width <= 1e-2) {
      EXPECT_GE(chords, free - free / 100);
    }
  }
}

TEST(MovingVolumes, TurnsOfAnyLengthAreSeenAtOnceWhereAnAxisOrAnArmParts) {
  const double turns = 2 * pi * 1000;
  // A thin plate that spins about its normal just below a ball, and one that leans a little and does touch.
  const Obb plate{Matrix3::Identity(), Vector3::Zero(), Vector3(5, 5, 0.1)};
  const BoundingSphere ball{Vector3::Zero(), 0.5};
  const Turning spin{Pose{}, Vector3::Zero(), Vector3::Zero(), Vector3(0, 0, turns)};
  EXPECT_FALSE(may_touch(plate, spin, ball, Still{Pose(Vector3(1, 2, 0.61))}));
  EXPECT_TRUE(may_touch(plate, spin, ball, Still{Pose(Vector3(1, 2, 0.59))}));
  Turning leaning = spin;
  leaning.start.set_rotation(Eigen::AngleAxisd(0.1, Vector3::UnitX()).toRotationMatrix());
  EXPECT_TRUE(may_touch(plate, leaning, ball, Still{Pose(Vector3(1, 2, 0.61))}));
  // Around an obstacle many times, and around it on a screw motion.
  const Aabb cube{Vector3::Constant(-0.5), Vector3::Constant(0.5)};
  const Turning orbit{Pose(Vector3(4, 0, 0)), Vector3::Zero(), Vector3::Zero(), Vector3(0, turns, 0)};
  EXPECT_FALSE(may_touch(cube, orbit, ball, Still{}));
  EXPECT_FALSE(may_touch(cube, orbit, cube, Still{Pose(Vector3(0, 1, 0))}));
  EXPECT_TRUE(may_touch(cube, orbit, cube, Still{Pose(Vector3(0, 0, 4))}));
  // Two bodies on one carousel keep their distance.
  const Turning first{Pose(Vector3(4, 0, 0)), Vector3::Zero(), Vector3(0, 9, 0), Vector3(0, turns, 0)};
  Turning second = first;
  second.start.set_translation(Vector3(4, 0, 1.01));
  EXPECT_FALSE(may_touch(cube, first, cube, second));
  second.start.set_translation(Vector3(4, 0, 0.99));
  EXPECT_TRUE(may_touch(cube, first, cube, second));
}

// --- first_touch -----------------------------------------------------------------------------------------------------

TEST(MovingVolumes, FirstTouchesAreNeverLaterThanLooksAndAsCloseAsAsked) {
  auto random = seeded(1705);
  std::size_t touch = 0, apart = 0, at_start = 0, open = 0;
  std::uint64_t looks = 0, most = 0;
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const Case c = random_case(random, i, uniform(random, 1, 3));
    const double tolerance = i % 2 == 0 ? 1e-6 : 0;
    const Impact hit = first_touch(c.a, c.motion_a, c.b, c.motion_b, {.tolerance = tolerance});
    double seen = 2;
    for (int k = 0; k <= 200 && seen > 1; ++k) {
      if (gap_at(c.a, c.motion_a, c.b, c.motion_b, k / 200.0L) < 0) seen = k / 200.0;
    }
    EXPECT_EQ(hit.time, hit.certain ? hit.time_lower + (hit.time_upper - hit.time_lower) / 2 : hit.time_lower) << i;
    EXPECT_EQ(hit.point, Vector3(Vector3::Zero()));
    EXPECT_EQ(hit.normal, Vector3(Vector3::Zero()));
    looks += hit.cost.volume_tests;
    most = std::max(most, hit.cost.volume_tests);
    if (hit.status == ImpactStatus::apart) {
      ++apart;
      EXPECT_EQ(seen, 2) << i;
      EXPECT_EQ(hit.time_lower, 1) << i;
    } else if (hit.status == ImpactStatus::touching_at_start) {
      ++at_start;
      EXPECT_EQ(seen, 0) << i;
      EXPECT_EQ(hit.time_upper, 0) << i;
    } else {
      EXPECT_GT(seen, 0) << i;
      EXPECT_LE(hit.time_lower, seen) << i;
      ++touch;
      if (!hit.certain) {
        ++open;
        EXPECT_NE(hit.stop, Stop::tolerance) << i;
        continue;
      }
      EXPECT_LT(gap_at(c.a, c.motion_a, c.b, c.motion_b, hit.time_upper), 0) << i;
      if (hit.stop == Stop::limit) {
        ++open;
        continue;
      }
      EXPECT_LE(hit.time_upper - hit.time_lower, std::max(tolerance, 1e-9)) << i;
    }
  }
  std::printf("touch %zu, apart %zu, at the start %zu, left open %zu; %.0f looks on the mean, %llu at most\n", touch,
              apart, at_start, open, static_cast<double>(looks) / static_cast<double>(cases(1500)),
              static_cast<unsigned long long>(most));
  EXPECT_GT(touch, cases(1500) / 16);
  EXPECT_GT(apart, cases(1500) / 8);
  EXPECT_GT(at_start, 0u);
  EXPECT_LE(open, 1 + touch / 50);
}

TEST(MovingVolumes, FirstTouchesAreThoseOfTheSameShapes) {
  auto random = seeded(1706);
  std::size_t both = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Vector3 half_a(uniform(random, 0.1, 1), uniform(random, 0.1, 1), uniform(random, 0.1, 1));
    const double radius = uniform(random, 0.1, 1);
    // b moves from one side to about the place of a.
    const Motion motion_a = random_motion(random, 0.5);
    const Vector3 beside = 3 * unit_vector(random);
    const Motion motion_b = Turning{Pose(any_rotation(random), beside), beside + unit_vector(random), -1.2 * beside,
                                    uniform(random, 0, 3) * unit_vector(random)};
    const BodyVolume a = Obb{Matrix3::Identity(), Vector3::Zero(), half_a};
    const BodyVolume b =
        i % 2 == 0 ? BodyVolume(Aabb{-half_a, half_a}) : BodyVolume(BoundingSphere{Vector3::Zero(), radius});
    const Shape shape_a = Box{2 * half_a};
    const Shape shape_b = i % 2 == 0 ? Shape(Box{2 * half_a}) : Shape(Sphere{radius});
    const Impact hit = first_touch(a, motion_a, b, motion_b);
    const MotionImpact same = first_contact({shape_a, motion_a}, {shape_b, motion_b});
    if (!hit.certain || !same.certain) continue;
    EXPECT_EQ(hit.status, same.status) << i;
    EXPECT_LE(hit.time_lower, same.time_upper) << i;
    EXPECT_LE(same.time_lower, hit.time_upper) << i;
    both += hit.status == ImpactStatus::touch ? 1 : 0;
  }
  EXPECT_GT(both, cases(200) / 8);
}

TEST(MovingVolumes, KnownTimes) {
  const Aabb cube{Vector3::Constant(-0.5), Vector3::Constant(0.5)};
  const BoundingSphere ball{Vector3::Zero(), 0.5};
  // Faces meet at 1/4; a cube and a ball; a cube that rotates until its edge reaches a wall.
  for (const BodyVolume& b : {BodyVolume(cube), BodyVolume(ball)}) {
    const Impact hit = first_touch(cube, Straight{Pose{}, Vector3(4, 0, 0)}, b, Still{Pose(Vector3(2, 0, 0))});
    EXPECT_EQ(hit.status, ImpactStatus::touch);
    EXPECT_TRUE(hit.certain);
    EXPECT_LE(hit.time_lower, 0.25);
    EXPECT_GE(hit.time_upper, 0.25);
    EXPECT_LE(hit.time_upper - hit.time_lower, 1e-12);
  }
  const Aabb wall{Vector3(0.6, -9, -9), Vector3(2, 9, 9)};
  const Impact edge = first_touch(cube, Turning{.turn = Vector3(0, 0, pi)}, wall, Still{});
  // cos(π/4 - angle)/√2 = 0.6
  const double expected = (pi / 4 - std::acos(0.6 * std::sqrt(2.0))) / pi;
  EXPECT_TRUE(edge.certain);
  EXPECT_LE(edge.time_lower, expected + 1e-15);
  EXPECT_GE(edge.time_upper, expected - 1e-15);
  EXPECT_LE(edge.time_upper - edge.time_lower, 1e-11);
  // A bullet through a plate at 1e20 per step: the time is tiny, and known to its own precision.
  const Aabb bullet{Vector3::Constant(-1e-6), Vector3::Constant(1e-6)};
  const Aabb plate{Vector3(1, -1, -1), Vector3(1 + 1e-9, 1, 1)};
  const Impact fast = first_touch(bullet, Straight{Pose{}, Vector3(1e20, 0, 0)}, plate, Still{});
  EXPECT_TRUE(fast.certain);
  EXPECT_LE(fast.time_lower, (1 - 1e-6) / 1e20);
  EXPECT_GE(fast.time_upper, (1 - 1e-6) / 1e20 * (1 - 1e-15));
  EXPECT_LE(fast.time_upper - fast.time_lower, 1e-32);
}

TEST(MovingVolumes, NoMotionAndHardlyAnyGiveWhatTheyAre) {
  const Aabb cube{Vector3::Constant(-0.5), Vector3::Constant(0.5)};
  const auto at = [](double x) { return Pose(Vector3(x, 0, 0)); };
  EXPECT_EQ(first_touch(cube, Still{}, cube, Still{at(1.001)}).status, ImpactStatus::apart);
  EXPECT_EQ(first_touch(cube, Still{}, cube, Still{at(0.999)}).status, ImpactStatus::touching_at_start);
  EXPECT_EQ(first_touch(cube, Straight{}, cube, Turning{.start = at(1.001)}).status, ImpactStatus::apart);
  // A motion by one unit in the last place, across a gap of the same size.
  const double ulp = 0x1p-52;
  const Impact hardly = first_touch(cube, Straight{Pose{}, Vector3(ulp, 0, 0)}, cube, Still{at(1 + ulp)});
  EXPECT_EQ(hardly.status, ImpactStatus::touch);  // within rounding: neither is proven
  EXPECT_EQ(hardly.time_lower, 0);
  EXPECT_LE(hardly.cost.volume_tests, 3000u);
  const Impact tiny = first_touch(cube, Turning{.turn = Vector3(0, 0, 5e-324)}, cube, Still{at(1.5)});
  EXPECT_EQ(tiny.status, ImpactStatus::apart);
  // Exactly flush, and sliding along: never reported apart.
  EXPECT_TRUE(may_touch(cube, Straight{Pose{}, Vector3(0, 5, 0)}, cube, Still{at(1)}));
  const Impact sliding = first_touch(cube, Straight{Pose{}, Vector3(0, 5, 0)}, cube, Still{at(1)});
  EXPECT_EQ(sliding.status, ImpactStatus::touch);
  EXPECT_FALSE(sliding.certain);
  EXPECT_EQ(sliding.time_lower, 0);
}

TEST(MovingVolumes, SearchesEnd) {
  const Aabb cube{Vector3::Constant(-0.5), Vector3::Constant(0.5)};
  // A corner passes a wall ten thousand times at a distance of 1e-12.
  const double reach = std::sqrt(0.5);
  const Aabb wall{Vector3(reach + 1e-12, -9, -9), Vector3(2, 9, 9)};
  const Turning mill{.turn = Vector3(0, 0, 2 * pi * 1e4)};
  const Impact close = first_touch(cube, mill, wall, Still{});
  EXPECT_EQ(close.status, ImpactStatus::touch);
  EXPECT_EQ(close.stop, Stop::limit);
  EXPECT_FALSE(close.certain);
  EXPECT_LE(close.cost.volume_tests, std::uint64_t{1} << 17);
  // A thousand turns while it approaches: found.
  Turning nearer{.by = Vector3(1, 0, 0), .turn = Vector3(0, 0, 2 * pi * 1e3)};
  const Aabb beyond{Vector3(1.5, -9, -9), Vector3(2, 9, 9)};
  const Impact found = first_touch(cube, nearer, beyond, Still{});
  EXPECT_TRUE(found.certain);
  EXPECT_GE(found.time_lower, 1.5 - reach - 1e-3);
  EXPECT_LE(found.time_upper, 1.5 - reach + 1.5e-3);
  EXPECT_LT(found.time_upper - found.time_lower, 1e-9);
  // The caller's own budget.
  const Impact short_of = first_touch(cube, nearer, beyond, Still{}, {.tolerance = 0, .budget = 10});
  EXPECT_EQ(short_of.stop, Stop::budget);
  EXPECT_EQ(short_of.cost.volume_tests, 10u);
  EXPECT_LE(short_of.time_lower, found.time_upper);
  // Nearly a billion radians.
  nearer.turn = Vector3(0, 0, 9e8);
  const Impact many = first_touch(cube, nearer, beyond, Still{});
  EXPECT_LE(many.time_lower, 1.5 - reach);
  EXPECT_LE(many.cost.volume_tests, std::uint64_t{1} << 17);
}

TEST(MovingVolumes, FlatAndThinBoxes) {
  // A rectangle through a cube is proven because the cube has an interior, and so is a point. Two flat boxes are left
  // open.
  const Aabb cube{Vector3::Constant(-0.5), Vector3::Constant(0.5)};
  const Obb sheet{Matrix3::Identity(), Vector3::Zero(), Vector3(0, 1, 1)};
  const Obb point{};
  for (const Obb& thin : {sheet, point}) {
    const Impact hit = first_touch(thin, Straight{Pose(Vector3(-2, 0, 0)), Vector3(4, 0, 0)}, cube, Still{});
    EXPECT_TRUE(hit.certain);
    EXPECT_LE(hit.time_lower, 0.375);
    EXPECT_GE(hit.time_upper, 0.375);
    EXPECT_LE(hit.time_upper - hit.time_lower, 1e-12);
  }
  const Impact open = first_touch(sheet, Straight{Pose(Vector3(-2, 0, 0)), Vector3(4, 0, 0)}, sheet, Still{});
  EXPECT_EQ(open.status, ImpactStatus::touch);
  EXPECT_FALSE(open.certain);
  EXPECT_NEAR(open.time_lower, 0.5, 1e-12);
  EXPECT_FALSE(may_touch(Aabb{}, Still{}, cube, Still{}));
  EXPECT_EQ(first_touch(Aabb{}, Still{}, cube, Still{}).status, ImpactStatus::apart);
}

TEST(MovingVolumes, SizesFromTinyToHuge) {
  auto random = seeded(1707);
  std::size_t apart = 0, touching = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const double scale = std::pow(10, uniform(random, -80, 75));  // the center of a screw motion may be far away
    Case c = random_case(random, i, 3);
    const auto scaled_volume = [&](BodyVolume& volume) {
      if (auto* ball = std::get_if<BoundingSphere>(&volume)) *ball = {ball->center * scale, ball->radius * scale};
      if (auto* box = std::get_if<Aabb>(&volume)) *box = {box->lower * scale, box->upper * scale};
      if (auto* box = std::get_if<Obb>(&volume)) *box = {box->axes, box->center * scale, box->half * scale};
    };
    const auto scaled_motion = [&](Motion& motion) {
      std::visit(
          [&](auto& known) {
            if constexpr (requires { known.pose.translation(); })
              known.pose.set_translation(known.pose.translation() * scale);
            else
              known.start.set_translation(known.start.translation() * scale);
            if constexpr (requires { known.by; }) known.by *= scale;
            if constexpr (requires { known.center; }) known.center *= scale;
          },
          motion);
    };
    scaled_volume(c.a), scaled_volume(c.b), scaled_motion(c.motion_a), scaled_motion(c.motion_b);
    const double time = uniform(random, 0, 1);
    const long double between = gap_at(c.a, c.motion_a, c.b, c.motion_b, time) / scale;
    if (std::abs(between) < 1e-9L) continue;
    const bool may = may_touch(c.a, c.motion_a, c.b, c.motion_b, Interval(time));
    EXPECT_EQ(may, between < 0) << i << ' ' << scale;
    (may ? touching : apart) += 1;
  }
  EXPECT_GT(apart, cases(2000) / 4);
  EXPECT_GT(touching, cases(2000) / 30);
}

TEST(MovingVolumes, BadInputIsNamed) {
  const Aabb cube{Vector3::Constant(-0.5), Vector3::Constant(0.5)};
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto refuse = [&](const BodyVolume& volume, const Motion& motion) {
    EXPECT_THROW(may_touch(volume, motion, cube, Still{}), Error);
    EXPECT_THROW(may_touch(cube, Still{}, volume, motion), Error);
    EXPECT_THROW(first_touch(volume, motion, cube, Still{}), Error);
  };
  for (const double bad : {nan, inf, -inf, 1e91}) {
    refuse(cube, Straight{Pose{}, Vector3(bad, 0, 0)});
    refuse(cube, Turning{.turn = Vector3(0, bad, 0)});
    refuse(cube, Turning{.center = Vector3(0, bad, 0)});
    refuse(BoundingSphere{Vector3(bad, 0, 0), 1}, Still{});
    refuse(BoundingSphere{Vector3::Zero(), bad}, Still{});
    refuse(Obb{Matrix3::Identity(), Vector3::Zero(), Vector3(1, bad, 1)}, Still{});
  }
  refuse(Aabb{Vector3(nan, 0, 0), Vector3(1, 1, 1)}, Still{});
  refuse(Aabb{Vector3(0, 0, 0), Vector3(1, inf, 1)}, Still{});
  refuse(Obb{2 * Matrix3::Identity(), Vector3::Zero(), Vector3(1, 1, 1)}, Still{});
  refuse(cube, through({}, {}, {}));
  refuse(cube, Turning{.turn = Vector3(2e9, 0, 0)});
  for (const Interval& t : {Interval(-0.1, 0.5), Interval(0.5, 1.1), Interval(nan, 1), Interval(0, nan)})
    EXPECT_THROW(may_touch(cube, Still{}, cube, Still{}, t), Error);
}

}  // namespace
}  // namespace whisker
