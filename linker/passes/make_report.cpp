// Pass: compute the link's statistics, the map and the cross references.
#include <algorithm>

#include "linker/context.hpp"
#include "linker/report/link_map.hpp"

namespace bpflink {

void make_report(Context& context) {
  if (!context.report) return;
  LinkReport& report = *context.report;
  for (const auto& object : context.objects) {
    ++report.objects;
    if (object->btf) report.input_types += object->btf->end_id() - 1;
    for (const InputSection& section : object->linked_sections())
      report.input_bytes += section.size;
    report.symbols +=
        std::ranges::count_if(object->symbols, [](auto& s) { return s.output_index != 0; });
  }
  if (context.btf) report.output_types = context.btf->end_id() - 1;
  report.symbols +=
      std::ranges::count_if(context.symbols.all(), [](auto* s) { return s->output_index != 0; });
  for (const auto& section : context.sections) {
    report.output_bytes += section->size;
    report.relocations += section->relocations.size();
    ++report.symbols;
  }
  // These texts are long, so they are made only on request.
  if (context.options.report || !context.options.map_file.empty()) report.map = make_map(context);
  if (context.options.report) report.cross_references = make_cross_references(context);
}

}  // namespace bpflink
