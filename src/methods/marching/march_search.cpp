// The closest points of two convex polyhedra in double-double, where a walk proves nothing.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "convex/certificate.hpp"
#include "geometry/constants.hpp"
#include "geometry/double_double.hpp"
#include "geometry/expansion.hpp"
#include "geometry/least_of.hpp"
#include "methods/marching/march_proof.hpp"

namespace whisker::methods::marching {
namespace {

using geometry::DoubleDouble;
using geometry::norm;
using geometry::squared_norm;
using geometry::Vector3dd;

constexpr int max_iterations = 300;
// A vector shorter than this is only rounding error.
constexpr double nothing = 0x1p-84;

// Returns a direction whose coordinates can be multiplied exactly. Drops parts that are far below the rounding error.
Vector3dd flush_tiny(Vector3dd d) {
  for (DoubleDouble* x : {&d.x, &d.y, &d.z}) {
    if (std::abs(x->hi) < 0x1p-200) *x = 0.0;
    if (std::abs(x->lo) < 0x1p-300) x->lo = 0;
  }
  return d;
}

// Returns the exact sign of direction · (to - from).
int exact_rise(const Vector3dd& d, const Vector3& from, const Vector3& to) {
  const double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
  const double px = d.x.hi * x, py = d.y.hi * y, pz = d.z.hi * z;
  const double sum = (px + py) + pz;
  // Five half-ulps as in plain double, and one for the low parts of the direction.
  const double error = 7 * 0x1p-53 * ((std::abs(px) + std::abs(py)) + std::abs(pz));
  if (sum > error) return 1;
  if (sum < -error) return -1;
  const auto term = [&](int axis, const DoubleDouble& c) {
    return geometry::to_expansion(geometry::two_diff(to[axis], from[axis])) * geometry::Exact2{c.hi, c.lo};
  };
  return ((term(0, d.x) + term(1, d.y)) + term(2, d.z)).sign();
}

// The highest vertex of a climbable hull along a direction in its frame. The direction is used to its last bit.
std::uint32_t climb_exactly(const MarchHull& hull, std::uint32_t start, const Vector3dd& direction) {
  const Vector3dd d = flush_tiny(direction);
  return climb_while(hull, start, [&](const Vector3& from, const Vector3& to) { return exact_rise(d, from, to) > 0; });
}

// A hull scaled by a power of two so that no coordinate of the pair exceeds 4, in coordinates whose origin is the first
// hull's translation.
struct Body {
  const MarchHull* hull;
  const Pose* pose;
  Vector3dd origin;
  double factor;

  Vector3dd placed(std::uint32_t vertex) const {
    const Vector3 x = hull->hull.vertices()[vertex] * factor;
    const Matrix3& r = pose->rotation();
    const auto row = [&](int i) {
      return geometry::product(r(i, 0), x[0]) + geometry::product(r(i, 1), x[1]) + geometry::product(r(i, 2), x[2]);
    };
    return {row(0) + origin.x, row(1) + origin.y, row(2) + origin.z};
  }

  // The vertex farthest along `direction`, a unit vector. If vertices can be compared exactly, found by climbing from
  // `start`.
  std::uint32_t support(const Vector3dd& direction, std::uint32_t start) const {
    return hull->climbable ? climb_exactly(*hull, start, turned_back(direction)) : support_among_all(direction);
  }

  // The direction in the hull's frame, with an error below 2^-98.
  Vector3dd turned_back(const Vector3dd& d) const { return geometry::turned_back(pose->rotation(), d); }

  // Tests all vertices in double, and those that may be the farthest in double-double.
  std::uint32_t support_among_all(const Vector3dd& direction) const {
    const Vector3 d = to_vector3(turned_back(direction));
    const auto vertices = hull->hull.vertices();
    const auto depth = [&](std::uint32_t v) { return -dot(d, vertices[v]); };
    const auto [top, least] = geometry::least_of(vertices.size(), depth);
    // A depth has an error of less than 16 half-ulps of the radius.
    const double most = least + 32 * 0x1p-53 * hull->radius;
    DoubleDouble best_exact = dot(direction, placed(top));
    std::uint32_t result = top;
    for (std::uint32_t v = 0; v < vertices.size(); ++v) {
      if (v == top || !(depth(v) <= most)) continue;
      const DoubleDouble h = dot(direction, placed(v));
      if (h > best_exact || (h == best_exact && v < result)) best_exact = h, result = v;
    }
    return result;
  }
};

struct Corner {
  VertexPair pair;
  Vector3dd point;  // of a - b - offset
};

struct Simplex {
  std::array<Corner, 4> corner;
  std::array<DoubleDouble, 4> weight;
  std::size_t size = 0;
  Vector3dd closest;      // to the origin
  bool encloses = false;  // certainly contains the origin
};

// A face of a simplex and the point of its affine hull (plane, line…) that is closest to the origin, if that point lies
// in the face.
struct Candidate {
  std::array<std::size_t, 4> index{};
  std::array<DoubleDouble, 4> weight;
  std::size_t size = 0;
  Vector3dd closest;
  DoubleDouble squared = 0x1p200;
};

void offer(std::array<std::size_t, 4> index, const std::array<DoubleDouble, 4>& weight, std::size_t size,
           const Vector3dd& closest, Candidate& best) {
  const DoubleDouble squared = squared_norm(closest);
  if (squared < best.squared) best = {index, weight, size, closest, squared};
}

void try_segment(const Simplex& s, std::size_t i, std::size_t j, Candidate& best) {
  const Vector3dd& a = s.corner[i].point;
  const Vector3dd e = s.corner[j].point - a;
  const DoubleDouble ee = squared_norm(e);
  if (!(ee.hi > 0x1p-180)) return;
  const DoubleDouble t = -dot(a, e) / ee;
  if (!(t > 0.0 && t < 1.0)) return;
  const Vector3dd foot = a + e * t;
  // Perpendicular to the edge, even if the edge is short.
  offer({i, j}, {1.0 - t, t, {}, {}}, 2, foot - e * (dot(foot, e) / ee), best);
}

void try_triangle(const Simplex& s, std::size_t i, std::size_t j, std::size_t k, Candidate& best) {
  const Vector3dd& a = s.corner[i].point;
  const Vector3dd& b = s.corner[j].point;
  const Vector3dd& d = s.corner[k].point;
  const Vector3dd e = b - a, f = d - a;
  const Vector3dd n = cross(e, f);
  const DoubleDouble nn = squared_norm(n);
  if (!(nn.hi > 0x1p-160 * squared_norm(e).hi * squared_norm(f).hi)) return;
  // Areas opposite the corners, projected along the normal.
  const DoubleDouble wa = dot(cross(b, d), n) / nn;
  const DoubleDouble wb = dot(cross(d, a), n) / nn;
  const DoubleDouble wc = 1.0 - wa - wb;
  if (!(wa > 0.0 && wb > 0.0 && wc > 0.0)) return;
  offer({i, j, k}, {wa, wb, wc, {}}, 3, n * (dot(n, a) / nn), best);
}

// Whether the origin is in the tetrahedron: certainly, or as far as the precision allows.
bool try_tetrahedron(Simplex& s) {
  const Vector3dd& a = s.corner[0].point;
  const Vector3dd& b = s.corner[1].point;
  const Vector3dd& c = s.corner[2].point;
  const Vector3dd& d = s.corner[3].point;
  const Vector3dd ab = cross(a, b), cd = cross(c, d), bc = cross(b, c), ac = cross(a, c), bd = cross(b, d),
                  ad = cross(a, d);
  const std::array<DoubleDouble, 4> part = {dot(b, cd), -dot(a, cd), dot(d, ab), -dot(c, ab)};
  const double na = norm(a).hi, nb = norm(b).hi, nc = norm(c).hi, nd = norm(d).hi;
  // The corners have an error of less than 2^-97, which is multiplied by the areas next to them. The products and sums
  // themselves have an error of less than 2^-97 of the product of the lengths.
  const double areas_ab = norm(ab).hi, areas_cd = norm(cd).hi, areas_bc = norm(bc).hi, areas_ac = norm(ac).hi,
               areas_bd = norm(bd).hi, areas_ad = norm(ad).hi;
  const auto error = [](double areas, double lengths) { return 0x1p-96 * (areas + lengths) + 0x1p-180; };
  const std::array<double, 4> off = {
      error(areas_bc + areas_cd + areas_bd, nb * nc * nd), error(areas_ac + areas_cd + areas_ad, na * nc * nd),
      error(areas_ab + areas_bd + areas_ad, na * nb * nd), error(areas_ab + areas_bc + areas_ac, na * nb * nc)};
  bool positive = true, negative = true;
  for (std::size_t i = 0; i < 4; ++i) {
    positive = positive && part[i].hi > off[i];
    negative = negative && part[i].hi < -off[i];
  }
  if (!positive && !negative) return false;
  const DoubleDouble sum = part[0] + part[1] + part[2] + part[3];
  for (std::size_t i = 0; i < 4; ++i)
    s.weight[i] = part[i] / sum;
  s.closest = {};
  s.encloses = true;
  return true;
}

void keep(Simplex& s, const Candidate& part) {
  for (std::size_t i = 0; i < part.size; ++i) {
    s.corner[i] = s.corner[part.index[i]];  // indices ascend, so no corner still needed is overwritten
    s.weight[i] = part.weight[i];
  }
  s.size = part.size;
  s.closest = part.closest;
}

// Finds the point of the simplex closest to the origin, and drops the corners that it does not depend on.
void reduce(Simplex& s) {
  if (s.size == 4 && try_tetrahedron(s)) return;
  Candidate best;
  // If the projection of the origin onto the plane or line of all corners lies between them, nothing is closer.
  if (s.size == 2) try_segment(s, 0, 1, best);
  if (s.size == 3) try_triangle(s, 0, 1, 2, best);
  if (best.size > 0) return keep(s, best);
  for (std::size_t i = 0; i < s.size; ++i)
    offer({i}, {1.0, {}, {}, {}}, 1, s.corner[i].point, best);
  for (std::size_t i = 0; i < s.size; ++i) {
    for (std::size_t j = i + 1; j < s.size; ++j)
      try_segment(s, i, j, best);
  }
  for (std::size_t i = 0; i < s.size; ++i) {
    for (std::size_t j = i + 1; j < s.size; ++j) {
      for (std::size_t k = j + 1; k < s.size; ++k)
        try_triangle(s, i, j, k, best);
    }
  }
  keep(s, best);
}

// Bounds are in scaled lengths.
struct MarchSearch {
  Simplex simplex;
  DoubleDouble lower = -1.0;
  DoubleDouble upper = 0x1p100;
  Vector3dd normal;  // from b to a

  bool is_tight() const { return (upper - lower).hi <= 0x1p-50 * upper.hi + 16 * convex::certificate_error; }
};

Corner corner(const Body& a, const Body& b, const VertexPair& pair, const Vector3dd& offset) {
  return {pair, a.placed(pair.a) - b.placed(pair.b) - offset};
}

// Runs the origin against the difference a - b, moved by -offset.
MarchSearch search(const Body& a, const Body& b, std::span<const VertexPair> start, const Vector3dd& offset) {
  MarchSearch result;
  Simplex& s = result.simplex;
  for (const VertexPair& pair : start.first(std::min<std::size_t>(start.size(), 4)))
    s.corner[s.size++] = corner(a, b, pair, offset);
  for (int i = 0; i < max_iterations; ++i) {
    reduce(s);
    if (s.encloses) {
      result.lower = result.upper = 0.0;
      return result;
    }
    const DoubleDouble length = norm(s.closest);
    if (!(length + convex::certificate_error < result.upper))
      return result;  // no progress: only the last bits are
                      // left
    result.upper = length + convex::certificate_error;
    if (length.hi < nothing) return result;
    const Vector3dd unit = s.closest * (1.0 / length);
    const VertexPair next = {a.support(-unit, s.corner[0].pair.a), b.support(unit, s.corner[0].pair.b)};
    const Corner corner_next = corner(a, b, next, offset);
    const DoubleDouble lower = dot(unit, corner_next.point) - convex::certificate_error;
    if (lower > result.lower) {
      result.lower = lower;
      result.normal = unit;
    }
    if (result.is_tight()) return result;
    for (std::size_t k = 0; k < s.size; ++k) {
      if (s.corner[k].pair == next) return result;
    }
    s.corner[s.size++] = corner_next;
  }
  return result;
}

// Whether the origin is inside the difference of a and b, for pairs where the origin lies on the boundary of every
// simplex found (aligned faces of boxes, crossing edges). Proves it with four points around the origin that are inside.
bool prove_inside(const Body& a, const Body& b, std::span<const VertexPair> start) {
  // Directions that a pair of hulls is unlikely to be aligned with. The second four are the first four, rotated.
  constexpr std::array<std::array<double, 3>, 4> around = {{{0.871364012873, 0.312986472913, 0.379128461539},
                                                            {-0.711938472691, 0.549172836451, 0.438726190357},
                                                            {0.068712936457, -0.951283746129, 0.301928374651},
                                                            {-0.049182736451, 0.142837465192, -0.988273641927}}};
  for (double radius = 0x1p-6; radius > 0x1p-60; radius *= 0x1p-12) {
    for (const int turn : {0, 1}) {
      bool all = true;
      for (const auto& d : around) {
        const Vector3dd offset = turn == 0 ? Vector3dd{d[0] * radius, d[1] * radius, d[2] * radius}
                                           : Vector3dd{d[1] * radius, -d[2] * radius, -d[0] * radius};
        if (search(a, b, start, offset).simplex.encloses) continue;
        all = false;
        break;
      }
      if (all) return true;
    }
  }
  return false;
}

double unscaled_down(DoubleDouble value, double factor) {
  const double result = round_down(value) / factor;
  return result < 0x1p-1000 ? 0 : result;  // below this, the division is not exact
}

Vector3dd weighted(const Body& body, const Simplex& s, std::uint32_t VertexPair::*vertex) {
  Vector3dd sum;
  for (std::size_t i = 0; i < s.size; ++i)
    sum = sum + body.placed(s.corner[i].pair.*vertex) * s.weight[i];
  return sum;
}

}  // namespace

SearchResult search_closest(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b,
                            std::span<const VertexPair> start) {
  const Vector3dd between = geometry::difference(pose_b.translation(), pose_a.translation());
  const double largest = std::max({a.radius, b.radius, to_vector3(between).cwiseAbs().maxCoeff()});
  const double factor = largest > 0x1p-1000 ? std::ldexp(1.0, -std::ilogb(largest)) : 1;
  const DoubleDouble scale = factor;
  const Body body_a = {&a, &pose_a, {}, factor};
  const Body body_b = {&b, &pose_b, {between.x * scale, between.y * scale, between.z * scale}, factor};

  const MarchSearch found = search(body_a, body_b, start, {});
  const Simplex& s = found.simplex;
  SearchResult result;
  result.size = static_cast<int>(s.size);
  for (std::size_t i = 0; i < s.size; ++i)
    result.simplex[i] = s.corner[i].pair;
  const Vector3dd point_a = weighted(body_a, s, &VertexPair::a);
  const Vector3dd point_b = weighted(body_b, s, &VertexPair::b);
  const auto in_world = [&](const Vector3dd& p) { return Vector3(to_vector3(p) / factor + pose_a.translation()); };
  result.point_a = in_world(point_a);
  result.point_b = in_world(point_b);
  if (s.encloses || (found.lower <= 0.0 && prove_inside(body_a, body_b, std::span(result.simplex).first(s.size)))) {
    result.touches = Answer::yes;
    result.point_b = result.point_a;
    return result;
  }
  result.upper = round_up(found.upper) / factor;
  result.lower = found.lower > 0.0 ? unscaled_down(found.lower, factor) : 0;
  if (result.lower > 0) {
    result.touches = Answer::no;
    result.normal = to_vector3(-found.normal);
  }
  const double open = (found.upper - (found.lower > 0.0 ? found.lower : DoubleDouble(0.0))).hi;
  const bool has_converged = open <= 0x1p-37 * found.upper.hi || open <= 0x1p-78;
  result.stop = has_converged ? Stop::exact : Stop::limit;
  return result;
}

}  // namespace whisker::methods::marching
