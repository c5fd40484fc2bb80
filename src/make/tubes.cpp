// Mesh generators for tubes along curves: the S and the cube of pipes.

#include <cmath>
#include <vector>

#include <whisker/make/make.hpp>

#include "geometry/random.hpp"
#include "make/angle.hpp"
#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

constexpr OptionTable s_shape_options{
    "s-shape",
    length("bend-radius", &SShape::bend_radius, "of the two arcs"),
    length("tube-radius", &SShape::tube_radius, "of the cross-section, below half the bend radius"),
    option("sweep", &SShape::sweep, 10, 270, "degrees of each arc"),
    option("along", &SShape::along, 1, max_segments, "segments of each arc, at least one per 60 degrees"),
    option("across", &SShape::across, 3, max_segments, "segments around the tube"),
};

constexpr OptionTable pipes_options{
    "pipes",
    option("count", &Pipes::count, 1, 2000, "pipes per row"),
    length("spacing", &Pipes::spacing, "between parallel neighbors"),
    length("radius", &Pipes::radius, "of a pipe"),
    option("wander", &Pipes::wander, 0, largest_length, "largest deviation from a straight line"),
    option("segments", &Pipes::segments, 3, max_segments, "around a pipe"),
    option("stretches", &Pipes::stretches, 1, max_segments, "straight pieces along a pipe"),
    seed(&Pipes::seed),
};

/// A ring of the S: its center and its outward direction `side` in the plane of the S. The other direction is z.
struct TubeStation {
  Vector2 center;
  Vector2 side;
};

/// Ring `i` of 2·along + 1, from the upper end to the lower. The upper arc runs counterclockwise around (0, R), the
/// lower one clockwise around (0, -R). They meet at the origin, both heading along +x. `side` is left of the heading.
TubeStation station(const SShape& options, int i) {
  const double r = options.bend_radius;
  const int steps = i <= options.along ? options.along - i : i - options.along;
  const Direction d = turn(options.sweep / 360 * (static_cast<double>(steps) / static_cast<double>(options.along)));
  // By symmetry, both arcs are this one, started at the origin. The upper one is run backward and rotated by half a
  // turn.
  const Vector2 center(r * d.sin, r * d.cos - r);
  const Vector2 side(d.sin, d.cos);
  if (i <= options.along) return {-center, side};
  return {center, side};
}

}  // namespace

MeshData s_shape(const SShape& options) {
  const auto& [bend_radius, tube_radius, sweep, along, across] = options;
  s_shape_options.check(options);
  check_below("s-shape", "tube-radius", tube_radius, bend_radius / 2, "half the bend-radius");
  check_at_least("s-shape", "along", along, std::ceil(sweep / 60), "one per 60 degrees of sweep");
  check_ratio("s-shape", {bend_radius, tube_radius});
  check_count("s-shape", 2.0 * across * (2.0 * along + 1), "along or across");

  MeshData mesh;
  const int rings = 2 * along + 1;
  mesh.vertices.reserve(static_cast<std::size_t>(rings) * static_cast<std::size_t>(across) + 2);
  mesh.triangles.reserve(2 * static_cast<std::size_t>(rings) * static_cast<std::size_t>(across));
  const std::vector<Direction> around = circle(across);
  for (int i = 0; i < rings; ++i) {
    const TubeStation at = station(options, i);
    for (const Direction& d : around) {
      const double out = tube_radius * d.cos;
      mesh.vertices.emplace_back(at.center.x() + out * at.side.x(), at.center.y() + out * at.side.y(),
                                 tube_radius * d.sin);
    }
  }
  add_grid(mesh, 0, rings, across, Ends::open, Ends::joined);
  const auto start = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const int i : {0, rings - 1}) {
    const TubeStation at = station(options, i);
    mesh.vertices.emplace_back(at.center.x(), at.center.y(), 0);
  }
  const auto count = static_cast<std::uint32_t>(across);
  const std::uint32_t last_ring = start - count;
  for (std::uint32_t j = 0; j < count; ++j) {
    const std::uint32_t k = (j + 1) % count;
    mesh.triangles.push_back({start, k, j});
    mesh.triangles.push_back({start + 1, last_ring + j, last_ring + k});
  }
  return mesh;
}

MeshData pipes(const Pipes& options) {
  const auto& [count, spacing, radius, wander, segments, stretches, random_seed] = options;
  pipes_options.check(options);
  check_below("pipes", "radius + wander", radius + wander, spacing / 4, "spacing/4, so that no pipes touch");
  check_ratio("pipes", {spacing, radius});
  const double per_pipe = 2.0 * segments * (stretches + 1.0) - 4;
  check_count("pipes", 3.0 * count * count * per_pipe, "count, segments or stretches");

  MeshData mesh;
  const std::size_t tubes = 3 * static_cast<std::size_t>(count) * static_cast<std::size_t>(count);
  mesh.vertices.reserve(tubes * static_cast<std::size_t>(segments) * (static_cast<std::size_t>(stretches) + 1));
  mesh.triangles.reserve(tubes * static_cast<std::size_t>(per_pipe));
  const std::vector<Direction> around = circle(segments);

  geometry::Random random(random_seed);
  const auto ring = static_cast<std::uint32_t>(segments);
  for (int axis = 0; axis < 3; ++axis) {
    // A pipe is offset from a lattice point by minus a quarter of the spacing along the next axis and plus a quarter
    // along the one after. So pipes along two different axes are at least half the spacing apart along the third.
    const int next = (axis + 1) % 3, after = (axis + 2) % 3;
    for (int p = 0; p < count; ++p) {
      for (int q = 0; q < count; ++q) {
        const double base_next = (p - (count - 1) / 2.0 - 0.25) * spacing;
        const double base_after = (q - (count - 1) / 2.0 + 0.25) * spacing;
        const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
        for (int i = 0; i <= stretches; ++i) {
          const double along = grid_position(count * spacing, i, stretches);
          const double center_next = base_next + random.uniform(-wander, wander);
          const double center_after = base_after + random.uniform(-wander, wander);
          for (const Direction& d : around) {
            Vector3 vertex;
            vertex[axis] = along;
            vertex[next] = center_next + radius * d.cos;
            vertex[after] = center_after + radius * d.sin;
            mesh.vertices.push_back(vertex);
          }
        }
        add_grid(mesh, first, stretches + 1, segments, Ends::open, Ends::joined);
        const std::uint32_t last = static_cast<std::uint32_t>(mesh.vertices.size()) - ring;
        for (std::uint32_t j = 1; j + 1 < ring; ++j) {
          mesh.triangles.push_back({first, first + j + 1, first + j});
          mesh.triangles.push_back({last, last + j, last + j + 1});
        }
      }
    }
  }
  return mesh;
}

constexpr Model s_shape_model = model_of<s_shape_options, s_shape>("a thick S with a round cross-section", true);

constexpr Model pipes_model = model_of<pipes_options, pipes>("a cube of pipes that weave past each other", true);

}  // namespace whisker::make
