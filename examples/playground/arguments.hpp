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

/// The arguments of main; those that are not given are as in `defaults`. What cannot be understood is said on standard
/// error, and ends the program with status 2.
Arguments read_arguments(int count, char** values, const Arguments& defaults);

/// Prints what was written and how large it is.
void report_page(const std::string& path);

}  // namespace playground
