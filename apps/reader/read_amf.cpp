#include <cmath>
#include <numbers>
#include <optional>

#include <whisker/error.hpp>

#include "reader/number_text.hpp"
#include "reader/object_scene.hpp"
#include "reader/zip_file.hpp"

namespace whisker::reader {
namespace {

using io::XmlTag;
using io::XmlTags;

struct Instance {
  std::array<double, 3> shift{};
  std::array<double, 3> degrees{};
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

double number_in(const XmlTag& tag) {
  const std::optional<double> value = number_of<double>(tag.text);
  if (!value)
    throw Error("<" + std::string(tag.name) + "> must contain a number, not '" + io::plain_text(tag.text) + "'");
  return *value;
}

// The number of the axis, 0 to 2, if the name is the prefix and one letter, counted from `first`.
std::optional<std::size_t> axis_in(std::string_view name, std::string_view prefix, char first) {
  if (name.size() != prefix.size() + 1 || !name.starts_with(prefix)) return {};
  const int number = name.back() - first;
  if (number < 0 || number > 2) return {};
  return static_cast<std::size_t>(number);
}

ReadScene read_xml(std::string_view text) {
  ObjectScene all({"AMF", "constellations", "is placed", "constellation "});
  std::vector<ObjectKey> order;
  Instance instance;  // the latest
  XmlTags tags(text);
  Object* item = nullptr;  // an object or a constellation: both share one set of ids
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
      static const std::map<std::string, double> units{{"millimeter", 1e-3}, {"millimeters", 1e-3}, {"inch", 0.0254},
                                                       {"feet", 0.3048},     {"foot", 0.3048},      {"meter", 1},
                                                       {"micron", 1e-6}};
      all.set_unit(*tag, units);
    } else if (name == "object" || name == "constellation") {
      const ObjectKey key{"", tag->attribute("id").value_or("")};
      const auto [entry, is_new] = all.objects.try_emplace(key);
      if (!is_new) throw Error("id " + key.second + " occurs twice: repair the file");
      order.push_back(key);
      if (!tag->is_end) item = &entry->second;
    } else if (item == nullptr) {
      continue;
    } else if (name == "metadata" && !is_in_mesh) {
      if (tag->attribute("type") == "name") item->name = io::plain_text(tag->text);
    } else if (name == "mesh") {
      item->mesh = std::make_shared<MeshData>();
    } else if (name == "instance") {
      instance = {};
      item->components.push_back({{"", tag->attribute("objectid").value_or("")}});
    } else if (const auto shifted = axis_in(name, "delta", 'x'); shifted && !item->components.empty()) {
      instance.shift[*shifted] = number_in(*tag);
      item->components.back().transform = transform_of(instance);
    } else if (const auto turned = axis_in(name, "r", 'x'); turned && !item->components.empty()) {
      instance.degrees[*turned] = number_in(*tag);
      item->components.back().transform = transform_of(instance);
    } else if (!item->mesh) {
      continue;
    } else if (name == "coordinates") {
      item->mesh->vertices.push_back(Vector3::Zero());
    } else if (const auto axis = axis_in(name, "", 'x'); axis && !item->mesh->vertices.empty()) {
      item->mesh->vertices.back()[static_cast<int>(*axis)] = number_in(*tag);
    } else if (name == "normal" || name == "edge") {
      ++curved;
    } else if (name == "triangle") {
      item->mesh->triangles.push_back({0, 0, 0});
    } else if (const auto corner = axis_in(name, "v", '1'); corner && !item->mesh->triangles.empty()) {
      item->mesh->triangles.back()[*corner] = vertex_number(tag->text, *item->mesh);
    }
  }
  if (!is_amf) throw Error("it is not an AMF file: it has no <amf>");
  if (curved > 0) all.scene.notes.push_back("curved triangles are treated as flat");
  // An object that a constellation places appears only there.
  const std::set<ObjectKey> placed = all.components();
  for (const ObjectKey& key : order)
    if (!placed.contains(key)) all.place({key});
  if (all.scene.parts.empty() && !placed.empty()) throw Error("constellations form a cycle: no object is placed");
  return std::move(all.scene);
}

}  // namespace

ReadScene read_amf(std::string_view file) {
  if (!ZipFile::is_zip(file)) return read_xml(file);
  const ZipFile zip(file);
  for (const auto& [name, entry] : zip.entries())
    if (name.ends_with(".amf")) return read_xml(zip.read(name));
  throw Error("the zip archive contains no .amf file");
}

}  // namespace whisker::reader
