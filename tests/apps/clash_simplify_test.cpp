// The plan of which meshes the report simplifies.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>

#include "clash/report_scene.hpp"

namespace whisker::clash {
namespace {

Assembly assembly_of(const std::vector<std::pair<int, std::uint32_t>>& meshes_and_parts) {
  Assembly assembly;
  for (const auto& [subdivisions, parts] : meshes_and_parts) {
    MeshData data = make::icosphere({1, subdivisions});
    const Mesh mesh(data);
    assembly.meshes.push_back({std::move(data), mesh.solid(), true, ""});
    for (std::uint32_t i = 0; i < parts; ++i) {
      assembly.parts.push_back({"part " + std::to_string(assembly.parts.size()),
                                "",
                                static_cast<std::uint32_t>(assembly.meshes.size() - 1),
                                Pose(),
                                {}});
    }
  }
  return assembly;
}

Findings finding_between(std::uint32_t a, std::uint32_t b) {
  Findings findings;
  Finding finding;
  finding.a = a;
  finding.b = b;
  finding.position = {1, 0, 0};
  findings.all.push_back(finding);
  return findings;
}

struct Totals {
  std::size_t stored = 0;
  std::size_t drawn = 0;
};

Totals totals_of(const Assembly& assembly, const PageScene& scene) {
  Totals totals;
  std::vector<std::size_t> triangles;
  for (const PageMesh& mesh : scene.meshes) {
    triangles.push_back(mesh_of(assembly, mesh).triangles.size());
    totals.stored += triangles.back();
  }
  for (const std::uint32_t mesh : scene.mesh_of_part)
    totals.drawn += triangles[mesh] == 0 ? 12 : triangles[mesh];
  return totals;
}

TEST(PageScene, SmallScenesAreWhole) {
  const Assembly assembly = assembly_of({{3, 5}, {2, 40}});
  const PageScene scene = plan_scene(assembly, finding_between(0, 7), {});
  EXPECT_TRUE(scene.notes.empty());
  EXPECT_EQ(scene.meshes.size(), 2u);  // parts share meshes
  EXPECT_EQ(totals_of(assembly, scene).stored, 1280u + 320u);
  for (const PageMesh& mesh : scene.meshes)
    EXPECT_EQ(mesh.detail, Detail::whole);
}

TEST(PageScene, PartsWithFindingsGoFirstAndBudgetsHold) {
  // 5,120 triangles with 1 part, 20,480 with 3 parts, 1,280 with 50 parts.
  const Assembly assembly = assembly_of({{4, 1}, {5, 3}, {3, 50}});
  const Findings findings = finding_between(0, 4);  // the first part and one of the fifty
  for (const PageBudget budget :
       {PageBudget{20'000, 100'000}, PageBudget{10'000, 30'000}, PageBudget{3'000, 6'000}, PageBudget{1'000, 2'500}}) {
    const PageScene scene = plan_scene(assembly, findings, budget);
    const Totals totals = totals_of(assembly, scene);
    EXPECT_LE(totals.stored, budget.stored);
    EXPECT_LE(totals.drawn, budget.drawn);
    EXPECT_FALSE(scene.notes.empty());
    const auto detail = [&](std::size_t part) { return scene.meshes[scene.mesh_of_part[part]].detail; };
    EXPECT_NE(detail(0), Detail::simplified);
    EXPECT_NE(detail(0), Detail::box);
    EXPECT_NE(detail(4), Detail::box);
    EXPECT_NE(detail(1), Detail::whole);
    if (budget.stored >= 10'000) {
      EXPECT_EQ(detail(0), Detail::whole);
    }
  }
}

TEST(PageScene, TheSameMeshMayBeWholeForAPartWithFindingsAndABoxForOthers) {
  const Assembly assembly = assembly_of({{3, 1000}});
  const PageScene scene = plan_scene(assembly, finding_between(0, 1), {2'000, 20'000});
  EXPECT_EQ(scene.meshes[scene.mesh_of_part[0]].detail, Detail::whole);
  EXPECT_EQ(scene.meshes[scene.mesh_of_part[1]].detail, Detail::whole);
  EXPECT_EQ(scene.meshes[scene.mesh_of_part[2]].detail, Detail::box);
  EXPECT_EQ(scene.notes, std::vector<std::string>{"998 parts are drawn as their boxes."});
}

}  // namespace
}  // namespace whisker::clash
