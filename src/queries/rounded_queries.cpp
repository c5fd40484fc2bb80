#include "queries/rounded_queries.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "convex/simple_shape.hpp"
#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/results.hpp"
#include "queries/pair_rows.hpp"
#include "queries/table.hpp"
#include "queries/way_out.hpp"
#include "queries/witness.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::queries {
namespace {

using geometry::add_down;
using geometry::add_up;

double radius_of(const Shape& shape) {
  const shapes::RoundedData* const data = shapes::rounded_data(shape);
  return data != nullptr ? data->radius : 0;
}

bool has_triangles(const Shape& shape) {
  return shape.as<Mesh>() != nullptr || shapes::field_of(shape) != nullptr;
}

/// Two placed shapes without their radii.
struct InnerPair {
  Placed a, b;
  double radius_a, radius_b;
  double lower, upper;  // bounds on the sum of the radii, equal if it is a double
  const PairAlgorithms& rows;

  InnerPair(const Placed& whole_a, const Placed& whole_b)
      : a(shapes::without_radius(whole_a.shape), whole_a.pose),
        b(shapes::without_radius(whole_b.shape), whole_b.pose),
        radius_a(radius_of(whole_a.shape)),
        radius_b(radius_of(whole_b.shape)),
        lower(add_down(radius_a, radius_b)),
        upper(add_up(radius_a, radius_b)),
        rows(algorithms(a.shape, b.shape)) {}

  /// Where a common point of the rounded shapes is, on the way from a to b.
  double share() const { return radius_a / (radius_a + radius_b); }

  /// The options for the inner shapes' distance.
  DistanceOptions without_radii(const DistanceOptions& options) const {
    DistanceOptions inner = options;
    inner.upper_bound = add_up(options.upper_bound, upper);
    inner.close_enough = add_down(std::max(options.close_enough, 0.0), lower);
    return inner;
  }
  /// Turns the distance of the inner shapes into that of the rounded ones.
  void add_radii(Distance& result) const {
    result.lower = std::max(0.0, add_down(result.lower, -upper));
    if (result.upper == infinity) return;
    result.upper = std::max(0.0, add_up(result.upper, -lower));
    const Vector3 between = result.point_b - result.point_a;
    if (!(result.upper > 0)) {
      result.point_a = result.point_b = result.point_a + between * share();
      result.stop = Stop::exact;
    } else {
      const Vector3 way = between.isZero(0) ? result.normal : geometry::unit_vector(between);
      result.point_a += way * radius_a;
      result.point_b -= way * radius_b;
    }
    if (!(result.lower > 0)) result.normal = Vector3::Zero();
  }
};

/// What some triangles that touch tell about the depth of shapes, of which one has no inside.
struct TouchingTriangles {
  Depth deepest;                    // of one triangle and a convex shape
  std::vector<Vector3> directions;  // the triangles' normals

  explicit TouchingTriangles(const InnerPair& pair) {
    constexpr std::size_t max_contacts = 16;
    if (pair.rows.contacts == nullptr) return;
    Contacts touching;
    pair.rows.contacts(pair.a, pair.b, {.max_count = max_contacts, .segments = false}, touching);
    for (const Contact& contact : touching.pairs) {
      if (contact.a.kind == FeatureKind::triangle) {
        const Shape triangle = face(pair.a, contact.a);
        if (shapes::traits_of(pair.b.shape).is_convex) take(triangle, pair.b);
      }
      if (contact.b.kind == FeatureKind::triangle) {
        const Shape triangle = face(pair.b, contact.b);
        if (shapes::traits_of(pair.a.shape).is_convex) take(pair.a, triangle);
      }
    }
  }

 private:
  Triangle face(const Placed& placed, const Feature& feature) {
    const Triangle t = triangle_of(placed, feature);
    const Vector3 normal = geometry::unit_normal(t.a, t.b, t.c);
    if (!normal.isZero(0)) directions.insert(directions.end(), {normal, -normal});
    return t;
  }
  void take(const Placed& a, const Placed& b) {
    const Depth found = algorithms(a.shape, b.shape).depth(a, b, {});
    const Cost cost = deepest.cost;
    if (found.lower > deepest.lower) deepest = found;
    deepest.cost = cost;
    deepest.cost += found.cost;
  }
};

/// The depth of a plane and a convex shape, of which at least one is rounded: the sum of the radii less their distance,
/// or plus the depth of the shapes without radii.
Depth slab_depth(const InnerPair& pair, const DepthOptions& options) {
  const Distance apart = pair.rows.distance(pair.a, pair.b, {});
  Depth result;
  result.cost = apart.cost;
  if (apart.lower >= pair.upper) return result;
  result.lower = std::max(0.0, add_down(pair.lower, -apart.upper));
  result.upper = add_up(pair.upper, -apart.lower);
  result.normal = apart.normal;
  result.point_a = apart.point_a;
  result.point_b = apart.point_b;
  if (!(apart.lower > 0)) {
    const Depth inner = pair.rows.depth(pair.a, pair.b, options);
    result.cost += inner.cost;
    if (inner.upper == infinity) return inner;
    if (inner.lower > 0) result.lower = add_down(inner.lower, pair.lower);
    result.upper = add_up(inner.upper, pair.upper);
    result.normal = inner.normal;
    if (inner.upper > 0) {
      result.point_a = inner.point_a;
      result.point_b = inner.point_b;
    } else {
      // They touch, and the other shape is on one side of the plane.
      const bool is_plane_a = pair.a.shape.as<Plane>() != nullptr;
      const Placed &plane = is_plane_a ? pair.a : pair.b, &other = is_plane_a ? pair.b : pair.a;
      const convex::SimpleShape flat = convex::place_simple(plane.shape, plane.pose);
      const Vector3 normal = geometry::unit_vector(flat.normal);
      if (other.shape.is_unbounded()) {
        result.normal = normal;
      } else {
        const Aabb box = other.shape.bounds(other.pose);
        const Vector3 middle = box.lower / 2 + box.upper / 2;
        result.normal = (middle - result.point_a).dot(normal) < 0 ? Vector3(-normal) : normal;
        if (!is_plane_a) result.normal = -result.normal;
      }
    }
  }
  result.point_a += result.normal * pair.radius_a;
  result.point_b -= result.normal * pair.radius_b;
  return result;
}

}  // namespace

bool RoundedAny::touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
  const InnerPair pair(a, b);
  if (pair.rows.distance == nullptr) refuse("touches", pair.a, pair.b);
  const Distance found =
      pair.rows.distance(pair.a, pair.b, {.upper_bound = pair.upper, .close_enough = pair.lower, .cache = cache});
  cost += found.cost;
  if (found.upper <= pair.lower) return true;
  if (found.lower > pair.upper) return false;
  // A search that stops early leaves wider bounds.
  const Distance full = pair.rows.distance(pair.a, pair.b, {});
  cost += full.cost;
  return !(full.lower > pair.upper);
}

Distance RoundedAny::distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  const InnerPair pair(a, b);
  if (pair.rows.distance == nullptr) refuse("distance", pair.a, pair.b);
  Distance result = pair.rows.distance(pair.a, pair.b, pair.without_radii(options));
  pair.add_radii(result);
  return result;
}

void RoundedAny::contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  const InnerPair pair(a, b);
  if (pair.rows.contacts == nullptr || !(has_triangles(pair.a.shape) || has_triangles(pair.b.shape)))
    return contact_of_single_features<RoundedAny>(a, b, options, result);
  // The points follow from the rounded features by themselves.
  ContactOptions inner = options;
  inner.segments = false;
  inner.margin = std::min(add_up(options.margin, pair.upper), max_coordinate);
  pair.rows.contacts(pair.a, pair.b, inner, result);
}

Depth RoundedAny::depth_on(const Placed& a, const Placed& b, const DepthOptions& options, Features* on) {
  const InnerPair pair(a, b);
  if (pair.rows.distance == nullptr) refuse("depth", pair.a, pair.b);
  const bool is_slab = pair.a.shape.as<Plane>() != nullptr || pair.b.shape.as<Plane>() != nullptr;
  if (is_slab && shapes::traits_of(pair.a.shape).is_convex && shapes::traits_of(pair.b.shape).is_convex)
    return slab_depth(pair, options);
  const bool has_open_mesh = has_surface_mesh(pair.a.shape) || has_surface_mesh(pair.b.shape);

  Depth result;
  const auto apart_at = [&](const Pose& pose_b, const DistanceOptions& limits) {
    const Placed there(pair.b.shape, pose_b);
    const Distance found = pair.rows.distance(pair.a, there, limits);
    result.cost += found.cost;
    return found;
  };
  const Distance apart = apart_at(pair.b.pose, {});
  if (apart.lower >= pair.upper) return result;
  Depth inner;
  if (pair.rows.depth != nullptr && !has_open_mesh && !(apart.lower > 0)) {
    inner = pair.rows.depth(pair.a, pair.b, {.tolerance = options.tolerance, .budget = options.budget});
    result.cost += inner.cost;
  }
  std::vector<Vector3> directions;
  if (!(inner.upper > 0) && !(apart.lower > 0)) {
    // A translation that frees the shapes also separates each triangle from the other shape.
    TouchingTriangles touching(pair);
    result.cost += touching.deepest.cost;
    inner = touching.deepest;
    directions = std::move(touching.directions);
  }
  for (const Placed* const placed : {&pair.a, &pair.b})
    if (shapes::ground_surface(placed->shape) != nullptr) {
      const Vector3 up = geometry::unit_vector(placed->pose.rotation().col(2));
      directions.push_back(placed == &pair.a ? up : Vector3(-up));
    }
  if (inner.lower == infinity) {
    result.lower = result.upper = infinity;
    return result;
  }
  const double lower =
      inner.lower > 0 ? add_down(inner.lower, pair.lower) : std::max(0.0, add_down(pair.lower, -apart.upper));

  Depth first;  // a way out, and the shortest one if the shapes are convex
  if (inner.upper > 0 && inner.has_points()) {
    first = inner;
    first.upper = add_up(inner.upper, pair.upper);
  } else if (apart.lower > 0) {
    first.normal = apart.normal;
    first.upper = add_up(pair.upper, -apart.lower);
  }
  const auto gap = [&](const Vector3& by, const DistanceOptions& limits) {
    Distance found =
        apart_at(geometry::raw_pose(b.pose.rotation(), b.pose.translation() + by), pair.without_radii(limits));
    pair.add_radii(found);
    return found;
  };
  find_way_out(a, b, first, directions, lower, gap, result);
  center_depth(a, b, &distance, result, on);
  return result;
}

}  // namespace whisker::queries
