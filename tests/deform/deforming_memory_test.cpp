// If memory runs out in the middle of a step or an edit, a deforming mesh still answers queries correctly.

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/near_features.hpp>
#include <whisker/self_contacts.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "support/cases.hpp"
#include "support/count_allocations.hpp"
#include "support/sheets.hpp"

namespace whisker {
namespace {

using Pairs = std::vector<TrianglePair>;

Pairs sorted_pairs(const SelfContacts& found) {
  Pairs pairs = found.pairs;
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Expects that the mesh answers like one that is made from the same data.
void expect_right(const DeformingMesh& mesh, std::size_t allocated) {
  ASSERT_EQ(mesh.start().size(), mesh.end().size()) << allocated;
  const MeshData data = {{mesh.end().begin(), mesh.end().end()}, {mesh.triangles().begin(), mesh.triangles().end()}};
  const Mesh snapshot = mesh.snapshot();
  EXPECT_TRUE(
      std::equal(data.vertices.begin(), data.vertices.end(), snapshot.vertices().begin(), snapshot.vertices().end()))
      << allocated;
  const SelfContactOptions options = {.by_direction = true, .threads = 1};
  EXPECT_EQ(sorted_pairs(self_contacts(mesh, options)), sorted_pairs(self_contacts(Mesh(data), options))) << allocated;
  DeformingMesh fresh(data);
  fresh.set_step(mesh.start(), mesh.end());
  EXPECT_EQ(first_contacts(mesh).hits.size(), first_contacts(fresh).hits.size()) << allocated;
}

/// Expects that after a change that failed either nothing has been dropped or everything that may fit nothing.
void expect_whole_or_dropped(const DeformingMesh& mesh, std::size_t allocated) {
  const deform::DerivedParts& d = storage_of(mesh).derived;
  const bool is_whole = d.still.made() != nullptr;
  EXPECT_EQ(d.swept.made() != nullptr, is_whole) << allocated;
  EXPECT_EQ(d.contours.made() != nullptr, is_whole) << allocated;
  EXPECT_EQ(d.leaf_boxes.made() != nullptr, is_whole) << allocated;
  // These depend on the triangles only.
  EXPECT_EQ(d.edges.made() != nullptr, d.fans.made() != nullptr) << allocated;
  EXPECT_EQ(d.edges.made() != nullptr, d.triangle_edges.made() != nullptr) << allocated;
}

/// Makes memory run out after no allocation of the change, after one, and so on.
template <class Change>
void fail_everywhere(const Change& change) {
  std::mt19937_64 random = test::seeded(841);
  const MeshData data =
      test::bent_sheet(12, 12, [](double u, double v) { return Vector3(u, v, 0.1 * std::sin(9 * u)); });
  std::vector<Vector3> mixed = test::shaken(data.vertices, random, 0.3);
  bool was_done = false;
  for (std::size_t done = 0; !was_done; ++done) {
    ASSERT_LT(done, 10000u);
    DeformingMesh mesh(data, {.threads = 1});
    (void)self_contacts(mesh, {.by_direction = true, .threads = 1});
    (void)near_features(mesh, 0.01, {.threads = 1});
    (void)storage_of(mesh).fans();
    (void)storage_of(mesh).leaf_boxes();
    const Mesh held = mesh.snapshot();
    max_allocations = allocations + done;
    try {
      change(mesh, mixed);
      was_done = true;
    } catch (const std::bad_alloc&) {
    }
    max_allocations = std::numeric_limits<std::size_t>::max();
    if (!was_done) expect_whole_or_dropped(mesh, done);
    expect_right(mesh, done);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DeformingMemory, MayRunOutInAStep) {
  // The step makes the tree so bad that it is rebuilt.
  fail_everywhere([](DeformingMesh& mesh, const std::vector<Vector3>& vertices) { mesh.set_vertices(vertices); });
}

TEST(DeformingMemory, MayRunOutInARebuild) {
  fail_everywhere([](DeformingMesh& mesh, const std::vector<Vector3>&) { mesh.rebuild(); });
}

TEST(DeformingMemory, MayRunOutInAnEdit) {
  MeshEdit edit = {.new_vertices = {{0.5, 0.5, 0.5}}, .changed = {{3, {0, 1, 169}}}, .removed = {7, 100, 250}};
  for (std::uint32_t v = 0; v < 40; ++v)
    edit.added.push_back({v, v + 1, 169});
  fail_everywhere([&](DeformingMesh& mesh, const std::vector<Vector3>&) { mesh.edit(edit); });
}

}  // namespace
}  // namespace whisker
