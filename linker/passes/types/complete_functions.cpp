// Pass: add FUNCs for functions without one.
//
// If a program has func_info, loaders require a record for every function that the program calls.
// Functions without a FUNC (from bpf-gcc, from assembly, from objects without BTF) get one made
// from their symbol. rebase_btf_ext() makes the records.
#include "linker/state/function_maker.hpp"
#include "linker/state/insn_set.hpp"

namespace bpflink {
namespace {

std::vector<OutputFunction> find_functions(const Context& context) {
  std::vector<OutputFunction> functions;
  for (auto& object : context.objects)
    for (uint32_t i = 1; i < object->symbols.size(); ++i) {
      const InputSymbol& symbol = object->symbols[i];
      if (symbol.type != STT_FUNC || !symbol.is_in_section()) continue;
      if (symbol.value >= object->sections[symbol.section].size) continue;  // it has no code
      bool is_there =
          symbol.output_index != 0 || (symbol.global && symbol.global->is_from(*object, i));
      if (!is_there || !object->sections[symbol.section].is_code()) continue;
      if (auto place = place_of(object->sections[symbol.section], symbol.value))
        functions.push_back({*place, object.get(), &symbol});
    }
  return functions;
}

/// The instructions that have a func_info record; nothing if the output has no func_info.
std::optional<InsnSet> find_described(const Context& context) {
  std::optional<InsnSet> described;
  for (auto& object : context.objects)
    object->for_each_func_info([&](const InputSection& section, FuncInfo info) {
      auto place = place_of(section, info.insn_off);
      if (!place) return;
      if (!described) described.emplace(context);
      described->add(*place);
    });
  return described;
}

}  // namespace

void complete_functions(Context& context) {
  context.functions = find_functions(context);
  auto described = find_described(context);
  if (!described) return;
  FunctionMaker maker(*context.btf);
  for (OutputFunction& function : context.functions)
    if (!described->contains(function.place))
      function.synthesized_func = maker.of_function(function);
}

}  // namespace bpflink
