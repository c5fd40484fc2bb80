#pragma once

// A part of the surface as the methods see it that look for few spheres around it.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "spheres/pieces.hpp"
#include "spheres/protrusion.hpp"

namespace whisker::spheres {

/// A ball, and how far it stands off the solid.
struct Ball {
  Vector3 center = Vector3::Zero();
  double radius = 0;
  /// At least the signed distance of the center.
  double height = 0;
  /// The protrusion.
  double error = infinity;
  /// Added to what it must stand off when pieces are shared out: who has too many asks more.
  double price = 0;
};

inline BoundingSphere sphere_of(const Ball& ball) {
  return {ball.center, ball.radius};
}

/// Pieces with numbered corners: neighboring pieces share theirs.
///
/// The radii of its balls are right up to rounding, which is enough to compare them by. What a sphere of a tree holds
/// is decided with care when pieces are given to it (pieces.hpp).
class Region {
 public:
  Region(const Solid& solid, std::span<const Piece> pieces);

  const Solid& solid() const { return solid_; }
  std::span<const Piece> pieces() const { return pieces_; }
  std::uint32_t piece_count() const { return static_cast<std::uint32_t>(pieces_.size()); }

  /// The numbers of the corners of the pieces, each once, ascending.
  std::vector<std::uint32_t> corners_of(std::span<const std::uint32_t> pieces) const;
  /// Of all pieces.
  std::vector<std::uint32_t> all_corners() const;

  /// From a center to the farthest point of a piece.
  double reach(const Vector3& center, std::uint32_t piece) const;
  /// Of every piece.
  void reaches(const Vector3& center, std::vector<double>& result) const;

  /// The ball about a center that holds the corners, given the center's height, or not.
  Ball about(const Vector3& center, double height, std::span<const std::uint32_t> corners) const;
  Ball about(const Vector3& center, std::span<const std::uint32_t> corners) const;
  /// The smallest ball around the corners.
  Ball smallest(std::span<const std::uint32_t> corners) const;
  /// The ball around the corners that stands off least, as a search over its center finds it. It begins with the center
  /// of `start`, and is no worse than the ball about it. (Bradshaw 2002, 5.4.1.)
  Ball min_error(const Ball& start, std::span<const std::uint32_t> corners, int evaluations) const;

 private:
  const Solid& solid_;
  std::span<const Piece> pieces_;
  std::vector<Vector3> positions_;      // of the corners
  std::vector<std::uint32_t> corners_;  // of each piece, three
};

/// The better of two: that stands off less.
inline const Ball& better(const Ball& a, const Ball& b) {
  return b.error < a.error ? b : a;
}

}  // namespace whisker::spheres
