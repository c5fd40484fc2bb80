#pragma once

// Triangles cut into pieces, each of which lies in one sphere: how a union of spheres is known to cover a whole
// surface.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/mesh.hpp>
#include <whisker/vector.hpp>

namespace whisker::spheres {

/// A part of a triangle that halving has led to. The true part has its corners at exact midpoints; the stored corners
/// are those up to one rounding for each halving.
struct Piece {
  std::array<Vector3, 3> corners;
  std::uint32_t triangle = 0;
  std::uint32_t halvings = 0;
  /// How many spheres it is likely to take, in a unit that means the same for all pieces of a mesh.
  double demand = 0;
  /// The planned leaf that it belongs to (leaf_plan.hpp).
  std::uint32_t leaf = 0;

  Vector3 middle() const { return (corners[0] + corners[1] + corners[2]) / 3; }
};

/// No piece is halved more often: its edges are then a 2⁵⁰th of the triangle's.
inline constexpr std::uint32_t max_halvings = 120;

/// How far a corner of a piece may be from the true one, for each halving.
double halving_error(const Mesh& mesh);

Piece whole_triangle(const Mesh& mesh, std::uint32_t triangle);

/// The two pieces that halving the longest edge gives; together they are the piece, exactly.
std::array<Piece, 2> halves(const Piece& piece);

double longest_edge(const Piece& piece);

/// At least the distance from the center to the farthest point of the true piece. A ball is convex: it holds the piece
/// if it holds the corners.
double reach(const Vector3& center, const Piece& piece, double halving_error);
bool holds(const BoundingSphere& sphere, const Piece& piece, double halving_error);

/// All triangles, the longest halved until there are at least `count` pieces.
std::vector<Piece> cut_surface(const Mesh& mesh, std::size_t count);
std::vector<Piece> cut_further(std::vector<Piece> pieces, std::size_t count);

/// The smallest ball around the pieces, and the ball about a center that holds them.
BoundingSphere ball_around(std::span<const Piece> pieces, double halving_error);
BoundingSphere ball_about(const Vector3& center, std::span<const Piece> pieces, double halving_error);

/// Deals the pieces out to the spheres: each to the one, of those that hold it, in which it lies deepest (the least
/// |p - c|² - r², so two spheres part their pieces at the plane of their common circle). A piece that none holds is
/// halved while it is longer than `shortest`; then it goes to the sphere that must grow least. The result has a list
/// for each sphere.
std::vector<std::vector<Piece>> deal(std::vector<Piece> pieces, std::span<const BoundingSphere> spheres,
                                     double halving_error, double shortest);

}  // namespace whisker::spheres
