// Pass: check for maps that loaders do not recognize.
//
// A loader creates a map for each global variable in .maps. libbpf rejects static ones. A variable
// is no map if only its declaration has SEC(".maps"), not its definition. The reverse does no harm:
// the definition decides.
#include <fmt/format.h>

#include <map>

#include "linker/context.hpp"
#include "linker/diagnostics/locations.hpp"

namespace bpflink {
namespace {

/// How many objects a message lists.
constexpr size_t max_objects = 5;

void warn_legacy_maps(Context& context) {
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      if (section.role == SectionRole::LegacyMaps && section.size != 0)
        context.diagnostics.report(
            {.severity = Severity::Warning,
             .message =
                 fmt::format("{}: libbpf 1.0 and later refuse maps in SEC(\"maps\")", object->name),
             .file = object->name,
             .references = {hint("define them in SEC(\".maps\")")}});
}

void warn_static_maps(Context& context) {
  std::map<std::string_view, std::vector<DiagnosticReference>> maps;
  for (const auto& object : context.objects)
    for (const InputSymbol& symbol : object->symbols) {
      bool is_static = symbol.is_local() && symbol.type == STT_OBJECT && symbol.is_in_section();
      if (is_static && object->sections[symbol.section].role == SectionRole::Maps)
        maps[symbol.name].push_back({ReferenceRole::DefinedAt, location_of(*object, symbol)});
    }
  for (auto& [name, references] : maps) {
    size_t count = references.size();
    references.resize(std::min(count, max_objects));
    add_more(references, ReferenceRole::DefinedAt, count, max_objects);
    references.push_back(
        hint(count == 1 ? "remove static"
                        : "define it in one file, without static; the others declare it: extern "
                          "struct {...} " +
                              std::string(name) + " SEC(\".maps\")"));
    context.diagnostics.report({.severity = Severity::Warning,
                                .message = fmt::format("libbpf refuses static maps: {}", name),
                                .symbol = std::string(name),
                                .references = std::move(references)});
  }
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

}  // namespace

void check_maps(Context& context) {
  warn_legacy_maps(context);
  warn_static_maps(context);
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations)
      if (declaration.symbol && declaration.symbol->is_defined && !declaration.is_func())
        check_section(context, *object, declaration);
}

}  // namespace bpflink
