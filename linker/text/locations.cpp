#include "linker/text/locations.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "linker/io/paths.hpp"
#include "linker/text/diagnostics.hpp"

namespace bpflink {
namespace {

/// The longest line of source and path that a location has: thousands of locations may have one.
constexpr size_t max_text_length = 4096;

/// line_info has an instruction's column; for a definition that is somewhere in its first
/// expression. If the line contains the name, this points at the name instead.
void point_at(DiagnosticLocation& location, std::string_view name) {
  if (name.empty()) return;
  size_t at = find_word(location.text, name, location.column == 0 ? 0 : location.column - 1);
  if (at == std::string::npos) at = find_word(location.text, name);
  if (at != std::string::npos) location.column = static_cast<uint32_t>(at + 1);
}

}  // namespace

size_t find_word(std::string_view text, std::string_view name, size_t from) {
  auto continues_at = [&](size_t at) {  // false before the first, at -1
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (size_t at = text.find(name, from); at != text.npos; at = text.find(name, at + 1))
    if (!continues_at(at - 1) && !continues_at(at + name.size())) return at;
  return text.npos;
}

DiagnosticLocation location_of(const ObjectFile& object, const InputSection& section,
                               uint64_t offset, std::string_view name) {
  DiagnosticLocation location{.object = object.name,
                              .section = std::string(section.name.substr(0, max_text_length)),
                              .offset = offset};
  if (!object.btf_ext) return location;
  auto line = object.btf_ext->find_line(section.index, offset);
  if (!line) return location;
  location.source =
      path_from_here(object.btf->string(line->file_name_off).substr(0, max_text_length));
  location.line = line->line();
  location.column = line->column();
  location.text = object.btf->string(line->line_off).substr(0, max_text_length);
  point_at(location, name);
  return location;
}

DiagnosticLocation location_of(const ObjectFile& object, const InputSymbol& symbol) {
  DiagnosticLocation location{.object = object.name};
  if (symbol.is_in_section())
    location = location_of(object, object.sections[symbol.section], symbol.value, symbol.name);
  for (const auto& outline : object.outlines)  // one of the joined files has it
    for (const InputSymbol& own : outline->symbols)
      if (own.name == symbol.name && own.is_in_section()) location.object = outline->name;
  if (location.line != 0) return location;
  const auto& lines = object.dwarf_lines().by_name;
  auto found = lines.find(symbol.name);
  if (found == lines.end() || found->second.line == 0) return location;
  location.source = path_from_here(found->second.file);
  location.line = found->second.line;
  return location;
}

void add_stale_hints(std::vector<DiagnosticReference>& references,
                     std::initializer_list<const ObjectFile*> objects) {
  auto at = references.begin();
  for (const ObjectFile* object : objects) {
    const std::string& newer = object->newer_source();
    if (newer.empty()) continue;
    at = references.insert(at, {.role = ReferenceRole::Hint,
                                .text = fmt::format("compile {} again: it is older than {}",
                                                    object->name, path_from_here(newer))});
    ++at;
  }
}

DiagnosticReference reference_to(const ObjectFile& object, const InputSymbol& symbol,
                                 std::string type) {
  bool is_defined = symbol.is_defined();
  return {is_defined ? ReferenceRole::Definition : ReferenceRole::Declaration,
          location_of(object, symbol), std::move(type)};
}

}  // namespace bpflink
