#include "convex/manifold_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "geometry/constants.hpp"
#include "geometry/fixed_list.hpp"
#include "geometry/unit_vector.hpp"

namespace whisker::convex {
namespace {

/// Points closer together than this fraction of the smaller face are merged, and get the name of a corner or edge that
/// is this close. So neither their number nor their names change when flush faces move a little.
constexpr double weld_part = 0x1p-12;
/// The same of a part (ManifoldInput::is_part), whose points are merged later: just for rounding.
constexpr double weld_of_part = 0x1p-36;
/// A normal this close to a face's normal is aligned with it. The difference is rounding and the width of bounds.
constexpr double patch_aligned = 0x1p-20;
/// The preferred reference face stays the reference until the other face is better by this sine.
constexpr double reference_bias = 0.01;
/// Below this fraction of the faces' size, the side of an edge on which a point lies is not distinguished.
constexpr double on_edge = 0x1p-50;
/// Losses of area that differ by less than this fraction of the manifold count as equal.
constexpr double equal_area = 0x1p-20;
/// Depths that differ by less than this fraction of the faces' size count as equal.
constexpr double equal_depth = 0x1p-30;
/// A direction that leans less than this off a disc's axis does not determine the farthest point of the rim.
constexpr double patch_clear_tilt = 0x1p-20;

/// Choices that depend on a side use this direction of the world, not the order of the shapes.
const Vector3 some_side(0.8, 0.5, 0.33);

struct Candidate {
  Vector3 a;
  Vector3 b;
  double gap;  // not initialized: there is room for many candidates, and mostly there are few
  std::uint64_t id;
  Vector3 at;  // between the two: the same for either order of the shapes

  static Candidate of(const Vector3& a, const Vector3& b, const Vector3& normal) {
    return {a, b, normal.dot(b - a), 0, (a + b) / 2};
  }
};

/// Room for the corners of one face, and for one more from each edge of the other.
struct Candidates : geometry::FixedList<Candidate, 2 * SupportFace::max_corners> {
  void add(const Vector3& a, const Vector3& b, const Vector3& normal) { push_back(Candidate::of(a, b, normal)); }
  /// Inserts the point where it lengthens the outline least.
  void add_between(const Vector3& a, const Vector3& b, const Vector3& normal) {
    if (size() == capacity) erase(size() - 1);
    const Candidate made = Candidate::of(a, b, normal);
    std::size_t place = size();
    double detour = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size(); ++i) {
      const Vector3& p = (*this)[i].at;
      const Vector3& q = (*this)[i + 1 < size() ? i + 1 : 0].at;
      const double longer = (made.at - p).norm() + (made.at - q).norm() - (p - q).norm();
      if (longer < detour) {
        detour = longer;
        place = i + 1;
      }
    }
    insert(place, made);
  }
  /// The least gap, infinite if there are no candidates.
  double deepest() const {
    double least = infinity;
    for (const Candidate& candidate : *this)
      least = std::min(least, candidate.gap);
    return least;
  }
};

using Polygon = geometry::FixedList<Vector3, Candidates::capacity>;

double extent(const SupportFace& face) {
  double square = 0;
  for (std::uint32_t i = 1; i < face.count; ++i)
    square = std::max(square, (face.corners[i] - face.corners[0]).squaredNorm());
  return std::sqrt(square);
}

double sine(const SupportFace& face, const Vector3& normal) {
  return face.normal.cross(normal).norm();
}

// ---- discs

/// A disc's polygon covers every point that is closer to the center than cos(π/8) = 0.92 of the radius.
constexpr double covered = 0.9;

/// Adds a corner on the rim toward a direction in the disc's axes, unless there is one close by.
void add_rim_corner(SupportFace& disc, double x, double y) {
  const double length = std::hypot(x, y);
  if (!(length > 0) || disc.count == SupportFace::max_corners) return;
  const Vector3 corner = disc.on_rim(x / length, y / length);
  // The corners are in order: the new one comes after the last one that it is to the left of.
  for (std::uint32_t i = 0; i < disc.count; ++i) {
    const Vector3 p = disc.corners[i] - disc.center;
    const Vector3 q = disc.corners[disc.after(i)] - disc.center;
    const double px = p.dot(disc.axis_u), py = p.dot(disc.axis_v);
    const double qx = q.dot(disc.axis_u), qy = q.dot(disc.axis_v);
    if (!(px * y - py * x >= 0 && x * qy - y * qx > 0)) continue;
    const double near = weld_part * disc.radius;
    if ((corner - disc.center - p).norm() <= near || (corner - disc.center - q).norm() <= near) return;
    std::copy_backward(disc.corners.begin() + i + 1, disc.corners.begin() + disc.count,
                       disc.corners.begin() + disc.count + 1);
    std::copy_backward(disc.names.begin() + i + 1, disc.names.begin() + disc.count,
                       disc.names.begin() + disc.count + 1);
    disc.corners[i + 1] = corner;
    disc.names[i + 1] = disc.names[i];
    ++disc.count;
    return;
  }
}

/// The projection of a point along `normal` to the disc's plane, in the disc's axes, in units of its radius.
std::array<double, 2> on_disc(const SupportFace& disc, const Vector3& normal, const Vector3& point) {
  const double slope = disc.normal.dot(normal);
  Vector3 p = point - disc.center;
  if (std::abs(slope) > 0.1) p -= normal * (disc.normal.dot(p) / slope);
  return {p.dot(disc.axis_u) / disc.radius, p.dot(disc.axis_v) / disc.radius};
}

/// For a disc and a polygon or segment: adds corners where the other's boundary crosses the rim, and beyond those of
/// the other's corners that are near the rim, so that no part of the other face inside the disc is cut off.
void fit_disc(SupportFace& disc, const SupportFace& other, const Vector3& normal) {
  if (!disc.is_disc || other.is_disc || other.count < 2) return;
  for (std::uint32_t i = 0; i < other.count; ++i) {
    const auto [px, py] = on_disc(disc, normal, other.corners[i]);
    const double reach = std::hypot(px, py);
    if (reach > covered && reach <= 1) add_rim_corner(disc, px, py);
    if (other.count == 2 && i == 1) break;
    const auto [qx, qy] = on_disc(disc, normal, other.corners[other.after(i)]);
    const double dx = qx - px, dy = qy - py;
    const double square = dx * dx + dy * dy;
    if (!(square > 0)) continue;
    const double middle = -(px * dx + py * dy) / square;  // where the edge's line is closest to the center
    const double fx = px + middle * dx, fy = py + middle * dy;
    const double left = 1 - (fx * fx + fy * fy);
    if (!(left > 0)) continue;
    const double half = std::sqrt(left / square);
    for (const double t : {middle - half, middle + half})
      if (t >= 0 && t <= 1) add_rim_corner(disc, px + t * dx, py + t * dy);
  }
}

/// Two discs: the second gets its corners where the first has them, and both get corners where their rims cross.
void fit_discs(SupportFace& first, SupportFace& second, const Vector3& normal) {
  // The axes become combinations of themselves, so that a slight deviation of the rotation stays the same.
  const double u = first.axis_u.dot(second.axis_u), v = first.axis_u.dot(second.axis_v), length = std::hypot(u, v);
  if (length > 0.5) {
    const Vector3 axis_u = second.axis_u, axis_v = second.axis_v;
    second.axis_u = (u / length) * axis_u + (v / length) * axis_v;
    second.axis_v = (u / length) * axis_v - (v / length) * axis_u;
    second.set_rim();
  }
  const auto [x, y] = on_disc(first, normal, second.center);
  const double d = std::hypot(x, y), r = second.radius / first.radius;
  if (!(d > weld_part) || !(d < 1 + r) || !(d > std::abs(1 - r))) return;
  const double c = (1 + (d - r) * (d + r)) / (2 * d);
  const double s = std::sqrt(std::max(0.0, (1 - c) * (1 + c)));
  for (const double side : {-1.0, 1.0}) {
    const double px = (c * x - side * s * y) / d, py = (c * y + side * s * x) / d;
    add_rim_corner(first, px, py);
    const auto [qx, qy] = on_disc(second, normal, first.on_rim(px, py));
    add_rim_corner(second, qx, qy);
  }
}

/// Adds the point of a disc's rim that is farthest along `outward`, if it is well defined. If the other face is a disc
/// too, it gets a corner that keeps this point from being cut off.
void add_farthest(SupportFace& disc, const Vector3& outward, SupportFace& other, const Vector3& normal) {
  if (!disc.is_disc) return;
  const double x = outward.dot(disc.axis_u), y = outward.dot(disc.axis_v), length = std::hypot(x, y);
  if (!(length > patch_clear_tilt)) return;
  add_rim_corner(disc, x, y);
  if (!other.is_disc) return;
  const auto [u, v] = on_disc(other, normal, disc.on_rim(x / length, y / length));
  if (std::hypot(u, v) > covered) add_rim_corner(other, u, v);
}

// ---- names

std::uint32_t name_on_disc(const SupportFace& disc, const Vector3& point, double weld) {
  const Vector3 p = point - disc.center;
  const double x = p.dot(disc.axis_u), y = p.dot(disc.axis_v);
  std::uint32_t nearest = 0;
  double best = -infinity;
  for (std::uint32_t k = 0; k < SupportFace::disc_corners; ++k) {
    const auto [c, s] = disc_corner(k);
    if (c * x + s * y > best) {
      best = c * x + s * y;
      nearest = k;
    }
  }
  const auto [c, s] = disc_corner(nearest);
  if (std::hypot(x - disc.radius * c, y - disc.radius * s) <= weld) return corner_name(nearest);
  // The chord that closes the sector. Its middle is a sixteenth of a turn after its first corner.
  const bool after = c * y - s * x >= 0;
  const std::uint32_t edge = after ? nearest : (nearest + SupportFace::disc_corners - 1) % SupportFace::disc_corners;
  const auto [c0, s0] = disc_corner(edge);
  const auto [c1, s1] = disc_corner((edge + 1) % SupportFace::disc_corners);
  const double mx = (c0 + c1) / 2, my = (s0 + s1) / 2, depth = std::hypot(mx, my);
  return (mx * x + my * y) / depth >= depth * disc.radius - weld ? edge_name(edge) : 0;
}

/// The corners and edges of a face, to tell which of them a point of the face lies on.
class FaceNames {
 public:
  FaceNames(const SupportFace& face, double weld)
      : face_(face), weld_(weld), far_(weld * weld * (1 + 0x1p-40) + 0x1p-900) {
    if (face.count < 2 || face.is_disc) return;
    for (std::uint32_t i = 0; i < face.count; ++i) {
      sides_[i] = face.normal.cross(face.edge(i));
      beside_[i] = far_ * (1 + 0x1p-8) * sides_[i].squaredNorm();
    }
  }

  /// The name of the corner or edge that a point of the face lies on. 0 inside.
  std::uint32_t at(const Vector3& point) const {
    if (face_.count == 0) return 0;
    if (face_.count == 1) return corner_name(face_.names[0]);
    if (face_.is_disc) return name_on_disc(face_, point, weld_);
    std::uint32_t of_corner = face_.count == 2 ? edge_name(face_.names[0]) : 0, of_edge = 0;
    double nearest_corner = weld_, nearest_edge = weld_;
    for (std::uint32_t i = 0; i < face_.count; ++i) {
      const Vector3 from = point - face_.corners[i];
      // Most points are far beside the edge.
      const double off = sides_[i].dot(from);
      if (off * off > beside_[i]) continue;
      const Vector3 edge = face_.edge(i);
      const double square = edge.squaredNorm(), inverse_square = square > 0 ? 1 / square : 0;
      const double t = std::clamp(from.dot(edge) * inverse_square, 0.0, 1.0);
      const Vector3 way = from - t * edge;
      if (way.squaredNorm() > far_) continue;  // also from the corner, which is on the edge
      look(from, corner_name(face_.names[i]), nearest_corner, of_corner);
      if (inverse_square > 0) look(way, edge_name(face_.names[i]), nearest_edge, of_edge);
    }
    return of_corner != 0 ? of_corner : of_edge;
  }

 private:
  void look(const Vector3& way, std::uint32_t there, double& nearest, std::uint32_t& name) const {
    // Most points are far away: their squares tell, without a root.
    if (way.squaredNorm() > far_) return;
    const double distance = way.norm();
    if (!(distance <= nearest)) return;
    nearest = distance;
    name = there;
  }

  const SupportFace& face_;
  double weld_, far_;
  // By edge: a vector across it, zero for a segment; and the least square of a product with it that proves a point to
  // be farther than `weld_` from the edge, with room for rounding.
  std::array<Vector3, SupportFace::max_corners> sides_;
  std::array<double, SupportFace::max_corners> beside_;
};

// ---- clipping

/// Sutherland and Hodgman 1974: the part of the polygon that is not beyond the plane.
void clip(const Polygon& from, const Vector3& outward, const Vector3& base, double tolerance, Polygon& result) {
  result.clear();
  if (from.empty()) return;
  Vector3 p = from.back();
  double p_over = outward.dot(p - base);
  for (const Vector3& q : from) {
    const double q_over = outward.dot(q - base);
    const bool p_in = p_over <= tolerance, q_in = q_over <= tolerance;
    if (p_in != q_in) {
      // Start from the point inside, for either direction of the edge. A point within the tolerance is the crossing
      // itself.
      const double in = std::min(p_in ? p_over : q_over, 0.0), out = p_in ? q_over : p_over;
      const Vector3 inside = p_in ? p : q, outside = p_in ? q : p;
      result.push_back(inside + (outside - inside) * (in / (in - out)));
    }
    if (q_in) result.push_back(q);
    p = q;
    p_over = q_over;
  }
}

/// Clips the incident face by the prism over the reference face along the normal, and projects the result to that face.
void clip_faces(const SupportFace& reference, const SupportFace& incident, bool reference_is_a, const Vector3& normal,
                double size, Candidates& found) {
  const double tolerance = on_edge * size;
  const Vector3 outward = reference_is_a ? normal : Vector3(-normal);
  Vector3 middle = Vector3::Zero();
  for (std::uint32_t i = 0; i < reference.count; ++i)
    middle += reference.corners[i] / reference.count;
  const double slope = reference.normal.dot(outward);
  const auto add = [&](const Vector3& p) {
    const Vector3 shadow = p - outward * (reference.normal.dot(p - middle) / slope);
    found.add(reference_is_a ? shadow : p, reference_is_a ? p : shadow, normal);
  };
  const auto side = [&](std::uint32_t i) { return geometry::unit_vector(reference.edge(i).cross(outward)); };
  if (incident.count <= 2) {
    // A segment: the part that is inside all sides.
    const Vector3 p = incident.corners[0], d = incident.corners[incident.count - 1] - p;
    double begin = 0, end = 1;
    for (std::uint32_t i = 0; i < reference.count; ++i) {
      const Vector3 out = side(i);
      const double over = out.dot(p - reference.corners[i]), rise = out.dot(d);
      if (over <= tolerance && over + rise <= tolerance) continue;
      if (over > tolerance && over + rise > tolerance) return;
      const double t = std::clamp(-over / rise, 0.0, 1.0);
      if (rise > 0) {
        end = std::min(end, t);
      } else {
        begin = std::max(begin, t);
      }
    }
    if (begin > end) return;
    add(p + begin * d);
    if (begin < end) add(p + end * d);
    return;
  }
  Polygon one, two;
  for (std::uint32_t i = 0; i < incident.count; ++i)
    one.push_back(incident.corners[i]);
  Polygon *from = &one, *to = &two;
  for (std::uint32_t i = 0; i < reference.count && !from->empty(); ++i) {
    clip(*from, side(i), reference.corners[i], tolerance, *to);
    std::swap(from, to);
  }
  for (const Vector3& corner : *from)
    add(corner);
}

// ---- edges

/// The segment of a face that touches if the face itself leans away: the edge that is perpendicular to the normal and
/// extends farthest along `outward`. Empty (a count of 1 or less) if there is none.
SupportFace touching_edge(const SupportFace& face, const Vector3& outward, double max_angle) {
  if (face.count <= 2) return face;
  SupportFace edge;
  const double lean = std::sin(max_angle);
  double farthest = -infinity;
  for (std::uint32_t i = 0; i < face.count; ++i) {
    const std::uint32_t next = face.after(i);
    const Vector3 along = geometry::unit_vector(face.edge(i));
    const double reach = outward.dot(face.corners[i]) + outward.dot(face.corners[next]);
    if (std::abs(along.dot(outward)) > lean || reach <= farthest || along.isZero(0)) continue;
    farthest = reach;
    edge.count = 0;
    edge.add(face.corners[i], face.names[i]);
    edge.add(face.corners[next], face.names[next]);
  }
  return edge;
}

/// Two edges that run along each other: the two ends of their common part. Nothing if they cross.
void clip_edges(const SupportFace& a, const SupportFace& b, const Vector3& normal, double max_angle,
                Candidates& found) {
  if (a.count != 2 || b.count != 2) return;
  const auto flat = [&](const Vector3& v) { return Vector3(v - normal * normal.dot(v)); };
  const Vector3 along_a = flat(a.corners[1] - a.corners[0]), along_b = flat(b.corners[1] - b.corners[0]);
  const double length_a = along_a.norm(), length_b = along_b.norm();
  const double lean = std::sin(max_angle);
  if (!(length_a > lean * (a.corners[1] - a.corners[0]).norm()) ||
      !(length_b > lean * (b.corners[1] - b.corners[0]).norm()))
    return;
  const Vector3 unit_a = along_a / length_a, unit_b = along_b / length_b;
  if (unit_a.cross(unit_b).norm() > std::sin(max_angle / 10)) return;
  // Along the sum of both directions, which is the same for either order.
  Vector3 along = (unit_a + (unit_a.dot(unit_b) > 0 ? 1.0 : -1.0) * unit_b).normalized();
  if (along.dot(some_side) < 0) along = -along;
  const auto ends = [&](const SupportFace& s) {
    return std::array<double, 2>{along.dot(s.corners[0]), along.dot(s.corners[1])};
  };
  const auto at = [&](const SupportFace& s, double t) {
    const auto [t0, t1] = ends(s);
    const double part = std::clamp((t - t0) / (t1 - t0), 0.0, 1.0);
    return Vector3(s.corners[0] + part * (s.corners[1] - s.corners[0]));
  };
  const auto [a0, a1] = ends(a);
  const auto [b0, b1] = ends(b);
  const double begin = std::max(std::min(a0, a1), std::min(b0, b1));
  const double end = std::min(std::max(a0, a1), std::max(b0, b1));
  if (!(begin < end)) return;
  found.add(at(a, begin), at(b, begin), normal);
  found.add(at(a, end), at(b, end), normal);
}

// ---- from candidates to the manifold

/// The component of a vector perpendicular to the normal. The same for both shapes' points, which differ along the
/// normal.
Vector3 across(const Vector3& v, const Vector3& normal) {
  return v - normal * normal.dot(v);
}

/// An order of names that does not depend on the order of the shapes.
std::uint64_t order_of(std::uint64_t id) {
  const std::uint64_t a = id >> 32, b = id & 0xFFFFFFFFu;
  return std::min(a, b) << 32 | std::max(a, b);
}

/// The square of the distance of a point from the nearest corner of a face; infinite for discs.
double corner_distance(const SupportFace& face, const Vector3& point) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < face.count && !face.is_disc; ++i)
    least = std::min(least, (point - face.corners[i]).squaredNorm());
  return least;
}

/// Merges coinciding points into the deepest of them or, if they are equally deep, into the one that is nearest to a
/// corner. Each point gets its name, and no name occurs twice.
void weld_and_name(Candidates& found, const ManifoldInput& input, double weld, double equal) {
  if (found.empty()) return;
  const double far = weld * weld * (1 + 0x1p-40) + 0x1p-900;
  const auto absorb = [&](std::size_t into, std::size_t other) {
    const Candidate &p = found[into], &q = found[other];
    const auto from_corner = [&](const Candidate& c) {
      return std::min(corner_distance(input.a, c.a), corner_distance(input.b, c.b));
    };
    const bool is_better = std::abs(q.gap - p.gap) <= equal ? from_corner(q) < from_corner(p) : q.gap < p.gap;
    if (is_better) found[into] = found[other];
    found.erase(other);
  };
  const auto close = [&](std::size_t i, std::size_t j) {
    const Vector3 way = across(found[i].at - found[j].at, input.normal);
    return !(way.squaredNorm() > far) && way.norm() <= weld;
  };
  for (std::size_t i = 0; i + 1 < found.size();) {
    if (close(i, i + 1)) {
      absorb(i, i + 1);
    } else {
      ++i;
    }
  }
  if (found.size() > 1 && close(0, found.size() - 1)) absorb(0, found.size() - 1);
  const FaceNames on_a(input.a, weld), on_b(input.b, weld);
  for (Candidate& c : found)
    c.id = std::uint64_t{on_a.at(c.a)} << 32 | on_b.at(c.b);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = i + 1; j < found.size();) {
      if (found[j].id == found[i].id) {
        absorb(i, j);
      } else {
        ++j;
      }
    }
  }
}

/// Drops points that lie between their neighbors and are no deeper than the chord there: flush boundaries may cross
/// anywhere along each other.
void straighten(Candidates& found, const Vector3& normal, double weld, double size) {
  const double far = weld * weld * (1 + 0x1p-40) + 0x1p-900;
  for (std::size_t i = 0; found.size() > 2 && i < found.size();) {
    const Candidate& p = found[(i + found.size() - 1) % found.size()];
    const Candidate& q = found[i];
    const Candidate& r = found[(i + 1) % found.size()];
    const Vector3 chord = across(r.at - p.at, normal), from = across(q.at - p.at, normal);
    const double square = chord.squaredNorm();
    const double t = square > 0 ? std::clamp(chord.dot(from) / square, 0.0, 1.0) : 0;
    const Vector3 off = from - t * chord;
    const bool between = !(off.squaredNorm() > far) && off.norm() <= weld;
    if (between && q.gap >= p.gap + t * (r.gap - p.gap) - equal_depth * size) {
      found.erase(i);
      i = 0;
    } else {
      ++i;
    }
  }
}

/// Drops the corner whose removal costs the least area, until eight are left. The deepest point stays, or among those
/// within `equal` of it the one with the lowest name.
void reduce(Candidates& found, const Vector3& normal, double equal) {
  if (found.size() <= ContactManifold::max_points) return;
  const double deepest = found.deepest();
  constexpr std::uint64_t no_name = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t kept = no_name;
  for (const Candidate& c : found) {
    if (c.gap <= deepest + equal && (kept == no_name || order_of(c.id) < order_of(kept))) kept = c.id;
  }
  const auto lost = [&](std::size_t i) {
    const Vector3& p = found[(i + found.size() - 1) % found.size()].at;
    const Vector3& q = found[i].at;
    const Vector3& r = found[(i + 1) % found.size()].at;
    return std::abs((q - p).cross(r - p).dot(normal));
  };
  double area = 0;
  for (std::size_t i = 1; i + 1 < found.size(); ++i) {
    const Vector3& p = found[0].at;
    area += std::abs((found[i].at - p).cross(found[i + 1].at - p).dot(normal));
  }
  while (found.size() > ContactManifold::max_points) {
    double least = infinity;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].id != kept) least = std::min(least, lost(i));
    std::size_t drop = found.size();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].id == kept || lost(i) > least + equal_area * area) continue;
      if (drop == found.size() || order_of(found[i].id) > order_of(found[drop].id)) drop = i;
    }
    found.erase(drop);
  }
}

}  // namespace

void find_manifold_points(ManifoldInput& input, ContactManifold& manifold) {
  const Vector3 normal_of_points = input.normal;
  SupportFace& a = input.a;
  SupportFace& b = input.b;
  Vector3& normal = input.normal;
  const double extent_a = extent(a), extent_b = extent(b);
  const double size = std::max(extent_a, extent_b);
  double smaller = size;
  if (extent_a > 0 && extent_b > 0) smaller = std::min(extent_a, extent_b);
  const double weld = input.is_part ? weld_of_part * size : weld_part * smaller;

  Candidates found;
  if (input.plane) {
    add_farthest(a, normal, b, normal);
    for (std::uint32_t i = 0; i < a.count; ++i) {
      const double height = input.height - normal.dot(a.corners[i]);
      found.add(a.corners[i], a.corners[i] + normal * height, normal);
      found.back().gap = height;
    }
  } else if (a.count > 0 && b.count > 0) {
    const double lean_a = a.is_polygon() ? sine(a, normal) : infinity;
    const double lean_b = b.is_polygon() ? sine(b, normal) : infinity;
    const double limit = std::sin(input.max_angle);
    bool by_a = normal.dot(some_side) > 0;  // the preferred one
    if (by_a ? lean_a > limit || lean_b + reference_bias < lean_a : lean_b > limit || lean_a + reference_bias < lean_b)
      by_a = !by_a;
    SupportFace& reference = by_a ? a : b;
    SupportFace& incident = by_a ? b : a;
    if (std::min(lean_a, lean_b) <= limit) {
      // Align the normal with the face that it belongs to, if they differ only by rounding.
      const double lean_reference = by_a ? lean_a : lean_b, lean_incident = by_a ? lean_b : lean_a;
      if (lean_reference <= patch_aligned) {
        normal = by_a ? reference.normal : Vector3(-reference.normal);
      } else if (lean_incident <= patch_aligned) {
        normal = by_a ? Vector3(-incident.normal) : incident.normal;
      }
      const Vector3 outward = by_a ? normal : Vector3(-normal);
      if (incident.count >= 2) {
        if (reference.is_disc && incident.is_disc) fit_discs(reference, incident, normal);
        fit_disc(reference, incident, normal);
        fit_disc(incident, reference, normal);
        add_farthest(reference, outward, incident, normal);
        add_farthest(incident, -outward, reference, normal);
        clip_faces(reference, incident, by_a, normal, size, found);
      }
    } else {
      const SupportFace edge_a = touching_edge(a, normal, input.max_angle);
      const SupportFace edge_b = touching_edge(b, -normal, input.max_angle);
      clip_edges(edge_a, edge_b, normal, input.max_angle, found);
    }
  }
  for (std::size_t i = found.size(); i-- > 0;)
    if (!(found[i].gap <= input.limit)) found.erase(i);

  // The closest or deepest points must be among the candidates. Add them if the faces gave nothing or missed them.
  const double witness_gap = normal.dot(input.witness_b - input.witness_a);
  const double missed = patch_aligned * std::max(size, std::abs(witness_gap));
  if (!input.is_part && (found.empty() || found.deepest() > witness_gap + missed))
    found.add_between(input.witness_a, input.witness_b, normal);
  weld_and_name(found, input, weld, equal_depth * size);
  if (!input.is_part) straighten(found, normal, weld, size);
  reduce(found, normal, std::min(weld, input.limit / 4) + equal_depth * size);

  if (found.size() == 1 && !input.plane && !input.is_part) {
    // A single pair, exactly as the query returned it.
    const std::uint64_t id = found[0].id;
    normal = normal_of_points;
    found[0] = Candidate::of(input.witness_a, input.witness_b, normal);
    found[0].id = id;
  }
  manifold.normal = normal;
  manifold.count = static_cast<std::uint32_t>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    manifold.storage[i] = {found[i].a, found[i].b, found[i].gap, found[i].id};
}

}  // namespace whisker::convex
