#pragma once

/// \file
/// Articulated bodies: links connected by joints, and when they first touch an obstacle, another body or themselves
/// while they move from one set of joint positions to another.
///
///     Articulated arm({{.name = "base", .shapes = {{foot}}},
///                      {.name = "upper", .shapes = {{beam, along_x}}, .joint = {.kind = JointKind::revolute}},
///                      {.name = "lower", .parent = 1, .shapes = {{beam, along_x}},
///                       .joint = {.kind = JointKind::revolute, .origin = at_the_elbow}}});
///     const auto hits = first_contacts({arm, from, to}, {cabinet, Still{pose}}).hits;
///     if (!hits.empty()) stop_at(hits.front().impact.time_lower);
///
/// All joints move at constant speed between the two sets of positions, from time 0 to time 1. As in first_contact.hpp,
/// no contact is missed between the two. Lengths are in the user's unit and angles in radians.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <whisker/first_contact.hpp>

namespace whisker {

/// The motion that a joint allows its link relative to the parent link.
enum class JointKind : std::uint8_t {
  fixed,      ///< None; no position.
  revolute,   ///< Rotation about the axis; one position, in radians.
  prismatic,  ///< Translation along the axis; one position, in the user's unit.
  free,       ///< Any rigid motion; six positions: x, y, z and a rotation vector (axis times radians). Between two sets
              ///< of positions the origin moves in a straight line and the link rotates at constant speed, by at most
              ///< half a turn.
};

/// How a link is attached to its parent.
struct Joint {
  JointKind kind = JointKind::fixed;
  /// The pose of the joint in the frame of the parent link (for the first link, in the frame of the base). At position
  /// 0 the link's frame coincides with the joint's frame.
  Pose origin = {};
  /// The axis of a revolute or prismatic joint, in the joint's frame. Any length except 0; Articulated normalizes it.
  Vector3 axis = Vector3::UnitZ();
};

/// A collision shape of a link.
struct LinkShape {
  Shape shape;
  Pose pose = {};  ///< In the link's frame.
};

/// A rigid part of an articulated body.
struct Link {
  std::string name = {};  ///< For error messages; may be empty.
  /// The index of the parent link, which must be lower than the link's own. Ignored for the first link.
  std::size_t parent = 0;
  std::vector<LinkShape> shapes = {};
  Joint joint = {};  ///< How the link is attached to its parent, or the first link to the base.
};

/// A tree of links. It is a value that owns its links. Any number of threads may use it while no thread calls
/// leave_out(). After a move the source is empty (detail/held.hpp).
class Articulated {
 public:
  /// Throws an Error if there is no link, a parent does not come before its link, an axis is zero or not finite, or a
  /// shape is unbounded (a half-space or plane).
  explicit Articulated(std::vector<Link> links);

  /// The links as given, with normalized joint axes.
  std::span<const Link> links() const;
  /// The total number of positions of all joints.
  std::size_t position_count() const;
  /// The index of a link's first position among all positions. This function and all others that take a link index
  /// throw an Error if there is no such link.
  std::size_t first_position(std::size_t link) const;

  /// The pose of each link in the world, where `base` is the pose of the base (forward kinematics). Throws an Error if
  /// the number of positions is not position_count(), or if a position is not finite or beyond 1e9.
  std::vector<Pose> poses(std::span<const double> positions, const Pose& base = {}) const;

  /// Whether two links are never tested against each other: a link with itself, links that are connected by one joint
  /// or by fixed joints and at most one other joint, and pairs given to leave_out().
  bool is_adjacent(std::size_t a, std::size_t b) const;
  /// Excludes a pair of links from self-collision tests, for instance because they overlap by design.
  void leave_out(std::size_t a, std::size_t b);

 private:
  void check_link(std::size_t link) const;

  std::vector<Link> links_;
  std::vector<std::size_t> first_position_;
  std::vector<std::size_t> rigid_group_;  // links that fixed joints connect have one number
  std::vector<std::pair<std::size_t, std::size_t>> left_out_;
};

/// A motion of a body from one set of positions to another: all joints move simultaneously, each at constant speed,
/// from time 0 to time 1. A parameter type: it refers to the body and the positions, so do not store it.
struct ArticulatedStep {
  const Articulated& body;
  std::span<const double> from;  ///< The joint positions at time 0; position_count() of them.
  std::span<const double> to;    ///< The joint positions at time 1.
  Pose base = {};                ///< The pose of the base in the world, which does not move.
};

/// The motion of one link, or of a shape at `shape_pose` in the link's frame, during a step. With `seen_from` SIZE_MAX
/// it is the motion in the world. Otherwise `seen_from` is the index of the link itself or of one of its ancestors, and
/// the motion is relative to the frame of that link.
///
/// The result refers to the step's body, which must outlive it; the positions are copied. Throws an Error if there is
/// no such link, if `seen_from` is not one of the above, or if positions are missing, not finite or beyond 1e9.
CustomMotion link_motion(const ArticulatedStep& step, std::size_t link, const Pose& shape_pose = {},
                         std::size_t seen_from = SIZE_MAX);

/// A shape of a link that touches something during a step.
struct LinkImpact {
  std::size_t link_a = 0;   ///< The index of the link.
  std::size_t shape_a = 0;  ///< The index among the link's shapes.
  std::size_t link_b = 0;   ///< The other link; 0 if b is not an articulated body.
  std::size_t shape_b = 0;  ///< The index among the other link's shapes; 0 if b is not an articulated body.
  /// When and where the two shapes touch; in the world frame. For two links of one body, poses, point and normal are
  /// instead in the frame of their lowest common ancestor, which may be one of the two links.
  MotionImpact impact;
};

/// Every shape of a link of a that is not proven to miss b during the motion, the earliest contact first. No contact is
/// missed (see first_contact.hpp). Throws an Error if positions are missing, not finite or beyond 1e9, and the Errors
/// of first_contact().
FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const Moving& b, const ImpactOptions& options = {});
FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const ArticulatedStep& b,
                                         const ImpactOptions& options = {});
/// The same for pairs of links of one body that are not adjacent (self-collision).
FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const ImpactOptions& options = {});

}  // namespace whisker
