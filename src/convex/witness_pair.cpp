#include "convex/witness_pair.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "convex/flatness.hpp"
#include "convex/shared_middle.hpp"
#include "convex/support_face.hpp"
#include "geometry/place.hpp"
#include "geometry/unit_vector.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::convex {
namespace {

/// The step of difference quotients, in radians. Their error is about as large, and a step of Newton's method leaves
/// about that fraction of an angle.
constexpr double quotient_step = 0x1p-18;
/// No direction is turned farther than this, in radians.
constexpr double max_turn = 0.1;
constexpr int max_steps = 8;

/// A placed shape's farthest point, in the world.
Vector3 farthest(const Placed& placed, const Vector3& direction) {
  const Pose& pose = placed.pose;
  if (const shapes::RoundedData* const rounded = shapes::rounded_data(placed.shape))
    return farthest({rounded->inner, pose}, direction) + rounded->radius * direction;
  // The radii are world lengths, even if the rotation is slightly off.
  if (const auto* sphere = placed.shape.as<Sphere>()) return pose.translation() + sphere->radius * direction;
  const Vector3 local = pose.rotation().transpose() * direction;
  if (const auto* capsule = placed.shape.as<Capsule>()) {
    const Vector3 end(0, 0, std::copysign(capsule->length / 2, local.z()));
    return geometry::placed_point(pose, end) + capsule->radius * direction;
  }
  return geometry::placed_point(pose, placed.shape.support(local));
}

class WitnessSearch {
 public:
  WitnessSearch(const Placed& a, const Placed& b, double rounding) : a_(a), b_(b), rounding_(rounding) {}

  /// Finds the exact direction that `start` approximates, and the pair along it. `start` may be off so far that heights
  /// are off by `within`.
  std::optional<WitnessPair> pair_near(const Vector3& start, double within) const {
    const Flatness on_a = flat_along(a_, start, within), on_b = flat_along(b_, -start, within);
    if (on_a.dimension == 1 && on_b.dimension == 1) return pair_on_lines(start, on_a, on_b);
    Vector3 n = start;
    bool found = true;
    if (on_a.dimension == 2) {
      n = face_normal(a_, n);
    } else if (on_b.dimension == 2) {
      n = -face_normal(b_, -n);
    } else if (on_a.dimension == 1) {
      found = turn_about(on_a.axis, on_a.rise, n);
    } else if (on_b.dimension == 1) {
      found = turn_about(on_b.axis, -on_b.rise, n);
    } else {
      found = turn(n);
    }
    return found ? pair_close_to(start, n) : std::nullopt;
  }

  /// The pair along an exact direction.
  std::optional<WitnessPair> pair_along(const Vector3& n) const {
    const Vector3 on_a = farthest(a_, n), on_b = farthest(b_, -n);
    const double length = n.dot(on_a - on_b);
    const Flatness flat_a = flat_along(a_, n, rounding_), flat_b = flat_along(b_, -n, rounding_);
    if (flat_a.dimension == 0 && flat_b.dimension == 0) {
      if (!((on_a - on_b - length * n).norm() <= rounding_)) return {};
      return WitnessPair{n, length, on_a, on_b};
    }
    if (flat_a.dimension == 0) {
      const Vector3 opposite = on_a - length * n;
      if (!farthest_holds(b_, -n, opposite, rounding_)) return {};
      return WitnessPair{n, length, on_a, opposite};
    }
    if (flat_b.dimension == 0) {
      const Vector3 opposite = on_b + length * n;
      if (!farthest_holds(a_, n, opposite, rounding_)) return {};
      return WitnessPair{n, length, opposite, on_b};
    }
    const bool crossing = flat_a.dimension == 1 && flat_b.dimension == 1 && !are_parallel(flat_a, flat_b);
    const auto found =
        crossing ? crossing_of_edges(a_, b_, n, rounding_) : shared_middle(a_, b_, n, -length, {rounding_, rounding_});
    // If a hull is nearly flat there, a face other than the one with this edge may be slightly farther.
    if (!found || !(std::abs(n.dot(found->a - found->b) - length) <= rounding_)) return {};
    return WitnessPair{n, length, found->a, found->b};
  }

  /// If a line of one shape is nearly as far along n as a face of the other, but leans from it by more than rounding:
  /// the pair on that line and one of the face's edges.
  std::optional<WitnessPair> pair_on_edges(const Vector3& n, double within) const {
    const Flatness on_a = flat_along(a_, n, within), on_b = flat_along(b_, -n, within);
    const bool face_is_b = on_a.dimension == 1 && on_b.dimension == 2;
    if (!face_is_b && !(on_a.dimension == 2 && on_b.dimension == 1)) return {};
    const SupportFace face = face_is_b ? support_face(b_, -n, b_.pose.translation(), face_alignment)
                                       : support_face(a_, n, a_.pose.translation(), face_alignment);
    if (face.is_disc) return {};
    for (std::uint32_t i = 0; i < face.count; ++i) {
      Flatness edge;
      edge.along = face.edge(i);
      edge.axis = geometry::unit_vector(edge.along);
      Vector3 across = n;
      if (!meet(face_is_b ? on_a : edge, face_is_b ? edge : on_b, across)) continue;
      if (!((across - n).norm() <= max_turn)) continue;
      if (auto found = pair_along(across)) return found;
    }
    return {};
  }

 private:
  std::optional<WitnessPair> pair_close_to(const Vector3& start, const Vector3& n) const {
    if (n.isZero(0) || !((n - start).norm() <= max_turn)) return {};
    return pair_along(n);
  }

  std::optional<WitnessPair> pair_on_lines(const Vector3& start, const Flatness& on_a, const Flatness& on_b) const {
    Vector3 n = start;
    if (may_be_parallel(on_a, on_b) && line_up(on_a, on_b, n)) {
      if (auto found = pair_close_to(start, n)) return found;
    }
    n = start;
    if (meet(on_a, on_b, n)) return pair_close_to(start, n);
    // Unless the axes are parallel, only one of the lines is perpendicular to the direction.
    if (turn_about(on_a.axis, on_a.rise, n)) {
      if (auto found = pair_close_to(start, n)) return found;
    }
    n = start;
    return turn_about(on_b.axis, -on_b.rise, n) ? pair_close_to(start, n) : std::nullopt;
  }

  /// Whether two segments are parallel except for rounding.
  bool are_parallel(const Flatness& on_a, const Flatness& on_b) const {
    const double longer = std::max(on_a.along.norm(), on_b.along.norm());
    return on_a.along.cross(on_b.along).norm() <= rounding_ * longer;
  }

  /// The directions for which a line of a is farthest, and those for b: two circles on the unit sphere.
  struct Circles {
    Vector3 across;       // perpendicular to both axes
    double sine, cosine;  // of the angle between the axes
    double out_a, out_b;  // the radii
    double ahead;         // n's component in the plane of the axes, perpendicular to a's, times the sine
    double overlap;       // 0 if the circles touch: there the lines are parallel. Negative if they do not meet.

    Circles(const Flatness& on_a, const Flatness& on_b)
        : across(on_a.axis.cross(on_b.axis)),
          sine(across.norm()),
          cosine(on_a.axis.dot(on_b.axis)),
          out_a(std::sqrt(std::max(0.0, (1 - on_a.rise) * (1 + on_a.rise)))),
          out_b(std::sqrt(std::max(0.0, (1 - on_b.rise) * (1 + on_b.rise)))),
          ahead(-on_b.rise - cosine * on_a.rise),
          overlap(out_a * sine - std::abs(ahead)) {}
  };

  /// Whether lines of the two shapes, of which at least one is on a cone, are parallel if n is perpendicular to both.
  bool may_be_parallel(const Flatness& on_a, const Flatness& on_b) const {
    if (on_a.rise == 0 && on_b.rise == 0) return false;
    const Circles circles(on_a, on_b);
    const double shorter = std::min(on_a.along.norm(), on_b.along.norm());
    return std::abs(circles.overlap) * shorter <= 16 * rounding_ * std::min(circles.out_a, circles.out_b);
  }

  /// The direction that two segments have in common: n · axis is given for both. Returns false if there is none, or if
  /// the axes are parallel.
  static bool meet(const Flatness& on_a, const Flatness& on_b, Vector3& n) {
    const Circles circles(on_a, on_b);
    if (!(circles.sine > 0x1p-20) || !(circles.overlap > 0)) return false;
    const Vector3 beside = circles.across / circles.sine;
    const double ahead = circles.ahead / circles.sine;
    // out_a² - ahead², without cancellation.
    const double square = (circles.out_a + std::abs(ahead)) * (circles.overlap / circles.sine);
    n = geometry::unit_vector(on_a.axis * on_a.rise + beside.cross(on_a.axis) * ahead +
                              beside * std::copysign(std::sqrt(square), n.dot(beside)));
    return true;
  }

  /// Turns n to where parallel lines, of which at least one is on a cone, lie one behind the other. Where their circles
  /// touch, the axes give n only to the root of rounding; where the lines are gives it up to rounding. The shortest
  /// length would not do: the two ends of a line are as far along n, and if an apex is taken, it stays when n turns.
  bool line_up(const Flatness& on_a, const Flatness& on_b, Vector3& n) const {
    const bool is_a = on_a.rise >= on_b.rise;  // the cone that opens more
    const Placed &cone = is_a ? a_ : b_, &other = is_a ? b_ : a_;
    const Flatness &on_cone = is_a ? on_a : on_b, &on_other = is_a ? on_b : on_a;
    // From b's line to a's, at the rim of that cone. There the lines move apart whenever n turns.
    const auto apart = [&](const Vector3& at) {
      const Vector3 out = is_a ? at : Vector3(-at);
      const Vector3 from = farthest(other, -out);
      const Vector3 way = farthest(cone, out - on_cone.axis / 16) - from;
      const Vector3 along = on_other.axis + on_other.rise * out;
      const Vector3 beside = way - along * (along.dot(way) / along.squaredNorm());
      return is_a ? beside : Vector3(-beside);
    };
    // The longer line is made perpendicular to n, because the other one leans less far.
    return on_a.along.squaredNorm() >= on_b.along.squaredNorm() ? turn_about(on_a.axis, on_a.rise, n, apart)
                                                                : turn_about(on_b.axis, -on_b.rise, n, apart);
  }

  Vector3 between(const Vector3& n) const { return farthest(a_, n) - farthest(b_, -n); }

  /// Turns n about an axis, with a fixed component `rise` along it, to where the separating translation is shortest.
  bool turn_about(const Vector3& axis, double rise, Vector3& n) const {
    return turn_about(axis, rise, n, [this](const Vector3& at) { return between(at); });
  }
  /// The same for points of a and b that differ by `apart(n)`: to where they lie one behind the other.
  template <class Apart>
  bool turn_about(const Vector3& axis, double rise, Vector3& n, const Apart& apart) const {
    const Vector3 out = geometry::unit_vector(n - axis * axis.dot(n));
    if (out.isZero(0)) return false;
    const Vector3 side = axis.cross(out);
    const double across = std::sqrt(std::max(0.0, (1 - rise) * (1 + rise)));
    // The derivative of the length with respect to the angle.
    double angle = 0;
    const auto slope = [&](double at) {
      const Vector3 tangent = side * std::cos(at) - out * std::sin(at);
      n = axis * rise + (out * std::cos(at) + side * std::sin(at)) * across;
      return tangent.dot(apart(n));
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
      const Vector3 x = geometry::perpendicular(n), y = n.cross(x);
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

  const Placed& a_;
  const Placed& b_;
  double rounding_;
};

}  // namespace

std::optional<WitnessPair> find_witness_pair(const Placed& a, const Placed& b, const Vector3& direction, double turned,
                                             double rounding) {
  const WitnessSearch search(a, b, rounding);
  const double within = turned * (reach_of(a.shape) + reach_of(b.shape)) + rounding;
  if (auto found = search.pair_near(direction, within)) return found;
  return search.pair_on_edges(direction, within);
}

}  // namespace whisker::convex
