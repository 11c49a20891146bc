// Objects that tests make in place of parsed ones
#pragma once

#include <doctest/doctest.h>

#include <span>
#include <string_view>

#include "linker/files/object_types.hpp"
#include "units.hpp"

namespace bpflink::test {

/// Adds a linked section, whose role follows from its name and flags. The object must have room for
/// it, so that references to others stay valid.
inline InputSection& add_section(ObjectFile& object, std::string_view name, uint64_t flags,
                                 std::span<const std::byte> data = {}, uint64_t alignment = 1) {
  InputSection& section = object.sections.emplace_back();
  section.file = &object;
  section.index = static_cast<uint32_t>(object.sections.size()) - 1;
  section.name = name;
  section.type = SHT_PROGBITS;
  section.flags = flags;
  section.alignment = alignment;
  section.role = role_of(section.name, section.type, section.flags);
  section.use = SectionUse::Link;
  section.data = data;
  section.size = data.size();
  section.fragments = {{0, data.size()}};
  object.index_sections();
  return section;
}

/// Adds a symbol and returns its index. Section 0 is that of undefined ones.
inline uint32_t add_symbol(ObjectFile& object, std::string_view name, uint32_t section,
                           uint64_t value, uint64_t size, uint8_t type,
                           uint8_t binding = STB_GLOBAL) {
  object.symbols.push_back({.name = name,
                            .value = value,
                            .size = size,
                            .section = section,
                            .type = type,
                            .binding = binding});
  return static_cast<uint32_t>(object.symbols.size()) - 1;
}

/// Gives the object these types, as if from its .BTF.
inline void add_types(ObjectFile& object, std::span<const std::byte> blob) {
  InputSection& section = add_section(object, ".BTF", 0, blob);
  section.use = SectionUse::Rebuild;
  section.fragments.clear();
  REQUIRE(read_object_types(object));
}

}  // namespace bpflink::test
