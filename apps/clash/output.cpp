#include "clash/output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "clash/whole_file.hpp"
#include "printing.hpp"

namespace whisker::clash {
namespace {

using apps::counted;
using nlohmann::json;

json json_of(const Bounds& bounds) {
  return {{"lower", bounds.lower}, {"upper", bounds.upper}};
}

// Formats a number for display: five digits, or the range if the bounds are not that close.
std::string short_number(const Bounds& bounds) {
  const double width = bounds.upper - bounds.lower;
  if (width <= 1e-4 * std::abs(bounds.upper) || width < 1e-9)
    return fmt::format("{:.5g}",
                       bounds.lower < 1e-9 && bounds.upper < 1e-9 ? 0.0 : bounds.lower / 2 + bounds.upper / 2);
  return fmt::format("{:.4g} to {:.4g}", bounds.lower, bounds.upper);
}

std::string amount_of(const Finding& finding) {
  if (finding.depth) return short_number(*finding.depth) + " deep";
  if (finding.distance && finding.distance->upper > 0) return short_number(*finding.distance) + " apart";
  if (finding.distance) return "touch";
  if (finding.time) return "";
  if (finding.kind == FindingKind::contained || finding.ground == Ground::winding) return "inside";
  return "cross";
}

// Where to find a part: its file, path, id and type. Empty fields are left out.
json source_of(const Part& part) {
  json source = json::object();
  if (!part.file.empty()) source["file"] = part.file;
  if (!part.path.empty()) source["path"] = part.path;
  if (!part.id.empty()) source["id"] = part.id;
  if (!part.type.empty()) source["type"] = part.type;
  return source;
}

// The number of columns, assuming one per character. Good enough for names that are not only ASCII.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

struct Counts {
  std::array<std::size_t, 4> of_kind{};
  std::array<std::size_t, 4> likely{};
  explicit Counts(const Findings& findings) {
    for (const Finding& finding : findings.all) {
      ++of_kind[static_cast<std::size_t>(finding.kind)];
      if (finding.ground == Ground::winding) ++likely[static_cast<std::size_t>(finding.kind)];
    }
  }
  std::size_t all_likely() const { return std::accumulate(likely.begin(), likely.end(), std::size_t{0}); }
  // " (2 likely)", or nothing.
  std::string share(FindingKind kind) const {
    const std::size_t count = likely[static_cast<std::size_t>(kind)];
    return count > 0 ? fmt::format(" ({} likely)", count) : "";
  }
  std::size_t operator[](FindingKind kind) const { return of_kind[static_cast<std::size_t>(kind)]; }
};

constexpr std::size_t max_names = 4;
constexpr std::size_t max_undecided = 10;

std::string sentence_of(const Assembly& assembly, const Undecided& pair) {
  return fmt::format(
      "'{}' inside '{}'? {}{}", assembly.parts[pair.inner].name, assembly.parts[pair.outer].name, pair.why,
      pair.winding ? fmt::format(" (winding number {:.2f} to {:.2f})", pair.winding->lower, pair.winding->upper)
                   : std::string());
}

std::string kind_of(const Finding& finding) {
  if (finding.ground == Ground::winding) return std::string("likely ") + to_text(finding.kind);
  return std::string(to_text(finding.kind)) + (finding.ground == Ground::repair ? ", repaired" : "");
}

std::string quoted_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

const char* to_text(FindingKind kind) {
  return apps::word_for(kind, {"clash", "contained", "too close", "contact"});
}

const char* to_text(Ground ground) {
  return apps::word_for(ground, {"proven", "likely", "repaired"});
}

const char* to_text(Solid solid) {
  return apps::word_for(solid, {"likely", "proven", "never"});
}

std::string open_summary(const Assembly& assembly, const Findings& findings) {
  if (assembly.rules.solid == Solid::never)
    return "SURFACES ONLY: whether parts lie inside one another was not checked, and overlaps have no depth";
  if (findings.open_parts.empty()) return "";
  const std::string names = apps::listed(findings.open_parts.size(), max_names,
                                         [&](std::size_t i) { return assembly.parts[findings.open_parts[i]].name; });
  std::string text = fmt::format("NOT CLOSED: {} of {} ({}){}", findings.open_parts.size(),
                                 counted(assembly.parts.size(), "part", "parts"), names,
                                 assembly.rules.repair ? "" : "; --repair may close them");
  const std::size_t likely = Counts(findings).all_likely();
  if (likely > 0) text += fmt::format(". Likely, not proven: {}", counted(likely, "finding", "findings"));
  const auto without_depth = std::count_if(findings.all.begin(), findings.all.end(), [](const Finding& finding) {
    return (finding.kind == FindingKind::clash || finding.kind == FindingKind::contained) && !finding.depth &&
           !finding.time && finding.ground != Ground::winding;
  });
  if (without_depth > 0)
    text += ". Without a depth: " + counted(static_cast<std::size_t>(without_depth), "overlap", "overlaps");
  text += findings.undecided.empty() ? ". No pair is left undecided"
                                     : fmt::format(". UNDECIDED: whether one part lies inside the other, in {}",
                                                   counted(findings.undecided.size(), "pair", "pairs"));
  return text;
}

bool is_problem(const Finding& finding) {
  return finding.kind != FindingKind::contact;
}

std::string table_of(const Assembly& assembly, const Findings& findings, const TableOptions& options) {
  const bool has_times = std::any_of(findings.all.begin(), findings.all.end(),
                                     [](const Finding& finding) { return finding.time.has_value(); });
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> head{"",  "kind", "part", "part", assembly.unit.empty() ? "amount" : "in " + assembly.unit,
                                "at"};
  if (has_times) head.push_back("time");
  rows.push_back(head);
  std::vector<std::string> notes{""};
  std::size_t number = 0;
  for (const Finding& finding : findings.all) {
    ++number;
    if (!is_problem(finding) && !options.contacts) continue;
    std::vector<std::string> row{
        std::to_string(number),
        kind_of(finding),
        assembly.parts[finding.a].name,
        assembly.parts[finding.b].name,
        amount_of(finding),
        fmt::format("({:.5g}, {:.5g}, {:.5g})", finding.position[0], finding.position[1], finding.position[2])};
    if (has_times) row.push_back(finding.time ? short_number(*finding.time) : "");
    rows.push_back(std::move(row));
    notes.push_back(finding.note);
  }
  std::vector<std::size_t> widths(head.size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text;
  if (rows.size() > 1) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::string line;
      for (std::size_t i = 0; i < rows[k].size(); ++i)
        line += rows[k][i] + std::string(widths[i] - width_of(rows[k][i]) + 2, ' ');
      line += notes[k];
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    text += "\n";
  }
  const Counts counts(findings);
  text += fmt::format("{}: {}{}, {}{}, {} too close, {}{}\n", assembly.title,
                      counted(counts[FindingKind::clash], "clash", "clashes"), counts.share(FindingKind::clash),
                      fmt::format("{} contained", counts[FindingKind::contained]), counts.share(FindingKind::contained),
                      counts[FindingKind::too_close], counted(counts[FindingKind::contact], "contact", "contacts"),
                      findings.pairs_allowed > 0 ? fmt::format(" ({} allowed)", findings.pairs_allowed) : "");
  text += fmt::format("{}, {} of {} near pairs checked, {:.2f} s\n", counted(assembly.parts.size(), "part", "parts"),
                      findings.pairs_checked, findings.pairs_near, findings.seconds);
  if (!assembly.unit_origin.empty())
    text += fmt::format("lengths are in {} ({})\n", assembly.unit, assembly.unit_origin);
  if (!findings.is_complete)
    text += fmt::format("INCOMPLETE: stopped before the end; {} near pairs were not checked\n",
                        findings.pairs_near - findings.pairs_checked);
  for (const std::string& note : assembly.notes)
    text += "note: " + note + "\n";
  for (std::size_t i = 0; i < std::min(max_undecided, findings.undecided.size()); ++i)
    text += "undecided: " + sentence_of(assembly, findings.undecided[i]) + "\n";
  if (findings.undecided.size() > max_undecided)
    text += fmt::format("undecided: and {} more; --json lists all\n", findings.undecided.size() - max_undecided);
  if (!options.report.empty()) text += "report: " + options.report + "\n";
  // Last, where it is not overlooked.
  const std::string open = open_summary(assembly, findings);
  if (!open.empty()) text += open + "\n";
  return text;
}

std::string json_of(const Assembly& assembly, const Findings& findings) {
  json list = json::array();
  for (const Finding& finding : findings.all) {
    const Part &a = assembly.parts[finding.a], &b = assembly.parts[finding.b];
    json entry = {{"kind", to_text(finding.kind)},
                  {"evidence", to_text(finding.ground)},
                  {"a", a.name},
                  {"b", b.name},
                  {"position", apps::to_json(finding.position)},
                  {"point_a", apps::to_json(finding.point_a)},
                  {"point_b", apps::to_json(finding.point_b)},
                  {"normal", apps::to_json(finding.normal)},
                  {"triangles", finding.triangles},
                  {"pose_a", apps::to_json(finding.pose_a)},
                  {"pose_b", apps::to_json(finding.pose_b)},
                  {"stop", apps::to_text(finding.stop)}};
    if (!a.group.empty()) entry["group_a"] = a.group;
    if (!b.group.empty()) entry["group_b"] = b.group;
    if (json source = source_of(a); !source.empty()) entry["source_a"] = std::move(source);
    if (json source = source_of(b); !source.empty()) entry["source_b"] = std::move(source);
    if (finding.depth) entry["depth"] = json_of(*finding.depth);
    if (finding.distance) entry["distance"] = json_of(*finding.distance);
    if (finding.time) entry["time"] = json_of(*finding.time);
    if (finding.winding) entry["winding"] = json_of(*finding.winding);
    if (!finding.note.empty()) entry["note"] = finding.note;
    json& curve = entry["curve"] = json::array();
    for (const Polyline& line : finding.curve)
      curve.push_back(apps::to_json(line));
    list.push_back(std::move(entry));
  }
  json open = json::array();
  for (const std::uint32_t part : findings.open_parts)
    open.push_back(assembly.parts[part].name);
  json undecided = json::array();
  for (const Undecided& pair : findings.undecided) {
    json entry = {
        {"inner", assembly.parts[pair.inner].name}, {"outer", assembly.parts[pair.outer].name}, {"why", pair.why}};
    if (pair.winding) entry["winding"] = json_of(*pair.winding);
    undecided.push_back(std::move(entry));
  }
  json repaired = json::array();
  for (const Part& part : assembly.parts)
    if (assembly.meshes[part.mesh].is_repaired) repaired.push_back(part.name);
  const Counts counts(findings);
  const json result = {
      {"title", assembly.title},
      {"unit", assembly.unit},
      {"unit_origin", assembly.unit_origin},
      {"parts", assembly.parts.size()},
      {"rules",
       {{"clearance", assembly.rules.clearance},
        {"contact", assembly.rules.contact},
        {"solid", to_text(assembly.rules.solid)},
        {"repair", assembly.rules.repair}}},
      {"complete", findings.is_complete},
      {"counts",
       {{"clash", counts[FindingKind::clash]},
        {"contained", counts[FindingKind::contained]},
        {"too close", counts[FindingKind::too_close]},
        {"contact", counts[FindingKind::contact]},
        {"allowed", findings.pairs_allowed},
        {"likely", counts.all_likely()},
        {"undecided", findings.undecided.size()}}},
      {"pairs",
       {{"possible", findings.pairs_possible}, {"near", findings.pairs_near}, {"checked", findings.pairs_checked}}},
      {"seconds", findings.seconds},
      {"notes", assembly.notes},
      {"open_parts", std::move(open)},
      {"repaired_parts", std::move(repaired)},
      {"undecided", std::move(undecided)},
      {"open_summary", open_summary(assembly, findings)},
      {"findings", std::move(list)}};
  return result.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string csv_of(const Assembly& assembly, const Findings& findings) {
  std::string text =
      "kind,a,b,group_a,group_b,id_a,id_b,depth_lower,depth_upper,distance_lower,distance_upper,time_lower,time_upper,"
      "x,y,z,normal_x,normal_y,normal_z,triangles,curves,stop,note,evidence\r\n";
  const auto cells = [](const std::optional<Bounds>& bounds) {
    return bounds ? fmt::format("{},{}", bounds->lower, bounds->upper) : std::string(",");
  };
  for (const Finding& finding : findings.all) {
    const Part &a = assembly.parts[finding.a], &b = assembly.parts[finding.b];
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", to_text(finding.kind),
                    quoted_cell(a.name), quoted_cell(b.name), quoted_cell(a.group), quoted_cell(b.group),
                    quoted_cell(a.id), quoted_cell(b.id), cells(finding.depth), cells(finding.distance),
                    cells(finding.time), finding.position[0], finding.position[1], finding.position[2],
                    finding.normal[0], finding.normal[1], finding.normal[2], finding.triangles, finding.curve.size(),
                    apps::to_text(finding.stop), quoted_cell(finding.note), to_text(finding.ground));
  }
  return text;
}

void write_whole_file(const std::filesystem::path& path, std::string_view content) {
  WholeFile file(path);
  file.write(content);
  file.finish();
}

}  // namespace whisker::clash
