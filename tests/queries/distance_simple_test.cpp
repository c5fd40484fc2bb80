// distance between every pair of simple shapes, against the reference.

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

class DistanceOfSimplePair : public testing::TestWithParam<KindPair> {};

INSTANTIATE_TEST_SUITE_P(All, DistanceOfSimplePair, testing::ValuesIn(all_kind_pairs()), kind_pair_name);

TEST_P(DistanceOfSimplePair, BoundsContainTheTruth) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Distance d = distance(view.a, view.b);
    if (!(d.lower >= 0 && d.lower <= d.upper && std::isfinite(d.upper))) {
      wrong << "bounds [" << d.lower << ", " << d.upper << "] are none";
    } else if (Real(d.lower) > view.truth.distance + view.truth.uncertainty ||
               Real(d.upper) < view.truth.distance - view.truth.uncertainty) {
      wrong << "distance " << digits(view.truth.distance) << " is not in [" << d.lower << ", " << d.upper << "]";
    }
  });
}

TEST_P(DistanceOfSimplePair, ValueIsTheTruthWithinRounding) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Distance d = distance(view.a, view.b);
    const Real error = abs(Real(d.value()) - view.truth.distance);
    if (!(error <= view.tolerance(view.truth.distance))) {
      wrong << "value " << d.value() << " is off " << digits(view.truth.distance) << " by "
            << error.convert_to<double>() / spacing_of_doubles_at(view.truth.size) << " ulp of the size";
    }
  });
}

TEST_P(DistanceOfSimplePair, BoundsAreOnlyRoundingApart) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Distance d = distance(view.a, view.b);
    if (!(Real(d.upper) - Real(d.lower) <= view.tolerance(view.truth.distance))) {
      wrong << "bounds [" << d.lower << ", " << d.upper << "] are "
            << (d.upper - d.lower) / spacing_of_doubles_at(view.truth.size) << " ulp of the size apart";
    }
  });
}

TEST_P(DistanceOfSimplePair, PointsBelongToTheirShapesAndAreTheDistanceApart) {
  WitnessPoints points;
  check_all(GetParam(), [&](const View& view, std::ostream& wrong) {
    const Distance d = distance(view.a, view.b);
    if (!is_finite(d.point_a) || !is_finite(d.point_b)) {
      wrong << "points " << d.point_a.transpose() << " and " << d.point_b.transpose();
      return;
    }
    const double coordinate = std::max(d.point_a.lpNorm<Eigen::Infinity>(), d.point_b.lpNorm<Eigen::Infinity>());
    const Real tolerance = view.tolerance(view.truth.distance, coordinate);
    const Real off_a = distance_to(view.set_a, d.point_a), off_b = distance_to(view.set_b, d.point_b);
    const Real apart = length(exactly<Real>(d.point_b) - exactly<Real>(d.point_a));
    if (!points.allows(view, off_a, coordinate))
      wrong << "point_a " << d.point_a.transpose() << " is " << digits(off_a) << " off a; ";
    if (!points.allows(view, off_b, coordinate))
      wrong << "point_b " << d.point_b.transpose() << " is " << digits(off_b) << " off b; ";
    if (abs(apart - view.truth.distance) > tolerance) {
      wrong << "points are " << digits(apart) << " apart, the distance is " << digits(view.truth.distance);
    }
  });
  points.expect_few_far();
}

TEST_P(DistanceOfSimplePair, NormalIsAUnitVectorFromAToBThatSeparatesThem) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Distance d = distance(view.a, view.b);
    if (d.normal == Vector3::Zero()) {
      if (d.lower > 0) wrong << "normal is zero, distance at least " << d.lower;
      return;
    }
    if (!is_unit(d.normal) || d.upper == 0) {
      wrong << "normal " << d.normal.transpose() << " of length " << d.normal.norm() << " for [" << d.lower << ", "
            << d.upper << "]";
      return;
    }
    const Real& truth = view.truth.distance;
    const Real tolerance = view.tolerance(truth);
    const Vec<Real> normal = exactly<Real>(d.normal);
    const Vec<Real> between = exactly<Real>(d.point_b) - exactly<Real>(d.point_a);
    if (length(between - Real(d.value()) * normal) > tolerance) {
      wrong << "point_b - point_a is not the normal " << d.normal.transpose() << " times " << d.value() << "; ";
    }
    // The slab perpendicular to the normal. Rounding of the points rotates the normal by up to tolerance / distance,
    // and the shapes then tilt into the slab by their own extent times that angle.
    if (!view.set_a.bounded() || !view.set_b.bounded() || truth == 0) return;
    const Real slab = range_along(view.set_b.core, normal).first - range_along(view.set_a.core, normal).second -
                      view.set_a.radius - view.set_b.radius;
    const Real turn = std::min(Real(2), Real(tolerance / truth));
    if (slab < truth - tolerance - turn * Real(4 * view.truth.size)) {
      wrong << "normal " << d.normal.transpose() << " separates by " << digits(slab) << ", the distance is "
            << digits(truth);
    }
  });
}

TEST_P(DistanceOfSimplePair, IsTheSameInEitherOrder) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Distance there = distance(view.a, view.b), back = distance(view.b, view.a);
    if (there.lower > back.upper || back.lower > there.upper) {
      wrong << "[" << there.lower << ", " << there.upper << "] but [" << back.lower << ", " << back.upper << "]";
    }
  });
}

TEST_P(DistanceOfSimplePair, AgreesWithTouches) {
  check_all(GetParam(), [](const View& view, std::ostream& wrong) {
    const Distance d = distance(view.a, view.b);
    const bool touching = touches(view.a, view.b);
    if (!touching && !(d.upper > 0)) wrong << "apart, but the distance is at most " << d.upper;
    if (touching && d.lower > 0) wrong << "touching, but the distance is at least " << d.lower;
  });
}

}  // namespace
}  // namespace whisker::test
