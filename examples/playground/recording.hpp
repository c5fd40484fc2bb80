#pragma once

/// \file
/// What happened in a world, frame by frame: what a page (page.hpp) plays.
///
///     Recording recording{.title = "Bounce box"};
///     recording.watch(world, stone, {.color = 0x6f93c4});
///     for (…) {
///       world.update();
///       recording.capture(world);
///     }

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/shape.hpp>
#include <whisker/world.hpp>

namespace playground {

/// The border of a shape as triangles, in the shape's frame; what is round is round to the eye. Throws a whisker::Error
/// for half-spaces, planes, segments, custom shapes and height fields, for which the caller has to bring triangles.
whisker::MeshData triangles_of(const whisker::Shape& shape);

/// How a body is drawn.
struct Look {
  std::uint32_t color = 0x7d8fa9;  ///< 0xRRGGBB
  /// It changes color while it touches another body, and that one with it: not for a floor that all things lie on.
  bool shows_touch = true;
};

struct RecordedBody {
  whisker::BodyId id;
  std::uint32_t mesh = 0;  ///< Its number in Recording::meshes.
  Look look;
  bool is_static = false;  ///< It has one pose, that of the first frame.
  bool is_soft = false;    ///< It has no pose: each frame says where its vertices are.
};

/// A line that is drawn to show a contact; a dot, where both ends are one.
struct Mark {
  whisker::Vector3 from = whisker::Vector3::Zero();
  whisker::Vector3 to = whisker::Vector3::Zero();
};

struct RecordedFrame {
  std::vector<whisker::Pose> poses;  ///< Of the bodies that are neither fixed nor soft, in their order.
  /// The bodies that touch, two by two, by their numbers in Recording::bodies.
  std::vector<std::array<std::uint32_t, 2>> touching;
  std::vector<std::vector<whisker::Vector3>> vertices = {};  ///< Of the soft bodies, in their order.
  std::vector<Mark> marks = {};
  whisker::Vector3 grip = whisker::Vector3::Zero();  ///< Where the body is that can be dragged.
};

struct Recording {
  std::string title;
  std::string note;  ///< A sentence below the title.
  double seconds_per_frame = 1.0 / 30;
  /// What the camera shows at first, z up: everything in the first frame, if this is not set.
  std::optional<whisker::Aabb> view = {};
  bool outlines_view = false;  ///< Draw the edges of that box.
  double azimuth = -0.9;       ///< From where it is seen at first: the angle about z from x, in radians.
  /// A soft body that the reader may drag: the page then shows the frame whose grip is nearest on the screen. So the
  /// frames are one for each place where it may be put, and not only a sequence in time.
  std::optional<std::uint32_t> dragged = {};

  std::vector<whisker::MeshData> meshes = {};
  std::vector<RecordedBody> bodies = {};
  std::vector<whisker::Pose> fixed_poses = {};  ///< Of the fixed bodies, in their order.
  std::vector<RecordedFrame> frames = {};

  /// Takes a body of a world into the picture, before the first frame.
  void watch(const whisker::World& world, whisker::BodyId body, const Look& look = {});
  /// The same for a body whose shape has no triangles, or not those that are to be seen.
  void watch(const whisker::World& world, whisker::BodyId body, whisker::MeshData mesh, const Look& look);
  /// Takes into the picture what is in no world: a thing that stands still, and a body whose vertices move on their own
  /// and that the caller puts into `frames`. They give the number in `bodies`.
  std::uint32_t watch_fixed(whisker::MeshData mesh, const Look& look = {});
  std::uint32_t watch_soft(whisker::MeshData mesh, const Look& look = {});
  /// Records a frame: where the bodies stand, and which of them touched at the world's last update. Pairs with a body
  /// that is not watched are left out.
  void capture(const whisker::World& world);

  std::map<whisker::BodyId, std::uint32_t> numbers = {};  ///< A body's number in `bodies`.
};

}  // namespace playground
