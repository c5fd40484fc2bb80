#pragma once

// The ray cast of translation_cast.hpp as a loop, for doubles and for double-doubles.
//
// It is a GJK whose point x, from which distances are measured, moves along the ray: each support plane that parts x
// from the difference tells when the ray crosses it, and x is moved there at once. As such a plane stays true whatever x
// is, every support ever found gives times at which the bodies are proven apart. So the answer does not depend on the
// simplex, nor on whether the loop converged.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "convex/gjk.hpp"

namespace whisker::motion {

using convex::Numbers;
using convex::Simplex;
using convex::SupportPoint;
using convex::to_double;
using convex::Vec3;
using geometry::DoubleDouble;
using geometry::Vector3dd;

/// A quotient less, or plus, its rounding: not above, or not below, what it stands for.
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

/// A Minkowski difference of cores, in some frame, and how far its numbers may be off.
template <class V>
struct CastErrors {
  typename Numbers<V>::Real radius = 0.0;  ///< about the difference of the cores
  double plane = 0;                        ///< how much farther the difference may reach than a support says, radius included
  double point = 0;                        ///< how far a mean of supports may be off
};

/// The way x(t) = origin + t along, t from 0 to 1.
template <class V>
struct CastRay {
  V origin;
  V along;
  double length = 0;  ///< of `along`, or a little more
  double error = 0;   ///< of `along`, and of its products with unit vectors
};

enum class CastEnd : std::uint8_t { apart, near, inside, converged, stalled, budget, limit };

/// `Source` has `SupportPoint<V> support(const V& direction)`: the support of a along it and of b against it.
template <class V, class Source>
class RayCast {
 public:
  using Real = typename Numbers<V>::Real;
  static constexpr int most_supports = 250;

  RayCast(Source& source, const CastErrors<V>& errors, const CastRay<V>& ray)
      : source_(source), errors_(errors), ray_(ray), x_(ray.origin) {}

  /// `start`: where to look first, not zero. `tolerance`: of the time; a hint for when to stop.
  CastEnd run(const V& start, int budget) {
    v_ = start;
    const int most = std::min(budget, most_supports);
    while (true) {
      if (supports_ >= most) return most < most_supports ? CastEnd::budget : CastEnd::limit;
      SupportPoint<V> point = source_.support(-v_);
      ++supports_;
      note(point);
      if (is_apart()) return CastEnd::apart;
      const bool moved = lower_ > time_;
      const Real before = dot(v_, v_);
      const bool known = is_known(point);
      if (moved) {
        time_ = lower_;
        x_ = ray_.origin + ray_.along * time_;
      } else if (simplex_.count > 0) {
        const Real gap = before - dot(v_, (point.a - point.b) - x_);
        if (known || !(to_double(gap) > 4 * Numbers<V>::roundoff * to_double(before))) return CastEnd::converged;
      }
      const Simplex<V> kept = simplex_;
      if (!known) insert(point);
      for (int i = 0; i < simplex_.count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const SupportPoint<V>& of = points_[simplex_.slot[k]];
        simplex_.w[k] = (of.a - of.b) - x_;
      }
      bool inside = false;
      Simplex<V> reduced = simplex_;
      V v = reduce(reduced, inside);
      if (!inside && moved && simplex_.count > 2) {
        // Another x: the newest point need not carry the nearest one.
        reduced = simplex_;
        v = search(reduced);
      }
      if (!moved && !inside && kept.count > 0 && !(dot(v, v) < before)) {
        // No nearer: rounding.
        reduced = simplex_;
        if (simplex_.count > 2) v = search(reduced);
        if (!(dot(v, v) < before)) {
          simplex_ = kept;
          return CastEnd::stalled;
        }
      }
      simplex_ = reduced;
      v_ = v;
      if (inside) return CastEnd::inside;
      if (to_double(norm(v_) - errors_.radius) <= errors_.plane + errors_.point) return CastEnd::near;
    }
  }

  /// Proven apart before `lower` and after `out`, both in [0, 1].
  double lower() const { return round_down(lower_); }
  double out() const { return out_; }
  bool is_apart() const { return lower_ > Real(out_); }
  int supports() const { return supports_; }

  /// Of the plane that gave `lower`, if there is one: against it b meets a. Not of unit length.
  bool has_plane() const { return has_plane_; }
  const V& plane() const { return plane_; }
  /// The time at which the ray crosses it, as computed.
  double estimate() const { return estimate_; }
  /// How fast, per unit of time.
  double closing() const { return closing_; }
  /// How far x was from the plane at time 0, beyond all rounding.
  double clear_at_start() const { return clear_at_start_; }

  /// The time of x, which the simplex was last reduced at.
  const Real& time() const { return time_; }
  const V& v() const { return v_; }
  const Simplex<V>& simplex() const { return simplex_; }
  const SupportPoint<V>& point(int i) const { return points_[simplex_.slot[static_cast<std::size_t>(i)]]; }
  void witnesses(V& a, V& b) const {
    a = V();
    b = V();
    for (int i = 0; i < simplex_.count; ++i) {
      const Real& weight = simplex_.weight[static_cast<std::size_t>(i)];
      a = a + point(i).a * weight;
      b = b + point(i).b * weight;
    }
  }
  /// How far x(time) is from the difference, radius counted, or less. `thinner`: what the radius may be smaller.
  double gap(double thinner) const {
    if (simplex_.count == 0) return HUGE_VAL;
    V a, b;
    witnesses(a, b);
    const double apart = to_double(norm((a - b) - x_) - errors_.radius);
    return std::max(0.0, apart) * (1 + 0x1p-50) + errors_.point + thinner + to_double(time_) * (1 + 0x1p-50) * ray_.error;
  }

 private:
  // What the plane v · y >= v · w - |v| radius, which the whole difference is beyond, says of times: x(t) is in front
  // of it while t (v·along) < v·w - |v| radius - v·origin.
  void note(const SupportPoint<V>& point) {
    const Real length = norm(v_);
    const double long_enough = to_double(length) * (1 + 0x1p-50);
    if (!(long_enough > 0)) return;
    const Real ahead = dot(v_, (point.a - point.b) - ray_.origin) - length * errors_.radius;
    const Real speed = dot(v_, ray_.along);
    const Real surely = ahead - long_enough * errors_.plane;
    const Real fastest = speed + long_enough * (ray_.error + 0x1p-900);
    if (surely > 0.0) clear_at_start_ = std::max(clear_at_start_, to_double(surely) / long_enough);
    if (surely > 0.0 && surely > fastest) {
      out_ = -1;  // in front of it all the time
    } else if (!(fastest > 0.0)) {
      // Not closing: apart from the time on at which x is in front of it.
      if (fastest < 0.0) out_ = std::min(out_, round_up(above(surely / fastest)));
    } else if (surely > 0.0) {
      const Real time = below(surely / fastest);
      if (time > lower_) {
        lower_ = time;
        plane_ = v_;
        has_plane_ = true;
        estimate_ = to_double(speed > 0.0 ? ahead / speed : time);
        closing_ = std::max(0.0, to_double(speed)) / to_double(length);
      }
    }
  }
  bool is_known(const SupportPoint<V>& point) const {
    const V w = point.a - point.b;
    for (int i = 0; i < simplex_.count; ++i) {
      const SupportPoint<V>& other = this->point(i);
      if (point.has_vertices() && point.vertex_a == other.vertex_a && point.vertex_b == other.vertex_b) return true;
      const V known = other.a - other.b;
      if (!(known.x != w.x) && !(known.y != w.y) && !(known.z != w.z)) return true;
    }
    return false;
  }
  void insert(const SupportPoint<V>& point) {
    unsigned used = 0;
    for (int i = 0; i < simplex_.count; ++i)
      used |= 1u << simplex_.slot[static_cast<std::size_t>(i)];
    const auto slot = static_cast<std::uint8_t>(std::countr_one(used));
    points_[slot] = point;
    simplex_.slot[static_cast<std::size_t>(simplex_.count)] = slot;
    ++simplex_.count;
  }

  Source& source_;
  CastErrors<V> errors_;
  CastRay<V> ray_;
  V x_;
  V v_;
  Simplex<V> simplex_;
  std::array<SupportPoint<V>, 5> points_;
  Real time_ = 0.0;
  Real lower_ = 0.0;
  double out_ = 1;
  V plane_;
  bool has_plane_ = false;
  double estimate_ = 0;
  double closing_ = 0;
  double clear_at_start_ = 0;
  int supports_ = 0;
};

/// How far the origin is from all faces of a tetrahedron that holds it; 0 if rounding leaves that open. `size`: no
/// corner is farther from the origin.
template <class V>
double tetrahedron_margin(const Simplex<V>& s, double size) {
  if (s.count != 4) return 0;
  double margin = HUGE_VAL;
  for (std::size_t apex = 0; apex < 4; ++apex) {
    const V &p = s.w[(apex + 1) & 3], &q = s.w[(apex + 2) & 3], &r = s.w[(apex + 3) & 3];
    const V e1 = q - p, e2 = r - p;
    V n = cross(e1, e2);
    const double length = to_double(norm(n));
    if (!(length > 0)) return 0;
    n = n * (1 / length);
    double low = std::min({to_double(dot(n, p)), to_double(dot(n, q)), to_double(dot(n, r))});
    double beyond = to_double(dot(n, s.w[apex]));
    if (low < 0) {
      low = -std::max({to_double(dot(n, p)), to_double(dot(n, q)), to_double(dot(n, r))});
      beyond = -beyond;
    }
    // All of the face on one side of the origin, its opposite corner on the other, and the orientation certain.
    const double edges = to_double(norm(e1)) * to_double(norm(e2));
    if (!(low * length > 16 * Numbers<V>::roundoff * edges * size) || !(beyond < 0)) return 0;
    margin = std::min(margin, low);
  }
  return margin * (1 - 0x1p-48);
}

}  // namespace whisker::motion
