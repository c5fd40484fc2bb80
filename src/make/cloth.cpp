// Mesh generator for a sheet of cloth, folded and wrinkled.

#include <algorithm>
#include <vector>

#include <whisker/make/make.hpp>

#include "geometry/random.hpp"
#include "make/angle.hpp"
#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

constexpr int waves_summed = 12;

// Integration steps along the folded curve, per fold. For a period of a smooth periodic function, the midpoint rule is
// exact long before this.
constexpr int steps_per_fold = 256;

constexpr OptionTable cloth_sheet_options{
    "cloth-sheet",
    option("columns", &ClothSheet::columns, 1, max_cells, "cells along x"),
    option("rows", &ClothSheet::rows, 1, max_cells, "cells along y"),
    length("size-x", &ClothSheet::size_x, "length of the cloth along x"),
    length("size-y", &ClothSheet::size_y, "length of the cloth along y"),
    option("folds", &ClothSheet::folds, 0, 10'000, "full waves across x"),
    option("fold-angle", &ClothSheet::fold_angle, 0, 120, "steepest slope of a fold in degrees"),
    option("wrinkle-height", &ClothSheet::wrinkle_height, 0, largest_length, "largest displacement along the normal"),
    option("wrinkles", &ClothSheet::wrinkles, 0.01, 10'000, "waves across the longer side"),
    seed(&ClothSheet::seed),
};

/// A straight wave across the sheet.
struct ClothWave {
  double per_x;  ///< periods per unit of length
  double per_y;
  double phase;  ///< in turns
  double height;
};

std::vector<ClothWave> waves(const ClothSheet& options) {
  std::vector<ClothWave> result;
  geometry::Random random(options.seed);
  double sum = 0;
  const double frequency = options.wrinkles / std::max(options.size_x, options.size_y);
  for (int i = 0; i < waves_summed; ++i) {
    const Direction d = turn(random.uniform(0, 1));
    const double scaled = frequency * random.uniform(0.5, 1.5);
    const double phase = random.uniform(0, 1);
    const double height = random.uniform(0.5, 1);
    result.push_back({scaled * d.cos, scaled * d.sin, phase, height});
    sum += height;
  }
  for (ClothWave& wave : result)
    wave.height *= options.wrinkle_height / sum;
  return result;
}

/// A point on the folded sheet's cross-section: its position in the xz plane and the direction of the curve there.
struct ClothStation {
  double x;
  double z;
  Direction heading;
};

/// The cross-section at columns + 1 points that are equally spaced along it: a sine-generated curve, whose direction is
/// a sine of the arc length (Langbein and Leopold 1966). Its middle is at x = 0.
std::vector<ClothStation> cross_section(const ClothSheet& o) {
  const auto heading = [&](double part) { return degrees(o.fold_angle * turn(o.folds * part).sin); };
  const int per_cell = o.folds == 0 ? 1 : 1 + steps_per_fold * o.folds / o.columns;
  const double cell = 1.0 / o.columns;
  double x = 0, z = 0;
  std::vector<ClothStation> stations;
  stations.reserve(static_cast<std::size_t>(o.columns) + 1);
  stations.push_back({0, 0, heading(0)});
  for (int i = 0; i < o.columns; ++i) {
    for (int k = 0; k < per_cell; ++k) {
      const Direction d = heading((i + (k + 0.5) / per_cell) * cell);
      x += d.cos * o.size_x * cell / per_cell;
      z += d.sin * o.size_x * cell / per_cell;
    }
    stations.push_back({x, z, heading((i + 1) * cell)});
  }
  for (ClothStation& station : stations)
    station.x -= x / 2;
  return stations;
}

}  // namespace

MeshData cloth_sheet(const ClothSheet& options) {
  const ClothSheet& o = options;
  cloth_sheet_options.check(options);
  check_ratio("cloth-sheet", {o.size_x, o.size_y, o.wrinkle_height});
  check_count("cloth-sheet", 2.0 * o.columns * o.rows, "columns or rows");

  const std::vector<ClothWave> relief = waves(o);
  const std::vector<ClothStation> stations = cross_section(o);
  return grid_mesh(o.rows + 1, o.columns + 1, Ends::open, Ends::open, [&](int j, int i) {
    const double y = grid_position(o.size_y, j, o.rows);
    const double along = static_cast<double>(i) / static_cast<double>(o.columns) * o.size_x;
    double height = 0;
    for (const ClothWave& wave : relief)
      height += wave.height * turn(along * wave.per_x + y * wave.per_y + wave.phase).sin;
    const ClothStation& at = stations[static_cast<std::size_t>(i)];
    return Vector3(at.x - height * at.heading.sin, y, at.z + height * at.heading.cos);
  });
}

constexpr Model cloth_sheet_model =
    model_of<cloth_sheet_options, cloth_sheet>("a sheet with folds and wrinkles (open)", false);

}  // namespace whisker::make
