// ray-triangle: where a ray hits a triangle.

#include <limits>
#include <string>

#include <embree3/rtcore.h>

#include "geometry.hpp"

namespace whisker::bench {
namespace {

constexpr std::size_t rays_per_triangle = 64;

/// One Embree scene for each triangle, because creating a scene for every ray is far too expensive.
class EmbreeTriangles {
 public:
  explicit EmbreeTriangles(const std::vector<Shot>& shots) : device_(rtcNewDevice("threads=1,set_affinity=0")) {
    for (std::size_t i = 0; i < shots.size(); i += rays_per_triangle) {
      const RTCScene scene = rtcNewScene(device_);
      rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
      const RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
      auto* corners = static_cast<float*>(
          rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), 3));
      auto* indices = static_cast<unsigned*>(
          rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), 1));
      const Triangle& t = shots[i].triangle;
      for (unsigned k = 0; k < 3; ++k) {
        corners[k] = static_cast<float>(t.a[k]);
        corners[3 + k] = static_cast<float>(t.b[k]);
        corners[6 + k] = static_cast<float>(t.c[k]);
        indices[k] = k;
      }
      rtcCommitGeometry(geometry);
      rtcAttachGeometry(scene, geometry);
      rtcReleaseGeometry(geometry);
      rtcCommitScene(scene);
      scenes_.push_back(scene);
    }
  }
  ~EmbreeTriangles() {
    for (const RTCScene scene : scenes_)
      rtcReleaseScene(scene);
    rtcReleaseDevice(device_);
  }
  EmbreeTriangles(const EmbreeTriangles&) = delete;
  EmbreeTriangles& operator=(const EmbreeTriangles&) = delete;

  bool hits(std::size_t index, const Ray& ray) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
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
    rtcIntersect1(scenes_[index / rays_per_triangle], &context, &query);
    return query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
  }

 private:
  RTCDevice device_;
  std::vector<RTCScene> scenes_;
};

/// If `aimed` is set, the rays hit the parallelogram of which the triangle is one half. Otherwise they have random
/// directions and start near the triangle.
std::vector<Shot> random_shots(std::size_t count, bool aimed, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Shot> shots(count);
  Triangle triangle;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % rays_per_triangle == 0) {
      triangle.a = uniform_in_cube(random, 1);
      triangle.b = uniform_in_cube(random, 1);
      triangle.c = uniform_in_cube(random, 1);
    }
    const Vector3 origin = uniform_in_cube(random, 2);
    Vector3 target = uniform_in_cube(random, 2);
    if (aimed) {
      const double u = uniform(random, 0, 1), v = uniform(random, 0, 1);
      target = triangle.a + u * (triangle.b - triangle.a) + v * (triangle.c - triangle.a);
    }
    shots[i] = {{origin, target - origin}, triangle};
  }
  return shots;
}

void bench_case(Suite& suite, const std::string& name, const std::vector<Shot>& shots) {
  Answers ours(shots.size()), plain(shots.size()), embree_answers(shots.size()), cgal;
  const EmbreeTriangles embree(shots);
  // All numbers of a hit are used, so that no system can skip computing them.
  double sum = 0;
  const auto count = [](const Answers& answers) { return [&answers] { return count_positive(answers); }; };
  suite.measure({.name = name, .calls = shots.size()},
                {{"whisker",
                  [&] {
                    for (std::size_t i = 0; i < shots.size(); ++i) {
                      const auto hit = ray_triangle(shots[i].ray, shots[i].triangle);
                      ours[i] = hit ? 1 : 0;
                      if (hit) sum += hit->t;
                    }
                  },
                  count(ours)},
                 {"plain double",
                  [&] {
                    for (std::size_t i = 0; i < shots.size(); ++i) {
                      const PlainHit hit = plain_ray_triangle(shots[i].ray, shots[i].triangle);
                      plain[i] = hit.hit ? 1 : 0;
                      if (hit.hit) sum += hit.t;
                    }
                  },
                  count(plain)},
                 {"CGAL/exact predicates", cgal_ray_exact(shots, cgal), count(cgal)},
                 {"Embree",
                  [&] {
                    for (std::size_t i = 0; i < shots.size(); ++i)
                      embree_answers[i] = embree.hits(i, shots[i].ray) ? 1 : 0;
                  },
                  count(embree_answers)}});
  const auto truth = [&](std::size_t i) { return rational_ray_hits(shots[i].ray, shots[i].triangle) ? 1 : 0; };
  compare(suite, "plain double", ours, plain, truth);
  compare(suite, "CGAL/exact predicates", ours, cgal, truth);
  std::size_t rounded = 0;
  for (std::size_t i = 0; i < shots.size(); ++i)
    rounded += ours[i] != embree_answers[i] ? 1u : 0u;
  suite.note("Embree works in float on a scene of one triangle, the overhead of its call included; " +
             std::to_string(rounded) + " of its answers differ after rounding the input to float");
  char text[80];
  std::snprintf(text, sizeof text, "exactness costs %.2f x the plain double test",
                suite.ratio(name, "whisker", "plain double"));
  suite.note(text);
  if (sum == 0) suite.note("no hit at all");
}

}  // namespace

void bench_ray(Suite& suite) {
  static_assert(many_inputs % rays_per_triangle == 0);
  if (suite.wants("ray-triangle/random"))
    bench_case(suite, "ray-triangle/random", random_shots(many_inputs, false, 11));
  if (suite.wants("ray-triangle/half-hitting"))
    bench_case(suite, "ray-triangle/half-hitting", random_shots(many_inputs, true, 12));
}

}  // namespace whisker::bench
