#pragma once

// The proof that a part of a surface does not meet itself: its contour, seen along a direction that all its normals are
// within 90 degrees of, does not meet itself.
//
// Why that suffices. Let S be any set of triangles, V a direction with n · V > 0 for the normal n of each of them, and
// the contour of S its half-edges, less those that come in pairs of opposite ones. Project along V. Each triangle is
// then a triangle of positive area that runs counter-clockwise. The winding number of a triangle's border about a point
// off all borders is 1 inside of it and 0 outside; winding numbers add up, and opposite half-edges cancel: so over such
// a point there are as many triangles as the contour winds around it.
//
// Let the contour be made of simple polygons, without a point in common, of which at most one runs counter-clockwise.
// Then it winds around no point more than once, and no two triangles cover a common area. Now glue the triangles along
// the half-edges that canceled, but not at corners. The result is a surface with a border, on which the projection is
// one to one:
//  - About a point inside of a triangle, on a glued edge, or on a corner that triangles surround, it is so near that
//    point: both sides of an edge lie on different sides of it, and around a corner triangles would cover an area twice
//    if they went around more than once. About a point of the border it is so too: triangles that went around more than
//    once would cover an area twice, and with exactly one round the border would touch itself.
//  - Two points of the border are not projected to one, because the polygons are simple and disjoint. A point inside
//    and any other point are not, because a neighborhood of the one covers all that is near its image, and one of the
//    other covers some area there: again an area would be covered twice.
// So no two points of S are projected to one, and all the more no two are one point in space: triangles of S meet only
// where they are glued. Two fans of triangles that have a corner in common, and nothing else, are two points of the
// glued surface at one place: they cannot pass. Nothing was asked of S but its contour, so it need not be connected,
// nor be a manifold at its corners.
//
// That a contour that is the only one runs counter-clockwise follows, since some triangles are there. That the others
// lie inside of the one that does follows too: elsewhere they would wind around points a negative number of times.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::deform {

/// An edge of a contour, as its triangle runs.
struct ContourEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// Memory for contour tests, used again and again by one thread.
struct ContourMemory {
  /// A stretch of a contour: its extent along four directions of the plane, lower bounds and negated upper bounds, and
  /// in which of them, and of their opposites, all of its edges go forward.
  struct Stretch {
    double bound[8];
    std::uint32_t forward;
  };

  // Of vertices, where `stamp` is the present test's: the edge that goes out from it.
  std::vector<std::uint32_t> out, stamp;
  std::uint32_t test = 0;
  std::vector<std::uint32_t> corners;  // vertex numbers in the order of the contour, loop by loop
  std::vector<std::uint32_t> loop;     // of each corner, and of the edge that goes out from it, the number of its loop
  std::vector<std::uint32_t> loop_ends;  // by number
  std::vector<Stretch> stretches;        // a binary heap: children of i are 2 i and 2 i + 1
  std::vector<std::uint64_t> pairs;      // yet to be looked at
};

/// Puts the edges in order, in `memory`. False if they are not closed polygons of at least three edges that pass no
/// vertex twice, by number.
bool link_contour(std::size_t vertices, std::span<const ContourEdge> contour, ContourMemory& memory);

/// Whether the contour, projected along `direction`, is proven to consist of simple polygons that do not touch each
/// other, of which at most one runs counter-clockwise seen against the direction. False if it is not so, or not certain
/// in doubles, or if it would take much longer than to go once along it. Positions must be finite and up to
/// `max_coordinate`, the direction's entries up to 1 or a little more; it need not be of length 1.
bool contour_is_simple(std::span<const Vector3> positions, std::span<const ContourEdge> contour,
                       const Vector3& direction, ContourMemory& memory);

}  // namespace whisker::deform
