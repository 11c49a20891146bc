#include "linker/elf/gc_roots.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace bpflink {
namespace {

bool matches_any(std::string_view section, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [name = std::string(section)](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

}  // namespace

std::string_view gc_root_reason(const InputSection& section, const LinkOptions& options) {
  const SectionRoleFacts& facts = facts_of(section.role);
  if (facts.is_code_metadata) return "";
  if (!facts.gc_root.empty()) return facts.gc_root;
  if (matches_any(section.name, options.keep_sections)) return "--keep-section";
  return section.is_loaded() ? "" : "section that is not loaded";
}

std::string_view gc_root_reason(const InputSymbol& symbol, const InputSection& section,
                                const LinkOptions& options) {
  if (std::string_view reason = gc_root_reason(section, options); !reason.empty()) return reason;
  if (symbol.is_local())
    return section.holds_programs() && symbol.type == STT_FUNC ? "program" : "";
  bool is_requested = std::ranges::find(options.undefined, symbol.name) != options.undefined.end();
  if (is_requested) return "-u";
  return section.holds_programs() ? "program" : "";
}

}  // namespace bpflink
