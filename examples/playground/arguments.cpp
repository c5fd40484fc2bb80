#include "playground/arguments.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "playground/page.hpp"

namespace playground {
namespace {

[[noreturn]] void refuse(const char* program, const std::string& what) {
  std::fprintf(stderr, "%s\nusage: %s [OUTPUT.html] [--frames N] [--bodies N]\n", what.c_str(), program);
  std::exit(2);
}

}  // namespace

Arguments read_arguments(int count, char** values, const Arguments& defaults) {
  Arguments result = defaults;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = values[i];
    int* number = word == "--frames" ? &result.frames : word == "--bodies" ? &result.bodies : nullptr;
    if (number == nullptr) {
      if (word.empty() || word.front() == '-') refuse(values[0], "unknown argument: " + std::string(word));
      result.output = word;
      continue;
    }
    const std::string_view text = ++i < count ? values[i] : "";
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc() || end != text.data() + text.size() || *number < 1 || *number > 100000)
      refuse(values[0], std::string(word) + " takes a number from 1 to 100000");
  }
  return result;
}

void report_page(const std::string& path) {
  std::printf("wrote %s (%.2f MB)%s\n", path.c_str(), static_cast<double>(std::filesystem::file_size(path)) / 1e6,
              three_script().empty() ? ", which only says to install libjs-three and build again" : "");
}

}  // namespace playground
