// The program bpflink: command line in, diagnostics out. The work is the
// library's.
#include <algorithm>
#include <csignal>

#include "bpflink/linker.hpp"
#include "linker/bpflink/command_line.hpp"
#include "linker/bpflink/program_output.hpp"
#include "linker/io/interruption.hpp"
#include "linker/io/program.hpp"

namespace {

using namespace bpflink;

int link_files(const CommandLine& command) {
  // Writing to a pipe that nobody reads any more is an error, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  clean_up_when_interrupted("bpflink",
                            {command.output, command.link.map_file, command.link.dependency_file,
                             command.link.json_file, command.link.size_map_file});
  DiagnosticPrinter printer(command);
  for (const std::string& warning : command.warnings) {
    Severity severity = command.link.fatal_warnings ? Severity::Error : Severity::Warning;
    printer.print({.severity = severity, .message = warning});
  }
  if (command.link.fatal_warnings && !command.warnings.empty()) return 1;
  Linker linker(command.link, [&](const Diagnostic& diagnostic) { printer.print(diagnostic); });
  for (const CommandLine::Input& input : command.inputs) {
    if (input.is_library)
      linker.add_library(input.path, input.is_whole_archive);
    else if (input.is_whole_archive)
      linker.add_whole_archive(input.path);
    else
      linker.add_file(input.path);
  }
  if (!linker.link_to_file(command.output)) return 1;
  if (command.cross_references) print_text(linker.report().cross_references);
  print_text(linker.report().explanations);
  if (command.statistics) print_text(make_statistics(linker.report()));
  return 0;
}

int run(std::vector<std::string> arguments) {
  CommandLine as_json;
  as_json.json_diagnostics = std::ranges::count(arguments, "--json-diagnostics") != 0;
  auto command = parse_command_line(std::move(arguments));
  if (!command) {
    DiagnosticPrinter(as_json).print({.message = command.error().message});
    return 1;
  }
  if (command->text.empty()) return link_files(*command);
  print_text(command->text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpflink", argc, argv, run);
}
