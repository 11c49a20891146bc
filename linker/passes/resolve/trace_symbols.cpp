// Pass: print every definition and reference of the symbols that -y names.
#include <fmt/format.h>

#include "linker/state/context.hpp"

namespace bpflink {

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
