#include "clash/part_mesh.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <tbb/parallel_for.h>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/editing/repair.hpp>
#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/self_contacts.hpp>

namespace whisker::clash {
namespace {

// FNV-1a (Fowler, Noll, Vo 1991) over words of eight bytes. Meshes with equal hashes are compared in full.
std::uint64_t hash_of(const MeshData& mesh) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x100000001B3u;
    hash ^= hash >> 29;
  };
  mix(mesh.vertices.size());
  mix(mesh.triangles.size());
  for (const Vector3& vertex : mesh.vertices) {
    for (int axis = 0; axis < 3; ++axis)
      mix(std::bit_cast<std::uint64_t>(vertex[axis]));
  }
  for (const Index3& triangle : mesh.triangles) {
    mix(triangle[0] | std::uint64_t{triangle[1]} << 32);
    mix(triangle[2]);
  }
  return hash;
}

void turn_round(MeshData& mesh) {
  for (Index3& triangle : mesh.triangles)
    std::swap(triangle[1], triangle[2]);
}

// Whether one of the last `added` triangles intersects another one or overlaps it.
bool crosses_itself(const Mesh& mesh, std::size_t added) {
  if (added == 0) return false;
  const std::size_t first = mesh.triangle_count() - added;
  const SelfContacts found = self_contacts(mesh);
  const auto is_new = [&](const TrianglePair& pair) { return pair.a >= first || pair.b >= first; };
  return std::ranges::any_of(found.pairs, is_new) || std::ranges::any_of(found.adjacent, is_new);
}

}  // namespace

PartMesh make_repaired_part_mesh(MeshData data, std::string file) {
  if (is_closed(data)) return make_part_mesh(std::move(data), std::move(file));
  const MeshRepair repair = repair_mesh(data);
  std::string failure;
  if (repair.mesh.triangles.empty()) {
    failure = "nothing would be left of it";
  } else if (!repair.after.closed) {
    failure =
        repair.after.nonmanifold_edges > 0 ? "edges with more than two triangles remain" : "it would still be open";
  } else {
    PartMesh result = make_part_mesh(repair.mesh, file);
    if (!result.is_closed) {
      failure = "the repaired mesh would have no volume";
    } else if (crosses_itself(*result.shape.as<Mesh>(), repair.triangles_added)) {
      failure = "the triangles that fill its holes would go through other triangles";
    } else {
      result.is_repaired = true;
      result.repair = fmt::format("{}", fmt::join(repair.done, "; "));
      return result;
    }
  }
  PartMesh result = make_part_mesh(std::move(data), std::move(file));
  result.repair = std::move(failure);
  return result;
}

PartMesh make_part_mesh(MeshData data, std::string file) {
  Mesh mesh(data);
  if (mesh.can_be_solid()) return {std::move(data), mesh.solid(), true, std::move(file)};
  if (!is_closed(data)) return {std::move(data), std::move(mesh), false, std::move(file)};
  MeshData other = data;
  turn_round(other);
  Mesh other_mesh(other);
  // Not a solid either way: closed, but without volume.
  if (!other_mesh.can_be_solid()) return {std::move(data), std::move(mesh), false, std::move(file)};
  PartMesh result{std::move(other), other_mesh.solid(), true, std::move(file)};
  result.is_turned = true;
  return result;
}

MeshData transformed(MeshData mesh, const Matrix3& linear) {
  for (Vector3& vertex : mesh.vertices)
    vertex = Vector3(linear * vertex);
  if (linear.determinant() < 0) turn_round(mesh);
  return mesh;
}

std::uint32_t MeshStore::add(MeshData data, const std::string& file) {
  const std::uint64_t hash = hash_of(data);
  const auto [first, last] = by_content_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    const MeshData& other = meshes_[entry->second].data;
    if (other.vertices == data.vertices && other.triangles == data.triangles) return entry->second;
  }
  const auto number = static_cast<std::uint32_t>(meshes_.size());
  by_content_.emplace(hash, number);
  meshes_.push_back({std::move(data), file});
  return number;
}

std::vector<PartMesh> MeshStore::build(std::vector<std::string>& notes, bool repair) {
  std::vector<std::optional<PartMesh>> built(meshes_.size());
  std::vector<std::string> failures(meshes_.size());
  tbb::parallel_for(std::size_t{0}, meshes_.size(), [&](std::size_t i) {
    try {
      const auto make = repair ? make_repaired_part_mesh : make_part_mesh;
      built[i] = make(std::move(meshes_[i].data), meshes_[i].file);
    } catch (const Error& error) {
      failures[i] = error.what();
    }
  });
  std::vector<PartMesh> result;
  for (std::size_t i = 0; i < built.size(); ++i) {
    const std::string& file = meshes_[i].file;
    if (!built[i]) throw Error((file.empty() ? "" : file + ": ") + failures[i]);
    if (!built[i]->is_closed && is_closed(built[i]->data))
      notes.push_back(file + ": a mesh is closed but has no volume (is its scale zero?); it is treated as a surface");
    if (built[i]->is_turned) notes.push_back(file + ": a mesh was inside out; its triangles were reversed");
    result.push_back(std::move(*built[i]));
  }
  meshes_.clear();
  by_content_.clear();
  return result;
}

}  // namespace whisker::clash
