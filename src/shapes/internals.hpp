#pragma once

// How whisker's own sources reach what its classes keep private. Internals is the one friend of all of them; no public
// header defines it.

#include <type_traits>
#include <utility>

namespace whisker {

struct Internals {
  /// What an object shares or owns (held.hpp). An Error if it was moved from.
  template <class Object>
  static const auto& storage(const Object& object) {
    return *object.storage_;
  }
  /// The same of an object that is known not to be empty, for loops.
  template <class Object>
  static const auto& known_storage(const Object& object) noexcept {
    return object.storage_.known();
  }
  /// Working memory, which is made when first needed.
  template <class Memory>
  static auto& working_storage(Memory& memory) {
    return memory.storage();
  }

  template <class Hull>
  static const auto& support_table(const Hull& hull) {
    return hull.support_table();
  }

  /// What a cache remembers of its pair, and the surface on which a depth was found.
  template <class Cache>
  static auto& memory(Cache& cache) noexcept {
    return cache.memory_;
  }
  template <class Cache>
  static auto& surface(Cache& cache) noexcept {
    return cache.surface_;
  }

  /// An object by one of its private constructors, from what is known to be right.
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
/// The tables that the support mapping of a ConvexHull looks things up in (shapes/hull_support.hpp).
template <class Hull>
const auto& support_table_of(const Hull& hull) {
  return Internals::support_table(hull);
}

/// The type of an object's storage, which is private to its class.
template <class Object>
using StorageOf = std::remove_cvref_t<decltype(Internals::storage(std::declval<const Object&>()))>;

}  // namespace whisker
