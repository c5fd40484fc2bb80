// When do two moving shapes first touch? A fast bullet and a thin plate, a stone that slides past a pillar, and the
// plain yes or no.

#include <cstdio>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  // A bullet that travels two meters in the step, and a plate that is a tenth of a millimeter thick.
  const wk::Shape plate = wk::Box{{1, 1, 1e-4}};
  const wk::Shape bullet = wk::Capsule{.radius = 0.004, .length = 0.01};
  const wk::Straight flight{wk::Pose(wk::Vector3(0.1, 0.2, 1)), {0.05, 0, -2}};
  const wk::MotionImpact hit = wk::first_contact({plate, wk::Still{}}, {bullet, flight});
  if (hit.status != wk::ImpactStatus::touch || !hit.certain) return 1;
  std::printf("the bullet hits the plate at t = %.6f (certain to %.0e), at (%.3f, %.3f, %.4f)\n", hit.time,
              hit.time_upper - hit.time_lower, hit.point.x(), hit.point.y(), hit.point.z());

  // Both shapes may move. A near miss is proven, never guessed.
  const wk::Shape stone = wk::Ellipsoid{{0.3, 0.2, 0.1}}, pillar = wk::Cylinder{.radius = 0.25, .length = 3};
  for (const double beside : {0.3, 0.5, 0.6}) {
    const wk::Straight slide{wk::Pose(wk::Vector3(-2, beside, 0)), {4, 0, 0}};
    const wk::Straight drift{wk::Pose(), {0, 0, 0.5}};
    const wk::MotionImpact found = wk::first_contact({pillar, drift}, {stone, slide});
    if (found.status == wk::ImpactStatus::apart) {
      std::printf("%.1f beside the pillar the stone misses it\n", beside);
    } else {
      std::printf("%.1f beside the pillar the stone meets it at t = %.6f, with the normal (%.3f, %.3f, %.3f)\n", beside,
                  found.time, found.normal.x(), found.normal.y(), found.normal.z());
    }
    // The same query without the time costs a fraction.
    if (wk::touches_during({pillar, drift}, {stone, slide}) != (found.status != wk::ImpactStatus::apart)) return 1;
  }
}
