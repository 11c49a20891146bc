// Definitions of C.
//
// A declarator is written in one go from left to right: the types from a name to its base type are
// collected first, then come the base with its qualifiers, the pointers from the base to the name,
// the name, and the arrays and parameters on the way back.
//
// Parameters and the members of anonymous structs nest, and so do the calls here, as deep as types
// without names do. Where that is deeper than in any source, the caller has given names to some.
#include "dedup/print/header_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <iterator>

#include "dedup/format/kinds.hpp"
#include "dedup/print/c_printer.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

namespace {

constexpr uint64_t most_padding_lines = 64;

constexpr std::string_view packed = " __attribute__((packed))";

bool is_record(BtfType type) {
  return type.kind() == BTF_KIND_STRUCT || type.kind() == BTF_KIND_UNION;
}

bool is_enum(BtfType type) {
  return type.kind() == BTF_KIND_ENUM || type.kind() == BTF_KIND_ENUM64;
}

bool is_cv(uint8_t kind) {
  return kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE || kind == BTF_KIND_RESTRICT;
}

bool is_qualifier(uint8_t kind) {
  return is_cv(kind) || kind == BTF_KIND_TYPE_TAG;
}

std::string_view keyword(BtfType type) {
  switch (type.kind()) {
    case BTF_KIND_STRUCT:
      return "struct";
    case BTF_KIND_UNION:
      return "union";
    case BTF_KIND_FWD:
      return type.kind_flag() ? "union" : "struct";
    default:
      return is_enum_size(type.size()) ? "enum" : "struct";
  }
}

/// A text between quotes, with `_` for what clang does not take in an attribute's text.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '?') result += '\\';
    result += c >= ' ' && c <= '~' ? c : '_';
  }
  return result + '"';
}

bool is_address_space(std::string_view attribute) {
  constexpr std::string_view start = "address_space(";
  if (!attribute.starts_with(start) || !attribute.ends_with(")")) return false;
  std::string_view digits = attribute.substr(start.size(), attribute.size() - start.size() - 1);
  return !digits.empty() && digits.size() < 9 &&
         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

/// What is printed for a TYPE_TAG. Of attributes only those of arenas are known to be harmless.
std::string type_tag(std::string_view name, bool is_attribute) {
  if (!is_attribute) return fmt::format("BTF_TYPE_TAG({})", quoted(name));
  return is_address_space(name) ? fmt::format("BTF_TYPE_ATTRIBUTE({})", name) : "";
}

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
  bool is_wide = type.kind() == BTF_KIND_ENUM64;
  uint64_t bits = is_wide ? type.enumerator64(i).value : type.enumerator(i).value;
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

HeaderTypes::HeaderTypes(const Btf& btf)
    : btf(btf),
      long_size(pointer_size(btf)),
      names(btf, long_size),
      shapes(btf.end_id()),
      has_given_name(btf.end_id()),
      is_cut(btf.end_id()) {
  // Structs are laid out when their members are known, all else that has no parts is at once.
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (is_record(type))
      shapes[id] = {.size = type.size(), .record = id, .form = CForm::record};
    else if (!kind_layout(type.kind()).refers && type.kind() != BTF_KIND_ARRAY)
      shapes[id] = shape_of(btf, id, shapes, long_size);
    else if (type.kind() == BTF_KIND_FUNC_PROTO)
      shapes[id] = {.form = CForm::function};
  }
}

bool HeaderTypes::is_inline(uint32_t id) const {
  if (id == 0 || has_given_name[id]) return false;
  BtfType type = btf.type(id);
  switch (type.kind()) {
    case BTF_KIND_PTR:
    case BTF_KIND_ARRAY:
    case BTF_KIND_FUNC_PROTO:
      return true;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
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
    if (type.kind() == BTF_KIND_DECL_TAG && !type.kind_flag())
      tags_.push_back({type.type(), type.component_idx(), id});
  }
  std::ranges::sort(tags_);
}

void HeaderWriter::define(uint32_t id) {
  BtfType type = btf_.type(id);
  declarations_.clear();
  body_.clear();
  if (is_record(type)) {
    is_tag_known_[id] = true;
    write_record(id, 0);
    body_ += ";\n";
  } else if (is_enum(type)) {
    is_tag_known_[id] = true;
    if (!is_enum_size(type.size()))
      write_odd_enum(id);
    else if (type.vlen() == 0)
      write_empty_enum(id);
    else
      write_enum(id, 0);
    body_ += ";\n";
  } else if (type.kind() == BTF_KIND_INT || type.kind() == BTF_KIND_FLOAT) {
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
  if (type.kind() == BTF_KIND_TYPEDEF)
    return types_.names.of(id) == "bool" && types_.shapes[id].form == CForm::boolean;
  if (!is_enum(type) || type.vlen() != 2 || !btf_.name(type).empty()) return false;
  auto is = [&](uint32_t i, std::string_view name, uint64_t value) {
    return types_.names.of_enumerator(id, i) == name && enum_value(type, i).bits == value;
  };
  return is(0, "false", 0) && is(1, "true", 1);
}

void HeaderWriter::declare_tag(uint32_t id) {
  id = types_.names.declared(id);
  if (is_tag_known_[id]) return;
  is_tag_known_[id] = true;
  fmt::format_to(std::back_inserter(text_), "{} {};\n\n", keyword(btf_.type(id)),
                 types_.names.of(id));
}

/// A tag that is first met among parameters would be known there only.
void HeaderWriter::mention_tag(uint32_t id) {
  id = types_.names.declared(id);
  if (parameter_depth_ == 0 || is_tag_known_[id]) return;
  is_tag_known_[id] = true;
  fmt::format_to(std::back_inserter(declarations_), "{} {};\n\n", keyword(btf_.type(id)),
                 types_.names.of(id));
}

void HeaderWriter::write_typedef(uint32_t id) {
  BtfType type = btf_.type(id);
  body_ += "typedef ";
  if (type.kind() == BTF_KIND_TYPEDEF) {
    declare({.type = type.type(), .name = types_.names.of(id)}, 0);
    write_tags(id, -1);
  } else {
    declare({.type = id, .name = types_.names.of(id), .is_definition = true}, 0);
  }
  body_ += ";\n";
}

void HeaderWriter::write_record(uint32_t id, int indent) {
  BtfType type = btf_.type(id);
  body_ += keyword(type);
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
  bool is_struct = btf_.type(id).kind() == BTF_KIND_STRUCT;
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
  bool is_union = btf_.type(id).kind() == BTF_KIND_UNION && !has_lanes(plan);
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
    body_ += keyword(btf_.type(inner));
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
                   quoted(btf_.name(btf_.type(at->tag))));
}

// ---- declarators

/// The types from a name to its base type.
struct HeaderWriter::Chain {
  boost::container::small_vector<uint32_t, 16> ids;  ///< from the name on
  uint32_t base = 0;                                 ///< its id, 0 for void
  bool is_empty = false;                             ///< the base takes no room instead
};

HeaderWriter::Chain HeaderWriter::follow(Declaration declaration) const {
  Chain chain;
  uint32_t id = declaration.type;
  bool is_first = declaration.is_definition;
  const auto& shapes = types_.shapes;
  while (is_first || types_.is_inline(id)) {
    is_first = false;
    BtfType type = btf_.type(id);
    uint8_t kind = type.kind();
    if (is_record(type) || is_enum(type)) break;
    uint32_t next = kind == BTF_KIND_ARRAY ? type.array_element_type() : type.type();
    const CShape& target = shapes[next];
    // A function has no qualifiers in C, and only pointers to objects are restricted.
    bool is_void = target.form == CForm::function && is_qualifier(kind);
    if (kind == BTF_KIND_RESTRICT && target.form != CForm::pointer) is_void = true;
    if (!is_void) chain.ids.push_back(id);
    id = next;
    bool is_returned = kind == BTF_KIND_FUNC_PROTO &&
                       (target.form == CForm::function || target.form == CForm::array);
    if (types_.is_cut[chain.ids.empty() ? 0 : chain.ids.back()] || is_returned) return chain;
    if (kind == BTF_KIND_ARRAY && !target.is_object()) {
      chain.is_empty = true;
      return chain;
    }
  }
  chain.base = id;
  return chain;
}

/// The qualifiers of the type at a position of the chain, or of the base. Those of an array are
/// its elements'.
std::string HeaderWriter::qualifiers_of(const Chain& chain, size_t position, bool tags) const {
  std::string text;
  for (size_t i = position; i-- > 0;) {
    BtfType type = btf_.type(chain.ids[i]);
    if (type.kind() == BTF_KIND_ARRAY) continue;
    if (!is_qualifier(type.kind())) break;
    if (is_cv(type.kind()) == tags) continue;
    std::string word = type.kind() == BTF_KIND_CONST      ? "const"
                       : type.kind() == BTF_KIND_VOLATILE ? "volatile"
                       : type.kind() == BTF_KIND_RESTRICT
                           ? "restrict"
                           : type_tag(btf_.name(type), type.kind_flag());
    if (word.empty()) continue;
    word += ' ';
    // An array and its elements may say the same.
    if (tags || text.find(word) == std::string::npos) text += word;
  }
  return text;
}

void HeaderWriter::declare(Declaration declaration, int indent) {
  Chain chain = follow(declaration);
  size_t count = chain.ids.size();
  auto kind = [&](size_t i) { return btf_.type(chain.ids[i]).kind(); };
  // Whether the pointer at a position is one to an array or a function.
  auto has_parentheses = [&](size_t i) {
    do ++i;
    while (i < count && is_qualifier(kind(i)));
    return i < count && kind(i) != BTF_KIND_PTR;
  };

  body_ += qualifiers_of(chain, count, false);
  if (chain.is_empty)
    body_ += "struct {}";
  else
    write_base(chain.base, indent, declaration.is_definition);
  std::string left = qualifiers_of(chain, count, true);
  for (size_t i = count; i-- > 0;) {
    if (kind(i) != BTF_KIND_PTR) continue;
    left += has_parentheses(i) ? "(*" : "*";
    left += qualifiers_of(chain, i, false) + qualifiers_of(chain, i, true);
  }
  left += declaration.name;
  while (left.ends_with(' ')) left.pop_back();
  if (!left.empty()) body_ += ' ';
  body_ += left;
  for (size_t i = 0; i < count; ++i) {
    BtfType type = btf_.type(chain.ids[i]);
    if (kind(i) == BTF_KIND_PTR && has_parentheses(i)) body_ += ')';
    if (kind(i) == BTF_KIND_ARRAY)
      fmt::format_to(std::back_inserter(body_), "[{}]", printed_length(type, types_.shapes));
    if (kind(i) == BTF_KIND_FUNC_PROTO) {
      if (types_.is_cut[chain.ids[i]])
        body_ += "()";
      else
        write_parameters(type, indent);
    }
  }
}

void HeaderWriter::write_parameters(BtfType proto, int indent) {
  bool has_more = proto.vlen() > 0 && proto.param(proto.vlen() - 1).type == 0;
  uint32_t count = proto.vlen() - (has_more ? 1 : 0);
  if (count == 0) {
    // C before C23 takes no `...` alone; an empty list says as little.
    body_ += has_more ? "()" : "(void)";
    return;
  }
  ++parameter_depth_;
  body_ += '(';
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0) body_ += ", ";
    // Names would be in the way of types of these names in later parameters.
    uint32_t type = proto.param(i).type;
    if (types_.shapes[type].form == CForm::none)
      body_ += "int";
    else
      declare({.type = type}, indent);
  }
  body_ += has_more ? ", ...)" : ")";
  --parameter_depth_;
}

void HeaderWriter::write_base(uint32_t id, int indent, bool is_definition) {
  if (id == 0) {
    body_ += "void";
    return;
  }
  BtfType type = btf_.type(id);
  bool is_inline = types_.is_inline(id);
  switch (type.kind()) {
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_FWD:
      if (is_inline) {
        write_record(id, indent);
        return;
      }
      mention_tag(id);
      fmt::format_to(std::back_inserter(body_), "{} {}", keyword(type), types_.names.of(id));
      return;
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
      if (!is_inline)
        fmt::format_to(std::back_inserter(body_), "{} {}", keyword(type), types_.names.of(id));
      else if (has_enumerators_[id] || type.vlen() == 0)
        body_ += c_integer(type.size(), type.kind_flag());
      else
        write_enum(id, indent);
      return;
    case BTF_KIND_INT:
    case BTF_KIND_FLOAT: {
      std::string_view spelling = c_scalar(btf_.name(type), type, types_.long_size);
      body_ += spelling.empty() ? types_.names.of(id) : spelling;
      return;
    }
    case BTF_KIND_TYPEDEF:
      body_ += types_.names.of(id);
      return;
    default:
      body_ += is_definition || !types_.has_given_name[id] ? "void" : types_.names.of(id);
  }
}

}  // namespace bpflink
