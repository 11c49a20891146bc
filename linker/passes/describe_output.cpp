// Pass: build the model of the output that all reports are drawn from.
//
// Sizes are measured on the object that was read back. The context tells which input each byte came
// from.
#include "linker/context.hpp"
#include "linker/report/comparison.hpp"
#include "linker/report/dropped.hpp"
#include "linker/report/output_nodes.hpp"
#include "linker/report/program_costs.hpp"
#include "linker/report/sizes_text.hpp"
#include "linker/report/symbol_story.hpp"

namespace bpflink {
namespace {

void add_dropped(const Context& context, std::vector<DroppedPart>& parts) {
  for (const auto& list : {find_dropped(context), find_merged_strings(context)})
    for (const Dropped& dropped : list)
      if (dropped.bytes != 0)
        parts.push_back({dropped.object->name, std::string(dropped.section),
                         std::string(dropped.name), dropped.reason, dropped.bytes});
}

/// The size that the output would have with other options; nothing if the link fails.
std::optional<uint64_t> link_again(const Context& context, LinkOptions options) {
  for (std::string* file : {&options.map_file, &options.dependency_file, &options.json_file,
                            &options.size_map_file, &options.size_map_against})
    file->clear();
  options.explain.clear();
  options.print_sizes = 0;
  options.report = options.verify = options.fatal_warnings = false;
  Linker linker(std::move(options), {});
  for (const auto& object : context.objects) linker.add_memory(object->name, object->image);
  auto image = linker.link_to_memory();
  return image ? std::optional(image->size()) : std::nullopt;
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

/// Links once more with each option that makes outputs smaller, and compares sizes. An object
/// without programs is not offered --gc-sections: a later link may add programs that reach its
/// code.
std::vector<Saving> find_savings(const Context& context, uint64_t bytes, bool has_programs) {
  struct Offer {
    bool LinkOptions::*flag;
    const char *option, *what;
  };
  std::vector<Saving> savings;
  for (auto [flag, option, what] :
       {Offer{&LinkOptions::gc_sections, "--gc-sections", "what no program or map reaches"},
        Offer{&LinkOptions::strip_line_info, "--strip-line-info", "source lines and their text"},
        Offer{&LinkOptions::prune_types, "--prune-types", "structs that nothing looks into"}}) {
    bool is_of_programs = flag == &LinkOptions::gc_sections;
    if (context.options.*flag || (is_of_programs && !has_programs)) continue;
    LinkOptions options = context.options;
    options.*flag = true;
    if (auto smaller = link_again(context, std::move(options)); smaller && *smaller < bytes)
      savings.push_back({option, what, bytes - *smaller});
  }
  std::ranges::stable_sort(savings, std::greater(), &Saving::bytes);
  return savings;
}

}  // namespace

void describe_output(Context& context) {
  const LinkOptions& options = context.options;
  bool is_reported =
      !options.json_file.empty() || !options.size_map_file.empty() || options.print_sizes != 0;
  if (!is_reported && options.explain.empty()) return;
  const ObjectFile& output = *context.written;
  OutputModel& model = context.model.emplace();
  model.file = output.name;
  model.bytes = output.image.size();
  OutputParts parts(context, output);
  std::vector<uint32_t> nodes = add_output(context, output, parts, model);
  describe_programs(output, parts, model);
  SymbolStory story(context, parts, std::move(nodes), model);
  for (const std::string& name : options.explain)
    context.report->explanations += story.explain(name);
  if (!is_reported) return;
  add_dropped(context, model.dropped);
  model.tags = describe_tags(context, output);
  model.savings = find_savings(context, model.bytes, !model.programs.empty());
  if (!options.size_map_against.empty()) {
    auto ok = compare_with(options.size_map_against, model);
    if (!ok) return context.diagnostics.error(ok.error().message);
  }
  if (options.print_sizes != 0) context.report->sizes = make_sizes_text(model, options.print_sizes);
}

}  // namespace bpflink
