// The `whisker` command. Exit status: 0 if there is an answer, 2 for bad input, with one line that says what is wrong.
// `clash` exits with 1 if it finds anything.

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <whisker/error.hpp>

#include "commands.hpp"

int main(int argc, char** argv) {
  CLI::App app("whisker: do shapes touch, how far apart are they, how deep do they overlap, when do they first touch?",
               "whisker");
  app.set_version_flag("--version", std::string("whisker ") + WHISKER_VERSION);
  app.require_subcommand(1);
  whisker::apps::add_query_commands(app);
  whisker::apps::add_sweep_command(app);
  whisker::apps::add_inspect_command(app);
  whisker::apps::add_make_command(app);
  whisker::apps::add_repair_command(app);
  whisker::apps::add_spheres_command(app);
  whisker::apps::add_clash_command(app);
  try {
    const auto is_command = [&](const std::string& word) {
      const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
      return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* c) { return c->check_name(word); });
    };
    if (argc > 1 && argv[1][0] != '-' && !is_command(argv[1])) {
      throw whisker::Error(std::string("unknown command '") + argv[1] + "'; whisker --help lists the commands");
    }
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words[0] == "clash")
      words = whisker::apps::join_output_words(*app.get_subcommand("clash"), words);
    std::reverse(words.begin(), words.end());  // CLI11 expects them in reverse
    app.parse(std::move(words));
  } catch (const CLI::RuntimeError& status) {  // a result that the exit status also reports
    return status.get_exit_code();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "whisker: {}; see --help\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "whisker: {}\n", error.what());
    return 2;
  }
  return 0;
}
