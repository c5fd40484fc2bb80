#pragma once

// How findings are written: for people, for programs and for spreadsheets.

#include <filesystem>
#include <string>
#include <string_view>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

/// "clash", "contained", "too close", "contact".
const char* to_text(FindingKind kind);

/// "proven", "likely", "repaired".
const char* to_text(Ground ground);

/// "likely", "proven", "never".
const char* to_text(Solid solid);

/// How many parts are not closed, which, and what is therefore not known, in a line; empty if there are none.
std::string open_summary(const Assembly& assembly, const Findings& findings);

/// Whether something is wrong: any finding but a contact.
bool is_problem(const Finding& finding);

struct TableOptions {
  /// List contacts too, which are else only counted.
  bool contacts = false;
  /// A report that was written: its name is told.
  std::string report = {};
};
/// A table for a terminal, with a summary and the notes; the last line says what parts that are not closed leave open.
std::string table_of(const Assembly& assembly, const Findings& findings, const TableOptions& options = {});

/// Everything, in the form that docs/clash.md describes; numbers read back to the same doubles.
std::string json_of(const Assembly& assembly, const Findings& findings);

/// A line for each finding (RFC 4180), without the curves.
std::string csv_of(const Assembly& assembly, const Findings& findings);

/// Writes a file as a whole (WholeFile). Throws an Error.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

}  // namespace whisker::clash
