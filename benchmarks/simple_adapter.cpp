// Peers behind adapters in the suite `simple`: shared objects with the interface of peer_adapter.h.

#include <algorithm>
#include <dlfcn.h>
#include <utility>

#include "peer_adapter.h"
#include "simple.hpp"

namespace whisker::bench {
namespace {

/// A shape as an adapter takes it.
struct Numbers {
  whisker_peer_kind kind = WHISKER_PEER_SPHERE;
  std::vector<double> values;
};

Numbers numbers_of(const Shape& shape) {
  const auto joined = [](std::initializer_list<Vector3> vectors, std::initializer_list<double> more = {}) {
    std::vector<double> result;
    for (const Vector3& v : vectors)
      result.insert(result.end(), {v[0], v[1], v[2]});
    result.insert(result.end(), more);
    return result;
  };
  if (const auto* s = shape.as<Sphere>()) return {WHISKER_PEER_SPHERE, {s->radius}};
  if (const auto* s = shape.as<Capsule>()) return {WHISKER_PEER_CAPSULE, {s->radius, s->length}};
  if (const auto* s = shape.as<Box>()) return {WHISKER_PEER_BOX, joined({s->size})};
  if (const auto* s = shape.as<Cylinder>()) return {WHISKER_PEER_CYLINDER, {s->radius, s->length}};
  if (const auto* s = shape.as<Cone>()) return {WHISKER_PEER_CONE, {s->radius, s->length}};
  if (const auto* s = shape.as<Ellipsoid>()) return {WHISKER_PEER_ELLIPSOID, joined({s->radii})};
  if (const auto* s = shape.as<HalfSpace>()) return {WHISKER_PEER_HALF_SPACE, joined({s->normal}, {s->offset})};
  if (const auto* s = shape.as<Plane>()) return {WHISKER_PEER_PLANE, joined({s->normal}, {s->offset})};
  if (const auto* s = shape.as<Segment>()) return {WHISKER_PEER_SEGMENT, joined({s->a, s->b})};
  const Triangle& t = *shape.as<Triangle>();
  return {WHISKER_PEER_TRIANGLE, joined({t.a, t.b, t.c})};
}

void write_pose(const Pose& pose, double* numbers) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      *numbers++ = pose.rotation()(row, column);
  for (int i = 0; i < 3; ++i)
    *numbers++ = pose.translation()[i];
}

/// A row in the hands of an adapter.
class AdapterRow {
 public:
  AdapterRow(const whisker_peer& peer, const SimpleRow& row) : peer_(peer) {
    std::vector<whisker_peer_pair> pairs;
    for (const SimpleInput& in : row.inputs) {
      whisker_peer_pair& pair = pairs.emplace_back();
      pair.a = make(in.a);
      pair.b = make(in.b);
      if (pair.a == nullptr || pair.b == nullptr) return;
      write_pose(in.pose_a, pair.pose_a);
      write_pose(in.pose_b, pair.pose_b);
    }
    const auto question = row.question == Question::touches    ? WHISKER_PEER_TOUCH
                          : row.question == Question::distance ? WHISKER_PEER_DISTANCE
                                                               : WHISKER_PEER_DEPTH;
    prepared_ = peer_.prepare(question, pairs.data(), pairs.size());
  }
  ~AdapterRow() {
    if (prepared_ != nullptr) peer_.discard(prepared_);
    for (void* shape : shapes_)
      peer_.free_shape(shape);
  }
  AdapterRow(const AdapterRow&) = delete;
  AdapterRow& operator=(const AdapterRow&) = delete;

  bool answered() const { return prepared_ != nullptr; }
  void answer(Answers& answers) const { peer_.answer(prepared_, answers.data()); }

 private:
  void* make(const Shape& shape) {
    const Numbers numbers = numbers_of(shape);
    void* const made = peer_.make_shape(numbers.kind, numbers.values.data(), numbers.values.size());
    if (made != nullptr) shapes_.push_back(made);
    return made;
  }

  const whisker_peer& peer_;
  std::vector<void*> shapes_;
  void* prepared_ = nullptr;
};

}  // namespace

std::optional<SimplePeer> load_peer(const std::string& path, std::string& problem) {
  // Without a slash, dlopen would search the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    problem = dlerror();
    return std::nullopt;
  }
  using Adapter = const whisker_peer* (*)();
  const auto adapter = reinterpret_cast<Adapter>(dlsym(library, "whisker_peer_adapter"));
  if (adapter == nullptr) {
    problem = path + ": it does not export whisker_peer_adapter";
    return std::nullopt;
  }
  const whisker_peer* const peer = adapter();
  if (peer == nullptr || peer->version != WHISKER_PEER_VERSION) {
    problem = path + ": it is not of version " + std::to_string(WHISKER_PEER_VERSION) + " of peer_adapter.h";
    return std::nullopt;
  }
  return SimplePeer{peer->name, [peer](const SimpleRow& row, Answers& answers) -> Entries {
                      answers.assign(row.inputs.size(), 0);
                      const auto asked = std::make_shared<AdapterRow>(*peer, row);
                      if (!asked->answered()) return {};
                      return {{"its adapter", [asked, &answers] { asked->answer(answers); }}};
                    }};
}

}  // namespace whisker::bench
