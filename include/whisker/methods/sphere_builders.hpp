#pragma once

/// \file
/// Published methods to build sphere trees, in addition to those of SphereTreeMethod (P. Hubbard 1995; G. Bradshaw
/// 2002).
///
///     SphereTree tree = build_sphere_tree(mesh, {.builder = methods::grid_builder(), .depth = 2});
///     SphereSet set = build_sphere_set(mesh, 12, {.builder = methods::burst_builder(), .protrusion = 0.05});
///
/// Their trees and sets satisfy all guarantees of spheres/sphere_tree.hpp. docs/spheres.md describes what they cost and
/// how well they fit. A builder that builds trees only throws an Error when a set is requested.

#include <memory>

#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::methods {

/// Covers each region by the cubes of a grid, which is rotated, shifted and scaled so that few cubes contain the
/// surface. Trees only.
std::shared_ptr<const SphereBuilder> grid_builder();
/// A grid tree with two spheres per node: the smallest sphere around the region, and a second one with the least
/// protrusion (SphereTree::min_error). Trees only.
std::shared_ptr<const SphereBuilder> hybrid_builder();
/// Hubbard's original method: spheres around those vertices of a Voronoi diagram that lie inside the solid, merged pair
/// by pair. For comparison. Trees only.
std::shared_ptr<const SphereBuilder> hubbard_builder();
/// Starts with spheres around the vertices of a Voronoi diagram that is refined in each region. Repeatedly removes one
/// sphere and assigns its part of the surface to its neighbors, choosing the removal that increases their worst
/// protrusion least.
std::shared_ptr<const SphereBuilder> burst_builder();
/// Like SphereTreeMethod::expand, but the centers are found by a search, without a Voronoi diagram.
std::shared_ptr<const SphereBuilder> spawn_builder();

}  // namespace whisker::methods
