#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <whisker/compound.hpp>
#include <whisker/error.hpp>
#include <whisker/shape.hpp>

#include "geometry/placed_box.hpp"
#include "shapes/compound_storage.hpp"

namespace whisker {
namespace {

// How far a bounded shape reaches from the origin of its frame, in the sense of Storage::reach.
double reach_of(const Shape& shape) {
  if (const auto* compound = shape.as<Compound>()) return storage_of(*compound).reach;
  const Aabb box = shape.bounds();
  return box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).stableNorm();
}

}  // namespace

PartBall ball_of_shape(const Shape& shape) {
  constexpr double outward = 1 + 0x1p-40;
  if (const auto* sphere = shape.as<Sphere>()) return {Vector3::Zero(), sphere->radius * outward};
  if (const auto* capsule = shape.as<Capsule>())
    return {Vector3::Zero(), (capsule->length / 2 + capsule->radius) * outward};
  const Aabb box = shape.bounds();
  const Vector3 middle = geometry::box_middle(box);
  return {middle, (box.upper - middle).cwiseMax(middle - box.lower).stableNorm() * outward};
}

Compound::Compound(std::vector<CompoundPart> parts) {
  if (parts.empty()) throw Error("compound: it has no parts; give at least one");
  auto storage = std::make_shared<Storage>();
  std::vector<Aabb> boxes;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Shape& shape = parts[i].shape;
    const Aabb box = shape.bounds(parts[i].pose);
    storage->bounds.include(box);
    storage->first_number.push_back(static_cast<std::uint32_t>(count));
    storage->kinds |= kinds_of(shape);
    storage->has_surface_mesh = storage->has_surface_mesh || has_surface_mesh(shape);
    if (const auto* nested = shape.as<Compound>()) {
      const Storage& inner = storage_of(*nested);
      count += inner.part_count;
      storage->nesting = std::max(storage->nesting, inner.nesting + 1);
      storage->reach = std::max(storage->reach, inner.reach + parts[i].pose.translation().stableNorm());
    } else {
      ++count;
    }
    if (count > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("compound: 2^32 parts or more, counted through nested compounds; that is more than can be numbered");
    }
    if (storage->nesting > max_nesting) {
      throw Error("compound: nested deeper than " + std::to_string(max_nesting) + "; put parts into fewer compounds");
    }
    if (shape.is_unbounded()) {
      storage->is_unbounded = true;
      storage->unbounded.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    storage->bounded.push_back(static_cast<std::uint32_t>(i));
    boxes.push_back(box);
    PartBall ball = ball_of_shape(shape);
    if (const auto* hull = shape.as<ConvexHull>()) {
      double most = 0;
      for (const Vector3& vertex : hull->vertices())
        most = std::max(most, (vertex - ball.center).stableNorm());
      ball.radius = std::min(ball.radius, most * (1 + 0x1p-40));
    }
    storage->balls.push_back({place(parts[i].pose, ball.center), ball.radius});
    storage->reach = std::max(storage->reach, reach_of(shape) + parts[i].pose.translation().stableNorm());
  }
  storage->part_count = static_cast<std::uint32_t>(count);
  // Rotations may be off by 1e-9, and the lengths of sums are rounded.
  storage->reach *= 1 + 1e-8;
  if (!boxes.empty()) storage->tree = trees::build_box_tree(boxes);
  storage->parts = std::move(parts);
  storage_ = std::move(storage);
}

std::span<const CompoundPart> Compound::parts() const {
  return storage_->parts;
}
Aabb Compound::bounds() const {
  return storage_->bounds;
}

double Compound::volume() const {
  const Storage& s = *storage_;
  return s.volume.get([&] {
    double sum = 0;
    for (const CompoundPart& part : s.parts)
      sum += part.shape.volume();
    return sum;
  });
}

Vector3 Compound::centroid() const {
  const Storage& s = *storage_;
  return s.centroid.get([&] {
    // Volumes are taken as fractions of the whole: with the largest coordinates, volume times length exceeds a double.
    const double whole = volume();
    Vector3 moment = Vector3::Zero();
    double weight = 0;
    for (const CompoundPart& part : s.parts) {
      const double share = whole > 0 ? part.shape.volume() / whole : 1;
      moment += share * place(part.pose, part.shape.centroid());
      weight += share;
    }
    return Vector3(moment / weight);
  });
}

}  // namespace whisker
