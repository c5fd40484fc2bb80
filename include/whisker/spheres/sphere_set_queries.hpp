#pragma once

/// \file
/// Queries about the single balls of a SphereSet: which one touches first, and how far each is from a shape.
///
///     if (const auto ball = first_touching(room, {robot, pose})) color(*ball);
///     std::vector<Interval> clear(robot.size());
///     clearances(room, {robot, pose}, clear);                    // negative where a ball overlaps the room
///     first_touching(room, robot, poses, numbers);               // many poses, on all cores
///
/// The other shape is the first argument, since it is the one that stays in place in batches.

#include <cstdint>
#include <optional>
#include <span>

#include <whisker/geometry/interval.hpp>
#include <whisker/queries.hpp>

namespace whisker {

/// The lowest number of a ball of b for which `touches` with a is true; nothing if there is none. Throws an Error if b
/// is not a SphereSet.
std::optional<std::uint32_t> first_touching(const Placed& a, const Placed& b, Cost* cost = nullptr);

/// Writes the signed clearance of each ball of b from a: the signed distance of the ball's center from a, minus its
/// radius. Where the center is inside a, its signed distance is minus its depth. Solid meshes and all convex shapes
/// have an inside. Surfaces (a mesh that is not solid, a height field, a plane, a triangle) have none, so there a
/// clearance is at least minus the radius. For a compound it is the least over its parts.
///
/// If a clearance is beyond `options.upper_bound`, the answer is a lower bound above it, with an infinite upper bound.
/// Of the options, batches also use `threads`.
/// Throws an Error if b is not a SphereSet, if `answers` does not have exactly one entry for each ball, or if
/// `upper_bound` is negative or NaN.
void clearances(const Placed& a, const Placed& b, std::span<Interval> answers);
void clearances(const Placed& a, const Placed& b, const DistanceOptions& options, std::span<Interval> answers);

// Batches: b in many poses, on all cores or on as many threads as the options allow, into the caller's memory. As in
// batch.hpp, answer i is what the single call gives for pose i, bit for bit, whatever the number of threads. Sizes and
// options are checked before the first query: if the spans do not fit or `threads` is negative, an Error is thrown and
// nothing is written.

/// first_touching() for each pose; `SphereSet::none` where no ball touches.
void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                    std::span<std::uint32_t> answers);
void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const BatchOptions& options,
                    std::span<std::uint32_t> answers);
/// clearances() for each pose: b.size() answers per pose, pose after pose.
void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<Interval> answers);
void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const DistanceOptions& options,
                std::span<Interval> answers);

}  // namespace whisker
