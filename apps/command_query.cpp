// whisker touches|contacts|distance|depth A B, whisker ray A

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/queries.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "printing.hpp"

namespace whisker::apps {
namespace {

using apps::to_json;
using apps::to_text;

using nlohmann::json;

struct PairArguments {
  std::string a;
  std::string b;
  std::vector<std::string> poses;
  bool solid = false;
  bool as_json = false;
  double tolerance = 0;
  std::size_t max_count = std::numeric_limits<std::size_t>::max();
  bool polylines = false;
};

void run_touches(const PairArguments& arguments, const Placed& a, const Placed& b) {
  Cost cost;
  const bool answer = touches(a, b, &cost);
  if (arguments.as_json) {
    print_json({{"touches", answer}, {"cost", to_json(cost)}});
  } else {
    fmt::print("{}\n", answer ? "yes" : "no");
  }
}

json to_json(const Feature& feature) {
  json result = {{"part", feature.part}};
  if (feature.kind == FeatureKind::triangle) result["triangle"] = feature.id;
  return result;
}
std::string to_text(const Feature& feature) {
  const std::string part = feature.part == 0 ? "" : fmt::format("part {} ", feature.part);
  return part + (feature.kind == FeatureKind::triangle ? fmt::format("triangle {}", feature.id) : "whole");
}

double length_of(const Polyline& line) {
  double sum = line.closed ? (line.points.front() - line.points.back()).norm() : 0;
  for (std::size_t i = 1; i < line.points.size(); ++i)
    sum += (line.points[i] - line.points[i - 1]).norm();
  return sum;
}

void print_contacts(const Contacts& found, bool as_json) {
  if (as_json) {
    json pairs = json::array();
    for (const Contact& contact : found.pairs) {
      pairs.push_back({{"a", to_json(contact.a)},
                       {"b", to_json(contact.b)},
                       {"segment", {to_json(contact.segment.a), to_json(contact.segment.b)}}});
    }
    return print_json({{"contacts", pairs}, {"stop", to_text(found.stop)}, {"cost", to_json(found.cost)}});
  }
  fmt::print("{} contact{}{}\n", found.pairs.size(), found.pairs.size() == 1 ? "" : "s",
             found.stop == Stop::count ? ", and maybe more" : "");
  for (const Contact& contact : found.pairs) {
    fmt::print("A {}, B {}: {} to {}\n", to_text(contact.a), to_text(contact.b), to_text(contact.segment.a),
               to_text(contact.segment.b));
  }
}

void print_polylines(const Contacts& found, bool as_json) {
  const std::vector<Polyline> lines = polylines(found);
  if (as_json) {
    json curves = json::array();
    for (const Polyline& line : lines) {
      json& curve = curves.emplace_back(to_json(line));
      curve["length"] = length_of(line);
    }
    return print_json({{"polylines", curves}, {"stop", to_text(found.stop)}, {"cost", to_json(found.cost)}});
  }
  fmt::print("{} curve{}{}\n", lines.size(), lines.size() == 1 ? "" : "s",
             found.stop == Stop::count ? ", and maybe more" : "");
  for (const Polyline& line : lines) {
    fmt::print("{}, {} points, length {}, from {}\n", line.closed ? "closed" : "open", line.points.size(),
               length_of(line), to_text(line.points.front()));
  }
}

void run_contacts(const PairArguments& arguments, const Placed& a, const Placed& b) {
  const Contacts found = contacts(a, b, {.max_count = arguments.max_count});
  arguments.polylines ? print_polylines(found, arguments.as_json) : print_contacts(found, arguments.as_json);
}

// JSON has no number for infinity.
json number(double value) {
  return std::isinf(value) ? json("infinity") : json(value);
}

// A distance or a depth.
template <class Answer>
json answer_json(const char* name, const Answer& answer) {
  return {{name, number(answer.value())},       {"lower", number(answer.lower)},
          {"upper", number(answer.upper)},      {"point_a", to_json(answer.point_a)},
          {"point_b", to_json(answer.point_b)}, {"normal", to_json(answer.normal)},
          {"stop", to_text(answer.stop)},       {"cost", to_json(answer.cost)}};
}

void run_distance(const PairArguments& arguments, const Placed& a, const Placed& b) {
  const Distance answer = distance(a, b, {.tolerance = arguments.tolerance});
  if (arguments.as_json) return print_json(answer_json("distance", answer));
  fmt::print("distance  {}\n", answer.value());
  fmt::print("bounds    [{}, {}], {}\n", answer.lower, answer.upper, to_text(answer.stop));
  fmt::print("on A      {}\non B      {}\nnormal    {}\n", to_text(answer.point_a), to_text(answer.point_b),
             to_text(answer.normal));
}

void run_depth(const PairArguments& arguments, const Placed& a, const Placed& b) {
  const Depth answer = depth(a, b);
  if (arguments.as_json) return print_json(answer_json("depth", answer));
  if (answer.stop == Stop::exact) fmt::print("depth      {}\n", answer.value());
  fmt::print("bounds     [{}, {}], {}\n", answer.lower, answer.upper, to_text(answer.stop));
  fmt::print("normal     {}\n", to_text(answer.normal));
}

struct RayArguments {
  std::string shape;
  std::string pose;
  std::string origin = "0,0,0";
  std::string direction;
  bool line = false;
  bool segment = false;
  bool solid = false;
  bool as_json = false;
};

void run_ray(const RayArguments& arguments) {
  const Shape shape = load_shape(arguments.shape, arguments.solid);
  const Pose pose = arguments.pose.empty() ? Pose{} : parse_pose(arguments.pose);
  const Ray ray{parse_vector(arguments.origin, "--origin"), parse_vector(arguments.direction, "--direction")};
  const RayRange range = arguments.line ? line_range() : arguments.segment ? segment_range() : ray_range();
  const auto hit = cast_ray(ray, {shape, pose}, range);
  if (arguments.as_json) {
    json result = {{"hit", hit.has_value()}};
    if (hit) {
      result["t"] = hit->t;
      result["lower"] = hit->t_lower;
      result["upper"] = hit->t_upper;
      result["point"] = to_json(hit->point);
      result["normal"] = to_json(hit->normal);
      result["inside"] = hit->inside;
      if (hit->face) result["triangle"] = hit->face->triangle;
    }
    return print_json(result);
  }
  if (!hit) {
    fmt::print("no hit\n");
    return;
  }
  fmt::print("hit at t  {}\nbounds    [{}, {}]\npoint     {}\nnormal    {}\n", hit->t, hit->t_lower, hit->t_upper,
             to_text(hit->point), to_text(hit->normal));
}

void add_pair_command(CLI::App& app, const std::string& name, const std::string& summary,
                      void (*run)(const PairArguments&, const Placed& a, const Placed& b)) {
  auto arguments = std::make_shared<PairArguments>();
  CLI::App* command = app.add_subcommand(name, summary);
  command->add_option("A", arguments->a, shape_help)->required();
  command->add_option("B", arguments->b, "the other shape, in the same form")->required();
  add_repeated(*command, "--pose", arguments->poses,
               std::string("the pose of a shape, first for A, then for B: ") + pose_help);
  command->add_flag("--solid", arguments->solid, "treat meshes as solids: a mesh inside the other shape touches it");
  command->add_flag("--json", arguments->as_json, "print JSON");
  if (name == "contacts") {
    command->add_option("--limit", arguments->max_count, "stop after this many contacts");
    command->add_flag("--polylines", arguments->polylines, "join the contact segments into curves");
  }
  if (name == "distance") {
    command->add_option("--tolerance", arguments->tolerance, "stop when the bounds are this close together");
  }
  const bool needs_solids = name == "depth";  // a surface has no depth
  command->callback([arguments, run, needs_solids] {
    const std::vector<std::string>& poses = arguments->poses;
    if (poses.size() > 2) throw Error("--pose: given more than twice; the first is for A, the second for B");
    const bool solid = arguments->solid || needs_solids;
    const Shape a = load_shape(arguments->a, solid), b = load_shape(arguments->b, solid);
    const Pose pose_a = poses.empty() ? Pose() : parse_pose(poses[0]);
    run(*arguments, {a, pose_a}, {b, poses.size() < 2 ? Pose() : parse_pose(poses[1])});
  });
}

}  // namespace

void add_query_commands(CLI::App& app) {
  add_pair_command(app, "touches", "Do A and B share a point?", run_touches);
  add_pair_command(app, "contacts", "Which features of A and B touch, and where?", run_contacts);
  add_pair_command(app, "distance", "How far apart are A and B?", run_distance);
  add_pair_command(app, "depth", "How deep do A and B overlap? Meshes must be closed.", run_depth);

  auto arguments = std::make_shared<RayArguments>();
  CLI::App* command = app.add_subcommand("ray", "What does a ray hit first?");
  command->add_option("A", arguments->shape, shape_help)->required();
  command->add_option("--origin", arguments->origin, "where the ray starts: x,y,z");
  command->add_option("--direction", arguments->direction, "the direction of the ray: x,y,z")->required();
  command->add_option("--pose", arguments->pose, std::string("the pose of A: ") + pose_help);
  command->add_flag("--segment", arguments->segment, "only from the origin to origin + direction");
  command->add_flag("--line", arguments->line, "also search behind the origin: t may be negative")
      ->excludes("--segment");
  command->add_flag("--solid", arguments->solid, "treat the mesh as a solid");
  command->add_flag("--json", arguments->as_json, "print JSON");
  command->callback([arguments] { run_ray(*arguments); });
}

}  // namespace whisker::apps
