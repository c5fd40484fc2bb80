#pragma once

// Bullet shapes and helpers that several suites share, in double.

#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

namespace whisker::bench {

inline btTransform to_bullet(const Pose& pose) {
  const Matrix3& r = pose.rotation();
  const btMatrix3x3 rotation(r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2));
  return btTransform(rotation, btVector3(pose.translation()[0], pose.translation()[1], pose.translation()[2]));
}

/// A mesh without margin. Its tree is built on construction.
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

/// Counts contact points where a simulation would store them.
struct Counter : btManifoldResult {
  using btManifoldResult::btManifoldResult;
  std::size_t count = 0;
  void addContactPoint(const btVector3&, const btVector3&, btScalar depth) override { count += depth <= 0 ? 1u : 0u; }
};

}  // namespace whisker::bench
