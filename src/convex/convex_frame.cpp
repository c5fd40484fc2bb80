#include "convex/convex_frame.hpp"

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>

#include <whisker/error.hpp>

#include "geometry/constants.hpp"
#include "geometry/safe_norm.hpp"

namespace whisker::convex {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::FixedTag<double, 2>;
using Two = hn::Vec<Tag>;
constexpr Tag two_lanes;

Two pair_of(double low, double high) {
  return hn::InterleaveLower(two_lanes, hn::Set(two_lanes, low), hn::Set(two_lanes, high));
}
Two sum_of_products(const Two (&x)[3], const Two (&y)[3]) {
  return hn::Add(hn::Add(hn::Mul(x[0], y[0]), hn::Mul(x[1], y[1])), hn::Mul(x[2], y[2]));
}

// An upper bound on how far RᵀR is from the identity.
double off_orthonormal(const Matrix3& r) {
  const double* const p = r.data();
  Two first_second[3], second_third[3], third_first[3];
  for (int k = 0; k < 3; ++k) {
    first_second[k] = pair_of(p[k], p[k + 3]);
    second_third[k] = pair_of(p[k + 3], p[k + 6]);
    third_first[k] = pair_of(p[k + 6], p[k]);
  }
  // Products of columns: 0 0 and 1 1, then 0 1 and 1 2, then 2 2 and 0 2.
  Two third[3];
  for (int k = 0; k < 3; ++k)
    third[k] = hn::Set(two_lanes, p[k + 6]);
  const Two squares = hn::Abs(hn::Sub(sum_of_products(first_second, first_second), hn::Set(two_lanes, 1.0)));
  const Two next = hn::Abs(sum_of_products(first_second, second_third));
  const Two last = hn::Abs(hn::Sub(sum_of_products(third_first, third), pair_of(1, 0)));
  const auto high = [](Two v) { return hn::GetLane(hn::InterleaveUpper(two_lanes, v, v)); };
  const double diagonal = std::max({hn::GetLane(squares), high(squares), hn::GetLane(last)});
  const double across = hn::GetLane(next) + high(next) + high(last);
  return diagonal + across + 4 * unit_roundoff;
}

// RaᵀRb and Raᵀ between.
void set_relative_pose(const Matrix3& ra, const Matrix3& rb, const Vector3& between, FrameBody& out) {
  const double *const a = ra.data(), *const b = rb.data();
  Two left[3], right[3];
  for (int k = 0; k < 3; ++k) {
    left[k] = pair_of(b[k], b[k + 3]);
    right[k] = pair_of(b[k + 6], between[k]);
  }
  for (int i = 0; i < 3; ++i) {
    const Two column[3] = {hn::Set(two_lanes, a[3 * i]), hn::Set(two_lanes, a[3 * i + 1]),
                           hn::Set(two_lanes, a[3 * i + 2])};
    hn::StoreU(sum_of_products(column, left), two_lanes, out.m[i]);
    hn::StoreU(sum_of_products(column, right), two_lanes, out.m[i] + 2);
  }
}

void set_shape(const ConvexBody& body, FrameBody& out) {
  using Mode = FrameBody::Mode;
  out.count = 0;
  out.table = body.table;
  switch (body.core) {
    case ConvexBody::Core::vertices:
      out.count = body.vertex_count();
      if (body.table != nullptr) {
        out.padded = body.table->padded;
        out.x = body.table->x;
        out.y = body.table->y;
        out.z = body.table->z;
        out.mode = body.table->has_cells() ? Mode::cells : Mode::scan;
      } else {
        out.padded = 8;
        out.x = body.own[0].data();
        out.y = body.own[1].data();
        out.z = body.own[2].data();
        out.mode = Mode::scan;
      }
      return;
    case ConvexBody::Core::cylinder:
    case ConvexBody::Core::cone:
      out.mode = body.core == ConvexBody::Core::cone ? Mode::cone : Mode::cylinder;
      out.disc = body.disc;
      out.half_length = body.half_length;
      return;
    case ConvexBody::Core::ellipsoid:
      out.mode = Mode::ellipsoid;
      for (int i = 0; i < 3; ++i)
        out.radii[i] = body.radii[i];
      return;
    case ConvexBody::Core::custom:
      out.mode = Mode::custom;
      out.custom = body.custom;
      return;
  }
}

}  // namespace

bool set_frame(const ConvexBody& a, const ConvexBody& b, FramePair& pair) {
  set_shape(a, pair.a);
  set_shape(b, pair.b);
  const Matrix3& ra = a.pose.rotation();
  const Vector3 between = b.pose.translation() - a.pose.translation();
  double size_b = b.size;
  if (b.in_world) {
    size_b = 0;
    for (std::uint32_t i = 0; i < b.own_count; ++i)
      size_b = std::max(size_b, geometry::safe_norm(b.vertex(i) - a.pose.translation()) * (1 + 0x1p-48));
  }
  const double away = b.in_world ? 0 : geometry::safe_norm(between) * (1 + 0x1p-48);
  double size = a.size + size_b + away;
  pair.origin = a.pose.translation();
  pair.radii = a.radius + b.radius;
  const double off = off_orthonormal(ra);
  pair.in_first = off <= 0x1p-48 && size > 0x1p-100 && size < 0x1p100 && pair.radii < 0x1p100;
  pair.scale = pair.unit = 1;
  if (!pair.in_first) {
    const double largest = std::max(size, pair.radii);
    if (!(largest > 0)) return false;
    pair.scale = std::ldexp(1.0, std::min(1000, -std::ilogb(largest)));
    pair.unit = 1 / pair.scale;
  }
  pair.turn = ra;
  const double s = pair.scale;
  FrameBody &fa = pair.a, &fb = pair.b;
  fa.is_identity = pair.in_first;
  fb.is_identity = false;
  if (pair.in_first) {
    if (!b.in_world) {
      set_relative_pose(ra, b.pose.rotation(), between, fb);
    } else {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
          fb.m[i][j] = ra(j, i);
        fb.m[i][3] = 0;
      }
    }
    if (fa.count == 0 || fb.count == 0) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
          fa.m[i][j] = i == j ? 1 : 0;
        fa.m[i][3] = 0;
      }
    }
    pair.stretch = off;
  } else {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        fa.m[i][j] = s * ra(i, j);
        fb.m[i][j] = b.in_world ? (i == j ? s : 0) : s * b.pose.rotation()(i, j);
      }
      fa.m[i][3] = 0;
      fb.m[i][3] = b.in_world ? 0 : s * between[i];
    }
    pair.stretch = 0;
  }
  if (b.in_world) {
    // For each corner, first take the difference, which determines the rounding error, then rotate.
    for (std::uint32_t k = 0; k < 8; ++k) {
      const Vector3 d = Vector3(b.own[0][k], b.own[1][k], b.own[2][k]) - a.pose.translation();
      for (int i = 0; i < 3; ++i) {
        fb.placed[i][k] = (fb.m[i][0] * d[0] + fb.m[i][1] * d[1]) + fb.m[i][2] * d[2];
      }
    }
    fb.x = fb.placed[0];
    fb.y = fb.placed[1];
    fb.z = fb.placed[2];
    fb.mode = FrameBody::Mode::placed;
  } else if (fb.mode == FrameBody::Mode::scan && fb.padded <= FrameBody::max_placed) {
    fb.mode = FrameBody::Mode::to_be_placed;
  }
  if (fa.mode == FrameBody::Mode::scan && fa.padded <= FrameBody::max_placed) {
    fa.mode = fa.is_identity ? FrameBody::Mode::placed : FrameBody::Mode::to_be_placed;
  }

  for (int i = 0; i < 3; ++i) {
    fa.middle[i] = a.middle[i];
    fb.middle[i] = b.in_world ? b.middle[i] - a.pose.translation()[i] : b.middle[i];
  }

  // Rounding errors, with u = unit_roundoff. An entry of RaᵀRb is off by 3 u, so m x is off by 9 u |x| because of that,
  // and by 7 u |x| because of its own sums. t is off by 7 u |t|, and the difference by u of all. A body that is used in
  // its own frame is off by as much as its rotation is.
  pair.size = size * s * (1 + 0x1p-40);
  pair.radii *= s;
  const double sa = a.size * s, sb = size_b * s, st = away * s;
  pair.error = 17 * unit_roundoff * sb + 9 * unit_roundoff * st + (8 * unit_roundoff + pair.stretch) * sa;
  // Heights are off by 3 u |d||x|, and directions in a body's own frame by 7 u, both for the selected vertex and for
  // the best one. A curved core's point is off by 4 u of its size.
  pair.reach_error =
      pair.error + 14 * unit_roundoff * (sa + sb) + 4 * unit_roundoff * st + (a.support_error + b.support_error) * s;
  pair.mean_error = pair.error + 6 * unit_roundoff * (sa + sb + st) + (a.support_error + b.support_error) * s;
  const double far = std::max(a.pose.translation().cwiseAbs().maxCoeff(), b.pose.translation().cwiseAbs().maxCoeff());
  pair.fine =
      fine_ulps * unit_roundoff * std::max({far * s, sa / 2, sb / 2}) + 2.5 * (a.support_error + b.support_error) * s;
  return true;
}

void custom_support(const CustomConvex& custom, const double (&direction)[3], double (&point)[3]) {
  const Vector3 found = custom.support({direction[0], direction[1], direction[2]});
  if (!found.allFinite()) throw Error("custom shape: the support function returned a point that is not finite");
  for (int i = 0; i < 3; ++i)
    point[i] = found[i];
}

}  // namespace whisker::convex
