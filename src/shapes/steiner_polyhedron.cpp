// The integrals of convex polyhedra, flat ones included: over faces, edges (with their exterior angles) and corners
// (with the solid angles of their normals).
//
// The differences of vertices are exact, and the normals are computed in double-double, so that slivers have normals
// and angles as accurate as those of other faces.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <whisker/geometry/hull.hpp>

#include "geometry/hull_merge.hpp"
#include "shapes/mass_arithmetic.hpp"
#include "shapes/steiner.hpp"

namespace whisker::shapes {
namespace {

using geometry::DoubleDouble;
using geometry::Vector3dd;

/// Sums of moments, whose widths do not grow with the number of terms.
struct MomentsSum {
  IntervalSum total;
  std::array<IntervalSum, 3> first;
  std::array<IntervalSum, 9> second;

  /// Adds a part with this weight, mean, and mean of x xᵀ.
  void add(const Interval& weight, const IntervalVector3& mean, const IntervalMatrix3& square_mean) {
    total += weight;
    for (std::size_t k = 0; k < 3; ++k) {
      first[k] += weight * mean[k];
      for (std::size_t l = k; l < 3; ++l)
        second[3 * k + l] += weight * square_mean(k, l);
    }
  }
  SteinerIntegrals::Moments value() const {
    SteinerIntegrals::Moments moments;
    moments.total = total.value();
    for (std::size_t k = 0; k < 3; ++k)
      moments.first[k] = first[k].value();
    moments.second = symmetric(second);
    return moments;
  }
  static IntervalMatrix3 symmetric(const std::array<IntervalSum, 9>& sums) {
    IntervalMatrix3 matrix;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = k; l < 3; ++l)
        matrix(k, l) = matrix(l, k) = sums[3 * k + l].value();
    return matrix;
  }
};

void add_matrix(std::array<IntervalSum, 9>& sums, const IntervalMatrix3& more) {
  for (std::size_t i = 0; i < 9; ++i)
    sums[i] += more.entry[i];
}

Interval clamped(const Interval& x, double lower, double upper) {
  return intersect(x, {lower, upper}).value_or(Interval(lower, upper));
}

/// u uᵀ for the unit vector along v; all that it may be, if v may be zero.
IntervalMatrix3 unit_outer(const IntervalVector3& v) {
  IntervalMatrix3 result = outer(v);
  const Interval length = norm_squared(v);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l)
      result(k, l) = clamped(result(k, l) / length, k == l ? 0 : -1, 1);
  return result;
}

IntervalVector3 unit_of(const IntervalVector3& v) {
  const Interval length = norm(v);
  return {clamped(v.x / length, -1, 1), clamped(v.y / length, -1, 1), clamped(v.z / length, -1, 1)};
}

class PolyhedronIntegrals {
 public:
  PolyhedronIntegrals(const HullData& hull, const Aabb& bounds, double radius) : hull_(hull) {
    result_.exponent = steiner_exponent((bounds.upper - bounds.lower).maxCoeff(), radius);
    result_.origin = bounds.lower / 2 + bounds.upper / 2;
    unit_ = std::ldexp(1.0, -result_.exponent);
    for (const Vector3& v : hull.vertices) {
      const Vector3dd d = between(result_.origin, v);
      at_.push_back({interval(d.x, 0), interval(d.y, 0), interval(d.z, 0)});
    }
  }

  SteinerIntegrals result(const Aabb& bounds) {
    add_body(bounds);
    add_faces();
    if (hull_.dimension == 1) {
      const Interval whole_turn = 2 * pi_interval();
      add_edge(0, 1, whole_turn, IntervalMatrix3());
    }
    for (const HullEdge& edge : geometry::loop_edges(hull_.face_vertices, hull_.face_begin, hull_.vertices.size()))
      add_edge_between_faces(edge);
    add_corners();
    result_.surface = surface_.value();
    result_.edges = edges_.value();
    result_.corners = corners_.value();
    result_.normals = MomentsSum::symmetric(normals_);
    result_.support = MomentsSum::symmetric(support_);
    return result_;
  }

 private:
  /// Covers underflows of scaled numbers.
  static constexpr double tiny = 0x1p-1000;

  static Interval interval(const DoubleDouble& x, double error) { return interval_of(x, error + tiny); }

  /// b - a in units; exact.
  Vector3dd between(const Vector3& a, const Vector3& b) const {
    const Vector3dd d = geometry::difference(b, a);
    const auto in_units = [&](const DoubleDouble& x) { return DoubleDouble(x.hi * unit_, x.lo * unit_); };
    return {in_units(d.x), in_units(d.y), in_units(d.z)};
  }
  static IntervalVector3 intervals(const Vector3dd& d) {
    return {interval(d.x, 0), interval(d.y, 0), interval(d.z, 0)};
  }

  /// The cross product of the differences of three vertices. Their coordinates are at most 2 in units, so each product
  /// is at most 4, and the error of a component at most 2^-101 times the sum of two.
  static IntervalVector3 cross_of(const Vector3dd& u, const Vector3dd& v) {
    const Vector3dd c = geometry::cross(u, v);
    const auto size = [](const DoubleDouble& a, const DoubleDouble& b, const DoubleDouble& e, const DoubleDouble& f) {
      return 0x1p-100 * (std::abs(a.hi * b.hi) + std::abs(e.hi * f.hi));
    };
    return {interval(c.x, size(u.y, v.z, u.z, v.y)), interval(c.y, size(u.z, v.x, u.x, v.z)),
            interval(c.z, size(u.x, v.y, u.y, v.x))};
  }

  void add_body(const Aabb& bounds) {
    if (hull_.dimension < 3) return;
    std::vector<Index3> triangles;
    for (std::size_t f = 0; f < hull_.face_count(); ++f) {
      const auto face = hull_.face(f);
      for (std::size_t i = 1; i + 1 < face.size(); ++i)
        triangles.push_back({face[0], face[i], face[i + 1]});
    }
    // Moments about another point, sums with those of the skin and principal axes widen bounds some fifty times. So
    // these have to be far below the 1e-12 of a result.
    const MassBody body = polyhedron_body(hull_.vertices, triangles, bounds, 0x1p-46);
    const int e = result_.exponent;
    const Interval volume = times_power({std::max(0.0, body.volume.lower), body.volume.upper}, -3 * e);
    IntervalVector3 mean;
    IntervalMatrix3 square_mean;
    for (std::size_t k = 0; k < 3; ++k) {
      // The mean is within the bounds, even if the volume cannot be told from 0.
      const int axis = static_cast<int>(k);
      const Interval range =
          times_power(Interval(bounds.lower[axis], bounds.upper[axis]) - Interval(result_.origin[axis]), -e);
      mean[k] = times_power(Interval(body.origin[axis]) - Interval(result_.origin[axis]) + body.offset[k], -e);
      mean[k] = intersect(mean[k], range).value_or(range);
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = k; l < 3; ++l) {
        const Interval range = k == l ? square(largest(k, bounds)) : largest(k, bounds) * largest(l, bounds);
        const Interval shift = k == l ? square(mean[k]) : mean[k] * mean[l];
        const Interval mixed = times_power(body.covariance(k, l), -2 * e) + shift;
        square_mean(k, l) = square_mean(l, k) = intersect(mixed, range).value_or(range);
      }
    MomentsSum sum;
    sum.add(volume, mean, square_mean);
    result_.body = sum.value();
  }
  /// The coordinates of all points.
  Interval largest(std::size_t k, const Aabb& bounds) const {
    const int axis = static_cast<int>(k);
    return times_power(Interval(bounds.lower[axis], bounds.upper[axis]) - Interval(result_.origin[axis]),
                       -result_.exponent);
  }

  void add_faces() {
    angle_.assign(hull_.vertices.size(), Interval(0));
    for (std::size_t f = 0; f < hull_.face_count(); ++f) {
      const auto face = hull_.face(f);
      IntervalVector3 twice_area;  // as a vector; all triangles of the fan face exactly the same way
      const Vector3& a = hull_.vertices[face[0]];
      for (std::size_t i = 1; i + 1 < face.size(); ++i) {
        const IntervalVector3 c =
            cross_of(between(a, hull_.vertices[face[i]]), between(a, hull_.vertices[face[i + 1]]));
        twice_area = twice_area + c;
        const IntervalVector3 &p = at_[face[0]], &q = at_[face[i]], &r = at_[face[i + 1]];
        const IntervalVector3 sum = p + q + r;
        const IntervalMatrix3 squares = outer(sum) + outer(p) + outer(q) + outer(r);
        surface_.add(norm(c) / 2, (Interval(1) / 3) * sum, scaled(Interval(1) / 12, squares));
      }
      face_normal_.push_back(unit_of(twice_area));
      add_matrix(normals_, scaled(norm(twice_area) / 2, unit_outer(twice_area)));
      for (std::size_t i = 0; i < face.size(); ++i) {
        const Vector3& v = hull_.vertices[face[i]];
        const Vector3dd before = between(v, hull_.vertices[face[(i + face.size() - 1) % face.size()]]);
        const Vector3dd after = between(v, hull_.vertices[face[(i + 1) % face.size()]]);
        angle_[face[i]] += angle_of(norm(cross_of(after, before)), dot(intervals(after), intervals(before)));
      }
    }
  }

  /// `bend` is sin θ (2 b bᵀ + d dᵀ - 1), where θ is the exterior angle, b the middle of the normals and d the
  /// direction of the edge. The integral of u uᵀ over the arc of normals is (θ (1 - d dᵀ) + bend) / 2, and that of
  /// h u uᵀ over all directions is the sum over the edges of their length / 4 times this + θ d dᵀ.
  void add_edge(std::uint32_t begin, std::uint32_t end, const Interval& turn, const IntervalMatrix3& bend) {
    const IntervalVector3 along = intervals(between(hull_.vertices[begin], hull_.vertices[end]));
    const Interval length = norm(along);
    const IntervalVector3 middle = Interval(0.5) * (at_[begin] + at_[end]);
    edges_.add(turn * length, middle, outer(middle) + scaled(Interval(1) / 12, outer(along)));
    const IntervalMatrix3 straight = IntervalMatrix3::identity() + unit_outer(along);
    add_matrix(support_, scaled(length / 8, scaled(turn, straight) + bend));
  }

  void add_edge_between_faces(const HullEdge& edge) {
    const IntervalVector3 &left = face_normal_[edge.left], &right = face_normal_[edge.right];
    const bool is_flat = hull_.dimension == 2;  // the two sides of one polygon
    const Interval sine = is_flat ? Interval(0) : clamped(norm(cross(left, right)), 0, 1);
    const Interval cosine = is_flat ? Interval(-1) : clamped(dot(left, right), -1, 1);
    const Interval turn = is_flat ? pi_interval() : angle_of(sine, cosine);
    const IntervalMatrix3 along = unit_outer(intervals(between(hull_.vertices[edge.begin], hull_.vertices[edge.end])));
    // The middle of the normals, b, from their sum; or, if they point in opposite directions, from their difference c:
    // b bᵀ + c cᵀ + d dᵀ = 1.
    const IntervalMatrix3 one = IntervalMatrix3::identity();
    IntervalMatrix3 bend;
    if (middle(cosine) > 0) {
      const IntervalMatrix3 b = unit_outer(left + right);
      bend = b + b + along - one;
    } else {
      const IntervalMatrix3 c = unit_outer(left - right);
      bend = one - along - c - c;
    }
    add_edge(edge.begin, edge.end, turn, scaled(sine, bend));
  }

  void add_corners() {
    const Interval full = 4 * pi_interval();
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const Interval angle = hull_.dimension == 0 ? full : hull_.dimension == 1 ? full / 2 : full / 2 - angle_[i];
      corners_.add(clamped(angle, 0, full.upper), at_[i], outer(at_[i]));
    }
  }

  const HullData& hull_;
  SteinerIntegrals result_;
  double unit_ = 1;
  std::vector<IntervalVector3> at_;  // the vertices, in units and relative to the origin
  std::vector<IntervalVector3> face_normal_;
  std::vector<Interval> angle_;  // of all faces at a vertex
  MomentsSum surface_, edges_, corners_;
  std::array<IntervalSum, 9> normals_, support_;
};

}  // namespace

SteinerIntegrals steiner_integrals(std::span<const Vector3> points, double radius) {
  const HullData hull = convex_hull(points);  // whose faces are exactly planar
  Aabb bounds;
  for (const Vector3& v : hull.vertices)
    bounds.include(v);
  return PolyhedronIntegrals(hull, bounds, radius).result(bounds);
}

}  // namespace whisker::shapes
