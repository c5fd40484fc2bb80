#include "methods/marching/voronoi_march.hpp"

#include <limits>

#include "geometry/least_of.hpp"

namespace whisker::methods::marching {
namespace {

using Kind = FeatureKind;

// Slopes (of unit vectors) below this count as zero.
constexpr double slope_tolerance = 32 * 0x1p-53;

// The most violated of the planes offered so far, and the feature beyond it. With V-Clip's rule, the first violated
// plane is kept.
struct Violation {
  double by;  // starts at the tolerance
  Feature beyond;
  bool found = false;
  bool first = false;

  Violation(double tolerance, MarchRule rule) : by(tolerance), first(rule == MarchRule::first_violation) {}

  // Returns whether to continue.
  bool offer(double amount, Feature feature) {
    if (amount > by) {
      by = amount;
      beyond = feature;
      found = true;
      return !first;
    }
    return true;
  }
};

MarchEnd step_to(MarchBody& body, Feature to) {
  body.feature = to;
  return MarchEnd::none;
}

// Moves to the features beyond the violated planes.
MarchEnd step_beyond(MarchBody& a, const Violation& at_a, MarchBody& b, const Violation& at_b) {
  if (!at_a.found && !at_b.found) return MarchEnd::apart;
  if (at_a.found) a.feature = at_a.beyond;
  if (at_b.found) b.feature = at_b.beyond;
  return MarchEnd::none;
}

// The edges that lead from the body's vertex along `way`, in the body's frame.
Violation leave_along(const MarchBody& body, const Vector3& way, double tolerance, March& march) {
  Violation worst(tolerance, march.rule);
  for (const MarchHull::Spoke& spoke : body.hull->spokes[body.feature.id]) {
    ++march.plane_tests;
    if (!worst.offer(dot(way, spoke.direction), hull_edge(spoke.edge))) break;
  }
  return worst;
}

// Tests `point`, in the body's frame, against the Voronoi region of the body's vertex.
Violation leave_vertex(const MarchBody& body, const Vector3& point, March& march) {
  return leave_along(body, point - position(body), march.tolerance, march);
}

// Tests `point`, in the body's frame, against the planes of the two faces at the body's edge.
void leave_edge_sideways(const MarchBody& body, const Vector3& point, March& march, Violation& worst) {
  const MarchHull::Edge& e = edge_of(body);
  const Vector3 offset = point - e.origin;
  march.plane_tests += 2;
  if (!worst.offer(-dot(offset, e.left_out), hull_face(e.faces[0]))) return;
  worst.offer(-dot(offset, e.right_out), hull_face(e.faces[1]));
}

MarchEnd step_vertex_vertex(March& march) {
  const Violation at_a = leave_vertex(march.a, march.b.to_other.point(position(march.b)), march);
  if (at_a.found && march.rule == MarchRule::first_violation) return step_to(march.a, at_a.beyond);
  const Violation at_b = leave_vertex(march.b, march.a.to_other.point(position(march.a)), march);
  return step_beyond(march.a, at_a, march.b, at_b);
}

// `v` is at a vertex, `e` at an edge.
MarchEnd step_vertex_edge(March& march, MarchBody& v, MarchBody& e) {
  const Vector3 point = v.to_other.point(position(v));
  const MarchHull::Edge& segment = edge_of(e);
  const double along = dot(point - segment.origin, segment.direction);
  Violation at_edge(march.tolerance, march.rule);
  march.plane_tests += 2;
  if (at_edge.offer(-along, hull_vertex(segment.ends[0])) &&
      at_edge.offer(along - segment.length, hull_vertex(segment.ends[1]))) {
    leave_edge_sideways(e, point, march, at_edge);
  }
  if (at_edge.found && march.rule == MarchRule::first_violation) return step_to(e, at_edge.beyond);
  const Vector3 foot = segment.origin + std::clamp(along, 0.0, segment.length) * segment.direction;
  const Violation at_vertex = leave_vertex(v, e.to_other.point(foot), march);
  // Edge-face, edge-edge and vertex-face are valid states.
  return step_beyond(e, at_edge, v, at_vertex);
}

// `v` is at a vertex, `f` at a face.
MarchEnd step_vertex_face(March& march, MarchBody& v, MarchBody& f) {
  const Vector3 point = v.to_other.point(position(v));
  Violation at_face(march.tolerance, march.rule);
  for (const MarchHull::Side& side : f.hull->sides[f.feature.id]) {
    ++march.plane_tests;
    if (!at_face.offer(dot(side.outward, point) - side.offset, hull_edge(side.edge))) break;
  }
  if (at_face.found) return step_to(f, at_face.beyond);
  const MarchHull::Face& plane = f.hull->faces[f.feature.id];
  const double height = dot(plane.normal, point) - plane.offset;
  // Edges that lead from the vertex toward the plane, from above or from below.
  const Vector3 normal = f.to_other.direction(plane.normal);
  const Violation at_vertex = leave_along(v, height >= 0 ? Vector3(-normal) : normal, slope_tolerance, march);
  if (at_vertex.found) return step_to(v, at_vertex.beyond);
  if (height > 0) return MarchEnd::apart;
  // All of v's polyhedron is below this plane. It is inside f's polyhedron, or outside another face (Mirtich's local
  // minimum).
  const auto depth = [&](std::uint32_t i) { return -(dot(f.hull->faces[i].normal, point) - f.hull->faces[i].offset); };
  const auto [farthest, least] = geometry::least_of(f.hull->faces.size(), depth);
  march.plane_tests += f.hull->faces.size();
  if (least >= 0 || farthest == f.feature.id) return MarchEnd::penetrating;
  return step_to(f, hull_face(farthest));
}

MarchEnd step_edge_edge(March& march) {
  const MarchHull::Edge& ea = edge_of(march.a);
  const MarchHull::Edge& eb = edge_of(march.b);
  const Vector3 origin_b = march.b.to_other.point(eb.origin);
  const Vector3 direction_b = march.b.to_other.direction(eb.direction);
  const auto [s, t] = closest_segments(ea.origin, ea.direction, ea.length, origin_b, direction_b, eb.length);
  march.plane_tests += 4;
  const bool end_a = s <= 0 || s >= ea.length;
  const bool end_b = t <= 0 || t >= eb.length;
  if (end_a || end_b) {
    if (end_a) march.a.feature = hull_vertex(s <= 0 ? ea.ends[0] : ea.ends[1]);
    if (end_b && !(end_a && march.rule == MarchRule::first_violation)) {
      march.b.feature = hull_vertex(t <= 0 ? eb.ends[0] : eb.ends[1]);
    }
    return MarchEnd::none;
  }
  Violation at_a(march.tolerance, march.rule);
  leave_edge_sideways(march.a, origin_b + t * direction_b, march, at_a);
  if (at_a.found && march.rule == MarchRule::first_violation) return step_to(march.a, at_a.beyond);
  Violation at_b(march.tolerance, march.rule);
  leave_edge_sideways(march.b, march.a.to_other.point(ea.origin + s * ea.direction), march, at_b);
  if (!at_a.found && !at_b.found) return MarchEnd::apart;
  // Two faces are not a valid state, so move only to the face whose plane is violated more.
  const bool is_a = at_a.found && (!at_b.found || at_a.by >= at_b.by);
  return is_a ? step_to(march.a, at_a.beyond) : step_to(march.b, at_b.beyond);
}

// Handles an edge that misses the face's prism although no single plane shows it. The closest point of the face is then
// on its rim. Moves to the closest edge of the rim, and to an end of `e` if that is closest.
MarchEnd to_closest_side(March& march, MarchBody& e, MarchBody& f, const Vector3& p, const Vector3& direction) {
  const MarchHull::Edge& segment = edge_of(e);
  double best = std::numeric_limits<double>::infinity();
  Feature at_e = e.feature;
  Feature at_f = f.feature;
  for (const MarchHull::Side& side : f.hull->sides[f.feature.id]) {
    const MarchHull::Edge& rim = f.hull->edges[side.edge];
    const auto [s, t] = closest_segments(p, direction, segment.length, rim.origin, rim.direction, rim.length);
    const double squared = ((p + s * direction) - (rim.origin + t * rim.direction)).squaredNorm();
    march.plane_tests += 4;
    if (!(squared < best)) continue;
    best = squared;
    at_e = s <= 0 ? hull_vertex(segment.ends[0]) : s >= segment.length ? hull_vertex(segment.ends[1]) : e.feature;
    at_f = t <= 0 ? hull_vertex(rim.ends[0]) : t >= rim.length ? hull_vertex(rim.ends[1]) : hull_edge(side.edge);
  }
  if (at_f == f.feature) return MarchEnd::penetrating;  // only if numbers are not finite
  f.feature = at_f;
  if (march.rule == MarchRule::max_violation) e.feature = at_e;
  return MarchEnd::none;
}

// `e` is at an edge, `f` at a face. The part of the edge inside the face's prism is closest to the plane at one of its
// ends, or pierces the plane (Mirtich 1998, section 4.5).
MarchEnd step_edge_face(March& march, MarchBody& e, MarchBody& f) {
  const MarchHull::Edge& segment = edge_of(e);
  const Vector3 p = e.to_other.point(segment.origin);
  const Vector3 direction = e.to_other.direction(segment.direction);
  const Vector3 q = p + segment.length * direction;
  Violation outside(march.tolerance, march.rule);
  double enter = 0, leave = 1;
  Feature enter_side, leave_side;
  for (const MarchHull::Side& side : f.hull->sides[f.feature.id]) {
    ++march.plane_tests;
    const double at_p = dot(side.outward, p) - side.offset;
    const double at_q = dot(side.outward, q) - side.offset;
    if (at_p > 0 && at_q > 0) {
      if (!outside.offer(std::min(at_p, at_q), hull_edge(side.edge))) break;
    } else if (at_p > 0) {
      const double at = at_p / (at_p - at_q);
      if (at > enter) enter = at, enter_side = hull_edge(side.edge);
    } else if (at_q > 0) {
      const double at = at_p / (at_p - at_q);
      if (at < leave) leave = at, leave_side = hull_edge(side.edge);
    }
  }
  if (outside.found) return step_to(f, outside.beyond);
  if (enter > leave) return to_closest_side(march, e, f, p, direction);
  const MarchHull::Face& plane = f.hull->faces[f.feature.id];
  const double at_p = dot(plane.normal, p) - plane.offset;
  const double rise = segment.length * dot(plane.normal, direction);
  const double first = at_p + enter * rise;
  const double last = at_p + leave * rise;
  if ((first <= 0 && last >= 0) || (first >= 0 && last <= 0)) return MarchEnd::penetrating;
  if (std::abs(first) <= std::abs(last))
    return enter > 0 ? step_to(f, enter_side) : step_to(e, hull_vertex(segment.ends[0]));
  return leave < 1 ? step_to(f, leave_side) : step_to(e, hull_vertex(segment.ends[1]));
}

MarchEnd step(March& march) {
  const bool is_ordered = march.a.feature.kind <= march.b.feature.kind;
  MarchBody &low = is_ordered ? march.a : march.b, &high = is_ordered ? march.b : march.a;
  const Kind kind = high.feature.kind;
  if (low.feature.kind == Kind::vertex) {
    if (kind == Kind::vertex) return step_vertex_vertex(march);
    return kind == Kind::edge ? step_vertex_edge(march, low, high) : step_vertex_face(march, low, high);
  }
  if (low.feature.kind == Kind::edge)
    return kind == Kind::edge ? step_edge_edge(march) : step_edge_face(march, low, high);
  // Two faces, possible only at the start: move to the corner of one that is lowest above the other.
  const MarchHull::Face& plane = march.b.hull->faces[march.b.feature.id];
  const Vector3 normal = march.b.to_other.direction(plane.normal);
  const auto corners = march.a.hull->hull.face(march.a.feature.id);
  const auto height = [&](std::uint32_t i) { return dot(normal, march.a.hull->hull.vertices()[corners[i]]); };
  return step_to(march.a, hull_vertex(corners[geometry::least_of(corners.size(), height).number]));
}

}  // namespace

March make_march(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b, MarchRule rule,
                 Feature feature_a, Feature feature_b) {
  March march;
  march.rule = rule;
  march.a.hull = &a;
  march.b.hull = &b;
  march.a.feature = feature_a.id < a.count(feature_a.kind) ? feature_a : hull_vertex(0);
  march.b.feature = feature_b.id < b.count(feature_b.kind) ? feature_b : hull_vertex(0);
  const Matrix3 turn = pose_b.rotation().transpose() * pose_a.rotation();
  const Vector3 between = pose_a.translation() - pose_b.translation();
  march.a.to_other = {turn, pose_b.rotation().transpose() * between};
  march.b.to_other = {turn.transpose(), -(pose_a.rotation().transpose() * between)};
  const double reach = std::max({a.radius, b.radius, march.a.to_other.translation.cwiseAbs().maxCoeff()});
  march.tolerance = 16 * 0x1p-53 * reach;
  return march;
}

MarchEnd walk(March& march, std::uint64_t budget) {
  Feature seen_a = march.a.feature;
  Feature seen_b = march.b.feature;
  std::uint64_t taken = 0;
  std::uint64_t next_look = 8;
  while (taken < budget) {
    const MarchEnd end = step(march);
    if (end != MarchEnd::none) return end;
    ++taken;
    ++march.steps;
    if (march.a.feature == seen_a && march.b.feature == seen_b) return MarchEnd::lost;
    if (taken == next_look) {
      seen_a = march.a.feature;
      seen_b = march.b.feature;
      next_look *= 2;
    }
  }
  return MarchEnd::lost;
}

}  // namespace whisker::methods::marching
