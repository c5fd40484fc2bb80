// The table of all models that can be generated, and the checks that they share.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>

#include "geometry/constants.hpp"
#include "make/check.hpp"

namespace whisker::make {
namespace {

constexpr double largest_ratio = 1e6;

std::string text(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", value);
  // The shortest form that reads back as the same number, so that 0.1 is not 0.10000000000000001.
  for (int digits = 1; digits < 17; ++digits) {
    std::array<char, 32> shorter{};
    std::snprintf(shorter.data(), shorter.size(), "%.*g", digits, value);
    if (std::stod(shorter.data()) == value) return shorter.data();
  }
  return buffer.data();
}

std::string about(std::string_view model, std::string_view name) {
  return "make " + std::string(model) + ": " + std::string(name);
}

}  // namespace

void check_value(std::string_view model, const Parameter& parameter, double value) {
  const bool whole = parameter.kind == Parameter::Kind::integer;
  // Written so that NaN fails.
  const bool good = value >= parameter.least && value <= parameter.most && (!whole || std::floor(value) == value);
  if (!good)
    throw Error(about(model, parameter.name) + " is " + text(value) + "; it must be " +
                (whole ? "an integer" : "a number") + " from " + text(parameter.least) + " to " + text(parameter.most));
}

void check_values(std::string_view model, std::span<const Parameter> parameters, std::span<const double> values) {
  if (values.size() != parameters.size())
    throw Error("make " + std::string(model) + ": got " + std::to_string(values.size()) +
                " values; give one for each of its " + std::to_string(parameters.size()) + " parameters");
  for (std::size_t i = 0; i < values.size(); ++i)
    check_value(model, parameters[i], values[i]);
}

void check_below(std::string_view model, std::string_view name, double value, double limit, std::string_view words) {
  if (value < limit) return;
  throw Error(about(model, name) + " is " + text(value) + "; it must be below " + text(limit) + " (" +
              std::string(words) + ")");
}

void check_at_least(std::string_view model, std::string_view name, double value, double limit, std::string_view words) {
  if (value >= limit) return;
  throw Error(about(model, name) + " is " + text(value) + "; it must be at least " + text(limit) + " (" +
              std::string(words) + ")");
}

void check_ratio(std::string_view model, std::initializer_list<double> lengths) {
  double smallest = infinity;
  double largest = 0;
  for (const double value : lengths) {
    if (value == 0) continue;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  if (largest > largest_ratio * smallest)
    throw Error("make " + std::string(model) + ": its lengths range from " + text(smallest) + " to " + text(largest) +
                "; the largest must be at most " + text(largest_ratio) + " times the smallest");
}

void check_count(std::string_view model, double triangles, std::string_view options) {
  if (triangles > max_triangles)
    throw Error("make " + std::string(model) + ": it would have " + text(triangles) + " triangles; at most " +
                std::to_string(max_triangles) + " are allowed: lower " + std::string(options));
}

std::span<const Model> models() {
  static const std::array table = {uv_sphere_model, icosphere_model, torus_model,       wrinkled_torus_model,
                                   box_model,       cylinder_model,  cone_model,        capsule_model,
                                   s_shape_model,   block_model,     gear_model,        pipes_model,
                                   chair_model,     terrain_model,   cloth_sheet_model, random_hull_model};
  return table;
}

}  // namespace whisker::make
