// The closest points of two convex polyhedra in double-double, where a walk proves nothing.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "convex/certificate.hpp"
#include "convex/gjk.hpp"
#include "geometry/constants.hpp"
#include "geometry/double_double.hpp"
#include "geometry/expansion.hpp"
#include "geometry/least_of.hpp"
#include "methods/marching/march_proof.hpp"

namespace whisker::methods::marching {
namespace {

using geometry::DoubleDouble;
using geometry::norm;
using geometry::Vector3dd;

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

using Loop = convex::GjkLoop<Vector3dd>;

// Whether the origin is certainly in the tetrahedron of the loop's simplex.
bool encloses(const Loop& loop) {
  const auto& w = loop.simplex().w;
  int sides = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector3dd &p = w[(i + 1) % 4], &q = w[(i + 2) % 4], &r = w[(i + 3) % 4];
    const Vector3dd pq = cross(p, q), qr = cross(q, r), rp = cross(r, p);
    const double part = dot(pq, r).hi;
    // The corners have an error of less than 2^-97, which is multiplied by the areas next to them. The products and
    // sums themselves have an error of less than 2^-97 of the product of the lengths.
    const double areas = norm(pq).hi + norm(qr).hi + norm(rp).hi, lengths = norm(p).hi * norm(q).hi * norm(r).hi;
    if (!(std::abs(part) > 0x1p-96 * (areas + lengths) + 0x1p-180)) return false;
    // Each step of the four corners changes the orientation.
    sides += (part > 0) == (i % 2 == 0) ? 1 : -1;
  }
  return std::abs(sides) == 4;
}

// Runs the origin against the difference a - b. At the end the simplex has four corners only if it encloses the origin.
Loop search(const Body& a, const Body& b, std::span<const VertexPair> start) {
  const auto corner = [&](std::uint32_t of_a, std::uint32_t of_b) {
    return convex::SupportPoint<Vector3dd>{a.placed(of_a), b.placed(of_b), of_a, of_b};
  };
  Loop loop({}, nothing, {});
  for (const VertexPair& pair : start)
    loop.insert(corner(pair.a, pair.b));
  bool more = loop.begin();
  while (true) {
    if (loop.simplex().count == 4) {
      if (encloses(loop)) return loop;
      loop.leave_inside();
      more = true;
    }
    const DoubleDouble length = norm(loop.v());
    const bool is_tight = (length - loop.lower()).hi <= 0x1p-50 * length.hi + 16 * convex::certificate_error;
    if (!more || is_tight) return loop;
    const Vector3dd unit = loop.v() * (1.0 / length);
    more = loop.add(corner(a.support(-unit, loop.point(0).vertex_a), b.support(unit, loop.point(0).vertex_b)));
  }
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
      const bool all = std::ranges::all_of(around, [&](const std::array<double, 3>& d) {
        Body moved = a;
        moved.origin = turn == 0 ? Vector3dd{-d[0] * radius, -d[1] * radius, -d[2] * radius}
                                 : Vector3dd{-d[1] * radius, d[2] * radius, d[0] * radius};
        return search(moved, b, start).simplex().count == 4;
      });
      if (all) return true;
    }
  }
  return false;
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

  const Loop loop = search(body_a, body_b, start);
  SearchResult result;
  result.size = loop.simplex().count;
  for (int i = 0; i < result.size; ++i)
    result.simplex[static_cast<std::size_t>(i)] = {loop.point(i).vertex_a, loop.point(i).vertex_b};
  const auto simplex = std::span(result.simplex).first(static_cast<std::size_t>(result.size));
  Vector3dd point_a, point_b;
  loop.witnesses(point_a, point_b);
  const auto in_world = [&](const Vector3dd& p) { return Vector3(to_vector3(p) / factor + pose_a.translation()); };
  result.point_a = in_world(point_a);
  result.point_b = in_world(point_b);
  const DoubleDouble lower = loop.lower() - convex::certificate_error;
  const DoubleDouble upper = norm(point_a - point_b) + convex::certificate_error;
  if (result.size == 4 || (lower <= 0.0 && prove_inside(body_a, body_b, simplex))) {
    result.touches = Answer::yes;
    result.point_b = result.point_a;
    return result;
  }
  result.upper = convex::unscaled_up(upper, factor);
  result.lower = convex::unscaled_down(lower, factor);
  if (result.lower > 0) {
    result.touches = Answer::no;
    result.normal = to_vector3(loop.lower_direction() * (-1.0 / norm(loop.lower_direction())));
  }
  const double open = (upper - (lower > 0.0 ? lower : DoubleDouble(0.0))).hi;
  const bool has_converged = open <= 0x1p-37 * upper.hi || open <= 0x1p-78;
  result.stop = has_converged ? Stop::exact : Stop::limit;
  return result;
}

}  // namespace whisker::methods::marching
