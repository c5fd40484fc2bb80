// First contact of every pair of convex kinds, against distances at exact times in 384 bits: the bodies are moved by t
// * by in those numbers, so that no pose is rounded. The distances come with their own proof (convex_reference.hpp).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/first_contact.hpp>
#include <whisker/queries.hpp>

#include "support/cases.hpp"
#include "support/convex_cases.hpp"
#include "support/convex_reference.hpp"

namespace whisker::test {
namespace {

using scenes::chance;
using scenes::Generator;
using scenes::power_of_ten;
using scenes::unit_vector;

/// Two known shapes that move.
struct MovingCase {
  KnownShape a, b;
  Straight motion_a, motion_b;
  std::string family;
};

/// The truth at a time.
struct TruthAt {
  Real lower, upper;  // bounds of the distance
  Real size;

  bool is_apart() const { return upper > size * Real(1e-80); }
};

/// The pair in 384 bits, relative to the start of one of the two.
class MovingTruth {
 public:
  explicit MovingTruth(const MovingCase& c) : case_(c) {
    side_b_ = c.b.truth.is_unbounded();
    const Straight& seen_from = side_b_ ? c.motion_b : c.motion_a;
    origin_ = exactly<Real>(seen_from.start.translation());
    a_ = reference_body<Real>(c.a.truth, c.motion_a.start, origin_);
    if (!side_b_) b_ = reference_body<Real>(c.b.truth, c.motion_b.start, origin_);
    by_ = exactly<Real>(c.motion_b.by) - exactly<Real>(c.motion_a.by);
  }

  /// a at time t, relative to b's place at time 0.
  ReferenceBody<Real> moved(const Real& t) const {
    ReferenceBody<Real> body = a_;
    body.translate((-t) * by_);
    return body;
  }
  TruthAt at(const Real& t) const {
    const ReferenceBody<Real> a = moved(t);
    if (side_b_) {
      const ReferenceGap<Real> gap = convex::gap_to_side<Real>(case_.b.truth, case_.motion_b.start, a, origin_);
      return {std::max(Real(0), gap.lower), std::max(Real(0), gap.upper), gap.size};
    }
    const ReferenceDistance<Real> d = reference_distance<Real>(a, b_, wanted_width<Real>());
    return {d.lower, d.overlapping ? Real(0) : d.upper, d.size};
  }
  /// How far the two are apart along a unit vector at time t: the width of the slab between them.
  Real slab(const Vector3& normal, const Real& t) const {
    const Vec<Real> n = exactly<Real>(normal);
    if (side_b_) return Real(0);
    return -(moved(t).reach(n) + b_.reach(-n)) / norm(n);
  }
  /// The distance of a point in world coordinates from a and from b at time t.
  std::pair<Real, Real> off(const Vector3& point, double time) const {
    const Vec<Real> p = exactly<Real>(point) - origin_;
    const Real t(time);
    ReferenceBody<Real> a = a_;
    a.translate(t * exactly<Real>(case_.motion_a.by));
    const Real from_a = reference_distance<Real>(a, reference_point(p), Real(1e-20)).upper;
    const Vec<Real> back = p - t * exactly<Real>(case_.motion_b.by);
    if (side_b_) {
      const ReferenceGap<Real> gap =
          convex::gap_to_side<Real>(case_.b.truth, case_.motion_b.start, reference_point(back), origin_);
      return {from_a, std::max(Real(0), gap.upper)};
    }
    return {from_a, reference_distance<Real>(b_, reference_point(back), Real(1e-20)).upper};
  }
  Real speed() const { return norm(by_); }

 private:
  const MovingCase& case_;
  bool side_b_ = false;
  Vec<Real> origin_;
  ReferenceBody<Real> a_, b_;
  Vec<Real> by_;
};

/// A convex case that the two bodies reach at some time between 0 and 1.
MovingCase make_moving_case(std::size_t kind_a, std::size_t kind_b, std::size_t number) {
  const ConvexCase c = make_convex_case(kind_a, kind_b, number);
  Generator random =
      seeded(910000000 + number * convex_kind_count * convex_kind_count + kind_a * convex_kind_count + kind_b);
  MovingCase m{c.a, c.b, {c.pose_a, Vector3::Zero()}, {c.pose_b, Vector3::Zero()}, std::string(name(c.family))};
  // The rounding of a custom shape's support function is not included in its declared error, so the shapes that declare
  // none are given one.
  for (KnownShape* shape : {&m.a, &m.b}) {
    if (shape->shape.kind() == ShapeKind::custom_convex && shape->error == 0)
      *shape = convex_cases::custom(shape->truth, 1e-14);
  }
  double size = 1;
  for (const Shape* shape : {&m.a.truth, &m.b.truth}) {
    if (shape->is_unbounded()) continue;
    const Aabb box = shape->bounds();
    size = std::max(size == 1 ? 0 : size, (box.upper - box.lower).maxCoeff());
  }
  if (!(size > 0)) size = 1;
  Vector3 by = unit_vector(random);
  const int how = whole(random, 0, 5);
  if (how == 0) by = scenes::integer_vector(random, 1);  // along the axes, or no motion
  if (how == 1) {
    // Parallel to the surface, if there is a gap.
    const Distance d = distance({m.a.truth, c.pose_a}, {m.b.truth, c.pose_b});
    if (d.lower > 0) by = (by - d.normal.dot(by) * d.normal).eval();
  }
  const double longest = number % 7 == 3 && size < 1e70 ? 1e6 : number % 7 == 5 ? 1e-3 : uniform(random, 0.5, 6);
  by *= longest * size;
  const double when = how == 0 ? 0.5 : uniform(random, 0, 1);
  const bool both = chance(random, 2);
  m.motion_b.start.set_translation(m.motion_b.start.translation() - when * by);
  m.motion_b.by = by;
  if (both) {
    const Vector3 common = size * random_vector(random, 2);
    m.motion_a.by = common;
    m.motion_b.by += common;
  }
  return m;
}

std::string describe(const MovingCase& c) {
  const ConvexCase at_start{c.a, c.b, c.motion_a.start, c.motion_b.start, ConvexFamily::random, 0};
  std::ostringstream text;
  text.precision(17);
  text << c.family << ": " << describe(at_start) << "  by_a " << c.motion_a.by.transpose() << "\n  by_b "
       << c.motion_b.by.transpose() << "\n";
  return text.str();
}

bool same(const MotionImpact& x, const MotionImpact& y) {
  return x.status == y.status && x.time == y.time && x.time_lower == y.time_lower && x.time_upper == y.time_upper &&
         x.certain == y.certain && x.point == y.point && x.normal == -y.normal && x.stop == y.stop;
}

struct Counts {
  std::size_t cases = 0, apart = 0, at_start = 0, touch = 0, open = 0, limit = 0;
  double widest = 0;    // width of the times, times the speed along the normal, relative to the size
  double farthest = 0;  // distance of the contact point from either shape, relative to the size
  std::size_t seldom = 0;
};

void check_case(const MovingCase& c, std::ostream& wrong, Counts& counts) {
  const MotionImpact hit = first_contact({c.a.shape, c.motion_a}, {c.b.shape, c.motion_b});
  const MotionImpact mirrored = first_contact({c.b.shape, c.motion_b}, {c.a.shape, c.motion_a});
  ++counts.cases;
  if (!same(hit, mirrored)) wrong << "another answer with a and b exchanged; ";
  const bool at_start = touches({c.a.shape, c.motion_a.start}, {c.b.shape, c.motion_b.start});
  if (at_start != (hit.status == ImpactStatus::touching_at_start))
    wrong << "touches at the start: " << at_start << "; ";
  if (touches_during({c.a.shape, c.motion_a}, {c.b.shape, c.motion_b}) != (hit.status != ImpactStatus::apart))
    wrong << "touches_during disagrees; ";
  if (!(0 <= hit.time_lower && hit.time_lower <= hit.time && hit.time <= hit.time_upper && hit.time_upper <= 1))
    wrong << "times out of order: " << hit.time_lower << " " << hit.time << " " << hit.time_upper << "; ";
  const MovingTruth truth(c);
  const auto expect_apart = [&](const Real& t, const char* when) {
    if (!truth.at(t).is_apart()) wrong << "they touch " << when << ", at " << static_cast<double>(t) << "; ";
  };
  if (hit.status == ImpactStatus::touching_at_start) {
    ++counts.at_start;
    if (hit.time_upper != 0) wrong << "touching at the start, but not at time 0; ";
    return;
  }
  if (hit.status == ImpactStatus::apart) {
    ++counts.apart;
    // Approximately where they come closest: the distance is convex in time.
    const auto rough = [&](double t) {
      Pose pose_a = c.motion_a.start, pose_b = c.motion_b.start;
      pose_a.set_translation(pose_a.translation() + t * c.motion_a.by);
      pose_b.set_translation(pose_b.translation() + t * c.motion_b.by);
      return distance({c.a.truth, pose_a}, {c.b.truth, pose_b}).upper;
    };
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double third = (high - low) / 3, p = low + third, q = high - third;
      (rough(p) < rough(q) ? high : low) = rough(p) < rough(q) ? q : p;
    }
    expect_apart(Real(low), "where they come closest");
    expect_apart(Real(high), "where they come closest");
    expect_apart(Real(1), "at the end");
    return;
  }
  ++counts.touch;
  if (!hit.certain) ++counts.open;
  if (hit.stop != Stop::exact) ++counts.limit;
  const double size = static_cast<double>(truth.at(Real(hit.time)).size);
  const Real speed = truth.speed();
  const double off = (c.a.error + c.b.error) / size;
  expect_apart(Real(hit.time_lower) * (Real(1) - Real(1e-25)), "before time_lower");
  expect_apart(Real(hit.time_lower) * Real(0.9), "well before time_lower");
  if (std::abs(hit.normal.norm() - 1) > 1e-14) wrong << "the normal is no unit vector; ";
  if (truth.slab(hit.normal, Real(hit.time_lower)) < Real(-1e-14 * size - 2 * (c.a.error + c.b.error)))
    wrong << "the normal does not part them at time_lower; ";
  const double width = hit.time_upper - hit.time_lower;
  const Real travel = speed * Real(width);
  if (hit.certain) {
    // In contact at time_upper or, if the contact ends at once, no farther apart than they move in between.
    const TruthAt end = truth.at(Real(hit.time_upper));
    if (end.lower > end.size * Real(1e-28) + Real(c.a.error + c.b.error)) {
      ++counts.seldom;
      if (end.lower > travel) wrong << "no contact at time_upper: " << static_cast<double>(end.lower) << "; ";
    }
    const Vec<Real> d = exactly<Real>(c.motion_b.by) - exactly<Real>(c.motion_a.by);
    const double along = std::abs(static_cast<double>(dot(d, exactly<Real>(hit.normal))));
    const double wide = width * along / size;
    counts.widest = std::max(counts.widest, wide);
    // Three units in the last place of the time are always allowed.
    if (hit.stop == Stop::exact && wide > 2e-11 + 100 * off + 4e-16 * static_cast<double>(speed) / size)
      wrong << "the times are " << wide << " sizes apart; ";
    const auto [from_a, from_b] = truth.off(hit.point, hit.time);
    const double coordinates = std::max({size, c.motion_a.start.translation().norm(), hit.point.norm()});
    const double farthest = static_cast<double>(std::max(from_a, from_b) - travel) / coordinates - 2 * off;
    counts.farthest = std::max(counts.farthest, farthest);
    if (farthest > 1e-9) wrong << "the contact point is off by " << farthest << " of the size; ";
  } else {
    // Too close to decide: they must be close.
    const TruthAt near = truth.at(Real(hit.time));
    if (near.lower > Real((1e-13 + 4 * off) * size) + travel)
      wrong << "not certain, but " << static_cast<double>(near.lower) << " apart; ";
  }
}

class FirstContactPairs : public testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

TEST_P(FirstContactPairs, HoldAgainstDistancesAtExactTimes) {
  const auto [kind_a, kind_b] = GetParam();
  const bool side_first = kind_a == 3 || kind_a == 4;
  Counts counts;
  std::size_t failures = 0;
  const std::size_t count = cases(7), first = (5 * kind_a + 3 * kind_b) % convex_family_count;  // covers all families
  for (std::size_t number = first; number < first + count; ++number) {
    // The reference requires the unbounded shape second.
    const MovingCase c =
        side_first ? make_moving_case(kind_b, kind_a, number) : make_moving_case(kind_a, kind_b, number);
    std::ostringstream wrong;
    check_case(c, wrong, counts);
    if (wrong.str().empty()) continue;
    if (++failures <= 3) ADD_FAILURE() << "case " << number << ": " << wrong.str() << "\n" << describe(c);
  }
  EXPECT_EQ(failures, 0u);
  if (std::getenv("WHISKER_TEST_SHOW") != nullptr)
    std::printf(
        "%-14s %-14s apart %3zu start %3zu touch %3zu open %2zu limit %2zu instant %2zu widest %.2g point %.2g\n",
        std::string(name(static_cast<ShapeKind>(kind_a))).c_str(),
        std::string(name(static_cast<ShapeKind>(kind_b))).c_str(), counts.apart, counts.at_start, counts.touch,
        counts.open, counts.limit, counts.seldom, counts.widest, counts.farthest);
}

std::vector<std::pair<std::size_t, std::size_t>> all_pairs() {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const auto is_side = [](std::size_t kind) { return kind == 3 || kind == 4; };
  for (std::size_t a = 0; a < convex_kind_count; ++a)
    for (std::size_t b = a; b < convex_kind_count; ++b)
      if (!(is_side(a) && is_side(b))) pairs.emplace_back(a, b);
  return pairs;
}

std::string pair_name(const testing::TestParamInfo<std::pair<std::size_t, std::size_t>>& info) {
  std::string text = std::string(name(static_cast<ShapeKind>(info.param.first))) + "_" +
                     std::string(name(static_cast<ShapeKind>(info.param.second)));
  for (char& letter : text)
    if (letter == ' ' || letter == '-') letter = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, FirstContactPairs, testing::ValuesIn(all_pairs()), pair_name);

}  // namespace
}  // namespace whisker::test
