// The contact manifolds of two surfaces of triangles.
//
// Every pair of triangles that are near each other touches along the normal of one of the two, or across two crossing
// edges: the direction along which they overlap least, of those that both surfaces feel there. A surface feels
// directions between the normals of the triangles that meet at a point, so an edge between flush triangles is not felt.
// Pairs whose triangles are neighbors on both surfaces form a region, and the points of a region are joined by their
// normals.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>

#include <Eigen/Geometry>

#include "convex/manifold_points.hpp"
#include "geometry/constants.hpp"
#include "geometry/lease.hpp"
#include "geometry/unit_vector.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/near_surface.hpp"
#include "queries/table.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::queries {
namespace {

/// Two triangles that face the same way by more than this cosine do not face each other.
constexpr double same_way = 0.5;

/// Points of a region that do not touch yet are joined if their normals differ by at most this, in radians: on curved
/// surfaces there are many, each with its own normal.
constexpr double open_angle = 0.25;

/// The angle across an edge where a surface ends.
constexpr double border = std::numbers::pi / 2;

/// The sine of the least angle at which a point is clearly on one side of a triangle.
constexpr double clear_side = 0x1p-9;

/// Points this close to an edge, relative to the pair's size, are on it.
constexpr double on_edge = 0x1p-20;

/// A triangle of a surface, relative to an origin, in units of the pair's size.
struct FacingTriangle {
  std::uint32_t number = 0;
  std::array<Vector3, 3> corners;
  Vector3 normal = Vector3::Zero();  // out of the solid, or toward the other surface; a unit vector or zero
  std::array<Vector3, 3> along;      // of each edge, to the next corner: a unit vector
  std::array<Vector3, 3> out;        // of each edge: away from the triangle, in its plane
  std::array<double, 3> bend{};      // how far the surface bends back across each edge; a right angle where it ends
  double trust = 0;                  // in the side of the normal
  bool is_turned = false;            // the corners are clockwise around the normal

  convex::SupportFace face() const {
    convex::SupportFace result;
    result.normal = normal;
    for (const std::uint32_t k : is_turned ? std::array{0u, 2u, 1u} : std::array{0u, 1u, 2u})
      result.add(corners[k], 3 * number + k);
    return result;
  }
};

/// Turns the normal around.
void turn_over(FacingTriangle& t) {
  t.normal = -t.normal;
  t.is_turned = !t.is_turned;
  for (double& bend : t.bend)
    if (bend != border) bend = -bend;
}

/// A surface that is not solid is touched from the side on which the middle of the other one clearly is. Where that
/// does not tell, the order of the corners does: most meshes that could be solid but are not face outward.
template <class Surface, class Other>
FacingTriangle facing_triangle(const Surface& surface, const Triangle& t, std::uint32_t number, const Vector3& origin,
                               double factor, const Other& other) {
  FacingTriangle result;
  result.number = number;
  result.corners = {(t.a - origin) * factor, (t.b - origin) * factor, (t.c - origin) * factor};
  const auto& c = result.corners;
  result.normal = geometry::unit_normal(c[0], c[1], c[2]);
  for (std::uint32_t k = 0; k < 3; ++k) {
    result.along[k] = geometry::unit_vector(c[(k + 1) % 3] - c[k]);
    result.out[k] = result.along[k].cross(result.normal);
    Vector3 vertex;
    result.bend[k] = border;
    if (!surface.find_across(number, k, vertex)) continue;
    const Vector3 from = (vertex - origin) * factor - c[k];
    result.bend[k] = std::atan2(-result.normal.dot(from), result.out[k].dot(from));
  }
  result.trust = infinity;
  if (surface.is_one_sided()) return result;
  const double height = result.normal.dot(other.direction_from(t.a));
  result.trust = std::abs(height);
  if (height < -clear_side) turn_over(result);
  return result;
}

/// Whether the surface recedes from a point of an edge in all directions, as seen along `out`, a unit vector away from
/// the surface: `out` is between the normals of the two triangles at the edge, which bend by more than the angle, and
/// the edge does not rise from the point.
bool is_felt_at_edge(const FacingTriangle& t, std::size_t k, const Vector3& point, const Vector3& out, double angle) {
  if (!(t.bend[k] > angle)) return false;
  const double lean = std::atan2(out.dot(t.out[k]), out.dot(t.normal));
  if (!(lean >= -angle && lean <= t.bend[k] + angle)) return false;
  const double rise = out.dot(t.along[k]), next = t.along[k].dot(t.corners[(k + 1) % 3] - point),
               last = t.along[k].dot(point - t.corners[k]);
  return !(rise > angle && next > on_edge) && !(rise < -angle && last > on_edge);
}

/// Whether a point of a triangle can be touched from the direction `out`.
bool is_felt(const FacingTriangle& t, const Vector3& point, const Vector3& out, double angle) {
  if (out.dot(t.normal) >= std::cos(angle)) return true;
  for (std::size_t k = 0; k < 3; ++k)
    if (t.out[k].dot(point - t.corners[k]) > -on_edge && is_felt_at_edge(t, k, point, out, angle)) return true;
  return false;
}

double longest_edge(const Triangle& t) {
  return std::max({(t.b - t.a).stableNorm(), (t.c - t.b).stableNorm(), (t.a - t.c).stableNorm()});
}

/// A corner of a triangle of a and one of a triangle of b, where the two triangles touch.
struct CornerPair {
  std::uint64_t hash;   // of the two positions
  std::uint32_t touch;  // the number of the pair of triangles
};
/// Of a point in a ground: the point of the surface straight above it.
std::optional<Vector3> surface_above(const Placed& placed, const Vector3& point) {
  const HeightField* const field = shapes::ground_surface(placed.shape);
  if (field == nullptr) return {};
  const auto hit = ray_height_field({point, placed.pose.rotation().col(2)}, *field, placed.pose);
  if (!hit) return {};
  return hit->point;
}

struct SurfacePairMemory {
  Contacts contacts;
  std::vector<ContactPoint> points;
  std::vector<bool> felt;      // which of the points both surfaces feel
  std::vector<bool> has_felt;  // which regions have such points
  std::vector<CornerPair> corners;
  std::vector<std::uint32_t> regions;  // of each pair of triangles that touches: a pair of the same region, or itself
};

std::uint64_t hash_position(const Vector3& position, std::uint64_t hash) {
  for (int k = 0; k < 3; ++k) {
    hash ^= std::bit_cast<std::uint64_t>(position[k] + 0.0);  // -0 is 0
    hash *= 0x9E3779B97F4A7C15;                               // Knuth 1998, 6.4: the golden ratio
    hash ^= hash >> 29;
  }
  return hash;
}

/// Adds the corners of two triangles that touch. Triangles are neighbors if they have a corner at the same position, so
/// that soups have regions too.
void add_corners(const Triangle& a, const Triangle& b, SurfacePairMemory& memory) {
  const auto touch = static_cast<std::uint32_t>(memory.regions.size());
  memory.regions.push_back(touch);
  for (const Vector3* const corner_a : {&a.a, &a.b, &a.c}) {
    const std::uint64_t hash = hash_position(*corner_a, 1);
    for (const Vector3* const corner_b : {&b.a, &b.b, &b.c})
      memory.corners.push_back({hash_position(*corner_b, hash), touch});
  }
}

/// Gives every point the number of its region. Each has that of its pair of triangles now. Pairs are neighbors if their
/// triangles share a corner in a and one in b. (Two positions with the same hash would join two regions, no more.)
void find_regions(SurfacePairMemory& memory) {
  std::vector<std::uint32_t>& regions = memory.regions;
  const auto region_of = [&](std::uint32_t touch) {
    while (regions[touch] != touch)
      touch = regions[touch] = regions[regions[touch]];
    return touch;
  };
  std::vector<CornerPair>& corners = memory.corners;
  std::sort(corners.begin(), corners.end(), [](const CornerPair& p, const CornerPair& q) { return p.hash < q.hash; });
  for (std::size_t i = 1; i < corners.size(); ++i) {
    if (corners[i].hash != corners[i - 1].hash) continue;
    const auto [first, second] = std::minmax({region_of(corners[i - 1].touch), region_of(corners[i].touch)});
    regions[second] = first;
  }
  for (ContactPoint& p : memory.points)
    p.region = region_of(p.region);
}

/// Drops the points that are not felt, in regions that have others.
void drop_unfelt(SurfacePairMemory& memory) {
  std::vector<bool>& has_felt = memory.has_felt;
  has_felt.assign(memory.regions.size(), false);
  for (std::size_t i = 0; i < memory.points.size(); ++i)
    if (memory.felt[i]) has_felt[memory.points[i].region] = true;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < memory.points.size(); ++i)
    if (memory.felt[i] || !has_felt[memory.points[i].region]) memory.points[kept++] = memory.points[i];
  memory.points.resize(kept);
}

/// The points at which two triangles touch along one direction.
struct PairTouch {
  ContactManifold manifold;
  double depth = infinity;  // of the deepest; infinite if there are none
  bool is_felt = false;     // by both surfaces
};

void measure(PairTouch& touch) {
  touch.depth = touch.manifold.count == 0 ? infinity : -infinity;
  for (const ManifoldPoint& p : touch.manifold.points())
    touch.depth = std::max(touch.depth, -p.gap);
}

/// The points that two triangles share along the normal from a to b: of one of the triangles, so that the other one
/// must feel it. If it feels it somewhere, only these points count.
PairTouch touch_along(const FacingTriangle& a, const FacingTriangle& b, const Vector3& normal, bool is_of_a,
                      double limit, double angle) {
  PairTouch touch;
  convex::ManifoldInput input;
  input.a = a.face();
  input.b = b.face();
  input.normal = normal;
  input.limit = limit;
  input.max_angle = 0x1p-20;  // the normal is that of one of them
  input.is_part = true;
  convex::find_manifold_points(input, touch.manifold);
  ContactManifold felt = touch.manifold;
  felt.count = 0;
  for (const ManifoldPoint& p : touch.manifold.points())
    if (is_of_a ? is_felt(b, p.point_b, -normal, angle) : is_felt(a, p.point_a, normal, angle))
      felt.storage[felt.count++] = p;
  touch.is_felt = felt.count > 0;
  if (touch.is_felt) touch.manifold = felt;
  measure(touch);
  return touch;
}

/// The point where two edges cross that bend outward, if both surfaces feel the direction across them.
PairTouch touch_across(const FacingTriangle& a, const FacingTriangle& b, double limit, double angle) {
  PairTouch best;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (!(a.bend[i] > angle) || !(b.bend[j] > angle)) continue;
      const Vector3 &u = a.along[i], &v = b.along[j];
      const Vector3 across = u.cross(v);
      const double square = across.squaredNorm();
      if (!(square > angle * angle / 100)) continue;  // parallel: their faces touch
      Vector3 normal = across / std::sqrt(square);
      if (normal.dot(a.normal - b.normal) < 0) normal = -normal;
      // The closest points of the two lines.
      const Vector3 between = b.corners[j] - a.corners[i];
      const double s = between.cross(v).dot(across) / square, t = between.cross(u).dot(across) / square;
      const double length_a = u.dot(a.corners[(i + 1) % 3] - a.corners[i]),
                   length_b = v.dot(b.corners[(j + 1) % 3] - b.corners[j]);
      if (!(s >= 0 && s <= length_a && t >= 0 && t <= length_b)) continue;
      const Vector3 on_a = a.corners[i] + s * u, on_b = b.corners[j] + t * v;
      const double gap = normal.dot(on_b - on_a);
      if (!(gap <= limit && -gap < best.depth)) continue;
      if (!is_felt_at_edge(a, i, on_a, normal, angle) || !is_felt_at_edge(b, j, on_b, -normal, angle)) continue;
      best.manifold.normal = normal;
      best.manifold.count = 1;
      best.manifold.storage[0] = {on_a, on_b, gap,
                                  std::uint64_t{convex::edge_name(3 * a.number + static_cast<std::uint32_t>(i))} << 32 |
                                      convex::edge_name(3 * b.number + static_cast<std::uint32_t>(j))};
      best.depth = -gap;
      best.is_felt = true;
    }
  }
  return best;
}

/// The direction along which two triangles overlap least, of those that both surfaces feel, if there are any.
PairTouch best_touch(FacingTriangle& a, FacingTriangle& b, double limit, double angle) {
  PairTouch best;
  if (FacingTriangle& unsure = a.trust < b.trust ? a : b; a.normal.dot(b.normal) > same_way && unsure.trust < infinity)
    turn_over(unsure);
  const auto consider = [&](const PairTouch& touch) {
    if (touch.depth == infinity) return;
    if (touch.is_felt != best.is_felt ? touch.is_felt : touch.depth < best.depth) best = touch;
  };
  if (a.normal.dot(b.normal) <= same_way) {
    if (!b.normal.isZero(0)) consider(touch_along(a, b, -b.normal, false, limit, angle));
    if (!a.normal.isZero(0)) consider(touch_along(a, b, a.normal, true, limit, angle));
  }
  // Two faces that face each other need no look at their edges.
  if (!best.is_felt || a.normal.dot(b.normal) > -std::cos(angle)) consider(touch_across(a, b, limit, angle));
  return best;
}

template <class SurfaceA, class SurfaceB>
void find_between(const Placed& a, const Placed& b, const SurfaceA& surface_a, const SurfaceB& surface_b,
                  const ManifoldOptions& options, SurfacePairMemory& memory, std::vector<ContactManifold>& manifolds) {
  const double rounding = 0x1p-46 * (surface_a.magnitude() + surface_b.magnitude());
  const double limit = options.margin + rounding;
  memory.contacts.pairs.clear();
  memory.contacts.cost = {};
  algorithms(a.shape, b.shape).contacts(a, b, {.segments = false, .margin = limit}, memory.contacts);
  memory.points.clear();
  memory.felt.clear();
  memory.corners.clear();
  memory.regions.clear();
  double size = 0;
  for (const Contact& pair : memory.contacts.pairs) {
    if (pair.a.kind != FeatureKind::triangle || pair.b.kind != FeatureKind::triangle) continue;
    const Triangle ta = surface_a.triangle(pair.a.id), tb = surface_b.triangle(pair.b.id);
    const double larger = std::max(longest_edge(ta), longest_edge(tb));
    if (!(larger > 0)) continue;
    size = std::max(size, std::min(longest_edge(ta), longest_edge(tb)));
    const double factor = std::ldexp(1.0, -std::clamp(std::ilogb(larger), -900, 900));
    const Vector3 origin = ta.a;
    FacingTriangle facing_a = facing_triangle(surface_a, ta, pair.a.id, origin, factor, surface_b);
    FacingTriangle facing_b = facing_triangle(surface_b, tb, pair.b.id, origin, factor, surface_a);
    const PairTouch touch = best_touch(facing_a, facing_b, limit * factor, options.max_angle);
    const ContactManifold& found = touch.manifold;
    if (touch.depth == infinity) continue;
    add_corners(ta, tb, memory);
    for (const ManifoldPoint& p : found.points()) {
      memory.points.push_back({origin + p.point_a / factor, origin + p.point_b / factor, found.normal, p.gap / factor,
                               p.id, pair.a, pair.b, memory.regions.back()});
      memory.felt.push_back(touch.is_felt);
    }
  }
  const std::size_t first = manifolds.size();
  if (!memory.points.empty()) {
    find_regions(memory);
    drop_unfelt(memory);
    join_points(memory.points, {options.max_angle, 0x1p-12 * size, rounding, open_angle}, manifolds);
  } else if (!memory.contacts.pairs.empty()) {
    // They touch, but their triangles do not face each other, or one is inside the other.
    ContactPoint p{.feature_a = memory.contacts.pairs[0].a, .feature_b = memory.contacts.pairs[0].b};
    const PairAlgorithms& pair = algorithms(a.shape, b.shape);
    Depth way;
    if (pair.depth != nullptr && surface_a.is_one_sided() && surface_b.is_one_sided()) way = pair.depth(a, b, {});
    if (way.has_points()) {
      p.feature_a = p.feature_b = {};
      p.a = way.point_a;
      p.b = way.point_b;
      p.normal = way.normal;
      p.gap = -way.upper;
    } else {
      const Distance apart = pair.distance(a, b, {});
      p.a = apart.point_a;
      p.b = apart.point_b;
      if (apart.lower > 0) {
        p.normal = apart.normal;
      } else if (const std::optional<Vector3> top = surface_above(a, p.a)) {
        p.a = *top;
        p.normal = geometry::unit_vector(a.pose.rotation().col(2));
      } else if (const std::optional<Vector3> over = surface_above(b, p.b)) {
        p.b = *over;
        p.normal = -geometry::unit_vector(b.pose.rotation().col(2));
      } else {
        const Vector3 between = geometry::unit_vector(surface_b.middle() - surface_a.middle());
        p.normal = between.isZero(0) ? Vector3(Vector3::UnitZ()) : between;
      }
      p.gap = p.normal.dot(p.b - p.a);
    }
    join_points(std::span(&p, 1), {options.max_angle, 0, rounding}, manifolds);
  }
  if (manifolds.size() > first) manifolds[first].cost = memory.contacts.cost;
}

void find_ordered(const Placed& a, const Placed& b, const ManifoldOptions& options,
                  std::vector<ContactManifold>& manifolds) {
  const geometry::Lease<SurfacePairMemory> memory;
  with_surface(a, [&](const auto& surface_a) {
    with_surface(b,
                 [&](const auto& surface_b) { find_between(a, b, surface_a, surface_b, options, *memory, manifolds); });
  });
}

/// What decides which of two surfaces comes first: the larger one, and of the same size the one farther along an axis.
std::array<double, 4> order_of(const Placed& placed) {
  const Aabb box = placed.shape.bounds();
  std::array<double, 4> order{};
  with_surface(placed, [&](const auto& surface) {
    const Vector3 middle = surface.middle();
    order = {(box.upper - box.lower).maxCoeff(), middle.x(), middle.y(), middle.z()};
  });
  return order;
}

}  // namespace

// Where depths are equal, the order of the two decides. So that it does not matter which one is named first, they have
// an order of their own.
void manifolds_surfaces(const Placed& a, const Placed& b, const ManifoldOptions& options,
                        std::vector<ContactManifold>& manifolds) {
  if (order_of(a) < order_of(b)) return manifolds_exchanged<find_ordered>(a, b, options, manifolds);
  find_ordered(a, b, options, manifolds);
}

}  // namespace whisker::queries
