#pragma once

// What `whisker spheres` is asked to build, and the building.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/shape.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::apps {

/// A method of the library, or one of its second floor.
struct SphereMethod {
  std::string_view name = "combined";  ///< As the command names it.
  SphereTreeMethod method = SphereTreeMethod::combined;
  std::shared_ptr<const SphereBuilder> (*builder)() = nullptr;  ///< Null: as `method` says.
  bool builds_sets = true;
};

/// "octree, solid-octree, …", for help and messages.
std::string sphere_method_names();
/// Throws an Error that lists the names.
const SphereMethod& parse_sphere_method(const std::string& name);

struct SphereJob {
  SphereMethod method = {};
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
