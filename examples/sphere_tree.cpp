// A thick S as spheres: several methods, level by level, and the proof that a level covers the whole surface. Then a
// flat set of spheres, for a given number and for a given error.

#include <cstdio>
#include <utility>

#include <whisker/methods/sphere_builders.hpp>
#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Mesh mesh(wk::make::s_shape({.along = 12, .across = 12}));

  // Two methods of the library, and one of whisker::methods, which is a library of its own.
  const wk::SphereTreeOptions small{.depth = 2, .samples = 200, .pieces = 1000};
  wk::SphereTreeOptions octree = small, grid = small;
  octree.method = wk::SphereTreeMethod::octree;
  grid.builder = wk::methods::grid_builder();
  for (const auto& [options, name] :
       {std::pair{octree, "octree"}, std::pair{grid, "grid"}, std::pair{small, "combined"}}) {
    const wk::SphereTree tree = wk::build_sphere_tree(mesh, options);
    for (int level = 0; level <= tree.depth(); ++level) {
      const wk::LevelReport fit = wk::report_level(tree, level, mesh);
      std::printf("%-8s level %d: %3zu spheres protrude by at most %.3f, %.3f on average\n", name, level, fit.spheres,
                  fit.worst.upper, fit.mean.upper);
      const wk::Coverage proof = wk::check_coverage(tree.spheres(level), mesh);
      if (proof.answer != wk::Answer::yes) return 1;
    }
  }

  // For a motion planner: twelve spheres, and as many as it takes to protrude by at most a quarter.
  const wk::SphereSet twelve = wk::build_sphere_set(mesh, 12, {.samples = 200, .pieces = 1000});
  const wk::SphereSet close = wk::build_sphere_set(mesh, 64, {.samples = 200, .pieces = 1000, .protrusion = 0.25});
  for (const wk::SphereSet& set : {twelve, close})
    std::printf("a set of %zu spheres protrudes by at most %.3f\n", set.size(), wk::protrusion(set, mesh));

  // User-supplied spheres, grown until they cover the surface.
  const wk::BoundingSphere own[] = {{{0.9, 1, 0}, 0.5}, {{-0.9, -1, 0}, 0.5}};
  for (const wk::BoundingSphere& sphere : wk::grow_to_cover(own, mesh))
    std::printf("a sphere at (%.1f, %.1f, %.1f) must have radius %.3f\n", sphere.center.x(), sphere.center.y(),
                sphere.center.z(), sphere.radius);
  return 0;
}
