// Mass properties of rounded shapes, against integrals over their parts in high precision.
//
// The reference never uses the formulas of the library. It cuts a rounded polyhedron into the polyhedron, prisms on its
// faces, wedges at its edges and sectors of balls at its corners, and integrates over the wedges and sectors
// numerically. It integrates over bodies of revolution by slices, and over rounded ellipsoids by the divergence theorem
// on the surface.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <boost/math/constants/constants.hpp>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mass.hpp>
#include <whisker/shape.hpp>

#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_vectors.hpp"
#include "support/reference_mass.hpp"

namespace whisker::rounded_mass_test {
namespace {

using test::cases;
using test::normal_pose;
using test::random_vector;
using test::Real;
using test::seeded;
using test::uniform;
using test::mass::expect_principal;
using test::mass::expect_truth;
using test::mass::holds;
using test::mass::Integrals;
using test::mass::placed;
using test::mass::polyhedron;
using test::mass::Widths;
using Point = test::Vec<Real>;
using Random = std::mt19937_64;

const Real pi = boost::math::constants::pi<Real>();

// --- the reference ---------------------------------------------------------------------------------------------------

/// The nodes and weights of the Gauss-Legendre rule on [0, 1].
struct Rule {
  std::vector<Real> node, weight;

  explicit Rule(int count) {
    for (int i = 0; i < count; ++i) {
      Real x = cos(Real(pi * (Real(i) + Real(0.75)) / (Real(count) + Real(0.5))));
      Real slope = 0;
      for (int step = 0; step < 12; ++step) {
        Real before = 1, value = x;
        for (int n = 2; n <= count; ++n) {
          const Real next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
          before = value;
          value = next;
        }
        slope = count * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      node.push_back((1 + x) / 2);
      weight.push_back(1 / ((1 - x * x) * slope * slope));
    }
  }
};

const Rule& rule(int count) {
  static const Rule few(24), many(60), most(160);
  return count <= 24 ? few : count <= 60 ? many : most;
}

Real coordinate(const Point& p, std::size_t k) {
  return k == 0 ? p.x : k == 1 ? p.y : p.z;
}
Point point(const Vector3& v) {
  return {Real(v[0]), Real(v[1]), Real(v[2])};
}

/// Adds a weight at a point.
void add(Integrals<Real>& sums, const Real& weight, const Point& at) {
  sums.volume += weight;
  for (std::size_t k = 0; k < 3; ++k) {
    sums.first[k] += weight * coordinate(at, k);
    for (std::size_t l = 0; l < 3; ++l)
      sums.second[k][l] += weight * coordinate(at, k) * coordinate(at, l);
  }
}

/// Adds all points p + t u with 0 < t < r, whose volume element is weight t^power dt.
void add_ray(Integrals<Real>& sums, const Real& weight, const Point& p, const Point& u, const Real& r, int power) {
  // Gauss-Legendre with three nodes is exact up to degree 5, for t^power times a polynomial of degree 2.
  const Real root = sqrt(Real(Real(3) / 5)) / 2;
  const std::array<Real, 3> nodes = {Real(Real(0.5) - root), Real(0.5), Real(Real(0.5) + root)};
  const std::array<Real, 3> weights = {Real(Real(5) / 18), Real(Real(4) / 9), Real(Real(5) / 18)};
  for (std::size_t i = 0; i < 3; ++i) {
    const Real t = r * nodes[i];
    Real element = weight * weights[i] * r;
    for (int n = 0; n < power; ++n)
      element *= t;
    add(sums, element, p + t * u);
  }
}

/// A wedge at the edge from p to q, with the normals from u to v.
void add_wedge(Integrals<Real>& sums, const Point& p, const Point& q, const Point& u, const Point& v, const Real& r) {
  const Real angle = 2 * atan2(test::length(u - v), test::length(u + v));
  const Real length = test::length(q - p);
  const Point side = v - test::dot(u, v) * u;
  const Real side_length = test::length(side);
  if (side_length == 0) return;
  const Point across = (1 / side_length) * side;
  const Rule& turn = rule(60);
  const std::array<Real, 3> place = {0, Real(0.5), 1},
                            share = {Real(Real(1) / 6), Real(Real(2) / 3), Real(Real(1) / 6)};
  for (std::size_t i = 0; i < turn.node.size(); ++i) {
    const Real t = angle * turn.node[i];
    const Point normal = cos(t) * u + sin(t) * across;
    for (std::size_t j = 0; j < 3; ++j)  // Simpson's rule is exact here
      add_ray(sums, angle * turn.weight[i] * length * share[j], p + place[j] * (q - p), normal, r, 1);
  }
}

/// Adds the integrals of 1, u and u uᵀ over a spherical triangle.
///
/// The rule runs along straight lines x + t v in the flat triangle, whose |v| is at most half of the longest edge for t
/// in [-1, 1]. The integrand is analytic but where |x + t v|² = 0, at two conjugate numbers. Their distance from each t
/// in [-1, 1] is |x + t v| / |v|, so it is at least `apart` below. On the ellipse about [-1, 1] with the height
/// 0.8 apart, |x + t v|² is no less than a 25th of its least value in the triangle, and the integrand less than 1e5.
/// There the sum of the half-axes is rho = 0.8 apart + sqrt(1 + (0.8 apart)²), and a rule of 24 nodes is off by less
/// than 1e6 / rho^48: with apart = 2.2, than 1e-21. A corner with few sharp edges has triangles of nearly a hemisphere,
/// so no fixed number of cuts is enough.
void add_directions(Integrals<Real>& sums, const std::array<Point, 3>& u) {
  const auto unit = [](const Point& x) { return (1 / test::length(x)) * x; };
  std::size_t longest = 0;
  Real edge = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Real length = test::length(u[(i + 1) % 3] - u[i]);
    if (length <= edge) continue;
    edge = length;
    longest = i;
  }
  // Every point of the flat triangle is at least this far from the origin.
  const Point middle = unit(u[0] + u[1] + u[2]);
  const Real least = std::min({test::dot(middle, u[0]), test::dot(middle, u[1]), test::dot(middle, u[2])});
  const Real apart = 2 * least / edge;
  if (apart < Real(2.2)) {
    const Point& a = u[longest];
    const Point& b = u[(longest + 1) % 3];
    const Point& c = u[(longest + 2) % 3];
    const Point cut = unit(a + b);
    add_directions(sums, {a, cut, c});
    add_directions(sums, {cut, b, c});
    return;
  }
  const Real determinant = abs(test::dot(u[0], test::cross(u[1], u[2])));
  const Rule& gauss = rule(24);
  for (std::size_t i = 0; i < gauss.node.size(); ++i)
    for (std::size_t j = 0; j < gauss.node.size(); ++j) {
      const Real s = gauss.node[i], t = s * gauss.node[j];
      const Point flat = u[0] + s * (u[1] - u[0]) + t * (u[2] - u[1]);
      const Real length = test::length(flat);
      add(sums, gauss.weight[i] * gauss.weight[j] * s * determinant / (length * length * length), (1 / length) * flat);
    }
}

/// A sector of a ball about p, with the normals of a spherical triangle. Returns the triangle's area.
Real add_sector(Integrals<Real>& sums, const Point& p, const std::array<Point, 3>& u, const Real& r) {
  Integrals<Real> directions;
  add_directions(directions, u);
  const Real r3 = r * r * r / 3, r4 = r * r * r * r / 4, r5 = r * r * r * r * r / 5;
  sums.volume += r3 * directions.volume;
  for (std::size_t k = 0; k < 3; ++k) {
    const Real pk = coordinate(p, k);
    sums.first[k] += r3 * pk * directions.volume + r4 * directions.first[k];
    for (std::size_t l = 0; l < 3; ++l) {
      const Real pl = coordinate(p, l);
      sums.second[k][l] += r3 * pk * pl * directions.volume +
                           r4 * (pk * directions.first[l] + pl * directions.first[k]) + r5 * directions.second[k][l];
    }
  }
  return directions.volume;
}

/// Four digits beyond those of doubles.
constexpr double quadrature = 1e-20;

/// A polyhedron with a radius around it, by its parts. The hull's faces are exactly planar.
Integrals<Real> rounded_polyhedron(const ConvexHull& hull, double radius) {
  const Real r(radius);
  Integrals<Real> sums;
  if (hull.dimension() == 3) sums = polyhedron<Real>(hull);
  std::vector<Point> normal;
  const auto at = [&](std::uint32_t v) { return point(hull.vertices()[v]); };
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    const Point c = test::cross(at(face[1]) - at(face[0]), at(face[2]) - at(face[0]));
    normal.push_back((1 / test::length(c)) * c);
    // The prism: the moments of a triangle are those of its edges' middles, with equal weights.
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      const std::array<Point, 3> p = {at(face[0]), at(face[i]), at(face[i + 1])};
      const Real area = test::length(test::cross(p[1] - p[0], p[2] - p[0])) / 2;
      for (std::size_t j = 0; j < 3; ++j)
        add_ray(sums, area / 3, Real(0.5) * (p[j] + p[(j + 1) % 3]), normal.back(), r, 0);
    }
  }
  for (const HullEdge& edge : hull.edges()) {
    const Point u = normal[edge.left], v = normal[edge.right], p = at(edge.begin), q = at(edge.end);
    if (hull.dimension() == 2) {
      // Outward across the rim, between the two sides.
      const Point out = test::cross(q - p, u);
      const Point rim = (1 / test::length(out)) * out;
      add_wedge(sums, p, q, u, rim, r);
      add_wedge(sums, p, q, rim, v, r);
    } else {
      add_wedge(sums, p, q, u, v, r);
    }
  }
  Real sphere = 0;
  for (std::uint32_t vertex = 0; vertex < hull.vertices().size(); ++vertex) {
    // The normals around the vertex, in order: from each face to the next across the edge that leaves the vertex.
    std::vector<Point> around;
    std::size_t face = 0;
    while (std::find(hull.face(face).begin(), hull.face(face).end(), vertex) == hull.face(face).end())
      ++face;
    const std::size_t first = face;
    do {
      around.push_back(normal[face]);
      const auto corners = hull.face(face);
      const auto place = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), vertex) - corners.begin());
      const std::uint32_t next = corners[(place + 1) % corners.size()];
      for (const HullEdge& edge : hull.edges()) {
        if (std::min(vertex, next) != edge.begin || std::max(vertex, next) != edge.end) continue;
        if (hull.dimension() == 2) {
          const Point out = test::cross(at(edge.end) - at(edge.begin), normal[edge.left]);
          around.push_back((1 / test::length(out)) * out);
        }
        face = edge.left == face ? edge.right : edge.left;
        break;
      }
    } while (face != first);
    Point inner;
    for (const Point& u : around)
      inner = inner + u;
    inner = (1 / test::length(inner)) * inner;
    for (std::size_t i = 0; i < around.size(); ++i)
      sphere += add_sector(sums, at(vertex), {inner, around[i], around[(i + 1) % around.size()]}, r);
  }
  // The corners' normals cover the sphere once. This tells a bad reference from bad bounds.
  EXPECT_LT(abs(Real(sphere / (4 * pi) - 1)), Real(quadrature)) << "the reference is not precise";
  return sums;
}

/// A piece of a body of revolution: slices with the radius ρ(t) at the height z(t), for t from 0 to 1.
template <class Radius, class Height, class Slope>
void add_slices_of(Integrals<Real>& sums, int nodes, Radius radius, Height height, Slope slope) {
  const Rule& gauss = rule(nodes);
  for (std::size_t i = 0; i < gauss.node.size(); ++i) {
    const Real t = gauss.node[i], rho2 = radius(t) * radius(t), z = height(t);
    const Real area = pi * rho2 * slope(t) * gauss.weight[i];
    sums.volume += area;
    sums.first[2] += area * z;
    sums.second[0][0] += area * rho2 / 4;
    sums.second[1][1] += area * rho2 / 4;
    sums.second[2][2] += area * z * z;
  }
}

/// The arc of a profile about (x, z), between two elevations.
void add_arc(Integrals<Real>& sums, const Real& x, const Real& z, const Real& r, const Real& from, const Real& to) {
  const auto angle = [&](const Real& t) { return Real(from + t * (to - from)); };
  add_slices_of(
      sums, 60, [&](const Real& t) { return Real(x + r * cos(angle(t))); },
      [&](const Real& t) { return Real(z + r * sin(angle(t))); },
      [&](const Real& t) { return Real(r * cos(angle(t)) * (to - from)); });
}
void add_line(Integrals<Real>& sums, const Real& x0, const Real& z0, const Real& x1, const Real& z1) {
  add_slices_of(
      sums, 24, [&](const Real& t) { return Real(x0 + t * (x1 - x0)); },
      [&](const Real& t) { return Real(z0 + t * (z1 - z0)); }, [&](const Real&) { return Real(z1 - z0); });
}

Integrals<Real> rounded_cylinder(const Cylinder& s, double radius) {
  const Real a(s.radius), half = Real(s.length) / 2, r(radius);
  Integrals<Real> sums;
  add_arc(sums, a, -half, r, -pi / 2, 0);
  add_line(sums, a + r, -half, a + r, half);
  add_arc(sums, a, half, r, 0, pi / 2);
  return sums;
}

Integrals<Real> rounded_cone(const Cone& s, double radius) {
  const Real a(s.radius), half = Real(s.length) / 2, r(radius);
  const Real tilt = atan2(a, Real(2 * half)), c = cos(tilt), n = sin(tilt);
  Integrals<Real> sums;
  add_arc(sums, a, -half, r, -pi / 2, tilt);
  add_line(sums, a + r * c, -half + r * n, r * c, half + r * n);
  add_arc(sums, 0, half, r, tilt, pi / 2);
  return sums;
}

/// By the divergence theorem over the border, whose points are x(u) = a_k² u_k / g + r u_k: ∫ 1 = ∫ x·n / 3, and
/// ∫ x_k² = ∫ x_k³ n_k / 3. The surface element comes from the derivatives of x.
Integrals<Real> rounded_ellipsoid(const Ellipsoid& s, double radius) {
  const std::array<Real, 3> a = {Real(s.radii[0]), Real(s.radii[1]), Real(s.radii[2])};
  const Real r(radius);
  Integrals<Real> sums;
  const Rule& gauss = rule(60);
  const int turns = 90;
  for (std::size_t i = 0; i < gauss.node.size(); ++i) {
    const Real z = 2 * gauss.node[i] - 1, flat = sqrt(Real(1 - z * z));
    for (int j = 0; j < turns; ++j) {
      const Real angle = 2 * pi * (Real(j) + Real(0.5)) / turns;
      const std::array<Real, 3> u = {Real(flat * cos(angle)), Real(flat * sin(angle)), z};
      const std::array<std::array<Real, 3>, 2> du = {{{Real(-z / flat * cos(angle)), Real(-z / flat * sin(angle)), 1},
                                                      {Real(-flat * sin(angle)), Real(flat * cos(angle)), 0}}};
      Real g2 = 0;
      for (std::size_t k = 0; k < 3; ++k)
        g2 += a[k] * a[k] * u[k] * u[k];
      const Real g = sqrt(g2);
      std::array<Real, 3> x;
      std::array<std::array<Real, 3>, 2> dx;
      for (std::size_t k = 0; k < 3; ++k)
        x[k] = a[k] * a[k] * u[k] / g + r * u[k];
      for (std::size_t d = 0; d < 2; ++d) {
        Real dg = 0;
        for (std::size_t k = 0; k < 3; ++k)
          dg += a[k] * a[k] * u[k] * du[d][k] / g;
        for (std::size_t k = 0; k < 3; ++k)
          dx[d][k] = a[k] * a[k] * (du[d][k] / g - u[k] * dg / g2) + r * du[d][k];
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
        const Real normal = dx[1][l] * dx[0][m] - dx[1][m] * dx[0][l];
        const Real element = normal * 2 * gauss.weight[i] * 2 * pi / turns;
        sums.volume += x[k] * element / 3;
        sums.second[k][k] += x[k] * x[k] * x[k] * element / 3;
      }
    }
  }
  return sums;
}

// --- closed forms ----------------------------------------------------------------------------------------------------

double some_radius(Random& random) {
  return std::exp2(uniform(random, -8, 6));
}

TEST(RoundedMass, OfPolyhedraIsThatOfTheirParts) {
  auto random = seeded(820);
  Widths widths;
  for (std::size_t i = 0; i < cases(6); ++i) {
    std::vector<Vector3> points;
    for (int n = test::whole(random, 4, 7); n > 0; --n)
      points.push_back(random_vector(random) + Vector3(2, 0, -1));
    if (i % 3 == 2)
      for (Vector3& p : points)
        p[static_cast<int>(i) % 2] = 0.25;  // a flat polygon
    const ConvexHull hull(points);
    const double r = some_radius(random);
    const Integrals<Real> truth = rounded_polyhedron(hull, r);
    const Shape shape = rounded(hull, r);
    widths.include(expect_truth(mass_properties(shape), truth, quadrature));
    expect_principal(mass_properties(shape).with_mass(2), truth, 1e-12);
    EXPECT_NEAR(shape.volume() / static_cast<double>(truth.volume), 1, 1e-12);
    if (HasFailure()) FAIL() << "case " << i << ", radius " << r;
  }
  EXPECT_LT(widths.largest(), 1e-12);
}

TEST(RoundedMass, OfTrianglesIsThatOfTheirParts) {
  auto random = seeded(821);
  for (std::size_t i = 0; i < cases(2); ++i) {
    const Triangle t = {random_vector(random), random_vector(random), random_vector(random)};
    const double r = some_radius(random);
    const Integrals<Real> truth = rounded_polyhedron(ConvexHull(std::vector<Vector3>{t.a, t.b, t.c}), r);
    EXPECT_LT(expect_truth(rounded(t, r), truth, quadrature).largest(), 1e-12);
  }
}

TEST(RoundedMass, OfBodiesOfRevolutionIsThatOfTheirSlices) {
  auto random = seeded(822);
  Widths widths;
  for (std::size_t i = 0; i < cases(20); ++i) {
    const double a = some_radius(random), l = some_radius(random), r = some_radius(random);
    const Cylinder cylinder = {i % 5 == 1 ? 0 : a, i % 5 == 2 ? 0 : l};
    const Cone cone = {cylinder.radius, cylinder.length};
    widths.include(expect_truth(rounded(cylinder, r), rounded_cylinder(cylinder, r), quadrature));
    const Integrals<Real> truth = rounded_cone(cone, r);
    widths.include(expect_truth(rounded(cone, r), truth, quadrature));
    expect_principal(mass_properties(rounded(cone, r)).with_mass(3), truth, 1e-12);
    if (HasFailure()) FAIL() << a << " " << l << " " << r;
  }
  EXPECT_LT(widths.largest(), 1e-13);
}

/// A box with a radius around it: the box, six slabs, twelve quarters of cylinders and eight octants of balls.
Integrals<Real> rounded_box(const Box& s, double radius) {
  const std::array<Real, 3> a = {Real(s.size[0]), Real(s.size[1]), Real(s.size[2])};
  const Real r(radius);
  // The integrals of 1, x and x² over a side, along one axis, at the lower end, in the middle or at the upper end; and
  // of the quarter of a disk and the octant of a ball, which are not products.
  Integrals<Real> sums;
  for (int code = 0; code < 27; ++code) {
    const std::array<int, 3> at = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
    std::vector<std::size_t> bent;  // the axes along which this part is outside of the box
    Real volume = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      if (at[k] == 0)
        volume *= a[k];
      else
        bent.push_back(k);
    }
    // The means of x, x² and xy over [0, r], the quarter of a disk, or the octant of a ball.
    Real mean = 0, square = 0, mixed = 0;
    if (bent.size() == 1) {
      volume *= r;
      mean = r / 2;
      square = r * r / 3;
    } else if (bent.size() == 2) {
      volume *= pi * r * r / 4;
      mean = 4 * r / (3 * pi);
      square = r * r / 4;
      mixed = r * r / (2 * pi);
    } else if (bent.size() == 3) {
      volume *= pi * r * r * r / 6;
      mean = 3 * r / 8;
      square = r * r / 5;
      mixed = 2 * r * r / (5 * pi);
    }
    std::array<Real, 3> first = {0, 0, 0};
    for (const std::size_t k : bent)
      first[k] = at[k] * (a[k] / 2 + mean);
    sums.volume += volume;
    for (std::size_t k = 0; k < 3; ++k) {
      sums.first[k] += volume * first[k];
      sums.second[k][k] +=
          volume * (at[k] == 0 ? Real(a[k] * a[k] / 12) : Real(a[k] * a[k] / 4 + a[k] * mean + square));
      for (std::size_t l = 0; l < 3; ++l)
        if (l != k && at[k] != 0 && at[l] != 0)
          sums.second[k][l] += volume * at[k] * at[l] * (a[k] * a[l] / 4 + mean * (a[k] + a[l]) / 2 + mixed);
    }
  }
  return sums;
}

TEST(RoundedMass, OfBoxesIsThatOfTheirParts) {
  auto random = seeded(823);
  for (std::size_t i = 0; i < cases(200); ++i) {
    Box box{{some_radius(random), some_radius(random), some_radius(random)}};
    if (i % 4 == 1) box.size[static_cast<int>(i / 4 % 3)] = 0;
    const double r = some_radius(random);
    const Integrals<Real> truth = rounded_box(box, r);
    EXPECT_LT(expect_truth(rounded(box, r), truth).largest(), 1e-14);
    // The same box as a hull, as a solid mesh with an unused vertex, and in another frame.
    std::vector<Vector3> corners;
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        for (const double z : {-0.5, 0.5})
          corners.push_back(box.size.cwiseProduct(Vector3(x, y, z)));
    EXPECT_LT(expect_truth(rounded(ConvexHull(corners), r), truth).largest(), 1e-13);
    if (box.size.minCoeff() > 0) {
      const Mesh plain = test::mass::box_mesh(box.size);
      MeshData data = {{plain.vertices().begin(), plain.vertices().end()},
                       {plain.triangles().begin(), plain.triangles().end()}};
      data.vertices.push_back({1e3, 1e3, 1e3});
      EXPECT_LT(expect_truth(mass_properties(rounded(Mesh(data).solid(), r)), truth).largest(), 1e-13);
    }
    const Pose pose = normal_pose(random, 5);
    expect_truth(mass_properties(rounded(box, r)).placed(pose), placed(truth, pose));
    if (HasFailure()) FAIL() << "case " << i << ", radius " << r;
  }
}

TEST(RoundedMass, OfSegmentsIsThatOfCapsules) {
  auto random = seeded(824);
  for (std::size_t i = 0; i < cases(50); ++i) {
    const double length = some_radius(random), r = some_radius(random);
    const MassProperties capsule = mass_properties(Capsule{r, length});
    const Vector3 half(0, 0, length / 2);
    for (const Shape& shape : {Shape(Segment{-half, half}), Shape(Triangle{-half, half, half / 2}),
                               Shape(ConvexHull(std::vector<Vector3>{-half, half})), Shape(Box{2 * half}),
                               Shape(Cylinder{0, length}), Shape(Cone{0, length}), Shape(Ellipsoid{half})}) {
      const MassProperties body = mass_properties(rounded(shape, r));
      EXPECT_TRUE(overlaps(body.volume, capsule.volume)) << name(shape.kind());
      EXPECT_LT(width(body.volume), 1e-13 * body.volume.lower);
      EXPECT_TRUE(overlaps(body.center, capsule.center));
      for (std::size_t k = 0; k < 9; ++k)
        EXPECT_TRUE(overlaps(body.covariance.entry[k], capsule.covariance.entry[k])) << name(shape.kind()) << k;
      EXPECT_LT(width(body.covariance(2, 2)), 1e-13 * body.covariance(2, 2).lower);
    }
  }
}

TEST(RoundedMass, OfPointsIsThatOfBalls) {
  const MassProperties ball = mass_properties(Sphere{0.7});
  const Vector3 p(1, 2, 3);
  for (const Shape& shape :
       {Shape(Segment{p, p}), Shape(Triangle{p, p, p}), Shape(ConvexHull(std::vector<Vector3>{p})),
        Shape(Box{{0, 0, 0}}), Shape(Cylinder{0, 0}), Shape(Cone{0, 0}), Shape(Ellipsoid{{0, 0, 0}})}) {
    const MassProperties body = mass_properties(rounded(shape, 0.7));
    EXPECT_TRUE(overlaps(body.volume, ball.volume)) << name(shape.kind());
    EXPECT_TRUE(contains(body.center, p) || contains(body.center, Vector3(0, 0, 0)));
    for (std::size_t k = 0; k < 9; ++k)
      EXPECT_TRUE(overlaps(body.covariance.entry[k], ball.covariance.entry[k]));
    EXPECT_LT(width(body.covariance(0, 0)), 1e-15);
  }
}

TEST(RoundedMass, OfEllipsoidsIsThatOfTheirSurface) {
  auto random = seeded(825);
  Widths widths;
  for (std::size_t i = 0; i < cases(3); ++i) {
    const Ellipsoid s{{uniform(random, 1, 1.6), uniform(random, 1, 1.6), uniform(random, 1, 1.6)}};
    const double r = some_radius(random);
    const Integrals<Real> truth = rounded_ellipsoid(s, r);
    widths.include(expect_truth(mass_properties(rounded(s, r)), truth, quadrature));
    expect_principal(mass_properties(rounded(s, r)).with_mass(3), truth, 1e-12);
    if (HasFailure()) FAIL() << s.radii.transpose() << " and " << r;
  }
  // Balls, needles and disks.
  for (const double a : {1.0, 0x1p-4, 0x1p-20, 1e-12}) {
    const MassProperties ball = mass_properties(rounded(Ellipsoid{{a, a, a}}, 0.5));
    EXPECT_TRUE(overlaps(ball.volume, mass_properties(Sphere{a + 0.5}).volume)) << a;
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_TRUE(overlaps(ball.covariance(k, k), mass_properties(Sphere{a + 0.5}).covariance(k, k)));
    EXPECT_LT(width(ball.volume), 1e-13 * ball.volume.lower);
  }
  EXPECT_LT(widths.largest(), 1e-12);
}

TEST(RoundedMass, OfEllipsoidsOfRevolutionIsThatOfTheirSlices) {
  for (const double c : {0.0, 0.25, 1.0, 3.0})
    for (const double r : {0.1, 2.0}) {
      // The profile: ρ and z of the point with a normal of elevation ψ.
      const Real a = 1, b(c), radius(r);
      Integrals<Real> truth;
      const auto psi = [](const Real& t) { return Real(pi * t / 2); };
      const auto g = [&](const Real& t) {
        const Real x = a * cos(psi(t)), z = b * sin(psi(t));
        return Real(sqrt(Real(x * x + z * z)));
      };
      if (c > 0) {
        const auto rho = [&](const Real& t) { return Real(a * a * cos(psi(t)) / g(t) + radius * cos(psi(t))); };
        const auto z = [&](const Real& t) { return Real(b * b * sin(psi(t)) / g(t) + radius * sin(psi(t))); };
        const auto slope = [&](const Real& t) {
          const Real length = g(t);
          return Real(pi / 2 * cos(psi(t)) * (a * a * b * b / (length * length * length) + radius));
        };
        add_slices_of(truth, 160, rho, z, slope);
      } else {
        add_arc(truth, 1, 0, radius, 0, pi / 2);
      }
      // The lower half.
      truth.volume *= 2;
      truth.first[2] = 0;
      for (auto& row : truth.second)
        for (Real& entry : row)
          entry *= 2;
      const MassProperties body = mass_properties(rounded(Ellipsoid{{1, 1, c}}, r));
      EXPECT_LT(expect_truth(body, truth, quadrature).largest(), 1e-12) << c << " " << r;
      // The same, turned.
      const MassProperties turned = mass_properties(rounded(Ellipsoid{{c, 1, 1}}, r));
      EXPECT_TRUE(overlaps(turned.covariance(0, 0), body.covariance(2, 2)));
      EXPECT_TRUE(overlaps(turned.covariance(2, 2), body.covariance(1, 1)));
      EXPECT_TRUE(overlaps(turned.volume, body.volume));
    }
}

}  // namespace
}  // namespace whisker::rounded_mass_test
