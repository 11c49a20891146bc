// Pass: warn about sections whose names are like those of programs, and once an object of those
// that only loaders like cilium/ebpf's take.
#include <fmt/format.h>

#include <set>

#include "bpflink/object.hpp"
#include "linker/facts/section_names.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {

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

}  // namespace bpflink
