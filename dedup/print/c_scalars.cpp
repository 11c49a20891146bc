#include "dedup/print/c_scalars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

namespace bpflink {

namespace {

/// How often each word is in the name of an integer type.
struct IntegerWords {
  uint32_t longs = 0;
  uint32_t shorts = 0;
  uint32_t chars = 0;
  uint32_t ints = 0;
  uint32_t signs = 0;
  uint32_t bools = 0;
  uint32_t wides = 0;
  uint32_t others = 0;
};

IntegerWords count_words(std::string_view name) {
  IntegerWords words;
  while (!name.empty()) {
    std::string_view word = name.substr(0, name.find(' '));
    uint32_t& count = word == "long"                           ? words.longs
                      : word == "short"                        ? words.shorts
                      : word == "char"                         ? words.chars
                      : word == "int"                          ? words.ints
                      : word == "signed" || word == "unsigned" ? words.signs
                      : word == "_Bool" || word == "bool"      ? words.bools
                      : word == "__int128"                     ? words.wides
                                                               : words.others;
    ++count;
    name.remove_prefix(std::min(name.size(), word.size() + 1));
  }
  return words;
}

/// The size of C's integer type of this name, or 0.
uint32_t integer_size(std::string_view name, uint32_t long_size) {
  IntegerWords w = count_words(name);
  uint32_t bases = w.chars + w.bools + w.wides + w.ints;
  if (w.others != 0 || w.signs > 1 || bases > 1) return 0;
  if (w.bools != 0) return w.longs + w.shorts + w.signs == 0 ? 1 : 0;
  if (w.chars != 0) return w.longs + w.shorts == 0 ? 1 : 0;
  if (w.wides != 0) return w.longs + w.shorts == 0 ? 16 : 0;
  if (w.shorts != 0) return w.shorts == 1 && w.longs == 0 ? 2 : 0;
  if (w.longs != 0) return w.longs == 1 ? long_size : w.longs == 2 ? 8 : 0;
  return w.ints + w.signs != 0 ? 4 : 0;
}

/// A floating type that some compilers lack for some targets.
struct FloatingType {
  std::string_view name;  ///< in BTF
  uint32_t size;          ///< bytes
  uint32_t alignment;     ///< bytes
  std::string_view c;
  std::string_view condition;  ///< of the preprocessor, whether the compiler has it
};

constexpr FloatingType floating_types[] = {
    {"long double", 16, 16, "long double", "__SIZEOF_LONG_DOUBLE__ == 16"},
    {"long double", 12, 4, "long double", "__SIZEOF_LONG_DOUBLE__ == 12"},
    {"long double", 8, 8, "long double", "__SIZEOF_LONG_DOUBLE__ == 8"},
    {"_Float128", 16, 16, "__float128", "defined(__SIZEOF_FLOAT128__)"},
    {"__float128", 16, 16, "__float128", "defined(__SIZEOF_FLOAT128__)"},
    {"_Float16", 2, 2, "_Float16", "defined(__FLT16_MAX__)"},
    {"complex float", 8, 4, "_Complex float", "defined(__GNUC__)"},
    {"complex double", 16, 8, "_Complex double", "defined(__GNUC__)"},
    {"complex long double", 32, 16, "_Complex long double", "__SIZEOF_LONG_DOUBLE__ == 16"},
};

const FloatingType* floating_type(std::string_view name, uint32_t size) {
  const auto* found = std::ranges::find_if(
      floating_types, [&](const FloatingType& t) { return t.name == name && t.size == size; });
  return found == std::end(floating_types) ? nullptr : found;
}

/// The value of an enumerator, truncated to the size of the enum.
struct EnumValue {
  bool is_negative;
  uint64_t bits;  ///< sign-extended
};

EnumValue enum_value(BtfType type, uint32_t i) {
  uint32_t width = is_enum_size(type.size()) ? 8 * type.size() : 64;
  uint64_t sign = uint64_t{1} << (width - 1);
  uint64_t bits = type.enumerator(i).value & (sign | (sign - 1));
  bool is_negative = type.kind_flag() && (bits & sign) != 0;
  if (is_negative) bits |= ~(sign | (sign - 1));
  return {is_negative, bits};
}

std::string decimal(EnumValue value) {
  return value.is_negative ? fmt::to_string(static_cast<int64_t>(value.bits))
                           : fmt::to_string(value.bits);
}

/// The size that gcc and clang give an enum of these values.
uint32_t natural_size(BtfType type) {
  uint64_t largest = 0;
  int64_t smallest = 0;
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    EnumValue value = enum_value(type, i);
    if (value.is_negative)
      smallest = std::min(smallest, static_cast<int64_t>(value.bits));
    else
      largest = std::max(largest, value.bits);
  }
  uint64_t limit = smallest < 0 ? INT32_MAX : UINT32_MAX;
  return largest <= limit && smallest >= INT32_MIN ? 4 : 8;
}

}  // namespace

uint32_t pointer_size(const BtfView& btf) {
  bool has_short_long = false;
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (type.kind() != BtfKind::Int || (type.size() != 4 && type.size() != 8)) continue;
    IntegerWords words = count_words(btf.name(type));
    if (words.longs != 1 || words.others != 0) continue;
    if (type.size() == 8) return 8;
    has_short_long = true;
  }
  return has_short_long ? 4 : 8;
}

std::string_view c_scalar(std::string_view name, BtfType type, uint32_t long_size) {
  if (type.kind() == BtfKind::Float) {
    if (name == "float" && type.size() == 4) return "float";
    return name == "double" && type.size() == 8 ? "double" : "";
  }
  if (type.size() == 0 || integer_size(name, long_size) != type.size()) return {};
  return name == "bool" ? "_Bool" : name;
}

bool is_c_bool(std::string_view name, BtfType type, uint32_t long_size) {
  std::string_view spelling = c_scalar(name, type, long_size);
  if (!spelling.empty()) return spelling == "_Bool";
  return type.size() == 1 && type.int_encoding() == btf_int_bool;
}

std::string_view c_integer(uint32_t size, bool is_signed) {
  static constexpr std::string_view names[][2] = {{"unsigned char", "signed char"},
                                                  {"unsigned short", "short"},
                                                  {"unsigned int", "int"},
                                                  {"unsigned long long", "long long"},
                                                  {"unsigned __int128", "__int128"}};
  return names[std::min(std::countr_zero(size), 4)][is_signed];
}

uint32_t float_alignment(std::string_view name, uint32_t size) {
  if (const FloatingType* known = floating_type(name, size)) return known->alignment;
  return size == 0 ? 1 : std::min(8U, 1U << std::countr_zero(size));
}

std::string scalar_typedef(std::string_view name, BtfType type, std::string_view identifier) {
  uint32_t size = type.size();
  bool is_float = type.kind() == BtfKind::Float;
  if (!is_float && is_integer_size(size)) {
    bool is_bool = type.int_encoding() == btf_int_bool && size == 1;
    return fmt::format(
        "typedef {} {};\n",
        is_bool ? "_Bool" : c_integer(size, (type.int_encoding() & btf_int_signed) != 0),
        identifier);
  }
  if (!is_float) return fmt::format("typedef struct {{ char bytes[{}]; }} {};\n", size, identifier);
  std::string attribute = fmt::format(" __attribute__((aligned({})))", float_alignment(name, size));
  std::string bytes =
      fmt::format("typedef struct {{ char bytes[{}]; }}{} {};\n", size, attribute, identifier);
  const FloatingType* known = floating_type(name, size);
  if (known == nullptr) return bytes;
  return fmt::format("#if {}\ntypedef {} {}{};\n#else\n{}#endif\n", known->condition, known->c,
                     identifier, attribute, bytes);
}

std::string enumerator_value(BtfType type, uint32_t i) {
  uint64_t value = type.enumerator(i).value;
  return type.kind_flag() ? fmt::to_string(static_cast<int64_t>(value)) : fmt::to_string(value);
}

std::string c_enumerator_value(BtfType type, uint32_t i) {
  constexpr uint64_t lowest = uint64_t{1} << 63;
  EnumValue value = enum_value(type, i);
  if (value.bits < lowest) return decimal(value);
  if (!value.is_negative) return decimal(value) + "ULL";
  return value.bits == lowest ? "-9223372036854775807LL - 1" : decimal(value);
}

std::string_view enum_mode(BtfType type) {
  static constexpr std::string_view modes[] = {
      " __attribute__((mode(QI)))", " __attribute__((mode(HI)))", " __attribute__((mode(SI)))",
      " __attribute__((mode(DI)))"};
  if (!is_enum_size(type.size()) || natural_size(type) == type.size()) return "";
  return modes[std::countr_zero(type.size())];
}

}  // namespace bpflink
