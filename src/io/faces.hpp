#pragma once

// The faces of a file as they are read, and their conversion to triangles. Faces are kept until the whole file is read,
// because they may come before the vertices that they refer to.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <whisker/io.hpp>

#include "io/source.hpp"
#include "io/text_writer.hpp"

namespace whisker::io {

/// Vertex numbers have 32 bits, and the largest one is reserved.
constexpr std::uint64_t max_vertices = 0xFFFF'FFFEu;

struct FaceList {
  struct Face {
    std::size_t first_corner;  ///< Index in `corners`; the face ends where the next one begins.
    std::size_t offset;        ///< Position of the face in the file, for messages.
  };
  struct Group {
    std::string name;
    std::size_t first_face;
  };
  std::vector<std::uint32_t> corners;  ///< Vertex numbers from 0, not yet checked.
  std::vector<Face> faces;
  std::vector<Group> groups;
};

/// Checks all vertex numbers, cuts the faces into triangles and fills the report. `first_number` is the number that the
/// format gives its first vertex, for messages. Throws an Error if a number has no vertex, if there are more vertices
/// than can be numbered, or if there is no triangle.
MeshData make_mesh(const Source& source, std::vector<Vector3> vertices, const FaceList& faces, bool binary,
                   std::uint32_t first_number, ReadReport& report);

/// Merges vertices at equal positions, in the order of their first occurrence. Returns how many vertices are gone.
std::size_t merge_vertices(MeshData& mesh);

/// Adds `count` ignored elements of a kind to the report.
void ignore(ReadReport& report, std::string_view what, std::size_t count = 1);

MeshData read_stl(const Source& source, ReadReport& report);
MeshData read_obj(const Source& source, ReadReport& report);
MeshData read_ply(const Source& source, ReadReport& report);
MeshData read_off(const Source& source, ReadReport& report);

/// Whether the content is a binary STL: its length matches exactly the count at byte 80.
bool is_binary_stl(std::string_view content);

/// Appends a line for each vertex and then for each triangle, which begin with these texts. The first vertex has the
/// number `first_number`.
void append_lines(const MeshData& mesh, std::string_view vertex, std::string_view triangle, std::uint32_t first_number,
                  TextWriter& out);

std::string encode_stl(const MeshData& mesh, bool binary);
std::string encode_obj(const MeshData& mesh);
std::string encode_ply(const MeshData& mesh, bool binary);
std::string encode_off(const MeshData& mesh);

}  // namespace whisker::io
