// Collects what a link has to say and knows whether it has failed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/linker.hpp"

namespace bpflink {

class Diagnostics {
 public:
  Diagnostics(Linker::DiagnosticHandler handler, bool fatal_warnings)
      : handler_(std::move(handler)), fatal_warnings_(fatal_warnings) {}

  void error(std::string message, std::vector<std::string> details = {}) {
    report({Severity::Error, std::move(message), std::move(details)});
  }
  void warning(std::string message, std::vector<std::string> details = {}) {
    report({Severity::Warning, std::move(message), std::move(details)});
  }
  void note(std::string message, std::vector<std::string> details = {}) {
    report({Severity::Note, std::move(message), std::move(details)});
  }
  /// The same with what is known of it in fields.
  void report(Diagnostic diagnostic) {
    if (fatal_warnings_ && diagnostic.severity == Severity::Warning)
      diagnostic.severity = Severity::Error;
    if (diagnostic.severity == Severity::Error) failed_ = true;
    if (handler_) handler_(diagnostic);
  }
  /// Whether there has been an error.
  bool failed() const { return failed_; }

 private:
  Linker::DiagnosticHandler handler_;
  bool fatal_warnings_;
  bool failed_ = false;
};

/// Adds each line of `text` to the details of a diagnostic.
inline void add_lines(std::string_view text, std::vector<std::string>& details) {
  while (true) {
    size_t end = text.find('\n');
    details.push_back(std::string(">>> ").append(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace bpflink
