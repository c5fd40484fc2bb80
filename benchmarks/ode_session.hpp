#pragma once

// ODE as a peer: what every suite that asks it needs.

#include <ode/ode.h>

namespace whisker::bench {

/// Starts the library on first use and ends it with the program. Its messages (a full table of contacts) are dropped.
inline void start_ode() {
  struct Session {
    Session() {
      dInitODE2(0);
      dAllocateODEDataForThread(static_cast<unsigned>(dAllocateMaskAll));
      dSetMessageHandler([](int, const char*, va_list) {});
      dSetDebugHandler([](int, const char*, va_list) {});
    }
    ~Session() { dCloseODE(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
  };
  static const Session session;
}

}  // namespace whisker::bench
