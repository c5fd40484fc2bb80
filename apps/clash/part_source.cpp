#include "clash/part_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>

namespace whisker::clash {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// The formats that whisker reads itself, and those with surfaces that assimp reads.
constexpr std::array<std::string_view, 20> scene_extensions{".stl", ".obj", ".ply",   ".off", ".gltf", ".glb", ".dae",
                                                            ".3ds", ".fbx", ".blend", ".x3d", ".wrl",  ".dxf", ".lwo",
                                                            ".ac",  ".3mf", ".ifc",   ".x",   ".ase",  ".amf"};

// The JSON of a .gltf, or of the first chunk of a .glb. Nothing if it cannot be read; the reader then reports why.
std::optional<json> gltf_json(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() >= 20 && bytes.compare(0, 4, "glTF") == 0) {
    // A header of 12 bytes, then the length and the type of the first chunk (glTF 2.0, section 4.4).
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 12, sizeof length);
    bytes = bytes.substr(20, length);
  }
  json result = json::parse(bytes, nullptr, false);
  if (!result.is_object()) return {};
  return result;
}

std::string node_name(const json& nodes, std::size_t number) {
  const auto name = nodes[number].find("name");
  const std::string own =
      name != nodes[number].end() && name->is_string() ? " ('" + name->get<std::string>() + "')" : "";
  return "node " + std::to_string(number) + own;
}

// Whether a node's own transform flattens everything.
bool is_flat(const json& node) {
  if (const auto scale = node.find("scale"); scale != node.end() && scale->is_array()) {
    for (const json& factor : *scale)
      if (factor.is_number() && factor.get<double>() == 0) return true;
  }
  const auto matrix = node.find("matrix");
  if (matrix == node.end() || !matrix->is_array() || matrix->size() != 16) return false;
  Matrix3 linear;
  for (std::size_t i = 0; i < 16; ++i) {
    if (!(*matrix)[i].is_number()) return false;
    if (i % 4 < 3 && i / 4 < 3) linear(static_cast<int>(i % 4), static_cast<int>(i / 4)) = (*matrix)[i].get<double>();
  }
  return std::abs(linear.determinant()) <= 1e-18 * std::pow(linear.norm(), 3);
}

// Throws an Error if a node is its own descendant or has a scale of zero.
void check_gltf(const fs::path& path) {
  const std::optional<json> scene = gltf_json(path);
  if (!scene) return;
  const auto found = scene->find("nodes");
  if (found == scene->end() || !found->is_array()) return;
  const json& nodes = *found;
  std::vector<std::vector<std::size_t>> children(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_object()) continue;
    if (is_flat(nodes[i]))
      throw Error(path.string() + ": " + node_name(nodes, i) + " has scale zero: its parts would be flat; repair it");
    const auto list = nodes[i].find("children");
    if (list == nodes[i].end() || !list->is_array()) continue;
    for (const json& child : *list)
      if (child.is_number_unsigned() && child.get<std::uint64_t>() < nodes.size())
        children[i].push_back(child.get<std::size_t>());
  }
  // Depth first without recursion. A node is open while its descendants are visited.
  enum class State : std::uint8_t { fresh, open, closed };
  std::vector<State> states(nodes.size(), State::fresh);
  for (std::size_t root = 0; root < nodes.size(); ++root) {
    std::vector<std::pair<std::size_t, std::size_t>> stack;  // node, next child
    const auto enter = [&](std::size_t node) {
      states[node] = State::open;
      stack.emplace_back(node, 0);
    };
    if (states[root] == State::fresh) enter(root);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == children[node].size()) {
        states[node] = State::closed;
        stack.pop_back();
        continue;
      }
      const std::size_t child = children[node][next++];
      if (states[child] == State::open)
        throw Error(path.string() + ": " + node_name(nodes, child) +
                    " is its own descendant: the nodes form a cycle; repair the file");
      if (states[child] == State::fresh) enter(child);
    }
  }
}

bool has_area(const MeshData& mesh) {
  return std::ranges::any_of(mesh.triangles, [&](const Index3& t) {
    const Vector3& a = mesh.vertices[t[0]];
    return (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm() > 0;
  });
}

}  // namespace

bool is_scene_file(const fs::path& path) {
  const std::string extension = extension_of(path);
  return std::find(scene_extensions.begin(), scene_extensions.end(), extension) != scene_extensions.end();
}

bool holds_floats(const fs::path& path) {
  const std::string extension = extension_of(path);
  // A text STL need not, but most are written from floats.
  return extension != ".obj" && extension != ".ply" && extension != ".off";
}

Scene load_parts(const fs::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".gltf" || extension == ".glb") check_gltf(path);
  Scene scene = load_scene(path);
  for (const ScenePart& part : scene.parts)
    if (!has_area(part.mesh))
      throw Error(path.string() + ": part '" + part.name +
                  "' has no area: all of its triangles are points or lines; is its scale zero?");
  return scene;
}

}  // namespace whisker::clash
