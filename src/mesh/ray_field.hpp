#pragma once

// Every triangle of a height field that a ray hits. (The first one: ray_height_field.)

#include <vector>

#include <whisker/height_field.hpp>

namespace whisker::mesh {

/// Adds every triangle that is hit, in no order; `face->triangle` is its number.
void cast_ray_all_field(const Ray& ray, const HeightField& field, const Pose& pose, const RayRange& range,
                        std::vector<RayHit>& hits);

}  // namespace whisker::mesh
