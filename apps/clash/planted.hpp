#pragma once

// Assemblies of which it is known beforehand what must be found in them.

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
  // What is known of each number: both ends are the same but for the rounding of coordinates.
  std::optional<Bounds> depth = {};
  std::optional<Bounds> distance = {};
  std::optional<Bounds> time = {};
  Vector3 position = Vector3::Zero();  // the middle of where the parts meet
  double position_tolerance = 0;       // no point where they meet is farther from there
};

// The pairs that `planted` names are all that check() finds under the assembly's own rules.
struct PlantedAssembly {
  Assembly assembly;
  std::vector<PlantedFinding> planted;
  // How many pairs would be findings if no rule allowed them, where that was counted.
  std::optional<std::size_t> allowed = {};
};

}  // namespace whisker::clash
