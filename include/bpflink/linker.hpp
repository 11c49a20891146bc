// Static linking of BPF ELF objects.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "bpflink/error.hpp"
#include "bpflink/export.hpp"
#include "bpflink/report.hpp"

namespace bpflink {

/// How to link.
struct LinkOptions {
  /// Partial link (`-r`): externs that nobody defines stay externs.
  bool partial = false;
  /// Drop what no program, map or struct_ops variable reaches
  /// (`--gc-sections`), with the types that only it uses.
  bool gc_sections = false;
  /// Symbols to keep, with all that they reach (`-u`). One that no input has is
  /// looked for in archives and is an error if nobody defines it.
  std::vector<std::string> undefined = {};
  /// Sections to keep whole under gc_sections, as shell patterns
  /// (`--keep-section`).
  std::vector<std::string> keep_sections = {};
  /// Make hidden definitions local, so that two libraries may use the same names
  /// (`--localize-hidden`). Maps stay global: loaders know no local ones.
  bool localize_hidden = false;
  /// Keep and merge `.debug_*` sections (`--keep-debug`).
  bool keep_debug = false;
  /// Leave line_info out of .BTF.ext, and its strings out of .BTF (`--strip-line-info`). The
  /// verifier's log then shows no source lines.
  bool strip_line_info = false;
  /// Replace structs and unions by forward declarations where only pointers lead to them and
  /// nothing looks into them: no loader, no verifier, no user space (`--prune-types`).
  bool prune_types = false;
  /// Leave out symbols that nothing needs: labels, names of source files,
  /// static variables that no relocation names (`-x`).
  bool discard_locals = false;
  /// The text of the `license` section, whatever the inputs say (`--license`).
  std::optional<std::string> license = {};
  /// Conflicting types are warnings, not errors (`--no-check-types`).
  bool check_types = true;
  /// Warn where objects that exchange a struct, union or enum lay it out otherwise
  /// (`--no-warn-odr`: do not).
  bool warn_odr = true;
  /// Warnings are errors (`--fatal-warnings`).
  bool fatal_warnings = false;
  /// Directories with archives, in which Linker::add_library() looks, and the message on what
  /// is undefined for one that would help (`-L`).
  std::vector<std::string> library_paths = {};
  /// Symbols to tell every definition and reference of, as notes (`-y`).
  std::vector<std::string> trace_symbols = {};
  /// Other names for symbols, as pairs of the old one and the new one, in all inputs
  /// (`--redefine-sym`). What the loader provides, in .ksyms and .kconfig, is never renamed.
  std::vector<std::pair<std::string, std::string>> redefine_symbols = {};
  /// What the names of all symbols begin with, after they were redefined (`--prefix-symbols`); ""
  /// for nothing.
  std::string prefix_symbols = {};
  /// Inputs, by their names, and what the names of all symbols that they define begin with
  /// (`--prefix-symbols-of`). An input that is added several times takes its prefixes in turn. A
  /// name that is no input's is an error.
  std::vector<std::pair<std::string, std::string>> prefix_symbols_of = {};
  /// Read the output back and check it before it takes its place (`--verify`).
  /// What breaks a rule is an error of the linker's own and fails the link.
  bool verify = false;
  /// Make a LinkReport.
  bool report = false;
  /// How many threads read the inputs and merge their types (`--threads`); 0 lets the library
  /// decide from the size of the inputs. The output does not depend on it.
  unsigned threads = 0;
  /// A file that tells where every fragment of every input went (`--Map`); "" for none. Reports
  /// take their places together with the output, all or none.
  std::string map_file = {};
  /// A file that lists the inputs as a rule of make (`--dependency-file`); "" for none.
  std::string dependency_file = {};
  /// A file that has figures as JSON, and all that is known of the output (`--json`); "" for none.
  std::string json_file = {};
  /// A page for browsers that shows where the output's bytes come from (`--size-map`); "" for none.
  std::string size_map_file = {};
  /// What json_file was for an earlier output, which this one is compared with
  /// (`--size-map-against`); "" for none.
  std::string size_map_against = {};
  /// How many rows each list of LinkReport::sizes has (`--print-sizes`); 0: do not make it.
  unsigned print_sizes = 0;
  /// Symbols and types to explain in LinkReport::explanations (`--explain`).
  std::vector<std::string> explain = {};
  /// Hints in messages may name options of the program bpflink. For programs that have the same.
  bool hint_at_options = false;
};

/// Links BPF objects: ELFCLASS64, ET_REL, EM_BPF, all of one byte order. Use:
/// add the inputs in the order in which a command line would name them, then
/// link. Linking again gives the same bytes. Not thread-safe; separate linkers
/// are independent of each other and may run in different threads.
///
/// What goes wrong with an input is told when the link runs; linking throws
/// nothing, and running out of memory is an error like any other. Making a linker
/// and adding inputs may throw std::bad_alloc.
class BPFLINK_API Linker {
 public:
  /// Takes a diagnostic. Called in the thread that links, while it links; must
  /// not throw and must not call the linker.
  using DiagnosticHandler = std::function<void(const Diagnostic&)>;

  /// `handler` gets every diagnostic as it arises; it may be empty.
  explicit Linker(LinkOptions options, DiagnosticHandler handler);
  /// Moves; what was moved from may only be assigned to or destroyed.
  Linker(Linker&&) noexcept;
  /// Moves, as above.
  Linker& operator=(Linker&&) noexcept;
  ~Linker();

  /// Adds the object file or archive at `path`, or a pipe that one comes from. It
  /// is read when the link runs and must not change until that is over.
  void add_file(std::string path);
  /// The same for an archive of which all members are to be linked, whether they
  /// are needed or not (`--whole-archive`).
  void add_whole_archive(std::string path);
  /// Adds the archive lib`name`.a, or with a colon before the name the file of that name, of the
  /// first of LinkOptions::library_paths that has it (`-l`); with `whole`, all of its members.
  /// That none has is told when the link runs.
  void add_library(const std::string& name, bool whole = false);
  /// Adds the object file open for reading as `fd`, called `name` in messages
  /// (or "/proc/self/fd/N" where `name` is empty). The descriptor stays the
  /// caller's, who may close it at once. Of a regular file (a memfd is one) the
  /// position is neither used nor moved, and it must not change until the link is
  /// over; a pipe is read to its end. A descriptor that cannot be read is told
  /// when the link runs.
  void add_fd(int fd, std::string name = {});
  /// Adds an object in memory, called `name` in messages. The bytes stay the
  /// caller's and must outlive the link.
  void add_memory(std::string name, std::span<const std::byte> image);

  /// Links into the file at `path`: written to a temporary file beside it and
  /// renamed, so that on failure what stood there stays, and where nothing was,
  /// nothing is. False on failure; the handler has been told why.
  bool link_to_file(const std::string& path);
  /// Makes what is written of the linked object, whose bytes it gets. Errors: why that cannot be;
  /// the link fails with them.
  using Converter =
      std::function<std::expected<std::string, Error>(std::span<const std::byte> object)>;
  /// The same, but what is written is not the object but what `convert` makes of it, such as a
  /// skeleton: for generators, whose output then takes its place with all reports or not at all.
  bool link_to_file(const std::string& path, Converter convert);
  /// Links into the file open for writing as `fd`, which stays the caller's. A
  /// file that can be sought becomes the output from its first byte to its last,
  /// whatever it held; to a pipe or socket the output is written. Nothing is
  /// written where the link fails. False on failure; the handler has been told
  /// why.
  bool link_to_fd(int fd);
  /// What the last link did, where LinkOptions::report asked for it.
  const LinkReport& report() const;
  /// Links into memory. Nothing on failure; the handler has been told why.
  std::optional<std::vector<std::byte>> link_to_memory();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
