#include "playground/bouncing.hpp"

#include <algorithm>

#include <Eigen/Geometry>

namespace playground {

namespace wk = whisker;

whisker::Pose moved(const whisker::Pose& pose, const whisker::Vector3& velocity, const whisker::Vector3& spin,
                    double seconds) {
  const double angle = spin.norm() * seconds;
  Eigen::Quaterniond rotation(pose.rotation());
  if (angle > 0) {
    const wk::Vector3 axis = spin.normalized();
    rotation = Eigen::AngleAxisd(angle, axis) * rotation;
  }
  return {rotation.normalized().toRotationMatrix(), pose.translation() + velocity * seconds};
}

bool exchange_velocities(Flyer& a, Flyer& b) {
  const wk::Vector3 line = b.pose.translation() - a.pose.translation();
  const double closing = (a.velocity - b.velocity).dot(line);
  if (!(closing > 0)) return false;
  const wk::Vector3 change = line * (closing / line.squaredNorm());
  a.velocity -= change;
  b.velocity += change;
  return true;
}

bool reflect(Flyer& flyer, const whisker::Aabb& box, const whisker::Aabb& room) {
  bool has_turned = false;
  for (int k = 0; k < 3; ++k) {
    double& speed = flyer.velocity[k];
    if ((box.lower[k] < room.lower[k] && speed < 0) || (box.upper[k] > room.upper[k] && speed > 0)) {
      speed = -speed;
      has_turned = true;
    }
  }
  return has_turned;
}

std::vector<std::size_t> bounce(const whisker::World& world, std::span<Flyer> flyers, const whisker::Aabb& room) {
  std::vector<std::size_t> changed;
  for (const wk::WorldPair& pair : world.touching()) {
    const std::size_t a = world.options(pair.a).user, b = world.options(pair.b).user;
    if (!exchange_velocities(flyers[a], flyers[b])) continue;
    changed.push_back(a);
    changed.push_back(b);
  }
  for (std::size_t i = 0; i < flyers.size(); ++i) {
    if (reflect(flyers[i], world.box(flyers[i].id), room)) changed.push_back(i);
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

double energy(std::span<const Flyer> flyers) {
  double sum = 0;
  for (const Flyer& flyer : flyers)
    sum += flyer.velocity.squaredNorm() / 2;
  return sum;
}

}  // namespace playground
