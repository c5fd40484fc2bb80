#pragma once

/// \file
/// Batches: one question about one pair in many poses, or about many pairs, over all cores.
///
///     std::vector<Distance> answers(poses.size());
///     distance({part, pose_a}, tool, poses, answers);   // the tool in many poses
///
/// Answers go into the caller's memory, which must have room for exactly as many as are asked for; a
/// `std::vector<bool>` is no such memory, a `std::unique_ptr<bool[]>` is. Answer i is, bit for bit, what the single
/// call (queries.hpp) gives for pose or pair i, whatever the number of threads, which `threads` in the options limits.

#include <span>

#include <whisker/queries.hpp>

namespace whisker {

/// Does b touch a, in each of these poses of b? Throws the Errors of `touches`, and one if the spans differ in size or
/// `threads` is negative.
void touches(const Placed& a, const Shape& b, std::span<const Pose> poses_b, std::span<bool> answers);
void touches(const Placed& a, const Shape& b, std::span<const Pose> poses_b, const BatchOptions& options,
             std::span<bool> answers);

/// How far is b from a, in each of these poses of b? `options` hold for each of them; `options.cache` must be null: a
/// cache is not for several threads.
void distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b, std::span<Distance> answers);
void distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b, const DistanceOptions& options,
              std::span<Distance> answers);

/// Is b closer to a than `max_distance`, in each of these poses of b?
void closer_than(const Placed& a, const Shape& b, std::span<const Pose> poses_b, double max_distance,
                 std::span<bool> answers);
void closer_than(const Placed& a, const Shape& b, std::span<const Pose> poses_b, double max_distance,
                 const BatchOptions& options, std::span<bool> answers);

/// One of many pairs. It refers to the shapes, which must live as long as the call.
struct ShapePair {
  const Shape* a = nullptr;  ///< Null is an Error, which names the pair.
  const Shape* b = nullptr;
  Pose pose_a;
  Pose pose_b;
};

/// Do the two shapes of each pair touch? Throws the Errors of `touches`, and one if the spans differ in size. A pair of
/// kinds that is not supported is an Error before any question is asked; it names the pair, and no answer is written.
void touches(std::span<const ShapePair> pairs, std::span<bool> answers);
void touches(std::span<const ShapePair> pairs, const BatchOptions& options, std::span<bool> answers);

/// How far apart are the two shapes of each pair? `options.cache` must be null.
void distance(std::span<const ShapePair> pairs, std::span<Distance> answers);
void distance(std::span<const ShapePair> pairs, const DistanceOptions& options, std::span<Distance> answers);

/// Are the two shapes of each pair closer than `max_distance`?
void closer_than(std::span<const ShapePair> pairs, double max_distance, std::span<bool> answers);
void closer_than(std::span<const ShapePair> pairs, double max_distance, const BatchOptions& options,
                 std::span<bool> answers);

}  // namespace whisker
