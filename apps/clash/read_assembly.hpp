#pragma once

// Reads an assembly from files.

#include <filesystem>
#include <span>
#include <string>

#include "clash/assembly.hpp"

namespace whisker::clash {

struct ReadOptions {
  /// The unit of the assembly. Files that state another unit are converted. Files that state none are assumed to be in
  /// this unit. If empty: the unit of the first scene.json that states one; otherwise, if all files state a unit, that
  /// of the first file (meters if it has no usual name); otherwise mm.
  std::string unit = {};
  /// The caller sets the contact distance itself.
  bool has_contact = false;
  /// Close meshes where repair_mesh can do so safely (make_repaired_part_mesh). The rules of a scene.json may also
  /// request this.
  bool repair = false;
  /// If given, set to the time spent building the trees.
  double* build_seconds = nullptr;
};

/// Reads the paths one after the other: scene files (whisker::load_scene), folders of scene files (all files with a
/// known extension in them and in their subfolders, sorted by name) and scene.json files (docs/clash.md).
///
/// A file's parts keep their names, made unique by "_2", "_3"…. The group of a part from a folder is the subfolder that
/// it is in. The group of any other IFC element is its type. Files that state another up axis than the first one that
/// states any are rotated to it as a whole, except files that a scene.json places. If files hold coordinates as floats
/// and no contact distance is stated, it is set to what floats cannot resolve: 2^-19 of the largest coordinate. Equal
/// meshes are stored once. Trees are built on all cores. Throws an Error that names the file, and in a scene.json the
/// field.
Assembly read_assembly(std::span<const std::filesystem::path> paths, const ReadOptions& options = {});

}  // namespace whisker::clash
