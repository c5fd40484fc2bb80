#pragma once

// `--json FILE` and `--csv FILE` beside `--json=FILE`, where `--json` alone prints.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace whisker::apps {

/// The words of a command line, from the command's name on, with `--json FILE` written as `--json=FILE`, and `--csv`
/// likewise.
///
/// The word after `--json` is the file to write if it ends in .json and cannot be meant as an input: it is not there
/// yet, or an earlier `--json` wrote it; and there is something else to check. So no input is ever taken for a file to
/// write. The word after `--csv` is the file to write if it ends in .csv and is no folder.
std::vector<std::string> join_output_words(const CLI::App& command, const std::vector<std::string>& words);

}  // namespace whisker::apps
