// depth of every pair of simple shapes, against the reference.

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

class DepthOfSimplePair : public testing::TestWithParam<KindPair> {};

INSTANTIATE_TEST_SUITE_P(All, DepthOfSimplePair, testing::ValuesIn(all_kind_pairs()), kind_pair_name);

TEST_P(DepthOfSimplePair, BoundsContainTheTruth) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Depth d = depth(view.a, view.b);
    if (view.truth.inseparable) {
      if (d.lower != infinity || d.upper != infinity) {
        wrong << "nothing parts them, but depth is [" << d.lower << ", " << d.upper << "]";
      }
    } else if (!(d.lower >= 0 && d.lower <= d.upper && std::isfinite(d.upper))) {
      wrong << "bounds [" << d.lower << ", " << d.upper << "] are none; depth is " << digits(view.truth.depth);
    } else if (Real(d.lower) > view.truth.depth + view.truth.uncertainty ||
               Real(d.upper) < view.truth.depth - view.truth.uncertainty) {
      wrong << "depth " << digits(view.truth.depth) << " is not in [" << d.lower << ", " << d.upper << "]";
    }
  });
}

TEST_P(DepthOfSimplePair, ValueIsTheTruthWithinRounding) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    if (view.truth.inseparable) return;
    const Depth d = depth(view.a, view.b);
    const Real error = abs(Real(d.value()) - view.truth.depth);
    if (!(error <= view.tolerance(view.truth.depth))) {
      wrong << "value " << d.value() << " is off " << digits(view.truth.depth) << " by "
            << error.convert_to<double>() / spacing_of_doubles_at(view.truth.size) << " ulp of the size";
    }
  });
}

TEST_P(DepthOfSimplePair, BoundsAreOnlyRoundingApart) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    if (view.truth.inseparable) return;
    const Depth d = depth(view.a, view.b);
    if (!(Real(d.upper) - Real(d.lower) <= view.tolerance(view.truth.depth))) {
      wrong << "bounds [" << d.lower << ", " << d.upper << "] are "
            << (d.upper - d.lower) / spacing_of_doubles_at(view.truth.size) << " ulp of the size apart";
    }
  });
}

TEST_P(DepthOfSimplePair, DirectionIsAUnitVectorWhereTheyOverlapAndZeroWhereNot) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    if (view.truth.inseparable) return;
    const Depth d = depth(view.a, view.b);
    const bool zero = d.normal == Vector3::Zero();
    if ((zero && d.lower > 0) || (!zero && d.upper == 0) || (!zero && !is_unit(d.normal))) {
      wrong << "normal " << d.normal.transpose() << " of length " << d.normal.norm() << " for depth [" << d.lower
            << ", " << d.upper << "]";
    }
  });
}

TEST_P(DepthOfSimplePair, MovingBByUpperAlongDirectionEndsTheOverlap) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    if (view.truth.inseparable) return;
    const Depth d = depth(view.a, view.b);
    PlacedSet<Real> moved = view.set_b;
    if (std::isfinite(d.upper)) moved.translate(Real(d.upper) * exactly<Real>(d.normal));
    const Gap<Real> after = gap(view.set_a, moved);
    if (after.inseparable || -after.value > view.tolerance(view.truth.depth)) {
      wrong << "after the move by " << d.upper << " along " << d.normal.transpose() << " they overlap by "
            << digits(-after.value) << ", before by " << digits(view.truth.depth);
    }
  });
}

TEST_P(DepthOfSimplePair, PointsBelongToTheirShapesAndAreTheDepthApartAlongTheDirection) {
  WitnessPoints points;
  check_all(GetParam(), [&](const View& view, std::ostream& wrong) {
    const Depth d = depth(view.a, view.b);
    if (!is_finite(d.point_a) || !is_finite(d.point_b) || !is_finite(d.normal)) {
      wrong << "points " << d.point_a.transpose() << " and " << d.point_b.transpose() << " along "
            << d.normal.transpose();
      return;
    }
    if (view.truth.inseparable || d.normal == Vector3::Zero()) return;
    const double coordinate = std::max(d.point_a.lpNorm<Eigen::Infinity>(), d.point_b.lpNorm<Eigen::Infinity>());
    const Real tolerance = view.tolerance(view.truth.depth, coordinate);
    const Real off_a = distance_to(view.set_a, d.point_a), off_b = distance_to(view.set_b, d.point_b);
    const Real along = dot(exactly<Real>(d.normal), exactly<Real>(d.point_a) - exactly<Real>(d.point_b));
    if (!points.allows(view, off_a, coordinate))
      wrong << "point_a " << d.point_a.transpose() << " is " << digits(off_a) << " off a; ";
    if (!points.allows(view, off_b, coordinate))
      wrong << "point_b " << d.point_b.transpose() << " is " << digits(off_b) << " off b; ";
    if (abs(along - view.truth.depth) > tolerance) {
      wrong << "points are " << digits(along) << " apart along the direction, the depth is "
            << digits(view.truth.depth);
    }
  });
  points.expect_few_far();
}

TEST_P(DepthOfSimplePair, IsTheSameInEitherOrder) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Depth there = depth(view.a, view.b), back = depth(view.b, view.a);
    if (there.lower > back.upper || back.lower > there.upper) {
      wrong << "[" << there.lower << ", " << there.upper << "] but [" << back.lower << ", " << back.upper << "]";
    }
  });
}

TEST_P(DepthOfSimplePair, AgreesWithTouches) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Depth d = depth(view.a, view.b);
    if (!touches(view.a, view.b) && d.upper != 0) wrong << "apart, but the depth is up to " << d.upper;
  });
}

// ---- boxes whose faces are parallel only up to rounding

TEST(DepthOfNearlyParallelBoxes, PointsAreTheDepthApart) {
  Matrix3 tilted;
  tilted << 1, 1.600136813173273e-15, 4.7300963157272964e-16, -1.6001368131732723e-15, 1, -1.4798982372018159e-15,
      -4.7300963157273201e-16, 1.4798982372018151e-15, 1;
  Matrix3 turned;
  turned << 0, 0, -1, -1, 0, 0, 0, 1, 0;
  const Shape large = Box{{1066421.2151926965, 162580.44959182871, 485630.66559959279}};
  const Shape small = Box{{0.82613052350751726, 1.4357162243338211, 1.9093127867731867}};
  const Pose pose_a(tilted, Vector3(-0.89825115930469268, 0.96387586659921665, -1.6154810269078999));
  const Pose pose_b(turned, Vector3(-446064.1672056992, -81289.669086099631, 6565.6312158311739));
  const Depth d = depth({large, pose_a}, {small, pose_b});
  const double spacing = spacing_of_doubles_at(446064);
  EXPECT_LE(d.upper - d.lower, spacing);  // 33 of them if the small box left along the normal of its own face
  EXPECT_NEAR(d.normal.dot(d.point_a - d.point_b), d.upper, spacing);
}

// ---- planes that no translation separates

TEST(DepthOfPlanes, NotQuiteParallelIsInfinite) {
  const Shape floor = HalfSpace{Vector3(0, 0, 1), 0}, plane = Plane{Vector3(0, 0, 1), 0};
  const Shape tilted_half = HalfSpace{Vector3(0, 1e-300, -1), 0}, tilted_plane = Plane{Vector3(0, 1e-300, -1), 0};
  for (const Shape* a : {&floor, &plane}) {
    for (const Shape* b : {&tilted_half, &tilted_plane}) {
      const Depth d = depth({*a}, {*b, Pose(Vector3(0, 0, 5))});
      EXPECT_EQ(d.lower, infinity);
      EXPECT_EQ(d.upper, infinity);
    }
  }
}

TEST(DepthOfPlanes, HalfSpacesThatFaceTheSameWayAreInseparable) {
  const Shape floor = HalfSpace{Vector3(0, 0, 1), 0}, same = HalfSpace{Vector3(0, 0, 3), -7};
  const Depth d = depth({floor}, {same});
  EXPECT_EQ(d.lower, infinity);
  EXPECT_EQ(d.upper, infinity);
}

TEST(DepthOfPlanes, ParallelPlanesAndCoincidentOnesHaveNone) {
  const Shape plane = Plane{Vector3(0, 0, 1), 0};
  for (const double height : {0.0, 1.0}) {
    const Depth d = depth({plane}, {plane, Pose(Vector3(1, 2, height))});
    EXPECT_EQ(d.lower, 0);
    EXPECT_EQ(d.upper, 0);
  }
}

}  // namespace
}  // namespace whisker::test
