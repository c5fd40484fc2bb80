#pragma once

// What the algorithms need to know about a kind of shape. Nothing outside of this file and the table of pairs
// (queries/table.hpp) compares kinds. CONTRIBUTING.md says how to add one.

#include <array>
#include <cstddef>
#include <string_view>

#include <whisker/shape.hpp>

namespace whisker::shapes {

struct KindTraits {
  std::string_view name;  ///< for messages; must live as long as the program
  bool is_convex = false;
  bool is_bounded = true;  ///< not for a compound, which may have unbounded parts
  /// Has closed forms with all other simple kinds (convex/simple_shape.hpp).
  bool is_simple = false;
  /// Is the hull of finitely many points.
  bool is_polytope = false;
  /// Has an inside. A mesh has one only if it is solid.
  bool has_inside = false;
  /// Consists of triangles.
  bool is_surface = false;
  /// Its pairs are tested faster with a cache of the previous test.
  bool has_cache = false;
};

/// The number of kinds, built-in and registered, is at most this.
inline constexpr std::size_t max_kinds = 32;

// clang-format off
inline constexpr std::array<KindTraits, max_kinds> built_in_traits = {{
    {.name = "sphere", .is_convex = true, .is_simple = true, .has_inside = true},
    {.name = "capsule", .is_convex = true, .is_simple = true, .has_inside = true},
    {.name = "box", .is_convex = true, .is_simple = true, .is_polytope = true, .has_inside = true},
    {.name = "half-space", .is_convex = true, .is_bounded = false, .is_simple = true, .has_inside = true},
    {.name = "plane", .is_convex = true, .is_bounded = false, .is_simple = true},
    {.name = "segment", .is_convex = true, .is_simple = true, .is_polytope = true},
    {.name = "triangle", .is_convex = true, .is_simple = true, .is_polytope = true, .is_surface = true},
    {.name = "cylinder", .is_convex = true, .has_inside = true, .has_cache = true},
    {.name = "cone", .is_convex = true, .has_inside = true, .has_cache = true},
    {.name = "ellipsoid", .is_convex = true, .has_inside = true, .has_cache = true},
    {.name = "convex hull", .is_convex = true, .is_polytope = true, .has_inside = true, .has_cache = true},
    {.name = "custom convex", .is_convex = true, .has_inside = true, .has_cache = true},
    {.name = "mesh", .has_inside = true, .is_surface = true, .has_cache = true},
    {.name = "height field", .is_surface = true, .has_cache = true},
    {.name = "compound"},
    {.name = "sphere set", .has_inside = true},
    {.name = "sphere body", .has_inside = true},
}};
// clang-format on

/// The traits of all kinds. Only register_kind changes them.
extern std::array<KindTraits, max_kinds> all_traits;

inline const KindTraits& traits_of(ShapeKind kind) {
  return all_traits[static_cast<std::size_t>(kind)];
}
inline const KindTraits& traits_of(const Shape& shape) {
  return traits_of(shape.kind());
}

/// Bounded and convex: has a support function.
constexpr bool is_bounded_convex(const KindTraits& traits) {
  return traits.is_convex && traits.is_bounded;
}

/// Adds a kind and returns it. Call it, and add the kind's rows to the table, before the first query. Throws an Error
/// if there are too many kinds or the name is empty.
ShapeKind register_kind(const KindTraits& traits);

/// The number of kinds so far.
std::size_t kind_count();

}  // namespace whisker::shapes
