#pragma once

// The built-in example: a two-stage gearbox that is being closed by a robot hand, with mistakes in it.

#include "clash/planted.hpp"

namespace whisker::clash {

// Lengths are in mm. Every pair of parts that touches, or is closer than the clearance that the rules ask for, either
// is planted or is allowed by a rule: fasteners on what they hold, gears in mesh, balls in their races, fits.
// Takes a few tens of milliseconds.
PlantedAssembly make_gearbox();

}  // namespace whisker::clash
