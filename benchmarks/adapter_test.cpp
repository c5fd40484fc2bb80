// Test of the interface of peer_adapter.h: the answers of the example adapter for FCL must be bit for bit those of the
// FCL that is built into the suite `simple`.

#include <cstdio>
#include <string>

#include "simple.hpp"

int main(int argc, char** argv) {
  using namespace whisker;
  using namespace whisker::bench;
  if (argc != 2) {
    std::fprintf(stderr, "usage: adapter_test ADAPTER.so\n");
    return 2;
  }
  std::string problem;
  const std::optional<SimplePeer> peer = load_peer(argv[1], problem);
  if (!peer) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  std::size_t rows = 0, answers = 0, different = 0, not_answered = 0;
  const auto in_adapter = [](ShapeKind kind) { return kind != ShapeKind::segment && kind != ShapeKind::triangle; };
  for (const Question question : {Question::touches, Question::distance, Question::depth}) {
    for (std::size_t a = 0; a < simple_kinds.size(); ++a) {
      for (std::size_t b = a; b < simple_kinds.size(); ++b) {
        if (!why_left_out(question, simple_kinds[a], simple_kinds[b]).empty()) continue;
        const SimpleRow row = make_simple_row(question, simple_kinds[a], simple_kinds[b], 50);
        Answers built_in, adapter;
        const Entries expected = fcl_libccd_entries(row, built_in), found = peer->entries(row, adapter);
        const bool answered = !expected.empty() && in_adapter(row.a) && in_adapter(row.b);
        if (found.empty() == answered) {
          std::printf("%s: %s\n", row.name.c_str(), answered ? "not answered" : "answered");
          ++not_answered;
        }
        if (found.empty() || expected.empty()) continue;
        expected[0].pass();
        found[0].pass();
        std::size_t here = 0;
        for (std::size_t i = 0; i < built_in.size(); ++i)
          here += built_in[i] == adapter[i] ? 0u : 1u;
        if (here > 0) std::printf("%s: %zu answers differ\n", row.name.c_str(), here);
        ++rows;
        answers += built_in.size();
        different += here;
      }
    }
  }
  std::printf("%zu answers in %zu rows, %zu of them different, %zu rows answered by only one\n", answers, rows,
              different, not_answered);
  return different == 0 && not_answered == 0 && rows > 50 ? 0 : 1;
}
