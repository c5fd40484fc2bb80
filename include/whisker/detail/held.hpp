#pragma once

/// \file
/// Held: how whisker's classes hold the data that they share or own. Defines what a moved-from object may do.
///
///     Mesh a(data);
///     Mesh b = std::move(a);
///     a.bounds();                 // Error: "Mesh: it is empty because it was moved from; assign a value to it first"
///     a = b;                      // assigning makes it usable again
///
/// A moved-from object is empty. It may be destroyed, assigned to, moved and copied (the copy is empty too). Any other
/// use, by calling a member function or passing it to a query, throws an Error that names its type. This holds for
/// every movable class of whisker that contains more than plain numbers: shapes, worlds, deforming meshes, trees,
/// finders.
///
/// A Shape is empty if the shape that it holds is empty. Its kind() and as() still work. Plain structs (MeshData,
/// SphereTree, results, options) and a PairCache have no empty state: after a move they are in the moved-from state of
/// their members, and can be used like new ones.
///
/// The held data is private to each object. Only the library's own sources access it, through the friend `Internals`,
/// which no public header defines.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace whisker {

struct Internals;  // the library's access to private data (src/shapes/internals.hpp)

/// The name of a type, for use as a template argument: Held<"Mesh", …>.
template <std::size_t size>
struct TypeName {
  char text[size] = {};

  constexpr TypeName(const char (&name)[size]) {
    for (std::size_t i = 0; i < size; ++i)
      text[i] = name[i];
  }
};

/// Throws the Error about an empty object of this type.
[[noreturn]] void throw_empty(const char* type);

/// Destroys data whose type only the library's sources define. It is made there, from the std::default_delete of a
/// std::unique_ptr, so that the compiler can write the destructor and the moves of a public class anywhere.
template <class T>
struct Destroyer {
  Destroyer() = default;
  Destroyer(std::default_delete<T>) : destroy([](T* data) { delete data; }) {}
  void operator()(T* data) const { destroy(data); }

  void (*destroy)(T* data) = nullptr;
};

/// Data that an object owns. The object can be moved.
template <class T>
using Owned = std::unique_ptr<T, Destroyer<T>>;

/// Data that an object owns, and that is copied with the object. The copy of an empty object is empty.
template <class T>
class OwnedCopy : public Owned<T> {
 public:
  OwnedCopy() = default;
  OwnedCopy(std::unique_ptr<T> data)
      : Owned<T>(std::move(data)), copy_([](const T& from) -> Owned<T> { return std::make_unique<T>(from); }) {}
  OwnedCopy(OwnedCopy&&) noexcept = default;
  OwnedCopy(const OwnedCopy& other) : Owned<T>(other == nullptr ? nullptr : other.copy_(*other)), copy_(other.copy_) {}
  OwnedCopy& operator=(OwnedCopy&&) noexcept = default;
  OwnedCopy& operator=(const OwnedCopy& other) {
    if (this != &other) *this = OwnedCopy(other);
    return *this;
  }

 private:
  Owned<T> (*copy_)(const T& from) = nullptr;
};

/// A smart pointer to an object's data that is null only after a move, and throws an Error if it is then dereferenced.
/// `Pointer` is a std::shared_ptr to data that copies share, or an Owned or OwnedCopy.
template <TypeName name, class Pointer>
class Held {
 public:
  using Element = typename Pointer::element_type;

  Held() = default;
  template <class Other>
  requires std::is_convertible_v<Other, Pointer> Held(Other pointer) : pointer_(std::move(pointer)) {}

  /// Access to the data. Both operators throw the Error if the object is empty.
  Element& operator*() const { return *checked(); }
  Element* operator->() const { return checked(); }

  /// Access without a check, for loops whose caller has checked. The object must not be empty.
  Element& known() const noexcept { return *pointer_; }
  bool is_empty() const noexcept { return pointer_ == nullptr; }

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
