#include <cstdio>

#include <whisker/whisker.hpp>
namespace wk = whisker;

int main() {
  wk::Shape gear = wk::Mesh(wk::make::gear({.teeth = 24, .module = 2})).solid();
  wk::Shape tool = wk::Capsule{.radius = 1, .length = 20};
  wk::Pose pose({30, 0, 0});
  wk::Distance d = wk::distance(gear, {tool, pose});
  std::printf("touch: %s, distance in [%.17g, %.17g]\n", wk::touches(gear, {tool, pose}) ? "yes" : "no", d.lower,
              d.upper);
}
