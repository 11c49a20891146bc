// Programs: functions that a loader loads on their own.
#include "linker/object/contents.hpp"

namespace bpflink {

void collect_programs(const ObjectIndex& index, ObjectContents& contents) {
  for (const InputSection& section : index.file.linked_sections()) {
    if (!section.holds_programs()) continue;
    for (const InputSymbol* symbol : index.symbols_in(section)) {
      if (symbol->is_local() || symbol->type != STT_FUNC) continue;
      const BtfDeclaration* func = index.declaration_of(*symbol);
      contents.programs.push_back({symbol->name, section.name, section_meaning(section.name),
                                   symbol->value, symbol->size, func ? func->type_id : 0,
                                   index.type_of(*symbol)});
    }
  }
}

}  // namespace bpflink
