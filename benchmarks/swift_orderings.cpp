// The paper's statements about which method is faster, next to the measurements.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "swift.hpp"

namespace whisker::bench {
namespace {

// The geometric mean of the time of `above` divided by that of `below`, over the orbits and motions; 0 if not measured.
double ratio(const Suite& suite, Ask ask_above, const std::string& above, Ask ask_below, const std::string& below,
             const std::vector<std::string>& models, const std::vector<int>& radii) {
  double sum = 0;
  int count = 0;
  for (const std::string& model : models) {
    for (const int radius : radii) {
      for (const double degrees : orbit_steps(suite.quick())) {
        const double x = suite.nanoseconds(orbit_case(ask_above, model, radius, degrees), above);
        const double y = suite.nanoseconds(orbit_case(ask_below, model, radius, degrees), below);
        if (!(x > 0 && y > 0)) continue;
        sum += std::log(x / y);
        ++count;
      }
    }
  }
  return count > 0 ? std::exp(sum / count) : 0;
}

struct Statement {
  const char* text;
  Ask ask_slow;
  const char* slow;
  Ask ask_fast;
  const char* fast;
  std::vector<std::string> models;
  std::vector<int> radii;
};

}  // namespace

void print_orderings(Suite& suite) {
  const std::vector<std::string> all = {"fat", "plate", "long"};
  const std::vector<int> both = {2, 3};
  std::vector<Statement> statements = {
      {"the most violated plane is faster than the first (2r)",
       Ask::distance,
       series::v_clip,
       Ask::distance,
       series::march,
       all,
       {2}},
      {"fat: a finer table is faster",
       Ask::distance,
       "whisker/table-11.25-x2",
       Ask::distance,
       "whisker/table-5.625-x2",
       {"fat"},
       both},
      {"plate, long: radius factor 2 is faster than 1",
       Ask::distance,
       "whisker/table-5.625-x1",
       Ask::distance,
       "whisker/table-5.625-x2",
       {"plate", "long"},
       both},
      {"plate, long: radius factor 2 is faster than 4",
       Ask::distance,
       "whisker/table-5.625-x4",
       Ask::distance,
       "whisker/table-5.625-x2",
       {"plate", "long"},
       both},
      {"vertex removal, touch: a coarser coarsest level is faster (400 > 100)", Ask::touch,
       "whisker/removal-400-double-double", Ask::touch, "whisker/removal-100-double-double", all, both},
      {"vertex removal, distance: double-double is faster than single", Ask::distance, "whisker/removal-100-single",
       Ask::distance, "whisker/removal-100-double-double", all, both},
      {"vertex removal, distance: double-double is faster than single-single", Ask::distance,
       "whisker/removal-100-single-single", Ask::distance, "whisker/removal-100-double-double", all, both},
      {"quadric, touch: the coarsest hierarchy is fastest (0.125 > 0.03125)", Ask::touch, "whisker/quadric-0.125",
       Ask::touch, "whisker/quadric-0.03125", all, both},
      {"quadric, distance: two levels are faster than four (0.25 > 0.03125)", Ask::distance, "whisker/quadric-0.25",
       Ask::distance, "whisker/quadric-0.03125", all, both},
      {"touch: quadric is faster than vertex removal", Ask::touch, "whisker/removal-100-double-double", Ask::touch,
       "whisker/quadric-0.03125", all, both},
      {"distance: quadric is faster than vertex removal", Ask::distance, "whisker/removal-100-double-double",
       Ask::distance, "whisker/quadric-0.03125", all, both},
      {"touch: quadric levels are faster than plain marching", Ask::touch, series::march, Ask::touch,
       "whisker/quadric-0.03125", all, both},
      {"levels cost more for a distance than for touch", Ask::distance, "whisker/quadric-0.03125", Ask::touch,
       "whisker/quadric-0.03125", all, both},
      {"an approximate distance costs no less than touch", Ask::approximate, "whisker/quadric-0.03125", Ask::touch,
       "whisker/quadric-0.03125", all, both},
      {"an approximate distance costs no more than an exact one", Ask::distance, "whisker/quadric-0.03125",
       Ask::approximate, "whisker/quadric-0.03125", all, both},
  };
  const std::vector<std::string> large = {"fat-100k", "plate-100k", "long-100k"};
  // The paper's conjecture: at 10,000 to 100,000 triangles three or four levels may be faster than both.
  const std::vector<Statement> conjectures = {
      {"100k, touch: three levels are faster than two",
       Ask::touch,
       "whisker/quadric-2-levels",
       Ask::touch,
       "whisker/quadric-3-levels",
       large,
       {2}},
      {"100k, distance: three levels are faster than two",
       Ask::distance,
       "whisker/quadric-2-levels",
       Ask::distance,
       "whisker/quadric-3-levels",
       large,
       {2}},
      {"100k, touch: three levels are faster than the table",
       Ask::touch,
       "whisker/table-5.625-x2",
       Ask::touch,
       "whisker/quadric-3-levels",
       large,
       {2}},
      {"100k, distance: three levels are faster than the table",
       Ask::distance,
       "whisker/table-5.625-x2",
       Ask::distance,
       "whisker/quadric-3-levels",
       large,
       {2}},
  };
  statements.insert(statements.end(), conjectures.begin(), conjectures.end());
  bool first = true;
  for (const Statement& s : statements) {
    const double measured = ratio(suite, s.ask_slow, s.slow, s.ask_fast, s.fast, s.models, s.radii);
    if (!(measured > 0)) continue;
    if (first) {
      std::printf(
          "\nThe paper's statements, and ours: the slower over the faster, geometric mean over orbits and motions\n");
      first = false;
    }
    std::printf("  %-76s %5.2f  %s\n", s.text, measured,
                measured > 1.02   ? "agrees"
                : measured > 0.98 ? "equal"
                                  : "differs");
    suite.record("ordering", s.text, "ratio", measured);
  }
  std::fflush(stdout);
}

}  // namespace whisker::bench
