#include "linker/state/type_detail.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"
#include "dedup/for_linker.hpp"
#include "linker/state/context.hpp"
#include "linker/state/gc_roots.hpp"
#include "linker/state/used_types.hpp"
#include "linker/types/map_definition.hpp"
#include "linker/types/type_search.hpp"

namespace bpflink {
namespace {

/// Structs that the kernel manages as members. Sorted.
constexpr auto managed_structs = std::to_array<std::string_view>(
    {"bpf_dynptr", "bpf_list_head", "bpf_list_node", "bpf_rb_node", "bpf_rb_root", "bpf_refcount",
     "bpf_res_spin_lock", "bpf_spin_lock", "bpf_task_work", "bpf_timer", "bpf_wq"});
static_assert(std::ranges::is_sorted(managed_structs));

class DetailSearch {
 public:
  explicit DetailSearch(const Context& context)
      : context_(context),
        types_(*context.btf),
        next_of_tag_(types_.end_id()),
        details_(types_.end_id()) {}

  std::vector<TypeDetail> run() {
    link_definitions();
    need_objects();
    need_core_roots();
    need_names_in_tags();
    need_managed_structs();
    need_kept();
    need_unreferenced();
    follow();
    return std::move(details_);
  }

 private:
  bool has_tag(uint32_t id) const {
    return is_composite(types_.kind(id)) && !types_.name(types_.type(id)).empty();
  }

  /// Makes a ring of the definitions of each tag.
  void link_definitions() {
    std::unordered_map<std::string_view, uint32_t> structs, unions;  // the last of each tag
    for (uint32_t id = 1; id < types_.end_id(); ++id) {
      next_of_tag_[id] = id;
      if (!has_tag(id)) continue;
      BtfType type = types_.type(id);
      auto& last = type.kind() == BtfKind::Struct ? structs : unions;
      auto [entry, is_new] = last.try_emplace(types_.name(type), id);
      if (!is_new) std::swap(next_of_tag_[id], next_of_tag_[entry->second]);
    }
  }

  /// A declaration could resolve to another definition of its tag. So if one definition of a tag
  /// stays, all stay.
  void need(uint32_t id, TypeDetail detail) {
    if (id == 0) return;
    if (is_composite(types_.kind(id)) && !has_tag(id))
      detail = std::max(detail, TypeDetail::Definition);
    TypeDetail before = details_[id];
    if (before >= detail) return;
    details_[id] = detail;
    pending_.push_back(id);
    if (before >= TypeDetail::Definition || detail < TypeDetail::Definition) return;
    for (uint32_t other = next_of_tag_[id]; other != id; other = next_of_tag_[other])
      if (details_[other] < TypeDetail::Definition) {
        details_[other] = TypeDetail::Definition;
        pending_.push_back(other);
      }
  }

  // ---- roots

  /// Roots: maps and struct_ops variables. Other variables are roots because nothing refers to
  /// them.
  void need_objects() {
    for (uint32_t id = 1; id < types_.end_id(); ++id) {
      BtfType datasec = types_.type(id);
      if (datasec.kind() != BtfKind::Datasec) continue;
      SectionRole role = role_of(types_.name(datasec));
      for (uint32_t i = 0; i < datasec.vlen(); ++i) {
        uint32_t object = datasec.var_secinfo(i).type;
        if (role == SectionRole::StructOps) need(object, TypeDetail::Everything);
        if (role == SectionRole::Maps && types_.kind(object) == BtfKind::Var)
          need_map(types_.type(object).type());
      }
    }
  }

  void need_map(uint32_t id) {
    uint32_t definition = skip_modifiers(types_, id);
    if (!is_composite(types_.kind(definition))) return;
    for (const MapAttribute& attribute : read_map_attributes(types_, definition)) {
      need(attribute.type_id, TypeDetail::Pointees);
      bool is_map_within = attribute.form == MapAttribute::Form::Values &&
                           is_composite(types_.kind(attribute.type_id));
      if (!is_map_within) continue;
      for (const MapAttribute& inner : read_map_attributes(types_, attribute.type_id))
        need(inner.type_id, TypeDetail::Pointees);
    }
  }

  void need_core_roots() {
    for (auto& object : context_.objects)
      object->for_each_core_relo([&](const InputSection& section, CoreRelo relo) {
        if (!place_of(section, relo.insn_off)) return;
        bool is_deep = CoreKind(relo.kind) >= CoreKind::TypeMatches;
        need(object->type_map[relo.type_id],
             is_deep ? TypeDetail::Everything : TypeDetail::Pointees);
      });
  }

  void need_names_in_tags() {
    std::unordered_set<std::string_view> words;
    for (uint32_t id = 1; id < types_.end_id(); ++id)
      if (types_.kind(id) == BtfKind::DeclTag) add_words(types_.name(types_.type(id)), words);
    for (uint32_t id = 1; id < types_.end_id(); ++id) {
      BtfType type = types_.type(id);
      bool may_be_named = is_composite(type.kind()) || type.kind() == BtfKind::Typedef;
      if (may_be_named && words.contains(types_.name(type))) need(id, TypeDetail::Pointees);
    }
  }

  static void add_words(std::string_view text, std::unordered_set<std::string_view>& words) {
    auto is_of_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    for (auto end = text.begin();;) {
      auto begin = std::find_if(end, text.end(), is_of_word);
      if (begin == text.end()) return;
      end = std::find_if_not(begin, text.end(), is_of_word);
      words.emplace(begin, end);
    }
  }

  /// Roots: structs with a managed member or a managed pointer (`kptr`, `percpu_kptr`, `uptr`).
  void need_managed_structs() {
    std::vector<bool> is_needed = find_embedders(types_, [&](uint32_t id) {
      BtfType type = types_.type(id);
      if (type.kind() == BtfKind::Ptr) return pointer_tags(types_, id).contains("ptr");
      return is_composite(type.kind()) &&
             std::ranges::binary_search(managed_structs, types_.name(type));
    });
    for (uint32_t id = 1; id < types_.end_id(); ++id)
      if (is_needed[id]) need(id, TypeDetail::Pointees);
  }

  void need_kept() {
    for (uint32_t id = 1; id < types_.end_id(); ++id)
      if (is_kept_type(context_.options.keep_types, types_, id)) need(id, TypeDetail::Pointees);
  }

  /// Roots: types that nothing refers to, and one type of each cycle that nothing else refers to.
  void need_unreferenced() {
    std::vector<bool> is_referenced(types_.end_id());
    for (uint32_t id = 1; id < types_.end_id(); ++id)
      for_each_reference(types_.type(id).words(), [&](uint32_t to) { is_referenced[to] = true; });
    for (uint32_t id = 1; id < types_.end_id(); ++id)
      if (!is_referenced[id]) need(id, TypeDetail::Pointees);
    TypeSearch reached(types_);
    for (uint32_t id = 1; id < types_.end_id(); ++id)
      if (details_[id] != TypeDetail::Nothing) reached.add(id);
    reached.follow_references();
    for (uint32_t id = 1; id < types_.end_id(); ++id) {
      if (reached.found()[id]) continue;
      need(id, TypeDetail::Pointees);
      reached.add(id);
      reached.follow_references();
    }
  }

  // ---- references

  void follow() {
    while (!pending_.empty()) {
      uint32_t id = pending_.back();
      pending_.pop_back();
      BtfType type = types_.type(id);
      if (is_composite(type.kind()) && details_[id] < TypeDetail::Definition) continue;
      TypeDetail detail = detail_of_references(type.kind(), details_[id]);
      for_each_reference(type.words(), [&](uint32_t to) { need(to, detail); });
    }
  }

  /// The detail that a type requires of the types that it refers to, if `detail` of it is required.
  static TypeDetail detail_of_references(BtfKind kind, TypeDetail detail) {
    if (detail == TypeDetail::Everything) return detail;
    if (kind == BtfKind::TypeTag) return TypeDetail::Pointees;
    if (is_composite(kind)) return TypeDetail::Definition;
    if (kind == BtfKind::Ptr && detail != TypeDetail::Pointees) return TypeDetail::Declaration;
    if (kind == BtfKind::Ptr || is_modifier(kind)) return detail;
    return std::max(detail,
                    TypeDetail::Definition);  // elements, parameters and results have a size
  }

  const Context& context_;
  const BtfView types_;
  std::vector<uint32_t> next_of_tag_;
  std::vector<TypeDetail> details_;
  std::vector<uint32_t> pending_;
};

}  // namespace

std::vector<TypeDetail> find_type_details(const Context& context) {
  return DetailSearch(context).run();
}

}  // namespace bpflink
