// The contact manifolds of a convex shape and a surface of triangles.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include <Eigen/Geometry>

#include "convex/flatness.hpp"
#include "convex/manifold_points.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/lease.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/containment.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/near_surface.hpp"
#include "queries/table.hpp"
#include "shapes/hull_support.hpp"
#include "shapes/internals.hpp"

namespace whisker::queries {
namespace {

/// A contact deeper than this part of the way to the shape's middle is checked: it may be shorter another way.
constexpr double deep_part = 0.25;
/// A contact with a face that is deeper than the shortest way out by this factor is one with an edge.
constexpr double much_longer = 1.5;
/// Points of a triangle closer to its edge than this part of its size are on the edge.
constexpr double edge_part = 0x1p-30;
/// Points closer together than this part of the shape are one.
constexpr double weld_of_size = 0x1p-12;

/// The faces of a hull that its last triangles faced. Neighboring triangles mostly face the same one.
struct HullFaces {
  struct Entry {
    std::uint32_t face, vertex;
    convex::SupportFace found;
  };
  std::array<Entry, 4> entries;
  std::size_t count = 0, next = 0;
};

struct SurfaceMemory {
  std::vector<std::uint32_t> numbers;
  std::vector<ContactPoint> points;
  HullFaces faces;
};

/// A bounded convex shape in the form of the mesh queries.
struct PlacedConvex {
  std::optional<convex::ConvexCore> core;
  convex::SimpleShape shape;

  explicit PlacedConvex(const Placed& placed) {
    if (convex::is_simple(placed.shape.kind())) {
      shape = convex::place_simple(placed.shape, placed.pose);
    } else {
      core.emplace(placed.shape);
      shape = convex::simple_convex(*core, placed.pose);
    }
  }
  PlacedConvex(const PlacedConvex&) = delete;
  PlacedConvex& operator=(const PlacedConvex&) = delete;
};

/// A triangle near the shape: relative to the shape's origin, in units of its size.
struct LocalTriangle {
  std::uint32_t number;
  std::array<Vector3, 3> corners;
  std::array<Vector3, 3> out;  // of each edge: the unit vector in the triangle's plane, away from the triangle
  Vector3 normal;              // toward the shape
  double size;                 // of its longest edge
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
        faces_(memory.faces),
        origin_(a.pose.translation()) {
    faces_.count = faces_.next = 0;
    const convex::ConvexBody placed = convex::convex_body(a.shape, a.pose);
    reach_ = convex::reach_of(a.shape);
    if (!(reach_ > 0)) reach_ = std::max(limit, 0x1p-500);
    factor_ = std::ldexp(1.0, -std::clamp(std::ilogb(reach_), -900, 900));
    middle_ = (placed.in_world ? Vector3(placed.middle - origin_) : geometry::placed_direction(a.pose, placed.middle)) *
              factor_;
    limit_ = limit * factor_;
    world_limit_ = limit;
    const double coordinate = surface.magnitude() + origin_.cwiseAbs().maxCoeff() + reach_;
    slack_ = 0x1p-46 * coordinate * factor_ + placed.support_error * factor_;
  }

  /// If not `thorough`, leaves a triangle out if the shape is nearer to a neighbor that is flush with it.
  void look(std::uint32_t number, bool thorough = false) {
    LocalTriangle t;
    t.number = number;
    const Triangle at = surface_.triangle(number);
    t.corners = {(at.a - origin_) * factor_, (at.b - origin_) * factor_, (at.c - origin_) * factor_};
    t.normal = geometry::unit_normal(t.corners[0], t.corners[1], t.corners[2]);
    if (t.normal.isZero(0)) return look_closely(t, at);
    double above = t.normal.dot(middle_ - t.corners[0]);
    for (std::size_t k = 0; k < 3; ++k)
      t.out[k] = geometry::unit_vector((t.corners[(k + 1) % 3] - t.corners[k]).cross(t.normal));
    if (above < 0) {
      if (surface_.is_one_sided()) {
        is_behind_ = true;
        return;
      }
      t.normal = -t.normal;
      above = -above;
    }
    t.size = std::max({(t.corners[1] - t.corners[0]).norm(), (t.corners[2] - t.corners[1]).norm(),
                       (t.corners[0] - t.corners[2]).norm()});
    const double slack = slack_of(t);
    const Vector3 lowest = lowest_along(t.normal);
    const double height = t.normal.dot(lowest - t.corners[0]);
    if (height > limit_ + slack) return;
    for (std::size_t k = 0; k < 3; ++k)
      if (t.out[k].dot(lowest_along(t.out[k]) - t.corners[k]) > limit_ + slack) return;
    const bool is_deep = -height > deep_part * (above - height);
    const std::size_t before = points_.size();
    touch_face(t, lowest, height);
    if (points_.size() > before) {
      if (!is_deep || is_shortest(at, before)) return;
      points_.resize(before);
    } else if (!thorough && lies_beyond_flush_edge(t, lowest)) {
      has_left_out_ = true;
      return;
    }
    if (!is_apart(t, lowest)) look_closely(t, at);
  }

  /// If no triangle gave a point although one is within the limit: the closest one.
  void add_nearest() {
    if (points_.empty() && nearest_) points_.push_back(*nearest_);
  }
  bool is_behind() const { return is_behind_; }
  bool has_left_out() const { return has_left_out_; }
  double reach() const { return reach_; }
  double rounding() const { return slack_ / factor_; }

 private:
  /// The rounding of lengths along a unit vector, between the shape and a triangle.
  double slack_of(const LocalTriangle& t) const { return slack_ + 0x1p-48 * t.size; }

  Vector3 to_world(const Vector3& p) const { return origin_ + p / factor_; }

  std::uint32_t lowest_vertex(const ConvexHull& hull, const Vector3& n) const {
    return hull_support(support_table_of(hull), a_.pose.rotation().transpose() * -n);
  }

  /// The point of the shape that is lowest along a unit vector.
  Vector3 lowest_along(const Vector3& n) const {
    const Pose& pose = a_.pose;
    if (const ConvexHull* const hull = a_.shape.template as<ConvexHull>())
      return geometry::placed_direction(pose, hull->vertices()[lowest_vertex(*hull, n)]) * factor_;
    if (const Box* const box = a_.shape.template as<Box>()) {
      const Vector3 local = pose.rotation().transpose() * n;
      Vector3 corner = box->size / 2;
      for (int i = 0; i < 3; ++i)
        if (local[i] > 0) corner[i] = -corner[i];
      return geometry::placed_direction(pose, corner) * factor_;
    }
    const convex::SimpleShape& s = body_.shape;
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
    ContactPoint& p = points_.emplace_back();
    p = contact(t, on_a, on_b, normal, id);
  }
  ContactPoint contact(const LocalTriangle& t, const Vector3& on_a, const Vector3& on_b, const Vector3& normal,
                       std::uint64_t id) const {
    ContactPoint p;
    p.a = to_world(on_a);
    p.b = to_world(on_b);
    p.normal = normal;
    p.gap = normal.dot(on_b - on_a) / factor_;
    p.id = id;
    p.feature_b = {0, FeatureKind::triangle, t.number};
    return p;
  }

  bool is_within(const LocalTriangle& t, const Vector3& p) const {
    for (std::size_t k = 0; k < 3; ++k)
      if (t.out[k].dot(p - t.corners[k]) > edge_part * t.size) return false;
    return true;
  }

  /// Whether the only vertex of a hull within the limit of a triangle's plane is the lowest one.
  bool is_corner(const ConvexHull& hull, std::uint32_t lowest, const LocalTriangle& t) const {
    const Vector3 local = a_.pose.rotation().transpose() * t.normal;
    const double most = (limit_ + slack_ + t.normal.dot(t.corners[0])) / factor_;
    const auto vertices = hull.vertices();
    return std::ranges::all_of(hull.neighbors(lowest), [&](std::uint32_t v) { return local.dot(vertices[v]) > most; });
  }

  /// The face of a solid hull that faces along -n, as support_face() finds it, scaled. `vertex` is its lowest one.
  const convex::SupportFace& hull_face(const ConvexHull& hull, std::uint32_t vertex, const Vector3& n) {
    const Vector3 local = a_.pose.rotation().transpose() * -n;
    const std::uint32_t face = convex::aligned_face(hull, vertex, local, options_.max_angle);
    const bool is_whole = hull.vertices().size() <= convex::max_whole_hull;
    for (const HullFaces::Entry& known : std::span(faces_.entries).first(faces_.count))
      if (known.face == face && (is_whole || known.vertex == vertex)) return known.found;
    HullFaces::Entry& entry = faces_.entries[faces_.next];
    faces_.next = (faces_.next + 1) % faces_.entries.size();
    faces_.count = std::min(faces_.count + 1, faces_.entries.size());
    entry.face = face;
    entry.vertex = vertex;
    entry.found = convex::support_face(a_, -n, origin_, options_.max_angle);
    entry.found.scale_by(factor_);
    return entry.found;
  }

  /// Whether a polygon and the triangle are plainly beside each other, seen along the triangle's normal. They then
  /// share no points, even if the normal is aligned with that of the polygon (find_manifold_points).
  static bool are_beside(const LocalTriangle& t, const convex::SupportFace& face) {
    const double plainly = 0x1p-16 * (t.size + 4);  // the polygon's size is at most 4
    for (std::size_t k = 0; k < 3; ++k) {
      double least = infinity;
      for (std::uint32_t i = 0; i < face.count; ++i)
        least = std::min(least, t.out[k].dot(face.corners[i] - t.corners[k]));
      if (least > plainly) return true;
    }
    for (std::uint32_t i = 0; i < face.count; ++i) {
      const Vector3 side = t.normal.cross(face.edge(i));  // away from the polygon, which faces the triangle
      double least = infinity;
      for (const Vector3& corner : t.corners)
        least = std::min(least, side.dot(corner - face.corners[i]));
      if (least > plainly * side.lpNorm<1>()) return true;
    }
    return false;
  }

  /// The point of the triangle that is closest to a point, up to rounding.
  static Vector3 closest_point_of(const LocalTriangle& t, const Vector3& p) {
    bool is_over = true;
    double least = infinity;
    Vector3 closest = p;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3 from = p - t.corners[k];
      if (!(t.out[k].dot(from) > 0)) continue;
      is_over = false;
      const Vector3 edge = t.corners[(k + 1) % 3] - t.corners[k];
      const Vector3 at = t.corners[k] + edge * std::clamp(from.dot(edge) / edge.squaredNorm(), 0.0, 1.0);
      const double square = (p - at).squaredNorm();
      if (!(square < least)) continue;
      least = square;
      closest = at;
    }
    return is_over ? Vector3(p - t.normal * t.normal.dot(p - t.corners[0])) : closest;
  }

  /// Whether a plane proves that the shape is farther from the triangle than the limit. Tries a few directions, from
  /// the triangle to points of the shape near it, starting with p. Cheaper than a distance, and most triangles that
  /// share no points with the shape's face are farther.
  bool is_apart(const LocalTriangle& t, Vector3 p) const {
    constexpr int attempts = 4;
    const double least = limit_ + slack_of(t);
    for (int i = 0; i < attempts; ++i) {
      const Vector3 way = p - closest_point_of(t, p);
      const double length = way.norm();
      if (!(length > least)) return false;
      const Vector3 n = way / length;
      p = lowest_along(n);
      const double top = std::max({n.dot(t.corners[0]), n.dot(t.corners[1]), n.dot(t.corners[2])});
      if (n.dot(p) - top > least) return true;
    }
    return false;
  }

  /// Adds the points that the face of the shape shares with the triangle along its normal.
  void touch_face(const LocalTriangle& t, const Vector3& lowest, double height) {
    const ConvexHull* const hull = a_.shape.template as<ConvexHull>();
    if (hull != nullptr) {
      const std::uint32_t vertex = lowest_vertex(*hull, t.normal);
      if (is_corner(*hull, vertex, t)) {
        const std::uint64_t id = std::uint64_t{convex::corner_name(vertex)} << 32;
        if (is_within(t, lowest)) add(t, lowest, lowest - t.normal * height, -t.normal, id);
        return;
      }
    }
    convex::ManifoldInput input;
    if (hull != nullptr && hull->dimension() == 3) {
      const convex::SupportFace& face = hull_face(*hull, lowest_vertex(*hull, t.normal), t.normal);
      if (face.is_polygon() && are_beside(t, face)) return;
      input.a = face;
    } else {
      input.a = convex::support_face(a_, -t.normal, origin_, options_.max_angle);
      input.a.scale_by(factor_);
    }
    if (input.a.count < 2) {
      if (is_within(t, lowest)) add(t, lowest, lowest - t.normal * height, -t.normal, 0);
      return;
    }
    input.b.normal = t.normal;
    const bool is_flipped = t.normal.dot((t.corners[1] - t.corners[0]).cross(t.corners[2] - t.corners[0])) < 0;
    for (const std::uint32_t k : {0u, is_flipped ? 2u : 1u, is_flipped ? 1u : 2u})
      input.b.add(t.corners[k], 3 * t.number + k);
    input.normal = -t.normal;
    input.limit = limit_;
    input.max_angle = options_.max_angle;
    input.has_witness = false;
    ContactManifold found;
    convex::find_manifold_points(input, found);
    for (const ManifoldPoint& p : found.points())
      add(t, p.point_a, p.point_b, found.normal, p.id);
  }

  /// Whether the deepest point since `first` is about as deep as the shortest way out of the triangle.
  bool is_shortest(const Triangle& at, std::size_t first) {
    double deepest = 0;
    for (std::size_t i = first; i < points_.size(); ++i)
      deepest = std::max(deepest, -points_[i].gap);
    const Shape triangle = at;
    const Depth way = algorithms(triangle, a_.shape).depth(triangle, a_, {});
    return deepest <= much_longer * way.upper;
  }

  /// How far the surface bends back across an edge, as seen from the side of the normal: an angle in radians, negative
  /// in a valley. Nothing where it ends.
  std::optional<double> bend(const LocalTriangle& t, std::size_t k) const {
    Vector3 vertex;
    if (!surface_.find_across(t.number, static_cast<std::uint32_t>(k), vertex)) return {};
    const Vector3 from = (vertex - origin_) * factor_ - t.corners[k];
    return std::atan2(-t.normal.dot(from), t.out[k].dot(from));
  }

  /// Whether the lowest point is beyond edges of the triangle across which the surface goes on flush.
  bool lies_beyond_flush_edge(const LocalTriangle& t, const Vector3& lowest) const {
    bool is_beyond = false;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!(t.out[k].dot(lowest - t.corners[k]) > edge_part * t.size)) continue;
      is_beyond = true;
      const std::optional<double> angle = bend(t, k);
      if (!angle || std::abs(*angle) > options_.max_angle) return false;
    }
    return is_beyond;
  }

  /// The contact of the shape with an edge or a corner of the triangle.
  void look_closely(const LocalTriangle& t, const Triangle& at) {
    const Distance apart = convex::distance_within(convex::simple_triangle(at), body_.shape, world_limit_);
    if (apart.lower > world_limit_ || apart.upper == infinity) return;
    Vector3 on_b = (apart.point_a - origin_) * factor_, on_a = (apart.point_b - origin_) * factor_;
    Vector3 out = apart.normal;  // from the triangle to the shape
    if (!(apart.lower > 0)) {
      const Shape triangle = at;
      const Depth way = algorithms(triangle, a_.shape).depth(triangle, a_, {});
      if (way.has_points()) {
        out = way.normal;
        on_b = (way.point_a - origin_) * factor_;
        on_a = (way.point_b - origin_) * factor_;
      }
    }
    if (out.isZero(0)) out = t.normal;
    if (out.isZero(0)) out = geometry::unit_vector(middle_ - on_b);
    if (out.isZero(0)) out = Vector3::UnitZ();
    const std::uint64_t id = 0xC0000000u | (t.number & 0x3FFFFFFFu);
    const ContactPoint found = contact(t, on_a, on_b, -out, id);
    if (!nearest_ || found.gap < nearest_->gap) nearest_ = found;
    if (t.normal.isZero(0)) return add(t, on_a, on_b, -out, id);
    bool is_inside = true;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!(t.out[k].dot(on_b - t.corners[k]) > -0x1p-20 * t.size)) continue;
      is_inside = false;
      const std::optional<double> angle = bend(t, k);
      if (angle && *angle <= options_.max_angle) continue;  // not felt
      // The direction must be between the normals of the two triangles: others are contacts of their faces.
      const double lean = std::atan2(out.dot(t.out[k]), out.dot(t.normal));
      const double most = angle ? *angle : std::numbers::pi / 2;
      if (lean >= -options_.max_angle && lean <= most + options_.max_angle) return add(t, on_a, on_b, -out, id);
    }
    if (is_inside && out.dot(t.normal) >= std::cos(options_.max_angle)) add(t, on_a, on_b, -out, id);
  }

  const Placed& a_;
  const PlacedConvex& body_;
  const Surface& surface_;
  const ManifoldOptions& options_;
  std::vector<ContactPoint>& points_;
  HullFaces& faces_;
  Vector3 origin_;
  Vector3 middle_;     // of the shape
  double reach_ = 0;   // the shape's size, in the world
  double factor_ = 1;  // from the world's unit
  double limit_ = 0, world_limit_ = 0;
  double slack_ = 0;
  std::optional<ContactPoint> nearest_;
  bool is_behind_ = false;
  bool has_left_out_ = false;
};

/// The rounding of a surface's placed coordinates.
double rounding_of_surface(double magnitude) {
  return 0x1p-47 * magnitude;
}

/// The manifold of the shortest way out, for a shape whose middle is inside a solid.
void add_depth(const Placed& a, const Placed& b, std::vector<ContactPoint>& points) {
  const PairAlgorithms& pair = algorithms(a.shape, b.shape);
  if (pair.depth == nullptr) return;
  const Depth way = pair.depth(a, b, {});
  if (!way.has_points()) return;
  points.push_back({.a = way.point_a, .b = way.point_b, .normal = way.normal, .gap = -way.upper});
}

/// The closest points of a shape and a ground, or the shortest way out of it.
void add_signed(const Placed& a, const Placed& b, double limit, std::vector<ContactPoint>& points) {
  const Distance found = algorithms(a.shape, b.shape).signed_distance(a, b, {});
  if (found.lower > limit || found.normal.isZero(0)) return;
  points.push_back({.a = found.point_a, .b = found.point_b, .normal = found.normal, .gap = found.value()});
}

template <class Surface>
void find_on_surface(const Placed& a, const Placed& b, const Surface& surface, const ManifoldOptions& options,
                     SurfaceMemory& memory, std::vector<ContactManifold>& manifolds) {
  Cost cost;
  const PlacedConvex body(a);
  const double reach = convex::reach_of(a.shape);
  const double limit =
      options.margin + rounding_of_surface(surface.magnitude()) + 0x1p-47 * (reach + a.pose.translation().stableNorm());
  surface.find_near(body.shape, limit, cost, memory.numbers);
  TriangleContacts contacts(a, body, surface, options, limit, memory);
  for (const std::uint32_t number : memory.numbers)
    contacts.look(number);
  contacts.add_nearest();
  if (memory.points.empty() && contacts.has_left_out()) {
    for (const std::uint32_t number : memory.numbers)
      contacts.look(number, true);
    contacts.add_nearest();
  }
  if (memory.points.empty() && surface.is_one_sided()) {
    const Mesh* const solid = b.shape.as<Mesh>();
    if (solid == nullptr) {
      add_signed(a, b, limit, memory.points);
    } else if (contacts.is_behind() || mesh::holds({*solid, b.pose}, body.shape)) {
      add_depth(a, b, memory.points);
    }
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

}  // namespace

void manifolds_convex_surface(const Placed& a, const Placed& b, const ManifoldOptions& options,
                              std::vector<ContactManifold>& manifolds) {
  const geometry::Lease<SurfaceMemory> memory;
  memory->points.clear();
  with_surface(b, [&](const auto& surface) {
    if (a.shape.is_unbounded()) {
      find_on_plane(a, surface, options, *memory, manifolds);
    } else {
      find_on_surface(a, b, surface, options, *memory, manifolds);
    }
  });
}

}  // namespace whisker::queries
