// Mesh against mesh: touches, contacts and distance.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <whisker/geometry/triangle_tests.hpp>

#include "convex/pair_memory.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/lists.hpp"
#include "geometry/place.hpp"
#include "mesh/containment.hpp"
#include "mesh/depth_body.hpp"
#include "mesh/distance_walk.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/results.hpp"
#include "mesh/side_contacts.hpp"
#include "mesh/touch_walk.hpp"
#include "mesh/triangle_at.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {
namespace {

MeshView view_of(const PlacedMesh& placed) {
  const MeshStorage& storage = storage_of(placed.mesh);
  return {&storage.oriented, storage.data.vertices.data(), storage.data.triangles.data(), &placed.pose};
}

/// The triangles of a placed mesh in world coordinates, with a tree of their own.
struct PlacedCopy {
  std::vector<Vector3> vertices;
  trees::OrientedTree tree;
  Pose pose;

  explicit PlacedCopy(const PlacedMesh& placed)
      : vertices(geometry::mapped(placed.mesh.vertices(),
                                  [&](const Vector3& v) { return geometry::placed_point(placed.pose, v); })),
        tree(trees::build_oriented_tree(vertices, placed.mesh.triangles(), {.threads = 1})) {}
  MeshView view(const PlacedMesh& placed) const {
    return {&tree, vertices.data(), placed.mesh.triangles().data(), &pose};
  }
};

/// Two meshes as a pair of trees, arranged so that the kernels' floats can represent all values that occur.
struct OrderedTrees {
  /// Products of three lengths stay far from the limits of floats if b is no larger than this in a's unit.
  static constexpr double widest_ratio = 0x1p20;
  /// If the rounding error is this large a fraction of the size of both meshes, nothing can be culled: they are too far
  /// away from the origin.
  static constexpr double largest_error = 0x1p-8;

  TreePair pair;
  bool swapped = false;
  std::unique_ptr<const std::pair<PlacedCopy, PlacedCopy>> copies;

  OrderedTrees(const PlacedMesh& a, const PlacedMesh& b) {
    order(view_of(a), view_of(b));
    const double size = std::max(storage_of(a.mesh).radius, storage_of(b.mesh).radius);
    if (pair.error <= largest_error * size * pair.a.tree->scale) return;
    // Use copies in world coordinates instead, which need no further rounding.
    copies = std::make_unique<const std::pair<PlacedCopy, PlacedCopy>>(a, b);
    order(copies->first.view(a), copies->second.view(b));
    pair.error = 0x1p-120;
  }
  /// Numbers found in `pair` as numbers of the two meshes in the caller's order.
  template <class Numbers>
  Numbers original(Numbers found) const {
    if (swapped) std::swap(found.a, found.b);
    return found;
  }

 private:
  void order(const MeshView& a, const MeshView& b) {
    swapped = a.tree->scale > b.tree->scale * widest_ratio;
    pair = swapped ? pair_of(b, a) : pair_of(a, b);
  }
};

double sum_of_sizes(const Vector3& v) {
  return std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
}

// Whether two balls are farther apart than the margin. Rotations stretch lengths by less than 1e-8, and the positions
// of the centers are off by a few roundings of the numbers, whose sizes add up to `sizes`. Squares of tiny lengths are
// not told apart.
bool are_apart(const Vector3& from, const Vector3& to, double radii, double sizes, double margin) {
  const double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
  const double touch =
      radii * (1 + 1e-8) + 0x1p-46 * (sum_of_sizes(from) + sum_of_sizes(to) + sizes) + margin + 0x1p-500;
  return (x * x + y * y + z * z) * (1 - 0x1p-40) > touch * touch;
}

// Whether the bounding balls of two meshes are farther apart than the margin: first the balls around the origins of
// their frames, which need no rotation. Most pairs of a scene need no further test.
bool certainly_apart(const PlacedMesh& a, const PlacedMesh& b, double margin = 0) {
  const MeshStorage& of_a = storage_of(a.mesh);
  const MeshStorage& of_b = storage_of(b.mesh);
  const double reach = of_a.reach + of_b.reach;
  if (are_apart(a.pose.translation(), b.pose.translation(), reach, reach, margin)) return true;
  return are_apart(geometry::placed_point(a.pose, of_a.center), geometry::placed_point(b.pose, of_b.center),
                   of_a.radius + of_b.radius, of_a.oriented.coordinate + of_b.oriented.coordinate, margin);
}

// Whether the last pair that touched still touches. False if its numbers are not valid for these meshes.
bool cached_pair_touches(const PlacedMesh& a, const PlacedMesh& b, const PairMemory& memory, Cost& cost) {
  if (memory.touching_a >= a.mesh.triangle_count() || memory.touching_b >= b.mesh.triangle_count()) return false;
  ++cost.primitive_tests;
  return touches_triangle_triangle(triangle_at(a, memory.touching_a), triangle_at(b, memory.touching_b));
}

// Searches for a pair of triangles that touch, and remembers it.
std::optional<TrianglePair> first_touching(const OrderedTrees& ordered, PairMemory* memory, Cost& cost) {
  TrianglePair found;
  if (!find_touching(ordered.pair, cost, found)) return {};
  found = ordered.original(found);
  if (memory != nullptr) {
    memory->touching_a = found.a;
    memory->touching_b = found.b;
  }
  return found;
}

// Whether the two are still apart along the direction that separated them last. Takes two tree traversals.
bool still_separated(const PlacedMesh& a, const PlacedMesh& b, PairMemory& memory, Cost& cost) {
  const Vector3 local(memory.apart_along[0], memory.apart_along[1], memory.apart_along[2]);
  if (!local.allFinite() || local.isZero(0)) return false;
  const Vector3 direction = (a.pose.rotation() * local).stableNormalized();
  if (memory.apart_a >= a.mesh.triangle_count()) memory.apart_a = 0;
  if (memory.apart_b >= b.mesh.triangle_count()) memory.apart_b = 0;
  const Extreme of_a = farthest_corner(a, direction, memory.apart_a, cost);
  const Extreme of_b = farthest_corner(b, -direction, memory.apart_b, cost);
  const bool apart = of_a.reach + of_b.reach < 0;
  if (apart) {
    memory.apart_misses = 0;
  } else {
    memory.apart_along = {};
    ++memory.apart_misses;
  }
  return apart;
}

void remember_direction(const PlacedMesh& a, const Vector3& direction, PairMemory& memory) {
  constexpr std::uint32_t max_misses = 1;
  if (memory.apart_misses >= max_misses) return;
  const Vector3 local = a.pose.rotation().transpose() * direction;
  memory.apart_along = {local[0], local[1], local[2]};
}

}  // namespace

bool touches_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, PairCache* cache, Cost& cost) {
  ++cost.volume_tests;
  if (certainly_apart(a, b)) return false;
  PairMemory* const memory = memory_of(cache);
  if (memory != nullptr && cached_pair_touches(a, b, *memory, cost)) return true;
  if (memory != nullptr && still_separated(a, b, *memory, cost)) return false;
  return first_touching(OrderedTrees(a, b), memory, cost).has_value() || shared_point(a, b).has_value();
}

namespace {

/// contacts_mesh_mesh with a margin.
void near_contacts(const PlacedMesh& a, const PlacedMesh& b, const ContactOptions& options, Contacts& result) {
  ++result.cost.volume_tests;
  if (certainly_apart(a, b, options.margin)) return;
  const OrderedTrees ordered(a, b);
  const double margin = options.margin * ordered.pair.a.tree->scale * (2 - ordered.pair.stretch);
  const CullFrame frame(a.pose);
  const SurfaceSide side_a(a, frame), side_b(b, frame);
  bool any = false;
  if (margin <= max_margin) {
    ContactCollector<false> collector{options, result};
    any_near(ordered.pair, margin, result.cost, [&](const TrianglePair& numbers) {
      const TrianglePair pair = ordered.original(numbers);
      return collector.add(side_a.item(pair.a), side_b.item(pair.b));
    });
    any = collector.any;
  } else {
    any = add_contacts(side_a, side_b, options, result);
  }
  if (any || result.stop == Stop::count) return;
  if (const std::optional<Vector3> point = shared_point(a, b)) add_contact({}, at_point(*point), options, result);
}

}  // namespace

void contacts_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const ContactOptions& options, Contacts& result) {
  if (options.margin > 0) return near_contacts(a, b, options, result);
  ++result.cost.volume_tests;
  if (certainly_apart(a, b)) return;
  const OrderedTrees ordered(a, b);
  thread_local std::vector<TrianglePair> found;
  found.clear();
  if (!find_all_touching(ordered.pair, options.max_count - result.pairs.size(), result.cost, found)) {
    result.stop = Stop::count;
  }
  for (const TrianglePair& numbers : found) {
    const TrianglePair pair = ordered.original(numbers);
    Contact contact;
    contact.a = triangle_feature(pair.a);
    contact.b = triangle_feature(pair.b);
    if (options.segments) contact.segment = shared_segment(triangle_at(a, pair.a), triangle_at(b, pair.b));
    result.pairs.push_back(contact);
  }
  if (!found.empty() || result.stop == Stop::count) return;
  if (const std::optional<Vector3> point = shared_point(a, b)) add_contact({}, at_point(*point), options, result);
}

namespace {

/// Bounds on the distance as pairs of triangles are measured one by one.
struct PairwiseDistance {
  const PlacedMesh& a;
  const PlacedMesh& b;
  Distance best;
  double lower = infinity;  // of the pairs measured
  bool is_a_first = comes_first(a, b);

  void measure(std::uint32_t triangle_a, std::uint32_t triangle_b) {
    ++best.cost.primitive_tests;
    const Distance found = convex::distance_simple_simple(convex::simple_triangle(triangle_at(a, triangle_a)),
                                                          convex::simple_triangle(triangle_at(b, triangle_b)));
    lower = std::min(lower, found.lower);
    // Ties go to the lowest numbers, whatever the order of the measurements and of the two meshes. Triangles that share
    // the closest corner are such ties.
    if (found.upper > best.upper) return;
    if (found.upper == best.upper) {
      const std::uint32_t best_a = best.feature_a.id, best_b = best.feature_b.id;
      if (is_a_first ? std::tie(triangle_a, triangle_b) >= std::tie(best_a, best_b)
                     : std::tie(triangle_b, triangle_a) >= std::tie(best_b, best_a))
        return;
    }
    const Cost cost = best.cost;
    best = found;
    best.cost = cost;
    best.feature_a = triangle_feature(triangle_a);
    best.feature_b = triangle_feature(triangle_b);
  }
};

// Whether the meshes are so far apart for their size that the squared distance exceeds the range of floats.
bool is_beyond_floats(const TreePair& pair) {
  double far = 0;
  for (int i = 0; i < 3; ++i) {
    double there = pair.shift[i] - pair.a.tree->nodes[0].origin[i];
    for (int j = 0; j < 3; ++j)
      there += pair.ratio * pair.rotation[i][j] * pair.b.tree->nodes[0].origin[j];
    far = std::max(far, std::abs(there));
  }
  return far > 0x1p58;
}

// The distance of two meshes that are each smaller than 2^-50 of that distance. Any two triangles will do: the others
// are nearer by at most the size of both meshes.
Distance far_distance(PairwiseDistance& measured) {
  measured.measure(0, 0);
  Distance result = measured.best;
  const double sizes = 2 * (storage_of(measured.a.mesh).radius + storage_of(measured.b.mesh).radius) * (1 + 1e-8);
  result.lower = std::max(0.0, measured.lower - sizes);
  return result;
}

// How far the corners of all triangles reach beyond `from` along a unit direction, up to rounding. Never too small.
double reach_along(const PlacedMesh& placed, const Vector3& direction, const Vector3& from) {
  double reach = 0;
  for (std::uint32_t i = 0; i < placed.mesh.triangle_count(); ++i) {
    const Triangle t = triangle_at(placed, i);
    for (const Vector3* corner : {&t.a, &t.b, &t.c}) {
      const Vector3 d = *corner - from;
      const double error = 0x1p-50 * d.cwiseAbs().sum();
      reach = std::max(reach, direction.dot(d) + error);
    }
  }
  return reach;
}

// If too many pairs are equally close to be ranked, a plane may separate all of them at once: heaps of triangles in one
// place, or meshes that are small for their distance. Tests every triangle of both meshes once.
void part_by_plane(const PlacedMesh& a, const PlacedMesh& b, Distance& best) {
  if (best.normal.isZero(0)) return;
  const double reach = reach_along(a, best.normal, best.point_a) + reach_along(b, -best.normal, best.point_b);
  constexpr double rounding = 0x1p-49;
  const double along = best.normal.dot(best.point_b - best.point_a);
  const double lower = (along - reach) * (1 - rounding) - rounding * best.upper;
  best.lower = std::min(std::max(best.lower, lower), best.upper);
  if (best.lower >= best.upper * (1 - 1e-12)) best.stop = Stop::exact;
}

Distance touching(const PlacedMesh& a, const PlacedMesh& b, const TrianglePair& pair, const Cost& cost) {
  const TriangleIntersection shared = intersect_triangle_triangle(triangle_at(a, pair.a), triangle_at(b, pair.b));
  Distance result = distance_at(shared.points[0], cost);
  result.feature_a = triangle_feature(pair.a);
  result.feature_b = triangle_feature(pair.b);
  return result;
}

}  // namespace

Distance distance_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const DistanceOptions& options) {
  const OrderedTrees ordered(a, b);
  PairMemory* const memory = memory_of(options.cache);
  Cost cost;
  if (memory != nullptr && cached_pair_touches(a, b, *memory, cost)) {
    return touching(a, b, {memory->touching_a, memory->touching_b}, cost);
  }
  if (const std::optional<TrianglePair> found = first_touching(ordered, memory, cost)) {
    return touching(a, b, *found, cost);
  }
  if (const std::optional<Vector3> point = shared_point(a, b)) return distance_at(*point, cost);

  PairwiseDistance measured{a, b, {}};
  measured.best.upper = infinity;
  measured.best.cost = cost;
  if (memory != nullptr && memory->closest_a < a.mesh.triangle_count() && memory->closest_b < b.mesh.triangle_count()) {
    measured.measure(memory->closest_a, memory->closest_b);
  }
  // The line between the last closest points separates boxes best. It is in the frame of the first mesh of the pair.
  Vector3 toward = ordered.pair.a.pose->rotation().transpose() * measured.best.normal;
  if (ordered.swapped) toward = -toward;
  // Converts lengths from the user's unit to that of the pair's first tree, and back, rounded to the safe side.
  const double unit = ordered.pair.a.tree->scale;
  const double wider = 2 - ordered.pair.stretch;
  const DistanceGoal goal = {.upper = std::min(measured.best.upper, options.upper_bound) * unit * wider,
                             .tolerance = options.tolerance * unit / wider,
                             .enough = options.close_enough * unit / wider,
                             .budget = options.budget,
                             .direction = {toward[0], toward[1], toward[2]}};
  if (is_beyond_floats(ordered.pair)) return far_distance(measured);
  thread_local std::vector<CloseTriangles> close;
  close.clear();
  const DistanceWalk walk = find_closest(ordered.pair, goal, measured.best.cost, close);
  const auto to_world = [&](double length) { return length / unit * ordered.pair.stretch * (1 - 0x1p-48); };
  std::ranges::sort(close, {}, [](const CloseTriangles& c) { return std::tuple(c.lower, c.a, c.b); });
  double lower = walk.stop == Stop::exact ? infinity : to_world(walk.lower);
  // A search that stopped early has rough bounds anyway, so a few measurements are enough.
  constexpr std::size_t few = 4;
  const bool cut_short = walk.stop == Stop::budget || walk.stop == Stop::limit ||
                         (walk.stop == Stop::tolerance && options.close_enough >= 0);
  std::size_t count = 0;
  const auto measure = [&](const CloseTriangles& found) {
    const CloseTriangles pair = ordered.original(found);
    measured.measure(pair.a, pair.b);
  };
  if (walk.found && walk.stop != Stop::exact) measure(walk.nearest);
  for (const CloseTriangles& pair : close) {
    const double least = to_world(std::sqrt(static_cast<double>(pair.lower)));
    const double wanted = measured.best.upper - (walk.stop == Stop::exact ? 0 : options.tolerance);
    if (least >= wanted || (cut_short && (count >= few || measured.best.upper <= options.close_enough))) {
      if (least < measured.best.upper) lower = std::min(lower, least);
      break;
    }
    ++count;
    measure(pair);
  }
  if (measured.best.upper == infinity && walk.stop == Stop::budget) measured.measure(0, 0);
  Distance& best = measured.best;
  if (walk.stop == Stop::exact && measured.lower > options.upper_bound) {
    // All remaining pairs are farther: the search went a little beyond the bound.
    return farther_than_asked(std::nextafter(options.upper_bound, infinity), best.cost);
  }
  best.lower = std::min({measured.lower, lower, best.upper});
  best.stop = walk.stop;
  if (best.stop == Stop::limit && best.upper < infinity) part_by_plane(a, b, best);
  if (memory != nullptr && best.upper < infinity) {
    memory->closest_a = best.feature_a.id;
    memory->closest_b = best.feature_b.id;
    remember_direction(a, best.normal, *memory);
  }
  return best;
}

}  // namespace whisker::mesh
