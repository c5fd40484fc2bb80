// A deforming mesh: its tree is refitted, not rebuilt.
#include <cmath>
#include <cstdio>
#include <vector>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Mesh sheet(wk::make::cloth_sheet({.columns = 40, .rows = 40}));
  const wk::Shape ball = wk::Sphere{0.1};
  const wk::Aabb box = sheet.bounds();
  const wk::Vector3 middle = box.lower / 2 + box.upper / 2;
  const wk::Pose above(wk::Vector3(middle + wk::Vector3(0, 0, 0.5)));

  for (const double height : {0.0, 0.2, 0.6}) {
    std::vector<wk::Vector3> vertices(sheet.vertices().begin(), sheet.vertices().end());
    for (wk::Vector3& v : vertices)
      v.z() += height * std::exp(-8 * (v - middle).squaredNorm());  // a bump
    const wk::Mesh moved = sheet.moved(vertices);
    std::printf("bump of %.1f: the ball is %.3f away\n", height, wk::distance(moved, {ball, above}).value());
  }

  // Whether rebuilding would pay off: compare the cost of the tree before and after.
  std::printf("a random line meets %.1f boxes of the tree\n", sheet.tree_report().surface_cost);
}
