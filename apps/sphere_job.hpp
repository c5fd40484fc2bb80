#pragma once

// The job that `whisker spheres` is given, and its execution.

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

/// One of the library's own methods, or a builder from whisker/methods.
struct SphereMethod {
  std::string_view name = "combined";  ///< As the command names it.
  SphereTreeMethod method = SphereTreeMethod::combined;
  std::shared_ptr<const SphereBuilder> (*builder)() = nullptr;  ///< Null: use `method`.
  bool builds_sets = true;
};

/// "octree, solid-octree, …", for help and messages.
std::string sphere_method_names();
/// Throws an Error that lists the valid names.
const SphereMethod& parse_sphere_method(const std::string& name);

struct SphereJob {
  SphereMethod method = {};
  int depth = SphereTreeOptions{}.depth;
  int branching = SphereTreeOptions{}.branching;
  /// Build a set of at most this many spheres instead of a tree.
  std::optional<int> count = {};
  /// How far the spheres may protrude, in the mesh's unit of length. 0: no limit.
  double error = 0;
  /// Trees and sets have different defaults.
  std::optional<int> samples = {};
  std::optional<int> pieces = {};
  std::uint64_t seed = SphereTreeOptions{}.seed;
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// Builds a tree. With a count, the tree has two levels: a sphere around everything, and the set. Throws an Error if
/// that fails.
SphereTree build_spheres(const Mesh& mesh, const SphereJob& job);

/// Spheres for a shape of a robot, in its frame, and what had to be done to make them.
struct ShapeSpheres {
  std::vector<BoundingSphere> spheres;  ///< Empty for a sphere, which needs no others.
  double protrusion = 0;                ///< Proven bound on how far they protrude from the covered solid.
  std::string note;                     ///< A sentence, if the covered solid is not exactly the shape.
};

/// A mesh that is not closed is repaired. If it cannot be closed, its convex hull is covered. For a cylinder, a prism
/// around it is covered. A capsule's spheres lie along its axis. Throws an Error for a shape of another kind.
ShapeSpheres build_shape_spheres(const Shape& shape, const SphereJob& job);

}  // namespace whisker::apps
