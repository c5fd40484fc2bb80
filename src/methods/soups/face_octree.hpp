#pragma once

// The virtual octree of a region: which boxes of one list meet which of another, found by dividing the region into
// cells again and again, each with the boxes of both lists that reach into it, until few pairs are left. No cell
// outlives the search for what is in it (Kitamura, Smith, Takemura, Kishino 1998, section 3.4).
//
// Boxes are in floats, from 0 to 1 across the region along each axis. Nothing is rounded outward, and need not be: a
// coordinate goes to its float by operations each of which keeps the order of any two numbers, rounding included, and
// all boxes of a region go the same way. So boxes that overlap do so in floats too.
//
// A pair may share many cells. It belongs to the one that holds the lower corner of what the two boxes have in common:
// cells tile the region, and both boxes reach into that cell. (This is right since boxes are what is sorted into
// cells. With an exact test of triangles against cells one of the two may miss that cell.)
//
// Plain structs, for code that is compiled once per instruction set.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace whisker::methods::soups {

/// A box in the world, in two rows of four doubles.
struct alignas(64) FaceBox {
  double lower[3];
  double unused_lower = 0;
  double upper[3];
  double unused_upper = 0;
};

/// The same in a region.
struct alignas(32) CellFace {
  float lower[3];
  std::uint32_t face;
  float upper[3];
  std::uint32_t unused;
};

/// From the world to a region.
struct RegionFrame {
  double lower[4], upper[4];  ///< The region; the fourth is 0.
  double scale[4];            ///< 1 over its extent; 0 if that cannot be said.
};
RegionFrame region_frame(const double* lower, const double* upper);

/// Those of the boxes that reach into the region. `faces` has the number of each. There is room for as many as there
/// are boxes.
std::size_t boxes_within(const RegionFrame& region, const FaceBox* boxes, const std::uint32_t* faces, std::size_t count,
                         CellFace* within);

struct FacePair {
  std::uint32_t a;
  std::uint32_t b;
};

/// Pairs are handed over some hundreds at a time, those of one face of a or b together.
struct FacePairSink {
  void* context;
  void (*take)(void* context, const FacePair* pairs, std::size_t count);
};

/// Memory that is given and taken back like a stack. What is given does not move.
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

/// Boxes of one list in a cell.
struct CellList {
  CellFace* faces;
  std::size_t count;
};

struct Cell {
  CellList a, b;
  float begin[3] = {0, 0, 0};  ///< Along an axis the cell goes from here,
  float end[3] = {1, 1, 1};    ///< to here, which is in the next cell, if there is one.
};

struct OctreeOptions {
  int level;         ///< -1: divide where it pays
  double extent[3];  ///< of the region in the world; for a level only
};

struct OctreeCounts {
  std::uint64_t cells = 0;
  std::uint64_t box_tests = 0;
};

enum class CellFate : std::uint8_t {
  divided,
  last,   ///< it is not to be divided
  empty,  ///< there is no pair in it
};

/// Divides a cell in two, whose lists are on the stack.
CellFate divide(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts, Cell& lower,
                Cell& upper);

/// Finds all pairs of a cell that share a cell of the octree, by dividing it.
void find_pairs(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts,
                const FacePairSink& sink);

}  // namespace whisker::methods::soups
