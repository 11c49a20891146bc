// What a link reports to its user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bpflink {

/// How much a diagnostic matters.
enum class Severity {
  Error,    ///< the link fails
  Warning,  ///< the link goes on; the user should look
  Note,     ///< what the linker does, for `--verbose`
};

/// What a diagnostic is about, for programs: later versions may reword messages, but keep these
/// values and add new ones at the end.
enum class DiagnosticCode {
  General = 0,       ///< none of the others
  InvalidInput,      ///< an input is missing, unreadable, malformed or no BPF object
  InputMismatch,     ///< inputs that are valid but cannot be linked with each other
  UndefinedSymbol,   ///< a strong extern that no input defines
  DuplicateSymbol,   ///< two strong definitions of one name
  ConflictingTypes,  ///< an extern and its definition, or two maps, differ in type
  OutputFailure,     ///< the output cannot be written
  Trace,             ///< a note on a symbol that LinkOptions::trace_symbols names
  Dropped,           ///< a note on what --gc-sections dropped
  DifferentLayouts,  ///< objects share a struct, union or enum and lay it out differently
  NotLoadable,       ///< what links, but a loader or verifier refuses or ignores it
  NotOpenable,       ///< what links, but libbpf does not open the object: skeletons are of no use
};

/// A place in an input that a diagnostic is about. Unknown members are empty or 0.
struct DiagnosticLocation {
  std::string object = {};   ///< the input's name, as it was added
  std::string section = {};  ///< the section's name
  uint64_t offset = 0;       ///< bytes into the section
  std::string source = {};   ///< the source file that line_info or DWARF names; relative if below
                             ///< the current directory
  uint32_t line = 0;         ///< from 1
  uint32_t column = 0;       ///< from 1
  std::string text = {};     ///< the line, as line_info has it
};

/// What a DiagnosticReference says, with its `location` and `text`.
enum class ReferenceRole {
  Subject,       ///< `location` is the place that the message itself names
  DefinedAt,     ///< one of several definitions of the symbol is there
  ReferencedBy,  ///< the code or data there refers to the symbol
  Definition,    ///< the symbol is defined there; `text` is its type as C, or ""
  Declaration,   ///< the symbol is declared there; `text` is its type as C, or ""
  Occurrence,    ///< `text` stands there: a license, a call, flags of a section
  Layout,        ///< the input `location.object` defines the type as `text`, in C
  DiffersAt,     ///< two types differ at `text`, a path in C; a Side of each follows
  Side,          ///< what the input `location.object` has there
  MeetsAt,       ///< both types are reached from `text`, a path in C
  Note,          ///< `text` says more
  Hint,          ///< `text` says what would help
};

/// One of the facts that a diagnostic rests on. `text` has no marks and no indentation; types in C
/// may have several lines.
struct DiagnosticReference {
  /// Its role.
  ReferenceRole role;
  /// Where that is; empty for a note or a hint.
  DiagnosticLocation location = {};
  /// What the role says of it, or "".
  std::string text = {};
  /// If not 0, the reference has only a role: so many more of that role are not listed.
  size_t more = 0;
};

/// Something to report to the user, as facts. render() makes text of it.
struct Diagnostic {
  /// How much it matters.
  Severity severity = Severity::Error;
  /// One line without a final full stop: what is wrong and with what.
  std::string message;
  /// What it is about.
  DiagnosticCode code = DiagnosticCode::General;
  /// The input or output that it is about, as its name was given; "" if it is about none or
  /// several.
  std::string file = {};
  /// The symbol that it is about, or "".
  std::string symbol = {};
  /// Where, and what would help, in reading order.
  std::vector<DiagnosticReference> references = {};
};

/// How render() presents a diagnostic.
struct RenderOptions {
  std::string_view program = "bpflink";  ///< shown before the message if no source line is known
  bool color = false;                    ///< with ANSI escapes
};

/// A diagnostic as text for people, each line with its line break. The message follows its first
/// place in the source, if that is known, as compilers show it, with the line of source and a mark
/// at the column. The references follow. Control characters from inputs are replaced, so that they
/// cannot harm a terminal.
std::string render(const Diagnostic& diagnostic, const RenderOptions& options = {});

}  // namespace bpflink
