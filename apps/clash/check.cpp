#include "clash/check.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/world.hpp>

#include "clash/inside.hpp"
#include "clash/pattern.hpp"
#include "clash/shrink.hpp"

namespace whisker::clash {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double rounding_part = 0x1p-40;
// Limit on the touching triangles that are listed for one pair. More are not counted individually.
constexpr std::size_t max_contacts = 1'000'000;
constexpr auto progress_every = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool is_moving(const Part& part) {
  return part.motion.size() > 1;
}

const Pose& start_pose(const Part& part) {
  return part.motion.empty() ? part.pose : part.motion.front().pose;
}

// The last keyframe at or before a time within the part's motion. It is not the last one of the part.
const Keyframe* frame_before(const Part& part, double time) {
  const Keyframe* frame = part.motion.data();
  while (frame[1].time <= time)
    ++frame;
  return frame;
}

// The part's motion from one time to a later one, with no keyframe in between.
Motion motion_between(const Part& part, double from, double to) {
  if (part.motion.empty() || to <= part.motion.front().time) return Still{start_pose(part)};
  if (from >= part.motion.back().time) return Still{part.motion.back().pose};
  const Keyframe* frame = frame_before(part, from);
  const Turning whole = screw(frame[0].pose, frame[1].pose);
  const double span = frame[1].time - frame[0].time;
  const double begin = (from - frame[0].time) / span, end = (to - frame[0].time) / span;
  if (begin <= 0 && end >= 1) return whole;
  return Turning{begin <= 0 ? whole.start : pose_at(whole, begin), whole.center + begin * whole.by,
                 (end - begin) * whole.by, (end - begin) * whole.turn};
}

Aabb swept_box(const Shape& shape, const Part& part) {
  Aabb box = shape.bounds(start_pose(part));
  for (std::size_t k = 1; k < part.motion.size(); ++k)
    box.include(swept_bounds(shape, screw(part.motion[k - 1].pose, part.motion[k].pose)));
  return box;
}

// The box of what both have in common.
Aabb shared_box(const Aabb& a, const Aabb& b) {
  return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)};
}

Vector3 middle(const Aabb& box) {
  return box.lower / 2 + box.upper / 2;
}

bool encloses(const Aabb& outer, const Aabb& inner) {
  return outer.contains(inner.lower) && outer.contains(inner.upper);
}

struct PartPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

// Handles a first contact that is neither proven nor excluded, for example of parts that slide along each other: tests
// at several times whether they touch. The earliest such time is an upper bound, which is then refined by bisection.
void look_closer(const Shape& a, const Motion& way_a, const Shape& b, const Motion& way_b, Impact& hit) {
  constexpr int samples = 64;
  constexpr int halvings = 30;
  const auto touch_at = [&](double t) { return touches({a, pose_at(way_a, t)}, {b, pose_at(way_b, t)}); };
  double free = hit.time_lower;
  const double step = (hit.time_upper - hit.time_lower) / samples;
  for (int i = 1; i <= samples; ++i) {
    double t = i == samples ? hit.time_upper : hit.time_lower + i * step;
    if (!touch_at(t)) {
      free = t;
      continue;
    }
    for (int k = 0; k < halvings; ++k) {
      const double between = free + (t - free) / 2;
      (touch_at(between) ? t : free) = between;
    }
    hit.time_upper = hit.time = t;
    hit.certain = true;
    const Contacts found = contacts({a, pose_at(way_a, t)}, {b, pose_at(way_b, t)}, {.max_count = 1});
    if (!found.pairs.empty()) hit.point = found.pairs[0].segment.a;
    return;
  }
}

// Holds everything needed to judge one pair.
class PairJudge {
 public:
  PairJudge(const Assembly& assembly, const CheckOptions& options)
      : assembly_(assembly),
        options_(options),
        rounding_(rounding_of(assembly)),
        contact_(std::max(assembly.rules.contact, rounding_)),
        start_(time_span(assembly).lower),
        small_(std::make_unique<Small[]>(assembly.meshes.size())),
        inside_(assembly) {
    if (assembly.rules.solid != Solid::never) return;
    surfaces_.resize(assembly.meshes.size());
    tbb::parallel_for(std::size_t{0}, surfaces_.size(), [&](std::size_t i) {
      if (assembly.meshes[i].is_closed) surfaces_[i] = Shape(Mesh(assembly.meshes[i].data));
    });
  }

  /// Judges the two parts in these poses. Undecided questions are appended to `undecided`.
  std::optional<Finding> judge(PartPair pair, const Pose& pose_a, const Pose& pose_b,
                               std::vector<Undecided>& undecided);
  /// The same along their motions. Returns nothing and sets `is_done` to false if it was stopped early.
  std::optional<Finding> judge_moving(PartPair pair, const std::function<bool()>& is_over, bool& is_done,
                                      std::vector<Undecided>& undecided);
  /// Whether there would be a finding.
  bool is_anything(PartPair pair, const std::function<bool()>& is_over, bool& is_done);

 private:
  // A mesh shrunk by `contact_`, created when first needed.
  struct Small {
    std::once_flag once;
    std::optional<Shape> shape;
  };

  const PartMesh& mesh_of(std::uint32_t part) const { return assembly_.meshes[assembly_.parts[part].mesh]; }
  // The part's shape according to the rules: a solid if the rules treat closed parts as solids.
  const Shape& shape_of(std::uint32_t part) const {
    const std::uint32_t number = assembly_.parts[part].mesh;
    return is_solid(part) || surfaces_.empty() || !surfaces_[number] ? assembly_.meshes[number].shape
                                                                     : *surfaces_[number];
  }
  bool is_solid(std::uint32_t part) const { return assembly_.rules.solid != Solid::never && mesh_of(part).is_closed; }
  // Whether one part may lie inside the other although that cannot be proven.
  bool may_be_inside(PartPair pair) const {
    return assembly_.rules.solid != Solid::never && !(mesh_of(pair.a).is_closed && mesh_of(pair.b).is_closed);
  }
  // A finding about the pair in these poses, before it is judged.
  Finding finding_of(PartPair pair, const Pose& pose_a, const Pose& pose_b) const {
    Finding finding;
    finding.a = pair.a;
    finding.b = pair.b;
    finding.pose_a = pose_a;
    finding.pose_b = pose_b;
    if (mesh_of(pair.a).is_repaired || mesh_of(pair.b).is_repaired) finding.ground = Ground::repair;
    return finding;
  }
  const Shape* small_shape(std::uint32_t part);
  bool only_touch(PartPair pair, const Pose& pose_a, const Pose& pose_b);
  std::optional<Finding> judge_gap(Finding finding) const;
  void add_contacts(Finding& finding) const;
  void count_contacts(Finding& finding) const;
  void judge_contained(Finding& finding) const;
  bool judge_likely(Finding& finding, bool is_touching, std::vector<Undecided>& undecided);

  const Assembly& assembly_;
  const CheckOptions& options_;
  double rounding_;
  double contact_;
  double start_;  // the earliest keyframe of all
  std::unique_ptr<Small[]> small_;
  InsideJudge inside_;
  std::vector<std::optional<Shape>> surfaces_;  // of closed meshes, if the rules allow no solids
};

const Shape* PairJudge::small_shape(std::uint32_t part) {
  const std::uint32_t number = assembly_.parts[part].mesh;
  Small& small = small_[number];
  std::call_once(small.once, [&] {
    // Isolated: a thread that waits here must not start on another pair, which may need the same mesh.
    tbb::this_task_arena::isolate([&] {
      if (const std::optional<Mesh> mesh = shrunk(*assembly_.meshes[number].shape.as<Mesh>(), contact_))
        small.shape = *mesh;
    });
  });
  return small.shape ? &*small.shape : nullptr;
}

// Whether it is proven that no point of either part lies deeper than the contact distance in the other. A surface has
// no inside.
bool PairJudge::only_touch(PartPair pair, const Pose& pose_a, const Pose& pose_b) {
  const bool solid_a = is_solid(pair.a), solid_b = is_solid(pair.b);
  const Shape* small_a = solid_a ? small_shape(pair.a) : nullptr;
  if (solid_a && (small_a == nullptr || touches({*small_a, pose_a}, {shape_of(pair.b), pose_b}))) return false;
  const Shape* small_b = solid_b ? small_shape(pair.b) : nullptr;
  if (solid_b && (small_b == nullptr || touches({shape_of(pair.a), pose_a}, {*small_b, pose_b}))) return false;
  return solid_a || solid_b;
}

// Judges parts that do not touch.
std::optional<Finding> PairJudge::judge_gap(Finding finding) const {
  const Rules& rules = assembly_.rules;
  const double limit = std::max(rules.clearance, contact_);
  const Distance gap = distance({shape_of(finding.a), finding.pose_a}, {shape_of(finding.b), finding.pose_b},
                                {.tolerance = rounding_, .upper_bound = limit});
  if (gap.lower > limit) return {};
  if (gap.upper <= contact_ + rounding_) {
    finding.kind = FindingKind::contact;
  } else if (gap.lower < rules.clearance - rounding_) {
    finding.kind = FindingKind::too_close;
    if (gap.upper >= rules.clearance) finding.note = "may be far enough apart: the bounds do not decide it";
  } else {
    return {};
  }
  finding.distance = Bounds{gap.lower, gap.upper};
  finding.point_a = gap.point_a;
  finding.point_b = gap.point_b;
  finding.position = gap.point_a / 2 + gap.point_b / 2;
  finding.normal = gap.normal;
  finding.stop = gap.stop;
  return finding;
}

// Finds the intersection curve, the number of touching triangles, and the position.
void PairJudge::add_contacts(Finding& finding) const {
  thread_local Contacts found;
  contacts({shape_of(finding.a), finding.pose_a}, {shape_of(finding.b), finding.pose_b}, {.max_count = max_contacts},
           found);
  Aabb box;
  finding.triangles = 0;
  for (const Contact& contact : found.pairs) {
    if (contact.a.kind != FeatureKind::triangle || contact.b.kind != FeatureKind::triangle) continue;
    ++finding.triangles;
    box.include(contact.segment.a);
    box.include(contact.segment.b);
  }
  if (finding.triangles == 0) return;
  finding.position = middle(box);
  finding.curve = polylines(found);
  if (found.stop == Stop::count) finding.note = fmt::format("more than {} triangles touch", max_contacts);
}

// Finds the number of touching triangles and the position, without the curve: parts that only touch have a common area
// instead of a curve.
void PairJudge::count_contacts(Finding& finding) const {
  thread_local Contacts found;
  const Mesh &a = *shape_of(finding.a).as<Mesh>(), &b = *shape_of(finding.b).as<Mesh>();
  contacts({shape_of(finding.a), finding.pose_a}, {shape_of(finding.b), finding.pose_b},
           {.max_count = max_contacts, .segments = false}, found);
  finding.triangles = found.pairs.size();
  if (found.stop == Stop::count) finding.note = fmt::format("more than {} triangles touch", max_contacts);
  const auto placed = [](const Mesh& mesh, std::uint32_t number, const Pose& pose) {
    const Triangle triangle = mesh.triangle(number);
    return Triangle{place(pose, triangle.a), place(pose, triangle.b), place(pose, triangle.c)};
  };
  const auto box_of = [](const Triangle& triangle) { return fit_aabb(std::array{triangle.a, triangle.b, triangle.c}); };
  thread_local std::vector<Vector3> middles;
  middles.clear();
  Aabb all;
  for (const Contact& contact : found.pairs) {
    const Aabb box =
        shared_box(box_of(placed(a, contact.a.id, finding.pose_a)), box_of(placed(b, contact.b.id, finding.pose_b)));
    all.include(box);
    middles.push_back(middle(box));
  }
  if (middles.empty()) return;
  // The center of a box around oblique faces is not on the faces, so this finds a common point near it.
  const Vector3 goal = middle(all);
  const auto nearest =
      std::ranges::min_element(middles, {}, [&](const Vector3& x) { return (x - goal).squaredNorm(); });
  const Contact& contact = found.pairs[static_cast<std::size_t>(nearest - middles.begin())];
  const TriangleIntersection common =
      intersect_triangle_triangle(placed(a, contact.a.id, finding.pose_a), placed(b, contact.b.id, finding.pose_b));
  finding.position.setZero();
  for (int i = 0; i < common.count; ++i)
    finding.position += common.points[static_cast<std::size_t>(i)] / common.count;
}

// Judges parts that overlap although no triangles touch.
void PairJudge::judge_contained(Finding& finding) const {
  const PartMesh &a = mesh_of(finding.a), &b = mesh_of(finding.b);
  const Aabb box_a = a.shape.bounds(finding.pose_a), box_b = b.shape.bounds(finding.pose_b);
  const bool a_is_inside = encloses(box_b, box_a), b_is_inside = encloses(box_a, box_b);
  if (!a_is_inside && !b_is_inside) {
    finding.note = "separate pieces of one lie inside the other; no surfaces cross";
    finding.position = middle(shared_box(box_a, box_b));
    return;
  }
  finding.kind = FindingKind::contained;
  const bool inner_is_a = a_is_inside && (!b_is_inside || a.shape.volume() <= b.shape.volume());
  finding.note = fmt::format("'{}' lies inside '{}'", assembly_.parts[inner_is_a ? finding.a : finding.b].name,
                             assembly_.parts[inner_is_a ? finding.b : finding.a].name);
  finding.position = middle(inner_is_a ? box_a : box_b);
}

// Judges by winding numbers whether one part, or a piece of it, lies inside the other, which is not closed. If so, the
// finding says so. Unclear results are appended to `undecided`.
bool PairJudge::judge_likely(Finding& finding, bool is_touching, std::vector<Undecided>& undecided) {
  if (!may_be_inside({finding.a, finding.b})) return false;
  std::vector<Undecided> unclear;
  for (const auto& [inner, inner_pose, outer, outer_pose] :
       {std::tie(finding.a, finding.pose_a, finding.b, finding.pose_b),
        std::tie(finding.b, finding.pose_b, finding.a, finding.pose_a)}) {
    if (mesh_of(outer).is_closed || !inside_.reaches(inner, inner_pose, outer, outer_pose)) continue;
    if (assembly_.rules.solid == Solid::proven) {
      unclear.push_back({inner, outer, {}, "only closed parts count as solid"});
      continue;
    }
    const Evidence found = inside_.look(inner, inner_pose, outer, outer_pose, is_touching ? 2 * contact_ : -1);
    if (found.place == Place::outside) continue;
    if (found.place == Place::unclear) {
      unclear.push_back({inner, outer, found.winding, found.why});
      continue;
    }
    const Aabb inner_box = mesh_of(inner).shape.bounds(inner_pose);
    const Aabb outer_box = mesh_of(outer).shape.bounds(outer_pose);
    const bool is_whole = encloses(outer_box, inner_box);
    const std::string &inner_name = assembly_.parts[inner].name, &outer_name = assembly_.parts[outer].name;
    finding.kind = is_whole ? FindingKind::contained : FindingKind::clash;
    finding.ground = Ground::winding;
    finding.winding = found.winding;
    finding.note =
        fmt::format("{}'{}' likely lies inside '{}', which is not closed: winding number {:.2f}{}",
                    is_whole ? "" : "a piece of ", inner_name, outer_name,
                    found.winding.lower / 2 + found.winding.upper / 2, is_touching ? "; the surfaces touch" : "");
    finding.position = finding.point_a = finding.point_b =
        middle(is_whole ? inner_box : shared_box(inner_box, outer_box));
    return true;
  }
  undecided.insert(undecided.end(), unclear.begin(), unclear.end());
  return false;
}

std::optional<Finding> PairJudge::judge(PartPair pair, const Pose& pose_a, const Pose& pose_b,
                                        std::vector<Undecided>& undecided) {
  const Shape &shape_a = shape_of(pair.a), &shape_b = shape_of(pair.b);
  const bool solid_a = is_solid(pair.a), solid_b = is_solid(pair.b);
  Finding finding = finding_of(pair, pose_a, pose_b);
  if (!touches({shape_a, pose_a}, {shape_b, pose_b})) {
    if (judge_likely(finding, false, undecided)) return finding;
    return judge_gap(std::move(finding));
  }
  if (only_touch(pair, pose_a, pose_b)) {
    if (judge_likely(finding, true, undecided)) return finding;
    finding.kind = FindingKind::contact;
    finding.distance = Bounds{0, 0};
    count_contacts(finding);
    finding.point_a = finding.point_b = finding.position;
    return finding;
  }
  add_contacts(finding);
  if (finding.triangles == 0) judge_contained(finding);
  if (!solid_a || !solid_b) {
    if (finding.note.empty()) {
      const std::string who =
          !solid_a && !solid_b ? "neither part is" : "'" + assembly_.parts[solid_a ? pair.b : pair.a].name + "' is not";
      finding.note = assembly_.rules.solid == Solid::never ? std::string("no depth: only surfaces are checked")
                                                           : fmt::format("no depth: {} closed", who);
    }
    finding.point_a = finding.point_b = finding.position;
    return finding;
  }
  const Depth deep = depth({shape_a, pose_a}, {shape_b, pose_b}, {.budget = options_.depth_budget});
  finding.depth = Bounds{deep.lower, deep.upper};
  finding.point_a = deep.point_a;
  finding.point_b = deep.point_b;
  finding.normal = deep.normal;
  finding.stop = deep.stop;
  if (deep.upper <= contact_) {
    finding.kind = FindingKind::contact;
  } else if (deep.lower <= contact_ && finding.note.empty()) {
    finding.note = "may only touch: not proven to overlap by more than a contact";
  }
  return finding;
}

std::optional<Finding> PairJudge::judge_moving(PartPair pair, const std::function<bool()>& is_over, bool& is_done,
                                               std::vector<Undecided>& undecided) {
  const Part &a = assembly_.parts[pair.a], &b = assembly_.parts[pair.b];
  const Shape &shape_a = shape_of(pair.a), &shape_b = shape_of(pair.b);
  is_done = true;
  std::vector<Undecided> unclear;  // used unless there is a finding
  std::optional<Finding> at_start = judge(pair, start_pose(a), start_pose(b), unclear);
  if (at_start) {
    at_start->time = Bounds{start_, start_};
    const bool is_apart = at_start->distance && at_start->distance->lower > 0;
    if (!is_apart) {
      undecided.insert(undecided.end(), unclear.begin(), unclear.end());
      return at_start;
    }
  }
  std::set<double> all_times;
  for (const Part* part : {&a, &b})
    if (is_moving(*part))
      for (const Keyframe& frame : part->motion)
        all_times.insert(frame.time);
  const std::vector<double> times(all_times.begin(), all_times.end());
  std::optional<Finding> open;  // the first one that is neither proven nor excluded
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    if (is_over()) {
      is_done = false;
      return {};
    }
    const double from = times[k], to = times[k + 1];
    const Motion way_a = motion_between(a, from, to), way_b = motion_between(b, from, to);
    if (!swept_bounds(shape_a, way_a).overlaps(swept_bounds(shape_b, way_b))) continue;
    MotionImpact hit = first_contact({shape_a, way_a}, {shape_b, way_b},
                                     {.tolerance = options_.time_tolerance, .budget = options_.motion_budget});
    if (hit.status == ImpactStatus::apart) continue;
    if (!hit.certain) look_closer(shape_a, way_a, shape_b, way_b, hit);
    // Rounded outward, so that the bounds hold.
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto at = [&](double part, double toward) {
      if (part <= 0) return from;
      if (part >= 1) return to;
      const double time = from + part * (to - from);
      return std::clamp(std::nextafter(std::nextafter(time, toward), toward), from, to);
    };
    Finding finding = finding_of(pair, hit.pose_a, hit.pose_b);
    finding.time = Bounds{at(hit.time_lower, -infinity), at(hit.time_upper, infinity)};
    finding.position = finding.point_a = finding.point_b = hit.point;
    finding.normal = hit.normal;
    finding.stop = hit.stop;
    if (!hit.certain) {
      finding.note = "comes so close that a contact is neither proven nor excluded";
      if (!open) open = std::move(finding);
      continue;
    }
    if (open) {
      finding.time->lower = open->time->lower;
      finding.note = "comes very close before it certainly touches";
    }
    return finding;
  }
  if (may_be_inside(pair)) {
    // A part that enters through an opening meets no surface on its way.
    for (std::size_t k = 1; k < times.size() && unclear.empty(); ++k) {
      Finding finding = finding_of(pair, pose_of(a, times[k]), pose_of(b, times[k]));
      if (!judge_likely(finding, false, unclear)) continue;
      finding.time = Bounds{times[k - 1], times[k]};
      finding.note += "; it entered through an opening";
      return finding;
    }
    undecided.insert(undecided.end(), unclear.begin(), unclear.end());
  }
  return open ? open : at_start;
}

bool PairJudge::is_anything(PartPair pair, const std::function<bool()>& is_over, bool& is_done) {
  const Part &a = assembly_.parts[pair.a], &b = assembly_.parts[pair.b];
  std::vector<Undecided> unclear;  // ignored, because the rules allow the pair
  if (is_moving(a) || is_moving(b)) return judge_moving(pair, is_over, is_done, unclear).has_value();
  is_done = true;
  if (touches({shape_of(pair.a), start_pose(a)}, {shape_of(pair.b), start_pose(b)})) return true;
  Finding finding = finding_of(pair, start_pose(a), start_pose(b));
  if (judge_likely(finding, false, unclear)) return true;
  return judge_gap(std::move(finding)).has_value();
}

std::vector<PartPair> near_pairs(const Assembly& assembly, const PairFilter& filter) {
  // Boxes whose gap is at most the limit overlap once both are expanded by half of it, plus a margin for rounding.
  const double limit = std::max(assembly.rules.clearance, assembly.rules.contact);
  const double padding = limit / 2 * (1 + 0x1p-40) + rounding_of(assembly);
  std::vector<Aabb> boxes(assembly.parts.size());
  tbb::parallel_for(std::size_t{0}, boxes.size(), [&](std::size_t i) {
    const Part& part = assembly.parts[i];
    boxes[i] = grow(swept_box(assembly.meshes[part.mesh].shape, part), padding);
  });
  World world({.tests_shapes = false});
  for (const Aabb& box : boxes)
    world.add_box(box);
  world.set_filter([&](BodyId a, BodyId b) { return filter.is_checked(a.slot, b.slot); });
  world.update();
  std::vector<PartPair> pairs;
  for (const WorldPair& pair : world.near_pairs())
    pairs.push_back({pair.a.slot, pair.b.slot});
  return pairs;
}

// Findings are sorted by this, worst first; see Findings.
auto order_of(const Finding& finding) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool is_overlap = finding.kind == FindingKind::clash || finding.kind == FindingKind::contained;
  std::pair amount(infinity, infinity);
  if (is_overlap && finding.depth) {
    amount = {-finding.depth->lower, -finding.depth->upper};
  } else if (is_overlap && finding.time) {
    amount.second = finding.time->lower;
  } else if (!is_overlap && finding.distance) {
    amount = {finding.distance->lower, finding.distance->upper};
  }
  return std::tuple(finding.kind, amount, finding.a, finding.b);
}

}  // namespace

double rounding_of(const Assembly& assembly) {
  double largest = 0;
  for (const Part& part : assembly.parts) {
    const Aabb box = assembly.meshes[part.mesh].shape.bounds();
    const double reach = box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).norm();
    largest = std::max(largest, reach + part.pose.translation().cwiseAbs().maxCoeff());
    for (const Keyframe& frame : part.motion)
      largest = std::max(largest, reach + frame.pose.translation().cwiseAbs().maxCoeff());
  }
  return rounding_part * largest;
}

Bounds time_span(const Assembly& assembly) {
  std::optional<Bounds> span;
  for (const Part& part : assembly.parts) {
    if (!is_moving(part)) continue;
    const Bounds own{part.motion.front().time, part.motion.back().time};
    span = span ? hull(*span, own) : own;
  }
  return span.value_or(Bounds{});
}

Pose pose_of(const Part& part, double time) {
  if (part.motion.empty() || !(time > part.motion.front().time)) return start_pose(part);
  if (time >= part.motion.back().time) return part.motion.back().pose;
  const Keyframe* frame = frame_before(part, time);
  return pose_at(screw(frame[0].pose, frame[1].pose), (time - frame[0].time) / (frame[1].time - frame[0].time));
}

void check_input(const Assembly& assembly) {
  if (assembly.parts.empty()) throw Error("no parts: there is nothing to check");
  std::unordered_map<std::string_view, std::size_t> names;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const Part& part = assembly.parts[i];
    const std::string what = "part '" + part.name + "'";
    const auto [other, is_new] = names.try_emplace(part.name, i);
    if (!is_new)
      throw Error(fmt::format("{}: two parts have this name, number {} and number {}", what, other->second, i));
    if (part.mesh >= assembly.meshes.size()) throw Error(what + ": its mesh is not in the assembly");
    for (std::size_t k = 0; k < part.motion.size(); ++k) {
      const double time = part.motion[k].time;
      if (!std::isfinite(time)) throw Error(what + ": a keyframe's time is not finite");
      if (k > 0 && !(time > part.motion[k - 1].time))
        throw Error(fmt::format("{}: keyframe times must ascend: {} after {}", what, time, part.motion[k - 1].time));
    }
  }
  for (const auto& [value, name] :
       {std::pair{assembly.rules.clearance, "clearance"}, {assembly.rules.contact, "contact"}})
    if (!(value >= 0) || !std::isfinite(value))
      throw Error(fmt::format("{}: {} is not a length; it must be 0 or more", name, value));
}

Findings check(const Assembly& assembly, const CheckOptions& options) {
  const Clock::time_point begin = Clock::now();
  check_input(assembly);
  const PairFilter filter(assembly);
  Findings result;
  result.pairs_possible = filter.pair_count();
  const std::vector<PartPair> pairs = near_pairs(assembly, filter);
  result.pairs_near = pairs.size();
  PairJudge judge(assembly, options);
  struct Local {
    std::vector<Finding> found;
    std::vector<Undecided> undecided;
    std::size_t checked = 0;
    std::size_t allowed = 0;
  };
  tbb::enumerable_thread_specific<Local> locals;
  std::atomic<std::size_t> done{0};
  std::mutex progress_lock;
  Clock::time_point last_progress = begin;
  const std::function<bool()> is_over = [&] {
    return (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) ||
           (std::isfinite(options.seconds) && seconds_since(begin) >= options.seconds);
  };
  // Returns whether the pair was processed to its end.
  const auto look = [&](PartPair pair, Local& local) {
    bool is_done = true;
    if (filter.is_allowed(pair.a, pair.b)) {
      const bool is_something = judge.is_anything(pair, is_over, is_done);
      if (is_done && is_something) ++local.allowed;
    } else {
      const Part &a = assembly.parts[pair.a], &b = assembly.parts[pair.b];
      std::optional<Finding> finding = is_moving(a) || is_moving(b)
                                           ? judge.judge_moving(pair, is_over, is_done, local.undecided)
                                           : judge.judge(pair, start_pose(a), start_pose(b), local.undecided);
      if (finding) local.found.push_back(std::move(*finding));
    }
    if (is_done) ++local.checked;
    return is_done;
  };
  const auto range = tbb::blocked_range<std::size_t>(0, pairs.size(), 8);
  tbb::parallel_for(range, [&](const tbb::blocked_range<std::size_t>& some) {
    Local& local = locals.local();
    for (std::size_t i = some.begin(); i < some.end(); ++i) {
      if (is_over()) return;
      if (!look(pairs[i], local)) return;
      const std::size_t count = done.fetch_add(1, std::memory_order_relaxed) + 1;
      if (options.progress && progress_lock.try_lock()) {
        const std::lock_guard<std::mutex> held(progress_lock, std::adopt_lock);
        if (Clock::now() - last_progress >= progress_every) {
          last_progress = Clock::now();
          options.progress(count, pairs.size());
        }
      }
    }
  });
  for (Local& local : locals) {
    result.pairs_checked += local.checked;
    result.pairs_allowed += local.allowed;
    std::move(local.found.begin(), local.found.end(), std::back_inserter(result.all));
    std::move(local.undecided.begin(), local.undecided.end(), std::back_inserter(result.undecided));
  }
  std::ranges::sort(result.undecided, {}, [](const Undecided& pair) { return std::pair(pair.outer, pair.inner); });
  for (std::uint32_t i = 0; i < assembly.parts.size(); ++i)
    if (!assembly.meshes[assembly.parts[i].mesh].is_closed) result.open_parts.push_back(i);
  result.is_complete = result.pairs_checked == result.pairs_near;
  std::ranges::sort(result.all, {}, order_of);
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace whisker::clash
