// Pass: report externs that stay undefined.
//
// The loader provides symbols that an object's BTF lists in .ksyms or .kconfig. A weak extern may
// stay 0, and a partial link leaves externs to a later link. Any other extern is an error that
// lists its references. text/render.cpp formats it.
#include <fmt/format.h>

#include "linker/context.hpp"
#include "linker/passes/resolve/symbol_hints.hpp"
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

void report_undefined_symbols(Context& context) {
  if (context.options.partial) return;
  report_undefined_requests(context);
  std::unordered_map<const Symbol*, UseList> undefined;
  for (const Symbol* symbol : context.symbols.all())
    if (must_be_defined(*symbol)) undefined.try_emplace(symbol);
  if (undefined.empty()) return;

  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections()) {
      if (!section.is_loaded()) continue;
      for (const Relocation& relocation : section.relocations) {
        auto found = undefined.find(object->symbols[relocation.symbol].global);
        if (found == undefined.end()) continue;
        if (is_live(section, relocation.offset))
          found->second.add(*object, section, relocation.offset, found->first->name);
      }
    }

  SymbolHints hints(context);
  size_t shown = 0;
  for (const Symbol* symbol : context.symbols.all()) {
    auto found = undefined.find(symbol);
    if (found == undefined.end()) continue;
    std::vector<DiagnosticReference> references = found->second.take();
    if (shown++ < max_hints)
      for (std::string& text : hints.find(*symbol)) references.push_back(hint(std::move(text)));
    if (context.options.hint_at_options && shown == 1)
      references.push_back(hint("-r leaves it to a later link"));
    context.diagnostics.error(fmt::format("undefined symbol: {}", symbol->name),
                              std::move(references), DiagnosticCode::UndefinedSymbol,
                              {.symbol = symbol->name});
  }
}

}  // namespace bpflink
