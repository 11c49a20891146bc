// The link and its output, shared by the programs that link.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "bpflink/diagnostic.hpp"
#include "bpflink/error.hpp"
#include "bpflink/report.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/options/link_options.hpp"

namespace bpflink {

class DiagnosticPrinter {
 public:
  DiagnosticPrinter(std::string_view program, const LinkCommand& command)
      : program_(program), command_(command) {}
  /// Opens the file that messages are appended to as well, if there is one. Errors: it cannot be
  /// opened.
  std::expected<void, Error> open_log();
  /// Prints to standard error, depending on -v, -q and the like. Errors beyond the limit are only
  /// counted.
  void print(const Diagnostic& diagnostic);

 private:
  bool is_beyond_limit(const Diagnostic& diagnostic);
  void write(const Diagnostic& diagnostic) const;

  std::string_view program_;
  const LinkCommand& command_;
  size_t errors_ = 0;
  Descriptor log_;
};

/// Links to `output` according to the command line of `program`, and prints the requested output.
/// Returns the exit status.
int run_link(const char* program, const LinkCommand& command, const std::string& output,
             Linker::Converter convert = {});

/// Prints an error in a command line, as JSON if `arguments` ask for that. Returns the exit status.
int report_usage(std::string_view program, const Error& error,
                 const std::vector<std::string>& arguments);

}  // namespace bpflink
