// Replaces the collision shapes of a robot by spheres. The XML parser tells what is in the file. The text itself is cut
// and joined here, so that everything else in it stays unchanged.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tinyxml2.h>

#include <whisker/error.hpp>
#include <whisker/pose.hpp>
#include <whisker/robot/urdf.hpp>

#include "io/source.hpp"
#include "io/text_writer.hpp"
#include "io/xml_tags.hpp"

namespace whisker {
namespace {

using tinyxml2::XMLElement;

/// A range of positions in a text.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The ranges of the collision elements of each link, in the order of the file.
std::vector<std::vector<Range>> collision_ranges(std::string_view text) {
  std::vector<std::vector<Range>> links;
  io::XmlTags tags(text);
  std::vector<std::string_view> open;  // the elements around a position
  const std::array<std::string_view, 3> path = {"robot", "link", "collision"};
  const auto is_in = [&](std::size_t depth) { return std::ranges::equal(open, std::span(path).first(depth)); };
  int robots = 0;
  std::size_t begin = 0;
  while (const std::optional<io::XmlTag> tag = tags.next()) {
    if (tag->is_start) {
      open.push_back(tag->full_name);
      if (is_in(1)) ++robots;
      if (robots == 1 && is_in(2)) links.emplace_back();
      if (is_in(3)) begin = tag->begin;
    }
    if (!tag->is_end || open.empty()) continue;
    if (robots == 1 && is_in(3)) links.back().push_back({begin, tag->end});
    open.pop_back();
  }
  return links;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const std::string_view reference = c == '&'   ? "&amp;"
                                       : c == '<' ? "&lt;"
                                       : c == '>' ? "&gt;"
                                       : c == '"' ? "&quot;"
                                                  : std::string_view(&c, 1);
    result += reference;
  }
  return result;
}

/// The blanks before a position on its line; nothing if there is anything else before it.
std::string_view indent_before(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
    --begin;
  return begin == 0 || text[begin - 1] == '\n' || text[begin - 1] == '\r' ? text.substr(begin, at - begin)
                                                                          : std::string_view();
}

/// The sphere in the link's frame, enlarged by the possible rounding error of its center.
BoundingSphere placed(const Pose& pose, const BoundingSphere& sphere) {
  const double size = sphere.center.cwiseAbs().sum() + pose.translation().cwiseAbs().sum();
  return {place(pose, sphere.center), sphere.radius * (1 + 1e-15) + 16 * std::numeric_limits<double>::epsilon() * size};
}

std::string collision_text(const BoundingSphere& sphere, const std::string& name, std::string_view indent) {
  io::TextWriter out;
  out.add("<collision");
  if (!name.empty()) out.add(" name=\"", escaped(name), "\"");
  out.add(">\n", indent, "  <origin xyz=\"", sphere.center, "\" rpy=\"0 0 0\"/>");
  out.add("\n", indent, "  <geometry><sphere radius=\"", sphere.radius, "\"/></geometry>");
  out.add("\n", indent, "</collision>");
  return out.take();
}

/// A copy of the single element of a text, made for another document; null if the text is not a single element.
tinyxml2::XMLNode* element_of(const std::string& text, tinyxml2::XMLDocument& document) {
  tinyxml2::XMLDocument own;
  if (own.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS || own.RootElement() == nullptr) return nullptr;
  return own.RootElement()->DeepClone(&document);
}

/// Everything that a document contains, except for blanks.
std::string printed(const tinyxml2::XMLDocument& document) {
  tinyxml2::XMLPrinter printer(nullptr, true);
  document.Print(&printer);
  return printer.CStr();
}

}  // namespace

std::string urdf_with_spheres(
    std::string_view text, const std::filesystem::path& path,
    const std::function<std::vector<BoundingSphere>(const UrdfCollision& collision)>& spheres_of,
    const UrdfOptions& options) {
  const UrdfRobot robot = parse_urdf(text, path, options);
  const std::vector<std::vector<Range>> ranges = collision_ranges(text);
  tinyxml2::XMLDocument document;
  document.Parse(text.data(), text.size());
  const auto differ = [&] {
    throw Error(io::printable(path.string()) +
                ": its collision elements were not found in the text; it must be a single file "
                "without custom entities");
  };
  // Every change of the text is also made to the document. The parser accepts some text that is not XML, in which tags
  // are not where they seem to be. So in the end both must be the same.
  io::TextWriter out;
  std::size_t written = 0, link_number = 0;
  XMLElement* link = document.FirstChildElement("robot")->FirstChildElement("link");
  for (; link != nullptr; link = link->NextSiblingElement("link"), ++link_number) {
    const std::string name = link->Attribute("name");
    const std::vector<LinkShape>& shapes = robot.body.links()[robot.link(name)].shapes;
    if (link_number >= ranges.size() || ranges[link_number].size() != shapes.size()) differ();
    XMLElement* next = link->FirstChildElement("collision");
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      XMLElement* const collision = next;
      next = collision->NextSiblingElement("collision");
      const std::vector<BoundingSphere> spheres = spheres_of({.link = name, .number = i, .shape = shapes[i].shape});
      if (spheres.empty()) continue;
      const Range& range = ranges[link_number][i];
      const std::string_view indent = indent_before(text, range.begin);
      out.add(text.substr(written, range.begin - written));
      written = range.end;
      const char* own_name = collision->Attribute("name");
      tinyxml2::XMLNode* last = collision;
      for (std::size_t k = 0; k < spheres.size(); ++k) {
        const BoundingSphere sphere = placed(shapes[i].pose, spheres[k]);
        if (!sphere.center.allFinite() || !std::isfinite(sphere.radius) || spheres[k].radius < 0)
          throw Error("urdf_with_spheres: sphere " + std::to_string(k) + " of collision " + std::to_string(i) +
                      " of link " + io::printable(name) + " is not finite, or its radius is negative");
        if (k > 0) out.add("\n", indent);
        std::string own;  // empty if the shape had no name
        if (own_name != nullptr) own.append(own_name).append("_").append(std::to_string(k));
        const std::string element = collision_text(sphere, own, indent);
        out.add(element);
        tinyxml2::XMLNode* const copy = element_of(element, document);
        if (copy == nullptr) differ();
        last = link->InsertAfterChild(last, copy);
      }
      link->DeleteChild(collision);
    }
  }
  if (link_number != ranges.size()) differ();
  out.add(text.substr(written));
  const std::string result = out.take();
  tinyxml2::XMLDocument after;
  if (after.Parse(result.data(), result.size()) != tinyxml2::XML_SUCCESS || printed(after) != printed(document))
    differ();
  return result;
}

}  // namespace whisker
