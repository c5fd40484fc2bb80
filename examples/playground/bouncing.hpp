#pragma once

/// \file
/// Bodies that fly straight, turn evenly, and bounce off each other and off the walls of a room.

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/pose.hpp>
#include <whisker/world.hpp>

namespace playground {

/// A body that moves, of mass 1. Its number is `BodyOptions::user` of its body in the world.
struct Flyer {
  whisker::BodyId id;
  whisker::Pose pose;
  whisker::Vector3 velocity = whisker::Vector3::Zero();  ///< Of the origin of its frame, per second.
  whisker::Vector3 spin = whisker::Vector3::Zero();      ///< Radians per second about this axis of the world.
};

/// Where a body is that moves and turns evenly for some seconds. The rotation stays one, however often it is asked.
whisker::Pose moved(const whisker::Pose& pose, const whisker::Vector3& velocity, const whisker::Vector3& spin,
                    double seconds);

/// Two bodies of equal mass exchange what they have of their velocities along the line of their centers, as smooth
/// elastic balls do, if they approach along it; true if they did. Neither their momentum nor their energy changes.
bool exchange_velocities(Flyer& a, Flyer& b);

/// Turns the velocity back into the room of a body whose box sticks out of it; true if it flew outward.
bool reflect(Flyer& flyer, const whisker::Aabb& box, const whisker::Aabb& room);

/// What the last update of a world means for its bodies: those that touch exchange velocities, those at a wall are
/// turned back. Gives the numbers of the flyers that fly on with another velocity, ascending.
std::vector<std::size_t> bounce(const whisker::World& world, std::span<Flyer> flyers, const whisker::Aabb& room);

/// Energy of motion, without that of the spins, which never change.
double energy(std::span<const Flyer> flyers);

}  // namespace playground
