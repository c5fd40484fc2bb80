#include "geometry/plane_side.hpp"

#include "geometry/double_double.hpp"
#include "geometry/exact_integer.hpp"
#include "geometry/expansion.hpp"
#include "geometry/triangle_edge_point.hpp"

namespace whisker::geometry {
namespace {

constexpr double unit_one = 1;

/// Coordinates, normal and offset as integers. A product of two of them is in units squared, and so is the offset after
/// multiplication by the integer of 1.
CommonUnit unit_of(const ExactPlane& plane, const Vector3& p, const Vector3& q) {
  return CommonUnit({{plane.normal.data(), 3},
                     {plane.origin.data(), 3},
                     {&plane.offset, 1},
                     {&unit_one, 1},
                     {p.data(), 3},
                     {q.data(), 3}});
}

/// normal · (point - origin) - offset, in units squared.
ExactInteger integer_height(const CommonUnit& unit, const ExactPlane& plane, const Vector3& point) {
  const auto term = [&](int k) { return unit.integer(plane.normal[k]) * unit.difference(point[k], plane.origin[k]); };
  return term(0) + term(1) + term(2) - unit.integer(plane.offset) * unit.integer(unit_one);
}

/// The range in which expansions of products of two numbers are exact (predicates.cpp, `degree2`).
bool suits_expansions(const Vector3& v) {
  const auto suits = [](double value) {
    const double magnitude = std::abs(value);
    return (magnitude >= 0x1p-485 && magnitude <= 0x1p500) || magnitude == 0;
  };
  return suits(v[0]) && suits(v[1]) && suits(v[2]);
}

/// The height of a point, unscaled, and the sum of the magnitudes of its terms.
struct PlaneHeight {
  DoubleDouble value;
  double permanent = 0;
};

PlaneHeight height_of(const ExactPlane& plane, const Vector3& point) {
  const Vector3dd away = difference(point, plane.origin);
  const DoubleDouble x = away.x * plane.normal[0], y = away.y * plane.normal[1], z = away.z * plane.normal[2];
  return {x + y + z - plane.offset, std::abs(x.hi) + std::abs(y.hi) + std::abs(z.hi) + std::abs(plane.offset)};
}

}  // namespace

int side_of_exact(const ExactPlane& plane, const Vector3& point) {
  if (suits_expansions(plane.normal) && suits_expansions(plane.origin) && suits_expansions(point) &&
      suits_expansions(Vector3::Constant(plane.offset))) {
    const auto term = [&](int k) { return to_expansion(two_diff(point[k], plane.origin[k])) * plane.normal[k]; };
    return grow(term(0) + term(1) + term(2), -plane.offset).sign();
  }
  const CommonUnit unit = unit_of(plane, point, point);
  return unit.finite ? integer_height(unit, plane, point).sign : 0;
}

Vector3 crossing_point(const ExactPlane& plane, const Vector3& below, const Vector3& above) {
  // The errors of the heights are below 2^-101 of their permanents, less than those of the determinants that
  // `is_accurate` is made for. Where a product overflows, so does the permanent.
  const PlaneHeight low = height_of(plane, below), high = height_of(plane, above);
  const bool in_range = low.permanent <= 0x1p900 && high.permanent <= 0x1p900;
  if (in_range && is_accurate(low.value, low.permanent) && is_accurate(high.value, high.permanent))
    return mean_by_heights(below, above, {low.value, high.value, true});
  const CommonUnit unit = unit_of(plane, below, above);
  const Vector3 point =
      exact_mean(unit, below, above, integer_height(unit, plane, below), integer_height(unit, plane, above));
  return point.cwiseMax(below.cwiseMin(above)).cwiseMin(below.cwiseMax(above));
}

}  // namespace whisker::geometry
