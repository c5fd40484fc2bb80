#pragma once

/// \file
/// Scene files of boxes in many formats, as text and bytes, each with what its format is known to be misread for: its
/// unit, its up axis, names that stand beside the tree, and surfaces that are split by material.

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

/// Eight corners and twelve triangles that face outward; x and y of the file are those of the box, times `scale`.
MeshData box_mesh(const BoxPart& box, double scale = 1);

/// glTF: meters, y up; each box is a node with a mesh of two primitives, with vertices of their own. The first box has
/// its name at the mesh alone, and the node has none.
std::string gltf_file(const std::vector<BoxPart>& boxes);
/// The same as GLB.
std::string glb_file(const std::vector<BoxPart>& boxes);

/// COLLADA: z up, in units of so many meters; each box is a node within a node "frame", with triangles of two
/// materials. Ids differ from names.
std::string collada_file(const std::vector<BoxPart>& boxes, double meters, const std::string& up = "Z_UP");

/// FBX as text: z up, in units of so many centimeters; each box is a model within "frame", which is turned about a
/// pivot, with polygons of two materials.
std::string fbx_file(const std::vector<BoxPart>& boxes, double centimeters);

/// IFC2x3: z up. The first box is a wall of two open shells, the second a beam by a mapped item, the others flow
/// segments that are extruded. All stand in the ground floor. `length_units` are lines for #9, the unit; lengths are in
/// `meters`.
std::string ifc_file(const std::vector<BoxPart>& boxes, double meters, const std::string& length_unit,
                     const std::string& schema = "IFC2X3");

/// 3MF: z up, in `unit` of `meters` ("" states none); objects with names, triangles of two materials. The second box is
/// a component of an assembly "frame".
std::string three_mf_file(const std::vector<BoxPart>& boxes, double meters, const std::string& unit);

/// AMF: z up, in `unit` of `meters`; each object has two volumes. All are placed by a constellation, turned by it
/// through a quarter about z and there and back.
std::string amf_file(const std::vector<BoxPart>& boxes, double meters, const std::string& unit);

/// OBJ with groups, in `meters`.
std::string obj_file(const std::vector<BoxPart>& boxes, double meters);

/// A zip archive of these files, stored as they are.
std::string zip_file(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace whisker::test
