// cast_ray: the first hit of a ray with any placed shape.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <whisker/error.hpp>
#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "mesh/ground.hpp"
#include "mesh/mesh_queries.hpp"
#include "queries/check_query.hpp"
#include "queries/leaves.hpp"
#include "queries/part_search.hpp"
#include "queries/rounded_queries.hpp"
#include "queries/table.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker {
namespace {

std::optional<RayHit> cast(const Ray& ray, const Placed& target, const RayRange& range) {
  const queries::CastRay algorithm = queries::ray_algorithm(target.shape.kind());
  if (algorithm == nullptr)
    throw Error("cast_ray: not supported against a " + std::string(name(target.shape.kind())) + " shape");
  return algorithm(ray, target, range);
}

struct Cast {
  const Ray& ray;
  const Shape& target;
  const Pose& pose;
  const RayRange& range;

  using Hit = std::optional<RayHit>;

  Hit operator()(const Sphere& s) const { return ray_sphere(ray, s, pose, range); }
  Hit operator()(const Capsule& s) const { return ray_capsule(ray, s, pose, range); }
  Hit operator()(const Box& s) const { return ray_box(ray, s, pose, range); }
  Hit operator()(const HalfSpace& s) const { return ray_half_space(ray, s, pose, range); }
  Hit operator()(const Plane& s) const { return ray_plane(ray, s, pose, range); }
  Hit operator()(const Segment& s) const { return ray_triangle(ray, {s.a, s.b, s.b}, pose, range); }
  Hit operator()(const Triangle& s) const { return ray_triangle(ray, s, pose, range); }
  Hit operator()(const Cylinder& s) const { return ray_cylinder(ray, s, pose, range); }
  Hit operator()(const Cone& s) const { return ray_cone(ray, s, pose, range); }
  Hit operator()(const Ellipsoid& s) const { return ray_ellipsoid(ray, s, pose, range); }
  Hit operator()(const ConvexHull& s) const {
    if (s.dimension() == 3) return solid_hull(s);
    // A flat hull is the fan of its corners. A segment or a point is a triangle without area.
    const std::span<const Vector3> v = s.vertices();
    if (s.dimension() < 2) return ray_triangle(ray, {v.front(), v.back(), v.back()}, pose, range);
    Hit first;
    const std::span<const std::uint32_t> corners = s.face(0);
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const Hit hit = ray_triangle(ray, {v[corners[0]], v[corners[i - 1]], v[corners[i]]}, pose, range);
      if (hit && (!first || hit->t < first->t)) first = hit;
    }
    if (first) first->face.reset();  // the fan's triangles are not the hull's
    return first;
  }
  /// Where the line crosses the box of a hull, in the hull's frame.
  std::optional<LineCrossing> line_bounds(const ConvexHull& s) const {
    const Aabb box = s.bounds();
    std::array<HalfSpace, 6> sides;
    for (int i = 0; i < 3; ++i) {
      sides[static_cast<std::size_t>(2 * i)] = {Vector3::Unit(i), box.upper[i]};
      sides[static_cast<std::size_t>(2 * i + 1)] = {-Vector3::Unit(i), -box.lower[i]};
    }
    return line_polyhedron(ray, sides, pose);
  }
  // The true hull lies between two polyhedra: that of its planes and that of its inner planes. The line enters the hull
  // no earlier than the first and no later than the second.
  Hit solid_hull(const ConvexHull& s) const {
    const std::optional<LineCrossing> outer = line_polyhedron(ray, s.planes(), pose);
    if (!outer) return std::nullopt;
    std::optional<LineCrossing> inner;
    if (!s.inner_planes().empty()) inner = line_polyhedron(ray, s.inner_planes(), pose);
    LineCrossing crossing = *outer;
    crossing.certain = inner && inner->certain;
    if (!crossing.certain) {
      // Planes that meet at a tiny angle leave room far beyond the vertices.
      const std::optional<LineCrossing> box = line_bounds(s);
      if (!box) return std::nullopt;
      crossing.enter_lower = std::max(outer->enter_lower, box->enter_lower);
      crossing.exit_upper = std::min(outer->exit_upper, box->exit_upper);
      if (crossing.enter_lower > crossing.exit_upper) return std::nullopt;
    }
    if (crossing.certain) {
      crossing.enter_upper = std::max(outer->enter_lower, inner->enter_upper);
      crossing.exit_lower = std::min(outer->exit_upper, inner->exit_lower);
    } else if (!ray.direction.isZero(0)) {  // a point is in the hull for all t, if at all
      crossing.enter_upper = crossing.exit_upper;
      crossing.exit_lower = crossing.enter_lower;
    }
    crossing.enter = std::clamp(crossing.enter, crossing.enter_lower, crossing.enter_upper);
    crossing.exit = std::clamp(crossing.exit, crossing.exit_lower, crossing.exit_upper);
    return hit_in_range(ray, crossing, range);
  }
  Hit operator()(const Mesh& s) const { return mesh::cast_ray_mesh(ray, {s, pose}, range); }
  Hit operator()(const HeightField& s) const { return ray_height_field(ray, s, pose, range); }
  // Whether the hit is of a full line that is inside the shape from minus infinity on.
  bool has_no_start(const RayHit& hit) const { return range.lower == -infinity && hit.inside; }

  bool comes_before(const RayHit& a, const RayHit& b) const {
    if (has_no_start(a) != has_no_start(b)) return has_no_start(a);
    if (!has_no_start(a)) return a.t < b.t;
    // The line is inside both from the beginning, and t is where it leaves them. No normal means that it never does.
    // The shape that it leaves later counts.
    if (a.normal.isZero(0) || b.normal.isZero(0)) return !b.normal.isZero(0);
    return a.t > b.t;
  }

  /// The first hit of several parts, taken in any order. Of equal ones, the part with the lowest number counts.
  class FirstOfParts {
   public:
    explicit FirstOfParts(const Cast& cast) : cast_(cast) {}

    void take(const Hit& hit, std::size_t part) {
      if (!hit) return;
      lower_ = std::min(lower_, hit->t_lower);
      latest_ = std::max(latest_, hit->t_upper);
      if (hit->certain) upper_ = std::min(upper_, hit->t_upper);
      certain_ = certain_ || hit->certain;
      if (is_hit_ && !cast_.comes_before(*hit, first_) && (part > part_ || cast_.comes_before(first_, *hit))) return;
      is_hit_ = true;
      first_ = *hit;
      part_ = part;
    }
    /// A part whose hits are all later than this changes nothing.
    double latest_of_interest() const {
      if (!is_hit_) return std::numeric_limits<double>::max();
      if (cast_.has_no_start(first_)) return -infinity;
      // Without a certain hit, the last of the others is a bound.
      return certain_ ? std::max(first_.t, upper_) : std::numeric_limits<double>::max();
    }
    Hit result() const {
      if (!is_hit_) return std::nullopt;
      RayHit first = first_;
      if (cast_.has_no_start(first)) return first;
      // One part may be first by the estimate, and another in truth.
      first.certain = certain_;
      first.t_lower = lower_;
      first.t_upper = certain_ ? upper_ : latest_;
      return first;
    }

   private:
    const Cast& cast_;
    bool is_hit_ = false;
    RayHit first_;
    std::size_t part_ = 0;
    double lower_ = infinity;    // the least t_lower of all parts
    double upper_ = infinity;    // the least t_upper of the parts that are certainly hit
    double latest_ = -infinity;  // the largest t_upper of all parts
    bool certain_ = false;
  };
  Hit operator()(const Compound& s) const {
    FirstOfParts first(*this);
    const auto ask = [&](std::size_t index) {
      const CompoundPart& part = s.parts()[index];
      first.take(cast(ray, {part.shape, compose(pose, part.pose)}, range), index);
      return false;
    };
    if (queries::all_take_rays(target)) {
      const queries::RayView view(storage_of(s), pose, ray, range);
      queries::visit_parts(
          view.compound, [&](const Aabb& box) { return view.nearness(box); },
          [&](double nearness) { return nearness <= first.latest_of_interest(); }, ask);
    } else {
      // The first part that cannot be asked names itself in an Error.
      for (std::size_t i = 0; i < s.parts().size(); ++i)
        ask(i);
    }
    return first.result();
  }
  Hit operator()(const SphereSet& s) const {
    FirstOfParts first(*this);
    for (std::size_t i = 0; i < s.size(); ++i)
      first.take(ray_sphere(ray, Sphere{s.radius(i)}, geometry::raw_pose(place(pose, s.center(i))), range), i);
    return first.result();
  }
  Hit operator()(const SphereBody& s) const { return (*this)(s.mesh()); }
};

template <class Kind>
std::optional<RayHit> cast_at(const Ray& ray, const Placed& target, const RayRange& range) {
  return Cast{ray, target.shape, target.pose, range}(*target.shape.as<Kind>());
}

std::optional<RayHit> cast_at_ground(const Ray& ray, const Placed& target, const RayRange& range) {
  return mesh::cast_ray_ground(ray, {*shapes::ground_surface(target.shape), target.pose}, range);
}

// In the order of ShapeKind and, after it, of shapes::known_traits.
constinit std::array<queries::CastRay, shapes::max_kinds> ray_table = {&cast_at<Sphere>,
                                                                       &cast_at<Capsule>,
                                                                       &cast_at<Box>,
                                                                       &cast_at<HalfSpace>,
                                                                       &cast_at<Plane>,
                                                                       &cast_at<Segment>,
                                                                       &cast_at<Triangle>,
                                                                       &cast_at<Cylinder>,
                                                                       &cast_at<Cone>,
                                                                       &cast_at<Ellipsoid>,
                                                                       &cast_at<ConvexHull>,
                                                                       nullptr,
                                                                       &cast_at<Mesh>,
                                                                       &cast_at<HeightField>,
                                                                       &cast_at<Compound>,
                                                                       &cast_at<SphereSet>,
                                                                       &cast_at<SphereBody>,
                                                                       &queries::cast_ray_rounded_convex,
                                                                       &queries::cast_ray_rounded_surface,
                                                                       &queries::cast_ray_rounded_plane,
                                                                       &queries::cast_ray_rounded_surface,
                                                                       &cast_at_ground};

}  // namespace

namespace queries {

CastRay ray_algorithm(ShapeKind kind) {
  return ray_table[static_cast<std::size_t>(kind)];
}

bool all_take_rays(const Shape& shape) {
  if (!all_leaf_kinds(shape, [](ShapeKind kind) { return ray_algorithm(kind) != nullptr; })) return false;
  const std::uint32_t rounded = 1u << static_cast<unsigned>(shapes::rounded_surface);
  // Only what is registered later can be unknown inside of a rounded surface.
  if (shapes::kind_count() == shapes::known_kinds || (kinds_of(shape) & rounded) == 0) return true;
  bool all = true;
  each_leaf(shape, [&](const Shape& leaf) { all = all && (leaf.kind() != shapes::rounded_surface || has_rays(leaf)); });
  return all;
}

void set_ray_algorithm(ShapeKind kind, CastRay cast) {
  ray_table[static_cast<std::size_t>(kind)] = cast;
}

}  // namespace queries

std::optional<RayHit> cast_ray(const Ray& ray, const Placed& target, const RayRange& range) {
  queries::refuse_fault("cast_ray", queries::fault_of(ray, range));
  return cast(ray, target, range);
}

}  // namespace whisker
