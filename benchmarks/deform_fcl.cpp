// FCL's side of the suite `deform`: a refitted tree of AABBs, traversed against itself.

#include <algorithm>

#include <fcl/math/bv/utility.h>
// The headers below need the one above.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include "deform.hpp"

namespace whisker::bench {

struct FclSelf::Parts {
  fcl::BVHModel<fcl::AABBd> model;
  fcl::CollisionResultd result;
};

FclSelf::FclSelf(const MeshData& data) : parts_(std::make_unique<Parts>()) {
  std::vector<fcl::Triangle> triangles;
  for (const Index3& t : data.triangles)
    triangles.emplace_back(t[0], t[1], t[2]);
  parts_->model.beginModel();
  parts_->model.addSubModel(data.vertices, triangles);
  parts_->model.endModel();
}
FclSelf::~FclSelf() = default;

void FclSelf::refit(const std::vector<Vector3>& vertices) {
  parts_->model.beginUpdateModel();
  parts_->model.updateSubModel(vertices);
  parts_->model.endUpdateModel(true, true);
}

void FclSelf::find() {
  fcl::CollisionRequestd request(1000000000, false);
  parts_->result.clear();
  fcl::detail::MeshCollisionTraversalNode<fcl::AABBd> node;
  node.request = request;
  node.result = &parts_->result;
  node.model1 = node.model2 = &parts_->model;
  node.vertices1 = node.vertices2 = parts_->model.vertices;
  node.tri_indices1 = node.tri_indices2 = parts_->model.tri_indices;
  fcl::detail::selfCollide<double>(&node);
}

std::size_t FclSelf::count() const {
  return parts_->result.numContacts();
}

Pairs FclSelf::pairs() const {
  Pairs pairs;
  for (std::size_t i = 0; i < parts_->result.numContacts(); ++i) {
    const auto p = static_cast<std::uint32_t>(parts_->result.getContact(i).b1),
               q = static_cast<std::uint32_t>(parts_->result.getContact(i).b2);
    if (p != q) pairs.push_back({std::min(p, q), std::max(p, q)});
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace whisker::bench
