#pragma once

// The Delaunay tetrahedra of points, whose circumcenters are the vertices of the points' Voronoi diagram.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::spheres {

/// Points are inserted one by one (A. Bowyer, D. Watson 1981): the tetrahedra whose open ball holds the new point are
/// replaced by those that join it to the faces of the hole.
///
/// With exact predicates no input fails and nothing need be perturbed. Say a face of the hole has the tetrahedron I,
/// whose open ball holds p, inside, and O, whose open ball does not, outside. Both balls meet the face's plane in the
/// same disc, so p is not in that plane: else it would be in both open balls or in neither. Nor is it beyond the plane:
/// there the open ball of I is part of that of O. So p sees every face of the hole from inside, strictly, and all new
/// tetrahedra have a positive volume. Points on a common sphere or in a common plane need no care.
class Delaunay {
 public:
  /// Neighbor i shares the face opposite vertex i. orient3d of the vertices is positive.
  struct Tetrahedron {
    std::array<std::uint32_t, 4> vertices;
    std::array<std::uint32_t, 4> neighbors;
  };

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Vertices 0 to 3 are the corners of the tetrahedron that all begins with. It is so large that only tetrahedra at
  /// the convex hull of the points meet it.
  static constexpr std::uint32_t first_point = 4;

  Delaunay();

  /// Inserts a point with coordinates from -1 to 1 and returns its vertex number, or that of the vertex at the same
  /// position. A tetrahedron near the point saves the way to it, above all one whose ball holds it.
  std::uint32_t insert(const Vector3& point, std::uint32_t near = none);
  /// What the last insertion changed: the slots that it emptied, and those that it filled. None of them is in both.
  /// Both are empty if the point was there before.
  std::span<const std::uint32_t> removed() const { return hole_; }
  std::span<const std::uint32_t> created() const { return made_; }

  const Vector3& position(std::uint32_t vertex) const { return positions_[vertex]; }
  std::size_t vertex_count() const { return positions_.size(); }
  /// Some slots are free; is_used tells.
  std::span<const Tetrahedron> tetrahedra() const { return tetrahedra_; }
  bool is_used(std::uint32_t tetrahedron) const { return tetrahedra_[tetrahedron].vertices[0] != none; }
  /// Whether all its vertices are points that were inserted.
  bool is_finite(std::uint32_t tetrahedron) const;
  /// The tetrahedra at a vertex, whose circumcenters are the corners of its Voronoi cell. `found` is cleared first;
  /// `seen` is scratch, all false before and after.
  void around(std::uint32_t vertex, std::vector<std::uint32_t>& found, std::vector<bool>& seen) const;
  /// The center of the ball through the four vertices. Nothing where they are so nearly in a plane that rounding leaves
  /// no point which is equally far from all four, to a millionth.
  std::optional<Vector3> circumcenter(std::uint32_t tetrahedron) const;

 private:
  std::array<std::uint32_t, 3> face(const Tetrahedron& tetrahedron, std::size_t opposite) const;
  int side_of_face(const Tetrahedron& tetrahedron, std::size_t opposite, const Vector3& point) const;
  bool ball_holds(const Tetrahedron& tetrahedron, const Vector3& point) const;
  std::uint32_t locate(const Vector3& point, std::uint32_t from) const;
  void join(std::uint32_t tetrahedron, std::size_t opposite);
  std::uint32_t new_slot();

  std::vector<Vector3> positions_;
  std::vector<Tetrahedron> tetrahedra_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> at_vertex_;  // a tetrahedron at each vertex
  std::uint32_t last_ = 0;
  // Of the insertion at hand: the hole, what fills it, and which insertion a tetrahedron was last put into a hole by.
  std::vector<std::uint32_t> hole_;
  std::vector<std::uint32_t> made_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t insertion_ = 0;
  // The faces of the hole, with the tetrahedra behind them; and the sides of new tetrahedra that await their neighbor,
  // by the two vertices that they share with the hole, in a table with open addressing.
  struct Wall {
    std::array<std::uint32_t, 3> face;
    std::uint32_t behind;
  };
  struct Side {
    std::uint64_t edge;
    std::uint32_t tetrahedron;
    std::uint32_t opposite;
  };
  std::vector<Wall> walls_;
  std::vector<Side> sides_;
};

}  // namespace whisker::spheres
