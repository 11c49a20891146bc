// The program bpflink: command line in, diagnostics out. The work is the
// library's.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "bpflink/linker.hpp"
#include "linker/bpflink/command_line.hpp"
#include "linker/bpflink/program_output.hpp"
#include "linker/io/interruption.hpp"

namespace {

using namespace bpflink;

/// The files that the user asked for besides the output. All are opened before
/// the link, so that one that cannot be written to is found out before the work.
class Extras {
 public:
  explicit Extras(const CommandLine& command) : command_(command) {}

  bool open() {
    for (const std::string* path :
         {&command_.map_path, &command_.dependency_path, &command_.json_path}) {
      if (path->empty()) continue;
      auto file = OutputFile::open(*path);
      if (!file) return fail(*path, file.error());
      files_.emplace(path, std::move(*file));
    }
    return true;
  }

  bool write(const LinkReport& report) {
    return write(command_.map_path, report.map) &&
           write(command_.dependency_path, make_dependencies(command_.output, report.files)) &&
           write(command_.json_path, make_json(report));
  }

 private:
  bool write(const std::string& path, std::string_view text) {
    auto file = files_.find(&path);
    if (file == files_.end()) return true;
    auto ok = write_text(file->second, text);
    return ok || fail(path, ok.error());
  }

  static bool fail(const std::string& path, const Error& error) {
    print_error(fmt::format("{}: {}", path, error.message));
    return false;
  }

  const CommandLine& command_;
  std::map<const std::string*, OutputFile> files_;
};

int run(const CommandLine& command) {
  // Writing to a pipe that nobody reads any more is an error, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  clean_up_when_interrupted(
      "bpflink", {command.output, command.map_path, command.dependency_path, command.json_path});
  Extras extras(command);
  if (!extras.open()) return 1;
  DiagnosticPrinter printer(command);
  Linker linker(command.link, [&](const Diagnostic& diagnostic) { printer.print(diagnostic); });
  for (const CommandLine::Input& input : command.inputs) {
    if (input.is_whole_archive)
      linker.add_whole_archive(input.path);
    else
      linker.add_file(input.path);
  }
  if (!linker.link_to_file(command.output)) return 1;
  if (!extras.write(linker.report())) return 1;
  if (command.cross_references) print_text(linker.report().cross_references);
  if (command.statistics) print_text(make_statistics(linker.report()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
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
