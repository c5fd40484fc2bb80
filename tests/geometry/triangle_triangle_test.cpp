// The exact test of two triangles for contact, against integer arithmetic.

#include <array>
#include <cstdio>

#include <gtest/gtest.h>

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/triangle_cases.hpp"
#include "geometry/triangle_oracle.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using test::PairFamily;

const Triangle unit_triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};

bool touches_both_ways(const Triangle& a, const Triangle& b) {
  const bool answer = touches_triangle_triangle(a, b);
  EXPECT_EQ(answer, touches_triangle_triangle(b, a));
  return answer;
}

TEST(TriangleTriangle, CrossingTrianglesTouch) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{0.2, 0.2, -1}, {0.3, 0.2, 1}, {0.2, 0.3, 1}}));
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{0.2, 0.2, -1}, {0.3, 0.2, -1}, {0.2, 0.3, 0.0001}}));
}

TEST(TriangleTriangle, ParallelAndSeparatedTrianglesDoNotTouch) {
  EXPECT_FALSE(touches_both_ways(unit_triangle, {{0, 0, 5e-324}, {1, 0, 5e-324}, {0, 1, 5e-324}}));
  EXPECT_FALSE(touches_both_ways(unit_triangle, {{2, 2, -1}, {3, 2, 1}, {2, 3, 1}}));
}

TEST(TriangleTriangle, SharingOnlyACornerTouches) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}}));
}

TEST(TriangleTriangle, SharingAnEdgeTouches) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{1, 0, 0}, {0, 0, 0}, {0.5, -1, 3}}));
}

TEST(TriangleTriangle, CoplanarSharingOnlyAVertexTouches) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}}));
}

TEST(TriangleTriangle, CoplanarWithACornerOnAnEdgeTouchesAndOneUlpOffDoesNot) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{0.5, 0.5, 0}, {2, 1, 0}, {1, 2, 0}}));
  EXPECT_FALSE(touches_both_ways(unit_triangle, {{0.5, std::nextafter(0.5, 1), 0}, {2, 1, 0}, {1, 2, 0}}));
}

TEST(TriangleTriangle, CoplanarContainmentTouches) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{-5, -5, 0}, {10, -5, 0}, {-5, 10, 0}}));
}

TEST(TriangleTriangle, CoplanarCrossingWithoutACornerInsideTouches) {
  // A star of David: every corner of each is outside the other.
  EXPECT_TRUE(touches_both_ways({{0, 3, 0}, {3, -2, 0}, {-3, -2, 0}}, {{0, -3, 0}, {3, 2, 0}, {-3, 2, 0}}));
}

TEST(TriangleTriangle, CornerOnAFaceTouchesAndOneUlpAboveDoesNot) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{0.25, 0.25, 0}, {0, 0, 1}, {1, 1, 1}}));
  EXPECT_FALSE(touches_both_ways(unit_triangle, {{0.25, 0.25, 5e-324}, {0, 0, 1}, {1, 1, 1}}));
}

TEST(TriangleTriangle, EdgesThatCrossInOnePointTouch) {
  EXPECT_TRUE(touches_both_ways(unit_triangle, {{0.5, 0, 1}, {0.5, 0, -1}, {0.5, -1, 0}}));
  EXPECT_FALSE(touches_both_ways(unit_triangle, {{0.5, -5e-324, 1}, {0.5, -5e-324, -1}, {0.5, -1, 0}}));
}

TEST(TriangleTriangle, DegenerateTrianglesAreSegmentsAndPoints) {
  const Triangle needle{{0.25, 0.25, -1}, {0.25, 0.25, 1}, {0.25, 0.25, 0.5}};
  EXPECT_TRUE(touches_both_ways(unit_triangle, needle));
  const Triangle far_needle{{2, 2, -1}, {2, 2, 1}, {2, 2, 0.5}};
  EXPECT_FALSE(touches_both_ways(unit_triangle, far_needle));
  const Triangle dot{{0.5, 0.5, 0}, {0.5, 0.5, 0}, {0.5, 0.5, 0}};
  EXPECT_TRUE(touches_both_ways(unit_triangle, dot));
  EXPECT_TRUE(touches_both_ways(dot, dot));
  const Triangle other_dot{{0.5, 0.75, 0}, {0.5, 0.75, 0}, {0.5, 0.75, 0}};
  EXPECT_FALSE(touches_both_ways(dot, other_dot));
  EXPECT_FALSE(touches_both_ways(unit_triangle, other_dot));
}

TEST(TriangleTriangle, TheWholeRangeOfDoublesIsExact) {
  const double huge = 0x1p1000, tiny = 0x1p-1070;
  EXPECT_TRUE(
      touches_both_ways({{0, 0, 0}, {huge, 0, 0}, {0, huge, 0}}, {{tiny, tiny, -1}, {tiny, tiny, 1}, {1, 1, 1}}));
  EXPECT_FALSE(
      touches_both_ways({{0, 0, 0}, {huge, 0, 0}, {0, huge, 0}}, {{-tiny, tiny, -1}, {-tiny, tiny, 1}, {-1, 1, 1}}));
  EXPECT_TRUE(touches_both_ways({{0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}}, {{0, 0, -tiny}, {0, 0, tiny}, {-1, -1, 1}}));
}

TEST(TriangleTriangle, AgreesWithIntegerArithmetic) {
  auto random = test::seeded(101);
  const std::size_t per_family = test::cases(11000);
  std::size_t total = 0;
  std::size_t touching = 0;
  for (int family = 0; family < static_cast<int>(PairFamily::count); ++family) {
    std::size_t hits = 0;
    for (std::size_t i = 0; i < per_family; ++i) {
      const test::TrianglePair pair = test::random_pair(random, static_cast<PairFamily>(family));
      const bool truth = test::oracle_touches(pair.first, pair.second);
      ASSERT_EQ(touches_triangle_triangle(pair.first, pair.second), truth)
          << "family " << family << " " << test::text_of(pair.first) << test::text_of(pair.second);
      const Triangle& a = pair.first;
      const Triangle& b = pair.second;
      ASSERT_EQ(touches_triangle_triangle(b, a), truth) << test::text_of(a) << test::text_of(b);
      ASSERT_EQ(touches_triangle_triangle({a.b, a.a, a.c}, {b.c, b.a, b.b}), truth)
          << test::text_of(a) << test::text_of(b);
      hits += truth ? 1u : 0u;
    }
    // Every family has both results, except for those that share a corner by construction.
    const auto kind = static_cast<PairFamily>(family);
    EXPECT_GT(hits, per_family / 50) << "family " << family;
    if (kind != PairFamily::identical) {
      EXPECT_LT(hits, per_family) << "family " << family;
    }
    total += per_family;
    touching += hits;
  }
  std::printf("%zu pairs of triangles, %zu of them touching\n", total, touching);
}

TEST(SegmentTriangle, AgreesWithIntegerArithmetic) {
  auto random = test::seeded(102);
  const std::size_t count = test::cases(3000);
  std::size_t hits = 0;
  for (int family = 0; family < static_cast<int>(PairFamily::count); ++family) {
    for (std::size_t i = 0; i < count; ++i) {
      const test::TrianglePair pair = test::random_pair(random, static_cast<PairFamily>(family));
      const Triangle& t = pair.first;
      const Segment s{pair.second.a, pair.second.b};
      const bool truth = test::oracle_touches(Triangle{s.a, s.b, s.b}, t);
      ASSERT_EQ(touches_segment_triangle(s, t), truth) << test::text_of({s.a, s.b, s.b}) << test::text_of(t);
      ASSERT_EQ(touches_segment_triangle({s.b, s.a}, {t.c, t.b, t.a}), truth) << test::text_of(t);
      hits += truth ? 1u : 0u;
    }
  }
  EXPECT_GT(hits, count);
}

TEST(SegmentSegment, AgreesWithIntegerArithmetic) {
  auto random = test::seeded(103);
  const std::size_t count = test::cases(3000);
  std::size_t hits = 0;
  for (int family = 0; family < static_cast<int>(PairFamily::count); ++family) {
    for (std::size_t i = 0; i < count; ++i) {
      const test::TrianglePair pair = test::random_pair(random, static_cast<PairFamily>(family));
      const Segment s{pair.first.a, pair.first.b};
      const Segment r{pair.second.a, pair.second.b};
      const bool truth = test::oracle_touches(Triangle{s.a, s.b, s.b}, Triangle{r.a, r.a, r.b});
      ASSERT_EQ(touches_segment_segment(s, r), truth)
          << test::text_of({s.a, s.b, s.b}) << test::text_of({r.a, r.b, r.b});
      ASSERT_EQ(touches_segment_segment({r.b, r.a}, s), truth);
      hits += truth ? 1u : 0u;
    }
  }
  EXPECT_GT(hits, count / 2);
}

TEST(PointTriangle, AgreesWithIntegerArithmetic) {
  auto random = test::seeded(104);
  const std::size_t count = test::cases(3000);
  std::size_t on_triangle = 0;
  std::size_t on_segment = 0;
  for (int family = 0; family < static_cast<int>(PairFamily::count); ++family) {
    for (std::size_t i = 0; i < count; ++i) {
      const test::TrianglePair pair = test::random_pair(random, static_cast<PairFamily>(family));
      const Triangle& t = pair.first;
      const Vector3& p = pair.second.a;
      const bool truth = test::oracle_touches(Triangle{p, p, p}, t);
      ASSERT_EQ(touches_point_triangle(p, t), truth) << test::text_of({p, p, p}) << test::text_of(t);
      on_triangle += truth ? 1u : 0u;
      const bool on = test::oracle_touches(Triangle{p, p, p}, Triangle{t.a, t.b, t.a});
      ASSERT_EQ(touches_point_segment(p, {t.a, t.b}), on) << test::text_of({p, p, p}) << test::text_of(t);
      on_segment += on ? 1u : 0u;
    }
  }
  EXPECT_GT(on_triangle, count / 2);
  EXPECT_GT(on_segment, count / 4);
}

}  // namespace
}  // namespace whisker
