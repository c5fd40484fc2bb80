// An arm of three beams swings past a post: both ends of its path are free, but not the path between them.

#include <cstdio>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::LinkShape beam{
      wk::Capsule{.radius = 0.05, .length = 0.8},
      {Eigen::AngleAxisd(1.5707963267948966, wk::Vector3::UnitY()).toRotationMatrix(), {0.5, 0, 0}}};
  const wk::Joint hinge{.kind = wk::JointKind::revolute, .origin = wk::Pose(wk::Vector3(1, 0, 0))};
  const wk::Articulated arm({{.name = "shoulder", .shapes = {beam}, .joint = {.kind = wk::JointKind::revolute}},
                             {.name = "elbow", .parent = 0, .shapes = {beam}, .joint = hinge},
                             {.name = "wrist", .parent = 1, .shapes = {beam}, .joint = hinge}});

  const std::vector<double> stretched = {0, 0, 0}, aside = {1.57, 0.4, 0.4};
  const wk::Shape post = wk::Mesh(wk::make::cylinder({.radius = 0.1, .length = 2}));
  const wk::Pose place(wk::Vector3(1.2, 1.4, 0));
  for (const std::vector<double>& end : {stretched, aside}) {
    const std::vector<wk::Pose> poses = arm.poses(end);
    for (std::size_t i = 0; i < poses.size(); ++i)
      if (wk::touches({beam.shape, wk::compose(poses[i], beam.pose)}, {post, place})) return 1;
  }
  const auto hits = wk::first_contacts({arm, stretched, aside}, {post, wk::Still{place}}).hits;
  if (hits.empty()) return 1;
  for (const wk::LinkImpact& hit : hits) {
    std::printf("%s touches the post at t = %.9f (certain to %.0e), at (%.3f, %.3f, %.3f)\n",
                arm.links()[hit.link_a].name.c_str(), hit.impact.time, hit.impact.time_upper - hit.impact.time_lower,
                hit.impact.point.x(), hit.impact.point.y(), hit.impact.point.z());
  }

  // Folded far enough, it touches itself.
  const std::vector<double> folded = {0, 2.6, 2.6};
  for (const wk::LinkImpact& hit : wk::first_contacts({arm, stretched, folded}).hits) {
    std::printf("%s touches %s at t = %.9f\n", arm.links()[hit.link_a].name.c_str(),
                arm.links()[hit.link_b].name.c_str(), hit.impact.time);
  }
}
