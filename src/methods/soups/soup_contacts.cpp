// Contacts of triangle soups without any data kept between frames, after Y. Kitamura, A. Smith, H. Takemura and F.
// Kishino, "A Real-Time Algorithm for Accurate Collision Detection for Deformable Polyhedral Objects" (1998): boxes of
// soups, regions of overlap, the triangles in these, an octree of each region, the exact test.
//
// Differences to the paper: each region has its own octree, instead of one for the world, so that the cell size fits
// the region. Boxes of soups are paired by the same octree. A pair of triangles is found in only one cell.
//
// No contact is missed: if two triangles share a point p, then p is in both soups' boxes and therefore in their region.
// Both triangles' boxes overlap the region and each other, also in rounded numbers (face_octree.hpp).

#include <algorithm>
#include <bit>
#include <string>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <whisker/error.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/methods/soup_contacts.hpp>

#include "deform/check_mesh.hpp"
#include "geometry/threads.hpp"
#include "methods/soups/face_octree.hpp"
#include "methods/soups/soup_kernels.hpp"
#include "trees/chunks.hpp"

namespace whisker::methods {
namespace {

/// With fewer triangles than this, waking other threads does not pay off.
constexpr std::size_t parallel_from = 16384;
/// With fewer triangles in a cell, handing its halves to other threads does not pay off.
constexpr std::size_t parallel_cell = 4096;

/// Triangle indices have 32 bits.
constexpr std::size_t max_triangles = 0xFFFFFFFF;

/// Two soups whose boxes overlap.
struct Region {
  std::uint32_t a;
  std::uint32_t b;

  friend auto operator<=>(const Region&, const Region&) = default;
};

/// The memory and results of a thread, in cache lines of its own.
struct alignas(64) Lane {
  soups::CellStack stack;
  soups::OctreeCounts octree;
  std::uint64_t region_faces = 0;
  std::uint64_t triangle_tests = 0;
  std::vector<MeshTrianglePair> contacts;

  void clear() {
    stack.release({0, 0});
    octree = {};
    region_faces = triangle_tests = 0;
    contacts.clear();
  }
};

Triangle triangle(const Soup& soup, std::uint32_t number) {
  const Index3& t = soup.triangles[number];
  return {soup.vertices[t[0]], soup.vertices[t[1]], soup.vertices[t[2]]};
}

Aabb common_box(const Aabb& a, const Aabb& b) {
  return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)};
}

soups::OctreeOptions octree_options(int level, const Aabb& region) {
  const Vector3 extent = region.upper - region.lower;
  return {.level = level, .extent = {extent[0], extent[1], extent[2]}};
}

bool is_in_region(RegionTest test, const Triangle& triangle, const Aabb& region) {
  return test == RegionTest::exact ? touches_triangle_box(triangle, region)
                                   : touches_triangle_box_clipping(triangle, region);
}

/// Throws an Error that says what is wrong with a soup.
[[noreturn]] void throw_error(std::size_t number, const Soup& soup) {
  const std::string soup_number = "soup " + std::to_string(number) + ", ", name = "soup contacts: " + soup_number;
  if (soup.triangles.size() > max_triangles)
    throw Error(name + std::to_string(soup.triangles.size()) + " triangles are too many; split the soup");
  deform::check_vertices(soup.vertices, "soup contacts", (soup_number + "vertex").c_str());
  for (std::size_t i = 0; i < soup.triangles.size(); ++i) {
    for (const std::uint32_t v : soup.triangles[i]) {
      if (v < soup.vertices.size()) continue;
      throw Error(name + "triangle " + std::to_string(i) + " has vertex " + std::to_string(v) + ", but there are " +
                  std::to_string(soup.vertices.size()));
    }
  }
  throw Error(name + "its vertices or triangles changed during the call");
}

}  // namespace

struct SoupContactFinder::Workspace {
  std::vector<Aabb> boxes;  // of the soups; empty for soups without triangles
  std::vector<char> is_right;
  std::vector<std::uint32_t> numbers;  // the soups that have triangles, and below their boxes
  std::vector<soups::FaceBox> number_boxes;
  std::vector<Region> regions;
  std::vector<Aabb> about_regions;      // of each soup
  std::vector<soups::FaceBoxes> faces;  // of each soup, in that box
  std::vector<Lane> lanes;
  SoupContacts result;

  // The arguments of the current call.
  std::span<const Soup> soups;
  SoupOptions options;
  bool is_parallel = false;

  Lane& lane() {
    const int number = is_parallel ? tbb::this_task_arena::current_thread_index() : 0;
    return lanes[static_cast<std::size_t>(std::max(0, number))];
  }

  void find_boxes() {
    boxes.assign(soups.size(), {});
    is_right.assign(soups.size(), 1);
    trees::for_all(soups.size(), is_parallel, [&](std::size_t i) {
      const Soup& soup = soups[i];
      if (soup.triangles.size() > max_triangles) is_right[i] = 0;
      if (!soup.triangles.empty() && soups::largest_index(soup.triangles) >= soup.vertices.size()) is_right[i] = 0;
      if (soup.vertices.empty()) return;
      const Aabb box = soups::checked_box(soup.vertices);
      if (box.empty()) is_right[i] = 0;
      if (!soup.triangles.empty()) boxes[i] = box;
    });
    for (std::size_t i = 0; i < soups.size(); ++i)
      if (is_right[i] == 0) throw_error(i, soups[i]);
  }

  /// Finds the overlapping boxes of soups with an octree that holds the boxes twice.
  void find_regions() {
    numbers.clear();
    number_boxes.clear();
    Aabb all;
    for (std::size_t i = 0; i < soups.size(); ++i) {
      if (boxes[i].empty()) continue;
      numbers.push_back(static_cast<std::uint32_t>(i));
      soups::FaceBox& box = number_boxes.emplace_back();
      std::copy_n(boxes[i].lower.data(), 3, box.lower);
      std::copy_n(boxes[i].upper.data(), 3, box.upper);
      all.include(boxes[i]);
    }
    regions.clear();
    result.counts.soups = numbers.size();
    if (numbers.size() < 2) return;

    soups::CellStack& stack = lanes[0].stack;
    const soups::CellStack::Mark mark = stack.mark();
    const soups::RegionFrame frame = soups::region_frame(all.lower.data(), all.upper.data());
    soups::Cell cell;
    cell.a.faces = stack.push(numbers.size() + 1);
    cell.a.count = soups::boxes_within(frame, number_boxes.data(), numbers.data(), numbers.size(), cell.a.faces);
    cell.b = cell.a;
    const auto take_overlapping = [&](const soups::FacePair* pairs, std::size_t count) {
      for (const auto& [a, b] : std::span(pairs, count)) {
        if (a < b && boxes[a].overlaps(boxes[b])) regions.push_back({a, b});
      }
    };
    soups::OctreeCounts not_counted;
    soups::find_pairs(cell, octree_options(SoupOptions::automatic_level, all), stack, not_counted, take_overlapping);
    stack.release(mark);
    std::sort(regions.begin(), regions.end());
    result.counts.regions = regions.size();
  }

  /// Collects the triangles of each soup that are in the box around all its regions.
  void keep_faces() {
    about_regions.assign(soups.size(), {});
    for (const Region& region : regions) {
      const Aabb common = common_box(boxes[region.a], boxes[region.b]);
      about_regions[region.a].include(common);
      about_regions[region.b].include(common);
    }
    if (faces.size() < soups.size()) faces.resize(soups.size());
    trees::for_all(soups.size(), is_parallel, [&](std::size_t i) {
      faces[i].count = 0;
      if (!about_regions[i].empty())
        soups::keep_faces(soups[i].vertices, soups[i].triangles, about_regions[i], faces[i]);
    });
    for (std::size_t i = 0; i < soups.size(); ++i) {
      if (about_regions[i].empty()) continue;
      result.counts.faces += soups[i].triangles.size();
      result.counts.faces_kept += faces[i].count;
    }
  }

  void take(const Region& region, Lane& lane, std::span<const soups::FacePair> pairs) const {
    const Soup &a = soups[region.a], &b = soups[region.b];
    lane.triangle_tests += pairs.size();
    constexpr std::size_t width = soups::PairVerdicts::width, blocks = 32;
    for (; !pairs.empty(); pairs = pairs.subspan(std::min(blocks * width, pairs.size()))) {
      const auto some = pairs.first(std::min(blocks * width, pairs.size()));
      soups::PairVerdicts verdicts[blocks];
      soups::judge_pairs(a, b, some, verdicts);
      for (std::size_t first = 0; first < some.size(); first += width) {
        const auto [touch, unsure] = verdicts[first / width];
        for (unsigned left = touch | unsure; left != 0; left &= left - 1) {
          const unsigned lowest = left & (~left + 1);
          const soups::FacePair& pair = some[first + static_cast<std::size_t>(std::countr_zero(left))];
          if ((touch & lowest) != 0 || touches_triangle_triangle(triangle(a, pair.a), triangle(b, pair.b)))
            lane.contacts.push_back({region.a, pair.a, region.b, pair.b});
        }
      }
    }
  }

  void look_into(const soups::Cell& cell, const soups::OctreeOptions& octree, const Region& region) {
    Lane& mine = lane();
    if (is_parallel && cell.a.count + cell.b.count >= parallel_cell) {
      const soups::CellStack::Mark mark = mine.stack.mark();
      soups::Cell lower, upper;
      const soups::CellFate fate = soups::divide(cell, octree, mine.stack, mine.octree, lower, upper);
      if (fate == soups::CellFate::divided)
        tbb::parallel_invoke([&] { look_into(lower, octree, region); }, [&] { look_into(upper, octree, region); });
      mine.stack.release(mark);
      if (fate != soups::CellFate::last) return;
      --mine.octree.cells;  // the cell is counted again below
    }
    soups::find_pairs(cell, octree, mine.stack, mine.octree, [&](const soups::FacePair* pairs, std::size_t count) {
      take(region, mine, {pairs, count});
    });
  }

  void look_at(const Region& region) {
    Lane& mine = lane();
    const Aabb common = common_box(boxes[region.a], boxes[region.b]);
    const soups::RegionFrame frame = soups::region_frame(common.lower.data(), common.upper.data());
    const soups::CellStack::Mark mark = mine.stack.mark();
    const auto faces_of = [&](std::uint32_t number) {
      const soups::FaceBoxes& all = faces[number];
      soups::CellList list = {mine.stack.push(all.count + 1), 0};
      list.count = soups::boxes_within(frame, all.boxes.data(), all.faces.data(), all.count, list.faces);
      if (options.region_test != RegionTest::bounds) {
        list.count = static_cast<std::size_t>(
            std::remove_if(list.faces, list.faces + list.count,
                           [&](const soups::CellFace& face) {
                             return !is_in_region(options.region_test, triangle(soups[number], face.face), common);
                           }) -
            list.faces);
      }
      mine.region_faces += list.count;
      return list;
    };
    soups::Cell cell;
    cell.a = faces_of(region.a);
    cell.b = faces_of(region.b);
    look_into(cell, octree_options(options.level, common), region);
    mine.stack.release(mark);
  }

  void gather() {
    for (Lane& lane : lanes) {
      result.counts.region_faces += lane.region_faces;
      result.counts.cells += lane.octree.cells;
      result.cost.volume_tests += lane.octree.box_tests;
      result.cost.primitive_tests += lane.triangle_tests;
      result.pairs.insert(result.pairs.end(), lane.contacts.begin(), lane.contacts.end());
    }
    std::sort(result.pairs.begin(), result.pairs.end());
  }

  void find() {
    result.pairs.clear();
    result.cost = {};
    result.counts = {};
    for (Lane& lane : lanes)
      lane.clear();
    find_boxes();
    find_regions();
    if (regions.empty()) return;
    keep_faces();
    trees::for_all(regions.size(), is_parallel, [&](std::size_t i) { look_at(regions[i]); });
    gather();
  }
};

SoupContactFinder::SoupContactFinder() : workspace_(std::make_unique<Workspace>()) {}

const SoupContacts& SoupContactFinder::find(std::span<const Soup> soups, const SoupOptions& options) {
  check_threads("soup contacts", options.threads);
  if (options.level < SoupOptions::automatic_level || options.level > SoupOptions::max_level) {
    throw Error("soup contacts: the level is " + std::to_string(options.level) + "; it must be from 0 to " +
                std::to_string(SoupOptions::max_level) + ", or automatic_level");
  }
  Workspace& w = *workspace_;
  std::size_t triangles = 0;
  for (const Soup& soup : soups)
    triangles += soup.triangles.size();
  w.soups = soups;
  w.options = options;
  with_tasks("soup contacts", triangles >= parallel_from ? options.threads : 1, [&](bool may_be_parallel) {
    const int threads = may_be_parallel ? tbb::this_task_arena::max_concurrency() : 1;
    w.is_parallel = threads > 1;
    const auto lanes = static_cast<std::size_t>(threads);
    if (w.lanes.size() < lanes) w.lanes.resize(lanes);
    if (w.is_parallel) {
      // A waiting thread must not take work of another call, which could need the same lane.
      tbb::this_task_arena::isolate([&] { w.find(); });
    } else {
      w.find();
    }
  });
  w.soups = {};
  return w.result;
}

SoupContacts triangle_contacts(std::span<const Soup> soups, const SoupOptions& options) {
  SoupContactFinder finder;
  return finder.find(soups, options);
}

}  // namespace whisker::methods
