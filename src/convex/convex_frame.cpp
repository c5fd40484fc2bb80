#include "convex/convex_frame.hpp"

#include <algorithm>
#include <cmath>

#include <whisker/error.hpp>

#include "geometry/safe_norm.hpp"

namespace whisker::convex {
namespace {

constexpr double u = 0x1p-53;

// How far RᵀR is from the identity, or more.
double off_orthonormal(const Matrix3& r) {
  const double* const p = r.data();
  const auto column_dot = [&](int i, int j) {
    return p[3 * i] * p[3 * j] + p[3 * i + 1] * p[3 * j + 1] + p[3 * i + 2] * p[3 * j + 2];
  };
  const double diagonal =
      std::max({std::abs(column_dot(0, 0) - 1), std::abs(column_dot(1, 1) - 1), std::abs(column_dot(2, 2) - 1)});
  const double across = std::abs(column_dot(0, 1)) + std::abs(column_dot(1, 2)) + std::abs(column_dot(0, 2));
  return diagonal + across + 4 * u;
}

void set_shape(const ConvexBody& body, FrameBody& out) {
  using Core = ConvexBody::Core;
  using Mode = FrameBody::Mode;
  out.count = 0;
  out.table = body.table;
  switch (body.core) {
    case Core::vertices:
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
    case Core::cylinder:
    case Core::cone:
      out.mode = body.core == Core::cone ? Mode::cone : Mode::cylinder;
      out.disc = body.disc;
      out.half_length = body.half_length;
      return;
    case Core::ellipsoid:
      out.mode = Mode::ellipsoid;
      for (int i = 0; i < 3; ++i)
        out.radii[i] = body.radii[i];
      return;
    case Core::custom:
      out.mode = Mode::custom;
      out.custom = body.custom;
      return;
  }
}

}  // namespace

bool set_frame(const ConvexBody& a, const ConvexBody& b, FramePair& pair) {
  set_shape(a, pair.a);
  set_shape(b, pair.b);
  const Matrix3& ra = a.pose.rotation;
  const Vector3 between = b.pose.translation - a.pose.translation;
  double size_b = b.size;
  if (b.in_world) {
    size_b = 0;
    for (std::uint32_t i = 0; i < b.own_count; ++i)
      size_b = std::max(size_b, geometry::safe_norm(b.vertex(i) - a.pose.translation) * (1 + 0x1p-48));
  }
  const double away = b.in_world ? 0 : geometry::safe_norm(between) * (1 + 0x1p-48);
  double size = a.size + size_b + away;
  pair.origin = a.pose.translation;
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
    const Matrix3& rb = b.pose.rotation;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        fb.m[i][j] = b.in_world ? ra(j, i) : (ra(0, i) * rb(0, j) + ra(1, i) * rb(1, j)) + ra(2, i) * rb(2, j);
      }
      fb.t[i] = b.in_world ? 0 : (ra(0, i) * between[0] + ra(1, i) * between[1]) + ra(2, i) * between[2];
    }
    if (fa.count == 0 || fb.count == 0) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
          fa.m[i][j] = i == j ? 1 : 0;
        fa.t[i] = 0;
      }
    }
    pair.stretch = off;
  } else {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        fa.m[i][j] = s * ra(i, j);
        fb.m[i][j] = b.in_world ? (i == j ? s : 0) : s * b.pose.rotation(i, j);
      }
      fa.t[i] = 0;
      fb.t[i] = b.in_world ? 0 : s * between[i];
    }
    pair.stretch = 0;
  }
  if (b.in_world) {
    // Corner by corner: first the difference, which is what rounding is measured by, then the turn.
    for (std::uint32_t k = 0; k < 8; ++k) {
      const Vector3 d = Vector3(b.own[0][k], b.own[1][k], b.own[2][k]) - a.pose.translation;
      for (int i = 0; i < 3; ++i) {
        fb.placed[i][k] = (fb.m[i][0] * d[0] + fb.m[i][1] * d[1]) + fb.m[i][2] * d[2];
      }
    }
    fb.x = fb.placed[0];
    fb.y = fb.placed[1];
    fb.z = fb.placed[2];
    fb.mode = FrameBody::Mode::placed;
  } else if (fb.mode == FrameBody::Mode::scan && fb.padded <= FrameBody::most_placed) {
    fb.mode = FrameBody::Mode::to_be_placed;
  }
  if (fa.mode == FrameBody::Mode::scan && fa.padded <= FrameBody::most_placed) {
    fa.mode = fa.is_identity ? FrameBody::Mode::placed : FrameBody::Mode::to_be_placed;
  }

  for (int i = 0; i < 3; ++i) {
    fa.middle[i] = a.middle[i];
    fb.middle[i] = b.in_world ? b.middle[i] - a.pose.translation[i] : b.middle[i];
  }

  // Rounding. An entry of RaᵀRb is off by 3 u, so m x by 9 u |x| for that, and by 7 u |x| for its own sums; t by 7 u
  // |t|; the difference by u of all. A body that is used in its own frame is off by as much as its rotation is.
  pair.size = size * s * (1 + 0x1p-40);
  pair.radii *= s;
  const double sa = a.size * s, sb = size_b * s, st = away * s;
  pair.error = 17 * u * sb + 9 * u * st + (8 * u + pair.stretch) * sa;
  // Heights are off by 3 u |d||x|, directions in a body's own frame by 7 u, for the vertex taken and for the best one;
  // a curved core's point by 4 u of its size.
  pair.reach_error = pair.error + 14 * u * (sa + sb) + 4 * u * st + (a.support_error + b.support_error) * s;
  pair.mean_error = pair.error + 6 * u * (sa + sb + st) + (a.support_error + b.support_error) * s;
  const double far = std::max(a.pose.translation.cwiseAbs().maxCoeff(), b.pose.translation.cwiseAbs().maxCoeff());
  pair.fine = fine_ulps * u * std::max({far * s, sa / 2, sb / 2}) + 2.5 * (a.support_error + b.support_error) * s;
  return true;
}

void custom_support(const CustomConvex& custom, const double (&direction)[3], double (&point)[3]) {
  const Vector3 found = custom.support({direction[0], direction[1], direction[2]});
  if (!found.allFinite()) throw Error("custom shape: the support function returned a point that is not finite");
  for (int i = 0; i < 3; ++i)
    point[i] = found[i];
}

}  // namespace whisker::convex
