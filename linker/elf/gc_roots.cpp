#include "linker/elf/gc_roots.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "linker/types/map_definition.hpp"
#include "linker/types/qualifiers.hpp"

namespace bpflink {
namespace {

bool matches_any(std::string_view section, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [name = std::string(section)](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

bool is_set_by_user_space(const Symbol& symbol) {
  uint32_t type = symbol.variable_type();
  if (type == 0) return false;
  Qualifiers qualifiers = qualifiers_of(*symbol.btf_file->btf, type);
  return qualifiers.is_const && qualifiers.is_volatile;
}

/// Why a map stays that nothing refers to, or "".
std::string_view reason_of_map(const Symbol& symbol) {
  uint32_t type = symbol.variable_type();
  if (type == 0) return "";
  const BtfView& types = *symbol.btf_file->btf;
  if (map_number(types, type, "pinning") != 0) return "pinned map";
  return map_number(types, type, "type") == map_type_arena ? "arena" : "";
}

}  // namespace

std::string_view gc_root_reason(const InputSection& section, const LinkOptions& options) {
  const SectionRoleFacts& facts = facts_of(section.role);
  if (facts.is_code_metadata) return "";
  bool is_collected = section.role == SectionRole::Maps && options.gc_maps && !options.partial;
  if (!facts.gc_root.empty() && !is_collected) return facts.gc_root;
  if (matches_any(section.name, options.keep_sections)) return "--keep-section";
  return section.is_loaded() ? "" : "section that is not loaded";
}

std::string_view gc_root_reason(const InputSymbol& symbol, const Symbol* global,
                                const InputSection& section, const LinkOptions& options) {
  if (std::string_view reason = gc_root_reason(section, options); !reason.empty()) return reason;
  if (symbol.is_local())
    return section.holds_programs() && symbol.type == STT_FUNC ? "program" : "";
  bool is_requested = std::ranges::find(options.undefined, symbol.name) != options.undefined.end();
  if (is_requested) return "-u";
  if (section.role == SectionRole::Rodata && !options.gc_constants && global &&
      is_set_by_user_space(*global))
    return "variable that user space may set";
  if (section.role == SectionRole::Maps && global)
    if (std::string_view reason = reason_of_map(*global); !reason.empty()) return reason;
  return section.holds_programs() ? "program" : "";
}

}  // namespace bpflink
