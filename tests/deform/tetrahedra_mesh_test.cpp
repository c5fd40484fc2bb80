// Tetrahedral meshes: their topology, the points that a tetrahedron contains, and the inputs that are refused.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/make/tetrahedra.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;
using test::scenes::unit_vector;

using Rational = boost::multiprecision::cpp_rational;
using Vertices = std::vector<Vector3>;

template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Rational exact(double value) {
  int exponent = 0;
  const auto digits = static_cast<long long>(std::ldexp(std::frexp(value, &exponent), 53));
  boost::multiprecision::cpp_int top = digits, bottom = 1;
  exponent -= 53;
  (exponent >= 0 ? top : bottom) <<= static_cast<unsigned>(std::abs(exponent));
  return Rational(top, bottom);
}

/// The exact weights with which affinely independent points give p; nothing if the points are dependent or p is not in
/// their affine hull. By Gaussian elimination.
std::optional<std::vector<Rational>> weights(const Vertices& points, const Vector3& p) {
  const std::size_t n = points.size();
  std::vector<std::vector<Rational>> rows(4, std::vector<Rational>(n + 1));
  for (std::size_t j = 0; j <= n; ++j) {
    const Vector3& at = j < n ? points[j] : p;
    for (std::size_t i = 0; i < 3; ++i)
      rows[i][j] = exact(at[static_cast<int>(i)]);
    rows[3][j] = 1;
  }
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    while (pivot < 4 && rows[pivot][column] == 0)
      ++pivot;
    if (pivot == 4) return std::nullopt;
    std::swap(rows[pivot], rows[column]);
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == column || rows[i][column] == 0) continue;
      const Rational factor = rows[i][column] / rows[column][column];
      for (std::size_t j = column; j <= n; ++j)
        rows[i][j] -= factor * rows[column][j];
    }
  }
  for (std::size_t i = n; i < 4; ++i)
    if (rows[i][n] != 0) return std::nullopt;
  std::vector<Rational> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = rows[i][n] / rows[i][i];
  return result;
}

/// Whether p is in the hull of the points. By Carathéodory's theorem, p is then a convex combination of a few
/// independent points.
bool in_hull(const Vertices& points, const Vector3& p) {
  for (unsigned some = 1; some < 1u << points.size(); ++some) {
    Vertices few;
    for (std::size_t i = 0; i < points.size(); ++i)
      if ((some >> i & 1u) != 0) few.push_back(points[i]);
    const auto found = weights(few, p);
    if (found && std::all_of(found->begin(), found->end(), [](const Rational& w) { return w >= 0; })) return true;
  }
  return false;
}

TEST(TetrahedralMesh, ATetrahedronHoldsTheHullOfItsCorners) {
  auto random = seeded(8201);
  std::size_t held = 0, flat = 0, inverted = 0;
  for (std::size_t i = 0; i < cases(600); ++i) {
    // Small integers, for which flat tetrahedra and points on faces, edges and corners are frequent; or arbitrary
    // numbers.
    const bool is_whole = i % 3 != 0;
    const double scale = i % 7 == 0 ? 1e60 : i % 7 == 1 ? 1e-60 : 1;
    const auto draw = [&] {
      Vector3 v;
      for (int k = 0; k < 3; ++k)
        v[k] = scale * (is_whole ? std::floor(uniform(random, 0, 3)) : uniform(random, 0, 1));
      return v;
    };
    const Vertices corners = {draw(), draw(), draw(), draw()};
    const TetrahedralMesh mesh({corners, {{0, 1, 2, 3}}});
    const int turn = orient3d(corners[0], corners[1], corners[2], corners[3]);
    flat += turn == 0 ? 1u : 0u;
    inverted += turn < 0 ? 1u : 0u;
    for (int k = 0; k < 6; ++k) {
      const Vector3 p = draw();
      const bool wanted = in_hull(corners, p);
      EXPECT_EQ(mesh.contains(0, p), wanted) << i << ' ' << k;
      held += wanted ? 1u : 0u;
    }
    for (const Vector3& corner : corners)
      EXPECT_TRUE(mesh.contains(0, corner));
  }
  EXPECT_GT(held, cases(600) / 10);
  EXPECT_GT(flat, cases(600) / 20);
  EXPECT_GT(inverted, cases(600) / 20);
}

/// Checks faces, edges and neighbors by maps and sets.
void expect_topology(const TetrahedralMesh& mesh) {
  std::map<std::set<std::uint32_t>, int> faces;
  std::set<Index2> edges;
  std::map<std::uint32_t, std::set<std::uint32_t>> neighbors;
  for (const Index4& t : mesh.tetrahedra()) {
    for (std::size_t k = 0; k < 4; ++k) {
      std::set<std::uint32_t> face(t.begin(), t.end());
      face.erase(t[k]);
      ++faces[face];
      for (std::size_t m = k + 1; m < 4; ++m) {
        edges.insert({std::min(t[k], t[m]), std::max(t[k], t[m])});
        neighbors[t[k]].insert(t[m]);
        neighbors[t[m]].insert(t[k]);
      }
    }
  }
  std::set<std::set<std::uint32_t>> border, inner;
  std::set<Index2> border_edges;
  std::set<std::uint32_t> border_vertices;
  for (const auto& [face, count] : faces) {
    (count == 1 ? border : inner).insert(face);
    if (count > 1) continue;
    border_vertices.insert(face.begin(), face.end());
    for (const std::uint32_t a : face)
      for (const std::uint32_t b : face)
        if (a < b) border_edges.insert({a, b});
  }
  std::set<std::set<std::uint32_t>> got_border, got_inner;
  for (const Index3& t : mesh.border_triangles())
    got_border.insert({t[0], t[1], t[2]});
  for (const Index3& t : mesh.faces().subspan(mesh.border_triangles().size()))
    got_inner.insert({t[0], t[1], t[2]});
  EXPECT_EQ(got_border, border);
  EXPECT_EQ(got_inner, inner);
  EXPECT_EQ(mesh.faces().size(), faces.size());
  EXPECT_EQ(std::set<Index2>(mesh.edges().begin(), mesh.edges().end()), edges);
  EXPECT_EQ(mesh.edges().size(), edges.size());
  EXPECT_EQ(std::vector<Index2>(border_edges.begin(), border_edges.end()),
            std::vector<Index2>(mesh.border_edges().begin(), mesh.border_edges().end()));
  EXPECT_EQ(std::vector<std::uint32_t>(border_vertices.begin(), border_vertices.end()),
            std::vector<std::uint32_t>(mesh.border_vertices().begin(), mesh.border_vertices().end()));
  for (std::uint32_t v = 0; v < mesh.vertices().size(); ++v) {
    const auto got = mesh.neighbors(v);
    EXPECT_EQ(std::vector<std::uint32_t>(neighbors[v].begin(), neighbors[v].end()),
              std::vector<std::uint32_t>(got.begin(), got.end()))
        << v;
  }
}

TEST(TetrahedralMesh, ItsBorderEdgesAndNeighborsAreThoseOfAllTetrahedra) {
  expect_topology(TetrahedralMesh(make::tetrahedral_box({.cells_x = 3, .cells_y = 2, .cells_z = 4})));
  expect_topology(TetrahedralMesh(make::tetrahedral_ball({.subdivisions = 1})));
  // A subset of a box, so that parts are connected by an edge, by a vertex or not at all, with unused vertices.
  auto random = seeded(8202);
  for (int i = 0; i < 20; ++i) {
    TetrahedralData data = make::tetrahedral_box({.cells_x = 3, .cells_y = 3, .cells_z = 3});
    std::erase_if(data.tetrahedra, [&](const Index4&) { return uniform(random, 0, 1) < 0.7; });
    if (data.tetrahedra.empty()) continue;
    expect_topology(TetrahedralMesh(data));
  }
}

TEST(TetrahedralMesh, TheBorderFacesOutwardHoweverTetrahedraAreListed) {
  auto random = seeded(8203);
  for (TetrahedralData data : {make::tetrahedral_box({.size_x = 2, .cells_x = 3, .cells_y = 2, .cells_z = 2}),
                               make::tetrahedral_ball({.subdivisions = 1})}) {
    const double volume = TetrahedralMesh(data).border().solid().volume();
    for (Index4& t : data.tetrahedra)
      std::shuffle(t.begin(), t.end(), random);
    const TetrahedralMesh mesh(data);
    EXPECT_TRUE(mesh.inverted().empty());
    EXPECT_NEAR(mesh.border().solid().volume(), volume, 1e-12 * volume);
    // With all tetrahedra listed in the opposite orientation.
    for (Index4& t : data.tetrahedra)
      std::swap(t[0], t[1]);
    EXPECT_NEAR(TetrahedralMesh(data).border().solid().volume(), volume, 1e-12 * volume);
  }
}

TEST(TetrahedralMesh, WhatIsInsideOutIsToldFromWhatIsMirrored) {
  const TetrahedralData data = make::tetrahedral_box({.cells_x = 3, .cells_y = 3, .cells_z = 3});
  TetrahedralMesh mesh(data);
  EXPECT_TRUE(mesh.inverted().empty());
  // One vertex is pulled through. Exactly those of its tetrahedra are inverted whose orientation changed.
  Vertices moved = data.vertices;
  moved[21] += Vector3(0.9, 0.1, 0.05);
  mesh.set_vertices(moved);
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < data.tetrahedra.size(); ++i) {
    const Index4& t = data.tetrahedra[i];
    if (orient3d(moved[t[0]], moved[t[1]], moved[t[2]], moved[t[3]]) <= 0) wanted.push_back(i);
  }
  EXPECT_FALSE(wanted.empty());
  EXPECT_EQ(std::vector<std::uint32_t>(mesh.inverted().begin(), mesh.inverted().end()), wanted);
  // The outward side does not change, because it is determined once.
  const std::vector<Index3> border(mesh.border_triangles().begin(), mesh.border_triangles().end());
  const TetrahedralMesh rest(data);
  EXPECT_TRUE(std::equal(border.begin(), border.end(), rest.border_triangles().begin()));

  Vertices mirrored = data.vertices;
  for (Vector3& v : mirrored)
    v[0] = -v[0];
  mesh.set_vertices(mirrored);
  EXPECT_TRUE(mesh.inverted().empty());
  for (Vector3& v : mirrored)
    v[0] = 0;
  mesh.set_vertices(mirrored);
  EXPECT_EQ(mesh.inverted().size(), data.tetrahedra.size());
}

TEST(TetrahedralMesh, CopiesAreOfTheirOwn) {
  const TetrahedralData data = make::tetrahedral_ball({.subdivisions = 1});
  TetrahedralMesh mesh(data);
  TetrahedralMesh copy = mesh;
  Vertices moved = data.vertices;
  for (Vector3& v : moved)
    v += Vector3(3, 0, 0);
  copy.set_vertices(moved);
  EXPECT_EQ(mesh.vertices()[4], data.vertices[4]);
  EXPECT_EQ(copy.border().bounds().lower[0], mesh.border().bounds().lower[0] + 3);
  copy.set_vertices(copy.vertices());
  EXPECT_EQ(copy.vertices()[4], moved[4]);
  mesh = copy;
  EXPECT_EQ(mesh.vertices()[4], moved[4]);
}

TEST(TetrahedralMesh, BadInputIsAnErrorThatNamesIt) {
  const Vertices five = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const auto made = [&](const Vertices& vertices, const std::vector<Index4>& tetrahedra) {
    return message([&] { TetrahedralMesh mesh({vertices, tetrahedra}); });
  };
  EXPECT_EQ(made(five, {{0, 1, 2, 3}}), "");
  EXPECT_TRUE(has(made(five, {}), "no tetrahedra"));
  EXPECT_TRUE(has(made({}, {{0, 1, 2, 3}}), "vertex 0"));
  EXPECT_TRUE(has(made(five, {{0, 1, 2, 3}, {0, 1, 2, 9}}), "tetrahedron 1 has vertex 9"));
  EXPECT_TRUE(has(made(five, {{0, 1, 2, 1}}), "vertex 1 twice"));
  EXPECT_TRUE(has(made(five, {{0, 1, 2, 3}, {1, 2, 3, 4}, {3, 2, 1, 0}}), "tetrahedra 0 and 2"));
  Vertices six = five;
  six.emplace_back(0, 0, 2);
  EXPECT_TRUE(has(made(six, {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 5}}), "the face of vertices 0, 1 and 2"));
  // The boundary of a four-dimensional simplex has no border of its own.
  EXPECT_TRUE(has(made(five, {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 3, 4}, {0, 2, 3, 4}, {1, 2, 3, 4}}), "border"));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e91}) {
    Vertices vertices = five;
    vertices[2][1] = bad;
    EXPECT_TRUE(has(made(vertices, {{0, 1, 2, 3}}), "vertex 2"));
    TetrahedralMesh mesh({five, {{0, 1, 2, 3}}});
    EXPECT_TRUE(has(message([&] { mesh.set_vertices(vertices); }), "vertex 2"));
    EXPECT_EQ(mesh.vertices()[2], five[2]);
    EXPECT_TRUE(has(message([&] { mesh.set_vertices(Vertices(4, Vector3::Zero())); }), "it has 5"));
    EXPECT_EQ(mesh.vertices()[4], five[4]);
  }
}

TEST(TetrahedralMesh, AOneSidedRingIsAnError) {
  // Tetrahedra in a ring, each sharing a face with the next: (i, i+1, i+2, i+3), closed with or without a twist.
  const auto ring = [](std::uint32_t n, bool twisted) {
    TetrahedralData data;
    for (std::uint32_t i = 0; i < n; ++i)
      data.vertices.emplace_back(i % 3, i % 5, i % 7);
    std::vector<std::uint32_t> around(n + 3);
    for (std::uint32_t i = 0; i < n + 3; ++i)
      around[i] = i % n;
    if (twisted) std::swap(around[n], around[n + 1]);
    for (std::uint32_t i = 0; i < n; ++i)
      data.tetrahedra.push_back({around[i], around[i + 1], around[i + 2], around[i + 3]});
    return data;
  };
  // Whether a closed ring is one-sided depends on its parity. One of the two kinds must be refused, the other accepted.
  for (const std::uint32_t n : {8u, 9u, 10u, 11u}) {
    const std::string plain = message([&] { TetrahedralMesh mesh(ring(n, false)); });
    const std::string twisted = message([&] { TetrahedralMesh mesh(ring(n, true)); });
    EXPECT_NE(plain.empty(), twisted.empty()) << n << plain << twisted;
    EXPECT_TRUE(has(plain + twisted, "one-sided")) << plain << twisted;
  }
}

TEST(MakeTetrahedra, EveryTetrahedronIsTheRightWayRoundAndTheyFillTheirShape) {
  const auto volume = [](const TetrahedralData& data) {
    double sum = 0;
    for (const Index4& t : data.tetrahedra) {
      const Vector3 &a = data.vertices[t[0]], &b = data.vertices[t[1]], &c = data.vertices[t[2]];
      EXPECT_GT(orient3d(a, b, c, data.vertices[t[3]]), 0);
      sum += (b - a).cross(c - a).dot(data.vertices[t[3]] - a) / 6;
    }
    return sum;
  };
  const TetrahedralData box =
      make::tetrahedral_box({.size_x = 2, .size_y = 3, .size_z = 0.5, .cells_x = 5, .cells_y = 1});
  EXPECT_EQ(box.tetrahedra.size(), 6u * 5 * 1 * 4);
  EXPECT_NEAR(volume(box), 3, 1e-12);
  EXPECT_EQ(TetrahedralMesh(box).border_triangles().size(), 4u * (5 * 1 + 5 * 4 + 1 * 4));
  for (int n = 0; n <= 4; ++n) {
    const TetrahedralData ball = make::tetrahedral_ball({.radius = 2, .subdivisions = n});
    EXPECT_EQ(ball.tetrahedra.size(), 20u << (3 * n));
    const TetrahedralMesh mesh(ball);
    EXPECT_EQ(mesh.border_triangles().size(), 20u << (2 * n));
    EXPECT_NEAR(volume(ball), mesh.border().solid().volume(), 1e-11);
    for (const std::uint32_t v : mesh.border_vertices())
      EXPECT_NEAR(ball.vertices[v].norm(), 2, 1e-14);
  }
  EXPECT_TRUE(has(message([] { make::tetrahedral_box({.cells_x = 0}); }), "cells-x"));
  EXPECT_TRUE(has(message([] { make::tetrahedral_box({.cells_x = 90000, .cells_y = 900}); }), "tetrahedra"));
  EXPECT_TRUE(has(message([] { make::tetrahedral_ball({.radius = -1}); }), "radius"));
}

}  // namespace
}  // namespace whisker
