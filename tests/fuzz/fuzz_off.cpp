// libFuzzer target of the OFF reader.

#include "fuzz/fuzz_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  whisker::test::read_hostile_mesh(std::as_bytes(std::span(data, size)), whisker::MeshFormat::off);
  return 0;
}
