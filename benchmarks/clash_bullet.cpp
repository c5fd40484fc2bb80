// Bullet's side of the suite `clash`, in double: its collision world with GImpact, its algorithm for two concave
// meshes.

#include "clash.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <algorithm>
#include <memory>

#include "bullet_shapes.hpp"
#include "harness.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

bool has_bullet() {
  return true;
}

ClashAnswer bullet_clash(const ClashScene& scene, double max_seconds) {
  ClashAnswer answer;
  const std::size_t before = bytes_in_use();
  double begin = wall_seconds();
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
  btDbvtBroadphase broad_phase;
  btCollisionWorld world(&dispatcher, &broad_phase, &configuration);
  std::vector<std::unique_ptr<GImpactMesh>> meshes;
  for (const MeshData& mesh : scene.meshes)
    meshes.push_back(std::make_unique<GImpactMesh>(mesh));
  std::vector<std::unique_ptr<btCollisionObject>> objects;
  for (std::size_t i = 0; i < scene.mesh_of.size(); ++i) {
    auto object = std::make_unique<btCollisionObject>();
    object->setCollisionShape(meshes[scene.mesh_of[i]]->shape.get());
    object->setWorldTransform(to_bullet(scene.poses[i]));
    object->setUserIndex(static_cast<int>(i));
    world.addCollisionObject(object.get());
    objects.push_back(std::move(object));
  }
  answer.build_seconds = wall_seconds() - begin;
  answer.build_bytes = bytes_in_use() - before;
  begin = wall_seconds();
  const double processor_begin = process_seconds();
  world.updateAabbs();
  world.computeOverlappingPairs();
  const btBroadphasePairArray& pairs = broad_phase.getOverlappingPairCache()->getOverlappingPairArray();
  for (int i = 0; i < pairs.size(); ++i) {
    if (process_seconds() - processor_begin > max_seconds) {
      answer.ended = false;
      break;
    }
    auto* a = static_cast<btCollisionObject*>(pairs[i].m_pProxy0->m_clientObject);
    auto* b = static_cast<btCollisionObject*>(pairs[i].m_pProxy1->m_clientObject);
    const btCollisionObjectWrapper of_a(nullptr, a->getCollisionShape(), a, a->getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper of_b(nullptr, b->getCollisionShape(), b, b->getWorldTransform(), -1, -1);
    btCollisionAlgorithm* algorithm = dispatcher.findAlgorithm(&of_a, &of_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    Counter counter(&of_a, &of_b);
    counter.m_closestPointDistanceThreshold = 0;
    algorithm->processCollision(&of_a, &of_b, btDispatcherInfo(), &counter);
    algorithm->~btCollisionAlgorithm();
    dispatcher.freeCollisionAlgorithm(algorithm);
    ++answer.pairs;
    if (counter.count == 0) continue;
    const auto x = static_cast<std::uint32_t>(a->getUserIndex()), y = static_cast<std::uint32_t>(b->getUserIndex());
    answer.touching.push_back({std::min(x, y), std::max(x, y)});
    answer.contacts += counter.count;
  }
  answer.check_seconds = wall_seconds() - begin;
  std::sort(answer.touching.begin(), answer.touching.end());
  for (const auto& object : objects)
    world.removeCollisionObject(object.get());
  return answer;
}

#else

bool has_bullet() {
  return false;
}
ClashAnswer bullet_clash(const ClashScene&, double) {
  return {};
}

#endif

}  // namespace whisker::bench
