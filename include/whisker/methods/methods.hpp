#pragma once

/// \file
/// All of the second floor: published methods that the engine does not need, complete and measured. Link
/// whisker::methods.

#include <whisker/methods/broad_phases.hpp>
#include <whisker/methods/closest_features.hpp>
#include <whisker/methods/hull_levels.hpp>
#include <whisker/methods/kdop.hpp>
#include <whisker/methods/moving_volumes.hpp>
#include <whisker/methods/soup_contacts.hpp>
#include <whisker/methods/sphere_builders.hpp>
#include <whisker/methods/surface_hierarchy.hpp>
#include <whisker/methods/swept_sphere.hpp>
#include <whisker/methods/volume_tree.hpp>
