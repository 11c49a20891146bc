// Pass: warn about helpers and kernel functions that the license forbids, and of a license that no
// loader finds.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "dedup/edit_distance.hpp"
#include "linker/context.hpp"
#include "linker/object/helpers.hpp"
#include "linker/object/license.hpp"
#include "linker/object/symbols_by_place.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// The license that the output will have; "" for none.
std::string license_of(const Context& context) {
  if (context.options.license) return *context.options.license;
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      if (section.role == SectionRole::License) {
        std::string text(reinterpret_cast<const char*>(section.data.data()), section.data.size());
        return text.substr(0, text.find('\0'));
      }
  return "";
}

/// Calls `visit(offset, name, is_kfunc)` for each call in live code of a GPL-only helper or a
/// kernel function.
template <typename Visit>
void for_each_gpl_call(const ObjectFile& object, const InputSection& section, Visit visit) {
  for (const Fragment& fragment : section.fragments) {
    if (!fragment.live) continue;
    for_each_insn(section.data, fragment.begin, fragment.end, object.byte_order,
                  [&](uint64_t at, const Insn& insn) {
                    if (!insn.is_call() || insn.src_reg != 0) return;
                    if (is_gpl_only(static_cast<uint32_t>(insn.imm)))
                      visit(at, helper_name(static_cast<uint32_t>(insn.imm)), false);
                  });
  }
  for (const Relocation& relocation : section.relocations) {
    const Symbol* symbol = object.symbols[relocation.symbol].global;
    if (relocation.type == R_BPF_64_32 && symbol && !symbol->is_defined &&
        role_of(symbol->loader_section) == SectionRole::Ksyms &&
        is_live(section, relocation.offset))
      visit(relocation.offset, symbol->name, true);
  }
}

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
  context.diagnostics.warning(std::move(message),
                              {hint("char LICENSE[] SEC(\"license\") = \"GPL\";")},
                              DiagnosticCode::NotLoadable, {.file = object.name});
}

/// The calls that need a license, once for each function that has them.
struct GplCalls {
  std::vector<DiagnosticReference> references;
  bool has_helpers = false, has_kfuncs = false;
};

GplCalls find_gpl_calls(const Context& context) {
  constexpr size_t max_calls = 5;
  GplCalls calls;
  std::set<std::pair<const InputSymbol*, std::string>> seen;
  for (const auto& object : context.objects) {
    for (const InputSection& section : object->linked_sections()) {
      if (!section.is_code() || section.is_nobits()) continue;
      for_each_gpl_call(*object, section, [&](uint64_t at, std::string_view name, bool is_kfunc) {
        if (!seen.emplace(object->by_place().find_function(section.index, at), name).second) return;
        (is_kfunc ? calls.has_kfuncs : calls.has_helpers) = true;
        if (seen.size() <= max_calls)
          calls.references.push_back({ReferenceRole::Occurrence,
                                      location_of(*object, section, at, name), std::string(name)});
      });
    }
  }
  add_more(calls.references, ReferenceRole::Occurrence, seen.size(), max_calls);
  return calls;
}

}  // namespace

void check_license(Context& context) {
  if (!has_programs(context)) return;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      warn_misplaced_license(context, *object, section);
  std::string license = license_of(context);
  if (is_gpl_compatible(license)) return;
  if (license.empty() && context.options.for_rustc) return;  // aya takes that for GPL
  GplCalls calls = find_gpl_calls(context);
  if (calls.references.empty()) return;
  std::string_view what = !calls.has_kfuncs   ? "GPL-only helpers"
                          : calls.has_helpers ? "GPL-only helpers and kernel functions"
                                              : "kernel functions, all of which are GPL-only,";
  std::vector references = std::move(calls.references);
  references.push_back(hint(
      fmt::format("if the program is under the GPL: char LICENSE[] SEC(\"license\") = \"GPL\";{}",
                  context.options.hint_at_options ? " or --license GPL" : "")));
  context.diagnostics.warning(
      fmt::format("{} are called, but the license {}", what,
                  license.empty() ? "is missing" : fmt::format("is '{}'", license)),
      std::move(references), DiagnosticCode::NotLoadable);
}

}  // namespace bpflink
