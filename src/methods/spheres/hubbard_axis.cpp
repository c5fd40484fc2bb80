#include "methods/spheres/hubbard_axis.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/constants.hpp"
#include "spheres/delaunay.hpp"

namespace whisker::methods {

using spheres::Delaunay;

namespace {

using Polygon = std::vector<Vector3>;

/// The part of a convex polygon inside a box.
Polygon clipped(Polygon polygon, const Aabb& box) {
  Polygon kept;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      const double limit = sign > 0 ? box.upper[axis] : -box.lower[axis];
      kept.clear();
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vector3& from = polygon[i];
        const Vector3& to = polygon[(i + 1) % polygon.size()];
        const double a = sign * from[axis] - limit;
        const double b = sign * to[axis] - limit;
        if (a <= 0) kept.push_back(from);
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) kept.push_back(from + (a / (a - b)) * (to - from));
      }
      polygon.swap(kept);
    }
  }
  return polygon;
}

class Repairer {
 public:
  Repairer(const Solid& solid, const PlanarClusters& clusters, std::vector<SurfaceSample> samples)
      : solid_(solid), clusters_(clusters), shape_(solid.mesh()) {
    box_ = solid.mesh().bounds();
    middle_ = box_.lower + (box_.upper - box_.lower) / 2;
    const double size = (box_.upper - box_.lower).maxCoeff();
    if (size > 0) size_ = size;
    samples_.resize(Delaunay::first_point);
    for (const SurfaceSample& sample : samples)
      insert(sample);
  }

  void repair(std::size_t most, HubbardAxis& result) {
    for (std::uint32_t v = Delaunay::first_point; v < samples_.size(); ++v)
      await_edges_of(v);
    while (!waiting_.empty()) {
      const auto [a, b] = waiting_.front();
      waiting_.pop_front();
      is_waiting_.erase(key(a, b));
      const std::optional<std::uint32_t> hit = crossing(a, b);
      if (!hit) continue;
      bool is_repaired = false;
      for (const SurfaceSample& sample : remedy(a, b, *hit)) {
        if (result.repairs >= most || !insert(sample)) continue;
        is_repaired = true;
        ++result.repairs;
        await_edges_of(static_cast<std::uint32_t>(samples_.size() - 1));
      }
      if (is_repaired) {
        await(a, b);
      } else {
        ++result.crossings_left;
      }
    }
  }

  void write(HubbardAxis& result) const {
    result.samples.assign(samples_.begin() + Delaunay::first_point, samples_.end());
    for (const SurfaceSample& sample : result.samples)
      result.normals.push_back(clusters_.normal(clusters_.of(sample.triangle)));
    const auto tetrahedra = delaunay_.tetrahedra();
    std::vector<std::uint32_t> number(tetrahedra.size(), Delaunay::none);
    std::vector<std::uint32_t> source;
    for (std::uint32_t slot = 0; slot < tetrahedra.size(); ++slot) {
      if (!delaunay_.is_used(slot) || !delaunay_.is_finite(slot)) continue;
      const std::optional<Vector3> center = delaunay_.circumcenter(slot);
      if (!center || center->cwiseAbs().maxCoeff() > 1) continue;
      HubbardAxis::MedialBall ball{{middle_ + size_ * *center, 0}, {}, {}};
      if (!solid_.contains(ball.sphere.center)) continue;
      for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t v = tetrahedra[slot].vertices[i];
        ball.samples[i] = v - Delaunay::first_point;
        ball.sphere.radius = std::max(ball.sphere.radius, (samples_[v].point - ball.sphere.center).norm());
      }
      number[slot] = static_cast<std::uint32_t>(result.balls.size());
      source.push_back(slot);
      result.balls.push_back(std::move(ball));
    }
    for (std::size_t k = 0; k < result.balls.size(); ++k) {
      for (const std::uint32_t next : tetrahedra[source[k]].neighbors) {
        if (next != Delaunay::none && number[next] != Delaunay::none) result.balls[k].neighbors.push_back(number[next]);
      }
    }
  }

 private:
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

  bool insert(const SurfaceSample& sample) {
    delaunay_.insert(((sample.point - middle_) / size_).cwiseMax(-1.0).cwiseMin(1.0));
    if (delaunay_.created().empty()) return false;
    samples_.push_back(sample);
    return true;
  }

  void await(std::uint32_t a, std::uint32_t b) {
    if (is_waiting_.insert(key(a, b)).second) waiting_.emplace_back(a, b);
  }

  /// Queues the faces of the cell, one for each edge to another sample.
  void await_edges_of(std::uint32_t v) {
    delaunay_.around(v, cell_, seen_);
    for (const std::uint32_t slot : cell_) {
      for (const std::uint32_t w : delaunay_.tetrahedra()[slot].vertices) {
        if (w == v || w < Delaunay::first_point) continue;
        await(std::min(v, w), std::max(v, w));
      }
    }
  }

  /// The face between two cells: the circumcenters of the tetrahedra around the edge. Empty if the two are no longer
  /// neighbors.
  Polygon face_between(std::uint32_t a, std::uint32_t b) {
    const auto tetrahedra = delaunay_.tetrahedra();
    const auto at = [&](std::uint32_t slot, std::uint32_t v) {
      const auto& vertices = tetrahedra[slot].vertices;
      return static_cast<std::size_t>(std::find(vertices.begin(), vertices.end(), v) - vertices.begin());
    };
    delaunay_.around(a, cell_, seen_);
    const auto start = std::find_if(cell_.begin(), cell_.end(), [&](std::uint32_t slot) { return at(slot, b) < 4; });
    Polygon face;
    if (start == cell_.end()) return face;
    std::uint32_t slot = *start;
    std::size_t pivot = 0;  // the vertex to leave behind
    while (tetrahedra[slot].vertices[pivot] == a || tetrahedra[slot].vertices[pivot] == b)
      ++pivot;
    do {
      // A circumcenter lost to rounding belongs to a nearly flat tetrahedron. It is close to its neighbors or far away.
      const std::optional<Vector3> center = delaunay_.circumcenter(slot);
      if (center) face.push_back(middle_ + size_ * *center);
      // Cross the face opposite the pivot. The next vertex to leave behind is the one that is neither on the edge nor
      // new.
      const auto& vertices = tetrahedra[slot].vertices;
      std::uint32_t kept = Delaunay::none;
      for (std::size_t i = 0; i < 4; ++i) {
        if (i != pivot && vertices[i] != a && vertices[i] != b) kept = vertices[i];
      }
      slot = tetrahedra[slot].neighbors[pivot];
      pivot = at(slot, kept);
    } while (slot != *start);
    return clipped(std::move(face), box_);
  }

  /// Returns a triangle at which the two samples' cells cross a gap.
  std::optional<std::uint32_t> crossing(std::uint32_t a, std::uint32_t b) {
    const Polygon face = face_between(a, b);
    if (face.size() < 3) return std::nullopt;
    Aabb bounds;
    for (const Vector3& corner : face)
      bounds.include(corner);
    triangles_in_box(shape_, bounds, near_);
    const std::uint32_t of_a = clusters_.of(samples_[a].triangle);
    const std::uint32_t of_b = clusters_.of(samples_[b].triangle);
    for (const std::uint32_t t : near_) {
      const std::uint32_t cluster = clusters_.of(t);
      if (clusters_.are_near(cluster, of_a) && clusters_.are_near(cluster, of_b)) continue;
      for (std::size_t i = 2; i < face.size(); ++i) {
        if (touches_triangle_triangle({face[0], face[i - 1], face[i]}, solid_.mesh().triangle(t))) return t;
      }
    }
    return std::nullopt;
  }

  std::vector<SurfaceSample> remedy(std::uint32_t a, std::uint32_t b, std::uint32_t hit) const {
    const std::uint32_t cluster = clusters_.of(hit);
    const Vector3& normal = clusters_.normal(cluster);
    const Vector3 on_plane = solid_.mesh().triangle(hit).a;
    std::vector<SurfaceSample> found;
    SurfaceSample closest;
    double least = infinity;
    for (const std::uint32_t v : {a, b}) {
      const SurfaceSample& sample = samples_[v];
      if (clusters_.of(sample.triangle) == cluster) continue;
      const Vector3 projected = sample.point - normal * normal.dot(sample.point - on_plane);
      for (const std::uint32_t t : clusters_.triangles(cluster)) {
        if (!holds_projection(solid_.mesh().triangle(t), normal, projected)) continue;
        found.push_back({projected, t});
        break;
      }
      const ClosestPoints pair = closest_points(sample.point, solid_.mesh().triangle(hit));
      if (pair.distance < least) {
        least = pair.distance;
        closest = {pair.point_b, hit};
      }
    }
    if (found.empty()) found.push_back(closest);
    return found;
  }

  static bool holds_projection(const Triangle& t, const Vector3& normal, const Vector3& point) {
    return normal.dot((t.b - t.a).cross(point - t.a)) >= 0 && normal.dot((t.c - t.b).cross(point - t.b)) >= 0 &&
           normal.dot((t.a - t.c).cross(point - t.c)) >= 0;
  }

  const Solid& solid_;
  const PlanarClusters& clusters_;
  Shape shape_;
  Aabb box_;
  Vector3 middle_;
  double size_ = 1;
  Delaunay delaunay_;
  std::vector<SurfaceSample> samples_;  // by vertex
  std::deque<std::pair<std::uint32_t, std::uint32_t>> waiting_;
  std::unordered_set<std::uint64_t> is_waiting_;
  std::vector<std::uint32_t> cell_;
  std::vector<std::uint32_t> near_;
  std::vector<bool> seen_;
};

}  // namespace

HubbardAxis hubbard_axis(const Solid& solid, const PlanarClusters& clusters, std::vector<SurfaceSample> samples,
                         const HubbardAxisOptions& options) {
  HubbardAxis result;
  Repairer repairer(solid, clusters, std::move(samples));
  repairer.repair(options.max_repairs, result);
  repairer.write(result);
  return result;
}

}  // namespace whisker::methods
