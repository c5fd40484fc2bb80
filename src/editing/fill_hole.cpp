#include "editing/fill_hole.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/geometry/aabb.hpp>

#include "geometry/lists.hpp"
#include "shapes/polygon.hpp"

namespace whisker::editing {
namespace {

using IsTaken = std::function<bool(std::uint32_t, std::uint32_t)>;

/// Scales and centers the corners to a size of about 1 around the origin, so that areas neither overflow nor underflow.
std::vector<Vector3> to_unit_size(std::span<const Vector3> corners) {
  Aabb box;
  for (const Vector3& corner : corners)
    box.include(corner);
  const double half = (box.upper / 2 - box.lower / 2).maxCoeff();
  constexpr int min_exponent = -1000;  // a power of two that still has an inverse
  const double scale = std::ldexp(1.0, -std::max(half > 0 ? std::ilogb(half) : 0, min_exponent) - 1);
  const Vector3 middle = (box.lower / 2 + box.upper / 2) * scale;
  std::vector<Vector3> result;
  for (const Vector3& corner : corners)
    result.emplace_back(corner * scale - middle);
  return result;
}

/// The cost of a triangle: first whether it is degenerate (a line), then its area. A small multiple of the squared side
/// lengths is added, to prefer compact triangles among triangulations of equal area.
struct Price {
  std::uint32_t faults = 0;
  double area = 0;

  bool operator<(const Price& other) const { return std::tie(faults, area) < std::tie(other.faults, other.area); }
  Price operator+(const Price& other) const { return {faults + other.faults, area + other.area}; }
};

constexpr double sides_weight = 1e-3;
constexpr double line_limit = 1e-12;  // twice the area over the sum of the squared sides
/// More than the number of triangles: a forbidden joint is worse than any number of degenerate triangles.
constexpr std::uint32_t taken_fault = 2 * max_corners_for_best;

Price price(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 u = b - a, v = c - a;
  const double squares = u.squaredNorm() + v.squaredNorm() + (c - b).squaredNorm();
  const double twice_area = u.cross(v).norm();
  return {twice_area <= line_limit * squares ? 1u : 0u, twice_area + sides_weight * squares};
}

/// Finds the cheapest triangulation of the polygon of these corners (by number), from the cheapest triangulations of
/// all its parts (Klincsek 1980; for holes: Barequet and Sharir 1995). Returns false if every triangulation joins
/// corners that must not be joined.
bool cut_best(std::span<const Vector3> corners, std::span<const std::uint32_t> numbers, const IsTaken& is_taken,
              std::vector<Index3>& triangles) {
  const std::size_t n = numbers.size();
  std::vector<Price> best(n * n);
  std::vector<std::uint32_t> tip(n * n, 0);
  const auto at = [n](std::size_t i, std::size_t j) { return i * n + j; };
  for (std::size_t length = 2; length < n; ++length) {
    for (std::size_t i = 0; i + length < n; ++i) {
      const std::size_t j = i + length;
      const Vector3& a = corners[numbers[i]];
      const Vector3& c = corners[numbers[j]];
      Price cheapest{std::numeric_limits<std::uint32_t>::max(), 0};
      for (std::size_t k = i + 1; k < j; ++k) {
        const Price sum = best[at(i, k)] + best[at(k, j)] + price(a, corners[numbers[k]], c);
        if (k > i + 1 && !(sum < cheapest)) continue;
        cheapest = sum;
        tip[at(i, j)] = static_cast<std::uint32_t>(k);
      }
      if (length + 1 < n && is_taken(numbers[i], numbers[j])) cheapest.faults += taken_fault;
      best[at(i, j)] = cheapest;
    }
  }
  if (best[at(0, n - 1)].faults >= taken_fault) return false;
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, n - 1}};
  while (!parts.empty()) {
    const auto [i, j] = parts.back();
    parts.pop_back();
    if (j - i < 2) continue;
    const std::size_t k = tip[at(i, j)];
    triangles.push_back({numbers[i], numbers[k], numbers[j]});
    parts.emplace_back(i, k);
    parts.emplace_back(k, j);
  }
  return true;
}

/// Repeatedly cuts off the corner whose neighbors are nearest to each other, until few enough corners are left. Returns
/// false if no corner can be cut off.
bool cut_ears(std::span<const Vector3> corners, const IsTaken& is_taken, std::vector<Index3>& triangles,
              std::vector<std::uint32_t>& left) {
  const auto n = static_cast<std::uint32_t>(corners.size());
  std::vector<std::uint32_t> before(n), after(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    before[i] = i == 0 ? n - 1 : i - 1;
    after[i] = i + 1 == n ? 0 : i + 1;
  }
  struct Ear {
    double squared_length;
    std::uint32_t tip, before, after;
    bool operator>(const Ear& other) const {
      return std::tie(squared_length, tip) > std::tie(other.squared_length, other.tip);
    }
  };
  std::priority_queue<Ear, std::vector<Ear>, std::greater<>> ears;
  const auto offer = [&](std::uint32_t tip) {
    const std::uint32_t a = before[tip], b = after[tip];
    if (!is_taken(a, b)) ears.push({(corners[a] - corners[b]).squaredNorm(), tip, a, b});
  };
  for (std::uint32_t i = 0; i < n; ++i)
    offer(i);
  std::vector<bool> is_cut(n, false);
  std::size_t count = n;
  while (count > max_corners_for_best) {
    if (ears.empty()) return false;
    const Ear ear = ears.top();
    ears.pop();
    if (is_cut[ear.tip] || before[ear.tip] != ear.before || after[ear.tip] != ear.after) continue;
    triangles.push_back({ear.before, ear.tip, ear.after});
    is_cut[ear.tip] = true;
    after[ear.before] = ear.after;
    before[ear.after] = ear.before;
    --count;
    offer(ear.before);
    offer(ear.after);
  }
  for (std::uint32_t i = 0; i < n; ++i)
    if (!is_cut[i]) left.push_back(i);
  return true;
}

bool joins_taken(std::span<const Index3> triangles, std::uint32_t n, const IsTaken& is_taken) {
  return std::any_of(triangles.begin(), triangles.end(), [&](const Index3& t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t low = std::min(t[k], t[(k + 1) % 3]), high = std::max(t[k], t[(k + 1) % 3]);
      const bool follow = high - low == 1 || (low == 0 && high == n - 1);
      if (!follow && is_taken(low, high)) return true;
    }
    return false;
  });
}

}  // namespace

std::vector<Index3> fill_hole(std::span<const Vector3> corners, const IsTaken& is_taken) {
  const std::vector<Vector3> local = to_unit_size(corners);
  const auto n = static_cast<std::uint32_t>(corners.size());
  std::vector<Index3> triangles;
  std::vector<std::uint32_t> left;
  if (n > max_corners_for_best) {
    // Triangulates the loop in the coordinate plane where its projection is largest: no two triangles overlap there.
    std::uint64_t steps = 100'000'000;
    if (shapes::cut_polygon(local, steps, triangles) == shapes::PolygonCut::simple &&
        !joins_taken(triangles, n, is_taken)) {
      return triangles;
    }
    triangles.clear();
    if (!cut_ears(local, is_taken, triangles, left)) return {};
  } else {
    left = geometry::numbers_below(n);
  }
  if (!cut_best(local, left, is_taken, triangles)) return {};
  return triangles;
}

}  // namespace whisker::editing
