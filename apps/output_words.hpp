#pragma once

// Lets `--json FILE` and `--csv FILE` work like `--json=FILE`, although `--json` alone prints to standard output.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace whisker::apps {

/// Returns the words of a command line after the command's name, with `--json FILE` rewritten as `--json=FILE`, and
/// `--csv` likewise.
///
/// The word after `--json` is an output file if it ends in .json and cannot be meant as an input: it does not exist yet
/// or was written by an earlier `--json`, and there is something else to check. So an input is never taken for an
/// output file. The word after `--csv` is an output file if it ends in .csv and is not a folder.
std::vector<std::string> join_output_words(const CLI::App& command, const std::vector<std::string>& words);

}  // namespace whisker::apps
