#include "linker/programs/bpfcore/needs/counterpart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"
#include "dedup/check/names.hpp"
#include "dedup/edit_distance.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// Whether one name contains the other, as `__state` contains `state`.
bool share_a_part(std::string_view a, std::string_view b) {
  constexpr size_t shortest_part = 3;
  return std::min(a.size(), b.size()) >= shortest_part &&
         (a.find(b) != a.npos || b.find(a) != b.npos);
}

/// Whether a member is one of the parts of the missing one, as `i_atime_sec` is `i_atime.tv_sec`.
bool is_part_of(std::string_view name, const MissingMember& missing) {
  if (missing.next.empty() || !name.starts_with(missing.name)) return false;
  std::string_view part = name.substr(missing.name.size());
  if (part.starts_with('_')) part.remove_prefix(1);
  return !part.empty() &&
         (missing.next == part || missing.next.ends_with(fmt::format("_{}", part)));
}

/// Integers and enums are one class: one often becomes the other.
KindClass class_of(const BtfView& types, uint32_t id) {
  KindClass found = kind_class(types.kind(skip_modifiers(types, id)));
  return found == KindClass::Enumeration ? KindClass::Integer : found;
}

/// Searches the outermost members of a kernel's struct.
class CounterpartFinder {
 public:
  CounterpartFinder(const BtfView& types, const MissingMember& missing, size_t& names_left)
      : types_(types),
        missing_(missing),
        names_left_(names_left),
        class_(class_of(missing.types, missing.type_id)),
        similar_name_(missing.name) {
    if (missing.next.empty()) return;
    uint32_t record = skip_modifiers(missing.types, missing.type_id);
    if (auto next = find_member(missing.types, record, missing.next, names_left))
      next_class_ = class_of(missing.types, next->type_id);
  }

  std::optional<FoundMember> find(BtfType container) {
    for (uint32_t i = 0; i < container.vlen() && names_left_ != 0; ++i, --names_left_) {
      BtfMember member = container.member(i);
      std::string_view name = bounded_name(types_, member.name_off);
      if (name.size() > max_kernel_name) continue;
      if (is_part_of(name, missing_)) return FoundMember{member.type, std::string(name)};
      consider(name, member.type);
    }
    if (similar_) return similar_;
    if (part_) return part_;
    if (holders_ == 1) return holder_;
    if (container.vlen() == 1 && missing_.is_only)
      return FoundMember{container.member(0).type,
                         std::string(bounded_name(types_, container.member(0).name_off))};
    return std::nullopt;
  }

 private:
  void consider(std::string_view name, uint32_t type_id) {
    auto next = find_next(name, type_id);
    bool has_same_class = class_of(types_, type_id) == class_;
    if (has_same_class && (missing_.next.empty() || next)) {
      FoundMember member{type_id, std::string(name)};
      if (similar_name_.consider(name))
        similar_ = std::move(member);
      else if (!part_ && share_a_part(name, missing_.name))
        part_ = std::move(member);
    }
    if (next && ++holders_ == 1) holder_ = std::move(next);
  }

  /// What is read of the missing member, in another one or in its elements.
  std::optional<FoundMember> find_next(std::string_view name, uint32_t type_id) {
    if (next_class_ == KindClass::None) return std::nullopt;
    uint32_t id = skip_modifiers(types_, type_id);
    std::string path(name);
    if (types_.kind(id) == BtfKind::Array) {
      id = skip_modifiers(types_, types_.type(id).array_element_type());
      path += "[0]";
    }
    if (!is_composite(types_.kind(id))) return std::nullopt;
    auto found = find_member(types_, id, missing_.next, names_left_);
    if (!found || class_of(types_, found->type_id) != next_class_) return std::nullopt;
    if (!path.empty()) found->path = fmt::format("{}.{}", path, found->path);
    return found;
  }

  const BtfView& types_;
  const MissingMember& missing_;
  size_t& names_left_;
  KindClass class_;
  KindClass next_class_ = KindClass::None;
  NearestName similar_name_;
  std::optional<FoundMember> similar_, part_, holder_;
  size_t holders_ = 0;
};

}  // namespace

std::optional<FoundMember> find_member(const BtfView& types, uint32_t id, std::string_view name,
                                       size_t& names_left) {
  constexpr int deepest = 8;  // members of members
  struct Open {
    uint32_t id;
    std::string path;
    int depth;
  };
  std::vector<Open> open{{id, "", 0}};
  for (size_t at = 0; at < open.size(); ++at) {
    const Open here = open[at];
    BtfType type = types.type(here.id);
    if (!is_composite(type.kind())) continue;
    for (uint32_t i = 0; i < type.vlen() && names_left != 0; ++i, --names_left) {
      BtfMember member = type.member(i);
      std::string_view found = bounded_name(types, member.name_off);
      if (found.size() > max_kernel_name) continue;
      std::string path = here.path;
      if (!found.empty()) path += fmt::format("{}{}", path.empty() ? "" : ".", found);
      if (found == name) return FoundMember{member.type, path};
      uint32_t inner = skip_modifiers(types, member.type);
      if (here.depth < deepest && is_composite(types.kind(inner)))
        open.push_back({inner, path, here.depth + 1});
    }
  }
  return std::nullopt;
}

std::optional<FoundMember> find_counterpart(const BtfView& types, uint32_t id,
                                            const MissingMember& missing, size_t& names_left) {
  if (auto same = find_member(types, id, missing.name, names_left)) return same;
  return CounterpartFinder(types, missing, names_left).find(types.type(id));
}

std::string find_enumerator_like(const BtfView& types, uint32_t id, std::string_view wanted,
                                 size_t& names_left) {
  std::string_view name = essential_name(wanted);
  NearestName nearest(name);
  std::string part;
  BtfType type = types.type(id);
  for (uint32_t i = 0; i < type.vlen() && names_left != 0; ++i, --names_left) {
    std::string_view found = bounded_name(types, type.enumerator(i).name_off);
    if (!nearest.consider(found) && part.empty() && share_a_part(found, name)) part = found;
  }
  return nearest.nearest().empty() ? part : std::string(nearest.nearest());
}

}  // namespace bpflink
