// contact_manifold: the points where two convex shapes touch.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <whisker/error.hpp>

#include "convex/convex_body.hpp"
#include "convex/flatness.hpp"
#include "convex/manifold_points.hpp"
#include "convex/simple_shape.hpp"
#include "geometry/unit_vector.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/table.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker {
namespace {

using convex::ManifoldInput;
using convex::SupportFace;

[[noreturn]] void refuse_manifold(const Placed& a, const Placed& b) {
  for (const Placed* const placed : {&a, &b}) {
    if (shapes::traits_of(placed->shape).is_convex) continue;
    throw Error("contact_manifold: a " + std::string(name(placed->shape.kind())) +
                " may touch in many places; contact_manifolds() finds them all");
  }
  throw Error("contact_manifold: a " + std::string(name(a.shape.kind())) + " and a " +
              std::string(name(b.shape.kind())) + " are both unbounded; one of the shapes must be bounded");
}

/// The rounding error of lengths in a placed shape.
double rounding_of(const Placed& placed) {
  if (placed.shape.is_unbounded()) return 0;
  const double size = convex::convex_body(placed.shape, placed.pose).size;
  return 0x1p-47 * (size + placed.pose.translation().stableNorm());
}

double largest(const SupportFace& face) {
  double result = std::max(face.radius, face.center.cwiseAbs().maxCoeff());
  for (std::uint32_t i = 0; i < face.count; ++i)
    result = std::max(result, face.corners[i].cwiseAbs().maxCoeff());
  return result;
}

/// Where the shapes are closest or deepest.
struct Meeting {
  Vector3 normal = Vector3::Zero();
  Vector3 point_a = Vector3::Zero();
  Vector3 point_b = Vector3::Zero();
};

/// Fills the manifold. `a` must be bounded.
void fill(const Placed& a, const Placed& b, const Meeting& meeting, double limit, double max_angle,
          ContactManifold& manifold) {
  ManifoldInput input;
  input.normal = meeting.normal;
  input.max_angle = max_angle;
  input.plane = b.shape.is_unbounded();
  // Halved before adding, since the sum may be out of range. The result is the same whichever shape comes first.
  const Vector3 origin = meeting.point_a / 2 + meeting.point_b / 2;
  if (input.plane) {
    const convex::SimpleShape plane = convex::place_simple(b.shape, b.pose);
    const Vector3 unit = geometry::unit_vector(plane.normal);
    const bool from_below = b.shape.as<Plane>() != nullptr && unit.dot(input.normal) > 0;
    const double side = from_below ? 1 : -1;
    input.normal = unit * side;
    input.height = side * (plane.offset / plane.normal.stableNorm() - unit.dot(origin - plane.pose.translation()));
  } else {
    input.b = convex::support_face(b, -input.normal, origin, max_angle);
  }
  input.a = convex::support_face(a, input.normal, origin, max_angle);
  input.witness_a = meeting.point_a - origin;
  input.witness_b = meeting.point_b - origin;
  input.limit = limit;

  const double size = std::max({largest(input.a), largest(input.b), input.witness_a.cwiseAbs().maxCoeff(),
                                input.witness_b.cwiseAbs().maxCoeff()});
  const double factor = size > 0 ? std::ldexp(1.0, -std::clamp(std::ilogb(size), -900, 900)) : 1;
  input.a.scale_by(factor);
  input.b.scale_by(factor);
  input.witness_a *= factor;
  input.witness_b *= factor;
  input.limit *= factor;
  input.height *= factor;

  convex::find_manifold_points(input, manifold);
  for (ManifoldPoint& p : std::span(manifold.storage).first(manifold.count)) {
    p.point_a = origin + p.point_a / factor;
    p.point_b = origin + p.point_b / factor;
    p.gap /= factor;
  }
}

/// A normal for shapes that meet without a direction, such as a point on a plane or two points in one place. Exchanging
/// the shapes gives the opposite normal, unless they are in the same place.
Vector3 any_normal(const Placed& a, const Placed& b) {
  if (a.shape.is_unbounded()) return geometry::unit_vector(convex::place_simple(a.shape, a.pose).normal);
  if (b.shape.is_unbounded()) return -geometry::unit_vector(convex::place_simple(b.shape, b.pose).normal);
  const Vector3 between = geometry::unit_vector(b.pose.translation() - a.pose.translation());
  return between.isZero(0) ? Vector3::UnitZ() : between;
}

}  // namespace

void queries::check_options(const ManifoldOptions& options) {
  if (!(options.margin >= 0) || !(options.margin <= max_coordinate))
    throw Error("contact_manifold: the margin must be a length from 0 to 1e90");
  if (!(options.max_angle >= 0 && options.max_angle <= 0.5))
    throw Error("contact_manifold: `max_angle` must be an angle in radians, from 0 to 0.5");
}

ContactManifold contact_manifold(const Placed& a, const Placed& b, const ManifoldOptions& options) {
  queries::check_options(options);
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.manifold == nullptr) refuse_manifold(a, b);
  return pair.manifold(a, b, options);
}

ContactManifold queries::manifold_convex(const Placed& a, const Placed& b, const ManifoldOptions& options) {
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  const double limit = options.margin + (rounding_of(a) + rounding_of(b));

  ContactManifold manifold;
  const Distance found = pair.signed_distance(a, b, {.cache = options.cache});
  manifold.cost = found.cost;
  manifold.lower = found.lower;
  manifold.upper = found.upper;
  if (found.lower > limit) return manifold;

  // Where the bounds are not exact, the points tell the direction better than the bounds do, unless the points are
  // close together.
  Meeting meeting{found.normal, found.point_a, found.point_b};
  if (found.lower > 0x1p-20 * (convex::reach_of(a.shape) + convex::reach_of(b.shape)))
    meeting.normal = geometry::unit_vector(found.point_b - found.point_a);
  if (meeting.normal.isZero(0)) meeting.normal = any_normal(a, b);

  if (!a.shape.is_unbounded()) {
    fill(a, b, meeting, limit, options.max_angle, manifold);
    return manifold;
  }
  fill(b, a, {-meeting.normal, meeting.point_b, meeting.point_a}, limit, options.max_angle, manifold);
  manifold.normal = -manifold.normal;
  for (ManifoldPoint& p : std::span(manifold.storage).first(manifold.count)) {
    std::swap(p.point_a, p.point_b);
    p.id = p.id << 32 | p.id >> 32;
  }
  return manifold;
}

}  // namespace whisker
