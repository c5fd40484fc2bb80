// Ray queries: any hit, all hits, and many rays.

#include <algorithm>
#include <vector>

#include <whisker/mesh_queries.hpp>

#include "mesh/height_field_queries.hpp"
#include "mesh/mesh_queries.hpp"
#include "queries/check_query.hpp"
#include "queries/leaves.hpp"

namespace whisker {
namespace {

bool hits(const Ray& ray, const Placed& target, const RayRange& range) {
  return queries::any_leaf(target.shape, target.pose, [&](const Shape& leaf, const Pose& pose) {
    if (const Mesh* mesh = leaf.as<Mesh>()) return mesh::ray_hits_mesh(ray, {*mesh, pose}, range);
    return cast_ray(ray, {leaf, pose}, range).has_value();
  });
}

/// Adds the hits of all parts.
void add_hits(const Ray& ray, const Placed& target, const RayRange& range, std::vector<SurfaceHit>& all) {
  thread_local std::vector<RayHit> found;
  std::uint32_t number = 0;
  queries::any_leaf(target.shape, target.pose, [&](const Shape& leaf, const Pose& pose) {
    found.clear();
    if (const Mesh* mesh = leaf.as<Mesh>()) {
      mesh::cast_ray_all_mesh(ray, {*mesh, pose}, range, found);
    } else if (const HeightField* field = leaf.as<HeightField>()) {
      mesh::cast_ray_all_field(ray, *field, pose, range, found);
    } else if (const std::optional<RayHit> hit = ray_triangle(ray, *leaf.as<Triangle>(), pose, range)) {
      found.push_back(*hit);
    }
    for (const RayHit& hit : found)
      all.push_back({hit, {number, FeatureKind::triangle, static_cast<std::uint32_t>(hit.face->triangle)}});
    ++number;
    return false;
  });
}

/// Answers a question for many rays.
template <class Answer, class Ask>
void answer_rays(const char* question, std::span<const Ray> rays, const RayRange& range, int threads,
                 std::span<Answer> answers, const Ask& ask) {
  const auto fault = [&](const Ray& ray) { return queries::fault_of(ray, range); };
  queries::answer_all(question, "ray", rays, fault, threads, answers, ask);
}

}  // namespace

bool ray_hits(const Ray& ray, const Placed& target, const RayRange& range) {
  queries::refuse_fault("ray_hits", queries::fault_of(ray, range));
  return hits(ray, target, range);
}

void cast_ray_all(const Ray& ray, const Placed& target, const RayRange& range, std::vector<SurfaceHit>& hits) {
  queries::refuse_fault("cast_ray_all", queries::fault_of(ray, range));
  queries::check_is_surface("cast_ray_all", target.shape);
  hits.clear();
  add_hits(ray, target, range, hits);
  std::sort(hits.begin(), hits.end(), [](const SurfaceHit& p, const SurfaceHit& q) {
    if (p.hit.t != q.hit.t) return p.hit.t < q.hit.t;
    if (p.feature.part != q.feature.part) return p.feature.part < q.feature.part;
    return p.feature.id < q.feature.id;
  });
}

void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<std::optional<RayHit>> answers) {
  answer_rays("cast_ray", rays, range, options.threads, answers,
              [&](const Ray& ray) { return cast_ray(ray, target, range); });
}

void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<bool> answers) {
  answer_rays("ray_hits", rays, range, options.threads, answers,
              [&](const Ray& ray) { return hits(ray, target, range); });
}

}  // namespace whisker
