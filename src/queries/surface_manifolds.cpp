// The contact manifolds of a convex shape and a surface of triangles.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include <Eigen/Geometry>

#include "convex/flatness.hpp"
#include "convex/manifold_points.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "convex/triangle_heights.hpp"
#include "geometry/fixed_list.hpp"
#include "geometry/lease.hpp"
#include "geometry/least_of.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/safe_norm.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/containment.hpp"
#include "mesh/ground.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/near_memory.hpp"
#include "queries/near_surface.hpp"
#include "queries/table.hpp"
#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"

namespace whisker::queries {
namespace {

/// A contact deeper than this part of the way to the shape's middle is checked: it may be shorter another way.
constexpr double deep_part = 0.25;
/// So is one that is deeper than the limit times this.
constexpr double deep_limits = 2;
/// A contact with a face that is deeper than the shortest way out by this factor is one with an edge.
constexpr double much_longer = 1.5;
/// Points of a triangle closer to its edge than this part of its size are on the edge.
constexpr double edge_part = 0x1p-30;
/// The contact of an edge or a corner is at an edge up to this part of the triangle's size.
constexpr double at_edge = 0x1p-20;
/// Points closer together than this part of the shape are one.
constexpr double weld_of_size = 0x1p-12;
/// A point replaces none that is nearer than it up to this part of the shape.
constexpr double nearer_part = 0x1p-14;

/// The faces of a hull that its last triangles faced. Neighboring triangles mostly face the same one.
struct HullFaces {
  struct Entry {
    std::uint32_t face, vertex;
    convex::SupportFace found;
  };
  std::array<Entry, 4> entries;
  std::size_t count = 0, next = 0;
};

/// A triangle that may have a nearer point than those that the face of the shape shares with it.
struct Later {
  std::uint32_t number;
  double height;   // no point of the triangle has a smaller gap
  double nearest;  // what a nearer point has a smaller gap than; infinite if one of its neighbors should have its point
};

struct SurfaceMemory {
  std::vector<std::uint32_t> numbers;
  std::vector<ContactPoint> points;
  std::vector<Later> later;
  std::vector<std::uint32_t> behind;
  HullFaces faces;
  convex::PlacedCorners corners;
  convex::TriangleBlock block;
};

/// A bounded convex shape in the form of the mesh queries, made when it is needed.
class PlacedConvex {
 public:
  explicit PlacedConvex(const Placed& placed) : placed_(placed) {}
  PlacedConvex(const PlacedConvex&) = delete;
  PlacedConvex& operator=(const PlacedConvex&) = delete;

  const convex::SimpleShape& shape() const {
    if (!shape_) {
      if (convex::is_simple(placed_.shape.kind())) {
        shape_ = convex::place_simple(placed_.shape, placed_.pose);
      } else {
        core_.emplace(placed_.shape);
        shape_ = convex::simple_convex(*core_, placed_.pose);
      }
    }
    return *shape_;
  }

 private:
  const Placed& placed_;
  mutable std::optional<convex::ConvexCore> core_;
  mutable std::optional<convex::SimpleShape> shape_;
};

/// A triangle near the shape: relative to the shape's origin, in units of its size.
struct LocalTriangle {
  std::uint32_t number;
  std::array<Vector3, 3> corners;
  std::array<Vector3, 3> out;  // of each edge: the unit vector in the triangle's plane, away from the triangle
  Vector3 normal;              // toward the shape
  double size = 0;             // of its longest edge
};

/// The points of contact of one convex shape with the triangles of a surface.
template <class Surface>
class TriangleContacts {
 public:
  TriangleContacts(const Placed& a, const PlacedConvex& body, const Surface& surface, const ManifoldOptions& options,
                   double limit, SurfaceMemory& memory)
      : a_(a),
        body_(body),
        surface_(surface),
        options_(options),
        points_(memory.points),
        later_(memory.later),
        behind_(memory.behind),
        faces_(memory.faces),
        corners_(memory.corners),
        block_(memory.block),
        hull_(a.shape.template as<ConvexHull>()),
        origin_(a.pose.translation()),
        cosine_(std::cos(options.max_angle)),
        sine_(std::sin(options.max_angle)) {
    faces_.count = faces_.next = 0;
    later_.clear();
    behind_.clear();
    const convex::ConvexBody placed = convex::convex_body(a.shape, a.pose);
    reach_ = convex::reach_of(a.shape);
    if (!(reach_ > 0)) reach_ = std::max(limit, 0x1p-500);
    factor_ = std::ldexp(1.0, -std::clamp(std::ilogb(reach_), -900, 900));
    inverse_ = 1 / factor_;  // exact
    middle_ = (placed.in_world ? Vector3(placed.middle - origin_) : geometry::placed_direction(a.pose, placed.middle)) *
              factor_;
    limit_ = limit * factor_;
    world_limit_ = limit;
    const double coordinate = surface.magnitude() + origin_.cwiseAbs().maxCoeff() + reach_;
    slack_ = 0x1p-46 * coordinate * factor_ + placed.support_error * factor_;
    if (hull_ == nullptr) return;
    const HullSupport& table = support_table_of(*hull_);
    has_corners_ = table.padded <= convex::PlacedCorners::most;
    if (!has_corners_) return;
    const convex::PlainRotation rotation(a.pose.rotation());
    convex::place_corners(table.x, table.y, table.z, table.count, rotation, factor_, corners_);
  }

  /// The triangles with these numbers.
  void look(std::span<const std::uint32_t> numbers) {
    if (!has_corners_) {
      for (const std::uint32_t number : numbers)
        look(number);
      return;
    }
    convex::TrianglesFrame frame;
    frame.rotation = convex::PlainRotation(surface_.pose().rotation());
    for (int i = 0; i < 3; ++i) {
      frame.translation[i] = surface_.pose().translation()[i];
      frame.origin[i] = origin_[i];
      frame.middle[i] = middle_[i];
    }
    frame.factor = factor_;
    frame.one_sided = surface_.is_one_sided();
    frame.limit = limit_;
    frame.slack = slack_;
    for (std::size_t begin = 0; begin < numbers.size(); begin += convex::TriangleBlock::most) {
      const auto some = numbers.subspan(begin, std::min(convex::TriangleBlock::most, numbers.size() - begin));
      for (std::size_t i = 0; i < some.size(); ++i)
        surface_.copy_triangle(some[i], block_.corners, i);
      block_.count = static_cast<std::uint32_t>(some.size());
      convex::measure_triangles(corners_, frame, block_);
      const unsigned odd = ~block_.plain;
      for (std::size_t i = 0; i < some.size(); ++i) {
        if ((odd >> i & 1) != 0) look(some[i]);
        if ((block_.behind >> i & 1) != 0) behind_.push_back(some[i]);
        if ((block_.near >> i & 1) != 0) look_at_measured(some[i], i);
      }
    }
  }

  void look(std::uint32_t number) {
    LocalTriangle t;
    const Triangle at = surface_.triangle(number);
    double above = 0;
    if (!measure(number, at, t, above)) return behind_.push_back(number);
    if (t.normal.isZero(0)) return look_closely(t, at, infinity);
    const double slack = slack_of(t);
    const Vector3 lowest = lowest_along(t.normal);
    const double height = t.normal.dot(lowest - t.corners[0]);
    if (height > limit_ + slack) return;
    for (std::size_t k = 0; k < 3; ++k)
      if (t.out[k].dot(lowest_along(t.out[k]) - t.corners[k]) > limit_ + slack) return;
    const std::uint32_t vertex = hull_ != nullptr ? lowest_vertex(t.normal) : 0;
    const bool is_corner = hull_ != nullptr && is_only_low_one(vertex, t);
    touch({t, lowest, vertex, height, above, is_corner});
  }

  /// Looks at the triangles that were left for later, if they may be nearer than the points that there are: their own,
  /// or all if a neighbor should have their point. Mostly a direction in which other points push tells that they are
  /// not.
  void look_at_later() {
    if (later_.empty()) return;
    double nearest = least_gap(0);
    for (const Later& later : later_) {
      const double least = later.nearest < infinity ? later.nearest : nearest;
      if (!(later.height < least)) continue;
      const Triangle at = surface_.triangle(later.number);
      LocalTriangle t;
      t.corners = local_corners(at);
      const auto frees = [&](const Way& way) { return way.lowest - way.up.dot(highest_corner(t, way.up)) >= least; };
      if (std::ranges::any_of(ways_, frees)) continue;
      double above = 0;
      measure(later.number, at, t, above);
      if (is_apart(t, least)) continue;
      const std::size_t before = points_.size();
      look_closely(t, at, least);
      if (points_.size() == before) continue;
      nearest = least_gap(0);
      const Vector3 up = -points_.back().normal;
      add_way(up, lowest_along(up));
    }
  }

  /// Whether the shape and a solid may be nearer to each other than all points that there are. Either the shape
  /// overlaps a triangle by more, in a direction that the triangle does not feel. Or it is as near to a triangle that
  /// its middle is behind: to another part of the solid, unless its middle is in front of that and there is a deeper
  /// point.
  template <class IsInside>
  bool may_be_nearer(const IsInside& is_inside) const {
    const double nearest = least_gap(0);
    if (nearest_ && nearest_->gap < 0 && nearest_->gap * factor_ < nearest) return true;
    const double most = std::max(nearest, 0.0) * inverse_;
    const bool is_near = std::ranges::any_of(behind_, [&](std::uint32_t number) {
      const convex::SimpleShape triangle = convex::simple_triangle(surface_.triangle(number));
      return !(convex::distance_within(triangle, body_.shape(), most).lower > most);
    });
    return is_near && (nearest > 0 || is_inside(to_world(middle_)));
  }
  /// Adds a point if it is nearer than all others.
  void add_if_nearer(const ContactPoint& point) {
    if (point.gap * factor_ < least_gap(0)) points_.push_back(point);
  }
  /// The closest point of all triangles, if it is nearer than all points that they gave.
  void add_nearest() {
    if (nearest_) add_if_nearer(*nearest_);
  }
  /// Whether the shape may be in the solid: it overlaps the closest triangle, or its middle is behind some triangle.
  bool may_be_inside() const {
    return surface_.is_one_sided() && (!behind_.empty() || (nearest_ && nearest_->gap < 0));
  }
  /// Drops the points if they are all behind triangles that the shape passes beside.
  void drop_unproven(std::span<const std::uint32_t> numbers) {
    if (points_.empty() || is_proven_) return;
    if (std::ranges::all_of(numbers, [&](std::uint32_t number) { return gap_to(number) > world_limit_; }))
      points_.clear();
  }
  double reach() const { return reach_; }
  double rounding() const { return slack_ / factor_; }

 private:
  /// A triangle that the planes do not tell apart from the shape.
  struct Near {
    const LocalTriangle& t;
    Vector3 lowest;        // the point of the shape that is lowest along the normal
    std::uint32_t vertex;  // of a hull, which is this point
    double height;         // of this point over the triangle's plane
    double above;          // the height of the shape's middle
    bool is_corner;        // no other vertex of the hull is within the limit of the plane
  };

  /// Turns a triangle's normal, which is zero if it has no area, toward the middle of the shape, which is `above` its
  /// plane. Returns false if the triangle does not count because the middle is behind it.
  bool measure(std::uint32_t number, const Triangle& at, LocalTriangle& t, double& above) {
    t.number = number;
    t.corners = local_corners(at);
    t.normal = geometry::unit_normal(t.corners[0], t.corners[1], t.corners[2]);
    if (t.normal.isZero(0)) return true;
    t.size = std::max({(t.corners[1] - t.corners[0]).norm(), (t.corners[2] - t.corners[1]).norm(),
                       (t.corners[0] - t.corners[2]).norm()});
    above = t.normal.dot(middle_ - t.corners[0]);
    for (std::size_t k = 0; k < 3; ++k)
      t.out[k] = geometry::unit_vector((t.corners[(k + 1) % 3] - t.corners[k]).cross(t.normal));
    if (above < 0) {
      if (surface_.is_one_sided()) return false;
      t.normal = -t.normal;
      above = -above;
    }
    return true;
  }

  void look_at_measured(std::uint32_t number, std::size_t i) {
    const auto vector = [&](const double(&axes)[3][convex::TriangleBlock::most]) {
      return Vector3(axes[0][i], axes[1][i], axes[2][i]);
    };
    LocalTriangle t;
    t.number = number;
    for (std::size_t k = 0; k < 3; ++k) {
      t.corners[k] = vector(block_.corners[k]);
      t.out[k] = vector(block_.out[k]);
    }
    t.normal = vector(block_.normal);
    t.size = block_.size[i];
    const auto vertex = static_cast<std::uint32_t>(block_.lowest[i]);
    touch({t, corners_.at(vertex), vertex, block_.height[i], block_.above[i], block_.second[i] > limit_ + slack_});
  }

  /// The rule: the face of the shape that faces the triangle gives points. If it misses the shape's lowest point, which
  /// is then beside the triangle, what is nearest to the triangle may be nearer than them.
  void touch(const Near& near) {
    const LocalTriangle& t = near.t;
    // A surface's feature that is smaller than the shape has walls whose planes the shape is deep behind: deeper than
    // what rests on it, which the margin is chosen for.
    const double usual = deep_limits * limit_ + slack_;
    const bool is_deep = -near.height > std::min(deep_part * (near.above - near.height), usual);
    const std::size_t before = points_.size();
    touch_face(near);
    if (is_beside(near, before)) points_.resize(before);
    double nearest = infinity;
    if (points_.size() > before) {
      if (is_deep && !is_shortest(surface_.triangle(t.number), before)) {
        points_.resize(before);
        return look_closely(t, surface_.triangle(t.number), infinity);
      }
      add_way(t.normal, near.lowest);
      nearest = least_gap(before);
      if (!(near.height < nearest) || face_gap_ >= nearest) return;
    }
    const bool is_left_out = can_leave_out(t, near.lowest);
    if (is_left_out || nearest < infinity)
      return later_.push_back({t.number, near.height, is_left_out ? infinity : nearest});
    if (!is_apart(t, infinity)) look_closely(t, surface_.triangle(t.number), infinity);
  }

  /// What a point that is nearer than those since `first` has a smaller gap than, in units of the shape's size.
  double least_gap(std::size_t first) const {
    double least = infinity;
    for (std::size_t i = first; i < points_.size(); ++i)
      least = std::min(least, points_[i].gap);
    return least * factor_ - nearer_part;
  }

  /// The rounding of lengths along a unit vector, between the shape and a triangle.
  double slack_of(const LocalTriangle& t) const { return slack_ + 0x1p-48 * t.size; }

  Vector3 to_world(const Vector3& p) const { return origin_ + p * inverse_; }
  std::array<Vector3, 3> local_corners(const Triangle& t) const {
    return {(t.a - origin_) * factor_, (t.b - origin_) * factor_, (t.c - origin_) * factor_};
  }

  /// Of a hull: the number of its vertex that is lowest along a unit vector.
  std::uint32_t lowest_vertex(const Vector3& n) const {
    if (has_corners_) return convex::lowest_corner(corners_, n);
    return hull_support(support_table_of(*hull_), a_.pose.rotation().transpose() * -n);
  }

  /// Of a hull: where a vertex is.
  Vector3 vertex_at(std::uint32_t vertex) const {
    if (has_corners_) return corners_.at(vertex);
    return geometry::placed_direction(a_.pose, hull_->vertices()[vertex]) * factor_;
  }

  /// The point of the shape that is lowest along a unit vector.
  Vector3 lowest_along(const Vector3& n) const {
    if (hull_ != nullptr) return vertex_at(lowest_vertex(n));
    const Pose& pose = a_.pose;
    if (const Box* const box = a_.shape.template as<Box>()) {
      const Vector3 local = pose.rotation().transpose() * n;
      Vector3 corner = box->size / 2;
      for (int i = 0; i < 3; ++i)
        if (local[i] > 0) corner[i] = -corner[i];
      return geometry::placed_direction(pose, corner) * factor_;
    }
    const convex::SimpleShape& s = body_.shape();
    if (s.corner_count() > 0) {
      double least = infinity;
      Vector3 lowest = Vector3::Zero();
      s.each_corner([&](const Vector3& corner) {
        const Vector3 at = (corner - origin_) * factor_;
        if (n.dot(at) < least) {
          least = n.dot(at);
          lowest = at;
        }
      });
      return lowest - n * (s.radius * factor_);
    }
    return (convex::farthest_point(s, -n) - origin_) * factor_;
  }

  void add(const LocalTriangle& t, const Vector3& on_a, const Vector3& on_b, const Vector3& normal, std::uint64_t id) {
    points_.push_back(contact(t, on_a, on_b, normal, id));
  }
  ContactPoint contact(const LocalTriangle& t, const Vector3& on_a, const Vector3& on_b, const Vector3& normal,
                       std::uint64_t id) const {
    return {.a = to_world(on_a),
            .b = to_world(on_b),
            .normal = normal,
            .gap = normal.dot(on_b - on_a) * inverse_,
            .id = id,
            .feature_b = {0, FeatureKind::triangle, t.number}};
  }

  /// Whether a point is beyond an edge of a triangle.
  static bool is_beyond(const LocalTriangle& t, std::size_t k, const Vector3& p) {
    return t.out[k].dot(p - t.corners[k]) > edge_part * t.size;
  }
  static bool is_within(const LocalTriangle& t, const Vector3& p) {
    return !is_beyond(t, 0, p) && !is_beyond(t, 1, p) && !is_beyond(t, 2, p);
  }

  /// Whether the only vertex of a hull within the limit of a triangle's plane is the lowest one.
  bool is_only_low_one(std::uint32_t lowest, const LocalTriangle& t) const {
    const Vector3 local = a_.pose.rotation().transpose() * t.normal;
    const double most = (limit_ + slack_ + t.normal.dot(t.corners[0])) / factor_;
    const auto vertices = hull_->vertices();
    return std::ranges::all_of(hull_->neighbors(lowest),
                               [&](std::uint32_t v) { return local.dot(vertices[v]) > most; });
  }

  /// The face of a solid hull that faces along -n, as support_face() finds it, scaled. `vertex` is its lowest one.
  const convex::SupportFace& hull_face(std::uint32_t vertex, const Vector3& n) {
    const Vector3 local = geometry::turned_back(a_.pose.rotation(), -n);
    const std::uint32_t face = convex::aligned_face(*hull_, vertex, local, {cosine_, sine_});
    const bool is_whole = hull_->vertices().size() <= convex::max_whole_hull;
    for (const HullFaces::Entry& known : std::span(faces_.entries).first(faces_.count))
      if (known.face == face && (is_whole || known.vertex == vertex)) return known.found;
    HullFaces::Entry& entry = faces_.entries[faces_.next];
    faces_.next = (faces_.next + 1) % faces_.entries.size();
    faces_.count = std::min(faces_.count + 1, faces_.entries.size());
    entry.face = face;
    entry.vertex = vertex;
    convex::hull_face(*hull_, face, vertex, a_.pose, -n, origin_, entry.found);
    entry.found.scale_by(factor_);
    return entry.found;
  }

  /// Whether a polygon and the triangle are plainly beside each other, seen along the triangle's normal. They then
  /// share no points, even if the normal is aligned with that of the polygon (find_manifold_points).
  static bool are_beside(const LocalTriangle& t, const convex::SupportFace& face) {
    const double plainly = 0x1p-16 * (t.size + 4);  // the polygon's size is at most 4
    const auto are_above = [](std::span<const Vector3> points, const Vector3& up, double height) {
      double least = infinity;
      for (const Vector3& point : points)
        least = std::min(least, up.dot(point));
      return least > height;
    };
    const std::span corners = std::span(face.corners).first(face.count);
    for (std::size_t k = 0; k < 3; ++k)
      if (are_above(corners, t.out[k], t.out[k].dot(t.corners[k]) + plainly)) return true;
    for (std::uint32_t i = 0; i < face.count; ++i) {
      const Vector3 side = t.normal.cross(face.edge(i));  // away from the polygon, which faces the triangle
      if (are_above(t.corners, side, side.dot(corners[i]) + plainly * side.lpNorm<1>())) return true;
    }
    return false;
  }

  /// A direction away from the surface, and the height of the lowest point of the shape along it.
  struct Way {
    Vector3 up;
    double lowest;
  };
  /// `lowest` is the lowest point of the shape along `up`.
  void add_way(const Vector3& up, const Vector3& lowest) {
    const auto is_same = [&](const Way& way) { return way.up == up; };
    if (std::ranges::none_of(ways_, is_same)) ways_.push_back({up, up.dot(lowest)});
  }

  using Simplex = geometry::FixedList<Vector3, 3>;

  /// Whether a plane proves that the shape is farther from the triangle than the limit, or has no smaller gap than
  /// `nearest`. The planes are those of a few steps of GJK (Gilbert, Johnson, Keerthi 1988) that begin at the middle of
  /// the shape. Cheaper than a distance, and most triangles that share no points with the shape's face are farther.
  bool is_apart(const LocalTriangle& t, double nearest_gap) const {
    constexpr int attempts = 6;
    const double least = std::clamp(nearest_gap, 0.0, limit_) + slack_of(t);
    // Points of the shape minus points of the triangle, and their nearest point to the origin. Most triangles are
    // beside the shape, and the way from the edge that its middle is most beyond proves it.
    const auto inside = [&](std::size_t k) { return t.out[k].dot(t.corners[k] - middle_); };
    const std::size_t edge = geometry::least_of(3, inside).number;
    Simplex simplex;
    simplex.push_back(middle_ - t.corners[edge]);
    simplex.push_back(middle_ - t.corners[(edge + 1) % 3]);
    Vector3 nearest = nearest_of(simplex);
    for (int i = 0; i < attempts; ++i) {
      const double length = nearest.norm();
      if (!(length > least)) return false;
      const Vector3 n = nearest / length;
      const Vector3 next = lowest_along(n) - highest_corner(t, n);
      const double gap = n.dot(next);
      if (gap > least) return true;
      if (!(gap < length * (1 - 0x1p-20))) return false;
      if (simplex.size() < 3) {
        simplex.push_back(next);
        nearest = nearest_of(simplex);
        continue;
      }
      // The nearest face of the tetrahedron, of those at the new corner.
      const Simplex last = simplex;
      double least_square = infinity;
      for (std::size_t k = 0; k < 3; ++k) {
        Simplex face = last;
        face[k] = next;
        const Vector3 at = nearest_of(face);
        if (!(at.squaredNorm() < least_square)) continue;
        least_square = at.squaredNorm();
        nearest = at;
        simplex = face;
      }
    }
    return false;
  }
  static Vector3 highest_corner(const LocalTriangle& t, const Vector3& n) {
    const double a = n.dot(t.corners[0]), b = n.dot(t.corners[1]), c = n.dot(t.corners[2]);
    return t.corners[a >= b ? (a >= c ? 0 : 2) : (b >= c ? 1 : 2)];
  }
  /// The point of a segment or triangle that is nearest to the origin, up to rounding. Keeps only the corners of the
  /// part that it is on.
  static Vector3 nearest_of(Simplex& simplex) {
    const auto on_segment = [](const Vector3& p, const Vector3& q) {
      const Vector3 along = q - p;
      const double square = along.squaredNorm();
      return Vector3(p + along * (square > 0 ? std::clamp(-p.dot(along) / square, 0.0, 1.0) : 0));
    };
    if (simplex.size() == 2) return on_segment(simplex[0], simplex[1]);
    const Vector3 normal = (simplex[1] - simplex[0]).cross(simplex[2] - simplex[0]);
    Vector3 nearest = normal * (normal.dot(simplex[0]) / normal.squaredNorm());
    double least = infinity;
    std::size_t unused = 3;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3 &p = simplex[k], &q = simplex[(k + 1) % 3];
      if (!(normal.dot((q - p).cross(-p)) < 0)) continue;  // the origin is on the inner side of this edge
      const Vector3 at = on_segment(p, q);
      if (!(at.squaredNorm() < least)) continue;
      least = at.squaredNorm();
      nearest = at;
      unused = (k + 2) % 3;
    }
    if (unused < 3) simplex.erase(unused);
    return nearest;
  }

  /// Adds the points that the face of the shape shares with the triangle along its normal.
  void touch_face(const Near& near) {
    face_gap_ = -infinity;
    const LocalTriangle& t = near.t;
    const Vector3& lowest = near.lowest;
    const double height = near.height;
    if (near.is_corner) {
      const std::uint64_t id = std::uint64_t{convex::corner_name(near.vertex)} << 32;
      if (is_within(t, lowest)) add(t, lowest, lowest - t.normal * height, -t.normal, id);
      return;
    }
    convex::ManifoldInput input;
    if (hull_ != nullptr && hull_->dimension() == 3) {
      const convex::SupportFace& face = hull_face(near.vertex, t.normal);
      if (face.is_polygon()) {
        if (are_beside(t, face)) return;
        add_way(-face.normal, face.corners[0]);
      }
      input.a = face;
    } else {
      input.a = convex::support_face(a_, -t.normal, origin_, options_.max_angle);
      input.a.scale_by(factor_);
    }
    if (input.a.count < 2) {
      if (is_within(t, lowest)) add(t, lowest, lowest - t.normal * height, -t.normal, 0);
      return;
    }
    if (input.a.is_polygon()) {
      const Vector3 outward = input.a.normal;
      face_gap_ = outward.dot(highest_corner(t, -outward) - input.a.corners[0]);
    }
    input.b.normal = t.normal;
    const bool is_flipped = t.normal.dot((t.corners[1] - t.corners[0]).cross(t.corners[2] - t.corners[0])) < 0;
    for (const std::uint32_t k : {0u, is_flipped ? 2u : 1u, is_flipped ? 1u : 2u})
      input.b.add(t.corners[k], 3 * t.number + k);
    input.normal = -t.normal;
    input.limit = limit_;
    input.max_angle = options_.max_angle;
    input.is_part = true;
    ContactManifold found;
    convex::find_manifold_points(input, found);
    for (const ManifoldPoint& p : found.points())
      add(t, p.point_a, p.point_b, found.normal, p.id);
  }

  /// Whether the points since `first` are behind the triangle's plane without the shape touching the triangle: it
  /// passes the plane beside the triangle, and not through a flush neighbor.
  bool is_beside(const Near& near, std::size_t first) {
    const LocalTriangle& t = near.t;
    if (points_.size() == first) return false;
    bool is_behind = false;
    for (std::size_t i = first; i < points_.size(); ++i) {
      const double depth = -points_[i].gap * factor_;
      if (!(depth > slack_of(t))) {
        is_proven_ = true;
        continue;
      }
      is_behind = true;
      // The way from the middle of the shape to the point is in the shape. Where does it pass the plane?
      const Vector3 point = (points_[i].a - origin_) * factor_;
      const Beyond passed = where(t, point + (middle_ - point) * (depth / (depth + near.above)));
      is_proven_ = is_proven_ || passed == Beyond::none;
      if (passed != Beyond::bent) return false;
    }
    return is_behind && gap_to(t.number) > 0;
  }
  /// At most the distance of a triangle, up to the limit.
  double gap_to(std::uint32_t number) const {
    return convex::distance_within(convex::simple_triangle(surface_.triangle(number)), body_.shape(), world_limit_)
        .lower;
  }

  /// Whether the deepest point since `first` is about as deep as the shortest way out of the triangle.
  bool is_shortest(const Triangle& at, std::size_t first) {
    double deepest = 0;
    for (std::size_t i = first; i < points_.size(); ++i)
      deepest = std::max(deepest, -points_[i].gap);
    if (is_within_hull(first, deepest / much_longer)) return true;
    const Shape triangle = at;
    const Depth way = algorithms(triangle, a_.shape).depth(triangle, a_, {});
    return deepest <= much_longer * way.upper;
  }

  /// Whether a point among those of a triangle since `first` is found that is this deep below all faces of a hull: then
  /// no way out of the triangle is shorter.
  bool is_within_hull(std::size_t first, double depth) const {
    if (hull_ == nullptr) return false;
    const std::span<const HullPlane> planes = hull_->inner_planes();
    if (planes.empty()) return false;
    geometry::FixedList<Vector3, ContactManifold::max_points> corners;
    Vector3 point = Vector3::Zero();
    for (std::size_t i = first; i < points_.size(); ++i) {
      corners.push_back(geometry::turned_back(a_.pose.rotation(), points_[i].b - origin_));
      point += corners.back();
    }
    point /= static_cast<double>(corners.size());
    // From the middle toward the corner that is farthest behind the face that the point is not deep enough below.
    constexpr int attempts = 4;
    for (int i = 0; i < attempts; ++i) {
      const auto shallow = std::ranges::find_if(
          planes, [&](const HullPlane& plane) { return !(plane.offset - plane.normal.dot(point) >= depth); });
      if (shallow == planes.end()) return true;
      const auto height = [&](const Vector3& corner) { return shallow->normal.dot(corner); };
      point = (point + *std::ranges::min_element(corners, {}, height)) / 2;
    }
    return false;
  }

  /// The surface across an edge: the vertex there, seen along the edge.
  struct Across {
    bool is_border;  // There is none.
    double out;      // how far it is out from the edge
    double down;     // how far it is below the triangle's plane

    /// How far the surface bends back, as seen from the side of the normal: in radians, negative in a valley.
    double angle() const { return std::atan2(down, out); }
  };
  Across across(const LocalTriangle& t, std::size_t k) const {
    Vector3 vertex;
    if (!surface_.find_across(t.number, static_cast<std::uint32_t>(k), vertex)) return {true, 0, 0};
    const Vector3 from = (vertex - origin_) * factor_ - t.corners[k];
    return {false, t.out[k].dot(from), -t.normal.dot(from)};
  }
  /// Whether the surface ends at an edge, or bends back by more than max_angle.
  bool is_felt(const Across& edge) const {
    return edge.is_border || (edge.down >= 0 && edge.down * cosine_ > edge.out * sine_);
  }
  bool is_flush(const Across& edge) const {
    return !edge.is_border && edge.out >= 0 && std::abs(edge.down) * cosine_ <= edge.out * sine_;
  }

  /// Where a point of a triangle's plane is.
  enum class Beyond {
    none,   ///< in the triangle
    flush,  ///< beyond edges across which the surface goes on flush
    bent,   ///< beyond an edge across which it does not
  };
  Beyond where(const LocalTriangle& t, const Vector3& p) const {
    Beyond result = Beyond::none;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!is_beyond(t, k, p)) continue;
      if (!is_flush(across(t, k))) return Beyond::bent;
      result = Beyond::flush;
    }
    return result;
  }

  /// Whether a triangle whose face shares no points with the shape may be left out. Either the lowest point is beyond
  /// edges across which the surface goes on flush. Or no edge is felt.
  bool can_leave_out(const LocalTriangle& t, const Vector3& lowest) const {
    std::array<bool, 3> is_past;
    bool is_flush_there = true;
    for (std::size_t k = 0; k < 3; ++k) {
      is_past[k] = is_beyond(t, k, lowest);
      if (!is_past[k]) continue;
      const Across edge = across(t, k);
      if (is_felt(edge)) return false;
      is_flush_there = is_flush_there && is_flush(edge);
    }
    if (is_flush_there && (is_past[0] || is_past[1] || is_past[2])) return true;
    for (std::size_t k = 0; k < 3; ++k)
      if (!is_past[k] && is_felt(across(t, k))) return false;
    return true;
  }

  /// Whether a point of a triangle is at an edge.
  static bool is_at_edge(const LocalTriangle& t, std::size_t k, const Vector3& point) {
    return t.out[k].dot(point - t.corners[k]) > -at_edge * t.size;
  }
  /// Whether a direction away from the surface is between the normals of the two triangles at an edge: others are
  /// contacts of their faces.
  bool is_between_normals(const LocalTriangle& t, std::size_t k, const Across& edge, const Vector3& out) const {
    const double lean = std::atan2(out.dot(t.out[k]), out.dot(t.normal));
    const double most = edge.is_border ? std::numbers::pi / 2 : edge.angle();
    return lean >= -options_.max_angle && lean <= most + options_.max_angle;
  }

  /// Whether the surface rises toward the shape from a point of an edge or a corner: another part of it is in the way.
  bool rises(const LocalTriangle& t, const Vector3& from, const Vector3& out) const {
    const auto is_higher = [&](const Vector3& corner) {
      const Vector3 way = corner - from;
      return out.dot(way) > sine_ * way.norm() + edge_part * t.size;
    };
    const auto is_vertex_higher = [&](const Vector3& vertex) { return is_higher((vertex - origin_) * factor_); };
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (is_higher(t.corners[k])) return true;
      Vector3 vertex;
      if (is_at_edge(t, k, from) && surface_.find_across(t.number, k, vertex) && is_vertex_higher(vertex)) return true;
      if ((from - t.corners[k]).lpNorm<Eigen::Infinity>() <= at_edge * t.size &&
          any_around(surface_, t.number, k, is_vertex_higher))
        return true;
    }
    return false;
  }

  /// The contact of the shape with an edge or a corner of the triangle, if its gap is less than `nearest`.
  void look_closely(const LocalTriangle& t, const Triangle& at, double nearest) {
    Distance apart;
    if (nearest > 0) {  // otherwise only a shape that overlaps the triangle is nearer
      const double limit = std::min(nearest * inverse_, world_limit_);
      apart = convex::distance_within(convex::simple_triangle(at), body_.shape(), limit);
      if (apart.lower > limit || apart.upper == infinity) return;
    }
    is_proven_ = true;
    Vector3 on_b = (apart.point_a - origin_) * factor_, on_a = (apart.point_b - origin_) * factor_;
    Vector3 out = apart.normal;  // from the triangle to the shape
    bool overlaps = false;
    if (!(apart.lower > 0)) {
      const Shape triangle = at;
      const Depth way = algorithms(triangle, a_.shape).depth(triangle, a_, {});
      overlaps = way.has_points();
      if (overlaps) {
        out = way.normal;
        on_b = (way.point_a - origin_) * factor_;
        on_a = (way.point_b - origin_) * factor_;
      } else if (!(nearest > 0)) {
        return;
      }
    }
    if (out.isZero(0)) out = t.normal;
    if (out.isZero(0)) out = geometry::unit_vector(middle_ - on_b);
    if (out.isZero(0)) out = Vector3::UnitZ();
    const std::uint64_t id = 0xC0000000u | (t.number & 0x3FFFFFFFu);
    const ContactPoint found = contact(t, on_a, on_b, -out, id);
    if (!(found.gap * factor_ < nearest)) return;
    if (!nearest_ || found.gap < nearest_->gap) nearest_ = found;
    if (t.normal.isZero(0)) return add(t, on_a, on_b, -out, id);
    bool is_inside = true;
    std::optional<bool> does_rise;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!is_at_edge(t, k, on_b)) continue;
      is_inside = false;
      const Across edge = across(t, k);
      if (!is_felt(edge)) continue;
      const bool is_between = is_between_normals(t, k, edge, out);
      if (!is_between && !overlaps) continue;
      if (!does_rise) does_rise = rises(t, on_b, out);
      if (is_between && !*does_rise) return add(t, on_a, on_b, -out, id);
      if (overlaps && *does_rise) leave_across(t, k, edge, out.dot(on_b - on_a), nearest, id);
    }
    if (is_inside && out.dot(t.normal) >= cosine_) add(t, on_a, on_b, -out, id);
  }

  /// Of a shape that overlaps a triangle, and whose shortest way out of that leads over the end of an edge where the
  /// surface goes on: adds the shortest way out across the edge, as if the edge and the triangle behind it did not end.
  void leave_across(const LocalTriangle& t, std::size_t k, const Across& edge, double shortest, double nearest,
                    std::uint64_t id) {
    // The way across is no shorter, and does not count if it is deep: the middle is at most 4 from every point.
    constexpr double most = 4 * deep_part;
    if (shortest > most) return;
    const Vector3 &from = t.corners[k], &to = t.corners[(k + 1) % 3];
    const double length = (to - from).norm();
    const Vector3 along = (to - from) / length;
    constexpr double far = 8 * most;  // No way over an end that is this far from the edge is shorter than `most`.
    const Shape half_plane = Triangle{to_world(from - along * far), to_world(to + along * far),
                                      to_world((from + to) / 2 - t.out[k] * (length / 2 + far))};
    const Depth way = algorithms(half_plane, a_.shape).depth(half_plane, a_, {});
    if (!way.has_points()) return;
    const Vector3 on_b = (way.point_a - origin_) * factor_, on_a = (way.point_b - origin_) * factor_;
    const Vector3& out = way.normal;
    const double place = along.dot(on_b - from), slack = at_edge * t.size;
    if (!is_at_edge(t, k, on_b) || !(place >= -slack && place <= length + slack)) return;  // a neighbor has the point
    const double depth = out.dot(on_b - on_a);
    if (!(-depth < nearest) || depth > deep_part * out.dot(middle_ - on_a)) return;
    if (is_between_normals(t, k, edge, out) && !rises(t, on_b, out)) add(t, on_a, on_b, -out, id);
  }

  const Placed& a_;
  const PlacedConvex& body_;
  const Surface& surface_;
  const ManifoldOptions& options_;
  std::vector<ContactPoint>& points_;
  std::vector<Later>& later_;
  std::vector<std::uint32_t>& behind_;  // triangles of a solid that the middle is behind
  HullFaces& faces_;
  convex::PlacedCorners& corners_;
  convex::TriangleBlock& block_;
  const ConvexHull* hull_;    // if the shape is one
  bool has_corners_ = false;  // a hull that is small enough for `corners_`
  Vector3 origin_;
  Vector3 middle_;     // of the shape
  double reach_ = 0;   // the shape's size, in the world
  double factor_ = 1;  // from the world's unit
  double inverse_ = 1;
  double limit_ = 0, world_limit_ = 0;
  double slack_ = 0;
  double cosine_, sine_;              // of max_angle
  double face_gap_ = -infinity;       // of the last triangle, along the normal of the shape's face
  geometry::FixedList<Way, 8> ways_;  // along the normals of points and of the shape's faces
  std::optional<ContactPoint> nearest_;
  bool is_proven_ = false;  // that the shape is within the limit of a triangle
};

/// The rounding of a surface's placed coordinates.
double rounding_of_surface(double magnitude) {
  return 0x1p-47 * magnitude;
}

/// The shortest way out of a solid, for a shape whose middle is inside.
std::optional<ContactPoint> deepest_point(const Placed& a, const Placed& b) {
  const PairAlgorithms& pair = algorithms(a.shape, b.shape);
  if (pair.depth == nullptr) return {};
  const Depth way = pair.depth(a, b, {});
  if (!way.has_points()) return {};
  return ContactPoint{.a = way.point_a, .b = way.point_b, .normal = way.normal, .gap = -way.upper};
}

/// Whether all vertices of a mesh are in a convex shape.
bool holds_vertices(const Placed& a, const Mesh& mesh, const Pose& pose, Cost& cost) {
  const Shape point = Sphere{0};
  const auto touches = algorithms(a.shape, point).touches;
  return touches != nullptr && std::ranges::all_of(mesh.vertices(), [&](const Vector3& vertex) {
           return touches(a, {point, Pose(geometry::placed_point(pose, vertex))}, nullptr, cost);
         });
}

/// The closest points of a shape and a solid, or the shortest way out of it.
std::optional<ContactPoint> signed_point(const Placed& a, const Placed& b, double limit) {
  const PairAlgorithms& pair = algorithms(a.shape, b.shape);
  if (pair.signed_distance == nullptr) return {};
  const Distance found = pair.signed_distance(a, b, {});
  if (found.lower > limit || found.normal.isZero(0)) return {};
  // Of a shape that is in the solid, the points are as far apart as the way out that is proven is long.
  const double gap = found.upper > 0 ? found.value() : found.lower;
  return ContactPoint{.a = found.point_a, .b = found.point_b, .normal = found.normal, .gap = gap};
}

/// Finds the triangles that may be within the limit, or uses those of the last query.
template <class Surface>
std::span<const std::uint32_t> near_numbers(const Placed& a, const PlacedConvex& body, const Surface& surface,
                                            double reach, double limit, SurfaceMemory& memory, NearMemory* last,
                                            Cost& cost) {
  if (last == nullptr || !(reach > 0)) {
    surface.find_near(body.shape(), limit, cost, memory.numbers);
    return memory.numbers;
  }
  const double rounding = rounding_of_surface(surface.magnitude() + reach + a.pose.translation().cwiseAbs().maxCoeff());
  const double moved = last->moved(a.pose, surface.pose(), reach, 4 * rounding);
  ++last->uses;
  if (!(limit + moved <= last->limit)) {
    const double around = limit + last->choose_skin(moved, reach);
    last->limit = -1;  // in case of an exception
    surface.find_near(body.shape(), around, cost, last->numbers);
    last->shape = a.pose;
    last->surface = surface.pose();
    last->limit = around;
    last->uses = 0;
  }
  return last->numbers;
}

template <class Surface>
void find_on_surface(const Placed& a, const Placed& b, const Surface& surface, const ManifoldOptions& options,
                     SurfaceMemory& memory, NearMemory* last, std::vector<ContactManifold>& manifolds) {
  Cost cost;
  const PlacedConvex body(a);
  const double reach = convex::reach_of(a.shape);
  const double limit =
      options.margin + rounding_of_surface(surface.magnitude()) + 0x1p-47 * (reach + a.pose.translation().stableNorm());
  const std::span<const std::uint32_t> numbers = near_numbers(a, body, surface, reach, limit, memory, last, cost);
  TriangleContacts contacts(a, body, surface, options, limit, memory);
  contacts.look(numbers);
  contacts.drop_unproven(numbers);
  contacts.look_at_later();
  if (!contacts.may_be_inside()) contacts.add_nearest();
  const Mesh* const solid = surface.is_one_sided() ? b.shape.as<Mesh>() : nullptr;
  const bool is_all_near = numbers.size() == surface.triangle_count() && !memory.points.empty();
  std::optional<ContactPoint> whole;
  if (solid != nullptr && is_all_near && holds_vertices(a, *solid, b.pose, cost)) whole = deepest_point(a, b);
  if (whole) {
    // The triangles of a solid that is wholly inside tell nothing about the way out.
    memory.points.assign(1, *whole);
  } else if (surface.is_one_sided()) {
    const auto is_inside = [&](const Vector3& point) {
      return solid != nullptr ? mesh::is_inside({*solid, b.pose}, point)
                              : mesh::ground_holds({*shapes::field_of(b.shape), b.pose}, point);
    };
    if (solid != nullptr && memory.points.empty()) {
      // What is in a solid where no triangle feels it leaves by the shortest way out.
      if (contacts.may_be_inside() || mesh::holds({*solid, b.pose}, body.shape())) whole = deepest_point(a, b);
    } else if (memory.points.empty() || surface.may_have_wall(a.pose.translation(), (reach + limit) * (1 + 0x1p-20)) ||
               contacts.may_be_nearer(is_inside)) {
      whole = signed_point(a, b, limit);
    }
    if (whole) contacts.add_if_nearer(*whole);
    contacts.add_nearest();
  } else {
    contacts.add_nearest();
  }
  if (memory.points.empty()) return;
  const std::size_t first = manifolds.size();
  join_points(memory.points, {options.max_angle, weld_of_size * reach, contacts.rounding()}, manifolds);
  manifolds[first].cost = cost;
}

/// A half-space or plane and a surface: the vertices within the limit.
template <class Surface>
void find_on_plane(const Placed& a, const Surface& surface, const ManifoldOptions& options, SurfaceMemory& memory,
                   std::vector<ContactManifold>& manifolds) {
  Cost cost;
  const convex::SimpleShape flat = convex::place_simple(a.shape, a.pose);
  const double magnitude = surface.magnitude() + a.pose.translation().cwiseAbs().maxCoeff();
  const double limit = options.margin + 2 * rounding_of_surface(magnitude);
  surface.find_near(flat, limit, cost, memory.numbers);
  const Vector3 up = geometry::unit_vector(flat.normal);
  const double offset = flat.offset / flat.normal.stableNorm();
  // A plane is touched from the side on which the middle of the surface is.
  const bool is_below = a.shape.as<Plane>() != nullptr && up.dot(surface.middle() - a.pose.translation()) < offset;
  const double side = is_below ? -1 : 1;
  double size = 0;
  for (const std::uint32_t number : memory.numbers) {
    const Triangle t = surface.triangle(number);
    size = std::max(size, (t.b - t.a).stableNorm());
    const std::array<const Vector3*, 3> corners = {&t.a, &t.b, &t.c};
    for (std::uint32_t k = 0; k < 3; ++k) {
      const double height = side * (up.dot(*corners[k] - a.pose.translation()) - offset);
      if (!(height <= limit)) continue;
      ContactPoint& p = memory.points.emplace_back();
      p.a = *corners[k] - up * (side * height);
      p.b = *corners[k];
      p.normal = up * side;
      p.gap = height;
      p.id = 3 * std::uint64_t{number} + k + 1;
      p.feature_b = {0, FeatureKind::triangle, number};
    }
  }
  if (memory.points.empty()) return;
  const std::size_t first = manifolds.size();
  join_points(memory.points, {options.max_angle, weld_of_size * size, limit - options.margin}, manifolds);
  manifolds[first].cost = cost;
}

void find_on_any(const Placed& a, const Placed& b, const ManifoldOptions& options, NearMemory* last,
                 std::vector<ContactManifold>& manifolds) {
  const geometry::Lease<SurfaceMemory> memory;
  memory->points.clear();
  with_surface(b, [&](const auto& surface) {
    if (a.shape.is_unbounded()) {
      find_on_plane(a, surface, options, *memory, manifolds);
    } else {
      find_on_surface(a, b, surface, options, *memory, last, manifolds);
    }
  });
}

/// A shape that moves by more than this part of its size from query to query is looked for anew.
constexpr double fast_step = 0x1p-6;
/// The triangles within this part of the shape's size are kept at most.
constexpr double widest_skin = 0x1p-4;
/// For about how many queries they should last.
constexpr double lasting = 16;

}  // namespace

double NearMemory::moved(const Pose& shape_now, const Pose& surface_now, double reach, double rounding) const {
  if (limit < 0 || surface_now.translation() != surface.translation() || surface_now.rotation() != surface.rotation())
    return infinity;
  const double turned = (shape_now.rotation() - shape.rotation()).norm();  // at least the largest stretch
  const double shifted = geometry::safe_norm(shape_now.translation() - shape.translation());
  return (turned * reach + shifted) * (1 + 0x1p-40) + rounding;
}

double NearMemory::choose_skin(double moved, double reach) const {
  if (limit < 0) return fast_step * reach;
  const double each = moved / std::max(uses, 1u);
  return each <= fast_step * reach ? std::min(lasting * each, widest_skin * reach) : 0;
}

bool uses_near_memory(decltype(PairAlgorithms::manifolds) row) {
  return row == &manifolds_convex_surface || row == &manifolds_exchanged<&manifolds_convex_surface>;
}

void find_manifolds_near(const Placed& a, const Placed& b, const ManifoldOptions& options, NearMemory& memory,
                         std::vector<ContactManifold>& manifolds) {
  if (algorithms(a.shape, b.shape).manifolds == &manifolds_convex_surface)
    return find_on_any(a, b, options, &memory, manifolds);
  const std::size_t begin = manifolds.size();
  find_on_any(b, a, options, &memory, manifolds);
  for (std::size_t i = begin; i < manifolds.size(); ++i)
    exchange(manifolds[i]);
}

void manifolds_convex_surface(const Placed& a, const Placed& b, const ManifoldOptions& options,
                              std::vector<ContactManifold>& manifolds) {
  find_on_any(a, b, options, nullptr, manifolds);
}

}  // namespace whisker::queries
