#include <algorithm>
#include <array>
#include <limits>
#include <tbb/parallel_for.h>

#include <whisker/error.hpp>
#include <whisker/self_contacts.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "mesh/touch_walk.hpp"

namespace whisker {
namespace {

/// The pairs of meshes whose boxes touch, by a sweep along x.
std::vector<std::array<std::uint32_t, 2>> meshes_that_meet(std::span<const DeformingMesh* const> meshes) {
  std::vector<AxisBox> boxes;
  for (const DeformingMesh* const mesh : meshes)
    boxes.push_back(storage_of(*mesh).still().now->bounds);
  std::vector<std::uint32_t> order(meshes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t p, std::uint32_t q) { return boxes[p].lower[0] < boxes[q].lower[0]; });
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const AxisBox& a = boxes[order[i]];
    for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].lower[0] <= a.upper[0]; ++j) {
      const AxisBox& b = boxes[order[j]];
      if ((a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all())
        pairs.push_back({std::min(order[i], order[j]), std::max(order[i], order[j])});
    }
  }
  return pairs;
}

struct PairFound {
  std::vector<TrianglePair> triangles;
  Cost cost;
};

}  // namespace

void contacts_of_all(std::span<const DeformingMesh* const> meshes, MeshesContacts& found,
                     const SelfContactOptions& options) {
  for (std::size_t i = 0; i < meshes.size(); ++i)
    if (meshes[i] == nullptr) throw Error("contacts of all: mesh " + std::to_string(i) + " is null");
  found.pairs.clear();
  found.adjacent.clear();
  found.cost = {};
  thread_local SelfContacts own;
  for (std::uint32_t i = 0; i < meshes.size(); ++i) {
    self_contacts(*meshes[i], own,
                  {.adjacent = options.adjacent, .by_direction = options.by_direction, .parallel = options.parallel});
    for (const TrianglePair& pair : own.pairs)
      found.pairs.push_back({i, pair.a, i, pair.b});
    for (const TrianglePair& pair : own.adjacent)
      found.adjacent.push_back({i, pair.a, i, pair.b});
    found.cost += own.cost;
  }
  const std::vector<std::array<std::uint32_t, 2>> pairs = meshes_that_meet(meshes);
  std::vector<PairFound> between(pairs.size());
  const Pose here;
  const auto look = [&](std::size_t i) {
    const auto view = [&](std::uint32_t number) {
      const MeshStorage& now = *storage_of(*meshes[number]).still().now;
      return mesh::MeshView{now.oriented, now.data.vertices.data(), now.data.triangles.data(), here};
    };
    mesh::find_all_touching(mesh::pair_of(view(pairs[i][0]), view(pairs[i][1])),
                            std::numeric_limits<std::size_t>::max(), between[i].cost, between[i].triangles);
  };
  if (options.parallel) {
    tbb::parallel_for(std::size_t{0}, pairs.size(), look);
  } else {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      look(i);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const TrianglePair& pair : between[i].triangles)
      found.pairs.push_back({pairs[i][0], pair.a, pairs[i][1], pair.b});
    found.cost += between[i].cost;
  }
  std::sort(found.pairs.begin(), found.pairs.end());
  std::sort(found.adjacent.begin(), found.adjacent.end());
}

}  // namespace whisker
