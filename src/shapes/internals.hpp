#pragma once

// Gives whisker's own sources access to the private parts of its classes. Internals is the only friend of all of them,
// and no public header defines it.

#include <type_traits>
#include <utility>

namespace whisker {

struct Internals {
  /// The storage that an object shares or owns (held.hpp). Throws an Error if the object was moved from.
  template <class Object>
  static const auto& storage(const Object& object) {
    return *object.storage_;
  }
  /// The same for an object that is known not to be empty, for use in loops.
  template <class Object>
  static const auto& known_storage(const Object& object) noexcept {
    return object.storage_.known();
  }
  /// Working memory, which is created when first needed.
  template <class Memory>
  static auto& working_storage(Memory& memory) {
    return memory.storage();
  }

  template <class Hull>
  static const auto& support_table(const Hull& hull) {
    return hull.support_table();
  }

  /// What a cache remembers about its pair, and the surface on which a depth was found.
  template <class Cache>
  static auto& memory(Cache& cache) noexcept {
    return cache.memory_;
  }
  template <class Cache>
  static auto& surface(Cache& cache) noexcept {
    return cache.surface_;
  }

  /// Creates an object with one of its private constructors, from arguments that are known to be valid.
  template <class Object, class... Arguments>
  static Object make(Arguments&&... arguments) {
    return Object(std::forward<Arguments>(arguments)...);
  }
};

template <class Object>
const auto& storage_of(const Object& object) {
  return Internals::storage(object);
}
template <class Object>
const auto& known_storage_of(const Object& object) noexcept {
  return Internals::known_storage(object);
}
/// The tables of a ConvexHull's support mapping (shapes/hull_support.hpp).
template <class Hull>
const auto& support_table_of(const Hull& hull) {
  return Internals::support_table(hull);
}

/// The type of an object's storage, which is private to its class.
template <class Object>
using StorageOf = std::remove_cvref_t<decltype(Internals::storage(std::declval<const Object&>()))>;

}  // namespace whisker
