#pragma once

// Surfaces that touch themselves in different ways, or nearly so, and the truth about them: tests of all pairs.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/methods/volume_tree.hpp>

#include "support/cases.hpp"
#include "support/mesh_edits.hpp"
#include "support/random_shapes.hpp"

namespace whisker::test {

using Vertices = std::vector<Vector3>;
using Pairs = std::vector<TrianglePair>;

/// A grid of columns × rows cells over the unit square, mapped by `place`, with two triangles per cell that face up.
/// Cells for which `is_there` is false are left out.
inline MeshData grid(std::uint32_t columns, std::uint32_t rows, const std::function<Vector3(double, double)>& place,
                     const std::function<bool(std::uint32_t, std::uint32_t)>& is_there = {}) {
  MeshData data;
  for (std::uint32_t j = 0; j <= rows; ++j)
    for (std::uint32_t i = 0; i <= columns; ++i)
      data.vertices.push_back(place(static_cast<double>(i) / columns, static_cast<double>(j) / rows));
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      if (is_there && !is_there(i, j)) continue;
      const std::uint32_t v = j * (columns + 1) + i, w = v + columns + 1;
      data.triangles.push_back({v, v + 1, w + 1});
      data.triangles.push_back({v, w + 1, w});
    }
  }
  return data;
}

inline MeshData flat_sheet(std::uint32_t columns, std::uint32_t rows) {
  return grid(columns, rows, [](double s, double t) { return Vector3(s, t, 0); });
}

/// A ribbon on a cone that goes around the axis `turns` times. All its normals point up. Where it overlaps itself, the
/// two layers cross.
inline MeshData cone_ribbon(std::uint32_t along, std::uint32_t across, double turns) {
  return grid(along, across, [turns](double s, double t) {
    const double angle = -2 * std::numbers::pi * turns * s, radius = 1 + 0.3 * t;
    return Vector3(radius * std::cos(angle), radius * std::sin(angle), -0.5 * radius + 0.05 * turns * s * (t - 0.5));
  });
}

/// A ribbon along a trefoil knot, wide enough to touch itself where its strands pass each other.
inline MeshData knotted_ribbon(std::uint32_t along, std::uint32_t across, double width) {
  const auto knot = [](double s) {
    const double a = 2 * std::numbers::pi * s;
    return Vector3(std::sin(a) + 2 * std::sin(2 * a), std::cos(a) - 2 * std::cos(2 * a), -std::sin(3 * a));
  };
  return grid(along, across, [=](double s, double t) {
    const double end = 0.97 * s;
    const Vector3 way = (knot(end + 1e-5) - knot(end - 1e-5)).normalized();
    const Vector3 side = way.cross(Vector3(0.1, 0.2, 1)).normalized();
    return Vector3(knot(end) + width * (t - 0.5) * side);
  });
}

/// A sheet with a slit from one side almost to the other. The two sides of the slit have different vertices at the same
/// places.
inline MeshData slit_sheet(std::uint32_t columns, std::uint32_t rows) {
  MeshData data = flat_sheet(columns, rows);
  const std::uint32_t middle = columns / 2;
  std::map<std::uint32_t, std::uint32_t> other;
  for (std::uint32_t j = 0; j < rows; ++j) {
    const std::uint32_t v = j * (columns + 1) + middle;
    other[v] = static_cast<std::uint32_t>(data.vertices.size());
    data.vertices.push_back(data.vertices[v]);
  }
  for (std::size_t t = 0; t < data.triangles.size(); ++t) {
    const bool is_right = t / 2 % columns >= middle;
    for (std::uint32_t& v : data.triangles[t])
      if (is_right && other.contains(v)) v = other[v];
  }
  return data;
}

/// A disk in the middle and `arms` strips that extend from it.
inline MeshData star(std::uint32_t arms, std::uint32_t length) {
  MeshData data;
  data.vertices.emplace_back(0, 0, 0);
  for (std::uint32_t i = 0; i < 2 * arms; ++i) {
    const double a = std::numbers::pi * i / arms;
    data.vertices.emplace_back(std::cos(a), std::sin(a), 0);
  }
  for (std::uint32_t i = 0; i < 2 * arms; ++i)
    data.triangles.push_back({0, 1 + i, 1 + (i + 1) % (2 * arms)});
  for (std::uint32_t i = 0; i < 2 * arms; i += 2) {
    std::uint32_t p = 1 + i, q = 1 + (i + 1) % (2 * arms);
    const Vector3 out = (data.vertices[p] + data.vertices[q]) / 2;
    for (std::uint32_t k = 0; k < length; ++k) {
      const auto r = static_cast<std::uint32_t>(data.vertices.size());
      data.vertices.push_back(data.vertices[p] + 0.3 * out);
      data.vertices.push_back(data.vertices[q] + 0.3 * out);
      data.triangles.push_back({p, r, r + 1});
      data.triangles.push_back({p, r + 1, q});
      p = r;
      q = r + 1;
    }
  }
  return data;
}

/// Pages that are all bound along one edge, so that its edges have as many triangles as there are pages.
inline MeshData book(std::uint32_t pages, std::uint32_t rows) {
  MeshData data;
  for (std::uint32_t j = 0; j <= rows; ++j)
    data.vertices.emplace_back(0, 0, j);
  for (std::uint32_t p = 0; p < pages; ++p) {
    const double a = 0.4 * p;
    const auto first = static_cast<std::uint32_t>(data.vertices.size());
    for (std::uint32_t i = 1; i <= 3; ++i)
      for (std::uint32_t j = 0; j <= rows; ++j)
        data.vertices.emplace_back(i * std::cos(a), i * std::sin(a), j);
    for (std::uint32_t i = 0; i < 3; ++i) {
      for (std::uint32_t j = 0; j < rows; ++j) {
        const std::uint32_t v = i == 0 ? j : first + (i - 1) * (rows + 1) + j, w = first + i * (rows + 1) + j;
        data.triangles.push_back({v, w, w + 1});
        data.triangles.push_back({v, w + 1, v + 1});
      }
    }
  }
  return data;
}

inline MeshData joined(const std::vector<MeshData>& parts) {
  MeshData data;
  for (const MeshData& part : parts) {
    const auto first = static_cast<std::uint32_t>(data.vertices.size());
    data.vertices.insert(data.vertices.end(), part.vertices.begin(), part.vertices.end());
    for (const Index3& t : part.triangles)
      data.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return data;
}

/// Balls of different sizes, most of them apart.
inline MeshData many_parts(std::mt19937_64& random, std::size_t count) {
  std::vector<MeshData> parts;
  for (std::size_t i = 0; i < count; ++i) {
    MeshData ball = make::icosphere({.radius = uniform(random, 0.2, 0.8), .subdivisions = 0});
    parts.push_back(moved(ball, random_vector(random, 3)));
  }
  return joined(parts);
}

inline MeshData some_flipped(MeshData data, std::mt19937_64& random) {
  for (Index3& t : data.triangles)
    if (scenes::chance(random, 10)) std::swap(t[0], t[1]);
  return data;
}

/// Duplicates some triangles, reverses some, and gives some a repeated vertex or no area.
inline MeshData spoiled(MeshData data, std::mt19937_64& random) {
  const std::size_t count = data.triangles.size();
  for (std::size_t i = 0; i < count; i += 17)
    data.triangles.push_back(data.triangles[i]);
  for (std::size_t i = 5; i < count; i += 31)
    data.triangles.push_back({data.triangles[i][1], data.triangles[i][0], data.triangles[i][2]});
  for (std::size_t i = 9; i < count; i += 41)
    data.triangles[i][1] = data.triangles[i][0];
  for (std::size_t i = 11; i < count; i += 43)
    data.vertices[data.triangles[i][1]] = data.vertices[data.triangles[i][2]];
  std::shuffle(data.triangles.begin(), data.triangles.end(), random);
  return data;
}

struct SurfaceCase {
  std::string name;
  MeshData data;
};

/// All kinds of surfaces, with a few hundred triangles each.
inline std::vector<SurfaceCase> surface_cases(std::mt19937_64& random) {
  const auto in_hole = [](std::uint32_t i, std::uint32_t j) {
    return !((i >= 3 && i < 6 && j >= 3 && j < 7) || (i >= 8 && i < 10 && j >= 2 && j < 4));
  };
  const auto unit = [](double s, double t) { return Vector3(s, t, 0); };
  return {
      {"flat", flat_sheet(12, 12)},
      {"waves",
       grid(14, 14, [](double s, double t) { return Vector3(s, t, 0.1 * std::sin(9 * s) * std::cos(7 * t)); })},
      {"folded flat", grid(14, 10, [](double s, double t) { return Vector3(std::abs(s - 0.52), t, 0.3 * s * t); })},
      {"folded on itself", grid(12, 12, [](double s, double t) { return Vector3(std::abs(s - 0.5), t, 0); })},
      {"rolled", grid(40, 4,
                      [](double s, double t) {
                        const double a = 15 * s, r = 1 - 0.5 * s + 0.1 * t * std::sin(3 * a);
                        return Vector3(r * std::cos(a), r * std::sin(a), t);
                      })},
      {"cone ribbon", cone_ribbon(50, 4, 1.4)},
      {"cone ribbon that ends before it meets itself", cone_ribbon(50, 4, 0.97)},
      {"slit", slit_sheet(12, 12)},
      {"holes", grid(14, 12, unit, in_hole)},
      {"corners that touch", grid(10, 10, unit, [](std::uint32_t i, std::uint32_t j) { return (i + j) % 2 == 0; })},
      {"star", star(9, 8)},
      {"knot", knotted_ribbon(110, 2, 1.2)},
      {"ball", make::icosphere({.subdivisions = 2})},
      {"torus", make::torus({.around = 20, .across = 10})},
      {"folds", make::cloth_sheet({.columns = 20, .rows = 10, .folds = 2, .fold_angle = 120})},
      {"book", book(9, 5)},
      {"parts", many_parts(random, 25)},
      {"flipped", some_flipped(flat_sheet(12, 12), random)},
      {"spoiled", spoiled(flat_sheet(12, 12), random)},
      {"one triangle", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}},
      {"points",
       {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 1, 2}, {3, 4, 5}, {1, 1, 1}}}},
  };
}

/// Deforms all vertices: a little noise, waves, a twist, a crease, or as if the surface were thrown into a corner.
inline Vertices deformed(const Vertices& from, std::mt19937_64& random) {
  Aabb box;
  for (const Vector3& v : from)
    box.include(v);
  const double size = std::max(1e-3, (box.upper - box.lower).maxCoeff());
  const Vector3 middle = (box.lower + box.upper) / 2;
  const Vector3 way = scenes::unit_vector(random), axis = scenes::unit_vector(random);
  const double much = uniform(random, 0, 1), waves = uniform(random, 1, 12) / size;
  const int kind = whole(random, 0, 5);
  Vertices to = from;
  for (Vector3& v : to) {
    const Vector3 at = v - middle;
    const double along = at.dot(way);
    switch (kind) {
      case 0:
        v += 0.1 * much * much * size * scenes::unit_vector(random);
        break;
      case 1:
        v += 0.2 * much * size * std::sin(waves * along) * axis;
        break;
      case 2:  // a twist
        v = middle + Eigen::AngleAxisd(6 * much * along / size, way) * at;
        break;
      case 3:  // a crease: the part beyond a plane is nearly mirrored at it
        if (along > 0) v -= (2 - 0.1 * much) * along * way;
        break;
      case 4:  // rolled up
        v = middle + Eigen::AngleAxisd(20 * much * along / size, axis) * (at - (0.7 * along) * way);
        break;
      default:  // rounded to a coarse grid, so that many vertices coincide
        v = (v * (8 / size)).array().round().matrix() * (size / 8);
    }
  }
  return to;
}

inline bool share_vertex(const Index3& p, const Index3& q) {
  return std::find_first_of(p.begin(), p.end(), q.begin(), q.end()) != p.end();
}

inline Triangle triangle_at(const Vertices& vertices, const Index3& t) {
  return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
}

/// All pairs of triangles without a common vertex that touch, tested one by one.
inline Pairs brute_self(const Vertices& vertices, const std::vector<Index3>& triangles) {
  Pairs pairs;
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    for (std::uint32_t j = i + 1; j < triangles.size(); ++j)
      if (!share_vertex(triangles[i], triangles[j]) &&
          touches_triangle_triangle(triangle_at(vertices, triangles[i]), triangle_at(vertices, triangles[j])))
        pairs.push_back({i, j});
  return pairs;
}

}  // namespace whisker::test
