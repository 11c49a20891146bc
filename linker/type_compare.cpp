#include "linker/type_compare.hpp"

#include <map>
#include <string_view>

namespace bpflink {
namespace {

/// BTF_INT_CHAR: compilers differ on whether `char` has it.
constexpr uint32_t INT_CHAR = 1u << 25;

bool is_transparent(uint8_t kind) {
  return kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE ||
         kind == BTF_KIND_RESTRICT || kind == BTF_KIND_TYPE_TAG;
}

bool is_composite(uint8_t kind) {
  return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}
bool is_enum(uint8_t kind) {
  return kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
}

/// The kind that a tag of C declares: a FWD is a struct, or with kind_flag a
/// union, of which no more is known.
uint8_t tag_kind(BtfType type) {
  if (type.kind() == BTF_KIND_FWD) return type.kind_flag() ? BTF_KIND_UNION : BTF_KIND_STRUCT;
  return type.kind();
}

}  // namespace

/// What is behind typedefs, qualifiers and tags. Bounded by the number of types,
/// should they form a circle.
uint32_t TypeComparer::strip(uint32_t id) const {
  for (uint32_t steps = 0; id != 0 && steps < btf_.end_id(); steps++) {
    BtfType type = btf_.type(id);
    if (!is_transparent(type.kind())) break;
    id = type.type();
  }
  return id;
}

bool TypeComparer::compatible(uint32_t a, uint32_t b) {
  return walk({a, b, false}, false);
}

bool TypeComparer::walk(Pair start, bool exact_lengths) {
  pending_.assign(1, start);
  seen_.clear();
  while (!pending_.empty()) {
    Pair pair = pending_.back();
    pending_.pop_back();
    pair.a = strip(pair.a);
    pair.b = strip(pair.b);
    if (pair.a == pair.b || !seen_.insert(pair).second) continue;
    if (!compare_one(pair, exact_lengths)) return false;
  }
  return true;
}

void TypeComparer::follow(uint32_t a, uint32_t b, bool behind_pointer) {
  if (a != b) pending_.push_back({a, b, behind_pointer});
}

bool TypeComparer::compare_one(Pair pair, bool exact_lengths) {
  if (pair.a == 0 || pair.b == 0) return false;
  BtfType a = btf_.type(pair.a), b = btf_.type(pair.b);
  if (a.kind() == BTF_KIND_FWD || b.kind() == BTF_KIND_FWD)
    return tag_kind(a) == tag_kind(b) && btf_.name(a) == btf_.name(b);
  if (is_enum(a.kind()) && is_enum(b.kind())) return compare_enums(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case BTF_KIND_INT:
      return a.size() == b.size() && (a.int_data() & ~INT_CHAR) == (b.int_data() & ~INT_CHAR);
    case BTF_KIND_FLOAT:
      return a.size() == b.size();
    case BTF_KIND_PTR:
      follow(a.type(), b.type(), true);
      return true;
    case BTF_KIND_ARRAY: {
      bool open = !exact_lengths && (a.array_length() == 0 || b.array_length() == 0);
      if (a.array_length() != b.array_length() && !open) return false;
      follow(a.array_element_type(), b.array_element_type(), pair.behind_pointer);
      return true;
    }
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return compare_structs(a, b, pair.behind_pointer);
    case BTF_KIND_FUNC_PROTO:
      if (a.vlen() != b.vlen()) return false;
      follow(a.type(), b.type(), false);
      for (uint32_t i = 0; i < a.vlen(); i++) follow(a.param(i).type, b.param(i).type, false);
      return true;
    case BTF_KIND_FUNC:
      follow(a.type(), b.type(), false);
      return btf_.name(a) == btf_.name(b);
    default:
      return false;
  }
}

bool TypeComparer::compare_structs(BtfType a, BtfType b, bool behind_pointer) {
  if (btf_.name(a) != btf_.name(b)) return false;
  if (behind_pointer && !btf_.name(a).empty()) return true;
  if (a.size() != b.size() || a.vlen() != b.vlen()) return false;
  for (uint32_t i = 0; i < a.vlen(); i++) {
    if (btf_.string(a.member(i).name_off) != btf_.string(b.member(i).name_off) ||
        a.member_bit_offset(i) != b.member_bit_offset(i) ||
        a.member_bitfield_size(i) != b.member_bitfield_size(i))
      return false;
    follow(a.member(i).type, b.member(i).type, behind_pointer);
  }
  return true;
}

bool TypeComparer::compare_enums(BtfType a, BtfType b) const {
  if (btf_.name(a) != btf_.name(b)) return false;
  if (a.vlen() == 0 || b.vlen() == 0) return true;  // one is a forward declaration
  if (a.kind() != b.kind() || a.size() != b.size() || a.vlen() != b.vlen()) return false;
  for (uint32_t i = 0; i < a.vlen(); i++) {
    bool same = a.kind() == BTF_KIND_ENUM ? a.enumerator(i).value == b.enumerator(i).value &&
                                                btf_.string(a.enumerator(i).name_off) ==
                                                    btf_.string(b.enumerator(i).name_off)
                                          : a.enumerator64(i).value == b.enumerator64(i).value &&
                                                btf_.string(a.enumerator64(i).name_off) ==
                                                    btf_.string(b.enumerator64(i).name_off);
    if (!same) return false;
  }
  return true;
}

bool TypeComparer::same_map(uint32_t declared, uint32_t defined, bool declared_is_extern) {
  declared = strip(declared);
  defined = strip(defined);
  if (declared == defined) return true;
  if (declared == 0 || defined == 0) return false;
  BtfType a = btf_.type(declared), b = btf_.type(defined);
  if (!is_composite(a.kind()) || a.kind() != b.kind()) return compatible(declared, defined);
  if (!declared_is_extern && a.vlen() != b.vlen()) return false;

  std::map<std::string_view, uint32_t> attributes;
  for (uint32_t i = 0; i < b.vlen(); i++)
    attributes.emplace(btf_.string(b.member(i).name_off), b.member(i).type);
  for (uint32_t i = 0; i < a.vlen(); i++) {
    std::string_view name = btf_.string(a.member(i).name_off);
    auto found = attributes.find(name);
    if (found == attributes.end() || !same_attribute(name, a.member(i).type, found->second))
      return false;
  }
  return true;
}

/// An attribute's value is in its type: a pointer to an array whose length is a
/// number, or to the type that is meant. `values` is an array of what the map
/// holds, whose length says nothing.
bool TypeComparer::same_attribute(std::string_view name, uint32_t a, uint32_t b) {
  a = strip(a);
  b = strip(b);
  if (a == b) return true;
  if (a == 0 || b == 0) return false;
  BtfType type_a = btf_.type(a), type_b = btf_.type(b);
  if (type_a.kind() != type_b.kind()) return false;
  if (type_a.kind() == BTF_KIND_PTR) return walk({type_a.type(), type_b.type(), false}, true);
  if (name == "values" && type_a.kind() == BTF_KIND_ARRAY)
    return walk({type_a.array_element_type(), type_b.array_element_type(), false}, true);
  return walk({a, b, false}, true);
}

}  // namespace bpflink
