// Finds units and up axes, from the file itself and from what assimp reports.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <assimp/defs.h>

#include <whisker/error.hpp>

#include "io/ifc_schema.hpp"
#include "io/xml_tags.hpp"
#include "reader/elements.hpp"
#include "reader/number_text.hpp"
#include "reader/step_text.hpp"

namespace whisker::reader {
namespace {

// COLLADA 1.4.1: <asset> of the whole file. The defaults are meters and y.
void look_at_collada(std::string_view file, aiScene& scene, FileFacts& facts) {
  // assimp scales the root, which represents the visual scene and has no transform of its own.
  const double applied = double{scene.mRootNode->mTransformation.a1};
  scene.mRootNode->mTransformation = aiMatrix4x4();
  facts.unit = {applied, "", applied == 1 ? UnitOrigin::format : UnitOrigin::file};
  facts.up = UpAxis::y;
  io::XmlTags tags(file);
  int depth = 0;
  while (const std::optional<io::XmlTag> tag = tags.next()) {
    if (tag->name == "unit" && tag->is_start) {
      std::optional<std::string> meter = tag->attribute("meter");
      // Some programs write numbers in the format of the user's locale.
      if (meter) std::replace(meter->begin(), meter->end(), ',', '.');
      const std::optional<double> meters = meter ? number_of<double>(*meter) : std::nullopt;
      if (meter && (!meters || !(*meters > 0) || !std::isfinite(*meters))) {
        throw Error("the file states a unit of '" + *meter + "' meters, which is not a positive number: repair <unit>");
      }
      facts.unit = {meters.value_or(1), tag->attribute("name").value_or(""), UnitOrigin::file};
    } else if (tag->name == "up_axis" && tag->is_start) {
      const std::string axis = io::plain_text(tag->text);
      facts.up = axis == "X_UP" ? UpAxis::x : axis == "Z_UP" ? UpAxis::z : UpAxis::y;
    }
    // The file's asset comes first. Later ones are about their own elements.
    depth += (tag->is_start ? 1 : 0) - (tag->is_end ? 1 : 0);
    if (tag->name == "asset" && tag->is_end && depth <= 1) return;
  }
}

void look_at_fbx(aiScene& scene, FileFacts& facts) {
  facts.up = UpAxis::y;
  facts.unit = {0.01, "cm", UnitOrigin::format};
  if (scene.mMetaData == nullptr) return;
  int axis = 1;
  if (scene.mMetaData->Get("UpAxis", axis) && axis >= 0 && axis <= 2) {
    facts.up = axis == 0 ? UpAxis::x : axis == 1 ? UpAxis::y : UpAxis::z;
  }
  float centimeters = 0;
  double wide = 0;
  if (scene.mMetaData->Get("UnitScaleFactor", wide)) centimeters = static_cast<float>(wide);
  if (centimeters == 0 && !scene.mMetaData->Get("UnitScaleFactor", centimeters)) return;
  if (!(centimeters > 0) || !std::isfinite(centimeters)) return;
  // The shortest number that reads as this float is what was written: 2.54, not 2.5399999618.
  char digits[64];
  const auto [end, failure] = std::to_chars(digits, digits + sizeof digits, centimeters);
  const std::optional<double> written =
      failure == std::errc() ? number_of<double>({digits, static_cast<std::size_t>(end - digits)}) : std::nullopt;
  facts.unit = {written.value_or(double{centimeters}) / 100, "", UnitOrigin::file};
}

void look_at_ifc(std::string_view file, aiScene& scene, FileFacts& facts) {
  facts.up = UpAxis::z;
  facts.unit = unit_of_ifc(file);
  const std::string schema = io::ifc_schema(file);
  if (!schema.empty() && !io::is_known_ifc_schema(schema)) {
    facts.notes.push_back("the file is " + schema +
                          ", but the reader supports only IFC2x3: anything newer is left out");
  }
  // assimp scales the root to meters, by a power of ten, and then rotates z to y about x.
  aiMatrix4x4& root = scene.mRootNode->mTransformation;
  const double size = std::cbrt(std::abs(double{root.Determinant()}));
  const double scale = size > 0 && std::isfinite(size) ? std::pow(10.0, std::round(std::log10(size))) : 1.0;
  // assimp's quarter turn uses a float angle, whose cosine is not 0.
  const double cosine = std::cos(double{AI_MATH_HALF_PI_F});
  aiMatrix4x4 turned;
  for (unsigned column = 0; column < 4; ++column) {
    const double y = double{root[1][column]} / scale, z = double{root[2][column]} / scale;
    turned[0][column] = static_cast<float>(double{root[0][column]} / scale);
    turned[1][column] = static_cast<float>(cosine * y - z);
    turned[2][column] = static_cast<float>(y + cosine * z);
  }
  root = turned;
}

// $INSUNITS of the header: a code 70 with a number (AutoCAD's DXF Reference, HEADER section).
void look_at_dxf(std::string_view file, FileFacts& facts) {
  constexpr std::size_t longest_header = std::size_t{1} << 20;
  std::string_view header = file.substr(0, longest_header);
  const std::size_t at = header.find("$INSUNITS");
  if (at == std::string_view::npos) return;
  header.remove_prefix(at + std::string_view("$INSUNITS").size());
  const std::optional<int> code = take_number<int>(header);
  const std::optional<int> unit = take_number<int>(header);
  if (code != 70 || !unit) return;
  static constexpr double meters[] = {0,       0.0254, 0.3048, 1609.344, 1e-3, 1e-2, 1,  1e3, 2.54e-8,
                                      2.54e-5, 0.9144, 1e-10,  1e-9,     1e-6, 0.1,  10, 100};
  if (*unit < 1 || *unit > 16) return;
  facts.unit = {meters[*unit], "", UnitOrigin::file};
}

}  // namespace

FileFacts facts_of(std::string_view file, Format format, aiScene& scene) {
  FileFacts facts;
  if (format == Format::gltf && file.find("\"EXT_mesh_gpu_instancing\"") != std::string_view::npos)
    facts.notes.push_back("left out: instances by EXT_mesh_gpu_instancing, which the reader does not support");
  // glTF 2.0, section 3.4; ISO/IEC 19775-1 (X3D), 4.3.5 and 4.3.6
  if (format == Format::gltf || format == Format::x3d) {
    facts.unit = {1, "m", UnitOrigin::format};
    facts.up = UpAxis::y;
  }
  if (format == Format::collada) look_at_collada(file, scene, facts);
  if (format == Format::fbx) look_at_fbx(scene, facts);
  if (format == Format::ifc) look_at_ifc(file, scene, facts);
  if (format == Format::dxf) look_at_dxf(file, facts);
  return facts;
}

}  // namespace whisker::reader
