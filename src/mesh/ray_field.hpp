#pragma once

// Finds every triangle of a height field that a ray hits. (ray_height_field finds the first one.)

#include <vector>

#include <whisker/height_field.hpp>

namespace whisker::mesh {

/// Adds every triangle that is hit, in no particular order; `face->triangle` is its number.
void cast_ray_all_field(const Ray& ray, const HeightField& field, const Pose& pose, const RayRange& range,
                        std::vector<RayHit>& hits);

}  // namespace whisker::mesh
