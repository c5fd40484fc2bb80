#include "playground/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include <Eigen/Geometry>

#include <whisker/mass.hpp>

#include "playground/bouncing.hpp"

namespace playground {

namespace wk = whisker;

namespace {

/// What has turned while rolling friction holds goes back by this part a second.
constexpr double turn_rate = 2;
/// A body that rolls on drags this much along, in radians.
constexpr double most_turn = 1e-3;

}  // namespace

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
  const wk::Vector3 sides = box.upper - box.lower;
  body.size = sides.maxCoeff();
  body.thickness = body.mass / options_.density * sides.minCoeff() / sides.prod();
  bodies_.push_back(body);
  return bodies_.size() - 1;
}

double Solver::speed(std::size_t body) const {
  return bodies_[body].velocity.norm() + bodies_[body].spin.norm() * bodies_[body].size / 2;
}

void Solver::step(double seconds) {
  const double h = seconds / options_.substeps;
  for (int left = options_.substeps; left > 0;) {
    const int count = std::min(left, substeps_on_these_contacts(h));
    advance(h, count);
    left -= count;
  }
}

int Solver::substeps_on_these_contacts(double seconds) const {
  double substeps = options_.substeps;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    substeps = std::min(substeps, options_.way * bodies_[i].thickness / (speed(i) * seconds));
  return std::max(1, static_cast<int>(substeps));
}

void Solver::advance(double h, int substeps) {
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
  reuse_impulses();
  for (int substep = 0; substep < substeps; ++substep) {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      states_[i].velocity.z() -= options_.gravity * h;
    start_from_impulses();
    for (int round = 0; round < options_.rounds; ++round)
      solve(h, true);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      State& s = states_[i];
      const wk::Pose moved_to = moved(wk::Pose(s.rotation, s.center), s.velocity, s.spin, h);
      s.center = moved_to.translation();
      s.rotation = moved_to.rotation();
    }
    remember_turns(h);
    for (int round = 0; round < options_.rounds; ++round)
      solve(h, false);
  }
  remember_creep(h);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    SolverBody& body = bodies_[i];
    const State& s = states_[i];
    body.velocity = s.velocity;
    body.spin = s.spin;
    body.pose = wk::Pose(s.rotation, s.center - s.rotation * body.center);
    world_.move(body.id, body.pose);
  }
}

void Solver::find_contacts() {
  contacts_.swap(last_contacts_);
  contacts_.clear();
  for (const wk::PairManifold& found : world_.manifolds({.margin = options_.margin})) {
    const auto state_of = [&](wk::BodyId id) {
      const std::uint64_t user = world_.options(id).user;
      return static_cast<std::uint32_t>(user == nobody ? bodies_.size() : user);
    };
    Contact c;
    c.pair = found.pair;
    c.a = state_of(found.pair.a);
    c.b = state_of(found.pair.b);
    c.creep.setZero();
    c.turn.setZero();
    c.roll.setZero();
    c.press = 0;
    const State &a = states_[c.a], &b = states_[c.b];
    c.roll_mass = (a.to_spin + b.to_spin).inverse();
    double size = std::numeric_limits<double>::infinity();
    for (const std::uint32_t state : {c.a, c.b})
      if (state < bodies_.size()) size = std::min(size, bodies_[state].size);
    const wk::Vector3& normal = found.manifold.normal;
    const wk::Vector3 tangent = normal.unitOrthogonal();
    for (const wk::ManifoldPoint& point : found.manifold.points()) {
      c.id = point.id;
      c.on_a = a.rotation.transpose() * (point.point_a - a.center);
      c.on_b = b.rotation.transpose() * (point.point_b - b.center);
      const wk::Vector3 at = (point.point_a + point.point_b) / 2;
      const wk::Vector3 slip = (b.velocity + b.spin.cross(at - b.center)) - (a.velocity + a.spin.cross(at - a.center));
      const auto hold = [&](double speed) { return speed < options_.slow * size ? options_.stiction : 1; };
      c.friction = options_.friction * hold((slip - normal * normal.dot(slip)).norm());
      c.arm = options_.rolling * size * hold((b.spin - a.spin).norm() * size);
      c.rows[0].along = normal;
      c.rows[1].along = tangent;
      c.rows[2].along = normal.cross(tangent);
      for (Row& row : c.rows) {
        row.turn_a = (at - a.center).cross(row.along);
        row.turn_b = (at - b.center).cross(row.along);
        row.spin_a = a.to_spin * row.turn_a;
        row.spin_b = b.to_spin * row.turn_b;
        row.mass = 1 / (a.to_velocity + b.to_velocity + row.turn_a.dot(row.spin_a) + row.turn_b.dot(row.spin_b));
        row.impulse = 0;
      }
      contacts_.push_back(c);
    }
  }
}

// Points that were there before start with what they had.
void Solver::reuse_impulses() {
  const auto key = [](const Contact& c) { return std::tuple(c.pair, c.id); };
  const auto comes_first = [&](const Contact& p, const Contact& q) { return key(p) < key(q); };
  std::sort(contacts_.begin(), contacts_.end(), comes_first);
  auto last = last_contacts_.begin();
  for (Contact& c : contacts_) {
    while (last != last_contacts_.end() && comes_first(*last, c))
      ++last;
    if (last == last_contacts_.end() || key(*last) != key(c)) continue;
    // The tangents may have turned.
    const wk::Vector3 drag = last->rows[1].impulse * last->rows[1].along + last->rows[2].impulse * last->rows[2].along;
    c.rows[0].impulse = last->rows[0].impulse;
    c.rows[1].impulse = drag.dot(c.rows[1].along);
    c.rows[2].impulse = drag.dot(c.rows[2].along);
    c.roll = last->roll;
    c.turn = last->turn;
    c.creep = last->creep - c.rows[0].along * c.rows[0].along.dot(last->creep);
  }
}

void Solver::start_from_impulses() {
  for (const Contact& c : contacts_) {
    for (const Row& row : c.rows)
      push(c, row, row.impulse);
    states_[c.a].spin -= states_[c.a].to_spin * c.roll;
    states_[c.b].spin += states_[c.b].to_spin * c.roll;
  }
}

void Solver::push(const Contact& c, const Row& row, double impulse) {
  State &a = states_[c.a], &b = states_[c.b];
  a.velocity -= row.along * (impulse * a.to_velocity);
  a.spin -= row.spin_a * impulse;
  b.velocity += row.along * (impulse * b.to_velocity);
  b.spin += row.spin_b * impulse;
}

// The speed at which b leaves a.
double Solver::speed_along(const Contact& c, const Row& row) const {
  const State &a = states_[c.a], &b = states_[c.b];
  return row.along.dot(b.velocity - a.velocity) + row.turn_b.dot(b.spin) - row.turn_a.dot(a.spin);
}

// From a's point to b's, where they are now.
whisker::Vector3 Solver::offset(const Contact& c) const {
  const State &a = states_[c.a], &b = states_[c.b];
  return b.center + b.rotation * c.on_b - a.center - a.rotation * c.on_a;
}

// Of the springs, in radians per second, at substeps of this length.
double Solver::frequency(double seconds) const {
  return 2 * std::numbers::pi * std::min(options_.stiffness, 0.25 / seconds);
}

// One round over all contacts.
void Solver::solve(double seconds, bool is_soft) {
  const double omega = frequency(seconds);
  const double spring = 2 * options_.damping + seconds * omega, soft = seconds * omega * spring;
  const double bias_rate = omega / spring, mass_part = soft / (1 + soft), impulse_part = 1 / (1 + soft);
  for (Contact& c : contacts_) {
    const wk::Vector3 apart = offset(c);
    Row &normal = c.rows[0], &first = c.rows[1], &second = c.rows[2];
    const double gap = normal.along.dot(apart);
    // A gap may close in this substep, but no more.
    double target = 0, part = 1, forget = 0;
    if (gap > 0) {
      target = -gap / seconds;
    } else if (is_soft) {
      target = std::min(-bias_rate * gap, options_.push_speed);
      part = mass_part;
      forget = impulse_part;
    }
    const double wanted =
        std::max(0.0, (1 - forget) * normal.impulse + normal.mass * part * (target - speed_along(c, normal)));
    if (wanted == 0 && normal.impulse == 0) continue;  // so there is no friction
    push(c, normal, wanted - normal.impulse);
    normal.impulse = wanted;
    // Without springs the rounds leave impulses that go up and down from substep to substep. Friction that followed
    // them up would let bodies creep.
    c.press = is_soft ? wanted : std::min(c.press, wanted);

    // What has crept goes back as an overlap does.
    const wk::Vector3 back = is_soft ? wk::Vector3(-bias_rate * (c.creep + apart)) : wk::Vector3::Zero();
    part = is_soft ? mass_part : 1;
    forget = is_soft ? impulse_part : 0;
    double x = (1 - forget) * first.impulse + first.mass * part * (back.dot(first.along) - speed_along(c, first));
    double y = (1 - forget) * second.impulse + second.mass * part * (back.dot(second.along) - speed_along(c, second));
    const double most = c.friction * c.press, length = std::hypot(x, y);
    if (length > most) {
      x *= most / length;
      y *= most / length;
    }
    push(c, first, x - first.impulse);
    push(c, second, y - second.impulse);
    first.impulse = x;
    second.impulse = y;

    State &a = states_[c.a], &b = states_[c.b];
    // What has turned goes back too, but slowly: a faster way back would work against the springs of a face's points.
    const wk::Vector3 back_turn = is_soft ? wk::Vector3(-turn_rate * c.turn) : wk::Vector3::Zero();
    wk::Vector3 roll = c.roll + c.roll_mass * (back_turn - (b.spin - a.spin));
    const double most_roll = c.arm * c.press, torque = roll.norm();
    if (torque > most_roll) roll *= most_roll / torque;
    a.spin -= a.to_spin * (roll - c.roll);
    b.spin += b.to_spin * (roll - c.roll);
    c.roll = roll;
  }
}

// A point that slides drags its spring along, stretched as far as friction can stretch it.
void Solver::remember_creep(double seconds) {
  const double omega = frequency(seconds);
  for (Contact& c : contacts_) {
    const wk::Vector3 apart = offset(c), &normal = c.rows[0].along;
    c.creep += apart - normal * normal.dot(apart);
    const double stiffness = seconds * omega * omega * std::min(c.rows[1].mass, c.rows[2].mass);
    const double most = c.friction * c.press / stiffness, length = c.creep.norm();
    if (length > most) c.creep *= most / length;
  }
}

void Solver::remember_turns(double seconds) {
  for (Contact& c : contacts_) {
    c.turn += (states_[c.b].spin - states_[c.a].spin) * seconds;
    const double angle = c.turn.norm();
    if (angle > most_turn) c.turn *= most_turn / angle;
  }
}

}  // namespace playground
