// The suite `contacts`: contact manifolds of many bodies, frame by frame.

#include "contacts.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <tbb/task_arena.h>
#include <thread>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>
#include <whisker/world.hpp>

#include "near_poses.hpp"

namespace whisker::bench {
namespace {

constexpr std::size_t hull_count = 2000;
constexpr int cells = 64;  // of the ground, along each side; each is 1 wide
constexpr int frame_count = 16;
constexpr double overlap = 0.01;

/// The normal of the ground at (x, y), upward.
Vector3 normal_at(const Shape& ground, double x, double y) {
  const std::optional<RayHit> hit = cast_ray({{x, y, 100}, {0, 0, -1}}, ground);
  return hit ? Vector3(hit->normal * (hit->normal.z() < 0 ? -1 : 1)) : Vector3(Vector3::UnitZ());
}

/// Lowers a hull until it overlaps the ground by a little.
Pose rest(const Shape& hull, Pose pose, const Shape& ground) {
  Vector3 at(pose.translation().x(), pose.translation().y(), 20);
  double gap = std::numeric_limits<double>::infinity();
  while (gap > 1e-6) {
    pose.set_translation(at);
    gap = distance({hull, pose}, ground).lower;
    at.z() -= gap;  // never below the first contact
  }
  at.z() -= overlap;
  pose.set_translation(at);
  return pose;
}

/// Hulls on a grid, each lying on one of its faces. `size` is their radius; from 0.7 on they touch their neighbors.
ContactScene make_scene(std::string name, double size) {
  ContactScene scene;
  scene.name = std::move(name);
  scene.margin = 0.01;
  scene.ground = make::terrain({.columns = cells, .rows = cells, .size_x = cells, .size_y = cells, .height = 1});
  const Shape ground = Mesh(scene.ground);
  std::vector<Shape> shapes;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const MeshData data = make::random_hull(
        {.points = 32, .radius_x = size, .radius_y = 0.9 * size, .radius_z = 0.7 * size, .seed = seed});
    scene.kinds.emplace_back(data.vertices);
    shapes.emplace_back(scene.kinds.back());
  }
  std::mt19937_64 random(7);
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(hull_count))));
  const double step = (cells - 2.0) / static_cast<double>(side);
  std::vector<Vector3> velocities;
  std::vector<Matrix3> turns;
  scene.frames.resize(frame_count);
  for (std::size_t i = 0; i < hull_count; ++i) {
    const std::size_t kind = i % scene.kinds.size();
    scene.kind_of.push_back(static_cast<std::uint32_t>(kind));
    const double x = (static_cast<double>(i % side) + 0.5) * step - (cells / 2.0 - 1);
    const double y = (static_cast<double>(i / side) + 0.5) * step - (cells / 2.0 - 1);
    const auto planes = scene.kinds[kind].planes();
    const Vector3 down =
        planes[static_cast<std::size_t>(uniform(random, 0, 1) * 0.999 * static_cast<double>(planes.size()))].normal;
    const Vector3 up = normal_at(ground, x, y);
    const Matrix3 turn = Eigen::Quaterniond::FromTwoVectors(down, -up).toRotationMatrix();
    const Matrix3 spin = Eigen::AngleAxisd(uniform(random, 0, 6.28), up).toRotationMatrix();
    const Matrix3 rotation = Eigen::Quaterniond(Matrix3(spin * turn)).normalized().toRotationMatrix();
    const Vector3 velocity(uniform(random, -0.002, 0.002), uniform(random, -0.002, 0.002), 0);
    const Matrix3 small = Eigen::AngleAxisd(uniform(random, 0, 0.002), up).toRotationMatrix();
    Pose pose = rest(shapes[kind], Pose(rotation, Vector3(x, y, 0)), ground);
    for (std::vector<Pose>& frame : scene.frames) {
      frame.push_back(pose);
      const Vector3 slide = velocity - up * up.dot(velocity);
      pose = Pose(Eigen::Quaterniond(Matrix3(small * pose.rotation())).normalized().toRotationMatrix(),
                  pose.translation() + slide);
    }
  }
  return scene;
}

struct ContactWorld {
  World world;
  std::vector<BodyId> hulls;
  BodyId ground;
  tbb::task_arena arena;
  double margin;
  std::span<const PairManifold> found;

  /// `threads`: 0 for all cores.
  ContactWorld(const ContactScene& scene, int threads)
      : world({.tests_shapes = false}),
        arena(threads > 0 ? threads : tbb::task_arena::automatic),
        margin(scene.margin) {
    ground = world.add(Mesh(scene.ground), {}, {.is_static = true, .margin = margin / 2});
    for (std::size_t i = 0; i < scene.kind_of.size(); ++i)
      hulls.push_back(world.add(scene.kinds[scene.kind_of[i]], scene.frames[0][i], {.margin = margin / 2}));
  }
  void step(std::span<const Pose> poses) {
    arena.execute([&] {
      world.move(hulls, poses);
      world.update();
      found = world.manifolds({.margin = margin});
    });
  }
  ContactCount count() const {
    ContactCount result;
    std::set<WorldPair> on_ground, among;
    for (const PairManifold& m : found) {
      result.points += m.manifold.count;
      for (const ManifoldPoint& p : m.manifold.points())
        if (p.gap <= 0) (m.pair.a == ground || m.pair.b == ground ? on_ground : among).insert(m.pair);
    }
    result.grounded = on_ground.size();
    result.pairs = among.size();
    return result;
  }
};

/// The number of pairs of a hull and a triangle whose boxes, and which themselves, are within the margin of each other.
std::pair<std::size_t, std::size_t> near_triangles(const ContactScene& scene) {
  std::vector<Aabb> boxes;
  std::size_t by_box = 0, near = 0;
  const auto corner = [&](const Index3& t, int k) { return scene.ground.vertices[t[static_cast<std::size_t>(k)]]; };
  for (const Index3& t : scene.ground.triangles) {
    Aabb box{corner(t, 0), corner(t, 0)};
    for (int k = 1; k < 3; ++k) {
      box.lower = box.lower.cwiseMin(corner(t, k));
      box.upper = box.upper.cwiseMax(corner(t, k));
    }
    boxes.push_back(box);
  }
  for (std::size_t i = 0; i < scene.kind_of.size(); ++i) {
    const Shape hull = scene.kinds[scene.kind_of[i]];
    const Placed placed(hull, scene.frames[0][i]);
    const Aabb around = hull.bounds(scene.frames[0][i]);
    for (std::size_t t = 0; t < boxes.size(); ++t) {
      if (((boxes[t].lower - around.upper).array() > scene.margin).any() ||
          ((around.lower - boxes[t].upper).array() > scene.margin).any())
        continue;
      ++by_box;
      const Index3& at = scene.ground.triangles[t];
      const Shape triangle = Triangle{corner(at, 0), corner(at, 1), corner(at, 2)};
      near += distance(placed, triangle).upper <= scene.margin ? 1u : 0u;
    }
  }
  return {by_box, near};
}

/// Plays frames forward and backward.
class Player {
 public:
  explicit Player(const ContactScene& scene) : scene_(scene) {}
  std::span<const Pose> next() {
    at_ = (at_ + 1) % (2 * scene_.frames.size() - 2);
    return scene_.frames[at_ < scene_.frames.size() ? at_ : 2 * scene_.frames.size() - 2 - at_];
  }

 private:
  const ContactScene& scene_;
  std::size_t at_ = 0;
};

void bench_scene(Suite& suite, const ContactScene& scene) {
  std::vector<ContactSystem> all;
  const auto add = [&](const char* name, int threads) {
    auto world = std::make_shared<ContactWorld>(scene, threads);
    all.push_back({name, [world](std::span<const Pose> poses) { world->step(poses); },
                   [world] { return world->count(); }, threads != 1});
  };
  add("whisker", 1);
  const unsigned cores = std::thread::hardware_concurrency();
  if (cores >= 2) add("whisker/2-threads", 2);
  if (cores > 2) add("whisker/threads", 0);
  for (ContactSystem& system : bullet_contact_systems(scene))
    all.push_back(std::move(system));
  std::vector<System> systems;
  std::vector<ContactCount> counts(all.size());
  for (std::size_t s = 0; s < all.size(); ++s) {
    systems.push_back({all[s].name, [player = Player(scene), step = all[s].step]() mutable { step(player.next()); },
                       [&scene, &counts, s, step = all[s].step, count = all[s].count] {
                         step(scene.frames[0]);
                         counts[s] = count();
                         return counts[s].points;
                       },
                       all[s].by_wall});
  }
  suite.measure({.name = scene.name, .calls = 1, .hit_rate = false, .seconds = suite.quick() ? 4.0 : 25.0}, systems);
  if (std::getenv("WHISKER_BENCH_COUNT") != nullptr) return;
  const auto [by_box, near] = near_triangles(scene);
  suite.note("pairs of a hull and a triangle within the margin: " + std::to_string(by_box) + " by their boxes, " +
             std::to_string(near) + " by their distance");
  for (std::size_t s = 0; s < systems.size(); ++s) {
    suite.note(all[s].name + ": " + std::to_string(counts[s].points) + " points, " +
               std::to_string(counts[s].grounded) + " hulls touch the ground, " + std::to_string(counts[s].pairs) +
               " pairs of hulls touch");
  }
  // The truth, pair by pair.
  const Shape ground = Mesh(scene.ground);
  std::size_t grounded = 0;
  for (std::size_t i = 0; i < scene.kind_of.size(); ++i)
    grounded += touches(Placed(scene.kinds[scene.kind_of[i]], scene.frames[0][i]), ground) ? 1u : 0u;
  if (counts[0].grounded != grounded)
    suite.fail("whisker has " + std::to_string(counts[0].grounded) + " hulls on the ground; touches() has " +
               std::to_string(grounded));
}

}  // namespace
}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("contacts", argc, argv);
  if (suite.usage_error()) return 2;
  std::printf("system, median time per frame, time over the first system's, contact points in frame 0\n");
  if (suite.wants("manifolds/2000-hulls-mesh")) bench_scene(suite, make_scene("manifolds/2000-hulls-mesh", 0.65));
  if (suite.wants("manifolds/2000-hulls-crowd")) bench_scene(suite, make_scene("manifolds/2000-hulls-crowd", 0.85));
  return suite.finish();
}
