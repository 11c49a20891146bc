#include "linker/types/value_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bpflink/btf_query.hpp"
#include "linker/facts/verifier_rules.hpp"

namespace bpflink {
namespace {

constexpr std::string_view contains = "contains:";

bool is_lock(std::string_view name) {
  return name == "bpf_spin_lock" || name == "bpf_res_spin_lock";
}

}  // namespace

uint32_t ValueRules::struct_of(uint32_t value_type) const {
  uint32_t id = value_type == 0 ? 0 : skip_modifiers(types_, value_type);
  return types_.kind(id) == BtfKind::Struct ? id : 0;
}

/// The name of a type that is a struct, or "".
std::string_view ValueRules::struct_name(uint32_t id) const {
  return types_.kind(id) == BtfKind::Struct ? types_.name(types_.type(id)) : "";
}

const ValueRules::Index& ValueRules::index() {
  if (index_) return *index_;
  index_.emplace();
  for (uint32_t id : object_.tags) {
    BtfType tag = types_.type(id);
    std::string_view text = types_.name(tag);
    if (tag.component_idx() >= 0 && text.starts_with(contains))
      index_->tags.emplace(std::pair(tag.type(), static_cast<uint32_t>(tag.component_idx())),
                           text.substr(contains.size()));
  }
  for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id) {
    std::string_view holder = struct_name(id);
    if (holder.empty()) continue;
    BtfType type = types_.type(id);
    for (uint32_t i = 0; i < type.vlen(); ++i)
      if (std::string_view node = struct_name(type.member(i).type); node.ends_with("_node"))
        index_->nodes.emplace(holder, types_.string(type.member(i).name_off), node);
  }
  return *index_;
}

ValueFault ValueRules::find_member_fault(uint32_t value, uint32_t member) {
  std::string_view name = struct_name(types_.type(value).member(member).type);
  bool is_list = name == "bpf_list_head";
  if (!is_list && name != "bpf_rb_root") return {};
  const LinuxRelease since = std::ranges::find(value_fields, name, &ValueField::type)->since;
  auto tag = index().tags.find({value, member});
  if (tag == index().tags.end())
    return {fmt::format("has a {} without a tag that says what it contains", name), since};
  std::string_view text = tag->second, node = is_list ? "bpf_list_node" : "bpf_rb_node";
  size_t colon = std::min(text.find(':'), text.size());
  std::string_view wanted = text.substr(std::min(colon + 1, text.size()));
  if (index().nodes.contains({text.substr(0, colon), wanted, node})) return {};
  return {
      fmt::format("has a {} whose tag '{}{}' names no {} of a struct", name, contains, text, node),
      since};
}

/// Whether the name of a member's struct is wanted.
template <typename Predicate>
bool ValueRules::has_member(uint32_t value_type, Predicate is_wanted) const {
  uint32_t id = struct_of(value_type);
  if (id == 0) return false;
  BtfType value = types_.type(id);
  for (uint32_t i = 0; i < value.vlen(); ++i)
    if (is_wanted(struct_name(skip_modifiers(types_, value.member(i).type)))) return true;
  return false;
}

bool ValueRules::has_lock(uint32_t value_type) const {
  return has_member(value_type, is_lock);
}

bool ValueRules::has_field(uint32_t value_type, std::string_view of_struct) const {
  return has_member(value_type, [&](std::string_view name) { return name == of_struct; });
}

ValueFault ValueRules::find_fault(uint32_t value_type) {
  uint32_t id = struct_of(value_type);
  if (id == 0) return {};
  BtfType value = types_.type(id);
  uint32_t locks = 0;
  for (uint32_t i = 0; i < value.vlen(); ++i) {
    locks += is_lock(struct_name(value.member(i).type)) ? 1 : 0;
    if (auto fault = find_member_fault(id, i); !fault.text.empty()) return fault;
  }
  if (locks < 2) return {};
  return {fmt::format("has a value with {} locks, and kernels accept one", locks)};
}

}  // namespace bpflink
