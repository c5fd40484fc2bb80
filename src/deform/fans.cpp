#include "deform/fans.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <whisker/predicates.hpp>
#include <whisker/triangle_tests.hpp>

namespace whisker::deform {
namespace {

/// The ring of a vertex, if its triangles are one chain.
class RingFinder {
 public:
  /// `others` are the other two corners of each triangle.
  bool find(std::vector<std::array<std::uint32_t, 2>>& others) {
    ring_.clear();
    is_closed_ = false;
    std::size_t left = others.size();
    const auto take = [&](std::size_t i) { others[i] = others[--left]; };
    ring_.assign({others[0][0], others[0][1]});
    take(0);
    // On from the last, then, if that does not lead back to the first, on from the first.
    for (int turn = 0; turn < 2; ++turn) {
      for (bool goes_on = true; goes_on && left > 0;) {
        goes_on = false;
        for (std::size_t i = 0; i < left; ++i) {
          const auto [p, q] = others[i];
          if (p != ring_.back() && q != ring_.back()) continue;
          ring_.push_back(p == ring_.back() ? q : p);
          take(i);
          goes_on = true;
          break;
        }
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
  bool has_no_repeat() {
    sorted_ = ring_;
    std::sort(sorted_.begin(), sorted_.end());
    return std::adjacent_find(sorted_.begin(), sorted_.end()) == sorted_.end();
  }

  std::vector<std::uint32_t> ring_, sorted_;
  bool is_closed_ = false;
};

}  // namespace

TrianglesOfVertices::TrianglesOfVertices(std::span<const Index3> triangles, std::size_t vertex_count)
    : first_(vertex_count + 2), numbers_(3 * triangles.size()) {
  for (const Index3& t : triangles)
    for (const std::uint32_t v : t)
      ++first_[v + 2];
  for (std::size_t v = 2; v < first_.size(); ++v)
    first_[v] += first_[v - 1];
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    for (const std::uint32_t v : triangles[i])
      numbers_[first_[v + 1]++] = i;
  first_.pop_back();
}

Fans make_fans(std::span<const Index3> triangles, std::size_t vertex_count) {
  Fans fans;
  fans.triangles = TrianglesOfVertices(triangles, vertex_count);
  struct Found {
    std::uint32_t centre;
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
    if (!is_regular || !finder.find(others)) {
      fans.irregular.push_back(v);
      continue;
    }
    found.push_back({v, static_cast<std::uint32_t>(finder.ring().size()), finder.is_closed(), rings.size()});
    rings.insert(rings.end(), finder.ring().begin(), finder.ring().end());
  }
  // Those of a kind together, and near in memory as they were.
  std::stable_sort(found.begin(), found.end(), [](const Found& p, const Found& q) {
    return std::pair(p.ring, p.is_closed) < std::pair(q.ring, q.is_closed);
  });
  fans.rings.resize(rings.size());
  for (std::size_t i = 0, first_ring = 0; i < found.size();) {
    std::size_t end = i;
    while (end < found.size() && found[end].ring == found[i].ring && found[end].is_closed == found[i].is_closed)
      ++end;
    const Fans::Group group = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end - i), found[i].ring,
                               found[i].is_closed, first_ring};
    for (std::size_t k = i; k < end; ++k) {
      fans.centres.push_back(found[k].centre);
      for (std::size_t r = 0; r < group.ring; ++r)
        fans.rings[first_ring + r * group.size + (k - i)] = rings[found[k].first + r];
    }
    fans.groups.push_back(group);
    first_ring += std::size_t{group.ring} * group.size;
    i = end;
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

/// Two triangles on the edge uv with the apexes p and q: whether they lie on each other.
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
  std::array<int, 3> in_a, in_b;  // corners, those that are shared first
  int count = 0;
};

Shared shared_corners(const Index3& a, const Index3& b) {
  Shared shared;
  std::array<bool, 3> taken_a{}, taken_b{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (a[static_cast<std::size_t>(i)] != b[static_cast<std::size_t>(j)] || taken_b[static_cast<std::size_t>(j)])
        continue;
      shared.in_a[static_cast<std::size_t>(shared.count)] = i;
      shared.in_b[static_cast<std::size_t>(shared.count++)] = j;
      taken_a[static_cast<std::size_t>(i)] = taken_b[static_cast<std::size_t>(j)] = true;
      break;
    }
  }
  int in_a = shared.count, in_b = shared.count;
  for (int k = 0; k < 3; ++k) {
    if (!taken_a[static_cast<std::size_t>(k)]) shared.in_a[static_cast<std::size_t>(in_a++)] = k;
    if (!taken_b[static_cast<std::size_t>(k)]) shared.in_b[static_cast<std::size_t>(in_b++)] = k;
  }
  return shared;
}

}  // namespace

bool touch_elsewhere(const Index3& a, const Index3& b, std::span<const Vector3> vertices) {
  const Shared shared = shared_corners(a, b);
  if (shared.count == 3) return true;
  const auto of_a = [&](std::size_t k) -> const Vector3& {
    return vertices[a[static_cast<std::size_t>(shared.in_a[k])]];
  };
  const auto of_b = [&](std::size_t k) -> const Vector3& {
    return vertices[b[static_cast<std::size_t>(shared.in_b[k])]];
  };
  if (shared.count == 2) return is_folded(of_a(0), of_a(1), of_a(2), of_b(2));
  // What two convex sets share is convex. From the shared vertex on to another shared point, the line goes on until it
  // leaves one of the triangles: across the edge opposite to the vertex, or through an end of it.
  const Vector3& v = of_a(0);
  const auto is_beside = [&](const Vector3& p, const Vector3& q, const Vector3& r, const Vector3& s) {
    return orient3d(v, p, q, r) * orient3d(v, p, q, s) > 0;
  };
  if (is_beside(of_a(1), of_a(2), of_b(1), of_b(2)) || is_beside(of_b(1), of_b(2), of_a(1), of_a(2))) return false;
  return touches_segment_triangle({of_a(1), of_a(2)}, {v, of_b(1), of_b(2)}) ||
         touches_segment_triangle({of_b(1), of_b(2)}, {v, of_a(1), of_a(2)});
}

std::size_t find_adjacent(const Fans& fans, std::uint32_t vertex, std::span<const Vector3> vertices,
                          std::span<const Index3> triangles, std::vector<TrianglePair>& found) {
  const std::span<const std::uint32_t> about = fans.triangles[vertex];
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < about.size(); ++i) {
    const std::uint32_t p = about[i];
    const Index3& a = triangles[p];
    for (std::size_t j = i + 1; j < about.size(); ++j) {
      const std::uint32_t q = about[j];
      if (p == q) continue;  // it has the vertex twice
      const Index3& b = triangles[q];
      // Pairs that share a vertex before this one are looked at there.
      const auto is_earlier = [&](std::uint32_t v) { return v < vertex && (v == b[0] || v == b[1] || v == b[2]); };
      if (is_earlier(a[0]) || is_earlier(a[1]) || is_earlier(a[2])) continue;
      ++looked_at;
      if (touch_elsewhere(a, b, vertices) && has_area(a, vertices) && has_area(b, vertices))
        found.push_back({std::min(p, q), std::max(p, q)});
    }
  }
  return looked_at;
}

}  // namespace whisker::deform
