#pragma once

/// \file
/// Heavy convex bodies that fall, push each other and come to rest.
///
/// Contacts are whisker's contact manifolds. The impulses at their points are computed one after the other, repeatedly.
/// Each is clamped so that it does not pull and stays in the friction cone, and starts from that of the previous step
/// (projected Gauss-Seidel with warm starting: Catto 2005). The result looks plausible; no accuracy is promised.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <whisker/contact_manifold.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/world.hpp>

namespace playground {

/// A body with mass. The origin of its frame is its center of mass.
struct Rock {
  whisker::BodyId id;
  whisker::Pose pose;
  whisker::Vector3 velocity = whisker::Vector3::Zero();
  whisker::Vector3 spin = whisker::Vector3::Zero();  ///< Radians per second about this axis of the world.
  double mass = 1;
  whisker::Matrix3 inertia = whisker::Matrix3::Identity();  ///< About the center, in the body's frame.
  double still_for = 0;                                     ///< Seconds for which it has hardly moved
  whisker::Pose still_at;                                   ///< from this pose.
  bool is_asleep = false;  ///< It has come to rest, and is skipped until something pushes it.
};

struct PileOptions {
  double gravity = 9.81;  ///< Down z, meters per second squared.
  double top_speed = 6;   ///< Speed limit due to air drag.
  double friction = 0.7;  ///< Coulomb's coefficient.
  double density = 1;     ///< Mass per volume.
  int iterations = 12;    ///< Iterations over all contacts per step.
  double slop = 0.004;    ///< Bodies may overlap by this much; larger overlaps are pushed apart.
  /// A body is at rest if none of its points has moved by more than `rest_distance` in `rest_time` seconds. (Low speed
  /// is not enough: a body wedged between others may tremble in place for a long time.)
  double rest_distance = 0.015;
  double rest_time = 0.5;
  double wake_speed = 0.2;  ///< A body at rest wakes up when something faster than this touches it.
};

/// The hull, moved so that its centroid is the origin.
whisker::ConvexHull centered(const whisker::ConvexHull& hull);
/// The inertia tensor of a hull of density 1 about the origin of its frame (summed over tetrahedra: Blow and Binstock
/// 2004).
whisker::Matrix3 inertia_of(const whisker::ConvexHull& hull);

class Pile {
 public:
  /// An empty world with a floor at z = 0.
  explicit Pile(const PileOptions& options = {});

  /// Adds a body. The centroid of its hull must be the origin (see `centered`).
  std::size_t add(const whisker::ConvexHull& hull, const whisker::Pose& pose);
  /// Advances by `seconds`, which should be a hundredth or less.
  void step(double seconds);

  const whisker::World& world() const { return world_; }
  whisker::BodyId floor() const { return floor_; }
  const std::vector<Rock>& rocks() const { return rocks_; }
  std::size_t asleep() const;
  /// Kinetic plus potential energy.
  double energy() const;

 private:
  // A point where two bodies push each other, and the impulses there.
  struct Contact {
    std::uint64_t name = 0;                             // ManifoldPoint::id
    whisker::Vector3 arm_a = whisker::Vector3::Zero();  // from the centers
    whisker::Vector3 arm_b = whisker::Vector3::Zero();
    double gap = 0;
    double push = 0;               // impulse along the normal
    std::array<double, 2> drag{};  // impulses along the tangents
    double push_mass = 0;          // impulse per change of speed
    std::array<double, 2> drag_mass{};
  };
  struct Meeting {
    whisker::PairCache cache;
    std::size_t a = 0, b = 0;  // indices of rocks; `nobody` is the floor
    whisker::Vector3 normal = whisker::Vector3::Zero();
    std::array<whisker::Vector3, 2> tangents{};
    std::vector<Contact> contacts;
    bool is_current = false;
  };
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  bool is_awake(std::size_t rock) const { return rock != nobody && !rocks_[rock].is_asleep; }
  void wake(std::size_t rock);
  void find_contacts();
  void prepare(Meeting& meeting);
  void solve(Meeting& meeting, double seconds);
  void push(const Meeting& meeting, const Contact& contact, const whisker::Vector3& impulse);
  whisker::Vector3 closing_velocity(const Meeting& meeting, const Contact& contact) const;
  void rest_or_wake(double seconds);

  PileOptions options_;
  whisker::World world_;
  whisker::BodyId floor_;
  std::vector<Rock> rocks_;
  std::vector<double> radii_;              // of the rocks about their centers
  std::vector<whisker::Matrix3> to_spin_;  // inverse inertia in the world's frame, in this step
  std::map<whisker::WorldPair, Meeting> meetings_;
};

}  // namespace playground
