#pragma once

// From files to an assembly.

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "clash/assembly.hpp"

namespace whisker::clash {

struct ReadOptions {
  /// The unit of the assembly. Files that state another are converted; files that state none are taken to be in it.
  /// Empty: what the first scene.json says that says one; else, if all files state a unit, that of the first (meters if
  /// it has no usual name); else mm.
  std::string unit = {};
  /// The caller sets the contact distance itself.
  bool has_contact = false;
  /// Close what repair_mesh closes safely (make_repaired_part_mesh), as a scene.json's rules may ask too.
  bool repair = false;
  /// Where given, it is set to the time that the trees took.
  double* build_seconds = nullptr;
};

/// Reads what the paths name, one after the other: scene files (whisker::load_scene), folders of such (all files in
/// them and in their folders that have a known extension, by name) and scene.json files (docs/clash.md).
///
/// A file's parts keep their names, made unique by "_2", "_3"…; the group of a part from a folder is the folder in the
/// folder that it is in, and of another IFC element its type. Files that state another up axis than the first that
/// states one are turned to it, as a whole; files that a scene.json places are not. Where files hold coordinates as
/// floats and no contact distance is stated, it is what floats cannot tell: 2^-19 of the largest coordinate. Equal
/// meshes are kept once. Trees are built on all cores. Throws an Error that names the file, and in a scene.json the
/// field.
Assembly read_assembly(std::span<const std::filesystem::path> paths, const ReadOptions& options = {});

}  // namespace whisker::clash
