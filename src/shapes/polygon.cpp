#include "shapes/polygon.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/geometry/predicates.hpp>

#include "geometry/lists.hpp"

namespace whisker::shapes {

namespace {

void append_fan(std::size_t count, std::vector<Index3>& triangles) {
  for (std::uint32_t i = 1; i + 1 < count; ++i)
    triangles.push_back({0, i, i + 1});
}

/// Twice the vector area of the polygon (Newell; Sutherland, Sproull and Schumacker 1974), relative to its first
/// corner.
Vector3 newell_normal(std::span<const Vector3> corners) {
  Vector3 sum = Vector3::Zero();
  Vector3 last = corners[1] - corners[0];
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const Vector3 arm = corners[i] - corners[0];
    sum += last.cross(arm);
    last = arm;
  }
  return sum;
}

/// Ear clipping of a polygon that runs counterclockwise in the plane.
class EarClipper {
 public:
  EarClipper(const std::vector<Vector2>& points, std::uint64_t& steps) : points_(points), steps_(steps) {
    // orient2d takes a few nanoseconds for coordinates of ordinary size, but far longer for extreme ones.
    double largest = 0;
    double smallest = 1;
    for (const Vector2& p : points_) {
      for (const double x : {std::abs(p.x()), std::abs(p.y())}) {
        largest = std::max(largest, x);
        if (x > 0) smallest = std::min(smallest, x);
      }
    }
    orientation_cost_ = largest > 1e140 || smallest < 1e-140 ? 50'000 : 4;
  }

  PolygonCut cut(std::vector<Index3>& triangles) {
    link();
    if (out_of_steps_) return PolygonCut::too_intricate;
    if (strictly_convex_) {
      append_fan(points_.size(), triangles);
      return PolygonCut::simple;
    }
    fill_grid();
    const std::size_t triangles_before = triangles.size();
    // Cutting an ear affects its two neighbors, and in a simple polygon nothing else (O'Rourke 1998, 1.4), so only
    // these are tested again. Where outlines touch, it can affect more, hence the additional rounds.
    bool progress = true;
    while (left_ > 3) {
      if (waiting_.empty()) {
        if (!progress && !cut_flat_ear(triangles)) {
          triangles.resize(triangles_before);
          append_fan(points_.size(), triangles);
          return PolygonCut::not_simple;
        }
        progress = false;
        wait_all();
      }
      const std::uint32_t corner = waiting_.front();
      waiting_.pop_front();
      is_waiting_[corner] = false;
      if (!is_cut_[corner] && is_ear(corner)) {
        cut_ear(corner, triangles);
        progress = true;
      }
      if (out_of_steps_) {
        triangles.resize(triangles_before);
        return PolygonCut::too_intricate;
      }
    }
    triangles.push_back({any_, next_[any_], next_[next_[any_]]});
    return PolygonCut::simple;
  }

 private:
  void spend(std::uint64_t count) {
    if (steps_ < count) out_of_steps_ = true;
    steps_ -= std::min(steps_, count);
  }

  int turn(std::uint32_t corner) {
    spend(orientation_cost_);
    return orient2d(points_[previous_[corner]], points_[corner], points_[next_[corner]]);
  }

  void link() {
    const auto count = static_cast<std::uint32_t>(points_.size());
    left_ = count;
    previous_.resize(count);
    next_.resize(count);
    turn_.resize(count);
    is_cut_.assign(count, false);
    is_waiting_.assign(count, false);
    for (std::uint32_t i = 0; i < count; ++i) {
      previous_[i] = i == 0 ? count - 1 : i - 1;
      next_[i] = i + 1 == count ? 0 : i + 1;
    }
    strictly_convex_ = true;
    int direction_changes = 0;
    for (std::uint32_t i = 0; i < count && !out_of_steps_; ++i) {
      turn_[i] = static_cast<signed char>(turn(i));
      if (turn_[i] <= 0) strictly_convex_ = false;
      if (rises(previous_[i], i) != rises(i, next_[i])) ++direction_changes;
    }
    // A star that turns left everywhere winds around more than once, so it changes direction more than twice.
    if (direction_changes != 2) strictly_convex_ = false;
  }

  bool rises(std::uint32_t from, std::uint32_t to) const {
    const Vector2& a = points_[from];
    const Vector2& b = points_[to];
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  }

  // Puts the corners that are not strictly convex into a grid of about as many cells. Only they can lie in an ear.
  void fill_grid() {
    low_ = high_ = points_[0];
    for (const Vector2& p : points_) {
      low_ = low_.cwiseMin(p);
      high_ = high_.cwiseMax(p);
    }
    constexpr std::size_t widest = 1024;
    const auto count = static_cast<double>(std::ranges::count_if(turn_, [](signed char turn) { return turn <= 0; }));
    side_ = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(count)), 1, widest);
    grid_.assign(side_ * side_, {});
    for (std::uint32_t i = 0; i < points_.size(); ++i)
      if (turn_[i] <= 0) grid_[column(points_[i].x()) + side_ * row(points_[i].y())].push_back(i);
  }

  // Rounding is monotone, so a point inside a range always falls into the range's cells.
  std::size_t cell(double x, double low, double high) const {
    const double width = high / 2 - low / 2;  // halves, so that it does not overflow
    if (!(width > 0)) return 0;
    return std::min(side_ - 1, static_cast<std::size_t>((x / 2 - low / 2) / width * static_cast<double>(side_)));
  }
  std::size_t column(double u) const { return cell(u, low_.x(), high_.x()); }
  std::size_t row(double v) const { return cell(v, low_.y(), high_.y()); }

  void wait(std::uint32_t corner) {
    if (is_waiting_[corner]) return;
    is_waiting_[corner] = true;
    waiting_.push_back(corner);
  }

  void wait_all() {
    spend(left_);
    std::uint32_t corner = any_;
    do {
      wait(corner);
      corner = next_[corner];
    } while (corner != any_);
  }

  /// The fallback if no ear with area is left: a flat corner covers nothing, so it is safe to cut it.
  bool cut_flat_ear(std::vector<Index3>& triangles) {
    spend(left_);
    std::uint32_t corner = any_;
    do {
      if (turn_[corner] == 0) {
        cut_ear(corner, triangles);
        return true;
      }
      corner = next_[corner];
    } while (corner != any_);
    return false;
  }

  bool is_ear(std::uint32_t tip) {
    spend(1);
    if (turn_[tip] <= 0) return false;
    const std::uint32_t before = previous_[tip];
    const std::uint32_t after = next_[tip];
    const Vector2& a = points_[before];
    const Vector2& b = points_[tip];
    const Vector2& c = points_[after];
    const auto [low_u, high_u] = std::minmax({a.x(), b.x(), c.x()});
    const auto [low_v, high_v] = std::minmax({a.y(), b.y(), c.y()});
    const std::size_t last_column = column(high_u);
    const std::size_t last_row = row(high_v);
    for (std::size_t y = row(low_v); y <= last_row; ++y) {
      for (std::size_t x = column(low_u); x <= last_column; ++x) {
        std::vector<std::uint32_t>& here = grid_[x + side_ * y];
        spend(1 + here.size());
        if (out_of_steps_) return false;
        for (std::size_t k = 0; k < here.size();) {
          const std::uint32_t corner = here[k];
          if (turn_[corner] > 0) {  // has become convex or was cut off
            here[k] = here.back();
            here.pop_back();
            continue;
          }
          ++k;
          if (corner == before || corner == tip || corner == after) continue;
          const Vector2& p = points_[corner];
          if (p.x() < low_u || p.x() > high_u || p.y() < low_v || p.y() > high_v) continue;
          if (blocks(corner, a, b, c)) return false;
        }
      }
    }
    return true;
  }

  /// Whether a corner lies in the closed triangle a b c. A corner at the same position as one of the triangle's own
  /// corners (a bridge to a hole, or outlines that touch) blocks only if the outline continues from there into the
  /// triangle.
  bool blocks(std::uint32_t corner, const Vector2& a, const Vector2& b, const Vector2& c) {
    const Vector2& p = points_[corner];
    spend(3 * orientation_cost_);
    if (p == a || p == b || p == c) {
      const Vector2& behind = p == a ? c : p == b ? a : b;
      const Vector2& ahead = p == a ? b : p == b ? c : a;
      return enters(points_[next_[corner]], behind, p, ahead) || enters(points_[previous_[corner]], behind, p, ahead);
    }
    return orient2d(a, b, p) >= 0 && orient2d(b, c, p) >= 0 && orient2d(c, a, p) >= 0;
  }

  /// Whether the path from the corner `at` to `target` leads strictly between its two sides.
  static bool enters(const Vector2& target, const Vector2& behind, const Vector2& at, const Vector2& ahead) {
    return orient2d(behind, at, target) > 0 && orient2d(at, ahead, target) > 0;
  }

  void cut_ear(std::uint32_t tip, std::vector<Index3>& triangles) {
    const std::uint32_t before = previous_[tip];
    const std::uint32_t after = next_[tip];
    triangles.push_back({before, tip, after});
    next_[before] = after;
    previous_[after] = before;
    turn_[tip] = 1;
    is_cut_[tip] = true;
    --left_;
    any_ = after;
    update_turn(before);
    update_turn(after);
    wait(before);
    wait(after);
  }

  // A convex corner can become flat or reflex only by a flat or wrong cut. It is then added to the grid.
  void update_turn(std::uint32_t corner) {
    const signed char was = turn_[corner];
    turn_[corner] = static_cast<signed char>(turn(corner));
    if (was > 0 && turn_[corner] <= 0) {
      grid_[column(points_[corner].x()) + side_ * row(points_[corner].y())].push_back(corner);
    }
  }

  const std::vector<Vector2>& points_;
  std::uint64_t& steps_;
  std::uint64_t orientation_cost_ = 1;
  bool out_of_steps_ = false;
  bool strictly_convex_ = false;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> next_;
  std::vector<signed char> turn_;  // +1 convex, 0 flat, -1 reflex; also +1 for corners that are cut off
  std::vector<bool> is_cut_;
  std::deque<std::uint32_t> waiting_;  // corners to be tested
  std::vector<bool> is_waiting_;
  std::uint32_t any_ = 0;  // a corner that is not cut off
  std::size_t left_ = 0;
  std::vector<std::vector<std::uint32_t>> grid_;
  std::size_t side_ = 1;
  Vector2 low_ = Vector2::Zero();
  Vector2 high_ = Vector2::Zero();
};

}  // namespace

PolygonCut cut_polygon(std::span<const Vector3> corners, std::uint64_t& steps, std::vector<Index3>& triangles) {
  if (corners.size() == 3) {
    triangles.push_back({0, 1, 2});
    return PolygonCut::simple;
  }
  const Vector3 normal = newell_normal(corners);
  const Vector3 size = normal.cwiseAbs();
  int dropped = size.x() > size.y() ? 0 : 1;
  if (size.z() >= size[dropped]) dropped = 2;
  // The area is zero or beyond the range of double, so there is no plane to cut it in.
  if (!normal.allFinite() || size[dropped] == 0) {
    append_fan(corners.size(), triangles);
    return PolygonCut::not_simple;
  }
  int first = (dropped + 1) % 3;
  int second = (dropped + 2) % 3;
  if (normal[dropped] < 0) std::swap(first, second);

  const std::vector<Vector2> points =
      geometry::mapped(corners, [&](const Vector3& corner) { return Vector2(corner[first], corner[second]); });
  return EarClipper(points, steps).cut(triangles);
}

}  // namespace whisker::shapes
