#pragma once

// Parts of results that several queries of meshes and height fields have in common.

#include <cstdint>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/queries.hpp>

#include "geometry/constants.hpp"

namespace whisker::mesh {

inline Feature triangle_feature(std::uint32_t number) {
  return {0, FeatureKind::triangle, number};
}

/// Whether the result has no room for another contact. If so, it tells why the search stopped.
inline bool is_full(Contacts& result, const ContactOptions& options) {
  if (result.pairs.size() < options.max_count) return false;
  result.stop = Stop::count;
  return true;
}

inline Segment at_point(const Vector3& point) {
  return {point, point};
}

/// Adds a contact of a feature of a. Returns false if there was no room for it.
inline bool add_contact(const Feature& feature, const Segment& segment, const ContactOptions& options,
                        Contacts& result) {
  if (is_full(result, options)) return false;
  Contact contact;
  contact.a = feature;
  if (options.segments) contact.segment = segment;
  result.pairs.push_back(contact);
  return true;
}

/// The intersection of two triangles that touch. If they share more than a segment, the longest chord between corners
/// of the shared polygon.
inline Segment shared_segment(const Triangle& a, const Triangle& b) {
  const TriangleIntersection shared = intersect_triangle_triangle(a, b);
  if (shared.count == 0) return {};
  Segment longest{shared.points[0], shared.points[0]};
  double length = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shared.count); ++i) {
    for (std::size_t j = i + 1; j < static_cast<std::size_t>(shared.count); ++j) {
      const double chord = (shared.points[j] - shared.points[i]).stableNorm();
      if (chord > length) {
        length = chord;
        longest = {shared.points[i], shared.points[j]};
      }
    }
  }
  return longest;
}

/// The distance of two shapes that share a point.
inline Distance distance_at(const Vector3& shared_point, const Cost& cost) {
  Distance result;
  result.point_a = result.point_b = shared_point;
  result.cost = cost;
  return result;
}

/// The distance if it is proven to be at least `lower`, which is more than the caller's upper bound: only that fact.
inline Distance farther_than_asked(double lower, const Cost& cost) {
  Distance result;
  result.lower = lower;
  result.upper = infinity;
  result.stop = Stop::tolerance;
  result.cost = cost;
  return result;
}

}  // namespace whisker::mesh
