#pragma once

// The declarations that the files of the suite `spheretree` share: the models, the ways to build a tree, and how a
// level is evaluated.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::bench {

class Suite;

// --- models (spheretree_models.cpp, spheretree_cgal.cpp) ---------------------------------------------------------

struct Model {
  std::string name;
  MeshData data;
  Mesh mesh;          ///< Solid.
  double radius = 0;  ///< Of the smallest ball around it. Errors are given as fractions of it.
};

/// The model by name, built once. Null, with a printed message, if its file is missing.
const Model* find_model(const std::string& name);
/// The bunny with its holes filled and all its triangles.
const Model* whole_bunny();

/// Reduces to about this many triangles by collapsing edges with quadric errors (Garland and Heckbert 1997, whose
/// program the thesis used), without flipping faces (CGAL).
MeshData reduced(const MeshData& data, std::size_t triangles);

// --- trees (spheretree.cpp) --------------------------------------------------------------------------------------

/// A way to build a tree of three levels with up to eight children per node.
struct Recipe {
  std::string name;  ///< The system is named "whisker/" plus this.
  std::function<SphereTree(const Mesh&)> build;
  bool is_slow = false;  ///< Omitted from quick runs.
};

/// All of the thesis's methods, and the optimized ones.
const std::vector<Recipe>& recipes();
/// Whether a run includes the recipe's tree.
bool is_wanted(const Suite& suite, const std::string& recipe);
/// The tree of a model by a recipe, built once.
const SphereTree& tree_of(const Model& model, const std::string& recipe);

/// The number of points on a sphere that measure its fit, for all methods (M3 in the thesis: the largest distance of a
/// point of the sphere from the solid).
inline constexpr int judging_points = 258;

// --- experiments -------------------------------------------------------------------------------------------------

void bench_axis(Suite& suite);        ///< B1
void bench_selection(Suite& suite);   ///< B2
void bench_reduction(Suite& suite);   ///< B3
void bench_trees(Suite& suite);       ///< B4
void bench_simulation(Suite& suite);  ///< B5
void bench_pictures(Suite& suite);    ///< B6
void bench_speed(Suite& suite);

}  // namespace whisker::bench
