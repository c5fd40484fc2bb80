// libFuzzer target of saved shapes. It corrects the size and the checksum, because otherwise nothing would get past
// them.

#include "fuzz/fuzz_saved.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  whisker::test::read_hostile_saved_shape(file);
  whisker::test::read_hostile_saved_shape(whisker::test::with_right_size(file));
  return 0;
}
