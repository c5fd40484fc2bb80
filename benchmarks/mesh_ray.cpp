// ray: the first hit of rays at one mesh, one by one and many at once.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>

#include "embree_scene.hpp"
#include "mesh.hpp"

namespace whisker::bench {
namespace {

/// Rays from a diameter around the mesh at points in its box. Their numbers are floats, so that Embree gets the same.
std::vector<Ray> rays_at(const MeshData& data, std::size_t count) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(v);
  const Vector3 middle = (box.lower + box.upper) / 2, half = (box.upper - box.lower) / 2;
  std::mt19937_64 random(5);
  const auto in_cube = [&] { return Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)); };
  std::vector<Ray> rays(count);
  for (Ray& ray : rays) {
    Vector3 out = in_cube();
    while (!(out.norm() > 0.1 && out.norm() < 1))
      out = in_cube();
    const Vector3 from = middle + out.normalized() * (2 * half.norm()), target = middle + in_cube().cwiseProduct(half);
    ray.origin = from.cast<float>().cast<double>();
    ray.direction = (target - ray.origin).normalized().cast<float>().cast<double>();
  }
  return rays;
}

RTCRayHit embree_ray(const Ray& ray) {
  RTCRayHit query{};
  query.ray.org_x = static_cast<float>(ray.origin[0]);
  query.ray.org_y = static_cast<float>(ray.origin[1]);
  query.ray.org_z = static_cast<float>(ray.origin[2]);
  query.ray.dir_x = static_cast<float>(ray.direction[0]);
  query.ray.dir_y = static_cast<float>(ray.direction[1]);
  query.ray.dir_z = static_cast<float>(ray.direction[2]);
  query.ray.tnear = 0;
  query.ray.tfar = std::numeric_limits<float>::infinity();
  query.ray.mask = ~0u;
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  return query;
}

/// The first hit by testing every triangle exactly; infinite if there is none.
double first_of_all(const MeshData& data, const Ray& ray) {
  double first = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < data.triangles.size(); ++i)
    if (const auto hit = ray_triangle(ray, placed_triangle(data, i, {}))) first = std::min(first, hit->t);
  return first;
}

}  // namespace

void bench_ray(Suite& suite, const Model& model) {
  const std::string name = "ray/" + model.name;
  if (!suite.wants(name)) return;
  const std::size_t count = suite.quick() ? 4'096 : 16'384;
  const std::vector<Ray> rays = rays_at(model.data, count);
  std::vector<std::optional<RayHit>> found(count), found_together(count);
  const EmbreeMesh mesh(model.data);
  const RTCScene scene = mesh.new_scene(RTC_BUILD_QUALITY_HIGH, RTC_SCENE_FLAG_ROBUST);
  std::vector<RTCRayHit> given(count), singles(count), stream(count);
  for (std::size_t i = 0; i < count; ++i)
    given[i] = embree_ray(rays[i]);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  const auto is_hit = [](const auto& hit) {
    if constexpr (requires { hit.hit; })
      return hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    else
      return hit.has_value();
  };
  const auto counted = [&](const auto& hits) {
    return [&] { return static_cast<std::size_t>(std::count_if(hits.begin(), hits.end(), is_hit)); };
  };
  suite.measure({.name = name, .calls = count, .seconds = case_seconds(suite)},
                {{"whisker",
                  [&] {
                    for (std::size_t i = 0; i < count; ++i)
                      found[i] = cast_ray(rays[i], model.shape);
                  },
                  counted(found)},
                 {"whisker/batch", [&] { cast_ray(rays, model.shape, {}, {.threads = 1}, found_together); },
                  counted(found_together)},
                 // A query is overwritten by its hit, so it is copied: a tenth of a hit's time at most.
                 {"Embree",
                  [&] {
                    for (std::size_t i = 0; i < count; ++i) {
                      singles[i] = given[i];
                      rtcIntersect1(scene, &context, &singles[i]);
                    }
                  },
                  counted(singles)},
                 {"Embree/stream",
                  [&] {
                    stream = given;
                    rtcIntersect1M(scene, &context, stream.data(), static_cast<unsigned>(count), sizeof(RTCRayHit));
                  },
                  counted(stream)}});
  // Embree rounds the mesh to float. Where that matters, testing every triangle decides.
  std::size_t rounded = 0, wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i].has_value() != found_together[i].has_value() || (found[i] && found[i]->t != found_together[i]->t))
      ++wrong;
    const double t = found[i] ? found[i]->t : std::numeric_limits<double>::infinity();
    const double theirs = is_hit(singles[i]) ? singles[i].ray.tfar : std::numeric_limits<double>::infinity();
    if (t == theirs || std::abs(t - theirs) <= 1e-5 * std::abs(t)) continue;
    ++rounded;
    const double truth = first_of_all(model.data, rays[i]);
    if (t != truth && !(std::abs(t - truth) <= 1e-12 * truth)) ++wrong;
  }
  rtcReleaseScene(scene);
  if (wrong > 0) suite.fail(name + ": " + std::to_string(wrong) + " answers of whisker are wrong");
  suite.note("Embree: robust, best build quality, in float; " + std::to_string(rounded) +
             " of its answers differ by more than 1e-5, and every triangle tested by itself confirms whisker's");
}

}  // namespace whisker::bench
