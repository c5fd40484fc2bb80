#include "reader/elements.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <Eigen/LU>
#include <assimp/ColladaMetaData.h>

#include <whisker/error.hpp>

#include "reader/gltf_nodes.hpp"
#include "reader/step_text.hpp"

namespace whisker::reader {
namespace {

Transform from_assimp(const aiMatrix4x4& m) {
  return {double{m.a1}, double{m.a2}, double{m.a3}, double{m.a4}, double{m.b1}, double{m.b2},
          double{m.b3}, double{m.b4}, double{m.c1}, double{m.c2}, double{m.c3}, double{m.c4}};
}

std::string text_of(const aiString& text) {
  return {text.data, text.length};
}

std::string metadata_of(const aiNode& node, const char* key) {
  aiString value;
  if (node.mMetaData == nullptr || !node.mMetaData->Get(key, value)) return {};
  return text_of(value);
}

// What a node means to a user.
struct NodeMeaning {
  std::string name;
  std::string id = {};
  std::string type = {};
  bool belongs_to_parent = false;  // its meshes belong to the parent
  bool is_nothing = false;         // exists only in assimp's tree: not part of any path
};

// assimp names an element "IfcWall_the name_GlobalId". Ids have 22 characters (ISO 16739, IfcGloballyUniqueId).
NodeMeaning meaning_in_ifc(const std::string& name, const std::unordered_map<std::string, IfcRoot>& roots) {
  constexpr std::size_t id_size = 22;
  if (name == "IfcMappedItem") return {.name = "", .belongs_to_parent = true};
  const std::size_t first = name.find('_');
  if (name.starts_with('$') || first == std::string::npos || name.size() < first + 1 + id_size) {
    return {.name = name, .is_nothing = true};
  }
  const std::size_t last = name.size() - id_size - 1;
  NodeMeaning result{.name = last > first ? name.substr(first + 1, last - first - 1) : ""};
  result.type = name.substr(0, first);
  result.id = name.substr(last + 1);
  const auto own = roots.find(result.id);
  if (own != roots.end()) {
    result.name = own->second.name;
  } else if (result.name == "Unnamed") {
    result.name.clear();
  }
  return result;
}

// What the file says about nodes that assimp's tree does not.
struct FileNames {
  GltfNodes gltf;
  std::unordered_map<std::string, IfcRoot> ifc;
};

NodeMeaning meaning_of(const aiNode& node, Format format, const FileNames& names, std::optional<std::size_t> number) {
  const std::string name = text_of(node.mName);
  if (format == Format::gltf && number && *number != GltfNodes::above_roots)
    return {.name = names.gltf.name(*number), .id = "node " + std::to_string(*number)};
  if (format == Format::ifc) return meaning_in_ifc(name, names.ifc);
  if (format == Format::collada) {
    const std::string id = metadata_of(node, AI_METADATA_COLLADA_ID);
    return {.name = name.starts_with("$ColladaAutoName$") ? id : name, .id = id};
  }
  // Offsets and pivots, which assimp turns into nodes.
  if (format == Format::fbx && name.find("_$AssimpFbx$") != std::string::npos) return {.name = "", .is_nothing = true};
  // assimp's own names for roots that it adds, such as "<ASERoot>".
  if (name.starts_with('<') && name.ends_with('>')) return {.name = ""};
  return {.name = name};
}

// Adds a note about elements that were not read, because clashes with them cannot be found.
void note_missing(const std::unordered_map<std::string, IfcRoot>& roots, const std::vector<Element>& elements,
                  std::vector<std::string>& notes) {
  std::unordered_set<std::string> read;
  for (const Element& element : elements)
    read.insert(element.label.id);
  std::map<std::string, std::size_t> missing;  // by type
  for (const auto& [id, root] : roots)
    if (root.is_shown && !read.contains(id)) ++missing[root.type];
  if (missing.empty()) return;
  std::string types;
  for (const auto& [type, number] : missing)
    types += (types.empty() ? "" : ", ") + std::to_string(number) + " " + type;
  notes.push_back("left out: elements with shapes that the reader does not support: " + types);
}

Matrix3 linear_of(const Transform& t) {
  return (Matrix3() << t[0], t[1], t[2], t[4], t[5], t[6], t[8], t[9], t[10]).finished();
}

Vector3 shift_of(const Transform& t) {
  return {t[3], t[7], t[11]};
}

}  // namespace

std::vector<Element> find_elements(const aiScene& scene, Format format, std::string_view file,
                                   std::vector<std::string>& notes) {
  FileNames names;
  try {
    if (format == Format::gltf) names.gltf = GltfNodes(file);
    if (format == Format::ifc) names.ifc = roots_of_ifc(file);
  } catch (const std::bad_alloc&) {
    names = {};  // a scene with assimp's names is better than none
  }
  const GltfNodes& gltf = names.gltf;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  // The names of ancestors, as a separate tree that holds only meaningful nodes.
  struct PathName {
    std::string name;
    std::size_t outer;
  };
  struct Visit {
    const aiNode* node;
    Transform outer;
    std::size_t path;                   // index of a PathName
    std::size_t element;                // of the node above
    std::optional<std::size_t> number;  // of a glTF node
  };
  std::vector<PathName> paths;
  std::vector<Element> elements;
  const auto path_of = [&](std::size_t at) {
    constexpr std::size_t longest = 32;  // a tree can be arbitrarily deep
    std::vector<std::string> path;
    for (; at != none && path.size() < longest; at = paths[at].outer)
      path.push_back(paths[at].name);
    std::reverse(path.begin(), path.end());
    return path;
  };
  // Without recursion, because trees can be deep.
  std::vector<Visit> waiting{{scene.mRootNode, identity, none, none, gltf.root()}};
  while (!waiting.empty()) {
    const Visit visit = waiting.back();
    waiting.pop_back();
    const aiNode& node = *visit.node;
    const NodeMeaning meaning = meaning_of(node, format, names, visit.number);
    const Transform transform = compose(visit.outer, from_assimp(node.mTransformation));
    std::size_t element = meaning.belongs_to_parent || meaning.is_nothing ? visit.element : none;
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      if (node.mMeshes[i] >= scene.mNumMeshes) continue;
      const aiMesh* const mesh = scene.mMeshes[node.mMeshes[i]];
      if (element == none) {
        element = elements.size();
        elements.emplace_back();
      }
      PartLabel& label = elements[element].label;
      if (elements[element].pieces.empty() && label.name.empty() && label.id.empty() && label.type.empty()) {
        label = {meaning.name, meaning.id, meaning.type, path_of(visit.path)};
        if (label.name.empty() && format != Format::gltf && format != Format::ifc) label.name = text_of(mesh->mName);
      }
      elements[element].pieces.push_back({mesh, transform});
    }
    // An element whose meshes all belong to its mapped items has none itself, but the items must find it.
    const bool may_own_items = format == Format::ifc && !meaning.belongs_to_parent && !meaning.is_nothing;
    if (element == none && may_own_items) {
      element = elements.size();
      elements.push_back({{meaning.name, meaning.id, meaning.type, path_of(visit.path)}, {}});
    }
    std::size_t path = visit.path;
    const bool is_root = visit.node == scene.mRootNode;
    const bool is_named = !meaning.is_nothing && !meaning.belongs_to_parent;
    // The root represents the file, unless the file has only one root of its own.
    if (is_named && (!is_root || format == Format::ifc || (visit.number && *visit.number != GltfNodes::above_roots))) {
      const std::string& name = !meaning.name.empty()   ? meaning.name
                                : !meaning.type.empty() ? meaning.type
                                                        : meaning.id;
      if (!name.empty()) {
        paths.push_back({name, visit.path});
        path = paths.size() - 1;
      }
    }
    for (unsigned i = node.mNumChildren; i > 0; --i) {
      const std::optional<std::size_t> number =
          format == Format::gltf ? gltf.child(visit.number, i - 1, node.mNumChildren) : std::nullopt;
      waiting.push_back({node.mChildren[i - 1], transform, path, element, number});
    }
  }
  std::erase_if(elements, [](const Element& element) { return element.pieces.empty(); });
  if (format == Format::ifc) note_missing(names.ifc, elements, notes);
  return elements;
}

MeshData joined(const Element& element, Transform& transform) {
  transform = element.pieces.front().transform;
  const Matrix3 frame = linear_of(transform);
  Eigen::FullPivLU<Matrix3> inverse(frame);
  const bool can_share = std::all_of(element.pieces.begin(), element.pieces.end(),
                                     [&](const Piece& piece) { return piece.transform == transform; });
  // If the frame has no inverse, only pieces with the same transform can use it. Otherwise, all are placed in the
  // scene's frame.
  const bool is_in_scene = !can_share && !inverse.isInvertible();
  if (is_in_scene) transform = identity;
  MeshData mesh;
  for (const Piece& piece : element.pieces) {
    const aiMesh& from = *piece.mesh;
    const std::size_t base = mesh.vertices.size();
    if (base + from.mNumVertices > 0xFFFF'FFFFu) throw Error("a part has more than 4294967295 vertices: split it");
    const bool is_in_frame = !is_in_scene && piece.transform == transform;
    const Matrix3 linear =
        is_in_scene ? linear_of(piece.transform) : Matrix3(inverse.solve(linear_of(piece.transform)));
    const Vector3 shift = is_in_scene
                              ? shift_of(piece.transform)
                              : Vector3(inverse.solve(Vector3(shift_of(piece.transform) - shift_of(transform))));
    for (unsigned i = 0; i < from.mNumVertices; ++i) {
      const Vector3 vertex(double{from.mVertices[i].x}, double{from.mVertices[i].y}, double{from.mVertices[i].z});
      mesh.vertices.push_back(is_in_frame ? vertex : Vector3(linear * vertex + shift));
    }
    const bool is_mirrored = !is_in_frame && linear.determinant() < 0;
    for (unsigned i = 0; i < from.mNumFaces; ++i) {
      const aiFace& face = from.mFaces[i];
      if (face.mNumIndices != 3) continue;
      Index3 triangle;
      for (std::size_t k = 0; k < 3; ++k) {
        if (face.mIndices[k] >= from.mNumVertices) throw Error("a triangle refers to a vertex that does not exist");
        triangle[k] = static_cast<std::uint32_t>(base + face.mIndices[k]);
      }
      if (is_mirrored) std::swap(triangle[1], triangle[2]);
      mesh.triangles.push_back(triangle);
    }
  }
  return mesh;
}

}  // namespace whisker::reader
