// Features of deforming meshes that are closer than a thickness: they equal those of all pairs, in exact rationals.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <tbb/global_control.h>
#include <tuple>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/near_features.hpp>
#include <whisker/simd.hpp>

#include "support/cases.hpp"
#include "support/count_allocations.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::exactly;
using test::random_vector;
using test::Rational;
using test::Real;
using test::seeded;
using test::uniform;
using test::Vec;
using test::scenes::unit_vector;

using Vertices = std::vector<Vector3>;
using Key = std::tuple<FeatureHitKind, std::uint32_t, std::uint32_t>;

/// Two features, with their vertices in the order of a NearPair.
struct FeaturePair {
  Key key;
  std::array<std::uint32_t, 4> vertices;
  std::array<Vector3, 4> at;
  std::size_t corners_a;
};

template <class N>
test::Polytope<N> polytope(const std::array<Vec<N>, 4>& at, std::size_t from, std::size_t count) {
  if (count == 1) return test::make_point(at[from]);
  if (count == 2) return test::make_segment(at[from], at[from + 1]);
  return test::make_triangle(at[from], at[from + 1], at[from + 2]);
}
template <class N>
N squared_distance(const std::array<Vec<N>, 4>& at, std::size_t corners_a) {
  return test::closest_points(polytope(at, 0, corners_a), polytope(at, corners_a, 4 - corners_a)).squared_distance;
}
template <class N>
std::array<Vec<N>, 4> exact_corners(const FeaturePair& pair) {
  std::array<Vec<N>, 4> at;
  for (std::size_t i = 0; i < 4; ++i)
    at[i] = exactly<N>(pair.at[i]);
  return at;
}

/// Whether the pair is farther than the thickness by so much that 64 bits suffice to decide it.
bool is_clearly_farther(const FeaturePair& pair, double thickness) {
  using Long = long double;
  std::array<Vec<Long>, 4> at;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector3 &x = pair.at[i], &from = pair.at[0];
    at[i] = {Long(x[0]) - from[0], Long(x[1]) - from[1], Long(x[2]) - from[2]};
  }
  return squared_distance(at, pair.corners_a) > 1.01L * thickness * thickness;
}

/// Calls visit(pair) for all pairs of features that may be near, judged by their boxes in doubles.
template <class Visit>
void for_each_pair(const DeformingMesh& a, const DeformingMesh& b, bool is_self, double thickness, Visit&& visit) {
  using Box = std::array<Vector3, 2>;
  const auto box_of = [](const DeformingMesh& m, auto&& corners) {
    Box box = {m.end()[corners[0]], m.end()[corners[0]]};
    for (const std::uint32_t v : corners) {
      box[0] = box[0].cwiseMin(m.end()[v]);
      box[1] = box[1].cwiseMax(m.end()[v]);
    }
    return box;
  };
  const auto boxes = [&](const DeformingMesh& m, const auto& items) {
    std::vector<Box> all;
    for (const auto& item : items)
      all.push_back(box_of(m, item));
    return all;
  };
  const auto used = [](const DeformingMesh& m) {
    std::vector<std::array<std::uint32_t, 1>> vertices;
    std::vector<bool> is_used(m.end().size());
    for (const Index3& t : m.triangles())
      for (const std::uint32_t v : t)
        is_used[v] = true;
    for (std::uint32_t v = 0; v < is_used.size(); ++v)
      if (is_used[v]) vertices.push_back({v});
    return vertices;
  };
  const auto all_pairs = [&](FeatureHitKind kind, const auto& items_a, const auto& items_b) {
    constexpr bool is_vertex_a = std::tuple_size_v<std::decay_t<decltype(items_a[0])>> == 1;
    constexpr bool is_vertex_b = std::tuple_size_v<std::decay_t<decltype(items_b[0])>> == 1;
    const std::vector<Box> boxes_a = boxes(a, items_a), boxes_b = boxes(b, items_b);
    for (std::uint32_t i = 0; i < items_a.size(); ++i) {
      for (std::uint32_t j = is_self && kind == FeatureHitKind::edge_edge ? i + 1 : 0; j < items_b.size(); ++j) {
        const Box &p = boxes_a[i], &q = boxes_b[j];
        const Vector3 gap = (q[0] - p[1]).cwiseMax(p[0] - q[1]).cwiseMax(0);
        if (gap.maxCoeff() > 1.001 * thickness) continue;
        bool is_sharing = false;
        for (const std::uint32_t v : items_a[i])
          is_sharing = is_sharing || std::find(items_b[j].begin(), items_b[j].end(), v) != items_b[j].end();
        if (is_self && is_sharing) continue;
        FeaturePair pair;
        pair.key = {kind, is_vertex_a ? items_a[i][0] : i, is_vertex_b ? items_b[j][0] : j};
        pair.corners_a = items_a[i].size();
        std::size_t k = 0;
        for (const std::uint32_t v : items_a[i]) {
          pair.vertices[k] = v;
          pair.at[k++] = a.end()[v];
        }
        for (const std::uint32_t v : items_b[j]) {
          pair.vertices[k] = v;
          pair.at[k++] = b.end()[v];
        }
        visit(pair);
      }
    }
  };
  all_pairs(FeatureHitKind::vertex_face, used(a), b.triangles());
  if (!is_self) all_pairs(FeatureHitKind::face_vertex, a.triangles(), used(b));
  all_pairs(FeatureHitKind::edge_edge, a.edges(), b.edges());
}

/// The part in which a point with these weights lies: 1 a vertex, 2 an edge, 3 the interior of a face.
std::size_t part_of(const std::array<double, 3>& weights) {
  return static_cast<std::size_t>(std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; }));
}
/// The vertices of a part in ascending order.
std::vector<std::uint32_t> part_vertices(const DeformingMesh& m, std::size_t part, std::uint32_t number) {
  std::vector<std::uint32_t> vertices;
  if (part == 1) vertices = {number};
  if (part == 2) vertices.assign(m.edges()[number].begin(), m.edges()[number].end());
  if (part == 3) vertices.assign(m.triangles()[number].begin(), m.triangles()[number].end());
  std::sort(vertices.begin(), vertices.end());
  return vertices;
}
std::size_t first_part(ClosestParts parts) {
  return parts == ClosestParts::face_vertex                                       ? 3
         : parts == ClosestParts::edge_vertex || parts == ClosestParts::edge_edge ? 2
                                                                                  : 1;
}
std::size_t second_part(ClosestParts parts) {
  return parts == ClosestParts::vertex_face                                       ? 3
         : parts == ClosestParts::vertex_edge || parts == ClosestParts::edge_edge ? 2
                                                                                  : 1;
}

/// Checks everything that is guaranteed about a pair whose exact squared distance is known.
void check_pair(const DeformingMesh& a, const DeformingMesh& b, const FeaturePair& truth, const Rational& squared,
                double thickness, const NearPair& pair) {
  EXPECT_EQ(pair.vertices, truth.vertices);
  EXPECT_EQ(pair.count, 1u);
  // Bounds.
  EXPECT_LE(Rational(pair.lower) * Rational(pair.lower), squared);
  EXPECT_GE(Rational(pair.upper) * Rational(pair.upper), squared);
  EXPECT_LE(pair.lower, thickness);
  EXPECT_LE(pair.lower, pair.distance);
  EXPECT_LE(pair.distance, pair.upper);
  EXPECT_EQ(squared == 0, pair.upper == 0);
  double size = 0;
  for (std::size_t i = 0; i < truth.corners_a; ++i)
    for (std::size_t j = truth.corners_a; j < 4; ++j)
      size = std::max(size, (truth.at[j] - truth.at[i]).cwiseAbs().maxCoeff());
  constexpr double min_double = std::numeric_limits<double>::denorm_min();
  EXPECT_LE(pair.upper - pair.lower, 0x1p-42 * size + 2 * min_double) << pair.lower << ' ' << pair.upper;
  // The lower bound is along a normal in doubles: three numbers, each off by up to 2^-53, times up to `size` each.
  EXPECT_LE(pair.upper - pair.lower, 0x1p-20 * pair.upper + 0x1p-51 * size + 2 * min_double);
  // The closest points, with a hundred digits.
  const std::array<Vec<Real>, 4> at = exact_corners<Real>(truth);
  Vec<Real> gap;
  double sum_a = 0, sum_b = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const bool is_a = k < truth.corners_a;
    const double weight = is_a ? pair.weights_a[k] : pair.weights_b[k - truth.corners_a];
    EXPECT_GE(weight, 0);
    (is_a ? sum_a : sum_b) += weight;
    gap = gap + Real(is_a ? -weight : weight) * (at[k] - at[0]);
  }
  EXPECT_NEAR(sum_a, 1, 1e-15);
  EXPECT_NEAR(sum_b, 1, 1e-15);
  const Real distance = test::square_root(Real(squared));
  const Real slack = Real(1e-12) * Real(size);
  EXPECT_LE(test::length(gap), distance + slack);
  // The normal proves the distance.
  EXPECT_NEAR(pair.normal.norm(), 1, 1e-14);
  const Vec<Real> normal = exactly<Real>(pair.normal);
  Real least = Real(4 * size);
  for (std::size_t i = 0; i < truth.corners_a; ++i)
    for (std::size_t j = truth.corners_a; j < 4; ++j)
      least = std::min(least, test::dot(normal, at[j] - at[i]));
  if (squared > 0 && distance > Real(1e-18 * truth.at[0].norm())) {
    EXPECT_GE(least, distance - slack);
  }
  // The parts are those that the weights imply.
  ASSERT_EQ(first_part(pair.parts), part_of(pair.weights_a));
  ASSERT_EQ(second_part(pair.parts), part_of(pair.weights_b));
  const auto with_share = [&](const std::array<double, 3>& weights, std::size_t from) {
    std::vector<std::uint32_t> vertices;
    for (std::size_t k = 0; k < 3; ++k)
      if (weights[k] != 0) vertices.push_back(pair.vertices[from + k]);
    std::sort(vertices.begin(), vertices.end());
    return vertices;
  };
  EXPECT_EQ(part_vertices(a, first_part(pair.parts), pair.part_a), with_share(pair.weights_a, 0));
  EXPECT_EQ(part_vertices(b, second_part(pair.parts), pair.part_b), with_share(pair.weights_b, truth.corners_a));
}

/// Compares with all pairs. Returns how many are near.
std::size_t compare(const DeformingMesh& a, const DeformingMesh& b, bool is_self, double thickness) {
  const NearFeatures near = is_self ? near_features(a, thickness) : near_features(a, b, thickness);
  std::map<Key, const NearPair*> got;
  const NearPair* before = nullptr;
  for (const NearPair& pair : near.pairs) {
    const Key key = {pair.kind, pair.a, pair.b};
    EXPECT_TRUE(before == nullptr || Key(before->kind, before->a, before->b) < key) << "not sorted, or twice";
    got[key] = before = &pair;
  }
  const Rational most = Rational(thickness) * Rational(thickness);
  std::size_t count = 0;
  for_each_pair(a, b, is_self, thickness, [&](const FeaturePair& pair) {
    const auto found = got.find(pair.key);
    if (found == got.end() && is_clearly_farther(pair, thickness)) return;
    const Rational squared = squared_distance(exact_corners<Rational>(pair), pair.corners_a);
    SCOPED_TRACE(testing::Message() << static_cast<int>(std::get<0>(pair.key)) << ' ' << std::get<1>(pair.key) << ' '
                                    << std::get<2>(pair.key) << " at "
                                    << test::square_root(Real(squared)).convert_to<double>());
    if (squared <= most) {
      ++count;
      EXPECT_TRUE(found != got.end()) << "missed";
    }
    if (found == got.end()) return;
    check_pair(a, b, pair, squared, thickness, *found->second);
    got.erase(found);
  });
  EXPECT_TRUE(got.empty()) << "of " << got.size() << " pairs the boxes are farther apart";
  return count;
}
std::size_t compare(const DeformingMesh& a, const DeformingMesh& b, double thickness) {
  return compare(a, b, false, thickness);
}
std::size_t compare(const DeformingMesh& m, double thickness) {
  return compare(m, m, true, thickness);
}

Vertices disturbed(const Vertices& from, std::mt19937_64& random, double by, const Vector3& way) {
  Vertices to = from;
  for (Vector3& v : to)
    v += way + by * uniform(random, 0, 1) * unit_vector(random);
  return to;
}

/// A flat sheet of n × n squares of side 1 at height z.
MeshData flat_sheet(std::uint32_t n, double z) {
  MeshData sheet;
  for (std::uint32_t y = 0; y <= n; ++y)
    for (std::uint32_t x = 0; x <= n; ++x)
      sheet.vertices.push_back({double(x), double(y), z});
  for (std::uint32_t y = 0; y < n; ++y) {
    for (std::uint32_t x = 0; x < n; ++x) {
      const std::uint32_t v = y * (n + 1) + x;
      sheet.triangles.push_back({v, v + 1, v + n + 2});
      sheet.triangles.push_back({v, v + n + 2, v + n + 1});
    }
  }
  return sheet;
}

MeshData triangle_soup(std::mt19937_64& random, std::uint32_t count, double size) {
  MeshData soup;
  for (std::uint32_t i = 0; i < 3 * count; ++i)
    soup.vertices.push_back(random_vector(random, size));
  for (std::uint32_t i = 0; i < 3 * count; i += 3)
    soup.triangles.push_back({i, i + 1, i + 2});
  return soup;
}

TEST(NearFeatures, OfTwoMeshesAreThoseOfAllPairs) {
  auto random = seeded(821);
  std::size_t found = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(4, cases(8)); ++i) {
    const MeshData first = make::icosphere({.subdivisions = 1}), second = make::torus({.around = 10, .across = 6});
    // Also far from the origin, where floats are coarse, and a mesh that at the start is far from its own center.
    const Vector3 far = i % 4 == 1 ? Vector3(1e6, -2e6, 5e5) : i % 4 == 2 ? Vector3(1000, 0, 3) : Vector3(0, 0, 0);
    DeformingMesh a(first), b(second);
    a.set_vertices(disturbed(first.vertices, random, 0.1, far));
    b.set_vertices(disturbed(second.vertices, random, 0.1, far + 1.4 * unit_vector(random)));
    found += compare(a, b, std::array{0.02, 0.1, 0.3}[i % 3]);
  }
  EXPECT_GT(found, 300u);
}

TEST(NearFeatures, OfAMeshWithItselfAreThoseOfAllPairs) {
  auto random = seeded(822);
  std::size_t found = 0;
  for (std::size_t i = 0; i < cases(6); ++i) {
    const MeshData sheet = make::cloth_sheet({.columns = 8, .rows = 8, .size_x = 8, .size_y = 8});
    DeformingMesh cloth(sheet);
    Vertices next = disturbed(sheet.vertices, random, 0.05, Vector3(i % 2 == 0 ? 0 : 1e6, 0, 1));
    const double middle = next[40][0];
    // Folds the cloth.
    for (Vector3& v : next)
      if (v[0] > middle) v = Vector3(2 * middle - v[0], v[1], v[2] + 0.1);
    cloth.set_vertices(next);
    found += compare(cloth, i % 3 == 0 ? 0.2 : 0.05);
  }
  EXPECT_GT(found, 100u);
}

TEST(NearFeatures, OfLargerMeshesAreThoseOfAllPairs) {
  auto random = seeded(823);
  MeshData sheet = make::cloth_sheet({.columns = 30, .rows = 30, .folds = 4, .fold_angle = 118});
  DeformingMesh cloth(sheet), ball(make::icosphere({.radius = 0.2, .subdivisions = 3}));
  ball.set_vertices(disturbed({ball.end().begin(), ball.end().end()}, random, 1e-3, Vector3(0.1, 0, 0.2)));
  EXPECT_GT(compare(cloth, 0.004), 100u);
  EXPECT_GT(compare(cloth, ball, 0.002), 100u);
  EXPECT_GT(compare(ball, cloth, 0.002), 100u);
}

TEST(NearFeatures, SheetsAtExactlyTheThicknessAreNear) {
  const MeshData lower = flat_sheet(5, 0), upper = flat_sheet(5, 0.125);
  DeformingMesh a(lower), b(upper);
  // Every vertex has one below it, and every edge is near parallel edges and crosses diagonals.
  const std::size_t at_thickness = compare(a, b, 0.125);
  EXPECT_GT(at_thickness, 1000u);
  EXPECT_EQ(near_features(a, b, 0.125).pairs.size(), at_thickness);
  // A thickness that is smaller by a tenth is proven to find nothing, and the next row is one unit away.
  EXPECT_TRUE(near_features(a, b, 0.1125).pairs.empty());
  EXPECT_EQ(compare(a, b, 0.5), at_thickness);
  EXPECT_EQ(near_features(a, b, 0.5).pairs.size(), at_thickness);
  compare(a, b, std::nextafter(0.125, 0.0));
  // Parallel edges have one pair of closest points, at an end.
  for (const NearPair& pair : near_features(a, b, 0.125).pairs) {
    EXPECT_EQ(pair.normal, Vector3(0, 0, 1));
    if (pair.kind != FeatureHitKind::edge_edge) continue;
    const auto way = [](const DeformingMesh& m, std::uint32_t edge) {
      return Vector3(m.end()[m.edges()[edge][1]] - m.end()[m.edges()[edge][0]]);
    };
    if (way(a, pair.a).cross(way(b, pair.b)).isZero(0)) {
      EXPECT_NE(pair.parts, ClosestParts::edge_edge);
    }
  }
}

TEST(NearFeatures, WithoutThicknessThoseThatTouch) {
  auto random = seeded(824);
  std::size_t found = 0;
  for (std::size_t i = 0; i < cases(3); ++i) {
    // On a grid, where features touch in every way: corners on corners, on edges and in faces, and edges that cross and
    // overlap.
    MeshData soup;
    for (int k = 0; k < 90; ++k)
      soup.vertices.push_back(Vector3(test::whole(random, 0, 6), test::whole(random, 0, 6), test::whole(random, 0, 3)));
    for (std::uint32_t k = 0; k < 90; k += 3)
      soup.triangles.push_back({k, k + 1, k + 2});
    DeformingMesh m(soup);
    const std::size_t touching = compare(m, 0);
    EXPECT_EQ(near_features(m, 0).pairs.size(), touching);
    for (const NearPair& pair : near_features(m, 0).pairs)
      EXPECT_TRUE(pair.lower == 0 && pair.upper == 0 && pair.distance == 0);
    found += touching;
    DeformingMesh other(soup);
    EXPECT_EQ(compare(m, other, 0), near_features(m, other, 0).pairs.size());
  }
  EXPECT_GT(found, 100u);
}

TEST(NearFeatures, DegenerateFeaturesHaveDefinedAnswers) {
  auto random = seeded(825);
  for (std::size_t i = 0; i < cases(3); ++i) {
    MeshData soup = triangle_soup(random, 24, 1);
    for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
      Vector3* const v = &soup.vertices[3 * t];
      switch (t % 8) {
        case 0:  // a point
          v[1] = v[2] = v[0];
          break;
        case 1:  // a segment: two coincident corners
          v[1] = v[0];
          break;
        case 2:  // three collinear corners
          v[2] = v[0] + 0.5 * (v[1] - v[0]);
          break;
        case 3:  // a needle
          v[2] = v[1] + 1e-9 * unit_vector(random);
          break;
        case 4:  // nearly collinear
          v[2] = v[0] + 0.3 * (v[1] - v[0]) + 1e-12 * unit_vector(random);
          break;
        case 5:  // the same vertex twice
          soup.triangles[t][2] = soup.triangles[t][1];
          break;
        case 6:  // the same vertex three times
          soup.triangles[t] = {soup.triangles[t][0], soup.triangles[t][0], soup.triangles[t][0]};
          break;
        default:
          break;
      }
    }
    DeformingMesh m(soup);
    EXPECT_GT(compare(m, 0.4), 50u);
    DeformingMesh other(triangle_soup(random, 10, 1));
    EXPECT_GT(compare(m, other, 0.4), 50u);
  }
  // All vertices coincide, at the origin and elsewhere.
  for (const double at : {0.0, 1e6, 1e-200}) {
    MeshData point;
    point.vertices.assign(6, Vector3(at, -at, at));
    point.triangles = {{0, 1, 2}, {3, 4, 5}};
    DeformingMesh m(point);
    EXPECT_EQ(compare(m, 0), 6u + 9u);
    EXPECT_EQ(compare(m, 1), 6u + 9u);
  }
}

TEST(NearFeatures, OfEverySizeAreThoseOfAllPairs) {
  auto random = seeded(826);
  for (const double size : {1e-320, 1e-305, 1e-150, 1e-60, 1e-30, 1e30, 1e39, 1e60, 1e88}) {
    SCOPED_TRACE(size);
    DeformingMesh a(triangle_soup(random, 8, size)), b(triangle_soup(random, 8, size));
    EXPECT_GT(compare(a, 0.2 * size), 5u);
    EXPECT_GT(compare(a, b, 0.2 * size), 5u);
    // Small triangles far apart from each other.
    MeshData dust = triangle_soup(random, 8, size);
    for (std::size_t v = 0; v < dust.vertices.size(); ++v)
      if (v % 3 != 0) dust.vertices[v] = dust.vertices[v - v % 3] + 1e-7 * dust.vertices[v];
    DeformingMesh c(dust);
    EXPECT_GT(compare(c, 0.8 * size), 5u);
  }
}

TEST(NearFeatures, NearlyTouchingFeaturesAreMeasuredToTheLastDigit) {
  auto random = seeded(827);
  std::size_t found = 0;
  for (std::size_t i = 0; i < cases(20); ++i) {
    MeshData soup = triangle_soup(random, 6, 1);
    // Each triangle nearly touches the previous one: over its interior, an edge or a corner, at a distance of 1e-4 to
    // 1e-17.
    for (std::size_t t = 1; t < 6; ++t) {
      Vector3* const v = &soup.vertices[3 * t];
      const Vector3* const w = v - 3;
      const double gap = std::pow(0.1, uniform(random, 4, 17));
      const Vector3 share = test::whole(random, 0, 2) == 0   ? Vector3(0.3, 0.3, 0.4)
                            : test::whole(random, 0, 1) == 0 ? Vector3(0.3, 0.7, 0)
                                                             : Vector3(1, 0, 0);
      const Vector3 normal = (w[1] - w[0]).cross(w[2] - w[0]).normalized();
      v[0] = share[0] * w[0] + share[1] * w[1] + share[2] * w[2] + gap * normal;
      if (i % 2 == 0) v[1] = 2 * v[0] - v[2] + gap * unit_vector(random);  // an edge over it
    }
    DeformingMesh m(soup);
    found += compare(m, 1e-3);
  }
  EXPECT_GT(found, 50u);
}

TEST(NearFeatures, GradientsAreFiniteDifferences) {
  auto random = seeded(828);
  std::array<std::size_t, 6> seen = {};
  for (std::size_t i = 0; i < std::max<std::size_t>(4, cases(6)); ++i) {
    DeformingMesh a(triangle_soup(random, 8, 1)), b(triangle_soup(random, 8, 1));
    const NearFeatures near = near_features(a, b, 0.3);
    std::map<Key, const NearPair*> by_key;
    for (const NearPair& pair : near.pairs)
      by_key[{pair.kind, pair.a, pair.b}] = &pair;
    for_each_pair(a, b, false, 0.3, [&](const FeaturePair& truth) {
      const auto found = by_key.find(truth.key);
      if (found == by_key.end() || found->second->distance < 1e-3) return;
      const NearPair& pair = *found->second;
      ++seen[static_cast<std::size_t>(pair.parts)];
      const std::array<Vector3, 4> gradient = distance_gradient(pair), squared = squared_distance_gradient(pair);
      const Real step("1e-40");
      for (std::size_t k = 0; k < 4; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
          const auto squared_at = [&](const Real& by) {
            std::array<Vec<Real>, 4> at = exact_corners<Real>(truth);
            (axis == 0 ? at[k].x : axis == 1 ? at[k].y : at[k].z) += by;
            return squared_distance(at, truth.corners_a);
          };
          const Real above = squared_at(step), below = squared_at(-step);
          const double of_distance =
              ((test::square_root(above) - test::square_root(below)) / (2 * step)).convert_to<double>();
          const double of_squared = ((above - below) / (2 * step)).convert_to<double>();
          EXPECT_NEAR(gradient[k][axis], of_distance, 1e-9) << k << ' ' << axis;
          EXPECT_NEAR(squared[k][axis], of_squared, 1e-9) << k << ' ' << axis;
        }
      }
    });
  }
  for (const std::size_t count : seen)
    EXPECT_GT(count, 5u);
}

/// Expects that two lists are equal, bit for bit.
void expect_same(const NearFeatures& one, const NearFeatures& other) {
  ASSERT_EQ(one.pairs.size(), other.pairs.size());
  for (std::size_t i = 0; i < one.pairs.size(); ++i) {
    const NearPair &p = one.pairs[i], &q = other.pairs[i];
    ASSERT_TRUE(p.kind == q.kind && p.a == q.a && p.b == q.b && p.parts == q.parts && p.part_a == q.part_a &&
                p.part_b == q.part_b && p.count == q.count && p.vertices == q.vertices && p.distance == q.distance &&
                p.lower == q.lower && p.upper == q.upper && p.weights_a == q.weights_a && p.weights_b == q.weights_b &&
                p.normal == q.normal)
        << i;
  }
}

TEST(NearFeatures, EveryInstructionSetAndNumberOfThreadsGivesTheSame) {
  const MeshData sheet = make::cloth_sheet({.columns = 60, .rows = 60, .folds = 4, .fold_angle = 118});
  MeshData ball = make::icosphere({.radius = 0.2, .subdivisions = 3});
  DeformingMesh a(sheet), b(ball);
  const NearFeatures own = near_features(a, 0.01), both = near_features(a, b, 0.01, {.merge = true});
  EXPECT_GT(own.pairs.size(), 1000u);
  EXPECT_GT(both.pairs.size(), 1000u);
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(use_simd_target(target));
    expect_same(near_features(a, 0.01), own);
    expect_same(near_features(a, b, 0.01, {.merge = true}), both);
  }
  use_simd_target("");
  for (const std::size_t threads : {1u, 2u, 7u}) {
    SCOPED_TRACE(threads);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const NearFeatures again = near_features(a, 0.01);
    expect_same(again, own);
    EXPECT_EQ(again.cost.volume_tests, own.cost.volume_tests);
    EXPECT_EQ(again.cost.primitive_tests, own.cost.primitive_tests);
    expect_same(near_features(a, b, 0.01, {.merge = true}), both);
  }
}

TEST(NearFeatures, MergedPairsStandForAllWithTheSameParts) {
  // Two sheets: a vertex over a vertex is near up to six faces and up to 36 pairs of edges.
  DeformingMesh a(flat_sheet(4, 0)), b(flat_sheet(4, 0.125));
  MeshData both = flat_sheet(4, 0), upper = flat_sheet(4, 0.125);
  for (const Index3& t : upper.triangles)
    both.triangles.push_back({t[0] + 25, t[1] + 25, t[2] + 25});
  both.vertices.insert(both.vertices.end(), upper.vertices.begin(), upper.vertices.end());
  DeformingMesh one(both);
  const auto check = [](const NearFeatures& all, const NearFeatures& merged, bool is_self) {
    using Parts = std::tuple<std::size_t, std::uint32_t, std::size_t, std::uint32_t>;
    const auto parts_of = [&](const NearPair& pair) {
      Parts parts = {first_part(pair.parts), pair.part_a, second_part(pair.parts), pair.part_b};
      auto& [kind_a, part_a, kind_b, part_b] = parts;
      if (is_self && std::tie(kind_b, part_b) < std::tie(kind_a, part_a)) {
        std::swap(kind_a, kind_b);
        std::swap(part_a, part_b);
      }
      return parts;
    };
    std::map<Parts, std::vector<Key>> groups;
    for (const NearPair& pair : all.pairs)
      groups[parts_of(pair)].push_back({pair.kind, pair.a, pair.b});
    EXPECT_EQ(merged.pairs.size(), groups.size());
    Key before = {FeatureHitKind::vertex_face, 0, 0};
    for (const NearPair& pair : merged.pairs) {
      const Key key = {pair.kind, pair.a, pair.b};
      const std::vector<Key>& group = groups[parts_of(pair)];
      ASSERT_FALSE(group.empty());
      EXPECT_EQ(key, group.front());
      EXPECT_EQ(pair.count, group.size());
      EXPECT_LE(before, key);
      before = key;
    }
  };
  for (const double thickness : {0.125, 1.05}) {
    check(near_features(a, b, thickness), near_features(a, b, thickness, {.merge = true}), false);
    check(near_features(one, thickness), near_features(one, thickness, {.merge = true}), true);
  }
  const NearFeatures merged = near_features(a, b, 0.125, {.merge = true});
  std::size_t corners = 0;
  for (const NearPair& pair : merged.pairs)
    corners += pair.parts == ClosestParts::vertex_vertex ? 1 : 0;
  EXPECT_EQ(corners, 25u);
  auto random = seeded(829);
  for (std::size_t i = 0; i < cases(4); ++i) {
    DeformingMesh c(triangle_soup(random, 30, 1)), d(triangle_soup(random, 30, 1));
    check(near_features(c, d, 0.3), near_features(c, d, 0.3, {.merge = true}), false);
    check(near_features(c, 0.3), near_features(c, 0.3, {.merge = true}), true);
  }
}

TEST(NearFeatures, OnlyTheEndOfTheStepCounts) {
  auto random = seeded(830);
  const MeshData ball = make::icosphere({.subdivisions = 2});
  DeformingMesh a(ball), b(ball), a_still(ball), b_still(ball);
  const Vertices end_a = disturbed(ball.vertices, random, 0.05, Vector3(1, 0, 0)),
                 end_b = disturbed(ball.vertices, random, 0.05, Vector3(3.05, 0, 0));
  a.set_step(disturbed(ball.vertices, random, 30, Vector3(-40, 3, 0)), end_a);
  b.set_step(disturbed(ball.vertices, random, 1, Vector3(0, 50, 0)), end_b);
  a_still.set_step(end_a, end_a);
  b_still.set_step(end_b, end_b);
  const NearFeatures near = near_features(a, b, 0.1);
  EXPECT_GT(near.pairs.size(), 10u);
  expect_same(near, near_features(a_still, b_still, 0.1));
  // Vertices that are set after the first query count.
  a.set_vertices(end_b);
  b.set_vertices(end_a);
  EXPECT_EQ(near_features(a, b, 0.1).pairs.size(), near_features(b_still, a_still, 0.1).pairs.size());
}

TEST(NearFeatures, VerticesThatNoTriangleHasDoNotCount) {
  MeshData lone = flat_sheet(2, 0);
  lone.vertices.push_back({1, 1, 0.01});
  lone.vertices.insert(lone.vertices.begin(), {0.5, 0.5, 0.01});
  for (Index3& t : lone.triangles)
    t = {t[0] + 1, t[1] + 1, t[2] + 1};
  DeformingMesh a(lone), b(flat_sheet(2, 5));
  EXPECT_EQ(compare(a, 0.1), 0u);
  EXPECT_GT(compare(a, b, 5), 50u);
}

TEST(NearFeatures, NothingIsAllocatedOnceMemoryHasGrown) {
  const MeshData sheet = make::cloth_sheet({.columns = 30, .rows = 30, .folds = 4, .fold_angle = 118});
  DeformingMesh a(sheet), b(make::icosphere({.radius = 0.2, .subdivisions = 3}));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  NearFeatures own, both;
  const auto ask = [&] {
    near_features(a, 0.02, {.merge = true}, own);
    near_features(a, b, 0.02, {}, both);
  };
  ask();
  const std::size_t before = allocations;
  ask();
  EXPECT_EQ(allocations, before);
  EXPECT_GT(own.pairs.size(), 100u);
  EXPECT_GT(both.pairs.size(), 100u);
  // A copy has the result, and can be used for queries too.
  NearFeatures copy = own;
  expect_same(copy, own);
  near_features(a, 0.02, {.merge = true}, copy);
  expect_same(copy, own);
}

TEST(NearFeatures, AThicknessThatIsNoLengthIsAnError) {
  DeformingMesh m(flat_sheet(1, 0));
  for (const double bad : {-1.0, -1e-300, double(NAN), double(INFINITY)}) {
    try {
      near_features(m, bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("thickness"), std::string::npos);
    }
    EXPECT_THROW(near_features(m, m, bad), Error);
  }
  // The largest possible thickness: all pairs.
  DeformingMesh other(flat_sheet(1, 3));
  EXPECT_EQ(near_features(m, other, std::numeric_limits<double>::max()).pairs.size(), 4u * 2 + 2 * 4 + 5 * 5);
}

}  // namespace
}  // namespace whisker
