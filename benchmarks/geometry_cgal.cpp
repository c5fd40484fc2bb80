// CGAL as a peer and, over rational numbers, as the referee for disagreements.

#include <memory>

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Gmpq.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/intersections.h>

#include "geometry.hpp"

namespace whisker::bench {
namespace {

using Plain = CGAL::Simple_cartesian<double>;
using Exact = CGAL::Exact_predicates_inexact_constructions_kernel;
using Rational = CGAL::Simple_cartesian<CGAL::Gmpq>;

template <class Kernel>
typename Kernel::Point_3 point(const Vector3& p) {
  return {p[0], p[1], p[2]};
}
template <class Kernel>
typename Kernel::Triangle_3 triangle(const Triangle& t) {
  return {point<Kernel>(t.a), point<Kernel>(t.b), point<Kernel>(t.c)};
}
template <class Kernel>
typename Kernel::Ray_3 ray(const Ray& r) {
  return {point<Kernel>(r.origin), typename Kernel::Vector_3(r.direction[0], r.direction[1], r.direction[2])};
}

template <class Kernel>
std::function<void()> touch(std::span<const TrianglePair> pairs, Answers& answers) {
  struct Pair {
    typename Kernel::Triangle_3 first, second;
  };
  auto converted = std::make_shared<std::vector<Pair>>();
  for (const TrianglePair& pair : pairs) {
    converted->push_back({triangle<Kernel>(pair.first), triangle<Kernel>(pair.second)});
  }
  answers.resize(pairs.size());
  return [converted, &answers] {
    for (std::size_t i = 0; i < converted->size(); ++i) {
      const Pair& pair = (*converted)[i];
      answers[i] = CGAL::do_intersect(pair.first, pair.second) ? 1 : 0;
    }
  };
}

}  // namespace

std::function<void()> cgal_touch_plain(std::span<const TrianglePair> pairs, Answers& answers) {
  return touch<Plain>(pairs, answers);
}
std::function<void()> cgal_touch_exact(std::span<const TrianglePair> pairs, Answers& answers) {
  return touch<Exact>(pairs, answers);
}

std::function<void()> cgal_ray_exact(std::span<const Shot> shots, Answers& answers) {
  struct Converted {
    Exact::Ray_3 ray;
    Exact::Triangle_3 triangle;
  };
  auto converted = std::make_shared<std::vector<Converted>>();
  for (const Shot& shot : shots)
    converted->push_back({ray<Exact>(shot.ray), triangle<Exact>(shot.triangle)});
  answers.resize(shots.size());
  return [converted, &answers] {
    for (std::size_t i = 0; i < converted->size(); ++i) {
      answers[i] = CGAL::do_intersect((*converted)[i].ray, (*converted)[i].triangle) ? 1 : 0;
    }
  };
}

std::function<void()> cgal_orient3d(std::span<const FourPoints> inputs, Answers& answers) {
  struct Points {
    Exact::Point_3 a, b, c, d;
  };
  auto converted = std::make_shared<std::vector<Points>>();
  for (const FourPoints& p : inputs) {
    converted->push_back({point<Exact>(p.a), point<Exact>(p.b), point<Exact>(p.c), point<Exact>(p.d)});
  }
  answers.resize(inputs.size());
  return [converted, &answers] {
    for (std::size_t i = 0; i < converted->size(); ++i) {
      const Points& p = (*converted)[i];
      answers[i] = static_cast<std::int8_t>(CGAL::orientation(p.a, p.b, p.c, p.d));
    }
  };
}

bool rational_touches(const Triangle& first, const Triangle& second) {
  return CGAL::do_intersect(triangle<Rational>(first), triangle<Rational>(second));
}
bool rational_ray_hits(const Ray& r, const Triangle& t) {
  return CGAL::do_intersect(ray<Rational>(r), triangle<Rational>(t));
}
int rational_orient3d(const FourPoints& p) {
  return CGAL::orientation(point<Rational>(p.a), point<Rational>(p.b), point<Rational>(p.c), point<Rational>(p.d));
}

}  // namespace whisker::bench
