// Pass: the types of all inputs become one set.
//
// The deduplicator merges what is equal. It is not shown what symbol resolution
// decides about: VARs and DATASECs, which build_datasecs() makes from the
// symbols, and FUNCs of definitions that lost or of externs that are bound,
// which become the winner's FUNC. Tags of what is left out go to what stands
// for it.
#include <fmt/format.h>

#include <unordered_set>

#include "linker/context.hpp"

namespace bpflink {
namespace {

/// A static function whose code was dropped: its func_info has no place.
class DroppedFunctions {
 public:
  explicit DroppedFunctions(const ObjectFile& object) {
    if (!object.btf_ext) return;
    const BtfExtTable& table = object.btf_ext->func_info;
    for (const BtfExtSection& part : table.sections) {
      const InputSection& section = object.sections[part.section];
      for (uint32_t i = 0; i < part.count; i++) {
        FuncInfo record = object.btf_ext->load_func_info(part.records.data() + size_t{i} * table.record_size);
        if (!place_of(section, record.insn_off)) ids_.insert(record.type_id);
      }
    }
  }
  bool contains(uint32_t id) const { return ids_.contains(id); }

 private:
  std::unordered_set<uint32_t> ids_;
};

std::vector<bool> choose_omissions(const ObjectFile& object) {
  const Btf& btf = *object.btf;
  std::vector<bool> omit(btf.end_id());
  DroppedFunctions dropped(object);
  for (const BtfDeclaration& declaration : object.declarations) {
    bool is_func = btf.type(declaration.type_id).kind() == BTF_KIND_FUNC;
    bool keep = is_func && describes_symbol(object, declaration);
    if (!declaration.symbol && dropped.contains(declaration.type_id)) keep = false;
    omit[declaration.type_id] = !keep;
  }
  for (uint32_t id = 1; id < btf.end_id(); id++) {
    BtfType type = btf.type(id);
    if (type.kind() == BTF_KIND_DATASEC) omit[id] = true;
    if (type.kind() == BTF_KIND_DECL_TAG && omit[type.type()]) omit[id] = true;
  }
  return omit;
}

/// FUNCs that were left out map to what stands for them.
void map_functions(Context& context, ObjectFile& object) {
  const Btf& btf = *object.btf;
  for (const BtfDeclaration& declaration : object.declarations) {
    BtfType type = btf.type(declaration.type_id);
    if (type.kind() != BTF_KIND_FUNC || !declaration.symbol) continue;
    uint32_t& id = object.type_map[declaration.type_id];
    if (lives_on_as_local(object, declaration)) {
      id = context.btf->add_type(context.btf->add_string(btf.name(type)),
                                 BtfBuilder::info(BTF_KIND_FUNC, BTF_LINKAGE_STATIC),
                                 object.type_map[type.type()]);
    } else if (describes_symbol(object, declaration)) {
      declaration.symbol->output_btf_id = id;
      // What only an extern describes is defined in an object without BTF.
      if (declaration.symbol->is_defined && type.func_linkage() == BTF_LINKAGE_EXTERN)
        context.btf->mutable_words(id)[1] = BtfBuilder::info(BTF_KIND_FUNC, BTF_LINKAGE_GLOBAL);
    }
  }
}

void redirect_functions(ObjectFile& object) {
  for (const BtfDeclaration& declaration : object.declarations) {
    if (!declaration.symbol) continue;
    uint32_t& id = object.type_map[declaration.type_id];
    if (id == 0 && object.btf->type(declaration.type_id).kind() == BTF_KIND_FUNC)
      id = declaration.symbol->output_btf_id;
  }
}

}  // namespace

void merge_btf(Context& context) {
  Deduplicator deduplicator;
  bool has_btf = false;
  for (auto& object : context.objects) {
    if (!object->btf) continue;
    has_btf = true;
    deduplicator.add(object->name, *object->btf, choose_omissions(*object));
  }
  if (!has_btf) return;
  auto result = deduplicator.run();
  if (!result) return context.diagnostics.error(fmt::format(".BTF: {}", result.error().message));
  context.btf = std::move(result->types);
  auto next = result->type_maps.begin();
  for (auto& object : context.objects) {
    if (!object->btf) continue;
    const TypeMap& map = *next++;
    object->type_map.resize(map.end_id());
    for (uint32_t id = 0; id < map.end_id(); id++) object->type_map[id] = map[id];
  }
  for (auto& object : context.objects)
    if (object->btf) map_functions(context, *object);
  for (auto& object : context.objects)
    if (object->btf) redirect_functions(*object);
}

}  // namespace bpflink
