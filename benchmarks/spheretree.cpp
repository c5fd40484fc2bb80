// Sphere trees: the experiments of G. Bradshaw's thesis (2002, chapter 7), reconstructed, with all of whisker's
// methods, next to the thesis's own numbers, and the speed of building and querying trees.

#include "spheretree.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

#include <whisker/methods/sphere_builders.hpp>

#include "harness.hpp"
#include "methods/spheres/hubbard.hpp"

namespace whisker::bench {

// --- B4: trees ---------------------------------------------------------------------------------------------------

namespace {

SphereTreeOptions thesis_options(SphereTreeMethod method) {
  return {.method = method, .depth = 3, .branching = 8, .pieces = 5000, .good_enough = 0};
}
SphereTreeOptions thesis_options(std::shared_ptr<const SphereBuilder> builder = {}) {
  return {.builder = std::move(builder), .depth = 3, .branching = 8, .pieces = 5000, .good_enough = 0};
}

Recipe plain(const std::string& name, const SphereTreeOptions& options, bool is_slow = false) {
  return {name, [options](const Mesh& mesh) { return build_sphere_tree(mesh, options); }, is_slow};
}

/// The combined method with optimized spheres. Spheres are removed if the worst error then grows by at most this
/// fraction.
Recipe optimized(const std::string& name, double slack) {
  return {name,
          [slack](const Mesh& mesh) {
            SphereTreeOptions options = thesis_options(SphereTreeMethod::combined);
            options.optimize = SphereOptimization{};
            options.balance =
                SphereBalance{.slowness = std::numeric_limits<double>::infinity(), .decay = 1, .slack = slack};
            return build_sphere_tree(mesh, options);
          },
          true};
}

/// The largest error of a level, and the root mean square, as fractions of the bounding radius.
struct Fit {
  std::size_t spheres = 0;
  double worst = 0, mean_square = 0;
  double proven = 0;  // upper bound on the errors of the level
};

/// The thesis's table of improvements: the error of the reference divided by that of the method, maximum and root mean
/// square, for levels 1, 2 and 3.
struct ThesisRow {
  const char* model;
  const char* reference;
  const char* method;
  double ratios[6];
};
constexpr ThesisRow thesis[] = {
    {"bunny", "hubbard", "merge", {1.56, 1.32, 1.30, 1.36, 2.47, 3.44}},
    {"bunny", "hubbard", "expand", {1.61, 1.25, 1.59, 1.46, 3.44, 4.03}},
    {"bunny", "hubbard", "combined", {1.60, 1.24, 1.72, 1.49, 4.48, 4.24}},
    {"bunny", "octree", "grid", {1.80, 2.44, 2.85, 2.75, 3.23, 3.60}},
    {"bunny", "octree", "hybrid", {2.98, 4.33, 4.89, 6.40, 7.58, 14.00}},
    {"dragon", "hubbard", "merge", {1.59, 1.35, 1.75, 1.34, 2.30, 2.58}},
    {"dragon", "hubbard", "expand", {1.50, 1.21, 1.70, 1.22, 2.40, 2.38}},
    {"dragon", "hubbard", "combined", {1.58, 1.35, 2.08, 1.30, 2.49, 2.60}},
    {"dragon", "octree", "grid", {3.31, 3.86, 3.40, 5.20, 4.18, 6.43}},
    {"dragon", "octree", "hybrid", {3.97, 4.44, 4.75, 7.16, 6.18, 13.43}},
    {"s-shape", "hubbard", "merge", {1.35, 1.34, 1.11, 1.53, 3.43, 4.30}},
    {"s-shape", "hubbard", "expand", {1.73, 1.42, 1.56, 1.59, 5.74, 3.99}},
    {"s-shape", "hubbard", "combined", {1.58, 1.39, 1.60, 1.86, 6.86, 6.07}},
    {"s-shape", "octree", "grid", {6.84, 7.01, 6.02, 7.50, 5.23, 6.57}},
    {"s-shape", "octree", "hybrid", {8.57, 7.95, 11.96, 14.63, 10.23, 27.80}},
    {"ellipsoid", "hubbard", "merge", {1.21, 1.19, 2.59, 1.83, 10.31, 5.18}},
    {"ellipsoid", "hubbard", "expand", {1.64, 1.40, 2.93, 1.94, 11.76, 4.98}},
    {"ellipsoid", "hubbard", "combined", {1.54, 1.35, 2.65, 1.94, 11.65, 5.16}},
    {"ellipsoid", "octree", "grid", {3.84, 4.96, 4.21, 4.33, 5.12, 5.26}},
    {"ellipsoid", "octree", "hybrid", {4.83, 5.63, 12.30, 13.43, 6.88, 31.87}},
};

using Fits = std::map<std::string, std::vector<Fit>>;  // by recipe, then level

void print_ratios(const std::string& model, const Fits& fits) {
  std::printf("  improvement: the reference's error over the method's; after the bar the thesis's\n");
  std::printf("  %-22s %s\n", "", "L1 max  rms     L2 max  rms     L3 max  rms    |  L1           L2           L3");
  for (const auto& [reference, new_ones] :
       {std::pair<std::string, std::vector<std::string>>{
            "hubbard", {"merge", "burst", "expand", "combined", "spawn", "optimized-100", "optimized-105"}},
        {"octree", {"grid", "hybrid", "hubbard", "combined"}}}) {
    for (const std::string& method : new_ones) {
      if (!fits.contains(reference) || !fits.contains(method)) continue;
      std::printf("  %-22s", (reference + " / " + method).c_str());
      for (std::size_t level = 1; level <= 3; ++level) {
        const Fit &before = fits.at(reference)[level], &now = fits.at(method)[level];
        std::printf(" %6.2f %6.2f  ", before.worst / now.worst, before.mean_square / now.mean_square);
      }
      for (const ThesisRow& row : thesis) {
        if (row.model != model || row.reference != reference || row.method != method) continue;
        std::printf("|");
        for (std::size_t k = 0; k < 6; ++k)
          std::printf("%s%6.2f", k % 2 == 0 && k > 0 ? " " : "", row.ratios[k]);
      }
      std::printf("\n");
    }
  }
}

void bench_model_trees(Suite& suite, const Model& model) {
  std::printf("\n%s: %zu triangles; errors by %d points a sphere, as a share of the bounding radius (proven bound)\n",
              model.name.c_str(), model.data.triangles.size(), judging_points);
  Fits fits;
  for (const Recipe& recipe : recipes()) {
    if (!is_wanted(suite, recipe.name)) continue;
    const double begin = wall_seconds(), begin_work = process_seconds();
    const SphereTree& tree = tree_of(model, recipe.name);
    const double seconds = wall_seconds() - begin, work = process_seconds() - begin_work;
    std::printf("  %-14s", recipe.name.c_str());
    std::vector<Fit>& levels = fits[recipe.name];
    for (int level = 0; level <= 3; ++level) {
      const LevelReport report =
          report_level(tree, level, model.mesh, {.samples_per_sphere = judging_points, .rays = 0, .pieces = 0});
      const Fit fit{report.spheres, report.worst.lower / model.radius, report.root_mean_square.lower / model.radius,
                    report.worst.upper / model.radius};
      levels.push_back(fit);
      if (level == 0) continue;
      std::printf("  %4zu %.4f %.4f (%.4f)", fit.spheres, fit.worst, fit.mean_square, fit.proven);
      const std::string where = "level" + std::to_string(level) + "/" + model.name;
      suite.record("worst/" + where, "whisker/" + recipe.name, "bounding radii", fit.worst, fit.spheres);
      suite.record("rms/" + where, "whisker/" + recipe.name, "bounding radii", fit.mean_square, fit.spheres);
      suite.record("proven/" + where, "whisker/" + recipe.name, "bounding radii", fit.proven, fit.spheres);
    }
    std::printf("  %.2f s, %.2f s of processors\n", seconds, work);
    std::fflush(stdout);
    suite.record("build-tree/" + model.name, "whisker/" + recipe.name, "s", seconds, tree.nodes.size());
    suite.record("build-tree-work/" + model.name, "whisker/" + recipe.name, "s", work, tree.nodes.size());
  }
  print_ratios(model.name, fits);
}

}  // namespace

const std::vector<Recipe>& recipes() {
  using Method = SphereTreeMethod;
  static const std::vector<Recipe> all = {
      plain("octree", thesis_options(Method::octree)),
      plain("solid-octree", thesis_options(Method::solid_octree)),
      plain("grid", thesis_options(methods::grid_builder())),
      {"hybrid",
       [](const Mesh& mesh) {
         return build_sphere_tree(mesh, thesis_options(methods::hybrid_builder())).min_error_tree();
       }},
      plain("hubbard", thesis_options(methods::hubbard_builder())),
      // Hubbard's original version, whose balls cover only samples of the surface.
      {"hubbard-samples",
       [](const Mesh& mesh) { return methods::build_hubbard_of_samples(spheres::Solid(mesh), thesis_options()); }},
      plain("merge", thesis_options(Method::merge)),
      plain("burst", thesis_options(methods::burst_builder()), true),
      plain("expand", thesis_options(Method::expand)),
      plain("combined", thesis_options(Method::combined)),
      plain("spawn", thesis_options(methods::spawn_builder()), true),
      optimized("optimized-100", 0),
      optimized("optimized-105", 0.05),
  };
  return all;
}

bool is_wanted(const Suite& suite, const std::string& recipe) {
  return std::any_of(recipes().begin(), recipes().end(),
                     [&](const Recipe& r) { return r.name == recipe && !(r.is_slow && suite.quick()); });
}

const SphereTree& tree_of(const Model& model, const std::string& recipe) {
  static std::map<std::pair<std::string, std::string>, SphereTree> built;
  const auto key = std::pair(model.name, recipe);
  auto found = built.find(key);
  if (found == built.end()) {
    for (const Recipe& r : recipes())
      if (r.name == recipe) found = built.emplace(key, r.build(model.mesh)).first;
  }
  return found->second;
}

void bench_trees(Suite& suite) {
  for (const char* name : {"bunny", "dragon", "s-shape", "ellipsoid"}) {
    if (!suite.wants(std::string("worst/level3/") + name)) continue;
    if (const Model* model = find_model(name)) bench_model_trees(suite, *model);
  }
}

}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("spheretree", argc, argv);
  if (suite.usage_error()) return 2;
  bench_axis(suite);
  bench_selection(suite);
  bench_reduction(suite);
  bench_trees(suite);
  bench_simulation(suite);
  bench_pictures(suite);
  bench_speed(suite);
  return suite.finish();
}
