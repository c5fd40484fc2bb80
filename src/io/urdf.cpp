#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <tinyxml2.h>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/mesh.hpp>
#include <whisker/robot/urdf.hpp>
#include <whisker/scene.hpp>

#include "io/line_scanner.hpp"
#include "io/source.hpp"

namespace whisker {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;

/// Reads one file, and holds what has been read of it.
class Reader {
 public:
  Reader(const fs::path& path, const UrdfOptions& options) : path_(path), options_(options) {}

  UrdfRobot read(std::string_view text) {
    tinyxml2::XMLDocument document;
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
      fail(std::string("cannot be read as XML: ") + document.ErrorStr());
    const XMLElement* robot = document.FirstChildElement("robot");
    if (robot == nullptr) fail("there is no <robot> element; this is not a URDF file");
    each_child(*robot, "link", [&](const XMLElement& e) { add_link(e); });
    each_child(*robot, "joint", [&](const XMLElement& e) { add_joint(e); });
    return ordered(robot->Attribute("name") != nullptr ? robot->Attribute("name") : "");
  }

 private:
  struct NamedJoint {
    std::string parent;
    Joint joint;
    UrdfJoint description;
  };

  [[noreturn]] void fail(const std::string& what) const { throw Error(io::printable(path_.string() + ": " + what)); }
  [[noreturn]] void fail(const XMLElement& element, const std::string& what) const {
    const char* name = element.Attribute("name");
    throw Error(io::printable(path_.string() + ":" + std::to_string(element.GetLineNum()) + ": <" + element.Name() +
                              (name != nullptr ? std::string(" name=\"") + name + "\"" : "") + ">: " + what));
  }

  /// Adds the position in the file to the Error that a shape or a pose throws for invalid numbers.
  template <class Make>
  auto located(const XMLElement& element, Make&& make) const {
    try {
      return make();
    } catch (const Error& error) {
      const std::string what = error.what();
      if (what.starts_with(io::printable(path_.string()) + ":")) throw;
      fail(element, what);
    }
  }

  template <class Visit>
  static void each_child(const XMLElement& of, const char* name, const Visit& visit) {
    for (const XMLElement* e = of.FirstChildElement(name); e != nullptr; e = e->NextSiblingElement(name))
      visit(*e);
  }

  std::string text(const XMLElement& element, const char* attribute) const {
    const char* value = element.Attribute(attribute);
    if (value == nullptr) fail(element, std::string("has no ") + attribute);
    return value;
  }

  std::vector<double> numbers(const XMLElement& element, const char* attribute, std::size_t count) const {
    std::istringstream stream(text(element, attribute));
    std::vector<double> result;
    std::string word;
    while (stream >> word) {
      double value = 0;
      if (!io::LineScanner::parse_double(word, value) || !std::isfinite(value))
        fail(element, "'" + word + "' is not a number");
      result.push_back(value);
    }
    if (result.size() != count)
      fail(element, std::string(attribute) + " must have " + std::to_string(count) + " numbers, but has " +
                        std::to_string(result.size()));
    return result;
  }
  double number(const XMLElement& element, const char* attribute, std::optional<double> otherwise = {}) const {
    if (otherwise && element.Attribute(attribute) == nullptr) return *otherwise;
    return numbers(element, attribute, 1)[0];
  }
  Vector3 vector(const XMLElement& element, const char* attribute, std::optional<Vector3> otherwise = {}) const {
    if (otherwise && element.Attribute(attribute) == nullptr) return *otherwise;
    const std::vector<double> v = numbers(element, attribute, 3);
    return {v[0], v[1], v[2]};
  }

  /// <origin xyz="…" rpy="…"/>: rotations about the fixed axes x, y, z in turn.
  Pose origin(const XMLElement& of) const {
    const XMLElement* e = of.FirstChildElement("origin");
    if (e == nullptr) return {};
    const Vector3 angles = vector(*e, "rpy", Vector3::Zero());
    const Matrix3 rotation =
        (Eigen::AngleAxisd(angles[2], Vector3::UnitZ()) * Eigen::AngleAxisd(angles[1], Vector3::UnitY()) *
         Eigen::AngleAxisd(angles[0], Vector3::UnitX()))
            .toRotationMatrix();
    return located(*e, [&] { return Pose(rotation, vector(*e, "xyz", Vector3::Zero())); });
  }

  fs::path found(const XMLElement& element, const std::string& name) const {
    const std::string package = "package://", file = "file://";
    std::vector<fs::path> tried;
    if (name.rfind(package, 0) == 0) {
      const fs::path below = name.substr(package.size());
      for (const fs::path& folder : options_.package_folders)
        tried.push_back(folder / below);
      for (fs::path folder = fs::absolute(path_).parent_path(); folder.has_relative_path();
           folder = folder.parent_path())
        tried.push_back(folder / below);
    } else if (name.rfind(file, 0) == 0) {
      tried.push_back(name.substr(file.size()));
    } else {
      tried.push_back(path_.parent_path() / name);
    }
    std::error_code failure;  // a name that the system cannot handle counts as not found
    for (const fs::path& path : tried)
      if (fs::exists(path, failure)) return path;
    fail(element,
         "the file " + name + " was not found; name the folder of its package in UrdfOptions::package_folders");
  }

  Shape mesh(const XMLElement& element) const {
    const fs::path path = found(element, text(element, "filename"));
    const Vector3 scale = vector(element, "scale", Vector3::Ones());
    MeshData data;
    if (format_of_extension(path)) {
      data = read_mesh(path);
    } else {
      const Scene scene = load_scene(path);
      // Robots are in meters, and so are their meshes, converted from the unit that these state.
      const double meters = scene.unit.meters > 0 ? scene.unit.meters : 1;
      data = joined_parts(scene);
      for (Vector3& v : data.vertices)
        v *= meters;
    }
    for (Vector3& v : data.vertices)
      v = v.cwiseProduct(scale);
    if (scale[0] * scale[1] * scale[2] < 0)
      for (Index3& t : data.triangles)
        std::swap(t[1], t[2]);
    return Mesh(std::move(data));
  }

  Shape shape(const XMLElement& collision) const {
    const XMLElement* geometry = collision.FirstChildElement("geometry");
    const XMLElement* e = geometry != nullptr ? geometry->FirstChildElement() : nullptr;
    if (e == nullptr) fail(collision, "has no geometry");
    const std::string kind = e->Name();
    if (kind == "box") return Box{vector(*e, "size")};
    if (kind == "sphere") return Sphere{number(*e, "radius")};
    if (kind == "cylinder") return Cylinder{.radius = number(*e, "radius"), .length = number(*e, "length")};
    if (kind == "capsule") return Capsule{.radius = number(*e, "radius"), .length = number(*e, "length")};
    if (kind == "mesh") return mesh(*e);
    fail(*e, "unknown geometry; it must be box, sphere, cylinder, capsule or mesh");
  }

  void add_link(const XMLElement& e) {
    Link link;
    link.name = text(e, "name");
    if (links_.count(link.name) != 0) fail(e, "another link has the same name");
    each_child(e, "collision", [&](const XMLElement& c) {
      link.shapes.push_back({located(c, [&] { return shape(c); }), origin(c)});
    });
    order_.push_back(link.name);
    links_[link.name] = std::move(link);
  }

  void add_joint(const XMLElement& e) {
    NamedJoint joint;
    joint.description.name = text(e, "name");
    const auto end = [&](const char* which) {
      const XMLElement* child = e.FirstChildElement(which);
      if (child == nullptr) fail(e, std::string("has no ") + which);
      const std::string name = text(*child, "link");
      if (links_.count(name) == 0) fail(e, "there is no link " + name);
      return name;
    };
    joint.parent = end("parent");
    const std::string child = end("child");
    const std::string type = text(e, "type");
    joint.joint.origin = origin(e);
    joint.joint.axis = Vector3::UnitX();  // the default of the format
    if (const XMLElement* axis = e.FirstChildElement("axis")) joint.joint.axis = vector(*axis, "xyz", Vector3::UnitX());
    static const std::map<std::string, JointKind> kinds = {{"fixed", JointKind::fixed},
                                                           {"revolute", JointKind::revolute},
                                                           {"continuous", JointKind::revolute},
                                                           {"prismatic", JointKind::prismatic},
                                                           {"floating", JointKind::free}};
    const auto kind = kinds.find(type);
    if (kind == kinds.end()) {
      fail(e, "a joint of type " + type +
                  " is not supported; it must be fixed, revolute, continuous, prismatic or floating");
    }
    joint.joint.kind = kind->second;
    const XMLElement* limit = e.FirstChildElement("limit");
    if (limit != nullptr && (type == "revolute" || type == "prismatic")) {
      joint.description.lower = number(*limit, "lower", 0);
      joint.description.upper = number(*limit, "upper", 0);
    }
    if (const XMLElement* mimic = e.FirstChildElement("mimic")) {
      joint.description.mimics = text(*mimic, "joint");
      joint.description.multiplier = number(*mimic, "multiplier", 1);
      joint.description.offset = number(*mimic, "offset", 0);
    }
    if (!joints_.emplace(child, joint).second) fail(e, "link " + child + " is the child of two joints");
  }

  Articulated body_of(const std::vector<Link>& links) const {
    try {
      return Articulated(links);
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  /// Orders the links such that parents come before their children.
  UrdfRobot ordered(const std::string& name) {
    if (order_.empty()) fail("the robot has no links");
    std::vector<Link> links;
    std::map<std::string, std::size_t> number_of;
    const auto add = [&](const std::string& link) {
      number_of[link] = links.size();
      links.push_back(links_[link]);
    };
    for (const std::string& link : order_) {
      if (joints_.count(link) != 0) continue;
      if (!links.empty())
        fail("neither " + links[0].name + " nor " + link +
             " is the child of a joint; a robot must have exactly one such link, its base");
      add(link);
    }
    if (links.empty()) fail("every link is the child of a joint: the joints form a loop");
    for (bool grown = true; grown;) {
      grown = false;
      for (const std::string& link : order_) {
        if (number_of.count(link) != 0) continue;
        const NamedJoint& joint = joints_.at(link);
        if (number_of.count(joint.parent) == 0) continue;
        add(link);
        links.back().parent = number_of.at(joint.parent);
        links.back().joint = joint.joint;
        grown = true;
      }
    }
    for (const std::string& link : order_)
      if (number_of.count(link) == 0) fail("link " + link + " is in a loop of joints");
    UrdfRobot robot{name, body_of(links), {}, {}};
    for (std::size_t i = 1; i < links.size(); ++i) {  // all but the base have a joint
      if (links[i].joint.kind == JointKind::fixed) continue;
      UrdfJoint description = joints_.at(links[i].name).description;
      description.link = i;
      description.position = robot.body.first_position(i);
      robot.joints.push_back(description);
    }
    for (const Link& link : links)
      if (link.shapes.empty()) robot.notes.push_back("link " + link.name + " has no collision shape");
    return robot;
  }

  fs::path path_;
  const UrdfOptions& options_;
  std::vector<std::string> order_;
  std::map<std::string, Link> links_;
  std::map<std::string, NamedJoint> joints_;  // by the link that they move
};

}  // namespace

std::size_t UrdfRobot::link(const std::string& link_name) const {
  for (std::size_t i = 0; i < body.links().size(); ++i)
    if (body.links()[i].name == link_name) return i;
  throw Error("robot " + name + ": there is no link " + link_name);
}

UrdfRobot load_urdf(const fs::path& path, const UrdfOptions& options) {
  const io::FileBytes bytes = io::read_file(path);
  return parse_urdf(bytes.view(), path, options);
}

UrdfRobot parse_urdf(std::string_view text, const fs::path& path, const UrdfOptions& options) {
  return Reader(path, options).read(text);
}

}  // namespace whisker
