// Declarators of C.
//
// A declarator is written in one go from left to right: the types from a name to its base type are
// collected first, then come the base with its qualifiers, the pointers from the base to the name,
// the name, and the arrays and parameters on the way back.
#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <iterator>

#include "dedup/format/kinds.hpp"
#include "dedup/print/c_printer.hpp"
#include "dedup/print/c_scalars.hpp"
#include "dedup/print/header_writer.hpp"

namespace bpflink {
namespace {

bool is_address_space(std::string_view attribute) {
  constexpr std::string_view start = "address_space(";
  if (!attribute.starts_with(start) || !attribute.ends_with(")")) return false;
  std::string_view digits = attribute.substr(start.size(), attribute.size() - start.size() - 1);
  return !digits.empty() && digits.size() < 9 &&
         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

/// What is printed for a TYPE_TAG. Of attributes only those of arenas are known to be harmless.
std::string type_tag(std::string_view name, bool is_attribute) {
  if (!is_attribute) return fmt::format("BTF_TYPE_TAG({})", attribute_text(name));
  return is_address_space(name) ? fmt::format("BTF_TYPE_ATTRIBUTE({})", name) : "";
}

}  // namespace

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
    BtfKind kind = type.kind();
    if (is_composite(type.kind()) || is_enum(type.kind())) break;
    uint32_t next = kind == BtfKind::Array ? type.array_element_type() : type.type();
    const CShape& target = shapes[next];
    // A function has no qualifiers in C, and only pointers to objects are restricted.
    bool is_void = target.form == CForm::function && is_qualifier(kind);
    if (kind == BtfKind::Restrict && target.form != CForm::pointer) is_void = true;
    if (!is_void) chain.ids.push_back(id);
    id = next;
    bool is_returned = kind == BtfKind::FuncProto &&
                       (target.form == CForm::function || target.form == CForm::array);
    if (types_.is_cut[chain.ids.empty() ? 0 : chain.ids.back()] || is_returned) return chain;
    if (kind == BtfKind::Array && !target.is_object()) {
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
    if (type.kind() == BtfKind::Array) continue;
    if (!is_qualifier(type.kind())) break;
    if ((type.kind() == BtfKind::TypeTag) != tags) continue;
    std::string word = type.kind() == BtfKind::Const      ? "const"
                       : type.kind() == BtfKind::Volatile ? "volatile"
                       : type.kind() == BtfKind::Restrict
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
    return i < count && kind(i) != BtfKind::Ptr;
  };

  body_ += qualifiers_of(chain, count, false);
  if (chain.is_empty)
    body_ += "struct {}";
  else
    write_base(chain.base, indent);
  std::string left = qualifiers_of(chain, count, true);
  for (size_t i = count; i-- > 0;) {
    if (kind(i) != BtfKind::Ptr) continue;
    left += has_parentheses(i) ? "(*" : "*";
    left += qualifiers_of(chain, i, false) + qualifiers_of(chain, i, true);
  }
  left += declaration.name;
  while (left.ends_with(' ')) left.pop_back();
  if (!left.empty()) body_ += ' ';
  body_ += left;
  for (size_t i = 0; i < count; ++i) {
    BtfType type = btf_.type(chain.ids[i]);
    if (kind(i) == BtfKind::Ptr && has_parentheses(i)) body_ += ')';
    if (kind(i) == BtfKind::Array)
      fmt::format_to(std::back_inserter(body_), "[{}]", printed_length(type, types_.shapes));
    if (kind(i) == BtfKind::FuncProto) {
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

void HeaderWriter::write_base(uint32_t id, int indent) {
  if (id == 0) {
    body_ += "void";
    return;
  }
  BtfType type = btf_.type(id);
  bool is_inline = types_.is_inline(id);
  switch (type.kind()) {
    case BtfKind::Struct:
    case BtfKind::Union:
    case BtfKind::Fwd:
      if (is_inline) {
        write_record(id, indent);
        return;
      }
      mention_tag(id);
      fmt::format_to(std::back_inserter(body_), "{} {}", tag_keyword(type), types_.names.of(id));
      return;
    case BtfKind::Enum:
    case BtfKind::Enum64:
      if (!is_inline)
        fmt::format_to(std::back_inserter(body_), "{} {}", tag_keyword(type), types_.names.of(id));
      else if (has_enumerators_[id] || type.vlen() == 0)
        body_ += c_integer(type.size(), type.kind_flag());
      else
        write_enum(id, indent);
      return;
    case BtfKind::Int:
    case BtfKind::Float: {
      std::string_view spelling = c_scalar(btf_.name(type), type, types_.long_size);
      body_ += spelling.empty() ? types_.names.of(id) : spelling;
      return;
    }
    case BtfKind::Typedef:
      body_ += types_.names.of(id);
      return;
    default:
      body_ += types_.has_given_name[id] ? types_.names.of(id) : "void";
  }
}

}  // namespace bpflink
