#include "linker/elf/gas_dialect.hpp"

#include <algorithm>
#include <string_view>

namespace bpflink {
namespace {

constexpr uint32_t R_BPF_DATA_32 = 11, R_BPF_DATA_64 = 12;

/// The sum of the symbol's value and the addend, as stored in the field.
int64_t field_value(const Relocation& relocation) {
  // The reader interpreted the immediate as instructions from the next one.
  if (relocation.type == R_BPF_64_32) return relocation.addend / int64_t{insn_size};
  return relocation.addend;
}

bool is_against_definition(const ObjectFile& object, const Relocation& relocation) {
  const InputSymbol& symbol = object.symbols[relocation.symbol];
  return symbol.place == InputSymbol::Place::Section && !symbol.is_section();
}

}  // namespace

uint32_t standard_relocation_type(uint32_t type) {
  if (type == R_BPF_DATA_32) return R_BPF_64_ABS32;
  if (type == R_BPF_DATA_64) return R_BPF_64_ABS64;
  return type;
}

bool holds_symbol_values(const ObjectFile& object) {
  // Newer versions omit the value; then some field is less than it.
  for (const InputSection& section : object.sections)
    for (const Relocation& relocation : section.relocations)
      if (is_against_definition(object, relocation) &&
          field_value(relocation) < static_cast<int64_t>(object.symbols[relocation.symbol].value))
        return false;
  return true;
}

void normalize_gas_addends(ObjectFile& object) {
  for (InputSection& section : object.sections)
    for (Relocation& relocation : section.relocations) {
      relocation.addend = field_value(relocation);
      if (is_against_definition(object, relocation))
        relocation.addend -= static_cast<int64_t>(object.symbols[relocation.symbol].value);
    }
}

}  // namespace bpflink
