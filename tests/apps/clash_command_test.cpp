// Runs `whisker clash` as a user does and checks its output, its exit status, and what it leaves behind when it is
// stopped.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/outcome.hpp"

namespace whisker {
namespace {

using test::Outcome;
using test::text_of;

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

// One of each kind: a clash of depth 0.25, a part inside another, a gap of 0.125, flush faces, and a part that flies
// in.
constexpr const char* everything = R"({
  "title": "one of everything", "unit": "mm",
  "parts": [
    {"name": "plate", "shape": "box:10,10,1"},
    {"name": "sunk, \"deep\"", "shape": "box:1,1,1", "pose": [-3, 0, 0.75], "group": "things"},
    {"name": "flush", "shape": "box:1,1,1", "pose": [0, 0, 1], "group": "things"},
    {"name": "close", "shape": "box:1,1,1", "pose": [3, 0, 1.125], "group": "things"},
    {"name": "pip", "shape": "box:0.25,0.25,0.25", "pose": [0, 3, 0]},
    {"name": "flyer", "shape": "box:1,1,1",
     "motion": [{"time": 0, "pose": [3, 3, 11]}, {"time": 20, "pose": [3, 3, -9]}]}
  ],
  "rules": {"clearance": 0.25}
})";

class ClashCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whisker_clash_command_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    write("all.json", everything);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome run(const std::string& arguments) const {
    const std::string out = file("out.txt"), err = file("err.txt");
    const int code =
        std::system((std::string(WHISKER_COMMAND) + " clash " + arguments + " >" + out + " 2>" + err).c_str());
    return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, text_of(out), text_of(err)};
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  void expect_refused(const std::string& arguments, const std::string& word) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(word), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }

  // Starts the command with standard output and error redirected to files.
  pid_t start(const std::vector<std::string>& arguments) const {
    const std::string out = file("out.txt"), err = file("err.txt");
    fs::remove(err);
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int out_file = ::open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const int err_file = ::open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    ::dup2(out_file, 1);
    ::dup2(err_file, 2);
    std::vector<char*> words{const_cast<char*>(WHISKER_COMMAND), const_cast<char*>("clash")};
    for (const std::string& argument : arguments)
      words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(WHISKER_COMMAND, words.data());
    ::_exit(127);
  }
  // Waits until the command reports progress, which means that it is in the middle of its work.
  bool wait_for_progress() const {
    for (int i = 0; i < 3000; ++i) {
      if (text_of(file("err.txt")).find("pairs") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  // Forty wrinkled rings that pass through each other: the search for each pair may take long within the budget.
  void write_long_job() const {
    json parts = json::array();
    for (int i = 0; i < 40; ++i) {
      const double x = 0.02 * i;
      parts.push_back({{"name", "ring " + std::to_string(i)},
                       {"shape", "wrinkled-torus:"},
                       {"pose", {x, 0.3 * x, 0.1 * x * x, 1, 0.1 * i, 0.2 * i, 0.05 * i}}});
    }
    write("long.json", json{{"parts", parts}}.dump());
  }

  fs::path folder_;
};

// A finding in the fields that all formats share: kind, a, b and the amount to six digits.
using Line = std::vector<std::string>;

std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

TEST_F(ClashCommand, TheTableSaysWhatIsFound) {
  const Outcome outcome = run(file("all.json") + " --contacts");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  std::istringstream lines(outcome.out);
  std::string line;
  std::vector<std::string> all;
  while (std::getline(lines, line))
    all.push_back(line);
  ASSERT_GE(all.size(), 7u);
  const auto has = [&](std::size_t i, std::initializer_list<const char*> words) {
    for (const char* word : words)
      EXPECT_NE(all[i].find(word), std::string::npos) << all[i] << " lacks " << word;
  };
  has(1, {"1  clash", "plate", "sunk, \"deep\"", "0.25 deep", "(-3, 0, 0.5)"});
  has(2, {"2  clash", "flyer", "10"});
  has(3, {"3  contained", "pip", "0.625 deep", "'pip' lies inside 'plate'"});
  has(4, {"4  too close", "close", "0.125 apart"});
  has(5, {"5  contact", "flush", "touch"});
  has(7, {"one of everything: 2 clashes, 1 contained, 1 too close, 1 contact"});
  EXPECT_EQ(run(file("all.json")).out.find("5  contact"), std::string::npos);
}

TEST_F(ClashCommand, AllFormatsTellTheSame) {
  const Outcome table = run(file("all.json") + " --contacts --json=" + file("f.json") + " --csv=" + file("f.csv"));
  EXPECT_EQ(table.status, 1);
  const json found = json::parse(text_of(file("f.json")));
  EXPECT_EQ(found["complete"], true);
  EXPECT_EQ(found["unit"], "mm");
  ASSERT_EQ(found["findings"].size(), 5u);
  std::istringstream csv(text_of(file("f.csv")));
  std::istringstream text(table.out);
  std::string csv_line, table_line;
  std::getline(csv, csv_line);
  const std::vector<std::string> names = csv_cells(csv_line.substr(0, csv_line.size() - 1));
  std::getline(text, table_line);
  for (const json& finding : found["findings"]) {
    ASSERT_TRUE(std::getline(csv, csv_line));
    ASSERT_TRUE(std::getline(text, table_line));
    const std::vector<std::string> cells = csv_cells(csv_line.substr(0, csv_line.size() - 1));
    ASSERT_EQ(cells.size(), names.size());
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i)
      row[names[i]] = cells[i];
    for (const char* name : {"kind", "a", "b"}) {
      EXPECT_EQ(row[name], finding[name]);
      EXPECT_NE(table_line.find(finding[name]), std::string::npos) << table_line;
    }
    for (const char* name : {"depth", "distance", "time"}) {
      for (const char* end : {"lower", "upper"}) {
        const std::string cell = row[std::string(name) + "_" + end];
        ASSERT_EQ(cell.empty(), !finding.contains(name)) << name;
        if (!cell.empty()) {
          EXPECT_EQ(std::stod(cell), finding[name][end].get<double>());  // the same double
        }
      }
    }
    EXPECT_EQ(std::stod(row["x"]), finding["position"][0].get<double>());
    EXPECT_EQ(row["triangles"], finding["triangles"].dump());
    EXPECT_EQ(row["curves"], std::to_string(finding["curve"].size()));
    EXPECT_EQ(row["note"], finding.value("note", ""));
  }
  EXPECT_FALSE(std::getline(csv, csv_line));
  // Printed instead of the table, the JSON is the same except for the elapsed time.
  json printed = json::parse(run(file("all.json") + " --json").out), written = found;
  printed.erase("seconds");
  written.erase("seconds");
  EXPECT_EQ(printed, written);
  EXPECT_EQ(run(file("all.json") + " --csv").out, text_of(file("f.csv")));
}

TEST_F(ClashCommand, TheNumbersAreThoseOfThePlan) {
  const json found = json::parse(run(file("all.json") + " --json").out);
  const json& sunk = found["findings"][0];
  EXPECT_NEAR(sunk["depth"]["lower"].get<double>(), 0.25, 1e-9);
  EXPECT_NEAR(sunk["depth"]["upper"].get<double>(), 0.25, 1e-9);
  EXPECT_EQ(sunk["group_b"], "things");
  ASSERT_EQ(sunk["curve"].size(), 1u);  // around the box, where the plate's face cuts it
  EXPECT_EQ(sunk["curve"][0]["closed"], true);
  const json& flyer = found["findings"][1];
  EXPECT_LE(flyer["time"]["lower"].get<double>(), 10 + 1e-6);
  EXPECT_GE(flyer["time"]["upper"].get<double>(), 10 - 1e-6);
  EXPECT_NEAR(flyer["pose_b"][2][3].get<double>(), 1, 1e-6);
  EXPECT_NEAR(found["findings"][3]["distance"]["lower"].get<double>(), 0.125, 1e-9);
}

TEST_F(ClashCommand, TheExampleOfTheDocumentationPrintsWhatItSays) {
  const std::string page = text_of(fs::path(WHISKER_SOURCE_DIR) / "docs/clash.md");
  const auto block = [&](const std::string& begin) {
    const std::size_t at = page.find(begin);
    const std::size_t first = page.find('\n', at) + 1;
    return page.substr(first, page.find("```", first) - first);
  };
  write("scene.json", block("```json"));
  Outcome outcome = run(file("scene.json") + " --report " + file("clash.html"));
  EXPECT_EQ(outcome.status, 1);
  const auto without = [](std::string text, const std::string& what) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? text : text.erase(at, what.size());
  };
  // Equal except for the seconds and the path of the report.
  const auto until_seconds = [](const std::string& text) { return text.substr(0, text.find("pairs checked")); };
  EXPECT_EQ(until_seconds(without(outcome.out, folder_.string() + "/")), until_seconds(block("```\n   kind")));
}

TEST_F(ClashCommand, ExitsWithZeroIfNothingIsWrong) {
  EXPECT_EQ(run(file("all.json") + " --only 'plate:flush'").status, 0);  // a contact
  EXPECT_EQ(run(file("all.json") + " --only 'close:flush'").status, 0);
  EXPECT_EQ(run(file("all.json") + " --only 'plate:close'").status, 1);
  EXPECT_EQ(run(file("all.json") + " --only 'plate:close' --clearance 0.1").status, 0);
  EXPECT_EQ(run(file("all.json") + " --only 'plate:sunk*'").status, 1);
  EXPECT_EQ(run(file("all.json") + " --only 'plate:sunk*' --contact 0.3").status, 0);
  EXPECT_EQ(run(file("all.json") + " --only 'plate:sunk*' --allow 'things:plate'").status, 0);
  EXPECT_EQ(run(file("all.json") + " --ignore 'plate:*' --ignore 'flyer:*'").status, 0);
}

TEST_F(ClashCommand, RulesThatNameNobodyAreTold) {
  const std::string out = run(file("all.json") + " --ignore 'plat:things' --allow 'flu*:plate'").out;
  EXPECT_NE(out.find("no part or group matches 'plat'"), std::string::npos) << out;
  EXPECT_EQ(out.find("matches 'flu*'"), std::string::npos) << out;
  EXPECT_EQ(out.find("matches 'things'"), std::string::npos) << out;
}

TEST_F(ClashCommand, AnOnlyRuleThatMatchesNoPairIsRefused) {
  expect_refused(file("all.json") + " --only 'plat:things'", "--only 'plat:things': no two parts match");
  expect_refused(file("all.json") + " --only 'plate:thing'", "'plate', 'sunk");
  // A single part does not form a pair.
  expect_refused(file("all.json") + " --only 'plate:plate'", "plate:plate");
  // Each of several rules is checked, regardless of where the inputs are.
  expect_refused("--only 'plate:close' --only 'nobody:close' " + file("all.json"), "nobody:close");
  // For rules in the scene itself: a single one may match nothing (it may be for another variant), but not all of them.
  const auto scene = [&](const std::string& only) {
    return R"({"parts": [{"name": "a", "shape": "box:1,1,1"}, {"name": "b", "shape": "box:1,1,1"}],
              "rules": {"only": )" +
           only + "}}";
  };
  write("some.json", scene(R"([["a", "b"], ["a", "c"]])"));
  EXPECT_EQ(run(file("some.json")).status, 1);
  write("none.json", scene(R"([["a", "c"], ["d", "*"]])"));
  expect_refused(file("none.json"), "rules.only");
}

TEST_F(ClashCommand, RulesDoNotSwallowTheInput) {
  // What is printed, without the seconds that it took.
  const auto printed = [this](const std::string& arguments) {
    return std::regex_replace(run(arguments).out, std::regex("checked, [0-9.]+ s"), "checked");
  };
  const std::string all = file("all.json");
  const std::string table = printed(all + " --only 'plate:close' --quiet");
  EXPECT_NE(table.find("near pairs checked\n"), std::string::npos) << table;
  EXPECT_EQ(printed("--only 'plate:close' --quiet " + all), table);
  EXPECT_EQ(printed("--only 'plate:close' " + all), table);
  EXPECT_EQ(printed("--only='plate:close' " + all), table);
  // Several rules of all kinds, before the input, between inputs, and after them.
  write("more.json", R"({"parts": [{"name": "extra", "shape": "box:1,1,1", "pose": [0, 0, 50]}]})");
  const std::string more = file("more.json");
  const std::string both =
      printed(all + " " + more + " --only 'plate:*' --only '*:close' --ignore 'pip:*' --allow 'f*:*'");
  EXPECT_NE(both.find("clash"), std::string::npos) << both;
  EXPECT_EQ(printed("--only 'plate:*' --only '*:close' --ignore 'pip:*' --allow 'f*:*' " + all + " " + more), both);
  EXPECT_EQ(printed("--only 'plate:*' " + all + " --only '*:close' --ignore 'pip:*' " + more + " --allow 'f*:*'"),
            both);
  // Two words after one option: the second is taken as an input, which does not exist.
  expect_refused(all + " --only 'plate:close' 'plate:flush'", "plate:flush");
}

TEST_F(ClashCommand, JsonTakesAFileInEveryForm) {
  const std::string all = file("all.json"), out = file("findings.json");
  const std::string printed = run(all + " --json").out;
  const auto findings = [](const std::string& text) { return json::parse(text).at("findings"); };
  const json expected = findings(printed);
  for (const std::string& arguments :
       {"--json=" + out + " " + all, "--json " + out + " " + all, all + " --json " + out, all + " --json=" + out,
        "--quiet --json " + out + " --clearance 0.25 " + all, "--clearance 0.25 --json " + out + " -- " + all}) {
    fs::remove(out);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments << outcome.err;
    ASSERT_TRUE(fs::exists(out)) << arguments;
    EXPECT_EQ(findings(text_of(out)), expected) << arguments;
    EXPECT_NE(outcome.out.find("clash"), std::string::npos) << "the table is printed: " << arguments;
    // Again, over the file that the first run wrote.
    EXPECT_EQ(run(arguments).status, 1) << arguments;
    EXPECT_EQ(findings(text_of(out)), expected) << arguments;
  }
  // If there is no other input, the word is the input, and JSON is printed.
  EXPECT_EQ(findings(run("--json " + all).out), expected);
  EXPECT_EQ(text_of(all), everything);
  expect_refused("--json " + file("nowhere.json"), "nowhere.json");
  EXPECT_FALSE(fs::exists(file("nowhere.json")));
  // With the built-in example there is an input, so the word is the output file.
  fs::remove(out);
  EXPECT_EQ(run("--example --json " + out).status, 1);
  EXPECT_TRUE(fs::exists(out));
}

TEST_F(ClashCommand, CsvTakesAFileInEveryForm) {
  const std::string all = file("all.json"), out = file("findings.csv"), other = file("findings.json");
  const std::string printed = run(all + " --csv").out;
  for (const std::string& arguments :
       {"--csv=" + out + " " + all, "--csv " + out + " " + all, all + " --csv " + out,
        "--csv " + out + " --json " + other + " " + all, "--json " + other + " --csv " + out + " " + all}) {
    fs::remove(out);
    EXPECT_EQ(run(arguments).status, 1) << arguments;
    EXPECT_EQ(text_of(out), printed) << arguments;
    EXPECT_EQ(run(arguments).status, 1) << arguments << ", again";
  }
  EXPECT_EQ(run("--csv " + all).out, printed);
  // With --json's word as the only input.
  fs::remove(out);
  EXPECT_EQ(run("--json " + all + " --csv " + out).status, 1);
  EXPECT_EQ(text_of(out), printed);
}

TEST_F(ClashCommand, NoInputIsEverWrittenOver) {
  const std::string all = file("all.json");
  write("other.json", everything);
  const std::string other = file("other.json");
  // An existing scene file is an input, whatever option precedes it.
  const std::string both = run(all + " " + other + " --json").out;
  EXPECT_EQ(json::parse(run("--json " + all + " " + other).out).at("parts"), json::parse(both).at("parts"));
  EXPECT_EQ(json::parse(run(all + " --json " + other).out).at("parts"), json::parse(both).at("parts"));
  for (const char* option : {"--json=", "--csv=", "--report "}) {
    expect_refused(all + " " + option + all, "is an input");
    expect_refused(other + " " + all + " " + option + (folder_ / "." / "all.json").string(), "is an input");
  }
  // Files of other programs are not overwritten either.
  write("theirs.json", R"({"their": "data"})");
  expect_refused(all + " --json " + file("theirs.json"), "theirs.json");
  EXPECT_EQ(text_of(file("theirs.json")), R"({"their": "data"})");
  EXPECT_EQ(text_of(all), everything);
  EXPECT_EQ(text_of(other), everything);
}

TEST_F(ClashCommand, BadInputIsRefused) {
  expect_refused("", "INPUT");
  expect_refused(file("nowhere.json"), "nowhere.json");
  expect_refused(file("all.json") + " --only plate", "A:B");
  expect_refused(file("all.json") + " --clearance -1", "clearance");
  expect_refused(file("all.json") + " --clearance much", "clearance");
  expect_refused(file("all.json") + " --budget 0", "budget");
  expect_refused(file("all.json") + " --threads -1", "threads");
  expect_refused(file("all.json") + " --json --csv", "--csv=");
  expect_refused(file("all.json") + " --json=" + file("no/such/folder/f.json"), "f.json");
  expect_refused(file("all.json") + " --unit cubit", "cubit");
  write("bad.json", R"({"parts": [{"shape": "box:1,1,1", "pose": [0, 0]}]})");
  expect_refused(file("bad.json"), "parts[0].pose");
}

TEST_F(ClashCommand, ThreadsDoNotChangeTheAnswer) {
  const std::string one = run(file("all.json") + " --csv --threads 1").out;
  for (const char* threads : {"2", "3", "4"})
    EXPECT_EQ(run(file("all.json") + " --csv --threads " + threads).out, one);
}

TEST_F(ClashCommand, CtrlCEndsALongCheckAndReportsWhatThereIs) {
  write_long_job();
  const pid_t child =
      start({file("long.json"), "--depth-budget", "4000000000", "--json=" + file("some.json"), "--threads", "1"});
  ASSERT_TRUE(wait_for_progress());
  const auto asked = Clock::now();
  ASSERT_EQ(::kill(child, SIGINT), 0);
  int code = 0;
  ASSERT_EQ(::waitpid(child, &code, 0), child);
  EXPECT_LT(Clock::now() - asked, std::chrono::seconds(60));
  ASSERT_TRUE(WIFEXITED(code)) << code;
  EXPECT_EQ(WEXITSTATUS(code), 1);
  const json some = json::parse(text_of(file("some.json")));
  EXPECT_EQ(some["complete"], false);
  EXPECT_GT(some["pairs"]["checked"].get<int>(), 0);
  EXPECT_LT(some["pairs"]["checked"].get<int>(), some["pairs"]["near"].get<int>());
  EXPECT_EQ(some["findings"].size(), some["pairs"]["checked"].get<std::size_t>());
  EXPECT_NE(text_of(file("out.txt")).find("INCOMPLETE"), std::string::npos);
}

TEST_F(ClashCommand, ABudgetEndsALongCheck) {
  write_long_job();
  const Outcome outcome = run(file("long.json") + " --budget 0.2 --depth-budget 4000000000");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("INCOMPLETE"), std::string::npos);
  // Nothing was found, but not everything was checked: that does not count as "nothing wrong".
  EXPECT_EQ(run(file("all.json") + " --only 'close:flush' --budget 1e-9 --clearance 5").status, 1);
}

TEST_F(ClashCommand, KilledMidwayItLeavesNoHalfFile) {
  write_long_job();
  write("old.csv", "as it was\n");
  const pid_t child = start({file("long.json"), "--depth-budget", "4000000000", "--json=" + file("new.json"),
                             "--csv=" + file("old.csv"), "--report", file("new.html")});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  int early = 0;
  ASSERT_EQ(::waitpid(child, &early, WNOHANG), 0) << "it has ended already";
  ::kill(child, SIGKILL);
  int code = 0;
  ::waitpid(child, &code, 0);
  EXPECT_FALSE(fs::exists(file("new.json")));
  EXPECT_FALSE(fs::exists(file("new.html")));
  EXPECT_EQ(text_of(file("old.csv")), "as it was\n");
}

TEST_F(ClashCommand, KilledAtAnyTimeItLeavesNoHalfFile) {
  const std::string path = file("findings.json");
  for (int i = 0; i < 12; ++i) {
    fs::remove(path);
    const pid_t child = start({file("all.json"), "--json=" + path, "--report", file("page.html")});
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * i));
    ::kill(child, SIGKILL);
    int code = 0;
    ::waitpid(child, &code, 0);
    if (fs::exists(path)) {
      EXPECT_EQ(json::parse(text_of(path))["complete"], true);
    }
    if (fs::exists(file("page.html"))) {
      EXPECT_NE(text_of(file("page.html")).rfind("</html>"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace whisker
