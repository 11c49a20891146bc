#include "dedup/check/names.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>

namespace bpflink {
namespace {

// Character classes as in the kernel, which reads bytes as Latin-1.
constexpr bool is_letter(unsigned char c) {
  constexpr unsigned char first_of_latin = 0xc0, multiplication = 0xd7, division = 0xf7;
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= first_of_latin && c != multiplication && c != division);
}

constexpr bool is_digit(unsigned char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_printable(unsigned char c) {
  constexpr unsigned char first_of_latin = 0xa0;
  return (c >= ' ' && c <= '~') || c >= first_of_latin;
}

enum CharacterClass : uint8_t { InIdentifier = 1, InSectionName = 2, Dot = 4 };

constexpr auto classes = [] {
  std::array<uint8_t, 256> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    auto c = static_cast<unsigned char>(i);
    if (is_letter(c) || is_digit(c) || c == '_' || c == '.') table[i] |= InIdentifier;
    if (is_printable(c)) table[i] |= InSectionName;
    if (c == '.') table[i] |= Dot;
  }
  return table;
}();

/// The longest name that kernels before 6.1 take, in bytes.
constexpr size_t max_old_name = 127;

}  // namespace

std::string_view bounded_name(const BtfView& types, uint32_t offset, size_t max_size) {
  const BtfView* owner = &types;
  while (offset < owner->string_begin()) owner = owner->base();
  offset -= owner->string_begin();
  if (offset >= owner->strings().size()) return {};
  std::string_view text = owner->strings().substr(offset, max_size);
  return text.substr(0, text.find('\0'));
}

bool is_name_offset(const BtfView& types, uint32_t offset) {
  return offset <= max_string_offset && (offset < types.string_end() || offset == 0);
}

NameKind name_kind(const BtfView& types, uint32_t offset) {
  std::string_view name = bounded_name(types, offset);
  if (name.empty()) return {.is_empty = true};
  uint8_t all = InIdentifier | InSectionName, any = 0;
  for (unsigned char c : name) {
    all &= classes[c];
    any |= classes[c];
  }
  bool is_short = name.size() <= max_kernel_name;
  return {.has_dot = (any & Dot) != 0,
          .is_identifier = is_short && !is_digit(name[0]) && (all & InIdentifier),
          .is_section_name = is_short && (all & InSectionName)};
}

std::string kernel_name(std::string_view name) {
  std::string result;
  for (unsigned char c : name) {
    bool is_kept = c == '_' || is_digit(c) || (c < 0x80 && is_letter(c));
    if (is_digit(c) && result.empty()) result += '_';
    result += is_kept ? std::string(1, static_cast<char>(c)) : fmt::format("_{:X}_", c);
  }
  if (result.size() <= max_old_name) return result;
  std::string hash = fmt::format("_{:016x}", XXH3_64bits(name.data(), name.size()));
  return result.substr(0, max_old_name - hash.size()) + hash;
}

void clean_name(char* name, bool has_dots) {
  for (char* c = name; *c != '\0' && c - name <= ptrdiff_t{max_kernel_name}; ++c) {
    auto byte = static_cast<unsigned char>(*c);
    bool is_sound = is_letter(byte) || byte == '_' || (is_digit(byte) && c != name) ||
                    (byte == '.' && has_dots);
    if (!is_sound) *c = '_';
  }
}

}  // namespace bpflink
