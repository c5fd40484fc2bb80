#include "queries/witness.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "convex/convex_body.hpp"
#include "convex/convex_exact.hpp"
#include "convex/exchange.hpp"
#include "convex/point_feature.hpp"
#include "convex/shared_middle.hpp"
#include "convex/simple_distance.hpp"
#include "convex/witness_pair.hpp"
#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/surface_distance.hpp"
#include "queries/leaves.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/table.hpp"
#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"
#include "shapes/kind_traits.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::queries {
namespace {

/// The angle by which rounding may turn a normal, for shapes that are far from each other.
constexpr double min_angle = 0x1p-46;
/// The largest such angle for which heights along the normal can tell which points may be farthest.
constexpr double max_angle = 0x1p-30;
/// A normal that may be off by more than this is meaningless.
constexpr double largest_angle = 0x1p-10;

/// The normal of shapes that are close together is known less precisely.
double angle_of(double sizes, const Distance& apart) {
  return min_angle + 0x1p-47 * ((sizes + apart.upper) / apart.lower);
}

double support_error(const Shape& shape) {
  const auto* custom = shapes::without_radius(shape).as<CustomConvex>();
  return custom != nullptr ? custom->support_error() : 0;
}

/// An upper bound on the rounding error of lengths in the placed shapes.
double rounding_of(const Pose& a, const Pose& b, double sizes) {
  const double farthest = std::max(a.translation().cwiseAbs().maxCoeff(), b.translation().cwiseAbs().maxCoeff());
  return 0x1p-47 * sizes + 0x1p-50 * farthest;
}
double rounding_of(const Placed& a, const Placed& b, double sizes) {
  // The errors are summed first, so that the order of the shapes does not matter.
  return rounding_of(a.pose, b.pose, sizes) + (support_error(a.shape) + support_error(b.shape));
}

Pose moved(const Placed& placed, const Vector3& by) {
  return geometry::raw_pose(placed.pose.rotation(), placed.pose.translation() + by);
}

/// Whether the shapes may share more than a point along the normal: neither shape's farthest points are a single point,
/// and they are not crossing edges.
bool may_share(const Placed& a, const Placed& b, const Vector3& normal, double within) {
  convex::Flatness on_a, on_b;
  if (!a.shape.is_unbounded()) {
    on_a = convex::flat_along(a, normal, within);
    if (on_a.dimension == 0) return false;
  }
  if (!b.shape.is_unbounded()) {
    on_b = convex::flat_along(b, -normal, within);
    if (on_b.dimension == 0) return false;
  }
  if (on_a.dimension != 1 || on_b.dimension != 1) return true;
  return on_a.axis.cross(on_b.axis).norm() * std::min(on_a.along.norm(), on_b.along.norm()) <= within ||
         on_a.rise != 0 || on_b.rise != 0;
}

bool is_curved(const Shape& shape) {
  const shapes::KindTraits& traits = shapes::traits_of(shape);
  return traits.is_convex && !traits.is_simple && !traits.is_polytope;
}

/// Whether two points are as far apart as the distance says, up to a few ulps of their coordinates.
bool is_distance(const Vector3& point_a, const Vector3& point_b, double distance) {
  const double coordinate = point_a.cwiseAbs().cwiseMax(point_b.cwiseAbs()).maxCoeff();
  return std::abs((point_b - point_a).stableNorm() - distance) <= 0x1p-41 * distance + 0x1p-50 * coordinate;
}

/// The closest point of a simple shape.
Vector3 closest_on(const Placed& placed, const Vector3& point) {
  if (!convex::is_simple(placed.shape.kind())) return point;
  const Distance off =
      convex::distance_simple_simple(convex::simple_point(point), convex::place_simple(placed.shape, placed.pose));
  return off.upper > 0 ? off.point_b : point;
}

/// Moves both points of a pair by the same length along the normal, so that b is `gap` from a along it.
void set_gap(const Vector3& normal, double gap, Vector3& point_a, Vector3& point_b) {
  const Vector3 half = normal * ((gap - normal.dot(point_b - point_a)) / 2);
  point_a -= half;
  point_b += half;
}

/// center_points for shapes whose distance tells little about the normal: the distance is known to a part in 2^31, and
/// changes with the square of an angle. If the bounds are wider than rounding, even a single closest point is off by
/// about the root of their width, and is found again.
void center_curved_points(const Placed& a, const Placed& b, double sizes, double rounding, Distance& result) {
  constexpr double max_turned = 0x1p-14;
  const bool is_close = result.upper - result.lower <= 4 * rounding;
  if (is_close && !may_share(a, b, result.normal, max_turned * sizes + rounding)) return;
  // The largest angle first: what is nearly shared counts as shared, if the result is right.
  for (const double turned : {max_turned, 0x1p-26, 0x1p-40}) {
    const auto found = convex::find_witness_pair(a, b, result.normal, turned, rounding);
    if (!found || !(std::abs(found->length + result.upper) <= 8 * rounding + 0x1p-30 * result.upper)) continue;
    result.point_a = found->a;
    result.point_b = found->b;
    result.normal = found->direction;
    result.upper = std::max(result.lower, std::min(result.upper, rounding - found->length));
    return;
  }
}

}  // namespace

void center_hull_points(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                        const convex::HullCorners& corners, Distance& result) {
  const auto *const hull_a = a.as<ConvexHull>(), *const hull_b = b.as<ConvexHull>();
  if (hull_a != nullptr && hull_b != nullptr) {
    if (!(result.lower > 0)) return;
    const double sizes = support_table_of(*hull_a).size + support_table_of(*hull_b).size;
    const double within = angle_of(sizes, result) * sizes + rounding_of(pose_a, pose_b, sizes);
    if (convex::are_alone(*hull_a, pose_a, *hull_b, pose_b, corners, result.normal, within)) return;
  }
  center_points({a, pose_a}, {b, pose_b}, algorithms(a.kind(), b.kind()).distance, result);
}

void center_points(const Placed& a, const Placed& b, DistanceOf distance, Distance& result) {
  if (result.stop != Stop::exact || !(result.upper > 0)) return;
  const bool has_plane = a.shape.is_unbounded() || b.shape.is_unbounded();
  if (a.shape.is_unbounded() && b.shape.is_unbounded()) return;
  if (!has_plane && convex::comes_first(b, a)) {
    exchange(result);  // so that results are the same in either order
    center_points(b, a, distance, result);
    exchange(result);
    return;
  }
  const double sizes = convex::reach_of(a.shape) + convex::reach_of(b.shape);
  const double rounding = rounding_of(a, b, sizes);
  const bool has_normal = result.lower > 0 && !result.normal.isZero(0);
  // Shapes that are apart by rounding alone have no normal yet.
  if (!has_normal && (has_plane || result.upper > 16 * rounding)) return;
  Vector3 normal = has_normal ? result.normal : geometry::unit_vector(b.pose.translation() - a.pose.translation());
  const bool is_round = !has_plane && (is_curved(a.shape) || is_curved(b.shape));
  double angle = has_plane ? min_angle : angle_of(sizes, result);
  const auto within = [&] { return angle * sizes + rounding; };
  if (angle <= largest_angle && !is_round && !may_share(a, b, normal, within())) return;
  // If the shapes are a little farther apart, the normal is known well enough.
  for (int tries = angle <= largest_angle ? 1 : 2; tries > 0 && !is_round && !(angle <= max_angle); --tries) {
    const Distance again = distance(a, {b.shape, moved(b, normal * (0x1p-8 * sizes))}, {});
    result.cost += again.cost;
    if (!(again.lower > 0) || again.normal.isZero(0)) return;
    const bool is_same = (again.normal - normal).norm() <= max_angle;
    normal = again.normal;
    if (!is_same && tries > 1) continue;
    angle = angle_of(sizes, again);
    if (!may_share(a, b, normal, within())) return;
  }
  if (is_round) {
    if (has_normal) center_curved_points(a, b, sizes, rounding, result);
    return;
  }
  const auto middle = convex::shared_middle(a, b, normal, result.upper, {within(), rounding});
  if (!middle) return;
  // The middle is found from heights along the normal, and lies off its shape by the rounding of all of them, those of
  // the other shape included. The closest points of the shapes are off by their own rounding only, but are too far
  // apart if the shapes are parallel only up to rounding.
  const Vector3 on_a = closest_on(a, middle->a), on_b = closest_on(b, middle->b);
  const bool is_exact = is_distance(on_a, on_b, result.upper);
  result.point_a = is_exact ? on_a : middle->a;
  result.point_b = is_exact ? on_b : middle->b;
  if (!is_exact) set_gap(middle->normal, result.upper, result.point_a, result.point_b);
  if (has_normal) result.normal = middle->normal;
}

Triangle triangle_of(const Placed& placed, const Feature& feature) {
  const auto* mesh = placed.shape.as<Mesh>();
  const Triangle t =
      mesh != nullptr ? mesh->triangle(feature.id) : shapes::field_of(placed.shape)->triangle(feature.id);
  return geometry::placed_triangle(placed.pose, t);
}

void center_on_features(const Placed& a, const Placed& b, Distance& result) {
  if (result.stop != Stop::exact || !(result.lower > 0)) return;
  const bool of_a = result.feature_a.kind == FeatureKind::triangle,
             of_b = result.feature_b.kind == FeatureKind::triangle;
  if (!of_a && !shapes::traits_of(a.shape).is_convex) return;
  if (!of_b && !shapes::traits_of(b.shape).is_convex) return;
  const Shape shape_a = of_a ? Shape(triangle_of(a, result.feature_a)) : a.shape;
  const Shape shape_b = of_b ? Shape(triangle_of(b, result.feature_b)) : b.shape;
  const Placed on_a{shape_a, of_a ? Pose() : a.pose}, on_b{shape_b, of_b ? Pose() : b.pose};
  const DistanceOf distance = algorithms(shape_a.kind(), shape_b.kind()).distance;
  if (is_curved(shape_a) || is_curved(shape_b)) {
    // The bounds of the triangle alone tell how well its points are known. Those of the mesh are wider.
    const Distance alone = distance(on_a, on_b, {});
    result.cost += alone.cost;
    if (!(alone.lower > 0)) return;
    result.upper = alone.upper;
    result.point_a = alone.point_a;
    result.point_b = alone.point_b;
    result.normal = alone.normal;
    return;
  }
  const Distance before = result;
  center_points(on_a, on_b, distance, result);
  if (!of_a || !of_b || (result.point_a == before.point_a && result.point_b == before.point_b)) return;
  // Triangles that are parallel only to within the error of the normal are closest somewhere else.
  if (is_distance(result.point_a, result.point_b, result.upper)) return;
  result.point_a = before.point_a;
  result.point_b = before.point_b;
  result.normal = before.normal;
}

namespace {

/// By how much the two points do not belong together.
Vector3 mismatch(const Depth& result) {
  return result.point_a - result.point_b - result.normal * result.upper;
}

bool is_pair(const Depth& result, double rounding) {
  return mismatch(result).norm() <= rounding;
}

/// How far b has to move along a direction until none of its points is before a's farthest point, all rounding errors
/// included.
double way_out(const Placed& a, const Placed& b, const Vector3& direction) {
  return convex::way_length(convex::convex_body(a.shape, a.pose), convex::convex_body(b.shape, b.pose), direction);
}

/// Finds the pair as the closest points of the two shapes after b has left a and moved a little farther. These points
/// belong together and move with the shapes. If the way out is not quite the shortest, the normal there is a better
/// direction.
class Settling {
 public:
  Settling(const Placed& a, const Placed& b, DistanceOf distance, double sizes, double rounding, Depth& result)
      : a_(a), b_(b), distance_(distance), rounding_(rounding), result_(result) {
    const double smaller = std::min(convex::reach_of(a.shape), convex::reach_of(b.shape));
    farther_ = shapes::traits_of(a.shape).is_polytope && shapes::traits_of(b.shape).is_polytope
                   ? 0x1p-10 * sizes
                   : std::max(0x1p-12 * smaller, 0x1p-18 * sizes);
  }

  void run(bool may_turn) {
    constexpr int max_turns = 8;
    Vector3 way = result_.normal;
    double length = result_.upper;
    for (int turn = 0;; ++turn) {
      const Distance apart = look(way * (length + farther_));
      if (!(apart.lower > 0) || apart.normal.isZero(0)) return;
      // If b moves back by no more than the distance, in any direction, the shapes still do not overlap.
      const double beside = (apart.normal - way).norm() * apart.upper;
      if (beside <= rounding_ / 4) {
        take(way, length + farther_, apart);
        shorten(way, length + farther_ - apart.lower);
        result_.upper = std::max(result_.lower, std::min(result_.upper, way_out(a_, b_, way)));
        if (!is_pair(result_, rounding_)) close_in(way, length + farther_ - apart.lower);
        return;
      }
      const double next = apart.normal.dot(way * (length + farther_)) - apart.lower;
      if (!may_turn || turn == max_turns || !(next < length)) {
        close_in(way, length + farther_ - apart.lower);
        return;
      }
      way = apart.normal;
      length = std::max(next, 0.0);
    }
  }

 private:
  Distance look(const Vector3& by) {
    const Distance apart = distance_(a_, {b_.shape, moved(b_, by)}, {});
    result_.cost += apart.cost;
    return apart;
  }
  void take(const Vector3& way, double length, const Distance& apart) {
    result_.point_a = apart.point_a;
    result_.point_b = apart.point_b - way * length;
  }
  /// The shapes do not overlap once b has moved this far.
  void shorten(const Vector3& way, double length) {
    result_.normal = way;
    result_.upper = std::max(result_.lower, std::min(result_.upper, length * (1 + 0x1p-50) + rounding_ / 4));
  }
  /// Moves b back until the shapes touch, without turning any more. The distance of convex shapes is a convex function
  /// of the length, so Newton's steps do not go beyond the contact.
  void close_in(const Vector3& way, double length) {
    constexpr int max_steps = 32;
    for (int step = 0; step < max_steps; ++step) {
      const Distance apart = look(way * length);
      take(way, length, apart);
      shorten(way, length);
      const double along = way.dot(apart.normal);
      if (!(apart.lower > 0) || apart.upper <= rounding_ / 2 || !(along > 0x1p-20)) return;
      length -= apart.lower / along;
    }
  }

  const Placed& a_;
  const Placed& b_;
  DistanceOf distance_;
  double rounding_;
  double farther_ = 0;
  Depth& result_;
};

/// Finds the pair from the shapes' own faces, edges and curvature, if the direction leads to one.
bool find_pair(const Placed& a, const Placed& b, bool turns, double rounding, Depth& result) {
  // The angle by which a search may have left the direction off: none for polyhedra, more for rounder shapes. For those
  // the largest comes first: what is nearly shared counts as shared, if the result is right.
  std::array<double, 4> angles = {0x1p-44, 0x1p-30, 0x1p-20, 0x1p-10};
  if (is_curved(a.shape) || is_curved(b.shape)) std::reverse(angles.begin(), angles.end());
  for (const double turned : angles) {
    const auto found = convex::find_witness_pair(a, b, result.normal, turned, rounding);
    if (!found || found->length > result.upper + rounding || found->length < result.lower - rounding) continue;
    if (!turns && !((found->direction - result.normal).norm() <= 0x1p-30)) continue;
    result.point_a = found->a;
    result.point_b = found->b;
    // The known bound on the translation holds for its own direction. That direction stays if these points show it as
    // well as any, or if the other is longer.
    if (is_pair(result, rounding / 8)) return true;
    const double length = way_out(a, b, found->direction);
    if (length > result.upper + rounding / 8 && is_pair(result, rounding)) return true;
    result.normal = found->direction;
    if (length > 0) result.upper = std::max(result.lower, length);
    return true;
  }
  return false;
}

/// A translation that was chosen because of a hint, and is longer than the shortest, keeps its direction.
bool may_turn(WayOut way, double rounding, const Depth& result) {
  return way == WayOut::shortest || result.upper - result.lower <= 0x1p-18 * result.upper + 4 * rounding;
}

void pair_bounded(const Placed& a, const Placed& b, DistanceOf distance, WayOut way, double sizes, double rounding,
                  Depth& result) {
  const bool turns = may_turn(way, rounding, result);
  if (is_pair(result, rounding)) {
    // The points of a short translation are a pair even if its direction is off by an angle that hides what curved
    // shapes share.
    if (!(result.upper > 0) || !(is_curved(a.shape) || is_curved(b.shape))) return;
    const double angle = std::min(rounding / result.upper, largest_angle);
    if (may_share(a, b, result.normal, angle * sizes + rounding)) find_pair(a, b, turns, rounding, result);
    return;
  }
  if (find_pair(a, b, turns, rounding, result)) return;
  Settling(a, b, distance, sizes, rounding, result).run(turns);
}

/// Calls `find` with the shapes in an order of their own, so that results are the same in either order.
template <class Find>
void in_order(const Placed& a, const Placed& b, Depth& result, Find&& find) {
  if (!convex::comes_first(b, a)) return find(a, b);
  exchange(result);
  find(b, a);
  exchange(result);
}

/// Moves the points of a pair to the middle of what the shapes share along the normal.
void center_pair(const Placed& a, const Placed& b, WayOut way, bool has_plane, double sizes, double rounding,
                 Depth& result) {
  const double within = min_angle * sizes + rounding;
  if (!may_share(a, b, result.normal, within)) return;
  const auto middle = convex::shared_middle(a, b, result.normal, -result.upper, {within, rounding});
  if (!middle) return;
  Depth there = result;
  there.point_a = middle->a;
  there.point_b = middle->b;
  if (is_pair(there, rounding) || has_plane) {
    result = there;
  } else {
    // What the shapes share is perpendicular to another direction, by more than the rounding of such a long
    // translation.
    in_order(a, b, result, [&](const Placed& first, const Placed& second) {
      find_pair(first, second, may_turn(way, rounding, result), rounding, result);
    });
  }
}

}  // namespace

void pair_points(const Placed& a, const Placed& b, DistanceOf distance, WayOut way, Depth& result) {
  if (result.normal.isZero(0) || !std::isfinite(result.upper)) {
    result.point_a = result.point_b = Vector3::Zero();
    return;
  }
  const bool is_plane_a = a.shape.is_unbounded(), is_plane_b = b.shape.is_unbounded();
  if (is_plane_a && is_plane_b) return;
  const bool has_plane = is_plane_a || is_plane_b;
  const double sizes = convex::reach_of(a.shape) + convex::reach_of(b.shape);
  const double rounding = rounding_of(a, b, sizes);
  if (!has_plane) {
    in_order(a, b, result, [&](const Placed& first, const Placed& second) {
      pair_bounded(first, second, distance, way, sizes, rounding, result);
    });
  }
  if (!(result.upper > 0)) {
    result.normal = result.point_a = result.point_b = Vector3::Zero();
    return;
  }
  center_pair(a, b, way, has_plane, sizes, rounding, result);
  // What is left is rounding of both points. It is shared by them, so that they are as far apart as the depth says.
  if (!has_plane && is_pair(result, rounding)) set_gap(result.normal, -result.upper, result.point_a, result.point_b);
}

namespace {

/// The feature of a shape that a point on its border lies on. Whole if a ground's border is a wall there.
Feature feature_at(const Placed& placed, const Vector3& point) {
  if (shapes::traits_of(placed.shape).is_convex || !(point.cwiseAbs().maxCoeff() <= max_coordinate)) return {};
  if (const auto* const mesh = placed.shape.as<Mesh>())
    return mesh::surface_distance({*mesh, placed.pose}, convex::simple_point(point), {}).feature_a;
  if (const HeightField* const field = shapes::ground_surface(placed.shape)) {
    const Shape surface = *field;
    const Distance off = distance_of_ball({surface, placed.pose}, point);
    const Aabb box = surface.bounds(placed.pose);
    const double size = (box.upper - box.lower).stableNorm() + placed.pose.translation().cwiseAbs().maxCoeff();
    return off.upper <= 0x1p-36 * size ? off.feature_a : Feature();
  }
  const Distance off = distance_of_ball(placed, point);
  // A point that rounding has put inside a solid part lies on no triangle yet.
  if (off.feature_a.kind != FeatureKind::whole || placed.shape.as<Compound>() == nullptr) return off.feature_a;
  const Leaf leaf = leaf_at(placed.shape, placed.pose, off.feature_a.part);
  Feature result = feature_at({leaf.shape, leaf.pose}, point);
  result.part = off.feature_a.part;
  return result;
}

/// The largest coordinate on which the rounding of a witness point may depend: of points of the shape in its own frame
/// or, where they are placed before they are used, in the world. 0 for an unbounded shape.
double rounded_from(const Shape& shape, const Pose& pose) {
  if (shapes::is_bounded_convex(shapes::traits_of(shape))) return convex::reach_of(shape);
  if (shape.is_unbounded()) return 0;
  const Aabb box = shape.bounds(pose);
  return std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff());
}

/// center_depth, by moving b. Returns whether the points are new; then `on` is set.
bool move_last(const Placed& a, const Placed& b, DistanceOf distance, Depth& result, Features& on) {
  const Aabb box_a = a.shape.bounds(a.pose), box_b = b.shape.bounds(b.pose);
  const double size = (box_a.upper - box_a.lower).stableNorm() + (box_b.upper - box_b.lower).stableNorm();
  // The points that are replaced touch up to the rounding of their search. The new ones must match as well as they do.
  const double allowed = mismatch(result).stableNorm() + 2 * rounding_of(a, b, size);
  double farther = 0x1p-16 * size;
  for (int look = 0; look < 2; ++look) {
    const Vector3 by = result.normal * (result.upper + farther);
    const Distance apart = distance(a, {b.shape, moved(b, by)}, {});
    result.cost += apart.cost;
    if (!(apart.lower > 0)) return false;
    Depth there = result;
    there.point_a = apart.point_a;
    there.point_b = apart.point_b - by;
    const double off = mismatch(there).stableNorm();
    if (off <= allowed) {
      result.point_a = there.point_a;
      result.point_b = there.point_b;
      on = {apart.feature_a, apart.feature_b};
      return true;
    }
    // The normal there may be a little off the way out: faces are tilted against each other, or the distance of curved
    // shapes leaves the normal uncertain. This moves the points sideways by the angle times how much farther b is, so
    // from closer they match. If they are off by much more, the way out is slanted, or the features that separate last
    // are not the nearest ones there.
    farther *= allowed / (4 * off);
    if (!(farther >= 0x1p-26 * size)) return false;
  }
  return false;
}

}  // namespace

void center_depth(const Placed& a, const Placed& b, DistanceOf distance, Depth& result, Features* on) {
  if (result.normal.isZero(0) || !std::isfinite(result.upper)) return;
  bool is_moved = false;
  Features features;
  if (!a.shape.is_unbounded() && !b.shape.is_unbounded()) {
    // Shapes of two different kinds always come in the same order.
    if (a.shape.kind() != b.shape.kind()) {
      is_moved = move_last(a, b, distance, result, features);
    } else {
      in_order(a, b, result, [&](const Placed& first, const Placed& second) {
        is_moved = move_last(first, second, distance, result, features);
        if (&first == &b) std::swap(features.a, features.b);
      });
    }
  }
  if (on == nullptr) return;
  *on = is_moved ? features : Features{feature_at(a, result.point_a), feature_at(b, result.point_b)};
}

void name_features(const Placed& a, const Placed& b, Distance& result) {
  if (result.normal.isZero(0) || !(result.upper < HUGE_VAL)) return;
  const Leaf leaf_a = leaf_at(a.shape, a.pose, result.feature_a.part);
  const Leaf leaf_b = leaf_at(b.shape, b.pose, result.feature_b.part);
  const double sizes = rounded_from(leaf_a.shape, leaf_a.pose) + rounded_from(leaf_b.shape, leaf_b.pose);
  const double coordinate = result.point_a.cwiseAbs().cwiseMax(result.point_b.cwiseAbs()).maxCoeff();
  convex::FeatureSlack slack;
  slack.within = 0x1p-41 * (sizes + std::max(std::abs(result.lower), std::abs(result.upper))) + 0x1p-48 * coordinate;
  slack.below = slack.within;
  // The normal belongs to the lower bound. Along it, a point of a convex shape that is apart from another is not
  // farther below the border than the bounds are from each other.
  if (result.lower > 0 && shapes::traits_of(leaf_a.shape).is_convex && shapes::traits_of(leaf_b.shape).is_convex)
    slack.below += result.upper - result.lower;
  const auto name = [&](const Leaf& leaf, const Vector3& point, const Vector3& outward, Feature& feature) {
    if (feature.kind != FeatureKind::whole) return;
    const shapes::RoundedData* const rounded = shapes::rounded_data(leaf.shape);
    const Shape& shape = rounded != nullptr ? rounded->inner : leaf.shape;
    if (!shapes::traits_of(shape).is_polytope) return;
    const Vector3 inner_point = rounded != nullptr ? Vector3(point - outward * rounded->radius) : point;
    const Feature found = convex::feature_at_point(shape, leaf.pose, inner_point, outward, slack);
    feature.kind = found.kind;
    feature.id = found.id;
  };
  name(leaf_a, result.point_a, result.normal, result.feature_a);
  name(leaf_b, result.point_b, -result.normal, result.feature_b);
}

}  // namespace whisker::queries
