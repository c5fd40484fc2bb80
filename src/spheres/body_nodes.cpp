#include "spheres/body_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/place.hpp"
#include "mesh/containment.hpp"
#include "shapes/internals.hpp"

namespace whisker::spheres {

void BodyNodes::set(const SphereBody& body) {
  if (body_ && &storage_of(*body_) == &storage_of(body)) return;
  body_ = body;
  const std::size_t padded = body.size() + SphereBodyStorage::lane_padding;
  for (std::vector<double>* row : {&x_, &y_, &z_})
    row->resize(padded);
  stamp_.assign(body.size(), 0);
  step_ = 0;
}

PlacedNodes BodyNodes::place(const Pose& pose) {
  if (++step_ == 0) {  // Overflow after 2³² steps: old stamps must not match new ones.
    std::fill(stamp_.begin(), stamp_.end(), 0);
    step_ = 1;
  }
  const SphereBodyStorage& s = storage_of(*body_);
  PlacedNodes nodes{.body = &*body_,
                    .pose = &pose,
                    .x = s.x.data(),
                    .y = s.y.data(),
                    .z = s.z.data(),
                    .radius = s.radius.data(),
                    .height = s.height.data(),
                    .first_child = s.first_child.data(),
                    .child_count = s.child_count.data(),
                    .world_x = x_.data(),
                    .world_y = y_.data(),
                    .world_z = z_.data(),
                    .stamp = stamp_.data(),
                    .step = step_};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(nodes.rotation) = pose.rotation();
  Eigen::Map<Vector3>(nodes.translation) = pose.translation();
  const Vector3 root = geometry::placed_point(pose, s.center(0));
  x_[0] = root[0];
  y_[0] = root[1];
  z_[0] = root[2];
  // The rotation changes lengths by a relative amount of at most the norm of RᵀR - I. place() rounds four times, both
  // for centers and for the mesh's vertices, with values below twice the sum of the sizes. The bounds are sums of a few
  // such values, so 64 half-ulps cover all rounding. Squares below 1e-300 may be wrong by any amount less than 1e-149.
  const double bend = (pose.rotation().transpose() * pose.rotation() - Matrix3::Identity()).cwiseAbs().sum() + 0x1p-48;
  nodes.slack = bend * s.size + 0x1p-46 * (s.size + pose.translation().cwiseAbs().maxCoeff()) + 1e-149;
  return nodes;
}

NodeBounds measure(const PlacedNodes& a, std::uint32_t i, const PlacedNodes& b, std::uint32_t j) {
  const Vector3 away = world_center(b, j) - world_center(a, i);
  const double apart = std::sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
  const double slack = a.slack + b.slack;
  return {apart * (1 - 0x1p-48) - (a.radius[i] + b.radius[j] + slack),
          apart * (1 + 0x1p-48) + (a.height[i] + b.height[j] + slack)};
}

namespace {

/// Whether every part of the inner solid has a point outside the root sphere of the outer solid.
bool all_parts_leave(const PlacedNodes& inner, const PlacedNodes& outer) {
  const Vector3 center = world_center(outer, 0);
  const double reach = outer.radius[0] + outer.slack;
  const double least = reach * reach * (1 + 0x1p-48);
  const auto leaves = [&](const Vector3& end) {
    const Vector3 away = geometry::placed_point(*inner.pose, end) - center;
    return away[0] * away[0] + away[1] * away[1] + away[2] * away[2] > least;
  };
  const auto& parts = storage_of(*inner.body).ends;
  return std::ranges::all_of(parts, [&](const auto& ends) { return std::ranges::any_of(ends, leaves); });
}

}  // namespace

bool one_holds_other(const PlacedNodes& a, const PlacedNodes& b) {
  if (all_parts_leave(a, b) && all_parts_leave(b, a)) return false;
  return mesh::shared_point({a.body->mesh(), *a.pose}, {b.body->mesh(), *b.pose}).has_value();
}

}  // namespace whisker::spheres
