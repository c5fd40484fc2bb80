#pragma once

/// \file
/// Published ways to build sphere trees, beside those of SphereTreeMethod (P. Hubbard 1995; G. Bradshaw 2002):
///
///     SphereTree tree = build_sphere_tree(mesh, {.builder = methods::grid_builder(), .depth = 2});
///     SphereSet set = build_sphere_set(mesh, 12, {.builder = methods::burst_builder()});
///
/// Their trees and sets keep all that is promised in whisker/spheres/sphere_tree.hpp. What they cost and how well they
/// fit stands in docs/spheres.md.

#include <memory>

#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::methods {

/// In each region a grid of cubes, turned, moved and sized so that few of them hold the surface. Trees only.
std::shared_ptr<const SphereBuilder> grid_builder();
/// A grid tree with the smallest sphere around each region, and a second one that stands off least
/// (SphereTree::min_error). Trees only.
std::shared_ptr<const SphereBuilder> hybrid_builder();
/// Hubbard's own: spheres about the vertices of a Voronoi diagram that lie inside, merged pair by pair. For comparison.
/// Trees only.
std::shared_ptr<const SphereBuilder> hubbard_builder();
/// A sphere about a vertex of a Voronoi diagram, which is refined in each region, is removed, again and again, and its
/// surface given to its neighbors, where these stand off least then.
std::shared_ptr<const SphereBuilder> burst_builder();
/// As SphereTreeMethod::expand, with centers found by a search, without the diagram.
std::shared_ptr<const SphereBuilder> spawn_builder();

}  // namespace whisker::methods
