#pragma once

// GJK (Gilbert, Johnson, Keerthi 1988) on the Minkowski difference of two convex cores, as a loop without support
// functions: the caller gets a direction, finds the supports and adds them. So the same code serves doubles, compiled
// once per instruction set around the supports, and double-doubles.
//
// With v the current point of the difference, and w its point farthest against v, v·w/|v| is a lower bound on the
// distance and |v| an upper bound. The loop keeps the best lower bound so far, and the direction that gave it.
//
// In doubles the second search direction is different: see second_direction().

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "convex/simplex.hpp"

namespace whisker::convex {

/// A point of the Minkowski difference of two cores, with the two points that it is made of. All in the common frame.
template <class V>
struct SupportPoint {
  /// Indices of the vertices if a core has vertices. `no_vertex` on curved cores.
  static constexpr std::uint32_t no_vertex = 0xFFFFFFFF;
  V a;
  V b;
  std::uint32_t vertex_a = no_vertex;
  std::uint32_t vertex_b = no_vertex;

  bool has_vertices() const { return vertex_a != no_vertex && vertex_b != no_vertex; }
};

/// Conditions under which the loop may end before the distance is known. For the cores, in the common frame.
struct GjkGoal {
  /// Stop once the distance is proven to be larger.
  double stop_above = HUGE_VAL;
  /// Stop once the distance is known to be at most this.
  double stop_below = -1;
  /// Stop once the bounds are this close together.
  double tolerance = 0;
  /// Stop after this many supports.
  int budget = 0x7FFFFFFF;
};

enum class GjkEnd : std::uint8_t {
  running,
  converged,  ///< the bounds are as close as the numbers allow
  stalled,    ///< rounding stopped the descent
  inside,     ///< the origin is in the simplex, as far as this precision can tell
  zero,       ///< v is the origin, as far as this precision can tell
  above,      ///< GjkGoal::stop_above
  below,      ///< GjkGoal::stop_below
  tolerance,  ///< GjkGoal::tolerance
  budget,     ///< GjkGoal::budget
};

/// The search direction after the first support w, which was found for a start v: along w, as in plain GJK, or between
/// the two. The nearest points usually lie between: v is along the line of the middles, and w is off that line by as
/// much as a corner is. For round, flat and long hulls with 8 to 2048 vertices, near and far, this saves up to one in
/// ten supports and costs none. A larger or smaller share of v saves fewer. If the bound along v is nearly |w|, w is
/// used, because it may be the answer.
struct SecondLook {
  static constexpr double share = 1.5;   ///< share of v relative to w, as unit vectors
  static constexpr double enough = 0.9;  ///< w is used if the lower bound along v is this fraction of |w|

  Vec3 along;
  bool is_between;
};
/// `squared`: v · v. `vw`: v · w. `nearer`: w · w. `root`: the square root.
template <class Root>
WHISKER_INLINE SecondLook second_direction(const Vec3& v, double squared, const Vec3& w, double vw, double nearer,
                                           const Root& root) {
  const double length = root(squared), away = root(nearer);
  const bool is_between = length > 0 && !(vw >= SecondLook::enough * (length * away));
  // The result has about the length of w: its square must not underflow if that of w does not.
  return {is_between ? w + v * (SecondLook::share * (away / length)) : w, is_between};
}

template <class V>
class GjkLoop {
 public:
  using Real = typename Numbers<V>::Real;
  /// More supports than this are never needed. Curved cores that nearly touch need some dozens.
  static constexpr int max_supports = 120;

  /// `zero`: a v no longer than this counts as the origin. `start`: a difference of points of the cores.
  WHISKER_INLINE GjkLoop(const V& start, double zero, const GjkGoal& goal)
      : goal_(goal), zero_(zero), v_(start), lower_direction_(start) {}

  /// The direction of the next support: of a along -v, of b along v.
  WHISKER_INLINE const V& v() const { return v_; }

  /// Puts a point into the simplex without checking whether it is nearer, in order to begin where an earlier loop
  /// ended. Call `begin()` after the last point.
  WHISKER_INLINE void insert(const SupportPoint<V>& point) {
    Simplex<V>& s = simplices_[now_];
    if (s.count == 4) return;
    const auto at = static_cast<std::size_t>(s.count);
    set_slot(at, point);
    s.w[at] = point.a - point.b;
    s.slot[at] = static_cast<std::uint8_t>(at);
    ++s.count;
  }
  /// Sets v to the point of the inserted simplex that is nearest to the origin. Returns false if that ends the loop.
  WHISKER_INLINE bool begin() {
    bool inside = false;
    const V v = reduce(simplices_[now_], inside, simplices_[1 - now_]);
    now_ = 1 - now_;
    if (inside) {
      end_ = GjkEnd::inside;
      return false;
    }
    v_ = v;
    squared_ = dot(v_, v_);
    return !is_zero();
  }

  /// Adds the support found for v(). Returns whether to continue.
  WHISKER_INLINE bool add(const SupportPoint<V>& point) {
    ++supports_;
    const V w = point.a - point.b;
    const Real squared = dot(v_, v_);
    const Real vw = dot(v_, w);
    if (vw > 0.0) {
      const Real lower = vw / sqrt_of(squared);
      if (lower > lower_) {
        lower_ = lower;
        lower_direction_ = v_;
      }
      if (to_double(lower_) > goal_.stop_above) return finish(GjkEnd::above);
    }
    Simplex<V>& before = simplices_[now_];
    Simplex<V>& after = simplices_[1 - now_];
    if (before.count > 0 && !is_between_) {
      const Real gap = squared - vw;
      if (!(to_double(gap) > converged * to_double(squared))) return finish(GjkEnd::converged);
      if (goal_.tolerance > 0 || goal_.stop_below >= 0) {
        const double upper = std::sqrt(to_double(squared));
        if (upper <= goal_.stop_below) return finish(GjkEnd::below);
        if (upper - to_double(lower_) <= goal_.tolerance) return finish(GjkEnd::tolerance);
      }
      if (is_known(point, w)) return finish(GjkEnd::converged);
    }
    if (supports_ > goal_.budget && before.count > 0) return finish(GjkEnd::budget);
    if (supports_ >= max_supports) return finish(GjkEnd::stalled);

    const auto at = static_cast<std::size_t>(before.count);
    const std::uint8_t slot = free_slot();
    set_slot(slot, point);
    before.w[at] = w;
    before.slot[at] = slot;
    ++before.count;
    bool inside = false;
    V v = reduce(before, inside, after);
    if (inside) {
      now_ = 1 - now_;
      return finish(GjkEnd::inside);
    }
    Real nearer = dot(v, v);
    if (at > 0 && !is_between_ && !(nearer < squared_)) {
      // No closer: rounding error.
      if constexpr (!Numbers<V>::is_double) {
        v = search(before, after);
        nearer = dot(v, v);
      }
      if (!(nearer < squared_)) {
        --before.count;
        return finish(GjkEnd::stalled);
      }
    }
    now_ = 1 - now_;
    is_between_ = false;
    squared_ = nearer;
    if constexpr (Numbers<V>::is_double) {
      if (at == 0) {
        const SecondLook next =
            second_direction(v_, squared, w, vw, nearer, [](double value) { return std::sqrt(value); });
        is_between_ = next.is_between;
        v = next.along;
      }
    }
    v_ = v;
    return !is_zero();
  }

  /// After `inside`, if the tetrahedron is too thin for its weights: moves to its face that is nearest to the origin.
  void leave_inside() {
    Simplex<V> best;
    Real least = HUGE_VAL;
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      Simplex<V> face;
      for (std::size_t i = 0; i < 4; ++i) {
        if (i == left_out) continue;
        const auto at = static_cast<std::size_t>(face.count++);
        face.w[at] = simplex().w[i];
        face.slot[at] = simplex().slot[i];
      }
      bool inside = false;
      Simplex<V> carrier;
      const V v = reduce(face, inside, carrier);
      const Real squared = dot(v, v);
      if (!(squared < least)) continue;
      least = squared;
      best = carrier;
      v_ = v;
    }
    if (best.count > 0) simplices_[now_] = best;
  }

  GjkEnd end() const { return end_; }
  int supports() const { return supports_; }
  /// The best lower bound so far, as computed, and the direction that gave it (not of unit length).
  const Real& lower() const { return lower_; }
  const V& lower_direction() const { return lower_direction_; }
  const Simplex<V>& simplex() const { return simplices_[now_]; }
  const SupportPoint<V>& point(int i) const { return points_[simplex().slot[static_cast<std::size_t>(i)]]; }
  /// The points of the cores whose difference is v, as weighted means of their supports.
  void witnesses(V& a, V& b) const {
    a = V();
    b = V();
    for (int i = 0; i < simplex().count; ++i) {
      const Real& weight = simplex().weight[static_cast<std::size_t>(i)];
      a = a + point(i).a * weight;
      b = b + point(i).b * weight;
    }
  }

 private:
  // A gap in v·(v - w) below this fraction of v·v is rounding error.
  static constexpr double converged = 4 * Numbers<V>::roundoff;

  WHISKER_INLINE bool finish(GjkEnd end) {
    end_ = end;
    return false;
  }
  WHISKER_INLINE bool is_zero() {
    if (to_double(squared_) > zero_ * zero_) return false;
    end_ = GjkEnd::zero;
    return true;
  }
  WHISKER_INLINE void set_slot(std::size_t slot, const SupportPoint<V>& point) {
    points_[slot] = point;
    names_[slot] = name_of(point);
  }
  // Both indices in one number, so that they are written and read together.
  static WHISKER_INLINE std::uint64_t name_of(const SupportPoint<V>& point) {
    return std::uint64_t{point.vertex_a} << 32 | point.vertex_b;
  }
  WHISKER_INLINE bool is_known(const SupportPoint<V>& point, const V& w) const {
    const Simplex<V>& s = simplices_[now_];
    const bool by_name = point.has_vertices();
    const std::uint64_t name = name_of(point);
    bool found = false;
    for (int i = 0; i < s.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      found |= by_name ? names_[s.slot[at]] == name : s.w[at].x == w.x && s.w[at].y == w.y && s.w[at].z == w.z;
    }
    return found;
  }
  WHISKER_INLINE std::uint8_t free_slot() const {
    const Simplex<V>& s = simplices_[now_];
    unsigned used = 0;
    for (int i = 0; i < s.count; ++i)
      used |= 1u << s.slot[static_cast<std::size_t>(i)];
    return static_cast<std::uint8_t>(std::countr_one(used));
  }

  GjkGoal goal_;
  double zero_;
  V v_;
  std::array<Simplex<V>, 2> simplices_;  // the current one, and room for the next
  std::size_t now_ = 0;
  bool is_between_ = false;  // v_ is a SecondLook, not the nearest point of the simplex
  std::array<SupportPoint<V>, 5> points_;
  std::array<std::uint64_t, 5> names_;
  Real squared_ = 0.0;
  Real lower_ = 0.0;
  V lower_direction_;
  int supports_ = 0;
  GjkEnd end_ = GjkEnd::running;
};

}  // namespace whisker::convex
