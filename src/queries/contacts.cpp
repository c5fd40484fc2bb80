// contacts: all contacts of two placed shapes.

#include <whisker/error.hpp>
#include <whisker/make/rounded.hpp>

#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"
#include "queries/leaves.hpp"
#include "queries/table.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker {
namespace {

/// A feature as a shape by itself.
struct FeatureShape {
  Shape shape;
  Pose pose;
};

FeatureShape feature_shape(const Placed& placed, const Feature& feature) {
  const auto [leaf, pose] = queries::leaf_at(placed.shape, placed.pose, feature.part);
  if (feature.kind == FeatureKind::whole && leaf.as<SphereBody>() == nullptr) return {leaf, pose};
  if (const shapes::RoundedData* const data = shapes::rounded_data(leaf)) {
    const FeatureShape inner = feature_shape({data->inner, pose}, {0, feature.kind, feature.id});
    return {rounded(inner.shape, data->radius), inner.pose};
  }
  const Shape& shape = leaf;
  if (feature.kind == FeatureKind::triangle) {
    const auto* const body = shape.as<SphereBody>();
    const auto* const mesh = body != nullptr ? &body->mesh() : shape.as<Mesh>();
    const Triangle t = mesh != nullptr ? mesh->triangle(feature.id) : shapes::field_of(shape)->triangle(feature.id);
    return {geometry::placed_triangle(pose, t), Pose()};
  }
  if (feature.kind == FeatureKind::sphere) {
    const auto& set = *shape.as<SphereSet>();
    return {Sphere{set.radius(feature.id)}, geometry::raw_pose(geometry::placed_point(pose, set.center(feature.id)))};
  }
  return {shape.as<SphereBody>()->mesh(), pose};
}

/// Whether a shape is rounded, or a part of it is.
bool has_rounded(const Shape& shape) {
  constexpr std::uint32_t rounded_kinds = [] {
    std::uint32_t kinds = 0;
    for (std::uint32_t k = 0; k < shapes::known_kinds; ++k)
      if (shapes::is_rounded(static_cast<ShapeKind>(k))) kinds |= 1u << k;
    return kinds;
  }();
  return (kinds_of(shape) & rounded_kinds) != 0;
}

/// Sets what the two features tell by themselves: the normal and the gap and, if they do not touch or are rounded, the
/// segment.
void describe(const Placed& a, const Placed& b, const ContactOptions& options, Contact& contact, Cost& cost) {
  const FeatureShape on_a = feature_shape(a, contact.a), on_b = feature_shape(b, contact.b);
  const Placed first(on_a.shape, on_a.pose), second(on_b.shape, on_b.pose);
  const queries::PairAlgorithms& pair = queries::algorithms(on_a.shape, on_b.shape);
  // A whole height field inside a solid has no depth, and a torus of the user's own may have none.
  if (pair.signed_distance == nullptr) return;
  const Distance found = options.normals ? pair.signed_distance(first, second, {}) : pair.distance(first, second, {});
  cost += found.cost;
  if (options.normals) {
    contact.normal = found.normal;
    contact.gap = found.value();
  }
  const bool is_apart = found.lower > 0 || (found.upper > 0 && found.lower == 0 && !touches(first, second));
  if (!options.segments) return;
  if (is_apart) {
    contact.segment = {found.point_a, found.point_b};
  } else if (has_rounded(on_a.shape) || has_rounded(on_b.shape)) {
    const Vector3 shared = pair.distance(first, second, {}).point_a;
    contact.segment = {shared, shared};
  }
}

}  // namespace

void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  if (!(options.margin >= 0 && options.margin <= max_coordinate))
    throw Error("contacts: the margin must be a length from 0 to 1e90");
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.contacts == nullptr) queries::refuse("contacts", a, b);
  result.pairs.clear();
  result.stop = Stop::exact;
  result.cost = {};
  pair.contacts(a, b, options, result);
  const bool wants_points = options.segments && (options.margin > 0 || has_rounded(a.shape) || has_rounded(b.shape));
  if (!options.normals && !wants_points) return;
  for (Contact& contact : result.pairs)
    describe(a, b, options, contact, result.cost);
}

Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options) {
  Contacts result;
  contacts(a, b, options, result);
  return result;
}

}  // namespace whisker
