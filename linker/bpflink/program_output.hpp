// What the program bpflink prints and writes besides the linked object.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "bpflink/error.hpp"
#include "bpflink/report.hpp"
#include "linker/bpflink/command_line.hpp"
#include "linker/io/output_file.hpp"

namespace bpflink {

class DiagnosticPrinter {
 public:
  explicit DiagnosticPrinter(const CommandLine& command) : command_(command) {}
  /// To standard error, if the user wants to know. Beyond the limit, errors are
  /// counted only.
  void print(const Diagnostic& diagnostic);

 private:
  bool is_wanted(const Diagnostic& diagnostic) const;
  bool is_beyond_limit(const Diagnostic& diagnostic);
  bool uses_color() const;

  const CommandLine& command_;
  size_t errors_ = 0;
};

/// An error that the command line itself has.
void print_error(std::string_view message);
void print_text(std::string_view text);

/// A rule of make: the output depends on the files; and one for each file, so
/// that make does not stop where one is gone.
std::string make_dependencies(const std::string& output, const std::vector<std::string>& files);
std::string make_statistics(const LinkReport& report);
std::string make_json(const LinkReport& report);

/// Writes the file whole or not at all.
std::expected<void, Error> write_text(OutputFile& file, std::string_view text);

}  // namespace bpflink
