// Witness points of shapes that touch in one point, along motions from apart to overlapping: they do not jump. Also
// those of numbered cases, of batches and of worlds.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/contact_manifold.hpp>
#include <whisker/queries.hpp>
#include <whisker/world.hpp>

#include "support/standing_shapes.hpp"
#include "support/witness_check.hpp"

namespace whisker::test {
namespace {

/// Where two shapes meet.
struct Meeting {
  bool found = false;
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();
};

enum class By { queries, cache, swapped, patch };

Meeting meeting(const Placed& a, const Placed& b, By by, PairCache& cache) {
  if (by == By::patch) {
    const ContactManifold patch = contact_manifold(a, b, {.margin = 0.011});
    if (patch.count != 1) return {};
    return {true, patch.storage[0].point_a, patch.storage[0].point_b};
  }
  PairCache* memory = by == By::cache ? &cache : nullptr;
  if (by == By::swapped) {
    const Meeting other = meeting(b, a, By::queries, cache);
    return {other.found, other.b, other.a};
  }
  if (const Depth d = depth(a, b, {.cache = memory}); d.upper > 0) return {true, d.point_a, d.point_b};
  const Distance d = distance(a, b, {.cache = memory});
  return {d.normal != Vector3::Zero(), d.point_a, d.point_b};
}

/// From 1e-2 through 0 to -1e-2, with smaller and smaller steps toward 0.
std::vector<double> ladder() {
  std::vector<double> gaps;
  for (double g = 1e-2; g > 1e-10; g *= 0.55)
    gaps.push_back(g);
  const std::size_t count = gaps.size();
  gaps.push_back(0);
  for (std::size_t i = count; i-- > 0;)
    gaps.push_back(-gaps[i]);
  return gaps;
}

bool bends(const Standing& s) {
  return s.is_smooth || s.is_bent;
}

struct Jump {
  double worst = 0;  ///< Relative to the allowed step.
  double slack = 0;  ///< How much of the additional allowance for curved boundaries was needed.
  std::string where;
};

/// Follows pairs that touch in one point along the normal, or along a slanted path, and compares each step with the
/// previous one.
///
/// The allowed step when the gap changes from g to g': `factor` times |g - g'|, plus rounding (4096 spacings of the
/// coordinates) and, if a boundary is curved, the effect of rounding on the point: over a length of sqrt(2 R s), a
/// boundary of radius R is flat up to the spacing s.
Jump follow(Stance below, Stance above, std::size_t count, By by, bool slanted, std::size_t& steps) {
  std::mt19937_64 random = seeded(7300000 + 10000 * static_cast<std::uint64_t>(by) + slanted * 5000 +
                                  100 * static_cast<std::uint64_t>(below) + static_cast<std::uint64_t>(above));
  Jump jump;
  const std::vector<double> gaps = ladder();
  std::size_t tried = 0;
  for (std::size_t made = 0; made < count && tried < 30 * count; ++tried) {
    auto pair = make_standing_pair(random, below, above, false);
    if (!pair || pair->shared.dimension != 0 || !pair->is_shallow) continue;
    // Along a slanted path, the contact moves on the lower shape together with the upper one, or as two lines cross.
    const bool lines = pair->a.foot.is_segment() && pair->b.foot.is_segment();
    if (slanted && !lines && !pair->a.foot.is_area() && !pair->a.foot.is_everything) continue;
    if (slanted && lines && (bends(pair->a) || bends(pair->b))) continue;
    ++made;
    double factor = 1.001;
    Vector3 aside = Vector3::Zero();
    if (slanted) {
      aside = Vector3(uniform(random, -1, 1), uniform(random, -1, 1), 0);
      factor += aside.norm();
      if (lines) {
        const auto along = [](const PlaneSet& line) {
          const PlanePoint e = line.corners[1] - line.corners[0];
          return (1 / norm(e)) * e;
        };
        factor =
            1.001 + 2 * aside.norm() / std::abs(static_cast<double>(cross(along(pair->a.foot), along(pair->b.foot))));
      }
    }
    const double coordinate = pair->frame.translation().lpNorm<Eigen::Infinity>() + pair->size;
    const double spacing = spacing_of_doubles_at(coordinate);
    PairCache cache;
    Meeting before;
    double gap_before = 0;
    for (const double gap : gaps) {
      Pose raised = pair->pose_b_at_zero;
      raised.set_translation(raised.translation() + (Vector3(0, 0, gap) + (gap - 0.01) * aside * 0.5));
      const Meeting now =
          meeting({pair->a.shape, pair->pose_a}, {pair->b.shape, compose(pair->frame, raised)}, by, cache);
      if (!now.found) continue;
      if (before.found) {
        ++steps;
        const double step = std::max((now.a - before.a).norm(), (now.b - before.b).norm());
        double allowed = factor * std::abs(gap - gap_before) + 4096 * spacing;
        const double straight = allowed;
        if (bends(pair->a) || bends(pair->b)) allowed += 2 * std::sqrt(2 * pair->size * spacing);
        if (allowed > straight) jump.slack = std::max(jump.slack, (step - straight) / (allowed - straight));
        if (step / allowed > jump.worst) {
          jump.worst = step / allowed;
          std::ostringstream text;
          text.precision(17);
          text << test::name(below) << " under " << test::name(above) << ": from gap " << gap_before << " to " << gap
               << " the points move by " << step << ", allowed " << allowed << "\n  a: " << describe(pair->a.shape)
               << " at " << pair->pose_a.rotation().reshaped().transpose() << " (by columns), "
               << pair->pose_a.translation().transpose() << "\n  b: " << describe(pair->b.shape) << " at "
               << compose(pair->frame, raised).rotation().reshaped().transpose() << " (by columns), "
               << compose(pair->frame, raised).translation().transpose() << "\n  before " << before.a.transpose()
               << " | " << before.b.transpose() << "\n  now " << now.a.transpose() << " | " << now.b.transpose();
          jump.where = text.str();
        }
      }
      before = now;
      gap_before = gap;
    }
  }
  return jump;
}

void expect_no_jump(By by, bool slanted) {
  std::size_t steps = 0, failed = 0;
  double worst = 0, slack = 0;
  for (std::size_t i = 0; i < stance_count; ++i) {
    for (std::size_t j = 2; j < stance_count; ++j) {
      const Jump jump = follow(static_cast<Stance>(i), static_cast<Stance>(j), cases(1), by, slanted, steps);
      worst = std::max(worst, jump.worst);
      slack = std::max(slack, jump.slack);
      if (jump.worst > 1 && ++failed <= 4) ADD_FAILURE() << jump.where;
    }
  }
  if (failed > 4) ADD_FAILURE() << failed << " pairs of stances failed";
  std::printf("%zu steps, the largest %.3g of what is allowed, with %.3g of what bent borders get\n", steps, worst,
              slack);
  EXPECT_GE(steps, at_least(2000));
}

TEST(WitnessInMotion, AlongTheNormalPointsMoveNoMoreThanTheGap) {
  expect_no_jump(By::queries, false);
}
TEST(WitnessInMotion, AlongTheNormalPointsMoveNoMoreThanTheGapWithACache) {
  expect_no_jump(By::cache, false);
}
TEST(WitnessInMotion, AlongTheNormalPointsMoveNoMoreThanTheGapInTheOtherOrder) {
  expect_no_jump(By::swapped, false);
}
TEST(WitnessInMotion, AlongTheNormalThePointOfAPatchMovesNoMoreThanTheGap) {
  expect_no_jump(By::patch, false);
}
TEST(WitnessInMotion, AlongASlantedWayPointsMoveWithTheShape) {
  expect_no_jump(By::queries, true);
}
TEST(WitnessInMotion, AlongASlantedWayThePointOfAPatchMovesWithTheShape) {
  expect_no_jump(By::patch, true);
}

// ---- numbered cases

struct Numbered {
  Shape a, b;
  Pose pose_a, pose_b;
  Vector3 point_a, point_b;
  double tolerance;
};

void expect_points(const Numbered& n) {
  const Placed a(n.a, n.pose_a), b(n.b, n.pose_b);
  PairCache cache;
  for (PairCache* memory : {static_cast<PairCache*>(nullptr), &cache, &cache}) {
    const Depth d = depth(a, b, {.cache = memory});
    EXPECT_LE((d.point_a - n.point_a).norm(), n.tolerance) << d.point_a.transpose();
    EXPECT_LE((d.point_b - n.point_b).norm(), n.tolerance) << d.point_b.transpose();
    EXPECT_LE((d.point_a - d.point_b - d.normal * d.upper).norm(), 64 * 2.3e-16);
    const Depth back = depth(b, a, {.cache = memory});
    EXPECT_LE((back.point_b - n.point_a).norm(), n.tolerance) << back.point_b.transpose();
    EXPECT_LE((back.point_a - n.point_b).norm(), n.tolerance) << back.point_a.transpose();
    const ContactManifold patch = contact_manifold(a, b, {.cache = memory});
    ASSERT_EQ(patch.count, 1u);
    EXPECT_LE((patch.storage[0].point_a - n.point_a).norm(), n.tolerance) << patch.storage[0].point_a.transpose();
    EXPECT_LE((patch.storage[0].point_b - n.point_b).norm(), n.tolerance) << patch.storage[0].point_b.transpose();
  }
}

using std::numbers::pi;

TEST(WitnessByNumber, CrossingEdgesOfBoxesMeetWhereTheyCross) {
  const double high = std::sqrt(0.5) - 0.005;
  expect_points({Box{Vector3(2, 1, 1)}, Box{Vector3(1, 2, 1)},
                 Pose(standing::about(Vector3::UnitX(), pi / 4), Vector3(0.3, 0, -high)),
                 Pose(standing::about(Vector3::UnitY(), pi / 4), Vector3(0, -0.4, high)), Vector3(0, 0, 0.005),
                 Vector3(0, 0, -0.005), 1e-14});
}

TEST(WitnessByNumber, AnEllipsoidOnATableMeetsItUnderItsLowestPoint) {
  expect_points({Box{Vector3(2, 2, 0.1)}, Ellipsoid{Vector3(0.3, 0.2, 0.1)}, Pose(Vector3(0, 0, -0.05)),
                 Pose(Vector3(0.3, -0.2, 0.1 - 0.001)), Vector3(0.3, -0.2, 0), Vector3(0.3, -0.2, -0.001), 1e-8});
}

TEST(WitnessByNumber, AConeOnItsTipMeetsATableUnderTheTip) {
  Matrix3 over = Matrix3::Identity();
  over(1, 1) = over(2, 2) = -1;
  expect_points({Box{Vector3(2, 2, 0.1)}, Cone{0.1, 0.3}, Pose(Vector3(0, 0, -0.05)),
                 Pose(over, Vector3(0.3, -0.2, 0.15 - 0.001)), Vector3(0.3, -0.2, 0), Vector3(0.3, -0.2, -0.001),
                 1e-14});
}

TEST(WitnessByNumber, ASphereInABoxLeavesThroughTheMiddleOfItsFace) {
  expect_points({Sphere{0.5}, Box{Vector3(1, 1, 1)}, Pose(Vector3(0, 0, 0.5)), Pose(), Vector3(0, 0, 0),
                 Vector3(0, 0, 0.5), 1e-14});
}

TEST(WitnessByNumber, WhatNothingPartsAndWhatDoesNotOverlapHasNoPoints) {
  const auto expect_none = [](const Placed& a, const Placed& b) {
    for (const Depth& d : {depth(a, b), depth(b, a)}) {
      EXPECT_EQ(d.normal, Vector3::Zero());
      EXPECT_EQ(d.point_a, Vector3::Zero());
      EXPECT_EQ(d.point_b, Vector3::Zero());
    }
  };
  const Shape floor = HalfSpace{Vector3(0, 0, 1), 1}, wall = HalfSpace{Vector3(1, 0, 0), 1},
              plane = Plane{Vector3(0, 1, 1), 2};
  expect_none({floor}, {wall, Pose(Vector3(3, 4, 5))});
  expect_none({floor}, {plane});
  expect_none({floor}, {floor, Pose(Vector3(1, 2, 3))});
  expect_none({plane}, {plane, Pose(Vector3(1, 2, 3))});
  expect_none({Shape(Sphere{1})}, {Shape(Box{Vector3(1, 1, 1)}), Pose(Vector3(9, 8, 7))});
  expect_none({Shape(Ellipsoid{Vector3(1, 2, 3)})}, {Shape(Cone{1, 2}), Pose(Vector3(9, 8, 7))});
}

/// A shape that lies on, stands on or is deep in another: expects the middle of their intersection when `depth` moves
/// it out.
void expect_middle(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Vector3& point_a,
                   double tolerance = 1e-7) {
  const Depth there = depth({a, pose_a}, {b, pose_b}), back = depth({b, pose_b}, {a, pose_a});
  EXPECT_LE((there.point_a - point_a).norm(), tolerance) << there.point_a.transpose() << ", depth " << there.upper;
  EXPECT_LE((back.point_b - point_a).norm(), tolerance) << back.point_b.transpose() << ", depth " << back.upper;
}

/// The axis of a cylinder or cone is along x.
Matrix3 lying() {
  Matrix3 turn = Matrix3::Zero();
  turn(0, 2) = turn(1, 0) = turn(2, 1) = 1;
  return turn;
}

ConvexHull box_hull(const Vector3& size) {
  return ConvexHull(convex_cases::box_points(size));
}

TEST(WitnessByNumber, ACylinderLyingOnABoxMeetsItInTheMiddleOfItsLine) {
  const Shape box = Box{Vector3(2, 2, 2)}, cylinder = Cylinder{0.3, 1};
  for (const double deep : {1e-4, 0.01, 0.1}) {
    expect_middle(box, {}, cylinder, Pose(lying(), Vector3(0.2, 0.1, 1.3 - deep)), Vector3(0.2, 0.1, 1));
    expect_middle(box, {}, cylinder, Pose(lying(), Vector3(0.8, 0.1, 1.3 - deep)), Vector3(0.65, 0.1, 1));
  }
}

TEST(WitnessByNumber, AHullInABoxLeavesThroughTheMiddleOfItsFace) {
  const Shape box = Box{Vector3(2, 2, 2)}, hull = box_hull(Vector3(0.6, 0.8, 1));
  for (const double deep : {0.01, 0.1, 0.5, 0.9})
    expect_middle(box, {}, hull, Pose(Vector3(0.3, 0.1, 1.5 - deep)), Vector3(0.3, 0.1, 1), 1e-14);
}

TEST(WitnessByNumber, TwoHullsAreLeftAlongTheMiddleOfAFaceOnAnEdge) {
  Matrix3 turn_a, turn_b;
  turn_a << 0, 0, -1, 0, -1, 0, -1, 0, 0;
  turn_b << -1, 0, 0, 0, 0, -1, 0, -1, 0;
  const std::vector<Vector3> corners = {{-2, -2, -1}, {0, 0, 1}, {2, 2, -2}, {-2, 1, -1}, {0, 2, -1}, {2, 2, 2}};
  // The edge x = 1, y = 0 of the first against the triangle of three corners of the second: from z = -1 - 11/17 to
  // -10/17.
  expect_middle(box_hull(Vector3(2, 4, 2)), Pose(turn_a, Vector3(2, 2, -1)), ConvexHull(corners),
                Pose(turn_b, Vector3(2, 0, 0)), Vector3(1, 0, -19.0 / 17), 1e-14);
}

TEST(WitnessByNumber, ADeepConeLeavesABoxByTheMiddleOfItsBaseOnTheFace) {
  const Depth d =
      depth({Box{Vector3(4, 6, 6)}, Pose(Vector3(-1, 1, 2))}, {Cone{3, 6}, Pose(lying(), Vector3(1, -1, 0))});
  // Both sides of the corner that cuts the base are equally far from its center.
  EXPECT_NEAR(d.upper, 3, 1e-13);
  EXPECT_NEAR(d.point_a.y() + 1, d.point_a.z(), 1e-12);
  EXPECT_NEAR(d.point_a.z(), 0.81514605665917120577, 1e-12);
}

TEST(WitnessByNumber, ASmallConeOnAHugeOneHasAPatchWhereItStands) {
  Matrix3 turn_a, turn_b;
  turn_a << 0, 0, 1, -1, 0, 0, 0, -1, 0;
  turn_b << 0, 0, -1, -1, 0, 0, 0, 1, 0;
  const Shape small = Cone{0.11258874755354444, 0.71370431699630288},
              huge = Cone{509059016.0983277, 442578590.06434411};
  const ContactManifold patch = contact_manifold(
      {small, Pose(turn_a, Vector3(0.063593745761423293, -1.4812244161216173, 1.0061086829597077))},
      {huge, Pose(turn_b, Vector3(-25814569.814124107, -4633009.451745525, -284183961.36623526))}, {.margin = 0.01});
  ASSERT_GE(patch.count, 1u);
  for (const ManifoldPoint& p : patch.points())
    EXPECT_LE((p.point_b - p.point_a - p.gap * patch.normal).norm(), 128 * spacing_of_doubles_at(5e8));
}

TEST(WitnessByNumber, ACylinderWithHalfItsCapOnABoxLeavesByTheMiddleOfThatHalf) {
  Matrix3 turn_a, turn_b;
  turn_a << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  turn_b << 0, 0, -1, -1, 0, 0, 0, 1, 0;
  const Placed box(Box{Vector3(2, 2, 6)}, Pose(turn_a, Vector3(1, -2, -1))),
      cylinder(Cylinder{3, 6}, Pose(turn_b, Vector3(-2, -2, 0)));
  // The cap's circle is centered at (-2, 0), and z goes from -2 to 0: symmetric about y = -2.
  EXPECT_NEAR(depth(box, cylinder).point_a.y(), -2, 1e-12);
  EXPECT_NEAR(depth(cylinder, box).point_b.y(), -2, 1e-12);
}

TEST(WitnessByNumber, CapsulesOffParallelByAThousandMillionthHaveAPair) {
  Matrix3 turn;
  turn << 1, -1.1575294745247921e-10, 2.273893615655473e-10, 1.1575294771419437e-10, 1, -1.1509560992245524e-09,
      -2.2738936143232077e-10, 1.1509560992508733e-09, 1;
  const Vector3 at(0.76114932231967414, 1.0355676246354717, 1.0472230469413111);
  const Depth d = depth({Capsule{0.60127147937180503, 0.53699202466935914}, Pose(at)},
                        {Capsule{0.33333418792538316, 1.8338129843314335}, Pose(turn, at)});
  EXPECT_LE((d.point_a - d.point_b - d.normal * d.upper).norm(), 128 * 4.5e-16);
}

TEST(WitnessByNumber, ATriangleThatGrazesTheRimOfAConesBaseMeetsItThere) {
  const Shape triangle = Triangle{Vector3(1, -2, 0), Vector3(-2, -2, 0), Vector3(-1, -1, 0)}, cone = Cone{1, 6};
  const Pose pose_a(Vector3(-2, -1, 2)), pose_b(Vector3(-0.40245779049427011, -3.8018374572561511, 5));
  const Depth d = depth({triangle, pose_a}, {cone, pose_b});
  if (!(d.upper > 0)) return;  // they only touch
  const KnownShape known_a = convex_cases::known(triangle), known_b = convex_cases::known(cone);
  std::ostringstream wrong;
  WitnessPair(known_a, pose_a, known_b, pose_b).check_pair(d.normal, -d.upper, d.point_a, d.point_b, wrong);
  EXPECT_EQ(wrong.str(), "");
}

TEST(WitnessByNumber, ASegmentAlongACylinderIsClosestInTheMiddleHoweverTheyAreTurned) {
  for (const double angle : {0.5, 1.0, 2.0}) {
    const Pose frame(standing::about(Vector3(1, 2, 3).normalized(), angle), Vector3::Zero());
    for (const double gap : {0.1, 0.01, 1e-4}) {
      const Distance d = distance(
          {Cylinder{0.3, 1}, compose(frame, Pose(lying(), Vector3::Zero()))},
          {Segment{Vector3(-0.4, 0, 0), Vector3(0.4, 0, 0)}, compose(frame, Pose(Vector3(0.1, 0, 0.3 + gap)))});
      EXPECT_LE((d.point_a - place(frame, Vector3(0.1, 0, 0.3))).norm(), 1e-6) << "angle " << angle << ", gap " << gap;
    }
  }
}

/// The lines on their sides are parallel, and so are their axes, nearly: these tell little about the direction.
TEST(WitnessByNumber, ConesThatLieAlongEachOtherAreClosestInTheMiddleOfTheirLine) {
  Matrix3 turn_a, turn_b;
  turn_a << -0.97071704562490146, 0.23759552190137809, 0.035451167902832814, -0.15691344612278679, -0.51537956775194615,
      -0.84247378093902014, -0.18189719008037009, -0.82336642457427689, 0.53756966350849522;
  turn_b << 0.97129376150765179, 0.23759552190137803, -0.011696017643992473, 0.13625888950141407, -0.51537956775194615,
      0.84605993651493638, 0.19499216365833305, -0.82336642457427711, -0.53295946093076618;
  const Distance d = distance({Cone{0.72759840253260211, 1.0888829486093952},
                               Pose(turn_a, Vector3(1.4863495599751448, 2.8444000159437, -0.63503872007000672))},
                              {Cone{0.45154340572353624, 0.64122590460558659},
                               Pose(turn_b, Vector3(0.83464124760913705, 2.8275508569318197, -0.81255295911747916))});
  EXPECT_LE((d.point_a - Vector3(1.0618060466283106, 2.8642995967319482, -0.77000350810594775)).norm(), 1e-12);
  EXPECT_LE((d.point_b - Vector3(1.0539318941237317, 2.8583142584446075, -0.76852924628363684)).norm(), 1e-12);
}

/// Rounding stops the search for their distance early: the bounds are 3e-12 apart.
TEST(WitnessByNumber, AConesSideIsClosestToTheRimOfACylinderWhereItStands) {
  Matrix3 turn_a, turn_b;
  turn_a << 0.83562487522696571, 0, 0.54930052603462698, -0.54930052603462698, 0, 0.83562487522696571, 0, -1, 0;
  turn_b << 0, 0.57700745202684123, 0.81673888134794492, -0.78032635662425265, 0.51076604482682242,
      -0.36084459897507698, -0.62537251071462974, -0.63732287559560963, 0.45025412278514826;
  const Distance d = distance({Cone{0.77546013727389596, 1.1796707808216016},
                               Pose(turn_a, Vector3(1.5334813969866887, 0.92687231042906237, -2.165798266850234))},
                              {Cylinder{0.6689288777726452, 1.0158345372574296},
                               Pose(turn_b, Vector3(2.6682910163610698, 1.2191803736526969, -2.3634300985673899))});
  EXPECT_LE((d.point_a - Vector3(1.8574782872131812, 1.0607934195931632, -2.165798266850234)).norm(), 1e-12);
}

/// The shorter the way out, the less do its points show whether its direction is right.
TEST(WitnessByNumber, ACapsuleThatHardlyOverlapsACylinderMeetsItInTheMiddleOfItsLine) {
  Matrix3 turn_a, turn_b;
  turn_a << 0.86746227771501971, -0.39384234410350771, 0.3039694141398504, -0.44880182937969892, -0.35584536785503418,
      0.81972616898666284, -0.21467676792542092, -0.84750355879321804, -0.48543959783471002;
  turn_b << -0.86746227771501971, 0.39384234410350771, 0.30396941413985051, 0.44880182937969904, 0.35584536785503418,
      0.81972616898666284, 0.21467676792542087, 0.84750355879321804, -0.48543959783471002;
  expect_middle(Capsule{0.71187105037750031, 0.50688328956319584},
                Pose(turn_a, Vector3(-1.3866101400211523, -2.4711418101950935, 0.94078273694372194)),
                Cylinder{0.66380980814133017, 0.92343143340037936},
                Pose(turn_b, Vector3(-0.20646935640990582, -3.1241750755914013, 0.6665531509653273)),
                Vector3(-0.76908885722130238, -2.7906308398869633, 0.78796056066900566), 1e-12);
}

TEST(WitnessByNumber, ACustomPointAtARodHasNoPointsWithoutADepth) {
  Matrix3 turn_a, turn_b;
  turn_a << 0, 1, 0, 1, 0, 0, 0, 0, -1;
  turn_b << -1, 0, 0, 0, 0, 1, 0, 1, 0;
  const KnownShape point = convex_cases::custom(ConvexHull(std::vector<Vector3>{{-1, 0, -1}}), 1e-6);
  const Depth d =
      depth({Cone{0, 2}, Pose(turn_a, Vector3(-2, 0, 1))},
            {point.shape, Pose(turn_b, Vector3(-3.0000003952618055, 0.99999908772162627, -1.0731389732399066e-07))});
  EXPECT_EQ(d.upper > 0, d.normal != Vector3::Zero());
  EXPECT_EQ(d.upper > 0, d.point_a != Vector3::Zero());
}

// ---- worlds and batches

void expect_same(const Distance& x, const Distance& y) {
  EXPECT_EQ(x.lower, y.lower);
  EXPECT_EQ(x.upper, y.upper);
  EXPECT_EQ(x.point_a, y.point_a);
  EXPECT_EQ(x.point_b, y.point_b);
  EXPECT_EQ(x.normal, y.normal);
}

TEST(WitnessOfWorlds, PointsOfClosePairsAreThoseOfTheSingleQuestion) {
  std::mt19937_64 random = seeded(74);
  std::size_t pairs = 0;
  for (std::size_t round = 0; round < cases(3); ++round) {
    World world;
    std::vector<KnownShape> known;
    std::vector<BodyId> bodies;
    known.reserve(40);
    for (std::size_t i = 0; i < 40; ++i) {
      std::size_t kind = i % convex_kind_count;
      if (kind == 3 || kind == 4) kind = 2;
      known.push_back(kind == 11 ? convex_cases::custom(convex_cases::known_shape(random, 10, ConvexFamily::random), 0)
                                 : convex_cases::known(convex_cases::known_shape(random, kind, ConvexFamily::random)));
      // A third of them are on a grid, flush with each other.
      const bool flush = i % 3 == 0;
      const Pose pose = flush ? Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 2))
                              : Pose(scenes::any_rotation(random), random_vector(random, 3));
      bodies.push_back(world.add(known.back().shape, pose));
    }
    world.update();
    std::vector<ShapePair> asked;
    std::vector<PairDistance> found = world.closer_than(0.2);
    for (const PairDistance& p : found) {
      const Placed a(world.shape(p.pair.a), world.pose(p.pair.a)), b(world.shape(p.pair.b), world.pose(p.pair.b));
      expect_same(p.distance, distance(a, b));
      asked.push_back({&a.shape, &b.shape, a.pose, b.pose});
      ++pairs;
    }
    std::vector<Distance> answers(asked.size());
    distance(asked, answers);
    for (std::size_t i = 0; i < asked.size(); ++i)
      expect_same(answers[i], found[i].distance);
    for (const PairContacts& p : world.contacts()) {
      // The point is in both.
      ASSERT_EQ(p.contacts.pairs.size(), 1u);
      const auto at = [&](BodyId body) {
        return static_cast<std::size_t>(std::find(bodies.begin(), bodies.end(), body) - bodies.begin());
      };
      const WitnessPair pair(known[at(p.pair.a)], world.pose(p.pair.a), known[at(p.pair.b)], world.pose(p.pair.b));
      const Segment s = p.contacts.pairs[0].segment;
      EXPECT_EQ(s.a, s.b);
      std::ostringstream wrong;
      pair.check_pair(Vector3::UnitZ(), 0, s.a, s.b, wrong);
      EXPECT_EQ(wrong.str(), "") << pair.describe_both();
    }
    const Shape probe = Box{Vector3(0.3, 0.3, 0.3)};
    const Placed placed(probe, Pose(random_vector(random, 6)));
    if (const auto nearest = world.nearest(placed)) {
      expect_same(nearest->distance, distance(placed, {world.shape(nearest->body), world.pose(nearest->body)}));
    }
  }
  EXPECT_GE(pairs, at_least(50));
}

}  // namespace
}  // namespace whisker::test
