// The area of a surface that is in no sphere.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <tbb/parallel_for.h>
#include <utility>
#include <vector>

#include "geometry/lists.hpp"
#include "spheres/fit_measures.hpp"
#include "spheres/pieces.hpp"
#include "volumes/measure.hpp"

namespace whisker::spheres {

namespace {

/// What is known of a piece.
enum class State { covered, bare, open };

struct SurfacePart {
  Piece piece;
  double area = 0;  // approximate
  State state = State::open;
  std::vector<std::uint32_t> near;  // unless it is covered: the spheres that may reach it
};

/// The area in units of 4^exponent, so that its square stays within the range of doubles.
Interval area_of(const Triangle& t, int exponent) {
  std::array<Interval, 3> u, v;
  for (int k = 0; k < 3; ++k) {
    const double corner = std::ldexp(t.a[k], -exponent);
    u[static_cast<std::size_t>(k)] = Interval(std::ldexp(t.b[k], -exponent)) - Interval(corner);
    v[static_cast<std::size_t>(k)] = Interval(std::ldexp(t.c[k], -exponent)) - Interval(corner);
  }
  const Interval squared =
      square(u[1] * v[2] - u[2] * v[1]) + square(u[2] * v[0] - u[0] * v[2]) + square(u[0] * v[1] - u[1] * v[0]);
  return sqrt(squared) / 2;
}

}  // namespace

Interval uncovered_area(std::span<const BoundingSphere> spheres, const Mesh& mesh, std::size_t max_pieces) {
  const double error = halving_error(mesh);
  // Classifies a piece, given the spheres that may reach its parent.
  const auto look = [&](SurfacePart& part, std::span<const std::uint32_t> candidates) {
    const bool is_held = find_holder(spheres, part.piece, error, candidates, part.near);
    part.state = is_held ? State::covered : part.near.empty() ? State::bare : State::open;
  };
  const std::vector<std::uint32_t> all = geometry::numbers_below(spheres.size());
  const std::size_t count = mesh.triangle_count();
  std::vector<Interval> areas(count);
  const Aabb box = mesh.bounds();
  const int exponent = std::ilogb(std::max(volumes::largest_entry(box.lower), volumes::largest_entry(box.upper)));
  std::vector<SurfacePart> open(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    areas[i] = area_of(mesh.triangle(i), exponent);
    open[i].piece = whole_triangle(mesh, static_cast<std::uint32_t>(i));
    open[i].area = areas[i].upper;
    look(open[i], all);
  });
  // Halving a triangle at the midpoint of an edge halves its area exactly.
  const auto exact = [&](const Piece& piece) {
    return areas[piece.triangle] * Interval(std::ldexp(1.0, -static_cast<int>(piece.halvings)));
  };
  Interval bare = 0;
  const auto sort_out = [&](std::vector<SurfacePart>& parts) {
    for (const SurfacePart& part : parts)
      if (part.state == State::bare) bare += exact(part.piece);
    std::erase_if(parts, [](const SurfacePart& part) { return part.state != State::open; });
  };
  sort_out(open);
  for (std::size_t looked = 0; !open.empty();) {
    // Process all pieces that have at least half the area of the largest.
    const double largest = geometry::greatest_of(open, &SurfacePart::area);
    if (!(largest > 0)) break;
    const auto first = std::stable_partition(open.begin(), open.end(), [&](const SurfacePart& part) {
      return part.area < largest / 2 || part.piece.halvings >= max_halvings;
    });
    const auto part_count = 2 * static_cast<std::size_t>(open.end() - first);
    if (part_count == 0 || looked + part_count > max_pieces) break;
    const std::vector<SurfacePart> parents(std::make_move_iterator(first), std::make_move_iterator(open.end()));
    open.erase(first, open.end());
    std::vector<SurfacePart> parts(part_count);
    tbb::parallel_for(std::size_t{0}, parents.size(), [&](std::size_t i) {
      const std::array<Piece, 2> pieces = halves(parents[i].piece);
      for (std::size_t k = 0; k < 2; ++k) {
        SurfacePart& part = parts[2 * i + k];
        part.piece = pieces[k];
        part.area = parents[i].area / 2;
        look(part, parents[i].near);
      }
    });
    looked += part_count;
    sort_out(parts);
    std::move(parts.begin(), parts.end(), std::back_inserter(open));
  }
  Interval unknown = 0;
  for (const SurfacePart& part : open)
    unknown += exact(part.piece);
  return {std::ldexp(bare.lower, 2 * exponent), std::ldexp((bare + unknown).upper, 2 * exponent)};
}

}  // namespace whisker::spheres
