#pragma once

// closest_features() without input checks, as a building block for other queries.

#include <utility>

#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods::marching {

/// `full` continues until the bounds are tight. `quick` leaves pairs undecided that doubles do not prove disjoint, with
/// the bounds known so far: upper may be infinite. `walk` proves nothing: only the features are valid.
enum class MarchEffort { walk, quick, full };

ClosestFeatures march_closest_features(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b,
                                       Feature start_a, Feature start_b, MarchRule rule, std::uint64_t budget,
                                       MarchEffort effort);

/// Features to start from: of each hull, the vertex that faces the other hull's centroid, according to a table.
std::pair<Feature, Feature> facing_vertices(const MarchHull& a, const Pose& pose_a, const DirectionTable& table_a,
                                            const MarchHull& b, const Pose& pose_b, const DirectionTable& table_b);

}  // namespace whisker::methods::marching
