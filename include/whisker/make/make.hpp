#pragma once

/// \file
/// Meshes made from a few numbers: the models of the tests, the benchmarks, the examples and `whisker make`.
///
/// Each model is a plain struct of options with documented defaults and a function that builds its triangles:
///
///     MeshData ball = make::uv_sphere({.radius = 0.5, .stacks = 16});
///     MeshData gear = make::gear({.teeth = 24, .module = 2});
///
/// Triangles are counter-clockwise seen from outside. A closed model is closed by index: every edge belongs to exactly
/// two triangles, which run along it in opposite directions. Every model is the same, bit for bit, on every platform:
/// sines and random numbers are computed here, not by the standard library.
///
/// Lengths are in the user's unit, from `make::smallest_length` to `make::largest_length`, and those of one model
/// within a factor of 1e6 of each other. Angles are in degrees. A number out of its range, or more than
/// `make::max_triangles`, is an Error that names the option, its value and what is allowed.

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
/// What one model may have.
inline constexpr int max_triangles = 50'000'000;

/// A sphere around the origin, poles on the z axis, of 2·slices·(stacks − 1) triangles; with the default slices that is
/// 4·n·(n − 1) for n stacks: 8, 24, 48, 80, 120, 168, 224… the series of Kitamura et al. (1998). Vertices are on the
/// sphere, so the solid is inside of it.
struct UvSphere {
  double radius = 1;
  int stacks = 16;
  int slices = 0;  ///< around the axis; 0: twice the stacks
};
MeshData uv_sphere(const UvSphere& options = {});

/// A sphere around the origin from an icosahedron whose triangles are split in four, `subdivisions` times:
/// 20·4^subdivisions triangles of almost equal size.
struct Icosphere {
  double radius = 1;
  int subdivisions = 3;
};
MeshData icosphere(const Icosphere& options = {});

/// A ring around the z axis: 2·around·across triangles.
struct Torus {
  double major = 1;     ///< radius of the circle in the xy plane along which the tube runs
  double minor = 0.25;  ///< radius of the tube, below `major`
  int around = 48;      ///< segments around the z axis
  int across = 24;      ///< segments around the tube
};
MeshData torus(const Torus& options = {});

/// A torus whose tube has lobes that twist as they go around, and seeded wrinkles: 2·around·across triangles, 20,000 by
/// default, after the model of Gottschalk, Lin and Manocha (1996). The tube's radius at a point is
/// minor·(1 + a), with |a| at most lobe_depth + wrinkle_depth.
struct WrinkledTorus {
  double major = 1;
  double minor = 0.35;
  int around = 200;
  int across = 50;
  int lobes = 3;                ///< ridges along the tube
  int twists = 5;               ///< ridges that the tube's cross-section turns by in one round
  double lobe_depth = 0.25;     ///< height of the ridges, as a part of `minor`
  double wrinkle_depth = 0.25;  ///< height of the wrinkles, as a part of `minor`
  int wrinkles = 12;            ///< waves that are summed
  std::uint64_t seed = 1;
};
MeshData wrinkled_torus(const WrinkledTorus& options = {});

/// A box around the origin: 12·subdivisions² triangles.
struct Box {
  double size_x = 1;  ///< full length
  double size_y = 1;
  double size_z = 1;
  int subdivisions = 1;  ///< parts that every edge is divided into
};
MeshData box(const Box& options = {});

/// A cylinder with caps at z = ±length/2: 2·slices·(stacks + 1) triangles. Vertices are on the true cylinder.
struct Cylinder {
  double radius = 0.5;
  double length = 1;
  int slices = 32;
  int stacks = 1;  ///< bands along the axis
};
MeshData cylinder(const Cylinder& options = {});

/// A cone with its base at z = -length/2 and its apex at z = +length/2: 2·slices·stacks triangles.
struct Cone {
  double radius = 0.5;
  double length = 1;
  int slices = 32;
  int stacks = 1;  ///< bands along the axis
};
MeshData cone(const Cone& options = {});

/// All points within `radius` of the segment from z = -length/2 to z = +length/2: 4·slices·stacks triangles.
struct Capsule {
  double radius = 0.5;
  double length = 1;  ///< of the segment; the whole is 2·radius longer
  int slices = 32;
  int stacks = 8;  ///< bands of each half sphere
};
MeshData capsule(const Capsule& options = {});

/// A thick S of round cross-section in the xy plane, around the origin: two arcs of `sweep` degrees with flat ends,
/// 2·across·(2·along + 1) triangles.
struct SShape {
  double bend_radius = 1;     ///< of the two arcs, whose centers are (0, ±bend_radius, 0)
  double tube_radius = 0.35;  ///< below half the bend radius
  double sweep = 225;         ///< degrees of each arc
  int along = 32;             ///< segments of each arc
  int across = 24;            ///< segments around the tube
};
MeshData s_shape(const SShape& options = {});

/// A box around the origin with a rectangular slot cut through it along z: the simplest solid with a hole, 32
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
/// Pitch radius module·teeth/2, tips one module outside of it, roots 1.25 modules inside. Flanks below the base circle
/// are radial. The outline's vertices are on the true gear, whose flanks are convex: the mesh is inside of the true
/// gear.
///
/// Two gears of the same module and pressure angle run together at `meshing_distance`, turned by `meshing_angle`. With
/// at least 2/sin²(pressure angle) teeth each (17.1 for 20 degrees) no tip reaches below the other's involute; smaller
/// ones may overlap near their roots. With a backlash above 0 no flanks touch when both gears are in the middle of
/// their play.
struct Gear {
  int teeth = 20;
  double module = 1;           ///< pitch diameter per tooth
  double pressure_angle = 20;  ///< degrees
  double width = 4;            ///< along z
  double bore = 0;             ///< radius of the hole; 0: none
  int flank_points = 6;        ///< vertices of an involute flank
  double backlash = 0.04;      ///< in modules: what a tooth is thinner than half the pitch, on the pitch circle
};
/// 4·N triangles without a bore, N vertices in the outline; 12·teeth more with one.
MeshData gear(const Gear& options = {});
/// The gear's outline in the xy plane, counter-clockwise, without the bore.
std::vector<Vector2> gear_outline(const Gear& options = {});
/// How far apart the axes of two gears of this module run.
double meshing_distance(int driver_teeth, int driven_teeth, double module);
/// The angle about z, in radians, at which a gear centered at (meshing_distance, 0, 0) is in mesh with a driver
/// centered at the origin and turned by `driver_angle` radians: π - π/driven_teeth -
/// driver_angle·driver_teeth/driven_teeth.
double meshing_angle(int driver_teeth, int driven_teeth, double driver_angle = 0);

/// A cube of pipes along x, y and z that weave past each other without touching: 3·count² closed tubes of
/// 2·segments·(stretches + 1) − 4 long thin triangles each. The defaults make 143,424, about as many as the pipes of
/// Gottschalk, Lin and Manocha (1996). The cube is centered at the origin and its side is count·spacing.
struct Pipes {
  int count = 12;        ///< pipes per row: every direction has count²
  double spacing = 1;    ///< between neighbors of one direction
  double radius = 0.15;  ///< of a pipe; radius + wander must be below spacing/4
  double wander = 0.08;  ///< how far a pipe's center leaves its straight line at most, along each axis across it
  int segments = 12;     ///< around a pipe
  int stretches = 13;    ///< straight pieces along a pipe
  std::uint64_t seed = 1;
};
MeshData pipes(const Pipes& options = {});

/// A chair that stands on z = 0, its back toward +y: 146 triangles in twelve closed parts that touch but do not
/// overlap (a slightly domed seat, four legs, two side bars, two posts and three slats).
struct Chair {
  double width = 0.45;  ///< along x
  double depth = 0.45;  ///< along y
  double seat_height = 0.45;
  double back_height = 0.9;  ///< of the whole chair
  double thickness = 0.04;   ///< of seat, legs, bars and posts
};
MeshData chair(const Chair& options = {});

/// An open landscape over the rectangle size_x × size_y around the origin, z up: 2·columns·rows triangles.
///
/// Its height is a sum of `octaves` of smooth seeded noise, each with twice the frequency and `roughness` times the
/// height of the one before, scaled so that the sum stays within ±height; round dimples and pointed spikes are put on
/// top of it.
struct Terrain {
  int columns = 64;  ///< cells along x
  int rows = 64;     ///< cells along y
  double size_x = 10;
  double size_y = 10;
  double height = 1;
  double hills = 4;  ///< waves of the first octave across the longer side
  int octaves = 5;
  double roughness = 0.5;
  int dimples = 0;
  double dimple_depth = 0.4;
  double dimple_radius = 0.8;
  int spikes = 0;
  double spike_height = 2;
  double spike_radius = 0.5;
  std::uint64_t seed = 1;
};
MeshData terrain(const Terrain& options = {});

/// An open sheet of cloth around the origin, of 2·columns·rows triangles, with regular folds across x and seeded
/// wrinkles.
///
/// Folded, the sheet follows a sine-generated curve (Langbein and Leopold 1966), which bends it without stretching it;
/// from about 125 degrees its folds would meet. Wrinkles move it along its normal by at most wrinkle_height.
struct ClothSheet {
  int columns = 64;  ///< cells along x
  int rows = 64;     ///< cells along y
  double size_x = 1;
  double size_y = 1;
  int folds = 0;           ///< full waves across x; 0: flat but for the wrinkles
  double fold_angle = 90;  ///< steepest slope of a fold in degrees
  double wrinkle_height = 0.02;
  double wrinkles = 6;  ///< waves across the longer side, about
  std::uint64_t seed = 1;
};
MeshData cloth_sheet(const ClothSheet& options = {});

/// The convex hull of `points` seeded random points on an ellipsoid around the origin: 2·points − 4 triangles
/// (fewer in the rare case that rounding puts a point inside).
struct RandomHull {
  int points = 64;
  double radius_x = 1;  ///< semi-axes of the ellipsoid
  double radius_y = 1;
  double radius_z = 1;
  std::uint64_t seed = 1;
};
MeshData random_hull(const RandomHull& options = {});

/// An option of a model, for a command line or a form.
struct Parameter {
  enum class Kind { integer, real };

  std::string_view name;  ///< of the struct's field, in kebab-case
  std::string_view summary;
  Kind kind;
  double initial;  ///< the default
  double least;    ///< the smallest value that can be allowed; other options may narrow it
  double most;     ///< the largest
};

/// A model by name, for whoever picks one at run time.
struct Model {
  std::string_view name;  ///< in kebab-case, such as "uv-sphere"
  std::string_view summary;
  bool closed;  ///< bounds a solid
  std::span<const Parameter> parameters;
  /// Builds it from one value per parameter, in their order.
  MeshData (*build)(std::span<const double> values);
};

/// All models of this header, in its order.
std::span<const Model> models();

}  // namespace whisker::make
