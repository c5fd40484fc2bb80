// whisker-scene-reader FILE MEMORY_BYTES CPU_SECONDS
//
// Reads a scene file with assimp and writes it to standard output in the form of src/io/scene_stream.hpp. A program of
// its own, because assimp may crash, hang or eat memory on a damaged file: the limits are set before it sees the file,
// and the caller (load_scene) watches the clock. Not meant to be run by hand.

#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "io/scene_stream.hpp"

namespace {

using whisker::io::reader_exit_memory;
using whisker::io::reader_exit_refused;
using whisker::io::reader_exit_usage;

// Sanitizers map terabytes of address space for themselves; a limit on it would stop the program at once.
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

/// A 3 x 4 transform, rows first, in double.
using Transform = std::array<double, 12>;

Transform from_assimp(const aiMatrix4x4& m) {
  return {double{m.a1}, double{m.a2}, double{m.a3}, double{m.a4}, double{m.b1}, double{m.b2},
          double{m.b3}, double{m.b4}, double{m.c1}, double{m.c2}, double{m.c3}, double{m.c4}};
}

Transform compose(const Transform& outer, const Transform& inner) {
  Transform result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = column == 3 ? outer[4 * row + 3] : 0.0;
      for (std::size_t k = 0; k < 3; ++k)
        sum += outer[4 * row + k] * inner[4 * k + column];
      result[4 * row + column] = sum;
    }
  }
  return result;
}

/// A mesh where a node places it.
struct Instance {
  const aiNode* node;
  const aiMesh* mesh;
  Transform transform;
};

/// All instances, in the order of the file's tree; without recursion, since trees can be deep.
std::vector<Instance> find_instances(const aiScene& scene) {
  struct Visit {
    const aiNode* node;
    Transform outer;
  };
  std::vector<Instance> instances;
  std::vector<Visit> waiting{{scene.mRootNode, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}};
  while (!waiting.empty()) {
    const Visit visit = waiting.back();
    waiting.pop_back();
    const Transform transform = compose(visit.outer, from_assimp(visit.node->mTransformation));
    for (unsigned i = 0; i < visit.node->mNumMeshes; ++i) {
      const unsigned number = visit.node->mMeshes[i];
      if (number < scene.mNumMeshes) instances.push_back({visit.node, scene.mMeshes[number], transform});
    }
    for (unsigned i = visit.node->mNumChildren; i > 0; --i)
      waiting.push_back({visit.node->mChildren[i - 1], transform});
  }
  return instances;
}

/// Standard output, in pieces; remembers whether all of it could be written.
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
  bool finish() { return std::fflush(stdout) == 0 && good_; }

 private:
  bool good_ = true;
};

void write_part(Output& out, const Instance& instance) {
  const aiMesh& mesh = *instance.mesh;
  const aiString& name = instance.node->mName.length > 0 ? instance.node->mName : mesh.mName;
  out.text({name.data, name.length});
  for (const double x : instance.transform)
    out.number(x);
  out.number(std::uint64_t{mesh.mNumVertices});
  for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
    for (const float x : {mesh.mVertices[i].x, mesh.mVertices[i].y, mesh.mVertices[i].z})
      out.number(double{x});
  }
  std::uint64_t triangles = 0;
  for (unsigned i = 0; i < mesh.mNumFaces; ++i)
    triangles += mesh.mFaces[i].mNumIndices == 3 ? 1u : 0u;
  out.number(triangles);
  for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
    if (mesh.mFaces[i].mNumIndices == 3) out.bytes(mesh.mFaces[i].mIndices, 3 * sizeof(std::uint32_t));
  }
}

std::vector<std::string> notes_about(const aiScene& scene) {
  std::vector<std::string> notes{"read by assimp: coordinates and transforms are floats"};
  const auto left_out = [&](unsigned count, const char* things) {
    if (count > 0) notes.push_back("left out: " + std::to_string(count) + " " + things);
  };
  left_out(scene.mNumAnimations, "animations");
  left_out(scene.mNumCameras, "cameras");
  left_out(scene.mNumLights, "lights");
  left_out(scene.mNumTextures, "textures");
  unsigned with_bones = 0;
  for (unsigned i = 0; i < scene.mNumMeshes; ++i)
    with_bones += scene.mMeshes[i]->mNumBones > 0 ? 1u : 0u;
  left_out(with_bones, "skeletons of meshes; these are in their rest pose");
  return notes;
}

int read_scene(const std::string& file) {
  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* const scene = importer.ReadFile(file, aiProcess_Triangulate | aiProcess_SortByPType);
  if (scene == nullptr || scene->mRootNode == nullptr) {
    std::fprintf(stderr, "assimp: %s\n", importer.GetErrorString());
    return reader_exit_refused;
  }
  const std::vector<Instance> instances = find_instances(*scene);
  const std::vector<std::string> notes = notes_about(*scene);
  Output out;
  out.bytes(whisker::io::stream_magic.data(), whisker::io::stream_magic.size());
  out.number(whisker::io::stream_version);
  out.number(static_cast<std::uint32_t>(notes.size()));
  out.number(static_cast<std::uint64_t>(instances.size()));
  for (const std::string& note : notes)
    out.text(note);
  for (const Instance& instance : instances)
    write_part(out, instance);
  out.bytes(whisker::io::stream_magic.data(), whisker::io::stream_magic.size());
  if (!out.finish()) {
    std::fprintf(stderr, "cannot write the answer\n");
    return reader_exit_refused;
  }
  return 0;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const std::from_chars_result result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return {};
  return value;
}

void set_limit(decltype(RLIMIT_AS) what, std::uint64_t value) {
  // Lowering both limits cannot be undone by anything that the file makes this process do.
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) return;
  limit.rlim_max =
      limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value ? static_cast<rlim_t>(value) : limit.rlim_max;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(what, &limit);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::optional<std::uint64_t> memory = argument_count == 4 ? parse_number(arguments[2]) : std::nullopt;
  const std::optional<std::uint64_t> seconds = argument_count == 4 ? parse_number(arguments[3]) : std::nullopt;
  if (!memory || !seconds) {
    std::fprintf(stderr, "usage: whisker-scene-reader FILE MEMORY_BYTES CPU_SECONDS (called by whisker itself)\n");
    return reader_exit_usage;
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
    return reader_exit_memory;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assimp: %s\n", error.what());
    return reader_exit_refused;
  }
}
