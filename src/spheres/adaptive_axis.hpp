#pragma once

// Spheres about a solid's medial axis that fit better and better where it is asked: samples are added to their Voronoi
// diagram where a sphere stands off most (Bradshaw 2002, algorithms 3 and 4).

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/delaunay.hpp"
#include "spheres/medial_axis.hpp"
#include "spheres/pieces.hpp"
#include "spheres/protrusion.hpp"
#include "spheres/sampling.hpp"

namespace whisker::spheres {

/// Which ball of a Voronoi cell covers a point of the surface that no medial sphere holds (Bradshaw 2002). Of
/// equal ones the one with the lowest number.
enum class CoverageChoice {
  deepest,         ///< The one that the point lies deepest in. The thesis found it marginally best.
  smallest,        ///< The one with the least radius.
  nearest_inside,  ///< The one whose center lies deepest in the solid, or nearest to it.
  max_points,      ///< The one that holds the most middles which no medial sphere holds.
};

/// What a refinement came to.
struct Refinement {
  enum class End {
    goal,          ///< There are enough spheres, and the worst is good enough.
    insertions,    ///< As many points were inserted as the goal allows.
    nothing_left,  ///< The spheres cannot be made better: the points closest to them have been inserted already.
  };
  End end = End::goal;
  std::size_t insertions = 0;
  std::size_t spheres = 0;      ///< As many as `spheres` of the region gives now.
  double worst_protrusion = 0;  ///< The largest of them.
};

/// The medial spheres of a solid: the balls about the vertices of its samples' Voronoi diagram that lie inside, each
/// through four samples. And where none of them holds a point that must be covered, coverage spheres, which may have
/// their centers outside (the thesis calls them pseudo-medial).
///
/// A point is covered by a ball of the Voronoi cell that it lies in, as CoverageChoice says: one of these holds it. But
/// that ball may be huge where the samples are sparse. So it competes with the ball about the cell's sample that just
/// reaches the points, and the one that stands off less is taken. From this follows what no sphere can exceed, up to
/// rounding: the distance from a point of the surface to the nearest sample, at most. A medial sphere with its center c
/// at the depth d below the surface point q stands off r - d, and r is at most |c - q| plus the distance from q to the
/// sample nearest to it; the competing ball stands off no more than its radius. An insertion never raises this bound,
/// although it may raise the worst protrusion itself for a while.
///
/// Copyable: regions refine copies of their own, which makes regions independent of each other (parallel, and the same
/// tree whatever the number of threads). The solid must outlive all copies.
class AdaptiveAxis {
 public:
  /// Without samples it begins with a corner of the mesh.
  AdaptiveAxis(const Solid& solid, std::span<const SurfaceSample> start,
               CoverageChoice choice = CoverageChoice::deepest);

  struct Goal {
    std::size_t min_spheres = 100;  ///< About the region.
    double worst_protrusion = 0;    ///< Of the region's spheres, medial and coverage.
    std::size_t max_insertions = 1000;
  };
  /// Inserts the surface point closest to the center of the worst sphere of the region, again and again.
  Refinement refine(std::span<const Piece> region, const Goal& goal);

  /// The medial and coverage spheres that hold the middle of a piece of the region; every middle is in one of them.
  /// `neighbors` are numbers in the result.
  std::vector<MedialSphere> spheres(std::span<const Piece> region) const;

  const Delaunay& delaunay() const { return delaunay_; }

  /// The ball of a tetrahedron, in the mesh's frame.
  struct Ball {
    Vector3 center = Vector3::Zero();
    double radius = -1;  // negative: of no use
    // The signed distance of the center is asked when it is needed, for it is dear.
    bool is_measured = false;
    double height = 0;               // at least the signed distance
    Vector3 foot = Vector3::Zero();  // the closest point of the surface
  };

 private:
  /// False if the point is there already.
  bool insert(const Vector3& point, std::uint32_t near);

  const Solid* solid_;
  CoverageChoice choice_;
  // The diagram has coordinates from -1 to 1: (x - middle_) / size_.
  Vector3 middle_;
  double size_ = 1;
  Delaunay delaunay_;
  std::vector<Ball> balls_;      // by tetrahedron
  std::vector<Vector3> points_;  // by vertex, in the mesh's frame
};

}  // namespace whisker::spheres
