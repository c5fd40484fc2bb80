#pragma once

// Lists of spheres in JSON, as in files of sets and trees: {"name": [{"center": [x, y, z], "radius": r}, …]}.

#include <cstddef>
#include <string>
#include <string_view>

#include <whisker/geometry/bounding_sphere.hpp>

#include "io/json_scanner.hpp"
#include "io/text_writer.hpp"
#include "shapes/sphere_data.hpp"

namespace whisker::io {

/// Reads an object. Calls `more(key)` for other keys, which returns whether it read the value. All other values are
/// skipped. `which` names the sphere in error messages.
template <class More>
BoundingSphere read_ball(const Source& source, JsonScanner& json, const std::string& which, const More& more) {
  BoundingSphere ball;
  bool has_center = false, has_radius = false;
  const std::size_t begin = json.next_value();
  json.each_member([&](std::string_view key) {
    if (key == "center") {
      ball.center = json.vector("of a center of three numbers");
      has_center = true;
    } else if (key == "radius") {
      ball.radius = json.number();
      has_radius = true;
    } else if (!more(key)) {
      json.skip();
    }
  });
  const auto fail = [&](const char* reason) { source.fail_at_line(begin, which + " " + reason); };
  if (!has_center) fail("has no \"center\"");
  if (!has_radius) fail("has no \"radius\"");
  if (const char* fault = shapes::fault_of(ball)) fail(fault);
  return ball;
}

/// Reads an object with a list of that name. Calls `read(json)` at each element. All other members are skipped.
template <class Read>
void read_list(const Source& source, const std::string& name, const Read& read) {
  JsonScanner json(source);
  bool seen = false;
  json.each_member([&](std::string_view key) {
    if (key != name) return json.skip();
    if (seen) json.fail("\"" + name + "\" occurs twice");
    seen = true;
    json.each_element([&] { read(json); });
  });
  json.expect_end();
  if (!seen) source.fail("the list \"" + name + "\" is missing");
}

/// The text of such an object. Calls `write(out, i)` for the members of element i.
template <class Write>
std::string list_text(std::string_view name, std::size_t count, const Write& write) {
  TextWriter out;
  out.add("{\"", name, "\": [");
  for (std::size_t i = 0; i < count; ++i) {
    out.add(i == 0 ? "\n  {" : ",\n  {");
    write(out, i);
    out.add("}");
  }
  out.add("\n]}\n");
  return out.take();
}

/// Writes the two members, without braces.
inline void write_ball(TextWriter& out, const BoundingSphere& ball) {
  const Vector3& c = ball.center;
  out.add("\"center\": [", c.x(), ", ", c.y(), ", ", c.z(), "], \"radius\": ", ball.radius);
}

}  // namespace whisker::io
