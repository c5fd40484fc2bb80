// The exact triangle tests against CGAL's exact kernel, an independent code.

#include <cstdio>

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <gtest/gtest.h>

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/triangle_cases.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using test::PairFamily;
using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;

Kernel::Point_3 point(const Vector3& v) {
  return {v[0], v[1], v[2]};
}

TEST(TriangleTriangleCgal, AgreesOnEveryPairOfProperTriangles) {
  auto random = test::seeded(401);
  const std::size_t per_family = test::cases(5000);
  std::size_t total = 0, touching = 0;
  for (int family = 0; family < static_cast<int>(PairFamily::count); ++family) {
    for (std::size_t n = 0; n < per_family; ++n) {
      const test::TrianglePair pair = test::random_pair(random, static_cast<PairFamily>(family));
      const Kernel::Triangle_3 first(point(pair.first.a), point(pair.first.b), point(pair.first.c));
      const Kernel::Triangle_3 second(point(pair.second.a), point(pair.second.b), point(pair.second.c));
      // CGAL's test requires non-degenerate triangles.
      if (first.is_degenerate() || second.is_degenerate()) continue;
      const bool theirs = CGAL::do_intersect(first, second);
      ASSERT_EQ(touches_triangle_triangle(pair.first, pair.second), theirs)
          << test::text_of(pair.first) << test::text_of(pair.second);
      ++total;
      touching += theirs ? 1u : 0u;
    }
  }
  EXPECT_GT(total, per_family * 6);
  std::printf("%zu pairs of proper triangles, %zu touching\n", total, touching);
}

}  // namespace
}  // namespace whisker
