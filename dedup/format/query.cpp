// Queries about types: by name, without modifiers, sizes, alignment.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "bpflink/btf_query.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

constexpr uint32_t bpf_pointer_size = 8;

/// The depth of structs in structs and arrays of arrays to which alignment is searched. No source
/// nests as deep; hostile input may.
constexpr int max_nesting = 64;

/// Follows references from types of the kinds for which `passes` is true. A cycle ends after as
/// many steps as there are types.
template <typename Passes>
uint32_t skip(const BtfView& btf, uint32_t id, Passes passes) {
  for (uint32_t steps = 0; id != 0 && steps < btf.end_id(); ++steps) {
    BtfType type = btf.type(id);
    if (!passes(type.kind())) return id;
    id = type.type();
  }
  return id;
}

/// Remembers each struct's alignment, however many others contain it.
class AlignmentFinder {
 public:
  explicit AlignmentFinder(const BtfView& btf) : btf_(btf) {}

  std::optional<uint32_t> find(uint32_t id, int depth = 0) {
    id = skip_modifiers(btf_, id);
    if (id == 0 || depth > max_nesting) return std::nullopt;
    BtfType type = btf_.type(id);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Ptr) return bpf_pointer_size;
    if (kind == BtfKind::Array) return find(type.array_element_type(), depth + 1);
    if (kind == BtfKind::Var) return find(type.type(), depth + 1);
    if (!has_size(kind) || kind == BtfKind::Datasec) return std::nullopt;
    if (!is_composite(kind))
      return std::clamp<uint32_t>(std::bit_floor(type.size()), 1,
                                  type.size() == 16 ? 16 : bpf_pointer_size);
    auto [known, is_new] = structs_.try_emplace(id, 1);
    if (!is_new) return known->second;
    uint32_t alignment = of_struct(type, depth);
    structs_[id] = alignment;
    return alignment;
  }

 private:
  uint32_t of_struct(BtfType type, int depth) {
    uint32_t largest = 1;
    bool packed = false;
    for (uint32_t i = 0; i < type.vlen(); ++i) {
      uint32_t member = find(type.member(i).type, depth + 1).value_or(1);
      largest = std::max(largest, member);
      bool bitfield = type.member_bitfield_size(i) != 0;
      if (!bitfield && type.member_bit_offset(i) % (8 * member) != 0) packed = true;
    }
    return packed || type.size() % largest != 0 ? 1 : largest;
  }

  BtfView btf_;
  std::unordered_map<uint32_t, uint32_t> structs_;
};

}  // namespace

std::optional<uint32_t> find_type(const BtfView& btf, BtfKind kind, std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (type.kind() == kind && btf.name(type) == name) return id;
  }
  return std::nullopt;
}

struct BtfIndex::Impl {
  /// By name, all ids of that name in ascending order.
  std::unordered_multimap<std::string_view, uint32_t> ids;
  BtfView btf;
};

BtfIndex::BtfIndex(const BtfView& btf) : impl_(new Impl{{}, btf}) {
  impl_->ids.reserve(btf.end_id());
  for (uint32_t id = 1; id < btf.end_id(); ++id)
    if (std::string_view name = btf.name(btf.type(id)); !name.empty()) impl_->ids.emplace(name, id);
}
BtfIndex::BtfIndex(BtfIndex&&) noexcept = default;
BtfIndex& BtfIndex::operator=(BtfIndex&&) noexcept = default;
BtfIndex::~BtfIndex() = default;

std::optional<uint32_t> BtfIndex::find(BtfKind kind, std::string_view name) const {
  std::optional<uint32_t> first;
  auto [begin, end] = impl_->ids.equal_range(name);
  for (auto entry = begin; entry != end; ++entry)
    if (impl_->btf.kind(entry->second) == kind)
      first = std::min(entry->second, first.value_or(entry->second));
  return first;
}

uint32_t skip_qualifiers(const BtfView& btf, uint32_t id) {
  return skip(btf, id, is_qualifier);
}

uint32_t skip_modifiers(const BtfView& btf, uint32_t id) {
  return skip(btf, id, is_modifier);
}

uint32_t skip_arrays(const BtfView& btf, uint32_t id) {
  id = skip_modifiers(btf, id);
  for (uint32_t steps = 0; btf.kind(id) == BtfKind::Array && steps < btf.end_id(); ++steps)
    id = skip_modifiers(btf, btf.type(id).array_element_type());
  return id;
}

std::optional<uint64_t> type_size(const BtfView& btf, uint32_t id, uint32_t pointer_size) {
  uint64_t count = 1;
  for (uint32_t steps = 0; steps < btf.end_id(); ++steps) {
    id = skip_modifiers(btf, id);
    if (id == 0) return std::nullopt;
    BtfType type = btf.type(id);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Array) {
      if (__builtin_mul_overflow(count, uint64_t{type.array_length()}, &count)) return std::nullopt;
      id = type.array_element_type();
    } else if (kind == BtfKind::Var) {
      id = type.type();
    } else {
      uint64_t size = kind == BtfKind::Ptr ? pointer_size : type.size();
      bool has_one = kind == BtfKind::Ptr || has_size(kind);
      if (!has_one || __builtin_mul_overflow(count, size, &size)) return std::nullopt;
      return size;
    }
  }
  return std::nullopt;
}

std::optional<uint32_t> type_alignment(const BtfView& btf, uint32_t id) {
  return AlignmentFinder(btf).find(id);
}

}  // namespace bpflink
