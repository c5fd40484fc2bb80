#include "queries/table.hpp"

#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include <whisker/error.hpp>

#include "convex/convex_queries.hpp"
#include "convex/exchange.hpp"
#include "convex/flatness.hpp"
#include "convex/hull_pair.hpp"
#include "convex/quick_distance.hpp"
#include "convex/quick_revolved.hpp"
#include "convex/quick_touch.hpp"
#include "convex/simple_convex.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/constants.hpp"
#include "mesh/ground.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/mesh_queries.hpp"
#include "queries/first_contact.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/pair_rows.hpp"
#include "queries/rounded_queries.hpp"
#include "queries/signed_distance.hpp"
#include "queries/sphere_set_queries.hpp"
#include "queries/witness.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::queries {
namespace {

convex::SimpleShape simple(const Placed& placed) {
  return convex::place_simple(placed.shape, placed.pose);
}
convex::ConvexBody body(const Placed& placed) {
  return convex::convex_body(placed.shape, placed.pose);
}

struct SimpleSimple {
  static bool touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
    ++cost.primitive_tests;
    return convex::touches_simple_simple(simple(a), simple(b));
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    return convex::distance_simple_simple(simple(a), simple(b));
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions&) {
    return convex::depth_simple_simple(simple(a), simple(b));
  }
  static bool find_signed(const Placed& a, const Placed& b, const SignedDistanceOptions&, Distance& apart,
                          Depth& deep) {
    return convex::signed_simple_simple(simple(a), simple(b), apart, deep);
  }
};

/// The same queries for two convex shapes, with witness points that belong together and lie in the middle.
template <class Pair>
struct Paired : Pair {
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<Pair>(a, b, options, result);
  }
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
  /// Requires `Pair::find_signed`: the distance, or the depth as well if it returns true.
  static Distance signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options) {
    Distance result;
    Depth deep;
    finish_signed(a, b, Pair::find_signed(a, b, options, result, deep), deep, result);
    return result;
  }
  /// Makes `deep` part of the distance if `is_deep`, with the points in the middle in any case.
  static void finish_signed(const Placed& a, const Placed& b, bool is_deep, Depth& deep, Distance& result) {
    if (is_deep) {
      pair_points(a, b, &Paired::distance, WayOut::shortest, deep);
    } else {
      center_points(a, b, &Pair::distance, result);
      if (result.lower > 0) return;
    }
    join_depth(a, b, &Pair::distance, deep, {}, result);
  }
};

using FindQuick = convex::Quick (*)(const Placed& a, const Placed& b, Distance& result, Depth* deep);

/// `find` answers nearly all pairs in double, and `Slow` the others.
template <class Slow, auto find>
struct Quickly : Slow {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    Distance apart;
    if (find(a, b, apart, nullptr) == convex::Quick::unknown) return Slow::touches(a, b, cache, cost);
    ++cost.primitive_tests;
    return !(apart.lower > 0);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<Quickly>(a, b, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    Distance result;
    // One result to return, in the caller's place: a copy would cost more than the answer of two spheres.
    const convex::Quick quick = find(a, b, result, nullptr);
    if (quick == convex::Quick::unknown) {
      result = Slow::distance(a, b, options);
    } else if (quick == convex::Quick::found) {
      center_points(a, b, &Slow::distance, result);
    }
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    Distance apart;
    Depth deep;
    deep.cost.primitive_tests = 1;
    const convex::Quick quick = find(a, b, apart, &deep);
    if (quick == convex::Quick::unknown) {
      deep = Slow::depth(a, b, options);
    } else if (deep.upper > 0 && quick == convex::Quick::found) {
      pair_points(a, b, &Quickly::distance, WayOut::shortest, deep);
    }
    return deep;
  }
  static Distance signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options) {
    Distance result;
    Depth deep;
    const convex::Quick quick = find(a, b, result, &deep);
    if (quick == convex::Quick::unknown) {
      result = Slow::signed_distance(a, b, options);
    } else if (quick == convex::Quick::found) {
      Slow::finish_signed(a, b, deep.upper > 0, deep, result);
    } else if (deep.upper > 0) {
      join_depth(a, b, &Slow::distance, deep, {}, result);
    }
    return result;
  }
};

/// Exact predicates decide whether segments and triangles touch each other or planes.
bool has_exact_touch(const Shape& shape) {
  return shape.kind() == ShapeKind::segment || shape.kind() == ShapeKind::triangle;
}

/// Bounded simple shapes.
struct QuickSimple : Quickly<Paired<SimpleSimple>, static_cast<FindQuick>(&convex::find_quick_distance)> {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    if (has_exact_touch(a.shape) && has_exact_touch(b.shape)) return Paired<SimpleSimple>::touches(a, b, cache, cost);
    if (const auto quick = convex::find_quick_touch(a, b); quick != convex::QuickTouch::unknown) {
      ++cost.primitive_tests;
      return quick == convex::QuickTouch::yes;
    }
    if (const auto quick = convex::find_axes_touch(a, b); quick != convex::QuickTouch::unknown) {
      ++cost.primitive_tests;
      return quick == convex::QuickTouch::yes;
    }
    return Quickly::touches(a, b, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<QuickSimple>(a, b, options, result);
  }
};
/// A bounded simple shape and a half-space or plane, in either order.
struct QuickSimpleFlat : Quickly<Paired<SimpleSimple>, convex::find_quick_flat> {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    if (has_exact_touch(a.shape) || has_exact_touch(b.shape)) return Paired<SimpleSimple>::touches(a, b, cache, cost);
    if (const auto quick = convex::find_quick_flat_touch(a, b); quick != convex::QuickTouch::unknown) {
      ++cost.primitive_tests;
      return quick == convex::QuickTouch::yes;
    }
    return Quickly::touches(a, b, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<QuickSimpleFlat>(a, b, options, result);
  }
};

/// Two spheres: a shortcut for those that are clearly apart or overlap.
struct SphereSphere : QuickSimple {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    const auto quick = convex::touch_of_spheres(a.pose.translation(), a.shape.as<Sphere>()->radius,
                                                b.pose.translation(), b.shape.as<Sphere>()->radius);
    if (quick == convex::QuickTouch::unknown) return QuickSimple::touches(a, b, cache, cost);
    ++cost.primitive_tests;
    return quick == convex::QuickTouch::yes;
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<SphereSphere>(a, b, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    Distance result;
    if (!find(a, b, result, nullptr)) result = QuickSimple::distance(a, b, options);
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    Distance apart;
    Depth deep;
    deep.cost.primitive_tests = 1;
    if (!find(a, b, apart, &deep)) deep = QuickSimple::depth(a, b, options);
    return deep;
  }
  static Distance signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options) {
    Distance result;
    Depth deep;
    if (!find(a, b, result, &deep)) {
      result = QuickSimple::signed_distance(a, b, options);
    } else if (deep.upper > 0) {
      join_depth(a, b, &SimpleSimple::distance, deep, {}, result);
    }
    return result;
  }

 private:
  static bool find(const Placed& a, const Placed& b, Distance& result, Depth* deep) {
    return convex::find_sphere_distance(a.pose.translation(), a.shape.as<Sphere>()->radius, b.pose.translation(),
                                        b.shape.as<Sphere>()->radius, result, deep) != convex::Quick::unknown;
  }
};

/// Bounded convex shapes, at least one of them not simple.
struct ConvexConvex {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return convex::touches_convex_convex(body(a), body(b), cache, cost);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return convex::distance_convex_convex(body(a), body(b), options);
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return convex::depth_convex_convex(body(a), body(b), options);
  }
  static bool find_signed(const Placed& a, const Placed& b, const SignedDistanceOptions& options, Distance& apart,
                          Depth& deep) {
    return convex::signed_convex_convex(body(a), body(b), options, options.cache, apart, deep);
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

/// A sphere and a cylinder or cone are answered in double.
struct QuickRevolved : Quickly<PairedConvex, convex::find_quick_revolved> {
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    if (options.hint.isZero(0)) return Quickly::depth(a, b, options);
    Depth shortest = Quickly::depth(a, b, options);
    Depth result = PairedConvex::depth(a, b, options);
    result.cost += shortest.cost;
    // Of ways that are equally short, the search may have found another as the shortest.
    if (!(shortest.upper > 0 && shortest.normal.dot(options.hint) >= result.normal.dot(options.hint))) return result;
    shortest.cost = result.cost;
    return shortest;
  }
};

/// Two hulls: a fast path answers nearly all pairs.
struct HullHull : PairedConvex {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    const convex::HullContact contact =
        convex::find_hull_contact(*a.shape.as<ConvexHull>(), a.pose, *b.shape.as<ConvexHull>(), b.pose, cache, cost);
    if (contact != convex::HullContact::unknown) return contact == convex::HullContact::touching;
    return PairedConvex::touches(a, b, cache, cost);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    Distance result;
    convex::HullCorners corners;
    if (!convex::asks_distance_only(options) ||
        !convex::find_hull_distance(*a.shape.as<ConvexHull>(), a.pose, *b.shape.as<ConvexHull>(), b.pose, options.cache,
                                    result, corners)) {
      return PairedConvex::distance(a, b, options);
    }
    center_hull_points(a.shape, a.pose, b.shape, b.pose, corners, result);
    return result;
  }
  static Distance signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options) {
    PairCache own;
    PairCache* const cache = options.cache != nullptr ? options.cache : &own;
    const bool is_plain = options.tolerance == 0 && options.upper_bound == infinity;
    if (!is_plain || convex::has_warm_surface(*cache)) return PairedConvex::signed_distance(a, b, options);
    Distance result;
    convex::HullCorners corners;
    const bool is_found = convex::find_hull_distance(*a.shape.as<ConvexHull>(), a.pose, *b.shape.as<ConvexHull>(),
                                                     b.pose, cache, result, corners);
    if (!is_found) return PairedConvex::signed_distance(a, b, options);
    if (result.lower > 0) {
      center_hull_points(a.shape, a.pose, b.shape, b.pose, corners, result);
      return result;
    }
    // They overlap. The cache has the corners at which that search ended, and the next one ends there at once.
    Distance apart;
    Depth deep;
    apart.cost = result.cost;
    finish_signed(a, b, convex::signed_convex_convex(body(a), body(b), options, cache, apart, deep), deep, apart);
    return apart;
  }
};

/// A bounded convex shape that is not simple, and a half-space or plane.
struct ConvexPlane {
  static bool touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
    ++cost.primitive_tests;
    return convex::touches_convex_plane(body(a), simple(b));
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions&) {
    return convex::distance_convex_plane(body(a), simple(b));
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions&) {
    return convex::depth_convex_plane(body(a), simple(b));
  }
  static bool find_signed(const Placed& a, const Placed& b, const SignedDistanceOptions&, Distance& apart,
                          Depth& deep) {
    apart = distance(a, b, {});
    if (apart.lower > 0) return false;
    deep = depth(a, b, {});
    return true;
  }
};

/// Cylinders, cones and ellipsoids are answered in double.
struct QuickConvexPlane : Quickly<Paired<ConvexPlane>, convex::find_quick_flat> {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    if (const auto quick = convex::find_quick_flat_touch(a, b); quick != convex::QuickTouch::unknown) {
      ++cost.primitive_tests;
      return quick == convex::QuickTouch::yes;
    }
    return Quickly::touches(a, b, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<QuickConvexPlane>(a, b, options, result);
  }
};

// The forms in which the algorithms of meshes and height fields take a shape.
struct SimpleForm {
  convex::SimpleShape shape;

  explicit SimpleForm(const Placed& placed) : shape(simple(placed)) {}
};
struct ConvexForm {
  convex::ConvexCore core;
  convex::SimpleShape shape;

  explicit ConvexForm(const Placed& placed) : core(placed.shape), shape(convex::simple_convex(core, placed.pose)) {}
  ConvexForm(const ConvexForm&) = delete;
  ConvexForm& operator=(const ConvexForm&) = delete;
};
struct MeshForm {
  mesh::PlacedMesh shape;

  explicit MeshForm(const Placed& placed) : shape{*placed.shape.as<Mesh>(), placed.pose} {}
};
struct FieldForm {
  mesh::PlacedField shape;

  explicit FieldForm(const Placed& placed) : shape{*shapes::field_of(placed.shape), placed.pose} {}
};

/// The functions for two forms. `deep` is null if there is no depth.
template <class FormA, class FormB, auto touch, auto list, auto measure, auto deep>
struct Forms {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    return touch(FormA(a).shape, FormB(b).shape, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    list(FormA(a).shape, FormB(b).shape, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    return measure(FormA(a).shape, FormB(b).shape, options);
  }
  static Depth depth(const Placed& a, const Placed& b,
                     const DepthOptions& options) requires(!std::is_null_pointer_v<decltype(deep)>) {
    return deep(FormA(a).shape, FormB(b).shape, options);
  }
};

template <class Piece>
using MeshPiece = Forms<MeshForm, Piece, mesh::touches_mesh_simple, mesh::contacts_mesh_simple,
                        mesh::distance_mesh_simple, mesh::depth_mesh_simple>;
using MeshMesh = Forms<MeshForm, MeshForm, mesh::touches_mesh_mesh, mesh::contacts_mesh_mesh, mesh::distance_mesh_mesh,
                       mesh::depth_mesh_mesh>;
template <class Piece>
using FieldPiece = Forms<FieldForm, Piece, mesh::touches_field_simple, mesh::contacts_field_simple,
                         mesh::distance_field_simple, nullptr>;
using FieldMesh =
    Forms<FieldForm, MeshForm, mesh::touches_field_mesh, mesh::contacts_field_mesh, mesh::distance_field_mesh, nullptr>;
using FieldField = Forms<FieldForm, FieldForm, mesh::touches_field_field, mesh::contacts_field_field,
                         mesh::distance_field_field, nullptr>;

template <class Piece>
using GroundPiece = Forms<FieldForm, Piece, mesh::touches_ground_simple, mesh::contacts_ground_simple,
                          mesh::distance_ground_simple, mesh::depth_ground_simple>;
using GroundMesh = Forms<FieldForm, MeshForm, mesh::touches_ground_mesh, mesh::contacts_ground_mesh,
                         mesh::distance_ground_mesh, mesh::depth_ground_mesh>;
using GroundField = Forms<FieldForm, FieldForm, mesh::touches_ground_field, mesh::contacts_ground_field,
                          mesh::distance_ground_field, nullptr>;
/// Two grounds, in an order of their own, so that results do not depend on which was named first.
struct GroundGround {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
    if (convex::comes_first(b, a)) return touches(b, a, cache, cost);
    return mesh::touches_ground_ground(FieldForm(a).shape, FieldForm(b).shape, cache, cost);
  }
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
    contact_of_single_features<GroundGround>(a, b, options, result);
  }
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
    if (!convex::comes_first(b, a))
      return mesh::distance_ground_ground(FieldForm(a).shape, FieldForm(b).shape, options);
    Distance result = distance(b, a, options);
    exchange(result);
    return result;
  }
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    if (!convex::comes_first(b, a)) return mesh::depth_ground_ground(FieldForm(a).shape, FieldForm(b).shape, options);
    Depth result = depth(b, a, options);
    exchange(result);
    return result;
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
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) requires HasDepth<Pair> {
    return depth_on(a, b, options, nullptr);
  }
  static Depth depth_on(const Placed& a, const Placed& b, const DepthOptions& options,
                        Features* on) requires HasDepth<Pair> {
    Depth result = Pair::depth(a, b, options);
    center_depth(a, b, &Centered::distance, result, on);
    return result;
  }
};
/// What the table needs to know about a kind.
struct Kind {
  bool simple, curved, convex, plane, mesh, field, ground, compound, hull, sphere, set, body, rounded, surface, slab,
      unbounded, revolved, for_lanes;

  explicit constexpr Kind(ShapeKind kind) {
    const shapes::KindTraits& traits = shapes::known_traits[static_cast<std::size_t>(kind)];
    simple = traits.is_simple;
    convex = shapes::is_bounded_convex(traits);
    curved = convex && !simple;
    plane = simple && !convex;
    mesh = kind == ShapeKind::mesh;
    field = kind == ShapeKind::height_field;
    compound = kind == ShapeKind::compound;
    hull = kind == ShapeKind::convex_hull;
    sphere = kind == ShapeKind::sphere;
    set = kind == ShapeKind::sphere_set;
    body = kind == ShapeKind::sphere_body;
    ground = kind == shapes::ground_kind;
    surface = kind == shapes::rounded_surface || kind == shapes::rounded_ground;
    rounded = shapes::is_rounded(kind);
    slab = kind == shapes::rounded_plane;
    unbounded = !traits.is_bounded;
    revolved = kind == ShapeKind::cylinder || kind == ShapeKind::cone;
    for_lanes = hull || sphere || kind == ShapeKind::capsule || kind == ShapeKind::box;
  }
};

constexpr PairAlgorithms find_rows(const Kind& a, const Kind& b) {
  if (a.sphere && b.sphere) return rows_of<SphereSphere>();
  if (a.hull && b.hull) return rows_of<HullHull>();
  if (a.set && b.set) return rows_of<SpheresSpheres>();
  if (b.set) return rows_of<AnySpheres>();
  if (a.set) return rows_of<Flipped<AnySpheres>>();
  if (b.body) return rows_of<AnyBody>();
  if (a.body) return rows_of<Flipped<AnyBody>>();
  if (a.simple && b.simple && a.unbounded && b.unbounded) return rows_of<Paired<SimpleSimple>>();
  if (a.simple && b.simple) return a.unbounded || b.unbounded ? rows_of<QuickSimpleFlat>() : rows_of<QuickSimple>();
  if ((a.sphere && b.revolved) || (a.revolved && b.sphere)) return rows_of<QuickRevolved>();
  if (a.convex && b.convex) return rows_of<PairedConvex>();
  if (a.curved && b.plane) return rows_of<QuickConvexPlane>();
  if (a.plane && b.curved) return rows_of<Flipped<QuickConvexPlane>>();
  if (a.compound) return rows_of<CompoundAny>();
  if (b.compound) return rows_of<Flipped<CompoundAny>>();
  if (a.surface || (a.rounded && !b.surface)) return rows_of<RoundedAny>();
  if (b.rounded) return rows_of<Flipped<RoundedAny>>();
  if (a.ground && b.ground) return rows_of<GroundGround>();
  if (a.ground && b.simple) return rows_of<Centered<GroundPiece<SimpleForm>>>();
  if (a.ground && b.curved) return rows_of<Centered<GroundPiece<ConvexForm>>>();
  if (a.ground && b.mesh) return rows_of<Centered<GroundMesh>>();
  if (a.ground && b.field) return rows_of<Centered<GroundField>>();
  if (b.ground && a.simple) return rows_of<Flipped<Centered<GroundPiece<SimpleForm>>>>();
  if (b.ground && a.curved) return rows_of<Flipped<Centered<GroundPiece<ConvexForm>>>>();
  if (b.ground && a.mesh) return rows_of<Flipped<Centered<GroundMesh>>>();
  if (b.ground && a.field) return rows_of<Flipped<Centered<GroundField>>>();
  if (a.mesh && b.simple) return rows_of<Centered<MeshPiece<SimpleForm>>>();
  if (a.mesh && b.curved) return rows_of<Centered<MeshPiece<ConvexForm>>>();
  if (a.mesh && b.mesh) return rows_of<Centered<MeshMesh>>();
  if (a.field && b.simple) return rows_of<Centered<FieldPiece<SimpleForm>>>();
  if (a.field && b.curved) return rows_of<Centered<FieldPiece<ConvexForm>>>();
  if (a.field && b.mesh) return rows_of<Centered<FieldMesh>>();
  if (a.field && b.field) return rows_of<Centered<FieldField>>();
  if (a.simple && b.mesh) return rows_of<Flipped<Centered<MeshPiece<SimpleForm>>>>();
  if (a.curved && b.mesh) return rows_of<Flipped<Centered<MeshPiece<ConvexForm>>>>();
  if (a.simple && b.field) return rows_of<Flipped<Centered<FieldPiece<SimpleForm>>>>();
  if (a.curved && b.field) return rows_of<Flipped<Centered<FieldPiece<ConvexForm>>>>();
  return rows_of<Flipped<Centered<FieldMesh>>>();
}

constexpr auto find_manifolds(const Kind& a, const Kind& b) -> decltype(PairAlgorithms::manifolds) {
  const bool flat_a = a.convex || a.plane, flat_b = b.convex || b.plane;
  const bool surface_a = a.mesh || a.field || a.ground, surface_b = b.mesh || b.field || b.ground;
  if (a.compound) return &manifolds_compound;
  if (b.compound) return &manifolds_exchanged<&manifolds_compound>;
  if (b.set) return &manifolds_spheres;
  if (a.set) return &manifolds_exchanged<&manifolds_spheres>;
  if (b.body) return &manifolds_body;
  if (a.body) return &manifolds_exchanged<&manifolds_body>;
  if (a.unbounded && b.unbounded) return nullptr;
  if (flat_a && flat_b) return &manifolds_convex;
  if (a.rounded) return &manifolds_rounded;
  if (b.rounded) return &manifolds_exchanged<&manifolds_rounded>;
  if (flat_a && surface_b) return &manifolds_convex_surface;
  if (surface_a && flat_b) return &manifolds_exchanged<&manifolds_convex_surface>;
  return &manifolds_surfaces;
}

constexpr PairTable make_table() {
  PairTable table{};
  for (std::size_t i = 0; i < shapes::known_kinds; ++i) {
    for (std::size_t j = 0; j < shapes::known_kinds; ++j) {
      const Kind a(static_cast<ShapeKind>(i)), b(static_cast<ShapeKind>(j));
      PairAlgorithms& rows = table[i][j];
      rows = find_rows(a, b);
      rows.is_for_lanes = a.for_lanes && b.for_lanes && (a.hull || b.hull);
      // A height field has no inside, but bodies of other kinds ask for the depth of what they consist of.
      const bool parts_a = a.compound || a.set || a.body, parts_b = b.compound || b.set || b.body;
      if ((parts_a && b.field) || (a.field && parts_b)) {
        rows.depth = nullptr;
        rows.signed_distance = nullptr;
      }
      if (a.convex && b.convex) {
        rows.first_contact = &first_contact_convex_convex;
        rows.touches_during = &touches_during_convex_convex;
      } else if ((a.convex || a.plane) && (b.convex || b.plane)) {
        rows.first_contact = &first_contact_with_plane;
        rows.touches_during = &touches_by_first_contact<&first_contact_with_plane>;
      }
      if ((a.convex && (b.convex || b.plane)) || (a.plane && b.convex)) rows.manifold = &manifold_convex;
      if (a.slab && b.convex) rows.manifold = &manifold_slab;
      if (a.convex && b.slab) rows.manifold = &manifold_slab_exchanged;
      rows.manifolds = find_manifolds(a, b);
    }
  }
  return table;
}

PairAlgorithms& rows_at(ShapeKind a, ShapeKind b) {
  return pair_table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

}  // namespace

constinit PairTable pair_table = make_table();

void set_algorithms(ShapeKind a, ShapeKind b, const PairAlgorithms& rows) {
  rows_at(a, b) = rows;
  // A compound may have parts of these kinds, and a set of spheres consists of spheres. Rounded shapes are asked
  // without their radii.
  const auto is_registered = [](ShapeKind kind) { return static_cast<std::size_t>(kind) >= shapes::known_kinds; };
  for (const ShapeKind kind : {a, b}) {
    if (!is_registered(kind)) continue;
    rows_at(ShapeKind::compound, kind) = rows_of<CompoundAny>();
    rows_at(kind, ShapeKind::compound) = rows_of<Flipped<CompoundAny>>();
    for (const ShapeKind rounded :
         {shapes::rounded_convex, shapes::rounded_surface, shapes::rounded_plane, shapes::rounded_ground}) {
      rows_at(rounded, kind) = rows_of<RoundedAny>();
      rows_at(kind, rounded) = rows_of<Flipped<RoundedAny>>();
    }
  }
  if (is_registered(a) && b == ShapeKind::sphere) {
    rows_at(a, ShapeKind::sphere_set) = rows_of<AnySpheres>();
    rows_at(ShapeKind::sphere_set, a) = rows_of<Flipped<AnySpheres>>();
  }
}

void refuse(const char* question, const Placed& a, const Placed& b) {
  throw_unsupported_parts(question, a, a.shape.kind(), b, b.shape.kind());
}

void throw_unsupported_parts(const char* question, const Placed& a, ShapeKind part_a, const Placed& b,
                             ShapeKind part_b) {
  const auto named = [](const Placed& placed, ShapeKind part) {
    return std::string(name(part)) + (placed.shape.kind() != part ? " (a part of a compound)" : "");
  };
  const bool has_field = part_a == ShapeKind::height_field || part_b == ShapeKind::height_field;
  const std::string_view asked = question;
  const bool needs_inside = has_field && (asked == "depth" || asked == "signed_distance");
  throw Error(std::string(question) + ": not supported between a " + named(a, part_a) + " and a " + named(b, part_b) +
              (needs_inside ? "; a height field is a surface, which has no inside to overlap: use its ground() "
                              "(make/ground.hpp)"
                            : "; is_supported() tells which pairs are supported"));
}

}  // namespace whisker::queries
