// Draws two meshing gears and their closest points as an SVG: `example_picture FILE`. It generated docs/gears.svg.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include <Eigen/Geometry>

#include <whisker/whisker.hpp>

namespace wk = whisker;

namespace {

// The gear's outline in a pose, as an SVG path. In SVG, y points down.
std::string outline(const wk::make::Gear& gear, const wk::Pose& pose) {
  std::ostringstream path;
  const char* step = "M";
  for (const wk::Vector2& corner : wk::make::gear_outline(gear)) {
    const wk::Vector3 at = place(pose, wk::Vector3(corner[0], corner[1], 0));
    path << step << at[0] << ' ' << -at[1];
    step = "L";
  }
  path << 'Z';
  return path.str();
}

}  // namespace

int main(int argc, char** argv) {
  const wk::make::Gear driver{.teeth = 24, .module = 2, .backlash = 0.1};
  const wk::make::Gear driven{.teeth = 18, .module = 2, .backlash = 0.1};
  const double apart = wk::make::meshing_distance(24, 18, 2);
  const wk::Pose pose(Eigen::AngleAxisd(wk::make::meshing_angle(24, 18), Eigen::Vector3d::UnitZ()).toRotationMatrix(),
                      {apart, 0, 0});
  const wk::Distance gap = wk::distance(wk::Mesh(wk::make::gear(driver)), {wk::Mesh(wk::make::gear(driven)), pose});
  std::printf("the gears are %.6f apart\n", gap.value());
  if (argc < 2) return 0;

  std::ofstream svg(argv[1]);
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-28 -28 92 56\" width=\"920\" height=\"560\">\n"
      << "<path d=\"" << outline(driver, {}) << "\" fill=\"#b9c7d6\" stroke=\"#35506b\" stroke-width=\"0.2\"/>\n"
      << "<path d=\"" << outline(driven, pose) << "\" fill=\"#d9c3a5\" stroke=\"#7a5a2b\" stroke-width=\"0.2\"/>\n"
      << "<circle cx=\"" << gap.point_a[0] << "\" cy=\"" << -gap.point_a[1] << "\" r=\"0.5\" fill=\"#c0392b\"/>\n"
      << "<circle cx=\"" << gap.point_b[0] << "\" cy=\"" << -gap.point_b[1] << "\" r=\"0.5\" fill=\"#c0392b\"/>\n"
      << "<text x=\"" << gap.point_b[0] + 3 << "\" y=\"" << -gap.point_b[1] - 3
      << "\" font-family=\"sans-serif\" font-size=\"3\" fill=\"#c0392b\">" << std::round(gap.value() * 1e4) / 1e4
      << " apart</text>\n</svg>\n";
  return svg ? 0 : 1;
}
