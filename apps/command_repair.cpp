// whisker repair MESH -o FILE

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <whisker/editing/repair.hpp>
#include <whisker/error.hpp>
#include <whisker/io.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "printing.hpp"
#include "self_count.hpp"

namespace whisker::apps {
namespace {

using nlohmann::json;

struct RepairArguments {
  std::string mesh;
  std::string output;
  std::size_t max_hole_edges = RepairOptions{}.max_hole_edges;
  bool binary = false;
  bool as_json = false;
};

// What is still wrong, one sentence each.
std::vector<std::string> what_is_left(const MeshRepair& repair, const std::optional<SelfCount>& self) {
  std::vector<std::string> left;
  if (repair.holes_left > 0)
    left.push_back(counted(repair.holes_left, "hole stays", "holes stay") +
                   " open; a larger --longest-hole fills more");
  if (self && self->strangers + self->neighbors > 0)
    left.push_back("the surface crosses or touches itself: " + self->text());
  left.insert(left.end(), repair.after.findings.begin(), repair.after.findings.end());
  return left;
}

void run_repair(const RepairArguments& arguments) {
  if (!format_of_extension(arguments.output))
    throw Error(arguments.output + ": the file to write must be .stl, .obj, .ply or .off");
  const MeshRepair repair = repair_mesh(load_triangles(arguments.mesh), {.max_hole_edges = arguments.max_hole_edges});
  if (repair.mesh.triangles.empty())
    throw Error(arguments.mesh + ": nothing is left of it: all its triangles are collapsed");
  std::optional<SelfCount> self;
  try {
    self = count_self_contacts(repair.mesh);
  } catch (const Error&) {  // the mesh is beyond what queries accept, but the file is still repaired
  }
  write_mesh(arguments.output, repair.mesh, {.format = {}, .binary = arguments.binary});
  const std::vector<std::string> left = what_is_left(repair, self);
  if (arguments.as_json) {
    return print_json(
        {{"file", arguments.output},
         {"triangles", repair.after.triangles},
         {"vertices", repair.after.vertices},
         {"closed", repair.after.closed},
         {"volume", repair.after.volume},
         {"vertices_merged", repair.vertices_merged},
         {"vertices_removed", repair.vertices_removed},
         {"collapsed_removed", repair.collapsed_removed},
         {"duplicates_removed", repair.duplicates_removed},
         {"triangles_turned", repair.triangles_turned},
         {"holes_filled", repair.holes_filled},
         {"holes_left", repair.holes_left},
         {"triangles_added", repair.triangles_added},
         {"vertices_added", repair.vertices_added},
         {"boundary_edges", repair.after.boundary_edges},
         {"nonmanifold_edges", repair.after.nonmanifold_edges},
         {"inconsistent_edges", repair.after.inconsistent_edges},
         {"self_contacts",
          self ? json{{"pairs", self->strangers}, {"neighbors", self->neighbors}, {"complete", self->is_complete}}
               : json()},
         {"done", repair.done},
         {"left", left}});
  }
  for (const std::string& line : repair.done)
    fmt::print("{}\n", line);
  if (repair.done.empty()) fmt::print("nothing to repair\n");
  fmt::print("{}: {} triangles, {} vertices, {}\n", arguments.output, repair.after.triangles, repair.after.vertices,
             repair.after.closed ? "closed" : "not closed");
  for (const std::string& line : left)
    fmt::print("- {}\n", line);
}

}  // namespace

void add_repair_command(CLI::App& app) {
  auto arguments = std::make_shared<RepairArguments>();
  CLI::App* command = app.add_subcommand(
      "repair", "Fill the holes of a mesh, remove duplicate and collapsed triangles, and make it face outward.");
  command->add_option("MESH", arguments->mesh, "a mesh or scene file; a scene becomes one mesh")->required();
  command->add_option("-o,--output", arguments->output, "the file to write: .stl, .obj, .ply or .off")->required();
  command->add_option("--longest-hole", arguments->max_hole_edges,
                      "holes with more border edges than this stay open [all are filled]");
  command->add_flag("--binary", arguments->binary, "write STL or PLY in binary");
  command->add_flag("--json", arguments->as_json, "print JSON");
  command->callback([arguments] { run_repair(*arguments); });
}

}  // namespace whisker::apps
