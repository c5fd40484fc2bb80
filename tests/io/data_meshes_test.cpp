// The public meshes of $WHISKER_DATA/meshes: read, counted, inspected and written again. Skipped if it is not set.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/editing/repair.hpp>
#include <whisker/io.hpp>

namespace whisker {
namespace {

/// Known facts about each mesh, obtained by other means: the number of triangles, and whether it is closed.
struct Known {
  std::size_t triangles;
  bool closed;
};
const std::map<std::string, Known> known_meshes{{"stanford-bunny.obj", {69'451, false}},
                                                {"dragon.obj", {79'988, true}},
                                                {"cow.obj", {5'804, true}},
                                                {"fandisk.obj", {12'946, true}},
                                                {"spot.obj", {5'856, true}},
                                                {"teapot.obj", {6'320, false}},
                                                {"env.obj", {2'180, false}},
                                                {"rob.obj", {216, false}}};

/// The folder of meshes; empty if it is not set.
std::filesystem::path mesh_folder() {
  const char* const data = std::getenv("WHISKER_DATA");
  return data != nullptr && *data != '\0' ? std::filesystem::path(data) / "meshes" : std::filesystem::path();
}

#define REQUIRE_DATA() \
  if (mesh_folder().empty()) GTEST_SKIP() << "WHISKER_DATA is not set: the public meshes are not tested"

TEST(DataMeshes, AreReadWithTheCountsTheyAreKnownFor) {
  REQUIRE_DATA();
  std::size_t count = 0;
  for (const auto& [name, known] : known_meshes) {
    SCOPED_TRACE(name);
    const auto begin = std::chrono::steady_clock::now();
    const MeshData mesh = read_mesh(mesh_folder() / name);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(mesh.triangles.size(), known.triangles);
    const auto look = std::chrono::steady_clock::now();
    const MeshReport report = inspect_mesh(mesh);
    const std::chrono::duration<double, std::milli> looked = std::chrono::steady_clock::now() - look;
    EXPECT_EQ(report.closed, known.closed);
    EXPECT_EQ(is_closed(mesh), known.closed);
    std::printf("%-20s %6zu triangles, read in %5.1f ms, looked over in %5.1f ms, %zu findings\n", name.c_str(),
                mesh.triangles.size(), took.count(), looked.count(), report.findings.size());
    for (const std::string& finding : report.findings)
      std::printf("    %s\n", finding.c_str());
    ++count;
  }
  std::printf("data meshes tested: %zu\n", count);
}

TEST(DataMeshes, AreRepairedAsFarAsTheirEdgesAllow) {
  REQUIRE_DATA();
  for (const auto& [name, known] : known_meshes) {
    SCOPED_TRACE(name);
    const MeshData mesh = read_mesh(mesh_folder() / name);
    const MeshRepair repair = repair_mesh(mesh);
    std::printf("%-20s %zu holes filled with %zu triangles, %zu edges of more than two triangles left\n", name.c_str(),
                repair.holes_filled, repair.triangles_added, repair.after.nonmanifold_edges);
    EXPECT_EQ(repair.after.boundary_edges, repair.border_edges_left);
    if (known.closed) {
      EXPECT_TRUE(repair.mesh.triangles == mesh.triangles);
    }
    if (name == "stanford-bunny.obj") {  // holes of 22, 39, 40, 42 and 80 edges
      EXPECT_EQ(repair.holes_filled, 5u);
      EXPECT_EQ(repair.triangles_added, 223u - 2 * 5);
      EXPECT_EQ(repair.vertices_added, 0u);
      EXPECT_NO_THROW(Mesh(repair.mesh).solid());
    }
  }
}

TEST(DataMeshes, SurviveEveryFormat) {
  REQUIRE_DATA();
  std::size_t count = 0;
  for (const auto& [name, known] : known_meshes) {
    SCOPED_TRACE(name);
    const MeshData mesh = read_mesh(mesh_folder() / name);
    const auto back = [&](MeshFormat format, bool binary) {
      const std::string bytes = encode_mesh(mesh, format, binary);
      return read_mesh(std::as_bytes(std::span(bytes.data(), bytes.size())), format, "written again");
    };
    for (const auto& [format, binary] : {std::pair{MeshFormat::obj, false}, std::pair{MeshFormat::off, false},
                                         std::pair{MeshFormat::ply, false}, std::pair{MeshFormat::ply, true}}) {
      const MeshData again = back(format, binary);
      EXPECT_TRUE(again.vertices == mesh.vertices) << to_string(format);
      EXPECT_TRUE(again.triangles == mesh.triangles) << to_string(format);
    }
    // A text STL has the same corners, and therefore the same boundaries.
    const MeshData stl = back(MeshFormat::stl, false);
    ASSERT_EQ(stl.triangles.size(), mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        ASSERT_EQ(stl.vertices[stl.triangles[t][k]], mesh.vertices[mesh.triangles[t][k]]);
      }
    }
    EXPECT_EQ(is_closed(stl), known.closed);
    ++count;
  }
  std::printf("data meshes tested: %zu\n", count);
}

}  // namespace
}  // namespace whisker
