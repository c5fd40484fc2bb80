// Reads and writes sets of spheres as JSON, {"spheres": [{"center": [x, y, z], "radius": r}, …]}, and as sphere trees
// in the text format of the sphere-tree construction toolkit (Bradshaw 2003).

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <whisker/spheres/sphere_set.hpp>

#include "io/source.hpp"
#include "io/sph_text.hpp"
#include "io/sphere_json.hpp"

namespace whisker {

SphereSet parse_sphere_json(std::string_view text, std::string_view name) {
  const io::Source source{text, std::string(name)};
  std::vector<BoundingSphere> spheres;
  io::read_list(source, "spheres", [&](io::JsonScanner& json) {
    const std::string which = "sphere " + std::to_string(spheres.size());
    spheres.push_back(io::read_ball(source, json, which, [](std::string_view) { return false; }));
  });
  if (spheres.empty()) source.fail("the list \"spheres\" is empty; give at least one sphere");
  return shapes::set_of(spheres);
}

std::string encode_sphere_json(const SphereSet& set) {
  return io::list_text("spheres", set.size(), [&](io::TextWriter& out, std::size_t i) {
    io::write_ball(out, {set.center(i), set.radius(i)});
  });
}

SphereSet parse_sph(std::string_view text, std::string_view name, const SphReadOptions& options) {
  const io::Source source{text, std::string(name)};
  const io::SphText tree = io::read_sph(source);
  const std::size_t level = std::min(options.level, static_cast<std::size_t>(tree.levels() - 1));
  std::vector<BoundingSphere> spheres;
  for (std::uint64_t i = 0; i < tree.level_begin[level + 1]; ++i) {
    if (!tree.is_there(i) || (i < tree.level_begin[level] && tree.has_children(i))) continue;
    spheres.push_back(tree.spheres[i]);
  }
  if (spheres.empty()) {
    source.fail("there are no spheres down to level " + std::to_string(level) + ": all radii are negative");
  }
  return shapes::set_of(spheres);
}

SphereSet load_sph(const std::filesystem::path& path, const SphReadOptions& options) {
  const io::FileBytes bytes = io::read_file(path);
  return parse_sph(bytes.view(), path.string(), options);
}

std::string encode_sph(const SphereSet& set) {
  io::TextWriter out;
  out.add("2 ", set.size(), "\n");
  io::write_sph_line(out, {set.ball().center, std::min(set.ball().radius, max_coordinate)});
  for (std::size_t i = 0; i < set.size(); ++i)
    io::write_sph_line(out, {set.center(i), set.radius(i)});
  return out.take();
}

void save_sph(const SphereSet& set, const std::filesystem::path& path) {
  io::write_file(path, encode_sph(set));
}

}  // namespace whisker
