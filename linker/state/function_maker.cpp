#include "linker/state/function_maker.hpp"

namespace bpflink {

BtfLinkage linkage_of(const Symbol& symbol) {
  if (!symbol.is_defined) return BtfLinkage::Extern;
  return symbol.is_localized ? BtfLinkage::Static : BtfLinkage::Global;
}

uint32_t FunctionMaker::of_declaration(const ObjectFile& object,
                                       const BtfDeclaration& declaration) {
  BtfType type = declaration.type();
  std::string_view name = object.btf->name(type);
  uint32_t id = object.type_map[declaration.type_id], prototype = object.type_map[type.type()];
  if (declaration.was_made_local) return add(name, BtfLinkage::Static, prototype);
  Symbol& symbol = *declaration.symbol;
  if (lives_on_as_local(object, declaration)) return add(name, BtfLinkage::Static, prototype);
  if (!describes_symbol(object, declaration) || !symbol.in_output) return id;
  if (id == 0) id = add(name, linkage_of(symbol), prototype);
  if (symbol.is_defined && type.func_linkage() == BtfLinkage::Extern) {
    prototype = name_parameters(prototype);
    types_.mutable_words(id)[2] = prototype;
  }
  symbol.output_btf_id = id;
  return id;
}

uint32_t FunctionMaker::of_function(const OutputFunction& function) {
  const InputSymbol& symbol = *function.symbol;
  if (symbol.global && symbol.output_index == 0 && symbol.global->output_btf_id != 0)
    return symbol.global->output_btf_id;
  list_static_functions(*function.object);
  if (auto it = static_functions_.find(symbol.name); it != static_functions_.end())
    return it->second;
  return add(symbol.name, BtfLinkage::Static,
             function_types_.add(0, BtfBuilder::info(BtfKind::FuncProto), 0));
}

/// A global name has one FUNC, but static FUNCs may be equal.
uint32_t FunctionMaker::add(std::string_view name, BtfLinkage linkage, uint32_t prototype) {
  uint32_t name_off = types_.add_string(name), info = BtfBuilder::info(BtfKind::Func, linkage);
  return linkage == BtfLinkage::Static ? function_types_.add(name_off, info, prototype)
                                       : types_.add_type(name_off, info, prototype);
}

/// The prototype with a name for each parameter.
uint32_t FunctionMaker::name_parameters(uint32_t id) {
  BtfType prototype = types_.type(id);
  std::vector<uint32_t> words(prototype.extra().begin(), prototype.extra().end());
  uint32_t info = prototype.info(), result = prototype.type();
  bool changed = function_types_.name_parameters(words);
  return changed ? function_types_.add(0, info, result, words) : id;
}

void FunctionMaker::list_static_functions(const ObjectFile& object) {
  if (&object == object_) return;
  object_ = &object;
  static_functions_.clear();
  for (const BtfDeclaration& declaration : object.declarations) {
    uint32_t id = object.type_map[declaration.type_id];
    if (declaration.is_func() && id != 0 && !declaration.symbol)
      static_functions_.emplace(object.btf->name(declaration.type()), id);
  }
}

}  // namespace bpflink
