// Bullet's collision algorithms in the suite `simple`: what its world calls for a pair, among them closed forms for
// spheres, capsules, boxes, and half-spaces. Called directly, without a world.

#include "simple.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>

#include "simple_bullet.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

/// Keeps the least distance of the contact points, where a simulation would store them.
struct Least : btManifoldResult {
  using btManifoldResult::btManifoldResult;
  double least = 1e30;
  void addContactPoint(const btVector3&, const btVector3&, btScalar distance) override {
    least = std::min(least, distance);
  }
};

/// The objects of all inputs, and the algorithm for their kinds.
struct Scene {
  BulletInputs inputs;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  std::vector<std::unique_ptr<btCollisionObject>> a, b;
  btPersistentManifold* manifold = nullptr;
  btCollisionAlgorithm* algorithm = nullptr;

  explicit Scene(const SimpleRow& row) : inputs(row) {
    for (const BulletInputs::Input& in : inputs.inputs) {
      for (auto* objects : {&a, &b}) {
        objects->push_back(std::make_unique<btCollisionObject>());
        objects->back()->setCollisionShape(objects == &a ? in.a.get() : in.b.get());
        objects->back()->setWorldTransform(objects == &a ? in.pose_a : in.pose_b);
      }
    }
    manifold = dispatcher.getNewManifold(a[0].get(), b[0].get());
    const btCollisionObjectWrapper first = wrap(a[0].get()), second = wrap(b[0].get());
    algorithm = dispatcher.findAlgorithm(
        &first, &second, manifold,
        row.question == Question::distance ? BT_CLOSEST_POINT_ALGORITHMS : BT_CONTACT_POINT_ALGORITHMS);
  }
  ~Scene() {
    algorithm->~btCollisionAlgorithm();
    dispatcher.freeCollisionAlgorithm(algorithm);
    dispatcher.releaseManifold(manifold);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  static btCollisionObjectWrapper wrap(const btCollisionObject* object) {
    return {nullptr, object->getCollisionShape(), object, object->getWorldTransform(), -1, -1};
  }

  double least_distance(std::size_t i, double limit) {
    const btCollisionObjectWrapper first = wrap(a[i].get()), second = wrap(b[i].get());
    Least result(&first, &second);
    result.m_closestPointDistanceThreshold = limit;
    algorithm->processCollision(&first, &second, {}, &result);
    return result.least;
  }
};

}  // namespace

Entries bullet_algorithm_entries(const SimpleRow& row, Answers& answers) {
  const bool sides = row.a == ShapeKind::half_space && row.b == ShapeKind::half_space;
  if (sides) return {};
  return {{"its collision algorithm", [scene = std::make_shared<Scene>(row), &answers, question = row.question] {
             const double limit = question == Question::distance ? 100 : 0;
             for (std::size_t i = 0; i < answers.size(); ++i) {
               const double least = scene->least_distance(i, limit);
               answers[i] = question == Question::touches    ? (least <= 0 ? 1 : 0)
                            : question == Question::distance ? least
                                                             : -least;
             }
           }}};
}

#else

Entries bullet_algorithm_entries(const SimpleRow&, Answers&) {
  return {};
}

#endif

}  // namespace whisker::bench
