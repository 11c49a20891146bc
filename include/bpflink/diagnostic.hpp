// What a link reports to its user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/export.hpp"

namespace bpflink {

/// How much a diagnostic matters.
enum class Severity {
  Error,    ///< the link fails
  Warning,  ///< the link goes on; the user should look
  Note,     ///< what the linker does, for `--verbose`
};

/// What a diagnostic is about, for programs: messages may be reworded, these
/// values stay. New ones are added at the end.
enum class DiagnosticCode {
  General = 0,       ///< none of the others
  InvalidInput,      ///< an input is missing, unreadable, malformed or no BPF object
  InputMismatch,     ///< inputs that are valid but cannot be linked with each other
  UndefinedSymbol,   ///< a strong extern that no input defines
  DuplicateSymbol,   ///< two strong definitions of one name
  ConflictingTypes,  ///< an extern and its definition, or two maps, differ in type
  OutputFailure,     ///< the output cannot be written
  Trace,             ///< a note on a symbol that LinkOptions::trace_symbols names
  Dropped,           ///< a note on what --gc-sections left out
  DifferentLayouts,  ///< objects that exchange a struct, union or enum lay it out otherwise
};

/// A place in an input that a diagnostic is about. What is not known is empty
/// or 0.
struct DiagnosticLocation {
  std::string object = {};   ///< the input's name, as it was added
  std::string section = {};  ///< the section's name
  uint64_t offset = 0;       ///< bytes into the section
  std::string source = {};   ///< the source file that line_info or DWARF name; relative if below
                             ///< the current directory
  uint32_t line = 0;         ///< 1 for the source file's first line
  uint32_t column = 0;       ///< 1 for the line's first column
  std::string text = {};     ///< the line, as line_info has it
};

/// What a reference contributes to a diagnostic. `location` and `text` are those of the
/// DiagnosticReference.
enum class ReferenceRole {
  Subject,       ///< `location` is the place that the message itself names
  DefinedAt,     ///< one of several definitions of the symbol is there
  ReferencedBy,  ///< the code or data there refers to the symbol
  Definition,    ///< the symbol is defined there; `text` is its type as C, or ""
  Declaration,   ///< the symbol is declared there; `text` is its type as C, or ""
  Occurrence,    ///< there stands `text`: a license, a call, flags of a section
  Layout,        ///< the input `location.object` defines the type as `text`, in C
  DiffersAt,     ///< two types differ at `text`, a path in C; a Side of each follows
  Side,          ///< what the input `location.object` has there
  MeetsAt,       ///< both types are reached from `text`, a path in C
  Note,          ///< `text` says more
  Hint,          ///< `text` says what would help
};

/// One of the facts that a diagnostic rests on. `text` is free of marks and indentation; types as
/// C may have several lines.
struct DiagnosticReference {
  /// What it contributes.
  ReferenceRole role;
  /// Where that is; empty for a note or a hint.
  DiagnosticLocation location = {};
  /// What the role says of it, or "".
  std::string text = {};
  /// Where it is not 0, the reference has a role only: so many more of them are not listed.
  size_t more = 0;
};

/// Something to tell the user, as facts. render() makes text of it.
struct Diagnostic {
  /// How much it matters.
  Severity severity = Severity::Error;
  /// One line without a final full stop: what is wrong and with what.
  std::string message;
  /// What it is about.
  DiagnosticCode code = DiagnosticCode::General;
  /// The input (or output) that it is about, as its name was given; "" where it
  /// is about none or several.
  std::string file = {};
  /// The symbol that it is about, or "".
  std::string symbol = {};
  /// Where, and what would help, in the order in which it is to be read.
  std::vector<DiagnosticReference> references = {};
};

/// How render() presents a diagnostic.
struct RenderOptions {
  std::string_view program = "bpflink";  ///< who speaks, where no line of source is known
  bool color = false;                    ///< with ANSI escapes
};

/// A diagnostic as text for people, each line with a line break: the message, after its first
/// place in the source where that is known, and that line with a mark at the column, as compilers
/// show them; then the references. What comes from an input is made harmless to a terminal.
BPFLINK_API std::string render(const Diagnostic& diagnostic, const RenderOptions& options = {});

}  // namespace bpflink
