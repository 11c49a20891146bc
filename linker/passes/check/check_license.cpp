// Pass: warn about a license where no loader looks for it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "dedup/edit_distance.hpp"
#include "linker/facts/license.hpp"
#include "linker/state/context.hpp"

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

void check_license(Context& context) {
  if (!has_programs(context)) return;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      warn_misplaced_license(context, *object, section);
}

}  // namespace bpflink
