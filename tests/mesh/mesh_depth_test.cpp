// depth of solid meshes: valid bounds, compared with the true depth of convex polytopes and with brute force.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "support/mesh_cases.hpp"

namespace whisker::test {
namespace {

// --- the truth ---------------------------------------------------------------------------------------------------

using Long = long double;
using Long3 = std::array<Long, 3>;

Long3 to_long(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
Long3 minus(const Long3& a, const Long3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Long dot(const Long3& a, const Long3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Long3 cross(const Long3& a, const Long3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A convex polytope with its corners and the directions of its edges and normals.
struct LongPolytope {
  std::vector<Long3> corners, edges, normals;

  LongPolytope(const Mesh& mesh, const Pose& pose) {
    for (const Vector3& v : mesh.vertices())
      corners.push_back(to_long(place(pose, v)));
    for (const Index3& t : mesh.triangles()) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (t[k] < t[(k + 1) % 3]) edges.push_back(minus(corners[t[(k + 1) % 3]], corners[t[k]]));
      }
      normals.push_back(cross(minus(corners[t[1]], corners[t[0]]), minus(corners[t[2]], corners[t[0]])));
    }
  }
};

/// The depth of two convex polytopes that overlap: the smallest overlap along the normals of both and the cross
/// products of their edges, which are all the normals that their Minkowski difference can have. Every direction gives
/// an upper bound, so directions that belong to no face do no harm.
Long convex_depth(const LongPolytope& a, const LongPolytope& b) {
  Long least = std::numeric_limits<Long>::infinity();
  const auto look_along = [&](const Long3& direction) {
    const Long length = std::sqrt(dot(direction, direction));
    if (!(length > 1e-12L)) return;
    Long a_low = std::numeric_limits<Long>::max(), a_high = -a_low, b_low = a_low, b_high = -a_low;
    for (const Long3& p : a.corners) {
      a_low = std::min(a_low, dot(direction, p));
      a_high = std::max(a_high, dot(direction, p));
    }
    for (const Long3& p : b.corners) {
      b_low = std::min(b_low, dot(direction, p));
      b_high = std::max(b_high, dot(direction, p));
    }
    least = std::min({least, (a_high - b_low) / length, (b_high - a_low) / length});
  };
  for (const Long3& n : a.normals)
    look_along(n);
  for (const Long3& n : b.normals)
    look_along(n);
  for (const Long3& e : a.edges)
    for (const Long3& f : b.edges)
      look_along(cross(e, f));
  return std::max(least, Long(0));
}

PlacedTriangles moved(PlacedTriangles placed, const Vector3& by) {
  for (Triangle& t : placed.triangles) {
    t.a += by;
    t.b += by;
    t.c += by;
  }
  for (std::size_t i = 0; i < placed.triangles.size(); ++i)
    placed.boxes[i] = box_of(placed.triangles[i]);
  return placed;
}

/// How deep the deepest corner of one lies in the other, by brute force.
double deepest_corner(Random& random, const PlacedTriangles& of, const PlacedTriangles& in) {
  double deepest = 0;
  for (const Triangle& t : of.triangles) {
    if (winding_number(random, in, t.a) == 0) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Triangle& other : in.triangles)
      nearest = std::min(nearest, closest_points(t.a, other).distance);
    deepest = std::max(deepest, nearest);
  }
  return deepest;
}

// --- checks ------------------------------------------------------------------------------------------------------

struct Checked {
  Depth depth;
  bool overlap = false;
};

/// Checks everything that is guaranteed for every result, by brute force. `size` is that of the bodies and of their
/// coordinates. If `with_corners`, no corner may lie on the other surface, where it is neither inside nor outside.
Checked expect_depth_holds(Random& random, const Mesh& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b,
                           double size, bool with_corners = true) {
  const Shape shape_a = a, shape_b = b;
  const Depth found = depth({shape_a, pose_a}, {shape_b, pose_b});
  const Depth back = depth({shape_b, pose_b}, {shape_a, pose_a});
  EXPECT_EQ(found.lower, back.lower);
  EXPECT_EQ(found.upper, back.upper);
  if (&a != &b ||
      pose_a.translation() != pose_b.translation()) {  // otherwise both are the same body, and cannot be distinguished
    EXPECT_EQ(found.normal, Vector3(-back.normal));
    EXPECT_EQ(found.point_a, back.point_b);
  }
  EXPECT_GE(found.lower, 0);
  EXPECT_LE(found.lower, found.upper);
  const PlacedTriangles placed_a(a, pose_a), placed_b(b, pose_b);
  const bool touch = touches({shape_a, pose_a}, {shape_b, pose_b});
  if (!touch) {
    EXPECT_EQ(found.upper, 0);
  }
  if (found.upper == 0) return {found, false};

  EXPECT_NEAR(found.normal.norm(), 1, 1e-14);
  // b moved by the depth is outside a, after an additional push of the size of rounding.
  const Vector3 out = found.normal * (found.upper + 1e-13 * size);
  EXPECT_FALSE(solids_touch(random, placed_a, moved(placed_b, out))) << show(pose_a) << show(pose_b);
  // Along the direction, the points are as far apart as the depth.
  EXPECT_NEAR((found.point_a - found.point_b).dot(found.normal), found.upper, 1e-6 * found.upper + 1e-12 * size);

  // No shorter translation suffices.
  if (found.lower > 1e-12 * size) {
    for (int k = 0; k < 24; ++k) {
      const Vector3 direction = k == 0 ? found.normal : k == 1 ? Vector3(-found.normal) : scenes::unit_vector(random);
      Pose shifted = pose_b;
      shifted.set_translation(shifted.translation() +
                              direction * (found.lower * (k % 3 == 2 ? uniform(random, 0, 1) : 1) * (1 - 1e-12)));
      EXPECT_TRUE(touches({shape_a, pose_a}, {shape_b, shifted})) << "by less than lower = " << found.lower;
    }
  }
  if (with_corners) {
    const double corners =
        std::max(deepest_corner(random, placed_a, placed_b), deepest_corner(random, placed_b, placed_a));
    EXPECT_GE(found.lower, corners * (1 - 1e-9) - 1e-12 * size) << show(pose_a) << show(pose_b);
    EXPECT_LE(corners, found.upper * (1 + 1e-9) + 1e-12 * size);
  }
  return {found, true};
}

void expect_depth_is(const Depth& found, Long truth, double size) {
  EXPECT_LE(found.lower, truth * (1 + 1e-15L) + 1e-15L * size);
  EXPECT_GE(found.upper, truth * (1 - 1e-15L) - 1e-15L * size);
}

Mesh solid(const MeshData& data) {
  return Mesh(data).solid();
}

// --- convex meshes -----------------------------------------------------------------------------------------------

TEST(MeshDepthConvex, OfRandomHullsIsTheTrueOne) {
  auto random = seeded(801);
  std::size_t overlaps = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const auto seed = static_cast<std::uint64_t>(2 * i);
    const Mesh a = solid(make::random_hull({.points = 8 + static_cast<int>(i % 20), .radius_x = 0.7, .seed = seed}));
    const Mesh b = solid(make::random_hull(
        {.points = 30 - static_cast<int>(i % 23), .radius_y = i % 4 == 0 ? 0.1 : 0.8, .seed = seed + 1}));
    const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 0.9);
    const Checked found = expect_depth_holds(random, a, pose_a, b, pose_b, 4, false);
    if (!found.overlap) continue;
    ++overlaps;
    const Long truth = convex_depth({a, pose_a}, {b, pose_b});
    expect_depth_is(found.depth, truth, 4);
    EXPECT_LE(found.depth.upper - found.depth.lower, 1e-11) << i;
    EXPECT_NEAR(found.depth.upper, static_cast<double>(truth), 1e-13) << i;
  }
  EXPECT_GT(overlaps, cases(60) / 3);
}

TEST(MeshDepthConvex, OfFlushBoxesIsTheTrueOne) {
  auto random = seeded(802);
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Vector3 size_a = random_vector(random, 0.8) + Vector3::Constant(1);
    const Vector3 size_b = random_vector(random, 0.8) + Vector3::Constant(1);
    const int parts = 1 + static_cast<int>(i % 3);
    const auto box = [&](const Vector3& size) {
      return solid(make::box({.size_x = size[0], .size_y = size[1], .size_z = size[2], .subdivisions = parts}));
    };
    const Mesh a = box(size_a), b = box(size_b);
    const Pose pose_a(scenes::axis_rotation(random), random_vector(random, 0.3));
    const Pose pose_b(scenes::axis_rotation(random), random_vector(random, 0.9));
    const Checked found = expect_depth_holds(random, a, pose_a, b, pose_b, 4, false);
    if (!found.overlap) continue;
    const Vector3 half_a = (pose_a.rotation() * size_a).cwiseAbs() / 2,
                  half_b = (pose_b.rotation() * size_b).cwiseAbs() / 2;
    const Vector3 between = (pose_b.translation() - pose_a.translation()).cwiseAbs();
    const double truth = (half_a + half_b - between).minCoeff();
    EXPECT_NEAR(found.depth.lower, truth, 1e-12) << i;
    EXPECT_NEAR(found.depth.upper, truth, 1e-13) << i;
    EXPECT_LE(found.depth.lower, truth + 1e-15) << i;
    EXPECT_GE(found.depth.upper, truth - 1e-15) << i;
  }
}

TEST(MeshDepthConvex, OfRoundMeshesIsWithinAPercent) {
  auto random = seeded(803);
  const Mesh ball = solid(make::icosphere({.subdivisions = 3}));
  for (std::size_t i = 0; i < cases(8); ++i) {
    const Pose pose_a = random_pose(random, 0);
    const Pose pose_b = random_pose(random, i % 4 == 0 ? 0 : 1.0);
    const Checked found = expect_depth_holds(random, ball, pose_a, ball, pose_b, 4, false);
    if (!found.overlap) continue;
    EXPECT_LE(found.depth.upper, found.depth.lower * 1.01) << i;
    const double spheres = 2 - (pose_b.translation() - pose_a.translation()).norm();
    EXPECT_LE(found.depth.upper, spheres * 1.0001 + 1e-9);
  }
}

TEST(MeshDepthConvex, OfMeshesThatRoundingDentedIsWithinFivePercent) {
  auto random = seeded(806);
  const std::vector<Mesh> meshes = {solid(make::cone({.slices = 12, .stacks = 2})),
                                    solid(make::capsule({.slices = 8, .stacks = 2})),
                                    solid(make::uv_sphere({.stacks = 6}))};
  for (std::size_t i = 0; i < cases(12); ++i) {
    const Mesh& a = meshes[i % meshes.size()];
    const Mesh& b = meshes[(i / meshes.size()) % meshes.size()];
    const Pose pose_a = random_pose(random, 0.3), pose_b = random_pose(random, 0.3);
    const Checked found = expect_depth_holds(random, a, pose_a, b, pose_b, 4);
    if (!found.overlap) continue;
    const Long truth = convex_depth({a, pose_a}, {b, pose_b});
    expect_depth_is(found.depth, truth, 4);
    EXPECT_LE(found.depth.upper, truth * 1.05L) << i;
  }
}

TEST(MeshDepthConvex, OfAMeshInItselfIsItsWidth) {
  const Mesh cube = solid(make::box({.size_x = 1, .size_y = 2, .size_z = 3, .subdivisions = 3}));
  auto random = seeded(804);
  const Checked found = expect_depth_holds(random, cube, {}, cube, {}, 3, false);
  EXPECT_NEAR(found.depth.lower, 1, 1e-12);
  EXPECT_NEAR(found.depth.upper, 1, 1e-12);
  const Mesh hull = solid(make::random_hull({.points = 20}));
  const Pose pose = random_pose(random, 1);
  const Checked same = expect_depth_holds(random, hull, pose, hull, pose, 3, false);
  expect_depth_is(same.depth, convex_depth({hull, pose}, {hull, pose}), 3);
  EXPECT_EQ(same.depth.stop, Stop::exact);
}

TEST(MeshDepthConvex, WithSimpleShapesIsTheirDepthWithTheSameBox) {
  auto random = seeded(805);
  std::size_t overlaps = 0;
  for (std::size_t i = 0; i < cases(150); ++i) {
    const Vector3 size = random_vector(random, 0.9) + Vector3::Constant(1.2);
    const Shape box = Box{size};
    const Shape mesh = solid(make::box({.size_x = size[0], .size_y = size[1], .size_z = size[2]}));
    const auto point = [&] { return random_vector(random, 0.5); };
    const std::vector<Shape> others = {Sphere{uniform(random, 0.01, 1)},
                                       Sphere{0},
                                       Capsule{uniform(random, 0.01, 0.5), uniform(random, 0.1, 1)},
                                       Box{random_vector(random, 0.4) + Vector3::Constant(0.5)},
                                       Segment{point(), point()},
                                       Triangle{point(), point(), point()}};
    const Shape& other = others[i % others.size()];
    const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 0.9);
    const Depth truth = depth({box, pose_a}, {other, pose_b});
    const Depth found = depth({mesh, pose_a}, {other, pose_b});
    // The mesh's corners are rounded, the box's are not.
    EXPECT_LE(found.lower, truth.upper + 1e-14) << i;
    EXPECT_GE(found.upper, truth.lower - 1e-14) << i;
    EXPECT_NEAR(found.upper, truth.upper, 1e-10) << i << " " << name(other.kind());
    if (truth.lower > 1e-6) {
      EXPECT_NEAR(found.lower, truth.lower, 1e-10) << i << " " << name(other.kind());
    }
    const Depth back = depth({other, pose_b}, {mesh, pose_a});
    EXPECT_EQ(back.upper, found.upper);
    EXPECT_EQ(back.lower, found.lower);
    overlaps += truth.lower > 0 ? 1 : 0;
  }
  EXPECT_GT(overlaps, cases(150) / 4);
}

// --- non-convex meshes ---------------------------------------------------------------------------------------------

TEST(MeshDepthConcave, HoldsInRandomPoses) {
  auto random = seeded(811);
  const std::vector<Mesh> meshes = {solid(unit(make::gear({.teeth = 8, .flank_points = 2}))),
                                    solid(unit(make::torus({.around = 14, .across = 8}))),
                                    solid(unit(make::s_shape({.along = 6, .across = 6}))), solid(unit(make::block())),
                                    solid(unit(make::icosphere({.subdivisions = 1})))};
  std::size_t overlaps = 0;
  double ratios = 0;
  for (std::size_t i = 0; i < cases(40); ++i) {
    const Mesh& a = meshes[i % meshes.size()];
    const Mesh& b = meshes[(i / meshes.size()) % meshes.size()];
    const Pose pose_a = random_pose(random, 0.3), pose_b = random_pose(random, 0.4);
    const Checked found = expect_depth_holds(random, a, pose_a, b, pose_b, 2);
    if (!found.overlap || !(found.depth.lower > 0)) continue;
    ++overlaps;
    ratios += found.depth.upper / found.depth.lower;
  }
  EXPECT_GT(overlaps, cases(40) / 3);
  EXPECT_LT(ratios / static_cast<double>(overlaps), 2.5);
}

TEST(MeshDepthConcave, OfEveryModelHolds) {
  auto random = seeded(816);
  std::vector<Mesh> meshes;
  for (const Model& model : small_models())
    if (model.closed) meshes.push_back(solid(model.data));
  std::size_t overlaps = 0;
  for (std::size_t i = 0; i < cases(28); ++i) {
    const Mesh& a = meshes[i % meshes.size()];
    const Mesh& b = meshes[(i * 5 + i / meshes.size()) % meshes.size()];
    const Pose pose_a = random_pose(random, 0.2), pose_b = random_pose(random, 0.3);
    overlaps += expect_depth_holds(random, a, pose_a, b, pose_b, 2).overlap ? 1u : 0u;
  }
  EXPECT_GT(overlaps, cases(28) / 3);
}

TEST(MeshDepthConcave, APegInASlotLeavesSideways) {
  // A peg that overlaps the slot by 0.02 on one side only: the way out is away from that wall by 0.02, and in no other
  // direction.
  const Mesh block = solid(make::block({.size_x = 4, .size_y = 4, .size_z = 1, .slot_x = 1, .slot_y = 1}));
  const Mesh peg = solid(make::box({.size_x = 0.9, .size_y = 0.9, .size_z = 3}));
  auto random = seeded(812);
  const Pose pose(Vector3(0.07, 0, 0));
  const Checked found = expect_depth_holds(random, block, {}, peg, pose, 4);
  EXPECT_NEAR(found.depth.upper, 0.02, 0.02 * 0.01);
  EXPECT_GT(found.depth.normal.dot(Vector3(-1, 0, 0)), 0.99);
  const Mesh sunk = solid(make::box({.size_x = 0.9, .size_y = 0.9, .size_z = 0.5}));  // its corners are in the wall
  const Checked tight = expect_depth_holds(random, block, {}, sunk, pose, 4);
  EXPECT_NEAR(tight.depth.lower, 0.02, 1e-9);
  EXPECT_NEAR(tight.depth.upper, 0.02, 0.02 * 0.01);
}

TEST(MeshDepthConcave, ASphereInTheHoleOfATorusLeavesAlongTheAxis) {
  const Shape ring = solid(make::torus({.major = 1, .minor = 0.3, .around = 48, .across = 24}));
  const Shape ball = Sphere{0.75};
  const Depth found = depth(ring, ball);
  EXPECT_GT(found.lower, 0.04);  // 0.75 - 0.7
  // Up along the axis until the distance of the center from the tube's center line is 0.3 + 0.75.
  EXPECT_LE(found.upper, std::sqrt(1.05 * 1.05 - 1) * 1.02);
  EXPECT_FALSE(touches(ring, {ball, Pose(Vector3(found.normal * (found.upper + 1e-13)))}));
}

TEST(MeshDepthConcave, OfASphereWhoseCenterIsOnTheSurfaceIsAtLeastItsRadius) {
  const Shape block = solid(make::block({.size_x = 4, .size_y = 4, .size_z = 1, .slot_x = 1, .slot_y = 1}));
  const Shape ball = Sphere{0.25};
  const Depth found = depth(block, {ball, Pose(Vector3(1, 1, 0.5))});
  EXPECT_NEAR(found.lower, 0.25, 1e-12);
  EXPECT_NEAR(found.upper, 0.25, 1e-6);
}

TEST(MeshDepthConcave, WithSimpleShapesHolds) {
  auto random = seeded(813);
  const std::vector<Mesh> meshes = {solid(unit(make::gear({.teeth = 8, .flank_points = 2}))),
                                    solid(unit(make::torus({.around = 14, .across = 8}))),
                                    solid(unit(make::s_shape({.along = 6, .across = 6}))), solid(unit(make::block()))};
  const std::vector<Shape> others = {Sphere{0.2}, Capsule{0.1, 0.3}, Box{{0.2, 0.3, 0.4}},
                                     Segment{{0, 0, 0}, {0.3, 0.1, 0.2}},
                                     Triangle{{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0.1}}};
  std::size_t overlaps = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Shape mesh = meshes[i % meshes.size()];
    const Shape& other = others[(i / meshes.size()) % others.size()];
    const Pose pose_a = random_pose(random, 0.2), pose_b = random_pose(random, 0.3);
    const Depth found = depth({mesh, pose_a}, {other, pose_b});
    EXPECT_GE(found.lower, 0);
    EXPECT_LE(found.lower, found.upper);
    if (!touches({mesh, pose_a}, {other, pose_b})) {
      EXPECT_EQ(found.upper, 0);
    }
    if (found.upper == 0) continue;
    ++overlaps;
    Pose out = pose_b;
    out.set_translation(out.translation() + found.normal * (found.upper + 1e-13));
    EXPECT_FALSE(touches({mesh, pose_a}, {other, out})) << i;
    for (int k = 0; k < 24; ++k) {
      Pose shifted = pose_b;
      shifted.set_translation(shifted.translation() + scenes::unit_vector(random) * found.lower * (1 - 1e-12));
      EXPECT_TRUE(touches({mesh, pose_a}, {other, shifted})) << i;
    }
  }
  EXPECT_GT(overlaps, cases(60) / 4);
}

TEST(MeshDepthConcave, AContainedSolidLeavesThroughTheNearestWall) {
  auto random = seeded(814);
  // Not convex: a block with a slot. The ball is in its wide side, 0.3 from the nearest face.
  const Mesh block = solid(make::block({.size_x = 10, .size_y = 4, .size_z = 4, .slot_x = 1, .slot_y = 1}));
  const Mesh ball = solid(make::icosphere({.radius = 0.5, .subdivisions = 1}));
  const Checked found = expect_depth_holds(random, block, {}, ball, Pose(Vector3(3, 1.2, 0)), 10);
  EXPECT_GT(found.depth.lower, 1.2);
  EXPECT_LE(found.depth.upper, 1.3 * 1.02);
  EXPECT_GT(found.depth.normal[1], 0.95);
}

TEST(MeshDepthConcave, OfAMeshInItself) {
  auto random = seeded(815);
  for (const Mesh& mesh : {solid(unit(make::torus({.around = 14, .across = 8}))), solid(unit(make::block()))}) {
    const Checked found = expect_depth_holds(random, mesh, {}, mesh, {}, 2, false);
    EXPECT_TRUE(found.overlap);
    EXPECT_GT(found.depth.lower, 0.05);
  }
}

// --- limiting cases ------------------------------------------------------------------------------------------------

TEST(MeshDepth, IsNothingWhereSolidsAreApart) {
  const Shape a = solid(make::gear()), b = solid(make::torus());
  const Depth found = depth(a, {b, Pose(Vector3(100, 0, 0))});
  EXPECT_EQ(found.lower, 0);
  EXPECT_EQ(found.upper, 0);
  EXPECT_EQ(found.normal, Vector3(Vector3::Zero()));
  EXPECT_EQ(found.stop, Stop::exact);
}

TEST(MeshDepth, IsNextToNothingWhereTheyBarelyTouch) {
  auto random = seeded(821);
  const Mesh cube = solid(make::box());
  for (const Vector3& at : {Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(-1, 1, 1), Vector3(0.3, 1, 0.2)}) {
    const Checked found = expect_depth_holds(random, cube, {}, cube, Pose(at), 2, false);
    EXPECT_EQ(found.depth.lower, 0);
    EXPECT_LE(found.depth.upper, 1e-14);
  }
  const Mesh gear = solid(unit(make::gear({.teeth = 8, .flank_points = 2})));
  for (const double overlap : {1e-3, 1e-6, 1e-9}) {
    // The tip of a tooth reaches into the box.
    Aabb box = gear.bounds();
    const Pose pose(Vector3(box.upper[0] + 0.5 - overlap, 0, 0));
    const Checked found = expect_depth_holds(random, gear, {}, cube, pose, 2, false);
    EXPECT_LE(found.depth.upper, overlap * 1.05 + 1e-12);
    EXPECT_GE(found.depth.upper, overlap * (1 - 1e-6));
  }
}

TEST(MeshDepth, ScalesWithTheUnitOfLength) {
  for (const double scale : {0x1p-280, 0x1p-100, 0x1p100, 0x1p280}) {
    const MeshData gear = unit(make::gear({.teeth = 8, .flank_points = 2})), hull = make::random_hull({.points = 20});
    auto random = seeded(822);
    for (int i = 0; i < 6; ++i) {
      const Pose pose_a = random_pose(random, 0.2), pose_b = random_pose(random, 0.4);
      Pose far_a = pose_a, far_b = pose_b;
      far_a.set_translation(far_a.translation() * scale);
      far_b.set_translation(far_b.translation() * scale);
      const MeshData& first = i % 2 == 0 ? gear : hull;
      const Shape a = solid(first), b = solid(hull);
      const Shape large_a = solid(scaled(first, scale)), large_b = solid(scaled(hull, scale));
      const Depth plain = depth({a, pose_a}, {b, pose_b});
      const Depth found = depth({large_a, far_a}, {large_b, far_b});
      EXPECT_NEAR(found.upper / scale, plain.upper, 1e-6 * plain.upper) << scale << " " << i;
      EXPECT_NEAR(found.lower / scale, plain.lower, 1e-6 * plain.upper) << scale << " " << i;
    }
  }
}

TEST(MeshDepth, HoldsFarFromTheOrigin) {
  auto random = seeded(823);
  const Mesh gear = solid(unit(make::gear({.teeth = 8, .flank_points = 2})));
  const Mesh hull = solid(unit(make::random_hull({.points = 20})));
  for (std::size_t i = 0; i < cases(8); ++i) {
    const Vector3 far(1e6, -3e6, 2e6);
    Pose pose_a = random_pose(random, 0.2), pose_b = random_pose(random, 0.4);
    pose_a.set_translation(pose_a.translation() + far);
    pose_b.set_translation(pose_b.translation() + far);
    const Checked found = expect_depth_holds(random, i % 2 == 0 ? gear : hull, pose_a, hull, pose_b, 3e6, false);
    if (found.overlap && i % 2 != 0) {
      EXPECT_LE(found.depth.upper - found.depth.lower, 1e-6) << i;
    }
  }
}

TEST(MeshDepth, OfASurfaceIsAnErrorThatSaysWhatToDo) {
  const Shape open = Mesh(make::terrain({.columns = 4, .rows = 4})), ball = solid(make::icosphere({.subdivisions = 1}));
  const Shape closed_surface = Mesh(make::box());
  for (const Shape& surface : {open, closed_surface}) {
    for (const Shape& other : {ball, Shape(Sphere{1}), Shape(Segment{{0, 0, -1}, {0, 0, 1}}), Shape(HalfSpace{})}) {
      for (const bool swapped : {false, true}) {
        try {
          swapped ? depth(other, surface) : depth(surface, other);
          ADD_FAILURE() << name(other.kind());
        } catch (const Error& error) {
          const std::string message = error.what();
          EXPECT_NE(message.find("surface"), std::string::npos) << message;
          EXPECT_NE(message.find("solid()"), std::string::npos) << message;
        }
      }
    }
  }
}

TEST(MeshDepth, KeepsToABudgetAndATolerance) {
  auto random = seeded(824);
  const Mesh a = solid(unit(make::gear({.teeth = 8, .flank_points = 2})));
  const Mesh b = solid(unit(make::torus({.around = 14, .across = 8})));
  const Shape shape_a = a, shape_b = b;
  const Pose pose = random_pose(random, 0.1);
  const Depth full = depth(shape_a, {shape_b, pose});
  ASSERT_GT(full.lower, 0);
  for (const std::uint64_t budget : {0u, 100u, 10'000u, 100'000u}) {
    const Depth found = depth(shape_a, {shape_b, pose}, {.budget = budget});
    EXPECT_LE(found.lower, full.upper);
    EXPECT_GE(found.upper, full.lower);
    EXPECT_LE(found.lower, found.upper);
    EXPECT_LE(found.cost.volume_tests + found.cost.primitive_tests, 2 * budget + 100'000);
    PlacedTriangles out = moved({b, pose}, found.normal * (found.upper + 1e-13));
    EXPECT_FALSE(solids_touch(random, {a, {}}, out));
  }
  const Depth rough = depth(shape_a, {shape_b, pose}, {.tolerance = 10});
  EXPECT_EQ(rough.stop, Stop::tolerance);
  EXPECT_LE(rough.cost.volume_tests, full.cost.volume_tests);
  EXPECT_LE(rough.lower, full.upper);
  EXPECT_GE(rough.upper, full.lower);
}

TEST(MeshDepth, IsTheSameEveryTime) {
  auto random = seeded(825);
  const Shape a = solid(unit(make::gear())), b = solid(unit(make::s_shape()));
  for (int i = 0; i < 3; ++i) {
    const Pose pose = random_pose(random, 0.3);
    const Depth one = depth(a, {b, pose}), two = depth(a, {b, pose});
    EXPECT_EQ(one.lower, two.lower);
    EXPECT_EQ(one.upper, two.upper);
    EXPECT_EQ(one.normal, two.normal);
    EXPECT_EQ(one.cost.volume_tests, two.cost.volume_tests);
  }
}

}  // namespace
}  // namespace whisker::test
