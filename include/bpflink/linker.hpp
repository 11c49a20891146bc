// Static linking of BPF ELF objects.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bpflink {

enum class Severity {
  Error,    ///< the link fails
  Warning,  ///< the link goes on; the user should look
  Note,     ///< what the linker does, for `--verbose`
};

/// Something to tell the user.
struct Diagnostic {
  Severity severity;
  /// One line without a final full stop: what is wrong and with what.
  std::string message;
  /// Further lines: where, and what would help.
  std::vector<std::string> details;
};

struct LinkOptions {
  /// Partial link (`-r`): externs that nobody defines stay externs.
  bool partial = false;
  /// Drop what no program, map or struct_ops variable reaches
  /// (`--gc-sections`), with the types that only it uses.
  bool gc_sections = false;
  /// Symbols to keep, with all that they reach (`-u`). One that no input has is
  /// looked for in archives and is an error if nobody defines it.
  std::vector<std::string> undefined;
  /// Sections to keep whole under gc_sections, as shell patterns
  /// (`--keep-section`).
  std::vector<std::string> keep_sections;
  /// Make hidden definitions local, so that two libraries may use the same names
  /// (`--localize-hidden`). Maps stay global: loaders know no local ones.
  bool localize_hidden = false;
  /// Keep and merge `.debug_*` sections (`--keep-debug`).
  bool keep_debug = false;
  /// Leave out symbols that nothing needs: labels, names of source files,
  /// static variables that no relocation names (`-x`).
  bool discard_locals = false;
  /// The text of the `license` section, whatever the inputs say (`--license`).
  std::optional<std::string> license;
  /// Conflicting types are warnings, not errors (`--no-check-types`).
  bool check_types = true;
  /// Warnings are errors (`--fatal-warnings`).
  bool fatal_warnings = false;
  /// Symbols to report every definition and reference of (`-y`).
  std::vector<std::string> trace_symbols;
};

/// Links BPF objects: ELFCLASS64, ET_REL, EM_BPF, all of one byte order. Use:
/// add the inputs, then link once. Not thread-safe; separate linkers are
/// independent of each other.
class Linker {
 public:
  using DiagnosticHandler = std::function<void(const Diagnostic&)>;

  /// `handler` gets every diagnostic as it arises; it may be empty.
  explicit Linker(LinkOptions options, DiagnosticHandler handler);
  Linker(Linker&&) noexcept;
  Linker& operator=(Linker&&) noexcept;
  ~Linker();

  /// Adds the object file at `path`. It is read when the link runs and must not
  /// change until that is over.
  void add_file(std::string path);
  /// Adds an object in memory, called `name` in messages. The bytes stay the
  /// caller's and must outlive the link.
  void add_memory(std::string name, std::span<const std::byte> image);

  /// Links into the file at `path`: written to a temporary file beside it and
  /// renamed, so that on failure what stood there stays, and where nothing was,
  /// nothing is. False on failure; the handler has been told why.
  bool link_to_file(const std::string& path);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
