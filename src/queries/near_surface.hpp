#pragma once

// A placed mesh, height field or ground as contact manifolds use it: its triangles near a shape, and what lies across
// their edges.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/height_field.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"
#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/side_walk.hpp"
#include "mesh/surface_distance.hpp"
#include "shapes/mesh_storage.hpp"
#include "shapes/rounded_data.hpp"
#include "trees/edge_twins.hpp"

namespace whisker::queries {

/// Half-edge 3 t + k runs from corner k of triangle t to the next one.
using HalfEdge = std::uint64_t;
constexpr HalfEdge no_half_edge = ~HalfEdge{0};

inline HalfEdge half_edge_of(std::uint32_t number, std::uint32_t k) {
  return 3 * HalfEdge{number} + k;
}
/// The half-edge of the same triangle that ends where this one starts.
inline HalfEdge before(HalfEdge half_edge) {
  return half_edge % 3 == 0 ? half_edge + 2 : half_edge - 1;
}
inline HalfEdge after(HalfEdge half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}
template <class Surface>
Vector3 start_of(const Surface& surface, HalfEdge half_edge) {
  return surface.corner(static_cast<std::uint32_t>(half_edge / 3), static_cast<std::uint32_t>(half_edge % 3));
}

class NearMesh {
 public:
  explicit NearMesh(const Placed& placed)
      : placed_{*placed.shape.as<Mesh>(), placed.pose},
        storage_(storage_of(placed_.mesh)),
        twins_(storage_.edge_twins()) {}

  /// Whether it is touched from outside only.
  bool is_one_sided() const { return placed_.mesh.is_solid(); }
  Triangle triangle(std::uint32_t number) const { return mesh::triangle_at(placed_, number); }
  /// Its corners in the surface's own frame, by axis, to column `at` of an array.
  template <std::size_t size>
  void copy_triangle(std::uint32_t number, double (&corners)[3][3][size], std::size_t at) const {
    const Index3& indices = storage_.data.triangles[number];
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i)
        corners[k][i][at] = storage_.data.vertices[indices[k]].data()[i];
  }
  const Pose& pose() const { return placed_.pose; }
  std::size_t triangle_count() const { return storage_.data.triangles.size(); }
  Vector3 middle() const { return geometry::placed_point(pose(), storage_.center); }
  /// The direction from a point to the middle: a unit vector or zero.
  Vector3 direction_from(const Vector3& point) const { return geometry::unit_vector(middle() - point); }
  /// Whether there may be a part of the surface without triangles within this distance of a point.
  bool may_have_wall(const Vector3&, double) const { return false; }
  /// The largest coordinate of a placed vertex is at most about this.
  double magnitude() const { return storage_.oriented.coordinate + pose().translation().cwiseAbs().maxCoeff(); }

  Vector3 corner(std::uint32_t number, std::uint32_t k) const {
    return geometry::placed_point(pose(), storage_.data.vertices[storage_.data.triangles[number][k]]);
  }
  /// The other half of an edge, or no_half_edge if it does not have exactly two triangles, one in each direction.
  HalfEdge twin(HalfEdge half_edge) const {
    const std::uint32_t other = twins_[half_edge];
    return other == trees::EdgeTwins::none ? no_half_edge : other;
  }
  /// The vertex across the edge from corner k of a triangle to the next one. Returns false if there is none.
  bool find_across(std::uint32_t number, std::uint32_t k, Vector3& vertex) const {
    const HalfEdge across = twin(half_edge_of(number, k));
    if (across == no_half_edge) return false;
    vertex = start_of(*this, before(across));
    return true;
  }

  /// The numbers of all triangles except those that are proven to be farther than `limit` from the shape. Ascending.
  void find_near(const convex::SimpleShape& shape, double limit, Cost& cost,
                 std::vector<std::uint32_t>& numbers) const {
    const mesh::LocalFrame frame(placed_);
    const double in_tree = (shape.radius + limit) * (1 + 0x1p-48) * frame.scale;
    numbers.clear();
    mesh::walk_near(mesh::near_query(frame, shape), in_tree, no_budget, cost, [&](const mesh::NearTriangle& near) {
      numbers.push_back(near.number);
      return in_tree;
    });
    std::sort(numbers.begin(), numbers.end());
  }

 private:
  mesh::PlacedMesh placed_;
  const MeshStorage& storage_;
  const std::vector<std::uint32_t>& twins_;
};

class NearField {
 public:
  explicit NearField(const Placed& placed)
      : placed_{*shapes::field_of(placed.shape), placed.pose},
        is_ground_(shapes::ground_surface(placed.shape) != nullptr) {}

  /// A ground is touched from above.
  bool is_one_sided() const { return is_ground_; }
  Triangle triangle(std::uint32_t number) const {
    return geometry::placed_triangle(placed_.pose, placed_.field.triangle(number));
  }
  template <std::size_t size>
  void copy_triangle(std::uint32_t number, double (&corners)[3][3][size], std::size_t at) const {
    const Triangle t = placed_.field.triangle(number);
    const std::array<const Vector3*, 3> all = {&t.a, &t.b, &t.c};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i)
        corners[k][i][at] = all[k]->data()[i];
  }
  const Pose& pose() const { return placed_.pose; }
  std::size_t triangle_count() const { return placed_.field.triangle_count(); }
  Vector3 middle() const {
    const Aabb box = placed_.field.bounds();
    return geometry::placed_point(pose(), box.lower / 2 + box.upper / 2);
  }
  /// The middle of a ground is far below.
  Vector3 direction_from(const Vector3& point) const {
    return geometry::unit_vector(is_ground_ ? Vector3(-pose().rotation().col(2)) : Vector3(middle() - point));
  }
  /// The walls below the border of a ground have no triangles.
  bool may_have_wall(const Vector3& point, double distance) const {
    if (!is_ground_) return false;
    const Aabb box = placed_.field.bounds();
    const Vector3 at = pose().rotation().transpose() * (point - pose().translation());
    const double most = distance + 0x1p-46 * magnitude();
    for (int i = 0; i < 2; ++i)
      if (!(at[i] - box.lower[i] > most) || !(box.upper[i] - at[i] > most)) return true;
    return false;
  }
  double magnitude() const {
    return mesh::largest_coordinate(placed_.field) + pose().translation().cwiseAbs().maxCoeff();
  }

  Vector3 corner(std::uint32_t number, std::uint32_t k) const {
    // From the grid point of the cell to each corner; see height_field.hpp.
    constexpr std::uint32_t steps[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    const auto columns = static_cast<std::uint32_t>(placed_.field.columns()) - 1;  // of cells
    const std::uint32_t cell = number / 2, *const step = steps[number % 2][k];
    return geometry::placed_point(pose(), placed_.field.vertex(cell % columns + step[0], cell / columns + step[1]));
  }
  HalfEdge twin(HalfEdge half_edge) const {
    // From the grid point of the cell to that of the cell across each edge, and the half-edge there.
    struct Step {
      std::int64_t i, j;
      HalfEdge half_edge;
    };
    constexpr Step steps[6] = {{0, -1, 4}, {1, 0, 5}, {0, 0, 3}, {0, 0, 2}, {0, 1, 0}, {-1, 0, 1}};
    const auto columns = static_cast<std::int64_t>(placed_.field.columns()) - 1,
               rows = static_cast<std::int64_t>(placed_.field.rows()) - 1;  // of cells
    const Step& step = steps[half_edge % 6];
    const auto cell = static_cast<std::int64_t>(half_edge / 6);
    const std::int64_t i = cell % columns + step.i, j = cell / columns + step.j;
    if (i < 0 || j < 0 || i >= columns || j >= rows) return no_half_edge;
    return 6 * static_cast<HalfEdge>(j * columns + i) + step.half_edge;
  }
  bool find_across(std::uint32_t number, std::uint32_t k, Vector3& vertex) const {
    const HalfEdge across = twin(half_edge_of(number, k));
    if (across != no_half_edge) {
      vertex = start_of(*this, before(across));
      return true;
    }
    if (!is_ground_) return false;
    // The wall of the ground goes straight down.
    const Triangle t = triangle(number);
    vertex = corner(number, k) - pose().rotation().col(2) * ((t.b - t.a).stableNorm() + (t.c - t.a).stableNorm());
    return true;
  }

  void find_near(const convex::SimpleShape& shape, double limit, Cost& cost,
                 std::vector<std::uint32_t>& numbers) const {
    numbers.clear();
    const mesh::CullFrame frame(pose());
    const mesh::FieldSide side(placed_, frame);
    const auto walk = [&](const auto& other) {
      mesh::walk_sides(
          side, other, cost, no_budget, [&](double gap) { return gap <= limit; },
          [&](const mesh::FieldSide::Node& node, const auto&, double) {
            const auto first = static_cast<std::uint32_t>(mesh::first_triangle(side.field, node.block.i, node.block.j));
            numbers.insert(numbers.end(), {first, first + 1});
            return false;
          });
    };
    if (shape.is_bounded()) {
      walk(mesh::BoundedSide(shape, frame));
    } else {
      walk(mesh::FlatSide(shape, frame));
    }
    std::sort(numbers.begin(), numbers.end());
  }

 private:
  mesh::PlacedField placed_;
  bool is_ground_;
};

/// Whether any of the vertices that share an edge with corner k of a triangle is as asked. As far as the surface goes
/// on around the corner, from both sides of the triangle.
template <class Surface, class Ask>
bool any_around(const Surface& surface, std::uint32_t number, std::uint32_t k, const Ask& ask) {
  // From one half-edge that leaves the corner to the next, until the first one or a border comes.
  const HalfEdge first = half_edge_of(number, k);
  HalfEdge leaves = first;
  do {
    if (ask(start_of(surface, before(leaves)))) return true;
    leaves = surface.twin(before(leaves));
  } while (leaves != first && leaves != no_half_edge);
  if (leaves == first) return false;
  // From one half-edge that comes to the corner to the next, the other way round.
  HalfEdge comes = before(first);
  do {
    const HalfEdge last = after(comes);
    if (ask(start_of(surface, after(last)))) return true;
    comes = surface.twin(last);
  } while (comes != no_half_edge);
  return false;
}

/// Calls `use` with the NearMesh or NearField of a placed surface.
template <class Use>
void with_surface(const Placed& surface, const Use& use) {
  if (surface.shape.as<Mesh>() != nullptr) {
    use(NearMesh(surface));
  } else {
    use(NearField(surface));
  }
}

}  // namespace whisker::queries
