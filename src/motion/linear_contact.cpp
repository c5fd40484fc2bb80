#include "motion/linear_contact.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/constants.hpp"
#include "geometry/ordered_sums.hpp"

namespace whisker::motion {
namespace {

/// The last of the four coordinates is 0.
struct Point {
  double v[4];
};

Point at(const double (&start)[4], const double (&change)[4], double t) {
  return {{start[0] + t * change[0], start[1] + t * change[1], start[2] + t * change[2], 0}};
}
using geometry::dot;

/// Finds the nearest point of the side from corner i to corner j.
void set_nearest_of_side(const Point* corner, int i, int j, NearestOfPolygon& nearest) {
  // Starts from the nearer corner, where the rounding error is least.
  if (dot(corner[j].v, corner[j].v) < dot(corner[i].v, corner[i].v)) std::swap(i, j);
  const Point &p = corner[i], &q = corner[j];
  const double e[4] = {q.v[0] - p.v[0], q.v[1] - p.v[1], q.v[2] - p.v[2], 0};
  const double along = -dot(p.v, e), length = dot(e, e);
  const double share = along > 0 ? (along < length ? along / length : 1) : 0;
  nearest = NearestOfPolygon{};
  nearest.weight[i] = 1 - share;
  nearest.weight[j] = share;
  for (int k = 0; k < 3; ++k)
    nearest.v[k] = share == 1 ? q.v[k] : p.v[k] + share * e[k];
  if (!(share > 0 && share < 1)) return;
  // Near the origin, v has lost its direction to rounding. Its remaining component along e is an error.
  const double rest = dot(nearest.v, e) / length;
  for (int k = 0; k < 3; ++k)
    nearest.v[k] -= rest * e[k];
}

/// Finds the nearest point of all sides.
void set_nearest_of_sides(const Point* corner, int count, NearestOfPolygon& nearest) {
  double least = HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    NearestOfPolygon on;
    set_nearest_of_side(corner, i, (i + 1) % count, on);
    const double squared = dot(on.v, on.v);
    if (!(squared < least)) continue;
    least = squared;
    nearest = on;
  }
}

/// Finds the nearest point of a triangle, by regions (Ericson 2004).
void set_nearest_of_triangle(const Point* c, NearestOfPolygon& nearest) {
  double ab[4], ac[4];
  for (int k = 0; k < 3; ++k) {
    ab[k] = c[1].v[k] - c[0].v[k];
    ac[k] = c[2].v[k] - c[0].v[k];
  }
  const double n[4] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0], 0};
  const auto area = [&](const Point& p, const Point& q) {
    const double cross[4] = {p.v[1] * q.v[2] - p.v[2] * q.v[1], p.v[2] * q.v[0] - p.v[0] * q.v[2],
                             p.v[0] * q.v[1] - p.v[1] * q.v[0], 0};
    return dot(n, cross);
  };
  const double of_a = area(c[1], c[2]), of_b = area(c[2], c[0]), of_c = area(c[0], c[1]);
  const double sum = of_a + of_b + of_c;
  if (of_a > 0 && of_b > 0 && of_c > 0 && sum > 0) {
    nearest.weight[0] = of_a / sum;
    nearest.weight[1] = of_b / sum;
    nearest.weight[2] = of_c / sum;
    // Computed along the normal, which the weights of a flat triangle lose.
    const double height = dot(n, c[0].v) / dot(n, n);
    for (int k = 0; k < 3; ++k)
      nearest.v[k] = n[k] * height;
    return;
  }
  set_nearest_of_sides(c, 3, nearest);
}

/// Finds the nearest point of a parallelogram: inside, or on one of its sides.
void set_nearest_of_parallelogram(const Point* c, NearestOfPolygon& nearest) {
  double e[4], f[4];
  for (int k = 0; k < 3; ++k) {
    e[k] = c[1].v[k] - c[0].v[k];
    f[k] = c[3].v[k] - c[0].v[k];
  }
  const double ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), xe = dot(c[0].v, e), xf = dot(c[0].v, f);
  const double determinant = ee * ff - ef * ef;
  double s = (ef * xf - ff * xe) / determinant, t = (ef * xe - ee * xf) / determinant;
  if (s > 0 && s < 1 && t > 0 && t < 1) {
    // For nearly parallel sides the determinant has lost its digits, so the remaining vector is solved for again.
    for (int again = 0; again < 2 && determinant < 0x1p-20 * ee * ff; ++again) {
      double rest[4];
      for (int k = 0; k < 3; ++k)
        rest[k] = c[0].v[k] + (s * e[k] + t * f[k]);
      const double re = dot(rest, e), rf = dot(rest, f);
      s = std::clamp(s + (ef * rf - ff * re) / determinant, 0.0, 1.0);
      t = std::clamp(t + (ef * re - ee * rf) / determinant, 0.0, 1.0);
    }
    nearest.weight[0] = (1 - s) * (1 - t);
    nearest.weight[1] = s * (1 - t);
    nearest.weight[2] = s * t;
    nearest.weight[3] = (1 - s) * t;
    const double n[4] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0], 0};
    const double height = dot(n, c[0].v) / dot(n, n);
    for (int k = 0; k < 3; ++k)
      nearest.v[k] = n[k] * height;
    return;
  }
  set_nearest_of_sides(c, 4, nearest);
}

/// The value that n · x must exceed for a corner x to be farther than the separation along n, rounding included. A
/// corner is off by 7u of its size, n · x by three more roundings, and the rest by a few.
double min_along(const LinearPolygon& polygon, const double (&n)[4], double separation) {
  const double reach =
      (std::abs(n[0]) * polygon.size_x[0] + std::abs(n[1]) * polygon.size_x[1]) + std::abs(n[2]) * polygon.size_x[2];
  const double kept = separation > 0 ? separation * std::sqrt(dot(n, n)) * (1 + 16 * unit_roundoff) : 0;
  return kept + 12 * unit_roundoff * reach + 0x1p-860;
}

/// Whether n · x stays above `least` for all corners x from time `from` to time `to`.
bool stays_above(const LinearPolygon& polygon, const double (&n)[4], double least, double from, double to) {
  double lowest = HUGE_VAL;
  for (int i = 0; i < polygon.count; ++i) {
    const Point first = at(polygon.x[i], polygon.dx[i], from), last = at(polygon.x[i], polygon.dx[i], to);
    lowest = std::min({lowest, dot(n, first.v), dot(n, last.v)});
  }
  return lowest > least;
}

/// Whether n separates the polygon from the origin by more than the separation.
bool parts(const LinearPolygon& polygon, const double (&n)[4], double from, double to, double separation) {
  return stays_above(polygon, n, min_along(polygon, n, separation), from, to);
}

/// Until when n separates the polygon from the origin, starting at time `from`. Returns `from` if n does not separate
/// them.
double parted_until(const LinearPolygon& polygon, const double (&n)[4], double from, double until) {
  const double least = min_along(polygon, n, polygon.separation);
  double last = until;
  for (int i = 0; i < polygon.count; ++i) {
    const Point corner = at(polygon.x[i], polygon.dx[i], from);
    const double height = dot(n, corner.v), change = dot(n, polygon.dx[i]);
    if (!(height > least)) return from;
    // Slightly less, so that it holds despite rounding.
    if (change < 0) last = std::min(last, from + (height - least) / -change * (1 - 0x1p-30) - 0x1p-52 * from);
  }
  return last > from && stays_above(polygon, n, least, from, last) ? last : from;
}

}  // namespace

NearestOfPolygon nearest_of_polygon(const LinearPolygon& polygon, double t) {
  Point corner[LinearPolygon::most];
  for (int i = 0; i < polygon.count; ++i)
    corner[i] = at(polygon.x[i], polygon.dx[i], t);
  NearestOfPolygon nearest{};
  switch (polygon.count) {
    case 1:
      nearest.weight[0] = 1;
      for (int k = 0; k < 3; ++k)
        nearest.v[k] = corner[0].v[k];
      break;
    case 2:
      set_nearest_of_side(corner, 0, 1, nearest);
      break;
    case 3:
      set_nearest_of_triangle(corner, nearest);
      break;
    default:
      set_nearest_of_parallelogram(corner, nearest);
  }
  return nearest;
}

bool is_kept_away(const LinearPolygon& polygon, double from, double to, double separation) {
  const double middle = from + (to - from) / 2;
  if (parts(polygon, nearest_of_polygon(polygon, middle).v, from, to, separation)) return true;
  if (polygon.count < 3) return false;
  // If the polygon has no area, its plane is only rounding error.
  Point corner[LinearPolygon::most];
  for (int i = 0; i < polygon.count; ++i)
    corner[i] = at(polygon.x[i], polygon.dx[i], middle);
  NearestOfPolygon nearest{};
  set_nearest_of_sides(corner, polygon.count, nearest);
  return parts(polygon, nearest.v, from, to, separation);
}

Advance advance_by_axes(const LinearPolygon& polygon, double from, double until, double least, int steps) {
  double time = from;
  for (int step = 0; step < steps; ++step) {
    const NearestOfPolygon nearest = nearest_of_polygon(polygon, time);
    double next = parted_until(polygon, nearest.v, time, until);
    if (next < until && next - time < least && polygon.count >= 3) {
      // If the polygon has no area, its plane is only rounding error.
      Point corner[LinearPolygon::most];
      for (int i = 0; i < polygon.count; ++i)
        corner[i] = at(polygon.x[i], polygon.dx[i], time);
      NearestOfPolygon of_sides{};
      set_nearest_of_sides(corner, polygon.count, of_sides);
      next = std::max(next, parted_until(polygon, of_sides.v, time, until));
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
  double point[4] = {0, 0, 0, 0};
  for (int i = 0; i < polygon.count; ++i) {
    const Point corner = at(polygon.x[i], polygon.dx[i], t);
    for (int k = 0; k < 3; ++k)
      point[k] += corner.v[k] * nearest.weight[i];
  }
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
