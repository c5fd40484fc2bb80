#pragma once

// From assimp's tree of nodes to parts: what a person calls one thing is one part, however many nodes and meshes assimp
// makes of it.

#include <string>
#include <string_view>
#include <vector>

#include <assimp/scene.h>

#include "reader/placed_part.hpp"

namespace whisker::reader {

// The formats whose trees, names, units or up axes are known.
enum class Format { gltf, collada, fbx, ifc, x3d, dxf, other };

// What a file says beside its tree.
struct FileFacts {
  Format format = Format::other;
  SceneUnit unit;
  UpAxis up = UpAxis::unknown;
  std::vector<std::string> notes;
};

// Looks at the file itself, and at what assimp tells of it. Undoes scales and turns that assimp adds to the root of the
// tree, so that coordinates are the file's own.
FileFacts facts_of(std::string_view file, Format format, aiScene& scene);

// A mesh where a node places it.
struct Piece {
  const aiMesh* mesh;
  Transform transform;
};

struct Element {
  PartLabel label;
  std::vector<Piece> pieces;  // at least one
};

// All that have meshes, in the order of the tree. `file`: the file's bytes, for what assimp's tree does not say. Things
// of the file that have none in the tree are told in `notes`.
std::vector<Element> find_elements(const aiScene& scene, Format format, std::string_view file,
                                   std::vector<std::string>& notes);

// All pieces as one mesh, in the frame of the first piece, which `transform` is set to.
MeshData joined(const Element& element, Transform& transform);

}  // namespace whisker::reader
