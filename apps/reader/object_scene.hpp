#pragma once

// Scenes of objects that place one another, read without assimp, and what their readers share:
//
// 3MF: objects of meshes and components in a zip archive (3MF Core Specification 1.3, and the Production Extension's
// paths to models besides the first). assimp drops the unit, the names and other models.
//
// AMF: objects of volumes, and constellations of them (ISO/ASTM 52915), as XML or in a zip archive. assimp drops the
// unit and the names and mistakes degrees for radians.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/scene.hpp>

#include "io/xml_tags.hpp"
#include "reader/placed_part.hpp"

namespace whisker::reader {

struct PlacedPart {
  PartLabel label;
  Transform transform = identity;
  std::shared_ptr<const MeshData> mesh;
};

struct ReadScene {
  std::vector<PlacedPart> parts;
  SceneUnit unit;
  UpAxis up = UpAxis::z;
  std::vector<std::string> notes;
};

// Returns a part for each place where the build puts an object with a mesh, directly or as a component. Throws an Error
// if the file cannot be read.
ReadScene read_3mf(std::string_view file);

// Returns a part for each object, with all its volumes joined, wherever constellations place it. Throws an Error if the
// file cannot be read.
ReadScene read_amf(std::string_view file);

// An object is identified by its model's file, which is empty in AMF, and its id there.
using ObjectKey = std::pair<std::string, std::string>;

struct Component {
  ObjectKey object;
  Transform transform = identity;
};

struct Object {
  std::string name;
  std::shared_ptr<MeshData> mesh;
  std::vector<Component> components;
};

// How messages and paths speak of the objects of a format.
struct ObjectWords {
  const char* format;     // "3MF"
  const char* groups;     // "components"
  const char* is_placed;  // "is built"
  const char* unnamed;    // the name in paths of an object without a name, before its id: "object "
};

class ObjectScene {
 public:
  explicit ObjectScene(const ObjectWords& words) : words_(words) {}

  // Sets the scene's unit from the attribute `unit`. The default is millimeters. Throws an Error if it is not in the
  // table, which has the meters of each unit.
  void set_unit(const io::XmlTag& tag, const std::map<std::string, double>& units);
  // The objects that are components of another one.
  std::set<ObjectKey> components() const;
  // Adds a part for each mesh of the object and of its components.
  void place(const Component& item);

  ReadScene scene;
  std::map<ObjectKey, Object> objects;
  std::string first_model;
  std::size_t without_mesh = 0;  // placed objects that have neither triangles nor components

 private:
  ObjectWords words_;
  std::vector<std::string> path_;  // of the object that is being placed
  std::size_t placed_ = 0;
};

// The number of a triangle's vertex. Throws an Error if there is no such vertex.
std::uint32_t vertex_number(std::string_view text, const MeshData& mesh);

}  // namespace whisker::reader
