// Determines the format of a mesh file, reads it, and builds a Mesh from it.

#include <array>
#include <new>
#include <optional>
#include <string>

#include <whisker/error.hpp>
#include <whisker/io.hpp>

#include "io/faces.hpp"
#include "io/line_scanner.hpp"
#include "io/source.hpp"

namespace whisker {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view without_byte_order_mark(std::string_view content) {
  return content.starts_with(byte_order_mark) ? content.substr(byte_order_mark.size()) : content;
}

struct FormatTraits {
  std::string_view name;
  std::string_view extension;
  MeshData (*read)(const io::Source& source, ReadReport& report);
};
/// In the order of MeshFormat.
constexpr std::array<FormatTraits, 4> formats{{{"STL", ".stl", io::read_stl},
                                               {"OBJ", ".obj", io::read_obj},
                                               {"PLY", ".ply", io::read_ply},
                                               {"OFF", ".off", io::read_off}}};

/// The format, if the content alone determines it.
std::optional<MeshFormat> format_of_content(const io::Source& source) {
  if (io::is_binary_stl(source.text)) return MeshFormat::stl;
  io::LineScanner scanner(source, 0, {.hash_comments = true});
  if (!scanner.next_line()) return {};
  const std::string_view word = scanner.word();
  if (word == "ply") return MeshFormat::ply;
  if (word.size() <= 8 && word.ends_with("OFF")) return MeshFormat::off;
  if (word.size() == 5 && (word == "solid" || word == "SOLID" || word == "Solid")) return MeshFormat::stl;
  return {};
}

MeshData read(const io::Source& source, MeshFormat format, ReadReport* report) {
  if (source.text.empty()) source.fail("the file is empty: get it again");
  ReadReport local;
  MeshData mesh;
  try {
    mesh = formats.at(static_cast<std::size_t>(format)).read(source, local);
  } catch (const std::bad_alloc&) {
    source.fail("not enough memory to read the file: split it");
  }
  if (report != nullptr) *report = std::move(local);
  return mesh;
}

}  // namespace

MeshData read_mesh(const std::filesystem::path& path, ReadReport* report) {
  const io::FileBytes bytes = io::read_file(path);
  const io::Source source{without_byte_order_mark(bytes.view()), path.string()};
  if (source.text.empty()) source.fail("the file is empty: get it again");
  std::optional<MeshFormat> format = format_of_content(source);
  if (!format) format = format_of_extension(path);
  if (!format) {
    source.fail(
        "the format cannot be determined from the content or the extension: whisker reads .stl, .obj, .ply and .off");
  }
  return read(source, *format, report);
}

MeshData read_mesh(std::span<const std::byte> bytes, MeshFormat format, std::string_view name, ReadReport* report) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return read(io::Source{without_byte_order_mark(content), std::string(name)}, format, report);
}

Mesh load_mesh(const std::filesystem::path& path) {
  MeshData data = read_mesh(path);
  try {
    return Mesh(std::move(data));
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

std::string_view to_string(MeshFormat format) {
  const auto number = static_cast<std::size_t>(format);
  return number < formats.size() ? formats[number].name : "unknown";
}

std::optional<MeshFormat> format_of_extension(const std::filesystem::path& path) {
  const std::string extension = io::extension_of(path);
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (extension == formats[i].extension) return static_cast<MeshFormat>(i);
  return {};
}

}  // namespace whisker
