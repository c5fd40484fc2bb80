#pragma once

/// \file
/// The command line of the examples that draw: NAME [OUTPUT.html] [--frames N] [--bodies N].

#include <string>

namespace playground {

struct Arguments {
  std::string output;  ///< The page to write.
  int frames = 0;
  int bodies = 0;
};

/// Parses the arguments of main. Arguments that are not given have the values in `defaults`. On an invalid argument,
/// prints a message to standard error and exits with status 2.
Arguments read_arguments(int count, char** values, const Arguments& defaults);

/// Prints the path and the size of the page.
void report_page(const std::string& path);

}  // namespace playground
