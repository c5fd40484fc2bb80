#pragma once

/// \file
/// Includes all headers of whisker::methods: complete and measured implementations of published methods that the
/// library's own queries do not need. Link with whisker::methods.

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
