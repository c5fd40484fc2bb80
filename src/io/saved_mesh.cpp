// Reads and writes meshes together with their trees, in whisker's own binary format.

#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/io.hpp>

#include "io/binary.hpp"
#include "io/checksum.hpp"
#include "io/source.hpp"
#include "shapes/mesh_storage.hpp"
#include "trees/oriented_check.hpp"

// The file layout, with all numbers little-endian:
//
//   byte  0  magic, 8 bytes
//         8  version, 32 bits
//        12  flags, 32 bits: bit 0 is set for a solid, the others are 0
//        16  the numbers of vertices, triangles, nodes and leaves, 64 bits each
//        48  checksum of the first 48 bytes and of everything that follows, 64 bits
//        56  vertices: 3 doubles each
//            triangles: 3 vertex numbers of 32 bits each
//            nodes: 8 children of 32 bits each, as in OrientedNode::child
//            leaves: 4 triangle numbers of 32 bits each
//            for each node: which children exist, and which are leaves, 8 bits each

namespace whisker {
namespace {

// A byte beyond ASCII, both kinds of line ends and the DOS end-of-file character, to detect damage from copying the
// file as text (as in PNG).
constexpr std::string_view magic = "\x89WKM\r\n\x1a\n";
constexpr std::uint32_t version = 1;
constexpr std::uint32_t solid_flag = 1;
constexpr std::size_t checksum_at = 48;
constexpr std::size_t header_size = 56;

constexpr std::uint64_t vertex_size = 24;
constexpr std::uint64_t triangle_size = 12;
constexpr std::uint64_t node_size = 34;
constexpr std::uint64_t leaf_size = 16;

/// Each count is below 2^32, so the sum does not overflow.
struct Counts {
  std::uint64_t vertices, triangles, nodes, leaves;
  std::uint64_t bytes() const {
    return header_size + vertices * vertex_size + triangles * triangle_size + nodes * node_size + leaves * leaf_size;
  }
};

/// The checksum of the whole file except for the checksum itself.
std::uint64_t checksum_of(std::string_view file) {
  return io::checksum(file.substr(0, checksum_at)) ^ std::rotl(io::checksum(file.substr(header_size)), 1);
}

/// Reads numbers from the front.
class Reader {
 public:
  explicit Reader(const char* at) : at_(at) {}

  template <class Number>
  Number take() {
    const Number number = io::load<Number>(at_, std::endian::little);
    at_ += sizeof(Number);
    return number;
  }

 private:
  const char* at_;
};

/// Checks everything that can be checked without reading the mesh.
Counts read_header(const io::Source& source) {
  const std::string_view file = source.text;
  if (!file.starts_with(magic.substr(0, std::min(magic.size(), file.size())))) {
    source.fail("this is not a mesh file that save_mesh wrote: read other formats with load_mesh");
  }
  if (file.size() < header_size) source.fail("the file is cut short: get it again");
  Reader reader(file.data() + magic.size());
  const auto found = reader.take<std::uint32_t>();
  if (found > version) {
    source.fail("the file has version " + std::to_string(found) + ", but this whisker reads versions up to " +
                std::to_string(version) + ": use a newer whisker, or save it again from the original mesh");
  }
  if (found == 0) source.fail("the file has version 0, which does not exist: get it again");
  reader.take<std::uint32_t>();  // the flags
  Counts counts{};
  for (std::uint64_t* count : {&counts.vertices, &counts.triangles, &counts.nodes, &counts.leaves}) {
    *count = reader.take<std::uint64_t>();
    if (*count > 0xFFFFFFFF) source.fail("the file is damaged (a count beyond 2^32): get it again");
  }
  if (file.size() < counts.bytes()) {
    source.fail("the file is cut short (" + std::to_string(file.size()) + " of " + std::to_string(counts.bytes()) +
                " bytes): get it again");
  }
  if (file.size() > counts.bytes()) {
    source.fail("the file is too long (" + std::to_string(file.size()) + " bytes instead of " +
                std::to_string(counts.bytes()) + "): get it again");
  }
  if (io::load<std::uint64_t>(file.data() + checksum_at, std::endian::little) != checksum_of(file)) {
    source.fail("the file is damaged (its checksum is wrong): get it again");
  }
  return counts;
}

/// Visits all numbers after the header, in the file's order.
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

}  // namespace

std::string encode_saved_mesh(const Mesh& mesh) {
  const trees::OrientedTree& tree = storage_of(mesh).oriented;
  const Counts counts{mesh.vertices().size(), mesh.triangles().size(), tree.nodes.size(), tree.leaves.size()};
  std::string out;
  out.reserve(counts.bytes());
  out += magic;
  io::append_little(out, version);
  io::append_little(out, mesh.is_solid() ? solid_flag : std::uint32_t{0});
  for (const std::uint64_t count : {counts.vertices, counts.triangles, counts.nodes, counts.leaves})
    io::append_little(out, count);
  io::append_little(out, std::uint64_t{0});
  each_number(mesh.vertices(), mesh.triangles(), tree, [&](const auto& number) { io::append_little(out, number); });
  std::string sum;
  io::append_little(sum, checksum_of(out));
  out.replace(checksum_at, sum.size(), sum);
  return out;
}

Mesh decode_saved_mesh(std::span<const std::byte> bytes, std::string_view name) {
  const io::Source source{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, std::string(name)};
  const Counts counts = read_header(source);
  const auto flags = io::load<std::uint32_t>(source.text.data() + magic.size() + 4, std::endian::little);
  if ((flags & ~solid_flag) != 0)
    source.fail("the file has flags that this whisker does not support: use a newer whisker");
  Reader reader(source.text.data() + header_size);

  MeshData data;
  data.vertices.resize(counts.vertices);
  data.triangles.resize(counts.triangles);
  auto storage = std::make_shared<MeshStorage>();
  trees::OrientedTree& tree = storage->oriented;
  tree.nodes.resize(counts.nodes);
  for (trees::OrientedNode& node : tree.nodes)
    node = {};
  tree.leaves.resize(counts.leaves);
  each_number(data.vertices, data.triangles, tree,
              [&](auto& number) { number = reader.take<std::remove_reference_t<decltype(number)>>(); });

  try {
    storage->check_and_set(std::move(data));
  } catch (const Error& error) {
    source.fail(error.what());
  }
  const std::string fault = trees::check_links(tree, storage->data.triangles.size());
  if (!fault.empty()) source.fail(fault + ": save it again from the original mesh");
  trees::refit(tree, storage->data.vertices, storage->data.triangles, true);
  const Mesh mesh = mesh_from(std::move(storage), false);
  if ((flags & solid_flag) == 0) return mesh;
  try {
    return mesh.solid();
  } catch (const Error& error) {
    source.fail(error.what());
  }
}

void save_mesh(const Mesh& mesh, const std::filesystem::path& path) {
  io::write_file(path, encode_saved_mesh(mesh));
}

Mesh load_saved_mesh(const std::filesystem::path& path) {
  const io::FileBytes bytes = io::read_file(path);
  return decode_saved_mesh(std::as_bytes(std::span(bytes.data.get(), bytes.size)), path.string());
}

}  // namespace whisker
