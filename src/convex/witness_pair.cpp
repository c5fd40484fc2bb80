#include "convex/witness_pair.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "convex/flatness.hpp"
#include "convex/shared_middle.hpp"
#include "convex/support_face.hpp"
#include "geometry/place.hpp"
#include "geometry/unit_vector.hpp"

namespace whisker::convex {
namespace {

/// The step of difference quotients, in radians. Their error is about as large, and a step of Newton's method leaves
/// about that fraction of an angle.
constexpr double quotient_step = 0x1p-18;
/// No direction is turned farther than this, in radians.
constexpr double max_turn = 0.1;
constexpr int max_steps = 8;

/// A placed shape's farthest point, in the world.
Vector3 farthest(const Shape& shape, const Pose& pose, const Vector3& direction) {
  // The radii are world lengths, even if the rotation is slightly off.
  if (const auto* sphere = shape.as<Sphere>()) return pose.translation() + sphere->radius * direction;
  const Vector3 local = pose.rotation().transpose() * direction;
  if (const auto* capsule = shape.as<Capsule>()) {
    const Vector3 end(0, 0, std::copysign(capsule->length / 2, local.z()));
    return geometry::placed_point(pose, end) + capsule->radius * direction;
  }
  return geometry::placed_point(pose, shape.support(local));
}

class WitnessSearch {
 public:
  WitnessSearch(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double rounding)
      : a_(a), b_(b), pose_a_(pose_a), pose_b_(pose_b), rounding_(rounding) {}

  /// Finds the exact direction that `n` approximates. `n` may be off so far that heights are off by `within`.
  bool find_direction(Vector3& n, double within) const {
    const Flatness on_a = flat_along(a_, pose_a_, n, within), on_b = flat_along(b_, pose_b_, -n, within);
    const Vector3 start = n;
    bool found = true;
    if (on_a.dimension == 2) {
      n = face_normal(a_, pose_a_, n);
    } else if (on_b.dimension == 2) {
      n = -face_normal(b_, pose_b_, -n);
    } else if (on_a.dimension == 1 && on_b.dimension == 1 && meet(on_a, on_b, n)) {
      found = true;
    } else if (on_a.dimension == 1) {
      found = turn_about(on_a.axis, on_a.rise, n);
    } else if (on_b.dimension == 1) {
      found = turn_about(on_b.axis, -on_b.rise, n);
    } else {
      found = turn(n);
    }
    return found && !n.isZero(0) && (n - start).norm() <= max_turn;
  }

  /// The pair along an exact direction.
  std::optional<WitnessPair> pair_along(const Vector3& n) const {
    const Vector3 on_a = farthest(a_, pose_a_, n), on_b = farthest(b_, pose_b_, -n);
    const double length = n.dot(on_a - on_b);
    const Flatness flat_a = flat_along(a_, pose_a_, n, rounding_), flat_b = flat_along(b_, pose_b_, -n, rounding_);
    if (flat_a.dimension == 0 && flat_b.dimension == 0) {
      if (!((on_a - on_b - length * n).norm() <= rounding_)) return {};
      return WitnessPair{n, length, on_a, on_b};
    }
    if (flat_a.dimension == 0) {
      const Vector3 opposite = on_a - length * n;
      if (!farthest_holds(b_, pose_b_, -n, opposite, rounding_)) return {};
      return WitnessPair{n, length, on_a, opposite};
    }
    if (flat_b.dimension == 0) {
      const Vector3 opposite = on_b + length * n;
      if (!farthest_holds(a_, pose_a_, n, opposite, rounding_)) return {};
      return WitnessPair{n, length, opposite, on_b};
    }
    const bool crossing = flat_a.dimension == 1 && flat_b.dimension == 1 && !are_parallel(flat_a, flat_b);
    const auto found = crossing ? crossing_of_edges(a_, pose_a_, b_, pose_b_, n, rounding_)
                                : shared_middle(a_, pose_a_, b_, pose_b_, n, -length, {rounding_, rounding_});
    // If a hull is nearly flat there, a face other than the one with this edge may be slightly farther.
    if (!found || !(std::abs(n.dot(found->a - found->b) - length) <= rounding_)) return {};
    return WitnessPair{n, length, found->a, found->b};
  }

  /// If a line of one shape is nearly as far along n as a face of the other, but leans from it by more than rounding:
  /// the pair on that line and one of the face's edges.
  std::optional<WitnessPair> pair_on_edges(const Vector3& n, double within) const {
    const Flatness on_a = flat_along(a_, pose_a_, n, within), on_b = flat_along(b_, pose_b_, -n, within);
    const bool face_is_b = on_a.dimension == 1 && on_b.dimension == 2;
    if (!face_is_b && !(on_a.dimension == 2 && on_b.dimension == 1)) return {};
    const SupportFace face = face_is_b ? support_face(b_, pose_b_, -n, pose_b_.translation(), face_alignment)
                                       : support_face(a_, pose_a_, n, pose_a_.translation(), face_alignment);
    if (face.is_disc) return {};
    for (std::uint32_t i = 0; i < face.count; ++i) {
      Flatness edge;
      edge.along = face.corners[i + 1 < face.count ? i + 1 : 0] - face.corners[i];
      edge.axis = geometry::unit_vector(edge.along);
      Vector3 across = n;
      if (!meet(face_is_b ? on_a : edge, face_is_b ? edge : on_b, across)) continue;
      if (!((across - n).norm() <= max_turn)) continue;
      if (auto found = pair_along(across)) return found;
    }
    return {};
  }

 private:
  /// Whether two segments are parallel except for rounding.
  bool are_parallel(const Flatness& on_a, const Flatness& on_b) const {
    const double longer = std::max(on_a.along.norm(), on_b.along.norm());
    return on_a.along.cross(on_b.along).norm() <= rounding_ * longer;
  }

  /// The direction that two segments have in common: n · axis is given for both. Returns false if the axes are
  /// parallel.
  static bool meet(const Flatness& on_a, const Flatness& on_b, Vector3& n) {
    const Vector3 across = on_a.axis.cross(on_b.axis);
    const double square = across.squaredNorm();
    if (!(square > 0x1p-40)) return false;
    const double between = on_a.axis.dot(on_b.axis), rise_a = on_a.rise, rise_b = -on_b.rise;
    const Vector3 in_plane =
        ((rise_a - between * rise_b) * on_a.axis + (rise_b - between * rise_a) * on_b.axis) / square;
    // Lines on two round sides are parallel only at one place. There the root is a double root.
    const double left = 1 - in_plane.squaredNorm();
    if (left < -0x1p-20) return false;
    const double out = left > 0x1p-40 ? std::sqrt(left / square) : 0;
    n = geometry::unit_vector(in_plane + across * (n.dot(across) < 0 ? -out : out));
    return true;
  }

  Vector3 between(const Vector3& n) const { return farthest(a_, pose_a_, n) - farthest(b_, pose_b_, -n); }

  /// Turns n about an axis, with a fixed component `rise` along it, to where the separating translation is shortest.
  bool turn_about(const Vector3& axis, double rise, Vector3& n) const {
    const Vector3 out = geometry::unit_vector(n - axis * axis.dot(n));
    if (out.isZero(0)) return false;
    const Vector3 side = axis.cross(out);
    const double across = std::sqrt(std::max(0.0, (1 - rise) * (1 + rise)));
    // The derivative of the length with respect to the angle.
    double angle = 0;
    const auto slope = [&](double at) {
      const Vector3 tangent = side * std::cos(at) - out * std::sin(at);
      n = axis * rise + (out * std::cos(at) + side * std::sin(at)) * across;
      return tangent.dot(between(n));
    };
    for (int step = 0; step < max_steps; ++step) {
      const double rising = (slope(angle + quotient_step) - slope(angle - quotient_step)) / (2 * quotient_step);
      const double off = slope(angle);  // evaluated last, so that n stays there
      if (std::abs(off) <= rounding_ / 2) return true;
      if (!(rising > 0)) return false;
      angle -= off / rising;
      if (!(std::abs(angle) <= max_turn)) return false;
    }
    return std::abs(slope(angle)) <= rounding_;
  }

  /// Turns n to where the separating translation is shortest, for two shapes that are round there.
  bool turn(Vector3& n) const {
    for (int step = 0; step < max_steps; ++step) {
      int least = 0;
      n.cwiseAbs().minCoeff(&least);
      const Vector3 x = geometry::unit_vector(n.cross(Vector3::Unit(least))), y = n.cross(x);
      const auto off_at = [&](const Vector3& to) {
        const Vector3 d = between(geometry::unit_vector(n + to));
        // Perpendicular to the direction itself.
        return Eigen::Vector2d((x - n * to.dot(x)).dot(d), (y - n * to.dot(y)).dot(d));
      };
      const Eigen::Vector2d off = off_at(Vector3::Zero());
      if (off.norm() <= rounding_ / 2) return true;
      Eigen::Matrix2d rising;
      rising.col(0) = (off_at(quotient_step * x) - off_at(-quotient_step * x)) / (2 * quotient_step);
      rising.col(1) = (off_at(quotient_step * y) - off_at(-quotient_step * y)) / (2 * quotient_step);
      const double whole = rising.determinant();
      if (!(rising.trace() > 0) || !(whole > 0x1p-40 * rising.squaredNorm())) return false;
      const Eigen::Vector2d by((rising(1, 1) * off[0] - rising(0, 1) * off[1]) / whole,
                               (rising(0, 0) * off[1] - rising(1, 0) * off[0]) / whole);
      if (!(by.norm() <= max_turn)) return false;
      n = geometry::unit_vector(n - by[0] * x - by[1] * y);
    }
    return true;  // whether it is a pair is checked later
  }

  const Shape& a_;
  const Shape& b_;
  const Pose& pose_a_;
  const Pose& pose_b_;
  double rounding_;
};

}  // namespace

std::optional<WitnessPair> find_witness_pair(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                             const Vector3& direction, double turned, double rounding) {
  const WitnessSearch search(a, pose_a, b, pose_b, rounding);
  Vector3 n = direction;
  const double within = turned * (reach_of(a) + reach_of(b)) + rounding;
  if (search.find_direction(n, within)) {
    if (auto found = search.pair_along(n)) return found;
  }
  return search.pair_on_edges(direction, within);
}

}  // namespace whisker::convex
