#include <cstddef>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "commands.hpp"

namespace whisker::apps {
namespace {

namespace fs = std::filesystem;

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

/// Whether the next word is this option's value.
bool takes_next(const CLI::App& command, const std::string& word) {
  if (!is_option(word) || word.find('=') != std::string::npos) return false;
  const CLI::Option* option = command.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

/// Whether the file was written by an earlier check: it has findings, which a scene never has.
bool holds_findings(const fs::path& path) {
  std::ifstream file(path);
  const nlohmann::json content = nlohmann::json::parse(file, nullptr, false);
  return content.is_object() && content.contains("findings") && content.contains("counts");
}

bool may_be_written(const std::string& option, const fs::path& path) {
  std::error_code ignored;
  if (option == "--csv") return path.extension() == ".csv" && !fs::is_directory(path, ignored);
  if (option != "--json" || path.extension() != ".json") return false;
  return !fs::exists(path, ignored) || (fs::is_regular_file(path, ignored) && holds_findings(path));
}

}  // namespace

std::vector<std::string> join_output_words(const CLI::App& command, const std::vector<std::string>& words) {
  // Finds the words that are output files, and whether there is anything else to check.
  std::vector<bool> is_output(words.size());
  bool has_input = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--") {  // only inputs follow
      has_input = has_input || i + 1 < words.size();
      break;
    }
    if (takes_next(command, words[i])) {
      ++i;
    } else if (words[i] == "--example" || !is_option(words[i])) {
      has_input = true;
    } else if (i + 1 < words.size() && !is_option(words[i + 1]) && may_be_written(words[i], words[i + 1])) {
      is_output[++i] = true;
    }
  }
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_output[i] && (has_input || result.back() == "--csv")) {
      result.back() += "=" + words[i];
    } else {
      result.push_back(words[i]);
    }
  }
  return result;
}

}  // namespace whisker::apps
