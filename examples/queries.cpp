// The basic queries: do two shapes touch, how far apart, how deep, what does a ray hit.
#include <cstdio>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Shape box = wk::Box{.size = {2, 2, 2}};
  const wk::Shape rod = wk::Capsule{.radius = 0.25, .length = 4};
  const wk::Pose beside(Eigen::Vector3d(2, 0, 0));
  const wk::Pose inside(Eigen::Vector3d(0.75, 0, 0));

  std::printf("touch: %s\n", wk::touches(box, {rod, beside}) ? "yes" : "no");

  const wk::Distance d = wk::distance(box, {rod, beside});
  std::printf("distance in [%.17g, %.17g], from (%g, %g, %g) to (%g, %g, %g)\n", d.lower, d.upper, d.point_a[0],
              d.point_a[1], d.point_a[2], d.point_b[0], d.point_b[1], d.point_b[2]);

  const wk::Depth p = wk::depth(box, {rod, inside});
  std::printf("depth in [%.17g, %.17g], the rod leaves along (%g, %g, %g)\n", p.lower, p.upper, p.normal[0],
              p.normal[1], p.normal[2]);

  // A ray from the right. t is in units of the direction.
  if (const auto hit = wk::cast_ray({{5, 0, 0}, {-1, 0, 0}}, {rod, beside})) {
    std::printf("the ray hits at t = %g, normal (%g, %g, %g)\n", hit->t, hit->normal[0], hit->normal[1],
                hit->normal[2]);
  }

  // Whether a pair is supported is known beforehand. Any other pair is an Error.
  std::printf("distance of two cones is supported: %s\n",
              wk::is_supported(wk::Question::distance, wk::ShapeKind::cone, wk::ShapeKind::cone) ? "yes" : "no");
}
