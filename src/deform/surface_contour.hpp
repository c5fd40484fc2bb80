#pragma once

// Proves that a part of a surface does not intersect itself, by showing that its contour, projected along a direction
// that all its normals are within 90 degrees of, does not intersect itself.
//
// Why that suffices. Let S be any set of triangles and V a direction with n · V > 0 for the normal n of each triangle.
// Let the contour of S be its half-edges without those that come in pairs of opposites. Project along V. Each triangle
// becomes a counterclockwise triangle of positive area. The winding number of a triangle's border around a point off
// all borders is 1 inside the triangle and 0 outside. Winding numbers add up, and opposite half-edges cancel, so the
// number of triangles over such a point equals the number of times that the contour winds around it.
//
// Let the contour consist of simple polygons without common points, at most one of which runs counterclockwise. Then it
// winds around no point more than once, so no two triangles cover a common area. Now glue the triangles along the
// half-edges that canceled, but not at corners. The result is a surface with a border, and the projection is one-to-one
// on it:
// - It is one-to-one near every point. Near a point inside a triangle, on a glued edge, or on a corner that is
//   surrounded by triangles: the two triangles of an edge lie on different sides of it, and triangles that went around
//   a corner more than once would cover an area twice. Near a point of the border: triangles that went around it more
//   than once would cover an area twice, and if they went around exactly once, the border would touch itself.
// - No two points have the same image. Two points of the border do not, because the polygons are simple and disjoint.
//   An inner point and any other point do not, because a neighborhood of the inner point covers everything near its
//   image, and a neighborhood of the other point covers some area there, so an area would again be covered twice.
// So no two points of S are projected to the same point, and therefore no two coincide in space: triangles of S meet
// only where they are glued. Two fans of triangles that share a corner and nothing else are two points of the glued
// surface at one place, so they cannot pass the test. Nothing was required of S except its contour, so S need not be
// connected, and it need not be a manifold at its corners.
//
// If the contour is a single polygon, it runs counterclockwise, because there are some triangles. If there are several,
// the others lie inside the counterclockwise one, because elsewhere they would wind around points a negative number of
// times.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::deform {

/// An edge of a contour, in the direction in which its triangle runs.
struct ContourEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// Working memory for contour tests, reused by one thread.
struct ContourMemory {
  /// A stretch of a contour: its extents along four directions of the plane, as lower bounds and negated upper bounds,
  /// and a mask of those directions and their opposites along which all of its edges go forward.
  struct Stretch {
    double bound[8];
    std::uint32_t forward;
  };

  // For each vertex whose `stamp` is that of the current test: the vertex at the end of its outgoing edge.
  std::vector<std::uint32_t> out, stamp;
  std::uint32_t test = 0;
  std::vector<std::uint32_t> corners;    // vertex numbers in contour order, loop by loop
  std::vector<std::uint32_t> loop;       // for each corner, and for its outgoing edge, the number of its loop
  std::vector<std::uint32_t> loop_ends;  // by loop number
  std::vector<Stretch> stretches;        // a binary heap: the children of i are 2 i and 2 i + 1
  std::vector<std::uint64_t> pairs;      // still to be tested
};

/// Orders the edges into loops, in `memory`. Returns false if they do not form closed polygons of at least three edges
/// that visit no vertex number twice.
bool link_contour(std::size_t vertices, std::span<const ContourEdge> contour, ContourMemory& memory);

/// Whether the contour, projected along `direction`, is proven to consist of simple polygons that do not touch each
/// other, at most one of which runs counterclockwise when viewed against the direction. Returns false if that is not
/// the case, cannot be decided in doubles, or would take much longer than one pass along the contour. Positions must be
/// finite and at most `max_coordinate`. The direction's components must be about 1 at most; it need not be a unit
/// vector.
bool contour_is_simple(std::span<const Vector3> positions, std::span<const ContourEdge> contour,
                       const Vector3& direction, ContourMemory& memory);

}  // namespace whisker::deform
