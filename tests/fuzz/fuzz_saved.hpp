#pragma once

// What the fuzz target of saved meshes does with its input. Ordinary tests use it too.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/queries.hpp>

#include "fuzz/fuzz_mesh.hpp"
#include "io/checksum.hpp"

namespace whisker::test {

/// The file with a correct checksum, as a forger would provide it and accidental damage would not.
inline std::string with_right_checksum(std::string file) {
  if (file.size() < 56) return file;
  const std::string_view view = file;
  std::string sum;
  io::append_little(sum, io::checksum(view.substr(0, 48)) ^ std::rotl(io::checksum(view.substr(56)), 1));
  file.replace(48, 8, sum);
  return file;
}

inline std::span<const std::byte> bytes_of(const std::string& file) {
  return std::as_bytes(std::span(file.data(), file.size()));
}

/// Reads a saved mesh. It may be refused with an Error of one line. If it is accepted, it must answer like a mesh built
/// from its triangles. Returns whether it was accepted. Anything else aborts.
inline bool read_hostile_saved_mesh(const std::string& file) {
  try {
    const Mesh mesh = decode_saved_mesh(bytes_of(file), "fuzz");
    require(encode_saved_mesh(mesh) == file, "what was accepted is saved as it was");
    const Mesh built(
        MeshData{{mesh.vertices().begin(), mesh.vertices().end()}, {mesh.triangles().begin(), mesh.triangles().end()}});
    const Shape loaded = mesh, fresh = mesh.is_solid() ? built.solid() : built;
    const Aabb box = built.bounds();
    const double size = (box.upper - box.lower).maxCoeff();
    const Vector3 beside = box.upper / 2 + box.lower / 2 + 0.7 * (box.upper - box.lower);
    if (size > 1e-60 && beside.cwiseAbs().maxCoeff() < 1e60) {
      const Shape probe = Sphere{size / 4};
      require(touches(loaded, {probe, Pose(beside)}) == touches(fresh, {probe, Pose(beside)}), "nothing is missed");
      const Distance found = distance(loaded, {probe, Pose(beside)}), truth = distance(fresh, {probe, Pose(beside)});
      require(found.lower <= truth.upper && truth.lower <= found.upper, "distances agree");
      if (mesh.triangle_count() < 1000) {
        const Pose aside(Vector3(box.upper / 4 - box.lower / 4));
        require(contacts(loaded, {loaded, aside}).pairs.size() == contacts(fresh, {fresh, aside}).pairs.size(),
                "all contacts are found");
      }
    }
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.starts_with("fuzz:"), "the message names the file");
    require(message.find('\n') == std::string::npos, "the message is one line");
    return false;
  }
}

}  // namespace whisker::test
