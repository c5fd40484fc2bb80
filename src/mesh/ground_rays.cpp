// Rays at the ground under a height field.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <Eigen/Geometry>

#include <whisker/geometry/interval.hpp>

#include "geometry/constants.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/ground.hpp"
#include "mesh/ground_parts.hpp"

namespace whisker::mesh {
namespace {

/// An interval for each coordinate.
using Interval3 = std::array<Interval, 3>;

Interval3 exact(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
Interval3 minus(const Vector3& a, const Vector3& b) {
  return {Interval(a[0]) - b[0], Interval(a[1]) - b[1], Interval(a[2]) - b[2]};
}
Interval3 cross(const Interval3& a, const Interval3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Interval dot(const Interval3& a, const Interval3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
bool has_zero(const Interval& x) {
  return x.lower <= 0 && x.upper >= 0;
}

/// The earlier of two hits, with bounds that account for both.
void take_first(std::optional<RayHit>& first, const RayHit& hit) {
  if (!first) {
    first = hit;
    return;
  }
  const double lower = std::min(first->t_lower, hit.t_lower);
  const double upper = first->certain && hit.certain ? std::min(first->t_upper, hit.t_upper)
                       : first->certain              ? first->t_upper
                       : hit.certain                 ? hit.t_upper
                                                     : std::max(first->t_upper, hit.t_upper);
  const bool is_certain = first->certain || hit.certain;
  if (hit.certain != first->certain ? hit.certain && hit.t_lower <= first->t_upper : hit.t < first->t) first = hit;
  first->t_lower = lower;
  first->t_upper = upper;
  first->t = std::clamp(first->t, lower, upper);
  first->certain = is_certain;
}

/// Where a ray meets the wall below the segment from p to q: p + s (q - p) - k up with s from 0 to 1 and k >= 0.
std::optional<RayHit> ray_wall(const Ray& ray, const Vector3& p, const Vector3& q, const Vector3& up,
                               const RayRange& range) {
  const Interval3 along = minus(q, p), upward = exact(up), forward = exact(ray.direction);
  const Interval3 normal = cross(along, upward);
  const Interval steep = dot(normal, forward);
  if (has_zero(steep)) return {};  // along the wall: it enters the ground elsewhere
  const Interval t = dot(normal, minus(p, ray.origin)) / steep;
  if (t.upper < range.lower || t.lower > range.upper) return {};
  const Interval3 from_origin = minus(ray.origin, p);
  const Interval3 from = {from_origin[0] + t * forward[0], from_origin[1] + t * forward[1],
                          from_origin[2] + t * forward[2]};
  const Interval size = dot(normal, normal);
  const Interval s = dot(cross(from, upward), normal) / size;
  const Interval height = -dot(cross(from, along), normal) / size;
  if (s.upper < 0 || s.lower > 1 || height.lower > 0) return {};
  RayHit hit;
  hit.certain = s.lower >= 0 && s.upper <= 1 && height.upper <= 0 && t.lower >= range.lower && t.upper <= range.upper;
  hit.t_lower = std::max(t.lower, range.lower);
  hit.t_upper = std::min(t.upper, range.upper);
  hit.t = hit.t_lower + (hit.t_upper - hit.t_lower) / 2;
  hit.point = ray.origin + hit.t * ray.direction;
  const Vector3 middles(middle(normal[0]), middle(normal[1]), middle(normal[2]));
  hit.normal = geometry::unit_vector(steep.lower > 0 ? Vector3(-middles) : middles);
  return hit;
}

/// Calls `visit(p, q)` with the ends of every piece of the border, in the field's frame, unless the line through
/// `origin` along `direction`, in that frame and off by no more than `error`, is proven to miss the wall below it. With
/// a direction of zero: of all.
template <class Visit>
void each_border(const HeightField& field, const Vector3& origin, const Vector3& direction, double error,
                 Visit&& visit) {
  const double largest = direction.cwiseAbs().maxCoeff();
  const std::array<std::size_t, 2> counts = {field.columns(), field.rows()};
  const std::array<double, 2> spacings = {field.spacing_x(), field.spacing_y()};
  const Vector3 far = field.bounds().upper;
  for (const std::size_t along : {0u, 1u}) {
    const std::size_t across = 1 - along;
    for (const std::size_t border : {std::size_t{0}, counts[across] - 1}) {
      std::size_t begin = 0, end = counts[along] - 1;
      const double speed = direction.data()[across];
      if (std::abs(speed) > 0x1p-10 * largest) {
        const double t = ((border == 0 ? 0 : far.data()[across]) - origin.data()[across]) / speed;
        const double at = origin.data()[along] + t * direction.data()[along];
        // The direction carries a rounding error as well.
        const double off = 0x1p12 * error + 0x1p-38 * std::abs(t) * largest;
        begin = clamped_steps(std::floor((at - off) / spacings[along]) - 1, 0, end);
        end = clamped_steps(std::ceil((at + off) / spacings[along]) + 1, 0, end);
      }
      const auto vertex = [&](std::size_t i) { return along == 0 ? field.vertex(i, border) : field.vertex(border, i); };
      for (std::size_t i = begin; i < end; ++i)
        visit(vertex(i), vertex(i + 1));
    }
  }
}

/// Where the ray first meets the surface or a wall.
std::optional<RayHit> first_border_hit(const Ground& ground, const Ray& ray, const RayRange& range) {
  const PlacedField& placed = ground.placed;
  const Vector3 up = up_of(placed.pose);
  std::optional<RayHit> first = ray_height_field(ray, placed.field, placed.pose, range);
  if (ray.direction.cross(up).isZero(0)) return first;
  const Vector3 origin = ground.frame.inverse * (ray.origin - ground.frame.origin);
  const Vector3 direction = ground.frame.inverse * ray.direction;
  const double error =
      ground.frame.error(largest_coordinate(placed.field) + ray.origin.cwiseAbs().maxCoeff(), placed.pose);
  each_border(placed.field, origin, direction, error, [&](const Vector3& p, const Vector3& q) {
    const std::optional<RayHit> hit =
        ray_wall(ray, geometry::placed_point(placed.pose, p), geometry::placed_point(placed.pose, q), up, range);
    if (hit) take_first(first, *hit);
  });
  return first;
}

}  // namespace

std::optional<RayHit> cast_ray_ground(const Ray& ray, const PlacedField& placed, const RayRange& range) {
  if (!(range.lower <= range.upper)) return {};
  const Ground ground(placed);
  const Vector3 up = up_of(placed.pose);
  LineCrossing crossing;
  crossing.enter = crossing.enter_lower = crossing.enter_upper = -infinity;
  crossing.exit = crossing.exit_lower = crossing.exit_upper = infinity;
  if (ray.direction.isZero(0)) {
    if (!ground.holds(ray.origin)) return {};
    return hit_in_range(ray, crossing, range);
  }
  std::optional<RayHit> first = first_border_hit(ground, ray, range);
  const bool is_vertical = ray.direction.cross(up).isZero(0);
  const bool is_rising = is_vertical && ray.direction.dot(up) > 0;
  if (range.lower == -infinity) {
    if (is_rising) {
      // It comes from the depth, and leaves the ground at the surface.
      const std::optional<RayHit> top = ray_height_field(ray, placed.field, placed.pose, line_range());
      if (!top) return {};
      crossing.exit = top->t;
      crossing.exit_lower = top->t_lower;
      crossing.exit_upper = top->t_upper;
      crossing.exit_normal = -top->normal;
      return hit_in_range(ray, crossing, range);
    }
  } else {
    const Vector3 way = range.lower * ray.direction;
    const Vector3 start = ray.origin + way;
    const double rounding = way.isZero(0) ? 0 : 0x1p-51 * (way.lpNorm<1>() + start.lpNorm<1>());
    const bool is_on_surface = rounding == 0 && first && first->t_lower <= range.lower;
    if (std::isfinite(rounding) && !is_on_surface && ground.holds(start)) {
      RayHit hit;
      hit.t = hit.t_lower = hit.t_upper = range.lower;
      hit.point = start;
      hit.inside = true;
      if (rounding > 0) {
        const Distance apart = distance_field_simple(placed, convex::simple_point(start), {});
        hit.certain = std::min(apart.lower, ground.wall_clearance(start)) > 2 * rounding;
      }
      // Where the line entered the ground.
      const std::optional<RayHit> entry =
          first_border_hit(ground, {ray.origin, -ray.direction}, {-range.lower, infinity});
      if (entry) hit.normal = -entry->normal;
      if (hit.certain || !first) return hit;
      take_first(first, hit);
      return first;
    }
  }
  return first;
}

void each_wall_near(const Ray& ray, const RayRange& range, const PlacedField& placed, double reach,
                    geometry::FunctionRef<void(const Triangle&)> visit) {
  const Ground ground(placed);
  const HeightField& field = placed.field;
  const Vector3 up = up_of(placed.pose);
  const Vector3 origin = ground.frame.inverse * (ray.origin - ground.frame.origin);
  const Vector3 direction = ground.frame.inverse * ray.direction;
  const double size = largest_coordinate(field) + reach;
  const double error = ground.frame.error(size + ray.origin.cwiseAbs().maxCoeff(), placed.pose);
  const double around = (reach + 4 * error) * (1 + 1e-8);
  // Every piece of the border.
  each_border(field, origin, Vector3::Zero(), error, [&](const Vector3& p, const Vector3& q) {
    double from = range.lower, to = range.upper;
    for (int i = 0; i < 2; ++i) {
      const double lower = std::min(p[i], q[i]) - around, upper = std::max(p[i], q[i]) + around;
      if (direction[i] == 0) {
        if (origin[i] < lower || origin[i] > upper) return;
        continue;
      }
      const double a = (lower - origin[i]) / direction[i], b = (upper - origin[i]) / direction[i];
      from = std::max(from, std::min(a, b));
      to = std::min(to, std::max(a, b));
    }
    const double slack = 0x1p-40 * (std::abs(from) + std::abs(to));
    if (from > to + slack) return;
    // As deep as the ray gets while it is above or below this piece, and where a vertical one meets the top.
    const double top = std::min(p[2], q[2]);
    double deepest = top - around;
    for (const double t : {from - slack, to + slack}) {
      const double z = origin[2] + t * direction[2];
      if (std::isfinite(z)) deepest = std::min(deepest, z);
    }
    const double down =
        std::min(std::max(p[2], q[2]) - deepest, 0x1p20 * (size + origin.cwiseAbs().maxCoeff())) + 4 * around;
    // A line that is vertical up to rounding is near the wall for millions of sizes, and corners that far down are
    // rounded by as much more. So the wall is cut there: the part below the surface has small coordinates.
    const double shallow = std::max(p[2], q[2]) - top + 16 * size;
    const Vector3 top_a = geometry::placed_point(placed.pose, p), top_b = geometry::placed_point(placed.pose, q);
    Vector3 a = top_a, b = top_b;
    const auto go_down = [&](double depth) {
      const Vector3 c = top_a - depth * up, d = top_b - depth * up;
      visit(Triangle{a, b, c});
      visit(Triangle{b, c, d});
      a = c;
      b = d;
    };
    if (shallow < down) go_down(shallow);
    go_down(down);
  });
}

}  // namespace whisker::mesh
