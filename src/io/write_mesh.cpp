// Validates a mesh and writes it to a file.

#include <string>

#include <whisker/error.hpp>
#include <whisker/io.hpp>

#include "io/faces.hpp"
#include "io/source.hpp"
#include "shapes/plain_mesh.hpp"

namespace whisker {

std::string encode_mesh(const MeshData& mesh, MeshFormat format, bool binary) {
  if (mesh.triangles.empty()) throw Error("a mesh without triangles: there is nothing to write");
  shapes::check_mesh(mesh);
  switch (format) {
    case MeshFormat::stl:
      return io::encode_stl(mesh, binary);
    case MeshFormat::ply:
      return io::encode_ply(mesh, binary);
    case MeshFormat::obj:
    case MeshFormat::off:
      break;
  }
  if (binary) {
    throw Error(std::string(to_string(format)) + " is written as text only: use STL or PLY for a binary file");
  }
  return format == MeshFormat::obj ? io::encode_obj(mesh) : io::encode_off(mesh);
}

void write_mesh(const std::filesystem::path& path, const MeshData& mesh, const WriteOptions& options) {
  const io::Source about{{}, path.string()};
  std::optional<MeshFormat> format = options.format;
  if (!format) format = format_of_extension(path);
  if (!format)
    about.fail("the extension is not a known format: use .stl, .obj, .ply or .off, or give WriteOptions::format");
  std::string bytes;
  try {
    bytes = encode_mesh(mesh, *format, options.binary);
  } catch (const Error& error) {
    about.fail(error.what());
  }
  io::write_file(path, bytes);
}

}  // namespace whisker
