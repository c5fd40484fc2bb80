// The example at the top of every public header is compiled: it stands word for word in a test that declares what the
// example uses and checks what it says. The examples of include/whisker itself are in this file, those of its folders
// in the other files here whose names contain "header_example". The last tests read the headers and fail if an example
// is missing. After a change of an example in a header, change it here, and the other way round.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/scene.hpp>
#include <whisker/whisker.hpp>

#include "support/doc_examples.hpp"

namespace whisker {
namespace {

using test::at;
using test::Counted;
using test::DocBlock;
using test::EmptyFolder;
using test::lines_of;
using test::stands_in;
using test::triangle_over_triangle;

// The examples are laid out as in the headers, and may show a variable that they do not use.
// clang-format off
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

// --- shapes ----------------------------------------------------------------------------------------------------------

TEST(HeaderExamples, PrimitivesAreCenteredAndTheFloorIsBelowZero) {
  const Shape ball = Sphere{.radius = 0.5};
  const Shape crate = Box{.size = {1, 2, 3}};   // full edge lengths
  const Shape floor = HalfSpace{{0, 0, 1}, 0};  // all points with z <= 0
  const bool hit = touches({ball, Pose(Vector3(0, 0, 0.4))}, floor);  // true: the ball reaches below z = 0

  EXPECT_TRUE(hit);
  EXPECT_EQ(crate.bounds().upper, Vector3(0.5, 1, 1.5));
  EXPECT_TRUE(contains(floor, {5, 5, 0}));
  EXPECT_TRUE(contains(floor, {5, 5, -9}));
  EXPECT_FALSE(contains(floor, {5, 5, 0.001}));
}

TEST(HeaderExamples, ShapeHoldsAnyShape) {
  const EmptyFolder folder;
  write_mesh("part.stl", make::box());
  const Pose pose = at(7, 0, 0);
  double radius = 0;
  const auto use = [&](double value) { radius = value; };

  const Shape ball = Sphere{.radius = 0.5};
  const Shape part = Mesh(read_mesh("part.stl")).solid();       // throws an Error if the mesh is not closed
  const Aabb box = part.bounds(pose);                           // in the world frame
  if (const auto* sphere = ball.as<Sphere>()) use(sphere->radius);

  EXPECT_EQ(radius, 0.5);
  EXPECT_NEAR(box.lower.x(), 6.5, 1e-12);
  EXPECT_NEAR(box.upper.x(), 7.5, 1e-12);
  EXPECT_THROW(Mesh(triangle_over_triangle(1)).solid(), Error);
}

TEST(HeaderExamples, CompoundNumbersItsParts) {
  const Shape handle = Box{{6, 1, 2}}, table = HalfSpace{};
  const Pose pose = at(0, 0, 0);
  std::set<std::uint32_t> parts;
  const auto report = [&](std::uint32_t part) { parts.insert(part); };

  const Compound mug({{Cylinder{.radius = 4, .length = 10}}, {handle, Pose({5, 0, 0})}});
  const Contacts found = contacts({mug, pose}, table);
  for (const Contact& contact : found.pairs) report(contact.a.part);  // 0 is the cylinder, 1 the handle

  EXPECT_EQ(parts, (std::set<std::uint32_t>{0, 1}));
  EXPECT_EQ(mug.parts()[0].shape.kind(), ShapeKind::cylinder);
  EXPECT_EQ(mug.parts()[1].shape.kind(), ShapeKind::box);
}

TEST(HeaderExamples, MassHasBounds) {
  const Shape shape = Cylinder{.radius = 0.1, .length = 2};
  const Pose pose = at(5, 0, 0);

  const MassProperties part = mass_properties(shape).with_density(7850);  // or with_mass(2.5)
  const Matrix3 tensor = middle(part.inertia());                          // about the center, in the shape's axes
  const PrincipalAxes axes = principal_axes(part);                        // a diagonal tensor in axes.pose
  const MassProperties world = part.placed(pose);
  const double error = width(part.mass);                                  // every number has its bounds

  const double mass = 7850 * std::acos(-1.0) * 0.01 * 2;
  EXPECT_NEAR(middle(part.mass), mass, 1e-9);
  EXPECT_NEAR(tensor(2, 2), mass * 0.01 / 2, 1e-9);
  EXPECT_NEAR(middle(axes.moments.x), tensor(2, 2), 1e-9);
  EXPECT_EQ(middle(world.center), Vector3(5, 0, 0));
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-11);
}

TEST(HeaderExamples, ConvexHullHasFacesAndADistance) {
  const std::vector<Vector3> points = make::box().vertices;
  const Shape ground = HalfSpace{};
  const Pose pose = at(0, 0, 2.5);
  Counted draw;

  const ConvexHull hull(points);  // a std::vector<Vector3>, for example
  for (std::size_t i = 0; i < hull.face_count(); ++i)
    draw(hull.face(i), hull.planes()[i].normal);
  const Distance gap = distance({hull, pose}, ground);

  EXPECT_EQ(draw.calls, 6);
  EXPECT_NEAR(gap.value(), 2, 1e-12);
}

TEST(HeaderExamples, CustomConvexIsARoundedBox) {
  const Shape table = HalfSpace{};
  const Pose pose = at(0, 0, 0.6 - 1e-12);

  // A box with rounded edges: the box's own support point, moved outward by the radius 0.1.
  const Vector3 half(2, 1, 0.5);
  const auto support = [half](const Vector3& d) -> Vector3 {
    return d.cwiseSign().cwiseProduct(half) + 0.1 * d.stableNormalized();
  };
  const CustomConvex rounded(support, 1e-15);  // rounding: up to 1e-15 off
  const bool hit = touches({rounded, pose}, table);

  EXPECT_TRUE(hit);
  EXPECT_FALSE(touches({rounded, at(0, 0, 0.6 + 1e-12)}, table));
  // Seen along an edge the corner of the box is rounded off.
  const Vector3 diagonal(0, std::sqrt(0.5), std::sqrt(0.5));
  EXPECT_NEAR(rounded.support(diagonal).dot(diagonal), (1 + 0.5) * std::sqrt(0.5) + 0.1, 1e-15);
}

TEST(HeaderExamples, RoundedShapesReachOutByTheirRadius) {
  const Mesh part(make::box());
  const Pose pose = at(5, 0, 0);
  double used = 0;
  const auto use = [&](const Shape& shape, double radius) { used = radius * shape.as<Box>()->size[0]; };

  const Shape block = rounded(Box{{2, 1, 1}}, 0.25);            // a box with rounded edges and corners
  const Shape skin = rounded(part, 0.05);                       // a mesh with a skin, for example a clearance
  const Distance gap = distance({block, pose}, {skin, {}});     // 0.3 less than that of the box and the mesh
  if (const auto found = unrounded(block)) use(found->shape, found->radius);

  EXPECT_NEAR(gap.value(), 3.5 - 0.3, 1e-12);
  EXPECT_EQ(used, 0.5);
}

TEST(HeaderExamples, GroundIsASolidBelowTerrain) {
  const std::vector<double> altitudes = {0, 0, 0, 10, 10, 10};
  const std::size_t columns = 3, rows = 2;
  const Vector3 point(15, 15, -100);
  const Shape car = Box{{4, 2, 1}};
  const Pose pose = at(15, 15, -5);

  const HeightField land(altitudes, columns, rows, 30.0, 30.0);
  const Shape earth = ground(land);
  const bool is_buried = contains(earth, point);          // land itself has no inside
  const Distance gap = signed_distance({car, pose}, earth);

  EXPECT_TRUE(is_buried);
  EXPECT_THROW(contains(land, point), Error);
  EXPECT_LT(gap.upper, -5);
  EXPECT_FALSE(touches({car, pose}, land));
}

TEST(HeaderExamples, HeightFieldIsASurfaceOfTerrain) {
  const std::vector<double> altitudes = {0, 0, 0, 10, 10, 10};
  const std::size_t columns = 3, rows = 2;
  const Vector3 eye(45, 15, 100), gaze(0, 0, -1);
  const double x = 10, y = 15;
  const Shape car = Box{{4, 2, 1}};
  const Pose pose = at(15, 15, 5);
  std::vector<std::pair<Vector3, std::size_t>> seen;
  const auto use = [&](const Vector3& point, std::size_t triangle) { seen.emplace_back(point, triangle); };

  const HeightField land(altitudes, columns, rows, 30.0, 30.0);  // a grid point every 30 units
  if (auto hit = ray_height_field({eye, gaze}, land)) use(hit->point, hit->face->triangle);
  const std::optional<double> ground = land.height_at(x, y);
  const bool hit = touches({car, pose}, land);

  ASSERT_EQ(seen.size(), 1u);
  EXPECT_LT((seen[0].first - Vector3(45, 15, 5)).norm(), 1e-12);
  EXPECT_EQ(seen[0].second, 2u) << "on the diagonal of the second cell: the lower number";
  ASSERT_TRUE(ground.has_value());
  EXPECT_NEAR(*ground, 5, 1e-12);
  EXPECT_TRUE(hit);
  EXPECT_EQ(land.vertex(2, 1), Vector3(60, 30, 10));
}

// --- meshes ----------------------------------------------------------------------------------------------------------

TEST(HeaderExamples, MeshDataIsVerticesAndTriangles) {
  MeshData square;
  square.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  square.triangles = {{0, 1, 2}, {0, 2, 3}};
  const Mesh mesh(square);

  struct Corner { float position[3], normal[3]; };  // a vertex buffer, as renderers have it
  const std::vector<Corner> corners = {{{0, 0, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 0, 1}}, {{0, 1, 0}, {0, 0, 1}}};
  const std::vector<std::uint16_t> indices = {0, 1, 2};
  const Mesh part(mesh_data({corners[0].position, corners.size(), sizeof(Corner)}, indices));

  EXPECT_EQ(mesh.area(), 1);
  EXPECT_EQ(part.area(), 0.5);
  EXPECT_EQ(part.triangle(0).b, Vector3(1, 0, 0));
}

TEST(HeaderExamples, MeshIsSolidAndMoves) {
  const MeshData data = make::box();
  const Pose pose = at(2.4, 0, 0);
  std::vector<Vector3> new_vertices = data.vertices;
  for (Vector3& v : new_vertices) v.x() *= 2;

  const Mesh part = Mesh(data).solid();        // data is a MeshData; solid() needs a closed surface
  const bool hit = touches({part, pose}, Sphere{.radius = 2});
  const Mesh bent = part.moved(new_vertices);  // the same triangles; the tree is refitted, not rebuilt

  EXPECT_TRUE(hit);
  EXPECT_NEAR(bent.volume(), 2, 1e-12);
  EXPECT_TRUE(std::ranges::equal(bent.triangles(), part.triangles()));
  EXPECT_EQ(bent.tree_report().nodes, part.tree_report().nodes);
  EXPECT_THROW(Mesh(triangle_over_triangle(1)).solid(), Error);
}

TEST(HeaderExamples, MeshTreeReportsItsQuality) {
  const MeshData data = make::icosphere();

  const Mesh part(data, TreeOptions{.split = Split::morton, .threads = 4});  // quick to build
  const TreeReport report = part.tree_report();
  std::printf("%zu nodes, surface cost %g\n", report.nodes, report.surface_cost);

  EXPECT_EQ(report.triangles, data.triangles.size());
  EXPECT_GT(report.nodes, 1u);
  EXPECT_GT(report.surface_cost, 1);
}

TEST(HeaderExamples, MeshQueriesOfPointsAndRays) {
  const Shape part = Mesh(make::box()), solid = Mesh(make::box()).solid(), scan = part;
  const Pose pose = at(0, 0, 0);
  const Vector3 eye(-2, 0.1, 0.2), target(2, 0.1, 0.2), origin(0.1, 0.2, 5), up(0, 0, 1), probe(0.1, 0.2, 0.4);
  const std::vector<Vector3> probes = {probe, {0.1, 0.2, 2.5}};
  std::vector<SurfaceHit> hits;
  std::vector<Distance> answers(probes.size());

  bool blocked = ray_hits({eye, target - eye}, {part, pose}, segment_range());
  cast_ray_all({origin, up}, {part, pose}, line_range(), hits);  // every crossing, in order
  Distance foot = closest_point({part, pose}, probe);            // foot.point_a, foot.feature_a.id
  bool in = contains({solid, pose}, probe);
  Distance s = signed_distance({solid, pose}, probe);            // negative inside
  signed_distance({solid, pose}, probes, answers);               // many points, on all cores
  WindingNumber w = winding_number({scan, pose}, probe);         // any mesh, even with holes
  std::vector<Polyline> cut = section({part, pose}, Plane{.normal = {0, 0, 1}, .offset = 0.25});  // curves

  EXPECT_TRUE(blocked);
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_NEAR(hits[0].hit.t, -5.5, 1e-12);
  EXPECT_NEAR(hits[1].hit.t, -4.5, 1e-12);
  EXPECT_LT((foot.point_a - Vector3(0.1, 0.2, 0.5)).norm(), 1e-12);
  EXPECT_EQ(foot.feature_a.kind, FeatureKind::triangle);
  EXPECT_EQ(foot.feature_a.id, hits[1].feature.id);
  EXPECT_TRUE(in);
  EXPECT_NEAR(s.value(), -0.1, 1e-12);
  EXPECT_EQ(answers[0].value(), s.value());
  EXPECT_NEAR(answers[1].value(), 2, 1e-12);
  EXPECT_NEAR(w.value(), 1, 0.01);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_TRUE(cut[0].closed);
}

TEST(HeaderExamples, MeshesAreReadAndWritten) {
  const EmptyFolder folder;
  write_mesh("part.stl", make::gear());
  write_mesh("scan.ply", make::icosphere({.subdivisions = 1}), {.binary = true});

  const Mesh part = load_mesh("part.stl").solid();    // a shape
  ReadReport report;
  const MeshData data = read_mesh("scan.ply", &report);
  write_mesh("scan.stl", data, {.binary = true});
  save_shape(part, "part.whisker");                   // loads again without building the tree
  const Shape again = load_shape("part.whisker");     // the same shape, the same answers

  EXPECT_EQ(report.format, MeshFormat::ply);
  EXPECT_TRUE(report.binary);
  EXPECT_EQ(read_mesh("scan.stl").triangles.size(), data.triangles.size());
  const Mesh& loaded = *again.as<Mesh>();
  EXPECT_TRUE(loaded.is_solid());
  EXPECT_TRUE(std::ranges::equal(loaded.vertices(), part.vertices()));
  EXPECT_EQ(loaded.tree_report().nodes, part.tree_report().nodes);
}

TEST(HeaderExamples, SceneHasParts) {
  const EmptyFolder folder;
  std::ofstream("assembly.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\no plate\nf 1 2 3\no fin\nf 1 2 4\n";
  World world;

  const Scene scene = load_scene("assembly.obj");
  for (const ScenePart& part : scene.parts)
    world.add(Mesh(part.mesh), part.pose);
  for (const std::string& note : scene.notes) std::puts(note.c_str());     // what was left out or changed

  ASSERT_EQ(scene.parts.size(), 2u);
  EXPECT_EQ(scene.parts[0].name, "plate");
  EXPECT_EQ(scene.parts[1].name, "fin");
  EXPECT_EQ(world.size(), 2u);
  EXPECT_FALSE(scene.notes.empty()) << "the normal was left out";
}

// --- queries ---------------------------------------------------------------------------------------------------------

TEST(HeaderExamples, QueriesOfABoxAndARod) {
  std::vector<Vector3> used;
  const auto use = [&](const Vector3& point, const Vector3& normal) { used = {point, normal}; };

  const Shape box = Box{.size = {2, 2, 2}}, rod = Capsule{.radius = 0.25, .length = 4};
  const Pose pose(Vector3(2, 0, 0));
  const bool hit = touches(box, {rod, pose});               // a shape alone is in its own frame
  const Distance gap = distance(box, {rod, pose});          // gap.lower <= true distance <= gap.upper
  const Depth overlap = depth(box, {rod, pose});            // the rod moved by normal * upper is free
  const Distance both = signed_distance(box, {rod, pose});  // positive apart, negative overlapping
  if (const auto first = cast_ray({{5, 0, 0}, {-1, 0, 0}}, {rod, pose})) use(first->point, first->normal);

  EXPECT_FALSE(hit);
  EXPECT_LE(gap.lower, 0.75);
  EXPECT_GE(gap.upper, 0.75);
  EXPECT_NEAR(gap.value(), 0.75, 1e-12);
  EXPECT_EQ(overlap.upper, 0) << "it is free already";
  EXPECT_EQ(both.value(), gap.value());
  ASSERT_EQ(used.size(), 2u);
  EXPECT_LT((used[0] - Vector3(2.25, 0, 0)).norm(), 1e-12);
  EXPECT_LT((used[1] - Vector3(1, 0, 0)).norm(), 1e-12);

  // A rod that does overlap: 0.25 deep, and free after the translation.
  const Depth deep = depth(box, {rod, at(1, 0, 0)});
  EXPECT_NEAR(deep.upper, 0.25, 1e-12);
  const Vector3 moved = Vector3(1, 0, 0) + deep.normal * deep.upper;
  EXPECT_LT(depth(box, {rod, Pose(moved)}).upper, 1e-12);
}

TEST(HeaderExamples, BatchesAnswerManyPosesAndManyPairs) {
  const Shape part = Box{{2, 2, 2}}, tool = Sphere{1}, jig = Sphere{0.25};
  const Pose pose_a = at(0, 0, 0), pose_b = at(1.5, 0, 0), pose_c = at(1.5, 0, 0);
  const std::vector<Pose> poses = {at(3, 0, 0), at(1, 0, 0)};
  Counted stop_before;

  std::vector<Distance> answers(poses.size());
  distance({part, pose_a}, tool, poses, answers);         // the tool in many poses
  signed_distance({part, pose_a}, tool, poses, answers);  // negative where the two overlap

  const std::vector<ShapePair> pairs = {{&part, &tool, pose_a, pose_b}, {&part, &jig, pose_a, pose_c}};
  const auto touching = std::make_unique<bool[]>(pairs.size());
  touches(pairs, std::span(touching.get(), pairs.size()));

  if (const auto hit = first_touching_pose({part, pose_a}, tool, poses)) stop_before(*hit);  // blocked

  EXPECT_EQ(stop_before.calls, 1);
  EXPECT_NEAR(answers[0].value(), 1, 1e-12);
  EXPECT_NEAR(answers[1].value(), -1, 1e-12);
  EXPECT_TRUE(touching[0]);
  EXPECT_FALSE(touching[1]);
}

TEST(HeaderExamples, PairCacheChangesNoAnswer) {
  const Shape part = Mesh(make::icosphere({.radius = 1})), room = Box{{1, 1, 1}};
  const std::vector<Pose> path = {at(4, 0, 0), at(2, 0, 0), at(3, 0, 0)};
  double nearest = std::numeric_limits<double>::infinity();

  PairCache cache;  // one per pair
  for (const Pose& pose : path)
    nearest = std::min(nearest, distance({part, pose}, room, {.cache = &cache}).lower);

  EXPECT_EQ(nearest, distance({part, path[1]}, room).lower);
  EXPECT_NEAR(nearest, 0.5, 0.01);
}

TEST(HeaderExamples, ResultOfABudgetHasWiderBounds) {
  const Shape ball = Mesh(make::icosphere({.radius = 1, .subdivisions = 4}));
  const Pose beside = at(1, 2, 3);
  const Shape& a = ball;
  const Placed b = {ball, beside};

  const Distance gap = distance(a, b, {.tolerance = 0.01, .budget = 20});
  const bool cut_short = gap.stop == Stop::budget;  // if true, the bounds hold, but are more than 0.01 apart
  Cost total;
  total += gap.cost;

  EXPECT_TRUE(cut_short);
  EXPECT_GT(gap.upper - gap.lower, 0.01);
  const Distance exact = distance(a, b);
  EXPECT_LE(gap.lower, exact.upper);
  EXPECT_GE(gap.upper, exact.lower);
  EXPECT_EQ(total, gap.cost);
  EXPECT_GT(total.volume_tests, 0u);
}

TEST(HeaderExamples, RaysMeetPrimitives) {
  const Vector3 eye(-5, 0, 0), gaze(1, 0, 0), center(4, 0, 0), target(5, 0, 0);
  const Triangle triangle{{1, -1, -1}, {1, 1, -1}, {1, 0, 1}};
  std::vector<Vector3> hits;
  std::vector<double> times;
  struct {
    std::vector<Vector3>& hits;
    std::vector<double>& times;
    void operator()(const Vector3& point, const Vector3&) { hits.push_back(point); }
    void operator()(double enter, double exit) { times = {enter, exit}; }
  } use{hits, times};

  if (auto hit = ray_sphere({eye, gaze}, Sphere{2.0}, Pose(center))) use(hit->point, hit->normal);
  const bool blocked = ray_triangle(ray_between(eye, target), triangle, {}, segment_range()).has_value();
  if (auto crossing = line_box({eye, gaze}, Box{{1, 1, 1}})) use(crossing->enter, crossing->exit);

  ASSERT_EQ(hits.size(), 1u);
  EXPECT_LT((hits[0] - Vector3(2, 0, 0)).norm(), 1e-12);
  EXPECT_TRUE(blocked);
  EXPECT_EQ(times, (std::vector<double>{4.5, 5.5}));
}

TEST(HeaderExamples, ContactManifoldHasTheCornersOfAFace) {
  const Shape box = Box{{1, 1, 1}}, table = HalfSpace{};
  const Pose pose = at(0, 0, 0.495);
  std::set<std::uint64_t> ids;
  const auto add_contact = [&](std::uint64_t id, const Vector3& point, const Vector3& normal, double gap) {
    ids.insert(id);
    EXPECT_NEAR(std::abs(point.x()), 0.5, 1e-12);
    EXPECT_NEAR(std::abs(point.y()), 0.5, 1e-12);
    EXPECT_NEAR(normal.z(), -1, 1e-12);
    EXPECT_NEAR(gap, -0.005, 1e-12);
  };

  PairCache cache;  // one per pair, kept from frame to frame
  const ContactManifold manifold = contact_manifold({box, pose}, table, {.margin = 0.01, .cache = &cache});
  for (const ManifoldPoint& point : manifold.points())
    add_contact(point.id, point.point_a, manifold.normal, point.gap);

  EXPECT_EQ(ids.size(), 4u);

  const Shape crate = box, terrain = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 1e-3, .subdivisions = 5}));

  ManifoldMemory memory;  // one per pair: points that stay where they are keep their ids
  std::vector<ContactManifold> places;
  contact_manifolds({crate, pose}, terrain, {.margin = 0.01, .memory = &memory}, places);

  EXPECT_EQ(places.size(), 1u);
}

TEST(HeaderExamples, SimdTargetsAreAllSelectable) {
  std::vector<std::string> measured;
  const auto measure = [&](const std::string& target) { measured.push_back(target); };

  for (const std::string& target : simd_targets()) {
    use_simd_target(target);
    measure(target);
  }
  use_simd_target("");                     // back to the best one

  EXPECT_FALSE(measured.empty());
  for (const std::string& target : measured) EXPECT_TRUE(use_simd_target(target)) << target;
  EXPECT_TRUE(use_simd_target(""));
}

TEST(HeaderExamples, WarmingUpComesBeforeTheFirstQuery) {
  const Shape tool = Sphere{0.5}, part = Box{{1, 1, 1}};
  const Pose pose(Vector3(2, 0, 0));

  warm_up();
  const Distance gap = distance(tool, {part, pose});       // as fast as any later one

  EXPECT_EQ(gap.value(), 1);
}

TEST(HeaderExamples, WhiskerIncludesTheCore) {
  #include <whisker/whisker.hpp>

  const whisker::Shape ball = whisker::Sphere{0.5}, crate = whisker::Box{{1, 1, 1}};
  const double gap = whisker::distance(ball, {crate, whisker::Pose(whisker::Vector3(2, 0, 0))}).value();

  EXPECT_NEAR(gap, 1, 1e-12);
}

// --- motion ----------------------------------------------------------------------------------------------------------

TEST(HeaderExamples, MotionsLeadFromPoseToPose) {
  const Pose start = at(-3, 0, 0), goal = at(3, 0, 0);
  const Shape part = Sphere{1}, wall = Box{{2, 2, 2}};

  const Motion slide = Straight{start, {2, 0, 0}};               // 2 units along x, without rotation
  const Motion swing = screw(start, goal);                       // from one pose to another
  const Pose halfway = pose_at(swing, 0.5);
  const Aabb room = swept_bounds(part, swing);                   // holds the part at all times from 0 to 1
  const MotionImpact hit = first_contact({part, swing}, {wall, Still{}});

  EXPECT_LT((pose_at(slide, 1).translation() - Vector3(-1, 0, 0)).norm(), 1e-12);
  EXPECT_EQ(pose_at(slide, 1).rotation(), start.rotation());
  EXPECT_LT(halfway.translation().norm(), 1e-12);
  EXPECT_TRUE(room.contains({-4, 0, 0}) && room.contains({4, 0, 0}));
  EXPECT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_NEAR(hit.time, 1.0 / 6, 1e-9);
}

TEST(HeaderExamples, FirstContactStopsAStone) {
  const Shape stone = Sphere{1}, wall = Box{{2, 2, 2}};
  const Pose pose_a = at(-5, 0, 0), pose_b = at(0, 0, 0);
  const Vector3 by(10, 0, 0);
  double stopped = 0;
  const auto stop_at = [&](double time, const Vector3& point, const Vector3& normal) {
    stopped = time;
    EXPECT_LT((point - Vector3(-1, 0, 0)).norm(), 1e-9);
    EXPECT_LT((normal - Vector3(1, 0, 0)).norm(), 1e-9);
  };

  const MotionImpact hit = first_contact({stone, Straight{pose_a, by}}, {wall, Still{pose_b}});
  if (hit.status == ImpactStatus::touch) stop_at(hit.time_lower, hit.point, hit.normal);
  const bool ever = touches_during({stone, Straight{pose_a, by}}, {wall, Still{pose_b}});

  EXPECT_NEAR(stopped, 0.3, 1e-9);
  EXPECT_TRUE(ever);
}

// --- meshes that deform ----------------------------------------------------------------------------------------------

TEST(HeaderExamples, DeformingMeshMeetsABallAndItself) {
  // A square of two triangles with a third one above it, which falls through the square. Then all three fall through
  // the ball.
  const auto positions_at = [](double square, double tip) -> std::vector<Vector3> {
    return {{0, 0, square}, {1, 0, square}, {1, 1, square}, {0, 1, square},
            {0.5, 0.25, tip}, {1, 0.25, tip + 1}, {0.5, 0.75, tip + 1}};
  };
  const MeshData data = {positions_at(0, 1), {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}}};
  MeshData other = make::icosphere({.radius = 0.1, .subdivisions = 1});
  for (Vector3& v : other.vertices) v += Vector3(0.8, 0.3, -1);
  const std::vector<std::vector<Vector3>> frames = {positions_at(0, 0.5), positions_at(0, -0.25),
                                                    positions_at(-2, -2.25)};
  const Shape table = HalfSpace{};
  const Pose pose = at(0, 0, -0.9);
  const std::vector<Index2> edges = {{0, 2}};
  std::set<FeatureHitKind> kinds;
  const auto respond = [&](const FeatureHit& hit) { kinds.insert(hit.kind); };

  DeformingMesh cloth(data), ball(other);
  for (const std::vector<Vector3>& positions : frames) {
    cloth.set_vertices(positions);  // the step goes from the previous positions to these
    for (const FeatureHit& hit : first_contacts(cloth, ball).hits) respond(hit);
    for (const FeatureHit& hit : first_contacts(cloth).hits) respond(hit);  // the cloth with itself
    const bool on_table = touches(cloth.snapshot(), {table, pose});         // at the end of the step
  }
  cloth.edit(cut_along(cloth, edges));  // opens the cloth along these edges

  EXPECT_TRUE(kinds.contains(FeatureHitKind::face_vertex)) << "the face of the cloth meets a vertex of the ball";
  EXPECT_TRUE(kinds.contains(FeatureHitKind::vertex_face)) << "a vertex of the cloth passes through its other triangle";
  EXPECT_TRUE(std::ranges::equal(cloth.start().first(7), frames[1]));
  EXPECT_TRUE(std::ranges::equal(cloth.end().first(7), frames[2]));
  EXPECT_TRUE(touches(cloth.snapshot(), {table, pose}));
  EXPECT_EQ(cloth.end().size(), 9u) << "the two triangles of the square no longer share vertices";
}

TEST(HeaderExamples, NearFeaturesPushEachOtherApart) {
  DeformingMesh cloth(triangle_over_triangle(1));
  const std::vector<std::vector<Vector3>> frames = {triangle_over_triangle(0.5).vertices,
                                                    triangle_over_triangle(0.0005).vertices};
  const double stiffness = 2;
  Vector3 below = Vector3::Zero(), above = Vector3::Zero();
  const auto add_force = [&](std::uint32_t vertex, const Vector3& force) { (vertex < 3 ? below : above) += force; };

  NearFeatures near;                        // keeps its memory from call to call
  for (const std::vector<Vector3>& positions : frames) {
    cloth.set_vertices(positions);
    near_features(cloth, 0.001, {}, near);  // the cloth with itself; with a ball: (cloth, ball, 0.001, {}, near)
    for (const NearPair& pair : near.pairs) {
      const std::array<Vector3, 4> gradient = distance_gradient(pair);
      for (std::size_t i = 0; i < 4; ++i)
        add_force(pair.vertices[i], stiffness * (0.001 - pair.distance) * gradient[i]);
    }
  }

  EXPECT_EQ(near.pairs.size(), 1u);
  EXPECT_LT((above - Vector3(0, 0, 0.001)).norm(), 1e-12);
  EXPECT_LT((above + below).norm(), 1e-12);
  near_features(cloth, DeformingMesh(make::box()), 0.001, {}, near);
  EXPECT_FALSE(near.pairs.empty()) << "the call for two meshes that the comment names";
}

TEST(HeaderExamples, SelfContactsAreFoundInEveryFrame) {
  const MeshData data = triangle_over_triangle(1);
  const std::vector<std::vector<Vector3>> frames = {triangle_over_triangle(0.5).vertices,
                                                    triangle_over_triangle(-0.25).vertices};
  std::vector<TrianglePair> apart;
  const auto push_apart = [&](std::uint32_t a, std::uint32_t b) { apart.push_back({a, b}); };

  DeformingMesh cloth(data);
  SelfContacts found;  // its memory is reused
  for (const std::vector<Vector3>& positions : frames) {
    cloth.set_vertices(positions);
    self_contacts(cloth, found);
    for (const TrianglePair& pair : found.pairs) push_apart(pair.a, pair.b);
  }

  EXPECT_EQ(apart, (std::vector<TrianglePair>{{0, 1}}));
}

TEST(HeaderExamples, MeshesContactsNameTheMeshes) {
  const DeformingMesh cloth(triangle_over_triangle(1)), ball(make::icosphere({.radius = 0.5, .subdivisions = 1}));
  std::vector<MeshTrianglePair> apart;
  const auto push_apart = [&](std::uint32_t mesh_a, std::uint32_t a, std::uint32_t mesh_b, std::uint32_t b) {
    apart.push_back({mesh_a, a, mesh_b, b});
  };

  const std::array<const DeformingMesh*, 2> meshes = {&cloth, &ball};
  const MeshesContacts found = triangle_contacts(meshes);  // self_contacts.hpp
  for (const MeshTrianglePair& pair : found.pairs)
    push_apart(pair.mesh_a, pair.triangle_a, pair.mesh_b, pair.triangle_b);

  EXPECT_FALSE(apart.empty());
  for (const MeshTrianglePair& pair : apart) {
    EXPECT_EQ(pair.mesh_a, 0u);
    EXPECT_EQ(pair.triangle_a, 0u) << "the upper triangle is above the ball";
    EXPECT_EQ(pair.mesh_b, 1u);
  }
}

// --- many bodies -----------------------------------------------------------------------------------------------------

TEST(HeaderExamples, WorldFindsWhatTouches) {
  const Shape hull = ConvexHull(make::box().vertices);
  const Pose pose = at(0, 0, 3);
  const std::vector<Pose> path = {at(0, 0, 2), at(0, 0, 0.25), at(0, 0, 1)};
  std::vector<WorldPair> apart;
  const auto push_apart = [&](BodyId a, BodyId b) { apart.push_back({a, b}); };

  World world;
  const BodyId stone = world.add(hull, pose);
  world.add(HalfSpace{}, {}, {.is_static = true});
  for (const Pose& next : path) {
    world.move(stone, next);
    world.update();  // finds the pairs that touch
    for (const WorldPair& pair : world.touching()) push_apart(pair.a, pair.b);
  }

  ASSERT_EQ(apart.size(), 1u);
  EXPECT_EQ(apart[0].a, stone);
}

#pragma GCC diagnostic pop
// clang-format on

// --- that no example is left out -------------------------------------------------------------------------------------

/// The examples in the file comment of a header. An example is a run of lines that begin with `///` and five spaces, or
/// are empty, and follows an empty line. After other text, such lines continue an item of a list.
std::vector<DocBlock> examples_of(const std::vector<std::string>& header) {
  constexpr std::string_view mark = "///     ";
  std::vector<DocBlock> examples;
  auto line = std::find(header.begin(), header.end(), "/// \\file");
  const auto end = std::find_if(line, header.end(), [](const std::string& text) { return !text.starts_with("///"); });
  for (bool is_after_empty = false; line != end; is_after_empty = *line++ == "///") {
    if (!is_after_empty || !line->starts_with(mark)) continue;
    DocBlock example{static_cast<std::size_t>(line - header.begin()) + 1, {}};
    for (; line != end && (line->starts_with(mark) || *line == "///"); ++line)
      example.lines.push_back(line->substr(std::min(line->size(), mark.size())));
    while (example.lines.back().empty())
      example.lines.pop_back();
    examples.push_back(std::move(example));
    --line;
  }
  return examples;
}

TEST(HeaderExamples, AreTheIndentedLinesOfTheFileComment) {
  const std::vector<std::string> header = {"#pragma once",
                                           "",
                                           "/// \\file",
                                           "/// A box.",
                                           "///",
                                           "///     Box box;",
                                           "///",
                                           "///     if (box.empty())",
                                           "///       fill(box);",
                                           "///",
                                           "/// Rules:",
                                           "///  1. A rule that needs",
                                           "///     two lines.",
                                           "///",
                                           "///     use(box);",
                                           "",
                                           "/// A class.",
                                           "///",
                                           "///     not_of_the_file();"};
  const std::vector<DocBlock> examples = examples_of(header);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].line, 6u);
  EXPECT_EQ(examples[0].lines, (std::vector<std::string>{"Box box;", "", "if (box.empty())", "  fill(box);"}));
  EXPECT_EQ(examples[1].line, 15u);
  EXPECT_EQ(examples[1].lines, (std::vector<std::string>{"use(box);"}));
  EXPECT_TRUE(examples_of({"#pragma once", "", "/// \\file", "/// No example."}).empty());
  EXPECT_TRUE(examples_of({"#pragma once"}).empty());
}

TEST(HeaderExamples, AreAllCompiled) {
  namespace files = std::filesystem;
  const files::path root = WHISKER_SOURCE_DIR, headers = root / "include/whisker";
  // Headers that need no example.
  const std::set<files::path> plain = {"error.hpp", "vector.hpp", "whisker.hpp", "methods/methods.hpp"};

  std::vector<std::vector<std::string>> sources;
  for (const auto& entry : files::directory_iterator(root / "tests/project"))
    if (entry.path().filename().string().find("header_example") != std::string::npos)
      sources.push_back(lines_of(entry.path()));

  std::size_t count = 0;
  for (const auto& entry : files::recursive_directory_iterator(headers)) {
    const files::path name = entry.path().lexically_relative(headers);
    if (entry.is_directory() || name.parent_path() == "detail") continue;
    const std::vector<DocBlock> examples = examples_of(lines_of(entry.path()));
    EXPECT_TRUE(!examples.empty() || plain.contains(name)) << name.string() << ": the file comment has no example";
    for (const DocBlock& example : examples) {
      ++count;
      EXPECT_TRUE(std::any_of(sources.begin(), sources.end(),
                              [&](const std::vector<std::string>& source) { return stands_in(source, example.lines); }))
          << name.string() << ':' << example.line << ": this example, which begins with\n  " << example.lines.front()
          << "\nstands in none of the files tests/project/*header_example*";
    }
  }
  EXPECT_GE(count, 69u);
}

}  // namespace
}  // namespace whisker
