#pragma once

// The subcommands of `whisker`. Each of the functions that take only the parser adds a subcommand to it, with its
// options and the function to run.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace whisker::apps {

/// Adds an option that may be given several times, with one value each time.
template <class Values>
void add_repeated(CLI::App& command, const std::string& name, Values& values, const std::string& help) {
  command.add_option(name, values, help)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_query_commands(CLI::App& app);  // touches, contacts, distance, depth, ray
void add_sweep_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_make_command(CLI::App& app);
void add_repair_command(CLI::App& app);
void add_spheres_command(CLI::App& app);
void add_clash_command(CLI::App& app);

/// Lets `--json FILE` and `--csv FILE` work like `--json=FILE`, although `--json` alone prints to standard output:
/// returns the words of a command line, which begin with the command's name, with `--json FILE` rewritten as
/// `--json=FILE`, and `--csv` likewise.
///
/// The word after `--json` is an output file if it ends in .json and cannot be meant as an input: it does not exist yet
/// or was written by an earlier `--json`, and there is something else to check. So an input is never taken for an
/// output file. The word after `--csv` is an output file if it ends in .csv and is not a folder.
std::vector<std::string> join_output_words(const CLI::App& command, const std::vector<std::string>& words);

}  // namespace whisker::apps
