// Holds back signals.
#pragma once

#include <csignal>

namespace bpflink {

/// Until its end, no signal to this thread ends the process: between two renames, say.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace bpflink
