#pragma once

// The output of whisker-scene-reader. All numbers are in the machine's own byte order, because both ends run on the
// same machine.
//
//   magic (8 bytes), version (u32), number of notes (u32), number of parts (u64),
//   length of the unit in meters (double, 0 if unknown), its name (a text), UnitOrigin (u8), UpAxis (u8);
//   for each note: a text;
//   for each part: name, id and type (texts); number of names in its path (u32) and the names (texts); 12 doubles, the
//     rows of the 3 x 4 transform into the scene;
//     number of vertices (u64) and 3 doubles for each; number of triangles (u64) and 3 vertex numbers (u32) for each;
//   the magic again, to show that nothing is missing.
//
// A text is its length (u32) and its bytes, which need not be UTF-8.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/scene.hpp>

namespace whisker::io {

constexpr std::string_view stream_magic = "whiskscn";
constexpr std::uint32_t stream_version = 2;

/// The reader's exit status: 0, or one of these with a sentence on standard error.
constexpr int reader_exit_refused = 1;
constexpr int reader_exit_usage = 2;
constexpr int reader_exit_memory = 3;

struct StreamPart {
  std::string name;
  std::string id;
  std::string type;
  std::vector<std::string> path;
  std::array<double, 12> transform{};
  MeshData mesh;
};

struct SceneStream {
  SceneUnit unit;
  UpAxis up = UpAxis::unknown;
  std::vector<std::string> notes;
  std::vector<StreamPart> parts;
};

/// Decodes the output. Checks every count against the remaining bytes before allocating memory for it, and every vertex
/// number against the vertices. Throws an Error, without the file's name, if anything is invalid.
SceneStream decode_scene_stream(std::string_view bytes);

}  // namespace whisker::io
