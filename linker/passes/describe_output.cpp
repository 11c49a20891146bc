// Pass: what the reports tell of the output.
//
// What is measured is the object as it was read back. Where things are from, the context knows.
#include "linker/context.hpp"
#include "linker/report/dropped.hpp"
#include "linker/report/output_sizes.hpp"
#include "linker/report/program_costs.hpp"
#include "linker/report/symbol_story.hpp"

namespace bpflink {
namespace {

std::vector<DroppedPart> describe_dropped(const Context& context, const ObjectFile& output) {
  std::vector<DroppedPart> parts;
  std::vector<Dropped> of_btf;
  if (output.btf) of_btf = find_merged_btf(context, *output.btf);
  for (const auto& list : {find_dropped(context), find_merged_strings(context), std::move(of_btf)})
    for (const Dropped& dropped : list) {
      if (dropped.bytes == 0) continue;
      parts.push_back({dropped.object->name, std::string(dropped.section),
                       std::string(dropped.name), dropped.reason, dropped.bytes});
    }
  return parts;
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
  bool is_reported = !options.json_file.empty() || !options.size_map_file.empty();
  if (!is_reported && options.explain.empty()) return;
  const ObjectFile& output = *context.written;
  OutputIndex index(context);
  OutputGraph graph(output);
  SymbolStory story(context, graph);
  for (const std::string& name : options.explain) context.report->explanations += story.tell(name);
  if (!is_reported) return;
  OutputReport& report = context.output_report.emplace();
  report.file = output.name;
  report.bytes = output.image.size();
  report.sections = measure_output(context, index, output);
  report.dropped = describe_dropped(context, output);
  report.tags = describe_tags(context, output);
  describe_programs(output, graph, report);
}

}  // namespace bpflink
