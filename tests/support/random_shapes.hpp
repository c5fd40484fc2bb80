#pragma once

// Seeded pairs of placed simple shapes, in families that each stress a different difficulty.
//
// The only libm function used is sqrt, so that the same seed gives the same doubles everywhere.

#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"
#include "support/reference.hpp"

namespace whisker::test {

enum class Family {
  random,      // anywhere
  aligned,     // integer coordinates along the axes: faces flush, edges in faces, exact touching
  near,        // gaps from a thousandth of the size down to the last bit, either sign
  deep,        // centers close together
  parallel,    // same rotation for both; parallel segments, coplanar triangles, parallel planes
  degenerate,  // zero radius, length, extent; triangles that are segments or points
  far,         // 1e6 or 1e12 sizes from the origin
  unequal,     // one is 1e6 times larger than the other
  slender,     // needles, slivers and sheets, some of them nearly parallel; planes with normals of any length
  scaled,      // another family times 1e-60 or 1e60
  sloppy,      // rotations as far from orthogonal as a pose may be
};
inline constexpr std::size_t family_count = 11;

inline std::string_view name(Family family) {
  constexpr std::array<std::string_view, family_count> names = {
      "random", "aligned", "near", "deep", "parallel", "degenerate", "far", "unequal", "slender", "scaled", "sloppy"};
  return names[static_cast<std::size_t>(family)];
}

inline constexpr std::size_t simple_shape_count = std::variant_size_v<SimpleShape>;

inline std::string_view simple_shape_name(std::size_t kind) {
  constexpr std::array<std::string_view, simple_shape_count> names = {"sphere", "capsule", "box",     "half_space",
                                                                      "plane",  "segment", "triangle"};
  return names[kind];
}

/// Two placed shapes.
struct Scene {
  SimpleShape a, b;
  Pose pose_a, pose_b;
  Family family = Family::random;
};

namespace scenes {

using Generator = std::mt19937_64;

inline bool chance(Generator& random, int one_in) {
  return whole(random, 1, one_in) == 1;
}

inline double power_of_ten(int exponent) {
  double result = 1;
  for (int i = 0; i < exponent; ++i)
    result *= 10;
  for (int i = 0; i > exponent; --i)
    result /= 10;
  return result;
}

inline Vector3 integer_vector(Generator& random, int half_width) {
  const int x = whole(random, -half_width, half_width), y = whole(random, -half_width, half_width);
  return {double(x), double(y), double(whole(random, -half_width, half_width))};
}

inline Vector3 unit_vector(Generator& random) {
  while (true) {
    const Vector3 v = random_vector(random, 1);
    const double length = std::sqrt(v.dot(v));
    if (length > 0.1 && length <= 1) return v / length;
  }
}

inline Matrix3 rotation_from(double w, double x, double y, double z) {
  const double length = std::sqrt(w * w + x * x + y * y + z * z);
  return Eigen::Quaterniond(w / length, x / length, y / length, z / length).toRotationMatrix();
}

/// One of the 24 rotations that map axes to axes.
inline Matrix3 axis_rotation(Generator& random) {
  Matrix3 rotation = Matrix3::Zero();
  const int first = whole(random, 0, 2), step = whole(random, 1, 2), third = 3 - first - (first + step) % 3;
  rotation(first, 0) = whole(random, 0, 1) * 2 - 1;
  rotation((first + step) % 3, 1) = whole(random, 0, 1) * 2 - 1;
  rotation(third, 2) = 1;
  if (rotation.determinant() < 0) rotation(third, 2) = -1;
  return rotation;
}

inline Matrix3 any_rotation(Generator& random) {
  switch (whole(random, 0, 5)) {
    case 0:
      return Matrix3::Identity();
    case 1:
      return axis_rotation(random);
    case 2: {  // close to the identity
      const Vector3 v = power_of_ten(-whole(random, 1, 16)) * random_vector(random, 1);
      return rotation_from(1, v.x(), v.y(), v.z());
    }
    default: {
      const Vector3 v = random_vector(random, 1);
      return rotation_from(uniform(random, 0.1, 1), v.x(), v.y(), v.z());
    }
  }
}

/// Multiplies a rotation by a symmetric stretch such that the entries of RᵀR - I stay just below 1e-9, the limit for a
/// pose.
inline Matrix3 sloppy(Generator& random, const Matrix3& rotation) {
  Matrix3 stretch = Matrix3::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double by =
          chance(random, 2) ? uniform(random, -4.9e-10, 4.9e-10) : 4.9e-10 * (whole(random, 0, 1) * 2 - 1);
      stretch(i, j) += by;
      if (i != j) stretch(j, i) += by;
    }
  }
  return rotation * stretch;
}

inline SimpleShape random_shape(Generator& random, std::size_t kind) {
  switch (kind) {
    case 0:
      return Sphere{uniform(random, 0.1, 1)};
    case 1: {
      const double radius = uniform(random, 0.05, 0.8);
      return Capsule{radius, uniform(random, 0.1, 2)};
    }
    case 2:
      return Box{random_vector(random, 0.95) + Vector3::Constant(1.05)};
    case 3:
    case 4: {
      const Vector3 normal = power_of_ten(whole(random, -1, 1)) * unit_vector(random);
      const double offset = uniform(random, -1, 1) * normal.norm();
      return kind == 3 ? SimpleShape(HalfSpace{normal, offset}) : SimpleShape(Plane{normal, offset});
    }
    case 5: {
      const Vector3 a = random_vector(random, 1);
      return Segment{a, random_vector(random, 1)};
    }
    default: {
      const Vector3 a = random_vector(random, 1), b = random_vector(random, 1);
      return Triangle{a, b, random_vector(random, 1)};
    }
  }
}

/// Integer sizes, even where they are halved. Flat shapes lie in z = const, and lines mostly along an axis.
inline SimpleShape integer_shape(Generator& random, std::size_t kind) {
  switch (kind) {
    case 0:
      return Sphere{double(whole(random, 1, 3))};
    case 1: {
      const int radius = whole(random, 1, 2);
      return Capsule{double(radius), 2.0 * whole(random, 1, 3)};
    }
    case 2:
      return Box{2 * (integer_vector(random, 1) + Vector3::Constant(2))};
    case 3:
    case 4: {
      const std::array<Vector3, 5> normals = {Vector3(0, 0, 1), Vector3(0, 0, -2), Vector3(1, 0, 0), Vector3(3, 0, 4),
                                              Vector3(1, 1, 1)};
      const Vector3 normal = normals[static_cast<std::size_t>(whole(random, 0, 4))];
      const double offset = whole(random, -3, 3);
      return kind == 3 ? SimpleShape(HalfSpace{normal, offset}) : SimpleShape(Plane{normal, offset});
    }
    case 5: {
      const Vector3 a = integer_vector(random, 2);
      if (chance(random, 3)) return Segment{a, integer_vector(random, 2)};
      Vector3 b = a;
      b[whole(random, 0, 2)] += whole(random, 1, 3);
      return Segment{a, b};
    }
    default: {
      Vector3 a = integer_vector(random, 2), b = integer_vector(random, 2), c = integer_vector(random, 2);
      if (!chance(random, 3)) c.z() = b.z() = a.z();
      return Triangle{a, b, c};
    }
  }
}

inline SimpleShape degenerate_shape(Generator& random, std::size_t kind) {
  switch (kind) {
    case 0:
      return Sphere{0};
    case 1: {
      const int which = whole(random, 0, 2);
      const double radius = which == 0 ? 1 : 0;
      return Capsule{radius, which == 1 ? 2.0 : 0.0};
    }
    case 2: {
      Vector3 size = 2 * (integer_vector(random, 1) + Vector3::Constant(2));
      const int zeros = whole(random, 1, 7);
      for (int i = 0; i < 3; ++i) {
        if (zeros >> i & 1) size[i] = 0;
      }
      return Box{size};
    }
    case 3:
      return HalfSpace{integer_vector(random, 2) + Vector3(0, 0, 3), 0};
    case 4:
      return Plane{integer_vector(random, 2) + Vector3(0, 0, 3), 0};
    case 5: {
      const Vector3 a = integer_vector(random, 2);
      return Segment{a, a};
    }
    default: {
      const Vector3 a = integer_vector(random, 2),
                    along = chance(random, 4) ? Vector3::Zero() : integer_vector(random, 1);
      const double second = whole(random, -2, 2);
      return Triangle{a, a + second * along, a + whole(random, -2, 2) * along};
    }
  }
}

/// Lengths from 1 down to 1e-9, chosen independently; triangles that are almost segments.
inline SimpleShape slender_shape(Generator& random, std::size_t kind) {
  const auto small = [&random] { return uniform(random, 0.1, 1) * power_of_ten(-whole(random, 0, 9)); };
  switch (kind) {
    case 0:
      return Sphere{small()};
    case 1: {
      const double radius = small();
      return Capsule{radius, small()};
    }
    case 2: {
      const double x = small(), y = small();
      return Box{Vector3(x, y, small())};
    }
    case 3:
    case 4: {
      constexpr std::array<double, 5> lengths = {1e-200, 1e-30, 1e-8, 1e8, 1e20};
      const Vector3 normal = lengths[static_cast<std::size_t>(whole(random, 0, 4))] * unit_vector(random);
      const double offset = uniform(random, -1, 1) * normal.lpNorm<Eigen::Infinity>();
      return kind == 3 ? SimpleShape(HalfSpace{normal, offset}) : SimpleShape(Plane{normal, offset});
    }
    case 5: {
      const Vector3 a = small() * random_vector(random, 1);
      return Segment{a, a + Vector3(small(), small(), 1)};
    }
    default: {
      const Vector3 a = random_vector(random, 1), along = random_vector(random, 1);
      const double part = uniform(random, -1, 2);
      return Triangle{a, a + along, a + part * along + small() * random_vector(random, 1)};
    }
  }
}

inline SimpleShape scaled_shape(const SimpleShape& shape, double by) {
  struct Scale {
    double by;
    SimpleShape operator()(const Sphere& s) const { return Sphere{by * s.radius}; }
    SimpleShape operator()(const Capsule& s) const { return Capsule{by * s.radius, by * s.length}; }
    SimpleShape operator()(const Box& s) const { return Box{by * s.size}; }
    SimpleShape operator()(const HalfSpace& s) const { return HalfSpace{s.normal, by * s.offset}; }
    SimpleShape operator()(const Plane& s) const { return Plane{s.normal, by * s.offset}; }
    SimpleShape operator()(const Segment& s) const { return Segment{by * s.a, by * s.b}; }
    SimpleShape operator()(const Triangle& s) const { return Triangle{by * s.a, by * s.b, by * s.c}; }
  };
  return std::visit(Scale{by}, shape);
}

inline bool is_plane(const SimpleShape& shape) {
  return std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<Plane>(shape);
}

inline Vector3 rounded(const Vec<double>& v) {
  return {v.x, v.y, v.z};
}

/// The placed set in doubles, accurate enough to steer by. The normal of a plane is normalized.
inline PlacedSet<double> steering_set(const SimpleShape& shape, const Pose& pose) {
  PlacedSet<double> set = place_set<double>(shape, pose);
  if (set.bounded()) return set;
  const double largest = reference::largest_coordinate_of(set.normal);  // its square may underflow or overflow
  const Vec<double> normal = {set.normal.x / largest, set.normal.y / largest, set.normal.z / largest};
  set.normal = (1 / length(normal)) * normal;
  set.offset = set.offset / largest / length(normal);
  return set;
}

inline Vector3 foot_of(const PlacedSet<double>& plane) {
  return rounded(plane.origin + plane.offset * plane.normal);
}

/// A point of the placed shape: a corner or end, or the midpoint of two of them. For a plane, its foot (see foot_of).
inline Vector3 some_point(Generator& random, const SimpleShape& shape, const Pose& pose) {
  const auto set = steering_set(shape, pose);
  if (!set.bounded()) return foot_of(set);
  const auto any = [&] { return static_cast<std::size_t>(whole(random, 0, int(set.core.vertices.size()) - 1)); };
  const Vec<double> p = set.core.vertices[any()];
  if (chance(random, 2)) return rounded(p);
  return rounded(0.5 * (p + set.core.vertices[any()]));
}

/// The mean of the placed shape's corners. For a plane, its foot.
inline Vector3 middle_of(const SimpleShape& shape, const Pose& pose) {
  const auto set = steering_set(shape, pose);
  if (!set.bounded()) return foot_of(set);
  Vec<double> sum;
  for (const Vec<double>& v : set.core.vertices)
    sum = sum + v;
  return rounded((1 / double(set.core.vertices.size())) * sum);
}

/// Moves b along `direction` to where it just leaves a, then `beyond` farther.
inline void move_to_touching(Scene& scene, const Vector3& direction, double beyond, double reach) {
  const Vector3 start = scene.pose_b.translation();
  const auto a = steering_set(scene.a, scene.pose_a);
  double inside = 0, outside = reach;
  for (int i = 0; i < 60; ++i) {
    const double middle = inside + (outside - inside) / 2;
    scene.pose_b.set_translation(start + middle * direction);
    const Gap<double> between = gap(a, steering_set(scene.b, scene.pose_b));
    (between.inseparable || between.value <= 0 ? inside : outside) = middle;
  }
  scene.pose_b.set_translation(start + (outside + beyond) * direction);
}

/// The same, decided by the exact predicate, down to neighboring doubles. `last_touching` selects which of the two is
/// kept.
inline void move_to_last_bit(Scene& scene, const Vector3& direction, double size, bool last_touching) {
  const Vector3 middle = scene.pose_b.translation();
  Vector3 inside = middle - 1e-13 * size * direction, outside = middle + 1e-13 * size * direction;
  while (true) {
    const Vector3 between = 0.5 * (inside + outside);
    if (between == inside || between == outside) break;
    scene.pose_b.set_translation(between);
    (truth_about(scene.a, scene.pose_a, scene.b, scene.pose_b).touching ? inside : outside) = between;
  }
  scene.pose_b.set_translation(last_touching ? inside : outside);
}

/// Puts a point of b on a point of a, or, for planes, b onto the boundary. Returns a direction that leads away from a.
inline Vector3 balance_weights(Generator& random, Scene& scene) {
  const Vector3 pa = some_point(random, scene.a, scene.pose_a), pb = some_point(random, scene.b, scene.pose_b);
  scene.pose_b.set_translation(scene.pose_b.translation() + (pa - pb));
  const auto a = steering_set(scene.a, scene.pose_a), b = steering_set(scene.b, scene.pose_b);
  if (!a.bounded()) return rounded(a.normal);
  if (!b.bounded()) return rounded(-b.normal);
  return unit_vector(random);
}

/// Makes b's normal a multiple of a's by a power of two, of either sign, under the same rotation, so that the planes
/// are exactly parallel. If the normals had different lengths, b's offset is scaled accordingly, so that the plane
/// stays about where it was.
inline void make_planes_parallel(Generator& random, Scene& scene) {
  constexpr std::array<double, 6> factors = {1, -1, 2, -2, 0.25, -0.5};
  const double factor = factors[static_cast<std::size_t>(whole(random, 0, 5))];
  Vector3 normal = Vector3::Zero();
  if (const auto* half_space = std::get_if<HalfSpace>(&scene.a)) normal = factor * half_space->normal;
  if (const auto* plane = std::get_if<Plane>(&scene.a)) normal = factor * plane->normal;
  const auto turn = [&normal](auto& side) {
    const double longer = normal.lpNorm<Eigen::Infinity>() / side.normal.template lpNorm<Eigen::Infinity>();
    if (longer > 1e3 || longer < 1e-3) side.offset *= longer;
    side.normal = normal;
  };
  if (auto* half_space = std::get_if<HalfSpace>(&scene.b)) turn(*half_space);
  if (auto* plane = std::get_if<Plane>(&scene.b)) turn(*plane);
  scene.pose_b.set_rotation(scene.pose_a.rotation());
}

inline void make_near(Generator& random, Scene& scene, double size) {
  const bool planes = is_plane(scene.a) && is_plane(scene.b);
  if (planes) make_planes_parallel(random, scene);
  const Vector3 direction = balance_weights(random, scene);
  const int digits = whole(random, 3, 16);
  const double beyond = digits == 16 ? 0 : size * power_of_ten(-digits) * (whole(random, 0, 2) > 0 ? 1 : -1);
  if (!planes)
    move_to_touching(scene, direction, beyond, 16 * size);
  else
    scene.pose_b.set_translation(scene.pose_b.translation() + beyond * direction);
  if (chance(random, 12)) move_to_last_bit(scene, direction, size, chance(random, 2));
}

}  // namespace scenes

inline Pose random_pose(std::mt19937_64& random, double spread) {
  const Matrix3 rotation = scenes::any_rotation(random);
  return {rotation, random_vector(random, spread)};
}

/// A pair of the given kinds (indices of SimpleShape) from the given family.
inline Scene make_scene(std::mt19937_64& random, std::size_t kind_a, std::size_t kind_b, Family family) {
  using namespace scenes;
  Scene scene;
  scene.a = random_shape(random, kind_a);
  scene.b = random_shape(random, kind_b);
  scene.pose_a = Pose(any_rotation(random), random_vector(random, 2));
  scene.pose_b = Pose(any_rotation(random), random_vector(random, 2));
  const bool planes = is_plane(scene.a) && is_plane(scene.b);
  switch (family) {
    case Family::random:
      if (planes && chance(random, 2)) make_planes_parallel(random, scene);
      if (chance(random, 2)) {
        scene.pose_b.set_translation(scene.pose_b.translation() +
                                     (middle_of(scene.a, scene.pose_a) - middle_of(scene.b, scene.pose_b)));
        scene.pose_b.set_translation(scene.pose_b.translation() + random_vector(random, 0.5));
      }
      break;
    case Family::aligned: {
      scene.a = integer_shape(random, kind_a);
      scene.b = integer_shape(random, kind_b);
      if (planes && !chance(random, 4)) make_planes_parallel(random, scene);
      scene.pose_a = Pose(axis_rotation(random), integer_vector(random, 3));
      scene.pose_b = Pose(planes ? scene.pose_a.rotation() : axis_rotation(random), integer_vector(random, 3));
      if (chance(random, 3)) balance_weights(random, scene);
      if (chance(random, 4)) {  // tenths: flush except for rounding
        scene.a = scaled_shape(scene.a, 0.1);
        scene.b = scaled_shape(scene.b, 0.1);
        scene.pose_a.set_translation(scene.pose_a.translation() * 0.1);
        scene.pose_b.set_translation(scene.pose_b.translation() * 0.1);
      }
      break;
    }
    case Family::near:
      make_near(random, scene, 1);
      break;
    case Family::deep:
      if (planes) make_planes_parallel(random, scene);
      if (chance(random, 4)) {
        scene.pose_b.set_translation(scene.pose_a.translation());
      } else {
        scene.pose_b.set_translation(scene.pose_b.translation() +
                                     (middle_of(scene.a, scene.pose_a) - middle_of(scene.b, scene.pose_b)));
      }
      if (!chance(random, 4)) scene.pose_b.set_translation(scene.pose_b.translation() + random_vector(random, 0.2));
      break;
    case Family::parallel: {
      scene.a = integer_shape(random, kind_a);
      scene.b = integer_shape(random, kind_b);
      if (planes && !chance(random, 4)) make_planes_parallel(random, scene);
      const Matrix3 turn = chance(random, 2) ? Matrix3::Identity() : axis_rotation(random);
      scene.pose_b.set_rotation(scene.pose_a.rotation() * (planes ? Matrix3::Identity() : turn));
      scene.pose_b.set_translation(scene.pose_a.translation() +
                                   scene.pose_a.rotation() * (0.5 * integer_vector(random, 8)));
      if (chance(random, 3)) balance_weights(random, scene);
      break;
    }
    case Family::degenerate: {
      const int which = whole(random, 0, 2);
      if (which != 0) scene.a = degenerate_shape(random, kind_a);
      if (which != 1) scene.b = degenerate_shape(random, kind_b);
      const bool on_grid = !chance(random, 3);
      if (on_grid) {
        if (which == 0) scene.a = integer_shape(random, kind_a);
        if (which == 1) scene.b = integer_shape(random, kind_b);
        scene.pose_a = Pose(axis_rotation(random), integer_vector(random, 2));
        scene.pose_b = Pose(axis_rotation(random), integer_vector(random, 2));
      }
      if (planes) make_planes_parallel(random, scene);
      if (chance(random, 2)) balance_weights(random, scene);
      break;
    }
    case Family::far: {
      if (chance(random, 2)) make_near(random, scene, 1);
      const Vector3 offset = power_of_ten(chance(random, 2) ? 6 : 12) * unit_vector(random);
      scene.pose_a.set_translation(scene.pose_a.translation() + offset);
      scene.pose_b.set_translation(scene.pose_b.translation() + offset);
      break;
    }
    case Family::unequal: {
      const double factor = 1e6;
      if (chance(random, 2)) {
        scene.a = scaled_shape(scene.a, factor);
      } else {
        scene.b = scaled_shape(scene.b, factor);
      }
      if (planes) make_planes_parallel(random, scene);
      const Vector3 direction = balance_weights(random, scene);
      const double beyond = uniform(random, -1, 1) * power_of_ten(-whole(random, 0, 9));
      if (!planes) {
        move_to_touching(scene, direction, beyond, 16 * factor);
      } else {
        scene.pose_b.set_translation(scene.pose_b.translation() + beyond * direction);
      }
      break;
    }
    case Family::slender: {
      scene.a = slender_shape(random, kind_a);
      scene.b = slender_shape(random, kind_b);
      if (chance(random, 2)) {
        const Vector3 v = power_of_ten(-whole(random, 3, 16)) * random_vector(random, 1);
        scene.pose_b.set_rotation(scene.pose_a.rotation() * rotation_from(1, v.x(), v.y(), v.z()));
      }
      if (planes && chance(random, 2)) make_planes_parallel(random, scene);
      if (chance(random, 2)) {
        scene.pose_b.set_translation(scene.pose_b.translation() +
                                     (middle_of(scene.a, scene.pose_a) - middle_of(scene.b, scene.pose_b)));
        scene.pose_b.set_translation(scene.pose_b.translation() +
                                     power_of_ten(-whole(random, 0, 9)) * random_vector(random, 1));
      } else if (!planes) {
        const Vector3 direction = balance_weights(random, scene);
        move_to_touching(scene, direction, power_of_ten(-whole(random, 3, 15)), 16);
      }
      break;
    }
    case Family::scaled: {
      scene = make_scene(random, kind_a, kind_b, static_cast<Family>(whole(random, 0, 8)));
      const std::array<double, 4> factors = {0x1p-199, 0x1p199, 1e-60, 1e60};
      const double by = factors[static_cast<std::size_t>(whole(random, 0, 3))];
      scene.a = scaled_shape(scene.a, by);
      scene.b = scaled_shape(scene.b, by);
      scene.pose_a.set_translation(scene.pose_a.translation() * by);
      scene.pose_b.set_translation(scene.pose_b.translation() * by);
      break;
    }
    case Family::sloppy: {
      const std::array<Family, 4> bases = {Family::random, Family::deep, Family::parallel, Family::aligned};
      scene = make_scene(random, kind_a, kind_b, bases[static_cast<std::size_t>(whole(random, 0, 3))]);
      scene.pose_a.set_rotation(sloppy(random, scene.pose_a.rotation()));
      scene.pose_b.set_rotation(planes ? scene.pose_a.rotation() : sloppy(random, scene.pose_b.rotation()));
      if (chance(random, 3)) make_near(random, scene, 1);
      break;
    }
  }
  scene.family = family;
  return scene;
}

/// The numbers of a scene as C++ code, for the message of a failed case.
inline std::string describe(const Scene& scene) {
  const auto number = [](double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    return std::string(text);
  };
  const auto vector = [&](const Vector3& v) {
    return "{" + number(v.x()) + ", " + number(v.y()) + ", " + number(v.z()) + "}";
  };
  struct Describe {
    decltype(number)& n;
    decltype(vector)& v;
    std::string operator()(const Sphere& s) const { return "Sphere{" + n(s.radius) + "}"; }
    std::string operator()(const Capsule& s) const { return "Capsule{" + n(s.radius) + ", " + n(s.length) + "}"; }
    std::string operator()(const Box& s) const { return "Box{" + v(s.size) + "}"; }
    std::string operator()(const HalfSpace& s) const { return "HalfSpace{" + v(s.normal) + ", " + n(s.offset) + "}"; }
    std::string operator()(const Plane& s) const { return "Plane{" + v(s.normal) + ", " + n(s.offset) + "}"; }
    std::string operator()(const Segment& s) const { return "Segment{" + v(s.a) + ", " + v(s.b) + "}"; }
    std::string operator()(const Triangle& s) const {
      return "Triangle{" + v(s.a) + ", " + v(s.b) + ", " + v(s.c) + "}";
    }
  };
  const auto pose = [&](const Pose& p) {
    std::string rotation = "identity";
    if (p.rotation() != Matrix3::Identity()) {
      rotation = "rows " + vector(p.rotation().row(0)) + vector(p.rotation().row(1)) + vector(p.rotation().row(2));
    }
    return rotation + ", " + vector(p.translation());
  };
  const Describe shape{number, vector};
  return std::string(name(scene.family)) + "\n  a: " + std::visit(shape, scene.a) + " at " + pose(scene.pose_a) +
         "\n  b: " + std::visit(shape, scene.b) + " at " + pose(scene.pose_b) + "\n";
}

}  // namespace whisker::test
