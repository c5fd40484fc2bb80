// Bullet's side of the suite `mesh`: GImpact, its algorithm for two concave meshes, in double.

#include "mesh.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

btTransform to_bullet(const Pose& pose) {
  const Matrix3& r = pose.rotation;
  const btMatrix3x3 rotation(r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2));
  return btTransform(rotation, btVector3(pose.translation[0], pose.translation[1], pose.translation[2]));
}

/// A mesh without margin; its tree is built at once.
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

/// Counts contact points where a simulation would keep them.
struct Counter : btManifoldResult {
  using btManifoldResult::btManifoldResult;
  std::size_t count = 0;
  void addContactPoint(const btVector3&, const btVector3&, btScalar depth) override { count += depth <= 0 ? 1u : 0u; }
};

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
