#pragma once

// Decides what the report's page draws: every part, but not every triangle of a large scene.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

// How much a page may hold. A browser opens a page of two million triangles (about 50 MB) in a few seconds.
struct PageBudget {
  std::size_t stored = 2'000'000;        // triangles in the page: each mesh counts once, for all parts that use it
  std::size_t drawn = 8'000'000;         // triangles of all parts together
  std::size_t findings = 20'000;         // the worst ones; the total number is stated
  std::size_t curve_points = 1'000'000;  // of all findings together; findings beyond that have no curve
};

enum class Detail : std::uint8_t {
  whole,          // as it was read
  near_findings,  // whole near its findings, simplified elsewhere
  simplified,     // fewer triangles everywhere
  box,            // only its box
};

struct PageMesh {
  std::uint32_t mesh = 0;  // of the assembly
  Detail detail = Detail::whole;
  std::size_t max_triangles = 0;  // if it is not whole
  std::vector<Vector3> keep;      // for Detail::near_findings: points in the mesh's frame
};

struct PageScene {
  std::vector<PageMesh> meshes;
  std::vector<std::uint32_t> mesh_of_part;  // indices into `meshes`
  std::vector<std::string> notes;           // what is not drawn as it was read, one sentence each; may be empty
};

// Parts with findings get three quarters of the budget, or all of it if the others do not need theirs. The other parts
// get what is left. Within each kind, all meshes that fit under one common limit are drawn whole.
PageScene plan_scene(const Assembly& assembly, const Findings& findings, const PageBudget& budget);

// The triangles of one mesh of the plan, welded. None for a box.
MeshData mesh_of(const Assembly& assembly, const PageMesh& planned);

}  // namespace whisker::clash
