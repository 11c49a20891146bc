// A checked input object: sections, symbols, relocations and BTF.
//
// An object of BPF is an ELF64 file in which names say what things are. SEC("xdp") puts a program
// into a section of that name, `.maps` has a variable for each map, whose type is its definition,
// and externs of the kernel are undefined symbols that BTF lists in .ksyms. `.BTF` has the types,
// and describes functions and variables; `.BTF.ext` describes instructions: where functions begin,
// source lines, CO-RE relocations. All of it has been checked against each other once an ObjectFile
// is there, so that no later code looks for what is malformed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <expected>
#include <forward_list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "linker/facts/section_roles.hpp"
#include "linker/files/btf_ext.hpp"
#include "linker/files/dwarf_lines.hpp"
#include "linker/files/elf_file.hpp"
#include "linker/files/relocation.hpp"

namespace bpflink {

struct ObjectFile;
struct OutputSection;
struct Symbol;
class SymbolsByPlace;

/// A run of an input section that is kept or dropped as a whole.
struct Fragment {
  uint64_t begin;  ///< bytes into the input section
  uint64_t end;
  bool live = true;
  /// Whether it is collected unless reached: with --gc-sections, fragments that did not lose a
  /// resolution.
  bool is_candidate = false;
  /// Bytes without a symbol, which may hold several objects.
  bool is_unnamed = false;
  /// Whether code or data of any input refers to it; set by mark_live() for
  /// --gc-sections and reports.
  bool is_referenced = false;
  /// Equal to an earlier fragment of the output section, whose place it shares.
  bool is_duplicate = false;
  uint64_t output_offset = 0;  ///< bytes into the output section; set by layout
};

/// What the linker does with an input section.
enum class SectionUse : uint8_t {
  Link,     ///< concatenated into the output
  Drop,     ///< useless in a linked object: DWARF, .llvm_addrsig, empty .text
  Rebuild,  ///< made anew: symbol and string tables, relocations, BTF
};

/// A section of an input, with what the link finds out about it. Its alignment is at least 1, and
/// its flags are without SHF_GROUP.
struct InputSection : ElfSection {
  ObjectFile* file = nullptr;
  uint32_t index = 0;
  SectionUse use = SectionUse::Rebuild;
  /// Whether its fragments are strings or constants of which the output needs one copy each; set by
  /// split_into_fragments().
  bool is_merged = false;
  SectionRole role = SectionRole::Other;
  std::span<const std::byte> data;  ///< empty for SHT_NOBITS
  std::vector<Relocation> relocations;
  /// Where func_info has functions in bytes that no symbol covers, ascending: libbpf's linker
  /// leaves such code of weak functions that lost.
  std::vector<uint64_t> nameless_functions;

  /// In order, without gaps. If use is Link there is at least one: the whole section, until
  /// split_into_fragments() splits it.
  std::vector<Fragment> fragments;
  /// Set by lay_out_sections(); null if the output has nothing of it.
  OutputSection* output = nullptr;
  /// For a `license` or `version` section: the equal section of an earlier object, which stands for
  /// both.
  InputSection* same_as = nullptr;

  bool is_linked() const { return use == SectionUse::Link; }
  bool is_code() const { return flags & SHF_EXECINSTR; }
  bool holds_programs() const { return role == SectionRole::Programs; }
  bool holds_maps() const { return role == SectionRole::Maps || role == SectionRole::LegacyMaps; }
  bool is_code_metadata() const { return facts_of(role).is_code_metadata; }
  bool is_nobits() const { return type == SHT_NOBITS; }
  /// Part of the program, unlike DWARF: only loaded sections keep other fragments alive.
  bool is_loaded() const { return flags & SHF_ALLOC; }
  bool holds_strings() const { return flags & SHF_STRINGS; }
  /// The first relocation at or after byte `at`.
  std::vector<Relocation>::const_iterator first_relocation(uint64_t at) const {
    return std::ranges::lower_bound(relocations, at, {}, &Relocation::offset);
  }
};

/// A place in an input.
struct InputPlace {
  const InputSection* section = nullptr;  ///< null if it is in no section
  int64_t offset = 0;                     ///< bytes into the section; may be outside of it
};

/// An entry of the symbol table.
struct InputSymbol {
  std::string_view name;
  uint64_t value = 0;  ///< bytes into the section
  uint64_t size = 0;
  uint32_t section = 0;  ///< index; 0 for an undefined or absolute symbol
  bool is_absolute = false;
  uint8_t type = 0;        ///< STT_*
  uint8_t binding = 0;     ///< STB_*
  uint8_t visibility = 0;  ///< STV_*
  /// The one symbol of that name in the link; null for local symbols.
  Symbol* global = nullptr;
  /// Index in the output's symbol table if it is a local symbol there; otherwise 0.
  uint32_t output_index = 0;

  bool is_local() const { return binding == STB_LOCAL; }
  /// Whether a loader makes it static.
  bool is_hidden() const { return visibility == STV_HIDDEN || visibility == STV_INTERNAL; }
  bool is_in_section() const { return section != 0; }
  bool is_defined() const { return is_in_section() || is_absolute; }
  bool is_section() const { return type == STT_SECTION; }
  /// Whether relocations against it point to the contents of its section, at their addends.
  bool names_section() const { return is_section() && is_local(); }
};

/// Whether the symbol begins a fragment.
inline bool is_cut_at(const InputSymbol& symbol) {
  bool is_entity = symbol.type == STT_FUNC || symbol.type == STT_OBJECT || !symbol.is_local();
  return symbol.is_in_section() && is_entity;
}

/// A VAR or FUNC of the object's BTF, with the symbol that it declares.
struct BtfDeclaration {
  uint32_t type_id = 0;
  std::span<const uint32_t> words;  ///< of the type
  /// The object's global symbol of its name, as an index into its symbol table and as the link's
  /// symbol; 0 and null for static variables and functions.
  uint32_t symbol_index = 0;
  Symbol* symbol = nullptr;
  /// The name of the DATASEC that lists it, or "", and what that means.
  std::string_view datasec;
  SectionRole role = SectionRole::Other;
  /// Bytes into the section according to the DATASEC; if that has 0 for a static variable,
  /// according to its symbol.
  uint32_t offset = 0;
  uint32_t size = 0;  ///< bytes, according to the DATASEC
  /// Whether an earlier link made the FUNC, for a global function that had no type in any input.
  bool is_synthesized = false;
  /// Whether the FUNC claims to be global, but its code has a local symbol (LLVM makes functions
  /// internal when it joins bitcode), or to be extern, but has code.
  bool was_made_local = false;
  /// Whether check_types() has reported a conflict with the type that describes the symbol.
  bool conflicts = false;

  /// The VAR or FUNC.
  BtfType type() const { return BtfType(words); }
  bool is_func() const { return type().kind() == BtfKind::Func; }
  BtfLinkage linkage() const { return is_func() ? type().func_linkage() : type().var_linkage(); }
};

struct ReadOptions {
  bool keep_debug = false;  ///< link DWARF instead of dropping it
  /// Types have other names than their symbols: an output of a link with `--kernel-names`.
  bool is_renamed = false;
};

struct ObjectFile {
  std::string name;  ///< for messages
  std::endian byte_order = std::endian::little;
  std::span<const std::byte> image;
  /// The LLVM bitcode that `image` was made of, to be joined with others; empty for an object.
  std::span<const std::byte> bitcode;
  /// Of the object of joined bitcode, what its files were before.
  std::vector<std::unique_ptr<const ObjectFile>> outlines;
  std::vector<InputSection> sections;  ///< by index; the first is the null section
  std::vector<uint32_t> sections_by_name;
  std::vector<InputSymbol> symbols;  ///< by symbol index
  std::optional<Btf> btf;
  std::span<const std::byte> btf_bytes;  ///< the bytes that `btf` was parsed from
  std::optional<BtfExt> btf_ext;
  /// Each VAR and FUNC of the BTF, by ascending type id. resolve_symbols() sets their `symbol`.
  std::vector<BtfDeclaration> declarations;
  std::vector<uint32_t> datasecs, tags;  ///< ids of the DATASECs and DECL_TAGs
  /// Maps this object's type ids to the output's; set by merge_btf().
  TypeMap type_map;

  /// Reads and checks `image`, which must outlive the object: its members are views of it. Errors
  /// name the section, symbol, relocation or type that is wrong.
  static std::expected<std::unique_ptr<ObjectFile>, Error> read(std::string name,
                                                                std::span<const std::byte> image,
                                                                ReadOptions options = {});

  bool is_bitcode() const { return !bitcode.empty(); }

  /// The sections that are linked.
  auto linked_sections() { return std::views::filter(sections, is_linked); }
  auto linked_sections() const { return std::views::filter(sections, is_linked); }

  /// Fills in `sections_by_name`.
  void index_sections();
  /// The sections of that name, in their order.
  auto sections_named(std::string_view section_name) const {
    auto key_of = [this](uint32_t index) { return name_key(sections[index].name); };
    auto first = std::ranges::lower_bound(sections_by_name, name_key(section_name), {}, key_of);
    auto last = first;
    while (last != sections_by_name.end() && sections[*last].name == section_name) ++last;
    return std::views::transform(
        std::ranges::subrange(first, last),
        [this](uint32_t index) -> const InputSection& { return sections[index]; });
  }
  /// The first section of that name, or null.
  const InputSection* find_section(std::string_view section_name) const {
    auto found = sections_named(section_name);
    return found.empty() ? nullptr : &found.front();
  }
  /// The first linked section of that name, or null.
  const InputSection* find_linked_section(std::string_view section_name) const {
    for (const InputSection& section : sections_named(section_name))
      if (section.is_linked()) return &section;
    return nullptr;
  }

  /// The VAR or FUNC of that type id, or null.
  const BtfDeclaration* find_declaration(uint32_t id) const {
    auto found = std::ranges::lower_bound(declarations, id, {}, &BtfDeclaration::type_id);
    return found == declarations.end() || found->type_id != id ? nullptr : &*found;
  }
  BtfDeclaration* find_declaration(uint32_t id) {
    return const_cast<BtfDeclaration*>(std::as_const(*this).find_declaration(id));
  }

  /// Its functions and variables by their places; sorted on first use.
  const SymbolsByPlace& by_place() const;

  /// "main.o:(xdp+0x18)".
  std::string describe_place(std::string_view section, uint64_t offset) const;
  std::string describe_place(const InputSection& section, uint64_t offset) const {
    return describe_place(section.name, offset);
  }

  /// Where its variables and functions are declared; read on first use.
  const SourceLines& dwarf_lines() const {
    if (!dwarf_lines_) dwarf_lines_ = read_dwarf_lines(*this);
    return *dwarf_lines_;
  }
  /// A source or header that DWARF names and that is newer than the object's file, or "".
  const std::string& newer_source() const;

  /// Calls `visit(section, record)` for each FuncInfo of .BTF.ext, with the section of its code.
  template <typename Visit>
  void for_each_func_info(Visit visit) const {
    for_each_record(&BtfExt::func_info, &BtfExt::load_func_info, visit);
  }
  /// The same for each LineInfo.
  template <typename Visit>
  void for_each_line_info(Visit visit) const {
    for_each_record(&BtfExt::line_info, &BtfExt::load_line_info, visit);
  }
  /// The same for each CoreRelo.
  template <typename Visit>
  void for_each_core_relo(Visit visit) const {
    for_each_record(&BtfExt::core_relo, &BtfExt::load_core_relo, visit);
  }

  // The bytes behind `btf` and `btf_ext`, if they are not those of the image.
  std::vector<std::byte> relocated_btf, relocated_btf_ext;
  /// The bytes of sections that were compressed.
  std::forward_list<std::vector<std::byte>> decompressed;
  /// Names of symbols that were renamed.
  std::forward_list<std::string> new_names;

 private:
  /// The order of `sections_by_name`: names are seldom compared if their lengths are.
  static std::pair<size_t, std::string_view> name_key(std::string_view name) {
    return {name.size(), name};
  }
  static constexpr auto is_linked = [](const InputSection& s) { return s.is_linked(); };

  template <typename Load, typename Visit>
  void for_each_record(BtfExtTable BtfExt::*table, Load load, Visit& visit) const {
    if (!btf_ext) return;
    ((*btf_ext).*table).for_each_record([&](uint32_t index, std::span<const std::byte> record) {
      visit(sections[index], ((*btf_ext).*load)(record.data()));
    });
  }

  mutable std::shared_ptr<const SymbolsByPlace> by_place_;
  mutable std::optional<SourceLines> dwarf_lines_;
  mutable std::optional<std::string> newer_source_;
};

}  // namespace bpflink
