// touch and far: whether two meshes touch.

#include <algorithm>

#include <whisker/queries.hpp>

#include "mesh.hpp"

namespace whisker::bench {
namespace {

/// Yes or no for each pose.
using Answers = std::vector<std::uint8_t>;

auto count_yes(const Answers& answers) {
  return [&answers] { return static_cast<std::size_t>(std::count(answers.begin(), answers.end(), 1)); };
}

/// Where a peer's result differs from whisker's, exact arithmetic on the placed triangles decides.
void compare(Suite& suite, const std::string& peer, const Answers& ours, const Answers& theirs,
             const std::function<bool(std::size_t)>& truth) {
  std::size_t peer_wrong = 0, we_wrong = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == theirs[i]) continue;
    (truth(i) == (ours[i] != 0) ? peer_wrong : we_wrong) += 1;
  }
  if (peer_wrong > 0) suite.note(std::to_string(peer_wrong) + " answers of " + peer + " are wrong by exact arithmetic");
  if (we_wrong > 0) {
    suite.fail(std::to_string(we_wrong) + " answers of whisker differ from " + peer + " and from exact arithmetic");
  }
}

void bench_poses(Suite& suite, const Model& model, const std::string& name, std::span<const PosePair> poses) {
  if (!suite.wants(name)) return;
  Answers ours(poses.size()), fcl(poses.size()), ode(poses.size()), bullet(poses.size());
  std::vector<std::optional<TriangleIds>> fcl_pairs(poses.size());
  const auto fcl_yes = [&] {
    for (std::size_t i = 0; i < poses.size(); ++i)
      fcl[i] = fcl_pairs[i].has_value() ? 1 : 0;
    return count_yes(fcl)();
  };
  std::vector<System> systems = {{"whisker",
                                  [&] {
                                    for (std::size_t i = 0; i < poses.size(); ++i)
                                      ours[i] = touches({model.shape, poses[i].a}, {model.shape, poses[i].b}) ? 1 : 0;
                                  },
                                  count_yes(ours)},
                                 {"FCL", model.fcl.touch(poses, fcl_pairs), fcl_yes}};
  if (auto pass = ode_touch(model.data, poses, ode)) systems.push_back({"ODE", pass, count_yes(ode)});
  if (auto pass = bullet_touch(model.data, poses, bullet)) systems.push_back({"Bullet", pass, count_yes(bullet)});
  suite.measure({.name = name, .calls = poses.size(), .seconds = case_seconds(suite)}, systems);
  Cost cost;
  for (const PosePair& pair : poses)
    touches({model.shape, pair.a}, {model.shape, pair.b}, &cost);
  note_cost(suite, "whisker", cost, poses.size());
  note_cost(suite, "FCL", model.fcl.touch_cost(poses), poses.size());

  const auto truth = [&](std::size_t i) { return sweep_touches(model.data, poses[i]); };
  compare(suite, "FCL", ours, fcl, truth);
  for (const System& system : systems) {
    if (system.name == "ODE") compare(suite, "ODE", ours, ode, truth);
    if (system.name == "Bullet") compare(suite, "Bullet", ours, bullet, truth);
  }
}

}  // namespace

void bench_touch(Suite& suite, const Model& model) {
  bench_poses(suite, model, "touch/" + model.name, model.near);
}

void bench_far(Suite& suite, const Model& model) {
  bench_poses(suite, model, "far/" + model.name, model.far);
}

}  // namespace whisker::bench
