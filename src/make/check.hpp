#pragma once

// The tables of options of the mesh generators, their checks, and the table entry of each model.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include <whisker/make/make.hpp>

namespace whisker::make {

inline constexpr double largest_seed = 9007199254740991.0;  // 2^53 - 1: every seed is exact as a double

/// Limits on segments around or along a shape, and on grid cells along one side. More than that is a mistake.
inline constexpr int max_segments = 1'000'000;
inline constexpr int max_cells = 1'000'000;

/// An option of a model: its description, and the field of the model's struct that holds it.
template <class Options>
struct Option {
  Parameter parameter;
  std::variant<double Options::*, int Options::*, std::uint64_t Options::*> field;

  double get(const Options& options) const {
    return std::visit([&](auto at) { return static_cast<double>(options.*at); }, field);
  }
  void set(Options& options, double value) const {
    std::visit([&]<class T>(T Options::*at) { options.*at = static_cast<T>(value); }, field);
  }
};

template <class Options, class Number>
constexpr Option<Options> option(std::string_view name, Number Options::*field, double least, double most,
                                 std::string_view summary) {
  const auto kind = std::is_integral_v<Number> ? Parameter::Kind::integer : Parameter::Kind::real;
  return {{name, summary, kind, static_cast<double>(Options{}.*field), least, most}, field};
}
template <class Options>
constexpr Option<Options> length(std::string_view name, double Options::*field, std::string_view summary) {
  return option(name, field, smallest_length, largest_length, summary);
}
template <class Options>
constexpr Option<Options> seed(std::uint64_t Options::*field) {
  return option("seed", field, 0, largest_seed, "picks the random numbers");
}

/// Throws an Error unless the value is in the parameter's range, and an integer where required.
void check_value(std::string_view model, const Parameter& parameter, double value);
/// Throws an Error unless there is one such value per parameter.
void check_values(std::string_view model, std::span<const Parameter> parameters, std::span<const double> values);

/// The options of a model, in the order of the struct's fields.
template <class Options, std::size_t count>
class OptionTable {
 public:
  template <class... Rows>
  constexpr explicit OptionTable(std::string_view model, const Rows&... rows)
      : model_(model), options_{rows...}, parameters_{rows.parameter...} {}

  constexpr std::string_view model() const { return model_; }
  constexpr std::span<const Parameter> parameters() const { return parameters_; }

  /// Throws an Error unless each option is in its range.
  void check(const Options& options) const {
    for (const Option<Options>& option : options_)
      check_value(model_, option.parameter, option.get(options));
  }
  /// The options with these values, checked.
  Options with_values(std::span<const double> values) const {
    check_values(model_, parameters_, values);
    Options options;
    for (std::size_t i = 0; i < count; ++i)
      options_[i].set(options, values[i]);
    return options;
  }

 private:
  std::string_view model_;
  std::array<Option<Options>, count> options_;
  std::array<Parameter, count> parameters_;
};
template <class Options, class... Rest>
OptionTable(std::string_view, Option<Options>, Rest...) -> OptionTable<Options, 1 + sizeof...(Rest)>;

/// The entry of a model in the table of all models. `build` makes it from its options.
template <const auto& options, auto build>
constexpr Model model_of(std::string_view summary, bool closed) {
  return {options.model(), summary, closed, options.parameters(),
          [](std::span<const double> values) { return build(options.with_values(values)); }};
}

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
