// Numbers that a caller may get wrong: indices of things that do not exist, and values of options. Each is an Error,
// never a crash, a hang or a nonsensical result.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/methods/methods.hpp>
#include <whisker/whisker.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"

namespace whisker {
namespace {

using namespace methods;
using test::error_of;
using test::nan;

const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

// ---- Indices ----

/// Expects that `ask(i)` works for all indices below `count`, and is an Error for others.
void expect_range(const std::string& what, std::size_t count, const std::function<void(std::size_t)>& ask) {
  ASSERT_GT(count, 0u) << what;
  EXPECT_EQ(error_of([&] { ask(0); }), "no error") << what;
  EXPECT_EQ(error_of([&] { ask(count - 1); }), "no error") << what;
  for (const std::size_t bad : {count, count + 1, count + 1000, std::size_t{0x7FFFFFFF}, std::size_t{0xFFFFFFFF}}) {
    const std::string said = error_of([&] { ask(bad); });
    EXPECT_NE(said.find(std::to_string(bad) + " is out of range; there are " + std::to_string(count)),
              std::string::npos)
        << what << ", " << bad << ": " << said;
  }
}

TEST(BadNumbers, OfShapes) {
  const Mesh mesh(make::torus({.around = 12, .across = 8}));
  expect_range("mesh", mesh.triangle_count(), [&](std::size_t i) { mesh.triangle(i); });
  EXPECT_NE(error_of([&] { mesh.triangle(SIZE_MAX); }), "no error");

  const ConvexHull hull(corners);
  expect_range("hull face", hull.face_count(), [&](std::size_t i) { hull.face(i); });
  expect_range("hull vertex", hull.vertices().size(), [&](std::size_t i) { hull.neighbors(i); });
  const HullData data = convex_hull(corners);
  expect_range("hull data", data.face_count(), [&](std::size_t i) { data.face(i); });

  const std::vector<double> heights(20, 1);
  const HeightField field(heights, 5, 4, 1, 1);
  expect_range("column", 5, [&](std::size_t i) { field.height(i, 0); });
  expect_range("row", 4, [&](std::size_t i) { field.height(0, i); });
  expect_range("column of a vertex", 5, [&](std::size_t i) { field.vertex(i, 3); });
  expect_range("row of a vertex", 4, [&](std::size_t i) { field.vertex(4, i); });
  expect_range("field", field.triangle_count(), [&](std::size_t i) { field.triangle(i); });
  EXPECT_NE(error_of([&] { field.triangle(SIZE_MAX); }), "no error");
  for (int level = 0; level < field.levels(); ++level) {
    expect_range("block column", field.block_columns(level), [&](std::size_t i) { field.block_range(level, i, 0); });
    expect_range("block row", field.block_rows(level), [&](std::size_t i) { field.block_range(level, 0, i); });
  }
  for (const int bad : {-1, -1000, field.levels(), 1 << 30}) {
    EXPECT_NE(error_of([&] { field.block_columns(bad); }), "no error") << bad;
    EXPECT_NE(error_of([&] { field.block_rows(bad); }), "no error") << bad;
    EXPECT_NE(error_of([&] { field.block_range(bad, 0, 0); }), "no error") << bad;
  }
}

TEST(BadNumbers, OfHullLevels) {
  const HullLevels levels{ConvexHull(make::icosphere({.subdivisions = 3}).vertices)};
  ASSERT_GT(levels.count(), 1u);
  expect_range("level", levels.count(), [&](std::size_t i) { levels.level(i); });
  expect_range("deviation", levels.count(), [&](std::size_t i) { levels.deviation(i); });
  expect_range("child", levels.count(), [&](std::size_t i) { levels.child(i, {}); });
  expect_range("parent", levels.count(), [&](std::size_t i) { levels.parent(i, {}); });
}

TEST(BadNumbers, OfLinks) {
  Articulated arm({{.name = "base", .shapes = {{Sphere{1}}}},
                   {.name = "upper", .joint = {.kind = JointKind::revolute}},
                   {.name = "lower", .parent = 1, .joint = {.kind = JointKind::revolute}},
                   {.name = "other", .parent = 0}});
  const std::vector<double> positions(2);
  const ArticulatedStep step{arm, positions, positions};
  expect_range("first_position", 4, [&](std::size_t i) { arm.first_position(i); });
  expect_range("is_adjacent", 4, [&](std::size_t i) { arm.is_adjacent(i, 0); });
  expect_range("is_adjacent", 4, [&](std::size_t i) { arm.is_adjacent(3, i); });
  expect_range("leave_out", 4, [&](std::size_t i) { arm.leave_out(i, 2); });
  expect_range("leave_out", 4, [&](std::size_t i) { arm.leave_out(1, i); });
  expect_range("link_motion", 4, [&](std::size_t i) { link_motion(step, i); });
  // A link's motion can be relative to one that it hangs from.
  for (const std::size_t good : {std::size_t{0}, std::size_t{1}, std::size_t{2}, SIZE_MAX})
    EXPECT_EQ(error_of([&] { link_motion(step, 2, {}, good); }), "no error") << good;
  for (const std::size_t bad : {std::size_t{3}, std::size_t{4}, std::size_t{1000}})
    EXPECT_NE(error_of([&] { link_motion(step, 2, {}, bad); }).find("is not a descendant of"), std::string::npos)
        << bad;
}

TEST(BadNumbers, OfSpheres) {
  const std::vector<double> radii(corners.size(), 0.5);
  const SphereSet set(corners, radii);
  expect_range("center", set.size(), [&](std::size_t i) { set.center(i); });
  expect_range("radius", set.size(), [&](std::size_t i) { set.radius(i); });
  const Mesh box = Mesh(make::box()).solid();
  SphereTree tree = build_sphere_tree(box, {.method = SphereTreeMethod::octree, .depth = 2});
  const SphereBody body(tree, box);
  expect_range("sphere", body.size(), [&](std::size_t i) { body.sphere(i); });
  expect_range("protrusion", body.size(), [&](std::size_t i) { body.protrusion(i); });
  expect_range("first_child", body.size(), [&](std::size_t i) { body.first_child(i); });
  expect_range("child_count", body.size(), [&](std::size_t i) { body.child_count(i); });
  expect_range("is_leaf", body.size(), [&](std::size_t i) { body.is_leaf(i); });
  EXPECT_NE(error_of([&] { tree.cut(-1); }), "no error");
  // A tree is a plain struct, so its lists need not be consistent.
  const SphereTree whole = tree;
  for (const std::vector<std::uint32_t>& bad :
       std::vector<std::vector<std::uint32_t>>{{}, {0}, {0, 1, 1000000}, {0, 1}, {5, 1, 0}, {1, 9}}) {
    tree.level_begin = bad;
    EXPECT_NE(error_of([&] { tree.cut(1); }).find("level_begin"), std::string::npos);
    EXPECT_NE(error_of([&] { tree.spheres(1); }).find("level_begin"), std::string::npos);
    EXPECT_NE(error_of([&] { tree.protrusion(1); }).find("level_begin"), std::string::npos);
  }
  tree = whole;
  tree.min_error.resize(tree.nodes.size() + 1);
  EXPECT_NE(error_of([&] { tree.min_error_tree(); }).find("min_error"), std::string::npos);
  // Contacts that do not exist.
  SphereWorld world;
  SpherePair pair;
  pair.first_contact = 7;
  pair.contact_count = SIZE_MAX;
  EXPECT_TRUE(world.contacts(pair).empty());
}

TEST(BadNumbers, OfTetrahedraAndRegions) {
  const TetrahedralMesh body(make::tetrahedral_box({.cells_x = 1, .cells_y = 1, .cells_z = 1}));
  expect_range("vertex", body.vertices().size(), [&](std::size_t i) { body.neighbors(static_cast<std::uint32_t>(i)); });
  expect_range("tetrahedron", body.tetrahedra().size(), [&](std::size_t i) { body.contains(i, Vector3::Zero()); });
  const SurfaceHierarchy surface(make::box());
  EXPECT_EQ(error_of([&] { surface.region(static_cast<std::uint32_t>(surface.region_count() - 1)); }), "no error");
  for (const std::size_t bad : {surface.region_count(), std::size_t{0xFFFFFFFF}})
    EXPECT_NE(error_of([&] { surface.region(static_cast<std::uint32_t>(bad)); }), "no error");
  EXPECT_EQ(error_of([&] { surface.regions_at(0xFFFFFFFF); }), "no error");
}

TEST(BadNumbers, OfWhatAnEditNames) {
  DeformingMesh mesh(make::torus({.around = 12, .across = 8}));
  const std::size_t vertices = mesh.end().size(), triangles = mesh.triangles().size();
  expect_range("cut_along", vertices, [&](std::size_t i) {
    const Index2 edge[] = {{0, static_cast<std::uint32_t>(i)}};
    cut_along(mesh, edge);
  });
  expect_range("cut_along, the other end", vertices, [&](std::size_t i) {
    const Index2 edges[] = {{0, 1}, {static_cast<std::uint32_t>(i), 2}};
    cut_along(mesh, edges);
  });
  const auto refused = [&](const MeshEdit& edit) {
    const std::string said = error_of([&] { mesh.edit(edit); });
    return said != "no error" && mesh.triangles().size() == triangles && mesh.end().size() == vertices;
  };
  for (const std::size_t bad : {triangles, std::size_t{0xFFFFFFFF}}) {
    const auto number = static_cast<std::uint32_t>(bad);
    const std::uint32_t numbers[] = {number};
    EXPECT_NE(error_of([&] { break_off(mesh, numbers); }), "no error");
    EXPECT_TRUE(refused({.removed = {number}}));
    EXPECT_TRUE(refused({.changed = {{number, {0, 1, 2}}}}));
  }
  for (const std::size_t bad : {vertices, std::size_t{0xFFFFFFFF}}) {
    const auto number = static_cast<std::uint32_t>(bad);
    EXPECT_TRUE(refused({.changed = {{0, {0, number, 2}}}}));
    EXPECT_TRUE(refused({.added = {{0, 1, number}}}));
  }
}

TEST(BadNumbers, OfBodies) {
  World world;
  const BodyId id = world.add(Sphere{1});
  world.update();
  for (const BodyId bad : {BodyId{}, BodyId{id.slot, id.generation + 1}, BodyId{id.slot + 1, 0}}) {
    EXPECT_FALSE(world.contains(bad));
    const BodyMotion motions[] = {{bad, Still{}}};
    const BodyTranslation translations[] = {{bad}};
    const std::vector<std::function<void()>> calls = {[&] { world.remove(bad); },
                                                      [&] { world.move(bad, Pose()); },
                                                      [&] { world.reshape(bad, Sphere{2}); },
                                                      [&] { world.set_options(bad, {}); },
                                                      [&] { world.switch_off(bad, id); },
                                                      [&] { world.switch_on(id, bad); },
                                                      [&] { world.shape(bad); },
                                                      [&] { world.pose(bad); },
                                                      [&] { world.options(bad); },
                                                      [&] { world.may_meet(id, bad); },
                                                      [&] { world.box(bad); },
                                                      [&] { world.first_contacts(motions); },
                                                      [&] { world.first_contacts(translations); },
                                                      [&] { world.move_to_first_contact(motions); }};
    for (std::size_t i = 0; i < calls.size(); ++i)
      EXPECT_NE(error_of(calls[i]), "no error") << i;
  }
}

// ---- Options ----

/// An option with a number, and a call that uses it.
struct OptionCase {
  const char* name;
  std::function<void(double)> ask;
  /// A value that works.
  double good;
  bool takes_negative = false;
  bool takes_infinity = false;
};

std::vector<OptionCase> options() {
  static const Shape ball = Sphere{1}, box = Box{Vector3(1, 1, 1)}, hull = ConvexHull(corners);
  static const Shape mesh = Mesh(make::icosphere({.subdivisions = 1})).solid();
  static const Pose near(Vector3(0.5, 0.1, 0.2)), far(Vector3(5, 0.1, 0.2));
  static const Mesh solid = Mesh(make::box()).solid();
  static const std::vector<double> radii(corners.size(), 0.5);
  static const SphereSet set(corners, radii);
  static const SphereTree tree = build_sphere_tree(solid, {.method = SphereTreeMethod::octree, .depth = 1});
  static const SphereBody body(tree, solid);
  static const DeformingMesh cloth(make::box());
  static const ConvexHull plain(corners);
  static const HullLevels levels(plain);
  const auto hinted = [](const Shape& a, const Shape& b, const Vector3& hint) { depth(a, {b, near}, {.hint = hint}); };
  const auto world_of_two = [] {
    World world;
    world.add(ball);
    world.add(box, far);
    world.update();
    return world;
  };
  const SphereTreeOptions octree{.method = SphereTreeMethod::merge, .depth = 1, .branching = 2, .samples = 16};
  std::vector<OptionCase> cases = {
      {"distance tolerance",
       [](double x) {
         distance(hull, {box, far}, {.tolerance = x});
       },
       0.1, false, true},
      {"distance upper_bound",
       [](double x) {
         distance(hull, {box, far}, {.upper_bound = x});
       },
       0.1, false, true},
      {"distance close_enough",
       [](double x) {
         distance(hull, {box, far}, {.close_enough = x});
       },
       0.1, true, true},
      {"mesh distance tolerance",
       [](double x) {
         distance(mesh, {box, far}, {.tolerance = x});
       },
       0.1, false, true},
      {"batch tolerance", [](double x) { distance(std::span<const ShapePair>(), {.tolerance = x}, {}); }, 0.1, false,
       true},
      {"closer_than",
       [](double x) {
         closer_than(hull, {box, far}, x);
       },
       0.1, false, true},
      {"depth tolerance",
       [](double x) {
         depth(hull, {box, near}, {.tolerance = x});
       },
       0.1, false, true},
      {"depth tolerance, balls",
       [](double x) {
         depth(ball, {ball, near}, {.tolerance = x});
       },
       0.1, false, true},
      {"depth tolerance, meshes",
       [](double x) {
         depth(mesh, {mesh, near}, {.tolerance = x});
       },
       0.1, false, true},
      {"depth hint x",
       [=](double x) {
         hinted(hull, box, {x, 0, 1});
       },
       1, true},
      {"depth hint y",
       [=](double x) {
         hinted(hull, hull, {0, x, 0});
       },
       1, true},
      {"depth hint z",
       [=](double x) {
         hinted(ball, box, {0, 0, x});
       },
       1, true},
      {"depth hint, meshes",
       [=](double x) {
         hinted(mesh, mesh, {x, 0, 0});
       },
       1, true},
      {"depth hint_slack",
       [](double x) {
         depth(hull, {box, near}, {.hint = {0, 0, 1}, .hint_slack = x});
       },
       0.2},
      {"depth hint_slack alone",
       [](double x) {
         depth(hull, {box, near}, {.hint_slack = x});
       },
       0.2},
      {"patch margin",
       [](double x) {
         contact_manifold(box, {box, near}, {.margin = x});
       },
       0.1},
      {"patch parallel",
       [](double x) {
         contact_manifold(box, {box, near}, {.max_angle = x});
       },
       0.1},
      {"first_contact tolerance",
       [](double x) {
         first_contact({hull, Straight{far, Vector3(-9, 0, 0)}}, {box}, {.tolerance = x});
       },
       0.1, false, true},
      {"closest_point tolerance",
       [](double x) {
         closest_point(mesh, {5, 0, 0}, {.tolerance = x});
       },
       0.1, false, true},
      {"closest_point bound",
       [](double x) {
         closest_point(mesh, {5, 0, 0}, {.upper_bound = x});
       },
       0.1, false, true},
      {"signed_distance tolerance",
       [](double x) {
         signed_distance(mesh, {5, 0, 0}, {.tolerance = x});
       },
       0.1, false, true},
      {"triangles_in_sphere",
       [](double x) {
         std::vector<std::uint32_t> ids;
         triangles_in_sphere(mesh, Vector3::Zero(), x, ids);
       },
       1},
      {"ray range lower",
       [](double x) {
         cast_ray({{5, 0, 0}, {-1, 0, 0}}, box, {.lower = x});
       },
       0, true, true},
      {"ray range upper",
       [](double x) {
         cast_ray({{5, 0, 0}, {-1, 0, 0}}, mesh, {.upper = x});
       },
       9, true, true},
      {"polylines tolerance", [](double x) { polylines({}, x); }, 0.1, true},
      {"balls' upper_bound", [](double x) { distance(box, Placed(set, far), {.upper_bound = x}); }, 1, false, true},
      {"bodies' tolerance", [](double x) { distance(Placed(body), Placed(body, far), {.tolerance = x}); }, 0.1, false,
       true},
      {"query seconds",
       [](double x) {
         SphereQuery query(Placed(body), Placed(body, far));
         query.advance({.seconds = x});
       },
       0.1, true, true},
      {"bodies' contacts seconds",
       [](double x) {
         sphere_contacts(body, {body, near}, {.seconds = x});
       },
       0.1, true, true},
      {"sphere world seconds", [](double x) { SphereWorld().advance({.seconds = x}); }, 0.1, true, true},
      {"world seconds", [](double x) { World().update({.seconds = x}); }, 0.1, true, true},
      {"world margin", [](double x) { World().add(ball, {}, {.margin = x}); }, 0.1, false, true},
      {"world closer_than", [=](double x) { world_of_two().closer_than(x); }, 1, false, true},
      {"world closer_than tolerance", [=](double x) { world_of_two().closer_than(9, {.tolerance = x}); }, 1, false,
       true},
      {"empty world closer_than tolerance", [](double x) { World().closer_than(9, {.tolerance = x}); }, 1, false, true},
      {"world nearest", [=](double x) { world_of_two().nearest(ball, x); }, 1, false, true},
      {"empty world first_contacts tolerance",
       [](double x) { World().first_contacts(std::span<const BodyMotion>(), {.tolerance = x}); }, 0.1, false, true},
      {"articulated tolerance",
       [](double x) {
         const Articulated arm(std::vector<Link>(1));
         first_contacts(ArticulatedStep{arm, {}, {}}, {.tolerance = x});
       },
       0.1, false, true},
      {"schedule time",
       [](double x) {
         World world;
         ContactSchedule(world).advance(x);
       },
       1, true},
      {"schedule acceleration",
       [](double x) {
         World world;
         const BodyId id = world.add(ball);
         world.update();
         ContactSchedule(world).set_limits(id, {.acceleration = x});
       },
       1, false, true},
      {"schedule spin",
       [](double x) {
         World world;
         const BodyId id = world.add(ball);
         world.update();
         ContactSchedule(world).set_limits(id, {.spin = x});
       },
       1, false, true},
      {"near thickness", [](double x) { near_features(cloth, x); }, 0.1},
      {"deforming within", [](double x) { first_contacts(cloth, {.within = x}); }, 0.1, false, true},
      {"deforming feature tolerance", [](double x) { first_contacts(cloth, {.features = {.tolerance = x}}); }, 0.1,
       false, true},
      {"deforming feature separation", [](double x) { first_contacts(cloth, {.features = {.separation = x}}); }, 0.1},
      {"deforming rebuild_at", [](double x) { DeformingMesh mesh_(make::box(), {.rebuild_at = x}); }, 2, false, true},
      {"surface contour_angle",
       [](double x) {
         SurfaceHierarchy surface(make::box(), {.contour = ContourTest::approximate, .contour_angle = x});
       },
       10},
      {"surface distance", [](double x) { SurfaceHierarchy(make::box()).self_contacts({.distance = x}); }, 0.1},
      {"hull merge_distance", [](double x) { ConvexHull merged(corners, {.merge_distance = x}); }, 0.1},
      {"levels decimation", [](double x) { HullLevels made(plain, {.decimation = x}); }, 0.1},
      {"levels max_importance",
       [](double x) { HullLevels made(plain, {.builder = LevelBuilder::vertex_removal, .max_importance = x}); }, 0.1,
       false, true},
      {"levels tolerance",
       [](double x) {
         LevelTrack track;
         levels_distance(levels, Pose(), levels, far, {.tolerance = x}, track);
       },
       0.1, false, true},
      {"levels upper_bound",
       [](double x) {
         LevelTrack track;
         levels_distance(levels, Pose(), levels, far, {.upper_bound = x}, track);
       },
       0.1, false, true},
      {"table resolution", [](double x) { DirectionTable table(plain, {.resolution = x}); }, 10},
      {"table radius_factor", [](double x) { DirectionTable table(plain, {.radius_factor = x}); }, 2},
      {"sphere tree good_enough",
       [=](double x) {
         SphereTreeOptions with = octree;
         with.good_enough = x;
         build_sphere_tree(solid, with);
       },
       0.1},
      {"sphere tree protrusion",
       [=](double x) {
         SphereTreeOptions with = octree;
         with.protrusion = x;
         build_sphere_tree(solid, with);
       },
       2},
      {"balance slowness", [](double x) { allowed_error({.slowness = x}, 8, 2); }, 2, false, true},
      {"balance decay", [](double x) { allowed_error({.decay = x}, 8, 2); }, 0.5},
      {"balance slack", [](double x) { allowed_error({.slack = x}, 8, 2); }, 0.5},
      {"sphere set protrusion", [](double x) { build_sphere_set(solid, 4, {.protrusion = x}); }, 2},
      {"custom support_error",
       [](double x) { CustomConvex custom([](const Vector3& d) { return Vector3(d.normalized()); }, x); }, 0.1},
      {"motion error",
       [](double x) {
         CustomMotion motion{
             .pose = [](double) { return Pose(); }, .way = [](double, double, double) { return 0.0; }, .error = x};
         check(Motion(motion));
       },
       0.1},
      {"velocity duration",
       [](double x) {
         turning_with_velocity({}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, x);
       },
       2},
      {"pose_at",
       [](double x) {
         pose_at(Straight{.by = {1, 0, 0}}, x);
       },
       0.5, true},
  };
  return cases;
}

TEST(BadNumbers, NaNIsRefusedInEveryOption) {
  for (const OptionCase& option : options()) {
    EXPECT_EQ(error_of([&] { option.ask(option.good); }), "no error") << option.name;
    EXPECT_NE(error_of([&] { option.ask(nan); }), "no error") << option.name;
    EXPECT_NE(error_of([&] { option.ask(-nan); }), "no error") << option.name;
  }
}

TEST(BadNumbers, NegativeAndInfiniteOptionsAreRefusedWhereTheyMakeNoSense) {
  for (const OptionCase& option : options()) {
    EXPECT_EQ(error_of([&] { option.ask(-1); }) == "no error", option.takes_negative) << option.name;
    EXPECT_EQ(error_of([&] { option.ask(infinity); }) == "no error", option.takes_infinity) << option.name;
  }
}

TEST(BadNumbers, PointsRaysAndBoxesThatAreNone) {
  const TetrahedralMesh body(make::tetrahedral_box());
  const std::vector<double> heights(9, 1);
  const HeightField field(heights, 3, 3, 1, 1);
  for (const double bad : {nan, infinity, -infinity}) {
    EXPECT_NE(error_of([&] { body.contains(0, {bad, 0, 0}); }), "no error") << bad;
    const Vector3 centers[] = {{1, 1, 1}, {1, bad, 1}};
    WheelContact contacts[2];
    EXPECT_NE(error_of([&] {
                wheel_contacts(field, centers, {0, 0, -1}, contacts);
              }).find("center 1"),
              std::string::npos);
    // In a world, whether there is anything to hit or not.
    World world;
    for (int bodies = 0; bodies < 2; ++bodies) {
      EXPECT_NE(error_of([&] { world.cast_ray({{bad, 0, 0}, {1, 0, 0}}); }), "no error");
      EXPECT_NE(error_of([&] { world.cast_ray_all({{0, 0, 0}, {1, bad, 0}}); }), "no error");
      EXPECT_NE(error_of([&] { world.cast_ray({{5, 0, 0}, {-1, 0, 0}}, {.upper = nan}); }), "no error");
      EXPECT_NE(error_of([&] { world.cast_ray_all({{5, 0, 0}, {-1, 0, 0}}, {.lower = nan}); }), "no error");
      EXPECT_NE(error_of([&] { world.overlapping({{nan, 0, 0}, {1, 1, 1}}); }), "no error");
      EXPECT_EQ(error_of([&] { world.overlapping({{-infinity, 0, 0}, {1, 1, 1}}); }), "no error");
      world.add(Sphere{1});
      world.update();
    }
  }
}

TEST(BadNumbers, CountsOfChildrenThatCannotBe) {
  for (const auto& [children, removed] : {std::pair(0, 0), std::pair(-3, 1), std::pair(4, -1)})
    EXPECT_NE(error_of([&, c = children, r = removed] { allowed_error({}, c, r); }), "no error") << children;
}

}  // namespace
}  // namespace whisker
