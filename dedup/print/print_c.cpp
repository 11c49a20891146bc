// Types as C.
//
// A declarator is written from the inside out: it starts as the name, and each
// type on the way to the base type wraps it: a pointer puts `*` before it, an
// array `[n]` behind it, a function its parameters, with parentheses where a
// pointer would otherwise bind less tightly than what follows. Qualifiers wait
// until it is known what they qualify.
//
// Parameters and the members of anonymous structs nest, and so do the calls
// here, but only as deep as a limit that no source reaches; what lies deeper,
// or goes in circles, is shown as `...`. So is what a text that is long beyond
// any source would go on with: types that share anonymous types can have a text
// that is exponentially longer than they are.
#include <fmt/format.h>

#include "bpflink/print.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/print/c_names.hpp"
#include "dedup/print/c_printer.hpp"

namespace bpflink {

namespace {

constexpr int max_nesting = 16;
constexpr int max_chain = 256;          ///< references from a name to its base type
constexpr size_t max_text = 256 << 10;  ///< bytes, of all declarations of one text

/// Puts a word before a text that may be empty, with a space between.
void prepend_word(std::string& text, std::string_view word) {
  bool needs_space = !text.empty() && text.front() != '[' && text.front() != '(';
  text = fmt::format("{}{}{}", word, needs_space ? " " : "", text);
}

/// A name as C can have it, the same as in print_c_header() but for numbers behind it; or "".
std::string c_name(std::string_view name) {
  return name.empty() || is_c_name(name) ? std::string(name) : make_c_name(name);
}

/// The name of an INT or FLOAT, which may be of several words.
std::string scalar_name(std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ";
  bool has_words = name.find_first_not_of(allowed) == name.npos;
  return has_words ? std::string(name) : make_c_name(name);
}

}  // namespace

std::string CPrinter::name(uint32_t id) const {
  return c_name(btf_.name(btf_.type(id)));
}

bool CPrinter::is_too_long() const {
  return work_ > max_text;
}

void CPrinter::wrap_pointer(Declarator& d) {
  if (!d.qualifiers.empty()) prepend_word(d.text, d.qualifiers);
  d.qualifiers.clear();
  d.text = fmt::format("*{}", d.text);
  d.is_pointer = true;
}

void CPrinter::wrap_suffix(Declarator& d, const std::string& suffix) {
  if (d.is_pointer) d.text = fmt::format("({})", d.text);
  d.text += suffix;
  d.is_pointer = false;
}

std::string CPrinter::parameters(BtfType proto, int depth) {
  if (depth >= max_nesting) return "(...)";
  std::string text;
  for (uint32_t i = 0; i < proto.vlen(); ++i) {
    if (i > 0) text += ", ";
    if (is_too_long()) return fmt::format("({}...)", text);
    BtfParam param = proto.param(i);
    bool is_ellipsis = i + 1 == proto.vlen() && param.type == 0 && param.name_off == 0;
    // C before C23 takes no `...` alone; an empty list says as little.
    if (is_ellipsis && i == 0) return "()";
    text += is_ellipsis ? "..."
                        : declaration(param.type, c_name(btf_.string(param.name_off)), depth + 1);
  }
  return fmt::format("({})", text.empty() ? "void" : text);
}

std::string CPrinter::tagged(std::string_view keyword, uint32_t id, const std::string& body) const {
  std::string text(keyword);
  if (!name(id).empty()) {
    text += ' ';
    text += name(id);
  } else if (!body.empty()) {
    text += ' ' + body;
  }
  return text;
}

std::string CPrinter::base_type(uint32_t id, int depth) {
  BtfType type = btf_.type(id);
  bool is_anonymous = btf_.name(type).empty();
  std::string contents;
  if (is_anonymous && depth >= max_nesting) contents = "{ ... }";
  switch (type.kind()) {
    case BtfKind::Struct:
    case BtfKind::Union:
    case BtfKind::Enum:
    case BtfKind::Enum64:
      if (is_anonymous && contents.empty()) contents = body(type, depth);
      return tagged(type.kind() == BtfKind::Struct  ? "struct"
                    : type.kind() == BtfKind::Union ? "union"
                                                    : "enum",
                    id, contents);
    case BtfKind::Fwd:
      return tagged(type.kind_flag() ? "union" : "struct", id, {});
    case BtfKind::Datasec:
      return fmt::format("SEC(\"{}\")", btf_.name(type));
    case BtfKind::DeclTag:
      return fmt::format("__attribute__((btf_decl_tag(\"{}\")))", btf_.name(type));
    case BtfKind::Int:
    case BtfKind::Float:
      return scalar_name(btf_.name(type));
    default:
      return name(id);
  }
}

std::string CPrinter::declaration(uint32_t id, std::string_view name, int depth) {
  if (depth == 0) work_ = 0;
  Declarator d{std::string(name), {}, false};
  std::string base = "...";
  for (int step = 0; step < max_chain; ++step) {
    ++work_;
    if (is_too_long() || d.text.size() + d.qualifiers.size() > max_text) break;
    if (id == 0) {
      base = "void";
      break;
    }
    BtfType type = btf_.type(id);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Ptr) {
      wrap_pointer(d);
      id = type.type();
    } else if (kind == BtfKind::Array) {
      wrap_suffix(d, fmt::format("[{}]", type.array_length()));
      id = type.array_element_type();
    } else if (kind == BtfKind::FuncProto) {
      wrap_suffix(d, parameters(type, depth));
      id = type.type();
    } else if (kind == BtfKind::Const || kind == BtfKind::Volatile || kind == BtfKind::Restrict) {
      prepend_word(d.qualifiers, kind == BtfKind::Const      ? "const"
                                 : kind == BtfKind::Volatile ? "volatile"
                                                             : "restrict");
      id = type.type();
    } else if (kind == BtfKind::TypeTag) {
      prepend_word(d.qualifiers,
                   type.kind_flag()
                       ? fmt::format("__attribute__(({}))", btf_.name(type))
                       : fmt::format("__attribute__((btf_type_tag(\"{}\")))", btf_.name(type)));
      id = type.type();
    } else if (kind == BtfKind::Var || kind == BtfKind::Func) {
      prepend_word(d.text, c_name(btf_.name(type)));
      id = type.type();
    } else {
      base = base_type(id, depth);
      break;
    }
  }
  if (!d.qualifiers.empty()) prepend_word(base, d.qualifiers);
  // "int (*f)(void)" and "int *p", but "int[4]" where there is no name.
  if (!d.text.empty() && d.text.front() != '[') base += ' ';
  base += d.text;
  work_ += base.size();
  return base;
}

std::string CPrinter::members(BtfType type, int depth) {
  std::string indent(depth + 1, '\t');
  std::string text = "{\n";
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    if (is_too_long()) return text + indent + "...\n" + std::string(depth, '\t') + "}";
    BtfMember member = type.member(i);
    text += indent + declaration(member.type, c_name(btf_.string(member.name_off)), depth + 1);
    if (uint32_t bits = type.member_bitfield_size(i); bits != 0) text += fmt::format(": {}", bits);
    text += ";\n";
  }
  return text + std::string(depth, '\t') + "}";
}

std::string enumerator_value(BtfType type, uint32_t i) {
  uint64_t value = type.enumerator(i).value;
  return type.kind_flag() ? fmt::to_string(static_cast<int64_t>(value)) : fmt::to_string(value);
}

std::string CPrinter::enumerators(BtfType type, int depth) const {
  std::string indent(depth + 1, '\t');
  std::string text = "{\n";
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    if (text.size() > max_text) return text + indent + "...\n" + std::string(depth, '\t') + "}";
    bool is_wide = type.kind() == BtfKind::Enum64;
    text += fmt::format("{}{} = {}{},\n", indent, c_name(btf_.string(type.enumerator(i).name_off)),
                        enumerator_value(type, i), is_wide && !type.kind_flag() ? "ULL" : "");
  }
  return text + std::string(depth, '\t') + "}";
}

std::string CPrinter::body(BtfType type, int depth) {
  return is_enum(type.kind()) ? enumerators(type, depth) : members(type, depth);
}

std::string CPrinter::definition(uint32_t id) {
  work_ = 0;
  BtfType type = btf_.type(id);
  switch (type.kind()) {
    case BtfKind::Struct:
    case BtfKind::Union:
    case BtfKind::Enum:
    case BtfKind::Enum64: {
      std::string text = base_type(id, 0);
      if (!btf_.name(type).empty() && !(type.vlen() == 0 && type.kind() >= BtfKind::Enum))
        text += ' ' + body(type, 0);
      return text + ";";
    }
    case BtfKind::Typedef:
      return "typedef " + declaration(type.type(), name(id), 0) + ";";
    case BtfKind::Var: {
      bool is_static = type.var_linkage() == BtfLinkage::Static;
      bool is_extern = type.var_linkage() == BtfLinkage::Extern;
      return (is_static ? "static " : is_extern ? "extern " : "") + declaration(id, {}, 0) + ";";
    }
    case BtfKind::Func: {
      bool is_static = type.func_linkage() == BtfLinkage::Static;
      bool is_extern = type.func_linkage() == BtfLinkage::Extern;
      return (is_static ? "static " : is_extern ? "extern " : "") + declaration(id, {}, 0) + ";";
    }
    default:
      return declaration(id, {}, 0) + ";";
  }
}

std::string print_c_declaration(const BtfView& btf, uint32_t id, std::string_view name) {
  return CPrinter(btf).declaration(id, name, 0);
}

std::string print_c_definition(const BtfView& btf, uint32_t id) {
  return CPrinter(btf).definition(id);
}

}  // namespace bpflink
