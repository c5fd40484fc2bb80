// First contacts of an articulated body with a moving shape, with another articulated body, and with itself.

#include <algorithm>

#include <whisker/robot/articulated.hpp>

#include "queries/check_query.hpp"

namespace whisker {
namespace {

/// A shape of a link, and how it moves.
struct Part {
  std::size_t link, shape;
  const Shape* what;
  CustomMotion motion;
  Aabb bounds;
};

/// Adds all shapes of one link, with their motions relative to the world or to another link.
void add_parts(const ArticulatedStep& step, std::size_t link, std::size_t seen_from, std::vector<Part>& parts) {
  const std::vector<LinkShape>& shapes = step.body.links()[link].shapes;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Part part{link, i, &shapes[i].shape, link_motion(step, link, shapes[i].pose, seen_from), {}};
    part.bounds = swept_bounds(*part.what, part.motion);
    parts.push_back(std::move(part));
  }
}

/// Throws an Error if positions are missing or not finite.
void check(const ArticulatedStep& step) {
  step.body.poses(step.from, step.base);
  step.body.poses(step.to, step.base);
}

std::vector<Part> parts_of(const ArticulatedStep& step) {
  check(step);
  std::vector<Part> parts;
  for (std::size_t link = 0; link < step.body.links().size(); ++link)
    add_parts(step, link, SIZE_MAX, parts);
  return parts;
}

/// Finds the first contact of the two shapes that `hit` names, and keeps it unless they are proven to miss.
void add_contact(LinkImpact hit, const Moving& a, const Moving& b, const ImpactOptions& options,
                 FirstContacts<LinkImpact>& found) {
  hit.impact = first_contact(a, b, options);
  found.cost += hit.impact.cost;
  if (hit.impact.status != ImpactStatus::apart) found.hits.push_back(hit);
}

/// The same for each part of the one with each part of the other.
void add_contacts(const std::vector<Part>& parts_a, const std::vector<Part>& parts_b, const ImpactOptions& options,
                  FirstContacts<LinkImpact>& found) {
  for (const Part& x : parts_a) {
    for (const Part& y : parts_b) {
      if (!x.bounds.overlaps(y.bounds)) continue;
      add_contact({x.link, x.shape, y.link, y.shape, {}}, {*x.what, x.motion}, {*y.what, y.motion}, options, found);
    }
  }
}

FirstContacts<LinkImpact> sorted(FirstContacts<LinkImpact> found) {
  std::stable_sort(found.hits.begin(), found.hits.end(),
                   [](const LinkImpact& x, const LinkImpact& y) { return x.impact.time_lower < y.impact.time_lower; });
  return found;
}

/// The nearest link from which both links hang, or which is one of them.
std::size_t common_ancestor(const Articulated& body, std::size_t a, std::size_t b) {
  while (a != b)
    (a > b ? a : b) = body.links()[std::max(a, b)].parent;
  return a;
}

}  // namespace

FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const Moving& b, const ImpactOptions& options) {
  queries::refuse_fault("first_contacts", queries::fault_of(options));
  FirstContacts<LinkImpact> found;
  const Aabb bounds = swept_bounds(b.shape, b.motion);
  for (const Part& part : parts_of(a)) {
    if (!part.bounds.overlaps(bounds)) continue;
    add_contact({part.link, part.shape, 0, 0, {}}, {*part.what, part.motion}, b, options, found);
  }
  return sorted(std::move(found));
}

FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const ArticulatedStep& b,
                                         const ImpactOptions& options) {
  queries::refuse_fault("first_contacts", queries::fault_of(options));
  FirstContacts<LinkImpact> found;
  const std::vector<Part> parts_a = parts_of(a), parts_b = parts_of(b);
  add_contacts(parts_a, parts_b, options, found);
  return sorted(std::move(found));
}

FirstContacts<LinkImpact> first_contacts(const ArticulatedStep& a, const ImpactOptions& options) {
  queries::refuse_fault("first_contacts", queries::fault_of(options));
  check(a);
  FirstContacts<LinkImpact> found;
  const std::size_t count = a.body.links().size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      if (a.body.is_adjacent(i, j)) continue;
      // Relative to the link from which both hang, the motion of that link does not matter.
      const std::size_t above = common_ancestor(a.body, i, j);
      std::vector<Part> parts_a, parts_b;
      add_parts(a, i, above, parts_a);
      add_parts(a, j, above, parts_b);
      add_contacts(parts_a, parts_b, options, found);
    }
  }
  return sorted(std::move(found));
}

}  // namespace whisker
