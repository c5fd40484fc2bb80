// How far apart two shapes are or how deep they overlap, in one query.
#include <cstdio>
#include <vector>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Shape part = wk::Mesh(wk::make::torus({.major = 1, .minor = 0.25})).solid();
  const wk::Shape peg = wk::Capsule{.radius = 0.2, .length = 1};

  // The peg moves from outside through the tube into the hole.
  wk::PairCache cache;
  for (int step = 0; step <= 7; ++step) {
    const wk::Pose pose(wk::Vector3(1.75 - 0.25 * step, 0, 0));
    wk::Distance s = wk::signed_distance(part, {peg, pose}, {.cache = &cache});
    std::printf("x = %5.2f: ", pose.translation().x());
    if (s.lower > 0)
      std::printf("apart by %.3f", s.upper);
    else if (s.upper < 0)
      std::printf("overlap, out by %.3f along (%.2f, %.2f, %.2f)", -s.lower, s.normal.x(), s.normal.y(), s.normal.z());
    else
      std::printf("touch");
    std::printf(", at triangle %u\n", s.feature_a.id);
  }

  // On which corner, edge or side of a box the closest point lies, if asked for.
  const wk::Shape crate = wk::Box{{1, 1, 1}};
  const char* const kinds[] = {"whole", "triangle", "sphere", "vertex", "edge", "face"};
  for (const double z : {0.0, 1.0}) {
    const wk::Distance d =
        wk::signed_distance(crate, {wk::Sphere{0.25}, wk::Pose(wk::Vector3(1, 0, z))}, {.features = true});
    std::printf("ball at height %.0f: closest to %s %u of the crate\n", z, kinds[static_cast<int>(d.feature_a.kind)],
                d.feature_a.id);
  }

  // Many poses at once, on all cores: the deepest one.
  std::vector<wk::Pose> poses;
  for (int i = 0; i < 200; ++i)
    poses.emplace_back(wk::Vector3(0.01 * i, 0, 0));
  std::vector<wk::Distance> answers(poses.size());
  wk::signed_distance(part, peg, poses, answers);
  std::size_t deepest = 0;
  for (std::size_t i = 1; i < poses.size(); ++i)
    if (answers[i].lower < answers[deepest].lower) deepest = i;
  std::printf("deepest at x = %.2f: %.3f\n", poses[deepest].translation().x(), answers[deepest].lower);

  // Contacts that are nearer than a margin, with the normal and the gap of each pair of features.
  const wk::Contacts near =
      wk::contacts(part, {peg, wk::Pose(wk::Vector3(1.5, 0, 0))}, {.normals = true, .margin = 0.1});
  for (std::size_t i = 0; i < near.pairs.size() && i < 3; ++i) {
    const wk::Contact& c = near.pairs[i];
    std::printf("triangle %u: gap %.3f along (%.2f, %.2f, %.2f)\n", c.a.id, c.gap, c.normal.x(), c.normal.y(),
                c.normal.z());
  }
}
