#pragma once

// Reads scene.json: parts, poses, groups and rules, as people and programs write them (docs/clash.md).

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clash/assembly.hpp"

namespace whisker::clash {

/// A part as the file states it. No other file has been read.
struct StatedPart {
  std::string field;  ///< "parts[3]", for messages
  std::string name;   ///< empty: none given
  std::string group;
  std::string file;                      ///< relative to the scene.json's folder; either this or `shape` is given
  std::string shape;                     ///< such as "box:1,2,3"
  std::string unit;                      ///< of the file or shape; empty: none given
  Matrix3 linear = Matrix3::Identity();  ///< scale, and the non-rigid part of the pose: applied to the vertices first
  Pose pose;                             ///< in the parent's frame if there is one; in the scene's unit
  std::optional<std::size_t> parent;     ///< number of another part
  std::vector<Keyframe> motion;
};

struct StatedScene {
  std::string file;  ///< for messages
  std::string title;
  std::string unit;  ///< empty: none given
  std::vector<StatedPart> parts;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  ///< name, patterns of part names
  Rules rules;                                                           ///< in the scene's unit
  bool states_contact = false;                                           ///< whether the rules have a contact distance
  bool states_solid = false;                                             ///< whether the rules say what is solid
  /// Throws an Error that names the file and the field.
  [[noreturn]] void fail(const std::string& field, const std::string& message) const;
};

/// Reads the file. Throws an Error that names the file and the field, or the line, for anything that violates the
/// schema: unknown fields, duplicate names, cycles of parents…
StatedScene read_scene_json(const std::filesystem::path& path);

/// Parses "likely", "proven" or "never". Nothing for any other word.
std::optional<Solid> solid_of_text(std::string_view text);

/// Makes a mesh from a shape's text: "box:X,Y,Z", "sphere:RADIUS", "cylinder:RADIUS,LENGTH", "cone:RADIUS,LENGTH",
/// "capsule:RADIUS,LENGTH", or a model of `whisker make` with options: "gear:teeth=24,module=2". Throws an Error if it
/// is none of these.
MeshData mesh_of_shape(const std::string& text);

}  // namespace whisker::clash
