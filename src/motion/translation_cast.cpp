#include "motion/translation_cast.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "convex/convex_contact.hpp"
#include "convex/convex_exact.hpp"
#include "convex/convex_frame.hpp"
#include "convex/simplex.hpp"
#include "geometry/constants.hpp"
#include "geometry/lease.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/safe_norm.hpp"
#include "motion/ray_cast.hpp"

namespace whisker::motion {
namespace {

using convex::ConvexBody;
using convex::FramePair;
using convex::GjkEnd;
using convex::GjkLoop;
using geometry::to_vector3;

// ---- on doubles

/// Converts a body whose vertices are in world coordinates to one with a frame at its first vertex. The differences of
/// the vertices are rounded, which counts as an error of its supports.
ConvexBody with_own_frame(const ConvexBody& body) {
  if (!body.in_world) return body;
  ConvexBody own = body;
  own.in_world = false;
  geometry::raw_translation(own.pose) = body.vertex(0);
  own.middle = Vector3::Zero();
  own.size = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t from = i < body.own_count ? i : 0;
    const Vector3 arm = body.vertex(from) - body.vertex(0);
    for (int axis = 0; axis < 3; ++axis)
      own.own[static_cast<std::size_t>(axis)][i] = arm[axis];
    own.size = std::max(own.size, geometry::safe_norm(arm) * (1 + 0x1p-48));
  }
  own.support_error += 2 * unit_roundoff * own.size;
  return own;
}

/// Two bodies in the order in which they are processed, in a common frame at time 0, and the displacement of the second
/// relative to the first.
struct DoublePair {
  ConvexBody a;
  ConvexBody b;
  FramePair frame;
  CastErrors<Vec3> errors;
  CastRay<Vec3> ray;
  double thinner = 0;  ///< the frame's image of the ball of `radii` contains one that is smaller by this
  double bodies = 0;   ///< a length of about the bodies' own size
  bool in_range = false;

  SupportPoint<Vec3> support(const Vec3& direction) { return run_support(frame, direction); }
};

void set_up(const MovingBody& a, const MovingBody& b, DoublePair& pair) {
  pair.a = with_own_frame(a.body);
  pair.b = with_own_frame(b.body);
  if (!set_frame(pair.a, pair.b, pair.frame)) return;
  const FramePair& frame = pair.frame;
  Vector3 along = b.by - a.by;
  const double length = geometry::safe_norm(along) * (1 + 0x1p-48) * frame.scale;
  if (!(length < 0x1p400)) return;
  if (frame.in_first) {
    along = frame.turn.transpose() * along;
  } else {
    along *= frame.scale;
  }
  pair.ray.along = convex::to_vec3(along);
  pair.ray.length = length;
  // The difference is off by one rounding, the rotation by five per row, and a product with a unit vector by three
  // more.
  pair.ray.error = 24 * unit_roundoff * length;
  // The frame's image of a ball is a ball up to the deviation of the rotation.
  pair.thinner = frame.radii * (frame.stretch + 8 * unit_roundoff);
  pair.errors = {.radius = frame.radii,
                 .plane = frame.reach_error + 8 * unit_roundoff * frame.size + pair.thinner,
                 .point = frame.mean_error + 8 * unit_roundoff * frame.size + 8 * unit_roundoff * frame.radii,
                 .size = frame.size,
                 .is_custom = is_custom(frame)};
  pair.bodies = (pair.a.size + pair.b.size) * frame.scale + frame.radii;
  pair.in_range = true;
}

/// A lower bound on the radius of a ball around x(t) that the difference contains; 0 if none is proven. `depth`: the
/// radius cannot be larger, and a considerably smaller one is enough. `warm`: vertices to start with.
double ball_about(const DoublePair& pair, double t, double depth, const convex::WarmStart& warm, Cost& cost) {
  FramePair frame;
  if (!set_frame(pair.a, pair.b, frame)) return 0;
  const Vec3 x = pair.ray.along * t;
  const double shift = pair.ray.length * t;
  const double rounded = 4 * unit_roundoff * (frame.size + shift) + t * pair.ray.error;
  for (int i = 0; i < 3; ++i)
    frame.b.m[i][3] += i == 0 ? x.x : i == 1 ? x.y : x.z;
  frame.size += shift;
  frame.error += rounded;
  frame.reach_error += rounded;
  frame.mean_error += rounded;
  convex::GjkResult r;
  convex::GjkGoal goal;
  const double radius = frame.radii - pair.thinner;
  if (radius > 0) goal.stop_below = std::max(0.0, radius - depth / 2);
  run_gjk(frame, goal, warm, r);
  cost.primitive_tests += static_cast<std::uint64_t>(r.supports);
  const double errors = frame.mean_error + 8 * unit_roundoff * frame.size;
  double best = radius - r.upper * (1 + 16 * unit_roundoff) - errors;
  if (r.end == GjkEnd::inside) best = std::max(best, radius + r.margin * (1 - 16 * unit_roundoff) - errors);
  if (best * 4 >= depth) return best;
  if (r.end == GjkEnd::inside || r.end == GjkEnd::zero || r.upper <= 8 * errors) {
    geometry::Lease<convex::EpaMemory<Vec3>> lease;
    convex::EpaResult epa;
    run_epa(frame, {.tolerance = 4 * frame.reach_error, .relative_tolerance = 0.5}, r, *lease, epa);
    cost.primitive_tests += static_cast<std::uint64_t>(epa.supports);
    if (epa.lower > 0) best = std::max(best, radius + epa.lower * (1 - 16 * unit_roundoff) - errors);
  }
  return std::max(best, 0.0);
}

/// A time by which the bodies touch. A point of the difference within `gap` of x(time) and a ball of `radius` around
/// x(later) inside it span a cone, which x enters on the way from one to the other.
double time_in_cone(DoubleDouble time, double gap, double later, double radius) {
  const double share = gap / (gap + radius) * (1 + 0x1p-50);
  return std::min(later, round_up(above(time + (later - time) * share)));
}

// ---- on double-doubles

/// The same pair in the world's orientation, scaled, with its origin at the first body.
struct ExactPair {
  const ConvexBody& a;
  const ConvexBody& b;
  Vector3 from;
  double scale = 1;
  double size = 0;
  CastErrors<Vector3dd> errors;
  CastRay<Vector3dd> ray;

  ExactPair(const MovingBody& first, const MovingBody& second)
      : a(first.body), b(second.body), from(a.in_world ? a.vertex(0) : a.pose.translation()) {
    const double reach = reach_of(a) + reach_of(b);
    const double radii = a.radius + b.radius;
    const double largest = std::max(reach, radii);
    scale = largest > 0 ? std::ldexp(1.0, std::min(1000, -std::ilogb(largest))) : 1;
    size = reach * scale * (1 + 0x1p-40);
    double error = 0x1p-92 * (size + radii * scale);
    for (const ConvexBody* body : {&a, &b}) {
      const double rounded = body->core == ConvexBody::Core::custom ? 0x1p-50 * body->size : 0;
      error += (body->support_error + rounded) * scale;
    }
    errors = {geometry::sum(a.radius * scale, b.radius * scale), error, error, size, is_custom(a, b)};
    const Vector3dd by = geometry::difference(second.by, first.by);
    const auto scaled = [&](DoubleDouble x) { return DoubleDouble(x.hi * scale, x.lo * scale); };
    ray.along = {scaled(by.x), scaled(by.y), scaled(by.z)};
    ray.length = geometry::safe_norm(second.by - first.by) * (1 + 0x1p-48) * scale;
    ray.error = 0x1p-98 * ray.length;
  }

  SupportPoint<Vector3dd> support(const Vector3dd& direction) const {
    SupportPoint<Vector3dd> point;
    point.a = exact_reach(a, direction, from).point * scale;
    point.b = exact_reach(b, -direction, from).point * scale;
    return point;
  }
  /// The same path from its end to its beginning.
  CastRay<Vector3dd> ray_back() const { return {ray.along, -ray.along, ray.length, ray.error}; }
  Vector3 in_world(const Vector3dd& p) const { return from + to_vector3(p) / scale; }
  Vector3dd start() const {
    const SupportPoint<Vector3dd> point = support({1.0, 0.0, 0.0});
    Vector3dd v = point.a - point.b;
    if (!(norm(v) > errors.point)) v = {size, 0.0, 0.0};
    return v;
  }

  /// As `ball_about` for doubles.
  double ball_about(double t, int& supports) const {
    const Vector3dd x = ray.along * t;
    const auto moved_support = [&](const Vector3dd& direction) {
      SupportPoint<Vector3dd> point = support(direction);
      point.b = point.b + x;
      return point;
    };
    GjkLoop<Vector3dd> loop(start() - x, errors.point, {});
    while (loop.add(moved_support(-loop.v()))) {
    }
    supports += loop.supports();
    const double off = errors.point + ray.error * t;
    Vector3dd on_a, on_b;
    loop.witnesses(on_a, on_b);
    const double left = to_double(errors.radius - norm(on_a - on_b) - off) * (1 - 0x1p-50);
    if (left > 0 || to_double(norm(on_a - on_b)) > 64 * off) return std::max(0.0, left);
    geometry::Lease<convex::EpaMemory<Vector3dd>> lease;
    convex::EpaLoop<Vector3dd> epa(*lease, size + ray.length * t, {.tolerance = 4 * off, .relative_tolerance = 0.5});
    for (int i = 0; i < loop.simplex().count; ++i)
      epa.insert(loop.point(i));
    epa.begin();
    Vector3dd direction;
    while (epa.next(direction))
      epa.add(moved_support(direction));
    supports += epa.found().supports;
    const auto never = [](const Vector3dd&, const Vector3dd&, const Vector3dd&) { return false; };
    const DoubleDouble depth = epa.certified_lower(never) - off;
    return depth > 0.0 ? to_double(errors.radius + depth) * (1 - 0x1p-50) : 0;
  }

  double reach_of(const ConvexBody& body) const {
    if (!body.in_world) return body.size + (body.pose.translation() - from).stableNorm();
    double reach = 0;
    for (std::uint32_t i = 0; i < body.own_count; ++i)
      reach = std::max(reach, (body.vertex(i) - from).stableNorm());
    return reach;
  }
};

/// When the line along the ray passes through the triangle of three points that the cast ended with, or slightly later;
/// infinite if it does not certainly do so.
double time_through_triangle(const RayCast<Vector3dd, const ExactPair>& cast, const ExactPair& pair) {
  if (cast.simplex().count != 3 || pair.errors.radius > 0.0) return HUGE_VAL;
  const Vector3dd d = pair.ray.along;
  std::array<Vector3dd, 3> w;
  for (int i = 0; i < 3; ++i)
    w[static_cast<std::size_t>(i)] = cast.point(i).a - cast.point(i).b;
  // Each corner is off by at most `point`, so each volume may change by this much.
  const double size = pair.size * (1 + 0x1p-20);
  const double off = 8 * (pair.errors.point + 0x1p-98 * size) * size * pair.ray.length + size * size * pair.ray.error;
  int side = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double volume = to_double(dot(d, cross(w[i], w[(i + 1) % 3])));
    if (!(std::abs(volume) > off)) return HUGE_VAL;
    const int sign = volume > 0 ? 1 : -1;
    if (side != 0 && sign != side) return HUGE_VAL;
    side = sign;
  }
  // Along the triangle's own normal all corners are passed at once, but any direction is valid.
  Vector3dd n = cross(w[1] - w[0], w[2] - w[0]);
  if (dot(n, d) < 0.0) n = -n;
  const double length = to_double(norm(n)) * (1 + 0x1p-50);
  const DoubleDouble speed = dot(n, d) - length * pair.ray.error;
  if (!(speed > 0.0)) return HUGE_VAL;
  const auto [nearest, farthest] = std::minmax({dot(n, w[0]), dot(n, w[1]), dot(n, w[2])});
  if (nearest - length * pair.errors.point < 0.0) return HUGE_VAL;
  return round_up(above((farthest + length * pair.errors.point) / speed));
}

Vector3 unit(const Vector3& v) {
  const double length = v.stableNorm();
  return length > 0 ? Vector3(v / length) : Vector3(Vector3::Zero());
}

/// The state of a search.
struct CastSearch {
  const MovingBody& a;
  const MovingBody& b;
  const CastGoal& goal;
  DoublePair pair;
  Impact impact;
  double estimate = 0;  ///< of the time
  /// World directions to start with again: those of the plane and of the simplex.
  std::array<Vector3, 4> hints;
  std::size_t hint_count = 0;
  /// A time, not the first, at which a ball of this radius around x is inside the difference; in the frame's unit.
  double ball_time = 0;
  double ball_radius = 0;

  CastSearch(const MovingBody& first, const MovingBody& second, const CastGoal& wanted)
      : a(first), b(second), goal(wanted) {
    impact.status = ImpactStatus::touch;
    impact.certain = false;
    impact.time = impact.time_lower = 0;
  }

  int budget_left() const {
    const std::uint64_t used = impact.cost.primitive_tests;
    return used >= goal.budget ? 0 : static_cast<int>(std::min<std::uint64_t>(goal.budget - used, 0x7FFFFFFF));
  }
  bool is_curved() const { return !(a.body.has_vertices() && b.body.has_vertices()); }
  void count(int supports) { impact.cost.primitive_tests += static_cast<std::uint64_t>(supports); }

  /// `v`: opposite to the normal. `core_a`: the point of a's core at time 0. `between`: the vector from that point to
  /// its partner on b when they touch. It is as long as the sum of the radii, and known more precisely than the normal.
  void set_place(const Vector3& core_a, const Vector3& between, const Vector3& v) {
    const Vector3 normal = unit(-v);
    impact.normal = normal.isZero(0) ? Vector3(Vector3::UnitX()) : normal;
    const double radii = a.body.radius + b.body.radius;
    const bool is_long = between.stableNorm() > 0.5 * radii;
    const Vector3 arm = is_long ? Vector3(between * (a.body.radius / radii)) : impact.normal * a.body.radius;
    impact.point = (radii > 0 ? Vector3(core_a + arm) : core_a) + impact.time * a.by;
  }
  void set_time() { impact.time = std::clamp(estimate, impact.time_lower, impact.time_upper); }
  void be_apart() {
    const Cost cost = impact.cost;
    impact = {};
    impact.cost = cost;
  }

  /// Searches with doubles. Returns true if the result is final.
  bool on_doubles(bool& clear_at_start) {
    set_up(a, b, pair);
    if (!pair.in_range) return false;
    RayCast<Vec3, DoublePair> cast(pair, pair.errors, pair.ray);
    const CastEnd end = cast.run(start_of(pair.frame), budget_left(), is_curved());
    count(cast.supports());
    clear_at_start = cast.clear_at_start() > pair.errors.plane;
    if (cast.has_plane()) hints[hint_count++] = unit(pair.frame.turned(cast.plane()));
    for (int i = 0; i < cast.simplex().count && i < 3; ++i)
      hints[hint_count++] = unit(pair.frame.turned(cast.direction(i)));
    if (cast.is_apart()) {
      be_apart();
      return true;
    }
    impact.time_lower = cast.lower();
    impact.time_upper = cast.out();
    estimate = cast.has_plane() ? cast.estimate() : 0;
    Vec3 core_a, core_b;
    cast.witnesses(core_a, core_b);
    set_time();
    const Vec3 between = (core_b - core_a) + pair.ray.along * cast.time();
    set_place(cast.simplex().count > 0 ? pair.frame.to_world(core_a) : pair.a.pose.translation(),
              pair.frame.turned(between) / pair.frame.scale,
              pair.frame.turned(cast.has_plane() ? cast.plane() : cast.v()));
    if (end == CastEnd::budget) {
      impact.stop = Stop::budget;
      return true;
    }
    if (!cast.has_plane() || !(cast.closing() > 0)) return false;

    const double gap = cast.gap(pair.thinner);
    const double errors = pair.errors.plane + pair.errors.point;
    const Vec3 n = cast.plane() * (1 / norm(cast.plane()));
    const SupportPoint<Vec3> back = pair.support(n);
    count(1);
    const double width = dot(n, back.a - back.b) + pair.frame.radii - cast.estimate() * cast.closing();
    convex::WarmStart warm;
    if (pair.frame.has_vertices()) {
      warm.count = std::min(cast.simplex().count, 3);
      for (int i = 0; i < warm.count; ++i) {
        warm.a[static_cast<std::size_t>(i)] = cast.point(i).vertex_a;
        warm.b[static_cast<std::size_t>(i)] = cast.point(i).vertex_b;
      }
    }
    double depth = std::min(0x1p-10 * pair.bodies, width / 4);
    if (pair.frame.radii > 2048 * errors) depth = std::min(depth, pair.frame.radii / 2);
    constexpr int max_tries = 3;
    double until = std::min(1.0, cast.out());
    double best = HUGE_VAL;
    for (int i = 0; i < max_tries && depth > 4 * errors; ++i, depth *= 0x1p-8) {
      const double later = std::min(until, cast.time() + depth / cast.closing());
      if (!(later > cast.time())) break;
      const double possible = (later - cast.time()) * cast.closing();
      const double ball = ball_about(pair, later, possible, warm, impact.cost);
      if (!(ball > 0)) continue;
      const double upper = time_in_cone(cast.time(), gap, later, ball);
      if (upper < best) {
        best = upper;
        ball_time = later;
        ball_radius = ball;
      }
      if (ball * 16 > possible) break;
    }
    if (best > 1) return false;
    impact.certain = true;
    impact.time_upper = best;
    set_time();
    const double spread = best - impact.time_lower;
    if (spread <= goal.tolerance) {
      impact.stop = Stop::tolerance;
      return true;
    }
    // As good as rounding allows, or so tight, relative to the bodies' own size, that more is not worth its cost.
    // (Where the bodies graze each other, rounding allows little, and more digits tell more.)
    const double rounding = (errors + impact.time_lower * pair.ray.error) / pair.ray.length;
    const double enough = std::max(0x1p7 * rounding, 0x1p-36 * std::min(1.0, pair.bodies / pair.ray.length));
    if (spread <= enough) return true;
    // More digits do not help against the error of a user's support function.
    const double declared = (pair.a.support_error + pair.b.support_error) * pair.frame.scale;
    if (!(declared > errors / 4)) return false;
    impact.stop = Stop::limit;
    return true;
  }

  void on_double_doubles() {
    const ExactPair exact(a, b);
    if (!(exact.ray.length < 0x1p400)) {
      set_place(a.body.pose.translation(), Vector3::Zero(), Vector3::Zero());
      impact.stop = Stop::limit;
      return;
    }
    RayCast<Vector3dd, const ExactPair> cast(exact, exact.errors, exact.ray);
    for (std::size_t i = 0; i < hint_count; ++i)
      if (!hints[i].isZero(0)) cast.prime(geometry::to_double_double(hints[i]));
    const CastEnd end = cast.run(exact.start(), budget_left(), is_curved());
    count(cast.supports());
    if (cast.is_apart()) return be_apart();
    impact.time_lower = std::max(impact.time_lower, cast.lower());
    impact.time_upper = std::min(impact.time_upper, cast.out());
    if (cast.has_plane()) estimate = cast.estimate();
    Vector3dd core_a, core_b;
    cast.witnesses(core_a, core_b);
    const Vector3 v = to_vector3(cast.has_plane() ? cast.plane() : cast.v());
    const auto finish = [&](Stop stop) {
      set_time();
      const Vector3dd between = (core_b - core_a) + exact.ray.along * cast.time();
      set_place(exact.in_world(core_a), to_vector3(between) / exact.scale, v);
      impact.stop = stop;
    };
    if (impact.time_lower > impact.time_upper) return be_apart();
    if (end == CastEnd::budget) return finish(Stop::budget);
    const double gap = cast.gap(0);
    double later = ball_time, ball = ball_radius / pair.frame.scale * exact.scale * (1 - 0x1p-40), parted = 1;
    if (!(ball > 0)) {
      // From the other end: when the bodies separate again. Halfway between they are deepest in each other, or nearly
      // so.
      RayCast<Vector3dd, const ExactPair> back(exact, exact.errors, exact.ray_back());
      back.prime(geometry::to_double_double(unit(-v)));
      back.run(exact.start(), budget_left(), is_curved());
      count(back.supports());
      parted = std::nextafter(1 - back.lower(), 2.0);
      if (back.is_apart() || parted < impact.time_lower) return be_apart();
      later = std::min(1.0, impact.time_lower + (std::min(parted, 1.0) - impact.time_lower) / 2);
      if (pair.in_range) {
        ball = ball_about(pair, later, 0, {}, impact.cost) / pair.frame.scale * exact.scale * (1 - 0x1p-40);
      }
      if (!(ball > 0x1p-30 * exact.size)) {
        int supports = 0;
        ball = std::max(ball, exact.ball_about(later, supports));
        count(supports);
      }
    }
    double upper = HUGE_VAL;
    if (ball > 0) upper = time_in_cone(cast.time(), gap, later, ball);
    upper = std::min(upper, time_through_triangle(cast, exact));
    if (upper <= 1) {
      impact.time_upper = std::min(upper, impact.time_upper);
      impact.certain = true;
    }
    impact.time_upper = std::min(impact.time_upper, std::max(parted, impact.time_lower));
    const double spread = impact.time_upper - impact.time_lower;
    const bool tight = spread <= 0x1p-40;
    finish(tight ? Stop::exact : spread <= goal.tolerance ? Stop::tolerance : Stop::limit);
  }
};

}  // namespace

Impact cast_convex_convex(const MovingBody& first, const MovingBody& second, const CastGoal& goal,
                          bool& apart_at_start) {
  const bool swapped = comes_first(second.body, first.body);
  CastSearch search(swapped ? second : first, swapped ? first : second, goal);
  bool clear = false;
  const bool known = search.on_doubles(clear);
  if (clear) apart_at_start = true;
  if (!known && apart_at_start) search.on_double_doubles();
  if (swapped) search.impact.normal = -search.impact.normal;
  return search.impact;
}

Swept swept_convex_convex(const MovingBody& first, const MovingBody& second, Cost& cost) {
  const bool swapped = comes_first(second.body, first.body);
  DoublePair pair;
  set_up(swapped ? second : first, swapped ? first : second, pair);
  if (!pair.in_range) return Swept::open;
  // The difference of a and the swept b: points a - b - t d. Its support against v has t = 1 if and only if v · d > 0
  // (P. G. Xavier 1997; C. Ericson 2004).
  const Vec3 d = pair.ray.along;
  const double moved = pair.ray.error + 4 * unit_roundoff * pair.ray.length;
  const double plane = pair.errors.plane + moved, point = pair.errors.point + moved;
  const double radius = pair.frame.radii;
  convex::GjkGoal goal;
  // Cases less clear than this are left to the search for the first contact, so that the two functions agree.
  const double clear = 2 * plane;
  goal.stop_above = (radius + plane + clear) * (1 + 16 * unit_roundoff);
  if (radius > 0) goal.stop_below = radius * (1 - 16 * unit_roundoff) - pair.thinner - 2 * point;
  GjkLoop<Vec3> loop(start_of(pair.frame), point, goal);
  bool more = true;
  while (more) {
    SupportPoint<Vec3> found = pair.support(-loop.v());
    if (dot(loop.v(), d) > 0) found.b = found.b + d;
    // Two points with the same vertices may be a whole displacement apart.
    found.vertex_a = found.vertex_b = SupportPoint<Vec3>::no_vertex;
    more = loop.add(found);
  }
  cost.primitive_tests += static_cast<std::uint64_t>(loop.supports());
  Vec3 a, b;
  loop.witnesses(a, b);
  if (loop.simplex().count > 0) check_bounds(pair.frame, loop.lower() - 2 * moved, norm(a - b));
  if (loop.lower() * (1 - 8 * unit_roundoff) - radius * (1 + 8 * unit_roundoff) > plane + clear) return Swept::apart;
  if (loop.simplex().count > 0 &&
      norm(a - b) * (1 + 8 * unit_roundoff) + point < radius * (1 - 8 * unit_roundoff) - pair.thinner)
    return Swept::touch;
  if (loop.end() == GjkEnd::inside && loop.simplex().count == 4) {
    const double margin = convex::tetrahedron_margin(loop.simplex().w, pair.frame.size + pair.ray.length);
    if (margin * (1 - 0x1p-48) > point) return Swept::touch;
  }
  return Swept::open;
}

}  // namespace whisker::motion
