#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_world.hpp>

#include "geometry/constants.hpp"
#include "spheres/body_nodes.hpp"
#include "spheres/contact_front.hpp"
#include "world/box_pairs.hpp"

namespace whisker {
namespace {

using spheres::ContactFront;
using spheres::PlacedNodes;

struct Slot {
  spheres::BodyNodes nodes;
  Pose pose;       // the body's pose in the next step
  Pose step_pose;  // its pose in the current step
  std::uint32_t generation = 0;
  bool is_used = false;
};

/// The extent of a root sphere along x.
struct Reach {
  double lower, upper;
  std::uint32_t slot;
};

}  // namespace

struct SphereWorld::Storage {
  std::deque<Slot> slots;  // a deque, because the step holds pointers to slots
  /// Slots free for reuse. Slots removed since the step began become free only after it.
  std::vector<std::uint32_t> unused, removed;
  std::size_t count = 0;
  Priority priority;

  // State of the current step. Bodies have the numbers of their slots.
  std::vector<PlacedNodes> nodes;
  std::vector<Reach> reaches;
  std::vector<PairKey> keys;
  ContactFront front;
  std::vector<SpherePair> pairs;
  std::vector<SphereContact> contacts;

  Slot& slot(BodyId id, const char* call) {
    if (id.slot < slots.size() && slots[id.slot].is_used && slots[id.slot].generation == id.generation) {
      return slots[id.slot];
    }
    throw Error(std::string("sphere world: ") + call + ": there is no such body; it was removed, or never added");
  }
  void forget_step() {
    unused.insert(unused.end(), removed.begin(), removed.end());
    std::sort(unused.begin(), unused.end(), std::greater<>());  // so that the lowest number is used first
    removed.clear();
    pairs.clear();
    contacts.clear();
    front.begin({});
  }

  void place_bodies() {
    nodes.resize(slots.size());
    reaches.clear();
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
      Slot& slot = slots[i];
      if (!slot.is_used) continue;
      slot.step_pose = slot.pose;
      nodes[i] = slot.nodes.place(slot.step_pose);
      // One slack as in spheres::measure(), and a second one that covers the rounding of these sums. (The other body's
      // slack covers its share.)
      const double reach = nodes[i].radius[0] + 2 * nodes[i].slack;
      reaches.push_back({nodes[i].world_x[0] - reach, nodes[i].world_x[0] + reach, i});
    }
  }

  /// Finds the pairs of overlapping root spheres by a sweep along x. Sorted by body.
  void find_pairs() {
    keys.clear();
    std::ranges::sort(reaches, {}, [](const Reach& reach) { return std::pair(reach.lower, reach.slot); });
    for (std::size_t i = 0; i < reaches.size(); ++i) {
      const PlacedNodes& a = nodes[reaches[i].slot];
      for (std::size_t j = i + 1; j < reaches.size() && reaches[j].lower <= reaches[i].upper; ++j) {
        if (spheres::measure(a, 0, nodes[reaches[j].slot], 0).gap > 0) continue;
        keys.push_back(pair_key(reaches[i].slot, reaches[j].slot));
      }
    }
    std::sort(keys.begin(), keys.end());
  }

  /// Sets what is known about each pair by now.
  void set_states() {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i].state = front.state(static_cast<std::uint32_t>(i));
  }
};

SphereWorld::SphereWorld() : storage_(std::make_unique<Storage>()) {}

BodyId SphereWorld::add(const SphereBody& body, const Pose& pose) {
  Storage& s = *storage_;
  if (s.unused.empty()) {
    s.unused.push_back(static_cast<std::uint32_t>(s.slots.size()));
    s.slots.emplace_back();
  }
  const std::uint32_t number = s.unused.back();
  Slot& slot = s.slots[number];
  slot.nodes.set(body);
  slot.pose = pose;
  slot.is_used = true;
  s.unused.pop_back();
  ++s.count;
  return {number, slot.generation};
}

void SphereWorld::remove(BodyId body) {
  Storage& s = *storage_;
  Slot& slot = s.slot(body, "remove");
  s.removed.push_back(body.slot);
  slot.is_used = false;
  ++slot.generation;
  --s.count;
}

void SphereWorld::move(BodyId body, const Pose& pose) {
  storage_->slot(body, "move").pose = pose;
}

const Pose& SphereWorld::pose(BodyId body) const {
  return storage_->slot(body, "pose").pose;
}

const SphereBody& SphereWorld::body(BodyId body) const {
  return storage_->slot(body, "body").nodes.body();
}

std::size_t SphereWorld::size() const {
  return storage_->count;
}

void SphereWorld::set_priority(Priority priority) {
  storage_->priority = std::move(priority);
}

void SphereWorld::begin_step() {
  Storage& s = *storage_;
  s.forget_step();
  s.place_bodies();
  s.find_pairs();
  const auto id_of = [&](std::uint32_t slot) { return BodyId{slot, s.slots[slot].generation}; };
  try {
    for (const PairKey key : s.keys) {
      SpherePair pair{.a = id_of(first_of(key)), .b = id_of(second_of(key))};
      if (s.priority) pair.priority = s.priority(pair);
      if (std::isnan(pair.priority)) {
        throw Error("sphere world: the priority of bodies " + std::to_string(pair.a.slot) + " and " +
                    std::to_string(pair.b.slot) + " is NaN; give a number");
      }
      if (pair.priority == -infinity) continue;
      s.pairs.push_back(pair);
    }
  } catch (...) {
    s.pairs.clear();
    throw;
  }
  s.front.begin(s.nodes);
  for (const SpherePair& pair : s.pairs)
    s.front.add(pair.a.slot, pair.b.slot, pair.priority);
  s.set_states();
}

Stop SphereWorld::advance(const SphereBudget& budget) {
  if (std::isnan(budget.seconds)) throw Error("sphere world: the seconds of the budget are NaN");
  Storage& s = *storage_;
  const Stop stop = s.front.advance(budget);
  s.set_states();
  return stop;
}

SphereFrame SphereWorld::collect(OpenSpheres open) {
  Storage& s = *storage_;
  SphereFrame frame;
  frame.pairs = s.pairs.size();
  frame.updates = s.front.updates();
  frame.tests = s.front.tests();

  // Counts first, so that each pair's contacts are contiguous.
  const bool with_open = open == OpenSpheres::repulsion;
  std::size_t total = 0;
  for (std::size_t i = 0; i < s.pairs.size(); ++i) {
    SpherePair& pair = s.pairs[i];
    const spheres::FrontPair& known = s.front.pairs()[i];
    pair.first_contact = total;
    pair.contact_count = 0;
    pair.upper = infinity;
    total += known.resolved + (with_open ? known.open : 0) + (pair.state == SpherePairState::inside ? 1 : 0);
    frame.open_pairs += pair.state == SpherePairState::open ? 1 : 0;
  }
  frame.is_resolved = frame.open_pairs == 0;
  frame.contacts = total;
  if (total > 0) frame.best_error = infinity;
  s.contacts.resize(total);
  double squares = 0;
  const auto add = [&](SpherePair& pair, std::uint32_t i, std::uint32_t j) -> SphereContact& {
    SphereContact& contact = s.contacts[pair.first_contact + pair.contact_count++];
    const double upper = spheres::set_contact(s.nodes[pair.a.slot], i, s.nodes[pair.b.slot], j, contact);
    if (pair.state == SpherePairState::inside) contact.error = 0;
    pair.upper = std::min({pair.upper, upper, contact.error});
    frame.worst_error = std::max(frame.worst_error, contact.error);
    frame.best_error = std::min(frame.best_error, contact.error);
    squares += contact.error * contact.error;
    return contact;
  };
  s.front.each_entry([&](const spheres::FrontEntry& entry, bool is_open) {
    if (!is_open || with_open) add(s.pairs[entry.pair], entry.a, entry.b).is_open = is_open;
  });
  for (SpherePair& pair : s.pairs) {
    if (pair.state == SpherePairState::inside) add(pair, 0, 0);
    frame.touching_pairs += pair.contact_count > 0 ? 1 : 0;
  }
  if (total > 0) frame.root_mean_square_error = std::sqrt(squares / static_cast<double>(total));
  return frame;
}

std::span<const SpherePair> SphereWorld::pairs() const {
  return storage_->pairs;
}

std::span<const SphereContact> SphereWorld::contacts() const {
  return storage_->contacts;
}

std::span<const SphereContact> SphereWorld::contacts(const SpherePair& pair) const {
  const std::vector<SphereContact>& all = storage_->contacts;
  if (pair.first_contact > all.size() || pair.contact_count > all.size() - pair.first_contact) return {};
  return std::span(all).subspan(pair.first_contact, pair.contact_count);
}

}  // namespace whisker
