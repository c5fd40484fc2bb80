// Objects after a move: they can be destroyed, assigned to, moved and copied, and everything else is an Error that
// names the type.

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/methods/methods.hpp>
#include <whisker/whisker.hpp>

#include "support/error_of.hpp"

namespace whisker {
namespace {

using namespace methods;
using test::error_of;

using Calls = std::vector<std::pair<const char*, std::function<void()>>>;

/// Expects that each of the calls reports that a `type` was moved from.
void expect_all_refused(const std::string& type, const Calls& calls) {
  for (const auto& [name, call] : calls) {
    const std::string said = error_of(call);
    EXPECT_NE(said.find(type + ": it is empty because it was moved from"), std::string::npos)
        << type << ", " << name << ": " << said;
  }
}

/// A moved-from object can be moved and copied again, which gives objects that are just as empty, and assigning to it
/// restores it. `ask` uses an object: it fails on an empty one and works on a whole one.
template <class T>
void expect_can_be_assigned(T whole, const std::function<void(T&)>& ask) {
  EXPECT_EQ(error_of([&] { ask(whole); }), "no error");
  T first = std::move(whole);
  const std::string said = error_of([&] { ask(whole); });
  EXPECT_NE(said.find("moved from"), std::string::npos) << said;
  T again = std::move(whole);
  EXPECT_EQ(error_of([&] { ask(again); }), said);
  if constexpr (std::is_copy_constructible_v<T>) {
    T copy = whole;
    EXPECT_EQ(error_of([&] { ask(copy); }), said);
    T other = first;
    other = whole;
    EXPECT_EQ(error_of([&] { ask(other); }), said);
    whole = first;
  } else {
    whole = std::move(first);
  }
  EXPECT_EQ(error_of([&] { ask(whole); }), "no error");
}

/// An object that was moved from.
template <class T>
T emptied(T object) {
  const T taken = std::move(object);
  return object;
}

Mesh small_box() {
  return Mesh(make::box()).solid();
}
Mesh small_torus() {
  return Mesh(make::torus({.around = 12, .across = 8}));
}

const std::vector<Vector3>& corners() {
  static const std::vector<Vector3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  return points;
}
const std::vector<double>& altitudes() {
  static const std::vector<double> heights = {0, 1, 0, 1, 2, 1, 0, 1, 0};
  return heights;
}
HeightField small_field() {
  return {altitudes(), 3, 3, 1, 1};
}
CustomConvex small_custom() {
  return CustomConvex([](const Vector3& d) { return Vector3(d.normalized()); }, 1e-12);
}
Compound small_compound() {
  return Compound({{Sphere{1}}, {Box{Vector3(1, 1, 1)}, Pose(Vector3(3, 0, 0))}});
}
SphereSet small_set() {
  const std::vector<double> radii(corners().size(), 0.5);
  return {corners(), radii};
}

TEST(MovedFrom, MeshRefusesEveryMember) {
  const Mesh mesh = emptied(small_box());
  const std::vector<Vector3> points;
  expect_all_refused("Mesh", {
                                 {"vertices", [&] { mesh.vertices(); }},
                                 {"triangles", [&] { mesh.triangles(); }},
                                 {"triangle_count", [&] { mesh.triangle_count(); }},
                                 {"triangle", [&] { mesh.triangle(0); }},
                                 {"solid", [&] { mesh.solid(); }},
                                 {"is_solid", [&] { mesh.is_solid(); }},
                                 {"can_be_solid", [&] { mesh.can_be_solid(); }},
                                 {"moved", [&] { mesh.moved(points); }},
                                 {"tree_report", [&] { mesh.tree_report(); }},
                                 {"bounds", [&] { mesh.bounds(); }},
                                 {"area", [&] { mesh.area(); }},
                                 {"volume", [&] { mesh.volume(); }},
                                 {"centroid", [&] { mesh.centroid(); }},
                                 {"save", [&] { encode_saved_mesh(mesh); }},
                                 {"self_contacts", [&] { self_contacts(mesh); }},
                                 {"build_sphere_tree", [&] { build_sphere_tree(mesh); }},
                                 {"check_coverage", [&] { check_coverage({}, mesh); }},
                             });
}

TEST(MovedFrom, HullFieldCustomAndCompoundRefuseEveryMember) {
  const ConvexHull hull = emptied(ConvexHull(corners()));
  expect_all_refused("ConvexHull", {
                                       {"dimension", [&] { hull.dimension(); }},
                                       {"vertices", [&] { hull.vertices(); }},
                                       {"vertex_points", [&] { hull.vertex_points(); }},
                                       {"face_count", [&] { hull.face_count(); }},
                                       {"face", [&] { hull.face(0); }},
                                       {"planes", [&] { hull.planes(); }},
                                       {"inner_planes", [&] { hull.inner_planes(); }},
                                       {"edges", [&] { hull.edges(); }},
                                       {"neighbors", [&] { hull.neighbors(0); }},
                                       {"volume", [&] { hull.volume(); }},
                                       {"centroid", [&] { hull.centroid(); }},
                                       {"bounds", [&] { hull.bounds(); }},
                                       {"support", [&] { hull.support(Vector3::UnitX()); }},
                                       {"support of nothing", [&] { hull.support(Vector3::Zero()); }},
                                       {"contains", [&] { hull.contains(Vector3::Zero()); }},
                                       {"polyhedron", [&] { hull.polyhedron(); }},
                                       {"table", [&] { DirectionTable table(hull); }},
                                       {"march", [&] { MarchingHull marching(hull); }},
                                       {"levels", [&] { HullLevels levels(hull); }},
                                   });
  const HeightField field = emptied(small_field());
  expect_all_refused("HeightField", {
                                        {"columns", [&] { field.columns(); }},
                                        {"rows", [&] { field.rows(); }},
                                        {"spacing_x", [&] { field.spacing_x(); }},
                                        {"spacing_y", [&] { field.spacing_y(); }},
                                        {"height", [&] { field.height(0, 0); }},
                                        {"vertex", [&] { field.vertex(0, 0); }},
                                        {"cell_count", [&] { field.cell_count(); }},
                                        {"triangle_count", [&] { field.triangle_count(); }},
                                        {"triangle", [&] { field.triangle(0); }},
                                        {"bounds", [&] { field.bounds(); }},
                                        {"height_at", [&] { field.height_at(0, 0); }},
                                        {"normal_at", [&] { field.normal_at(0, 0); }},
                                        {"levels", [&] { field.levels(); }},
                                        {"block_columns", [&] { field.block_columns(0); }},
                                        {"block_rows", [&] { field.block_rows(0); }},
                                        {"block_range", [&] { field.block_range(0, 0, 0); }},
                                        {"ray", [&] { ray_height_field({}, field); }},
                                    });
  const CustomConvex custom = emptied(small_custom());
  expect_all_refused("CustomConvex", {
                                         {"support", [&] { custom.support(Vector3::UnitX()); }},
                                         {"support_error", [&] { custom.support_error(); }},
                                         {"bounds", [&] { custom.bounds(); }},
                                     });
  const Compound compound = emptied(small_compound());
  expect_all_refused("Compound", {
                                     {"parts", [&] { compound.parts(); }},
                                     {"bounds", [&] { compound.bounds(); }},
                                     {"volume", [&] { compound.volume(); }},
                                     {"centroid", [&] { compound.centroid(); }},
                                     {"nested", [&] { Compound outer(std::vector<CompoundPart>{{Shape(compound)}}); }},
                                 });
}

// Every shape that holds more than numbers, with the name of its type.
std::vector<std::pair<std::string, Shape>> empty_shapes() {
  return {{"ConvexHull", emptied(Shape(ConvexHull(corners())))},
          {"CustomConvex", emptied(Shape(small_custom()))},
          {"Mesh", emptied(Shape(small_box()))},
          {"HeightField", emptied(Shape(small_field()))},
          {"Compound", emptied(Shape(small_compound()))},
          {"Compound", emptied(Shape(small_compound()))}};
}
std::vector<Shape> whole_shapes() {
  return {Sphere{1},      Box{Vector3(1, 1, 1)}, HalfSpace{},    Triangle{corners()[0], corners()[1], corners()[2]},
          Cylinder{1, 1}, ConvexHull(corners()), small_custom(), small_box(),
          small_field(),  small_compound()};
}

TEST(MovedFrom, AShapeRefusesEveryMemberButItsKind) {
  for (const auto& [type, empty] : empty_shapes()) {
    const auto& shape = empty;  // Clang 14 cannot capture a structured binding.
    expect_all_refused(type, {{"bounds", [&] { shape.bounds(); }}, {"placed bounds", [&] { shape.bounds(Pose()); }}});
    if (shape.kind() != ShapeKind::custom_convex && shape.kind() != ShapeKind::height_field)
      expect_all_refused(type, {{"volume", [&] { shape.volume(); }}});
    if (shape.kind() != ShapeKind::custom_convex) expect_all_refused(type, {{"centroid", [&] { shape.centroid(); }}});
    if (shape.has_support()) expect_all_refused(type, {{"support", [&] { shape.support(Vector3::UnitX()); }}});
    EXPECT_FALSE(shape.is_unbounded());
  }
  // Simple shapes keep their values.
  Shape ball = Sphere{2};
  const Shape other = std::move(ball);
  EXPECT_EQ(ball.as<Sphere>()->radius, 2);
}

TEST(MovedFrom, EveryQueryWithAnEmptyShapeIsAnError) {
  const Pose away(Vector3(0.25, 0.5, 0.75));
  for (const auto& [type, empty] : empty_shapes()) {
    for (const Shape& whole : whole_shapes()) {
      for (const bool is_first : {true, false}) {
        const Shape& a = is_first ? empty : whole;
        const Shape& b = is_first ? whole : empty;
        SCOPED_TRACE(std::string(name(a.kind())) + " and " + std::string(name(b.kind())));
        PairCache cache;
        Contacts found;
        bool yes[1];
        Distance far[1];
        const Pose poses[1] = {away};
        const ShapePair pairs[1] = {{&a, &b, Pose(), away}};
        expect_all_refused(type, {
                                     {"touches",
                                      [&] {
                                        touches(a, {b, away});
                                      }},
                                     {"touches, cached",
                                      [&] {
                                        touches(a, {b, away}, {.cache = &cache});
                                      }},
                                     {"contacts",
                                      [&] {
                                        contacts(a, {b, away}, {}, found);
                                      }},
                                     {"distance",
                                      [&] {
                                        distance(a, {b, away});
                                      }},
                                     {"distance, cached",
                                      [&] {
                                        distance(a, {b, away}, {.cache = &cache});
                                      }},
                                     {"closer_than",
                                      [&] {
                                        closer_than(a, {b, away}, 0.1);
                                      }},
                                     {"first_contact",
                                      [&] {
                                        first_contact({a}, {b, Straight{away, Vector3(1, 2, 3)}});
                                      }},
                                     {"touches_during",
                                      [&] {
                                        touches_during({a}, {b, Straight{away, Vector3(1, 2, 3)}});
                                      }},
                                     {"batch touches", [&] { touches(a, b, poses, yes); }},
                                     {"batch distance", [&] { distance(a, b, poses, far); }},
                                     {"batch closer_than", [&] { closer_than(a, b, poses, 0.1, yes); }},
                                     {"pairs touch", [&] { touches(pairs, yes); }},
                                     {"pairs distance", [&] { distance(pairs, far); }},
                                     {"pairs closer_than", [&] { closer_than(pairs, 0.1, yes); }},
                                 });
        // Some pairs do not support depth, whatever they are: then another Error says so.
        if (is_supported(Question::depth, a.kind(), b.kind())) {
          EXPECT_NE(error_of([&] { depth(a, {b, away}); }), "no error");
        }
        if (a.kind() < ShapeKind::mesh && b.kind() < ShapeKind::mesh)
          expect_all_refused(type, {{"depth",
                                     [&] {
                                       depth(a, {b, away});
                                     }},
                                    {"contact_manifold", [&] {
                                       contact_manifold(a, {b, away});
                                     }}});
      }
    }
    const Ray ray{Vector3(-9, 0.1, 0.2), Vector3(1, 0, 0)};
    std::vector<SurfaceHit> hits;
    std::vector<std::uint32_t> ids;
    const Shape& shape = empty;
    const SphereSet balls = small_set();
    Calls calls = {
        {"swept_bounds", [&] { swept_bounds(shape, Straight{.by = Vector3(1, 0, 0)}); }},
        {"balls touch", [&] { touches(shape, Placed(balls)); }},
        {"balls' distance", [&] { distance(shape, Placed(balls)); }},
        {"world", [&] { World().add(shape); }},
        {"articulated", [&] { Articulated({{.shapes = {{shape}}}}); }},
    };
    if (shape.kind() != ShapeKind::custom_convex) {
      calls.push_back({"cast_ray", [&] { cast_ray(ray, shape); }});
      calls.push_back({"ray_hits", [&] { ray_hits(ray, shape); }});
    }
    if (shape.kind() == ShapeKind::mesh) {
      calls.push_back({"cast_ray_all", [&] { cast_ray_all(ray, shape, {}, hits); }});
      calls.push_back({"closest_point", [&] { closest_point(shape, Vector3::Zero()); }});
      calls.push_back({"contains", [&] { contains(shape, Vector3::Zero()); }});
      calls.push_back({"signed_distance", [&] { signed_distance(shape, Vector3::Zero()); }});
      calls.push_back({"triangles_in_box", [&] {
                         triangles_in_box(shape, Aabb{Vector3::Zero(), Vector3::Ones()}, ids);
                       }});
      calls.push_back({"triangles_in_sphere", [&] { triangles_in_sphere(shape, Vector3::Zero(), 1, ids); }});
    }
    expect_all_refused(type, calls);
  }
}

TEST(MovedFrom, WorldsRefuseEveryMember) {
  World world = emptied(World());
  const BodyId id;
  const Shape ball = Sphere{1};
  expect_all_refused("World", {
                                  {"add", [&] { world.add(ball); }},
                                  {"add box",
                                   [&] {
                                     world.add_box(Aabb{Vector3::Zero(), Vector3::Ones()});
                                   }},
                                  {"remove", [&] { world.remove(id); }},
                                  {"move", [&] { world.move(id, Pose()); }},
                                  {"reshape", [&] { world.reshape(id, ball); }},
                                  {"set_options", [&] { world.set_options(id, {}); }},
                                  {"switch_off", [&] { world.switch_off(id, id); }},
                                  {"switch_on", [&] { world.switch_on(id, id); }},
                                  {"set_filter", [&] { world.set_filter({}); }},
                                  {"update", [&] { world.update(); }},
                                  {"size", [&] { world.size(); }},
                                  {"contains", [&] { world.contains(id); }},
                                  {"shape", [&] { world.shape(id); }},
                                  {"pose", [&] { world.pose(id); }},
                                  {"options", [&] { world.options(id); }},
                                  {"bodies", [&] { world.bodies(); }},
                                  {"may_meet", [&] { world.may_meet(id, id); }},
                                  {"report", [&] { world.report(); }},
                                  {"box", [&] { world.box(id); }},
                                  {"touching", [&] { world.touching(); }},
                                  {"near_pairs", [&] { world.near_pairs(); }},
                                  {"events", [&] { world.events(); }},
                                  {"unresolved", [&] { world.unresolved(); }},
                                  {"closer_than", [&] { world.closer_than(1); }},
                                  {"contacts", [&] { world.contacts(); }},
                                  {"touching a shape", [&] { world.touching(ball); }},
                                  {"overlapping", [&] { world.overlapping(Aabb{}); }},
                                  {"nearest", [&] { world.nearest(ball); }},
                                  {"cast_ray", [&] { world.cast_ray({}); }},
                                  {"cast_ray_all", [&] { world.cast_ray_all({}); }},
                                  {"first_contacts", [&] { world.first_contacts(std::span<const BodyMotion>()); }},
                                  {"translations", [&] { world.first_contacts(std::span<const BodyTranslation>()); }},
                                  {"move_to_first_contact", [&] { world.move_to_first_contact({}); }},
                                  {"schedule", [&] { ContactSchedule schedule(world); }},
                              });
  World whole;
  ContactSchedule schedule = emptied(ContactSchedule(whole));
  expect_all_refused("ContactSchedule", {
                                            {"add", [&] { schedule.add(id); }},
                                            {"remove", [&] { schedule.remove(id); }},
                                            {"set_limits", [&] { schedule.set_limits(id, {}); }},
                                            {"reset", [&] { schedule.reset(id); }},
                                            {"advance", [&] { schedule.advance(1); }},
                                            {"looked_at", [&] { schedule.looked_at(); }},
                                            {"pairs", [&] { schedule.pairs(); }},
                                            {"next_time", [&] { schedule.next_time(); }},
                                        });
}

TEST(MovedFrom, DeformingAndTetrahedralMeshesRefuseEveryMember) {
  DeformingMesh mesh = emptied(DeformingMesh(make::torus({.around = 12, .across = 8})));
  const DeformingMesh whole(make::box());
  NearFeatures near;
  SelfContacts own;
  MeshesContacts all;
  const DeformingMesh* const meshes[] = {&whole, &mesh};
  expect_all_refused("DeformingMesh", {
                                          {"set_vertices", [&] { mesh.set_vertices({}); }},
                                          {"set_step", [&] { mesh.set_step({}, {}); }},
                                          {"edit", [&] { mesh.edit({}); }},
                                          {"snapshot", [&] { mesh.snapshot(); }},
                                          {"tree_growth", [&] { mesh.tree_growth(); }},
                                          {"rebuild", [&] { mesh.rebuild(); }},
                                          {"start", [&] { mesh.start(); }},
                                          {"end", [&] { mesh.end(); }},
                                          {"triangles", [&] { mesh.triangles(); }},
                                          {"edges", [&] { mesh.edges(); }},
                                          {"cut_along", [&] { cut_along(mesh, {}); }},
                                          {"break_off", [&] { break_off(mesh, {}); }},
                                          {"first_contacts", [&] { first_contacts(mesh); }},
                                          {"first_contacts of two", [&] { first_contacts(whole, mesh); }},
                                          {"near_features", [&] { near_features(mesh, 0.1, {}, near); }},
                                          {"near_features of two", [&] { near_features(whole, mesh, 0.1, {}, near); }},
                                          {"self_contacts", [&] { self_contacts(mesh, own); }},
                                          {"contacts of all", [&] { triangle_contacts(meshes, all); }},
                                      });
  TetrahedralMesh body = emptied(TetrahedralMesh(make::tetrahedral_box({.cells_x = 1, .cells_y = 1, .cells_z = 1})));
  const std::vector<TetrahedralMesh> bodies = {body};
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  expect_all_refused("TetrahedralMesh", {
                                            {"set_vertices", [&] { body.set_vertices({}); }},
                                            {"vertices", [&] { body.vertices(); }},
                                            {"tetrahedra", [&] { body.tetrahedra(); }},
                                            {"faces", [&] { body.faces(); }},
                                            {"border_triangles", [&] { body.border_triangles(); }},
                                            {"edges", [&] { body.edges(); }},
                                            {"border_edges", [&] { body.border_edges(); }},
                                            {"border_vertices", [&] { body.border_vertices(); }},
                                            {"neighbors", [&] { body.neighbors(0); }},
                                            {"inverted", [&] { body.inverted(); }},
                                            {"contains", [&] { body.contains(0, Vector3::Zero()); }},
                                            {"border", [&] { body.border(); }},
                                            {"find", [&] { finder.find(bodies, contacts); }},
                                        });
}

TEST(MovedFrom, TreesLevelsAndFindersRefuseEveryMember) {
  const VolumeTree tree = emptied(VolumeTree(make::box()));
  const VolumeTree whole_tree(make::box());
  expect_all_refused("VolumeTree", {
                                       {"data", [&] { tree.data(); }},
                                       {"kind", [&] { tree.kind(); }},
                                       {"report", [&] { tree.report(); }},
                                       {"touches", [&] { touches(tree, Pose(), whole_tree, Pose()); }},
                                       {"touches", [&] { touches(whole_tree, Pose(), tree, Pose()); }},
                                       {"touching", [&] { triangle_contacts(whole_tree, Pose(), tree, Pose()); }},
                                       {"distance", [&] { distance(whole_tree, Pose(), tree, Pose()); }},
                                   });
  SurfaceHierarchy surface = emptied(SurfaceHierarchy(make::box()));
  const SurfaceHierarchy whole_surface(make::box());
  const SurfaceHierarchy* const surfaces[] = {&whole_surface, &surface};
  expect_all_refused("SurfaceHierarchy", {
                                             {"set_vertices", [&] { surface.set_vertices({}); }},
                                             {"vertices", [&] { surface.vertices(); }},
                                             {"triangles", [&] { surface.triangles(); }},
                                             {"options", [&] { surface.options(); }},
                                             {"self_contacts", [&] { surface.self_contacts(); }},
                                             {"contacts", [&] { triangle_contacts(surface, whole_surface); }},
                                             {"contacts", [&] { triangle_contacts(whole_surface, surface); }},
                                             {"region_count", [&] { surface.region_count(); }},
                                             {"region", [&] { surface.region(0); }},
                                             {"regions_at", [&] { surface.regions_at(0); }},
                                             {"report", [&] { surface.report(); }},
                                             {"contacts of all", [&] { triangle_contacts(surfaces); }},
                                         });
  const ConvexHull hull(corners());
  const MarchingHull march = emptied(MarchingHull(hull));
  const MarchingHull whole_march(hull);
  const DirectionTable table = emptied(DirectionTable(hull)), whole_table(hull);
  expect_all_refused("MarchingHull", {
                                         {"hull", [&] { march.hull(); }},
                                         {"closest", [&] { closest_features(march, Pose(), whole_march, Pose()); }},
                                         {"closest", [&] { closest_features(whole_march, Pose(), march, Pose()); }},
                                     });
  const MarchOptions by_tables{.table_a = &whole_table, .table_b = &table};
  expect_all_refused("DirectionTable",
                     {
                         {"vertex", [&] { table.vertex(Vector3::UnitX()); }},
                         {"size", [&] { table.size(); }},
                         {"closest", [&] { closest_features(whole_march, Pose(), whole_march, Pose(), by_tables); }},
                     });
  const HullLevels levels = emptied(HullLevels(hull)), whole_levels(hull);
  LevelTrack track;
  expect_all_refused("HullLevels",
                     {
                         {"count", [&] { levels.count(); }},
                         {"level", [&] { levels.level(0); }},
                         {"deviation", [&] { levels.deviation(0); }},
                         {"child", [&] { levels.child(0, {}); }},
                         {"parent", [&] { levels.parent(0, {}); }},
                         {"coarsest_table", [&] { levels.coarsest_table(); }},
                         {"touch", [&] { levels_touch(levels, Pose(), whole_levels, Pose(), track); }},
                         {"distance", [&] { levels_distance(whole_levels, Pose(), levels, Pose(), track); }},
                         {"refine", [&] { refine_levels(levels, Pose(), whole_levels, Pose(), track); }},
                     });
  SoupContactFinder soups = emptied(SoupContactFinder());
  expect_all_refused("SoupContactFinder", {{"find", [&] { soups.find({}); }}});
  TetrahedralContactFinder contact_finder = emptied(TetrahedralContactFinder());
  TetrahedralContacts contacts;
  expect_all_refused("TetrahedralContactFinder", {{"find", [&] { contact_finder.find({}, contacts); }}});
  TetrahedralDepthFinder depth_finder = emptied(TetrahedralDepthFinder());
  std::vector<VertexDepth> depths;
  expect_all_refused("TetrahedralDepthFinder", {{"find", [&] { depth_finder.find({}, contacts, depths); }}});
  // Working memory is as if new.
  NearFeatures near;
  const DeformingMesh torus(make::torus({.around = 12, .across = 8}));
  near_features(torus, 0.1, {}, near);
  const NearFeatures taken = std::move(near);
  near_features(torus, 0.1, {}, near);
  EXPECT_EQ(near.pairs.size(), taken.pairs.size());
}

TEST(MovedFrom, SpheresRefuseEveryMember) {
  const SphereSet set = emptied(small_set()), whole_set = small_set();
  Interval answers[1];
  const Shape ball = Sphere{1};
  expect_all_refused("SphereSet", {
                                      {"size", [&] { set.size(); }},
                                      {"center", [&] { set.center(0); }},
                                      {"radius", [&] { set.radius(0); }},
                                      {"x", [&] { set.x(); }},
                                      {"y", [&] { set.y(); }},
                                      {"z", [&] { set.z(); }},
                                      {"radii", [&] { set.radii(); }},
                                      {"ball", [&] { set.ball(); }},
                                      {"bounds", [&] { set.bounds(); }},
                                      {"touches", [&] { touches(ball, Placed(set)); }},
                                      {"touches", [&] { touches(Placed(whole_set), Placed(set)); }},
                                      {"first_touching", [&] { first_touching(ball, Placed(set)); }},
                                      {"distance", [&] { distance(ball, Placed(set)); }},
                                      {"distance", [&] { distance(Placed(set), Placed(whole_set)); }},
                                      {"clearances", [&] { clearances(ball, Placed(set), answers); }},
                                      {"encode_sph", [&] { encode_sph(set); }},
                                      {"protrusion", [&] { protrusion(set, small_box()); }},
                                  });
  const SphereTree tree = build_sphere_tree(small_box(), {.method = SphereTreeMethod::octree, .depth = 1});
  const SphereBody body = emptied(SphereBody(tree, small_box())), whole_body(tree, small_box());
  SphereQuery query;
  expect_all_refused("SphereBody", {
                                       {"size", [&] { body.size(); }},
                                       {"sphere", [&] { body.sphere(0); }},
                                       {"protrusion", [&] { body.protrusion(0); }},
                                       {"first_child", [&] { body.first_child(0); }},
                                       {"child_count", [&] { body.child_count(0); }},
                                       {"is_leaf", [&] { body.is_leaf(0); }},
                                       {"mesh", [&] { body.mesh(); }},
                                       {"touches", [&] { touches(Placed(body), Placed(whole_body)); }},
                                       {"touches", [&] { touches(ball, Placed(body)); }},
                                       {"distance", [&] { distance(Placed(whole_body), Placed(body)); }},
                                       {"contacts", [&] { sphere_contacts(whole_body, body); }},
                                       {"query", [&] { query.restart(Placed(body), Placed(whole_body)); }},
                                       {"world", [&] { SphereWorld().add(body); }},
                                   });
  SphereQuery gone = emptied(SphereQuery());
  expect_all_refused("SphereQuery", {
                                        {"restart", [&] { gone.restart(ball, Placed(whole_body)); }},
                                        {"advance", [&] { gone.advance(); }},
                                        {"lower", [&] { gone.lower(); }},
                                        {"upper", [&] { gone.upper(); }},
                                        {"result", [&] { gone.result(); }},
                                        {"updates", [&] { gone.updates(); }},
                                        {"tests", [&] { gone.tests(); }},
                                        {"operations", [&] { gone.operations(); }},
                                    });
  SphereWorld world = emptied(SphereWorld());
  const BodyId id;
  expect_all_refused("SphereWorld", {
                                        {"add", [&] { world.add(whole_body); }},
                                        {"remove", [&] { world.remove(id); }},
                                        {"move", [&] { world.move(id, Pose()); }},
                                        {"pose", [&] { world.pose(id); }},
                                        {"body", [&] { world.body(id); }},
                                        {"size", [&] { world.size(); }},
                                        {"set_priority", [&] { world.set_priority({}); }},
                                        {"begin_step", [&] { world.begin_step(); }},
                                        {"advance", [&] { world.advance(); }},
                                        {"collect", [&] { world.collect(); }},
                                        {"pairs", [&] { world.pairs(); }},
                                        {"contacts", [&] { world.contacts(); }},
                                        {"contacts of a pair", [&] { world.contacts(SpherePair{}); }},
                                    });
}

TEST(MovedFrom, AnArticulatedBodyRefusesEveryMember) {
  Articulated arm = emptied(Articulated({{.name = "base", .shapes = {{Sphere{1}}}}}));
  const std::vector<double> positions;
  const ArticulatedStep step{arm, positions, positions};
  expect_all_refused("Articulated", {
                                        {"links", [&] { arm.links(); }},
                                        {"position_count", [&] { arm.position_count(); }},
                                        {"first_position", [&] { arm.first_position(0); }},
                                        {"poses", [&] { arm.poses(positions); }},
                                        {"is_adjacent", [&] { arm.is_adjacent(0, 0); }},
                                        {"leave_out", [&] { arm.leave_out(0, 0); }},
                                        {"link_motion", [&] { link_motion(step, 0); }},
                                        {"first_contacts", [&] { first_contacts(step); }},
                                        {"first_contacts of two", [&] { first_contacts(step, step); }},
                                    });
}

TEST(MovedFrom, WhatIsAssignedToItMakesItWhole) {
  expect_can_be_assigned<Mesh>(small_box(), [](Mesh& m) { m.bounds(); });
  expect_can_be_assigned<Shape>(small_box(), [](Shape& s) { s.bounds(); });
  expect_can_be_assigned<ConvexHull>(ConvexHull(corners()), [](ConvexHull& h) { h.bounds(); });
  expect_can_be_assigned<HeightField>(small_field(), [](HeightField& f) { f.bounds(); });
  expect_can_be_assigned<CustomConvex>(small_custom(), [](CustomConvex& c) { c.bounds(); });
  expect_can_be_assigned<Compound>(small_compound(), [](Compound& c) { c.bounds(); });
  expect_can_be_assigned<World>(World(), [](World& w) { w.update(); });
  expect_can_be_assigned<SphereWorld>(SphereWorld(), [](SphereWorld& w) { w.begin_step(); });
  expect_can_be_assigned<SphereQuery>(SphereQuery(), [](SphereQuery& q) { q.lower(); });
  expect_can_be_assigned<SphereSet>(small_set(), [](SphereSet& s) { s.ball(); });
  expect_can_be_assigned<SphereBody>(
      SphereBody(build_sphere_tree(small_box(), {.method = SphereTreeMethod::octree, .depth = 1}), small_box()),
      [](SphereBody& b) { b.mesh(); });
  expect_can_be_assigned<DeformingMesh>(DeformingMesh(make::box()), [](DeformingMesh& m) { m.snapshot(); });
  expect_can_be_assigned<TetrahedralMesh>(TetrahedralMesh(make::tetrahedral_box()),
                                          [](TetrahedralMesh& m) { m.border(); });
  expect_can_be_assigned<SurfaceHierarchy>(SurfaceHierarchy(make::box()), [](SurfaceHierarchy& s) { s.report(); });
  expect_can_be_assigned<VolumeTree>(VolumeTree(make::box()), [](VolumeTree& t) { t.report(); });
  expect_can_be_assigned<MarchingHull>(MarchingHull(ConvexHull(corners())), [](MarchingHull& h) { h.hull(); });
  expect_can_be_assigned<DirectionTable>(DirectionTable(ConvexHull(corners())), [](DirectionTable& t) { t.size(); });
  expect_can_be_assigned<HullLevels>(HullLevels(ConvexHull(corners())), [](HullLevels& l) { l.count(); });
  expect_can_be_assigned<Articulated>(Articulated(std::vector<Link>(1)), [](Articulated& a) { a.links(); });
  expect_can_be_assigned<SoupContactFinder>(SoupContactFinder(), [](SoupContactFinder& f) { f.find({}); });
  // The moved-from object does not affect the new one.
  Mesh mesh = small_torus();
  const std::size_t triangles = mesh.triangle_count();
  const Mesh taken = std::move(mesh);
  EXPECT_EQ(taken.triangle_count(), triangles);
}

}  // namespace
}  // namespace whisker
