// The depth of two bodies of revolution whose axes are parallel.

#include <algorithm>
#include <array>
#include <cmath>

#include "convex/depth_proof.hpp"
#include "geometry/fixed_list.hpp"

namespace whisker::convex {
namespace {

/// A point or direction in a plane through the axis. Those on one side of the axis suffice.
struct Vector2d {
  double along = 0;
  double beside = 0;
};
double dot(const Vector2d& a, const Vector2d& b) {
  return a.along * b.along + a.beside * b.beside;
}

/// A body of revolution in the common frame.
struct Turned {
  ConvexBody::Core core = ConvexBody::Core::vertices;
  Vec3 center{};
  Vec3 axis{};             // of unit length, except for rounding
  bool has_axis = true;    // a point has none
  double half_length = 0;  // of a segment, cylinder or cone; an ellipsoid's radius along the axis
  double radius = 0;
  double size = 0;

  /// The point farthest along a direction that is given relative to the axis.
  Vector2d support(const Vector2d& d) const {
    switch (core) {
      case ConvexBody::Core::cone:
        if (d.along * half_length >= d.beside * radius - d.along * half_length) return {half_length, 0};
        return {-half_length, radius};
      case ConvexBody::Core::ellipsoid: {
        const double x = half_length * d.along, y = radius * d.beside;
        const double length = std::sqrt(x * x + y * y);
        if (!(length > 0)) return {};
        return {half_length * (x / length), radius * (y / length)};
      }
      default:
        return {std::copysign(half_length, d.along), radius};
    }
  }
};

Vec3 column(const FrameBody& body, int i, double over) {
  return {body.m[0][i] / over, body.m[1][i] / over, body.m[2][i] / over};
}

// An upper bound on how far a body's rotation is from preserving lengths and angles.
double off_orthonormal(const FrameBody& body, double scale) {
  double off = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const Vec3 p = column(body, i, scale), q = column(body, j, scale);
      off += std::abs(convex::dot(p, q) - (i == j ? 1 : 0));
    }
  }
  return off;
}

bool set_turned(const ConvexBody& body, const FrameBody& placed, double scale, Turned& out) {
  out.core = body.core;
  out.size = body.size * scale;
  int axis = 2;
  switch (body.core) {
    case ConvexBody::Core::cylinder:
    case ConvexBody::Core::cone:
      out.half_length = body.half_length * scale;
      out.radius = body.disc * scale;
      break;
    case ConvexBody::Core::ellipsoid:
      // The axis is perpendicular to two equal radii.
      while (body.radii[(axis + 1) % 3] != body.radii[(axis + 2) % 3])
        if (--axis < 0) return false;
      out.half_length = body.radii[axis] * scale;
      out.radius = body.radii[axis == 0 ? 1 : 0] * scale;
      break;
    case ConvexBody::Core::vertices: {
      if (body.table != nullptr || body.own_count > 2 || body.in_world) return false;
      const Vec3 p = to_common_frame(placed, to_vec3(body.vertex(0)));
      if (body.own_count == 1) {
        out.center = p;
        out.has_axis = false;
        return true;
      }
      const Vec3 q = to_common_frame(placed, to_vec3(body.vertex(1)));
      const Vec3 way = q - p;
      const double length = norm(way);
      if (!(length > 0)) return false;
      out.center = (p + q) * 0.5;
      out.axis = way * (1 / length);
      out.half_length = length / 2;
      return true;
    }
    case ConvexBody::Core::custom:
      return false;
  }
  out.center = to_common_frame(placed, {0, 0, 0});
  out.axis = column(placed, axis, scale);
  out.axis = out.axis * (1 / norm(out.axis));  // a rotation may be off by far more than rounding
  return true;
}

/// The outline of the difference, a's points minus b's, in the plane through both axes. For directions with the same
/// component along the axes, the extents differ only by the component along the line from one axis to the other. So the
/// least extent is in that plane, on the side of b.
struct Outline {
  const Turned& a;
  const Turned& b;
  double along = 0;   // a's center relative to b's, along the axis
  double beside = 0;  // the distance of the axes
  bool flip = false;  // b's axis points the other way

  Vector2d support(const Vector2d& d) const {
    const Vector2d on_a = a.support(d);
    const Vector2d on_b = b.support({flip ? d.along : -d.along, d.beside});
    return {on_a.along - (flip ? -on_b.along : on_b.along) + along, on_a.beside + on_b.beside - beside};
  }
};

/// The directions between two for which the support is known.
struct Sector {
  Vector2d from{}, to{};     // unit vectors, in order from along the axis to against it
  Vector2d first{}, last{};  // the outline's supports for them
  Vector2d between{};        // where the smaller of the two supports' extents is least…
  double least = 0;          // …and that extent: no direction of the sector has less
  bool open = false;         // `between` is strictly inside the sector
};

Sector sector_of(const Vector2d& first_direction, const Vector2d& last_direction, const Vector2d& first,
                 const Vector2d& last) {
  Sector s = {.from = first_direction, .to = last_direction, .first = first, .last = last};
  const double from = dot(s.from, s.first), to = dot(s.to, s.last);
  s.least = std::min(from, to);
  s.between = from < to ? s.from : s.to;
  // The normal of the chord: both supports extend equally far along it.
  const Vector2d chord = {s.last.along - s.first.along, s.last.beside - s.first.beside};
  const double length = std::hypot(chord.along, chord.beside);
  if (!(length > 0)) return s;
  Vector2d n = {-chord.beside / length, chord.along / length};
  if (dot(n, s.from) + dot(n, s.to) < 0) n = {-n.along, -n.beside};
  const auto turn = [](const Vector2d& p, const Vector2d& q) { return p.along * q.beside - p.beside * q.along; };
  if (!(turn(s.from, n) > 0 && turn(n, s.to) > 0)) return s;
  const double reach = std::min(dot(n, s.first), dot(n, s.last));
  s.between = n;
  s.open = true;
  s.least = std::min(s.least, reach);
  return s;
}

}  // namespace

bool revolved_depth(const ConvexBody& a, const ConvexBody& b, FramePair& frame, double relative_tolerance,
                    const Vec3& hint, EpaResult& result) {
  Turned on_a, on_b;
  if (!set_turned(a, frame.a, frame.scale, on_a) || !set_turned(b, frame.b, frame.scale, on_b)) return false;
  if (!on_a.has_axis && !on_b.has_axis) return false;
  if (!on_a.has_axis) on_a.axis = on_b.axis;
  const Vec3 axis = on_a.axis;
  const Vec3 between = on_a.center - on_b.center;
  const double along = convex::dot(between, axis);
  const Vec3 across = axis * along - between;  // from a's axis to b's axis
  const double apart = norm(across);
  // How far the two are from bodies of revolution about parallel axes.
  double off = 0x1p-46 * frame.size + 4 * (frame.reach_error + frame.mean_error) +
               off_orthonormal(frame.a, frame.scale) * on_a.size + off_orthonormal(frame.b, frame.scale) * on_b.size;
  bool flip = false;
  if (on_b.has_axis) {
    flip = convex::dot(axis, on_b.axis) < 0;
    // The distance of the two unit vectors, doubled to bound the angle between them.
    off += 2 * norm(flip ? axis + on_b.axis : axis - on_b.axis) * on_b.size;
  }
  if (!(off < relative_tolerance * frame.size)) return false;

  const Outline outline{on_a, on_b, along, apart, flip};
  geometry::FixedList<Sector, 96> sectors;
  constexpr std::array<Vector2d, 3> start = {{{1, 0}, {0, 1}, {-1, 0}}};
  double upper = HUGE_VAL;
  Vector2d best;
  const auto look = [&](const Vector2d& d) {
    const Vector2d point = outline.support(d);
    const double reach = dot(d, point);
    if (reach < upper) {
      upper = reach;
      best = d;
    }
    return point;
  };
  const std::array<Vector2d, 3> points = {look(start[0]), look(start[1]), look(start[2])};
  for (std::size_t i = 0; i < 2; ++i)
    sectors.push_back(sector_of(start[i], start[i + 1], points[i], points[i + 1]));
  double lower = 0;
  while (true) {
    Sector& nearest = *std::ranges::min_element(sectors, {}, &Sector::least);
    lower = nearest.least;
    if (upper - lower <= 0.25 * relative_tolerance * upper) break;
    if (!nearest.open || sectors.size() == sectors.capacity) return false;
    const Vector2d point = look(nearest.between);
    sectors.push_back(sector_of(nearest.between, nearest.to, point, nearest.last));
    nearest = sector_of(nearest.from, nearest.between, nearest.first, point);
  }
  if (!(off <= 0.25 * relative_tolerance * lower)) return false;

  // A common axis: all separating translations around it are equally long.
  Vec3 beside = across;
  if (apart <= 0.05 * relative_tolerance * lower) beside = hint - axis * convex::dot(hint, axis);
  if (!(norm(beside) > 0x1p-300)) {
    const Vec3 other = std::abs(axis.x) <= std::abs(axis.y) && std::abs(axis.x) <= std::abs(axis.z) ? Vec3{1, 0, 0}
                       : std::abs(axis.y) <= std::abs(axis.z)                                       ? Vec3{0, 1, 0}
                                                                                                    : Vec3{0, 0, 1};
    beside = cross(axis, other);
  }
  // If the axes are close compared with the bodies, a remaining rounding error along them would tilt the direction.
  beside = beside - axis * convex::dot(beside, axis);
  Vec3 direction = axis * best.along + beside * (best.beside / norm(beside));
  direction = direction * (1 / norm(direction));
  const SupportPoint<Vec3> point = run_support(frame, direction);
  result.end = EpaEnd::converged;
  result.supports = static_cast<int>(sectors.size()) + 2;
  result.lower = lower - off;
  result.take(convex::dot(direction, point.a - point.b), direction, point);
  return true;
}

}  // namespace whisker::convex
