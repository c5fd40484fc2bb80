#pragma once

/// \file
/// How whisker's objects hold what they share or own, and what is left of one that was moved from.
///
/// After `Mesh b = std::move(a)` the mesh `a` is empty. An empty object may be destroyed, assigned to, moved and copied
/// (the copy is empty too); whatever else is asked of it, by a member function or by a query that is given it, is an
/// Error that names its type. That holds for every class of whisker that can be moved and has more in it than plain
/// numbers: shapes, worlds, meshes that deform, trees, finders. A Shape is empty if what it holds is; its kind() and
/// as() still tell what it held. Plain structs (MeshData, SphereTree, results, options) and a PairCache are what their
/// members are: as new.
///
/// What an object holds is private to it. Only the library's own sources reach it, through the friend `Internals`,
/// which no public header defines.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace whisker {

struct Internals;  // the library's own way in (src/shapes/internals.hpp)

/// The name of a type as a template argument: Held<"Mesh", …>.
template <std::size_t size>
struct TypeName {
  char text[size] = {};

  constexpr TypeName(const char (&name)[size]) {
    for (std::size_t i = 0; i < size; ++i)
      text[i] = name[i];
  }
};

/// Throws the Error about an object that holds nothing.
[[noreturn]] void throw_empty(const char* type);

/// A pointer that is null only after a move, and says so: the one place where an object's data is reached. `Pointer` is
/// a std::shared_ptr of what copies share, or a std::unique_ptr of what is owned.
template <TypeName name, class Pointer>
class Held {
 public:
  using Element = typename Pointer::element_type;

  Held() = default;
  template <class Other>
  requires std::is_convertible_v<Other, Pointer> Held(Other pointer) : pointer_(std::move(pointer)) {}

  /// Throws the Error if there is nothing.
  Element& operator*() const { return *checked(); }
  Element* operator->() const { return checked(); }

  /// Without a look whether there is anything: for loops whose caller has looked.
  Element& known() const noexcept { return *pointer_; }
  bool is_empty() const noexcept { return pointer_ == nullptr; }

  /// Of what is owned: another one with the same in it, or with nothing.
  Held copy() const { return is_empty() ? Held() : Held(std::make_unique<Element>(*pointer_)); }

  friend bool operator==(const Held&, const Held&) = default;

 private:
  Element* checked() const {
    if (pointer_ == nullptr) [[unlikely]]
      throw_empty(name.text);
    return pointer_.get();
  }

  Pointer pointer_;
};

}  // namespace whisker
