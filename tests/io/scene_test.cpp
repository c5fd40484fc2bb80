// Scenes: parts, names and poses from every kind of file, and child processes that fail in every possible way.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/scene.hpp>

#include "io/scene_child.hpp"
#include "io/scene_stream.hpp"

namespace whisker {
namespace {

class SceneFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("whisker_scene_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
#ifdef WHISKER_TEST_SCENE_READER
    options_.reader = WHISKER_TEST_SCENE_READER;
#endif
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  /// A program that runs these shell lines in place of the reader.
  std::filesystem::path write_program(const std::string& name, const std::string& lines) const {
    const std::filesystem::path path = write(name, "#!/bin/sh\n" + lines + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  /// The message of the Error when the file is read through the child process.
  std::string error_of(const std::filesystem::path& path, const SceneOptions& options) const {
    try {
      io::load_scene_in_child(path, options);
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path.string())) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message;
    }
    ADD_FAILURE() << path << " was accepted";
    return {};
  }

  std::filesystem::path folder_;
  SceneOptions options_;
};

#ifdef WHISKER_TEST_SCENE_READER
#define REQUIRE_READER() static_cast<void>(0)
#else
#define REQUIRE_READER() GTEST_SKIP() << "whisker-scene-reader is not built: formats of assimp are not tested"
#endif

std::string base64(const std::string& bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
  }
  return out;
}

template <typename Number>
void append(std::string& out, Number value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

const std::vector<Vector3> tetrahedron_vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<Index3> tetrahedron_triangles{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

/// A glTF file with the tetrahedron as its only mesh, in an embedded buffer, and the nodes given as JSON.
std::string gltf(const std::string& nodes, const std::string& roots = "0", float first_coordinate = 0) {
  std::string buffer;
  for (const Vector3& v : tetrahedron_vertices) {
    for (const double x : {v.x(), v.y(), v.z()})
      append(buffer, static_cast<float>(x));
  }
  std::memcpy(buffer.data(), &first_coordinate, 4);
  for (const Index3& t : tetrahedron_triangles) {
    for (const std::uint32_t corner : t)
      append(buffer, static_cast<std::uint16_t>(corner));
  }
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[)" + roots + R"(]}],"nodes":[)" + nodes +
         R"(],"meshes":[{"name":"tetra","primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)" +
         R"("buffers":[{"byteLength":72,"uri":"data:application/octet-stream;base64,)" + base64(buffer) + R"("}],)" +
         R"("bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],)" +
         R"("accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},)" +
         R"({"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}]})";
}

/// A COLLADA file with the same tetrahedron and the visual scene's nodes given as XML.
std::string collada(const std::string& nodes) {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="tetra" name="tetra"><mesh>
<source id="positions"><float_array id="array" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#array" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="vertices"><input semantic="POSITION" source="#positions"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#vertices" offset="0"/><p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene" name="scene">)" +
         nodes +
         R"(</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>)";
}

/// Expects the placed vertices of the part at these positions, in any order.
void expect_stands_at(const ScenePart& part, const std::vector<Vector3>& expected) {
  ASSERT_EQ(part.mesh.vertices.size(), expected.size());
  std::set<std::size_t> found;
  for (const Vector3& v : part.mesh.vertices) {
    const Vector3 placed = place(part.pose, v);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if ((placed - expected[i]).norm() < 1e-5) found.insert(i);
    }
  }
  EXPECT_EQ(found.size(), expected.size()) << "not all corners of part " << part.name << " are where they should be";
  EXPECT_LT((part.pose.rotation().transpose() * part.pose.rotation() - Matrix3::Identity()).cwiseAbs().maxCoeff(),
            1e-14);
  EXPECT_GT(part.pose.rotation().determinant(), 0);
}

std::vector<Vector3> transformed(const Matrix3& linear, const Vector3& translation) {
  std::vector<Vector3> result;
  for (const Vector3& v : tetrahedron_vertices)
    result.push_back(linear * v + translation);
  return result;
}

// ---- whisker's own formats ----

TEST_F(SceneFiles, ObjGivesAPartForEachGroup) {
  const std::filesystem::path path = write(
      "plant.obj",
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 5 5\nf 1 2 3\no pump\nf 1 2 4\ng pipe\nf 2 3 4\no pump\nf 1 3 4\n");
  const Scene scene = load_scene(path);
  ASSERT_EQ(scene.parts.size(), 3u);
  EXPECT_EQ(scene.parts[0].name, "plant");
  EXPECT_EQ(scene.parts[1].name, "pump");
  EXPECT_EQ(scene.parts[2].name, "pipe");
  EXPECT_EQ(scene.parts[1].mesh.triangles.size(), 2u);
  EXPECT_EQ(scene.parts[1].mesh.vertices.size(), 4u);
  EXPECT_EQ(scene.parts[2].mesh.vertices.size(), 3u);
  EXPECT_EQ(scene.parts[2].mesh.triangles[0], (Index3{0, 1, 2}));
  EXPECT_EQ(scene.parts[2].mesh.vertices[2], Vector3(0, 0, 1));
  EXPECT_EQ(scene.parts[2].pose.rotation(), Matrix3::Identity());
}

TEST_F(SceneFiles, StlPlyAndOffGiveOnePart) {
  const MeshData mesh{tetrahedron_vertices, tetrahedron_triangles};
  for (const char* name : {"a.stl", "a.ply", "a.off", "a.obj"}) {
    write_mesh(folder_ / name, mesh);
    const Scene scene = load_scene(folder_ / name);
    ASSERT_EQ(scene.parts.size(), 1u);
    EXPECT_EQ(scene.parts[0].mesh.triangles.size(), 4u);
    EXPECT_EQ(scene.parts[0].name, std::string(name) == "a.stl" ? "whisker" : "a");
  }
}

TEST_F(SceneFiles, BadFilesOfOurFormatsKeepTheirMessages) {
  try {
    load_scene(write("a.obj", "v 0 0 nan\n"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a.obj:1:"), std::string::npos);
  }
}

// ---- through assimp ----

TEST_F(SceneFiles, GltfWithNestedRotationTranslationAndScale) {
  REQUIRE_READER();
  // Outer: rotation by 90 degrees about z, translation by (10, 0, 0). Inner: translation by (1, 2, 3), scale by (2, 3,
  // 4).
  const Scene scene = load_scene(
      write(
          "a.gltf",
          gltf(R"({"name":"outer","children":[1],"translation":[10,0,0],"rotation":[0,0,0.70710678118,0.70710678118]},)"
               R"({"name":"inner","mesh":0,"translation":[1,2,3],"scale":[2,3,4]})")),
      options_);
  ASSERT_EQ(scene.parts.size(), 1u);
  EXPECT_EQ(scene.parts[0].name, "inner");
  const Matrix3 turn = (Matrix3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished();
  const Matrix3 linear = turn * Vector3(2, 3, 4).asDiagonal();
  expect_stands_at(scene.parts[0], transformed(linear, turn * Vector3(1, 2, 3) + Vector3(10, 0, 0)));
  const MeshReport report = inspect_mesh(scene.parts[0].mesh);
  EXPECT_EQ(report.facing, Facing::outward);
  EXPECT_NEAR(report.volume, 24.0 / 6, 1e-5);
  EXPECT_LT((scene.parts[0].pose.rotation() - turn).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_FALSE(scene.notes.empty());
}

TEST_F(SceneFiles, MeshWithoutScaleKeepsItsExactCoordinates) {
  REQUIRE_READER();
  const Scene scene = load_scene(
      write(
          "a.gltf",
          gltf(R"({"name":"n","mesh":0,"translation":[1,2,3],"rotation":[0.1825742,0.3651484,0.5477226,0.7302967]})")),
      options_);
  ASSERT_EQ(scene.parts.size(), 1u);
  for (const Vector3& v : scene.parts[0].mesh.vertices) {
    EXPECT_NE(std::find(tetrahedron_vertices.begin(), tetrahedron_vertices.end(), v), tetrahedron_vertices.end());
  }
  EXPECT_EQ(scene.parts[0].pose.translation(), Vector3(1, 2, 3));
}

TEST_F(SceneFiles, MirroredNodeIsTurnedRound) {
  REQUIRE_READER();
  const Scene scene =
      load_scene(write("a.gltf", gltf(R"({"name":"n","mesh":0,"scale":[-1,1,1],"translation":[5,0,0]})")), options_);
  ASSERT_EQ(scene.parts.size(), 1u);
  const Matrix3 linear = Vector3(-1, 1, 1).asDiagonal();
  expect_stands_at(scene.parts[0], transformed(linear, {5, 0, 0}));
  const MeshReport report = inspect_mesh(scene.parts[0].mesh);
  EXPECT_TRUE(report.closed);
  EXPECT_EQ(report.facing, Facing::outward);
}

TEST_F(SceneFiles, ShearFromNestedScaleAndRotationIsApplied) {
  REQUIRE_READER();
  const double half = std::sqrt(0.5);
  const Scene scene =
      load_scene(write("a.gltf", gltf(R"({"name":"outer","children":[1],"scale":[3,1,1]},)"
                                      R"({"name":"inner","mesh":0,"rotation":[0,0,0.38268343,0.92387953]})")),
                 options_);
  ASSERT_EQ(scene.parts.size(), 1u);
  const Matrix3 turn = (Matrix3() << half, -half, 0, half, half, 0, 0, 0, 1).finished();
  const Matrix3 linear = Vector3(3, 1, 1).asDiagonal() * turn;
  expect_stands_at(scene.parts[0], transformed(linear, {0, 0, 0}));
}

TEST_F(SceneFiles, MeshUsedTwiceGivesTwoPartsWithDifferentNames) {
  REQUIRE_READER();
  const Scene scene = load_scene(
      write("a.gltf", gltf(R"({"name":"bolt","mesh":0},{"name":"bolt","mesh":0,"translation":[0,0,7]})", "0,1")),
      options_);
  ASSERT_EQ(scene.parts.size(), 2u);
  EXPECT_NE(scene.parts[0].name, scene.parts[1].name);
  EXPECT_TRUE(scene.parts[0].name.starts_with("bolt"));
  EXPECT_TRUE(scene.parts[1].name.starts_with("bolt"));
  EXPECT_EQ(scene.parts[1].pose.translation(), Vector3(0, 0, 7));
}

TEST_F(SceneFiles, ColladaKeepsItsUpAxisAndNestedTransforms) {
  REQUIRE_READER();
  const Scene scene = load_scene(
      write("a.dae", collada(R"(<node id="outer" name="outer"><translate>0 0 5</translate><scale>2 2 2</scale>)"
                             R"(<node id="inner" name="inner"><rotate>1 0 0 90</rotate><translate>1 0 0</translate>)"
                             R"(<instance_geometry url="#tetra"/></node></node>)")),
      options_);
  ASSERT_EQ(scene.parts.size(), 1u);
  EXPECT_EQ(scene.parts[0].name, "inner");
  const Matrix3 turn = (Matrix3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
  expect_stands_at(scene.parts[0], transformed(2 * turn, 2 * turn * Vector3(1, 0, 0) + Vector3(0, 0, 5)));
  EXPECT_EQ(inspect_mesh(scene.parts[0].mesh).facing, Facing::outward);
}

TEST_F(SceneFiles, VertexThatIsNotFiniteIsAnError) {
  REQUIRE_READER();
  const std::string message = error_of(
      write("a.gltf", gltf(R"({"name":"n","mesh":0})", "0", std::numeric_limits<float>::quiet_NaN())), options_);
  EXPECT_NE(message.find("not a finite number"), std::string::npos) << message;
}

// ---- hostile files through the child process ----

TEST_F(SceneFiles, FileThatAssimpRefusesIsAnErrorWithItsReason) {
  REQUIRE_READER();
  EXPECT_NE(error_of(write("a.gltf", "{ this is not JSON"), options_).find("cannot be read as a scene"),
            std::string::npos);
  EXPECT_NE(error_of(write("a.unknown", "hello"), options_).find("cannot be read as a scene"), std::string::npos);
}

TEST_F(SceneFiles, ThirteenByteStlInTheChildIsAnErrorHere) {
  REQUIRE_READER();
  const std::string message = error_of(write("a.stl", "solid x\nfacet"), options_);
  std::printf("%s\n", message.c_str());
}

TEST_F(SceneFiles, PlyOfAHundredBillionVerticesIsStoppedByTheLimits) {
  REQUIRE_READER();
  SceneOptions limited = options_;
  limited.seconds = 1.5;
  limited.memory_limit_bytes = std::uint64_t{256} << 20;
  const auto begin = std::chrono::steady_clock::now();
  const std::string message = error_of(
      write("a.ply",
            "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\nproperty float z\n"
            "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
      limited);
  std::printf("%s\n", message.c_str());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(SceneFiles, DeeplyNestedNodesEndCleanly) {
  REQUIRE_READER();
  std::string nodes;
  const int depth = 20'000;
  for (int i = 0; i < depth; ++i)
    nodes += "<node id=\"n\">";
  nodes += "<instance_geometry url=\"#tetra\"/>";
  for (int i = 0; i < depth; ++i)
    nodes += "</node>";
  SceneOptions limited = options_;
  limited.seconds = 10;
  try {
    EXPECT_EQ(load_scene(write("a.dae", collada(nodes)), limited).parts.size(), 1u);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
}

// ---- child processes that fail ----

TEST_F(SceneFiles, MissingFileIsAnErrorBeforeAnyChild) {
  SceneOptions options;
  options.reader = "/nonexistent/reader";
  EXPECT_NE(error_of(folder_ / "nothing.gltf", options).find("cannot open"), std::string::npos);
  EXPECT_NE(error_of(write("empty.gltf", ""), options).find("empty"), std::string::npos);
  std::filesystem::create_directory(folder_ / "folder.gltf");
  EXPECT_NE(error_of(folder_ / "folder.gltf", options).find("directory"), std::string::npos);
}

TEST_F(SceneFiles, MissingReader) {
  SceneOptions options;
  options.reader = folder_ / "no-such-program";
  const std::string message = error_of(write("a.gltf", "x"), options);
  EXPECT_NE(message.find("cannot start"), std::string::npos) << message;
  EXPECT_NE(message.find("WHISKER_SCENE_READER"), std::string::npos) << message;
}

TEST_F(SceneFiles, ReaderFromTheEnvironment) {
  ::setenv("WHISKER_SCENE_READER", "/nonexistent/from-the-environment", 1);
  const std::string message = error_of(write("a.gltf", "x"), {});
  ::unsetenv("WHISKER_SCENE_READER");
  EXPECT_NE(message.find("/nonexistent/from-the-environment"), std::string::npos) << message;
}

TEST_F(SceneFiles, ReaderThatSaysNothing) {
  SceneOptions options;
  options.reader = "/bin/true";
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("is invalid"), std::string::npos);
}

TEST_F(SceneFiles, ReaderThatPrintsGarbage) {
  SceneOptions options;
  options.reader = write_program("garbage", "head -c 100000 /dev/urandom");
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("is invalid"), std::string::npos);
}

TEST_F(SceneFiles, ReaderThatPrintsWithoutEnd) {
  SceneOptions options;
  options.reader = write_program("endless", "exec cat /dev/zero");
  options.memory_limit_bytes = std::uint64_t{8} << 20;
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("larger than 8 MiB"), std::string::npos);
}

TEST_F(SceneFiles, ReaderThatComplainsWithoutEnd) {
  SceneOptions options;
  options.reader = write_program("complaints", "head -c 5000000 /dev/zero | tr '\\0' 'x' >&2; exit 1");
  const std::string message = error_of(write("a.gltf", "x"), options);
  EXPECT_NE(message.find("xxxx"), std::string::npos);
  EXPECT_LT(message.size(), 1000u);
}

TEST_F(SceneFiles, ReaderThatHangs) {
  SceneOptions options;
  options.seconds = 0.3;
  const auto begin = std::chrono::steady_clock::now();
  options.reader = write_program("hangs", "sleep 100");
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("took longer"), std::string::npos);
  options.reader = write_program("hangs-silently", "exec >&- 2>&-; sleep 100");
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("took longer"), std::string::npos);
  options.reader = write_program("ignores-signals", "trap '' TERM INT HUP; while :; do sleep 1; done");
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("took longer"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(SceneFiles, ReaderThatCrashes) {
  SceneOptions options;
  options.reader = write_program("crashes", "kill -SEGV $$");
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("the reader for this format crashed (signal 11)"),
            std::string::npos);
}

TEST_F(SceneFiles, ReaderThatRunsOutOfMemory) {
  SceneOptions options;
  options.reader = write_program("memory", "exit 3");
  EXPECT_NE(error_of(write("a.gltf", "x"), options).find("of memory"), std::string::npos);
}

TEST_F(SceneFiles, NonsenseTimeLimitIsAnError) {
  for (const double limit : {0.0, -1.0, std::nan("")}) {
    SceneOptions options;
    options.reader = "/bin/true";
    options.seconds = limit;
    EXPECT_THROW(io::load_scene_in_child(write("a.gltf", "x"), options), Error);
  }
}

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST_F(SceneFiles, NeitherFilesNorZombiesAreLeftBehind) {
  const std::filesystem::path file = write("a.gltf", gltf(R"({"name":"n","mesh":0})"));
  SceneOptions hang;
  hang.seconds = 0.05;
  hang.reader = write_program("hangs", "sleep 100");
  SceneOptions garbage;
  garbage.reader = write_program("garbage", "echo garbage");
  SceneOptions crash;
  crash.reader = write_program("crashes", "kill -SEGV $$");
  SceneOptions missing;
  missing.reader = folder_ / "missing";
  const std::size_t before = open_files();
  for (int round = 0; round < 5; ++round) {
    for (const SceneOptions& options : {hang, garbage, crash, missing})
      error_of(file, options);
#ifdef WHISKER_TEST_SCENE_READER
    EXPECT_EQ(load_scene(file, options_).parts.size(), 1u);
#endif
  }
  EXPECT_EQ(open_files(), before);
  errno = 0;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(SceneFiles, ClosedStandardStreamsOfTheCallerDoNotMatter) {
  REQUIRE_READER();
  const std::filesystem::path file = write("a.gltf", gltf(R"({"name":"n","mesh":0})"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(0);
    ::close(1);
    ::close(2);
    try {
      ::_exit(load_scene(file, options_).parts.size() == 1 ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// ---- the format of the answer ----

void append_text(std::string& out, const std::string& text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

std::string good_stream() {
  std::string out(io::stream_magic);
  append(out, io::stream_version);
  append(out, std::uint32_t{1});
  append(out, std::uint64_t{1});
  append(out, 0.001);
  append_text(out, "mm");
  append(out, std::uint8_t{1});
  append(out, std::uint8_t{3});
  append_text(out, "note");
  append_text(out, "part");
  append_text(out, "id");
  append_text(out, "type");
  append(out, std::uint32_t{2});
  append_text(out, "outer");
  append_text(out, "inner");
  for (const double x : {1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.})
    append(out, x);
  append(out, std::uint64_t{3});
  for (const double x : {0., 0., 0., 1., 0., 0., 0., 1., 0.})
    append(out, x);
  append(out, std::uint64_t{1});
  for (const std::uint32_t corner : {0u, 1u, 2u})
    append(out, corner);
  return out + std::string(io::stream_magic);
}

TEST(SceneStream, GoodOneIsTakenApart) {
  const io::SceneStream stream = io::decode_scene_stream(good_stream());
  ASSERT_EQ(stream.parts.size(), 1u);
  EXPECT_EQ(stream.notes, std::vector<std::string>{"note"});
  EXPECT_EQ(stream.parts[0].name, "part");
  EXPECT_EQ(stream.parts[0].id, "id");
  EXPECT_EQ(stream.parts[0].type, "type");
  EXPECT_EQ(stream.parts[0].path, (std::vector<std::string>{"outer", "inner"}));
  EXPECT_EQ(stream.unit.meters, 0.001);
  EXPECT_EQ(stream.unit.origin, UnitOrigin::file);
  EXPECT_EQ(stream.up, UpAxis::z);
  EXPECT_EQ(stream.parts[0].mesh.vertices[1], Vector3(1, 0, 0));
}

TEST(SceneStream, EveryTruncationAndExtensionIsRefused) {
  const std::string good = good_stream();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(io::decode_scene_stream(good.substr(0, size)), Error) << size;
  }
  EXPECT_THROW(io::decode_scene_stream(good + "x"), Error);
}

TEST(SceneStream, EveryDamagedByteIsRefusedOrHarmless) {
  const std::string good = good_stream();
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      try {
        for (const io::StreamPart& part : io::decode_scene_stream(bad).parts) {
          for (const Index3& t : part.mesh.triangles) {
            for (const std::uint32_t corner : t)
              EXPECT_LT(corner, part.mesh.vertices.size());
          }
        }
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace whisker
