// Sections of the public meshes in $WHISKER_DATA/meshes, against all their triangles in exact rationals.

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include <whisker/io.hpp>

#include "support/mesh_cases.hpp"
#include "support/section_truth.hpp"

namespace whisker {
namespace {

TEST(SectionData, OfPublicMeshesAreThoseOfAllTheirTriangles) {
  const char* const data = std::getenv("WHISKER_DATA");
  if (data == nullptr || *data == '\0') GTEST_SKIP() << "WHISKER_DATA is not set: the public meshes are not tested";
  auto random = test::seeded(7211);
  std::size_t meshes = 0, curves = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(data) / "meshes")) {
    if (entry.path().extension() != ".obj") continue;
    const MeshData mesh = read_mesh(entry.path());
    if (mesh.triangles.size() > 80'000) continue;
    ++meshes;
    const Shape shape = Mesh(mesh);
    const Aabb box = shape.as<Mesh>()->bounds();
    for (std::size_t i = 0; i < 3; ++i) {
      // Anywhere, through a vertex, and along an axis through a vertex.
      const Pose pose = i == 2 ? Pose() : test::random_pose(random, box.upper.cwiseAbs().maxCoeff());
      const Vector3& vertex = mesh.vertices[random() % mesh.vertices.size()];
      Plane plane{i == 2 ? Vector3(Vector3::Unit(static_cast<int>(meshes % 3))) : test::random_vector(random), 0};
      const Pose at(place(pose, i == 0 ? Vector3((box.lower + box.upper) / 2) : vertex));
      const std::vector<Polyline> found = section({shape, pose}, {plane, at});
      const test::SectionTruth truth(mesh, pose, plane, at);
      ASSERT_EQ(truth.difference(found, shape.as<Mesh>()->can_be_solid()), "") << entry.path() << " " << i;
      curves += found.size();
    }
  }
  std::printf("sections of %zu public meshes: %zu curves\n", meshes, curves);
  EXPECT_GT(curves, 0u);
}

}  // namespace
}  // namespace whisker
