#pragma once

// What the fuzz target of robots does with its input. Ordinary tests use it to replay the corpus.

#include <string>
#include <string_view>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/robot/urdf.hpp>

#include "fuzz/fuzz_mesh.hpp"

namespace whisker::test {

/// Reads a robot. It may be refused with an Error of one line. If it is accepted, replacing no shape by spheres returns
/// the text unchanged, and replacing shapes by spheres gives a robot with the same links. Returns whether it was
/// accepted.
inline bool read_hostile_urdf(std::string_view text) {
  try {
    const UrdfRobot robot = parse_urdf(text, "fuzz");
    require(!robot.body.links().empty(), "a robot has a link");
    require(urdf_with_spheres(text, "fuzz", [](const UrdfCollision&) { return std::vector<BoundingSphere>(); }) == text,
            "without spheres the text stays");
    std::size_t shapes = 0;
    const std::string covered = urdf_with_spheres(text, "fuzz", [&](const UrdfCollision&) {
      ++shapes;
      return std::vector<BoundingSphere>(2, BoundingSphere{Vector3(1, 2, 3), 0.5});
    });
    const UrdfRobot other = parse_urdf(covered, "fuzz");
    require(other.body.links().size() == robot.body.links().size(), "the links stay");
    std::size_t spheres = 0;
    for (const Link& link : other.body.links()) {
      spheres += link.shapes.size();
      for (const LinkShape& shape : link.shapes)
        require(shape.shape.as<Sphere>() != nullptr, "every shape is a sphere");
    }
    require(spheres == 2 * shapes, "two for each");
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.starts_with("fuzz:"), "the message names the file");
    require(message.find('\n') == std::string::npos, "the message is one line");
    return false;
  }
}

}  // namespace whisker::test
