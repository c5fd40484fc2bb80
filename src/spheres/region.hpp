#pragma once

// A part of the surface, as input to the methods that find a few spheres around it.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "geometry/lists.hpp"
#include "spheres/pieces.hpp"
#include "spheres/protrusion.hpp"

namespace whisker::spheres {

/// A ball, and how far it protrudes from the solid.
struct Ball {
  Vector3 center = Vector3::Zero();
  double radius = 0;
  /// Upper bound on the center's signed distance.
  double height = 0;
  /// The protrusion.
  double error = infinity;
  /// Added to the protrusion when pieces are distributed: a ball with too many pieces raises its price.
  double price = 0;
};

/// A sphere around a vertex of the Voronoi diagram of surface points.
struct MedialSphere {
  BoundingSphere sphere;
  /// Upper bound on the center's signed distance.
  double height = 0;
  /// The spheres whose Voronoi vertices share an edge of the diagram with this sphere's vertex.
  std::vector<std::uint32_t> neighbors;
};

inline Ball ball_with(const Vector3& center, double radius, double height) {
  return {center, radius, height, protrusion(radius, height)};
}

inline BoundingSphere sphere_of(const Ball& ball) {
  return {ball.center, ball.radius};
}

/// Pieces with indexed corners. Neighboring pieces share their corners.
///
/// The radii of its balls are correct up to rounding, which is enough to compare balls. Which pieces a sphere of a tree
/// contains is decided with guaranteed bounds when pieces are given to it (pieces.hpp).
class Region {
 public:
  Region(const Solid& solid, std::span<const Piece> pieces);

  const Solid& solid() const { return solid_; }
  std::span<const Piece> pieces() const { return pieces_; }
  /// The rounding error of its pieces (halving_error).
  double error() const { return error_; }
  std::uint32_t piece_count() const { return static_cast<std::uint32_t>(pieces_.size()); }

  std::vector<Piece> pieces_of(std::span<const std::uint32_t> numbers) const;
  /// The indices of the pieces' corners, without duplicates, ascending.
  std::vector<std::uint32_t> corners_of(std::span<const std::uint32_t> pieces) const;
  /// The same for all pieces.
  std::vector<std::uint32_t> all_corners() const { return geometry::numbers_below(positions_.size()); }

  /// The distance from a center to the farthest point of a piece.
  double reach(const Vector3& center, std::uint32_t piece) const;
  /// The same for every piece.
  void reaches(const Vector3& center, std::vector<double>& result) const;

  /// The ball with a given center that contains the corners, with the center's height given or computed.
  Ball about(const Vector3& center, double height, std::span<const std::uint32_t> corners) const;
  Ball about(const Vector3& center, std::span<const std::uint32_t> corners) const;
  /// The smallest ball around the corners.
  Ball smallest(std::span<const std::uint32_t> corners) const;
  /// The better of the smallest ball and the ball with a given center.
  Ball better_about(const Vector3& center, double height, std::span<const std::uint32_t> corners) const;
  /// The ball around the corners that protrudes least, found by a search over its center. The search starts at the
  /// center of `start`, and the result is no worse than the ball around that center. (Bradshaw 2002, 5.4.1.)
  Ball min_error(const Ball& start, std::span<const std::uint32_t> corners, int evaluations) const;

 private:
  const Solid& solid_;
  std::span<const Piece> pieces_;
  double error_;
  std::vector<Vector3> positions_;      // of the corners
  std::vector<std::uint32_t> corners_;  // three of each piece
};

/// Returns the ball that protrudes less.
inline const Ball& better(const Ball& a, const Ball& b) {
  return b.error < a.error ? b : a;
}

}  // namespace whisker::spheres
