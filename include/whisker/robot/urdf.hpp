#pragma once

/// \file
/// Reads robots from URDF, the robot description format of ROS. Link with whisker::io.
///
///     const UrdfRobot robot = load_urdf("arm.urdf");
///     const std::vector<double> from(robot.body.position_count(), 0.0);
///     std::vector<double> to = from;
///     for (const UrdfJoint& joint : robot.joints) to[joint.position] = 0.5;
///     const auto hits = first_contacts({robot.body, from, to}, {cabinet, Still{pose}}).hits;
///
/// Lengths are in meters and angles in radians, as in URDF. Only collision shapes are read; visual elements are
/// ignored.

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

/// A joint that has a position, with its name and limits from the file. Fixed joints are not listed.
struct UrdfJoint {
  std::string name;
  std::size_t link = 0;      ///< The index of the link that it moves, in body.links().
  std::size_t position = 0;  ///< The index of its first position among those of the body.
  /// The limits of a revolute or prismatic joint, in radians or meters. Infinite for continuous and floating joints,
  /// and for joints without limits in the file. They are not enforced.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  /// If not empty, the name of the joint that this joint follows: its position should be multiplier · (the position of
  /// that joint) + offset. The caller has to set it.
  std::string mimics = {};
  double multiplier = 1;
  double offset = 0;
};

/// A robot as read from a file.
struct UrdfRobot {
  std::string name;
  Articulated body;                ///< The links, parents before their children, and their joints.
  std::vector<UrdfJoint> joints;   ///< The joints that have positions, in the order of their links.
  std::vector<std::string> notes;  ///< Remarks on what is missing, one sentence each.

  /// The index of a link in body.links(). Throws an Error if there is no link of that name.
  std::size_t link(const std::string& link_name) const;
};

/// Options of reading a URDF file.
struct UrdfOptions {
  /// Folders to search for meshes at package://NAME/PATH: each is a folder that contains the folder NAME. After these,
  /// the folder of the file and all folders above it are searched.
  std::vector<std::filesystem::path> package_folders = {};
};

/// Reads the links of a robot with their collision shapes (box, sphere, cylinder, capsule, mesh) and its joints (fixed,
/// revolute, continuous, prismatic, floating). Throws an Error that names the file, the element and the reason: the
/// text is not XML, there is not exactly one root link, joints form a loop, a link is unknown, a number is malformed, a
/// mesh cannot be read, or a joint is of another type, such as planar.
UrdfRobot load_urdf(const std::filesystem::path& path, const UrdfOptions& options = {});
/// The same from text. `path` is the file name in error messages, and meshes are searched for as if the text were in
/// that file.
UrdfRobot parse_urdf(std::string_view text, const std::filesystem::path& path, const UrdfOptions& options = {});

/// A collision shape of a link that urdf_with_spheres() is about to replace. It refers to data that is valid only
/// during the callback.
struct UrdfCollision {
  const std::string& link;  ///< The name of the link.
  std::size_t number = 0;   ///< The index among the link's collision elements, in the order of the file.
  const Shape& shape;       ///< In its own frame, without the element's origin. A mesh is already scaled.
};

/// Returns the text of a robot with its collision shapes replaced by spheres. `spheres_of` returns the spheres for a
/// shape, in the shape's frame. Each sphere becomes a collision element of its own in place of the shape's element,
/// with the element's origin applied. If `spheres_of` returns none, the element stays. Everything else is kept byte for
/// byte, including comments.
///
///     const std::string out = urdf_with_spheres(text, "arm.urdf", [](const UrdfCollision& c) {
///       return std::vector{fit_sphere(corners_of(c.shape))};
///     });
///
/// Radii are enlarged by as much as rounding may move a center. Throws as load_urdf does, and an Error if a sphere is
/// not finite or its radius is negative, or if the collision elements cannot be located in the text.
std::string urdf_with_spheres(
    std::string_view text, const std::filesystem::path& path,
    const std::function<std::vector<BoundingSphere>(const UrdfCollision& collision)>& spheres_of,
    const UrdfOptions& options = {});

}  // namespace whisker
