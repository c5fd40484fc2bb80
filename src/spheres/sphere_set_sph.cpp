// Sphere trees in the text form of the sphere-tree construction toolkit (Bradshaw 2003), as sets.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <whisker/sphere_set.hpp>

#include "io/line_scanner.hpp"
#include "io/source.hpp"
#include "io/text_writer.hpp"

namespace whisker {
namespace {

using io::LineScanner;

/// The shortest line is "0 0 0 0"; the last one may lack its line end.
constexpr std::uint64_t shortest_line = 8;

std::uint64_t header_number(LineScanner& line, std::string_view what) {
  std::string_view word = line.word();
  if (word.empty() && line.next_line()) word = line.word();  // the two may stand on lines of their own
  std::int64_t value = 0;
  if (!LineScanner::parse_integer(word, value) || value < 1) {
    line.fail("number of " + std::string(what) + " is " + io::quoted(word) +
              ", which is not 1 or larger: not a sphere tree, or a damaged one");
  }
  return static_cast<std::uint64_t>(value);
}

struct Spheres {
  std::vector<Vector3> centres;
  std::vector<double> radii;
};

/// Where each level begins, and the end of the last one. Fails if so many lines cannot be in the bytes that are left.
std::vector<std::uint64_t> level_starts(const LineScanner& line, std::uint64_t levels, std::uint64_t children) {
  const std::uint64_t most = (line.bytes_left() + 1) / shortest_line;
  std::vector<std::uint64_t> starts = {0};
  std::uint64_t in_level = 1;
  for (std::uint64_t level = 0; level < levels; ++level) {
    if (in_level > most - std::min(starts.back(), most)) {
      line.fail("the header promises " + std::to_string(levels) + " levels of " + std::to_string(children) +
                " children each, but only " + std::to_string(line.bytes_left()) +
                " bytes are left: the file is cut short, or its header is wrong");
    }
    starts.push_back(starts.back() + in_level);
    in_level = children > most ? most + 1 : in_level * children;
  }
  return starts;
}

Spheres read_spheres(LineScanner& line, std::uint64_t count) {
  Spheres spheres;
  spheres.centres.reserve(count);
  spheres.radii.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!line.next_line()) {
      line.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count) +
                " spheres: it is cut short, or its header is wrong");
    }
    const double x = line.finite_number("sphere");
    const double y = line.finite_number("sphere");
    const double z = line.finite_number("sphere");
    const double radius = line.finite_number("sphere");
    if (std::max({std::abs(x), std::abs(y), std::abs(z), radius}) > largest_coordinate) {
      line.fail("sphere with a number beyond 1e90: use another unit of length");
    }
    spheres.centres.emplace_back(x, y, z);
    spheres.radii.push_back(radius);
  }
  if (line.next_line()) line.fail("more lines than the header says: it is wrong, or the file is damaged");
  return spheres;
}

}  // namespace

SphereSet parse_sph(std::string_view text, std::string_view name, const SphReadOptions& options) {
  const io::Source source{text, name};
  LineScanner line(source, 0, {});
  if (!line.next_line()) source.fail("the file is empty: not a sphere tree");
  const std::uint64_t levels = header_number(line, "levels");
  const std::uint64_t children = header_number(line, "children");
  const std::vector<std::uint64_t> starts = level_starts(line, levels, children);
  const Spheres tree = read_spheres(line, starts.back());

  const std::size_t level = std::min(options.level, static_cast<std::size_t>(levels - 1));
  const auto is_used = [&](std::uint64_t i) { return tree.radii[i] >= 0; };
  const auto has_children = [&](std::uint64_t i) {
    const std::uint64_t first = i * children + 1;  // no overflow: there are lines for all of them
    for (std::uint64_t k = first; k < first + children; ++k)
      if (is_used(k)) return true;
    return false;
  };
  Spheres cut;
  for (std::uint64_t i = 0; i < starts[level + 1]; ++i) {
    if (!is_used(i) || (i < starts[level] && has_children(i))) continue;
    cut.centres.push_back(tree.centres[i]);
    cut.radii.push_back(tree.radii[i]);
  }
  if (cut.radii.empty()) {
    source.fail("no sphere down to level " + std::to_string(level) + " is in use: all their radii are negative");
  }
  return {cut.centres, cut.radii};
}

SphereSet load_sph(const std::filesystem::path& path, const SphReadOptions& options) {
  const io::FileBytes bytes = io::read_file(path);
  return parse_sph(bytes.view(), path.string(), options);
}

std::string encode_sph(const SphereSet& set) {
  io::TextWriter out;
  const auto sphere = [&](const Vector3& centre, double radius) {
    out.vector(centre);
    out.text(" ");
    out.number(radius);
    out.text(" 1\n");  // its importance, of which the toolkit knows this value alone
  };
  out.text("2 ");
  out.integer(set.size());
  out.text("\n");
  sphere(set.ball().center, std::min(set.ball().radius, largest_coordinate));
  for (std::size_t i = 0; i < set.size(); ++i)
    sphere(set.centre(i), set.radius(i));
  return out.take();
}

void save_sph(const SphereSet& set, const std::filesystem::path& path) {
  io::write_file(path, encode_sph(set));
}

}  // namespace whisker
