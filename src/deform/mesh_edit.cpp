// Topology edits of deforming meshes: applying a MeshEdit, and making one that cuts along edges or breaks off
// triangles.

#include <algorithm>
#include <map>
#include <string>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>

#include "deform/check_mesh.hpp"
#include "deform/deforming_mesh_storage.hpp"
#include "deform/fans.hpp"
#include "geometry/check_index.hpp"
#include "geometry/disjoint_sets.hpp"
#include "geometry/lists.hpp"
#include "trees/tree_edit.hpp"

namespace whisker {
namespace {

void check_corners(const Index3& corners, std::size_t vertex_count, const std::string& what) {
  for (const std::uint32_t v : corners) {
    if (v < vertex_count) continue;
    throw Error("deforming mesh: " + what + " has vertex " + std::to_string(v) + ", but there are " +
                std::to_string(vertex_count) + " after the edit");
  }
}

/// Throws if a number is out of range or occurs twice.
void check_numbers(std::vector<std::uint32_t> numbers, std::size_t count, const std::string& what) {
  std::sort(numbers.begin(), numbers.end());
  if (!numbers.empty() && numbers.back() >= count) {
    throw Error("deforming mesh: " + what + " triangle " + std::to_string(numbers.back()) + ", but there are " +
                std::to_string(count));
  }
  const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
  if (twice != numbers.end()) throw Error("deforming mesh: " + what + " triangle " + std::to_string(*twice) + " twice");
}

void check(const MeshEdit& edit, std::size_t vertex_count, std::size_t triangle_count) {
  deform::check_vertices(edit.new_vertices, "deforming mesh", "new vertex");
  vertex_count += edit.new_vertices.size();
  std::vector<std::uint32_t> changed;
  for (const MeshEdit::Change& change : edit.changed) {
    check_corners(change.corners, vertex_count, "changed triangle " + std::to_string(change.triangle));
    changed.push_back(change.triangle);
  }
  check_numbers(std::move(changed), triangle_count, "the edit changes");
  check_numbers(edit.removed, triangle_count, "the edit removes");
  for (std::size_t i = 0; i < edit.added.size(); ++i)
    check_corners(edit.added[i], vertex_count, "added triangle " + std::to_string(i));
  if (edit.removed.size() == triangle_count && edit.added.empty())
    throw Error("deforming mesh: the edit leaves no triangles");
}

}  // namespace

bool deform::edit_tree(const MeshEdit& edit, std::span<const Vector3> vertices, std::span<const Index3> triangles,
                       std::size_t old_triangle_count, trees::OrientedTree& tree) {
  const std::size_t kept = old_triangle_count - edit.removed.size();
  if (kept == 0) return false;  // a tree is never empty
  trees::TreeEditor editor(tree, vertices, triangles, old_triangle_count);
  std::vector<std::uint32_t> removed = edit.removed;
  std::sort(removed.rbegin(), removed.rend());
  // For triangles that were renumbered: maps the new number to the original one.
  std::map<std::uint32_t, std::uint32_t> was;
  auto last = static_cast<std::uint32_t>(old_triangle_count);
  for (const std::uint32_t number : removed) {
    editor.remove(number);
    if (number == --last) continue;
    const auto found = was.find(last);
    was[number] = found == was.end() ? last : found->second;
    editor.renumber(last, number);
  }
  std::map<std::uint32_t, std::uint32_t> is_now;
  for (const auto& [now, before] : was)
    if (now < kept) is_now[before] = now;
  for (const MeshEdit::Change& change : edit.changed) {
    const auto found = is_now.find(change.triangle);
    const std::uint32_t number = found == is_now.end() ? change.triangle : found->second;
    // A removed triangle is no longer in the tree, and a tree's only triangle cannot be removed, so it stays in place.
    if (kept == 1 || std::binary_search(removed.rbegin(), removed.rend(), change.triangle)) continue;
    editor.remove(number);
    editor.add(number);
  }
  for (std::size_t i = 0; i < edit.added.size(); ++i)
    editor.add(static_cast<std::uint32_t>(kept + i));
  return editor.finish();
}

void DeformingMesh::edit(const MeshEdit& edit) {
  Storage& s = *storage_;
  check(edit, s.end.size(), s.triangles.size());
  // First everything that may throw for lack of memory.
  std::vector<std::uint32_t> removed = edit.removed;
  s.start.reserve(s.start.size() + edit.new_vertices.size());
  s.end.reserve(s.end.size() + edit.new_vertices.size());
  s.triangles.reserve(s.triangles.size() + edit.added.size());
  s.start.insert(s.start.end(), edit.new_vertices.begin(), edit.new_vertices.end());
  s.end.insert(s.end.end(), edit.new_vertices.begin(), edit.new_vertices.end());
  const std::size_t old_triangle_count = s.triangles.size();
  for (const MeshEdit::Change& change : edit.changed)
    s.triangles[change.triangle] = change.corners;
  std::sort(removed.rbegin(), removed.rend());
  for (const std::uint32_t number : removed) {
    s.triangles[number] = s.triangles.back();
    s.triangles.pop_back();
  }
  s.triangles.insert(s.triangles.end(), edit.added.begin(), edit.added.end());
  s.take(deform::MeshChange::edit, edit, old_triangle_count);
}

namespace {

/// Collects the edit that gives some triangle corners vertices of their own.
class Parting {
 public:
  explicit Parting(const DeformingMesh& mesh) : mesh_(mesh) {}

  /// Adds a copy of `vertex` at the same position.
  std::uint32_t copy(std::uint32_t vertex) {
    edit_.new_vertices.push_back(mesh_.end()[vertex]);
    return static_cast<std::uint32_t>(mesh_.end().size() + edit_.new_vertices.size() - 1);
  }
  void replace(std::uint32_t triangle, std::uint32_t from, std::uint32_t to) {
    Index3& corners = changed_.try_emplace(triangle, mesh_.triangles()[triangle]).first->second;
    std::replace(corners.begin(), corners.end(), from, to);
  }
  MeshEdit result() && {
    for (const auto& [triangle, corners] : changed_)
      edit_.changed.push_back({triangle, corners});
    return std::move(edit_);
  }

 private:
  const DeformingMesh& mesh_;
  MeshEdit edit_;
  std::map<std::uint32_t, Index3> changed_;
};

Index2 ordered(std::uint32_t a, std::uint32_t b) {
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

MeshEdit cut_along(const DeformingMesh& mesh, std::span<const Index2> edges) {
  std::vector<Index2> cut;
  for (const Index2& edge : edges) {
    for (const std::uint32_t v : edge)
      geometry::check_index("cut_along: vertex", v, mesh.end().size());
    cut.push_back(ordered(edge[0], edge[1]));
  }
  std::sort(cut.begin(), cut.end());
  std::vector<std::uint32_t> ends;
  for (const Index2& edge : cut)
    ends.insert(ends.end(), edge.begin(), edge.end());
  geometry::sort_unique(ends);

  const deform::TrianglesOfVertices about = deform::triangles_of_vertices(mesh.triangles(), mesh.end().size());
  Parting parting(mesh);
  for (const std::uint32_t v : ends) {
    // The triangles around the vertex form groups that are connected by edges that are not cut.
    const std::span<const std::uint32_t> triangles = about[v];
    const auto is_cut = [&](std::uint32_t other) {
      return other != v && std::binary_search(cut.begin(), cut.end(), ordered(v, other));
    };
    geometry::DisjointSets groups(triangles.size());
    std::map<std::uint32_t, std::uint32_t> first_with;  // keyed by the other end of an edge
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
      for (const std::uint32_t other : mesh.triangles()[triangles[i]]) {
        if (other == v || is_cut(other)) continue;
        const auto [found, is_new] = first_with.try_emplace(other, i);
        if (!is_new) groups.join(found->second, i);
      }
    }
    // The first group keeps the vertex. Groups that are not bounded by a cut edge were already separate and stay
    // unchanged.
    std::map<std::uint32_t, std::uint32_t> vertex_of = {};
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
      const Index3& t = mesh.triangles()[triangles[i]];
      if (std::any_of(t.begin(), t.end(), is_cut)) vertex_of.try_emplace(groups.root(i), v);
    }
    bool is_first = true;
    for (auto& [number, vertex] : vertex_of) {
      if (!is_first) vertex = parting.copy(v);
      is_first = false;
    }
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
      const auto found = vertex_of.find(groups.root(i));
      if (found != vertex_of.end() && found->second != v) parting.replace(triangles[i], v, found->second);
    }
  }
  return std::move(parting).result();
}

MeshEdit break_off(const DeformingMesh& mesh, std::span<const std::uint32_t> triangles) {
  std::vector<bool> is_off(mesh.triangles().size());
  for (const std::uint32_t number : triangles) {
    geometry::check_index("break_off: triangle", number, is_off.size());
    is_off[number] = true;
  }
  std::vector<bool> is_kept(mesh.end().size());  // whether a remaining triangle uses the vertex
  for (std::size_t i = 0; i < is_off.size(); ++i)
    for (const std::uint32_t v : mesh.triangles()[i])
      if (!is_off[i]) is_kept[v] = true;
  Parting parting(mesh);
  std::map<std::uint32_t, std::uint32_t> copies;
  for (std::uint32_t i = 0; i < is_off.size(); ++i) {
    if (!is_off[i]) continue;
    for (const std::uint32_t v : mesh.triangles()[i]) {
      if (!is_kept[v]) continue;
      const auto [found, is_new] = copies.try_emplace(v, 0);
      if (is_new) found->second = parting.copy(v);
      parting.replace(i, v, found->second);
    }
  }
  return std::move(parting).result();
}

}  // namespace whisker
