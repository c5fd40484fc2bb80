#include "mesh/hull_depth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/geometry/closest_points.hpp>

#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "geometry/solid_angle.hpp"
#include "geometry/unit_vector.hpp"

namespace whisker::mesh {
namespace {

constexpr int none = -1;

struct Face {
  std::array<int, 3> corner{};
  std::array<int, 3> across{};  // the face across the edge from corner k to corner k + 1
  Vector3 normal = Vector3::Zero();
  double offset = 0;
  bool alive = true;
};

class ExpandingPolytope {
 public:
  ExpandingPolytope(DepthBody& a, DepthBody& b, Cost& cost) : a_(a), b_(b), cost_(cost) {
    best_.upper = infinity;
    const Vector3 box_a = a.box().upper - a.box().lower;
    const Vector3 box_b = b.box().upper - b.box().lower;
    size_ = box_a.maxCoeff() + box_b.maxCoeff();
    unit_ = size_ > 0 ? std::ldexp(1.0, -std::clamp(std::ilogb(size_), -900, 900)) : 1;
  }

  HullDepth run(double tolerance, int steps) {
    if (begin()) {
      for (int step = 0; step < steps; ++step) {
        const int nearest = nearest_face();
        const Vector3 normal = faces_[static_cast<std::size_t>(nearest)].normal;
        const double offset = faces_[static_cast<std::size_t>(nearest)].offset;
        const int corner = add_corner(normal);
        const double gain = normal.dot(points_[static_cast<std::size_t>(corner)]) - offset;
        if (best_.upper < 0) break;
        if (gain <= 0x1p-48 || (best_.upper - offset / unit_) <= tolerance) break;
        if (!expand(nearest, corner)) break;
      }
      best_.lower = certified_radius();
    }
    best_.lower = std::min(best_.lower, std::max(best_.upper, 0.0));
    return best_;
  }

 private:
  /// Adds the point of C farthest along a direction, in a unit of about C's size.
  int add_corner(const Vector3& direction) {
    const HullDepth found = hull_overlap(a_, b_, direction, cost_);
    if (found.upper < best_.upper) {
      const double lower = best_.lower;
      best_ = found;
      best_.lower = lower;
    }
    points_.push_back((found.point_a - found.point_b) * unit_);
    return static_cast<int>(points_.size()) - 1;
  }

  const Vector3& point(int index) const { return points_[static_cast<std::size_t>(index)]; }
  Face& face(int index) { return faces_[static_cast<std::size_t>(index)]; }

  /// Builds a first tetrahedron. Returns false if C has no significant thickness.
  bool begin() {
    constexpr double thin = 0x1p-40;
    std::array<int, 6> first{};
    for (int axis = 0; axis < 3; ++axis) {
      first[static_cast<std::size_t>(2 * axis)] = add_corner(Vector3::Unit(axis));
      first[static_cast<std::size_t>(2 * axis + 1)] = add_corner(-Vector3::Unit(axis));
    }
    int p = 0, q = 0;
    double longest = -1;
    for (const int i : first) {
      for (const int j : first) {
        const double length = (point(j) - point(i)).squaredNorm();
        if (length > longest) {
          longest = length;
          p = i;
          q = j;
        }
      }
    }
    if (!(longest > thin * thin)) return false;
    const Vector3 along = (point(q) - point(p)).normalized();
    const auto off_line = [&](int i) { return Vector3((point(i) - point(p)).cross(along)).norm(); };
    int r = *std::max_element(first.begin(), first.end(), [&](int i, int j) { return off_line(i) < off_line(j); });
    if (off_line(r) < 0.01) {
      int least = 0;
      along.cwiseAbs().minCoeff(&least);
      const Vector3 beside = along.cross(Vector3::Unit(least)).normalized();
      for (const Vector3& direction : {beside, Vector3(-beside), along.cross(beside), beside.cross(along)}) {
        const int found = add_corner(direction);
        if (off_line(found) > off_line(r)) r = found;
      }
    }
    if (!(off_line(r) > thin)) return false;
    const Vector3 up = (point(q) - point(p)).cross(point(r) - point(p)).normalized();
    const int above = add_corner(up), below = add_corner(-up);
    const double high = up.dot(point(above) - point(p)), low = up.dot(point(p) - point(below));
    if (!(std::max(high, low) > thin)) return false;
    const int s = high >= low ? above : below;
    if (high < low) std::swap(p, q);
    // p, q, r are counterclockwise as seen from s, so they are clockwise as seen from outside.
    faces_ = {make_face(p, r, q), make_face(p, q, s), make_face(q, r, s), make_face(r, p, s)};
    face(0).across = {3, 2, 1};
    face(1).across = {0, 2, 3};
    face(2).across = {0, 3, 1};
    face(3).across = {0, 1, 2};
    // The other points found so far belong to the polytope too.
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const int corner = static_cast<int>(i);
      int seen = none;
      double highest = 0x1p-44;
      for (std::size_t f = 0; f < faces_.size(); ++f) {
        if (!faces_[f].alive) continue;
        const double height = faces_[f].normal.dot(points_[i]) - faces_[f].offset;
        if (height > highest) {
          highest = height;
          seen = static_cast<int>(f);
        }
      }
      if (seen != none) expand(seen, corner);
    }
    return true;
  }

  Face make_face(int p, int q, int r) const {
    Face made;
    made.corner = {p, q, r};
    made.normal = geometry::unit_vector((point(q) - point(p)).cross(point(r) - point(p)));
    made.offset = std::max({made.normal.dot(point(p)), made.normal.dot(point(q)), made.normal.dot(point(r))});
    // A sliver has no plane; its neighbors are used instead.
    if (made.normal.isZero(0)) made.offset = infinity;
    return made;
  }

  int nearest_face() const {
    int nearest = none;
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      if (!faces_[f].alive) continue;
      if (nearest == none || faces_[f].offset < faces_[static_cast<std::size_t>(nearest)].offset) {
        nearest = static_cast<int>(f);
      }
    }
    return nearest;
  }

  /// Replaces the faces that the corner sees, starting with `seen`, by a cone from their rim. Returns false if the
  /// result would not be a valid polytope. The polytope is then unchanged.
  bool expand(int seen, int corner) {
    visible_.clear();
    rim_.clear();
    visible_.push_back(seen);
    face(seen).alive = false;
    for (std::size_t i = 0; i < visible_.size(); ++i) {
      for (const int next : face(visible_[i]).across) {
        if (!face(next).alive) continue;
        const bool sees = face(next).normal.dot(point(corner)) > face(next).offset + 0x1p-50;
        const bool is_sliver = face(next).normal.isZero(0);
        if (!sees && !is_sliver) continue;
        face(next).alive = false;
        visible_.push_back(next);
      }
    }
    for (const int f : visible_) {
      for (std::size_t k = 0; k < 3; ++k) {
        const int outside = face(f).across[k];
        if (face(outside).alive) rim_.push_back({face(f).corner[k], face(f).corner[(k + 1) % 3], outside});
      }
    }
    // The rim must be a single loop that visits each of its corners once. Otherwise the visible faces are not a disc.
    bool is_loop = rim_.size() >= 3;
    for (std::size_t i = 0; is_loop && i + 1 < rim_.size(); ++i) {
      std::size_t next = i + 1;
      while (next < rim_.size() && rim_[next].from != rim_[i].to)
        ++next;
      if (next == rim_.size()) {
        is_loop = false;
      } else {
        std::swap(rim_[i + 1], rim_[next]);
      }
    }
    is_loop = is_loop && rim_.back().to == rim_.front().from;
    for (std::size_t i = 0; is_loop && i < rim_.size(); ++i) {
      is_loop = rim_[i].from != corner;
      for (std::size_t j = i + 1; is_loop && j < rim_.size(); ++j)
        is_loop = rim_[i].from != rim_[j].from;
    }
    if (!is_loop) {
      for (const int f : visible_)
        face(f).alive = true;
      return false;
    }
    const int begin = static_cast<int>(faces_.size());
    const int count = static_cast<int>(rim_.size());
    for (int i = 0; i < count; ++i) {
      const Rim& edge = rim_[static_cast<std::size_t>(i)];
      Face made = make_face(edge.from, edge.to, corner);
      made.across = {edge.outside, begin + (i + 1) % count, begin + (i + count - 1) % count};
      Face& beyond = face(edge.outside);
      for (std::size_t k = 0; k < 3; ++k) {
        if (beyond.corner[k] == edge.to && beyond.corner[(k + 1) % 3] == edge.from) beyond.across[k] = begin + i;
      }
      faces_.push_back(made);
    }
    return true;
  }

  /// The radius of a ball around the origin that is proven to lie within C, in the world's unit.
  double certified_radius() const {
    double angles = 0;
    double nearest = infinity;
    double size = 0;
    const Vector3 origin = Vector3::Zero();
    for (const Face& f : faces_) {
      if (!f.alive) continue;
      const Triangle t{point(f.corner[0]), point(f.corner[1]), point(f.corner[2])};
      nearest = std::min(nearest, closest_points(origin, t).distance);
      size = std::max({size, t.a.norm(), t.b.norm(), t.c.norm()});
    }
    if (!(nearest > 0x1p-30 * size)) {
      // The sum of solid angles is reliable only away from the surface. This close to it, the signs of the offsets
      // would have to decide.
      return 0;
    }
    for (const Face& f : faces_) {
      if (f.alive) angles += geometry::solid_angle(point(f.corner[0]), point(f.corner[1]), point(f.corner[2]));
    }
    if (!(std::abs(angles / (4 * std::numbers::pi) - 1) < 0.25)) return 0;
    double radius = infinity;
    const convex::SimpleShape middle = convex::simple_point(origin);
    for (const Face& f : faces_) {
      if (!f.alive) continue;
      const Triangle t{point(f.corner[0]), point(f.corner[1]), point(f.corner[2])};
      // The plain distance is accurate to 1e-12, relatively, plus a few ulps of the corners.
      const double plain = closest_points(origin, t).distance;
      if (plain > nearest * (1 + 0x1p-20) + 0x1p-40 * size) continue;
      radius = std::min(radius, convex::distance_simple_simple(middle, convex::simple_triangle(t)).lower);
    }
    // Each corner is a difference, rounded once, of two points. The points belong to the bodies, except that those of a
    // simple shape are rounded.
    const double rounding =
        0x1p-52 * size * 2 +
        (0x1p-50 * (a_.magnitude() + b_.magnitude()) + 2 * (a_.point_error() + b_.point_error())) * unit_;
    return std::max(0.0, (radius - rounding) / unit_);
  }

  struct Rim {
    int from, to;
    int outside;  // the face that stays
  };

  DepthBody& a_;
  DepthBody& b_;
  Cost& cost_;
  HullDepth best_;
  double size_ = 0;
  double unit_ = 1;
  std::vector<Vector3> points_;
  std::vector<Face> faces_;
  std::vector<int> visible_;
  std::vector<Rim> rim_;
};

}  // namespace

HullDepth hull_overlap(DepthBody& a, DepthBody& b, const Vector3& direction, Cost& cost) {
  const Extreme of_a = a.farthest(direction, cost);
  const Extreme of_b = b.farthest(-direction, cost);
  HullDepth result;
  const double overlap = of_a.reach + of_b.reach;
  // The direction is a unit vector only up to rounding, which the factor covers.
  result.upper = overlap > 0 ? overlap * (1 + 0x1p-49) : overlap * (1 - 0x1p-49);
  result.direction = direction;
  result.point_a = of_a.point;
  result.point_b = of_b.point;
  return result;
}

HullDepth hull_depth(DepthBody& a, DepthBody& b, double tolerance, int steps, Cost& cost) {
  ExpandingPolytope polytope(a, b, cost);
  return polytope.run(tolerance, steps);
}

}  // namespace whisker::mesh
