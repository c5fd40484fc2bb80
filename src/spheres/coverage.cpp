// Proves that spheres cover a surface, or finds a point that they do not cover, and grows spheres until they cover it.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/interval_inline.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/pieces.hpp"

namespace whisker {

namespace {

using spheres::Piece;

/// Cuts one triangle until each piece lies in a sphere, or a piece is found that lies in none.
class TriangleProof {
 public:
  TriangleProof(std::span<const BoundingSphere> spheres, const Mesh& mesh, std::size_t max_pieces)
      : spheres_(spheres), error_(spheres::halving_error(mesh)), max_pieces_(max_pieces) {}

  /// What is known of one triangle. For a covered one, the triangle and the point mean nothing.
  Coverage prove(const Piece& triangle) {
    Coverage result{.triangle = triangle.triangle};
    near_.resize(spheres_.size());
    std::iota(near_.begin(), near_.end(), 0u);
    stack_.assign(1, {triangle, 0, near_.size()});
    while (!stack_.empty()) {
      const Task task = stack_.back();
      stack_.pop_back();
      // Drop what deeper pieces appended.
      near_.resize(task.end);
      if (++result.pieces > max_pieces_) {
        result.answer = Answer::undecided;
        result.point = task.piece.middle();
        return result;
      }
      const std::size_t begin = near_.size();
      if (held(task)) {
        near_.resize(begin);
        continue;
      }
      if (const std::optional<Vector3> bare = bare_corner(task.piece, begin)) {
        result.answer = Answer::no;
        result.point = *bare;
        return result;
      }
      if (task.piece.halvings >= spheres::max_halvings) {
        result.answer = Answer::undecided;
        result.point = task.piece.middle();
        continue;
      }
      const std::array<Piece, 2> parts = spheres::halves(task.piece);
      stack_.push_back({parts[1], begin, near_.size()});
      stack_.push_back({parts[0], begin, near_.size()});
    }
    return result;
  }

 private:
  /// A piece and the range, in near_, of the spheres that may reach it.
  struct Task {
    Piece piece;
    std::size_t begin, end;
  };

  /// Returns whether the piece is in one sphere. If not, appends the spheres that may reach it to near_.
  bool held(const Task& task) {
    const std::size_t count = task.end - task.begin;
    near_.reserve(near_.size() + count);  // so that the candidates stay in place
    return spheres::find_holder(spheres_, task.piece, error_, {near_.data() + task.begin, count}, near_);
  }

  /// Returns a corner that is proven to be outside all the spheres from `begin` on.
  std::optional<Vector3> bare_corner(const Piece& piece, std::size_t begin) const {
    const double rounding = geometry::next_up(piece.halvings * error_);
    for (const Vector3& corner : piece.corners) {
      const bool bare =
          std::all_of(near_.begin() + static_cast<std::ptrdiff_t>(begin), near_.end(), [&](std::uint32_t i) {
            return spheres::distance_down(spheres_[i].center, corner) > geometry::add_up(spheres_[i].radius, rounding);
          });
      if (bare) return corner;
    }
    return std::nullopt;
  }

  std::span<const BoundingSphere> spheres_;
  double error_;
  std::size_t max_pieces_;

  std::vector<Task> stack_;
  std::vector<std::uint32_t> near_;
};

}  // namespace

Coverage check_coverage(std::span<const BoundingSphere> spheres, const Mesh& mesh, const CoverageOptions& options) {
  spheres::check_spheres("check_coverage", spheres);
  TriangleProof proof(spheres, mesh, options.pieces_per_triangle);
  Coverage result;
  std::size_t pieces = 0;
  for (std::uint32_t i = 0; i < mesh.triangle_count() && result.answer != Answer::no; ++i) {
    const Coverage one = proof.prove(spheres::whole_triangle(mesh, i));
    pieces += one.pieces;
    // A proven gap replaces an earlier undecided triangle.
    if (one.answer == Answer::no || (one.answer == Answer::undecided && result.answer == Answer::yes)) result = one;
  }
  result.pieces = pieces;
  return result;
}

std::vector<BoundingSphere> grow_to_cover(std::span<const BoundingSphere> spheres, const Mesh& mesh) {
  spheres::check_spheres("grow_to_cover", spheres);
  if (spheres.empty()) throw Error("grow_to_cover: there is no sphere to grow; give at least one");
  const double error = spheres::halving_error(mesh);
  // Pieces are so short that the spheres grow little for pieces they contain in part, but not so short that there are
  // too many pieces.
  const Aabb box = mesh.bounds();
  const double shortest = (box.upper - box.lower).norm() / 150;
  const std::vector<std::vector<Piece>> dealt = spheres::deal(spheres::cut_surface(mesh, 0), spheres, error, shortest);
  std::vector<BoundingSphere> grown(spheres.begin(), spheres.end());
  for (std::size_t i = 0; i < grown.size(); ++i)
    grown[i].radius = std::max(grown[i].radius, spheres::ball_about(grown[i].center, dealt[i], error).radius);
  return grown;
}

}  // namespace whisker
