// Rays against rounded shapes.
//
// A convex shape with a radius is hit where a point that moves along the ray first touches it, which is a cast of the
// convex engine. The point's path is rounded. A path that is off by no more than `error` hits the shape with a radius
// larger by this no later, and the shape with a radius smaller by this no earlier, than the true one hits the shape.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <whisker/error.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/make/rounded.hpp>

#include "convex/convex_queries.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "geometry/lease.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/safe_norm.hpp"
#include "geometry/unit_vector.hpp"
#include "geometry/vector_size.hpp"
#include "mesh/ground.hpp"
#include "motion/translation_cast.hpp"
#include "queries/rounded_queries.hpp"
#include "queries/table.hpp"
#include "queries/witness.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::queries {
namespace {

using convex::ConvexBody;
using geometry::add_down;
using geometry::add_up;
using geometry::largest_entry;

ConvexBody point_body(const Vector3& at) {
  return convex::convex_body(Sphere{0}, geometry::raw_pose(at));
}

Vector3 on_ray(const Ray& ray, double t) {
  return ray.origin + t * ray.direction;
}

/// Bounds the rounding error of on_ray for all |t| up to this.
double error_on(const Ray& ray, double t) {
  return 0x1p-50 * (largest_entry(ray.origin) + std::abs(t) * largest_entry(ray.direction)) +
         std::numeric_limits<double>::min();
}

/// The first contact of a body at rest with a point that moves. If they touch at the start, its time is 0.
Impact cast_point(const ConvexBody& body, const Vector3& from, const Vector3& by) {
  const motion::MovingBody target{body, Vector3::Zero()}, point{point_body(from), by};
  const motion::CastGoal goal{.tolerance = 0, .budget = no_budget};
  bool is_apart = false;
  Impact impact = motion::cast_convex_convex(target, point, goal, is_apart);
  if (is_apart) return impact;
  Cost unused;
  if (convex::touches_convex_convex(body, point.body, nullptr, unused)) {
    impact.status = ImpactStatus::touching_at_start;
    impact.time = impact.time_lower = impact.time_upper = 0;
    impact.certain = true;
    return impact;
  }
  is_apart = true;
  return motion::cast_convex_convex(target, point, goal, is_apart);
}

/// A line that leaves the up direction of a ground by less than this is not followed down to where it meets a wall.
constexpr double least_slope = 0x1p-20;

/// One end of a crossing.
struct End {
  bool is_missed = false;   // proven
  bool is_certain = false;  // the hit is proven
  double first = 0;         // no hit before this parameter
  double last = 0;          // the hit is not after this one, if certain
  double estimate = 0;
  Vector3 normal = Vector3::Zero();
};

/// Where a path of the ray's parameter from `begin` on, over the signed length `along`, meets a body with a radius.
End find_end(const Ray& ray, const ConvexBody& body, double begin, double along) {
  const Vector3 from = on_ray(ray, begin), by = along * ray.direction;
  const double error = error_on(ray, std::abs(begin) + std::abs(along));
  ConvexBody larger = body;
  larger.radius = add_up(body.radius, error);
  const Impact early = cast_point(larger, from, by);
  End end;
  end.is_missed = early.status == ImpactStatus::apart;
  if (end.is_missed) return end;
  const auto parameter = [&](double time) { return begin + time * along; };
  // `begin` and the product are each rounded once, the sum once more.
  const double slack = 0x1p-51 * (std::abs(begin) + std::abs(along)) + std::numeric_limits<double>::min();
  const double back = along < 0 ? slack : -slack;
  end.first = parameter(early.time_lower) + back;
  end.last = parameter(1) - back;
  end.estimate = parameter(early.time);
  end.normal = early.normal;
  if (!(body.radius > error)) return end;
  ConvexBody smaller = body;
  smaller.radius = add_down(body.radius, -error);
  const Impact late = cast_point(smaller, from, by);
  if (late.status == ImpactStatus::apart || !late.certain) return end;
  end.is_certain = true;
  end.last = parameter(late.time_upper) - back;
  end.estimate = parameter(early.time + (late.time - early.time) / 2);
  return end;
}

/// Where the line crosses a placed convex body, whose box is given. Where it leaves the body matters only if it enters
/// it before `begin`.
std::optional<LineCrossing> line_rounded(const Ray& ray, const ConvexBody& body, const Aabb& box, double begin) {
  LineCrossing crossing;
  if (ray.direction.isZero(0)) {
    const Distance apart = convex::distance_convex_convex(body, point_body(ray.origin), {});
    if (apart.lower > 0) return {};
    crossing.enter = crossing.enter_lower = crossing.enter_upper = -infinity;
    crossing.exit = crossing.exit_lower = crossing.exit_upper = infinity;
    crossing.certain = !(apart.upper > 0);
    return crossing;
  }
  const std::optional<LineCrossing> around = line_aabb(ray, box);
  if (!around) return {};
  // The casts begin and end a little outside of the box.
  const double size = (box.upper - box.lower).maxCoeff() / geometry::safe_norm(ray.direction);
  const double outside = (around->exit_upper - around->enter_lower + size) / 8;
  const double first = around->enter_lower - outside, last = around->exit_upper + outside;
  const End enter = find_end(ray, body, first, last - first);
  if (enter.is_missed) return {};
  crossing.certain = enter.is_certain;
  crossing.enter_lower = enter.first;
  crossing.enter_upper = enter.last;
  crossing.enter = std::clamp(enter.estimate, enter.first, enter.last);
  crossing.enter_normal = enter.normal;
  crossing.exit = crossing.exit_upper = last;
  crossing.exit_lower = enter.is_certain ? enter.last : first;
  if (!(begin > enter.first)) return crossing;
  const End exit = find_end(ray, body, last, first - last);
  if (exit.is_missed) return {};
  crossing.exit_upper = exit.first;
  crossing.exit_lower = exit.last;
  crossing.exit = std::clamp(exit.estimate, exit.last, exit.first);
  crossing.exit_normal = exit.normal;
  crossing.certain = crossing.certain && exit.is_certain;
  return crossing;
}

/// Walks along the ray: by the distance from the surface where that is large, and otherwise by casts at all triangles
/// that are near the next piece of the ray.
class SurfaceCast {
 public:
  SurfaceCast(const Ray& ray, const Placed& surface, double radius, const Aabb& box)
      : ray_(ray), surface_(surface), radius_(radius), box_(box), rows_(algorithms(surface.shape, point_)) {}

  std::optional<RayHit> run(const RayRange& range) {
    if (ray_.direction.isZero(0)) return at_origin(range);
    const std::optional<LineCrossing> around = line_aabb(ray_, box_);
    if (!around) return {};
    const double begin = std::max(range.lower, around->enter_lower), end = std::min(range.upper, around->exit_upper);
    if (!(begin <= end)) return {};
    speed_ = geometry::safe_norm(ray_.direction) * (1 + 0x1p-50);
    // The length of a piece. Longer ones have more triangles nearby.
    const double piece = std::max(radius_, (box_.upper - box_.lower).maxCoeff() / 64) / speed_;
    double t = begin;
    while (t <= end) {
      const Distance apart = distance_at(t);
      const double error = error_on(ray_, t);
      if (t == begin && begin == range.lower) {
        if (add_up(apart.upper, error) <= radius_) return inside(begin);
        // Inside a solid no triangle need be near. Only rounding makes this uncertain.
        if (apart.upper == 0) take(inside(begin, false));
      }
      const double clear = add_down(apart.lower, -add_up(radius_, error)) / speed_ * (1 - 0x1p-50);
      const double next = std::min(clear > piece / 4 ? t + clear * (1 - 0x1p-20) : t + piece, end);
      if (clear <= piece / 4 && look_at(t, next, range)) break;
      if (!(next > t)) break;
      t = next;
      if (t == end && clear > piece / 4) break;
    }
    return finished();
  }

  /// Adds the hits of a ground's walls, and its inside.
  std::optional<RayHit> run_ground(const RayRange& asked, const Placed& ground) {
    RayRange range = asked;
    const mesh::PlacedField field{*shapes::ground_surface(ground.shape), ground.pose};
    if (ray_.direction.isZero(0)) return SurfaceCast(ray_, ground, radius_, box_).run(range);
    const double size = largest_entry(box_.lower) + largest_entry(box_.upper) + largest_entry(ray_.origin);
    if (range.lower == -infinity) {
      const Vector3 up = geometry::unit_vector(ground.pose.rotation().col(2));
      const double rise = up.dot(ray_.direction);
      const double speed = geometry::safe_norm(ray_.direction);
      const double across = geometry::safe_norm(ray_.direction - rise * up);
      if (rise > 0 && across < least_slope * speed) return from_the_depth(range, ground);
      // Before this the line is beside the grid, or above the surface.
      range.lower = std::min(range.upper, -4 * size / (rise > 0 ? across : speed));
    }
    if (!(range.lower <= range.upper)) return {};
    const PairAlgorithms& rows = algorithms(ground.shape, point_);
    const Distance apart = rows.distance(ground, {point_, geometry::raw_pose(on_ray(ray_, range.lower))}, {});
    const double error = error_on(ray_, range.lower);
    if (add_up(apart.upper, error) <= radius_) return inside(range.lower);
    run(range);
    // The walls' corners are rounded, so that the walls may be thinner or thicker than they are.
    mesh::each_wall_near(ray_, range, field, radius_ + 0x1p-20 * size, [&](const Triangle& wall) {
      const double off = 0x1p-45 * (size + largest_entry(wall.c));
      const auto cast_at = [&](double radius) {
        ConvexBody body = convex::convex_triangle(wall);
        body.radius = radius;
        Aabb box = geometry::triangle_bounds(wall);
        for (int i = 0; i < 3; ++i) {
          box.lower[i] = add_down(box.lower[i], -radius);
          box.upper[i] = add_up(box.upper[i], radius);
        }
        const std::optional<LineCrossing> crossing = line_rounded(ray_, body, box, range.lower);
        return crossing ? hit_in_range(ray_, *crossing, range) : std::nullopt;
      };
      std::optional<RayHit> hit = cast_at(add_up(radius_, off));
      if (!hit) return;
      const std::optional<RayHit> later = radius_ > off ? cast_at(add_down(radius_, -off)) : std::nullopt;
      hit->certain = later && later->certain;
      if (hit->certain) {
        hit->t_upper = std::max(hit->t_upper, later->t_upper);
        if (!hit->inside) {
          hit->t += (later->t - hit->t) / 2;
          hit->point = on_ray(ray_, hit->t);
        }
      }
      take(*hit);
    });
    return finished();
  }

 private:
  /// A line that comes steeply from the depth of a ground, and so from inside: where it leaves the ground.
  std::optional<RayHit> from_the_depth(const RayRange& range, const Placed& ground) const {
    const Ray back{ray_.origin, -ray_.direction};
    const std::optional<RayHit> top = SurfaceCast(back, surface_, radius_, box_).run_ground(line_range(), ground);
    if (!top) return {};
    LineCrossing crossing;
    crossing.enter = crossing.enter_lower = crossing.enter_upper = -infinity;
    crossing.exit = -top->t;
    crossing.exit_lower = -top->t_upper;
    crossing.exit_upper = -top->t_lower;
    crossing.exit_normal = top->normal;
    crossing.certain = top->certain;
    return hit_in_range(ray_, crossing, range);
  }

  Distance distance_at(double t) { return rows_.distance(surface_, {point_, geometry::raw_pose(on_ray(ray_, t))}, {}); }

  std::optional<RayHit> finished() {
    if (first_ && first_->inside) {
      first_->normal = Vector3::Zero();
      first_->face.reset();
    }
    return first_;
  }

  RayHit inside(double t, bool is_certain = true) const {
    RayHit hit;
    hit.certain = is_certain;
    hit.t = hit.t_lower = hit.t_upper = t;
    hit.point = on_ray(ray_, t);
    hit.inside = true;
    return hit;
  }

  std::optional<RayHit> at_origin(const RayRange& range) {
    const Distance apart = distance_at(0);
    if (!(range.lower <= range.upper) || apart.lower > radius_) return {};
    LineCrossing crossing;
    crossing.enter = crossing.enter_lower = crossing.enter_upper = -infinity;
    crossing.exit = crossing.exit_lower = crossing.exit_upper = infinity;
    crossing.certain = apart.upper <= radius_;
    return hit_in_range(ray_, crossing, range);
  }

  /// Casts at all triangles near a piece of the ray. Returns whether one of them is certainly hit there.
  bool look_at(double from, double to, const RayRange& range) {
    geometry::Lease<Contacts> near;
    near->pairs.clear();
    const double error = error_on(ray_, std::max(std::abs(from), std::abs(to)));
    const Shape piece = Segment{on_ray(ray_, from), on_ray(ray_, to)};
    const ContactOptions within{.segments = false, .margin = std::min(add_up(radius_, error), max_coordinate)};
    algorithms(surface_.shape, piece).contacts(surface_, piece, within, *near);
    bool is_certain = false;
    for (const Contact& contact : near->pairs) {
      if (contact.a.kind != FeatureKind::triangle) continue;  // the piece is inside, far from the surface
      const Triangle triangle = triangle_of(surface_, contact.a);
      ConvexBody body = convex::convex_triangle(triangle);
      body.radius = radius_;
      Aabb box = geometry::triangle_bounds(triangle);
      for (int i = 0; i < 3; ++i) {
        box.lower[i] = add_down(box.lower[i], -radius_);
        box.upper[i] = add_up(box.upper[i], radius_);
      }
      const std::optional<LineCrossing> crossing = line_rounded(ray_, body, box, range.lower);
      if (!crossing) continue;
      // A triangle that is hit only after this piece comes again. Others may be hit before it.
      std::optional<RayHit> hit = hit_in_range(ray_, *crossing, {range.lower, std::min(range.upper, to)});
      if (!hit) continue;
      is_certain = is_certain || hit->certain;
      hit->face = face_below(triangle, contact.a.id, hit->point);
      take(*hit);
    }
    return is_certain;
  }

  /// The point of a triangle that is closest to a point.
  static RayFace face_below(const Triangle& t, std::uint32_t number, const Vector3& point) {
    const Vector3 on = convex::distance_simple_simple(convex::simple_point(point), convex::simple_triangle(t)).point_b;
    const double scale = std::max({largest_entry(t.b - t.a), largest_entry(t.c - t.a), largest_entry(on - t.a)});
    if (!(scale > 0)) return {number, 0, 0};
    const Vector3 b = (t.b - t.a) / scale, c = (t.c - t.a) / scale, p = (on - t.a) / scale;
    const double bb = b.dot(b), bc = b.dot(c), cc = c.dot(c), area = bb * cc - bc * bc;
    if (!(area > 0)) return {number, bb > 0 ? std::clamp(p.dot(b) / bb, 0.0, 1.0) : 0, 0};
    const double u = std::clamp((cc * p.dot(b) - bc * p.dot(c)) / area, 0.0, 1.0);
    return {number, u, std::clamp((bb * p.dot(c) - bc * p.dot(b)) / area, 0.0, 1.0 - u)};
  }

  void take(const RayHit& hit) {
    if (!first_) {
      first_ = hit;
      return;
    }
    // One triangle may be first by the estimate, and another in truth.
    const double lower = std::min(first_->t_lower, hit.t_lower);
    const double upper = first_->certain && hit.certain ? std::min(first_->t_upper, hit.t_upper)
                         : first_->certain              ? first_->t_upper
                         : hit.certain                  ? hit.t_upper
                                                        : std::max(first_->t_upper, hit.t_upper);
    const bool certain = first_->certain || hit.certain;
    // A certain hit comes before all that are later, and an estimate that may be none at all does not count.
    // Of triangles that are hit at once, the one with the lowest number counts.
    const bool is_lower = hit.t == first_->t && hit.face && first_->face && hit.face->triangle < first_->face->triangle;
    if (hit.certain != first_->certain ? hit.certain : hit.t < first_->t || is_lower) first_ = hit;
    first_->t_lower = lower;
    first_->t_upper = upper;
    first_->certain = certain;
  }

  const Ray& ray_;
  const Placed& surface_;
  double radius_;
  const Aabb& box_;
  const Shape point_ = Sphere{0};
  const PairAlgorithms& rows_;
  double speed_ = 1;
  std::optional<RayHit> first_;
};

}  // namespace

std::optional<RayHit> cast_ray_rounded_convex(const Ray& ray, const Placed& target, const RayRange& range) {
  const ConvexBody body = convex::convex_body(target.shape, target.pose);
  const std::optional<LineCrossing> crossing = line_rounded(ray, body, target.shape.bounds(target.pose), range.lower);
  return crossing ? hit_in_range(ray, *crossing, range) : std::nullopt;
}

std::optional<RayHit> cast_ray_rounded_plane(const Ray& ray, const Placed& target, const RayRange& range) {
  const shapes::RoundedData& data = *shapes::rounded_data(target.shape);
  // Two half-spaces, with the radius rounded up and down.
  const convex::SimpleShape flat = convex::place_simple(data.inner, target.pose);
  const Interval thick = norm(IntervalVector3(flat.normal)) * data.radius;
  const Pose at = geometry::raw_pose(flat.pose.translation());
  const auto cross = [&](double by, double (*add)(double, double)) {
    const std::array<HalfSpace, 2> sides = {HalfSpace{flat.normal, add(flat.offset, by)},
                                            HalfSpace{-flat.normal, add(-flat.offset, by)}};
    return line_polyhedron(ray, sides, at);
  };
  const std::optional<LineCrossing> outer = cross(thick.upper, [](double a, double b) { return add_up(a, b); });
  if (!outer) return {};
  const std::optional<LineCrossing> inner = cross(thick.lower, [](double a, double b) { return add_down(a, b); });
  LineCrossing crossing = *outer;
  crossing.certain = inner && inner->certain;
  if (crossing.certain) {
    crossing.enter_upper = std::max(outer->enter_lower, inner->enter_upper);
    crossing.exit_lower = std::min(outer->exit_upper, inner->exit_lower);
  } else if (!ray.direction.isZero(0)) {
    crossing.enter_upper = outer->exit_upper;
    crossing.exit_lower = outer->enter_lower;
  }
  crossing.enter = std::clamp(crossing.enter, crossing.enter_lower, crossing.enter_upper);
  crossing.exit = std::clamp(crossing.exit, crossing.exit_lower, crossing.exit_upper);
  return hit_in_range(ray, crossing, range);
}

bool has_rays(const Shape& rounded_surface) {
  const Shape& inner = shapes::rounded_data(rounded_surface)->inner;
  return inner.as<Mesh>() != nullptr || inner.as<HeightField>() != nullptr || shapes::ground_surface(inner) != nullptr;
}

std::optional<RayHit> cast_ray_rounded_surface(const Ray& ray, const Placed& target, const RayRange& range) {
  const shapes::RoundedData& data = *shapes::rounded_data(target.shape);
  const HeightField* const field = shapes::ground_surface(data.inner);
  if (!has_rays(target.shape))
    throw Error("cast_ray: not supported against a rounded " + std::string(name(data.inner.kind())));
  if (field != nullptr) {
    const Shape top = *field;
    const Aabb box = rounded(top, data.radius).bounds(target.pose);
    return SurfaceCast(ray, {top, target.pose}, data.radius, box).run_ground(range, {data.inner, target.pose});
  }
  const Placed surface(data.inner, target.pose);
  const Aabb box = target.shape.bounds(target.pose);
  return SurfaceCast(ray, surface, data.radius, box).run(range);
}

}  // namespace whisker::queries
