// Names for C.
//
// All names of a name space are sorted, so that equal ones are adjacent. The first of them keeps
// the name, if it is valid in C; the others get a number, as in `task___2`. CO-RE loaders ignore
// what follows three underscores (a "flavor"), so such a type still means `task`. BTF of languages
// other than C has names such as `Option<T>`, which become valid C names.
#include "dedup/print/c_names.hpp"

#include <algorithm>
#include <tuple>

#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

namespace {

/// Keywords of gcc and clang for C11, names that they predeclare, and the macros of the header.
// clang-format off
constexpr std::string_view reserved[] = {
    "BTF_DECL_TAG", "BTF_TYPE_ATTRIBUTE", "BTF_TYPE_TAG", "_Accum", "_Alignas", "_Alignof",
    "_Atomic", "_BitInt", "_Bool", "_Complex", "_Decimal128", "_Decimal32", "_Decimal64",
    "_Float128", "_Float128x", "_Float16", "_Float32", "_Float32x", "_Float64", "_Float64x",
    "_Fract", "_Generic", "_Imaginary", "_Nonnull", "_Noreturn", "_Null_unspecified", "_Nullable",
    "_Nullable_result", "_Sat", "_Static_assert", "_Thread_local", "__FUNCTION__",
    "__NSConstantString", "__PRETTY_FUNCTION__", "__alignof", "__alignof__", "__asm", "__asm__",
    "__attribute", "__attribute__", "__auto_type", "__bf16", "__bpf_fastcall", "__complex", "__complex__", "__const",
    "__const__", "__extension__", "__float128", "__float80", "__fp16", "__func__", "__ibm128",
    "__imag", "__imag__", "__inline", "__inline__", "__int128", "__int128_t", "__ksym", "__label__",
    "__null", "__real", "__real__", "__restrict", "__restrict__", "__seg_fs", "__seg_gs",
    "__signed", "__signed__", "__thread", "__typeof", "__typeof__", "__uint128_t", "__volatile",
    "__volatile__", "__weak", "asm", "auto", "break", "case", "char", "const", "continue", "default", "do",
    "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "typedef", "typeof", "union", "unsigned", "void", "volatile", "while"
};
// clang-format on
static_assert(std::ranges::is_sorted(reserved));

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_letter_or_digit(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

bool is_reserved(std::string_view text) {
  return std::ranges::binary_search(reserved, text) || text.starts_with("__builtin_");
}

}  // namespace

bool is_c_name(std::string_view text) {
  return !text.empty() && text.size() <= max_name_length && is_letter(text.front()) &&
         std::ranges::all_of(text, is_letter_or_digit) && !is_reserved(text);
}

std::string make_c_name(std::string_view text) {
  if (text.empty()) return "unnamed";
  std::string name(text.substr(0, max_name_length));
  std::ranges::replace_if(
      name, [](char c) { return !is_letter_or_digit(c); }, '_');
  if (!is_letter(name.front())) name.insert(0, 1, '_');
  if (is_reserved(name)) name += '_';
  return name;
}

std::string c_name(std::string_view text) {
  return text.empty() || is_c_name(text) ? std::string(text) : make_c_name(text);
}

bool is_type_or_macro(std::string_view name) {
  constexpr std::string_view names[] = {"bool",    "char16_t", "char32_t",
                                        "char8_t", "errno",    "wchar_t"};
  return std::ranges::find(names, name) != std::end(names);
}

std::string quoted_in_c(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '?') result += '\\';
    result += c >= ' ' && c <= '~' ? c : '_';
  }
  return result + '"';
}

MemberNames::MemberNames(std::vector<std::string_view> names) : names_(std::move(names)) {
  std::ranges::sort(names_);
  has_repeats_ = std::ranges::adjacent_find(names_) != names_.end();
}

std::string MemberNames::next(std::string_view name) {
  bool is_free = is_c_name(name);
  if (is_free && has_repeats_) is_free = seen_.insert(name).second;
  return is_free ? std::string(name) : next_new(make_c_name(name));
}

std::string MemberNames::next_new(const std::string& preferred) {
  return repeated_.next(preferred, [&](std::string_view candidate) {
    return std::ranges::binary_search(names_, candidate);
  });
}

CNames::CNames(const BtfView& btf, std::span<const uint32_t> ids, uint32_t long_size) : btf_(btf) {
  collect(ids, long_size);
  auto order = [](const Entry& e) { return std::tie(e.space, e.name, e.rank); };
  std::ranges::stable_sort(entries_, {}, order);
  for (size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
    const Entry& first = entries_[begin];
    while (end < entries_.size() && entries_[end].space == first.space &&
           entries_[end].name == first.name)
      ++end;
    rename_repeats(begin, end);
  }
}

void CNames::collect(std::span<const uint32_t> ids, uint32_t long_size) {
  auto add = [&](CNameSpace space, uint32_t name, uint8_t rank, uint32_t id, uint32_t element) {
    entries_.push_back(
        {space, btf_.string(name).substr(0, max_name_length + 1), rank, id, element});
  };
  for (uint32_t id : ids) {
    BtfType type = btf_.type(id);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Func) add(CNameSpace::Ordinary, type.name_off(), 0, id, 0);
    if (kind == BtfKind::Fwd || ((is_composite(kind) || is_enum(kind)) && !btf_.name(type).empty()))
      add(CNameSpace::Tag, type.name_off(), is_declaration(type) ? 1 : 0, id, 0);
    if (kind == BtfKind::Typedef) add(CNameSpace::Ordinary, type.name_off(), 1, id, 0);
    if ((kind == BtfKind::Int || kind == BtfKind::Float) &&
        c_scalar(btf_.name(type), type, long_size).empty())
      add(CNameSpace::Ordinary, type.name_off(), 2, id, 0);
    if (!is_enum(kind)) continue;
    for (uint32_t i = 0; i < type.vlen(); ++i)
      add(CNameSpace::Ordinary, type.enumerator(i).name_off, 3, id, i + 1);
  }
}

/// Renames the entries of one name, except the one that keeps it.
void CNames::rename_repeats(size_t begin, size_t end) {
  const Entry& first = entries_[begin];
  bool is_free = is_c_name(first.name);
  std::string name;
  for (size_t i = begin; i < end; ++i) {
    const Entry& entry = entries_[i];
    if (entry.rank == 1 && entry.space == CNameSpace::Tag && find_declared(begin, i)) continue;
    if (is_free) {
      is_free = false;
      continue;
    }
    if (name.empty()) name = make_c_name(first.name);
    renamed_.emplace(key(entry.id, entry.element), unique(entry.space, name));
  }
}

/// Finds the type that a declaration declares among the entries before it. Definitions come before
/// declarations, and equal declarations are printed once.
bool CNames::find_declared(size_t begin, size_t at) {
  BtfType declaration = btf_.type(entries_[at].id);
  // Look at a few only: there is one of each keyword, enums of each size, and then renamed ones.
  constexpr size_t max_candidates = 16;
  for (size_t i = begin; i < at && i - begin < max_candidates; ++i) {
    BtfType type = btf_.type(entries_[i].id);
    if (tag_space(type) != tag_space(declaration)) continue;
    if (is_enum(type.kind()) && type.size() != declaration.size()) continue;
    declared_.emplace(entries_[at].id, declared(entries_[i].id));
    return true;
  }
  return false;
}

bool CNames::is_taken(CNameSpace space, std::string_view name) const {
  auto order = [](const Entry& e) { return std::pair(e.space, e.name); };
  return std::ranges::binary_search(entries_, std::pair(space, name), {}, order);
}

bool CNames::is_used(CNameSpace space, const std::string& name) const {
  return is_taken(space, name) || repeated_[static_cast<int>(space)].has_given(name);
}

std::string CNames::unique(CNameSpace space, std::string_view preferred) {
  return repeated_[static_cast<int>(space)].next(
      std::string(preferred), [&](const std::string& name) { return is_taken(space, name); });
}

void CNames::set_name(uint32_t id, std::string name) {
  renamed_.insert_or_assign(key(id, 0), std::move(name));
}

uint32_t CNames::declared(uint32_t id) const {
  auto it = declared_.find(id);
  return it != declared_.end() ? it->second : id;
}

std::string_view CNames::of(uint32_t id) const {
  id = declared(id);
  auto it = renamed_.find(key(id, 0));
  return it != renamed_.end() ? it->second : btf_.name(btf_.type(id));
}

std::string_view CNames::of_enumerator(uint32_t id, uint32_t i) const {
  auto it = renamed_.find(key(id, i + 1));
  if (it != renamed_.end()) return it->second;
  return btf_.string(btf_.type(id).enumerator(i).name_off);
}

}  // namespace bpflink
