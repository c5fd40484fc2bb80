#include "convex/support_face.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <Eigen/Geometry>

#include "geometry/fixed_list.hpp"
#include "geometry/place.hpp"
#include "geometry/safe_norm.hpp"
#include "geometry/unit_vector.hpp"
#include "shapes/hull_fans.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::convex {
namespace {

/// A polygon, segment or length that is smaller than this fraction of its surroundings is treated as degenerate.
constexpr double nothing = 0x1p-40;
/// A direction that leans less than this off a face's normal does not determine the farthest corner.
constexpr double clear_tilt = 0x1p-20;
/// Hull faces with more corners than this are sampled.
constexpr std::size_t max_face_corners = max_whole_hull;
constexpr int sample_directions = 16;
/// If a vertex has more edges than this, only a sample is tested.
constexpr std::size_t max_fan = 256;

constexpr std::uint32_t no_face = HullEdge::no_face;

// ---- hulls

const HullEdge& edge_between(const ConvexHull& hull, std::uint32_t u, std::uint32_t v) {
  const auto edges = hull.edges();
  const auto fan = shapes::edges_around(hull, u);
  constexpr std::size_t few = 16;
  if (fan.size() <= few) {
    return edges[*std::ranges::find_if(fan, [&](std::uint32_t e) { return edges[e].begin + edges[e].end == u + v; })];
  }
  const auto [begin, end] = std::minmax(u, v);
  return *std::ranges::lower_bound(edges, std::pair(begin, end), {},
                                   [](const HullEdge& e) { return std::pair(e.begin, e.end); });
}

/// The face across the edge from u to v, whose own face runs in that direction.
std::uint32_t face_across(const ConvexHull& hull, std::uint32_t u, std::uint32_t v) {
  const HullEdge& edge = edge_between(hull, u, v);
  return u < v ? edge.right : edge.left;
}

/// Of the two faces of an edge, the one that is better aligned with a direction, and the cosine.
std::uint32_t better_face(std::span<const HullPlane> planes, const HullEdge& edge, const Vector3& direction,
                          double& cosine) {
  const double left = planes[edge.left].normal.dot(direction);
  const double right = planes[edge.right].normal.dot(direction);
  cosine = std::max(left, right);
  return left >= right ? edge.left : edge.right;
}

}  // namespace

std::uint32_t aligned_face(const ConvexHull& hull, std::uint32_t vertex, const Vector3& direction,
                           const CosineAndSine& parallel) {
  const auto planes = hull.planes();
  const auto edges = hull.edges();
  const auto fan = shapes::edges_around(hull, vertex);
  const std::size_t step = fan.size() / max_fan + 1;
  std::uint32_t best = no_face;
  double best_cosine = -2;
  for (std::size_t i = 0; i < fan.size(); i += step) {
    // Around the vertex, each face is on the same side of one edge.
    const HullEdge& edge = edges[fan[i]];
    const std::uint32_t face = edge.begin == vertex ? edge.left : edge.right;
    const double cosine = planes[face].normal.dot(direction);
    if (cosine > best_cosine || (cosine == best_cosine && face < best)) {
      best_cosine = cosine;
      best = face;
    }
  }
  if (!(best_cosine < parallel.cosine)) return best;
  const auto vertices = hull.vertices();
  const HullEdge* squarest = nullptr;
  double least = parallel.sine;
  for (std::size_t i = 0; i < fan.size(); i += step) {
    const HullEdge& edge = edges[fan[i]];
    const Vector3 along = vertices[edge.end] - vertices[edge.begin];
    const double lean = std::abs(along.dot(direction)), square = along.squaredNorm();
    // Most edges lean more: squares tell, without a root. Where they underflow, they tell nothing.
    if (lean * lean > least * least * square * (1 + 0x1p-40) + 0x1p-900) continue;
    const double length = geometry::safe_norm(along);
    if (!(lean < least * length)) continue;
    least = lean / length;
    squarest = &edge;
  }
  if (squarest == nullptr) return best;
  double cosine = 0;
  return better_face(planes, *squarest, direction, cosine);
}

namespace {

/// The loop of a face's vertices, joined with those of its neighbors that lie in the same plane.
using Loop = geometry::FixedList<std::uint32_t, SupportFace::max_corners>;

/// If the loop goes to a vertex and straight back, that vertex is inside.
void drop_spikes(Loop& loop) {
  for (std::size_t i = 0; loop.size() > 3 && i < loop.size();) {
    const std::size_t next = (i + 1) % loop.size(), after = (i + 2) % loop.size();
    if (loop[i] != loop[after]) {
      ++i;
      continue;
    }
    loop.erase(std::max(next, after));
    loop.erase(std::min(next, after));
    i = 0;
  }
}

Loop face_loop(const ConvexHull& hull, std::uint32_t first) {
  Loop loop;
  for (const std::uint32_t v : hull.face(first))
    loop.push_back(v);
  if (hull.dimension() < 3) return loop;
  const auto vertices = hull.vertices();
  const Vector3& normal = hull.planes()[first].normal;
  const Vector3 base = vertices[loop[0]];
  const Aabb bounds = hull.bounds();
  const double thickness = shapes::flush_part * (bounds.upper - bounds.lower).maxCoeff();
  geometry::FixedList<std::uint32_t, max_face_corners> members;
  members.push_back(first);
  for (std::size_t i = 0; i < loop.size() && members.size() < members.capacity;) {
    const std::uint32_t u = loop[i], v = loop[(i + 1) % loop.size()];
    ++i;
    const std::uint32_t face = face_across(hull, u, v);
    if (std::find(members.begin(), members.end(), face) != members.end()) continue;
    const auto others = hull.face(face);
    if (others.size() > max_face_corners || loop.size() + others.size() - 2 > loop.capacity) continue;
    const bool in_plane = std::ranges::all_of(
        others, [&](std::uint32_t w) { return std::abs(normal.dot(vertices[w] - base)) <= thickness; });
    if (!in_plane) continue;
    members.push_back(face);
    // The neighbor runs from v to u. Its vertices between u and v are inserted between them here.
    const auto at_u = static_cast<std::size_t>(std::find(others.begin(), others.end(), u) - others.begin());
    for (std::size_t k = 1; k + 1 < others.size(); ++k)
      loop.insert(i - 1 + k, others[(at_u + k) % others.size()]);
    drop_spikes(loop);
    i = 0;
  }
  return loop;
}

/// Grows with the angle of (x, y), from 0 at the x axis to 4 after a full turn.
double turn_of(double x, double y) {
  const double sum = std::abs(x) + std::abs(y);
  if (!(sum > 0)) return 0;
  const double part = y / sum;
  if (x < 0) return 2 - part;
  return part < 0 ? 4 + part : part;
}

using Sample = geometry::FixedList<std::size_t, sample_directions + 1>;

/// Selects corners of a convex polygon with many corners: those that are farthest along directions all around, each
/// found by bisection over the edges' directions, and the corner `wanted`, if there is such a corner. Indices into
/// `face`, ascending, stored in `sample`.
std::span<const std::size_t> sample_corners(std::span<const Vector3> vertices, std::span<const std::uint32_t> face,
                                            const Vector3& normal, std::size_t wanted, Sample& sample) {
  const std::size_t n = face.size();
  const auto edge = [&](std::size_t i) { return Vector3(vertices[face[i + 1 < n ? i + 1 : 0]] - vertices[face[i]]); };
  const Vector3 u = geometry::unit_vector(edge(0));
  const Vector3 v = normal.cross(u);
  for (int k = 0; k < sample_directions; ++k) {
    // The first edge that has turned this far starts at a corner that is farthest across it.
    const double turn = 4.0 * k / sample_directions;
    std::size_t low = 0, high = n;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const Vector3 e = edge(middle);
      if (turn_of(e.dot(u), middle == 0 ? 0 : e.dot(v)) < turn) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    sample.push_back(low < n ? low : 0);
  }
  if (wanted < n) sample.push_back(wanted);
  std::sort(sample.begin(), sample.end());
  return {sample.begin(), std::unique(sample.begin(), sample.end())};
}

// ---- all kinds

struct FaceOf {
  const Pose& pose;
  const Vector3& direction;  // in the world
  const Vector3& origin;
  double parallel;

  Vector3 local() const { return pose.rotation().transpose() * direction; }
  Vector3 at(const Vector3& point) const {
    return geometry::placed_direction(pose, point) + (pose.translation() - origin);
  }
  /// For shapes that are placed by their corners, which are rounded in the world.
  Vector3 corner(const Vector3& point) const { return geometry::placed_point(pose, point) - origin; }

  SupportFace disc(double radius, const Vector3& center, double outward) const {
    SupportFace face;
    face.is_disc = true;
    face.radius = radius;
    face.center = at(center);
    face.axis_u = pose.rotation().col(0);
    face.axis_v = pose.rotation().col(1) * outward;
    face.normal = pose.rotation().col(2) * outward;
    face.set_rim();
    return face;
  }

  static SupportFace point(const Vector3& p) {
    SupportFace face;
    face.add(p, 0);
    return face;
  }
  static SupportFace segment(const Vector3& p, const Vector3& q) {
    SupportFace face = point(p);
    face.add(q, 1);
    return face;
  }

  SupportFace operator()(const Sphere& s) const { return point(at(Vector3::Zero()) + s.radius * direction); }
  SupportFace operator()(const Capsule& s) const {
    return segment(at({0, 0, -s.length / 2}) + s.radius * direction, at({0, 0, s.length / 2}) + s.radius * direction);
  }
  SupportFace operator()(const Segment& s) const { return segment(corner(s.a), corner(s.b)); }
  SupportFace operator()(const Box& s) const {
    const Vector3 d = local();
    Eigen::Index axis = 0;
    d.cwiseAbs().maxCoeff(&axis);
    const Eigen::Index u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double side = d[axis] < 0 ? -1 : 1;
    SupportFace face;
    face.normal = pose.rotation().col(axis) * side;
    face.axis_u = pose.rotation().col(u);
    face.axis_v = pose.rotation().col(v) * side;
    constexpr std::array<std::array<int, 2>, 4> around = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto [su, sv] = around[side > 0 ? i : 3 - i];
      Vector3 p;
      p[axis] = side * s.size[axis] / 2;
      p[u] = su * s.size[u] / 2;
      p[v] = sv * s.size[v] / 2;
      // The corner's name: one bit for each axis.
      const int name = (side > 0 ? 1 << axis : 0) | (su > 0 ? 1 << u : 0) | (sv > 0 ? 1 << v : 0);
      face.add(at(p), static_cast<std::uint32_t>(name));
    }
    return face;
  }
  SupportFace operator()(const Triangle& s) const {
    SupportFace face;
    const Vector3 a = corner(s.a), b = corner(s.b), c = corner(s.c);
    face.normal = geometry::unit_normal(a, b, c);
    const bool flipped = face.normal.dot(direction) < 0;
    if (flipped) face.normal = -face.normal;
    face.add(a, 0);
    face.add(flipped ? c : b, flipped ? 2 : 1);
    face.add(flipped ? b : c, flipped ? 1 : 2);
    return face;
  }
  SupportFace operator()(const Cylinder& s) const {
    const Vector3 d = local();
    const double across = std::hypot(d.x(), d.y());
    if (std::abs(d.z()) >= across) {
      const double side = d.z() < 0 ? -1 : 1;
      return disc(s.radius, {0, 0, side * s.length / 2}, side);
    }
    const double x = s.radius * (d.x() / across), y = s.radius * (d.y() / across);
    return segment(at({x, y, -s.length / 2}), at({x, y, s.length / 2}));
  }
  SupportFace operator()(const Cone& s) const {
    const Vector3 d = local();
    const double across = std::hypot(d.x(), d.y());
    if (s.length <= nothing * s.radius) return disc(s.radius, {0, 0, -s.length / 2}, d.z() < 0 ? -1 : 1);
    // How well the side is aligned with the direction, where it is best aligned; and the base, which faces down.
    const double slant = std::hypot(s.radius, s.length);
    const double side = across * (s.length / slant) + d.z() * (s.radius / slant);
    if (-d.z() >= side) return disc(s.radius, {0, 0, -s.length / 2}, -1);
    SupportFace face;
    face.add(at({0, 0, s.length / 2}), 1);
    if (across > clear_tilt) face.add(at({s.radius * (d.x() / across), s.radius * (d.y() / across), -s.length / 2}), 0);
    return face;
  }
  SupportFace operator()(const ConvexHull& hull) const {
    const auto vertices = hull.vertices();
    const Vector3 d = local();
    const auto farthest = static_cast<std::uint32_t>(hull.support(d));
    if (hull.dimension() == 0) return point(at(vertices[0]));
    if (hull.dimension() == 1) return segment(at(vertices[0]), at(vertices[1]));
    SupportFace face;
    add_corners(hull, aligned_face(hull, farthest, d, {std::cos(parallel), std::sin(parallel)}), farthest, face);
    return face;
  }
  /// Those of a hull's face, and its normal. `farthest` is the farthest vertex along the direction.
  void add_corners(const ConvexHull& hull, std::uint32_t number, std::uint32_t farthest, SupportFace& face) const {
    const auto vertices = hull.vertices();
    const Vector3 normal = hull.planes()[number].normal;
    face.normal = geometry::placed_direction(pose, normal);
    std::span<const std::uint32_t> corners = hull.face(number);
    Loop loop;
    if (corners.size() <= max_face_corners && shapes::has_flush_faces(hull)) {
      loop = face_loop(hull, number);
      corners = {loop.begin(), loop.size()};
    }
    if (corners.size() <= max_face_corners) {
      for (const std::uint32_t v : corners)
        face.add(at(vertices[v]), v);
      return;
    }
    const Vector3 d = local();
    std::size_t wanted = corners.size();
    if ((d - normal * normal.dot(d)).norm() > clear_tilt)
      wanted = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), farthest) - corners.begin());
    Sample sample;
    for (const std::size_t i : sample_corners(vertices, corners, normal, wanted, sample))
      face.add(at(vertices[corners[i]]), corners[i]);
  }
  template <class Round>
  SupportFace operator()(const Round&) const {
    return {};
  }
};

/// A polygon without area becomes a segment, and a segment without length a point.
void drop_degenerate(SupportFace& face, const Vector3& longest_chord) {
  if (face.count < 2) return;
  double magnitude = 0;
  for (std::uint32_t i = 0; i < face.count; ++i)
    magnitude = std::max(magnitude, face.corners[i].cwiseAbs().maxCoeff());
  const double longest = geometry::safe_norm(longest_chord);
  const auto become = [&](std::uint32_t i, std::uint32_t j) {
    const Vector3 p = face.corners[i], q = face.corners[j];
    const std::uint32_t name_p = face.names[i], name_q = face.names[j];
    face.count = 0;
    face.is_disc = false;
    face.normal = Vector3::Zero();
    face.add(p, name_p);
    if (i != j) face.add(q, name_q);
  };
  if (!(longest > 0x1p-50 * magnitude)) return become(0, 0);
  if (face.count == 2) return;
  // How far the corners are off the chord.
  const Vector3 chord = geometry::unit_vector(longest_chord);
  double widest = 0;
  for (std::uint32_t i = 0; i < face.count; ++i)
    widest = std::max(widest, geometry::safe_norm(chord.cross(face.corners[i] - face.corners[0])));
  if (widest > nothing * longest && face.normal.squaredNorm() > 0.5) return;
  // All corners are on one line: keep its two ends.
  std::uint32_t low = 0, high = 0;
  for (std::uint32_t i = 1; i < face.count; ++i) {
    const double t = chord.dot(face.corners[i] - face.corners[0]);
    if (t < chord.dot(face.corners[low] - face.corners[0])) low = i;
    if (t > chord.dot(face.corners[high] - face.corners[0])) high = i;
  }
  become(low, high);
}

/// From the placed axes or corners, because a rotation may be slightly off.
void find_normal(SupportFace& face, const Vector3& longest_chord) {
  if (!face.is_polygon()) return;
  const bool has_axes = !face.axis_u.isZero(0);
  Vector3 sum = Vector3::Zero();
  if (has_axes) {
    sum = face.axis_u.cross(face.axis_v);
  } else {
    for (std::uint32_t i = 1; i + 1 < face.count; ++i)
      sum += (face.corners[i] - face.corners[0]).cross(face.corners[i + 1] - face.corners[0]);
  }
  Vector3 normal = geometry::unit_vector(sum);
  if (!has_axes) {
    // For a long and thin polygon the sum is not quite perpendicular to it. The longest extent matters most.
    const Vector3 along = geometry::unit_vector(longest_chord);
    normal = geometry::unit_vector(normal - along * along.dot(normal));
  }
  if (normal.dot(face.normal) > 0.5) face.normal = normal;
}

}  // namespace

std::array<double, 2> disc_corner(std::uint32_t k) {
  constexpr double half = 0.70710678118654752440;
  constexpr std::array<std::array<double, 2>, SupportFace::disc_corners> corners = {
      {{1, 0}, {half, half}, {0, 1}, {-half, half}, {-1, 0}, {-half, -half}, {0, -1}, {half, -half}}};
  return corners[k];
}

Vector3 SupportFace::longest_chord() const {
  Vector3 longest = Vector3::Zero();
  double most = 0;
  for (std::uint32_t i = 1; i < count; ++i) {
    const Vector3 way = corners[i] - corners[0];
    const double length = geometry::safe_norm(way);
    if (!(length > most)) continue;
    most = length;
    longest = way;
  }
  return longest;
}

void SupportFace::scale_by(double factor) {
  for (std::uint32_t i = 0; i < count; ++i)
    corners[i] *= factor;
  center *= factor;
  radius *= factor;
}

void SupportFace::set_rim() {
  count = 0;
  for (std::uint32_t k = 0; k < disc_corners; ++k) {
    const auto [c, s] = disc_corner(k);
    add(on_rim(c, s), k);
  }
}

void hull_face(const ConvexHull& hull, std::uint32_t face, std::uint32_t vertex, const Pose& pose,
               const Vector3& direction, const Vector3& origin, SupportFace& found) {
  found.count = 0;
  found.is_disc = false;
  found.axis_u.setZero();
  FaceOf{pose, direction, origin, 0}.add_corners(hull, face, vertex, found);
  const Vector3 chord = found.longest_chord();
  drop_degenerate(found, chord);
  find_normal(found, chord);
}

SupportFace support_face(const Placed& placed, const Vector3& direction, const Vector3& origin, double parallel) {
  const shapes::RoundedData* const rounded = shapes::rounded_data(placed.shape);
  const Shape& core = rounded != nullptr ? rounded->inner : placed.shape;
  SupportFace face = core.visit(FaceOf{placed.pose, direction, origin, parallel});
  const Vector3 chord = face.longest_chord();
  drop_degenerate(face, chord);
  find_normal(face, chord);
  if (rounded != nullptr) {
    const Vector3 out = rounded->radius * direction;
    for (std::uint32_t i = 0; i < face.count; ++i)
      face.corners[i] += out;
    face.center += out;
  }
  return face;
}

}  // namespace whisker::convex
