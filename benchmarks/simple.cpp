// The suite `simple`: every pair of the simple shapes. Checks and times each row, and sums up.

#include "simple.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace whisker::bench {
namespace {

/// How a row came out: the time relative to the fastest right peer.
struct Outcome {
  std::string row, peer;
  double single = 0, batch = 0;
};

Contender own(const std::string& name, const SimpleRow& row, Entry (*entry)(const SimpleRow&, Answers&)) {
  const auto answers = std::make_shared<Answers>(row.inputs.size());
  return {name, entry(row, *answers), answers};
}

/// What counts as a yes: touching shapes, gaps and depths that are not zero.
std::size_t yes_answers(const Answers& answers) {
  return static_cast<std::size_t>(std::count_if(answers.begin(), answers.end(), [](double x) { return x > 0; }));
}

void report_wrong(Suite& suite, const SimpleRow& row, Contender& contender) {
  contender.wrong = count_wrong(row, *contender.answers);
  const double percent = 100 * static_cast<double>(contender.wrong) / static_cast<double>(row.inputs.size());
  char text[200];
  if (contender.name.starts_with("whisker")) {
    if (contender.wrong == 0) return;
    std::snprintf(text, sizeof text, "%s is wrong in %zu inputs", contender.name.c_str(), contender.wrong);
    return suite.fail(text);
  }
  suite.record(row.name, contender.name + "/wrong", "%", percent);
  std::snprintf(text, sizeof text, "%s: %s", contender.name.c_str(), contender.entry.how.c_str());
  std::string line = text;
  if (contender.wrong > 0) {
    std::snprintf(text, sizeof text, "; wrong in %.3g %%", percent);
    line += text;
  }
  suite.note(line);
}

void bench_row(Suite& suite, const SimpleRow& row, std::span<const SimplePeer> peers, std::vector<Outcome>& outcomes) {
  std::vector<Contender> contenders = {own("whisker", row, whisker_entry),
                                       own("whisker/batch", row, whisker_batch_entry)};
  for (const SimplePeer& peer : peers) {
    if (std::optional<Contender> contender = best_entry(peer, row)) contenders.push_back(std::move(*contender));
  }
  std::vector<System> systems;
  for (const Contender& c : contenders)
    systems.push_back({c.name, c.entry.pass, [answers = c.answers] { return yes_answers(*answers); }});
  suite.measure({.name = row.name,
                 .calls = row.inputs.size(),
                 .hit_rate = row.question == Question::touches,
                 .seconds = suite.quick() ? 0.15 : 1.5},
                systems);
  Outcome outcome{.row = row.name, .peer = {}};
  double fastest = 0;
  for (Contender& contender : contenders) {
    report_wrong(suite, row, contender);
    const double wrong_rate = static_cast<double>(contender.wrong) / static_cast<double>(row.inputs.size());
    if (contender.name.starts_with("whisker") || wrong_rate > simple_wrong_rate) continue;
    const double nanoseconds = suite.nanoseconds(row.name, contender.name);
    if (!outcome.peer.empty() && nanoseconds >= fastest) continue;
    fastest = nanoseconds;
    outcome.peer = contender.name;
  }
  if (!outcome.peer.empty()) {
    outcome.single = suite.ratio(row.name, "whisker", outcome.peer);
    outcome.batch = suite.ratio(row.name, "whisker/batch", outcome.peer);
  }
  outcomes.push_back(outcome);
}

void print_summary(const Suite& suite, std::vector<Outcome> outcomes) {
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const Outcome& x, const Outcome& y) { return x.single > y.single; });
  std::printf("\nwhisker's time over that of the fastest right peer\n%-32s %9s %9s %8s %8s  %s\n", "row", "single",
              "batch", "single", "batch", "peer");
  std::size_t compared = 0, behind_single = 0, behind_batch = 0;
  for (const Outcome& outcome : outcomes) {
    std::printf("%-32s %6.1f ns %6.1f ns", outcome.row.c_str(), suite.nanoseconds(outcome.row, "whisker"),
                suite.nanoseconds(outcome.row, "whisker/batch"));
    if (outcome.peer.empty()) {
      std::printf("                     no right peer\n");
      continue;
    }
    ++compared;
    behind_single += outcome.single > 1.5 ? 1u : 0u;
    behind_batch += outcome.batch > 1 ? 1u : 0u;
    std::printf(" %6.2f x %6.2f x  %s, %.1f ns\n", outcome.single, outcome.batch, outcome.peer.c_str(),
                suite.nanoseconds(outcome.row, outcome.peer));
  }
  std::printf(
      "%zu rows with a right peer: %zu take more than 1.5 times its time singly, %zu more than its time in "
      "batches; %zu rows have none\n",
      compared, behind_single, behind_batch, outcomes.size() - compared);
}

}  // namespace

void bench_simple(Suite& suite, std::span<const SimplePeer> peers) {
  std::vector<Outcome> outcomes;
  for (const Question question : {Question::touches, Question::distance, Question::depth}) {
    for (std::size_t a = 0; a < simple_kinds.size(); ++a) {
      for (std::size_t b = a; b < simple_kinds.size(); ++b) {
        if (!why_left_out(question, simple_kinds[a], simple_kinds[b]).empty()) continue;
        if (!suite.wants(simple_row_name(question, simple_kinds[a], simple_kinds[b]))) continue;
        SimpleRow row = make_simple_row(question, simple_kinds[a], simple_kinds[b], simple_inputs);
        for (const SimpleInput& input : row.inputs)
          row.truths.push_back(true_gap(question, input));
        if (!truth_is_known(row)) suite.fail("the reference leaves the truth about " + row.name + " open");
        bench_row(suite, row, peers, outcomes);
      }
    }
  }
  if (!peers.empty()) print_summary(suite, outcomes);
}

}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("simple", argc, argv,
              {{.name = "--peer",
                .value_name = "ADAPTER.so",
                .help = "also measure the library behind this adapter (peer_adapter.h); may be repeated; writes no "
                        "results file"}});
  if (suite.usage_error()) return 2;
  std::vector<SimplePeer> peers;
  if (std::getenv("WHISKER_BENCH_OWN") == nullptr) {
    peers = {{"FCL/libccd", fcl_libccd_entries},
             {"FCL/indep", fcl_indep_entries},
             {"Bullet", bullet_entries},
             {"ODE", ode_entries}};
  }
  for (const std::string& path : suite.values("--peer")) {
    std::string problem;
    const std::optional<SimplePeer> peer = load_peer(path, problem);
    const bool known = peer && std::any_of(peers.begin(), peers.end(),
                                           [&](const SimplePeer& other) { return other.name == peer->name; });
    if (known) problem = path + ": there is already a peer called " + peer->name;
    if (!problem.empty()) {
      std::fprintf(stderr, "%s\n", problem.c_str());
      return 2;
    }
    peers.push_back(*peer);
  }
  if (suite.given("--peer")) suite.set_results("");
  std::printf("system, median time per call, time over the first system's, yes answers\n");
  bench_simple(suite, peers);
  return suite.finish();
}
