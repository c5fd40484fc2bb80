// Reads and writes sets of spheres as JSON: {"spheres": [{"center": [x, y, z], "radius": r}, …]}.

#include <string>
#include <vector>

#include <whisker/spheres/sphere_set.hpp>

#include "io/json_scanner.hpp"
#include "io/source.hpp"
#include "io/sphere_json.hpp"
#include "io/text_writer.hpp"

namespace whisker {

SphereSet parse_sphere_json(std::string_view text, std::string_view name) {
  const io::Source source{text, name};
  io::JsonScanner json(source);
  std::vector<BoundingSphere> spheres;
  bool seen = false;
  json.each_member([&](std::string_view key) {
    if (key != "spheres") return json.skip();
    if (seen) json.fail("\"spheres\" occurs twice");
    seen = true;
    json.each_element([&] {
      const std::string which = "sphere " + std::to_string(spheres.size());
      spheres.push_back(io::read_ball(source, json, which, [](std::string_view) { return false; }));
    });
  });
  json.expect_end();
  if (!seen) source.fail("the list \"spheres\" is missing");
  if (spheres.empty()) source.fail("the list \"spheres\" is empty; give at least one sphere");
  return shapes::set_of(spheres);
}

std::string encode_sphere_json(const SphereSet& set) {
  io::TextWriter out;
  out.text("{\"spheres\": [");
  for (std::size_t i = 0; i < set.size(); ++i) {
    out.text(i == 0 ? "\n  {" : ",\n  {");
    io::write_ball(out, {set.center(i), set.radius(i)});
    out.text("}");
  }
  out.text("\n]}\n");
  return out.take();
}

}  // namespace whisker
