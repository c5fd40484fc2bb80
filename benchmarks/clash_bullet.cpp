// Bullet's side of the suite `clash`, in double: its collision world with GImpact, which is what it has for two concave
// meshes.

#include "clash.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <algorithm>
#include <btBulletCollisionCommon.h>
#include <memory>

#include "harness.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

btTransform to_bullet(const Pose& pose) {
  const Matrix3& r = pose.rotation;
  const btMatrix3x3 rotation(r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2));
  return btTransform(rotation, btVector3(pose.translation[0], pose.translation[1], pose.translation[2]));
}

struct GImpactMesh {
  std::vector<double> vertices;
  std::vector<int> corners;
  btTriangleIndexVertexArray triangles;
  std::unique_ptr<btGImpactMeshShape> shape;

  explicit GImpactMesh(const MeshData& mesh) {
    for (const Vector3& v : mesh.vertices)
      vertices.insert(vertices.end(), {v[0], v[1], v[2]});
    for (const Index3& t : mesh.triangles)
      for (const std::uint32_t corner : t)
        corners.push_back(static_cast<int>(corner));
    btIndexedMesh part;
    part.m_numTriangles = static_cast<int>(mesh.triangles.size());
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(corners.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = static_cast<int>(mesh.vertices.size());
    part.m_vertexBase = reinterpret_cast<const unsigned char*>(vertices.data());
    part.m_vertexStride = 3 * sizeof(double);
    part.m_vertexType = PHY_DOUBLE;
    triangles.addIndexedMesh(part, PHY_INTEGER);
    shape = std::make_unique<btGImpactMeshShape>(&triangles);
    shape->setMargin(0);
    shape->updateBound();
  }
};

struct Counter : btManifoldResult {
  using btManifoldResult::btManifoldResult;
  std::size_t count = 0;
  void addContactPoint(const btVector3&, const btVector3&, btScalar depth) override { count += depth <= 0 ? 1u : 0u; }
};

}  // namespace

bool has_bullet() {
  return true;
}

ClashAnswer bullet_clash(const ClashScene& scene, double most_seconds) {
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
    if (process_seconds() - processor_begin > most_seconds) {
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
