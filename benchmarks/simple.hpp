#pragma once

// The suite `simple`: every pair of the simple shapes, one query at a time and in batches, by whisker and by every peer
// that answers the query. Declares the rows, the truth about them, and the peers, which have files of their own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/shape.hpp>

#include "harness.hpp"

namespace whisker::bench {

/// The kinds, in the order in which the name of a row has them.
inline constexpr std::array<ShapeKind, 10> simple_kinds = {
    ShapeKind::sphere,    ShapeKind::capsule,    ShapeKind::box,   ShapeKind::cylinder, ShapeKind::cone,
    ShapeKind::ellipsoid, ShapeKind::half_space, ShapeKind::plane, ShapeKind::segment,  ShapeKind::triangle};

/// Two placed shapes.
struct SimpleInput {
  Shape a, b;
  Pose pose_a, pose_b;
};

/// Bounds of the true gap: the distance if positive, minus the depth if negative.
struct TrueGap {
  double lower = 0, upper = 0;
};

/// A question about a pair of kinds, with its inputs.
struct SimpleRow {
  std::string name;  ///< "distance/sphere-box"
  Question question = Question::touches;
  ShapeKind a = ShapeKind::sphere, b = ShapeKind::sphere;
  std::vector<SimpleInput> inputs;
  std::vector<TrueGap> truths;  ///< One per input.
};

/// The answers of a pass, one per input: 1 or 0; the distance; the depth. NaN where the system gave up.
using Answers = std::vector<double>;

/// One way to ask a system. A pass writes all answers.
struct Entry {
  std::string how;  ///< For the note under the table.
  std::function<void()> pass;
};
/// All ways in which a system answers a row, which may differ in speed and in how often they are right. Empty if it
/// does not answer the row, or was not available when the suite was built.
using Entries = std::vector<Entry>;

/// A system to compare with. `entries` converts shapes and poses to the peer's own types. The passes refer to the
/// answers, and to nothing else that belongs to the caller.
struct SimplePeer {
  std::string name;
  std::function<Entries(const SimpleRow&, Answers&)> entries;
};

/// "distance/sphere-box".
std::string simple_row_name(Question question, ShapeKind a, ShapeKind b);

/// The number of inputs of a row.
inline constexpr std::size_t simple_inputs = 512;

/// Why a row makes no sense for these kinds; empty if it does.
std::string why_left_out(Question question, ShapeKind a, ShapeKind b);

/// The row, without its truths.
SimpleRow make_simple_row(Question question, ShapeKind a, ShapeKind b, std::size_t count);

/// What is true about an input, by the reference of tests/support, which shares only the placing of points and normals
/// with the library. For a question `touches`, the bounds only tell on which side of zero the gap is.
TrueGap true_gap(Question question, const SimpleInput& input);

/// An answer that is off by more than this is wrong. (The shapes have sizes from 0.2 to 1.)
inline constexpr double simple_tolerance = 1e-6;
/// A peer that is wrong in more than this fraction of the inputs is called wrong.
inline constexpr double simple_wrong_rate = 0.01;
/// Whether the bounds of all truths are close enough to tell right from wrong.
bool truth_is_known(const SimpleRow& row);
std::size_t count_wrong(const SimpleRow& row, const Answers& answers);

/// whisker's single queries, and its batch of pairs on the calling thread. The latter has no depth: there it is
/// `signed_distance`.
Entry whisker_entry(const SimpleRow& row, Answers& answers);
Entry whisker_batch_entry(const SimpleRow& row, Answers& answers);

/// FCL's two solvers, called directly: the one that uses libccd, and its own.
Entries fcl_libccd_entries(const SimpleRow& row, Answers& answers);
Entries fcl_indep_entries(const SimpleRow& row, Answers& answers);
/// Bullet in double, without margins. The second one adds its collision algorithms.
Entries bullet_entries(const SimpleRow& row, Answers& answers);
Entries bullet_algorithm_entries(const SimpleRow& row, Answers& answers);
/// ODE's dCollide.
Entries ode_entries(const SimpleRow& row, Answers& answers);

/// The library behind an adapter (peer_adapter.h), a shared object that is loaded and stays so. If that fails, nothing,
/// and `problem` says why.
std::optional<SimplePeer> load_peer(const std::string& path, std::string& problem);

/// A system of a row, with the way to ask it.
struct Contender {
  std::string name;
  Entry entry;
  std::shared_ptr<Answers> answers;
  std::size_t wrong = 0;  ///< How many answers are.
};

/// Of the ways in which a peer answers the row, the fastest one that is right. If none is, the one that is least often
/// wrong. A way that ends the program on some input (an assertion in the peer's library, say) is left out; if all do,
/// there is no contender.
std::optional<Contender> best_entry(const SimplePeer& peer, const SimpleRow& row);

/// Times every row. Prints a summary at the end.
void bench_simple(Suite& suite, std::span<const SimplePeer> peers);

}  // namespace whisker::bench
