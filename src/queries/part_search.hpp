#pragma once

// Searches for the parts of one placed compound that a ray, a point or a plane may meet. All parts that do not are far
// from it by more than rounding explains, so that asking them as well would not change an answer.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <whisker/ray.hpp>

#include "geometry/constants.hpp"
#include "mesh/cull_frame.hpp"
#include "queries/part_walk.hpp"

namespace whisker::queries {

/// Calls `visit(index)` for the parts of a compound, the unbounded ones first, then those whose boxes `nearness` and
/// `wanted` of BoxTree::visit_nearest accept, until it returns true. Returns the number of boxes tested.
template <class Nearness, class Wanted, class Visit>
std::size_t visit_parts(const CompoundStorage& compound, const Nearness& nearness, const Wanted& wanted,
                        const Visit& visit) {
  for (const std::uint32_t index : compound.unbounded)
    if (visit(index)) return 0;
  if (compound.bounded.empty()) return 0;
  return compound.tree.visit_nearest(
      nearness, wanted, [&](const trees::BoxTree::Node& leaf) { return visit(compound.bounded[leaf.first]); });
}

/// A placed compound seen by something else in the world.
struct CompoundView {
  const CompoundStorage& compound;
  mesh::CullFrame frame;

  CompoundView(const CompoundStorage& storage, const Pose& pose) : compound(storage), frame(pose), pose_(pose) {}

  Vector3 in_frame(const Vector3& point) const { return frame.inverse * (point - frame.origin); }
  /// How much the boxes of the parts must grow to contain the parts of the world next to in_frame(point), or next to
  /// points on a line through it that are on a part.
  double error(const Vector3& point) const {
    // Along a line from the point to a part, the direction in the frame, which is off by some roundings, adds as much
    // as the point itself.
    return part_box_error(compound, pose_) + 4 * frame.error(compound.reach + point.cwiseAbs().maxCoeff(), pose_);
  }

 private:
  const Pose& pose_;
};

/// A ray in the frame of a placed compound.
class RayView : public CompoundView {
 public:
  RayView(const CompoundStorage& storage, const Pose& pose, const Ray& ray, const RayRange& range)
      : CompoundView(storage, pose),
        origin_(in_frame(ray.origin)),
        error_(CompoundView::error(ray.origin)),
        range_(range) {
    const Vector3 direction = frame.inverse * ray.direction;
    const double largest = direction.cwiseAbs().maxCoeff();
    // Parameters on a line that hardly moves exceed what doubles can express. All parts are looked at then.
    is_usable_ = (largest == 0 || largest > 0x1p-600) && range.lower < infinity;
    for (int k = 0; k < 3; ++k) {
      // A smaller component is nothing but rounding, and the line moves along this axis by less than the error.
      const bool moves = std::abs(direction[k]) > 0x1p-52 * largest;
      inverse_[k] = moves ? 1 / direction[k] : 0;
    }
  }

  /// A lower bound on the parameters at which the ray hits parts in this box. Infinite if it misses them.
  double nearness(const Aabb& box) const {
    if (!is_usable_) return -infinity;
    double enter = range_.lower, leave = range_.upper;
    for (int k = 0; k < 3; ++k) {
      const double low = box.lower[k] - error_ - origin_[k], high = box.upper[k] + error_ - origin_[k];
      if (inverse_[k] == 0) {
        if (low > 0 || high < 0) return infinity;
        continue;
      }
      const double t = low * inverse_[k], u = high * inverse_[k];
      const double first = std::min(t, u), last = std::max(t, u);
      enter = std::max(enter, first - std::abs(first) * 0x1p-50);
      leave = std::min(leave, last + std::abs(last) * 0x1p-50);
    }
    return enter <= leave ? enter : infinity;
  }
  static bool may_hit(double nearness) { return nearness < infinity; }

 private:
  Vector3 origin_;
  Vector3 inverse_;  // 1 / direction; 0 where the ray does not move along the axis
  double error_;
  RayRange range_;
  bool is_usable_;
};

/// Calls `visit(index)` for the parts that a ray may hit, nearest first, until it returns true.
template <class Visit>
void visit_parts_on_ray(const Placed& placed, const Ray& ray, const RayRange& range, const Visit& visit) {
  const RayView view(storage_of(*placed.shape.as<Compound>()), placed.pose, ray, range);
  visit_parts(
      view.compound, [&](const Aabb& box) { return view.nearness(box); }, &RayView::may_hit, visit);
}

/// Calls `visit(index)` for the parts in which a point may be, until it returns true. Returns whether it did.
template <class Visit>
bool any_part_at(const Placed& placed, const Vector3& point, const Visit& visit) {
  const CompoundStorage& compound = storage_of(*placed.shape.as<Compound>());
  for (const std::uint32_t index : compound.unbounded)
    if (visit(index)) return true;
  if (compound.bounded.empty()) return false;
  const CompoundView view(compound, placed.pose);
  const Vector3 at = view.in_frame(point);
  Aabb around{at, at};
  mesh::grow(around, view.error(point));
  bool found = false;
  compound.tree.visit_overlapping(around, [&](const trees::BoxTree::Node& leaf) {
    found = trees::may_overlap(leaf.box, around) && visit(compound.bounded[leaf.first]);
    return found;
  });
  return found;
}

}  // namespace whisker::queries
