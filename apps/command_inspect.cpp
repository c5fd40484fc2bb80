// whisker inspect FILE

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/mass.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/scene.hpp>
#include <whisker/shape.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "printing.hpp"
#include "self_count.hpp"

namespace whisker::apps {
namespace {

using nlohmann::json;

const char* to_text(Facing facing) {
  return word_for(facing, {"outward", "inward", "undecided"});
}

// Notes on what reading the file did, for formats that whisker reads itself.
std::vector<std::string> reading_notes(const ReadReport& report) {
  std::vector<std::string> notes;
  const auto note = [&](const char* done, std::string_view things, std::size_t count) {
    if (count > 0) notes.push_back(fmt::format("{}: {} ({})", done, things, count));
  };
  note("cut into triangles", "polygons with more than three corners", report.polygons_triangulated);
  note("cut as fans", "polygons that cross themselves or have no area", report.polygons_not_simple);
  note("left out", "faces with fewer than three corners", report.short_polygons_ignored);
  for (const IgnoredElement& element : report.ignored)
    note("left out", element.what, element.count);
  return notes;
}

const char* to_text(UnitOrigin origin) {
  return word_for(origin, {"none", "file", "format"});
}

const char* to_text(UpAxis up) {
  return word_for(up, {"unknown", "x", "y", "z"});
}

// "mm, stated by the file".
std::string unit_text(const SceneUnit& unit) {
  if (unit.origin == UnitOrigin::none) return "not stated";
  const std::string length = fmt::format("{} m", unit.meters);
  return fmt::format("{}, {}", unit.name.empty() ? length : unit.name,
                     unit.origin == UnitOrigin::file ? "stated by the file" : "by the format's specification");
}

json parts_json(const Scene& scene) {
  json parts = json::array();
  for (const ScenePart& part : scene.parts) {
    parts.push_back({{"name", part.name},
                     {"path", part.path},
                     {"id", part.id},
                     {"type", part.type},
                     {"triangles", part.mesh.triangles.size()}});
  }
  return parts;
}

void print_scene(const Scene& scene) {
  constexpr std::size_t max_parts = 20;
  fmt::print("{:<24}{}\n", "unit", unit_text(scene.unit));
  fmt::print("{:<24}{}\n", "up", to_text(scene.up));
  fmt::print("{:<24}{}\n", "parts", scene.parts.size());
  for (std::size_t i = 0; i < std::min(scene.parts.size(), max_parts); ++i) {
    const ScenePart& part = scene.parts[i];
    std::string about = fmt::format("{} triangles", part.mesh.triangles.size());
    for (const std::string& fact : {part.type, part.id})
      if (!fact.empty()) about += ", " + fact;
    fmt::print("  {} ({})\n", part.name, about);
  }
  if (scene.parts.size() > max_parts)
    fmt::print("  … and {} more: --json lists them all\n", scene.parts.size() - max_parts);
}

json to_json(const TreeReport& tree) {
  json levels = json::array();
  for (const TreeLevel& level : tree.levels)
    levels.push_back({{"boxes", level.boxes}, {"mean_diagonal", level.mean_diagonal}, {"looseness", level.looseness}});
  return {{"nodes", tree.nodes},
          {"leaves", tree.leaves},
          {"depth", tree.depth},
          {"surface_cost", tree.surface_cost},
          {"mean_children", tree.mean_children},
          {"leaf_fill", tree.leaf_fill},
          {"bytes", tree.bytes},
          {"bytes_per_triangle", tree.bytes_per_triangle},
          {"levels", levels}};
}

void print_tree(const TreeReport& tree) {
  fmt::print("{:<24}{} nodes, {} leaves, depth {}\n", "search tree", tree.nodes, tree.leaves, tree.depth);
  fmt::print("{:<24}{:.2f}\n", "  surface-area cost", tree.surface_cost);
  fmt::print("{:<24}{:.0f} % of leaves, {:.2f} of 8 children\n", "  fill", 100 * tree.leaf_fill, tree.mean_children);
  fmt::print("{:<24}{} bytes, {:.1f} per triangle\n", "  memory", tree.bytes, tree.bytes_per_triangle);
  for (std::size_t i = 0; i < tree.levels.size(); ++i) {
    const TreeLevel& level = tree.levels[i];
    fmt::print("{:<24}{} boxes, mean diagonal {:.4g}, looseness {:.4f}\n", fmt::format("  level {}", i + 1),
               level.boxes, level.mean_diagonal, level.looseness);
  }
}

json rows_json(const Matrix3& matrix) {
  json rows = json::array();
  for (int i = 0; i < 3; ++i)
    rows.push_back(apps::to_json(Vector3(matrix.row(i))));
  return rows;
}

// Of the solid that the mesh bounds, with density 1; nothing if it bounds none.
std::optional<MassProperties> mass_of(const Mesh& mesh) {
  if (!mesh.can_be_solid()) return std::nullopt;
  try {
    return mass_properties(mesh.solid());
  } catch (const Error&) {
    return std::nullopt;  // it is flat
  }
}

void run_inspect(const std::string& path, bool as_json) {
  ReadReport reading;
  const bool own_format = format_of_extension(path).has_value();
  const Scene scene = own_format ? Scene{} : load_scene(path);
  const MeshData mesh = own_format ? read_mesh(path, &reading) : joined_parts(scene);
  const MeshReport report = inspect_mesh(mesh);
  std::vector<std::string> notes = own_format ? reading_notes(reading) : scene.notes;
  std::optional<TreeReport> tree;
  std::optional<SelfCount> self;
  std::optional<MassProperties> mass;
  try {
    const Mesh built(mesh);
    tree = built.tree_report();
    mass = mass_of(built);
    self = count_self_contacts(mesh);
  } catch (const Error& error) {
    notes.push_back(fmt::format("queries would reject it: {}", error.what()));
  }
  if (as_json) {
    json result = {
        {"file", path},
        {"triangles", report.triangles},
        {"vertices", report.vertices},
        {"used_vertices", report.used_vertices},
        {"unused_vertices", report.unused_vertices},
        {"duplicate_vertices", report.duplicate_vertices},
        {"bounds", {{"lower", apps::to_json(report.bounds.lower)}, {"upper", apps::to_json(report.bounds.upper)}}},
        {"closed", report.closed},
        {"edges", report.edges},
        {"boundary_edges", report.boundary_edges},
        {"nonmanifold_edges", report.nonmanifold_edges},
        {"inconsistent_edges", report.inconsistent_edges},
        {"consistent_orientation", report.consistent_orientation},
        {"facing", to_text(report.facing)},
        {"degenerate_triangles", report.degenerate_triangles},
        {"duplicate_triangles", report.duplicate_triangles},
        {"connected_components", report.connected_components},
        {"euler_characteristic", report.euler_characteristic},
        {"area", report.area},
        {"volume", report.volume},
        {"center", mass ? apps::to_json(middle(mass->center)) : json()},
        {"inertia", mass ? rows_json(middle(mass->inertia())) : json()},  // about the center, density 1
        {"self_contacts",
         self ? json{{"pairs", self->strangers}, {"neighbors", self->neighbors}, {"complete", self->is_complete}}
              : json()},
        {"tree", tree ? to_json(*tree) : json()},
        {"findings", report.findings},
        {"unit", {{"meters", scene.unit.meters}, {"name", scene.unit.name}, {"stated_by", to_text(scene.unit.origin)}}},
        {"up", to_text(scene.up)},
        {"reading", notes}};
    if (own_format) {
      result["format"] = std::string(to_string(reading.format));
      result["binary"] = reading.binary;
    } else {
      result["parts"] = parts_json(scene);
    }
    return print_json(result);
  }
  const auto row = [](const char* what, const std::string& value) { fmt::print("{:<24}{}\n", what, value); };
  if (own_format) {
    row("format", fmt::format("{}{}", to_string(reading.format), reading.binary ? ", binary" : ", text"));
    row("unit", unit_text(scene.unit));
  } else {
    print_scene(scene);
  }
  row("triangles", fmt::format("{}", report.triangles));
  row("vertices", fmt::format("{} ({} in use)", report.vertices, report.used_vertices));
  row("bounds", apps::to_text(report.bounds.lower) + " to " + apps::to_text(report.bounds.upper));
  row("closed", report.closed ? "yes" : "no");
  row("boundary edges", fmt::format("{}", report.boundary_edges));
  row("non-manifold edges", fmt::format("{}", report.nonmanifold_edges));
  row("orientation", fmt::format("{}, facing {}", report.consistent_orientation ? "consistent" : "inconsistent",
                                 to_text(report.facing)));
  row("degenerate triangles", fmt::format("{}", report.degenerate_triangles));
  row("duplicate triangles", fmt::format("{}", report.duplicate_triangles));
  row("connected components", fmt::format("{}", report.connected_components));
  row("area", fmt::format("{}", report.area));
  row("volume", report.closed ? fmt::format("{}", report.volume) : "none (not closed)");
  if (mass) {
    row("center of mass", apps::to_text(middle(mass->center)));
    row("principal moments", apps::to_text(middle(principal_axes(*mass).moments)) + " (density 1)");
  }
  if (self) row("self-contacts", self->text());
  if (tree) print_tree(*tree);
  for (const std::string& note : notes)
    fmt::print("- {}\n", note);
  for (const std::string& finding : report.findings)
    fmt::print("- {}\n", finding);
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("inspect", "What is in a mesh file, and what is wrong with it?");
  command->add_option("FILE", *path, "a mesh or scene file")->required();
  command->add_flag("--json", *as_json, "print JSON");
  command->callback([path, as_json] { run_inspect(*path, *as_json); });
}

}  // namespace whisker::apps
