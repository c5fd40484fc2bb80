#include <algorithm>
#include <array>
#include <cmath>

#include <whisker/geometry/obb.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "volumes/box_frame.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"

namespace whisker {

using volumes::BoxFrame;

namespace {

void require_box(const Obb& box, const char* what) {
  if (!(volumes::skew_of(box.axes) <= volumes::largest_skew)) {
    throw Error(std::string(what) +
                ": the oriented box's axes are not unit vectors at right angles (up to 1e-6); normalize them");
  }
}

// The product, with 0 times infinity taken as 0: an unbounded length adds nothing along a direction that it has no
// component in.
double part(double half, double coefficient) {
  return coefficient == 0 || half == 0 ? 0 : half * coefficient;
}

// An upper bound on how far the box extends from its center along coordinate i of a frame.
double reach_up(const Obb& box, const BoxFrame& frame, int i) {
  if (frame.axes == box.axes) return box.half[i];
  double sum = 0;
  for (int j = 0; j < 3; ++j)
    sum += part(box.half[j], frame.coordinate_up(box.axes.col(j), i));
  return sum * (1 + 4 * unit_roundoff);
}

Obb around_both(const Obb& a, const Obb& b, const Matrix3& axes) {
  const BoxFrame frame(axes);
  const std::array<const Obb*, 2> boxes = {&a, &b};
  Vector3 middle = Vector3::Zero();
  for (int i = 0; i < 3; ++i) {
    double lower = infinity;
    double upper = -infinity;
    for (const Obb* box : boxes) {
      const double at = frame.coordinate(box->center - a.center, i);
      const double reach = reach_up(*box, frame, i);
      lower = std::min(lower, at - reach);
      upper = std::max(upper, at + reach);
    }
    if (std::isfinite(lower) && std::isfinite(upper)) middle[i] = lower / 2 + upper / 2;
  }
  Obb result;
  result.axes = axes;
  result.center = a.center + axes * middle;
  for (int i = 0; i < 3; ++i) {
    for (const Obb* box : boxes) {
      const double offset = frame.coordinate_up(box->center - result.center, i);
      result.half[i] = std::max(result.half[i], geometry::add_up(offset, reach_up(*box, frame, i)));
    }
  }
  return result;
}

// Compares surface areas in plain scaled doubles, which is accurate enough to choose between boxes.
bool is_smaller(const Obb& a, const Obb& b) {
  if (!volumes::is_finite(a)) return false;
  if (!volumes::is_finite(b)) return true;
  const double largest = std::max(a.half.maxCoeff(), b.half.maxCoeff());
  const double scale = std::ldexp(1.0, -volumes::exponent_of(largest));
  const auto area = [&](const Obb& box) {
    const Vector3 h = box.half * scale;
    return h[0] * h[1] + h[1] * h[2] + h[2] * h[0];
  };
  return area(a) < area(b);
}

}  // namespace

Obb merge(const Obb& a, const Obb& b) {
  require_box(a, "merge");
  require_box(b, "merge");
  // Try the axes of the box with more unbounded lengths first: in the other box's axes, one unbounded length could make
  // several lengths infinite.
  const bool swap = (b.half.array() == infinity).count() > (a.half.array() == infinity).count();
  Obb best = around_both(a, b, swap ? b.axes : a.axes);
  const Obb other = around_both(a, b, swap ? a.axes : b.axes);
  if (is_smaller(other, best)) best = other;
  if (volumes::is_finite(a) && volumes::is_finite(b)) {
    std::array<Vector3, 16> corners;
    std::size_t count = 0;
    for (const Obb* box : {&a, &b}) {
      for (int corner = 0; corner < 8; ++corner) {
        const Vector3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
        corners[count++] = box->center + box->axes * sign.cwiseProduct(box->half);
      }
    }
    const Obb fitted = around_both(a, b, volumes::principal_axes(corners));
    if (is_smaller(fitted, best)) best = fitted;
  }
  return best;
}

Obb grow(const Obb& volume, double length) {
  volumes::check_length(length, "grow");
  require_box(volume, "grow");
  Obb result = volume;
  const double stretch = BoxFrame(volume.axes).stretch();
  const double by = stretch == 1 ? length : geometry::multiply_up(length, stretch);
  for (int i = 0; i < 3; ++i)
    result.half[i] = geometry::add_up(volume.half[i], by);
  return result;
}

Obb place(const Pose& pose, const Obb& volume) {
  require_box(volume, "place");
  const bool finite = volumes::is_finite(volume);
  const Matrix3 turned = volumes::placed_axes(pose, volume.axes);
  Obb result;
  result.axes = finite ? volumes::orthonormalized(turned) : turned;
  result.center = geometry::placed_point(pose, volume.center);
  const BoxFrame frame(result.axes);

  // Covers the rounding of the center, the rounding of place() for any point of the box, and that of the turned axes.
  Vector3 largest = volume.center.cwiseAbs();
  double axes_error = 0;
  for (int j = 0; j < 3; ++j) {
    if (!std::isfinite(volume.half[j])) continue;
    largest += volume.half[j] * volume.axes.col(j).cwiseAbs();
    const Vector3 sizes = pose.rotation().cwiseAbs() * volume.axes.col(j).cwiseAbs();
    axes_error += volume.half[j] * (4 * unit_roundoff * sizes.sum());
  }
  const double error = (2 * volumes::place_rounding(pose, largest) + axes_error) * frame.stretch();
  for (int i = 0; i < 3; ++i) {
    double reach = error * (1 + 8 * unit_roundoff);
    for (int j = 0; j < 3; ++j) {
      const double coefficient = finite ? frame.coordinate_up(turned.col(j), i) : (i == j ? 1 : 0);
      reach += part(volume.half[j], coefficient);
    }
    result.half[i] = reach * (1 + 8 * unit_roundoff);
  }
  return result;
}

bool contains(const Obb& volume, const Vector3& point) {
  const BoxFrame frame(volume.axes);
  if (!(frame.skew <= 0.01)) return true;  // not a box, so nothing is proven
  const Vector3 d = point - volume.center;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(frame.coordinate(d, i)) - frame.error(d, i) > volume.half[i] * (1 + 2 * unit_roundoff)) return false;
  }
  return true;
}

Aabb bounds(const Obb& volume) {
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    double reach = 0;
    for (int j = 0; j < 3; ++j)
      reach += part(volume.half[j], std::abs(volume.axes(i, j)));
    if (reach > 0) reach = geometry::next_up(reach * (1 + 8 * unit_roundoff));
    box.lower[i] = geometry::add_down(volume.center[i], -reach);
    box.upper[i] = geometry::add_up(volume.center[i], reach);
  }
  return box;
}

double surface_area(const Obb& volume) {
  const Vector3& h = volume.half;
  return 8 * (part(h[0], h[1]) + part(h[1], h[2]) + part(h[2], h[0]));
}

}  // namespace whisker
