// The inputs of the suite `simple`: random shapes of sizes 0.2 to 1 in random poses, one slid along a random direction
// until the two are as far apart, or as deep in each other, as the row wants.

#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Geometry>

#include "simple.hpp"

namespace whisker::bench {
namespace {

constexpr double nearest = 0.01, farthest = 2;      // gaps of rows whose shapes are apart
constexpr double shallowest = 1e-3, deepest = 0.5;  // depths of rows whose shapes overlap

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return low + (high - low) * std::ldexp(static_cast<double>(random() >> 11), -53);
}
double log_uniform(Random& random, double low, double high) {
  return low * std::exp(uniform(random, 0, std::log(high / low)));
}
Vector3 in_cube(Random& random, double half_width) {
  const double x = uniform(random, -half_width, half_width), y = uniform(random, -half_width, half_width);
  return {x, y, uniform(random, -half_width, half_width)};
}
Vector3 unit_vector(Random& random) {
  while (true) {
    const Vector3 v = in_cube(random, 1);
    const double length = v.norm();
    if (length > 0.1 && length <= 1) return v / length;
  }
}
Matrix3 rotation(Random& random) {
  while (true) {
    Eigen::Quaterniond q;
    for (int i = 0; i < 4; ++i)
      q.coeffs()[i] = uniform(random, -1, 1);
    if (q.norm() > 0.1 && q.norm() <= 1) return q.normalized().toRotationMatrix();
  }
}

/// Diameters, lengths and edges from 0.2 to 1.
Shape random_shape(Random& random, ShapeKind kind) {
  const auto size = [&random] { return uniform(random, 0.2, 1); };
  const double first = size(), second = size(), third = size();
  const auto corner = [&random] { return in_cube(random, 0.5); };
  switch (kind) {
    case ShapeKind::sphere:
      return Sphere{first / 2};
    case ShapeKind::capsule:
      return Capsule{first / 2, second};
    case ShapeKind::box:
      return Box{{first, second, third}};
    case ShapeKind::cylinder:
      return Cylinder{first / 2, second};
    case ShapeKind::cone:
      return Cone{first / 2, second};
    case ShapeKind::ellipsoid:
      return Ellipsoid{{first / 2, second / 2, third / 2}};
    case ShapeKind::half_space:
      return HalfSpace{first * unit_vector(random), first * uniform(random, -1, 1)};
    case ShapeKind::plane:
      return Plane{first * unit_vector(random), first * uniform(random, -1, 1)};
    case ShapeKind::segment: {
      const Vector3 a = corner();
      return Segment{a, a + first * unit_vector(random)};
    }
    default:
      while (true) {
        const Triangle t{corner(), corner(), corner()};
        const double shortest = std::min({(t.a - t.b).norm(), (t.b - t.c).norm(), (t.c - t.a).norm()});
        if (shortest > 0.2 && (t.b - t.a).cross(t.c - t.a).norm() > 0.05) return t;
      }
  }
}

/// The unit normal of a half-space or plane in the world, and the height of its border along that.
struct Border {
  Vector3 normal;
  double height = 0;

  Border(const Shape& shape, const Pose& pose) {
    const auto* const plane = shape.as<Plane>();
    const Vector3 own = plane != nullptr ? plane->normal : shape.as<HalfSpace>()->normal;
    normal = place_direction(pose, own).normalized();
    height = (plane != nullptr ? plane->offset : shape.as<HalfSpace>()->offset) / own.norm() +
             normal.dot(pose.translation());
  }
};

/// Where b slides: from a start, where the two touch if they are solid, along a direction that leads away from a.
struct Slide {
  SimpleInput& input;
  Vector3 start, direction;

  void put(double along) const { input.pose_b.set_translation(start + along * direction); }
};

Slide make_slide(Random& random, SimpleInput& in) {
  const auto centroid = [](const Shape& shape, const Pose& pose) { return place(pose, shape.centroid()); };
  Slide slide{in, in.pose_b.translation(), unit_vector(random)};
  if (!in.a.is_unbounded() && !in.b.is_unbounded()) {
    slide.start += centroid(in.a, in.pose_a) - centroid(in.b, in.pose_b);
  } else if (in.a.is_unbounded()) {
    const Border border(in.a, in.pose_a);
    slide.direction = border.normal;
    slide.start += (border.height - border.normal.dot(centroid(in.b, in.pose_b))) * border.normal;
  } else {
    const Border border(in.b, in.pose_b);
    slide.direction = -border.normal;
    slide.start -= (border.height - border.normal.dot(centroid(in.a, in.pose_a))) * border.normal;
  }
  return slide;
}

bool touching(const SimpleInput& in) {
  return touches({in.a, in.pose_a}, {in.b, in.pose_b});
}

/// How far b slides until the two are apart. Segments may be apart at once, and are then nearest at 0.
double last_touch(const Slide& slide) {
  double inside = 0, outside = 4;
  for (int step = 0; step < 24; ++step) {
    const double middle = (inside + outside) / 2;
    slide.put(middle);
    (touching(slide.input) ? inside : outside) = middle;
  }
  return inside;
}

bool place_apart(Random& random, const Slide& slide) {
  slide.put(last_touch(slide) + log_uniform(random, nearest, farthest));
  const SimpleInput& in = slide.input;
  const double gap = distance({in.a, in.pose_a}, {in.b, in.pose_b}).upper;
  return gap >= nearest && gap <= farthest;
}

bool place_overlapping(Random& random, const Slide& slide, bool deep_only) {
  const double along = last_touch(slide) - log_uniform(random, shallowest, 2 * deepest);
  slide.put(along);
  const SimpleInput& in = slide.input;
  if (!deep_only) return touching(in);
  const double found = depth({in.a, in.pose_a}, {in.b, in.pose_b}).lower;
  return found >= shallowest && found <= deepest;
}

/// Two half-spaces or planes are apart only if their normals are exactly parallel, and two half-spaces only if these
/// are opposite. The depth is finite only then, too.
bool place_parallel(Random& random, SimpleInput& in, bool apart) {
  const auto* const plane = in.a.as<Plane>();
  const Vector3 normal = plane != nullptr ? plane->normal : in.a.as<HalfSpace>()->normal;
  const double offset = plane != nullptr ? plane->offset : in.a.as<HalfSpace>()->offset;
  const double by = apart ? log_uniform(random, nearest, farthest) : -log_uniform(random, shallowest, deepest);
  const double other = -offset - by * normal.norm();
  in.pose_b = in.pose_a;
  if (in.b.kind() == ShapeKind::plane)
    in.b = Plane{-normal, other};
  else
    in.b = HalfSpace{-normal, other};
  return true;
}

bool place_pair(Random& random, Question question, bool apart, SimpleInput& in) {
  if (in.a.is_unbounded() && in.b.is_unbounded()) {
    if (question != Question::touches || apart) return place_parallel(random, in, apart);
    return true;  // they always touch
  }
  const Slide slide = make_slide(random, in);
  if (apart) return place_apart(random, slide);
  return place_overlapping(random, slide, question == Question::depth);
}

}  // namespace

std::string simple_row_name(Question question, ShapeKind a, ShapeKind b) {
  const std::string word = question == Question::touches    ? "touch"
                           : question == Question::distance ? "distance"
                                                            : "depth";
  return word + "/" + std::string(name(a)) + "-" + std::string(name(b));
}

std::string why_left_out(Question question, ShapeKind a, ShapeKind b) {
  if (question != Question::depth) return {};
  if (!is_supported(question, a, b)) return "not supported";
  if (a == ShapeKind::segment && b == ShapeKind::segment) return "segments have no depth: it is always 0";
  if (a == ShapeKind::plane && b == ShapeKind::plane) return "planes have no depth: it is 0 or infinite";
  return {};
}

SimpleRow make_simple_row(Question question, ShapeKind a, ShapeKind b, std::size_t count) {
  SimpleRow row{
      .name = simple_row_name(question, a, b), .question = question, .a = a, .b = b, .inputs = {}, .truths = {}};
  const auto number = [](ShapeKind kind) { return static_cast<std::uint64_t>(kind); };
  Random random(1000 * static_cast<std::uint64_t>(question) + 50 * number(a) + number(b));
  const bool segments = a == ShapeKind::segment && b == ShapeKind::segment;
  while (row.inputs.size() < count) {
    bool apart = question == Question::distance || segments;
    if (question == Question::touches) apart = apart || random() % 2 == 0;
    while (true) {
      SimpleInput in{random_shape(random, a), random_shape(random, b), Pose(rotation(random), in_cube(random, 1)),
                     Pose(rotation(random), in_cube(random, 1))};
      if (!place_pair(random, question, apart, in)) continue;
      row.inputs.push_back(in);
      break;
    }
  }
  return row;
}

}  // namespace whisker::bench
