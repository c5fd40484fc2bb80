#pragma once

/// \file
/// Reads scenes: files with several parts, each with a name and a pose. Link with whisker::io.
///
///     const Scene scene = load_scene("assembly.obj");
///     for (const ScenePart& part : scene.parts)
///       world.add(Mesh(part.mesh), part.pose);
///     for (const std::string& note : scene.notes) std::puts(note.c_str());     // what was left out or changed
///
/// whisker itself reads OBJ, STL, PLY and OFF files, in double precision (io.hpp). An OBJ file gives one part for each
/// of its groups or objects, the other three formats give one part. All other formats (glTF, COLLADA, 3DS, FBX…) are
/// read by the assimp library in a child process, the program whisker-scene-reader. A file that makes assimp crash,
/// hang or exhaust memory therefore results in an Error and does not affect the calling process. assimp stores
/// coordinates and transforms as float, so expect about seven significant digits.
///
/// Coordinates are those of the file: neither the unit nor the up axis is converted. Where assimp converts them
/// (COLLADA, IFC), the conversion is undone. Scene states the length of the unit and the up axis, if the file or its
/// format defines them.
///
/// A part is what a person would call one: a node of a glTF, COLLADA or FBX file with all its primitives, an element of
/// an IFC file with all its representation items, an object of a 3MF or AMF file with all its volumes, a group of an
/// OBJ file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

namespace whisker {

/// One mesh at one pose. A mesh that the file uses at several poses gives one part for each.
struct ScenePart {
  /// The name in the file, made unique by appending "_2", "_3"…. A node without a name gets the name of its mesh, of
  /// its type, or of the file, whichever exists first. UTF-8: bytes that are not valid UTF-8, as in some old files, are
  /// read as Latin-1.
  std::string name;
  MeshData mesh;  ///< In the part's own frame. All scaling, shear and reflection of its node is already applied.
  Pose pose;      ///< The pose of the part in the scene: the rigid part of its node's transform.
  std::vector<std::string> path = {};  ///< The names of its ancestors, outermost first: site, building, storey…
  std::string id = {};    ///< The identifier in the file: the GlobalId in IFC, the node number in glTF ("node 42"), the
                          ///< id of a COLLADA node, of a 3MF or AMF object ("object 3"). Empty if there is none.
  std::string type = {};  ///< The class of an IFC element, such as "IfcWallStandardCase"; otherwise empty.
};

/// Where the length of a file's unit is known from.
enum class UnitOrigin : std::uint8_t {
  none,    ///< Not known: neither the file nor its format defines it.
  file,    ///< The file states it.
  format,  ///< The format's specification defines it: meters in glTF, the default of 3MF if the file states none…
};

/// The unit of all lengths in a scene.
struct SceneUnit {
  double meters = 0;  ///< The length of one unit in meters; 0 if not known.
  /// "um", "mm", "cm", "dm", "m", "km", "in", "ft" or "yd" if it is one of these. Otherwise the file's own word, or
  /// empty.
  std::string name = {};
  UnitOrigin origin = UnitOrigin::none;
};

/// The axis that points up, away from the ground.
enum class UpAxis : std::uint8_t { unknown, x, y, z };

/// The contents of a scene file.
struct Scene {
  std::vector<ScenePart> parts;    ///< At least one, in the order of the file.
  std::vector<std::string> notes;  ///< What was left out or changed, one sentence each.
  SceneUnit unit = {};             ///< Stated by IFC, 3MF, AMF, FBX, COLLADA and DXF files; meters in glTF and X3D.
  UpAxis up = UpAxis::unknown;     ///< Stated by COLLADA and FBX files; y in glTF and X3D; z in IFC, 3MF and AMF.
};

struct SceneOptions {
  /// How long the child process may run, in seconds of wall-clock time. Also its limit of processor time. Must be
  /// larger than 0.
  double seconds = 60;
  /// How much address space the child process may use, and how large its output may be, in bytes.
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;
  /// The path of the program whisker-scene-reader. If empty: the environment variable WHISKER_SCENE_READER, or else the
  /// program beside the running executable, or else the one at the path where whisker was configured to be installed.
  std::filesystem::path reader;
};

/// Reads a scene. Throws an Error that states what is wrong with the file (as read_mesh does), or how the child process
/// failed: not found, crashed, out of time, out of memory, or with invalid output.
///
/// The transform of a node is split by the polar decomposition M = R S. The rotation R and the translation become the
/// pose, orthonormal far within Pose::rotation_tolerance. S is applied to the vertices, and the triangles are reversed
/// if it mirrors. An S that differs from the identity by less than 1e-6 is treated as float rounding and ignored. If
/// the file was read through assimp, vertices of a part at equal positions are merged. This closes surfaces again that
/// were split by material.
///
/// Safe to call from any thread. The child process is always waited for, and no file is left open.
Scene load_scene(const std::filesystem::path& path, const SceneOptions& options = {});

/// The parts of a scene, placed and joined into one mesh.
MeshData joined_parts(const Scene& scene);

/// Makes names unique as load_scene does: "bolt", "bolt_2", "bolt_3"…
class UniqueNames {
 public:
  /// The wanted name if it was not returned before, otherwise with the next free number.
  std::string make(const std::string& wanted);

 private:
  std::unordered_map<std::string, std::size_t> last_number_;  // of every name that was returned; 1 for none appended
};

}  // namespace whisker
