// Collects what a link has to say and knows whether it has failed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bpflink/linker.hpp"

namespace bpflink {

class Diagnostics {
 public:
  explicit Diagnostics(Linker::DiagnosticHandler handler) : handler_(std::move(handler)) {}

  void error(std::string message, std::vector<std::string> details = {}) {
    failed_ = true;
    emit(Severity::Error, std::move(message), std::move(details));
  }
  void warning(std::string message, std::vector<std::string> details = {}) {
    emit(Severity::Warning, std::move(message), std::move(details));
  }
  void note(std::string message, std::vector<std::string> details = {}) {
    emit(Severity::Note, std::move(message), std::move(details));
  }
  /// Whether there has been an error.
  bool failed() const { return failed_; }

 private:
  void emit(Severity severity, std::string message, std::vector<std::string> details) {
    if (handler_) handler_({severity, std::move(message), std::move(details)});
  }

  Linker::DiagnosticHandler handler_;
  bool failed_ = false;
};

}  // namespace bpflink
