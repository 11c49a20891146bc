// Static linking of BPF ELF objects.
#pragma once

#include <bit>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "bpflink/error.hpp"
#include "bpflink/report.hpp"

namespace bpflink {

/// How to link.
struct LinkOptions {
  /// Partial link (`-r`): externs that nobody defines stay externs.
  bool partial = false;
  /// Drop code and data that no program, map or struct_ops variable reaches, and types that nothing
  /// else uses (`--gc-sections`).
  bool gc_sections = false;
  /// With gc_sections, also drop `const volatile` variables that no code reads, which user space
  /// may set (`--gc-constants`).
  bool gc_constants = false;
  /// Drop maps that neither code nor a map refers to, and whose names user space does not need
  /// (`--gc-maps`). Implies gc_sections. Kept are maps with `undefined` names, pinned ones, the
  /// arena, and struct_ops. Not with `partial`.
  bool gc_maps = false;
  /// Symbols to keep, with all that they reach (`-u`). A symbol that no input has is looked up in
  /// archives. It is an error if none defines it.
  std::vector<std::string> undefined = {};
  /// Sections that gc_sections keeps whole, as shell patterns (`--keep-section`).
  std::vector<std::string> keep_sections = {};
  /// Names of structs, unions, enums and typedefs that stay, with their definitions, also if
  /// nothing uses them (`--keep-type`).
  std::vector<std::string> keep_types = {};
  /// Symbols to keep if an input defines them (`--export`, `--export-symbols`). If set, other
  /// functions and variables of bitcode become internal, but for programs and maps.
  std::optional<std::set<std::string, std::less<>>> exports = {};
  /// Make hidden definitions local, so that two libraries can use the same names
  /// (`--localize-hidden`). Maps stay global: loaders do not find local ones.
  bool localize_hidden = false;
  /// Keep and merge `.debug_*` sections, and keep sections of code whole (`--keep-debug`).
  bool keep_debug = false;
  /// Leave line_info out of .BTF.ext, and its strings out of .BTF (`--strip-line-info`). The
  /// verifier's log then shows no source lines.
  bool strip_line_info = false;
  /// Give .BTF the header of 24 bytes that all loaders read, without a layout section, also if an
  /// input has one (`--target classic-header`).
  bool classic_header = false;
  /// Replace structs and unions by forward declarations where only pointers lead to them and
  /// nothing looks into them: no loader, no verifier, no user space (`--prune-types`).
  bool prune_types = false;
  /// Rename types and their members where kernels refuse the name: `Option<u32>` becomes
  /// `Option_3C_u32_3E_`; sort members by their offsets, and name parameters (`--kernel-names`).
  bool kernel_names = false;
  /// Drop symbols that nothing needs: labels, names of source files, static variables that no
  /// relocation names (`-x`).
  bool discard_locals = false;
  /// The text of the `license` section, in place of the inputs' (`--license`).
  std::optional<std::string> license = {};
  /// Conflicting types are errors; otherwise warnings (`--no-check-types`).
  bool check_types = true;
  /// Pointers in data that programs read are errors, as no loader fills them in; otherwise warnings
  /// (`--no-check-pointers`). They never are with `partial`.
  bool check_pointers = true;
  /// Warn if objects share a struct, union or enum and lay it out differently (`--no-warn-odr`).
  bool warn_odr = true;
  /// What libbpf refuses to open is an error, not a warning: for skeletons. Not with `partial`.
  bool must_open = false;
  /// Warnings are errors (`--fatal-warnings`).
  bool fatal_warnings = false;
  /// Directories of archives (`-L`). Linker::add_library() searches them, and so does the message
  /// on an undefined symbol, for an archive that would define it.
  std::vector<std::string> library_paths = {};
  /// Symbols whose definitions and references to report, as notes (`-y`).
  std::vector<std::string> trace_symbols = {};
  /// New names for symbols of all inputs, as pairs of the old and the new one (`--redefine-sym`).
  /// Symbols that the loader provides, in .ksyms and .kconfig, are never renamed.
  std::vector<std::pair<std::string, std::string>> redefine_symbols = {};
  /// A prefix for the names of all symbols, added after they were redefined (`--prefix-symbols`).
  std::string prefix_symbols = {};
  /// Pairs of an input's name and a prefix for the symbols that it defines
  /// (`--prefix-symbols-of`). An input that is added several times takes its prefixes in turn. It
  /// is an error if no input has that name.
  std::vector<std::pair<std::string, std::string>> prefix_symbols_of = {};
  /// Read the output back and check it before it replaces the target (`--verify`). A broken rule
  /// is a bug of the linker and fails the link.
  bool verify = false;
  /// Fill in report().
  bool report = false;
  /// How many threads read the inputs and merge their types (`--threads`); 0: chosen by the size of
  /// the inputs. The output does not depend on it.
  unsigned threads = 0;
  /// Link map to write: where each fragment of each input went (`--Map`); "" for none. The output
  /// and its reports replace their targets together, or none does.
  std::string map_file = {};
  /// Make rule to write, which lists the inputs (`--dependency-file`); "" for none.
  std::string dependency_file = {};
  /// Report to write as JSON: figures, diagnostics, and the contents of the output (`--json`); ""
  /// for none.
  std::string json_file = {};
  /// HTML page to write, which shows what the output's bytes are for (`--size-map`); "" for none.
  std::string size_map_file = {};
  /// Rows of each list of LinkReport::sizes (`--print-sizes`); 0: no lists.
  unsigned print_sizes = 0;
  /// Whether a partial link warns about externs that no input defines
  /// (`--warn-unresolved-symbols`).
  bool warn_undefined = false;
  /// Symbols and types to explain in LinkReport::explanations (`--explain`).
  std::vector<std::string> explain = {};
  /// How far to optimize inputs that are LLVM bitcode, 0 to 3, as for -O of a compiler (`--lto-O`).
  unsigned lto_level = 1;
  /// The processor to compile bitcode for, as for -mcpu (`--lto-cpu`); "" for the one that it
  /// names.
  std::string lto_cpu = {};
  /// The library of LLVM that compiles bitcode (`--lto-library`); "" for the newest one.
  std::string lto_library = {};
  /// The library that is tried before the newest one: that of the rustc that calls.
  std::string lto_first_library = {};
  /// rustc calls: hints are for its users, what aya loads is not a mistake, and its "generic"
  /// processor, which nobody has chosen, yields to one that another file names.
  bool for_rustc = false;
  /// Features of the processor, as for -mattr; needs lto_cpu.
  std::string lto_features = {};
  /// Switches of LLVM, as for -mllvm. Those that it does not have are without effect.
  std::vector<std::string> lto_switches = {};
  /// Others, which it has to have.
  std::vector<std::string> lto_checked_switches = {};
  /// A limit that grows with the bitcode.
  static constexpr unsigned by_size = ~0U;
  /// Seconds of processor time that LLVM may take; 0 for any. By default 8, and one for each 8 KiB
  /// of bitcode, up to 300 (`--lto-timeout`).
  unsigned lto_timeout = by_size;
  /// MiB of memory that LLVM may take; 0 for any. By default 1000, and one for each KiB of bitcode,
  /// up to 4096 (`--lto-memory`).
  unsigned lto_memory = by_size;
  /// A directory with what LLVM has made of bitcode: links of the same inputs take it from there,
  /// and put what is new there (`--lto-cache`); "" for none.
  std::string lto_cache = {};
  /// MiB of files in it; the oldest ones go beyond that (`--lto-cache-size`).
  unsigned lto_cache_size = 1024;
  /// Bitcode that was compiled for another machine is meant to become BPF: no warning about it
  /// (`--lto-target bpf`).
  bool lto_foreign = false;
  /// The byte order that inputs have to have.
  std::optional<std::endian> byte_order = {};
  /// Optimize bitcode as a whole program: functions become internal unless they are needed outside
  /// of it, not only hidden ones (`--lto-internalize`).
  bool lto_internalize = false;
  /// Use the bitcode of objects that have both, as `-ffat-lto-objects` makes (`--fat-lto`).
  bool fat_lto = false;
  /// Write the joined bitcode before and after optimization beside the output, as OUTPUT.lto.bc and
  /// OUTPUT.lto.opt.bc (`--save-temps`).
  bool lto_save_temps = false;
  /// Where to write them instead, as LLVM's text: to pre-opt.ll and post-opt.ll; "" for beside the
  /// output.
  std::string lto_dump_directory = {};
  /// What becomes of bitcode: an object, or its assembly (`--lto-emit-asm`), LLVM's text or bitcode
  /// of all of it.
  enum class Emit : uint8_t { Object, Assembly, Ir, Bitcode };
  /// What to write. If that is no object, there are no reports.
  Emit lto_emit = Emit::Object;
  /// Whether hints in messages may name options of bpflink(1), for programs that have these.
  bool hint_at_options = false;
};

/// Links BPF objects: ELFCLASS64, ET_REL, EM_BPF, all of one byte order. Add the inputs in the
/// order of a command line, then link. Linking again gives the same bytes. One thread at a time may
/// use a linker; separate linkers may run in different threads.
///
/// The link reports what is wrong with inputs. It throws nothing; running out of memory is an error
/// like any other. Making a linker and adding inputs may throw std::bad_alloc.
class Linker {
 public:
  /// Gets a diagnostic, in the thread that links. Must not throw and must not call the linker.
  using DiagnosticHandler = std::function<void(const Diagnostic&)>;

  /// `handler` gets every diagnostic; it may be empty.
  explicit Linker(LinkOptions options, DiagnosticHandler handler);
  /// Moves; what was moved from may only be assigned to or destroyed.
  Linker(Linker&&) noexcept;
  /// Moves, as above.
  Linker& operator=(Linker&&) noexcept;
  ~Linker();

  /// Adds the object file or archive at `path`, which may be a pipe. The link reads it; it must not
  /// change until the link ends.
  void add_file(std::string path);
  /// Adds an archive and links all of its members, needed or not (`--whole-archive`).
  void add_whole_archive(std::string path);
  /// Adds the archive lib`name`.a, or with a colon before the name the file of that name, from the
  /// first of LinkOptions::library_paths that has it (`-l`); with `whole`, links all of its
  /// members. The link reports an archive that is not found.
  void add_library(const std::string& name, bool whole = false);
  /// Adds the object file that is open for reading as `fd`, called `name` in messages, or
  /// "/proc/self/fd/N" if that is empty. The caller keeps the descriptor and may close it at once.
  /// A regular file, such as a memfd, is read from its beginning, without moving its position, and
  /// must not change until the link ends. A pipe is read to its end. The link reports a descriptor
  /// that cannot be read.
  void add_fd(int fd, std::string name = {});
  /// Adds an object in memory, called `name` in messages. The bytes stay the
  /// caller's and must outlive the link.
  void add_memory(std::string name, std::span<const std::byte> image);

  /// Gets the report of a link when all outputs are written, and none has replaced its target yet.
  /// An error fails the link.
  using Finisher = std::function<std::expected<void, Error>(const LinkReport&)>;
  /// Calls `finish` in each link from now on. For programs that print what they report: if that
  /// fails, their outputs stay as they were.
  void before_commit(Finisher finish);

  /// Links into the file at `path`. The output is written to a temporary file beside it and renamed
  /// on success; on failure the target stays as it was. False on failure, after the handler got the
  /// errors.
  bool link_to_file(const std::string& path);
  /// Makes the text to write from the bytes of the linked object. An error fails the link.
  using Converter =
      std::function<std::expected<std::string, Error>(std::span<const std::byte> object)>;
  /// Writes not the object but what `convert` makes of it, such as a skeleton. For generators:
  /// their output and all reports then replace their targets together, or none does. It must be
  /// text, and does not replace an object file or archive.
  bool link_to_file(const std::string& path, Converter convert);
  /// Links into the file that is open for writing as `fd`, which stays the caller's. A regular file
  /// is overwritten from its beginning and cut to the output's size; a pipe or socket gets the
  /// output at its end. If the link fails, nothing is written. False on failure, as above.
  bool link_to_fd(int fd);
  /// What the last link did, if LinkOptions::report or an option for a report was set.
  const LinkReport& report() const;
  /// Links into memory. Nothing on failure, as above.
  std::optional<std::vector<std::byte>> link_to_memory();
  /// Whether the last link failed because memory ran out.
  bool ran_out_of_memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
