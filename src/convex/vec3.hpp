#pragma once

// Three doubles with the same functions as geometry::Vector3dd, so that algorithms written once run on doubles and,
// where these do not suffice, on double-doubles. (Eigen's vectors are not suitable for code that is compiled once per
// instruction set.)

#include <cmath>

#include <whisker/vector.hpp>

#include "geometry/double_double.hpp"

#if defined(__GNUC__)
#define WHISKER_INLINE inline __attribute__((always_inline))
#define WHISKER_INLINE_LAMBDA __attribute__((always_inline))
#else
#define WHISKER_INLINE inline
#define WHISKER_INLINE_LAMBDA
#endif

namespace whisker::convex {

/// Uninitialized unless braces are used: `Vec3 v{}` is zero.
struct Vec3 {
  double x, y, z;
};

WHISKER_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
WHISKER_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
WHISKER_INLINE Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
WHISKER_INLINE Vec3 operator*(const Vec3& a, double b) {
  return {a.x * b, a.y * b, a.z * b};
}
WHISKER_INLINE double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
WHISKER_INLINE Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
WHISKER_INLINE double squared_norm(const Vec3& a) {
  return dot(a, a);
}
WHISKER_INLINE double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}

WHISKER_INLINE Vec3 to_vec3(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
WHISKER_INLINE Vector3 to_vector3(const Vec3& v) {
  return {v.x, v.y, v.z};
}

/// What the algorithms need to know about their numbers: the scalar type of a vector, and its precision.
template <class V>
struct Numbers;

template <>
struct Numbers<Vec3> {
  using Real = double;
  static constexpr double roundoff = 0x1p-53;
  static constexpr bool is_double = true;
};

template <>
struct Numbers<geometry::Vector3dd> {
  using Real = geometry::DoubleDouble;
  static constexpr double roundoff = 0x1p-101;
  static constexpr bool is_double = false;
};

WHISKER_INLINE double to_double(double value) {
  return value;
}
inline double to_double(geometry::DoubleDouble value) {
  return value.hi;
}

WHISKER_INLINE double sqrt_of(double value) {
  return std::sqrt(value);
}
inline geometry::DoubleDouble sqrt_of(geometry::DoubleDouble value) {
  return geometry::sqrt(value);
}

}  // namespace whisker::convex
