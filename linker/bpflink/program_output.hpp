// What the program bpflink prints.
#pragma once

#include <string>
#include <string_view>

#include "bpflink/diagnostic.hpp"
#include "bpflink/report.hpp"
#include "linker/bpflink/command_line.hpp"

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

/// The figures of a link as a table.
std::string make_statistics(const LinkReport& report);

}  // namespace bpflink
