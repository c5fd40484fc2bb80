// The suite `continuous`: contacts between two times. Points, triangles and segments whose corners move independently;
// deforming meshes, from two frames of public scenes; rotating meshes, compared with FCL's continuous queries, with
// plain sampling of times and with backtracking from the end, including how many contacts these miss.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/continuous_collision.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/geometry/moving_features.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>
#include <whisker/simd.hpp>

#include "harness.hpp"
#include "near_poses.hpp"
#include "support/baselines/backtracking.hpp"

namespace whisker::bench {
namespace {

namespace fs = std::filesystem;

std::size_t hits(const std::vector<FeatureImpact>& impacts) {
  return static_cast<std::size_t>(std::count_if(
      impacts.begin(), impacts.end(), [](const FeatureImpact& i) { return i.status != ImpactStatus::apart; }));
}

/// One by one and in a batch, with the best instruction set and with AVX2.
template <class Question, class Ask>
void bench_features(Suite& suite, const std::string& name, const std::vector<Question>& questions,
                    const FeatureImpactOptions& options, Ask&& ask) {
  if (!suite.wants(name)) return;
  std::vector<FeatureImpact> found(questions.size());
  const auto answers = [&found] { return hits(found); };
  const auto one_by_one = [&] {
    for (std::size_t i = 0; i < questions.size(); ++i)
      found[i] = ask(questions[i], options);
  };
  const auto at_once = [&] { first_contacts(questions, options, found); };
  const auto with_avx2 = [](const auto& work) {
    return [&work] {
      use_simd_target("avx2");
      work();
      use_simd_target("");
    };
  };
  std::vector<System> systems = {{"whisker", one_by_one, answers}, {"whisker/batch", at_once, answers}};
  const std::vector<std::string> targets = simd_targets();
  if (std::count(targets.begin(), targets.end(), "avx2") > 0 && targets.front() != "avx2") {
    systems.push_back({"whisker/avx2", with_avx2(one_by_one), answers});
    systems.push_back({"whisker/batch-avx2", with_avx2(at_once), answers});
  }
  suite.measure({.name = name, .calls = questions.size()}, systems);
}

/// Corners that start anywhere in a cube of side 2. `way` is the largest displacement of each coordinate; 0 means to
/// anywhere in the cube.
void bench_random_features(Suite& suite, const std::string& name, double way, const FeatureImpactOptions& options) {
  constexpr std::size_t count = 4096;  // few enough that inputs and results stay in the cache
  std::mt19937_64 random(1);
  const auto by = [&](double most) {
    const double x = uniform(random, -most, most), y = uniform(random, -most, most), z = uniform(random, -most, most);
    return Vector3(x, y, z);
  };
  const auto corner = [&] {
    const Vector3 start = by(1);
    return MovingPoint{start, way > 0 ? Vector3(start + by(way)) : by(1)};
  };
  std::vector<PointTriangle> faces(count);
  std::vector<SegmentSegment> edges(count);
  for (PointTriangle& q : faces) {
    const MovingPoint a = corner(), b = corner(), c = corner();
    q = {corner(), {{a.start, b.start, c.start}, {a.end, b.end, c.end}}};
  }
  for (SegmentSegment& q : edges) {
    const MovingPoint a = corner(), b = corner(), c = corner(), d = corner();
    q = {{{a.start, b.start}, {a.end, b.end}}, {{c.start, d.start}, {c.end, d.end}}};
  }
  bench_features(
      suite, name + "-vertex-face", faces, options,
      [](const PointTriangle& q, const FeatureImpactOptions& o) { return first_contact_point_triangle(q.a, q.b, o); });
  bench_features(suite, name + "-edge-edge", edges, options,
                 [](const SegmentSegment& q, const FeatureImpactOptions& o) {
                   return first_contact_segment_segment(q.a, q.b, o);
                 });
}

/// Whole scenes: from two frames to all contacts of the mesh with itself.
void bench_scenes(Suite& suite) {
  const char* data = std::getenv("WHISKER_DATA");
  if (data == nullptr) {
    suite.note("WHISKER_DATA is not set: no scenes");
    return;
  }
  struct Scene {
    const char *name, *first, *second;
  };
  constexpr Scene scenes[] = {{"cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply"},
                              {"cloth-funnel", "227.ply", "228.ply"},
                              {"rod-twist", "3036.ply", "3037.ply"}};
  for (const Scene& scene : scenes) {
    const std::string name = std::string("scene/") + scene.name;
    if (!suite.wants(name)) continue;
    const fs::path folder = fs::path(data) / "ccd" / "scenes" / scene.name / "frames";
    const MeshData first = read_mesh(folder / scene.first), second = read_mesh(folder / scene.second);
    DeformingMesh mesh(first);
    FirstContacts<FeatureHit> contacts = first_contacts(mesh);  // builds the trees
    suite.measure(
        {.name = name + "-refit", .calls = 1, .seconds = 3},
        {{"whisker", [&] { mesh.set_step(first.vertices, second.vertices); }, [] { return std::size_t{0}; }}});
    suite.measure({.name = name, .calls = 1, .seconds = 10},
                  {{"whisker", [&] { contacts = first_contacts(mesh); }, [&] { return contacts.hits.size(); }}});
    suite.note(std::to_string(first.triangles.size()) + " triangles, " + std::to_string(contacts.cost.primitive_tests) +
               " pairs of features tested");
  }
}

template <class Volume>
std::shared_ptr<fcl::CollisionGeometryd> fcl_mesh(const MeshData& data) {
  std::vector<fcl::Triangle> triangles;
  for (const Index3& t : data.triangles)
    triangles.emplace_back(t[0], t[1], t[2]);
  auto mesh = std::make_shared<fcl::BVHModel<Volume>>();
  mesh->beginModel();
  mesh->addSubModel(data.vertices, triangles);
  mesh->endModel();
  return mesh;
}
fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.rotation();
  result.translation() = pose.translation();
  return result;
}

/// A shape of which two copies spin past each other, and FCL's versions of it. For FCL's conservative advancement,
/// meshes use rectangle swept spheres (RSS): for other volumes FCL assumes a speed of zero.
struct Spinning {
  std::string name;
  Shape shape;
  double size;
  std::shared_ptr<fcl::CollisionGeometryd> fcl_look, fcl_advance;
};

Spinning spinning_mesh(const char* name, const MeshData& data) {
  return {name, Mesh(data), diameter(data), fcl_mesh<fcl::OBBRSSd>(data), fcl_mesh<fcl::RSSd>(data)};
}

void bench_rigid(Suite& suite) {
  const Vector3 sides(1, 0.6, 0.3);
  const auto fcl_box = std::make_shared<fcl::Boxd>(sides);
  const Spinning models[] = {spinning_mesh("torus", make::torus({.around = 40, .across = 20})),
                             spinning_mesh("gear", make::gear()),
                             {"box", Box{sides}, sides.norm(), fcl_box, fcl_box}};
  for (const Spinning& model : models) {
    const std::string name = "rigid/" + model.name;
    if (!suite.wants(name)) continue;
    const Shape& shape = model.shape;
    const double size = model.size;
    constexpr std::size_t count = 100;
    std::mt19937_64 random(7);
    struct Query {
      Turning a, b;
    };
    std::vector<Query> queries;
    const auto pose = [&] {
      return Pose(random_rotation(random), size * uniform(random, 0.4, 1) * random_direction(random));
    };
    while (queries.size() < count) {
      const Query q{screw(pose(), pose()), screw(pose(), pose())};
      if (!touches({shape, q.a.start}, {shape, q.b.start})) queries.push_back(q);
    }
    std::vector<MotionImpact> exact(count);
    const auto ours = [&](double tolerance) {
      for (std::size_t i = 0; i < count; ++i)
        exact[i] = first_contact({shape, queries[i].a}, {shape, queries[i].b}, {.tolerance = tolerance});
    };
    const auto yes = [&] {
      return static_cast<std::size_t>(std::count_if(
          exact.begin(), exact.end(), [](const MotionImpact& i) { return i.status != ImpactStatus::apart; }));
    };

    // The other systems: the time of contact, or 2 if they find none.
    const auto touches_at = [&](const Query& q, double t) {
      return touches({shape, pose_at(q.a, t)}, {shape, pose_at(q.b, t)});
    };
    const auto look = [&](const Query& q) {
      constexpr int looks = 10;
      for (int k = 1; k <= looks; ++k) {
        const double t = static_cast<double>(k) / looks;
        if (touches_at(q, t)) return t;
      }
      return 2.0;
    };
    const auto backtrack = [&](const Query& q) {
      return baselines::contact_time_by_backtracking([&](double t) { return touches_at(q, t); }, 1e-4).value_or(2);
    };
    const auto fcl = [&](const Query& q, fcl::CCDSolverType solver) {
      fcl::ContinuousCollisionRequestd request;   // the naive solver samples ten times
      request.ccd_motion_type = fcl::CCDM_SCREW;  // the same motion
      request.ccd_solver_type = solver;
      fcl::ContinuousCollisionResultd result;
      const fcl::CollisionGeometryd* geometry = (solver == fcl::CCDC_NAIVE ? model.fcl_look : model.fcl_advance).get();
      fcl::continuousCollide(geometry, to_fcl(q.a.start), to_fcl(pose_at(q.a, 1)), geometry, to_fcl(q.b.start),
                             to_fcl(pose_at(q.b, 1)), request, result);
      return result.is_collide ? result.time_of_contact : 2;
    };
    struct Other {
      std::string name;
      bool uses_touches;  ///< uses whisker's touches(), so first_contact() must find its contacts too
      std::function<double(const Query&)> ask;
      std::vector<double> times = std::vector<double>(count);
    };
    std::vector<Other> others = {
        {"ten looks", true, look},
        {"backtracking", true, backtrack},
        {"FCL/ten looks", false, [&](const Query& q) { return fcl(q, fcl::CCDC_NAIVE); }},
        {"FCL/advancement", false, [&](const Query& q) { return fcl(q, fcl::CCDC_CONSERVATIVE_ADVANCEMENT); }}};
    std::vector<System> systems = {{"whisker", [&] { ours(0); }, yes},
                                   {"whisker/tolerance-1e-4", [&] { ours(1e-4); }, yes}};
    for (Other& other : others) {
      const auto pass = [&] {
        for (std::size_t i = 0; i < count; ++i)
          other.times[i] = other.ask(queries[i]);
      };
      const auto positive = [&] {
        return static_cast<std::size_t>(
            std::count_if(other.times.begin(), other.times.end(), [](double t) { return t <= 1; }));
      };
      systems.push_back({other.name, pass, positive});
    }
    suite.measure({.name = name, .calls = count, .seconds = suite.quick() ? 8.0 : 30.0}, systems);

    ours(0);
    for (const Other& other : others) {
      std::size_t missed = 0, late = 0, alarms = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const bool touch = exact[i].status != ImpactStatus::apart, found = other.times[i] <= 1;
        if (other.uses_touches && found && (!touch || exact[i].time_lower > other.times[i]))
          suite.fail("whisker excludes a contact that " + other.name + " found");
        missed += touch && exact[i].certain && !found ? 1u : 0u;
        late += touch && exact[i].certain && found && other.times[i] > exact[i].time_upper + 1e-3 ? 1u : 0u;
        alarms += !touch && found ? 1u : 0u;
      }
      suite.note(other.name + ": " + std::to_string(missed) + " contacts missed, " + std::to_string(late) +
                 " found later than 0.001 after the first, " + std::to_string(alarms) + " false alarms");
    }
  }
}

}  // namespace
}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("continuous", argc, argv, {});
  if (suite.usage_error()) return 2;
  std::printf("system, median time per call, time over the first system's, yes answers\n");
  bench_random_features(suite, "random", 0.6, {});
  bench_random_features(suite, "random-half-time", 0.6, {.until = 0.5});
  bench_random_features(suite, "random-separated", 0.6, {.separation = 0.01});
  bench_random_features(suite, "uniform", 0, {});
  bench_scenes(suite);
  bench_rigid(suite);
  return suite.finish();
}
