#pragma once

/// \file
/// Bodies made of links and joints, and when they first touch something, or themselves, on their way from one set of
/// joint positions to another.
///
///     Articulated arm({{.name = "base", .shapes = {{foot}}},
///                      {.name = "upper", .shapes = {{beam, along_x}}, .joint = {.kind = JointKind::revolute}},
///                      {.name = "lower", .parent = 1, .shapes = {{beam, along_x}},
///                       .joint = {.kind = JointKind::revolute, .origin = at_the_elbow}}});
///     const auto hits = first_contacts({arm, from, to}, {cabinet, Still{pose}}).hits;
///     if (!hits.empty()) stop_at(hits.front().impact.time_lower);

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <whisker/first_contact.hpp>

namespace whisker {

/// What a joint lets its link do in the frame of its parent.
enum class JointKind : std::uint8_t {
  fixed,      ///< nothing: no position
  revolute,   ///< turn about the axis: one position, in radians
  prismatic,  ///< slide along the axis: one position, in the user's unit
  free,       ///< anything: six positions, x, y, z and a rotation vector (axis times radians); from one to the other it
              ///< moves straight and turns evenly, by at most half a turn
};

struct Joint {
  JointKind kind = JointKind::fixed;
  /// Where the joint is in the frame of the parent (of the base, for the first link). At position 0 it is the link's
  /// frame.
  Pose origin = {};
  /// Of a revolute or prismatic joint, in the joint's frame; any length but 0.
  Vector3 axis = Vector3::UnitZ();
};

struct LinkShape {
  Shape shape;
  Pose pose = {};  ///< in the link's frame
};

struct Link {
  std::string name = {};
  /// The link that its joint hangs from: one that comes before it. Of the first link it does not count.
  std::size_t parent = 0;
  std::vector<LinkShape> shapes = {};
  Joint joint = {};
};

/// A tree of links. A value: safe to use from any number of threads while nobody leaves out pairs. One that was moved
/// from is empty (held.hpp).
class Articulated {
 public:
  /// Throws an Error if there is no link, a parent does not come before its link, an axis is zero or not finite, or
  /// a shape has no bounds (a half-space or plane).
  explicit Articulated(std::vector<Link> links);

  std::span<const Link> links() const;
  /// How many positions its joints have, and where those of a link begin among them. All that takes the number of a
  /// link throws an Error if there is no such link.
  std::size_t position_count() const;
  std::size_t first_position(std::size_t link) const;

  /// Where each link is. Throws an Error if there are not as many positions as joints need, or one is not finite.
  std::vector<Pose> poses(std::span<const double> positions, const Pose& base = {}) const;

  /// Two links that are never tested against each other: the same, those that a joint or fixed joints connect, and
  /// those that were left out.
  bool is_adjacent(std::size_t a, std::size_t b) const;
  /// Leaves out a pair, as one that overlaps by design.
  void leave_out(std::size_t a, std::size_t b);

 private:
  void check_link(std::size_t link) const;

  std::vector<Link> links_;
  std::vector<std::size_t> first_position_;
  std::vector<std::size_t> rigid_group_;  // links that fixed joints connect have one number
  std::vector<std::pair<std::size_t, std::size_t>> left_out_;
};

/// From one set of positions to another: each joint evenly, all at once, from time 0 to time 1. A parameter type: it
/// refers to the body and the positions.
struct ArticulatedStep {
  const Articulated& body;
  std::span<const double> from;
  std::span<const double> to;
  Pose base = {};
};

/// How one link of it moves, seen from the base's world, or from another link that it hangs from (`seen_from`, if it is
/// a link). It refers to the step's body. Throws an Error if there is no such link, or if `seen_from` is neither
/// SIZE_MAX nor the link itself or one that it hangs from.
CustomMotion link_motion(const ArticulatedStep& step, std::size_t link, const Pose& shape_pose = {},
                         std::size_t seen_from = SIZE_MAX);

struct LinkImpact {
  std::size_t link_a = 0;
  std::size_t shape_a = 0;  ///< which of the link's shapes
  std::size_t link_b = 0;   ///< 0 if b is no articulated body
  std::size_t shape_b = 0;
  /// Of two links of one body: poses, point and normal are in the frame of the link that both hang from.
  MotionImpact impact;
};

/// Every shape of a link that is not proven to miss the other on its way, the earliest first. No contact is missed (see
/// first_contact.hpp). Throws an Error if positions are missing or not finite.
FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const Moving& b, const ImpactOptions& options = {});
FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const ArticulatedStep& b,
                                         const ImpactOptions& options = {});
/// Of links of one body that are not adjacent.
FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const ImpactOptions& options = {});

}  // namespace whisker
