// Passes: warn about sections whose names are almost what loaders look for: those of programs, also
// names that only loaders like cilium/ebpf's take, and that of the license.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "bpflink/object.hpp"
#include "dedup/edit_distance.hpp"
#include "linker/facts/license.hpp"
#include "linker/facts/section_names.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

bool has_programs(const Context& context) {
  return std::ranges::any_of(context.objects, [](const auto& object) {
    return std::ranges::any_of(object->linked_sections(), [](const InputSection& section) {
      return section.holds_programs() && section.size != 0;
    });
  });
}

/// Warns about a license where no loader looks for it.
void warn_misplaced_license(Context& context, const ObjectFile& object,
                            const InputSection& section) {
  constexpr std::string_view right = "license";
  std::string message;
  if (section.role == SectionRole::License && !section.relocations.empty()) {
    message = fmt::format("{}: the license is a pointer, and no loader reads what it points to",
                          object.name);
  } else if (section.role == SectionRole::Other && section.size != 0 &&
             section.name.size() <= right.size() + 2) {
    std::string name(section.name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr size_t max_distance = 2;
    if (edit_distance(name, right) > max_distance) return;
    message = fmt::format("{}: loaders read the license from section 'license', not '{}'",
                          object.name, section.name);
  } else {
    return;
  }
  context.diagnostics.warning(std::move(message), {hint(std::string(gpl_advice))},
                              DiagnosticCode::NotLoadable, {.file = object.name});
}

}  // namespace

void check_programs(Context& context) {
  std::set<std::string_view> seen;
  for (const auto& object : context.objects) {
    bool has_continued = false;
    for (const InputSymbol& symbol : object->symbols) {
      if (symbol.type != STT_FUNC || !is_live(*object, symbol)) continue;
      const InputSection& section = object->sections[symbol.section];
      if (!section.is_code() || section.role == SectionRole::Text) continue;
      std::string_view name = section.name;
      if (section_meaning(name).type != ProgramType::Unspec || !seen.insert(name).second) continue;
      name.remove_prefix(name.starts_with('?') ? 1 : 0);
      std::string similar = similar_section(name);
      std::string_view whole = similar.empty() ? continued_section(name) : "";
      if (!whole.empty() && !has_continued)
        context.diagnostics.warning(
            fmt::format("libbpf refuses programs in section '{}'", name),
            {reference_to(*object, symbol),
             hint(fmt::format("for libbpf: SEC(\"{}\"); other loaders, such as "
                              "cilium/ebpf, let a name follow",
                              whole))},
            DiagnosticCode::General, {.symbol = symbol.name});
      has_continued |= !whole.empty();
      if (similar.empty()) continue;
      context.diagnostics.warning(
          fmt::format("loaders do not know the type of programs in section '{}'", name),
          {reference_to(*object, symbol), hint(fmt::format("did you mean SEC(\"{}\")?", similar))},
          DiagnosticCode::General, {.symbol = symbol.name});
    }
  }
}

void check_license(Context& context) {
  if (!has_programs(context)) return;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      warn_misplaced_license(context, *object, section);
}

}  // namespace bpflink
