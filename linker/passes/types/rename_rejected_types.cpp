// Pass: give types the names, and members the order, that kernels accept (--kernel-names).
//
// Compilers of Rust and Go name types as their languages do. A character that no C identifier has
// becomes its code, as bpf-linker writes it: `Option<u32>` becomes `Option_3C_u32_3E_`. A name that
// is too long is cut, and ends with a hash of the whole. If another type has the result, it gets a
// `_`. So a name depends on nothing but the types of the link. Pointers and qualifiers have no
// names in C, and lose them. Variables that loaders find by their symbol keep theirs. Parameters of
// functions get a name if they have none, such as the place of the caller that rustc passes.
//
// rustc puts members where they fit, and describes them in the order of the source. They are sorted
// by their offsets, unless an index counts them: that of a CO-RE access, or of a tag.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "bpflink/core.hpp"
#include "dedup/check/names.hpp"
#include "dedup/for_linker.hpp"
#include "dedup/format/builder.hpp"
#include "linker/error.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

/// Calls `visit` for each string offset of a type that the pass may change.
template <class Visit>
void for_each_name(BtfBuilder& btf, uint32_t id, Visit&& visit) {
  BtfType type = btf.type(id);
  BtfKind kind = type.kind();
  bool is_found_by_name = kind == BtfKind::Var && type.var_linkage() != BtfLinkage::Static;
  NameRule rule = is_known(kind) ? kind_row(kind).name_rule : NameRule::Any;
  std::span<uint32_t> words = btf.mutable_words(id);
  if (rule == NameRule::None) words[0] = 0;
  if ((rule == NameRule::Optional || rule == NameRule::Needed) && !is_found_by_name)
    visit(words[0]);
  for_each_word(words, kind_words(kind).names, visit);
}

/// By id: whether the members of a type are counted.
std::vector<bool> find_counted(const Context& context) {
  const BtfView types = *context.btf;
  std::vector<bool> counted(types.end_id());
  for (uint32_t id = 1; id < types.end_id(); ++id)
    if (types.kind(id) == BtfKind::DeclTag && types.type(id).component_idx() >= 0)
      counted[types.type(id).type()] = true;
  for (const auto& object : context.objects) {
    if (!object->btf_ext) continue;
    object->btf_ext->core_relo.for_each_record([&](uint32_t, std::span<const std::byte> record) {
      CoreRelo relo = object->btf_ext->load_core_relo(record.data());
      CoreRelocation access{relo.type_id, object->btf->string(relo.access_str_off),
                            CoreKind(relo.kind)};
      for (const CoreStep& step : core_steps(*object->btf, access))
        counted[object->type_map[step.type_id]] = true;
    });
  }
  return counted;
}

void sort_members(Context& context) {
  using Member = std::array<uint32_t, 3>;
  BtfBuilder& btf = *context.btf;
  std::vector<bool> counted = find_counted(context);
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (type.kind() != BtfKind::Struct || counted[id]) continue;
    std::vector<Member> members(type.vlen());
    std::span<uint32_t> words = btf.mutable_words(id).subspan(3, 3 * members.size());
    for (size_t i = 0; i < members.size(); ++i) std::copy_n(&words[3 * i], 3, members[i].begin());
    uint32_t mask = type.kind_flag() ? 0xffffff : ~0u;  // a bit-field's width is above
    std::ranges::stable_sort(members, {}, [&](const Member& member) { return member[2] & mask; });
    for (size_t i = 0; i < members.size(); ++i) std::ranges::copy(members[i], &words[3 * i]);
  }
}

void name_parameters(BtfBuilder& btf) {
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    if (btf.type(id).kind() != BtfKind::Func) continue;
    uint32_t prototype = btf.type(id).type();
    if (btf.type(prototype).kind() != BtfKind::FuncProto) continue;
    for (uint32_t i = 0; i < btf.type(prototype).vlen(); ++i) {
      BtfParam param = btf.type(prototype).param(i);
      bool is_ellipsis = param.type == 0;
      if (param.name_off != 0 || is_ellipsis) continue;
      btf.mutable_words(prototype)[3 + 2 * size_t{i}] = btf.add_string(fmt::format("arg{}", i));
    }
  }
}

}  // namespace

void rename_rejected_types(Context& context) {
  BtfBuilder& btf = *context.btf;
  sort_members(context);
  name_parameters(btf);
  std::unordered_set<std::string> taken;
  std::unordered_map<uint32_t, std::string> renamed;
  for (uint32_t id = 1; id < btf.end_id(); ++id)
    for_each_name(btf, id, [&](uint32_t name) {
      NameKind kind = name_kind(btf, name);
      if (kind.is_identifier)
        taken.emplace(btf.string(name));
      else if (!kind.is_empty)
        renamed.try_emplace(name);
    });
  for (uint32_t id = 1; id < btf.end_id(); ++id)
    for_each_name(btf, id, [&](uint32_t& name) {
      auto found = renamed.find(name);
      if (found == renamed.end()) return;
      if (found->second.empty()) {
        found->second = kernel_name(btf.string(name));
        while (!taken.insert(found->second).second) found->second += '_';
      }
      name = btf.add_string(found->second);
    });
  // Drop the old names.
  std::vector<uint32_t> order(btf.end_id() - 1);
  std::iota(order.begin(), order.end(), 1);
  rearrange_types(btf, order);
}

}  // namespace bpflink
