// A robot as a set of spheres: is a pose free, how much clearance is there, and which ball is in the way?
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  // An arm of twelve balls along x, as motion planners use it, and a gear in its way.
  std::vector<Eigen::Vector3d> centers;
  std::vector<double> radii;
  for (int i = 0; i < 12; ++i) {
    centers.emplace_back(2.0 * i, 0, 0);
    radii.push_back(1.5 - 0.05 * i);
  }
  const wk::SphereSet arm(centers, radii);
  const wk::Shape gear = wk::Mesh(wk::make::gear({.teeth = 24, .module = 2})).solid();

  // The arm rotates about its base.
  std::vector<wk::Pose> poses;
  for (int i = 0; i < 180; ++i) {
    const Eigen::AngleAxisd turn(0.5 * i * 3.14159265358979 / 180, Eigen::Vector3d::UnitZ());
    poses.emplace_back(turn.toRotationMatrix(), Eigen::Vector3d(-30, -30, 0));
  }
  std::vector<std::uint32_t> first(poses.size());
  wk::first_touching(gear, arm, poses, first);
  const auto hit = std::find_if(first.begin(), first.end(), [](std::uint32_t s) { return s != wk::SphereSet::none; });
  if (hit == first.end()) {
    std::printf("all poses are free\n");
    return 1;
  }
  std::printf("pose %td is the first that is not free: ball %u touches\n", hit - first.begin(), *hit);

  // A lower bound on the clearance at the start, and the clearance of each ball, up to 8.
  const wk::Distance room = wk::distance(gear, {arm, poses.front()});
  std::printf("at first ball %u is the closest, %.3f away\n", room.feature_b.id, room.lower);
  std::vector<wk::Interval> clear(arm.size());
  wk::clearances(gear, {arm, *(poses.begin() + (hit - first.begin()))}, {.upper_bound = 8}, clear);
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (clear[i].upper < 8) std::printf("ball %zu has %.3f\n", i, clear[i].lower);
  }

  // In a file format that other tools read.
  const wk::SphereSet again = wk::parse_sph(wk::encode_sph(arm), "arm.sph");
  std::printf("%zu balls written and read\n", again.size());
}
