#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <whisker/detail/held.hpp>
#include <whisker/error.hpp>
#include <whisker/robot/articulated.hpp>

#include "geometry/check_index.hpp"
#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/safe_norm.hpp"

namespace whisker {
namespace {

std::size_t positions_of(JointKind kind) {
  return kind == JointKind::fixed ? 0 : kind == JointKind::free ? 6 : 1;
}

std::string named(const std::vector<Link>& links, std::size_t i) {
  return "articulated: link " + std::to_string(i) + (links[i].name.empty() ? "" : " (" + links[i].name + ")");
}

/// The pose that a joint gives its link in the joint's frame, at a fraction t of the way between two positions.
Pose joint_pose(const Joint& joint, const double* from, const double* to, double t) {
  switch (joint.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute: {
      const double angle = from[0] + t * (to[0] - from[0]);
      return pose_at(Turning{.turn = joint.axis * angle}, 1);
    }
    case JointKind::prismatic:
      return geometry::raw_pose(Vector3(joint.axis * (from[0] + t * (to[0] - from[0]))));
    case JointKind::free: {
      const auto pose = [](const double* q) {
        Pose result = pose_at(Turning{.turn = Vector3(q[3], q[4], q[5])}, 1);
        geometry::raw_translation(result) = Vector3(q[0], q[1], q[2]);
        return result;
      };
      const Pose start = pose(from);
      if (t == 0) return start;
      return pose_at(turning(start, pose(to)), t);
    }
  }
  return {};
}

void check_positions(const Articulated& body, std::span<const double> positions) {
  if (positions.size() != body.position_count()) {
    throw Error("articulated: " + std::to_string(positions.size()) + " positions, but its joints have " +
                std::to_string(body.position_count()));
  }
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (!(std::abs(positions[i]) <= 1e9))
      throw Error("articulated: position " + std::to_string(i) + " is not finite, or beyond 1e9");
}

}  // namespace

Articulated::Articulated(std::vector<Link> links) : links_(std::move(links)) {
  if (links_.empty()) throw Error("articulated: it has no links; give at least one");
  first_position_.push_back(0);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    if (i == 0) link.parent = 0;
    if (i > 0 && link.parent >= i) throw Error(named(links_, i) + ": its parent must come before it");
    Joint& joint = link.joint;
    if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic) {
      const double length = joint.axis.allFinite() ? geometry::safe_norm(joint.axis) : 0;
      if (!(length > 0)) throw Error(named(links_, i) + ": the joint's axis is zero, or not finite");
      joint.axis /= length;
    }
    for (const LinkShape& shape : link.shapes) {
      const Aabb bounds = shape.shape.bounds();
      if (!bounds.lower.allFinite() || !bounds.upper.allFinite())
        throw Error(named(links_, i) + ": a " + std::string(whisker::name(shape.shape.kind())) +
                    " is unbounded; use a box instead");
    }
    first_position_.push_back(first_position_.back() + positions_of(joint.kind));
    const bool is_rigid = i > 0 && joint.kind == JointKind::fixed;
    rigid_group_.push_back(is_rigid ? rigid_group_[link.parent] : i);
  }
}

std::span<const Link> Articulated::links() const {
  if (links_.empty()) [[unlikely]]
    throw_empty("Articulated");
  return links_;
}

void Articulated::check_link(std::size_t link) const {
  geometry::check_index("articulated: link", link, links().size());
}

std::size_t Articulated::position_count() const {
  return first_position_[links().size()];
}

std::size_t Articulated::first_position(std::size_t link) const {
  check_link(link);
  return first_position_[link];
}

std::vector<Pose> Articulated::poses(std::span<const double> positions, const Pose& base) const {
  check_positions(*this, positions);
  std::vector<Pose> result;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const double* const q = positions.data() + first_position_[i];
    const Pose& parent = i == 0 ? base : result[links_[i].parent];
    result.push_back(compose(compose(parent, links_[i].joint.origin), joint_pose(links_[i].joint, q, q, 0)));
  }
  return result;
}

bool Articulated::is_adjacent(std::size_t a, std::size_t b) const {
  check_link(a);
  check_link(b);
  const auto group = [&](std::size_t link) { return rigid_group_[link]; };
  // The group that a group's moving joint is attached to.
  const auto above = [&](std::size_t link) { return group(links_[group(link)].parent); };
  if (group(a) == group(b) || above(a) == group(b) || above(b) == group(a)) return true;
  const std::pair<std::size_t, std::size_t> pair(std::min(a, b), std::max(a, b));
  return std::find(left_out_.begin(), left_out_.end(), pair) != left_out_.end();
}

void Articulated::leave_out(std::size_t a, std::size_t b) {
  check_link(a);
  check_link(b);
  left_out_.emplace_back(std::min(a, b), std::max(a, b));
}

CustomMotion link_motion(const ArticulatedStep& step, std::size_t link, const Pose& shape_pose, std::size_t seen_from) {
  const Articulated& body = step.body;
  check_positions(body, step.from);
  check_positions(body, step.to);
  geometry::check_index("articulated: link", link, body.links().size());

  /// The joints that move the link: those between the reference link, or the base, and the link.
  struct Chain {
    const Articulated& body;
    std::vector<double> from, to;
    std::vector<std::size_t> links;  // from the base to the link
    Pose base;
    Pose shape_pose;

    Pose at(double t) const {
      Pose pose = base;
      for (const std::size_t i : links) {
        const std::size_t first = body.first_position(i);
        const Joint& joint = body.links()[i].joint;
        pose = compose(compose(pose, joint.origin), joint_pose(joint, from.data() + first, to.data() + first, t));
      }
      return compose(pose, shape_pose);
    }
  };
  auto chain = std::make_shared<Chain>(
      Chain{body, {step.from.begin(), step.from.end()}, {step.to.begin(), step.to.end()}, {}, step.base, shape_pose});
  if (seen_from != SIZE_MAX) chain->base = Pose();
  for (std::size_t i = link; i != seen_from; i = body.links()[i].parent) {
    chain->links.push_back(i);
    if (i > 0) continue;
    if (seen_from != SIZE_MAX) {
      throw Error("articulated: link " + std::to_string(link) + " is not a descendant of link " +
                  std::to_string(seen_from) +
                  ", so its motion relative to that link is not defined; use one of its ancestors, or the base");
    }
    break;
  }
  std::reverse(chain->links.begin(), chain->links.end());

  // Goes from the link toward the base and sums up how far its points may be from each joint and how fast the joint
  // moves them. A point within `reach` of the shape's origin is within arm + reach of the joint's origin.
  double arm = geometry::safe_norm(shape_pose.translation()), sliding = 0, turning = 0, turning_arms = 0, largest = arm;
  for (std::size_t k = chain->links.size(); k-- > 0;) {
    const std::size_t i = chain->links[k];
    const Joint& joint = body.links()[i].joint;
    const double *const from = step.from.data() + body.first_position(i), *const to =
                                                                              step.to.data() + body.first_position(i);
    if (joint.kind == JointKind::revolute) {
      const double angle = std::abs(to[0] - from[0]);
      turning += angle;
      turning_arms += angle * arm;
    } else if (joint.kind == JointKind::prismatic) {
      sliding += std::abs(to[0] - from[0]);
      arm += std::max(std::abs(from[0]), std::abs(to[0]));
    } else if (joint.kind == JointKind::free) {
      const Turning turn = whisker::turning(joint_pose(joint, from, from, 0), joint_pose(joint, to, to, 0));
      const double angle = geometry::safe_norm(turn.turn);
      turning += angle;
      turning_arms += angle * arm;
      const Vector3 start(from[0], from[1], from[2]), end(to[0], to[1], to[2]);
      sliding += geometry::safe_norm(end - start);
      arm += std::max(geometry::safe_norm(start), geometry::safe_norm(end));
    }
    arm += geometry::safe_norm(joint.origin.translation());
    largest = std::max(largest, arm);
  }
  // Each rotation may be off by 1e-9.
  const double wider = 1 + 4 * Pose::rotation_tolerance * static_cast<double>(chain->links.size() + 1);
  const double constant = (sliding + turning_arms) * wider, per_reach = turning * wider;

  CustomMotion motion;
  motion.start = chain->at(0);
  motion.pose = [chain](double t) { return chain->at(t); };
  motion.way = [constant, per_reach](double from, double to, double reach) {
    return (constant + per_reach * reach) * (to - from);
  };
  // Each joint adds a few roundings of all lengths and of its angles.
  const double lengths = largest + geometry::safe_norm(chain->base.translation());
  motion.error = 128 * unit_roundoff * static_cast<double>(chain->links.size() + 1) * (lengths + constant);
  return motion;
}

}  // namespace whisker
