#pragma once

// Meshes of an assembly: each kept once, with its search tree, however many parts have it.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "clash/assembly.hpp"

namespace whisker::clash {

/// A mesh with its tree. One that is closed is made a solid; if it is inside out, its triangles are turned round first
/// and `turned`, where given, is set. Throws the Error of Mesh.
PartMesh make_part_mesh(MeshData data, std::string file = {}, bool* turned = nullptr);

/// The same, after repair_mesh if it is not closed and that makes a solid of it, with no new triangle through another;
/// else as it was. `repair` of the result says what was done, or why nothing.
PartMesh make_repaired_part_mesh(MeshData data, std::string file = {}, bool* turned = nullptr);

/// The mesh with its vertices multiplied by a matrix. Where it mirrors, the triangles are turned round, so that what
/// was outside stays outside.
MeshData transformed(MeshData mesh, const Matrix3& linear);

/// Collects the meshes of an assembly.
class MeshStore {
 public:
  /// The number of this mesh: that of an equal one, vertex by vertex and triangle by triangle, if there is one.
  std::uint32_t add(MeshData data, const std::string& file);
  std::size_t size() const { return meshes_.size(); }
  /// Builds the trees, on all cores, and gives everything away; with `repair` by make_repaired_part_mesh. Sentences
  /// about what else was changed go to `notes`. Throws an Error that names the file.
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
