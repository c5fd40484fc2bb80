#pragma once

// The subcommands of `whisker`. Each function adds a subcommand to the parser, with its options and the function to
// run.

#include <CLI/CLI.hpp>

namespace whisker::apps {

void add_query_commands(CLI::App& app);  // touches, contacts, distance, depth, ray
void add_sweep_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_make_command(CLI::App& app);
void add_repair_command(CLI::App& app);
void add_spheres_command(CLI::App& app);
void add_clash_command(CLI::App& app);

}  // namespace whisker::apps
