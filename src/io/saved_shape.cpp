// Reads and writes shapes of every kind, in whisker's own binary format.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "io/saved_record.hpp"
#include "io/source.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/hull_vertices.hpp"
#include "shapes/internals.hpp"
#include "shapes/rounded_data.hpp"
#include "shapes/sphere_data.hpp"

// The file layout, with all numbers little-endian:
//
//   byte  0  magic, 8 bytes
//         8  version, 32 bits
//        12  the number of records, 32 bits
//        16  the number of bytes of the file, 64 bits
//        24  checksum of the first 24 bytes and of everything that follows, 64 bits
//        32  records: kind, 32 bits; the number of bytes that follow, 64 bits; the content
//
// Each record is a shape. The last one is the shape of the file. A record refers to others by their numbers, 32 bits
// each, which count from 0 and are less than its own. So there are no cycles, and what occurs in several places is
// stored once. The content of a record is, with doubles unless it says otherwise:
//
//   primitive     its numbers, in the order of its members
//   convex hull   merge distance; count, 64 bits; vertices; for each the number of its point, 32 bits
//   mesh          saved_mesh.cpp
//   solid         the record of a mesh. Each mesh has one solid at most
//   height field  columns and rows, 64 bits each; spacing dx, dy; altitudes
//   compound      count, 64 bits; for each part: record, rotation row by row, translation
//   sphere set    count, 64 bits; for each ball: center, radius
//   sphere body   the record of a solid; count, 64 bits; for each node: center, radius, and 32 bits each: first child,
//                 number of children
//   rounded       the record of a shape that is not rounded; radius
//   ground        the record of a height field
//
// Version 1 contained one mesh and had another header (saved_mesh.cpp).

namespace whisker {
namespace {

using io::append_little;
using io::RecordReader;

constexpr std::uint32_t saved_version = 2;
constexpr std::size_t record_count_at = 12;
constexpr std::size_t file_size_at = 16;
constexpr std::size_t checksum_at = 24;
constexpr std::size_t file_header_size = 32;
constexpr std::size_t record_header_size = 12;

/// The kinds of records. The numbers are those in files; they never change.
enum class RecordKind : std::uint32_t {
  sphere = 1,
  capsule = 2,
  box = 3,
  half_space = 4,
  plane = 5,
  segment = 6,
  triangle = 7,
  cylinder = 8,
  cone = 9,
  ellipsoid = 10,
  convex_hull = 11,
  mesh = 12,
  solid = 13,
  height_field = 14,
  compound = 15,
  sphere_set = 16,
  sphere_body = 17,
  rounded = 18,
  ground = 19,
};

template <class Number>
void overwrite(std::string& out, std::size_t at, Number value) {
  std::string bytes;
  append_little(bytes, value);
  out.replace(at, bytes.size(), bytes);
}

/// Visits the numbers of a primitive, in the order of its members.
template <class Primitive, class Visit>
void each_number_of(Primitive& p, const Visit& visit) {
  const auto vector = [&](auto& v) {
    for (auto& x : v)
      visit(x);
  };
  if constexpr (requires { p.radius; }) visit(p.radius);
  if constexpr (requires { p.length; }) visit(p.length);
  if constexpr (requires { p.size; }) vector(p.size);
  if constexpr (requires { p.radii; }) vector(p.radii);
  if constexpr (requires { p.normal; }) vector(p.normal);
  if constexpr (requires { p.offset; }) visit(p.offset);
  if constexpr (requires { p.a; }) vector(p.a);
  if constexpr (requires { p.b; }) vector(p.b);
  if constexpr (requires { p.c; }) vector(p.c);
}

/// Limits the time to make compounds, each of which places the boxes of its parts. That visits the balls of sphere sets
/// and the parts of small compounds, again for each place where they occur, so a small file could take forever.
class PlacingCost {
 public:
  /// Adds the cost of the next record's shape and of making it, given the records of its parts.
  void add(const Shape& shape, std::span<const std::uint32_t> parts) {
    double cost = 1;
    if (const auto* set = shape.as<SphereSet>()) cost = static_cast<double>(set->size());
    if (const auto* compound = shape.as<Compound>()) {
      double sum = 0;
      for (const std::uint32_t part : parts)
        sum += cost_[part];
      if (storage_of(*compound).part_count <= max_single_parts) cost = sum;
    }
    cost_.push_back(cost);
  }
  /// Throws an Error if a compound of these parts takes too long to make. Call it before making it.
  void check(std::span<const std::uint32_t> parts) {
    for (const std::uint32_t part : parts)
      sum_ += cost_[part];
    if (sum_ > max_cost) {
      throw Error("compound: its parts have too many spheres and parts, counted in each place where they occur");
    }
  }

 private:
  static constexpr double max_cost = 1e9;  // about half a minute

  std::vector<double> cost_;  ///< To place the box of each record's shape.
  double sum_ = 0;
};

// ---- writing

class ShapeWriter {
 public:
  ShapeWriter() {
    out_ += io::saved_magic;
    append_little(out_, saved_version);
    out_.resize(file_header_size);
  }

  /// Writes the records of a shape, unless they are already there. Returns the number of its record.
  std::uint32_t add(const Shape& shape) {
    return shape.visit([&](const auto& actual) { return record_of(shape, actual); });
  }

  std::string take() {
    overwrite(out_, record_count_at, count_);
    overwrite(out_, file_size_at, std::uint64_t{out_.size()});
    overwrite(out_, checksum_at, io::file_checksum(out_, checksum_at));
    return std::move(out_);
  }

 private:
  template <class Append>
  std::uint32_t write(const Shape& shape, RecordKind kind, const Append& append,
                      std::span<const std::uint32_t> parts = {}) {
    if (count_ == 0xFFFFFFFF) throw Error("save_shape: more shapes than can be numbered; save the parts separately");
    append_little(out_, static_cast<std::uint32_t>(kind));
    const std::size_t size_at = out_.size();
    append_little(out_, std::uint64_t{0});
    append();
    overwrite(out_, size_at, std::uint64_t{out_.size() - size_at - 8});
    cost_.add(shape, parts);
    return count_++;
  }
  /// The same for a shape that is stored once for all copies.
  template <class Object, class Append>
  std::uint32_t write_once(const Object& object, RecordKind kind, const Append& append) {
    const void* const key = &storage_of(object);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const std::uint32_t number = write(object, kind, append);
    known_.emplace(key, number);
    return number;
  }
  void append_vector(const Vector3& v) {
    for (const double x : v)
      append_little(out_, x);
  }
  void append_count(std::size_t count) { append_little(out_, std::uint64_t{count}); }

  template <class Primitive>
  std::uint32_t primitive(RecordKind kind, const Primitive& p) {
    return write(p, kind, [&] { each_number_of(p, [&](double x) { append_little(out_, x); }); });
  }
  std::uint32_t record_of(const Shape&, const Sphere& s) { return primitive(RecordKind::sphere, s); }
  std::uint32_t record_of(const Shape&, const Capsule& s) { return primitive(RecordKind::capsule, s); }
  std::uint32_t record_of(const Shape&, const Box& s) { return primitive(RecordKind::box, s); }
  std::uint32_t record_of(const Shape&, const HalfSpace& s) { return primitive(RecordKind::half_space, s); }
  std::uint32_t record_of(const Shape&, const Plane& s) { return primitive(RecordKind::plane, s); }
  std::uint32_t record_of(const Shape&, const Segment& s) { return primitive(RecordKind::segment, s); }
  std::uint32_t record_of(const Shape&, const Triangle& s) { return primitive(RecordKind::triangle, s); }
  std::uint32_t record_of(const Shape&, const Cylinder& s) { return primitive(RecordKind::cylinder, s); }
  std::uint32_t record_of(const Shape&, const Cone& s) { return primitive(RecordKind::cone, s); }
  std::uint32_t record_of(const Shape&, const Ellipsoid& s) { return primitive(RecordKind::ellipsoid, s); }

  std::uint32_t record_of(const Shape&, const ConvexHull& hull) {
    return write_once(hull, RecordKind::convex_hull, [&] {
      append_little(out_, shapes::merge_distance_of(hull));
      append_count(hull.vertices().size());
      for (const Vector3& v : hull.vertices())
        append_vector(v);
      for (const std::uint32_t point : hull.vertex_points())
        append_little(out_, point);
    });
  }
  std::uint32_t record_of(const Shape&, const Mesh& mesh) {
    const std::uint32_t surface = write_once(mesh, RecordKind::mesh, [&] { io::append_mesh(out_, mesh); });
    if (!mesh.is_solid()) return surface;
    if (const auto found = solids_.find(surface); found != solids_.end()) return found->second;
    const std::uint32_t solid = write(mesh, RecordKind::solid, [&] { append_little(out_, surface); });
    solids_.emplace(surface, solid);
    return solid;
  }
  std::uint32_t record_of(const Shape&, const HeightField& field) {
    return write_once(field, RecordKind::height_field, [&] {
      append_count(field.columns());
      append_count(field.rows());
      append_little(out_, field.spacing_x());
      append_little(out_, field.spacing_y());
      for (std::size_t j = 0; j < field.rows(); ++j)
        for (std::size_t i = 0; i < field.columns(); ++i)
          append_little(out_, field.height(i, j));
    });
  }
  std::uint32_t record_of(const Shape& shape, const Compound& compound) {
    const void* const key = &storage_of(compound);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    std::vector<std::uint32_t> parts;
    for (const CompoundPart& part : compound.parts())
      parts.push_back(add(part.shape));
    cost_.check(parts);
    const auto append = [&] {
      append_count(parts.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const Pose& pose = compound.parts()[i].pose;
        append_little(out_, parts[i]);
        for (int row = 0; row < 3; ++row)
          append_vector(pose.rotation().row(row));
        append_vector(pose.translation());
      }
    };
    const std::uint32_t number = write(shape, RecordKind::compound, append, parts);
    known_.emplace(key, number);
    return number;
  }
  std::uint32_t record_of(const Shape&, const SphereSet& set) {
    return write_once(set, RecordKind::sphere_set, [&] {
      append_count(set.size());
      for (std::size_t i = 0; i < set.size(); ++i) {
        append_vector(set.center(i));
        append_little(out_, set.radius(i));
      }
    });
  }
  std::uint32_t record_of(const Shape&, const SphereBody& body) {
    const std::uint32_t mesh = add(body.mesh());
    return write_once(body, RecordKind::sphere_body, [&] {
      append_little(out_, mesh);
      append_count(body.size());
      for (std::size_t i = 0; i < body.size(); ++i) {
        append_vector(body.sphere(i).center);
        append_little(out_, body.sphere(i).radius);
        append_little(out_, body.first_child(i));
        append_little(out_, body.child_count(i));
      }
    });
  }
  std::uint32_t record_of(const Shape& shape, const RegisteredShape& registered) {
    if (const HeightField* const surface = shapes::ground_surface(shape)) {
      const std::uint32_t field = add(*surface);
      return write(shape, RecordKind::ground, [&] { append_little(out_, field); });
    }
    const shapes::RoundedData* const data = shapes::rounded_data(registered);
    if (data == nullptr) refuse(shape);
    const std::uint32_t inner = add(data->inner);
    return write(shape, RecordKind::rounded, [&] {
      append_little(out_, inner);
      append_little(out_, data->radius);
    });
  }
  std::uint32_t record_of(const Shape& shape, const CustomConvex&) { refuse(shape); }
  [[noreturn]] static void refuse(const Shape& shape) {
    throw Error("save_shape: a shape of the kind \"" + std::string(name(shape.kind())) +
                "\" consists of functions, which a file cannot contain; save what it is made from");
  }

  std::string out_;
  std::uint32_t count_ = 0;
  std::unordered_map<const void*, std::uint32_t> known_;     ///< The records of storages.
  std::unordered_map<std::uint32_t, std::uint32_t> solids_;  ///< The solids of meshes.
  PlacingCost cost_;
};

// ---- reading

class ShapeReader {
 public:
  explicit ShapeReader(std::uint32_t count) : used_(count, false), has_solid_(count, false) { shapes_.reserve(count); }

  /// Reads the next record, which must be of this kind.
  void add(std::uint32_t kind, RecordReader content) {
    parts_.clear();
    Shape shape = take_shape(static_cast<RecordKind>(kind), content);
    if (content.left() > 0) throw Error("it is too long");
    cost_.add(shape, parts_);
    shapes_.push_back(std::move(shape));
  }
  /// The last shape. Throws an Error if another one is used by no record.
  Shape take() {
    used_.back() = true;
    const auto unused = std::find(used_.begin(), used_.end(), false);
    if (unused != used_.end())
      throw Error("record " + std::to_string(unused - used_.begin()) + ": nothing refers to it");
    return std::move(shapes_.back());
  }

 private:
  const Shape& take_reference(RecordReader& reader) {
    const auto number = reader.take<std::uint32_t>();
    if (number >= shapes_.size()) {
      throw Error("it refers to record " + std::to_string(number) + ", which does not come before it");
    }
    used_[number] = true;
    parts_.push_back(number);
    return shapes_[number];
  }
  const Mesh& take_mesh_reference(RecordReader& reader, bool solid) {
    const auto* mesh = take_reference(reader).as<Mesh>();
    if (mesh == nullptr || mesh->is_solid() != solid) {
      throw Error("it refers to record " + std::to_string(parts_.back()) + ", which is not a " +
                  (solid ? "solid" : "mesh"));
    }
    return *mesh;
  }
  static Vector3 take_vector(RecordReader& reader) {
    Vector3 v;
    for (double& x : v)
      reader.take_to(x);
    return v;
  }
  static BoundingSphere take_ball(RecordReader& reader) {
    const Vector3 center = take_vector(reader);
    return {center, reader.take<double>()};
  }

  template <class Primitive>
  static Shape take_primitive(RecordReader& reader) {
    Primitive p;
    each_number_of(p, [&](double& x) { reader.take_to(x); });
    return p;
  }
  static Shape take_hull(RecordReader& reader) {
    const auto merge_distance = reader.take<double>();
    std::vector<Vector3> vertices(reader.take_count(28));
    std::vector<std::uint32_t> points(vertices.size());
    for (Vector3& v : vertices)
      v = take_vector(reader);
    for (std::uint32_t& point : points)
      reader.take_to(point);
    if (std::adjacent_find(points.begin(), points.end(), std::greater_equal<>()) != points.end() ||
        (!points.empty() && points.back() >= std::uint32_t{1} << 31)) {
      throw Error("convex hull: the numbers of its points do not ascend, or are not below 2^31");
    }
    return shapes::hull_of_vertices(vertices, std::move(points), merge_distance);
  }
  Shape take_solid(RecordReader& reader) {
    const Mesh& mesh = take_mesh_reference(reader, false);
    // Checking a mesh twice would take time that is not in proportion to the file.
    if (has_solid_[parts_.back()]) throw Error("it is the second solid of one mesh");
    has_solid_[parts_.back()] = true;
    return mesh.solid();
  }
  static Shape take_height_field(RecordReader& reader) {
    const auto columns = reader.take<std::uint64_t>(), rows = reader.take<std::uint64_t>();
    const auto dx = reader.take<double>(), dy = reader.take<double>();
    const std::size_t altitudes = reader.left() / 8;
    if (columns == 0 || columns > altitudes || altitudes / columns != rows || altitudes % columns != 0)
      throw Error("its columns and rows do not fit its size");
    std::vector<double> heights(altitudes);
    for (double& height : heights)
      reader.take_to(height);
    return HeightField(heights, columns, rows, dx, dy);
  }
  Shape take_compound(RecordReader& reader) {
    std::vector<CompoundPart> parts;
    const std::size_t count = reader.take_count(100);
    parts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Shape& shape = take_reference(reader);
      Matrix3 rotation;
      for (int row = 0; row < 3; ++row)
        rotation.row(row) = take_vector(reader);
      parts.push_back({shape, Pose(rotation, take_vector(reader))});
    }
    cost_.check(parts_);
    return Compound(std::move(parts));
  }
  static Shape take_sphere_set(RecordReader& reader) {
    std::vector<BoundingSphere> balls(reader.take_count(32));
    for (BoundingSphere& ball : balls)
      ball = take_ball(reader);
    return shapes::set_of(balls);
  }
  Shape take_sphere_body(RecordReader& reader) {
    const Mesh& solid = take_mesh_reference(reader, true);
    SphereTree tree;
    tree.nodes.resize(reader.take_count(40));
    for (SphereTreeNode& node : tree.nodes) {
      node.sphere = take_ball(reader);
      reader.take_to(node.first_child);
      reader.take_to(node.child_count);
    }
    return SphereBody(tree, solid);
  }

  Shape take_rounded(RecordReader& reader) {
    const Shape& inner = take_reference(reader);
    const auto radius = reader.take<double>();
    Shape shape = rounded(inner, radius);
    const std::optional<Rounding> made = unrounded(shape);
    if (!made || made->shape.kind() != inner.kind())
      throw Error("it refers to record " + std::to_string(parts_.back()) + ", which cannot be rounded");
    return shape;
  }

  Shape take_ground(RecordReader& reader) {
    const auto* const field = take_reference(reader).as<HeightField>();
    if (field == nullptr)
      throw Error("it refers to record " + std::to_string(parts_.back()) + ", which is not a height field");
    return ground(*field);
  }

  Shape take_shape(RecordKind kind, RecordReader& reader) {
    switch (kind) {
      case RecordKind::sphere:
        return take_primitive<Sphere>(reader);
      case RecordKind::capsule:
        return take_primitive<Capsule>(reader);
      case RecordKind::box:
        return take_primitive<Box>(reader);
      case RecordKind::half_space:
        return take_primitive<HalfSpace>(reader);
      case RecordKind::plane:
        return take_primitive<Plane>(reader);
      case RecordKind::segment:
        return take_primitive<Segment>(reader);
      case RecordKind::triangle:
        return take_primitive<Triangle>(reader);
      case RecordKind::cylinder:
        return take_primitive<Cylinder>(reader);
      case RecordKind::cone:
        return take_primitive<Cone>(reader);
      case RecordKind::ellipsoid:
        return take_primitive<Ellipsoid>(reader);
      case RecordKind::convex_hull:
        return take_hull(reader);
      case RecordKind::mesh:
        return io::take_mesh(reader);
      case RecordKind::solid:
        return take_solid(reader);
      case RecordKind::height_field:
        return take_height_field(reader);
      case RecordKind::compound:
        return take_compound(reader);
      case RecordKind::sphere_set:
        return take_sphere_set(reader);
      case RecordKind::sphere_body:
        return take_sphere_body(reader);
      case RecordKind::rounded:
        return take_rounded(reader);
      case RecordKind::ground:
        return take_ground(reader);
    }
    throw Error("it is of a kind that this whisker does not support: use a newer whisker");
  }

  std::vector<Shape> shapes_;
  std::vector<bool> used_;
  std::vector<bool> has_solid_;
  std::vector<std::uint32_t> parts_;  ///< The records that the current one refers to.
  PlacingCost cost_;
};

/// Throws Errors without the file's name.
Shape read_shape(std::string_view file) {
  if (!file.starts_with(io::saved_magic.substr(0, std::min(io::saved_magic.size(), file.size())))) {
    throw Error("this is not a file that save_shape wrote: read mesh files with load_mesh");
  }
  if (file.size() < record_count_at) throw Error("the file is cut short: get it again");
  RecordReader reader(file.substr(io::saved_magic.size()));
  const auto version = reader.take<std::uint32_t>();
  if (version > saved_version) {
    throw Error("the file has version " + std::to_string(version) + ", but this whisker reads versions up to " +
                std::to_string(saved_version) + ": use a newer whisker, or save it again from the original shape");
  }
  if (version == 0) throw Error("the file has version 0, which does not exist: get it again");
  if (version == 1) return io::read_mesh_file(file);

  if (file.size() < file_header_size) throw Error("the file is cut short: get it again");
  const auto count = reader.take<std::uint32_t>();
  io::check_whole(file, reader.take<std::uint64_t>(), checksum_at);
  reader.take<std::uint64_t>();  // the checksum
  if (count == 0 || count > reader.left() / record_header_size) {
    throw Error("the file is damaged (its number of records does not fit its size): get it again");
  }
  ShapeReader shapes(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    try {
      const auto kind = reader.take<std::uint32_t>();
      shapes.add(kind, RecordReader(reader.take_bytes(reader.take<std::uint64_t>())));
    } catch (const Error& error) {
      throw Error("record " + std::to_string(i) + ": " + error.what());
    }
  }
  if (reader.left() > 0) throw Error("the file is damaged (there is something after its last record): get it again");
  return shapes.take();
}

}  // namespace

void io::check_whole(std::string_view file, std::uint64_t size, std::size_t at) {
  if (file.size() < size) {
    throw Error("the file is cut short (" + std::to_string(file.size()) + " of " + std::to_string(size) +
                " bytes): get it again");
  }
  if (file.size() > size) {
    throw Error("the file is too long (" + std::to_string(file.size()) + " bytes instead of " + std::to_string(size) +
                "): get it again");
  }
  if (load<std::uint64_t>(file.data() + at, std::endian::little) != file_checksum(file, at))
    throw Error("the file is damaged (its checksum is wrong): get it again");
}

std::string encode_shape(const Shape& shape) {
  ShapeWriter writer;
  writer.add(shape);
  return writer.take();
}

Shape decode_shape(std::span<const std::byte> bytes, std::string_view name) {
  const io::Source source{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, std::string(name)};
  try {
    return read_shape(source.text);
  } catch (const Error& error) {
    source.fail(error.what());
  }
}

void save_shape(const Shape& shape, const std::filesystem::path& path) {
  io::write_file(path, encode_shape(shape));
}

Shape load_shape(const std::filesystem::path& path) {
  const io::FileBytes bytes = io::read_file(path);
  return decode_shape(std::as_bytes(std::span(bytes.data.get(), bytes.size)), path.string());
}

void save_mesh(const Mesh& mesh, const std::filesystem::path& path) {
  save_shape(mesh, path);
}

std::string encode_saved_mesh(const Mesh& mesh) {
  return encode_shape(mesh);
}

Mesh decode_saved_mesh(std::span<const std::byte> bytes, std::string_view name) {
  const Shape shape = decode_shape(bytes, name);
  if (const auto* mesh = shape.as<Mesh>()) return *mesh;
  io::Source{{}, std::string(name)}.fail("the file contains a " + std::string(whisker::name(shape.kind())) +
                                         ", not a mesh: load it with load_shape");
}

Mesh load_saved_mesh(const std::filesystem::path& path) {
  const io::FileBytes bytes = io::read_file(path);
  return decode_saved_mesh(std::as_bytes(std::span(bytes.data.get(), bytes.size)), path.string());
}

}  // namespace whisker
