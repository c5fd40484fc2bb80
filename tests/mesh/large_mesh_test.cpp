// Large meshes, with too many triangles to try all pairs: CGAL, an independent code, finds the pairs whose boxes
// overlap, and the exact predicate decides them. On models from the generators, and on the public meshes of
// $WHISKER_DATA/meshes if it is set.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <CGAL/box_intersection_d.h>
#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>

#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::IdPair;
using test::MeshPair;
using test::PlacedTriangles;
using test::Random;
using test::random_pose;
using test::Real;
using test::seeded;

/// A box with its triangle's number, in the form that CGAL expects.
struct NumberedBox {
  using NT = double;
  using ID = std::size_t;

  Aabb box;
  std::uint32_t number = 0;
  std::size_t unique = 0;  // CGAL takes boxes with the same id for the same box, and skips them

  static int dimension() { return 3; }
  double min_coord(int axis) const { return box.lower[axis]; }
  double max_coord(int axis) const { return box.upper[axis]; }
  std::size_t id() const { return unique; }
};

std::vector<NumberedBox> numbered(const std::vector<Aabb>& boxes, std::size_t first_id) {
  std::vector<NumberedBox> all;
  all.reserve(boxes.size());
  for (const Aabb& box : boxes)
    all.push_back({box, static_cast<std::uint32_t>(all.size()), first_id + all.size()});
  return all;
}

/// Calls `visit(i, j)` for all pairs of boxes that overlap. Boxes are closed.
template <class Visit>
void for_boxes_that_meet(const std::vector<Aabb>& a, const std::vector<Aabb>& b, const Visit& visit) {
  std::vector<NumberedBox> boxes_a = numbered(a, 0), boxes_b = numbered(b, a.size());
  CGAL::box_intersection_d(boxes_a.begin(), boxes_a.end(), boxes_b.begin(), boxes_b.end(),
                           [&](const NumberedBox& p, const NumberedBox& q) { visit(p.number, q.number); });
}

std::vector<IdPair> pairs_by_cgal(const PlacedTriangles& a, const PlacedTriangles& b) {
  std::vector<IdPair> pairs;
  for_boxes_that_meet(a.boxes, b.boxes, [&](std::uint32_t i, std::uint32_t j) {
    if (touches_triangle_triangle(a.triangles[i], b.triangles[j])) pairs.emplace_back(i, j);
  });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// The distance of surfaces that are apart, if it is at most `upper`: only pairs that overlap after growing the boxes
/// by `upper` matter.
Real distance_within(const PlacedTriangles& a, const PlacedTriangles& b, double upper) {
  test::NearestPairs nearest(a, b);
  for_boxes_that_meet(test::grown(a.boxes, upper), b.boxes,
                      [&](std::uint32_t i, std::uint32_t j) { nearest.look_at(i, j); });
  return nearest.distance();
}

/// Counts of what was checked, for printing.
struct Tally {
  std::size_t poses = 0, touching = 0, contacts = 0, distances = 0;
};

/// Checks all guarantees for two surfaces. The distance is checked if it is small relative to the meshes, so that few
/// pairs are candidates.
void expect_true(const MeshPair& pair, double near, Tally& tally) {
  const PlacedTriangles a = pair.placed_a(), b = pair.placed_b();
  const std::vector<IdPair> truth = pairs_by_cgal(a, b);
  ++tally.poses;
  tally.touching += truth.empty() ? 0u : 1u;
  tally.contacts += truth.size();
  EXPECT_EQ(pair.touch(), !truth.empty()) << pair;
  EXPECT_EQ(pair.touch_swapped(), !truth.empty()) << pair;
  EXPECT_EQ(test::difference(test::ids_of(pair.find_contacts()), truth), "") << pair;
  EXPECT_EQ(test::difference(test::ids_of(pair.find_contacts_swapped()), test::swapped(truth)), "") << pair;
  const Distance found = pair.find_distance();
  EXPECT_LE(found.lower, found.upper);
  if (!truth.empty()) {
    EXPECT_EQ(found.lower, 0) << pair;
    EXPECT_LE(found.upper, test::eight_ulp(a, b)) << pair;
    return;
  }
  if (found.upper > near) return;
  ++tally.distances;
  const Real exact = distance_within(a, b, found.upper), tolerance = test::distance_tolerance(exact, a, b);
  EXPECT_LE(Real(found.lower), exact) << pair;
  EXPECT_GE(Real(found.upper), exact) << pair;
  EXPECT_LE(Real(found.upper) - exact, tolerance) << pair;
  EXPECT_LE(exact - Real(found.lower), tolerance) << pair;
}

/// Meshes of size 1 that touch at first are moved apart to the last bit of contact. The query only steers, and is
/// checked at every final pose.
void expect_true_around_the_last_bit(Random& random, const Mesh& a, const Mesh& b, Tally& tally) {
  const Shape shape_a = a, shape_b = b;
  const Matrix3 turn_a = test::scenes::any_rotation(random), turn_b = test::scenes::any_rotation(random);
  const Vector3 direction = test::scenes::unit_vector(random);
  const Pose pose_a(turn_a, Vector3::Zero());
  const auto pose_at = [&](double s) { return Pose(turn_b, s * direction); };
  const auto touch = [&](double s) { return touches({shape_a, pose_a}, {shape_b, pose_at(s)}); };
  double start = 0;
  while (start < 1 && !touch(start))
    start += 0.0625;
  if (start >= 1) return;
  const auto [inside, outside] = test::last_bit(start, 4.0, touch);
  for (const double s : {inside, outside, outside + 1e-12, outside + 1e-4, inside - 1e-4})
    expect_true({a, pose_a, b, pose_at(s)}, 2e-3, tally);
}

TEST(LargeMeshes, OfTheGeneratorsLikeCgalAndTheExactPredicate) {
  const std::vector<Mesh> meshes = {
      Mesh(test::unit(make::wrinkled_torus())),                                        // 20,000 triangles
      Mesh(test::unit(make::icosphere({.subdivisions = 6}))),                          // 81,920
      Mesh(test::unit(make::terrain({.columns = 120, .rows = 120, .spikes = 20}))),    // 28,800
      Mesh(test::unit(make::pipes({.count = 5, .segments = 10, .stretches = 13}))),    // 20,700
      Mesh(test::unit(make::cloth_sheet({.columns = 120, .rows = 120, .folds = 5}))),  // 28,800
      Mesh(test::unit(make::gear({.teeth = 300, .flank_points = 10}))),                // about 26,400, long and thin
  };
  auto random = seeded(3501);
  Tally tally;
  for (std::size_t i = 0; i < cases(8); ++i) {
    const Mesh &a = meshes[i % meshes.size()], &b = meshes[(i * 5 + 1 + i / meshes.size()) % meshes.size()];
    expect_true({a, random_pose(random, 0.3), b, random_pose(random, 0.3)}, 2e-3, tally);
    if (i % 3 == 0) expect_true_around_the_last_bit(random, a, b, tally);
    if (HasFailure()) FAIL() << "case " << i;
  }
  for (const Mesh& mesh : meshes) {  // a copy at the same place: everything is flush
    if (mesh.triangle_count() > 30'000) continue;
    const Pose pose = random_pose(random, 1);
    const MeshPair pair(mesh, pose, mesh, pose);
    ASSERT_EQ(test::difference(test::ids_of(pair.find_contacts()), pairs_by_cgal(pair.placed_a(), pair.placed_b())),
              "");
  }
  std::printf("large generated meshes: %zu poses, %zu touching, %zu contacts, %zu distances\n", tally.poses,
              tally.touching, tally.contacts, tally.distances);
  EXPECT_GT(tally.touching, 0u);
  EXPECT_GT(tally.distances, 0u);
}

TEST(LargeMeshesData, PublicMeshesLikeCgalAndTheExactPredicate) {
  const char* const data = std::getenv("WHISKER_DATA");
  if (data == nullptr || *data == '\0') GTEST_SKIP() << "WHISKER_DATA is not set: the public meshes are not tested";
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(data) / "meshes")) {
    if (entry.path().extension() == ".obj") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    meshes.emplace_back(test::unit(read_mesh(file)));
    names.push_back(file.filename());
  }
  auto random = seeded(3502);
  Tally tally;
  const std::size_t count = meshes.size();
  for (std::size_t i = 0; i < cases(2 * count); ++i) {
    const std::size_t k = i % count, m = (i * 3 + i / count) % count;
    expect_true({meshes[k], random_pose(random, 0.3), meshes[m], random_pose(random, 0.3)}, 2e-3, tally);
    if (i % 2 == 0) expect_true_around_the_last_bit(random, meshes[k], meshes[m], tally);
    if (HasFailure()) FAIL() << names[k] << " and " << names[m];
  }
  for (std::size_t k = 0; k < count; ++k) {
    const MeshPair pair(meshes[k], Pose(), meshes[k], Pose());
    ASSERT_EQ(test::difference(test::ids_of(pair.find_contacts()), pairs_by_cgal(pair.placed_a(), pair.placed_b())), "")
        << names[k];
  }
  std::printf("data meshes tested: %zu, in %zu poses, %zu touching, %zu contacts, %zu distances\n", count, tally.poses,
              tally.touching, tally.contacts, tally.distances);
}

/// The generalized winding number as the sum over all placed triangles in long double, and its error bound: about
/// twenty roundings of numbers no larger than 4 for each triangle that is not next to the point.
std::pair<long double, long double> summed_winding(const PlacedTriangles& placed, const Vector3& p) {
  using V = Eigen::Matrix<long double, 3, 1>;
  long double sum = 0, error = 0;
  for (const Triangle& t : placed.triangles) {
    const V a = t.a.cast<long double>() - p.cast<long double>(), b = t.b.cast<long double>() - p.cast<long double>(),
            c = t.c.cast<long double>() - p.cast<long double>();
    const long double x = a.norm(), y = b.norm(), z = c.norm();
    const long double over = a.dot(b.cross(c)) / (x * y * z);
    const long double under = 1 + a.dot(b) / (x * y) + b.dot(c) / (y * z) + c.dot(a) / (z * x);
    sum += std::atan2(over, under) / (2 * std::numbers::pi_v<long double>);
    error += 64 * 0x1p-64L / std::hypot(over, under);
  }
  return {sum, error};
}

TEST(LargeMeshesData, PublicMeshesHaveTheWindingNumberOfAllTheirTriangles) {
  const char* const data = std::getenv("WHISKER_DATA");
  if (data == nullptr || *data == '\0') GTEST_SKIP() << "WHISKER_DATA is not set: the public meshes are not tested";
  auto random = seeded(5107);
  std::size_t inside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(data) / "meshes")) {
    if (entry.path().extension() != ".obj") continue;
    const Mesh mesh(read_mesh(entry.path()));
    const Shape shape = mesh;
    const Aabb box = mesh.bounds();
    const Pose pose = random_pose(random, box.upper.cwiseAbs().maxCoeff());
    const PlacedTriangles placed(mesh, pose);
    for (std::size_t i = 0; i < cases(10); ++i) {
      const Vector3 half = (box.upper - box.lower) / 2;
      Vector3 p = (box.upper + box.lower) / 2 + half.cwiseProduct(test::random_vector(random, 1.1));
      if (i % 3 == 0) p = mesh.vertices()[random() % mesh.vertices().size()] + 1e-3 * half.norm() * Vector3::Ones();
      p = place(pose, p);
      const auto [truth, error] = summed_winding(placed, p);
      if (truth > 0.9L) ++inside;
      for (const double tolerance : {0.0, 1e-5, 1e-2, 0.2}) {
        const WindingNumber found = winding_number({shape, pose}, p, {.tolerance = tolerance});
        EXPECT_LE(found.lower, truth + error) << entry.path() << " " << tolerance;
        EXPECT_GE(found.upper, truth - error) << entry.path() << " " << tolerance;
        EXPECT_LE(found.upper - found.lower, std::max(tolerance, 1e-8)) << entry.path();
      }
    }
  }
  EXPECT_GT(inside, 0u);
}

}  // namespace
}  // namespace whisker
