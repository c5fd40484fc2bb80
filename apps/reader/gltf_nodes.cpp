#include "reader/gltf_nodes.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace whisker::reader {
namespace {

using nlohmann::json;

// The field if it is a list, otherwise an empty list.
json list_of(json& object, const char* field) {
  const bool is_list = object.is_object() && object.contains(field) && object[field].is_array();
  return is_list ? std::move(object[field]) : json::array();
}

// The field, or null if there is none.
const json& field_of(const json& object, const char* field) {
  static const json none;
  return object.is_object() && object.contains(field) ? object[field] : none;
}

// The value if it is a number below `count`.
std::optional<std::size_t> number_below(std::size_t count, const json& value) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= count) return {};
  return value.get<std::size_t>();
}

std::string name_in(const json& object) {
  const json& name = field_of(object, "name");
  return name.is_string() ? name.get<std::string>() : "";
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
  const std::size_t scene = number_below(scenes.size(), field_of(content, "scene")).value_or(0);
  if (scene < scenes.size()) roots_ = list_of(scenes[scene], "nodes");
}

std::optional<std::size_t> GltfNodes::root() const {
  if (roots_.empty()) return {};
  if (roots_.size() > 1) return above_roots;
  return number_below(nodes_.size(), roots_[0]);
}

std::optional<std::size_t> GltfNodes::child(std::optional<std::size_t> parent, std::size_t which,
                                            std::size_t count) const {
  if (!parent) return {};
  const json& list = *parent == above_roots ? roots_ : field_of(nodes_[*parent], "children");
  if (!list.is_array() || list.size() != count || which >= count) return {};
  return number_below(nodes_.size(), list[which]);
}

std::string GltfNodes::name(std::size_t node) const {
  const std::string own = name_in(nodes_[node]);
  if (!own.empty()) return own;
  const std::optional<std::size_t> mesh = number_below(meshes_.size(), field_of(nodes_[node], "mesh"));
  return mesh ? name_in(meshes_[*mesh]) : "";
}

}  // namespace whisker::reader
