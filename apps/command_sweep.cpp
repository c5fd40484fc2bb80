// whisker sweep A B

#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "printing.hpp"

namespace whisker::apps {
namespace {

using nlohmann::json;

struct SweepArguments {
  std::string a;
  std::string b;
  std::vector<std::string> from;
  std::vector<std::string> to;
  std::string motion = "screw";
  double tolerance = 0;
  bool solid = false;
  bool as_json = false;
};

/// The motion of shape 0 or 1. A shape without `--to` does not move.
Motion motion_of(const SweepArguments& arguments, std::size_t which) {
  const Pose from = which < arguments.from.size() ? parse_pose(arguments.from[which]) : Pose{};
  if (which >= arguments.to.size()) return Still{from};
  const Pose to = parse_pose(arguments.to[which]);
  if (arguments.motion == "screw") return screw(from, to);
  if (arguments.motion == "spin") return turning(from, to);
  if (arguments.motion == "straight") {
    if ((to.rotation() - from.rotation()).cwiseAbs().maxCoeff() > Pose::rotation_tolerance)
      throw Error("--motion straight: --from and --to have different rotations; use screw or spin");
    return Straight{from, to.translation() - from.translation()};
  }
  throw Error("--motion '" + arguments.motion + "' is unknown; use screw, spin or straight");
}

void run_sweep(const SweepArguments& arguments) {
  if (arguments.from.size() > 2 || arguments.to.size() > 2)
    throw Error("--from or --to: given more than twice; the first is for A, the second for B");
  const Shape a = load_shape(arguments.a, arguments.solid), b = load_shape(arguments.b, arguments.solid);
  const MotionImpact hit =
      first_contact({a, motion_of(arguments, 0)}, {b, motion_of(arguments, 1)}, {.tolerance = arguments.tolerance});
  if (arguments.as_json) {
    json result = {{"status", to_text(hit.status)}, {"certain", hit.certain}, {"stop", to_text(hit.stop)}};
    if (hit.status != ImpactStatus::apart) {
      result["time"] = hit.time;
      result["lower"] = hit.time_lower;
      result["upper"] = hit.time_upper;
      result["point"] = to_json(hit.point);
      result["normal"] = to_json(hit.normal);
    }
    result["pose_a"] = to_json(hit.pose_a);
    result["pose_b"] = to_json(hit.pose_b);
    result["cost"] = to_json(hit.cost);
    return print_json(result);
  }
  if (hit.status == ImpactStatus::apart) {
    fmt::print("apart, at all times\n");
    return;
  }
  if (hit.status == ImpactStatus::touching_at_start) {
    fmt::print("touching at the start\npoint     {}\n", to_text(hit.point));
    return;
  }
  fmt::print("touch at  {}{}\n", hit.time, hit.certain ? "" : "  (not proven: they come very close)");
  fmt::print("bounds    [{}, {}], {}\n", hit.time_lower, hit.time_upper, to_text(hit.stop));
  fmt::print("point     {}\nnormal    {}\n", to_text(hit.point), to_text(hit.normal));
}

}  // namespace

void add_sweep_command(CLI::App& app) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command = app.add_subcommand("sweep", "When do A and B first touch while they move from time 0 to time 1?");
  command->add_option("A", arguments->a, shape_help)->required();
  command->add_option("B", arguments->b, "the other shape, in the same form")->required();
  const auto add_poses = [&](const char* name, std::vector<std::string>& poses, const std::string& what) {
    add_repeated(*command, name, poses, what + ", first for A, then for B: " + pose_help);
  };
  add_poses("--from", arguments->from, "the pose of a shape at time 0");
  add_poses("--to", arguments->to, "its pose at time 1; without it, the shape does not move");
  command->add_option(
      "--motion", arguments->motion,
      "the motion in between: screw (rotation about an axis and translation along it), spin (rotation about its own "
      "origin, which moves in a straight line) or straight (no rotation)");
  command->add_option("--tolerance", arguments->tolerance, "stop when the bounds of the time are this close together");
  command->add_flag("--solid", arguments->solid, "treat meshes as solids: a mesh inside the other shape touches it");
  command->add_flag("--json", arguments->as_json, "print JSON, including both poses at the last collision-free time");
  command->callback([arguments] { run_sweep(*arguments); });
}

}  // namespace whisker::apps
