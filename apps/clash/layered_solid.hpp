#pragma once

// Closed triangle meshes from flat outlines: plates with holes, housings with pockets, anything that is cut along z.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

namespace whisker::clash {

// A simple polygon in the xy plane, counter-clockwise.
using Loop = std::vector<Vector2>;

// Cuts the region inside `outline` and outside all `holes` into triangles that use every vertex and no other. The loops
// may not touch each other. Triangles number the vertices of the outline first, then those of the holes in order.
// Throws std::logic_error if there is no such cut, because loops cross or touch.
std::vector<Index3> triangulate(const Loop& outline, std::span<const Loop> holes = {});

// Where along z a region is filled.
struct Span {
  double from = 0;
  double to = 0;
};

// A solid of prisms: regions of the xy plane, each filled between some heights. Regions may share borders but not
// overlap, and where they share a border they have the same vertices on it. What lies between two filled regions is no
// border of the solid, so the result is one closed surface.
class LayeredSolid {
 public:
  void add(const Loop& outline, std::span<const Loop> holes, std::span<const Span> filled);
  void add(const Loop& outline, std::initializer_list<Loop> holes, std::initializer_list<Span> filled) {
    add(outline, std::span(holes.begin(), holes.size()), std::span(filled.begin(), filled.size()));
  }

  MeshData mesh() const;

 private:
  struct Region {
    std::vector<Index3> triangles;  // numbers of points_
    std::vector<Span> filled;
  };
  std::vector<Vector2> points_;
  std::map<std::pair<double, double>, std::uint32_t> numbers_;  // of points_
  std::vector<Region> regions_;
};

// One region between two heights.
MeshData extrude(const Loop& outline, std::span<const Loop> holes, double from, double to);
inline MeshData extrude(const Loop& outline, double from, double to) {
  return extrude(outline, {}, from, to);
}

// A regular polygon whose sides are `apothem` from the center, one of them facing +x (and with a multiple of four
// sides, one facing each of the four axes).
Loop polygon(const Vector2& center, double apothem, int sides);
// A rectangle with rounded corners, of `steps` sides each; radius 0: sharp ones.
Loop rectangle(const Vector2& low, const Vector2& high, double radius = 0, int steps = 4);

// The body that a profile in the (r, z) half-plane sweeps around the z axis: counter-clockwise where r is to the right
// and z up. A profile whose first and last points are on the axis (r = 0) is open there; any other is a closed loop.
// Sides of the polygons, not their corners, are at the profile's radii.
MeshData revolve(std::span<const Vector2> profile, int sides);

}  // namespace whisker::clash
