// Pass: add FUNCs for functions without one.
//
// If a program has func_info, loaders require a record for every function that the program calls.
// Functions without a FUNC (from bpf-gcc, from assembly, from objects without BTF) get one made
// from their symbol. rebase_btf_ext() makes the records.
#include <unordered_map>

#include "linker/insn_set.hpp"

namespace bpflink {
namespace {

std::vector<OutputFunction> find_functions(const Context& context) {
  std::vector<OutputFunction> functions;
  for (auto& object : context.objects)
    for (uint32_t i = 1; i < object->symbols.size(); ++i) {
      const InputSymbol& symbol = object->symbols[i];
      if (symbol.type != STT_FUNC || symbol.place != InputSymbol::Place::Section) continue;
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
  for (auto& object : context.objects) {
    if (!object->btf_ext) continue;
    object->btf_ext->func_info.for_each_record(
        [&](uint32_t section, std::span<const std::byte> record) {
          FuncInfo info = object->btf_ext->load_func_info(record.data());
          auto place = place_of(object->sections[section], info.insn_off);
          if (!place) return;
          if (!described) described.emplace(context);
          described->add(*place);
        });
  }
  return described;
}

class FuncMaker {
 public:
  explicit FuncMaker(BtfBuilder& types) : types_(types), function_types_(types) {}

  uint32_t make(const OutputFunction& function) {
    const InputSymbol& symbol = *function.symbol;
    if (symbol.global && symbol.output_index == 0 && symbol.global->output_btf_id != 0)
      return symbol.global->output_btf_id;
    enter(*function.object);
    if (auto it = static_functions_.find(symbol.name); it != static_functions_.end())
      return it->second;
    if (prototype_ == 0)
      prototype_ = function_types_.add(0, BtfBuilder::info(BtfKind::FuncProto), 0);
    return function_types_.add(types_.add_string(symbol.name),
                               BtfBuilder::info(BtfKind::Func, BtfLinkage::Static), prototype_);
  }

 private:
  /// Indexes the static functions of an object, once for all of its functions, which come in a row.
  void enter(const ObjectFile& object) {
    if (&object == object_) return;
    object_ = &object;
    static_functions_.clear();
    for (const BtfDeclaration& declaration : object.declarations) {
      uint32_t id = object.type_map[declaration.type_id];
      if (declaration.is_func() && id != 0 && !declaration.symbol)
        static_functions_.emplace(object.btf->name(declaration.type()), id);
    }
  }

  BtfBuilder& types_;
  FunctionTypes function_types_;
  const ObjectFile* object_ = nullptr;
  std::unordered_map<std::string_view, uint32_t> static_functions_;  ///< FUNCs by name
  uint32_t prototype_ = 0;  ///< void (void), for functions of unknown type
};

}  // namespace

void complete_functions(Context& context) {
  if (!context.btf) return;
  context.functions = find_functions(context);
  auto described = find_described(context);
  if (!described) return;
  FuncMaker maker(*context.btf);
  for (OutputFunction& function : context.functions)
    if (!described->contains(function.place)) function.synthesized_func = maker.make(function);
}

}  // namespace bpflink
