#include "convex/convex_contact.hpp"

#include <algorithm>

#include "convex/convex_exact.hpp"
#include "convex/pair_memory.hpp"
#include "geometry/lease.hpp"

namespace whisker::convex {

Bounds bounds_of(const FramePair& frame, const GjkResult& r) {
  const double slack = (4 * contact_roundoff + frame.stretch) * frame.radii;  // radii are world lengths
  // If the origin is inside a tetrahedron by more than the error of its corners, overlap is proven.
  const bool proven = r.end == GjkEnd::inside && r.margin > frame.mean_error;
  return {.lower = r.lower * shrink - frame.reach_error - frame.radii - slack,
          .upper = proven ? -frame.radii : r.upper * widen + frame.mean_error - frame.radii + slack};
}

bool is_tight(const FramePair& frame, const Bounds& bounds) {
  // As computed, the bounds should coincide. Any difference must be explained by rounding.
  const double rounding = 1.25 * (frame.reach_error + frame.mean_error) + 16 * contact_roundoff * frame.radii;
  return bounds.upper - bounds.lower <= 0x1p-31 * bounds.upper + std::min(rounding, frame.fine);
}

bool is_clear(const FramePair& frame, const GjkResult& r, const Bounds& bounds) {
  const double far = clear_of_contact * (frame.reach_error + frame.mean_error + contact_roundoff * frame.radii);
  return bounds.lower > far || -bounds.upper > far || (r.end == GjkEnd::inside && r.margin > far && bounds.upper <= 0);
}

WarmStart warm_start(const PairCache* cache, const OrderedBodies& pair, const FramePair& frame, bool want_corners) {
  if (cache == nullptr) return {};
  const PairMemory* const memory = &memory_of(*cache);
  if (want_corners && frame.has_vertices() && memory->corner_count > 0 && memory->corner_count <= 4) {
    const auto& of_a = pair.swapped ? memory->corners_b : memory->corners_a;
    const auto& of_b = pair.swapped ? memory->corners_a : memory->corners_b;
    bool fits = true;
    for (std::size_t i = 0; i < memory->corner_count; ++i)
      fits &= of_a[i] < frame.a.count && of_b[i] < frame.b.count;
    if (fits) return {.count = static_cast<int>(memory->corner_count), .a = of_a, .b = of_b};
  }
  const Vector3 along(memory->apart_along[0], memory->apart_along[1], memory->apart_along[2]);
  const double length = along.norm();
  if (!(length > 0x1p-100) || !(length < 0x1p100)) return {};
  Vector3 v = along / length;
  if (!frame.in_first) v = pair.a.pose.rotation() * v;
  return {.direction = to_vec3(v * frame.size), .has_direction = true};
}

void remember(PairCache* cache, const OrderedBodies& pair, const FramePair& frame, const GjkResult& r) {
  if (cache == nullptr) return;
  PairMemory* const memory = &memory_of(*cache);
  if (frame.has_vertices()) {
    memory->corner_count = static_cast<std::uint32_t>(r.count);
    for (int i = 0; i < r.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      memory->corners_a[k] = pair.swapped ? r.simplex[k].vertex_b : r.simplex[k].vertex_a;
      memory->corners_b[k] = pair.swapped ? r.simplex[k].vertex_a : r.simplex[k].vertex_b;
    }
  }
  if (!(r.lower > 0)) return;
  Vector3 along = to_vector3(r.lower_direction);
  if (!frame.in_first) along = pair.a.pose.rotation().transpose() * along;
  for (int i = 0; i < 3; ++i)
    memory->apart_along[static_cast<std::size_t>(i)] = along[i];
}

namespace {

/// Whether an expanding polytope shows that the cores overlap by more than rounding.
bool polytope_overlaps(FramePair& frame, const GjkResult& r, Cost& cost) {
  geometry::Lease<EpaMemory<Vec3>> lease;
  EpaResult depth;
  run_epa(frame, {.tolerance = 4 * frame.reach_error, .relative_tolerance = 0.75, .max_points = 64}, r, *lease, depth);
  cost.primitive_tests += static_cast<std::uint64_t>(depth.supports);
  return depth.lower > frame.mean_error;
}

}  // namespace

Contact judge(FramePair& frame, const GjkResult& r, Cost& cost) {
  const Bounds bounds = bounds_of(frame, r);
  if (bounds.apart()) return Contact::apart;
  if (bounds.overlap()) return Contact::overlap;
  if (polytope_overlaps(frame, r, cost)) return Contact::overlap;
  return Contact::open;
}

GjkGoal contact_goal(const FramePair& frame) {
  return {.stop_above =
              (frame.radii + frame.reach_error + 8 * contact_roundoff * frame.radii) * (1 + 16 * contact_roundoff),
          .stop_below = frame.radii > 0 ? frame.radii * (1 - 16 * contact_roundoff) - frame.mean_error * 2 : -1};
}

Contact judge_exactly(const OrderedBodies& pair, Cost& cost) {
  const ExactDistance exact = exact_distance(pair.a, pair.b);
  cost.primitive_tests += static_cast<std::uint64_t>(exact.supports);
  if (exact.lower_in_world() > 0) return Contact::apart;
  return exact.upper <= 0.0 ? Contact::overlap : Contact::open;
}

}  // namespace whisker::convex
