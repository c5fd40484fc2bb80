#pragma once

/// \file
/// RegisteredShape: a shape of a kind that is not built in (CONTRIBUTING.md, "Adding a shape").

#include <memory>
#include <utility>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>

namespace whisker {

enum class ShapeKind : unsigned char;

/// A kind and the data of one shape of it. Copies share the data.
class RegisteredShape {
 public:
  /// The base class of the data: what every shape must provide. All of it is used from any number of threads.
  struct Data {
    Data() = default;
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
    virtual ~Data() = default;

    /// An AABB of the placed shape, rounded outward.
    virtual Aabb bounds(const Pose& pose) const = 0;
    virtual double volume() const = 0;
    virtual Vector3 centroid() const = 0;
  };

  /// `kind` is the result of register_kind() (src/shapes/kind_traits.hpp).
  RegisteredShape(ShapeKind kind, std::shared_ptr<const Data> data) : kind_(kind), data_(std::move(data)) {}

  ShapeKind kind() const noexcept { return kind_; }
  const Data& data() const { return *data_; }

 private:
  ShapeKind kind_;
  Held<"RegisteredShape", std::shared_ptr<const Data>> data_;
};

}  // namespace whisker
