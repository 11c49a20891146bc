// All state of one link, and the passes over it.
//
//   objects   the inputs; each has sections, which are cut into fragments, kept or dropped each
//   symbols   the global names: who defines each, and who refers to it
//   sections  of the output; their members are sections of inputs
//   btf       the types of the output; the type_map of each object leads to them
//
// A pass reads what earlier ones found out and adds to it. What anything of an input has become is
// asked in three places: place_of() gives the output's bytes, type_map its types, Symbol and
// InputSymbol::output_index its symbols.
#pragma once

#include <algorithm>
#include <expected>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/dedup.hpp"
#include "bpflink/linker.hpp"
#include "bpflink/report.hpp"
#include "linker/files/object_file.hpp"
#include "linker/io/input_file.hpp"
#include "linker/outputs.hpp"
#include "linker/state/dropped_part.hpp"
#include "linker/state/fragments.hpp"
#include "linker/state/symbol.hpp"
#include "linker/text/diagnostics.hpp"

namespace bpflink {

struct OutputModel;

/// An input as the user gave it.
struct InputSource {
  std::string name;
  /// The contents or the error of an input that was given open; otherwise `name` is the path to
  /// open.
  std::optional<std::expected<InputFile, Error>> given = {};
  /// If this is an archive: link all members, not only the needed ones.
  bool whole_archive = false;
  /// Whether the user gave a name to look for, not a path.
  bool is_library = false;
};

/// A relocation of an output section. Its addend is in the section's bytes.
struct OutputRelocation {
  uint64_t offset;  ///< bytes into the output section
  uint32_t type;
  uint32_t symbol;  ///< index into the output's symbol table
};

/// A run of bytes of an output section. Bytes that no run covers are zero.
struct OutputBytes {
  uint64_t offset;  ///< bytes into the output section
  std::span<const std::byte> bytes;
};

struct OutputSection {
  std::string_view name;
  SectionRole role = SectionRole::Other;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t alignment = 1;
  uint64_t entry_size = 0;
  uint64_t size = 0;
  std::vector<InputSection*> members;

  /// Index in the output's section header table, and of its section symbol.
  uint32_t index = 0;
  uint32_t symbol_index = 0;

  /// By ascending offset; none for SHT_NOBITS.
  std::vector<OutputBytes> contents;
  std::vector<OutputRelocation> relocations;
};

/// A function of the output.
struct OutputFunction {
  OutputPlace place;
  const ObjectFile* object;
  const InputSymbol* symbol;
  uint32_t synthesized_func =
      0;  ///< the FUNC that was made for it where no record described it, or 0
};

/// Where the linked object goes: to the file at `path`, to the caller's descriptor `fd`, or, with
/// neither, to memory.
struct OutputTarget {
  std::optional<std::string> path = {};
  std::optional<int> fd = {};
  /// If set, its result goes to `path`, and the object to memory.
  Linker::Converter convert = {};
};

/// The state of one link, by the pass that fills it.
struct Context {
  Context(LinkOptions link_options, Linker::DiagnosticHandler handler)
      : options(std::move(link_options)), diagnostics(std::move(handler), options) {}

  LinkOptions options;
  Diagnostics diagnostics;
  std::span<const InputSource> sources;
  OutputTarget target;
  Linker::Finisher finish;  ///< called before outputs replace their targets, or empty
  LinkReport report;
  /// Set by describe_output() if a report shows it.
  std::shared_ptr<const OutputModel> model;

  /// The linked object, its converted form, and the reports.
  Outputs outputs;
  /// The linked object among them.
  Outputs::Output* object_output = nullptr;

  std::vector<InputFile> files;  ///< all opened files, kept open until the end of the link
  std::vector<std::unique_ptr<ObjectFile>> objects;  ///< in command-line order; views of `files`
  std::endian byte_order = std::endian::little;
  SymbolTable symbols;
  std::vector<std::unique_ptr<OutputSection>> sections;  ///< in order of first appearance
  std::vector<DroppedPart> dropped;                      ///< by --gc-sections, set by mark_live()
  bool has_code_of_bitcode = false;         ///< whether LLVM made an object in this link
  std::vector<DroppedPart> optimized_away;  ///< of bitcode, set by join_bitcode()
  /// The link of bitcode and objects as they were compiled; until join_bitcode().
  std::unique_ptr<Context> modules;
  Outputs::Output *joined_bitcode = nullptr, *optimized_bitcode = nullptr;  ///< or null
  /// For each jump table's fragment, the code section that its offsets point into.
  std::unordered_map<const Fragment*, const InputSection*> code_of_jump_tables;

  /// The output's types; absent if no input has BTF.
  std::optional<BtfBuilder> btf;

  std::vector<OutputFunction> functions;  ///< set by complete_functions()

  /// A copy of the bytes, to be changed, which stays until the end of the link.
  std::span<std::byte> copy(std::span<const std::byte> bytes) {
    auto* to = static_cast<std::byte*>(copies_.allocate(bytes.size(), 1));
    std::ranges::copy(bytes, to);
    return {to, bytes.size()};
  }
  std::vector<std::byte> output_btf, output_btf_ext;

  /// The linked object read back by read_output(), or null.
  InputFile written_file;
  std::shared_ptr<const ObjectFile> written;
  /// The linked object, if the target is memory.
  std::vector<std::byte> memory;

 private:
  std::pmr::monotonic_buffer_resource copies_;
};

/// Runs the passes in the order of the declarations below, to the object in its temporary file and
/// the model of it. Each pass explains itself in its file; link.cpp explains the order.
void link(Context&);
/// Runs the other passes: writes the reports, and puts all outputs in their places.
void publish(Context&);

void open_outputs(Context&);
void read_inputs(Context&);
void check_outputs(Context&);
void separate_bitcode(Context&);
void join_bitcode(Context&);
void resolve_symbols(Context&);
void trace_symbols(Context&);
void split_into_fragments(Context&);
void mark_live(Context&);
void report_undefined_symbols(Context&);
void warn_unloadable(Context&);
void check_programs(Context&);
void check_functions(Context&);
void check_data_pointers(Context&);
void check_core(Context&);
void check_license(Context&);
void check_maps(Context&);
void check_externs(Context&);
void lay_out_sections(Context&);
void order_maps(Context&);
void number_symbols(Context&);
void merge_btf(Context&);
void check_types(Context&);
void check_odr(Context&);
void remove_orphaned_types(Context&);
void complete_functions(Context&);
void build_datasecs(Context&);
void prune_types(Context&);
void rename_rejected_types(Context&);
void warn_rejected_names(Context&);
void relocate(Context&);
void rebase_btf_ext(Context&);
void finish_btf(Context&);
void write_output(Context&);
void read_output(Context&);
void check_verdicts(Context&);
void verify_output(Context&);
void describe_output(Context&);
void make_report(Context&);
void write_reports(Context&);
void commit_outputs(Context&);

/// Reports what is wrong with an output.
void report_output(Context&, OutputProblem problem, Severity severity = Severity::Error);

}  // namespace bpflink
