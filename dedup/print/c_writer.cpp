// Writes declarators, and the bodies of structs, unions and enums.
//
// For a declarator, first the chain of types from a name to its base type is collected. Then it is
// written from left to right: the base with its qualifiers, the pointers from the base to the name,
// the name, and the arrays and parameters from the name to the base:
//
//   name -> array of 4 -> pointer -> function -> int          int (*name[4])(void)
//
// Parameters and the members of anonymous structs nest, and the functions here call each other
// accordingly. The policy limits the depth; in a header, types that would nest too deep have names.
//
// A struct's plan (c_layout.hpp) has the members and the padding between them. Members of an
// anonymous struct share the name space of the struct that contains it.
#include "dedup/print/c_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <iterator>

#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {
namespace {

constexpr uint64_t max_padding_lines = 64;

constexpr std::string_view packed = " __attribute__((packed))";

bool is_address_space(std::string_view attribute) {
  constexpr std::string_view start = "address_space(";
  if (!attribute.starts_with(start) || !attribute.ends_with(")")) return false;
  std::string_view digits = attribute.substr(start.size(), attribute.size() - start.size() - 1);
  return !digits.empty() && digits.size() < 9 &&
         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

/// A TYPE_TAG as an attribute.
std::string type_attribute(std::string_view name, bool is_attribute) {
  return is_attribute ? fmt::format("__attribute__(({}))", name)
                      : fmt::format("__attribute__((btf_type_tag({})))", quoted_in_c(name));
}

/// A TYPE_TAG as a macro of the header. Other attributes than those of arenas are omitted, because
/// they may not be valid there.
std::string type_macro(std::string_view name, bool is_attribute) {
  if (!is_attribute) return fmt::format("BTF_TYPE_TAG({})", quoted_in_c(name));
  return is_address_space(name) ? fmt::format("BTF_TYPE_ATTRIBUTE({})", name) : "";
}

/// Whether <linux/types.h> or <stdint.h> has a typedef of that name.
bool is_known_integer(std::string_view name) {
  constexpr std::string_view names[] = {
      "__u8",   "__u16",   "__u32",   "__u64",   "__s8",     "__s16",   "__s32",   "__s64",
      "__be16", "__be32",  "__be64",  "__le16",  "__le32",   "__le64",  "uint8_t", "uint16_t",
      "int8_t", "int16_t", "int32_t", "int64_t", "uint32_t", "uint64_t"};
  return std::ranges::find(names, name) != std::end(names);
}

/// What user space surely has in place of a typedef: a number's type or a known typedef of it, as
/// `u64` may be of vmlinux.h alone. Typedefs of other types stay.
uint32_t known_scalar(const BtfView& btf, uint32_t id) {
  constexpr int most = 32;
  uint32_t base = id;
  for (int i = 0; i < most && btf.kind(base) == BtfKind::Typedef; ++i) {
    if (is_known_integer(btf.name(btf.type(base)))) return base;
    base = btf.type(base).type();
  }
  return btf.kind(base) == BtfKind::Int || btf.kind(base) == BtfKind::Float ? base : id;
}

}  // namespace

// ---- declarators

/// The types from a name to its base type.
// NOLINTNEXTLINE(bugprone-exception-escape): moving links, which are plain, throws nothing
struct CWriter::Chain {
  struct Link {
    uint32_t id;
    BtfType type;
    BtfKind kind() const { return type.kind(); }
  };
  enum class End : uint8_t { Base, Empty, TooLong };
  boost::container::small_vector<Link, 16> links;  ///< from the name on
  uint32_t base = 0;                               ///< an id, 0 for void
  End end = End::Base;

  /// Whether the pointer at a position points to an array or function.
  bool has_parentheses(size_t i) const {
    do ++i;
    while (i < links.size() && is_qualifier(links[i].kind()));
    return i < links.size() && links[i].kind() != BtfKind::Ptr;
  }
};

void CWriter::declare(uint32_t id, std::string_view name) {
  declare(collect_chain(id, false), name);
}

void CWriter::declare_given(uint32_t id, std::string_view name) {
  declare(collect_chain(id, true), name);
}

void CWriter::declare_function(uint32_t proto, std::string_view name) {
  declared_proto_ = proto;
  declare(proto, name);
  declared_proto_ = 0;
}

/// Whether the policy omits a qualifier after this chain: it is of the name or of its elements.
bool CWriter::is_dropped(BtfKind kind, const Chain& chain) const {
  if (!policy_.is_writable || !is_qualifier(kind)) return false;
  return kind == BtfKind::TypeTag ||
         std::ranges::all_of(chain.links, [](auto& link) { return link.kind() == BtfKind::Array; });
}

CWriter::Chain CWriter::collect_chain(uint32_t id, bool is_definition) {
  Chain chain;
  for (bool is_first = is_definition; is_first || types_.is_inline(id); is_first = false) {
    BtfType type = types_.btf.type(id);
    BtfKind kind = type.kind();
    if (is_composite(kind) || is_enum(kind)) break;
    steps_ += 1 + types_.btf.name(type).size();
    if (chain.links.size() == policy_.max_chain || is_too_long()) {
      chain.end = Chain::End::TooLong;
      return chain;
    }
    CTypes::Step step = types_.step(id);
    if (step != CTypes::Step::Skip && !is_dropped(kind, chain)) chain.links.push_back({id, type});
    if (step == CTypes::Step::EndEmpty) chain.end = Chain::End::Empty;
    if (step == CTypes::Step::EndEmpty || step == CTypes::Step::EndInVoid) return chain;
    id = kind == BtfKind::Array ? type.array_element_type() : type.type();
  }
  chain.base = id;
  return chain;
}

void CWriter::declare(const Chain& chain, std::string_view name) {
  size_t count = chain.links.size(), begin = text_.size();
  write_qualifiers(chain, count, policy_.has_tags_in_front ? Words::All : Words::Qualifiers);
  if (chain.end == Chain::End::Base)
    write_base(chain.base);
  else
    text_ += chain.end == Chain::End::Empty ? "struct {}" : "...";
  size_t end_of_base = text_.size();
  text_ += ' ';
  if (!policy_.has_tags_in_front) write_qualifiers(chain, count, Words::Tags);
  write_pointers(chain);
  text_ += name;
  while (text_.size() > begin && text_.back() == ' ') text_.pop_back();
  write_suffixes(chain, text_.size() <= end_of_base);
}

/// Writes the qualifiers of the type at a position of the chain, or of the base, each followed by a
/// space. Qualifiers of an array go to its elements, those of a function to its result.
void CWriter::write_qualifiers(const Chain& chain, size_t position, Words words) {
  size_t begin = text_.size();
  for (size_t i = position; i-- > 0;) {
    auto [id, type] = chain.links[i];
    BtfKind kind = type.kind();
    if (kind == BtfKind::Array || kind == BtfKind::FuncProto) continue;
    if (!is_qualifier(kind)) break;
    if (words == (kind == BtfKind::TypeTag ? Words::Qualifiers : Words::Tags)) continue;
    std::string word = qualifier(type);
    if (word.empty()) continue;
    word += ' ';
    // An array and its elements may have the same qualifier.
    if (kind == BtfKind::TypeTag || policy_.repeats_qualifiers ||
        text_.find(word, begin) == std::string::npos)
      text_ += word;
  }
}

std::string CWriter::qualifier(BtfType type) const {
  if (type.kind() != BtfKind::TypeTag) return std::string(kind_row(type.kind()).noun);
  return policy_.has_tags_in_front ? type_attribute(types_.btf.name(type), type.kind_flag())
                                   : type_macro(types_.btf.name(type), type.kind_flag());
}

void CWriter::write_pointers(const Chain& chain) {
  for (size_t i = chain.links.size(); i-- > 0;) {
    if (chain.links[i].kind() != BtfKind::Ptr) continue;
    text_ += chain.has_parentheses(i) ? "(*" : "*";
    write_qualifiers(chain, i, policy_.has_tags_in_front ? Words::All : Words::Qualifiers);
    if (!policy_.has_tags_in_front) write_qualifiers(chain, i, Words::Tags);
  }
}

/// Writes the arrays and parameters. `is_nameless`: nothing is between the base and them.
void CWriter::write_suffixes(const Chain& chain, bool is_nameless) {
  for (size_t i = 0; i < chain.links.size(); ++i) {
    auto [id, type] = chain.links[i];
    if (type.kind() == BtfKind::Ptr && chain.has_parentheses(i)) text_ += ')';
    if (type.kind() == BtfKind::Array)
      fmt::format_to(std::back_inserter(text_), "[{}]", types_.array_length(type));
    if (type.kind() == BtfKind::FuncProto) {
      if (is_nameless && policy_.has_space_before_parameters) text_ += ' ';
      write_parameters(id);
    }
    if (!is_qualifier(type.kind())) is_nameless = false;
  }
}

void CWriter::write_parameters(uint32_t id) {
  if (!types_.has_known_parameters(id)) return write("()");
  if (nesting() >= policy_.max_nesting) return write("(...)");
  BtfType proto = types_.btf.type(id);
  uint32_t count = proto.vlen();
  auto is_ellipsis = [&](BtfParam param) {
    return param.type == 0 && (param.name_off == 0 || !policy_.has_parameter_names);
  };
  bool has_more = count > 0 && is_ellipsis(proto.param(count - 1));
  if (has_more) --count;
  // Before C23, `(...)` is not valid; an empty list means nearly the same.
  if (count == 0) return write(has_more ? "()" : "(void)");
  std::vector<std::string> names = parameter_names(id);
  ++open_parameters_;
  for (uint32_t i = 0; i < count; ++i) {
    text_ += i == 0 ? "(" : ", ";
    if (is_too_long()) {
      text_ += "...";
      has_more = false;
      break;
    }
    BtfParam param = proto.param(i);
    if (types_.is_void(param.type))
      text_ += "int";
    else
      declare(param.type, names.empty() ? "" : names[i]);
  }
  text_ += has_more ? ", ...)" : ")";
  --open_parameters_;
}

/// The names of a prototype's parameters, or nothing if they are omitted. In a header, only those
/// of the function that is declared have names, each its own, and none that would hide a type.
std::vector<std::string> CWriter::parameter_names(uint32_t id) {
  bool is_declared = id == declared_proto_;
  if (!is_declared && !policy_.has_parameter_names) return {};
  BtfType proto = types_.btf.type(id);
  std::vector<std::string> names(proto.vlen());
  for (uint32_t i = 0; i < proto.vlen(); ++i)
    names[i] = local_name(types_.btf.string(proto.param(i).name_off));
  if (!is_declared) return names;
  declared_proto_ = 0;
  RepeatedNames repeated;
  for (std::string& name : names)
    if (!name.empty())
      name = repeated.next(
          name, [&](auto& other) { return types_.names->is_used(CNameSpace::Ordinary, other); });
  return names;
}

/// The name of a member or parameter.
std::string CWriter::local_name(std::string_view given) const {
  std::string name = c_name(given);
  return policy_.is_writable && is_type_or_macro(name) ? name + '_' : name;
}

void CWriter::write_base(uint32_t id) {
  if (policy_.is_writable) id = known_scalar(types_.btf, id);
  BtfKind kind = types_.btf.kind(id);
  bool has_tag = is_composite(kind) || is_enum(kind) || kind == BtfKind::Fwd;
  if (!has_tag) return write(types_.name(id));
  if (is_enum(kind)) return types_.is_inline(id) ? write_inline_enum(id) : write_tag(id);
  if (types_.is_inline(id)) return write_record(id);
  mention_tag(id);
  write_tag(id);
}

void CWriter::write_tag(uint32_t id) {
  text_ += types_.keyword(types_.btf.type(id));
  if (std::string name = types_.name(id); !name.empty()) text_ += ' ' + name;
}

/// Lists a tag that is first mentioned among parameters, where a declaration would be local.
void CWriter::mention_tag(uint32_t id) {
  if (open_parameters_ == 0 || !types_.is_for_compilers()) return;
  id = types_.names->declared(id);
  if (!is_tag_known_[id]) mentioned_tags_.push_back(id);
  is_tag_known_[id] = true;
}

// ---- bodies

/// Begins a body, unless it is nested too deep.
bool CWriter::open_body() {
  if (nesting() >= policy_.max_nesting) {
    text_ += " { ... }";
    return false;
  }
  text_ += " {\n";
  ++indent_;
  return true;
}

void CWriter::close_body() {
  --indent_;
  begin_line();
  text_ += '}';
}

/// Writes `...` and returns true if the text is too long.
bool CWriter::cut_body() {
  if (!is_too_long()) return false;
  begin_line();
  text_ += "...\n";
  return true;
}

void CWriter::write_enum(uint32_t id) {
  write_tag(id);
  write_enumerators(id);
  text_ += types_.enum_attribute(types_.btf.type(id));
}

void CWriter::write_enumerators(uint32_t id) {
  if (types_.is_for_compilers()) has_enumerators_[id] = true;
  BtfType type = types_.btf.type(id);
  if (!open_body()) return;
  for (uint32_t i = 0; i < type.vlen() && !cut_body(); ++i) {
    begin_line();
    fmt::format_to(std::back_inserter(text_), "{} = {},\n", types_.enumerator_name(id, i),
                   types_.enumerator_value(type, i));
  }
  close_body();
}

/// Writes an enum without a name where it is used. In a header, the second use is an integer.
void CWriter::write_inline_enum(uint32_t id) {
  BtfType type = types_.btf.type(id);
  bool is_integer = types_.is_for_compilers() && (has_enumerators_[id] || type.vlen() == 0);
  is_integer ? write(c_integer(type.size(), type.kind_flag())) : write_enum(id);
}

void CWriter::write_record(uint32_t id) {
  write_tag(id);
  if (!types_.is_for_compilers()) return write_members(id);
  std::vector<std::string_view> names;
  types_.collect_member_names(id, names);
  MemberNames member_names(std::move(names));
  MemberNames* outer = std::exchange(member_names_, &member_names);
  write_members(id);
  member_names_ = outer;
}

void CWriter::write_members(uint32_t id) {
  has_records_ = true;
  if (!open_body()) return;
  CPlan plan = types_.plan(id);
  has_lanes(plan) ? write_lanes(id, plan) : write_lane(id, plan, plan.lanes[0]);
  close_body();
  if (plan.is_packed) text_ += packed;
  write_decl_tags(id);
}

/// Writes overlapping lanes as structs of a union.
void CWriter::write_lanes(uint32_t id, const CPlan& plan) {
  bool is_struct = types_.btf.type(id).kind() == BtfKind::Struct;
  if (is_struct) {
    begin_line();
    text_ += "union";
    open_body();
  }
  for (const CLane& lane : plan.lanes) {
    if (lane.members.empty() && lane.padding == 0) continue;
    begin_line();
    text_ += "struct";
    open_body();
    write_lane(id, plan, lane);
    close_body();
    text_ += packed;
    text_ += ";\n";
  }
  if (is_struct) {
    close_body();
    text_ += ";\n";
  }
}

void CWriter::write_lane(uint32_t id, const CPlan& plan, const CLane& lane) {
  bool is_union = types_.btf.type(id).kind() == BtfKind::Union && !has_lanes(plan);
  uint32_t alignment = plan.is_packed ? 8 : std::min<uint32_t>(8, plan.min_alignment);
  uint64_t end = 0;
  for (const CMember& member : lane.members) {
    if (cut_body()) return;
    write_padding(member.offset - member.padding, member.padding, alignment);
    write_member(id, member);
    end = member.offset + member.size;
  }
  if (lane.padding == 0) return;
  if (!is_union) return write_padding(end, lane.padding, alignment);
  begin_line();
  text_ += "struct";
  open_body();
  write_padding(0, lane.padding, 8);
  close_body();
  text_ += packed;
  text_ += ";\n";
}

void CWriter::write_member(uint32_t record, const CMember& member) {
  BtfMember raw = types_.btf.type(record).member(member.index);
  begin_line();
  bool is_whole = member.width == 0 && !member.is_empty;
  if (uint32_t inner = is_whole ? types_.nameless_record(record, member.index) : 0; inner != 0) {
    text_ += types_.keyword(types_.btf.type(inner));
    write_members(inner);
  } else {
    std::string_view given = types_.btf.string(raw.name_off);
    std::string name = member_names_ != nullptr ? member_names_->next(given) : local_name(given);
    if (member.is_empty)
      text_ += "struct {} " + name;
    else if (member.stand_in != 0)
      fmt::format_to(std::back_inserter(text_), "{} {}", c_integer(member.stand_in, false), name);
    else
      declare(raw.type, name);
    if (member.width != 0) fmt::format_to(std::back_inserter(text_), ": {}", member.width);
  }
  write_decl_tags(record, static_cast<int32_t>(member.index));
  text_ += ';';
  if (types_.notes != nullptr)
    if (auto note = types_.notes->find(member_key(record, member.index));
        note != types_.notes->end())
      fmt::format_to(std::back_inserter(text_), " /* {} */", note->second);
  text_ += '\n';
}

/// Writes padding as unnamed bit-fields. Their types are no larger than the struct's alignment,
/// which they would raise on some targets. Start and size are in bits, the alignment is in bytes.
void CWriter::write_padding(uint64_t start, uint64_t size, uint32_t alignment) {
  if (size == 0) return;
  auto write_bits = [&](uint64_t bits, std::string_view type) {
    begin_line();
    fmt::format_to(std::back_inserter(text_), "{}: {};\n", type, bits);
    start += bits;
    size -= bits;
  };
  if (start % 8 != 0) write_bits(std::min(size, 8 - start % 8), "char");
  alignment = std::min(alignment, types_.long_size);
  if (size / (8 * uint64_t{alignment}) > max_padding_lines) {
    begin_line();
    fmt::format_to(std::back_inserter(text_), "char {}[{}];\n", member_names_->next_new("padding"),
                   size / 8);
    size %= 8;
  }
  while (size != 0) {
    uint32_t bytes = alignment;
    while (bytes > 1 && (start % (8 * bytes) != 0 || size < 8 * bytes)) bytes /= 2;
    std::string_view type = bytes == 8   ? "long"
                            : bytes == 4 ? "int"
                            : bytes == 2 ? "short"
                                         : "char";
    write_bits(std::min<uint64_t>(size, 8 * bytes), type);
  }
}

void CWriter::write_decl_tags(uint32_t id, int32_t component) {
  auto at = std::ranges::lower_bound(types_.tags, CTypes::Tag{id, component, {}});
  for (; at != types_.tags.end() && at->type == id && at->component == component; ++at)
    fmt::format_to(std::back_inserter(text_), " BTF_DECL_TAG({})", quoted_in_c(at->text));
}

}  // namespace bpflink
