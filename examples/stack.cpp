// A tower of boxes on a plain solver: contact manifolds whose ids carry the impulses from step to step keep it
// standing.

#include <cstdio>

#include "playground/solver.hpp"

namespace wk = whisker;

int main() {
  playground::Solver solver;
  solver.add_fixed(wk::HalfSpace{});
  constexpr int boxes = 10;
  for (int i = 0; i < boxes; ++i)
    solver.add(wk::Box{{1, 1, 1}}, wk::Pose(wk::Vector3(0, 0, 0.5 + i)));
  for (int step = 0; step <= 600; ++step) {
    if (step % 100 == 0) {
      const wk::Vector3 top = solver.bodies().back().pose.translation();
      std::printf("%4d steps: the top box is at (%+.6f, %+.6f, %.6f), %zu contact points\n", step, top.x(), top.y(),
                  top.z(), solver.contact_count());
    }
    solver.step(1.0 / 60);
  }
}
