#include "spheres/region.hpp"

#include <cmath>

#include <whisker/editing/mesh_report.hpp>

#include "spheres/simplex_search.hpp"
#include "volumes/smallest_ball.hpp"

namespace whisker::spheres {

Region::Region(const Solid& solid, std::span<const Piece> pieces)
    : solid_(solid), pieces_(pieces), error_(halving_error(solid.mesh())) {
  const std::vector<Vector3> all = spheres::corners_of(pieces);
  const std::vector<std::uint32_t> first = first_at_position(all);
  std::vector<std::uint32_t> number(all.size());
  corners_.reserve(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (first[i] == i) {
      number[i] = static_cast<std::uint32_t>(positions_.size());
      positions_.push_back(all[i]);
    }
    corners_.push_back(number[first[i]]);
  }
}

std::vector<Piece> Region::pieces_of(std::span<const std::uint32_t> numbers) const {
  return geometry::picked(pieces_, numbers);
}

std::vector<std::uint32_t> Region::corners_of(std::span<const std::uint32_t> pieces) const {
  std::vector<std::uint32_t> result;
  result.reserve(3 * pieces.size());
  for (const std::uint32_t p : pieces)
    result.insert(result.end(), corners_.begin() + 3 * p, corners_.begin() + 3 * p + 3);
  geometry::sort_unique(result);
  return result;
}

double Region::reach(const Vector3& center, std::uint32_t piece) const {
  const std::span<const std::uint32_t> corners = std::span(corners_).subspan(3 * std::size_t{piece}, 3);
  return std::sqrt(
      geometry::greatest_of(corners, [&](std::uint32_t i) { return (positions_[i] - center).squaredNorm(); }));
}

void Region::reaches(const Vector3& center, std::vector<double>& result) const {
  result.resize(piece_count());
  for (std::uint32_t p = 0; p < piece_count(); ++p)
    result[p] = reach(center, p);
}

Ball Region::about(const Vector3& center, double height, std::span<const std::uint32_t> corners) const {
  const double squared =
      geometry::greatest_of(corners, [&](std::uint32_t i) { return (positions_[i] - center).squaredNorm(); });
  return ball_with(center, std::sqrt(squared), height);
}

Ball Region::about(const Vector3& center, std::span<const std::uint32_t> corners) const {
  return about(center, solid_.height(center), corners);
}

Ball Region::smallest(std::span<const std::uint32_t> corners) const {
  return about(volumes::smallest_ball_center(geometry::picked(positions_, corners)), corners);
}

Ball Region::better_about(const Vector3& center, double height, std::span<const std::uint32_t> corners) const {
  return better(about(center, height, corners), smallest(corners));
}

Ball Region::min_error(const Ball& start, std::span<const std::uint32_t> corners, int evaluations) const {
  const std::vector<Vector3> points = geometry::picked(positions_, corners);
  Ball best = about(start.center, start.height, corners);
  const auto value = [&](const Vector3& center) {
    const double squared =
        geometry::greatest_of(points, [&](const Vector3& point) { return (point - center).squaredNorm(); });
    const Ball ball = ball_with(center, std::sqrt(squared), solid_.height(center));
    best = better(best, ball);
    return -ball.error;
  };
  const double step = best.error / 2;
  if (!(step > 0)) return best;
  maximize(value, start.center, Vector3(Vector3::Constant(step)), evaluations);
  return best;
}

}  // namespace whisker::spheres
