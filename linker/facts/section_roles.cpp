#include "linker/facts/section_roles.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <bit>

namespace bpflink {
namespace {

using enum SectionRole;

/// Whether a section's name is the row's, begins with it, or may continue with a '.' after it.
enum class Match : uint8_t { Whole, Prefix, Dotted };

struct Row {
  std::string_view name;
  SectionRole role;
  Match match = Match::Whole;
  SectionRoleFacts facts = {};  ///< as in all rows of the role

  bool matches(std::string_view section) const {
    if (!section.starts_with(name)) return false;
    return section.size() == name.size() || match == Match::Prefix ||
           (match == Match::Dotted && section[name.size()] == '.');
  }
};

constexpr SectionRoleFacts map{.gc_root = "map"};
constexpr SectionRoleFacts struct_ops{.gc_root = "struct_ops variable"};
constexpr SectionRoleFacts externs{.has_loader_symbols = true};
constexpr SectionRoleFacts global_data{.is_global_data = true};
constexpr SectionRoleFacts metadata{.is_code_metadata = true};

constexpr std::array rows = {
    Row{".text", Text, Match::Dotted},
    Row{".maps", Maps, Match::Whole, map},
    Row{"maps", LegacyMaps, Match::Whole, map},
    Row{"license", License, Match::Whole, {.gc_root = "license", .is_kept_once = true}},
    Row{"version", Version, Match::Whole, {.gc_root = "version", .is_kept_once = true}},
    Row{".ksyms", Ksyms, Match::Whole, externs},
    Row{".kconfig", Kconfig, Match::Whole, externs},
    Row{".struct_ops", StructOps, Match::Whole, struct_ops},
    Row{".struct_ops.link", StructOps, Match::Whole, struct_ops},
    Row{"?.struct_ops", StructOps, Match::Whole, struct_ops},
    Row{"?.struct_ops.link", StructOps, Match::Whole, struct_ops},
    Row{".data", Data, Match::Dotted, global_data},
    Row{".rodata", Rodata, Match::Dotted, global_data},
    Row{".bss", Bss, Match::Dotted, global_data},
    Row{".percpu", Percpu, Match::Dotted, global_data},
    Row{".addr_space.1", Arena},
    Row{".jumptables", JumpTables, Match::Whole, metadata},
    Row{".bpf_cleanup", Cleanups, Match::Whole, metadata},
    Row{".eh_frame", Frames, Match::Whole, metadata},
    Row{".gcc_except_table", Exceptions, Match::Whole, metadata},
    Row{".debug_", Dwarf, Match::Prefix},
    Row{".BTF", Btf},
    Row{".BTF.ext", BtfExt},
    Row{".comment", Comment},
    Row{".llvm", Comment, Match::Prefix},
    Row{".note", Comment, Match::Prefix},
    Row{".gnu", Comment, Match::Prefix},
};

// A role has one set of facts, which facts_of() takes from its first row.
static_assert(std::ranges::all_of(rows, [](const Row& row) {
  return row.facts == std::ranges::find(rows, row.role, &Row::role)->facts;
}));

constexpr auto facts_by_role = [] {
  std::array<SectionRoleFacts, static_cast<size_t>(Comment) + 1> facts;
  for (const Row& row : rows) facts[static_cast<size_t>(row.role)] = row.facts;
  return facts;
}();

/// The rows whose names have a character in second place, as bits. A link asks for the role of each
/// section of each input.
constexpr auto rows_by_character = [] {
  static_assert(rows.size() <= 32);
  std::array<uint32_t, 256> bits{};
  for (size_t i = 0; i < rows.size(); ++i)
    bits[static_cast<uint8_t>(rows[i].name[1])] |= uint32_t{1} << i;
  return bits;
}();

}  // namespace

const SectionRoleFacts& facts_of(SectionRole role) {
  return facts_by_role[static_cast<size_t>(role)];
}

SectionRole role_of(std::string_view name) {
  if (name.size() < 2) return Other;
  uint32_t left = rows_by_character[static_cast<uint8_t>(name[1])];
  for (; left != 0; left &= left - 1)
    if (const Row& row = rows[std::countr_zero(left)]; row.matches(name)) return row.role;
  return Other;
}

SectionRole role_of(std::string_view name, uint32_t type, uint64_t flags) {
  SectionRole role = role_of(name);
  if (flags & SHF_EXECINSTR) return role == Text ? Text : Programs;
  bool is_loaded = flags & SHF_ALLOC;
  if ((role == Dwarf || role == Comment) && is_loaded) return Other;
  if (facts_of(role).is_code_metadata && type != SHT_PROGBITS) return Other;
  return role;
}

}  // namespace bpflink
