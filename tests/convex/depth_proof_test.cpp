// Depths whose lower bound is proven by a search over all directions. They are compared with the separating axis test
// on polyhedra, which is exact, and with EPA for curved shapes.

#include "convex/depth_proof.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/custom_convex.hpp>
#include <whisker/geometry/separating_axis.hpp>
#include <whisker/queries.hpp>

#include "convex/convex_body.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::normal_pose;
using test::seeded;
using test::uniform;

ConvexHull random_hull(std::mt19937_64& random, int points) {
  std::vector<Vector3> corners;
  for (int i = 0; i < points; ++i)
    corners.emplace_back(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -0.5, 0.5));
  return ConvexHull(corners);
}

/// The proven depth of the cores, starting with nothing but their size.
struct Proof {
  bool is_proven;
  double lower;
  double upper;
  double slack;  ///< rounding error bound
  int supports;

  Proof(const Placed& a, const Placed& b, double tolerance, int budget = 0x7FFFFFFF) {
    const convex::ConvexBody first = convex::convex_body(a.shape, a.pose),
                             second = convex::convex_body(b.shape, b.pose);
    convex::FramePair frame;
    EXPECT_TRUE(convex::set_frame(first, second, frame));
    convex::EpaResult found;
    found.upper = frame.size;
    is_proven = convex::prove_depth(frame, {.tolerance = tolerance * frame.scale, .budget = budget}, found);
    const double error = 2 * (frame.reach_error + frame.mean_error);
    const convex::SupportPoint<convex::Vec3> point = convex::run_support(frame, found.direction);
    EXPECT_NEAR(dot(found.direction, point.a - point.b), found.upper, error);
    lower = found.lower / frame.scale;
    upper = found.upper / frame.scale;
    slack = error / frame.scale;
    supports = found.supports;
  }
};

TEST(DepthProof, HoldsForHullsWhoseDepthSeparatingAxesKnow) {
  auto random = seeded(61);
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const ConvexHull a = random_hull(random, 4 + static_cast<int>(i % 13)), b = random_hull(random, 6);
    const Pose pose_a = normal_pose(random, 0.2), pose_b = normal_pose(random, 0.2);
    const double truth = separating_axis(a.polyhedron(), pose_a, b.polyhedron(), pose_b).overlap;
    if (!(truth > 0.05)) continue;
    ++overlapping;
    for (const double tolerance : {0.5, 0.1, 0.01}) {
      const Shape first(a), second(b);
      const Proof proof({first, pose_a}, {second, pose_b}, tolerance);
      EXPECT_TRUE(proof.is_proven) << i;
      EXPECT_LE(proof.lower, truth + proof.slack) << i;
      EXPECT_GE(proof.upper, truth - proof.slack) << i;
      EXPECT_LE(proof.upper - proof.lower, tolerance + proof.slack) << i;
    }
  }
  EXPECT_GT(overlapping, cases(400) / 2);
}

TEST(DepthProof, HoldsForCurvedShapesWhoseDepthAPolytopeKnows) {
  auto random = seeded(62);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Shape shapes[] = {Cylinder{uniform(random, 0.3, 1), uniform(random, 0.3, 2)},
                            Cone{uniform(random, 0.3, 1), uniform(random, 0.5, 2)},
                            Ellipsoid{Vector3(uniform(random, 0.3, 1), uniform(random, 0.3, 1), 0.7)},
                            Box{Vector3(1, 0.6, uniform(random, 0.2, 2))}};
    const Placed a(shapes[i % 3], normal_pose(random, 0.1)), b(shapes[i % 4], normal_pose(random, 0.1));
    const Depth truth = depth(a, b);
    ASSERT_EQ(truth.stop, Stop::exact);
    const double tolerance = i % 2 == 0 ? 0.1 : 0.003;
    const Proof proof(a, b, tolerance);
    EXPECT_TRUE(proof.is_proven) << i;
    EXPECT_LE(proof.lower, truth.upper + proof.slack) << i;
    EXPECT_GE(proof.upper, truth.lower - proof.slack) << i;
    EXPECT_LE(proof.upper - proof.lower, tolerance + proof.slack) << i;
  }
}

TEST(DepthProof, EndsWithTheBudgetAndProvesNothingThen) {
  const Shape ball = CustomConvex([](const Vector3&d) { return Vector3(d / d.norm()); }), box = Box{Vector3(1, 1, 1)};
  const Placed a(ball, Pose()), b(box, Pose(Vector3(0.5, 0.5, 0.5)));
  const Proof all(a, b, 1e-4);
  ASSERT_TRUE(all.is_proven);
  const int needed = all.supports;
  const Proof cut(a, b, 1e-4, needed / 2);
  EXPECT_FALSE(cut.is_proven);
  EXPECT_EQ(cut.lower, 0);
  EXPECT_LE(cut.supports, needed / 2 + 8);
}

}  // namespace
}  // namespace whisker
