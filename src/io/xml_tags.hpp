#pragma once

// Reads the tags of an XML text one after the other: as much of XML as scenes and robots need, without a tree in
// memory. Only the five named characters and character numbers are expanded, so a text cannot grow by being read.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whisker::io {

struct XmlTag {
  std::string_view full_name;   // "m:model" for <m:model>
  std::string_view name;        // without a prefix: "model"
  std::string_view attributes;  // as written
  std::string_view text;        // the text after the tag, up to the next tag, as written
  bool is_start = false;        // <a> and <a/>
  bool is_end = false;          // </a> and <a/>
  std::size_t begin = 0;        // where the tag begins in the text, with <
  std::size_t end = 0;          // past its >

  // The value of an attribute, by its name without a prefix.
  std::optional<std::string> attribute(std::string_view wanted) const;
};

class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}
  // The next tag. Nothing at the end, or if the rest is not XML. Comments, declarations and CDATA are skipped.
  std::optional<XmlTag> next();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The text with &amp; and similar references replaced, and surrounding white space removed.
std::string plain_text(std::string_view text);

// Appends a character by its code point, or the replacement character if the code point is invalid.
void append_utf8(std::string& out, std::uint32_t letter);

}  // namespace whisker::io
