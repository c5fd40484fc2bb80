// Every C++ block of README.md and docs/*.md is compiled: it stands word for word in this file, in a test that declares
// what the block uses and checks what it says, or in a program under examples/. The last tests read the pages and fail
// if a block stands in neither. After a change of a page, change the block here, and the other way round.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/methods/methods.hpp>
#include <whisker/robot/urdf.hpp>
#include <whisker/whisker.hpp>

#include "support/doc_examples.hpp"

namespace wk = whisker;

namespace {

using wk::test::at;
using wk::test::Counted;
using wk::test::DocBlock;
using wk::test::EmptyFolder;
using wk::test::lines_of;
using wk::test::stands_in;
using wk::test::triangle_over_triangle;

// The blocks are laid out as in the pages, and may show a variable that they do not use.
// clang-format off
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

// --- docs/guide.md ---------------------------------------------------------------------------------------------------

TEST(GuideBlocks, SignedDistanceAndContactsWithAMargin) {
  const wk::Shape part = wk::Box{{2, 2, 2}}, tool = wk::Sphere{1};
  const wk::Pose pose_a = at(0, 0, 0), pose_b = at(1.5, 0, 0);
  wk::Vector3 pushed = wk::Vector3::Zero();
  const auto push_out = [&](const wk::Vector3& by) { pushed = by; };
  double gap = 1;
  const auto add_constraint = [&](const wk::Segment&, const wk::Vector3&, double found) { gap = found; };

wk::Distance s = wk::signed_distance({part, pose_a}, {tool, pose_b});   // s.lower, s.upper, s.normal, s.point_a…
if (s.upper < 0) push_out(s.normal * -s.lower);                         // the tool moved by this is free

wk::Contacts near = wk::contacts({part, pose_a}, {tool, pose_b}, {.normals = true, .margin = 0.01});
for (const wk::Contact& c : near.pairs) add_constraint(c.segment, c.normal, c.gap);

  EXPECT_NEAR(s.value(), -0.5, 1e-12);
  EXPECT_LT((pushed - wk::Vector3(0.5, 0, 0)).norm(), 1e-12);
  EXPECT_NEAR(gap, -0.5, 1e-12);
}

TEST(GuideBlocks, FeaturesOfADistance) {
  const wk::ConvexHull hull(std::vector<wk::Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const wk::Shape crate = wk::Box{{2, 2, 2}};
  const wk::Pose pose_a = at(0, 0, 0), pose_b = at(0.25, 0.25, -2);
  std::vector<std::uint32_t> shown;
  const auto highlight = [&](std::span<const std::uint32_t> corners) { shown.assign(corners.begin(), corners.end()); };

wk::Distance d = wk::distance({hull, pose_a}, {crate, pose_b}, {.features = true});
if (d.feature_a.kind == wk::FeatureKind::face) highlight(hull.face(d.feature_a.id));

  EXPECT_EQ(shown, (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(GuideBlocks, Questions) {
  const wk::Shape part = wk::Box{{2, 2, 2}}, tool = wk::Sphere{1};
  const wk::Pose pose_a = at(0, 0, 0), pose_b = at(1.5, 0, 0);
  const wk::Vector3 origin(-5, 0, 0), direction(1, 0, 0);

  bool         hit = wk::touches({part, pose_a}, {tool, pose_b});
  wk::Distance d   = wk::distance({part, pose_a}, {tool, pose_b});
  wk::Depth    p   = wk::depth({part, pose_a}, {tool, pose_b});
  auto         ray = wk::cast_ray({origin, direction}, {part, pose_a});   // std::optional<wk::RayHit>

  EXPECT_TRUE(hit);
  EXPECT_EQ(d.upper, 0);
  EXPECT_LE(p.lower, 0.5);
  EXPECT_GE(p.upper, 0.5);
  EXPECT_NEAR(p.value(), 0.5, 1e-12);
  ASSERT_TRUE(ray.has_value());
  EXPECT_NEAR(ray->t, 4, 1e-12);
}

TEST(GuideBlocks, GroundBelowAHeightField) {
  std::vector<double> altitudes(20 * 20, 1.5);
  wk::HeightField land(altitudes, 20, 20, 0.5, 0.5);                        // flat, 9.5 by 9.5
  wk::Shape earth = wk::ground(land), ball = wk::Sphere{0.5};
  wk::Pose  buried(Eigen::Vector3d(4, 4, 0));
  bool thin = wk::touches(land, {ball, buried});                            // false: it is below the surface
  bool deep = wk::touches(earth, {ball, buried});                           // true
  wk::Distance s = wk::signed_distance(earth, {ball, buried});              // -2, straight up

  EXPECT_FALSE(thin);
  EXPECT_TRUE(deep);
  EXPECT_NEAR(s.value(), -2, 1e-9);
  EXPECT_NEAR(s.normal.z(), 1, 1e-9);
}

TEST(GuideBlocks, RoundedShapes) {
  wk::Shape block = wk::rounded(wk::Box{{2, 1, 1}}, 0.25);                  // 2.5 by 1.5 by 1.5, edges rounded
  wk::Shape skin  = wk::rounded(wk::Mesh(wk::make::torus()).solid(), 0.05);
  bool      close = wk::touches({block, wk::Pose(Eigen::Vector3d(4, 0, 0))}, skin);

  EXPECT_FALSE(close);
  EXPECT_LT((block.bounds().upper - wk::Vector3(1.25, 0.75, 0.75)).norm(), 1e-12);
  const double apart = wk::distance({wk::Box{{2, 1, 1}}, wk::Pose(Eigen::Vector3d(4, 0, 0))}, wk::Mesh(wk::make::torus())).value();
  EXPECT_NEAR(wk::distance({block, wk::Pose(Eigen::Vector3d(4, 0, 0))}, skin).value(), apart - 0.3, 1e-9);
}

TEST(GuideBlocks, PointsOfADepth) {
  wk::Shape table = wk::Box{{2, 2, 0.1}}, egg = wk::Ellipsoid{{0.3, 0.2, 0.1}};
  wk::Depth p = wk::depth({table, wk::Pose(Eigen::Vector3d(0, 0, -0.05))},
                          {egg, wk::Pose(Eigen::Vector3d(0.3, -0.2, 0.099))});
  // p.upper is 0.001, p.point_a (0.3, -0.2, 0), p.point_b (0.3, -0.2, -0.001), p.normal up

  EXPECT_NEAR(p.upper, 0.001, 1e-8);
  EXPECT_LT((p.point_a - wk::Vector3(0.3, -0.2, 0)).norm(), 1e-3);
  EXPECT_LT((p.point_b - wk::Vector3(0.3, -0.2, -0.001)).norm(), 1e-3);
  EXPECT_GT(p.normal.z(), 0.999);
}

TEST(GuideBlocks, MassProperties) {
  const wk::Shape shape = wk::Box{{1, 2, 3}};

  wk::MassProperties body = wk::mass_properties(shape).with_density(7850);   // or .with_mass(2.5)
  wk::Matrix3 tensor = wk::middle(body.inertia());                           // about wk::middle(body.center)
  wk::PrincipalAxes axes = wk::principal_axes(body);                         // axes.moments, axes.pose

  EXPECT_EQ(wk::middle(body.mass), 47100);
  EXPECT_EQ(wk::middle(body.center), wk::Vector3(0, 0, 0));
  EXPECT_NEAR(tensor(0, 0), 47100 * 13.0 / 12, 1e-9);
  EXPECT_NEAR(wk::middle(axes.moments.x), 47100 * 5.0 / 12, 1e-9);
  EXPECT_EQ(axes.pose.rotation().col(0), wk::Vector3(0, 0, 1));
}

TEST(GuideBlocks, PairsThatMove) {
  const wk::Shape stone = wk::Ellipsoid{{1, 1, 1}}, crate = wk::Box{{2, 2, 2}};
  const wk::Pose pose_a = at(0, 0, 0), pose_b = at(0, 0, 1.75);
  const wk::Vector3 up(0, 0, 1);

  wk::PairCache cache;
  wk::Distance d = wk::distance({stone, pose_a}, {crate, pose_b}, {.cache = &cache});
  wk::Depth    p = wk::depth({stone, pose_a}, {crate, pose_b}, {.cache = &cache, .hint = up});   // upward, if not much longer

  EXPECT_EQ(d.lower, 0);
  EXPECT_GE(p.upper, 0.25 - 1e-12);
  EXPECT_LE(p.upper, 0.25 * 1.11) << "as DepthOptions::hint_slack allows";
  EXPECT_GT(p.normal.z(), 0.9);
}

TEST(GuideBlocks, FirstContact) {
  const wk::Shape stone = wk::Sphere{1}, crate = wk::Box{{2, 2, 2}};
  const wk::Shape link = wk::Capsule{.radius = 0.1, .length = 1}, cabinet = crate;
  const wk::Pose pose_a = at(-5, 0, 0), pose_a2 = at(5, 0, 0), pose_b = at(0, 0, 0);
  const wk::Vector3 by(10, 0, 0);

  wk::MotionImpact hit = wk::first_contact({stone, wk::Straight{pose_a, by}}, {crate, wk::Still{pose_b}});
  wk::MotionImpact arm = wk::first_contact({link, wk::screw(pose_a, pose_a2)}, {cabinet, wk::Still{pose_b}});

  EXPECT_EQ(hit.status, wk::ImpactStatus::touch);
  EXPECT_NEAR(hit.time, 0.3, 1e-9);
  EXPECT_EQ(arm.status, wk::ImpactStatus::touch);
  EXPECT_NEAR(arm.time, 0.39, 1e-6);
}

TEST(GuideBlocks, WindingNumbers) {
  const wk::Shape scan = wk::Mesh(wk::make::icosphere({.radius = 1, .subdivisions = 2}));
  const wk::Pose pose = at(0, 0, 0);
  const wk::Vector3 probe(0.1, 0, 0);
  const std::vector<wk::Vector3> probes = {{0.1, 0, 0}, {3, 0, 0}};
  std::vector<wk::WindingNumber> answers(probes.size());

  wk::WindingNumber w = wk::winding_number({scan, pose}, probe);    // w.lower and w.upper, at most 0.01 apart
  bool inside = w.lower >= 0.75;                                    // very likely
  wk::winding_number({scan, pose}, probes, answers);                // span<wk::WindingNumber>
  w = wk::winding_number({scan, pose}, probe, {.tolerance = 0});    // as close as rounding allows

  EXPECT_TRUE(inside);
  EXPECT_LE(w.lower, 1);
  EXPECT_GE(w.upper, 1);
  EXPECT_LT(w.upper - w.lower, 1e-9);
  EXPECT_GT(answers[0].lower, 0.9);
  EXPECT_LT(answers[1].upper, 0.1);
}

TEST(GuideBlocks, ContactsAndCurves) {
  const wk::Shape part = wk::Mesh(wk::make::icosphere({.radius = 1, .subdivisions = 2}));
  const wk::Shape tool = wk::Mesh(wk::make::cylinder({.radius = 0.3, .length = 4}));
  const wk::Pose pose_a = at(0.01, 0.02, 0), pose_b = at(0, 0, 0);
  Counted mark, draw;

  wk::Contacts found = wk::contacts({part, pose_a}, {tool, pose_b});      // {.max_count = 10} stops early
  for (const wk::Contact& c : found.pairs) mark(c.a.id, c.b.id, c.segment);
  for (const wk::Polyline& curve : wk::polylines(found)) draw(curve.points, curve.closed);

  EXPECT_GT(mark.calls, 2);
  EXPECT_EQ(draw.calls, 2) << "the rod goes in and out";

  std::vector<wk::Polyline> cut = wk::section({part, pose_a}, wk::Plane{.normal = {0, 0, 1}, .offset = 0.25});
  std::vector<wk::Polyline> slant = wk::section({part, pose_a}, {wk::Plane{}, pose_b});   // the xy plane of a pose
  for (const wk::Polyline& curve : cut) draw(curve.points, curve.closed);

  EXPECT_EQ(draw.calls, 3);
  EXPECT_EQ(slant.size(), 1u);
}

TEST(GuideBlocks, Batches) {
  const wk::Shape part = wk::Box{{2, 2, 2}}, tool = wk::Sphere{1};
  const wk::Pose pose_a = at(0, 0, 0);
  const std::vector<wk::Pose> poses = {at(1, 0, 0), at(3, 0, 0)};
  const std::vector<wk::ShapePair> pairs = {{&part, &tool, pose_a, poses[0]}, {&part, &tool, pose_a, poses[1]}};
  std::array<bool, 2> answers = {};
  std::vector<wk::Distance> distances(poses.size());

  wk::touches({part, pose_a}, tool, poses, answers);          // span<bool>: the tool in many poses
  wk::distance({part, pose_a}, tool, poses, distances);       // span<wk::Distance>
  wk::closer_than(pairs, 0.01, answers);                      // span<const wk::ShapePair>

  EXPECT_TRUE(answers[0]);
  EXPECT_FALSE(answers[1]);
  EXPECT_EQ(distances[0].upper, 0);
  EXPECT_NEAR(distances[1].value(), 1, 1e-12);

  std::optional<std::size_t> hit = wk::first_touching_pose({part, pose_a}, tool, poses);   // the lowest pose that touches
  std::optional<std::size_t> clash = wk::first_touching_pair(pairs);

  EXPECT_EQ(hit, 0u);
  EXPECT_EQ(clash, 0u);
}

TEST(GuideBlocks, Threads) {
  const wk::Shape part = wk::Box{{2, 2, 2}}, tool = wk::Sphere{1};
  const wk::Pose pose_a = at(0, 0, 0);
  const std::vector<wk::Pose> poses = {at(1, 0, 0), at(3, 0, 0)};
  const wk::MeshData data = wk::make::box();
  std::array<bool, 2> answers = {};
  std::vector<wk::Distance> distances(poses.size());

  wk::touches({part, pose_a}, tool, poses, {.threads = 1}, answers);
  wk::distance({part, pose_a}, tool, poses, {.tolerance = 1e-3, .threads = 4}, distances);
  wk::Mesh mesh(data, {.threads = 1});
  wk::World world({.threads = 2});

  EXPECT_TRUE(answers[0]);
  EXPECT_FALSE(answers[1]);
  EXPECT_NEAR(distances[1].value(), 1, 1e-3);
  EXPECT_EQ(mesh.triangle_count(), 12u);
  EXPECT_EQ(world.size(), 0u);
}

TEST(GuideBlocks, TheFirstQuery) {
  wk::warm_up();

  EXPECT_TRUE(wk::touches(wk::Sphere{1}, wk::Sphere{1}));
}

TEST(GuideBlocks, ManyBodies) {
  const wk::Shape hull = wk::Box{{1, 1, 1}};
  const wk::Pose pose = at(0, 0, 0), next = at(0, 0, 1);
  Counted push_apart;

  wk::World world;
  wk::BodyId stone = world.add(hull, pose);
  world.move(stone, next);
  world.update();
  for (const wk::WorldPair& pair : world.touching()) push_apart(pair.a, pair.b);

  EXPECT_EQ(push_apart.calls, 0) << "it is alone";
  EXPECT_EQ(world.pose(stone).translation(), next.translation());
}

TEST(GuideBlocks, MeshesWhoseVerticesMove) {
  const wk::Mesh mesh(triangle_over_triangle(1));
  const std::vector<wk::Vector3> new_vertices = triangle_over_triangle(2).vertices;

  wk::Mesh now = mesh.moved(new_vertices);                    // the same triangles, elsewhere

  EXPECT_EQ(now.triangle_count(), mesh.triangle_count());
  EXPECT_EQ(now.vertices()[3].z(), 2);
  EXPECT_EQ(mesh.vertices()[3].z(), 1);
}

TEST(GuideBlocks, Files) {
  const EmptyFolder folder;
  wk::write_mesh("gear.stl", wk::make::gear());
  wk::write_mesh("part.obj", wk::make::box());

  wk::Shape part = wk::load_mesh("gear.stl").solid();
  wk::ReadReport report;
  wk::MeshData data = wk::read_mesh("part.obj", &report);     // the report says what was in the file, and what was done
  wk::write_mesh("copy.ply", data, {.binary = true});
  wk::MeshReport health = wk::inspect_mesh(data);             // closed? boundary edges? duplicates? …
  wk::MeshRepair repair = wk::repair_mesh(data);              // holes filled, facing outward; repair.done says what

  EXPECT_GT(part.volume(), 0);
  EXPECT_EQ(report.format, wk::MeshFormat::obj);
  EXPECT_EQ(wk::read_mesh("copy.ply").vertices, data.vertices);
  EXPECT_TRUE(health.closed);
  EXPECT_EQ(repair.mesh.triangles.size(), data.triangles.size());
}

TEST(GuideBlocks, ArraysOfTheCaller) {
  struct Vertex { float position[3], normal[3] = {}, uv[2] = {}; };
  std::vector<Vertex> vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  std::vector<std::uint16_t> indices = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  wk::StridedPoints positions(vertices[0].position, vertices.size(), sizeof(Vertex));   // a view
  wk::Mesh mesh(wk::mesh_data(positions, indices));                                     // copies
  wk::ConvexHull hull(wk::to_points(positions));

  EXPECT_NEAR(mesh.solid().volume(), 1.0 / 6, 1e-15);
  EXPECT_EQ(hull.face_count(), 4u);
}

TEST(GuideBlocks, SavedShapes) {
  const EmptyFolder folder;

  wk::Mesh wheel = wk::Mesh(wk::make::torus()).solid();
  wk::Compound axle({{wheel}, {wheel, wk::Pose(wk::Vector3(0, 0, 2))}, {wk::Cylinder{0.2, 4}}});
  wk::save_shape(axle, "axle.whisker");
  wk::Shape again = wk::load_shape("axle.whisker");           // the same shape, the same answers, to the last bit

  EXPECT_EQ(again.volume(), axle.volume());
  const auto parts = again.as<wk::Compound>()->parts();
  EXPECT_EQ(parts[0].shape.as<wk::Mesh>()->vertices().data(), parts[1].shape.as<wk::Mesh>()->vertices().data());
}

TEST(GuideBlocks, Models) {
  wk::MeshData gear = wk::make::gear({.teeth = 24, .module = 2});

  EXPECT_TRUE(wk::is_closed(gear));
}

// --- docs/contacts.md ------------------------------------------------------------------------------------------------

TEST(ContactsBlocks, PlacesOfAPair) {
  const wk::Shape crate = wk::Box{{1, 1, 1}}, terrain = wk::HeightField(std::vector<double>(25, 0.0), 5, 5, 1, 1);
  const wk::Pose pose = at(2, 2, 0.499);
  std::vector<double> gaps;
  const auto push = [&](const wk::Vector3& normal, const wk::Vector3&, const wk::Vector3&, double gap, std::uint64_t) {
    EXPECT_NEAR(normal.z(), -1, 1e-12);
    gaps.push_back(gap);
  };

wk::ManifoldMemory memory;  // one per pair
std::vector<wk::ContactManifold> places;
wk::contact_manifolds({crate, pose}, terrain, {.margin = 0.01, .memory = &memory}, places);
for (const wk::ContactManifold& place : places) {
  for (const wk::ManifoldPoint& point : place.points())
    push(place.normal, point.point_a, point.point_b, point.gap, point.id);
}

  ASSERT_EQ(gaps.size(), 4u);
  EXPECT_NEAR(gaps[0], -0.001, 1e-12);
}

TEST(ContactsBlocks, PlacesOfAWorld) {
  std::size_t points = 0;
  const auto use = [&](const wk::WorldPair&, const wk::ContactManifold& manifold) { points += manifold.count; };

wk::World world({.tests_shapes = false});  // update() finds the pairs, manifolds() looks at their shapes
world.add(wk::HalfSpace{}, {}, {.is_static = true, .margin = 0.005});
const wk::BodyId crate = world.add(wk::Box{{1, 1, 1}}, wk::Pose(wk::Vector3(0, 0, 0.499)), {.margin = 0.005});
world.update();
for (const wk::PairManifold& found : world.manifolds({.margin = 0.01})) use(found.pair, found.manifold);

  EXPECT_EQ(points, 4u);
  EXPECT_TRUE(world.contains(crate));
}

// --- docs/motion.md --------------------------------------------------------------------------------------------------

TEST(MotionBlocks, FirstContact) {
  const wk::Shape stone = wk::Sphere{1}, wall = wk::Box{{2, 2, 2}};
  const wk::Shape gear = wk::Capsule{.radius = 0.1, .length = 1}, tool = wall;
  const wk::Pose pose_a = at(-5, 0, 0), pose_a2 = at(-5, 9, 0), pose_b = at(0, 0, 0);
  const wk::Vector3 by(10, 0, 0);
  Counted respond;

  wk::MotionImpact hit = wk::first_contact({stone, wk::Straight{pose_a, by}}, {wall, wk::Still{pose_b}});
  if (hit.status == wk::ImpactStatus::touch) respond(hit.time, hit.point, hit.normal);   // and hit.pose_a, hit.pose_b
  bool ever = wk::touches_during({stone, wk::Straight{pose_a, by}}, {wall, wk::Still{pose_b}});
  wk::MotionImpact turn = wk::first_contact({gear, wk::screw(pose_a, pose_a2)}, {tool, wk::Still{pose_b}});

  EXPECT_EQ(respond.calls, 1);
  EXPECT_NEAR(hit.pose_a.translation().x(), -2, 1e-9);
  EXPECT_TRUE(ever);
  EXPECT_EQ(turn.status, wk::ImpactStatus::apart);
}

TEST(MotionBlocks, PointsSegmentsAndTriangles) {
  const wk::Vector3 p0(0.25, 0.25, 1), p1(0.25, 0.25, -1);
  const wk::Vector3 a0(0, 0, 0), b0(1, 0, 0), c0(0, 1, 0), a1 = a0, b1 = b0, c1 = c0;

  wk::FeatureImpact hit = wk::first_contact_point_triangle({p0, p1}, {{a0, b0, c0}, {a1, b1, c1}});
  // also point–point, point–segment, segment–segment, triangle–triangle; many at once with first_contacts

  EXPECT_EQ(hit.status, wk::ImpactStatus::touch);
  EXPECT_LE(hit.time_lower, 0.5);
  EXPECT_GE(hit.time_upper, 0.5);
}

TEST(MotionBlocks, MeshesThatDeform) {
  const wk::MeshData data = triangle_over_triangle(1);
  const std::vector<wk::Vector3> next = triangle_over_triangle(-1).vertices;
  Counted respond;

  wk::DeformingMesh cloth(data);
  cloth.set_vertices(next);                                   // the step: from where it was to here
  for (const wk::FeatureHit& hit : wk::first_contacts(cloth).hits) respond(hit.kind, hit.a, hit.b, hit.impact);

  EXPECT_GT(respond.calls, 0);
}

TEST(MotionBlocks, BoundingVolumes) {
  const wk::Aabb box_a{{-1, -1, -1}, {1, 1, 1}}, box_b = box_a;
  const wk::Pose from = at(-4, 0, 0), to = at(4, 0, 0), pose = at(0, 0, 0);

  bool maybe = wk::methods::may_touch(box_a, wk::screw(from, to), box_b, wk::Still{pose}, {0.25, 0.5});   // false is proven
  wk::Impact hit = wk::methods::first_touch(box_a, wk::screw(from, to), box_b, wk::Still{pose}, {.tolerance = 1e-6});

  EXPECT_TRUE(maybe);
  EXPECT_EQ(hit.status, wk::ImpactStatus::touch);
  EXPECT_NEAR(hit.time_lower, 0.25, 1e-5);
}

TEST(MotionBlocks, BodiesMadeOfJoints) {
  const EmptyFolder folder;
  std::ofstream("arm.urdf") << R"(<robot name="arm">
  <link name="base"/>
  <link name="beam"><collision><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="beam"/><axis xyz="0 0 1"/></joint>
</robot>)";
  const wk::Shape cabinet = wk::Box{{0.2, 0.2, 0.2}};
  const wk::Pose pose = at(0, 0.9, 0);
  const std::vector<double> from = {0}, to = {2};
  Counted respond;

  wk::UrdfRobot robot = wk::load_urdf("arm.urdf");
  auto hits = wk::first_contacts({robot.body, from, to}, {cabinet, wk::Still{pose}}).hits;   // links against an obstacle
  auto own  = wk::first_contacts({robot.body, from, to}).hits;                               // links against each other
  if (!hits.empty()) respond(hits[0].link_a, hits[0].impact);                                // sorted by time

  EXPECT_EQ(respond.calls, 1);
  EXPECT_TRUE(own.empty());
}

// --- docs/deforming.md -----------------------------------------------------------------------------------------------

TEST(DeformingBlocks, AMeshThatChanges) {
  const wk::MeshData data = triangle_over_triangle(1);
  const wk::Shape table = wk::Box{{4, 4, 1}};
  const wk::Pose pose = at(0, 0, -1);
  const wk::Vector3 eye(0.25, 0.25, 9), way(0, 0, -1);
  int frame = 0;
  const auto running = [&] { return frame < 3; };
  const auto simulate = [&] { return triangle_over_triangle(1 + ++frame).vertices; };

  wk::DeformingMesh cloth(data);                        // vertices and triangles
  while (running()) {
    cloth.set_vertices(simulate());                     // checked; an Error leaves the mesh as it was
    bool hit = wk::touches(cloth.snapshot(), {table, pose});
    auto ray = wk::cast_ray({eye, way}, cloth.snapshot());
  }

  EXPECT_EQ(cloth.snapshot().vertices()[3].z(), 4);
}

TEST(DeformingBlocks, TrianglesThatTouchEachOther) {
  const wk::DeformingMesh cloth(triangle_over_triangle(-0.25));
  Counted push_apart, unfold;

  wk::SelfContacts found;                                                // keeps its memory from call to call
  wk::self_contacts(cloth, found);
  for (const wk::TrianglePair& pair : found.pairs) push_apart(pair);     // touch, and share no vertex
  for (const wk::TrianglePair& pair : found.adjacent) unfold(pair);      // neighbors that touch elsewhere than they must

  EXPECT_EQ(push_apart.calls, 1);
  EXPECT_EQ(unfold.calls, 0);
}

TEST(DeformingBlocks, Proximity) {
  wk::DeformingMesh cloth(triangle_over_triangle(1));
  const std::vector<wk::Vector3> next = triangle_over_triangle(0.0005).vertices;
  wk::Vector3 below = wk::Vector3::Zero(), above = wk::Vector3::Zero();
  const auto add_force = [&](std::uint32_t vertex, const wk::Vector3& force) { (vertex < 3 ? below : above) += force; };
  const auto slope = [](double distance) { return distance - 0.001; };  // of the potential (distance - 0.001)² / 2

  wk::NearFeatures near;                                        // keeps its memory from call to call
  cloth.set_vertices(next);
  wk::near_features(cloth, 0.001, {.merge = true}, near);       // with itself; (cloth, ball, 0.001, …) of two
  for (const wk::NearPair& pair : near.pairs) {
    const std::array<wk::Vector3, 4> gradient = wk::distance_gradient(pair);
    for (std::size_t i = 0; i < 4; ++i)
      add_force(pair.vertices[i], -slope(pair.distance) * pair.count * gradient[i]);
  }

  ASSERT_EQ(near.pairs.size(), 1u);
  EXPECT_LT((above - wk::Vector3(0, 0, 0.0005)).norm(), 1e-12) << "pushed up, by as much as they are too close";
  EXPECT_LT((above + below).norm(), 1e-12);
}

TEST(DeformingBlocks, Soups) {
  const wk::MeshData shards = wk::make::icosphere({.radius = 1, .subdivisions = 1}), wall = wk::make::box({.size_x = 3});
  int frame = 0;
  const auto running = [&] { return frame++ < 2; };
  Counted push_apart;

  wk::methods::SoupContactFinder finder;            // its memory is used again, what was in it is not
  while (running()) {
    const wk::methods::Soup soups[] = {{shards.vertices, shards.triangles}, {wall.vertices, wall.triangles}};
    for (const wk::MeshTrianglePair& c : finder.find(soups).pairs) push_apart(c.triangle_a, c.triangle_b);
  }

  const std::size_t pairs = wk::contacts(wk::Mesh(shards), wk::Mesh(wall)).pairs.size();
  EXPECT_GT(pairs, 0u);
  EXPECT_EQ(static_cast<std::size_t>(push_apart.calls), 2 * pairs) << "two frames";
}

TEST(DeformingBlocks, SurfaceHierarchies) {
  const wk::MeshData data = triangle_over_triangle(1);
  const std::vector<wk::Vector3> next = triangle_over_triangle(-0.25).vertices;
  Counted push_apart;

  wk::methods::SurfaceHierarchy cloth(data);                                // connections do not change after this
  cloth.set_vertices(next);                                        // O(n)
  for (const wk::TrianglePair& pair : cloth.self_contacts().pairs) push_apart(pair);

  EXPECT_EQ(push_apart.calls, 1);
}

TEST(DeformingBlocks, Volumes) {
  int frame = 0;
  const auto running = [&] { return frame < 2; };
  const auto simulate = [&] {
    std::vector<wk::Vector3> vertices =
        wk::make::tetrahedral_box({.cells_x = 6, .cells_y = 6, .cells_z = 6}).vertices;
    ++frame;
    for (wk::Vector3& v : vertices) v.x() += 0.7;
    return vertices;
  };
  Counted push;

  std::vector<wk::TetrahedralMesh> bodies;                 // from vertices and tetrahedra of your own, or
  bodies.emplace_back(wk::make::tetrahedral_box({.cells_x = 6, .cells_y = 6, .cells_z = 6}));
  bodies.emplace_back(wk::make::tetrahedral_ball({.radius = 0.4}));

  wk::TetrahedralContactFinder finder;                     // these keep their memory from frame to frame
  wk::TetrahedralDepthFinder depth_finder;
  wk::TetrahedralContacts contacts;
  std::vector<wk::VertexDepth> depths;
  while (running()) {
    bodies[0].set_vertices(simulate());
    finder.find(bodies, contacts);
    depth_finder.find(bodies, contacts, depths);
    for (const wk::VertexDepth& d : depths)
      push(d.mesh, d.vertex, d.depth * d.normal);
  }

  EXPECT_FALSE(contacts.empty());
  EXPECT_GT(push.calls, 0);
}

// --- docs/spheres.md -------------------------------------------------------------------------------------------------

// To build a sphere tree takes long: these two are only compiled.
[[maybe_unused]] void sphere_trees(Counted draw) {
  wk::Mesh mesh = wk::load_mesh("bunny.stl");
  wk::SphereTree tree = wk::build_sphere_tree(mesh, {.depth = 3, .branching = 8});   // or {.protrusion = 0.01}
  for (std::uint32_t i : tree.cut(2)) draw(tree.nodes[i].sphere);      // together they cover the mesh
  wk::LevelReport fit = wk::report_level(tree, 2, mesh);               // fit.worst, fit.mean, fit.root_mean_square
}

[[maybe_unused]] void time_critical_queries(const wk::Mesh& mesh, const wk::Pose& pose_a, const wk::Pose& pose_b) {
  wk::SphereBody bunny(wk::build_sphere_tree(mesh, {.depth = 3}), mesh);
  bool hit = wk::touches({bunny, pose_a}, {bunny, pose_b});                         // exact, as of the meshes
  wk::Distance d = wk::distance({bunny, pose_a}, {bunny, pose_b}, {.tolerance = 0.01});
  wk::SphereContacts c = wk::sphere_contacts({bunny, pose_a}, {bunny, pose_b}, {.budget = 5000});
  wk::distance({wk::Box{{1, 1, 1}}, pose_a}, {bunny, pose_b});                      // any shape; sphere_contacts too
}

TEST(SpheresBlocks, SphereSets) {
  const std::vector<wk::Vector3> centers = {{0, 0, 0}, {2, 0, 0}};
  const std::vector<double> radii = {0.5, 0.5};
  const wk::Shape room = wk::Box{{1, 1, 1}};
  const wk::Pose pose = at(-2, 0, 0);
  const std::vector<wk::Pose> poses = {at(-2, 0, 0), at(3, 0, 0)};
  std::vector<wk::Interval> intervals(centers.size());
  std::array<bool, 2> answers = {};

  const wk::SphereSet robot(centers, radii);
  bool hit = wk::touches(room, {robot, pose});                       // true unless every ball is proven apart
  std::optional<std::uint32_t> ball = wk::first_touching(room, {robot, pose});
  wk::Distance d = wk::distance(room, {robot, pose});                // bounds, and which ball is the closest: d.feature_b.id
  wk::clearances(room, {robot, pose}, intervals);                    // signed, one per ball
  wk::touches(room, robot, poses, answers);                          // many poses on all cores; the others too

  EXPECT_TRUE(hit);
  EXPECT_EQ(ball, 1u);
  EXPECT_EQ(d.feature_b.id, 1u);
  EXPECT_NEAR(intervals[0].lower, 1, 1e-12);
  EXPECT_LT(intervals[1].upper, 0);
  EXPECT_TRUE(answers[0]);
  EXPECT_FALSE(answers[1]);
}

// --- docs/world.md ---------------------------------------------------------------------------------------------------

TEST(WorldBlocks, ManyBodies) {
  const wk::Shape hull = wk::Box{{1, 1, 1}};
  const wk::Pose pose = at(0, 0, 2), next = at(0, 0, 0.25);
  Counted push_apart, handle;

  wk::World world;
  wk::BodyId stone = world.add(hull, pose);
  world.add(wk::HalfSpace{{0, 0, 1}, 0}, {}, {.is_static = true});

  world.move(stone, next);
  world.update();
  for (const wk::WorldPair& pair : world.touching()) push_apart(pair.a, pair.b);           // ascending
  for (const wk::TouchEvent& event : world.events()) handle(event.pair, event.change);     // began, stays, ended

  EXPECT_EQ(push_apart.calls, 1);
  EXPECT_EQ(handle.calls, 1);
}

TEST(WorldBlocks, LookingOnlyWhenItCanMatter) {
  wk::World world;
  const wk::BodyId stone = world.add(wk::Sphere{1}, at(0, 0, 0.5));
  world.add(wk::Box{{9, 9, 1}}, {});
  const wk::Vector3 v(0, 0, -1);
  const double time = 0.5;
  Counted push_apart;

  wk::ContactSchedule schedule(world);
  schedule.set_limits(stone, {.velocity = v, .acceleration = 9.81, .spin = 2});
  for (const wk::WorldPair& pair : schedule.advance(time)) push_apart(pair.a, pair.b);   // those that touch at that time

  EXPECT_EQ(push_apart.calls, 1);
}

#pragma GCC diagnostic pop
// clang-format on

// --- that no block is left out ---------------------------------------------------------------------------------------

/// The blocks of C++ in a page.
std::vector<DocBlock> blocks_of(const std::filesystem::path& page) {
  std::vector<DocBlock> blocks;
  const std::vector<std::string> lines = lines_of(page);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("```")) continue;
    const std::string language = lines[i].substr(3);
    DocBlock block{i + 2, {}};
    for (++i; i < lines.size() && lines[i] != "```"; ++i)
      block.lines.push_back(lines[i]);
    EXPECT_LT(i, lines.size()) << page << ':' << block.line << ": the block does not end";
    if (language == "cpp" || language == "c++" || language == "C++") blocks.push_back(std::move(block));
  }
  return blocks;
}

TEST(DocBlocks, AreCompiled) {
  namespace files = std::filesystem;
  const files::path root = WHISKER_SOURCE_DIR;
  std::vector<std::vector<std::string>> sources = {lines_of(root / "tests/project/doc_blocks_test.cpp")};
  for (const auto& entry : files::recursive_directory_iterator(root / "examples"))
    if (entry.path().extension() == ".cpp") sources.push_back(lines_of(entry.path()));

  std::vector<files::path> pages;
  for (const char* folder : {"", "docs"})
    for (const auto& entry : files::directory_iterator(root / folder))
      if (entry.path().extension() == ".md") pages.push_back(entry.path());

  std::size_t count = 0;
  for (const files::path& page : pages) {
    for (const DocBlock& block : blocks_of(page)) {
      ++count;
      ASSERT_FALSE(block.lines.empty()) << page.string() << ':' << block.line;
      EXPECT_TRUE(std::any_of(sources.begin(), sources.end(),
                              [&](const std::vector<std::string>& source) { return stands_in(source, block.lines); }))
          << page.string() << ':' << block.line << ": this block, which begins with\n  " << block.lines.front()
          << "\nstands neither in tests/project/doc_blocks_test.cpp nor in a file under examples/";
    }
  }
  EXPECT_GE(count, 30u);
}

TEST(DocBlocks, ReadmeShowsTheWholeExample) {
  const std::filesystem::path root = WHISKER_SOURCE_DIR;
  const std::vector<DocBlock> blocks = blocks_of(root / "README.md");
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].lines, lines_of(root / "examples/readme.cpp"));
}

TEST(DocBlocks, AreFoundByTheirLinesAlone) {
  const std::vector<std::string> source = {"int main() {", "  int a = 1;", "", "  int b = 2;", "    f();", "}"};
  EXPECT_TRUE(stands_in(source, {"int a = 1;", "", "int b = 2;", "  f();"}));
  EXPECT_TRUE(stands_in(source, source));
  EXPECT_FALSE(stands_in(source, {"int a = 1;", "int b = 2;"})) << "not one after the other";
  EXPECT_FALSE(stands_in(source, {"int b = 2;", "f();"})) << "another indentation";
  EXPECT_FALSE(stands_in(source, {"int a = 2;"}));
  EXPECT_FALSE(stands_in(source, {"}", "int c = 3;"})) << "beyond the end";
}

}  // namespace
