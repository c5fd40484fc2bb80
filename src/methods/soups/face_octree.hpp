#pragma once

// The virtual octree of a region: finds the overlapping boxes of two lists by recursively dividing the region into
// cells, each with the boxes of both lists that overlap it, until few pairs are left. No cell is kept after its
// contents have been searched (Kitamura, Smith, Takemura, Kishino 1998, section 3.4).
//
// Boxes are stored in floats, from 0 to 1 across the region along each axis. They need not be rounded outward: each
// operation that converts a coordinate to its float is monotone, rounding included, and all boxes of a region are
// converted in the same way. So boxes that overlap also overlap in floats.
//
// A pair may share many cells. It is reported in the one cell that contains the lower corner of the intersection of the
// two boxes: the cells tile the region, and both boxes overlap that cell. (This is correct because boxes are sorted
// into cells. With an exact test of triangles against cells, one of the two may miss that cell.)
//
// Only plain structs, for code that is compiled once per instruction set.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/function_ref.hpp"

namespace whisker::methods::soups {

/// A box in the world, in two rows of four doubles.
struct alignas(64) FaceBox {
  double lower[3];
  double unused_lower = 0;
  double upper[3];
  double unused_upper = 0;
};

/// A box in the coordinates of a region.
struct alignas(32) CellFace {
  float lower[3];
  std::uint32_t face;
  float upper[3];
  std::uint32_t unused;
};

/// The transformation from the world to a region.
struct RegionFrame {
  double lower[4], upper[4];  ///< The region; the fourth element is 0.
  double scale[4];            ///< 1 over its extent; 0 if that is not representable.
};
RegionFrame region_frame(const double* lower, const double* upper);

/// Collects the boxes that overlap the region. `faces` has the index of each box. `within` must have room for `count`
/// boxes.
std::size_t boxes_within(const RegionFrame& region, const FaceBox* boxes, const std::uint32_t* faces, std::size_t count,
                         CellFace* within);

struct FacePair {
  std::uint32_t a;
  std::uint32_t b;
};

/// Receives pairs, a few hundred at a time. The pairs of one face of a or b come together.
using FacePairSink = geometry::FunctionRef<void(const FacePair* pairs, std::size_t count)>;

/// A stack allocator. Allocated memory does not move.
class CellStack {
 public:
  struct Mark {
    std::size_t block, used;
  };

  CellFace* push(std::size_t count) {
    while (top_.block < blocks_.size() && top_.used + count > blocks_[top_.block].size())
      top_ = {top_.block + 1, 0};
    if (top_.block == blocks_.size()) add_block(count);
    CellFace* const given = blocks_[top_.block].data() + top_.used;
    top_.used += count;
    return given;
  }
  Mark mark() const { return top_; }
  void release(Mark mark) { top_ = mark; }

 private:
  void add_block(std::size_t least);

  std::vector<std::vector<CellFace>> blocks_;
  Mark top_ = {0, 0};
};

/// The boxes of one list in a cell.
struct CellList {
  CellFace* faces;
  std::size_t count;
};

struct Cell {
  CellList a, b;
  float begin[3] = {0, 0, 0};  ///< The cell starts here along each axis,
  float end[3] = {1, 1, 1};    ///< and ends here, exclusive if another cell follows.
};

struct OctreeOptions {
  int level;         ///< -1: divide where it pays off
  double extent[3];  ///< of the region in the world; used only with a level
};

struct OctreeCounts {
  std::uint64_t cells = 0;
  std::uint64_t box_tests = 0;
};

enum class CellFate : std::uint8_t {
  divided,
  last,   ///< must not be divided further
  empty,  ///< contains no pair
};

/// Divides a cell into two, whose lists are on the stack.
CellFate divide(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts, Cell& lower,
                Cell& upper);

/// Finds all pairs of a cell that share a cell of the octree, by dividing it.
void find_pairs(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts,
                const FacePairSink& sink);

}  // namespace whisker::methods::soups
