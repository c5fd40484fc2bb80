#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>

#include "geometry/disjoint_sets.hpp"
#include "geometry/edge_sides.hpp"
#include "geometry/grouped.hpp"
#include "geometry/triangle_signs.hpp"
#include "shapes/plain_mesh.hpp"

namespace whisker {

namespace {

/// Mixes the bits of a position so that every bit of the result depends on all of them. Equal positions give equal
/// results, even if one has 0 where the other has -0.
std::uint64_t mixed(const Vector3& p) {
  std::uint64_t h = 0x9E3779B97F4A7C15u;
  for (const double x : {p.x(), p.y(), p.z()}) {
    h ^= std::bit_cast<std::uint64_t>(x + 0.0);  // -0 + 0 is 0
    h *= 0xBF58476D1CE4E5B9u;
    h ^= h >> 32;
    h *= 0x94D049BB133111EBu;
    h ^= h >> 29;
  }
  return h;
}

/// The number of sides of an edge that run from its lower vertex to its higher one.
std::size_t count_upward(std::span<const Index3> triangles, std::uint32_t low,
                         std::span<const geometry::EdgeSide> sides) {
  return static_cast<std::size_t>(std::ranges::count_if(
      sides, [&](const geometry::EdgeSide& side) { return triangles[side.number() / 3][side.number() % 3] == low; }));
}

/// The number of triangles on the same three vertices as an earlier one.
std::size_t count_duplicates(std::vector<Index3> sorted, std::size_t vertex_count) {
  for (Index3& t : sorted)
    std::sort(t.begin(), t.end());
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t i = 0; i < sorted.size(); ++i)
      visit(sorted[i][0], i);
  };
  auto [start, order] = geometry::group<std::uint32_t>(vertex_count, for_each);
  std::size_t duplicates = 0;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const auto begin = order.begin() + start[v];
    const auto end = order.begin() + start[v + 1];
    std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) { return sorted[a] < sorted[b]; });
    for (auto i = begin; i != end; ++i) {
      if (i != begin && sorted[*i] == sorted[*(i - 1)]) ++duplicates;
    }
  }
  return duplicates;
}

/// A compensated sum (Neumaier 1974).
struct Sum {
  double value = 0;
  double lost = 0;
  void add(double x) {
    const double next = value + x;
    lost += std::abs(value) >= std::abs(x) ? (value - next) + x : (x - next) + value;
    value = next;
  }
  double total() const { return value + lost; }
};

/// Computes the area of all triangles, and the volume relative to the middle of the bounds. Both are computed with the
/// bounds scaled to about 1, so that neither overflows nor underflows. A volume that may be nothing but rounding error
/// is 0.
void measure(const MeshData& mesh, MeshReport& report) {
  const Vector3 middle = report.bounds.lower / 2 + report.bounds.upper / 2;
  const double extent = (report.bounds.upper / 2 - report.bounds.lower / 2).maxCoeff();
  constexpr int min_exponent = -1000;  // a power of two that still has an inverse
  const int exponent = extent > 0 ? std::max(std::ilogb(extent), min_exponent) : 0;
  const double scale = std::ldexp(1.0, -exponent);
  const auto local = [&](std::uint32_t number) { return Vector3((mesh.vertices[number] - middle) * scale); };
  Sum area;
  Sum six_volumes;
  double products = 0;
  for (const Index3& t : mesh.triangles) {
    const Vector3 a = local(t[0]);
    const Vector3 u = local(t[1]) - a;
    const Vector3 v = local(t[2]) - a;
    const double xy = u.x() * v.y(), yx = u.y() * v.x();
    const double yz = u.y() * v.z(), zy = u.z() * v.y();
    const double zx = u.z() * v.x(), xz = u.x() * v.z();
    const Vector3 normal(yz - zy, zx - xz, xy - yx);
    area.add(normal.norm());
    six_volumes.add(a.dot(normal));
    products += std::abs(xy) + std::abs(yx) + std::abs(yz) + std::abs(zy) + std::abs(zx) + std::abs(xz);
  }
  // Local coordinates are at most 2 and off by less than 4 ulp of 1, and a term of `products` has a few such factors.
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * products;
  report.area = std::ldexp(area.total() / 2, 2 * exponent);
  const bool certain = std::abs(six_volumes.total()) > rounding;
  report.volume = report.balanced && certain ? std::ldexp(six_volumes.total() / 6, 3 * exponent) : 0;
}

void list_findings(MeshReport& report) {
  const auto find = [&](std::size_t count, const std::string& thing, const std::string& things,
                        const std::string& consequence) {
    if (count > 0) report.findings.push_back(shapes::counted(count, thing, things) + ": " + consequence);
  };
  if (report.triangles == 0) report.findings.push_back("no triangles: it cannot be used as a mesh");
  find(report.boundary_edges, "open edge, with a triangle on one side only",
       "open edges, with a triangle on one side only",
       "the surface has a border; it works as a surface, but cannot be made solid");
  find(report.nonmanifold_edges, "edge shared by more than two triangles", "edges shared by more than two triangles",
       report.balanced
           ? "kept; the mesh works as a surface, but cannot be made solid: separate the parts that meet there"
           : "kept; the mesh works as a surface, but cannot be made solid");
  find(report.inconsistent_edges, "edge whose two triangles face opposite ways",
       "edges whose two triangles face opposite ways",
       "kept; a surface has no sides, so its queries are not affected, but it cannot be made solid");
  if (report.facing == Facing::inward) {
    report.findings.push_back(
        "inside out (the volume is negative): it works as a surface, but not as a solid; "
        "reverse all triangles");
  }
  if (report.closed && report.volume == 0) {
    report.findings.push_back("closed but without volume: it works as a surface; a solid of it has no inside");
  }
  find(report.degenerate_triangles, "degenerate triangle, with area 0", "degenerate triangles, with area 0",
       "kept; queries treat them as segments or points");
  find(report.duplicate_triangles, "duplicate of another triangle", "duplicates of other triangles",
       "kept; each costs time and has contacts of its own");
  find(report.duplicate_vertices, "vertex at the position of another", "vertices at the position of others",
       "kept; triangles that meet there count as connected");
  find(report.unused_vertices, "vertex that no triangle uses", "vertices that no triangle uses",
       "kept; without effect on queries");
}

}  // namespace

std::vector<std::uint32_t> first_at_position(std::span<const Vector3> points) {
  if (points.size() > 0xFFFF'FFFEu) throw Error("more than 4294967294 points: split the data");
  // Buckets by mixed bits, then a sort in each. Buckets usually have a few points, and this is never worse than sorting
  // all points.
  const std::size_t bucket_count = std::bit_ceil(points.size() / 2 + 2);
  const int shift = 64 - std::countr_zero(bucket_count);
  std::vector<std::uint64_t> key(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) throw Error("point " + std::to_string(i) + " is not finite: repair the data");
    key[i] = mixed(points[i]);
  }
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t i = 0; i < points.size(); ++i)
      visit(key[i] >> shift, i);
  };
  auto [start, order] = geometry::group<std::uint32_t>(bucket_count, for_each);

  std::vector<std::uint32_t> first(points.size());
  for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
    const auto begin = order.begin() + start[bucket];
    const auto end = order.begin() + start[bucket + 1];
    std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
      if (key[a] != key[b]) return key[a] < key[b];
      if (points[a] != points[b]) return geometry::comes_before(points[a], points[b]);
      return a < b;
    });
    for (auto i = begin; i != end; ++i) {
      first[*i] = i != begin && points[*i] == points[*(i - 1)] ? first[*(i - 1)] : *i;
    }
  }
  return first;
}

bool is_closed(const MeshData& mesh) {
  shapes::check_mesh(mesh);
  const std::vector<std::uint32_t> merged = first_at_position(mesh.vertices);
  const std::vector<Index3> triangles = shapes::merged_triangles(mesh, merged);
  return !triangles.empty() && geometry::every_edge(triangles, mesh.vertices.size(), [&](auto low, auto sides) {
    return sides.size() == 2 && count_upward(triangles, low, sides) == 1;
  });
}

MeshReport inspect_mesh(const MeshData& mesh) {
  shapes::check_mesh(mesh);
  MeshReport report;
  report.triangles = mesh.triangles.size();
  report.vertices = mesh.vertices.size();

  for (const Index3& t : mesh.triangles) {
    const bool is_flat = geometry::view_axis(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]).axis < 0;
    report.degenerate_triangles += is_flat ? 1u : 0u;
  }
  const std::vector<bool> used = shapes::used_vertices(mesh.triangles, mesh.vertices.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    ++report.used_vertices;
    report.bounds.include(mesh.vertices[i]);
  }
  report.unused_vertices = report.vertices - report.used_vertices;

  const std::vector<std::uint32_t> merged = first_at_position(mesh.vertices);
  for (std::size_t i = 0; i < merged.size(); ++i)
    report.duplicate_vertices += merged[i] != i ? 1u : 0u;
  const std::vector<Index3> triangles = shapes::merged_triangles(mesh, merged);
  report.collapsed_triangles = report.triangles - triangles.size();

  report.balanced = !triangles.empty();
  geometry::every_edge(triangles, mesh.vertices.size(), [&](auto low, auto sides) {
    const std::size_t uses = sides.size(), upward = count_upward(triangles, low, sides);
    ++report.edges;
    if (uses == 1) ++report.boundary_edges;
    if (uses > 2) ++report.nonmanifold_edges;
    if (uses == 2 && upward != 1) ++report.inconsistent_edges;
    if (2 * upward != uses) report.balanced = false;
    return true;
  });
  report.closed = !triangles.empty() && report.boundary_edges == 0 && report.nonmanifold_edges == 0 &&
                  report.inconsistent_edges == 0;
  report.consistent_orientation = report.inconsistent_edges == 0;

  // Counts duplicates among all triangles, including collapsed ones.
  report.duplicate_triangles = count_duplicates(shapes::renumbered(mesh.triangles, merged), mesh.vertices.size());
  report.connected_components = shapes::connected_parts(triangles, geometry::DisjointSets(mesh.vertices.size())).size();

  const std::vector<bool> used_positions = shapes::used_vertices(triangles, mesh.vertices.size());
  report.euler_characteristic = std::ranges::count(used_positions, true) - static_cast<std::int64_t>(report.edges) +
                                static_cast<std::int64_t>(triangles.size());

  if (report.triangles > 0) measure(mesh, report);
  if (report.closed && report.volume > 0) report.facing = Facing::outward;
  if (report.closed && report.volume < 0) report.facing = Facing::inward;
  list_findings(report);
  return report;
}

}  // namespace whisker
