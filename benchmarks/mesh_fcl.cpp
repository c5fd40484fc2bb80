// FCL's side of the suite `mesh`.

#include <algorithm>
#include <limits>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <fcl/narrowphase/detail/traversal/distance/mesh_distance_traversal_node.h>
#include <fcl/narrowphase/distance.h>

#include "mesh.hpp"

namespace whisker::bench {
namespace {

using Boxes = fcl::BVHModel<fcl::OBBd>;
using Swept = fcl::BVHModel<fcl::OBBRSSd>;

constexpr std::size_t all_contacts = std::numeric_limits<int>::max();

template <class Tree>
std::shared_ptr<Tree> build(const MeshData& data) {
  std::vector<fcl::Triangle> triangles;
  triangles.reserve(data.triangles.size());
  for (const Index3& t : data.triangles)
    triangles.emplace_back(t[0], t[1], t[2]);
  auto tree = std::make_shared<Tree>();
  tree->beginModel(static_cast<int>(triangles.size()), static_cast<int>(data.vertices.size()));
  tree->addSubModel(data.vertices, triangles);
  tree->endModel();
  return tree;
}

fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.rotation();
  result.translation() = pose.translation();
  return result;
}

struct TransformPair {
  fcl::Transform3d a, b;
};
using Transforms = std::vector<TransformPair, Eigen::aligned_allocator<TransformPair>>;

Transforms to_fcl(std::span<const PosePair> poses) {
  Transforms result;
  result.reserve(poses.size());
  for (const PosePair& pair : poses)
    result.push_back({to_fcl(pair.a), to_fcl(pair.b)});
  return result;
}

TriangleIds ids(const fcl::Contactd& contact) {
  return {static_cast<std::uint32_t>(contact.b1), static_cast<std::uint32_t>(contact.b2)};
}

fcl::CollisionRequestd first_only() {
  return fcl::CollisionRequestd(1, false);
}
fcl::CollisionRequestd all_of_them(bool points) {
  return fcl::CollisionRequestd(all_contacts, points);
}

Cost collision_cost(const Boxes& tree, std::span<const PosePair> poses, const fcl::CollisionRequestd& request) {
  Cost cost;
  for (const PosePair& pair : poses) {
    fcl::detail::MeshCollisionTraversalNodeOBBd node;
    fcl::CollisionResultd result;
    fcl::detail::initialize(node, tree, to_fcl(pair.a), tree, to_fcl(pair.b), request, result);
    node.enableStatistics(true);
    fcl::detail::collide(&node);
    cost.volume_tests += static_cast<std::uint64_t>(node.num_bv_tests);
    cost.primitive_tests += static_cast<std::uint64_t>(node.num_leaf_tests);
  }
  return cost;
}

template <class Tree>
std::size_t bytes(const Tree& tree) {
  using Node = std::decay_t<decltype(tree.getBV(0))>;
  return static_cast<std::size_t>(tree.getNumBVs()) * sizeof(Node) +
         static_cast<std::size_t>(tree.num_tris) * sizeof(unsigned int);
}

}  // namespace

struct FclMesh::Trees {
  std::shared_ptr<Boxes> boxes;
  std::shared_ptr<Swept> swept;
};

FclMesh::FclMesh(const MeshData& data)
    : trees_(std::make_unique<Trees>(Trees{build<Boxes>(data), build<Swept>(data)})) {}
FclMesh::~FclMesh() = default;
FclMesh::FclMesh(FclMesh&&) noexcept = default;

std::function<void()> FclMesh::touch(std::span<const PosePair> poses,
                                     std::vector<std::optional<TriangleIds>>& found) const {
  return [&tree = *trees_->boxes, transforms = to_fcl(poses), &found, result = fcl::CollisionResultd()]() mutable {
    const fcl::CollisionRequestd request = first_only();
    for (std::size_t i = 0; i < transforms.size(); ++i) {
      result.clear();
      fcl::collide<double>(&tree, transforms[i].a, &tree, transforms[i].b, request, result);
      found[i].reset();
      if (result.isCollision()) found[i] = ids(result.getContact(0));
    }
  };
}

std::function<void()> FclMesh::contacts(std::span<const PosePair> poses, bool points,
                                        std::vector<std::size_t>& counts) const {
  return [&tree = *trees_->boxes, transforms = to_fcl(poses), &counts, points,
          result = fcl::CollisionResultd()]() mutable {
    const fcl::CollisionRequestd request = all_of_them(points);
    for (std::size_t i = 0; i < transforms.size(); ++i) {
      result.clear();
      fcl::collide<double>(&tree, transforms[i].a, &tree, transforms[i].b, request, result);
      counts[i] = result.numContacts();
    }
  };
}

std::function<void()> FclMesh::distance(std::span<const PosePair> poses, std::vector<Measured>& found) const {
  return [&tree = *trees_->swept, transforms = to_fcl(poses), &found, result = fcl::DistanceResultd()]() mutable {
    const fcl::DistanceRequestd request(true);
    for (std::size_t i = 0; i < transforms.size(); ++i) {
      result.clear();
      fcl::distance<double>(&tree, transforms[i].a, &tree, transforms[i].b, request, result);
      found[i] = {std::max(result.min_distance, 0.0),
                  {static_cast<std::uint32_t>(result.b1), static_cast<std::uint32_t>(result.b2)}};
    }
  };
}

std::vector<TriangleIds> FclMesh::contact_pairs(const PosePair& poses) const {
  fcl::CollisionResultd result;
  fcl::collide<double>(trees_->boxes.get(), to_fcl(poses.a), trees_->boxes.get(), to_fcl(poses.b), all_of_them(false),
                       result);
  std::vector<TriangleIds> pairs;
  pairs.reserve(result.numContacts());
  for (std::size_t i = 0; i < result.numContacts(); ++i)
    pairs.push_back(ids(result.getContact(i)));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Cost FclMesh::touch_cost(std::span<const PosePair> poses) const {
  return collision_cost(*trees_->boxes, poses, first_only());
}

Cost FclMesh::contacts_cost(std::span<const PosePair> poses) const {
  return collision_cost(*trees_->boxes, poses, all_of_them(false));
}

Cost FclMesh::distance_cost(std::span<const PosePair> poses) const {
  Cost cost;
  for (const PosePair& pair : poses) {
    fcl::detail::MeshDistanceTraversalNodeOBBRSSd node;
    fcl::DistanceResultd result;
    fcl::detail::initialize(node, *trees_->swept, to_fcl(pair.a), *trees_->swept, to_fcl(pair.b),
                            fcl::DistanceRequestd(true), result);
    node.enableStatistics(true);
    fcl::detail::distance(&node);
    cost.volume_tests += static_cast<std::uint64_t>(node.num_bv_tests);
    cost.primitive_tests += static_cast<std::uint64_t>(node.num_leaf_tests);
  }
  return cost;
}

std::size_t FclMesh::box_tree_bytes() const {
  return bytes(*trees_->boxes);
}
std::size_t FclMesh::swept_tree_bytes() const {
  return bytes(*trees_->swept);
}

std::size_t FclMesh::build_boxes(const MeshData& data) {
  return static_cast<std::size_t>(build<Boxes>(data)->getNumBVs());
}
std::size_t FclMesh::build_swept(const MeshData& data) {
  return static_cast<std::size_t>(build<Swept>(data)->getNumBVs());
}

}  // namespace whisker::bench
