// Normal cones and direction masks: bounds on the normals of a surface's regions.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "deform/surface_normal.hpp"
#include "geometry/constants.hpp"
#include "methods/surfaces/surface_bounds.hpp"

namespace whisker::methods::surfaces {

using deform::area_of;
using deform::length_of;
using deform::Normal;
using deform::normal_of;

namespace {

/// Error bound of the computed n · d, for entries of d up to 1: the same as that of signed_area().
double dot_error(const Normal& normal) {
  return 8 * unit_roundoff * (normal.permanent.sum() + geometry::underflow_guard);
}

/// Points on the sphere along a spiral of golden angles, which spreads any number of points evenly. Each step is a
/// product of two unit complex numbers, so that no sine depends on the platform.
std::vector<Vector3> spread_directions(std::size_t count) {
  const double turn_x = -0.73736887807831963, turn_y = 0.67549029426152396;  // cos and sin of π (3 - √5)
  std::vector<Vector3> directions;
  double x = 1, y = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(count);
    const double radius = std::sqrt(1 - z * z);
    directions.emplace_back(radius * x, radius * y, z);
    const double next_x = x * turn_x - y * turn_y;
    y = x * turn_y + y * turn_x;
    x = next_x;
  }
  return directions;
}

/// Lower bound on cos(arccos(a) + arccos(b)), for angles of up to 90 degrees. There are fewer than 16 rounding errors,
/// of numbers up to 1.
double cosine_of_sum(double a, double b) {
  const double sine_a = std::sqrt(std::max(0.0, (1 - a) * (1 + a)));
  const double sine_b = std::sqrt(std::max(0.0, (1 - b) * (1 + b)));
  return a * b - sine_a * sine_b - 16 * unit_roundoff;
}

/// Lower bound on the cosine of the angle between two axes: covers 3 rounding errors, and 8 for each length.
double cosine_between(const Vector3& p, const Vector3& q) {
  return p.dot(q) - 32 * unit_roundoff;
}

}  // namespace

std::vector<Vector3> mask_directions(SurfaceVolume volume, SurfaceCurvature curvature) {
  std::vector<Vector3> directions;
  if (curvature == SurfaceCurvature::sixty_four) directions = spread_directions(64);
  if (curvature == SurfaceCurvature::volume_directions) {
    for (const Vector3& axis : volume_axes(volume)) {
      directions.push_back(axis);
      directions.push_back(-axis);
    }
  }
  return directions;
}

NormalCone merged(const NormalCone& p, const NormalCone& q) {
  if (!(p.cosine > 0) || !(q.cosine > 0)) return {};
  const double between = cosine_between(p.axis, q.axis);
  if (!(between > -0.99)) return {};  // there is no well-defined direction between them
  // One cone may be inside the other.
  if (between >= 0 && cosine_of_sum(between, q.cosine) >= p.cosine) return p;
  if (between >= 0 && cosine_of_sum(between, p.cosine) >= q.cosine) return q;
  // The half-angle of the union is (between + p + q) / 2, around an axis rotated from p's by that minus p's own.
  // Correctness requires only that the cosine is not too large for the axis.
  const double angle_p = std::acos(std::min(1.0, p.cosine)), angle_q = std::acos(std::min(1.0, q.cosine));
  const double angle = std::acos(std::clamp(between, -1.0, 1.0));
  const double from_p = std::clamp((angle + angle_q - angle_p) / 2, 0.0, angle);
  const double sine = std::sin(angle);
  NormalCone cone;
  cone.axis = sine > 1e-6
                  ? Vector3(std::sin(angle - from_p) / sine * p.axis + std::sin(from_p) / sine * q.axis).normalized()
                  : Vector3(p.axis + q.axis).normalized();
  const double to_p = cosine_between(cone.axis, p.axis), to_q = cosine_between(cone.axis, q.axis);
  if (!(to_p > 0) || !(to_q > 0)) return {};
  cone.cosine = std::min(cosine_of_sum(std::min(1.0, to_p), p.cosine), cosine_of_sum(std::min(1.0, to_q), q.cosine));
  return cone;
}

std::vector<std::uint8_t> contour_margins(std::span<const Vector3> positions, std::span<const Index3> triangles,
                                          std::span<const std::uint32_t> twins) {
  // For each vertex, whether it is on the border, and the sum of its angles.
  std::vector<bool> is_open(positions.size());
  std::vector<double> angles(positions.size());
  for (std::uint32_t h = 0; h < twins.size(); ++h) {
    const std::uint32_t p = from_vertex(triangles, h), q = to_vertex(triangles, h);
    const std::uint32_t r = triangles[h / 3][(h % 3 + 2) % 3];
    if (twins[h] == no_number) is_open[p] = is_open[q] = true;
    const Vector3 u = positions[q] - positions[p], v = positions[r] - positions[p];
    angles[p] += std::atan2(2 * area_of(positions[p], positions[q], positions[r]), u.dot(v));
  }
  std::vector<std::uint8_t> margins(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t v : triangles[t]) {
      const bool is_hollow = angles[v] > std::numbers::pi * (1 + 1e-6);
      if (is_open[v]) margins[t] = std::max<std::uint8_t>(margins[t], is_hollow ? 2 : 1);
    }
  }
  return margins;
}

void fit_masks(std::span<const Vector3> directions, std::span<const Vector3> positions,
               std::span<const Index3> triangles, const SurfaceTree& tree, std::span<const std::uint8_t> margins,
               double angle, std::vector<std::uint64_t>& masks) {
  masks.resize(tree.nodes.size());
  std::array<double, 64> x = {}, y = {}, z = {}, length = {};
  for (std::size_t i = 0; i < directions.size(); ++i) {
    x[i] = directions[i][0];
    y[i] = directions[i][1];
    z[i] = directions[i][2];
    length[i] = directions[i].norm();
  }
  std::array<double, 3> sines = {};
  for (int k = 1; k < 3; ++k)
    sines[static_cast<std::size_t>(k)] = std::sin(k * angle * std::numbers::pi / 180);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Index3& v = triangles[t];
    const Normal normal = normal_of(positions[v[0]], positions[v[1]], positions[v[2]]);
    const double error = dot_error(normal);
    const double margin = margins.empty() ? 0 : sines[margins[t]] * length_of(normal.value);
    // Missing directions are zero and get no bit.
    std::array<std::uint8_t, 64> is_in_front;
    for (std::size_t i = 0; i < 64; ++i) {
      const double dot = x[i] * normal.value[0] + y[i] * normal.value[1] + z[i] * normal.value[2];
      is_in_front[i] = dot > error + margin * length[i] ? 1 : 0;
    }
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < 64; i += 8) {
      // Packs eight bytes into eight bits: 2^(8k) · 2^(56 - 7k) = 2^(56 + k), and no other product reaches the highest
      // byte.
      std::uint64_t bytes = 0;
      for (std::size_t k = 0; k < 8; ++k)
        bytes |= static_cast<std::uint64_t>(is_in_front[i + k]) << (8 * k);
      mask |= (bytes * 0x0102040810204080u >> 56) << i;
    }
    masks[t] = mask;
  }
  for (std::size_t n = triangles.size(); n < tree.nodes.size(); ++n) {
    const SurfaceNode& node = tree.nodes[n];
    masks[n] = masks[node.children[0]] & masks[node.children[1]] & masks[node.children[node.size - 1]];
  }
}

void fit_cones(std::span<const Vector3> positions, std::span<const Index3> triangles, const SurfaceTree& tree,
               std::span<const std::uint8_t> margins, double angle, std::vector<NormalCone>& cones) {
  cones.resize(tree.nodes.size());
  std::array<double, 3> cosines = {1, 1, 1};
  for (int k = 1; k < 3; ++k)
    cosines[static_cast<std::size_t>(k)] = std::cos(k * angle * std::numbers::pi / 180);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Index3& v = triangles[t];
    const Normal normal = normal_of(positions[v[0]], positions[v[1]], positions[v[2]]);
    const double length = length_of(normal.value);
    cones[t] = {};
    // The true normal deviates by at most this fraction of its length, and the axis by a few rounding errors from the
    // computed one. This bounds the sine of the angle between them, and cos x >= 1 - sin² x for angles of up to 90
    // degrees.
    const double off = dot_error(normal) / length + 16 * unit_roundoff;
    if (!(off < 0.1)) continue;
    cones[t].axis = normal.value / length;
    cones[t].cosine = 1 - 2 * off * off - 2 * unit_roundoff;
    if (!margins.empty()) cones[t].cosine = cosine_of_sum(cones[t].cosine, cosines[margins[t]]);
  }
  for (std::size_t n = triangles.size(); n < tree.nodes.size(); ++n) {
    const SurfaceNode& node = tree.nodes[n];
    cones[n] = merged(cones[node.children[0]], cones[node.children[1]]);
    if (node.size == 3) cones[n] = merged(cones[n], cones[node.children[2]]);
  }
}

}  // namespace whisker::methods::surfaces
