// Pass: compute the link's statistics, and the texts of reports that are not files.
#include <algorithm>

#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"

namespace bpflink {

void make_report(Context& context) {
  LinkReport& report = context.report;
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
  if (context.options.report) {
    report.map = make_map(context);
    report.cross_references = make_cross_references(context);
  }
  if (context.options.print_sizes != 0)
    report.sizes = make_sizes_text(*context.model, context.options.print_sizes);
}

}  // namespace bpflink
