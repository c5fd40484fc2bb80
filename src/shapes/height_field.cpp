#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/height_field.hpp>

#include "geometry/check_index.hpp"
#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/ray_near.hpp"
#include "geometry/ray_path.hpp"

namespace whisker {

struct HeightField::Storage {
  std::size_t columns = 0;
  std::size_t rows = 0;
  double dx = 0;
  double dy = 0;
  std::vector<double> heights;
  /// The pyramid. The blocks of level 0, the cells, are not stored but computed from the altitudes, which saves four
  /// fifths of the memory.
  struct Level {
    std::size_t columns = 0;
    std::size_t rows = 0;
    std::vector<Range> blocks;
  };
  std::vector<Level> levels;

  double height(std::size_t i, std::size_t j) const { return heights[j * columns + i]; }
  Vector3 vertex(std::size_t i, std::size_t j) const {
    return {static_cast<double>(i) * dx, static_cast<double>(j) * dy, height(i, j)};
  }
  Range cell_range(std::size_t i, std::size_t j) const {
    const double a = height(i, j), b = height(i + 1, j), c = height(i, j + 1), d = height(i + 1, j + 1);
    return {std::min(std::min(a, b), std::min(c, d)), std::max(std::max(a, b), std::max(c, d))};
  }
  const Level& blocks(int level) const {
    if (level < 0) throw Error("height field: level " + std::to_string(level) + " is negative; level 0 is the cells");
    geometry::check_index("height field: level", static_cast<std::size_t>(level), levels.size());
    return levels[static_cast<std::size_t>(level)];
  }

  void check_place(std::size_t i, std::size_t j) const {
    geometry::check_index("height field: column", i, columns);
    geometry::check_index("height field: row", j, rows);
  }
  static void check_block(std::size_t i, std::size_t j, std::size_t block_columns, std::size_t block_rows) {
    geometry::check_index("height field: column of blocks", i, block_columns);
    geometry::check_index("height field: row of blocks", j, block_rows);
  }
};

HeightField::HeightField(std::span<const double> heights, std::size_t columns, std::size_t rows, double dx, double dy) {
  if (columns < 2 || rows < 2) {
    throw Error("height field: " + std::to_string(columns) + " x " + std::to_string(rows) +
                " altitudes; at least 2 x 2 are needed");
  }
  if (heights.size() / columns != rows || heights.size() % columns != 0) {
    throw Error("height field: " + std::to_string(heights.size()) + " altitudes for " + std::to_string(columns) +
                " columns and " + std::to_string(rows) + " rows; give exactly columns * rows");
  }
  if (!(dx > 0 && dy > 0) || !std::isfinite(dx * static_cast<double>(columns)) ||
      !std::isfinite(dy * static_cast<double>(rows))) {
    throw Error("height field: the spacing " + std::to_string(dx) + ", " + std::to_string(dy) +
                " is not positive and finite");
  }
  if (dx * static_cast<double>(columns - 1) > max_coordinate || dy * static_cast<double>(rows - 1) > max_coordinate) {
    throw Error("height field: it is longer than 1e90; use another unit of length");
  }
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const auto refuse = [&](const char* why) {
      throw Error("height field: the altitude at column " + std::to_string(k % columns) + ", row " +
                  std::to_string(k / columns) + why);
    };
    if (!std::isfinite(heights[k])) refuse(" is NaN or infinite; fill such holes first");
    if (std::abs(heights[k]) > max_coordinate) refuse(" is beyond 1e90; use another unit of length");
  }
  auto storage = std::make_shared<Storage>(Storage{columns, rows, dx, dy, {heights.begin(), heights.end()}, {}});

  storage->levels.push_back({columns - 1, rows - 1, {}});
  while (storage->levels.back().columns > 1 || storage->levels.back().rows > 1) {
    const Storage::Level& below = storage->levels.back();
    Storage::Level level{(below.columns + 1) / 2, (below.rows + 1) / 2, {}};
    level.blocks.reserve(level.columns * level.rows);
    for (std::size_t j = 0; j < level.rows; ++j) {
      for (std::size_t i = 0; i < level.columns; ++i) {
        Range range{infinity, -infinity};
        for (std::size_t y = 2 * j; y < std::min(2 * j + 2, below.rows); ++y) {
          for (std::size_t x = 2 * i; x < std::min(2 * i + 2, below.columns); ++x) {
            const Range child = below.blocks.empty() ? storage->cell_range(x, y) : below.blocks[y * below.columns + x];
            range.lowest = std::min(range.lowest, child.lowest);
            range.highest = std::max(range.highest, child.highest);
          }
        }
        level.blocks.push_back(range);
      }
    }
    storage->levels.push_back(std::move(level));
  }
  storage_ = std::move(storage);
}

std::size_t HeightField::columns() const {
  return storage_->columns;
}
std::size_t HeightField::rows() const {
  return storage_->rows;
}
double HeightField::spacing_x() const {
  return storage_->dx;
}
double HeightField::spacing_y() const {
  return storage_->dy;
}
double HeightField::height(std::size_t column, std::size_t row) const {
  const Storage& s = *storage_;
  s.check_place(column, row);
  return s.height(column, row);
}

Vector3 HeightField::vertex(std::size_t column, std::size_t row) const {
  const Storage& s = *storage_;
  s.check_place(column, row);
  return s.vertex(column, row);
}

std::size_t HeightField::cell_count() const {
  const Storage& s = *storage_;
  return (s.columns - 1) * (s.rows - 1);
}
std::size_t HeightField::triangle_count() const {
  return 2 * cell_count();
}

Triangle HeightField::triangle(std::size_t index) const {
  const Storage& s = *storage_;
  const std::size_t cell = index / 2;
  const std::size_t i = cell % (s.columns - 1);
  const std::size_t j = cell / (s.columns - 1);
  if (j >= s.rows - 1) [[unlikely]]
    geometry::throw_bad_index("height field: triangle", index, triangle_count());
  if (index % 2 == 0) return {s.vertex(i, j), s.vertex(i + 1, j), s.vertex(i + 1, j + 1)};
  return {s.vertex(i, j), s.vertex(i + 1, j + 1), s.vertex(i, j + 1)};
}

Aabb HeightField::bounds() const {
  const Range range = block_range(levels() - 1, 0, 0);
  return {Vector3(0, 0, range.lowest), Vector3(static_cast<double>(storage_->columns - 1) * storage_->dx,
                                               static_cast<double>(storage_->rows - 1) * storage_->dy, range.highest)};
}

int HeightField::levels() const {
  return static_cast<int>(storage_->levels.size());
}

std::size_t HeightField::block_columns(int level) const {
  return storage_->blocks(level).columns;
}

std::size_t HeightField::block_rows(int level) const {
  return storage_->blocks(level).rows;
}

HeightField::Range HeightField::block_range(int level, std::size_t i, std::size_t j) const {
  const Storage& s = *storage_;
  if (level == 0) {
    s.check_block(i, j, s.columns - 1, s.rows - 1);
    return s.cell_range(i, j);
  }
  const Storage::Level& blocks = s.blocks(level);
  s.check_block(i, j, blocks.columns, blocks.rows);
  return blocks.blocks[j * blocks.columns + i];
}

namespace {

/// The cell of a coordinate and the relative position within it. The upper border belongs to the last cell.
struct CellPlace {
  std::size_t cell = 0;
  double fraction = 0;
};

std::optional<CellPlace> cell_place(double x, double spacing, std::size_t count) {
  const double cells = static_cast<double>(count - 1);
  if (!(x >= 0 && x <= cells * spacing)) return std::nullopt;
  const double steps = std::min(x / spacing, cells);
  const auto cell = std::min(static_cast<std::size_t>(steps), count - 2);
  return CellPlace{cell, std::clamp(steps - static_cast<double>(cell), 0.0, 1.0)};
}

}  // namespace

std::optional<double> HeightField::height_at(double x, double y) const {
  const auto px = cell_place(x, storage_->dx, storage_->columns);
  const auto py = cell_place(y, storage_->dy, storage_->rows);
  if (!px || !py) return std::nullopt;
  const std::size_t i = px->cell, j = py->cell;
  const double u = px->fraction, v = py->fraction;
  const double corner = height(i, j), across = height(i + 1, j + 1);
  // The weights sum to one, so that a corner gives exactly its altitude.
  if (u >= v) return (1 - u) * corner + (u - v) * height(i + 1, j) + v * across;
  return (1 - v) * corner + (v - u) * height(i, j + 1) + u * across;
}

std::optional<Vector3> HeightField::normal_at(double x, double y) const {
  const auto px = cell_place(x, storage_->dx, storage_->columns);
  const auto py = cell_place(y, storage_->dy, storage_->rows);
  if (!px || !py) return std::nullopt;
  const std::size_t cell = py->cell * (storage_->columns - 1) + px->cell;
  const Triangle t = triangle(2 * cell + (px->fraction >= py->fraction ? 0 : 1));
  return geometry::unit_normal(t.a, t.b, t.c);
}

namespace {

/// The ray in the field's frame, approximately: for all |t| <= reach it is within `slack` of the exact one.
struct WalkRay {
  Vector3 origin;
  Vector3 direction;
  double slack = 0;
  /// If the exact parameters of two triangles differ by more than this, their estimates have the same order.
  double t_slack = 0;
};

/// Clips to the parameters at which the ray may be between two values of one coordinate, widened for rounding.
void clip(double lower, double upper, double o, double d, double& enter, double& exit) {
  if (d == 0) {
    if (o < lower || o > upper) exit = -infinity;
    return;
  }
  const double t1 = (lower - o) / d;
  const double t2 = (upper - o) / d;
  const double first = std::min(t1, t2);
  const double last = std::max(t1, t2);
  enter = std::max(enter, first - std::abs(first) * 0x1p-50);
  exit = std::min(exit, last + std::abs(last) * 0x1p-50);
}

/// The range of cells [first, end) whose closed interval of one coordinate contains x. Empty outside of the grid.
struct CellSpan {
  std::size_t first = 0;
  std::size_t end = 0;
};

CellSpan cells_around(double x, double spacing, std::size_t count) {
  const double cells = static_cast<double>(count - 1);
  if (!(x >= 0 && x <= cells * spacing)) return {};
  const auto border = [&](std::size_t k) { return static_cast<double>(k) * spacing; };
  // The quotient is off by less than one cell. Borders are compared as the doubles that they are.
  const auto guess = static_cast<std::size_t>(std::min(x / spacing, cells));
  CellSpan span{guess > 1 ? guess - 2 : 0, std::min(guess + 2, count - 1)};
  while (span.first < span.end && border(span.first + 1) < x)
    ++span.first;
  while (span.end > span.first && border(span.end - 1) > x)
    --span.end;
  return span;
}

struct Block {
  int level;
  std::size_t i, j;
  double enter;
};

template <class TriangleHit>
std::optional<RayHit> walk(const WalkRay& ray, const HeightField& field, RayRange range, Cost* cost,
                           TriangleHit triangle_hit) {
  if (!(range.lower <= range.upper)) return std::nullopt;
  std::optional<RayHit> best;
  double cutoff = range.upper;
  Cost counted;
  // Read once, because every access from outside checks whether the field exists and the index is valid.
  const double dx = field.spacing_x(), dy = field.spacing_y();
  const std::size_t cells_x = field.columns() - 1, cells_y = field.rows() - 1;

  const auto enter_block = [&](int level, std::size_t i, std::size_t j) {
    ++counted.volume_tests;
    const HeightField::Range heights = field.block_range(level, i, j);
    const auto end = [&](std::size_t k, std::size_t cells) { return std::min((k + 1) << level, cells); };
    const double x0 = static_cast<double>(i << level) * dx;
    const double x1 = static_cast<double>(end(i, cells_x)) * dx;
    const double y0 = static_cast<double>(j << level) * dy;
    const double y1 = static_cast<double>(end(j, cells_y)) * dy;
    double enter = range.lower;
    double exit = cutoff;
    clip(x0 - ray.slack, x1 + ray.slack, ray.origin[0], ray.direction[0], enter, exit);
    clip(y0 - ray.slack, y1 + ray.slack, ray.origin[1], ray.direction[1], enter, exit);
    clip(heights.lowest - ray.slack, heights.highest + ray.slack, ray.origin[2], ray.direction[2], enter, exit);
    return enter <= exit ? enter : infinity;
  };

  const auto test_cell = [&](std::size_t i, std::size_t j) {
    const std::size_t cell = j * cells_x + i;
    for (std::size_t index = 2 * cell; index < 2 * cell + 2; ++index) {
      ++counted.primitive_tests;
      std::optional<RayHit> hit = triangle_hit(field.triangle(index));
      if (!hit) continue;
      hit->face->triangle = index;
      if (best && (hit->t > best->t || (hit->t == best->t && index > best->face->triangle))) continue;
      best = hit;
      cutoff = std::min(cutoff, hit->t + ray.t_slack + 0x1p-39 * std::abs(hit->t));
    }
  };
  const auto finish = [&] {
    if (cost != nullptr) *cost += counted;
    return best;
  };

  if (ray.slack == 0 && ray.direction[0] == 0 && ray.direction[1] == 0) {
    // A vertical ray: one cell, or those that share the edge or corner that the ray passes through.
    const CellSpan across = cells_around(ray.origin[0], dx, cells_x + 1);
    const CellSpan along = cells_around(ray.origin[1], dy, cells_y + 1);
    for (std::size_t j = along.first; j < along.end; ++j) {
      for (std::size_t i = across.first; i < across.end; ++i) {
        ++counted.volume_tests;
        test_cell(i, j);
      }
    }
    return finish();
  }

  // Depth first, nearest blocks first. At most three blocks of each level are waiting.
  Block waiting[3 * 64 + 1];
  int count = 0;
  const int top = field.levels() - 1;
  const auto push = [&](int level, std::size_t i, std::size_t j) {
    const double enter = enter_block(level, i, j);
    if (enter < infinity) waiting[count++] = {level, i, j, enter};
  };
  push(top, 0, 0);
  const std::size_t near_i = ray.direction[0] < 0 ? 1 : 0;
  const std::size_t near_j = ray.direction[1] < 0 ? 1 : 0;
  while (count > 0) {
    const Block block = waiting[--count];
    if (block.enter > cutoff) continue;
    if (block.level > 0) {
      const int level = block.level - 1;
      const std::size_t columns = field.block_columns(level);
      const std::size_t rows = field.block_rows(level);
      // The farthest child is pushed first, so that it is popped last.
      for (int k = 3; k >= 0; --k) {
        const std::size_t i = 2 * block.i + ((k & 1) != 0 ? 1 - near_i : near_i);
        const std::size_t j = 2 * block.j + ((k & 2) != 0 ? 1 - near_j : near_j);
        if (i < columns && j < rows) push(level, i, j);
      }
      continue;
    }
    test_cell(block.i, block.j);
  }
  return finish();
}

/// Estimates of t are within 2^-42 |t| + 2^-51 coordinate / |direction| of the exact value (see ray_triangle.cpp). This
/// uses four times that.
double estimate_slack(const Ray& ray, double coordinate) {
  const double speed = geometry::largest_entry(ray.direction);
  return speed > 0 ? 0x1p-48 * (coordinate + geometry::largest_entry(ray.origin)) / speed : 0;
}

}  // namespace

std::optional<RayHit> ray_height_field(const Ray& ray, const HeightField& field, const Pose& pose, RayRange range,
                                       Cost* cost) {
  using geometry::DoubleDouble;
  using geometry::Rounded;
  const Aabb box = field.bounds();
  const double low = geometry::largest_entry(box.lower), high = geometry::largest_entry(box.upper);
  if (pose.translation() == Vector3::Zero() && pose.rotation() == Matrix3::Identity()) {
    // In the field's own frame nothing is rounded, so the walk needs no slack.
    const WalkRay walk_ray{ray.origin, ray.direction, 0, estimate_slack(ray, std::max(low, high))};
    return walk(walk_ray, field, range, cost,
                [&](const Triangle& triangle) { return geometry::triangle_hit(ray, triangle, range); });
  }
  const double size = low + high;
  Rounded<DoubleDouble> origin[3];
  Rounded<DoubleDouble> direction[3];
  for (int i = 0; i < 3; ++i) {
    origin[i] = {geometry::difference(ray.origin[i], pose.translation()[i]), 0};
    direction[i] = {ray.direction[i], 0};
  }
  geometry::turn_back(pose.rotation(), origin);
  geometry::turn_back(pose.rotation(), direction);
  WalkRay walk_ray;
  double origin_error = 0;
  double direction_error = 0;
  for (int i = 0; i < 3; ++i) {
    walk_ray.origin[i] = origin[i].value.hi;
    walk_ray.direction[i] = direction[i].value.hi;
    origin_error = std::max(origin_error, origin[i].error + std::abs(origin[i].value.lo));
    direction_error = std::max(direction_error, direction[i].error + std::abs(direction[i].value.lo));
  }
  // Points of the field have |t| below `reach`. Up to there, the local ray deviates by its two errors, and a corner is
  // placed with an error of four roundings.
  const double away = geometry::largest_entry(walk_ray.origin);
  const double speed = geometry::largest_entry(walk_ray.direction);
  const double reach = speed > 0 ? 4 * (away + size) / speed : 0;
  walk_ray.slack =
      2 * (origin_error + reach * direction_error) + 0x1p-48 * (size + geometry::largest_entry(pose.translation()));
  walk_ray.t_slack = estimate_slack(ray, 2 * size + geometry::largest_entry(pose.translation())) +
                     (speed > 0 ? 4 * walk_ray.slack / speed : 0);
  return walk(walk_ray, field, range, cost, [&](const Triangle& triangle) {
    return geometry::triangle_hit(ray, geometry::placed_triangle(pose, triangle), range);
  });
}

}  // namespace whisker
