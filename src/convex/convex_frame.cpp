#include "convex/convex_frame.hpp"

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <iterator>

#include <whisker/error.hpp>

#include "convex/pair_frame-inl.hpp"
#include "geometry/constants.hpp"
#include "geometry/safe_norm.hpp"

namespace whisker::convex {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace lanes = convex::HWY_NAMESPACE;

void set_shape(const ConvexBody& body, FrameBody& out) {
  using Mode = FrameBody::Mode;
  static constexpr Mode modes[] = {Mode::scan, Mode::cylinder, Mode::cone, Mode::ellipsoid, Mode::custom};
  static_assert(static_cast<std::size_t>(ConvexBody::Core::custom) == std::size(modes) - 1);
  out.mode = modes[static_cast<std::size_t>(body.core)];
  out.table = body.table;
  out.count = body.has_vertices() ? body.vertex_count() : 0;
  if (body.table != nullptr) {
    out.padded = body.table->padded;
    out.x = body.table->x;
    out.y = body.table->y;
    out.z = body.table->z;
    if (body.table->has_cells()) out.mode = Mode::cells;
  } else if (body.has_vertices()) {
    out.padded = 8;
    out.x = body.own[0].data();
    out.y = body.own[1].data();
    out.z = body.own[2].data();
  } else {
    out.disc = body.disc;
    out.half_length = body.half_length;
    for (int i = 0; i < 3; ++i)
      out.radii[i] = body.radii[i];
    out.custom = body.custom;
  }
}

void set_pose(const Matrix3& m, const Vector3& t, FrameBody& out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      out.m[i][j] = m(i, j);
    out.m[i][3] = t[i];
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
  const hn::FixedTag<double, 1> one;
  const double* const r = ra.data();
  const double off =
      hn::GetLane(lanes::off_orthonormal(lanes::set3(one, r), lanes::set3(one, r + 3), lanes::set3(one, r + 6)));
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
  pair.stretch = pair.in_first ? off : 0;
  if (!pair.in_first) {
    set_pose(s * ra, Vector3::Zero(), fa);
    if (b.in_world) {
      set_pose(s * Matrix3::Identity(), Vector3::Zero(), fb);
    } else {
      set_pose(s * b.pose.rotation(), s * between, fb);
    }
  } else {
    if (b.in_world) {
      set_pose(ra.transpose(), Vector3::Zero(), fb);
    } else {
      lanes::set_relative_pose(r, b.pose.rotation().data(), between.data(), fb.m);
    }
    if (fa.count == 0 || fb.count == 0) set_pose(Matrix3::Identity(), Vector3::Zero(), fa);
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

  pair.size = size * s * (1 + 0x1p-40);
  pair.radii *= s;
  const double sa = a.size * s, sb = size_b * s, st = away * s;
  // A curved core's point is off by 4 roundoffs of its size.
  const auto errors = lanes::frame_errors(sa, sb, st, pair.stretch);
  pair.error = errors.error;
  pair.reach_error = errors.reach + (a.support_error + b.support_error) * s;
  pair.mean_error = errors.mean + (a.support_error + b.support_error) * s;
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

void throw_contradiction() {
  throw Error(
      "custom shape: the support function contradicts itself: a point that it returned for one direction lies farther "
      "along another direction than the point that it returned for that one; return the point of one convex shape that "
      "is farthest along the direction, or declare in support_error how far off it may be");
}

}  // namespace whisker::convex
