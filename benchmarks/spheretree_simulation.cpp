// B5: twenty solids fly together. In each frame the trees of all methods are queried with the same poses, and
// interrupted after the same numbers of operations.

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <whisker/spheres/sphere_world.hpp>

#include "harness.hpp"
#include "spheretree.hpp"
#include "spheretree_motion.hpp"

namespace whisker::bench {

namespace {

/// The numbers of operations after which a frame is interrupted. The last is never reached.
constexpr std::array<std::uint64_t, 8> interrupts = {1000,   2500,   5000,   10'000,
                                                     15'000, 25'000, 50'000, std::numeric_limits<std::uint64_t>::max()};
constexpr std::size_t published = 4;  // index of the number of operations for which the thesis has results

using FrameStates = std::array<SphereFrame, interrupts.size()>;

/// The state of a tree's world for every frame at every interrupt.
std::vector<FrameStates> run(const SphereTree& tree, const Model& model, const std::vector<Frame>& frames) {
  const SphereBody body(tree, model.mesh);
  SphereWorld world;
  std::vector<BodyId> ids;
  for (const Pose& pose : frames.front().poses)
    ids.push_back(world.add(body, pose));
  std::vector<FrameStates> states;
  for (const Frame& frame : frames) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      world.move(ids[i], frame.poses[i]);
    world.begin_step();
    FrameStates& at = states.emplace_back();
    std::uint64_t done = 0;
    for (std::size_t k = 0; k < interrupts.size(); ++k) {
      world.advance({.budget = interrupts[k] - done});
      done = interrupts[k];
      at[k] = world.collect(OpenSpheres::repulsion);
    }
  }
  return states;
}

/// Means over the frames in which the reference reports contacts. A tree that reports none there has no error.
struct Means {
  double worst = 0, best = 0, mean_square = 0, contacts = 0;  // of the errors, in the mesh's unit
  double worst_ratio = 0, best_ratio = 0, mean_square_ratio = 0, contact_ratio = 0;  // to the reference, frame by frame
  std::size_t frames = 0;
  std::size_t unresolved = 0;  // of all frames
};

Means compare(const std::vector<FrameStates>& states, const std::vector<FrameStates>& reference,
              std::size_t interrupt) {
  Means means;
  for (std::size_t f = 0; f < states.size(); ++f) {
    const SphereFrame &own = states[f][interrupt], &other = reference[f][interrupt];
    means.unresolved += !own.is_resolved;
    if (other.contacts == 0 || !(other.best_error > 0)) continue;
    ++means.frames;
    means.worst += own.worst_error;
    means.best += own.best_error;
    means.mean_square += own.root_mean_square_error;
    means.contacts += static_cast<double>(own.contacts);
    means.worst_ratio += own.worst_error / other.worst_error;
    means.best_ratio += own.best_error / other.best_error;
    means.mean_square_ratio += own.root_mean_square_error / other.root_mean_square_error;
    means.contact_ratio += static_cast<double>(own.contacts) / static_cast<double>(other.contacts);
  }
  if (means.frames == 0) return means;
  for (double* sum : {&means.worst, &means.best, &means.mean_square, &means.contacts, &means.worst_ratio,
                      &means.best_ratio, &means.mean_square_ratio, &means.contact_ratio})
    *sum /= static_cast<double>(means.frames);
  return means;
}

std::string operations_text(std::size_t interrupt) {
  if (interrupt + 1 == interrupts.size()) return "all";
  return std::to_string(interrupts[interrupt]);
}

void simulate(Suite& suite, const Model& model, std::size_t runs) {
  std::vector<Frame> frames;
  std::size_t touching = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    for (Frame& frame : record_motion(model, {.seed = seed})) {
      touching += frame.touching > 0;
      frames.push_back(std::move(frame));
    }
  }
  std::printf("\nB5: 20 copies of %s fly together: %zu runs, %zu frames, in %zu of which solids touch\n",
              model.name.c_str(), runs, frames.size(), touching);
  std::printf("  errors of contacts as a share of the bounding radius, means over frames; after / the mean of the\n");
  std::printf("  ratios to the reference, frame by frame; unresolved: frames interrupted before the end\n");
  for (const auto& [reference, methods] :
       {std::pair<std::string, std::vector<std::string>>{
            "hubbard", {"hubbard", "merge", "expand", "combined", "optimized-100", "optimized-105"}},
        {"octree", {"octree", "grid", "hybrid", "hubbard", "combined"}}}) {
    const std::vector<FrameStates> base = run(tree_of(model, reference), model, frames);
    std::printf("  beside %s\n  %-14s %9s %16s %16s %16s %16s %11s\n", reference.c_str(), "", "interrupt", "worst",
                "rms", "best", "contacts", "unresolved");
    for (const std::string& method : methods) {
      if (!is_wanted(suite, method)) continue;
      const std::vector<FrameStates> states = method == reference ? base : run(tree_of(model, method), model, frames);
      for (std::size_t k = 0; k < interrupts.size(); ++k) {
        const Means m = compare(states, base, k);
        std::printf("  %-14s %9s %8.4f / %5.2f %8.4f / %5.2f %8.4f / %5.2f %8.1f / %5.2f %11zu\n",
                    k == 0 ? method.c_str() : "", operations_text(k).c_str(), m.worst / model.radius, m.worst_ratio,
                    m.mean_square / model.radius, m.mean_square_ratio, m.best / model.radius, m.best_ratio, m.contacts,
                    m.contact_ratio, m.unresolved);
        if (k != published && k + 1 != interrupts.size()) continue;
        const std::string where = operations_text(k) + "/" + model.name;
        // The same tree compared with two references is one row.
        if (reference == "octree" && (method == "hubbard" || method == "combined")) continue;
        suite.record("simulation-worst/" + where, "whisker/" + method, "of " + reference, m.worst_ratio, m.frames);
        suite.record("simulation-rms/" + where, "whisker/" + method, "of " + reference, m.mean_square_ratio, m.frames);
        suite.record("simulation-best/" + where, "whisker/" + method, "of " + reference, m.best_ratio, m.frames);
        suite.record("simulation-contacts/" + where, "whisker/" + method, "of " + reference, m.contact_ratio, m.frames);
        suite.record("simulation-unresolved/" + where, "whisker/" + method, "frames", static_cast<double>(m.unresolved),
                     frames.size());
      }
      std::fflush(stdout);
    }
  }
}

}  // namespace

void bench_simulation(Suite& suite) {
  for (const char* name : {"bunny", "dragon", "s-shape", "ellipsoid"}) {
    if (!suite.wants(std::string("simulation-worst/15000/") + name)) continue;
    if (suite.quick() && std::string(name) != "bunny") continue;
    if (const Model* model = find_model(name)) simulate(suite, *model, suite.quick() ? 1 : 3);
  }
}

}  // namespace whisker::bench
