#pragma once

// What `whisker clash` finds.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/vector.hpp>

namespace whisker::clash {

enum class FindingKind : std::uint8_t {
  clash,      // the parts overlap by more than the rules take for contact
  contained,  // one lies wholly inside the other
  too_close,  // they do not touch, and are closer than the clearance
  contact,    // they touch, or nearly so, as the rules allow: told, but nothing wrong
};

// What a finding rests on.
enum class Ground : std::uint8_t {
  proof,    // the parts as they were read
  winding,  // a part that is not closed was taken for a solid, by its winding number: likely, not proven
  repair,   // a part was repaired before: proven of what it became
};

// A number that is known to lie between two others.
struct Bounds {
  double lower = 0;
  double upper = 0;
};

// One pair of parts. Points and normals are in the world's frame; of a moving pair, at the poses given here.
struct Finding {
  std::uint32_t a = 0;  // numbers of parts, a < b
  std::uint32_t b = 0;
  FindingKind kind = FindingKind::clash;
  Ground ground = Ground::proof;
  std::optional<Bounds> winding;       // of Ground::winding: of the points that were looked at
  std::optional<Bounds> depth;         // how deep they overlap (whisker::depth); none where a part has no inside
  std::optional<Bounds> distance;      // how far apart they are; none where they overlap
  std::optional<Bounds> time;          // when they first touch, in keyframe times; none if nothing moves
  Vector3 position = Vector3::Zero();  // where to look
  Vector3 point_a = Vector3::Zero();   // the closest points, or the ends of the overlap along `normal`
  Vector3 point_b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  // unit: along it b leaves a, or the way from a to b
  std::vector<Polyline> curve;       // where their surfaces intersect
  std::size_t triangles = 0;         // how many pairs of triangles touch
  Pose pose_a;                       // where the parts stand then
  Pose pose_b;
  Stop stop = Stop::exact;
  std::string note;  // what a reader should know of this one; mostly empty
};

// A pair of which it is not known whether one lies inside the other, since a part is not closed.
struct Undecided {
  std::uint32_t inner = 0;        // numbers of parts: whether this one…
  std::uint32_t outer = 0;        // …lies inside this one, which is not closed
  std::optional<Bounds> winding;  // of the points that were looked at; none if none was
  std::string why;
};

struct Findings {
  std::vector<Finding> all;               // worst first: clashes by depth, contained, too close by distance, contacts
  std::size_t pairs_possible = 0;         // pairs that the rules leave
  std::size_t pairs_near = 0;             // of these, such whose boxes are near enough to be looked at
  std::size_t pairs_checked = 0;          // of these, looked at before time or budget ran out
  std::size_t pairs_allowed = 0;          // pairs that touch or are too close, as the rules allow
  std::vector<std::uint32_t> open_parts;  // parts that are not closed
  std::vector<Undecided> undecided;       // by their numbers
  bool is_complete = true;                // false if stopped by the user, by time or by budget
  double seconds = 0;
};

}  // namespace whisker::clash
