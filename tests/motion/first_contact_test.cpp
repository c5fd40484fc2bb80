// First contact: closed forms, and cases that continuous collision tests are known to get wrong.

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/geometry/moving_spheres.hpp>
#include <whisker/queries.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_vector;
using test::seeded;
using test::uniform;
using test::scenes::any_rotation;
using test::scenes::unit_vector;

/// Expects a certain contact whose bounds contain `time` and are no wider than `width`.
void expect_touch(const Impact& hit, double time, double width) {
  EXPECT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_TRUE(hit.certain);
  EXPECT_LE(hit.time_lower, time + 1e-15 * time);
  EXPECT_GE(hit.time_upper, time - 1e-15 * time);
  EXPECT_LE(hit.time_upper - hit.time_lower, width);
  EXPECT_NEAR(hit.time, time, width);
}

void expect_near(const Vector3& found, const Vector3& wanted, double off) {
  EXPECT_LE((found - wanted).norm(), off) << found.transpose() << " is not " << wanted.transpose();
}

Straight straight(const Vector3& from, const Vector3& by) {
  return {Pose(from), by};
}

TEST(FirstContact, SpheresMeetWhenTheClosedFormSays) {
  auto random = seeded(501);
  std::size_t touching = 0, apart = 0, wide = 0;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    // Ends on a grid of 2^-20, so that `by` is exactly their difference.
    const auto grid = [&](double half) {
      const Vector3 v = random_vector(random, half) * 0x1p20;
      return Vector3(Vector3(v.array().round()) * 0x1p-20);
    };
    const MovingSphere a{grid(2), grid(2), uniform(random, 0, 1)}, b{grid(2), grid(2), uniform(random, 0, 1)};
    const Impact wanted = first_contact_spheres(a, b);
    const MotionImpact found = first_contact({Sphere{a.radius}, straight(a.start, a.end - a.start)},
                                             {Sphere{b.radius}, straight(b.start, b.end - b.start)});
    if (wanted.status == ImpactStatus::touching_at_start) {
      EXPECT_EQ(found.status, ImpactStatus::touching_at_start);
    } else if (wanted.status == ImpactStatus::apart) {
      ++apart;
      EXPECT_EQ(found.status, ImpactStatus::apart);
    } else {
      ++touching;
      ASSERT_EQ(found.status, ImpactStatus::touch);
      EXPECT_TRUE(found.certain);
      EXPECT_LE(found.time_lower, wanted.time_upper);
      EXPECT_GE(found.time_upper, wanted.time_lower);
      const double closing = -wanted.normal.dot((b.end - b.start) - (a.end - a.start));
      // The paths are up to 14 long. A few bounds are wider.
      const double width = (found.time_upper - found.time_lower) * closing;
      EXPECT_LE(width, 1e-12);
      wide += width > 1e-13 ? 1u : 0u;
      expect_near(found.normal, wanted.normal, 1e-7);
      expect_near(found.point, wanted.point, 1e-7);
    }
  }
  EXPECT_LE(wide, touching / 1000);
  EXPECT_GT(touching, cases(3000) / 10);
  EXPECT_GT(apart, cases(3000) / 10);
}

TEST(FirstContact, ASphereReachesFaceEdgeAndCornerOfABox) {
  const Shape box = Box{{2, 2, 2}};
  const Shape ball = Sphere{0.5};
  expect_touch(first_contact({box}, {ball, straight({4, 0.25, 0.5}, {-5, 0, 0})}), 0.5, 3e-14);
  const MotionImpact edge = first_contact({box}, {ball, straight({4, 4, 0.25}, {-4, -4, 0})});
  expect_touch(edge, (3 - 0.5 / std::sqrt(2.0)) / 4, 3e-14);
  expect_near(edge.normal, Vector3(1, 1, 0).normalized(), 1e-7);
  expect_near(edge.point, {1, 1, 0.25}, 1e-12);
  const MotionImpact corner = first_contact({box}, {ball, straight({4, 4, 4}, {-4, -4, -4})});
  expect_touch(corner, (3 - 0.5 / std::sqrt(3.0)) / 4, 3e-14);
  expect_near(corner.point, {1, 1, 1}, 1e-12);
}

TEST(FirstContact, RoundShapesReachAPlane) {
  // A cylinder whose axis leans by (0.6, 0.8) reaches 0.8 half lengths and 0.6 radii down.
  Matrix3 lean;
  lean << 1, 0, 0, 0, 0.8, -0.6, 0, 0.6, 0.8;
  const Straight fall{Pose(lean, {3, 2, 5}), {1, 0, -4}};
  for (const Shape& ground : {Shape(HalfSpace{}), Shape(Plane{})}) {
    expect_touch(first_contact({ground}, {Cylinder{1, 2}, fall}), (5 - 0.8 - 0.6) / 4, 1e-15);
    expect_touch(first_contact({ground}, {Cone{1, 2}, fall}), (5 - 0.8 - 0.6) / 4, 1e-15);
    expect_touch(first_contact({ground}, {Ellipsoid{{1, 2, 3}}, fall}), (5 - std::hypot(0.6 * 2, 0.8 * 3)) / 4, 1e-15);
    expect_touch(first_contact({ground}, {Capsule{0.5, 2}, fall}), (5 - 0.8 - 0.5) / 4, 1e-15);
    EXPECT_EQ(first_contact({ground}, {Sphere{0.5}, fall}).status, ImpactStatus::apart);
  }
}

TEST(FirstContact, RoundShapesReachASphere) {
  // Straight down on the axis: tip, cap, and the ellipsoid's pole.
  const Shape ball = Sphere{1};
  const Straight fall = straight({0, 0, 5}, {0, 0, -4});
  expect_touch(first_contact({ball}, {Cylinder{1, 2}, fall}), 0.75, 1e-13);
  Matrix3 over;
  over << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  expect_touch(first_contact({ball}, {Cone{1, 2}, Straight{Pose(over, {0, 0, 5}), {0, 0, -4}}}), 0.75, 1e-13);
  expect_touch(first_contact({ball}, {Ellipsoid{{1, 2, 3}}, fall}), 0.25, 1e-13);
  // From the side, the contact is with the cylinder's side: two circles seen from above.
  expect_touch(first_contact({ball}, {Cylinder{1, 8}, straight({5, 0, 0}, {-4, 0, 0})}), 0.75, 1e-13);
}

TEST(FirstContact, TheSphereRestsOnTheGroundWhenTheEndsMeetExactly) {
  // Contact begins exactly at time 1: not provable, but never missed.
  const MotionImpact hit = first_contact({HalfSpace{}}, {Sphere{1}, straight({0, 0, 5}, {0, 0, -4})});
  EXPECT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_GE(hit.time_lower, 1 - 1e-15);
  EXPECT_EQ(hit.time_upper, 1);
  // A slightly shorter motion is apart, a slightly longer one is certain.
  EXPECT_EQ(first_contact({HalfSpace{}}, {Sphere{1}, straight({0, 0, 5}, {0, 0, std::nextafter(-4.0, 0.0)})}).status,
            ImpactStatus::apart);
  EXPECT_TRUE(first_contact({HalfSpace{}}, {Sphere{1}, straight({0, 0, 5}, {0, 0, -4.0000001})}).certain);
}

TEST(FirstContact, PlanesAndHalfSpacesMeetEachOther) {
  const Shape floor = HalfSpace{{0, 0, 2}, 0}, lid = HalfSpace{{0, 0, -1}, -4}, sheet = Plane{{0, 0, 3}, 6};
  expect_touch(first_contact({floor}, {lid, straight({0, 0, 0}, {5, 5, -8})}), 0.5, 1e-15);
  expect_touch(first_contact({floor, straight({0, 0, 0}, {0, 0, 4})}, {lid, straight({0, 0, 0}, {0, 0, -4})}), 0.5,
               1e-15);
  const MotionImpact hit = first_contact({sheet, straight({0, 0, 0}, {0, 0, -4})}, {floor});
  expect_touch(hit, 0.5, 1e-15);
  expect_near(hit.normal, {0, 0, -1}, 1e-15);
  EXPECT_EQ(first_contact({floor}, {sheet, straight({0, 0, 0}, {9, 9, 9})}).status, ImpactStatus::apart);
  EXPECT_EQ(first_contact({floor}, {HalfSpace{{1, 0, 0}, 0}}).status, ImpactStatus::touching_at_start);
}

TEST(FirstContact, NothingTunnelsThroughAThinPlate) {
  auto random = seeded(502);
  const std::vector<Shape> bullets = {Sphere{1e-6}, Sphere{0}, Box{{1e-6, 2e-6, 1e-6}}, Cylinder{1e-6, 1e-6},
                                      Segment{{0, 0, 0}, {1e-6, 0, 1e-6}}};
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Matrix3 turn = any_rotation(random);
    const double thickness = i % 3 == 0 ? 0 : 1e-9;
    const Shape plate =
        i % 3 == 1 ? Shape(Triangle{{-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}}) : Shape(Box{{2, 2, thickness}});
    // Hits the plate at an interior point, a third of the way.
    const Vector3 target = turn * Vector3(uniform(random, -0.6, 0.2), uniform(random, -0.6, 0.2), 0);
    Vector3 by = 1e6 * unit_vector(random);
    if (std::abs(turn.col(2).dot(by)) < 1e5) by = 1e6 * turn.col(2);
    for (const Shape& bullet : bullets) {
      const MotionImpact hit =
          first_contact({plate, Still{Pose(turn, Vector3::Zero())}}, {bullet, straight(target - by / 3, by)});
      ASSERT_EQ(hit.status, ImpactStatus::touch);
      EXPECT_TRUE(hit.certain);
      EXPECT_NEAR(hit.time, 1.0 / 3, 1e-10);
      EXPECT_TRUE(touches_during({plate, Still{Pose(turn, Vector3::Zero())}}, {bullet, straight(target - by / 3, by)}));
      // Beside the plate, the bullet misses.
      const Vector3 beside = target + turn * Vector3(5, 0, 0);
      EXPECT_EQ(
          first_contact({plate, Still{Pose(turn, Vector3::Zero())}}, {bullet, straight(beside - by / 3, by)}).status,
          ImpactStatus::apart);
    }
  }
}

TEST(FirstContact, WithoutMotionItIsTouches) {
  const Shape a = Box{{1, 1, 1}}, b = Cylinder{1, 1};
  EXPECT_EQ(first_contact({a}, {b, Still{Pose(Vector3(3, 0, 0))}}).status, ImpactStatus::apart);
  EXPECT_EQ(first_contact({a}, {b, straight({1, 0, 0}, {0, 0, 0})}).status, ImpactStatus::touching_at_start);
  // Both have the same motion, so there is no relative motion.
  EXPECT_EQ(first_contact({a, straight({0, 0, 0}, {5, 0, 0})}, {b, straight({3, 0, 0}, {5, 0, 0})}).status,
            ImpactStatus::apart);
  EXPECT_FALSE(touches_during({a, straight({0, 0, 0}, {5, 0, 0})}, {b, straight({3, 0, 0}, {5, 0, 0})}));
}

TEST(FirstContact, FacesThatSlideInContactTouchFromTheStart) {
  const Shape box = Box{{1, 1, 1}};
  const MotionImpact sliding = first_contact({box}, {box, straight({0.25, 0, 1}, {3, 0, 0})});
  EXPECT_EQ(sliding.status, ImpactStatus::touching_at_start);
  // They begin beside each other and slide onto each other flush: an edge meets an edge at time 0.5.
  const MotionImpact onto = first_contact({box}, {box, straight({3, 0, 1}, {-4, 0, 0})});
  EXPECT_EQ(onto.status, ImpactStatus::touch);
  EXPECT_LE(onto.time_lower, 0.5);
  EXPECT_GE(onto.time_lower, 0.5 - 3e-14);
  EXPECT_TRUE(touches_during({box}, {box, straight({3, 0, 1}, {-4, 0, 0})}));
  // One unit in the last place higher, they miss each other, and this is proven.
  const double above = std::nextafter(1.0, 2.0);
  EXPECT_EQ(first_contact({box}, {box, straight({3, 0, above}, {-4, 0, 0})}).status, ImpactStatus::apart);
  EXPECT_FALSE(touches_during({box}, {box, straight({3, 0, above}, {-4, 0, 0})}));
  // One unit lower, they certainly touch, although the overlap is no larger than that.
  const MotionImpact below = first_contact({box}, {box, straight({3, 0, std::nextafter(1.0, 0.0)}, {-4, 0, 0})});
  expect_touch(below, 0.5, 1e-11);
}

TEST(FirstContact, AGrazingSphereIsCalledByTheLastBits) {
  const Shape ball = Sphere{1};
  const auto pass = [&](double height) { return first_contact({ball}, {ball, straight({-5, 0, height}, {10, 0, 0})}); };
  EXPECT_EQ(pass(std::nextafter(2.0, 3.0)).status, ImpactStatus::apart);
  const MotionImpact tangent = pass(2.0);
  EXPECT_EQ(tangent.status, ImpactStatus::touch);
  EXPECT_NEAR(tangent.time, 0.5, 1e-11);
  EXPECT_LE(tangent.time_lower, 0.5);
  EXPECT_GE(tangent.time_upper, 0.5);
  const MotionImpact below = pass(std::nextafter(2.0, 1.0));
  EXPECT_EQ(below.status, ImpactStatus::touch);
  EXPECT_TRUE(below.certain);
  // x| = sqrt(4 - h²) at the first contact.
  const double h = std::nextafter(2.0, 1.0);
  EXPECT_NEAR(below.time, 0.5 - std::sqrt((2 - h) * (2 + h)) / 10, 1e-12);
}

TEST(FirstContact, EdgesThatCrossMeetAtTheClosedFormTime) {
  // Two boxes standing on edge, crossed: the edges meet when the heights do.
  Matrix3 on_edge_x, on_edge_y;
  const double s = std::sqrt(0.5);
  on_edge_x << 1, 0, 0, 0, s, -s, 0, s, s;
  on_edge_y << s, 0, s, 0, 1, 0, -s, 0, s;
  const Shape box = Box{{2, 2, 2}};
  const MotionImpact hit = first_contact({box, Still{Pose(on_edge_x, {0, 0, 0})}},
                                         {box, Straight{Pose(on_edge_y, {0.1, 0.2, 6}), {0.5, 0.25, -6}}});
  expect_touch(hit, (6 - 2 * std::sqrt(2.0)) / 6, 3e-14);
  expect_near(hit.normal, {0, 0, 1}, 1e-12);
  EXPECT_NEAR(hit.point.z(), std::sqrt(2.0), 1e-13);
}

TEST(FirstContact, SegmentsThatCrossMeetForAnInstant) {
  const Shape x = Segment{{-1, 0, 0}, {1, 0, 0}}, y = Segment{{0, -1, 0}, {0, 1, 0}};
  const MotionImpact hit = first_contact({x}, {y, straight({0.25, 0.125, 2}, {0, 0, -4})});
  expect_touch(hit, 0.5, 4e-16);
  expect_near(hit.point, {0.25, 0, 0}, 1e-15);
  EXPECT_TRUE(touches_during({x}, {y, straight({0.25, 0.125, 2}, {0, 0, -4})}));
  EXPECT_EQ(first_contact({x}, {y, straight({1.0000000000000002, 0.125, 2}, {0, 0, -4})}).status, ImpactStatus::apart);
  // Through an end: neither proven nor missed, and the time is still known.
  const MotionImpact end = first_contact({x}, {y, straight({1, 0.125, 2}, {0, 0, -4})});
  EXPECT_EQ(end.status, ImpactStatus::touch);
  EXPECT_NEAR(end.time_lower, 0.5, 1e-15);
  EXPECT_NEAR(end.time_upper, 0.5, 1e-15);
}

TEST(FirstContact, WhatTouchesAtTheStartIsSaidEvenIfItMovesApart) {
  const Shape box = Box{{1, 1, 1}}, ball = Sphere{0.5};
  const MotionImpact flush = first_contact({box}, {ball, straight({0, 0, 1}, {0, 0, 5})});
  EXPECT_EQ(flush.status, ImpactStatus::touching_at_start);
  EXPECT_EQ(flush.time_upper, 0);
  expect_near(flush.normal, {0, 0, 1}, 1e-7);
  expect_near(flush.point, {0, 0, 0.5}, 1e-12);
  const MotionImpact resting = first_contact({HalfSpace{}}, {ball, straight({0, 0, 0.5}, {0, 0, 5})});
  EXPECT_EQ(resting.status, ImpactStatus::touching_at_start);
  expect_near(resting.normal, {0, 0, 1}, 1e-12);
  const MotionImpact deep = first_contact({box}, {ball, straight({0, 0, 0.75}, {0, 0, 5})});
  EXPECT_EQ(deep.status, ImpactStatus::touching_at_start);
  expect_near(deep.normal, {0, 0, 1}, 1e-12);
  EXPECT_TRUE(touches_during({box}, {ball, straight({0, 0, 1}, {0, 0, 5})}));
}

TEST(FirstContact, FlatHullsAreShapesToo) {
  const Shape square = ConvexHull(std::vector<Vector3>{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  const Shape line = ConvexHull(std::vector<Vector3>{{0, 0, -1}, {0, 0, 1}});
  const Shape point = ConvexHull(std::vector<Vector3>{{0, 0, 0}});
  expect_touch(first_contact({square}, {square, straight({0.5, 0.25, 3}, {0, 0, -4})}), 0.75, 1e-13);
  expect_touch(first_contact({square}, {line, straight({0.3, 0.1, 3}, {0, 0, -4})}), 0.5, 1e-13);
  expect_touch(first_contact({square}, {point, straight({0.3, 0.1, 3}, {0, 0, -4})}), 0.75, 4e-16);
  EXPECT_EQ(first_contact({square}, {square, straight({2.0000000000000004, 0, 3}, {0, 0, -4})}).status,
            ImpactStatus::apart);
  EXPECT_EQ(first_contact({point}, {point, straight({0.3, 0.1, 3}, {0, 0, -4})}).status, ImpactStatus::apart);
}

TEST(FirstContact, IsTheSameAtEverySizeAndFarFromTheOrigin) {
  const Shape unit[] = {Box{{2, 2, 2}}, Cylinder{1, 2}, Cone{1, 2}, Ellipsoid{{1, 2, 3}}, Capsule{0.5, 1}};
  const auto scaled = [](const Shape& shape, double by) {
    if (const auto* box = shape.as<Box>()) return Shape(Box{by * box->size});
    if (const auto* c = shape.as<Cylinder>()) return Shape(Cylinder{by * c->radius, by * c->length});
    if (const auto* c = shape.as<Cone>()) return Shape(Cone{by * c->radius, by * c->length});
    if (const auto* e = shape.as<Ellipsoid>()) return Shape(Ellipsoid{by * e->radii});
    const auto* c = shape.as<Capsule>();
    return Shape(Capsule{by * c->radius, by * c->length});
  };
  auto random = seeded(503);
  const Matrix3 turn = any_rotation(random);
  for (const Shape& a : unit) {
    for (const Shape& b : unit) {
      const Vector3 from(5, 6, 7), by(-6, -6.5, -7.25);
      const MotionImpact one = first_contact({a}, {b, Straight{Pose(turn, from), by}});
      ASSERT_EQ(one.status, ImpactStatus::touch);
      ASSERT_TRUE(one.certain);
      for (const double size : {1e-80, 1e-6, 0x1p-20, 1e6, 1e80}) {
        const MotionImpact hit =
            first_contact({scaled(a, size)}, {scaled(b, size), Straight{Pose(turn, size * from), size * by}});
        ASSERT_EQ(hit.status, ImpactStatus::touch) << size;
        EXPECT_TRUE(hit.certain) << size;
        EXPECT_NEAR(hit.time, one.time, 1e-12) << size;
        EXPECT_LE(hit.time_upper - hit.time_lower, 1e-11) << size;
      }
      const Vector3 far(1e6, -2e6, 1.5e6);  // the sums are exact
      const MotionImpact away = first_contact({a, Still{Pose(far)}}, {b, Straight{Pose(turn, far + from), by}});
      EXPECT_NEAR(away.time, one.time, 1e-12);
      EXPECT_LE(away.time_upper - away.time_lower, 1e-11);
      expect_near(away.point - far, one.point, 1e-8);
      // A motion that is a million times longer, with the same beginning.
      const MotionImpact fast = first_contact({a}, {b, Straight{Pose(turn, from), 1e6 * by}});
      EXPECT_NEAR(1e6 * fast.time, one.time, 1e-11);
    }
  }
}

TEST(FirstContact, ToleranceAndBudgetStopEarlyWithBoundsThatHold) {
  const Shape a = Ellipsoid{{1, 2, 3}}, b = Cylinder{1, 2};
  const Straight motion = straight({5, 6, 7}, {-6, -6.5, -7.25});
  const MotionImpact full = first_contact({a}, {b, motion});
  ASSERT_TRUE(full.certain);
  EXPECT_EQ(full.stop, Stop::exact);
  const MotionImpact rough = first_contact({a}, {b, motion}, {.tolerance = 1e-3});
  EXPECT_EQ(rough.stop, Stop::tolerance);
  EXPECT_LE(rough.time_upper - rough.time_lower, 1e-3);
  EXPECT_LE(rough.time_lower, full.time_upper);
  EXPECT_GE(rough.time_upper, full.time_lower);
  for (std::uint64_t budget = 0; budget < 30; ++budget) {
    const MotionImpact some = first_contact({a}, {b, motion}, {.budget = budget});
    ASSERT_NE(some.status, ImpactStatus::apart);
    EXPECT_LE(some.time_lower, full.time_upper) << budget;
    EXPECT_GE(some.time_upper, full.time_lower) << budget;
    if (budget < 5) {
      EXPECT_EQ(some.stop, Stop::budget);
      EXPECT_FALSE(some.certain);
    }
  }
}

TEST(FirstContact, BadInputIsAnErrorThatSaysWhatToDo) {
  const Shape box = Box{{1, 1, 1}};
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message([&] {
              first_contact({box, straight({0, 0, 0}, {nan, 0, 0})}, {box});
            }).find("by"),
            std::string::npos);
  EXPECT_NE(message([&] {
              first_contact({box}, {box, straight({0, 0, 0}, {1e91, 0, 0})});
            }).find("1e90"),
            std::string::npos);
  EXPECT_NE(message([&] { first_contact({box, straight({nan, 0, 0}, {1, 0, 0})}, {box}); }), "");
  EXPECT_NE(message([&] { first_contact({box}, {box, Still{Pose(2 * Matrix3::Identity(), Vector3::Zero())}}); }), "");
  EXPECT_NE(message([&] { first_contact({box}, {box}, {.tolerance = -1}); }).find("tolerance"), std::string::npos);
}

TEST(FirstContact, ExtremeMotionsEndAndStayTrue) {
  const Shape shapes[] = {Box{{1, 1, 1}}, Sphere{0.5}, Cylinder{1, 1}, Sphere{0}, Segment{{0, 0, 0}, {1, 0, 0}},
                          Plane{},        HalfSpace{}};
  const double lengths[] = {0, 5e-324, 1e-300, 1e-90, 1e-30, 1, 1e30, 1e89};
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (const double length : lengths) {
        for (const double size : {1e-89, 1.0, 1e89}) {
          const Straight motion = straight(Vector3(0.5, 0.25, 3) * size, Vector3(0.25, 0.5, -1) * length);
          const MotionImpact hit = first_contact({a}, {b, motion});
          EXPECT_LE(0, hit.time_lower);
          EXPECT_LE(hit.time_lower, hit.time);
          EXPECT_LE(hit.time, hit.time_upper);
          EXPECT_LE(hit.time_upper, 1);
          EXPECT_TRUE(hit.point.allFinite() && hit.normal.allFinite());
          EXPECT_EQ(touches_during({a}, {b, motion}), hit.status != ImpactStatus::apart);
          const bool unbounded = a.is_unbounded() || b.is_unbounded();
          if (!unbounded && length < 1e-3 * size && size >= 1) {
            EXPECT_EQ(hit.status, ImpactStatus::apart) << length << " " << size;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace whisker
