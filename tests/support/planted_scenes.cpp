#include "support/planted_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>

#include "clash/layered_solid.hpp"
#include "support/cases.hpp"

namespace whisker::test {
namespace {

using namespace whisker::clash;

// In cell units, which `scale` converts to scene units. The contents of a cell are within `reach` of its center.
constexpr double cell_size = 4;
constexpr double reach = 1.7;
constexpr double jitter = 0.2;
constexpr double clearance = 0.1;
constexpr double contact = 0.01;
static_assert(cell_size - 2 * reach - 2 * jitter > clearance);
constexpr double tool_reach = 0.4;
constexpr double small_reach = 0.2;

class SceneMaker {
 public:
  SceneMaker(std::uint64_t seed, std::size_t parts) : random_(seed * 0x9E3779B97F4A7C15ull + 77) {
    scale_ = std::ldexp(1.0, static_cast<int>(random_() % 12) - 4);
    result_.assembly.title = "random scene " + std::to_string(seed);
    result_.assembly.rules.clearance = clearance * scale_;
    result_.assembly.rules.contact = contact * scale_;
    result_.assembly.rules.allowed.push_back({"allowed_*", "allowed_*"});
    result_.assembly.rules.ignored.push_back({"ignored_*/a", "ignored_*"});
    result_.allowed = 0;
    make_meshes();
    const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(parts) / 1.6)));
    std::vector<std::size_t> cells(side * side * side);
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = i;
    std::shuffle(cells.begin(), cells.end(), random_);
    for (const std::size_t cell : cells) {
      if (result_.assembly.parts.size() >= parts) break;
      fill_cell({static_cast<double>(cell % side), static_cast<double>(cell / side % side),
                 static_cast<double>(cell / side / side)});
    }
  }

  PlantedAssembly take() {
    // The order of the parts must not reveal which ones belong together.
    std::shuffle(result_.assembly.parts.begin(), result_.assembly.parts.end(), random_);
    return std::move(result_);
  }

 private:
  double uniform(double low, double high) { return test::uniform(random_, low, high); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  template <class Values>
  auto& pick(Values& values) {
    return values[random_() % values.size()];
  }

  std::uint32_t mesh(MeshData data) {
    for (Vector3& vertex : data.vertices)
      vertex *= scale_;  // a power of two: exact
    result_.assembly.meshes.push_back({data, Mesh(data).solid(), true, {}});
    return static_cast<std::uint32_t>(result_.assembly.meshes.size() - 1);
  }

  // A mesh scaled to fit into a ball of this radius around its origin.
  std::uint32_t fitted(MeshData data, double radius) {
    double size = 0;
    for (const Vector3& vertex : data.vertices)
      size = std::max(size, vertex.norm());
    for (Vector3& vertex : data.vertices)
      vertex *= radius / size;
    return mesh(std::move(data));
  }

  static MeshData star(int points) {
    Loop outline;
    for (int i = 0; i < 2 * points; ++i) {
      const double angle = std::numbers::pi * i / points, radius = i % 2 == 0 ? 1 : 0.4;
      outline.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
    }
    return extrude(outline, -0.2, 0.3);
  }

  static MeshData box(const Vector3& low, const Vector3& high) {
    return extrude(rectangle(low.head<2>(), high.head<2>()), low.z(), high.z());
  }

  void make_meshes() {
    const auto seed = random_() % 1000;
    const std::vector<MeshData> convex{
        make::box({.size_x = uniform(0.5, 1), .size_y = uniform(0.5, 1), .size_z = 1}),
        make::cylinder({.radius = 0.5, .length = uniform(0.5, 2), .slices = 12}),
        make::icosphere({.radius = 1, .subdivisions = 2}), make::cone({.radius = 0.6, .length = 1.2, .slices = 10}),
        make::random_hull({.points = 40, .radius_x = 1, .radius_y = 0.8, .radius_z = 0.5, .seed = seed})};
    const std::vector<MeshData> other{star(5), make::torus({.major = 1, .minor = 0.3, .around = 20, .across = 10}),
                                      make::gear({.teeth = 12, .module = 0.15, .width = 0.5, .bore = 0.3}),
                                      make::s_shape({.along = 12, .across = 8})};
    for (const MeshData& data : convex) {
      convex_tools_.push_back(fitted(data, tool_reach));
      small_.push_back(fitted(data, small_reach));
      lonely_.push_back(fitted(data, reach * uniform(0.5, 1)));
    }
    tools_ = convex_tools_;
    for (const MeshData& data : other) {
      tools_.push_back(fitted(data, tool_reach));
      lonely_.push_back(fitted(data, reach * uniform(0.5, 1)));
    }
    wall_ = mesh(box({-1, -1, -0.75}, {1, 1, 0}));
    case_ = mesh(box({-0.9375, -0.9375, -0.9375}, {0.9375, 0.9375, 0.9375}));
    // The boundary of a hollow box: two boxes, the inner one inside out.
    MeshData hollow = box({-0.9375, -0.9375, -0.9375}, {0.9375, 0.9375, 0.9375});
    const MeshData inner = box({-0.75, -0.75, -0.75}, {0.75, 0.75, 0.75});
    const auto first = static_cast<std::uint32_t>(hollow.vertices.size());
    hollow.vertices.insert(hollow.vertices.end(), inner.vertices.begin(), inner.vertices.end());
    for (const Index3& t : inner.triangles)
      hollow.triangles.push_back({t[0] + first, t[2] + first, t[1] + first});
    hollow_ = mesh(std::move(hollow));
    const std::vector<Loop> hole{polygon({0, 0}, 0.5, 24)};
    ring_ = mesh(extrude(polygon({0, 0}, 1.25, 24), hole, -0.25, 0.25));
    pin_ = mesh(make::cylinder({.radius = 0.375, .length = 2, .slices = 16}));
    cube_ = mesh(box({0, 0, 0}, {0.75, 0.75, 0.75}));
    slab_ = mesh(box({0, 0, 0}, {0.75, 1, 0.5}));
    prism_ = mesh(extrude(polygon({0, 0}, 0.5, 12), -0.5, 0.5));
  }

  Matrix3 random_turn() {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random_), normal(random_), normal(random_), normal(random_))
        .normalized()
        .toRotationMatrix();
  }

  Matrix3 quarter_turns() {
    Matrix3 about_z, about_x, turn = Matrix3::Identity();
    about_z << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    about_x << 1, 0, 0, 0, 0, -1, 0, 1, 0;
    for (int i = 0; i < 6; ++i)
      turn = turn * (chance(0.5) ? about_z : about_x);
    return turn;
  }

  // The rotation that makes a random triangle of the mesh face -z. Other triangles may be in its plane.
  Matrix3 face_down(std::uint32_t number) {
    const MeshData& data = result_.assembly.meshes[number].data;
    const Index3& t = data.triangles[random_() % data.triangles.size()];
    const Vector3 normal = (data.vertices[t[1]] - data.vertices[t[0]]).cross(data.vertices[t[2]] - data.vertices[t[0]]);
    return Eigen::Quaterniond::FromTwoVectors(normal, -Vector3::UnitZ()).toRotationMatrix();
  }

  // The smallest or largest coordinate of the rotated mesh, in cell units.
  double lowest(std::uint32_t number, const Matrix3& turn, int axis) {
    double low = 1e300;
    for (const Vector3& vertex : result_.assembly.meshes[number].data.vertices)
      low = std::min(low, (turn * vertex)[axis]);
    return low / scale_;
  }
  double highest(std::uint32_t number, const Matrix3& turn, int axis) {
    double high = -1e300;
    for (const Vector3& vertex : result_.assembly.meshes[number].data.vertices)
      high = std::max(high, (turn * vertex)[axis]);
    return high / scale_;
  }

  Bounds about(double value) const { return {(value - 1e-10) * scale_, (value + 1e-10) * scale_}; }

  // Converts a local pose (in cell units) to the scene, using the cell's pose.
  Pose to_scene(const Pose& local) const {
    return {cell_.rotation() * local.rotation(),
            cell_.rotation() * (local.translation() * scale_) + cell_.translation()};
  }

  Part& add(const char* suffix, std::uint32_t number, const Pose& local) {
    result_.assembly.parts.push_back({name_ + suffix, name_.substr(0, name_.find('_')), number, to_scene(local), {}});
    return result_.assembly.parts.back();
  }

  void plant(FindingKind kind, const Vector3& local, double tolerance, std::optional<Bounds> depth,
             std::optional<Bounds> distance, std::optional<Bounds> time = {}) {
    if (is_allowed_) ++*result_.allowed;
    if (is_allowed_ || is_ignored_) return;
    PlantedFinding finding;
    finding.a = name_ + "/a";
    finding.b = name_ + "/b";
    finding.kind = kind;
    finding.depth = depth;
    finding.distance = distance;
    finding.time = time;
    finding.position = to_scene(Pose(local)).translation();
    finding.position_tolerance = tolerance * scale_;
    result_.planted.push_back(std::move(finding));
  }

  // Plants the finding for an overlap of two parts (positive) or for their distance (negative).
  void plant_overlap(double overlap, const Vector3& local, double tolerance) {
    if (overlap > contact) {
      plant(FindingKind::clash, local, tolerance, about(overlap), {});
    } else if (overlap > 0) {
      plant(FindingKind::contact, local, tolerance, about(overlap), Bounds{0, 0});
    } else if (-overlap <= contact) {
      plant(FindingKind::contact, local, tolerance, {}, about(-overlap));
    } else if (-overlap < clearance) {
      plant(FindingKind::too_close, local, tolerance, {}, about(-overlap));
    }
  }

  // Covers every kind of finding, with no value near the limit between two kinds.
  double random_overlap() {
    switch (random_() % 5) {
      case 0:
        return uniform(0.02, 0.3);
      case 1:
        return uniform(0.001, 0.009);
      case 2:
        return -uniform(0.001, 0.009);
      case 3:
        return -uniform(0.012, 0.098);
      default:
        return -uniform(0.102, 0.3);
    }
  }

  struct Tool {
    std::uint32_t mesh;
    Matrix3 turn;
    double lowest;
    Vector2 shift;
  };
  Tool random_tool() {
    const bool is_on_face = chance(0.5);
    Tool tool{
        pick(is_on_face ? convex_tools_ : tools_), Matrix3::Identity(), 0, {uniform(-0.2, 0.2), uniform(-0.2, 0.2)}};
    tool.turn = is_on_face ? face_down(tool.mesh) : random_turn();
    tool.lowest = lowest(tool.mesh, tool.turn, 2);
    return tool;
  }
  static Pose tool_at(const Tool& tool, double bottom) {
    return {tool.turn, {tool.shift.x(), tool.shift.y(), bottom - tool.lowest}};
  }

  void add_tool_on_wall() {
    const Tool tool = random_tool();
    // Prevents a flat tool from sinking completely into the wall.
    const double overlap = std::min(random_overlap(), 0.9 * (highest(tool.mesh, tool.turn, 2) - tool.lowest));
    add("/a", wall_, {});
    add("/b", tool.mesh, tool_at(tool, -overlap));
    plant_overlap(overlap, {tool.shift.x(), tool.shift.y(), 0}, 0.8);
  }

  void add_tool_moving_to_wall() {
    const Tool tool = random_tool();
    const double height = uniform(0.2, 0.8), end = chance(0.7) ? -uniform(0.02, 0.3) : uniform(0.12, 0.18);
    const double begin_time = uniform(-1, 1), rest = uniform(0.1, 2), way_time = uniform(0.1, 5);
    add("/a", wall_, {});
    Part& part = add("/b", tool.mesh, tool_at(tool, height));
    part.motion.push_back({begin_time, part.pose});
    if (chance(0.5)) part.motion.push_back({begin_time + rest, part.pose});
    const double from = part.motion.back().time;
    part.motion.push_back({from + way_time, to_scene(tool_at(tool, end))});
    if (end > 0) return;
    const double hit = from + way_time * height / (height - end);
    plant(FindingKind::clash, {tool.shift.x(), tool.shift.y(), 0}, 0.8, {}, {}, Bounds{hit - 1e-9, hit + 1e-9});
  }

  // A small convex part in a box, near one of its faces. The shortest way out is through that face: along any other
  // direction, at an angle t to the face's normal, the way is longer by at least 0.9375 sin t - 0.3375 (1 - cos t) - 2
  // * 0.2 sin(t / 2) > 0, where 0.2 is the part's radius, and 0.3375 and 0.9375 are the distances of its center from
  // that face and from the adjacent ones.
  void add_contained() {
    const std::uint32_t inner = pick(small_);
    const Matrix3 turn = random_turn();
    const int axis = static_cast<int>(random_() % 3);
    const double side = chance(0.5) ? 1 : -1;
    const double behind = side > 0 ? -lowest(inner, turn, axis) : highest(inner, turn, axis);
    add("/a", case_, {});
    add("/b", inner, {turn, side * 0.6 * Vector3::Unit(axis)});
    plant(FindingKind::contained, side * 0.6 * Vector3::Unit(axis), small_reach, about(0.3375 + behind), {});
  }

  void add_boxes() {
    // [0, 0.75]^3 and [0, 0.75] x [0, 1] x [0, 0.5], translated.
    const Vector3 first(0.75, 0.75, 0.75), second(0.75, 1, 0.5);
    const int axis = static_cast<int>(random_() % 3);
    const double overlap = random_overlap();
    Vector3 shift;
    double depth = overlap;
    for (int i = 0; i < 3; ++i) {
      shift[i] = i == axis ? first[i] - overlap : uniform(-0.1, 0.3);
      if (overlap > 0) depth = std::min({depth, first[i] - shift[i], shift[i] + second[i]});
    }
    const Vector3 back = -Vector3(0.5, 0.5, 0.5);
    add("/a", cube_, Pose(back));
    add("/b", slab_, Pose(Vector3(shift + back)));
    Vector3 middle;
    for (int i = 0; i < 3; ++i)
      middle[i] = (std::max(0.0, shift[i]) + std::min(first[i], shift[i] + second[i])) / 2;
    plant_overlap(depth, middle + back, 1);
  }

  // Sides of the two prisms face each other, so the shortest way to separate them is along the line between their axes.
  void add_prisms() {
    const double overlap = random_overlap(), along = uniform(-0.4, 0.4);
    add("/a", prism_, Pose(Vector3(-0.5, 0, 0)));
    add("/b", prism_, Pose(Vector3(0.5 - overlap, 0, along)));
    plant_overlap(overlap, {-overlap / 2, 0, along / 2}, 0.7);
  }

  // Contact that is exact in double: a common face, edge or corner.
  void add_flush() {
    cell_.set_rotation(quarter_turns());
    const int common = 1 + static_cast<int>(random_() % 3);  // the number of axes along which one ends where the other
                                                             // begins
    const Vector3 first(0.75, 0.75, 0.75);
    Vector3 shift(0.25, -0.125, 0.125);
    for (int i = 0; i < common; ++i)
      shift[i] = first[i];
    const Vector3 back(-0.75, -0.75, -0.625);
    add("/a", cube_, Pose(back));
    add("/b", slab_, Pose(Vector3(shift + back)));
    plant(FindingKind::contact, shift + back, 1.5, {}, Bounds{0, 0});
  }

  void add_decoy() {
    switch (random_() % 3) {
      case 0:  // a clearance of 0.125 between pin and ring
        add("/a", ring_, {});
        add("/b", pin_, Pose(Vector3(0, 0, uniform(-0.3, 0.3))));
        break;
      case 1:
        add("/a", hollow_, {});
        add("/b", pick(tools_), {random_turn(), {uniform(-0.2, 0.2), uniform(-0.2, 0.2), uniform(-0.2, 0.2)}});
        break;
      default: {  // moves past the wall, above it
        const Tool tool = random_tool();
        add("/a", wall_, {});
        Part& part = add("/b", tool.mesh, tool_at(tool, 0.15));
        Tool there = tool;
        there.shift = -tool.shift;
        part.motion = {{0, part.pose}, {1, to_scene(tool_at(there, 0.15))}};
      }
    }
  }

  void fill_cell(const Vector3& place) {
    // Multiples of 1/64 cell unit, for cells where contact is exact.
    const auto jittered = [&] { return std::floor(uniform(-jitter, jitter) * 64) / 64; };
    const Vector3 center = cell_size * place + Vector3(jittered(), jittered(), jittered());
    cell_ = Pose(random_turn(), center * scale_);
    is_allowed_ = chance(0.05);
    is_ignored_ = !is_allowed_ && chance(0.05);
    name_ = (is_allowed_ ? "allowed_" : is_ignored_ ? "ignored_" : "cell_") + std::to_string(number_++);
    if (chance(0.5)) {
      add("/a", pick(lonely_), {});
      return;
    }
    switch (random_() % 8) {
      case 0:
      case 1:
        return add_tool_on_wall();
      case 2:
        return add_tool_moving_to_wall();
      case 3:
        return add_contained();
      case 4:
        return add_boxes();
      case 5:
        return add_prisms();
      case 6:
        return add_flush();
      default:
        return add_decoy();
    }
  }

  std::mt19937_64 random_;
  double scale_ = 1;
  PlantedAssembly result_;
  std::vector<std::uint32_t> convex_tools_, tools_, small_, lonely_;
  std::uint32_t wall_ = 0, case_ = 0, hollow_ = 0, ring_ = 0, pin_ = 0, cube_ = 0, slab_ = 0, prism_ = 0;
  // The cell that is being filled.
  Pose cell_;
  std::string name_;
  bool is_allowed_ = false;
  bool is_ignored_ = false;
  std::size_t number_ = 0;
};

}  // namespace

clash::PlantedAssembly random_planted_scene(std::uint64_t seed, std::size_t parts) {
  return SceneMaker(seed, parts).take();
}

}  // namespace whisker::test
