#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/convex_hull.hpp>
#include <whisker/error.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/geometry/separating_axis.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/check_index.hpp"
#include "geometry/constants.hpp"
#include "geometry/grouped.hpp"
#include "geometry/hull_merge.hpp"
#include "geometry/hull_plane.hpp"
#include "geometry/lists.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/triangle_signs.hpp"
#include "shapes/hull_fans.hpp"
#include "shapes/hull_support.hpp"
#include "shapes/hull_vertices.hpp"
#include "shapes/internals.hpp"
#include "shapes/scaled_direction.hpp"

namespace whisker {

struct ConvexHull::Storage {
  HullData data;
  double merge_distance = 0;  // HullOptions::merge_distance
  bool has_merged_faces = false;
  bool has_flush_faces = false;
  std::vector<HullEdge> edges;
  geometry::Grouped<std::uint32_t> neighbors;     // of each vertex, ascending
  std::vector<std::uint32_t> edges_to_neighbors;  // their numbers, in the order of neighbors.items
  Vector3 middle = Vector3::Zero();               // the mean of the vertices, up to rounding
  double volume = 0;
  Vector3 centroid = Vector3::Zero();
  Aabb bounds;

  std::vector<HullPlane> inner_planes;

  // The data that the view refers to.
  std::vector<Vector3> normals;
  std::vector<std::uint32_t> normal_vertices;
  std::vector<GaussArc> arcs;
  std::vector<Vector3> directions;
  PolyhedronView view;

  HullSupport support;

  Storage(std::span<const Vector3> points, const HullOptions& options);
  void find_edges();
  void measure();
  void tighten_planes();
  void find_inner_planes();
  void find_flush_faces();
  void map_normals();
};

namespace {

void check_size(std::span<const Vector3> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    // Points that are not finite are reported by convex_hull.
    if (points[i].allFinite() && points[i].cwiseAbs().maxCoeff() > max_coordinate) {
      throw Error("convex hull: point " + std::to_string(i) +
                  " has a coordinate beyond 1e90; use a larger unit of length");
    }
  }
}

// For each vector, the class of vectors parallel to it (up to rounding), and one representative of each class.
struct ParallelClasses {
  std::vector<std::uint32_t> class_of;
  std::vector<Vector3> representatives;
};

ParallelClasses parallel_classes(const std::vector<Vector3>& units) {
  // Parallel vectors have nearly the same height above a plane in general position, so only vectors within that window
  // are compared.
  constexpr double window = 0x1p-50;
  const Vector3 probe(0.36, 0.48, 0.8);
  std::vector<std::pair<double, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < units.size(); ++i)
    order.emplace_back(std::abs(probe.dot(units[i])), i);
  std::sort(order.begin(), order.end());
  constexpr std::uint32_t unset = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> leader(units.size(), unset);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t a = order[i].second;
    if (leader[a] != unset) continue;
    leader[a] = a;
    for (std::size_t j = i + 1; j < order.size() && order[j].first <= order[i].first + window; ++j) {
      const std::uint32_t b = order[j].second;
      if (leader[b] == unset && units[a].cross(units[b]).cwiseAbs().maxCoeff() <= window) leader[b] = a;
    }
  }
  ParallelClasses classes;
  std::vector<std::uint32_t> place(units.size(), unset);
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    if (place[leader[i]] == unset) {
      place[leader[i]] = static_cast<std::uint32_t>(classes.representatives.size());
      classes.representatives.push_back(units[leader[i]]);
    }
    classes.class_of.push_back(place[leader[i]]);
  }
  return classes;
}

// The axis of a unit normal that is exactly along one, or -1. Along an axis, the height of a point is its coordinate,
// without rounding, so such a plane can pass exactly through the vertices.
int axis_of(const Vector3& normal) {
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(normal[axis]) == 1 && normal[(axis + 1) % 3] == 0 && normal[(axis + 2) % 3] == 0) return axis;
  }
  return -1;
}

// `face` must be a strictly convex, exactly planar polygon.
bool polygon_contains(std::span<const Vector3> vertices, std::span<const std::uint32_t> face, const Vector3& p) {
  const Vector3& a = vertices[face[0]];
  const Vector3& b = vertices[face[1]];
  const Vector3& c = vertices[face[2]];
  if (orient3d(a, b, c, p) != 0) return false;
  const geometry::ViewAxis view = geometry::view_axis(a, b, c);
  for (std::size_t i = 0; i < face.size(); ++i) {
    const Vector3& u = vertices[face[i]];
    const Vector3& v = vertices[face[i + 1 < face.size() ? i + 1 : 0]];
    if (geometry::orient_along(view.axis, u, v, p) == -view.turn) return false;
  }
  return true;
}

}  // namespace

ConvexHull::Storage::Storage(std::span<const Vector3> points, const HullOptions& options)
    : data(convex_hull(points, options)), merge_distance(options.merge_distance) {
  has_merged_faces = options.merge_distance > 0 && data.dimension == 3;
  for (const Vector3& v : data.vertices)
    bounds.include(v);
  find_edges();
  measure();
  if (data.dimension == 3) {
    tighten_planes();
    find_inner_planes();
    find_flush_faces();
  }
  map_normals();
  view = {data.dimension, data.vertices, normals, normal_vertices, arcs, directions};
  support = build_hull_support(data.vertices);
}

void ConvexHull::Storage::find_edges() {
  edges = geometry::loop_edges(data.face_vertices, data.face_begin, data.vertices.size());
  if (data.dimension == 1) edges.push_back({0, 1, HullEdge::no_face, HullEdge::no_face});

  // In the order of the edges, which are sorted, so that the neighbors of a vertex are ascending.
  const auto visit_ends = [&](const auto& visit) {
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      visit(edges[i].begin, i);
      visit(edges[i].end, i);
    }
  };
  geometry::group_items(data.vertices.size(), visit_ends, neighbors.first, edges_to_neighbors);
  neighbors.items.reserve(edges_to_neighbors.size());
  for (std::size_t v = 0; v < data.vertices.size(); ++v) {
    for (std::uint32_t i = neighbors.first[v]; i < neighbors.first[v + 1]; ++i) {
      const HullEdge& edge = edges[edges_to_neighbors[i]];
      neighbors.items.push_back(edge.begin == v ? edge.end : edge.begin);
    }
  }
}

void ConvexHull::Storage::find_flush_faces() {
  const double thickness = 2 * shapes::flush_part * (bounds.upper - bounds.lower).maxCoeff();
  const auto is_flush = [&](std::uint32_t face, std::uint32_t other, const Vector3& base) {
    const auto vertices = std::span(data.face_vertices)
                              .subspan(data.face_begin[other], data.face_begin[other + 1] - data.face_begin[other]);
    return std::ranges::all_of(vertices, [&](std::uint32_t v) {
      return std::abs(data.planes[face].normal.dot(data.vertices[v] - base)) <= thickness;
    });
  };
  has_flush_faces = std::ranges::any_of(edges, [&](const HullEdge& edge) {
    const Vector3& base = data.vertices[edge.begin];
    return is_flush(edge.left, edge.right, base) || is_flush(edge.right, edge.left, base);
  });
}

void ConvexHull::Storage::measure() {
  // All values are relative to the mean of the vertices and in units of the hull's size, so that terms have the same
  // sign and nothing overflows.
  const double count = static_cast<double>(data.vertices.size());
  for (const Vector3& v : data.vertices)
    middle += v / count;
  double size = 0;
  for (const Vector3& v : data.vertices)
    size = std::max(size, (v - middle).cwiseAbs().maxCoeff());
  if (data.dimension < 2 || !(size > 0)) {
    centroid = middle;
    return;
  }
  const auto relative = [&](std::uint32_t v) { return Vector3((data.vertices[v] - middle) / size); };
  double sum = 0;
  Vector3 moment = Vector3::Zero();
  const std::size_t faces = data.dimension == 3 ? data.face_count() : 1;
  for (std::size_t f = 0; f < faces; ++f) {
    const auto face = data.face(f);
    const Vector3 a = relative(face[0]);
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      const Vector3 b = relative(face[i]);
      const Vector3 c = relative(face[i + 1]);
      if (data.dimension == 3) {
        const double six_volumes = a.dot(b.cross(c));
        sum += six_volumes;
        moment += six_volumes * (a + b + c) / 4;
      } else {
        const double two_areas = (b - a).cross(c - a).norm();
        sum += two_areas;
        moment += two_areas * (a + b + c) / 3;
      }
    }
  }
  centroid = sum > 0 ? Vector3(middle + moment / sum * size) : middle;
  if (data.dimension == 3) volume = std::max(0.0, sum / 6 * size * size * size);
}

void ConvexHull::Storage::tighten_planes() {
  for (HullPlane& plane : data.planes) {
    const int axis = axis_of(plane.normal);
    if (axis < 0) continue;
    plane.offset = plane.normal[axis] > 0 ? bounds.upper[axis] : -bounds.lower[axis];
  }
}

// Moves each plane inward until none of its face's corners is below it. Why no point outside the hull is inside all of
// these planes: let p be a point of the hull strictly inside all of them, and x a point outside the hull. The segment
// from p to x leaves the hull through some face at a point q. The height of q above the face's inner plane is a convex
// combination of the heights of the face's corners, so q is not below that plane. p is below it, so the height
// increases from p to q, and x is above it. (A merged face has the corners of all the true faces that it represents, so
// the same holds for those.)
void ConvexHull::Storage::find_inner_planes() {
  const double roundoff = 0x1p-53;
  const double underflow = std::numeric_limits<double>::min();
  const double count = static_cast<double>(data.vertices.size());
  const Vector3 largest = bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs());
  // p is the exact mean of the vertices. `middle` is off by one rounding for each sum and one for each quotient.
  const Vector3 middle_error = 2 * (count + 2) * roundoff * largest + Vector3::Constant((count + 2) * underflow);

  for (std::size_t f = 0; f < data.face_count(); ++f) {
    const Vector3& normal = data.planes[f].normal;
    const auto height = [&](const Vector3& v) { return geometry::dot(normal, v); };
    double lowest = infinity;
    for (const std::uint32_t v : data.face(f))
      lowest = std::min(lowest, height(data.vertices[v]));
    const Vector3 steep = normal.cwiseAbs();
    const double rounding = 5 * roundoff * steep.dot(largest) + underflow;
    const bool exact = axis_of(normal) >= 0;
    const double offset = exact ? lowest : std::nextafter(lowest - rounding, -HUGE_VAL);
    if (!(height(middle) + 2 * (rounding + steep.dot(middle_error)) < offset)) {
      inner_planes.clear();
      return;
    }
    inner_planes.push_back({normal, offset});
  }
}

void ConvexHull::Storage::map_normals() {
  for (std::size_t f = 0; f < data.face_count(); ++f) {
    normals.push_back(data.planes[f].normal);
    normal_vertices.push_back(data.face(f)[0]);
  }
  const std::vector<Vector3> units = geometry::mapped(edges, [&](const HullEdge& edge) {
    return geometry::unit_vector(data.vertices[edge.end] - data.vertices[edge.begin]);
  });
  ParallelClasses classes = parallel_classes(units);
  directions = std::move(classes.representatives);
  if (data.dimension < 2) return;

  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    const HullEdge& edge = edges[e];
    const std::uint32_t direction = classes.class_of[e];
    if (data.dimension == 3) {
      arcs.push_back({edge.begin, edge.end, edge.left, edge.right, direction});
      continue;
    }
    // Treats the polygon as a prism of zero height: each edge of its rim has a normal, between those of the two sides.
    const auto rim = static_cast<std::uint32_t>(normals.size());
    normals.push_back(geometry::unit_vector(units[e].cross(data.planes[edge.left].normal)));
    normal_vertices.push_back(edge.begin);
    arcs.push_back({edge.begin, edge.end, edge.left, rim, direction});
    arcs.push_back({edge.begin, edge.end, rim, edge.right, direction});
  }
}

ConvexHull::ConvexHull(std::span<const Vector3> points, const HullOptions& options) {
  check_size(points);
  storage_ = std::make_shared<const Storage>(points, options);
}

ConvexHull::ConvexHull(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}

double shapes::merge_distance_of(const ConvexHull& hull) {
  return storage_of(hull).merge_distance;
}

ConvexHull shapes::hull_of_vertices(std::span<const Vector3> vertices, std::vector<std::uint32_t> vertex_points,
                                    double merge_distance) {
  check_size(vertices);
  auto storage = std::make_shared<StorageOf<ConvexHull>>(vertices, HullOptions{merge_distance});
  if (storage->data.vertices.size() != vertices.size())
    throw Error("convex hull: some of the points are not vertices of their hull");
  storage->data.vertex_points = std::move(vertex_points);
  return Internals::make<ConvexHull>(std::move(storage));
}

int ConvexHull::dimension() const {
  return storage_->data.dimension;
}

std::span<const Vector3> ConvexHull::vertices() const {
  return storage_->data.vertices;
}

std::span<const std::uint32_t> ConvexHull::vertex_points() const {
  return storage_->data.vertex_points;
}

std::size_t ConvexHull::face_count() const {
  return storage_->data.face_count();
}

std::span<const std::uint32_t> ConvexHull::face(std::size_t index) const {
  return storage_->data.face(index);
}

std::span<const HullPlane> ConvexHull::planes() const {
  return storage_->data.planes;
}

std::span<const HullPlane> ConvexHull::inner_planes() const {
  return storage_->inner_planes;
}

std::span<const HullEdge> ConvexHull::edges() const {
  return storage_->edges;
}

std::span<const std::uint32_t> ConvexHull::neighbors(std::size_t vertex) const {
  const Storage& s = *storage_;
  geometry::check_index("convex hull: vertex", vertex, s.data.vertices.size());
  return s.neighbors[vertex];
}

bool shapes::has_flush_faces(const ConvexHull& hull) {
  return known_storage_of(hull).has_flush_faces;
}

std::span<const std::uint32_t> shapes::edges_around(const ConvexHull& hull, std::size_t vertex) {
  const auto& s = known_storage_of(hull);
  return std::span(s.edges_to_neighbors).subspan(s.neighbors.first[vertex], s.neighbors[vertex].size());
}

double ConvexHull::volume() const {
  return storage_->volume;
}

Vector3 ConvexHull::centroid() const {
  return storage_->centroid;
}

Aabb ConvexHull::bounds() const {
  return storage_->bounds;
}

std::size_t ConvexHull::support(const Vector3& direction) const {
  const Storage& s = *storage_;
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !direction.allFinite()) return 0;  // no direction: all vertices are equally far
  return hull_support(s.support, scaled_direction(direction));
}

bool ConvexHull::contains(const Vector3& point) const {
  const Storage& s = *storage_;
  const HullData& data = s.data;
  if (!s.bounds.contains(point)) return false;  // also false if the point is not finite
  if (data.dimension == 0) return true;
  if (data.dimension == 1) return touches_point_segment(point, {data.vertices[0], data.vertices[1]});
  if (data.dimension == 2) return polygon_contains(data.vertices, data.face(0), point);
  for (std::size_t f = 0; f < data.face_count(); ++f) {
    const HullPlane& plane = data.planes[f];
    // The point is within the bounds, and for those the plane's offset covers the rounding of this sum.
    const double height = geometry::dot(plane.normal, point);
    if (height > plane.offset) return false;
    if (s.has_merged_faces) continue;
    const auto face = data.face(f);
    if (orient3d(data.vertices[face[0]], data.vertices[face[1]], data.vertices[face[2]], point) > 0) return false;
  }
  return true;
}

const PolyhedronView& ConvexHull::polyhedron() const {
  return storage_->view;
}

const HullSupport& ConvexHull::support_table() const {
  return storage_->support;
}

}  // namespace whisker
