#pragma once

// The meshes of an assembly. Each is stored once, with its search tree, for all parts that use it.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "clash/assembly.hpp"

namespace whisker::clash {

/// Makes a mesh with its tree. A closed mesh becomes a solid. If it is inside out, its triangles are reversed first.
/// Throws the Error of Mesh.
PartMesh make_part_mesh(MeshData data, std::string file = {});

/// The same, but a mesh that is not closed is first repaired with repair_mesh, if that makes it a solid and no new
/// triangle intersects another. Otherwise it stays unchanged. `repair` of the result says what was done, or why nothing
/// was.
PartMesh make_repaired_part_mesh(MeshData data, std::string file = {});

/// The mesh with its vertices multiplied by a matrix. If the matrix mirrors, the triangles are reversed, so that the
/// outside stays outside.
MeshData transformed(MeshData mesh, const Matrix3& linear);

/// Collects the meshes of an assembly.
class MeshStore {
 public:
  /// Returns the number of this mesh, or that of an equal one (vertex by vertex and triangle by triangle) if there is
  /// one.
  std::uint32_t add(MeshData data, const std::string& file);
  /// Builds the trees, on all cores, and hands over all meshes. With `repair`, uses make_repaired_part_mesh. Sentences
  /// about other changes are appended to `notes`. Throws an Error that names the file.
  std::vector<PartMesh> build(std::vector<std::string>& notes, bool repair = false);

 private:
  struct Entry {
    MeshData data;
    std::string file;
  };
  std::vector<Entry> meshes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_content_;
};

}  // namespace whisker::clash
