#pragma once

// The subcommands of `whisker`. Each of the functions that take only the parser adds a subcommand to it, with its
// options and the function to run.

#include <string>

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

}  // namespace whisker::apps
