// The mass of a convex shape that is known by its support function: between two polyhedra.
//
// The hull P of support points is in the shape C, up to the error e of the points. A support query along the normal of
// each face of P gives a plane with C on one side. About a point c in P, let o be the distance of a face from c, and
// o + δ that of the parallel plane. With η = max δ/o, all planes enclose (1 + η) P, scaled about c, and so C. If P
// contains the ball of radius ρ about c, then (1 - e/ρ) P is in C, because its support function, h - h e/ρ with h >= ρ,
// is at most h - e. The faces with the largest δ/o give the next support points. (Sandwich algorithms: G. Rote, "The
// convergence rate of the sandwich algorithm for approximating convex functions", 1992.)

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/error.hpp>

#include "geometry/constants.hpp"
#include "queries/general_mass.hpp"
#include "shapes/mass_arithmetic.hpp"

namespace whisker::queries {
namespace {

using shapes::MassBody;

/// xⁿ.
Interval whole_power(const Interval& x, int n) {
  Interval result = 1;
  for (int i = 0; i < n; ++i)
    result *= x;
  return result;
}

MassBody body_of_hull(const ConvexHull& hull) {
  std::vector<Index3> triangles;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    for (std::size_t i = 1; i + 1 < face.size(); ++i)
      triangles.push_back({face[0], face[i], face[i + 1]});
  }
  return shapes::polyhedron_body(hull.vertices(), triangles, hull.bounds());
}

/// The mass of a body between shrink · P and grow · P, both scaled about `center`.
MassBody body_between(const MassBody& polyhedron, const Vector3& center, const Interval& shrink, const Interval& grow) {
  // All integrals are divided by the volume of P.
  const Interval volume = hull(whole_power(shrink, 3), whole_power(grow, 3));
  const IntervalVector3 mean = IntervalVector3(polyhedron.origin) - IntervalVector3(center) + polyhedron.offset;
  IntervalMatrix3 second = polyhedron.covariance + shapes::outer(mean);
  MassBody result;
  result.volume = polyhedron.volume * volume;
  result.origin = center;
  const Interval first_shell = whole_power(grow, 4) - whole_power(shrink, 4),
                 second_shell = whole_power(grow, 5) - whole_power(shrink, 5);
  std::array<Interval, 3> root;  // of the mean squares: at least the mean of |x_k|
  for (std::size_t k = 0; k < 3; ++k)
    root[k] = sqrt(second(k, k));
  const auto within = [](const Interval& size) { return Interval(-size.upper, size.upper); };
  for (std::size_t k = 0; k < 3; ++k)
    result.offset[k] = (whole_power(shrink, 4) * mean[k] + within(first_shell * root[k])) / volume;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = k; l < 3; ++l) {
      const Interval sum = k == l ? hull(whole_power(shrink, 5), whole_power(grow, 5)) * second(k, k)
                                  : whole_power(shrink, 5) * second(k, l) + within(second_shell * root[k] * root[l]);
      const Interval shift = k == l ? square(result.offset[k]) : result.offset[k] * result.offset[l];
      Interval spread = sum / volume - shift;
      if (k == l) spread.lower = std::max(spread.lower, 0.0);
      result.covariance(k, l) = result.covariance(l, k) = spread;
    }
  return result;
}

}  // namespace

MassBody custom_convex_body(const CustomConvex& shape, double radius, const MassOptions& options) {
  const double error = shape.support_error();
  double size = radius + error;
  std::vector<Vector3> points;
  const auto ask = [&](const Vector3& direction) {
    const Vector3 point = shape.support(direction);
    if (!point.allFinite()) throw Error("the support function returned a point that is not finite");
    size = std::max(size, point.cwiseAbs().sum() + radius + error);
    return point;
  };
  const auto add = [&](const Vector3& direction, const Vector3& point) {
    points.push_back(point + radius * direction.stableNormalized());
  };
  for (int code = 0; code < 27; ++code) {
    const Vector3 direction(code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1);
    if (direction != Vector3::Zero()) add(direction, ask(direction));
  }

  MassBody best;
  best.volume = {0, infinity};
  // The volume of a copy that is larger by η is larger by about 3 η.
  const double enough = options.tolerance / 4;
  for (std::size_t queries = points.size();;) {
    const ConvexHull hull(points);
    if (hull.inner_planes().empty()) return best;  // flat, or too thin
    const MassBody body = body_of_hull(hull);
    if (!(body.volume.lower > 0)) return best;
    const Vector3 center = body.origin + middle(body.offset);

    // Sums of three products, and the support points with their radius, are off by less than this.
    const auto rounding = [&] { return 0x1p-48 * size; };  // `size` may grow
    double grow = 0, inside = infinity;
    std::vector<std::pair<Vector3, Vector3>> next;
    queries += hull.face_count();
    for (const HullPlane& plane : hull.inner_planes()) {
      const Vector3 point = ask(plane.normal);
      const double reach = plane.normal.dot(point) + radius + error + rounding();
      const double height = plane.offset - plane.normal.dot(center) - rounding();
      inside = std::min(inside, height);
      const double gap = (reach - plane.offset) / height;
      grow = std::max(grow, gap);
      // Within the error of the function, more points would not help.
      if (gap > enough + 2 * (error + rounding()) / height) next.emplace_back(plane.normal, point);
    }
    if (!(inside > 0)) return best;
    const double shrink = (error + rounding()) / inside * (1 + 0x1p-40);
    if (!(shrink < 1)) return best;
    best = body_between(body, center, Interval(1) - Interval(shrink), Interval(1) + Interval(grow * (1 + 0x1p-40)));
    if (next.empty() || queries + next.size() > options.max_steps) return best;
    const std::size_t before = hull.vertices().size();
    points.assign(hull.vertices().begin(), hull.vertices().end());
    for (const auto& [direction, point] : next)
      add(direction, point);
    // No progress: the points that are missing are within the error of the function.
    if (ConvexHull(points).vertices().size() == before) return best;
  }
}

}  // namespace whisker::queries
