#pragma once

// The Delaunay tetrahedralization of points. Its circumcenters are the vertices of the points' Voronoi diagram.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::spheres {

/// Inserts points one by one (A. Bowyer, D. Watson 1981): the tetrahedra whose open ball contains the new point are
/// replaced by those that join the point to the faces of the hole.
///
/// With exact predicates no input fails, and no perturbation is needed. Consider a face of the hole with the
/// tetrahedron I inside, whose open ball contains the new point p, and O outside, whose open ball does not. Both balls
/// intersect the face's plane in the same disc, so p is not in that plane: otherwise it would be in both open balls or
/// in neither. Nor is p beyond the plane: there the open ball of I is part of that of O. So p lies strictly on the
/// inner side of every face of the hole, and all new tetrahedra have positive volume. Cospherical and coplanar points
/// need no special treatment.
class Delaunay {
 public:
  /// Neighbor i shares the face opposite vertex i. orient3d of the vertices is positive.
  struct Tetrahedron {
    std::array<std::uint32_t, 4> vertices;
    std::array<std::uint32_t, 4> neighbors;
  };

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Vertices 0 to 3 are the corners of the initial tetrahedron. It is so large that only tetrahedra at the convex hull
  /// of the points touch these corners.
  static constexpr std::uint32_t first_point = 4;

  Delaunay();

  /// Inserts a point with coordinates from -1 to 1 and returns its vertex number, or that of the vertex at the same
  /// position. Passing a tetrahedron near the point shortens the walk to it, most of all a tetrahedron whose ball
  /// contains the point.
  std::uint32_t insert(const Vector3& point, std::uint32_t near = none);
  /// The changes of the last insertion: the slots that it emptied, and those that it filled. No slot is in both. Both
  /// are empty if the point was a vertex already.
  std::span<const std::uint32_t> removed() const { return hole_; }
  std::span<const std::uint32_t> created() const { return made_; }

  const Vector3& position(std::uint32_t vertex) const { return positions_[vertex]; }
  std::size_t vertex_count() const { return positions_.size(); }
  /// Some slots are free; see is_used().
  std::span<const Tetrahedron> tetrahedra() const { return tetrahedra_; }
  bool is_used(std::uint32_t tetrahedron) const { return tetrahedra_[tetrahedron].vertices[0] != none; }
  /// Whether all its vertices are inserted points.
  bool is_finite(std::uint32_t tetrahedron) const;
  /// Finds the tetrahedra at a vertex. Their circumcenters are the corners of its Voronoi cell. `found` is cleared
  /// first. `seen` is scratch memory, all false before and after the call.
  void around(std::uint32_t vertex, std::vector<std::uint32_t>& found, std::vector<bool>& seen) const;
  /// The center of the ball through the four vertices. Empty if they are so nearly coplanar that, because of rounding,
  /// no computed point is equally far from all four to within a millionth.
  std::optional<Vector3> circumcenter(std::uint32_t tetrahedron) const;

 private:
  std::array<std::uint32_t, 3> face(const Tetrahedron& tetrahedron, std::size_t opposite) const;
  /// A face that has the point strictly on its far side, starting the search with face `first` modulo 4. 4 if there is
  /// none.
  std::size_t face_toward(const Tetrahedron& tetrahedron, const Vector3& point, std::size_t first) const;
  bool ball_holds(const Tetrahedron& tetrahedron, const Vector3& point) const;
  std::uint32_t locate(const Vector3& point, std::uint32_t from) const;
  void join(std::uint32_t tetrahedron, std::size_t opposite);
  std::uint32_t new_slot();

  std::vector<Vector3> positions_;
  std::vector<Tetrahedron> tetrahedra_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> at_vertex_;  // a tetrahedron at each vertex
  std::uint32_t last_ = 0;
  // State of the current insertion: the hole, the tetrahedra that fill it, and for each tetrahedron the last insertion
  // that put it into a hole.
  std::vector<std::uint32_t> hole_;
  std::vector<std::uint32_t> made_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t insertion_ = 0;
  // The faces of the hole with the tetrahedra behind them, and the sides of new tetrahedra that still need their
  // neighbor. The latter are keyed by the two vertices that they share with the hole, in a table with open addressing.
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
