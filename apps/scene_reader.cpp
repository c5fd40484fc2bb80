// whisker-scene-reader FILE MEMORY_BYTES CPU_SECONDS
//
// Reads a scene file with assimp and writes it to standard output in the form described in src/io/scene_stream.hpp.
// This is a separate program because assimp may crash, hang or use up all memory on a damaged file. The limits are set
// before assimp reads the file, and the caller (load_scene) enforces the time limit. Not meant to be run by hand.

#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <assimp/DefaultLogger.hpp>
#include <assimp/Importer.hpp>
#include <assimp/LogStream.hpp>
#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <whisker/error.hpp>

#include "io/scene_stream.hpp"
#include "io/source.hpp"
#include "reader/elements.hpp"
#include "reader/number_text.hpp"
#include "reader/object_scene.hpp"
#include "reader/placed_part.hpp"
#include "reader/zip_file.hpp"

namespace {

using namespace whisker;
using namespace whisker::reader;

// Sanitizers map terabytes of address space for themselves, so a limit on it would stop the program at once.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool limit_address_space = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool limit_address_space = false;
#else
constexpr bool limit_address_space = true;
#endif
#else
constexpr bool limit_address_space = true;
#endif

/// Writes to standard output and remembers whether everything could be written.
class Output {
 public:
  void bytes(const void* data, std::size_t size) {
    if (size > 0 && std::fwrite(data, 1, size, stdout) != size) good_ = false;
  }
  template <typename Number>
  void number(Number value) {
    bytes(&value, sizeof value);
  }
  void text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    bytes(text.data(), text.size());
  }
  void magic() { bytes(io::stream_magic.data(), io::stream_magic.size()); }
  /// Returns the exit status.
  int finish() {
    magic();
    if (std::fflush(stdout) == 0 && good_) return 0;
    std::fprintf(stderr, "cannot write the output\n");
    return io::reader_exit_refused;
  }

 private:
  bool good_ = true;
};

void write_part(Output& out, const PartLabel& label, const Transform& transform, const MeshData& mesh) {
  out.text(label.name);
  out.text(label.id);
  out.text(label.type);
  out.number(static_cast<std::uint32_t>(label.path.size()));
  for (const std::string& name : label.path)
    out.text(name);
  for (const double x : transform)
    out.number(x);
  out.number(std::uint64_t{mesh.vertices.size()});
  for (const Vector3& vertex : mesh.vertices) {
    for (int axis = 0; axis < 3; ++axis)
      out.number(double{vertex[axis]});
  }
  out.number(std::uint64_t{mesh.triangles.size()});
  for (const Index3& triangle : mesh.triangles)
    out.bytes(triangle.data(), 3 * sizeof(std::uint32_t));
}

void write_header(Output& out, const SceneUnit& unit, UpAxis up, const std::vector<std::string>& notes,
                  std::size_t parts) {
  out.magic();
  out.number(io::stream_version);
  out.number(static_cast<std::uint32_t>(notes.size()));
  out.number(static_cast<std::uint64_t>(parts));
  out.number(unit.meters);
  out.text(unit.name);
  out.number(static_cast<std::uint8_t>(unit.origin));
  out.number(static_cast<std::uint8_t>(up));
  for (const std::string& note : notes)
    out.text(note);
}

std::vector<std::string> notes_about(const aiScene& scene) {
  std::vector<std::string> notes{"read by assimp: coordinates and transforms are floats"};
  const auto left_out = [&](unsigned count, const char* things) {
    if (count > 0) notes.push_back(std::string("left out: ") + things + " (" + std::to_string(count) + ")");
  };
  left_out(scene.mNumAnimations, "animations");
  left_out(scene.mNumCameras, "cameras");
  left_out(scene.mNumLights, "lights");
  left_out(scene.mNumTextures, "textures");
  unsigned with_bones = 0;
  for (unsigned i = 0; i < scene.mNumMeshes; ++i)
    with_bones += scene.mMeshes[i]->mNumBones > 0 ? 1u : 0u;
  left_out(with_bones, "skeletons of meshes, which are read in their rest pose");
  return notes;
}

/// Determined by the importer that assimp has chosen, which examines the content if the extension does not help.
Format format_of(const Assimp::Importer& importer) {
  const int index = importer.GetPropertyInteger("importerIndex", -1);
  const aiImporterDesc* const about = index < 0 ? nullptr : importer.GetImporterInfo(static_cast<std::size_t>(index));
  if (about == nullptr || about->mFileExtensions == nullptr) return Format::other;
  const std::string extensions = std::string(about->mFileExtensions) + " ";
  const auto has = [&](const char* one) { return extensions.find(one) != std::string::npos; };
  if (has("glb ") || has("gltf ")) return Format::gltf;
  if (has("dae ")) return Format::collada;
  if (has("fbx ")) return Format::fbx;
  if (has("ifc ")) return Format::ifc;
  if (has("x3d ")) return Format::x3d;
  if (has("dxf ")) return Format::dxf;
  return Format::other;
}

/// The scene file inside an archive that assimp opens itself (.zae, .ifczip). Empty if the file is not an archive.
std::string unpacked_scene(std::string_view file) {
  if (!ZipFile::is_zip(file)) return {};
  const ZipFile zip(file);
  for (const auto& [name, entry] : zip.entries())
    if (name.ends_with(".dae") || name.ends_with(".ifc")) return zip.read(name);
  return {};
}

/// Listens for assimp's messages about elements of an IFC file whose openings it could not cut. For these, assimp
/// continues with surfaces that are not closed, or without the opening.
class OpeningListener : public Assimp::LogStream {
 public:
  explicit OpeningListener(std::set<std::string>& elements) : elements_(elements) {}
  void write(const char* message) override {
    const std::string_view text = message;
    const std::size_t at = text.find("failed to generate all window caps") != std::string_view::npos ||
                                   text.find("failed to resolve all openings") != std::string_view::npos
                               ? text.find(" ID ")
                               : std::string_view::npos;
    if (at == std::string_view::npos) return;
    const std::string_view number = text.substr(at + 4);
    elements_.emplace(number.substr(0, number.find_first_not_of("0123456789")));
  }

 private:
  std::set<std::string>& elements_;
};

int read_with_assimp(const std::string& file) {
  std::set<std::string> uncut;
  OpeningListener listener(uncut);
  Assimp::DefaultLogger::create("", Assimp::Logger::NORMAL, 0);
  Assimp::DefaultLogger::get()->attachStream(&listener, Assimp::Logger::Warn | Assimp::Logger::Err);
  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, true);
  importer.ReadFile(file, aiProcess_Triangulate | aiProcess_SortByPType);
  Assimp::DefaultLogger::get()->detachStream(&listener, Assimp::Logger::Warn | Assimp::Logger::Err);
  Assimp::DefaultLogger::kill();
  // Takes ownership of the scene, so that its root may be changed.
  const Format format = format_of(importer);
  const std::string problem = importer.GetErrorString();
  const std::unique_ptr<aiScene> scene(importer.GetOrphanedScene());
  if (scene == nullptr || scene->mRootNode == nullptr) {
    std::fprintf(stderr, "assimp: %s\n", problem.c_str());
    return io::reader_exit_refused;
  }
  const io::FileBytes bytes = io::read_file(file);
  const std::string unpacked = unpacked_scene(bytes.view());
  const std::string_view content = unpacked.empty() ? bytes.view() : std::string_view(unpacked);
  const FileFacts facts = facts_of(content, format, *scene);
  std::vector<std::string> notes = notes_about(*scene);
  const std::vector<Element> elements = find_elements(*scene, format, content, notes);
  if (!uncut.empty()) {
    notes.push_back("elements with openings that the reader could not cut out: " + std::to_string(uncut.size()));
  }
  notes.insert(notes.end(), facts.notes.begin(), facts.notes.end());
  Output out;
  write_header(out, facts.unit, facts.up, notes, elements.size());
  for (const Element& element : elements) {
    Transform transform{};
    const MeshData mesh = joined(element, transform);
    write_part(out, element.label, transform, mesh);
  }
  return out.finish();
}

int read_ourselves(const ReadScene& scene) {
  Output out;
  write_header(out, scene.unit, scene.up, scene.notes, scene.parts.size());
  for (const PlacedPart& part : scene.parts)
    write_part(out, part.label, part.transform, *part.mesh);
  return out.finish();
}

int read_scene(const std::string& file) {
  const std::string extension = io::extension_of(file);
  if (extension == ".3mf") return read_ourselves(read_3mf(io::read_file(file).view()));
  if (extension == ".amf") return read_ourselves(read_amf(io::read_file(file).view()));
  return read_with_assimp(file);
}

void set_limit(decltype(RLIMIT_AS) what, std::uint64_t value) {
  // Lowers both limits, which nothing that the file makes this process do can undo.
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) return;
  limit.rlim_max =
      limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value ? static_cast<rlim_t>(value) : limit.rlim_max;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(what, &limit);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool has_all = argument_count == 4;
  const auto memory = number_of<std::uint64_t>(has_all ? arguments[2] : "");
  const auto seconds = number_of<std::uint64_t>(has_all ? arguments[3] : "");
  if (!memory || !seconds) {
    std::fprintf(stderr, "usage: whisker-scene-reader FILE MEMORY_BYTES CPU_SECONDS (called by whisker itself)\n");
    return io::reader_exit_usage;
  }
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // do not outlive the caller
#endif
  if (limit_address_space) set_limit(RLIMIT_AS, *memory);
  set_limit(RLIMIT_CPU, *seconds);
  set_limit(RLIMIT_CORE, 0);
  try {
    return read_scene(arguments[1]);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "out of memory\n");
    return io::reader_exit_memory;
  } catch (const whisker::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return io::reader_exit_refused;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assimp: %s\n", error.what());
    return io::reader_exit_refused;
  }
}
