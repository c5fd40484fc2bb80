// The contact manifolds of two surfaces of triangles.
//
// Every pair of triangles that are near each other touches along the normal of one of the two: the one along which the
// part of the other that lies over it reaches less deep. All these points are then joined by their normals.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/Geometry>

#include "convex/manifold_points.hpp"
#include "convex/simple_distance.hpp"
#include "geometry/lease.hpp"
#include "geometry/unit_vector.hpp"
#include "queries/manifold_rows.hpp"
#include "queries/near_surface.hpp"
#include "queries/table.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::queries {
namespace {

/// Two triangles that face the same way by more than this cosine do not face each other.
constexpr double same_way = 0.5;

/// The polygon of a triangle, relative to an origin, in units of the pair's size.
convex::SupportFace face_of(const Triangle& t, const Vector3& origin, double factor, std::uint32_t number) {
  convex::SupportFace face;
  const std::array<Vector3, 3> corners = {(t.a - origin) * factor, (t.b - origin) * factor, (t.c - origin) * factor};
  face.normal = geometry::unit_normal(corners[0], corners[1], corners[2]);
  for (std::uint32_t k = 0; k < 3; ++k)
    face.add(corners[k], 3 * number + k);
  return face;
}

double longest_edge(const Triangle& t) {
  return std::max({(t.b - t.a).stableNorm(), (t.c - t.b).stableNorm(), (t.a - t.c).stableNorm()});
}

/// Of a point in a ground: the point of the surface straight above it.
std::optional<Vector3> surface_above(const Placed& placed, const Vector3& point) {
  const HeightField* const field = shapes::ground_surface(placed.shape);
  if (field == nullptr) return {};
  const auto hit = ray_height_field({point, placed.pose.rotation().col(2)}, *field, placed.pose);
  if (!hit) return {};
  return hit->point;
}

struct SurfacePairMemory {
  Contacts contacts;
  std::vector<ContactPoint> points;
};

/// The points that two triangles share along the normal from a to b. Returns how deep they are, or infinity if there
/// are none.
double clip_along(const convex::SupportFace& a, const convex::SupportFace& b, const Vector3& normal, double limit,
                  ContactManifold& found) {
  convex::ManifoldInput input;
  input.a = a;
  input.b = b;
  input.normal = normal;
  input.limit = limit;
  input.max_angle = 0x1p-20;  // the normal is that of one of them
  input.has_witness = false;
  convex::find_manifold_points(input, found);
  double least = std::numeric_limits<double>::infinity();
  for (const ManifoldPoint& p : found.points())
    least = std::min(least, p.gap);
  return found.count == 0 ? std::numeric_limits<double>::infinity() : -least;
}

template <class SurfaceA, class SurfaceB>
void find_between(const Placed& a, const Placed& b, const SurfaceA& surface_a, const SurfaceB& surface_b,
                  const ManifoldOptions& options, SurfacePairMemory& memory, std::vector<ContactManifold>& manifolds) {
  const double rounding = 0x1p-46 * (surface_a.magnitude() + surface_b.magnitude());
  const double limit = options.margin + rounding;
  memory.contacts.pairs.clear();
  memory.contacts.cost = {};
  algorithms(a.shape, b.shape).contacts(a, b, {.segments = false, .margin = limit}, memory.contacts);
  memory.points.clear();
  double size = 0;
  for (const Contact& pair : memory.contacts.pairs) {
    if (pair.a.kind != FeatureKind::triangle || pair.b.kind != FeatureKind::triangle) continue;
    const Triangle ta = surface_a.triangle(pair.a.id), tb = surface_b.triangle(pair.b.id);
    const double larger = std::max(longest_edge(ta), longest_edge(tb));
    if (!(larger > 0)) continue;
    size = std::max(size, std::min(longest_edge(ta), longest_edge(tb)));
    const double factor = std::ldexp(1.0, -std::clamp(std::ilogb(larger), -900, 900));
    const Vector3 origin = ta.a;
    const convex::SupportFace fa = face_of(ta, origin, factor, pair.a.id), fb = face_of(tb, origin, factor, pair.b.id);
    ContactManifold along_a, along_b;
    double deep_a = infinity, deep_b = infinity;
    const bool face_each_other = fa.normal.dot(fb.normal) <= same_way;
    if (face_each_other && !fa.normal.isZero(0)) deep_a = clip_along(fa, fb, fa.normal, limit * factor, along_a);
    if (face_each_other && !fb.normal.isZero(0)) deep_b = clip_along(fa, fb, -fb.normal, limit * factor, along_b);
    const ContactManifold& found = deep_a < deep_b ? along_a : along_b;
    for (const ManifoldPoint& p : found.points()) {
      memory.points.push_back({origin + p.point_a / factor, origin + p.point_b / factor, found.normal, p.gap / factor,
                               p.id, pair.a, pair.b});
    }
  }
  const std::size_t first = manifolds.size();
  if (!memory.points.empty()) {
    join_points(memory.points, {options.max_angle, 0x1p-12 * size, rounding}, manifolds);
  } else if (!memory.contacts.pairs.empty()) {
    // They touch, but their triangles do not face each other, or one is inside the other.
    ContactPoint p{.feature_a = memory.contacts.pairs[0].a, .feature_b = memory.contacts.pairs[0].b};
    const PairAlgorithms& pair = algorithms(a.shape, b.shape);
    Depth way;
    if (pair.depth != nullptr && surface_a.is_one_sided() && surface_b.is_one_sided()) way = pair.depth(a, b, {});
    if (way.has_points()) {
      p.a = way.point_a;
      p.b = way.point_b;
      p.normal = way.normal;
      p.gap = -way.upper;
    } else {
      const Distance apart = pair.distance(a, b, {});
      p.a = apart.point_a;
      p.b = apart.point_b;
      if (apart.lower > 0) {
        p.normal = apart.normal;
      } else if (const std::optional<Vector3> top = surface_above(a, p.a)) {
        p.a = *top;
        p.normal = geometry::unit_vector(a.pose.rotation().col(2));
      } else if (const std::optional<Vector3> over = surface_above(b, p.b)) {
        p.b = *over;
        p.normal = -geometry::unit_vector(b.pose.rotation().col(2));
      } else {
        const Vector3 between = geometry::unit_vector(surface_b.middle() - surface_a.middle());
        p.normal = between.isZero(0) ? Vector3(Vector3::UnitZ()) : between;
      }
      p.gap = p.normal.dot(p.b - p.a);
    }
    join_points(std::span(&p, 1), {options.max_angle, 0, rounding}, manifolds);
  }
  if (manifolds.size() > first) manifolds[first].cost = memory.contacts.cost;
}

}  // namespace

void manifolds_surfaces(const Placed& a, const Placed& b, const ManifoldOptions& options,
                        std::vector<ContactManifold>& manifolds) {
  const geometry::Lease<SurfacePairMemory> memory;
  with_surface(a, [&](const auto& surface_a) {
    with_surface(b,
                 [&](const auto& surface_b) { find_between(a, b, surface_a, surface_b, options, *memory, manifolds); });
  });
}

}  // namespace whisker::queries
