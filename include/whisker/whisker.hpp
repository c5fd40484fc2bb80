#pragma once

/// \file
/// All of whisker's core. (Reading whole scenes is a target of its own: scene.hpp, whisker::io.)

#include <whisker/axis_box.hpp>
#include <whisker/closest_points.hpp>
#include <whisker/compound.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/custom_convex.hpp>
#include <whisker/error.hpp>
#include <whisker/height_field.hpp>
#include <whisker/hull.hpp>
#include <whisker/interval.hpp>
#include <whisker/io.hpp>
#include <whisker/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/mesh_report.hpp>
#include <whisker/moving_spheres.hpp>
#include <whisker/pose.hpp>
#include <whisker/predicates.hpp>
#include <whisker/primitives.hpp>
#include <whisker/queries.hpp>
#include <whisker/ray.hpp>
#include <whisker/result.hpp>
#include <whisker/separating_axis.hpp>
#include <whisker/shape.hpp>
#include <whisker/triangle_tests.hpp>
#include <whisker/vector.hpp>
#include <whisker/wheel.hpp>
