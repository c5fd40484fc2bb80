// whisker clash INPUT…

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tbb/global_control.h>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <whisker/error.hpp>

#include "clash/check.hpp"
#include "clash/gearbox.hpp"
#include "clash/output.hpp"
#include "clash/pattern.hpp"
#include "clash/read_assembly.hpp"
#include "clash/report.hpp"
#include "clash/scene_json.hpp"
#include "clash/unit.hpp"
#include "clash/write_scene.hpp"
#include "commands.hpp"
#include "printing.hpp"
#include "progress.hpp"

namespace whisker::apps {
namespace {

using namespace whisker::clash;

// Selects standard output, where the JSON or CSV then replaces the table.
constexpr const char* standard_output = "-";

struct ClashArguments {
  std::vector<std::filesystem::path> inputs;
  std::optional<std::string> clearance;  // lengths may have a unit, so they are parsed once the result's unit is known
  std::optional<std::string> contact;
  std::vector<std::string> only;
  std::vector<std::string> ignored;
  std::vector<std::string> allowed;
  ReadOptions reading;
  CheckOptions checking;
  int threads = 0;
  std::string json;
  std::string csv;
  std::string report;
  std::string solid;
  bool contacts = false;
  bool quiet = false;
  bool example = false;
  std::string output;  // the example's folder
};

std::atomic<bool> stop_asked{false};

// The first Ctrl-C ends the check soon, the second one ends the program at once.
extern "C" void ask_to_stop(int) {
  stop_asked.store(true);
  std::signal(SIGINT, SIG_DFL);
}

// The first few part names, for a message.
std::string some_names(const Assembly& assembly) {
  return listed(assembly.parts.size(), 8, [&](std::size_t i) { return assembly.parts[i].name; });
}

PairRule parse_rule(const std::string& text, const char* option) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
    throw Error(
        fmt::format("{} '{}': takes A:B, two patterns of part names or groups, such as 'bolt*:plate'", option, text));
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// A rule that matches no pair would let the check pass without testing anything.
void check_only(const std::vector<std::string>& texts, const Assembly& assembly) {
  for (const std::string& text : texts) {
    if (!names_pair(parse_rule(text, "--only"), assembly))
      throw Error(fmt::format("--only '{}': no two parts match; the parts are {}", text, some_names(assembly)));
  }
  const std::vector<PairRule>& only = assembly.rules.only;
  const auto is_used = [&](const PairRule& rule) { return names_pair(rule, assembly); };
  if (!only.empty() && std::none_of(only.begin(), only.end(), is_used))
    throw Error(
        fmt::format("the scene's rules.only: no two parts match any of them, so nothing would be checked; the "
                    "parts are {}",
                    some_names(assembly)));
}

// Refuses to overwrite an input file.
void check_outputs(const ClashArguments& arguments) {
  for (const std::string& output : {arguments.json, arguments.csv, arguments.report}) {
    for (const std::filesystem::path& input : arguments.inputs) {
      std::error_code ignored;
      if (!output.empty() && std::filesystem::equivalent(output, input, ignored))
        throw Error(output + ": is an input; write to another file, so that it is not lost");
    }
  }
}

void apply_options(const ClashArguments& arguments, Assembly& assembly) {
  Rules& rules = assembly.rules;
  if (arguments.clearance) rules.clearance = parse_length(*arguments.clearance, assembly.unit, "--clearance");
  if (arguments.contact) rules.contact = parse_length(*arguments.contact, assembly.unit, "--contact");
  for (const std::string& text : arguments.only)
    rules.only.push_back(parse_rule(text, "--only"));
  for (const std::string& text : arguments.ignored)
    rules.ignored.push_back(parse_rule(text, "--ignore"));
  for (const std::string& text : arguments.allowed)
    rules.allowed.push_back(parse_rule(text, "--allow"));
  if (!arguments.solid.empty()) rules.solid = *solid_of_text(arguments.solid);
  check_only(arguments.only, assembly);
  for (const std::string& pattern : patterns_without_parts(assembly))
    assembly.notes.push_back("rules: no part or group matches '" + pattern + "'");
}

void write_outputs(const ClashArguments& arguments, const Assembly& assembly, const Findings& findings) {
  // Writes files first, so that all of them exist when the table appears.
  std::string shown = table_of(assembly, findings, {.contacts = arguments.contacts, .report = arguments.report});
  for (const auto& [file, text_of] : {std::pair(arguments.json, &json_of), std::pair(arguments.csv, &csv_of)}) {
    if (file == standard_output) shown = text_of(assembly, findings);
    if (!file.empty() && file != standard_output) write_whole_file(file, text_of(assembly, findings));
  }
  if (!arguments.report.empty()) write_report(arguments.report, assembly, findings);
  fmt::print("{}", shown);
}

// Writes the example's files and explains how to use them.
void write_example(ClashArguments arguments, const Assembly& assembly, const Findings& findings) {
  const std::filesystem::path folder = arguments.output;
  const std::filesystem::path scene = write_scene(assembly, folder / "gearbox");
  if (arguments.report.empty()) arguments.report = (folder / "gearbox.html").string();
  write_outputs(arguments, assembly, findings);
  if (arguments.json == standard_output || arguments.csv == standard_output) return;
  fmt::print(
      "\nOpen {} in a browser to view it. The parts are in {}: change a pose or a rule there, and run\n"
      "  ./run clash {} --report {}\n",
      arguments.report, scene.string(), scene.string(), (folder / "again.html").string());
}

void run_clash(const ClashArguments& arguments) {
  if (arguments.example != arguments.inputs.empty())
    throw Error(arguments.example ? "clash: takes --example or inputs, not both"
                                  : "clash: INPUT is required: scene files, folders of parts, or a scene.json; "
                                    "or try --example");
  if (!arguments.output.empty() && !arguments.example) throw Error("--output: is only for --example");
  if (arguments.json == standard_output && arguments.csv == standard_output)
    throw Error("--json and --csv: only one of them can be printed; give the other a file, such as --csv=out.csv");
  check_outputs(arguments);
  if (!arguments.solid.empty() && !solid_of_text(arguments.solid))
    throw Error("--solid '" + arguments.solid + "': takes likely, proven or never");
  if (!(arguments.checking.seconds > 0)) throw Error("--budget: takes seconds, more than 0");
  if (arguments.threads < 0) throw Error("--threads: takes a number of threads, 1 or more");
  std::optional<tbb::global_control> threads;
  if (arguments.threads > 0)
    threads.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(arguments.threads));
  ReadOptions reading = arguments.reading;
  reading.has_contact = arguments.contact.has_value();
  Assembly assembly = arguments.example ? make_gearbox().assembly : read_assembly(arguments.inputs, reading);
  apply_options(arguments, assembly);
  check_input(assembly);

  ProgressShow show("pairs");
  CheckOptions options = arguments.checking;
  options.stop = &stop_asked;
  if (!arguments.quiet) options.progress = [&show](std::size_t done, std::size_t all) { show(done, all); };
  const auto previous = std::signal(SIGINT, ask_to_stop);
  const Findings findings = clash::check(assembly, options);
  show.finish();
  if (arguments.output.empty()) {
    write_outputs(arguments, assembly, findings);
  } else {
    write_example(arguments, assembly, findings);
  }
  std::signal(SIGINT, previous);
  const bool has_problem = std::any_of(findings.all.begin(), findings.all.end(), is_problem);
  // An unfinished check without findings has not shown that there are none.
  if (has_problem || !findings.is_complete) throw CLI::RuntimeError(1);
}

}  // namespace

void add_clash_command(CLI::App& app) {
  auto arguments = std::make_shared<ClashArguments>();
  CLI::App* command =
      app.add_subcommand("clash", "Which parts of an assembly overlap, touch, or are closer than allowed?");
  command->add_option("INPUT", arguments->inputs,
                      "scene files (glTF, COLLADA, OBJ with groups, STL…), folders of parts, or a scene.json");
  command->add_flag("--example", arguments->example,
                    "check the built-in example, a gearbox with mistakes, instead of inputs");
  command->add_option("-o,--output", arguments->output,
                      "with --example: a folder for the report and for the example's parts and scene.json");
  command->add_option(
      "--clearance", arguments->clearance,
      "parts that are closer than this are too close: a length in the result's unit, or with a unit, such as 50mm");
  command->add_option("--contact", arguments->contact,
                      "overlaps and gaps of at most this are contacts, not problems [0: flush faces]");
  const auto add_rules = [&](const char* name, std::vector<std::string>& rules, const char* what) {
    add_repeated(*command, name, rules, std::string(what) + ": A:B, patterns of part names or groups; may be repeated");
  };
  add_rules("--only", arguments->only, "check only these pairs");
  add_rules("--ignore", arguments->ignored, "do not check these pairs");
  add_rules("--allow", arguments->allowed, "these pairs may touch: they are counted but not reported");
  command->add_option("--unit", arguments->reading.unit,
                      "unit of the result and of files that state none: mm, cm, m, in, ft… Files that state another "
                      "are converted");
  command->add_option("--solid", arguments->solid,
                      "which parts have an inside: likely (closed parts, and others whose winding numbers are clear), "
                      "proven (only closed parts) or never (all are surfaces) [likely]");
  command->add_flag("--repair", arguments->reading.repair,
                    "close parts that are not closed if that is safe: the notes say which ones, and how");
  command->add_option("--threads", arguments->threads, "number of threads [all cores]");
  command->add_option("--budget", arguments->checking.seconds,
                      "stop after this many seconds and report the findings so far");
  command->add_option("--depth-budget", arguments->checking.depth_budget,
                      fmt::format("maximum number of tests for the depth of one pair; more give tighter bounds [{}]",
                                  arguments->checking.depth_budget));
  command->add_flag("--json{-}", arguments->json,
                    "print JSON instead of the table; --json FILE.json or --json=FILE writes it to a file");
  command->add_flag("--csv{-}", arguments->csv,
                    "print CSV instead of the table; --csv FILE.csv or --csv=FILE writes it to a file");
  command->add_option("--report", arguments->report, "write a page that shows the findings in 3D: FILE.html");
  command->add_flag("--contacts", arguments->contacts, "also list contacts in the table");
  command->add_flag("--quiet", arguments->quiet, "show no progress");
  command->callback([arguments] { run_clash(*arguments); });
}

}  // namespace whisker::apps
