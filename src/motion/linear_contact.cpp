#include "motion/linear_contact.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "geometry/constants.hpp"
#include "geometry/ordered_sums.hpp"

namespace whisker::motion {
namespace {

using geometry::dot;

Vector3 at(const double (&start)[4], const double (&change)[4], double t) {
  return {start[0] + t * change[0], start[1] + t * change[1], start[2] + t * change[2]};
}

using Corners = std::array<Vector3, LinearPolygon::most>;
Corners corners_at(const LinearPolygon& polygon, double t) {
  Corners corner;
  for (int i = 0; i < polygon.count; ++i)
    corner[static_cast<std::size_t>(i)] = at(polygon.x[i], polygon.dx[i], t);
  return corner;
}

/// The nearest point of the side from corner i to corner j.
NearestOfPolygon nearest_of_side(const Corners& corner, std::size_t i, std::size_t j) {
  // Starts from the nearer corner, where the rounding error is least.
  if (dot(corner[j], corner[j]) < dot(corner[i], corner[i])) std::swap(i, j);
  const Vector3 &p = corner[i], &q = corner[j];
  const Vector3 e = q - p;
  const double along = -dot(p, e), length = dot(e, e);
  const double share = along > 0 ? (along < length ? along / length : 1) : 0;
  NearestOfPolygon nearest;
  nearest.weight[i] = 1 - share;
  nearest.weight[j] = share;
  nearest.v = share == 1 ? q : Vector3(p + share * e);
  // Near the origin, v has lost its direction to rounding. Its remaining component along e is an error.
  if (share > 0 && share < 1) nearest.v -= dot(nearest.v, e) / length * e;
  return nearest;
}

/// The nearest point of all sides.
NearestOfPolygon nearest_of_sides(const Corners& corner, std::size_t count) {
  double least = HUGE_VAL;
  NearestOfPolygon nearest;
  for (std::size_t i = 0; i < count; ++i) {
    const NearestOfPolygon on = nearest_of_side(corner, i, (i + 1) % count);
    const double squared = dot(on.v, on.v);
    if (!(squared < least)) continue;
    least = squared;
    nearest = on;
  }
  return nearest;
}
Vector3 nearest_of_sides(const LinearPolygon& polygon, double t) {
  return nearest_of_sides(corners_at(polygon, t), static_cast<std::size_t>(polygon.count)).v;
}

/// The point of a plane through `corner`, with the normal n, that is nearest to the origin.
Vector3 nearest_of_plane(const Vector3& n, const Vector3& corner) {
  return n * (dot(n, corner) / dot(n, n));
}

/// The nearest point of a triangle, by regions (Ericson 2004).
NearestOfPolygon nearest_of_triangle(const Corners& c) {
  const Vector3 n = (c[1] - c[0]).cross(c[2] - c[0]);
  const auto area = [&](const Vector3& p, const Vector3& q) { return dot(n, p.cross(q)); };
  const double of_a = area(c[1], c[2]), of_b = area(c[2], c[0]), of_c = area(c[0], c[1]);
  const double sum = of_a + of_b + of_c;
  if (!(of_a > 0 && of_b > 0 && of_c > 0 && sum > 0)) return nearest_of_sides(c, 3);
  // Computed along the normal, which the weights of a flat triangle lose.
  return {nearest_of_plane(n, c[0]), {of_a / sum, of_b / sum, of_c / sum}};
}

/// The nearest point of a parallelogram: inside, or on one of its sides.
NearestOfPolygon nearest_of_parallelogram(const Corners& c) {
  const Vector3 e = c[1] - c[0], f = c[3] - c[0];
  const double ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), xe = dot(c[0], e), xf = dot(c[0], f);
  const double determinant = ee * ff - ef * ef;
  double s = (ef * xf - ff * xe) / determinant, t = (ef * xe - ee * xf) / determinant;
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return nearest_of_sides(c, 4);
  // For nearly parallel sides the determinant has lost its digits, so the remaining vector is solved for again.
  for (int again = 0; again < 2 && determinant < 0x1p-20 * ee * ff; ++again) {
    const Vector3 rest = c[0] + (s * e + t * f);
    const double re = dot(rest, e), rf = dot(rest, f);
    s = std::clamp(s + (ef * rf - ff * re) / determinant, 0.0, 1.0);
    t = std::clamp(t + (ef * re - ee * rf) / determinant, 0.0, 1.0);
  }
  return {nearest_of_plane(e.cross(f), c[0]), {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t}};
}

/// The value that n · x must exceed for a corner x to be farther than the separation along n, rounding included. A
/// corner is off by 7u of its size, n · x by three more roundings, and the rest by a few.
double min_along(const LinearPolygon& polygon, const Vector3& n, double separation) {
  const double reach =
      (std::abs(n[0]) * polygon.size_x[0] + std::abs(n[1]) * polygon.size_x[1]) + std::abs(n[2]) * polygon.size_x[2];
  const double kept = separation > 0 ? separation * std::sqrt(dot(n, n)) * (1 + 16 * unit_roundoff) : 0;
  return kept + 12 * unit_roundoff * reach + 0x1p-860;
}

/// Whether n · x stays above `least` for all corners x from time `from` to time `to`.
bool stays_above(const LinearPolygon& polygon, const Vector3& n, double least, double from, double to) {
  double lowest = HUGE_VAL;
  for (int i = 0; i < polygon.count; ++i) {
    const Vector3 first = at(polygon.x[i], polygon.dx[i], from), last = at(polygon.x[i], polygon.dx[i], to);
    lowest = std::min({lowest, dot(n, first), dot(n, last)});
  }
  return lowest > least;
}

/// Whether n separates the polygon from the origin by more than the separation.
bool parts(const LinearPolygon& polygon, const Vector3& n, double from, double to, double separation) {
  return stays_above(polygon, n, min_along(polygon, n, separation), from, to);
}

/// Until when n separates the polygon from the origin, starting at time `from`. Returns `from` if n does not separate
/// them.
double parted_until(const LinearPolygon& polygon, const Vector3& n, double from, double until) {
  const double least = min_along(polygon, n, polygon.separation);
  double last = until;
  for (int i = 0; i < polygon.count; ++i) {
    const double height = dot(n, at(polygon.x[i], polygon.dx[i], from)), change = dot(n.data(), polygon.dx[i]);
    if (!(height > least)) return from;
    // Slightly less, so that it holds despite rounding.
    if (change < 0) last = std::min(last, from + (height - least) / -change * (1 - 0x1p-30) - 0x1p-52 * from);
  }
  return last > from && stays_above(polygon, n, least, from, last) ? last : from;
}

}  // namespace

NearestOfPolygon nearest_of_polygon(const LinearPolygon& polygon, double t) {
  const Corners corner = corners_at(polygon, t);
  switch (polygon.count) {
    case 1:
      return {corner[0], {1}};
    case 2:
      return nearest_of_side(corner, 0, 1);
    case 3:
      return nearest_of_triangle(corner);
    default:
      return nearest_of_parallelogram(corner);
  }
}

bool is_kept_away(const LinearPolygon& polygon, double from, double to, double separation) {
  const double middle = from + (to - from) / 2;
  if (parts(polygon, nearest_of_polygon(polygon, middle).v, from, to, separation)) return true;
  // If the polygon has no area, its plane is only rounding error.
  return polygon.count >= 3 && parts(polygon, nearest_of_sides(polygon, middle), from, to, separation);
}

Advance advance_by_axes(const LinearPolygon& polygon, double from, double until, double least, int steps) {
  double time = from;
  for (int step = 0; step < steps; ++step) {
    const NearestOfPolygon nearest = nearest_of_polygon(polygon, time);
    double next = parted_until(polygon, nearest.v, time, until);
    if (next < until && next - time < least && polygon.count >= 3) {
      // As in is_kept_away.
      next = std::max(next, parted_until(polygon, nearest_of_sides(polygon, time), time, until));
    }
    const double progress = next - time;
    time = next;
    if (time == until && progress > 0) return {time, true, false, 0};
    if (progress < least) {
      const double gap = std::max({std::abs(nearest.v[0]), std::abs(nearest.v[1]), std::abs(nearest.v[2])});
      return {time, false, true, gap};
    }
  }
  return {time, false, false, 0};
}

namespace {

/// Whether the polygon is within the separation at time t, by more than the rounding error.
bool is_certainly_near(const LinearPolygon& polygon, double t, double separation) {
  const NearestOfPolygon nearest = nearest_of_polygon(polygon, t);
  Vector3 point = Vector3::Zero();
  for (int i = 0; i < polygon.count; ++i)
    point += at(polygon.x[i], polygon.dx[i], t) * nearest.weight[i];
  const double size = polygon.size_x[0] + polygon.size_x[1] + polygon.size_x[2];
  return std::sqrt(dot(point, point)) * (1 + 8 * unit_roundoff) + 24 * unit_roundoff * size + 0x1p-400 <= separation;
}

}  // namespace

void first_contact_by_axes(const LinearPolygon& polygon, double until, double width, LinearAnswer& answer) {
  struct Part {
    double from, to;
  };
  const double part_width = width / 4;  // leaves room to find a certain contact slightly later
  const auto report = [&](const Part& part) {
    answer.apart = false;
    answer.lower = part.from;
    answer.upper = part.to;
    // A contact in this part or slightly later. Before the part there is none.
    for (const double later : {0.0, part_width, 2 * part_width}) {
      const double time = std::min(until, part.to + later);
      answer.certain = is_certainly_near(polygon, time, polygon.separation);
      if (!answer.certain) continue;
      answer.upper = time;
      break;
    }
    answer.limited = answer.upper - answer.lower > width;
  };
  answer = LinearAnswer{};
  double begin = 0;
  for (int i = 0; i < 16; ++i) {
    const Advance advanced = advance_by_axes(polygon, begin, until, std::max(part_width / 4, 0x1p-44), 64);
    if (advanced.is_apart) return;
    begin = advanced.time;
    if (!advanced.is_stopped) break;
    const Part part = {begin, std::min(until, begin + part_width)};
    if (!is_kept_away(polygon, part.from, part.to, polygon.separation)) return report(part);
    if (part.to == until) return;
    begin = part.to;
  }

  constexpr int patience = 256;  // parts tested before coarser ones are accepted
  // Near time 0 doubles would allow a thousand halvings.
  double fine = std::max(part_width, 0x1p-64);
  Part stack[80];  // halves of halves: one part of each of the 65 widths waits
  int waiting = 0;
  stack[waiting++] = {begin, until};
  for (int looked = 0; waiting > 0; ++looked) {
    if (looked >= patience && looked % 32 == 0) fine *= 4;
    const Part part = stack[--waiting];
    const double middle = part.from + (part.to - part.from) / 2;
    if (is_kept_away(polygon, part.from, part.to, polygon.separation)) continue;
    if (part.to - part.from <= fine || !(middle > part.from && middle < part.to)) return report(part);
    stack[waiting++] = {middle, part.to};
    stack[waiting++] = {part.from, middle};
  }
}

}  // namespace whisker::motion
