// The examples at the top of the public headers in the folders editing, geometry, make, robot, spheres, tetrahedra and
// world: compiled and checked as header_examples_test.cpp describes.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/methods/broad_phases.hpp>
#include <whisker/robot/urdf.hpp>
#include <whisker/whisker.hpp>

#include "support/doc_examples.hpp"

namespace whisker {
namespace {

using test::at;
using test::Counted;
using test::EmptyFolder;
using test::RunsToTheEnd;

/// The triangles of a mesh, by their corners.
std::vector<Triangle> corners_of(const MeshData& mesh) {
  std::vector<Triangle> triangles;
  for (const Index3& t : mesh.triangles)
    triangles.push_back({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]});
  return triangles;
}

// The examples are laid out as in the headers, and may show a variable that they do not use.
// clang-format off
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

// --- editing ---------------------------------------------------------------------------------------------------------

TEST(EditingHeaderExamples, MeshReportTellsWhetherAMeshIsClosed) {
  const EmptyFolder folder;
  MeshData open = make::box();
  open.triangles.pop_back();
  write_mesh("part.stl", open);

  const MeshReport report = inspect_mesh(read_mesh("part.stl"));
  std::printf("%zu triangles, %s\n", report.triangles, report.closed ? "closed" : "open");
  for (const std::string& finding : report.findings) std::puts(finding.c_str());

  EXPECT_EQ(report.triangles, 11u);
  EXPECT_FALSE(report.closed);
  EXPECT_FALSE(report.findings.empty());
}

TEST(EditingHeaderExamples, RepairFillsAHole) {
  const EmptyFolder folder;
  MeshData open = make::box();
  std::erase_if(open.triangles, [&](const Index3& t) {
    return std::ranges::all_of(t, [&](std::uint32_t v) { return open.vertices[v].z() > 0; });
  });
  ASSERT_EQ(open.triangles.size(), 10u) << "the top is missing";
  write_mesh("scan.obj", open);

  MeshRepair repair = repair_mesh(read_mesh("scan.obj"));
  for (const std::string& line : repair.done) std::puts(line.c_str());  // "1 hole filled with 2 triangles"
  Mesh solid = Mesh(repair.mesh).solid();                               // throws if it is still not closed

  EXPECT_EQ(repair.done, (std::vector<std::string>{"1 hole filled with 2 triangles"}));
  EXPECT_NEAR(solid.volume(), 1, 1e-12);
  EXPECT_THROW(Mesh(open).solid(), Error);
}

TEST(EditingHeaderExamples, SimplifyLeavesFewTrianglesAndKeepsThoseNearAPoint) {
  const EmptyFolder folder;
  write_mesh("engine.stl", make::icosphere({1, 4}));

  const MeshData welded = weld_mesh(read_mesh("engine.stl"));  // STL repeats its vertices
  const SimplifiedMesh coarse = simplify_mesh(welded, 2'000);
  const std::vector<Vector3> points = {{1, 0, 0}};
  const SimplifiedMesh fine_there = simplify_mesh(welded, 2'000, points);

  EXPECT_EQ(welded.vertices.size(), 2562u);
  EXPECT_LE(coarse.mesh.triangles.size(), 2000u);
  EXPECT_GT(coarse.cell, 0);
  EXPECT_LE(fine_there.mesh.triangles.size(), 2000u);
  EXPECT_GT(fine_there.kept_within, 0.1);
}

// --- geometry --------------------------------------------------------------------------------------------------------

TEST(GeometryHeaderExamples, AabbGrowsFromEmpty) {
  const std::vector<Vector3> points = {{0, 0, 0}, {1, 2, 3}, {-1, 0, 1}};
  const Aabb other{{1, 2, 3}, {4, 4, 4}};
  Counted test_further;

  Aabb box;                                        // empty
  for (const Vector3& p : points) box.include(p);
  if (box.overlaps(other)) test_further();
  Aabb unit{.lower = {0, 0, 0}, .upper = {1, 1, 1}};

  EXPECT_TRUE(Aabb().empty());
  EXPECT_EQ(box.lower, Vector3(-1, 0, 0));
  EXPECT_EQ(box.upper, Vector3(1, 2, 3));
  EXPECT_EQ(test_further.calls, 1);
  EXPECT_TRUE(unit.contains({1, 0.5, 0}));
}

TEST(GeometryHeaderExamples, BoundingSphereIsSmallestUnlessQuick) {
  const std::vector<Vector3> points = make::random_hull({.points = 50}).vertices;  // on the unit sphere
  const Pose pose_a = at(0, 0, 0), pose_b = at(1.5, 0, 0);
  RunsToTheEnd example;

  BoundingSphere ball = fit_sphere(points);                          // the smallest ball
  BoundingSphere quick = fit_sphere(points, SphereFit::ritter);      // larger, but faster to find
  if (!overlaps(ball, pose_a, quick, pose_b)) return;                // proven apart
  Interval d = distance_bounds(ball, pose_a, quick, pose_b);         // contains the distance of the two balls

  example.reached = true;
  EXPECT_LE(ball.radius, 1 + 1e-12);
  EXPECT_GT(quick.radius, ball.radius);
  for (const Vector3& point : points) EXPECT_TRUE(contains(ball, point) && contains(quick, point));
  EXPECT_EQ(d.lower, 0) << "they overlap";
  EXPECT_FALSE(overlaps(ball, pose_a, quick, at(9, 0, 0)));
  EXPECT_TRUE(contains(distance_bounds({{0, 0, 0}, 1}, {{9, 0, 0}, 2}), 6));
}

TEST(GeometryHeaderExamples, ClosestPointsOfSimpleShapes) {
  const Vector3 a(0, 0, 1), b(0, 0, 2), c(-1, -1, 0), d(1, -1, 0), e(0, 1, 0), point(3, 0, 0);
  const Pose pose = at(0, 0, 0);
  double length = 0;
  const auto draw_line = [&](const Vector3& from, const Vector3& to, double distance) {
    EXPECT_LT((from - Vector3(3, 0, 0)).norm(), 1e-12);
    EXPECT_LT((to - Vector3(0.5, 0, 0)).norm(), 1e-12);
    length = distance;
  };

  ClosestPoints found = closest_points(Segment{a, b}, Triangle{c, d, e});
  ClosestPoints near = closest_points(point, PlacedBox{{.size = {1, 2, 3}}, pose});
  draw_line(near.point_a, near.point_b, near.distance);

  EXPECT_NEAR(found.distance, 1, 1e-12);
  EXPECT_NEAR(length, 2.5, 1e-12);
}

TEST(GeometryHeaderExamples, HullMergesNearlyCoplanarFaces) {
  std::vector<Vector3> points = make::box().vertices;
  for (Vector3& p : points)
    if (p == Vector3(0.5, 0.5, 0.5)) p.z() += 1e-12;
  Counted use;

  HullData hull = convex_hull(points);
  for (std::size_t f = 0; f < hull.face_count(); ++f)
    for (std::uint32_t v : hull.face(f)) use(hull.vertices[v], hull.planes[f]);
  HullData smoothed = convex_hull(points, {.merge_distance = 1e-9});   // nearly coplanar faces become one polygon

  EXPECT_EQ(hull.face_count(), 7u) << "the top is two triangles";
  EXPECT_EQ(use.calls, 5 * 4 + 2 * 3);
  EXPECT_EQ(smoothed.face_count(), 6u);
}

TEST(GeometryHeaderExamples, IntervalsContainTheExactResult) {
  const Vector3 a(1, 2, 3), b(1, 2, 5);
  Counted accept;

  Interval x(0.1), y(1, 2);                          // exactly the double 0.1; any number from 1 to 2
  Interval z = sqrt(x * y + 3);                      // contains the exact result for every such x and y
  if (certainly_less(z, 2)) accept();
  Interval gap = norm(IntervalVector3(a) - IntervalVector3(b));

  EXPECT_EQ(x.lower, x.upper);
  EXPECT_TRUE(contains(z, std::sqrt(3.15)));
  EXPECT_LE(z.lower, std::sqrt(3.1));
  EXPECT_GE(z.upper, std::sqrt(3.2));
  EXPECT_EQ(accept.calls, 1);
  EXPECT_EQ(gap, Interval(2)) << "exact, since it is a double";
}

TEST(GeometryHeaderExamples, MovingFeaturesMeetOnTheWay) {
  const Vector3 p0(0.25, 0.25, 1), p1(0.25, 0.25, -1);
  const Vector3 a0(0, 0, 0), b0(1, 0, 0), c0(0, 1, 0), a1 = a0, b1 = b0, c1 = c0;
  const std::vector<PointTriangle> pairs = {{{p0, p1}, {{a0, b0, c0}, {a1, b1, c1}}},
                                            {{p0, {0.25, 0.25, 0.0005}}, {{a0, b0, c0}, {a1, b1, c1}}},
                                            {{p0, {0.25, 0.25, 0.002}}, {{a0, b0, c0}, {a1, b1, c1}}}};
  std::vector<FeatureImpact> hits(pairs.size());
  double stopped = 1;
  const auto stop_at = [&](double time) { stopped = time; };

  const FeatureImpact hit = first_contact_point_triangle({p0, p1}, {{a0, b0, c0}, {a1, b1, c1}});
  if (hit.status == ImpactStatus::touch) stop_at(hit.time_lower);
  first_contacts(pairs, {.separation = 0.001}, hits);          // many pairs; gaps up to 0.001 count as contact

  EXPECT_LE(stopped, 0.5);
  EXPECT_NEAR(stopped, 0.5, 1e-6);
  EXPECT_EQ(hits[0].status, ImpactStatus::touch);
  EXPECT_EQ(hits[1].status, ImpactStatus::touch);
  EXPECT_EQ(hits[2].status, ImpactStatus::apart);
}

TEST(GeometryHeaderExamples, MovingSpheresStopWhereTheyTouch) {
  double stopped = 0;
  const auto stop_at = [&](double time, const Vector3& point, const Vector3& normal) {
    stopped = time;
    EXPECT_LT((point - Vector3(1, 0, 0)).norm(), 1e-12);
    EXPECT_LT((normal - Vector3(1, 0, 0)).norm(), 1e-12);
  };

  const MovingSphere a{.start = {-3, 0, 0}, .end = {3, 0, 0}, .radius = 1};
  const MovingSphere b{.start = {3, 0, 0}, .end = {3, 0, 0}, .radius = 2};
  const Impact c = first_contact_spheres(a, b);
  if (c.status == ImpactStatus::touch) stop_at(c.time, c.point, c.normal);

  EXPECT_NEAR(stopped, 0.5, 1e-12);
}

TEST(GeometryHeaderExamples, ObbOverlapsAndIsVisible) {
  const MeshData mesh = make::cylinder({.radius = 1, .length = 4});
  const std::vector<Vector3>& points = mesh.vertices;
  const std::vector<Triangle> triangles = corners_of(mesh);
  const Pose pose_a = at(0, 0, 0), pose_b = at(1, 0, 0);
  const Frustum camera_frustum{{{{{1, 0, 0}, 3}, {{-1, 0, 0}, 3}, {{0, 1, 0}, 3}, {{0, -1, 0}, 3}, {{0, 0, 1}, 3},
                                 {{0, 0, -1}, 3}}}};
  RunsToTheEnd example;

  Obb box = fit_obb(points);
  Obb other = fit_obb(triangles, BoxFit::vertices);                  // faster, often larger
  if (!overlaps(box, pose_a, other, pose_b)) return;                 // proven apart
  if (classify(box, camera_frustum) == FrustumSide::outside) return; // not visible

  example.reached = true;
  EXPECT_EQ(classify(box, camera_frustum), FrustumSide::inside);
  EXPECT_EQ(classify(place(at(9, 0, 0), box), camera_frustum), FrustumSide::outside);
  EXPECT_FALSE(overlaps(box, pose_a, other, at(9, 0, 0)));
  for (const Vector3& point : points) EXPECT_TRUE(contains(box, point) && contains(other, point));
}

TEST(GeometryHeaderExamples, PredicatesAreExactNextToThePlane) {
  const Triangle t{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Vector3 p(0.3, 0.3, std::numeric_limits<double>::denorm_min());
  const double x = 0.1, y = 0;
  Counted in_front, on_the_x_axis;

  if (orient3d(t.a, t.b, t.c, p) > 0) in_front(p);          // exact, also for points that are almost on the plane
  if (orient2d(0, 0, 1, 0, x, y) == 0) on_the_x_axis();

  EXPECT_EQ(in_front.calls, 1);
  EXPECT_EQ(on_the_x_axis.calls, 1);
}

TEST(GeometryHeaderExamples, SeparatingAxisPushesHullsApart) {
  const ConvexHull hull_a(make::box().vertices), hull_b(make::box().vertices);
  const Pose pose_a = at(0, 0, 0), pose_b = at(0.75, 0.25, 0);
  Vector3 pushed = Vector3::Zero();
  const auto push = [&](const Vector3& by) { pushed = by; };
  RunsToTheEnd example;

  SeparatingAxisCache cache;                       // one per pair, kept by the caller
  SeparatingAxisScratch scratch;                   // one per thread
  const auto found = separating_axis(hull_a.polyhedron(), pose_a, hull_b.polyhedron(), pose_b, &cache, scratch);
  if (found.separated) return;                     // at least found.gap apart
  push(found.axis * found.overlap);                // moves b until the two only touch

  example.reached = true;
  EXPECT_LT((pushed - Vector3(0.25, 0, 0)).norm(), 1e-12);
  const Pose apart(pose_b.translation() + pushed);
  EXPECT_LT(depth({hull_a, pose_a}, {hull_b, apart}).upper, 1e-12);
  EXPECT_LT(distance({hull_a, pose_a}, {hull_b, apart}).upper, 1e-12);
  const auto far = separating_axis(hull_a.polyhedron(), pose_a, hull_b.polyhedron(), at(3, 0, 0), &cache, scratch);
  EXPECT_TRUE(far.separated);
  EXPECT_NEAR(far.gap, 2, 1e-12);
}

TEST(GeometryHeaderExamples, TrianglesIntersectInASegment) {
  std::vector<Vector3> drawn;
  const auto draw = [&](const Vector3& from, const Vector3& to) { drawn = {from, to}; };

  const Triangle floor{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
  const Triangle blade{{0.5, 0.5, -1}, {0.5, 0.5, 1}, {1.5, 1.5, 1}};
  const TriangleIntersection cut = intersect_triangle_triangle(floor, blade);
  draw(cut.points[0], cut.points[1]);  // cut.kind is segment: it runs from (0.5, 0.5, 0) to (1, 1, 0)
  bool hit = touches_triangle_box(floor, {.lower = {1, 1, -1}, .upper = {2, 2, 1}});  // true: at (1, 1, 0)

  EXPECT_EQ(cut.kind, TriangleIntersection::Kind::segment);
  EXPECT_EQ(drawn, (std::vector<Vector3>{{0.5, 0.5, 0}, {1, 1, 0}}));
  EXPECT_TRUE(hit);
  EXPECT_FALSE(touches_triangle_box(floor, {.lower = {1.001, 1, -1}, .upper = {2, 2, 1}})) << "it is the only point";
}

TEST(GeometryHeaderExamples, VolumesOverlapAndHaveADistance) {
  const std::vector<Vector3> points = make::cylinder({.radius = 1, .length = 4}).vertices;
  const Obb other = place(at(5, 0, 0), fit_obb(make::box().vertices));
  const Pose pose_a = at(4, 0, 0), pose_b = at(0, 0, 0);
  RunsToTheEnd example;

  Obb box = fit_obb(points);
  if (!overlaps(box, pose_a, other, pose_b)) return;     // proven apart
  Interval d = distance_bounds(box, other);              // both in one frame
  Aabb world_box = bounds(place(pose_a, box));

  example.reached = true;
  EXPECT_FALSE(overlaps(box, other));
  EXPECT_NEAR(middle(d), 3.5, 0.1);
  for (const Vector3& point : points) EXPECT_TRUE(world_box.contains(place(pose_a, point)));
}

TEST(GeometryHeaderExamples, WheelsFindTheGround) {
  const HeightField terrain(std::vector<double>{0, 0.5, 1, 0, 0.5, 1}, 3, 2, 2.5, 4);  // rises by 0.2 per unit of x
  std::vector<double> down;
  const auto suspend = [&](double t, const Vector3& normal) {
    down.push_back(t);
    EXPECT_NEAR(normal.x() / normal.z(), -0.2, 1e-12);
  };

  const std::array<Vector3, 4> centers = {{{1, 1, 2}, {4, 1, 2}, {1, 3, 2}, {4, 3, 2}}};
  std::array<WheelContact, 4> contacts;
  wheel_contacts(terrain, centers, {0, 0, -1}, contacts);
  for (const WheelContact& c : contacts)
    if (c.found) suspend(c.t, c.normal);  // the ground is c.t below the center

  ASSERT_EQ(down.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(down[i], 2 - 0.2 * centers[i].x(), 1e-12);
}

// --- make ------------------------------------------------------------------------------------------------------------

TEST(MakeHeaderExamples, ModelsAreClosed) {
  MeshData ball = make::uv_sphere({.radius = 0.5, .stacks = 16});
  MeshData gear = make::gear({.teeth = 24, .module = 2});
  const Shape part = Mesh(std::move(gear)).solid();

  EXPECT_TRUE(is_closed(ball));
  EXPECT_EQ(ball.triangles.size(), 4u * 16 * 15);
  EXPECT_NEAR(part.bounds().upper.x(), 24 + 2, 1e-12) << "pitch radius and one module";
}

TEST(MakeHeaderExamples, TetrahedralModelsAreMeshes) {
  TetrahedralMesh ball(make::tetrahedral_ball({.radius = 0.5, .subdivisions = 3}));
  TetrahedralMesh beam(make::tetrahedral_box({.size_x = 4, .cells_x = 16}));

  EXPECT_EQ(ball.tetrahedra().size(), 20u * 8 * 8 * 8);
  EXPECT_EQ(beam.tetrahedra().size(), 6u * 16 * 4 * 4);
}

// --- robot -----------------------------------------------------------------------------------------------------------

TEST(RobotHeaderExamples, ArmStopsAtTheCabinet) {
  const Shape foot = Box{{0.2, 0.2, 0.2}}, beam = Box{{1, 0.1, 0.1}}, cabinet = Box{{0.5, 0.5, 0.5}};
  const Pose along_x = at(0.5, 0, 0), at_the_elbow = at(1, 0, 0), pose = at(0, 1.5, 0);
  const std::vector<double> from = {0, 0}, to = {3, 0.1};
  double stopped = 1;
  const auto stop_at = [&](double time) { stopped = time; };

  Articulated arm({{.name = "base", .shapes = {{foot}}},
                   {.name = "upper", .shapes = {{beam, along_x}}, .joint = {.kind = JointKind::revolute}},
                   {.name = "lower", .parent = 1, .shapes = {{beam, along_x}},
                    .joint = {.kind = JointKind::revolute, .origin = at_the_elbow}}});
  const auto hits = first_contacts({arm, from, to}, {cabinet, Still{pose}}).hits;
  if (!hits.empty()) stop_at(hits.front().impact.time_lower);

  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits.front().link_a, 2u) << "the lower arm reaches it";
  EXPECT_GT(stopped, 0.3);
  EXPECT_LT(stopped, 0.6);
}

TEST(RobotHeaderExamples, UrdfIsReadAndMoved) {
  const EmptyFolder folder;
  std::ofstream("arm.urdf") << R"(<robot name="arm">
  <link name="base"/>
  <link name="beam"><collision><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="beam"/><axis xyz="0 0 1"/></joint>
</robot>)";
  const Shape cabinet = Box{{0.2, 0.2, 0.2}};
  const Pose pose = at(0.9, 0.3, 0);

  const UrdfRobot robot = load_urdf("arm.urdf");
  const std::vector<double> from(robot.body.position_count(), 0.0);
  std::vector<double> to = from;
  for (const UrdfJoint& joint : robot.joints) to[joint.position] = 0.5;
  const auto hits = first_contacts({robot.body, from, to}, {cabinet, Still{pose}}).hits;

  EXPECT_EQ(to, std::vector<double>{0.5});
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].link_a, robot.link("beam"));
}

// --- spheres ---------------------------------------------------------------------------------------------------------

/// In place of the bunny, whose sphere tree takes long to build: a solid so round that one sphere is good enough.
MeshData round_bunny() {
  return make::icosphere({.radius = 1, .subdivisions = 3});
}

/// A body with more than one sphere.
SphereBody octree_body() {
  const Mesh solid = Mesh(make::icosphere({.radius = 1, .subdivisions = 1})).solid();
  return SphereBody(build_sphere_tree(solid, {.method = SphereTreeMethod::octree, .depth = 2}), solid);
}

TEST(SpheresHeaderExamples, SphereBodyAnswersWithBounds) {
  const EmptyFolder folder;
  write_mesh("bunny.stl", round_bunny());
  const Pose pose_a = at(0, 0, 0), pose_b = at(1.5, 0, 0);

  Mesh mesh = load_mesh("bunny.stl");
  SphereBody bunny(build_sphere_tree(mesh, {.depth = 3}), mesh);
  bool hit = touches({bunny, pose_a}, {bunny, pose_b});
  Distance d = distance({bunny, pose_a}, {bunny, pose_b}, {.tolerance = 0.01});
  SphereContacts found = sphere_contacts({bunny, pose_a}, {bunny, pose_b}, {.budget = 5000});

  EXPECT_TRUE(hit);
  EXPECT_EQ(d.lower, 0);
  EXPECT_LE(d.upper, 0.01);
  EXPECT_FALSE(found.pairs.empty());
}

TEST(SpheresHeaderExamples, SphereContactsAreReducedToAFew) {
  const SphereBody bunny = octree_body();
  const Pose pose_a = at(0, 0, 0), pose_b = at(1.5, 0, 0);
  Counted apply_force;

  SphereContacts found = sphere_contacts({bunny, pose_a}, {bunny, pose_b}, {.budget = 5000});
  std::vector<SphereContact> few;
  reduce_contacts(found.pairs, 4, few);
  for (const SphereContact& c : few) apply_force(c.point, c.depth * c.normal, c.weight);

  EXPECT_GT(found.pairs.size(), 4u);
  EXPECT_EQ(apply_force.calls, 4);
}

TEST(SpheresHeaderExamples, SphereQueryGetsTighter) {
  const SphereBody bunny = octree_body();
  const Pose pose_a = at(0, 0, 0), pose_b = at(2.5, 1, 0.5), next_pose_a = at(-1, 0, 0);
  double lower = 0, upper = std::numeric_limits<double>::infinity();
  int draws = 0;
  const auto draw = [&](double new_lower, double new_upper) {
    EXPECT_GE(new_lower, lower);
    EXPECT_LE(new_upper, upper);
    lower = new_lower;
    upper = new_upper;
    ++draws;
  };

  SphereQuery query({bunny, pose_a}, {bunny, pose_b});
  while (query.advance({.budget = 500}) == Stop::budget) draw(query.lower(), query.upper());
  query.restart({bunny, next_pose_a}, {bunny, pose_b});       // reuses the memory

  EXPECT_GT(draws, 0);
  const Distance exact = distance({bunny.mesh(), pose_a}, {bunny.mesh(), pose_b});
  EXPECT_LE(lower, exact.upper);
  EXPECT_GE(upper, exact.lower);
  query.advance();
  EXPECT_NEAR(query.result().value(), distance({bunny.mesh(), next_pose_a}, {bunny.mesh(), pose_b}).value(), 1e-9);
}

TEST(SpheresHeaderExamples, SphereSetNamesTheClosestBall) {
  const std::vector<Vector3> centers = {{0, 0, 0}, {2, 0, 0}};
  const std::vector<double> radii = {0.5, 0.5};
  const Shape room = Box{{1, 1, 1}};
  const Pose pose = at(-4, 0, 0);
  const std::vector<Pose> poses = {at(-2, 0, 0), at(3, 0, 0)};
  std::array<bool, 2> answers = {};

  const SphereSet robot(centers, radii);                     // in the robot's frame
  bool hit = touches(room, {robot, pose});
  Distance d = distance(room, {robot, pose});                // d.feature_b.id is the closest ball
  touches(room, robot, poses, answers);                      // many poses, on all cores

  EXPECT_FALSE(hit);
  EXPECT_NEAR(d.value(), 1, 1e-12);
  EXPECT_EQ(d.feature_b.id, 1u);
  EXPECT_EQ(answers, (std::array<bool, 2>{true, false}));
}

TEST(SpheresHeaderExamples, SphereSetQueriesTellTheBallsApart) {
  const std::vector<Vector3> centers = {{0, 0, 0}, {2, 0, 0}};
  const std::vector<double> radii = {0.5, 0.5};
  const SphereSet robot(centers, radii);
  const Shape room = Box{{1, 1, 1}};
  const Pose pose = at(-2, 0, 0);
  const std::vector<Pose> poses = {at(-2, 0, 0), at(3, 0, 0)};
  std::array<std::uint32_t, 2> numbers = {};
  std::vector<std::uint32_t> colored;
  const auto color = [&](std::uint32_t ball) { colored.push_back(ball); };

  if (const auto ball = first_touching(room, {robot, pose})) color(*ball);
  std::vector<Interval> clear(robot.size());
  clearances(room, {robot, pose}, clear);                    // negative where a ball overlaps the room
  first_touching(room, robot, poses, numbers);               // many poses, on all cores

  EXPECT_EQ(colored, std::vector<std::uint32_t>{1});
  EXPECT_NEAR(clear[0].lower, 1, 1e-9);
  EXPECT_LT(clear[1].upper, 0);
  EXPECT_EQ(numbers, (std::array<std::uint32_t, 2>{1, SphereSet::none}));
}

TEST(SpheresHeaderExamples, SphereTreeCoversTheMesh) {
  const EmptyFolder folder;
  write_mesh("bunny.stl", round_bunny());
  std::vector<BoundingSphere> drawn;
  const auto draw = [&](const BoundingSphere& sphere) { drawn.push_back(sphere); };

  Mesh mesh = load_mesh("bunny.stl");
  SphereTree tree = build_sphere_tree(mesh, {.depth = 3, .branching = 8});
  for (std::uint32_t i : tree.cut(2)) draw(tree.nodes[i].sphere);  // together they cover the whole mesh
  LevelReport fit = report_level(tree, 2, mesh);                   // fit.worst.upper is proven

  EXPECT_EQ(check_coverage(drawn, mesh).answer, Answer::yes);
  EXPECT_EQ(fit.spheres, drawn.size());
  EXPECT_GE(fit.worst.upper, fit.worst.lower);
  EXPECT_LT(fit.worst.upper, 0.01);
}

TEST(SpheresHeaderExamples, SphereTreeFilesKeepEveryBit) {
  const EmptyFolder folder;
  const Mesh mesh = Mesh(round_bunny()).solid();
  const SphereTree built = build_sphere_tree(mesh, {.method = SphereTreeMethod::octree, .depth = 2});
  save_sphere_tree(built, "other.sph");

  save_sphere_tree(build_sphere_tree(mesh), "bunny.json");
  SphereTree tree = load_sphere_tree("bunny.json");            // the same tree, to the last bit
  SphereTree other = load_sphere_tree("other.sph");            // from another program: without protrusions
  find_protrusions(mesh, other);

  const SphereTree same = build_sphere_tree(mesh);
  EXPECT_EQ(encode_sphere_tree_json(tree), encode_sphere_tree_json(same));
  EXPECT_EQ(load_sphere_tree("other.sph").nodes[0].protrusion, std::numeric_limits<double>::infinity());
  ASSERT_EQ(other.nodes.size(), built.nodes.size());
  for (std::size_t i = 0; i < other.nodes.size(); ++i)
    EXPECT_NEAR(other.nodes[i].protrusion, built.nodes[i].protrusion, 1e-12);
}

TEST(SpheresHeaderExamples, SphereWorldFindsContactsInTime) {
  const SphereBody body = octree_body(), other = body;
  const Pose pose = at(5, 0, 0);
  const std::vector<Pose> path = {at(4, 0, 0), at(1, 0, 0)};
  int pushes = 0;
  BodyId first, second;
  const auto push_apart = [&](BodyId a, BodyId b, const SphereContact& contact) {
    ++pushes;
    first = a;
    second = b;
    EXPECT_GE(contact.depth, 0);
  };

  SphereWorld world;
  const BodyId stone = world.add(body, pose), anvil = world.add(other);
  for (const Pose& next : path) {
    world.move(stone, next);
    world.begin_step();
    world.advance({.seconds = 0.001});                       // may be repeated while there is time left
    SphereFrame frame = world.collect(OpenSpheres::repulsion);
    for (const SpherePair& pair : world.pairs())
      for (const SphereContact& contact : world.contacts(pair)) push_apart(pair.a, pair.b, contact);
  }

  EXPECT_GT(pushes, 0);
  EXPECT_EQ(first, stone);
  EXPECT_EQ(second, anvil);
}

// --- tetrahedra ------------------------------------------------------------------------------------------------------

TEST(TetrahedraHeaderExamples, MeshHasABorder) {
  const std::vector<std::vector<Vector3>> frames = {make::tetrahedral_ball({.radius = 0.5}).vertices,
                                                    make::tetrahedral_ball({.radius = 0.7}).vertices};
  std::set<double> radii;
  const auto draw = [&](const Vector3& a, const Vector3&, const Vector3&) { radii.insert(std::round(a.norm() * 1e9)); };

  TetrahedralMesh body(make::tetrahedral_ball({.radius = 0.5}));
  for (const std::vector<Vector3>& positions : frames) {
    body.set_vertices(positions);
    for (const Index3& t : body.border_triangles()) draw(positions[t[0]], positions[t[1]], positions[t[2]]);
  }

  EXPECT_EQ(radii, (std::set<double>{5e8, 7e8})) << "all corners are on the border";
}

/// Positions of a ball that moves into the box of the examples.
std::vector<std::vector<Vector3>> ball_that_enters() {
  std::vector<std::vector<Vector3>> frames;
  for (const double x : {1.5, 0.8}) {
    frames.push_back(make::tetrahedral_ball({.radius = 0.5}).vertices);
    for (Vector3& v : frames.back()) v.x() += x;
  }
  return frames;
}

TEST(TetrahedraHeaderExamples, ContactsAreFoundInEveryFrame) {
  const std::vector<std::vector<Vector3>> frames = ball_that_enters();
  int responses = 0;
  const auto respond = [&](const TetrahedralMesh& body, std::uint32_t vertex) {
    EXPECT_LT(vertex, body.vertices().size());
    ++responses;
  };

  std::vector<TetrahedralMesh> bodies;
  bodies.emplace_back(make::tetrahedral_box());
  bodies.emplace_back(make::tetrahedral_ball({.radius = 0.5}));
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;  // keep both from frame to frame
  for (const std::vector<Vector3>& positions : frames) {
    bodies[1].set_vertices(positions);
    finder.find(bodies, contacts);
    for (const VertexContact& c : contacts.vertices) respond(bodies[c.mesh], c.vertex);  // lies in the other body
  }

  EXPECT_GT(responses, 0);
  EXPECT_EQ(static_cast<std::size_t>(responses), contacts.vertices.size()) << "none in the first frame";
  for (const VertexContact& c : contacts.vertices) EXPECT_NE(c.mesh, c.other);
}

TEST(TetrahedraHeaderExamples, DepthsPushBodiesApart) {
  std::vector<TetrahedralMesh> bodies;
  bodies.emplace_back(make::tetrahedral_box());
  bodies.emplace_back(make::tetrahedral_ball({.radius = 0.5}));
  bodies[1].set_vertices(ball_that_enters().back());
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  const double stiffness = 2;
  int pushes = 0;
  const auto push = [&](const TetrahedralMesh& body, std::uint32_t, const Vector3& force) {
    ++pushes;
    EXPECT_GE(force.x() * (&body == &bodies[1] ? 1 : -1), 0) << "the ball leaves on the side from which it came";
  };

  TetrahedralDepthFinder depths;                       // kept from frame to frame, as the other two are
  std::vector<VertexDepth> found;
  finder.find(bodies, contacts);                       // tetrahedral_contacts.hpp
  depths.find(bodies, contacts, found);
  for (const VertexDepth& d : found)
    push(bodies[d.mesh], d.vertex, stiffness * d.depth * d.normal);

  EXPECT_GT(pushes, 0);
}

// --- world -----------------------------------------------------------------------------------------------------------

class AllPairs final : public BroadPhase {
  void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override {
    pairs.clear();
    for (std::uint32_t a = 0; a < boxes.box.size(); ++a)
      for (std::uint32_t b = a + 1; b < boxes.box.size(); ++b)
        if (boxes.is_pair(a, b)) pairs.push_back(pair_key(a, b));
  }
};

TEST(WorldHeaderExamples, BroadPhasesFindTheSamePairs) {
  World a({.broad_phase = column_sweep()});                // one of the library's own
  World b({.broad_phase = methods::sweep_and_prune()});    // whisker/methods/broad_phases.hpp
  World c({.broad_phase = [] { return std::make_unique<AllPairs>(); }});

  for (World* world : {&a, &b, &c}) {
    std::vector<BodyId> bodies;
    for (int i = 0; i < 20; ++i) bodies.push_back(world->add(Box{{1, 1, 1}}, at(0.4 * i, 0.1 * i, 0)));
    world->update();
    world->move(bodies[7], at(0, 0, 0));
    world->update();
  }
  EXPECT_GT(a.touching().size(), 20u);
  EXPECT_TRUE(std::ranges::equal(a.touching(), b.touching()));
  EXPECT_TRUE(std::ranges::equal(a.touching(), c.touching()));
}

TEST(WorldHeaderExamples, ContactScheduleFindsTheStoneOnTheGround) {
  World world;
  const Vector3 start(0, 0, 3), v(1, 0, -1);
  const BodyId stone = world.add(Sphere{1}, Pose(start));
  world.add(Box{{20, 20, 2}}, at(0, 0, -1));
  int pushes = 0;
  const auto push_apart = [&](BodyId a, BodyId) {
    ++pushes;
    EXPECT_EQ(a, stone);
    EXPECT_LE(world.pose(stone).translation().z(), 1);
  };

  ContactSchedule schedule(world);
  schedule.set_limits(stone, {.velocity = v, .acceleration = 10, .spin = 2});
  for (double time = 0; time < 1; time += 0.01) {
    const Vector3 fall(0, 0, -4.905 * time * time);
    world.move(stone, Pose(start + time * v + fall));  // every body to its pose at `time`
    for (const WorldPair& pair : schedule.advance(time)) push_apart(pair.a, pair.b);  // those that touch then
  }

  EXPECT_EQ(pushes, 100 - 55) << "z = 3 - t - 4.905 t² is at most 1 from t = 0.545 on";
}

#pragma GCC diagnostic pop
// clang-format on

}  // namespace
}  // namespace whisker
