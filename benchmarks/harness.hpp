#pragma once

// The harness of all benchmark suites: timing several systems on the same inputs, comparing their results, the table,
// and the results file.
//
//     Suite suite("geometry", argc, argv);
//     suite.measure({.name = "touch-triangle/near", .calls = pairs.size()},
//                   {{"whisker", [&] { … every pair once … }, hits}, {"FCL", [&] { … }, fcl_hits}});
//     return suite.finish();
//
// A system processes every input once per pass, in the same order as all others, and keeps its results. The systems
// take turns, round after round, so that other load on the machine affects all of them equally. A number is the median
// over the rounds. Time is the thread's processor time: other programs on the machine affect cache and clock rate, but
// are not counted themselves.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <time.h>
#include <utility>
#include <vector>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define WHISKER_BENCH_CALLGRIND
#endif

namespace whisker::bench {

/// Processor time of this thread, in seconds.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time of the whole process, in seconds, including work that a library hands to its own threads.
inline double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Wall time, in seconds.
inline double wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The processor's model, "" if unknown.
inline std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    std::string model = begin < line.size() ? line.substr(begin) : "";
    std::erase_if(model, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; });
    return model;
  }
  return {};
}

/// Today, as 2026-01-31 (UTC).
inline std::string date_today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// One of the systems compared.
struct System {
  std::string name;                      ///< "whisker", "whisker/variant" or the peer's name.
  std::function<void()> pass;            ///< Processes every input once.
  std::function<std::size_t()> answers;  ///< After a pass: the number of yes answers (hits, corners…).
  bool by_wall = false;                  ///< Measures wall time, because gains from several threads show only there.
};

/// A benchmark case, and how often it is run.
struct Case {
  std::string name;       ///< Begins with the kind of query.
  std::size_t calls = 1;  ///< Queries in one pass.
  bool hit_rate = true;   ///< Whether answers / calls is a rate worth printing.
  /// Approximate limit on the time of the whole case: if a round takes long, there are fewer rounds, but at least
  /// three.
  double seconds = std::numeric_limits<double>::infinity();
  bool all_threads = false;  ///< Count the time of the whole process instead of only this thread.
  bool quiet = false;        ///< No table.
};

/// An option of a suite in addition to those of all suites.
struct Option {
  std::string name;                      ///< "--scaling"
  std::string value_name;                ///< "NAME" if the option takes a value; empty if it takes none.
  std::string help;                      ///< For the usage.
  std::vector<std::string> values = {};  ///< The values given, if the option was repeated more than one.
  bool given = false;
};

/// One line of the results file.
struct Row {
  std::string case_name;
  std::string system;
  double median = 0;  ///< Nanoseconds per call, or in `unit`.
  std::size_t answers = 0;
  std::size_t calls = 1;
  bool hit_rate = true;
  double to_first = 1;  ///< The time relative to the case's first system: median of the ratios within a round.
  std::string unit = "ns";
};

/// A suite: its options, its rows, and whether any results disagree.
class Suite {
 public:
  Suite(std::string name, int argc, char** argv, std::vector<Option> options = {})
      : name_(std::move(name)), results_(name_), options_(std::move(options)) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (argument == "--quick") {
        quick_ = true;
      } else if (argument == "--only" && i + 1 < argc) {
        only_ = argv[++i];
      } else if (Option* option = find(argument); option != nullptr && (option->value_name.empty() || i + 1 < argc)) {
        option->given = true;
        if (!option->value_name.empty()) option->values.emplace_back(argv[++i]);
      } else {
        usage_error_ = true;
      }
    }
    if (usage_error_) print_usage();  // also for --help
  }

  bool quick() const { return quick_; }
  bool usage_error() const { return usage_error_; }
  /// The value of one of the suite's own options, the last one if it was repeated; "" if it was not given.
  std::string value(std::string_view option) const {
    const std::vector<std::string> all = values(option);
    return all.empty() ? std::string() : all.back();
  }
  /// All values of an option that may be repeated.
  std::vector<std::string> values(std::string_view option) const {
    for (const Option& o : options_)
      if (o.name == option) return o.values;
    return {};
  }
  bool given(std::string_view option) const {
    return std::any_of(options_.begin(), options_.end(), [&](const Option& o) { return o.name == option && o.given; });
  }
  /// Sets NAME for the results file benchmarks/results/NAME.json. The default is the suite's name. "" writes none.
  void set_results(std::string name) { results_ = std::move(name); }
  bool writes_results() const {
    return (only_.empty() || std::getenv("WHISKER_BENCH_OUTPUT") != nullptr) && !results_.empty();
  }
  bool wants(std::string_view case_name) const { return case_name.find(only_) != std::string_view::npos; }

  /// Times the systems in turns. The table compares the others with the first one. For scripts/compare: if
  /// WHISKER_BENCH_OWN is set, only whisker's own systems run. If WHISKER_BENCH_COUNT is set, they run under callgrind,
  /// once to warm up and once to be counted.
  void measure(const Case& what, const std::vector<System>& all_systems) {
    const std::vector<System> systems = chosen(all_systems);
    if (systems.empty()) return;
    if (std::getenv("WHISKER_BENCH_COUNT") != nullptr) return count_instructions(what, systems);
    const double min_seconds = quick_ ? 2e-3 : 10e-3;  // for one system in one round
    const auto clock_of = [&](const System& system) {
      return system.by_wall ? wall_seconds : what.all_threads ? process_seconds : thread_seconds;
    };
    std::vector<std::size_t> passes(systems.size());
    double used = 0, round_seconds = 0;
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const auto now = clock_of(systems[s]);
      double seconds = 0;
      for (int i = 0; i < 2 && seconds < 10 * min_seconds; ++i) {  // the first pass warms up and gives the answers
        const double begin = now();
        systems[s].pass();
        seconds = std::max(now() - begin, 1e-7);
        used += seconds;
      }
      passes[s] = std::max<std::size_t>(1, static_cast<std::size_t>(min_seconds / seconds));
      round_seconds += seconds * static_cast<double>(passes[s]);
    }
    const double affordable = std::clamp((what.seconds - used) / round_seconds, 3.0, 1e6);
    const std::size_t rounds =
        std::min(quick_ ? std::size_t{9} : std::size_t{31}, static_cast<std::size_t>(affordable));
    std::vector<std::vector<double>> nanoseconds(systems.size()), ratios(systems.size());
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t turn = 0; turn < systems.size(); ++turn) {
        const std::size_t s = (round + turn) % systems.size();
        const auto now = clock_of(systems[s]);
        const double begin = now();
        for (std::size_t i = 0; i < passes[s]; ++i)
          systems[s].pass();
        const double seconds = now() - begin;
        nanoseconds[s].push_back(1e9 * seconds / static_cast<double>(passes[s] * what.calls));
      }
      for (std::size_t s = 0; s < systems.size(); ++s)
        ratios[s].push_back(nanoseconds[s].back() / nanoseconds[0].back());
    }
    if (!what.quiet) std::printf("\n%s\n", what.name.c_str());
    for (std::size_t s = 0; s < systems.size(); ++s) {
      rows_.push_back({what.name, systems[s].name, median(nanoseconds[s]), systems[s].answers(), what.calls,
                       what.hit_rate, median(ratios[s]), "ns"});
      if (!what.quiet) print(rows_.back());
    }
    std::fflush(stdout);
  }

  /// Records a number that was not timed, such as a count, only for the results file.
  void record(const std::string& case_name, const std::string& system, const std::string& unit, double value,
              std::size_t answers = 0) {
    rows_.push_back({case_name, system, value, answers, 1, false, 1, unit});
  }

  /// Prints a line under the case's table.
  void note(const std::string& text) {
    std::printf("  %s\n", text.c_str());
    std::fflush(stdout);
  }

  /// Reports that results differ and whisker's was not shown to be right: the run fails.
  void fail(const std::string& text) {
    if (runs_own_only()) return;  // what is compared with peers that did not run means nothing
    std::printf("  DISAGREEMENT: %s\n", text.c_str());
    failed_ = true;
  }

  /// Nanoseconds per call, the median over the rounds; 0 if not measured.
  double nanoseconds(std::string_view case_name, std::string_view system) const {
    for (const Row& row : rows_)
      if (row.case_name == case_name && row.system == system) return row.median;
    return 0;
  }

  /// The median time of one system divided by that of another in the case, both measured in the same rounds; 0 if not
  /// measured.
  double ratio(std::string_view case_name, std::string_view system, std::string_view to) const {
    double above = 0, below = 0;
    for (const Row& row : rows_) {
      if (row.case_name != case_name) continue;
      if (row.system == system) above = row.to_first;
      if (row.system == to) below = row.to_first;
    }
    return below > 0 ? above / below : 0;
  }

  /// Writes benchmarks/results/SUITE.json (or the name from set_results): on which processor and when, then the rows.
  /// Returns the program's exit status.
  int finish() const {
    if (writes_results()) {
      const char* const elsewhere = std::getenv("WHISKER_BENCH_OUTPUT");  // a folder, for scripts/compare
      const std::string folder = elsewhere != nullptr ? elsewhere : WHISKER_BENCH_RESULTS;
      const std::string path = folder + "/" + results_ + ".json";
      std::ofstream file(path);
      file << "[\n"
           << R"(  {"processor": ")" << processor_model() << R"(", "date": ")" << date_today() << R"(", "quick": )"
           << (quick_ ? "true" : "false") << (rows_.empty() ? "}\n" : "},\n");
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        char number[64];
        std::snprintf(number, sizeof number, "%.4g", rows_[i].median);
        file << R"(  {"case": ")" << rows_[i].case_name << R"(", "system": ")" << rows_[i].system << R"(", "unit": ")"
             << rows_[i].unit << R"(", "median": )" << number << R"(, "answers": )" << rows_[i].answers << "}"
             << (i + 1 < rows_.size() ? ",\n" : "\n");
      }
      file << "]\n";
      file.close();
      if (!file) {
        std::fprintf(stderr, "cannot write %s\n", path.c_str());
        return 1;
      }
    }
    std::printf(failed_ ? "\nsome answers disagree\n" : "\nno disagreement that counts against whisker\n");
    return failed_ ? 1 : 0;
  }

 private:
  static bool runs_own_only() { return std::getenv("WHISKER_BENCH_OWN") != nullptr; }

  static std::vector<System> chosen(const std::vector<System>& systems) {
    if (!runs_own_only()) return systems;
    std::vector<System> own;
    for (const System& system : systems)
      if (system.name.starts_with("whisker")) own.push_back(system);
    return own;
  }

  /// Makes each system's second pass a separate profile, with the case and the system in its description.
  static void count_instructions([[maybe_unused]] const Case& what, const std::vector<System>& systems) {
    for (const System& system : systems) {
      system.pass();
#ifdef WHISKER_BENCH_CALLGRIND
      const std::string name = what.name + " " + system.name;  // must outlive callgrind's read
      CALLGRIND_START_INSTRUMENTATION;  // needed after --instr-atstart=no, which skips the building of scenes
      CALLGRIND_ZERO_STATS;
      system.pass();
      CALLGRIND_DUMP_STATS_AT(name.c_str());
      CALLGRIND_STOP_INSTRUMENTATION;
#endif
    }
  }

  Option* find(std::string_view name) {
    for (Option& option : options_)
      if (option.name == name) return &option;
    return nullptr;
  }

  void print_usage() const {
    std::string line = "usage: ./bench " + name_ + " [--quick] [--only TEXT]";
    std::string more = "  --only: only cases whose name contains TEXT; writes no results file\n";
    for (const Option& option : options_) {
      const std::string words = option.name + (option.value_name.empty() ? "" : " " + option.value_name);
      line += " [" + words + "]";
      more += "  " + option.name + ": " + option.help + "\n";
    }
    std::fprintf(stderr, "%s\n%s", line.c_str(), more.c_str());
  }

  static void print(const Row& row) {
    const char* unit = "ns";
    double value = row.median;
    if (value >= 1e6)
      value *= 1e-6, unit = "ms";
    else if (value >= 1e4)
      value *= 1e-3, unit = "us";
    std::printf("  %-30s %9.1f %s  %6.2f x   %zu", row.system.c_str(), value, unit, row.to_first, row.answers);
    if (row.hit_rate) {
      std::printf(" of %zu (%.1f %%)", row.calls,
                  100 * static_cast<double>(row.answers) / static_cast<double>(row.calls));
    }
    std::printf("\n");
  }

  std::string name_;
  std::string results_;
  std::vector<Option> options_;
  std::string only_;
  bool quick_ = false;
  bool usage_error_ = false;
  bool failed_ = false;
  std::vector<Row> rows_;
};

}  // namespace whisker::bench
