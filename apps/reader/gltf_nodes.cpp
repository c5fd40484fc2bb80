#include "reader/gltf_nodes.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace whisker::reader {
namespace {

using nlohmann::json;

// The field if it is a list, otherwise an empty list.
json list_of(json& object, const char* field) {
  const auto found = object.is_object() ? object.find(field) : object.end();
  return object.is_object() && found != object.end() && found->is_array() ? std::move(*found) : json::array();
}

std::optional<std::size_t> number_in(const json& object, const char* field, std::size_t count) {
  if (!object.is_object()) return {};
  const auto found = object.find(field);
  if (found == object.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() >= count) return {};
  return found->get<std::size_t>();
}

std::string name_in(const json& object) {
  const auto name = object.is_object() ? object.find("name") : object.end();
  return object.is_object() && name != object.end() && name->is_string() ? name->get<std::string>() : "";
}

}  // namespace

GltfNodes::GltfNodes(std::string_view file) {
  // A header of 12 bytes, then the length and the type of the first chunk (glTF 2.0, section 4.4).
  if (file.size() >= 20 && file.starts_with("glTF")) {
    std::uint32_t length = 0;
    std::memcpy(&length, file.data() + 12, sizeof length);
    file = file.substr(20, length);
  }
  // Keeps only the fields that are needed, because embedded data can make a file large.
  const auto is_kept = [](int depth, json::parse_event_t event, json& value) {
    if (depth != 1 || event != json::parse_event_t::key) return true;
    return value == "nodes" || value == "meshes" || value == "scenes" || value == "scene";
  };
  json content = json::parse(file, is_kept, false);
  if (!content.is_object()) return;
  nodes_ = list_of(content, "nodes");
  meshes_ = list_of(content, "meshes");
  json scenes = list_of(content, "scenes");
  const std::size_t scene = number_in(content, "scene", scenes.size()).value_or(0);
  if (scene < scenes.size()) roots_ = list_of(scenes[scene], "nodes");
}

std::optional<std::size_t> GltfNodes::root() const {
  if (roots_.empty()) return {};
  if (roots_.size() > 1) return above_roots;
  return roots_[0].is_number_unsigned() && roots_[0].get<std::uint64_t>() < nodes_.size()
             ? std::optional(roots_[0].get<std::size_t>())
             : std::nullopt;
}

std::optional<std::size_t> GltfNodes::child(std::optional<std::size_t> parent, std::size_t which,
                                            std::size_t count) const {
  if (!parent) return {};
  const json* list = &roots_;
  if (*parent != above_roots) {
    const json& node = nodes_[*parent];
    const auto found = node.is_object() ? node.find("children") : node.end();
    if (!node.is_object() || found == node.end() || !found->is_array()) return {};
    list = &*found;
  }
  if (list->size() != count || which >= count || !(*list)[which].is_number_unsigned()) return {};
  const auto number = (*list)[which].get<std::uint64_t>();
  if (number >= nodes_.size()) return {};
  return static_cast<std::size_t>(number);
}

std::string GltfNodes::name(std::size_t node) const {
  const std::string own = name_in(nodes_[node]);
  if (!own.empty()) return own;
  const std::optional<std::size_t> mesh = number_in(nodes_[node], "mesh", meshes_.size());
  return mesh ? name_in(meshes_[*mesh]) : "";
}

}  // namespace whisker::reader
