#pragma once

// Formats findings: for people, for programs and for spreadsheets.

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

/// A list of the two patterns. For the JSON library, which then also writes lists of rules.
template <class Json>
void to_json(Json& json, const PairRule& rule) {
  json = Json::array({rule.a, rule.b});
}

/// One line on how many parts are not closed, which ones, and what is therefore unknown. Empty if there are none.
std::string open_summary(const Assembly& assembly, const Findings& findings);

/// Whether something is wrong: true for any finding except a contact.
bool is_problem(const Finding& finding);

struct TableOptions {
  /// Also list contacts, which are otherwise only counted.
  bool contacts = false;
  /// The name of the report that was written, to be shown.
  std::string report = {};
};
/// A table for a terminal, with a summary and the notes. The last line says what is undecided because parts are not
/// closed.
std::string table_of(const Assembly& assembly, const Findings& findings, const TableOptions& options = {});

/// Everything, in the form that docs/clash.md describes. Numbers read back as the same doubles.
std::string json_of(const Assembly& assembly, const Findings& findings);

/// One line per finding (RFC 4180), without the curves.
std::string csv_of(const Assembly& assembly, const Findings& findings);

/// Writes a file as a whole (WholeFile). Throws an Error if that fails.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

}  // namespace whisker::clash
