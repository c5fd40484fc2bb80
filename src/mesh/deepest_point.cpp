#include "mesh/deepest_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "convex/simple_convex.hpp"
#include "geometry/constants.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/place.hpp"
#include "geometry/unit_vector.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {
namespace {

/// How many points the search for common points samples: first in cells, then around the best of them.
constexpr int cell_points = 120;
constexpr int climb_points = 90;

class DeepestPointSearch {
 public:
  DeepestPointSearch(DepthBody& a, DepthBody& b, std::uint64_t effort, Cost& cost)
      : a_(a), b_(b), effort_(effort), cost_(cost) {}

  DeepPoint run(std::span<const Vector3> seeds) {
    for (const Vector3& seed : seeds)
      look_at(seed);
    if (a_.has_inside() && b_.has_inside()) {
      search_cells();
      climb();
      certify_common();
    }
    best_value_ = proven_.depth;
    search_corners(a_, b_, true);
    search_corners(b_, a_, false);
    return proven_;
  }

 private:
  bool spent() const { return looked_at_ >= effort_; }

  struct Sample {
    double a = -infinity;
    double b = -infinity;
    Vector3 out_a = Vector3::Zero();
    Vector3 out_b = Vector3::Zero();
    double value() const { return a > 0 && b > 0 ? a + b : std::min(a, b); }
  };

  Sample look_at(const Vector3& point) {
    ++looked_at_;
    Sample sample;
    sample.a = a_.inner_distance(point, sample.out_a, cost_);
    sample.b = b_.inner_distance(point, sample.out_b, cost_);
    if (sample.value() > best_value_) {
      best_value_ = sample.value();
      best_point_ = point;
      best_sample_ = sample;
    }
    return sample;
  }

  struct Cell {
    Vector3 center;
    Vector3 half;
    double hope;
  };

  /// Repeatedly halves the most promising cell of the intersection of both bounding boxes.
  void search_cells() {
    const Aabb box_a = a_.box(), box_b = b_.box();
    const Vector3 lower = box_a.lower.cwiseMax(box_b.lower), upper = box_a.upper.cwiseMin(box_b.upper);
    if (!((upper - lower).minCoeff() >= 0)) return;
    std::vector<Cell> cells;
    const auto less_hopeful = [](const Cell& p, const Cell& q) { return p.hope < q.hope; };
    const auto add = [&](const Vector3& center, const Vector3& half) {
      const double radius = half.stableNorm();
      const Sample sample = look_at(center);
      if (sample.a + radius <= 0 || sample.b + radius <= 0 || sample.a + sample.b + 2 * radius <= best_value_) return;
      cells.push_back({center, half, sample.a + sample.b + radius});
      std::push_heap(cells.begin(), cells.end(), less_hopeful);
    };
    add(lower / 2 + upper / 2, upper / 2 - lower / 2);
    for (int i = 0; i < cell_points / 2 && !cells.empty() && !spent(); ++i) {
      std::pop_heap(cells.begin(), cells.end(), less_hopeful);
      const Cell cell = cells.back();
      cells.pop_back();
      if (cell.hope + cell.half.stableNorm() <= best_value_) continue;
      int widest = 0;
      cell.half.maxCoeff(&widest);
      Vector3 half = cell.half;
      half[widest] /= 2;
      const Vector3 shift = half[widest] * Vector3::Unit(widest);
      add(cell.center - shift, half);
      add(cell.center + shift, half);
    }
  }

  /// Climbs from the best point: away from the nearest borders, and along the axes. The step is halved when no
  /// direction improves the value.
  void climb() {
    if (best_value_ == -infinity) return;
    const Aabb box_a = a_.box(), box_b = b_.box();
    const double size = std::min((box_a.upper - box_a.lower).maxCoeff(), (box_b.upper - box_b.lower).maxCoeff());
    double step = std::min(size / 4, best_value_ > 0 ? best_value_ / 2 : size / 16);
    const double min_step = std::max(size * 0x1p-40, 0x1p-10 * best_value_);
    const std::uint64_t end = looked_at_ + climb_points;
    while (looked_at_ < end && step > min_step && !spent()) {
      const Vector3 from_a = geometry::unit_vector(best_sample_.out_a),
                    from_b = geometry::unit_vector(best_sample_.out_b);
      const double side_a = best_sample_.a > 0 ? -1 : 1, side_b = best_sample_.b > 0 ? -1 : 1;
      const Vector3 up_a = side_a * from_a, up_b = side_b * from_b;
      std::array<Vector3, 9> ways = {geometry::unit_vector(up_a + up_b), up_a, up_b};
      for (int k = 0; k < 6; ++k)
        ways[static_cast<std::size_t>(3 + k)] = (k % 2 == 0 ? 1.0 : -1.0) * Vector3::Unit(k / 2);
      const double before = best_value_;
      const Vector3 from = best_point_;
      for (const Vector3& way : ways) {
        if (way.isZero(0)) continue;
        look_at(from + step * way);
        if (best_value_ > before) break;
      }
      if (!(best_value_ > before)) step /= 2;
    }
  }

  void certify_common() {
    if (!(best_value_ > 0)) return;
    const double depth = a_.min_inner_distance(best_point_, cost_) + b_.min_inner_distance(best_point_, cost_);
    if (depth > proven_.depth) {
      proven_ = {depth * (1 - 0x1p-52), best_point_, best_sample_.out_a, best_sample_.out_b};
    }
  }

  double inner_distance(const DepthBody& in, const Vector3& point, Vector3& out) {
    ++looked_at_;
    return in.inner_distance(point, out, cost_);
  }

  /// Finds the corners of `of` that lie deepest in `in`, as far as they are deeper than what is already proven.
  void search_corners(DepthBody& of, DepthBody& in, bool of_is_a) {
    if (!in.has_inside()) return;
    // A corner's ball in `of` has the radius `thickness`.
    const auto look_at_corner = [&](const Vector3& corner, double thickness) {
      Vector3 out;
      const double value = inner_distance(in, corner, out);
      if (!(value + thickness > best_value_)) return;
      const double depth = in.min_inner_distance(corner, cost_) + thickness;
      best_value_ = value + thickness;
      if (!(depth > proven_.depth)) return;
      proven_.depth = depth * (1 - 0x1p-52);
      proven_.point = corner;
      proven_.out_a = of_is_a ? Vector3::Zero() : out;
      proven_.out_b = of_is_a ? out : Vector3::Zero();
    };
    if (!of.is_mesh()) {
      // A point of a round shape's core is as deep in the shape as the radius, minus the point's own rounding error.
      const double thickness = of.radius() - 0x1p-44 * of.magnitude() - of.point_error();
      for (const Vector3& corner : corners_of(of.simple()))
        look_at_corner(corner, thickness);
      return;
    }
    search_mesh_corners(of.mesh(), in, look_at_corner);
  }

  static std::vector<Vector3> corners_of(const convex::SimpleShape& shape) {
    std::vector<Vector3> corners;
    if (shape.core == convex::SimpleShape::Core::box) {
      for (unsigned k = 0; k < 8; ++k) {
        Vector3 local = shape.box.size / 2;
        for (int axis = 0; axis < 3; ++axis)
          if ((k >> axis & 1) != 0) local[axis] = -local[axis];
        corners.push_back(geometry::placed_point(shape.pose, local));
      }
      return corners;
    }
    if (shape.core == convex::SimpleShape::Core::convex) {
      corners = convex::outer_points(*shape.convex);
      for (Vector3& corner : corners)
        corner = geometry::placed_point(shape.pose, corner);
      return corners;
    }
    shape.each_corner([&](const Vector3& corner) { corners.push_back(corner); });
    return corners;
  }

  /// Best-first search over the tree. No corner in a bounding ball is deeper than the ball's center by more than the
  /// ball's radius.
  template <class LookAtCorner>
  void search_mesh_corners(const PlacedMesh& of, DepthBody& in, const LookAtCorner& look_at_corner) {
    struct Entry {
      double bound;
      std::uint32_t index;      // of a node, or of a leaf
      std::uint32_t triangles;  // of a leaf; 0 for a node
    };
    const auto less_hopeful = [](const Entry& p, const Entry& q) {
      return p.bound != q.bound ? p.bound < q.bound : p.index > q.index;
    };
    const trees::OrientedTree& tree = storage_of(of.mesh).oriented;
    const Aabb box = in.box();
    std::vector<Entry> heap;
    std::vector<std::uint32_t> seen;  // vertices already tested, sorted
    heap.push_back({infinity, 0, 0});
    while (!heap.empty() && !spent()) {
      std::pop_heap(heap.begin(), heap.end(), less_hopeful);
      const Entry entry = heap.back();
      heap.pop_back();
      if (entry.bound <= best_value_) break;
      if (entry.triangles != 0) {
        for (std::uint32_t k = 0; k < entry.triangles; ++k) {
          for (const std::uint32_t vertex : of.mesh.triangles()[tree.leaves[entry.index].id[k]]) {
            const auto at = std::lower_bound(seen.begin(), seen.end(), vertex);
            if (at != seen.end() && *at == vertex) continue;
            seen.insert(at, vertex);
            const Vector3 corner = geometry::placed_point(of.pose, of.mesh.vertices()[vertex]);
            if (box.contains(corner)) look_at_corner(corner, 0);
          }
        }
        continue;
      }
      const trees::OrientedNode& node = tree.nodes[entry.index];
      for (const unsigned s : node.children()) {
        const Vector3 along = node.center_of(s), half = node.half_of(s);
        Vector3 local = node.origin_point();
        for (int i = 0; i < 3; ++i)
          local += along[i] * node.axis(i);
        const Vector3 center = geometry::placed_point(of.pose, local / tree.scale);
        const double radius = std::sqrt(geometry::dot(half, half)) / tree.scale * (1 + 0x1p-18);
        const Vector3 reach = Vector3::Constant(radius);
        if (!box.overlaps({center - reach, center + reach})) continue;
        Vector3 out;
        const double bound = inner_distance(in, center, out) + radius;
        if (bound <= best_value_ || bound <= 0) continue;
        heap.push_back({bound, node.index(s), node.is_leaf(s) ? node.triangles(s) : 0});
        std::push_heap(heap.begin(), heap.end(), less_hopeful);
      }
    }
  }

  DepthBody& a_;
  DepthBody& b_;
  std::uint64_t effort_;
  Cost& cost_;
  std::uint64_t looked_at_ = 0;
  double best_value_ = -infinity;
  Vector3 best_point_ = Vector3::Zero();
  Sample best_sample_;
  DeepPoint proven_;
};

}  // namespace

DeepPoint deepest_point(DepthBody& a, DepthBody& b, std::span<const Vector3> seeds, std::uint64_t effort, Cost& cost) {
  return DeepestPointSearch(a, b, effort, cost).run(seeds);
}

}  // namespace whisker::mesh
