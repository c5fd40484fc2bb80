// A pile of bodies of many kinds in a bowl, a mesh, on a plain solver: contact manifolds that are steady let it come to
// rest, without sleeping and without damping.
//
//     example_rest_pile [bodies] [steps until it rests] [steps after that] [seed]
//     example_rest_pile 1000 1500 5000

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "playground/mixed_pile.hpp"

namespace wk = whisker;

int main(int count, char** arguments) {
  const auto number = [&](int i, int otherwise) { return i < count ? std::atoi(arguments[i]) : otherwise; };
  const int bodies = number(1, 60), settling = number(2, 1500), resting = number(3, 500);
  playground::Solver solver;
  playground::add_mixed_pile(solver, static_cast<std::size_t>(bodies), static_cast<std::uint64_t>(number(4, 1)));
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 1; step <= settling; ++step) {
    solver.step(1.0 / 60);
    if (step % 100 == 0 || step == settling)
      std::printf("%5d steps: the fastest of %d bodies moves %.1e of its size per second, %zu contact points\n", step,
                  bodies, playground::largest_speed(solver), solver.contact_count());
  }
  std::vector<wk::Pose> from;
  for (const playground::SolverBody& body : solver.bodies())
    from.push_back(body.pose);
  double way = 0;
  for (int step = 1; step <= resting; ++step) {
    solver.step(1.0 / 60);
    way = std::max(way, playground::largest_way(solver, from));
    if (step % 500 == 0 || step == resting)
      std::printf("%5d more: none has moved by more than %.1e of its size\n", step, way);
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  std::printf("%.1f ms per step\n", spent.count() / std::max(settling + resting, 1));
}
