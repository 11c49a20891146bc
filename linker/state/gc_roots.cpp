#include "linker/state/gc_roots.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "linker/state/fragments.hpp"
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

/// Whether nobody needs a variable but user space: no input refers to it, and the source names it.
/// Compilers drop what they made if nothing refers to it, so its author wants it: for its value,
/// its name, or its type (`struct event *unused __attribute__((unused))`).
bool is_for_user_space_alone(const Symbol& symbol) {
  if (!symbol.is_defined || symbol.visibility != STV_DEFAULT || symbol.variable_type() == 0 ||
      symbol.name.find_first_of(".$") != symbol.name.npos)
    return false;
  InputPlace place = symbol.place();
  return place.section && place.section->is_linked() &&
         !fragment_at(*place.section, place.offset).is_referenced;
}

/// Whether tools find constants of that name in any program, without asking its code.
bool is_metadata_name(std::string_view name) {
  constexpr std::string_view prefixes[] = {"bpf_metadata_",  // `bpftool prog show`
                                           "gadget_"};       // Inspektor Gadget
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

/// Why a variable stays that no code reads, or "".
std::string_view reason_of_variable(const Symbol& symbol, SectionRole role,
                                    const LinkOptions& options) {
  bool is_constant = role == SectionRole::Rodata;
  if (!facts_of(role).is_global_data) return "";
  if (is_metadata_name(symbol.name)) return "variable that tools read";
  if (options.gc_constants) return "";
  if (is_constant) return is_set_by_user_space(symbol) ? "variable that user space may set" : "";
  return is_for_user_space_alone(symbol) ? "variable that only user space can use" : "";
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
  if (!section.is_loaded()) return "section that is not loaded";
  return section.role == SectionRole::Other ? "section for user space" : "";
}

std::string_view gc_root_reason(const InputSymbol& symbol, const Symbol* global,
                                const InputSection& section, const LinkOptions& options) {
  if (std::string_view reason = gc_root_reason(section, options); !reason.empty()) return reason;
  if (symbol.is_local())
    return section.holds_programs() && symbol.type == STT_FUNC ? "program" : "";
  bool is_requested = std::ranges::find(options.undefined, symbol.name) != options.undefined.end();
  if (is_requested) return "-u";
  if (options.exports && options.exports->contains(symbol.name)) return "--export";
  if (global)
    if (std::string_view reason = reason_of_variable(*global, section.role, options);
        !reason.empty())
      return reason;
  if (section.role == SectionRole::Maps && global)
    if (std::string_view reason = reason_of_map(*global); !reason.empty()) return reason;
  return section.holds_programs() ? "program" : "";
}

}  // namespace bpflink
