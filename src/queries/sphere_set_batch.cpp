// Queries of a set of spheres in many poses, on all cores.

#include "queries/check_query.hpp"
#include "queries/sphere_set_queries.hpp"
#include "queries/witness.hpp"

namespace whisker {
namespace {

/// Calls `ask(obstacle, i)` for each pose, on up to `threads` threads.
template <class Ask>
void ask_poses(const char* question, const Placed& a, std::span<const Pose> poses, int threads, const Ask& ask) {
  const queries::SphereObstacle obstacle(a);
  queries::ask_all(question, threads, poses.size(), [&](std::size_t i) { ask(obstacle, i); });
}

}  // namespace

void queries::touches_in_poses(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, int threads,
                               std::span<bool> answers) {
  ask_poses("touches", a, poses_b, threads, [&](const SphereObstacle& obstacle, std::size_t i) {
    Cost unused;
    answers[i] = obstacle.touches(b, poses_b[i], unused);
  });
}

void queries::distance_in_poses(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                                const DistanceOptions& options, std::span<Distance> answers) {
  const Shape shape_b(b);
  ask_poses("distance", a, poses_b, options.threads, [&](const SphereObstacle& obstacle, std::size_t i) {
    answers[i] = obstacle.distance(b, poses_b[i], options);
    if (options.features) name_features(a, {shape_b, poses_b[i]}, answers[i]);
  });
}

void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                    std::span<std::uint32_t> answers) {
  first_touching(a, b, poses_b, {}, answers);
}

void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const BatchOptions& options,
                    std::span<std::uint32_t> answers) {
  queries::check_room("first_touching", "pose", poses_b.size(), answers.size());
  ask_poses("first_touching", a, poses_b, options.threads, [&](const queries::SphereObstacle& obstacle, std::size_t i) {
    Cost unused;
    answers[i] = obstacle.first_touching(b, poses_b[i], false, unused);
  });
}

void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<Interval> answers) {
  clearances(a, b, poses_b, {}, answers);
}

void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const DistanceOptions& options,
                std::span<Interval> answers) {
  queries::refuse_fault("clearances", queries::fault_of(options));
  if (answers.size() % b.size() != 0 || answers.size() / b.size() != poses_b.size()) {
    throw Error("clearances: " + std::to_string(poses_b.size()) + " poses of " + std::to_string(b.size()) +
                " spheres, but the span for the answers has size " + std::to_string(answers.size()) +
                "; give one element for each sphere in each pose");
  }
  ask_poses("clearances", a, poses_b, options.threads, [&](const queries::SphereObstacle& obstacle, std::size_t i) {
    obstacle.clearances(b, poses_b[i], options, answers.subspan(i * b.size(), b.size()));
  });
}

}  // namespace whisker
