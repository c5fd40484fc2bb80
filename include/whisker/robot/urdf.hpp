#pragma once

/// \file
/// Reading robots: URDF, the format of ROS. Link with whisker::io.
///
///     const UrdfRobot robot = load_urdf("arm.urdf");
///     const auto hits = first_contacts({robot.body, from, to}, {cabinet, Still{pose}});

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/robot/articulated.hpp>

namespace whisker {

/// A joint with a position, as the file names it.
struct UrdfJoint {
  std::string name;
  std::size_t link = 0;      ///< the link that it moves
  std::size_t position = 0;  ///< where its first position is among those of the body
  /// Of a revolute or prismatic joint, in radians or meters; infinite of one that turns forever.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  /// Not empty if it follows another joint: its position is to be multiplier · that one's + offset. That is the
  /// caller's to do.
  std::string mimics = {};
  double multiplier = 1;
  double offset = 0;
};

struct UrdfRobot {
  std::string name;
  Articulated body;
  std::vector<UrdfJoint> joints;
  std::vector<std::string> notes;  ///< what was left out, a sentence each

  /// The number of a link. Throws an Error if there is none of that name.
  std::size_t link(const std::string& link_name) const;
};

struct UrdfOptions {
  /// Where packages are, for meshes at package://NAME/PATH: a folder that holds NAME. The folders above the file are
  /// looked at too.
  std::vector<std::filesystem::path> package_folders = {};
};

/// The links of a robot with their collision shapes (box, sphere, cylinder, mesh), and its joints (fixed, revolute,
/// continuous, prismatic, floating). What is for the eye alone is not read. Throws an Error that names the file, the
/// element and the reason: no XML, not one root, a loop, an unknown link, a number that is none, a mesh that cannot be
/// read, a planar joint.
UrdfRobot load_urdf(const std::filesystem::path& path, const UrdfOptions& options = {});
/// The same from text; `path` stands for the file in messages, and meshes are looked for as if the text were there.
UrdfRobot parse_urdf(std::string_view text, const std::filesystem::path& path, const UrdfOptions& options = {});

/// A collision shape of a link, for which spheres are wanted.
struct UrdfCollision {
  const std::string& link;
  std::size_t number = 0;  ///< Of the link's collision elements, in the order of the file.
  const Shape& shape;      ///< In its own frame, without the element's origin; a mesh is scaled.
};

/// The text of a robot with its collision shapes replaced by spheres: `spheres_of` gives those of a shape, in the
/// shape's frame, and each becomes a collision element of its own, with the shape's origin applied, in place of the
/// shape's. Where it gives none, the element stays. Everything else is kept, byte for byte, comments too.
///
///     const std::string out = urdf_with_spheres(text, "arm.urdf", [](const UrdfCollision& c) { return cover(c.shape);
///     });
///
/// Radii are enlarged by what rounding may move a center. Throws as load_urdf does, and an Error if a sphere is not
/// finite or its radius negative.
std::string urdf_with_spheres(
    std::string_view text, const std::filesystem::path& path,
    const std::function<std::vector<BoundingSphere>(const UrdfCollision& collision)>& spheres_of,
    const UrdfOptions& options = {});

}  // namespace whisker
