#pragma once

// What the files of this suite share: the models, the ways to build a tree, and how a level is judged.

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
  double radius = 0;  ///< Of the smallest ball around it: errors are told as a share of it.
};

/// The model by name, made once; nothing, with a word about it, if its file is not there.
const Model* find_model(const std::string& name);
/// The bunny with its holes filled and all its triangles.
const Model* whole_bunny();

/// Of about so many triangles, by collapsing edges with quadric errors (Garland and Heckbert 1997, whose program the
/// thesis used), without turning faces over (CGAL).
MeshData reduced(const MeshData& data, std::size_t triangles);

// --- trees (spheretree.cpp) --------------------------------------------------------------------------------------

/// A way to build a tree of three levels with up to eight children a node.
struct Recipe {
  std::string name;  ///< The system is "whisker/" and this.
  std::function<SphereTree(const Mesh&)> build;
  bool is_slow = false;  ///< Left out of quick runs.
};

/// All of the thesis's, and the optimized ones.
const std::vector<Recipe>& recipes();
/// Whether a run has the recipe's tree.
bool is_wanted(const Suite& suite, const std::string& recipe);
/// The tree of a model by a recipe, built once.
const SphereTree& tree_of(const Model& model, const std::string& recipe);

/// How well spheres fit, by points on them: the one judge of all methods (M3 in the thesis: the largest distance of a
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
