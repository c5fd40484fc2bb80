#include "trees/surface_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <Eigen/Geometry>

namespace whisker::trees {
namespace {

using Spread = Eigen::Matrix<double, 6, 1>;
using Third = Eigen::Matrix<double, 10, 1>;

/// The moments of a patch in doubles, about a center that is relative to some node's origin.
struct Sums {
  Vector3 center = Vector3::Zero();
  Vector3 normal = Vector3::Zero();
  Vector3 shift = Vector3::Zero();  // ∫ d
  Spread spread = Spread::Zero();
  Third third = Third::Zero();
  double area = 0;
  double inertia = 0;
  double radius = 0;
  double edges = 0;
};

/// Adds the contribution of a vector `from` the center, with this normal there, to the spread.
void add_spread(Spread& spread, const Vector3& from, const Vector3& normal) {
  spread.head<3>() += from.cwiseProduct(normal);
  spread[3] += from[0] * normal[1] + from[1] * normal[0];
  spread[4] += from[0] * normal[2] + from[2] * normal[0];
  spread[5] += from[1] * normal[2] + from[2] * normal[1];
}

/// Adds the product of a linear and a quadratic form.
void add_product(Third& third, const Vector3& l, const Spread& q) {
  const double xx = q[0], yy = q[1], zz = q[2], xy = q[3], xz = q[4], yz = q[5];
  third[0] += l[0] * xx;
  third[1] += l[1] * yy;
  third[2] += l[2] * zz;
  third[3] += l[0] * xy + l[1] * xx;
  third[4] += l[0] * xz + l[2] * xx;
  third[5] += l[1] * xy + l[0] * yy;
  third[6] += l[1] * yz + l[2] * yy;
  third[7] += l[2] * xz + l[0] * zz;
  third[8] += l[2] * yz + l[1] * zz;
  third[9] += l[0] * yz + l[1] * xz + l[2] * xy;
}

/// Adds the sums of a part whose center is relative to the same origin.
void add(Sums& to, const Sums& part) {
  const Vector3 by = part.center - to.center;
  to.normal += part.normal;
  to.area += part.area;
  to.edges += part.edges;
  to.shift += part.shift + part.area * by;
  to.inertia += part.inertia + 2 * by.dot(part.shift) + part.area * by.squaredNorm();
  to.spread += part.spread;
  add_spread(to.spread, by, part.normal);
  to.third += part.third;
  add_product(to.third, 2 * by, part.spread);
  Spread square = Spread::Zero();
  add_spread(square, by, by);
  add_product(to.third, part.normal, square);
  to.radius = std::max(to.radius, by.norm() + part.radius);
}

/// The sums of a triangle, about its own center.
Sums sums_of(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a;
  Sums sums;
  sums.center = (a + b + c) / 3;
  sums.normal = ab.cross(ac) / 2;
  // The cross product of a thin triangle has lost about 2^-50 of the product of its sides, which may be far more than
  // its area. The term added to the area here is far more than moment_error needs to cover that.
  sums.area = sums.normal.norm() + 0x1p-20 * ab.norm() * ac.norm();
  const Vector3 da = a - sums.center, db = b - sums.center, dc = c - sums.center;
  // ∫ |d|² over a triangle about its center of area. The center is exact up to rounding.
  sums.inertia = sums.area / 12 * (da.squaredNorm() + db.squaredNorm() + dc.squaredNorm());
  // ∫ d_i d_j likewise, divided by the area.
  Spread square = Spread::Zero();
  for (const Vector3& corner : {da, db, dc})
    add_spread(square, corner, corner / 12);
  add_product(sums.third, sums.normal, square);
  sums.radius = std::max({da.norm(), db.norm(), dc.norm()});
  sums.edges = ab.norm() + ac.norm() + (c - b).norm() + edge_slack;
  return sums;
}

/// The sums of all parts, about their center of area, rounded to floats. Without area, about the mean of their centers.
Sums sum_of(std::span<const Sums> parts) {
  double area = 0;
  Vector3 weighted = Vector3::Zero(), plain = Vector3::Zero();
  for (const Sums& part : parts) {
    area += part.area;
    weighted += part.area * part.center;
    plain += part.center;
  }
  const Vector3 middle = weighted / area;
  const Vector3 chosen = area > 0 && middle.allFinite() ? middle : Vector3(plain / static_cast<double>(parts.size()));
  Sums sums;
  sums.center = chosen.cast<float>().cast<double>();
  for (const Sums& part : parts)
    add(sums, part);
  return sums;
}

/// An upper bound on the distance of a child's points from a point that is relative to the node's origin.
double farthest(const OrientedNode& node, unsigned child, const Vector3& from) {
  Vector3 reach;
  for (int i = 0; i < 3; ++i) {
    const Vector3 axis = node.axis(i);
    reach[i] = std::abs(static_cast<double>(node.center[i][child]) - axis.dot(from)) +
               static_cast<double>(node.half[i][child]);
  }
  // The axes are orthogonal only up to 2^-23.
  return reach.norm() * (1 + 0x1p-18) + 0x1p-18 * from.norm();
}

float rounded_up(double value) {
  // Rounds up by more than the roundings of the sums. The last term covers what floats may flush to zero.
  return static_cast<float>(value * (1 + 0x1p-21) + 0x1p-100);
}

void store(const Sums& sums, PatchMoments& moments, std::size_t at) {
  const auto put = [at](const auto& values, float(*rows)[8]) {
    for (Eigen::Index i = 0; i < values.size(); ++i)
      rows[i][at] = static_cast<float>(values[i]);
  };
  put(sums.center, moments.center);
  put(sums.normal, moments.normal);
  put(sums.spread, moments.spread);
  put(sums.third, moments.third);
  moments.radius[at] = rounded_up(sums.radius);
  moments.area[at] = rounded_up(sums.area);
  moments.inertia[at] = rounded_up(sums.inertia);
  moments.edges[at] = rounded_up(sums.edges);
}

}  // namespace

SurfaceMoments surface_moments(const OrientedTree& tree, std::span<const Vector3> vertices,
                               std::span<const Index3> triangles) {
  SurfaceMoments result;
  result.nodes.resize(tree.nodes.size());
  // For each node the sum of its children, relative to its own origin. Nodes come before their children.
  std::vector<Sums> whole(tree.nodes.size());
  for (std::size_t number = tree.nodes.size(); number-- > 0;) {
    const OrientedNode& node = tree.nodes[number];
    const Vector3 origin = node.origin_point();
    std::array<Sums, 8> children;
    std::size_t count = 0;
    for (const unsigned i : node.children()) {
      Sums child;
      if (node.is_leaf(i)) {
        std::array<Sums, 4> single;
        for (std::uint32_t k = 0; k < node.triangles(i); ++k) {
          const Index3& corners = triangles[tree.leaves[node.index(i)].id[k]];
          const auto corner = [&](std::size_t c) -> Vector3 { return vertices[corners[c]] * tree.scale - origin; };
          single[k] = sums_of(corner(0), corner(1), corner(2));
        }
        child = sum_of(std::span(single).first(node.triangles(i)));
      } else {
        Sums below = whole[node.index(i)];
        below.center += tree.nodes[node.index(i)].origin_point() - origin;
        child.center = below.center.cast<float>().cast<double>();
        add(child, below);
      }
      child.radius = std::min(child.radius, farthest(node, i, child.center));
      store(child, result.nodes[number], i);
      children[count++] = child;
    }
    whole[number] = sum_of(std::span(children).first(count));
  }
  store(whole.front(), result.whole, 0);
  return result;
}

}  // namespace whisker::trees
