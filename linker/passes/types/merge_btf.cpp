// Pass: deduplicate the types of all inputs.
//
// The deduplicator does not see types that symbol resolution decides on: VARs and DATASECs, which
// build_datasecs() makes from the symbols, and FUNCs of losers and of bound externs, which become
// the winner's FUNC. FUNCs whose linkage contradicts the symbol table are made anew (bpf-gcc calls
// all functions static). Tags of an omitted type move to the type that replaces it.
#include <algorithm>

#include "dedup/for_linker.hpp"
#include "linker/state/context.hpp"
#include "linker/state/function_maker.hpp"
#include "linker/state/renumber_types.hpp"
#include "linker/state/used_types.hpp"

namespace bpflink {
namespace {

/// The ids of the FUNCs whose code was dropped, sorted. One FUNC may stand for several static
/// functions; it is dropped only with all of them.
std::vector<uint32_t> find_dropped_functions(const ObjectFile& object) {
  std::vector<uint32_t> dropped, kept;
  object.for_each_func_info([&](const InputSection& section, FuncInfo record) {
    (place_of(section, record.insn_off) ? kept : dropped).push_back(record.type_id);
  });
  std::ranges::sort(kept);
  std::ranges::sort(dropped);
  std::erase_if(dropped, [&](uint32_t id) { return std::ranges::binary_search(kept, id); });
  return dropped;
}

/// Whether the FUNC goes through the deduplicator unchanged and then describes its symbol.
bool is_kept_unchanged(const ObjectFile& object, const BtfDeclaration& declaration) {
  if (!declaration.is_func() || !describes_symbol(object, declaration)) return false;
  const Symbol* symbol = declaration.symbol;
  if (!symbol) return !declaration.was_made_local;
  // A FUNC that a link made stays static: the kernel rejects a global function that returns void.
  bool is_right =
      declaration.is_synthesized || declaration.type().func_linkage() == linkage_of(*symbol);
  return symbol->in_output && is_right;
}

/// Whether gcc wrote the FUNC for a built-in function that needs no symbol, such as memcpy. Kernels
/// reject BTF with an extern FUNC that is in no DATASEC.
bool is_unused_extern(const BtfDeclaration& declaration) {
  return declaration.is_func() && !declaration.symbol &&
         declaration.type().func_linkage() == BtfLinkage::Extern;
}

/// By id: whether the type is omitted from deduplication.
std::vector<bool> choose_omitted(const Context& context, const ObjectFile& object) {
  std::vector<bool> omitted(object.btf->end_id());
  if (context.options.gc_sections) omitted = find_unused_types(object, context.options.keep_types);
  for (uint32_t id : object.datasecs) omitted[id] = true;
  std::optional<std::vector<uint32_t>> dropped;  // computed at the first static function
  for (const BtfDeclaration& declaration : object.declarations) {
    bool is_kept = is_kept_unchanged(object, declaration) &&
                   (context.options.partial || !is_unused_extern(declaration));
    if (is_kept && !declaration.symbol) {
      if (!dropped) dropped = find_dropped_functions(object);
      is_kept = !std::ranges::binary_search(*dropped, declaration.type_id);
    }
    if (!is_kept) omitted[declaration.type_id] = true;
  }
  for (uint32_t id : object.tags)
    if (omitted[object.btf->type(id).type()]) omitted[id] = true;
  return omitted;
}

/// Maps FUNCs whose symbol another object describes to that object's FUNC.
void redirect_functions(ObjectFile& object) {
  for (const BtfDeclaration& declaration : object.declarations) {
    if (!declaration.symbol) continue;
    uint32_t id = declaration.type_id;
    if (object.type_map[id] == 0 && declaration.is_func())
      object.type_map.set(id, declaration.symbol->output_btf_id);
  }
}

/// Sorts declarations of structs by their names, in the places that they have. LLVM orders those
/// that it makes by the addresses of its memory, which differ from run to run.
void order_declarations(Context& context) {
  BtfBuilder& btf = *context.btf;
  const BtfView types = btf;
  if (!may_renumber_types(context)) return;
  std::vector<uint32_t> order, declarations;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    order.push_back(id);
    if (types.kind(id) == BtfKind::Fwd) declarations.push_back(id);
  }
  std::vector<uint32_t> sorted = declarations;
  std::ranges::stable_sort(sorted, {}, [&](uint32_t id) {
    return std::pair(types.name(types.type(id)), types.type(id).kind_flag());
  });
  for (size_t i = 0; i < sorted.size(); ++i) order[declarations[i] - types.first_id()] = sorted[i];
  renumber_types(context, TypeMap(0, rearrange_types(btf, order)));
}

}  // namespace

void merge_btf(Context& context) {
  std::vector<DedupInput> inputs;
  for (const auto& object : context.objects)
    if (object->btf)
      inputs.push_back({object->name + ": .BTF", &*object->btf, choose_omitted(context, *object)});
  if (inputs.empty()) return;
  Deduplicator deduplicator({.threads = context.options.threads, .borrow_inputs = true});
  deduplicator.add(std::move(inputs));
  auto result = deduplicator.run();
  if (!result) return context.diagnostics.error(result.error().message);
  context.btf = std::move(result->types);
  auto next = result->type_maps.begin();
  for (auto& object : context.objects)
    if (object->btf) object->type_map = std::move(*next++);
  FunctionMaker maker(*context.btf);
  for (auto& object : context.objects) {
    std::optional<std::vector<uint32_t>> dropped;  // computed at the first that was made local
    for (const BtfDeclaration& declaration : object->declarations) {
      if (!declaration.is_func() || !(declaration.symbol || declaration.was_made_local)) continue;
      if (declaration.was_made_local) {
        if (!dropped) dropped = find_dropped_functions(*object);
        if (std::ranges::binary_search(*dropped, declaration.type_id)) continue;
      }
      object->type_map.set(declaration.type_id, maker.of_declaration(*object, declaration));
    }
  }
  for (auto& object : context.objects)
    if (object->btf) redirect_functions(*object);
  if (context.has_code_of_bitcode) order_declarations(context);
}

}  // namespace bpflink
