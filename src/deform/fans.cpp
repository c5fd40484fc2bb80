#include "deform/fans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/lease.hpp"

namespace whisker::deform {
namespace {

/// Finds the ring of a vertex if its triangles form a single chain.
class RingFinder {
 public:
  /// `others` holds the other two corners of each triangle.
  bool find(std::span<const std::array<std::uint32_t, 2>> others) {
    ring_.clear();
    is_closed_ = false;
    is_taken_.assign(others.size(), false);
    if (others.size() > few) {
      ends_.clear();
      for (std::uint32_t i = 0; i < others.size(); ++i)
        for (const std::uint32_t end : others[i])
          ends_.push_back({end, i});
      std::sort(ends_.begin(), ends_.end());
    }
    ring_.assign({others[0][0], others[0][1]});
    is_taken_[0] = true;
    std::size_t left = others.size() - 1;
    // Extends the chain from its last vertex. If that does not close the ring, reverses it and extends the other end.
    for (int turn = 0; turn < 2; ++turn) {
      for (std::size_t i = next(others); i < others.size(); i = next(others)) {
        ring_.push_back(others[i][0] == ring_.back() ? others[i][1] : others[i][0]);
        is_taken_[i] = true;
        --left;
        if (ring_.size() > 3 && ring_.back() == ring_.front()) {
          is_closed_ = true;
          ring_.pop_back();
          return left == 0 && has_no_repeat();
        }
      }
      std::reverse(ring_.begin(), ring_.end());
    }
    return left == 0 && has_no_repeat();
  }

  const std::vector<std::uint32_t>& ring() const { return ring_; }
  bool is_closed() const { return is_closed_; }

 private:
  /// Returns a triangle that is not taken yet and contains the last ring vertex, or others.size() if there is none.
  std::size_t next(std::span<const std::array<std::uint32_t, 2>> others) const {
    const std::uint32_t last = ring_.back();
    if (others.size() > few) {
      auto end = std::lower_bound(ends_.begin(), ends_.end(), std::pair(last, 0u));
      while (end != ends_.end() && end->first == last && is_taken_[end->second])
        ++end;
      return end != ends_.end() && end->first == last ? end->second : others.size();
    }
    std::size_t i = 0;
    while (i < others.size() && (is_taken_[i] || (others[i][0] != last && others[i][1] != last)))
      ++i;
    return i;
  }

  bool has_no_repeat() {
    if (ring_.size() <= few) {
      for (std::size_t i = 0; i < ring_.size(); ++i)
        for (std::size_t j = i + 1; j < ring_.size(); ++j)
          if (ring_[i] == ring_[j]) return false;
      return true;
    }
    sorted_ = ring_;
    std::sort(sorted_.begin(), sorted_.end());
    return std::adjacent_find(sorted_.begin(), sorted_.end()) == sorted_.end();
  }

  static constexpr std::size_t few = 16;  // up to this many are searched linearly instead of sorted
  std::vector<std::uint32_t> ring_, sorted_;
  std::vector<char> is_taken_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;  // a corner and its triangle
  bool is_closed_ = false;
};

}  // namespace

TrianglesOfVertices triangles_of_vertices(std::span<const Index3> triangles, std::size_t vertex_count) {
  return geometry::group<std::uint32_t>(vertex_count, [&](const auto& visit) {
    for (std::uint32_t i = 0; i < triangles.size(); ++i)
      for (const std::uint32_t v : triangles[i])
        visit(v, i);
  });
}

Fans make_fans(std::span<const Index3> triangles, std::size_t vertex_count) {
  Fans fans;
  fans.triangles = triangles_of_vertices(triangles, vertex_count);
  struct Found {
    std::uint32_t center;
    std::uint32_t ring;
    bool is_closed;
    std::size_t first;  // in `rings`
  };
  std::vector<Found> found;
  found.reserve(vertex_count);
  std::vector<std::uint32_t> rings;
  rings.reserve(3 * triangles.size() + vertex_count);
  std::vector<std::array<std::uint32_t, 2>> others;
  RingFinder finder;
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    const std::span<const std::uint32_t> about = fans.triangles[v];
    if (about.size() < 2) continue;
    others.clear();
    bool is_regular = true;
    for (const std::uint32_t number : about) {
      const Index3& t = triangles[number];
      const std::size_t k = t[0] == v ? 0 : t[1] == v ? 1 : 2;
      others.push_back({t[(k + 1) % 3], t[(k + 2) % 3]});
      is_regular = is_regular && others.back()[0] != others.back()[1] && others.back()[0] != v && others.back()[1] != v;
    }
    // Testing a fan takes memory in proportion to its size. Very large fans are handled like irregular vertices.
    constexpr std::size_t most = 4096;
    if (!is_regular || others.size() > most || !finder.find(others)) {
      fans.irregular.push_back(v);
      continue;
    }
    found.push_back({v, static_cast<std::uint32_t>(finder.ring().size()), finder.is_closed(), rings.size()});
    rings.insert(rings.end(), finder.ring().begin(), finder.ring().end());
  }
  // Groups fans of the same kind, keeping their order so that they stay close in memory.
  const auto kind = [](const Found& one) { return std::size_t{2} * one.ring + (one.is_closed ? 1 : 0); };
  std::size_t kinds = 0;
  for (const Found& one : found)
    kinds = std::max(kinds, kind(one) + 1);
  const geometry::Grouped<std::uint32_t> by_kind = geometry::group<std::uint32_t>(kinds, [&](const auto& visit) {
    for (std::uint32_t i = 0; i < found.size(); ++i)
      visit(kind(found[i]), i);
  });
  fans.centers.reserve(found.size());
  fans.rings.reserve(rings.size());
  for (std::size_t k = 0; k < kinds; ++k) {
    const std::span<const std::uint32_t> members = by_kind[k];
    if (members.empty()) continue;
    fans.groups.push_back({static_cast<std::uint32_t>(fans.centers.size()), static_cast<std::uint32_t>(members.size()),
                           static_cast<std::uint32_t>(k / 2), k % 2 == 1, fans.rings.size()});
    for (const std::uint32_t i : members)
      fans.centers.push_back(found[i].center);
    for (std::size_t r = 0; r < k / 2; ++r)
      for (const std::uint32_t i : members)
        fans.rings.push_back(rings[found[i].first + r]);
  }
  return fans;
}

namespace {

bool has_area(const Index3& t, std::span<const Vector3> vertices) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return false;
  const Vector3 &a = vertices[t[0]], &b = vertices[t[1]], &c = vertices[t[2]];
  return orient2d(a[0], a[1], b[0], b[1], c[0], c[1]) != 0 || orient2d(a[1], a[2], b[1], b[2], c[1], c[2]) != 0 ||
         orient2d(a[2], a[0], b[2], b[0], c[2], c[0]) != 0;
}

/// Whether two triangles that share the edge uv, with apexes p and q, lie on top of each other.
bool is_folded(const Vector3& u, const Vector3& v, const Vector3& p, const Vector3& q) {
  if (orient3d(u, v, p, q) != 0) return false;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3;
    const int side = orient2d(u[k], u[l], v[k], v[l], p[k], p[l]);
    if (side != 0) return side == orient2d(u[k], u[l], v[k], v[l], q[k], q[l]);
  }
  return false;
}

struct Shared {
  Index3 in_a, in_b;  // corner indices, the shared ones first
  std::uint32_t count = 0;
};

Shared shared_corners(const Index3& a, const Index3& b) {
  Shared shared;
  std::array<bool, 3> taken_a{}, taken_b{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (a[i] != b[j] || taken_b[j]) continue;
      shared.in_a[shared.count] = i;
      shared.in_b[shared.count++] = j;
      taken_a[i] = taken_b[j] = true;
      break;
    }
  }
  std::uint32_t in_a = shared.count, in_b = shared.count;
  for (std::uint32_t k = 0; k < 3; ++k) {
    if (!taken_a[k]) shared.in_a[in_a++] = k;
    if (!taken_b[k]) shared.in_b[in_b++] = k;
  }
  return shared;
}

}  // namespace

bool touch_elsewhere(const Index3& a, const Index3& b, std::span<const Vector3> vertices) {
  const Shared shared = shared_corners(a, b);
  if (shared.count == 3) return true;
  const auto of_a = [&](std::size_t k) -> const Vector3& { return vertices[a[shared.in_a[k]]]; };
  const auto of_b = [&](std::size_t k) -> const Vector3& { return vertices[b[shared.in_b[k]]]; };
  if (shared.count == 2) return is_folded(of_a(0), of_a(1), of_a(2), of_b(2));
  // The intersection of two convex sets is convex. If there is another shared point, the line from the shared vertex
  // through it continues until it leaves one of the triangles, through the edge opposite to the vertex or an end of it.
  const Vector3& v = of_a(0);
  return touches_segment_triangle({of_a(1), of_a(2)}, {v, of_b(1), of_b(2)}) ||
         touches_segment_triangle({of_b(1), of_b(2)}, {v, of_a(1), of_a(2)});
}

namespace {

/// A triangle as seen from one of its corners.
struct Sector {
  std::uint32_t number;
  std::array<std::uint32_t, 2> ends;  ///< the other two corners
  std::array<Vector3, 2> arms;        ///< vectors from the corner to them
  std::array<double, 2> sizes;        ///< the largest coordinate of each
  Vector3 normal;
  double error;  ///< normal · (another sector's arm) is off by less than this times that arm's size, plus 1e-290
};

/// A bound on the directions that a triangle covers as seen from the corner: a box around the arc between its arms on
/// the unit sphere.
struct ArcBox : Aabb {
  std::size_t sector;
};
ArcBox arc_box(const Sector& s, std::size_t number) {
  const double p = s.arms[0].norm(), q = s.arms[1].norm();
  if (!(p > 1e-140 && q > 1e-140)) return {{Vector3::Constant(-2), Vector3::Constant(2)}, number};
  const Vector3 from = s.arms[0] / p, to = s.arms[1] / q;
  // The distance between an arc and its chord is at most a quarter of the chord's square.
  const Vector3 pad = Vector3::Constant((from - to).squaredNorm() / 4 + 1e-9);
  return {{from.cwiseMin(to) - pad, from.cwiseMax(to) + pad}, number};
}

/// Whether b, except for what the two share, certainly lies on one side of a's plane.
bool is_beside(const Sector& a, const Sector& b) {
  int sides = 0, count = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    if (b.ends[k] == a.ends[0] || b.ends[k] == a.ends[1]) continue;
    const double height = a.normal.dot(b.arms[k]), bound = a.error * b.sizes[k] + 1e-290;
    sides += height > bound ? 1 : height < -bound ? -1 : 0;
    ++count;
  }
  return count > 0 && std::abs(sides) == count;
}

}  // namespace

std::size_t find_adjacent(const Fans& fans, std::uint32_t vertex, std::span<const Vector3> vertices,
                          std::span<const Index3> triangles, double scale, std::vector<TrianglePair>& found,
                          std::size_t limit) {
  const geometry::Lease<std::vector<Sector>> lease;
  std::vector<Sector>& sectors = *lease;
  sectors.clear();
  for (const std::uint32_t number : fans.triangles[vertex]) {
    const Index3& t = triangles[number];
    const std::size_t k = t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2;
    Sector sector;
    sector.number = number;
    sector.ends = {t[(k + 1) % 3], t[(k + 2) % 3]};
    for (std::size_t i = 0; i < 2; ++i) {
      sector.arms[i] = (vertices[sector.ends[i]] - vertices[vertex]) * scale;
      sector.sizes[i] = sector.arms[i].cwiseAbs().maxCoeff();
    }
    sector.normal = sector.arms[0].cross(sector.arms[1]);
    // The same bound as in fan_kernels.cpp.
    sector.error = 0x1p-47 * sector.sizes[0] * sector.sizes[1];
    sectors.push_back(sector);
  }
  std::size_t looked_at = 0;
  const auto look = [&](const Sector& a, const Sector& b) {
    if (found.size() > limit || a.number == b.number) return;  // the same triangle: it has the vertex twice
    // Pairs that also share a vertex with a smaller number are tested there.
    const auto is_earlier = [&](std::uint32_t v) { return v < vertex && (v == b.ends[0] || v == b.ends[1]); };
    if (is_earlier(a.ends[0]) || is_earlier(a.ends[1])) return;
    ++looked_at;
    if (is_beside(a, b) || is_beside(b, a)) return;
    const Index3 &p = triangles[a.number], &q = triangles[b.number];
    if (touch_elsewhere(p, q, vertices) && has_area(p, vertices) && has_area(q, vertices))
      found.push_back({std::min(a.number, b.number), std::max(a.number, b.number)});
  };
  constexpr std::size_t few = 64;
  if (sectors.size() <= few) {
    for (std::size_t i = 0; i < sectors.size(); ++i)
      for (std::size_t j = i + 1; j < sectors.size(); ++j)
        look(sectors[i], sectors[j]);
    return looked_at;
  }
  // Triangles that share more than the vertex have a direction in common, so a sweep along x over the boxes of
  // directions finds the candidates.
  std::vector<ArcBox> boxes;
  for (std::size_t i = 0; i < sectors.size(); ++i)
    boxes.push_back(arc_box(sectors[i], i));
  std::ranges::sort(boxes, {}, [](const ArcBox& box) { return std::pair(box.lower[0], box.sector); });
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size() && boxes[j].lower[0] <= boxes[i].upper[0]; ++j)
      if (boxes[i].overlaps(boxes[j])) look(sectors[boxes[i].sector], sectors[boxes[j].sector]);
  }
  return looked_at;
}

}  // namespace whisker::deform
