// Pass: build the model of the output that all reports are drawn from.
//
// Sizes are measured on the object that was read back. The context tells which input each byte came
// from.
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

}  // namespace bpflink
