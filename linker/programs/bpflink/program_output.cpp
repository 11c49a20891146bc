#include "linker/programs/bpflink/program_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>
#include <utility>

#include "dedup/messages.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/mapped_inputs.hpp"
#include "linker/io/output_file.hpp"
#include "linker/programs/bpflink/reproduce.hpp"
#include "linker/text/program.hpp"
#include "linker/text/render.hpp"

namespace bpflink {
namespace {

/// The statistics of a link as a table.
std::string make_statistics(const LinkReport& report) {
  std::string text;
  auto add = [&](std::string_view name, uint64_t value) {
    fmt::format_to(std::back_inserter(text), "{:<24} {:>12}\n", name, value);
  };
  add("objects", report.objects);
  add("types in", report.input_types);
  add("types out", report.output_types);
  add("section bytes in", report.input_bytes);
  add("section bytes out", report.output_bytes);
  add("relocations out", report.relocations);
  add("symbols out", report.symbols);
  for (const auto& [pass, seconds] : report.passes)
    fmt::format_to(std::back_inserter(text), "{:<24} {:>12} s\n", pass, std::to_string(seconds));
  return text;
}

}  // namespace

bool DiagnosticPrinter::is_beyond_limit(const Diagnostic& diagnostic) {
  if (diagnostic.severity != Severity::Error) return false;
  ++errors_;
  if (command_.error_limit == 0 || errors_ <= command_.error_limit) return false;
  if (errors_ == command_.error_limit + 1 && !command_.json_diagnostics)
    write({.message = "too many errors, the rest is not shown (--error-limit 0 shows all)"});
  return true;
}

std::expected<void, Error> DiagnosticPrinter::open_log() {
  const std::string& file = command_.log_file;
  if (file.empty()) return {};
  auto log = OutputFile::open_to_append(file);
  if (!log) return fail_in("--log-file " + file, log.error());
  log_ = std::move(*log);
  return {};
}

void DiagnosticPrinter::write(const Diagnostic& diagnostic) const {
  if (command_.json_diagnostics) {
    std::string line = json_line(to_json(diagnostic)) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  } else {
    print_diagnostic(program_, diagnostic, command_.color);
  }
  const std::string text = log_.is_open() ? render(diagnostic, {.program = program_}) : "";
  if (!text.empty()) std::ignore = write_all(log_.fd(), std::as_bytes(std::span(text)));
}

void DiagnosticPrinter::print(const Diagnostic& diagnostic) {
  if (command_.wants(diagnostic) && !is_beyond_limit(diagnostic)) write(diagnostic);
}

int run_link(const char* program, const LinkCommand& command, const std::string& output,
             Linker::Converter convert) {
  // Writing to a pipe without a reader is an error and does not end the process.
  std::signal(SIGPIPE, SIG_IGN);
  keep_inputs_mapped();
  DiagnosticPrinter printer(program, command);
  if (auto ok = printer.open_log(); !ok) {
    print_error(program, ok.error());
    return 1;
  }
  if (!command.reproduce_file.empty()) {
    auto omitted = write_reproducer(program, command, output);
    if (!omitted) {
      printer.print({.message = omitted.error().message,
                     .code = DiagnosticCode::OutputFailure,
                     .file = command.reproduce_file});
      return 1;
    }
    constexpr size_t most = 10;
    if (!omitted->empty())
      printer.print({.severity = Severity::Warning,
                     .message = fmt::format("{} does not have what only an archive names and is "
                                            "not beside the inputs, or not to be linked: {}; "
                                            "--reproduce-all takes it",
                                            command.reproduce_file, list_of(*omitted, most)),
                     .file = command.reproduce_file});
  }
  bool is_fatal = command.link.fatal_warnings;
  for (const std::string& warning : command.warnings)
    printer.print({.severity = is_fatal ? Severity::Error : Severity::Warning, .message = warning});
  if (is_fatal && !command.warnings.empty()) return 1;
  Linker linker(command.link, [&](const Diagnostic& diagnostic) { printer.print(diagnostic); });
  command.add_inputs(linker);
  linker.before_commit([&](const LinkReport& report) {
    if (command.cross_references) print_text(report.cross_references);
    print_text(report.explanations);
    print_text(report.sizes);
    if (command.statistics) print_text(make_statistics(report));
    return flush_output();
  });
  bool ok = convert ? linker.link_to_file(output, std::move(convert)) : linker.link_to_file(output);
  return ok ? 0 : 1;
}

int report_usage(std::string_view program, const Error& error,
                 const std::vector<std::string>& arguments) {
  LinkCommand command;
  command.json_diagnostics = std::ranges::count(arguments, "--json-diagnostics") != 0;
  DiagnosticPrinter(program, command).print({.message = error.message});
  return 1;
}

}  // namespace bpflink
