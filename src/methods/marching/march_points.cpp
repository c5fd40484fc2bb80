// Computes the closest points of two features.

#include <algorithm>
#include <limits>

#include <Eigen/Geometry>

#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods::marching {
namespace {

using Kind = FeatureKind;

FeatureWeights at_vertex(std::uint32_t v) {
  return {{v, v, v}, {1, 0, 0}, 1};
}

FeatureWeights on_edge(const MarchHull::Edge& e, double along) {
  const double share = std::clamp(along / e.length, 0.0, 1.0);
  if (!(share > 0)) return at_vertex(e.ends[0]);
  if (!(share < 1)) return at_vertex(e.ends[1]);
  return {{e.ends[0], e.ends[1], e.ends[1]}, {1 - share, share, 0}, 2};
}

// The point of the face below `point`, in the triangle of the face's fan that contains it, or that it is least far
// outside of.
FeatureWeights on_face(const MarchHull& hull, std::uint32_t index, const Vector3& point) {
  const auto corners = hull.hull.face(index);
  const auto vertices = hull.hull.vertices();
  const Vector3& normal = hull.faces[index].normal;
  FeatureWeights best = at_vertex(corners[0]);
  double best_inside = -std::numeric_limits<double>::infinity();
  const Vector3& a = vertices[corners[0]];
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const Vector3& b = vertices[corners[i]];
    const Vector3& c = vertices[corners[i + 1]];
    // Areas opposite the corners, measured along the normal.
    const double wa = dot((c - b).cross(point - b), normal);
    const double wb = dot((a - c).cross(point - c), normal);
    const double wc = dot((b - a).cross(point - a), normal);
    const double sum = wa + wb + wc;
    if (!(sum > 0)) continue;
    const double inside = std::min({wa, wb, wc}) / sum;
    if (inside <= best_inside) continue;
    best_inside = inside;
    const double ca = std::max(wa, 0.0), cb = std::max(wb, 0.0), cc = std::max(wc, 0.0);
    const double all = ca + cb + cc;
    best = {{corners[0], corners[i], corners[i + 1]}, {ca / all, cb / all, cc / all}, 3};
  }
  return best;
}

// `low` has a lower dimension than `high`.
void points_of_unequal(const MarchBody& low, const MarchBody& high, FeatureWeights& at_low, FeatureWeights& at_high) {
  if (low.feature.kind == Kind::vertex) {
    const Vector3 point = low.to_other.point(position(low));
    at_low = at_vertex(low.feature.id);
    if (high.feature.kind == Kind::face) {
      at_high = on_face(*high.hull, high.feature.id, point);
    } else {
      const MarchHull::Edge& e = edge_of(high);
      at_high = on_edge(e, dot(point - e.origin, e.direction));
    }
    return;
  }
  // An edge and a face: the point where the edge pierces the plane.
  const MarchHull::Edge& e = edge_of(low);
  const MarchHull::Face& plane = high.hull->faces[high.feature.id];
  const Vector3 p = low.to_other.point(e.origin);
  const Vector3 direction = low.to_other.direction(e.direction);
  const double slope = dot(plane.normal, direction);
  const double height = dot(plane.normal, p) - plane.offset;
  const double along = slope != 0 ? std::clamp(-height / slope, 0.0, e.length) : 0;
  at_low = on_edge(e, along);
  at_high = on_face(*high.hull, high.feature.id, p + along * direction);
}

}  // namespace

SegmentParameters closest_segments(const Vector3& p, const Vector3& d, double length_d, const Vector3& q,
                                   const Vector3& e, double length_e) {
  // Follows C. Ericson, "Real-Time Collision Detection" (2005), section 5.1.9, with unit directions.
  const Vector3 r = p - q;
  const double b = dot(d, e);
  const double c = dot(d, r);
  const double f = dot(e, r);
  const Vector3 across = d.cross(e);
  const double sine2 = across.squaredNorm();  // 1 - b², without cancellation
  double s;
  if (sine2 > 0x1p-80) {
    s = std::clamp((b * f - c) / sine2, 0.0, length_d);
  } else {
    // Parallel: the second segment covers [low, high] on the first.
    const double start = -c, end = -c + b * length_e;
    const double low = std::max(0.0, std::min(start, end));
    const double high = std::min(length_d, std::max(start, end));
    s = std::clamp(0.5 * (low + high), 0.0, length_d);
    if (low > high) s = low > length_d ? length_d : high < 0 ? 0 : s;
  }
  double t = b * s + f;
  if (t < 0) {
    t = 0;
    s = std::clamp(-c, 0.0, length_d);
  } else if (t > length_e) {
    t = length_e;
    s = std::clamp(b * length_e - c, 0.0, length_d);
  }
  return {s, t};
}

Vector3 FeatureWeights::point(const MarchHull& hull) const {
  const auto vertices = hull.hull.vertices();
  Vector3 sum = count == 1 ? vertices[vertex[0]] : Vector3(weight[0] * vertices[vertex[0]]);
  if (count > 1) sum += weight[1] * vertices[vertex[1]];
  if (count > 2) sum += weight[2] * vertices[vertex[2]];
  return sum;
}

MarchPoints closest_points(const March& march) {
  MarchPoints result;
  const Kind a = march.a.feature.kind;
  const Kind b = march.b.feature.kind;
  if (a == Kind::edge && b == Kind::edge) {
    const MarchHull::Edge& ea = edge_of(march.a);
    const MarchHull::Edge& eb = edge_of(march.b);
    const auto [s, t] = closest_segments(ea.origin, ea.direction, ea.length, march.b.to_other.point(eb.origin),
                                         march.b.to_other.direction(eb.direction), eb.length);
    result.a = on_edge(ea, s);
    result.b = on_edge(eb, t);
  } else if (a == b) {  // two vertices, or any corners of two faces, which no walk ends at
    result.a = at_vertex(march.a.hull->vertices_of(march.a.feature)[0]);
    result.b = at_vertex(march.b.hull->vertices_of(march.b.feature)[0]);
  } else if (a < b) {
    points_of_unequal(march.a, march.b, result.a, result.b);
  } else {
    points_of_unequal(march.b, march.a, result.b, result.a);
  }
  return result;
}

}  // namespace whisker::methods::marching
