// whisker's side of the suite `simple`.

#include <memory>

#include <whisker/batch.hpp>

#include "simple.hpp"

namespace whisker::bench {

Entry whisker_entry(const SimpleRow& row, Answers& answers) {
  const auto ask = [&row, &answers](auto&& one) {
    return [&row, &answers, one] {
      for (std::size_t i = 0; i < row.inputs.size(); ++i) {
        const SimpleInput& in = row.inputs[i];
        answers[i] = one(in);
      }
    };
  };
  if (row.question == Question::touches) {
    return {"touches", ask([](const SimpleInput& in) {
              return touches({in.a, in.pose_a}, {in.b, in.pose_b}) ? 1.0 : 0.0;
            })};
  }
  if (row.question == Question::distance) {
    return {"distance", ask([](const SimpleInput& in) {
              const Distance found = distance({in.a, in.pose_a}, {in.b, in.pose_b});
              return (found.lower + found.upper) / 2;
            })};
  }
  return {"depth", ask([](const SimpleInput& in) {
            const Depth found = depth({in.a, in.pose_a}, {in.b, in.pose_b});
            return (found.lower + found.upper) / 2;
          })};
}

Entry whisker_batch_entry(const SimpleRow& row, Answers& answers) {
  auto pairs = std::make_shared<std::vector<ShapePair>>();
  for (const SimpleInput& in : row.inputs)
    pairs->push_back({&in.a, &in.b, in.pose_a, in.pose_b});
  const std::size_t count = pairs->size();
  if (row.question == Question::touches) {
    return {"touches of pairs", [pairs, count, &answers, found = std::shared_ptr<bool[]>(new bool[count])] {
              touches(*pairs, {.threads = 1}, std::span(found.get(), count));
              for (std::size_t i = 0; i < count; ++i)
                answers[i] = found.get()[i] ? 1 : 0;
            }};
  }
  auto found = std::make_shared<std::vector<Distance>>(count);
  const double sign = row.question == Question::distance ? 0.5 : -0.5;
  const auto keep = [count, &answers, found, sign] {
    for (std::size_t i = 0; i < count; ++i)
      answers[i] = sign * ((*found)[i].lower + (*found)[i].upper);
  };
  if (row.question == Question::distance) {
    return {"distance of pairs", [pairs, found, keep] {
              distance(*pairs, {.threads = 1}, *found);
              keep();
            }};
  }
  return {"signed_distance of pairs", [pairs, found, keep] {
            signed_distance(*pairs, {.threads = 1}, *found);
            keep();
          }};
}

}  // namespace whisker::bench
