#include <optional>

#include <whisker/error.hpp>

#include "reader/number_text.hpp"
#include "reader/object_scene.hpp"
#include "reader/zip_file.hpp"

namespace whisker::reader {
namespace {

using io::XmlTag;
using io::XmlTags;

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

// The first model of the package, as named by its relationships.
std::string first_model_in(const ZipFile& zip) {
  constexpr const char* usual = "3D/3dmodel.model";
  if (!zip.holds("_rels/.rels")) return usual;
  const std::string text = zip.read("_rels/.rels");
  XmlTags tags(text);
  while (const std::optional<XmlTag> tag = tags.next()) {
    if (tag->name != "Relationship" || !tag->is_start) continue;
    const std::optional<std::string> type = tag->attribute("Type"), target = tag->attribute("Target");
    if (type && target && type->ends_with("/3dmodel") && zip.holds(*target)) return *target;
  }
  return usual;
}

class Package : public ObjectScene {
 public:
  explicit Package(std::string_view file) : ObjectScene({"3MF", "components", "is built", "object "}), zip_(file) {}

  ReadScene read();

 private:
  // Reads a model's objects. For the first model, also reads what it builds and its unit.
  void read_model(const std::string& path);

  ZipFile zip_;
  std::vector<Component> build_;
  std::vector<std::string> models_to_read_;
};

void Package::read_model(const std::string& path) {
  const bool is_first = path == first_model;
  const std::string text = zip_.read(path);
  XmlTags tags(text);
  Object* object = nullptr;
  bool is_model = false;
  const auto key_of = [&](const XmlTag& tag) {
    // A path of the Production Extension refers to another model.
    const std::string model = tag.attribute("path").value_or(path);
    if (model != path) models_to_read_.push_back(model);
    return ObjectKey{model, tag.attribute("objectid").value_or("")};
  };
  while (const std::optional<XmlTag> tag = tags.next()) {
    if (tag->name == "object" && tag->is_end) object = nullptr;
    if (!tag->is_start) continue;
    if (tag->name == "model") {
      is_model = true;
      if (!is_first) continue;
      // Section 3.4.
      static const std::map<std::string, double> units{{"micron", 1e-6}, {"millimeter", 1e-3}, {"centimeter", 1e-2},
                                                       {"inch", 0.0254}, {"foot", 0.3048},     {"meter", 1}};
      set_unit(*tag, units);
    } else if (tag->name == "object") {
      object = &objects[{path, tag->attribute("id").value_or("")}];
      *object = {};
      object->name = tag->attribute("name").value_or("");
      if (object->name.empty()) object->name = tag->attribute("partnumber").value_or("");
      if (tag->is_end) object = nullptr;
    } else if (tag->name == "mesh" && object != nullptr) {
      object->mesh = std::make_shared<MeshData>();
    } else if (tag->name == "vertex" && object != nullptr && object->mesh) {
      Vector3 vertex;
      for (const auto& [axis, name] : {std::pair{0, "x"}, std::pair{1, "y"}, std::pair{2, "z"}}) {
        const std::optional<double> value = number_of<double>(tag->attribute(name).value_or(""));
        if (!value) throw Error(std::string("a vertex has no valid number ") + name);
        vertex[axis] = *value;
      }
      object->mesh->vertices.push_back(vertex);
    } else if (tag->name == "triangle" && object != nullptr && object->mesh) {
      MeshData& mesh = *object->mesh;
      const auto corner = [&](const char* name) { return vertex_number(tag->attribute(name).value_or(""), mesh); };
      mesh.triangles.push_back({corner("v1"), corner("v2"), corner("v3")});
    } else if (tag->name == "component" && object != nullptr) {
      object->components.push_back({key_of(*tag), transform_of(*tag)});
    } else if (tag->name == "item" && is_first) {
      build_.push_back({key_of(*tag), transform_of(*tag)});
    }
  }
  if (!is_model) throw Error("'" + path + "' in the archive is not a model: it has no <model>");
}

ReadScene Package::read() {
  first_model = first_model_in(zip_);
  models_to_read_ = {first_model};
  std::set<std::string> read;
  while (!models_to_read_.empty()) {
    const std::string path = models_to_read_.back();
    models_to_read_.pop_back();
    if (read.insert(path).second) read_model(path);
  }
  if (build_.empty()) {
    // The file builds nothing, so all objects that are not components of another one are placed.
    const std::set<ObjectKey> inner = components();
    for (const auto& [key, object] : objects)
      if (!inner.contains(key)) build_.push_back({key});
    if (!build_.empty())
      scene.notes.push_back("the file has no build items: all of its objects are used, without transforms");
  }
  for (const Component& item : build_)
    place(item);
  if (without_mesh > 0)
    scene.notes.push_back("left out: objects without triangles (" + std::to_string(without_mesh) + ")");
  return std::move(scene);
}

}  // namespace

ReadScene read_3mf(std::string_view file) {
  return Package(file).read();
}

}  // namespace whisker::reader
