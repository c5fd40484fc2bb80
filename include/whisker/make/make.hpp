#pragma once

/// \file
/// Generates meshes from a few parameters: the models of the tests, the benchmarks, the examples and `whisker make`.
///
///     MeshData ball = make::uv_sphere({.radius = 0.5, .stacks = 16});
///     MeshData gear = make::gear({.teeth = 24, .module = 2});
///     const Shape part = Mesh(std::move(gear)).solid();
///
/// Each model is a plain struct of options with documented defaults, and a function that builds its triangles.
///
/// Triangles are counter-clockwise seen from outside. A closed model is closed by index: every edge belongs to exactly
/// two triangles, which traverse it in opposite directions. Every model is identical, bit for bit, on every platform:
/// sines and random numbers are computed here, not by the standard library.
///
/// Lengths are in the user's unit, from `make::smallest_length` to `make::largest_length`. The lengths of one model
/// must be within a factor of 1e6 of each other. Angles are in degrees. A `seed` selects the random numbers of a model.
/// Every function throws an Error that names the option, its value and the allowed range if a number is out of range,
/// or if the model would have more than `make::max_triangles` triangles.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

namespace whisker::make {

/// The range of every option that is a length.
inline constexpr double smallest_length = 1e-9;
inline constexpr double largest_length = 1e9;
/// The largest number of triangles that a model may have.
inline constexpr int max_triangles = 50'000'000;

/// A sphere centered at the origin with its poles on the z axis: 2·slices·(stacks − 1) triangles. With the default
/// slices that is 4·n·(n − 1) for n stacks: 8, 24, 48, 80, 120, 168, 224…, the series of Kitamura et al. (1998). The
/// vertices are on the sphere, so the mesh is inside it.
struct UvSphere {
  double radius = 1;
  int stacks = 16;  ///< bands from pole to pole
  int slices = 0;   ///< segments around the axis; 0: twice the stacks
};
MeshData uv_sphere(const UvSphere& options = {});

/// A sphere centered at the origin, made from an icosahedron whose triangles are split into four, `subdivisions` times:
/// 20·4^subdivisions triangles of almost equal size.
struct Icosphere {
  double radius = 1;
  int subdivisions = 3;
};
MeshData icosphere(const Icosphere& options = {});

/// A torus around the z axis: 2·around·across triangles.
struct Torus {
  double major = 1;     ///< radius of the circle in the xy plane that the tube follows
  double minor = 0.25;  ///< radius of the tube, below `major`
  int around = 48;      ///< segments around the z axis
  int across = 24;      ///< segments around the tube
};
MeshData torus(const Torus& options = {});

/// A torus whose tube has lobes that twist around it, and random wrinkles, after the model of Gottschalk, Lin and
/// Manocha (1996): 2·around·across triangles, 20,000 by default. The radius of the tube at a point is minor·(1 + a),
/// with |a| at most lobe_depth + wrinkle_depth.
struct WrinkledTorus {
  double major = 1;             ///< as in Torus
  double minor = 0.35;          ///< mean radius of the tube
  int around = 200;             ///< as in Torus
  int across = 50;              ///< as in Torus
  int lobes = 3;                ///< ridges along the tube
  int twists = 5;               ///< by how many ridges the cross-section rotates in one round
  double lobe_depth = 0.25;     ///< height of the ridges, as a fraction of `minor`
  double wrinkle_depth = 0.25;  ///< height of the wrinkles, as a fraction of `minor`
  int wrinkles = 12;            ///< number of random waves that are summed
  std::uint64_t seed = 1;
};
MeshData wrinkled_torus(const WrinkledTorus& options = {});

/// A box centered at the origin: 12·subdivisions² triangles.
struct Box {
  double size_x = 1;  ///< full length
  double size_y = 1;
  double size_z = 1;
  int subdivisions = 1;  ///< segments of every edge
};
MeshData box(const Box& options = {});

/// A cylinder with caps at z = ±length/2: 2·slices·(stacks + 1) triangles. The vertices are on the true cylinder.
struct Cylinder {
  double radius = 0.5;
  double length = 1;
  int slices = 32;  ///< segments around the axis
  int stacks = 1;   ///< bands along the axis
};
MeshData cylinder(const Cylinder& options = {});

/// A cone with its base at z = -length/2 and its apex at z = +length/2: 2·slices·stacks triangles.
struct Cone {
  double radius = 0.5;
  double length = 1;
  int slices = 32;  ///< segments around the axis
  int stacks = 1;   ///< bands along the axis
};
MeshData cone(const Cone& options = {});

/// All points within `radius` of the segment from z = -length/2 to z = +length/2: 4·slices·stacks triangles.
struct Capsule {
  double radius = 0.5;
  double length = 1;  ///< of the segment; the whole capsule is 2·radius longer
  int slices = 32;    ///< segments around the axis
  int stacks = 8;     ///< bands of each hemisphere
};
MeshData capsule(const Capsule& options = {});

/// A thick S with a round cross-section, in the xy plane and centered at the origin: two arcs of `sweep` degrees with
/// flat ends, 2·across·(2·along + 1) triangles.
struct SShape {
  double bend_radius = 1;     ///< of the two arcs, whose centers are (0, ±bend_radius, 0)
  double tube_radius = 0.35;  ///< below half the bend radius
  double sweep = 225;         ///< degrees of each arc
  int along = 32;             ///< segments of each arc, at least one per 60 degrees
  int across = 24;            ///< segments around the tube
};
MeshData s_shape(const SShape& options = {});

/// A box centered at the origin with a rectangular slot cut through it along z: the simplest solid with a hole, 32
/// triangles.
struct Block {
  double size_x = 2;  ///< full length
  double size_y = 1;
  double size_z = 0.5;
  double slot_x = 1;    ///< full width of the slot, below size_x
  double slot_y = 0.4;  ///< below size_y
};
MeshData block(const Block& options = {});

/// An involute spur gear around the z axis, with a tooth centered on the +x axis, from z = -width/2 to z = +width/2.
///
/// The pitch radius is module·teeth/2. The tips are one module outside it, the roots 1.25 modules inside. Flanks below
/// the base circle are radial. The vertices of the outline are on the true gear. Since its flanks are convex, the mesh
/// is inside the true gear.
///
/// Two gears of the same module and pressure angle mesh at the distance `meshing_distance`, rotated by `meshing_angle`.
/// If each has at least 2/sin²(pressure angle) teeth (17.1 for 20 degrees), no tip reaches below the other's involute.
/// Smaller gears may overlap near their roots. With a backlash above 0, no flanks touch when both gears are in the
/// middle of their play.
///
/// Teeth that would be pointed below their tips, or meet at their roots, are an Error.
struct Gear {
  int teeth = 20;
  double module = 1;           ///< pitch diameter per tooth
  double pressure_angle = 20;  ///< degrees
  double width = 4;            ///< along z
  double bore = 0;             ///< radius of the hole; 0: none
  int flank_points = 6;        ///< vertices along an involute flank
  double backlash = 0.04;      ///< how much thinner than half the pitch a tooth is on the pitch circle, in modules
};
/// The mesh of a gear: 4·N triangles without a bore, where N is the number of vertices in the outline, and 12·teeth
/// more with one.
MeshData gear(const Gear& options = {});
/// The gear's outline in the xy plane, counter-clockwise, without the bore.
std::vector<Vector2> gear_outline(const Gear& options = {});
/// The distance between the axes of two meshing gears of this module. Throws an Error if a number of teeth or the
/// module is out of range.
double meshing_distance(int driver_teeth, int driven_teeth, double module);
/// The angle about z, in radians, at which a gear centered at (meshing_distance, 0, 0) meshes with a driver that is
/// centered at the origin and rotated by `driver_angle` radians: π - π/driven_teeth -
/// driver_angle·driver_teeth/driven_teeth. Throws an Error if a number of teeth is out of range.
double meshing_angle(int driver_teeth, int driven_teeth, double driver_angle = 0);

/// A cube of pipes along x, y and z that weave past each other without touching: 3·count² closed tubes with
/// 2·segments·(stretches + 1) − 4 long thin triangles each. The defaults give 143,424 triangles, about as many as the
/// pipes of Gottschalk, Lin and Manocha (1996). The cube is centered at the origin, and its side is count·spacing.
struct Pipes {
  int count = 12;        ///< pipes per row; every direction has count² pipes
  double spacing = 1;    ///< between neighboring pipes of one direction
  double radius = 0.15;  ///< of a pipe; radius + wander must be below spacing/4
  double wander = 0.08;  ///< largest deviation of a pipe's center from its straight line, along each axis across it
  int segments = 12;     ///< segments around a pipe
  int stretches = 13;    ///< straight segments along a pipe
  std::uint64_t seed = 1;
};
MeshData pipes(const Pipes& options = {});

/// A chair that stands on z = 0 with its back toward +y: 146 triangles in twelve closed parts that touch but do not
/// overlap (a slightly domed seat, four legs, two side bars, two posts and three slats).
struct Chair {
  double width = 0.45;  ///< along x
  double depth = 0.45;  ///< along y
  double seat_height = 0.45;
  double back_height = 0.9;  ///< of the whole chair
  double thickness = 0.04;   ///< of seat, legs, bars and posts
};
MeshData chair(const Chair& options = {});

/// An open landscape over the rectangle size_x × size_y centered at the origin, with z up: 2·columns·rows triangles.
///
/// Its height is a sum of `octaves` layers of smooth random noise. Each layer has twice the frequency and `roughness`
/// times the height of the previous one, scaled so that the sum stays within ±height. Round dimples and pointed spikes
/// at random places are added to it.
struct Terrain {
  int columns = 64;  ///< cells along x
  int rows = 64;     ///< cells along y
  double size_x = 10;
  double size_y = 10;
  double height = 1;       ///< the noise stays within ±height
  double hills = 4;        ///< waves of the first octave across the longer side
  int octaves = 5;         ///< layers of noise
  double roughness = 0.5;  ///< height of a layer relative to the previous one
  int dimples = 0;
  double dimple_depth = 0.4;
  double dimple_radius = 0.8;
  int spikes = 0;
  double spike_height = 2;
  double spike_radius = 0.5;
  std::uint64_t seed = 1;
};
MeshData terrain(const Terrain& options = {});

/// An open sheet of cloth centered at the origin, of 2·columns·rows triangles, with regular folds across x and random
/// wrinkles.
///
/// The cross-section of the folds is a sine-generated curve (Langbein and Leopold 1966), which bends the sheet without
/// stretching it. From a slope of about 125 degrees on, neighboring folds would touch; the limit is 120. Wrinkles
/// displace the sheet along its normal by at most wrinkle_height.
struct ClothSheet {
  int columns = 64;   ///< cells along x
  int rows = 64;      ///< cells along y
  double size_x = 1;  ///< length of the cloth along x, before it is folded
  double size_y = 1;
  int folds = 0;                 ///< full waves across x; 0: flat except for the wrinkles
  double fold_angle = 90;        ///< steepest slope of a fold, in degrees
  double wrinkle_height = 0.02;  ///< largest displacement along the normal
  double wrinkles = 6;           ///< approximate number of waves across the longer side
  std::uint64_t seed = 1;
};
MeshData cloth_sheet(const ClothSheet& options = {});

/// The convex hull of `points` random points on an ellipsoid centered at the origin: 2·points − 4 triangles (fewer in
/// the rare case that rounding puts a point inside the hull).
struct RandomHull {
  int points = 64;
  double radius_x = 1;  ///< semi-axes of the ellipsoid
  double radius_y = 1;
  double radius_z = 1;
  std::uint64_t seed = 1;
};
MeshData random_hull(const RandomHull& options = {});

/// An option of a model, described for a command line or a form.
struct Parameter {
  enum class Kind { integer, real };

  std::string_view name;     ///< the name of the struct's field, in kebab-case
  std::string_view summary;  ///< a few words of description
  Kind kind;
  double initial;  ///< the default value
  double least;    ///< the smallest allowed value; other options may restrict it further
  double most;     ///< the largest allowed value; other options may restrict it further
};

/// A model that can be chosen by name at run time.
struct Model {
  std::string_view name;                  ///< in kebab-case, such as "uv-sphere"
  std::string_view summary;               ///< a few words of description
  bool closed;                            ///< whether the mesh bounds a solid
  std::span<const Parameter> parameters;  ///< the options, in the order of the struct's fields
  /// Builds the model from one value per parameter, in their order. Throws an Error as the model's function does.
  MeshData (*build)(std::span<const double> values);
};

/// All models of this header, in its order. The data is static.
std::span<const Model> models();

}  // namespace whisker::make
