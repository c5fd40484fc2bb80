// FCL's side of the suite `world`: its collision managers.

#include <memory>

#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>

#include "world.hpp"

namespace whisker::bench {
namespace {

using Object = fcl::CollisionObjectd;
using Manager = fcl::BroadPhaseCollisionManagerd;

bool count_pair(Object*, Object*, void* count) {
  ++*static_cast<std::size_t*>(count);
  return false;  // continue
}

struct Boxes {
  std::vector<std::unique_ptr<Object>> all;
  std::vector<Object*> movers;
  std::unique_ptr<Manager> manager;
  std::size_t found = 0;

  Boxes(const BoxScene& scene, std::unique_ptr<Manager> with) : manager(std::move(with)) {
    std::vector<Object*> objects;
    for (const Aabb& box : scene.boxes) {
      const Vector3 sides = box.upper - box.lower;
      auto object = std::make_unique<Object>(std::make_shared<fcl::Boxd>(sides));
      object->setTranslation(0.5 * (box.lower + box.upper));
      object->computeAABB();
      objects.push_back(object.get());
      all.push_back(std::move(object));
    }
    for (const std::uint32_t i : scene.movers)
      movers.push_back(objects[i]);
    manager->registerObjects(objects);
    manager->setup();
  }
  void step(std::span<const Aabb> boxes) {
    for (std::size_t i = 0; i < movers.size(); ++i) {
      movers[i]->setTranslation(0.5 * (boxes[i].lower + boxes[i].upper));
      movers[i]->computeAABB();
    }
    if (movers.size() == all.size()) {
      manager->update();
    } else {
      manager->update(movers);
    }
    found = 0;
    manager->collide(&found, count_pair);
  }
};

BoxSystem system_of(std::string name, const BoxScene& scene, std::unique_ptr<Manager> manager) {
  auto boxes = std::make_shared<Boxes>(scene, std::move(manager));
  return {std::move(name), [boxes](std::span<const Aabb> next) { boxes->step(next); },
          [boxes] { return boxes->found; }};
}

std::shared_ptr<fcl::CollisionGeometryd> to_fcl(const ConvexHull& hull) {
  auto vertices = std::make_shared<const std::vector<fcl::Vector3d>>(hull.vertices().begin(), hull.vertices().end());
  auto faces = std::make_shared<std::vector<int>>();
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    faces->push_back(static_cast<int>(hull.face(f).size()));
    for (const std::uint32_t corner : hull.face(f))
      faces->push_back(static_cast<int>(corner));
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.face_count()), faces, true);
}

std::shared_ptr<fcl::CollisionGeometryd> to_fcl(const MeshData& data) {
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBd>>();
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : data.triangles)
    triangles.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(std::vector<fcl::Vector3d>(data.vertices.begin(), data.vertices.end()), triangles);
  model->endModel();
  return model;
}

bool test_pair(Object* a, Object* b, void* count) {
  static const fcl::CollisionRequestd request(1, false);
  fcl::CollisionResultd result;
  if (fcl::collide(a, b, request, result) > 0) ++*static_cast<std::size_t*>(count);
  return false;
}

}  // namespace

std::vector<BoxSystem> fcl_box_systems(const BoxScene& scene) {
  std::vector<BoxSystem> result;
  if (scene.boxes.size() > 100'000) return result;
  result.push_back(system_of("FCL/tree", scene, std::make_unique<fcl::DynamicAABBTreeCollisionManagerd>()));
  if (scene.boxes.size() <= 1'000)
    result.push_back(system_of("FCL/sweep-and-prune", scene, std::make_unique<fcl::SaPCollisionManagerd>()));
  return result;
}

BodySystem fcl_body_system(const BodyScene& scene) {
  struct Bodies {
    std::vector<std::unique_ptr<Object>> objects;
    fcl::DynamicAABBTreeCollisionManagerd manager;
    std::size_t found = 0;
  };
  auto bodies = std::make_shared<Bodies>();
  std::vector<std::shared_ptr<fcl::CollisionGeometryd>> kinds;
  for (std::size_t k = 0; k < scene.kinds.size(); ++k) {
    const Shape& shape = scene.kinds[k];
    if (const auto* sphere = shape.as<Sphere>())
      kinds.push_back(std::make_shared<fcl::Sphered>(sphere->radius));
    else if (const auto* hull = shape.as<ConvexHull>())
      kinds.push_back(to_fcl(*hull));
    else
      kinds.push_back(to_fcl(scene.meshes[k]));
  }
  const auto place = [](Object& object, const Pose& pose) {
    object.setTransform(pose.rotation(), pose.translation());
    object.computeAABB();
  };
  std::vector<Object*> objects;
  for (std::size_t i = 0; i < scene.kind_of.size(); ++i) {
    bodies->objects.push_back(std::make_unique<Object>(kinds[scene.kind_of[i]]));
    place(*bodies->objects.back(), scene.frames[0][i]);
    objects.push_back(bodies->objects.back().get());
  }
  bodies->manager.registerObjects(objects);
  bodies->manager.setup();
  return {"FCL",
          [bodies, place](std::span<const Pose> poses) {
            for (std::size_t i = 0; i < poses.size(); ++i)
              place(*bodies->objects[i], poses[i]);
            bodies->manager.update();
            bodies->found = 0;
            bodies->manager.collide(&bodies->found, test_pair);
          },
          [bodies] { return bodies->found; }};
}

}  // namespace whisker::bench
