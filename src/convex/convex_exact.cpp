#include "convex/convex_exact.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <whisker/error.hpp>

#include "convex/convex_frame.hpp"
#include "convex/epa.hpp"
#include "geometry/lease.hpp"
#include "geometry/ordered_sums.hpp"

namespace whisker::convex {
namespace {

using geometry::difference;
using geometry::product;
using geometry::to_double_double;
using geometry::turned;
using geometry::turned_back;

Vector3dd times(const Vector3dd& v, double power_of_two) {
  const auto one = [&](DoubleDouble x) { return DoubleDouble(x.hi * power_of_two, x.lo * power_of_two); };
  return {one(v.x), one(v.y), one(v.z)};
}

// Calls look(i) for vertices that include the farthest along d, of which `direction` is the rounded value.
template <class Look>
void visit_candidates(const ConvexBody& body, const Vector3& direction, Look&& look) {
  if (body.table != nullptr && direction.cwiseAbs().maxCoeff() >= 1) {
    whisker::visit_candidates(*body.table, direction, look);
  } else {
    for (std::uint32_t i = 0; i < body.vertex_count(); ++i)
      look(i);
  }
}

// The vertex farthest along d, in the body's own frame: the best of those that doubles cannot tell apart. Heights are
// measured from `from`, because for a small body far from the origin they would otherwise all be equal.
std::uint32_t farthest_vertex(const ConvexBody& body, const Vector3dd& d, const Vector3& from) {
  const Vector3 rough = geometry::to_vector3(d);
  const double scale = std::ldexp(1.0, -std::ilogb(std::max(rough.cwiseAbs().maxCoeff(), 0x1p-900)));
  const Vector3 direction = rough * scale;
  double best = -HUGE_VAL;
  visit_candidates(body, direction, [&](std::uint32_t i) { best = std::max(best, direction.dot(body.vertex(i))); });
  const double enough = best - 32 * Numbers<Vec3>::roundoff * direction.cwiseAbs().sum() * body.size;
  std::uint32_t result = 0;
  DoubleDouble height = -HUGE_VAL;
  visit_candidates(body, direction, [&](std::uint32_t i) {
    const Vector3 v = body.vertex(i);
    if (!(direction.dot(v) >= enough)) return;
    const DoubleDouble h = dot(d, difference(v, from));
    if (h > height) {
      height = h;
      result = i;
    }
  });
  return result;
}

// The point of the core farthest along d, in the body's own frame.
Vector3dd own_support(const ConvexBody& body, const Vector3dd& d, std::uint32_t& vertex) {
  vertex = SupportPoint<Vector3dd>::no_vertex;
  switch (body.core) {
    case ConvexBody::Core::vertices:
      vertex = farthest_vertex(body, d, Vector3::Zero());
      return to_double_double(body.vertex(vertex));
    case ConvexBody::Core::cylinder:
    case ConvexBody::Core::cone: {
      const DoubleDouble across = sqrt(square(d.x) + square(d.y));
      if (body.core == ConvexBody::Core::cone && d.z * (2 * body.half_length) >= across * body.disc)
        return {0.0, 0.0, body.half_length};
      const double z = body.core == ConvexBody::Core::cone || d.z < 0.0 ? -body.half_length : body.half_length;
      if (!(across > 0.0)) return {body.disc, 0.0, z};
      return {d.x * body.disc / across, d.y * body.disc / across, z};
    }
    case ConvexBody::Core::ellipsoid: {
      const Vector3dd scaled = {d.x * body.radii[0], d.y * body.radii[1], d.z * body.radii[2]};
      const DoubleDouble length = norm(scaled);
      if (!(length > 0.0)) return {};
      return {scaled.x / length * body.radii[0], scaled.y / length * body.radii[1], scaled.z / length * body.radii[2]};
    }
    case ConvexBody::Core::custom:
      break;
  }
  const Vector3 found = body.custom->support(geometry::to_vector3(d));
  if (!found.allFinite()) throw Error("custom shape: the support function returned a point that is not finite");
  return to_double_double(found);
}

// The result is relative to `from`, and not scaled.
Vector3dd world_support(const ConvexBody& body, const Vector3dd& d, const Vector3& from, std::uint32_t& vertex) {
  if (body.in_world) {
    vertex = farthest_vertex(body, d, from);
    return difference(body.vertex(vertex), from);
  }
  const Vector3dd own = own_support(body, turned_back(body.pose.rotation(), d), vertex);
  return turned(body.pose.rotation(), own) + difference(body.pose.translation(), from);
}

class ExactPair {
 public:
  ExactPair(const ConvexBody& a, const ConvexBody& b) : a_(a), b_(b) {
    double size_b = b.size;
    if (b.in_world) {
      size_b = 0;
      for (std::uint32_t i = 0; i < b.own_count; ++i)
        size_b = std::max(size_b, (b.vertex(i) - a.pose.translation()).stableNorm());
    }
    const double away = b.in_world ? 0 : (b.pose.translation() - a.pose.translation()).stableNorm();
    const double size = a.size + size_b + away;
    const double largest = std::max(size, a.radius + b.radius);
    scale_ = largest > 0 ? std::ldexp(1.0, std::min(1000, -std::ilogb(largest))) : 1;
    size_ = size * scale_ * (1 + 0x1p-40);
    // A dozen operations, each off by at most 2^-101 of terms below 8 size_. A user's function works on doubles.
    error_ = 0x1p-92 * size_;
    for (const ConvexBody* body : {&a, &b}) {
      const double rounded = body->core == ConvexBody::Core::custom ? 0x1p-50 * body->size : 0;
      error_ += (body->support_error + rounded) * scale_;
    }
  }

  double scale() const { return scale_; }
  double size() const { return size_; }
  double error() const { return error_; }
  /// For bounds of the cores.
  void check_bounds(const DoubleDouble& lower, const DoubleDouble& upper) const {
    if (is_custom(a_, b_) && to_double(lower - upper) > 2 * error_ + unsaid_rounding * size_) throw_contradiction();
  }
  DoubleDouble radii() const { return geometry::sum(a_.radius * scale_, b_.radius * scale_); }
  Vector3dd start() const {
    const SupportPoint<Vector3dd> point = support({1.0, 0.0, 0.0});
    return point.a - point.b;
  }

  SupportPoint<Vector3dd> support(const Vector3dd& d) const {
    SupportPoint<Vector3dd> point;
    point.a = times(world_support(a_, d, a_.pose.translation(), point.vertex_a), scale_);
    point.b = times(world_support(b_, -d, a_.pose.translation(), point.vertex_b), scale_);
    return point;
  }

 private:
  const ConvexBody& a_;
  const ConvexBody& b_;
  double scale_ = 1;
  double size_ = 0;
  double error_ = 0;
};

/// The best results for the cores so far, over all searches of one pair.
struct Found {
  DoubleDouble lower = 0.0;
  DoubleDouble upper = HUGE_VAL;
  Vector3dd along;  ///< the direction that gave `lower`, or the last v if none did
  Vector3dd a;
  Vector3dd b;
  bool better = false;  ///< the last search improved enough to continue

  void take(GjkLoop<Vector3dd>& loop, double error) {
    Vector3dd nearest_a, nearest_b;
    loop.witnesses(nearest_a, nearest_b);
    DoubleDouble apart = norm(nearest_a - nearest_b);
    if (loop.end() == GjkEnd::inside && to_double(apart) > error) {
      Vector3dd face_a, face_b;
      loop.leave_inside();
      loop.witnesses(face_a, face_b);
      const DoubleDouble from_face = norm(face_a - face_b);
      if (from_face < apart) {
        apart = from_face;
        nearest_a = face_a;
        nearest_b = face_b;
      }
    }
    better = apart < upper * 0.5 || loop.lower() > lower;
    if (apart < upper) {
      upper = apart;
      a = nearest_a;
      b = nearest_b;
    }
    if (loop.lower() > lower) {
      lower = loop.lower();
      along = loop.lower_direction();
    } else if (!(lower > 0.0)) {
      along = loop.v();
    }
  }
  bool is_close(double error) const { return to_double(upper - lower) <= 0x1p-60 * to_double(upper) + error; }
};

/// Searches that begin with the supports all around the best known direction, ever closer to it. If a rim passes very
/// close to the origin, the simplex at the end of a plain descent spans the rim so widely, or lies so much across it,
/// that it makes no progress. The chord between two supports that enclose the nearest point does.
void search_round(const ExactPair& pair, Found& found, int& supports) {
  const Vector3 rough = geometry::to_vector3(found.along).stableNormalized();
  int least = 0;
  rough.cwiseAbs().minCoeff(&least);
  const Vector3 across = rough.cross(Vector3::Unit(least)).normalized();
  const Vector3 beside[4] = {across, -across, rough.cross(across), -rough.cross(across)};
  const Vector3dd along = found.along * (1.0 / norm(found.along));
  for (int bits = 4; bits <= 72 && !found.is_close(pair.error()); bits += 4) {
    GjkLoop<Vector3dd> loop(found.along, pair.error(), {});
    for (const Vector3& side : beside)
      loop.insert(pair.support(-(along + to_double_double(Vector3(side * std::ldexp(1.0, -bits))))));
    bool more = loop.begin();
    while (more)
      more = loop.add(pair.support(-loop.v()));
    supports += 4 + loop.supports();
    found.take(loop, pair.error());
  }
}

}  // namespace

ExactDistance exact_distance(const ConvexBody& a, const ConvexBody& b) {
  const ExactPair pair(a, b);
  Found found;
  int supports = 0;
  Vector3dd start = pair.start();
  // If the simplex has become so flat or needle-like that it makes no progress, start a new one at the best known
  // direction.
  constexpr int max_rounds = 12;
  bool stalled = true;
  for (int round = 0; round < max_rounds && stalled; ++round) {
    GjkLoop<Vector3dd> loop(start, pair.error(), {});
    while (loop.add(pair.support(-loop.v()))) {
    }
    supports += loop.supports();
    found.take(loop, pair.error());
    stalled = loop.end() == GjkEnd::stalled && !found.is_close(pair.error());
    if (round > 1 && !found.better) break;
    start = loop.v();
  }
  if (!found.is_close(pair.error())) search_round(pair, found, supports);
  pair.check_bounds(found.lower, found.upper);
  const DoubleDouble radii = pair.radii();
  return {.lower = found.lower - pair.error() - radii,
          .upper = found.upper + pair.error() - radii,
          .a = found.a,
          .b = found.b,
          .between = found.lower > 0.0 ? -found.along : Vector3dd{},
          .scale = pair.scale(),
          .supports = supports};
}

ExactDepth exact_depth(const ConvexBody& a, const ConvexBody& b, double relative_tolerance, double tolerance) {
  const ExactPair pair(a, b);
  GjkLoop<Vector3dd> loop(pair.start(), pair.error(), {});
  while (loop.add(pair.support(-loop.v()))) {
  }
  Vector3dd nearest_a, nearest_b;
  loop.witnesses(nearest_a, nearest_b);
  const EpaGoal goal = {.tolerance = std::max(tolerance * pair.scale(), 4 * pair.error()),
                        .relative_tolerance = relative_tolerance,
                        .max_points = 400};
  geometry::Lease<EpaMemory<Vector3dd>> lease;
  EpaLoop<Vector3dd> epa(*lease, pair.size(), goal);
  for (int i = 0; i < loop.simplex().count; ++i)
    epa.insert(loop.point(i));
  epa.begin();
  Vector3dd direction;
  while (epa.next(direction))
    epa.add(pair.support(direction));
  ExactDepth result{epa.found(), norm(nearest_a - nearest_b) + pair.error(), pair.scale()};
  result.supports += loop.supports();
  result.upper += pair.error();
  const auto never = [](const Vector3dd&, const Vector3dd&, const Vector3dd&) { return false; };
  result.lower = epa.certified_lower(never) - pair.error();
  if (result.lower > 0.0) pair.check_bounds(result.lower, result.upper);
  return result;
}

double exact_way_length(const ConvexBody& a, const ConvexBody& b, const Vector3& direction) {
  const ExactPair pair(a, b);
  const Vector3dd along = to_double_double(direction);
  const SupportPoint<Vector3dd> point = pair.support(along);
  const DoubleDouble upper = dot(along, point.a - point.b) / norm(along) + pair.error() + pair.radii();
  return geometry::round_up(upper) / pair.scale();
}

double way_length(const ConvexBody& a, const ConvexBody& b, const Vector3& direction) {
  const Vector3 between = b.pose.translation() - a.pose.translation();
  const double sizes = a.size + b.size;
  const bool is_in_range = sizes > 0x1p-400 && sizes < 0x1p400;
  const auto is_placed = [](const ConvexBody& body) { return body.has_vertices() && !body.in_world; };
  if (!(is_in_range && is_placed(a) && is_placed(b))) return exact_way_length(a, b, direction);
  const auto reach = [](const ConvexBody& body, const Vector3& along) {
    const Vector3 own = 2 * (body.pose.rotation().transpose() * along);  // long enough for cells
    double farthest = -HUGE_VAL;
    visit_candidates(body, own, [&](std::uint32_t i) { farthest = std::max(farthest, own.dot(body.vertex(i))); });
    return farthest / 2;
  };
  const double cores = reach(a, direction) + reach(b, -direction) - direction.dot(between);
  // A turned direction is off by 5.2 roundoffs, its product with a vertex by 3, that with the difference of the origins
  // by 4, and both sums by 2.
  constexpr double u = Numbers<Vec3>::roundoff;
  const double length = (cores + u * (11 * sizes + 7 * between.norm())) / direction.norm();
  const double radii = a.radius + b.radius;
  return length + radii + 4 * u * (std::abs(length) + radii);
}

Reach exact_reach(const ConvexBody& body, const Vector3dd& direction, const Vector3& from) {
  std::uint32_t vertex = 0;
  const Vector3dd point = world_support(body, direction, from, vertex);
  return {dot(point, direction), point};
}

}  // namespace whisker::convex
