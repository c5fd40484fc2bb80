#include "deform/tetrahedra_topology.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/error.hpp>

#include "geometry/edge_sides.hpp"
#include "geometry/lists.hpp"

namespace whisker::deform {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error("tetrahedral mesh: " + what);
}

std::string listed(std::span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  return text;
}

/// The corners of the face opposite to each corner, so that it faces outward if orient3d(corners) > 0.
constexpr std::array<std::array<std::size_t, 3>, 4> face_corners = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
Index3 face_opposite(const Index4& t, std::size_t k) {
  const auto& [a, b, c] = face_corners[k];
  return {t[a], t[b], t[c]};
}

/// The corners that each edge joins.
constexpr std::array<std::array<std::size_t, 2>, 6> edge_corners = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// A face as it occurs in one tetrahedron.
struct FaceRecord {
  Index3 sorted;
  std::uint32_t tetrahedron;
  std::uint8_t corner;  ///< the corner opposite to the face
  bool is_even;         ///< whether the outward order of its corners is an even permutation of the sorted order
};

FaceRecord face_record(const Index4& t, std::uint32_t number, std::size_t k) {
  Index3 face = face_opposite(t, k);
  bool is_even = true;
  const auto order = [&](std::size_t i, std::size_t j) {
    if (face[i] <= face[j]) return;
    std::swap(face[i], face[j]);
    is_even = !is_even;
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  return {face, number, static_cast<std::uint8_t>(k), is_even};
}

struct EdgeRecord {
  Index2 ends;
  std::uint32_t tetrahedron;
  std::uint8_t slot;
};

/// The neighbor across an inner face of a tetrahedron.
struct Beyond {
  std::uint32_t tetrahedron;
  bool same_turn;  ///< whether the two have the same orientation, as listed
};

double volume(std::span<const Vector3> vertices, const Index4& t) {
  const Vector3 &a = vertices[t[0]], &b = vertices[t[1]], &c = vertices[t[2]], &d = vertices[t[3]];
  return (b - a).cross(c - a).dot(d - a);
}

}  // namespace

void TetrahedraTopology::check_tetrahedra() const {
  if (tetrahedra.empty()) refuse("it has no tetrahedra");
  // Faces, edges and their records are numbered in 32 bits.
  constexpr std::size_t most = 0xFFFFFFFFu / 6;
  if (vertex_count > 0xFFFFFFFFu || tetrahedra.size() > most) refuse("it has too many vertices or tetrahedra");
  std::vector<std::pair<Index4, std::uint32_t>> sorted;
  sorted.reserve(tetrahedra.size());
  for (std::uint32_t i = 0; i < tetrahedra.size(); ++i) {
    Index4 t = tetrahedra[i];
    for (const std::uint32_t v : t) {
      if (v < vertex_count) continue;
      refuse("tetrahedron " + std::to_string(i) + " has vertex " + std::to_string(v) + ", but there are " +
             std::to_string(vertex_count));
    }
    std::sort(t.begin(), t.end());
    if (const auto twice = std::adjacent_find(t.begin(), t.end()); twice != t.end())
      refuse("tetrahedron " + std::to_string(i) + " has vertex " + std::to_string(*twice) + " twice");
    sorted.emplace_back(t, i);
  }
  std::sort(sorted.begin(), sorted.end());
  const auto twin =
      std::adjacent_find(sorted.begin(), sorted.end(), [](const auto& p, const auto& q) { return p.first == q.first; });
  if (twin != sorted.end()) {
    refuse("tetrahedra " + std::to_string(twin->second) + " and " + std::to_string((twin + 1)->second) +
           " have the same corners; leave out one of them");
  }
}

void TetrahedraTopology::find_faces(std::span<const Vector3> vertices) {
  const auto count = static_cast<std::uint32_t>(tetrahedra.size());
  std::vector<FaceRecord> records;
  records.reserve(4 * tetrahedra.size());
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      records.push_back(face_record(tetrahedra[i], i, k));
  std::ranges::sort(records, {}, [](const FaceRecord& r) { return std::pair(r.sorted, r.tetrahedron); });

  // The neighbor across each face; none at the border.
  constexpr std::uint32_t none = 0xFFFFFFFFu;
  std::vector<std::array<Beyond, 4>> beyond(count, {Beyond{none, true}, {none, true}, {none, true}, {none, true}});
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    const FaceRecord &p = records[i], &q = records[i + 1];
    if (p.sorted != q.sorted) continue;
    if (i + 2 < records.size() && records[i + 2].sorted == p.sorted) {
      refuse("the face of vertices " + listed(p.sorted) + " belongs to tetrahedra " +
             listed(std::array{p.tetrahedron, q.tetrahedron, records[i + 2].tetrahedron}) +
             "; at most two can share a face");
    }
    beyond[p.tetrahedron][p.corner] = {q.tetrahedron, p.is_even != q.is_even};
    beyond[q.tetrahedron][q.corner] = {p.tetrahedron, p.is_even != q.is_even};
  }

  // Processes connected parts one by one, each from its first tetrahedron.
  turn.assign(count, 0);
  part.resize(count);
  std::vector<std::uint32_t> members;
  for (std::uint32_t first = 0; first < count; ++first) {
    if (turn[first] != 0) continue;
    members.assign(1, first);
    turn[first] = 1;
    double sum = 0;
    bool has_border = false;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint32_t t = members[i];
      part[t] = part_count;
      sum += turn[t] * volume(vertices, tetrahedra[t]);
      for (const Beyond& next : beyond[t]) {
        has_border |= next.tetrahedron == none;
        if (next.tetrahedron == none) continue;
        const auto wanted = static_cast<std::int8_t>(next.same_turn ? turn[t] : -turn[t]);
        std::int8_t& its = turn[next.tetrahedron];
        if (its == 0) {
          its = wanted;
          members.push_back(next.tetrahedron);
        } else if (its != wanted) {
          refuse("tetrahedra " + std::to_string(t) + " and " + std::to_string(next.tetrahedron) +
                 " cannot both lie on their side of the face that they share: the mesh is one-sided");
        }
      }
    }
    if (!has_border) {
      refuse("every face around tetrahedron " + std::to_string(first) +
             " and those connected to it belongs to two tetrahedra: a volume must have a border");
    }
    if (sum < 0)
      for (const std::uint32_t t : members)
        turn[t] = static_cast<std::int8_t>(-turn[t]);
    ++part_count;
  }

  // Numbers the faces: border first, then inner, each in the order of their sorted corners.
  faces_of.resize(count);
  const auto add = [&](bool is_border) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const FaceRecord& p = records[i];
      const bool is_shared = i + 1 < records.size() && records[i + 1].sorted == p.sorted;
      if (is_shared != is_border) {
        const auto number = static_cast<std::uint32_t>(faces.size());
        Index3 face = face_opposite(tetrahedra[p.tetrahedron], p.corner);
        if (turn[p.tetrahedron] < 0) std::swap(face[1], face[2]);
        faces.push_back(face);
        face_owner.push_back(p.tetrahedron);
        faces_of[p.tetrahedron][p.corner] = number;
        if (is_shared) faces_of[records[i + 1].tetrahedron][records[i + 1].corner] = number;
      }
      if (is_shared) ++i;
    }
  };
  add(true);
  border_face_count = faces.size();
  add(false);
}

void TetrahedraTopology::find_edges() {
  edges = geometry::edges_of(std::span<const Index3>(faces).first(border_face_count), vertex_count);
  std::vector<EdgeRecord> records;
  records.reserve(6 * tetrahedra.size());
  for (std::uint32_t i = 0; i < tetrahedra.size(); ++i)
    for (std::uint8_t k = 0; k < 6; ++k) {
      const std::uint32_t a = tetrahedra[i][edge_corners[k][0]], b = tetrahedra[i][edge_corners[k][1]];
      records.push_back({{std::min(a, b), std::max(a, b)}, i, k});
    }
  std::ranges::sort(records, {}, [](const EdgeRecord& r) { return std::pair(r.ends, r.tetrahedron); });
  border_edge_count = edges.size();
  edge_owner.resize(border_edge_count);
  edges_of.resize(tetrahedra.size());
  std::size_t passed = 0;  // border edges already assigned
  for (std::size_t i = 0; i < records.size();) {
    const EdgeRecord& first = records[i];
    std::uint32_t number = 0;
    if (passed < border_edge_count && edges[passed] == first.ends) {
      number = static_cast<std::uint32_t>(passed++);
      edge_owner[number] = first.tetrahedron;
    } else {
      number = static_cast<std::uint32_t>(edges.size());
      edges.push_back(first.ends);
      edge_owner.push_back(first.tetrahedron);
    }
    for (const Index2 ends = first.ends; i < records.size() && records[i].ends == ends; ++i)
      edges_of[records[i].tetrahedron][records[i].slot] = number;
  }
}

void TetrahedraTopology::find_neighbors() {
  // Visiting edges in ascending order gives every vertex first its lower neighbors, then its higher ones, both
  // ascending.
  std::vector<std::uint32_t> order = geometry::numbers_below(edges.size());
  std::inplace_merge(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(border_edge_count), order.end(),
                     [&](std::uint32_t p, std::uint32_t q) { return edges[p] < edges[q]; });
  const auto grouped = [&](const auto& item) {
    return geometry::group<std::uint32_t>(vertex_count, [&](const auto& visit) {
      for (const std::size_t end : {1u, 0u})
        for (const std::uint32_t e : order)
          visit(edges[e][end], item(e, 1 - end));
    });
  };
  neighbors = grouped([&](std::uint32_t e, std::size_t other) { return edges[e][other]; });
  neighbor_edges = grouped([](std::uint32_t e, std::size_t) { return e; });
  for (std::uint32_t v = 0; v < vertex_count; ++v)
    if (!neighbors[v].empty()) used_vertices.push_back(v);

  std::vector<bool> is_border(vertex_count);
  for (std::size_t i = 0; i < border_face_count; ++i)
    for (const std::uint32_t v : faces[i])
      is_border[v] = true;
  for (const std::uint32_t v : used_vertices)
    if (is_border[v]) border_vertices.push_back(v);
}

const Mesh& TetrahedraTopology::border_mesh(std::span<const Vector3> vertices) const {
  return border_mesh_.get([&] {
    return Mesh(MeshData{{vertices.begin(), vertices.end()},
                         {faces.begin(), faces.begin() + static_cast<std::ptrdiff_t>(border_face_count)}});
  });
}

TetrahedraTopology::TetrahedraTopology(std::span<const Vector3> vertices, std::vector<Index4> given)
    : vertex_count(vertices.size()), tetrahedra(std::move(given)) {
  check_tetrahedra();
  find_faces(vertices);
  find_edges();
  find_neighbors();
}

}  // namespace whisker::deform
