// Builds a flat set of spheres for a mesh: with a given number of spheres, or for a given protrusion.

#include "spheres/build_sphere_set.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/threads.hpp"
#include "shapes/sphere_data.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/flat_shares.hpp"
#include "spheres/pieces.hpp"
#include "spheres/progress.hpp"
#include "spheres/sampling.hpp"

namespace whisker {

namespace spheres {
namespace {

/// Builds the set from one region, the whole surface. The spheres come from the region's `Share`s.
class SetBuilder {
 public:
  SetBuilder(const Solid& solid, std::size_t most, const SphereSetOptions& options, const RegionMethod& method)
      : solid_(solid),
        most_(most),
        options_(options),
        method_(method),
        error_(halving_error(solid.mesh())),
        // Cut the surface finely enough that many spheres can differ.
        pieces_(cut_surface(solid.mesh(), std::max<std::size_t>(static_cast<std::size_t>(options.pieces), 32 * most))),
        region_(solid, pieces_),
        progress_(options.progress, most) {}

  std::vector<BoundingSphere> build() {
    const std::vector<std::uint32_t> corners = region_.all_corners();
    const Ball one = region_.min_error(region_.smallest(corners), corners, 200);
    std::vector<Share> shares = share_out(region_, std::span(&one, 1));
    const bool is_enough = options_.protrusion > 0 && one.error <= options_.protrusion;
    if (most_ > 1 && !is_enough) {
      std::unique_ptr<AdaptiveAxis> axis;
      if (method_.needs_axis) {
        axis = std::make_unique<AdaptiveAxis>(
            solid_, sample_surface(solid_.mesh(), static_cast<std::size_t>(options_.samples), options_.seed));
      }
      shares = flat_shares(region_, axis.get(),
                           {.method = method_,
                            .selection = options_.selection,
                            .most = most_,
                            .protrusion = options_.protrusion,
                            .report = [&](std::size_t spheres) { progress_.reach(spheres); }});
    }
    progress_.reach(most_);
    std::vector<BoundingSphere> spheres;
    for (const Share& share : shares) {
      std::vector<Piece> own;
      for (const std::uint32_t p : share.pieces)
        own.push_back(pieces_[p]);
      spheres.push_back(ball_about(share.ball.center, own, error_));
    }
    return spheres;
  }

 private:
  const Solid& solid_;
  std::size_t most_;
  const SphereSetOptions& options_;
  RegionMethod method_;
  double error_;
  std::vector<Piece> pieces_;
  Region region_;
  Progress progress_;
};

}  // namespace

SphereSet build_set(const Solid& solid, int max_count, const SphereSetOptions& options, const RegionMethod& method) {
  return shapes::set_of(SetBuilder(solid, static_cast<std::size_t>(max_count), options, method).build());
}

}  // namespace spheres

SphereSet SphereBuilder::build_set(const Mesh&, int, const SphereSetOptions&) const {
  throw Error("build_sphere_set: this builder builds trees, not sets; use another builder, or none");
}

SphereSet build_sphere_set(const Mesh& mesh, int max_count, const SphereSetOptions& options) {
  constexpr const char* what = "build_sphere_set";
  check_threads(what, options.threads);
  spheres::check_range(what, "max_count", max_count, 1, 10'000);
  spheres::check_range(what, "samples", options.samples, 16, 1'000'000);
  spheres::check_range(what, "pieces", options.pieces, 16, 10'000'000);
  spheres::check_from_zero(what, "protrusion", options.protrusion);
  switch (options.method) {
    case SphereTreeMethod::merge:
    case SphereTreeMethod::expand:
    case SphereTreeMethod::combined:
      break;
    default:
      if (options.builder == nullptr) throw Error("build_sphere_set: the method must be merge, expand or combined");
  }
  spheres::check_size(what, mesh);
  const spheres::Solid solid(mesh);
  std::optional<SphereSet> set;
  with_threads(what, options.threads, [&] {
    set = options.builder != nullptr ? options.builder->build_set(solid.mesh(), max_count, options)
                                     : spheres::build_set(solid, max_count, options, {.method = options.method});
  });
  return *set;
}

double protrusion(const SphereSet& set, const Mesh& solid) {
  const spheres::Solid checked(solid);
  double worst = 0;
  for (std::size_t i = 0; i < set.size(); ++i)
    worst = std::max(worst, checked.protrusion({set.center(i), set.radius(i)}));
  return worst;
}

}  // namespace whisker
