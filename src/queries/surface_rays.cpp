// Ray queries: any hit, all hits, and many rays.

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <whisker/mesh_queries.hpp>

#include "mesh/height_field_queries.hpp"
#include "mesh/mesh_queries.hpp"
#include "queries/check_query.hpp"
#include "queries/leaves.hpp"
#include "queries/part_search.hpp"
#include "queries/table.hpp"

namespace whisker {
namespace {

bool hits(const Ray& ray, const Placed& target, const RayRange& range) {
  const auto hits_leaf = [&](const Shape& leaf, const Pose& pose) {
    if (const Mesh* mesh = leaf.as<Mesh>()) return mesh::ray_hits_mesh(ray, {*mesh, pose}, range);
    return cast_ray(ray, {leaf, pose}, range).has_value();
  };
  if (target.shape.as<Compound>() == nullptr) return hits_leaf(target.shape, target.pose);
  // The first part that cannot be asked, unless an earlier one is hit, names itself in an Error.
  if (!queries::all_take_rays(target.shape)) return queries::any_leaf(target.shape, target.pose, hits_leaf);
  bool found = false;
  queries::visit_parts_on_ray(target, ray, range, [&](std::uint32_t index) {
    found = hits(ray, queries::part_of(target, index).placed, range);
    return found;
  });
  return found;
}

/// Adds the hits of all parts. The number of the first one is given.
void add_hits(const Ray& ray, const Placed& target, const RayRange& range, std::uint32_t number,
              std::vector<SurfaceHit>& all) {
  if (target.shape.as<Compound>() != nullptr) {
    return queries::visit_parts_on_ray(target, ray, range, [&](std::uint32_t index) {
      const queries::OwnPart part = queries::part_of(target, index);
      add_hits(ray, part.placed, range, number + part.first_number, all);
      return false;
    });
  }
  thread_local std::vector<RayHit> found;
  found.clear();
  if (const Mesh* mesh = target.shape.as<Mesh>()) {
    mesh::cast_ray_all_mesh(ray, {*mesh, target.pose}, range, found);
  } else if (const HeightField* field = target.shape.as<HeightField>()) {
    mesh::cast_ray_all_field(ray, *field, target.pose, range, found);
  } else if (const auto hit = ray_triangle(ray, *target.shape.as<Triangle>(), target.pose, range)) {
    found.push_back(*hit);
  }
  for (const RayHit& hit : found)
    all.push_back({hit, {number, FeatureKind::triangle, static_cast<std::uint32_t>(hit.face->triangle)}});
}

/// What is wrong with a ray and the range of all, for the checks of many.
auto fault_in(const RayRange& range) {
  return [&range](const Ray& ray) { return queries::fault_of(ray, range); };
}

/// Answers a question for many rays.
template <class Answer, class Ask>
void answer_rays(const char* question, std::span<const Ray> rays, const RayRange& range, int threads,
                 std::span<Answer> answers, const Ask& ask) {
  queries::answer_all(question, "ray", rays, fault_in(range), threads, answers, ask);
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
  add_hits(ray, target, range, 0, hits);
  std::sort(hits.begin(), hits.end(), [](const SurfaceHit& p, const SurfaceHit& q) {
    if (p.hit.t != q.hit.t) return p.hit.t < q.hit.t;
    if (p.feature.part != q.feature.part) return p.feature.part < q.feature.part;
    return p.feature.id < q.feature.id;
  });
}

void cast_ray(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<std::optional<RayHit>> answers) {
  constexpr const char* question = "cast_ray";
  const Mesh* const mesh = target.shape.as<Mesh>();
  if (mesh == nullptr) {
    return answer_rays(question, rays, range, options.threads, answers,
                       [&](const Ray& ray) { return cast_ray(ray, target, range); });
  }
  queries::check_items(question, "ray", rays, fault_in(range), answers.size());
  queries::ask_ranges(question, options.threads, rays.size(), [&](std::size_t begin, std::size_t end) {
    mesh::cast_rays_mesh(rays.subspan(begin, end - begin), {*mesh, target.pose}, range,
                         answers.subspan(begin, end - begin));
  });
}

void ray_hits(std::span<const Ray> rays, const Placed& target, const RayRange& range, const BatchOptions& options,
              std::span<bool> answers) {
  answer_rays("ray_hits", rays, range, options.threads, answers,
              [&](const Ray& ray) { return hits(ray, target, range); });
}

}  // namespace whisker
