#pragma once

/// \file
/// Reading scenes: files that hold several parts, each with a name and a place. Link with whisker::io.
///
/// OBJ, STL, PLY and OFF are read by whisker itself, in double (io.hpp): an OBJ gives one part for each of its groups
/// or objects, the others one part. Every other format (glTF, COLLADA, 3DS, FBX…) is read by the assimp library, in a
/// child process of its own (the program whisker-scene-reader): a file that makes assimp crash, hang or eat memory ends
/// in an Error and leaves this process alone. assimp keeps coordinates and transforms as float: expect seven digits.
///
/// Coordinates are the file's own. Units are not converted, except where assimp does so itself (COLLADA and FBX may be
/// scaled by the unit that the file states); the up axis is never turned.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

namespace whisker {

/// One mesh in one place. A mesh that a file uses in several places gives a part for each.
struct ScenePart {
  std::string name;  ///< As in the file, made unique by "_2", "_3"…; the file's own name where it gives none.
  MeshData mesh;     ///< In the part's own frame, with every scale, shear and mirror of its node already applied.
  Pose pose;         ///< Where it stands in the scene: the rigid part of its node's transform.
};

struct Scene {
  std::vector<ScenePart> parts;    ///< At least one; in the file's order.
  std::vector<std::string> notes;  ///< What was left out or changed, a sentence each.
};

struct SceneOptions {
  /// How long the child process may take, in seconds of the clock; also its limit of processor time.
  double time_limit_s = 60;
  /// How much address space the child process may take, and how much it may answer.
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;
  /// The program whisker-scene-reader. Where empty: the environment variable WHISKER_SCENE_READER, else the one beside
  /// the running program, else the one where whisker was to be installed.
  std::filesystem::path reader;
};

/// Reads a scene. Throws an Error that says what is wrong with the file (as read_mesh does), or what became of the
/// child process: not found, crashed, out of time, out of memory, or an answer that makes no sense.
///
/// A node's transform is split by the polar decomposition M = R S: the rotation R, with the translation, is the pose,
/// orthonormal far within Pose::rotation_tolerance; S is applied to the vertices, and triangles are turned round if it
/// mirrors. An S that differs from the identity by less than 1e-6 is taken for float rounding and left out.
/// Vertices of a part at equal positions are made one if the file came through assimp.
///
/// Safe to call from any thread. The child process is always waited for; no file is left open.
Scene load_scene(const std::filesystem::path& path, const SceneOptions& options = {});

}  // namespace whisker
