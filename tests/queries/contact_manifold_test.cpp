// The contact manifold, against independently computed areas, against distance and depth, and under small
// perturbations.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>

#include "support/convex_cases.hpp"
#include "support/count_allocations.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

constexpr double pi = 3.14159265358979323846;

Pose posed(const Vector3& axis, double angle, const Vector3& at) {
  return Pose(Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(), at);
}

std::uint64_t exchanged(std::uint64_t id) {
  return id << 32 | id >> 32;
}

/// The area that the points enclose in their order, as seen along the normal.
double area(const ContactManifold& manifold) {
  Vector3 sum = Vector3::Zero();
  for (std::uint32_t i = 1; i + 1 < manifold.count; ++i) {
    sum += (manifold.storage[i].point_a - manifold.storage[0].point_a)
               .cross(manifold.storage[i + 1].point_a - manifold.storage[0].point_a);
  }
  return std::abs(sum.dot(manifold.normal)) / 2;
}

std::set<std::uint64_t> ids(const ContactManifold& manifold) {
  std::set<std::uint64_t> result;
  for (const ManifoldPoint& p : manifold.points())
    result.insert(p.id);
  return result;
}

double deepest(const ContactManifold& manifold) {
  double gap = HUGE_VAL;
  for (const ManifoldPoint& p : manifold.points())
    gap = std::min(gap, p.gap);
  return gap;
}

/// Checks what holds for every manifold. `rounding` is in the unit of the scene.
void expect_consistent(const ContactManifold& manifold, double margin, double rounding) {
  ASSERT_LE(manifold.count, ContactManifold::max_points);
  EXPECT_EQ(ids(manifold).size(), manifold.count);
  EXPECT_LE(manifold.lower, manifold.upper);
  if (manifold.count > 0) {
    EXPECT_NEAR(manifold.normal.norm(), 1, 1e-14);
  }
  for (const ManifoldPoint& p : manifold.points()) {
    EXPECT_NEAR(p.gap, manifold.normal.dot(p.point_b - p.point_a), rounding);
    EXPECT_LE(p.gap, margin + rounding);
  }
}

/// The intersection of two convex polygons: the corners of each that are in the other and the crossings of their edges,
/// sorted around their mean. The library uses another method.
struct FlatPatch {
  double area = 0;
  double closest_corners = HUGE_VAL;
  double flattest_corner = HUGE_VAL;  // distance of a corner from the line between its neighbors
  double perimeter = 0;
};
FlatPatch common_part(const std::vector<Vector2>& a, const std::vector<Vector2>& b) {
  const auto cross = [](const Vector2& u, const Vector2& v) { return u.x() * v.y() - u.y() * v.x(); };
  const auto inside = [&](const std::vector<Vector2>& polygon, const Vector2& p) {
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vector2 from = polygon[i], to = polygon[(i + 1) % polygon.size()];
      if (cross(to - from, p - from) < 0) return false;
    }
    return true;
  };
  std::vector<Vector2> points;
  for (const Vector2& p : a)
    if (inside(b, p)) points.push_back(p);
  for (const Vector2& p : b)
    if (inside(a, p)) points.push_back(p);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Vector2 p = a[i], d = a[(i + 1) % a.size()] - p;
      const Vector2 q = b[j], e = b[(j + 1) % b.size()] - q;
      const double bend = cross(d, e);
      if (bend == 0) continue;
      const double s = cross(q - p, e) / bend, t = cross(q - p, d) / bend;
      if (s > 0 && s < 1 && t > 0 && t < 1) points.push_back(p + s * d);
    }
  }
  FlatPatch result;
  if (points.size() < 3) return result;
  Vector2 mean(0, 0);
  for (const Vector2& p : points)
    mean += p / static_cast<double>(points.size());
  std::sort(points.begin(), points.end(), [&](const Vector2& p, const Vector2& q) {
    return std::atan2(p.y() - mean.y(), p.x() - mean.x()) < std::atan2(q.y() - mean.y(), q.x() - mean.x());
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector2 p = points[i], q = points[(i + 1) % points.size()];
    result.area += cross(p - mean, q - mean) / 2;
    const Vector2 r = points[(i + 2) % points.size()];
    result.closest_corners = std::min(result.closest_corners, (p - q).norm());
    result.flattest_corner = std::min(result.flattest_corner, std::abs(cross(q - p, r - p)) / (r - p).norm());
    result.perimeter += (p - q).norm();
  }
  return result;
}

std::vector<Vector2> rectangle(double width, double depth, double yaw, const Vector2& at) {
  std::vector<Vector2> corners;
  for (const auto& [x, y] : {std::pair(-0.5, -0.5), {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
    const double u = x * width, v = y * depth;
    corners.emplace_back(std::cos(yaw) * u - std::sin(yaw) * v + at.x(),
                         std::sin(yaw) * u + std::cos(yaw) * v + at.y());
  }
  return corners;
}

// ---- polytopes

TEST(ContactManifold, BoxesFaceToFaceHaveTheAreaOfTheCommonRectangleAtEveryYaw) {
  auto random = seeded(1);
  std::size_t exact = 0;
  for (int step = 0; step < 720; ++step) {
    const double yaw = step * pi / 360;
    const Vector2 at(uniform(random, -0.8, 0.8), uniform(random, -0.8, 0.8));
    const double gap = uniform(random, -0.05, 0.05);
    const Box lower{{2, 1.4, 1}}, upper{{1, 1.8, 0.6}};
    // The whole scene has an arbitrary pose in the world.
    const Pose world = posed({1, 2, 3}, 0.7, {3, -2, 5});
    const Pose pose = compose(world, posed({0, 0, 1}, yaw, {at.x(), at.y(), 0.5 + 0.3 + gap}));
    const ContactManifold manifold = contact_manifold({lower, world}, {upper, pose}, {.margin = 0.06});
    const FlatPatch truth = common_part(rectangle(2, 1.4, 0, {0, 0}), rectangle(1, 1.8, yaw, at));
    expect_consistent(manifold, 0.06, 1e-14);
    ASSERT_GE(manifold.count, 3u) << step;
    // The smaller face is 1 x 1.8: points closer than 2.06 / 4096 are merged, and points so close to a line are on it.
    const double weld = 2.1 / 4096;
    const bool welded = std::min(truth.closest_corners, truth.flattest_corner) < 3 * weld;
    exact += welded ? 0 : 1;
    EXPECT_NEAR(area(manifold), truth.area, welded ? 2 * weld * truth.perimeter : 1e-12) << step;
    for (const ManifoldPoint& p : manifold.points())
      EXPECT_NEAR(p.gap, gap, 1e-14);
    EXPECT_NEAR((manifold.normal - world.rotation().col(2)).norm(), 0, 1e-14);
  }
  EXPECT_GT(exact, 650u);
}

TEST(ContactManifold, BoxOnItsEdgeHasTwoPointsAndOnItsCornerOne) {
  const Box ground{{4, 4, 1}}, box{{1, 1, 1}};
  const double half_diagonal = std::sqrt(2.0) / 2;
  for (const double gap : {-0.01, -1e-12, 0.0, 1e-12, 0.01}) {
    const Pose on_edge = posed({1, 0, 0}, pi / 4, {0.1, 0.2, 0.5 + half_diagonal + gap});
    const ContactManifold edge = contact_manifold(ground, {box, on_edge}, {.margin = 0.02});
    expect_consistent(edge, 0.02, 1e-14);
    ASSERT_EQ(edge.count, 2u) << gap;
    EXPECT_NEAR((edge.storage[0].point_b - edge.storage[1].point_b).norm(), 1, 1e-14);
    EXPECT_NEAR(deepest(edge), gap, 1e-14);

    Pose on_corner(Eigen::Quaterniond::FromTwoVectors(Vector3(1, 1, 1), Vector3(0, 0, -1)).toRotationMatrix(),
                   {0.1, 0.2, 0.5 + std::sqrt(3.0) / 2 + gap});
    const ContactManifold corner = contact_manifold(ground, {box, on_corner}, {.margin = 0.02});
    expect_consistent(corner, 0.02, 1e-14);
    ASSERT_EQ(corner.count, 1u) << gap;
    EXPECT_NEAR(corner.storage[0].gap, gap, 1e-14);
  }
}

TEST(ContactManifold, EdgesThatCrossTouchInOnePointAndParallelOnesInTwo) {
  const Box box{{2, 1, 1}};
  const double d = std::sqrt(2.0) / 2;
  const Pose below = posed({1, 0, 0}, pi / 4, {0, 0, -d});
  for (const double gap : {-0.01, 0.0, 1e-6, 0.01}) {
    for (const double yaw : {0.3, 1.0, pi / 2, 2.5}) {
      const Pose above = compose(posed({0, 0, 1}, yaw, {0.1, 0.05, d + gap}), posed({1, 0, 0}, pi / 4, {0, 0, 0}));
      const ContactManifold manifold = contact_manifold({box, below}, {box, above}, {.margin = 0.02});
      expect_consistent(manifold, 0.02, 1e-14);
      ASSERT_EQ(manifold.count, 1u) << gap << " " << yaw;
      EXPECT_NEAR(manifold.storage[0].gap, gap, 1e-14);
    }
    // Parallel to each other, the upper one shifted by a half: they share a length of 1.5. (If they overlapped, the
    // shortest way out would be along a face normal; if they touched, along any direction between the face normals.)
    if (gap <= 0) continue;
    const Pose above = posed({1, 0, 0}, pi / 4, {0.5, 0, d + gap});
    const ContactManifold manifold = contact_manifold({box, below}, {box, above}, {.margin = 0.02});
    expect_consistent(manifold, 0.02, 1e-14);
    ASSERT_EQ(manifold.count, 2u) << gap;
    EXPECT_NEAR((manifold.storage[0].point_a - manifold.storage[1].point_a).norm(), 1.5, 1e-14);
  }
}

TEST(ContactManifold, HullOfATurnedBoxHasItsFourCornersThoughItsFacesAreTriangles) {
  auto random = seeded(2);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Matrix3 turn = test::scenes::any_rotation(random);
    std::vector<Vector3> points;
    for (int bits = 0; bits < 8; ++bits)
      points.emplace_back(turn * Vector3(bits & 1 ? 0.7 : -0.7, bits & 2 ? 0.5 : -0.5, bits & 4 ? 0.3 : -0.3));
    const ConvexHull hull(points);
    const Pose pose(Matrix3(turn.transpose()), {0.1, 0.2, 0.8});
    const ContactManifold manifold = contact_manifold(Box{{4, 4, 1}}, {hull, pose}, {.margin = 1e-9});
    ASSERT_EQ(manifold.count, 4u) << hull.face_count();
    EXPECT_NEAR(area(manifold), 1.4, 1e-12);
    EXPECT_NEAR(contact_manifold(HalfSpace{{0, 0, 1}, 0.5}, {hull, pose}, {.margin = 1e-9}).count, 4u, 0);
  }
}

TEST(ContactManifold, HullOfManyVerticesRestsOnAFace) {
  const ConvexHull hull(make::random_hull({.points = 500}).vertices);
  ASSERT_GE(hull.vertices().size(), 300u);
  const Box ground{{10, 10, 1}};
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const HullPlane plane = hull.planes()[f];
    const Matrix3 turn = Eigen::Quaterniond::FromTwoVectors(plane.normal, Vector3(0, 0, -1)).toRotationMatrix();
    for (const double gap : {-1e-3, 0.0, 1e-3}) {
      const Pose pose(turn, {0.3, -0.2, 0.5 + plane.offset + gap});
      // Only the corners of the face are within this margin.
      const double margin = std::max(0.0, gap) + 1e-7;
      const ContactManifold manifold = contact_manifold({hull, pose}, ground, {.margin = margin});
      expect_consistent(manifold, margin, 1e-13);
      ASSERT_EQ(manifold.count, hull.face(f).size()) << f << " " << gap;
      std::set<std::uint64_t> corners;
      for (const std::uint32_t v : hull.face(f))
        corners.insert(std::uint64_t{0x40000000u | v} << 32);
      EXPECT_EQ(ids(manifold), corners);
      // The hull's planes are moved outward a little, so this computes how low the vertices really are.
      double lowest = HUGE_VAL;
      for (const Vector3& v : hull.vertices())
        lowest = std::min(lowest, place(pose, v).z() - 0.5);
      EXPECT_NEAR(deepest(manifold), lowest, 1e-14);
    }
  }
}

TEST(ContactManifold, FaceOfThousandsOfCornersIsSpannedByEight) {
  std::vector<Vector3> points;
  for (int i = 0; i < 4000; ++i) {
    // A rounded rectangle: all vertices are in the four rounded corners.
    const double angle = (i % 1000 + 0.5) / 1000 * pi / 2 + i / 1000 * pi / 2;
    const double x = std::cos(angle) * 0.1 + (std::cos(angle) > 0 ? 1 : -1);
    const double y = std::sin(angle) * 0.1 + (std::sin(angle) > 0 ? 0.5 : -0.5);
    for (const double z : {-0.5, 0.5})
      points.emplace_back(x, y, z);
  }
  const ConvexHull hull(points);
  const Pose pose(Vector3(0, 0, 1));
  const ContactManifold manifold = contact_manifold(Box{{10, 10, 1}}, {hull, pose});
  EXPECT_EQ(manifold.count, 8u);
  const double whole = 2.2 * 1.2 - (4 - pi) * 0.01;
  EXPECT_GT(area(manifold), 0.97 * whole);
  EXPECT_LE(area(manifold), whole);
  // If the hull is tilted, the manifold contains the lowest corner.
  for (const double tilt : {1e-5, 1e-3, 0.03, 0.5}) {
    const Pose tilted = posed({0.3, 1, 0}, tilt, {0, 0, 1.05});
    const ContactManifold lowest = contact_manifold(HalfSpace{{0, 0, 1}, 0.5}, {hull, tilted}, {.margin = 2});
    expect_consistent(lowest, 2, 1e-13);
    const Distance d = distance(HalfSpace{{0, 0, 1}, 0.5}, {hull, tilted});
    if (d.lower > 0) {
      EXPECT_NEAR(deepest(lowest), d.lower, 2.5 / 4096);
    }
  }
}

// ---- round shapes

TEST(ContactManifold, SpheresAndEllipsoidsTouchInOnePoint) {
  for (const double gap : {-0.1, 0.0, 0.1}) {
    const Placed sphere(Sphere{1}, Pose(Vector3(0.2, 0.1, 1.5 + gap)));
    const Placed ellipsoid(Ellipsoid{{0.5, 0.7, 1}}, Pose(Vector3(0.2, 0.1, 1.5 + gap)));
    for (const Placed* round : {&sphere, &ellipsoid}) {
      for (const Shape& flat : {Shape(Box{{2, 2, 1}}), Shape(HalfSpace{{0, 0, 1}, 0.5}), Shape(Cylinder{1, 1})}) {
        const ContactManifold manifold = contact_manifold(flat, *round, {.margin = 0.2});
        expect_consistent(manifold, 0.2, 1e-13);
        ASSERT_EQ(manifold.count, 1u) << name(flat.kind()) << gap;
        EXPECT_NEAR(manifold.storage[0].gap, gap, 1e-7);
      }
    }
    const ContactManifold two = contact_manifold(Sphere{0.5}, *&sphere, {.margin = 0.2});
    EXPECT_EQ(two.count, 1u);
  }
}

TEST(ContactManifold, CapsuleLyingOnABoxHasTwoPoints) {
  const Capsule capsule{0.25, 1};
  for (const double gap : {-0.1, 0.0, 1e-3}) {
    for (const double yaw : {0.0, 0.4, 1.9}) {
      const Pose pose = compose(posed({0, 0, 1}, yaw, {0.1, 0, 0.75 + gap}), posed({0, 1, 0}, pi / 2, {0, 0, 0}));
      for (const Shape& ground : {Shape(Box{{4, 4, 1}}), Shape(HalfSpace{{0, 0, 1}, 0.5}), Shape(Cylinder{2, 1})}) {
        const ContactManifold manifold = contact_manifold(ground, {capsule, pose}, {.margin = 2e-3});
        expect_consistent(manifold, 2e-3, 1e-13);
        ASSERT_EQ(manifold.count, 2u) << name(ground.kind()) << " " << gap << " " << yaw;
        EXPECT_NEAR((manifold.storage[0].point_b - manifold.storage[1].point_b).norm(), 1, 1e-12);
        EXPECT_NEAR(manifold.storage[0].gap, gap, 1e-7);
        EXPECT_NEAR(manifold.storage[1].gap, gap, 1e-7);
      }
    }
  }
  // Half of it is over the border, where it is cut.
  const Pose over = posed({0, 1, 0}, pi / 2, {2, 0, 0.75});
  const ContactManifold cut = contact_manifold(Box{{4, 4, 1}}, {capsule, over});
  ASSERT_EQ(cut.count, 2u);
  EXPECT_NEAR((cut.storage[0].point_b - cut.storage[1].point_b).norm(), 0.5, 1e-14);
  // On each other: two points if parallel, one if crossed.
  const Pose along(Vector3(0.5, 0, 0.3)), across = posed({0, 1, 0}, pi / 2, {0.5, 0, 0.3});
  EXPECT_EQ(contact_manifold(capsule, {capsule, along}).count, 2u);
  EXPECT_EQ(contact_manifold(capsule, {capsule, posed({1, 0, 0}, pi / 2, {0.5, 0, 0})}).count, 1u);
  EXPECT_EQ(contact_manifold(capsule, {capsule, across}, {.margin = 1}).count, 1u);
}

TEST(ContactManifold, CylinderStandsOnEightPointsAndLiesOnTwo) {
  const Cylinder cylinder{0.5, 2};
  const double octagon = 2 * std::sqrt(2.0) * 0.25;
  for (const Shape& ground :
       {Shape(Box{{4, 4, 1}}), Shape(HalfSpace{{0, 0, 1}, 0.5}), Shape(Plane{{0, 0, 2}, 1}), Shape(Cylinder{2, 1})}) {
    for (const double gap : {-0.01, 0.0, 1e-3}) {
      const Pose standing = posed({0, 0, 1}, 0.3, {0.2, 0.1, 1.5 + gap});
      const ContactManifold cap = contact_manifold(ground, {cylinder, standing}, {.margin = 2e-3});
      expect_consistent(cap, 2e-3, 1e-13);
      ASSERT_EQ(cap.count, 8u) << name(ground.kind()) << gap;
      EXPECT_NEAR(area(cap), octagon, 1e-9);
      EXPECT_NEAR(deepest(cap), gap, 1e-7);
      const Pose lying = compose(posed({0, 0, 1}, 0.3, {0.2, 0.1, 1.0 + gap}), posed({1, 0, 0}, pi / 2, {0, 0, 0}));
      const ContactManifold side = contact_manifold(ground, {cylinder, lying}, {.margin = 2e-3});
      expect_consistent(side, 2e-3, 1e-13);
      ASSERT_EQ(side.count, 2u) << name(ground.kind()) << gap;
      EXPECT_NEAR((side.storage[0].point_b - side.storage[1].point_b).norm(), 2, 1e-9);
    }
  }
  // If it leans, it stands on one point of the rim.
  for (const double tilt : {1e-4, 0.01, 0.3}) {
    const double low = std::cos(tilt) + 0.5 * std::sin(tilt);
    const ContactManifold rim =
        contact_manifold(Box{{4, 4, 1}}, {cylinder, posed({1, 0.3, 0}, tilt, {0, 0, 0.5 + low})});
    ASSERT_EQ(rim.count, 1u) << tilt;
    EXPECT_NEAR(rim.storage[0].gap, 0, 1e-13);
  }
}

TEST(ContactManifold, DiscOverABorderAndASmallBoxAtTheRimLoseNoArea) {
  // Half a disc over the border of a box: the crossings of rim and border are corners.
  const ContactManifold half = contact_manifold(Box{{4, 4, 1}}, {Cylinder{1, 2}, posed({0, 0, 1}, 0.2, {2, 0, 1.5})});
  expect_consistent(half, 0, 1e-13);
  double widest = 0;
  for (const ManifoldPoint& p : half.points())
    widest = std::max(widest, std::abs(p.point_b.y()));
  EXPECT_NEAR(widest, 1, 1e-9);
  EXPECT_GT(area(half), 0.85 * pi / 2);
  // A small box between two of the eight corners, beyond their chord.
  const double angle = pi / 8;
  const Pose at_rim = posed({0, 0, 1}, angle, {0.95 * std::cos(angle), 0.95 * std::sin(angle), 1.25});
  const ContactManifold box = contact_manifold(Cylinder{1, 2}, {Box{{0.08, 0.08, 0.5}}, at_rim});
  EXPECT_EQ(box.count, 4u);
  EXPECT_NEAR(area(box), 0.08 * 0.08, 1e-12);
  // Two overlapping discs: a lens.
  const ContactManifold lens =
      contact_manifold(Cylinder{1, 2}, {Cylinder{0.8, 1}, posed({0, 0, 1}, 0.5, {0.9, 0.3, 1.5})});
  expect_consistent(lens, 0, 1e-13);
  const double d = std::hypot(0.9, 0.3), r = 0.8;
  const double first = std::acos((d * d + 1 - r * r) / (2 * d)), second = std::acos((d * d + r * r - 1) / (2 * d * r));
  const double whole = first - std::sin(2 * first) / 2 + r * r * (second - std::sin(2 * second) / 2);
  EXPECT_GT(area(lens), 0.85 * whole);
  EXPECT_LT(area(lens), whole);
}

TEST(ContactManifold, ConeStandsOnItsBaseLiesOnItsSideAndTouchesWithItsTip) {
  const Cone cone{0.5, 1};
  const Box ground{{4, 4, 1}};
  EXPECT_EQ(contact_manifold(ground, {cone, Pose(Vector3(0, 0, 1))}).count, 8u);
  const double half_angle = std::atan(0.5);
  const double height = 0.5 * std::sin(half_angle);  // of the middle of the axis over the side
  const Pose lying = posed({0, 1, 0}, pi / 2 + half_angle, {0, 0, 0.5 + height});
  const ContactManifold side = contact_manifold(ground, {cone, lying}, {.margin = 1e-9});
  ASSERT_EQ(side.count, 2u);
  EXPECT_NEAR((side.storage[0].point_b - side.storage[1].point_b).norm(), std::hypot(0.5, 1), 1e-9);
  EXPECT_EQ(contact_manifold(ground, {cone, posed({1, 0, 0}, pi, {0, 0, 1})}).count, 1u);
}

// ---- coherence

/// Perturbs the second shape by `jitter` (rotation and translation) and expects the same ids at the same places.
void expect_steady(const Shape& a, const Shape& b, const Pose& pose, double jitter, std::uint32_t count) {
  auto random = seeded(3);
  PairCache cache;
  const ManifoldOptions options{.margin = 4 * jitter + 1e-12, .cache = &cache};
  const ContactManifold first = contact_manifold(a, {b, pose}, {.margin = options.margin});
  ASSERT_EQ(first.count, count) << name(a.kind()) << " " << name(b.kind()) << " " << jitter;
  std::map<std::uint64_t, Vector3> places;
  for (const ManifoldPoint& p : first.points())
    places[p.id] = p.point_a;
  for (int frame = 0; frame < 50; ++frame) {
    const Vector3 axis = test::scenes::unit_vector(random), by = jitter * test::scenes::unit_vector(random);
    const Pose shaken(Matrix3(Eigen::AngleAxisd(jitter, axis).toRotationMatrix() * pose.rotation()),
                      pose.translation() + by);
    const ContactManifold manifold = contact_manifold(a, {b, shaken}, options);
    ASSERT_EQ(ids(manifold), ids(first)) << name(a.kind()) << " " << name(b.kind()) << " jitter " << jitter << " frame "
                                         << frame << ": " << manifold.count << " points";
    for (const ManifoldPoint& p : manifold.points())
      EXPECT_LT((p.point_a - places[p.id]).norm(), 10 * jitter + 1e-12);
  }
}

TEST(ContactManifold, NamesAndPlacesAreSteadyUnderSmallShakes) {
  std::vector<Vector3> points;
  for (const auto& [x, y] : {std::pair(1.0, 0.0), {0.6, 0.8}, {-0.6, 0.8}, {-1.0, 0.0}, {-0.5, -0.7}, {0.6, -0.8}})
    for (const double z : {-0.5, 0.5})
      points.emplace_back(x, y, z);
  const ConvexHull prism(points);
  const Pose up(Vector3(0, 0, 1));
  for (const double jitter : {1e-9, 1e-7, 1e-5, 1e-4}) {
    const Box box{{1, 1, 1}};
    expect_steady(box, box, up, jitter, 4);                        // flush
    expect_steady(box, box, Pose(Vector3(0.5, 0, 1)), jitter, 4);  // two borders flush
    expect_steady(box, box, Pose(Vector3(0.3, 0.2, 1)), jitter, 4);
    expect_steady(box, box, posed({0, 0, 1}, pi / 4, {0, 0, 1}), jitter, 8);
    expect_steady(Box{{4, 4, 1}}, box, posed({0, 0, 1}, 0.3, {0, 0, 1}), jitter, 4);
    expect_steady(Box{{4, 4, 1}}, prism, up, jitter, 6);
    expect_steady(prism, prism, up, jitter, 6);
    expect_steady(HalfSpace{{0, 0, 1}, 0.5}, prism, up, jitter, 6);
    expect_steady(Box{{4, 4, 1}}, Capsule{0.5, 1}, posed({1, 0, 0}, pi / 2, {0, 0, 1}), jitter, 2);
    expect_steady(Box{{4, 4, 1}}, Cylinder{0.5, 1}, posed({1, 0, 0}, pi / 2, {0, 0, 1}), jitter, 2);
    expect_steady(Box{{4, 4, 1}}, Cylinder{0.5, 1}, up, jitter, 8);
    expect_steady(Plane{{0, 0, 1}, 0.5}, Cylinder{0.5, 1}, up, jitter, 8);
    expect_steady(Cylinder{0.5, 1}, Cylinder{0.5, 1}, posed({0, 0, 1}, 0.2, {0, 0, 1}), jitter, 8);
    expect_steady(Cylinder{0.8, 1}, Cylinder{0.5, 1}, posed({0, 0, 1}, 0.2, {0, 0, 1}), jitter, 8);
    expect_steady(Box{{4, 4, 1}}, Cone{0.5, 1}, up, jitter, 8);
    expect_steady(Box{{1, 1, 1}}, Sphere{0.5}, up, jitter, 1);
    expect_steady(Box{{4, 4, 1}}, Triangle{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}, Pose(Vector3(0, 0, 0.5)), jitter, 3);
  }
}

// ---- all pairs

class PatchOf : public testing::TestWithParam<test::ConvexPair> {};

std::vector<test::ConvexPair> patch_pairs() {
  std::vector<test::ConvexPair> pairs = test::all_convex_pairs();
  for (std::size_t second = 0; second < test::simple_shape_count; ++second) {
    for (std::size_t first = 0; first <= second; ++first) {
      const auto unbounded = [](std::size_t kind) {
        return kind == static_cast<std::size_t>(ShapeKind::half_space) ||
               kind == static_cast<std::size_t>(ShapeKind::plane);
      };
      if (!(unbounded(first) && unbounded(second))) pairs.push_back({first, second});
    }
  }
  return pairs;
}

TEST_P(PatchOf, IsInBothShapesAgreesWithDistanceAndDepthAndIsSymmetric) {
  std::size_t with_points = 0;
  test::check_convex(GetParam(), cases(88), [&](const test::ConvexView& view, std::ostream& wrong) {
    const double size = std::max(1e-300, static_cast<double>(view.reference.max_coordinate()));
    for (const double margin : {0.0, 0.01 * size}) {
      const ManifoldOptions options{.margin = margin};
      const ContactManifold manifold = contact_manifold(view.a, view.b, options);
      const Distance apart = distance(view.a, view.b);
      const double rounding = 0x1p-44 * size + static_cast<double>(4 * view.error + 2 * view.slack);
      const auto complain = [&](const char* what, double found, double expected) {
        wrong << what << " " << found << ", expected " << expected << " (margin " << margin << ", " << manifold.count
              << " points, separation [" << manifold.lower << ", " << manifold.upper << "])\n";
      };
      if (apart.lower > margin + rounding && manifold.count > 0) complain("points", manifold.count, 0);
      if (apart.lower <= margin && manifold.count == 0) complain("points", manifold.count, 1);
      if (touches(view.a, view.b) && manifold.count == 0) complain("points of touching shapes", manifold.count, 1);
      if (manifold.count == 0) continue;
      ++with_points;
      if (!(std::abs(manifold.normal.norm() - 1) < 1e-14)) complain("length of the normal", manifold.normal.norm(), 1);
      if (ids(manifold).size() != manifold.count)
        complain("names", static_cast<double>(ids(manifold).size()), manifold.count);
      // For curved shapes that overlap, the depth is known to 2^-24 of itself.
      const double width = manifold.upper - manifold.lower;
      const double lower = deepest(manifold);
      // The normal may be moved by 2^-20 to become that of a face.
      double off = 0x1p-19 * size + rounding + width;
      // If points were dropped, a point that is less deep by a quarter of the margin or 1/4096 of the face may
      // represent the deepest.
      if (manifold.count == ContactManifold::max_points) off += std::min(margin / 4, size / 2048);
      if (!(std::abs(lower - manifold.lower) <= off)) complain("deepest gap", lower, manifold.lower);
      for (const ManifoldPoint& p : manifold.points()) {
        const double along = manifold.normal.dot(p.point_b - p.point_a);
        if (!(std::abs(p.gap - along) <= rounding)) complain("gap", p.gap, along);
        if (!(p.gap <= margin + width + off)) complain("gap beyond the margin", p.gap, margin);
        const auto off_a = static_cast<double>(view.off_a(p.point_a)),
                   off_b = static_cast<double>(view.off_b(p.point_b));
        if (!(off_a <= rounding)) complain("off a", off_a, 0);
        if (!(off_b <= rounding)) complain("off b", off_b, 0);
      }
      const ContactManifold other = contact_manifold(view.b, view.a, options);
      if (other.count != manifold.count) {
        complain("points of the exchanged", other.count, manifold.count);
        continue;
      }
      // Shapes that coincide, such as two points, have no direction from one to the other.
      const Aabb box_a = view.a.shape.bounds(view.a.pose), box_b = view.b.shape.bounds(view.b.pose);
      if ((box_a.lower - box_b.lower).norm() <= rounding && (box_a.upper - box_b.upper).norm() <= rounding) continue;
      if (other.normal != -manifold.normal)
        complain("exchanged normal off by", (other.normal + manifold.normal).norm(), 0);
      for (const ManifoldPoint& p : manifold.points()) {
        const bool there = std::any_of(other.points().begin(), other.points().end(), [&](const ManifoldPoint& q) {
          return q.id == exchanged(p.id) && (q.point_a - p.point_b).norm() <= rounding &&
                 (q.point_b - p.point_a).norm() <= rounding;
        });
        if (!there) complain("no partner in the exchanged manifold for the gap", p.gap, 0);
      }
    }
  });
  EXPECT_GT(with_points, cases(88) / 4);
}

INSTANTIATE_TEST_SUITE_P(All, PatchOf, testing::ValuesIn(patch_pairs()), test::convex_pair_name);

// ---- other properties

TEST(ContactManifold, AllocatesNothingThatDistanceAndDepthDoNot) {
  const ConvexHull hull(make::random_hull({.points = 200}).vertices);
  const std::vector<Shape> shapes = {
      Sphere{0.5},          Capsule{0.2, 0.6},          Box{{1, 1, 1}}, Cylinder{0.5, 1},
      Cone{0.5, 1},         Ellipsoid{{0.5, 0.4, 0.5}}, hull,           HalfSpace{{0, 0, 1}, 0.4},
      Plane{{0, 0, 1}, 0.4}};
  std::size_t free = 0, pairs = 0;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      if (a.is_unbounded() && b.is_unbounded()) continue;
      PairCache cache, other_cache;
      std::size_t counted = 0, underneath = 0;
      for (int frame = 0; frame < 6; ++frame) {
        const Placed placed_a(a), placed_b(b, Pose(Vector3(0.01 * frame, 0.02, 0.93)));
        const std::size_t before = allocations.load();
        contact_manifold(placed_a, placed_b, {.margin = 0.2, .cache = &cache});
        counted = allocations.load() - before;
        distance(placed_a, placed_b, {.cache = &other_cache});
        depth(placed_a, placed_b, {.cache = &other_cache});
        underneath = allocations.load() - before - counted;
      }
      EXPECT_LE(counted, underneath) << name(a.kind()) << " " << name(b.kind());
      ++pairs;
      if (counted == 0) ++free;
    }
  }
  std::printf("no allocation: %zu of %zu pairs\n", free, pairs);
  EXPECT_GT(free, pairs * 9 / 10 - 1);
}

TEST(ContactManifold, ShapesWithoutSizeTouchInOnePoint) {
  const Pose at(Vector3(1, 2, 3));
  const std::vector<Vector3> one = {{0, 0, 0}};
  const std::vector<Shape> points = {Sphere{0},      Capsule{0, 0}, Box{{0, 0, 0}},       Segment{},      Triangle{},
                                     Cylinder{0, 0}, Cone{0, 0},    Ellipsoid{{0, 0, 0}}, ConvexHull(one)};
  for (const Shape& a : points) {
    for (const Shape& b : points) {
      const ContactManifold manifold = contact_manifold({a, at}, {b, at});
      ASSERT_EQ(manifold.count, 1u) << name(a.kind()) << " " << name(b.kind());
      EXPECT_EQ(manifold.storage[0].point_a, at.translation());
      EXPECT_EQ(manifold.storage[0].point_b, at.translation());
      EXPECT_EQ(contact_manifold({a, at}, {b, Pose(Vector3(1, 2, 3.5))}).count, 0u);
    }
  }
}

TEST(ContactManifold, RefusesWhatItCannotAnswerAndSaysWhatToDo) {
  const auto message = [](const Placed& a, const Placed& b, const ManifoldOptions& options = {}) -> std::string {
    try {
      contact_manifold(a, b, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const Mesh mesh(make::box({.size_x = 1, .size_y = 1, .size_z = 1}));
  EXPECT_NE(message(mesh, Sphere{1}).find("contact_manifolds()"), std::string::npos);
  EXPECT_NE(message(Sphere{1}, mesh).find("contact_manifolds()"), std::string::npos);
  EXPECT_NE(message(Plane{}, HalfSpace{}).find("bounded"), std::string::npos);
  EXPECT_NE(message(Sphere{1}, Sphere{1}, {.margin = -1}).find("margin"), std::string::npos);
  EXPECT_NE(message(Sphere{1}, Sphere{1}, {.max_angle = 2}).find("max_angle"), std::string::npos);
}

}  // namespace
}  // namespace whisker
