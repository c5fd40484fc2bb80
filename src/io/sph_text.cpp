#include "io/sph_text.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <whisker/vector.hpp>

#include "io/line_scanner.hpp"

namespace whisker::io {
namespace {

/// The shortest line is "0 0 0 0". The last one may lack its newline.
constexpr std::uint64_t shortest_line = 8;

std::uint64_t header_number(LineScanner& line, std::string_view what) {
  std::string_view word = line.word();
  if (word.empty() && line.next_line()) word = line.word();  // the two numbers may be on separate lines
  std::int64_t value = 0;
  if (!LineScanner::parse_integer(word, value) || value < 1) {
    line.fail("number of " + std::string(what) + " is " + quoted(word) +
              ", but must be 1 or larger: not a sphere tree, or a damaged one");
  }
  return static_cast<std::uint64_t>(value);
}

/// Returns the start of each level, and the end of the last one. Fails if that many lines do not fit in the bytes left.
std::vector<std::uint64_t> level_starts(const LineScanner& line, std::uint64_t levels, std::uint64_t children) {
  const std::uint64_t most = (line.bytes_left() + 1) / shortest_line;
  std::vector<std::uint64_t> starts = {0};
  std::uint64_t in_level = 1;
  for (std::uint64_t level = 0; level < levels; ++level) {
    if (in_level > most - std::min(starts.back(), most)) {
      line.fail("the header declares " + std::to_string(levels) + " levels of " + std::to_string(children) +
                " children each, but only " + std::to_string(line.bytes_left()) +
                " bytes are left: the file is cut short, or its header is wrong");
    }
    starts.push_back(starts.back() + in_level);
    in_level = children > most ? most + 1 : in_level * children;
  }
  return starts;
}

void read_spheres(LineScanner& line, std::uint64_t count, std::vector<BoundingSphere>& spheres) {
  spheres.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!line.next_line()) {
      line.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count) +
                " spheres: it is cut short, or its header is wrong");
    }
    const Vector3 center = line.finite_vector("sphere");
    const double radius = line.finite_number("sphere");
    if (std::max(center.cwiseAbs().maxCoeff(), radius) > max_coordinate) {
      line.fail("sphere with a number beyond 1e90: use another unit of length");
    }
    spheres.push_back({center, radius});
  }
  if (line.next_line()) line.fail("more lines than the header declares: the header is wrong, or the file is damaged");
}

}  // namespace

bool SphText::has_children(std::uint64_t i) const {
  const std::uint64_t first = i * children + 1;  // no overflow, because the file has lines for all of them
  if (first >= spheres.size()) return false;
  const std::span below = std::span(spheres).subspan(first, children);
  return std::any_of(below.begin(), below.end(), [](const BoundingSphere& sphere) { return sphere.radius >= 0; });
}

SphText read_sph(const Source& source) {
  LineScanner line(source, 0, {});
  if (!line.next_line()) source.fail("the file is empty: not a sphere tree");
  SphText text;
  const std::uint64_t levels = header_number(line, "levels");
  text.children = header_number(line, "children");
  text.level_begin = level_starts(line, levels, text.children);
  read_spheres(line, text.level_begin.back(), text.spheres);
  return text;
}

void write_sph_line(TextWriter& out, const BoundingSphere& sphere) {
  // At the end the importance. This is the only value of it that the toolkit uses.
  out.add(sphere.center, " ", sphere.radius, " 1\n");
}

}  // namespace whisker::io
