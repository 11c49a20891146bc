#include "linker/skeleton/natural_layout.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "dedup/for_linker.hpp"

namespace bpflink {
namespace {

/// Whether each member of a struct or union is where C puts it, and the size is C's, if types have
/// the given alignment at most.
bool is_record_natural(const BtfView& btf, BtfType record, uint32_t most_aligned) {
  constexpr uint64_t bits = 8;
  uint64_t position = 0, end = 0, most = 1;
  for (uint32_t i = 0; i < record.vlen(); ++i) {
    uint32_t type = record.member(i).type;
    uint64_t size = bits * type_size(btf, type).value_or(0);
    uint64_t alignment = bits * std::min(type_alignment(btf, type).value_or(1), most_aligned);
    uint64_t width = record.member_bitfield_size(i);
    // A bit-field that would cross a unit begins a new one.
    bool fits = width != 0 && size != 0 && position % size + width <= size;
    if (!fits) position = align_up(position, alignment);
    if (record.member_bit_offset(i) != position) return false;
    position += width != 0 ? width : size;
    end = std::max(end, position);
    most = std::max(most, alignment / bits);
    if (record.kind() == BtfKind::Union) position = 0;
  }
  return align_up(end, bits * most) == bits * record.size();
}

/// The type `id` without arrays around it.
uint32_t element_type(const BtfView& btf, uint32_t id) {
  id = skip_qualifiers(btf, id);
  while (btf.kind(id) == BtfKind::Array)
    id = skip_qualifiers(btf, btf.type(id).array_element_type());
  return id;
}

bool is_anonymous_record(const BtfView& btf, uint32_t id) {
  if (id == 0) return false;
  BtfType type = btf.type(id);
  bool is_record = is_composite(type.kind());
  return is_record && btf.name(type).empty();
}

/// Whether a type is an empty struct or union, to which C++ gives a byte, or an array of them.
bool is_empty_record(const BtfView& btf, uint32_t id) {
  uint32_t record = skip_arrays(btf, id);
  return is_composite(btf.kind(record)) && btf.type(record).size() == 0;
}

/// Whether a number of 8 bytes takes the place of a type, or of its elements, where pointers and
/// `long` have 4.
bool is_smaller_on_32_bits(const BtfView& btf, uint32_t id) {
  constexpr uint32_t long_size = 8;
  uint32_t base = skip_arrays(btf, id);
  BtfKind kind = btf.kind(base);
  if (kind == BtfKind::Ptr) return true;
  return kind == BtfKind::Int && btf.type(base).size() == long_size &&
         btf.name(btf.type(base)).find("long long") == std::string_view::npos;
}

/// The same without what is in the members of members, for hosts that may align to 4 at most.
bool is_record_natural_on_32_bits(const BtfView& btf, BtfType record) {
  constexpr uint32_t least_aligned = 4;
  for (uint32_t i = 0; i < record.vlen(); ++i)
    if (is_smaller_on_32_bits(btf, record.member(i).type)) return false;
  return is_record_natural(btf, record, UINT32_MAX) &&
         is_record_natural(btf, record, least_aligned);
}

}  // namespace

bool NaturalLayouts::is_natural(uint32_t id) {
  auto [known, is_new] = known_.try_emplace(id);
  if (is_new) known->second = find(id);
  return known->second;
}

bool NaturalLayouts::is_widened(uint32_t id) {
  if (host_ == Host::Bits64) return false;
  auto [known, is_new] = widened_.try_emplace(id);
  if (is_new) known->second = is_smaller_on_32_bits(btf_, id);
  return known->second;
}

bool NaturalLayouts::find(uint32_t id) {
  constexpr uint32_t widest_on_32_bits = 8;
  uint32_t base = skip_arrays(btf_, id);
  if (host_ == Host::Bits32 && btf_.kind(base) == BtfKind::Int &&
      btf_.type(base).size() > widest_on_32_bits)
    return false;
  std::vector<uint32_t> open{id};
  std::unordered_set<uint32_t> seen;
  while (!open.empty()) {
    if (is_empty_record(btf_, open.back())) return false;
    uint32_t record = element_type(btf_, open.back());
    open.pop_back();
    if (!is_anonymous_record(btf_, record) || !seen.insert(record).second) continue;
    BtfType type = btf_.type(record);
    auto [known, is_new] = records_.try_emplace(record);
    if (is_new)
      known->second = host_ == Host::Bits32 ? is_record_natural_on_32_bits(btf_, type)
                                            : is_record_natural(btf_, type, UINT32_MAX);
    if (!known->second) return false;
    for (uint32_t i = 0; i < type.vlen(); ++i) open.push_back(type.member(i).type);
  }
  return true;
}

}  // namespace bpflink
