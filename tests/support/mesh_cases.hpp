#pragma once

// Triangle meshes against triangle meshes: models from every generator, difficult poses, and the true answers about a
// pair, computed by methods that share nothing with a tree.
//
// The truth about surfaces is that of all pairs of placed triangles. Sort and sweep discards the pairs whose
// axis-aligned boxes are apart. It only compares coordinates, so it loses nothing. The remaining pairs go to the exact
// predicate, or to distances with a hundred digits.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"
#include "support/cases.hpp"
#include "support/mesh_edits.hpp"
#include "support/random_shapes.hpp"

namespace whisker::test {

using Random = std::mt19937_64;

// --- models ------------------------------------------------------------------------------------------------------

inline Aabb bounds_of(const MeshData& data) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(v);
  return box;
}

/// Scaled to a largest extent of 1 and centered at the origin.
inline MeshData unit(const MeshData& data) {
  const Aabb box = bounds_of(data);
  return scaled(moved(data, -(box.lower + box.upper) / 2), 1 / (box.upper - box.lower).maxCoeff());
}

/// One triangle for each three points.
inline MeshData soup(const std::vector<Triangle>& triangles) {
  MeshData data;
  for (const Triangle& t : triangles) {
    const auto first = static_cast<std::uint32_t>(data.vertices.size());
    data.vertices.insert(data.vertices.end(), {t.a, t.b, t.c});
    data.triangles.push_back({first, first + 1, first + 2});
  }
  return data;
}

/// A flat sheet of columns × rows cells in z = 0 whose first corner is at the origin. Vertices have integer
/// coordinates.
inline MeshData integer_sheet(int columns, int rows) {
  MeshData data;
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= columns; ++i)
      data.vertices.emplace_back(i, j, 0);
  }
  const auto vertex = [&](int i, int j) { return static_cast<std::uint32_t>(j * (columns + 1) + i); };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      data.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      data.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return data;
}

struct Model {
  std::string name;  ///< the generator's name in make::models()
  MeshData data;
  bool closed = true;
};

/// One model from every generator, of size 1 around the origin and with at most 600 triangles.
inline const std::vector<Model>& small_models() {
  static const std::vector<Model> all = {
      {"uv-sphere", unit(make::uv_sphere({.stacks = 6}))},
      {"icosphere", unit(make::icosphere({.subdivisions = 1}))},
      {"torus", unit(make::torus({.around = 14, .across = 8}))},
      {"wrinkled-torus", unit(make::wrinkled_torus({.around = 24, .across = 8}))},
      {"box", unit(make::box({.size_y = 0.5, .size_z = 0.75, .subdivisions = 3}))},
      {"cylinder", unit(make::cylinder({.slices = 16, .stacks = 2}))},
      {"cone", unit(make::cone({.slices = 16, .stacks = 2}))},
      {"capsule", unit(make::capsule({.slices = 12, .stacks = 3}))},
      {"s-shape", unit(make::s_shape({.along = 8, .across = 8}))},
      {"block", unit(make::block())},
      {"gear", unit(make::gear({.teeth = 8, .bore = 1, .flank_points = 2}))},
      {"pipes", unit(make::pipes({.count = 2, .segments = 6, .stretches = 3}))},
      {"chair", unit(make::chair())},
      {"terrain", unit(make::terrain({.columns = 12, .rows = 12})), false},
      {"cloth-sheet", unit(make::cloth_sheet({.columns = 12, .rows = 10, .folds = 2})), false},
      {"random-hull", unit(make::random_hull({.points = 40, .radius_y = 0.7, .radius_z = 0.4}))},
  };
  return all;
}

/// One model from every generator, of size 1 around the origin and with 1,000 to 4,000 triangles where the generator
/// allows that.
inline const std::vector<Model>& medium_models() {
  static const std::vector<Model> all = {
      {"uv-sphere", unit(make::uv_sphere({.stacks = 28}))},
      {"icosphere", unit(make::icosphere({.subdivisions = 3}))},
      {"torus", unit(make::torus({.around = 50, .across = 36}))},
      {"wrinkled-torus", unit(make::wrinkled_torus({.around = 60, .across = 32}))},
      {"box", unit(make::box({.size_y = 0.5, .size_z = 0.75, .subdivisions = 16}))},
      {"cylinder", unit(make::cylinder({.slices = 64, .stacks = 20}))},
      {"cone", unit(make::cone({.slices = 48, .stacks = 24}))},
      {"capsule", unit(make::capsule({.slices = 40, .stacks = 16}))},
      {"s-shape", unit(make::s_shape({.along = 32, .across = 24}))},
      {"block", unit(make::block())},
      {"gear", unit(make::gear({.teeth = 36, .bore = 4, .flank_points = 8}))},
      {"pipes", unit(make::pipes({.count = 3, .segments = 8, .stretches = 7}))},
      {"chair", unit(make::chair())},
      {"terrain", unit(make::terrain({.columns = 44, .rows = 44, .spikes = 5})), false},
      {"cloth-sheet", unit(make::cloth_sheet({.columns = 44, .rows = 44, .folds = 3})), false},
      {"random-hull", unit(make::random_hull({.points = 2000}))},
  };
  return all;
}

inline std::vector<Mesh> meshes_of(const std::vector<Model>& models, const TreeOptions& tree = {}) {
  std::vector<Mesh> meshes;
  for (const Model& model : models)
    meshes.emplace_back(model.data, tree);
  return meshes;
}

inline const std::vector<Mesh>& small_meshes() {
  static const std::vector<Mesh> all = meshes_of(small_models());
  return all;
}

inline const std::vector<Mesh>& medium_meshes() {
  static const std::vector<Mesh> all = meshes_of(medium_models());
  return all;
}

inline constexpr std::array<Split, 5> all_splits = {Split::surface_area, Split::mean, Split::median, Split::morton,
                                                    Split::bottom_up};

// --- poses -------------------------------------------------------------------------------------------------------

inline std::string show(const Pose& pose) {
  std::ostringstream out;
  out.precision(17);
  out << "rotation\n" << pose.rotation() << "\ntranslation " << pose.translation().transpose() << "\n";
  return out.str();
}

/// The two neighboring doubles between `yes` and `no` at which `is_true` changes: first the one where it is true, then
/// the one where it is false. `is_true` holds at `yes` and not at `no`; either may be the larger.
template <class Predicate>
std::pair<double, double> last_bit(double yes, double no, const Predicate& is_true) {
  while (true) {
    const double middle = yes + (no - yes) / 2;
    if (middle == yes || middle == no) return {yes, no};
    (is_true(middle) ? yes : no) = middle;
  }
}

// --- the truth about surfaces ------------------------------------------------------------------------------------

inline Aabb box_of(const Triangle& t) {
  Aabb box;
  box.include(t.a);
  box.include(t.b);
  box.include(t.c);
  return box;
}

/// A mesh's triangles in world coordinates, with their boxes.
struct PlacedTriangles {
  std::vector<Triangle> triangles;
  std::vector<Aabb> boxes;
  double largest = 0;  ///< largest absolute value of a coordinate

  PlacedTriangles(const Mesh& mesh, const Pose& pose) {
    triangles.reserve(mesh.triangle_count());
    boxes.reserve(mesh.triangle_count());
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
      const Triangle t = mesh.triangle(i);
      triangles.push_back({place(pose, t.a), place(pose, t.b), place(pose, t.c)});
      boxes.push_back(box_of(triangles.back()));
      largest = std::max({largest, boxes.back().lower.cwiseAbs().maxCoeff(), boxes.back().upper.cwiseAbs().maxCoeff()});
    }
  }
};

inline std::vector<std::uint32_t> sorted_by_start(const std::vector<Aabb>& boxes) {
  std::vector<std::uint32_t> order(boxes.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t i, std::uint32_t j) { return boxes[i].lower.x() < boxes[j].lower.x(); });
  return order;
}

/// Calls `visit(i, j)` for all pairs of overlapping boxes until it returns true, and returns whether it did.
template <class Visit>
bool sweep(const std::vector<Aabb>& a, const std::vector<Aabb>& b, const Visit& visit) {
  const std::vector<std::uint32_t> order_a = sorted_by_start(a), order_b = sorted_by_start(b);
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[order_a[i]].lower.x() <= b[order_b[j]].lower.x()) {
      const Aabb& box = a[order_a[i]];
      for (std::size_t k = j; k < b.size() && b[order_b[k]].lower.x() <= box.upper.x(); ++k) {
        if (box.overlaps(b[order_b[k]]) && visit(order_a[i], order_b[k])) return true;
      }
      ++i;
    } else {
      const Aabb& box = b[order_b[j]];
      for (std::size_t k = i; k < a.size() && a[order_a[k]].lower.x() <= box.upper.x(); ++k) {
        if (box.overlaps(a[order_a[k]]) && visit(order_a[k], order_b[j])) return true;
      }
      ++j;
    }
  }
  return false;
}

using IdPair = std::pair<std::uint32_t, std::uint32_t>;

/// Whether any two triangles share a point.
inline bool surfaces_touch(const PlacedTriangles& a, const PlacedTriangles& b) {
  return sweep(a.boxes, b.boxes, [&](std::uint32_t i, std::uint32_t j) {
    return touches_triangle_triangle(a.triangles[i], b.triangles[j]);
  });
}

/// All pairs of triangles that share a point, sorted.
inline std::vector<IdPair> touching_pairs(const PlacedTriangles& a, const PlacedTriangles& b) {
  std::vector<IdPair> pairs;
  sweep(a.boxes, b.boxes, [&](std::uint32_t i, std::uint32_t j) {
    if (touches_triangle_triangle(a.triangles[i], b.triangles[j])) pairs.emplace_back(i, j);
    return false;
  });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// The allowed rounding error: eight spacings of the doubles at the largest placed coordinate.
inline double eight_ulp(const PlacedTriangles& a, const PlacedTriangles& b) {
  return 8 * spacing_of_doubles_at(std::max(a.largest, b.largest));
}

/// The distance of two placed triangles with a hundred digits.
inline Real exact_distance(const Triangle& a, const Triangle& b) {
  const auto polytope = [](const Triangle& t) {
    return make_triangle(exactly<Real>(t.a), exactly<Real>(t.b), exactly<Real>(t.c));
  };
  return square_root(closest_points(polytope(a), polytope(b)).squared_distance);
}

/// Finds the distance of two surfaces that do not touch, from the pairs of triangles that are passed to it: the nearest
/// pair by the plain function in double, and every pair that this function's error leaves open with a hundred digits.
class NearestPairs {
 public:
  NearestPairs(const PlacedTriangles& a, const PlacedTriangles& b) : a_(a), b_(b) {}

  void look_at(std::uint32_t i, std::uint32_t j) {
    const Vector3 gap =
        (a_.boxes[i].lower - b_.boxes[j].upper).cwiseMax(b_.boxes[j].lower - a_.boxes[i].upper).cwiseMax(0.0);
    if (gap.maxCoeff() > reach()) return;
    const double found = whisker::closest_points(a_.triangles[i], b_.triangles[j]).distance;
    if (found > reach()) return;
    best_ = std::min(best_, found);
    near_.push_back({found, {i, j}});
  }

  /// An upper bound of the distance, from all pairs passed so far.
  double found() const { return best_; }

  Real distance() const {
    Real least = Real(std::numeric_limits<double>::max());
    for (const auto& [found, pair] : near_) {
      if (found <= reach())
        least = std::min(least, exact_distance(a_.triangles[pair.first], b_.triangles[pair.second]));
    }
    return least;
  }

 private:
  /// The largest value that the nearest pair may have: the plain function is accurate to 1e-12 of the distance and a
  /// few ulp.
  double reach() const { return best_ + 4e-12 * best_ + 4 * eight_ulp(a_, b_); }

  const PlacedTriangles &a_, &b_;
  double best_ = std::numeric_limits<double>::max() / 4;
  std::vector<std::pair<double, IdPair>> near_;
};

/// The boxes enlarged by `by` on every side, and a little more.
inline std::vector<Aabb> grown(std::vector<Aabb> boxes, double by) {
  for (Aabb& box : boxes) {
    const Vector3 more =
        Vector3::Constant(by * (1 + 1e-9)) + 1e-15 * box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs());
    box.lower -= more;
    box.upper += more;
  }
  return boxes;
}

/// The distance of two surfaces with a hundred digits.
inline Real surface_distance(const PlacedTriangles& a, const PlacedTriangles& b) {
  if (surfaces_touch(a, b)) return Real(0);
  double corners = std::numeric_limits<double>::max();  // nearest of one corner of each triangle: a first bound
  const std::size_t step = 1 + a.triangles.size() * b.triangles.size() / 1'000'000;
  for (std::size_t i = 0; i < a.triangles.size(); i += step) {
    for (const Triangle& t : b.triangles)
      corners = std::min(corners, (t.a - a.triangles[i].a).norm());
  }
  NearestPairs nearest(a, b);
  sweep(grown(a.boxes, corners), b.boxes, [&](std::uint32_t i, std::uint32_t j) {
    nearest.look_at(i, j);
    return false;
  });
  return nearest.distance();
}

/// The allowed error of a distance: 1e-12 of it plus eight ulp of the largest coordinate.
inline Real distance_tolerance(const Real& truth, const PlacedTriangles& a, const PlacedTriangles& b) {
  return Real("1e-12") * truth + Real(eight_ulp(a, b));
}

// --- the truth about solids --------------------------------------------------------------------------------------

/// The absolute value of the winding number of closed triangles around a point that is on none of them: the signed
/// crossings of a segment to a point beyond all triangles, with exact signs. A segment that meets an edge or a corner
/// is not used.
inline int winding_number(Random& random, const PlacedTriangles& all, const Vector3& point) {
  Aabb box;
  for (const Aabb& b : all.boxes)
    box.include(b);
  if (!box.contains(point)) return 0;
  const double away = 4 * (box.upper - box.lower).maxCoeff();
  while (true) {
    const Vector3 far = point + away * scenes::unit_vector(random);
    int sum = 0;
    bool general = true;
    for (const Triangle& t : all.triangles) {
      if (!touches_segment_triangle({point, far}, t)) continue;
      const int from = orient3d(t.a, t.b, t.c, point), to = orient3d(t.a, t.b, t.c, far);
      const int e0 = orient3d(point, far, t.a, t.b), e1 = orient3d(point, far, t.b, t.c),
                e2 = orient3d(point, far, t.c, t.a);
      if (from == 0 || to == 0 || e0 == 0 || e1 == 0 || e2 == 0) general = false;
      sum += from;
    }
    if (general) return std::abs(sum);
  }
}

/// Whether a vertex of `inner` that is on none of the triangles of `outer` lies inside the solid that they enclose.
inline bool any_vertex_inside(Random& random, const PlacedTriangles& inner, const PlacedTriangles& outer) {
  for (const Triangle& t : inner.triangles) {
    if (winding_number(random, outer, t.a) != 0) return true;
  }
  return false;
}

/// Whether the closed surfaces or the solids that they enclose share a point.
inline bool solids_touch(Random& random, const PlacedTriangles& a, const PlacedTriangles& b) {
  return surfaces_touch(a, b) || any_vertex_inside(random, a, b) || any_vertex_inside(random, b, a);
}

// --- checks ------------------------------------------------------------------------------------------------------

/// The ids of the triangles, sorted. Fails on a contact of anything else.
inline std::vector<IdPair> ids_of(const Contacts& found) {
  std::vector<IdPair> pairs;
  for (const Contact& contact : found.pairs) {
    EXPECT_EQ(contact.a.kind, FeatureKind::triangle);
    EXPECT_EQ(contact.b.kind, FeatureKind::triangle);
    EXPECT_EQ(contact.a.part, 0u);
    EXPECT_EQ(contact.b.part, 0u);
    pairs.emplace_back(contact.a.id, contact.b.id);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

inline std::vector<IdPair> swapped(std::vector<IdPair> pairs) {
  for (IdPair& pair : pairs)
    std::swap(pair.first, pair.second);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Describes how two sorted lists of pairs differ.
inline std::string difference(const std::vector<IdPair>& found, const std::vector<IdPair>& truth) {
  if (found == truth) return "";
  std::vector<IdPair> missed, invented;
  std::set_difference(truth.begin(), truth.end(), found.begin(), found.end(), std::back_inserter(missed));
  std::set_difference(found.begin(), found.end(), truth.begin(), truth.end(), std::back_inserter(invented));
  std::ostringstream out;
  out << "of " << truth.size() << " pairs " << missed.size() << " were missed and " << invented.size()
      << " invented or repeated";
  if (!missed.empty()) out << "; missed " << missed[0].first << ", " << missed[0].second;
  if (!invented.empty()) out << "; invented " << invented[0].first << ", " << invented[0].second;
  return out.str();
}

/// Two meshes in world coordinates, used by both the reference and the queries.
struct MeshPair {
  Mesh a, b;
  Pose pose_a, pose_b;
  Shape shape_a, shape_b;

  MeshPair(const Mesh& first, const Pose& first_pose, const Mesh& second, const Pose& second_pose)
      : a(first), b(second), pose_a(first_pose), pose_b(second_pose), shape_a(first), shape_b(second) {}

  PlacedTriangles placed_a() const { return {a, pose_a}; }
  PlacedTriangles placed_b() const { return {b, pose_b}; }
  bool touch() const { return touches({shape_a, pose_a}, {shape_b, pose_b}); }
  bool touch_swapped() const { return touches({shape_b, pose_b}, {shape_a, pose_a}); }
  Contacts find_contacts(const ContactOptions& options = {.segments = false}) const {
    return contacts({shape_a, pose_a}, {shape_b, pose_b}, options);
  }
  Contacts find_contacts_swapped(const ContactOptions& options = {.segments = false}) const {
    return contacts({shape_b, pose_b}, {shape_a, pose_a}, options);
  }
  Distance find_distance(const DistanceOptions& options = {}) const {
    return distance({shape_a, pose_a}, {shape_b, pose_b}, options);
  }
  Distance find_distance_swapped(const DistanceOptions& options = {}) const {
    return distance({shape_b, pose_b}, {shape_a, pose_a}, options);
  }

  friend std::ostream& operator<<(std::ostream& out, const MeshPair& pair) {
    return out << "a: " << pair.a.triangle_count() << " triangles\n"
               << show(pair.pose_a) << "b: " << pair.b.triangle_count() << " triangles\n"
               << show(pair.pose_b);
  }
};

/// Checks `touches` of two surfaces, in both orders, against all pairs of triangles. Returns the truth.
inline bool expect_touches_is_true(const MeshPair& pair) {
  const bool truth = surfaces_touch(pair.placed_a(), pair.placed_b());
  EXPECT_EQ(pair.touch(), truth) << pair;
  EXPECT_EQ(pair.touch_swapped(), truth) << pair;
  return truth;
}

/// Checks `touches` and `contacts` of two surfaces, in both orders, against all pairs of triangles. Returns the true
/// pairs.
inline std::vector<IdPair> expect_contacts_are_true(const MeshPair& pair) {
  const std::vector<IdPair> truth = touching_pairs(pair.placed_a(), pair.placed_b());
  EXPECT_EQ(pair.touch(), !truth.empty()) << pair;
  EXPECT_EQ(pair.touch_swapped(), !truth.empty()) << pair;
  const Contacts found = pair.find_contacts(), back = pair.find_contacts_swapped();
  EXPECT_EQ(difference(ids_of(found), truth), "") << pair;
  EXPECT_EQ(difference(ids_of(back), swapped(truth)), "") << "with a and b swapped\n" << pair;
  EXPECT_EQ(found.stop, Stop::exact);
  EXPECT_EQ(back.stop, Stop::exact);
  return truth;
}

// --- arbitrary hints ----------------------------------------------------------------------------------------------

/// An id that a cache may hold for one of `count` features: of one of them, of none, or of one that does not exist.
inline std::uint32_t any_id(Random& random, std::size_t count) {
  switch (whole(random, 0, 4)) {
    case 0:
      return PairMemory::none;
    case 1:
      return static_cast<std::uint32_t>(random());
    case 2:
      return static_cast<std::uint32_t>(count);
    default:
      return static_cast<std::uint32_t>(random() % count);
  }
}

}  // namespace whisker::test
