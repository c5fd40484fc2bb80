#include <cstdint>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <whisker/simd.hpp>

namespace whisker {
namespace {

struct Named {
  const char* name;
  std::int64_t target;
};

// Best first. Kernels are compiled only for these targets (HWY_TARGETS).
constexpr Named all[] = {
    {"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}, {"neon", HWY_NEON}, {"scalar", HWY_EMU128},
};

/// What the processor supports, regardless of what was forced before.
std::int64_t supported_targets() {
  static const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  return supported;
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const Named& one : all)
    if ((supported_targets() & one.target) != 0) names.emplace_back(one.name);
  return names;
}

bool use_simd_target(std::string_view name) {
  std::int64_t target = 0;  // none forced
  for (const Named& one : all)
    if (name == one.name) target = supported_targets() & one.target;
  if (target == 0 && !name.empty()) return false;
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}

}  // namespace whisker
