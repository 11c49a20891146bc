// The program bpflink: parses the command line, runs the library's linker and prints diagnostics.
#include <cerrno>

#include "linker/options/command_line.hpp"
#include "linker/programs/bpflink/program_output.hpp"
#include "linker/text/program.hpp"

namespace {

using namespace bpflink;

int run(const std::vector<std::string>& arguments) {
  bool as_bpf_linker = std::string_view(::program_invocation_short_name) == "bpf-linker";
  auto command = parse_command_line(arguments, as_bpf_linker);
  if (!command) return report_usage("bpflink", command.error(), arguments);
  if (command->text.empty()) return run_link("bpflink", *command, command->output);
  print_text(command->text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpflink", argc, argv, run);
}
