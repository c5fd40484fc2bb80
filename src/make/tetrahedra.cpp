// Generators of tetrahedral volume meshes.

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/make/tetrahedra.hpp>

#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

constexpr int max_box_cells = 100'000;
constexpr int max_ball_subdivisions = 6;  // 5.2 million tetrahedra

constexpr OptionTable tetrahedral_box_options{
    "tetrahedral-box",
    length("size-x", &TetrahedralBox::size_x, "full length along x"),
    length("size-y", &TetrahedralBox::size_y, "full length along y"),
    length("size-z", &TetrahedralBox::size_z, "full length along z"),
    option("cells-x", &TetrahedralBox::cells_x, 1, max_box_cells, "bricks along x"),
    option("cells-y", &TetrahedralBox::cells_y, 1, max_box_cells, "bricks along y"),
    option("cells-z", &TetrahedralBox::cells_z, 1, max_box_cells, "bricks along z"),
};

constexpr OptionTable tetrahedral_ball_options{
    "tetrahedral-ball",
    length("radius", &TetrahedralBall::radius, "of the ball"),
    option("subdivisions", &TetrahedralBall::subdivisions, 0, max_ball_subdivisions,
           "how many times every tetrahedron is split"),
};

/// A ball under construction: vertices inside the flat-faced icosahedron, and how far out each one is, from 0 to 1.
struct Ball {
  TetrahedralData data;
  std::vector<double> out;
};

/// Splits every tetrahedron into eight: four at its corners, and the octahedron between them into four around its
/// shortest diagonal.
void subdivide(Ball& ball) {
  std::vector<Vector3>& vertices = ball.data.vertices;
  std::unordered_map<std::uint64_t, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t key = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    const auto [place, is_new] = middles.try_emplace(key, static_cast<std::uint32_t>(vertices.size()));
    if (is_new) {
      const Vector3 between = (vertices[a] + vertices[b]) / 2;
      vertices.push_back(between);
      ball.out.push_back((ball.out[a] + ball.out[b]) / 2);
    }
    return place->second;
  };
  std::vector<Index4> parts;
  parts.reserve(8 * ball.data.tetrahedra.size());
  for (const auto& [a, b, c, d] : ball.data.tetrahedra) {
    const std::uint32_t ab = middle(a, b), ac = middle(a, c), ad = middle(a, d);
    const std::uint32_t bc = middle(b, c), bd = middle(b, d), cd = middle(c, d);
    parts.insert(parts.end(), {{a, ab, ac, ad}, {ab, b, bc, bd}, {ac, bc, c, cd}, {ad, bd, cd, d}});
    const auto length = [&](std::uint32_t p, std::uint32_t q) { return (vertices[p] - vertices[q]).squaredNorm(); };
    // The diagonal from p to q, and the ring around it, counterclockwise seen from q.
    std::uint32_t p = ab, q = cd;
    std::array<std::uint32_t, 4> ring = {ac, ad, bd, bc};
    if (length(ac, bd) < length(p, q)) {
      p = ac, q = bd;
      ring = {ab, bc, cd, ad};
    }
    if (length(ad, bc) < length(p, q)) {
      p = ad, q = bc;
      ring = {ab, ac, cd, bd};
    }
    for (std::size_t i = 0; i < 4; ++i)
      parts.push_back({p, ring[i], ring[(i + 1) % 4], q});
  }
  ball.data.tetrahedra = std::move(parts);
}

}  // namespace

TetrahedralData tetrahedral_box(const TetrahedralBox& options) {
  const auto& [size_x, size_y, size_z, cells_x, cells_y, cells_z] = options;
  tetrahedral_box_options.check(options);
  check_ratio("tetrahedral-box", {size_x, size_y, size_z});
  if (6.0 * cells_x * cells_y * cells_z > max_tetrahedra) {
    throw Error("make tetrahedral-box: it would have more than " + std::to_string(max_tetrahedra) +
                " tetrahedra: lower cells-x, cells-y or cells-z");
  }
  const std::array<std::uint32_t, 3> n = {static_cast<std::uint32_t>(cells_x), static_cast<std::uint32_t>(cells_y),
                                          static_cast<std::uint32_t>(cells_z)};
  TetrahedralData data;
  for (std::uint32_t k = 0; k <= n[2]; ++k)
    for (std::uint32_t j = 0; j <= n[1]; ++j)
      for (std::uint32_t i = 0; i <= n[0]; ++i)
        data.vertices.emplace_back(grid_position(size_x, i, n[0]), grid_position(size_y, j, n[1]),
                                   grid_position(size_z, k, n[2]));
  const std::array<std::uint32_t, 3> step = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
  // Paths from the lowest corner of a brick to the highest along three of its edges, in each of the six orders of the
  // axes. Odd orders have the opposite orientation.
  constexpr std::array<std::array<std::uint32_t, 3>, 6> orders = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (std::uint32_t k = 0; k < n[2]; ++k)
    for (std::uint32_t j = 0; j < n[1]; ++j)
      for (std::uint32_t i = 0; i < n[0]; ++i)
        for (std::size_t o = 0; o < orders.size(); ++o) {
          const std::uint32_t lowest = i + j * step[1] + k * step[2];
          const std::uint32_t second = lowest + step[orders[o][0]], third = second + step[orders[o][1]];
          const std::uint32_t highest = third + step[orders[o][2]];
          data.tetrahedra.push_back(o < 3 ? Index4{lowest, second, third, highest}
                                          : Index4{lowest, third, second, highest});
        }
  return data;
}

TetrahedralData tetrahedral_ball(const TetrahedralBall& options) {
  const auto& [radius, subdivisions] = options;
  tetrahedral_ball_options.check(options);
  const MeshData surface = icosphere({.radius = 1, .subdivisions = 0});
  Ball ball;
  ball.data.vertices = surface.vertices;
  ball.data.vertices.emplace_back(0, 0, 0);
  ball.out.assign(surface.vertices.size(), 1);
  ball.out.push_back(0);
  const auto center = static_cast<std::uint32_t>(surface.vertices.size());
  for (const Index3& t : surface.triangles)
    ball.data.tetrahedra.push_back({center, t[0], t[1], t[2]});
  for (int i = 0; i < subdivisions; ++i)
    subdivide(ball);
  for (std::size_t i = 0; i < ball.out.size(); ++i) {
    Vector3& v = ball.data.vertices[i];
    const double x = v[0], y = v[1], z = v[2], far = std::sqrt(x * x + y * y + z * z);
    if (far > 0) v = Vector3(x / far, y / far, z / far) * (ball.out[i] * radius);
  }
  return std::move(ball.data);
}

}  // namespace whisker::make
