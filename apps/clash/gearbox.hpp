#pragma once

// The built-in example: a two-stage gearbox that a robot hand is closing, with deliberate mistakes in it.

#include "clash/planted.hpp"

namespace whisker::clash {

// Lengths are in mm. Every pair of parts that touches, or is closer than the required clearance, is either planted or
// allowed by a rule: fasteners on what they hold, meshing gears, balls in their races, fits. Takes a few tens of
// milliseconds.
PlantedAssembly make_gearbox();

}  // namespace whisker::clash
