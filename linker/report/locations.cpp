#include "linker/report/locations.hpp"

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

}  // namespace bpflink
