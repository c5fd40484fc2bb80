#include "io/faces.hpp"

#include <algorithm>
#include <span>

#include <whisker/editing/mesh_report.hpp>

#include "shapes/polygon.hpp"

namespace whisker::io {

namespace {

// Limits on the total cost of triangulating polygons: up to a second, plus a share for each corner in the file.
constexpr std::uint64_t steps_per_file = 100'000'000;
constexpr std::uint64_t steps_per_corner = 200;

}  // namespace

void ignore(ReadReport& report, std::string_view what, std::size_t count) {
  if (count == 0) return;
  auto known = std::ranges::find(report.ignored, what, &IgnoredElement::what);
  if (known == report.ignored.end()) known = report.ignored.insert(known, {std::string(what), 0});
  known->count += count;
}

std::size_t merge_vertices(MeshData& mesh) {
  std::vector<std::uint32_t> number = first_at_position(mesh.vertices);  // from here on to the new numbers
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] != i) {
      number[i] = number[number[i]];
    } else {
      mesh.vertices[kept] = mesh.vertices[i];
      number[i] = kept++;
    }
  }
  const std::size_t gone = mesh.vertices.size() - kept;
  mesh.vertices.resize(kept);
  mesh.vertices.shrink_to_fit();
  for (Index3& t : mesh.triangles)
    t = {number[t[0]], number[t[1]], number[t[2]]};
  return gone;
}

void append_lines(const MeshData& mesh, std::string_view vertex, std::string_view triangle, std::uint32_t first_number,
                  TextWriter& out) {
  for (const Vector3& v : mesh.vertices)
    out.add(vertex, v, "\n");
  for (const Index3& t : mesh.triangles) {
    out.add(triangle);
    for (const std::uint32_t corner : t)
      out.add(" ", std::uint64_t{corner} + first_number);
    out.add("\n");
  }
}

MeshData make_mesh(const Source& source, std::vector<Vector3> vertices, const FaceList& faces, bool binary,
                   std::uint32_t first_number, ReadReport& report) {
  const auto fail = [&](std::size_t offset, const std::string& reason) {
    binary ? source.fail_at_byte(offset, reason) : source.fail_at_line(offset, reason);
  };
  if (vertices.size() > max_vertices) {
    source.fail("more than " + std::to_string(max_vertices) + " vertices: split the file");
  }
  MeshData mesh;
  mesh.vertices = std::move(vertices);
  mesh.triangles.reserve(faces.faces.size());
  std::uint64_t steps = steps_per_file + steps_per_corner * faces.corners.size();
  std::vector<Vector3> polygon;
  std::vector<Index3> cut;
  std::size_t next_group = 0;
  for (std::size_t f = 0; f < faces.faces.size(); ++f) {
    for (; next_group < faces.groups.size() && faces.groups[next_group].first_face == f; ++next_group) {
      report.groups.push_back({faces.groups[next_group].name, mesh.triangles.size(), 0});
    }
    const std::size_t first = faces.faces[f].first_corner;
    const std::size_t last = f + 1 < faces.faces.size() ? faces.faces[f + 1].first_corner : faces.corners.size();
    const std::span<const std::uint32_t> corners(faces.corners.data() + first, last - first);
    for (const std::uint32_t corner : corners) {
      if (corner >= mesh.vertices.size()) {
        fail(faces.faces[f].offset,
             "face with vertex number " + std::to_string(std::uint64_t{corner} + std::uint64_t{first_number}) +
                 ", but there are " + std::to_string(mesh.vertices.size()) + " vertices, numbered from " +
                 std::to_string(first_number) + ": the file is cut short or damaged");
      }
    }
    if (corners.size() < 3) {
      ++report.short_polygons_ignored;
    } else if (corners.size() == 3) {
      mesh.triangles.push_back({corners[0], corners[1], corners[2]});
    } else {
      polygon.clear();
      for (const std::uint32_t corner : corners)
        polygon.push_back(mesh.vertices[corner]);
      cut.clear();
      switch (shapes::cut_polygon(polygon, steps, cut)) {
        case shapes::PolygonCut::simple:
          break;
        case shapes::PolygonCut::not_simple:
          ++report.polygons_not_simple;
          break;
        case shapes::PolygonCut::too_intricate:
          fail(faces.faces[f].offset,
               "polygon of " + std::to_string(corners.size()) +
                   " corners that is too complex to cut into triangles: export the mesh as triangles");
          break;
      }
      ++report.polygons_triangulated;
      for (const Index3& t : cut)
        mesh.triangles.push_back({corners[t[0]], corners[t[1]], corners[t[2]]});
    }
  }
  if (mesh.triangles.empty()) {
    source.fail("no triangles (" + std::to_string(mesh.vertices.size()) + " vertices, " +
                std::to_string(report.short_polygons_ignored) + " faces with fewer than three corners): is it a " +
                std::string(to_string(report.format)) + " file with a surface in it?");
  }
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const std::size_t end = g + 1 < report.groups.size() ? report.groups[g + 1].first_triangle : mesh.triangles.size();
    report.groups[g].triangle_count = end - report.groups[g].first_triangle;
  }
  std::erase_if(report.groups, [](const TriangleGroup& group) { return group.triangle_count == 0; });
  return mesh;
}

}  // namespace whisker::io
