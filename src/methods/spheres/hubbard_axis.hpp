#pragma once

// The medial spheres from which Hubbard's sphere trees are merged.

#include <array>
#include <cstdint>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "methods/spheres/planar_clusters.hpp"
#include "methods/spheres/relax_samples.hpp"
#include "spheres/protrusion.hpp"

namespace whisker::methods {

using spheres::Solid;

/// P. Hubbard, "Collision detection for interactive graphics applications" (1995), as described by Bradshaw 2002.
struct HubbardAxis {
  struct MedialBall {
    BoundingSphere sphere;
    std::array<std::uint32_t, 4> samples;  ///< The samples that it passes through.
    std::vector<std::uint32_t> neighbors;  ///< The balls whose Voronoi vertices share an edge with this ball's vertex.
  };
  std::vector<SurfaceSample> samples;
  std::vector<Vector3> normals;  ///< The normals of the samples' triangles.
  std::vector<MedialBall> balls;
  std::size_t repairs = 0;         ///< Samples added to repair gap crossings.
  std::size_t crossings_left = 0;  ///< Crossing faces for which no further sample was possible or allowed.
};

struct HubbardAxisOptions {
  /// The maximum number of samples added to repair crossings.
  std::size_t max_repairs = 1000;
};

/// Computes the balls around those Voronoi vertices of the samples that lie in the solid.
///
/// Two cells cross a gap if the face between them touches a flat part of the surface (PlanarClusters) that is not near
/// the flat parts of both samples. The Voronoi vertices there may connect what the surface separates ("bridged"), or
/// miss what it connects ("broken"). For each such face, the samples that are not on that flat part are projected onto
/// its plane. Projections that fall on one of its triangles become new samples. If there are none, the point of the
/// triangle that was hit which is closest to one of the two samples becomes a new sample. Then the new cells are
/// checked.
HubbardAxis hubbard_axis(const Solid& solid, const PlanarClusters& clusters, std::vector<SurfaceSample> samples,
                         const HubbardAxisOptions& options = {});

}  // namespace whisker::methods
