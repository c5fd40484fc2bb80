#pragma once

// Closed meshes of every kind: round and flat, thin, in several parts, nested, tiny and huge.

#include <cstdint>
#include <string>
#include <vector>

#include <whisker/make/make.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker::test {

struct NamedMesh {
  std::string name;
  MeshData data;
};

inline void append(MeshData& to, const MeshData& more, const Vector3& shift) {
  const auto first = static_cast<std::uint32_t>(to.vertices.size());
  for (const Vector3& v : more.vertices)
    to.vertices.push_back(v + shift);
  for (const Index3& t : more.triangles)
    to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

inline MeshData scaled(MeshData data, const Vector3& factors, const Vector3& shift = Vector3::Zero()) {
  for (Vector3& v : data.vertices)
    v = v.cwiseProduct(factors) + shift;
  return data;
}

inline MeshData ellipsoid(int subdivisions = 3) {
  return scaled(make::icosphere({.subdivisions = subdivisions}), {1, 0.6, 0.4});
}

/// Two thin plates that face each other across a narrow gap.
inline MeshData two_plates(double thickness, double gap) {
  MeshData plates = make::box({.size_x = 1, .size_y = 1, .size_z = thickness});
  append(plates, make::box({.size_x = 1, .size_y = 1, .size_z = thickness}), {0, 0, thickness + gap});
  return plates;
}

inline std::vector<NamedMesh> closed_meshes() {
  MeshData apart = make::box();
  append(apart, make::icosphere({.subdivisions = 1}), {5, 0, 0});
  append(apart, make::box({.size_x = 0.01}), {0, 40, 0});
  MeshData nested = make::icosphere({.subdivisions = 2});
  append(nested, make::box({.size_x = 0.2, .size_y = 0.2, .size_z = 0.2}), Vector3::Zero());
  // Two triangles back to back: closed, without an interior.
  const MeshData flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}}, {{0, 1, 2}, {0, 2, 1}}};
  return {{"cube", make::box()},
          {"ball", make::icosphere({.subdivisions = 2})},
          {"s", make::s_shape({.along = 8, .across = 10})},
          {"block", make::block()},
          {"apart", apart},
          {"nested", nested},
          {"flat", flat},
          {"pressed", {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}}},
          {"plates", two_plates(0.01, 0.01)},
          {"needle", make::box({.size_x = 100, .size_y = 1e-3, .size_z = 1e-4})},
          {"tetrahedron", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}}},
          {"tiny", scaled(make::block(), Vector3::Constant(1e-88))},
          {"huge", scaled(make::block(), Vector3::Constant(1e88))},
          {"far", scaled(make::block(), Vector3::Constant(1e-9), {1e3, -2e3, 5e2})}};
}

}  // namespace whisker::test
