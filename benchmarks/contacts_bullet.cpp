// Bullet's side of the suite `contacts`, in double: its collision world, with its persistent manifolds.

#include "contacts.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <memory>

#include "bullet_shapes.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

struct BulletContacts {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btCollisionWorld world{&dispatcher, &broad_phase, &configuration};
  std::unique_ptr<btTriangleIndexVertexArray> triangles;
  std::unique_ptr<btBvhTriangleMeshShape> mesh;
  btCollisionObject ground;
  std::vector<std::unique_ptr<btConvexHullShape>> kinds;
  std::vector<std::unique_ptr<btCollisionObject>> hulls;
  std::vector<double> vertices;
  std::vector<int> corners;

  BulletContacts(const ContactScene& scene, bool clips) {
    for (const Vector3& v : scene.ground.vertices)
      vertices.insert(vertices.end(), {v[0], v[1], v[2]});
    for (const Index3& t : scene.ground.triangles)
      for (const std::uint32_t corner : t)
        corners.push_back(static_cast<int>(corner));
    btIndexedMesh part;
    part.m_numTriangles = static_cast<int>(scene.ground.triangles.size());
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(corners.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = static_cast<int>(scene.ground.vertices.size());
    part.m_vertexBase = reinterpret_cast<const unsigned char*>(vertices.data());
    part.m_vertexStride = 3 * sizeof(double);
    part.m_vertexType = PHY_DOUBLE;
    triangles = std::make_unique<btTriangleIndexVertexArray>();
    triangles->addIndexedMesh(part, PHY_INTEGER);
    mesh = std::make_unique<btBvhTriangleMeshShape>(triangles.get(), true);
    mesh->setMargin(0);
    ground.setCollisionShape(mesh.get());
    ground.setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
    world.addCollisionObject(&ground, btBroadphaseProxy::StaticFilter,
                             btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter);
    for (const ConvexHull& hull : scene.kinds) {
      auto shape = std::make_unique<btConvexHullShape>();
      for (const Vector3& v : hull.vertices())
        shape->addPoint(btVector3(v[0], v[1], v[2]), false);
      shape->recalcLocalAabb();
      shape->setMargin(0);
      if (clips) shape->initializePolyhedralFeatures();
      kinds.push_back(std::move(shape));
    }
    for (std::size_t i = 0; i < scene.kind_of.size(); ++i) {
      auto object = std::make_unique<btCollisionObject>();
      object->setCollisionShape(kinds[scene.kind_of[i]].get());
      object->setWorldTransform(to_bullet(scene.frames[0][i]));
      object->setContactProcessingThreshold(scene.margin);
      world.addCollisionObject(object.get());
      hulls.push_back(std::move(object));
    }
    world.setForceUpdateAllAabbs(false);
    gContactBreakingThreshold = scene.margin;
  }
  ~BulletContacts() {
    for (const auto& hull : hulls)
      world.removeCollisionObject(hull.get());
    world.removeCollisionObject(&ground);
  }

  void step(std::span<const Pose> poses) {
    for (std::size_t i = 0; i < hulls.size(); ++i)
      hulls[i]->setWorldTransform(to_bullet(poses[i]));
    world.performDiscreteCollisionDetection();
  }
  ContactCount count() {
    ContactCount result;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
      const btPersistentManifold& m = *dispatcher.getManifoldByIndexInternal(i);
      result.points += static_cast<std::size_t>(m.getNumContacts());
      bool touches = false;
      for (int k = 0; k < m.getNumContacts(); ++k)
        touches = touches || m.getContactPoint(k).getDistance() <= 0;
      if (!touches) continue;
      ++(m.getBody0() == &ground || m.getBody1() == &ground ? result.grounded : result.pairs);
    }
    return result;
  }
};

ContactSystem bullet_system(std::string name, const ContactScene& scene, bool clips) {
  auto contacts = std::make_shared<BulletContacts>(scene, clips);
  return {std::move(name), [contacts](std::span<const Pose> poses) { contacts->step(poses); },
          [contacts] { return contacts->count(); }};
}

}  // namespace

std::vector<ContactSystem> bullet_contact_systems(const ContactScene& scene) {
  // By default it adds one point of each triangle or hull in each frame to up to four that it keeps. With polyhedral
  // features it clips faces.
  return {bullet_system("Bullet", scene, false), bullet_system("Bullet/polyhedra", scene, true)};
}

#else

std::vector<ContactSystem> bullet_contact_systems(const ContactScene&) {
  return {};
}

#endif

}  // namespace whisker::bench
