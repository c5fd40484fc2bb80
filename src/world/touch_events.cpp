#include "world/touch_events.hpp"

#include <algorithm>
#include <cmath>

#include "world/box_pairs.hpp"

namespace whisker::world {
namespace {

/// An upper bound on the distance between points of two boxes.
double box_reach(const Aabb& a, const Aabb& b) {
  const Vector3 reach = (a.upper - b.lower).cwiseMax(b.upper - a.lower);
  return reach.allFinite() ? reach.stableNorm() * (1 + 0x1p-48) : HUGE_VAL;
}

}  // namespace

void TouchEvents::find(const BodyTable& bodies, PairTable& pairs, UpdateReport& report) {
  if (unresolved.empty() && report.tested == pairs.to_test.size() && pairs.filter_error == nullptr) {
    find_changes(bodies, pairs, report);
  } else {
    find_all(bodies, pairs, report);
  }
  report.touching = touching.size();
  report.unresolved = unresolved.size();
  report.stop = unresolved.empty() ? Stop::exact : Stop::budget;
}

void TouchEvents::find_changes(const BodyTable& bodies, PairTable& pairs, UpdateReport& report) {
  // No pairs are unresolved, before or now. So the touching pairs are the previous ones without those that ended, plus
  // those that began.
  begun_.clear();
  for (const std::uint32_t i : pairs.to_test) {
    const PairRecord& record = pairs.records[i];
    if (record.is_touching == record.was_touching) continue;
    (record.is_touching ? begun_ : pairs.ended).push_back(record.key);
  }
  std::sort(pairs.ended.begin(), pairs.ended.end());
  const auto key_of = [](const WorldPair& pair) { return PairKey{pair.a.slot} << 32 | pair.b.slot; };
  next_touching_.resize(touching.size() + begun_.size() - pairs.ended.size());
  events.resize(touching.size() + begun_.size());
  WorldPair* to = next_touching_.data();
  TouchEvent* event = events.data();
  const WorldPair* old = touching.data();
  const WorldPair* const old_end = old + touching.size();
  std::size_t next_begun = 0, next_ended = 0;
  while (true) {
    // Finds the next pair that has changed, and copies all pairs before it.
    const PairKey begins = next_begun < begun_.size() ? begun_[next_begun] : ~PairKey{0};
    const PairKey ends = next_ended < pairs.ended.size() ? pairs.ended[next_ended] : ~PairKey{0};
    const PairKey differs = std::min(begins, ends);
    for (; old != old_end && key_of(*old) < differs; ++old) {
      *to++ = *old;
      *event++ = {*old, TouchChange::stays};
    }
    if (differs == ~PairKey{0}) break;
    if (begins < ends) {
      *to = bodies.pair_of(begins);
      *event++ = {*to++, TouchChange::began};
      ++next_begun;
    } else {
      *event++ = {*old++, TouchChange::ended};
      ++next_ended;
    }
  }
  touching.swap(next_touching_);
  report.pairs = pairs.records.size();
  if (pairs.filter != nullptr) {
    report.pairs -= static_cast<std::size_t>(std::count_if(pairs.records.begin(), pairs.records.end(),
                                                           [](const PairRecord& record) { return record.is_refused; }));
  }
}

void TouchEvents::find_all(const BodyTable& bodies, PairTable& pairs, UpdateReport& report) {
  touching.clear();
  events.clear();
  unresolved.clear();
  std::sort(pairs.ended.begin(), pairs.ended.end());
  std::size_t next = 0;
  const auto end_before = [&](PairKey key) {
    for (; next < pairs.ended.size() && pairs.ended[next] < key; ++next)
      events.push_back({bodies.pair_of(pairs.ended[next]), TouchChange::ended});
  };
  for (const PairRecord& record : pairs.records) {
    end_before(record.key);
    if (record.is_refused) continue;
    ++report.pairs;
    if (record.is_open()) {
      const Aabb a = bodies.bare_box(first_of(record.key)), b = bodies.bare_box(second_of(record.key));
      unresolved.push_back({bodies.pair_of(record.key), box_gap(a, b), box_reach(a, b)});
      continue;
    }
    if (record.is_touching) touching.push_back(bodies.pair_of(record.key));
    if (record.is_touching || record.was_touching) {
      const TouchChange change = !record.was_touching ? TouchChange::began
                                 : record.is_touching ? TouchChange::stays
                                                      : TouchChange::ended;
      events.push_back({bodies.pair_of(record.key), change});
    }
  }
  end_before(~PairKey{0});
}

}  // namespace whisker::world
