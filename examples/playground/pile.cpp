#include "playground/pile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "playground/bouncing.hpp"

namespace playground {

namespace wk = whisker;

whisker::ConvexHull centered(const whisker::ConvexHull& hull) {
  std::vector<wk::Vector3> points(hull.vertices().begin(), hull.vertices().end());
  const wk::Vector3 center = hull.centroid();
  for (wk::Vector3& point : points)
    point -= center;
  return wk::ConvexHull(points);
}

whisker::Matrix3 inertia_of(const whisker::ConvexHull& hull) {
  // For the tetrahedron 0abc, the integral of x xᵀ is det(a, b, c)/120 (aaᵀ + bbᵀ + ccᵀ + ssᵀ), with s = a + b + c.
  Eigen::Matrix3d second_moment = Eigen::Matrix3d::Zero();
  const auto vertices = hull.vertices();
  for (std::size_t face = 0; face < hull.face_count(); ++face) {
    const auto corners = hull.face(face);
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const Eigen::Vector3d a = vertices[corners[0]], b = vertices[corners[i - 1]], c = vertices[corners[i]];
      const Eigen::Vector3d s = a + b + c;
      second_moment +=
          a.dot(b.cross(c)) / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
  }
  return second_moment.trace() * Eigen::Matrix3d::Identity() - second_moment;
}

Pile::Pile(const PileOptions& options)
    : options_(options), floor_(world_.add(wk::HalfSpace{}, {}, {.is_static = true, .user = nobody})) {}

std::size_t Pile::add(const whisker::ConvexHull& hull, const whisker::Pose& pose) {
  Rock rock;
  rock.pose = pose;
  rock.still_at = pose;
  rock.mass = options_.density * hull.volume();
  rock.inertia = options_.density * inertia_of(hull);
  rock.id = world_.add(hull, pose, {.user = rocks_.size()});
  double radius = 0;
  for (const wk::Vector3& vertex : hull.vertices())
    radius = std::max(radius, vertex.norm());
  rocks_.push_back(rock);
  radii_.push_back(radius);
  to_spin_.push_back(wk::Matrix3::Zero());
  return rocks_.size() - 1;
}

void Pile::step(double seconds) {
  for (std::size_t i = 0; i < rocks_.size(); ++i) {
    Rock& rock = rocks_[i];
    if (rock.is_asleep) continue;
    rock.velocity.z() -= options_.gravity * seconds;
    if (rock.velocity.norm() > options_.top_speed) rock.velocity *= options_.top_speed / rock.velocity.norm();
    to_spin_[i] = rock.pose.rotation() * rock.inertia.inverse() * rock.pose.rotation().transpose();
  }
  find_contacts();
  for (auto& [pair, meeting] : meetings_)
    prepare(meeting);
  for (int round = 0; round < options_.iterations; ++round) {
    for (auto& [pair, meeting] : meetings_)
      solve(meeting, seconds);
  }
  rest_or_wake(seconds);
  for (Rock& rock : rocks_) {
    if (rock.is_asleep) continue;
    rock.pose = moved(rock.pose, rock.velocity, rock.spin, seconds);
    world_.move(rock.id, rock.pose);
  }
  world_.update();
}

void Pile::wake(std::size_t rock) {
  if (rock == nobody || !rocks_[rock].is_asleep) return;
  rocks_[rock].is_asleep = false;
  rocks_[rock].still_for = 0;
  rocks_[rock].still_at = rocks_[rock].pose;
  to_spin_[rock] =
      rocks_[rock].pose.rotation() * rocks_[rock].inertia.inverse() * rocks_[rock].pose.rotation().transpose();
}

// Finds the manifolds of all pairs whose boxes overlap, with the impulses of the previous step.
void Pile::find_contacts() {
  for (auto& [pair, meeting] : meetings_)
    meeting.is_current = false;
  for (const wk::WorldPair& pair : world_.near_pairs()) {
    const std::size_t a = world_.options(pair.a).user, b = world_.options(pair.b).user;
    Meeting& meeting = meetings_[pair];
    meeting.is_current = true;
    meeting.a = a;
    meeting.b = b;
    if (!is_awake(a) && !is_awake(b)) continue;  // unchanged
    const wk::ContactManifold manifold =
        wk::contact_manifold({world_.shape(pair.a), world_.pose(pair.a)}, {world_.shape(pair.b), world_.pose(pair.b)},
                             {.margin = 2 * options_.slop, .cache = &meeting.cache});
    meeting.normal = manifold.normal;
    meeting.tangents[0] = meeting.normal.unitOrthogonal();
    meeting.tangents[1] = meeting.normal.cross(meeting.tangents[0]);
    std::vector<Contact> contacts;
    for (const wk::ManifoldPoint& point : manifold.points()) {
      Contact contact;
      contact.name = point.id;
      contact.gap = point.gap;
      const wk::Vector3 middle = (point.point_a + point.point_b) / 2;
      if (a != nobody) contact.arm_a = middle - rocks_[a].pose.translation();
      if (b != nobody) contact.arm_b = middle - rocks_[b].pose.translation();
      for (const Contact& before : meeting.contacts) {
        if (before.name != point.id) continue;
        contact.push = before.push;
        contact.drag = before.drag;
      }
      contacts.push_back(contact);
    }
    if (contacts.empty() && !meeting.contacts.empty()) {  // the bodies no longer touch, so one may have lost its
                                                          // support
      wake(a);
      wake(b);
    }
    meeting.contacts = std::move(contacts);
  }
  std::erase_if(meetings_, [](const auto& entry) { return !entry.second.is_current; });
}

// Computes the impulse that changes the closing speed by one, and applies the impulses of the previous step.
void Pile::prepare(Meeting& meeting) {
  const auto mass_along = [&](const Contact& contact, const wk::Vector3& direction) {
    double softness = 0;
    const auto add = [&](std::size_t rock, const wk::Vector3& arm) {
      if (!is_awake(rock)) return;
      const wk::Vector3 turn = arm.cross(direction);
      softness += 1 / rocks_[rock].mass + turn.dot(to_spin_[rock] * turn);
    };
    add(meeting.a, contact.arm_a);
    add(meeting.b, contact.arm_b);
    return softness > 0 ? 1 / softness : 0;
  };
  for (Contact& contact : meeting.contacts) {
    contact.push_mass = mass_along(contact, meeting.normal);
    for (std::size_t k = 0; k < 2; ++k)
      contact.drag_mass[k] = mass_along(contact, meeting.tangents[k]);
    push(meeting, contact,
         contact.push * meeting.normal + contact.drag[0] * meeting.tangents[0] + contact.drag[1] * meeting.tangents[1]);
  }
}

void Pile::solve(Meeting& meeting, double seconds) {
  for (Contact& contact : meeting.contacts) {
    if (contact.push_mass == 0) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      const double most = options_.friction * contact.push;
      const double wanted =
          contact.drag[k] - contact.drag_mass[k] * closing_velocity(meeting, contact).dot(meeting.tangents[k]);
      const double drag = std::clamp(wanted, -most, most);
      push(meeting, contact, (drag - contact.drag[k]) * meeting.tangents[k]);
      contact.drag[k] = drag;
    }
    // A gap may close in this step, but no more. A fifth of an overlap is corrected per step, at walking pace.
    const double depth = -contact.gap - options_.slop;
    const double target = contact.gap > 0 ? -contact.gap / seconds : std::clamp(0.2 * depth / seconds, 0.0, 1.0);
    const double speed = closing_velocity(meeting, contact).dot(meeting.normal);
    const double wanted = std::max(0.0, contact.push + contact.push_mass * (target - speed));
    push(meeting, contact, (wanted - contact.push) * meeting.normal);
    contact.push = wanted;
  }
}

void Pile::push(const Meeting& meeting, const Contact& contact, const whisker::Vector3& impulse) {
  const auto apply = [&](std::size_t number, const wk::Vector3& arm, double sign) {
    if (!is_awake(number)) return;
    Rock& rock = rocks_[number];
    rock.velocity += sign / rock.mass * impulse;
    rock.spin += sign * (to_spin_[number] * arm.cross(impulse));
  };
  apply(meeting.a, contact.arm_a, -1);
  apply(meeting.b, contact.arm_b, 1);
}

// The velocity of b's point relative to a's point.
whisker::Vector3 Pile::closing_velocity(const Meeting& meeting, const Contact& contact) const {
  wk::Vector3 velocity = wk::Vector3::Zero();
  if (is_awake(meeting.b)) velocity += rocks_[meeting.b].velocity + rocks_[meeting.b].spin.cross(contact.arm_b);
  if (is_awake(meeting.a)) velocity -= rocks_[meeting.a].velocity + rocks_[meeting.a].spin.cross(contact.arm_a);
  return velocity;
}

void Pile::rest_or_wake(double seconds) {
  for (const auto& [pair, meeting] : meetings_) {
    if (meeting.contacts.empty() || is_awake(meeting.a) == is_awake(meeting.b)) continue;
    const std::size_t number = is_awake(meeting.a) ? meeting.a : meeting.b;
    const Rock& mover = rocks_[number];
    if (mover.velocity.norm() + mover.spin.norm() * radii_[number] > options_.wake_speed)
      wake(number == meeting.a ? meeting.b : meeting.a);
  }
  for (std::size_t i = 0; i < rocks_.size(); ++i) {
    Rock& rock = rocks_[i];
    if (rock.is_asleep) continue;
    // Rotation is damped, as by air and dust.
    rock.spin *= 1 - std::min(1.0, 0.8 * seconds);
    const double turned = Eigen::AngleAxisd(rock.still_at.rotation().transpose() * rock.pose.rotation()).angle();
    const double way = (rock.pose.translation() - rock.still_at.translation()).norm() + turned * radii_[i];
    rock.still_for += seconds;
    if (way > options_.rest_distance) {
      rock.still_for = 0;
      rock.still_at = rock.pose;
    }
    if (rock.still_for < options_.rest_time) continue;
    rock.is_asleep = true;
    rock.velocity.setZero();
    rock.spin.setZero();
  }
}

std::size_t Pile::asleep() const {
  return static_cast<std::size_t>(
      std::count_if(rocks_.begin(), rocks_.end(), [](const Rock& rock) { return rock.is_asleep; }));
}

double Pile::energy() const {
  double sum = 0;
  for (const Rock& rock : rocks_) {
    const wk::Vector3 own_spin = rock.pose.rotation().transpose() * rock.spin;
    sum += rock.mass * (rock.velocity.squaredNorm() / 2 + options_.gravity * rock.pose.translation().z()) +
           own_spin.dot(rock.inertia * own_spin) / 2;
  }
  return sum;
}

}  // namespace playground
