#include "methods/marching/march_proof.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "geometry/constants.hpp"
#include "geometry/expansion.hpp"
#include "geometry/place.hpp"

namespace whisker::methods::marching {
namespace {

using Kind = FeatureKind;

// Squares and cubes of lengths in this range neither underflow nor overflow.
bool is_ordinary(double length) {
  return length > 0x1p-300 && length < 0x1p300;
}

// Returns the exact sign of direction · (to - from). The direction must be free of tiny coordinates (see flush_tiny),
// which would make exact products underflow.
int exact_rise(const Vector3& direction, const Vector3& from, const Vector3& to) {
  using geometry::to_expansion;
  using geometry::two_diff;
  const auto term = [&](int axis) { return to_expansion(two_diff(to[axis], from[axis])) * direction[axis]; };
  return ((term(0) + term(1)) + term(2)).sign();
}

int rise(const Vector3& direction, const Vector3& from, const Vector3& to) {
  const double x = direction[0] * (to[0] - from[0]);
  const double y = direction[1] * (to[1] - from[1]);
  const double z = direction[2] * (to[2] - from[2]);
  const double sum = (x + y) + z;
  // Each term has an error of two half-ulps. The sum adds two more, relative to the terms' sizes, and one covers
  // products of these errors.
  const double error = 5 * unit_roundoff * ((std::abs(x) + std::abs(y)) + std::abs(z));
  if (sum > error) return 1;
  if (sum < -error) return -1;
  return exact_rise(direction, from, to);
}

// The pair in coordinates whose origin is a's translation, with bounds on the rounding error. Placing a point takes
// three products and two sums per coordinate: an error of 3 unit_roundoff of the terms' sizes, which over the three
// coordinates is below 6 unit_roundoff times the length of the local point (rotations may stretch it by 1e-9). For b,
// computing `between` rounds once, and so does adding it.
struct Placement {
  const Pose& pose_a;
  const Pose& pose_b;
  Vector3 between;  // from a's translation to b's
  double radii;     // sum for both hulls, about the origins of their frames
  double diameters;
  double span;  // the length of `between`

  Placement(const March& march, const Pose& a, const Pose& b)
      : pose_a(a), pose_b(b), between(b.translation() - a.translation()) {
    radii = (1 + 1e-8) * (march.a.hull->radius + march.b.hull->radius);
    diameters = (1 + 1e-8) * (march.a.hull->diameter + march.b.hull->diameter);
    span = (1 + 1e-8) * between.norm();
  }
  Vector3 of_a(const Vector3& x) const { return geometry::placed_direction(pose_a, x); }
  Vector3 of_b(const Vector3& x) const { return geometry::placed_direction(pose_b, x) + between; }
  double size() const { return radii + span; }
  // Total error of two placed points whose local coordinates are exact.
  double placing_error() const { return 7 * unit_roundoff * radii + 3 * unit_roundoff * span; }
  // The same for points that are mixtures of vertices: adds the error of weights that do not quite sum to 1, of
  // products and of sums.
  double mixing_error() const { return placing_error() + 7 * unit_roundoff * radii; }
};

// A direction perpendicular to both features if they determine one, otherwise along the line between the points. Not
// normalized.
Vector3 separating_direction(const March& march, const Placement& at, const Vector3& gap) {
  const Kind a = march.a.feature.kind;
  const Kind b = march.b.feature.kind;
  const auto facing = [&](const Vector3& n) { return dot(n, gap) < 0 ? Vector3(-n) : n; };
  const auto face_normal = [](const MarchBody& body, const Pose& pose) {
    return geometry::placed_direction(pose, body.hull->faces[body.feature.id].normal);
  };
  if (a == Kind::face) return facing(face_normal(march.a, at.pose_a));
  if (b == Kind::face) return facing(face_normal(march.b, at.pose_b));
  Vector3 along_a = Vector3::Zero(), along_b = Vector3::Zero();
  if (a == Kind::edge) along_a = geometry::placed_direction(at.pose_a, edge_of(march.a).direction);
  if (b == Kind::edge) along_b = geometry::placed_direction(at.pose_b, edge_of(march.b).direction);
  if (a == Kind::edge && b == Kind::edge) {
    const Vector3 across = along_a.cross(along_b);
    if (across.squaredNorm() > 1e-6) return facing(across);
  }
  // Remove the components along the edges that rounding left.
  const Vector3 square = gap - dot(gap, along_a) * along_a;
  return b == Kind::edge ? Vector3(square - dot(square, along_b) * along_b) : square;
}

std::uint32_t highest(const MarchHull& hull, const FeatureWeights& weights, const Vector3& direction) {
  const auto vertices = hull.hull.vertices();
  std::uint32_t best = weights.vertex[0];
  for (std::size_t i = 1; i < static_cast<std::size_t>(weights.count); ++i) {
    if (dot(direction, vertices[weights.vertex[i]]) > dot(direction, vertices[best])) best = weights.vertex[i];
  }
  return best;
}

// Upper bound on direction · (x - from) over the hull, with both in the hull's frame.
double reach(const MarchHull& hull, const FeatureWeights& weights, const Vector3& direction, const Vector3& from) {
  const auto vertices = hull.hull.vertices();
  const auto height = [&](const Vector3& v) {
    const Vector3 terms = direction.cwiseProduct(v - from);
    return terms.sum() + 5 * unit_roundoff * terms.lpNorm<1>();
  };
  if (hull.climbable) return height(vertices[climb(hull, highest(hull, weights, direction), direction)]);
  double best = -infinity;
  for (const Vector3& v : vertices)
    best = std::max(best, height(v));
  return best;
}

// The sign of a determinant of three differences if it is certain: +1 or -1; otherwise 0.
int certain_sign(const Vector3& a, const Vector3& b, const Vector3& c, double error) {
  const double determinant = dot(a.cross(b), c);
  const double la = a.lpNorm<1>() + error, lb = b.lpNorm<1>() + error, lc = c.lpNorm<1>() + error;
  const double bound = 4 * error * (la * lb + lb * lc + lc * la) + 16 * unit_roundoff * la * lb * lc;
  return determinant > bound ? 1 : determinant < -bound ? -1 : 0;
}

// Whether the segment pq certainly passes through the triangle abc. Every coordinate has an error of at most `error`.
bool pierces(const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b, const Vector3& c, double error) {
  const double off = 2 * error + 4 * unit_roundoff * (p - a).lpNorm<1>();
  const int above = certain_sign(b - a, c - a, p - a, off);
  const int below = certain_sign(b - a, c - a, q - a, off);
  if (above == 0 || below != -above) return false;
  const Vector3 pq = q - p;
  const int first = certain_sign(pq, a - p, b - p, off);
  return first != 0 && certain_sign(pq, b - p, c - p, off) == first && certain_sign(pq, c - p, a - p, off) == first;
}

// Whether a placed vertex is certainly inside the other hull.
bool lies_inside(const MarchHull& hull, const Pose& pose, const Vector3& placed, const Vector3& origin, double error) {
  const auto planes = hull.hull.inner_planes();
  if (planes.empty()) return false;
  const Vector3 wanted = placed - origin;
  const Vector3 local = geometry::turned_back(pose.rotation(), wanted);
  // The distance of `local` from the point that is placed exactly at the vertex: the rotation may not be orthonormal.
  const double off = (geometry::placed_direction(pose, local) - wanted).norm();
  const double slack = 2 * (off + 4 * error);
  for (const HullPlane& plane : planes) {
    if (!(dot(plane.normal, local) + slack < plane.offset)) return false;
  }
  return true;
}

}  // namespace

std::uint32_t climb(const MarchHull& hull, std::uint32_t start, const Vector3& direction) {
  return climb_while(hull, start,
                     [&](const Vector3& from, const Vector3& to) { return rise(direction, from, to) > 0; });
}

Distance measure_separation(const March& march, const MarchPoints& points, const Pose& pose_a, const Pose& pose_b) {
  const Placement at(march, pose_a, pose_b);
  const Vector3 local_a = points.a.point(*march.a.hull);
  const Vector3 local_b = points.b.point(*march.b.hull);
  const Vector3 placed_a = at.of_a(local_a);
  const Vector3 placed_b = at.of_b(local_b);
  const Vector3 gap = placed_b - placed_a;
  const double length = gap.norm();
  Distance result;
  result.stop = Stop::limit;
  result.point_a = placed_a + pose_a.translation();
  result.point_b = placed_b + pose_a.translation();
  result.upper = (length + at.mixing_error()) * (1 + 8 * unit_roundoff);
  if (!is_ordinary(length) || !is_ordinary(at.size())) {
    result.upper = infinity;
    return result;
  }
  Vector3 normal = separating_direction(march, at, gap);
  const double steep = normal.norm();
  if (!is_ordinary(steep)) return result;
  normal /= steep;
  const double reach_a =
      reach(*march.a.hull, points.a, flush_tiny(geometry::turned_back(pose_a.rotation(), normal)), local_a);
  const double reach_b =
      reach(*march.b.hull, points.b, flush_tiny(-geometry::turned_back(pose_b.rotation(), normal)), local_b);
  // The error consists of that of the points, of the normal rotated back into the hulls' frames (6 unit_roundoff times
  // a diameter), and of the products and sums here.
  const double error = at.placing_error() + 7 * unit_roundoff * at.diameters + 10 * unit_roundoff * length;
  const double lower = dot(normal, gap) - reach_a - reach_b - error;
  result.lower = std::max(0.0, lower * (1 - 8 * unit_roundoff));
  result.normal = normal;
  if (result.lower > 0 && result.upper - result.lower <= 0x1p-37 * result.upper) result.stop = Stop::exact;
  return result;
}

bool proves_penetration(const March& march, const MarchPoints& points, const Pose& pose_a, const Pose& pose_b) {
  const Placement at(march, pose_a, pose_b);
  if (!is_ordinary(at.size())) return false;
  const double error = 16 * unit_roundoff * at.size();
  // A vertex or edge of one hull inside a face of the other.
  const bool is_face_of_a = march.a.feature.kind == Kind::face;
  const MarchBody &inner = is_face_of_a ? march.b : march.a, &outer = is_face_of_a ? march.a : march.b;
  const FeatureWeights& on_face = is_face_of_a ? points.a : points.b;
  const auto placed = [&](const MarchBody& body, std::uint32_t vertex) {
    const Vector3& local = body.hull->hull.vertices()[vertex];
    return &body == &march.a ? at.of_a(local) : at.of_b(local);
  };
  if (outer.feature.kind != Kind::face) return false;
  if (inner.feature.kind == Kind::vertex) {
    return lies_inside(*outer.hull, is_face_of_a ? pose_a : pose_b, placed(inner, inner.feature.id),
                       is_face_of_a ? Vector3(Vector3::Zero()) : at.between, error);
  }
  if (inner.feature.kind != Kind::edge || on_face.count != 3) return false;
  const auto& [begin, end] = edge_of(inner).ends;
  return pierces(placed(inner, begin), placed(inner, end), placed(outer, on_face.vertex[0]),
                 placed(outer, on_face.vertex[1]), placed(outer, on_face.vertex[2]), error);
}

}  // namespace whisker::methods::marching
