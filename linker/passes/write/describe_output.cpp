// Passes: build the model of the output that all reports are drawn from; compute the link's
// statistics, and the texts of reports that are not files.
//
// Sizes are measured on the object that was read back. The context tells which input each byte came
// from.
#include <algorithm>

#include "linker/report/model.hpp"
#include "linker/report/output_parts.hpp"
#include "linker/report/report_files.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

void add_dropped(const Context& context, std::vector<DroppedPart>& parts) {
  for (const auto& list : {find_dropped(context), find_merged_strings(context)})
    for (const DroppedPart& dropped : list)
      if (dropped.bytes != 0) parts.push_back(dropped);
}

std::vector<SplitTag> describe_tags(const Context& context, const ObjectFile& output) {
  if (!output.btf) return {};
  std::vector<TypeMap> maps;
  std::vector<std::string> names;
  for (const auto& object : context.objects) {
    if (!object->btf) continue;
    maps.push_back(object->type_map);
    names.push_back(object->name);
  }
  return find_split_tags({*output.btf, maps, names});
}

}  // namespace

void describe_output(Context& context) {
  const LinkOptions& options = context.options;
  const ObjectFile& output = *context.written;
  auto shown = std::make_shared<OutputModel>();
  context.model = shown;
  OutputModel& model = *shown;
  model.file = output.name;
  model.bytes = output.image.size();
  OutputParts parts(context, output);
  add_output(context, output, parts, model);
  describe_programs(output, parts, model);
  for (const std::string& name : options.explain)
    if (auto story = explain_name(context, parts, name))
      context.report.explanations += *story;
    else
      context.diagnostics.error(story.error().message);
  if (!shows_model(options)) return;
  model.savings = find_savings(context);
  if (lists_dropped(options)) {
    add_dropped(context, model.dropped);
    model.tags = describe_tags(context, output);
  }
}

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
