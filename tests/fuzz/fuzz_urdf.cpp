// libFuzzer target of the URDF reader and writer.

#include "fuzz/fuzz_urdf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  whisker::test::read_hostile_urdf({reinterpret_cast<const char*>(data), size});
  return 0;
}
