#include "deform/surface_contour.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "deform/surface_normal.hpp"
#include "geometry/constants.hpp"
#include "geometry/predicates_inline.hpp"

namespace whisker::deform {

namespace {

using geometry::underflow_guard;
using Stretch = ContourMemory::Stretch;

constexpr std::size_t forms = 4;

/// Bounds of a point's coordinates along the four directions of the plane.
struct ContourHeights {
  double lower[forms];
  double upper[forms];
};

/// The plane onto which points are projected along V. Two of the four directions are V_k x_i - V_i x_k, where V_k is
/// the largest component of V and i is each of the other two: these are zero along V, for any V. The other two are
/// their sum and difference.
class Plane {
 public:
  explicit Plane(const Vector3& direction) : v_(direction) {
    direction.cwiseAbs().maxCoeff(&k_);
    i_ = (k_ + 1) % 3;
    j_ = (k_ + 2) % 3;
  }

  ContourHeights heights(const Vector3& p) const {
    ContourHeights h;
    set_height(p, i_, h.lower[0], h.upper[0]);
    set_height(p, j_, h.lower[1], h.upper[1]);
    h.lower[2] = down(h.lower[0] + h.lower[1]);
    h.upper[2] = up(h.upper[0] + h.upper[1]);
    h.lower[3] = down(h.lower[0] - h.upper[1]);
    h.upper[3] = up(h.upper[0] - h.lower[1]);
    return h;
  }

 private:
  void set_height(const Vector3& p, int i, double& lower, double& upper) const {
    const double left = v_[k_] * p[i], right = v_[i] * p[k_], height = left - right;
    // Two roundings, plus one in each bound, add up to 3 units.
    const double error = 4 * unit_roundoff * (std::abs(left) + std::abs(right) + underflow_guard);
    lower = height - error;
    upper = height + error;
  }
  // A sum is rounded once. The product below can underflow to zero only where the sum was exact.
  static double down(double sum) { return sum - 2 * unit_roundoff * std::abs(sum); }
  static double up(double sum) { return sum + 2 * unit_roundoff * std::abs(sum); }

  Vector3 v_;
  int i_ = 0, j_ = 0, k_ = 0;
};

/// Tests a contour that is linked in memory.
class Check {
 public:
  Check(std::span<const Vector3> positions, const Vector3& direction, ContourMemory& memory)
      : positions_(positions), direction_(direction), memory_(memory), count_(memory.corners.size()) {
    leaves_ = std::bit_ceil(count_);
    depth_ = std::bit_width(leaves_);
  }

  bool passes() {
    set_stretches();
    return at_most_one_is_positive() && nothing_meets();
  }

 private:
  std::size_t begin_of(std::uint32_t loop) const { return loop == 0 ? 0 : memory_.loop_ends[loop - 1]; }
  std::size_t next(std::size_t corner) const {
    const std::uint32_t loop = memory_.loop[corner];
    return corner + 1 < memory_.loop_ends[loop] ? corner + 1 : begin_of(loop);
  }
  const Vector3& at(std::size_t corner) const { return positions_[memory_.corners[corner]]; }

  void set_stretches() {
    memory_.stretches.resize(2 * leaves_);
    const Plane plane(direction_);
    Stretch* const stretch = memory_.stretches.data();
    std::size_t begin = 0;
    for (const std::uint32_t end : memory_.loop_ends) {
      const ContourHeights first = plane.heights(at(begin));
      ContourHeights from = first;
      for (std::size_t i = begin; i < end; ++i) {
        const ContourHeights to = i + 1 < end ? plane.heights(at(i + 1)) : first;
        Stretch& one = stretch[leaves_ + i];
        one.forward = 0;
        for (std::size_t f = 0; f < forms; ++f) {
          one.bound[f] = std::min(from.lower[f], to.lower[f]);
          one.bound[forms + f] = -std::max(from.upper[f], to.upper[f]);
          one.forward |= static_cast<std::uint32_t>(from.upper[f] < to.lower[f]) << f;
          one.forward |= static_cast<std::uint32_t>(to.upper[f] < from.lower[f]) << (forms + f);
        }
        from = to;
      }
      begin = end;
    }
    for (std::size_t i = leaves_ + count_; i < 2 * leaves_; ++i) {
      std::fill_n(stretch[i].bound, 2 * forms, infinity);  // overlaps nothing
      stretch[i].forward = ~0u;
    }
    for (std::size_t i = leaves_; --i > 0;) {
      const Stretch &p = stretch[2 * i], &q = stretch[2 * i + 1];
      for (std::size_t b = 0; b < 2 * forms; ++b)
        stretch[i].bound[b] = std::min(p.bound[b], q.bound[b]);
      const std::size_t border = first_of(2 * i + 1);
      const bool is_one = border >= count_ || memory_.loop[border - 1] == memory_.loop[border];
      stretch[i].forward = is_one ? p.forward & q.forward : 0;
    }
  }

  std::size_t shift_of(std::size_t i) const { return depth_ - static_cast<std::size_t>(std::bit_width(i)); }
  /// The stretch's first edge, and one past its last.
  std::size_t first_of(std::size_t i) const { return (i << shift_of(i)) - leaves_; }
  std::size_t end_of(std::size_t i) const { return std::min(count_, ((i + 1) << shift_of(i)) - leaves_); }

  /// At most one polygon may not be proven clockwise. A closed polygon runs clockwise if the sum of the areas of its
  /// triangles with one of its corners is negative beyond the rounding error: 7 roundings in each term, and one for
  /// each later term of the sum.
  bool at_most_one_is_positive() const {
    if (memory_.loop_ends.size() == 1) return true;
    std::size_t others = 0, begin = 0;
    for (const std::uint32_t end : memory_.loop_ends) {
      double area = 0, size = 0;
      for (std::size_t i = begin + 1; i + 1 < end; ++i) {
        const SignedArea one = signed_area(at(begin), at(i), at(i + 1), direction_);
        area += one.value;
        size += one.permanent;
      }
      if (!(area < -(static_cast<double>(end - begin) + 16) * unit_roundoff * size)) ++others;
      begin = end;
    }
    return others <= 1;
  }

  bool nothing_meets() {
    // A contour of n edges that does not wind back and forth takes about n of these tests; some contours take n².
    std::size_t left = 64 * count_ + 256;
    const Stretch* const stretch = memory_.stretches.data();
    std::vector<std::uint64_t>& pairs = memory_.pairs;
    pairs.clear();
    push(1, 1);
    while (!pairs.empty()) {
      if (left-- == 0) return false;
      const std::size_t i = pairs.back() >> 32, j = pairs.back() & 0xFFFFFFFF;  // i before j
      pairs.pop_back();
      if (i == j) {
        // A stretch whose edges all go forward along one direction cannot meet itself.
        if (i >= leaves_ || stretch[i].forward != 0) continue;
        push(2 * i, 2 * i);
        push(2 * i + 1, 2 * i + 1);
        push(2 * i, 2 * i + 1);
        continue;
      }
      if (are_apart(stretch[i], stretch[j])) continue;
      const bool is_i_before = follows(end_of(i) - 1, first_of(j)), is_j_before = follows(end_of(j) - 1, first_of(i));
      if ((is_i_before || is_j_before) && (stretch[i].forward & stretch[j].forward) != 0) continue;
      if (i >= leaves_ && j >= leaves_) {
        const std::size_t p = i - leaves_, q = j - leaves_;
        if (is_i_before ? !has_corner(p, q) : is_j_before ? !has_corner(q, p) : !are_parted(p, q)) return false;
      } else if (std::bit_width(i) <= std::bit_width(j)) {
        push(2 * i, j);
        push(2 * i + 1, j);
      } else {
        push(i, 2 * j);
        push(i, 2 * j + 1);
      }
    }
    return true;
  }

  void push(std::size_t i, std::size_t j) { memory_.pairs.push_back((static_cast<std::uint64_t>(i) << 32) | j); }

  static bool are_apart(const Stretch& p, const Stretch& q) {
    for (std::size_t f = 0; f < forms; ++f)
      if (p.bound[f] > -q.bound[forms + f] || q.bound[f] > -p.bound[forms + f]) return true;
    return false;
  }

  bool follows(std::size_t edge, std::size_t by) const { return next(edge) == by; }

  int side(std::size_t p, std::size_t q, std::size_t r) const {
    return signed_area(at(p), at(q), at(r), direction_).sign();
  }

  /// Edge q begins where edge p ends. Whether they certainly share no other point, that is, neither goes back along the
  /// other.
  bool has_corner(std::size_t p, std::size_t q) const { return side(p, q, next(q)) != 0; }

  /// Whether two edges certainly share no point because one lies strictly on one side of the other's line. (Collinear
  /// edges that are apart are handled by are_apart().)
  bool are_parted(std::size_t p, std::size_t q) const {
    const std::size_t p_end = next(p), q_end = next(q);
    return side(p, p_end, q) * side(p, p_end, q_end) > 0 || side(q, q_end, p) * side(q, q_end, p_end) > 0;
  }

  std::span<const Vector3> positions_;
  const Vector3& direction_;
  ContourMemory& memory_;
  std::size_t count_;   // number of corners, and of edges
  std::size_t leaves_;  // a power of two
  std::size_t depth_;
};

}  // namespace

bool link_contour(std::size_t vertices, std::span<const ContourEdge> contour, ContourMemory& memory) {
  if (memory.stamp.size() < vertices) {
    memory.out.resize(vertices);
    memory.stamp.resize(vertices, 0);
  }
  if (++memory.test == 0) {
    std::ranges::fill(memory.stamp, 0u);
    memory.test = 1;
  }
  for (const ContourEdge& edge : contour) {
    if (memory.stamp[edge.from] == memory.test) return false;
    memory.stamp[edge.from] = memory.test;
    memory.out[edge.from] = edge.to;
  }
  memory.corners.clear();
  memory.loop.clear();
  memory.loop_ends.clear();
  for (const ContourEdge& edge : contour) {
    const std::size_t begin = memory.corners.size();
    // A visited vertex no longer has the stamp.
    for (std::uint32_t v = edge.from; memory.stamp[v] == memory.test; v = memory.out[v]) {
      memory.stamp[v] = 0;
      memory.corners.push_back(v);
      memory.loop.push_back(static_cast<std::uint32_t>(memory.loop_ends.size()));
    }
    const std::size_t end = memory.corners.size();
    if (end == begin) continue;
    // The loop must end where it began.
    if (end - begin < 3 || memory.out[memory.corners.back()] != memory.corners[begin]) return false;
    memory.loop_ends.push_back(static_cast<std::uint32_t>(end));
  }
  return !memory.loop_ends.empty();
}

bool contour_is_simple(std::span<const Vector3> positions, std::span<const ContourEdge> contour,
                       const Vector3& direction, ContourMemory& memory) {
  return link_contour(positions.size(), contour, memory) && Check(positions, direction, memory).passes();
}

}  // namespace whisker::deform
