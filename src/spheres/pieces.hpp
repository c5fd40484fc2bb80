#pragma once

// Triangles cut into pieces that each lie in one sphere. They prove that a union of spheres covers a whole surface.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/mesh.hpp>
#include <whisker/vector.hpp>

namespace whisker::spheres {

/// A part of a triangle, obtained by halving. The corners of the true part are exact midpoints. The stored corners
/// differ from them by one rounding error per halving.
struct Piece {
  std::array<Vector3, 3> corners;
  std::uint32_t triangle = 0;
  std::uint32_t halvings = 0;
  /// The estimated number of spheres it needs, in a unit that is the same for all pieces of a mesh.
  double demand = 0;
  /// The planned leaf it belongs to (leaf_plan.cpp).
  std::uint32_t leaf = 0;

  Vector3 middle() const { return (corners[0] + corners[1] + corners[2]) / 3; }
};

/// The maximum number of halvings of a piece. Its edges are then 2⁻⁵⁰ of the triangle's.
inline constexpr std::uint32_t max_halvings = 120;

/// Upper bound on the distance of a piece's corner from the true one, per halving.
double halving_error(const Mesh& mesh);

Piece whole_triangle(const Mesh& mesh, std::uint32_t triangle);

/// Halves the longest edge. The union of the two pieces is exactly the piece.
std::array<Piece, 2> halves(const Piece& piece);

double longest_edge(const Piece& piece);
std::vector<Vector3> corners_of(std::span<const Piece> pieces);

/// Upper bound on the distance from the center to the farthest point of the true piece. A ball is convex, so it
/// contains the piece if it contains the corners.
double reach(const Vector3& center, const Piece& piece, double halving_error);
bool holds(const BoundingSphere& sphere, const Piece& piece, double halving_error);
/// Whether one of the candidates among the spheres contains the piece. If not, appends those that may reach it to
/// `near`.
bool find_holder(std::span<const BoundingSphere> spheres, const Piece& piece, double halving_error,
                 std::span<const std::uint32_t> candidates, std::vector<std::uint32_t>& near);
/// Lower bound on |a - b|.
double distance_down(const Vector3& a, const Vector3& b);

/// Returns all triangles, with the longest halved until there are at least `count` pieces.
std::vector<Piece> cut_surface(const Mesh& mesh, std::size_t count);
std::vector<Piece> cut_further(std::vector<Piece> pieces, std::size_t count);
/// Returns at most `most` of the pieces, evenly distributed.
std::vector<Piece> thinned(std::span<const Piece> pieces, std::size_t most);

/// The smallest ball around the pieces, and the ball with a given center that contains them.
BoundingSphere ball_around(std::span<const Piece> pieces, double halving_error);
BoundingSphere ball_about(const Vector3& center, std::span<const Piece> pieces, double halving_error);

/// Distributes the pieces among the spheres. Each piece goes to the sphere that contains it most deeply, which means
/// the smallest |p - c|² - r², so that two spheres divide their pieces at the plane of their common circle. A piece
/// that no sphere contains is halved while it is longer than `shortest`. After that it goes to the sphere that must
/// grow least. The result has a list for each sphere.
std::vector<std::vector<Piece>> deal(std::vector<Piece> pieces, std::span<const BoundingSphere> spheres,
                                     double halving_error, double shortest);

}  // namespace whisker::spheres
