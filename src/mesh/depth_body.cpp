#include "mesh/depth_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>

#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/raw_pose.hpp"
#include "mesh/containment.hpp"
#include "mesh/surface_distance.hpp"
#include "shapes/mesh_storage.hpp"
#include "trees/topology.hpp"

namespace whisker::mesh {

using convex::SimpleShape;
using trees::OrientedNode;
using trees::OrientedTree;

double magnitude_of(const PlacedMesh& placed) {
  // A row of the rotation times a vertex is at most the vertex's length.
  return 2 * storage_of(placed.mesh).oriented.coordinate + placed.pose.translation().cwiseAbs().maxCoeff();
}

Extreme farthest_corner(const PlacedMesh& placed, const Vector3& direction, std::uint32_t& hint, Cost& cost) {
  const OrientedTree& tree = storage_of(placed.mesh).oriented;
  // Six half-ulps of the terms cover the dot product and the direction's own rounding.
  const double size = 3 * magnitude_of(placed);
  const double rounding = 8 * 0x1p-53 * size;
  Extreme best;
  best.reach = -infinity;
  std::uint32_t best_triangle = hint;
  const auto look_at = [&](std::uint32_t triangle) {
    ++cost.primitive_tests;
    const Triangle t = placed.mesh.triangle(triangle);
    for (const Vector3* corner : {&t.a, &t.b, &t.c}) {
      const Vector3 point = geometry::placed_point(placed.pose, *corner);
      const double reach = direction.dot(point);
      if (reach < best.reach || (reach == best.reach && triangle >= best_triangle)) continue;
      best.reach = reach;
      best.point = point;
      best_triangle = triangle;
    }
  };
  look_at(hint);
  struct Entry {
    std::uint32_t node;
    double reach;
  };
  const Vector3 local = placed.pose.rotation().transpose() * direction;
  const double to_mesh = 1 / tree.scale;
  const double shift = direction.dot(placed.pose.translation());
  const double slack = 0x1p-46 * size;
  std::array<Entry, 8 * trees::Topology::max_depth> stack;
  std::size_t count = 0;
  stack[count++] = {0, infinity};
  while (count > 0) {
    const Entry entry = stack[--count];
    if (entry.reach < best.reach) continue;
    const OrientedNode& node = tree.nodes[entry.node];
    double along[3];
    for (int i = 0; i < 3; ++i)
      along[i] = geometry::dot(node.axis(i), local);
    const double origin = geometry::dot(local.data(), node.origin);
    std::array<Entry, 8> next;  // `node` holds a slot number here
    std::size_t nodes = 0;
    for (const unsigned s : node.children()) {
      ++cost.volume_tests;
      double reach = origin;
      double sizes = 0;
      for (int i = 0; i < 3; ++i) {
        const double center = static_cast<double>(node.center[i][s]);
        const double half = static_cast<double>(node.half[i][s]);
        reach += along[i] * center + std::abs(along[i]) * half;
        sizes += std::abs(center) + half;
      }
      // The axes are orthogonal only up to 2^-23, so a point differs from axes * u by less than 2^-20 |u|.
      const double farthest = (reach + 0x1p-19 * sizes) * to_mesh + shift + slack;
      if (farthest < best.reach) continue;
      std::size_t at = nodes++;
      for (; at > 0 && next[at - 1].reach > farthest; --at)
        next[at] = next[at - 1];
      next[at] = {s, farthest};
    }
    for (std::size_t k = nodes; k-- > 0;) {  // farthest first
      const std::uint32_t s = next[k].node;
      if (!node.is_leaf(s) || next[k].reach < best.reach) continue;
      for (std::uint32_t i = 0; i < node.triangles(s); ++i)
        look_at(tree.leaves[node.index(s)].id[i]);
    }
    for (std::size_t k = 0; k < nodes; ++k) {
      const std::uint32_t s = next[k].node;
      if (!node.is_leaf(s)) stack[count++] = {node.index(s), next[k].reach};
    }
  }
  hint = best_triangle;
  best.reach += rounding;
  best.error = 2 * rounding;
  return best;
}

void include_corner(const Vector3& corner, const SimpleShape& half_space, Depth& deepest) {
  const Depth found = convex::depth_simple_simple(convex::simple_point(corner), half_space);
  const double lower = std::max(deepest.lower, found.lower);
  Cost cost = deepest.cost;
  ++cost.primitive_tests;
  if (found.upper > deepest.upper) deepest = found;
  deepest.lower = lower;
  deepest.cost = cost;
}

void require_solid(const Mesh& mesh) {
  if (!mesh.is_solid()) {
    throw Error(
        "depth: the mesh is a surface, which has no inside to overlap; make it solid() first (it must be closed)");
  }
}

DepthBody::DepthBody(const PlacedMesh& mesh) : mesh_(mesh), magnitude_(magnitude_of(mesh)) {}

DepthBody::DepthBody(const SimpleShape& shape) : simple_(shape) {
  magnitude_ =
      shape.core == SimpleShape::Core::box ? shape.pose.translation().cwiseAbs().maxCoeff() + shape.box.size.sum() : 0;
  shape.each_corner([&](const Vector3& p) { magnitude_ = std::max(magnitude_, p.cwiseAbs().maxCoeff()); });
  if (is_convex_core()) magnitude_ = convex::magnitude(shape);
  magnitude_ += shape.radius;
}

bool DepthBody::has_inside() const {
  if (is_convex_core()) return simple_.convex->has_inside();
  return is_mesh() || simple_.radius > 0 || simple_.core == SimpleShape::Core::box;
}

double DepthBody::point_error() const {
  return is_convex_core() ? simple_.convex->point_error() : 0;
}

bool DepthBody::is_convex() const {
  return !is_mesh() || storage_of(mesh_->mesh).convex_middle().has_value();
}

Aabb DepthBody::box() const {
  if (is_mesh()) return geometry::placed_box(mesh_->mesh.bounds(), mesh_->pose);
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      const Vector3 direction = sign * Vector3::Unit(axis);
      box.include(convex::farthest_point(simple_, direction) + (simple_.radius + point_error()) * direction);
    }
  }
  return box;
}

Extreme DepthBody::farthest(const Vector3& direction, Cost& cost) {
  if (is_mesh()) return farthest_corner(*mesh_, direction, hint_, cost);
  ++cost.primitive_tests;
  const Vector3 point = convex::farthest_point(simple_, direction);
  const double rounding = 16 * 0x1p-53 * 3 * magnitude_ + point_error();
  return {direction.dot(point) + rounding, 2 * rounding, point};
}

double DepthBody::inner_distance(const Vector3& point, Vector3& out, Cost& cost) const {
  if (is_mesh()) {
    const Distance near = surface_distance(*mesh_, convex::simple_point(point), {});
    cost += near.cost;
    out = near.point_a - point;
    return is_inside(*mesh_, point) ? near.upper : -near.lower;
  }
  ++cost.primitive_tests;
  out = Vector3::Zero();
  const auto round = [&](const ClosestPoints& found) {
    if (found.distance > 0) out = (point - found.point_b) * ((simple_.radius - found.distance) / found.distance);
    return simple_.radius - found.distance;
  };
  switch (simple_.core) {
    case SimpleShape::Core::point:
      return round(closest_points(point, simple_.corners.a));
    case SimpleShape::Core::segment:
      return round(closest_points(point, simple_.segment()));
    case SimpleShape::Core::triangle:
      return round(closest_points(point, simple_.corners));
    case SimpleShape::Core::convex: {
      Vector3 local_out;
      const double inner = convex::inner_distance(*simple_.convex, to_own_frame(point), local_out);
      out = simple_.pose.rotation() * local_out;
      return inner;
    }
    default:
      break;
  }
  const Vector3 local = to_own_frame(point);
  double inner = infinity;
  Vector3 outside = Vector3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const double left = simple_.box.size[axis] / 2 - std::abs(local[axis]);
    if (left < 0) outside[axis] = left;
    if (left >= inner) continue;
    inner = left;
    out = simple_.pose.rotation().col(axis) * (local[axis] < 0 ? -left : left);
  }
  return inner >= 0 ? inner : -outside.stableNorm();
}

double DepthBody::min_inner_distance(const Vector3& point, Cost& cost) const {
  if (is_mesh()) {
    if (!is_inside(*mesh_, point)) return -infinity;
    const Distance near = surface_distance(*mesh_, convex::simple_point(point), {});
    cost += near.cost;
    return near.lower;
  }
  double error = 0x1p-44 * (magnitude_ + point.cwiseAbs().maxCoeff()) + std::numeric_limits<double>::min();
  double inner = 0;
  if (is_convex_core()) {
    ++cost.primitive_tests;
    inner = convex::min_inner_distance(*simple_.convex, to_own_frame(point));
    error += own_frame_error(point);
  } else {
    Vector3 out;
    inner = inner_distance(point, out, cost);
    if (simple_.core == SimpleShape::Core::box) error += own_frame_error(point);
  }
  return inner - 0x1p-36 * std::abs(inner) - error;
}

double DepthBody::own_frame_error(const Vector3& point) const {
  // Rᵀ is the inverse of R only up to R's deviation from a rotation.
  const Matrix3 product = simple_.pose.rotation().transpose() * simple_.pose.rotation();
  const double size = is_convex_core() ? 2 * simple_.convex->body.size : simple_.box.size.sum();
  return 4 * (product - Matrix3::Identity()).cwiseAbs().sum() *
         (size + (point - simple_.pose.translation()).cwiseAbs().maxCoeff());
}

Pose DepthBody::moved_pose(const Vector3& by) const {
  Pose pose = is_mesh() ? mesh_->pose : simple_.pose;
  geometry::raw_translation(pose) = pose.translation() + by;
  return pose;
}

SimpleShape DepthBody::moved_simple(const Vector3& by) const {
  SimpleShape moved = simple_;
  moved.corners.a += by;
  moved.corners.b += by;
  moved.corners.c += by;
  geometry::raw_translation(moved.pose) = moved.pose.translation() + by;
  return moved;
}

Distance moved_distance(const DepthBody& a, const DepthBody& b, const Vector3& by, double most, Cost& cost) {
  const DistanceOptions within{.upper_bound = most};
  const Distance found = b.is_mesh() ? distance_mesh_mesh(a.mesh(), {b.mesh().mesh, b.moved_pose(by)}, within)
                                     : distance_mesh_simple(a.mesh(), b.moved_simple(by), within);
  cost += found.cost;
  return found;
}

}  // namespace whisker::mesh
