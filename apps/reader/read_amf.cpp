#include "reader/read_amf.hpp"

#include <cmath>
#include <map>
#include <numbers>
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

struct Instance {
  std::string object;
  std::array<double, 3> shift{};
  std::array<double, 3> degrees{};
};

// An object or a constellation. Both share one set of ids.
struct Item {
  std::string name;
  std::shared_ptr<MeshData> mesh;
  std::vector<Instance> instances;
};

// Rotation about x, then y, then z, then translation.
Transform transform_of(const Instance& instance) {
  Transform result = identity;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double angle = instance.degrees[axis] * std::numbers::pi / 180;
    // Makes quarter turns exact, because these are what files mostly contain.
    const bool is_quarter = std::fmod(instance.degrees[axis], 90) == 0;
    const double c = is_quarter ? std::round(std::cos(angle)) : std::cos(angle);
    const double s = is_quarter ? std::round(std::sin(angle)) : std::sin(angle);
    const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
    Transform turn = identity;
    turn[5 * i] = c;
    turn[5 * j] = c;
    turn[4 * i + j] = -s;
    turn[4 * j + i] = s;
    result = compose(turn, result);
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    result[4 * axis + 3] = instance.shift[axis];
  return result;
}

class Amf {
 public:
  ReadScene read(std::string_view text);

 private:
  void place(const std::string& id, const Transform& transform, std::vector<std::string>& path);

  ReadScene scene_;
  std::map<std::string, Item> items_;
  std::vector<std::string> order_;
  std::size_t placed_ = 0;
};

double number_in(const XmlTag& tag) {
  const std::optional<double> value = number_of<double>(tag.text);
  if (!value)
    throw Error("<" + std::string(tag.name) + "> must contain a number, not '" + io::plain_text(tag.text) + "'");
  return *value;
}

void Amf::place(const std::string& id, const Transform& transform, std::vector<std::string>& path) {
  constexpr std::size_t deepest = 64;
  constexpr std::size_t max_parts = 1'000'000;
  // A few lines can request an unlimited number of empty objects.
  if (++placed_ > 4 * max_parts) throw Error("constellations create too many parts: split the file");
  if (path.size() > deepest) throw Error("constellations are nested more than 64 deep: do they form a cycle?");
  const auto found = items_.find(id);
  if (found == items_.end()) throw Error("object " + id + " is placed but does not exist");
  const Item& item = found->second;
  const std::string name = item.name.empty() ? "object " + id : item.name;
  if (item.mesh && !item.mesh->triangles.empty()) {
    if (scene_.parts.size() == max_parts) throw Error("more than 1000000 parts: split the file");
    scene_.parts.push_back({{name, "object " + id, "", path}, transform, item.mesh});
  }
  path.push_back(item.name.empty() ? "constellation " + id : name);
  for (const Instance& instance : item.instances)
    place(instance.object, compose(transform, transform_of(instance)), path);
  path.pop_back();
}

ReadScene Amf::read(std::string_view text) {
  scene_.up = UpAxis::z;
  XmlTags tags(text);
  Item* item = nullptr;
  bool is_amf = false;
  bool is_in_mesh = false;  // metadata of volumes is not the object's
  std::size_t curved = 0;
  while (const std::optional<XmlTag> tag = tags.next()) {
    if (tag->is_end && (tag->name == "object" || tag->name == "constellation")) item = nullptr;
    if (tag->name == "mesh") is_in_mesh = tag->is_start && !tag->is_end;
    if (!tag->is_start) continue;
    const std::string_view name = tag->name;
    if (name == "amf") {
      is_amf = true;
      static const std::map<std::string, double, std::less<>> units{
          {"millimeter", 1e-3}, {"millimeters", 1e-3}, {"inch", 0.0254}, {"feet", 0.3048},
          {"foot", 0.3048},     {"meter", 1},          {"micron", 1e-6}};
      const std::optional<std::string> unit = tag->attribute("unit");
      const auto known = units.find(unit.value_or("millimeter"));
      if (known == units.end()) throw Error("the unit '" + *unit + "' is not a unit of AMF: repair the file");
      scene_.unit = {known->second, known->first, unit ? UnitOrigin::file : UnitOrigin::format};
    } else if (name == "object" || name == "constellation") {
      const std::string id = tag->attribute("id").value_or("");
      const auto [entry, is_new] = items_.try_emplace(id);
      if (!is_new) throw Error("id " + id + " occurs twice: repair the file");
      order_.push_back(id);
      if (!tag->is_end) item = &entry->second;
    } else if (item == nullptr) {
      continue;
    } else if (name == "metadata" && !is_in_mesh) {
      if (tag->attribute("type") == "name") item->name = io::plain_text(tag->text);
    } else if (name == "mesh") {
      item->mesh = std::make_shared<MeshData>();
    } else if (name == "instance") {
      item->instances.push_back({tag->attribute("objectid").value_or(""), {}, {}});
    } else if (!item->instances.empty() && name.size() == 6 && name.starts_with("delta") && name[5] >= 'x' &&
               name[5] <= 'z') {
      item->instances.back().shift[static_cast<std::size_t>(name[5] - 'x')] = number_in(*tag);
    } else if (!item->instances.empty() && name.size() == 2 && name[0] == 'r' && name[1] >= 'x' && name[1] <= 'z') {
      item->instances.back().degrees[static_cast<std::size_t>(name[1] - 'x')] = number_in(*tag);
    } else if (item->mesh && name == "coordinates") {
      item->mesh->vertices.push_back(Vector3::Zero());
    } else if (item->mesh && name.size() == 1 && name[0] >= 'x' && name[0] <= 'z' && !item->mesh->vertices.empty()) {
      item->mesh->vertices.back()[name[0] - 'x'] = number_in(*tag);
    } else if (item->mesh && (name == "normal" || name == "edge")) {
      ++curved;
    } else if (item->mesh && name == "triangle") {
      item->mesh->triangles.push_back({0, 0, 0});
    } else if (item->mesh && name.size() == 2 && name[0] == 'v' && name[1] >= '1' && name[1] <= '3' &&
               !item->mesh->triangles.empty()) {
      const std::optional<std::uint32_t> vertex = number_of<std::uint32_t>(tag->text);
      if (!vertex || *vertex >= item->mesh->vertices.size()) {
        throw Error("a triangle refers to vertex '" + io::plain_text(tag->text) + "', but there are " +
                    std::to_string(item->mesh->vertices.size()) + " vertices");
      }
      item->mesh->triangles.back()[static_cast<std::size_t>(name[1] - '1')] = *vertex;
    }
  }
  if (!is_amf) throw Error("it is not an AMF file: it has no <amf>");
  if (curved > 0) scene_.notes.push_back("curved triangles are treated as flat");
  // An object that a constellation places appears only there.
  std::set<std::string> placed;
  for (const auto& [id, each] : items_)
    for (const Instance& instance : each.instances)
      placed.insert(instance.object);
  std::vector<std::string> path;
  for (const std::string& id : order_)
    if (!placed.contains(id)) place(id, identity, path);
  if (scene_.parts.empty() && !placed.empty()) throw Error("constellations form a cycle: no object is placed");
  return std::move(scene_);
}

}  // namespace

ReadScene read_amf(std::string_view file) {
  if (!ZipFile::is_zip(file)) return Amf().read(file);
  const ZipFile zip(file);
  for (const auto& [key, name] : zip.names())
    if (key.ends_with(".amf")) return Amf().read(zip.read(name));
  throw Error("the zip archive contains no .amf file");
}

}  // namespace whisker::reader
