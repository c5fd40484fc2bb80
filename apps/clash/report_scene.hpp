#pragma once

// What the report's page draws: every part, but not every triangle of a large scene.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

// How much a page may hold. A browser opens a page of two million triangles (some 50 MB) in a few seconds.
struct PageBudget {
  std::size_t stored = 2'000'000;        // triangles in the page: of each mesh once, however many parts have it
  std::size_t drawn = 8'000'000;         // triangles of all parts together
  std::size_t findings = 20'000;         // the worst ones; how many there are is told
  std::size_t curve_points = 1'000'000;  // of all findings together; those after have no curve
};

enum class Detail : std::uint8_t {
  whole,          // as it was read
  near_findings,  // whole near its findings, simplified elsewhere
  simplified,     // fewer triangles everywhere
  box,            // its box alone
};

struct PageMesh {
  std::uint32_t mesh = 0;  // of the assembly
  Detail detail = Detail::whole;
  std::size_t max_triangles = 0;  // where it is not whole
  std::vector<Vector3> keep;      // of Detail::near_findings: points in the mesh's frame
};

struct PageScene {
  std::vector<PageMesh> meshes;
  std::vector<std::uint32_t> mesh_of_part;  // numbers of `meshes`
  std::vector<std::string> notes;           // what is not drawn as it was read, a sentence each; empty if all is
};

// Parts with findings have three quarters of the budget, and all of it if they need no more; the other parts have what
// is left. Within each kind all meshes that fit under one common limit are whole.
PageScene plan_scene(const Assembly& assembly, const Findings& findings, const PageBudget& budget);

// The triangles of one mesh of the plan, welded; none for a box.
MeshData mesh_of(const Assembly& assembly, const PageMesh& planned);

}  // namespace whisker::clash
