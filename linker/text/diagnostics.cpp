#include "linker/text/diagnostics.hpp"

#include <fmt/format.h>

#include "linker/text/locations.hpp"
#include "linker/text/render.hpp"

namespace bpflink {
namespace {

/// How many other places of one cause a warning lists.
constexpr size_t max_places = 4;

/// The text without the file and the symbol that it is about.
std::string without_subject(const Diagnostic& diagnostic, std::string_view text) {
  std::string result(text);
  for (const std::string& name : {diagnostic.file, diagnostic.symbol}) {
    size_t at = name.empty() ? std::string::npos : find_word(result, name);
    if (at != std::string::npos) result.replace(at, name.size(), "*");
  }
  return result;
}

/// What is wrong and what would help, whatever has the fault: warnings are of one cause if only the
/// file, the symbol or the place differs, and not, say, the types that conflict.
std::string cause_of(const Diagnostic& diagnostic) {
  std::string cause = without_subject(diagnostic, diagnostic.message);
  for (const DiagnosticReference& reference : diagnostic.references)
    if (!reference.text.empty()) cause += '\n' + without_subject(diagnostic, reference.text);
  return cause;
}

}  // namespace

void Diagnostics::report(Diagnostic diagnostic) {
  if (reported_.contains(diagnostic.message)) return;
  bool is_warning = diagnostic.severity == Severity::Warning;
  bool is_fatal = fatal_warnings_ || (must_open_ && diagnostic.code == DiagnosticCode::NotOpenable);
  if (is_fatal && is_warning) diagnostic.severity = Severity::Error;
  if (diagnostic.severity == Severity::Error) failed_ = true;
  if (!handler_) return;
  if (!groups_ || (!is_warning && held_.empty())) return handler_(diagnostic);
  if (is_warning) {
    auto [cause, is_new] = causes_.try_emplace(cause_of(diagnostic), held_.size());
    if (!is_new) return add_place(held_[cause->second], diagnostic);
  }
  held_.push_back({std::move(diagnostic)});
}

/// Adds the first place of another diagnostic of the same cause.
void Diagnostics::add_place(Held& held, const Diagnostic& diagnostic) {
  if (++held.count > max_places + 1) return;
  bool is_of_other = diagnostic.symbol != held.diagnostic.symbol;
  DiagnosticReference other{
      .role = ReferenceRole::Occurrence,
      .text = is_of_other ? fmt::format("also '{}'", diagnostic.symbol) : "also"};
  if (auto places = places_of(diagnostic); !places.empty())
    other.location = *places.front();
  else if (!diagnostic.file.empty())
    other.location.object = diagnostic.file;
  else
    other.role = ReferenceRole::Note;
  held.diagnostic.references.push_back(std::move(other));
}

void Diagnostics::flush() {
  for (auto& [diagnostic, count] : held_) {
    if (count > 1) diagnostic.message += fmt::format(" (the first of {})", count);
    add_more(diagnostic.references, ReferenceRole::Occurrence, count - 1, max_places);
    handler_(diagnostic);
  }
  held_.clear();
  causes_.clear();
}

}  // namespace bpflink
