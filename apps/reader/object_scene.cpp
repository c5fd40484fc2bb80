#include "reader/object_scene.hpp"

#include <optional>

#include <whisker/error.hpp>

#include "reader/number_text.hpp"

namespace whisker::reader {

void ObjectScene::set_unit(const io::XmlTag& tag, const std::map<std::string, double>& units) {
  const std::optional<std::string> unit = tag.attribute("unit");
  const auto known = units.find(unit.value_or("millimeter"));
  if (known == units.end())
    throw Error("the unit '" + *unit + "' is not a unit of " + words_.format + ": repair the file");
  scene.unit = {known->second, known->first, unit ? UnitOrigin::file : UnitOrigin::format};
}

std::set<ObjectKey> ObjectScene::components() const {
  std::set<ObjectKey> result;
  for (const auto& [key, object] : objects)
    for (const Component& component : object.components)
      result.insert(component.object);
  return result;
}

void ObjectScene::place(const Component& item) {
  constexpr std::size_t deepest = 64;
  constexpr std::size_t max_parts = 1'000'000;
  const std::string groups = words_.groups;
  // A few lines can request an unlimited number of empty objects.
  if (++placed_ > 4 * max_parts) throw Error(groups + " create too many parts: split the file");
  if (path_.size() > deepest) throw Error(groups + " are nested more than 64 deep: do they form a cycle?");
  const auto& [model, id] = item.object;
  const auto found = objects.find(item.object);
  if (found == objects.end()) throw Error("object " + id + " " + words_.is_placed + " but does not exist");
  const Object& object = found->second;
  if (object.mesh && !object.mesh->triangles.empty()) {
    if (scene.parts.size() == max_parts) throw Error("more than 1000000 parts: split the file");
    // Numbers are unique within one model only. The first model needs no name.
    const std::string number = "object " + id;
    scene.parts.push_back({{object.name.empty() ? number : object.name,
                            model == first_model ? number : number + " of " + model, "", path_},
                           item.transform,
                           object.mesh});
  } else if (object.components.empty()) {
    ++without_mesh;
  }
  path_.push_back(object.name.empty() ? words_.unnamed + id : object.name);
  for (const Component& component : object.components)
    place({component.object, compose(item.transform, component.transform)});
  path_.pop_back();
}

std::uint32_t vertex_number(std::string_view text, const MeshData& mesh) {
  const std::optional<std::uint32_t> number = number_of<std::uint32_t>(text);
  if (!number || *number >= mesh.vertices.size())
    throw Error("a triangle refers to vertex '" + io::plain_text(text) + "', but there are " +
                std::to_string(mesh.vertices.size()) + " vertices");
  return *number;
}

}  // namespace whisker::reader
