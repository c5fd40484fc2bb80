#pragma once

// The setup of ODE for all suites that use it as a peer.

#include <ode/ode.h>

namespace whisker::bench {

/// Starts the library on first use and closes it at program exit. Its messages (about a full contact table) are
/// dropped.
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
