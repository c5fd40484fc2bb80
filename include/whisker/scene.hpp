#pragma once

/// \file
/// Reading scenes: files that hold several parts, each with a name and a place. Link with whisker::io.
///
/// OBJ, STL, PLY and OFF are read by whisker itself, in double (io.hpp): an OBJ gives one part for each of its groups
/// or objects, the others one part. Every other format (glTF, COLLADA, 3DS, FBX…) is read by the assimp library, in a
/// child process of its own (the program whisker-scene-reader): a file that makes assimp crash, hang or eat memory ends
/// in an Error and leaves this process alone. assimp keeps coordinates and transforms as float: expect seven digits.
///
/// Coordinates are the file's own: neither their unit is converted nor their up axis turned, and where assimp does so
/// (COLLADA, IFC), it is undone. Scene says how long a unit is and which way is up, where the file or its format does.
///
/// A part is what a person would call one: a node of a glTF, COLLADA or FBX file with all its primitives, an element of
/// an IFC file with all its representation items, an object of a 3MF or AMF file with all its volumes, a group of an
/// OBJ.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

namespace whisker {

/// One mesh in one place. A mesh that a file uses in several places gives a part for each.
struct ScenePart {
  /// As in the file, made unique by "_2", "_3"…; where the node has none, its mesh's name; else its type's or the
  /// file's own. UTF-8: bytes that are not, as some old files have, are taken for Latin-1.
  std::string name;
  MeshData mesh;  ///< In the part's own frame, with every scale, shear and mirror of its node already applied.
  Pose pose;      ///< Where it stands in the scene: the rigid part of its node's transform.
  std::vector<std::string> path = {};  ///< Names of what it is part of, the outermost first: site, building, storey…
  std::string id = {};    ///< What the file itself calls it: IFC's GlobalId, number of a glTF node ("node 42"), id of a
                          ///< COLLADA node, of a 3MF or AMF object ("object 3"); empty where there is none.
  std::string type = {};  ///< Of an IFC element, its class: "IfcWallStandardCase"; else empty.
};

/// How it is known how long a unit of a file is.
enum class UnitOrigin : std::uint8_t {
  none,    ///< It is not: the file does not say, and its format says nothing.
  file,    ///< The file states it.
  format,  ///< The format's specification does: meters in glTF, what is assumed where a 3MF states none…
};

/// The unit of all lengths in a scene.
struct SceneUnit {
  double meters = 0;  ///< How long one is; 0 where it is not known.
  /// "um", "mm", "cm", "dm", "m", "km", "in", "ft" or "yd" if it is one of these; else the file's own word, or empty.
  std::string name = {};
  UnitOrigin origin = UnitOrigin::none;
};

/// The axis that points up, away from the ground.
enum class UpAxis : std::uint8_t { unknown, x, y, z };

struct Scene {
  std::vector<ScenePart> parts;    ///< At least one; in the file's order.
  std::vector<std::string> notes;  ///< What was left out or changed, a sentence each.
  SceneUnit unit = {};             ///< Stated by IFC, 3MF, AMF, FBX, COLLADA and DXF files; meters in glTF and X3D.
  UpAxis up = UpAxis::unknown;     ///< Stated by COLLADA and FBX files; y in glTF and X3D, z in IFC, 3MF and AMF.
};

struct SceneOptions {
  /// How long the child process may take, in seconds of the clock; also its limit of processor time.
  double seconds = 60;
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
/// Vertices of a part at equal positions are made one if the file came through assimp: what was split by material is
/// closed again.
///
/// Safe to call from any thread. The child process is always waited for; no file is left open.
Scene load_scene(const std::filesystem::path& path, const SceneOptions& options = {});

}  // namespace whisker
