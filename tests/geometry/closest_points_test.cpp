// Closest points against a reference implementation (the twin), which takes the smallest distance over all pairs of
// features in 50 decimal digits.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>

#include "geometry/closest_parameters.hpp"
#include "geometry/raw_pose.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_rotation;
using test::random_vector;
using test::seeded;
using test::uniform;

// ---------------------------------------------------------------- the twin, in 50 digits

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

/// dot and cross are friends, so that they do not hide other functions of these names.
struct Point {
  Real x, y, z;

  friend Real dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Point cross(const Point& a, const Point& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

Point exact(const Vector3& v) {
  return {Real(v[0]), Real(v[1]), Real(v[2])};
}
Point operator+(const Point& a, const Point& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Point operator-(const Point& a, const Point& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Point operator*(const Real& s, const Point& a) {
  return {s * a.x, s * a.y, s * a.z};
}

/// A triangle or a parallelogram at `origin` with the edges e1, e2.
struct Face {
  Point origin, e1, e2, normal;
  bool parallelogram = false;
};

/// A point, segment, triangle or box given by its features. A box is solid.
struct Polytope {
  std::vector<Point> vertices;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::vector<Face> faces;
  bool solid = false;
  Point center;
  std::array<Point, 3> half_axes;
  double largest = 0;  ///< largest coordinate
};

void add_face(Polytope& shape, const Point& origin, const Point& e1, const Point& e2, bool parallelogram) {
  shape.faces.push_back({origin, e1, e2, cross(e1, e2), parallelogram});
}

void measure(Polytope& shape) {
  for (const Point& v : shape.vertices)
    for (const Real& x : {v.x, v.y, v.z})
      shape.largest = std::max(shape.largest, std::abs(static_cast<double>(x)));
}

Polytope polytope(const Vector3& p) {
  Polytope shape;
  shape.vertices = {exact(p)};
  measure(shape);
  return shape;
}

Polytope polytope(const Segment& s) {
  Polytope shape;
  shape.vertices = {exact(s.a), exact(s.b)};
  shape.edges = {{0, 1}};
  measure(shape);
  return shape;
}

Polytope polytope(const Triangle& t) {
  Polytope shape;
  shape.vertices = {exact(t.a), exact(t.b), exact(t.c)};
  shape.edges = {{0, 1}, {1, 2}, {2, 0}};
  add_face(shape, shape.vertices[0], shape.vertices[1] - shape.vertices[0], shape.vertices[2] - shape.vertices[0],
           false);
  measure(shape);
  return shape;
}

Point placed(const PlacedBox& box, const Vector3& local) {
  const Matrix3& r = box.pose.rotation();
  Point result = exact(box.pose.translation());
  for (int k = 0; k < 3; ++k)
    result = result + Real(local[k]) * exact(r.col(k));
  return result;
}

Polytope polytope(const PlacedBox& box) {
  Polytope shape;
  shape.solid = true;
  shape.center = exact(box.pose.translation());
  for (int k = 0; k < 3; ++k)
    shape.half_axes[static_cast<std::size_t>(k)] = Real(box.box.size[k] / 2) * exact(box.pose.rotation().col(k));
  for (std::size_t i = 0; i < 8; ++i) {
    Point vertex = shape.center;
    for (std::size_t k = 0; k < 3; ++k)
      vertex = (i >> k & 1) != 0 ? vertex + shape.half_axes[k] : vertex - shape.half_axes[k];
    shape.vertices.push_back(vertex);
    for (std::size_t k = 0; k < 3; ++k)
      if ((i >> k & 1) == 0) shape.edges.emplace_back(i, i | (std::size_t{1} << k));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const Point u = Real(2) * shape.half_axes[(k + 1) % 3];
    const Point v = Real(2) * shape.half_axes[(k + 2) % 3];
    add_face(shape, shape.vertices[0], u, v, true);
    add_face(shape, shape.vertices[std::size_t{1} << k], u, v, true);
  }
  measure(shape);
  return shape;
}

/// Inside or on the boundary, given the coordinates along e1 and e2.
bool within(const Face& face, const Real& v, const Real& w) {
  if (v < 0 || w < 0) return false;
  return face.parallelogram ? v <= 1 && w <= 1 : v + w <= 1;
}

void lower(Real& best, const Real& candidate) {
  if (candidate < best) best = candidate;
}

void vertices_against_edges_and_faces(const Polytope& a, const Polytope& b, Real& best) {
  for (const Point& p : a.vertices) {
    for (const auto& [from, to] : b.edges) {
      const Point d = b.vertices[to] - b.vertices[from];
      const Point r = p - b.vertices[from];
      const Real along = dot(d, r);
      const Real length = dot(d, d);
      if (along > 0 && along < length) {
        const Point n = cross(d, r);
        lower(best, dot(n, n) / length);
      }
    }
    for (const Face& face : b.faces) {
      const Real nn = dot(face.normal, face.normal);
      if (nn == 0) continue;
      const Point r = p - face.origin;
      const Real v = dot(cross(r, face.e2), face.normal) / nn;
      const Real w = dot(cross(face.e1, r), face.normal) / nn;
      if (!within(face, v, w)) continue;
      const Real height = dot(face.normal, r);
      lower(best, height * height / nn);
    }
    if (b.solid) {
      const auto& [u, v, w] = b.half_axes;
      const Real volume = dot(u, cross(v, w));
      if (volume == 0) continue;
      const Point r = p - b.center;
      const Real x = dot(r, cross(v, w)) / volume;
      const Real y = dot(u, cross(r, w)) / volume;
      const Real z = dot(u, cross(v, r)) / volume;
      if (abs(x) <= 1 && abs(y) <= 1 && abs(z) <= 1) best = 0;
    }
  }
  for (const auto& [from, to] : a.edges) {
    for (const Face& face : b.faces) {
      const Real nn = dot(face.normal, face.normal);
      if (nn == 0) continue;
      const Real h0 = dot(face.normal, a.vertices[from] - face.origin);
      const Real h1 = dot(face.normal, a.vertices[to] - face.origin);
      if ((h0 > 0) == (h1 > 0) && (h0 < 0) == (h1 < 0)) continue;
      const Point r = a.vertices[from] + (h0 / (h0 - h1)) * (a.vertices[to] - a.vertices[from]) - face.origin;
      if (within(face, dot(cross(r, face.e2), face.normal) / nn, dot(cross(face.e1, r), face.normal) / nn)) best = 0;
    }
  }
}

Real true_distance(const Polytope& a, const Polytope& b) {
  Real best = dot(a.vertices[0] - b.vertices[0], a.vertices[0] - b.vertices[0]);
  for (const Point& p : a.vertices)
    for (const Point& q : b.vertices)
      lower(best, dot(p - q, p - q));
  vertices_against_edges_and_faces(a, b, best);
  vertices_against_edges_and_faces(b, a, best);
  for (const auto& [a0, a1] : a.edges) {
    if (best == 0) break;
    const Point d1 = a.vertices[a1] - a.vertices[a0];
    for (const auto& [b0, b1] : b.edges) {
      const Point d2 = b.vertices[b1] - b.vertices[b0];
      const Point n = cross(d1, d2);
      const Real nn = dot(n, n);
      if (nn == 0) continue;
      const Point r = b.vertices[b0] - a.vertices[a0];
      const Real s = dot(cross(r, d2), n);
      const Real t = dot(cross(r, d1), n);
      if (s < 0 || s > nn || t < 0 || t > nn) continue;
      const Real along = dot(r, n);
      lower(best, along * along / nn);
    }
  }
  return sqrt(best);
}

// ---------------------------------------------------------------- points from parameters, in 50 digits

Point at(const Segment& segment, double s) {
  return exact(segment.a) + Real(s) * (exact(segment.b) - exact(segment.a));
}

Point at(const Triangle& t, const Vector3& w) {
  return Real(w[0]) * exact(t.a) + Real(w[1]) * exact(t.b) + Real(w[2]) * exact(t.c);
}

Real distance_of(const Point& p, const Point& q) {
  return sqrt(dot(p - q, p - q));
}

double unit_in_last_place(double magnitude) {
  return std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude;
}

// ---------------------------------------------------------------- the contracts of the parameters

::testing::AssertionResult is_segment_parameter(double s) {
  if (s >= 0 && s <= 1) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "s = " << s;
}

::testing::AssertionResult are_weights(const Vector3& w) {
  const bool signs = w[0] >= 0 && w[1] >= 0 && w[2] >= 0;
  const bool sum = std::abs(w.sum() - 1) <= 4e-16;
  const int zeros = static_cast<int>((w.array() == 0).count());
  if (signs && sum && (zeros < 2 || w.maxCoeff() == 1)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "weights = " << w.transpose() << ", sum - 1 = " << w.sum() - 1;
}

::testing::AssertionResult is_in_box(const Vector3& local, const Box& box) {
  if ((local.cwiseAbs().array() <= (box.size / 2).array()).all()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "local = " << local.transpose() << ", size = " << box.size.transpose();
}

// ---------------------------------------------------------------- measuring

/// Compares distances with the twin's, records the worst error, and fails if an error exceeds 1e-12 of the distance
/// plus 8 units in the last place of the largest coordinate.
class Ledger {
 public:
  explicit Ledger(std::string name) : name_(std::move(name)) {}
  ~Ledger() {
    if (std::getenv("WHISKER_TEST_VERBOSE") != nullptr)
      std::printf("    %-20s %zu cases, %zu of them meet, worst error %.2f ulp of the largest coordinate\n",
                  name_.c_str(), count_, zero_, worst_);
  }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  ::testing::AssertionResult check(const Real& found, const Real& truth, double largest) {
    const double unit = unit_in_last_place(largest);
    const Real excess = abs(found - truth) - Real(1e-12) * truth;
    const double error = static_cast<double>(excess / Real(unit));
    ++count_;
    if (truth == 0) ++zero_;
    worst_ = std::max(worst_, error);
    if (error <= 8) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << name_ << ": found " << found.str(20) << ", true " << truth.str(20)
                                         << ", off by " << error << " ulp of " << largest;
  }

 private:
  std::string name_;
  std::size_t count_ = 0;
  std::size_t zero_ = 0;
  double worst_ = 0;
};

// ---------------------------------------------------------------- hard cases

using Random = std::mt19937_64;

int pick(Random& random, int count) {
  return std::uniform_int_distribution<int>(0, count - 1)(random);
}

/// 10^-k with k from 0 to 17.
double tiny(Random& random) {
  return std::pow(10.0, uniform(random, -17, 0));
}

using Vertices = std::vector<Vector3>;

/// A point of the convex hull: in the interior, on an edge or a vertex.
Vector3 some_point(Random& random, const Vertices& vertices) {
  const auto any = [&] { return vertices[static_cast<std::size_t>(pick(random, static_cast<int>(vertices.size())))]; };
  switch (pick(random, 3)) {
    case 0:
      return any();
    case 1: {
      const double s = uniform(random, 0, 1);
      return (1 - s) * any() + s * any();
    }
    default: {
      Vector3 sum = Vector3::Zero();
      double total = 0;
      for (const Vector3& v : vertices) {
        const double w = uniform(random, 0.01, 1);
        sum += w * v;
        total += w;
      }
      return sum / total;
    }
  }
}

Vertices random_vertices(Random& random, std::size_t count) {
  Vertices vertices;
  const int kind = pick(random, 6);
  for (std::size_t i = 0; i < count; ++i) {
    vertices.push_back(random_vector(random));
    if (kind == 1) vertices.back()[2] = 0;
    if (kind == 2) vertices.back() = (2 * vertices.back()).array().round();  // on a grid: parallel, coplanar, equal
  }
  if (count == 3 && kind == 3)  // a needle or a flat triangle
    vertices[2] =
        vertices[0] + uniform(random, -0.5, 1.5) * (vertices[1] - vertices[0]) + tiny(random) * random_vector(random);
  if (count == 3 && kind == 4) vertices[2] = vertices[1] + tiny(random) * random_vector(random);
  if (count > 1 && kind == 5) {
    if (pick(random, 4) == 0) vertices[1] = vertices[0];
    if (pick(random, 4) == 0) vertices[count - 1] = vertices[0];
    if (pick(random, 2) == 0) vertices[count - 1] = 0.5 * (vertices[0] + vertices[1]);
    if (pick(random, 4) == 0)
      for (Vector3& v : vertices)
        v = vertices[0];
  }
  if (pick(random, 8) == 0) std::rotate(vertices.begin(), vertices.begin() + 1, vertices.end());
  return vertices;
}

/// A translation that makes the second shape touch the first, nearly touch it, or neither.
Vector3 random_shift(Random& random, const Vertices& a, const Vertices& b) {
  const Vector3 meet = some_point(random, a) - some_point(random, b);
  switch (pick(random, 5)) {
    case 0:
      return Vector3::Zero();
    case 1:
      return meet;
    case 2:
      return meet + tiny(random) * random_vector(random);
    case 3: {
      Vector3 normal = random_vector(random);
      if (a.size() > 2) normal = (a[1] - a[0]).cross(a[2] - a[0]);
      return meet + tiny(random) * (normal.norm() > 0 ? normal.normalized() : random_vector(random));
    }
    default:
      return uniform(random, 0, 5) * random_vector(random);
  }
}

/// Vertices of two shapes, possibly far from the origin, very small or very large.
void random_pair(Random& random, Vertices& a, Vertices& b) {
  const std::size_t a_count = a.size();
  const std::size_t b_count = b.size();
  a = random_vertices(random, a_count);
  if (pick(random, 4) == 0) {  // nearly parallel: a slightly bent copy of the first, shifted along itself
    const double bend = pick(random, 4) == 0 ? 0 : tiny(random);
    const Vector3 slide = uniform(random, -1, 1) * (a.back() - a.front());
    for (std::size_t i = 0; i < b_count; ++i)
      b[i] = (i < a_count ? a[i] : random_vector(random)) + slide + bend * random_vector(random);
  } else {
    b = random_vertices(random, b_count);
  }
  switch (pick(random, 8)) {
    case 0:
      for (Vector3& v : a)
        v *= 1e-6;
      break;
    case 1:
      for (Vector3& v : b)
        v *= 1e-6;
      break;
    case 2:
      for (Vector3& v : b)
        v *= tiny(random);
      break;
    default:
      break;
  }
  const Vector3 shift = random_shift(random, a, b);
  for (Vector3& v : b)
    v += shift;
  const int world = pick(random, 16);
  const Vector3 far = 1e6 * random_vector(random);
  for (Vertices* vertices : {&a, &b})
    for (Vector3& v : *vertices) {
      if (world == 0) v += far;
      if (world == 1) v *= 1e-90;
      if (world == 2) v *= 1e90;
      if (world == 3) v *= 1e-160;
      if (world == 4) v *= 1e300;
    }
}

Segment segment_of(const Vertices& v) {
  return {v[0], v[1]};
}
Triangle triangle_of(const Vertices& v) {
  return {v[0], v[1], v[2]};
}

std::string describe(const Vertices& a, const Vertices& b) {
  std::ostringstream out;
  out.precision(17);
  for (const Vertices* vertices : {&a, &b}) {
    for (const Vector3& v : *vertices)
      out << "{" << v[0] << ", " << v[1] << ", " << v[2] << "} ";
    out << (vertices == &a ? "| " : "");
  }
  return out.str();
}

PlacedBox random_box(Random& random) {
  PlacedBox box;
  box.box.size = (random_vector(random).array().abs() * 2).matrix();
  if (pick(random, 4) == 0) box.box.size = (box.box.size * 2).array().round();
  if (pick(random, 4) == 0) box.box.size[pick(random, 3)] *= pick(random, 2) == 0 ? 0 : tiny(random);
  if (pick(random, 8) == 0) box.box.size *= pick(random, 2) == 0 ? 1e-6 : 0;
  switch (pick(random, 4)) {
    case 0:
      break;
    case 1:
      box.pose.set_rotation(Eigen::AngleAxisd(tiny(random), random_vector(random).normalized()).toRotationMatrix());
      break;
    default:
      box.pose.set_rotation(random_rotation(random));
  }
  if (pick(random, 4) == 0)  // as far from orthogonal as a pose may be
    box.pose.set_rotation(
        box.pose.rotation() +
        3e-10 * (Matrix3() << random_vector(random), random_vector(random), random_vector(random)).finished());
  return box;
}

Vertices vertices_of(const PlacedBox& box) {
  Vertices vertices;
  for (int i = 0; i < 8; ++i) {
    const Vector3 signs(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    vertices.push_back(place(box.pose, signs.cwiseProduct(box.box.size)));
  }
  return vertices;
}

std::string describe(const PlacedBox& box) {
  std::ostringstream out;
  out.precision(17);
  out << "box size " << box.box.size.transpose() << " at " << box.pose.translation().transpose() << " rotation\n"
      << box.pose.rotation() << "\n";
  return out.str();
}

/// A common offset and scale: far away, very small or very large.
struct World {
  Vector3 offset = Vector3::Zero();
  double scale = 1;

  explicit World(Random& random) {
    switch (pick(random, 16)) {
      case 0:
        offset = 1e6 * random_vector(random);
        break;
      case 1:
        scale = 1e-90;
        break;
      case 2:
        scale = 1e90;
        break;
      default:
        break;
    }
  }
  Vector3 operator()(const Vector3& v) const { return scale * v + offset; }
  PlacedBox operator()(const PlacedBox& box) const {
    return {{scale * box.box.size}, geometry::raw_pose(box.pose.rotation(), (*this)(box.pose.translation()))};
  }
};

// ---------------------------------------------------------------- against the twin

TEST(ClosestPoints, PointSegmentAgreesWithTheTwin) {
  Random random = seeded(301);
  Ledger ledger("point-segment");
  for (std::size_t i = 0; i < cases(20000); ++i) {
    Vertices a(1), b(2);
    random_pair(random, a, b);
    const Segment segment = segment_of(b);
    const auto found = geometry::closest_point_segment(a[0], segment);
    ASSERT_TRUE(is_segment_parameter(found.s));
    const Polytope p = polytope(a[0]), q = polytope(segment);
    ASSERT_TRUE(ledger.check(distance_of(exact(a[0]), at(segment, found.s)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a, b);
  }
}

TEST(ClosestPoints, PointTriangleAgreesWithTheTwin) {
  Random random = seeded(302);
  Ledger ledger("point-triangle");
  for (std::size_t i = 0; i < cases(20000); ++i) {
    Vertices a(1), b(3);
    random_pair(random, a, b);
    const Triangle triangle = triangle_of(b);
    const auto found = geometry::closest_point_triangle(a[0], triangle);
    ASSERT_TRUE(are_weights(found.weights)) << describe(a, b);
    const Polytope p = polytope(a[0]), q = polytope(triangle);
    ASSERT_TRUE(ledger.check(distance_of(exact(a[0]), at(triangle, found.weights)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a, b);
  }
}

TEST(ClosestPoints, SegmentSegmentAgreesWithTheTwin) {
  Random random = seeded(303);
  Ledger ledger("segment-segment");
  for (std::size_t i = 0; i < cases(20000); ++i) {
    Vertices a(2), b(2);
    random_pair(random, a, b);
    const Segment first = segment_of(a), second = segment_of(b);
    const auto found = geometry::closest_segment_segment(first, second);
    ASSERT_TRUE(is_segment_parameter(found.s));
    ASSERT_TRUE(is_segment_parameter(found.t));
    const Polytope p = polytope(first), q = polytope(second);
    ASSERT_TRUE(ledger.check(distance_of(at(first, found.s), at(second, found.t)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a, b);
  }
}

TEST(ClosestPoints, SegmentTriangleAgreesWithTheTwin) {
  Random random = seeded(304);
  Ledger ledger("segment-triangle");
  for (std::size_t i = 0; i < cases(20000); ++i) {
    Vertices a(2), b(3);
    random_pair(random, a, b);
    const Segment segment = segment_of(a);
    const Triangle triangle = triangle_of(b);
    const auto found = geometry::closest_segment_triangle(segment, triangle);
    ASSERT_TRUE(is_segment_parameter(found.s));
    ASSERT_TRUE(are_weights(found.weights)) << describe(a, b);
    const Polytope p = polytope(segment), q = polytope(triangle);
    ASSERT_TRUE(ledger.check(distance_of(at(segment, found.s), at(triangle, found.weights)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a, b);
  }
}

TEST(ClosestPoints, TriangleTriangleAgreesWithTheTwin) {
  Random random = seeded(305);
  Ledger ledger("triangle-triangle");
  for (std::size_t i = 0; i < cases(12000); ++i) {
    Vertices a(3), b(3);
    random_pair(random, a, b);
    const Triangle first = triangle_of(a), second = triangle_of(b);
    const auto found = geometry::closest_triangle_triangle(first, second);
    ASSERT_TRUE(are_weights(found.weights_a)) << describe(a, b);
    ASSERT_TRUE(are_weights(found.weights_b)) << describe(a, b);
    const Polytope p = polytope(first), q = polytope(second);
    ASSERT_TRUE(ledger.check(distance_of(at(first, found.weights_a), at(second, found.weights_b)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a, b);
  }
}

TEST(ClosestPoints, PointBoxAgreesWithTheTwin) {
  Random random = seeded(306);
  Ledger ledger("point-box");
  for (std::size_t i = 0; i < cases(4000); ++i) {
    PlacedBox box = random_box(random);
    Vector3 point = random_vector(random);
    box.pose.set_translation(random_shift(random, {point}, vertices_of(box)));
    const World world(random);
    box = world(box);
    point = world(point);
    const auto found = geometry::closest_point_box(point, box.box, box.pose);
    ASSERT_TRUE(is_in_box(found.local, box.box));
    const Polytope p = polytope(point), q = polytope(box);
    ASSERT_TRUE(ledger.check(distance_of(exact(point), placed(box, found.local)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << point.transpose() << " " << describe(box);
  }
}

TEST(ClosestPoints, SegmentBoxAgreesWithTheTwin) {
  Random random = seeded(307);
  Ledger ledger("segment-box");
  for (std::size_t i = 0; i < cases(3000); ++i) {
    PlacedBox box = random_box(random);
    Vertices a = random_vertices(random, 2);
    if (pick(random, 4) == 0) a[1] = a[0] + box.pose.rotation().col(0) + tiny(random) * random_vector(random);
    box.pose.set_translation(random_shift(random, a, vertices_of(box)));
    const World world(random);
    box = world(box);
    for (Vector3& v : a)
      v = world(v);
    const Segment segment = segment_of(a);
    const auto found = geometry::closest_segment_box(segment, box.box, box.pose);
    ASSERT_TRUE(is_segment_parameter(found.s));
    ASSERT_TRUE(is_in_box(found.local, box.box));
    const Polytope p = polytope(segment), q = polytope(box);
    ASSERT_TRUE(ledger.check(distance_of(at(segment, found.s), placed(box, found.local)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a, {}) << " " << describe(box);
  }
}

TEST(ClosestPoints, TriangleBoxAgreesWithTheTwin) {
  Random random = seeded(308);
  Ledger ledger("triangle-box");
  for (std::size_t i = 0; i < cases(2000); ++i) {
    PlacedBox box = random_box(random);
    Vertices a = random_vertices(random, 3);
    if (pick(random, 4) == 0) {
      a[1] = a[0] + box.pose.rotation().col(0) + tiny(random) * random_vector(random);
      a[2] = a[0] + box.pose.rotation().col(1) + tiny(random) * random_vector(random);
    }
    box.pose.set_translation(random_shift(random, a, vertices_of(box)));
    const World world(random);
    box = world(box);
    for (Vector3& v : a)
      v = world(v);
    const Triangle triangle = triangle_of(a);
    const auto found = geometry::closest_triangle_box(triangle, box.box, box.pose);
    ASSERT_TRUE(are_weights(found.weights)) << describe(a, {}) << " " << describe(box);
    ASSERT_TRUE(is_in_box(found.local, box.box));
    const Polytope p = polytope(triangle), q = polytope(box);
    ASSERT_TRUE(ledger.check(distance_of(at(triangle, found.weights), placed(box, found.local)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a, {}) << " " << describe(box);
  }
}

TEST(ClosestPoints, BoxBoxAgreesWithTheTwin) {
  Random random = seeded(309);
  Ledger ledger("box-box");
  for (std::size_t i = 0; i < cases(2000); ++i) {
    PlacedBox a = random_box(random);
    PlacedBox b = random_box(random);
    if (pick(random, 3) == 0)
      b.pose.set_rotation(Eigen::AngleAxisd(tiny(random), random_vector(random).normalized()).toRotationMatrix() *
                          a.pose.rotation());
    a.pose.set_translation(random_vector(random));
    b.pose.set_translation(random_shift(random, vertices_of(a), vertices_of(b)));
    const World world(random);
    a = world(a);
    b = world(b);
    const auto found = geometry::closest_box_box(a.box, a.pose, b.box, b.pose);
    ASSERT_TRUE(is_in_box(found.local_a, a.box));
    ASSERT_TRUE(is_in_box(found.local_b, b.box));
    const Polytope p = polytope(a), q = polytope(b);
    ASSERT_TRUE(ledger.check(distance_of(placed(a, found.local_a), placed(b, found.local_b)), true_distance(p, q),
                             std::max(p.largest, q.largest)))
        << describe(a) << describe(b);
  }
}

// ---------------------------------------------------------------- clamped parameters are exact

TEST(ClosestPoints, SegmentEndsAreExactlyZeroAndOne) {
  Random random = seeded(320);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Segment segment{random_vector(random), random_vector(random)};
    const Vector3 d = (segment.b - segment.a).normalized();
    const Vector3 aside = uniform(random, 0, 1) * d.cross(random_vector(random));
    const double beyond = uniform(random, 1e-3, 2);
    EXPECT_EQ(geometry::closest_point_segment(segment.a - beyond * d + aside, segment).s, 0);
    EXPECT_EQ(geometry::closest_point_segment(segment.b + beyond * d + aside, segment).s, 1);
    const Segment other{segment.b + beyond * d + aside, segment.b + (beyond + 1) * d + 2 * aside};
    const auto found = geometry::closest_segment_segment(segment, other);
    EXPECT_EQ(found.s, 1);
    EXPECT_EQ(found.t, 0);
  }
}

TEST(ClosestPoints, TriangleFeaturesShowAsExactZeros) {
  Random random = seeded(321);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Triangle t{random_vector(random), random_vector(random), random_vector(random)};
    const Vector3 ab = t.b - t.a;
    const Vector3 ac = t.c - t.a;
    const Vector3 normal = ab.cross(ac).normalized();
    const double height = uniform(random, -1, 1);
    const double beyond = uniform(random, 1e-3, 2);
    const Vector3 before_a = t.a - beyond * (ab.normalized() + ac.normalized()) + height * normal;
    if ((ab.normalized() + ac.normalized()).norm() > 1e-3) {
      EXPECT_EQ(geometry::closest_point_triangle(before_a, t).weights, Vector3(1, 0, 0));
    }

    const double s = uniform(random, 0.01, 0.99);
    const Vector3 outward = ab.cross(normal).normalized();
    const Vector3 beside_ab = t.a + s * ab + beyond * outward + height * normal;
    const Vector3 on_edge = geometry::closest_point_triangle(beside_ab, t).weights;
    EXPECT_EQ(on_edge[2], 0);
    EXPECT_NEAR(on_edge[1], s, 1e-10);

    const Vector3 w = Vector3(uniform(random, 0.1, 1), uniform(random, 0.1, 1), uniform(random, 0.1, 1));
    const Vector3 inside = (w[0] * t.a + w[1] * t.b + w[2] * t.c) / w.sum() + height * normal;
    EXPECT_GT(geometry::closest_point_triangle(inside, t).weights.minCoeff(), 0);
  }
}

TEST(ClosestPoints, BoxCoordinatesAreExactlyHalfTheSizeWhereClamped) {
  Random random = seeded(322);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Box box{(random_vector(random).array().abs() + 0.1).matrix()};
    const Pose pose(random_rotation(random), random_vector(random));
    Vector3 local;
    Vector3 expected;
    for (int k = 0; k < 3; ++k) {
      const double half = box.size[k] / 2;
      const int side = pick(random, 3) - 1;
      local[k] = side == 0 ? uniform(random, -0.9, 0.9) * half : side * (half + uniform(random, 1e-3, 1));
      expected[k] = side == 0 ? local[k] : side * half;
    }
    const Vector3 own = geometry::closest_point_box(local, box).local;
    EXPECT_EQ(own, expected);
    const Vector3 world = geometry::closest_point_box(place(pose, local), box, pose).local;
    const auto segment =
        geometry::closest_segment_box({place(pose, local), place(pose, 2 * local - expected)}, box, pose);
    for (int k = 0; k < 3; ++k) {
      if (std::abs(expected[k]) == box.size[k] / 2) {
        EXPECT_EQ(world[k], expected[k]);
      } else {
        EXPECT_NEAR(world[k], expected[k], 1e-14);
      }
    }
    if (local != expected) {
      EXPECT_EQ(segment.s, 0);
      for (int k = 0; k < 3; ++k)
        if (std::abs(expected[k]) == box.size[k] / 2) {
          EXPECT_EQ(segment.local[k], expected[k]);
        }
    }
  }
}

TEST(ClosestPoints, SharedVerticesMeetExactly) {
  Random random = seeded(323);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Vector3 shared = random_vector(random);
    const Vector3 away = random_vector(random);
    // On opposite sides of a plane through the shared point, so that they share nothing else.
    const auto on_side = [&](double side) {
      const Vector3 v = random_vector(random);
      return Vector3(shared + (v.dot(away) * side > 0 ? v : -v));
    };
    const Triangle a{on_side(1), shared, on_side(1)};
    const Triangle b{on_side(-1), on_side(-1), shared};
    const auto found = geometry::closest_triangle_triangle(a, b);
    EXPECT_EQ(found.squared_distance, 0);
    EXPECT_EQ(closest_points(a, b).distance, 0);
    EXPECT_EQ(closest_points(Segment{a.a, shared}, Segment{shared, b.a}).distance, 0);
    EXPECT_EQ(closest_points(Segment{a.a, shared}, b).distance, 0);
  }
}

// ---------------------------------------------------------------- the public functions

struct AnyShape {
  int kind = 0;  // 0 point, 1 segment, 2 triangle, 3 box
  Vertices vertices;
  PlacedBox box;
};

AnyShape random_shape(Random& random, int kind) {
  AnyShape shape;
  shape.kind = kind;
  if (kind == 3) {
    shape.box = random_box(random);
  } else {
    shape.vertices = random_vertices(random, static_cast<std::size_t>(kind) + 1);
  }
  return shape;
}

Vertices corners(const AnyShape& shape) {
  return shape.kind == 3 ? vertices_of(shape.box) : shape.vertices;
}

Polytope polytope(const AnyShape& shape) {
  switch (shape.kind) {
    case 0:
      return polytope(shape.vertices[0]);
    case 1:
      return polytope(segment_of(shape.vertices));
    case 2:
      return polytope(triangle_of(shape.vertices));
    default:
      return polytope(shape.box);
  }
}

template <typename First>
ClosestPoints closest_to(const First& first, const AnyShape& b) {
  if constexpr (std::is_same_v<First, Vector3>)
    if (b.kind == 0) return closest_points(first, b.vertices[0]);
  if constexpr (std::is_same_v<First, Vector3> || std::is_same_v<First, Segment>)
    if (b.kind == 1) return closest_points(first, segment_of(b.vertices));
  if constexpr (!std::is_same_v<First, PlacedBox>)
    if (b.kind == 2) return closest_points(first, triangle_of(b.vertices));
  return closest_points(first, b.box);
}

ClosestPoints closest(const AnyShape& a, const AnyShape& b) {
  switch (a.kind) {
    case 0:
      return closest_to(a.vertices[0], b);
    case 1:
      return closest_to(segment_of(a.vertices), b);
    case 2:
      return closest_to(triangle_of(a.vertices), b);
    default:
      return closest_to(a.box, b);
  }
}

ClosestPoints closest(const AnyShape& a, const Plane& plane) {
  switch (a.kind) {
    case 0:
      return closest_points(a.vertices[0], plane);
    case 1:
      return closest_points(segment_of(a.vertices), plane);
    case 2:
      return closest_points(triangle_of(a.vertices), plane);
    default:
      return closest_points(a.box, plane);
  }
}

TEST(ClosestPoints, PublicDistanceAndPointsAgreeWithTheTwinForEveryPair) {
  Random random = seeded(330);
  for (int first = 0; first < 4; ++first)
    for (int second = first; second < 4; ++second) {
      Ledger distances("distance " + std::to_string(first) + std::to_string(second));
      Ledger points("points " + std::to_string(first) + std::to_string(second));
      for (std::size_t i = 0; i < cases(second == 3 ? 200 : 1000); ++i) {
        AnyShape a = random_shape(random, first);
        AnyShape b = random_shape(random, second);
        const Vector3 shift = random_shift(random, corners(a), corners(b));
        b.box.pose.set_translation(b.box.pose.translation() + shift);
        for (Vector3& v : b.vertices)
          v += shift;
        const Polytope p = polytope(a), q = polytope(b);
        const double largest = std::max(p.largest, q.largest);
        const Real truth = true_distance(p, q);
        const ClosestPoints found = closest(a, b);
        ASSERT_TRUE(distances.check(Real(found.distance), truth, largest));
        ASSERT_TRUE(points.check(distance_of(exact(found.point_a), exact(found.point_b)), truth, largest));
        // Each point belongs to its shape.
        ASSERT_TRUE(points.check(true_distance(polytope(found.point_a), p), 0, largest));
        ASSERT_TRUE(points.check(true_distance(polytope(found.point_b), q), 0, largest));
        if (first != second) continue;
        const ClosestPoints other_way = closest(b, a);
        ASSERT_TRUE(distances.check(Real(other_way.distance), truth, largest)) << "in the other order";
        ASSERT_TRUE(distances.check(Real(other_way.distance), Real(found.distance), largest)) << "in the other order";
      }
    }
}

TEST(ClosestPoints, PlanesAgreeWithTheTwin) {
  Random random = seeded(331);
  for (int kind = 0; kind < 4; ++kind) {
    Ledger ledger("plane " + std::to_string(kind));
    for (std::size_t i = 0; i < cases(2000); ++i) {
      const AnyShape shape = random_shape(random, kind);
      Plane plane;
      plane.normal = std::pow(10.0, uniform(random, -100, 100)) * random_vector(random);
      const Vector3 through =
          some_point(random, corners(shape)) + (pick(random, 2) == 0 ? tiny(random) : 3.0) * random_vector(random);
      plane.offset = plane.normal.dot(through);
      const Polytope p = polytope(shape);
      const Point n = exact(plane.normal);
      const Real length = sqrt(dot(n, n));
      Real low = dot(n, p.vertices[0]) - Real(plane.offset), high = low;
      for (const Point& v : p.vertices) {
        const Real height = dot(n, v) - Real(plane.offset);
        if (height < low) low = height;
        if (height > high) high = height;
      }
      const Real truth = (low > 0 ? low : (high < 0 ? Real(-high) : Real(0))) / length;
      const double largest = std::max(p.largest, std::abs(static_cast<double>(Real(plane.offset) / length)));
      const ClosestPoints found = closest(shape, plane);
      ASSERT_TRUE(ledger.check(Real(found.distance), truth, largest));
      ASSERT_TRUE(ledger.check(distance_of(exact(found.point_a), exact(found.point_b)), truth, largest));
      ASSERT_TRUE(ledger.check(true_distance(polytope(found.point_a), p), 0, largest));
      ASSERT_TRUE(ledger.check(abs(dot(n, exact(found.point_b)) - Real(plane.offset)) / length, 0, largest));
    }
  }
}

TEST(ClosestPoints, ParallelPlanesAreApartAndOthersMeetInAPointOfBoth) {
  const Plane floor{{0, 0, 2}, 2};
  const ClosestPoints apart = closest_points(floor, Plane{{0, 0, -3}, 6});
  EXPECT_EQ(apart.distance, 3);
  EXPECT_EQ(apart.point_a, Vector3(0, 0, 1));
  EXPECT_EQ(apart.point_b, Vector3(0, 0, -2));
  EXPECT_EQ(closest_points(floor, floor).distance, 0);
  // If the coordinates of a vector have no exact third, a third of the vector is not parallel to it, so the planes
  // intersect.
  EXPECT_NEAR(closest_points(Plane{{3, 6, 9}, 14}, Plane{{1, 2, 3}, 28}).distance, (28 - 14 / 3.0) / std::sqrt(14.0),
              1e-14);
  EXPECT_EQ(closest_points(Plane{{0.1, 0.2, 0.3}, 1}, Plane{{0.1 / 3, 0.2 / 3, 0.3 / 3}, 1}).distance, 0);

  Random random = seeded(332);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Plane a{random_vector(random), uniform(random, -1, 1)};
    const double bend = std::pow(10.0, uniform(random, -10, 0));
    const Plane b{random_vector(random)[0] * a.normal + bend * random_vector(random), uniform(random, -1, 1)};
    const ClosestPoints found = closest_points(a, b);
    EXPECT_EQ(found.distance, 0);
    EXPECT_EQ(found.point_a, found.point_b);
    const double size = found.point_a.cwiseAbs().maxCoeff() + 1;
    for (const Plane& plane : {a, b})
      EXPECT_LE(std::abs(plane.normal.dot(found.point_a) - plane.offset) / plane.normal.norm(), 8e-16 * size)
          << a.normal.transpose() << " " << a.offset << ", " << b.normal.transpose() << " " << b.offset;
  }
}

TEST(ClosestPoints, APlaneWithoutADirectionIsAnError) {
  EXPECT_THROW(closest_points(Vector3(1, 2, 3), Plane{Vector3::Zero(), 1}), Error);
  EXPECT_THROW(closest_points(Plane{}, Plane{{std::nan(""), 0, 0}, 1}), Error);
  EXPECT_THROW(closest_points(Segment{}, Plane{{1, 0, 0}, std::numeric_limits<double>::infinity()}), Error);
}

TEST(ClosestPoints, ASegmentThroughATriangleMeetsItWhereItPierces) {
  const Triangle triangle{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const ClosestPoints found = closest_points(Segment{{1, 1, -1}, {1, 1, 3}}, triangle);
  EXPECT_EQ(found.distance, 0);
  EXPECT_EQ(found.point_a, Vector3(1, 1, 0));
  EXPECT_EQ(found.point_b, Vector3(1, 1, 0));
}

TEST(ClosestPoints, ABoxWithinABoxHasACommonPoint) {
  const PlacedBox outer{{{4, 4, 4}}, Pose(Vector3(1, 0, 0))};
  const PlacedBox inner{{{1, 1, 1}}, Pose(Vector3(1.5, 0.5, -0.5))};
  const ClosestPoints found = closest_points(outer, inner);
  EXPECT_LE(found.distance, 1e-15);
  EXPECT_LE((found.point_a - inner.pose.translation()).cwiseAbs().maxCoeff(), 0.5 + 1e-15);
}

TEST(ClosestPoints, TheLargestAndSmallestNumbersGiveFiniteParameters) {
  Random random = seeded(340);
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  const auto extreme = [&] {
    const std::array<double, 8> values{0, largest, -largest, smallest, -smallest, 1, 1e-200, -1e200};
    const auto any = [&] { return values[static_cast<std::size_t>(pick(random, 8))]; };
    return Vector3(any(), any(), any());
  };
  for (std::size_t i = 0; i < cases(5000); ++i) {
    const Triangle a{extreme(), extreme(), extreme()};
    const Triangle b{extreme(), extreme(), extreme()};
    const PlacedBox box{{extreme().cwiseAbs()}, geometry::raw_pose(random_rotation(random), extreme())};
    const PlacedBox other{{extreme().cwiseAbs()}, geometry::raw_pose(random_rotation(random), extreme())};
    const auto segments = geometry::closest_segment_segment({a.a, a.b}, {b.a, b.b});
    ASSERT_TRUE(is_segment_parameter(segments.s) && is_segment_parameter(segments.t));
    ASSERT_TRUE(is_segment_parameter(geometry::closest_point_segment(a.a, {b.a, b.b}).s));
    ASSERT_TRUE(are_weights(geometry::closest_point_triangle(a.a, b).weights));
    const auto mixed = geometry::closest_segment_triangle({a.a, a.b}, b);
    ASSERT_TRUE(is_segment_parameter(mixed.s) && are_weights(mixed.weights));
    const auto triangles = geometry::closest_triangle_triangle(a, b);
    ASSERT_TRUE(are_weights(triangles.weights_a));
    ASSERT_TRUE(are_weights(triangles.weights_b));
    ASSERT_TRUE(is_in_box(geometry::closest_point_box(a.a, box.box, box.pose).local, box.box));
    const auto segment_box = geometry::closest_segment_box({a.a, a.b}, box.box, box.pose);
    ASSERT_TRUE(is_segment_parameter(segment_box.s));
    ASSERT_TRUE(is_in_box(segment_box.local, box.box));
    const auto triangle_box = geometry::closest_triangle_box(a, box.box, box.pose);
    ASSERT_TRUE(are_weights(triangle_box.weights));
    ASSERT_TRUE(is_in_box(triangle_box.local, box.box));
    const auto boxes = geometry::closest_box_box(box.box, box.pose, other.box, other.pose);
    ASSERT_TRUE(is_in_box(boxes.local_a, box.box));
    ASSERT_TRUE(is_in_box(boxes.local_b, other.box));
  }
}

}  // namespace
}  // namespace whisker
