// How long the first query of a process takes, and how long the same one takes afterwards. `warm_up` takes the
// difference beforehand; `example_warm_up cold` leaves it to the first query.
#include <chrono>
#include <cstdio>
#include <cstring>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main(int argc, char** argv) {
  const auto seconds = [](const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const bool is_cold = argc > 1 && std::strcmp(argv[1], "cold") == 0;
  if (!is_cold) std::printf("warm_up:        %8.1f us\n", seconds([] { wk::warm_up(); }) * 1e6);

  const wk::Shape box = wk::Box{{1, 1, 1}}, ball = wk::Sphere{0.5};
  const wk::Shape gear = wk::Mesh(wk::make::gear({.teeth = 24, .module = 2})).solid();
  const wk::Pose near(Eigen::Vector3d(2, 0.5, 0.25)), at_gear(Eigen::Vector3d(30, 1, 2));
  const auto show = [&](const char* what, const auto& query) {
    const double first = seconds(query), second = seconds(query);
    std::printf("%-15s %8.1f us, then %6.1f us\n", what, first * 1e6, second * 1e6);
  };
  show("ball and ball:", [&] { wk::distance(ball, {ball, near}); });
  show("box and box:", [&] { wk::distance(box, {box, near}); });
  show("gear and ball:", [&] { wk::distance(gear, {ball, at_gear}); });
  show("gear and gear:", [&] { wk::distance(gear, {gear, at_gear}); });
}
