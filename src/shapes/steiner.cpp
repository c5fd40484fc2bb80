#include "shapes/steiner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/shape.hpp>

#include "shapes/mass_arithmetic.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::shapes {
namespace {

SteinerIntegrals::Moments at_origin(const Interval& total, const IntervalMatrix3& second) {
  return {total, {}, second};
}

/// The same about the z axis, with a first moment along it.
SteinerIntegrals::Moments about_axis(const Interval& total, const Interval& z, const Interval& xx, const Interval& zz) {
  return {total, {0, 0, z}, diagonal(xx, xx, zz)};
}

}  // namespace

Interval angle_of(const Interval& sine, const Interval& cosine) {
  const double sine_lower = std::max(0.0, sine.lower);
  const double sine_upper = std::max(0.0, sine.upper);
  if (sine_lower == 0 && cosine.lower <= 0 && cosine.upper >= 0) return {0, pi_interval().upper};
  const auto two_down = [](double x) { return std::max(0.0, geometry::next_down(geometry::next_down(x))); };
  const auto two_up = [](double x) { return geometry::next_up(geometry::next_up(x)); };
  return {two_down(std::atan2(cosine.upper > 0 ? sine_lower : sine_upper, cosine.upper)),
          std::min(two_up(std::atan2(cosine.lower > 0 ? sine_upper : sine_lower, cosine.lower)), pi_interval().upper)};
}

int steiner_exponent(double size, double radius) {
  return std::max(std::ilogb(std::max(size, radius)), -1000);
}

SteinerIntegrals SteinerIntegrals::in_units(int new_exponent) const {
  const int change = exponent - new_exponent;
  SteinerIntegrals result = *this;
  result.exponent = new_exponent;
  const auto change_matrix = [&](IntervalMatrix3& matrix, int dimension) {
    for (Interval& entry : matrix.entry)
      entry = times_power(entry, dimension * change);
  };
  const auto change_moments = [&](Moments& moments, int dimension) {
    moments.total = times_power(moments.total, dimension * change);
    for (std::size_t k = 0; k < 3; ++k)
      moments.first[k] = times_power(moments.first[k], (dimension + 1) * change);
    change_matrix(moments.second, dimension + 2);
  };
  change_moments(result.body, 3);
  change_moments(result.surface, 2);
  change_moments(result.edges, 1);
  change_moments(result.corners, 0);
  change_matrix(result.normals, 2);
  change_matrix(result.support, 1);
  return result;
}

MassBody SteinerIntegrals::around(double radius) const {
  const Interval r = times_power(radius, -exponent);
  const Interval r2 = square(r), r3 = r2 * r, r4 = square(r2), r5 = r4 * r;
  const Interval pi = pi_interval();
  const Interval volume = body.total + r * surface.total + r2 * edges.total / 2 + 4 * pi * r3 / 3;
  MassBody result;
  result.volume = times_power(volume, 3 * exponent);
  result.origin = origin;
  IntervalVector3 center;
  for (std::size_t k = 0; k < 3; ++k) {
    center[k] = (body.first[k] + r * surface.first[k] + r2 * edges.first[k] / 2 + r3 * corners.first[k] / 3) / volume;
    result.offset[k] = times_power(center[k], exponent);
  }
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = k; l < 3; ++l) {
      Interval sum = body.second(k, l) + r * surface.second(k, l) + r2 * edges.second(k, l) / 2 +
                     r3 * (corners.second(k, l) - normals(k, l)) / 3 + r4 * support(k, l);
      if (k == l) sum += r2 * body.total + 2 * r3 * surface.total / 3 + 4 * pi * r5 / 15;
      const Interval shift = k == l ? square(center[k]) : center[k] * center[l];
      result.covariance(k, l) = result.covariance(l, k) = times_power(sum / volume - shift, 2 * exponent);
    }
  return result;
}

SteinerIntegrals steiner_integrals(const Box& box, int exponent) {
  const Interval pi = pi_interval();
  SteinerIntegrals sums;
  sums.exponent = exponent;
  std::array<Interval, 3> size;
  for (std::size_t k = 0; k < 3; ++k)
    size[k] = times_power(box.size[static_cast<int>(k)], -exponent);
  const Interval& x = size[0];
  const Interval& y = size[1];
  const Interval& z = size[2];
  sums.body.total = x * y * z;
  sums.surface.total = 2 * (x * y + y * z + z * x);
  sums.edges.total = 2 * pi * (x + y + z);
  sums.corners.total = 4 * pi;
  for (std::size_t k = 0; k < 3; ++k) {
    const Interval& a = size[k];
    const Interval& b = size[(k + 1) % 3];
    const Interval& c = size[(k + 2) % 3];
    const Interval a2 = square(a);
    sums.body.second(k, k) = sums.body.total * a2 / 12;
    sums.surface.second(k, k) = a2 * (b * c / 2 + a * (b + c) / 6);
    sums.edges.second(k, k) = pi * a2 * (a / 6 + (b + c) / 2);
    sums.corners.second(k, k) = pi * a2;
    sums.normals(k, k) = 2 * b * c;
    sums.support(k, k) = pi * (2 * a + b + c) / 4;
  }
  return sums;
}

SteinerIntegrals steiner_integrals(const Cylinder& cylinder, int exponent) {
  const Interval pi = pi_interval();
  const Interval a = times_power(cylinder.radius, -exponent), l = times_power(cylinder.length, -exponent);
  const Interval a2 = square(a), l2 = square(l), a3 = a2 * a;
  SteinerIntegrals sums;
  sums.exponent = exponent;
  const Interval volume = pi * a2 * l;
  sums.body = at_origin(volume, diagonal(volume * a2 / 4, volume * a2 / 4, volume * l2 / 12));
  const Interval side = pi * a3 * (a / 2 + l);
  sums.surface = at_origin(2 * pi * a * (a + l), diagonal(side, side, pi * a * l2 * (a / 2 + l / 6)));
  // A right angle along two circles, and the curvature 1/a on the side.
  const Interval bent = pi * a2 * (l + pi * a);
  sums.edges = at_origin(2 * pi * (l + pi * a), diagonal(bent, bent, pi * l2 * (l / 6 + pi * a / 2)));
  sums.corners = at_origin(4 * pi, diagonal(2 * pi * a2, 2 * pi * a2, pi * l2));
  sums.normals = diagonal(pi * a * l, pi * a * l, 2 * pi * a2);
  // h = a sin φ + l/2 |cos φ|, with φ the angle from the axis.
  const Interval across = pi * (3 * pi * a / 8 + l / 4);
  sums.support = diagonal(across, across, pi * (pi * a / 4 + l / 2));
  return sums;
}

SteinerIntegrals steiner_integrals(const Cone& cone, int exponent) {
  SteinerIntegrals sums;
  const Interval pi = pi_interval();
  const Interval a = times_power(cone.radius, -exponent), l = times_power(cone.length, -exponent);
  if (a == Interval(0) && l == Interval(0)) return steiner_integrals(Box{Vector3::Zero()}, exponent);
  sums.exponent = exponent;
  const Interval a2 = square(a), l2 = square(l), a3 = a2 * a;
  const Interval slant = sqrt(a2 + l2);
  // The side's normal has the components cosine, across the axis, and sine, along it.
  const Interval sine = a / slant, cosine = l / slant;
  const Interval opening = angle_of(a, l);
  const Interval turn = pi / 2 + opening;  // of the normals at the base's circle
  const Interval volume = pi * a2 * l / 3;
  sums.body = about_axis(volume, -(volume * l / 4), 3 * volume * a2 / 20, volume * l2 / 10);
  sums.surface = about_axis(pi * a * (a + slant), -(pi * a * l * (a / 2 + slant / 6)), pi * a3 * (a + slant) / 4,
                            pi * a * l2 * (a / 4 + slant / 12));
  sums.edges = about_axis(2 * pi * (l + a * turn), -(pi * a * l * turn), pi * a2 * (l / 3 + a * turn),
                          pi * l2 * (l / 6 + a * turn / 2));
  sums.corners = about_axis(4 * pi, -(2 * pi * l * sine), pi * a2 * (1 + sine), pi * l2);
  const Interval across = pi * a * l * cosine / 2;
  sums.normals = diagonal(across, across, pi * a * (a + a * sine));
  // h is l/2 sin ψ above the angle of the side's normal, and a cos ψ - l/2 sin ψ below it, ψ counted from the base up.
  const Interval s2 = square(sine), c4 = square(square(cosine)), both = sine * cosine;
  const Interval round = pi * (l * c4 / 4 + a * (3 * turn / 8 + both / 2 + both * (1 - 2 * s2) / 8));
  sums.support = diagonal(round, round, pi * (l * (1 - square(s2)) / 2 + a * (turn - both * (1 - 2 * s2)) / 4));
  return sums;
}

std::optional<MassBody> rounded_body(const Shape& shape, double radius) {
  return shape.visit([&]<class T>(const T& s) -> std::optional<MassBody> {
    if constexpr (std::is_same_v<T, Box>) {
      return steiner_integrals(s, steiner_exponent(s.size.maxCoeff(), radius)).around(radius);
    } else if constexpr (std::is_same_v<T, Cylinder> || std::is_same_v<T, Cone>) {
      return steiner_integrals(s, steiner_exponent(std::max(s.radius, s.length), radius)).around(radius);
    } else if constexpr (std::is_same_v<T, Ellipsoid>) {
      return rounded_ellipsoid(s, radius);
    } else if constexpr (std::is_same_v<T, Segment>) {
      const Vector3 points[] = {s.a, s.b};
      return steiner_integrals(points, radius).around(radius);
    } else if constexpr (std::is_same_v<T, Triangle>) {
      const Vector3 points[] = {s.a, s.b, s.c};
      return steiner_integrals(points, radius).around(radius);
    } else if constexpr (std::is_same_v<T, ConvexHull>) {
      return steiner_integrals(s.vertices(), radius).around(radius);
    } else if constexpr (std::is_same_v<T, Mesh>) {
      if (!s.is_solid() || !storage_of(s).convex_middle()) return {};
      std::vector<Vector3> corners;  // not the vertices that no triangle uses
      for (const Index3& t : s.triangles())
        for (const std::uint32_t v : t)
          corners.push_back(s.vertices()[v]);
      return steiner_integrals(corners, radius).around(radius);
    } else {
      return {};
    }
  });
}

}  // namespace whisker::shapes
