#include <algorithm>
#include <array>
#include <string>

#include <whisker/error.hpp>
#include <whisker/self_contacts.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "geometry/lease.hpp"
#include "geometry/lists.hpp"
#include "geometry/threads.hpp"
#include "mesh/touch_walk.hpp"
#include "trees/chunks.hpp"

namespace whisker {
namespace {

/// The pairs of meshes whose AABBs touch, found by a sweep along x.
std::vector<std::array<std::uint32_t, 2>> meshes_that_meet(std::span<const DeformingMesh* const> meshes) {
  const std::vector<Aabb> boxes =
      geometry::mapped(meshes, [](const DeformingMesh* const mesh) { return storage_of(*mesh).still().now->bounds; });
  std::vector<std::uint32_t> order = geometry::numbers_below(meshes.size());
  std::ranges::sort(order, {}, [&](std::uint32_t p) { return boxes[p].lower[0]; });
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Aabb& a = boxes[order[i]];
    for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].lower[0] <= a.upper[0]; ++j) {
      if (a.overlaps(boxes[order[j]])) pairs.push_back({std::min(order[i], order[j]), std::max(order[i], order[j])});
    }
  }
  return pairs;
}

struct PairFound {
  std::vector<TrianglePair> triangles;
  bool is_all = true;
  Cost cost;
};

void find_triangle_contacts(std::span<const DeformingMesh* const> meshes, const SelfContactOptions& options,
                            MeshesContacts& found) {
  found.pairs.clear();
  found.adjacent.clear();
  found.stop = Stop::exact;
  found.cost = {};
  const auto take = [&](std::uint32_t a, std::uint32_t b, std::span<const TrianglePair> some,
                        std::vector<MeshTrianglePair>& all) {
    if (some.size() > options.max_count - all.size()) {
      found.stop = Stop::count;
      some = some.first(options.max_count - all.size());
    }
    for (const TrianglePair& pair : some)
      all.push_back({a, pair.a, b, pair.b});
  };
  const geometry::Lease<SelfContacts> lease;
  SelfContacts& own = *lease;
  for (std::uint32_t i = 0; i < meshes.size(); ++i) {
    self_contacts(*meshes[i], options, own);
    take(i, i, own.pairs, found.pairs);
    take(i, i, own.adjacent, found.adjacent);
    if (own.stop != Stop::exact) found.stop = own.stop;
    found.cost += own.cost;
  }
  const std::vector<std::array<std::uint32_t, 2>> pairs = meshes_that_meet(meshes);
  std::vector<PairFound> between(pairs.size());
  const Pose here;
  const auto look = [&](std::size_t i) {
    const auto view = [&](std::uint32_t number) {
      const MeshStorage& now = *storage_of(*meshes[number]).still().now;
      return mesh::MeshView{&now.oriented, now.data.vertices.data(), now.data.triangles.data(), &here};
    };
    // Each pair may contribute up to the total limit, so which contacts are kept does not depend on the order in which
    // they are found.
    between[i].is_all = mesh::find_all_touching(mesh::pair_of(view(pairs[i][0]), view(pairs[i][1])), options.max_count,
                                                between[i].cost, between[i].triangles);
  };
  trees::for_all(pairs.size(), options.threads != 1, look);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    take(pairs[i][0], pairs[i][1], between[i].triangles, found.pairs);
    if (!between[i].is_all) found.stop = Stop::count;
    found.cost += between[i].cost;
  }
  std::sort(found.pairs.begin(), found.pairs.end());
  std::sort(found.adjacent.begin(), found.adjacent.end());
}

}  // namespace

void triangle_contacts(std::span<const DeformingMesh* const> meshes, const SelfContactOptions& options,
                       MeshesContacts& found) {
  for (std::size_t i = 0; i < meshes.size(); ++i)
    if (meshes[i] == nullptr) throw Error("triangle_contacts: mesh " + std::to_string(i) + " is null");
  with_threads("triangle_contacts", options.threads, [&] { find_triangle_contacts(meshes, options, found); });
}

void triangle_contacts(std::span<const DeformingMesh* const> meshes, MeshesContacts& found) {
  triangle_contacts(meshes, {}, found);
}

MeshesContacts triangle_contacts(std::span<const DeformingMesh* const> meshes, const SelfContactOptions& options) {
  MeshesContacts found;
  triangle_contacts(meshes, options, found);
  return found;
}

}  // namespace whisker
