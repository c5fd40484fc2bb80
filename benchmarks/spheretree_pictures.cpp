// B6: the pictures of the thesis. Each is drawn to benchmarks/results/spheretree-NAME.svg, with its numbers in the
// table.

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <whisker/make/make.hpp>
#include <whisker/methods/sphere_builders.hpp>

#include "harness.hpp"
#include "sphere_picture.hpp"
#include "spheretree.hpp"

namespace whisker::bench {

namespace {

struct Drawing {
  std::string name;
  std::string note;
  MeshData data;
  SphereTreeOptions options;
};

/// A tree of one level with nine spheres, or the given number.
SphereTreeOptions one_level(SphereTreeMethod method, int spheres = 9) {
  return {.method = method, .depth = 1, .branching = spheres, .pieces = 5000, .good_enough = 0};
}

std::vector<Drawing> drawings() {
  using Method = SphereTreeMethod;
  SphereTreeOptions burst = one_level(Method::combined);
  burst.builder = methods::burst_builder();
  std::vector<Drawing> result = {
      {"cube-merge", "a cube, nine spheres by merge (figure 5.12)", make::box({.subdivisions = 8}),
       one_level(Method::merge)},
      {"cube-burst", "a cube, nine spheres by burst (figure 5.12)", make::box({.subdivisions = 8}), burst},
      {"s-shape-expand", "the S-shape, nine spheres by expand (figure 5.15)", make::s_shape(),
       one_level(Method::expand)},
      // Regular samples leave the tip of a thin spike without a medial sphere.
      {"spike", "a thin spike, which adaptive samples cover to its tip (figures 5.6 and 5.9)",
       make::cone({.radius = 0.05, .length = 2, .stacks = 8}), one_level(Method::combined, 16)},
  };
  for (const bool eliminates : {true, false}) {
    SphereTreeOptions options = one_level(Method::expand, 8);
    options.selection = eliminates ? SphereSelection::max_elimination : SphereSelection::max_cover;
    result.push_back({eliminates ? "capsule-elimination" : "capsule-cover",
                      std::string("a rounded cylinder, spheres selected by ") +
                          (eliminates ? "what they make redundant" : "what they contain") + " (figure 5.16)",
                      make::capsule({}), options});
  }
  return result;
}

void draw(Suite& suite, const std::string& name, const std::string& note, const SphereTree& tree, const Mesh& mesh) {
  apps::SpherePicture picture{name, note, tree, mesh, {}};
  for (int level = 0; level <= tree.depth(); ++level)
    picture.rows.push_back({level, report_level(tree, level, mesh)});
  const LevelReport& last = picture.rows.back().fit;
  const double radius = tree.nodes[0].sphere.radius;
  std::printf("  %-20s %4zu spheres, largest error %.4f of the radius: %s\n", name.c_str(), last.spheres,
              last.worst.lower / radius, note.c_str());
  suite.record("worst/picture/" + name, "whisker", "bounding radii", last.worst.lower / radius, last.spheres);
  if (!suite.writes_results()) return;
  apps::write_sphere_picture(std::filesystem::path(WHISKER_BENCH_RESULTS) / ("spheretree-" + name + ".svg"), picture);
}

}  // namespace

void bench_pictures(Suite& suite) {
  if (!suite.wants("worst/picture/")) return;
  std::printf("\nB6: pictures\n");
  if (const Model* dragon = find_model("dragon"))
    draw(suite, "dragon", "the dragon, three levels of a combined tree (figure 1.1)", tree_of(*dragon, "combined"),
         dragon->mesh);
  for (const Drawing& drawing : drawings()) {
    const Mesh mesh = Mesh(drawing.data).solid();
    draw(suite, drawing.name, drawing.note, build_sphere_tree(mesh, drawing.options), mesh);
  }
}

}  // namespace whisker::bench
