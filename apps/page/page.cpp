#include "page/page.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace whisker::page {

// Built in by CMakeLists.txt.
std::string embedded_three();

namespace {

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<!-- The page is self-contained and loads nothing. -->
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light dark">
<title>)";

constexpr std::string_view three_license = R"(<!--
The next script is three.js:
Copyright (c) 2010-2019 three.js authors (MIT license)
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:
The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.
THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
-->
)";

template <class Replacement>
std::string replaced(std::string_view text, const Replacement& replacement) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (const char* other = replacement(c)) {
      result += other;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string html(std::string_view text) {
  return replaced(text, [](char c) { return c == '<' ? "&lt;" : c == '&' ? "&amp;" : nullptr; });
}

std::string for_script(std::string_view json) {
  // These occur only inside strings, where an escape means the same.
  return replaced(json, [](char c) {
    return c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : nullptr;
  });
}

void Bytes::put(std::uint64_t value, int count) {
  for (int k = 0; k < count; ++k)
    bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
}

void Bytes::put_float(double value) {
  put(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
}

void Bytes::put_double(double value) {
  put(std::bit_cast<std::uint64_t>(value), 8);
}

void Bytes::put_floats(const Vector3& v) {
  for (int k = 0; k < 3; ++k)
    put_float(v[k]);
}

std::string Bytes::base64() const {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes_.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < left ? bytes_[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string_view three_script() {
  static const std::string text = embedded_three();
  return text;
}

void write_page(const Page& page, const Write& write, const std::function<void()>& data) {
  write(head);
  write(html(page.title));
  write("</title>\n<style>\n");
  for (const std::string& style : page.styles)
    write(style);
  write("</style>\n</head>\n<body>\n");
  write(page.body);
  data();
  if (!page.three.empty()) {
    write(three_license);
    write("<script id=\"three\">");
    write(page.three);
    write("</script>\n");
  }
  for (const std::string& script : page.scripts) {
    write("<script>\n");
    write(script);
    write("</script>\n");
  }
  write("</body>\n</html>\n");
}

void write_data(const Write& write, std::string_view id, std::string_view type, std::string_view text) {
  for (const std::string_view piece : {std::string_view("<script id=\""), id, std::string_view("\" type=\""), type,
                                       std::string_view("\">"), text, std::string_view("</script>\n")})
    write(piece);
}

}  // namespace whisker::page
