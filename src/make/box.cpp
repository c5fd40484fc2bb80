// Mesh generators for shapes made of boxes: the box itself, the slotted block and the chair.

#include <algorithm>

#include <whisker/make/make.hpp>

#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

constexpr int max_box_subdivisions = 2000;  // 48 million triangles

constexpr OptionTable box_options{
    "box",
    length("size-x", &Box::size_x, "full length along x"),
    length("size-y", &Box::size_y, "full length along y"),
    length("size-z", &Box::size_z, "full length along z"),
    option("subdivisions", &Box::subdivisions, 1, max_box_subdivisions, "segments per edge"),
};

constexpr OptionTable block_options{
    "block",
    length("size-x", &Block::size_x, "full length along x"),
    length("size-y", &Block::size_y, "full length along y"),
    length("size-z", &Block::size_z, "full length along z"),
    length("slot-x", &Block::slot_x, "full width of the slot along x"),
    length("slot-y", &Block::slot_y, "full width of the slot along y"),
};

constexpr OptionTable chair_options{
    "chair",
    length("width", &Chair::width, "along x"),
    length("depth", &Chair::depth, "along y"),
    length("seat-height", &Chair::seat_height, "of the seat"),
    length("back-height", &Chair::back_height, "of the whole chair"),
    length("thickness", &Chair::thickness, "of seat, legs and posts"),
};

/// The number of a surface point of an n × n × n lattice. Layers are numbered from bottom to top: all points of the
/// first and last, and the rim of those in between, once around, from (0, 0) along i.
std::uint32_t surface_number(std::uint32_t n, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
  const std::uint32_t layer = k == 0 ? 0 : (n + 1) * (n + 1) + (k - 1) * 4 * n;
  if (k == 0 || k == n) return layer + j * (n + 1) + i;
  if (j == 0 && i < n) return layer + i;
  if (i == n && j < n) return layer + n + j;
  if (j == n && i > 0) return layer + 2 * n + (n - i);
  return layer + 3 * n + (n - j);
}

/// Adds the eight corners between `low` and `high`: the lower four first, counterclockwise seen from above. Returns the
/// number of the first.
std::uint32_t add_corners(MeshData& mesh, const Vector3& low, const Vector3& high) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const double z : {low.z(), high.z()}) {
    mesh.vertices.emplace_back(low.x(), low.y(), z);
    mesh.vertices.emplace_back(high.x(), low.y(), z);
    mesh.vertices.emplace_back(high.x(), high.y(), z);
    mesh.vertices.emplace_back(low.x(), high.y(), z);
  }
  return first;
}

/// Adds a closed box. If its top rises, then to a vertex in its middle.
void add_box(MeshData& mesh, const Vector3& low, const Vector3& high, double rise = 0) {
  const std::uint32_t v = add_corners(mesh, low, high);
  add_square(mesh, v, v + 3, v + 2, v + 1);
  for (std::uint32_t i = 0; i < 4; ++i) {
    add_square(mesh, v + i, v + (i + 1) % 4, v + 4 + (i + 1) % 4, v + 4 + i);
    if (rise > 0) mesh.triangles.push_back({v + 4 + i, v + 4 + (i + 1) % 4, v + 8});
  }
  if (rise > 0)
    mesh.vertices.emplace_back((low.x() + high.x()) / 2, (low.y() + high.y()) / 2, high.z() + rise);
  else
    add_square(mesh, v + 4, v + 5, v + 6, v + 7);
}

}  // namespace

MeshData box(const Box& options) {
  const auto& [size_x, size_y, size_z, subdivisions] = options;
  box_options.check(options);
  check_ratio("box", {size_x, size_y, size_z});

  const auto n = static_cast<std::uint32_t>(subdivisions);
  const auto number_at = [n](std::uint32_t i, std::uint32_t j, std::uint32_t k) { return surface_number(n, i, j, k); };
  MeshData mesh;
  mesh.vertices.resize(std::size_t{6} * n * n + 2);
  mesh.triangles.reserve(std::size_t{12} * n * n);
  for (std::uint32_t k = 0; k <= n; ++k)
    for (std::uint32_t j = 0; j <= n; ++j) {
      // Within a middle layer, only the two ends of a row are on the surface.
      const bool whole_row = k == 0 || k == n || j == 0 || j == n;
      for (std::uint32_t i = 0; i <= n; i += whole_row ? 1 : n)
        mesh.vertices[number_at(i, j, k)] = {grid_position(size_x, i, n), grid_position(size_y, j, n),
                                             grid_position(size_z, k, n)};
    }
  for (std::uint32_t p = 0; p < n; ++p)
    for (std::uint32_t q = 0; q < n; ++q)
      for (const std::uint32_t side : {0u, n}) {
        // On each face p and q run along the next two axes in cyclic order, so p × q points along +axis.
        const auto square = [&](auto number) {
          const std::uint32_t a = number(p, q), b = number(p + 1, q), c = number(p + 1, q + 1), d = number(p, q + 1);
          side == 0 ? add_square(mesh, a, d, c, b) : add_square(mesh, a, b, c, d);
        };
        square([&](std::uint32_t s, std::uint32_t t) { return number_at(side, s, t); });
        square([&](std::uint32_t s, std::uint32_t t) { return number_at(t, side, s); });
        square([&](std::uint32_t s, std::uint32_t t) { return number_at(s, t, side); });
      }
  return mesh;
}

MeshData block(const Block& options) {
  const auto& [size_x, size_y, size_z, slot_x, slot_y] = options;
  block_options.check(options);
  check_below("block", "slot-x", slot_x, size_x, "size-x");
  check_below("block", "slot-y", slot_y, size_y, "size-y");
  check_ratio("block", {size_x, size_y, size_z, slot_x, slot_y, size_x - slot_x, size_y - slot_y});

  MeshData mesh;
  const Vector3 outer(size_x / 2, size_y / 2, size_z / 2);
  const Vector3 inner(slot_x / 2, slot_y / 2, size_z / 2);
  const std::uint32_t o = add_corners(mesh, -outer, outer);
  const std::uint32_t s = add_corners(mesh, -inner, inner);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t j = (i + 1) % 4;
    add_square(mesh, o + i, o + j, o + 4 + j, o + 4 + i);          // outer wall
    add_square(mesh, s + j, s + i, s + 4 + i, s + 4 + j);          // wall of the slot
    add_square(mesh, o + 4 + i, o + 4 + j, s + 4 + j, s + 4 + i);  // top
    add_square(mesh, o + j, o + i, s + i, s + j);                  // bottom
  }
  return mesh;
}

MeshData chair(const Chair& options) {
  const auto& [width, depth, seat_height, back_height, thickness] = options;
  chair_options.check(options);
  check_below("chair", "thickness", thickness, std::min({width, depth, seat_height}) / 4,
              "a quarter of the smallest of width, depth and seat-height");
  check_at_least("chair", "back-height", back_height, seat_height + 4 * thickness, "seat-height + 4 thickness");
  check_ratio("chair", {width, depth, seat_height, back_height, thickness, back_height - seat_height});

  const double x = width / 2, y = depth / 2, t = thickness;
  const double under_seat = seat_height - t;
  const double bar = under_seat / 3;          // height of the side bars
  const double dome = t / 4;                  // rise of the seat's middle
  const double left = -x + t, right = x - t;  // inner faces of legs and posts
  const double front = -y + t, rear = y - t;

  MeshData mesh;
  add_box(mesh, {-x, -y, under_seat}, {x, y, seat_height}, dome);
  // Adds a box on the left side and its like on the right.
  const auto add_both = [&](double front_y, double rear_y, double bottom, double top) {
    add_box(mesh, {-x, front_y, bottom}, {left, rear_y, top});
    add_box(mesh, {right, front_y, bottom}, {x, rear_y, top});
  };
  add_both(-y, front, 0, under_seat);  // legs
  add_both(rear, y, 0, under_seat);
  add_both(front, rear, bar, bar + t);                  // bars between front and rear legs
  add_both(rear, y, seat_height, back_height);          // posts
  const double slat = (back_height - seat_height) / 6;  // height of the slats and of the gaps below them
  for (int i = 0; i < 3; ++i) {
    const double bottom = seat_height + (2 * i + 1) * slat;
    const double top = i == 2 ? back_height : bottom + slat;
    add_box(mesh, {left, rear + t / 4, bottom}, {right, y - t / 4, top});
  }
  return mesh;
}

constexpr Model box_model = model_of<box_options, box>("a box with divided faces", true);

constexpr Model block_model = model_of<block_options, block>("a box with a rectangular hole", true);

constexpr Model chair_model = model_of<chair_options, chair>("a chair of twelve closed parts", true);

}  // namespace whisker::make
