#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/geometry/hull.hpp>
#include <whisker/geometry/predicates.hpp>

#include "geometry/check_index.hpp"
#include "geometry/constants.hpp"
#include "geometry/hull_merge.hpp"
#include "geometry/hull_plane.hpp"
#include "geometry/hull_quickhull.hpp"
#include "geometry/lists.hpp"
#include "geometry/random.hpp"
#include "geometry/triangle_signs.hpp"
#include "geometry/vector_size.hpp"

namespace whisker {

void HullData::refuse_face(std::size_t index) const {
  geometry::throw_bad_index("convex hull: face", index, face_count());
}

namespace {

using geometry::EnclosedPoints;
using geometry::FaceLoops;

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

void check_input(std::span<const Vector3> points, const HullOptions& options) {
  if (points.empty()) throw Error("convex hull: no points; give at least one");
  if (points.size() > std::size_t{1} << 31) throw Error("convex hull: more than 2^31 points; split or thin them out");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) {
      throw Error("convex hull: point " + std::to_string(i) + " is not finite; remove or repair it");
    }
  }
  if (!(options.merge_distance >= 0) || std::isinf(options.merge_distance)) {
    throw Error("convex hull: merge_distance is " + std::to_string(options.merge_distance) +
                "; it must be a finite length, 0 or more");
  }
}

double largest_coordinate_of(std::span<const Vector3> points) {
  double largest = 0;
  for (const Vector3& p : points)
    largest = std::max(largest, geometry::largest_entry(p));
  return largest;
}

// The work is done between 2^-100 and 2^100, so that neither lengths nor areas of ordinary hulls leave the range of
// doubles. Points outside this range are multiplied by 2^-exponent.
int working_exponent(double largest) {
  if (largest == 0 || (largest >= 0x1p-100 && largest <= 0x1p100)) return 0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

/// Nothing if the exponent is 0.
std::vector<Vector3> scaled_copies(std::span<const Vector3> points, int exponent) {
  if (exponent == 0) return {};
  return geometry::mapped(points, [=](const Vector3& p) { return geometry::times_power(p, exponent); });
}

/// Whether the copies, multiplied by 2^exponent, are the points again.
bool are_exact(std::span<const Vector3> copies, std::span<const Vector3> points, int exponent) {
  return std::equal(copies.begin(), copies.end(), points.begin(),
                    [=](const Vector3& copy, const Vector3& p) { return geometry::times_power(copy, exponent) == p; });
}

// The index with the largest measure if `is_good` holds for it, else the first index for which `is_good` holds, else
// `none`. Measures may be arbitrary, NaN included. `is_good` is exact.
template <class Measure, class IsGood>
std::uint32_t pick(std::size_t count, Measure measure, IsGood is_good) {
  std::uint32_t best = 0;
  double best_measure = -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double m = measure(i);
    if (m > best_measure) {
      best_measure = m;
      best = i;
    }
  }
  if (is_good(best)) return best;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_good(i)) return i;
  }
  return none;
}

// Points that span the affine hull of all points: dimension + 1 of them.
struct Spanning {
  int dimension = 0;
  std::array<std::uint32_t, 4> points = {none, none, none, none};
};

Spanning spanning_points(std::span<const Vector3> points) {
  Spanning spanning;
  auto& s = spanning.points;
  // The two ends along the axis of largest extent.
  std::array<std::uint32_t, 3> low = {0, 0, 0};
  std::array<std::uint32_t, 3> high = {0, 0, 0};
  for (std::uint32_t i = 1; i < points.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      if (points[i][k] < points[low[axis]][k]) low[axis] = i;
      if (points[i][k] > points[high[axis]][k]) high[axis] = i;
    }
  }
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const auto k = static_cast<int>(axis);
    const auto l = static_cast<int>(longest);
    if (points[high[axis]][k] - points[low[axis]][k] > points[high[longest]][l] - points[low[longest]][l]) {
      longest = axis;
    }
  }
  s[0] = low[longest];
  s[1] = high[longest];
  const Vector3 origin = points[s[0]];
  if (origin == points[s[1]]) return spanning;

  const Vector3 along = points[s[1]] - origin;
  s[2] = pick(
      points.size(), [&](std::uint32_t i) { return (points[i] - origin).cross(along).squaredNorm(); },
      [&](std::uint32_t i) { return geometry::view_axis(points[s[0]], points[s[1]], points[i]).axis >= 0; });
  spanning.dimension = 1;
  if (s[2] == none) return spanning;

  const Vector3 normal = along.cross(points[s[2]] - origin);
  s[3] = pick(
      points.size(), [&](std::uint32_t i) { return std::abs(normal.dot(points[i] - origin)); },
      [&](std::uint32_t i) { return orient3d(points[s[0]], points[s[1]], points[s[2]], points[i]) != 0; });
  spanning.dimension = s[3] == none ? 2 : 3;
  return spanning;
}

// The polygon around exactly coplanar points as two loops, one for each side. Andrew's monotone chain (1979) in a
// projection that is one to one on the plane. Any order along a line will do, such as that of `comes_before`.
FaceLoops flat_hull(std::span<const Vector3> points, const Spanning& spanning) {
  const auto& s = spanning.points;
  const int axis = geometry::view_axis(points[s[0]], points[s[1]], points[s[2]]).axis;
  std::vector<std::uint32_t> order = geometry::numbers_below(points.size());
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t i, std::uint32_t j) { return geometry::comes_before(points[i], points[j]); });
  std::vector<std::uint32_t> loop;
  const auto add_chain = [&](auto begin, auto end) {
    const std::size_t start = loop.size();
    for (auto it = begin; it != end; ++it) {
      if (loop.size() > start && points[loop.back()] == points[*it]) continue;
      while (loop.size() >= start + 2 &&
             geometry::orient_along(axis, points[loop[loop.size() - 2]], points[loop.back()], points[*it]) <= 0) {
        loop.pop_back();
      }
      loop.push_back(*it);
    }
    loop.pop_back();  // it begins the other chain
  };
  add_chain(order.begin(), order.end());
  add_chain(order.rbegin(), order.rend());

  FaceLoops loops;
  loops.vertices = loop;
  loops.vertices.insert(loops.vertices.end(), loop.rbegin(), loop.rend());
  const auto size = static_cast<std::uint32_t>(loop.size());
  loops.begin = {0, size, 2 * size};
  return loops;
}

std::uint64_t hash_of(const Vector3& p) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x + 0.0); };  // the same for -0 and 0
  return geometry::scramble(bits(p[0]) + 0x9E3779B97F4A7C15ull * bits(p[1]) + 0xC2B2AE3D27D4EB4Full * bits(p[2]));
}

// For each vertex, the lowest index of a point equal to it.
std::vector<std::uint32_t> lowest_equal_points(std::span<const Vector3> points,
                                               const std::vector<std::uint32_t>& vertices) {
  const std::uint64_t mask = std::bit_ceil(4 * vertices.size()) - 1;
  std::vector<std::uint32_t> table(mask + 1, none);  // positions in `vertices`, at most a quarter full
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    std::uint64_t slot = hash_of(points[vertices[v]]) & mask;
    while (table[slot] != none)
      slot = (slot + 1) & mask;
    table[slot] = v;
  }
  std::vector<std::uint32_t> lowest = vertices;
  std::size_t found = 0;
  std::vector<bool> known(vertices.size(), false);
  for (std::uint32_t i = 0; i < points.size() && found < vertices.size(); ++i) {
    for (std::uint64_t slot = hash_of(points[i]) & mask; table[slot] != none; slot = (slot + 1) & mask) {
      const std::uint32_t v = table[slot];
      if (points[vertices[v]] != points[i]) continue;
      if (!known[v]) {
        known[v] = true;
        lowest[v] = i;
        ++found;
      }
      break;
    }
  }
  return lowest;
}

// Replaces the loops' point indices by vertices of `hull`, sorted by point index. `extra` are vertices without a face.
void number_vertices(std::span<const Vector3> points, FaceLoops& loops, std::span<const std::uint32_t> extra,
                     HullData& hull) {
  std::vector<std::uint32_t> used(extra.begin(), extra.end());
  std::vector<std::uint32_t> place(points.size(), none);
  for (const std::uint32_t p : loops.vertices) {
    if (place[p] != none) continue;
    place[p] = 0;
    used.push_back(p);
  }
  const std::vector<std::uint32_t> lowest = lowest_equal_points(points, used);
  std::vector<std::uint32_t> order = geometry::numbers_below(used.size());
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) { return lowest[i] < lowest[j]; });
  for (std::uint32_t v = 0; v < order.size(); ++v) {
    place[used[order[v]]] = v;
    hull.vertex_points.push_back(lowest[order[v]]);
    hull.vertices.push_back(points[lowest[order[v]]]);
  }
  for (std::uint32_t& v : loops.vertices)
    v = place[v];
}

// Rotates each loop to start at its lowest vertex.
void rotate_loops(FaceLoops& loops) {
  for (std::size_t f = 0; f + 1 < loops.begin.size(); ++f) {
    const auto begin = loops.vertices.begin() + loops.begin[f];
    const auto end = loops.vertices.begin() + loops.begin[f + 1];
    std::rotate(begin, std::min_element(begin, end), end);
  }
}

// The order of the loops by their first two vertices, which are unique because each directed edge has one face.
std::vector<std::uint32_t> canonical_order(const FaceLoops& loops) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  keys.reserve(loops.begin.size() - 1);
  for (std::uint32_t f = 0; f + 1 < loops.begin.size(); ++f) {
    const auto begin = loops.vertices.begin() + loops.begin[f];
    keys.emplace_back((std::uint64_t{begin[0]} << 32) | begin[1], f);
  }
  std::sort(keys.begin(), keys.end());
  return geometry::mapped(keys, [](const auto& key) { return key.second; });
}

HullPlane unscaled(const HullPlane& plane, int exponent) {
  if (exponent == 0) return plane;
  const double offset = std::ldexp(plane.offset, exponent);
  // Below the range of normal numbers, the scaling itself rounds.
  const bool is_exact = std::ldexp(offset, -exponent) == plane.offset;
  return {plane.normal, is_exact ? offset : std::nextafter(offset, infinity)};
}

// Adds all faces in the given order. Their planes are computed from the hull's vertices, and from these alone.
void add_faces(const FaceLoops& loops, const std::vector<std::uint32_t>& order, const std::vector<bool>& merged,
               int exponent, HullData& hull) {
  const std::vector<Vector3> copies = scaled_copies(hull.vertices, -exponent);
  const bool exact_scale = are_exact(copies, hull.vertices, exponent);
  const EnclosedPoints enclosed(exponent != 0 ? std::span<const Vector3>(copies)
                                              : std::span<const Vector3>(hull.vertices));
  hull.face_vertices.reserve(loops.vertices.size());
  hull.face_begin.reserve(loops.begin.size());
  hull.planes.reserve(order.size());
  for (const std::uint32_t f : order) {
    const std::span<const std::uint32_t> loop =
        std::span(loops.vertices).subspan(loops.begin[f], loops.begin[f + 1] - loops.begin[f]);
    hull.face_vertices.insert(hull.face_vertices.end(), loop.begin(), loop.end());
    hull.face_begin.push_back(static_cast<std::uint32_t>(hull.face_vertices.size()));
    if (hull.dimension == 2 && !hull.planes.empty()) {
      // The back of a flat polygon is exactly opposite to its front.
      hull.planes.push_back(unscaled(supporting_plane_of_unit(enclosed, -hull.planes[0].normal), exponent));
      continue;
    }
    const bool is_plane = exact_scale && (merged.empty() || !merged[f]);
    const HullPlane plane = is_plane ? enclosing_plane(enclosed, loop)
                                     : supporting_plane(enclosed, geometry::area_normal(enclosed.points, loop));
    hull.planes.push_back(unscaled(plane, exponent));
  }
}

}  // namespace

HullData convex_hull(std::span<const Vector3> points, const HullOptions& options) {
  check_input(points, options);

  // If the numbers are very large or small, and scaling them is exact, the work is done on a copy scaled by a power of
  // two.
  const double largest = largest_coordinate_of(points);
  const int exponent = working_exponent(largest);
  const std::vector<Vector3> copies = scaled_copies(points, -exponent);
  const std::span<const Vector3> work =
      exponent != 0 && are_exact(copies, points, exponent) ? std::span<const Vector3>(copies) : points;

  HullData hull;
  const Spanning spanning = spanning_points(work);
  hull.dimension = spanning.dimension;
  FaceLoops loops;
  std::vector<std::uint32_t> extra;
  if (spanning.dimension == 3) {
    loops = geometry::quickhull(work, spanning.points);
  } else if (spanning.dimension == 2) {
    loops = flat_hull(work, spanning);
  } else if (spanning.dimension == 1) {
    // The ends along the longest axis are the ends of the segment.
    extra = {spanning.points[0], spanning.points[1]};
  } else {
    extra = {0};
  }
  number_vertices(points, loops, extra, hull);
  if (hull.dimension < 2) return hull;

  // Loops in one form before their normals are computed, so that these depend on the vertices alone.
  rotate_loops(loops);
  std::vector<bool> merged;
  if (options.merge_distance > 0 && hull.dimension == 3) {
    geometry::MergedFaces faces = geometry::merge_faces(hull.vertices, loops, options.merge_distance);
    loops = std::move(faces.loops);
    merged = std::move(faces.merged);
    rotate_loops(loops);
  }
  add_faces(loops, canonical_order(loops), merged, exponent, hull);
  return hull;
}

}  // namespace whisker
