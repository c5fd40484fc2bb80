// orient3d: the side of a plane on which a point lies.

#include <cmath>
#include <string>

#include <whisker/geometry/predicates.hpp>

#include "geometry.hpp"

namespace whisker::bench {
namespace {

std::vector<FourPoints> random_points(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<FourPoints> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 a = uniform_in_cube(random, 1), b = uniform_in_cube(random, 1);
    const Vector3 c = uniform_in_cube(random, 1), d = uniform_in_cube(random, 1);
    inputs.push_back({a, b, c, d});
  }
  return inputs;
}

/// Half of the inputs are exactly coplanar points of a coarse grid, half are as close to coplanar as rounding allows.
std::vector<FourPoints> coplanar_points(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<FourPoints> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const bool exactly = random() % 2 == 0;
    const auto coordinate = [&] {
      const double value = uniform(random, -1, 1);
      return exactly ? std::round(1024 * value) / 1024 : value;
    };
    const auto vector = [&]() -> Vector3 {
      const double x = coordinate(), y = coordinate(), z = coordinate();
      return {x, y, z};
    };
    const Vector3 a = vector(), u = vector(), v = vector();
    const auto in_plane = [&]() -> Vector3 {
      const double s = coordinate(), t = coordinate();
      return a + s * u + t * v;
    };
    const Vector3 b = in_plane(), c = in_plane(), d = in_plane();
    inputs.push_back({a, b, c, d});
  }
  return inputs;
}

void bench_case(Suite& suite, const std::string& name, const std::vector<FourPoints>& inputs) {
  Answers ours(inputs.size()), plain(inputs.size()), cgal;
  const auto count = [](const Answers& answers) { return [&answers] { return count_positive(answers); }; };
  suite.measure({.name = name, .calls = inputs.size()},
                {{"whisker",
                  [&] {
                    for (std::size_t i = 0; i < inputs.size(); ++i) {
                      const FourPoints& p = inputs[i];
                      ours[i] = static_cast<std::int8_t>(orient3d(p.a, p.b, p.c, p.d));
                    }
                  },
                  count(ours)},
                 {"plain double",
                  [&] {
                    for (std::size_t i = 0; i < inputs.size(); ++i) {
                      const FourPoints& p = inputs[i];
                      plain[i] = static_cast<std::int8_t>(plain_orient3d(p.a, p.b, p.c, p.d));
                    }
                  },
                  count(plain)},
                 {"CGAL/exact predicates", cgal_orient3d(inputs, cgal), count(cgal)}});
  const auto truth = [&](std::size_t i) { return rational_orient3d(inputs[i]); };
  compare(suite, "plain double", ours, plain, truth);
  compare(suite, "CGAL/exact predicates", ours, cgal, truth);
}

}  // namespace

void bench_orient(Suite& suite) {
  if (suite.wants("orient3d/random")) bench_case(suite, "orient3d/random", random_points(many_inputs, 21));
  if (suite.wants("orient3d/coplanar")) bench_case(suite, "orient3d/coplanar", coplanar_points(many_inputs, 22));
}

}  // namespace whisker::bench
