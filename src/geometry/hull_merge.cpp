#include "geometry/hull_merge.hpp"

#include <algorithm>
#include <cstddef>

#include <Eigen/Geometry>

#include "geometry/constants.hpp"
#include "geometry/disjoint_sets.hpp"
#include "geometry/edge_sides.hpp"
#include "geometry/hull_plane.hpp"

namespace whisker::geometry {
namespace {

// A face never joins another if its own normal is more than 60° from the joined normal. Otherwise the side of a plate
// thinner than the tolerance would join its top.
constexpr double min_normal_cosine = 0.5;

struct Edge : HullEdge {
  double bend;  // how far the lower of the two faces extends below the plane of the other
};

// How far the loop extends below the plane through `top` with the given unit normal.
double dip(std::span<const Vector3> vertices, std::span<const std::uint32_t> loop, const Vector3& normal,
           const Vector3& top) {
  double deepest = 0;
  for (const std::uint32_t v : loop)
    deepest = std::max(deepest, normal.dot(top - vertices[v]));
  return deepest;
}

class Merger {
 public:
  Merger(std::span<const Vector3> vertices, const FaceLoops& faces, double merge_distance)
      : vertices_(vertices),
        distance_(merge_distance),
        joined_(faces.begin.size() - 1),
        degree_(vertices.size(), 0),
        mark_(vertices.size(), 0) {
    for (std::uint32_t f = 0; f + 1 < faces.begin.size(); ++f) {
      const auto begin = faces.vertices.begin();
      loops_.emplace_back(begin + faces.begin[f], begin + faces.begin[f + 1]);
      normals_.push_back(unit_vector(area_normal(vertices, loops_.back())));
      merged_.push_back(false);
    }
    for (const std::uint32_t v : faces.vertices)
      ++degree_[v];
  }

  double bend(const HullEdge& edge) const {
    const Vector3& top = vertices_[edge.begin];
    return std::min(dip(vertices_, loops_[edge.right], normals_[edge.left], top),
                    dip(vertices_, loops_[edge.left], normals_[edge.right], top));
  }

  void try_to_join(const HullEdge& edge) {
    const std::uint32_t left = joined_.root(edge.left);
    const std::uint32_t right = joined_.root(edge.right);
    if (left == right || degree_[edge.begin] < 4 || degree_[edge.end] < 4) return;
    if (!share_one_edge(loops_[left], loops_[right])) return;
    const std::vector<std::uint32_t> joined = join(edge, loops_[left], loops_[right]);
    const Vector3 normal = unit_vector(area_normal(vertices_, joined));
    if (!(normal.dot(normals_[left]) >= min_normal_cosine) || !(normal.dot(normals_[right]) >= min_normal_cosine)) {
      return;
    }
    if (!is_flat_and_convex(joined, normal)) return;
    --degree_[edge.begin];
    --degree_[edge.end];
    joined_.join(left, right);
    const std::uint32_t kept = joined_.root(left);
    loops_[left].clear();
    loops_[right].clear();
    loops_[kept] = joined;
    normals_[kept] = normal;
    merged_[kept] = true;
  }

  MergedFaces result() const {
    MergedFaces faces;
    for (std::uint32_t f = 0; f < loops_.size(); ++f) {
      if (loops_[f].empty()) continue;
      faces.loops.vertices.insert(faces.loops.vertices.end(), loops_[f].begin(), loops_[f].end());
      faces.loops.begin.push_back(static_cast<std::uint32_t>(faces.loops.vertices.size()));
      faces.merged.push_back(merged_[f]);
    }
    return faces;
  }

 private:
  using Loop = std::vector<std::uint32_t>;

  bool share_one_edge(const Loop& a, const Loop& b) {
    ++round_;
    for (const std::uint32_t v : a)
      mark_[v] = round_;
    return std::count_if(b.begin(), b.end(), [this](std::uint32_t v) { return mark_[v] == round_; }) == 2;
  }

  // The left loop from the edge's end around to its begin, then the right loop back from there. Both ends occur once.
  static Loop join(const HullEdge& edge, const Loop& left, const Loop& right) {
    const auto starts_with = [](Loop loop, std::uint32_t v) {
      std::rotate(loop.begin(), std::find(loop.begin(), loop.end(), v), loop.end());
      return loop;
    };
    Loop joined = starts_with(left, edge.end);
    const Loop other = starts_with(right, edge.begin);
    joined.insert(joined.end(), other.begin() + 1, other.end() - 1);
    return joined;
  }

  bool is_flat_and_convex(const Loop& loop, const Vector3& normal) const {
    double low = infinity;
    double high = -low;
    const Vector3& origin = vertices_[loop[0]];
    for (const std::uint32_t v : loop) {
      const double height = normal.dot(vertices_[v] - origin);
      low = std::min(low, height);
      high = std::max(high, height);
    }
    if (!(high - low <= distance_)) return false;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vector3& before = vertices_[loop[(i + loop.size() - 1) % loop.size()]];
      const Vector3& corner = vertices_[loop[i]];
      const Vector3 chord = vertices_[loop[(i + 1) % loop.size()]] - before;
      // Twice the area of the corner's triangle: positive if the corner is outside the chord.
      const double turn = normal.dot((corner - before).cross(chord));
      if (!(turn >= -distance_ * chord.norm())) return false;
    }
    return true;
  }

  std::span<const Vector3> vertices_;
  double distance_;
  std::vector<Loop> loops_;
  std::vector<Vector3> normals_;
  DisjointSets joined_;  // faces, by number
  std::vector<bool> merged_;
  std::vector<std::uint32_t> degree_;  // number of faces around each vertex
  std::vector<std::uint32_t> mark_;
  std::uint32_t round_ = 0;
};

}  // namespace

Vector3 area_normal(std::span<const Vector3> vertices, std::span<const std::uint32_t> loop) {
  Vector3 sum = Vector3::Zero();
  const Vector3& origin = vertices[loop[0]];
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
    sum += (vertices[loop[i]] - origin).cross(vertices[loop[i + 1]] - origin);
  }
  return sum;
}

std::vector<HullEdge> loop_edges(std::span<const std::uint32_t> vertices, std::span<const std::uint32_t> begin,
                                 std::size_t vertex_count) {
  const auto loop = [&](std::size_t f) { return vertices.subspan(begin[f], begin[f + 1] - begin[f]); };
  std::vector<std::uint32_t> face_of(vertices.size());
  for (std::uint32_t f = 0; f + 1 < begin.size(); ++f)
    std::fill(face_of.begin() + begin[f], face_of.begin() + begin[f + 1], f);
  std::vector<HullEdge> edges;
  edges.reserve(vertices.size() / 2);
  every_edge(begin.size() - 1, loop, vertex_count, [&](std::uint32_t low, std::span<const EdgeSide> sides) {
    // One face runs along the edge upward, the other downward.
    const std::size_t left = vertices[sides[0].number()] == low ? 0 : 1;
    edges.push_back({low, sides[0].high(), face_of[sides[left].number()], face_of[sides[1 - left].number()]});
    return true;
  });
  return edges;
}

MergedFaces merge_faces(std::span<const Vector3> vertices, const FaceLoops& faces, double merge_distance) {
  Merger merger(vertices, faces, merge_distance);
  std::vector<Edge> edges;
  for (const HullEdge& edge : loop_edges(faces.vertices, faces.begin, vertices.size()))
    edges.push_back({edge, merger.bend(edge)});
  // Join across the flattest edges first, so that nearly coplanar faces become one before the tolerance is used up.
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.bend < b.bend; });
  for (const Edge& edge : edges)
    merger.try_to_join(edge);
  return merger.result();
}

}  // namespace whisker::geometry
