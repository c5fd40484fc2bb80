#pragma once

// A reference to any callable, for callbacks from functions that are not templates. The callable must outlive it.

namespace whisker::geometry {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  FunctionRef(const Callable& callable)
      : self_(&callable), call_([](const void* self, Arguments... arguments) -> Result {
          return (*static_cast<const Callable*>(self))(arguments...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(self_, arguments...); }

 private:
  const void* self_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace whisker::geometry
