// Fits AABBs and k-DOPs to the regions of a surface.

#include <cmath>

#include <whisker/methods/kdop.hpp>

#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "geometry/predicates_inline.hpp"
#include "methods/surfaces/surface_bounds.hpp"

namespace whisker::methods::surfaces {

namespace {

template <std::size_t K>
std::vector<Vector3> cube_axes() {
  std::vector<Vector3> axes;
  for (const std::array<int, 3>& d : kdop_directions<K>())
    axes.emplace_back(d[0], d[1], d[2]);
  return axes;
}

/// Axes through the 15 pairs of edges, 10 of corners and 6 of faces of a dodecahedron.
std::vector<Vector3> dodecahedron_axes() {
  const double phi = (1 + std::sqrt(5.0)) / 2, less = 1 / phi;
  std::vector<Vector3> axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto add = [&](double x, double y, double z) { axes.push_back(Vector3(x, y, z).normalized()); };
  // Adds x, y, z and its two cyclic permutations.
  const auto add_turned = [&](double x, double y, double z) {
    add(x, y, z);
    add(z, x, y);
    add(y, z, x);
  };
  for (const double p : {1.0, -1.0}) {
    for (const double q : {1.0, -1.0}) {
      add_turned(p * less, q, phi);  // edges
      add(1, p, q);                  // corners
    }
    add_turned(0, p * less, phi);  // corners
    add_turned(p, 0, phi);         // faces
  }
  return axes;
}

template <std::size_t axes>
void fit(std::span<const Vector3> directions, std::span<const Vector3> positions, std::span<const Index3> triangles,
         const SurfaceTree& tree, std::vector<double>& heights, std::vector<double>& bounds) {
  constexpr std::size_t stride = 2 * axes;
  heights.resize(stride * positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    double* const lower = &heights[stride * v];
    double* const upper = lower + axes;
    const Vector3& p = positions[v];
    for (std::size_t i = 0; i < 3; ++i) {
      lower[i] = p[static_cast<int>(i)];
      upper[i] = -p[static_cast<int>(i)];
    }
    for (std::size_t i = 3; i < axes; ++i) {
      const double x = directions[i][0] * p[0], y = directions[i][1] * p[1], z = directions[i][2] * p[2];
      // Three rounding errors, and one more in each bound.
      const double height = x + y + z;
      const double error = 5 * unit_roundoff * (std::abs(x) + std::abs(y) + std::abs(z) + geometry::underflow_guard);
      lower[i] = height - error;
      upper[i] = -(height + error);
    }
  }
  bounds.resize(stride * tree.nodes.size());
  const auto enclose = [&](const std::vector<double>& from, const Index3& three, std::size_t node) {
    const double* const p = &from[stride * three[0]];
    const double* const q = &from[stride * three[1]];
    const double* const r = &from[stride * three[2]];
    double* const to = &bounds[stride * node];
    for (std::size_t i = 0; i < stride; ++i)
      to[i] = std::min(std::min(p[i], q[i]), r[i]);
  };
  for (std::size_t t = 0; t < triangles.size(); ++t)
    enclose(heights, triangles[t], t);
  for (std::size_t n = triangles.size(); n < tree.nodes.size(); ++n) {
    const SurfaceNode& node = tree.nodes[n];
    enclose(bounds, {node.children[0], node.children[1], node.children[node.size - 1]}, n);
  }
}

}  // namespace

std::span<const Vector3> volume_axes(SurfaceVolume volume) {
  static const std::array<std::vector<Vector3>, 5> axes = {std::vector<Vector3>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                                           cube_axes<14>(), cube_axes<18>(), cube_axes<26>(),
                                                           dodecahedron_axes()};
  return axes[static_cast<std::size_t>(volume)];
}

void fit_volumes(SurfaceVolume volume, std::span<const Vector3> positions, std::span<const Index3> triangles,
                 const SurfaceTree& tree, std::vector<double>& heights, std::vector<double>& bounds) {
  with_axis_count(
      volume, [&](auto axes) { fit<axes.value>(volume_axes(volume), positions, triangles, tree, heights, bounds); });
}

std::array<double, max_axes> reaches(SurfaceVolume volume, double distance) {
  std::array<double, max_axes> result = {};
  if (distance == 0) return result;
  const std::span<const Vector3> axes = volume_axes(volume);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    // The squared length has 3 rounding errors, the gap one.
    const double length = geometry::sqrt_up(axes[i].squaredNorm() * (1 + 8 * unit_roundoff));
    result[i] = geometry::next_up(geometry::multiply_up(distance, length) * (1 + 4 * unit_roundoff));
  }
  return result;
}

}  // namespace whisker::methods::surfaces
