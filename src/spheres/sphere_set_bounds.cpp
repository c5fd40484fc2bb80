#include "spheres/sphere_set_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/unit_vector.hpp"
#include "mesh/cull_frame.hpp"

namespace whisker::spheres {
namespace {

double largest(const Vector3& v) {
  return v.cwiseAbs().maxCoeff();
}

/// All bounds below carry about thirty rounding errors of numbers no larger than three times the sum of the sizes: less
/// than 128 half-ulps of that sum.
constexpr double rounding = 0x1p-46;

}  // namespace

GapBounds::GapBounds(const Shape& shape, const Pose& pose) : origin_(pose.translation()) {
  if (const auto* sphere = shape.as<Sphere>()) {
    kind_ = Kind::rounded_segment;
    radius_ = sphere->radius;
  } else if (const auto* capsule = shape.as<Capsule>()) {
    kind_ = Kind::rounded_segment;
    half_ = pose.rotation().col(2) * (capsule->length / 2);
    radius_ = capsule->radius;
  } else if (const auto* box = shape.as<Box>()) {
    const mesh::CullFrame frame(pose);
    inverse_ = frame.inverse;
    stretch_ = frame.stretch;
    half_ = box->size / 2;
  } else if (const bool is_plane = shape.as<Plane>() != nullptr; is_plane || shape.as<HalfSpace>() != nullptr) {
    kind_ = is_plane ? Kind::plane : Kind::half_space;
    const convex::SimpleShape flat = convex::place_simple(shape, pose);
    normal_ = geometry::unit_vector(flat.normal);
    origin_ = flat.pose.translation();
    offset_ = flat.offset / flat.normal.stableNorm();
  } else {
    const Aabb bounds = shape.bounds(pose);
    if (bounds.lower.allFinite() && bounds.upper.allFinite()) {
      origin_ = bounds.lower / 2 + bounds.upper / 2;
      half_ = bounds.upper / 2 - bounds.lower / 2;
    } else {
      // A compound with an unbounded part: no sphere is culled.
      half_ = Vector3::Constant(1e100);
    }
  }
  size_ = largest(origin_) + largest(half_) + std::abs(offset_) + radius_;
}

void GapBounds::gaps(const double* x, const double* y, const double* z, std::size_t count, double coordinate,
                     double* gaps) const {
  const double error = rounding * (size_ + coordinate) + 0x1p-500;
  switch (kind_) {
    case Kind::rounded_segment: {
      const double length2 = half_.squaredNorm();
      const double share = length2 > 1e-200 ? 1 / length2 : 0;
      const double short_of = share == 0 ? half_.cwiseAbs().sum() : 0;  // too short to be squared: treated as a point
      for (std::size_t i = 0; i < count; ++i) {
        const double dx = x[i] - origin_[0], dy = y[i] - origin_[1], dz = z[i] - origin_[2];
        const double along = (dx * half_[0] + dy * half_[1] + dz * half_[2]) * share;
        const double s = std::min(std::max(along, -1.0), 1.0);
        const double gx = dx - s * half_[0], gy = dy - s * half_[1], gz = dz - s * half_[2];
        gaps[i] = std::sqrt(gx * gx + gy * gy + gz * gz) * (1 - 0x1p-40) - (radius_ + short_of + error);
      }
      return;
    }
    case Kind::box: {
      const Matrix3& m = inverse_;
      const double shrink = stretch_ * (1 - 0x1p-48);
      for (std::size_t i = 0; i < count; ++i) {
        const double dx = x[i] - origin_[0], dy = y[i] - origin_[1], dz = z[i] - origin_[2];
        const double gx = std::max(std::abs(m(0, 0) * dx + m(0, 1) * dy + m(0, 2) * dz) - half_[0], 0.0);
        const double gy = std::max(std::abs(m(1, 0) * dx + m(1, 1) * dy + m(1, 2) * dz) - half_[1], 0.0);
        const double gz = std::max(std::abs(m(2, 0) * dx + m(2, 1) * dy + m(2, 2) * dz) - half_[2], 0.0);
        gaps[i] = std::sqrt(gx * gx + gy * gy + gz * gz) * shrink - 2 * error;
      }
      return;
    }
    case Kind::half_space:
    case Kind::plane:
      for (std::size_t i = 0; i < count; ++i) {
        const double height =
            (x[i] - origin_[0]) * normal_[0] + (y[i] - origin_[1]) * normal_[1] + (z[i] - origin_[2]) * normal_[2];
        const double above = height - offset_;
        gaps[i] = (kind_ == Kind::plane ? std::abs(above) : above) - error;
      }
      return;
  }
}

double GapBounds::gap(const Vector3& point) const {
  double result = 0;
  gaps(&point[0], &point[1], &point[2], 1, largest(point), &result);
  return result;
}

Members members_within(const GapBounds& bounds, const PlacedGroup& group, double limit) {
  double gaps[PlacedGroup::size];
  bounds.gaps(group, gaps);
  Members within = 0;
  for (std::size_t i = 0; i < group.count; ++i) {
    const double reach = (limit + group.radii[i]) * (1 + 0x1p-48);
    within |= static_cast<Members>(!(gaps[i] > reach)) << i;
  }
  return within;
}

}  // namespace whisker::spheres
