#include "dedup/relocations/access.hpp"

#include <charconv>

#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/try.hpp"

namespace bpflink {
namespace {

using Indices = boost::container::small_vector<uint32_t, 8>;

/// Parses "0:1:2".
std::expected<Indices, CoreReason> parse_indices(std::string_view text) {
  Indices indices;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    uint32_t index = 0;
    auto [next, error] = std::from_chars(at, end, index);
    if (error != std::errc() || index > INT32_MAX) return std::unexpected(CoreReason::Malformed);
    if (indices.size() == max_access_length) return std::unexpected(CoreReason::TooDeep);
    indices.push_back(index);
    if (next == end) return indices;
    if (*next != ':') return std::unexpected(CoreReason::Malformed);
    at = next + 1;
  }
}

std::expected<AccessPath, CoreReason> find_enumerator(const BtfView& types, uint32_t id,
                                                      const Indices& indices) {
  if (id == 0 || !is_enum(types.kind(id)) || indices.size() > 1 ||
      indices[0] >= types.type(id).vlen())
    return std::unexpected(CoreReason::Malformed);
  std::string_view name =
      bounded_name(types, types.type(id).enumerator(indices[0]).name_off, max_core_name);
  if (name.size() == max_core_name) return std::unexpected(CoreReason::Malformed);
  AccessPath path;
  path.steps.push_back({id, indices[0], name});
  return path;
}

}  // namespace

bool is_flexible_array(const BtfView& types, const CoreStep& step, BtfType array) {
  return !step.name.empty() && array.array_length() == 0 &&
         step.index + 1 == types.type(step.type_id).vlen();
}

std::expected<void, CoreReason> step_to_element(const CoreTypes& types, uint32_t id, uint32_t index,
                                                AccessPath& path) {
  auto size = types.size(id);
  if (!size) return std::unexpected(CoreReason::NoSize);
  if (path.raw.size() == max_access_length) return std::unexpected(CoreReason::TooDeep);
  path.steps.push_back({id, index, {}, true});
  path.raw.push_back({id, index, {}, true});
  path.bit_offset += index * *size * 8;
  return {};
}

std::expected<AccessPath, CoreReason> find_local_path(const CoreTypes& types,
                                                      const CoreRelocation& relocation) {
  constexpr auto malformed = [] { return std::unexpected(CoreReason::Malformed); };
  if (!is_field_kind(relocation.kind) && !is_enumerator_kind(relocation.kind)) {
    if (relocation.access != "0" || relocation.kind > CoreKind::TypeMatches) return malformed();
    return AccessPath{};
  }
  auto indices = TRY(parse_indices(relocation.access));
  uint32_t id = skip_modifiers(types.view, relocation.type_id);
  if (is_enumerator_kind(relocation.kind)) return find_enumerator(types.view, id, indices);

  AccessPath path;
  if (!step_to_element(types, id, indices.front(), path)) return malformed();
  for (size_t i = 1; i < indices.size(); ++i) {
    uint32_t index = indices[i];
    if (id == 0) return malformed();
    BtfType type = types.view.type(id);
    if (is_composite(type.kind())) {
      if (index >= type.vlen()) return malformed();
      BtfMember member = type.member(index);
      path.bit_offset += type.member_bit_offset(index);
      CoreStep step{id, index, bounded_name(types.view, member.name_off, max_core_name)};
      if (step.name.size() == max_core_name) return malformed();
      path.raw.push_back(step);
      if (!step.name.empty()) path.steps.push_back(step);
      id = skip_modifiers(types.view, member.type);
    } else if (type.kind() == BtfKind::Array) {
      if (index >= type.array_length() && !is_flexible_array(types.view, path.steps.back(), type))
        return malformed();
      id = skip_modifiers(types.view, type.array_element_type());
      if (!step_to_element(types, id, index, path)) return malformed();
    } else {
      return malformed();
    }
  }
  return path;
}

}  // namespace bpflink
