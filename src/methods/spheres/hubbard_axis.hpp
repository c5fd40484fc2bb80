#pragma once

// The medial spheres that Hubbard's sphere trees are merged from.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "methods/spheres/planar_clusters.hpp"
#include "methods/spheres/relax_samples.hpp"
#include "spheres/protrusion.hpp"

namespace whisker::methods {

using spheres::Solid;

/// P. Hubbard, "Collision detection for interactive graphics applications" (1995), as Bradshaw 2002 tells it.
struct HubbardAxis {
  struct MedialBall {
    BoundingSphere sphere;
    std::array<std::uint32_t, 4> samples;  ///< Those it passes through.
    std::vector<std::uint32_t> neighbors;  ///< The balls whose Voronoi vertices an edge joins to this one's.
  };
  std::vector<SurfaceSample> samples;
  std::vector<Vector3> normals;  ///< Of the samples' triangles.
  std::vector<MedialBall> balls;
  std::size_t repairs = 0;         ///< Samples that the repair of gap crossings added.
  std::size_t crossings_left = 0;  ///< Faces found to cross where no further sample was possible or allowed.
};

struct HubbardAxisOptions {
  /// At most so many samples are added to repair crossings.
  std::size_t max_repairs = 1000;
};

/// The balls about the Voronoi vertices of the samples that lie in the solid.
///
/// Two cells cross a gap where the face between them touches a flat part of the surface (PlanarClusters) that does not
/// hold the samples of both, unless that part is near those of both samples: the Voronoi vertices there may join what
/// the surface parts ("bridged"), or lack what it joins ("broken"). For each such face the samples that are not on that
/// part are projected on its plane; the projections that fall on one of its triangles are new samples. If none does,
/// the point of the triangle that was hit which is closest to one of the two samples is one. Then the new cells are
/// looked at.
HubbardAxis hubbard_axis(const Solid& solid, const PlanarClusters& clusters, std::vector<SurfaceSample> samples,
                         const HubbardAxisOptions& options = {});

}  // namespace whisker::methods
