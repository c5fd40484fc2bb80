// First contact of points, segments and triangles whose corners move linearly: constructed contacts, exact truth in
// integers on random and nearly degenerate motion, and closed forms.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/moving_features.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/simd.hpp>

#include "support/cases.hpp"
#include "support/exact_motion.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_vector;
using test::seeded;
using test::uniform;
using test::whole;
using test::exact_motion::corners;
using test::exact_motion::Pair;
using test::exact_motion::Root;
using Generator = std::mt19937_64;
using Corners = std::vector<MovingPoint>;

bool chance(Generator& random, int one_in) {
  return whole(random, 1, one_in) == 1;
}

Vector3 on_grid(Generator& random, int half) {
  const int x = whole(random, -half, half), y = whole(random, -half, half), z = whole(random, -half, half);
  return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Features given by their corners

enum class Kind { point_point, point_segment, point_triangle, segment_segment, triangle_triangle };

struct Question {
  Kind kind = Kind::point_triangle;
  Corners a, b;
};

MovingSegment segment(const Corners& c) {
  return {{c[0].start, c[1].start}, {c[0].end, c[1].end}};
}

MovingTriangle triangle(const Corners& c) {
  return {{c[0].start, c[1].start, c[2].start}, {c[0].end, c[1].end, c[2].end}};
}

FeatureImpact ask(const Question& q, const FeatureImpactOptions& options = {}) {
  switch (q.kind) {
    case Kind::point_point:
      return first_contact_point_point(q.a[0], q.b[0], options);
    case Kind::point_segment:
      return first_contact_point_segment(q.a[0], segment(q.b), options);
    case Kind::point_triangle:
      return first_contact_point_triangle(q.a[0], triangle(q.b), options);
    case Kind::segment_segment:
      return first_contact_segment_segment(segment(q.a), segment(q.b), options);
    case Kind::triangle_triangle:
      return first_contact_triangle_triangle(triangle(q.a), triangle(q.b), options);
  }
  return {};
}

/// The parts by which two features touch: the pair itself, or fifteen pairs for two triangles.
std::vector<Question> parts_of(const Question& q) {
  if (q.kind != Kind::triangle_triangle) return {q};
  std::vector<Question> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    parts.push_back({Kind::point_triangle, {q.a[i]}, q.b});
    parts.push_back({Kind::point_triangle, {q.b[i]}, q.a});
    for (std::size_t j = 0; j < 3; ++j)
      parts.push_back({Kind::segment_segment, {q.a[i], q.a[(i + 1) % 3]}, {q.b[j], q.b[(j + 1) % 3]}});
  }
  return parts;
}

std::optional<Root> truth_of(const Question& q, const FeatureImpactOptions& options) {
  std::optional<Root> first;
  for (const Question& part : parts_of(q)) {
    const Pair pair(part.a, part.b);
    std::optional<Root> time = options.separation > 0 ? pair.first_within(options.separation, options.until)
                                                      : pair.first_contact(options.until);
    if (time && (!first || time->compare(*first) < 0)) first = time;
  }
  return first;
}

std::string text_of(const Question& q) {
  std::ostringstream out;
  out << std::hexfloat;
  for (const Corners* corners : {&q.a, &q.b}) {
    for (const MovingPoint& p : *corners)
      out << "\n  {{" << p.start.x() << ", " << p.start.y() << ", " << p.start.z() << "}, {" << p.end.x() << ", "
          << p.end.y() << ", " << p.end.z() << "}}";
  }
  return out.str();
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances at a given time, to about 1e-18 of the coordinates

using Long = long double;
using Long3 = Eigen::Matrix<Long, 3, 1>;

Long3 at(const MovingPoint& p, Long time) {
  return p.start.cast<Long>() + time * (p.end.cast<Long>() - p.start.cast<Long>());
}

Long gap_to_segment(const Long3& p, const Long3& a, const Long3& b) {
  const Long3 e = b - a;
  const Long length = e.squaredNorm();
  const Long share = length > 0 ? std::clamp<Long>((p - a).dot(e) / length, 0, 1) : 0;
  return (a + share * e - p).norm();
}

Long gap_to_triangle(const Long3& p, const Long3& a, const Long3& b, const Long3& c) {
  const Long3 n = (b - a).cross(c - a);
  const bool over =
      (b - a).cross(p - a).dot(n) > 0 && (c - b).cross(p - b).dot(n) > 0 && (a - c).cross(p - c).dot(n) > 0;
  // The edges are also tried: over a sliver, the distance along the normal is mostly rounding error.
  const Long straight = over ? std::abs((p - a).dot(n)) / n.norm() : std::numeric_limits<Long>::infinity();
  return std::min({straight, gap_to_segment(p, a, b), gap_to_segment(p, b, c), gap_to_segment(p, c, a)});
}

Long gap_of_segments(const Long3& a, const Long3& b, const Long3& c, const Long3& d) {
  const Long3 e = b - a, f = d - c, w = c - a, n = e.cross(f);
  const Long nn = n.squaredNorm(), s = w.cross(f).dot(n), r = w.cross(e).dot(n);
  const bool crossing = s > 0 && s < nn && r > 0 && r < nn;
  const Long straight = crossing ? std::abs(w.dot(n)) / std::sqrt(nn) : std::numeric_limits<Long>::infinity();
  return std::min(
      {straight, gap_to_segment(a, c, d), gap_to_segment(b, c, d), gap_to_segment(c, a, b), gap_to_segment(d, a, b)});
}

Long gap_at(const Question& q, Long time) {
  Long least = std::numeric_limits<Long>::infinity();
  for (const Question& part : parts_of(q)) {
    const auto a = [&](std::size_t i) { return at(part.a[i], time); };
    const auto b = [&](std::size_t i) { return at(part.b[i], time); };
    Long gap = 0;
    if (part.kind == Kind::point_point) gap = (a(0) - b(0)).norm();
    if (part.kind == Kind::point_segment) gap = gap_to_segment(a(0), b(0), b(1));
    if (part.kind == Kind::point_triangle) gap = gap_to_triangle(a(0), b(0), b(1), b(2));
    if (part.kind == Kind::segment_segment) gap = gap_of_segments(a(0), a(1), b(0), b(1));
    least = std::min(least, gap);
  }
  return least;
}

/// The smallest gap over 65 times.
Long gap_between(const Question& q, double from, double to) {
  Long least = std::numeric_limits<Long>::infinity();
  for (int i = 0; i <= 64; ++i)
    least = std::min(least,
                     gap_at(q, from + (static_cast<Long>(to) - static_cast<Long>(from)) * static_cast<Long>(i) / 64));
  return least;
}

/// The largest change of any coordinate of the vector from a corner of a to a corner of b.
Long largest_change(const Question& q) {
  Long change = 0;
  for (const MovingPoint& p : q.a) {
    for (const MovingPoint& r : q.b) {
      const Long3 by = (r.end.cast<Long>() - r.start.cast<Long>()) - (p.end.cast<Long>() - p.start.cast<Long>());
      change = std::max(change, by.lpNorm<Eigen::Infinity>());
    }
  }
  return change;
}

Long largest_number(const Question& q) {
  Long largest = 0;
  for (const Corners* corners : {&q.a, &q.b}) {
    for (const MovingPoint& p : *corners)
      largest = std::max<Long>({largest, p.start.lpNorm<Eigen::Infinity>(), p.end.lpNorm<Eigen::Infinity>()});
  }
  return largest;
}

/// How flat the triangles are, or how nearly parallel the segments: the smallest sine of such an angle, at most 1.
Long thinness_at(const Question& q, Long time) {
  Long least = 1;
  const auto look_at = [&](const Long3& e, const Long3& f) {
    const Long both = e.norm() * f.norm();
    least = both > 0 ? std::min(least, e.cross(f).norm() / both) : 0;
  };
  for (const Question& part : parts_of(q)) {
    const auto edge = [&](const Corners& c, std::size_t i) {
      return Long3(at(c[(i + 1) % c.size()], time) - at(c[i], time));
    };
    if (part.kind == Kind::segment_segment) look_at(edge(part.a, 0), edge(part.b, 0));
    if (part.kind != Kind::point_triangle) continue;
    for (std::size_t i = 0; i < 3; ++i)
      look_at(edge(part.b, i), edge(part.b, (i + 1) % 3));
  }
  return least;
}

Long3 weighted(const Corners& c, const std::array<double, 3>& weights, Long time) {
  Long3 sum = Long3::Zero();
  for (std::size_t i = 0; i < c.size(); ++i)
    sum += static_cast<Long>(weights[i]) * at(c[i], time);
  return sum;
}

// ---------------------------------------------------------------------------------------------------------------------
// Checks of an answer

struct Tally {
  std::size_t asked = 0, contacts = 0, at_start = 0, certain = 0, uncertain = 0, alarms = 0, limits = 0;

  void print(const std::string& name) const {
    std::printf(
        "%-34s %7zu asked, %6zu contacts (%zu at the start), %6zu certain, %4zu uncertain, %4zu false alarms, "
        "%4zu limits\n",
        name.c_str(), asked, contacts, at_start, certain, uncertain, alarms, limits);
  }
};

std::string complaint_about_weights(const std::array<double, 3>& weights, std::size_t corner_count) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(weights[i] >= 0 && weights[i] <= 1)) return "a weight is not from 0 to 1";
    if (i >= corner_count && weights[i] != 0) return "a corner that is not there has a weight";
    sum += weights[i];
  }
  return std::abs(sum - 1) <= 1e-9 ? "" : "the weights do not add up to 1";
}

/// Describes what is wrong with the answer; empty if nothing is.
std::string complaint(const Question& q, const FeatureImpact& found, const FeatureImpactOptions& options,
                      Tally& tally) {
  std::optional<Root> truth = truth_of(q, options);
  const bool truth_at_start = truth && truth->compare(0.0) == 0;
  ++tally.asked;
  tally.contacts += truth.has_value();
  tally.at_start += truth_at_start;
  const bool is_triangles = q.a.size() == 3 && q.b.size() == 3;
  if (found.cost.primitive_tests != (is_triangles ? 15u : 1u)) return "the cost is not that of the pairs of features";

  if (found.status == ImpactStatus::apart) {
    if (truth) return "missed";
    const bool plain = found.time == 1 && found.time_lower == 1 && found.time_upper == 1 && found.certain &&
                       found.stop == Stop::exact && found.point == Vector3::Zero() && found.normal == Vector3::Zero() &&
                       found.weights_a == std::array<double, 3>{} && found.weights_b == std::array<double, 3>{};
    return plain ? "" : "apart, but with the fields of a contact";
  }

  tally.limits += found.stop == Stop::limit;
  if (std::string wrong = complaint_about_weights(found.weights_a, q.a.size()); !wrong.empty()) return "a: " + wrong;
  if (std::string wrong = complaint_about_weights(found.weights_b, q.b.size()); !wrong.empty()) return "b: " + wrong;
  if (!(std::abs(found.normal.norm() - 1) <= 1e-9)) return "the normal is not a unit vector";
  const Long rounding = 1e-12L * largest_number(q);
  const Long change = static_cast<Long>(found.time_upper - found.time_lower) * largest_change(q);
  // The position in a sliver of width w is accurate to 1e-16 / w, or to w on its boundary: to 1e-8 at worst.
  const Long thinness = thinness_at(q, found.time_lower);
  const Long misplaced = largest_number(q) * (thinness > 5e-5L ? 1e-12L / thinness : 2e-8L);
  if (!(found.time >= found.time_lower && found.time <= found.time_upper)) return "the time is not within its bounds";
  if (!is_triangles && found.time != found.time_lower + (found.time_upper - found.time_lower) / 2)
    return "the time is not the middle of its bounds";
  // For triangles that pierce each other, the point is known and the weights are computed from it.
  const Long3 between = (weighted(q.a, found.weights_a, found.time) + weighted(q.b, found.weights_b, found.time)) / 2;
  if ((found.point.cast<Long>() - between).norm() > rounding + (is_triangles ? misplaced : 0))
    return "the point is not between the weighted points";
  const Long apart =
      (weighted(q.a, found.weights_a, found.time_lower) - weighted(q.b, found.weights_b, found.time_lower)).norm();

  if (found.status == ImpactStatus::touching_at_start) {
    if (!truth_at_start) return "said to touch at the start";
    if (found.time_lower != 0 || found.time_upper != 0 || !found.certain || found.stop != Stop::exact)
      return "touching at the start, but with the fields of a later contact";
    if (apart > options.separation + 4 * options.tolerance + misplaced)
      return "the weighted points are apart at the start";
    return "";
  }

  if (truth_at_start && options.separation == 0) return "touching at the start was not said";
  if (!(found.time_lower >= 0 && found.time_lower <= found.time_upper && found.time_upper <= options.until))
    return "the times are out of order";
  if (truth && truth->compare(found.time_lower) < 0) return "time_lower is after the contact";
  if (found.certain && !truth) return "there is no contact, but it is certain";
  if (found.certain && truth->compare(found.time_upper) > 0) return "certain, but time_upper is before the contact";
  tally.certain += found.certain;
  tally.uncertain += !found.certain && truth;
  if (found.stop != Stop::limit && change > options.tolerance * (1 + 1e-9L) + 1e-18L * largest_number(q) &&
      found.time_upper - found.time_lower > options.time_tolerance)
    return "the bounds are wider than asked for";
  if (found.certain && apart > options.separation + 4 * std::max<Long>(options.tolerance, change) + misplaced)
    return "the weighted points are apart";
  if (!truth) {
    ++tally.alarms;
    const Long gap = gap_between(q, found.time_lower, found.time_upper) - static_cast<Long>(options.separation);
    // (If the search gave up, its bounds are all that it claims.) The plane of a triangle that collapses to a segment
    // is lost to rounding before the collapse.
    const Long lost = thinness > 5e-5L ? 0 : misplaced;
    if (found.stop != Stop::limit && gap > 2e-6L + options.tolerance + rounding + lost)
      return "an alarm, but the gap is " + std::to_string(static_cast<double>(gap));
  }
  return "";
}

::testing::AssertionResult right(const Question& q, Tally& tally, const FeatureImpactOptions& options = {}) {
  const FeatureImpact found = ask(q, options);
  const std::string wrong = complaint(q, found, options, tally);
  if (wrong.empty()) return ::testing::AssertionSuccess();
  std::optional<Root> truth = truth_of(q, options);
  if (truth) truth->refine_to(60);
  return ::testing::AssertionFailure() << wrong << "\n  status " << static_cast<int>(found.status) << ", from "
                                       << found.time_lower << " to " << found.time_upper
                                       << (found.certain ? ", certain" : ", uncertain") << ", stop "
                                       << static_cast<int>(found.stop) << "; truth "
                                       << (truth ? test::exact_motion::nearest(truth->low()) : -1.0) << "; until "
                                       << options.until << ", tolerance " << options.tolerance << ", separation "
                                       << options.separation << text_of(q);
}

/// Fails at the fifth wrong answer.
#define EXPECT_RIGHT(...)                                          \
  do {                                                             \
    const ::testing::AssertionResult result_ = right(__VA_ARGS__); \
    EXPECT_TRUE(result_);                                          \
    failures += !result_;                                          \
    if (failures >= 5) return;                                     \
  } while (false)

// ---------------------------------------------------------------------------------------------------------------------
// Constructed contacts: every number is a short binary fraction, so that nothing is rounded

struct Built {
  Question question;
  double time = 0;
};

double sixteenths(Generator& random) {
  return whole(random, 0, 16) / 16.0;
}

/// Corners at the time of contact, and their velocities.
struct Instant {
  std::vector<Vector3> a, b, speed_a, speed_b;
};

enum class InstantMotion { free, grazing, in_a_plane, translation, still_b, none };

Instant instant_of_contact(Generator& random, Kind kind) {
  Instant now;
  const auto motion = static_cast<InstantMotion>(whole(random, 0, 5));
  const Vector3 flat_u(1, whole(random, -3, 3), whole(random, -3, 3)), flat_v(0, 1, whole(random, -3, 3));
  const bool flat = motion == InstantMotion::in_a_plane;
  const auto place = [&](int half) {
    if (!flat) return on_grid(random, half);
    return Vector3(flat_u * whole(random, -half, half) + flat_v * whole(random, -half, half));
  };
  const std::size_t count_a = kind == Kind::segment_segment ? 2 : 1;
  const std::size_t count_b = kind == Kind::point_point ? 1 : kind == Kind::point_triangle ? 3 : 2;

  std::vector<double> share_a(count_a, 1), share_b(count_b, 1);
  const auto draw_shares = [&](std::vector<double>& share) {
    if (share.size() == 2) {
      const double s = chance(random, 3) ? whole(random, 0, 1) : sixteenths(random);
      share = {1 - s, s};
    } else if (share.size() == 3) {
      double s = sixteenths(random), r = whole(random, 0, static_cast<int>(16 * (1 - s))) / 16.0;
      if (chance(random, 3)) r = 0;
      if (chance(random, 4)) s = r = 0;
      share = {1 - s - r, s, r};
      std::rotate(share.begin(), share.begin() + whole(random, 0, 2), share.end());
    }
  };
  draw_shares(share_a);
  draw_shares(share_b);

  const int thin = whole(random, 0, 7);  // 0: b is a point, 1: b is on a line, 2: a is a point; at the time of contact
  for (std::size_t i = 0; i < count_b; ++i)
    now.b.push_back(place(8));
  if (thin == 0) now.b.assign(count_b, now.b[0]);
  if (thin == 1 && count_b == 3) now.b[2] = now.b[0] + whole(random, -8, 8) / 4.0 * (now.b[1] - now.b[0]);
  Vector3 common = Vector3::Zero();
  for (std::size_t i = 0; i < count_b; ++i)
    common += share_b[i] * now.b[i];
  if (count_a == 1) {
    now.a = {common};
  } else {
    Vector3 d = place(8);
    if (thin == 1) d = whole(random, -8, 8) / 4.0 * (now.b[1] - now.b[0]);  // parallel
    if (thin == 2) d.setZero();
    now.a = {common - share_a[1] * d, common + share_a[0] * d};
  }

  for (std::size_t i = 0; i < count_a; ++i)
    now.speed_a.push_back(place(8));
  for (std::size_t i = 0; i < count_b; ++i)
    now.speed_b.push_back(place(8));
  if (motion == InstantMotion::translation) {
    now.speed_a.assign(count_a, now.speed_a[0]);
    now.speed_b.assign(count_b, now.speed_b[0]);
  }
  if (motion == InstantMotion::still_b) now.speed_b.assign(count_b, Vector3::Zero());
  if (motion == InstantMotion::none) {
    now.speed_b.assign(count_b, now.speed_a[0]);
    now.speed_a.assign(count_a, now.speed_a[0]);
  }
  // Thin or parallel throughout, not only at the contact.
  if (thin <= 1 && chance(random, 2)) {
    if (thin == 0) now.speed_b.assign(count_b, now.speed_b[0]);
    if (count_b == 3) now.speed_b[2] = now.speed_b[0];
    if (count_b == 3 && thin == 1) now.speed_b[1] = now.speed_b[0];
    if (count_a == 2) now.speed_a[1] = now.speed_a[0] + 0.5 * (now.speed_b[1] - now.speed_b[0]);
  }
  if (motion == InstantMotion::grazing) {
    // The common point of a passes that of b within the plane of both.
    Vector3 relative = Vector3::Zero();
    for (std::size_t i = 0; i < count_b; ++i)
      relative += share_b[i] * now.speed_b[i];
    for (std::size_t i = 0; i < count_a; ++i)
      relative -= share_a[i] * now.speed_a[i];
    for (std::size_t i = 1; i < count_b; ++i)
      relative += whole(random, -2, 2) * (now.b[i] - now.b[0]);
    if (count_a == 2) relative += whole(random, -2, 2) * (now.a[1] - now.a[0]);
    for (Vector3& speed : now.speed_a)
      speed += relative;
  }
  return now;
}

Built built_contact(Generator& random, Kind kind) {
  const Instant now = instant_of_contact(random, kind);
  const int when = whole(random, 0, 9);
  const double time = when == 0 ? 0 : when == 1 ? 1 : whole(random, 1, 63) / 64.0;
  const double scale = std::ldexp(1, chance(random, 2) ? whole(random, -40, 40) : 0);
  const Vector3 offset =
      chance(random, 4) ? Vector3(std::ldexp(1, 30) * on_grid(random, 1)) : Vector3(on_grid(random, 4));
  Built built{{kind, {}, {}}, time};
  const auto add = [&](Corners& corners, const Vector3& place, const Vector3& speed) {
    corners.push_back({scale * (place + offset - time * speed), scale * (place + offset + (1 - time) * speed)});
  };
  for (std::size_t i = 0; i < now.a.size(); ++i)
    add(built.question.a, now.a[i], now.speed_a[i]);
  for (std::size_t i = 0; i < now.b.size(); ++i)
    add(built.question.b, now.b[i], now.speed_b[i]);
  return built;
}

TEST(MovingFeatures, ContactsThatWereBuiltAreFound) {
  auto random = seeded(6101);
  std::size_t failures = 0;
  for (const Kind kind : {Kind::point_point, Kind::point_segment, Kind::point_triangle, Kind::segment_segment}) {
    Tally tally;
    for (std::size_t i = 0; i < cases(1500); ++i) {
      const auto [question, time] = built_contact(random, kind);
      const Pair pair(question.a, question.b);
      ASSERT_TRUE(pair.touch_at(time)) << "not built as meant" << text_of(question);
      const std::optional<Root> first = pair.first_contact();
      ASSERT_TRUE(first && first->compare(time) <= 0) << "the oracle is wrong" << text_of(question);
      const FeatureImpact found = ask(question);
      EXPECT_NE(found.status, ImpactStatus::apart);
      EXPECT_LE(found.time_lower, time);
      FeatureImpactOptions options;
      EXPECT_RIGHT(question, tally, options);
      // Just in time, or just too late.
      options.until = time;
      EXPECT_NE(ask(question, options).status, ImpactStatus::apart);
      EXPECT_RIGHT(question, tally, options);
      options.until = time > 0 ? std::nextafter(time, 0) : 0;
      EXPECT_RIGHT(question, tally, options);
    }
    tally.print("built, kind " + std::to_string(static_cast<int>(kind)));
    // Points meet points and segments only by exact coincidence, which is not proven.
    const bool is_proven = kind == Kind::point_triangle || kind == Kind::segment_segment;
    EXPECT_EQ(tally.certain > 0, is_proven);
    EXPECT_EQ(tally.contacts - tally.certain - tally.at_start, tally.uncertain);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Random and nearly degenerate motion

enum class Family { uniform, near_touching, grid, coplanar, parallel, any_speed, slivers, translation };
constexpr std::array<const char*, 8> family_names = {"uniform",  "near touching", "integer grid", "coplanar",
                                                     "parallel", "any speed",     "slivers",      "translation"};

Vector3 any_place(Generator& random) {
  return random_vector(random, 1);
}

/// Moves a so that it nearly touches b at a random time, at a distance of `off` along a direction that separates them.
void bring_near(Generator& random, Question& q, double off) {
  const double time = uniform(random, 0, 1);
  const auto shares = [&](std::size_t count) {
    std::vector<double> share(count, 1);
    double sum = 0;
    for (double& s : share)
      sum += s = chance(random, 6) ? 0 : uniform(random, 0, 1);
    for (double& s : share)
      s = sum > 0 ? s / sum : 1 / static_cast<double>(count);
    return share;
  };
  const auto point = [&](const Corners& c) {
    const std::vector<double> share = shares(c.size());
    Vector3 sum = Vector3::Zero();
    for (std::size_t i = 0; i < c.size(); ++i)
      sum += share[i] * (c[i].start + time * (c[i].end - c[i].start));
    return sum;
  };
  const auto edge = [&](const Corners& c, std::size_t i) {
    return Vector3(c[i].start - c[0].start + time * (c[i].end - c[i].start - c[0].end + c[0].start));
  };
  Vector3 normal = q.a.size() == 2 && q.b.size() == 2 ? edge(q.a, 1).cross(edge(q.b, 1))
                   : q.b.size() == 3                  ? edge(q.b, 1).cross(edge(q.b, 2))
                                                      : random_vector(random, 1);
  normal = normal.norm() > 0 ? Vector3(normal.normalized()) : Vector3(Vector3::UnitZ());
  const Vector3 by = point(q.b) - point(q.a) + off * normal;
  for (MovingPoint& p : q.a) {
    p.start += by;
    p.end += by;
  }
}

double small_number(Generator& random) {
  return chance(random, 3) ? 0 : std::pow(10.0, uniform(random, -18, -6)) * (chance(random, 2) ? 1 : -1);
}

void scale_and_shift(Question& q, double scale, const Vector3& by) {
  for (Corners* corners : {&q.a, &q.b}) {
    for (MovingPoint& p : *corners)
      p = {scale * p.start + by, scale * p.end + by};
  }
}

Question draw(Generator& random, Family family, Kind kind) {
  const std::size_t count_a = kind == Kind::triangle_triangle ? 3 : kind == Kind::segment_segment ? 2 : 1;
  const std::size_t count_b = kind == Kind::point_point                                      ? 1
                              : kind == Kind::point_segment || kind == Kind::segment_segment ? 2
                                                                                             : 3;
  Question q{kind, Corners(count_a), Corners(count_b)};
  const auto each = [&](const auto& use) {
    for (Corners* corners : {&q.a, &q.b}) {
      for (MovingPoint& p : *corners)
        use(p);
    }
  };
  each([&](MovingPoint& p) { p = {any_place(random), any_place(random)}; });
  switch (family) {
    case Family::uniform:
      break;
    case Family::near_touching:
      bring_near(random, q, small_number(random));
      if (chance(random, 2)) {
        const double scale = std::exp(uniform(random, -10, 10));
        scale_and_shift(q, scale, chance(random, 2) ? random_vector(random, 1000) : Vector3(Vector3::Zero()));
      }
      break;
    case Family::grid: {
      const int half = whole(random, 1, 4);
      each([&](MovingPoint& p) { p = {on_grid(random, half), on_grid(random, half)}; });
      break;
    }
    case Family::coplanar: {
      // In z = 0, or in a slanted plane: exactly on a grid, rounded, or slightly off.
      const int form = whole(random, 0, 3);
      const Vector3 slope(whole(random, -2, 2), whole(random, -2, 2), 0);
      const double off = form == 3 ? std::pow(10.0, uniform(random, -17, -7)) : 0;
      each([&](MovingPoint& p) {
        for (Vector3* v : {&p.start, &p.end}) {
          if (form == 1) *v = on_grid(random, 6);
          v->z() = form == 0 ? 0 : slope.dot(*v) + off * uniform(random, -1, 1);
        }
      });
      break;
    }
    case Family::parallel: {
      // Edges parallel to one direction at both ends; faces collapsed to a line.
      const bool exact = chance(random, 2);
      for (const bool end : {false, true}) {
        const auto of = [&](MovingPoint& p) -> Vector3& { return end ? p.end : p.start; };
        const Vector3 d = exact ? on_grid(random, 3) : any_place(random);
        const auto along = [&](const Vector3& from) {
          return Vector3(from + (exact ? whole(random, -8, 8) / 4.0 : uniform(random, -1, 1)) * d);
        };
        if (exact) each([&](MovingPoint& p) { of(p) = on_grid(random, 2); });
        for (std::size_t i = 1; i < count_b; ++i)
          of(q.b[i]) = along(of(q.b[0]));
        for (std::size_t i = 1; i < count_a; ++i)
          of(q.a[i]) = along(of(q.a[0]));
        if (chance(random, 3)) of(q.a[0]) = along(of(q.b[0]));
      }
      if (!exact && chance(random, 2)) bring_near(random, q, small_number(random));
      break;
    }
    case Family::any_speed: {
      const double speed = std::pow(10.0, uniform(random, -9, 3));
      each([&](MovingPoint& p) { p.end = p.start + speed * any_place(random); });
      if (chance(random, 4)) {
        // Only one corner moves, by the smallest possible amount.
        each([&](MovingPoint& p) { p.end = p.start; });
        q.a[0].end.z() = std::nextafter(q.a[0].end.z(), 2.0);
      }
      if (!chance(random, 4)) bring_near(random, q, speed * small_number(random));
      break;
    }
    case Family::slivers: {
      const double thin = std::pow(10.0, uniform(random, -15, -1));
      const double share = uniform(random, -0.5, 1.5);
      for (const bool end : {false, true}) {
        const auto of = [&](MovingPoint& p) -> Vector3& { return end ? p.end : p.start; };
        if (count_b == 3) of(q.b[2]) = of(q.b[0]) + share * (of(q.b[1]) - of(q.b[0])) + thin * any_place(random);
        if (count_b == 2) of(q.b[1]) = of(q.b[0]) + thin * any_place(random);
        if (count_a >= 2 && chance(random, 2))
          of(q.a[1]) = of(q.a[0]) + (of(q.b[1]) - of(q.b[0])) + thin * any_place(random);
      }
      if (!chance(random, 4)) bring_near(random, q, small_number(random));
      break;
    }
    case Family::translation: {
      const bool exact = chance(random, 2);
      if (exact) each([&](MovingPoint& p) { p.start = on_grid(random, 3); });
      const Vector3 by_a = exact ? on_grid(random, 4) : any_place(random);
      const Vector3 by_b = chance(random, 2) ? Vector3(Vector3::Zero())
                           : exact           ? on_grid(random, 4)
                                             : any_place(random);
      for (MovingPoint& p : q.a)
        p.end = p.start + by_a;
      for (MovingPoint& p : q.b)
        p.end = p.start + by_b;
      if (!exact && chance(random, 2)) bring_near(random, q, small_number(random));
      break;
    }
  }
  return q;
}

Family family_number(std::size_t i) {
  return static_cast<Family>(i % family_names.size());
}

constexpr std::array<Kind, 2> main_kinds = {Kind::point_triangle, Kind::segment_segment};

const char* name_of(Kind kind) {
  constexpr std::array<const char*, 5> names = {"point-point", "point-segment", "point-triangle", "segments",
                                                "triangles"};
  return names[static_cast<std::size_t>(kind)];
}

TEST(MovingFeatures, AgreeWithExactTruth) {
  auto random = seeded(6102);
  std::size_t failures = 0;
  for (const Kind kind : main_kinds) {
    for (std::size_t f = 0; f < family_names.size(); ++f) {
      Tally tally;
      for (std::size_t i = 0; i < cases(2000); ++i)
        EXPECT_RIGHT(draw(random, family_number(f), kind), tally);
      tally.print(std::string(name_of(kind)) + ", " + family_names[f]);
      EXPECT_GT(tally.contacts, 0u);
      if (family_number(f) == Family::uniform) {
        EXPECT_EQ(tally.alarms, 0u);
        EXPECT_LE(100 * tally.uncertain, tally.contacts);
        EXPECT_LE(100 * tally.limits, tally.contacts);
      }
    }
  }
}

TEST(MovingFeatures, NearlyParallelSegmentsMeetWhereTheirWeightsSay) {
  const Question q = {Kind::segment_segment,
                      {{{-0x1.d073ee0b8ec44p+0, 0x1.45c844b42287p-1, 0x1.8007f54201221p-2},
                        {-0x1.b8d1728ebf809p+0, 0x1.566f36c763184p+0, -0x1.bc5173b65b52bp-2}},
                       {{-0x1.eb983b16e2f36p+0, 0x1.510982ce89a24p-1, 0x1.d143dbf492416p-2},
                        {-0x1.ae517d5db9624p-1, 0x1.7f5fd91191733p-1, 0x1.a3ad7762bc3b7p-2}}},
                      {{{-0x1.5137ecd20a70ep-1, 0x1.c4afb56f4defep-1, 0x1.570fa82967a2p-2},
                        {-0x1.53cc1bf1c4877p-1, 0x1.3181833eb6cbcp-1, 0x1.3e8faafc0541ap-1}},
                       {{-0x1.1d578972d79c7p-1, 0x1.b9ee3a785c40bp-1, 0x1.096de748c3c5dp-2},
                        {-0x1.81f0f55f8bf23p+0, 0x1.29137cfd8474cp+0, -0x1.7c1bdb343c668p-3}}}};
  const FeatureImpact found = ask(q);
  ASSERT_TRUE(found.certain);
  const Long3 on_a = weighted(q.a, found.weights_a, found.time_lower);
  EXPECT_LT((on_a - weighted(q.b, found.weights_b, found.time_lower)).norm(), 2e-6L);
}

TEST(MovingFeatures, OnlyContactsUntilTheGivenTimeCount) {
  auto random = seeded(6103);
  std::size_t failures = 0;
  Tally tally;
  for (std::size_t i = 0; i < cases(6000); ++i) {
    const Question q = draw(random, family_number(i / 2), main_kinds[i % 2]);
    FeatureImpactOptions options;
    options.until = chance(random, 8) ? 0 : chance(random, 3) ? whole(random, 0, 8) / 8.0 : uniform(random, 0, 1);
    EXPECT_RIGHT(q, tally, options);
  }
  tally.print("until an earlier time");
}

TEST(MovingFeatures, BoundsAreAsCloseAsAskedFor) {
  auto random = seeded(6104);
  std::size_t failures = 0;
  for (const double tolerance : {0.0, 1e-12, 1e-9, 1e-3, 1.0}) {
    for (const double time_tolerance : {0.0, 1e-4}) {
      Tally tally;
      for (std::size_t i = 0; i < cases(600); ++i) {
        const Question q = draw(random, family_number(i / 2), main_kinds[i % 2]);
        FeatureImpactOptions options;
        options.tolerance = tolerance;
        options.time_tolerance = time_tolerance;
        EXPECT_RIGHT(q, tally, options);
      }
      std::ostringstream name;
      name << "tolerance " << tolerance << ", of time " << time_tolerance;
      tally.print(name.str());
    }
  }
}

TEST(MovingFeatures, PointsAndSegmentsAgreeWithExactTruth) {
  auto random = seeded(6105);
  std::size_t failures = 0;
  for (const Kind kind : {Kind::point_point, Kind::point_segment}) {
    Tally tally;
    for (std::size_t i = 0; i < cases(4000); ++i)
      EXPECT_RIGHT(draw(random, family_number(i), kind), tally);
    tally.print(name_of(kind));
    EXPECT_GT(tally.contacts, 0u);
  }
}

TEST(MovingFeatures, TrianglesTouchWhenTheFirstOfTheirFifteenPartsDoes) {
  auto random = seeded(6106);
  std::size_t failures = 0;
  Tally tally;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Question q = draw(random, family_number(i), Kind::triangle_triangle);
    const FeatureImpact whole = ask(q);
    const auto at_start = [](const Corners& c) { return Triangle{c[0].start, c[1].start, c[2].start}; };
    if (touches_triangle_triangle(at_start(q.a), at_start(q.b))) {
      // For example where they pierce each other, which none of the fifteen parts need show.
      EXPECT_EQ(whole.status, ImpactStatus::touching_at_start) << text_of(q);
      EXPECT_EQ(whole.time_upper, 0);
      continue;
    }
    EXPECT_RIGHT(q, tally);
    double lower = 1;
    bool any = false, certain = false, limit = whole.stop == Stop::limit;
    Long min_change = std::numeric_limits<Long>::infinity();
    for (const Question& part : parts_of(q)) {
      const FeatureImpact found = ask(part);
      if (found.status == ImpactStatus::apart) continue;
      any = true;
      certain = certain || found.certain;
      limit = limit || found.stop == Stop::limit;
      lower = std::min(lower, found.time_lower);
      min_change = std::min(min_change, largest_change(part));
    }
    EXPECT_NE(whole.status, ImpactStatus::touching_at_start) << text_of(q);
    // An uncertain contact of a part may turn out to be none for the whole.
    EXPECT_TRUE(!certain || whole.status != ImpactStatus::apart) << text_of(q);
    EXPECT_TRUE(any || whole.status == ImpactStatus::apart) << text_of(q);
    if (whole.status != ImpactStatus::apart && certain && !limit) {
      const Long slack = 2e-6L / std::max(min_change, 1e-300L);
      EXPECT_LE(std::abs(static_cast<Long>(whole.time_lower) - static_cast<Long>(lower)), slack) << text_of(q);
    }
  }
  tally.print("triangles");
}

TEST(MovingFeatures, OrderOfCornersAndRolesChangesOnlyTheBoundsWithinTolerance) {
  auto random = seeded(6107);
  std::size_t failures = 0;
  Tally tally;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const Question q = draw(random, family_number(i / 2), main_kinds[i % 2]);
    Question other = q;
    if (q.kind == Kind::segment_segment) {
      if (chance(random, 2)) std::swap(other.a, other.b);
      if (chance(random, 2)) std::swap(other.a[0], other.a[1]);
      if (chance(random, 2)) std::swap(other.b[0], other.b[1]);
    } else {
      std::shuffle(other.b.begin(), other.b.end(), random);
    }
    const FeatureImpact one = ask(q), two = ask(other);
    EXPECT_RIGHT(other, tally);
    EXPECT_EQ(one.status == ImpactStatus::touching_at_start, two.status == ImpactStatus::touching_at_start);
    if (one.status == ImpactStatus::touch && two.status == ImpactStatus::touch && one.certain && two.certain) {
      EXPECT_LE(one.time_lower, two.time_upper) << text_of(q);
      EXPECT_LE(two.time_lower, one.time_upper) << text_of(q);
    }
  }
  tally.print("exchanged");
}

TEST(MovingFeatures, NormalsPointFromAToBAndTheFeaturesCloseAlongThem) {
  auto random = seeded(6108);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < cases(6000); ++i) {
    Question q = draw(random, Family::uniform, main_kinds[i % 2]);
    bring_near(random, q, 0);
    const FeatureImpact found = ask(q);
    if (found.status != ImpactStatus::touch || !found.certain) continue;
    const auto speed = [](const Corners& c, const std::array<double, 3>& weights) {
      return Long3(weighted(c, weights, 1) - weighted(c, weights, 0));
    };
    const Long3 closing = speed(q.b, found.weights_b) - speed(q.a, found.weights_a);
    EXPECT_LE(closing.dot(found.normal.cast<Long>()), 1e-3L * closing.norm()) << text_of(q);
    ++seen;
  }
  EXPECT_GT(seen, 0u);
  // Down onto a floor.
  const FeatureImpact floor = first_contact_point_triangle(
      {{0, 0, 1}, {0, 0, -1}}, {{{-4, -4, 0}, {4, -4, 0}, {0, 8, 0}}, {{-4, -4, 0}, {4, -4, 0}, {0, 8, 0}}});
  EXPECT_EQ(floor.status, ImpactStatus::touch);
  EXPECT_TRUE(floor.certain);
  EXPECT_LE((floor.normal - Vector3(0, 0, -1)).norm(), 1e-9);
  EXPECT_LE(floor.time_lower, 0.5);
  EXPECT_GE(floor.time_upper, 0.5);
  EXPECT_NEAR(floor.weights_b[0], 1.0 / 3, 1e-5);
  EXPECT_NEAR(floor.weights_b[1], 1.0 / 3, 1e-5);
  EXPECT_NEAR(floor.weights_b[2], 1.0 / 3, 1e-5);
}

// ---------------------------------------------------------------------------------------------------------------------
// Separation

TEST(MovingFeatures, SeparationAgreesWithExactTruth) {
  auto random = seeded(6109);
  std::size_t failures = 0;
  for (const Kind kind : {Kind::point_point, Kind::point_segment, Kind::point_triangle, Kind::segment_segment}) {
    Tally tally;
    for (std::size_t i = 0; i < cases(400); ++i) {
      const Question q = draw(random, family_number(i), kind);
      FeatureImpactOptions options;
      options.separation = chance(random, 3) ? whole(random, 1, 8) / 8.0 : std::pow(10.0, uniform(random, -9, 0));
      if (chance(random, 4)) options.until = uniform(random, 0, 1);
      EXPECT_RIGHT(q, tally, options);
    }
    tally.print(std::string("separation, ") + name_of(kind));
    EXPECT_GT(tally.certain, 0u);
  }
}

TEST(MovingFeatures, APointMeetsAWallWhenItIsTheSeparationAway) {
  auto random = seeded(6110);
  std::size_t failures = 0;
  Tally tally;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const double from = whole(random, 2, 64) / 4.0, to = -whole(random, 0, 64) / 4.0;
    const MovingPoint p{{uniform(random, -1, 1), uniform(random, -1, 1), from},
                        {uniform(random, -1, 1), uniform(random, -1, 1), to}};
    const Triangle wall{{-64, -64, 0}, {64, -64, 0}, {0, 128, 0}};
    FeatureImpactOptions options;
    options.separation = whole(random, 1, 7) / 16.0;
    const FeatureImpact found = first_contact_point_triangle(p, {wall, wall}, options);
    EXPECT_EQ(found.status, ImpactStatus::touch);
    EXPECT_TRUE(found.certain);
    // time = (from - separation) / (from - to), in integer multiples of 1/16
    const Long time = (static_cast<Long>(from) - options.separation) / (static_cast<Long>(from) - to);
    EXPECT_LE(found.time_lower, time * (1 + 1e-18L));
    EXPECT_GE(found.time_upper, time * (1 - 1e-18L));
    EXPECT_LE((found.normal - Vector3(0, 0, -1)).norm(), 1e-6);
    EXPECT_RIGHT({Kind::point_triangle, {p}, corners(MovingTriangle{wall, wall})}, tally, options);
  }
}

TEST(MovingFeatures, ParallelEdgesMeetWhenTheyAreTheSeparationAway) {
  FeatureImpactOptions options;
  options.separation = 0.25;
  const FeatureImpact found =
      first_contact_segment_segment({{{-1, 0, 1}, {1, 0, 1}}, {{-1, 0, -1}, {1, 0, -1}}},
                                    {{{-2, 0, 0}, {2, 0, 0}}, {{-2, 0, 0}, {2, 0, 0}}}, options);
  EXPECT_EQ(found.status, ImpactStatus::touch);
  EXPECT_LE(found.time_lower, 0.375);
  EXPECT_GE(found.time_upper, 0.375);
  EXPECT_LE(found.time_upper - found.time_lower, 1e-6);
}

TEST(MovingFeatures, SampledDistancesConfirmTheSeparation) {
  auto random = seeded(6111);
  for (std::size_t i = 0; i < cases(600); ++i) {
    // No slivers, because the sampled distances themselves are wrong there.
    constexpr std::array<Family, 3> plain = {Family::uniform, Family::grid, Family::translation};
    const Question q = draw(random, plain[i % 3], main_kinds[i / 3 % 2]);
    FeatureImpactOptions options;
    options.separation = uniform(random, 0.001, 0.5);
    const FeatureImpact found = ask(q, options);
    const int steps = 200;
    for (int k = 0; k <= steps; ++k) {
      const double time = static_cast<double>(k) / steps;
      if (found.status == ImpactStatus::apart || time < found.time_lower) {
        ASSERT_GT(gap_at(q, time), options.separation - 1e-15L) << "at " << time << text_of(q);
      }
    }
    if (found.status != ImpactStatus::apart && found.certain) {
      EXPECT_LE(gap_between(q, found.time_lower, found.time_upper), options.separation + 4e-6L) << text_of(q);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Almost no motion, and bad input

TEST(MovingFeatures, WithoutMotionTheyTouchAtTheStartOrNever) {
  auto random = seeded(6112);
  std::size_t failures = 0, touching = 0;
  Tally tally;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    Question q = draw(random, family_number(i / 2), main_kinds[i % 2]);
    for (Corners* corners : {&q.a, &q.b}) {
      for (MovingPoint& p : *corners)
        p.end = p.start;
    }
    EXPECT_RIGHT(q, tally);
    touching += ask(q).status == ImpactStatus::touching_at_start;
  }
  tally.print("no motion");
  EXPECT_GT(touching, 0u);
  const Vector3 one(1, 2, 3);
  EXPECT_EQ(first_contact_point_point({one, one}, {one, one}).status, ImpactStatus::touching_at_start);
  EXPECT_EQ(first_contact_point_point({one, one}, {one, 2 * one}).status, ImpactStatus::touching_at_start);
}

TEST(MovingFeatures, MotionOfOneLastBitIsEnoughToTouch) {
  const Triangle floor{{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}};
  const Vector3 above(0, 0, std::nextafter(1, 2)), on(0, 0, 1), higher(0, 0, std::nextafter(above.z(), 2));
  const FeatureImpact hit = first_contact_point_triangle({above, on}, {floor, floor});
  EXPECT_EQ(hit.status, ImpactStatus::touch);
  EXPECT_LE(hit.time_lower, 1);
  EXPECT_EQ(first_contact_point_triangle({on, above}, {floor, floor}).status, ImpactStatus::touching_at_start);
  // Above the floor, along an axis: decided without rounding.
  EXPECT_EQ(first_contact_point_triangle({above, higher}, {floor, floor}).status, ImpactStatus::apart);
  EXPECT_EQ(first_contact_point_triangle({higher, above}, {floor, floor}).status, ImpactStatus::apart);
  EXPECT_EQ(first_contact_point_point({above, above}, {on, on}).status, ImpactStatus::apart);
}

TEST(MovingFeatures, AContactAtTheStartIsFoundWithoutATolerance) {
  // Near time 0, doubles are densest: bisection alone would not terminate there.
  const FeatureImpactOptions finest{.tolerance = 0};
  const MovingPoint p{{0, 0, 0}, {1, 0, 0}}, q{{0, 0, 0}, {0, 1, 0}}, fast{{0, 0, 0}, {1e30, 0, 0}};
  EXPECT_EQ(first_contact_point_point(p, q, finest).status, ImpactStatus::touching_at_start);
  EXPECT_EQ(first_contact_point_point(fast, q).status, ImpactStatus::touching_at_start);
  const MovingSegment side{{{0, -1, 0}, {0, 1, 0}}, {{2, -1, 0}, {-2, 1, 0}}};
  EXPECT_EQ(first_contact_point_segment(p, side, finest).status, ImpactStatus::touching_at_start);
  const MovingTriangle wall{{{0, -1, -1}, {0, 1, -1}, {0, 0, 1}}, {{0, -1, -1}, {0, 1, -1}, {0, 0, 1}}};
  EXPECT_EQ(first_contact_point_triangle(p, wall, {.tolerance = 0, .separation = 0.5}).status,
            ImpactStatus::touching_at_start);
  // Very soon after the start.
  const FeatureImpact soon = first_contact_point_point({{0x1p-70, 0, 0}, {-1, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, finest);
  ASSERT_EQ(soon.status, ImpactStatus::touch);
  EXPECT_LE(soon.time_lower, 0x1p-70);
  EXPECT_LE(soon.time_upper, 0x1p-60);
}

TEST(MovingFeatures, HugeAndTinyNumbersGetARightAnswer) {
  auto random = seeded(6113);
  std::size_t failures = 0;
  Tally tally;
  for (std::size_t i = 0; i < cases(800); ++i) {
    Question q = draw(random, family_number(i / 2), main_kinds[i % 2]);
    // Near the largest allowed size, and where products of three numbers leave the range of doubles.
    const double scale = std::ldexp(1, chance(random, 2) ? whole(random, 200, 285) : -whole(random, 200, 1074));
    scale_and_shift(q, scale, Vector3::Zero());
    if (largest_number(q) > max_coordinate) continue;
    FeatureImpactOptions options;
    options.tolerance = scale * 1e-6;
    const FeatureImpact found = ask(q, options);
    const std::optional<Root> truth = truth_of(q, options);
    // Contacts are never missed, never reported late, and never certain without being true.
    EXPECT_FALSE(found.status == ImpactStatus::apart && truth) << text_of(q);
    EXPECT_FALSE(found.status != ImpactStatus::apart && found.certain && !truth) << text_of(q);
    if (truth) {
      EXPECT_GE(truth->compare(found.time_lower), 0) << text_of(q);
      EXPECT_TRUE(!found.certain || truth->compare(found.time_upper) <= 0) << text_of(q);
    }
    EXPECT_TRUE(found.time_lower >= 0 && found.time_lower <= found.time_upper && found.time_upper <= 1) << text_of(q);
    if (found.status != ImpactStatus::apart) {
      const auto sum = [](const std::array<double, 3>& weights) { return (weights[0] + weights[1]) + weights[2]; };
      EXPECT_NEAR(found.normal.norm(), 1, 1e-14) << text_of(q);
      EXPECT_NEAR(sum(found.weights_a), 1, 1e-14) << text_of(q);
      EXPECT_NEAR(sum(found.weights_b), 1, 1e-14) << text_of(q);
    }
    tally.asked += 1;
    failures += HasFailure();
    if (failures >= 5) return;
  }
  EXPECT_GT(tally.asked, 0u);
}

TEST(MovingFeatures, TrianglesThatPierceEachOtherHaveANormalAndWeights) {
  for (const double s : {1.0, 1e80, 1e-85, 1e-300}) {
    const Triangle floor{{-3 * s, -3 * s, 0}, {3 * s, -3 * s, 0}, {0, 3 * s, 0}};
    // A needle without area through the middle of the floor, and a blade with area.
    const Triangle needle{{0, 0, -s}, {0, 0, s}, {0, 0, s}}, blade{{0, 0, -s}, {0, 0, s}, {0, 5 * s, s}};
    for (const Triangle& through : {needle, blade}) {
      const FeatureImpact hit = first_contact_triangle_triangle({through, through}, {floor, floor});
      const FeatureImpact back = first_contact_triangle_triangle({floor, floor}, {through, through});
      EXPECT_EQ(hit.status, ImpactStatus::touching_at_start);
      EXPECT_NEAR(std::abs(hit.normal[2]), 1, 1e-14);
      EXPECT_NEAR(back.normal.norm(), 1, 1e-14);
      EXPECT_EQ(hit.time, 0);
      EXPECT_LE(hit.point.cwiseAbs().maxCoeff(), 5 * s);
      EXPECT_LE(std::abs(hit.point[2]), 1e-14 * s);
      for (const auto& [a, b] : {std::pair{hit.weights_a, hit.weights_b}, std::pair{back.weights_b, back.weights_a}}) {
        const Vector3 p = a[0] * through.a + a[1] * through.b + a[2] * through.c;
        const Vector3 q = b[0] * floor.a + b[1] * floor.b + b[2] * floor.c;
        EXPECT_LE((p - q).cwiseAbs().maxCoeff(), 1e-14 * s);
        EXPECT_NEAR((a[0] + a[1]) + a[2], 1, 1e-14);
        EXPECT_NEAR((b[0] + b[1]) + b[2], 1, 1e-14);
      }
    }
  }
}

TEST(MovingFeatures, CoordinatesThatAreNotFiniteOrTooLargeAreErrors) {
  auto random = seeded(6114);
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                        std::nextafter(max_coordinate, 2 * max_coordinate)};
  for (const Kind kind :
       {Kind::point_point, Kind::point_segment, Kind::point_triangle, Kind::segment_segment, Kind::triangle_triangle}) {
    const Question good = draw(random, Family::uniform, kind);
    EXPECT_NO_THROW(ask(good));
    for (const double value : bad) {
      for (std::size_t i = 0; i < 6 * (good.a.size() + good.b.size()); ++i) {
        Question q = good;
        const std::size_t corner = i / 6;
        MovingPoint& p = corner < q.a.size() ? q.a[corner] : q.b[corner - q.a.size()];
        (i % 2 == 0 ? p.start : p.end)[static_cast<Eigen::Index>(i / 2 % 3)] = value;
        EXPECT_THROW(ask(q), Error) << name_of(kind) << ", " << value << " at " << i;
        if (kind == Kind::point_triangle) {
          const std::vector<PointTriangle> batch(3, {q.a[0], triangle(q.b)});
          std::vector<FeatureImpact> results(3);
          EXPECT_THROW(first_contacts(batch, results), Error);
        }
        if (kind == Kind::segment_segment) {
          const std::vector<SegmentSegment> batch(3, {segment(q.a), segment(q.b)});
          std::vector<FeatureImpact> results(3);
          EXPECT_THROW(first_contacts(batch, results), Error);
        }
      }
    }
  }
}

TEST(MovingFeatures, OptionsThatMakeNoSenseAreErrors) {
  auto random = seeded(6115);
  const double nan = std::nan("");
  std::vector<FeatureImpactOptions> bad;
  for (const double value : {-1e-9, nan}) {
    bad.resize(bad.size() + 4);
    bad[bad.size() - 4].tolerance = value;
    bad[bad.size() - 3].time_tolerance = value;
    bad[bad.size() - 2].separation = value;
    bad[bad.size() - 1].until = value;
  }
  bad.emplace_back().until = std::nextafter(1, 2);
  bad.emplace_back().separation = std::numeric_limits<double>::infinity();
  for (const FeatureImpactOptions& options : bad) {
    for (const Kind kind : {Kind::point_point, Kind::point_segment, Kind::point_triangle, Kind::segment_segment,
                            Kind::triangle_triangle}) {
      EXPECT_THROW(ask(draw(random, Family::uniform, kind), options), Error)
          << name_of(kind) << ": " << options.tolerance << ' ' << options.time_tolerance << ' ' << options.separation
          << ' ' << options.until;
    }
    std::vector<FeatureImpact> results(2);
    EXPECT_THROW(first_contacts(std::vector<PointTriangle>(2), options, results), Error);
    EXPECT_THROW(first_contacts(std::vector<SegmentSegment>(2), options, results), Error);
  }
  std::vector<FeatureImpact> three(3);
  EXPECT_THROW(first_contacts(std::vector<PointTriangle>(2), three), Error);
  EXPECT_THROW(first_contacts(std::vector<SegmentSegment>(4), three), Error);
  EXPECT_NO_THROW(first_contacts(std::vector<PointTriangle>(), std::span<FeatureImpact>()));
  EXPECT_NO_THROW(first_contacts(std::vector<SegmentSegment>(), std::span<FeatureImpact>()));
}

// ---------------------------------------------------------------------------------------------------------------------
// Batches and instruction sets

/// All fields, with doubles as bits.
std::vector<std::uint64_t> bits_of(const FeatureImpact& impact) {
  std::vector<std::uint64_t> bits = {static_cast<std::uint64_t>(impact.status), impact.certain ? 1u : 0u,
                                     static_cast<std::uint64_t>(impact.stop)};
  const auto add = [&](double value) { bits.push_back(std::bit_cast<std::uint64_t>(value)); };
  add(impact.time);
  add(impact.time_lower);
  add(impact.time_upper);
  bits.push_back(impact.cost.primitive_tests);
  for (int k = 0; k < 3; ++k) {
    add(impact.point[k]);
    add(impact.normal[k]);
    add(impact.weights_a[static_cast<std::size_t>(k)]);
    add(impact.weights_b[static_cast<std::size_t>(k)]);
  }
  return bits;
}

struct Batch {
  FeatureImpactOptions options;
  std::vector<Question> faces, edges;
  std::vector<PointTriangle> face_questions;
  std::vector<SegmentSegment> edge_questions;
};

std::vector<Batch> draw_batches(Generator& random, std::size_t size) {
  std::vector<Batch> batches(6);
  batches[1].options.until = 0.5;
  batches[2].options.tolerance = 0;
  batches[3].options.tolerance = 1e-3;
  batches[4].options.separation = 0.01;
  batches[5].options.time_tolerance = 1e-3;
  for (Batch& batch : batches) {
    // Also sizes that do not fill the last vector.
    const std::size_t count = size + static_cast<std::size_t>(whole(random, 0, 15));
    for (std::size_t i = 0; i < count; ++i) {
      const bool built = i % 9 == 8;
      batch.faces.push_back(built ? built_contact(random, Kind::point_triangle).question
                                  : draw(random, family_number(i), Kind::point_triangle));
      batch.edges.push_back(built ? built_contact(random, Kind::segment_segment).question
                                  : draw(random, family_number(i), Kind::segment_segment));
      batch.face_questions.push_back({batch.faces.back().a[0], triangle(batch.faces.back().b)});
      batch.edge_questions.push_back({segment(batch.edges.back().a), segment(batch.edges.back().b)});
    }
  }
  return batches;
}

TEST(MovingFeatures, BatchesGiveTheSameBitsAsOneByOne) {
  auto random = seeded(6116);
  std::size_t failures = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}, cases(1500)}) {
    for (const Batch& batch : draw_batches(random, size)) {
      std::vector<FeatureImpact> faces(batch.faces.size()), edges(batch.edges.size());
      first_contacts(batch.face_questions, batch.options, faces);
      first_contacts(batch.edge_questions, batch.options, edges);
      for (std::size_t i = 0; i < batch.faces.size(); ++i) {
        const bool same_face = bits_of(faces[i]) == bits_of(ask(batch.faces[i], batch.options));
        const bool same_edge = bits_of(edges[i]) == bits_of(ask(batch.edges[i], batch.options));
        EXPECT_TRUE(same_face) << text_of(batch.faces[i]);
        EXPECT_TRUE(same_edge) << text_of(batch.edges[i]);
        failures += !same_face || !same_edge;
        if (failures >= 5) return;
      }
    }
  }
}

TEST(MovingFeatures, EveryInstructionSetGivesTheSameBits) {
  auto random = seeded(6117);
  std::size_t failures = 0;
  std::vector<Question> rest;
  for (std::size_t i = 0; i < cases(600); ++i) {
    for (const Kind kind : {Kind::point_point, Kind::point_segment, Kind::triangle_triangle})
      rest.push_back(draw(random, family_number(i), kind));
  }
  const std::vector<Batch> batches = draw_batches(random, cases(1000));
  std::vector<std::vector<std::uint64_t>> first;
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    std::vector<std::vector<std::uint64_t>> answers;
    for (const Batch& batch : batches) {
      std::vector<FeatureImpact> faces(batch.faces.size()), edges(batch.edges.size());
      first_contacts(batch.face_questions, batch.options, faces);
      first_contacts(batch.edge_questions, batch.options, edges);
      for (std::size_t i = 0; i < batch.faces.size(); ++i) {
        answers.push_back(bits_of(faces[i]));
        answers.push_back(bits_of(edges[i]));
        answers.push_back(bits_of(ask(batch.faces[i], batch.options)));
        answers.push_back(bits_of(ask(batch.edges[i], batch.options)));
      }
    }
    for (const Question& q : rest)
      answers.push_back(bits_of(ask(q)));
    if (first.empty()) first = answers;
    ASSERT_EQ(answers.size(), first.size());
    for (std::size_t i = 0; i < answers.size() && failures < 5; ++i) {
      EXPECT_EQ(answers[i], first[i]) << target << ", answer " << i;
      failures += answers[i] != first[i];
    }
  }
  use_simd_target("");
}

// ---------------------------------------------------------------------------------------------------------------------
// The exact reference itself

TEST(ExactMotion, NothingTouchesBeforeTheFirstContactAndSomethingDoesAtIt) {
  auto random = seeded(6118);
  std::size_t contacts = 0, exact = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Question q = draw(random, family_number(i / 2), main_kinds[i % 2]);
    const Pair pair(q.a, q.b);
    std::optional<Root> first = pair.first_contact();
    for (int k = 0; k < 16; ++k) {
      const double time = chance(random, 2) ? whole(random, 0, 64) / 64.0 : uniform(random, 0, 1);
      ASSERT_TRUE((first && first->compare(time) <= 0) || !pair.touch_at(time)) << time << text_of(q);
    }
    // The distance agrees, by other polynomials: for numbers as short as these, a distance of 1e-60 means contact.
    std::optional<Root> near = pair.first_within(0x1p-200);
    ASSERT_EQ(near.has_value(), first.has_value()) << text_of(q);
    if (!first) continue;
    ++contacts;
    ASSERT_LE(near->compare(*first), 0) << text_of(q);
    first->refine_to(70);
    near->refine_to(70);
    ASSERT_NEAR(test::exact_motion::nearest(near->low()), test::exact_motion::nearest(first->low()), 0x1p-48)
        << text_of(q);
    const Long gap = gap_at(q, static_cast<Long>(test::exact_motion::nearest(first->low())));
    // Beside a sliver of width w, the gap itself is off by 1e-19 / w, but by no more than w.
    ASSERT_LE(gap, 1e-9L * (1 + largest_number(q) + largest_change(q))) << text_of(q);
    if (!first->exact()) continue;
    ++exact;
    ASSERT_TRUE(pair.touch_at(test::exact_motion::nearest(first->low()))) << text_of(q);
  }
  std::printf("exact truth: %zu contacts, %zu of them at short binary fractions\n", contacts, exact);
  EXPECT_GT(contacts, 0u);
}

TEST(ExactMotion, FindsTheRootsOfKnownPolynomials) {
  using namespace test::exact_motion;
  const Dyadic one{1, 0};
  // (2x - 1)² (3x - 1): roots 1/3 and 1/2
  const Polynomial p = Polynomial{-1, 2} * Polynomial{-1, 2} * Polynomial{-1, 3};
  std::vector<Root> roots = RootFinder::roots(p, one);
  ASSERT_EQ(roots.size(), 2u);
  EXPECT_EQ(roots[0].sign_at({-1, 3}), 0);
  EXPECT_EQ(roots[0].compare(1.0 / 3), 1);
  EXPECT_EQ(roots[0].compare(std::nextafter(1.0 / 3, 1)), -1);
  EXPECT_EQ(roots[1].compare(0.5), 0);
  EXPECT_EQ(roots[0].compare(roots[1]), -1);
  EXPECT_EQ(RootFinder::roots(p, dyadic(0.4)).size(), 1u);
  EXPECT_EQ(RootFinder::roots(p, dyadic(0.5)).size(), 2u);
  // 2x² - 1 and (2x² - 1)(x - 2), and x² - x + 1: equal roots of different polynomials, and no roots
  std::vector<Root> half = RootFinder::roots({-1, 0, 2}, one);
  std::vector<Root> again = RootFinder::roots(Polynomial{-1, 0, 2} * Polynomial{-2, 1}, one);
  ASSERT_TRUE(half.size() == 1 && again.size() == 1);
  EXPECT_EQ(half[0].compare(again[0]), 0);
  EXPECT_EQ(half[0].sign_at(Polynomial{-1, 0, 2} * Polynomial{1, 5, 7}), 0);
  EXPECT_EQ(half[0].sign_at({-70710678, 100000000}), 1);
  EXPECT_EQ(half[0].sign_at({-70710679, 100000000}), -1);
  EXPECT_TRUE(RootFinder::roots({1, -1, 1}, one).empty());
  EXPECT_EQ(RootFinder::roots({0, -1, 1}, one).size(), 2u);
}

}  // namespace
}  // namespace whisker
