#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>

#include "geometry/constants.hpp"
#include "io/source.hpp"
#include "io/sph_text.hpp"
#include "io/sphere_json.hpp"
#include "io/text_writer.hpp"
#include "shapes/sphere_data.hpp"
#include "spheres/protrusion.hpp"

namespace whisker {
namespace {

constexpr std::uint64_t max_lines = 10'000'000;
constexpr double unknown = infinity;
/// The number of no node.
constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

/// Whether the file is JSON, by its extension. Throws an Error if it is neither .json nor .sph.
bool is_json(const std::filesystem::path& path) {
  const std::string extension = io::extension_of(path);
  if (extension == ".json") return true;
  if (extension == ".sph") return false;
  throw Error(io::printable(path.string()) + ": the file of a sphere tree must be .sph or .json");
}

/// Writes the members without braces. Omits an unknown protrusion.
void write_fitted(io::TextWriter& out, const BoundingSphere& sphere, double protrusion) {
  io::write_ball(out, sphere);
  if (std::isfinite(protrusion)) out.add(", \"protrusion\": ", protrusion);
}

}  // namespace

SphereTree load_sphere_tree(const std::filesystem::path& path) {
  const bool json = is_json(path);
  const io::FileBytes bytes = io::read_file(path);
  return json ? parse_sphere_tree_json(bytes.view(), path.string()) : parse_sph_tree(bytes.view(), path.string());
}

void save_sphere_tree(const SphereTree& tree, const std::filesystem::path& path) {
  io::write_file(path, is_json(path) ? encode_sphere_tree_json(tree) : encode_sph_tree(tree));
}

SphereTree parse_sph_tree(std::string_view text, std::string_view name) {
  const io::Source source{text, std::string(name)};
  const io::SphText file = io::read_sph(source);
  if (file.spheres.size() > std::numeric_limits<std::uint32_t>::max())
    source.fail("more spheres than can be numbered (2³² - 1)");
  std::vector<std::uint32_t> number(file.spheres.size(), no_node);  // the node index of each line that is not missing
  SphereTree tree;
  for (std::uint64_t i = 0; i < file.spheres.size(); ++i) {
    if (!file.is_there(i)) continue;
    SphereTreeNode node;
    node.sphere = file.spheres[i];
    node.protrusion = unknown;
    if (i > 0) {
      node.parent = number[(i - 1) / file.children];
      if (node.parent == no_node)
        source.fail("sphere " + std::to_string(i) + " exists, but its parent, sphere " +
                    std::to_string((i - 1) / file.children) + ", has a negative radius: the file is damaged");
    }
    number[i] = static_cast<std::uint32_t>(tree.nodes.size());
    shapes::append_node(tree, node);
  }
  if (tree.nodes.empty()) source.fail("there are no spheres: all radii are negative");
  return tree;
}

std::string encode_sph_tree(const SphereTree& tree) {
  check_sphere_tree(tree);
  std::uint64_t children = 1;
  for (const SphereTreeNode& node : tree.nodes)
    children = std::max<std::uint64_t>(children, node.child_count);
  // The nodes of a level at their positions, with gaps for those that are missing.
  const BoundingSphere missing{Vector3::Zero(), -1};
  std::vector<std::uint32_t> level = {0};
  std::uint64_t lines = 1, width = 1;
  for (int i = 0; i < tree.depth(); ++i) {
    width *= children;
    lines += width;
    if (lines > max_lines)
      throw Error("sphere tree of " + std::to_string(tree.depth() + 1) + " levels with up to " +
                  std::to_string(children) + " children: as .sph it would have more than 10,000,000 lines; write JSON");
  }
  io::TextWriter out;
  out.add(tree.depth() + 1, " ", children, "\n");
  for (int i = 0; i <= tree.depth(); ++i) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t n : level) {
      io::write_sph_line(out, n == no_node ? missing : tree.nodes[n].sphere);
      if (i == tree.depth()) continue;
      const std::uint32_t count = n == no_node ? 0 : tree.nodes[n].child_count;
      for (std::uint32_t k = 0; k < children; ++k)
        next.push_back(k < count ? tree.nodes[n].first_child + k : no_node);
    }
    level = std::move(next);
  }
  return out.take();
}

SphereTree parse_sphere_tree_json(std::string_view text, std::string_view name) {
  const io::Source source{text, std::string(name)};
  SphereTree tree;
  io::read_list(source, "nodes", [&](io::JsonScanner& json) {
    const std::string which = "node " + std::to_string(tree.nodes.size());
    const std::size_t begin = json.next_value();
    const auto fail = [&](const std::string& reason) { source.fail_at_line(begin, which + " " + reason); };
    SphereTreeNode node;
    node.protrusion = unknown;
    bool has_parent = false, has_second = false;
    FittedSphere second{.sphere = {}, .protrusion = unknown};
    const auto read_protrusion = [&](std::string_view inner, double& protrusion) {
      if (inner != "protrusion") return false;
      protrusion = json.number();
      if (protrusion < 0) fail("has a negative \"protrusion\"");
      return true;
    };
    node.sphere = io::read_ball(source, json, which, [&](std::string_view inner) {
      if (inner == "parent") {
        node.parent = json.index();
        has_parent = true;
      } else if (inner == "min_error") {
        second.sphere = io::read_ball(source, json, which + ", its \"min_error\",",
                                      [&](std::string_view own) { return read_protrusion(own, second.protrusion); });
        has_second = true;
      } else {
        return read_protrusion(inner, node.protrusion);
      }
      return true;
    });
    if (tree.nodes.empty()) {
      if (has_parent) fail("has a \"parent\", but is the first node, the root");
    } else {
      if (!has_parent) fail("has no \"parent\"; only the first node, the root, has none");
      if (node.parent >= tree.nodes.size()) fail("has a \"parent\" that does not come before it");
      if (tree.nodes.size() > 1 && node.parent < tree.nodes.back().parent)
        fail("has a smaller \"parent\" than the node before it; nodes must be in the order of their parents");
      if (tree.nodes.size() >= std::numeric_limits<std::uint32_t>::max())
        fail("exceeds the number of nodes that a tree can have (2³² - 1)");
    }
    if (has_second != (tree.nodes.empty() ? has_second : !tree.min_error.empty()))
      fail("must have a \"min_error\" if, and only if, the nodes before it have one");
    if (has_second) tree.min_error.push_back(second);
    shapes::append_node(tree, node);
  });
  if (tree.nodes.empty()) source.fail("the list \"nodes\" is empty; a tree must have a root");
  return tree;
}

std::string encode_sphere_tree_json(const SphereTree& tree) {
  check_sphere_tree(tree);
  return io::list_text("nodes", tree.nodes.size(), [&](io::TextWriter& out, std::size_t i) {
    const SphereTreeNode& node = tree.nodes[i];
    write_fitted(out, node.sphere, node.protrusion);
    if (!tree.min_error.empty()) {
      out.add(", \"min_error\": {");
      write_fitted(out, tree.min_error[i].sphere, tree.min_error[i].protrusion);
      out.add("}");
    }
    if (i > 0) out.add(", \"parent\": ", node.parent);
  });
}

void find_protrusions(const Mesh& mesh, SphereTree& tree) {
  const spheres::Solid solid(mesh);
  for (SphereTreeNode& node : tree.nodes)
    node.protrusion = solid.protrusion(node.sphere);
  for (FittedSphere& second : tree.min_error)
    second.protrusion = solid.protrusion(second.sphere);
}

}  // namespace whisker
