// Definitions of C.
//
// Parameters and the members of anonymous structs nest, and so do the calls here, as deep as types
// without names do. Where that is deeper than in any source, the caller has given names to some.
#include "dedup/print/header_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

namespace {

constexpr uint64_t most_padding_lines = 64;

constexpr std::string_view packed = " __attribute__((packed))";

/// The values of an enum as C takes them, cut down to the enum's size.
struct EnumValue {
  bool is_negative;
  uint64_t bits;

  std::string text() const {
    constexpr uint64_t lowest = uint64_t{1} << 63;
    if (is_negative && bits == lowest) return "-9223372036854775807LL - 1";
    if (is_negative) return fmt::to_string(static_cast<int64_t>(bits));
    return fmt::format("{}{}", bits, bits >= lowest ? "ULL" : "");
  }
};

EnumValue enum_value(BtfType type, uint32_t i) {
  bool is_wide = type.kind() == BtfKind::Enum64;
  uint64_t bits = type.enumerator(i).value;
  uint32_t width = std::min(is_wide ? 64U : 32U, 8 * type.size());
  if (width == 0 || !is_enum_size(type.size())) width = is_wide ? 64 : 32;
  uint64_t sign = uint64_t{1} << (width - 1);
  bits &= sign | (sign - 1);
  bool is_negative = type.kind_flag() && (bits & sign) != 0;
  if (is_negative) bits |= ~(sign | (sign - 1));
  return {is_negative, bits};
}

/// The bytes that gcc and clang give an enum of these values.
uint32_t natural_size(BtfType type) {
  bool has_negative = false;
  uint64_t largest = 0;
  int64_t smallest = 0;
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    EnumValue value = enum_value(type, i);
    has_negative |= value.is_negative;
    if (value.is_negative)
      smallest = std::min(smallest, static_cast<int64_t>(value.bits));
    else
      largest = std::max(largest, value.bits);
  }
  uint64_t limit = has_negative ? INT32_MAX : UINT32_MAX;
  return largest <= limit && smallest >= INT32_MIN ? 4 : 8;
}

/// The attribute by which an enum gets another size than it would have.
std::string_view mode(BtfType type) {
  if (!is_enum_size(type.size()) || natural_size(type) == type.size()) return "";
  switch (type.size()) {
    case 1:
      return " __attribute__((mode(QI)))";
    case 2:
      return " __attribute__((mode(HI)))";
    case 4:
      return " __attribute__((mode(SI)))";
    default:
      return " __attribute__((mode(DI)))";
  }
}

}  // namespace

std::string_view tag_keyword(BtfType type) {
  switch (type.kind()) {
    case BtfKind::Struct:
      return "struct";
    case BtfKind::Union:
      return "union";
    case BtfKind::Fwd:
      return type.kind_flag() ? "union" : "struct";
    default:
      return is_enum_size(type.size()) ? "enum" : "struct";
  }
}

std::string attribute_text(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '?') result += '\\';
    result += c >= ' ' && c <= '~' ? c : '_';
  }
  return result + '"';
}

HeaderTypes::HeaderTypes(const BtfView& btf)
    : btf(btf),
      long_size(pointer_size(btf)),
      names(btf, long_size),
      shapes(btf.end_id()),
      has_given_name(btf.end_id()),
      is_cut(btf.end_id()) {
  // Structs are laid out when their members are known, all else that has no parts is at once.
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (is_composite(type.kind()))
      shapes[id] = {.size = type.size(), .record = id, .form = CForm::record};
    else if (!kind_layout(type.kind()).refers && type.kind() != BtfKind::Array)
      shapes[id] = shape_of(btf, id, shapes, long_size);
    else if (type.kind() == BtfKind::FuncProto)
      shapes[id] = {.form = CForm::function};
  }
}

bool HeaderTypes::is_inline(uint32_t id) const {
  if (id == 0 || has_given_name[id]) return false;
  BtfType type = btf.type(id);
  switch (type.kind()) {
    case BtfKind::Ptr:
    case BtfKind::Array:
    case BtfKind::FuncProto:
      return true;
    case BtfKind::Struct:
    case BtfKind::Union:
    case BtfKind::Enum:
    case BtfKind::Enum64:
      return btf.name(type).empty();
    default:
      return is_qualifier(type.kind());
  }
}

uint32_t HeaderTypes::nameless_record(uint32_t record, uint32_t member) const {
  BtfType type = btf.type(record);
  if (!btf.string(type.member(member).name_off).empty()) return 0;
  if (opaque_members.contains(uint64_t{record} << 32 | member)) return 0;
  uint32_t inner = shapes[type.member(member).type].record;
  return inner != 0 && !has_given_name[inner] ? inner : 0;
}

HeaderWriter::HeaderWriter(const HeaderTypes& types)
    : types_(types),
      btf_(types.btf),
      is_tag_known_(btf_.end_id()),
      has_enumerators_(btf_.end_id()) {
  for (uint32_t id = 1; id < btf_.end_id(); ++id) {
    BtfType type = btf_.type(id);
    if (type.kind() == BtfKind::DeclTag && !type.kind_flag())
      tags_.push_back({type.type(), type.component_idx(), id});
  }
  std::ranges::sort(tags_);
}

void HeaderWriter::define(uint32_t id) {
  BtfType type = btf_.type(id);
  declarations_.clear();
  body_.clear();
  if (is_composite(type.kind())) {
    is_tag_known_[id] = true;
    write_record(id, 0);
    body_ += ";\n";
  } else if (is_enum(type.kind())) {
    is_tag_known_[id] = true;
    if (!is_enum_size(type.size()))
      write_odd_enum(id);
    else if (type.vlen() == 0)
      write_empty_enum(id);
    else
      write_enum(id, 0);
    body_ += ";\n";
  } else if (type.kind() == BtfKind::Int || type.kind() == BtfKind::Float) {
    body_ += scalar_typedef(btf_.name(type), type, types_.names.of(id));
  } else {
    write_typedef(id);
  }
  text_ += declarations_;
  bool is_builtin = has_names_of_c23(id);
  if (is_builtin) text_ += "#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L\n";
  text_ += body_;
  if (is_builtin) text_ += "#endif\n";
  text_ += '\n';
}

/// C23 has `bool`, `false` and `true` as keywords that mean what programs had before.
bool HeaderWriter::has_names_of_c23(uint32_t id) const {
  BtfType type = btf_.type(id);
  if (type.kind() == BtfKind::Typedef)
    return types_.names.of(id) == "bool" && types_.shapes[id].form == CForm::boolean;
  if (!is_enum(type.kind()) || type.vlen() != 2 || !btf_.name(type).empty()) return false;
  auto is = [&](uint32_t i, std::string_view name, uint64_t value) {
    return types_.names.of_enumerator(id, i) == name && enum_value(type, i).bits == value;
  };
  return is(0, "false", 0) && is(1, "true", 1);
}

void HeaderWriter::declare_tag(uint32_t id) {
  id = types_.names.declared(id);
  if (is_tag_known_[id]) return;
  is_tag_known_[id] = true;
  fmt::format_to(std::back_inserter(text_), "{} {};\n\n", tag_keyword(btf_.type(id)),
                 types_.names.of(id));
}

/// A tag that is first met among parameters would be known there only.
void HeaderWriter::mention_tag(uint32_t id) {
  id = types_.names.declared(id);
  if (parameter_depth_ == 0 || is_tag_known_[id]) return;
  is_tag_known_[id] = true;
  fmt::format_to(std::back_inserter(declarations_), "{} {};\n\n", tag_keyword(btf_.type(id)),
                 types_.names.of(id));
}

void HeaderWriter::write_typedef(uint32_t id) {
  BtfType type = btf_.type(id);
  body_ += "typedef ";
  if (type.kind() == BtfKind::Typedef) {
    declare({.type = type.type(), .name = types_.names.of(id)}, 0);
    write_tags(id, -1);
  } else {
    declare({.type = id, .name = types_.names.of(id), .is_definition = true}, 0);
  }
  body_ += ";\n";
}

void HeaderWriter::write_record(uint32_t id, int indent) {
  BtfType type = btf_.type(id);
  body_ += tag_keyword(type);
  bool has_name = !btf_.name(type).empty() || types_.has_given_name[id];
  if (has_name) body_ += ' ';
  if (has_name) body_ += types_.names.of(id);
  Scope scope;
  open_scope(id, scope);
  write_body(id, indent, scope);
}

// ---- enums

void HeaderWriter::write_enum(uint32_t id, int indent) {
  BtfType type = btf_.type(id);
  bool has_name = !btf_.name(type).empty() || types_.has_given_name[id];
  body_ += "enum ";
  if (has_name) fmt::format_to(std::back_inserter(body_), "{} ", types_.names.of(id));
  write_enumerators(id, indent);
  body_ += mode(type);
}

void HeaderWriter::write_enumerators(uint32_t id, int indent) {
  has_enumerators_[id] = true;
  BtfType type = btf_.type(id);
  body_ += "{\n";
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    body_.append(indent + 1, '\t');
    fmt::format_to(std::back_inserter(body_), "{} = {},\n", types_.names.of_enumerator(id, i),
                   enum_value(type, i).text());
  }
  body_.append(indent, '\t');
  body_ += '}';
}

/// C has no enum without enumerators, but one may be needed for its size.
void HeaderWriter::write_empty_enum(uint32_t id) {
  BtfType type = btf_.type(id);
  std::string_view name = types_.names.of(id);
  fmt::format_to(std::back_inserter(body_), "enum {} {{\n\t{}___none = 0,\n}}{}", name, name,
                 mode(type));
}

/// An enum of a size that C cannot give it is as many bytes.
void HeaderWriter::write_odd_enum(uint32_t id) {
  if (btf_.type(id).vlen() != 0) {
    body_ += "enum ";
    write_enumerators(id, 0);
    body_ += ";\n\n";
  }
  fmt::format_to(std::back_inserter(body_), "struct {} {{\n\tchar bytes[{}];\n}}",
                 types_.names.of(id), btf_.type(id).size());
}

// ---- structs and unions

void HeaderWriter::collect_names(uint32_t record, std::vector<std::string_view>& names) const {
  BtfType type = btf_.type(record);
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    std::string_view name = btf_.string(type.member(i).name_off);
    if (!name.empty())
      names.push_back(name);
    else if (uint32_t inner = types_.nameless_record(record, i); inner != 0)
      collect_names(inner, names);
  }
}

void HeaderWriter::open_scope(uint32_t record, Scope& scope) const {
  collect_names(record, scope.names);
  std::ranges::sort(scope.names);
  scope.has_repeats = std::ranges::adjacent_find(scope.names) != scope.names.end();
}

/// A name that no other member has.
std::string HeaderWriter::member_name(Scope& scope, std::string_view name) {
  bool is_free = is_c_name(name);
  if (is_free && scope.has_repeats) is_free = scope.seen.insert(name).second;
  return is_free ? std::string(name) : new_member_name(scope, make_c_name(name));
}

std::string HeaderWriter::new_member_name(Scope& scope, const std::string& wish) {
  return scope.repeated.next(wish, [&](std::string_view candidate) {
    return std::ranges::binary_search(scope.names, candidate);
  });
}

void HeaderWriter::write_body(uint32_t id, int indent, Scope& scope) {
  CPlan plan = plan_layout(btf_, btf_.type(id), types_.shapes);
  body_ += " {\n";
  if (!has_lanes(plan))
    write_lane(id, plan, plan.lanes[0], indent + 1, scope);
  else
    write_lanes(id, plan, indent + 1, scope);
  body_.append(indent, '\t');
  body_ += '}';
  if (plan.is_packed) body_ += packed;
  write_tags(id, -1);
}

/// Members that share their place, as structs of a union.
void HeaderWriter::write_lanes(uint32_t id, const CPlan& plan, int indent, Scope& scope) {
  bool is_struct = btf_.type(id).kind() == BtfKind::Struct;
  if (is_struct) {
    body_.append(indent, '\t');
    body_ += "union {\n";
  }
  int inner = is_struct ? indent + 1 : indent;
  for (const CLane& lane : plan.lanes) {
    if (lane.members.empty() && lane.padding == 0) continue;
    body_.append(inner, '\t');
    body_ += "struct {\n";
    write_lane(id, plan, lane, inner + 1, scope);
    body_.append(inner, '\t');
    fmt::format_to(std::back_inserter(body_), "}}{};\n", packed);
  }
  if (is_struct) {
    body_.append(indent, '\t');
    body_ += "};\n";
  }
}

void HeaderWriter::write_lane(uint32_t id, const CPlan& plan, const CLane& lane, int indent,
                              Scope& scope) {
  bool is_union = btf_.type(id).kind() == BtfKind::Union && !has_lanes(plan);
  uint32_t alignment = plan.is_packed ? 8 : std::min<uint32_t>(8, plan.least_alignment);
  uint64_t end = 0;
  for (const CMember& member : lane.members) {
    write_padding({member.offset - member.padding, member.padding, alignment}, indent, scope);
    write_member(id, member, indent, scope);
    end = member.offset + member.size;
  }
  if (lane.padding == 0) return;
  if (!is_union) {
    write_padding({end, lane.padding, alignment}, indent, scope);
    return;
  }
  body_.append(indent, '\t');
  body_ += "struct {\n";
  write_padding({0, lane.padding, 8}, indent + 1, scope);
  body_.append(indent, '\t');
  fmt::format_to(std::back_inserter(body_), "}}{};\n", packed);
}

void HeaderWriter::write_member(uint32_t record, const CMember& member, int indent, Scope& scope) {
  BtfMember raw = btf_.type(record).member(member.index);
  body_.append(indent, '\t');
  bool is_whole = member.width == 0 && !member.is_empty;
  if (uint32_t inner = is_whole ? types_.nameless_record(record, member.index) : 0; inner != 0) {
    body_ += tag_keyword(btf_.type(inner));
    write_body(inner, indent, scope);
  } else {
    std::string name = member_name(scope, btf_.string(raw.name_off));
    if (member.is_empty)
      fmt::format_to(std::back_inserter(body_), "struct {{}} {}", name);
    else if (member.stand_in != 0)
      fmt::format_to(std::back_inserter(body_), "{} {}", c_integer(member.stand_in, false), name);
    else
      declare({.type = raw.type, .name = name}, indent);
    if (member.width != 0) fmt::format_to(std::back_inserter(body_), ": {}", member.width);
  }
  write_tags(record, static_cast<int32_t>(member.index));
  body_ += ";\n";
}

/// Unnamed bit-fields, of types no larger than the struct's alignment, which some targets would
/// change for them otherwise.
void HeaderWriter::write_padding(Padding padding, int indent, Scope& scope) {
  auto [start, left, alignment] = padding;
  auto write = [&](uint64_t bits, std::string_view type) {
    body_.append(indent, '\t');
    fmt::format_to(std::back_inserter(body_), "{}: {};\n", type, bits);
    start += bits;
    left -= bits;
  };
  if (left != 0 && start % 8 != 0) write(std::min(left, 8 - start % 8), "char");
  alignment = std::min(alignment, types_.long_size);
  if (left / (8 * uint64_t{alignment}) > most_padding_lines) {
    body_.append(indent, '\t');
    fmt::format_to(std::back_inserter(body_), "char {}[{}];\n", new_member_name(scope, "padding"),
                   left / 8);
    left %= 8;
  }
  while (left != 0) {
    uint32_t size = alignment;
    while (size > 1 && (start % (8 * size) != 0 || left < 8 * size)) size /= 2;
    std::string_view type = size == 8 ? "long" : size == 4 ? "int" : size == 2 ? "short" : "char";
    write(std::min<uint64_t>(left, 8 * size), type);
  }
}

void HeaderWriter::write_tags(uint32_t id, int32_t component) {
  auto at = std::ranges::lower_bound(tags_, Tag{id, component, 0});
  for (; at != tags_.end() && at->type == id && at->component == component; ++at)
    fmt::format_to(std::back_inserter(body_), " BTF_DECL_TAG({})",
                   attribute_text(btf_.name(btf_.type(at->tag))));
}

}  // namespace bpflink
