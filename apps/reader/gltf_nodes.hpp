#pragma once

// The nodes of a glTF file by their numbers, which assimp's tree does not preserve.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace whisker::reader {

class GltfNodes {
 public:
  // Represents the root that assimp adds above the roots of a scene if there are several.
  static constexpr std::size_t above_roots = static_cast<std::size_t>(-2);

  GltfNodes() = default;
  // Reads a .gltf or .glb file. If it is invalid, no node is known.
  explicit GltfNodes(std::string_view file);

  // The number of the node that is the root of assimp's tree.
  std::optional<std::size_t> root() const;
  // The number of a node's child. Nothing if the node does not have `count` children.
  std::optional<std::size_t> child(std::optional<std::size_t> parent, std::size_t which, std::size_t count) const;
  // The node's name, or its mesh's name if it has none. Empty if that has none either.
  std::string name(std::size_t node) const;

 private:
  nlohmann::json nodes_ = nlohmann::json::array();
  nlohmann::json meshes_ = nlohmann::json::array();
  nlohmann::json roots_ = nlohmann::json::array();
};

}  // namespace whisker::reader
