// Finds contacts of tetrahedral meshes with hashed grids of several cell sizes.
//
// Each tetrahedron has a level, and each edge and face uses the level of a tetrahedron that it belongs to. At level k,
// cells are 4^k times the usual size, and no tetrahedron is larger than about three of them. Levels are processed one
// after the other, so one table serves all.
// - Vertices are points. At each level that has tetrahedra, all vertices are put into cells, and each tetrahedron
//   searches the cells that its AABB overlaps.
// - Edges and faces are AABBs. For a pair on different levels, the item of the lower level searches for the other in
//   the cells of the higher level. On the same level, edges search for faces. A pair is found in every cell that both
//   boxes overlap, and is counted only in the first of these along each axis, which is a cell in which one of the two
//   boxes begins.
//
// Why two bodies that share a point have a contact (docs/deforming.md has every step): if two convex tetrahedra touch,
// then at an extreme point of their intersection a vertex of one is in the other, or an edge of one meets a face of the
// other, since any other two features whose relative interiors meet share more than a point. And a body ends only at
// its border or at a face of a tetrahedron that is flat or inverted: elsewhere the number of tetrahedra over a point is
// locally constant. So an edge that leads into a body passes through its surface, and a surface that no edge meets, and
// that has no vertex of the other body on it, is not met at all.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/tetrahedra/tetrahedral_contacts.hpp>

#include "deform/tetrahedra_cells.hpp"
#include "deform/tetrahedra_storage.hpp"
#include "geometry/lists.hpp"
#include "geometry/threads.hpp"

namespace whisker {
namespace {

using deform::CellSize;
using deform::CellTable;
using deform::Column;
using deform::column_of;
using deform::GridCell;

/// Cells grow by this power of two from one level to the next.
constexpr int level_octaves = 2;
/// The maximum length of a level's tetrahedra in cells, in steps of size codes: 2^(24/16) = 2.8.
constexpr int reach_steps = 24;
/// A cell is at least this fraction of the whole scene, so that cell numbers stay small.
constexpr double min_part = 0x1p-50;
constexpr double min_cell = 0x1p-1000;
/// Bound on the absolute value of any level: codes have 11 exponent bits.
constexpr int max_level = 2048;

/// A tetrahedron, face or edge.
struct Item {
  std::uint32_t mesh;
  std::uint32_t number;
};

/// Items grouped by level.
struct LeveledItems {
  struct Group {
    int level;
    std::uint32_t begin, end;
  };
  std::vector<Item> items;
  std::vector<Group> groups;  ///< nonempty groups, the finest level first
};

struct Point {
  Vector3 position;
  std::uint32_t mesh;
  std::uint32_t vertex;
};

/// Four floats that are compared at once, and the result of the comparison.
using Floats [[gnu::vector_size(16)]] = float;
using Words [[gnu::vector_size(16)]] = std::int32_t;

/// A point in cell units, rounded to floats. Rounding is monotone, so it preserves the order along each axis. The
/// fourth number is unused.
Floats rounded(const CellSize& size, const Vector3& point) {
  const Vector3 at = size.in_cells(point);
  return Floats{static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]), 0};
}

/// A vertex in a cell: its position and its index in `points`.
struct PointEntry {
  std::array<float, 3> at;
  std::uint32_t point;
};
static_assert(sizeof(PointEntry) == sizeof(Floats));

/// Whether a comparison holds for the first three numbers.
bool holds(Words compared) {
  const auto halves = std::bit_cast<std::array<std::int64_t, 2>>(compared | Words{0, 0, 0, -1});
  return (halves[0] & halves[1]) == -1;
}

bool is_between(const PointEntry& entry, Floats lower, Floats upper) {
  const Floats at = std::bit_cast<Floats>(entry);
  return holds((at >= lower) & (at <= upper));
}

/// An AABB in floats.
struct RoundedBox {
  Floats lower, upper;
};

bool overlap(const RoundedBox& a, const RoundedBox& b) {
  return holds((a.lower <= b.upper) & (b.lower <= a.upper));
}

/// Edges or faces.
struct SurfaceItems : LeveledItems {
  /// Their AABBs: exact, to put them into cells, and rounded, to compare them.
  std::vector<Aabb> exact_boxes;
  std::vector<RoundedBox> rounded_boxes;
  /// For each mesh, those to test besides the border: those of inverted tetrahedra, and edges with an end inside a
  /// body.
  std::vector<std::vector<std::uint32_t>> extra;
};

/// An edge or face in a cell.
struct BoxEntry {
  std::uint32_t item;
  /// Other bits of the column's hash, used to skip most entries that share the bucket by chance. The last three bits
  /// say along which axes the box begins in this cell.
  std::uint32_t tag;
};
constexpr std::uint32_t axis_bits = 7;

/// Calls visit(column, z, begins) for the cells that a box overlaps. `begins` has a bit for each axis along which the
/// cell is the box's first.
template <class Visit>
void for_cells(const CellSize& size, const Aabb& box, const Visit& visit) {
  const GridCell first = size.cell_of(box.lower), last = size.cell_of(box.upper);
  for (std::int64_t x = first[0]; x <= last[0]; ++x)
    for (std::int64_t y = first[1]; y <= last[1]; ++y) {
      const Column column = column_of(x, y);
      for (std::int64_t z = first[2]; z <= last[2]; ++z) {
        const std::uint32_t begins = (x == first[0] ? 1u : 0u) | (y == first[1] ? 2u : 0u) | (z == first[2] ? 4u : 0u);
        visit(column, z, begins);
      }
    }
}

/// The results of one part of a search. Parts run concurrently, so no two share a cache line.
struct alignas(128) Part {
  std::vector<VertexContact> vertices;
  std::vector<EdgeContact> edges;
  Cost cost;
  TetrahedralContactCounts counts;

  std::size_t size() const { return vertices.size() + edges.size(); }
  void clear() {
    vertices.clear();
    edges.clear();
    cost = {};
    counts = {};
  }
};

template <class Contact>
void sort_contacts(std::vector<Contact>& contacts) {
  const auto key = [](const Contact& c) {
    const auto& [mesh, other, first, second] = c;
    return std::pair(std::uint64_t{mesh} << 32 | other, std::uint64_t{first} << 32 | second);
  };
  std::sort(contacts.begin(), contacts.end(), [&](const Contact& p, const Contact& q) { return key(p) < key(q); });
  // A contact may be found twice, because two of the searched cells may share a bucket.
  contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
}

}  // namespace

struct TetrahedralContactFinder::Scratch {
  // The grid's origin and cell sizes.
  Vector3 origin = Vector3::Zero();
  double usual = 1;    ///< the cell size of level 0
  int usual_code = 0;  ///< its size code
  int min_level = -max_level;

  std::vector<std::uint32_t> level_counts;
  std::vector<Point> points;
  LeveledItems tetrahedra;
  SurfaceItems faces, edges;
  CellTable<PointEntry> point_table;
  CellTable<BoxEntry> box_table;
  std::vector<Part> parts;

  // The options of the current search.
  bool self = true;
  std::size_t most = 0;
  std::atomic<std::size_t> found = 0;  ///< contacts found so far in this search
  bool is_serial = false;

  // --- Levels. ---

  /// Sets the grid's origin and cell sizes. The usual tetrahedron size is the geometric mean (up to the coarseness of
  /// the codes), which a few huge or tiny tetrahedra hardly change. Teschner et al. find that cells as large as the
  /// average edge work best.
  void choose_levels(std::span<const TetrahedralMesh> meshes) {
    Aabb bounds;
    std::uint64_t sum = 0, count = 0;
    for (const TetrahedralMesh& mesh : meshes) {
      bounds.include(storage_of(mesh).bounds);
      sum += storage_of(mesh).size_sum;
      count += storage_of(mesh).size_count;
    }
    origin = bounds.lower;
    usual_code = count > 0 ? static_cast<int>(sum / count) : 0;
    usual = count > 0 ? deform::length_of(static_cast<std::uint16_t>(usual_code)) : 1;
    const double least = std::max((bounds.upper - bounds.lower).maxCoeff() * min_part, min_cell);
    const int octaves = std::ilogb(least) + 1 - std::ilogb(usual);
    static_assert(level_octaves == 2);
    min_level = (octaves + 1) >> 1;
  }
  int level_of(std::uint16_t size) const {
    if (size == 0) return std::max(0, min_level);
    static_assert(level_octaves * deform::size_steps == 32);
    const int above = static_cast<int>(size) - usual_code - reach_steps;
    return std::max(min_level, (above + 31) >> 5);
  }
  CellSize cells(int level) const { return {origin, 1 / std::ldexp(usual, level_octaves * level)}; }

  /// Fills `into` with the items that for_each(add) reports by calling add(mesh, number, size code).
  template <class ForEach>
  void set_items(LeveledItems& into, const ForEach& for_each) {
    level_counts.assign(2 * max_level + 1, 0);
    const auto place = [&](std::uint16_t size) { return static_cast<std::size_t>(level_of(size) + max_level); };
    for_each([&](std::uint32_t, std::uint32_t, std::uint16_t size) { ++level_counts[place(size)]; });
    into.groups.clear();
    std::uint32_t total = 0;
    for (int level = -max_level; level <= max_level; ++level) {
      std::uint32_t& count = level_counts[static_cast<std::size_t>(level + max_level)];
      if (count == 0) continue;
      into.groups.push_back({level, total, total + count});
      total += std::exchange(count, total);
    }
    into.items.resize(total);
    for_each([&](std::uint32_t mesh, std::uint32_t number, std::uint16_t size) {
      into.items[level_counts[place(size)]++] = {mesh, number};
    });
  }

  // --- A search in parts. ---

  /// Calls work(i, part) for all i from 0 to count, on all cores, until there are more contacts than wanted. The parts
  /// hold the results.
  template <class Work>
  void in_parts(std::size_t count, const Work& work) {
    constexpr std::size_t length = 1024;
    const std::size_t needed = (count + length - 1) / length;
    if (parts.size() < needed) parts.resize(needed);
    const auto one = [&](std::size_t p) {
      Part& part = parts[p];
      for (std::size_t i = p * length, end = std::min(count, (p + 1) * length); i < end; ++i) {
        if (found.load(std::memory_order_relaxed) > most) return;
        const std::size_t before = part.size();
        work(i, part);
        if (part.size() > before) found.fetch_add(part.size() - before, std::memory_order_relaxed);
      }
    };
    trees::for_all(needed, needed > 2 && !is_serial, one);
  }
  /// Moves the contents of the parts to the result.
  void gather(TetrahedralContacts& contacts) {
    for (Part& part : parts) {
      contacts.vertices.insert(contacts.vertices.end(), part.vertices.begin(), part.vertices.end());
      contacts.edges.insert(contacts.edges.end(), part.edges.begin(), part.edges.end());
      contacts.counts.cells += part.counts.cells;
      contacts.cost += part.cost;
      part.clear();
    }
  }
  void clear_parts() {
    for (Part& part : parts)
      part.clear();
  }
  /// Runs search() and gathers its results in `list`. If it found more than wanted, which contacts were found first
  /// depends on thread timing, so the search is repeated serially until there are enough.
  template <class Search, class Contact>
  void limited(TetrahedralContacts& contacts, std::vector<Contact>& list, const Search& search) {
    const Cost cost_before = contacts.cost;
    const TetrahedralContactCounts counts_before = contacts.counts;
    found = 0;
    is_serial = false;
    search();
    if (found > most) {
      contacts.stop = Stop::count;
      contacts.cost = cost_before;
      contacts.counts = counts_before;
      clear_parts();
      found = 0;
      is_serial = true;
      search();
    }
    gather(contacts);
    if (list.size() > most) list.resize(most);
    sort_contacts(list);
  }

  // --- Vertices in tetrahedra. ---

  void look_up_points(const TetrahedralMesh& mesh, Item item, const CellSize& size, Part& part) const {
    const TetrahedralMeshStorage& s = storage_of(mesh);
    const Index4& corners = s.topology->tetrahedra[item.number];
    const Aabb box = s.box_of(corners);
    const GridCell first = size.cell_of(box.lower), last = size.cell_of(box.upper);
    const Floats from = rounded(size, box.lower), to = rounded(size, box.upper);
    const auto compare = [&](const PointEntry& entry) {
      ++part.cost.volume_tests;
      if (!is_between(entry, from, to)) return;
      const Point& point = points[entry.point];
      if (point.mesh == item.mesh) {
        if (!self || std::find(corners.begin(), corners.end(), point.vertex) != corners.end()) return;
      }
      ++part.cost.primitive_tests;
      if (mesh.contains(item.number, point.position))
        part.vertices.push_back({point.mesh, item.mesh, point.vertex, item.number});
    };
    for (std::int64_t x = first[0]; x <= last[0]; ++x)
      for (std::int64_t y = first[1]; y <= last[1]; ++y) {
        part.counts.cells += static_cast<std::uint64_t>(last[2] - first[2] + 1);
        point_table.visit(column_of(x, y), first[2], last[2], compare);
      }
  }

  void find_vertices(std::span<const TetrahedralMesh> meshes, TetrahedralContacts& contacts) {
    set_items(tetrahedra, [&](const auto& add) {
      for (std::uint32_t m = 0; m < meshes.size(); ++m) {
        const std::vector<std::uint16_t>& sizes = storage_of(meshes[m]).size;
        for (std::uint32_t i = 0; i < sizes.size(); ++i)
          add(m, i, sizes[i]);
      }
    });
    points.clear();
    for (std::uint32_t m = 0; m < meshes.size(); ++m) {
      const TetrahedralMeshStorage& s = storage_of(meshes[m]);
      for (const std::uint32_t v : s.topology->used_vertices)
        points.push_back({s.vertices[v], m, v});
    }
    contacts.counts.levels = tetrahedra.groups.size();
    limited(contacts, contacts.vertices, [&] {
      for (const LeveledItems::Group& group : tetrahedra.groups) {
        const CellSize size = cells(group.level);
        point_table.fill(points.size(), points.size(), !is_serial, [&](std::size_t i, const auto& put) {
          const GridCell cell = size.cell_of(points[i].position);
          put(column_of(cell[0], cell[1]), cell[2], [&] {
            const Floats at = rounded(size, points[i].position);
            return PointEntry{{at[0], at[1], at[2]}, static_cast<std::uint32_t>(i)};
          });
        });
        contacts.counts.entries += point_table.size();
        in_parts(group.end - group.begin, [&](std::size_t i, Part& part) {
          const Item& item = tetrahedra.items[group.begin + i];
          look_up_points(meshes[item.mesh], item, size, part);
        });
      }
    });
  }

  // --- Edges through faces. ---

  /// Collects the surface faces, and the edges that are tested against them.
  void set_surface(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts) {
    using Topology = deform::TetrahedraTopology;
    for (SurfaceItems* const items : {&faces, &edges}) {
      if (items->extra.size() < meshes.size()) items->extra.resize(meshes.size());
      for (std::vector<std::uint32_t>& extra : items->extra)
        extra.clear();
    }
    auto inside = contacts.vertices.begin();
    for (std::uint32_t m = 0; m < meshes.size(); ++m) {
      const Topology& t = *storage_of(meshes[m]).topology;
      for (const std::uint32_t tetrahedron : meshes[m].inverted()) {
        for (const std::uint32_t face : t.faces_of[tetrahedron])
          if (face >= t.border_face_count) faces.extra[m].push_back(face);
        for (const std::uint32_t edge : t.edges_of[tetrahedron])
          if (edge >= t.border_edge_count) edges.extra[m].push_back(edge);
      }
      for (; inside != contacts.vertices.end() && inside->mesh == m; ++inside) {
        const std::uint32_t v = inside->vertex;
        if (inside != contacts.vertices.begin() && (inside - 1)->mesh == m && (inside - 1)->vertex == v) continue;
        for (const std::uint32_t edge : t.neighbor_edges[v])
          if (edge >= t.border_edge_count) edges.extra[m].push_back(edge);
      }
      geometry::sort_unique(faces.extra[m]);
      geometry::sort_unique(edges.extra[m]);
    }

    const CellSize size = cells(std::max(0, min_level));
    const auto set = [&](SurfaceItems& into, std::size_t Topology::*border_count,
                         std::vector<std::uint32_t> Topology::*owner, auto corners) {
      set_items(into, [&](const auto& add) {
        for (std::uint32_t m = 0; m < meshes.size(); ++m) {
          const TetrahedralMeshStorage& s = storage_of(meshes[m]);
          const std::vector<std::uint32_t>& owners = (*s.topology).*owner;
          for (std::uint32_t i = 0; i < (*s.topology).*border_count; ++i)
            add(m, i, s.size[owners[i]]);
          for (const std::uint32_t i : into.extra[m])
            add(m, i, s.size[owners[i]]);
        }
      });
      into.exact_boxes.resize(into.items.size());
      into.rounded_boxes.resize(into.items.size());
      trees::for_chunks(into.items.size(), true, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const TetrahedralMeshStorage& s = storage_of(meshes[into.items[i].mesh]);
          const Aabb box = s.box_of(((*s.topology).*corners)[into.items[i].number]);
          into.exact_boxes[i] = box;
          into.rounded_boxes[i] = {rounded(size, box.lower), rounded(size, box.upper)};
        }
      });
    };
    set(faces, &Topology::border_face_count, &Topology::face_owner, &Topology::faces);
    set(edges, &Topology::border_edge_count, &Topology::edge_owner, &Topology::edges);
  }

  void test(std::span<const TetrahedralMesh> meshes, const Item& edge, const Item& face, Part& part) const {
    const TetrahedralMeshStorage &p = storage_of(meshes[edge.mesh]), &q = storage_of(meshes[face.mesh]);
    const Index2& ends = p.topology->edges[edge.number];
    const Index3& corners = q.topology->faces[face.number];
    if (edge.mesh == face.mesh) {
      if (!self) return;
      for (const std::uint32_t v : corners)
        if (v == ends[0] || v == ends[1]) return;
    }
    ++part.cost.primitive_tests;
    if (touches_segment_triangle({p.vertices[ends[0]], p.vertices[ends[1]]},
                                 {q.vertices[corners[0]], q.vertices[corners[1]], q.vertices[corners[2]]}))
      part.edges.push_back({edge.mesh, face.mesh, edge.number, face.number});
  }

  /// Calls test_pair(i, j, part) for the boxes i of `seekers` before `seekers_end` and j of `sought` from `begin` to
  /// `end` whose rounded boxes overlap. Returns the number of entries in the cells.
  template <class Test>
  std::size_t join(const CellSize& size, const SurfaceItems& seekers, std::uint32_t seekers_end,
                   const SurfaceItems& sought, std::uint32_t begin, std::uint32_t end, const Test& test_pair) {
    if (seekers_end == 0 || begin == end) return 0;
    const std::size_t count = end - begin;
    box_table.fill(count, 4 * count, !is_serial, [&](std::size_t i, const auto& put) {
      const auto item = begin + static_cast<std::uint32_t>(i);
      for_cells(size, sought.exact_boxes[item], [&](const Column& column, std::int64_t z, std::uint32_t begins) {
        put(column, z, [&] { return BoxEntry{item, (column.tag & ~axis_bits) | begins}; });
      });
    });
    in_parts(seekers_end, [&](std::size_t i, Part& part) {
      const RoundedBox& box = seekers.rounded_boxes[i];
      for_cells(size, seekers.exact_boxes[i], [&](const Column& column, std::int64_t z, std::uint32_t begins) {
        ++part.counts.cells;
        const std::uint32_t wanted = column.tag | axis_bits;
        box_table.visit(column, z, z, [&](const BoxEntry& entry) {
          if ((entry.tag | begins) != wanted) return;
          ++part.cost.volume_tests;
          if (overlap(box, sought.rounded_boxes[entry.item]))
            test_pair(static_cast<std::uint32_t>(i), entry.item, part);
        });
      });
    });
    return box_table.size();
  }

  void find_edges(std::span<const TetrahedralMesh> meshes, TetrahedralContacts& contacts) {
    set_surface(meshes, contacts);
    const auto edge_face = [&](std::uint32_t edge, std::uint32_t face, Part& part) {
      test(meshes, edges.items[edge], faces.items[face], part);
    };
    const auto face_edge = [&](std::uint32_t face, std::uint32_t edge, Part& part) { edge_face(edge, face, part); };
    limited(contacts, contacts.edges, [&] {
      auto face_group = faces.groups.begin();
      auto edge_group = edges.groups.begin();
      std::uint32_t faces_below = 0, edges_below = 0;  // items of finer levels come first
      while (face_group != faces.groups.end() || edge_group != edges.groups.end()) {
        int level = max_level;
        if (face_group != faces.groups.end()) level = std::min(level, face_group->level);
        if (edge_group != edges.groups.end()) level = std::min(level, edge_group->level);
        std::uint32_t faces_end = faces_below, edges_end = edges_below;
        if (face_group != faces.groups.end() && face_group->level == level) faces_end = (face_group++)->end;
        if (edge_group != edges.groups.end() && edge_group->level == level) edges_end = (edge_group++)->end;
        const CellSize size = cells(level);
        contacts.counts.entries += join(size, edges, edges_end, faces, faces_below, faces_end, edge_face);
        contacts.counts.entries += join(size, faces, faces_below, edges, edges_below, edges_end, face_edge);
        faces_below = faces_end;
        edges_below = edges_end;
      }
    });
  }
};

TetrahedralContactFinder::TetrahedralContactFinder() : scratch_(std::make_unique<Scratch>()) {}

void TetrahedralContactFinder::find(std::span<const TetrahedralMesh> meshes, TetrahedralContacts& contacts) {
  find(meshes, {}, contacts);
}

void TetrahedralContactFinder::find(std::span<const TetrahedralMesh> meshes, const TetrahedralContactOptions& options,
                                    TetrahedralContacts& contacts) {
  check_threads("contacts of tetrahedral meshes", options.threads);
  Scratch& s = *scratch_;
  contacts.vertices.clear();
  contacts.edges.clear();
  contacts.stop = Stop::exact;
  contacts.cost = {};
  contacts.counts = {};
  if (meshes.empty()) return;
  std::array<std::uint64_t, 4> counts = {};
  for (const TetrahedralMesh& mesh : meshes) {
    counts[0] += mesh.vertices().size();
    counts[1] += mesh.tetrahedra().size();
    counts[2] += mesh.faces().size();
    counts[3] += mesh.edges().size();
  }
  if (*std::max_element(counts.begin(), counts.end()) > 0xFFFFFFFEu || meshes.size() > 0xFFFFFFFEu)
    throw Error("contacts of tetrahedral meshes: more than 2^32 - 2 vertices, tetrahedra, faces or edges in all");
  s.clear_parts();  // a search that ran out of memory may have left some results
  s.self = options.self;
  s.most = options.max_count;
  with_threads("contacts of tetrahedral meshes", options.threads, [&] {
    s.choose_levels(meshes);
    s.find_vertices(meshes, contacts);
    if (options.edges) s.find_edges(meshes, contacts);
  });
}

}  // namespace whisker
