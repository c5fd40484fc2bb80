#include "mesh/surface_distance.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "convex/pair_memory.hpp"
#include "convex/simple_convex.hpp"
#include "geometry/closest_kernels.hpp"
#include "mesh/results.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

/// Bounds on the distance between a triangle and a point.
struct PointBounds {
  double lower = 0;
  double upper = infinity;
  Vector3 gap = Vector3::Zero();  // from the point to a point of the triangle at distance `upper`, up to rounding

  /// As tight as any caller needs.
  bool is_tight() const { return lower > 0 && upper - lower <= 0x1p-44 * lower; }
};

/// Computes the bounds in doubles.
///
/// Corners relative to the point are off by half an ulp each. The closest point found gives the upper bound, whether or
/// not it is truly the closest. The plane perpendicular to the vector to that point, moved to the corner that reaches
/// least far, gives the lower bound.
PointBounds quick_bounds(const Triangle& triangle, const Vector3& point) {
  using geometry::largest_entry;
  const Vector3 a = triangle.a - point, b = triangle.b - point, c = triangle.c - point;
  const double size = std::max({largest_entry(a), largest_entry(b), largest_entry(c)});
  if (!geometry::closest::within_scale(size)) return {};
  const geometry::closest::TrianglePoint found = geometry::closest::triangle_point(Vector3::Zero(), a, b, c);
  const double length = found.gap.norm();
  // Three coordinates of each corner, three products and sums for the point, a norm, a dot product and a quotient: less
  // than thirty half-ulps of the largest length.
  const double error = 0x1p-48 * size;
  if (!(length > error)) return {0, length + error, found.gap};
  const double reach = std::min({found.gap.dot(a), found.gap.dot(b), found.gap.dot(c)});
  return {std::max(0.0, reach / length - error), length + error, found.gap};
}

/// Collects the distances of the triangles measured.
struct SurfaceDistance {
  const PlacedMesh& mesh;
  const SimpleShape& shape;
  convex::Effort effort;
  Distance best{};
  double lower = infinity;
  convex::FarPlane plane{};

  bool is_convex_core() const { return shape.core == SimpleShape::Core::convex; }

  Distance distance_of(const Triangle& triangle) const {
    if (effort == convex::Effort::quick && shape.core == SimpleShape::Core::point && shape.radius == 0) {
      const PointBounds bounds = quick_bounds(triangle, shape.corners.a);
      if (bounds.is_tight()) {
        Distance found;
        found.lower = bounds.lower;
        found.upper = bounds.upper;
        found.point_a = shape.corners.a + bounds.gap;
        found.point_b = shape.corners.a;
        found.normal = bounds.gap / -bounds.gap.norm();
        return found;
      }
    }
    return convex::distance_within(convex::simple_triangle(triangle), shape, best.upper);
  }

  void measure(std::uint32_t number) {
    const Triangle triangle = triangle_at(mesh, number);
    if (is_convex_core()) {
      const double gap = plane.gap(triangle);
      if (gap > convex::plainly_farther(shape, best.upper)) {
        lower = std::min(lower, gap);
        return;
      }
    }
    const Distance found = distance_of(triangle);
    lower = std::min(lower, found.lower);
    // Ties go to the lowest number, whatever the order of the measurements.
    if (!(found.upper < best.upper || (found.upper == best.upper && number < best.feature_a.id))) return;
    best = found;
    best.feature_a = triangle_feature(number);
    if (is_convex_core()) plane.set(shape, best.normal);
  }
};

/// A triangle to be measured after the traversal.
struct Candidate {
  double lower;
  std::uint32_t number;
};

std::vector<Candidate>& candidates() {
  thread_local std::vector<Candidate> list;
  list.clear();
  return list;
}

/// Converts between lengths for the core in the tree's unit and lengths for the shape, with its radius, in the world.
struct Lengths {
  double scale;
  double radius;

  /// If the core is farther than the result, the shape is farther than `length`.
  double to_core(double length) const {
    if (length < 0) return -1;
    return (length + radius) * (1 + 0x1p-48) * scale;
  }
  /// If the core is no nearer than `length`, the shape is no nearer than the result.
  double to_world_lower(double length) const { return to_world(length, -0x1p-52); }
  double to_world_upper(double length) const { return to_world(length, 0x1p-52); }

  double to_world(double length, double rounding) const {
    if (length == infinity) return infinity;
    const double world = length / scale * (1 + rounding);
    return radius == 0 ? world : std::max(0.0, world - radius + rounding * (world + radius));
  }
};

}  // namespace

std::optional<std::uint32_t> touching_triangle(const PlacedMesh& mesh, const SimpleShape& shape, std::uint32_t guess,
                                               Cost& cost) {
  if (guess < mesh.mesh.triangle_count()) {
    ++cost.primitive_tests;
    if (convex::touches_simple_simple(convex::simple_triangle(triangle_at(mesh, guess)), shape)) return guess;
  }
  std::optional<std::uint32_t> found;
  each_touching_triangle(mesh, shape, cost, [&](std::uint32_t number, const SimpleShape&) {
    found = number;
    return false;
  });
  return found;
}

Distance surface_distance(const PlacedMesh& mesh, const SimpleShape& shape, const DistanceOptions& options,
                          convex::Effort effort) {
  const LocalFrame frame(mesh);
  const NearQuery query = near_query(frame, shape);
  const Lengths lengths{frame.scale, shape.radius};
  Cost cost;
  SurfaceDistance measured{mesh, shape, effort};
  Distance& best = measured.best;
  best.upper = infinity;
  PairMemory* const memory = memory_of(options.cache);
  if (memory != nullptr && memory->closest_a < mesh.mesh.triangle_count()) {
    ++cost.primitive_tests;
    measured.measure(memory->closest_a);
  }

  // Once something is known to be as near as `upper`, anything that is no nearer than the result does not matter.
  const auto limit_of = [&](double upper) {
    if (upper <= options.close_enough || upper == 0) return -1.0;
    return lengths.to_core(
        std::min(upper == infinity ? upper : std::max(0.0, upper - options.tolerance), options.upper_bound));
  };
  double upper = best.upper;  // of the triangles measured, or bounded by the traversal
  double passed = infinity;
  if (query.kind == NearQuery::Kind::point) {
    // The traversal's own bounds are good enough to find the few triangles that are worth measuring.
    std::vector<Candidate>& near = candidates();
    const auto visit = [&](const NearTriangle& triangle) {
      near.push_back({triangle.lower, triangle.number});
      upper = std::min(upper, lengths.to_world_upper(triangle.upper));
      return limit_of(upper);
    };
    passed = lengths.to_world_lower(walk_near(query, limit_of(upper), options.budget, cost, visit));
    // Bounds the candidates again, in doubles from the placed corners. Those that remain are practically equally close.
    double limit = lengths.to_core(std::min(upper, options.upper_bound));
    const auto drop_farther = [&] {
      std::erase_if(near, [&](const Candidate& c) {
        if (c.lower > limit) passed = std::min(passed, lengths.to_world_lower(c.lower));
        return c.lower > limit;
      });
    };
    drop_farther();
    if (near.size() > 1) {
      for (Candidate& candidate : near) {
        const PointBounds bounds = quick_bounds(triangle_at(mesh, candidate.number), shape.corners.a);
        candidate.lower = std::max(candidate.lower, bounds.lower * lengths.scale);
        limit = std::min(limit, std::max(bounds.upper, shape.radius) * (1 + 0x1p-48) * lengths.scale);
      }
      drop_farther();
    }
    std::ranges::sort(near, {}, [](const Candidate& c) { return std::pair(c.lower, c.number); });
    for (const Candidate& candidate : near) {
      const double least = lengths.to_world_lower(candidate.lower);
      if (candidate.lower > lengths.to_core(best.upper)) break;
      // If the search was stopped early, the bounds are rough anyway.
      if (best.upper < infinity &&
          (limit_of(best.upper) < 0 || cost.volume_tests + cost.primitive_tests >= options.budget)) {
        passed = std::min(passed, least);
        break;
      }
      measured.measure(candidate.number);
    }
  } else {
    const auto visit = [&](const NearTriangle& triangle) {
      measured.measure(triangle.number);
      return limit_of(best.upper);
    };
    passed = lengths.to_world_lower(walk_near(query, limit_of(upper), options.budget, cost, visit));
  }
  const bool spent = cost.volume_tests + cost.primitive_tests >= options.budget;
  if (best.upper == infinity && spent) measured.measure(frame.tree->leaves.front().id[0]);

  const double lower = std::min(measured.lower, passed);
  if (lower > options.upper_bound) return farther_than_asked(lower, cost);
  best.cost = cost;
  if (passed < std::min(measured.lower, best.upper)) {
    const bool wanted = best.upper - passed <= options.tolerance || best.upper <= options.close_enough;
    best.stop = wanted || !spent ? Stop::tolerance : Stop::budget;
  }
  best.lower = std::min(lower, best.upper);
  if (memory != nullptr) memory->closest_a = best.feature_a.id;
  return best;
}

}  // namespace whisker::mesh
