#pragma once

// Assemblies whose findings are known in advance.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <whisker/vector.hpp>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

// A finding that was put into an assembly on purpose. Its numbers come from how the parts were built and placed, never
// from a query.
struct PlantedFinding {
  std::string a;  // names of parts
  std::string b;
  FindingKind kind = FindingKind::clash;
  // The known values: both ends are equal up to the rounding of coordinates.
  std::optional<Bounds> depth = {};
  std::optional<Bounds> distance = {};
  std::optional<Bounds> time = {};
  Vector3 position = Vector3::Zero();  // the center of where the parts meet
  double position_tolerance = 0;       // maximum distance from there of any point where they meet
};

// The pairs in `planted` are exactly the findings of check() under the assembly's own rules.
struct PlantedAssembly {
  Assembly assembly;
  std::vector<PlantedFinding> planted;
  // How many pairs would be findings if no rule allowed them, if that was counted.
  std::optional<std::size_t> allowed = {};
};

}  // namespace whisker::clash
