#include "queries/table.hpp"

#include <array>
#include <string>
#include <utility>

#include <whisker/error.hpp>

#include "convex/convex_queries.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_depth.hpp"
#include "convex/simple_distance.hpp"
#include "mesh/height_field_depth.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/mesh_queries.hpp"
#include "queries/compound_queries.hpp"
#include "queries/witness.hpp"

namespace whisker::queries {
namespace {

convex::SimpleShape simple(const Placed& placed) {
  return convex::place_simple(placed.shape, placed.pose);
}
convex::ConvexBody body(const Placed& placed) {
  return convex::convex_body(placed.shape, placed.pose);
}
mesh::PlacedMesh mesh_of(const Placed& placed) {
  return {*placed.shape.as<Mesh>(), placed.pose};
}

mesh::PlacedField field_of(const Placed& placed) {
  return {*placed.shape.as<HeightField>(), placed.pose};
}

/// For two shapes that are each a single feature.
template <class Pair>
void contact_of_single_features(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  if (!Pair::touches(a, b, nullptr, result.cost)) return;
  if (result.pairs.size() >= options.max_count) {
    result.stop = Stop::count;
    return;
  }
  Contact contact;
  if (options.segments) {
    const Distance found = Pair::distance(a, b, {});
    contact.segment = {found.point_a, found.point_a};
  }
  result.pairs.push_back(contact);
}

struct SimpleSimple {
  static bool touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
    ++cost.primitive_tests;
    return convex::touches_simple_simple(simple(a), simple(b));
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<SimpleSimple>(a, b, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    return convex::distance_simple_simple(simple(a), simple(b));
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions&) {
    return convex::depth_simple_simple(simple(a), simple(b));
  }
};

/// The same queries for two convex shapes, with witness points that belong together and lie in the middle.
template <class Pair>
struct Paired : Pair {
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    Distance result = Pair::distance(a, b, options);
    center_points(a, b, &Pair::distance, result);
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    Depth result = Pair::depth(a, b, options);
    pair_points(a, b, &Paired::distance, WayOut::shortest, result);
    return result;
  }
};

struct SphereSphere {
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    return convex::distance_sphere_sphere(a.pose.translation(), a.shape.as<Sphere>()->radius, b.pose.translation(),
                                          b.shape.as<Sphere>()->radius);
  }
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    const Distance apart = distance(a, b, {});
    if (apart.lower == 0 && apart.upper > 0) return SimpleSimple::touches(a, b, cache, cost);  // too close to tell
    ++cost.primitive_tests;
    return apart.upper == 0;
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<SphereSphere>(a, b, options, result);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return Paired<SimpleSimple>::depth(a, b, options);
  }
};

/// Bounded convex shapes, at least one of them not simple.
struct ConvexConvex {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return convex::touches_convex_convex(body(a), body(b), cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<ConvexConvex>(a, b, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return convex::distance_convex_convex(body(a), body(b), options);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return convex::depth_convex_convex(body(a), body(b), options);
  }
};

/// The same with paired points, and with a hint that may choose another way out than the shortest.
struct PairedConvex : Paired<ConvexConvex> {
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    if (options.hint.isZero(0)) return Paired::depth(a, b, options);
    Depth shortest;
    Depth result = convex::depth_convex_convex(body(a), body(b), options, &shortest);
    if (!(shortest.upper > 0)) {
      pair_points(a, b, &Paired::distance, WayOut::shortest, result);
      return result;
    }
    pair_points(a, b, &Paired::distance, WayOut::shortest, shortest);
    result.cost = shortest.cost;
    pair_points(a, b, &Paired::distance, WayOut::hinted, result);
    // The search compared directions that are known only roughly. Pairing turns them to where a way out is shortest,
    // and then the shortest one may agree better with the hint.
    const Vector3 hint = options.hint.stableNormalized();
    if (shortest.upper > 0 && shortest.normal.dot(hint) <= result.normal.dot(hint)) return result;
    shortest.cost = result.cost;
    return shortest;
  }
};

/// A bounded convex shape that is not simple, and a half-space or plane.
struct ConvexPlane {
  static bool touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
    ++cost.primitive_tests;
    return convex::touches_convex_plane(body(a), simple(b));
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<ConvexPlane>(a, b, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    return convex::distance_convex_plane(body(a), simple(b));
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions&) {
    return convex::depth_convex_plane(body(a), simple(b));
  }
};

/// A shape that is a single piece, in the form that meshes and height fields need.
struct SimplePiece {
  convex::SimpleShape shape;

  explicit SimplePiece(const Placed& placed) : shape(simple(placed)) {}
};
struct ConvexPiece {
  convex::ConvexCore core;
  convex::SimpleShape shape;

  explicit ConvexPiece(const Placed& placed) : core(placed.shape), shape(convex::simple_convex(core, placed.pose)) {}
  ConvexPiece(const ConvexPiece&) = delete;
  ConvexPiece& operator=(const ConvexPiece&) = delete;
};

template <class Piece>
struct MeshPiece {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return mesh::touches_mesh_simple(mesh_of(a), Piece(b).shape, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    mesh::contacts_mesh_simple(mesh_of(a), Piece(b).shape, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return mesh::distance_mesh_simple(mesh_of(a), Piece(b).shape, options);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return mesh::depth_mesh_simple(mesh_of(a), Piece(b).shape, options);
  }
};

struct MeshMesh {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return mesh::touches_mesh_mesh(mesh_of(a), mesh_of(b), cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    mesh::contacts_mesh_mesh(mesh_of(a), mesh_of(b), options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return mesh::distance_mesh_mesh(mesh_of(a), mesh_of(b), options);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return mesh::depth_mesh_mesh(mesh_of(a), mesh_of(b), options);
  }
};

template <class Piece>
struct FieldPiece {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return mesh::touches_field_simple(field_of(a), Piece(b).shape, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    mesh::contacts_field_simple(field_of(a), Piece(b).shape, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return mesh::distance_field_simple(field_of(a), Piece(b).shape, options);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions&) {
    return mesh::depth_field_simple(field_of(a), Piece(b).shape);
  }
};

struct FieldMesh {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return mesh::touches_field_mesh(field_of(a), mesh_of(b), cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    mesh::contacts_field_mesh(field_of(a), mesh_of(b), options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return mesh::distance_field_mesh(field_of(a), mesh_of(b), options);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions&) {
    return mesh::depth_field_mesh(field_of(a), mesh_of(b));
  }
};

struct FieldField {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return mesh::touches_field_field(field_of(a), field_of(b), cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    mesh::contacts_field_field(field_of(a), field_of(b), options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return mesh::distance_field_field(field_of(a), field_of(b), options);
  }
};

/// Meshes and height fields, with witness points in the middle of what their closest triangles share.
template <class Pair>
struct Centered : Pair {
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    Distance result = Pair::distance(a, b, options);
    center_on_features(a, b, result);
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    Depth result = Pair::depth(a, b, options);
    center_depth(a, b, &Centered::distance, result);
    return result;
  }
};

/// A compound and anything in the table, compounds included.
struct CompoundAny {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return touches_compound(a, b, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contacts_compound(a, b, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return distance_compound(a, b, options);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    Depth result = depth_compound(a, b, options);
    center_depth(a, b, &distance_compound, result);
    return result;
  }
};

/// The cache with the two shapes exchanged, for the lifetime of this object.
class SwappedCache {
 public:
  explicit SwappedCache(PairCache* cache) : cache_(cache) {
    if (cache_ != nullptr) cache_->exchange();
  }
  ~SwappedCache() {
    if (cache_ != nullptr) cache_->exchange();
  }
  SwappedCache(const SwappedCache&) = delete;
  SwappedCache& operator=(const SwappedCache&) = delete;

 private:
  PairCache* cache_;
};

/// The same with the two shapes exchanged.
template <class Pair>
struct Flipped {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    const SwappedCache exchanged(cache);
    return Pair::touches(b, a, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    const std::size_t begin = result.pairs.size();
    Pair::contacts(b, a, options, result);
    for (std::size_t i = begin; i < result.pairs.size(); ++i)
      std::swap(result.pairs[i].a, result.pairs[i].b);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    const SwappedCache exchanged(options.cache);
    Distance result = Pair::distance(b, a, options);
    std::swap(result.point_a, result.point_b);
    std::swap(result.feature_a, result.feature_b);
    result.normal = -result.normal;
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    const SwappedCache exchanged(options.cache);
    DepthOptions flipped = options;
    flipped.hint = -options.hint;
    Depth result = Pair::depth(b, a, flipped);
    std::swap(result.point_a, result.point_b);
    result.normal = -result.normal;
    return result;
  }
};

template <class Pair>
constexpr PairAlgorithms all_of() {
  return {&Pair::touches, &Pair::contacts, &Pair::distance, &Pair::depth};
}

/// All but depth, for pairs of surfaces.
template <class Pair>
constexpr PairAlgorithms all_but_depth() {
  return {&Pair::touches, &Pair::contacts, &Pair::distance, nullptr};
}

using Table = std::array<std::array<PairAlgorithms, shape_kind_count>, shape_kind_count>;

constexpr Table make_table() {
  Table table{};
  for (std::size_t i = 0; i < shape_kind_count; ++i) {
    for (std::size_t j = 0; j < shape_kind_count; ++j) {
      const auto kind_i = static_cast<ShapeKind>(i);
      const auto kind_j = static_cast<ShapeKind>(j);
      const bool simple_i = convex::is_simple(kind_i), simple_j = convex::is_simple(kind_j);
      const bool mesh_i = kind_i == ShapeKind::mesh, mesh_j = kind_j == ShapeKind::mesh;
      const bool field_i = kind_i == ShapeKind::height_field, field_j = kind_j == ShapeKind::height_field;
      const bool compound_i = kind_i == ShapeKind::compound, compound_j = kind_j == ShapeKind::compound;
      const bool convex_i = convex::is_convex(kind_i), convex_j = convex::is_convex(kind_j);
      const bool curved_i = convex_i && !simple_i, curved_j = convex_j && !simple_j;
      const bool known_i = simple_i || curved_i || mesh_i || field_i;
      const bool known_j = simple_j || curved_j || mesh_j || field_j;
      PairAlgorithms& pair = table[i][j];
      if (simple_i && simple_j) pair = all_of<Paired<SimpleSimple>>();
      if (convex_i && convex_j && (curved_i || curved_j)) pair = all_of<PairedConvex>();
      if (curved_i && simple_j && !convex_j) pair = all_of<Paired<ConvexPlane>>();
      if (simple_i && !convex_i && curved_j) pair = all_of<Flipped<Paired<ConvexPlane>>>();
      if (mesh_i && simple_j) pair = all_of<Centered<MeshPiece<SimplePiece>>>();
      if (simple_i && mesh_j) pair = all_of<Flipped<Centered<MeshPiece<SimplePiece>>>>();
      if (mesh_i && curved_j) pair = all_of<Centered<MeshPiece<ConvexPiece>>>();
      if (curved_i && mesh_j) pair = all_of<Flipped<Centered<MeshPiece<ConvexPiece>>>>();
      if (mesh_i && mesh_j) pair = all_of<Centered<MeshMesh>>();
      if (field_i && simple_j) pair = all_of<Centered<FieldPiece<SimplePiece>>>();
      if (simple_i && field_j) pair = all_of<Flipped<Centered<FieldPiece<SimplePiece>>>>();
      if (field_i && curved_j) pair = all_of<Centered<FieldPiece<ConvexPiece>>>();
      if (curved_i && field_j) pair = all_of<Flipped<Centered<FieldPiece<ConvexPiece>>>>();
      if (field_i && mesh_j) pair = all_of<Centered<FieldMesh>>();
      if (mesh_i && field_j) pair = all_of<Flipped<Centered<FieldMesh>>>();
      if (field_i && field_j) pair = all_but_depth<Centered<FieldField>>();
      if (compound_i && (known_j || compound_j)) pair = all_of<CompoundAny>();
      if (known_i && compound_j) pair = all_of<Flipped<CompoundAny>>();
      // The depth between the ground below a field and the parts of a compound is not implemented.
      if ((compound_i && field_j) || (field_i && compound_j)) pair.depth = nullptr;
    }
  }
  constexpr auto sphere = static_cast<std::size_t>(ShapeKind::sphere);
  table[sphere][sphere] = all_of<SphereSphere>();
  return table;
}

constexpr Table table = make_table();

}  // namespace

const PairAlgorithms& algorithms(ShapeKind a, ShapeKind b) {
  return table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

void refuse(const char* question, const Placed& a, const Placed& b) {
  throw_unsupported_parts(question, a, a.shape.kind(), b, b.shape.kind());
}

void throw_unsupported_parts(const char* question, const Placed& a, ShapeKind part_a, const Placed& b,
                             ShapeKind part_b) {
  const auto named = [](const Placed& placed, ShapeKind part) {
    return std::string(name(part)) + (placed.shape.kind() != part ? " (a part of a compound)" : "");
  };
  throw Error(std::string(question) + ": not supported between a " + named(a, part_a) + " and a " + named(b, part_b) +
              "; is_supported() tells which pairs are supported");
}

}  // namespace whisker::queries
