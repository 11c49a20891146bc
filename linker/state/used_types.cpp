#include "linker/state/used_types.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "linker/state/context.hpp"
#include "linker/types/type_search.hpp"

namespace bpflink {
namespace {

class UsedTypes {
 public:
  UsedTypes(const ObjectFile& object, const std::vector<std::string>& kept)
      : object_(object),
        btf_(*object.btf),
        kept_(kept),
        search_(btf_),
        has_record_(btf_.end_id()) {}

  std::vector<bool> find_unused() {
    index_tags();
    object_.for_each_func_info(
        [&](const InputSection&, FuncInfo record) { has_record_[record.type_id] = true; });
    find_static_functions();
    for (const BtfDeclaration& declaration : object_.declarations)
      if (is_in_output(declaration)) use(declaration.type_id);
    use_all_records();
    use_kept();
    follow();
    std::vector<bool> unused = search_.take_found();
    unused.flip();
    return unused;
  }

  std::vector<bool> find_only_of_losers() {
    for (const BtfDeclaration& declaration : object_.declarations)
      if (is_gone(declaration)) use(declaration.type_id);
    if (search_.is_idle()) return {};
    index_tags();
    follow();
    std::vector<bool> orphaned = std::exchange(search_, TypeSearch(btf_)).take_found();
    for (const BtfDeclaration& declaration : object_.declarations) {
      orphaned[declaration.type_id] = is_gone(declaration);
      if (!is_gone(declaration)) use_references(declaration.type_id);
    }
    use_all_records();
    use_kept();
    search_.follow([&](uint32_t id) { orphaned[id] = false; });
    return orphaned;
  }

 private:
  void use_kept() {
    for (uint32_t id = 1; id < btf_.end_id() && !kept_.empty(); ++id)
      if (is_kept_type(kept_, btf_, id)) use(id);
  }

  /// Records of func_info and core_relo have the instruction and then a type.
  void use_all_records() {
    auto use_record = [&](const InputSection& section, auto record) {
      if (place_of(section, record.insn_off)) use(record.type_id);
    };
    object_.for_each_func_info(use_record);
    object_.for_each_core_relo(use_record);
  }

  /// Marks types that used types refer to, and their tags.
  void follow() {
    search_.follow([&](uint32_t id) {
      use_references(id);
      for (auto tag = std::ranges::lower_bound(tags_, id, {}, &Tag::tagged);
           tag != tags_.end() && tag->tagged == id; ++tag)
        use(tag->id);
    });
  }

  /// Whether the output has nothing for the declaration.
  bool is_gone(const BtfDeclaration& declaration) const {
    if (declaration.symbol)
      return !lives_on_as_local(object_, declaration) &&
             !(describes_symbol(object_, declaration) && declaration.symbol->in_output);
    return declaration.is_func() ? object_.type_map[declaration.type_id] == 0
                                 : !is_in_output(declaration);
  }

  void use(uint32_t id) { search_.add(id); }

  /// Tags refer to their targets; this index is the reverse.
  void index_tags() {
    for (uint32_t id : object_.tags) tags_.push_back({btf_.type(id).type(), id});
    std::ranges::sort(tags_, {}, &Tag::tagged);
  }

  bool is_in_output(const BtfDeclaration& declaration) const {
    if (declaration.symbol) return declaration.symbol->in_output;
    if (declaration.is_func())  // bpf-gcc makes no records of static functions
      return !has_record_[declaration.type_id] &&
             static_functions_.contains(btf_.name(declaration.type()));
    const InputSection* section = object_.find_linked_section(declaration.datasec);
    return section && place_of(*section, declaration.offset);
  }

  void find_static_functions() {
    for (const InputSymbol& symbol : object_.symbols) {
      bool is_static_function =
          symbol.is_local() && symbol.type == STT_FUNC && symbol.is_in_section();
      if (is_static_function && place_of(object_.sections[symbol.section], symbol.value))
        static_functions_.insert(symbol.name);
    }
  }

  /// DATASECs refer to all variables, used or not. They are made anew, so they count for nothing.
  void use_references(uint32_t id) {
    if (btf_.kind(id) != BtfKind::Datasec) search_.add_references(id);
  }

  const ObjectFile& object_;
  const Btf& btf_;
  const std::vector<std::string>& kept_;
  TypeSearch search_;
  std::vector<bool> has_record_;                           ///< FUNCs with a func_info record
  std::unordered_set<std::string_view> static_functions_;  ///< whose code is in the output
  struct Tag {
    uint32_t tagged, id;
  };
  std::vector<Tag> tags_;  ///< by target
};

}  // namespace

bool is_kept_type(const std::vector<std::string>& names, const BtfView& types, uint32_t id) {
  BtfKind kind = types.kind(id);
  return (is_composite(kind) || is_enum(kind) || kind == BtfKind::Typedef) &&
         std::ranges::find(names, types.name(types.type(id))) != names.end();
}

std::vector<bool> find_unused_types(const ObjectFile& object,
                                    const std::vector<std::string>& kept) {
  return UsedTypes(object, kept).find_unused();
}

std::vector<bool> types_only_losers_use(const ObjectFile& object,
                                        const std::vector<std::string>& kept) {
  return UsedTypes(object, kept).find_only_of_losers();
}

}  // namespace bpflink
