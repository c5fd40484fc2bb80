#include <algorithm>
#include <tbb/task_arena.h>

#include <whisker/self_contacts.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "deform/fans.hpp"
#include "deform/self_walk.hpp"
#include "deform/smooth_patches.hpp"
#include "geometry/lease.hpp"
#include "geometry/threads.hpp"
#include "trees/chunks.hpp"

namespace whisker {
namespace {

using deform::FoundPairs;

/// Working memory of a search, and of one of its parts.
struct Memory {
  std::vector<FoundPairs> found;
  std::vector<deform::SelfEntry> entries;
  deform::SmoothPatches patches;
};
struct PartMemory {
  std::vector<deform::SelfEntry> entries;
  std::vector<std::uint32_t> fans_left, doubtful;
};

/// Runs work in parts and joins their results in order, so that the result is the same for any number of threads.
template <class Work>
void find_in_parts(std::size_t count, const SelfContactOptions& options, std::vector<FoundPairs>& found,
                   std::vector<TrianglePair>& pairs, SelfContacts& contacts, Work&& work) {
  if (found.size() < count) found.resize(count);
  const auto one = [&](std::size_t i) {
    found[i].pairs.clear();
    found[i].cost = {};
    found[i].limit = options.max_count;
    work(i, found[i]);
  };
  // Isolated, so that while waiting this thread does not start another search, which would need memory of its own.
  tbb::this_task_arena::isolate([&] { trees::for_all(count, options.threads != 1, one); });
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t taken = std::min(found[i].pairs.size(), options.max_count - pairs.size());
    pairs.insert(pairs.end(), found[i].pairs.begin(), found[i].pairs.begin() + static_cast<std::ptrdiff_t>(taken));
    if (taken < found[i].pairs.size()) contacts.stop = Stop::count;
    contacts.cost += found[i].cost;
  }
}

void find_unconnected_pairs(const deform::SelfTree& tree, const SelfContactOptions& options, Memory& memory,
                            SelfContacts& contacts) {
  constexpr std::size_t parts = 512;  // enough to keep all threads busy
  memory.entries.assign({{0, 0, 0xFF, 0xFF}});
  find_in_parts(1, options, memory.found, contacts.pairs, contacts,
                [&](std::size_t, FoundPairs& found) { deform::expand_until(tree, memory.entries, parts, found); });
  find_in_parts(memory.entries.size(), options, memory.found, contacts.pairs, contacts,
                [&](std::size_t i, FoundPairs& found) {
                  const geometry::Lease<PartMemory> part;
                  part->entries.assign({memory.entries[i]});
                  deform::look_at_all(tree, part->entries, found);
                });
}

/// `node_of_vertex` belongs to the tree's `is_smooth`.
void find_neighbors(const deform::SelfTree& tree, const deform::Fans& fans,
                    std::span<const std::uint32_t> node_of_vertex, const SelfContactOptions& options, Memory& memory,
                    SelfContacts& contacts) {
  struct Part {
    const deform::Fans::Group* group;  // null for the irregular vertices
    std::size_t begin, end;
  };
  constexpr std::size_t most = 4096;
  std::vector<Part> parts;
  const auto add = [&](const deform::Fans::Group* group, std::size_t size) {
    for (std::size_t begin = 0; begin < size; begin += most)
      parts.push_back({group, begin, std::min(begin + most, size)});
  };
  add(nullptr, fans.irregular.size());
  for (const deform::Fans::Group& group : fans.groups)
    add(&group, group.size);
  const auto is_smooth = [&](std::uint32_t vertex) {
    return !tree.is_smooth.empty() && tree.is_smooth[node_of_vertex[vertex]] != 0;
  };
  find_in_parts(parts.size(), options, memory.found, contacts.adjacent, contacts,
                [&](std::size_t i, FoundPairs& found) {
                  const Part& part = parts[i];
                  const geometry::Lease<PartMemory> lease;
                  auto& [entries, fans_left, doubtful] = *lease;
                  doubtful.clear();
                  if (part.group == nullptr) {
                    for (std::size_t k = part.begin; k < part.end; ++k)
                      if (!is_smooth(fans.irregular[k])) doubtful.push_back(fans.irregular[k]);
                  } else {
                    fans_left.clear();
                    for (std::size_t k = part.begin; k < part.end; ++k)
                      if (!is_smooth(fans.centers[part.group->first + k]))
                        fans_left.push_back(static_cast<std::uint32_t>(k));
                    deform::find_doubtful(fans, *part.group, fans_left, tree.vertices, tree.tree.scale, doubtful);
                  }
                  for (const std::uint32_t vertex : doubtful) {
                    if (found.is_full()) break;
                    found.cost.primitive_tests += deform::find_adjacent(
                        fans, vertex, tree.vertices, tree.triangles, tree.tree.scale, found.pairs, options.max_count);
                  }
                });
}

/// The inputs are functions, called only when needed. `contours` is needed if directions are used, possibly for the
/// root alone. `boxes` and `fans` are needed if directions do not prove that there is nothing to find. `is_lasting`
/// says that the mesh is queried repeatedly.
template <class Contours, class Boxes, class MakeFans>
void find_all(deform::SelfTree tree, bool is_lasting, const SelfContactOptions& options, SelfContacts& contacts,
              const Contours& contours, const Boxes& boxes, const MakeFans& fans) {
  const geometry::Lease<Memory> lease;
  Memory& memory = *lease;
  contacts.pairs.clear();
  contacts.adjacent.clear();
  contacts.cost = {};
  contacts.stop = Stop::exact;
  std::span<const std::uint32_t> node_of_vertex;
  if (options.by_direction.value_or(true)) {
    deform::set_masks(tree.tree, memory.patches);
    // Finding the contours of all nodes takes longer than it saves in a single search.
    const bool is_thorough = options.by_direction.value_or(is_lasting);
    if (is_thorough || memory.patches.node_masks[0] != 0) {
      const deform::NodeContours& found = contours(is_thorough);
      deform::find_smooth(tree.tree, found, tree.vertices, memory.patches);
      if (memory.patches.is_smooth[0] != 0) return;
      tree.is_smooth = memory.patches.is_smooth;
      node_of_vertex = found.node_of_vertex;
    }
  }
  tree.boxes = boxes();
  find_unconnected_pairs(tree, options, memory, contacts);
  if (options.adjacent) find_neighbors(tree, fans(), node_of_vertex, options, memory, contacts);
}

void find_self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options, SelfContacts& found) {
  const DeformingMeshStorage& storage = storage_of(mesh);
  const deform::StillParts& still = storage.still();
  const MeshStorage& now = *still.now;
  deform::NodeContours whole;
  find_all(
      {now.oriented, still.leaves, {}, now.data.vertices, now.data.triangles, {}}, still.has_moved, options, found,
      [&](bool of_all) -> const deform::NodeContours& {
        if (of_all) return storage.contours();
        whole = deform::find_whole_contour(now.oriented, now.data.triangles, now.data.vertices.size());
        return whole;
      },
      [&]() -> const std::vector<deform::LeafBoxes>& { return storage.leaf_boxes(); },
      [&]() -> const deform::Fans& { return storage.fans(); });
}

void find_self_contacts(const Mesh& mesh, const SelfContactOptions& options, SelfContacts& found) {
  const MeshStorage& storage = storage_of(mesh);
  const MeshData& data = storage.data;
  const std::vector<trees::LeafVertices> leaves = trees::leaf_vertices(storage.oriented, data.triangles);
  std::vector<deform::LeafBoxes> boxes;
  deform::NodeContours contours;
  find_all(
      {storage.oriented, leaves, {}, data.vertices, data.triangles, {}}, false, options, found,
      [&](bool of_all) -> const deform::NodeContours& {
        contours = (of_all ? deform::find_contours : deform::find_whole_contour)(storage.oriented, data.triangles,
                                                                                 data.vertices.size());
        return contours;
      },
      [&]() -> const std::vector<deform::LeafBoxes>& {
        deform::set_leaf_boxes(storage.oriented, boxes);
        return boxes;
      },
      [&] { return deform::make_fans(data.triangles, data.vertices.size()); });
}

}  // namespace

void self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options, SelfContacts& found) {
  with_threads("self_contacts", options.threads, [&] { find_self_contacts(mesh, options, found); });
}

void self_contacts(const DeformingMesh& mesh, SelfContacts& found) {
  self_contacts(mesh, {}, found);
}

SelfContacts self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options) {
  SelfContacts found;
  self_contacts(mesh, options, found);
  return found;
}

SelfContacts self_contacts(const Mesh& mesh, const SelfContactOptions& options) {
  SelfContacts found;
  with_threads("self_contacts", options.threads, [&] { find_self_contacts(mesh, options, found); });
  return found;
}

}  // namespace whisker
