// Builds a flat set of spheres for a mesh: with a given number of spheres, or for a given protrusion.

#include <algorithm>
#include <cstdint>
#include <optional>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/threads.hpp"
#include "shapes/sphere_data.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/builders.hpp"
#include "spheres/flat_shares.hpp"
#include "spheres/pieces.hpp"
#include "spheres/progress.hpp"
#include "spheres/sampling.hpp"

namespace whisker {

SphereSet spheres::build_set(const Solid& solid, int max_count, const SphereSetOptions& options,
                             const RegionMethod& method) {
  const auto most = static_cast<std::size_t>(max_count);
  // Cut the surface finely enough that many spheres can differ.
  const std::vector<Piece> pieces =
      cut_surface(solid.mesh(), std::max(static_cast<std::size_t>(options.pieces), 32 * most));
  const Region region(solid, pieces);
  Progress progress(options.progress, most);
  const std::vector<std::uint32_t> corners = region.all_corners();
  const Ball one = region.min_error(region.smallest(corners), corners, 200);
  std::vector<Share> shares = share_out(region, std::span(&one, 1));
  const bool is_enough = options.protrusion > 0 && one.error <= options.protrusion;
  if (most > 1 && !is_enough) {
    std::optional<AdaptiveAxis> axis;
    if (method.needs_axis)
      axis.emplace(solid, sample_surface(solid.mesh(), static_cast<std::size_t>(options.samples), options.seed));
    shares = flat_shares(region, axis ? &*axis : nullptr,
                         {.method = method,
                          .selection = options.selection,
                          .most = most,
                          .protrusion = options.protrusion,
                          .report = [&](std::size_t spheres) { progress.reach(spheres); }});
  }
  progress.reach(most);
  std::vector<BoundingSphere> spheres;
  for (const Share& share : shares)
    spheres.push_back(ball_about(share.ball.center, region.pieces_of(share.pieces), region.error()));
  return shapes::set_of(spheres);
}

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
