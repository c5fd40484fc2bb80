#pragma once

// Makes closed triangle meshes from flat outlines: plates with holes, housings with pockets, anything cut along z.

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

namespace whisker::clash {

// A simple polygon in the xy plane, counterclockwise.
using Loop = std::vector<Vector2>;

// Cuts the region inside `outline` and outside all `holes` into triangles that use exactly the given vertices. The
// loops must not touch each other. Vertices are numbered starting with the outline, then the holes in order. Throws
// std::logic_error if there is no such cut because loops cross or touch.
std::vector<Index3> triangulate(const Loop& outline, const std::vector<Loop>& holes = {});

// A range along z in which a region is filled.
struct Span {
  double from = 0;
  double to = 0;
};

// A solid made of prisms: regions of the xy plane, each filled between certain heights. Regions may share borders but
// must not overlap, and where they share a border they must have the same vertices on it. Faces between two filled
// regions are left out, so the result is one closed surface.
class LayeredSolid {
 public:
  void add(const Loop& outline, const std::vector<Loop>& holes, const std::vector<Span>& filled);

  MeshData mesh() const;

 private:
  struct Region {
    std::vector<Index3> triangles;  // indices into points_
    std::vector<Span> filled;
  };
  std::vector<Vector2> points_;
  std::map<std::pair<double, double>, std::uint32_t> numbers_;  // indices into points_
  std::vector<Region> regions_;
};

// One region between two heights.
MeshData extrude(const Loop& outline, const std::vector<Loop>& holes, double from, double to);
inline MeshData extrude(const Loop& outline, double from, double to) {
  return extrude(outline, {}, from, to);
}

// A regular polygon whose sides are at distance `apothem` from the center, one of them facing +x (and with a multiple
// of four sides, one facing each of the four axis directions).
Loop polygon(const Vector2& center, double apothem, int sides);
// A rectangle with rounded corners of `steps` sides each. Radius 0: sharp corners.
Loop rectangle(const Vector2& low, const Vector2& high, double radius = 0, int steps = 4);

// The body swept by rotating a profile in the (r, z) half-plane around the z axis. The profile runs counterclockwise
// with r to the right and z up. If its first and last points are on the axis (r = 0), it is open there; any other
// profile is a closed loop. The sides of the polygons, not their corners, are at the profile's radii.
MeshData revolve(std::span<const Vector2> profile, int sides);

}  // namespace whisker::clash
