#include <algorithm>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <whisker/self_contacts.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "deform/fans.hpp"
#include "deform/self_walk.hpp"
#include "deform/smooth_patches.hpp"

namespace whisker {
namespace {

using deform::FoundPairs;

/// Kept from call to call.
struct Memory {
  std::vector<FoundPairs> found;
  std::vector<deform::SelfEntry> entries;
  deform::SmoothPatches patches;
};

/// Work that is done in parts, and what the parts find, joined in their order: the same for any number of threads.
template <class Work>
void find_in_parts(std::size_t count, const SelfContactOptions& options, std::vector<FoundPairs>& found,
                   std::vector<TrianglePair>& pairs, SelfContacts& contacts, Work&& work) {
  if (found.size() < count) found.resize(count);
  const auto one = [&](std::size_t i) {
    found[i].pairs.clear();
    found[i].cost = {};
    found[i].limit = options.limit;
    work(i, found[i]);
  };
  if (options.parallel && count > 1) {
    // By itself, so that no other search is begun on this thread meanwhile, with the same memory.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, count, one); });
  } else {
    for (std::size_t i = 0; i < count; ++i)
      one(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t taken = std::min(found[i].pairs.size(), options.limit - pairs.size());
    pairs.insert(pairs.end(), found[i].pairs.begin(), found[i].pairs.begin() + static_cast<std::ptrdiff_t>(taken));
    if (taken < found[i].pairs.size()) contacts.is_complete = false;
    contacts.cost.volume_tests += found[i].cost.volume_tests;
    contacts.cost.primitive_tests += found[i].cost.primitive_tests;
  }
}

void find_strangers(const deform::SelfTree& tree, const SelfContactOptions& options, Memory& memory,
                    SelfContacts& contacts) {
  if (!tree.is_smooth.empty() && tree.is_smooth[0] != 0) return;
  constexpr std::size_t parts = 512;  // enough that no thread waits for long
  memory.entries.assign({{0, 0, 0xFF, 0xFF}});
  find_in_parts(1, options, memory.found, contacts.pairs, contacts,
                [&](std::size_t, FoundPairs& found) { deform::look_until(tree, memory.entries, parts, found); });
  find_in_parts(memory.entries.size(), options, memory.found, contacts.pairs, contacts,
                [&](std::size_t i, FoundPairs& found) {
                  thread_local std::vector<deform::SelfEntry> entries;
                  entries.assign({memory.entries[i]});
                  deform::look_at_all(tree, entries, found);
                });
}

void find_neighbours(const deform::SelfTree& tree, const deform::Fans& fans, const SelfContactOptions& options,
                     Memory& memory, SelfContacts& contacts) {
  struct Part {
    const deform::Fans::Group* group;  // null: the irregular ones
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
  find_in_parts(
      parts.size(), options, memory.found, contacts.adjacent, contacts, [&](std::size_t i, FoundPairs& found) {
        const Part& part = parts[i];
        thread_local std::vector<std::uint32_t> doubtful;
        doubtful.clear();
        if (part.group == nullptr) {
          doubtful.assign(fans.irregular.begin() + static_cast<std::ptrdiff_t>(part.begin),
                          fans.irregular.begin() + static_cast<std::ptrdiff_t>(part.end));
        } else {
          deform::find_doubtful(fans, *part.group, part.begin, part.end, tree.vertices, tree.tree.scale, doubtful);
        }
        for (const std::uint32_t vertex : doubtful) {
          if (found.is_full()) break;
          found.cost.primitive_tests += deform::find_adjacent(fans, vertex, tree.vertices, tree.triangles,
                                                              tree.tree.scale, found.pairs, options.limit);
        }
      });
}

/// `fans` and `contours` may be null.
void find_all(deform::SelfTree tree, const deform::Fans* fans, const deform::NodeContours* contours,
              const SelfContactOptions& options, SelfContacts& contacts) {
  thread_local Memory memory;
  contacts.pairs.clear();
  contacts.adjacent.clear();
  contacts.cost = {};
  contacts.is_complete = true;
  if (contours != nullptr) {
    deform::find_smooth(tree.tree, *contours, tree.vertices, memory.patches);
    tree.is_smooth = memory.patches.is_smooth;
  }
  find_strangers(tree, options, memory, contacts);
  if (fans != nullptr) find_neighbours(tree, *fans, options, memory, contacts);
}

}  // namespace

void self_contacts(const DeformingMesh& mesh, SelfContacts& found, const SelfContactOptions& options) {
  const deform::StillParts& still = mesh.storage().still();
  const deform::SelfParts& self = mesh.storage().self();
  const Mesh::Storage& now = *still.now;
  find_all({now.oriented, still.leaves, self.boxes, now.data.vertices, now.data.triangles, {}},
           options.adjacent ? &self.fans : nullptr, options.by_direction ? &mesh.storage().contours() : nullptr,
           options, found);
}

SelfContacts self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options) {
  SelfContacts found;
  self_contacts(mesh, found, options);
  return found;
}

SelfContacts self_contacts(const Mesh& mesh, const SelfContactOptions& options) {
  const Mesh::Storage& storage = mesh.storage();
  std::vector<deform::LeafBoxes> boxes;
  deform::set_leaf_boxes(storage.oriented, boxes);
  const std::vector<trees::LeafVertices> leaves = trees::leaf_vertices(storage.oriented, storage.data.triangles);
  deform::Fans fans;
  if (options.adjacent) fans = deform::make_fans(storage.data.triangles, storage.data.vertices.size());
  deform::NodeContours contours;
  if (options.by_direction) contours = deform::find_contours(storage.oriented, leaves);
  SelfContacts found;
  find_all({storage.oriented, leaves, boxes, storage.data.vertices, storage.data.triangles, {}},
           options.adjacent ? &fans : nullptr, options.by_direction ? &contours : nullptr, options, found);
  return found;
}

}  // namespace whisker
