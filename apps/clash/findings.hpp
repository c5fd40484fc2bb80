#pragma once

// The result of `whisker clash`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/vector.hpp>

namespace whisker::clash {

enum class FindingKind : std::uint8_t {
  clash,      // the parts overlap by more than the rules accept as a contact
  contained,  // one part lies entirely inside the other
  too_close,  // they do not touch, but are closer than the clearance
  contact,    // they touch, or nearly so, within the rules: reported, but not a problem
};

// The evidence for a finding.
enum class Ground : std::uint8_t {
  proof,    // the parts as they were read
  winding,  // a part that is not closed counts as a solid, by its winding number: likely, not proven
  repair,   // a part was repaired first: proven for the repaired part
};

// A number that is known to lie between two others.
using Bounds = Interval;

// A pair of parts. Points and normals are in the world frame; for a moving pair, at the poses given here.
struct Finding {
  std::uint32_t a = 0;  // part numbers, a < b
  std::uint32_t b = 0;
  FindingKind kind = FindingKind::clash;
  Ground ground = Ground::proof;
  std::optional<Bounds> winding;       // for Ground::winding: the range over the tested points
  std::optional<Bounds> depth;         // how deep they overlap (whisker::depth); none if a part has no inside
  std::optional<Bounds> distance;      // how far apart they are; none if they overlap
  std::optional<Bounds> time;          // when they first touch, in keyframe times; none if nothing moves
  Vector3 position = Vector3::Zero();  // where to look
  Vector3 point_a = Vector3::Zero();   // the closest points, or the ends of the overlap along `normal`
  Vector3 point_b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  // unit: the direction in which b separates from a, or from a to b
  std::vector<Polyline> curve;       // the intersection of their surfaces
  std::size_t triangles = 0;         // the number of pairs of triangles that touch
  Pose pose_a;                       // the poses of the parts at that time
  Pose pose_b;
  Stop stop = Stop::exact;
  std::string note;  // additional information for the reader; usually empty
};

// A pair for which it is unknown whether one part lies inside the other, because a part is not closed.
struct Undecided {
  std::uint32_t inner = 0;        // part numbers: whether this one…
  std::uint32_t outer = 0;        // …lies inside this one, which is not closed
  std::optional<Bounds> winding;  // the range over the tested points; none if no point was tested
  std::string why;
};

struct Findings {
  std::vector<Finding> all;               // worst first: clashes by depth, contained, too close by distance, contacts
  std::size_t pairs_possible = 0;         // pairs that the rules do not exclude
  std::size_t pairs_near = 0;             // those of them whose boxes are close enough to be tested
  std::size_t pairs_checked = 0;          // those of them that were tested before time or budget ran out
  std::size_t pairs_allowed = 0;          // pairs that touch or are too close, but are allowed by the rules
  std::vector<std::uint32_t> open_parts;  // parts that are not closed
  std::vector<Undecided> undecided;       // sorted by part numbers
  bool is_complete = true;                // false if stopped by the user, by time or by budget
  double seconds = 0;
};

}  // namespace whisker::clash
