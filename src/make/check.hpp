#pragma once

// Checks of options that the mesh generators share, and the table entry of each model.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include <whisker/make/make.hpp>

namespace whisker::make {

inline constexpr double largest_seed = 9007199254740991.0;  // 2^53 - 1: every seed is exact as a double

/// Limits on segments around or along a shape, and on grid cells along one side. More than that is a mistake.
inline constexpr int max_segments = 1'000'000;
inline constexpr int max_cells = 1'000'000;

constexpr Parameter length(std::string_view name, double initial, std::string_view summary) {
  return {name, summary, Parameter::Kind::real, initial, smallest_length, largest_length};
}
constexpr Parameter real(std::string_view name, double initial, double least, double most, std::string_view summary) {
  return {name, summary, Parameter::Kind::real, initial, least, most};
}
constexpr Parameter integer(std::string_view name, int initial, int least, int most, std::string_view summary) {
  return {name,
          summary,
          Parameter::Kind::integer,
          static_cast<double>(initial),
          static_cast<double>(least),
          static_cast<double>(most)};
}
constexpr Parameter seed(std::uint64_t initial) {
  return {"seed", "picks the random numbers", Parameter::Kind::integer, static_cast<double>(initial), 0, largest_seed};
}

/// Throws an Error unless there is one value per parameter, each in its range and an integer where required.
void check_values(std::string_view model, std::span<const Parameter> parameters, std::span<const double> values);
void check_values(std::string_view model, std::span<const Parameter> parameters, std::initializer_list<double> values);

/// Throws an Error unless value < limit, for limits that depend on other options. `words` describes the limit.
void check_below(std::string_view model, std::string_view name, double value, double limit, std::string_view words);
/// Throws an Error unless value >= limit.
void check_at_least(std::string_view model, std::string_view name, double value, double limit, std::string_view words);

/// Throws an Error if the largest of these lengths is more than 1e6 times the smallest. Lengths of 0 are ignored.
void check_ratio(std::string_view model, std::initializer_list<double> lengths);

/// Throws an Error if a model would have more than max_triangles.
void check_count(std::string_view model, double triangles, std::string_view options);

// The rows of the table: one per model, defined next to the code that builds it.
extern const Model uv_sphere_model, icosphere_model, torus_model, wrinkled_torus_model, box_model, cylinder_model,
    cone_model, capsule_model, s_shape_model, block_model, gear_model, pipes_model, chair_model, terrain_model,
    cloth_sheet_model, random_hull_model;

}  // namespace whisker::make
