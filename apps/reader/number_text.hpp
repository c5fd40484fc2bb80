#pragma once

// Parses numbers in the text of files.

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace whisker::reader {

// Takes a number from the front, after any blanks and a plus sign. Nothing if there is none.
template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n,");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Parses the text as a single number.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  const std::optional<Number> value = take_number<Number>(text);
  if (!value || text.find_first_not_of(" \t\r\n") != std::string_view::npos) return {};
  return value;
}

}  // namespace whisker::reader
