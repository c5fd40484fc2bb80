#pragma once

/// \file
/// ground: the solid ground under a height field.
///
///     const HeightField land(altitudes, columns, rows, 30.0, 30.0);
///     const Shape earth = ground(land);
///     const bool is_buried = contains(earth, point);          // land itself has no inside
///     const Distance gap = signed_distance({car, pose}, earth);
///
/// A HeightField is a surface in all queries: thin, and free space below it. Its ground is a solid in all queries:
/// every point straight below the surface, without end. In the frame of the field, these are the points (x, y, z) for
/// which the surface has a point (x, y, h) with h >= z. In the world, straight below is against the third column of the
/// pose's rotation. Beside the grid there is no ground; below its border are vertical walls.

#include <optional>

#include <whisker/height_field.hpp>
#include <whisker/shape.hpp>

namespace whisker {

/// The ground under a height field, in the field's frame: a Shape of the kind "ground", which is unbounded like a
/// HalfSpace, has an infinite volume and no centroid. It shares the storage of the field.
///
/// - **touches, contains, distance**: a shape below the surface touches it, at distance 0. The surface is as exact as
///   that of the field. A shape that is closer to a wall than 2^-45 of all coordinates involved may be said to touch it.
/// - **depth** and **signed_distance**: `lower` is what single points and triangles prove, `upper` a translation that
///   was verified, to above the surface or out through a wall. A mesh must be solid(). The depth of a half-space is
///   infinite if the ground goes on into it.
/// - **contacts**: the triangles of the surface, numbered as those of the field. What is at a wall, or below the surface
///   without touching it, is a contact with the whole ground.
/// - **Contact manifolds** push a convex shape upward, out of the surface, on whichever side of it the shape's middle is.
///   Where there is only a wall, or a shape is deep in the ground, the closest points or the shortest way out are the
///   only point. A surface (a mesh that is not solid(), a height field) that is deep in the ground is pushed upward.
/// - **Rays** that start in the ground hit it there. A hit on a wall has no `face`; right below a vertex of the border
///   it may be reported as uncertain (RayHit::certain). With a radius (rounded()), walls deeper than a million times the
///   size of the scene are not hit.
/// - **Motions**: it may be moved, but not turned, as a HalfSpace.
/// - **Two grounds**, for example neighboring tiles, are the prisms that they are deep below if they have the same up
///   direction: `distance` and `depth` are those of their cross-sections. Otherwise `lower` of their depth is 0. Two
///   whose up directions differ by less than 2^-20 without being equal are not proven to be apart.
///
/// Contact manifolds of a ground and another unbounded shape are refused, as those of two half-spaces, and so is the
/// depth of a ground and a height field, which has no inside.
Shape ground(const HeightField& field);

/// The surface of a shape that `ground` returned; nothing for all other shapes.
std::optional<HeightField> surface_of_ground(const Shape& shape);

}  // namespace whisker
