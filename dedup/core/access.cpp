#include "dedup/core/access.hpp"

#include <charconv>

#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

using Indices = boost::container::small_vector<uint32_t, 8>;

/// The numbers of "0:1:2".
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

std::expected<CoreWay, CoreReason> find_enumerator(const BtfView& types, uint32_t id,
                                                   const Indices& indices) {
  if (id == 0 || !is_enum(types.kind(id)) || indices.size() > 1 ||
      indices[0] >= types.type(id).vlen())
    return std::unexpected(CoreReason::Malformed);
  CoreWay way;
  way.steps.push_back(
      {id, indices[0], types.string(types.type(id).enumerator(indices[0]).name_off)});
  return way;
}

}  // namespace

bool is_flexible_array(const BtfView& types, const CoreStep& step, BtfType array) {
  return !step.name.empty() && array.array_length() == 0 &&
         step.index + 1 == types.type(step.type_id).vlen();
}

std::expected<void, CoreReason> step_to_element(const CoreTypes& types, uint32_t id, uint32_t index,
                                                CoreWay& way) {
  auto size = types.size(id);
  if (!size) return std::unexpected(CoreReason::NoSize);
  if (way.path.size() == max_access_length) return std::unexpected(CoreReason::TooDeep);
  way.steps.push_back({id, index, {}, true});
  way.path.push_back({id, index, {}, true});
  way.bit_offset += index * *size * 8;
  return {};
}

std::expected<CoreWay, CoreReason> find_local_way(const CoreTypes& types,
                                                  const CoreRelocation& relocation) {
  constexpr auto malformed = [] { return std::unexpected(CoreReason::Malformed); };
  if (!is_field_kind(relocation.kind) && !is_enumerator_kind(relocation.kind)) {
    if (relocation.access != "0" || relocation.kind > CoreKind::TypeMatches) return malformed();
    return CoreWay{};
  }
  auto indices = parse_indices(relocation.access);
  if (!indices) return std::unexpected(indices.error());
  uint32_t id = skip_modifiers(types.view, relocation.type_id);
  if (is_enumerator_kind(relocation.kind)) return find_enumerator(types.view, id, *indices);

  CoreWay way;
  if (!step_to_element(types, id, indices->front(), way)) return malformed();
  for (size_t i = 1; i < indices->size(); ++i) {
    uint32_t index = (*indices)[i];
    if (id == 0) return malformed();
    BtfType type = types.view.type(id);
    if (is_composite(type.kind())) {
      if (index >= type.vlen()) return malformed();
      BtfMember member = type.member(index);
      way.bit_offset += type.member_bit_offset(index);
      CoreStep step{id, index, types.view.string(member.name_off)};
      way.path.push_back(step);
      if (!step.name.empty()) way.steps.push_back(step);
      id = skip_modifiers(types.view, member.type);
    } else if (type.kind() == BtfKind::Array) {
      if (index >= type.array_length() && !is_flexible_array(types.view, way.steps.back(), type))
        return malformed();
      id = skip_modifiers(types.view, type.array_element_type());
      if (!step_to_element(types, id, index, way)) return malformed();
    } else {
      return malformed();
    }
  }
  return way;
}

}  // namespace bpflink
