#include <algorithm>
#include <cmath>
#include <string>

#include <whisker/error.hpp>
#include <whisker/moving_features.hpp>
#include <whisker/triangle_tests.hpp>

#include "motion/linear_contact.hpp"

namespace whisker {
namespace {

using motion::LinearAnswer;
using motion::LinearGoal;
using motion::LinearPolygon;

constexpr double u = 0x1p-53;

/// The corners of one feature at both ends.
struct Feature {
  const Vector3* start[3];
  const Vector3* end[3];
};
Feature feature(const MovingPoint& p) {
  return {{&p.start}, {&p.end}};
}
Feature feature(const MovingSegment& s) {
  return {{&s.start.a, &s.start.b}, {&s.end.a, &s.end.b}};
}
Feature feature(const MovingTriangle& t) {
  return {{&t.start.a, &t.start.b, &t.start.c}, {&t.end.a, &t.end.b, &t.end.c}};
}

/// Two features as a polygon: its corner k is the difference of corner first[k] of a and corner second[k] of b; its
/// side k goes along a's or b's side.
struct Layout {
  int corners_a, corners_b;
  int count;
  int a[4], b[4];
};
// All as the corner of the second less that of the first, or the other way round: the origin does not mind.
constexpr Layout point_point = {1, 1, 1, {0}, {0}};
constexpr Layout point_segment = {1, 2, 2, {0, 0}, {0, 1}};
constexpr Layout point_triangle = {1, 3, 3, {0, 0, 0}, {0, 1, 2}};
constexpr Layout segment_segment = {2, 2, 4, {0, 1, 1, 0}, {0, 0, 1, 1}};

void check(const FeatureImpactOptions& options) {
  if (!(options.tolerance >= 0)) throw Error("first contact of features: the tolerance must be a length, 0 or larger");
  if (!(options.time_tolerance >= 0))
    throw Error("first contact of features: the tolerance in time must be 0 or larger");
  if (!(options.separation >= 0) || !(options.separation <= largest_coordinate))
    throw Error("first contact of features: the separation must be a length, 0 or larger");
  if (!(options.until >= 0) || !(options.until <= 1))
    throw Error("first contact of features: `until` must be a time from 0 to 1");
}

[[noreturn]] void refuse() {
  throw Error("first contact of features: a coordinate is not finite, or beyond 1e90");
}

/// False if they are apart along an axis at both ends, and so always: then the polygon is not all set. Comparisons of
/// input coordinates, which are exact.
bool set_polygon(const Feature& a, const Feature& b, const Layout& layout, double separation, LinearPolygon& p) {
  bool is_fine = true;
  const auto look = [&](const Vector3& v) {
    for (int k = 0; k < 3; ++k)
      is_fine &= std::abs(v[k]) <= largest_coordinate;
  };
  for (int i = 0; i < layout.corners_a; ++i) {
    look(*a.start[i]);
    look(*a.end[i]);
  }
  for (int i = 0; i < layout.corners_b; ++i) {
    look(*b.start[i]);
    look(*b.end[i]);
  }
  if (!is_fine) refuse();
  p.count = layout.count;
  bool keeps_apart = false;
  double largest = 0;
  double ends[4][3];
  for (int k = 0; k < 3; ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < layout.count; ++i) {
      const double first = (*b.start[layout.b[i]])[k] - (*a.start[layout.a[i]])[k];
      const double last = (*b.end[layout.b[i]])[k] - (*a.end[layout.a[i]])[k];
      p.x[i][k] = first;
      ends[i][k] = last;
      low = std::min({low, first, last});
      high = std::max({high, first, last});
    }
    p.size_x[k] = std::max(std::abs(low), std::abs(high));
    largest = std::max(largest, p.size_x[k]);
    keeps_apart = keeps_apart || low > separation * (1 + 4 * u) || high < -separation * (1 + 4 * u);
  }
  if (keeps_apart) return false;

  // Squares and cubes of them stay well within the doubles.
  const bool is_plain = largest == 0 || (largest > 0x1p-100 && largest < 0x1p100);
  // The scale of the least of numbers, 2^1074, is no double.
  p.scale = is_plain ? 1 : std::ldexp(1.0, std::min(-std::ilogb(largest), 1023));
  if (p.scale != 1) {
    for (int k = 0; k < 3; ++k) {
      p.size_x[k] *= p.scale;
      for (int i = 0; i < layout.count; ++i) {
        p.x[i][k] *= p.scale;
        ends[i][k] *= p.scale;
      }
    }
  }
  for (int k = 0; k < 3; ++k) {
    p.size_e[k] = 0;
    for (int i = 0; i < layout.count; ++i) {
      p.dx[i][k] = ends[i][k] - p.x[i][k];
      // Straight from the input: a side is smaller than what its corners are rounded by, where features are far apart.
      const int j = (i + 1) % layout.count;
      const bool of_a = layout.a[i] != layout.a[j];
      const double first = of_a ? (*a.start[layout.a[i]])[k] - (*a.start[layout.a[j]])[k]
                                : (*b.start[layout.b[j]])[k] - (*b.start[layout.b[i]])[k];
      const double last = of_a ? (*a.end[layout.a[i]])[k] - (*a.end[layout.a[j]])[k]
                               : (*b.end[layout.b[j]])[k] - (*b.end[layout.b[i]])[k];
      p.e[i][k] = first * p.scale;
      p.de[i][k] = last * p.scale - first * p.scale;
      p.size_e[k] = std::max({p.size_e[k], std::abs(first * p.scale), std::abs(last * p.scale)});
    }
  }
  // Coordinates at any time are off by `interpolation` of their size. Products of three of them and their sums, by
  // another seven roundings; products of two by another three. Docs: guarantees.md.
  constexpr double floor = 0x1p-860;
  const double *x = p.size_x, *e = p.size_e;
  p.cubic_error = 64 * u * ((x[0] * e[1] * e[2] + e[0] * x[1] * e[2]) + e[0] * e[1] * x[2]) + floor;
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    p.quadratic_error[k] = 20 * u * (x[i] * e[j] + x[j] * e[i]) + floor;
  }
  return true;
}

/// The largest change of a coordinate of a corner of the polygon, in the user's unit.
double largest_change(const LinearPolygon& p) {
  double largest = 0;
  for (int i = 0; i < p.count; ++i)
    for (int k = 0; k < 3; ++k)
      largest = std::max(largest, std::abs(p.dx[i][k]));
  return largest / p.scale;
}

bool touch_at_start(const Feature& a, const Feature& b, const Layout& layout) {
  const auto corner = [](const Feature& f, int i) -> const Vector3& { return *f.start[i]; };
  if (layout.corners_a == 2) return touches_segment_segment({corner(a, 0), corner(a, 1)}, {corner(b, 0), corner(b, 1)});
  if (layout.corners_b == 1) return corner(a, 0) == corner(b, 0);
  if (layout.corners_b == 2) return touches_point_segment(corner(a, 0), {corner(b, 0), corner(b, 1)});
  return touches_point_triangle(corner(a, 0), {corner(b, 0), corner(b, 1), corner(b, 2)});
}

Vector3 unit(const Vector3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return Vector3::Zero();
  // Lengths near the end of the doubles have few bits.
  const Vector3 scaled = largest > 0x1p-400 && largest < 0x1p400 ? v : Vector3(v / largest);
  return scaled / scaled.norm();
}

/// Normal and weights, at time t.
void describe(const LinearPolygon& p, const Layout& layout, double t, FeatureImpact& impact) {
  const motion::NearestOfPolygon nearest = motion::nearest_of_polygon(p, t);
  for (int i = 0; i < p.count; ++i) {
    impact.weights_a[static_cast<std::size_t>(layout.a[i])] += nearest.weight[i];
    impact.weights_b[static_cast<std::size_t>(layout.b[i])] += nearest.weight[i];
  }
  // Sums are rounded.
  for (double& weight : impact.weights_a)
    weight = std::min(weight, 1.0);
  for (double& weight : impact.weights_b)
    weight = std::min(weight, 1.0);
  // From a to b just before: across both, on the side where b was; where they have no plane, along the way that is
  // left.
  const auto at = [&](const double(&start)[4][3], const double(&change)[4][3], int i, double time) {
    return Vector3(start[i][0] + time * change[i][0], start[i][1] + time * change[i][1],
                   start[i][2] + time * change[i][2]);
  };
  Vector3 before = Vector3::Zero(), way = Vector3::Zero();
  for (int i = 0; i < p.count; ++i) {
    before += nearest.weight[i] * at(p.x, p.dx, i, 0);
    way += nearest.weight[i] * Vector3(p.dx[i][0], p.dx[i][1], p.dx[i][2]);
  }
  Vector3 normal = Vector3::Zero();
  if (p.count >= 3) {
    const Vector3 e = at(p.e, p.de, 0, t), f = at(p.e, p.de, 1, t);
    const Vector3 across = e.cross(f);
    if (across.norm() > 0x1p-40 * e.norm() * f.norm()) normal = across;
  }
  if (normal.isZero(0)) {
    // The part of the way across the polygon, if it is a segment.
    normal = before.isZero(0) ? Vector3(-way) : before;
    Vector3 side = Vector3::Zero();
    for (int i = 0; p.count > 1 && i < p.count; ++i) {
      const Vector3 one = at(p.e, p.de, i, t);
      if (one.norm() > side.norm()) side = one;
    }
    if (!side.isZero(0)) {
      const Vector3 rest = normal - side * (normal.dot(side) / side.squaredNorm());
      if (rest.norm() > 0x1p-40 * normal.norm()) normal = rest;
    }
  }
  // The side on which b is before the contact; at the start, the side that it goes to.
  const double side = before.isZero(0) ? -normal.dot(way) : normal.dot(before);
  impact.normal = unit(side < 0 ? Vector3(-normal) : normal);
  if (impact.normal.isZero(0)) impact.normal = Vector3::UnitX();
}

FeatureImpact first_contact(const Feature& a, const Feature& b, const Layout& layout,
                            const FeatureImpactOptions& options) {
  FeatureImpact impact;
  LinearPolygon polygon;
  if (!set_polygon(a, b, layout, options.separation, polygon)) return impact;
  LinearGoal goal;
  goal.until = options.until;
  goal.separation = options.separation * polygon.scale;
  const double change = largest_change(polygon);
  goal.width = std::max(options.time_tolerance, change > 0 ? options.tolerance / change : 1.0);
  LinearAnswer answer;
  if (polygon.count >= 3 && options.separation == 0) {
    motion::first_contact_polygon(polygon, goal, answer);
  } else {
    motion::first_contact_by_axes(polygon, goal, answer);
  }
  if (answer.apart) return impact;

  impact.status = ImpactStatus::touch;
  impact.time_lower = answer.lower;
  impact.time_upper = answer.upper;
  impact.certain = answer.certain;
  impact.stop = answer.limited ? Stop::limit : Stop::tolerance;
  if (answer.lower == 0) {
    bool touching = touch_at_start(a, b, layout);
    if (!touching && options.separation > 0) {
      LinearAnswer start;
      motion::first_contact_by_axes(polygon, {0, 0, goal.separation}, start);
      touching = start.certain;
    }
    if (touching) {
      impact.status = ImpactStatus::touching_at_start;
      impact.time_upper = 0;
      impact.certain = true;
      impact.stop = Stop::exact;
    } else if (options.until == 0 && options.separation == 0) {
      return FeatureImpact{};
    } else if (change == 0 && options.separation == 0 && polygon.scale == 1) {
      bool moves = false;
      for (int i = 0; i < layout.corners_a; ++i)
        moves = moves || *a.start[i] != *a.end[i];
      for (int i = 0; i < layout.corners_b; ++i)
        moves = moves || *b.start[i] != *b.end[i];
      if (!moves) return FeatureImpact{};
    }
  }
  describe(polygon, layout, impact.time_lower + (impact.time_upper - impact.time_lower) / 2, impact);
  return impact;
}

/// Triangles that share points, of which none is a corner on a face or a crossing of sides.
void set_piercing(const Triangle& a, const Triangle& b, FeatureImpact& impact) {
  impact = FeatureImpact{};
  impact.status = ImpactStatus::touching_at_start;
  impact.time_lower = impact.time_upper = 0;
  const Vector3 point = intersect_triangle_triangle(a, b).points[0];
  const auto weights = [&](const Triangle& t) {
    const Vector3 corners[3] = {t.a - point, t.b - point, t.c - point};
    const double largest = std::max(
        {corners[0].cwiseAbs().maxCoeff(), corners[1].cwiseAbs().maxCoeff(), corners[2].cwiseAbs().maxCoeff()});
    LinearPolygon polygon;
    polygon.count = 3;
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        polygon.x[i][k] = corners[i][k] / largest;
        polygon.dx[i][k] = 0;
      }
    }
    const motion::NearestOfPolygon nearest = motion::nearest_of_polygon(polygon, 0);
    return std::array<double, 3>{nearest.weight[0], nearest.weight[1], nearest.weight[2]};
  };
  impact.weights_a = weights(a);
  impact.weights_b = weights(b);
  // Across one that has an area: both have, or a side of the one without pierces the other.
  const auto across = [](const Triangle& t) { return unit(unit(t.b - t.a).cross(unit(t.c - t.a))); };
  Vector3 normal = across(b);
  if (normal.isZero(0)) normal = across(a);
  const double side = normal.dot(((b.a - a.a) + (b.b - a.b)) + (b.c - a.c));
  impact.normal = side < 0 ? Vector3(-normal) : normal;
}

}  // namespace

FeatureImpact first_contact_point_point(const MovingPoint& a, const MovingPoint& b,
                                        const FeatureImpactOptions& options) {
  check(options);
  return first_contact(feature(a), feature(b), point_point, options);
}

FeatureImpact first_contact_point_segment(const MovingPoint& a, const MovingSegment& b,
                                          const FeatureImpactOptions& options) {
  check(options);
  return first_contact(feature(a), feature(b), point_segment, options);
}

FeatureImpact first_contact_point_triangle(const MovingPoint& a, const MovingTriangle& b,
                                           const FeatureImpactOptions& options) {
  check(options);
  return first_contact(feature(a), feature(b), point_triangle, options);
}

FeatureImpact first_contact_segment_segment(const MovingSegment& a, const MovingSegment& b,
                                            const FeatureImpactOptions& options) {
  check(options);
  return first_contact(feature(a), feature(b), segment_segment, options);
}

FeatureImpact first_contact_triangle_triangle(const MovingTriangle& a, const MovingTriangle& b,
                                              const FeatureImpactOptions& options) {
  check(options);
  const Feature fa = feature(a), fb = feature(b);
  FeatureImpact first;
  FeatureImpactOptions left = options;
  // The tolerance is about all corners, not about those of a part alone.
  double change = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      change = std::max(change, ((*fb.end[j] - *fa.end[i]) - (*fb.start[j] - *fa.start[i])).cwiseAbs().maxCoeff());
  left.time_tolerance = std::max(options.time_tolerance, change > 0 ? options.tolerance / change : 1.0);
  left.tolerance = 0;
  const auto sooner = [&](const FeatureImpact& found) {
    if (found.status == ImpactStatus::apart) return false;
    if (first.status == ImpactStatus::apart) return true;
    if (found.time_lower != first.time_lower) return found.time_lower < first.time_lower;
    return found.certain && !first.certain;
  };
  // Where the corners of a part are among those of the triangle.
  const auto put = [](std::array<double, 3>& weights, int count, const int(&corner)[3]) {
    std::array<double, 3> all = {};
    for (int i = 0; i < count; ++i)
      all[static_cast<std::size_t>(corner[i])] = weights[static_cast<std::size_t>(i)];
    weights = all;
  };
  FeatureImpact proof;  // the certain contact that is proven to begin first
  bool certain = false;
  const auto take = [&](FeatureImpact& found) {
    if (found.status == ImpactStatus::apart) return;
    if (found.certain && (!certain || found.time_upper < proof.time_upper)) {
      proof = found;
      certain = true;
      // What begins later does not matter.
      left.until = std::min(left.until, proof.time_upper);
    }
    if (sooner(found)) first = found;
  };
  constexpr int whole[3] = {0, 1, 2};
  for (int i = 0; i < 3; ++i) {
    const int corner[3] = {i, i, i};
    FeatureImpact of_a = first_contact({{fa.start[i]}, {fa.end[i]}}, fb, point_triangle, left);
    put(of_a.weights_a, 1, corner);
    put(of_a.weights_b, 3, whole);
    take(of_a);
    FeatureImpact of_b = first_contact({{fb.start[i]}, {fb.end[i]}}, fa, point_triangle, left);
    std::swap(of_b.weights_a, of_b.weights_b);
    put(of_b.weights_b, 1, corner);
    of_b.normal = -of_b.normal;
    take(of_b);
  }
  for (int i = 0; i < 3; ++i) {
    const int ia[3] = {i, (i + 1) % 3, 0};
    const Feature side_a = {{fa.start[ia[0]], fa.start[ia[1]]}, {fa.end[ia[0]], fa.end[ia[1]]}};
    for (int j = 0; j < 3; ++j) {
      const int jb[3] = {j, (j + 1) % 3, 0};
      const Feature side_b = {{fb.start[jb[0]], fb.start[jb[1]]}, {fb.end[jb[0]], fb.end[jb[1]]}};
      FeatureImpact of_sides = first_contact(side_a, side_b, segment_segment, left);
      put(of_sides.weights_a, 2, ia);
      put(of_sides.weights_b, 2, jb);
      take(of_sides);
    }
  }
  // Triangles may pierce each other at the start without any of these.
  if (first.status != ImpactStatus::touching_at_start && touches_triangle_triangle(a.start, b.start)) {
    set_piercing(a.start, b.start, first);
    return first;
  }
  if (certain) {
    const double width = first.time_upper - first.time_lower, lower = first.time_lower;
    first = proof;
    first.time_lower = std::min(lower, proof.time_upper);
    // An earlier one, neither proven nor excluded, keeps the bounds apart.
    if (first.time_upper - first.time_lower > width) first.stop = Stop::limit;
  }
  return first;
}

namespace {

template <class Question>
void all_first_contacts(std::span<const Question> questions, std::span<FeatureImpact> results, const Layout& layout,
                        const FeatureImpactOptions& options) {
  check(options);
  if (questions.size() != results.size()) {
    throw Error("first contacts of features: " + std::to_string(questions.size()) + " questions, but " +
                std::to_string(results.size()) + " results; there must be one for each");
  }
  for (std::size_t i = 0; i < questions.size(); ++i)
    results[i] = first_contact(feature(questions[i].a), feature(questions[i].b), layout, options);
}

}  // namespace

void first_contacts(std::span<const PointTriangle> questions, std::span<FeatureImpact> results,
                    const FeatureImpactOptions& options) {
  all_first_contacts(questions, results, point_triangle, options);
}

void first_contacts(std::span<const SegmentSegment> questions, std::span<FeatureImpact> results,
                    const FeatureImpactOptions& options) {
  all_first_contacts(questions, results, segment_segment, options);
}

}  // namespace whisker
