// A type of the distilled base is looked up in the kernel by name and kind, as the kernel does when
// it loads the module (btf_relocate()). Integers and enums must have the same size, and so must a
// struct that a split struct contains as a member. If the kernel has several structs of the name,
// the size selects one. Any other struct is behind a pointer, and its size does not matter.
#include "linker/kernels/relocate_base.hpp"

#include <string_view>

#include "bpflink/btf_query.hpp"
#include "dedup/format/builder.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

class Relocation {
 public:
  Relocation(const Btf& split, const Btf& kernel, const NamedTypes& names)
      : split_(split),
        kernel_(kernel),
        names_(names),
        map_(split_.first_id()),
        is_member_(split_.first_id()) {}

  std::expected<void, Error> find_types() {
    mark_members();
    for (uint32_t id = 1; id < split_.first_id(); ++id) {
      auto found = TRY(find(id));
      map_[id] = found;
    }
    return {};
  }

  /// The id in the result for a reference to `id`.
  uint32_t new_id(uint32_t id) const {
    return id < split_.first_id() ? map_[id] : id - split_.first_id() + kernel_.end_id();
  }

 private:
  /// Marks the types of the distilled base that a split struct contains by value.
  void mark_members() {
    for (uint32_t id = split_.first_id(); id < split_.end_id(); ++id) {
      BtfType type = split_.type(id);
      if (!is_composite(type.kind())) continue;
      for (uint32_t i = 0; i < type.vlen(); ++i) {
        uint32_t member = skip_arrays(split_, type.member(i).type);
        if (member < split_.first_id()) is_member_[member] = true;
      }
    }
  }

  std::expected<uint32_t, Error> find(uint32_t id) const {
    BtfType type = split_.type(id);
    std::string_view name = split_.name(type);
    // The first two are enough to know. No kernel has a thousand types of one name.
    std::vector<uint32_t> found, of_same_size;
    size_t left = 1000;
    names_.visit(name, [&](BtfType other, uint32_t candidate) {
      if (--left == 0) return false;
      if (!may_stand_for(type, other)) return true;
      if (found.size() < 2) found.push_back(candidate);
      if (has_size(type) && type.size() == other.size()) of_same_size.push_back(candidate);
      return has_size(type) && of_same_size.size() < 2;
    });
    bool needs_size =
        has_size(type) && (!is_composite(type.kind()) || is_member_[id] || found.size() > 1);
    const auto& matches = needs_size ? of_same_size : found;
    if (matches.size() == 1) return matches.front();
    return fail("{}{}{} of its .BTF.base {} in the kernel", btf_kind_name(type.kind()),
                name.empty() ? "" : " ", name,
                matches.empty() ? "is not" : "is there more than once");
  }

  static bool has_size(BtfType type) { return type.kind() != BtfKind::Fwd; }

  /// Whether the kinds match. A distilled ENUM may also stand for an ENUM64, and a declaration for
  /// a definition.
  static bool may_stand_for(BtfType type, BtfType other) {
    bool is_of_kind = type.kind() == other.kind();
    if (type.kind() == BtfKind::Int)
      return is_of_kind && type.int_encoding() == other.int_encoding();
    if (type.kind() == BtfKind::Enum) return is_enum(other.kind());
    if (type.kind() == BtfKind::Fwd) return tag_space(type) == tag_space(other);
    return is_of_kind;
  }

  const BtfView& split_;
  const BtfView& kernel_;
  const NamedTypes& names_;      // the kernel's
  std::vector<uint32_t> map_;    // from ids of the distilled base to the kernel's
  std::vector<bool> is_member_;  // by ids of the distilled base
};

}  // namespace

std::expected<std::vector<std::byte>, Error> relocate_base(std::span<const std::byte> blob,
                                                           std::span<const std::byte> base_blob,
                                                           const Btf& kernel,
                                                           const NamedTypes& names) {
  auto base = Btf::parse(base_blob);
  if (!base) return fail(".BTF.base: {}", base.error().message);
  auto parsed = TRY(Btf::parse(blob, &*base));
  const Btf& split = parsed;
  Relocation relocation(split, kernel, names);
  TRY(relocation.find_types());
  BtfBuilder types(&kernel);
  for (uint32_t id = split.first_id(); id < split.end_id(); ++id) {
    if (!is_known(split.kind(id))) return fail("type [{}] is of an unknown kind", id);
    copy_type(types, split, id, [&](uint32_t to) { return relocation.new_id(to); });
  }
  return types.finish(split.byte_order());
}

}  // namespace bpflink
