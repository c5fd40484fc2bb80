#pragma once

/// \file
/// Heavy convex bodies that fall, push each other and come to rest.
///
/// Contacts are whisker's contact manifolds; the impulses at their points are found one after the other, again and
/// again, each kept from pulling and within the cone of friction, and started from those of the step before (projected
/// Gauss-Seidel with warm starting: Catto 2005). Enough to look right; no more is promised.

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
  double still_for = 0;                                     ///< Seconds for which it has hardly moved…
  whisker::Pose still_at;                                   ///< …from here.
  bool is_asleep = false;  ///< It has come to rest, and is not looked at until something pushes it.
};

struct PileOptions {
  double gravity = 9.81;  ///< Down z, meters per second squared.
  double top_speed = 6;   ///< Air lets nothing fly faster.
  double friction = 0.7;  ///< Coulomb's coefficient.
  double density = 1;     ///< Mass per volume.
  int iterations = 12;    ///< Rounds over all contacts in a step.
  double slop = 0.004;    ///< Bodies may overlap by this much; where they do by more they are pushed apart.
  /// A body of which no point has moved by more than `rest_distance` in `rest_time` seconds is at rest. (Not one that
  /// is slow: a body that is wedged between others may tremble on the spot for long.)
  double rest_distance = 0.015;
  double rest_time = 0.5;
  double wake_speed = 0.2;  ///< What touches a body at rest and is faster makes it move again.
};

/// The hull with its center of volume moved to the origin.
whisker::ConvexHull centered(const whisker::ConvexHull& hull);
/// The inertia tensor of a hull of density 1 about the origin of its frame (summed over tetrahedra: Blow and Binstock
/// 2004).
whisker::Matrix3 inertia_of(const whisker::ConvexHull& hull);

class Pile {
 public:
  /// An empty world with a floor at z = 0.
  explicit Pile(const PileOptions& options = {});

  /// Adds a body. Its hull's center of volume must be the origin (`centered`).
  std::size_t add(const whisker::ConvexHull& hull, const whisker::Pose& pose);
  /// Lets `seconds` pass, which should be a hundredth or less.
  void step(double seconds);

  const whisker::World& world() const { return world_; }
  whisker::BodyId floor() const { return floor_; }
  const std::vector<Rock>& rocks() const { return rocks_; }
  std::size_t asleep() const;
  /// Energy of motion and of height.
  double energy() const;

 private:
  // A point where two bodies push each other, and how much they did.
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
    std::size_t a = 0, b = 0;  // numbers of rocks; `nobody` is the floor
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
  std::vector<whisker::Matrix3> to_spin_;  // inverse inertia in the world's frame, this step
  std::map<whisker::WorldPair, Meeting> meetings_;
};

}  // namespace playground
