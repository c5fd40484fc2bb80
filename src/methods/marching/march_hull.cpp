// The data that marching precomputes for a hull: planes of Voronoi regions, adjacency, direction tables.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/geometry/predicates.hpp>

#include "geometry/grouped.hpp"
#include "geometry/least_of.hpp"
#include "geometry/unit_vector.hpp"
#include "methods/marching/voronoi_march.hpp"

namespace whisker::methods {
namespace {

using marching::dot;

// Exactly planar faces are faces of the true hull. If all faces are, the edge graph is that of the true hull too.
bool has_planar_faces(const ConvexHull& hull) {
  const auto vertices = hull.vertices();
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    for (std::size_t i = 3; i < face.size(); ++i) {
      if (orient3d(vertices[face[0]], vertices[face[1]], vertices[face[2]], vertices[face[i]]) != 0) return false;
    }
  }
  return true;
}

// Whether products of three coordinates and their rounding errors are far from underflow and overflow.
bool has_ordinary_coordinates(const ConvexHull& hull) {
  for (const Vector3& v : hull.vertices()) {
    for (const double x : {std::abs(v[0]), std::abs(v[1]), std::abs(v[2])}) {
      if (x != 0 && !(x > 0x1p-300 && x < 0x1p300)) return false;
    }
  }
  return true;
}

constexpr double coarse_resolution = 45;

}  // namespace

MarchingHull::Storage::Storage(ConvexHull hull_)
    : hull(std::move(hull_)), coarse_table(hull, {.resolution = coarse_resolution, .radius_factor = 2}) {
  const auto vertices = hull.vertices();
  const auto planes = hull.planes();
  climbable = has_planar_faces(hull) && has_ordinary_coordinates(hull);
  const Aabb box = hull.bounds();
  const Vector3 middle = box.lower + (box.upper - box.lower) / 2;
  for (const Vector3& v : vertices) {
    radius = std::max(radius, v.stableNorm());
    diameter = std::max(diameter, 2 * (v - middle).stableNorm());
  }
  radius *= 1 + 0x1p-48;
  diameter *= 1 + 0x1p-48;
  extent = (box.upper - box.lower).maxCoeff();

  const auto hull_edges = hull.edges();
  edges.reserve(hull_edges.size());
  for (const HullEdge& e : hull_edges) {
    const Vector3 along = vertices[e.end] - vertices[e.begin];
    const Vector3 unit = geometry::unit_vector(along);
    Edge edge{{e.begin, e.end}, {e.left, e.right}, vertices[e.begin], unit, along.stableNorm(), {}, {}};
    // Viewed from outside, the left face is to the left of the edge and is oriented along it.
    edge.left_out = e.left == HullEdge::no_face ? Vector3(Vector3::Zero())
                                                : geometry::unit_vector(unit.cross(planes[e.left].normal));
    edge.right_out = e.right == HullEdge::no_face ? Vector3(Vector3::Zero())
                                                  : geometry::unit_vector(planes[e.right].normal.cross(unit));
    edges.push_back(edge);
  }
  spokes = geometry::group<Spoke>(vertices.size(), [&](const auto& visit) {
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      visit(edges[e].ends[0], Spoke{edges[e].direction, e, edges[e].ends[1]});
      visit(edges[e].ends[1], Spoke{-edges[e].direction, e, edges[e].ends[0]});
    }
  });

  sides.first.push_back(0);
  for (std::uint32_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    for (std::size_t i = 0; i < face.size(); ++i) {
      const std::uint32_t u = face[i];
      const std::uint32_t v = face[i + 1 < face.size() ? i + 1 : 0];
      for (const Spoke& spoke : spokes[u]) {
        if (spoke.other != v) continue;
        const Edge& edge = edges[spoke.edge];
        // The two sides of a polygon share their edges. The direction determines which side this is.
        const Vector3& out = edge.ends[0] == u ? edge.left_out : edge.right_out;
        sides.items.push_back({out, dot(out, edge.origin), spoke.edge});
      }
    }
    sides.first.push_back(static_cast<std::uint32_t>(sides.items.size()));
    // The hull's own plane is offset outward. This plane passes through a corner.
    faces.push_back({planes[f].normal, dot(planes[f].normal, vertices[face[0]])});
  }
}

MarchingHull::MarchingHull(ConvexHull hull) : storage_(std::make_shared<const Storage>(std::move(hull))) {}

const ConvexHull& MarchingHull::hull() const {
  return storage_->hull;
}

DirectionTable::DirectionTable(const ConvexHull& hull, const DirectionTableOptions& options) {
  if (!(options.resolution >= 1 && options.resolution <= 90)) {
    throw Error("direction table: the resolution must be from 1 to 90 degrees");
  }
  if (!(options.radius_factor >= 1 && options.radius_factor <= 1e6)) {
    throw Error("direction table: the radius factor must be from 1 to 1e6");
  }
  around_ = std::max(4, static_cast<int>(std::lround(360 / options.resolution)));
  rings_ = std::max(1, static_cast<int>(std::lround(180 / options.resolution)) - 1);
  const auto vertices = hull.vertices();
  const Vector3 center = hull.centroid();
  double radius = 0;
  for (const Vector3& v : vertices)
    radius = std::max(radius, (v - center).stableNorm());

  const double scale = radius > 0 ? 1 / radius : 1;  // squares neither overflow nor underflow
  const auto nearest = [&](const Vector3& direction) {
    const Vector3 sample = options.radius_factor * direction;
    const auto distance = [&](std::uint32_t v) { return (scale * (vertices[v] - center) - sample).squaredNorm(); };
    return geometry::least_of(vertices.size(), distance).number;
  };
  // The north pole, the rings from north to south, the south pole.
  entries_.push_back(nearest(Vector3::UnitZ()));
  for (int ring = 0; ring < rings_; ++ring) {
    const double polar = std::numbers::pi * (ring + 1) / (rings_ + 1);
    for (int i = 0; i < around_; ++i) {
      const double azimuth = 2 * std::numbers::pi * i / around_;
      entries_.push_back(
          nearest({std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth), std::cos(polar)}));
    }
  }
  entries_.push_back(nearest(-Vector3::UnitZ()));
}

std::uint32_t DirectionTable::vertex(const Vector3& direction) const {
  check_held();
  const double flat = std::hypot(direction[0], direction[1]);
  const double polar = std::atan2(flat, direction[2]);  // 0 … π
  if (!(polar >= 0)) return entries_.front();           // not a number
  const long ring = std::lround(polar / std::numbers::pi * (rings_ + 1)) - 1;
  if (ring < 0) return entries_.front();
  if (ring >= rings_) return entries_.back();
  const double azimuth = std::atan2(direction[1], direction[0]);  // -π … π
  long i = std::lround(azimuth / (2 * std::numbers::pi) * around_);
  if (i < 0) i += around_;
  if (i >= around_) i -= around_;
  return entries_[1 + static_cast<std::size_t>(ring) * static_cast<std::size_t>(around_) + static_cast<std::size_t>(i)];
}

}  // namespace whisker::methods
