#include <string>
#include <utility>

#include <whisker/compound.hpp>
#include <whisker/error.hpp>
#include <whisker/shape.hpp>

namespace whisker {

struct Compound::Storage {
  std::vector<CompoundPart> parts;
  AxisBox bounds;
};

Compound::Compound(std::vector<CompoundPart> parts) {
  if (parts.empty()) throw Error("compound: there is no part");
  auto storage = std::make_shared<Storage>();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    try {
      check(parts[i].pose);
    } catch (const Error& error) {
      throw Error("compound: part " + std::to_string(i) + ": " + error.what());
    }
    storage->bounds.include(parts[i].shape.bounds(parts[i].pose));
  }
  storage->parts = std::move(parts);
  storage_ = std::move(storage);
}

std::span<const CompoundPart> Compound::parts() const {
  return storage_->parts;
}
AxisBox Compound::bounds() const {
  return storage_->bounds;
}

double Compound::volume() const {
  double sum = 0;
  for (const CompoundPart& part : parts())
    sum += part.shape.volume();
  return sum;
}

Vector3 Compound::centroid() const {
  // Volumes count as shares of the whole: with the largest coordinates, volume times length is beyond a double.
  const double whole = volume();
  Vector3 moment = Vector3::Zero();
  double weight = 0;
  for (const CompoundPart& part : parts()) {
    const double share = whole > 0 ? part.shape.volume() / whole : 1;
    moment += share * place(part.pose, part.shape.centroid());
    weight += share;
  }
  return moment / weight;
}

}  // namespace whisker
