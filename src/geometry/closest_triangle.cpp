// Closest points of a triangle and a point, a segment, or another triangle.

#include <array>

#include <Eigen/Geometry>

#include "geometry/closest_kernels.hpp"
#include "geometry/closest_parameters.hpp"

namespace whisker::geometry {

namespace closest {

namespace {

/// The triangle relative to the vertex opposite its longest edge. The angle there is best for the normal: at least 60
/// degrees, so only flat triangles are badly conditioned, not needles.
struct Corner {
  int base = 0;
  int first = 1;
  int second = 2;
  Vector3 origin, e1, e2, normal;
  double normal_squared = 0;

  Corner(const Vector3& a, const Vector3& b, const Vector3& c) {
    const double ab = (b - a).squaredNorm();
    const double bc = (c - b).squaredNorm();
    const double ca = (a - c).squaredNorm();
    if (bc >= ab && bc >= ca) {
      origin = a, e1 = b - a, e2 = c - a;
    } else if (ca >= ab) {
      base = 1, first = 2, second = 0;
      origin = b, e1 = c - b, e2 = a - b;
    } else {
      base = 2, first = 0, second = 1;
      origin = c, e1 = a - c, e2 = b - c;
    }
    normal = e1.cross(e2);
    normal_squared = normal.squaredNorm();
  }

  /// Adds to v and w the coordinates of the offset's foot in the plane: offset ~ v e1 + w e2.
  void add_foot(const Vector3& offset, double& v, double& w) const {
    v += offset.cross(e2).dot(normal) / normal_squared;
    w += e1.cross(offset).dot(normal) / normal_squared;
  }

  Vector3 weights(double v, double w) const {
    Vector3 result;
    result[base] = 1 - v - w;
    result[first] = v;
    result[second] = w;
    return result;
  }
};

}  // namespace

TrianglePoint careful_triangle_point(const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c) {
  TrianglePoint best;
  best.squared_distance = -1;
  const std::array<const Vector3*, 3> vertices{&a, &b, &c};
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1;
    const Vector3& from = *vertices[static_cast<std::size_t>(i)];
    const Vector3& to = *vertices[static_cast<std::size_t>(j)];
    const Vector3 d = to - from;
    const Vector3 offset = p - from;
    const double s = project(offset, d, d.squaredNorm());
    const Vector3 gap = s == 1 ? Vector3(to - p) : Vector3(s * d - offset);
    const double squared = gap.squaredNorm();
    if (best.squared_distance < 0 || squared < best.squared_distance) {
      best = {Vector3::Zero(), squared, gap};
      best.weights[i] = 1 - s;
      best.weights[j] = s;
    }
  }
  // Find the foot in the plane without the plane's normal: the foot lies on the cut through the triangle that is
  // perpendicular to the longest edge, at the point's own position along that edge. So it is accurate to rounding
  // however thin the triangle is.
  const Corner corner(a, b, c);
  const Vector3 along = corner.e2 - corner.e1;
  const double along_squared = along.squaredNorm();
  if (!(along_squared > 0)) return best;
  const Vector3 offset = p - (corner.origin + corner.e1);  // local origin: the longest edge's first end
  const double s = project(offset, along, along_squared);
  const double apex = project(-corner.e1, along, along_squared);
  if (!(s > 0 && s < 1)) return best;
  // The cut meets one of the two shorter edges, before or after the apex. `share` is the apex's weight at that point.
  const bool before = s < apex;
  const double share = before ? s / apex : (1 - s) / (1 - apex);
  if (!(share > 0 && share <= 1)) return best;
  const Vector3 low = s * along;
  const Vector3 high = before ? Vector3(-share * corner.e1) : Vector3(along - share * corner.e2);
  const Vector3 cut = high - low;
  const double up = project(offset - low, cut, cut.squaredNorm());
  if (!(up > 0 && up < 1)) return best;
  const Vector3 gap = low + up * cut - offset;
  const double squared = gap.squaredNorm();
  if (squared >= best.squared_distance) return best;
  Vector3 weights;
  weights[corner.base] = up * share;
  weights[corner.first] = (1 - up) * (1 - s) + (before ? up * (1 - share) : 0);
  weights[corner.second] = (1 - up) * s + (before ? 0 : up * (1 - share));
  if (!(weights[0] > 0 && weights[1] > 0 && weights[2] > 0)) return best;
  return {weights, squared, gap};
}

bool crossing(const Vector3& p, const Vector3& d, const Vector3& a, const Vector3& b, const Vector3& c,
              Crossing& result) {
  const Corner corner(a, b, c);
  double slope = corner.normal.dot(d);
  const double d_squared = d.squaredNorm();
  const double size = std::sqrt(corner.e1.squaredNorm() * corner.e2.squaredNorm() * d_squared);
  double s = clamped01(result.s);
  result.squared_distance = -1;
  // Rounding may move the weights by as much as 1e-14 size / slope.
  if (1e-14 * size < 1e-3 * std::abs(slope)) {
    const double margin = 1e-14 * size / std::abs(slope);
    double v = result.weights[corner.first];
    double w = result.weights[corner.second];
    const Vector3 start = p - corner.origin;
    Vector3 rest = start + s * d - v * corner.e1 - w * corner.e2;
    // Cramer's rule, then once more on the residual.
    for (int round = 0; round < 2; ++round) {
      const double step = -corner.normal.dot(rest) / slope;
      s += step;
      corner.add_foot(rest + step * d, v, w);
      if (!(s >= -margin && s <= 1 + margin && v >= -margin && w >= -margin && v + w <= 1 + margin)) return false;
      rest = start + s * d - v * corner.e1 - w * corner.e2;
    }
    const Vector3 weights = corner.weights(v, w);
    if (s >= 0 && s <= 1 && weights.minCoeff() >= 0) {
      result = {s, weights, rest.squaredNorm()};
      const double small = 0x1p-52 * std::max(largest_entry(d), largest_entry(corner.e2 - corner.e1));
      if (result.squared_distance <= small * small) return true;
    }
    s = clamped01(s);
  }
  // Newton's method along the segment, from foot to foot. The normal is perpendicular to the longest edge up to
  // rounding, so it also works for a segment nearly along a needle.
  const Vector3 along = corner.e2 - corner.e1;
  const double apex = project(-corner.e1, along, along.squaredNorm());
  const Vector3 normal = along.cross(-corner.e1 - apex * along);
  slope = normal.dot(d);
  if (slope == 0) return result.squared_distance >= 0;
  for (int round = 0; round < 5; ++round) {
    const TrianglePoint foot = careful_triangle_point(p + s * d, a, b, c);
    if (result.squared_distance < 0 || foot.squared_distance < result.squared_distance)
      result = {s, foot.weights, foot.squared_distance};
    const double step = normal.dot(foot.gap) / slope;
    if (!(std::abs(step) < 2)) break;
    s = clamped01(s + step);
  }
  return true;
}

}  // namespace closest

using namespace closest;

namespace {

using Corners = std::array<Vector3, 3>;

constexpr std::array<std::size_t, 3> next{1, 2, 0};
constexpr std::array<std::size_t, 3> after_next{2, 0, 1};

Vector3 edge_weights(std::size_t i, double s) {
  Vector3 weights = Vector3::Zero();
  weights[static_cast<Eigen::Index>(i)] = 1 - s;
  weights[static_cast<Eigen::Index>(next[i])] = s;
  return weights;
}

double largest_entry_of(const Corners& t) {
  return std::max({largest_entry(t[0]), largest_entry(t[1]), largest_entry(t[2])});
}

/// The common sign of three numbers: +1 if all are positive, -1 if all are negative, 0 if mixed or if one is zero.
int common_sign(double x, double y, double z) {
  if (x > 0 && y > 0 && z > 0) return 1;
  if (x < 0 && y < 0 && z < 0) return -1;
  return 0;
}

/// In local coordinates: the segment begins at the origin.
SegmentTriangleParameters search_segment_triangle(const Vector3& d, const Corners& t) {
  const double scale = std::max(largest_entry_of(t), largest_entry(d));
  const double touching = rounding_share * scale;
  SegmentTriangleParameters best;
  best.squared_distance = -1;
  const auto proven = [&](const Vector3& direction, double distance) {
    const double a_end = std::max(0.0, direction.dot(d));
    const double b_begin = std::min({direction.dot(t[0]), direction.dot(t[1]), direction.dot(t[2])});
    return proves(direction, b_begin - a_end, distance, scale);
  };
  const auto consider_end = [&](double s) {
    const TrianglePoint foot = triangle_point(s == 0 ? Vector3(Vector3::Zero()) : d, t[0], t[1], t[2]);
    if (best.squared_distance < 0 || foot.squared_distance < best.squared_distance)
      best = {s, foot.weights, foot.squared_distance};
    return foot;
  };

  const Vector3 e01 = t[1] - t[0];
  const Vector3 e02 = t[2] - t[0];
  const Vector3 normal = e01.cross(e02);
  const double height_0 = -normal.dot(t[0]);
  const double height_1 = normal.dot(d - t[0]);
  const int side = common_sign(height_0, height_1, height_0);
  if (side != 0) {
    const TrianglePoint foot = consider_end(std::abs(height_0) <= std::abs(height_1) ? 0 : 1);
    if (foot.squared_distance <= touching * touching) return best;
    const Vector3 direction = foot.weights.minCoeff() > 0 ? (side > 0 ? Vector3(-normal) : normal) : foot.gap;
    if (proven(direction, std::sqrt(foot.squared_distance))) return best;
  } else {
    Crossing cross;
    if (crossing(Vector3::Zero(), d, t[0], t[1], t[2], cross)) {
      best = {cross.s, cross.weights, cross.squared_distance};
      if (best.squared_distance <= touching * touching) return best;
    }
  }

  const double d_squared = d.squaredNorm();
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3 edge = t[next[i]] - t[i];
    const double edge_squared = edge.squaredNorm();
    const SegmentPair pair = segment_pair(-t[i], d, d_squared, edge, edge_squared);
    if (best.squared_distance >= 0 && pair.squared_distance >= best.squared_distance) continue;
    best = {pair.s, edge_weights(i, pair.t), pair.squared_distance};
    if (pair.squared_distance <= touching * touching) return best;
    // Clearly not the closest pair if the third vertex reaches into the gap.
    const double room = 1e-6 * pair.squared_distance + 4 * rounding_share * scale * scale;
    if (pair.gap.dot(t[after_next[i]] - t[i] - pair.t * edge) < -room) continue;
    const Vector3 direction = separating_direction(pair, d, d_squared, edge, edge_squared);
    if (proven(direction, std::sqrt(pair.squared_distance))) return best;
  }
  consider_end(0);
  consider_end(1);
  if (best.squared_distance <= touching * touching) return best;
  Crossing cross{best.s, best.weights, 0};
  if (crossing(Vector3::Zero(), d, t[0], t[1], t[2], cross) && cross.squared_distance < best.squared_distance)
    best = {cross.s, cross.weights, cross.squared_distance};
  return best;
}

struct TrianglePair {
  TriangleTriangleParameters best;
  double scale = 0;
  double touching_squared = 0;

  /// Keeps the vertex of a and its foot on b if they are closer than the best pair. The gap points from a to b.
  bool consider_foot(const Corners& a, std::size_t vertex, const Corners& b, bool swapped, Vector3& gap) {
    const TrianglePoint foot = triangle_point(a[vertex], b[0], b[1], b[2]);
    if (best.squared_distance >= 0 && foot.squared_distance >= best.squared_distance) return false;
    gap = foot.gap;
    const Vector3 corner = Vector3::Unit(static_cast<Eigen::Index>(vertex));
    best = swapped ? TriangleTriangleParameters{foot.weights, corner, foot.squared_distance}
                   : TriangleTriangleParameters{corner, foot.weights, foot.squared_distance};
    return true;
  }

  void consider_crossing(const Corners& a, std::size_t edge, const Corners& b, bool swapped) {
    const Vector3 d = a[next[edge]] - a[edge];
    Crossing cross;
    if (best.squared_distance >= 0) {
      const Vector3& here = swapped ? best.weights_b : best.weights_a;
      const Vector3 point = here[0] * a[0] + here[1] * a[1] + here[2] * a[2];
      cross.s = project(point - a[edge], d, d.squaredNorm());
      cross.weights = swapped ? best.weights_a : best.weights_b;
    }
    if (!crossing(a[edge], d, b[0], b[1], b[2], cross)) return;
    if (best.squared_distance >= 0 && cross.squared_distance >= best.squared_distance) return;
    const Vector3 on_edge = edge_weights(edge, cross.s);
    best = swapped ? TriangleTriangleParameters{cross.weights, on_edge, cross.squared_distance}
                   : TriangleTriangleParameters{on_edge, cross.weights, cross.squared_distance};
  }

  bool touching() const { return best.squared_distance >= 0 && best.squared_distance <= touching_squared; }

  /// Whether a plane with this normal, which points from a to b, proves the distance.
  bool proven(const Vector3& direction, const Corners& a, const Corners& b) const {
    const double a_end = std::max({direction.dot(a[0]), direction.dot(a[1]), direction.dot(a[2])});
    const double b_begin = std::min({direction.dot(b[0]), direction.dot(b[1]), direction.dot(b[2])});
    const double distance = std::sqrt(best.squared_distance);
    return proves(direction, b_begin - a_end, distance, scale);
  }
};

/// The vertices of a triangle over a plane.
struct Heights {
  std::array<double, 3> of;  ///< of each vertex, multiplied by the length of the normal
  int side = 0;              ///< the common sign of all heights
  std::size_t nearest = 0;   ///< the vertex nearest to the plane

  Heights(const Vector3& normal, const Vector3& on_plane, const Corners& t) {
    for (std::size_t i = 0; i < 3; ++i)
      of[i] = normal.dot(t[i] - on_plane);
    side = common_sign(of[0], of[1], of[2]);
    nearest = std::abs(of[1]) < std::abs(of[0]) ? 1 : 0;
    if (std::abs(of[2]) < std::abs(of[nearest])) nearest = 2;
  }
};

/// A cheap first test of whether the segment from p to q, whose ends have these heights over the plane of t, crosses t.
/// False only if the segment is on one side, or passes a well-shaped triangle at a clear distance.
bool may_cross(double height_p, double height_q, const Vector3& p, const Vector3& q, const Corners& t,
               const Vector3& normal) {
  if ((height_p > 0) == (height_q > 0)) return false;
  const Vector3 e1 = t[1] - t[0];
  const Vector3 e2 = t[2] - t[0];
  const double normal_squared = normal.squaredNorm();
  if (normal_squared < 1e-6 * e1.squaredNorm() * e2.squaredNorm()) return true;
  const Vector3 foot = p + (height_p / (height_p - height_q)) * (q - p) - t[0];
  const double v = foot.cross(e2).dot(normal);
  const double w = e1.cross(foot).dot(normal);
  const double margin = 1e-6 * normal_squared;
  return !(v < -margin || w < -margin || v + w > normal_squared + margin);
}

/// In local coordinates: a's first vertex is the origin.
///
/// Tries a vertex over the other face, then an edge that pierces the other face, then the nine pairs of edges, as
/// Larsen et al. do (Fast Proximity Queries with Swept Sphere Volumes, 1999). A candidate ends the search if a plane
/// perpendicular to its gap proves it. If rounding prevents every proof, the best of all candidates is returned.
TriangleTriangleParameters search_triangle_triangle(const Corners& a, const Corners& b) {
  TrianglePair pair;
  pair.best.squared_distance = -1;
  pair.scale = std::max(largest_entry_of(a), largest_entry_of(b));
  pair.touching_squared = rounding_share * pair.scale * (rounding_share * pair.scale);

  const Vector3 normal_a = (a[1] - a[0]).cross(a[2] - a[0]);
  const Heights over_a(normal_a, a[0], b);
  Vector3 gap;
  if (over_a.side != 0 && pair.consider_foot(b, over_a.nearest, a, true, gap)) {
    const bool inside = pair.best.weights_a.minCoeff() > 0;
    if (pair.proven(inside ? (over_a.side > 0 ? normal_a : Vector3(-normal_a)) : Vector3(-gap), a, b)) return pair.best;
  }
  const Vector3 normal_b = (b[1] - b[0]).cross(b[2] - b[0]);
  const Heights over_b(normal_b, b[0], a);
  if (over_b.side != 0 && pair.consider_foot(a, over_b.nearest, b, false, gap)) {
    const bool inside = pair.best.weights_b.minCoeff() > 0;
    if (pair.proven(inside ? (over_b.side < 0 ? normal_b : Vector3(-normal_b)) : gap, a, b)) return pair.best;
  }
  if (over_a.side == 0 && over_b.side == 0) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (may_cross(over_b.of[i], over_b.of[next[i]], a[i], a[next[i]], b, normal_b))
        pair.consider_crossing(a, i, b, false);
      if (may_cross(over_a.of[i], over_a.of[next[i]], b[i], b[next[i]], a, normal_a))
        pair.consider_crossing(b, i, a, true);
      if (pair.touching()) return pair.best;
    }
  }

  const double noise = 4 * rounding_share * pair.scale * pair.scale;
  Corners edges_b;
  std::array<double, 3> squared_b;
  for (std::size_t j = 0; j < 3; ++j) {
    edges_b[j] = b[next[j]] - b[j];
    squared_b[j] = edges_b[j].squaredNorm();
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3 edge_a = a[next[i]] - a[i];
    const double squared_a = edge_a.squaredNorm();
    for (std::size_t j = 0; j < 3; ++j) {
      const SegmentPair segments = segment_pair(a[i] - b[j], edge_a, squared_a, edges_b[j], squared_b[j]);
      if (pair.best.squared_distance >= 0 && segments.squared_distance >= pair.best.squared_distance) continue;
      pair.best = {edge_weights(i, segments.s), edge_weights(j, segments.t), segments.squared_distance};
      if (pair.touching()) return pair.best;
      // Clearly not the closest pair if a third vertex reaches into the gap.
      const double room = 1e-6 * segments.squared_distance + noise;
      if (segments.gap.dot(a[after_next[i]] - a[i] - segments.s * edge_a) > room) continue;
      if (segments.gap.dot(b[after_next[j]] - b[j] - segments.t * edges_b[j]) < -room) continue;
      if (pair.proven(separating_direction(segments, edge_a, squared_a, edges_b[j], squared_b[j]), a, b))
        return pair.best;
    }
  }

  for (std::size_t i = 0; i < 3; ++i) {
    pair.consider_foot(a, i, b, false, gap);
    pair.consider_foot(b, i, a, true, gap);
  }
  for (std::size_t i = 0; i < 3 && !pair.touching(); ++i) {
    pair.consider_crossing(a, i, b, false);
    pair.consider_crossing(b, i, a, true);
  }
  return pair.best;
}

/// Neighbors in a mesh share vertices. Shared vertices meet exactly, where a search would leave a gap of rounding size.
SegmentTriangleParameters segment_triangle(const Vector3& d, const Corners& t) {
  const SegmentTriangleParameters found = search_segment_triangle(d, t);
  const double scale = std::max(largest_entry_of(t), largest_entry(d));
  if (found.squared_distance == 0 || found.squared_distance > nearly_meeting * scale * scale) return found;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3 corner = Vector3::Unit(static_cast<Eigen::Index>(i));
    if (t[i].isZero(0)) return {0, corner, 0};
    if (t[i] == d) return {1, corner, 0};
  }
  return found;
}

TriangleTriangleParameters triangle_triangle(const Corners& a, const Corners& b) {
  const TriangleTriangleParameters found = search_triangle_triangle(a, b);
  const double scale = std::max(largest_entry_of(a), largest_entry_of(b));
  if (found.squared_distance == 0 || found.squared_distance > nearly_meeting * scale * scale) return found;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (a[i] == b[j])
        return {Vector3::Unit(static_cast<Eigen::Index>(i)), Vector3::Unit(static_cast<Eigen::Index>(j)), 0};
  return found;
}

}  // namespace

Vector3 point_at(const Triangle& triangle, const Vector3& weights) {
  // Start from the vertex with the largest weight, so that a vertex is returned exactly.
  if (weights[0] >= weights[1] && weights[0] >= weights[2])
    return triangle.a + weights[1] * (triangle.b - triangle.a) + weights[2] * (triangle.c - triangle.a);
  if (weights[1] >= weights[2])
    return triangle.b + weights[0] * (triangle.a - triangle.b) + weights[2] * (triangle.c - triangle.b);
  return triangle.c + weights[0] * (triangle.a - triangle.c) + weights[1] * (triangle.b - triangle.c);
}

PointTriangleParameters closest_point_triangle(const Vector3& point, const Triangle& triangle) {
  const auto solve = [](const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c) {
    const TrianglePoint foot = triangle_point(p, a, b, c);
    return PointTriangleParameters{foot.weights, foot.squared_distance};
  };
  return solve_in_scale(solve, point, triangle.a, triangle.b, triangle.c);
}

SegmentTriangleParameters closest_segment_triangle(const Segment& segment, const Triangle& triangle) {
  const auto solve = [](const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b, const Vector3& c) {
    return segment_triangle(q - p, {a - p, b - p, c - p});
  };
  return solve_in_scale(solve, segment.a, segment.b, triangle.a, triangle.b, triangle.c);
}

TriangleTriangleParameters closest_triangle_triangle(const Triangle& first, const Triangle& second) {
  const auto solve = [](const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& p, const Vector3& q,
                        const Vector3& r) {
    return triangle_triangle({Vector3::Zero(), b - a, c - a}, {p - a, q - a, r - a});
  };
  return solve_in_scale(solve, first.a, first.b, first.c, second.a, second.b, second.c);
}

}  // namespace whisker::geometry
