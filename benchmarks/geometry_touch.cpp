// touch-triangle: whether two triangles share a point.

#include <algorithm>
#include <array>
#include <string>

#include <Eigen/Geometry>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/pose.hpp>

#include "geometry.hpp"

namespace whisker::bench {
namespace {

Triangle random_triangle(std::mt19937_64& random, const Vector3& center, double half) {
  Triangle t;
  t.a = center + uniform_in_cube(random, half);
  t.b = center + uniform_in_cube(random, half);
  t.c = center + uniform_in_cube(random, half);
  return t;
}

bool boxes_overlap(const Triangle& s, const Triangle& t) {
  const auto low = [](const Triangle& x) -> Vector3 { return x.a.cwiseMin(x.b).cwiseMin(x.c); };
  const auto high = [](const Triangle& x) -> Vector3 { return x.a.cwiseMax(x.b).cwiseMax(x.c); };
  return (low(s).array() <= high(t).array()).all() && (low(t).array() <= high(s).array()).all();
}

/// Two triangles in cubes of edge 1 whose centers are up to `spread` apart along each axis.
std::vector<TrianglePair> random_pairs(std::size_t count, double spread, bool only_overlapping_boxes,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<TrianglePair> pairs;
  while (pairs.size() < count) {
    const Vector3 center = uniform_in_cube(random, 10);
    TrianglePair pair;
    pair.first = random_triangle(random, center, 0.5);
    pair.second = random_triangle(random, center + uniform_in_cube(random, spread), 0.5);
    if (only_overlapping_boxes && !boxes_overlap(pair.first, pair.second)) continue;
    pairs.push_back(pair);
  }
  return pairs;
}

/// Pairs with overlapping boxes, selected so that half of them touch, at random.
std::vector<TrianglePair> half_touching(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<TrianglePair> pairs;
  while (pairs.size() < count) {
    const bool wanted = random() % 2 == 0;
    TrianglePair pair;
    do {
      pair = random_pairs(1, 0.5, true, random())[0];
    } while (plain_touches_triangle_triangle(pair.first, pair.second) != wanted);
    pairs.push_back(pair);
  }
  return pairs;
}

/// Triangles that share an edge or a corner or are near neighbors, in a mesh of a rotated grid that is half flat and
/// half hilly. Corners are shared bit for bit. The flat half is coplanar up to rounding, and exactly so for every other
/// grid, which is not rotated.
std::vector<TrianglePair> neighbors(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<TrianglePair> pairs;
  constexpr int size = 12;
  while (pairs.size() < count) {
    const Vector3 axis = uniform_in_cube(random, 1).normalized();
    const bool turned = pairs.size() % 2 == 0;
    const Eigen::Matrix3d rotation =
        turned ? Eigen::AngleAxisd(uniform(random, 0, 3), axis).toRotationMatrix() : Eigen::Matrix3d::Identity();
    const Vector3 shift = uniform_in_cube(random, 5);
    std::array<std::array<Vector3, size + 1>, size + 1> grid;
    for (int i = 0; i <= size; ++i) {
      for (int j = 0; j <= size; ++j) {
        const double height = i <= size / 2 ? 0 : uniform(random, 0, 0.5);
        grid[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = rotation * Vector3(i, j, height) + shift;
      }
    }
    const auto triangle = [&](int i, int j, bool upper) -> Triangle {
      const auto at = [&](int k, int l) { return grid[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)]; };
      if (upper) return {at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)};
      return {at(i, j), at(i + 1, j), at(i, j + 1)};
    };
    for (int k = 0; k < 64; ++k) {
      const int i = std::uniform_int_distribution<int>(0, size - 1)(random);
      const int j = std::uniform_int_distribution<int>(0, size - 1)(random);
      const int i2 = std::clamp(i + std::uniform_int_distribution<int>(-1, 1)(random), 0, size - 1);
      const int j2 = std::clamp(j + std::uniform_int_distribution<int>(-1, 1)(random), 0, size - 1);
      const bool upper = random() % 2 == 0, upper2 = random() % 2 == 0;
      if (i == i2 && j == j2 && upper == upper2) continue;
      pairs.push_back({triangle(i, j, upper), triangle(i2, j2, upper2)});
    }
  }
  pairs.resize(count);
  return pairs;
}

void bench_case(Suite& suite, const std::string& name, const std::vector<TrianglePair>& pairs) {
  Answers ours(pairs.size()), plain(pairs.size()), same_method(pairs.size()), fcl_answers(pairs.size()), cgal_plain,
      cgal_exact;
  const auto ask = [&pairs](Answers& answers, auto test) {
    return [&pairs, &answers, test] {
      for (std::size_t i = 0; i < pairs.size(); ++i)
        answers[i] = test(pairs[i].first, pairs[i].second) ? 1 : 0;
    };
  };
  const auto fcl_test = [](const Triangle& s, const Triangle& t) {
    return fcl::detail::Intersect<double>::intersect_Triangle(s.a, s.b, s.c, t.a, t.b, t.c);
  };
  const auto count = [](const Answers& answers) { return [&answers] { return count_positive(answers); }; };
  const auto whisker_test = [](const Triangle& s, const Triangle& t) { return touches_triangle_triangle(s, t); };
  const auto plain_test = [](const Triangle& s, const Triangle& t) { return plain_touches_triangle_triangle(s, t); };
  const auto same_test = [](const Triangle& s, const Triangle& t) { return plain_touches_same_method(s, t); };
  suite.measure({.name = name, .calls = pairs.size()},
                {{"whisker", ask(ours, whisker_test), count(ours)},
                 {"plain double", ask(plain, plain_test), count(plain)},
                 {"plain double/same method", ask(same_method, same_test), count(same_method)},
                 {"FCL", ask(fcl_answers, fcl_test), count(fcl_answers)},
                 {"CGAL/double", cgal_touch_plain(pairs, cgal_plain), count(cgal_plain)},
                 {"CGAL/exact predicates", cgal_touch_exact(pairs, cgal_exact), count(cgal_exact)}});
  const auto truth = [&](std::size_t i) { return rational_touches(pairs[i].first, pairs[i].second) ? 1 : 0; };
  compare(suite, "plain double", ours, plain, truth);
  compare(suite, "plain double/same method", ours, same_method, truth);
  compare(suite, "FCL", ours, fcl_answers, truth);
  compare(suite, "CGAL/double", ours, cgal_plain, truth);
  compare(suite, "CGAL/exact predicates", ours, cgal_exact, truth);
  char text[120];
  std::snprintf(text, sizeof text, "exactness costs %.2f x (against plain double), %.2f x (same method)",
                suite.ratio(name, "whisker", "plain double"), suite.ratio(name, "whisker", "plain double/same method"));
  suite.note(text);
}

}  // namespace

void bench_touch(Suite& suite) {
  const auto run = [&](const std::string& name, const auto& make) {
    if (suite.wants(name)) bench_case(suite, name, make());
  };
  run("touch-triangle/far-apart", [] { return random_pairs(many_inputs, 4, false, 5); });
  run("touch-triangle/mostly-apart", [] { return random_pairs(many_inputs, 1, false, 1); });
  run("touch-triangle/boxes-overlap", [] { return random_pairs(many_inputs, 1, true, 2); });
  run("touch-triangle/half-touching", [] { return half_touching(many_inputs, 3); });
  run("touch-triangle/near", [] { return neighbors(many_inputs, 4); });
}

}  // namespace whisker::bench
