// Frames and queries of surfaces allocate nothing when repeated.

#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/methods/surface_hierarchy.hpp>

#include "support/count_allocations.hpp"

namespace whisker {
namespace {

using namespace methods;
TEST(SurfaceHierarchyAllocation, NoneOnceItIsWarm) {
  MeshData cloth = make::cloth_sheet({.columns = 40, .rows = 40, .folds = 3, .fold_angle = 120});
  std::vector<Vector3> flat = cloth.vertices;
  for (Vector3& v : flat)
    v.z() = 0.3 * std::abs(v.x());
  const MeshData ball = make::icosphere({.radius = 0.3});
  for (const SurfaceCurvature curvature : {SurfaceCurvature::none, SurfaceCurvature::sixty_four,
                                           SurfaceCurvature::volume_directions, SurfaceCurvature::cone}) {
    SurfaceHierarchy mesh(cloth, {.curvature = curvature});
    const SurfaceHierarchy other(ball, {.curvature = curvature});
    SurfaceContacts itself, near, with_ball;
    const auto frame = [&](const std::vector<Vector3>& vertices) {
      mesh.set_vertices(vertices);
      mesh.self_contacts({.records_visits = true}, itself);
      mesh.self_contacts({.distance = 0.01}, near);
      triangle_contacts(mesh, other, {}, with_ball);
      EXPECT_FALSE(with_ball.pairs.empty());
    };
    frame(flat);
    frame(cloth.vertices);
    const std::size_t before = allocations.load();
    frame(flat);
    frame(cloth.vertices);
    EXPECT_EQ(allocations.load(), before);
  }
}

}  // namespace
}  // namespace whisker
