// Overlap and distance of two oriented boxes, and an oriented box against a frustum, by separating axes: S. Gottschalk,
// M. C. Lin, D. Manocha, "OBBTree" (1996). Their |Rᵢⱼ| + ε is replaced by a bound on the rounding error of each axis's
// own numbers.

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include <whisker/geometry/obb.hpp>
#include <whisker/geometry/predicates.hpp>

#include "geometry/constants.hpp"
#include "volumes/box_axes.hpp"
#include "volumes/box_frame.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"
#include "volumes/to_core.hpp"

namespace whisker {

using volumes::AxesTell;
using volumes::Core;
using volumes::underflow;

namespace {

// Visits the 15 directions until `visit` returns true: the face normals of a, those of b, and the products of edges.
template <class Visit>
void each_axis(const Matrix3& a, const Matrix3& b, Visit&& visit) {
  for (const Matrix3* axes : {&a, &b})
    for (int i = 0; i < 3; ++i)
      if (visit(Vector3(axes->col(i)))) return;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (visit(Vector3(a.col(i).cross(b.col(j))))) return;
}

// Returns the direction or its negative, whichever points from a's center to b's. Rounding of the direction is
// harmless: cores that are apart along the rounded direction are apart.
Vector3 toward(const Vector3& direction, const Core& a, const Core& b) {
  return direction.dot(b.center - a.center) < 0 ? Vector3(-direction) : direction;
}

bool finite_overlap(const Core& a, const Matrix3& axes_a, const Core& b, const Matrix3& axes_b) {
  bool apart = false;
  each_axis(axes_a, axes_b, [&](const Vector3& direction) {
    apart = volumes::gap_along(a, b, toward(direction, a, b)) > 0;
    return apart;
  });
  return !apart;
}

Interval finite_distance(const Core& a, const Matrix3& axes_a, const Core& b, const Matrix3& axes_b) {
  Interval bounds = volumes::distance_bounds(a, b);
  if (bounds.lower == 0) {
    each_axis(axes_a, axes_b, [&](const Vector3& direction) {
      bounds.lower = std::max(bounds.lower, volumes::distance_along(a, b, toward(direction, a, b)));
      return false;
    });
    bounds.lower = std::min(bounds.lower, bounds.upper);
  }
  return bounds;
}

// The box moved by the pose, up to rounding.
Obb rounded_place(const Pose& pose, const Obb& box) {
  return {volumes::placed_axes(pose, box.axes), geometry::placed_point(pose, box.center), box.half};
}
// How far its points may be from the true ones: the rounding of three products and sums, of the axes and of the center.
double blur_of(const Pose& pose, const Obb& box) {
  double size = volumes::sum_of_sizes(box.center) + volumes::sum_of_sizes(pose.translation());
  for (int i = 0; i < 3; ++i)
    size += box.half[i] * volumes::sum_of_sizes(box.axes.col(i));
  return 16 * unit_roundoff * size;
}

AxesTell tell(const Obb& a, const Obb& b, double blur) {
  const Vector3 between = b.center - a.center;
  return volumes::tell_boxes({a.axes.data(), a.half.data()}, {b.axes.data(), b.half.data()}, between.data(), blur);
}

struct Determinant {
  double value = 0;
  double error = 0;
};

// u · (v × w). Each entry of u may be off by one rounding.
Determinant determinant(const Vector3& u, const Vector3& v, const Vector3& w) {
  Determinant result;
  double size = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    result.value += u[i] * (v[j] * w[k] - v[k] * w[j]);
    size += std::abs(u[i]) * (std::abs(v[j] * w[k]) + std::abs(v[k] * w[j]));
  }
  result.error = 16 * unit_roundoff * size + (1 + volumes::largest_entry(u)) * underflow;
  return result;
}

// A lower bound on the distance of boxes whose lengths may be infinite. Tries the direction L = g × h for each pair of
// the six axes. L is the exact cross product, perpendicular to g and h, so the lengths along g and h do not count.
double unbounded_distance(const Obb& a, const Obb& b) {
  std::array<Vector3, 6> axes;
  std::array<double, 6> half;
  for (std::size_t i = 0; i < 3; ++i) {
    const int k = static_cast<int>(i);
    axes[i] = a.axes.col(k);
    axes[3 + i] = b.axes.col(k);
    half[i] = a.half[k];
    half[3 + i] = b.half[k];
  }
  const Vector3 between = b.center - a.center;
  double best = 0;
  for (std::size_t p = 0; p < 6; ++p) {
    for (std::size_t q = p + 1; q < 6; ++q) {
      const Determinant along = determinant(between, axes[p], axes[q]);
      double gap = std::abs(along.value) - along.error;
      for (std::size_t k = 0; k < 6 && gap > 0; ++k) {
        if (k == p || k == q || half[k] == 0) continue;
        if (half[k] == infinity) {
          if (orient3d(axes[p], axes[q], axes[k], Vector3::Zero()) != 0) gap = -infinity;
          continue;
        }
        const Determinant reach = determinant(axes[k], axes[p], axes[q]);
        const double term = half[k] * (std::abs(reach.value) + reach.error) * (1 + 4 * unit_roundoff);
        gap = geometry::add_down(gap, -geometry::next_up(term));
      }
      if (!(gap > 0)) continue;
      // Divide by an upper bound on |L|: the computed cross product is off by three roundings of its terms' sizes,
      // which are at most about 1.
      const Vector3 l = axes[p].cross(axes[q]);
      const double length =
          volumes::norm_up(l) + 16 * unit_roundoff * volumes::norm_up(axes[p]) * volumes::norm_up(axes[q]);
      best = std::max(best, geometry::divide_down(gap, length));
    }
  }
  return best;
}

Obb cut_to(const Obb& box, double length) {
  Obb result = box;
  for (int i = 0; i < 3; ++i)
    result.half[i] = std::min(result.half[i], length);
  return result;
}

Interval unbounded_distance_bounds(const Obb& a, const Obb& b) {
  // Boxes cut to a finite length are smaller and no closer, so their distance is an upper bound.
  double size = volumes::largest_entry(b.center - a.center);
  for (int i = 0; i < 3; ++i) {
    for (const double half : {a.half[i], b.half[i]})
      size = std::max(size, std::isfinite(half) ? half : 0);
  }
  const double length = size > 0 ? 64 * size : 1;
  const double upper =
      volumes::distance_bounds(volumes::to_core(cut_to(a, length)), volumes::to_core(cut_to(b, length))).upper;
  return {std::min(unbounded_distance(a, b), upper), upper};
}

bool are_finite(const Obb& a, const Obb& b) {
  return volumes::is_finite(a) && volumes::is_finite(b);
}

}  // namespace

bool overlaps(const Obb& a, const Obb& b) {
  if (!are_finite(a, b)) return unbounded_distance(a, b) == 0;
  if (const AxesTell quick = tell(a, b, 0); quick != AxesTell::unknown) return quick == AxesTell::overlapping;
  return finite_overlap(volumes::to_core(a), a.axes, volumes::to_core(b), b.axes);
}

bool overlaps(const Obb& a, const Pose& pose_a, const Obb& b, const Pose& pose_b) {
  if (!are_finite(a, b)) return overlaps(place(pose_a, a), place(pose_b, b));
  const Obb placed_a = rounded_place(pose_a, a), placed_b = rounded_place(pose_b, b);
  const AxesTell quick = tell(placed_a, placed_b, blur_of(pose_a, a) + blur_of(pose_b, b));
  if (quick != AxesTell::unknown) return quick == AxesTell::overlapping;
  return finite_overlap(volumes::placed(pose_a, volumes::to_core(a)), placed_a.axes,
                        volumes::placed(pose_b, volumes::to_core(b)), placed_b.axes);
}

Interval distance_bounds(const Obb& a, const Obb& b) {
  if (!are_finite(a, b)) return unbounded_distance_bounds(a, b);
  return finite_distance(volumes::to_core(a), a.axes, volumes::to_core(b), b.axes);
}

Interval distance_bounds(const Obb& a, const Pose& pose_a, const Obb& b, const Pose& pose_b) {
  if (!are_finite(a, b)) {
    const Obb placed_a = place(pose_a, a);
    const Obb placed_b = place(pose_b, b);
    Interval bounds = unbounded_distance_bounds(placed_a, placed_b);
    // The placed boxes are slightly larger than the exact sets: each length grows by the errors of the center, the axes
    // and the other lengths. Four times the sum of these growths exceeds the distance of any point of a placed box from
    // the exact set.
    double larger = 0;
    for (int i = 0; i < 3; ++i) {
      if (std::isfinite(a.half[i])) larger += placed_a.half[i] - a.half[i];
      if (std::isfinite(b.half[i])) larger += placed_b.half[i] - b.half[i];
    }
    bounds.upper = geometry::add_up(bounds.upper, 4 * larger);
    return bounds;
  }
  return finite_distance(volumes::placed(pose_a, volumes::to_core(a)), volumes::placed_axes(pose_a, a.axes),
                         volumes::placed(pose_b, volumes::to_core(b)), volumes::placed_axes(pose_b, b.axes));
}

FrustumSide classify(const Obb& volume, const Frustum& frustum) {
  bool inside = true;
  for (const HalfSpace& plane : frustum.planes) {
    const int exponent = volumes::exponent_of(volumes::largest_entry(plane.normal));
    const Vector3 normal = volumes::times_power(plane.normal, -exponent);
    const double offset = std::ldexp(plane.offset, -exponent);
    const double at = normal.dot(volume.center) - offset;
    double size = std::abs(offset) + normal.cwiseAbs().dot(volume.center.cwiseAbs());
    double reach = 0;
    for (int k = 0; k < 3; ++k) {
      const Vector3 axis = volume.axes.col(k);
      if (volume.half[k] == infinity) {
        const Interval along = dot(IntervalVector3(normal), IntervalVector3(axis));
        if (!(along == Interval(0.0))) reach = infinity;
      } else {
        reach += volume.half[k] * std::abs(normal.dot(axis));
        size += volume.half[k] * normal.cwiseAbs().dot(axis.cwiseAbs());
      }
    }
    const double error = 16 * unit_roundoff * size + underflow;
    if (at - reach > error) return FrustumSide::outside;
    if (!(at + reach <= -error)) inside = false;
  }
  return inside ? FrustumSide::inside : FrustumSide::unknown;
}

bool overlaps(const Obb& volume, const Frustum& frustum) {
  return classify(volume, frustum) != FrustumSide::outside;
}

}  // namespace whisker
