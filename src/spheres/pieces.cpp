#include "spheres/pieces.hpp"

#include <algorithm>
#include <queue>

#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "geometry/least_of.hpp"
#include "geometry/lists.hpp"
#include "volumes/measure.hpp"
#include "volumes/smallest_ball.hpp"

namespace whisker::spheres {

namespace {

/// Returns the i for which the edge from corner i to the next corner is longest.
std::size_t longest(const Piece& piece) {
  const auto& corners = piece.corners;
  return geometry::least_of(3, [&](std::size_t i) { return -(corners[(i + 1) % 3] - corners[i]).squaredNorm(); })
      .number;
}

}  // namespace

double halving_error(const Mesh& mesh) {
  const Aabb box = mesh.bounds();
  const double largest = std::max(volumes::largest_entry(box.lower), volumes::largest_entry(box.upper));
  // A midpoint is rounded once in each of three coordinates, and averages the errors of the two ends.
  return 4 * unit_roundoff * largest + volumes::underflow;
}

Piece whole_triangle(const Mesh& mesh, std::uint32_t triangle) {
  const Triangle corners = mesh.triangle(triangle);
  return {{corners.a, corners.b, corners.c}, triangle};
}

std::array<Piece, 2> halves(const Piece& piece) {
  const std::size_t from = longest(piece);
  const std::size_t to = (from + 1) % 3;
  const Vector3 middle = (piece.corners[from] + piece.corners[to]) / 2;
  std::array<Piece, 2> result = {piece, piece};
  result[0].demand = result[1].demand = piece.demand / 2;
  result[0].corners[to] = middle;
  result[1].corners[from] = middle;
  ++result[0].halvings;
  ++result[1].halvings;
  return result;
}

double longest_edge(const Piece& piece) {
  const std::size_t from = longest(piece);
  return (piece.corners[(from + 1) % 3] - piece.corners[from]).norm();
}

std::vector<Vector3> corners_of(std::span<const Piece> pieces) {
  std::vector<Vector3> corners;
  corners.reserve(3 * pieces.size());
  for (const Piece& piece : pieces)
    corners.insert(corners.end(), piece.corners.begin(), piece.corners.end());
  return corners;
}

double reach(const Vector3& center, const Piece& piece, double halving_error) {
  const double farthest =
      geometry::greatest_of(piece.corners, [&](const Vector3& corner) { return volumes::distance_up(center, corner); });
  if (piece.halvings == 0) return farthest;
  return geometry::add_up(farthest, geometry::next_up(piece.halvings * halving_error));
}

bool holds(const BoundingSphere& sphere, const Piece& piece, double halving_error) {
  // Most spheres are far away, which plain arithmetic shows.
  const double generous = sphere.radius * sphere.radius * (1 + 1e-9) + 0x1p-1000;
  for (const Vector3& corner : piece.corners) {
    if ((corner - sphere.center).squaredNorm() > generous) return false;
  }
  return reach(sphere.center, piece, halving_error) <= sphere.radius;
}

double distance_down(const Vector3& a, const Vector3& b) {
  return volumes::norm_down(a - b) * (1 - 4 * unit_roundoff);
}

bool find_holder(std::span<const BoundingSphere> spheres, const Piece& piece, double halving_error,
                 std::span<const std::uint32_t> candidates, std::vector<std::uint32_t>& near) {
  const Vector3 middle = piece.middle();
  const double size =
      geometry::add_up(reach(middle, piece, halving_error), geometry::next_up(piece.halvings * halving_error));
  for (const std::uint32_t i : candidates) {
    if (distance_down(spheres[i].center, middle) > geometry::add_up(spheres[i].radius, size)) continue;
    if (holds(spheres[i], piece, halving_error)) return true;
    near.push_back(i);
  }
  return false;
}

std::vector<Piece> cut_surface(const Mesh& mesh, std::size_t count) {
  std::vector<Piece> pieces;
  const auto triangles = static_cast<std::uint32_t>(mesh.triangle_count());
  pieces.reserve(std::max<std::size_t>(count, triangles));
  for (std::uint32_t i = 0; i < triangles; ++i)
    pieces.push_back(whole_triangle(mesh, i));
  return cut_further(std::move(pieces), count);
}

std::vector<Piece> cut_further(std::vector<Piece> pieces, std::size_t count) {
  if (pieces.size() >= count) return pieces;
  std::priority_queue<std::pair<double, std::size_t>> queue;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    queue.emplace(longest_edge(pieces[i]), i);
  while (pieces.size() < count && !queue.empty()) {
    const auto [length, i] = queue.top();
    if (!(length > 0) || pieces[i].halvings >= max_halvings) break;
    queue.pop();
    const std::array<Piece, 2> parts = halves(pieces[i]);
    pieces[i] = parts[0];
    queue.emplace(longest_edge(parts[0]), i);
    queue.emplace(longest_edge(parts[1]), pieces.size());
    pieces.push_back(parts[1]);
  }
  return pieces;
}

std::vector<Piece> thinned(std::span<const Piece> pieces, std::size_t most) {
  std::vector<Piece> some;
  const std::size_t step = (pieces.size() + most - 1) / most;
  for (std::size_t i = 0; i < pieces.size(); i += step)
    some.push_back(pieces[i]);
  return some;
}

BoundingSphere ball_about(const Vector3& center, std::span<const Piece> pieces, double halving_error) {
  return {center,
          geometry::greatest_of(pieces, [&](const Piece& piece) { return reach(center, piece, halving_error); })};
}

BoundingSphere ball_around(std::span<const Piece> pieces, double halving_error) {
  return ball_about(volumes::smallest_ball_center(corners_of(pieces)), pieces, halving_error);
}

std::vector<std::vector<Piece>> deal(std::vector<Piece> pieces, std::span<const BoundingSphere> spheres,
                                     double halving_error, double shortest) {
  std::vector<std::vector<Piece>> dealt(spheres.size());
  // Take pieces from the back of the list, so that the two halves of a piece take its place.
  std::reverse(pieces.begin(), pieces.end());
  while (!pieces.empty()) {
    const Piece piece = pieces.back();
    pieces.pop_back();
    const Vector3 middle = piece.middle();
    std::size_t best = spheres.size();
    double deepest = infinity;
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      const double power = (middle - spheres[i].center).squaredNorm() - spheres[i].radius * spheres[i].radius;
      if ((power < deepest || best == spheres.size()) && holds(spheres[i], piece, halving_error)) {
        best = i;
        deepest = power;
      }
    }
    if (best == spheres.size() && piece.halvings < max_halvings && longest_edge(piece) > shortest) {
      const std::array<Piece, 2> parts = halves(piece);
      pieces.push_back(parts[1]);
      pieces.push_back(parts[0]);
      continue;
    }
    if (best == spheres.size()) {
      best = geometry::least_of(spheres.size(), [&](std::uint32_t i) {
               return reach(spheres[i].center, piece, halving_error) - spheres[i].radius;
             }).number;
    }
    dealt[best].push_back(piece);
  }
  return dealt;
}

}  // namespace whisker::spheres
