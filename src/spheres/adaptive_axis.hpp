#pragma once

// Spheres around a solid's medial axis, refined where a better fit is needed: where a sphere protrudes most, a sample
// is added to the Voronoi diagram of the samples (Bradshaw 2002, algorithms 3 and 4).

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "spheres/delaunay.hpp"
#include "spheres/pieces.hpp"
#include "spheres/protrusion.hpp"
#include "spheres/region.hpp"
#include "spheres/sampling.hpp"

namespace whisker::spheres {

/// Selects the ball of a Voronoi cell that covers a surface point outside all medial spheres (Bradshaw 2002). Ties go
/// to the ball with the lowest index.
enum class CoverageChoice {
  deepest,         ///< The ball that contains the point most deeply. The thesis found this choice marginally best.
  smallest,        ///< The ball with the smallest radius.
  nearest_inside,  ///< The ball whose center lies deepest in the solid, or closest to it.
  max_points,      ///< The ball that contains the most middles outside all medial spheres.
};

/// The outcome of a refinement.
struct Refinement {
  enum class End {
    goal,          ///< There are enough spheres, and the worst one is good enough.
    insertions,    ///< The goal's limit on insertions was reached.
    nothing_left,  ///< No sphere can be improved: the surface points closest to the centers are already inserted.
  };
  End end = End::goal;
  std::size_t insertions = 0;
  std::size_t spheres = 0;      ///< The number of spheres that `spheres` returns for the region.
  double worst_protrusion = 0;  ///< The largest protrusion of these spheres.
};

/// The medial and coverage spheres of a solid.
///
/// Medial spheres are the balls around those vertices of the samples' Voronoi diagram that lie inside the solid. Each
/// passes through four samples. Where no medial sphere contains a point that must be covered, a coverage sphere does.
/// Its center may lie outside the solid (the thesis calls such spheres pseudo-medial).
///
/// A point is covered by a ball of the Voronoi cell that it lies in, selected by CoverageChoice: at least one ball of
/// the cell contains it. That ball may be huge where samples are sparse. It therefore competes with the ball centered
/// at the cell's sample that just reaches the point, and the ball that protrudes less is used. This bounds the
/// protrusion of every sphere, up to rounding, by the largest distance from a surface point to its nearest sample: a
/// medial sphere whose center c is at depth d below the surface point q protrudes by r - d, and r is at most |c - q|
/// plus the distance from q to its nearest sample. The competing ball protrudes by at most its radius. An insertion
/// never raises this bound, although it may temporarily raise the worst protrusion itself.
///
/// Copyable: each region refines its own copy, which makes regions independent of each other. They can run in parallel,
/// and the tree does not depend on the number of threads. The solid must outlive all copies.
class AdaptiveAxis {
 public:
  /// Without samples, the axis starts with a corner of the mesh.
  AdaptiveAxis(const Solid& solid, std::span<const SurfaceSample> start,
               CoverageChoice choice = CoverageChoice::deepest);

  struct Goal {
    std::size_t min_spheres = 100;  ///< The spheres around the region.
    double worst_protrusion = 0;    ///< The largest protrusion among the region's medial and coverage spheres.
    std::size_t max_insertions = 1000;
  };
  /// Repeatedly inserts the surface point closest to the center of the region's worst sphere.
  Refinement refine(std::span<const Piece> region, const Goal& goal);

  /// The medial and coverage spheres that contain the middle of a piece of the region. Every middle is in one of them.
  /// `neighbors` are indices into the result.
  std::vector<MedialSphere> spheres(std::span<const Piece> region) const;

  const Delaunay& delaunay() const { return delaunay_; }

  /// The ball of a tetrahedron, in the mesh's frame.
  struct Ball {
    Vector3 center = Vector3::Zero();
    double radius = -1;  // negative: unusable
    // The center's signed distance is computed only when it is needed, because it is expensive.
    bool is_measured = false;
    double height = 0;               // upper bound on the signed distance
    Vector3 foot = Vector3::Zero();  // the closest surface point
  };

 private:
  /// Returns false if the point is already a vertex.
  bool insert(const Vector3& point, std::uint32_t near);

  const Solid* solid_;
  CoverageChoice choice_;
  // The diagram's coordinates are from -1 to 1: (x - middle_) / size_.
  Vector3 middle_;
  double size_ = 1;
  Delaunay delaunay_;
  std::vector<Ball> balls_;      // by tetrahedron
  std::vector<Vector3> points_;  // by vertex, in the mesh's frame
};

}  // namespace whisker::spheres
