// whisker spheres MESH [-o FILE] and whisker spheres ROBOT.urdf -n N -o FILE.urdf

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tbb/global_control.h>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/robot/urdf.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>

#include "arguments.hpp"
#include "clash/output.hpp"
#include "commands.hpp"
#include "printing.hpp"
#include "progress.hpp"
#include "sphere_job.hpp"
#include "sphere_picture.hpp"

namespace whisker::apps {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct SpheresArguments {
  fs::path input;
  fs::path output;
  fs::path picture;
  std::string method{SphereJob{}.method.name};
  SphereJob job;
  std::vector<fs::path> packages;
  int threads = 0;
  bool as_json = false;
  bool quiet = false;
};

json to_json(const Interval& interval) {
  return {interval.lower, interval.upper};
}

/// Formats an interval: one number, or both if they differ in the digits shown.
std::string shown(const Interval& interval) {
  const std::string lower = fmt::format("{:.4g}", interval.lower), upper = fmt::format("{:.4g}", interval.upper);
  return lower == upper ? upper : lower + " to " + upper;
}

/// Maximum number of spheres for a robot's collision shape if only an error is given.
constexpr int max_for_error = 1000;

// ---- A mesh ----

void write_tree(const fs::path& path, const SphereTree& tree, bool is_set) {
  if (!is_set) return save_sphere_tree(tree, path);
  std::vector<Vector3> centers;
  std::vector<double> radii;
  for (const BoundingSphere& sphere : tree.spheres(tree.depth())) {
    centers.push_back(sphere.center);
    radii.push_back(sphere.radius);
  }
  const SphereSet set(centers, radii);
  if (path.extension() == ".sph") return save_sph(set, path);
  clash::write_whole_file(path, encode_sphere_json(set));
}

void run_mesh(const SpheresArguments& arguments, SphereJob job) {
  const std::string extension = arguments.output.extension().string();
  if (!arguments.output.empty() && extension != ".sph" && extension != ".json")
    throw Error(arguments.output.string() + ": the spheres of a mesh must be written to a .sph or .json file");
  if (!arguments.picture.empty()) check_picture_path(arguments.picture);
  Mesh mesh(load_triangles(arguments.input.string()));
  try {
    mesh = mesh.solid();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {} (whisker repair {} -o FILE)", arguments.input.string(), error.what(),
                            arguments.input.string()));
  }
  ProgressShow show("parts");
  if (!arguments.quiet) {
    job.progress = [&show](std::size_t done, std::size_t all) {
      constexpr std::size_t most = 1000;  // a full tree of many levels has too many parts to show
      all <= most ? show(done, all) : show(std::min(most, done / (all / most)), most);
    };
  }
  const SphereTree tree = build_spheres(mesh, job);
  show.finish();
  std::vector<LevelRow> rows;
  for (int level = 0; level <= tree.depth(); ++level)
    rows.push_back({level, report_level(tree, level, mesh)});

  // Writes files first, so that all of them exist when the table appears.
  if (!arguments.output.empty()) write_tree(arguments.output, tree, job.count.has_value());
  if (!arguments.picture.empty())
    write_sphere_picture(arguments.picture,
                         {.title = arguments.input.filename().string(),
                          .note = fmt::format("{} triangles, method {}", mesh.triangle_count(), arguments.method),
                          .tree = tree,
                          .mesh = mesh,
                          .rows = rows});
  const double radius = tree.nodes[0].sphere.radius;
  if (arguments.as_json) {
    json levels = json::array();
    for (const LevelRow& row : rows)
      levels.push_back({{"level", row.level},
                        {"spheres", row.fit.spheres},
                        {"worst", to_json(row.fit.worst)},
                        {"mean", to_json(row.fit.mean)},
                        {"root_mean_square", to_json(row.fit.root_mean_square)}});
    return print_json({{"file", arguments.input.string()},
                       {"method", arguments.method},
                       {"triangles", mesh.triangle_count()},
                       {"radius", radius},
                       {"levels", levels}});
  }
  fmt::print("{:>5} {:>8}  {:<22} {:<22} {:<22} {}\n", "level", "spheres", "protrude at most", "mean", "RMS",
             "of the radius");
  for (const LevelRow& row : rows)
    fmt::print("{:>5} {:>8}  {:<22} {:<22} {:<22} {:.2f} %\n", row.level, row.fit.spheres, shown(row.fit.worst),
               shown(row.fit.mean), shown(row.fit.root_mean_square), 100 * row.fit.worst.upper / radius);
  const double reached = rows.back().fit.worst.upper;
  if (job.error > 0 && reached > job.error)
    fmt::print("--error {} was not reached: {:.4g}; more spheres, depth or branching, or another method may help\n",
               job.error, reached);
  for (const fs::path& path : {arguments.output, arguments.picture})
    if (!path.empty()) fmt::print("{}\n", path.string());
}

// ---- A robot ----

void run_robot(const SpheresArguments& arguments, SphereJob job) {
  if (!arguments.picture.empty()) throw Error("--picture: is only for meshes; use one of the robot's meshes");
  if (!job.count && !(job.error > 0))
    throw Error("a robot needs -n N, the maximum number of spheres per collision shape, or --error E");
  if (arguments.output.extension() != ".urdf")
    throw Error("-o: the spheres of a robot must be written to a separate .urdf file");
  std::error_code ignored;
  if (fs::equivalent(arguments.input, arguments.output, ignored))
    throw Error(arguments.output.string() + ": is the robot itself; write to another file, so that it is not lost");
  if (!job.count) job.count = max_for_error;
  const UrdfOptions reading{.package_folders = arguments.packages};
  const UrdfRobot robot = load_urdf(arguments.input, reading);
  std::size_t shapes = 0;
  for (const Link& link : robot.body.links())
    shapes += link.shapes.size();

  ProgressShow show("collision shapes");
  // Meshes with the same vertices and triangles, such as those of two feet, have the same spheres.
  std::vector<std::pair<Mesh, ShapeSpheres>> known;
  const auto spheres_of = [&](const Shape& shape) {
    const Mesh* mesh = shape.as<Mesh>();
    if (mesh == nullptr) return build_shape_spheres(shape, job);
    const auto found = std::ranges::find_if(known, [&](const auto& entry) {
      return std::ranges::equal(entry.first.vertices(), mesh->vertices()) &&
             std::ranges::equal(entry.first.triangles(), mesh->triangles());
    });
    if (found != known.end()) return found->second;
    return known.emplace_back(*mesh, build_shape_spheres(shape, job)).second;
  };
  std::size_t done = 0, spheres = 0;
  json rows = json::array();
  std::vector<std::string> notes = robot.notes;
  std::ifstream file(arguments.input, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string out = urdf_with_spheres(
      text, arguments.input,
      [&](const UrdfCollision& collision) {
        if (!arguments.quiet) show(done++, shapes);
        try {
          const ShapeSpheres made = spheres_of(collision.shape);
          if (!made.note.empty())
            notes.push_back(fmt::format("link {}, collision {}: {}", collision.link, collision.number, made.note));
          const std::size_t count = std::max<std::size_t>(1, made.spheres.size());
          spheres += count;
          rows.push_back({{"link", collision.link},
                          {"collision", collision.number},
                          {"spheres", count},
                          {"protrusion", made.protrusion}});
          return made.spheres;
        } catch (const Error& error) {
          throw Error(fmt::format("{}: link {}, collision {}: {}", arguments.input.string(), collision.link,
                                  collision.number, error.what()));
        }
      },
      reading);
  show.finish();
  clash::write_whole_file(arguments.output, out);
  if (arguments.as_json) {
    return print_json(
        {{"file", arguments.output.string()}, {"collisions", rows}, {"spheres", spheres}, {"notes", notes}});
  }
  fmt::print("{:<32} {:>9} {:>8}  {}\n", "link", "collision", "spheres", "protrude at most");
  for (const json& row : rows)
    fmt::print("{:<32} {:>9} {:>8}  {:.4g}\n", row["link"].get<std::string>(), row["collision"].get<std::size_t>(),
               row["spheres"].get<std::size_t>(), row["protrusion"].get<double>());
  fmt::print("{}: {} spheres for {} collision shapes\n", arguments.output.string(), spheres, shapes);
  for (const std::string& note : notes)
    fmt::print("- {}\n", note);
}

void run_spheres(const SpheresArguments& arguments) {
  SphereJob job = arguments.job;
  if (!(job.error >= 0) || !std::isfinite(job.error)) throw Error("--error: takes a length, 0 or larger");
  if (job.count && *job.count < 1) throw Error("-n: takes a number of spheres, 1 or more");
  if (arguments.threads < 0) throw Error("--threads: takes a number of threads, 1 or more");
  job.method = parse_sphere_method(arguments.method);
  std::optional<tbb::global_control> threads;
  if (arguments.threads > 0)
    threads.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(arguments.threads));
  if (arguments.input.extension() == ".urdf") {
    run_robot(arguments, job);
  } else {
    run_mesh(arguments, job);
  }
}

}  // namespace

void add_spheres_command(CLI::App& app) {
  auto arguments = std::make_shared<SpheresArguments>();
  SphereJob& job = arguments->job;
  CLI::App* command = app.add_subcommand(
      "spheres",
      "Cover a mesh with a tree or a set of spheres, or replace the collision shapes of a robot by spheres.");
  command->add_option("INPUT", arguments->input, "a closed mesh, or a robot: .urdf")->required();
  command->add_option("-o,--output", arguments->output, "the file to write: .sph or .json, for a robot .urdf");
  command->add_option("-n,--count", job.count,
                      "make a set of at most this many spheres instead of a tree; for a robot: per collision shape");
  command->add_option(
      "--error", job.error,
      "how far spheres may protrude, in the unit of the mesh: a tree is refined, and a set is reduced, to that");
  command->add_option("--method", arguments->method, fmt::format("{} [{}]", sphere_method_names(), arguments->method));
  command->add_option("--depth", job.depth, fmt::format("levels below the root, 1 to 10 [{}]", job.depth));
  command->add_option("--branching", job.branching,
                      fmt::format("maximum number of children of a sphere, 2 to 64 [{}]", job.branching));
  command->add_option("--samples", job.samples,
                      fmt::format("initial points on the surface: more fit better but take longer [{}, for a set {}]",
                                  SphereTreeOptions{}.samples, SphereSetOptions{}.samples));
  command->add_option(
      "--pieces", job.pieces,
      fmt::format("pieces that the surface is cut into: more fit better but take longer [{}, for a set {}]",
                  SphereTreeOptions{}.pieces, SphereSetOptions{}.pieces));
  command->add_option("--seed", job.seed, fmt::format("seed of the random points [{}]", job.seed));
  command->add_option("--picture", arguments->picture, "draw each level: FILE.svg, or FILE.html to rotate them");
  add_repeated(*command, "--packages", arguments->packages,
               "for a robot: a folder of packages, for meshes at package://; may be repeated");
  command->add_option("--threads", arguments->threads, "number of threads [all cores]");
  command->add_flag("--json", arguments->as_json, "print JSON instead of the table");
  command->add_flag("--quiet", arguments->quiet, "show no progress");
  command->callback([arguments] { run_spheres(*arguments); });
}

}  // namespace whisker::apps
