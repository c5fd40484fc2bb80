// Many queries at once, on all cores: a tool in many poses, and many pairs.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Shape part = wk::Mesh(wk::make::gear({.teeth = 24, .module = 2})).solid();
  const wk::Shape tool = wk::Capsule{.radius = 1, .length = 20};

  // The tool moves in along x. The results go into the caller's memory.
  std::vector<wk::Pose> poses;
  for (int i = 0; i < 1000; ++i)
    poses.emplace_back(Eigen::Vector3d(40 - 0.04 * i, 0, 0));
  const std::unique_ptr<bool[]> hits = std::make_unique<bool[]>(poses.size());
  wk::touches(part, tool, poses, {hits.get(), poses.size()});
  const auto first = std::find(hits.get(), hits.get() + poses.size(), true) - hits.get();
  std::printf("it first touches in pose %td, at x = %.2f\n", first,
              poses[static_cast<std::size_t>(first)].translation()[0]);

  std::vector<wk::Distance> distances(poses.size());
  wk::distance(part, tool, poses, distances);
  std::printf("it starts %.3f away\n", distances.front().value());

  // Arbitrary pairs of shapes.
  const std::vector<wk::ShapePair> pairs = {{&part, &tool, {}, wk::Pose(Eigen::Vector3d(30, 0, 0))},
                                            {&tool, &tool, {}, wk::Pose(Eigen::Vector3d(0, 3, 0))}};
  bool near[2];
  wk::closer_than(pairs, 1.5, near);
  std::printf("closer than 1.5: %s, %s\n", near[0] ? "yes" : "no", near[1] ? "yes" : "no");
}
