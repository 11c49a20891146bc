// What a link has to tell its user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  std::string source = {};   ///< the source file as line_info or DWARF name it
  uint32_t line = 0;         ///< 1 for the source file's first line
  uint32_t column = 0;       ///< 1 for the line's first column
  std::string text = {};     ///< the line, as line_info has it
};

/// Something to tell the user: the text of it, and the same in fields.
struct Diagnostic {
  /// How much it matters.
  Severity severity = Severity::Error;
  /// One line without a final full stop: what is wrong and with what.
  std::string message;
  /// Further lines: where, and what would help.
  std::vector<std::string> details = {};
  /// What it is about.
  DiagnosticCode code = DiagnosticCode::General;
  /// The input (or output) that it is about, as its name was given; "" where it
  /// is about none or several.
  std::string file = {};
  /// The symbol that it is about, or "".
  std::string symbol = {};
  /// The places that it is about, the most important first.
  std::vector<DiagnosticLocation> locations = {};
};

}  // namespace bpflink
