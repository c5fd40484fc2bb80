// A thick S as spheres: three methods, level by level, and the proof that a level covers the whole surface.

#include <cstdio>
#include <utility>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Mesh mesh(wk::make::s_shape({.along = 12, .across = 12}));

  using Method = wk::SphereTreeMethod;
  for (const auto& [method, name] :
       {std::pair{Method::octree, "octree"}, std::pair{Method::grid, "grid"}, std::pair{Method::merge, "merge"}}) {
    const wk::SphereTree tree = wk::build_sphere_tree(mesh, {.method = method, .samples = 300, .pieces = 1500});
    for (int level = 0; level <= tree.depth(); ++level) {
      const wk::LevelReport fit = wk::report_level(tree, level, mesh);
      std::printf("%-6s level %d: %3zu spheres stand off at most %.3f, %.3f on average\n", name, level, fit.spheres,
                  fit.worst.upper, fit.mean.upper);
      const wk::Coverage proof = wk::check_coverage(tree.spheres(level), mesh);
      if (proof.answer != wk::CoverageAnswer::covered) return 1;
    }
  }

  // Spheres of one's own: grown until they cover.
  const wk::BoundingSphere own[] = {{{0.9, 1, 0}, 0.5}, {{-0.9, -1, 0}, 0.5}};
  for (const wk::BoundingSphere& sphere : wk::grow_to_cover(own, mesh))
    std::printf("a sphere at (%.1f, %.1f, %.1f) must have radius %.3f\n", sphere.center.x(), sphere.center.y(),
                sphere.center.z(), sphere.radius);
  return 0;
}
