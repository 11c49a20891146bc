// Signals: holding them back, and cleaning up when one stops a program.
#pragma once

#include <csignal>
#include <string_view>

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

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporary files before they end the
/// process; ignored signals stay ignored. If a mapped input is truncated, SIGBUS also removes them,
/// prints an error that names the program and the input, and exits with status `failure`. `program`
/// is a constant. Call this once, before opening a file.
void clean_up_when_interrupted(std::string_view program, int failure);

}  // namespace bpflink
