// The main function of every test program: GoogleTest's, and `--file NAME`, which runs the tests of one source file.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace {

/// A filter that selects all tests whose source file is NAME.cpp. Empty if there are none.
std::string tests_of_file(const std::string& name) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      if (std::filesystem::path(test.file()).stem() != name) continue;
      if (!filter.empty()) filter.append(":");
      filter.append(suite.name()).append(".").append(test.name());
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    if (argc != 3 || std::strcmp(argv[1], "--file") != 0) {
      std::fprintf(stderr, "usage: %s [--file NAME] [--gtest_…]\n", argv[0]);
      return 2;
    }
    const std::string filter = tests_of_file(argv[2]);
    if (filter.empty()) {
      std::fprintf(stderr, "%s has no tests of a file %s.cpp\n", argv[0], argv[2]);
      return 2;
    }
    // A filter on the command line takes precedence.
    const std::string chosen = GTEST_FLAG_GET(filter);
    GTEST_FLAG_SET(filter, chosen == "*" ? filter : chosen);
  }
  return RUN_ALL_TESTS();
}
