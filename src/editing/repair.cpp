#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include <whisker/editing/repair.hpp>
#include <whisker/mesh.hpp>

#include "editing/fill_hole.hpp"
#include "editing/half_edges.hpp"
#include "geometry/disjoint_sets.hpp"
#include "geometry/edge_sides.hpp"
#include "geometry/lists.hpp"
#include "geometry/triangle_signs.hpp"
#include "mesh/mesh_queries.hpp"
#include "shapes/plain_mesh.hpp"

namespace whisker {
namespace {

using editing::HalfEdges;

Index3 turned(const Index3& t) {
  return {t[0], t[2], t[1]};
}

class Repairer {
 public:
  Repairer(const MeshData& mesh, const RepairOptions& options) : options_(options) {
    result_.before = inspect_mesh(mesh);  // throws if the mesh cannot be read
    vertices_ = mesh.vertices;
    const std::vector<std::uint32_t> first = first_at_position(vertices_);
    for (std::size_t i = 0; i < first.size(); ++i)
      result_.vertices_merged += first[i] != i ? 1u : 0u;
    triangles_ = shapes::merged_triangles(mesh, first);
    result_.collapsed_removed = mesh.triangles.size() - triangles_.size();
  }

  MeshRepair run() {
    remove_duplicates();
    given_ = triangles_;
    turn_neighbors_alike();
    fill_holes();
    face_outward();
    for (std::size_t i = 0; i < given_.size(); ++i)
      result_.triangles_turned += given_[i] != triangles_[i] ? 1u : 0u;
    const std::size_t vertices = vertices_.size();
    result_.mesh = shapes::without_unused({std::move(vertices_), std::move(triangles_)});
    result_.vertices_removed = vertices - result_.vertices_merged - result_.mesh.vertices.size();
    result_.after = inspect_mesh(result_.mesh);
    tell();
    return std::move(result_);
  }

 private:
  void keep_triangles(const std::vector<bool>& goes) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < triangles_.size(); ++i)
      if (!goes[i]) triangles_[kept++] = triangles_[i];
    result_.duplicates_removed += triangles_.size() - kept;
    triangles_.resize(kept);
  }

  void remove_duplicates() {
    // Pairs of triangles with the same key, the earlier one first.
    const auto same = [&](const auto& key_of) {
      const auto key = [&](std::uint32_t i) { return key_of(triangles_[i]); };
      std::vector<std::uint32_t> order = geometry::numbers_below(triangles_.size());
      std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Index3 first = key(a), second = key(b);
        return first != second ? first < second : a < b;
      });
      std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
      for (std::size_t i = 1; i < order.size(); ++i)
        if (key(order[i]) == key(order[i - 1])) pairs.emplace_back(order[i - 1], order[i]);
      return pairs;
    };
    std::vector<bool> goes(triangles_.size(), false);
    for (const auto& [kept, other] : same(shapes::from_lowest))
      goes[other] = true;
    keep_triangles(goes);

    // Triangles on the same three vertices are pairs now, back to back.
    const auto pairs = same([](Index3 t) {
      std::sort(t.begin(), t.end());
      return t;
    });
    if (pairs.empty()) return;
    goes.assign(triangles_.size(), false);
    const auto none = static_cast<std::uint32_t>(pairs.size());
    std::vector<std::uint32_t> pair_of(triangles_.size(), none);
    for (std::uint32_t i = 0; i < none; ++i)
      pair_of[pairs[i].first] = pair_of[pairs[i].second] = i;
    struct Sheet {
      std::size_t pairs = 0;
      bool hangs = false;  // attached to triangles that are not back to back
      bool odd = false;    // and, at some edge, to an odd number of them
    };
    geometry::DisjointSets groups(pairs.size());
    std::vector<Sheet> sheets(pairs.size());
    for (const bool joining : {true, false}) {
      geometry::every_edge(triangles_, vertices_.size(), [&](std::uint32_t, auto sides) {
        std::size_t others = 0;
        std::uint32_t some = none;
        for (const geometry::EdgeSide& side : sides) {
          const std::uint32_t pair = pair_of[side.number() / 3];
          if (pair == none) {
            ++others;
          } else if (some == none) {
            some = pair;
          } else if (joining) {
            groups.join(some, pair);
          }
        }
        if (joining || some == none || others == 0) return true;
        Sheet& sheet = sheets[groups.root(some)];
        sheet.hangs = true;
        sheet.odd = sheet.odd || others % 2 == 1;
        return true;
      });
    }
    for (std::uint32_t i = 0; i < none; ++i)
      ++sheets[groups.root(i)].pairs;
    for (std::uint32_t i = 0; i < none; ++i) {
      const Sheet& sheet = sheets[groups.root(i)];
      if (!sheet.hangs && sheet.pairs == 1) continue;
      goes[pairs[i].second] = true;
      goes[pairs[i].first] = sheet.hangs && !sheet.odd;
    }
    keep_triangles(goes);
  }

  /// Returns the triangles of each patch that is connected by edges of two triangles. `turns` tells which of them face
  /// the other way than the first triangle of the patch.
  std::vector<std::vector<std::size_t>> patches(std::vector<bool>& turns) const {
    const HalfEdges edges(triangles_, vertices_.size());
    std::vector<std::vector<std::size_t>> all;
    std::vector<bool> seen(triangles_.size(), false);
    turns.assign(triangles_.size(), false);
    for (std::size_t first = 0; first < triangles_.size(); ++first) {
      if (seen[first]) continue;
      seen[first] = true;
      std::vector<std::size_t> patch = {first};
      for (std::size_t i = 0; i < patch.size(); ++i) {
        for (std::uint64_t side = 3 * patch[i]; side < 3 * patch[i] + 3; ++side) {
          const std::uint64_t other = edges.other(side);
          if (other == HalfEdges::none || seen[other / 3]) continue;
          seen[other / 3] = true;
          turns[other / 3] = turns[patch[i]] != (edges.from(other) == edges.from(side));
          patch.push_back(other / 3);
        }
      }
      all.push_back(std::move(patch));
    }
    return all;
  }

  void turn(std::size_t triangle) { triangles_[triangle] = turned(triangles_[triangle]); }

  void turn_neighbors_alike() {
    std::vector<bool> turns;
    for (const std::vector<std::size_t>& patch : patches(turns)) {
      const auto count = std::count_if(patch.begin(), patch.end(), [&](std::size_t t) { return turns[t]; });
      const bool most = static_cast<std::size_t>(count) > patch.size() / 2;
      for (const std::size_t t : patch)
        if (turns[t] != most) turn(t);
    }
  }

  void fill_holes() {
    const HalfEdges edges(triangles_, vertices_.size());
    const editing::BorderLoops borders = editing::border_loops(edges, vertices_.size());
    result_.border_edges_left = borders.sides_left_out;
    if (borders.loops.empty()) return;
    std::vector<bool> on_border(vertices_.size(), false);
    for (const std::vector<std::uint32_t>& loop : borders.loops)
      for (const std::uint32_t vertex : loop)
        on_border[vertex] = true;
    // The existing edges between border vertices. A new triangle on such an edge would be a third one there.
    std::unordered_set<std::uint64_t> taken;
    for (std::uint64_t side = 0; side < edges.size(); ++side) {
      if (on_border[edges.from(side)] && on_border[edges.to(side)])
        taken.insert(HalfEdges::key(edges.from(side), edges.to(side)));
    }
    for (const std::vector<std::uint32_t>& loop : borders.loops) {
      std::vector<Index3> fill;
      if (loop.size() <= options_.max_hole_edges) fill = filled(loop, taken);
      if (fill.empty()) {
        ++result_.holes_left;
        result_.border_edges_left += loop.size();
        continue;
      }
      ++result_.holes_filled;
      result_.triangles_added += fill.size();
      for (const Index3& t : fill) {
        for (std::size_t k = 0; k < 3; ++k)
          taken.insert(HalfEdges::key(t[k], t[(k + 1) % 3]));
        triangles_.push_back(t);
      }
    }
  }

  std::vector<Index3> filled(const std::vector<std::uint32_t>& loop, const std::unordered_set<std::uint64_t>& taken) {
    std::vector<Index3> fill = editing::fill_hole(
        geometry::picked(vertices_, loop),
        [&](std::uint32_t a, std::uint32_t b) { return taken.contains(HalfEdges::key(loop[a], loop[b])); });
    for (Index3& t : fill)
      t = {loop[t[0]], loop[t[1]], loop[t[2]]};
    return fill.empty() ? fan(loop) : fill;
  }

  /// Fills the loop with triangles from a new vertex to each of its edges. Returns none if no position is free for the
  /// vertex.
  std::vector<Index3> fan(const std::vector<std::uint32_t>& loop) {
    if (vertices_.size() >= 0xFFFF'FFFEu) return {};
    if (positions_.empty()) positions_.insert(vertices_.begin(), vertices_.end());
    const double part = 1 / static_cast<double>(loop.size());
    Vector3 middle = Vector3::Zero();
    for (const std::uint32_t vertex : loop)
      middle += part * vertices_[vertex];
    std::vector<Index3> result;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vector3 tip = i == 0 ? middle : Vector3(middle * 0.75 + vertices_[loop[i]] * 0.25);
      if (!tip.allFinite() || !positions_.insert(tip).second) continue;
      const auto number = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(tip);
      ++result_.vertices_added;
      for (std::size_t k = 0; k < loop.size(); ++k)
        result.push_back({loop[k], loop[(k + 1) % loop.size()], number});
      break;
    }
    return result;
  }

  /// The triangles of a patch with the vertices that they use.
  MeshData part_of(const std::vector<std::size_t>& patch, shapes::PartCutter& cutter) const {
    return cutter.part(geometry::mapped(patch, [&](std::size_t i) { return triangles_[i]; }));
  }

  struct Part {
    std::vector<std::size_t> triangles;
    Aabb box;
    double volume = 0;  // 0 if it has no volume, or none that is certain
    bool turns = false;
    std::optional<Mesh> mesh = {};
  };

  void turn(const Part& part) {
    for (const std::size_t t : part.triangles)
      turn(t);
  }

  void face_outward() {
    std::vector<bool> turns;
    std::vector<Part> parts;
    shapes::PartCutter cutter(vertices_);
    for (std::vector<std::size_t>& patch : patches(turns)) {
      const MeshReport report = inspect_mesh(part_of(patch, cutter));
      parts.push_back({.triangles = std::move(patch), .box = report.bounds, .volume = report.volume});
    }
    double volume = 0;
    for (const Part& part : parts)
      volume += part.volume;
    for (Part& part : parts) {
      if (!(volume < 0) || part.volume == 0) continue;  // parts inside others keep their orientation relative to them
      part.volume = -part.volume;
      turn(part);
    }
    if (std::none_of(parts.begin(), parts.end(), [](const Part& part) { return part.volume < 0; })) return;

    // Larger parts first, so that a part comes after the part that it lies in.
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return (a.box.upper / 2 - a.box.lower / 2).norm() > (b.box.upper / 2 - b.box.lower / 2).norm();
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part& part = parts[i];
      part.turns = part.volume < 0;
      for (std::size_t k = 0; k < i; ++k) {
        // A part that faces outward stays unchanged, unless it lies in a part that is turned.
        if ((part.volume < 0 || parts[k].turns) && lies_in(part, parts[k], cutter)) {
          part.turns = parts[k].turns;
          break;
        }
      }
      if (part.turns) turn(part);
    }
  }

  bool lies_in(const Part& inner, Part& outer, shapes::PartCutter& cutter) const {
    if (outer.volume == 0 || !outer.box.contains(inner.box.lower) || !outer.box.contains(inner.box.upper)) return false;
    const double largest = std::max(outer.box.lower.cwiseAbs().maxCoeff(), outer.box.upper.cwiseAbs().maxCoeff());
    if (largest > max_coordinate) return false;
    if (!outer.mesh) outer.mesh.emplace(part_of(outer.triangles, cutter));
    return mesh::winding_number({*outer.mesh, Pose()}, vertices_[triangles_[inner.triangles[0]][0]]) != 0;
  }

  void tell() {
    using shapes::counted;
    const auto line = [&](std::size_t count, const char* thing, const char* things, const std::string& what) {
      if (count > 0) result_.done.push_back(counted(count, thing, things) + what);
    };
    line(result_.vertices_merged, "vertex", "vertices", " at the position of another: merged with it");
    line(result_.collapsed_removed, "triangle", "triangles", " with two corners at one position: removed");
    line(result_.duplicates_removed, "triangle", "triangles", " on the vertices of another: removed");
    line(result_.triangles_turned, "triangle", "triangles", " that faced the wrong way: reversed");
    std::string with = " filled with " + counted(result_.triangles_added, "triangle", "triangles");
    if (result_.vertices_added > 0) with += " and " + counted(result_.vertices_added, "new vertex", "new vertices");
    line(result_.holes_filled, "hole", "holes", with);
    line(result_.vertices_removed, "vertex", "vertices", " that no triangle uses: removed");
  }

  const RepairOptions& options_;
  std::vector<Vector3> vertices_;
  std::vector<Index3> triangles_;
  std::vector<Index3> given_;  // the triangles that stay, before any is turned
  std::set<Vector3, decltype(&geometry::comes_before)> positions_{&geometry::comes_before};
  MeshRepair result_;
};

}  // namespace

MeshRepair repair_mesh(const MeshData& mesh, const RepairOptions& options) {
  return Repairer(mesh, options).run();
}

}  // namespace whisker
