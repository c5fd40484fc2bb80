// load_mesh(): reads a file and builds a Mesh from it.

#include <whisker/error.hpp>
#include <whisker/io.hpp>

namespace whisker {

Mesh load_mesh(const std::filesystem::path& path) {
  MeshData data = read_mesh(path);
  try {
    return Mesh(std::move(data));
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

}  // namespace whisker
