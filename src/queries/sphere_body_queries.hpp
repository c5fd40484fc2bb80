#pragma once

// Queries of sphere bodies against placed shapes.

#include <whisker/queries.hpp>

namespace whisker::queries {

/// The distance of a placed shape from a point. The pose must be valid.
Distance distance_of_point(const Placed& placed, const Vector3& point);

}  // namespace whisker::queries
