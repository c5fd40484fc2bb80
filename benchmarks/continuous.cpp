// The suite `continuous`: contacts between two times. Points, triangles and segments whose corners move on their own;
// meshes that deform, from two frames of public scenes; meshes that turn, beside FCL's continuous query and beside
// plain looks at times in between, with how many contacts these miss.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/continuous_collision.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/io.hpp>
#include <whisker/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/moving_features.hpp>
#include <whisker/queries.hpp>

#include "harness.hpp"
#include "near_poses.hpp"

namespace whisker::bench {
namespace {

namespace fs = std::filesystem;

std::size_t hits(const std::vector<FeatureImpact>& impacts) {
  return static_cast<std::size_t>(std::count_if(
      impacts.begin(), impacts.end(), [](const FeatureImpact& i) { return i.status != ImpactStatus::apart; }));
}

/// All coordinates uniform in a cube.
void bench_random_features(Suite& suite) {
  constexpr std::size_t count = 20000;
  std::mt19937_64 random(1);
  const auto point = [&] { return Vector3(uniform(random, 0, 1), uniform(random, 0, 1), uniform(random, 0, 1)); };
  std::vector<PointTriangle> faces(count);
  std::vector<SegmentSegment> edges(count);
  for (PointTriangle& q : faces)
    q = {{point(), point()}, {{point(), point(), point()}, {point(), point(), point()}}};
  for (SegmentSegment& q : edges)
    q = {{{point(), point()}, {point(), point()}}, {{point(), point()}, {point(), point()}}};
  std::vector<FeatureImpact> found(count);
  const auto answers = [&found] { return hits(found); };
  if (suite.wants("random-vertex-face")) {
    suite.measure({.name = "random-vertex-face", .calls = count},
                  {{"whisker",
                    [&] {
                      for (std::size_t i = 0; i < count; ++i)
                        found[i] = first_contact_point_triangle(faces[i].a, faces[i].b);
                    },
                    answers},
                   {"whisker/batch", [&] { first_contacts(faces, found); }, answers}});
  }
  if (suite.wants("random-edge-edge")) {
    suite.measure({.name = "random-edge-edge", .calls = count},
                  {{"whisker",
                    [&] {
                      for (std::size_t i = 0; i < count; ++i)
                        found[i] = first_contact_segment_segment(edges[i].a, edges[i].b);
                    },
                    answers},
                   {"whisker/batch", [&] { first_contacts(edges, found); }, answers}});
  }
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
    DeformingContacts contacts;
    suite.measure(
        {.name = name + "-refit", .calls = 1, .most_seconds = 3},
        {{"whisker", [&] { mesh.set_step(first.vertices, second.vertices); }, [] { return std::size_t{0}; }}});
    suite.measure({.name = name, .calls = 1, .most_seconds = 10},
                  {{"whisker", [&] { contacts = first_contacts(mesh); }, [&] { return contacts.hits.size(); }}});
    suite.note(std::to_string(first.triangles.size()) + " triangles, " + std::to_string(contacts.cost.primitive_tests) +
               " pairs of features tested");
  }
}

using FclMesh = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<FclMesh> fcl_mesh(const MeshData& data) {
  std::vector<fcl::Triangle> triangles;
  for (const Index3& t : data.triangles)
    triangles.emplace_back(t[0], t[1], t[2]);
  auto mesh = std::make_shared<FclMesh>();
  mesh->beginModel();
  mesh->addSubModel(data.vertices, triangles);
  mesh->endModel();
  return mesh;
}
fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.rotation;
  result.translation() = pose.translation;
  return result;
}

/// Two meshes that spin past each other.
void bench_rigid(Suite& suite) {
  struct Model {
    const char* name;
    MeshData data;
  };
  const Model models[] = {{"torus", make::torus({.around = 40, .across = 20})}, {"gear", make::gear()}};
  for (const Model& model : models) {
    const std::string name = std::string("rigid/") + model.name;
    if (!suite.wants(name)) continue;
    const Shape shape = Mesh(model.data);
    const double size = diameter(model.data);
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
    std::vector<Impact> exact(count);
    std::vector<double> looked(count), theirs(count);
    const auto positive = [](const std::vector<double>& times) {
      return static_cast<std::size_t>(std::count_if(times.begin(), times.end(), [](double t) { return t <= 1; }));
    };
    const auto fcl_shape = fcl_mesh(model.data);
    const auto ours = [&](double tolerance) {
      for (std::size_t i = 0; i < count; ++i)
        exact[i] = first_contact({shape, queries[i].a}, {shape, queries[i].b}, {.tolerance = tolerance});
    };
    const auto look = [&] {
      constexpr int looks = 10;
      for (std::size_t i = 0; i < count; ++i) {
        looked[i] = 2;
        for (int k = 1; k <= looks && looked[i] > 1; ++k) {
          const double t = static_cast<double>(k) / looks;
          if (touches({shape, pose_at(queries[i].a, t)}, {shape, pose_at(queries[i].b, t)})) looked[i] = t;
        }
      }
    };
    const auto fcl_pass = [&] {
      for (std::size_t i = 0; i < count; ++i) {
        const Query& q = queries[i];
        fcl::ContinuousCollisionRequestd request;    // at its defaults ten looks
        request.ccd_motion_type = fcl::CCDM_SCREW;  // the same motion
        fcl::ContinuousCollisionResultd result;
        fcl::continuousCollide(fcl_shape.get(), to_fcl(q.a.start), to_fcl(pose_at(q.a, 1)), fcl_shape.get(),
                               to_fcl(q.b.start), to_fcl(pose_at(q.b, 1)), request, result);
        theirs[i] = result.is_collide ? result.time_of_contact : 2;
      }
    };
    const auto yes = [&] {
      return static_cast<std::size_t>(
          std::count_if(exact.begin(), exact.end(), [](const Impact& i) { return i.status != ImpactStatus::apart; }));
    };
    suite.measure({.name = name, .calls = count, .most_seconds = suite.quick() ? 8.0 : 30.0},
                  {{"whisker", [&] { ours(0); }, yes},
                   {"whisker/tolerance-1e-4", [&] { ours(1e-4); }, yes},
                   {"ten looks", look, [&] { return positive(looked); }},
                   {"FCL", fcl_pass, [&] { return positive(theirs); }}});
    ours(0);
    look();
    fcl_pass();
    std::size_t missed_by_looks = 0, missed_by_fcl = 0, late = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool touch = exact[i].status != ImpactStatus::apart;
      if (!touch && (looked[i] <= 1)) suite.fail("a look found a contact that whisker excludes");
      missed_by_looks += touch && exact[i].certain && looked[i] > 1 ? 1u : 0u;
      missed_by_fcl += touch && exact[i].certain && theirs[i] > 1 ? 1u : 0u;
      late += touch && looked[i] <= 1 && exact[i].time_lower > looked[i] ? 1u : 0u;
    }
    if (late > 0) suite.fail("whisker is later than a look");
    suite.note("contacts missed: ten looks " + std::to_string(missed_by_looks) + ", FCL " +
               std::to_string(missed_by_fcl));
  }
}

}  // namespace
}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("continuous", argc, argv, {});
  if (suite.usage_error()) return 2;
  std::printf("system, median time per call, time over the first system's, yes answers\n");
  bench_random_features(suite);
  bench_scenes(suite);
  bench_rigid(suite);
  return suite.finish();
}
