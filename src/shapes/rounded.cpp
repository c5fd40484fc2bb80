#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/make/rounded.hpp>

#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "shapes/rounded_data.hpp"
#include "shapes/steiner.hpp"

namespace whisker {
namespace {

/// A sum of sizes, and the center of what has them. Sizes are never squared with lengths, so that nothing overflows.
struct Weighted {
  double size = 0;
  Vector3 center = Vector3::Zero();

  void add(double part, const Vector3& at) {
    size += part;
    if (size > 0) center += (at - center) * (part / size);
  }
};

/// What Steiner's formula for the volume of a convex body K with a radius r around it needs:
///   V(K) + r S(K) + r² M(K) + r³ 4π/3,
/// with S the surface and M the integral of the mean curvature (J. Steiner 1840). The centroid follows from the same
/// formula with each term at its own center, because the integrals of the normal, and of the normal times a curvature,
/// over a closed surface are zero.
struct Steiner {
  Weighted volume;
  Weighted surface;
  Weighted mean_curvature;
  Weighted solid_angle;  // 4π in all

  Weighted around(double r) const {
    Weighted sum;
    sum.add(volume.size, volume.center);
    sum.add(r * surface.size, surface.center);
    sum.add(r * r * mean_curvature.size, mean_curvature.center);
    sum.add(r * r * r * (solid_angle.size / 3), solid_angle.center);
    return sum;
  }
};

double angle_between(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).stableNorm(), a.dot(b));
}

struct SteinerOf {
  static constexpr double pi = std::numbers::pi;

  Steiner operator()(const Segment& s) const {
    Steiner sum;
    sum.mean_curvature.add(pi * (s.b - s.a).stableNorm(), s.a / 2 + s.b / 2);
    sum.solid_angle.add(2 * pi, s.a);
    sum.solid_angle.add(2 * pi, s.b);
    return sum;
  }
  Steiner operator()(const Triangle& s) const {
    Steiner sum;
    sum.surface.add((s.b - s.a).cross(s.c - s.a).stableNorm(), s.a / 3 + s.b / 3 + s.c / 3);
    const Vector3 corners[] = {s.a, s.b, s.c};
    for (int i = 0; i < 3; ++i) {
      const Vector3 &p = corners[i], &q = corners[(i + 1) % 3], &o = corners[(i + 2) % 3];
      sum.mean_curvature.add(pi / 2 * (q - p).stableNorm(), p / 2 + q / 2);
      // Corners that coincide share their angle, so that all angles sum up to half a turn.
      const bool is_q = q == p, is_o = o == p;
      const double angle = is_q && is_o ? pi / 3 : is_q || is_o ? pi / 2 : angle_between(q - p, o - p);
      sum.solid_angle.add(2 * (pi - angle), p);
    }
    return sum;
  }
  Steiner operator()(const Box& s) const {
    const double x = s.size[0], y = s.size[1], z = s.size[2];
    Steiner sum;
    sum.volume.add(x * y * z, Vector3::Zero());
    sum.surface.add(2 * (x * y + y * z + z * x), Vector3::Zero());
    sum.mean_curvature.add(pi * (x + y + z), Vector3::Zero());
    sum.solid_angle.add(4 * pi, Vector3::Zero());
    return sum;
  }
  Steiner operator()(const Cylinder& s) const {
    Steiner sum;
    sum.volume.add(pi * s.radius * s.radius * s.length, Vector3::Zero());
    sum.surface.add(2 * pi * s.radius * (s.radius + s.length), Vector3::Zero());
    sum.mean_curvature.add(pi * (s.length + pi * s.radius), Vector3::Zero());
    sum.solid_angle.add(4 * pi, Vector3::Zero());
    return sum;
  }
  Steiner operator()(const Cone& s) const {
    const auto at = [&](double share) { return Vector3(0, 0, share * s.length); };
    const double slant = std::hypot(s.radius, s.length);
    const double opening = std::atan2(s.radius, s.length);  // between the axis and the side
    Steiner sum;
    sum.volume.add(pi * s.radius * s.radius * s.length / 3, at(-0.25));
    sum.surface.add(pi * s.radius * s.radius, at(-0.5));
    sum.surface.add(pi * s.radius * slant, at(-1.0 / 6));
    sum.mean_curvature.add(pi * s.length, at(0));
    sum.mean_curvature.add(pi * s.radius * (pi / 2 + opening), at(-0.5));
    sum.solid_angle.add(2 * pi * (1 - std::sin(opening)), at(0.5));
    sum.solid_angle.add(2 * pi * (1 + std::sin(opening)), at(-0.5));
    return sum;
  }
  Steiner operator()(const ConvexHull& hull) const {
    const auto v = hull.vertices();
    Steiner sum;
    if (hull.dimension() == 0) {
      sum.solid_angle.add(4 * pi, v[0]);
      return sum;
    }
    if (hull.dimension() == 1) return (*this)(Segment{v[0], v[1]});
    sum.volume.add(hull.volume(), hull.centroid());
    std::vector<double> angle(v.size(), 0.0);  // of all faces at a vertex
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
      const auto corners = hull.face(f);
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const Vector3& p = v[corners[i]];
        const Vector3 &before = v[corners[(i + corners.size() - 1) % corners.size()]],
                      &after = v[corners[(i + 1) % corners.size()]];
        angle[corners[i]] += angle_between(before - p, after - p);
        if (i < 2) continue;
        const Vector3 &a = v[corners[0]], &b = v[corners[i - 1]];
        sum.surface.add((b - a).cross(p - a).stableNorm() / 2, a / 3 + b / 3 + p / 3);
      }
    }
    for (const HullEdge& edge : hull.edges()) {
      const Vector3 &p = v[edge.begin], &q = v[edge.end];
      const double turned = angle_between(hull.planes()[edge.left].normal, hull.planes()[edge.right].normal);
      sum.mean_curvature.add(turned / 2 * (q - p).stableNorm(), p / 2 + q / 2);
    }
    for (std::size_t i = 0; i < v.size(); ++i)
      sum.solid_angle.add(std::max(0.0, 2 * pi - angle[i]), v[i]);
    return sum;
  }
};

template <class T>
constexpr bool has_steiner = requires(const T& shape) {
  SteinerOf{}(shape);
};

Weighted size_around(const char* question, const shapes::RoundedData& data) {
  return data.inner.visit([&]<class T>(const T& shape) -> Weighted {
    if constexpr (has_steiner<T>) {
      return SteinerOf{}(shape).around(data.radius);
    } else {
      throw Error(std::string(question) + ": that of a rounded " + std::string(name(data.inner.kind())) +
                  " has no closed form; use mass_properties (mass.hpp), which has bounds");
    }
  });
}

void check_radius(double radius) {
  if (!std::isfinite(radius)) throw Error("rounded: the radius is NaN or infinite; it must be a finite length");
  if (radius < 0) throw Error("rounded: the radius is negative; it must be 0 or larger");
  if (radius > max_coordinate) throw Error("rounded: the radius is beyond 1e90; use another unit of length");
}

/// The kinds that become a shape of another kind.
struct Rounded {
  const Shape& whole;
  double radius;

  Shape operator()(const Sphere& s) const { return Sphere{s.radius + radius}; }
  Shape operator()(const Capsule& s) const { return Capsule{s.radius + radius, s.length}; }
  Shape operator()(const HalfSpace& s) const { return HalfSpace{s.normal, s.offset + radius * s.normal.stableNorm()}; }
  Shape operator()(const SphereSet& s) const {
    std::vector<Vector3> centers;
    std::vector<double> radii;
    for (std::size_t i = 0; i < s.size(); ++i) {
      centers.push_back(s.center(i));
      radii.push_back(s.radius(i) + radius);
    }
    return SphereSet(centers, radii);
  }
  Shape operator()(const SphereBody& s) const { return rounded(s.mesh(), radius); }
  Shape operator()(const Compound& s) const {
    std::vector<CompoundPart> parts;
    for (const CompoundPart& part : s.parts())
      parts.push_back({rounded(part.shape, radius), part.pose});
    return Compound(std::move(parts));
  }
  Shape operator()(const RegisteredShape& s) const {
    const shapes::RoundedData* const data = shapes::rounded_data(s);
    if (data == nullptr) return made(whole, radius);
    check_radius(data->radius + radius);
    return made(data->inner, data->radius + radius);
  }
  template <class Other>
  Shape operator()(const Other&) const {
    return made(whole, radius);
  }

  static Shape made(const Shape& inner, double around) {
    return RegisteredShape(kind_of(inner), std::make_shared<shapes::RoundedData>(inner, around));
  }
  static ShapeKind kind_of(const Shape& inner) {
    if (shapes::is_bounded_convex(shapes::traits_of(inner))) return shapes::rounded_convex;
    if (inner.as<Plane>() != nullptr) return shapes::rounded_plane;
    return shapes::ground_surface(inner) != nullptr ? shapes::rounded_ground : shapes::rounded_surface;
  }
};

}  // namespace

Aabb shapes::RoundedData::bounds(const Pose& pose) const {
  Aabb box = inner.bounds(pose);
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = geometry::add_down(box.lower[i], -radius);
    box.upper[i] = geometry::add_up(box.upper[i], radius);
  }
  return box;
}

double shapes::RoundedData::volume() const {
  if (inner.is_unbounded()) return infinity;
  if (const auto* ellipsoid = inner.as<Ellipsoid>()) return middle(rounded_ellipsoid(*ellipsoid, radius).volume);
  return size_around("volume", *this).size;
}

Vector3 shapes::RoundedData::centroid() const {
  if (inner.as<Ellipsoid>() != nullptr) return Vector3::Zero();
  if (inner.is_unbounded())
    throw Error("centroid: a " + std::string(name(inner.kind())) + " with a radius is unbounded");
  return size_around("centroid", *this).center;
}

Shape rounded(const Shape& shape, double radius) {
  check_radius(radius);
  if (radius == 0) return shape;
  return shape.visit(Rounded{shape, radius});
}

std::optional<Rounding> unrounded(const Shape& shape) {
  const shapes::RoundedData* const data = shapes::rounded_data(shape);
  if (data == nullptr) return {};
  return Rounding{data->inner, data->radius};
}

}  // namespace whisker
