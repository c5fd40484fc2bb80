// Working memory per thread: kept from one use to the next, and never lent twice at the same time.

#include "geometry/lease.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace whisker::geometry {
namespace {

struct Numbers {
  std::vector<int> values;
};

TEST(Lease, MemoryIsKeptFromOneUseToTheNext) {
  const Numbers* first = nullptr;
  {
    const Lease<Numbers> lease;
    first = &*lease;
    lease->values.assign(100, 7);
  }
  const Lease<Numbers> lease;
  EXPECT_EQ(&*lease, first);
  EXPECT_EQ(lease->values.size(), 100u);
}

TEST(Lease, ANestedUseHasMemoryOfItsOwn) {
  const Lease<Numbers> outer;
  outer->values.assign(3, 1);
  {
    const Lease<Numbers> inner;
    EXPECT_NE(&*inner, &*outer);
    inner->values.assign(5, 2);
    const Lease<Numbers> innermost;
    EXPECT_NE(&*innermost, &*outer);
    EXPECT_NE(&*innermost, &*inner);
    innermost->values.assign(7, 3);
    EXPECT_EQ(inner->values, std::vector<int>(5, 2));
  }
  EXPECT_EQ(outer->values, std::vector<int>(3, 1));
  // The outer one is still lent.
  const Lease<Numbers> again;
  EXPECT_NE(&*again, &*outer);
}

TEST(Lease, AnExceptionReturnsTheMemory) {
  const Numbers* first = nullptr;
  try {
    const Lease<Numbers> outer, inner;
    first = &*outer;
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(&*Lease<Numbers>(), first);
}

TEST(Lease, EachThreadAndEachTypeHasItsOwn) {
  struct Others {
    std::vector<int> values;
  };
  const Lease<Numbers> here;
  here->values.assign(2, 4);
  const Lease<Others> others;
  EXPECT_NE(static_cast<const void*>(&*others), static_cast<const void*>(&*here));
  std::thread([&] {
    const Lease<Numbers> there;
    EXPECT_NE(&*there, &*here);
    EXPECT_TRUE(there->values.empty());
  }).join();
}

}  // namespace
}  // namespace whisker::geometry
