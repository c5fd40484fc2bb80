#pragma once

/// \file
/// A record of a world, frame by frame, for a page (page.hpp) to play.
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

/// The surface of a shape as triangles, in the shape's frame. Curved surfaces are tessellated finely enough to look
/// smooth. Throws a whisker::Error for half-spaces, planes, segments, custom shapes and height fields, for which the
/// caller has to supply triangles.
whisker::MeshData triangles_of(const whisker::Shape& shape);

/// How a body is drawn.
struct Look {
  std::uint32_t color = 0x7d8fa9;  ///< 0xRRGGBB
  /// Whether it changes color while it touches another body, and the other body too. Not for a floor that everything
  /// lies on.
  bool shows_touch = true;
};

struct RecordedBody {
  whisker::BodyId id;
  std::uint32_t mesh = 0;  ///< Its index in Recording::meshes.
  Look look;
  bool is_static = false;  ///< It has only one pose, that of the first frame.
  bool is_soft = false;    ///< It has no pose: each frame has the positions of its vertices.
};

/// A line drawn to show a contact; a dot if both ends are equal.
struct Mark {
  whisker::Vector3 from = whisker::Vector3::Zero();
  whisker::Vector3 to = whisker::Vector3::Zero();
};

struct RecordedFrame {
  std::vector<whisker::Pose> poses;  ///< Of the bodies that are neither static nor soft, in their order.
  /// The pairs of touching bodies, as indices into Recording::bodies.
  std::vector<std::array<std::uint32_t, 2>> touching;
  std::vector<std::vector<whisker::Vector3>> vertices = {};  ///< Of the soft bodies, in their order.
  std::vector<Mark> marks = {};
  whisker::Vector3 grip = whisker::Vector3::Zero();  ///< The position of the draggable body.
};

struct Recording {
  std::string title;
  std::string note;  ///< A sentence below the title.
  double seconds_per_frame = 1.0 / 30;
  /// What the camera shows initially, z up. If not set: everything in the first frame.
  std::optional<whisker::Aabb> view = {};
  bool outlines_view = false;  ///< Whether to draw the edges of that box.
  double azimuth = -0.9;       ///< The camera's initial angle about z from x, in radians.
  /// A soft body that the reader may drag: the page then shows the frame whose grip is nearest on the screen. So there
  /// is one frame for each position where the body may be put, and the frames are not only a sequence in time.
  std::optional<std::uint32_t> dragged = {};

  std::vector<whisker::MeshData> meshes = {};
  std::vector<RecordedBody> bodies = {};
  std::vector<whisker::Pose> fixed_poses = {};  ///< Of the static bodies, in their order.
  std::vector<RecordedFrame> frames = {};

  /// Adds a body of a world to the recording. Must come before the first frame.
  void watch(const whisker::World& world, whisker::BodyId body, const Look& look = {});
  /// The same for a body whose shape has no triangles, or should be drawn with other ones.
  void watch(const whisker::World& world, whisker::BodyId body, whisker::MeshData mesh, const Look& look);
  /// Adds something that is in no world: a static object, or a body whose vertices move freely and whose positions the
  /// caller puts into `frames`. Returns its index in `bodies`.
  std::uint32_t watch_fixed(whisker::MeshData mesh, const Look& look = {});
  std::uint32_t watch_soft(whisker::MeshData mesh, const Look& look = {});
  /// Records a frame: the poses of the bodies, and which of them touched at the world's last update. Pairs with a body
  /// that is not in the recording are omitted.
  void capture(const whisker::World& world);

  std::map<whisker::BodyId, std::uint32_t> numbers = {};  ///< A body's index in `bodies`.
};

}  // namespace playground
