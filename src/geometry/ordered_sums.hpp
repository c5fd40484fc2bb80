#pragma once

// Sums of three products in a fixed order: from left to right, whatever order Eigen would choose. Error bounds, and
// equal results in other places that compute the same sum, rely on it. (The same in lanes: simd/lanes-inl.hpp.)

#include <whisker/vector.hpp>

#include "geometry/double_double.hpp"

namespace whisker::geometry {

inline double dot(const double* a, const double* b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
inline double dot(const Vector3& a, const Vector3& b) {
  return dot(a.data(), b.data());
}

/// R v.
inline Vector3 turned(const Matrix3& r, const Vector3& v) {
  const auto row = [&](int i) { return (r(i, 0) * v[0] + r(i, 1) * v[1]) + r(i, 2) * v[2]; };
  return {row(0), row(1), row(2)};
}
inline Vector3dd turned(const Matrix3& r, const Vector3dd& v) {
  const auto row = [&](int i) { return (v.x * r(i, 0) + v.y * r(i, 1)) + v.z * r(i, 2); };
  return {row(0), row(1), row(2)};
}

/// Rᵀ v.
inline Vector3 turned_back(const Matrix3& r, const Vector3& v) {
  return {dot(r.data(), v.data()), dot(r.data() + 3, v.data()), dot(r.data() + 6, v.data())};
}
inline Vector3dd turned_back(const Matrix3& r, const Vector3dd& v) {
  const auto column = [&](int i) { return (v.x * r(0, i) + v.y * r(1, i)) + v.z * r(2, i); };
  return {column(0), column(1), column(2)};
}

}  // namespace whisker::geometry
