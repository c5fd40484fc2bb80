// Makes a sphere body: checks the tree, and measures its spheres on the mesh.

#include <algorithm>
#include <cmath>
#include <string>

#include <whisker/error.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/disjoint_sets.hpp"
#include "geometry/safe_norm.hpp"
#include "geometry/threads.hpp"
#include "shapes/sphere_body_storage.hpp"
#include "shapes/sphere_data.hpp"
#include "spheres/protrusion.hpp"

namespace whisker {
namespace {

[[noreturn]] void refuse(std::size_t node, const char* fault) {
  throw Error("sphere body: node " + std::to_string(node) + " of the tree " + fault);
}

/// Checks that children come after their parent, and that every node but the root is the child of one node.
void check_children(const SphereTree& tree) {
  const std::size_t count = tree.nodes.size();
  std::vector<bool> has_parent(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const SphereTreeNode& node = tree.nodes[i];
    if (node.child_count == 0) continue;
    if (node.child_count > SphereBody::max_children) refuse(i, "has more than 64 children; build it with fewer");
    if (node.first_child <= i || node.first_child >= count || node.child_count > count - node.first_child) {
      refuse(i, "has children that do not exist or do not come after it");
    }
    for (std::size_t c = node.first_child; c < node.first_child + node.child_count; ++c) {
      if (has_parent[c]) refuse(c, "is the child of two nodes");
      has_parent[c] = true;
    }
  }
  for (std::size_t i = 1; i < count; ++i)
    if (!has_parent[i]) refuse(i, "is not the child of any node");
}

/// Rejects the tree of another mesh, which would otherwise go unnoticed. Builders leave room for rounding; this check
/// requires a little less.
void check_root(const SphereTree& tree, const Mesh& mesh) {
  const BoundingSphere& root = tree.nodes.front().sphere;
  const double slack = 1e-12 * (root.radius + root.center.cwiseAbs().maxCoeff());
  for (const Index3& triangle : mesh.triangles()) {
    for (const std::uint32_t v : triangle) {
      if (geometry::safe_norm(Vector3(mesh.vertices()[v] - root.center)) > root.radius + slack) {
        throw Error("sphere body: vertex " + std::to_string(v) +
                    " of the mesh is not in the root's sphere; give the mesh that the tree was built from");
      }
    }
  }
}

std::vector<std::array<Vector3, 6>> ends_of_parts(const Mesh& mesh) {
  geometry::DisjointSets parts(mesh.vertices().size());
  for (const Index3& t : mesh.triangles()) {
    parts.join(t[0], t[1]);
    parts.join(t[0], t[2]);
  }
  std::vector<std::uint32_t> number(mesh.vertices().size(), SphereBody::none);
  std::vector<std::array<Vector3, 6>> ends;
  for (const Index3& t : mesh.triangles()) {
    for (const std::uint32_t v : t) {
      const Vector3& point = mesh.vertices()[v];
      std::uint32_t& part = number[parts.root(v)];
      if (part == SphereBody::none) {
        part = static_cast<std::uint32_t>(ends.size());
        ends.emplace_back().fill(point);
      }
      for (int i = 0; i < 3; ++i) {
        Vector3 &low = ends[part][static_cast<std::size_t>(2 * i)],
                &high = ends[part][static_cast<std::size_t>(2 * i + 1)];
        if (point[i] < low[i]) low = point;
        if (point[i] > high[i]) high = point;
      }
    }
  }
  return ends;
}

}  // namespace

SphereBody::SphereBody(const SphereTree& tree, const Mesh& mesh, const SphereBodyOptions& options) {
  check_threads("sphere body", options.threads);
  if (tree.nodes.empty()) throw Error("sphere body: the tree has no nodes; build it first");
  if (tree.nodes.size() >= none) throw Error("sphere body: more spheres than can be numbered; build a smaller tree");
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (const char* fault = shapes::fault_of(tree.nodes[i].sphere)) refuse(i, fault);
  check_children(tree);
  auto storage = std::make_shared<Storage>(mesh.solid());
  check_root(tree, storage->mesh);

  const std::size_t count = tree.nodes.size();
  std::vector<Vector3> centers(count);
  for (std::size_t i = 0; i < count; ++i)
    centers[i] = tree.nodes[i].sphere.center;
  std::vector<Distance> heights(count);
  signed_distance(storage->mesh, centers, {.threads = options.threads}, heights);

  for (std::size_t i = 0; i < count; ++i) {
    const SphereTreeNode& node = tree.nodes[i];
    const auto& [center, radius] = node.sphere;
    storage->x.push_back(center[0]);
    storage->y.push_back(center[1]);
    storage->z.push_back(center[2]);
    storage->radius.push_back(radius);
    storage->height.push_back(heights[i].upper);
    storage->protrusion.push_back(spheres::protrusion(radius, heights[i].upper));
    storage->foot.push_back(heights[i].point_a);
    storage->first_child.push_back(node.first_child);
    storage->child_count.push_back(node.child_count);
    storage->size = std::max(storage->size, center.cwiseAbs().maxCoeff() + radius + std::abs(heights[i].upper));
  }
  for (std::vector<double>* row : {&storage->x, &storage->y, &storage->z, &storage->radius, &storage->height})
    row->resize(count + Storage::lane_padding);
  const Aabb box = storage->mesh.bounds();
  storage->size = std::max({storage->size, box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff()});
  storage->ends = ends_of_parts(storage->mesh);
  storage_ = std::move(storage);
}

}  // namespace whisker
