#pragma once

// Surfaces that bend onto themselves, for the tests of self-contacts.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <whisker/make/make.hpp>
#include <whisker/mesh_data.hpp>

#include "support/cases.hpp"

namespace whisker::test {

inline constexpr double half_turn = 3.14159265358979323846;

/// A sheet of rows x columns cells of two triangles each, bent by `place(u, v)` with u and v from 0 to 1.
template <class Place>
MeshData bent_sheet(std::uint32_t rows, std::uint32_t columns, const Place& place) {
  MeshData data;
  for (std::uint32_t i = 0; i <= rows; ++i)
    for (std::uint32_t j = 0; j <= columns; ++j)
      data.vertices.push_back(place(static_cast<double>(i) / rows, static_cast<double>(j) / columns));
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      const std::uint32_t a = i * (columns + 1) + j, b = a + columns + 1;
      if ((i + j) % 2 == 0) {
        data.triangles.push_back({a, b, b + 1});
        data.triangles.push_back({a, b + 1, a + 1});
      } else {
        data.triangles.push_back({a, b, a + 1});
        data.triangles.push_back({a + 1, b, b + 1});
      }
    }
  }
  return data;
}

struct NamedMesh {
  std::string name;
  MeshData data;
};

/// Surfaces that are flat, folded, rolled, cut, holed, knotted, closed, in several parts, or not manifold.
inline std::vector<NamedMesh> bent_surfaces(std::uint32_t cells) {
  std::vector<NamedMesh> meshes;
  const auto add = [&](const char* name, MeshData data) { meshes.push_back({name, std::move(data)}); };
  const MeshData flat = bent_sheet(cells, cells, [](double u, double v) { return Vector3(u, v, 0); });
  add("flat", flat);
  add("folded flat onto itself",
      bent_sheet(cells, cells, [](double u, double v) { return Vector3(std::abs(u - 0.5), v, 0); }));
  add("folded", bent_sheet(cells, cells, [](double u, double v) {
        return Vector3(std::abs(u - 0.5), v, 0.05 * std::max(0.0, u - 0.5));
      }));
  add("folded through itself", bent_sheet(cells, cells, [](double u, double v) {
        return Vector3(std::abs(u - 0.5), v, 0.1 * std::sin(6 * v) * std::max(0.0, u - 0.5));
      }));
  add("rolled", bent_sheet(cells, 3 * cells, [](double u, double v) {
        const double angle = 4 * half_turn * v, radius = 0.1 + 0.05 * v;
        return Vector3(radius * std::cos(angle), radius * std::sin(angle), u);
      }));
  add("rolled to a cone", bent_sheet(3, 6 * cells, [](double u, double v) {
        // A strip that comes around to itself: its normals never differ much, and yet its ends cross.
        const double angle = 2.2 * half_turn * v, radius = 1 + 0.2 * u;
        return Vector3(radius * std::cos(angle), radius * std::sin(angle), 0.3 * u + 0.02 * std::sin(3 * angle));
      }));
  MeshData cut = flat;
  std::erase_if(cut.triangles, [&](const Index3& t) {
    return std::any_of(t.begin(), t.end(), [&](std::uint32_t v) {
      return flat.vertices[v][1] < 0.6 && std::abs(flat.vertices[v][0] - 0.5) < 0.6 / cells;
    });
  });
  for (Vector3& v : cut.vertices)
    v[0] += 0.4 * (v[0] < 0.5 ? 1 : -1) * std::max(0.0, 0.6 - v[1]);
  add("cut", std::move(cut));
  MeshData holed = bent_sheet(cells, cells, [](double u, double v) { return Vector3(u, v, 0.3 * std::sin(5 * u)); });
  std::erase_if(holed.triangles,
                [&](const Index3& t) { return (holed.vertices[t[0]].head<2>() - Vector2(0.5, 0.5)).norm() < 0.25; });
  add("holed", std::move(holed));
  add("knotted", bent_sheet(3, 8 * cells, [](double u, double v) {
        const double t = 2 * half_turn * v;
        const Vector3 trefoil(std::sin(t) + 2 * std::sin(2 * t), std::cos(t) - 2 * std::cos(2 * t), -std::sin(3 * t));
        return Vector3(trefoil + Vector3(0.8 * (u - 0.5), 0, 0.9 * (u - 0.5)));
      }));
  add("ball", make::icosphere({.subdivisions = cells < 8 ? 1 : 2}));
  add("torus", make::torus({.around = static_cast<int>(2 * cells), .across = static_cast<int>(cells)}));
  MeshData parts = make::icosphere({.subdivisions = 1});
  const MeshData other = parts;
  for (int k = 1; k < 4; ++k) {
    const auto first = static_cast<std::uint32_t>(parts.vertices.size());
    for (const Vector3& v : other.vertices)
      parts.vertices.push_back(v + k * Vector3(1.1, 0.3, 0.2));
    for (const Index3& t : other.triangles)
      parts.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  add("several parts", std::move(parts));
  // Pages of a book that share one edge, some bent onto others, and a fan of triangles around one vertex.
  MeshData book;
  book.vertices = {{0, 0, 0}, {0, 0, 1}};
  for (int k = 0; k < 7; ++k) {
    const double angle = 0.4 * (k % 5);
    book.vertices.emplace_back(std::cos(angle), std::sin(angle), 0.1 * k);
    book.triangles.push_back({0, 1, static_cast<std::uint32_t>(2 + k)});
  }
  for (std::uint32_t k = 2; k + 2 < 9; ++k)
    book.triangles.push_back({0, k, k + 2});
  add("book", std::move(book));
  return meshes;
}

/// All vertices moved randomly by up to `by` along each axis.
inline std::vector<Vector3> shaken(std::vector<Vector3> vertices, std::mt19937_64& random, double by) {
  for (Vector3& v : vertices)
    v += Vector3(uniform(random, -by, by), uniform(random, -by, by), uniform(random, -by, by));
  return vertices;
}

/// All vertices rounded to a grid, so that many coincide or are collinear or coplanar.
inline std::vector<Vector3> snapped(std::vector<Vector3> vertices, double cell) {
  for (Vector3& v : vertices)
    v = (v / cell).array().round().matrix() * cell;
  return vertices;
}

}  // namespace whisker::test
