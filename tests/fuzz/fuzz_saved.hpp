#pragma once

// What the fuzz targets of saved shapes and meshes do with their input. Ordinary tests use it too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/queries.hpp>

#include "fuzz/fuzz_mesh.hpp"
#include "io/saved_record.hpp"
#include "shapes/compound_storage.hpp"

namespace whisker::test {

/// The version of a file of saved shapes, or 0.
inline std::uint32_t saved_version_of(std::string_view file) {
  if (file.size() < 12 || !file.starts_with(io::saved_magic)) return 0;
  return io::load<std::uint32_t>(file.data() + 8, std::endian::little);
}

/// The file with a correct checksum, as a forger would provide it and accidental damage would not.
inline std::string with_right_checksum(std::string file) {
  const std::size_t at = saved_version_of(file) == 1 ? 48 : 24;
  if (file.size() < at + 8) return file;
  std::string sum;
  io::append_little(sum, io::file_checksum(file, at));
  file.replace(at, 8, sum);
  return file;
}

/// The file with its own size and a correct checksum.
inline std::string with_right_size(std::string file) {
  if (file.size() >= 32 && saved_version_of(file) != 1) {
    std::string size;
    io::append_little(size, std::uint64_t{file.size()});
    file.replace(16, 8, size);
  }
  return with_right_checksum(std::move(file));
}

inline std::span<const std::byte> bytes_of(const std::string& file) {
  return std::as_bytes(std::span(file.data(), file.size()));
}

/// Checks the Error about a file that was refused. Returns false.
inline bool refused_cleanly(const Error& error) {
  const std::string message = error.what();
  require(message.starts_with("fuzz: "), "the message names the file");
  require(message.find('\n') == std::string::npos, "the message is one line");
  return false;
}

/// Whether the shape is so large or small that its queries are not compared.
inline bool is_extreme(const Aabb& box) {
  const double size = (box.upper - box.lower).maxCoeff();
  return !(size > 1e-60) || !(box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff() < 1e60);
}

/// Reads a saved mesh. It may be refused with an Error of one line. If it is accepted, it must answer like a mesh built
/// from its triangles. Returns whether it was accepted. Anything else aborts.
inline bool read_hostile_saved_mesh(const std::string& file) {
  try {
    const Mesh mesh = decode_saved_mesh(bytes_of(file), "fuzz");
    const std::string saved = encode_saved_mesh(mesh);
    require(saved == file || saved_version_of(file) == 1, "what was accepted is saved as it was");
    require(encode_saved_mesh(decode_saved_mesh(bytes_of(saved), "fuzz")) == saved, "what is saved can be loaded");
    const Mesh built(
        MeshData{{mesh.vertices().begin(), mesh.vertices().end()}, {mesh.triangles().begin(), mesh.triangles().end()}});
    const Shape loaded = mesh, fresh = mesh.is_solid() ? built.solid() : built;
    const Aabb box = built.bounds();
    const double size = (box.upper - box.lower).maxCoeff();
    const Vector3 beside = box.upper / 2 + box.lower / 2 + 0.7 * (box.upper - box.lower);
    if (!is_extreme(box)) {
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
    return refused_cleanly(error);
  }
}

/// The same for a saved shape of any kind. If it is accepted, it must be the same after it was saved and loaded again.
inline bool read_hostile_saved_shape(const std::string& file) {
  try {
    const Shape shape = decode_shape(bytes_of(file), "fuzz");
    const std::string saved = encode_shape(shape);
    const Shape again = decode_shape(bytes_of(saved), "fuzz");
    require(again.kind() == shape.kind(), "the kind is the same");
    require(encode_shape(again) == saved, "what is saved can be loaded");
    const Aabb box = shape.bounds(), other = again.bounds();
    require(box.lower == other.lower && box.upper == other.upper, "the bounds are the same");
    require(!box.empty(), "the bounds are numbers");
    const auto* compound = shape.as<Compound>();
    const bool is_small = compound == nullptr || storage_of(*compound).part_count <= 1000;
    if (!is_extreme(box) && is_small) {
      const Placed probe{Sphere{(box.upper - box.lower).maxCoeff() / 4}, Pose(box.upper)};
      require(touches(shape, probe) == touches(again, probe), "the same touches");
      const Distance a = distance(shape, probe), b = distance(again, probe);
      require(a.lower == b.lower && a.upper == b.upper && a.point_a == b.point_a, "the same distances");
      require(a.lower <= a.upper, "distances are bounds");
    }
    return true;
  } catch (const Error& error) {
    return refused_cleanly(error);
  }
}

}  // namespace whisker::test
