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
#include <limits>
#include <numbers>
#include <optional>

#include <Eigen/Geometry>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/triangle_tests.hpp>

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
  std::array<bool, 3> ends{};        // whether it does
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
  for (std::size_t k = 0; k < 3; ++k)
    if (!t.ends[k]) t.bend[k] = -t.bend[k];
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
    result.ends[k] = !surface.find_across(number, k, vertex);
    if (result.ends[k]) continue;
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

/// The direction in the middle of those from which the surface can be touched at an edge.
Vector3 middle_out(const FacingTriangle& t, std::size_t k) {
  return std::cos(t.bend[k] / 2) * t.normal + std::sin(t.bend[k] / 2) * t.out[k];
}

/// Whether a surface can be touched at a point from a direction.
enum class Feel {
  none,
  at_end,  // where the surface ends. It may go on with triangles that do not share the edge
  full
};

Feel feel_at_edge(const FacingTriangle& t, std::size_t k, const Vector3& point, const Vector3& out, double angle) {
  if (!is_felt_at_edge(t, k, point, out, angle)) return Feel::none;
  return t.ends[k] ? Feel::at_end : Feel::full;
}

/// The same for any point of a triangle and the direction `out`.
Feel feel(const FacingTriangle& t, const Vector3& point, const Vector3& out, double angle) {
  if (out.dot(t.normal) >= std::cos(angle)) return Feel::full;
  Feel best = Feel::none;
  for (std::size_t k = 0; k < 3; ++k)
    if (t.out[k].dot(point - t.corners[k]) > -on_edge) best = std::max(best, feel_at_edge(t, k, point, out, angle));
  return best;
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

/// The points of two triangles.
struct PairPoints {
  std::uint32_t pair;          // of the contacts
  std::uint32_t first, count;  // of the points
  std::uint32_t region = 0;
  double depth = 0;        // of the deepest point
  Feel feel = Feel::none;  // of the surface that feels it less
  bool touches = false;    // the two triangles share a point
  bool is_kept = true;
};

/// A direction in which triangles of a region push that touch.
struct Push {
  Vector3 normal;
  double depth;
};

struct SurfacePairMemory {
  Contacts contacts;
  std::vector<ContactPoint> points;
  std::vector<PairPoints> pairs;
  std::vector<ContactPoint> kept;
  std::vector<Push> pushes;
  std::vector<CornerPair> corners, table;
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

/// Gives every pair the number of its region. Pairs are neighbors if their triangles share a corner in a and one in b.
/// (Two positions with the same hash would join two regions, no more.)
void find_regions(SurfacePairMemory& memory) {
  std::vector<std::uint32_t>& regions = memory.regions;
  const auto region_of = [&](std::uint32_t touch) {
    while (regions[touch] != touch)
      touch = regions[touch] = regions[regions[touch]];
    return touch;
  };
  // A table of the hashes, with the first pair of each.
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<CornerPair>& table = memory.table;
  const std::size_t slots = std::bit_ceil(2 * memory.corners.size());
  table.assign(slots, {0, none});
  for (const CornerPair& corner : memory.corners) {
    std::size_t slot = static_cast<std::size_t>(corner.hash >> 20) & (slots - 1);
    while (table[slot].touch != none && table[slot].hash != corner.hash)
      slot = (slot + 1) & (slots - 1);
    if (table[slot].touch == none) {
      table[slot] = corner;
      continue;
    }
    const auto [first, second] = std::minmax({region_of(table[slot].touch), region_of(corner.touch)});
    regions[second] = first;
  }
  for (std::uint32_t i = 0; i < memory.pairs.size(); ++i) {
    PairPoints& pair = memory.pairs[i];
    pair.region = region_of(i);
    for (ContactPoint& p : std::span(memory.points).subspan(pair.first, pair.count))
      p.region = pair.region;
  }
}

/// The points at which two triangles touch along one direction.
struct PairTouch {
  ContactManifold manifold;
  double depth = infinity;  // of the deepest; infinite if there are none
  Feel feel = Feel::none;   // of the surface that feels it less
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
  for (const ManifoldPoint& p : touch.manifold.points()) {
    const Feel at = is_of_a ? feel(b, p.point_b, -normal, angle) : feel(a, p.point_a, normal, angle);
    if (at != Feel::none) felt.storage[felt.count++] = p;
    touch.feel = std::max(touch.feel, at);
  }
  if (felt.count > 0) touch.manifold = felt;
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
      if (normal.dot(middle_out(a, i) - middle_out(b, j)) < 0) normal = -normal;
      // The closest points of the two lines.
      const Vector3 between = b.corners[j] - a.corners[i];
      const double s = between.cross(v).dot(across) / square, t = between.cross(u).dot(across) / square;
      const double length_a = u.dot(a.corners[(i + 1) % 3] - a.corners[i]),
                   length_b = v.dot(b.corners[(j + 1) % 3] - b.corners[j]);
      if (!(s >= 0 && s <= length_a && t >= 0 && t <= length_b)) continue;
      const Vector3 on_a = a.corners[i] + s * u, on_b = b.corners[j] + t * v;
      const double gap = normal.dot(on_b - on_a);
      if (!(gap <= limit && -gap < best.depth)) continue;
      const Feel felt = std::min(feel_at_edge(a, i, on_a, normal, angle), feel_at_edge(b, j, on_b, -normal, angle));
      if (felt == Feel::none) continue;
      best.manifold.normal = normal;
      best.manifold.count = 1;
      best.manifold.storage[0] = {on_a, on_b, gap,
                                  std::uint64_t{convex::edge_name(3 * a.number + static_cast<std::uint32_t>(i))} << 32 |
                                      convex::edge_name(3 * b.number + static_cast<std::uint32_t>(j))};
      best.depth = -gap;
      best.feel = felt;
    }
  }
  return best;
}

/// Of two triangles that face the same way, the one whose side is less sure is turned over, if it has another side.
/// Where neither is sure, as of a sheet flat on another, each is turned toward the other.
void face_each_other(FacingTriangle& a, FacingTriangle& b) {
  const double facing = a.normal.dot(b.normal);
  if (a.trust < clear_side && b.trust < clear_side && std::abs(facing) > same_way) {
    const Vector3 way = (b.corners[0] + b.corners[1] + b.corners[2]) - (a.corners[0] + a.corners[1] + a.corners[2]);
    const Vector3 up = facing > 0 ? Vector3(a.normal + b.normal) : Vector3(a.normal - b.normal);
    const bool is_over = up.dot(way) >= 0;
    if (!is_over) turn_over(a);
    if (is_over == (facing > 0)) turn_over(b);
    return;
  }
  FacingTriangle& unsure = a.trust < b.trust ? a : b;
  if (facing > same_way && unsure.trust < infinity) turn_over(unsure);
}

/// The direction along which two triangles overlap least, of those that both surfaces feel, if there are any.
PairTouch best_touch(FacingTriangle& a, FacingTriangle& b, double limit, double angle) {
  PairTouch best;
  face_each_other(a, b);
  const auto consider = [&](const PairTouch& touch) {
    if (touch.depth == infinity) return;
    const bool is_felt = touch.feel != Feel::none, best_is_felt = best.feel != Feel::none;
    if (is_felt != best_is_felt ? is_felt : touch.depth < best.depth) best = touch;
  };
  if (a.normal.dot(b.normal) <= same_way) {
    if (!b.normal.isZero(0)) consider(touch_along(a, b, -b.normal, false, limit, angle));
    if (!a.normal.isZero(0)) consider(touch_along(a, b, a.normal, true, limit, angle));
  }
  // Two faces that face each other need no look at their edges.
  if (best.feel == Feel::none || a.normal.dot(b.normal) > -std::cos(angle)) consider(touch_across(a, b, limit, angle));
  return best;
}

/// Of two surfaces that touch in more places than this, or in more points, also those that touch are joined up to
/// open_angle: one of them may be in the same pose as the other.
constexpr std::size_t most_places = 64;
constexpr std::size_t most_points = 4096;

bool is_triangle_pair(const Contact& pair) {
  return pair.a.kind == FeatureKind::triangle && pair.b.kind == FeatureKind::triangle;
}

/// The id of a point inside two triangles that has no other.
std::uint64_t pair_id(const Contact& pair) {
  return std::uint64_t{pair.a.id & 0x3FFFFFFFu} << 32 | (pair.b.id & 0x3FFFFFFFu);
}

/// A pair of triangles that pushes in another direction than the others of its region may be left out.
constexpr double other_way = 0.8;

/// Whether of two triangles that do not touch, the one of b is behind that of a, as seen along the normal from a to b.
bool is_behind(const FacingTriangle& a, const FacingTriangle& b, const Vector3& normal, double depth) {
  constexpr double opposite = 0.9;
  if (a.normal.dot(b.normal) <= -opposite) return true;
  const ClosestPoints closest = closest_points(Triangle{a.corners[0], a.corners[1], a.corners[2]},
                                               Triangle{b.corners[0], b.corners[1], b.corners[2]});
  return normal.dot(closest.point_b - closest.point_a) <= -opposite * closest.distance && depth <= 4 * closest.distance;
}

/// How far the triangle of b has to move along a direction until it does not overlap that of a any more, whatever their
/// sides. Negative infinity if it passes it. Stops where it is above `enough`.
double overlap_along(const Triangle& a, const Triangle& b, const Vector3& direction, double enough) {
  const Vector3 u = geometry::perpendicular(direction), v = direction.cross(u);
  struct Shadow {
    std::array<double, 3> x, y, h;
  };
  const auto shadow_of = [&](const Triangle& t) {
    Shadow result;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3 p = (k == 0 ? t.a : k == 1 ? t.b : t.c) - a.a;
      result.x[k] = u.dot(p);
      result.y[k] = v.dot(p);
      result.h[k] = direction.dot(p);
    }
    return result;
  };
  const Shadow s = shadow_of(a), t = shadow_of(b);
  double most = -infinity;
  // The corners of one over the other.
  const auto look_at_corners = [&](const Shadow& of, const Shadow& over, double side) {
    std::array<double, 3> x, y;
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = over.x[(k + 1) % 3] - over.x[k];
      y[k] = over.y[(k + 1) % 3] - over.y[k];
    }
    const double area = x[0] * y[1] - y[0] * x[1];
    if (area == 0) return;
    for (std::size_t i = 0; i < 3; ++i) {
      double height = 0;
      bool is_inside = true;
      for (std::size_t k = 0; k < 3 && is_inside; ++k) {
        const double part = (x[k] * (of.y[i] - over.y[k]) - y[k] * (of.x[i] - over.x[k])) / area;
        is_inside = part >= 0;
        height += part * over.h[(k + 2) % 3];
      }
      if (is_inside) most = std::max(most, side * (of.h[i] - height));
    }
  };
  look_at_corners(s, t, 1);
  look_at_corners(t, s, -1);
  if (most > enough) return most;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t i1 = (i + 1) % 3;
    const double x = s.x[i1] - s.x[i], y = s.y[i1] - s.y[i];
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = (j + 1) % 3;
      const double p = t.x[j1] - t.x[j], q = t.y[j1] - t.y[j];
      const double dx = t.x[j] - s.x[i], dy = t.y[j] - s.y[i], cross = x * q - y * p;
      if (cross == 0) continue;
      const double on_s = (dx * q - dy * p) / cross, on_t = (dx * y - dy * x) / cross;
      if (!(on_s >= 0 && on_s <= 1 && on_t >= 0 && on_t <= 1)) continue;
      most = std::max(most, s.h[i] + on_s * (s.h[i1] - s.h[i]) - t.h[j] - on_t * (t.h[j1] - t.h[j]));
    }
  }
  return most;
}

/// How far apart two triangles would be along a direction, if one covers the other: an upper bound of overlap_along.
double span_along(const Triangle& a, const Triangle& b, const Vector3& direction) {
  const Vector3& o = a.a;
  return std::max({0.0, direction.dot(a.b - o), direction.dot(a.c - o)}) -
         std::min({direction.dot(b.a - o), direction.dot(b.b - o), direction.dot(b.c - o)});
}

/// Decides which pairs of triangles of each region push.
///
/// The two triangles of a pair do not know what the others of their region do. The wall of a crate and the rim of the
/// plate below it overlap by a hair along the vertical, and by half a crate along the only normal that both feel. So a
/// pair is left out if what the others of its region need along another direction also takes its two triangles apart,
/// and is much less. The same holds whatever the depth if one of the two is felt only where its surface ends: there may
/// be more of the surface beside it.
///
/// A pair that does not touch but has passed (its gap is negative) pushes only if pairs of its region that touch do so
/// too, about in the same direction: a region without any has not been entered.
template <class SurfaceA, class SurfaceB>
void judge_regions(const SurfaceA& surface_a, const SurfaceB& surface_b, double max_angle, double rounding,
                   SurfacePairMemory& memory) {
  constexpr std::size_t most_pushes = 16;
  const double cosine = std::cos(max_angle);
  std::vector<PairPoints>& pairs = memory.pairs;
  std::sort(pairs.begin(), pairs.end(), [](const PairPoints& p, const PairPoints& q) {
    if (p.region != q.region) return p.region < q.region;
    return p.depth != q.depth ? p.depth < q.depth : p.pair < q.pair;
  });
  memory.kept.clear();
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    while (end < pairs.size() && pairs[end].region == pairs[begin].region)
      ++end;
    const std::span<PairPoints> region = std::span(pairs).subspan(begin, end - begin);
    const auto normal_of = [&](const PairPoints& p) -> const Vector3& { return memory.points[p.first].normal; };
    // From the least deep on, so that a direction that is not needed is not among the first.
    std::vector<Push>& pushes = memory.pushes;
    pushes.clear();
    bool has_touch = false, is_full = false;
    for (const PairPoints& p : region) {
      has_touch = has_touch || p.touches;
      if (!p.touches || p.feel != Feel::full || !(p.depth >= 0)) continue;
      const auto same = std::find_if(pushes.begin(), pushes.end(),
                                     [&](const Push& push) { return push.normal.dot(normal_of(p)) >= cosine; });
      if (same != pushes.end()) {
        same->depth = p.depth;
      } else if (pushes.size() < most_pushes) {
        pushes.push_back({normal_of(p), p.depth});
      } else {
        is_full = true;
      }
    }
    const auto is_left_out = [&](const PairPoints& p) {
      if (!(p.depth > rounding)) return false;
      const Vector3& normal = normal_of(p);
      for (const Push& push : pushes) {
        const double away = push.normal.dot(normal);
        if (away > (p.touches ? other_way : -other_way)) continue;
        if (p.feel == Feel::full && !(2 * push.depth < p.depth)) continue;
        const Contact& contact = memory.contacts.pairs[p.pair];
        const Triangle a = surface_a.triangle(contact.a.id), b = surface_b.triangle(contact.b.id);
        const double enough = 1.5 * push.depth + rounding;
        if (span_along(a, b, push.normal) <= enough || overlap_along(a, b, push.normal, enough) <= enough) return true;
      }
      return false;
    };
    bool has_felt = false;
    for (PairPoints& p : region) {
      p.is_kept = !is_left_out(p);
      if (p.is_kept && !p.touches && p.depth > rounding) {
        p.is_kept =
            has_touch && (pushes.empty() || is_full || std::any_of(pushes.begin(), pushes.end(), [&](const Push& push) {
                            return push.normal.dot(normal_of(p)) >= same_way;
                          }));
      }
      has_felt = has_felt || (p.is_kept && p.feel != Feel::none);
    }
    for (const PairPoints& p : region) {
      if (!p.is_kept || (has_felt && p.feel == Feel::none)) continue;
      const auto points = std::span(memory.points).subspan(p.first, p.count);
      memory.kept.insert(memory.kept.end(), points.begin(), points.end());
    }
  }
  memory.points.swap(memory.kept);
}

/// A lower bound of the distance of two triangles: that along their normals.
double least_distance(const Triangle& a, const Triangle& b) {
  const auto over = [](const Triangle& t, const Triangle& other) {
    const Vector3 normal = geometry::unit_normal(t.a, t.b, t.c);
    const double p = normal.dot(other.a - t.a), q = normal.dot(other.b - t.a), r = normal.dot(other.c - t.a);
    return std::max(std::min({p, q, r}), -std::max({p, q, r}));
  };
  return std::max(over(a, b), over(b, a));
}

double least_gap(const SurfacePairMemory& memory) {
  double least = infinity;
  for (const ContactPoint& p : memory.points)
    least = std::min(least, p.gap);
  return least;
}

/// For triangles that do not touch: adds the closest points, unless there are points that are as close.
template <class SurfaceA, class SurfaceB>
void add_closest(const SurfaceA& surface_a, const SurfaceB& surface_b, double rounding, SurfacePairMemory& memory) {
  double least = least_gap(memory);
  std::optional<ContactPoint> found;
  for (const Contact& pair : memory.contacts.pairs) {
    if (!is_triangle_pair(pair)) continue;
    const Triangle a = surface_a.triangle(pair.a.id), b = surface_b.triangle(pair.b.id);
    if (!(least_distance(a, b) < least - 16 * rounding)) continue;
    const ClosestPoints closest = closest_points(a, b);
    if (!(closest.distance < least - 16 * rounding)) continue;
    least = closest.distance;
    found = ContactPoint{closest.point_a, closest.point_b, geometry::unit_vector(closest.point_b - closest.point_a),
                         least,           pair_id(pair),   pair.a,
                         pair.b};
  }
  if (found) memory.points.push_back(*found);
}

/// For surfaces that touch where no two triangles push each other: adds a point where the two meet that face each other
/// most.
template <class SurfaceA, class SurfaceB>
void add_meeting(const SurfaceA& surface_a, const SurfaceB& surface_b, SurfacePairMemory& memory) {
  double least = infinity;
  std::optional<ContactPoint> found;
  for (const Contact& pair : memory.contacts.pairs) {
    if (!is_triangle_pair(pair)) continue;
    const Triangle ta = surface_a.triangle(pair.a.id), tb = surface_b.triangle(pair.b.id);
    const double larger = std::max(longest_edge(ta), longest_edge(tb));
    if (!(larger > 0)) continue;
    const double factor = std::ldexp(1.0, -std::clamp(std::ilogb(larger), -900, 900));
    FacingTriangle a = facing_triangle(surface_a, ta, pair.a.id, ta.a, factor, surface_b);
    FacingTriangle b = facing_triangle(surface_b, tb, pair.b.id, ta.a, factor, surface_a);
    face_each_other(a, b);
    const double facing = a.normal.dot(b.normal);
    if (!(facing < least)) continue;
    const TriangleIntersection both = intersect_triangle_triangle(ta, tb);
    if (both.count == 0) continue;
    Vector3 normal = geometry::unit_vector(a.normal - b.normal);
    if (normal.isZero(0)) normal = geometry::unit_vector(surface_b.middle() - surface_a.middle());
    if (normal.isZero(0)) normal = Vector3::UnitZ();
    least = facing;
    const Vector3 at = both.points[0] / 2 + both.points[static_cast<std::size_t>(both.count / 2)] / 2;
    found = ContactPoint{at, at, normal, 0, pair_id(pair), pair.a, pair.b};
  }
  if (found) memory.points.push_back(*found);
}

/// For shapes that are near each other although no two triangles of theirs give a point: where one is inside the other,
/// the shortest way out, and the closest points where they are apart.
template <class SurfaceA, class SurfaceB>
ContactPoint whole_point(const Placed& a, const Placed& b, const SurfaceA& surface_a, const SurfaceB& surface_b,
                         const Contact& first) {
  ContactPoint p{.feature_a = first.a, .feature_b = first.b};
  const PairAlgorithms& pair = algorithms(a.shape, b.shape);
  Depth way;
  if (pair.depth != nullptr && surface_a.is_one_sided() && surface_b.is_one_sided()) way = pair.depth(a, b, {});
  if (way.has_points()) {
    p.feature_a = p.feature_b = {};
    p.a = way.point_a;
    p.b = way.point_b;
    p.normal = way.normal;
    p.gap = -way.upper;
    return p;
  }
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
  return p;
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
  memory.pairs.clear();
  memory.corners.clear();
  memory.regions.clear();
  double size = 0;
  bool is_apart = true, has_triangles = false, has_others = false;
  for (const Contact& pair : memory.contacts.pairs) {
    has_others = has_others || !is_triangle_pair(pair);
    if (!is_triangle_pair(pair)) continue;
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
    has_triangles = true;
    if (touch.depth == infinity && !is_apart) continue;
    const bool is_touch = touches_triangle_triangle(ta, tb);
    is_apart = is_apart && !is_touch;
    if (touch.depth == infinity) continue;
    // A triangle that another one has passed without touching it is right behind that one.
    if (!is_touch && touch.depth > 0 && !is_behind(facing_a, facing_b, found.normal, touch.depth)) continue;
    add_corners(ta, tb, memory);
    memory.pairs.push_back({.pair = static_cast<std::uint32_t>(&pair - memory.contacts.pairs.data()),
                            .first = static_cast<std::uint32_t>(memory.points.size()),
                            .count = found.count,
                            .depth = touch.depth / factor,
                            .feel = touch.feel,
                            .touches = is_touch});
    for (const ManifoldPoint& p : found.points())
      memory.points.push_back({origin + p.point_a / factor, origin + p.point_b / factor, found.normal, p.gap / factor,
                               p.id, pair.a, pair.b});
  }
  if (!memory.points.empty()) {
    find_regions(memory);
    judge_regions(surface_a, surface_b, options.max_angle, rounding, memory);
  }
  if (memory.contacts.pairs.empty()) return;
  if (is_apart && has_triangles) {
    add_closest(surface_a, surface_b, rounding, memory);
  } else if (has_triangles && least_gap(memory) > rounding) {
    add_meeting(surface_a, surface_b, memory);
  }
  // Shapes that touch, or are closest, inside or beside their triangles.
  if (memory.points.empty() || (has_others && is_apart)) {
    const ContactPoint p = whole_point(a, b, surface_a, surface_b, memory.contacts.pairs[0]);
    if (p.gap <= limit && p.gap < least_gap(memory)) memory.points.push_back(p);
  }
  const std::size_t first = manifolds.size();
  const double wide = std::max(options.max_angle, open_angle);
  PlaceOptions places = {memory.points.size() > most_points ? wide : options.max_angle, 0x1p-12 * size, rounding, wide};
  join_points(memory.points, places, manifolds);
  if (manifolds.size() - first > most_places && places.max_angle < wide) {
    places.max_angle = wide;
    manifolds.resize(first);
    join_points(memory.points, places, manifolds);
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

/// What decides which of two surfaces comes first: the larger one, of the same size the one farther along an axis, and
/// of those in the same place the one with more triangles or the other rotation.
std::array<double, 9> order_of(const Placed& placed) {
  const Aabb box = placed.shape.bounds();
  const Matrix3& r = placed.pose.rotation();
  std::array<double, 9> order{};
  with_surface(placed, [&](const auto& surface) {
    const Vector3 middle = surface.middle();
    const auto triangles = static_cast<double>(surface.triangle_count());
    order = {(box.upper - box.lower).maxCoeff(),
             middle.x(),
             middle.y(),
             middle.z(),
             triangles,
             r(0, 0),
             r(1, 0),
             r(0, 1),
             r(2, 1)};
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
