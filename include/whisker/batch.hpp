#pragma once

/// \file
/// Batch queries: one pair of shapes in many poses, or many pairs of shapes, on all cores.
///
///     std::vector<Distance> answers(poses.size());
///     distance({part, pose_a}, tool, poses, answers);         // the tool in many poses
///     signed_distance({part, pose_a}, tool, poses, answers);  // negative where the two overlap
///
///     const std::vector<ShapePair> pairs = {{&part, &tool, pose_a, pose_b}, {&part, &jig, pose_a, pose_c}};
///     const auto touching = std::make_unique<bool[]>(pairs.size());
///     touches(pairs, std::span(touching.get(), pairs.size()));
///
///     if (const auto hit = first_touching_pose({part, pose_a}, tool, poses)) stop_before(*hit);  // blocked
///
/// The caller owns the memory for the results: `answers` must have exactly one element per pose or pair. A
/// `std::vector<bool>` does not work as a span of bool; a `std::unique_ptr<bool[]>` does. Answer i is bit for bit equal
/// to the result of the single query (queries.hpp) for pose or pair i, whatever the number of threads. `threads` in the
/// options limits that number: 0 uses all threads that oneTBB provides, 1 only the calling thread, n at most n.
///
/// Every function here throws the Errors of the single query, and an Error if the spans differ in size or `threads` is
/// negative. An unsupported pair of shape kinds is found before the first query, so that no answer is written. If a
/// query fails later (a custom support function may throw, for example), the batch throws the exception of the lowest
/// pose or pair that failed; if it is an Error, its message names that pose or pair. The answers are then incomplete.

#include <cstddef>
#include <optional>
#include <span>

#include <whisker/queries.hpp>

namespace whisker {

/// Do a and b touch, for each of these poses of b? See `touches` in queries.hpp.
void touches(const Placed& a, const Shape& b, std::span<const Pose> poses_b, const BatchOptions& options,
             std::span<bool> answers);
inline void touches(const Placed& a, const Shape& b, std::span<const Pose> poses_b, std::span<bool> answers) {
  touches(a, b, poses_b, {}, answers);
}

/// The lowest number of a pose of b in which a and b touch; nothing if there is none. It does not depend on the number
/// of threads. The poses are tested in order, and no more of them once the answer is known: with one thread, none that
/// comes after it (or after the SIMD lanes that it is in). Throws as `touches` for all poses does, except that failures
/// of later poses than the answer do not matter.
std::optional<std::size_t> first_touching_pose(const Placed& a, const Shape& b, std::span<const Pose> poses_b,
                                               const BatchOptions& options = {});

/// The distance between a and b, for each of these poses of b. `options` apply to every query of the batch.
/// `options.cache` must be null, otherwise an Error is thrown: several threads cannot share a cache.
void distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b, const DistanceOptions& options,
              std::span<Distance> answers);
inline void distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b, std::span<Distance> answers) {
  distance(a, b, poses_b, {}, answers);
}

/// Is the distance between a and b at most `max_distance`, for each of these poses of b?
void closer_than(const Placed& a, const Shape& b, std::span<const Pose> poses_b, double max_distance,
                 const BatchOptions& options, std::span<bool> answers);
inline void closer_than(const Placed& a, const Shape& b, std::span<const Pose> poses_b, double max_distance,
                        std::span<bool> answers) {
  closer_than(a, b, poses_b, max_distance, {}, answers);
}

/// The signed distance of a and b, for each of these poses of b: positive apart, negative overlapping. See
/// `signed_distance` in queries.hpp. `options.cache` must be null, otherwise an Error is thrown.
void signed_distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b,
                     const SignedDistanceOptions& options, std::span<Distance> answers);
inline void signed_distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b,
                            std::span<Distance> answers) {
  signed_distance(a, b, poses_b, {}, answers);
}

/// A pair of placed shapes in a batch. It only refers to the shapes, which must outlive the call.
struct ShapePair {
  const Shape* a = nullptr;  ///< A null pointer is an Error that names the pair.
  const Shape* b = nullptr;  ///< As `a`.
  Pose pose_a;               ///< Places a in the world.
  Pose pose_b;               ///< Places b in the world.
};

/// Do the two shapes touch, for each pair? See `touches` in queries.hpp. If a pair of shape kinds is not supported, the
/// Error names the pair.
void touches(std::span<const ShapePair> pairs, const BatchOptions& options, std::span<bool> answers);
inline void touches(std::span<const ShapePair> pairs, std::span<bool> answers) {
  touches(pairs, {}, answers);
}

/// The lowest number of a pair that touches; nothing if there is none. As first_touching_pose.
std::optional<std::size_t> first_touching_pair(std::span<const ShapePair> pairs, const BatchOptions& options = {});

/// The distance between the two shapes of each pair. `options` apply to every query of the batch. `options.cache` must
/// be null, otherwise an Error is thrown.
void distance(std::span<const ShapePair> pairs, const DistanceOptions& options, std::span<Distance> answers);
inline void distance(std::span<const ShapePair> pairs, std::span<Distance> answers) {
  distance(pairs, {}, answers);
}

/// The signed distance of the two shapes of each pair. `options.cache` must be null, otherwise an Error is thrown.
void signed_distance(std::span<const ShapePair> pairs, const SignedDistanceOptions& options,
                     std::span<Distance> answers);
inline void signed_distance(std::span<const ShapePair> pairs, std::span<Distance> answers) {
  signed_distance(pairs, {}, answers);
}

/// Is the distance between the two shapes at most `max_distance`, for each pair?
void closer_than(std::span<const ShapePair> pairs, double max_distance, const BatchOptions& options,
                 std::span<bool> answers);
inline void closer_than(std::span<const ShapePair> pairs, double max_distance, std::span<bool> answers) {
  closer_than(pairs, max_distance, {}, answers);
}

}  // namespace whisker
