#pragma once

/// \file
/// Includes all of whisker's core.
///
///     #include <whisker/whisker.hpp>
///
///     const whisker::Shape ball = whisker::Sphere{0.5}, crate = whisker::Box{{1, 1, 1}};
///     const double gap = whisker::distance(ball, {crate, whisker::Pose(whisker::Vector3(2, 0, 0))}).value();
///
/// Not included are scene.hpp (reading whole scenes) and robot/urdf.hpp, which belong to the separate target
/// whisker::io, and methods/methods.hpp, which belongs to whisker::methods.

#include <whisker/batch.hpp>
#include <whisker/compound.hpp>
#include <whisker/contact_manifold.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/custom_convex.hpp>
#include <whisker/deforming_mesh.hpp>
#include <whisker/detail/held.hpp>
#include <whisker/editing/mesh_report.hpp>
#include <whisker/editing/repair.hpp>
#include <whisker/editing/simplify.hpp>
#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/hull.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/geometry/moving_features.hpp>
#include <whisker/geometry/moving_spheres.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/geometry/separating_axis.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/geometry/wheel.hpp>
#include <whisker/height_field.hpp>
#include <whisker/io.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/make/tetrahedra.hpp>
#include <whisker/mass.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/motion.hpp>
#include <whisker/near_features.hpp>
#include <whisker/pair_cache.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/queries.hpp>
#include <whisker/ray.hpp>
#include <whisker/result.hpp>
#include <whisker/robot/articulated.hpp>
#include <whisker/self_contacts.hpp>
#include <whisker/shape.hpp>
#include <whisker/simd.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_contacts.hpp>
#include <whisker/spheres/sphere_query.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>
#include <whisker/spheres/sphere_world.hpp>
#include <whisker/tetrahedra/tetrahedral_contacts.hpp>
#include <whisker/tetrahedra/tetrahedral_depths.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>
#include <whisker/vector.hpp>
#include <whisker/world.hpp>
#include <whisker/world/broad_phase.hpp>
#include <whisker/world/contact_schedule.hpp>
