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
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <time.h>
#include <utility>
#include <vector>

namespace whisker::bench {

/// Processor time of this thread, in seconds.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
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
};

/// What is asked, and how often.
struct Case {
  std::string name;       ///< Begins with what is asked.
  std::size_t calls = 1;  ///< Questions in one pass.
  bool hit_rate = true;   ///< Whether answers / calls is a rate worth printing.
};

/// One line of the results file.
struct Row {
  std::string case_name;
  std::string system;
  double median = 0;  ///< Nanoseconds per call.
  std::size_t answers = 0;
  std::size_t calls = 1;
  bool hit_rate = true;
  double to_first = 1;  ///< The time over that of the case's first system: median of the ratios within a round.
};

/// A suite: its options, its rows, and whether anything disagreed.
class Suite {
 public:
  Suite(std::string name, int argc, char** argv) : name_(std::move(name)) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (argument == "--quick") {
        quick_ = true;
      } else if (argument == "--only" && i + 1 < argc) {
        only_ = argv[++i];
      } else {
        std::fprintf(stderr,
                     "usage: ./bench %s [--quick] [--only TEXT]\n  --only: the cases whose name holds TEXT; %s\n",
                     name_.c_str(), "the results file is then not written");
        usage_error_ = true;
      }
    }
  }

  bool quick() const { return quick_; }
  bool usage_error() const { return usage_error_; }
  bool wants(std::string_view case_name) const { return case_name.find(only_) != std::string_view::npos; }

  /// Times the systems in turns. The first one is what the others are compared with in the table.
  void measure(const Case& what, const std::vector<System>& systems) {
    const double least_seconds = quick_ ? 2e-3 : 10e-3;  // of one system in one round
    const std::size_t rounds = quick_ ? 9 : 31;
    std::vector<std::size_t> passes(systems.size());
    for (std::size_t s = 0; s < systems.size(); ++s) {
      systems[s].pass();  // warm up, and the answers
      const double begin = thread_seconds();
      systems[s].pass();
      const double seconds = std::max(thread_seconds() - begin, 1e-7);
      passes[s] = std::max<std::size_t>(1, static_cast<std::size_t>(least_seconds / seconds));
    }
    std::vector<std::vector<double>> nanoseconds(systems.size()), ratios(systems.size());
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t turn = 0; turn < systems.size(); ++turn) {
        const std::size_t s = (round + turn) % systems.size();
        const double begin = thread_seconds();
        for (std::size_t i = 0; i < passes[s]; ++i)
          systems[s].pass();
        const double seconds = thread_seconds() - begin;
        nanoseconds[s].push_back(1e9 * seconds / static_cast<double>(passes[s] * what.calls));
      }
      for (std::size_t s = 0; s < systems.size(); ++s)
        ratios[s].push_back(nanoseconds[s].back() / nanoseconds[0].back());
    }
    std::printf("\n%s\n", what.name.c_str());
    for (std::size_t s = 0; s < systems.size(); ++s) {
      rows_.push_back({what.name, systems[s].name, median(nanoseconds[s]), systems[s].answers(), what.calls,
                       what.hit_rate, median(ratios[s])});
      print(rows_.back());
    }
    std::fflush(stdout);
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

  /// Writes benchmarks/results/SUITE.json; the program's exit status.
  int finish() const {
    if (only_.empty()) {
      const std::string path = std::string(WHISKER_BENCH_RESULTS) + "/" + name_ + ".json";
      std::ofstream file(path);
      file << "[\n";
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        char number[64];
        std::snprintf(number, sizeof number, "%.4g", rows_[i].median);
        file << R"(  {"case": ")" << rows_[i].case_name << R"(", "system": ")" << rows_[i].system
             << R"(", "unit": "ns", "median": )" << number << R"(, "answers": )" << rows_[i].answers << "}"
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
  std::string only_;
  bool quick_ = false;
  bool usage_error_ = false;
  bool failed_ = false;
  std::vector<Row> rows_;
};

}  // namespace whisker::bench
