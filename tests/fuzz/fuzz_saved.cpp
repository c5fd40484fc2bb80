// libFuzzer target of saved meshes. It corrects the checksum, because otherwise nothing would get past it.

#include "fuzz/fuzz_saved.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  whisker::test::read_hostile_saved_mesh(file);
  whisker::test::read_hostile_saved_mesh(whisker::test::with_right_checksum(file));
  return 0;
}
