#pragma once

// Sphere bodies against placed shapes.

#include <whisker/queries.hpp>

namespace whisker::queries {

/// The distance of a placed shape from a point; poses are known to be good.
Distance distance_of_point(const Placed& placed, const Vector3& point);

}  // namespace whisker::queries
