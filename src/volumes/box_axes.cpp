// Nothing is assumed of the boxes but their edges, as in edge_axes-inl.hpp. With M for the normals of a's faces and N
// for those of b's, both not of unit length, the extents along the product of two edges follow from the numbers that
// the faces need: (aᵢ × bⱼ)·aₖ = ± bⱼ·Mₘ and (aᵢ × bⱼ)·bₖ = ± aᵢ·Nₘ, where m is neither i (or j) nor k.

#include "volumes/box_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace whisker::volumes {
namespace {

struct Three {
  double x, y, z;
};
inline Three cross(const Three& a, const Three& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double dot(const Three& a, const Three& b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
inline double size_of(const Three& a) {
  return (std::abs(a.x) + std::abs(a.y)) + std::abs(a.z);
}

struct Edges {
  Three edge[3];
  double half[3];

  explicit Edges(const BoxEdges& box) {
    for (int i = 0; i < 3; ++i) {
      edge[i] = {box.axes[3 * i], box.axes[3 * i + 1], box.axes[3 * i + 2]};
      half[i] = box.half[i];
    }
  }
  Three normal(int i) const { return cross(edge[(i + 1) % 3], edge[(i + 2) % 3]); }
  /// The sum of the squares of its lengths.
  double squares() const { return (dot(edge[0], edge[0]) + dot(edge[1], edge[1])) + dot(edge[2], edge[2]); }
  double halves() const { return (half[0] + half[1]) + half[2]; }
};

/// The largest gap of the boxes along the normals of one of them, times the normal's length. `extent`: of each edge of
/// the other along each normal.
inline double face_gap(const Edges& own, const Edges& other, const Three& between, double (&extent)[3][3]) {
  double gap[3], volume = 0;
  for (int m = 0; m < 3; ++m) {
    const Three normal = own.normal(m);
    if (m == 0) volume = std::abs(dot(normal, own.edge[m]));  // the same for all normals
    for (int k = 0; k < 3; ++k)
      extent[m][k] = std::abs(dot(normal, other.edge[k]));
    const double reach = (other.half[0] * extent[m][0] + other.half[1] * extent[m][1]) + other.half[2] * extent[m][2];
    gap[m] = std::abs(dot(normal, between)) - (own.half[m] * volume + reach);
  }
  return std::max(std::max(gap[0], gap[1]), gap[2]);
}

}  // namespace

AxesTell tell_boxes(const BoxEdges& box_a, const BoxEdges& box_b, const double* between, double blur) {
  const Edges a(box_a), b(box_b);
  const Three t = {between[0], between[1], between[2]};
  // No product of the lengths of two edges is larger than `square`, and no edge longer than its root.
  const double square = std::max(a.squares(), b.squares());
  const double size = size_of(t) + (0.5 + 0.5 * square) * (a.halves() + b.halves());
  if (!(size > 0x1p-150 && size < 0x1p150 && square > 0x1p-150 && square < 0x1p150)) return AxesTell::unknown;
  const double error = square * (axis_error * size + blur);

  double of_b[3][3], of_a[3][3];
  double most = face_gap(a, b, t, of_b);
  if (most > error) return AxesTell::apart;
  most = std::max(most, face_gap(b, a, t, of_a));
  if (most > error) return AxesTell::apart;
  if (!(most < -error)) return AxesTell::unknown;
  const double least_face = (-most - error) / square;  // an axis is not longer than the product of its edges

  double gap[3][3], highest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const Three turned = cross(t, a.edge[i]);
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double reach_a = a.half[i1] * of_b[i2][j] + a.half[i2] * of_b[i1][j];
      const double reach_b = b.half[j1] * of_a[j2][i] + b.half[j2] * of_a[j1][i];
      gap[i][j] = std::abs(dot(turned, b.edge[j])) - (reach_a + reach_b);
      highest = std::max(highest, gap[i][j]);
    }
  }
  if (highest > error) return AxesTell::apart;
  if (highest < -error) return AxesTell::overlapping;
  // The axis of two edges that are nearly parallel may be left out: see EdgeAxes::tell.
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (gap[i][j] < -error) continue;
      const double lengths = std::sqrt(dot(a.edge[i], a.edge[i]) * dot(b.edge[j], b.edge[j]));
      const double hidden = 8 * size * (size_of(cross(a.edge[i], b.edge[j])) + 0x1p-50 * lengths);
      if (!(hidden < lengths * least_face)) return AxesTell::unknown;
    }
  }
  return AxesTell::overlapping;
}

}  // namespace whisker::volumes
