#include "mesh/tree_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "convex/simple_convex.hpp"
#include "geometry/constants.hpp"
#include "geometry/inverse_rotation.hpp"
#include "geometry/safe_norm.hpp"
#include "geometry/unit_vector.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {
namespace {

using Core = convex::SimpleShape::Core;

double largest(const Vector3& v) {
  return v.cwiseAbs().maxCoeff();
}

/// Computes two unit vectors perpendicular to a unit vector and to each other, up to rounding (T. Duff et al.,
/// "Building an Orthonormal Basis, Revisited", 2017).
void fill_across(const Vector3& along, Vector3& second, Vector3& third) {
  const double sign = std::copysign(1.0, along[2]), a = -1 / (sign + along[2]), b = along[0] * along[1] * a;
  second = {1 + sign * along[0] * along[0] * a, sign * b, -sign * along[0]};
  third = {b, sign + along[1] * along[1] * a, -along[1]};
}

/// Sets axes along the first direction and in the plane of both directions, and the core's extents along them. Chooses
/// arbitrary axes where the directions do not determine them.
void set_axes(NearQuery& query, const Vector3& first, const Vector3& second) {
  Vector3 x = geometry::unit_vector(first);
  if (x.isZero(0)) x = Vector3::UnitX();
  Vector3 y, z;
  fill_across(x, y, z);
  const Vector3 unit = geometry::unit_vector(second);
  const Vector3 beside = unit - unit.dot(x) * x;
  if (beside.norm() > 0x1p-20) {
    z = geometry::unit_vector(x.cross(geometry::unit_vector(beside)));
    y = geometry::unit_vector(z.cross(x));
  }
  int j = 0;
  for (const Vector3& axis : {x, y, z}) {
    Vector3::Map(query.axes[j]) = axis;
    double low = infinity;
    double high = -low;
    for (int k = 0; k < query.corner_count; ++k) {
      const double along = axis.dot(Vector3::Map(query.corners[k]));
      low = std::min(low, along);
      high = std::max(high, along);
    }
    for (int k = 0; k < query.half_count; ++k) {
      const double reach = std::abs(axis.dot(Vector3::Map(query.halves[k])));
      low -= reach;
      high += reach;
    }
    query.low[j] = low;
    query.high[j++] = high;
  }
}

/// Squares of lengths up to this fit into a double with room for their sums and products.
constexpr double largest_length = 0x1p240;

NearQuery begin(const LocalFrame& frame, double size) {
  NearQuery query;
  query.tree = frame.tree;
  query.error = frame.error(size);
  query.stretch = frame.stretch;
  query.out_of_range = !((size + frame.coordinate) * frame.scale < largest_length);
  return query;
}

/// A box in the world, given by its axes (columns) and half its size along each. No coordinate is larger than `size`.
NearQuery box_query(const LocalFrame& frame, double size, const Vector3& center, const Matrix3& axes,
                    const Vector3& halves) {
  NearQuery query = begin(frame, size);
  query.kind = NearQuery::Kind::hull;
  query.corner_count = 1;
  query.half_count = 3;
  Vector3::Map(query.corners[0]) = frame.to_local(center);
  for (int k = 0; k < 3; ++k)
    Vector3::Map(query.halves[k]) = frame.turned(axes.col(k)) * (halves[k] * frame.scale);
  set_axes(query, frame.turned(axes.col(0)), frame.turned(axes.col(1)));
  return query;
}

/// Boxes are separated better from a point along the line to it, if it is farther away than this many times the tree's
/// size.
constexpr double far_away = 16;

}  // namespace

LocalFrame::LocalFrame(const Pose& pose_, double size) : pose(pose_), coordinate(size + largest(pose_.translation())) {
  const geometry::InverseRotation back(pose.rotation());
  inverse = back.matrix;
  stretch = 1 - back.bend;
}

LocalFrame::LocalFrame(const PlacedMesh& placed)
    : LocalFrame(placed.pose, storage_of(placed.mesh).oriented.coordinate) {
  tree = &storage_of(placed.mesh).oriented;
  scale = tree->scale;
}

double LocalFrame::error(double size) const {
  // place() rounds four times, the inverse's entries carry about ten roundings of numbers below 2, and a sum over its
  // row is below 2 times the largest coordinate. A traversal then adds a dozen roundings of the same sizes. Together
  // these are less than 400 half-ulps of the sum. The last term is for underflow.
  return 0x1p-44 * (coordinate + size) * scale + 0x1p-500;
}

NearQuery near_query(const LocalFrame& frame, const convex::SimpleShape& shape) {
  if (!shape.is_bounded()) {
    // A point x of the mesh is at the height m·(R x + t - s) - offset, over |m|, along the normal Rᵀ m / |m|.
    const Vector3 unit = geometry::unit_vector(shape.normal);
    const double steep = shape.normal.stableNorm();
    const double offset = shape.offset / steep;
    NearQuery query = begin(frame, largest(shape.pose.translation()) + std::abs(offset));
    query.kind = shape.core == Core::plane ? NearQuery::Kind::plane : NearQuery::Kind::half_space;
    Vector3::Map(query.axes[0]) = frame.pose.rotation().transpose() * unit;
    query.low[0] = query.high[0] =
        (offset - unit.dot(frame.pose.translation() - shape.pose.translation())) * frame.scale;
    query.stretch = 1;
    return query;
  }
  if (shape.core == Core::box || shape.core == Core::convex) {
    // A box, or the box around a convex core, whose center is usually not the core's origin.
    Vector3 center = Vector3::Zero();
    Vector3 halves = shape.box.size / 2;
    double size = largest(shape.pose.translation()) + shape.box.size.sum();
    if (shape.core == Core::convex) {
      const Aabb& bounds = shape.convex->bounds;
      center = bounds.lower / 2 + bounds.upper / 2;
      halves = bounds.upper / 2 - bounds.lower / 2;
      size = largest(shape.pose.translation()) + 2 * center.lpNorm<1>() + 2 * halves.sum();
    }
    return box_query(frame, size, shape.pose.translation() + shape.pose.rotation() * center, shape.pose.rotation(),
                     halves);
  }
  double size = 0;
  shape.each_corner([&](const Vector3& corner) { size = std::max(size, largest(corner)); });
  NearQuery query = begin(frame, size);
  shape.each_corner(
      [&](const Vector3& corner) { Vector3::Map(query.corners[query.corner_count++]) = frame.to_local(corner); });
  const Vector3 a = Vector3::Map(query.corners[0]), b = Vector3::Map(query.corners[1]),
                c = Vector3::Map(query.corners[2]);
  if (query.corner_count == 1) {
    query.kind = NearQuery::Kind::point;
    const trees::OrientedNode& root = frame.tree->nodes.front();
    const Vector3 away = a - root.origin_point();
    query.along_axes = largest(away) > far_away * static_cast<double>(root.radius);
    if (query.along_axes) set_axes(query, away, Vector3::Zero());
    return query;
  }
  query.kind = NearQuery::Kind::hull;
  Vector3 first = b - a, second = Vector3::Zero();
  if (query.corner_count == 3) {
    second = c - a;
    if (largest(c - b) > largest(first)) first = c - b;
    if (largest(c - a) > largest(first)) {
      first = c - a;
      second = b - a;
    }
  }
  set_axes(query, first, second);
  return query;
}

NearQuery near_query(const LocalFrame& frame, const Aabb& box) {
  // Only the part near the mesh counts, so infinite bounds become finite.
  const double reach = 4 * frame.coordinate + std::numeric_limits<double>::min();
  const Vector3 lower = box.lower.cwiseMax(-reach).cwiseMin(reach);
  const Vector3 upper = box.upper.cwiseMin(reach).cwiseMax(-reach);
  return box_query(frame, 3 * reach, lower / 2 + upper / 2, Matrix3::Identity(), upper / 2 - lower / 2);
}

double RayQuery::upper_of(double t) const {
  if (speed == 0) return infinity;
  const double here = t * speed;
  return here + 0x1p-46 * std::abs(here) + error;
}

RayQuery ray_query(const LocalFrame& frame, const Ray& ray, const RayRange& range) {
  RayQuery query;
  query.tree = frame.tree;
  Vector3::Map(query.origin) = frame.to_local(ray.origin);
  const Vector3 local = frame.turned(ray.direction);
  const double length = geometry::safe_norm(local);
  const Vector3 direction =
      length > 0x1p-400 && length < 0x1p400 ? Vector3(local / length) : geometry::unit_vector(local);
  Vector3::Map(query.direction) = direction;
  Vector3 first, second;
  fill_across(direction, first, second);
  Vector3::Map(query.across[0]) = first;
  Vector3::Map(query.across[1]) = second;
  query.speed = length * frame.scale;
  // Parameters are meaningless at this speed: the whole line is searched.
  if (!(query.speed > 0x1p-900)) query.speed = 0;
  // Points of the line that are near the mesh are no farther from the line's origin than twice the sum of the
  // coordinates. So the error of the direction moves them by no more than other roundings do.
  query.error = 4 * frame.error(largest(ray.origin));
  query.upper = query.upper_of(range.upper);
  const double lower = range.lower * query.speed;
  query.lower = query.speed == 0 ? -infinity : lower - 0x1p-46 * std::abs(lower) - query.error;
  return query;
}

}  // namespace whisker::mesh
