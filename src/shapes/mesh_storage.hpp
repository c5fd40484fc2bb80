#pragma once

// What a Mesh shares between its copies.

#include <whisker/mesh.hpp>

#include "trees/box_tree.hpp"

namespace whisker {

struct Mesh::Storage {
  MeshData data;
  trees::BoxTree tree;  // over the triangles' boxes, in the mesh's frame
};

}  // namespace whisker
