// What the output would save with other options: what the graph of its parts says, within a few
// bytes of what a link with the option saves. The rest is rounding, and strings that end others.
#include <algorithm>
#include <functional>
#include <unordered_set>

#include "dedup/format/kinds.hpp"
#include "linker/report/model.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"
#include "linker/state/renumber_types.hpp"
#include "linker/state/type_detail.hpp"

namespace bpflink {
namespace {

/// Which nodes are needed by others that match.
template <typename Matches>
std::vector<bool> find_needed(const OutputModel& model, Matches matches) {
  std::vector<bool> is_needed(model.nodes.size());
  for (uint32_t from = 1; from < model.nodes.size(); ++from)
    for (uint32_t to : model.uses.edges(from))
      if (to != from && matches(model.nodes[from])) is_needed[to] = true;
  return is_needed;
}

/// Of code and data that no root reaches, and of all that only they refer to.
uint64_t unreached_bytes(const Context& context) {
  const OutputModel& model = *context.model;
  const std::vector<bool> is_needed = find_needed(model, [](const Node&) { return true; });
  std::vector<bool> stays(model.nodes.size());
  for (uint32_t i = 1; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    bool may_go = node.kind == "function" || node.kind == "variable" || node.kind == "string";
    if (!node.root.empty() || (!is_needed[i] && !may_go)) model.uses.mark_reachable(i, stays);
  }
  uint64_t bytes = 0;
  for (uint32_t i = 1; i < model.nodes.size(); ++i)
    if (!stays[i]) bytes += model.nodes[i].bytes;
  return bytes;
}

/// Of all records of lines but one for each function, and of their strings.
uint64_t line_bytes(const Context& context) {
  if (!context.written->btf_ext) return 0;
  const OutputModel& model = *context.model;
  auto is_table = [](const Node& node) { return node.kind == "line records"; };
  const std::vector<bool> is_needed = find_needed(model, std::not_fn(is_table));
  uint64_t bytes = 0;
  for (uint32_t i = 1; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    if (is_table(node))
      bytes += node.bytes - context.written->btf_ext->line_info.record_size;
    else if (!is_needed[i] && (node.kind == "source line" || node.kind == "file name"))
      bytes += node.bytes;
  }
  return bytes;
}

/// Of local symbols that no relocation names, and of their names.
uint64_t local_symbol_bytes(const Context& context) {
  const ObjectFile& output = *context.written;
  std::vector<bool> is_named(output.symbols.size());
  for (const InputSection& section : output.sections)
    for (const Relocation& relocation : section.relocations) is_named[relocation.symbol] = true;
  std::unordered_set<std::string_view> kept, dropped;
  uint64_t bytes = 0;
  for (uint32_t i = 1; i < output.symbols.size(); ++i) {
    const InputSymbol& symbol = output.symbols[i];
    bool stays = !symbol.is_local() || symbol.is_section() || symbol.type == STT_FUNC ||
                 is_named[i] || (symbol.is_absolute && symbol.type != STT_FILE);
    (stays ? kept : dropped).insert(symbol.name);
    if (!stays) bytes += sizeof(Elf64_Sym);
  }
  for (std::string_view name : dropped)
    if (!kept.contains(name)) bytes += name.size() + 1;
  return bytes;
}

/// Of types that nothing looks into, less what declares them, and of their strings.
uint64_t undetailed_bytes(const Context& context) {
  if (!context.btf || !context.written->btf || !may_renumber_types(context)) return 0;
  const BtfView& types = *context.written->btf;
  const std::vector<TypeDetail> details = find_type_details(context);
  constexpr uint64_t declaration = 12;
  std::vector<bool> kept(types.strings().size()), dropped(kept.size());
  uint64_t bytes = 0;
  for (uint32_t id = 1; id < std::min<size_t>(details.size(), types.end_id()); ++id) {
    BtfType type = types.type(id);
    bool is_declared = is_composite(type.kind()) && details[id] == TypeDetail::Declaration;
    bool goes = details[id] == TypeDetail::Nothing || is_declared;
    for_each_string(type.words(), [&](uint32_t offset) { (goes ? dropped : kept)[offset] = true; });
    if (goes) bytes += type.words().size_bytes() - (is_declared ? declaration : 0);
    if (is_declared) kept[type.name_off()] = true;
  }
  for (uint32_t offset = 0; offset < kept.size(); ++offset)
    if (dropped[offset] && !kept[offset]) bytes += types.string(offset).size() + 1;
  return bytes;
}

}  // namespace

const std::array<SavingOption, 4> saving_options = {{
    {&LinkOptions::gc_sections, "--gc-sections", "what no program or map reaches", unreached_bytes},
    {&LinkOptions::strip_line_info, "--strip-line-info", "source lines and their text", line_bytes},
    {&LinkOptions::discard_locals, "--discard-all", "symbols that loaders do not need",
     local_symbol_bytes},
    {&LinkOptions::prune_types, "--prune-types", "structs that nothing looks into",
     undetailed_bytes},
}};

std::vector<Saving> find_savings(const Context& context) {
  std::vector<Saving> savings;
  for (const SavingOption& saving : saving_options) {
    bool is_of_programs = saving.flag == &LinkOptions::gc_sections;
    if (context.options.*saving.flag || (is_of_programs && context.model->programs.empty()))
      continue;
    if (uint64_t bytes = saving.bytes(context); bytes != 0)
      savings.push_back({saving.option, saving.what, bytes});
  }
  std::ranges::stable_sort(savings, std::greater(), &Saving::bytes);
  return savings;
}

}  // namespace bpflink
