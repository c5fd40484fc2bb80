// Bullet's side of the suite `mesh`: GImpact, its algorithm for two concave meshes, in double.

#include "mesh.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>

#include "bullet_shapes.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

struct World {
  GImpactMesh mesh;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btCollisionObject a, b;
  btCollisionAlgorithm* algorithm = nullptr;

  explicit World(const MeshData& data) : mesh(data) {
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    a.setCollisionShape(mesh.shape.get());
    b.setCollisionShape(mesh.shape.get());
    const btCollisionObjectWrapper of_a(nullptr, mesh.shape.get(), &a, a.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper of_b(nullptr, mesh.shape.get(), &b, b.getWorldTransform(), -1, -1);
    algorithm = dispatcher.findAlgorithm(&of_a, &of_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  }
  ~World() {
    algorithm->~btCollisionAlgorithm();
    dispatcher.freeCollisionAlgorithm(algorithm);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::size_t contact_points(const btTransform& pose_a, const btTransform& pose_b) {
    a.setWorldTransform(pose_a);
    b.setWorldTransform(pose_b);
    const btCollisionObjectWrapper of_a(nullptr, mesh.shape.get(), &a, a.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper of_b(nullptr, mesh.shape.get(), &b, b.getWorldTransform(), -1, -1);
    Counter counter(&of_a, &of_b);
    counter.m_closestPointDistanceThreshold = 0;
    algorithm->processCollision(&of_a, &of_b, btDispatcherInfo(), &counter);
    return counter.count;
  }
};

}  // namespace

std::function<void()> bullet_touch(const MeshData& data, std::span<const PosePair> poses,
                                   std::vector<std::uint8_t>& answers) {
  std::vector<std::pair<btTransform, btTransform>> transforms;
  for (const PosePair& pair : poses)
    transforms.emplace_back(to_bullet(pair.a), to_bullet(pair.b));
  return [world = std::make_shared<World>(data), transforms = std::move(transforms), &answers] {
    for (std::size_t i = 0; i < transforms.size(); ++i)
      answers[i] = world->contact_points(transforms[i].first, transforms[i].second) > 0 ? 1 : 0;
  };
}

std::function<void()> bullet_build(const MeshData& data) {
  return [&data] { GImpactMesh{data}; };
}

#else

std::function<void()> bullet_touch(const MeshData&, std::span<const PosePair>, std::vector<std::uint8_t>&) {
  return {};
}
std::function<void()> bullet_build(const MeshData&) {
  return {};
}

#endif

}  // namespace whisker::bench
