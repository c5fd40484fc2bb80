#pragma once

// Integrals over solids in exact or high-precision arithmetic, and the comparison of mass properties with them.
//
// They are computed in another way than the library does: polyhedra by the divergence theorem, over the faces and in
// rational numbers; round shapes by their slices along z, whose areas and moments are polynomials of z, with a
// quadrature that is exact for those.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <Eigen/Geometry>
#include <boost/math/constants/constants.hpp>
#include <gtest/gtest.h>

#include <whisker/mass.hpp>
#include <whisker/shape.hpp>

#include "support/random_vectors.hpp"
#include "support/reference.hpp"
#include "support/reference_polytope.hpp"

namespace whisker::test::mass {

/// The integrals of 1, x_k and x_k x_l over a solid.
template <class N>
struct Integrals {
  N volume = N(0);
  std::array<N, 3> first = {N(0), N(0), N(0)};
  std::array<std::array<N, 3>, 3> second = {};

  Integrals& operator+=(const Integrals& more) {
    volume += more.volume;
    for (std::size_t k = 0; k < 3; ++k) {
      first[k] += more.first[k];
      for (std::size_t l = 0; l < 3; ++l)
        second[k][l] += more.second[k][l];
    }
    return *this;
  }

  N center(std::size_t k) const { return first[k] / volume; }
  N covariance(std::size_t k, std::size_t l) const { return second[k][l] / volume - center(k) * center(l); }
  /// About a point, for density 1.
  N inertia(std::size_t k, std::size_t l, const std::array<N, 3>& about) const {
    const auto moment = [&](std::size_t i, std::size_t j) {
      return N(second[i][j] - about[i] * first[j] - about[j] * first[i] + about[i] * about[j] * volume);
    };
    return k == l ? N(moment(0, 0) + moment(1, 1) + moment(2, 2) - moment(k, k)) : N(-moment(k, l));
  }
};

/// The solid that each point x of it is moved to rotation · x + translation.
template <class N>
Integrals<N> placed(const Integrals<N>& solid, const Pose& pose) {
  std::array<std::array<N, 3>, 3> r;
  std::array<N, 3> t;
  for (std::size_t k = 0; k < 3; ++k) {
    t[k] = N(pose.translation()[static_cast<int>(k)]);
    for (std::size_t l = 0; l < 3; ++l)
      r[k][l] = N(pose.rotation()(static_cast<int>(k), static_cast<int>(l)));
  }
  Integrals<N> result;
  result.volume = solid.volume;
  std::array<N, 3> turned = {N(0), N(0), N(0)};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t l = 0; l < 3; ++l)
      turned[k] += r[k][l] * solid.first[l];
    result.first[k] = turned[k] + t[k] * solid.volume;
  }
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l) {
      N sum = t[k] * turned[l] + turned[k] * t[l] + t[k] * t[l] * solid.volume;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          sum += r[k][i] * r[l][j] * solid.second[i][j];
      result.second[k][l] = sum;
    }
  return result;
}

/// The mean over a triangle of the third power of a linear function with these values at the corners.
template <class N>
N mean_cube(const N& a, const N& b, const N& c) {
  return (a * a * a + b * b * b + c * c * c + a * a * b + a * a * c + b * b * a + b * b * c + c * c * a + c * c * b +
          a * b * c) /
         N(10);
}
template <class N>
N mean_square(const N& a, const N& b, const N& c) {
  return (a * a + b * b + c * c + a * b + b * c + c * a) / N(6);
}

/// By the divergence theorem: ∫ x_k = ∫ n_k x_k² / 2 and so on, over the surface.
template <class N>
Integrals<N> polyhedron(std::span<const Vector3> vertices, std::span<const Index3> triangles) {
  Integrals<N> sums;
  for (const Index3& corners : triangles) {
    std::array<std::array<N, 3>, 3> p;  // corner, coordinate
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        p[i][k] = N(vertices[corners[i]][static_cast<int>(k)]);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3;
      const std::size_t m = (k + 2) % 3;
      // The triangle's area times component k of its normal.
      const N area = ((p[1][l] - p[0][l]) * (p[2][m] - p[0][m]) - (p[1][m] - p[0][m]) * (p[2][l] - p[0][l])) / N(2);
      if (k == 0) sums.volume += area * (p[0][k] + p[1][k] + p[2][k]) / N(3);
      sums.first[k] += area * mean_square(p[0][k], p[1][k], p[2][k]) / N(2);
      const N cube = mean_cube(p[0][k], p[1][k], p[2][k]);
      sums.second[k][k] += area * cube / N(3);
      // 6 x²y = (x + y)³ - (x - y)³ - 2 y³, and x²y / 2 has the divergence xy along x.
      const auto with = [&](int sign) {
        return mean_cube(N(p[0][k] + sign * p[0][l]), N(p[1][k] + sign * p[1][l]), N(p[2][k] + sign * p[2][l]));
      };
      const N mixed = (with(1) - with(-1) - 2 * mean_cube(p[0][l], p[1][l], p[2][l])) / N(6);
      sums.second[k][l] += area * mixed / N(2);
      sums.second[l][k] = sums.second[k][l];
    }
  }
  return sums;
}

template <class N>
Integrals<N> polyhedron(const Mesh& mesh) {
  return polyhedron<N>(mesh.vertices(), mesh.triangles());
}

/// The convex polyhedron, its faces cut as fans from another vertex than the library takes.
template <class N>
Integrals<N> polyhedron(const ConvexHull& hull) {
  std::vector<Index3> triangles;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    for (std::size_t i = 0; i + 2 < face.size(); ++i)
      triangles.push_back({face.back(), face[i], face[i + 1]});
  }
  return polyhedron<N>(hull.vertices(), triangles);
}

inline Mesh box_mesh(const Vector3& size) {
  return Mesh({{{-size[0] / 2, -size[1] / 2, -size[2] / 2},
                {size[0] / 2, -size[1] / 2, -size[2] / 2},
                {size[0] / 2, size[1] / 2, -size[2] / 2},
                {-size[0] / 2, size[1] / 2, -size[2] / 2},
                {-size[0] / 2, -size[1] / 2, size[2] / 2},
                {size[0] / 2, -size[1] / 2, size[2] / 2},
                {size[0] / 2, size[1] / 2, size[2] / 2},
                {-size[0] / 2, size[1] / 2, size[2] / 2}},
               {{0, 2, 1},
                {0, 3, 2},
                {4, 5, 6},
                {4, 6, 7},
                {0, 1, 5},
                {0, 5, 4},
                {1, 2, 6},
                {1, 6, 5},
                {2, 3, 7},
                {2, 7, 6},
                {3, 0, 4},
                {3, 4, 7}}})
      .solid();
}

/// Adds the part of a solid between two heights whose slices are ellipses with the semi-axes a s and b s, where s² is a
/// polynomial of z of degree 2. Boole's rule is exact for polynomials up to degree 5.
template <class Square>
void add_slices(Integrals<Real>& sums, const Real& a, const Real& b, const Real& from, const Real& to, Square square) {
  const Real pi = boost::math::constants::pi<Real>();
  const std::array<int, 5> weights = {7, 32, 12, 32, 7};
  for (std::size_t i = 0; i < 5; ++i) {
    const Real z = from + (to - from) * Real(i) / 4;
    const Real weight = (to - from) * weights[i] / 90;
    const Real s = square(z);
    const Real area = pi * a * b * s;
    sums.volume += weight * area;
    sums.first[2] += weight * area * z;
    sums.second[0][0] += weight * area * a * a * s / 4;
    sums.second[1][1] += weight * area * b * b * s / 4;
    sums.second[2][2] += weight * area * z * z;
  }
}

struct Reference {
  Integrals<Real> operator()(const Ellipsoid& s) const {
    Integrals<Real> sums;
    const Real c(s.radii[2]);
    add_slices(sums, s.radii[0], s.radii[1], -c, c, [&](const Real& z) { return Real(1 - z * z / (c * c)); });
    return sums;
  }
  Integrals<Real> operator()(const Sphere& s) const { return (*this)(Ellipsoid{Vector3::Constant(s.radius)}); }
  Integrals<Real> operator()(const Cylinder& s) const {
    Integrals<Real> sums;
    const Real half = Real(s.length) / 2;
    add_slices(sums, s.radius, s.radius, -half, half, [](const Real&) { return Real(1); });
    return sums;
  }
  Integrals<Real> operator()(const Cone& s) const {
    Integrals<Real> sums;
    const Real half = Real(s.length) / 2;
    add_slices(sums, s.radius, s.radius, -half, half, [&](const Real& z) {
      const Real share = (half - z) / (2 * half);
      return Real(share * share);
    });
    return sums;
  }
  Integrals<Real> operator()(const Capsule& s) const {
    Integrals<Real> sums = (*this)(Cylinder{s.radius, s.length});
    const Real half = Real(s.length) / 2, r(s.radius);
    for (const int side : {-1, 1}) {
      const auto square = [&](const Real& z) {
        const Real height = (z - side * half) / r;
        return Real(1 - height * height);
      };
      const Real end = side * (half + r);
      add_slices(sums, r, r, std::min(Real(side * half), end), std::max(Real(side * half), end), square);
    }
    return sums;
  }
  Integrals<Real> operator()(const Box& s) const { return polyhedron<Real>(box_mesh(s.size)); }
  Integrals<Real> operator()(const Mesh& s) const { return polyhedron<Real>(s); }
  Integrals<Real> operator()(const ConvexHull& s) const { return polyhedron<Real>(s); }
  Integrals<Real> operator()(const SphereBody& s) const { return polyhedron<Real>(s.mesh()); }
  Integrals<Real> operator()(const SphereSet& s) const {
    Integrals<Real> sums;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.radius(i) > 0) sums += placed((*this)(Sphere{s.radius(i)}), Pose(s.center(i)));
    return sums;
  }
  Integrals<Real> operator()(const Compound& s) const {
    Integrals<Real> sums;
    for (const CompoundPart& part : s.parts())
      sums += placed(part.shape.visit(*this), part.pose);
    return sums;
  }
  template <class Other>
  Integrals<Real> operator()(const Other&) const {
    ADD_FAILURE() << "no reference for this shape";
    return {};
  }
};

inline Integrals<Real> reference(const Shape& shape) {
  return shape.visit(Reference{});
}

// --- comparison ------------------------------------------------------------------------------------------------------

/// Whether the interval contains the value. Rationals are exact. Reals are good to `precision` of `size`: if nothing
/// else is known, to a hundred digits.
template <class N>
bool holds(const Interval& bounds, const N& value, const N& size, double precision = 0x1p-300) {
  const N slack = std::is_same_v<N, Rational> ? N(0) : N(size * N(precision));
  const bool above = bounds.lower == -std::numeric_limits<double>::infinity() || N(bounds.lower) <= value + slack;
  const bool below = bounds.upper == std::numeric_limits<double>::infinity() || value - slack <= N(bounds.upper);
  return above && below;
}

/// The width of the bounds, relative to the volume, to the solid's extent along the axes, and to the mass times
/// extents.
struct Widths {
  double volume = 0;
  double center = 0;
  double covariance = 0;

  double largest() const { return std::max({volume, center, covariance}); }
  void include(const Widths& more) {
    volume = std::max(volume, more.volume);
    center = std::max(center, more.center);
    covariance = std::max(covariance, more.covariance);
  }
};

/// Fails unless every field contains the truth about a body of density 1. Returns the widths of the bounds.
template <class N>
Widths expect_truth(const MassProperties& body, const Integrals<N>& truth, double precision = 0x1p-300) {
  const auto absolute = [](const N& x) { return x < 0 ? N(-x) : x; };
  Widths widths;
  EXPECT_TRUE(holds(body.volume, truth.volume, truth.volume, precision))
      << body.volume.lower << " " << body.volume.upper;
  EXPECT_EQ(body.mass, body.volume);
  widths.volume = width(body.volume) / static_cast<double>(truth.volume);
  std::array<double, 3> extent;
  std::array<N, 3> center;
  for (std::size_t k = 0; k < 3; ++k) {
    center[k] = truth.center(k);
    extent[k] = std::sqrt(static_cast<double>(truth.covariance(k, k)));
    EXPECT_TRUE(holds(body.center[k], center[k], N(absolute(center[k]) + N(extent[k])), precision))
        << k << ": " << body.center[k].lower << " " << body.center[k].upper;
    // No double is closer to the center than the spacing of doubles there.
    const double spacing = test::spacing_of_doubles_at(magnitude(body.center[k]));
    widths.center = std::max(widths.center, std::max(0.0, width(body.center[k]) - 2 * spacing) / extent[k]);
  }
  const IntervalMatrix3 inertia = body.inertia();
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l) {
      // The reference is about the origin, and loses digits by moving to the center.
      const N size = absolute(truth.second[k][k] / truth.volume) + absolute(truth.second[l][l] / truth.volume);
      EXPECT_TRUE(holds(body.covariance(k, l), truth.covariance(k, l), size, precision))
          << k << l << ": " << body.covariance(k, l).lower << " " << body.covariance(k, l).upper;
      EXPECT_TRUE(holds(inertia(k, l), truth.inertia(k, l, center), N(3 * size * truth.volume), precision))
          << k << l << ": " << inertia(k, l).lower << " " << inertia(k, l).upper;
      EXPECT_EQ(body.covariance(k, l), body.covariance(l, k));
      EXPECT_EQ(inertia(k, l), inertia(l, k));
      widths.covariance = std::max(widths.covariance, width(body.covariance(k, l)) / extent[k] / extent[l]);
    }
  return widths;
}

template <class N>
Widths expect_truth(const Shape& shape, const Integrals<N>& truth, double precision = 0x1p-300) {
  const MassProperties body = mass_properties(shape);
  // The functions of Shape are the same numbers, without bounds.
  EXPECT_NEAR(shape.volume() / middle(body.volume), 1, 1e-9);
  const Vector3 apart = shape.centroid() - middle(body.center);
  const double extent = std::sqrt(middle(body.covariance).trace()) + shape.centroid().norm();
  EXPECT_LT(apart.norm(), 1e-9 * extent);
  return expect_truth(body, truth, precision);
}

// The eigenvalues of a symmetric matrix, ascending, by Jacobi's method.
inline std::array<Real, 3> eigenvalues(std::array<std::array<Real, 3>, 3> a) {
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const Real theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const Real t = (theta < 0 ? Real(-1) : Real(1)) / (abs(theta) + sqrt(Real(theta * theta + 1)));
        const Real c = 1 / sqrt(Real(t * t + 1)), s = t * c;
        for (std::size_t k = 0; k < 3; ++k) {
          const Real left = a[k][p], right = a[k][q];
          a[k][p] = c * left - s * right;
          a[k][q] = s * left + c * right;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const Real left = a[p][k], right = a[q][k];
          a[p][k] = c * left - s * right;
          a[q][k] = s * left + c * right;
        }
      }
  }
  std::array<Real, 3> values = {a[0][0], a[1][1], a[2][2]};
  std::sort(values.begin(), values.end());
  return values;
}

inline void expect_principal(const MassProperties& body, const Integrals<Real>& truth, double relative_width) {
  const PrincipalAxes axes = principal_axes(body);
  const Matrix3& rotation = axes.pose.rotation();
  EXPECT_LT((rotation.transpose() * rotation - Matrix3::Identity()).norm(), 1e-14);
  EXPECT_GT(rotation.determinant(), 0);
  for (int i = 0; i < 2; ++i)
    EXPECT_GE(rotation.col(i).maxCoeff(), -rotation.col(i).minCoeff());
  EXPECT_EQ(axes.pose.translation(), middle(body.center));

  std::array<std::array<Real, 3>, 3> tensor;
  const Real density = Real(middle(body.mass)) / truth.volume;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l)
      tensor[k][l] = density * truth.inertia(k, l, {truth.center(0), truth.center(1), truth.center(2)});
  const std::array<Real, 3> exact = eigenvalues(tensor);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(holds(axes.moments[k], exact[k], Real(exact[2] * 1e10)))
        << k << ": " << axes.moments[k].lower << " " << axes.moments[k].upper << " " << static_cast<double>(exact[k]);
    EXPECT_LT(width(axes.moments[k]), relative_width * static_cast<double>(exact[2]));
  }
  const Matrix3 rebuilt = rotation * middle(axes.moments).asDiagonal() * rotation.transpose();
  EXPECT_LT((rebuilt - middle(body.inertia())).norm(), 1e-14 * rebuilt.norm());
}

}  // namespace whisker::test::mass
