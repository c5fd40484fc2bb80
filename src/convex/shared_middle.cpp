#include "convex/shared_middle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "convex/flatness.hpp"
#include "convex/simple_shape.hpp"
#include "convex/support_face.hpp"
#include "geometry/fixed_list.hpp"
#include "geometry/unit_vector.hpp"

namespace whisker::convex {
namespace {

using Vector2 = Eigen::Vector2d;

/// An area below this fraction of the square of its extent is a segment.
constexpr double no_area = 0x1p-44;

double cross(const Vector2& p, const Vector2& q) {
  return p.x() * q.y() - p.y() * q.x();
}

// ---- in the plane

/// The projection along the normal of what is farthest: a segment, a convex polygon, or a disc.
struct Shadow {
  std::array<Vector2, SupportFace::max_corners> corners;  // counter-clockwise
  std::size_t count = 0;
  bool is_disc = false;
  Vector2 center = Vector2::Zero();
  double radius = 0;
  double height = 0;  // along the normal
  /// For a disc, two radii divided by its radius. If a rotation is slightly off, they are neither perpendicular nor of
  /// unit length, and the disc is an ellipse.
  Eigen::Matrix2d axes = Eigen::Matrix2d::Identity();

  /// Coordinates relative to a disc's center, in its own axes, where it is a true disc. Affine maps preserve
  /// containment and centroids.
  Vector2 in_disc(const Vector2& p) const { return in_axes(p - center); }
  Vector2 in_axes(const Vector2& way) const {
    const Vector2 u = axes.col(0), v = axes.col(1);
    return Vector2(cross(way, v), cross(u, way)) / cross(u, v);
  }
  Vector2 from_disc(const Vector2& p) const { return center + axes * p; }
};

/// The plane perpendicular to a unit vector, with an origin.
struct View {
  Vector3 origin;
  Vector3 normal;
  Vector3 x, y;
  double scale;

  View(const Vector3& origin_, const Vector3& normal_, double scale_)
      : origin(origin_), normal(normal_), scale(scale_) {
    x = geometry::perpendicular(normal);
    y = normal.cross(x);
  }
  Vector2 flat(const Vector3& p) const { return {x.dot(p) * scale, y.dot(p) * scale}; }
  Vector3 lifted(const Vector2& p, double height) const {
    return origin + (x * p.x() + y * p.y() + normal * height) / scale;
  }
};

/// Keeps the corners that are within `within` of the farthest along a direction. A disc that leans away becomes a
/// single point of its rim.
void keep_farthest(const Vector3& direction, double within, SupportFace& face) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < face.count; ++i)
    top = std::max(top, direction.dot(face.corners[i]));
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < face.count; ++i)
    if (direction.dot(face.corners[i]) >= top - within) face.corners[kept++] = face.corners[i];
  if (face.is_disc && kept < face.count) kept = 1;
  face.count = kept;
}

/// `side`: 1 if the face is farthest along the view's normal, -1 if against it.
Shadow shadow_of(const SupportFace& face, const View& view, double side) {
  Shadow shadow;
  shadow.height = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < face.count; ++i) {
    shadow.corners[shadow.count++] = view.flat(face.corners[i]);
    shadow.height = std::max(shadow.height, side * view.normal.dot(face.corners[i]) * view.scale);
  }
  shadow.height *= side;
  if (face.is_disc) {
    shadow.is_disc = true;
    shadow.center = view.flat(face.center);
    shadow.radius = face.radius * view.scale;
    shadow.axes.col(0) = view.flat(face.axis_u) / view.scale;
    shadow.axes.col(1) = view.flat(face.axis_v) / view.scale * side;  // counter-clockwise
  } else if (shadow.count > 2 && side < 0) {
    std::reverse(shadow.corners.begin(), shadow.corners.begin() + static_cast<std::ptrdiff_t>(shadow.count));
  }
  return shadow;
}

/// The approximate width of a polygon, perpendicular to its longest extent.
double width_of(const SupportFace& face) {
  const Vector3 along = geometry::unit_vector(face.longest_chord());
  double width = 0;
  for (std::uint32_t i = 1; i < face.count; ++i)
    width = std::max(width, along.cross(face.corners[i] - face.corners[0]).stableNorm());
  return width;
}

/// The normal of the shared part: that of a face that is part of it, or one perpendicular to an edge. If there are two
/// faces, that of the wider one, because rounding turns the other's normal more.
Vector3 exact_normal(const SupportFace& a, const SupportFace& b, const Vector3& normal) {
  if (a.is_polygon() && !(b.is_polygon() && width_of(b) > width_of(a))) return a.normal;
  if (b.is_polygon()) return -b.normal;
  const Vector3 along_a = a.corners[1] - a.corners[0], along_b = b.corners[1] - b.corners[0];
  const Vector3 along = geometry::unit_vector(along_a.squaredNorm() >= along_b.squaredNorm() ? along_a : along_b);
  return geometry::unit_vector(normal - along * along.dot(normal));
}

/// An accumulated area and its first moments.
struct Area {
  double size = 0;
  Vector2 moment = Vector2::Zero();

  /// Adds the triangle with corners at the origin, p and q, with the sign of the turn from p to q.
  void add_triangle(const Vector2& p, const Vector2& q) {
    const double part = cross(p, q) / 2;
    size += part;
    moment += part * ((p + q) / 3);
  }
  std::optional<Vector2> centroid(double least) const {
    if (!(size > least)) return {};
    return Vector2(moment / size);
  }
};

/// The part of the line from p to q that is inside, as fractions of the line.
struct Stretch {
  double begin = 0;
  double end = 1;
};

/// For a convex polygon. Points up to `slack` outside count as inside.
std::optional<Stretch> clip_line(const Vector2& p, const Vector2& q, const Shadow& polygon, double slack) {
  Stretch left;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vector2& from = polygon.corners[i];
    const Vector2 edge = polygon.corners[i + 1 < polygon.count ? i + 1 : 0] - from;
    const double length = edge.norm();
    if (!(length > 0)) continue;
    const double over = cross(p - from, edge) / length, after = cross(q - from, edge) / length;  // outside if positive
    if (over <= slack && after <= slack) continue;
    if (over > slack && after > slack) return {};
    const double t = std::clamp(over / (over - after), 0.0, 1.0);
    if (after > over) {
      left.end = std::min(left.end, t);
    } else {
      left.begin = std::max(left.begin, t);
    }
  }
  if (left.begin > left.end) return {};
  return left;
}

/// For a disc about the origin.
std::optional<Stretch> clip_line(const Vector2& p, const Vector2& q, double radius) {
  const Vector2 way = q - p;
  const double square = way.squaredNorm();
  if (!(square > 0)) return {};
  const double middle = -p.dot(way) / square;  // nearest to the center
  const double left = radius * radius - (p + middle * way).squaredNorm();
  if (!(left > 0)) return {};
  const double half = std::sqrt(left / square);
  const Stretch result = {std::max(0.0, middle - half), std::min(1.0, middle + half)};
  if (!(result.begin < result.end)) return {};
  return result;
}

std::optional<Vector2> middle_of_segments(const Shadow& a, const Shadow& b, double slack) {
  const Vector2 way_a = a.corners[1] - a.corners[0], way_b = b.corners[1] - b.corners[0];
  const double length_a = way_a.norm(), length_b = way_b.norm();
  const double sine = cross(way_a, way_b) / (length_a * length_b);
  if (!(std::abs(sine) * std::min(length_a, length_b) <= slack)) return {};  // they cross in one point
  const bool a_is_longer = length_a >= length_b;
  const Shadow &longer = a_is_longer ? a : b, &shorter = a_is_longer ? b : a;
  const Vector2 along = (a_is_longer ? way_a / length_a : way_b / length_b), from = longer.corners[0];
  if (!(std::abs(cross(shorter.corners[0] - from, along)) <= 2 * slack)) return {};  // they lie beside each other
  const double s0 = along.dot(shorter.corners[0] - from), s1 = along.dot(shorter.corners[1] - from);
  const double begin = std::max(0.0, std::min(s0, s1)), end = std::min(std::max(length_a, length_b), std::max(s0, s1));
  if (!(begin < end)) return {};
  return Vector2(from + along * ((begin + end) / 2));
}

/// Sutherland and Hodgman 1974.
std::optional<Vector2> middle_of_polygons(const Shadow& a, const Shadow& b, double slack) {
  using Clipped = geometry::FixedList<Vector2, 2 * SupportFace::max_corners>;
  Clipped one, two;
  Clipped *from = &one, *to = &two;
  for (std::size_t i = 0; i < a.count; ++i)
    one.push_back(a.corners[i]);
  for (std::size_t i = 0; i < b.count && !from->empty(); ++i) {
    const Vector2& base = b.corners[i];
    const Vector2 edge = b.corners[i + 1 < b.count ? i + 1 : 0] - base;
    const double length = edge.norm();
    if (!(length > 0)) continue;
    to->clear();
    Vector2 p = from->back();
    double p_over = cross(p - base, edge) / length;
    for (const Vector2& q : *from) {
      const double q_over = cross(q - base, edge) / length;
      if ((p_over <= slack) != (q_over <= slack))
        to->push_back(p + (q - p) * std::clamp(p_over / (p_over - q_over), 0.0, 1.0));
      if (q_over <= slack) to->push_back(q);
      p = q;
      p_over = q_over;
    }
    std::swap(from, to);
  }
  const Clipped& left = *from;
  if (left.empty()) return {};
  const Vector2 base = left[0];
  Area area;
  std::size_t far = 0;
  for (std::size_t i = 1; i < left.size(); ++i) {
    const Vector2 p = left[i] - base;
    if (p.norm() > (left[far] - base).norm()) far = i;
    if (i + 1 < left.size()) area.add_triangle(p, left[i + 1] - base);
  }
  const double longest = (left[far] - base).norm();
  if (const auto middle = area.centroid(std::max(no_area * longest, slack) * longest)) return Vector2(base + *middle);
  // Nearly on one line: take the middle between the ends.
  std::size_t other = 0;
  for (std::size_t i = 1; i < left.size(); ++i)
    if ((left[i] - left[far]).norm() > (left[other] - left[far]).norm()) other = i;
  if (!((left[other] - left[far]).norm() > 4 * slack)) return {};
  return Vector2((left[far] + left[other]) / 2);
}

/// The area between the chord and the arc of an angle up to half a turn, for a disc of radius 1.
struct DiscSegment {
  double area = 0;
  double out = 0;  // from the middle of the chord to the centroid
};

/// With t half of the angle, the area is (2t - sin 2t) / 2 and the centroid is 4 sin³t / 3(2t - sin 2t) from the disc's
/// center, so out = (9 sin t + sin 3t - 12 t cos t) / 6(2t - sin 2t).
DiscSegment disc_segment(double angle) {
  const double t = angle / 2;
  double twice_area = angle - std::sin(angle);
  double moment = 9 * std::sin(t) + std::sin(3 * t) - 12 * t * std::cos(t);
  if (angle < 1) {
    // Use series, because the differences cancel. These are the terms of sin t, sin 2t and sin 3t from the third power
    // on. The sums of the lower terms are 0.
    double once = -t * t * t / 6, twice = 8 * once, thrice = 27 * once;
    twice_area = -twice;
    moment = 0;
    for (int n = 5; n <= 23; n += 2) {
      const double next = -t * t / (n * (n - 1));
      once *= next;
      twice *= 4 * next;
      thrice *= 9 * next;
      twice_area -= twice;
      moment += (9 - 12 * n) * once + thrice;
    }
  }
  return {twice_area / 2, twice_area > 0 ? moment / (6 * twice_area) : 0};
}

/// The area between a chord of a disc and its arc, counter-clockwise from p to q, both relative to the disc's center.
Area segment_of_disc(double radius, const Vector2& p, const Vector2& q) {
  const double turn = std::atan2(cross(p, q), p.dot(q));
  Area area;
  if (turn < 0) {
    // More than half of the disc: the disc minus the rest. A short chord does not determine the middle of a long arc
    // well.
    const Area rest = segment_of_disc(radius, q, p);
    area.size = std::numbers::pi * radius * radius - rest.size;
    area.moment = -rest.moment;
    return area;
  }
  const DiscSegment part = disc_segment(turn);
  area.size = radius * radius * part.area;
  const Vector2 chord = q - p;
  const double length = chord.norm();
  if (!(area.size > 0) || !(length > 0)) return area;
  area.moment = area.size * ((p + q) / 2 + Vector2(chord.y(), -chord.x()) * (radius * part.out / length));
  return area;
}

/// Follows the boundary: the parts of the polygon's edges that are in the disc, and arcs.
std::optional<Vector2> middle_of_disc_and_polygon(const Shadow& disc, const Shadow& polygon, double slack) {
  geometry::FixedList<Vector2, 2 * SupportFace::max_corners> border;  // in the disc's own axes
  bool is_around = true;                                              // the polygon surrounds the center
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vector2 p = disc.in_disc(polygon.corners[i]);
    const Vector2 q = disc.in_disc(polygon.corners[i + 1 < polygon.count ? i + 1 : 0]);
    is_around = is_around && cross(p, q) >= 0;
    const auto inside = clip_line(p, q, disc.radius);
    if (!inside) continue;
    border.push_back(p + (q - p) * inside->begin);
    border.push_back(p + (q - p) * inside->end);
  }
  double across = 0;
  for (const Vector2& p : border)
    across = std::max(across, (p - border[0]).norm());
  // The edges pass by the disc, or touch it in one place.
  if (border.empty() || !(across > 4 * slack)) return is_around ? std::optional(disc.center) : std::nullopt;
  const Vector2 base = border[0];
  Area area;
  for (std::size_t i = 0; i < border.size(); ++i) {
    const Vector2& next = border[i + 1 < border.size() ? i + 1 : 0];
    area.add_triangle(border[i] - base, next - base);
    // After each edge comes a corner, or an arc to where the next edge enters.
    if (i % 2 == 0 || (next - border[i]).norm() <= 4 * slack) continue;
    const Area beyond = segment_of_disc(disc.radius, border[i], next);
    area.size += beyond.size;
    area.moment += beyond.moment - beyond.size * base;
  }
  const auto middle = area.centroid(std::max(no_area * across, slack) * across);
  if (!middle) return {};
  return disc.from_disc(base + *middle);
}

/// A disc with the same farthest point toward b as a, in b's own axes with b at the origin. In these axes a is an
/// ellipse, because rotations are slightly off, and a small shared part of it is on the side of b.
struct NearDisc {
  Vector2 center;
  double radius;

  NearDisc(const Shadow& a, const Shadow& b) : center(b.in_disc(a.center)), radius(a.radius) {
    Eigen::Matrix2d axes;
    axes << b.in_axes(a.axes.col(0)), b.in_axes(a.axes.col(1));
    const Vector2 middle = center;
    for (int i = 0; i < 2; ++i) {  // in the second round the direction is right, up to rounding
      const double apart = center.norm();
      if (!(apart > 0)) return;
      const Vector2 toward = -center / apart, turned = axes.transpose() * toward;
      const double part = turned.norm();
      radius = a.radius * part;
      center = middle + a.radius * (axes * turned / part - part * toward);
    }
  }
};

std::optional<Vector2> middle_of_discs(const Shadow& a, const Shadow& b, double slack) {
  if (a.radius > b.radius) return middle_of_discs(b, a, slack);
  const NearDisc near(a, b);
  const double r = near.radius, s = b.radius, apart = near.center.norm();
  if (apart <= s - r) return a.center;
  if (!(apart < r + s - slack)) return {};
  // The rims cross at x from a's center along the line to b's center, and at y beside it. The shared part is two
  // circular segments, back to back. For thin ones, the most accurate numbers are the distances along that line from x
  // to a's rim, in front and behind.
  const double front = ((r + s) - apart) * ((s - r) + apart) / (2 * apart);
  const double behind = (apart - (s - r)) * (apart + (r + s)) / (2 * apart);
  const double x = r - front, y = std::sqrt(front * std::max(0.0, behind));
  const Area of_a = segment_of_disc(r, {x, -y}, {x, y});
  const Area of_b = segment_of_disc(s, {x - apart, y}, {x - apart, -y});
  const double size = of_a.size + of_b.size;
  if (!(size > 0)) return {};
  const double along = (of_a.moment.x() + (of_b.moment.x() + of_b.size * apart)) / size;
  return b.from_disc(near.center * (1 - along / apart));
}

std::optional<Vector2> middle_of_shadows(const Shadow& a, const Shadow& b, double slack) {
  if (a.is_disc && b.is_disc) return middle_of_discs(a, b, slack);
  if (b.is_disc || (!a.is_disc && a.count == 2 && b.count > 2)) return middle_of_shadows(b, a, slack);
  // a is a disc or a polygon, or both are segments.
  if (!a.is_disc && a.count == 2) return middle_of_segments(a, b, slack);
  if (b.count > 2) return a.is_disc ? middle_of_disc_and_polygon(a, b, slack) : middle_of_polygons(a, b, slack);
  const Vector2 &p = b.corners[0], &q = b.corners[1];
  const auto part = a.is_disc ? clip_line(a.in_disc(p), a.in_disc(q), a.radius) : clip_line(p, q, a, slack);
  if (!part || !((part->end - part->begin) * (q - p).norm() > 4 * slack)) return {};
  return Vector2(p + (q - p) * ((part->begin + part->end) / 2));
}

/// For one shadow alone, if the other shape is a plane.
std::optional<Vector2> middle_of_shadow(const Shadow& a, double slack) {
  if (a.is_disc) return a.center;
  if (a.count == 2) return Vector2((a.corners[0] + a.corners[1]) / 2);
  return middle_of_polygons(a, a, slack);
}

}  // namespace

bool farthest_holds(const Placed& placed, const Vector3& direction, const Vector3& point, double within) {
  const double size = reach_of(placed.shape);
  if (!(size > 0)) return false;
  const double scale = std::ldexp(1.0, -std::clamp(std::ilogb(size), -900, 900)), slack = within * scale;
  const View view(placed.pose.translation(), direction, scale);
  SupportFace face = support_face(placed, direction, view.origin, face_alignment);
  keep_farthest(direction, within, face);
  if (face.count == 0) return false;
  const Shadow shadow = shadow_of(face, view, 1);
  const Vector2 p = view.flat(point - view.origin);
  if (shadow.is_disc) return shadow.in_disc(p).norm() <= shadow.radius + slack;
  if (shadow.count == 1) return (p - shadow.corners[0]).norm() <= slack;
  if (shadow.count == 2) {
    const Vector2 way = shadow.corners[1] - shadow.corners[0];
    const double share = std::clamp((p - shadow.corners[0]).dot(way) / way.squaredNorm(), 0.0, 1.0);
    return (p - shadow.corners[0] - share * way).norm() <= slack;
  }
  for (std::size_t i = 0; i < shadow.count; ++i) {
    const Vector2 edge = shadow.corners[i + 1 < shadow.count ? i + 1 : 0] - shadow.corners[i];
    if (cross(p - shadow.corners[i], edge) > slack * edge.norm()) return false;
  }
  return true;
}

std::optional<PointPair> crossing_of_edges(const Placed& a, const Placed& b, const Vector3& normal, double within) {
  const Vector3 origin = a.pose.translation() / 2 + b.pose.translation() / 2;
  SupportFace edge_a = support_face(a, normal, origin, face_alignment);
  SupportFace edge_b = support_face(b, -normal, origin, face_alignment);
  keep_farthest(normal, within, edge_a);
  keep_farthest(-normal, within, edge_b);
  if (edge_a.count != 2 || edge_b.count != 2) return {};
  const Vector3 p = edge_a.corners[0], q = edge_b.corners[0];
  const Vector3 e = edge_a.corners[1] - p, f = edge_b.corners[1] - q;
  // p + s e and q + t f differ by a multiple of the normal.
  const Vector3 between = q - p;
  const double whole = normal.dot(e.cross(f));
  const double s = normal.dot(between.cross(f)) / whole, t = normal.dot(between.cross(e)) / whole;
  const double slack_s = within / e.norm(), slack_t = within / f.norm();
  if (!(s >= -slack_s && s <= 1 + slack_s && t >= -slack_t && t <= 1 + slack_t)) return {};
  // Go straight from the one to the other: for nearly parallel edges, s and t are less accurate than that.
  const Vector3 on_a = p + std::clamp(s, 0.0, 1.0) * e;
  return PointPair{origin + on_a, origin + on_a + normal * normal.dot(q - on_a), normal};
}

std::optional<PointPair> shared_middle(const Placed& a, const Placed& b, const Vector3& normal, double gap,
                                       const Looseness& loose) {
  const bool has_plane = b.shape.is_unbounded();
  if (a.shape.is_unbounded() || (!has_plane && comes_first(b, a))) {
    std::optional<PointPair> found = shared_middle(b, a, -normal, gap, loose);
    if (found) found = PointPair{found->b, found->a, -found->normal};
    return found;
  }
  const double size = reach_of(a.shape) + reach_of(b.shape);
  if (!(size > 0)) return {};
  const double scale = std::ldexp(1.0, -std::clamp(std::ilogb(size), -900, 900));
  const double slack = loose.rounded * scale;
  // Near both shapes, so that little is lost to rounding.
  const Vector3 origin =
      has_plane ? a.pose.translation() : Vector3(a.pose.translation() / 2 + b.pose.translation() / 2);

  SupportFace face_a = support_face(a, normal, origin, face_alignment);
  keep_farthest(normal, loose.turned, face_a);
  if (face_a.count < 2) return {};
  if (has_plane) {
    const SimpleShape plane = place_simple(b.shape, b.pose);
    const Vector3 unit = geometry::unit_vector(plane.normal), down = unit.dot(normal) > 0 ? unit : Vector3(-unit);
    keep_farthest(down, loose.rounded, face_a);
    if (face_a.count < 2) return {};
    const View view(origin, down, scale);
    const Shadow shadow = shadow_of(face_a, view, 1);
    const auto middle = middle_of_shadow(shadow, slack);
    if (!middle) return {};
    const Vector3 point = view.lifted(*middle, shadow.height);
    const double over = unit.dot(point - plane.pose.translation()) - plane.offset / plane.normal.stableNorm();
    return PointPair{point, point - unit * over, down};
  }
  SupportFace face_b = support_face(b, -normal, origin, face_alignment);
  keep_farthest(-normal, loose.turned, face_b);
  if (face_b.count < 2) return {};
  // Keep a normal that is already exact: the rounding of short edges would make it worse.
  const Vector3 exact = loose.turned > loose.rounded ? exact_normal(face_a, face_b, normal) : normal;
  if (!(exact.dot(normal) > 0.5)) return {};
  keep_farthest(exact, loose.rounded, face_a);
  keep_farthest(-exact, loose.rounded, face_b);
  if (face_a.count < 2 || face_b.count < 2) return {};
  const View view(origin, exact, scale);
  const Shadow shadow_a = shadow_of(face_a, view, 1), shadow_b = shadow_of(face_b, view, -1);
  if (!(std::abs((shadow_b.height - shadow_a.height) / scale - gap) <= 4 * loose.rounded)) return {};
  const auto middle = middle_of_shadows(shadow_a, shadow_b, slack);
  if (!middle) return {};
  return PointPair{view.lifted(*middle, shadow_a.height), view.lifted(*middle, shadow_b.height), exact};
}

}  // namespace whisker::convex
