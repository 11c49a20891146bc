#include "linker/io/signals.hpp"

#include <unistd.h>

#include <atomic>

#include "linker/io/mapped_inputs.hpp"
#include "linker/io/temporaries.hpp"

namespace bpflink {
namespace {

// Only read once handlers are installed.
std::string_view program_name;
int exit_status;

void remove_and_die(int signal) {
  remove_temporaries();
  // The handler is reset by now, so this ends the process with the signal's status, at the latest
  // when the handler returns.
  ::raise(signal);
}

/// Several threads may read the input. The first one reports it, and ends the process; the others
/// wait for that.
void report_truncated_input(int signal, siginfo_t* info, void*) {
  static std::atomic_flag is_reported;
  if (is_reported.test_and_set())
    for (;;) ::pause();
  const char* name = find_mapped_input(info->si_addr);
  if (!name) {
    std::signal(signal, SIG_DFL);
    return remove_and_die(signal);
  }
  remove_temporaries();
  for (std::string_view text : {program_name, std::string_view(": error: "), std::string_view(name),
                                std::string_view(": was cut off while it was read\n")})
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) break;
  ::_exit(exit_status);
}

}  // namespace

void clean_up_when_interrupted(std::string_view program, int failure) {
  program_name = program;
  exit_status = failure;
  list_temporaries();
  list_mapped_inputs();
  struct sigaction action = {};
  action.sa_handler = remove_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction old;
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
  action.sa_sigaction = report_truncated_input;
  action.sa_flags = SA_SIGINFO;  // a second one within the handler ends the process
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace bpflink
