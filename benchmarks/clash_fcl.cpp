// FCL's side of the suite `clash`, written as FCL's documentation shows it.

#include <algorithm>
#include <limits>
#include <memory>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "clash.hpp"
#include "harness.hpp"

namespace whisker::bench {
namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<Model> build(const MeshData& data) {
  std::vector<fcl::Triangle> triangles;
  triangles.reserve(data.triangles.size());
  for (const Index3& t : data.triangles)
    triangles.emplace_back(t[0], t[1], t[2]);
  auto model = std::make_shared<Model>();
  model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(data.vertices.size()));
  model->addSubModel(data.vertices, triangles);
  model->endModel();
  return model;
}

// An object whose box is enlarged on all sides, so that pairs are found before they touch.
class PaddedObject : public fcl::CollisionObjectd {
 public:
  PaddedObject(const std::shared_ptr<Model>& model, const Pose& pose, double padding, std::uint32_t number)
      : CollisionObject(model, pose.rotation(), pose.translation()), number_(number) {
    computeAABB();
    aabb.expand(fcl::Vector3d::Constant(padding));
  }
  std::uint32_t number() const { return number_; }

 private:
  std::uint32_t number_;
};

struct Job {
  ClashAnswer answer;
  double clearance;
  double begin;  // in processor time
  double max_seconds;
};

bool look_at(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
  Job& job = *static_cast<Job*>(data);
  if (process_seconds() - job.begin > job.max_seconds) {
    job.answer.ended = false;
    return true;
  }
  const std::uint32_t x = static_cast<PaddedObject*>(a)->number(), y = static_cast<PaddedObject*>(b)->number();
  const ClashPair pair{std::min(x, y), std::max(x, y)};
  fcl::CollisionResultd touching;
  fcl::collide(a, b, fcl::CollisionRequestd(std::numeric_limits<int>::max(), true), touching);
  ++job.answer.pairs;
  if (touching.isCollision()) {
    job.answer.touching.push_back(pair);
    job.answer.contacts += touching.numContacts();
    return false;
  }
  fcl::DistanceResultd apart;
  if (fcl::distance(a, b, fcl::DistanceRequestd(true), apart) < job.clearance) job.answer.too_close.push_back(pair);
  return false;
}

}  // namespace

ClashAnswer fcl_clash(const ClashScene& scene, double max_seconds) {
  Job job{{}, scene.clearance, process_seconds(), max_seconds};
  const double build_begin = wall_seconds();
  const std::size_t before = bytes_in_use();
  std::vector<std::shared_ptr<Model>> models;
  for (const MeshData& mesh : scene.meshes)
    models.push_back(build(mesh));
  std::vector<std::unique_ptr<PaddedObject>> objects;
  std::vector<fcl::CollisionObjectd*> pointers;
  for (std::uint32_t i = 0; i < scene.mesh_of.size(); ++i) {
    objects.push_back(std::make_unique<PaddedObject>(models[scene.mesh_of[i]], scene.poses[i], scene.clearance / 2, i));
    pointers.push_back(objects.back().get());
  }
  fcl::DynamicAABBTreeCollisionManagerd manager;
  manager.registerObjects(pointers);
  manager.setup();
  job.answer.build_seconds = wall_seconds() - build_begin;
  job.answer.build_bytes = bytes_in_use() - before;
  const double begin = wall_seconds();
  manager.collide(&job, look_at);
  job.answer.check_seconds = wall_seconds() - begin;
  std::sort(job.answer.touching.begin(), job.answer.touching.end());
  std::sort(job.answer.too_close.begin(), job.answer.too_close.end());
  return job.answer;
}

}  // namespace whisker::bench
