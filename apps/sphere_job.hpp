#pragma once

// What `whisker spheres` is asked to build, and the building.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/shape.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::apps {

struct SphereMethod {
  std::string_view name;
  SphereTreeMethod method;
};

/// As the command names them.
inline constexpr std::array sphere_methods = {
    SphereMethod{"octree", SphereTreeMethod::octree},   SphereMethod{"solid-octree", SphereTreeMethod::solid_octree},
    SphereMethod{"grid", SphereTreeMethod::grid},       SphereMethod{"hybrid", SphereTreeMethod::hybrid},
    SphereMethod{"hubbard", SphereTreeMethod::hubbard}, SphereMethod{"merge", SphereTreeMethod::merge},
    SphereMethod{"burst", SphereTreeMethod::burst},     SphereMethod{"expand", SphereTreeMethod::expand},
    SphereMethod{"spawn", SphereTreeMethod::spawn},     SphereMethod{"combined", SphereTreeMethod::combined},
};

/// "octree, solid-octree, …", for help and messages.
std::string sphere_method_names();
std::string_view name_of(SphereTreeMethod method);
/// Throws an Error that lists the names.
SphereTreeMethod parse_sphere_method(const std::string& name);

struct SphereJob {
  SphereTreeMethod method = SphereTreeOptions{}.method;
  int depth = SphereTreeOptions{}.depth;
  int branching = SphereTreeOptions{}.branching;
  /// So many spheres at most, and no tree.
  std::optional<int> count = {};
  /// How far they may stand off, in the mesh's unit of length; 0: no matter.
  double error = 0;
  /// Trees and sets have defaults of their own.
  std::optional<int> samples = {};
  std::optional<int> pieces = {};
  std::uint64_t seed = SphereTreeOptions{}.seed;
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// A tree; with a count, one of two levels, a sphere around all and the set. Throws an Error.
SphereTree build_spheres(const Mesh& mesh, const SphereJob& job);

/// Spheres for a shape of a robot, in its frame, and what had to be done for them.
struct ShapeSpheres {
  std::vector<BoundingSphere> spheres;  ///< None for a sphere, which needs no others.
  double protrusion = 0;                ///< Proven, off the solid that was covered.
  std::string note;                     ///< A sentence, where that solid is not the shape as it is.
};

/// A mesh that is not closed is repaired; one that cannot be is covered with its convex hull. Of a cylinder a prism
/// around it is covered; a capsule's spheres stand along its axis. Throws an Error for a shape of another kind.
ShapeSpheres build_shape_spheres(const Shape& shape, const SphereJob& job);

}  // namespace whisker::apps
