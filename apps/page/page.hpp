#pragma once

// Web pages that draw in 3D, each a single file that loads nothing: what the report of the clash check, the pictures of
// sphere trees and the recordings of the examples share.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::page {

/// Escapes text for the content of an element.
std::string html(std::string_view text);

/// Escapes JSON for a script element: no tag or comment can begin or end in it.
std::string for_script(std::string_view json);

/// Numbers as bytes, lowest first, which is the byte order of typed arrays on all machines in use.
class Bytes {
 public:
  void put(std::uint64_t value, int count);
  void put_float(double value);
  void put_double(double value);
  void put_floats(const Vector3& v);
  std::string base64() const;

 private:
  std::vector<std::uint8_t> bytes_;
};

/// The text of three.js, which draws; empty if the package was missing at build time.
std::string_view three_script();

/// Style and script of pages whose canvas fills the window: viewer.css and viewer.js.
std::string viewer_style();
std::string viewer_script();

struct Page {
  std::string title;
  std::vector<std::string> styles = {};
  std::string body = {};
  std::string_view three = three_script();  ///< Left out if empty.
  std::vector<std::string> scripts = {};
};

using Write = std::function<void(std::string_view)>;

/// Writes the page piece by piece. `data` is called between the body and the scripts, to write the data.
void write_page(const Page& page, const Write& write, const std::function<void()>& data);

/// Writes a script element that holds data, which scripts find by its id. The text must be safe there: base64 or
/// for_script.
void write_data(const Write& write, std::string_view id, std::string_view type, std::string_view text);

}  // namespace whisker::page
