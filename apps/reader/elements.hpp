#pragma once

// Converts assimp's tree of nodes to parts: what a user considers one object is one part, however many nodes and meshes
// assimp makes of it.

#include <string>
#include <string_view>
#include <vector>

#include <assimp/scene.h>

#include <whisker/mesh_data.hpp>
#include <whisker/scene.hpp>

#include "reader/placed_part.hpp"

namespace whisker::reader {

// The formats whose trees, names, units or up axes are known.
enum class Format { gltf, collada, fbx, ifc, x3d, dxf, other };

// What a file says besides its tree.
struct FileFacts {
  SceneUnit unit;
  UpAxis up = UpAxis::unknown;
  std::vector<std::string> notes;
};

// Reads the facts from the file itself and from what assimp reports. Undoes scales and rotations that assimp adds to
// the root of the tree, so that coordinates are the file's own.
FileFacts facts_of(std::string_view file, Format format, aiScene& scene);

// A mesh at the position where a node places it.
struct Piece {
  const aiMesh* mesh;
  Transform transform;
};

struct Element {
  PartLabel label;
  std::vector<Piece> pieces;  // at least one
};

// All elements that have meshes, in tree order. `file` holds the file's bytes, for information that is not in assimp's
// tree. Elements of the file that have no mesh in the tree are reported in `notes`.
std::vector<Element> find_elements(const aiScene& scene, Format format, std::string_view file,
                                   std::vector<std::string>& notes);

// Joins all pieces into one mesh, in the frame of the first piece. Sets `transform` to that frame.
MeshData joined(const Element& element, Transform& transform);

}  // namespace whisker::reader
