#pragma once

// The ray cast of translation_cast.hpp as a loop, for doubles and for double-doubles.
//
// It is a GJK whose point x, from which distances are measured, moves along the ray. Each support plane that separates
// x from the Minkowski difference tells when the ray crosses the plane, and x is moved there at once. Such a plane is
// valid wherever x is, so every support found gives times at which the bodies are proven to be apart. So the result
// depends neither on the simplex nor on whether the loop converged.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "convex/convex_frame.hpp"
#include "convex/gjk.hpp"

namespace whisker::motion {

using convex::Numbers;
using convex::Simplex;
using convex::SupportPoint;
using convex::to_double;
using convex::Vec3;
using geometry::DoubleDouble;
using geometry::Vector3dd;

/// A quotient minus, or plus, its rounding error: not above, or not below, the exact quotient.
inline double below(double q) {
  return q - std::abs(q) * 0x1p-51;
}
inline DoubleDouble below(DoubleDouble q) {
  return q - geometry::abs(q) * 0x1p-98;
}
inline double above(double q) {
  return q + std::abs(q) * 0x1p-51;
}
inline DoubleDouble above(DoubleDouble q) {
  return q + geometry::abs(q) * 0x1p-98;
}
inline double round_down(double x) {
  return x;
}
inline double round_up(double x) {
  return x;
}
using geometry::round_down;
using geometry::round_up;

/// How far the numbers of a Minkowski difference of cores, in some frame, may be off.
template <class V>
struct CastErrors {
  typename Numbers<V>::Real radius = 0.0;  ///< around the difference of the cores
  double plane = 0;        ///< how much farther the difference may reach than a support says, radius included
  double point = 0;        ///< how far a mean of supports may be off
  double size = 0;         ///< no support vector is longer
  bool is_custom = false;  ///< supports come from a user's function, which may contradict itself
};

/// The path x(t) = origin + t along, for t from 0 to 1.
template <class V>
struct CastRay {
  V origin{};
  V along{};
  double length = 0;  ///< of `along`, or slightly more
  double error = 0;   ///< of `along`, and of its products with unit vectors
};

enum class CastEnd : std::uint8_t { apart, near, inside, converged, stalled, budget, limit };

/// `Source` has `SupportPoint<V> support(const V& direction)`: the support of a along the direction and of b against
/// it.
template <class V, class Source>
class RayCast {
 public:
  using Real = typename Numbers<V>::Real;
  static constexpr int max_supports = 250;
  /// How many blended directions (see below) may be useless before they are given up.
  static constexpr int max_useless = 2;

  RayCast(Source& source, const CastErrors<V>& errors, const CastRay<V>& ray)
      : source_(source), errors_(errors), ray_(ray), x_(ray.origin) {}

  /// Called before `run`, for up to three directions whose supports the search starts with.
  void prime(const V& direction) {
    const SupportPoint<V> point = support(direction);
    if (simplex_.count < 3 && !is_known(point)) insert(point, direction);
  }

  /// `start`: the first direction, not zero, if nothing was primed. `is_curved`: whether a body has a curved border.
  CastEnd run(const V& start, int budget, bool is_curved) {
    v_ = start;
    const int most = std::min(budget, max_supports);
    bool blend = false;
    int useless = 0;
    // Nearer than this, a blended direction is as good as the numbers allow: the border is then flat enough over a
    // small triangle on it that surrounds the ray.
    const double too_near = 0.1 * errors_.plane * errors_.size;
    if (simplex_.count > 0) {
      move();
      v_ = simplex_.count > 1 ? search(simplex_, simplex_) : simplex_.w[0];
      if (simplex_.count == 1) simplex_.weight[0] = 1.0;
      if (!(to_double(norm(v_)) > 0)) return CastEnd::inside;
    }
    while (true) {
      if (supports_ >= most) return most < max_supports ? CastEnd::budget : CastEnd::limit;
      const V direction = blend ? blended() : v_;
      const SupportPoint<V> point = support(direction);
      if (is_apart()) return CastEnd::apart;
      const bool moved = lower_ > time_;
      const bool known = is_known(point);
      const Real before = dot(v_, v_);
      if (moved) {
        move();
      } else if (simplex_.count > 0 && !blend) {
        const Real gap = before - dot(v_, (point.a - point.b) - x_);
        if (known || !(to_double(gap) > 4 * Numbers<V>::roundoff * to_double(before))) return CastEnd::converged;
      }
      const Simplex<V> kept = simplex_;
      if (!known) insert(point, direction);
      set_corners();
      bool inside = false;
      Simplex<V> reduced;
      V v = reduce(simplex_, inside, reduced);
      if (!inside && (moved || blend) && simplex_.count > 2) {
        // x or the direction has changed, so the nearest point need not depend on the newest point.
        v = search(simplex_, reduced);
      }
      if (!moved && !inside && kept.count > 0 && !(dot(v, v) < before)) {
        // No nearer: because of rounding, or because the direction was not useful.
        if (simplex_.count > 2) v = search(simplex_, reduced);
        if (!(dot(v, v) < before)) {
          simplex_ = kept;
          if (!blend) return CastEnd::stalled;
          blend = false;
          ++useless;
          continue;
        }
      }
      if (blend && !moved && dot(v, v) > 0.5 * before) ++useless;
      simplex_ = reduced;
      v_ = v;
      if (inside) return CastEnd::inside;
      if (to_double(norm(v_) - errors_.radius) <= errors_.plane + errors_.point) return CastEnd::near;
      blend = is_curved && !blend && useless < max_useless && simplex_.count > 1;
      if (blend && !(to_double(dot(v_, v_)) > too_near)) {
        blend = false;
        useless = max_useless;
        surround();
        if (is_apart()) return CastEnd::apart;
        if (to_double(norm(v_) - errors_.radius) <= errors_.plane + errors_.point) return CastEnd::near;
      }
    }
  }

  /// The bodies are proven to be apart before `lower` and after `out`, both in [0, 1].
  double lower() const { return round_down(lower_); }
  double out() const { return out_; }
  bool is_apart() const { return lower_ > Real(out_); }
  int supports() const { return supports_; }

  /// Whether some plane gave `lower`, and the plane's direction: b meets a against it. Not of unit length.
  bool has_plane() const { return has_plane_; }
  const V& plane() const { return plane_; }
  /// The computed time at which the ray crosses this plane.
  double estimate() const { return estimate_; }
  /// How fast the ray approaches the plane, per unit of time.
  double closing() const { return closing_; }
  /// How far x is from some plane at time 0, beyond all rounding errors.
  double clear_at_start() const { return clear_at_start_; }

  /// The time of x at which the simplex was last reduced.
  const Real& time() const { return time_; }
  const V& v() const { return v_; }
  const Simplex<V>& simplex() const { return simplex_; }
  /// The unit direction that gave point i of the simplex.
  const V& direction(int i) const { return directions_[simplex_.slot[static_cast<std::size_t>(i)]]; }
  const SupportPoint<V>& point(int i) const { return points_[simplex_.slot[static_cast<std::size_t>(i)]]; }
  void witnesses(V& a, V& b) const {
    a = V();
    b = V();
    for (int i = 0; i < simplex_.count; ++i) {
      a = a + point(i).a * weight(i);
      b = b + point(i).b * weight(i);
    }
  }
  /// An upper bound on the distance of x(time) from the difference, radius included. `thinner`: by how much the radius
  /// may be smaller.
  double gap(double thinner) const {
    if (simplex_.count == 0) return HUGE_VAL;
    V a, b;
    witnesses(a, b);
    const double apart = to_double(norm((a - b) - x_) - errors_.radius);
    return std::max(0.0, apart) * (1 + 0x1p-50) + errors_.point + thinner +
           to_double(time_) * (1 + 0x1p-50) * ray_.error;
  }

 private:
  const Real& weight(int i) const { return simplex_.weight[static_cast<std::size_t>(i)]; }
  /// Point i of the simplex as a point of the difference.
  V corner(int i) const { return point(i).a - point(i).b; }

  /// Finds the support against a direction, and notes what its plane says.
  SupportPoint<V> support(const V& direction) {
    const SupportPoint<V> point = source_.support(-direction);
    ++supports_;
    note(direction, point);
    return point;
  }
  // Records what a support plane says about times. The whole difference is beyond the plane v · y >= v · w - |v|
  // radius, so x(t) is in front of it while t (v·along) < v·w - |v| radius - v·origin.
  void note(const V& v, const SupportPoint<V>& point) {
    const Real length = norm(v);
    const double long_enough = to_double(length) * (1 + 0x1p-50);
    if (!(long_enough > 0)) return;
    if (errors_.is_custom) check_support(v, long_enough, point);
    const Real ahead = dot(v, (point.a - point.b) - ray_.origin) - length * errors_.radius;
    const Real speed = dot(v, ray_.along);
    const Real surely = ahead - long_enough * errors_.plane;
    const Real fastest = speed + long_enough * (ray_.error + 0x1p-900);
    if (surely > 0.0) clear_at_start_ = std::max(clear_at_start_, to_double(surely) / long_enough);
    if (surely > 0.0 && surely > fastest) {
      out_ = -1;  // in front of the plane all the time
    } else if (!(fastest > 0.0)) {
      // Not closing: the bodies are apart from the time on at which x is in front of the plane.
      if (fastest < 0.0) out_ = std::min(out_, round_up(above(surely / fastest)));
    } else if (surely > 0.0) {
      const Real time = below(surely / fastest);
      if (time > lower_) {
        lower_ = time;
        plane_ = v;
        has_plane_ = true;
        estimate_ = to_double(speed > 0.0 ? ahead / speed : time);
        closing_ = std::max(0.0, to_double(speed)) / to_double(length);
      }
    }
  }
  // No known point may be beyond the plane.
  void check_support(const V& v, double length, const SupportPoint<V>& support) const {
    const double most = length * (errors_.plane + errors_.point + convex::unsaid_rounding * errors_.size);
    for (int i = 0; i < simplex_.count; ++i) {
      if (to_double(dot(v, (support.a - support.b) - corner(i))) > most) convex::throw_contradiction();
    }
  }
  // The directions that gave the simplex's points, weighted as these points are in the nearest point. On a smooth
  // border, where the direction changes with the point, this is a much better guess than the direction to the nearest
  // point.
  V blended() const {
    V sum = V();
    for (int i = 0; i < simplex_.count; ++i)
      sum = sum + direction(i) * weight(i);
    return to_double(norm(sum)) > 0.25 ? sum : v_;
  }
  // Finds three supports around the blended direction, a little farther apart than the distance by which that direction
  // misses the ray. Where the border is smooth, the triangle between them is nearer to x than GJK gets in a dozen
  // steps.
  void surround() {
    V n = blended();
    n = n * (1.0 / norm(n));
    const SupportPoint<V> middle = support(n);
    double bend = HUGE_VAL;  // a radius of curvature
    for (int i = 0; i < simplex_.count; ++i) {
      const double turned = to_double(norm(direction(i) - n));
      const double apart = to_double(norm(corner(i) - (middle.a - middle.b)));
      if (turned > 0) bend = std::min(bend, apart / turned);
    }
    const double missed = to_double(norm((middle.a - middle.b) - x_));
    const double angle = std::clamp(4 * missed / bend, 0x1p-26, 0x1p-10);
    if (!(bend > 0)) return;
    const V any = std::abs(to_double(n.x)) < 0.5 ? V{1.0, 0.0, 0.0} : V{0.0, 1.0, 0.0};
    V e1 = cross(n, any);
    e1 = e1 * (1.0 / norm(e1));
    const V e2 = cross(n, e1);
    const RayCast before = *this;
    simplex_.count = 0;
    for (const auto& [c, s] :
         {std::pair(1.0, 0.0), std::pair(-0.5, 0.8660254037844386), std::pair(-0.5, -0.8660254037844386)}) {
      const V direction = n + (e1 * c + e2 * s) * angle;
      const SupportPoint<V> point = support(direction);
      if (!is_known(point)) insert(point, direction);
    }
    move();
    const V v = simplex_.count > 1 ? search(simplex_, simplex_) : simplex_.w[0];
    if (simplex_.count > 1 && dot(v, v) < dot(v_, v_)) {
      v_ = v;
      return;
    }
    simplex_ = before.simplex_;
    points_ = before.points_;
    directions_ = before.directions_;
    set_corners();
    v_ = simplex_.count > 1 ? search(simplex_, simplex_) : simplex_.w[0];
  }
  void move() {
    time_ = lower_;
    x_ = ray_.origin + ray_.along * time_;
    set_corners();
  }
  void set_corners() {
    for (int i = 0; i < simplex_.count; ++i)
      simplex_.w[static_cast<std::size_t>(i)] = corner(i) - x_;
  }
  bool is_known(const SupportPoint<V>& point) const {
    const V w = point.a - point.b;
    for (int i = 0; i < simplex_.count; ++i) {
      const SupportPoint<V>& other = this->point(i);
      if (point.has_vertices() && point.vertex_a == other.vertex_a && point.vertex_b == other.vertex_b) return true;
      const V known = corner(i);
      if (!(known.x != w.x) && !(known.y != w.y) && !(known.z != w.z)) return true;
    }
    return false;
  }
  void insert(const SupportPoint<V>& point, const V& direction) {
    unsigned used = 0;
    for (int i = 0; i < simplex_.count; ++i)
      used |= 1u << simplex_.slot[static_cast<std::size_t>(i)];
    const auto slot = static_cast<std::uint8_t>(std::countr_one(used));
    points_[slot] = point;
    directions_[slot] = direction * (1.0 / norm(direction));
    simplex_.slot[static_cast<std::size_t>(simplex_.count)] = slot;
    ++simplex_.count;
  }

  Source& source_;
  CastErrors<V> errors_;
  CastRay<V> ray_;
  V x_{};
  V v_{};
  Simplex<V> simplex_;
  std::array<SupportPoint<V>, 5> points_;
  std::array<V, 5> directions_;
  Real time_ = 0.0;
  Real lower_ = 0.0;
  double out_ = 1;
  V plane_{};
  bool has_plane_ = false;
  double estimate_ = 0;
  double closing_ = 0;
  double clear_at_start_ = 0;
  int supports_ = 0;
};

}  // namespace whisker::motion
