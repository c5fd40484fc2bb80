#include "convex/point_feature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <Eigen/Geometry>

#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"

namespace whisker::convex {
namespace {

Feature vertex_feature(std::uint32_t id) {
  return {0, FeatureKind::vertex, id};
}
Feature edge_feature(std::uint32_t id) {
  return {0, FeatureKind::edge, id};
}
Feature face_feature(std::uint32_t id) {
  return {0, FeatureKind::face, id};
}

/// Looks at vertices and edges from the point: all vectors are relative to it, and scaled so that no product overflows
/// or underflows.
class FromPoint {
 public:
  FromPoint(const Vector3& point, double size, double within)
      : point_(point), scale_(size > 0x1p-100 && size < 0x1p200 ? 1 : power_of(size)), within_(within * scale_) {}

  Vector3 to(const Vector3& corner) const { return (corner - point_) * scale_; }
  bool is_at(const Vector3& corner) const { return corner.squaredNorm() <= within_ * within_; }
  /// Whether the point lies on the segment from one corner to another. `across` is the cross product of the two.
  bool is_on(const Vector3& from, const Vector3& to, const Vector3& across) const {
    const Vector3 along = to - from;
    const double squared = along.squaredNorm(), width = within_ * within_ * squared;
    // Corners that coincide have no line between them: whatever is not at them is not on it.
    if (!(squared > 0x1p-40 * (within_ * within_))) return false;
    if (!(across.squaredNorm() <= width)) return false;
    const double begin = from.dot(along), end = to.dot(along);
    return (begin <= 0 || begin * begin <= width) && (end >= 0 || end * end <= width);
  }
  bool is_on(const Vector3& from, const Vector3& to) const { return is_on(from, to, from.cross(to)); }
  /// Whether the point is on the outer side of the line from one corner to another of a face.
  bool is_beyond(const Vector3& from, const Vector3& to, const Vector3& across, const Vector3& normal) const {
    const double inside = normal.dot(across);
    return inside < 0 && inside * inside > within_ * within_ * (to - from).squaredNorm();
  }

 private:
  static double power_of(double size) { return std::ldexp(1.0, -std::clamp(std::ilogb(size), -900, 900)); }

  Vector3 point_;
  double scale_;
  double within_;
};

/// The features of a hull, in its own frame.
class HullFeatureSearch {
 public:
  HullFeatureSearch(const ConvexHull& hull, const Vector3& point, const FeatureSlack& slack)
      : hull_(hull),
        vertices_(hull.vertices()),
        edges_(hull.edges()),
        planes_(hull.planes()),
        point_(point),
        from_(point, support_table_of(hull).size, slack.within),
        slack_(slack) {}

  Feature find(const Vector3& outward) const {
    switch (hull_.dimension()) {
      case 0:
        return vertex_feature(0);
      case 1:
        return on_line();
      case 2:
        // The side that faces outward.
        return on_face(planes_[1].normal.dot(outward) > planes_[0].normal.dot(outward) ? 1 : 0).value_or(Feature());
      default:
        break;
    }
    const auto start = static_cast<std::uint32_t>(hull_.support(outward));
    if (from_.is_at(corner(start))) return vertex_feature(start);
    for (const std::uint32_t neighbor : hull_.neighbors(start)) {
      // Of the two faces at each edge, the one whose loop leaves the vertex along it, so that each face comes once.
      const HullEdge& edge = edges_[edge_between(start, neighbor)];
      const std::uint32_t face = edge.begin == start ? edge.left : edge.right;
      if (!(depth_below(face, point_) <= slack_.within)) continue;
      if (const auto found = on_face(face)) return *found;
    }
    return on_nearest_face();
  }

 private:
  Vector3 corner(std::uint32_t v) const { return from_.to(vertices_[v]); }

  std::uint32_t edge_between(std::uint32_t u, std::uint32_t v) const {
    const std::pair<std::uint32_t, std::uint32_t> ends = std::minmax(u, v);
    const auto found = std::lower_bound(
        edges_.begin(), edges_.end(), ends,
        [](const HullEdge& edge, const auto& wanted) { return std::pair(edge.begin, edge.end) < wanted; });
    return static_cast<std::uint32_t>(found - edges_.begin());
  }

  double depth_below(std::uint32_t face, const Vector3& point) const {
    return planes_[face].offset - planes_[face].normal.dot(point);
  }

  Feature on_line() const {
    for (const std::uint32_t end : {0u, 1u})
      if (from_.is_at(corner(end))) return vertex_feature(end);
    return edge_feature(0);
  }

  /// Nothing if the point, which is near the plane of the face, lies beside the face.
  std::optional<Feature> on_face(std::uint32_t face) const {
    const std::span<const std::uint32_t> loop = hull_.face(face);
    std::optional<std::pair<std::uint32_t, std::uint32_t>> edge_below;
    std::uint32_t u = loop.back();
    Vector3 from = corner(u);
    for (const std::uint32_t v : loop) {
      const Vector3 to = corner(v);
      if (from_.is_at(to)) return vertex_feature(v);
      const Vector3 across = from.cross(to);
      if (from_.is_beyond(from, to, across, planes_[face].normal)) return {};
      if (from_.is_on(from, to, across)) edge_below = {u, v};
      u = v;
      from = to;
    }
    return edge_below ? edge_feature(edge_between(edge_below->first, edge_below->second)) : face_feature(face);
  }

  /// Where faces are nearly in one plane, the farthest corner may belong to another face. For shapes that are not
  /// convex, and where bounds are wide, the direction says little. So all faces are looked at.
  Feature on_nearest_face() const {
    Feature best;
    double least = HUGE_VAL;
    for (std::uint32_t face = 0; face < planes_.size(); ++face) {
      const double depth = depth_below(face, point_);
      if (!(depth < least) || !(depth <= slack_.below + unevenness(face))) continue;
      if (const auto found = on_face(face)) {
        best = *found;
        least = depth;
      }
    }
    return best;
  }

  /// How far corners of a face are below its plane: only by rounding, unless the face was merged.
  double unevenness(std::uint32_t face) const {
    double most = 0;
    for (const std::uint32_t v : hull_.face(face))
      most = std::max(most, depth_below(face, vertices_[v]));
    return most;
  }

  const ConvexHull& hull_;
  std::span<const Vector3> vertices_;
  std::span<const HullEdge> edges_;
  std::span<const HullPlane> planes_;
  Vector3 point_;
  FromPoint from_;
  const FeatureSlack& slack_;
};

struct FeatureOf {
  Vector3 point;  // in the shape's frame
  Vector3 outward;
  const FeatureSlack& slack;

  Feature operator()(const ConvexHull& hull) const { return HullFeatureSearch(hull, point, slack).find(outward); }

  Feature operator()(const Box& box) const {
    const Vector3 half = box.size / 2;
    std::uint32_t sides = 0, on = 0;  // a bit for each axis: the positive side, and whether the point is on a side
    int nearest = 0;
    double least = HUGE_VAL;
    for (int axis = 0; axis < 3; ++axis) {
      const double gap = half[axis] - std::abs(point[axis]);
      const double toward = half[axis] <= slack.within ? outward[axis] : point[axis];
      sides |= (toward > 0 ? 1u : 0u) << axis;
      on |= (gap <= slack.within ? 1u : 0u) << axis;
      nearest = gap < least ? axis : nearest;
      least = std::min(least, gap);
    }
    if (on == 0) {
      if (!(least <= slack.below)) return {};
      on = 1u << nearest;
    }
    if (on == 7) return vertex_feature(sides);
    const std::uint32_t free = 7 - on;
    if ((free & (free - 1)) == 0) {
      // 4 times the axis along which the edge runs, and the sides of the other two.
      const std::uint32_t axis = free >> 1;
      const std::uint32_t lower = sides >> (axis == 0 ? 1 : 0) & 1, upper = sides >> (axis == 2 ? 1 : 2) & 1;
      return edge_feature(4 * axis + 2 * upper + lower);
    }
    const std::uint32_t axis = on >> 1;
    return face_feature(2 * axis + (sides >> axis & 1));
  }

  Feature operator()(const Segment& segment) const {
    const std::array<Vector3, 2> ends = {segment.a, segment.b};
    return of_corners(ends);
  }
  Feature operator()(const Triangle& triangle) const {
    const std::array<Vector3, 3> corners = {triangle.a, triangle.b, triangle.c};
    return of_corners(corners);
  }

  template <std::size_t count>
  Feature of_corners(std::array<Vector3, count> corners) const {
    double size = 0;
    for (const Vector3& corner : corners)
      size = std::max(size, corner.cwiseAbs().maxCoeff());
    const FromPoint from(point, size, slack.within);
    for (std::uint32_t i = 0; i < count; ++i) {
      corners[i] = from.to(corners[i]);
      if (from.is_at(corners[i])) return vertex_feature(i);
    }
    if (count == 2) return edge_feature(0);
    for (std::uint32_t i = 0; i < count; ++i)
      if (from.is_on(corners[i], corners[(i + 1) % count])) return edge_feature(i);
    return face_feature(0);
  }

  template <class Other>
  Feature operator()(const Other&) const {
    return {};
  }
};

}  // namespace

Feature feature_at_point(const Shape& shape, const Pose& pose, const Vector3& point, const Vector3& outward,
                         const FeatureSlack& slack) {
  // A rotation may be off by 1e-9. One step of correction makes that 1e-18.
  const Matrix3& rotation = pose.rotation();
  const Vector3 away = point - pose.translation();
  Vector3 local = rotation.transpose() * away;
  local += rotation.transpose() * (away - rotation * local);
  return shape.visit(FeatureOf{local, rotation.transpose() * outward, slack});
}

}  // namespace whisker::convex
