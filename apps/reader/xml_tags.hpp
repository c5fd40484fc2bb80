#pragma once

// The tags of an XML text, one after the other: as much of XML as scene files need, without a tree in memory. Nothing
// is expanded but the five named characters and numbers, so that a text cannot grow by being read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whisker::reader {

struct XmlTag {
  std::string_view name;        // without a prefix: "model" of <m:model>
  std::string_view attributes;  // as written
  std::string_view text;        // what follows it, up to the next tag, as written
  bool is_start = false;        // <a> and <a/>
  bool is_end = false;          // </a> and <a/>

  // The value of an attribute, by its name without a prefix.
  std::optional<std::string> attribute(std::string_view wanted) const;
};

class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}
  // The next tag; nothing at the end, or where what follows is no XML. Comments, declarations and CDATA are passed
  // over.
  std::optional<XmlTag> next();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The text with &amp; and its like replaced, without white space around it.
std::string plain_text(std::string_view text);

// Appends a letter by its number; the sign for one that is none where it is none.
void append_utf8(std::string& out, std::uint32_t letter);

}  // namespace whisker::reader
