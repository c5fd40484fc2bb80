#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/mass.hpp>
#include <whisker/shape.hpp>

#include "geometry/double_double.hpp"
#include "geometry/interval_inline.hpp"
#include "geometry/ordered_sums.hpp"
#include "queries/general_mass.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/kind_traits.hpp"
#include "shapes/mass_arithmetic.hpp"
#include "shapes/mass_body.hpp"
#include "shapes/rounded_data.hpp"
#include "shapes/steiner.hpp"

namespace whisker {
namespace {

using shapes::diagonal;
using shapes::IntervalSum;
using shapes::MassBody;
using shapes::pi_interval;

/// Adds d dᵀ to a symmetric matrix.
void add_outer(IntervalMatrix3& a, const IntervalVector3& d) {
  for (std::size_t k = 0; k < 3; ++k) {
    a(k, k) += square(d[k]);
    for (std::size_t l = k + 1; l < 3; ++l)
      a(l, k) = a(k, l) += d[k] * d[l];
  }
}

/// R C Rᵀ, symmetric.
IntervalMatrix3 turned_covariance(const IntervalMatrix3& r, const IntervalMatrix3& c) {
  const IntervalMatrix3 half = r * c;
  IntervalMatrix3 result;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = k; l < 3; ++l)
      result(k, l) = result(l, k) = half(k, 0) * r(l, 0) + half(k, 1) * r(l, 1) + half(k, 2) * r(l, 2);
  return result;
}

/// The inertia tensor of a mass with these second moments.
IntervalMatrix3 inertia_of(const Interval& mass, const IntervalMatrix3& moments) {
  IntervalMatrix3 result;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t l = (k + 1) % 3;
    const std::size_t m = (k + 2) % 3;
    result(k, k) = mass * (moments(l, l) + moments(m, m));
    result(l, m) = result(m, l) = -(mass * moments(l, m));
  }
  return result;
}

/// One of several masses that become one, or the whole.
struct Mass {
  Interval weight;
  IntervalVector3 center;
  IntervalMatrix3 covariance;
};

Mass joined(std::span<const Mass> masses) {
  Mass whole;
  IntervalSum weights;
  for (const Mass& mass : masses)
    weights += mass.weight;
  whole.weight = weights.value();
  // In units of the whole: with the largest coordinates, volume times length exceeds a double.
  const Interval unit = std::ldexp(1.0, -std::clamp(std::ilogb(whole.weight.upper), -1000, 1000));
  const Interval all = whole.weight * unit;
  std::array<IntervalSum, 3> first;
  for (const Mass& mass : masses)
    for (std::size_t k = 0; k < 3; ++k)
      first[k] += mass.weight * unit * mass.center[k];
  for (std::size_t k = 0; k < 3; ++k)
    whole.center[k] = first[k].value() / all;
  std::array<IntervalSum, 9> second;
  for (const Mass& mass : masses) {
    IntervalMatrix3 about = mass.covariance;
    add_outer(about, mass.center - whole.center);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = k; l < 3; ++l)
        second[3 * k + l] += mass.weight * unit * about(k, l);
  }
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = k; l < 3; ++l)
      whole.covariance(k, l) = whole.covariance(l, k) = second[3 * k + l].value() / all;
  return whole;
}

/// place(pose, point) - origin, in double-double.
IntervalVector3 placed_from(const Vector3& origin, const Pose& pose, const Vector3& point) {
  const geometry::Vector3dd exact = geometry::turned(pose.rotation(), geometry::to_double_double(point)) +
                                    geometry::difference(pose.translation(), origin);
  // Three products, two sums and one more, of 2^-103 each. The last term covers underflow.
  const Vector3 size =
      pose.rotation().cwiseAbs() * point.cwiseAbs() + pose.translation().cwiseAbs() + origin.cwiseAbs();
  const auto component = [](const geometry::DoubleDouble& x, double largest) {
    return shapes::interval_of(x, 0x1p-99 * largest + 0x1p-1000);
  };
  return {component(exact.x, size[0]), component(exact.y, size[1]), component(exact.z, size[2])};
}

/// The bodies of compounds that were measured with the options of one call.
using Measured = std::map<const CompoundStorage*, MassBody>;

bool are_default(const MassOptions& options) {
  const MassOptions plain;
  return options.tolerance == plain.tolerance && options.max_steps == plain.max_steps;
}

/// The surface of a height field as a mesh of its triangles.
Mesh mesh_of_field(const HeightField& field) {
  MeshData data;
  for (std::size_t j = 0; j < field.rows(); ++j)
    for (std::size_t i = 0; i < field.columns(); ++i)
      data.vertices.push_back(field.vertex(i, j));
  const auto columns = static_cast<std::uint32_t>(field.columns()), rows = static_cast<std::uint32_t>(field.rows());
  for (std::uint32_t j = 0; j + 1 < rows; ++j) {
    for (std::uint32_t i = 0; i + 1 < columns; ++i) {
      const std::uint32_t p = j * columns + i, q = p + columns;
      data.triangles.push_back({p, p + 1, q + 1});
      data.triangles.push_back({p, q + 1, q});
    }
  }
  return Mesh(std::move(data));
}

/// The body of each kind, in the shape's frame. What follows from the volume is meaningless where that is 0.
struct BodyOf {
  const MassOptions& options;
  Measured& measured;

  [[noreturn]] static void refuse_surface() { throw Error("it has no inside, so a density gives it no mass"); }
  static Interval length_squared(double length) { return square(Interval(length)); }
  /// r² h, with no overflow or underflow on the way.
  static Interval round_volume(double radius, double length) {
    return pi_interval() * (Interval(radius) * Interval(length) * Interval(radius));
  }
  /// x y z, the same.
  static Interval product(const Vector3& v) {
    const auto [least, largest] = std::minmax({v[0], v[1], v[2]});
    const double middle = std::max(std::min(v[0], v[1]), std::min(std::max(v[0], v[1]), v[2]));
    return Interval(least) * Interval(largest) * Interval(middle);
  }

  MassBody operator()(const Sphere& s) const { return (*this)(Ellipsoid{Vector3::Constant(s.radius)}); }
  MassBody operator()(const Ellipsoid& s) const {
    const auto spread = [&](int k) { return length_squared(s.radii[k]) / 5; };
    return {.volume = 4 * pi_interval() * product(s.radii) / 3,
            .offset = {},
            .covariance = diagonal(spread(0), spread(1), spread(2))};
  }
  MassBody operator()(const Box& s) const {
    const auto spread = [&](int k) { return length_squared(s.size[k]) / 12; };
    return {.volume = product(s.size), .offset = {}, .covariance = diagonal(spread(0), spread(1), spread(2))};
  }
  MassBody operator()(const Cylinder& s) const {
    const Interval side = length_squared(s.radius) / 4;
    return {.volume = round_volume(s.radius, s.length),
            .offset = {},
            .covariance = diagonal(side, side, length_squared(s.length) / 12)};
  }
  MassBody operator()(const Cone& s) const {
    const Interval side = 3 * length_squared(s.radius) / 20;
    return {.volume = round_volume(s.radius, s.length) / 3,
            .offset = {0, 0, -(Interval(s.length) / 4)},
            .covariance = diagonal(side, side, 3 * length_squared(s.length) / 80)};
  }
  MassBody operator()(const Capsule& s) const {
    const MassBody ball = (*this)(Sphere{s.radius});
    const MassBody tube = (*this)(Cylinder{s.radius, s.length});
    const Interval r(s.radius), l(s.length);
    if (s.radius == 0) return ball;
    // The two half balls weigh 4 r, and the tube 3 l. A half ball's own center is 3/8 r from its flat side.
    const Interval half_balls = 4 * r;
    const Interval both = half_balls + 3 * l;
    const auto mean = [&](const Interval& of_balls, const Interval& of_tube) {
      return (half_balls * of_balls + 3 * l * of_tube) / both;
    };
    const Interval side = mean(ball.covariance(0, 0), tube.covariance(0, 0));
    const Interval along =
        mean(ball.covariance(2, 2) + length_squared(s.length) / 4 + 3 * r * l / 8, tube.covariance(2, 2));
    return {.volume = ball.volume + tube.volume, .offset = {}, .covariance = diagonal(side, side, along)};
  }

  MassBody operator()(const ConvexHull& s) const {
    if (s.dimension() < 3) return {};
    std::vector<Index3> triangles;
    for (std::size_t f = 0; f < s.face_count(); ++f) {
      const auto face = s.face(f);
      for (std::size_t i = 1; i + 1 < face.size(); ++i)
        triangles.push_back({face[0], face[i], face[i + 1]});
    }
    return shapes::polyhedron_body(s.vertices(), triangles, s.bounds());
  }
  MassBody operator()(const Mesh& s) const {
    if (!s.is_solid()) throw Error("it is a surface; use a solid, Mesh::solid()");
    return shapes::polyhedron_body(s.vertices(), s.triangles(), s.bounds());
  }
  MassBody operator()(const SphereBody& s) const { return (*this)(s.mesh()); }

  MassBody operator()(const SphereSet& s) const {
    // The radii in units of the largest, and all coordinates relative to the middle.
    const double largest = *std::max_element(s.radii().begin(), s.radii().end());
    if (largest == 0) return {};
    const int exponent = std::ilogb(largest);
    const Vector3 origin = s.bounds().lower / 2 + s.bounds().upper / 2;
    std::vector<Mass> balls;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const Interval radius = shapes::times_power(s.radii()[i], -exponent);
      const Interval spread = length_squared(s.radii()[i]) / 5;
      const Vector3 center(s.x()[i], s.y()[i], s.z()[i]);
      balls.push_back({square(radius) * radius, IntervalVector3(center) - origin, diagonal(spread, spread, spread)});
    }
    const Mass whole = joined(balls);
    return {.volume = shapes::times_power(4 * pi_interval() * whole.weight / 3, 3 * exponent),
            .origin = origin,
            .offset = whole.center,
            .covariance = whole.covariance};
  }
  MassBody operator()(const Compound& s) const;

  MassBody operator()(const CustomConvex& s) const { return queries::custom_convex_body(s, 0, options); }
  MassBody operator()(const RegisteredShape& s) const {
    if (!shapes::traits_of(s.kind()).is_bounded) throw Error("it is unbounded");
    const shapes::RoundedData* const data = shapes::rounded_data(s);
    if (data == nullptr) {
      if (const auto* own = dynamic_cast<const shapes::WithMass*>(&s.data())) return own->mass();
      throw Error("a kind that is not built in provides a volume and a centroid, but no inertia");
    }
    if (const auto body = shapes::rounded_body(data->inner, data->radius)) return *body;
    if (const auto* custom = data->inner.as<CustomConvex>())
      return queries::custom_convex_body(*custom, data->radius, options);
    if (const auto* mesh = data->inner.as<Mesh>()) return queries::rounded_mesh_body(*mesh, data->radius, options);
    if (const auto* field = data->inner.as<HeightField>())
      return queries::rounded_mesh_body(mesh_of_field(*field), data->radius, options);
    throw Error("there is no method for a rounded " + std::string(name(data->inner.kind())));
  }
  MassBody operator()(const HalfSpace&) const { throw Error("it is unbounded"); }
  MassBody operator()(const Plane&) const { refuse_surface(); }
  MassBody operator()(const Segment&) const { refuse_surface(); }
  MassBody operator()(const Triangle&) const { refuse_surface(); }
  MassBody operator()(const HeightField&) const { refuse_surface(); }
};

MassBody mass_body_of(const Shape& shape, const MassOptions& options, Measured& measured) {
  const MassBody body = shape.visit(BodyOf{options, measured});
  if (!body.is_nothing() && !(body.volume.lower > 0)) {
    throw Error(
        "its volume cannot be told from 0: it is flat, or too small for a double (use a smaller unit of length)");
  }
  return body;
}

MassBody BodyOf::operator()(const Compound& s) const {
  const CompoundStorage& storage = storage_of(s);
  const auto measure = [&] {
    std::vector<MassBody> bodies;
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < storage.parts.size(); ++i) {
      const auto& [shape, pose] = storage.parts[i];
      try {
        const MassBody body = mass_body_of(shape, options, measured);
        if (body.is_nothing()) continue;
        bodies.push_back(body);
        poses.push_back(pose);
      } catch (const Error& error) {
        throw Error("part " + std::to_string(i) + " (" + std::string(name(shape.kind())) + "): " + error.what());
      }
    }
    MassBody result;
    if (bodies.empty()) return result;
    const auto less = [](const MassBody& a, const MassBody& b) { return a.volume.upper < b.volume.upper; };
    const auto heaviest = std::max_element(bodies.begin(), bodies.end(), less) - bodies.begin();
    const auto first = static_cast<std::size_t>(heaviest);
    result.origin = place(poses[first], bodies[first].origin);
    std::vector<Mass> masses;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const IntervalMatrix3 rotation(poses[i].rotation());
      masses.push_back({bodies[i].volume,
                        placed_from(result.origin, poses[i], bodies[i].origin) + rotation * bodies[i].offset,
                        turned_covariance(rotation, bodies[i].covariance)});
    }
    const Mass whole = joined(masses);
    result.volume = whole.weight;
    result.offset = whole.center;
    result.covariance = whole.covariance;
    return result;
  };
  if (are_default(options)) return storage.mass.get(measure);
  const auto known = measured.find(&storage);
  if (known != measured.end()) return known->second;
  return measured[&storage] = measure();
}

void check_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(std::string("mass properties: the ") + what + " must be positive and finite, and is " +
                std::to_string(value));
  }
}

}  // namespace

MassProperties mass_properties(const Shape& shape, const MassOptions& options) {
  check_positive(options.tolerance, "tolerance");
  if (options.max_steps == 0) throw Error("mass properties: max_steps is 0; allow at least one");
  try {
    Measured measured;
    const MassBody body = mass_body_of(shape, options, measured);
    if (body.is_nothing()) throw Error("its volume is 0, so it has no mass");
    return {body.volume, body.volume, IntervalVector3(body.origin) + body.offset, body.covariance};
  } catch (const Error& error) {
    throw Error("mass properties (" + std::string(name(shape.kind())) + "): " + error.what());
  }
}

IntervalMatrix3 MassProperties::inertia() const {
  return inertia_of(mass, covariance);
}

IntervalMatrix3 MassProperties::inertia_about(const Vector3& point) const {
  IntervalMatrix3 moments = covariance;
  add_outer(moments, center - point);
  return inertia_of(mass, moments);
}

MassProperties MassProperties::with_density(double density) const {
  check_positive(density, "density");
  MassProperties result = *this;
  result.mass = density * volume;
  return result;
}

MassProperties MassProperties::with_mass(double new_mass) const {
  check_positive(new_mass, "mass");
  MassProperties result = *this;
  result.mass = new_mass;
  return result;
}

MassProperties MassProperties::placed(const Pose& pose) const {
  const IntervalMatrix3 rotation(pose.rotation());
  return {volume, mass, rotation * center + pose.translation(), turned_covariance(rotation, covariance)};
}

MassProperties combined(std::span<const MassProperties> bodies) {
  if (bodies.empty()) throw Error("combined: there is no body; give at least one");
  // Relative to a point near them.
  const Vector3 origin = middle(bodies[0].center);
  std::vector<Mass> masses;
  MassProperties result;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const MassProperties& body = bodies[i];
    if (!(body.mass.lower > 0)) throw Error("combined: the mass of body " + std::to_string(i) + " is not positive");
    result.volume += body.volume;
    masses.push_back({body.mass, body.center - origin, body.covariance});
  }
  const Mass whole = joined(masses);
  result.mass = whole.weight;
  result.center = whole.center + origin;
  result.covariance = whole.covariance;
  return result;
}

PrincipalAxes principal_axes(const MassProperties& body) {
  const Matrix3 tensor = middle(inertia_of(1, body.covariance));
  const double largest = tensor.cwiseAbs().maxCoeff();
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(largest > 0 ? Matrix3(tensor / largest) : tensor);
  Matrix3 axes = solver.eigenvectors();
  for (int i = 0; i < 2; ++i) {
    int main = 0;
    axes.col(i).cwiseAbs().maxCoeff(&main);
    if (axes(main, i) < 0) axes.col(i) *= -1;
  }
  axes.col(2) = axes.col(0).cross(axes.col(1));

  // The eigenvalues of RᵀCR differ from its diagonal, in order, by at most the norm of what is off the diagonal (Weyl),
  // and from those of C by factors between the least and the largest eigenvalue of RᵀR (Ostrowski).
  const IntervalMatrix3 back(Matrix3(axes.transpose()));
  const auto off_diagonal = [](const IntervalMatrix3& a) {
    Interval norm = 0;
    for (std::size_t k = 0; k < 3; ++k)
      norm = max(norm, abs(a(k, (k + 1) % 3)) + abs(a(k, (k + 2) % 3)));
    return norm.upper;
  };
  const IntervalMatrix3 turned = turned_covariance(back, body.covariance);
  const IntervalMatrix3 square = turned_covariance(back, IntervalMatrix3::identity());
  Interval scale = hull(hull(square(0, 0), square(1, 1)), square(2, 2));
  scale += Interval(-off_diagonal(square), off_diagonal(square));
  const double off = off_diagonal(turned);
  std::array<double, 3> lower, upper;
  for (std::size_t k = 0; k < 3; ++k) {
    const Interval spread = (turned(k, k) + Interval(-off, off)) / scale;
    lower[k] = spread.lower;
    upper[k] = spread.upper;
  }
  // The bounds of the largest, the middle and the least one.
  std::sort(lower.rbegin(), lower.rend());
  std::sort(upper.rbegin(), upper.rend());
  const auto moment = [&](std::size_t k, std::size_t l) {
    return body.mass * (Interval(lower[k], upper[k]) + Interval(lower[l], upper[l]));
  };
  return {{moment(1, 2), moment(0, 2), moment(0, 1)}, Pose(axes, middle(body.center))};
}

}  // namespace whisker
