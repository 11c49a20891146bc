// Pass: report externs that stay undefined.
//
// The loader provides symbols that an object's BTF lists in .ksyms or .kconfig. A weak extern may
// stay 0, and a partial link leaves externs to a later link, on request with a warning. Any other
// extern is an error that lists its references. text/render.cpp formats it.
//
// And: print every definition and reference of the symbols that -y names.
#include <fmt/format.h>

#include "linker/state/context.hpp"
#include "linker/state/symbol_hints.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// How many symbols get hints: each hint is a search through all names.
constexpr size_t max_hints = 20;

bool must_be_defined(const Symbol& symbol) {
  return symbol.in_output && !symbol.is_defined && symbol.binding != STB_WEAK &&
         symbol.loader_section.empty();
}

/// Every symbol named with -u must be defined.
void report_undefined_requests(Context& context) {
  for (const std::string& name : context.options.undefined) {
    const Symbol* symbol = context.symbols.find(name);
    if (symbol && symbol->is_defined) continue;
    context.diagnostics.error(fmt::format("undefined symbol: {}", name), {note("required by -u")},
                              DiagnosticCode::UndefinedSymbol, {.symbol = name});
  }
}

}  // namespace

std::vector<SymbolUses> find_uses(const Context& context, bool (*is_wanted)(const Symbol&)) {
  constexpr size_t max_uses = 5;
  std::vector<SymbolUses> uses;
  std::unordered_map<const Symbol*, size_t> index;
  for (const Symbol* symbol : context.symbols.all())
    if (is_wanted(*symbol)) {
      index.emplace(symbol, uses.size());
      uses.push_back({symbol});
    }
  if (uses.empty()) return uses;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections()) {
      if (!section.is_loaded()) continue;
      for (const Relocation& relocation : section.relocations) {
        auto found = index.find(object->symbols[relocation.symbol].global);
        if (found == index.end() || !is_live(section, relocation.offset)) continue;
        auto& [symbol, references, count] = uses[found->second];
        if (++count <= max_uses)
          references.push_back({ReferenceRole::ReferencedBy,
                                location_of(*object, section, relocation.offset, symbol->name)});
      }
    }
  for (auto& [symbol, references, count] : uses)
    add_more(references, ReferenceRole::ReferencedBy, count, max_uses);
  return uses;
}

void report_undefined_symbols(Context& context) {
  bool is_partial = context.options.partial;
  if (is_partial && !context.options.warn_undefined) return;
  if (!is_partial) report_undefined_requests(context);
  std::vector<SymbolUses> undefined = find_uses(context, must_be_defined);
  SymbolHints hints(context);
  size_t shown = 0;
  for (auto& [symbol, references, count] : undefined) {
    if (shown++ < max_hints)
      for (std::string& text : hints.find(*symbol)) references.push_back(hint(std::move(text)));
    if (is_partial)
      references.push_back(note("loaders refuse the object unless a later link defines it"));
    else if (context.options.hint_at_options && shown == 1)
      references.push_back(hint("-r leaves it to a later link"));
    context.diagnostics.report({.severity = is_partial ? Severity::Warning : Severity::Error,
                                .message = fmt::format("undefined symbol: {}", symbol->name),
                                .code = DiagnosticCode::UndefinedSymbol,
                                .symbol = std::string(symbol->name),
                                .references = std::move(references)});
  }
}

void trace_symbols(Context& context) {
  for (const std::string& name : context.options.trace_symbols) {
    const Symbol* symbol = context.symbols.find(name);
    if (!symbol) continue;
    for (auto& object : context.objects)
      for (const InputSymbol& input : object->symbols)
        if (input.global == symbol)
          context.diagnostics.note(
              fmt::format("{}: {} {}", object->name,
                          input.is_defined() ? "definition of" : "reference to", name),
              {}, DiagnosticCode::Trace, {.file = object->name, .symbol = name});
  }
}

}  // namespace bpflink
