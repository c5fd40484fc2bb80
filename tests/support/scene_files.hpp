#pragma once

/// \file
/// Scene files of boxes in many formats, as text and bytes. Each contains the things that readers of its format often
/// get wrong: its unit, its up axis, names stored outside the node tree, and surfaces split by material.

#include <string>
#include <utility>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::test {

/// A box in meters, z up. `name` is UTF-8.
struct BoxPart {
  std::string name;
  Vector3 lower;
  Vector3 upper;
};

/// Eight corners and twelve triangles that face outward. The file's x and y axes are the box's; all coordinates are
/// multiplied by `scale`.
MeshData box_mesh(const BoxPart& box, double scale = 1);

/// glTF: meters, y up. Each box is a node with a mesh of two primitives that do not share vertices. The first box has
/// its name only at the mesh; its node has none.
std::string gltf_file(const std::vector<BoxPart>& boxes);
/// The same scene as GLB.
std::string glb_file(const std::vector<BoxPart>& boxes);

/// COLLADA: z up, in units of `meters` meters. Each box is a node within a node "frame" and has triangles of two
/// materials. Ids differ from names.
std::string collada_file(const std::vector<BoxPart>& boxes, double meters, const std::string& up = "Z_UP");

/// FBX as text: z up, in units of `centimeters` centimeters. Each box is a model within "frame", which is rotated about
/// a pivot, and has polygons of two materials.
std::string fbx_file(const std::vector<BoxPart>& boxes, double centimeters);

/// IFC2x3: z up. The first box is a wall of two open shells, the second a beam given by a mapped item, the others are
/// extruded flow segments. All belong to the ground floor. `length_unit` holds the lines that define the unit of
/// length; the first of them becomes entity #9. The unit is `meters` meters long.
std::string ifc_file(const std::vector<BoxPart>& boxes, double meters, const std::string& length_unit,
                     const std::string& schema = "IFC2X3");

/// 3MF: z up, in `unit`, which is `meters` meters long ("" states no unit). Objects have names and triangles of two
/// materials. The second box is a component of an assembly "frame".
std::string three_mf_file(const std::vector<BoxPart>& boxes, double meters, const std::string& unit);

/// AMF: z up, in `unit`, which is `meters` meters long. Each object has two volumes. A constellation places all objects
/// by a quarter turn about z and a shift along z, which the coordinates in the file undo.
std::string amf_file(const std::vector<BoxPart>& boxes, double meters, const std::string& unit);

/// OBJ with groups, in units of `meters` meters.
std::string obj_file(const std::vector<BoxPart>& boxes, double meters);

/// A zip archive of these files, stored without compression.
std::string zip_file(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace whisker::test
