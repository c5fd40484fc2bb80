#pragma once

// Seeded pairs of placed convex shapes, at least one of which is a cylinder, cone, ellipsoid, convex hull or custom
// convex shape, in families that each stress a different difficulty; and a function that runs a check over a sample of
// them.
//
// A case depends only on its two kinds, its number and WHISKER_TEST_SEED, so `make_convex_case` can reproduce a failure
// that names them. The only libm function used is sqrt.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"
#include "support/cases.hpp"
#include "support/convex_reference.hpp"
#include "support/random_shapes.hpp"

namespace whisker::test {

enum class ConvexFamily {
  random,   // anywhere
  near,     // gaps from a thousandth of the size down to the last bit, either sign
  deep,     // centers close together or the same
  aligned,  // integers along the axes: faces flush, coaxial, cap to cap, tip to tip; exact, an ulp off, or tilted
  flat,     // zero sizes; hulls that are polygons, segments or points
  slender,  // needles and plates
  unequal,  // one is 1e6 or 1e9 times larger
  crowded,  // hulls of up to five hundred vertices, prisms, domes
  far,      // 1e6 sizes from the origin
  scaled,   // another family, times 1e-89 to 1e88
  sloppy,   // rotations as far from orthogonal as a pose may be
};
inline constexpr std::size_t convex_family_count = 11;

inline std::string_view name(ConvexFamily family) {
  constexpr std::array<std::string_view, convex_family_count> names = {
      "random", "near", "deep", "aligned", "flat", "slender", "unequal", "crowded", "far", "scaled", "sloppy"};
  return names[static_cast<std::size_t>(family)];
}

/// The kinds up to this one are convex.
inline constexpr std::size_t convex_kind_count = static_cast<std::size_t>(ShapeKind::custom_convex) + 1;

/// A shape and, if it is a CustomConvex, the shape that it represents.
struct KnownShape {
  Shape shape;
  Shape truth;
  double error = 0;  ///< The support error that the CustomConvex declares.
  double slack = 0;  ///< Rounding error of a CustomConvex's support function, on top of the declared error.
};

struct ConvexCase {
  KnownShape a, b;
  Pose pose_a, pose_b;
  ConvexFamily family = ConvexFamily::random;
  std::size_t number = 0;
};

namespace convex_cases {

using scenes::chance;
using scenes::Generator;
using scenes::power_of_ten;
using scenes::unit_vector;

// ---- shapes

/// A point of the unit circle. `part` in [0, 4) goes around it.
inline Vector2 on_circle(double part) {
  const int quadrant = static_cast<int>(part);
  const double t = part - quadrant, c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
  switch (quadrant) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

inline std::vector<Vector3> prism_points(int sides, double radius, double length) {
  std::vector<Vector3> points;
  for (int i = 0; i < sides; ++i) {
    const Vector2 p = on_circle(4.0 * i / sides);
    for (const double z : {-length / 2, length / 2})
      points.emplace_back(radius * p.x(), radius * p.y(), z);
  }
  return points;
}

inline std::vector<Vector3> ellipsoid_points(Generator& random, int count, const Vector3& radii) {
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i)
    points.emplace_back(unit_vector(random).cwiseProduct(radii));
  return points;
}

inline std::vector<Vector3> box_points(const Vector3& size) {
  std::vector<Vector3> points;
  for (int bits = 0; bits < 8; ++bits) {
    points.emplace_back((bits & 1 ? 0.5 : -0.5) * size.x(), (bits & 2 ? 0.5 : -0.5) * size.y(),
                        (bits & 4 ? 0.5 : -0.5) * size.z());
  }
  return points;
}

inline Vector3 random_size(Generator& random) {
  const double x = uniform(random, 0.1, 1), y = uniform(random, 0.1, 1);
  return {x, y, uniform(random, 0.1, 1)};
}

inline ConvexHull random_hull(Generator& random) {
  switch (whole(random, 0, 5)) {
    case 0:
      return ConvexHull(box_points(2 * random_size(random)));
    case 1: {
      const int sides = whole(random, 3, 12);
      const double radius = uniform(random, 0.2, 1);
      return ConvexHull(prism_points(sides, radius, uniform(random, 0.2, 2)));
    }
    case 2:
      return ConvexHull(ellipsoid_points(random, 4, random_size(random)));
    default: {
      const int count = whole(random, 5, 40);
      return ConvexHull(ellipsoid_points(random, count, random_size(random)));
    }
  }
}

inline ConvexHull crowded_hull(Generator& random) {
  const int count = whole(random, 1, 10) == 1 ? 500 : whole(random, 40, 200);
  switch (whole(random, 0, 3)) {
    case 0:
      return ConvexHull(prism_points(count / 2, uniform(random, 0.2, 1), 0.7));
    case 1: {  // a dome: half an ellipsoid over a flat base
      std::vector<Vector3> points = ellipsoid_points(random, count, random_size(random));
      for (Vector3& p : points)
        p.z() = std::max(0.0, p.z());
      return ConvexHull(points);
    }
    case 2:
      return ConvexHull(ellipsoid_points(random, count, Vector3(1, 0.1, 0.1)));
    default:
      return ConvexHull(ellipsoid_points(random, count, random_size(random)));
  }
}

inline ConvexHull integer_hull(Generator& random) {
  switch (whole(random, 0, 4)) {
    case 0:
    case 1:
      return ConvexHull(box_points(2 * (scenes::integer_vector(random, 1) + Vector3::Constant(2))));
    case 2: {
      const double r = whole(random, 1, 3);
      const std::vector<Vector3> points = {{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}};
      return ConvexHull(points);
    }
    case 3: {  // a square pyramid
      const double h = 2.0 * whole(random, 1, 2);
      const std::vector<Vector3> points = {{1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {0, 0, h}};
      return ConvexHull(points);
    }
    default: {
      std::vector<Vector3> points;
      for (int i = 0; i < 6; ++i)
        points.push_back(scenes::integer_vector(random, 2));
      return ConvexHull(points);
    }
  }
}

inline ConvexHull flat_hull(Generator& random) {
  std::vector<Vector3> points;
  const int dimension = whole(random, 0, 2);
  const Vector3 base = scenes::integer_vector(random, 1), u = scenes::integer_vector(random, 2),
                v = scenes::integer_vector(random, 2);
  for (int i = 0; i < 5; ++i) {
    const int s = whole(random, -2, 2), t = whole(random, -2, 2);
    points.push_back(base + (dimension > 0 ? s : 0) * u + (dimension > 1 ? t : 0) * v);
  }
  return ConvexHull(points);
}

inline ConvexHull slender_hull(Generator& random) {
  const double thin = power_of_ten(-whole(random, 1, 6));
  const Vector3 size = chance(random, 2) ? Vector3(thin, thin * uniform(random, 0.5, 1), 1) : Vector3(1, 0.7, thin);
  if (chance(random, 2)) return ConvexHull(box_points(size));
  return ConvexHull(ellipsoid_points(random, whole(random, 5, 40), size));
}

/// A cylinder, cone or ellipsoid of these sizes (cylinder and cone: radius from x, length from z).
inline Shape round_shape(std::size_t kind, const Vector3& size) {
  switch (static_cast<ShapeKind>(kind)) {
    case ShapeKind::cylinder:
      return Cylinder{size.x(), size.z()};
    case ShapeKind::cone:
      return Cone{size.x(), size.z()};
    default:
      return Ellipsoid{size};
  }
}

inline bool is_round(std::size_t kind) {
  return kind >= static_cast<std::size_t>(ShapeKind::cylinder) &&
         kind <= static_cast<std::size_t>(ShapeKind::ellipsoid);
}

/// A shape of one of the kinds whose point set is known.
inline Shape known_shape(Generator& random, std::size_t kind, ConvexFamily family) {
  const bool simple = kind < simple_shape_count;
  switch (family) {
    case ConvexFamily::aligned:
      if (simple) return std::visit([](const auto& s) { return Shape(s); }, scenes::integer_shape(random, kind));
      if (is_round(kind)) {
        const double x = whole(random, 1, 3), y = whole(random, 1, 3);
        return round_shape(kind, Vector3(x, y, 2.0 * whole(random, 1, 3)));
      }
      return integer_hull(random);
    case ConvexFamily::flat:
      if (chance(random, 3)) return known_shape(random, kind, ConvexFamily::aligned);
      if (simple) return std::visit([](const auto& s) { return Shape(s); }, scenes::degenerate_shape(random, kind));
      if (is_round(kind)) {
        Vector3 size(1, 2, 2);
        const int zeros = whole(random, 1, 7);
        for (int i = 0; i < 3; ++i) {
          if (zeros >> i & 1) size[i] = 0;
        }
        return round_shape(kind, size);
      }
      return flat_hull(random);
    case ConvexFamily::slender:
      if (simple) return std::visit([](const auto& s) { return Shape(s); }, scenes::slender_shape(random, kind));
      if (is_round(kind)) {
        Vector3 size = random_size(random);
        for (int i = 0; i < 3; ++i)
          size[i] *= power_of_ten(-whole(random, 0, 1) * whole(random, 1, 6));
        return round_shape(kind, size);
      }
      return slender_hull(random);
    case ConvexFamily::crowded:
      if (!simple && !is_round(kind)) return crowded_hull(random);
      return known_shape(random, kind, ConvexFamily::random);
    default:
      if (simple) return std::visit([](const auto& s) { return Shape(s); }, scenes::random_shape(random, kind));
      if (is_round(kind)) return round_shape(kind, random_size(random));
      return random_hull(random);
  }
}

/// The shape scaled by a factor.
inline Shape scaled_shape(const Shape& shape, double by) {
  return shape.visit([by](const auto& s) -> Shape {
    using S = std::decay_t<decltype(s)>;
    if constexpr (std::is_constructible_v<SimpleShape, S>) {
      return std::visit([](const auto& t) { return Shape(t); }, scenes::scaled_shape(s, by));
    } else if constexpr (std::is_same_v<S, Cylinder> || std::is_same_v<S, Cone>) {
      return S{by * s.radius, by * s.length};
    } else if constexpr (std::is_same_v<S, Ellipsoid>) {
      return S{by * s.radii};
    } else if constexpr (std::is_same_v<S, ConvexHull>) {
      std::vector<Vector3> points;
      for (const Vector3& v : s.vertices())
        points.push_back(by * v);
      return ConvexHull(points);
    } else {
      throw std::logic_error("not a shape to scale");
    }
  });
}

/// A vector in the unit ball that depends only on the bits of d: noise that is the same whenever the argument is the
/// same.
inline Vector3 noise(const Vector3& d) {
  std::uint64_t hash = 0x243F6A8885A308D3ull;
  for (int i = 0; i < 3; ++i)
    hash = (hash ^ std::bit_cast<std::uint64_t>(d[i])) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 29;
  Generator random(hash);
  return uniform(random, 0, 1) * unit_vector(random);
}

/// The support function of an ellipsoid or hull in doubles, as a user would write it, with an error of at most `off`.
inline CustomConvex::Support support_function(const Shape& truth, double off) {
  if (const auto* ellipsoid = truth.as<Ellipsoid>()) {
    return [radii = ellipsoid->radii, off](const Vector3& direction) {
      const Vector3 d = direction / direction.lpNorm<Eigen::Infinity>();
      const double largest = radii.lpNorm<Eigen::Infinity>();
      Vector3 p = Vector3::Zero();
      if (largest > 0) {
        const Vector3 shape = radii / largest, m = shape.cwiseProduct(d);
        const double length = std::sqrt(m.dot(m));
        if (length > 0) p = radii.cwiseProduct(m) / length;
      }
      return Vector3(off > 0 ? p + off * noise(d) : p);
    };
  }
  const ConvexHull hull = *truth.as<ConvexHull>();
  return [hull, off](const Vector3& direction) {
    const Vector3 d = direction / direction.lpNorm<Eigen::Infinity>();
    std::size_t best = 0;
    for (std::size_t i = 1; i < hull.vertices().size(); ++i) {
      if (hull.vertices()[i].dot(d) > hull.vertices()[best].dot(d)) best = i;
    }
    const Vector3 p = hull.vertices()[best];
    return Vector3(off > 0 ? p + off * noise(d) : p);
  };
}

/// `declared`: the declared support error relative to the size; 0 for a shape that claims to be exact.
inline KnownShape custom(const Shape& truth, double declared) {
  const double size = truth.bounds().upper.cwiseAbs().cwiseMax(truth.bounds().lower.cwiseAbs()).maxCoeff();
  const double error = declared * size;
  KnownShape known{CustomConvex(support_function(truth, 0.9 * error), error), truth, error, 0};
  known.slack = 8 * spacing_of_doubles_at(size);  // the rounding error of the support function above
  return known;
}

inline KnownShape known(const Shape& shape) {
  return {shape, shape, 0, 0};
}

// ---- places

inline Vector3 to_double(const Vec<Extended>& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

inline Vector3 middle_of(const Shape& shape, const Pose& pose) {
  if (shape.is_unbounded()) {
    return shape.visit([&](const auto& s) -> Vector3 {
      using S = std::decay_t<decltype(s)>;
      if constexpr (std::is_same_v<S, HalfSpace> || std::is_same_v<S, Plane>) {
        const Vector3 n = s.normal / s.normal.template lpNorm<Eigen::Infinity>();
        const double offset = s.offset / s.normal.template lpNorm<Eigen::Infinity>();
        return place(pose, (offset / n.dot(n)) * n);
      } else {
        return pose.translation();
      }
    });
  }
  const Aabb box = shape.bounds(pose);
  return 0.5 * box.lower + 0.5 * box.upper;
}

/// Moves b so that the gap is about `gap`: the distance if positive, or the overlap along the normal if negative.
inline void move_to_gap(Generator& random, ConvexCase& c, double size, double gap) {
  c.pose_b.set_translation(c.pose_b.translation() + (middle_of(c.a.truth, c.pose_a) - middle_of(c.b.truth, c.pose_b)));
  const Vector3 away = unit_vector(random);
  for (int i = 0; i < 8; ++i) {
    const ReferencePair<Extended> pair(c.a.truth, c.pose_a, c.b.truth, c.pose_b);
    if (!pair.bounded()) {
      const ReferenceGap<Extended> found = pair.gap();
      const Extended by = Extended(gap) - (found.lower + found.upper) / 2;
      c.pose_b.set_translation(c.pose_b.translation() + static_cast<double>(by) * to_double(found.direction));
      return;
    }
    const ReferenceDistance<Extended> found = pair.distance();
    if (found.lower > Extended(size) * Extended(1e-3)) {
      c.pose_b.set_translation(c.pose_b.translation() +
                               static_cast<double>(Extended(gap) - found.upper) * to_double(found.normal));
      return;
    }
    c.pose_b.set_translation(c.pose_b.translation() + 4 * size * away);
  }
}

inline double some_gap(Generator& random, double size) {
  const int digits = whole(random, 3, 16);
  return digits == 16 ? 0 : size * power_of_ten(-digits) * (chance(random, 2) ? 1 : -1);
}

inline void nudge(Generator& random, Pose& pose) {
  Vector3 at = pose.translation();
  double& x = at[whole(random, 0, 2)];
  x = std::nextafter(x, chance(random, 2) ? 1e9 : -1e9);
  pose.set_translation(at);
}

inline Matrix3 tilt(Generator& random) {
  const Vector3 v = power_of_ten(-whole(random, 4, 14)) * unit_vector(random);
  return scenes::rotation_from(1, v.x(), v.y(), v.z());
}

}  // namespace convex_cases

/// Case `number` of a pair of kinds (values of ShapeKind). The number determines the family.
inline ConvexCase make_convex_case(std::size_t kind_a, std::size_t kind_b, std::size_t number,
                                   std::uint64_t seed = test_seed()) {
  using namespace convex_cases;
  Generator random =
      seeded(400000000 + number * convex_kind_count * convex_kind_count + kind_a * convex_kind_count + kind_b, seed);
  const auto family = static_cast<ConvexFamily>(number % convex_family_count);
  ConvexFamily base = family;
  constexpr std::array<ConvexFamily, 5> bases = {ConvexFamily::random, ConvexFamily::near, ConvexFamily::deep,
                                                 ConvexFamily::aligned, ConvexFamily::slender};
  if (family == ConvexFamily::scaled || family == ConvexFamily::sloppy) {
    base = bases[static_cast<std::size_t>(whole(random, 0, 4))];
  }
  const auto custom_kind = static_cast<std::size_t>(ShapeKind::custom_convex);
  const auto draw = [&](std::size_t kind) {
    if (kind != custom_kind) return known_shape(random, kind, base);
    return known_shape(
        random, static_cast<std::size_t>(chance(random, 2) ? ShapeKind::ellipsoid : ShapeKind::convex_hull), base);
  };
  Shape truth_a = draw(kind_a), truth_b = draw(kind_b);
  double size_a = 1, size_b = 1;
  if (base == ConvexFamily::unequal) {
    const double factor = chance(random, 2) ? 1e6 : 1e9;
    const bool first = truth_b.is_unbounded() || (!truth_a.is_unbounded() && chance(random, 2));
    (first ? size_a : size_b) = factor;
    (first ? truth_a : truth_b) = convex_cases::scaled_shape(first ? truth_a : truth_b, factor);
  }
  ConvexCase c{known(truth_a), known(truth_b), Pose(), Pose(), family, number};
  c.pose_a = Pose(scenes::any_rotation(random), random_vector(random, 2));
  c.pose_b = Pose(scenes::any_rotation(random), random_vector(random, 2));
  switch (base) {
    case ConvexFamily::near:
      move_to_gap(random, c, 1, some_gap(random, 1));
      break;
    case ConvexFamily::deep:
      c.pose_b.set_translation(c.pose_a.translation());
      if (!chance(random, 4)) {
        c.pose_b.set_translation(c.pose_b.translation() +
                                 (middle_of(truth_a, c.pose_a) - middle_of(truth_b, c.pose_b)));
        c.pose_b.set_translation(c.pose_b.translation() +
                                 power_of_ten(-whole(random, 1, 9)) * random_vector(random, 2));
      }
      if (chance(random, 4)) c.pose_b.set_rotation(c.pose_a.rotation());
      break;
    case ConvexFamily::aligned:
    case ConvexFamily::flat: {
      c.pose_a = Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 2));
      c.pose_b = Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 2));
      if (chance(random, 2)) {  // along one axis: coaxial, face to face
        const int axis = whole(random, 0, 2);
        c.pose_b.set_translation(c.pose_a.translation() + whole(random, -6, 6) * Vector3::Unit(axis));
        if (chance(random, 2)) c.pose_b.set_rotation(c.pose_a.rotation());
      }
      if (chance(random, 3)) move_to_gap(random, c, 4, chance(random, 2) ? 0 : some_gap(random, 1));
      const int change = whole(random, 0, 3);
      if (change == 1) nudge(random, c.pose_b);
      if (change == 2) c.pose_b.set_rotation(tilt(random) * c.pose_b.rotation());
      if (change == 3 && chance(random, 2)) {  // the whole pair in a rotated frame
        const Matrix3 turn = scenes::any_rotation(random);
        c.pose_a = Pose(turn * c.pose_a.rotation(), turn * c.pose_a.translation());
        c.pose_b = Pose(turn * c.pose_b.rotation(), turn * c.pose_b.translation());
      }
      break;
    }
    case ConvexFamily::slender:
      if (chance(random, 2)) c.pose_b.set_rotation(c.pose_a.rotation() * tilt(random));
      if (chance(random, 2)) {
        c.pose_b.set_translation(c.pose_b.translation() +
                                 (middle_of(truth_a, c.pose_a) - middle_of(truth_b, c.pose_b)));
        c.pose_b.set_translation(c.pose_b.translation() +
                                 power_of_ten(-whole(random, 1, 9)) * random_vector(random, 1));
      } else {
        move_to_gap(random, c, 2, some_gap(random, 1));
      }
      break;
    case ConvexFamily::unequal:
      c.pose_a.set_translation(c.pose_a.translation() * size_a);
      c.pose_b.set_translation(c.pose_b.translation() * size_b);
      move_to_gap(random, c, std::max(size_a, size_b), uniform(random, -1, 1) * power_of_ten(-whole(random, 0, 9)));
      break;
    default:
      if (chance(random, 3)) {
        c.pose_b.set_translation(c.pose_a.translation());
        c.pose_b.set_translation(c.pose_b.translation() +
                                 (middle_of(truth_a, c.pose_a) - middle_of(truth_b, c.pose_b)));
        c.pose_b.set_translation(c.pose_b.translation() + random_vector(random, 0.5));
      } else if (chance(random, 3)) {
        move_to_gap(random, c, 2, some_gap(random, 1));
      }
      break;
  }
  if (family == ConvexFamily::far) {
    const Vector3 offset = power_of_ten(6) * unit_vector(random);
    c.pose_a.set_translation(c.pose_a.translation() + offset);
    c.pose_b.set_translation(c.pose_b.translation() + offset);
  }
  if (family == ConvexFamily::scaled) {
    constexpr std::array<double, 6> factors = {0x1p-199, 0x1p199, 1e-60, 1e60, 1e-89, 1e88};
    const double by = factors[static_cast<std::size_t>(whole(random, 0, 5))];
    c.a = known(convex_cases::scaled_shape(truth_a, by));
    c.b = known(convex_cases::scaled_shape(truth_b, by));
    c.pose_a.set_translation(c.pose_a.translation() * by);
    c.pose_b.set_translation(c.pose_b.translation() * by);
  }
  if (family == ConvexFamily::sloppy) {
    c.pose_a.set_rotation(scenes::sloppy(random, c.pose_a.rotation()));
    c.pose_b.set_rotation(scenes::sloppy(random, c.pose_b.rotation()));
    if (chance(random, 2)) move_to_gap(random, c, 4, some_gap(random, 1));
  }
  const auto declared = [&random] { return chance(random, 2) ? 0.0 : chance(random, 2) ? 1e-6 : 1e-14; };
  if (kind_a == custom_kind) c.a = custom(c.a.truth, declared());
  if (kind_b == custom_kind) c.b = custom(c.b.truth, declared());
  return c;
}

inline std::string describe(const Shape& shape) {
  std::ostringstream text;
  text.precision(17);
  const auto list = [&text](std::initializer_list<double> numbers) {
    const char* before = "{";
    for (const double x : numbers) {
      text << before << x;
      before = ", ";
    }
    text << "}";
  };
  const auto vector = [&list](const Vector3& v) { list({v.x(), v.y(), v.z()}); };
  text << whisker::name(shape.kind());
  shape.visit([&](const auto& s) {
    using S = std::decay_t<decltype(s)>;
    if constexpr (std::is_same_v<S, Cylinder> || std::is_same_v<S, Cone> || std::is_same_v<S, Capsule>) {
      list({s.radius, s.length});
    } else if constexpr (std::is_same_v<S, Ellipsoid>) {
      vector(s.radii);
    } else if constexpr (std::is_same_v<S, ConvexHull>) {
      text << " of " << s.vertices().size() << " vertices";
      if (s.vertices().size() > 12) return;
      for (const Vector3& v : s.vertices())
        vector(v);
    } else if constexpr (std::is_same_v<S, Sphere>) {
      list({s.radius});
    } else if constexpr (std::is_same_v<S, Box>) {
      vector(s.size);
    } else if constexpr (std::is_same_v<S, HalfSpace> || std::is_same_v<S, Plane>) {
      vector(s.normal);
      list({s.offset});
    } else if constexpr (std::is_same_v<S, Segment>) {
      vector(s.a);
      vector(s.b);
    } else if constexpr (std::is_same_v<S, Triangle>) {
      vector(s.a);
      vector(s.b);
      vector(s.c);
    }
  });
  return text.str();
}

/// Describes a failed case and how to reproduce it.
inline std::string describe(const ConvexCase& c) {
  const auto placed = [](const KnownShape& known, const Pose& pose) {
    std::ostringstream text;
    text.precision(17);
    if (known.shape.kind() == ShapeKind::custom_convex) text << "custom (error " << known.error << ") ";
    text << describe(known.truth) << " at ";
    if (pose.rotation() == Matrix3::Identity()) {
      text << "identity";
    } else {
      for (int row = 0; row < 3; ++row) {
        text << "{" << pose.rotation()(row, 0) << ", " << pose.rotation()(row, 1) << ", " << pose.rotation()(row, 2)
             << "}";
      }
    }
    text << ", {" << pose.translation().x() << ", " << pose.translation().y() << ", " << pose.translation().z() << "}";
    return text.str();
  };
  std::ostringstream text;
  text << name(c.family) << ": make_convex_case(" << static_cast<std::size_t>(c.a.shape.kind()) << ", "
       << static_cast<std::size_t>(c.b.shape.kind()) << ", " << c.number << ")\n  a: " << placed(c.a, c.pose_a)
       << "\n  b: " << placed(c.b, c.pose_b) << "\n";
  return text.str();
}

// ---- samples

/// Two kinds of convex shapes (values of ShapeKind), with first <= second. The second is not a simple shape.
struct ConvexPair {
  std::size_t first = 0, second = 0;

  std::string name() const {
    std::string text = std::string(whisker::name(static_cast<ShapeKind>(first))) + "_" +
                       std::string(whisker::name(static_cast<ShapeKind>(second)));
    std::replace_if(
        text.begin(), text.end(), [](char x) { return x == ' ' || x == '-'; }, '_');
    return text;
  }
  friend bool operator<(const ConvexPair& a, const ConvexPair& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  }
  friend void PrintTo(const ConvexPair& pair, std::ostream* out) { *out << pair.name(); }

  bool supported(Question question) const {
    return is_supported(question, static_cast<ShapeKind>(first), static_cast<ShapeKind>(second));
  }
  /// Both are polytopes with a radius, so their depth is as exact as their distance.
  bool flat_faced() const {
    const auto is_flat = [](std::size_t kind) {
      return kind <= static_cast<std::size_t>(ShapeKind::triangle) ||
             kind == static_cast<std::size_t>(ShapeKind::convex_hull);
    };
    return is_flat(first) && is_flat(second);
  }
};

inline std::vector<ConvexPair> all_convex_pairs() {
  std::vector<ConvexPair> pairs;
  for (std::size_t second = simple_shape_count; second < convex_kind_count; ++second) {
    for (std::size_t first = 0; first <= second; ++first)
      pairs.push_back({first, second});
  }
  return pairs;
}

inline std::string convex_pair_name(const testing::TestParamInfo<ConvexPair>& info) {
  return info.param.name();
}

/// A case in one of its two orders, with its known truth.
struct ConvexView {
  const ConvexCase& what;
  const KnownShape& known_a;
  const KnownShape& known_b;
  Placed a, b;
  ReferencePair<Extended> reference;
  ReferenceDistance<Extended> truth;  ///< Bounds of the distance.
  Extended error = 0;                 ///< Declared support errors of both shapes together…
  Extended slack = 0;                 ///< …and the rounding error of the support functions of custom shapes.
  Extended ulp = 0;                   ///< Spacing of the doubles at the largest placed coordinate.

  ConvexView(const ConvexCase& c, bool swap)
      : what(c),
        known_a(swap ? c.b : c.a),
        known_b(swap ? c.a : c.b),
        a(known_a.shape, swap ? c.pose_b : c.pose_a),
        b(known_b.shape, swap ? c.pose_a : c.pose_b),
        reference(known_a.truth, a.pose, known_b.truth, b.pose),
        truth(reference.distance()),
        error(Extended(c.a.error) + Extended(c.b.error)),
        slack(Extended(c.a.slack) + Extended(c.b.slack)),
        ulp(Extended(spacing_of_doubles_at(reference.max_coordinate()))) {}

  /// The allowed error of an answer: 64 spacings of the doubles at the largest coordinate, plus a fraction `part` of
  /// the answer, plus the declared errors of custom shapes: each bound is off by the errors of both shapes, and so is
  /// each of their points.
  Extended allowed(Extended exact, double part) const {
    return Extended(part) * exact + 64 * ulp + 4 * error + 2 * slack;
  }

  /// The truth to 1e-30 of the size, for cases that the bounds above leave open.
  ReferenceDistance<Real> exact_distance() const {
    return reference_distance(known_a.truth, a.pose, known_b.truth, b.pose);
  }

  /// Bounds of the gap.
  ReferenceGap<Extended> gap(const DepthEffort& effort, const std::vector<Vec<Extended>>& hints = {}) const {
    if (truth.lower > 0) {
      ReferenceGap<Extended> found;
      found.lower = truth.lower;
      found.upper = truth.upper;
      found.direction = truth.normal;
      return found;
    }
    return reference.gap(effort, hints);
  }

  /// The distance of a point in world coordinates from a, or from b.
  Extended off_a(const Vector3& point) const { return off(known_a.truth, a.pose, reference.body_a(), point); }
  Extended off_b(const Vector3& point) const { return off(known_b.truth, b.pose, reference.body_b(), point); }

 private:
  Extended off(const Shape& shape, const Pose& pose, const ReferenceBody<Extended>& body, const Vector3& point) const {
    const Vec<Extended> p = exactly<Extended>(point) - reference.origin();
    if (shape.is_unbounded()) {
      return std::max(Extended(0), convex::gap_to_side(shape, pose, reference_point(p), reference.origin()).lower);
    }
    return reference_distance(reference_point(p), body, wanted_width<Extended>()).lower;
  }
};

using ConvexCheck = std::function<void(const ConvexView&, std::ostream& wrong)>;

/// Runs the check on cases `from`, `from` + 1… of a pair, swapping the shapes in half of them. Shows the first few
/// failures and counts the rest.
inline void check_convex(const ConvexPair& pair, std::size_t count, const ConvexCheck& check, std::size_t from = 0) {
  constexpr std::size_t shown = 2;
  std::size_t failed = 0;
  for (std::size_t i = from; i < from + count; ++i) {
    std::ostringstream wrong;
    wrong.precision(17);
    const ConvexCase c = make_convex_case(pair.first, pair.second, i);
    const bool swap = i / convex_family_count % 2 == 1;
    try {
      check(ConvexView(c, swap), wrong);
    } catch (const std::exception& error) {
      wrong << "threw " << error.what();
    }
    if (wrong.str().empty()) continue;
    if (++failed <= shown) {
      ADD_FAILURE() << wrong.str() << (swap ? "\nasked as (b, a) of " : "\nasked as (a, b) of ") << describe(c);
    }
  }
  if (failed > shown) ADD_FAILURE() << failed << " of " << count << " failed";
}

/// Fills the vertices that a cache remembers with arbitrary values.
inline void fill_corners(std::mt19937_64& random, PairCache& cache) {
  memory_of(cache).corner_count = static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 6);
  for (auto* corners : {&memory_of(cache).corners_a, &memory_of(cache).corners_b}) {
    for (auto& corner : *corners)
      corner = static_cast<std::uint32_t>(random() % 2 == 0 ? random() : random() % 10);
  }
}

/// A pose slightly farther along a smooth motion, for sequences.
inline Pose moved_on(const Pose& pose, double turn, const Vector3& by) {
  const Matrix3 rotation = scenes::rotation_from(1, turn, 0.7 * turn, -0.4 * turn);
  return Pose(rotation * pose.rotation(), pose.translation() + by);
}

/// Counts the queries of a whole program that gave up, and lists them at its end.
class LimitCount {
 public:
  void count(const ConvexCase& c, const char* question, Stop stop, double lower, double upper) {
    ++asked_;
    if (stop != Stop::limit) return;
    std::ostringstream text;
    text.precision(17);
    text << question << " [" << lower << ", " << upper << "] of " << describe(c);
    listed_.push_back(text.str());
  }
  /// Allows one in a million queries to give up, or one if there were fewer queries.
  void check() const {
    std::ostringstream text;
    for (const std::string& line : listed_)
      text << line;
    std::printf("gave up: %zu of %zu\n%s", listed_.size(), asked_, text.str().c_str());
    EXPECT_LE(listed_.size(), asked_ / 1000000 + 1) << "the queries listed above gave up";
  }

 private:
  std::size_t asked_ = 0;
  std::vector<std::string> listed_;
};

inline std::string number(const Real& x) {
  return x.str(20);
}
inline std::string number(Extended x) {
  std::ostringstream text;
  text.precision(20);
  text << x;
  return text.str();
}

}  // namespace whisker::test
