// libFuzzer target of the .sph readers.

#include "fuzz/fuzz_spheres.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  whisker::test::read_hostile_sph({reinterpret_cast<const char*>(data), size});
  return 0;
}
