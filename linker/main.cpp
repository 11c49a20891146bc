// The program bpflink: command line in, diagnostics out. The work is the
// library's.
#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <string>

#include "bpflink/linker.hpp"
#include "linker/command_line.hpp"
#include "linker/interruption.hpp"
#include "linker/program_output.hpp"

namespace {

using namespace bpflink;

/// Writes what the user asked for besides the output.
bool write_extras(const CommandLine& command, const LinkReport& report) {
  struct Extra {
    const std::string& path;
    std::string text;
  };
  for (const Extra& extra :
       {Extra{command.map_path, report.map},
        Extra{command.dependency_path, make_dependencies(command.output, report.files)},
        Extra{command.json_path, make_json(report)}}) {
    if (extra.path.empty()) continue;
    if (auto ok = write_text_file(extra.path, extra.text); !ok) {
      print_error(fmt::format("{}: {}", extra.path, ok.error().message));
      return false;
    }
  }
  if (command.cross_references) print_text(report.cross_references);
  if (command.statistics) print_text(make_statistics(report));
  return true;
}

int run(const CommandLine& command) {
  clean_up_when_interrupted(
      {command.output, command.map_path, command.dependency_path, command.json_path});
  DiagnosticPrinter printer(command);
  Linker linker(command.link, [&](const Diagnostic& diagnostic) { printer.print(diagnostic); });
  for (const CommandLine::Input& input : command.inputs) {
    if (input.is_whole_archive)
      linker.add_whole_archive(input.path);
    else
      linker.add_file(input.path);
  }
  if (!linker.link_to_file(command.output)) return 1;
  return write_extras(command, linker.report()) ? 0 : 1;
}

/// What is freed is used again by a later pass, and what is not dies with the
/// process: giving memory back to the system in between costs page faults.
void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  try {
    auto command = parse_command_line({argv + 1, argv + argc});
    if (!command) {
      print_error(command.error().message);
      return 1;
    }
    if (!command->text.empty()) {
      print_text(command->text);
      return 0;
    }
    return run(*command);
  } catch (const std::exception& error) {
    print_error(error.what());
    return 1;
  }
}
