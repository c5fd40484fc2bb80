// Bullet's side of the suite `world`, in double: its tree of boxes and its sweep and prune.

#include "world.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <LinearMath/btAabbUtil2.h>
#include <btBulletCollisionCommon.h>
#include <memory>
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

btVector3 to_bullet(const Vector3& v) {
  return btVector3(v[0], v[1], v[2]);
}

/// A broad phase and the objects that it needs.
struct Boxes {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  std::unique_ptr<btBroadphaseInterface> broad_phase;
  std::vector<btBroadphaseProxy*> movers;

  void fill(const BoxScene& scene) {
    std::vector<btBroadphaseProxy*> all;
    for (const Aabb& box : scene.boxes) {
      all.push_back(broad_phase->createProxy(to_bullet(box.lower), to_bullet(box.upper), BOX_SHAPE_PROXYTYPE, this,
                                             btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter,
                                             &dispatcher));
      // Before this call, Bullet's sweep and prune does not store the box itself.
      broad_phase->setAabb(all.back(), to_bullet(box.lower), to_bullet(box.upper), &dispatcher);
    }
    for (const std::uint32_t i : scene.movers)
      movers.push_back(all[i]);
    broad_phase->calculateOverlappingPairs(&dispatcher);
  }
  void step(std::span<const Aabb> boxes) {
    for (std::size_t i = 0; i < movers.size(); ++i)
      broad_phase->setAabb(movers[i], to_bullet(boxes[i].lower), to_bullet(boxes[i].upper), &dispatcher);
    broad_phase->calculateOverlappingPairs(&dispatcher);
  }
  /// The overlapping pairs among those that Bullet stores, which are pairs of slightly enlarged boxes.
  std::size_t pairs() {
    std::size_t count = 0;
    const btBroadphasePairArray& kept = broad_phase->getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < kept.size(); ++i) {
      const btBroadphaseProxy &a = *kept[i].m_pProxy0, &b = *kept[i].m_pProxy1;
      count += TestAabbAgainstAabb2(a.m_aabbMin, a.m_aabbMax, b.m_aabbMin, b.m_aabbMax) ? 1u : 0u;
    }
    return count;
  }
};

BoxSystem system_of(std::string name, std::shared_ptr<Boxes> boxes) {
  return {std::move(name), [boxes](std::span<const Aabb> next) { boxes->step(next); },
          [boxes] { return boxes->pairs(); }};
}

std::shared_ptr<Boxes> tree(const BoxScene& scene, bool deferred) {
  auto result = std::make_shared<Boxes>();
  auto broad_phase = std::make_unique<btDbvtBroadphase>();
  broad_phase->m_deferedcollide = deferred;
  result->broad_phase = std::move(broad_phase);
  result->fill(scene);
  return result;
}

}  // namespace

std::vector<BoxSystem> bullet_box_systems(const BoxScene& scene) {
  std::vector<BoxSystem> result;
  if (scene.boxes.size() > 100'000) return result;
  result.push_back(system_of("Bullet/dbvt", tree(scene, false)));
  // Either the moved boxes are tested against the others one by one, or the tree is tested once against itself.
  if (scene.boxes.size() <= 10'000) result.push_back(system_of("Bullet/dbvt-deferred", tree(scene, true)));
  // It adds boxes one by one to sorted lists, each in linear time. Moving boxes far is equally slow.
  if (scene.boxes.size() <= 10'000 && scene.is_coherent) {
    auto boxes = std::make_shared<Boxes>();
    const Vector3 margin = 0.01 * (scene.bounds.upper - scene.bounds.lower);
    boxes->broad_phase = std::make_unique<bt32BitAxisSweep3>(
        to_bullet(scene.bounds.lower - margin), to_bullet(scene.bounds.upper + margin),
        static_cast<unsigned>(scene.boxes.size() + 2), nullptr, true);
    boxes->fill(scene);
    result.push_back(system_of("Bullet/axis-sweep", boxes));
  }
  return result;
}

#else

std::vector<BoxSystem> bullet_box_systems(const BoxScene&) {
  return {};
}

#endif

}  // namespace whisker::bench
