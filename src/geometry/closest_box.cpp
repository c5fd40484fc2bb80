// Closest points of pairs with a box: the algorithm of Gilbert, Johnson and Keerthi (1988) on the vertices. It stops
// when a separating plane proves the result. If rounding prevents that proof, all pairs of features are tried.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <span>

#include <Eigen/Geometry>

#include "geometry/closest_kernels.hpp"
#include "geometry/closest_parameters.hpp"

namespace whisker::geometry {

using namespace closest;

namespace {

/// A box, triangle or segment, given by its vertices. A point of it is given by coordinates: for a box the multiples of
/// the half axes, each in [-1, 1]. Otherwise the weights of the vertices.
struct Operand {
  bool box = false;
  int count = 0;  ///< number of vertices; a box's vertex i has +half_axes[k] if bit k of i is set, else -half_axes[k]
  std::array<Vector3, 8> vertices;
  Vector3 center;
  std::array<Vector3, 3> half_axes;

  Operand(const Vector3& center_, const Matrix3& rotation, const Vector3& half)
      : box(true),
        count(8),
        center(center_),
        half_axes{Vector3(rotation.col(0) * half[0]), Vector3(rotation.col(1) * half[1]),
                  Vector3(rotation.col(2) * half[2])} {
    const std::array<Vector3, 4> xy{center - half_axes[0] - half_axes[1], center + half_axes[0] - half_axes[1],
                                    center - half_axes[0] + half_axes[1], center + half_axes[0] + half_axes[1]};
    for (std::size_t i = 0; i < 4; ++i) {
      vertices[i] = xy[i] - half_axes[2];
      vertices[i + 4] = xy[i] + half_axes[2];
    }
  }
  /// A segment or triangle.
  explicit Operand(std::initializer_list<Vector3> points)
      : count(static_cast<int>(points.size())),
        center(std::accumulate(points.begin(), points.end(), Vector3(Vector3::Zero())) / count) {
    std::copy(points.begin(), points.end(), vertices.begin());
  }

  const Vector3& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }

  /// The vertex farthest along the direction.
  int support(const Vector3& direction) const {
    if (box)
      return (direction.dot(half_axes[0]) > 0 ? 1 : 0) + (direction.dot(half_axes[1]) > 0 ? 2 : 0) +
             (direction.dot(half_axes[2]) > 0 ? 4 : 0);
    int best = 0;
    double reach = direction.dot(vertices[0]);
    for (int i = 1; i < count; ++i) {
      const double other = direction.dot(vertex(i));
      if (other > reach) {
        reach = other;
        best = i;
      }
    }
    return best;
  }

  Vector3 vertex_coordinates(int i) const {
    if (box) return {i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
    return Vector3::Unit(i);
  }

  Vector3 point(const Vector3& coordinates) const {
    if (box)
      return center + coordinates[0] * half_axes[0] + coordinates[1] * half_axes[1] + coordinates[2] * half_axes[2];
    Vector3 result = coordinates[0] * vertices[0] + coordinates[1] * vertices[1];
    if (count == 3) result += coordinates[2] * vertices[2];
    return result;
  }

  int edge_count() const { return box ? 12 : (count == 3 ? 3 : 1); }

  /// The ends of an edge. For a box, the edge is along axis i / 4.
  std::array<int, 2> edge(int i) const {
    if (!box) return {i, i + 1 == count ? 0 : i + 1};
    const int axis = i / 4;
    const int others = i % 4;  // the signs along the two other axes
    const int below = (1 << axis) - 1;
    const int from = (others & below) | ((others & ~below) << 1);
    return {from, from | (1 << axis)};
  }

  int face_count() const { return box ? 12 : (count == 3 ? 1 : 0); }

  /// The corners of a triangular face. Two of them make a face of the box.
  std::array<int, 3> face(int i) const {
    if (!box) return {0, 1, 2};
    const int axis = i / 4;
    const int u = 1 << (axis + 1) % 3;
    const int v = 1 << (axis + 2) % 3;
    const int first = (i & 1) != 0 ? 1 << axis : 0;
    if ((i & 2) != 0) return {first, first | u, first | u | v};
    return {first, first | u | v, first | v};
  }

  /// The coordinates of the mean of some vertices with these weights. What they have in common, it has exactly.
  Vector3 mean_coordinates(std::span<const int> which, std::span<const double> weights) const {
    Vector3 result = Vector3::Zero();
    if (!box) {
      for (std::size_t i = 0; i < which.size(); ++i)
        result[which[i]] += weights[i];
      for (int k = 0; k < count; ++k)
        if (std::all_of(which.begin(), which.end(), [k](int v) { return v == k; })) result[k] = 1;
      return result;
    }
    for (int k = 0; k < 3; ++k) {
      double plus = 0;
      double minus = 0;
      for (std::size_t i = 0; i < which.size(); ++i)
        ((which[i] >> k & 1) != 0 ? plus : minus) += weights[i];
      result[k] = minus == 0 ? 1 : (plus == 0 ? -1 : std::clamp(plus - minus, -1.0, 1.0));
    }
    return result;
  }

  /// The coordinates of the closest point to p. The half axes are orthogonal up to a pose's tolerance, so each round of
  /// projecting the residual onto them reduces the error by a factor of 1e-9.
  Vector3 closest_coordinates(const Vector3& p) const {
    if (!box) {
      if (count == 3) return triangle_point(p, vertices[0], vertices[1], vertices[2]).weights;
      const Vector3 d = vertices[1] - vertices[0];
      const double s = project(p - vertices[0], d, d.squaredNorm());
      return {1 - s, s, 0};
    }
    const Vector3 squares(half_axes[0].squaredNorm(), half_axes[1].squaredNorm(), half_axes[2].squaredNorm());
    Vector3 result = Vector3::Zero();
    for (int round = 0; round < 3; ++round) {
      const Vector3 rest = p - point(result);
      for (int k = 0; k < 3; ++k) {
        const double along = half_axes[static_cast<std::size_t>(k)].dot(rest);
        result[k] = squares[k] > 0 ? std::clamp(result[k] + along / squares[k], -1.0, 1.0) : 1.0;
      }
    }
    return result;
  }
};

struct Candidate {
  Vector3 a;  ///< coordinates of the point on the first operand
  Vector3 b;
  double squared_distance = -1;
};

struct OperandPair {
  const Operand& a;
  const Operand& b;
  double scale = 0;
  double touching_squared = 0;

  OperandPair(const Operand& a_, const Operand& b_) : a(a_), b(b_) {
    for (const Operand* operand : {&a, &b})
      for (int i = 0; i < operand->count; ++i)
        scale = std::max(scale, largest_entry(operand->vertex(i)));
    touching_squared = rounding_share * scale * (rounding_share * scale);
  }
};

/// Up to four vertices of the difference b - a, and the point of their hull that is nearest to the origin.
struct Simplex {
  using Places = std::array<std::size_t, 4>;

  std::size_t count = 0;
  std::array<Vector3, 4> points;
  std::array<int, 4> a_vertices{};
  std::array<int, 4> b_vertices{};
  std::array<double, 4> weights{};
  Vector3 gap = Vector3::Zero();
  double squared_distance = 0;

  void add(const Vector3& point, int a_vertex, int b_vertex) {
    points[count] = point;
    a_vertices[count] = a_vertex;
    b_vertices[count++] = b_vertex;
  }

  /// Keeps those of the first n vertices `which` that have a positive weight.
  void keep(const Places& which, const std::array<double, 4>& new_weights, std::size_t n) {
    const Simplex old = *this;
    count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(new_weights[i] > 0)) continue;
      weights[count] = new_weights[i];
      add(old.points[which[i]], old.a_vertices[which[i]], old.b_vertices[which[i]]);
    }
  }

  void solve_segment() {
    const Vector3 d = points[1] - points[0];
    const double s = project(-points[0], d, d.squaredNorm());
    gap = s == 1 ? points[1] : Vector3(points[0] + s * d);
    squared_distance = gap.squaredNorm();
    keep({0, 1, 0, 0}, {1 - s, s, 0, 0}, 2);
  }

  /// The point of the triangle of the first three vertices `which` that is nearest to the origin.
  TrianglePoint foot_on(const Places& which) const {
    return triangle_point(Vector3::Zero(), points[which[0]], points[which[1]], points[which[2]]);
  }

  void take(const TrianglePoint& foot, const Places& which) {
    gap = foot.gap;
    squared_distance = foot.squared_distance;
    keep(which, {foot.weights[0], foot.weights[1], foot.weights[2], 0}, 3);
  }

  void solve_tetrahedron() {
    constexpr std::array<Places, 4> faces{{{0, 1, 3, 2}, {1, 2, 3, 0}, {2, 0, 3, 1}, {0, 1, 2, 3}}};
    TrianglePoint best;
    std::size_t best_face = 4;
    for (std::size_t f = 0; f < 4; ++f) {
      const auto& [i, j, k, opposite] = faces[f];
      const Vector3 normal = (points[j] - points[i]).cross(points[k] - points[i]);
      const double side_of_opposite = normal.dot(points[opposite] - points[i]);
      const double side_of_origin = -normal.dot(points[i]);
      if ((side_of_opposite > 0 && side_of_origin > 0) || (side_of_opposite < 0 && side_of_origin < 0)) continue;
      const TrianglePoint foot = foot_on(faces[f]);
      if (best_face == 4 || foot.squared_distance < best.squared_distance) {
        best = foot;
        best_face = f;
      }
    }
    if (best_face < 4) return take(best, faces[best_face]);
    const Vector3 e1 = points[1] - points[0];
    const Vector3 e2 = points[2] - points[0];
    const Vector3 e3 = points[3] - points[0];
    const Vector3 e23 = e2.cross(e3);
    const Vector3 e31 = e3.cross(e1);
    const Vector3 e12 = e1.cross(e2);
    const double volume = e1.dot(e23);
    Vector3 rest = points[0];
    Vector3 w = Vector3::Zero();
    for (int round = 0; round < 3; ++round) {
      w -= Vector3(e23.dot(rest), e31.dot(rest), e12.dot(rest)) / volume;
      rest = points[0] + w[0] * e1 + w[1] * e2 + w[2] * e3;
    }
    const double w0 = 1 - w[0] - w[1] - w[2];
    if (w0 >= 0 && w.minCoeff() >= 0) {
      gap = rest;
      squared_distance = rest.squaredNorm();
      keep({0, 1, 2, 3}, {w0, w[0], w[1], w[2]}, 4);
    } else {
      // Within rounding the origin is on a face, and so close that any face will do. The search ends without proof.
      take(foot_on(faces[0]), faces[0]);
    }
  }

  void solve() {
    switch (count) {
      case 1:
        gap = points[0];
        squared_distance = gap.squaredNorm();
        weights[0] = 1;
        break;
      case 2:
        solve_segment();
        break;
      case 3:
        take(foot_on({0, 1, 2, 3}), {0, 1, 2, 3});
        break;
      default:
        solve_tetrahedron();
    }
  }

  /// The gap's direction, taken from the simplex if that is more accurate than the gap itself.
  Vector3 direction() const {
    if (count == 2) {
      const Vector3 d = points[1] - points[0];
      return gap - d * (d.dot(gap) / d.squaredNorm());
    }
    if (count == 3) {
      const Vector3 normal = (points[1] - points[0]).cross(points[2] - points[0]);
      const double along = normal.dot(gap);
      if (along > 0) return normal;
      if (along < 0) return -normal;
    }
    return gap;
  }

  bool holds(int a_vertex, int b_vertex) const {
    for (std::size_t i = 0; i < count; ++i)
      if (a_vertices[i] == a_vertex && b_vertices[i] == b_vertex) return true;
    return false;
  }
};

/// Returns whether the result is proven by a separating plane or is a common point.
bool search_by_simplex(const OperandPair& pair, Candidate& result) {
  constexpr int max_rounds = 32;
  Simplex simplex;
  Vector3 direction = pair.b.center - pair.a.center;
  Simplex best;
  best.squared_distance = -1;
  bool proven = false;
  for (int round = 0; round < max_rounds; ++round) {
    const int a_vertex = pair.a.support(direction);
    const int b_vertex = pair.b.support(-direction);
    const Vector3 point = pair.b.vertex(b_vertex) - pair.a.vertex(a_vertex);
    if (simplex.count > 0) {
      const double distance = std::sqrt(simplex.squared_distance);
      if (proves(direction, direction.dot(point), distance, pair.scale)) {
        proven = true;
        break;
      }
      if (simplex.holds(a_vertex, b_vertex)) break;
    }
    simplex.add(point, a_vertex, b_vertex);
    simplex.solve();
    if (best.squared_distance >= 0 && !(simplex.squared_distance < best.squared_distance)) break;
    best = simplex;
    if (simplex.squared_distance <= pair.touching_squared) {
      proven = true;
      break;
    }
    if (simplex.count == 4) break;
    direction = simplex.direction();
  }
  result.a = pair.a.mean_coordinates(std::span(best.a_vertices).first(best.count), best.weights);
  result.b = pair.b.mean_coordinates(std::span(best.b_vertices).first(best.count), best.weights);
  result.squared_distance = best.squared_distance;
  return proven;
}

/// Tries every vertex, edge and crossing against the other operand, without conditions. The smallest measured distance
/// wins.
void search_all_features(const OperandPair& pair, Candidate& best) {
  const auto consider = [&](const Vector3& on_a, const Vector3& on_b) {
    const double squared = (pair.b.point(on_b) - pair.a.point(on_a)).squaredNorm();
    if (best.squared_distance < 0 || squared < best.squared_distance) best = {on_a, on_b, squared};
  };
  for (int i = 0; i < pair.a.count; ++i)
    consider(pair.a.vertex_coordinates(i), pair.b.closest_coordinates(pair.a.vertex(i)));
  for (int i = 0; i < pair.b.count; ++i)
    consider(pair.a.closest_coordinates(pair.b.vertex(i)), pair.b.vertex_coordinates(i));

  const auto on_edge = [](const Operand& operand, const std::array<int, 2>& ends, double s) {
    const Vector3 first = operand.vertex_coordinates(ends[0]);
    const Vector3 second = operand.vertex_coordinates(ends[1]);
    if (s == 0) return first;
    if (s == 1) return second;
    Vector3 result;
    for (int k = 0; k < 3; ++k)
      result[k] = first[k] == second[k] ? first[k] : (1 - s) * first[k] + s * second[k];
    return result;
  };
  for (int i = 0; i < pair.a.edge_count(); ++i) {
    const std::array<int, 2> on_a = pair.a.edge(i);
    const Vector3& p = pair.a.vertex(on_a[0]);
    const Vector3 d1 = pair.a.vertex(on_a[1]) - p;
    const double d1_squared = d1.squaredNorm();
    for (int j = 0; j < pair.b.edge_count(); ++j) {
      const std::array<int, 2> on_b = pair.b.edge(j);
      const Vector3& q = pair.b.vertex(on_b[0]);
      const Vector3 d2 = pair.b.vertex(on_b[1]) - q;
      const SegmentPair segments = segment_pair(p - q, d1, d1_squared, d2, d2.squaredNorm());
      if (best.squared_distance >= 0 && segments.squared_distance >= best.squared_distance) continue;
      consider(on_edge(pair.a, on_a, segments.s), on_edge(pair.b, on_b, segments.t));
    }
  }

  // Edges through faces, where a box's face is two triangles. Two operands that meet have such a crossing, or a vertex
  // of one is in the other.
  const auto consider_crossings = [&](const Operand& edged, const Operand& faced, bool swapped) {
    for (int f = 0; f < faced.face_count(); ++f) {
      const std::array<int, 3> corners = faced.face(f);
      const Vector3& a = faced.vertex(corners[0]);
      const Vector3& b = faced.vertex(corners[1]);
      const Vector3& c = faced.vertex(corners[2]);
      const Vector3 normal = (b - a).cross(c - a);
      // The rounding error of the heights. For a thin triangle, the error of the normal is relative to the triangle's
      // edges, not to the normal itself.
      const double noise = 1e-14 * pair.scale * (b - a).norm() * (c - a).norm();
      for (int i = 0; i < edged.edge_count(); ++i) {
        if (best.squared_distance <= pair.touching_squared) return;
        const std::array<int, 2> ends = edged.edge(i);
        const Vector3& p = edged.vertex(ends[0]);
        const Vector3 d = edged.vertex(ends[1]) - p;
        const double height_from = normal.dot(p - a);
        const double height_to = height_from + normal.dot(d);
        if (std::min(height_from, height_to) > noise || std::max(height_from, height_to) < -noise) continue;
        Crossing cross;
        cross.s = project(edged.point(swapped ? best.b : best.a) - p, d, d.squaredNorm());
        cross.weights = triangle_point(faced.point(swapped ? best.a : best.b), a, b, c).weights;
        if (!crossing(p, d, a, b, c, cross) || cross.squared_distance >= best.squared_distance) continue;
        const Vector3 on_edged = on_edge(edged, ends, cross.s);
        const Vector3 on_faced = faced.mean_coordinates(corners, std::span(cross.weights.data(), 3));
        consider(swapped ? on_faced : on_edged, swapped ? on_edged : on_faced);
      }
    }
  };
  consider_crossings(pair.a, pair.b, false);
  consider_crossings(pair.b, pair.a, true);
}

Candidate closest_operands(const Operand& a, const Operand& b) {
  const OperandPair pair(a, b);
  Candidate result;
  if (!search_by_simplex(pair, result)) search_all_features(pair, result);
  return result;
}

double magnitude_of(const Box& box, const Pose& pose) {
  return std::max(largest_entry(box.size), largest_entry(pose.translation()));
}

Vector3 local_point(const Box& box, const Vector3& coordinates) {
  return coordinates.cwiseProduct(Vector3(0.5 * box.size));
}

Operand box_operand(const Box& box, const Pose& pose, const Scaling& scaling, const Vector3& origin) {
  return Operand(scaling.scaled(pose.translation()) - origin, pose.rotation(), 0.5 * scaling.scaled(box.size));
}

}  // namespace

PointBoxParameters closest_point_box(const Vector3& local_point, const Box& box) {
  PointBoxParameters result;
  const Vector3 half = 0.5 * box.size;
  result.local = local_point.cwiseMax(-half).cwiseMin(half);
  const Scaling scaling = scaling_for(std::max(largest_entry(local_point), largest_entry(box.size)));
  const Vector3 gap = scaling.scaled(local_point) - scaling.scaled(result.local);
  result.squared_distance = scaling.squared_back(gap.squaredNorm());
  return result;
}

PointBoxParameters closest_point_box(const Vector3& point, const Box& box, const Pose& pose) {
  const Scaling scaling = scaling_for(std::max(largest_entry(point), magnitude_of(box, pose)));
  const Vector3 half = 0.5 * scaling.scaled(box.size);
  const Vector3 offset = scaling.scaled(point) - scaling.scaled(pose.translation());
  const Matrix3& r = pose.rotation();
  // The transpose undoes the rotation up to the pose's tolerance. The second round is accurate to rounding.
  Vector3 local = (r.transpose() * offset).cwiseMax(-half).cwiseMin(half);
  const Vector3 rest = offset - r * local;
  local = (local + r.transpose() * rest).cwiseMax(-half).cwiseMin(half);
  PointBoxParameters result;
  result.squared_distance = scaling.squared_back((offset - r * local).squaredNorm());
  result.local = scaling.back(local);
  return result;
}

SegmentBoxParameters closest_segment_box(const Segment& segment, const Box& box, const Pose& pose) {
  const Scaling scaling =
      scaling_for(std::max({largest_entry(segment.a), largest_entry(segment.b), magnitude_of(box, pose)}));
  const Vector3 origin = scaling.scaled(segment.a);
  const Candidate found = closest_operands(Operand({Vector3::Zero(), scaling.scaled(segment.b) - origin}),
                                           box_operand(box, pose, scaling, origin));
  return {found.a[1], local_point(box, found.b), scaling.squared_back(found.squared_distance)};
}

TriangleBoxParameters closest_triangle_box(const Triangle& triangle, const Box& box, const Pose& pose) {
  const Scaling scaling = scaling_for(std::max(
      {largest_entry(triangle.a), largest_entry(triangle.b), largest_entry(triangle.c), magnitude_of(box, pose)}));
  const Vector3 origin = scaling.scaled(triangle.a);
  const Vector3 b = scaling.scaled(triangle.b) - origin;
  const Vector3 c = scaling.scaled(triangle.c) - origin;
  const Candidate found = closest_operands(Operand({Vector3::Zero(), b, c}), box_operand(box, pose, scaling, origin));
  return {found.a, local_point(box, found.b), scaling.squared_back(found.squared_distance)};
}

BoxBoxParameters closest_box_box(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b) {
  const Scaling scaling = scaling_for(std::max(magnitude_of(a, pose_a), magnitude_of(b, pose_b)));
  const Vector3 origin = scaling.scaled(pose_a.translation());
  const Candidate found =
      closest_operands(box_operand(a, pose_a, scaling, origin), box_operand(b, pose_b, scaling, origin));
  return {local_point(a, found.a), local_point(b, found.b), scaling.squared_back(found.squared_distance)};
}

}  // namespace whisker::geometry
