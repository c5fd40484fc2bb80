// Mesh generators for tori, smooth and wrinkled.

#include <vector>

#include <whisker/make/make.hpp>

#include "geometry/random.hpp"
#include "make/angle.hpp"
#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

// Limit on the depth of ridges and wrinkles, as a fraction of the tube's radius, so that the tube stays clear of its
// own center line.
constexpr double deepest_wrinkle = 0.9;

// The largest number of periods of a seeded wave of the wrinkled torus around the ring and around the tube.
constexpr int max_waves_around = 24;
constexpr int max_waves_across = 6;

constexpr OptionTable torus_options{
    "torus",
    length("major", &Torus::major, "radius of the ring"),
    length("minor", &Torus::minor, "radius of the tube"),
    option("around", &Torus::around, 3, max_segments, "segments around the z axis"),
    option("across", &Torus::across, 3, max_segments, "segments around the tube"),
};

constexpr OptionTable wrinkled_torus_options{
    "wrinkled-torus",
    length("major", &WrinkledTorus::major, "radius of the ring"),
    length("minor", &WrinkledTorus::minor, "mean radius of the tube"),
    option("around", &WrinkledTorus::around, 3, max_segments, "segments around the z axis"),
    option("across", &WrinkledTorus::across, 3, max_segments, "segments around the tube"),
    option("lobes", &WrinkledTorus::lobes, 0, 100, "ridges along the tube"),
    option("twists", &WrinkledTorus::twists, -1000, 1000, "how many ridges the tube twists by in one turn"),
    option("lobe-depth", &WrinkledTorus::lobe_depth, 0, deepest_wrinkle,
           "height of the ridges relative to the tube radius"),
    option("wrinkle-depth", &WrinkledTorus::wrinkle_depth, 0, deepest_wrinkle,
           "height of the wrinkles relative to the tube radius"),
    option("wrinkles", &WrinkledTorus::wrinkles, 0, 100, "number of random waves"),
    seed(&WrinkledTorus::seed),
};

/// The vertex at direction `u` around the z axis and `v` around a tube of radius `minor`. The rings are oriented so
/// that the grid's normals point out of the tube.
Vector3 torus_point(double major, double minor, const Direction& u, const Direction& v) {
  const double from_axis = major + minor * v.cos;
  return {from_axis * u.cos, from_axis * u.sin, 0 - minor * v.sin};
}

/// A wave on the torus: `around` periods around the ring, `across` around the tube.
struct TorusWave {
  int around;
  int across;
  double phase;  ///< in turns
  double height;
};

/// Integer numbers of periods make a wave close up after one turn.
std::vector<TorusWave> waves(const WrinkledTorus& options) {
  std::vector<TorusWave> result;
  if (options.lobes > 0) result.push_back({options.twists, options.lobes, 0, options.lobe_depth});
  geometry::Random random(options.seed);
  double sum = 0;
  const std::size_t first = result.size();
  for (int i = 0; i < options.wrinkles; ++i) {
    const int around = static_cast<int>(random.uniform(2, max_waves_around + 1));
    const int across = static_cast<int>(random.uniform(-max_waves_across, max_waves_across + 1));
    const double phase = random.uniform(0, 1);
    const double height = random.uniform(0.5, 1);
    result.push_back({around, across, phase, height});
    sum += height;
  }
  for (std::size_t i = first; i < result.size(); ++i)
    result[i].height *= options.wrinkle_depth / sum;
  return result;
}

}  // namespace

MeshData torus(const Torus& options) {
  const Torus& o = options;
  torus_options.check(o);
  check_below("torus", "minor", o.minor, o.major, "major");
  check_ratio("torus", {o.major, o.minor});
  check_count("torus", 2.0 * o.around * o.across, "around or across");
  return grid_mesh(o.around, o.across, Ends::joined, Ends::joined,
                   [&](int i, int j) { return torus_point(o.major, o.minor, turn(i, o.around), turn(j, o.across)); });
}

MeshData wrinkled_torus(const WrinkledTorus& options) {
  const WrinkledTorus& o = options;
  wrinkled_torus_options.check(options);
  const double depth = o.lobe_depth + o.wrinkle_depth;
  check_below("wrinkled-torus", "lobe-depth + wrinkle-depth", depth, deepest_wrinkle, "so that a tube remains");
  check_below("wrinkled-torus", "minor", o.minor, o.major / (1 + depth), "major / (1 + lobe-depth + wrinkle-depth)");
  check_ratio("wrinkled-torus", {o.major, o.minor});
  check_count("wrinkled-torus", 2.0 * o.around * o.across, "around or across");

  const std::vector<TorusWave> relief = waves(o);
  return grid_mesh(o.around, o.across, Ends::joined, Ends::joined, [&](int i, int j) {
    const double u = static_cast<double>(i) / static_cast<double>(o.around);
    const double v = static_cast<double>(j) / static_cast<double>(o.across);
    double height = 0;
    for (const TorusWave& wave : relief)
      height += wave.height * turn(wave.around * u + wave.across * v + wave.phase).cos;
    return torus_point(o.major, o.minor * (1 + height), turn(i, o.around), turn(j, o.across));
  });
}

constexpr Model torus_model = model_of<torus_options, torus>("a ring around z", true);

constexpr Model wrinkled_torus_model =
    model_of<wrinkled_torus_options, wrinkled_torus>("a twisted ring with wrinkles", true);

}  // namespace whisker::make
