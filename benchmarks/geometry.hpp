#pragma once

// The suite `geometry`: single tests of triangles, rays, orientations, distances and hulls. Declares the inputs that
// its files share, and the peers, which have files of their own.

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include <whisker/primitives.hpp>
#include <whisker/ray.hpp>
#include <whisker/vector.hpp>

#include "harness.hpp"

namespace whisker::bench {

struct TrianglePair {
  Triangle first, second;
};

/// A ray and the triangle that it is aimed at.
struct Shot {
  Ray ray;
  Triangle triangle;
};

struct FourPoints {
  Vector3 a, b, c, d;
};

/// The number of inputs per pass for tests with a branch per input: large enough that a processor's branch predictor
/// cannot learn the results from one pass to the next. (With 8192 pairs of triangles it did: the plain test seemed
/// twice as fast as it is on new input.)
inline constexpr std::size_t many_inputs = 65536;

/// Yes or no, or a sign, for each input.
using Answers = std::vector<std::int8_t>;

inline double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
inline Vector3 uniform_in_cube(std::mt19937_64& random, double half) {
  const double x = uniform(random, -half, half), y = uniform(random, -half, half), z = uniform(random, -half, half);
  return {x, y, z};
}

std::size_t count_positive(const Answers& answers);

// Tests in plain double arithmetic (geometry_plain.cpp): the same methods as whisker's, but rounded numbers decide.
// Each is a single function call, as whisker's are.
bool plain_touches_triangle_triangle(const Triangle& first, const Triangle& second);
/// The same test with whisker's order of steps: bounding boxes in x and y, both planes at once, without the error
/// bounds. The difference to whisker's time is the cost of exactness alone.
bool plain_touches_same_method(const Triangle& first, const Triangle& second);
struct PlainHit {
  bool hit = false;
  double t = 0, u = 0, v = 0;
};
PlainHit plain_ray_triangle(const Ray& ray, const Triangle& triangle);
int plain_orient3d(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d);

// CGAL (geometry_cgal.cpp). Each function returns a pass over the inputs, converted to CGAL's own types beforehand.
std::function<void()> cgal_touch_plain(std::span<const TrianglePair> pairs, Answers& answers);
std::function<void()> cgal_touch_exact(std::span<const TrianglePair> pairs, Answers& answers);
std::function<void()> cgal_ray_exact(std::span<const Shot> shots, Answers& answers);
std::function<void()> cgal_orient3d(std::span<const FourPoints> inputs, Answers& answers);

// The referee for disagreements: CGAL over rational numbers (geometry_cgal.cpp).
bool rational_touches(const Triangle& first, const Triangle& second);
bool rational_ray_hits(const Ray& ray, const Triangle& triangle);
int rational_orient3d(const FourPoints& points);

/// Compares a peer's results with whisker's. Where they differ, `truth(i)` decides which is right.
void compare(Suite& suite, const char* peer, const Answers& ours, const Answers& theirs,
             const std::function<int(std::size_t)>& truth);

// The parts of the suite.
void bench_touch(Suite& suite);
void bench_ray(Suite& suite);
void bench_orient(Suite& suite);
void bench_distance(Suite& suite);
void bench_hull(Suite& suite);

}  // namespace whisker::bench
