#include "mesh/separating_translation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Geometry>

#include "geometry/constants.hpp"
#include "geometry/unit_vector.hpp"

namespace whisker::mesh {
namespace {

/// Fractions of the best length that are tried along a direction: two hollow bodies may be apart in between.
constexpr std::array<double, 5> parts_of_best = {0.97, 0.75, 0.5, 0.3, 0.12};
constexpr int halvings = 7;  // between a length that separates and one that does not
constexpr int spread_directions = 512;
constexpr int fine_halvings = 20;  // at the end
constexpr int descent_steps = 14;  // from one translation
constexpr std::size_t max_planes = 10;
/// A descent ends when a step gains less than this fraction of the length.
constexpr double min_gain = 1e-6;

/// The half-space of all t with normal · t >= offset.
struct ContactPlane {
  Vector3 normal;
  double offset;
};

/// Finds the shortest vector that satisfies all planes. It is the shortest vector that meets some one, two or three of
/// them exactly, or the zero vector, so all such vectors are tried. The lengths are about 1. Returns false if there is
/// none.
bool shortest_within(std::span<const ContactPlane> planes, Vector3& shortest) {
  double best = infinity;
  const auto consider = [&](const Vector3& t) {
    if (!t.allFinite()) return;
    const double length = t.norm();
    if (!(length < best)) return;
    for (const ContactPlane& plane : planes)
      if (plane.normal.dot(t) < plane.offset - 1e-9) return;
    best = length;
    shortest = t;
  };
  consider(Vector3::Zero());
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const Vector3& n = planes[i].normal;
    consider(planes[i].offset * n);
    for (std::size_t j = 0; j < i; ++j) {
      const Vector3& m = planes[j].normal;
      const double between = n.dot(m);
      const double square = 1 - between * between;
      if (square < 1e-9) continue;
      const double x = (planes[i].offset - between * planes[j].offset) / square;
      const double y = (planes[j].offset - between * planes[i].offset) / square;
      consider(x * n + y * m);
      for (std::size_t k = 0; k < j; ++k) {
        const Vector3& l = planes[k].normal;
        const double volume = n.dot(m.cross(l));
        if (std::abs(volume) < 1e-7) continue;
        consider((planes[i].offset * m.cross(l) + planes[j].offset * l.cross(n) + planes[k].offset * n.cross(m)) /
                 volume);
      }
    }
  }
  return best < infinity;
}

class SeparationSearch {
 public:
  SeparationSearch(const DepthBody& a, const DepthBody& b, double tolerance, std::uint64_t budget, Depth& best,
                   Cost& cost)
      : a_(a), b_(b), tolerance_(tolerance), budget_(budget), best_(best), cost_(cost) {}

  void run(std::span<const Vector3> directions) {
    for (const Vector3& direction : directions) {
      if (done()) break;
      try_direction(direction, parts_of_best.size());
    }
    look_all_over();
    look_around();
    certify();
  }

 private:
  bool spent() const { return cost_.volume_tests + cost_.primitive_tests - begin_ >= budget_; }
  bool done() const { return spent() || length_ - best_.lower <= std::max(tolerance_, min_gain * length_); }

  bool parts(const Vector3& by) {
    if (b_.is_mesh()) return !touches_mesh_mesh(a_.mesh(), {b_.mesh().mesh, b_.moved_pose(by)}, nullptr, cost_);
    return !touches_mesh_simple(a_.mesh(), b_.moved_simple(by), nullptr, cost_);
  }

  /// The distance of the moved b from a. Distances above `most` do not matter.
  Distance gap(const Vector3& by, double most = infinity) { return moved_distance(a_, b_, by, most, cost_); }

  /// Records a translation that separates the two.
  void keep(const Vector3& by) {
    const double length = by.stableNorm();
    if (!(length < length_)) return;
    length_ = length;
    by_ = by;
    found_ = true;
  }

  bool try_direction(const Vector3& direction, std::size_t parts_tried) {
    for (std::size_t i = 0; i < parts_tried; ++i) {
      double long_enough = length_ * parts_of_best[i];
      if (!(long_enough > best_.lower) || spent()) return false;
      if (!parts(long_enough * direction)) continue;
      double too_short = std::max(best_.lower, i + 1 < parts_of_best.size() ? length_ * parts_of_best[i + 1] : 0.0);
      for (int k = 0; k < halvings && !spent(); ++k) {
        const double middle = too_short + (long_enough - too_short) / 2;
        (parts(middle * direction) ? long_enough : too_short) = middle;
      }
      keep(long_enough * direction);
      descend(long_enough * direction);
      return true;
    }
    return false;
  }

  /// Goes from a translation that separates the two to shorter ones nearby.
  void descend(Vector3 by) {
    planes_.clear();
    for (int step = 0; step < descent_steps && !done(); ++step) {
      const Distance apart = gap(by);
      if (!(apart.upper > 0) || apart.normal.isZero(0)) return;
      const double unit = by.stableNorm();
      if (!(unit > 0)) return;
      if (planes_.size() == max_planes) planes_.erase(planes_.begin());
      planes_.push_back({apart.normal, apart.normal.dot(by) - apart.upper});
      scaled_ = planes_;
      for (ContactPlane& plane : scaled_)
        plane.offset /= unit;
      Vector3 shortest;
      if (!shortest_within(scaled_, shortest)) {
        const ContactPlane last = planes_.back();
        planes_.assign(1, last);
        shortest = std::max(last.offset, 0.0) / unit * last.normal;
      }
      Vector3 next = shortest * (unit * (1 + 0x1p-40));
      if (next.stableNorm() < best_.lower)
        next = geometry::unit_vector(shortest.isZero(0) ? by : shortest) * best_.lower;
      if (!(next.stableNorm() < unit * (1 - min_gain))) return;
      if (parts(next)) {
        by = next;
        planes_.clear();
      } else {
        double long_enough = 1, too_short = 0;
        for (int k = 0; k < halvings; ++k) {
          const double middle = too_short + (long_enough - too_short) / 2;
          (parts(next + middle * (by - next)) ? long_enough : too_short) = middle;
        }
        if (long_enough == 1) {
          // Blocked at once: try again a few times, then give up.
          if (stuck_++ > 2) return;
        } else {
          by = next + long_enough * (by - next);
        }
      }
      keep(by);
    }
  }

  /// Tries directions spread evenly over the sphere: a spiral with golden-angle turns (Swinbank and Purser 2006).
  void look_all_over() {
    constexpr double turn_cos = -0.73736887807831979, turn_sin = 0.67549029426152364;  // cosine and sine of π (3 - √5)
    double x = 1, y = 0;
    for (int i = 0; i < spread_directions && !done(); ++i) {
      const double z = 1 - (2 * i + 1) / static_cast<double>(spread_directions);
      const double r = std::sqrt(1 - z * z);
      try_direction(geometry::unit_vector({r * x, r * y, z}), parts_of_best.size());
      const double turned = turn_cos * x - turn_sin * y;
      y = turn_sin * x + turn_cos * y;
      x = turned;
    }
  }

  /// Tries directions around the best one, closer and closer to it.
  void look_around() {
    constexpr std::array<double, 4> turns = {0.6, 0.3, 0.12, 0.05};  // tangents of angles
    constexpr int restarts = 6;
    int restart = 0;
    for (std::size_t turn = 0; turn < turns.size() && !done(); ++turn) {
      const Vector3 along = found_ ? geometry::unit_vector(by_) : best_.normal;
      const Vector3 x = geometry::perpendicular(along);
      const Vector3 y = along.cross(x);
      bool better = false;
      for (int k = 0; k < 8 && !better && !done(); ++k) {
        constexpr double diagonal = 0.70710678118654752;
        constexpr std::array<double, 8> cosines = {1, diagonal, 0, -diagonal, -1, -diagonal, 0, diagonal};
        const double c = cosines[static_cast<std::size_t>(k)], s = cosines[static_cast<std::size_t>((k + 6) % 8)];
        better = try_direction(geometry::unit_vector(along + turns[turn] * (c * x + s * y)), 1);
      }
      if (better && restart++ < restarts) turn = static_cast<std::size_t>(-1);
    }
  }

  /// Shortens the best translation, without changing its direction, until the two almost touch.
  void close_up(const Vector3& direction) {
    const Distance apart = gap(length_ * direction);
    const double along = std::max(apart.normal.dot(direction), 0x1p-10);
    double too_short = std::max(best_.lower, length_ - apart.upper / along * (1 + 0x1p-20));
    for (int k = 0; k < fine_halvings && too_short < length_; ++k) {
      const double middle = too_short + (length_ - too_short) / 2;
      (parts(middle * direction) ? length_ : too_short) = middle;
    }
  }

  /// Turns the best translation into a bound that holds for the bodies moved by exactly direction * upper: after it
  /// they are apart by more than all rounding errors.
  void certify() {
    if (!found_) return;
    const Vector3 direction = geometry::unit_vector(by_);
    close_up(direction);
    // Moving the pose rounds it, and rounds every corner once more. The direction and the length are rounded too.
    const double rounding = 0x1p-48 * (a_.magnitude() + b_.magnitude() + length_) + std::numeric_limits<double>::min();
    double push = 2 * rounding;
    for (int attempt = 0; attempt < 40; ++attempt, push *= 4) {
      const double length = length_ + push;
      const double upper = length * (1 + 0x1p-50);
      if (!(upper < best_.upper)) return;
      if (!parts(length * direction)) continue;
      const double least = gap(length * direction, 2 * rounding).lower;
      if (!(least > rounding)) continue;
      best_.upper = upper;
      best_.normal = direction;
      return;
    }
  }

  const DepthBody& a_;
  const DepthBody& b_;
  double tolerance_;
  std::uint64_t budget_;
  Depth& best_;
  Cost& cost_;
  std::uint64_t begin_ = cost_.volume_tests + cost_.primitive_tests;
  double length_ = best_.upper;  // of the best translation so far
  Vector3 by_ = Vector3::Zero();
  bool found_ = false;  // by_ is set and better than the initial best
  int stuck_ = 0;
  std::vector<ContactPlane> planes_, scaled_;
};

}  // namespace

void find_separating_translation(const DepthBody& a, const DepthBody& b, std::span<const Vector3> directions,
                                 double tolerance, std::uint64_t budget, Depth& best, Cost& cost) {
  SeparationSearch(a, b, tolerance, budget, best, cost).run(directions);
}

}  // namespace whisker::mesh
