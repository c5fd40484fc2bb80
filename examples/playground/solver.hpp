#pragma once

/// \file
/// A plain solver of rigid bodies with contacts and friction on World::manifolds: what a user's own solver looks like.
///
/// Every step finds the manifolds and then takes some substeps; where a body is fast it finds them more than once, so
/// that nothing passes through an open surface unseen. A substep applies gravity, starts from the impulses that the
/// points had before (by their ids), and solves point after point: contacts as stiff, well damped springs, friction
/// within Coulomb's cone. The positions move, and the springs' push is taken out of the velocities again (Catto 2024,
/// "soft step"). No sleeping, no damping of velocities, no restitution, a fixed step.
///
/// Three things let a pile come to rest and stay:
///  - A point that sticks remembers how far it has crept since it began to stick, and the creep is undone like an
///    overlap. Friction that only brakes would let it grow, by the little that the rounds leave over.
///  - Contacts resist rolling and spinning, as those of real bodies do, which dent. Without it a ball on the slightest
///    slope never stops. The limit is a torque proportional to the push, so it is friction, not damping. What has
///    turned nevertheless is remembered and undone, too, within a second.
///  - What is at rest sticks a little better than what moves. Otherwise bodies come to rest where friction only just
///    holds them, and some give way later.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/world.hpp>

namespace playground {

struct SolverOptions {
  double gravity = 9.81;  ///< Down z.
  double friction = 0.6;  ///< Coulomb's coefficient of what slides.
  /// Of rolling and spinning: the arm of the largest torque, as a part of the smaller body's size. A ball comes to rest
  /// on slopes up to twice this number; with 0, on none.
  double rolling = 0.05;
  /// Both are larger by this factor where bodies are at rest against each other: slower than `slow`.
  double stiction = 1.25;
  double slow = 5e-3;     ///< In sizes of the smaller body per second.
  double density = 1;     ///< Mass per volume.
  int substeps = 12;      ///< Per step.
  int rounds = 4;         ///< Over all contacts per substep.
  double margin = 0.01;   ///< Points with a gap up to this take part.
  double push_speed = 3;  ///< Overlaps are pushed apart no faster than this.
  /// Contacts are found anew before any body has moved by this part of its thickness.
  double way = 0.3;
  double stiffness = 180;  ///< Of the contacts, as a frequency: oscillations per second.
  double damping = 10;     ///< Of the contacts, relative to critical damping.
};

/// A moving body. Its center of mass may be anywhere in the shape's frame.
struct SolverBody {
  whisker::BodyId id;
  whisker::Pose pose;                                    ///< Of the shape.
  whisker::Vector3 velocity = whisker::Vector3::Zero();  ///< Of the center of mass.
  whisker::Vector3 spin = whisker::Vector3::Zero();      ///< Radians per second about this axis of the world.
  double mass = 1;
  double size = 1;       ///< The longest side of the shape's box.
  double thickness = 1;  ///< The volume over the box's largest side: at most the shortest side of the box.
  whisker::Vector3 center = whisker::Vector3::Zero();       ///< Of mass, in the shape's frame.
  whisker::Matrix3 inertia = whisker::Matrix3::Identity();  ///< About the center, in the shape's axes.
};

class Solver {
 public:
  explicit Solver(const SolverOptions& options = {});

  /// Adds a body that does not move.
  whisker::BodyId add_fixed(const whisker::Shape& shape, const whisker::Pose& pose = {});
  /// Adds a body that moves; its shape must have an inside. Returns its number.
  std::size_t add(const whisker::Shape& shape, const whisker::Pose& pose);
  void step(double seconds);

  const whisker::World& world() const { return world_; }
  const std::vector<SolverBody>& bodies() const { return bodies_; }
  std::size_t contact_count() const { return contacts_.size(); }
  /// The speed of the fastest point of a body, or a little more.
  double speed(std::size_t body) const;

 private:
  static constexpr std::uint32_t nobody = 0xFFFFFFFF;

  // A body in the course of a step.
  struct State {
    whisker::Vector3 velocity, spin;
    whisker::Vector3 center;  // in the world
    whisker::Matrix3 rotation;
    whisker::Matrix3 to_spin;  // inverse inertia in the world
    double to_velocity;        // inverse mass; 0 for a body that does not move
  };
  // A direction in which a contact pushes b, and a the other way.
  struct Row {
    whisker::Vector3 along;
    whisker::Vector3 turn_a, turn_b;  // the torque of a push
    whisker::Vector3 spin_a, spin_b;  // the spin that it causes
    double mass;                      // impulse per change of speed
    double impulse;
  };
  struct Contact {
    whisker::WorldPair pair;
    std::uint64_t id;
    std::uint32_t a, b;           // states
    whisker::Vector3 on_a, on_b;  // the points, relative to the centers, in the shapes' axes
    whisker::Vector3 creep;       // of b's point relative to a's along the surface, before this step
    whisker::Vector3 turn;        // of b relative to a while rolling friction holds
    std::array<Row, 3> rows;      // the normal and two tangents
    double press;                 // the least normal impulse of a substep, which limits friction
    double friction;              // Coulomb's coefficient
    double arm;                   // of the rolling friction
    whisker::Matrix3 roll_mass;   // turning impulse per change of the relative spin
    whisker::Vector3 roll;        // turning impulse on b
  };

  int substeps_on_these_contacts(double seconds) const;
  void advance(double seconds, int substeps);
  void find_contacts();
  void reuse_impulses();
  void start_from_impulses();
  void solve(double seconds, bool is_soft);
  void remember_creep(double seconds);
  void remember_turns(double seconds);
  double frequency(double seconds) const;
  whisker::Vector3 offset(const Contact& contact) const;
  void push(const Contact& contact, const Row& row, double impulse);
  double speed_along(const Contact& contact, const Row& row) const;

  SolverOptions options_;
  whisker::World world_;
  std::vector<SolverBody> bodies_;
  std::vector<State> states_;                      // of the bodies, then one that does not move
  std::vector<Contact> contacts_, last_contacts_;  // sorted by pair and id
};

}  // namespace playground
