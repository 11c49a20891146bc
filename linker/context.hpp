// All state of one link, and the passes over it in the order in which they run.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/dedup.hpp"
#include "bpflink/linker.hpp"
#include "bpflink/report.hpp"
#include "linker/elf/object_file.hpp"
#include "linker/elf/symbol.hpp"
#include "linker/io/input_file.hpp"
#include "linker/report/diagnostics.hpp"

namespace bpflink {

/// An input as the user gave it.
struct InputSource {
  std::string name;
  /// Where it was open already, or could not be read; else `name` is the path to open.
  std::optional<std::expected<InputFile, Error>> given = {};
  /// Where it is an archive: link all members, not only those that are needed.
  bool whole_archive = false;
};

/// A relocation of an output section. Its addend is in the section's bytes.
struct OutputRelocation {
  uint64_t offset;  ///< bytes into the output section
  uint32_t type;
  uint32_t symbol;  ///< index into the output's symbol table
};

/// A run of bytes of an output section. Bytes that no piece covers are zero.
struct Piece {
  uint64_t offset;  ///< bytes into the output section
  std::span<const std::byte> bytes;
};

struct OutputSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t alignment = 1;
  uint64_t entry_size = 0;
  uint64_t size = 0;
  std::vector<InputSection*> members;

  /// Index in the output's section header table, and of its section symbol.
  uint32_t index = 0;
  uint32_t symbol_index = 0;

  /// The contents, by ascending offset; none for SHT_NOBITS.
  std::vector<Piece> pieces;
  std::vector<OutputRelocation> relocations;
};

/// What --gc-sections dropped, for reports.
struct DroppedDefinition {
  const ObjectFile* object;
  const InputSection* section;
  uint64_t offset;
  uint64_t size;
  std::string_view name;
};

/// A place in the output.
struct Place {
  OutputSection* section;
  uint64_t offset;
};

struct Context {
  Context(LinkOptions link_options, Linker::DiagnosticHandler handler)
      : options(std::move(link_options)), diagnostics(std::move(handler), options.fatal_warnings) {}

  LinkOptions options;
  Diagnostics diagnostics;
  std::span<const InputSource> sources;

  std::vector<InputFile> files;                      ///< all that were opened, for the whole link
  std::vector<std::unique_ptr<ObjectFile>> objects;  ///< in command-line order; views of `files`
  std::endian byte_order = std::endian::little;
  SymbolTable symbols;
  std::vector<std::unique_ptr<OutputSection>> sections;  ///< in order of first appearance
  std::vector<DroppedDefinition> dropped;

  /// The output's types; empty where no input has BTF.
  std::optional<BtfBuilder> btf;

  /// Null unless asked for.
  LinkReport* report = nullptr;

  /// Bytes that pieces point to and that are no input's.
  std::vector<std::vector<std::byte>> buffers;
  BtfBuilder::Pieces output_btf;
  std::vector<std::byte> output_btf_ext;
};

// The passes. Each says in its file what it does; link.cpp says why it stands
// where it stands.
void read_inputs(Context&);
void resolve_symbols(Context&);
void split_into_fragments(Context&);
void mark_live(Context&);
void report_undefined_symbols(Context&);
void lay_out_sections(Context&);
void number_symbols(Context&);
void merge_btf(Context&);
void check_types(Context&);
void build_datasecs(Context&);
void relocate(Context&);
void rebase_btf_ext(Context&);
void finish_btf(Context&);
void write_output(Context&, const std::string& path);

/// Tells of every definition and reference of the symbols asked for (`-y`).
void trace_symbols(Context&);
/// Fills context.report.
void make_report(Context&);

/// Part of lay_out_sections(): see order_maps.cpp.
void order_maps(Context&, OutputSection& maps);

// What stands at `offset` of an input section in the output: the one function
// through which everything that points into a section goes. Nothing where it
// was dropped. An offset outside of the section moves with its nearest end.
std::optional<Place> place_of(const InputSection& section, uint64_t offset);

/// The same for a pointer, which may also stand just behind an object: where
/// what begins at `offset` was dropped, it is the end of what was before it.
std::optional<Place> place_of_pointer(const InputSection& section, int64_t offset);

}  // namespace bpflink
