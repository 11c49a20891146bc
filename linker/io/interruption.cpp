#include "linker/io/interruption.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "linker/io/mapped_inputs.hpp"
#include "linker/io/output_file.hpp"

namespace bpflink {
namespace {

// Only read once handlers are installed. Never destroyed: a signal may arrive after main() returns.
std::vector<std::string>& temporaries = *new std::vector<std::string>;
const char* program_name;

void remove_temporaries() {
  for (const std::string& path : temporaries) ::unlink(path.c_str());
}

void remove_and_die(int signal) {
  remove_temporaries();
  // The handler is reset by now, so this ends the process with the signal's status.
  ::raise(signal);
}

void report_truncated_input(int signal, siginfo_t* info, void*) {
  const char* name = find_mapped_input(info->si_addr);
  if (!name) return remove_and_die(signal);
  remove_temporaries();
  for (const char* text : {program_name, ": error: ", name, ": was cut off while it was read\n"})
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  ::_exit(1);
}

}  // namespace

void clean_up_when_interrupted(const char* program, const std::vector<std::string>& outputs) {
  program_name = program;
  for (const std::string& path : outputs)
    if (!path.empty()) temporaries.push_back(OutputFile::first_temporary(path));
  struct sigaction action = {};
  action.sa_handler = remove_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction old;
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
  keep_inputs_mapped();
  action.sa_sigaction = report_truncated_input;
  action.sa_flags |= SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace bpflink
