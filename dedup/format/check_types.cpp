// Checks that type ids and string offsets are in range, and what FUNC, DATASEC and DECL_TAG require
// of the types that they refer to.
#include "dedup/format/check_types.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

std::unexpected<Error> fail_type(const BtfView& types, uint32_t id, const std::string& what) {
  return std::unexpected(Error{describe_type(types, id) + ": " + what});
}

/// Element `i` of a type in messages: "member 'x'", "parameter 2".
std::string describe_element(const BtfView& types, BtfType type, size_t i) {
  const KindRow& row = kind_row(type.kind());
  std::string_view name;
  if (row.layout.element[0] == WordRole::Name)
    name = types.string(type.extra()[i * kind_words(row.kind).element_words]);
  return name.empty() ? fmt::format("{} {}", row.element, i)
                      : fmt::format("{} '{}'", row.element, name);
}

/// The fault of a word with a role, or "".
std::string describe_fault(const BtfView& types, WordRole role, uint32_t word) {
  if (role == WordRole::Id && word >= types.end_id())
    return fmt::format("refers to type id {}, but the last is {}", word, types.end_id() - 1);
  if (role == WordRole::Name && word >= types.string_end() && word != 0)
    return fmt::format("has its name at string offset {}, but the strings end at {}", word,
                       types.string_end());
  return "";
}

/// Checks ids and string offsets of one type.
std::expected<void, Error> check_ranges(const BtfView& types, uint32_t id) {
  BtfType type = types.type(id);
  if (auto fault = describe_fault(types, WordRole::Name, type.name_off()); !fault.empty())
    return fail_type(types, id, fault);
  if (!is_known(type.kind())) return {};
  const KindLayout& layout = kind_row(type.kind()).layout;
  const KindWords& counts = kind_words(type.kind());
  const uint32_t* word = &type.words()[head_start];
  for (size_t i = 0; i < counts.head_words; ++i, ++word) {
    bool is_index = type.kind() == BtfKind::Array && i == 2;
    auto fault = describe_fault(types, layout.head[i], *word);
    if (fault.empty()) continue;
    auto error = fail_type(types, id, (is_index ? "index " : "") + fault);
    if (type.kind() == BtfKind::Func)
      error.error().advice =
          "compile with -g: -g1 and -gline-tables-only make functions without types";
    return error;
  }
  for (size_t i = 0; counts.element_words != 0 && i < type.vlen(); ++i)
    for (size_t w = 0; w < counts.element_words; ++w, ++word)
      if (auto fault = describe_fault(types, layout.element[w], *word); !fault.empty())
        return fail_type(types, id, describe_element(types, type, i) + " " + fault);
  return {};
}

std::expected<void, Error> check_func(const BtfView& types, uint32_t id, BtfType func) {
  if (types.kind(func.type()) == BtfKind::FuncProto) return {};
  return fail_type(types, id,
                   fmt::format("has type id {}, which is {}, not FUNC_PROTO", func.type(),
                               btf_kind_name(types.kind(func.type()))));
}

std::expected<void, Error> check_datasec(const BtfView& types, uint32_t id, BtfType datasec) {
  for (uint32_t i = 0; i < datasec.vlen(); ++i) {
    uint32_t var = datasec.var_secinfo(i).type;
    BtfKind kind = types.kind(var);
    if (kind != BtfKind::Var && kind != BtfKind::Func)
      return fail_type(types, id,
                       fmt::format("variable {} has type id {}, which is {}, not VAR or FUNC", i,
                                   var, btf_kind_name(kind)));
  }
  return {};
}

/// The number of members or parameters that a declaration tag on a type may be for.
uint32_t tag_components(const BtfView& types, uint32_t id) {
  BtfKind kind = types.kind(id);
  if (is_composite(kind)) return types.type(id).vlen();
  if (kind == BtfKind::Func && types.kind(types.type(id).type()) == BtfKind::FuncProto)
    return types.type(types.type(id).type()).vlen();
  return 0;
}

std::expected<void, Error> check_decl_tag(const BtfView& types, uint32_t id, BtfType tag) {
  int64_t index = tag.component_idx();
  uint32_t components = tag_components(types, tag.type());
  if (index >= -1 && index < components) return {};
  return fail_type(types, id,
                   fmt::format("has component index {}, but type id {} has {} components", index,
                               tag.type(), components));
}

/// Checks the types that a FUNC, DATASEC or DECL_TAG refers to.
std::expected<void, Error> check_constraints(const BtfView& types, uint32_t id) {
  BtfType type = types.type(id);
  if (type.kind() == BtfKind::Func) return check_func(types, id, type);
  if (type.kind() == BtfKind::Datasec) return check_datasec(types, id, type);
  return check_decl_tag(types, id, type);
}

}  // namespace

std::string describe_type(uint32_t id, BtfKind kind, std::string_view name) {
  return name.empty() ? fmt::format("type [{}] {}", id, btf_kind_name(kind))
                      : fmt::format("type [{}] {} '{}'", id, btf_kind_name(kind), shown_name(name));
}

std::string describe_type(const BtfView& types, uint32_t id) {
  BtfType type = types.type(id);
  return describe_type(id, type.kind(), types.name(type));
}

bool begins_string(const BtfView& types, uint32_t offset) {
  const BtfView* owner = &types;
  while (offset - 1 < owner->string_begin()) owner = owner->base();
  return owner->strings()[offset - 1 - owner->string_begin()] == '\0';
}

namespace {

std::expected<void, Error> check_in_range(const BtfView& types, const TypeSummary& summary) {
  bool strings_fit = summary.largest_string < types.string_end() || summary.largest_string == 0;
  if (summary.largest_id >= types.end_id() || !strings_fit)
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id) TRY(check_ranges(types, id));
  for (uint32_t id : summary.with_constraints) TRY(check_constraints(types, id));
  return {};
}

/// Whether a blob stands alone: as BTF without a base, all its ids and string offsets would be in
/// range, and as split BTF it would refer only to its base.
bool stands_alone(const BtfView& types, const TypeSummary& summary) {
  std::string_view strings = types.strings();
  uint32_t count = types.end_id() - types.first_id();
  return count != 0 && strings.size() > 1 && strings.front() == '\0' &&
         summary.largest_string < std::min<size_t>(strings.size(), types.string_begin()) &&
         summary.largest_id <= std::min(count, types.first_id() - 1);
}

/// Checks that a blob was split from its base. With the wrong base, ids and offsets are often in
/// range. But then nearly all names begin in the middle of a string, which few producers write, and
/// none for most names.
std::expected<void, Error> check_base(const BtfView& types, const TypeSummary& summary) {
  if (stands_alone(types, summary)) return std::unexpected(Error{"it stands alone"});
  uint32_t beginning = 0, within = 0;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    uint32_t name = types.first_word(id)[0];
    if (name != 0) ++(begins_string(types, name) ? beginning : within);
  }
  if (within <= beginning) return {};
  return std::unexpected(Error{fmt::format("the names of {} of {} begin in the middle of a string",
                                           within, count_of(within + beginning, "type"))});
}

}  // namespace

std::expected<void, Error> check_references(const BtfView& types, const TypeSummary& summary) {
  auto ok = check_in_range(types, summary);
  if (types.base() == nullptr) return ok;
  if (ok) ok = check_base(types, summary);
  if (ok) return ok;
  return std::unexpected(Error{"is not split from the given base: " + ok.error().message});
}

}  // namespace bpflink
