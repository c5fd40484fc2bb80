#include "convex/box_box_overlap.hpp"

#include <cmath>

namespace whisker::convex {
namespace {

/// The fifteen axes (Gottschalk, Lin, Manocha 1996). `t` is b's center in a's frame, `c` are b's axes in a's frame.
bool are_parted(const Vector3& ha, const Vector3& hb, const Vector3& t, const Matrix3& c, double margin) {
  const Matrix3 size = c.cwiseAbs();
  const Vector3 reach_b = size * hb, reach_a = size.transpose() * ha, along_b = c.transpose() * t;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(t[i]) > ha[i] + reach_b[i] + margin) return true;
    if (std::abs(along_b[i]) > hb[i] + reach_a[i] + margin) return true;
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double of_a = ha[i1] * size(i2, j) + ha[i2] * size(i1, j);
      const double of_b = hb[j1] * size(i, j2) + hb[j2] * size(i, j1);
      if (std::abs(t[i2] * c(i1, j) - t[i1] * c(i2, j)) > of_a + of_b + margin) return true;
    }
  }
  return false;
}

}  // namespace

BoxesAre box_box_overlap(const SimpleShape& a, const SimpleShape& b, Vector3& common) {
  const Vector3 ha = a.box.size / 2, hb = b.box.size / 2;
  const Matrix3 &ra = a.pose.rotation(), &rb = b.pose.rotation();
  const Vector3 between = b.pose.translation() - a.pose.translation();  // each coordinate rounded once
  // Rotations may be off by 1e-9, but are treated as exact below. Rounding errors are far smaller.
  const double size = between.lpNorm<1>() + ha.sum() + hb.sum(), margin = 0x1p-24 * size;
  if (!(size > 0x1p-300 && size < 0x1p300)) return BoxesAre::close;
  const Matrix3 c = ra.transpose() * rb;
  const Vector3 t = ra.transpose() * between;
  if (are_parted(ha, hb, t, c, margin)) return BoxesAre::apart;

  // Search for a common point by projecting alternately onto the one box and the other. The boxes are shrunk a little,
  // so that the point does not just approach the border of the true boxes. Each true box is reduced by the margin.
  const Vector3 limit_a = ha.array() - margin, limit_b = hb.array() - margin;
  if (limit_a.minCoeff() < 0 || limit_b.minCoeff() < 0) return BoxesAre::close;
  for (const double share : {0.98, 0.998}) {
    const Vector3 inner_a = share * limit_a, inner_b = share * limit_b;
    Vector3 in_a = t;
    for (int turn = 0; turn < 24; ++turn) {
      in_a = in_a.cwiseMax(-inner_a).cwiseMin(inner_a);
      const Vector3 in_b = c.transpose() * (in_a - t);
      if ((in_b.cwiseAbs().array() <= limit_b.array()).all()) {
        common = ra * in_a + a.pose.translation();
        return BoxesAre::overlapping;
      }
      in_a = c * in_b.cwiseMax(-inner_b).cwiseMin(inner_b) + t;
    }
  }
  return BoxesAre::close;
}

}  // namespace whisker::convex
