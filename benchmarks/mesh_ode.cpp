// ODE's side of the suite `mesh`: its trees of AABBs (OPCODE).

#include "mesh.hpp"

#ifdef WHISKER_BENCH_ODE
#include <ode/ode.h>

#include "ode_session.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_ODE

namespace {

/// One mesh as two geometries.
struct Copies {
  std::vector<dReal> vertices;
  std::vector<dTriIndex> corners;
  dTriMeshDataID data = nullptr;
  dGeomID a = nullptr, b = nullptr;

  explicit Copies(const MeshData& mesh) {
    start_ode();
    for (const Vector3& v : mesh.vertices)
      vertices.insert(vertices.end(), {v[0], v[1], v[2]});
    for (const Index3& t : mesh.triangles)
      corners.insert(corners.end(), {t[0], t[1], t[2]});
    data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data, vertices.data(), 3 * sizeof(dReal), static_cast<int>(mesh.vertices.size()),
                                corners.data(), static_cast<int>(corners.size()), 3 * sizeof(dTriIndex));
    a = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr);
    b = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr);
  }
  ~Copies() {
    dGeomDestroy(a);
    dGeomDestroy(b);
    dGeomTriMeshDataDestroy(data);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
};

void put(dGeomID geometry, const Pose& pose) {
  dMatrix3 rotation{};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      rotation[4 * row + column] = pose.rotation()(row, column);
  dGeomSetRotation(geometry, rotation);
  dGeomSetPosition(geometry, pose.translation()[0], pose.translation()[1], pose.translation()[2]);
}

}  // namespace

std::function<void()> ode_touch(const MeshData& data, std::span<const PosePair> poses,
                                std::vector<std::uint8_t>& answers) {
  return [copies = std::make_shared<Copies>(data), poses, &answers] {
    // One arbitrary contact: the fastest setting for a yes or no.
    const int flags = static_cast<int>(CONTACTS_UNIMPORTANT | 1u);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      put(copies->a, poses[i].a);
      put(copies->b, poses[i].b);
      dContactGeom contact;
      answers[i] = dCollide(copies->a, copies->b, flags, &contact, sizeof contact) > 0 ? 1 : 0;
    }
  };
}

std::function<void()> ode_build(const MeshData& data) {
  return [&data] { Copies{data}; };
}

#else

std::function<void()> ode_touch(const MeshData&, std::span<const PosePair>, std::vector<std::uint8_t>&) {
  return {};
}
std::function<void()> ode_build(const MeshData&) {
  return {};
}

#endif

}  // namespace whisker::bench
