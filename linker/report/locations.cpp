#include "linker/report/locations.hpp"

#include <fmt/format.h>

namespace bpflink {

DiagnosticLocation location_of(const ObjectFile& object, const InputSection& section,
                               uint64_t offset) {
  DiagnosticLocation location{
      .object = object.name, .section = std::string(section.name), .offset = offset};
  if (!object.btf_ext) return location;
  auto line = object.btf_ext->find_line(section.index, offset);
  if (!line) return location;
  location.source = object.btf->string(line->file_name_off);
  location.line = line->line();
  location.column = line->column();
  return location;
}

DiagnosticLocation location_of(const ObjectFile& object, const InputSymbol& symbol) {
  if (symbol.place != InputSymbol::Place::Section) return {.object = object.name};
  return location_of(object, object.sections[symbol.section], symbol.value);
}

std::string describe_symbol(const ObjectFile& object, const InputSymbol& symbol) {
  if (!symbol.is_defined()) return fmt::format("declared in {}", object.name);
  if (symbol.place != InputSymbol::Place::Section) return fmt::format("defined in {}", object.name);
  const InputSection& section = object.sections[symbol.section];
  auto line = object.source_line(section, symbol.value);
  if (line) return fmt::format("defined in {} ({})", *line, object.name);
  return fmt::format("defined in {}", object.describe_place(section, symbol.value));
}

}  // namespace bpflink
