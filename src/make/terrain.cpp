// Mesh generator for landscapes of seeded noise, with dimples and spikes.

#include <algorithm>
#include <array>
#include <cmath>

#include <whisker/make/make.hpp>

#include "geometry/random.hpp"
#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

constexpr int max_stamps = 10'000;

constexpr OptionTable terrain_options{
    "terrain",
    option("columns", &Terrain::columns, 1, max_cells, "cells along x"),
    option("rows", &Terrain::rows, 1, max_cells, "cells along y"),
    length("size-x", &Terrain::size_x, "full length along x"),
    length("size-y", &Terrain::size_y, "full length along y"),
    option("height", &Terrain::height, 0, largest_length, "of the highest possible hill"),
    option("hills", &Terrain::hills, 0.01, 10'000, "waves of the first octave across the longer side"),
    option("octaves", &Terrain::octaves, 1, 16, "layers of noise"),
    option("roughness", &Terrain::roughness, 0, 1, "height of a layer relative to the one before"),
    option("dimples", &Terrain::dimples, 0, max_stamps, "round hollows"),
    length("dimple-depth", &Terrain::dimple_depth, "of a hollow"),
    length("dimple-radius", &Terrain::dimple_radius, "of a hollow"),
    option("spikes", &Terrain::spikes, 0, max_stamps, "pointed cones"),
    length("spike-height", &Terrain::spike_height, "of a cone"),
    length("spike-radius", &Terrain::spike_radius, "of a cone's foot"),
    seed(&Terrain::seed),
};

/// A number in [-1, 1) for every point of the integer lattice.
double lattice_value(std::uint64_t seed, std::int64_t i, std::int64_t j) {
  using geometry::scramble;
  const std::uint64_t column = scramble(seed ^ static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ull);
  const std::uint64_t bits = scramble(column ^ static_cast<std::uint64_t>(j) * 0xC2B2AE3D27D4EB4Full);
  return 2 * geometry::unit_interval(bits) - 1;
}

/// Rises from 0 to 1 with zero slope and curvature at the ends (Perlin 2002).
double fade(double t) {
  return t * t * t * (t * (t * 6 - 15) + 10);
}

double mixed(double a, double b, double t) {
  return a + t * (b - a);
}

/// Value noise: the lattice values, interpolated smoothly. In [-1, 1].
double noise(std::uint64_t seed, double x, double y) {
  const double column = std::floor(x), row = std::floor(y);
  const auto i = static_cast<std::int64_t>(column), j = static_cast<std::int64_t>(row);
  const double s = fade(x - column), t = fade(y - row);
  return mixed(mixed(lattice_value(seed, i, j), lattice_value(seed, i + 1, j), s),
               mixed(lattice_value(seed, i, j + 1), lattice_value(seed, i + 1, j + 1), s), t);
}

/// A round change of height around a point.
struct Stamp {
  double x;
  double y;
  double radius;
  double height;  ///< at its center; negative for a dimple
  bool pointed;   ///< a cusp rather than a round bottom

  double at(double px, double py) const {
    const double dx = (px - x) / radius, dy = (py - y) / radius;
    const double squared = dx * dx + dy * dy;
    if (squared >= 1) return 0;
    const double rest = pointed ? 1 - std::sqrt(squared) : 1 - squared;
    return height * rest * rest;
  }
};

/// The first and last of 0…cells whose position may be within `radius` of `center`.
std::array<int, 2> cells_around(double center, double radius, double size, int cells) {
  const double first = std::floor(((center - radius) / size + 0.5) * cells);
  const double last = std::ceil(((center + radius) / size + 0.5) * cells);
  return {static_cast<int>(std::max(first, 0.0)), static_cast<int>(std::min(last, static_cast<double>(cells)))};
}

}  // namespace

MeshData terrain(const Terrain& options) {
  const Terrain& o = options;
  terrain_options.check(options);
  check_ratio("terrain", {o.size_x, o.size_y, o.height});
  if (o.dimples > 0) check_ratio("terrain", {o.size_x, o.size_y, o.dimple_depth, o.dimple_radius});
  if (o.spikes > 0) check_ratio("terrain", {o.size_x, o.size_y, o.spike_height, o.spike_radius});
  check_count("terrain", 2.0 * o.columns * o.rows, "columns or rows");

  geometry::Random random(o.seed);
  const std::uint64_t noise_seed = random.bits();
  const double frequency = o.hills / std::max(o.size_x, o.size_y);
  double sum = 0, weight = 1;
  for (int octave = 0; octave < o.octaves; ++octave, weight *= o.roughness)
    sum += weight;

  MeshData mesh = grid_mesh(o.rows + 1, o.columns + 1, Ends::open, Ends::open, [&](int j, int i) {
    const double x = grid_position(o.size_x, i, o.columns);
    const double y = grid_position(o.size_y, j, o.rows);
    double z = 0, octave_height = o.height / sum, octave_frequency = frequency;
    for (int octave = 0; octave < o.octaves; ++octave) {
      z += octave_height *
           noise(noise_seed + static_cast<std::uint64_t>(octave), x * octave_frequency, y * octave_frequency);
      octave_height *= o.roughness;
      octave_frequency *= 2;
    }
    return Vector3(x, y, z);
  });

  const std::size_t per_row = static_cast<std::size_t>(o.columns) + 1;
  const auto press = [&](const Stamp& stamp) {
    const auto [first_column, last_column] = cells_around(stamp.x, stamp.radius, o.size_x, o.columns);
    const auto [first_row, last_row] = cells_around(stamp.y, stamp.radius, o.size_y, o.rows);
    for (int j = first_row; j <= last_row; ++j)
      for (int i = first_column; i <= last_column; ++i) {
        Vector3& vertex = mesh.vertices[static_cast<std::size_t>(j) * per_row + static_cast<std::size_t>(i)];
        vertex.z() += stamp.at(vertex.x(), vertex.y());
      }
  };
  for (int i = 0; i < o.dimples + o.spikes; ++i) {
    const double x = random.uniform(-o.size_x / 2, o.size_x / 2);
    const double y = random.uniform(-o.size_y / 2, o.size_y / 2);
    const double scale = random.uniform(0.5, 1);
    if (i < o.dimples)
      press({x, y, scale * o.dimple_radius, -scale * o.dimple_depth, false});
    else
      press({x, y, scale * o.spike_radius, scale * o.spike_height, true});
  }
  return mesh;
}

constexpr Model terrain_model = model_of<terrain_options, terrain>("a landscape of seeded noise (open)", false);

}  // namespace whisker::make
