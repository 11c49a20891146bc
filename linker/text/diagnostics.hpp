// Passes the diagnostics of a link on to its handler, and records whether it has failed. Passes
// state facts; render.cpp turns them into text with ">>>" lines.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bpflink/linker.hpp"
#include "dedup/messages.hpp"

namespace bpflink {

/// The file and the symbol that a diagnostic is about, or "".
struct About {
  std::string_view file = {}, symbol = {};
};

class Diagnostics {
 public:
  using References = std::vector<DiagnosticReference>;

  Diagnostics(Linker::DiagnosticHandler handler, const LinkOptions& options)
      : handler_(std::move(handler)),
        fatal_warnings_(options.fatal_warnings),
        must_open_(options.must_open && !options.partial) {}

  void error(std::string message, References references = {},
             DiagnosticCode code = DiagnosticCode::General, About about = {}) {
    add(Severity::Error, std::move(message), std::move(references), code, about);
  }
  void warning(std::string message, References references = {},
               DiagnosticCode code = DiagnosticCode::General, About about = {}) {
    add(Severity::Warning, std::move(message), std::move(references), code, about);
  }
  void note(std::string message, References references = {},
            DiagnosticCode code = DiagnosticCode::General, About about = {}) {
    add(Severity::Note, std::move(message), std::move(references), code, about);
  }

  /// Reports a whole diagnostic.
  void report(Diagnostic diagnostic);
  /// Reports a diagnostic that passes may report again.
  void report_once(const Diagnostic& diagnostic) {
    report(diagnostic);
    reported_.insert(diagnostic.message);
  }
  /// From now on, warnings wait for flush(), and those of one cause become one. What comes behind a
  /// warning waits with it.
  void group_warnings() { groups_ = true; }
  void flush();
  /// Whether there has been an error.
  bool failed() const { return failed_; }

 private:
  void add(Severity severity, std::string message, References references, DiagnosticCode code,
           About about) {
    report({severity, std::move(message), code, std::string(about.file), std::string(about.symbol),
            std::move(references)});
  }

  /// A diagnostic that waits, and how many it stands for.
  struct Held {
    Diagnostic diagnostic;
    size_t count = 1;
  };

  void add_place(Held& held, const Diagnostic& diagnostic);

  Linker::DiagnosticHandler handler_;
  bool fatal_warnings_, must_open_;
  bool failed_ = false, groups_ = false;
  std::unordered_set<std::string> reported_;
  std::vector<Held> held_;
  std::unordered_map<std::string, size_t> causes_;  ///< of warnings: their indices in held_
};

/// A reference that consists of a line of text only. A name in it begins no other line.
inline DiagnosticReference note(std::string_view text) {
  return {.role = ReferenceRole::Note, .text = printable(text)};
}
inline DiagnosticReference hint(std::string_view text) {
  return {.role = ReferenceRole::Hint, .text = printable(text)};
}

/// If a list was cut to `most` of `all` references of a role, adds the number of those that it
/// lacks.
inline void add_more(std::vector<DiagnosticReference>& references, ReferenceRole role, size_t all,
                     size_t most) {
  if (all > most) references.push_back({.role = role, .more = all - most});
}

}  // namespace bpflink
