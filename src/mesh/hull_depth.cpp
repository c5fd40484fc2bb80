#include "mesh/hull_depth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

struct Face {
  std::array<std::size_t, 3> corner{};
  std::array<std::size_t, 3> across{};  // the face across the edge from corner k to corner k + 1
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

  Depth run(double tolerance, int steps) {
    if (begin()) {
      for (int step = 0; step < steps; ++step) {
        const std::size_t nearest = nearest_face();
        const Vector3 normal = faces_[nearest].normal;
        const double offset = faces_[nearest].offset;
        const std::size_t corner = add_corner(normal);
        const double gain = normal.dot(points_[corner]) - offset;
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
  std::size_t add_corner(const Vector3& direction) {
    const Depth found = hull_overlap(a_, b_, direction, cost_);
    if (found.upper < best_.upper) {
      const double lower = best_.lower;
      best_ = found;
      best_.lower = lower;
    }
    points_.push_back((found.point_a - found.point_b) * unit_);
    return points_.size() - 1;
  }

  /// Builds a first tetrahedron. Returns false if C has no significant thickness.
  bool begin() {
    constexpr double thin = 0x1p-40;
    for (int axis = 0; axis < 3; ++axis) {
      add_corner(Vector3::Unit(axis));
      add_corner(-Vector3::Unit(axis));
    }
    std::size_t p = 0, q = 0;
    double longest = -1;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        const double length = (points_[j] - points_[i]).squaredNorm();
        if (length > longest) {
          longest = length;
          p = i;
          q = j;
        }
      }
    }
    if (!(longest > thin * thin)) return false;
    const Vector3 along = (points_[q] - points_[p]).normalized();
    const auto off_line = [&](std::size_t i) { return Vector3((points_[i] - points_[p]).cross(along)).norm(); };
    std::size_t r = 0;
    for (std::size_t i = 1; i < 6; ++i)
      if (off_line(i) > off_line(r)) r = i;
    if (off_line(r) < 0.01) {
      int least = 0;
      along.cwiseAbs().minCoeff(&least);
      const Vector3 beside = along.cross(Vector3::Unit(least)).normalized();
      for (const Vector3& direction : {beside, Vector3(-beside), along.cross(beside), beside.cross(along)}) {
        const std::size_t found = add_corner(direction);
        if (off_line(found) > off_line(r)) r = found;
      }
    }
    if (!(off_line(r) > thin)) return false;
    const Vector3 up = (points_[q] - points_[p]).cross(points_[r] - points_[p]).normalized();
    const std::size_t above = add_corner(up), below = add_corner(-up);
    const double high = up.dot(points_[above] - points_[p]), low = up.dot(points_[p] - points_[below]);
    if (!(std::max(high, low) > thin)) return false;
    const std::size_t s = high >= low ? above : below;
    if (high < low) std::swap(p, q);
    // p, q, r are counterclockwise as seen from s, so they are clockwise as seen from outside.
    faces_ = {make_face(p, r, q), make_face(p, q, s), make_face(q, r, s), make_face(r, p, s)};
    faces_[0].across = {3, 2, 1};
    faces_[1].across = {0, 2, 3};
    faces_[2].across = {0, 3, 1};
    faces_[3].across = {0, 1, 2};
    // The other points found so far belong to the polytope too.
    for (std::size_t i = 0; i < points_.size(); ++i) {
      std::size_t seen = none;
      double highest = 0x1p-44;
      for (std::size_t f = 0; f < faces_.size(); ++f) {
        if (!faces_[f].alive) continue;
        const double height = faces_[f].normal.dot(points_[i]) - faces_[f].offset;
        if (height > highest) {
          highest = height;
          seen = f;
        }
      }
      if (seen != none) expand(seen, i);
    }
    return true;
  }

  Face make_face(std::size_t p, std::size_t q, std::size_t r) const {
    Face made;
    made.corner = {p, q, r};
    made.normal = geometry::unit_vector((points_[q] - points_[p]).cross(points_[r] - points_[p]));
    made.offset = std::max({made.normal.dot(points_[p]), made.normal.dot(points_[q]), made.normal.dot(points_[r])});
    // A sliver has no plane; its neighbors are used instead.
    if (made.normal.isZero(0)) made.offset = infinity;
    return made;
  }

  std::size_t nearest_face() const {
    std::size_t nearest = none;
    for (std::size_t f = 0; f < faces_.size(); ++f)
      if (faces_[f].alive && (nearest == none || faces_[f].offset < faces_[nearest].offset)) nearest = f;
    return nearest;
  }

  /// Replaces the faces that the corner sees, starting with `seen`, by a cone from their rim. Returns false if the
  /// result would not be a valid polytope. The polytope is then unchanged.
  bool expand(std::size_t seen, std::size_t corner) {
    visible_.clear();
    rim_.clear();
    visible_.push_back(seen);
    faces_[seen].alive = false;
    for (std::size_t i = 0; i < visible_.size(); ++i) {
      for (const std::size_t next : faces_[visible_[i]].across) {
        if (!faces_[next].alive) continue;
        const bool sees = faces_[next].normal.dot(points_[corner]) > faces_[next].offset + 0x1p-50;
        const bool is_sliver = faces_[next].normal.isZero(0);
        if (!sees && !is_sliver) continue;
        faces_[next].alive = false;
        visible_.push_back(next);
      }
    }
    for (const std::size_t f : visible_) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t outside = faces_[f].across[k];
        if (faces_[outside].alive) rim_.push_back({faces_[f].corner[k], faces_[f].corner[(k + 1) % 3], outside});
      }
    }
    // The rim must be a single loop that visits each of its corners once. Otherwise the visible faces are not a disc.
    bool is_loop = rim_.size() >= 3;
    for (auto edge = rim_.begin(); is_loop && edge + 1 != rim_.end(); ++edge) {
      const auto next = std::find_if(edge + 1, rim_.end(), [&](const Rim& other) { return other.from == edge->to; });
      is_loop = next != rim_.end();
      if (is_loop) std::iter_swap(edge + 1, next);
    }
    is_loop = is_loop && rim_.back().to == rim_.front().from;
    for (std::size_t i = 0; is_loop && i < rim_.size(); ++i) {
      is_loop = rim_[i].from != corner;
      for (std::size_t j = i + 1; is_loop && j < rim_.size(); ++j)
        is_loop = rim_[i].from != rim_[j].from;
    }
    if (!is_loop) {
      for (const std::size_t f : visible_)
        faces_[f].alive = true;
      return false;
    }
    const std::size_t begin = faces_.size(), count = rim_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Rim& edge = rim_[i];
      Face made = make_face(edge.from, edge.to, corner);
      made.across = {edge.outside, begin + (i + 1) % count, begin + (i + count - 1) % count};
      Face& beyond = faces_[edge.outside];
      for (std::size_t k = 0; k < 3; ++k) {
        if (beyond.corner[k] == edge.to && beyond.corner[(k + 1) % 3] == edge.from) beyond.across[k] = begin + i;
      }
      faces_.push_back(made);
    }
    return true;
  }

  /// The radius of a ball around the origin that is proven to lie within C, in the world's unit.
  double certified_radius() const {
    std::vector<Triangle> triangles;
    for (const Face& f : faces_)
      if (f.alive) triangles.push_back({points_[f.corner[0]], points_[f.corner[1]], points_[f.corner[2]]});
    double nearest = infinity;
    double size = 0;
    const Vector3 origin = Vector3::Zero();
    for (const Triangle& t : triangles) {
      nearest = std::min(nearest, closest_points(origin, t).distance);
      size = std::max({size, t.a.norm(), t.b.norm(), t.c.norm()});
    }
    if (!(nearest > 0x1p-30 * size)) {
      // The sum of solid angles is reliable only away from the surface. This close to it, the signs of the offsets
      // would have to decide.
      return 0;
    }
    double angles = 0;
    for (const Triangle& t : triangles)
      angles += geometry::solid_angle(t.a, t.b, t.c);
    if (!(std::abs(angles / (4 * std::numbers::pi) - 1) < 0.25)) return 0;
    double radius = infinity;
    const convex::SimpleShape middle = convex::simple_point(origin);
    for (const Triangle& t : triangles) {
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
    std::size_t from, to;
    std::size_t outside;  // the face that stays
  };

  DepthBody& a_;
  DepthBody& b_;
  Cost& cost_;
  Depth best_;
  double size_ = 0;
  double unit_ = 1;
  std::vector<Vector3> points_;
  std::vector<Face> faces_;
  std::vector<std::size_t> visible_;
  std::vector<Rim> rim_;
};

}  // namespace

Depth hull_overlap(DepthBody& a, DepthBody& b, const Vector3& direction, Cost& cost) {
  const Extreme of_a = a.farthest(direction, cost);
  const Extreme of_b = b.farthest(-direction, cost);
  const double overlap = of_a.reach + of_b.reach;
  // The direction is a unit vector only up to rounding, which the factor covers.
  return {.upper = overlap > 0 ? overlap * (1 + 0x1p-49) : overlap * (1 - 0x1p-49),
          .normal = direction,
          .point_a = of_a.point,
          .point_b = of_b.point,
          .cost = {}};
}

Depth hull_depth(DepthBody& a, DepthBody& b, double tolerance, int steps, Cost& cost) {
  return ExpandingPolytope(a, b, cost).run(tolerance, steps);
}

}  // namespace whisker::mesh
