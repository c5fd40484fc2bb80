#include "playground/solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include <Eigen/Geometry>

#include <whisker/mass.hpp>

#include "playground/bouncing.hpp"

namespace playground {

namespace wk = whisker;

Solver::Solver(const SolverOptions& options) : options_(options), world_({.tests_shapes = false}) {}

whisker::BodyId Solver::add_fixed(const whisker::Shape& shape, const whisker::Pose& pose) {
  return world_.add(shape, pose, {.is_static = true, .margin = options_.margin / 2, .user = nobody});
}

std::size_t Solver::add(const whisker::Shape& shape, const whisker::Pose& pose) {
  const wk::MassProperties mass = wk::mass_properties(shape).with_density(options_.density);
  SolverBody body;
  body.id = world_.add(shape, pose, {.margin = options_.margin / 2, .user = bodies_.size()});
  body.pose = pose;
  body.mass = middle(mass.mass);
  body.center = middle(mass.center);
  body.inertia = middle(mass.inertia());
  const wk::Aabb box = shape.bounds();
  body.size = (box.upper - box.lower).maxCoeff();
  bodies_.push_back(body);
  return bodies_.size() - 1;
}

double Solver::speed(std::size_t body) const {
  return bodies_[body].velocity.norm() + bodies_[body].spin.norm() * bodies_[body].size / 2;
}

void Solver::step(double seconds) {
  world_.update();
  states_.resize(bodies_.size() + 1);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const SolverBody& body = bodies_[i];
    const wk::Matrix3& rotation = body.pose.rotation();
    states_[i] = {body.velocity,
                  body.spin,
                  body.pose.translation() + rotation * body.center,
                  rotation,
                  rotation * body.inertia.inverse() * rotation.transpose(),
                  1 / body.mass};
  }
  states_.back() = {wk::Vector3::Zero(),     wk::Vector3::Zero(), wk::Vector3::Zero(),
                    wk::Matrix3::Identity(), wk::Matrix3::Zero(), 0};
  find_contacts();
  const double h = seconds / options_.substeps;
  for (int substep = 0; substep < options_.substeps; ++substep) {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      states_[i].velocity.z() -= options_.gravity * h;
    for (const Contact& c : contacts_)
      push(c, c.impulse[0] * c.along[0] + c.impulse[1] * c.along[1] + c.impulse[2] * c.along[2]);
    for (int round = 0; round < options_.rounds; ++round)
      solve(h, true);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      State& s = states_[i];
      const wk::Pose moved_to = moved(wk::Pose(s.rotation, s.center), s.velocity, s.spin, h);
      s.center = moved_to.translation();
      s.rotation = moved_to.rotation();
      s.to_spin = s.rotation * bodies_[i].inertia.inverse() * s.rotation.transpose();
    }
    for (int round = 0; round < options_.rounds; ++round)
      solve(h, false);
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    SolverBody& body = bodies_[i];
    const State& s = states_[i];
    body.velocity = s.velocity;
    body.spin = s.spin;
    body.pose = wk::Pose(s.rotation, s.center - s.rotation * body.center);
    world_.move(body.id, body.pose);
  }
}

// Finds the points of contact, with the impulses that they had before.
void Solver::find_contacts() {
  contacts_.swap(last_contacts_);
  contacts_.clear();
  for (const wk::PairManifold& found : world_.manifolds({.margin = options_.margin})) {
    const auto state_of = [&](wk::BodyId id) {
      const std::uint64_t user = world_.options(id).user;
      return static_cast<std::uint32_t>(user == nobody ? bodies_.size() : user);
    };
    const std::uint32_t a = state_of(found.pair.a), b = state_of(found.pair.b);
    const wk::Vector3& normal = found.manifold.normal;
    const wk::Vector3 tangent = normal.unitOrthogonal();
    for (const wk::ManifoldPoint& point : found.manifold.points()) {
      Contact c;
      c.pair = found.pair;
      c.id = point.id;
      c.a = a;
      c.b = b;
      const State &sa = states_[a], &sb = states_[b];
      c.on_a = sa.rotation.transpose() * (point.point_a - sa.center);
      c.on_b = sb.rotation.transpose() * (point.point_b - sb.center);
      const wk::Vector3 at = (point.point_a + point.point_b) / 2;
      c.arm_a = at - sa.center;
      c.arm_b = at - sb.center;
      c.along = {normal, tangent, normal.cross(tangent)};
      for (std::size_t k = 0; k < 3; ++k) {
        const wk::Vector3 turn_a = c.arm_a.cross(c.along[k]), turn_b = c.arm_b.cross(c.along[k]);
        c.mass[k] =
            1 / (sa.to_velocity + sb.to_velocity + turn_a.dot(sa.to_spin * turn_a) + turn_b.dot(sb.to_spin * turn_b));
      }
      c.impulse = {};
      contacts_.push_back(c);
    }
  }
  const auto key = [](const Contact& c) { return std::tuple(c.pair, c.id); };
  const auto comes_first = [&](const Contact& p, const Contact& q) { return key(p) < key(q); };
  std::sort(contacts_.begin(), contacts_.end(), comes_first);
  auto last = last_contacts_.begin();
  for (Contact& c : contacts_) {
    while (last != last_contacts_.end() && comes_first(*last, c))
      ++last;
    if (last == last_contacts_.end() || key(*last) != key(c)) continue;
    // The tangents may have turned.
    const wk::Vector3 drag = last->impulse[1] * last->along[1] + last->impulse[2] * last->along[2];
    c.impulse = {last->impulse[0], drag.dot(c.along[1]), drag.dot(c.along[2])};
  }
}

void Solver::push(const Contact& c, const whisker::Vector3& impulse) {
  State &a = states_[c.a], &b = states_[c.b];
  a.velocity -= impulse * a.to_velocity;
  a.spin -= a.to_spin * c.arm_a.cross(impulse);
  b.velocity += impulse * b.to_velocity;
  b.spin += b.to_spin * c.arm_b.cross(impulse);
}

whisker::Vector3 Solver::opening_velocity(const Contact& c) const {
  const State &a = states_[c.a], &b = states_[c.b];
  return b.velocity + b.spin.cross(c.arm_b) - a.velocity - a.spin.cross(c.arm_a);
}

// One round over all contacts.
void Solver::solve(double seconds, bool is_soft) {
  const double omega = 2 * std::numbers::pi * std::min(options_.stiffness, 0.25 / seconds);
  const double spring = 2 * options_.damping + seconds * omega, soft = seconds * omega * spring;
  const double bias_rate = omega / spring, mass_part = soft / (1 + soft), impulse_part = 1 / (1 + soft);
  for (Contact& c : contacts_) {
    const State &a = states_[c.a], &b = states_[c.b];
    const double gap = c.along[0].dot(b.center + b.rotation * c.on_b - a.center - a.rotation * c.on_a);
    // A gap may close in this substep, but no more.
    double target = 0, part = 1, forget = 0;
    if (gap > 0) {
      target = -gap / seconds;
    } else if (is_soft) {
      target = std::min(-bias_rate * gap, options_.push_speed);
      part = mass_part;
      forget = impulse_part;
    }
    const double speed = c.along[0].dot(opening_velocity(c));
    const double wanted = std::max(0.0, c.impulse[0] + c.mass[0] * part * (target - speed) - forget * c.impulse[0]);
    push(c, (wanted - c.impulse[0]) * c.along[0]);
    c.impulse[0] = wanted;
    const wk::Vector3 slide = opening_velocity(c);
    double x = c.impulse[1] - c.mass[1] * slide.dot(c.along[1]), y = c.impulse[2] - c.mass[2] * slide.dot(c.along[2]);
    const double most = options_.friction * c.impulse[0], length = std::hypot(x, y);
    if (length > most) {
      x *= most / length;
      y *= most / length;
    }
    push(c, (x - c.impulse[1]) * c.along[1] + (y - c.impulse[2]) * c.along[2]);
    c.impulse[1] = x;
    c.impulse[2] = y;
  }
}

}  // namespace playground
