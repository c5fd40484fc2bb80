#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/shape.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/raw_pose.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/kind_traits.hpp"
#include "shapes/rounded_data.hpp"
#include "shapes/scaled_direction.hpp"

namespace whisker {
namespace {

void check_length(double length, const char* what) {
  if (!std::isfinite(length)) throw Error(std::string(what) + " is NaN or infinite; it must be a finite length");
  if (length < 0) throw Error(std::string(what) + " is negative; it must be 0 or larger");
  if (length > max_coordinate) throw Error(std::string(what) + " is beyond 1e90; use another unit of length");
}

void check_lengths(const Vector3& lengths, const char* what) {
  for (const double length : lengths)
    check_length(length, what);
}

void check_point(const Vector3& point, const char* what) {
  if (!point.allFinite()) throw Error(std::string(what) + " has a coordinate that is NaN or infinite");
  if (point.cwiseAbs().maxCoeff() > max_coordinate) {
    throw Error(std::string(what) + " has a coordinate beyond 1e90; use another unit of length");
  }
}

void check_plane(const Vector3& normal, double offset, const char* normal_name, const char* offset_name) {
  check_point(normal, normal_name);
  if (normal.isZero(0)) throw Error(std::string(normal_name) + " is zero; it must be a direction");
  // The offset is in units of the normal's length. What matters is the plane's distance from the origin.
  check_length(std::abs(offset) / normal.cwiseAbs().maxCoeff(), offset_name);
}

Vector3 unit_or(const Vector3& direction, const Vector3& otherwise) {
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return otherwise;
  return (direction / largest).normalized();
}

Vector3 support_of(const Sphere& s, const Vector3& d) {
  return s.radius * unit_or(d, Vector3::UnitZ());
}

Vector3 support_of(const Capsule& s, const Vector3& d) {
  return Vector3(0, 0, std::copysign(s.length / 2, d[2])) + s.radius * unit_or(d, Vector3::UnitZ());
}

Vector3 support_of(const Box& s, const Vector3& d) {
  return {std::copysign(s.size[0] / 2, d[0]), std::copysign(s.size[1] / 2, d[1]), std::copysign(s.size[2] / 2, d[2])};
}

Vector3 support_of(const Segment& s, const Vector3& d) {
  return scaled_direction(d).dot(s.b - s.a) > 0 ? s.b : s.a;
}

Vector3 support_of(const Triangle& s, const Vector3& d) {
  const Vector3 u = scaled_direction(d);
  const double b = u.dot(s.b - s.a);
  const double c = u.dot(s.c - s.a);
  if (b <= 0 && c <= 0) return s.a;
  return b >= c ? s.b : s.c;
}

Vector3 rim(double radius, double z, const Vector3& d) {
  const Vector3 outward = unit_or(Vector3(d[0], d[1], 0), Vector3::UnitX());
  return {radius * outward[0], radius * outward[1], z};
}

Vector3 support_of(const Cylinder& s, const Vector3& d) {
  return rim(s.radius, std::copysign(s.length / 2, d[2]), d);
}

Vector3 support_of(const Cone& s, const Vector3& d) {
  const Vector3 u = unit_or(d, Vector3::UnitZ());
  const Vector3 apex(0, 0, s.length / 2);
  const Vector3 base = rim(s.radius, -s.length / 2, u);
  return u.dot(apex) >= u.dot(base) ? apex : base;
}

Vector3 support_of(const Ellipsoid& s, const Vector3& d) {
  // The gradient of the ellipsoid's equation is parallel to d at the support point: x = A²d / |A d|, A = diag(radii).
  const double largest = s.radii.maxCoeff();
  if (!(largest > 0)) return Vector3::Zero();
  const Vector3 scaled = (s.radii / largest).cwiseProduct(unit_or(d, Vector3::UnitZ()));
  const double norm = scaled.norm();
  if (!(norm > 0)) return Vector3::Zero();
  return s.radii.cwiseProduct(scaled) / norm;
}

Vector3 support_of(const ConvexHull& s, const Vector3& d) {
  return s.vertices()[s.support(d)];
}
Vector3 support_of(const CustomConvex& s, const Vector3& d) {
  return s.support(d.isZero(0) ? Vector3(Vector3::UnitZ()) : d);
}

template <class T>
constexpr bool supported = requires(const T& shape, const Vector3& d) {
  support_of(shape, d);
};

Aabb box_of_half(const Vector3& half) {
  return {-half, half};
}

// All y with normal·(y - at) <= offset: bounded only if the normal is exactly along an axis, and then on its side.
Aabb box_below(const Vector3& normal, double offset, const Vector3& at) {
  Aabb box = box_of_half(Vector3::Constant(infinity));
  for (int axis = 0; axis < 3; ++axis) {
    if (normal[(axis + 1) % 3] != 0 || normal[(axis + 2) % 3] != 0) continue;
    const double reach = offset / normal[axis];
    // Covers two roundings with four half-ulps of each term.
    const double slack = 4 * 0x1p-53 * (std::abs(reach) + std::abs(at[axis])) + std::numeric_limits<double>::min();
    if (normal[axis] > 0) {
      box.upper[axis] = at[axis] + reach + slack;
    } else {
      box.lower[axis] = at[axis] + reach - slack;
    }
  }
  return box;
}

Aabb box_on(const Vector3& normal, double offset, const Vector3& at) {
  const Aabb below = box_below(normal, offset, at);
  const Aabb above = box_below(-normal, -offset, at);
  return {below.lower.cwiseMax(above.lower), below.upper.cwiseMin(above.upper)};
}

struct LocalBounds {
  Aabb operator()(const Sphere& s) const { return box_of_half(Vector3::Constant(s.radius)); }
  Aabb operator()(const Capsule& s) const {
    return box_of_half({s.radius, s.radius, std::nextafter(s.length / 2 + s.radius, infinity)});
  }
  Aabb operator()(const Box& s) const { return box_of_half(s.size / 2); }
  Aabb operator()(const HalfSpace& s) const { return box_below(s.normal, s.offset, Vector3::Zero()); }
  Aabb operator()(const Plane& s) const { return box_on(s.normal, s.offset, Vector3::Zero()); }
  Aabb operator()(const Segment& s) const { return {s.a.cwiseMin(s.b), s.a.cwiseMax(s.b)}; }
  Aabb operator()(const Triangle& s) const { return geometry::triangle_bounds(s); }
  Aabb operator()(const Cylinder& s) const { return box_of_half({s.radius, s.radius, s.length / 2}); }
  Aabb operator()(const Cone& s) const { return box_of_half({s.radius, s.radius, s.length / 2}); }
  Aabb operator()(const Ellipsoid& s) const { return box_of_half(s.radii); }
  Aabb operator()(const SphereBody& s) const { return s.mesh().bounds(); }
  Aabb operator()(const RegisteredShape& s) const { return s.data().bounds(Pose()); }
  template <class T>
  Aabb operator()(const T& s) const {
    return s.bounds();
  }
};

struct PlacedBounds {
  const Pose& pose;

  // A placed sphere or capsule keeps its radius, whatever the rotation does to lengths.
  Aabb operator()(const Sphere& s) const { return (*this)(Capsule{s.radius, 0}); }
  Aabb operator()(const Capsule& s) const {
    Aabb box;
    for (int i = 0; i < 3; ++i) {
      const double reach = std::abs(pose.rotation()(i, 2)) * (s.length / 2) + s.radius;
      // Covers three roundings with eight half-ulps of each term.
      const double slack = 8 * 0x1p-53 * (reach + std::abs(pose.translation()[i])) + std::numeric_limits<double>::min();
      box.lower[i] = pose.translation()[i] - reach - slack;
      box.upper[i] = pose.translation()[i] + reach + slack;
    }
    return box;
  }
  Aabb operator()(const HalfSpace& s) const {
    return box_below(geometry::placed_direction(pose, s.normal), s.offset, pose.translation());
  }
  Aabb operator()(const Plane& s) const {
    return box_on(geometry::placed_direction(pose, s.normal), s.offset, pose.translation());
  }
  Aabb operator()(const Segment& s) const {
    return LocalBounds{}(Segment{geometry::placed_point(pose, s.a), geometry::placed_point(pose, s.b)});
  }
  Aabb operator()(const Triangle& s) const { return LocalBounds{}(geometry::placed_triangle(pose, s)); }
  // Ball i is a sphere at place(pose, center i).
  Aabb operator()(const SphereSet& s) const {
    Aabb box;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const Pose at = geometry::raw_pose(place(pose, Vector3(s.x()[i], s.y()[i], s.z()[i])));
      box.include(PlacedBounds{at}(Sphere{s.radii()[i]}));
    }
    return box;
  }
  Aabb operator()(const SphereBody& s) const { return (*this)(s.mesh()); }
  Aabb operator()(const RegisteredShape& s) const { return s.data().bounds(pose); }
  Aabb operator()(const Compound& s) const {
    const CompoundStorage& storage = storage_of(s);
    Aabb box;
    if (storage.part_count <= max_single_parts) {
      for (const CompoundPart& part : storage.parts)
        box.include(part.shape.bounds(compose(pose, part.pose)));
      return box;
    }
    // The box around the compound's own box is less tight, but does not visit the parts. Parts are placed with one pose
    // composed of several, which is off by some roundings of all lengths involved. Also, balls do not shrink with a
    // rotation that is off by its tolerance, but the box does.
    box = geometry::placed_box(storage.bounds, pose);
    const double off = 4 * Pose::rotation_tolerance * storage.reach +
                       0x1p-46 * (storage.reach + pose.translation().cwiseAbs().maxCoeff());
    box.lower.array() -= off;
    box.upper.array() += off;
    return box;
  }
  template <class T>
  Aabb operator()(const T& s) const {
    const Aabb local = LocalBounds{}(s);
    if constexpr (supported<T> && !std::is_same_v<T, Box> && !std::is_same_v<T, CustomConvex>) {
      return geometry::placed_box(local, pose, [&](const Vector3& d, int) { return support_of(s, d); });
    } else {
      return geometry::placed_box(local, pose);
    }
  }
};

struct Volume {
  double operator()(const Sphere& s) const { return 4.0 / 3 * std::numbers::pi * s.radius * s.radius * s.radius; }
  double operator()(const Capsule& s) const {
    return (*this)(Sphere{s.radius}) + (*this)(Cylinder{s.radius, s.length});
  }
  double operator()(const Box& s) const { return s.size.prod(); }
  double operator()(const HalfSpace&) const { return infinity; }
  double operator()(const Cylinder& s) const { return std::numbers::pi * s.radius * s.radius * s.length; }
  double operator()(const Cone& s) const { return std::numbers::pi * s.radius * s.radius * s.length / 3; }
  double operator()(const Ellipsoid& s) const { return 4.0 / 3 * std::numbers::pi * s.radii.prod(); }
  double operator()(const CustomConvex&) const {
    throw Error("volume: only the support function of a custom shape is known, not its volume");
  }
  double operator()(const SphereSet& s) const {
    double sum = 0;
    for (const double radius : s.radii())
      sum += (*this)(Sphere{radius});
    return sum;
  }
  double operator()(const SphereBody& s) const { return s.mesh().volume(); }
  double operator()(const RegisteredShape& s) const { return s.data().volume(); }
  template <class T>
  double operator()(const T& s) const {
    if constexpr (requires { s.volume(); }) {
      return s.volume();
    } else {
      return 0;  // a line or a surface
    }
  }
};

struct Centroid {
  Vector3 operator()(const HalfSpace&) const { throw Error("centroid: a half-space has no centroid"); }
  Vector3 operator()(const Plane&) const { throw Error("centroid: a plane has no centroid"); }
  Vector3 operator()(const CustomConvex&) const {
    throw Error("centroid: only the support function of a custom shape is known, not its centroid");
  }
  Vector3 operator()(const Segment& s) const { return s.a / 2 + s.b / 2; }
  Vector3 operator()(const Triangle& s) const { return s.a / 3 + s.b / 3 + s.c / 3; }
  Vector3 operator()(const Cone& s) const { return {0, 0, -s.length / 4}; }
  Vector3 operator()(const HeightField& s) const {
    // In units of the field's size, so that nothing overflows or underflows.
    const Vector3 origin = s.bounds().lower / 2 + s.bounds().upper / 2;
    const double size = (s.bounds().upper - s.bounds().lower).maxCoeff();
    Vector3 moment = Vector3::Zero();
    double area = 0;
    for (std::size_t i = 0; i < s.triangle_count(); ++i) {
      const Triangle t = s.triangle(i);
      const Vector3 a = (t.a - origin) / size;
      const Vector3 b = (t.b - origin) / size;
      const Vector3 c = (t.c - origin) / size;
      const double share = (b - a).cross(c - a).norm() / 2;
      moment += share * (a + b + c) / 3;
      area += share;
    }
    return area > 0 ? Vector3(origin + moment / area * size) : origin;
  }
  Vector3 operator()(const SphereSet& s) const {
    // Weights relative to the largest ball, so that none overflows. Points weigh the same as each other.
    const double largest = *std::max_element(s.radii().begin(), s.radii().end());
    Vector3 moment = Vector3::Zero();
    double sum = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double radius = largest > 0 ? s.radii()[i] / largest : 1;
      const double weight = radius * radius * radius;
      sum += weight;
      moment += (Vector3(s.x()[i], s.y()[i], s.z()[i]) - moment) * (weight / sum);
    }
    return moment;
  }
  Vector3 operator()(const SphereBody& s) const { return s.mesh().centroid(); }
  Vector3 operator()(const RegisteredShape& s) const { return s.data().centroid(); }
  template <class T>
  Vector3 operator()(const T& s) const {
    if constexpr (requires { s.centroid(); }) {
      return s.centroid();
    } else {
      return Vector3::Zero();  // symmetric about the origin of its frame
    }
  }
};

}  // namespace

namespace shapes {

constinit std::array<KindTraits, max_kinds> all_traits = known_traits;

std::size_t kind_count() {
  std::size_t count = known_kinds;
  while (count < max_kinds && !all_traits[count].name.empty())
    ++count;
  return count;
}

ShapeKind register_kind(const KindTraits& traits) {
  const std::size_t kind = kind_count();
  if (kind == max_kinds) throw Error("register_kind: there are already " + std::to_string(max_kinds) + " kinds");
  if (traits.name.empty()) throw Error("register_kind: the kind has no name");
  all_traits[kind] = traits;
  return static_cast<ShapeKind>(kind);
}

}  // namespace shapes

std::string_view name(ShapeKind kind) {
  return shapes::traits_of(kind).name;
}

Shape::Shape(const Sphere& shape) : data_(shape) {
  check_length(shape.radius, "sphere: radius");
}

Shape::Shape(const Capsule& shape) : data_(shape) {
  check_length(shape.radius, "capsule: radius");
  check_length(shape.length, "capsule: length");
}

Shape::Shape(const Box& shape) : data_(shape) {
  check_lengths(shape.size, "box: size");
}

Shape::Shape(const HalfSpace& shape) : data_(shape) {
  check_plane(shape.normal, shape.offset, "half-space: normal", "half-space: offset / |normal|");
}

Shape::Shape(const Plane& shape) : data_(shape) {
  check_plane(shape.normal, shape.offset, "plane: normal", "plane: offset / |normal|");
}

Shape::Shape(const Segment& shape) : data_(shape) {
  check_point(shape.a, "segment: a");
  check_point(shape.b, "segment: b");
}

Shape::Shape(const Triangle& shape) : data_(shape) {
  check_point(shape.a, "triangle: a");
  check_point(shape.b, "triangle: b");
  check_point(shape.c, "triangle: c");
}

Shape::Shape(const Cylinder& shape) : data_(shape) {
  check_length(shape.radius, "cylinder: radius");
  check_length(shape.length, "cylinder: length");
}

Shape::Shape(const Cone& shape) : data_(shape) {
  check_length(shape.radius, "cone: radius");
  check_length(shape.length, "cone: length");
}

Shape::Shape(const Ellipsoid& shape) : data_(shape) {
  check_lengths(shape.radii, "ellipsoid: radii");
}

bool Shape::is_unbounded() const noexcept {
  if (const auto* compound = as<Compound>()) {
    try {
      return storage_of(*compound).is_unbounded;
    } catch (const Error&) {
      return false;  // it was moved from
    }
  }
  return !shapes::traits_of(kind()).is_bounded;
}

bool Shape::has_support() const noexcept {
  if (kind() == shapes::rounded_convex) return true;
  return std::visit([]<class T>(const T&) { return supported<T>; }, data_);
}

Aabb Shape::bounds() const {
  return std::visit(LocalBounds{}, data_);
}
Aabb Shape::bounds(const Pose& pose) const {
  return std::visit(PlacedBounds{pose}, data_);
}
double Shape::volume() const {
  return std::visit(Volume{}, data_);
}
Vector3 Shape::centroid() const {
  return std::visit(Centroid{}, data_);
}

Vector3 Shape::support(const Vector3& direction) const {
  return std::visit(
      [&]<class T>(const T& shape) -> Vector3 {
        if constexpr (supported<T>) {
          return support_of(shape, direction);
        } else {
          if constexpr (std::is_same_v<T, RegisteredShape>) {
            const shapes::RoundedData* const data = shapes::rounded_data(shape);
            if (kind() == shapes::rounded_convex)
              return data->inner.support(direction) + data->radius * unit_or(direction, Vector3::UnitZ());
          }
          throw Error("support: a " + std::string(name(kind())) + " has no support mapping");
        }
      },
      data_);
}

}  // namespace whisker
