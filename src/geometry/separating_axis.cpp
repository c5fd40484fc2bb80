#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/geometry/separating_axis.hpp>

#include "geometry/constants.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"

// How separation is proven. All coordinates are relative to one placed vertex o of the first polyhedron. For an axis d
// (any vector of doubles) and a placed vertex v, the number d·(v - o) is evaluated with at most four roundings per term
// (difference, product, two sums), so it is off by less than 5u Σ|d_k||v_k - o_k| with u = 2^-53. The gap along d,
// which is the minimum over b minus the maximum over a, is then off by less than 6u Σ|d_k| (A_k + B_k), where A and B
// are the largest absolute relative coordinates of each polyhedron. A gap larger than that is real, for any d from any
// source. So the axes themselves (normals, cross products) may be rounded freely.

namespace whisker {
namespace {

using geometry::placed_direction;
using geometry::placed_point;

// Far above what underflow can do to a sum of a few products, and far below every length that matters.
constexpr double underflow_allowance = 0x1p-1000;

// Edges count as parallel if the squared sine of their angle is below this: their cross product is only rounding error.
constexpr double parallel_sine_squared = 0x1p-98;

// Vertices are stored in groups of this size, so that the loops over them compile to SIMD.
constexpr std::size_t lanes = 4;

constexpr std::size_t padded(std::size_t count) {
  return (count + lanes - 1) / lanes * lanes;
}

using geometry::dot;

// v / |v|. Returns false if v is zero, too small, too large or not finite.
bool normalize(Vector3& v) {
  double length_squared = dot(v, v);
  if (!(length_squared > 1e-200 && length_squared < 1e200)) {
    // Divide by the largest coordinate first.
    const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
    if (!(largest > 0 && largest < infinity)) return false;
    v = Vector3(v[0] / largest, v[1] / largest, v[2] / largest);
    length_squared = dot(v, v);
    if (!(length_squared >= 1 && length_squared <= 3.5)) return false;
  }
  const double length = std::sqrt(length_squared);
  v = Vector3(v[0] / length, v[1] / length, v[2] / length);
  return true;
}

struct Interval {
  double low, high;
};

// Points as three arrays, padded with copies of the last point.
struct PointArrays {
  double* x = nullptr;
  double* y = nullptr;
  double* z = nullptr;
  std::size_t count = 0;

  static std::size_t numbers_for(std::size_t count) { return 3 * padded(count); }

  double* lay_out(double* memory, std::size_t points) {
    count = points;
    x = memory;
    y = x + padded(count);
    z = y + padded(count);
    return z + padded(count);
  }
  void set(std::size_t i, const Vector3& p) {
    x[i] = p[0];
    y[i] = p[1];
    z[i] = p[2];
  }
  void pad() {
    for (std::size_t i = count; i < padded(count); ++i)
      set(i, (*this)[count - 1]);
  }
  Vector3 operator[](std::size_t i) const { return {x[i], y[i], z[i]}; }
};

// The extent of the points along d.
Interval extent(const PointArrays& points, const Vector3& d) {
  double low[lanes];
  double high[lanes];
  for (std::size_t j = 0; j < lanes; ++j) {
    low[j] = infinity;
    high[j] = -infinity;
  }
  const double* const x = points.x;
  const double* const y = points.y;
  const double* const z = points.z;
  const double dx = d[0], dy = d[1], dz = d[2];
  for (std::size_t i = 0; i < points.count; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) {
      const double value = (dx * x[i + j] + dy * y[i + j]) + dz * z[i + j];
      low[j] = value < low[j] ? value : low[j];
      high[j] = value > high[j] ? value : high[j];
    }
  }
  return {std::min(std::min(low[0], low[1]), std::min(low[2], low[3])),
          std::max(std::max(high[0], high[1]), std::max(high[2], high[3]))};
}

// out[i] = d·point i.
void dot_all(const PointArrays& points, const Vector3& d, double* out) {
  const double dx = d[0], dy = d[1], dz = d[2];
  for (std::size_t i = 0; i < padded(points.count); ++i) {
    out[i] = (dx * points.x[i] + dy * points.y[i]) + dz * points.z[i];
  }
}

// Normals transform with the cofactors of the rotation. These equal the rotation itself if it is exact.
Matrix3 cofactors(const Matrix3& r) {
  Matrix3 c;
  for (int k = 0; k < 3; ++k)
    c.col(k) = r.col((k + 1) % 3).cross(r.col((k + 2) % 3));
  return c;
}

// One polyhedron in world coordinates.
struct Side {
  const PolyhedronView* view = nullptr;
  const Pose* pose = nullptr;
  Pose normal_pose;        // takes normals to the world
  PointArrays vertices;    // relative to the common origin
  PointArrays normals;     // unit
  PointArrays directions;  // unit
  Vector3 largest;         // largest absolute coordinates of the vertices
  Vector3 center;          // mean of the vertices

  std::size_t numbers() const {
    return PointArrays::numbers_for(view->vertices.size()) + PointArrays::numbers_for(view->normals.size()) +
           PointArrays::numbers_for(view->directions.size());
  }

  void place_vertices(const Vector3& origin) {
    largest = Vector3::Zero();
    Vector3 sum = Vector3::Zero();
    for (std::size_t i = 0; i < view->vertices.size(); ++i) {
      const Vector3 p = placed_point(*pose, view->vertices[i]) - origin;
      vertices.set(i, p);
      largest = largest.cwiseMax(p.cwiseAbs());
      sum += p;
    }
    vertices.pad();
    center = sum / static_cast<double>(view->vertices.size());
  }

  void place_directions() {
    geometry::raw_rotation(normal_pose) = cofactors(pose->rotation());
    place_units(view->normals, normal_pose, normals);
    place_units(view->directions, *pose, directions);
  }

  static void place_units(std::span<const Vector3> units, const Pose& at, PointArrays& placed) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      Vector3 unit = placed_direction(at, units[i]);
      normalize(unit);
      placed.set(i, unit);
    }
    if (placed.count > 0) placed.pad();
  }
};

class Test {
 public:
  Test(const PolyhedronView& a, const Pose& pose_a, const PolyhedronView& b, const Pose& pose_b,
       SeparatingAxisScratch& scratch) {
    a_.view = &a;
    a_.pose = &pose_a;
    b_.view = &b;
    b_.pose = &pose_b;
    const std::size_t needed = a_.numbers() + b_.numbers() + padded(b.normals.size());
    if (scratch.numbers.size() < needed) scratch.numbers.resize(needed);
    double* memory = scratch.numbers.data();
    for (Side* side : {&a_, &b_}) {
      memory = side->vertices.lay_out(memory, side->view->vertices.size());
      memory = side->normals.lay_out(memory, side->view->normals.size());
      memory = side->directions.lay_out(memory, side->view->directions.size());
    }
    heights_ = memory;
    if (scratch.arcs.size() < b.arcs.size()) scratch.arcs.resize(b.arcs.size());
    crossing_ = scratch.arcs.data();
  }

  SeparatingAxisResult run(const SeparatingAxisCache* cache) {
    const Vector3 origin = placed_point(*a_.pose, a_.view->vertices[0]);
    a_.place_vertices(origin);
    b_.place_vertices(origin);
    if (cache != nullptr && cache->valid) {
      Vector3 axis = cache->axis;
      if (normalize(axis) && try_axis(axis, false)) {
        result_.cache_hit = true;
        return result_;
      }
    }
    if (!search()) finish_overlap();
    return result_;
  }

 private:
  // Each step returns true once the pair is proven apart.
  bool search() {
    Vector3 line = b_.center - a_.center;
    if (normalize(line) && try_axis(line, true)) return true;
    a_.place_directions();
    b_.place_directions();
    if (try_normals(a_, b_, 1) || try_normals(b_, a_, -1)) return true;
    if (a_.view->dimension <= 2 && b_.view->dimension <= 2 && try_flat_axes()) return true;
    return prefers_directions() ? try_all_directions() : try_crossing_arcs();
  }

  double rounding(const Vector3& axis) const {
    const Vector3 reach = a_.largest + b_.largest;
    return 7 * unit_roundoff *
               (std::abs(axis[0]) * reach[0] + std::abs(axis[1]) * reach[1] + std::abs(axis[2]) * reach[2]) +
           underflow_allowance;
  }

  double gap_along(const Vector3& axis) const { return extent(b_.vertices, axis).low - extent(a_.vertices, axis).high; }

  // Evaluates a gap along a unit axis: sets the result if the gap separates, else remembers it if it is the best so
  // far.
  bool accept(const Vector3& axis, double gap, bool remember) {
    const double error = rounding(axis);
    if (gap > error) {
      result_.separated = true;
      result_.axis = axis;
      result_.gap = std::max(0.0, (gap - error) * (1 - 16 * unit_roundoff));
      return true;
    }
    if (remember && gap > best_gap_) {
      best_gap_ = gap;
      best_axis_ = axis;
    }
    return false;
  }

  // Whether there is a gap beyond rounding along the unit axis, from a to b.
  bool try_axis(const Vector3& axis, bool remember) {
    ++result_.axes_tried;
    return accept(axis, gap_along(axis), remember);
  }

  // Tries the axis in both directions.
  bool try_line(Vector3 axis) {
    if (!normalize(axis)) return false;
    ++result_.axes_tried;
    const Interval a = extent(a_.vertices, axis);
    const Interval b = extent(b_.vertices, axis);
    return accept(axis, b.low - a.high, true) || accept(-axis, a.low - b.high, true);
  }

  // Tries an axis whose gap is known from the features that it belongs to. Only if that gap is promising are all
  // vertices evaluated.
  bool try_promising(const Vector3& axis, double expected_gap) {
    ++result_.axes_tried;
    return expected_gap > best_gap_ && accept(axis, gap_along(axis), true);
  }

  // Tries the normals of one side. `from_a` is 1 if they point from a to b, and -1 if they point from b to a.
  bool try_normals(const Side& side, const Side& other, double from_a) {
    for (std::size_t i = 0; i < side.normals.count; ++i) {
      const Vector3 n = side.normals[i];
      const double top = dot(n, side.vertices[side.view->normal_vertices[i]]);
      if (try_promising(from_a * n, extent(other.vertices, n).low - top)) return true;
    }
    return false;
  }

  // If the Minkowski sum of the two polyhedra may itself be flat or lower-dimensional, its boundary also has normals
  // within its own plane or line.
  bool try_flat_axes() {
    for (const auto& [flat, other] : {std::pair{&a_, &b_}, std::pair{&b_, &a_}}) {
      if (flat->view->dimension == 2) {
        for (std::size_t j = 0; j < other->directions.count; ++j) {
          if (try_line(flat->normals[0].cross(other->directions[j]))) return true;
        }
      }
    }
    if (a_.view->dimension > 1 || b_.view->dimension > 1) return false;
    // Points and segments.
    const Vector3 between = b_.vertices[0];
    if (a_.view->dimension == 0 && b_.view->dimension == 0) return try_line(between);
    for (const Side* segment : {&a_, &b_}) {
      if (segment->view->dimension != 1) continue;
      const Vector3 u = segment->directions[0];
      // Across the segment toward the other shape, and along the segment.
      if (try_line(u.cross(between).cross(u)) || try_line(u)) return true;
    }
    if (a_.view->dimension == 1 && b_.view->dimension == 1) {
      Vector3 n = a_.directions[0].cross(b_.directions[0]);
      if (normalize(n) && (try_line(n.cross(a_.directions[0])) || try_line(n.cross(b_.directions[0])))) return true;
    }
    return false;
  }

  // Small polyhedra have few edge directions (a box three), so trying all pairs is cheaper than comparing arcs.
  bool prefers_directions() const {
    if (a_.view->arcs.empty() || b_.view->arcs.empty()) return true;
    const std::size_t by_directions =
        a_.directions.count * b_.directions.count * (padded(a_.vertices.count) + padded(b_.vertices.count));
    const std::size_t by_arcs = a_.view->arcs.size() * (b_.view->arcs.size() + b_.normals.count);
    return by_directions <= 2 * by_arcs;
  }

  bool try_all_directions() {
    for (std::size_t i = 0; i < a_.directions.count; ++i) {
      const Vector3 u = a_.directions[i];
      for (std::size_t j = 0; j < b_.directions.count; ++j) {
        const Vector3 axis = u.cross(b_.directions[j]);
        if (dot(axis, axis) > parallel_sine_squared && try_line(axis)) return true;
      }
    }
    return false;
  }

  // D. Gregorius, "The separating axis test between convex polyhedra" (2013): two edges span a face of the Minkowski
  // difference only if the arc of one crosses the negated arc of the other on the Gauss map. Arcs that only touch at an
  // end give the axis of a face normal, which has already been tried.
  bool try_crossing_arcs() {
    for (const GaussArc& arc : a_.view->arcs) {
      const Vector3 u = a_.directions[arc.direction];
      dot_all(b_.normals, u, heights_);
      const Vector3 left = a_.normals[arc.left];
      const Vector3 right = a_.normals[arc.right];
      const Vector3 middle = left + right;
      const Vector3 foot = a_.vertices[arc.begin];
      // b's arc must cross the great circle of a's arc. Gathered without branches, because few do.
      std::size_t crossing = 0;
      for (std::uint32_t j = 0; j < b_.view->arcs.size(); ++j) {
        const GaussArc& other = b_.view->arcs[j];
        crossing_[crossing] = j;
        crossing += heights_[other.left] * heights_[other.right] < 0 ? 1 : 0;
      }
      for (std::size_t i = 0; i < crossing; ++i) {
        const GaussArc& other = b_.view->arcs[crossing_[i]];
        // a's arc must cross the great circle of b's arc.
        const Vector3 v = b_.directions[other.direction];
        if (!(dot(left, v) * dot(right, v) < 0)) continue;
        Vector3 axis = u.cross(v);
        const double length_squared = dot(axis, axis);
        if (!(length_squared > parallel_sine_squared)) continue;
        // The circles cross in two opposite points. Both arcs must pass through the same one, with b's arc negated.
        if (dot(axis, middle) < 0) axis = -axis;
        if (!(dot(axis, b_.normals[other.left] + b_.normals[other.right]) < 0)) continue;
        ++result_.axes_tried;
        const double expected = dot(axis, b_.vertices[other.begin] - foot);
        if (!(expected > best_gap_ * std::sqrt(length_squared)) || !normalize(axis)) continue;
        if (accept(axis, gap_along(axis), true)) return true;
      }
    }
    return false;
  }

  void finish_overlap() {
    // If there is no axis at all, the polyhedra are two equal points, which touch without overlap.
    if (best_gap_ == -infinity) return;
    result_.axis = best_axis_;
    result_.overlap = std::max(0.0, (rounding(best_axis_) - best_gap_) * (1 + 16 * unit_roundoff));
  }

  Side a_;
  Side b_;
  double* heights_ = nullptr;          // heights of b's normals along a direction
  std::uint32_t* crossing_ = nullptr;  // indices of b's arcs
  double best_gap_ = -infinity;
  Vector3 best_axis_ = Vector3::Zero();
  SeparatingAxisResult result_;
};

}  // namespace

SeparatingAxisResult separating_axis(const PolyhedronView& a, const Pose& pose_a, const PolyhedronView& b,
                                     const Pose& pose_b, SeparatingAxisCache* cache, SeparatingAxisScratch& scratch) {
  Test test(a, pose_a, b, pose_b, scratch);
  const SeparatingAxisResult result = test.run(cache);
  if (cache != nullptr) {
    cache->axis = result.axis;
    cache->valid = !result.axis.isZero();
  }
  return result;
}

SeparatingAxisResult separating_axis(const PolyhedronView& a, const Pose& pose_a, const PolyhedronView& b,
                                     const Pose& pose_b) {
  SeparatingAxisScratch scratch;
  return separating_axis(a, pose_a, b, pose_b, nullptr, scratch);
}

}  // namespace whisker
