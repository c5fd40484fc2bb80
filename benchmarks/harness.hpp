#pragma once

// What every suite of benchmarks shares: timing several systems on the same inputs, comparing their answers, the table,
// and the results file.
//
//     Suite suite("geometry", argc, argv);
//     suite.measure({.name = "touch-triangle/near", .calls = pairs.size()},
//                   {{"whisker", [&] { … every pair once … }, hits}, {"FCL", [&] { … }, fcl_hits}});
//     return suite.finish();
//
// A system asks every input once per pass, in the same order as all others, and keeps its answers. The systems take
// turns, round after round, so that whatever else the machine does meets all of them alike; a number is the median over
// the rounds. Time is the thread's processor time: other programs on the machine then cost cache and clock rate, but
// are not counted themselves.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

/// Processor time of the whole process, in seconds: work that a library hands to threads of its own is counted.
inline double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The clock on the wall, in seconds.
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

/// One of the systems that are compared.
struct System {
  std::string name;                      ///< "whisker", "whisker/variant" or the peer's name.
  std::function<void()> pass;            ///< Asks every input once.
  std::function<std::size_t()> answers;  ///< After a pass: how many answers were yes (hits, corners…).
  bool by_wall = false;                  ///< By the clock on the wall: what several threads gain shows only there.
};

/// What is asked, and how often.
struct Case {
  std::string name;       ///< Begins with what is asked.
  std::size_t calls = 1;  ///< Questions in one pass.
  bool hit_rate = true;   ///< Whether answers / calls is a rate worth printing.
  /// About how long the whole case may take: there are fewer rounds, but at least three, where one takes long.
  double seconds = std::numeric_limits<double>::infinity();
  bool all_threads = false;  ///< Count the time of the whole process and not of this thread alone.
  bool quiet = false;        ///< No table.
};

/// An option that a suite has besides those of all suites.
struct Option {
  std::string name;        ///< "--scaling"
  std::string value_name;  ///< "NAME" where the option takes a value; empty where it takes none.
  std::string help;        ///< For the usage.
  std::string value = {};  ///< What was given.
  bool given = false;
};

/// One line of the results file.
struct Row {
  std::string case_name;
  std::string system;
  double median = 0;  ///< Nanoseconds per call, or what `unit` says.
  std::size_t answers = 0;
  std::size_t calls = 1;
  bool hit_rate = true;
  double to_first = 1;  ///< The time over that of the case's first system: median of the ratios within a round.
  std::string unit = "ns";
};

/// A suite: its options, its rows, and whether anything disagreed.
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
        if (!option->value_name.empty()) option->value = argv[++i];
      } else {
        usage_error_ = true;
      }
    }
    if (usage_error_) print_usage();  // --help too
  }

  bool quick() const { return quick_; }
  bool usage_error() const { return usage_error_; }
  /// The value of one of the suite's own options; "" where it was not given.
  std::string value(std::string_view option) const {
    for (const Option& o : options_)
      if (o.name == option) return o.value;
    return {};
  }
  bool given(std::string_view option) const {
    return std::any_of(options_.begin(), options_.end(), [&](const Option& o) { return o.name == option && o.given; });
  }
  /// The results go to benchmarks/results/NAME.json; by default the suite's name. "" writes none.
  void set_results(std::string name) { results_ = std::move(name); }
  bool writes_results() const {
    return (only_.empty() || std::getenv("WHISKER_BENCH_OUTPUT") != nullptr) && !results_.empty();
  }
  bool wants(std::string_view case_name) const { return case_name.find(only_) != std::string_view::npos; }

  /// Times the systems in turns. The first one is what the others are compared with in the table. For scripts/compare:
  /// where WHISKER_BENCH_OWN is set, whisker's own systems alone; where WHISKER_BENCH_COUNT is, they are run under
  /// callgrind, once to warm up and once to be counted.
  void measure(const Case& what, const std::vector<System>& all_systems) {
    const std::vector<System> systems = chosen(all_systems);
    if (systems.empty()) return;
    if (std::getenv("WHISKER_BENCH_COUNT") != nullptr) return count_instructions(what, systems);
    const double min_seconds = quick_ ? 2e-3 : 10e-3;  // of one system in one round
    const auto clock_of = [&](const System& system) {
      return system.by_wall ? wall_seconds : what.all_threads ? process_seconds : thread_seconds;
    };
    std::vector<std::size_t> passes(systems.size());
    double used = 0, round_seconds = 0;
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const auto now = clock_of(systems[s]);
      double seconds = 0;
      for (int i = 0; i < 2 && seconds < 10 * min_seconds; ++i) {  // the first is the warm-up, and gives the answers
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

  /// A number that was not measured by the clock, such as a count, for the results file alone.
  void record(const std::string& case_name, const std::string& system, const std::string& unit, double value,
              std::size_t answers = 0) {
    rows_.push_back({case_name, system, value, answers, 1, false, 1, unit});
  }

  /// A line under the case's table.
  void note(const std::string& text) {
    std::printf("  %s\n", text.c_str());
    std::fflush(stdout);
  }

  /// Answers differ, and whisker's was not shown to be right: the run fails.
  void fail(const std::string& text) {
    std::printf("  DISAGREEMENT: %s\n", text.c_str());
    failed_ = true;
  }

  /// Nanoseconds per call, the median over the rounds; 0 if not measured.
  double nanoseconds(std::string_view case_name, std::string_view system) const {
    for (const Row& row : rows_)
      if (row.case_name == case_name && row.system == system) return row.median;
    return 0;
  }

  /// The median time of one system over that of another in the case, both measured in the same rounds; 0 if not
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

  /// Writes benchmarks/results/SUITE.json (set_results: another name); the program's exit status.
  int finish() const {
    if (writes_results()) {
      const char* const elsewhere = std::getenv("WHISKER_BENCH_OUTPUT");  // a folder, for scripts/compare
      const std::string folder = elsewhere != nullptr ? elsewhere : WHISKER_BENCH_RESULTS;
      const std::string path = folder + "/" + results_ + ".json";
      std::ofstream file(path);
      file << "[\n";
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
  static std::vector<System> chosen(const std::vector<System>& systems) {
    if (std::getenv("WHISKER_BENCH_OWN") == nullptr) return systems;
    std::vector<System> own;
    for (const System& system : systems)
      if (system.name.starts_with("whisker")) own.push_back(system);
    return own;
  }

  /// Each system's second pass is a profile of its own, with the case and the system in its description.
  static void count_instructions([[maybe_unused]] const Case& what, const std::vector<System>& systems) {
    for (const System& system : systems) {
      system.pass();
#ifdef WHISKER_BENCH_CALLGRIND
      const std::string name = what.name + " " + system.name;  // alive while callgrind reads it
      CALLGRIND_ZERO_STATS;
      system.pass();
      CALLGRIND_DUMP_STATS_AT(name.c_str());
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
    std::string more = "  --only: the cases whose name holds TEXT; the results file is then not written\n";
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
