// The closest points of two cores are found in closed form. Their distance proves that the shapes touch if it is
// clearly less than the radii. The plane through one of them, perpendicular to the line that joins them, proves that
// the shapes are apart if it clearly separates both cores by more than the radii. Where rounding could matter, nothing
// is known.

#include "convex/quick_touch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "convex/vec3.hpp"
#include "geometry/place.hpp"

namespace whisker::convex {
namespace {

/// Much more than the rounding of a sum of a few products, as a fraction of the sum of their sizes.
constexpr double rounding = 0x1p-46;

double size_of(const Vec3& v) {
  return std::abs(v.x) + std::abs(v.y) + std::abs(v.z);
}
Vec3 column(const Pose& pose, Eigen::Index i) {
  const double* const c = pose.rotation().data() + 3 * i;
  return {c[0], c[1], c[2]};
}

/// A core with a point on it: origin + Σ at[i] way[i], with at[i] between begin[i] and end[i].
template <std::size_t ways>
struct Core {
  static constexpr std::size_t room = ways == 0 ? 1 : ways;

  Vec3 origin;
  double radius;
  std::array<Vec3, room> way;
  std::array<double, room> begin, end, at;
  double inverse = 1;  // of the squared length of a line's way
};
using Point = Core<0>;
using Line = Core<1>;
using Block = Core<3>;

/// As std::clamp for numbers, without branches.
double clamped(double x, double least, double most) {
  return std::max(least, std::min(x, most));
}
/// The inverse of the squared length of the axis of a pose, which is a unit vector within 1e-9, or of any vector.
double inverse_square(const Vec3& way, bool is_axis) {
  const double square = dot(way, way);
  if (is_axis) return 2 - square;
  return square > 0 ? 1 / square : 0;
}

Point core_of(const Sphere& s, const Pose& pose) {
  return {to_vec3(pose.translation()), s.radius, {}, {}, {}, {}, {}};
}
Line core_of(const Capsule& s, const Pose& pose) {
  const Vec3 way = column(pose, 2);
  return {to_vec3(pose.translation()), s.radius, {way}, {-s.length / 2}, {s.length / 2}, {}, inverse_square(way, true)};
}
Line core_of(const Segment& s, const Pose& pose) {
  const Vec3 a = to_vec3(geometry::placed_point(pose, s.a)), way = to_vec3(geometry::placed_point(pose, s.b)) - a;
  return {a, 0, {way}, {0}, {1}, {}, inverse_square(way, false)};
}
Block core_of(const Box& s, const Pose& pose) {
  const Vec3 half = to_vec3(s.size / 2);
  return {
      to_vec3(pose.translation()), 0, {column(pose, 0), column(pose, 1), column(pose, 2)}, {-half.x, -half.y, -half.z},
      {half.x, half.y, half.z},    {}};
}

void find_closest(Point&, Point&) {}
void find_closest(Point& a, Line& b) {
  b.at[0] = clamped(dot(a.origin - b.origin, b.way[0]) * b.inverse, b.begin[0], b.end[0]);
}
void find_closest(Line& a, Line& b) {
  const Vec3 &u = a.way[0], &v = b.way[0], between = b.origin - a.origin;
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), to_b = dot(u, between), to_a = -dot(v, between);
  const double determinant = uu * vv - uv * uv;
  const double both = determinant > 0x1p-40 * (uu * vv) ? (to_b * vv + to_a * uv) / determinant : 0;
  const double first = clamped(both, a.begin[0], a.end[0]);
  b.at[0] = clamped((to_a + uv * first) * b.inverse, b.begin[0], b.end[0]);
  a.at[0] = clamped((to_b + uv * b.at[0]) * a.inverse, a.begin[0], a.end[0]);
}
void find_closest(Point& a, Block& b) {
  const Vec3 between = a.origin - b.origin;
  for (std::size_t i = 0; i < 3; ++i)
    b.at[i] = clamped(dot(between, b.way[i]), b.begin[i], b.end[i]);
}

/// How far a core may extend beyond its point along a direction, times the direction's length.
template <std::size_t ways>
double beyond(const Core<ways>& core, const Vec3& direction) {
  double result = 0;
  for (std::size_t i = 0; i < ways; ++i) {
    const double slope = dot(direction, core.way[i]);
    // One of the two is not negative, the other not positive.
    result += std::max(slope * (core.end[i] - core.at[i]), slope * (core.begin[i] - core.at[i]));
  }
  return result;
}

template <std::size_t ways_a, std::size_t ways_b>
QuickTouch judge(Core<ways_a> a, Core<ways_b> b) {
  find_closest(a, b);
  Vec3 between = b.origin - a.origin;
  double reach = size_of(between);
  for (std::size_t i = 0; i < ways_b; ++i) {
    const Vec3 arm = b.way[i] * b.at[i];
    between = between + arm;
    reach += size_of(b.way[i]) * (b.end[i] - b.begin[i]);
  }
  for (std::size_t i = 0; i < ways_a; ++i) {
    const Vec3 arm = a.way[i] * a.at[i];
    between = between - arm;
    reach += size_of(a.way[i]) * (a.end[i] - a.begin[i]);
  }
  const double radii = a.radius + b.radius, square = dot(between, between), error = rounding * (reach + radii);
  if (!(square > 0x1p-600 && reach < 0x1p300 && radii < 0x1p300)) return QuickTouch::unknown;
  const double least = radii - error;
  if (least > 0 && square < least * least) return QuickTouch::yes;
  const double most = radii + error;
  if (!(square > most * most)) return QuickTouch::unknown;
  if constexpr (ways_a + ways_b == 0) return QuickTouch::no;
  // The rounding of `between` tilts the plane.
  const double hidden = beyond(a, between) + beyond(b, -between) + rounding * (reach * reach);
  return square - hidden > std::sqrt(square) * most ? QuickTouch::no : QuickTouch::unknown;
}

/// The point of a triangle nearest to the origin, or up to rounding some other point of it: by the regions of its
/// corners, edges and face (C. Ericson, "Real-Time Collision Detection", 2004, 5.1.5).
Vec3 nearest_to_origin(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a;
  const double d1 = -dot(ab, a), d2 = -dot(ac, a);
  if (d1 <= 0 && d2 <= 0) return a;
  const double d3 = -dot(ab, b), d4 = -dot(ac, b);
  if (d3 >= 0 && d4 <= d3) return b;
  const double of_c = d1 * d4 - d3 * d2;
  if (of_c <= 0 && d1 >= 0 && d3 <= 0) return a + ab * (d1 / (d1 - d3));
  const double d5 = -dot(ab, c), d6 = -dot(ac, c);
  if (d6 >= 0 && d5 <= d6) return c;
  const double of_b = d5 * d2 - d1 * d6;
  if (of_b <= 0 && d2 >= 0 && d6 <= 0) return a + ac * (d2 / (d2 - d6));
  const double of_a = d3 * d6 - d5 * d4;
  if (of_a <= 0 && d4 >= d3 && d5 >= d6) return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
  // With rounding none of these need be: then no point is known.
  const bool is_within = of_a >= 0 && of_b >= 0 && of_c >= 0;
  const double scale = is_within ? 1 / (of_a + of_b + of_c) : std::numeric_limits<double>::quiet_NaN();
  return a + (ab * (of_b * scale) + ac * (of_c * scale));
}

QuickTouch judge_triangle(const Sphere& sphere, const Pose& pose, const Triangle& triangle, const Pose& pose_b) {
  const Vec3 center = to_vec3(pose.translation());
  const Vec3 a = to_vec3(geometry::placed_point(pose_b, triangle.a)) - center,
             b = to_vec3(geometry::placed_point(pose_b, triangle.b)) - center,
             c = to_vec3(geometry::placed_point(pose_b, triangle.c)) - center;
  const double reach = size_of(a) + size_of(b) + size_of(c), radius = sphere.radius;
  const Vec3 between = nearest_to_origin(a, b, c);
  const double square = dot(between, between), error = rounding * (reach + radius);
  if (!(square > 0x1p-600 && reach < 0x1p300 && radius < 0x1p300)) return QuickTouch::unknown;
  // No corner is nearer along the line to the nearest point: then the plane through that point parts the two.
  const double least = std::min(std::min(dot(between, a), dot(between, b)), dot(between, c));
  if (least - rounding * (reach * reach) > std::sqrt(square) * (radius + error)) return QuickTouch::no;
  const double inner = radius - error;
  return inner > 0 && square < inner * inner ? QuickTouch::yes : QuickTouch::unknown;
}

bool is_line(ShapeKind kind) {
  return kind == ShapeKind::capsule || kind == ShapeKind::segment;
}

/// b is a sphere, or both are capsules or segments.
QuickTouch touch_in_order(const Placed& a, const Placed& b) {
  const bool is_sphere = b.shape.kind() == ShapeKind::sphere;
  const auto with = [&](const auto& core_a) {
    if (is_sphere) return judge(core_of(*b.shape.as<Sphere>(), b.pose), core_a);
    if constexpr (std::is_same_v<decltype(core_a), const Line&>) {
      if (b.shape.kind() == ShapeKind::capsule) return judge(core_a, core_of(*b.shape.as<Capsule>(), b.pose));
      return judge(core_a, core_of(*b.shape.as<Segment>(), b.pose));
    }
    return QuickTouch::unknown;
  };
  switch (a.shape.kind()) {
    case ShapeKind::sphere:
      return with(core_of(*a.shape.as<Sphere>(), a.pose));
    case ShapeKind::capsule:
      return with(core_of(*a.shape.as<Capsule>(), a.pose));
    case ShapeKind::segment:
      return with(core_of(*a.shape.as<Segment>(), a.pose));
    case ShapeKind::box:
      return with(core_of(*a.shape.as<Box>(), a.pose));
    default:
      return QuickTouch::unknown;
  }
}

/// How far a shape extends from its center along the normal in its own frame and against it, times the normal's length.
struct Extent {
  double up = 0, down = 0;
  double radius = 0;  ///< In addition.
};
Extent both_ways(double extent, double radius = 0) {
  return {extent, extent, radius};
}

struct ExtentAlong {
  const Vec3& n;
  const Pose& pose;

  double along(Eigen::Index axis) const { return dot(n, column(pose, axis)); }
  double across() const {
    const double x = along(0), y = along(1);
    return std::sqrt(x * x + y * y);
  }
  Extent operator()(const Sphere& s) const { return both_ways(0, s.radius); }
  Extent operator()(const Capsule& s) const { return both_ways(std::abs(along(2)) * s.length / 2, s.radius); }
  Extent operator()(const Box& s) const {
    return both_ways(
        (std::abs(along(0)) * s.size[0] + std::abs(along(1)) * s.size[1] + std::abs(along(2)) * s.size[2]) / 2);
  }
  Extent operator()(const Cylinder& s) const {
    return both_ways(across() * s.radius + std::abs(along(2)) * s.length / 2);
  }
  Extent operator()(const Cone& s) const {
    const double apex = along(2) * s.length / 2, rim = across() * s.radius;
    return {std::max(apex, rim - apex), std::max(-apex, rim + apex), 0};
  }
  Extent operator()(const Ellipsoid& s) const {
    const double x = along(0) * s.radii[0], y = along(1) * s.radii[1], z = along(2) * s.radii[2];
    return both_ways(std::sqrt(x * x + y * y + z * z));
  }
};

/// Without a root for nearly all normals: those that have unit length up to rounding, or nearly so.
double length_of_normal(const Vec3& n) {
  const double excess = dot(n, n) - 1;
  return std::abs(excess) < 0x1p-26 ? 1 + excess / 2 : norm(n);
}

/// n · (x - origin) <= offset, or the plane that is its boundary.
QuickTouch judge_flat(const Vec3& n, const Vec3& origin, double offset, bool is_plane, const Vec3& center,
                      const Extent& extent) {
  const Vec3 between = center - origin;
  const double steep = length_of_normal(n), height = dot(n, between) - offset;
  const double size = (steep * (size_of(between) + extent.radius) + std::abs(offset)) + (extent.up + extent.down);
  if (!(size > 0x1p-300 && size < 0x1p300 && steep > 0x1p-200)) return QuickTouch::unknown;
  const double error = rounding * size;
  const double lowest = height - extent.down - extent.radius * steep,
               highest = height + extent.up + extent.radius * steep;
  if (lowest > error) return QuickTouch::no;
  if (is_plane && highest < -error) return QuickTouch::no;
  if (lowest < -error && (!is_plane || highest > error)) return QuickTouch::yes;
  return QuickTouch::unknown;
}

}  // namespace

QuickTouch find_quick_touch(const Placed& a, const Placed& b) {
  const ShapeKind kind_a = a.shape.kind(), kind_b = b.shape.kind();
  if (kind_a == ShapeKind::sphere && kind_b == ShapeKind::triangle)
    return judge_triangle(*a.shape.as<Sphere>(), a.pose, *b.shape.as<Triangle>(), b.pose);
  if (kind_a == ShapeKind::triangle && kind_b == ShapeKind::sphere)
    return judge_triangle(*b.shape.as<Sphere>(), b.pose, *a.shape.as<Triangle>(), a.pose);
  if (kind_b == ShapeKind::sphere || (is_line(kind_a) && is_line(kind_b))) return touch_in_order(a, b);
  return kind_a == ShapeKind::sphere ? touch_in_order(b, a) : QuickTouch::unknown;
}

QuickTouch find_quick_flat_touch(const Placed& a, const Placed& b) {
  const ShapeKind kind_a = a.shape.kind();
  const bool is_flipped = kind_a == ShapeKind::half_space || kind_a == ShapeKind::plane;
  const Placed &bounded = is_flipped ? b : a, &flat = is_flipped ? a : b;
  const auto* const half_space = flat.shape.as<HalfSpace>();
  const bool is_plane = half_space == nullptr;
  const Vec3 n =
      to_vec3(geometry::placed_direction(flat.pose, is_plane ? flat.shape.as<Plane>()->normal : half_space->normal));
  const double offset = is_plane ? flat.shape.as<Plane>()->offset : half_space->offset;
  const ExtentAlong along{n, bounded.pose};
  Extent extent;
  switch (bounded.shape.kind()) {
    case ShapeKind::sphere:
      extent = along(*bounded.shape.as<Sphere>());
      break;
    case ShapeKind::capsule:
      extent = along(*bounded.shape.as<Capsule>());
      break;
    case ShapeKind::box:
      extent = along(*bounded.shape.as<Box>());
      break;
    case ShapeKind::cylinder:
      extent = along(*bounded.shape.as<Cylinder>());
      break;
    case ShapeKind::cone:
      extent = along(*bounded.shape.as<Cone>());
      break;
    case ShapeKind::ellipsoid:
      extent = along(*bounded.shape.as<Ellipsoid>());
      break;
    default:
      return QuickTouch::unknown;
  }
  return judge_flat(n, to_vec3(flat.pose.translation()), offset, is_plane, to_vec3(bounded.pose.translation()), extent);
}

}  // namespace whisker::convex
