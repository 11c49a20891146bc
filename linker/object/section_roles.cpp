#include "linker/object/section_roles.hpp"

#include <algorithm>
#include <array>

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

}  // namespace

const SectionRoleFacts& facts_of(SectionRole role) {
  static constexpr SectionRoleFacts none;
  auto row = std::ranges::find(rows, role, &Row::role);
  return row == rows.end() ? none : row->facts;
}

SectionRole role_of(std::string_view name) {
  auto row = std::ranges::find_if(rows, [&](const Row& each) { return each.matches(name); });
  return row == rows.end() ? Other : row->role;
}

SectionRole role_of(const ElfSection& section) {
  SectionRole role = role_of(section.name);
  if (section.flags & SHF_EXECINSTR) return role == Text ? Text : Programs;
  bool is_loaded = section.flags & SHF_ALLOC;
  if ((role == Dwarf || role == Comment) && is_loaded) return Other;
  if (facts_of(role).is_code_metadata && section.type != SHT_PROGBITS) return Other;
  return role;
}

}  // namespace bpflink
