#pragma once

// Finds the schema of an IFC file, both for reading it and for explaining why it could not be read.

#include <string>
#include <string_view>

namespace whisker::io {

/// How much of the beginning of a file is searched.
constexpr std::size_t longest_ifc_header = std::size_t{1} << 16;

/// The schema that the header of a STEP file states, such as "IFC2X3". Empty if there is none.
inline std::string ifc_schema(std::string_view file) {
  file = file.substr(0, longest_ifc_header);
  const std::size_t at = file.find("FILE_SCHEMA");
  if (file.find("ISO-10303-21") == std::string_view::npos || at == std::string_view::npos) return {};
  const std::size_t begin = file.find('\'', at);
  const std::size_t end = begin == std::string_view::npos ? begin : file.find('\'', begin + 1);
  constexpr std::size_t longest_name = 40;
  if (end == std::string_view::npos || end - begin > longest_name) return {};
  const std::string_view schema = file.substr(begin + 1, end - begin - 1);
  return schema.starts_with("IFC") ? std::string(schema) : std::string();
}

/// Whether assimp supports the schema: it supports IFC2x3 and reads older ones as that.
inline bool is_known_ifc_schema(std::string_view schema) {
  return schema.starts_with("IFC2");
}

}  // namespace whisker::io
