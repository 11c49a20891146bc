// The program bpflink: command line in, diagnostics out. The work is the
// library's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/response_file.hpp"

namespace {

using bpflink::Diagnostic;
using bpflink::Severity;

struct CommandLine {
  std::vector<std::string> inputs;
  std::string output;
  bool verbose = false;
  bpflink::LinkOptions link;
};

void print(const Diagnostic& diagnostic, bool verbose) {
  if (diagnostic.severity == Severity::Note && !verbose) return;
  std::string_view kind = diagnostic.severity == Severity::Error     ? "error: "
                          : diagnostic.severity == Severity::Warning ? "warning: "
                                                                     : "";
  std::string text = fmt::format("bpflink: {}{}\n", kind, diagnostic.message);
  for (const std::string& line : diagnostic.details) text += line + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void describe(CLI::App& app, CommandLine& command) {
  app.set_version_flag("--version", "bpflink " BPFLINK_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.add_option("FILE", command.inputs,
                 "Objects to link: BPF ELF, as clang --target=bpf -c makes them")
      ->required();
  app.add_option("-o,--output", command.output, "Write the linked object to FILE")
      ->option_text("FILE")
      ->required();
  app.add_flag("-r,--relocatable", command.link.partial,
               "Partial link: leave externs that nobody defines to a later link");
  app.add_flag("-v,--verbose", command.verbose, "Say what is kept, dropped and why");
  app.footer(
      "@FILE stands for the arguments in FILE, separated by white space.\n"
      "Exits with 0 if the output was written, else with 1 and the output as it was.");
}

int fail(const std::string& message) {
  print({Severity::Error, message, {}}, false);
  return 1;
}

int run(const CommandLine& command) {
  bpflink::Linker linker(command.link, [&](const Diagnostic& d) { print(d, command.verbose); });
  for (const std::string& input : command.inputs) linker.add_file(input);
  return linker.link_to_file(command.output) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto arguments = bpflink::expand_response_files({argv + 1, argv + argc});
    if (!arguments) return fail(arguments.error().message);
    CommandLine command;
    CLI::App app("Links BPF objects into one, with their BTF deduplicated.", "bpflink");
    describe(app, command);
    std::reverse(arguments->begin(), arguments->end());  // CLI11 takes them from the back
    try {
      app.parse(*arguments);
    } catch (const CLI::Success& request) {
      return app.exit(request);
    } catch (const CLI::ParseError& error) {
      return fail(fmt::format("{} (see bpflink --help)", error.what()));
    }
    return run(command);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
