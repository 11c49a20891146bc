// Pass: check for maps that loaders do not recognize.
//
// A loader creates a map for each global variable in .maps. A variable is no map if only its
// declaration has SEC(".maps"), not its definition. The reverse does no harm: the definition
// decides.
#include <fmt/format.h>

#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

void warn_legacy_maps(Context& context) {
  if (context.options.for_rustc) return;  // aya takes them
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      if (section.role == SectionRole::LegacyMaps && is_live(section))
        context.diagnostics.warning(
            fmt::format("{}: libbpf 1.0 and later refuse maps in SEC(\"maps\")", object->name),
            {hint("define them in SEC(\".maps\")")}, DiagnosticCode::NotOpenable,
            {.file = object->name});
}

/// Reports a declaration in .maps whose symbol is defined elsewhere.
void check_section(Context& context, const ObjectFile& object, const BtfDeclaration& declaration) {
  const Symbol& symbol = *declaration.symbol;
  const InputSymbol& declared = object.symbols[declaration.symbol_index];
  const InputSection* holder = symbol.place().section;
  if (declaration.role != SectionRole::Maps || declared.is_defined()) return;
  if (!holder || holder->holds_maps()) return;
  context.diagnostics.report(
      {.severity = context.options.partial ? Severity::Warning : Severity::Error,
       .message =
           fmt::format("'{}' is declared with SEC(\".maps\") but defined without it", symbol.name),
       .code = DiagnosticCode::ConflictingTypes,
       .symbol = std::string(symbol.name),
       .references = {reference_to(*symbol.file, symbol.input()), reference_to(object, declared),
                      hint("a map has SEC(\".maps\") wherever it is declared")}});
}

/// Warns about a variable outside of .maps that is like a map.
void warn_variable(Context& context, const ObjectFile& object, const BtfDeclaration& declaration) {
  const Symbol& symbol = *declaration.symbol;
  const InputSection* section = symbol.place().section;
  if (!symbol.in_output || !describes_symbol(object, declaration) || symbol.file != &object ||
      !section)
    return;
  bool is_data = facts_of(section->role).is_global_data || section->role == SectionRole::Other;
  if (is_data && is_like_map(*object.btf, skip_modifiers(*object.btf, declaration.type().type())))
    context.diagnostics.warning(
        fmt::format("'{}' is defined like a map, but is a variable in {}", symbol.name,
                    section->name),
        {reference_to(object, symbol.input()), hint("put SEC(\".maps\") behind its name")},
        DiagnosticCode::NotLoadable, {.symbol = symbol.name});
}

}  // namespace

void check_maps(Context& context) {
  warn_legacy_maps(context);
  std::unordered_set<const Symbol*> declared_as_maps;
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations)
      if (declaration.role == SectionRole::Maps && declaration.symbol &&
          !object->symbols[declaration.symbol_index].is_defined())
        declared_as_maps.insert(declaration.symbol);
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations) {
      if (!declaration.symbol || !declaration.symbol->is_defined || declaration.is_func()) continue;
      check_section(context, *object, declaration);
      if (!context.options.partial && !declared_as_maps.contains(declaration.symbol))
        warn_variable(context, *object, declaration);
    }
}

}  // namespace bpflink
