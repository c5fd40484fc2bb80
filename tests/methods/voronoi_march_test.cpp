// Closest features of convex polyhedra by marching, against brute force in 384 bits.

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/methods/closest_features.hpp>

#include "convex/hull_pair_oracle.hpp"
#include "convex/hull_pairs.hpp"
#include "support/cases.hpp"

namespace whisker::test {
namespace {

using namespace methods;
using Kind = FeatureKind;

struct PlacedPair {
  ConvexHull a, b;
  Pose pose_a, pose_b;
};

// The approximate distance of a point from a placed feature.
double distance_from_feature(const ConvexHull& hull, const Pose& pose, Feature feature, const Vector3& point) {
  const auto corner = [&](std::uint32_t v) { return place(pose, hull.vertices()[v]); };
  const auto from_segment = [&](const Vector3& p, const Vector3& q) {
    const Vector3 d = q - p;
    const double s = d.squaredNorm() > 0 ? std::clamp((point - p).dot(d) / d.squaredNorm(), 0.0, 1.0) : 0;
    return (p + s * d - point).norm();
  };
  switch (feature.kind) {
    case Kind::vertex:
      return (corner(feature.id) - point).norm();
    case Kind::edge:
      return from_segment(corner(hull.edges()[feature.id].begin), corner(hull.edges()[feature.id].end));
    default:
      EXPECT_EQ(feature.kind, Kind::face);
      break;
  }
  const auto face = hull.face(feature.id);
  // The rotation may stretch by 1e-9.
  const Vector3 normal = (pose.rotation().inverse().transpose() * hull.planes()[feature.id].normal).normalized();
  bool over = true;
  double rim = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < face.size(); ++i) {
    const Vector3 p = corner(face[i]), q = corner(face[(i + 1) % face.size()]);
    over = over && (q - p).cross(point - p).dot(normal) >= 0;
    rim = std::min(rim, from_segment(p, q));
  }
  return over ? std::min(rim, std::abs((point - corner(face[0])).dot(normal))) : rim;
}

std::string describe(const PlacedPair& pair, const ClosestFeatures& found, const HullTruth& truth) {
  std::ostringstream text;
  text.precision(17);
  text << "touches " << static_cast<int>(found.touches) << " [" << found.lower << ", " << found.upper << "] stop "
       << static_cast<int>(found.stop) << " searched " << found.searched << " steps " << found.steps << "; truth "
       << truth.overlap << " " << truth.distance.convert_to<double>() << " size " << truth.size << "; vertices "
       << pair.a.vertices().size() << " and " << pair.b.vertices().size();
  return text.str();
}

// An approximate lower bound of the depth: the smallest overlap over the normals of faces and pairs of edges.
double rough_depth(const PlacedPair& pair) {
  std::vector<Vector3> normals;
  std::vector<Vector3> va, vb;
  for (const Vector3& v : pair.a.vertices())
    va.push_back(place(pair.pose_a, v));
  for (const Vector3& v : pair.b.vertices())
    vb.push_back(place(pair.pose_b, v));
  for (const HullPlane& p : pair.a.planes())
    normals.push_back(place_direction(pair.pose_a, p.normal));
  for (const HullPlane& p : pair.b.planes())
    normals.push_back(place_direction(pair.pose_b, p.normal));
  for (const HullEdge& e : pair.a.edges()) {
    for (const HullEdge& f : pair.b.edges()) {
      const Vector3 n = (va[e.end] - va[e.begin]).cross(vb[f.end] - vb[f.begin]);
      if (n.norm() > 1e-9) normals.push_back(n.normalized());
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Vector3& n : normals) {
    double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
    for (const Vector3& v : va)
      low_a = std::min(low_a, n.dot(v)), high_a = std::max(high_a, n.dot(v));
    for (const Vector3& v : vb)
      low_b = std::min(low_b, n.dot(v)), high_b = std::max(high_b, n.dot(v));
    least = std::min({least, high_a - low_b, high_b - low_a});
  }
  return normals.empty() ? 0 : least;
}

// The largest length in the arithmetic of the proof, which is the scale for its rounding.
double scale_of(const PlacedPair& pair) {
  double scale = (pair.pose_b.translation() - pair.pose_a.translation()).norm();
  for (const ConvexHull* hull : {&pair.a, &pair.b}) {
    for (const Vector3& v : hull->vertices())
      scale = std::max(scale, v.norm());
  }
  return scale;
}

struct Tally {
  std::size_t apart = 0, touching = 0, penetrating = 0, searched = 0, limited = 0;
  double widest = 0;  // widest bounds relative to the distance, after subtracting 1e-24 of the scale
};

void check_answer(const PlacedPair& pair, const ClosestFeatures& found, const HullTruth& truth, Tally& tally) {
  const std::string what = describe(pair, found, truth);
  const double size = truth.size, scale = scale_of(pair);
  tally.searched += found.searched;
  tally.limited += found.stop != Stop::exact;
  ASSERT_LE(found.lower, found.upper) << what;
  ASSERT_EQ(found.cost.primitive_tests, found.steps + 1) << what;
  switch (found.touches) {
    case Answer::yes:
      ++tally.penetrating;
      ASSERT_TRUE(truth.overlap) << what;
      ASSERT_EQ(found.upper, 0) << what;
      ASSERT_EQ(found.point_a, found.point_b) << what;
      return;
    case Answer::undecided:
      ++tally.touching;
      ASSERT_EQ(found.lower, 0) << what;
      ASSERT_LE(truth.distance, Real(found.upper)) << what;
      ASSERT_LE(found.upper, 1e-24 * scale) << what;
      if (truth.overlap) {
        ASSERT_LE(rough_depth(pair), 1e-13 * size) << what;
      }
      break;
    case Answer::no:
      ++tally.apart;
      ASSERT_FALSE(truth.overlap) << what;
      ASSERT_GT(found.lower, 0) << what;
      ASSERT_LE(Real(found.lower), truth.distance) << what;
      ASSERT_LE(truth.distance, Real(found.upper)) << what;
      ASSERT_NEAR(found.normal.norm(), 1, 1e-14) << what;
      tally.widest = std::max(tally.widest, (found.upper - found.lower - 1e-24 * scale) / found.upper);
      break;
  }
  const double world = size + pair.pose_a.translation().norm() + pair.pose_b.translation().norm();
  ASSERT_NEAR((found.point_b - found.point_a).norm(), found.upper, 1e-14 * world) << what;
  ASSERT_LE(distance_from_feature(pair.a, pair.pose_a, found.feature_a, found.point_a), 1e-13 * world) << what;
  ASSERT_LE(distance_from_feature(pair.b, pair.pose_b, found.feature_b, found.point_b), 1e-13 * world) << what;
}

HullTruth truth_of(const PlacedPair& pair) {
  return truth_about(place_hull(pair.a, pair.pose_a), place_hull(pair.b, pair.pose_b));
}

// Checks both rules, and the hulls in either order.
void check_pair(const PlacedPair& pair, Tally& tally) {
  const HullTruth truth = truth_of(pair);
  const MarchingHull a(pair.a), b(pair.b);
  check_answer(pair, closest_features(a, pair.pose_a, b, pair.pose_b), truth, tally);
  if (testing::Test::HasFatalFailure()) return;
  Tally ignored;
  check_answer(pair, closest_features(a, pair.pose_a, b, pair.pose_b, {.rule = MarchRule::first_violation}), truth,
               ignored);
  if (testing::Test::HasFatalFailure()) return;
  const PlacedPair swapped = {pair.b, pair.a, pair.pose_b, pair.pose_a};
  check_answer(swapped, closest_features(b, pair.pose_b, a, pair.pose_a), truth, ignored);
}

// Moves b along the line between the closest points, so that the gap becomes about `gap`. Negative: an overlap.
void close_in(PlacedPair& pair, double gap) {
  for (int i = 0; i < 3; ++i) {
    const ClosestFeatures c = closest_features(MarchingHull(pair.a), pair.pose_a, MarchingHull(pair.b), pair.pose_b);
    if (c.touches != Answer::no) return;
    pair.pose_b.set_translation(pair.pose_b.translation() - (c.upper - gap) * c.normal);
  }
}

Feature any_feature(Generator& random, const ConvexHull& hull) {
  switch (whole(random, 0, 2)) {
    case 0:
      return {0, Kind::vertex, static_cast<std::uint32_t>(random() % hull.vertices().size())};
    case 1:
      return {0, Kind::edge, static_cast<std::uint32_t>(random() % (hull.edges().size() + 1))};
    default:
      return {0, Kind::face, static_cast<std::uint32_t>(random() % (hull.face_count() + 1))};
  }
}

TEST(VoronoiMarch, RandomPairsEqualBruteForce) {
  Generator random = seeded(401);
  Tally tally;
  for (std::size_t i = 0; i < cases(1200); ++i) {
    const ConvexHull a = any_hull(random), b = any_hull(random);
    check_pair({a, b, random_pose(random, 1), random_pose(random, 1)}, tally);
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
  EXPECT_EQ(tally.limited, 0u);
  EXPECT_LE(tally.widest, 1e-11);
  EXPECT_GT(tally.apart, cases(1200) / 3);
  EXPECT_GT(tally.penetrating, cases(1200) / 20);
}

TEST(VoronoiMarch, LargeHullsEqualBruteForce) {
  Generator random = seeded(402);
  Tally tally;
  for (std::size_t i = 0; i < cases(8); ++i) {
    const int count = whole(random, 60, 250);
    const Vector3 axes(1, i % 2 == 0 ? 1 : 0.1, i % 3 == 0 ? 1 : 0.1);
    PlacedPair pair = {ellipsoid_hull(random, count, axes), ellipsoid_hull(random, count, axes),
                       random_pose(random, 0.5), random_pose(random, 2)};
    if (i % 2 == 0) close_in(pair, scenes::power_of_ten(-whole(random, 1, 12)));
    check_pair(pair, tally);
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
  EXPECT_EQ(tally.limited, 0u);
}

TEST(VoronoiMarch, FiveHundredVerticesAreProvenIn384Bits) {
  // Too many pairs for brute force. The two points and the planes perpendicular to the line between them prove both
  // bounds.
  Generator random = seeded(403);
  for (std::size_t i = 0; i < cases(40); ++i) {
    const Vector3 axes(1, i % 2 == 0 ? 1 : 0.1, i % 3 == 0 ? 1 : 0.1);
    PlacedPair pair = {ellipsoid_hull(random, 500, axes), ellipsoid_hull(random, 500, axes), random_pose(random, 0.5),
                       random_pose(random, 2)};
    const ClosestFeatures found =
        closest_features(MarchingHull(pair.a), pair.pose_a, MarchingHull(pair.b), pair.pose_b);
    if (found.touches != Answer::no) continue;
    const HullBounds bounds = bounds_along(place_hull(pair.a, pair.pose_a), place_hull(pair.b, pair.pose_b),
                                           exactly<Real>(found.point_a), exactly<Real>(found.point_b));
    ASSERT_LE(Real(found.lower), bounds.upper + Real(1e-14));
    ASSERT_GE(Real(found.upper), bounds.lower);
    ASSERT_LE(found.upper - found.lower, 1e-11 * found.upper);
    ASSERT_LE(bounds.upper - bounds.lower, Real(1e-12));
  }
}

TEST(VoronoiMarch, BoxesFaceToFaceAlignedAndTilted) {
  Generator random = seeded(404);
  Tally tally;
  for (const double tilt : {0.0, 1e-15, 1e-14, 1e-12, 1e-10, 1e-8, 1e-7, 1e-4}) {
    for (const double gap : {1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
      for (std::size_t i = 0; i < cases(6); ++i) {
        const Vector3 size(uniform(random, 0.5, 2), uniform(random, 0.5, 2), uniform(random, 0.5, 2));
        const PlacedPair pair = {
            box_hull(size), box_hull({1, 1, 1}), Pose(),
            Pose(scenes::rotation_from(1, tilt * uniform(random, -1, 1), tilt * uniform(random, -1, 1), 0),
                 Vector3(uniform(random, -1, 1), uniform(random, -1, 1), size[2] / 2 + 0.5 + gap + 6 * tilt))};
        check_pair(pair, tally);
        ASSERT_FALSE(HasFatalFailure()) << "tilt " << tilt << " gap " << gap;
      }
    }
  }
  EXPECT_EQ(tally.limited, 0u);
  EXPECT_EQ(tally.penetrating, 0u);
  EXPECT_LE(tally.widest, 1e-11);
}

TEST(VoronoiMarch, StackedPrismsOfManySidesAlignedAndTilted) {
  Generator random = seeded(416);
  Tally tally;
  for (const int sides : {24, 60}) {
    const ConvexHull prism = prism_hull(sides, 1, 0.5), plate = prism_hull(sides, 1, 1e-3);
    for (const double tilt : {0.0, 1e-16, 1e-14, 1e-9, 1e-5}) {
      for (const double gap : {1e-1, 1e-4, 1e-10}) {
        for (std::size_t i = 0; i < cases(1); ++i) {
          // Rotated by half a side or not at all: edges parallel to edges, corners over corners.
          const double turn = scenes::chance(random, 2) ? 0 : 3.141592653589793 / sides;
          const Matrix3 upright(Eigen::AngleAxisd(turn, Vector3::UnitZ()));
          const Matrix3 tilted =
              scenes::rotation_from(1, tilt * uniform(random, -1, 1), tilt * uniform(random, -1, 1), 0);
          const Vector3 aside =
              scenes::chance(random, 2) ? Vector3(Vector3::Zero()) : Vector3(uniform(random, -1, 1), 0, 0);
          const PlacedPair pair = {prism, plate, Pose(),
                                   Pose(tilted * upright, aside + Vector3(0, 0, 0.2505 + gap + 5 * tilt))};
          check_pair(pair, tally);
          ASSERT_FALSE(HasFatalFailure()) << "sides " << sides << " tilt " << tilt << " gap " << gap;
        }
      }
    }
  }
  EXPECT_EQ(tally.limited, 0u);
  EXPECT_EQ(tally.penetrating, 0u);
  EXPECT_LE(tally.widest, 1e-11);
}

TEST(VoronoiMarch, TinyGapsAndOverlapsOfAllKinds) {
  Generator random = seeded(405);
  Tally tally;
  for (std::size_t i = 0; i < cases(800); ++i) {
    const ConvexHull a = any_hull(random), b = any_hull(random);
    PlacedPair pair = {a, b, random_pose(random, 1), random_pose(random, 3)};
    const double gap = scenes::power_of_ten(-whole(random, 3, 16));
    close_in(pair, scenes::chance(random, 3) ? -gap : gap);
    check_pair(pair, tally);
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
  EXPECT_EQ(tally.limited, 0u);
  EXPECT_LE(tally.widest, 1e-11);
}

TEST(VoronoiMarch, ExactContactIsTouchingOrPenetratingNeverApart) {
  Generator random = seeded(406);
  std::size_t contacts = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    // Boxes of even size at integer positions: flush faces, shared edges and corners.
    const auto even = [&] { return 2.0 * whole(random, 1, 2); };
    const Vector3 sa(even(), even(), even()), sb(even(), even(), even());
    const PlacedPair pair = {box_hull(sa), box_hull(sb), Pose(scenes::integer_vector(random, 2)),
                             Pose(scenes::integer_vector(random, 3))};
    const Vector3 apart = (pair.pose_b.translation() - pair.pose_a.translation()).cwiseAbs() - (sa + sb) / 2;
    const double gap = apart.maxCoeff();
    const ClosestFeatures found =
        closest_features(MarchingHull(pair.a), pair.pose_a, MarchingHull(pair.b), pair.pose_b);
    if (gap > 0) {
      const double distance = apart.cwiseMax(0.0).norm();
      EXPECT_EQ(found.touches, Answer::no);
      EXPECT_NEAR(found.upper, distance, 1e-12);
    } else if (gap < 0) {
      EXPECT_EQ(found.touches, Answer::yes) << "overlap " << -gap;
    } else {
      ++contacts;
      EXPECT_NE(found.touches, Answer::no);
      EXPECT_LE(found.upper, 1e-24);
    }
  }
  EXPECT_GT(contacts, cases(400) / 10);
}

TEST(VoronoiMarch, QuantisedHullsNeitherLoopNorLie) {
  Generator random = seeded(407);
  Tally tally;
  std::uint64_t max_steps = 0;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const int width = whole(random, 1, 3);
    const ConvexHull a = quantised_hull(random, width, whole(random, 1, 14));
    const ConvexHull b = quantised_hull(random, width, whole(random, 1, 14));
    const PlacedPair pair = {a, b, Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 2)),
                             Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 3))};
    const HullTruth truth = truth_of(pair);
    FeatureTrack track{any_feature(random, a), any_feature(random, b), true};
    const MarchRule rule = scenes::chance(random, 2) ? MarchRule::max_violation : MarchRule::first_violation;
    const ClosestFeatures found =
        closest_features(MarchingHull(a), pair.pose_a, MarchingHull(b), pair.pose_b, {.rule = rule}, track);
    check_answer(pair, found, truth, tally);
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
    max_steps = std::max(max_steps, found.steps);
  }
  EXPECT_EQ(tally.limited, 0u);
  EXPECT_LE(max_steps, 200u);
}

TEST(VoronoiMarch, AnyStartGivesTheSameAnswer) {
  Generator random = seeded(408);
  for (std::size_t i = 0; i < cases(60); ++i) {
    const PlacedPair pair = {any_hull(random), any_hull(random), random_pose(random, 1), random_pose(random, 1.5)};
    const HullTruth truth = truth_of(pair);
    const MarchingHull a(pair.a), b(pair.b);
    Tally tally;
    for (int start = 0; start < 20; ++start) {
      FeatureTrack track{any_feature(random, pair.a), any_feature(random, pair.b), true};
      if (start == 0) track.a.id = track.b.id = 4000000000u;  // of another pair
      const MarchRule rule = start % 2 == 0 ? MarchRule::max_violation : MarchRule::first_violation;
      const ClosestFeatures found = closest_features(a, pair.pose_a, b, pair.pose_b, {.rule = rule}, track);
      check_answer(pair, found, truth, tally);
      ASSERT_FALSE(HasFatalFailure()) << "case " << i;
      EXPECT_EQ(track.a, found.feature_a);
      EXPECT_EQ(track.b, found.feature_b);
    }
  }
}

TEST(VoronoiMarch, TablesAndStepLimitsChangeTheCostAlone) {
  Generator random = seeded(409);
  for (std::size_t i = 0; i < cases(60); ++i) {
    const PlacedPair pair = {any_hull(random), any_hull(random), random_pose(random, 1), random_pose(random, 1.5)};
    const HullTruth truth = truth_of(pair);
    const MarchingHull a(pair.a), b(pair.b);
    const DirectionTable table_a(pair.a), table_b(pair.b, {.resolution = 11.25, .radius_factor = 1});
    EXPECT_EQ(table_a.size(), 64u * 31u + 2u);
    EXPECT_EQ(table_b.size(), 32u * 15u + 2u);
    Tally tally;
    check_answer(pair, closest_features(a, pair.pose_a, b, pair.pose_b, {.table_a = &table_a, .table_b = &table_b}),
                 truth, tally);
    for (const std::uint64_t limit : {0u, 1u, 2u, 5u})
      check_answer(pair, closest_features(a, pair.pose_a, b, pair.pose_b, {.budget = limit}), truth, tally);
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
}

TEST(VoronoiMarch, CoherentSequencesStayRightAndTakeFewSteps) {
  Generator random = seeded(410);
  for (const Vector3& axes : {Vector3(1, 1, 1), Vector3(1, 1, 0.1), Vector3(1, 0.1, 0.1)}) {
    const PlacedPair start = {ellipsoid_hull(random, 40, axes), ellipsoid_hull(random, 40, axes), Pose(), Pose()};
    const MarchingHull a(start.a), b(start.b);
    FeatureTrack track;
    std::uint64_t steps = 0, queries = 0;
    Tally tally;
    for (std::size_t i = 0; i < cases(120); ++i) {
      const double angle = 0.02 * static_cast<double>(i);
      PlacedPair pair = start;
      pair.pose_b = Pose(Matrix3(Eigen::AngleAxisd(2 * angle, Vector3(0.6, 0, 0.8))),
                         Vector3(2.3 * std::cos(angle), 1.8 * std::sin(angle), 0.2));
      const ClosestFeatures found = closest_features(a, pair.pose_a, b, pair.pose_b, track);
      check_answer(pair, found, truth_of(pair), tally);
      ASSERT_FALSE(HasFatalFailure()) << "step " << i;
      if (i > 0 && found.touches == Answer::no) steps += found.steps, ++queries;
    }
    EXPECT_GT(queries, cases(120) / 6);
    EXPECT_LE(steps, 3 * queries);
  }
}

TEST(VoronoiMarch, LongWalksEndWhereShortOnesDo) {
  Generator random = seeded(411);
  const ConvexHull hull = ellipsoid_hull(random, 2000, {1, 1, 1});
  const MarchingHull marching(hull);
  for (std::size_t i = 0; i < cases(50); ++i) {
    const Pose pose_a = random_pose(random, 0.2), pose_b(scenes::any_rotation(random), 3 * scenes::unit_vector(random));
    const ClosestFeatures near = closest_features(marching, pose_a, marching, pose_b);
    FeatureTrack track{any_feature(random, hull), any_feature(random, hull), true};
    const ClosestFeatures far = closest_features(marching, pose_a, marching, pose_b, track);
    EXPECT_LE(near.lower, far.upper);
    EXPECT_LE(far.lower, near.upper);
    EXPECT_EQ(near.touches, Answer::no);
    EXPECT_FALSE(near.searched);
    EXPECT_FALSE(far.searched);
  }
}

TEST(VoronoiMarch, FarSmallHugeAndSloppyPoses) {
  Generator random = seeded(412);
  Tally tally;
  for (std::size_t i = 0; i < cases(300); ++i) {
    PlacedPair pair = {any_hull(random), any_hull(random), random_pose(random, 1), random_pose(random, 1.5)};
    switch (i % 4) {
      case 0: {  // far from the origin
        const Vector3 away = scenes::power_of_ten(whole(random, 3, 9)) * scenes::unit_vector(random);
        pair.pose_a.set_translation(pair.pose_a.translation() + away);
        pair.pose_b.set_translation(pair.pose_b.translation() + away);
        break;
      }
      case 1:    // scaled
      case 2: {  // one much smaller
        const double by = i % 4 == 1 ? scenes::power_of_ten(scenes::chance(random, 2) ? -60 : 60) : 1e-6;
        std::vector<Vector3> points;
        for (const Vector3& v : pair.a.vertices())
          points.push_back(by * v);
        pair.a = ConvexHull(points);
        if (i % 4 == 1) {
          points.clear();
          for (const Vector3& v : pair.b.vertices())
            points.push_back(by * v);
          pair.b = ConvexHull(points);
          pair.pose_a.set_translation(pair.pose_a.translation() * by);
          pair.pose_b.set_translation(pair.pose_b.translation() * by);
          const HullTruth truth = truth_of(pair);
          const ClosestFeatures found =
              closest_features(MarchingHull(pair.a), pair.pose_a, MarchingHull(pair.b), pair.pose_b);
          ASSERT_EQ(found.touches == Answer::yes, truth.overlap) << describe(pair, found, truth);
          ASSERT_LE(Real(found.lower), truth.distance) << describe(pair, found, truth);
          ASSERT_GE(Real(found.upper), truth.distance) << describe(pair, found, truth);
          ASSERT_EQ(found.stop, Stop::exact);
          continue;
        }
        break;
      }
      default:
        pair.pose_a.set_rotation(scenes::sloppy(random, pair.pose_a.rotation()));
        pair.pose_b.set_rotation(scenes::sloppy(random, pair.pose_b.rotation()));
    }
    check_pair(pair, tally);
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
  EXPECT_EQ(tally.limited, 0u);
}

TEST(VoronoiMarch, MergedFacesAreBoundedAsTheyAre) {
  // Boxes rotated in their own frame: rounding splits their faces, and merging restores them.
  Generator random = seeded(413);
  for (std::size_t i = 0; i < cases(150); ++i) {
    const auto turned_box = [&](double merge) {
      const ConvexHull box = box_hull({uniform(random, 0.5, 1), uniform(random, 0.5, 1), uniform(random, 0.5, 1)});
      const Matrix3 turn = scenes::any_rotation(random);
      std::vector<Vector3> points;
      for (const Vector3& v : box.vertices())
        points.push_back(turn * v + 1e-4 * merge * random_vector(random, 1));
      return ConvexHull(points, {.merge_distance = merge * 1e-3});
    };
    PlacedPair pair = {turned_box(i % 2 == 0 ? 1 : 1e-9), turned_box(1), random_pose(random, 1),
                       random_pose(random, 1.2)};
    if (i % 3 == 0) close_in(pair, 1e-9);
    const HullTruth truth = [&] {  // of the exact hulls of the same corners
      const std::vector<Vector3> ca(pair.a.vertices().begin(), pair.a.vertices().end());
      const std::vector<Vector3> cb(pair.b.vertices().begin(), pair.b.vertices().end());
      const ConvexHull a(ca), b(cb);
      return truth_about(place_hull(a, pair.pose_a), place_hull(b, pair.pose_b));
    }();
    const ClosestFeatures found =
        closest_features(MarchingHull(pair.a), pair.pose_a, MarchingHull(pair.b), pair.pose_b);
    ASSERT_EQ(found.touches == Answer::yes, truth.overlap) << describe(pair, found, truth);
    ASSERT_LE(Real(found.lower), truth.distance) << describe(pair, found, truth);
    ASSERT_GE(Real(found.upper), truth.distance) << describe(pair, found, truth);
    ASSERT_EQ(found.stop, Stop::exact);
  }
}

TEST(VoronoiMarch, HullsThatShareTheirCenterPenetrate) {
  Generator random = seeded(414);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const ConvexHull a = ellipsoid_hull(random, 40, {1, 0.5, 0.3});
    // From the same size down to a speck inside the other.
    const double size = scenes::power_of_ten(-whole(random, 0, 6));
    const ConvexHull b = ellipsoid_hull(random, 40, Vector3(size, size, 0.1 * size));
    const Pose pose_a = random_pose(random, 1);
    const Pose pose_b(scenes::any_rotation(random), place(pose_a, a.centroid()));
    FeatureTrack track{any_feature(random, a), any_feature(random, b), true};
    const ClosestFeatures found = closest_features(MarchingHull(a), pose_a, MarchingHull(b), pose_b, track);
    EXPECT_EQ(found.touches, Answer::yes) << i;
  }
}

TEST(VoronoiMarch, BadPosesAndOptionsAreErrors) {
  const ConvexHull box = box_hull({1, 1, 1});
  const MarchingHull hull(box);
  EXPECT_THROW(closest_features(hull, Pose(Vector3(NAN, 0, 0)), hull, Pose()), Error);
  EXPECT_THROW(closest_features(hull, Pose(), hull, Pose(Matrix3(2 * Matrix3::Identity()), Vector3::Zero())), Error);
  EXPECT_THROW(DirectionTable(box, {.resolution = 0}), Error);
  EXPECT_THROW(DirectionTable(box, {.resolution = NAN}), Error);
  EXPECT_THROW(DirectionTable(box, {.resolution = 5, .radius_factor = 0.5}), Error);
}

}  // namespace
}  // namespace whisker::test
