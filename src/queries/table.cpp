#include "queries/table.hpp"

#include <array>
#include <string>
#include <utility>

#include <whisker/error.hpp>

#include "convex/simple_depth.hpp"
#include "convex/simple_distance.hpp"
#include "mesh/mesh_queries.hpp"

namespace whisker::queries {
namespace {

convex::SimpleShape simple(const Placed& placed) {
  return convex::place_simple(placed.shape, placed.pose);
}
mesh::PlacedMesh mesh_of(const Placed& placed) {
  return {*placed.shape.as<Mesh>(), placed.pose};
}

struct SimpleSimple {
  static bool touches(const Placed& a, const Placed& b, Cost& cost) {
    ++cost.primitive_tests;
    return convex::touches_simple_simple(simple(a), simple(b));
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    return convex::distance_simple_simple(simple(a), simple(b));
  }
  static Depth depth(const Placed& a, const Placed& b) { return convex::depth_simple_simple(simple(a), simple(b)); }
};

struct SphereSphere {
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    return convex::distance_sphere_sphere(a.pose.translation, a.shape.as<Sphere>()->radius, b.pose.translation,
                                          b.shape.as<Sphere>()->radius);
  }
  static bool touches(const Placed& a, const Placed& b, Cost& cost) {
    const Distance apart = distance(a, b, {});
    if (apart.lower == 0 && apart.upper > 0) return SimpleSimple::touches(a, b, cost);  // too close to tell
    ++cost.primitive_tests;
    return apart.upper == 0;
  }
  static Depth depth(const Placed& a, const Placed& b) { return SimpleSimple::depth(a, b); }
};

struct MeshSimple {
  static bool touches(const Placed& a, const Placed& b, Cost& cost) {
    return mesh::touches_mesh_simple(mesh_of(a), simple(b), cost);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return mesh::distance_mesh_simple(mesh_of(a), simple(b), options);
  }
  static Depth depth(const Placed& a, const Placed& b) { return mesh::depth_mesh_simple(mesh_of(a), simple(b)); }
};

struct MeshMesh {
  static bool touches(const Placed& a, const Placed& b, Cost& cost) {
    return mesh::touches_mesh_mesh(mesh_of(a), mesh_of(b), cost);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return mesh::distance_mesh_mesh(mesh_of(a), mesh_of(b), options);
  }
  static Depth depth(const Placed& a, const Placed& b) { return mesh::depth_mesh_mesh(mesh_of(a), mesh_of(b)); }
};

/// The same with the two shapes exchanged.
template <class Pair>
struct Flipped {
  static bool touches(const Placed& a, const Placed& b, Cost& cost) { return Pair::touches(b, a, cost); }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    Distance result = Pair::distance(b, a, options);
    std::swap(result.point_a, result.point_b);
    result.normal = -result.normal;
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b) {
    Depth result = Pair::depth(b, a);
    std::swap(result.point_a, result.point_b);
    result.direction = -result.direction;
    return result;
  }
};

template <class Pair>
constexpr PairAlgorithms all_of() {
  return {&Pair::touches, &Pair::distance, &Pair::depth};
}

using Table = std::array<std::array<PairAlgorithms, shape_kind_count>, shape_kind_count>;

constexpr Table make_table() {
  Table table{};
  for (std::size_t i = 0; i < shape_kind_count; ++i) {
    for (std::size_t j = 0; j < shape_kind_count; ++j) {
      const bool simple_i = convex::is_simple(static_cast<ShapeKind>(i));
      const bool simple_j = convex::is_simple(static_cast<ShapeKind>(j));
      const bool mesh_i = static_cast<ShapeKind>(i) == ShapeKind::mesh;
      const bool mesh_j = static_cast<ShapeKind>(j) == ShapeKind::mesh;
      if (simple_i && simple_j) table[i][j] = all_of<SimpleSimple>();
      if (mesh_i && simple_j) table[i][j] = all_of<MeshSimple>();
      if (simple_i && mesh_j) table[i][j] = all_of<Flipped<MeshSimple>>();
      if (mesh_i && mesh_j) table[i][j] = all_of<MeshMesh>();
    }
  }
  constexpr auto sphere = static_cast<std::size_t>(ShapeKind::sphere);
  table[sphere][sphere] = all_of<SphereSphere>();
  return table;
}

constexpr Table table = make_table();

void check_placed(const Placed& placed, const char* which) {
  try {
    check(placed.pose);
  } catch (const Error& error) {
    throw Error(std::string(which) + " " + std::string(name(placed.shape.kind())) + ": " + error.what());
  }
}

}  // namespace

const PairAlgorithms& algorithms(ShapeKind a, ShapeKind b) {
  return table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

const PairAlgorithms& checked_algorithms(const Placed& a, const Placed& b) {
  check_placed(a, "first shape,");
  check_placed(b, "second shape,");
  return algorithms(a.shape.kind(), b.shape.kind());
}

void refuse(const char* question, const Placed& a, const Placed& b) {
  throw Error(std::string(question) + ": not supported between a " + std::string(name(a.shape.kind())) + " and a " +
              std::string(name(b.shape.kind())) + "; is_supported() tells which pairs are");
}

}  // namespace whisker::queries
