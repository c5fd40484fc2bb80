#include "spheretree_motion.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>

#include "near_poses.hpp"

namespace whisker::bench {

namespace {

/// Volume, center and inertia about the center of a solid of density 1 (summed over tetrahedra: Blow and Binstock
/// 2004).
struct MassProperties {
  double mass = 0;
  Vector3 center = Vector3::Zero();
  Matrix3 inertia = Matrix3::Identity();
};

MassProperties mass_properties(const MeshData& data) {
  MassProperties result;
  Vector3 moment = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  for (const Index3& t : data.triangles) {
    const Vector3 a = data.vertices[t[0]], b = data.vertices[t[1]], c = data.vertices[t[2]], s = a + b + c;
    const double volume = a.dot(b.cross(c)) / 6;
    result.mass += volume;
    moment += volume / 4 * s;
    second += volume / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  result.center = moment / result.mass;
  second -= result.mass * result.center * result.center.transpose();
  result.inertia = second.trace() * Matrix3::Identity() - second;
  return result;
}

struct Body {
  Vector3 center = Vector3::Zero();  // of mass, in the world
  Matrix3 rotation = Matrix3::Identity();
  Vector3 velocity = Vector3::Zero();
  Vector3 spin = Vector3::Zero();
  Matrix3 to_spin = Matrix3::Zero();  // inverse inertia in the world, in this step
};

struct Push {
  std::size_t a = 0, b = 0;
  Vector3 normal = Vector3::Zero();  // from a to b
  Vector3 arm_a = Vector3::Zero(), arm_b = Vector3::Zero();
  double depth = 0;
  double impulse = 0;  // accumulated along the normal
};

class Simulation {
 public:
  Simulation(const Model& model, const MotionOptions& options)
      : model_(model), options_(options), shape_(model.mesh), mass_(mass_properties(model.data)) {
    for (const Vector3& v : model.data.vertices)
      reach_ = std::max(reach_, (v - mass_.center).norm());
    launch();
  }

  Frame step() {
    for (Body& body : bodies_) {
      const double angle = body.spin.norm() * options_.step;
      if (angle > 0)
        body.rotation = Eigen::AngleAxisd(angle, body.spin.normalized()).toRotationMatrix() * body.rotation;
      body.rotation = Eigen::Quaterniond(body.rotation).normalized().toRotationMatrix();
      body.center += options_.step * body.velocity;
      body.to_spin = body.rotation * mass_.inertia.inverse() * body.rotation.transpose();
    }
    Frame frame;
    for (const Body& body : bodies_)
      frame.poses.push_back(pose_of(body));
    std::vector<Push> pushes;
    for (std::size_t a = 0; a < bodies_.size(); ++a) {
      for (std::size_t b = a + 1; b < bodies_.size(); ++b) {
        if ((bodies_[a].center - bodies_[b].center).norm() > 2 * reach_) continue;
        if (!touches({shape_, frame.poses[a]}, {shape_, frame.poses[b]})) continue;
        ++frame.touching;
        add_pushes(a, b, frame.poses, pushes);
        add_pushes(b, a, frame.poses, pushes);
      }
    }
    for (int round = 0; round < 10; ++round) {
      for (Push& push : pushes)
        solve(push);
    }
    return frame;
  }

 private:
  Pose pose_of(const Body& body) const { return {body.rotation, body.center - body.rotation * mass_.center}; }

  void launch() {
    std::mt19937_64 random(options_.seed);
    const double radius = options_.launch_radius * model_.radius;
    while (bodies_.size() < options_.bodies) {
      Body body;
      body.center = radius * random_direction(random);
      const bool is_free = std::all_of(bodies_.begin(), bodies_.end(), [&](const Body& other) {
        return (other.center - body.center).norm() > 2.02 * reach_;
      });
      if (!is_free) continue;
      body.rotation = random_rotation(random);
      const Vector3 target = uniform(random, 0, options_.spread) * radius * random_direction(random);
      body.velocity = options_.speed * model_.radius * (target - body.center).normalized();
      body.spin = uniform(random, 0, options_.spin) * random_direction(random);
      bodies_.push_back(body);
    }
  }

  /// Adds the deepest few vertices of b that are in a.
  void add_pushes(std::size_t a, std::size_t b, const std::vector<Pose>& poses, std::vector<Push>& pushes) {
    inside_.clear();
    for (const Vector3& v : model_.data.vertices) {
      const Vector3 point = place(poses[b], v);
      if ((point - bodies_[a].center).norm() > reach_ || !contains({shape_, poses[a]}, point)) continue;
      inside_.push_back(point);
    }
    std::vector<Push> found;
    for (const Vector3& point : inside_) {
      const Distance s = signed_distance({shape_, poses[a]}, point);
      const double depth = -s.value();
      if (!(depth > 0)) continue;
      Push push;
      push.a = a;
      push.b = b;
      push.normal = (s.point_a - point) / depth;
      push.arm_a = point - bodies_[a].center;
      push.arm_b = point - bodies_[b].center;
      push.depth = depth;
      found.push_back(push);
    }
    std::stable_sort(found.begin(), found.end(), [](const Push& x, const Push& y) { return x.depth > y.depth; });
    found.resize(std::min<std::size_t>(found.size(), 8));
    pushes.insert(pushes.end(), found.begin(), found.end());
  }

  void solve(Push& push) {
    Body &a = bodies_[push.a], &b = bodies_[push.b];
    const auto closing = [&] {
      return Vector3(b.velocity + b.spin.cross(push.arm_b) - a.velocity - a.spin.cross(push.arm_a));
    };
    const auto softness = [&](const Vector3& n) {
      const Vector3 turn_a = push.arm_a.cross(n), turn_b = push.arm_b.cross(n);
      return 2 / mass_.mass + turn_a.dot(a.to_spin * turn_a) + turn_b.dot(b.to_spin * turn_b);
    };
    const auto apply = [&](const Vector3& impulse) {
      a.velocity -= impulse / mass_.mass;
      a.spin -= a.to_spin * push.arm_a.cross(impulse);
      b.velocity += impulse / mass_.mass;
      b.spin += b.to_spin * push.arm_b.cross(impulse);
    };
    // A step corrects a fifth of the depth, at most at the launch speed.
    const double target = std::min(0.2 * push.depth / options_.step, options_.speed * model_.radius);
    const double wanted = std::max(0.0, push.impulse + (target - closing().dot(push.normal)) / softness(push.normal));
    apply((wanted - push.impulse) * push.normal);
    push.impulse = wanted;
    Vector3 slip = closing();
    slip -= slip.dot(push.normal) * push.normal;
    const double speed = slip.norm();
    if (!(speed > 0)) return;
    const Vector3 along = slip / speed;
    // Each round may use only a fraction of the total friction.
    apply(-std::min(speed / softness(along), 0.1 * options_.friction * push.impulse) * along);
  }

  const Model& model_;
  MotionOptions options_;
  Shape shape_;
  MassProperties mass_;
  double reach_ = 0;  // of the solid about its center of mass
  std::vector<Body> bodies_;
  std::vector<Vector3> inside_;
};

}  // namespace

std::vector<Frame> record_motion(const Model& model, const MotionOptions& options) {
  Simulation simulation(model, options);
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < options.steps; ++i)
    frames.push_back(simulation.step());
  return frames;
}

}  // namespace whisker::bench
