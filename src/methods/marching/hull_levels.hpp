#pragma once

// How levels of detail are made and kept.

#include <optional>
#include <vector>

#include <whisker/methods/hull_levels.hpp>

#include "geometry/check_index.hpp"
#include "methods/marching/voronoi_march.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {

struct HullLevels::Storage {
  /// For the vertices, then the edges, then the faces of a level: the features that they are linked with.
  using Links = std::vector<Feature>;

  struct Level {
    MarchingHull hull;
    double deviation = 0;
    Links child;   // of the next finer level; empty at level 0
    Links parent;  // of the next coarser level; empty at the coarsest
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

/// Where a feature stands in Links.
std::size_t link_index(const MarchHull& hull, Feature feature);

/// The number of triangles that the hull's faces make.
std::size_t triangle_count(const ConvexHull& hull);

/// The vertex of the hull highest along `direction`, found by climbing from `start`; exact, but for merged hulls.
std::uint32_t highest_vertex(const MarchHull& hull, std::uint32_t start, const Vector3& direction);

/// Whether the finest hull lies in `outer`, in real arithmetic. May say no where it does by a hair.
bool contains_hull(const ConvexHull& outer, const MarchHull& finest);

/// The factor by which `hull` must be scaled about `center` to hold the finest hull, or nothing if the center is not
/// inside of it.
std::optional<double> bounding_factor(const ConvexHull& hull, const Vector3& center, const MarchHull& finest);

/// The hull of the points, scaled about `center` by as little more than `factor` as it takes to be proven to hold the
/// finest hull.
std::optional<ConvexHull> enclosing_hull(std::span<const Vector3> points, const Vector3& center, double factor,
                                         const MarchHull& finest);

/// A bound of how far a hull around the finest one departs from it.
double deviation_from(const ConvexHull& outer, const MarchingHull& finest);

/// Links by position and orientation (Ehmann and Lin 2000, section 3.1): the children of coarse features, the parents
/// of fine ones.
Links nearest_children(const MarchingHull& coarse, const MarchingHull& fine);
Links extremal_parents(const MarchingHull& fine, const MarchingHull& coarse);

/// Adds coarser levels to `levels`, which holds the original.
void add_quadric_levels(std::vector<Level>& levels, const HullLevelOptions& options);
void add_removal_levels(std::vector<Level>& levels, const HullLevelOptions& options);

/// The corners of about `target` triangles that stand for the hull's.
std::vector<Vector3> simplified_corners(const ConvexHull& hull, std::size_t target);

}  // namespace marching
}  // namespace whisker::methods
