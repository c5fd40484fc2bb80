// The penetration depth of solid meshes with each other and with simple shapes.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "convex/convex_queries.hpp"
#include "convex/exchange.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/deepest_point.hpp"
#include "mesh/depth_body.hpp"
#include "mesh/hull_depth.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/separating_translation.hpp"
#include "mesh/separation_search.hpp"
#include "mesh/surface_distance.hpp"
#include "mesh/triangle_at.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {

using convex::SimpleShape;

namespace {

/// How many points of the difference of two hulls are searched. If both bodies are convex, that is the whole search.
/// Otherwise it is where the search begins.
constexpr int convex_steps = 512;
constexpr int first_steps = 32;
/// The bounds of convex bodies are refined until they differ by less than this fraction of the bodies' size.
constexpr double hull_precision = 0x1p-46;
/// The approximate cost, in tests, of finding how deep a point lies.
constexpr std::uint64_t tests_per_point = 64;
/// Bounds that differ by less than this fraction of the largest coordinate count as exact.
constexpr double rounding_size = 0x1p-40;
/// How many touching pairs of triangles are used to choose start points (between them) and directions (from their
/// normals and edges).
constexpr std::size_t max_contacts = 2048;
constexpr std::size_t edge_pairs = 6;
constexpr std::size_t max_mesh_normals = 16;

double size_of(const Aabb& box) {
  return (box.upper - box.lower).stableNorm();
}

/// By how much the depth of two convex bodies may be less than that of the hulls of their placed corners.
///
/// A placed mesh is within a rounding error e of the exactly convex body that its pose makes of it. Let that body, A,
/// contain a ball of radius r around p, and let B have a point q. If A and B moved by t' intersect for all |t'| < h,
/// then A and B moved by t = (1 - f) t' + f (p - q) intersect too, in a point of B that lies f r deep in A. With f = e
/// / r that point is in the placed mesh too. So the depth is less than h by no more than f (h + |p - q|).
double rounding_of_convex(const DepthBody& a, const DepthBody& b, double depth, Cost& cost) {
  double roundings = 0;
  double part = 0;
  for (const DepthBody* body : {&a, &b}) {
    if (!body->is_mesh()) continue;
    const double rounding = 0x1p-48 * body->magnitude();
    const PlacedMesh& mesh = body->mesh();
    const Vector3 middle = geometry::placed_point(mesh.pose, *storage_of(mesh.mesh).convex_middle());
    const Distance radius = surface_distance(mesh, convex::simple_point(middle), {});
    cost += radius.cost;
    const double left = radius.lower - 2 * rounding;
    if (!(left > 0)) return infinity;
    roundings += 2 * rounding;
    part = std::max(part, rounding / left);
  }
  return roundings + 2 * part * (depth + size_of(a.box()) + size_of(b.box()));
}

/// Unit vectors along which a short translation may separate b from a.
class Directions {
 public:
  void add(const Vector3& way) {
    const Vector3 unit = geometry::unit_vector(way);
    if (unit.isZero(0)) return;
    for (const Vector3& other : all_)
      if (other.dot(unit) > 1 - 1e-4) return;
    all_.push_back(unit);
  }
  void add_both(const Vector3& way) {
    add(way);
    add(-way);
  }
  std::span<const Vector3> all() const { return all_; }

 private:
  std::vector<Vector3> all_;
};

Vector3 normal_of(const Triangle& t) {
  return geometry::unit_normal(t.a, t.b, t.c);
}

/// Groups normals into classes by their largest component and the signs and sizes of the others, and counts them.
class NormalClasses {
 public:
  void add(const Vector3& normal) {
    if (normal.isZero(0)) return;
    int axis = 0;
    normal.cwiseAbs().maxCoeff(&axis);
    const auto cell = [&](int other) {
      return static_cast<std::size_t>(std::clamp((normal[other % 3] / std::abs(normal[axis]) + 1) * 2, 0.0, 3.0));
    };
    const std::size_t side = static_cast<std::size_t>(2 * axis) + (normal[axis] < 0 ? 1u : 0u);
    Class& entry = classes_[(side * 4 + cell(axis + 1)) * 4 + cell(axis + 2)];
    entry.sum += normal;
    ++entry.count;
  }

  /// Adds the mean normals of the classes, largest class first.
  void add_to(Directions& directions, std::size_t most) {
    std::ranges::stable_sort(classes_, [](const Class& p, const Class& q) { return p.count > q.count; });
    for (std::size_t i = 0; i < most && classes_[i].count > 0; ++i)
      directions.add(classes_[i].sum);
  }

 private:
  struct Class {
    Vector3 sum = Vector3::Zero();
    std::size_t count = 0;
  };
  std::array<Class, 6 * 4 * 4> classes_;
};

/// Finds where the surfaces touch.
Contacts touching_triangles(const DepthBody& a, const DepthBody& b) {
  Contacts found;
  const ContactOptions options{.max_count = max_contacts, .segments = true};
  if (b.is_mesh()) {
    contacts_mesh_mesh(a.mesh(), b.mesh(), options, found);
  } else {
    contacts_mesh_simple(a.mesh(), b.simple(), options, found);
  }
  return found;
}

/// Points between the touching triangles, at which the search for deep points starts.
std::vector<Vector3> seeds_of(const Contacts& touching, const DepthBody& a, const DepthBody& b) {
  std::vector<Vector3> seeds;
  seeds.push_back(geometry::box_middle(a.box()));
  seeds.push_back(geometry::box_middle(b.box()));
  Vector3 mean = Vector3::Zero();
  double weight = 0;
  for (const Contact& contact : touching.pairs) {
    if (contact.a.kind != FeatureKind::triangle) continue;
    mean += contact.segment.a / 2 + contact.segment.b / 2;
    weight += 1;
  }
  if (weight > 0) seeds.push_back(mean / weight);
  return seeds;
}

/// The normals of the faces that touch, directions perpendicular to their edges, and other promising directions.
Directions directions_of(const Contacts& touching, const DepthBody& a, const DepthBody& b, const DeepPoint& deepest,
                         const Vector3& hull_direction) {
  Directions directions;
  directions.add(hull_direction);
  // b moves so that its deepest point leaves a, or that a's point leaves b. A common point leaves both.
  directions.add(deepest.out_a);
  directions.add(-deepest.out_b);
  directions.add(geometry::unit_vector(deepest.out_a) - geometry::unit_vector(deepest.out_b));
  NormalClasses normals;
  Vector3 sum = Vector3::Zero();
  for (const Contact& contact : touching.pairs) {
    if (contact.a.kind != FeatureKind::triangle) continue;
    const Vector3 out_of_a = normal_of(triangle_at(a.mesh(), contact.a.id));
    normals.add(out_of_a);
    sum += out_of_a;
    if (!b.is_mesh()) continue;
    const Vector3 into_b = -normal_of(triangle_at(b.mesh(), contact.b.id));
    normals.add(into_b);
    sum += into_b;
  }
  directions.add(sum);
  normals.add_to(directions, max_mesh_normals);
  for (int axis = 0; axis < 3; ++axis) {
    directions.add_both(a.mesh().pose.rotation().col(axis));
    directions.add_both((b.is_mesh() ? b.mesh().pose : b.simple().pose).rotation().col(axis));
  }
  directions.add(geometry::box_middle(b.box()) - geometry::box_middle(a.box()));
  if (b.is_mesh() && !touching.pairs.empty()) {
    const std::size_t stride = std::max<std::size_t>(1, touching.pairs.size() / edge_pairs);
    for (std::size_t i = 0; i < touching.pairs.size(); i += stride) {
      const Contact& contact = touching.pairs[i];
      if (contact.a.kind != FeatureKind::triangle) continue;
      const Triangle s = triangle_at(a.mesh(), contact.a.id), t = triangle_at(b.mesh(), contact.b.id);
      for (const Vector3& e : {Vector3(s.b - s.a), Vector3(s.c - s.b), Vector3(s.a - s.c)}) {
        for (const Vector3& f : {Vector3(t.b - t.a), Vector3(t.c - t.b), Vector3(t.a - t.c)}) {
          const Vector3 across = geometry::unit_vector(e).cross(geometry::unit_vector(f));
          if (across.norm() > 1e-6) directions.add(across.dot(sum) < 0 ? Vector3(-across) : across);
        }
      }
    }
  }
  return directions;
}

/// A convex mesh and a convex core that touch, treated as two convex shapes. Returns nothing if that gives no
/// separating direction.
std::optional<Depth> convex_overlap(const DepthBody& a, const DepthBody& b, const DepthOptions& options, Cost& cost) {
  const Mesh& mesh = a.mesh().mesh;
  const Pose own_frame;
  const PlacedMesh local{mesh, own_frame};
  // The corner found may be lower than the highest corner by the rounding error of the heights.
  const double support_error = 0x1p-46 * storage_of(mesh).oriented.coordinate;
  const auto support = [&local, &cost, hint = std::uint32_t{0}](const Vector3& direction) mutable {
    return farthest_corner(local, geometry::unit_vector(direction), hint, cost).point;
  };
  const Shape hull = CustomConvex(support, support_error);
  Depth found =
      convex::depth_convex_convex(convex::convex_body(hull, a.mesh().pose), convex::placed_body(b.simple()), options);
  cost.primitive_tests += found.cost.primitive_tests;
  if (found.normal.isZero(0)) return {};
  // The placed corners differ by rounding from the corners that the pose gives in real arithmetic.
  found.upper = (found.upper + 0x1p-47 * a.magnitude()) * (1 + 0x1p-50);
  if (found.lower > 0) found.lower = std::max(0.0, found.lower - rounding_of_convex(a, b, found.lower, cost));
  const double width = found.upper - found.lower;
  // What counts as exact for two convex shapes, plus a little.
  const double enough = rounding_size * (a.magnitude() + b.magnitude()) + 2e-6 * found.upper;
  if (found.stop == Stop::exact && width > enough) {
    found.stop = width <= options.tolerance ? Stop::tolerance : Stop::limit;
  }
  return found;
}

Stop stop_of(double width, double rounding, const DepthOptions& options) {
  return width <= rounding ? Stop::exact : width <= options.tolerance ? Stop::tolerance : Stop::limit;
}

/// The depth of a solid mesh and another body. The two must touch.
Depth overlap(DepthBody& a, DepthBody& b, const DepthOptions& options, Cost& cost) {
  const std::uint64_t begin = cost.volume_tests + cost.primitive_tests;
  const bool convex = a.is_convex() && b.is_convex();
  if (convex && b.is_convex_core() && !b.simple().convex->body.has_vertices()) {
    if (const std::optional<Depth> found = convex_overlap(a, b, options, cost)) return *found;
  }
  const double radius = b.radius();
  const double magnitude = a.magnitude() + b.magnitude();
  const double rounding = rounding_size * magnitude;
  Depth result;
  const auto take = [&](const Depth& hull) {
    result.upper = std::max(0.0, (hull.upper + radius) * (1 + 0x1p-50));
    result.normal = hull.normal;
  };
  const auto finish = [&] {
    result.lower = std::min(result.lower, result.upper);
    if (result.upper == 0) result = {};
    result.stop = stop_of(result.upper - result.lower, rounding, options);
    return result;
  };

  bool cores_apart = false;
  if (radius > 0) {
    SimpleShape core = b.simple();
    core.radius = 0;
    const Distance gap = distance_mesh_simple(a.mesh(), core, {});
    cost += gap.cost;
    // The ball around the core's nearest point must leave the mesh's nearest point.
    result.lower = std::max(0.0, (radius - gap.upper) * (1 - 0x1p-52) - 0x1p-50 * b.magnitude());
    if (gap.lower > 0) {
      cores_apart = true;
      take(hull_overlap(a, b, gap.normal, cost));
    }
  }
  if (!cores_apart || !convex) {
    const double precision = std::max(options.tolerance / 2, hull_precision * (size_of(a.box()) + size_of(b.box())));
    const Depth hull = hull_depth(a, b, precision, convex ? convex_steps : first_steps, cost);
    if (!cores_apart || hull.upper + radius < result.upper) take(hull);
    if (convex && hull.lower > 0) {
      result.lower = std::max(result.lower, hull.lower + radius - rounding_of_convex(a, b, hull.lower, cost));
    }
  }
  // For convex bodies the hulls tell everything. Where the hulls are separate, there is no overlap.
  if (convex || result.upper == 0) {
    if (convex && b.is_convex_core() && result.upper - result.lower > rounding) {
      // Both results are valid bounds, so the better of each is kept.
      if (const std::optional<Depth> found = convex_overlap(a, b, options, cost)) {
        const double lower = std::max(result.lower, found->lower);
        if (found->upper < result.upper) result = *found;
        result.lower = lower;
      }
    }
    if (!(result.lower > 0) && result.upper > rounding) {
      result.lower = std::max(result.lower, deepest_point(a, b, {}, options.budget / tests_per_point, cost).depth);
    }
    return finish();
  }

  const Contacts touching = touching_triangles(a, b);
  cost += touching.cost;
  const DeepPoint deepest = deepest_point(a, b, seeds_of(touching, a, b), options.budget / tests_per_point, cost);
  result.lower = std::max(result.lower, deepest.depth);
  const std::uint64_t used = cost.volume_tests + cost.primitive_tests - begin;
  if (used < options.budget) {
    const Directions directions = directions_of(touching, a, b, deepest, result.normal);
    find_separating_translation(a, b, directions.all(), options.tolerance, options.budget - used, result, cost);
  }
  finish();
  if (result.stop == Stop::limit && cost.volume_tests + cost.primitive_tests - begin >= options.budget) {
    result.stop = Stop::budget;
  }
  return result;
}

/// Sets the witness points: where the two bodies touch once b has left, after shortening the translation until they do.
void pair_points(const DepthBody& a, const DepthBody& b, const DepthOptions& options, Cost& cost, Depth& result) {
  if (result.normal.isZero(0)) return;
  const auto gap = [&](const Vector3& by) { return moved_distance(a, b, by, infinity, cost); };
  const double magnitude = a.magnitude() + b.magnitude();
  // Moving the pose rounds it, and rounds every corner once more. The direction and the length are rounded too.
  const double rounding = 0x1p-48 * (magnitude + result.upper) + std::numeric_limits<double>::min();
  double length = result.upper;
  Distance touching;
  close_up(result.normal, 0, rounding, gap, length, touching);
  result.point_a = touching.point_a;
  result.point_b = touching.point_b - result.normal * length;
  if (!(length < result.upper)) return;
  result.upper = std::max(result.lower, length * (1 + 0x1p-50));
  if (result.stop == Stop::limit)
    result.stop = stop_of(result.upper - result.lower, rounding_size * magnitude, options);
}

/// How deep the mesh reaches into a half-space: as deep as its deepest corner. Plain doubles find the candidate
/// corners. Each candidate is then measured with its rounding accounted for.
Depth half_space_depth(const PlacedMesh& a, const SimpleShape& half_space, Cost& cost) {
  const Vector3 down = -half_space.normal.stableNormalized();
  std::uint32_t hint = 0;
  const Extreme lowest = farthest_corner(a, down, hint, cost);
  const double near_lowest = lowest.reach - 2 * lowest.error;
  Depth deepest;
  for (const Index3& t : a.mesh.triangles()) {
    for (const std::uint32_t index : t) {
      const Vector3 point = geometry::placed_point(a.pose, a.mesh.vertices()[index]);
      if (down.dot(point) >= near_lowest) include_corner(point, half_space, deepest);
    }
  }
  return deepest;
}

}  // namespace

bool comes_first(const PlacedMesh& a, const PlacedMesh& b) {
  if (a.mesh.triangle_count() != b.mesh.triangle_count()) return a.mesh.triangle_count() > b.mesh.triangle_count();
  const auto compare = [](const double* p, const double* q, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
  };
  int order = compare(a.pose.translation().data(), b.pose.translation().data(), 3);
  if (order == 0) order = compare(a.pose.rotation().data(), b.pose.rotation().data(), 9);
  for (std::size_t i = 0; order == 0 && i < a.mesh.triangle_count(); ++i) {
    const Triangle s = a.mesh.triangle(i), t = b.mesh.triangle(i);
    order = compare(s.a.data(), t.a.data(), 3);
    if (order == 0) order = compare(s.b.data(), t.b.data(), 3);
    if (order == 0) order = compare(s.c.data(), t.c.data(), 3);
  }
  return order <= 0;
}

Depth depth_mesh_mesh(const PlacedMesh& a, const PlacedMesh& b, const DepthOptions& options) {
  require_solid(a.mesh);
  require_solid(b.mesh);
  if (!comes_first(a, b)) {
    Depth result = depth_mesh_mesh(b, a, options);
    exchange(result);
    return result;
  }
  Cost cost;
  Depth result;
  if (touches_mesh_mesh(a, b, nullptr, cost)) {
    DepthBody body_a(a), body_b(b);
    result = overlap(body_a, body_b, options, cost);
    pair_points(body_a, body_b, options, cost, result);
  }
  result.cost = cost;
  return result;
}

Depth depth_mesh_simple(const PlacedMesh& a, const SimpleShape& b, const DepthOptions& options) {
  require_solid(a.mesh);
  Cost cost;
  Depth result;
  if (touches_mesh_simple(a, b, nullptr, cost)) {
    if (b.is_bounded()) {
      DepthBody body_a(a), body_b(b);
      result = overlap(body_a, body_b, options, cost);
      pair_points(body_a, body_b, options, cost, result);
    } else {
      // A mesh is as deep in a half-space or plane as its hull is.
      result = flat_depth(b, [&](const SimpleShape& half_space) { return half_space_depth(a, half_space, cost); });
    }
  }
  result.cost = cost;
  return result;
}

}  // namespace whisker::mesh
