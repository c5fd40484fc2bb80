// Ray queries: any hit, all hits, and many rays.

#include <algorithm>

#include <whisker/mesh_queries.hpp>

#include "mesh/mesh_queries.hpp"
#include "mesh/ray_field.hpp"
#include "queries/check_query.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker {
namespace {

bool hits(const Ray& ray, const Shape& shape, const Pose& pose, const RayRange& range) {
  if (const Mesh* mesh = shape.as<Mesh>()) return mesh::ray_hits_mesh(ray, {*mesh, pose}, range);
  if (const Compound* compound = shape.as<Compound>()) {
    return std::any_of(compound->parts().begin(), compound->parts().end(), [&](const CompoundPart& part) {
      return hits(ray, part.shape, compose(pose, part.pose), range);
    });
  }
  return cast_ray(ray, {shape, pose}, range).has_value();
}

/// Adds the hits of a shape whose first part has this number. Returns the number after its last part.
std::uint32_t add_hits(const Ray& ray, const Shape& shape, const Pose& pose, const RayRange& range,
                       std::uint32_t number, std::vector<SurfaceHit>& all) {
  if (const Compound* compound = shape.as<Compound>()) {
    for (const CompoundPart& part : compound->parts())
      number = add_hits(ray, part.shape, compose(pose, part.pose), range, number, all);
    return number;
  }
  thread_local std::vector<RayHit> found;
  found.clear();
  if (const Mesh* mesh = shape.as<Mesh>()) {
    mesh::cast_ray_all_mesh(ray, {*mesh, pose}, range, found);
  } else if (const HeightField* field = shape.as<HeightField>()) {
    mesh::cast_ray_all_field(ray, *field, pose, range, found);
  } else if (const std::optional<RayHit> hit = ray_triangle(ray, *shape.as<Triangle>(), pose, range)) {
    found.push_back(*hit);
  }
  for (const RayHit& hit : found)
    all.push_back({hit, {number, FeatureKind::triangle, static_cast<std::uint32_t>(hit.face->triangle)}});
  return number + 1;
}

void check_is_surface(const Shape& shape) {
  if (const Compound* compound = shape.as<Compound>()) {
    for (const CompoundPart& part : compound->parts())
      check_is_surface(part.shape);
    return;
  }
  if (shapes::traits_of(shape).is_surface) return;
  throw Error("cast_ray_all: a " + std::string(name(shape.kind())) +
              " is not made of triangles; it takes meshes, height fields, triangles and compounds of them");
}

void check_rays(const char* question, std::span<const Ray> rays, const RayRange& range) {
  queries::throw_first_fault(question, "ray", rays.size(),
                             [&](std::size_t i) { return queries::fault_of(rays[i], range); });
}

}  // namespace

bool ray_hits(const Ray& ray, const Placed& target, const RayRange& range) {
  queries::refuse_fault("ray_hits", queries::fault_of(ray, range));
  return hits(ray, target.shape, target.pose, range);
}

void cast_ray_all(const Ray& ray, const Placed& target, const RayRange& range, std::vector<SurfaceHit>& hits) {
  queries::refuse_fault("cast_ray_all", queries::fault_of(ray, range));
  check_is_surface(target.shape);
  hits.clear();
  add_hits(ray, target.shape, target.pose, range, 0, hits);
  std::sort(hits.begin(), hits.end(), [](const SurfaceHit& p, const SurfaceHit& q) {
    if (p.hit.t != q.hit.t) return p.hit.t < q.hit.t;
    if (p.feature.part != q.feature.part) return p.feature.part < q.feature.part;
    return p.feature.id < q.feature.id;
  });
}

void cast_ray(std::span<const Ray> rays, const Placed& target, std::span<std::optional<RayHit>> answers) {
  cast_ray(rays, target, RayRange{}, answers);
}

void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range,
              std::span<std::optional<RayHit>> answers) {
  cast_ray(rays, target, range, BatchOptions{}, answers);
}

void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<std::optional<RayHit>> answers) {
  queries::check_room("cast_ray", "ray", rays.size(), answers.size());
  check_rays("cast_ray", rays, range);
  queries::ask_all("cast_ray", options.threads, rays.size(),
                   [&](std::size_t i) { answers[i] = cast_ray(rays[i], target, range); });
}

void ray_hits(std::span<const Ray> rays, const Placed& target, std::span<bool> answers) {
  ray_hits(rays, target, RayRange{}, answers);
}

void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, std::span<bool> answers) {
  ray_hits(rays, target, range, BatchOptions{}, answers);
}

void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<bool> answers) {
  queries::check_room("ray_hits", "ray", rays.size(), answers.size());
  check_rays("ray_hits", rays, range);
  queries::ask_all("ray_hits", options.threads, rays.size(),
                   [&](std::size_t i) { answers[i] = hits(rays[i], target.shape, target.pose, range); });
}

}  // namespace whisker
