// Eight threads that query the same shapes at once get the results that one thread gets.

#include <cstring>
#include <functional>
#include <latch>
#include <oneapi/tbb/global_control.h>
#include <optional>
#include <thread>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

#if defined(__SANITIZE_THREAD__)
// oneTBB is not built for the sanitizer, which therefore does not see how oneTBB orders the work of its own threads and
// would report all of it. This tests the threads below.
const tbb::global_control no_workers(tbb::global_control::max_allowed_parallelism, 1);
#endif

using test::cases;
using test::seeded;
using test::uniform;

std::vector<Shape> shared_shapes() {
  std::vector<double> heights;
  for (int i = 0; i < 12 * 12; ++i)
    heights.push_back(0.1 * ((i * 7) % 11));
  return {
      Sphere{0.5},
      Capsule{0.2, 1},
      Box{Vector3(1, 0.6, 0.4)},
      HalfSpace{Vector3(0.1, 0.2, 1), -0.25},
      Plane{Vector3(1, 2, 2), 0.5},
      Segment{{0, 0, 0}, {1, 1, 1}},
      Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      Cylinder{0.5, 1},
      Cone{0.5, 1},
      Ellipsoid{Vector3(0.5, 0.6, 0.7)},
      ConvexHull(make::random_hull({.points = 20}).vertices),
      Mesh(make::icosphere({.radius = 0.6, .subdivisions = 2})).solid(),
      Mesh(make::torus({.major = 0.6, .minor = 0.2, .around = 16, .across = 8})).solid(),
      Mesh(make::cloth_sheet({.columns = 8, .rows = 8})),
      HeightField(heights, 12, 12, 0.1, 0.1),
      Compound({{Sphere{0.3}, Pose(Vector3(0.2, 0, 0))}, {Box{Vector3(0.3, 0.4, 0.5)}, Pose(Vector3(-0.3, 0, 0))}}),
  };
}

struct Job {
  std::size_t a, b;
  Pose pose;
};

/// The results of all queries on one job, all as doubles, to be compared bit for bit.
std::vector<double> answers(const std::vector<Shape>& shapes, const Job& job) {
  const Placed a(shapes[job.a]);
  const Placed b(shapes[job.b], job.pose);
  const ShapeKind kind_a = a.shape.kind(), kind_b = b.shape.kind();
  std::vector<double> found;
  const auto note = [&](const Vector3& v) { found.insert(found.end(), v.begin(), v.end()); };
  if (is_supported(Question::touches, kind_a, kind_b)) {
    Cost cost;
    found.push_back(touches(a, b, &cost) ? 1 : 0);
    found.push_back(static_cast<double>(cost.primitive_tests));
  }
  if (kind_a == ShapeKind::mesh && kind_b == ShapeKind::mesh) {
    PairCache cache;
    found.push_back(touches(a, b, {.cache = &cache}) ? 1 : 0);
    found.insert(found.end(), {double(memory_of(cache).touching_a), double(memory_of(cache).touching_b)});
    for (const Contact& contact : contacts(a, b).pairs) {
      found.insert(found.end(), {double(contact.a.id), double(contact.b.id)});
      note(contact.segment.a);
      note(contact.segment.b);
    }
    found.push_back(closer_than(a, b, 0.25) ? 1 : 0);
  }
  if (is_supported(Question::distance, kind_a, kind_b)) {
    const Distance d = distance(a, b);
    found.insert(found.end(), {d.lower, d.upper});
    note(d.point_a);
    note(d.point_b);
    note(d.normal);
  }
  const auto is_surface = [](const Shape& shape) { return shape.as<Mesh>() && !shape.as<Mesh>()->is_solid(); };
  if (is_supported(Question::depth, kind_a, kind_b) && !is_surface(a.shape) && !is_surface(b.shape)) {
    const Depth d = depth(a, b);
    found.insert(found.end(), {d.lower, d.upper});
    note(d.normal);
  }
  const std::optional<RayHit> hit = cast_ray({Vector3(-3, 0.1, 0.2), Vector3(1, 0.05, -0.02)}, b);
  found.push_back(hit ? 1 : 0);
  if (hit) {
    found.insert(found.end(), {hit->t, hit->t_lower, hit->t_upper});
    note(hit->normal);
  }
  note(b.shape.bounds(job.pose).lower);
  note(b.shape.is_unbounded() ? Vector3(Vector3::Zero()) : b.shape.centroid());
  if (b.shape.has_support()) note(b.shape.support(job.pose.translation()));
  return found;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<Job> jobs(std::uint64_t stream, std::size_t count, std::size_t shapes) {
  auto random = seeded(stream);
  std::vector<Job> all;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 axis = Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, 0.1, 1)).normalized();
    const Pose pose(Eigen::AngleAxisd(uniform(random, -3, 3), axis).toRotationMatrix(),
                    Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)));
    all.push_back({i % shapes, (i / shapes) % shapes, pose});
  }
  return all;
}

/// Runs `work(thread number)` on eight threads that start together.
void on_eight_threads(const std::function<void(std::size_t)>& work) {
  constexpr std::size_t count = 8;
  std::latch start(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
}

TEST(Threads, AskingAboutTheSameShapesGetTheAnswersOfOneThread) {
  const std::vector<Shape> shapes = shared_shapes();
  const std::vector<Job> all = jobs(81, cases(2 * shapes.size() * shapes.size()), shapes.size());
  std::vector<std::vector<double>> expected;
  for (const Job& job : all)
    expected.push_back(answers(shapes, job));
  std::vector<std::size_t> differ(8, 0);
  on_eight_threads([&](std::size_t thread) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t job = (i + thread * all.size() / 8) % all.size();  // each starts at another one
      if (!same_bits(answers(shapes, all[job]), expected[job])) ++differ[thread];
    }
  });
  EXPECT_EQ(differ, std::vector<std::size_t>(8, 0));
}

/// The results of queries on two meshes, with a cache that is carried along.
std::vector<double> mesh_answers(const Shape& a, const Shape& b, const Pose& pose, PairCache& cache, Contacts& reused) {
  std::vector<double> found;
  found.push_back(touches(a, {b, pose}, {.cache = &cache}) ? 1 : 0);
  contacts(a, {b, pose}, {}, reused);
  for (const Contact& contact : reused.pairs)
    found.insert(found.end(), {double(contact.a.id), double(contact.b.id), contact.segment.a[0], contact.segment.b[2]});
  const Distance d = distance(a, {b, pose}, {.cache = &cache});
  found.insert(found.end(), {d.lower, d.upper});
  return found;
}

TEST(Threads, AskingAboutTheSameTwoMeshesWithCachesOfTheirOwnGetTheAnswersOfOneThread) {
  const Shape a = Mesh(make::wrinkled_torus({.around = 60, .across = 20})).solid();
  const Shape b = Mesh(make::gear({.teeth = 12, .module = 0.1, .width = 0.4})).solid();
  const std::vector<Job> all = jobs(83, cases(300), 1);
  std::vector<std::vector<double>> expected;
  for (const Job& job : all) {
    PairCache cache;
    Contacts fresh;
    expected.push_back(mesh_answers(a, b, job.pose, cache, fresh));
  }
  std::vector<std::size_t> differ(8, 0);
  on_eight_threads([&](std::size_t thread) {
    PairCache cache;
    Contacts reused;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t job = (i + thread * all.size() / 8) % all.size();
      if (!same_bits(mesh_answers(a, b, all[job].pose, cache, reused), expected[job])) ++differ[thread];
    }
  });
  EXPECT_EQ(differ, std::vector<std::size_t>(8, 0));
}

TEST(Threads, CopyAndDropShapesWhileOthersQueryThem) {
  const std::vector<Shape> shapes = shared_shapes();
  const std::vector<Job> all = jobs(82, cases(shapes.size() * shapes.size()), shapes.size());
  std::vector<std::vector<double>> expected;
  for (const Job& job : all)
    expected.push_back(answers(shapes, job));
  std::vector<std::size_t> differ(8, 0);
  on_eight_threads([&](std::size_t thread) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<Shape> mine = shapes;
      if (i % 8 == thread && !same_bits(answers(mine, all[i]), expected[i])) ++differ[thread];
    }
  });
  EXPECT_EQ(differ, std::vector<std::size_t>(8, 0));
}

TEST(Threads, BuildTheSameMeshFromTheSameData) {
  const MeshData data = make::gear({.teeth = 12});
  const Shape probe = Mesh(make::icosphere({.radius = 3, .subdivisions = 2}));
  const Shape gear = Mesh(data).solid();
  const Pose pose(Vector3(11, 0.3, 0.2));
  const Distance expected = distance(gear, {probe, pose});
  ASSERT_GT(expected.lower, 0);
  std::vector<Distance> found(8);
  on_eight_threads([&](std::size_t thread) {
    const Shape mine = Mesh(data).solid();
    found[thread] = distance(mine, {probe, pose});
  });
  for (const Distance& d : found) {
    EXPECT_EQ(d.lower, expected.lower);
    EXPECT_EQ(d.upper, expected.upper);
    EXPECT_EQ(d.point_a, expected.point_a);
    EXPECT_EQ(d.cost.primitive_tests, expected.cost.primitive_tests);
  }
}

}  // namespace
}  // namespace whisker
