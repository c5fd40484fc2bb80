#include "reader/read_3mf.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <whisker/error.hpp>

#include "io/xml_tags.hpp"
#include "reader/number_text.hpp"
#include "reader/zip_file.hpp"

namespace whisker::reader {
namespace {

using io::XmlTag;
using io::XmlTags;

// An object is identified by its model's file and its number there.
using Key = std::pair<std::string, std::string>;

struct Component {
  Key object;
  Transform transform = identity;
};

struct Object {
  std::string name;
  std::shared_ptr<MeshData> mesh;
  std::vector<Component> components;
};

// "m00 m01 m02 m10 … m32", for row vectors that are multiplied from the left (section 3.3).
Transform transform_of(const XmlTag& tag) {
  const std::optional<std::string> text = tag.attribute("transform");
  if (!text) return identity;
  std::string_view left = *text;
  Transform result{};
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const std::optional<double> number = take_number<double>(left);
      if (!number) throw Error("a transform must be 12 numbers, not '" + *text + "'");
      result[4 * column + row] = *number;
    }
  }
  return result;
}

class Package {
 public:
  explicit Package(std::string_view file) : zip_(file) {}

  ReadScene read();

 private:
  // The first model of the package, as named by its relationships.
  std::string first_model() const;
  // Reads a model's objects. For the first model, also reads what it builds and its unit.
  void read_model(const std::string& path, bool is_first);
  std::uint32_t vertex_of(const XmlTag& tag, const char* corner, const MeshData& mesh) const;
  void place(const Key& key, const Transform& transform, std::vector<std::string>& path);

  ZipFile zip_;
  std::string first_;  // the package's first model
  ReadScene scene_;
  std::map<Key, Object> objects_;
  std::vector<Component> build_;
  std::vector<std::string> models_to_read_;
  std::size_t without_mesh_ = 0;
  std::size_t placed_ = 0;
};

std::string Package::first_model() const {
  constexpr const char* usual = "3D/3dmodel.model";
  if (!zip_.holds("_rels/.rels")) return usual;
  const std::string text = zip_.read("_rels/.rels");
  XmlTags tags(text);
  while (const std::optional<XmlTag> tag = tags.next()) {
    if (tag->name != "Relationship" || !tag->is_start) continue;
    const std::optional<std::string> type = tag->attribute("Type"), target = tag->attribute("Target");
    if (type && target && type->ends_with("/3dmodel") && zip_.holds(*target)) return *target;
  }
  return usual;
}

std::uint32_t Package::vertex_of(const XmlTag& tag, const char* corner, const MeshData& mesh) const {
  const std::optional<std::string> text = tag.attribute(corner);
  const std::optional<std::uint32_t> number = text ? number_of<std::uint32_t>(*text) : std::nullopt;
  if (!number || *number >= mesh.vertices.size()) {
    throw Error("a triangle refers to vertex '" + text.value_or("") + "', but there are " +
                std::to_string(mesh.vertices.size()) + " vertices");
  }
  return *number;
}

void Package::read_model(const std::string& path, bool is_first) {
  const std::string text = zip_.read(path);
  XmlTags tags(text);
  Object* object = nullptr;
  bool is_model = false;
  const auto key_of = [&](const XmlTag& tag) {
    // A path of the Production Extension refers to another model.
    const std::string model = tag.attribute("path").value_or(path);
    if (model != path) models_to_read_.push_back(model);
    return Key{model, tag.attribute("objectid").value_or("")};
  };
  while (const std::optional<XmlTag> tag = tags.next()) {
    if (tag->name == "object" && tag->is_end) object = nullptr;
    if (!tag->is_start) continue;
    if (tag->name == "model") {
      is_model = true;
      if (!is_first) continue;
      // Section 3.4: the possible units. The default is millimeters.
      static const std::map<std::string, double, std::less<>> units{{"micron", 1e-6},     {"millimeter", 1e-3},
                                                                    {"centimeter", 1e-2}, {"inch", 0.0254},
                                                                    {"foot", 0.3048},     {"meter", 1}};
      const std::optional<std::string> unit = tag->attribute("unit");
      const auto known = units.find(unit.value_or("millimeter"));
      if (known == units.end()) throw Error("the unit '" + *unit + "' is not a unit of 3MF: repair the file");
      scene_.unit = {known->second, known->first, unit ? UnitOrigin::file : UnitOrigin::format};
    } else if (tag->name == "object") {
      object = &objects_[{path, tag->attribute("id").value_or("")}];
      *object = {};
      object->name = tag->attribute("name").value_or("");
      if (object->name.empty()) object->name = tag->attribute("partnumber").value_or("");
      if (tag->is_end) object = nullptr;
    } else if (tag->name == "mesh" && object != nullptr) {
      object->mesh = std::make_shared<MeshData>();
    } else if (tag->name == "vertex" && object != nullptr && object->mesh) {
      Vector3 vertex;
      for (const auto& [axis, name] : {std::pair{0, "x"}, std::pair{1, "y"}, std::pair{2, "z"}}) {
        const std::optional<std::string> number = tag->attribute(name);
        const std::optional<double> value = number ? number_of<double>(*number) : std::nullopt;
        if (!value) throw Error(std::string("a vertex has no valid number ") + name);
        vertex[axis] = *value;
      }
      object->mesh->vertices.push_back(vertex);
    } else if (tag->name == "triangle" && object != nullptr && object->mesh) {
      MeshData& mesh = *object->mesh;
      mesh.triangles.push_back({vertex_of(*tag, "v1", mesh), vertex_of(*tag, "v2", mesh), vertex_of(*tag, "v3", mesh)});
    } else if (tag->name == "component" && object != nullptr) {
      object->components.push_back({key_of(*tag), transform_of(*tag)});
    } else if (tag->name == "item" && is_first) {
      build_.push_back({key_of(*tag), transform_of(*tag)});
    }
  }
  if (!is_model) throw Error("'" + path + "' in the archive is not a model: it has no <model>");
}

void Package::place(const Key& key, const Transform& transform, std::vector<std::string>& path) {
  constexpr std::size_t deepest = 64;
  constexpr std::size_t max_parts = 1'000'000;
  // A few lines can request an unlimited number of empty objects.
  if (++placed_ > 4 * max_parts) throw Error("components create too many parts: split the file");
  if (path.size() > deepest) throw Error("components are nested more than 64 deep: do they form a cycle?");
  const auto found = objects_.find(key);
  if (found == objects_.end()) throw Error("object " + key.second + " is built but does not exist");
  const Object& object = found->second;
  const std::string name = object.name.empty() ? "object " + key.second : object.name;
  if (object.mesh && !object.mesh->triangles.empty()) {
    if (scene_.parts.size() == max_parts) throw Error("more than 1000000 parts: split the file");
    // Numbers are unique within one model only. The first model needs no name.
    const std::string model = key.first == first_ ? "" : " of " + key.first;
    scene_.parts.push_back({{name, "object " + key.second + model, "", path}, transform, object.mesh});
  } else if (object.components.empty()) {
    ++without_mesh_;
  }
  path.push_back(name);
  for (const Component& component : object.components)
    place(component.object, compose(transform, component.transform), path);
  path.pop_back();
}

ReadScene Package::read() {
  scene_.up = UpAxis::z;
  first_ = first_model();
  read_model(first_, true);
  std::set<std::string> read{first_};
  while (!models_to_read_.empty()) {
    const std::string path = models_to_read_.back();
    models_to_read_.pop_back();
    if (read.insert(path).second) read_model(path, false);
  }
  if (build_.empty()) {
    // The file builds nothing, so all objects that are not components of another one are placed.
    std::set<Key> components;
    for (const auto& [key, object] : objects_)
      for (const Component& component : object.components)
        components.insert(component.object);
    for (const auto& [key, object] : objects_)
      if (!components.contains(key)) build_.push_back({key, identity});
    if (!build_.empty())
      scene_.notes.push_back("the file has no build items: all of its objects are used, without transforms");
  }
  std::vector<std::string> path;
  for (const Component& item : build_)
    place(item.object, item.transform, path);
  if (without_mesh_ > 0) {
    scene_.notes.push_back("left out: objects without triangles (" + std::to_string(without_mesh_) + ")");
  }
  return std::move(scene_);
}

}  // namespace

ReadScene read_3mf(std::string_view file) {
  return Package(file).read();
}

}  // namespace whisker::reader
