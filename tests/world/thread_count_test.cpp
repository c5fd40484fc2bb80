// The option `threads`, wherever it exists: 1, 2 and all threads give equal results, a negative number is an Error that
// names it, and with 1 nothing runs on another thread.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/methods/soup_contacts.hpp>
#include <whisker/methods/volume_tree.hpp>
#include <whisker/whisker.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using test::seeded;
using test::uniform;

/// The results as text that is equal only if every bit is.
class Digest {
 public:
  Digest& operator<<(double x) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%a ", x);
    text_ += digits.data();
    return *this;
  }
  Digest& operator<<(bool x) { return put(x ? 1 : 0); }
  Digest& operator<<(std::uint32_t x) { return put(x); }
  Digest& operator<<(std::size_t x) { return put(x); }
  Digest& operator<<(Stop x) { return put(static_cast<std::size_t>(x)); }
  Digest& operator<<(const std::string& x) {
    text_ += x;
    return *this;
  }
  Digest& operator<<(const Vector3& v) { return *this << v[0] << v[1] << v[2]; }
  Digest& operator<<(const Interval& x) { return *this << x.lower << x.upper; }
  Digest& operator<<(const Distance& d) {
    return *this << d.lower << d.upper << d.point_a << d.point_b << d.feature_a.id << d.feature_b.id << d.stop;
  }
  Digest& operator<<(const BoundingSphere& s) { return *this << s.center << s.radius; }
  Digest& operator<<(const WorldPair& pair) { return *this << pair.a.slot << pair.b.slot; }
  Digest& operator<<(const TrianglePair& pair) { return *this << pair.a << pair.b; }
  Digest& operator<<(const MeshTrianglePair& p) {
    return *this << p.mesh_a << p.triangle_a << p.mesh_b << p.triangle_b;
  }
  template <class Item>
  Digest& operator<<(const std::vector<Item>& items) {
    *this << items.size();
    for (const Item& item : items)
      *this << item;
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  Digest& put(std::size_t x) {
    text_ += std::to_string(x) + ' ';
    return *this;
  }

  std::string text_;
};

/// Something that takes a number of threads, and returns its results.
struct Entry {
  std::string name;
  std::function<Digest(int threads)> ask;
};

std::vector<Pose> poses(std::size_t count, double reach) {
  std::mt19937_64 random = seeded(9301);
  std::vector<Pose> all(count);
  for (Pose& pose : all) {
    const Vector3 axis(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, 0.1, 1));
    pose = Pose(Eigen::AngleAxisd(uniform(random, 0, 3), axis.normalized()).toRotationMatrix(),
                reach * Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)));
  }
  return all;
}

/// An array of booleans.
struct Answers {
  explicit Answers(std::size_t count) : size(count), bits(std::make_unique<bool[]>(count)) {}
  std::span<bool> span() { return {bits.get(), size}; }
  Digest digest() const {
    Digest digest;
    for (std::size_t i = 0; i < size; ++i)
      digest << bits[i];
    return digest;
  }

  std::size_t size;
  std::unique_ptr<bool[]> bits;
};

// Made before anything is called, so that an entry does only its own work.
struct Things {
  Mesh mesh = Mesh(make::torus({.around = 48, .across = 24})).solid();
  Shape torus = mesh;
  Shape hull = ConvexHull(make::random_hull({.points = 20}).vertices);
  MeshData large = make::icosphere({.subdivisions = 5});
  std::vector<Pose> places = poses(300, 1.5);
  std::vector<ShapePair> pairs;
  std::vector<Vector3> points;
  std::vector<Ray> rays;
  SphereSet spheres = SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.3, 0, 0}, {0, 0.4, 0}}, std::vector{0.2, 0.1, 0.3});
  MeshData sheet = make::cloth_sheet({.columns = 60, .rows = 60});
  DeformingMesh cloth{sheet}, other_cloth{sheet};
  std::vector<TetrahedralMesh> bodies;
  TetrahedralContacts body_contacts;
  std::vector<methods::Soup> soups;
  MeshData moved_large = large, crumpled = large;
  Mesh crumpled_mesh = Mesh(large);
  Mesh small_ball = Mesh(make::icosphere({.subdivisions = 2})).solid();
  SphereTree tree = build_sphere_tree(small_ball, {.method = SphereTreeMethod::octree, .depth = 2});
  World world;

  Things() {
    for (const Pose& pose : places) {
      pairs.push_back({&torus, &hull, Pose(), pose});
      points.push_back(pose.translation());
      rays.push_back({pose.translation(), Vector3(1, 0.2, 0.1) - pose.translation()});
    }
    std::mt19937_64 random = seeded(9302);
    std::vector<Vector3> shaken = sheet.vertices;
    for (Vector3& v : shaken)
      v += 0.05 * Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    cloth.set_vertices(shaken);
    for (Vector3& v : shaken)
      v += Vector3(0.01, 0.02, 0.003);
    other_cloth.set_vertices(shaken);
    for (Vector3& v : crumpled.vertices)
      v += 0.02 * Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    crumpled_mesh = Mesh(crumpled);
    bodies.emplace_back(make::tetrahedral_ball({.radius = 1, .subdivisions = 3}));
    TetrahedralData second = make::tetrahedral_ball({.radius = 1, .subdivisions = 3});
    for (Vector3& v : second.vertices)
      v += Vector3(0.7, 0.3, 0.1);
    bodies.emplace_back(second);
    TetrahedralContactFinder().find(bodies, body_contacts);
    for (Vector3& v : moved_large.vertices)
      v += Vector3(0.3, 0.2, 0.1);
    soups = {{large.vertices, large.triangles}, {moved_large.vertices, moved_large.triangles}};
    fill(world);
  }

  void fill(World& to) const {
    for (const Pose& pose : places)
      to.add(hull, Pose(pose.rotation(), 4 * pose.translation()));
    to.update();
  }
};

Things& things() {
  static Things all;
  return all;
}

Digest digest_of(const std::vector<VertexDepth>& depths) {
  Digest digest;
  for (const VertexDepth& d : depths)
    digest << d.mesh << d.other << d.vertex << d.depth << d.normal << d.lower;
  return digest;
}

Digest digest_of(const TetrahedralContacts& contacts) {
  Digest digest;
  for (const VertexContact& c : contacts.vertices)
    digest << c.mesh << c.other << c.vertex << c.tetrahedron;
  for (const EdgeContact& c : contacts.edges)
    digest << c.mesh << c.other << c.edge << c.face;
  return digest << contacts.stop;
}

Digest digest_of(const MeshesContacts& found) {
  Digest digest;
  digest << found.pairs << found.adjacent << found.stop;
  return digest;
}

/// Makes a world with this number of threads and runs `question` on it.
Digest of_world(int threads, const std::function<void(const World&, Digest&)>& question) {
  World world({.threads = threads});
  things().fill(world);
  Digest digest;
  question(world, digest);
  return digest;
}

std::vector<Entry> entries() {
  Things& t = things();
  std::vector<Entry> all;
  const auto add = [&](std::string name, std::function<Digest(int)> ask) {
    all.push_back({std::move(name), std::move(ask)});
  };

  for (const Split split : {Split::surface_area, Split::morton, Split::bottom_up}) {
    add("Mesh", [&t, split](int threads) {
      return Digest() << encode_saved_mesh(Mesh(t.large, {.split = split, .threads = threads}));
    });
  }
  add("VolumeTree", [&](int threads) {
    const methods::VolumeTree tree(t.large, {.kind = methods::VolumeKind::kdop14, .tree = {.threads = threads}});
    Cost cost;
    Digest digest;
    digest << triangle_contacts(tree, Pose(), tree, Pose(Vector3(0.4, 0.3, 0.2)), &cost) << cost.volume_tests;
    return digest;
  });

  // Batches.
  add("touches, poses", [&](int threads) {
    Answers answers(t.places.size());
    touches(t.torus, t.hull, t.places, {.threads = threads}, answers.span());
    return answers.digest();
  });
  add("touches, pairs", [&](int threads) {
    Answers answers(t.pairs.size());
    touches(t.pairs, {.threads = threads}, answers.span());
    return answers.digest();
  });
  add("distance, poses", [&](int threads) {
    std::vector<Distance> answers(t.places.size());
    distance(t.torus, t.hull, t.places, {.threads = threads}, answers);
    return Digest() << answers;
  });
  add("distance, pairs", [&](int threads) {
    std::vector<Distance> answers(t.pairs.size());
    distance(t.pairs, {.threads = threads}, answers);
    return Digest() << answers;
  });
  add("closer_than, poses", [&](int threads) {
    Answers answers(t.places.size());
    closer_than(t.torus, t.hull, t.places, 0.2, {.threads = threads}, answers.span());
    return answers.digest();
  });
  add("closer_than, pairs", [&](int threads) {
    Answers answers(t.pairs.size());
    closer_than(t.pairs, 0.2, {.threads = threads}, answers.span());
    return answers.digest();
  });

  // Points and rays.
  add("cast_ray", [&](int threads) {
    std::vector<std::optional<RayHit>> answers(t.rays.size());
    cast_ray(t.rays, t.torus, segment_range(), {.threads = threads}, answers);
    Digest digest;
    for (const std::optional<RayHit>& hit : answers)
      digest << (hit ? hit->t : -1);
    return digest;
  });
  add("ray_hits", [&](int threads) {
    Answers answers(t.rays.size());
    ray_hits(t.rays, t.torus, segment_range(), {.threads = threads}, answers.span());
    return answers.digest();
  });
  add("closest_point", [&](int threads) {
    std::vector<Distance> answers(t.points.size());
    closest_point(t.torus, t.points, {.threads = threads}, answers);
    Digest digest;
    for (const auto& found : answers)
      digest << found.lower << found.upper << found.point_a;
    return digest;
  });
  add("contains", [&](int threads) {
    Answers answers(t.points.size());
    contains(t.torus, t.points, {.threads = threads}, answers.span());
    return answers.digest();
  });
  add("signed_distance", [&](int threads) {
    std::vector<Distance> answers(t.points.size());
    signed_distance(t.torus, t.points, {.threads = threads}, answers);
    Digest digest;
    for (const auto& found : answers)
      digest << found.lower << found.upper << found.point_a;
    return digest;
  });
  add("winding_number", [&](int threads) {
    std::vector<WindingNumber> answers(t.points.size());
    winding_number(t.torus, t.points, {.threads = threads}, answers);
    Digest digest;
    for (const auto& found : answers)
      digest << found.lower << found.upper;
    return digest;
  });

  // Sphere sets and trees.
  add("sphere set touches", [&](int threads) {
    Answers answers(t.places.size());
    touches(t.torus, t.spheres, t.places, {.threads = threads}, answers.span());
    return answers.digest();
  });
  add("first_touching", [&](int threads) {
    std::vector<std::uint32_t> answers(t.places.size());
    first_touching(t.torus, t.spheres, t.places, {.threads = threads}, answers);
    return Digest() << answers;
  });
  add("sphere set distance", [&](int threads) {
    std::vector<Distance> answers(t.places.size());
    distance(t.torus, t.spheres, t.places, {.threads = threads}, answers);
    Digest digest;
    for (const Distance& found : answers)
      digest << found << found.feature_b.id;
    return digest;
  });
  add("clearances", [&](int threads) {
    std::vector<Interval> answers(t.places.size() * t.spheres.size());
    clearances(t.torus, t.spheres, t.places, {.threads = threads}, answers);
    return Digest() << answers;
  });
  add("build_sphere_tree", [&](int threads) {
    const SphereTree tree =
        build_sphere_tree(t.small_ball, {.depth = 2, .samples = 100, .pieces = 400, .threads = threads});
    Digest digest;
    for (const SphereTreeNode& node : tree.nodes)
      digest << node.sphere << node.protrusion;
    return digest;
  });
  add("build_sphere_set", [&](int threads) {
    const SphereSet set = build_sphere_set(t.small_ball, 20, {.samples = 100, .pieces = 400, .threads = threads});
    Digest digest;
    for (std::size_t i = 0; i < set.size(); ++i)
      digest << set.center(i) << set.radius(i);
    return digest;
  });
  add("report_level", [&](int threads) {
    const LevelReport report =
        report_level(t.tree, 2, t.small_ball, {.rays = 1024, .pieces = 2000, .threads = threads});
    Digest digest;
    digest << report.worst << report.mean << report.variance << report.wasted_volume.value << report.uncovered_area;
    return digest;
  });
  add("SphereBody", [&](int threads) {
    const SphereBody body(t.tree, t.small_ball, {.threads = threads});
    Digest digest;
    for (std::size_t i = 0; i < body.size(); ++i)
      digest << body.protrusion(i);
    return digest;
  });

  // Many bodies.
  add("World", [&](int threads) {
    return of_world(threads, [](const World& world, Digest& digest) {
      for (const WorldPair& pair : world.touching())
        digest << pair;
    });
  });
  add("World::closer_than", [&](int threads) {
    return of_world(threads, [](const World& world, Digest& digest) {
      for (const PairDistance& found : world.closer_than(0.3))
        digest << found.pair << found.distance;
    });
  });
  add("World::closer_than by its own number", [&](int threads) {
    Digest digest;
    for (const PairDistance& found : t.world.closer_than(0.3, {.threads = threads}))
      digest << found.pair << found.distance;
    return digest;
  });
  add("World::contacts", [&](int threads) {
    return of_world(threads, [](const World& world, Digest& digest) {
      for (const PairContacts& found : world.contacts())
        digest << found.pair << found.contacts.pairs.size();
    });
  });
  add("World::touching a shape", [&](int threads) {
    return of_world(threads, [](const World& world, Digest& digest) {
      for (const BodyId& id : world.touching(Sphere{4}))
        digest << id.slot;
    });
  });
  add("World::first_contacts", [&](int threads) {
    return of_world(threads, [](const World& world, Digest& digest) {
      std::vector<BodyTranslation> ways;
      for (const BodyId& id : world.bodies())
        ways.push_back({id, -0.2 * world.pose(id).translation()});
      for (const PairImpact& found : world.first_contacts(ways, {.tolerance = 1e-3}).hits)
        digest << found.pair << found.impact.time_lower << found.impact.time_upper;
    });
  });
  add("ContactSchedule", [&](int threads) {
    ContactSchedule schedule(t.world, {.threads = threads});
    Digest digest;
    for (const WorldPair& pair : schedule.advance(0))
      digest << pair;
    return digest << schedule.looked_at() << schedule.next_time();
  });

  // Deforming meshes.
  add("DeformingMesh", [&](int threads) {
    DeformingMesh mesh(t.large, {.threads = threads});
    Digest digest;
    digest << first_contacts(mesh, t.other_cloth).hits.size() << encode_saved_mesh(mesh.snapshot());
    mesh.set_vertices(t.moved_large.vertices);
    digest << encode_saved_mesh(mesh.snapshot()) << mesh.tree_growth();
    return digest;
  });
  add("self_contacts", [&](int threads) {
    const SelfContacts found = self_contacts(t.cloth, {.threads = threads});
    return Digest() << found.pairs << found.adjacent;
  });
  add("self_contacts of a mesh that was not asked before", [&](int threads) {
    const SelfContacts found = self_contacts(DeformingMesh(t.crumpled), {.by_direction = false, .threads = threads});
    return Digest() << found.pairs << found.adjacent;
  });
  add("self_contacts of a Mesh", [&](int threads) {
    const SelfContacts found = self_contacts(t.crumpled_mesh, {.threads = threads});
    return Digest() << found.pairs << found.adjacent;
  });
  add("triangle_contacts", [&](int threads) {
    const DeformingMesh* const both[] = {&t.cloth, &t.other_cloth};
    return digest_of(triangle_contacts(both, {.threads = threads}));
  });
  add("near_features", [&](int threads) {
    Digest digest;
    for (const NearPair& pair : near_features(t.cloth, t.other_cloth, 0.01, {.threads = threads}).pairs)
      digest << pair.a << pair.b << pair.lower << pair.upper << pair.normal;
    for (const NearPair& pair : near_features(t.cloth, 0.01, {.threads = threads}).pairs)
      digest << pair.a << pair.b << pair.lower << pair.upper << pair.normal;
    return digest;
  });
  add("TetrahedralMesh", [&](int threads) {
    TetrahedralMesh mesh(make::tetrahedral_box({.cells_x = 20, .cells_y = 15, .cells_z = 15}), {.threads = threads});
    std::vector<Vector3> vertices(mesh.vertices().begin(), mesh.vertices().end());
    for (Vector3& v : vertices)
      v[0] = std::abs(v[0]);
    mesh.set_vertices(vertices);
    Digest digest;
    for (const std::uint32_t i : mesh.inverted())
      digest << i;
    return digest << encode_saved_mesh(mesh.border());
  });
  add("TetrahedralContactFinder", [&](int threads) {
    TetrahedralContacts contacts;
    TetrahedralContactFinder().find(t.bodies, {.threads = threads}, contacts);
    return digest_of(contacts);
  });
  add("TetrahedralDepthFinder", [&](int threads) {
    std::vector<VertexDepth> depths;
    TetrahedralDepthFinder().find(t.bodies, t.body_contacts, {.bounds = true, .threads = threads}, depths);
    return digest_of(depths);
  });
  add("triangle_contacts of soups", [&](int threads) {
    const methods::SoupContacts found = methods::triangle_contacts(t.soups, {.threads = threads});
    return digest_of(found) << found.cost.primitive_tests << found.counts.cells;
  });
  return all;
}

TEST(ThreadCount, ChangesNoAnswer) {
  const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
  for (const Entry& entry : entries()) {
    const std::string alone = entry.ask(1).text();
    EXPECT_GT(alone.size(), 10u) << entry.name;
    for (const int threads : {0, 2}) {
      EXPECT_TRUE(entry.ask(threads).text() == alone) << entry.name << ", " << threads << " threads";
      // In an arena with more threads.
      tbb::task_arena(4).execute([&] {
        EXPECT_TRUE(entry.ask(threads).text() == alone) << entry.name << ", " << threads << " of four threads";
      });
    }
  }
}

TEST(ThreadCount, BelowZeroIsAnErrorThatNamesIt) {
  for (const Entry& entry : entries()) {
    try {
      entry.ask(-1);
      ADD_FAILURE() << entry.name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("`threads` is -1"), std::string::npos)
          << entry.name << ": " << error.what();
    }
  }
}

/// Counts oneTBB's threads that enter an arena.
class Comers : public tbb::task_scheduler_observer {
 public:
  explicit Comers(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  ~Comers() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override { count_ += is_worker ? 1 : 0; }
  int count() const { return count_; }

 private:
  std::atomic<int> count_ = 0;
};

TEST(ThreadCount, OneBringsNoOtherThreadIntoTheArena) {
  const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
  int came_for_all = 0;
  for (const Entry& entry : entries()) {
    const auto comers = [&](int threads) {
      tbb::task_arena arena(4);
      arena.initialize();
      const Comers counted(arena);
      arena.execute([&] { entry.ask(threads); });
      return counted.count();
    };
    EXPECT_EQ(comers(1), 0) << entry.name;
    came_for_all += comers(0) > 0 ? 1 : 0;
  }
  EXPECT_GT(came_for_all, 0) << "that there is something to be seen";
}

/// A user-defined ball that records which threads call it.
class Watched {
 public:
  Shape shape() {
    return CustomConvex(
        [this](const Vector3& d) {
          const std::lock_guard lock(mutex_);
          askers_.insert(std::this_thread::get_id());
          return Vector3(0.5 * d.normalized());
        },
        1e-12);
  }
  void clear() { askers_.clear(); }
  bool is_only(std::thread::id id) const { return askers_.size() == 1 && askers_.contains(id); }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> askers_;
};

TEST(ThreadCount, OneAsksShapesAndFiltersOnTheCallingThread) {
  const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
  const std::thread::id here = std::this_thread::get_id();
  Watched watched;
  const Shape ball = watched.shape();
  const Things& t = things();
  Answers answers(t.places.size());
  std::vector<Distance> distances(t.places.size());
  const auto expect_here = [&](const char* name, const auto& ask) {
    watched.clear();
    tbb::task_arena(4).execute(ask);
    EXPECT_TRUE(watched.is_only(here)) << name;
  };
  expect_here("touches", [&] { touches(t.torus, ball, t.places, {.threads = 1}, answers.span()); });
  expect_here("closer_than", [&] { closer_than(t.torus, ball, t.places, 0.1, {.threads = 1}, answers.span()); });
  expect_here("distance", [&] { distance(t.torus, ball, t.places, {.threads = 1}, distances); });
  expect_here("sphere set", [&] { touches(ball, t.spheres, t.places, {.threads = 1}, answers.span()); });
  expect_here("World", [&] {
    World world({.threads = 1});
    std::set<std::thread::id> filters;
    world.set_filter([&](BodyId, BodyId) {
      filters.insert(std::this_thread::get_id());
      return true;
    });
    for (const Pose& pose : t.places)
      world.add(ball, pose);
    world.update();
    EXPECT_GT(world.report().tested, 1000u);
    EXPECT_GT(world.closer_than(0.01).size(), 1000u);
    EXPECT_GT(world.contacts({.segments = false}).size(), 1000u);
    EXPECT_GT(world.touching(Sphere{3}).size(), 100u);
    EXPECT_TRUE(filters.size() == 1 && filters.contains(here));
    ContactSchedule schedule(world, {.threads = 1});
    EXPECT_GT(schedule.advance(0).size(), 1000u);
  });
}

}  // namespace
}  // namespace whisker
