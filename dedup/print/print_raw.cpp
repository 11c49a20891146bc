// Prints types as a numbered list in bpftool's format.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "bpflink/print.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

namespace {

std::string_view or_anonymous(std::string_view name) {
  return name.empty() ? "(anon)" : name;
}

std::string_view encoding(BtfType integer) {
  switch (integer.int_encoding()) {
    case 0:
      return "(none)";
    case btf_int_signed:
      return "SIGNED";
    case btf_int_char:
      return "CHAR";
    case btf_int_bool:
      return "BOOL";
    default:
      return "UNKN";
  }
}

std::string_view linkage(BtfLinkage value) {
  static constexpr std::string_view names[] = {"static", "global", "extern"};
  auto index = std::to_underlying(value);
  return index < std::size(names) ? names[index] : "(unknown)";
}

std::string_view signedness(BtfType type) {
  return type.kind_flag() ? "SIGNED" : "UNSIGNED";
}

/// The text after the name in a type's first line.
std::string attributes(BtfType type) {
  switch (kind_class(type.kind())) {
    case KindClass::Integer:
      return fmt::format("size={} bits_offset={} nr_bits={} encoding={}", type.size(),
                         type.int_offset(), type.int_bits(), encoding(type));
    case KindClass::Array:
      return fmt::format("type_id={} index_type_id={} nr_elems={}", type.array_element_type(),
                         type.array_index_type(), type.array_length());
    case KindClass::Record:
    case KindClass::Section:
      return fmt::format("size={} vlen={}", type.size(), type.vlen());
    case KindClass::Enumeration:
      return fmt::format("encoding={} size={} vlen={}", signedness(type), type.size(), type.vlen());
    case KindClass::Declaration:
      return fmt::format("fwd_kind={}", type.kind_flag() ? "union" : "struct");
    case KindClass::Function:
      return fmt::format("type_id={} linkage={}", type.type(), linkage(type.func_linkage()));
    case KindClass::Prototype:
      return fmt::format("ret_type_id={} vlen={}", type.type(), type.vlen());
    case KindClass::Variable:
      return fmt::format("type_id={}, linkage={}", type.type(), linkage(type.var_linkage()));
    case KindClass::Floating:
      return fmt::format("size={}", type.size());
    case KindClass::Tag:
      return fmt::format("type_id={} component_idx={}", type.type(), type.component_idx());
    case KindClass::Pointer:
    case KindClass::Modifier:
      return fmt::format("type_id={}", type.type());
    case KindClass::None:
      break;
  }
  return fmt::format("kind={} words={}", std::to_underlying(type.kind()), type.words().size());
}

std::string shown(std::string_view name) {
  return printable(or_anonymous(name));
}

std::string element(const BtfView& btf, BtfType type, uint32_t i) {
  if (is_composite(type.kind())) {
    BtfMember member = type.member(i);
    std::string text =
        fmt::format("'{}' type_id={} bits_offset={}", shown(btf.string(member.name_off)),
                    member.type, type.member_bit_offset(i));
    if (uint32_t bits = type.member_bitfield_size(i); bits != 0)
      text += fmt::format(" bitfield_size={}", bits);
    return text;
  }
  if (is_enum(type.kind())) {
    std::string_view suffix = type.kind_flag() ? "LL" : "ULL";
    return fmt::format("'{}' val={}{}", printable(btf.string(type.enumerator(i).name_off)),
                       enumerator_value(type, i), type.kind() == BtfKind::Enum64 ? suffix : "");
  }
  if (type.kind() == BtfKind::FuncProto) {
    BtfParam param = type.param(i);
    return fmt::format("'{}' type_id={}", shown(btf.string(param.name_off)), param.type);
  }
  BtfVarSecinfo info = type.var_secinfo(i);
  return fmt::format("type_id={} offset={} size={} ({} '{}')", info.type, info.offset, info.size,
                     btf_kind_name(btf.type(info.type).kind()),
                     printable(btf.name(btf.type(info.type))));
}

}  // namespace

std::string print_raw(const BtfView& btf, uint32_t id) {
  BtfType type = btf.type(id);
  std::string text = fmt::format("[{}] {} '{}' {}\n", id, btf_kind_name(type.kind()),
                                 shown(btf.name(type)), attributes(type));
  if (kind_words(type.kind()).element_words == 0) return text;
  for (uint32_t i = 0; i < type.vlen(); ++i) text += "\t" + element(btf, type, i) + "\n";
  return text;
}

}  // namespace bpflink
