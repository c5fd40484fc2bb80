#include "clash/report_scene.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <whisker/editing/simplify.hpp>

#include "printing.hpp"

namespace whisker::clash {
namespace {

using apps::counted;

constexpr std::size_t min_triangles = 60;     // minimum for a simplified mesh; one with less is drawn as its box
constexpr std::size_t max_kept_points = 256;  // per mesh: each point costs time for every triangle

struct Use {
  std::size_t triangles = 0;
  std::size_t parts = 0;
};
// The meshes, by number, that one kind of parts uses: those with findings, or those without.
using Uses = std::map<std::uint32_t, Use>;

struct Size {
  std::size_t stored = 0;
  std::size_t drawn = 0;
};

// What is stored and drawn if every mesh is limited to `limit` triangles.
Size size_under(const Uses& uses, std::size_t limit) {
  Size size;
  for (const auto& [mesh, use] : uses) {
    std::size_t triangles = std::min(use.triangles, limit);
    if (triangles < use.triangles && triangles < min_triangles) triangles = 0;
    size.stored += triangles;
    size.drawn += (triangles == 0 ? 12 : triangles) * use.parts;
  }
  return size;
}

// The highest limit that fits the budget. 0 if none does.
std::size_t limit_within(const Uses& uses, const PageBudget& budget) {
  const auto fits = [&](std::size_t limit) {
    const Size size = size_under(uses, limit);
    return size.stored <= budget.stored && size.drawn <= budget.drawn;
  };
  std::size_t high = 0;
  for (const auto& [mesh, use] : uses)
    high = std::max(high, use.triangles);
  if (fits(high)) return high;
  std::size_t low = 0;
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

PageScene plan_scene(const Assembly& assembly, const Findings& findings, const PageBudget& budget) {
  std::vector<bool> has_finding(assembly.parts.size(), false);
  std::map<std::uint32_t, std::vector<Vector3>> points;  // by mesh, in its frame
  for (const Finding& finding : findings.all) {
    for (const auto& [part, pose] : {std::pair{finding.a, finding.pose_a}, std::pair{finding.b, finding.pose_b}}) {
      has_finding[part] = true;
      std::vector<Vector3>& of_mesh = points[assembly.parts[part].mesh];
      if (of_mesh.size() < max_kept_points) of_mesh.push_back(place(inverse(pose), finding.position));
    }
  }

  Uses with, without;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const std::uint32_t mesh = assembly.parts[i].mesh;
    Use& use = (has_finding[i] ? with : without)[mesh];
    use = {assembly.meshes[mesh].data.triangles.size(), use.parts + 1};
  }
  constexpr auto everything = std::size_t(-1);
  const Size all_without = size_under(without, everything);
  const auto at_least = [](std::size_t share, std::size_t budget_, std::size_t others) {
    return others < budget_ ? std::max(share, budget_ - others) : share;
  };
  const std::size_t limit_with = limit_within(with, {at_least(budget.stored / 4 * 3, budget.stored, all_without.stored),
                                                     at_least(budget.drawn / 4 * 3, budget.drawn, all_without.drawn)});
  const Size used = size_under(with, limit_with);
  const std::size_t limit_without = limit_within(without, {budget.stored - std::min(budget.stored, used.stored),
                                                           budget.drawn - std::min(budget.drawn, used.drawn)});

  PageScene scene;
  std::map<std::pair<std::uint32_t, Detail>, std::uint32_t> numbers;
  std::size_t parts_of[4] = {};
  scene.mesh_of_part.reserve(assembly.parts.size());
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const std::uint32_t mesh = assembly.parts[i].mesh;
    const std::size_t triangles = assembly.meshes[mesh].data.triangles.size();
    const std::size_t limit = has_finding[i] ? limit_with : limit_without;
    PageMesh planned{mesh, Detail::whole, limit, {}};
    if (triangles > limit) {
      planned.detail = limit < min_triangles ? Detail::box
                       : has_finding[i]      ? Detail::near_findings
                                             : Detail::simplified;
    }
    ++parts_of[static_cast<std::size_t>(planned.detail)];
    const auto [at, is_new] =
        numbers.try_emplace({mesh, planned.detail}, static_cast<std::uint32_t>(scene.meshes.size()));
    if (is_new) {
      if (planned.detail == Detail::near_findings) planned.keep = points[mesh];
      scene.meshes.push_back(std::move(planned));
    }
    scene.mesh_of_part.push_back(at->second);
  }
  if (const std::size_t count = parts_of[static_cast<std::size_t>(Detail::near_findings)]) {
    scene.notes.push_back(fmt::format("{} whole only near {} findings and simplified elsewhere.",
                                      counted(count, "part with findings is drawn", "parts with findings are drawn"),
                                      count == 1 ? "its" : "their"));
  }
  if (const std::size_t count = parts_of[static_cast<std::size_t>(Detail::simplified)]) {
    scene.notes.push_back(
        fmt::format("{} with fewer triangles than read.",
                    counted(count, "part without findings is drawn", "parts without findings are drawn")));
  }
  if (const std::size_t count = parts_of[static_cast<std::size_t>(Detail::box)])
    scene.notes.push_back(counted(count, "part is drawn as its box.", "parts are drawn as their boxes."));
  return scene;
}

MeshData mesh_of(const Assembly& assembly, const PageMesh& planned) {
  if (planned.detail == Detail::box) return {};
  MeshData mesh = weld_mesh(assembly.meshes[planned.mesh].data);
  if (planned.detail == Detail::whole) return mesh;
  return simplify_mesh(mesh, planned.max_triangles, planned.keep).mesh;
}

}  // namespace whisker::clash
