// Pass: check for maps that loaders do not recognize or refuse.
//
// A loader creates a map for each global variable in .maps. libbpf rejects static ones, and those
// whose definition it does not understand; the kernel those that break the rules of their type. A
// variable is not a map if only its declaration has SEC(".maps"), not its definition. The reverse
// does no harm: the definition decides.
#include <fmt/format.h>

#include <map>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "linker/context.hpp"
#include "linker/text/locations.hpp"
#include "linker/types/map_definition.hpp"
#include "linker/types/map_rules.hpp"
#include "linker/types/value_rules.hpp"

namespace bpflink {
namespace {

/// How many objects a message lists.
constexpr size_t max_objects = 5;

void warn_legacy_maps(Context& context) {
  if (context.options.for_rustc) return;  // aya takes them
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      if (section.role == SectionRole::LegacyMaps && is_live(section))
        context.diagnostics.warning(
            fmt::format("{}: libbpf 1.0 and later refuse maps in SEC(\"maps\")", object->name),
            {hint("define them in SEC(\".maps\")")}, DiagnosticCode::NotOpenable,
            {.file = object->name});
}

void warn_static_maps(Context& context) {
  std::map<std::string_view, std::vector<DiagnosticReference>> maps;
  for (const auto& object : context.objects)
    for (const InputSymbol& symbol : object->symbols) {
      bool is_static = symbol.is_local() && symbol.type == STT_OBJECT && is_live(*object, symbol);
      if (is_static && object->sections[symbol.section].role == SectionRole::Maps)
        maps[symbol.name].push_back({ReferenceRole::DefinedAt, location_of(*object, symbol)});
    }
  for (auto& [name, references] : maps) {
    size_t count = references.size();
    references.resize(std::min(count, max_objects));
    add_more(references, ReferenceRole::DefinedAt, count, max_objects);
    references.push_back(
        hint(count == 1 ? "remove static"
                        : "define it in one file, without static; the others declare it: extern "
                          "struct {...} " +
                              std::string(name) + " SEC(\".maps\")"));
    context.diagnostics.warning(fmt::format("libbpf refuses static maps: {}", name),
                                std::move(references), DiagnosticCode::NotOpenable,
                                {.symbol = name});
  }
}

/// Reports a declaration in .maps whose symbol is defined elsewhere.
void check_section(Context& context, const ObjectFile& object, const BtfDeclaration& declaration) {
  const Symbol& symbol = *declaration.symbol;
  const InputSymbol& declared = object.symbols[declaration.symbol_index];
  const InputSection* holder = symbol.place().section;
  if (declaration.role != SectionRole::Maps || declared.is_defined()) return;
  if (!holder || holder->holds_maps()) return;
  context.diagnostics.report(
      {.severity = context.options.partial ? Severity::Warning : Severity::Error,
       .message =
           fmt::format("'{}' is declared with SEC(\".maps\") but defined without it", symbol.name),
       .code = DiagnosticCode::ConflictingTypes,
       .symbol = std::string(symbol.name),
       .references = {reference_to(*symbol.file, symbol.input()), reference_to(object, declared),
                      hint("a map has SEC(\".maps\") wherever it is declared")}});
}

/// Warns about definitions in .maps that are none, and of variables elsewhere that are like maps.
void warn_definition(Context& context, const ObjectFile& object, const BtfDeclaration& declaration,
                     const std::unordered_set<const Symbol*>& declared_as_maps,
                     ValueRules& values) {
  const Symbol* symbol = declaration.symbol;
  if (!symbol || !symbol->in_output || !describes_symbol(object, declaration) ||
      symbol->file != &object || !symbol->is_defined)
    return;
  const InputSection* section = symbol->place().section;
  if (!section) return;
  const BtfView& types = *object.btf;
  uint32_t definition = skip_modifiers(types, declaration.type().type());
  bool is_map = section->role == SectionRole::Maps;
  bool is_data = facts_of(section->role).is_global_data || section->role == SectionRole::Other;
  std::string what, advice;
  DiagnosticCode code = is_map ? DiagnosticCode::NotOpenable : DiagnosticCode::NotLoadable;
  if (is_map) {
    what = find_map_fault(types, definition);
    if (what.empty()) {
      Map map;
      read_map_definition(types, definition, map);
      what = find_libbpf_fault(types, map);
      auto fault = find_rule_fault(map);
      if (what.empty() && fault && fault->since == LinuxRelease{}) {
        code = DiagnosticCode::NotLoadable;
        what = std::move(fault->text);
        advice = std::move(fault->advice);
      }
      if (what.empty()) {
        what = values.find_fault(map.value_type_id).text;
        if (!what.empty()) code = DiagnosticCode::NotLoadable;
      }
    }
  } else if (is_data && !declared_as_maps.contains(symbol) && is_like_map(types, definition)) {
    what = fmt::format("is defined like a map, but is a variable in {}", section->name);
  }
  if (what.empty()) return;
  std::vector references{reference_to(object, symbol->input())};
  if (!is_map) advice = "put SEC(\".maps\") behind its name";
  if (!advice.empty()) references.push_back(hint(std::move(advice)));
  context.diagnostics.warning(fmt::format("'{}' {}", symbol->name, what), std::move(references),
                              code, {.symbol = symbol->name});
}

bool is_arena(const Symbol& symbol) {
  uint32_t type = symbol.variable_type();
  return type != 0 && map_number(*symbol.btf_file->btf, type, "type") == map_type_arena;
}

/// An object has one arena at most, and needs one for its variables in .addr_space.1.
void check_arena(Context& context) {
  std::vector<DiagnosticReference> arenas;
  const Symbol* variable = nullptr;
  for (const Symbol* symbol : context.symbols.all()) {
    const InputSection* section = symbol->place().section;
    if (!symbol->in_output || !symbol->is_defined || !section) continue;
    if (section->role == SectionRole::Arena && !variable) variable = symbol;
    if (section->role == SectionRole::Maps && is_arena(*symbol))
      arenas.push_back(reference_to(*symbol->file, symbol->input()));
  }
  std::string message;
  if (arenas.size() > 1) {
    message = fmt::format("there are {} arenas, and libbpf accepts one", arenas.size());
    size_t count = arenas.size();
    arenas.resize(std::min(count, max_objects));
    add_more(arenas, ReferenceRole::Definition, count, max_objects);
  } else if (variable && arenas.empty()) {
    message = fmt::format("'{}' is in an arena, and there is no map of type arena", variable->name);
    arenas = {reference_to(*variable->file, variable->input()),
              hint("__uint(type, BPF_MAP_TYPE_ARENA)")};
  }
  if (!message.empty())
    context.diagnostics.warning(std::move(message), std::move(arenas), DiagnosticCode::NotOpenable);
}

}  // namespace

void check_maps(Context& context) {
  warn_legacy_maps(context);
  warn_static_maps(context);
  std::unordered_set<const Symbol*> declared_as_maps;
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations)
      if (declaration.role == SectionRole::Maps && declaration.symbol &&
          !object->symbols[declaration.symbol_index].is_defined())
        declared_as_maps.insert(declaration.symbol);
  if (!context.options.partial) {
    for (const auto& object : context.objects) {
      if (!object->btf) continue;
      ValueRules values(*object);
      for (const BtfDeclaration& declaration : object->declarations)
        if (!declaration.is_func())
          warn_definition(context, *object, declaration, declared_as_maps, values);
    }
    check_arena(context);
  }
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations)
      if (declaration.symbol && declaration.symbol->is_defined && !declaration.is_func())
        check_section(context, *object, declaration);
}

}  // namespace bpflink
