// Tests the clash check on parts that are not closed: findings planted in them are reported as likely or undecided, or
// not at all.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>

#include "clash/check.hpp"
#include "clash/inside.hpp"
#include "clash/output.hpp"
#include "clash/part_mesh.hpp"
#include "clash/read_assembly.hpp"
#include "clash/write_scene.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"

namespace whisker::clash {
namespace {

using test::uniform;

MeshData box(double size, int subdivisions = 1) {
  return make::box({.size_x = size, .size_y = size, .size_z = size, .subdivisions = subdivisions});
}

template <class Is>
MeshData without(MeshData data, const Is& is_left_out) {
  std::erase_if(data.triangles, [&](const Index3& t) {
    return is_left_out(Vector3((data.vertices[t[0]] + data.vertices[t[1]] + data.vertices[t[2]]) / 3));
  });
  return data;
}

MeshData without_lid(double size) {
  return without(box(size), [&](const Vector3& middle) { return middle[2] > 0.49 * size; });
}

MeshData without_one(double size) {
  MeshData data = box(size);
  data.triangles.pop_back();
  return data;
}

MeshData turned(MeshData data) {
  for (Index3& t : data.triangles)
    std::swap(t[1], t[2]);
  return data;
}

MeshData joined(MeshData a, const MeshData& b) {
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const Index3& t : b.triangles)
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return a;
}

struct OpenScene {
  Assembly assembly;

  Part& add(const std::string& name, MeshData data, const Pose& pose = {}) {
    assembly.meshes.push_back(make_part_mesh(std::move(data)));
    Part part;
    part.name = name;
    part.mesh = static_cast<std::uint32_t>(assembly.meshes.size() - 1);
    part.pose = pose;
    assembly.parts.push_back(part);
    return assembly.parts.back();
  }
};

// One line per finding (evidence, kind and parts), and undecided pairs as "inner ? outer".
std::vector<std::string> told(const Assembly& assembly) {
  const Findings found = check(assembly);
  EXPECT_TRUE(found.is_complete);
  std::vector<std::string> lines;
  for (const Finding& finding : found.all)
    lines.push_back(std::string(to_text(finding.ground)) + " " + to_text(finding.kind) + " " +
                    assembly.parts[finding.a].name + " " + assembly.parts[finding.b].name);
  for (const Undecided& pair : found.undecided)
    lines.push_back(assembly.parts[pair.inner].name + " ? " + assembly.parts[pair.outer].name);
  std::sort(lines.begin(), lines.end());
  return lines;
}
using Lines = std::vector<std::string>;

// A bolt of size 1 at a point of a housing, with a random pose for both together.
Lines with_bolt(const MeshData& housing, const Vector3& at, std::uint64_t stream, Solid solid = Solid::likely) {
  auto random = test::seeded(stream);
  const auto any = [&] { return uniform(random, -1, 1); };
  Lines first;
  for (std::size_t i = 0; i < test::cases(8); ++i) {
    const Vector3 axis = Vector3(any(), any(), any()).normalized();
    const Pose base(Eigen::AngleAxisd(3 * any(), axis).toRotationMatrix(), 100 * Vector3(any(), any(), any()));
    OpenScene scene;
    scene.assembly.rules.solid = solid;
    scene.add("housing", housing, i == 0 ? Pose() : base);
    scene.add("bolt", box(1), compose(i == 0 ? Pose() : base, Pose(at)));
    const Lines lines = told(scene.assembly);
    if (i == 0) first = lines;
    EXPECT_EQ(lines, first) << i;
  }
  return first;
}

const Lines nothing{};
const Lines likely{"likely contained housing bolt"};
const Lines undecided{"bolt ? housing"};

TEST(ClashOpen, ABoltInABoxThatLacksATriangleIsLikelyContained) {
  ASSERT_FALSE(is_closed(without_one(10)));
  EXPECT_EQ(with_bolt(without_one(10), {0, 0, 0}, 1), likely);
  EXPECT_EQ(with_bolt(without_one(10), {1, 2, -3}, 2), likely);
  EXPECT_EQ(with_bolt(without_one(10), {0, 0, 7}, 3), nothing);
  EXPECT_EQ(with_bolt(without_one(10), {0, 0, 0}, 4, Solid::proven), undecided);
  EXPECT_EQ(with_bolt(without_one(10), {0, 0, 7}, 5, Solid::proven), nothing);
  EXPECT_EQ(with_bolt(without_one(10), {0, 0, 0}, 6, Solid::never), nothing);
}

TEST(ClashOpen, SlitsAreNoOpenings) {
  // The top is detached all around, by an invisibly small gap.
  MeshData bottom = without_lid(10);
  MeshData top = without(box(10), [&](const Vector3& middle) { return middle[2] < 4.9; });
  for (Vector3& v : top.vertices)
    v[2] += 1e-6;
  const MeshData slit = joined(bottom, top);
  ASSERT_FALSE(is_closed(slit));
  EXPECT_EQ(with_bolt(slit, {0, 0, 0}, 11), likely);
  EXPECT_EQ(with_bolt(slit, {4, -4, 4.2}, 12), likely);
  EXPECT_EQ(with_bolt(slit, {0, 0, 5.6}, 13), nothing);
}

TEST(ClashOpen, TJunctionsAreNoOpenings) {
  // The lid has a vertex in the middle of an edge that the wall below does not have.
  MeshData data = without(box(10), [&](const Vector3& middle) { return middle[2] > 4.9; });
  const auto corner = [&](double x, double y) {
    for (std::uint32_t i = 0; i < data.vertices.size(); ++i)
      if (data.vertices[i] == Vector3(x, y, 5)) return i;
    ADD_FAILURE();
    return 0u;
  };
  const auto n = static_cast<std::uint32_t>(data.vertices.size());
  data.vertices.emplace_back(0, -5, 5);
  const std::uint32_t a = corner(-5, -5), b = corner(5, -5), c = corner(5, 5), d = corner(-5, 5);
  data.triangles.insert(data.triangles.end(), {{a, n, d}, {n, c, d}, {n, b, c}});
  ASSERT_FALSE(is_closed(data));
  EXPECT_EQ(with_bolt(data, {0, 0, 0}, 21), likely);
  EXPECT_EQ(with_bolt(data, {0, -4.3, 4.3}, 22), likely);
  EXPECT_EQ(with_bolt(data, {0, -5.6, 4.8}, 23), nothing);
}

TEST(ClashOpen, DoubledFacesAreStillFaces) {
  const MeshData twice = joined(box(10), box(10));
  ASSERT_FALSE(is_closed(twice));
  EXPECT_EQ(with_bolt(twice, {3, 0, 0}, 31), likely);
  EXPECT_EQ(with_bolt(twice, {6, 0, 0}, 32), nothing);
  // Only one face is doubled.
  MeshData some = box(10);
  some.triangles.push_back(some.triangles[0]);
  some.triangles.push_back(some.triangles[1]);
  ASSERT_FALSE(is_closed(some));
  EXPECT_EQ(with_bolt(some, {0, 0, 0}, 33), likely);
}

TEST(ClashOpen, FlippedPatchesAreUnclearWhereTheyAreLarge) {
  // A whole face is reversed: at the center, two sixths of the winding number are missing.
  MeshData face = box(10);
  for (Index3& t : face.triangles)
    if ((face.vertices[t[0]] + face.vertices[t[1]] + face.vertices[t[2]])[2] > 14.9) std::swap(t[1], t[2]);
  ASSERT_FALSE(is_closed(face));
  EXPECT_EQ(with_bolt(face, {0, 0, 0}, 41), undecided);
  EXPECT_EQ(with_bolt(face, {0, 0, -4}, 42), likely);
  // A small patch among many triangles.
  MeshData patch = box(10, 8);
  std::swap(patch.triangles[0][1], patch.triangles[0][2]);
  ASSERT_FALSE(is_closed(patch));
  EXPECT_EQ(with_bolt(patch, {0, 0, 0}, 43), likely);
  // Everything is reversed, and the mesh is open: it could also be the wall of a cavity.
  EXPECT_EQ(with_bolt(turned(without_one(10)), {0, 0, 0}, 44), undecided);
  EXPECT_EQ(with_bolt(turned(without_one(10)), {0, 0, 7}, 45), nothing);
}

TEST(ClashOpen, ShellsInsideShells) {
  // A hollow housing in which a triangle is missing on each side of its wall.
  const MeshData hollow = joined(without_one(10), turned(without_one(7)));
  ASSERT_FALSE(is_closed(hollow));
  EXPECT_EQ(with_bolt(hollow, {0, 0, 0}, 51), nothing);
  EXPECT_EQ(with_bolt(hollow, {0, 0, -4.25}, 52), likely);
  // Two housings as separate parts, and a bolt in the inner one.
  OpenScene scene;
  scene.add("outer", without_one(10));
  scene.add("inner", without_one(6));
  scene.add("bolt", box(1));
  EXPECT_EQ(told(scene.assembly),
            (Lines{"likely contained inner bolt", "likely contained outer bolt", "likely contained outer inner"}));
}

TEST(ClashOpen, AMissingLidIsClearFarFromItAlone) {
  const MeshData open = without_lid(10);
  EXPECT_EQ(with_bolt(open, {0, 0, -3}, 61), likely);
  EXPECT_EQ(with_bolt(open, {0, 0, 3}, 62), undecided);
  EXPECT_EQ(with_bolt(open, {0, 0, 5}, 63), undecided);  // half of it is outside
  EXPECT_EQ(with_bolt(open, {0, 0, 5.6}, 64), nothing);
  // A rod in the opening, from deep inside to far outside.
  OpenScene scene;
  scene.add("housing", open);
  scene.add("rod", make::box({.size_x = 1, .size_y = 1, .size_z = 9}), Pose(Vector3(0, 0, 1)));
  EXPECT_EQ(told(scene.assembly), Lines{"rod ? housing"});
  // A rod that sticks out of a pipe at both ends: only its middle is inside.
  OpenScene pipe;
  pipe.add("pipe", without(box(10), [](const Vector3& middle) { return std::abs(middle[2]) > 4.9; }));
  pipe.add("rod", make::box({.size_x = 1, .size_y = 1, .size_z = 30}));
  EXPECT_EQ(told(pipe.assembly), Lines{"rod ? pipe"});
}

TEST(ClashOpen, WhatTouchesTheWallFromInsideIsNoContact) {
  OpenScene scene;
  scene.add("housing", without_one(10));
  scene.add("bolt", box(1), Pose(Vector3(0, 0, -4.5)));
  EXPECT_EQ(told(scene.assembly), Lines{"likely contained housing bolt"});
  scene.assembly.rules.solid = Solid::proven;
  EXPECT_EQ(told(scene.assembly), (Lines{"bolt ? housing", "proven contact housing bolt"}));
  // From outside, it is a contact.
  scene.assembly.rules.solid = Solid::likely;
  scene.assembly.parts[1].pose = Pose(Vector3(0, 0, -5.5));
  EXPECT_EQ(told(scene.assembly), Lines{"proven contact housing bolt"});
}

TEST(ClashOpen, SurfacesThatCrossAreAClashWithoutADepthInEveryMode) {
  for (const Solid solid : {Solid::likely, Solid::proven, Solid::never}) {
    OpenScene scene;
    scene.assembly.rules.solid = solid;
    scene.add("housing", without_one(10));
    scene.add("bolt", box(1), Pose(Vector3(0, 0, -4.8)));
    EXPECT_EQ(told(scene.assembly), Lines{"proven clash housing bolt"});
    const Findings found = check(scene.assembly);
    EXPECT_FALSE(found.all[0].depth);
    EXPECT_EQ(open_summary(scene.assembly, found).find("Without a depth: 1 overlap") != std::string::npos,
              solid != Solid::never)
        << open_summary(scene.assembly, found);
  }
}

TEST(ClashOpen, AnOpenPartInAClosedOneIsProven) {
  OpenScene scene;
  scene.add("wall", box(10));
  scene.add("cup", without_lid(1));
  EXPECT_EQ(told(scene.assembly), Lines{"proven contained wall cup"});
  scene.assembly.rules.solid = Solid::never;
  EXPECT_EQ(told(scene.assembly), nothing);
}

TEST(ClashOpen, ClosedPartsHaveNoInsideWhereTheRulesSaySo) {
  OpenScene scene;
  scene.add("wall", box(10));
  scene.add("bolt", box(1));
  scene.add("pin", box(1), Pose(Vector3(5, 0, 0)));
  EXPECT_EQ(told(scene.assembly), (Lines{"proven clash wall pin", "proven contained wall bolt"}));
  EXPECT_TRUE(check(scene.assembly).all[0].depth);
  scene.assembly.rules.solid = Solid::never;
  EXPECT_EQ(told(scene.assembly), Lines{"proven clash wall pin"});
  EXPECT_FALSE(check(scene.assembly).all[0].depth);
  EXPECT_NE(open_summary(scene.assembly, check(scene.assembly)).find("SURFACES ONLY"), std::string::npos);
}

TEST(ClashOpen, APieceInsideIsALikelyClash) {
  OpenScene scene;
  scene.add("housing", without_one(10));
  MeshData far = box(1);
  for (Vector3& v : far.vertices)
    v[0] += 30;
  scene.add("pieces", joined(box(1), far));
  EXPECT_EQ(told(scene.assembly), Lines{"likely clash housing pieces"});
}

TEST(ClashOpen, WhatComesInThroughAnOpeningIsFoundAtAKeyframe) {
  OpenScene scene;
  scene.add("housing", without_lid(10));
  Part& bolt = scene.add("bolt", box(1));
  bolt.motion = {{0, Pose(Vector3(0, 0, 20))}, {1, Pose(Vector3(0, 0, 8))}, {3, Pose(Vector3(0, 0, -3))}};
  bolt.pose = bolt.motion[0].pose;
  EXPECT_EQ(told(scene.assembly), Lines{"likely contained housing bolt"});
  const Finding finding = check(scene.assembly).all[0];
  ASSERT_TRUE(finding.time);
  EXPECT_EQ(finding.time->lower, 1);
  EXPECT_EQ(finding.time->upper, 3);
  // The part stops before reaching the housing.
  scene.assembly.parts[1].motion[2].pose = Pose(Vector3(0, 0, 6));
  EXPECT_EQ(told(scene.assembly), nothing);
}

TEST(ClashOpen, AllowedPairsAreCountedAndNotTold) {
  OpenScene scene;
  scene.add("housing", without_one(10));
  scene.add("bolt", box(1));
  scene.assembly.rules.allowed.push_back({"bolt", "housing"});
  const Findings found = check(scene.assembly);
  EXPECT_TRUE(found.all.empty());
  EXPECT_EQ(found.pairs_allowed, 1u);
}

TEST(ClashOpen, EveryOutputTellsWhichPartsAreOpenAndWhatIsLikely) {
  OpenScene scene;
  scene.assembly.title = "trial";
  scene.add("box", without_one(10));
  scene.add("bolt", box(1));
  scene.add("tray", without_lid(10), Pose(Vector3(100, 0, 0)));
  scene.add("nut", box(1), Pose(Vector3(100, 0, 5)));
  scene.add("far", box(1), Pose(Vector3(200, 0, 0)));
  const Findings found = check(scene.assembly);
  const std::string table = table_of(scene.assembly, found, {.report = "page.html"});
  EXPECT_NE(table.find("likely contained"), std::string::npos);
  EXPECT_NE(table.find("1 contained (1 likely)"), std::string::npos);
  EXPECT_NE(table.find("undecided: 'nut' inside 'tray'?"), std::string::npos);
  const std::string last = table.substr(table.rfind('\n', table.size() - 2) + 1);
  EXPECT_EQ(last,
            "NOT CLOSED: 2 of 5 parts ('box', 'tray'); --repair may close them. Likely, not proven: 1 finding. "
            "UNDECIDED: whether one part lies inside the other, in 1 pair\n");
  const nlohmann::json report = nlohmann::json::parse(json_of(scene.assembly, found));
  EXPECT_EQ(report["open_parts"], (nlohmann::json{"box", "tray"}));
  EXPECT_EQ(report["counts"]["likely"], 1);
  EXPECT_EQ(report["counts"]["undecided"], 1);
  EXPECT_EQ(report["undecided"][0]["inner"], "nut");
  EXPECT_EQ(report["undecided"][0]["outer"], "tray");
  EXPECT_EQ(report["rules"]["solid"], "likely");
  EXPECT_EQ(report["findings"][0]["evidence"], "likely");
  EXPECT_GE(report["findings"][0]["winding"]["lower"].get<double>(), inside_from);
  EXPECT_EQ(std::string(report["open_summary"]) + "\n", last);
  const std::string csv = csv_of(scene.assembly, found);
  EXPECT_NE(csv.find(",evidence\r\n"), std::string::npos);
  EXPECT_NE(csv.find(",likely\r\n"), std::string::npos);
  // If all parts are closed, the summary is empty.
  OpenScene closed;
  closed.add("box", box(10));
  EXPECT_EQ(open_summary(closed.assembly, check(closed.assembly)), "");
}

// --- repair ----------------------------------------------------------------------------------------------------------

TEST(ClashRepair, ClosesWhatItCanAndSaysHow) {
  const PartMesh lid = make_repaired_part_mesh(without_lid(10));
  EXPECT_TRUE(lid.is_closed);
  EXPECT_TRUE(lid.is_repaired);
  EXPECT_NEAR(lid.shape.volume(), 1000, 1e-9);
  EXPECT_NE(lid.repair.find("1 hole filled"), std::string::npos);
  const PartMesh inward = make_repaired_part_mesh(turned(without_one(10)));
  EXPECT_TRUE(inward.is_closed);
  EXPECT_NEAR(inward.shape.volume(), 1000, 1e-9);
  const PartMesh twice = make_repaired_part_mesh(joined(box(10), box(10)));
  EXPECT_TRUE(twice.is_closed);
  EXPECT_NEAR(twice.shape.volume(), 1000, 1e-9);
  // A mesh that needs no repair gets no message.
  const PartMesh closed = make_repaired_part_mesh(box(10));
  EXPECT_FALSE(closed.is_repaired);
  EXPECT_EQ(closed.repair, "");
}

TEST(ClashRepair, LeavesWhatItCannotCloseSafelyAndSaysWhy) {
  // Closing a flat sheet would produce two coincident sheets.
  const MeshData sheet{{{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  const PartMesh flat = make_repaired_part_mesh(sheet);
  EXPECT_FALSE(flat.is_closed);
  EXPECT_FALSE(flat.is_repaired);
  EXPECT_NE(flat.repair, "");
  EXPECT_EQ(flat.data.triangles.size(), 2u);
  // A post of the same part goes through the opening, so the lid would intersect it.
  const MeshData post = make::box({.size_x = 1, .size_y = 1, .size_z = 15});
  const PartMesh pierced = make_repaired_part_mesh(joined(without_lid(10), post));
  EXPECT_FALSE(pierced.is_closed);
  EXPECT_NE(pierced.repair.find("through other triangles"), std::string::npos) << pierced.repair;
  // Three walls that share an edge.
  MeshData three = sheet;
  three.vertices.push_back({-5, -5, 3});
  three.triangles.push_back({0, 1, 4});
  three.triangles.push_back({1, 0, 4});
  EXPECT_FALSE(make_repaired_part_mesh(three).is_closed);
}

TEST(ClashRepair, FindingsWithRepairedPartsSayIt) {
  OpenScene scene;
  scene.add("housing", without_lid(10));
  scene.add("bolt", box(1), Pose(Vector3(0, 0, 3)));
  scene.assembly.meshes[0] = make_repaired_part_mesh(without_lid(10));
  EXPECT_EQ(told(scene.assembly), Lines{"repaired contained housing bolt"});
  const Finding finding = check(scene.assembly).all[0];
  ASSERT_TRUE(finding.depth);
  EXPECT_NEAR(finding.depth->upper, 2.5, 1e-6);
  EXPECT_NE(table_of(scene.assembly, check(scene.assembly)).find("contained, repaired"), std::string::npos);
}

// --- files and the command ------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

class ClashOpenFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whisker_clash_open_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "parts");
    ::setenv("WHISKER_SCENE_READER", (fs::path(WHISKER_COMMAND).parent_path() / "whisker-scene-reader").c_str(), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  // Returns the command's output, and its exit status in `status`.
  std::string run(const std::string& arguments, int& status) const {
    const int code =
        std::system((std::string(WHISKER_COMMAND) + " clash " + arguments + " >" + file("out") + " 2>&1").c_str());
    status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    std::ifstream out(file("out"));
    return {std::istreambuf_iterator<char>(out), {}};
  }

  fs::path folder_;
};

// A glTF scene of the given meshes with their names, and its bytes in a file next to it.
void write_gltf(const fs::path& path, const std::vector<std::pair<std::string, MeshData>>& parts) {
  std::ofstream bytes(path.parent_path() / "scene.bin", std::ios::binary);
  nlohmann::json views = nlohmann::json::array(), accessors = views, meshes = views, nodes = views, list = views;
  std::size_t at = 0;
  const auto put = [&](const auto& value) { bytes.write(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const auto& [name, data] : parts) {
    nlohmann::json low = nlohmann::json::array(), high = low;
    for (int k = 0; k < 3; ++k) {
      const auto less = [&](const Vector3& x, const Vector3& y) { return x[k] < y[k]; };
      const auto [least, most] = std::minmax_element(data.vertices.begin(), data.vertices.end(), less);
      low.push_back((*least)[k]);
      high.push_back((*most)[k]);
    }
    for (const Vector3& v : data.vertices)
      for (int k = 0; k < 3; ++k)
        put(static_cast<float>(v[k]));
    for (const Index3& t : data.triangles)
      for (const std::uint32_t v : t)
        put(v);
    const std::size_t first = accessors.size();
    const std::size_t vertex_bytes = 12 * data.vertices.size(), index_bytes = 12 * data.triangles.size();
    views.push_back({{"buffer", 0}, {"byteOffset", at}, {"byteLength", vertex_bytes}});
    views.push_back({{"buffer", 0}, {"byteOffset", at + vertex_bytes}, {"byteLength", index_bytes}});
    at += vertex_bytes + index_bytes;
    accessors.push_back({{"bufferView", first},
                         {"componentType", 5126},
                         {"count", data.vertices.size()},
                         {"type", "VEC3"},
                         {"min", low},
                         {"max", high}});
    accessors.push_back(
        {{"bufferView", first + 1}, {"componentType", 5125}, {"count", 3 * data.triangles.size()}, {"type", "SCALAR"}});
    list.push_back(nodes.size());
    nodes.push_back({{"name", name}, {"mesh", meshes.size()}});
    const nlohmann::json primitive = {{"attributes", {{"POSITION", first}}}, {"indices", first + 1}};
    meshes.push_back({{"name", name}, {"primitives", nlohmann::json::array({primitive})}});
  }
  const nlohmann::json scene = {{"asset", {{"version", "2.0"}}},
                                {"scene", 0},
                                {"scenes", nlohmann::json::array({{{"nodes", list}}})},
                                {"nodes", nodes},
                                {"meshes", meshes},
                                {"accessors", accessors},
                                {"bufferViews", views},
                                {"buffers", nlohmann::json::array({{{"uri", "scene.bin"}, {"byteLength", at}}})}};
  std::ofstream(path) << scene.dump();
}

TEST_F(ClashOpenFiles, TheSameIsFoundInEveryFormat) {
  std::vector<std::string> inputs;
  for (const std::string extension : {"stl", "obj", "ply", "off"}) {
    fs::create_directories(folder_ / extension);
    write_mesh(folder_ / extension / ("box." + extension), without_one(10));
    write_mesh(folder_ / extension / ("bolt." + extension), box(1));
    inputs.push_back(file(extension));
  }
  write_gltf(folder_ / "scene.gltf", {{"box", without_one(10)}, {"bolt", box(1)}});
  inputs.push_back(file("scene.gltf"));
  for (const std::string& input : inputs) {
    int status = 0;
    const std::string table = run(input, status);
    EXPECT_EQ(status, 1) << table;
    EXPECT_NE(table.find("0 clashes, 1 contained (1 likely), 0 too close"), std::string::npos) << table;
    EXPECT_NE(table.find("\nNOT CLOSED: 1 of 2 parts"), std::string::npos) << table;
    EXPECT_EQ(table.find("\n", table.find("\nNOT CLOSED") + 1), table.size() - 1) << table;
    const std::string proven = run(input + " --solid proven", status);
    EXPECT_EQ(status, 0) << proven;
    EXPECT_NE(proven.find("UNDECIDED: whether one part lies inside the other, in 1 pair\n"), std::string::npos)
        << proven;
    const std::string never = run(input + " --solid never", status);
    EXPECT_EQ(status, 0) << never;
    EXPECT_NE(never.find("SURFACES ONLY"), std::string::npos) << never;
    const std::string repaired = run(input + " --repair", status);
    EXPECT_EQ(status, 1) << repaired;
    EXPECT_NE(repaired.find("contained, repaired"), std::string::npos) << repaired;
    EXPECT_NE(repaired.find("5.5 deep"), std::string::npos) << repaired;
    EXPECT_NE(repaired.find("repaired: 1 hole filled with 1 triangle"), std::string::npos) << repaired;
    EXPECT_EQ(repaired.find("NOT CLOSED"), std::string::npos) << repaired;
  }
  int status = 0;
  EXPECT_NE(run(inputs[0] + " --solid maybe", status).find("takes likely, proven or never"), std::string::npos);
  EXPECT_EQ(status, 2);
}

TEST_F(ClashOpenFiles, ASceneStatesItInItsRules) {
  write_mesh(folder_ / "box.obj", without_one(10));
  const auto read = [&](const std::string& rules) {
    std::ofstream(file("scene.json")) << R"({"parts": [{"name": "box", "file": "box.obj"},
      {"name": "bolt", "shape": "box:1,1,1"}], "rules": )"
                                      << rules << "}";
    return read_assembly(std::vector<fs::path>{file("scene.json")});
  };
  EXPECT_EQ(told(read("{}")), Lines{"likely contained box bolt"});
  EXPECT_EQ(told(read(R"({"solid": "proven"})")), Lines{"bolt ? box"});
  EXPECT_EQ(told(read(R"({"solid": "never"})")), nothing);
  EXPECT_EQ(told(read(R"({"repair": true})")), Lines{"repaired contained box bolt"});
  EXPECT_NE(test::error_of([&] { read(R"({"solid": "yes"})"); }).find("rules.solid"), std::string::npos);
  EXPECT_NE(test::error_of([&] { read(R"({"solid": 1})"); }).find("rules.solid"), std::string::npos);
  EXPECT_NE(test::error_of([&] { read(R"({"repair": "yes"})"); }).find("rules.repair"), std::string::npos);
  // Written and read again.
  Assembly stated = read(R"({"solid": "proven"})");
  const fs::path again = write_scene(stated, folder_ / "again");
  EXPECT_EQ(told(read_assembly(std::vector<fs::path>{again})), Lines{"bolt ? box"});
  // The command line takes precedence.
  read(R"({"solid": "never"})");
  int status = 0;
  EXPECT_NE(run(file("scene.json") + " --solid likely", status).find("1 likely"), std::string::npos);
}

}  // namespace
}  // namespace whisker::clash
