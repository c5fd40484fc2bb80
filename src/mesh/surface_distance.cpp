#include "mesh/surface_distance.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "convex/pair_memory.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/closest_kernels.hpp"
#include "geometry/constants.hpp"
#include "mesh/near_walk.hpp"
#include "mesh/triangle_at.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

/// How far a triangle is from a point.
struct PointBounds {
  double lower = 0;
  double upper = infinity;
  Vector3 gap = Vector3::Zero();  // from the point to one of the triangle that is `upper` away, up to rounding

  /// As tight as anybody needs it.
  bool is_tight() const { return lower > 0 && upper - lower <= 0x1p-44 * lower; }
};

/// In double.
///
/// Corners seen from the point are off by half an ulp of themselves. The closest point that is found of them is the
/// upper bound, whether it is the closest or not, and the plane square to the way there, moved to the corner that
/// reaches least far, the lower bound.
PointBounds quick_bounds(const Triangle& triangle, const Vector3& point) {
  using geometry::closest::largest;
  const Vector3 a = triangle.a - point, b = triangle.b - point, c = triangle.c - point;
  const double size = std::max({largest(a), largest(b), largest(c)});
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

/// The distances of the triangles looked at.
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
    // Of equals the lowest number, whatever the order in which they come.
    if (!(found.upper < best.upper || (found.upper == best.upper && number < best.feature_a.id))) return;
    best = found;
    best.feature_a = {0, FeatureKind::triangle, number};
    if (is_convex_core()) plane.set(shape, best.normal);
  }
};

/// A triangle to be measured when the walk is over.
struct Candidate {
  double lower;
  std::uint32_t number;
};

std::vector<Candidate>& candidates() {
  thread_local std::vector<Candidate> list;
  list.clear();
  return list;
}

/// Lengths in the tree's unit of a core, and in the world of the shape with its radius.
struct Lengths {
  double scale;
  double radius;

  /// A core that is farther than this is a shape that is farther than `length`.
  double to_core(double length) const {
    if (length < 0) return -1;
    return (length + radius) * (1 + 0x1p-48) * scale;
  }
  /// A core no nearer than `length` is a shape no nearer than this.
  double to_world_lower(double length) const {
    if (length == infinity) return infinity;
    const double world = length / scale * (1 - 0x1p-52);
    return radius == 0 ? world : std::max(0.0, world - radius - 0x1p-52 * (world + radius));
  }
  double to_world_upper(double length) const {
    if (length == infinity) return infinity;
    const double world = length / scale * (1 + 0x1p-52);
    return radius == 0 ? world : std::max(0.0, world - radius + 0x1p-52 * (world + radius));
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

  // What is no nearer than this is of no interest, once something is known to be as near as `upper`.
  const auto limit_of = [&](double upper) {
    if (upper <= options.close_enough || upper == 0) return -1.0;
    return lengths.to_core(
        std::min(upper == infinity ? upper : std::max(0.0, upper - options.tolerance), options.upper_bound));
  };
  double upper = best.upper;  // of what was measured, or bounded by the walk
  double passed = infinity;
  if (query.kind == NearQuery::Kind::point) {
    // The walk's own bounds are good enough to find the few triangles that are worth measuring.
    std::vector<Candidate>& near = candidates();
    const auto visit = [&](const NearTriangle& triangle) {
      near.push_back({triangle.lower, triangle.number});
      upper = std::min(upper, lengths.to_world_upper(triangle.upper));
      return limit_of(upper);
    };
    passed = lengths.to_world_lower(walk_near(query, limit_of(upper), options.budget, cost, visit));
    // The bounds again, in double of the placed corners; what is left then is as good as equally close.
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
    std::sort(near.begin(), near.end(), [](const Candidate& p, const Candidate& q) {
      return p.lower < q.lower || (p.lower == q.lower && p.number < q.number);
    });
    for (const Candidate& candidate : near) {
      const double least = lengths.to_world_lower(candidate.lower);
      if (candidate.lower > lengths.to_core(best.upper)) break;
      // When the search was stopped early, the bounds are rough anyway.
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
  if (lower > options.upper_bound) {
    Distance farther;
    farther.lower = lower;
    farther.upper = infinity;
    farther.stop = Stop::tolerance;
    farther.cost = cost;
    return farther;
  }
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
