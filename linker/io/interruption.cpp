#include "linker/io/interruption.hpp"

#include <unistd.h>

#include <csignal>

#include "linker/io/output_file.hpp"

namespace bpflink {
namespace {

// Written before the handler is installed, then only read.
std::vector<std::string> temporaries;

void remove_and_die(int signal) {
  for (const std::string& path : temporaries) ::unlink(path.c_str());
  // The handler has been reset: this ends the process, and the shell sees why.
  ::raise(signal);
}

}  // namespace

void clean_up_when_interrupted(const std::vector<std::string>& outputs) {
  for (const std::string& path : outputs)
    if (!path.empty()) temporaries.push_back(OutputFile::first_temporary(path));
  struct sigaction action = {};
  action.sa_handler = remove_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old;
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace bpflink
