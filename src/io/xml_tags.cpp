#include "io/xml_tags.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace whisker::io {
namespace {

constexpr std::string_view xml_blanks = " \t\r\n";

std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// Appends the character for the text between & and ;.
void append_reference(std::string& out, std::string_view reference) {
  constexpr std::array<std::pair<std::string_view, char>, 5> named{
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [name, letter] : named) {
    if (reference == name) {
      out += letter;
      return;
    }
  }
  if (reference.starts_with('#')) {
    const bool is_hex = reference.size() > 1 && (reference[1] == 'x' || reference[1] == 'X');
    reference.remove_prefix(is_hex ? 2 : 1);
    std::uint32_t letter = 0;
    const auto [end, failure] =
        std::from_chars(reference.data(), reference.data() + reference.size(), letter, is_hex ? 16 : 10);
    if (failure == std::errc() && end == reference.data() + reference.size()) append_utf8(out, letter);
  }
}

}  // namespace

void append_utf8(std::string& out, std::uint32_t letter) {
  if (letter == 0 || letter > 0x10FFFF || (letter >= 0xD800 && letter < 0xE000)) letter = 0xFFFD;
  // A first byte that tells how many follow, then six bits in each of these (RFC 3629).
  constexpr std::uint32_t first_byte[] = {0x00, 0xC0, 0xE0, 0xF0};
  const unsigned following = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
  out += static_cast<char>(first_byte[following] | letter >> (6 * following));
  for (unsigned left = following; left-- > 0;)
    out += static_cast<char>(0x80 | (letter >> (6 * left) & 0x3F));
}

std::string plain_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(xml_blanks);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(xml_blanks) + 1 - first);
  std::string out;
  while (!text.empty()) {
    const std::size_t mark = text.find('&');
    out += text.substr(0, mark);
    if (mark == std::string_view::npos) break;
    constexpr std::size_t longest = 12;
    const std::size_t end = text.substr(0, mark + longest).find(';', mark);
    if (end == std::string_view::npos) {
      out += '&';
      text.remove_prefix(mark + 1);
    } else {
      append_reference(out, text.substr(mark + 1, end - mark - 1));
      text.remove_prefix(end + 1);
    }
  }
  return out;
}

std::optional<std::string> XmlTag::attribute(std::string_view wanted) const {
  std::string_view left = attributes;
  while (true) {
    const std::size_t key_begin = left.find_first_not_of(xml_blanks);
    if (key_begin == std::string_view::npos) return {};
    const std::size_t equals = left.find('=', key_begin);
    if (equals == std::string_view::npos) return {};
    std::string_view key = left.substr(key_begin, equals - key_begin);
    key = key.substr(0, key.find_first_of(xml_blanks));
    const std::size_t quote = left.find_first_not_of(xml_blanks, equals + 1);
    if (quote == std::string_view::npos || (left[quote] != '"' && left[quote] != '\'')) return {};
    const std::size_t value_end = left.find(left[quote], quote + 1);
    if (value_end == std::string_view::npos) return {};
    if (without_prefix(key) == wanted && !key.starts_with("xmlns")) {
      return plain_text(left.substr(quote + 1, value_end - quote - 1));
    }
    left.remove_prefix(value_end + 1);
  }
}

std::optional<XmlTag> XmlTags::next() {
  const auto pass = [&](std::string_view begin, std::string_view end) {
    if (!text_.substr(at_).starts_with(begin)) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return true;
  };
  while (true) {
    at_ = text_.find('<', at_);
    if (at_ == std::string_view::npos) {
      at_ = text_.size();
      return {};
    }
    if (pass("<!--", "-->") || pass("<![CDATA[", "]]>") || pass("<?", "?>") || pass("<!", ">")) continue;
    // A > inside quotes does not end a tag.
    std::size_t end = at_ + 1;
    char quote = 0;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        break;
      }
    }
    if (end == text_.size()) {
      at_ = end;
      return {};
    }
    std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    XmlTag tag;
    tag.begin = at_;
    tag.end = at_ = end + 1;
    tag.is_start = !inside.starts_with('/');
    tag.is_end = !tag.is_start || inside.ends_with('/');
    if (!tag.is_start) inside.remove_prefix(1);
    if (tag.is_start && tag.is_end) inside.remove_suffix(1);
    const std::size_t name_end = inside.find_first_of(xml_blanks);
    tag.full_name = inside.substr(0, name_end);
    tag.name = without_prefix(tag.full_name);
    if (name_end != std::string_view::npos) tag.attributes = inside.substr(name_end);
    tag.text = text_.substr(at_, std::min(text_.find('<', at_), text_.size()) - at_);
    return tag;
  }
}

}  // namespace whisker::io
