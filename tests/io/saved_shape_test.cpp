// Saved shapes of every kind: they are restored unchanged and answer as before, and modified files are refused.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/io.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "fuzz/fuzz_saved.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/internals.hpp"
#include "shapes/rounded_data.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_vectors.hpp"

// A namespace of its own: the tests of saved meshes have similar helpers.
namespace whisker::saved_shape {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::error_of;
using test::read_hostile_saved_shape;
using test::with_right_checksum;
using test::with_right_size;

Shape decoded(const std::string& file) {
  return decode_shape(bytes_of(file), "file");
}

std::string refusal(const std::string& file) {
  return error_of([&] { decoded(file); });
}

// ---- shapes

std::vector<Vector3> random_points(std::uint64_t stream, std::size_t count, double size = 1) {
  auto random = test::seeded(stream);
  std::vector<Vector3> points(count);
  for (Vector3& p : points)
    p = test::random_vector(random, size);
  return points;
}

/// A box whose corners are rotated and therefore not quite coplanar, with points inside and on it.
std::vector<Vector3> sloppy_box(std::uint64_t stream) {
  auto random = test::seeded(stream);
  const Pose pose = test::normal_pose(random, 1);
  std::vector<Vector3> points;
  for (int i = 0; i < 40; ++i)
    points.push_back(place(pose, test::random_vector(random)));
  for (int i = 0; i < 8; ++i)
    points.push_back(place(pose, Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  std::shuffle(points.begin(), points.end(), random);
  return points;
}

std::vector<ConvexHull> some_hulls() {
  std::vector<ConvexHull> hulls = {
      ConvexHull(random_points(81, 300)),
      ConvexHull(make::icosphere({.subdivisions = 3}).vertices),
      ConvexHull(make::box({.subdivisions = 4}).vertices),  // most points lie on faces and edges
      ConvexHull(std::vector<Vector3>{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 1}, {0, 0, 1}}),
      ConvexHull(std::vector<Vector3>{{2, 2, 2}, {0, 0, 0}, {1, 1, 1}, {-0.0, 0, 0}}),
      ConvexHull(std::vector<Vector3>{{1, 2, 3}, {1, 2, 3}}),
      ConvexHull(random_points(82, 100, 1e80)),
      ConvexHull(random_points(83, 100, 1e-200)),
  };
  for (std::uint64_t stream = 84; stream < 94; ++stream)
    hulls.emplace_back(sloppy_box(stream), HullOptions{.merge_distance = 1e-9});
  // Scaling points this large is exact for the vertices, but not for the tiny point inside.
  std::vector<Vector3> wide = random_points(94, 30, 1e80);
  wide.emplace_back(1e-290, -1e-300, 1e-310);
  hulls.emplace_back(wide);
  // Coarsely merged: which faces join depends on the order in which they are tried.
  for (const double merge : {0.01, 0.1, 0.5})
    hulls.emplace_back(random_points(95, 200), HullOptions{.merge_distance = merge});
  return hulls;
}

HeightField hills() {
  std::vector<double> heights;
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 13; ++i)
      heights.push_back(0.1 * ((7 * i + 5 * j * j) % 11));
  return {heights, 13, 9, 0.2, 0.25};
}

SphereSet some_balls() {
  const std::vector<Vector3> centers = random_points(96, 150);
  std::vector<double> radii(centers.size(), 0.1);
  radii[7] = 0;
  return {centers, radii};
}

SphereBody some_body() {
  static const SphereBody body = [] {
    const Mesh mesh = Mesh(make::torus({.minor = 0.4, .around = 24, .across = 12})).solid();
    return SphereBody(build_sphere_tree(mesh, {.method = SphereTreeMethod::octree, .depth = 2}), mesh);
  }();
  return body;
}

std::vector<Mesh> some_meshes() {
  const MeshData gear = make::gear({.teeth = 9, .module = 0.2});
  std::vector<Mesh> meshes = {Mesh(make::icosphere({.subdivisions = 2})), Mesh(gear).solid(),
                              Mesh(make::cloth_sheet({.columns = 9, .rows = 12}))};
  for (const Split split : {Split::median, Split::morton, Split::bottom_up})
    meshes.emplace_back(gear, TreeOptions{.split = split});
  // Moved, and deformed: their trees were fitted again.
  std::vector<Vector3> bent = gear.vertices;
  for (Vector3& v : bent)
    v[2] += 0.1 * v[0] * v[0];
  meshes.push_back(meshes[1].moved(bent));
  DeformingMesh deforming(gear);
  meshes.push_back(deforming.snapshot());
  deforming.set_vertices(bent);
  meshes.push_back(deforming.snapshot());
  deforming.edit(break_off(deforming, std::vector<std::uint32_t>{3, 4, 5, 60}));
  deforming.edit({.new_vertices = {Vector3(1, 2, 3)}, .removed = {0, 1, 17, 33}, .added = {{1, 5, 9}}});
  deforming.set_vertices(std::vector<Vector3>(deforming.end().begin(), deforming.end().end()));
  meshes.push_back(deforming.snapshot());
  return meshes;
}

std::vector<Shape> some_primitives() {
  return {Sphere{0.75},
          Sphere{0},
          Capsule{0.3, 1.1},
          Box{{1, 0.2, 1.7}},
          HalfSpace{{0.1, -0.2, 3}, 0.125},
          Plane{{0, 0, -2}, -0.0},
          Segment{{0.1, 0.2, 0.3}, {1, -1, 0.5}},
          Triangle{{0, 0, 0}, {1, 0.1, 0}, {0.3, 1, -0.0}},
          Cylinder{0.5, 1.25},
          Cone{0.6, 1.5},
          Ellipsoid{{0.3, 0.7, 1.1}}};
}

Compound assembly() {
  auto random = test::seeded(97);
  std::vector<CompoundPart> parts;
  for (const Shape& shape : some_primitives())
    if (!shape.is_unbounded()) parts.push_back({shape, test::normal_pose(random, 2)});
  const Mesh mesh(make::icosphere({.radius = 0.5, .subdivisions = 1}));
  const Compound inner({{mesh, test::normal_pose(random, 1)},
                        {mesh.solid(), test::normal_pose(random, 1)},
                        {some_hulls()[0], test::normal_pose(random, 1)},
                        {some_balls(), test::normal_pose(random, 1)}});
  parts.push_back({inner, test::normal_pose(random, 1)});
  parts.push_back({inner, test::normal_pose(random, 1)});
  parts.push_back({mesh, test::normal_pose(random, 1)});
  return Compound(std::move(parts));
}

std::vector<Shape> shapes_of_every_kind() {
  std::vector<Shape> shapes = some_primitives();
  for (const ConvexHull& hull : some_hulls())
    shapes.emplace_back(hull);
  for (const Mesh& mesh : some_meshes())
    shapes.emplace_back(mesh);
  shapes.emplace_back(hills());
  shapes.emplace_back(some_balls());
  shapes.emplace_back(some_body());
  shapes.emplace_back(assembly());
  shapes.emplace_back(Compound({{HalfSpace{{0, 0, 1}, -1}}, {Sphere{0.5}}, {some_body()}}));
  shapes.emplace_back(rounded(Box{{1, 0.2, 1.7}}, 0.125));
  shapes.emplace_back(rounded(some_meshes()[0], 0.1));
  shapes.emplace_back(Compound({{rounded(some_meshes()[0], 0.1)}, {rounded(hills(), 0.01)}, {some_meshes()[0]}}));
  shapes.emplace_back(rounded(Plane{{0, 1, 2}, 0.5}, 0.25));
  shapes.emplace_back(ground(hills()));
  shapes.emplace_back(rounded(ground(hills()), 0.05));
  shapes.emplace_back(Compound({{ground(hills())}, {Sphere{0.5}}, {rounded(ground(hills()), 0.1)}}));
  return shapes;
}

// ---- answers, as bytes

class Digest {
 public:
  void add(double x) { io::append_little(bytes, x); }
  void add(const Vector3& v) {
    for (const double x : v)
      add(x);
  }
  void add(std::integral auto x) { io::append_little(bytes, static_cast<std::uint64_t>(x)); }
  void add(const Feature& f) {
    add(static_cast<unsigned>(f.kind));
    add(f.id);
    add(f.part);
  }
  void add(const Aabb& box) {
    add(box.lower);
    add(box.upper);
  }
  void add(const Cost& cost) {
    add(cost.volume_tests);
    add(cost.primitive_tests);
  }

  std::string bytes;
};

/// Everything that two shapes answer, bit by bit, and the Errors where they refuse to.
std::string answers(const Shape& shape, const Shape& probe, const Pose& pose, const Ray& ray) {
  Digest digest;
  const auto add = [&](const std::function<void()>& query) { digest.bytes += error_of(query); };
  const Pose here(Vector3(0.01, 0.02, 0.03));
  add([&] { digest.add(shape.bounds()); });
  add([&] { digest.add(shape.bounds(pose)); });
  add([&] { digest.add(shape.volume()); });
  add([&] { digest.add(shape.centroid()); });
  add([&] { digest.add(shape.support(ray.direction)); });
  add([&] {
    Cost cost;
    digest.add(touches({shape, here}, {probe, pose}, &cost));
    digest.add(cost);
  });
  add([&] {
    const Distance d = distance({shape, here}, {probe, pose});
    for (const double x : {d.lower, d.upper})
      digest.add(x);
    for (const Vector3& v : {d.point_a, d.point_b, d.normal})
      digest.add(v);
    digest.add(d.feature_a);
    digest.add(d.feature_b);
    digest.add(d.cost);
  });
  add([&] {
    const Depth d = depth({shape, here}, {probe, pose}, {.budget = 20'000});
    for (const double x : {d.lower, d.upper})
      digest.add(x);
    for (const Vector3& v : {d.point_a, d.point_b, d.normal})
      digest.add(v);
  });
  add([&] {
    for (const Contact& contact : contacts({shape, here}, {probe, pose}).pairs) {
      digest.add(contact.a);
      digest.add(contact.b);
      digest.add(contact.segment.a);
      digest.add(contact.segment.b);
    }
  });
  add([&] {
    if (const auto hit = cast_ray(ray, {shape, here})) {
      digest.add(hit->t);
      digest.add(hit->point);
      digest.add(hit->normal);
    }
  });
  return digest.bytes;
}

TEST(SavedShape, EveryKindComesBackAndAnswersBitForBit) {
  const std::vector<Shape> shapes = shapes_of_every_kind();
  const std::vector<Shape> probes = {Sphere{0.3}, Box{{0.4, 0.5, 0.6}},
                                     Mesh(make::icosphere({.subdivisions = 1})).solid(), Capsule{0.1, 1}};
  auto random = test::seeded(98);
  std::array<bool, shapes::known_kinds> seen = {};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& before = shapes[i];
    const std::string file = encode_shape(before);
    const Shape after = decoded(file);
    ASSERT_EQ(after.kind(), before.kind()) << i;
    EXPECT_EQ(encode_shape(after), file) << i;
    EXPECT_TRUE(read_hostile_saved_shape(file)) << i;
    seen[static_cast<std::size_t>(before.kind())] = true;
    const Aabb box = before.bounds();
    const double size = before.is_unbounded() ? 1 : std::min((box.upper - box.lower).maxCoeff(), 1e30);
    for (std::size_t k = 0; k < test::cases(8); ++k) {
      const Pose pose = test::normal_pose(random, size);
      const Ray ray{test::random_vector(random, 2 * size), test::random_unit(random)};
      const Shape& probe = probes[k % probes.size()];
      EXPECT_EQ(answers(before, probe, pose, ray), answers(after, probe, pose, ray))
          << name(before.kind()) << ", shape " << i << ", query " << k;
    }
  }
  for (std::size_t kind = 0; kind < shapes::known_kinds; ++kind)
    EXPECT_EQ(seen[kind], static_cast<ShapeKind>(kind) != ShapeKind::custom_convex)
        << name(static_cast<ShapeKind>(kind));
}

TEST(SavedShape, AnswersDifferWhereShapesDiffer) {  // so that the test above means something
  const Ray ray{{0, 0, 5}, {0, 0, -1}};
  const Shape probe = Sphere{1};
  EXPECT_NE(answers(Sphere{1}, probe, {}, ray), answers(Sphere{std::nextafter(1.0, 2.0)}, probe, {}, ray));
}

template <class Element>
bool same_elements(std::span<const Element> a, std::span<const Element> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

TEST(SavedShape, HullsComeBackWithAllTheirParts) {
  std::size_t merged = 0, with_inside_points = 0;
  for (const ConvexHull& before : some_hulls()) {
    const Shape loaded = decoded(encode_shape(before));
    const ConvexHull& after = *loaded.as<ConvexHull>();
    SCOPED_TRACE(testing::Message() << "hull of " << before.vertices().size() << " vertices, the first at "
                                    << before.vertices()[0].transpose() << ", " << before.face_count() << " faces");
    EXPECT_EQ(before.dimension(), after.dimension());
    EXPECT_TRUE(same_elements(before.vertices(), after.vertices()));
    EXPECT_TRUE(same_elements(before.vertex_points(), after.vertex_points()));
    EXPECT_TRUE(same_elements(before.planes(), after.planes()));
    EXPECT_TRUE(same_elements(before.inner_planes(), after.inner_planes()));
    EXPECT_TRUE(same_elements(before.edges(), after.edges()));
    ASSERT_EQ(before.face_count(), after.face_count());
    for (std::size_t f = 0; f < before.face_count(); ++f) {
      EXPECT_TRUE(same_elements(before.face(f), after.face(f)));
      merged += before.face(f).size() > 3 ? 1u : 0u;
    }
    EXPECT_EQ(before.volume(), after.volume());
    EXPECT_EQ(before.centroid(), after.centroid());
    with_inside_points += before.vertex_points().back() + 1 > before.vertices().size() ? 1u : 0u;
  }
  EXPECT_GT(merged, 50u);
  EXPECT_GT(with_inside_points, 10u);
}

TEST(SavedShape, WhatWasSharedIsStoredOnceAndSharedAgain) {
  const Mesh mesh(make::icosphere({.subdivisions = 3}));
  const ConvexHull hull(random_points(99, 100));
  const HeightField field = hills();
  const SphereSet set = some_balls();
  const SphereBody body = some_body();
  const Compound inner({{mesh}, {hull}, {field}, {set}, {body}, {body.mesh()}});
  const Shape twice =
      Compound({{inner}, {inner, Pose(Vector3(1, 2, 3))}, {mesh.solid()}, {mesh.solid()}, {mesh}, {hull}});
  const std::string file = encode_shape(twice);
  EXPECT_LT(file.size(), encode_shape(inner).size() + 1000);

  const Shape loaded = decoded(file);
  const auto outer = loaded.as<Compound>()->parts();
  const auto part = [&](std::size_t i) { return outer[i].shape; };
  const Compound &a = *outer[0].shape.as<Compound>(), &b = *outer[1].shape.as<Compound>();
  EXPECT_EQ(&storage_of(a), &storage_of(b));
  const Mesh& own = *a.parts()[0].shape.as<Mesh>();
  for (const std::size_t i : {2u, 3u, 4u})
    EXPECT_EQ(&storage_of(*outer[i].shape.as<Mesh>()), &storage_of(own)) << i;
  EXPECT_TRUE(part(2).as<Mesh>()->is_solid());
  EXPECT_TRUE(part(3).as<Mesh>()->is_solid());
  EXPECT_FALSE(part(4).as<Mesh>()->is_solid());
  EXPECT_FALSE(own.is_solid());
  EXPECT_TRUE(same_storage(*a.parts()[1].shape.as<ConvexHull>(), *outer[5].shape.as<ConvexHull>()));
  EXPECT_EQ(&storage_of(a.parts()[4].shape.as<SphereBody>()->mesh()), &storage_of(*a.parts()[5].shape.as<Mesh>()));
  EXPECT_TRUE(a.parts()[5].shape.as<Mesh>()->is_solid());

  // Equal shapes that were not shared stay apart.
  const Shape apart = decoded(encode_shape(Compound({{ConvexHull(hull.vertices())}, {ConvexHull(hull.vertices())}})));
  EXPECT_FALSE(same_storage(*apart.as<Compound>()->parts()[0].shape.as<ConvexHull>(),
                            *apart.as<Compound>()->parts()[1].shape.as<ConvexHull>()));
}

Shape nested(std::size_t levels, std::size_t copies, Shape shape) {
  for (std::size_t i = 0; i < levels; ++i) {
    std::vector<CompoundPart> parts;
    for (std::size_t k = 0; k < copies; ++k)
      parts.push_back({shape, Pose(Vector3(0.5 * static_cast<double>(k), 0, 0.25))});
    shape = Compound(std::move(parts));
  }
  return shape;
}

TEST(SavedShape, CompoundsAreNestedAsDeeplyAsTheyMayBe) {
  for (const std::size_t copies : {1u, 2u}) {
    const Shape deep = nested(copies == 1 ? Compound::max_nesting : 31, copies, Sphere{1});
    const std::string file = encode_shape(deep);
    EXPECT_LT(file.size(), 20'000u);
    const Shape again = decoded(file);
    EXPECT_EQ(encode_shape(again), file);
    EXPECT_EQ(again.bounds().upper, deep.bounds().upper);
    EXPECT_EQ(storage_of(*again.as<Compound>()).part_count, storage_of(*deep.as<Compound>()).part_count);
  }
}

TEST(SavedShape, FunctionsAreRefused) {
  const CustomConvex custom([](const Vector3& d) -> Vector3 { return d.normalized(); }, 1e-15);
  struct Nothing : RegisteredShape::Data {
    Aabb bounds(const Pose&) const override { return {Vector3::Zero(), Vector3::Zero()}; }
    double volume() const override { return 0; }
    Vector3 centroid() const override { return Vector3::Zero(); }
  };
  const Shape registered = RegisteredShape(static_cast<ShapeKind>(shapes::known_kinds), std::make_shared<Nothing>());
  const std::string words = "consists of functions, which a file cannot contain; save what it is made from";
  EXPECT_EQ(error_of([&] { encode_shape(custom); }), "save_shape: a shape of the kind \"custom convex\" " + words);
  EXPECT_EQ(error_of([&] { encode_shape(nested(2, 2, custom)); }),
            "save_shape: a shape of the kind \"custom convex\" " + words);
  EXPECT_NE(error_of([&] { encode_shape(registered); }).find(words), std::string::npos);
  Mesh mesh(make::box());
  const Mesh taken = std::move(mesh);
  EXPECT_NE(error_of([&] { encode_shape(mesh); }).find("moved from"), std::string::npos);
}

TEST(SavedShape, GoesThroughAFile) {
  const fs::path folder = fs::temp_directory_path() / ("whisker_saved_shape_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path path = folder / "part.whisker";
  const Shape shape = assembly();
  save_shape(shape, path);
  EXPECT_EQ(encode_shape(load_shape(path)), encode_shape(shape));
  EXPECT_EQ(fs::file_size(path), encode_shape(shape).size());
  save_shape(Sphere{2}, path);  // replaces it
  EXPECT_EQ(load_shape(path).as<Sphere>()->radius, 2);
  EXPECT_EQ(error_of([&] { load_saved_mesh(path); }),
            path.string() + ": the file contains a sphere, not a mesh: load it with load_shape");
  EXPECT_NE(error_of([&] { load_shape(folder / "missing"); }).find("missing: cannot open"), std::string::npos);
  EXPECT_NE(error_of([&] { save_shape(shape, folder / "no" / "part"); }).find("cannot write"), std::string::npos);
  std::ofstream(path, std::ios::binary | std::ios::app) << 'x';
  EXPECT_EQ(error_of([&] { load_shape(path); }),
            path.string() + ": the file is too long (53 bytes instead of 52): get it again");
  const Mesh mesh(make::box());
  save_mesh(mesh, path);  // the same file as that of save_shape
  EXPECT_EQ(encode_shape(load_shape(path)), encode_shape(mesh));
  fs::remove_all(folder);
}

// ---- files that are damaged or forged

/// A small file with every kind of record.
std::string small_file() {
  const Mesh mesh(make::box());
  const Mesh solid = mesh.solid();
  SphereTree tree;
  tree.nodes.push_back({.sphere = {Vector3::Zero(), 2}, .first_child = 1, .child_count = 2});
  tree.nodes.push_back({.sphere = {Vector3(0.1, 0, 0), 2}});
  tree.nodes.push_back({.sphere = {Vector3(-0.1, 0, 0), 2}});
  const std::vector<double> heights = {0, 1, 2, 3, 4, 5};
  std::vector<CompoundPart> parts;
  for (const Shape& shape : some_primitives())
    parts.push_back({shape});
  const ConvexHull hull(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const SphereSet set(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}}, std::vector<double>{1, 0.5});
  parts.push_back({Compound({{hull}, {mesh}, {HeightField(heights, 3, 2, 1, 1)}, {set}})});
  parts.push_back({SphereBody(tree, solid), Pose(Vector3(1, 2, 3))});
  return encode_shape(Compound(std::move(parts)));
}

TEST(SavedShape, EveryTruncationIsRefused) {
  const std::string file = small_file();
  ASSERT_EQ(refusal(file), "no error");
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_TRUE(refusal(file.substr(0, size)).starts_with("file: ")) << size;
    EXPECT_FALSE(read_hostile_saved_shape(with_right_size(file.substr(0, size)))) << size;
  }
  EXPECT_NE(refusal(file + '\0').find("the file is too long"), std::string::npos);
  EXPECT_FALSE(read_hostile_saved_shape(with_right_size(file + '\0')));
}

TEST(SavedShape, EveryFlippedBitIsRefused) {
  const std::string file = small_file();
  std::string damaged = file;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      damaged[at] = static_cast<char>(file[at] ^ (1 << bit));
      EXPECT_TRUE(refusal(damaged).starts_with("file: ")) << "byte " << at << ", bit " << bit;
    }
    damaged[at] = file[at];
  }
}

TEST(SavedShape, EveryFlippedBitWithARightChecksumIsReadOrRefusedCleanly) {
  const std::string file = small_file();
  std::string damaged = file;
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      damaged[at] = static_cast<char>(file[at] ^ (1 << bit));
      accepted += read_hostile_saved_shape(with_right_checksum(damaged)) ? 1u : 0u;
    }
    damaged[at] = file[at];
  }
  EXPECT_GT(accepted, file.size());      // other coordinates
  EXPECT_LT(accepted, 6 * file.size());  // counts, links, references
  std::printf("flipped: %zu of %zu files were accepted\n", accepted, 8 * file.size());
}

TEST(SavedShape, RandomDamageIsReadOrRefusedCleanly) {
  auto random = test::seeded(100);
  std::vector<std::string> files = {small_file()};
  for (const Shape& shape : shapes_of_every_kind())
    if (files.emplace_back(encode_shape(shape)).size() > 5000) files.pop_back();
  for (std::size_t i = 0; i < test::cases(10'000); ++i) {
    std::string file = files[random() % 2 == 0 ? 0 : random() % files.size()];
    for (std::size_t damages = 1 + random() % 3; damages > 0; --damages) {
      const std::size_t at = random() % file.size(), from = random() % file.size();
      const std::string piece = file.substr(from, 1 + random() % 40);
      switch (random() % 4) {
        case 0:
          file[at] = static_cast<char>(random());
          break;
        case 1:
          file.replace(at, piece.size(), piece);
          break;
        case 2:
          file.insert(at, piece);
          break;
        default:
          file.erase(at, piece.size());
          if (file.empty()) file = " ";
      }
    }
    read_hostile_saved_shape(with_right_size(file));
  }
}

// Records as a forger writes them.
class Forged {
 public:
  template <class... Numbers>
  Forged& record(std::uint32_t kind, Numbers... numbers) {
    std::string content;
    (io::append_little(content, numbers), ...);
    return content_record(kind, content);
  }
  Forged& content_record(std::uint32_t kind, const std::string& content) {
    io::append_little(records_, kind);
    io::append_little(records_, std::uint64_t{content.size()});
    records_ += content;
    ++count_;
    return *this;
  }
  /// The records of another file.
  Forged& records_of(const Shape& shape) {
    const std::string file = encode_shape(shape);
    records_ += file.substr(32);
    count_ += io::load<std::uint32_t>(file.data() + 12, std::endian::little);
    return *this;
  }
  std::string file() const { return file(count_); }
  std::string file(std::uint32_t count) const {
    std::string out(io::saved_magic);
    io::append_little(out, std::uint32_t{2});
    io::append_little(out, count);
    io::append_little(out, std::uint64_t{0});
    io::append_little(out, std::uint64_t{0});
    return with_right_size(out + records_);
  }

 private:
  std::string records_;
  std::uint32_t count_ = 0;
};

/// A part of a compound, in its place.
std::string part_of(std::uint32_t number, const Matrix3& rotation = Matrix3::Identity(),
                    const Vector3& translation = Vector3::Zero()) {
  std::string out;
  io::append_little(out, number);
  for (int row = 0; row < 3; ++row)
    for (const double x : Vector3(rotation.row(row)))
      io::append_little(out, x);
  for (const double x : translation)
    io::append_little(out, x);
  return out;
}

std::string compound_of(const std::vector<std::string>& parts) {
  std::string out;
  io::append_little(out, std::uint64_t{parts.size()});
  for (const std::string& part : parts)
    out += part;
  return out;
}

constexpr std::uint32_t sphere = 1, box_kind = 3, plane = 5, hull_kind = 11, mesh_kind = 12, solid_kind = 13,
                        field_kind = 14, compound = 15, set_kind = 16, body_kind = 17, rounded_kind = 18,
                        ground_kind = 19;

TEST(SavedShape, SaysWhatIsWrong) {
  const auto expect = [&](const std::string& file, const std::string& words) {
    EXPECT_EQ(refusal(file).substr(0, words.size() + 6), "file: " + words);
    read_hostile_saved_shape(file);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t one = 1, two = 2, huge = std::uint64_t{1} << 60;
  expect("", "the file is cut short");
  expect("solid", "this is not a file that save_shape wrote");
  expect(Forged().record(sphere, 1.0).file(0), "the file is damaged (its number of records does not fit its size)");
  expect(Forged().record(sphere, 1.0).file(0xFFFFFFFF), "the file is damaged (its number of records");
  expect(Forged().record(sphere, 1.0).record(sphere, 1.0).file(1), "the file is damaged (there is something after");
  expect(Forged().record(0, 1.0).file(), "record 0: it is of a kind that this whisker does not support");
  expect(Forged().record(20, 1.0).file(), "record 0: it is of a kind that this whisker does not support");
  expect(Forged().record(rounded_kind, std::uint32_t{0}, 1.0).file(),
         "record 0: it refers to record 0, which does not come before it");
  expect(Forged().record(sphere, 1.0).record(rounded_kind, std::uint32_t{0}, 1.0).file(),
         "record 1: it refers to record 0, which cannot be rounded");
  expect(Forged().record(box_kind, 1.0, 1.0, 1.0).record(rounded_kind, std::uint32_t{0}, -1.0).file(), "record 1: ");
  expect(Forged().record(box_kind, 1.0, 1.0, 1.0).record(rounded_kind, std::uint32_t{0}, nan).file(), "record 1: ");
  expect(Forged().record(sphere, 1.0f).file(), "record 0: it is cut short");
  expect(Forged().record(sphere, 1.0, 2.0).file(), "record 0: it is too long");
  expect(Forged().record(sphere, -1.0).file(), "record 0: sphere: radius");
  expect(Forged().record(sphere, nan).file(), "record 0: sphere: radius");
  expect(Forged().record(sphere, 1e91).file(), "record 0: sphere: radius");
  expect(Forged().record(plane, 0.0, 0.0, 0.0, 1.0).file(), "record 0: plane: normal");
  expect(Forged().record(sphere, 1.0).record(sphere, 1.0).file(), "record 0: nothing refers to it");
  std::string cut = Forged().record(sphere, 1.0).file();
  cut[36] = 9;  // a record that is longer than the file
  expect(with_right_checksum(cut), "record 0: it is cut short");
  cut.replace(36, 8, std::string(8, '\xFF'));
  expect(with_right_checksum(cut), "record 0: it is cut short");

  // Compounds.
  expect(Forged().record(compound, std::uint64_t{0}).file(), "record 0: compound: it has no parts");
  expect(Forged().content_record(compound, compound_of({part_of(0)})).file(), "record 0: it refers to record 0, which");
  expect(Forged().content_record(compound, compound_of({part_of(1)})).record(sphere, 1.0).file(),
         "record 0: it refers to record 1, which does not come before it");
  expect(Forged().record(sphere, 1.0).record(compound, huge).file(), "record 1: its count does not fit its size");
  // 100 times this count is 4 modulo 2^64.
  expect(Forged().record(sphere, 1.0).record(compound, std::uint64_t{0x28F5C28F5C28F5C3}, 0u).file(),
         "record 1: its count does not fit its size");
  expect(Forged().record(sphere, 1.0).content_record(compound, compound_of({part_of(0)}) + "x").file(),
         "record 1: its count does not fit its size");
  expect(
      Forged().record(sphere, 1.0).content_record(compound, compound_of({part_of(0, 2 * Matrix3::Identity())})).file(),
      "record 1: pose: the rotation is not orthonormal");
  expect(
      Forged().record(sphere, 1.0).content_record(compound, compound_of({part_of(0, {}, Vector3(0, nan, 0))})).file(),
      "record 1: pose: ");
  Forged deep;
  deep.record(sphere, 1.0);
  for (std::uint32_t i = 0; i <= Compound::max_nesting; ++i)
    deep.content_record(compound, compound_of({part_of(i)}));
  expect(deep.file(), "record 65: compound: nested deeper than 64");
  Forged doubled;
  doubled.record(sphere, 1.0);
  for (std::uint32_t i = 0; i < 32; ++i)
    doubled.content_record(compound, compound_of({part_of(i), part_of(i)}));
  expect(doubled.file(), "record 32: compound: 2^32 parts or more");

  // Hulls.
  const auto hull = [](std::uint64_t count, double merge, std::uint32_t third) {
    std::string out;
    io::append_little(out, merge);
    io::append_little(out, count);
    for (const double x : {0., 0., 0., 1., 0., 0., 0.5, 0., 0.})
      io::append_little(out, x);
    for (const std::uint32_t point : {3u, 5u, third})
      io::append_little(out, point);
    return Forged().content_record(hull_kind, out).file();
  };
  expect(hull(3, 0, 9), "record 0: convex hull: some of the points are not vertices of their hull");
  expect(hull(3, -1, 9), "record 0: convex hull: merge_distance is");
  expect(hull(3, nan, 9), "record 0: convex hull: merge_distance is");
  expect(hull(3, 0, 5), "record 0: convex hull: the numbers of its points do not ascend");
  expect(hull(3, 0, 1u << 31), "record 0: convex hull: the numbers of its points do not ascend, or are not below 2^31");
  expect(hull(2, 0, 9), "record 0: its count does not fit its size");
  expect(hull(huge, 0, 9), "record 0: its count does not fit its size");
  expect(Forged().record(hull_kind, 0.0, std::uint64_t{0}).file(), "record 0: convex hull: no points");

  // Meshes and solids.
  const Mesh box(make::box()), sheet(make::cloth_sheet({.columns = 3, .rows = 3}));
  EXPECT_TRUE(read_hostile_saved_shape(Forged().records_of(box).record(solid_kind, 0u).file()));
  expect(Forged().records_of(sheet).record(solid_kind, 0u).file(), "record 1: mesh: it is not closed");
  expect(Forged().record(sphere, 1.0).record(solid_kind, 0u).file(),
         "record 1: it refers to record 0, which is not a mesh");
  expect(Forged().records_of(box.solid()).record(solid_kind, 1u).file(),
         "record 2: it refers to record 1, which is not a mesh");
  expect(Forged().records_of(box.solid()).record(solid_kind, 0u).file(),
         "record 2: it is the second solid of one mesh");
  expect(Forged().record(solid_kind, 0u).file(), "record 0: it refers to record 0, which does not come before it");
  expect(Forged().record(mesh_kind, 0u, huge, huge, huge, huge).file(),
         "record 0: it is damaged (a count beyond 2^32)");
  expect(Forged().record(mesh_kind, 0u, one, one, one, one).file(), "record 0: its counts do not fit its size");
  expect(Forged().record(mesh_kind, 2u, one, one, one, one).file(), "record 0: it has flags");
  const std::uint64_t none = 0;
  expect(Forged().record(mesh_kind, 0u, none, none, none, none).file(), "record 0: mesh: it has no triangles");

  // Height fields.
  expect(Forged().record(field_kind, two, two, 1.0, 1.0, 0.0, 0.0, 0.0).file(),
         "record 0: its columns and rows do not");
  expect(Forged().record(field_kind, huge, two, 1.0, 1.0, 0.0, 0.0).file(),
         "record 0: its columns and rows do not fit");
  expect(Forged().record(field_kind, two, huge, 1.0, 1.0, 0.0, 0.0).file(),
         "record 0: its columns and rows do not fit");
  expect(Forged().record(field_kind, none, none, 1.0, 1.0).file(),
         "record 0: its columns and rows do not fit its size");
  expect(Forged().record(field_kind, one, two, 1.0, 1.0, 0.0, 0.0).file(), "record 0: height field: 1 x 2 altitudes");
  expect(Forged().record(field_kind, two, two, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0).file(),
         "record 0: height field: the spac");
  expect(Forged().record(field_kind, two, two, 1.0, 1.0, 0.0, 0.0, nan, 0.0).file(),
         "record 0: height field: the alti");

  // Spheres.
  expect(Forged().record(ground_kind, std::uint32_t{0}).file(),
         "record 0: it refers to record 0, which does not come before it");
  expect(Forged().record(sphere, 1.0).record(ground_kind, std::uint32_t{0}).file(),
         "record 1: it refers to record 0, which is not a height field");
  expect(Forged().record(set_kind, none).file(), "record 0: sphere set: it has no spheres");
  expect(Forged().record(set_kind, huge, 0.0).file(), "record 0: its count does not fit its size");
  expect(Forged().record(set_kind, one, 0.0, 0.0, 0.0, -1.0).file(), "record 0: sphere set: sphere 0 has a negative");
  const auto body = [&](const Shape& mesh, std::uint32_t of, double radius, std::uint32_t child,
                        std::uint32_t children) {
    return Forged().records_of(mesh).record(body_kind, of, one, 0.0, 0.0, 0.0, radius, child, children).file();
  };
  EXPECT_TRUE(read_hostile_saved_shape(body(box.solid(), 1, 2, 0, 0)));
  expect(body(box.solid(), 0, 2, 0, 0), "record 2: it refers to record 0, which is not a solid");
  expect(body(Sphere{1}, 0, 2, 0, 0), "record 1: it refers to record 0, which is not a solid");
  expect(body(box.solid(), 1, 0.1, 0, 0), "record 2: sphere body: vertex 0 of the mesh is not in the root's sphere");
  expect(body(box.solid(), 1, -1, 0, 0), "record 2: sphere body: node 0 of the tree has a negative radius");
  expect(body(box.solid(), 1, 2, 0, 1), "record 2: sphere body: node 0 of the tree has children that do not exist");
  expect(body(box.solid(), 1, 2, 1, 0xFFFFFFFF), "record 2: sphere body: node 0 of the tree has more than 64 children");
  expect(Forged().records_of(box.solid()).record(body_kind, 1u, none).file(),
         "record 2: sphere body: the tree has no no");
}

TEST(SavedShape, CompoundsThatTakeForeverToMakeAreRefused) {
  const std::size_t balls = 1000, parts = 4000;
  const SphereSet set(std::vector<Vector3>(balls, Vector3::Zero()), std::vector<double>(balls, 1.0));
  Forged forged;
  forged.records_of(Compound(std::vector<CompoundPart>(parts, CompoundPart{set})));
  EXPECT_TRUE(read_hostile_saved_shape(forged.file()));
  // Each of these parts would take four million steps.
  forged.content_record(compound, compound_of(std::vector<std::string>(1000, part_of(1))));
  EXPECT_EQ(
      refusal(forged.file()),
      "file: record 2: compound: its parts have too many spheres and parts, counted in each place where they occur");
}

TEST(SavedShape, TheCorpusIsReadOrRefusedCleanly) {
  std::size_t files = 0, accepted = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(WHISKER_SOURCE_DIR) / "tests/fuzz/corpus/shape")) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const bool good = read_hostile_saved_shape(file);
    EXPECT_EQ(good, !entry.path().filename().string().starts_with("bad")) << entry.path();
    EXPECT_TRUE(!good || encode_shape(decoded(file)) == file) << entry.path();
    accepted += good ? 1u : 0u;
    ++files;
  }
  EXPECT_GE(files, 8u);
  EXPECT_GE(accepted, 5u);  // files of version 2 must always be readable
}

}  // namespace
}  // namespace whisker::saved_shape
