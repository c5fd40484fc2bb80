#pragma once

// Exact arithmetic for the tests of hulls: doubles times a power of two as big integers, and checks of all properties
// of a hull. Nothing here uses the library's predicates.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/geometry/hull.hpp>

namespace whisker::test {

using Integer = boost::multiprecision::cpp_int;
using Integer3 = std::array<Integer, 3>;

/// The smallest k such that x * 2^k is an integer; a very small number for 0.
inline int integer_shift(double x) {
  if (x == 0) return -2000;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  int bits = 0;
  while (mantissa != std::floor(mantissa)) {
    mantissa *= 2;
    ++bits;
  }
  return bits - exponent;
}

/// x * 2^shift, which must be an integer.
inline Integer to_integer(double x, int shift) {
  if (x == 0) return 0;
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const auto digits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  const int left = exponent - 53 + shift;
  if (left < 0) return digits / (std::int64_t{1} << -left);  // exact: the dropped bits are 0
  Integer value = digits;
  value <<= left;
  return value;
}

inline int common_shift(std::span<const Vector3> points) {
  int shift = -2000;
  for (const Vector3& p : points) {
    for (int k = 0; k < 3; ++k)
      shift = std::max(shift, integer_shift(p[k]));
  }
  return shift;
}

inline Integer3 to_integer(const Vector3& p, int shift) {
  return {to_integer(p[0], shift), to_integer(p[1], shift), to_integer(p[2], shift)};
}

inline std::vector<Integer3> to_integers(std::span<const Vector3> points) {
  const int shift = common_shift(points);
  std::vector<Integer3> result;
  for (const Vector3& p : points)
    result.push_back(to_integer(p, shift));
  return result;
}

inline Integer3 minus(const Integer3& a, const Integer3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Integer dot(const Integer3& a, const Integer3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Integer3 cross(const Integer3& a, const Integer3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline bool is_zero(const Integer3& a) {
  return a[0] == 0 && a[1] == 0 && a[2] == 0;
}

/// Whether normal·p <= offset in real arithmetic.
inline bool is_inside(const HullPlane& plane, const Vector3& p) {
  const std::array<Vector3, 1> normal = {plane.normal};
  const std::array<Vector3, 1> point = {p};
  const int normal_shift = common_shift(normal);
  const int point_shift = std::max(common_shift(point), integer_shift(plane.offset) - normal_shift);
  return dot(to_integer(plane.normal, normal_shift), to_integer(p, point_shift)) <=
         to_integer(plane.offset, normal_shift + point_shift);
}

/// Checks that vertices, edges and faces fit together: every directed edge has its reverse, Euler's formula holds, and
/// each vertex is used.
inline void expect_closed_surface(const HullData& hull) {
  ASSERT_EQ(hull.face_begin.size(), hull.face_count() + 1);
  ASSERT_EQ(hull.face_begin.front(), 0u);
  ASSERT_EQ(hull.face_begin.back(), hull.face_vertices.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<int> uses(hull.vertices.size(), 0);
  std::pair<std::uint32_t, std::uint32_t> last = {0, 0};
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    ASSERT_GE(face.size(), 3u);
    for (std::size_t i = 0; i < face.size(); ++i) {
      ASSERT_LT(face[i], hull.vertices.size());
      ++uses[face[i]];
      ASSERT_TRUE(edges.insert({face[i], face[(i + 1) % face.size()]}).second) << "a directed edge occurs twice";
      ASSERT_GE(face[i], face[0]) << "a face begins with its lowest vertex";
    }
    const std::pair<std::uint32_t, std::uint32_t> key = {face[0], face[1]};
    if (f > 0) {
      ASSERT_LT(last, key) << "faces are sorted";
    }
    last = key;
  }
  for (const auto& [u, v] : edges)
    ASSERT_TRUE(edges.contains({v, u})) << "an edge has one face";
  for (const int count : uses)
    ASSERT_GE(count, hull.dimension == 3 ? 3 : 2);
  ASSERT_EQ(hull.vertices.size() + hull.face_count(), edges.size() / 2 + 2) << "Euler's formula";
}

/// Checks that every plane has a unit normal and has all points inside, exactly and in doubles.
inline void expect_planes_enclose(std::span<const Vector3> points, const HullData& hull) {
  for (const HullPlane& plane : hull.planes) {
    ASSERT_NEAR(plane.normal.norm(), 1, 1e-15);
    for (const Vector3& p : points) {
      ASSERT_TRUE(is_inside(plane, p));
      const double in_doubles = (plane.normal[0] * p[0] + plane.normal[1] * p[1]) + plane.normal[2] * p[2];
      ASSERT_LE(in_doubles, plane.offset);
    }
  }
}

/// Checks everything that `convex_hull` guarantees for exact faces, in integers.
inline void expect_exact_hull(std::span<const Vector3> points, const HullData& hull) {
  ASSERT_EQ(hull.vertices.size(), hull.vertex_points.size());
  ASSERT_FALSE(hull.vertices.empty());
  ASSERT_TRUE(std::is_sorted(hull.vertex_points.begin(), hull.vertex_points.end()));
  std::map<std::array<double, 3>, std::uint32_t> first;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    first.insert({{points[i][0] + 0.0, points[i][1] + 0.0, points[i][2] + 0.0}, i});
  }
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
    const std::uint32_t index = hull.vertex_points[v];
    ASSERT_LT(index, points.size());
    ASSERT_EQ(hull.vertices[v], points[index]);
    const Vector3& p = points[index];
    ASSERT_EQ((first[{p[0] + 0.0, p[1] + 0.0, p[2] + 0.0}]), index) << "the lowest of equal points";
  }

  // Duplicates add nothing, so each position is considered once.
  std::vector<Vector3> distinct;
  for (const auto& [p, index] : first)
    distinct.push_back(points[index]);
  std::vector<Vector3> all = distinct;
  all.insert(all.end(), hull.vertices.begin(), hull.vertices.end());
  const std::vector<Integer3> exact = to_integers(all);
  const std::span<const Integer3> given = std::span(exact).first(distinct.size());
  const std::span<const Integer3> corners = std::span(exact).subspan(distinct.size());

  if (hull.dimension == 0) {
    ASSERT_EQ(distinct.size(), 1u);
    ASSERT_EQ(hull.vertices.size(), 1u);
    ASSERT_EQ(hull.face_count(), 0u);
    return;
  }
  if (hull.dimension == 1) {
    ASSERT_EQ(corners.size(), 2u);
    ASSERT_EQ(hull.face_count(), 0u);
    const Integer3 along = minus(corners[1], corners[0]);
    ASSERT_FALSE(is_zero(along));
    for (const Integer3& p : given) {
      ASSERT_TRUE(is_zero(cross(along, minus(p, corners[0]))));
      ASSERT_GE(dot(along, minus(p, corners[0])), 0);
      ASSERT_GE(dot(along, minus(corners[1], p)), 0);
    }
    return;
  }

  expect_closed_surface(hull);
  ASSERT_FALSE(::testing::Test::HasFatalFailure());
  std::vector<Integer3> normals;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    const Integer3& a = corners[face[0]];
    const Integer3 normal = cross(minus(corners[face[1]], a), minus(corners[face[2]], a));
    ASSERT_FALSE(is_zero(normal));
    normals.push_back(normal);
    const Integer height = dot(normal, a);
    for (const Integer3& p : given) {
      if (hull.dimension == 3) {
        ASSERT_LE(dot(normal, p), height) << "a point is outside of face " << f;
      } else {
        ASSERT_EQ(dot(normal, p), height) << "a point is off the plane";
      }
    }
    const bool check_all = hull.dimension == 2 || face.size() <= 64;
    for (std::size_t i = 0; i < face.size(); ++i) {
      const Integer3& u = corners[face[i]];
      const Integer3& v = corners[face[(i + 1) % face.size()]];
      const Integer3 inward = cross(normal, minus(v, u));
      for (std::size_t j = 0; j < face.size(); ++j) {
        const Integer3& w = corners[face[j]];
        if (i == 0) {
          ASSERT_EQ(dot(normal, w), height) << "a face is planar";
        }
        const bool at_edge = j == i || j == (i + 1) % face.size();
        if (at_edge || !(check_all || j == (i + 2) % face.size())) continue;
        ASSERT_GT(dot(inward, minus(w, u)), 0) << "a face is strictly convex";
      }
      if (hull.dimension == 2) {
        for (const Integer3& p : given)
          ASSERT_GE(dot(inward, minus(p, u)), 0) << "a point is outside the polygon";
      }
    }
    const Vector3& outward = hull.planes[f].normal;
    // The rounded normal must point in the same direction. Its length is checked elsewhere.
    Integer agreement = 0;
    const std::array<Vector3, 1> one = {outward};
    agreement = dot(normal, to_integer(outward, common_shift(one)));
    ASSERT_GT(agreement, 0);
  }
  if (hull.dimension != 3) return;

  // A vertex is extreme if the normals of its faces span space. No two adjacent faces are coplanar.
  std::vector<std::vector<std::size_t>> faces_of(hull.vertices.size());
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    for (const std::uint32_t v : hull.face(f))
      faces_of[v].push_back(f);
  }
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
    bool extreme = false;
    const auto& around = faces_of[v];
    for (std::size_t i = 1; i < around.size() && !extreme; ++i) {
      const Integer3 line = cross(normals[around[0]], normals[around[i]]);
      ASSERT_FALSE(is_zero(line)) << "two faces at a vertex are coplanar";
      for (std::size_t j = i + 1; j < around.size() && !extreme; ++j)
        extreme = dot(line, normals[around[j]]) != 0;
    }
    ASSERT_TRUE(extreme) << "vertex " << v << " is not extreme";
  }
}

}  // namespace whisker::test
