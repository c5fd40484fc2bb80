// Reads and writes meshes together with their trees, as records of saved shapes.

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <whisker/error.hpp>

#include "geometry/lists.hpp"
#include "io/saved_record.hpp"
#include "shapes/mesh_storage.hpp"
#include "trees/aligned_fit.hpp"
#include "trees/oriented_check.hpp"

// The layout of a record:
//
//   byte  0  flags, 32 bits: bit 0 is set if all nodes of the tree have the mesh's own axes, the others are 0
//         4  the numbers of vertices, triangles, nodes and leaves, 64 bits each
//        36  vertices: 3 doubles each
//            triangles: 3 vertex numbers of 32 bits each
//            nodes: 8 children of 32 bits each, as in OrientedNode::child
//            leaves: 4 triangle numbers of 32 bits each
//            for each node: which children exist, and which are leaves, 8 bits each
//
// A file of version 1 has the magic, the version (32 bits), and then the same with the checksum (64 bits) before the
// vertices. Its flags have another meaning: bit 0 is set for a solid.

namespace whisker::io {
namespace {

constexpr std::uint32_t aligned_flag = 1;
constexpr std::uint32_t solid_flag_1 = 1;
constexpr std::size_t checksum_at_1 = 48;
constexpr std::size_t header_size_1 = 56;

/// Each count is below 2^32, so the sum does not overflow.
struct Counts {
  std::uint64_t vertices, triangles, nodes, leaves;
  std::uint64_t bytes() const { return vertices * 24 + triangles * 12 + nodes * 34 + leaves * 16; }
};

Counts take_counts(RecordReader& reader) {
  Counts counts{};
  for (std::uint64_t* count : {&counts.vertices, &counts.triangles, &counts.nodes, &counts.leaves}) {
    reader.take_to(*count);
    if (*count > 0xFFFFFFFF) throw Error("it is damaged (a count beyond 2^32): get it again");
  }
  return counts;
}

void check_flags(std::uint32_t flags, std::uint32_t known) {
  if ((flags & ~known) != 0) throw Error("it has flags that this whisker does not support: use a newer whisker");
}

/// Visits all numbers after the counts, in the file's order.
template <class Vertices, class Triangles, class Tree, class Visit>
void each_number(Vertices&& vertices, Triangles&& triangles, Tree& tree, const Visit& visit) {
  for (auto& vertex : vertices)
    for (auto& x : vertex)
      visit(x);
  for (auto& triangle : triangles)
    for (auto& corner : triangle)
      visit(corner);
  for (auto& node : tree.nodes)
    for (auto& child : node.child)
      visit(child);
  for (auto& leaf : tree.leaves)
    for (auto& id : leaf.id)
      visit(id);
  for (auto& node : tree.nodes) {
    visit(node.valid);
    visit(node.leaves);
  }
}

/// Fits the tree as that of a DeformingMesh's snapshot.
void fit_as_snapshot(MeshStorage& storage) {
  storage.move_to(storage.data.vertices, storage.bounds);
  trees::OrientedTree& tree = storage.oriented;
  tree.set_aligned();
  // One part after the other: the nodes of a subtree need not be contiguous in a file.
  const trees::FitPlan plan{{}, geometry::numbers_below(tree.nodes.size())};
  std::vector<trees::NodeBounds> node_bounds;
  trees::fit_aligned(tree, storage.data.vertices, trees::leaf_vertices(tree, storage.data.triangles), storage.bounds,
                     plan, false, node_bounds);
}

/// Reads what follows the counts, which fit the number of bytes.
Mesh take_content(const Counts& counts, bool is_aligned, RecordReader& reader) {
  MeshData data;
  data.vertices.resize(counts.vertices);
  data.triangles.resize(counts.triangles);
  auto storage = std::make_shared<MeshStorage>();
  trees::OrientedTree& tree = storage->oriented;
  tree.nodes.resize(counts.nodes);
  for (trees::OrientedNode& node : tree.nodes)
    node = {};
  tree.leaves.resize(counts.leaves);
  each_number(data.vertices, data.triangles, tree, [&](auto& number) { reader.take_to(number); });

  storage->check_and_set(std::move(data));
  const std::string fault = trees::check_links(tree, storage->data.triangles.size());
  if (!fault.empty()) throw Error(fault + ": save it again from the original mesh");
  if (is_aligned) {
    fit_as_snapshot(*storage);
  } else {
    trees::refit(tree, storage->data.vertices, storage->data.triangles, true);
  }
  return mesh_from(std::move(storage), false);
}

}  // namespace

void append_mesh(std::string& out, const Mesh& mesh) {
  const trees::OrientedTree& tree = storage_of(mesh).oriented;
  const Counts counts{mesh.vertices().size(), mesh.triangles().size(), tree.nodes.size(), tree.leaves.size()};
  out.reserve(out.size() + 36 + counts.bytes());
  append_little(out, tree.is_aligned ? aligned_flag : std::uint32_t{0});
  for (const std::uint64_t count : {counts.vertices, counts.triangles, counts.nodes, counts.leaves})
    append_little(out, count);
  each_number(mesh.vertices(), mesh.triangles(), tree, [&](const auto& number) { append_little(out, number); });
}

Mesh take_mesh(RecordReader& reader) {
  const auto flags = reader.take<std::uint32_t>();
  check_flags(flags, aligned_flag);
  const Counts counts = take_counts(reader);
  if (counts.bytes() != reader.left()) throw Error("its counts do not fit its size");
  return take_content(counts, flags != 0, reader);
}

Mesh read_mesh_file(std::string_view file) {
  if (file.size() < header_size_1) throw Error("the file is cut short: get it again");
  RecordReader header(file.substr(saved_magic.size() + 4));
  const auto flags = header.take<std::uint32_t>();
  const Counts counts = take_counts(header);
  check_whole(file, header_size_1 + counts.bytes(), checksum_at_1);
  check_flags(flags, solid_flag_1);
  RecordReader content(file.substr(header_size_1));
  const Mesh mesh = take_content(counts, false, content);
  return flags == 0 ? mesh : mesh.solid();
}

}  // namespace whisker::io
