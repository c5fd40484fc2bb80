#pragma once

// A quick look at a pose, which nearly all pass.

#include <cmath>
#include <hwy/highway.h>

#include <whisker/pose.hpp>

namespace whisker::geometry {

/// Whether the pose is certainly fine (see check): the first two columns are orthonormal and the third is their cross
/// product, together to a fifth of the tolerance, which makes all of RᵀR right and the determinant positive. A NaN
/// fails every comparison.
inline bool is_plainly_rigid(const Pose& pose) {
  const double* const r = pose.rotation.data();  // column by column
  const double* const t = pose.translation.data();
  const double x = r[1] * r[5] - r[2] * r[4], y = r[2] * r[3] - r[0] * r[5], z = r[0] * r[4] - r[1] * r[3];
  const double first = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1;
  const double second = r[3] * r[3] + r[4] * r[4] + r[5] * r[5] - 1;
  const double across = r[0] * r[3] + r[1] * r[4] + r[2] * r[5];
  const double off = (std::abs(first) + std::abs(second)) + (std::abs(across) + std::abs(r[6] - x)) +
                     (std::abs(r[7] - y) + std::abs(r[8] - z));
  const double far = std::abs(t[0]) + std::abs(t[1]) + std::abs(t[2]);
  return (off <= Pose::rotation_tolerance / 5) & (far <= largest_coordinate);
}

/// Whether two poses are, with one in each lane: the same operations, at half their number.
inline bool are_plainly_rigid(const Pose& a, const Pose& b) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<double, 2> d;
  using Two = hn::Vec<decltype(d)>;
  // Every entry of a pose, r as above and t behind it.
  Two r[12];
  const auto load = [&](const double* of_a, const double* of_b, Two& even, Two& odd) {
    const Two from_a = hn::LoadU(d, of_a), from_b = hn::LoadU(d, of_b);
    even = hn::InterleaveLower(d, from_a, from_b);
    odd = hn::InterleaveUpper(d, from_a, from_b);
  };
  const double *const ra = a.rotation.data(), *const rb = b.rotation.data();
  const double *const ta = a.translation.data(), *const tb = b.translation.data();
  for (std::size_t i = 0; i < 8; i += 2)
    load(ra + i, rb + i, r[i], r[i + 1]);
  r[8] = hn::InterleaveLower(d, hn::Set(d, ra[8]), hn::Set(d, rb[8]));
  load(ta, tb, r[9], r[10]);
  r[11] = hn::InterleaveLower(d, hn::Set(d, ta[2]), hn::Set(d, tb[2]));

  const auto minor = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    return hn::Sub(hn::Mul(r[i], r[j]), hn::Mul(r[k], r[l]));
  };
  const auto dot = [&](std::size_t i, std::size_t j) {
    return hn::Add(hn::Add(hn::Mul(r[i], r[j]), hn::Mul(r[i + 1], r[j + 1])), hn::Mul(r[i + 2], r[j + 2]));
  };
  const Two one = hn::Set(d, 1.0);
  const Two first = hn::Abs(hn::Sub(dot(0, 0), one)), second = hn::Abs(hn::Sub(dot(3, 3), one));
  const Two across = hn::Abs(dot(0, 3));
  const Two x = hn::Abs(hn::Sub(r[6], minor(1, 5, 2, 4))), y = hn::Abs(hn::Sub(r[7], minor(2, 3, 0, 5))),
            z = hn::Abs(hn::Sub(r[8], minor(0, 4, 1, 3)));
  const Two off = hn::Add(hn::Add(hn::Add(first, second), hn::Add(across, x)), hn::Add(y, z));
  const Two far = hn::Add(hn::Add(hn::Abs(r[9]), hn::Abs(r[10])), hn::Abs(r[11]));
  return hn::AllTrue(
      d, hn::And(hn::Le(off, hn::Set(d, Pose::rotation_tolerance / 5)), hn::Le(far, hn::Set(d, largest_coordinate))));
}

}  // namespace whisker::geometry
