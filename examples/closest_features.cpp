// The closest features of two moving polyhedra, tracked from frame to frame, and the same with levels of detail.
#include <cmath>
#include <cstdio>

#include <whisker/make/make.hpp>
#include <whisker/methods/closest_features.hpp>
#include <whisker/methods/hull_levels.hpp>

namespace wk = whisker;

int main() {
  const wk::ConvexHull stone(wk::make::random_hull({.points = 500, .radius_z = 0.4}).vertices);
  const wk::ConvexHull crate(wk::make::box({.size_x = 1, .size_y = 1, .size_z = 1}).vertices);

  // Prepared once per hull; the track is kept per pair.
  const wk::methods::MarchingHull marching_stone(stone), marching_crate(crate);
  wk::methods::FeatureTrack track;
  const char* const kinds[] = {"whole", "triangle", "sphere", "vertex", "edge", "face"};
  for (int frame = 0; frame <= 6; ++frame) {
    const wk::Pose pose(Eigen::Vector3d(2.2 - 0.25 * frame, 0.1 * frame, 0.05));
    const wk::methods::ClosestFeatures c = wk::methods::closest_features(marching_stone, {}, marching_crate, pose, track);
    if (c.touches == wk::Answer::no) {
      std::printf("frame %d: %.6f apart, %s %u to %s %u, %llu steps\n", frame, c.upper,
                  kinds[static_cast<int>(c.feature_a.kind)], c.feature_a.id, kinds[static_cast<int>(c.feature_b.kind)],
                  c.feature_b.id, static_cast<unsigned long long>(c.steps));
    } else {
      std::printf("frame %d: %s\n", frame, c.touches == wk::Answer::yes ? "penetrating" : "touching");
    }
  }

  // Coarser polyhedra around the stone: each contains it, and differs from it by at most its deviation.
  const wk::methods::HullLevels levels(stone, {.decimation = 0.25});
  for (std::size_t i = 0; i < levels.count(); ++i)
    std::printf("level %zu: %zu faces, deviation %.4f\n", i, levels.level(i).hull().face_count(), levels.deviation(i));

  const wk::methods::HullLevels crate_levels(crate);
  const wk::Pose pose(Eigen::Vector3d(2.2, 0, 0));
  wk::methods::LevelTrack level_track;
  std::printf("touch: %s\n", wk::methods::levels_touch(levels, {}, crate_levels, pose, level_track) ? "yes" : "no");
  // A first result from the coarsest level, then better ones for as long as there is time.
  wk::methods::LevelTrack progress;
  for (std::size_t i = 0; i < levels.count(); ++i) {
    const wk::methods::LevelDistance d =
        wk::methods::refine_levels(levels, {}, crate_levels, pose, {.refinement = wk::methods::Refinement::single_single}, progress);
    std::printf("level %u: the distance is in [%.6f, %.6f]\n", d.level_a, d.lower, d.upper);
  }
}
