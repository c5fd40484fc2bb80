#pragma once

/// \file
/// Bodies that move uniformly, rotate, and bounce off each other and off the walls of a room.

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/pose.hpp>
#include <whisker/world.hpp>

namespace playground {

/// A moving body of mass 1. Its number is `BodyOptions::user` of its body in the world.
struct Flyer {
  whisker::BodyId id;
  whisker::Pose pose;
  whisker::Vector3 velocity = whisker::Vector3::Zero();  ///< Of the origin of its frame, per second.
  whisker::Vector3 spin = whisker::Vector3::Zero();      ///< Radians per second about this axis of the world.
};

/// The pose after some seconds of uniform motion and rotation. The rotation stays orthonormal, even after many calls.
whisker::Pose moved(const whisker::Pose& pose, const whisker::Vector3& velocity, const whisker::Vector3& spin,
                    double seconds);

/// Exchanges the velocity components of two bodies of equal mass along the line between their centers, as smooth
/// elastic balls do, if they approach along it. Returns whether they did. Neither momentum nor energy changes.
bool exchange_velocities(Flyer& a, Flyer& b);

/// Reflects the velocity of a body whose box sticks out of the room, so that it points inward. Returns whether it
/// pointed outward.
bool reflect(Flyer& flyer, const whisker::Aabb& box, const whisker::Aabb& room);

/// Applies the last update of a world to its bodies: touching bodies exchange velocities, and bodies at a wall are
/// reflected. Returns the indices of the flyers whose velocity changed, ascending.
std::vector<std::size_t> bounce(const whisker::World& world, std::span<Flyer> flyers, const whisker::Aabb& room);

/// Kinetic energy without that of rotation, which never changes.
double energy(std::span<const Flyer> flyers);

}  // namespace playground
