#pragma once

/// \file
/// rounded: any shape with a radius around it.
///
///     const Shape block = rounded(Box{{2, 1, 1}}, 0.25);            // a box with rounded edges and corners
///     const Shape skin = rounded(part, 0.05);                       // a mesh with a skin, for example a clearance
///     const Distance gap = distance({block, pose}, {skin, {}});     // 0.3 less than that of the box and the mesh
///     if (const auto found = unrounded(block)) use(found->shape, found->radius);
///
/// A rounded shape consists of all points that are within a radius of a shape: the Minkowski sum of the shape and a
/// ball. The radius is a length in the world, whatever the rounding errors of a rotation do to other lengths.
///
/// It is a Shape like any other: for all queries, batches, worlds, motions and as a part of compounds.

#include <optional>

#include <whisker/shape.hpp>

namespace whisker {

/// All points within `radius` of `shape`, with the origin of the shape's frame. With a radius of 0 it is the shape
/// itself. Otherwise it is a shape of these kinds, where sums of lengths are sums of doubles:
///
/// - a sphere, capsule or sphere set: the same with larger radii. A half-space: the same, moved outward;
/// - a compound: the compound of its rounded parts;
/// - a rounded shape: one with the sum of the two radii. A sphere body: its rounded mesh;
/// - a plane: a "rounded plane", a slab without end. A ground: a "rounded ground", whose upper edges are round;
/// - any other bounded convex shape: a "rounded convex shape". It has everything that bounded convex shapes have, a
///   support function and contact manifolds included. Rays can be cast at it even if `shape` is a CustomConvex. Its
///   queries with convex shapes are answered by the same search as those of `shape`, and are as accurate;
/// - a mesh or height field: a "rounded surface". A mesh that is not solid(), and a height field, becomes a shell of
///   twice the radius. A solid mesh grows outward, and stays solid.
///
/// **Contacts** of a rounded surface are all of its triangles, or pairs of triangles, that are not proven to be farther
/// apart than the radii. Features are numbered as those of `shape`, and the point of a contact lies in both rounded
/// features.
///
/// **Depth** of a rounded surface is found by a search, as that of a mesh: `lower` is what the shapes without radii, or
/// single triangles, prove; `upper` is verified. A mesh need not be solid, and a height field need not be a ground.
///
/// **Rays** are as accurate as those against other solids (ray.hpp). `face` of a hit on a rounded surface is the point of
/// the surface that is the radius away; of several triangles that share it, the one with the lowest number. If a ray
/// starts inside a rounded surface, the normal is zero, and there is no face.
///
/// **Volume and centroid** are those of closed forms (Steiner's formula), up to rounding, if `shape` is a box, segment,
/// triangle, cylinder, cone, ellipsoid or convex hull. For custom shapes and rounded surfaces both throw an Error; use
/// `mass_properties` (mass.hpp), which has bounds for these. A rounded compound sums up its parts. The volume of a
/// rounded plane or ground is infinite, and it has no centroid.
///
/// Throws an Error if the radius is NaN, negative, infinite or beyond `max_coordinate`, also in sum with that of `shape`.
Shape rounded(const Shape& shape, double radius);

/// What a rounded shape is made of.
struct Rounding {
  Shape shape;
  double radius = 0;  ///< In the user's unit.
};

/// The shape and the radius of a "rounded convex shape", "rounded surface", "rounded plane" or "rounded ground"; nothing
/// for all other kinds, also for those that `rounded` returns, such as spheres.
std::optional<Rounding> unrounded(const Shape& shape);

}  // namespace whisker
