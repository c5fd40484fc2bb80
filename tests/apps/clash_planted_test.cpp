// The planted findings are exactly those that are found, with numbers that agree: on the built-in example and on random
// scenes, in the result of the check and in every output.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "clash/check.hpp"
#include "clash/gearbox.hpp"
#include "clash/output.hpp"
#include "clash/read_assembly.hpp"
#include "clash/report.hpp"
#include "clash/write_scene.hpp"
#include "support/cases.hpp"
#include "support/planted_scenes.hpp"

namespace whisker::clash {
namespace {

using nlohmann::json;

// A finding as an output reports it.
struct Told {
  std::string kind;
  std::string a;
  std::string b;
  std::optional<Bounds> depth;
  std::optional<Bounds> distance;
  std::optional<Bounds> time;
  Vector3 position;
};

std::vector<Told> told_by_check(const Assembly& assembly, const Findings& findings) {
  std::vector<Told> all;
  for (const Finding& f : findings.all)
    all.push_back(
        {to_text(f.kind), assembly.parts[f.a].name, assembly.parts[f.b].name, f.depth, f.distance, f.time, f.position});
  return all;
}

Vector3 position_in(const json& finding) {
  const json& p = finding["position"];
  return {p[0].get<double>(), p[1].get<double>(), p[2].get<double>()};
}

std::vector<Told> told_by_json(const std::string& text) {
  std::vector<Told> all;
  const json content = json::parse(text);
  for (const json& f : content["findings"]) {
    const auto bounds = [&](const char* name) -> std::optional<Bounds> {
      if (!f.contains(name)) return {};
      return Bounds{f[name]["lower"], f[name]["upper"]};
    };
    all.push_back({f["kind"], f["a"], f["b"], bounds("depth"), bounds("distance"), bounds("time"), position_in(f)});
  }
  return all;
}

// The findings in the data of the HTML page, from which it draws and lists them. Another test opens the page in a
// browser.
std::vector<Told> told_by_report(const Assembly& assembly, const Findings& findings) {
  std::string path = (std::filesystem::temp_directory_path() / "whisker-report-XXXXXX").string();
  const int handle = ::mkstemp(path.data());
  if (handle < 0) throw std::runtime_error("no temporary file");
  ::close(handle);
  write_report(path, assembly, findings);
  std::ifstream file(path);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  const std::string mark = "<script id=\"report\" type=\"application/json\">";
  const std::size_t begin = page.rfind(mark) + mark.size();
  const json content = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  std::vector<Told> all;
  for (const json& f : content["findings"]) {
    const auto bounds = [&](const char* name) -> std::optional<Bounds> {
      if (!f.contains(name)) return {};
      return Bounds{f[name][0], f[name][1]};
    };
    const auto part = [&](const char* side) {
      return content["parts"][f[side].get<std::size_t>()]["name"].get<std::string>();
    };
    const std::string kind = f["kind"];
    all.push_back({kind == "too_close" ? "too close" : kind, part("a"), part("b"), bounds("depth"), bounds("distance"),
                   bounds("time"), position_in(f)});
  }
  return all;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<Told> told_by_csv(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> head = cells_of(line);
  std::vector<Told> all;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != head.size()) throw std::runtime_error("cells are missing: " + line);
    const auto cell = [&](const std::string& name) {
      return cells.at(static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin()));
    };
    const auto bounds = [&](const std::string& name) -> std::optional<Bounds> {
      if (cell(name + "_lower").empty()) return {};
      return Bounds{std::stod(cell(name + "_lower")), std::stod(cell(name + "_upper"))};
    };
    all.push_back({cell("kind"),
                   cell("a"),
                   cell("b"),
                   bounds("depth"),
                   bounds("distance"),
                   bounds("time"),
                   {std::stod(cell("x")), std::stod(cell("y")), std::stod(cell("z"))}});
  }
  return all;
}

bool agree(const Bounds& told, const Bounds& planted) {
  return told.lower <= planted.upper && told.upper >= planted.lower;
}

// Expects that the findings are the planted ones and that their bounds contain the planted numbers.
void expect_planted(const PlantedAssembly& scene, const std::vector<Told>& all) {
  const auto key = [](const std::string& a, const std::string& b) { return std::pair(std::min(a, b), std::max(a, b)); };
  std::map<std::pair<std::string, std::string>, const PlantedFinding*> open;
  for (const PlantedFinding& finding : scene.planted)
    open[key(finding.a, finding.b)] = &finding;
  ASSERT_EQ(open.size(), scene.planted.size());
  for (const Told& told : all) {
    const auto found = open.find(key(told.a, told.b));
    if (found == open.end()) {
      ADD_FAILURE() << "not planted, or told twice: " << told.kind << ", " << told.a << ", " << told.b << " at "
                    << told.position.transpose();
      continue;
    }
    const PlantedFinding& planted = *found->second;
    open.erase(found);
    SCOPED_TRACE(told.kind + ", " + told.a + ", " + told.b);
    EXPECT_EQ(told.kind, to_text(planted.kind));
    EXPECT_LE((told.position - planted.position).norm(), planted.position_tolerance) << told.position.transpose();
    if (planted.kind != FindingKind::contact) {
      EXPECT_EQ(told.depth.has_value(), planted.depth.has_value());
      EXPECT_EQ(told.distance.has_value(), planted.distance.has_value());
    } else {
      // Parts that touch have a distance of 0. Their depth is reported only if it had to be computed.
      EXPECT_TRUE(told.depth || told.distance);
      if (told.depth && !planted.depth) {
        EXPECT_LE(told.depth->lower, 0);
      }
    }
    if (told.depth && planted.depth) {
      EXPECT_TRUE(agree(*told.depth, *planted.depth))
          << told.depth->lower << " to " << told.depth->upper << ", not " << planted.depth->lower;
      EXPECT_LE(told.depth->upper, 1.01 * planted.depth->upper);  // the shortest way out was found
      EXPECT_GE(told.depth->lower, 0.5 * planted.depth->lower);
    }
    if (told.distance && planted.distance) {
      EXPECT_TRUE(agree(*told.distance, *planted.distance))
          << told.distance->lower << " to " << told.distance->upper << ", not " << planted.distance->lower;
      EXPECT_LE(told.distance->upper - told.distance->lower, scene.assembly.rules.contact);
    }
    if (planted.time) {
      ASSERT_TRUE(told.time);
      EXPECT_TRUE(agree(*told.time, *planted.time))
          << told.time->lower << " to " << told.time->upper << ", not " << planted.time->lower;
      EXPECT_LE(told.time->upper - told.time->lower, 1e-6);
    }
  }
  for (const auto& [names, finding] : open)
    ADD_FAILURE() << "not found: " << to_text(finding->kind) << ", " << names.first << ", " << names.second << " at "
                  << finding->position.transpose();
}

// Expects that every line of the table has the kind, the parts and the number to a few digits.
void expect_planted_in_table(const PlantedAssembly& scene, const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  std::size_t count = 0;
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line);
    std::string number, word, rest;
    words >> number >> word;
    std::string kind = word;
    if (kind == "too") {
      words >> word;
      kind += " " + word;
    }
    std::string a, b;
    words >> a >> b;
    std::getline(words, rest);
    const auto planted = std::find_if(scene.planted.begin(), scene.planted.end(), [&](const PlantedFinding& finding) {
      return std::minmax(finding.a, finding.b) == std::minmax(a, b);
    });
    ASSERT_NE(planted, scene.planted.end()) << line;
    EXPECT_EQ(kind, to_text(planted->kind)) << line;
    ++count;
    EXPECT_EQ(number, std::to_string(count));
    // "1.5 deep", "10.4 to 12 deep", "0.25 apart".
    const std::size_t deep = rest.find(" deep"), apart = rest.find(" apart");
    if (planted->kind == FindingKind::contact || (deep == std::string::npos && apart == std::string::npos)) continue;
    std::istringstream amount(rest);
    double lower = 0, upper = 0;
    amount >> lower >> word;
    upper = lower;
    if (word == "to") amount >> upper;
    const Bounds truth = deep != std::string::npos ? planted->depth.value() : planted->distance.value();
    const double digits = 1e-3 * upper;
    EXPECT_TRUE(agree({lower - digits, upper + digits}, truth)) << line;
  }
  EXPECT_EQ(count, scene.planted.size());
}

void expect_planted_everywhere(const PlantedAssembly& scene) {
  const Findings findings = check(scene.assembly);
  EXPECT_TRUE(findings.is_complete);
  if (scene.allowed) {
    EXPECT_EQ(findings.pairs_allowed, *scene.allowed);
  }
  {
    SCOPED_TRACE("as returned");
    expect_planted(scene, told_by_check(scene.assembly, findings));
  }
  {
    SCOPED_TRACE("in JSON");
    expect_planted(scene, told_by_json(json_of(scene.assembly, findings)));
  }
  {
    SCOPED_TRACE("in CSV");
    expect_planted(scene, told_by_csv(csv_of(scene.assembly, findings)));
  }
  {
    SCOPED_TRACE("in the report");
    expect_planted(scene, told_by_report(scene.assembly, findings));
  }
  {
    SCOPED_TRACE("in the table");
    expect_planted_in_table(scene, table_of(scene.assembly, findings, {.contacts = true}));
  }
}

TEST(ClashPlanted, TheGearboxHasThePlantedFindingsAndNoOthersInEveryOutput) {
  expect_planted_everywhere(make_gearbox());
}

TEST(ClashPlanted, TheGearboxWrittenToFilesAndReadBackHasTheSameFindings) {
  const PlantedAssembly scene = make_gearbox();
  std::string folder = (std::filesystem::temp_directory_path() / "whisker-gearbox-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::vector<std::filesystem::path> inputs{write_scene(scene.assembly, folder)};
  const PlantedAssembly again{read_assembly(inputs), scene.planted, {}};
  std::filesystem::remove_all(folder);
  ASSERT_EQ(again.assembly.parts.size(), scene.assembly.parts.size());
  for (std::size_t i = 0; i < scene.assembly.parts.size(); ++i) {
    const Part &there = again.assembly.parts[i], &here = scene.assembly.parts[i];
    EXPECT_EQ(there.name, here.name);
    EXPECT_EQ(there.group, here.group);
    EXPECT_EQ(there.pose.rotation(), here.pose.rotation());
    EXPECT_EQ(there.pose.translation(), here.pose.translation());
    EXPECT_EQ(again.assembly.meshes[there.mesh].data.vertices, scene.assembly.meshes[here.mesh].data.vertices);
    EXPECT_EQ(again.assembly.meshes[there.mesh].data.triangles, scene.assembly.meshes[here.mesh].data.triangles);
    EXPECT_EQ(there.motion.size(), here.motion.size());
  }
  expect_planted(again, told_by_check(again.assembly, check(again.assembly)));
}

TEST(ClashPlanted, RandomScenesHaveThePlantedFindingsAndNoOthersInEveryOutput) {
  const std::uint64_t first = 1000 * test::environment_number("WHISKER_TEST_SEED", 1);
  std::map<FindingKind, std::size_t> planted;
  for (std::size_t i = 0; i < test::cases(40); ++i) {
    const std::uint64_t seed = first + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PlantedAssembly scene = test::random_planted_scene(seed, 60 + 20 * (i % 8));
    for (const PlantedFinding& finding : scene.planted)
      ++planted[finding.kind];
    expect_planted_everywhere(scene);
    if (HasFailure()) break;
  }
  for (const FindingKind kind :
       {FindingKind::clash, FindingKind::contained, FindingKind::too_close, FindingKind::contact})
    EXPECT_GT(planted[kind], test::at_least(20)) << to_text(kind);
}

}  // namespace
}  // namespace whisker::clash
