#pragma once

// How the levels of detail of a hull are built and stored.

#include <optional>
#include <vector>

#include <whisker/methods/hull_levels.hpp>

#include "geometry/check_index.hpp"
#include "methods/marching/voronoi_march.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {

struct HullLevels::Storage {
  /// The linked features for the vertices, then the edges, then the faces of a level.
  using Links = std::vector<Feature>;

  struct Level {
    MarchingHull hull;
    double deviation = 0;
    Links child;   // links to the next finer level; empty at level 0
    Links parent;  // links to the next coarser level; empty at the coarsest
  };
  std::vector<Level> levels;
  std::optional<DirectionTable> coarsest_table;

  const Level& at(std::size_t index) const {
    geometry::check_index("hull levels: level", index, levels.size());
    return levels[index];
  }
};

namespace marching {

using Level = StorageOf<HullLevels>::Level;
using Links = StorageOf<HullLevels>::Links;

/// The index of a feature in Links.
std::size_t link_index(const MarchHull& hull, Feature feature);

/// The number of triangles after triangulating the hull's faces.
std::size_t triangle_count(const ConvexHull& hull);

/// The vertex of the hull highest along `direction`, found by climbing from `start`. Exact, except for merged hulls.
std::uint32_t highest_vertex(const MarchHull& hull, std::uint32_t start, const Vector3& direction);

/// The factor by which `hull` must be scaled about `center` to contain the finest hull. Empty if the center is not
/// inside `hull`.
std::optional<double> bounding_factor(const ConvexHull& hull, const Vector3& center, const MarchHull& finest);

/// The hull of the points, scaled about `center` by `factor` and as little more as it takes to prove that it contains
/// the finest hull. Empty if that fails.
std::optional<ConvexHull> enclosing_hull(std::span<const Vector3> points, const Vector3& center, double factor,
                                         const MarchHull& finest);

/// Upper bound on the distance of an enclosing hull from the finest hull.
double deviation_from(const ConvexHull& outer, const MarchingHull& finest);

/// Links by position and orientation (Ehmann and Lin 2000, section 3.1): the children of coarse features, and the
/// parents of fine features.
Links nearest_children(const MarchingHull& coarse, const MarchingHull& fine);
Links extremal_parents(const MarchingHull& fine, const MarchingHull& coarse);

/// Adds coarser levels to `levels`, which contains the original.
void add_quadric_levels(std::vector<Level>& levels, const HullLevelOptions& options);
void add_removal_levels(std::vector<Level>& levels, const HullLevelOptions& options);

}  // namespace marching
}  // namespace whisker::methods
