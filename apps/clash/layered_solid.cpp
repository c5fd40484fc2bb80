#include "clash/layered_solid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include <whisker/geometry/predicates.hpp>

namespace whisker::clash {
namespace {

using Number = std::uint32_t;

// Whether the segments share a point that is not an end of both. Collinear segments count as if they did.
bool segments_meet(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  const auto ahead = [](const Vector2& from, const Vector2& along, const Vector2& other) {
    return orient2d(from, along, other) == 0 && (along - from).dot(other - from) > 0;
  };
  if (a == c) return ahead(a, b, d);
  if (a == d) return ahead(a, b, c);
  if (b == c) return ahead(b, a, d);
  if (b == d) return ahead(b, a, c);
  return orient2d(a, b, c) * orient2d(a, b, d) <= 0 && orient2d(c, d, a) * orient2d(c, d, b) <= 0;
}

// Merges an outline and its holes into one polygon: each hole is joined to it by a bridge that is traversed both ways.
// Loops are lists of point numbers, holes clockwise.
std::vector<Number> bridged(const std::vector<Vector2>& points, std::vector<Number> outline,
                            std::vector<std::vector<Number>> holes) {
  const auto right_end = [&](const std::vector<Number>& loop) {
    return std::ranges::max(loop, {}, [&](Number i) { return std::pair(points[i].x(), points[i].y()); });
  };
  std::ranges::sort(holes, std::greater(), [&](const auto& hole) { return points[right_end(hole)].x(); });
  for (std::size_t hole = 0; hole < holes.size(); ++hole) {
    const Number start = right_end(holes[hole]);
    const auto crosses = [&](const std::vector<Number>& loop, Number to) {
      for (std::size_t i = 0; i < loop.size(); ++i)
        if (segments_meet(points[start], points[to], points[loop[i]], points[loop[(i + 1) % loop.size()]])) return true;
      return false;
    };
    std::vector<std::size_t> nearest(outline.size());
    std::iota(nearest.begin(), nearest.end(), std::size_t{0});
    std::ranges::sort(nearest, {}, [&](std::size_t i) { return (points[outline[i]] - points[start]).squaredNorm(); });
    const auto bridge = std::find_if(nearest.begin(), nearest.end(), [&](std::size_t i) {
      // A corner that already has a bridge has several sides, so another one is used.
      if (std::count(outline.begin(), outline.end(), outline[i]) > 1 || crosses(outline, outline[i])) return false;
      return std::none_of(holes.begin() + static_cast<std::ptrdiff_t>(hole), holes.end(),
                          [&](const auto& other) { return crosses(other, outline[i]); });
    });
    if (bridge == nearest.end()) throw std::logic_error("triangulate: a hole cannot be joined to the outline");
    std::vector<Number> path = holes[hole];
    std::rotate(path.begin(), std::find(path.begin(), path.end(), start), path.end());
    path.push_back(start);
    path.push_back(outline[*bridge]);
    outline.insert(outline.begin() + static_cast<std::ptrdiff_t>(*bridge) + 1, path.begin(), path.end());
  }
  return outline;
}

// Cuts off ears until nothing is left (Meisters 1975).
std::vector<Index3> clip_ears(const std::vector<Vector2>& points, const std::vector<Number>& polygon) {
  const std::size_t count = polygon.size();
  std::vector<std::size_t> next(count);
  std::vector<std::size_t> previous(count);
  for (std::size_t i = 0; i < count; ++i) {
    next[i] = (i + 1) % count;
    previous[i] = (i + count - 1) % count;
  }
  const auto is_ear = [&](std::size_t corner) {
    const std::array<Number, 3> ear{polygon[previous[corner]], polygon[corner], polygon[next[corner]]};
    const Vector2& a = points[ear[0]];
    const Vector2& b = points[ear[1]];
    const Vector2& c = points[ear[2]];
    if (orient2d(a, b, c) <= 0) return false;
    for (std::size_t i = next[next[corner]]; i != previous[corner]; i = next[i]) {
      const Number other = polygon[i];
      if (other == ear[0] || other == ear[1] || other == ear[2]) continue;
      const Vector2& p = points[other];
      if (orient2d(a, b, p) >= 0 && orient2d(b, c, p) >= 0 && orient2d(c, a, p) >= 0) return false;
    }
    return true;
  };
  std::vector<Index3> triangles;
  std::size_t corner = 0;
  std::size_t refused = 0;
  for (std::size_t left = count; left > 2;) {
    if (!is_ear(corner)) {
      if (++refused > left) throw std::logic_error("triangulate: the loops cross or touch");
      corner = next[corner];
      continue;
    }
    triangles.push_back({polygon[previous[corner]], polygon[corner], polygon[next[corner]]});
    next[previous[corner]] = next[corner];
    previous[next[corner]] = previous[corner];
    corner = next[next[corner]];  // skips the neighbor, or all triangles would share one corner
    refused = 0;
    --left;
  }
  return triangles;
}

}  // namespace

std::vector<Index3> triangulate(const Loop& outline, const std::vector<Loop>& holes) {
  std::vector<Vector2> points = outline;
  std::vector<Number> border(outline.size());
  std::iota(border.begin(), border.end(), Number{0});
  std::vector<std::vector<Number>> inner;
  for (const Loop& hole : holes) {
    std::vector<Number> loop(hole.size());
    std::iota(loop.rbegin(), loop.rend(), static_cast<Number>(points.size()));
    inner.push_back(std::move(loop));
    points.insert(points.end(), hole.begin(), hole.end());
  }
  return clip_ears(points, bridged(points, std::move(border), std::move(inner)));
}

void LayeredSolid::add(const Loop& outline, const std::vector<Loop>& holes, const std::vector<Span>& filled) {
  std::vector<Number> numbers;
  const auto number_points = [&](const Loop& loop) {
    for (const Vector2& point : loop) {
      // Adding 0 turns -0 into 0.
      const auto [place, is_new] =
          numbers_.emplace(std::pair(point.x() + 0.0, point.y() + 0.0), static_cast<Number>(points_.size()));
      if (is_new) points_.push_back(Vector2(point.x() + 0.0, point.y() + 0.0));
      numbers.push_back(place->second);
    }
  };
  number_points(outline);
  for (const Loop& hole : holes)
    number_points(hole);
  std::vector<Index3> triangles = triangulate(outline, holes);
  for (Index3& triangle : triangles)
    for (Number& corner : triangle)
      corner = numbers[corner];
  regions_.push_back({std::move(triangles), filled});
}

MeshData LayeredSolid::mesh() const {
  std::vector<double> levels;
  for (const Region& region : regions_)
    for (const Span& span : region.filled)
      levels.insert(levels.end(), {span.from, span.to});
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());

  std::map<std::pair<Number, Number>, std::size_t> region_left_of;  // of a directed edge
  for (std::size_t r = 0; r < regions_.size(); ++r)
    for (const Index3& t : regions_[r].triangles)
      for (std::size_t k = 0; k < 3; ++k)
        region_left_of.emplace(std::pair(t[k], t[(k + 1) % 3]), r);
  const auto is_filled = [&](std::size_t region, std::size_t layer) {
    if (layer >= levels.size() - 1) return false;  // also for -1: below the lowest
    return std::any_of(regions_[region].filled.begin(), regions_[region].filled.end(),
                       [&](const Span& span) { return span.from <= levels[layer] && levels[layer + 1] <= span.to; });
  };

  MeshData mesh;
  std::map<std::pair<Number, std::size_t>, Number> numbers;
  const auto vertex = [&](Number point, std::size_t level) {
    const auto [place, is_new] = numbers.emplace(std::pair(point, level), static_cast<Number>(mesh.vertices.size()));
    if (is_new) mesh.vertices.emplace_back(points_[point].x(), points_[point].y(), levels[level]);
    return place->second;
  };
  for (std::size_t r = 0; r < regions_.size(); ++r)
    for (std::size_t layer = 0; layer + 1 < levels.size(); ++layer) {
      if (!is_filled(r, layer)) continue;
      for (const Index3& t : regions_[r].triangles) {
        if (!is_filled(r, layer - 1))
          mesh.triangles.push_back({vertex(t[0], layer), vertex(t[2], layer), vertex(t[1], layer)});
        if (!is_filled(r, layer + 1))
          mesh.triangles.push_back({vertex(t[0], layer + 1), vertex(t[1], layer + 1), vertex(t[2], layer + 1)});
        for (std::size_t k = 0; k < 3; ++k) {
          const Number a = t[k];
          const Number b = t[(k + 1) % 3];
          const auto beyond = region_left_of.find(std::pair(b, a));
          if (beyond != region_left_of.end() && is_filled(beyond->second, layer)) continue;
          mesh.triangles.push_back({vertex(a, layer), vertex(b, layer), vertex(b, layer + 1)});
          mesh.triangles.push_back({vertex(a, layer), vertex(b, layer + 1), vertex(a, layer + 1)});
        }
      }
    }
  return mesh;
}

MeshData extrude(const Loop& outline, const std::vector<Loop>& holes, double from, double to) {
  LayeredSolid solid;
  solid.add(outline, holes, {{from, to}});
  return solid.mesh();
}

Loop polygon(const Vector2& center, double apothem, int sides) {
  const double half = std::numbers::pi / sides;
  const double radius = apothem / std::cos(half);
  Loop loop;
  for (int i = 0; i < sides; ++i)
    loop.emplace_back(center.x() + radius * std::cos((2 * i + 1) * half),
                      center.y() + radius * std::sin((2 * i + 1) * half));
  return loop;
}

Loop rectangle(const Vector2& low, const Vector2& high, double radius, int steps) {
  if (radius <= 0) return {low, {high.x(), low.y()}, high, {low.x(), high.y()}};
  Loop loop;
  const std::array<Vector2, 4> centers{
      Vector2(high.x() - radius, low.y() + radius), Vector2(high.x() - radius, high.y() - radius),
      Vector2(low.x() + radius, high.y() - radius), Vector2(low.x() + radius, low.y() + radius)};
  const std::array<Vector2, 5> out{Vector2(0, -1), Vector2(1, 0), Vector2(0, 1), Vector2(-1, 0), Vector2(0, -1)};
  for (std::size_t corner = 0; corner < 4; ++corner)
    for (int i = 0; i <= steps; ++i) {
      const double angle = std::numbers::pi / 2 * i / steps;
      // The ends of a corner are exactly on the rectangle's sides.
      const double c = i == steps ? 0 : std::cos(angle);
      const double s = i == steps ? 1 : std::sin(angle);
      loop.push_back(centers[corner] + radius * (c * out[corner] + s * out[corner + 1]));
    }
  return loop;
}

MeshData revolve(std::span<const Vector2> profile, int sides) {
  MeshData mesh;
  std::vector<Number> first;  // index of each profile point's first vertex
  for (const Vector2& point : profile) {
    first.push_back(static_cast<Number>(mesh.vertices.size()));
    if (point.x() == 0) {
      mesh.vertices.emplace_back(0, 0, point.y());
      continue;
    }
    for (const Vector2& corner : polygon({0, 0}, point.x(), sides))
      mesh.vertices.emplace_back(corner.x(), corner.y(), point.y());
  }
  const bool is_open = profile.front().x() == 0;
  const std::size_t bands = is_open ? profile.size() - 1 : profile.size();
  for (std::size_t band = 0; band < bands; ++band) {
    const std::size_t after = (band + 1) % profile.size();
    for (Number i = 0; i < static_cast<Number>(sides); ++i) {
      const Number j = (i + 1) % static_cast<Number>(sides);
      const auto low = [&](Number k) { return first[band] + (profile[band].x() == 0 ? 0 : k); };
      const auto high = [&](Number k) { return first[after] + (profile[after].x() == 0 ? 0 : k); };
      if (profile[band].x() != 0) mesh.triangles.push_back({low(i), low(j), high(j)});
      if (profile[after].x() != 0) mesh.triangles.push_back({low(i), high(j), high(i)});
    }
  }
  return mesh;
}

}  // namespace whisker::clash
