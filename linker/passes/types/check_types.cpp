// Pass: compare the types of each name's declarations and definition.
//
// A difference that libbpf's linker accepts is a warning; any other is an error. A ComparePolicy
// (dedup/compare/compare.hpp) defines which differences count, and types/map_compare.cpp does so
// for maps.
//
// Types are merged already, so identical ones share an id. Only the rest is compared in depth.
#include <fmt/format.h>

#include <algorithm>

#include "bpflink/print.hpp"
#include "linker/context.hpp"
#include "linker/text/locations.hpp"
#include "linker/types/map_compare.hpp"

namespace bpflink {
namespace {

class TypeChecker {
 public:
  explicit TypeChecker(Context& context) : context_(context), types_(*context.btf) {}

  void run() {
    for (auto& object : context_.objects)
      for (BtfDeclaration& declaration : object->declarations)
        if (!describes_symbol(*object, declaration) && !declaration.is_synthesized)
          declaration.conflicts = check(*object, declaration);
  }

 private:
  /// Reports a declaration that conflicts with the type chosen for its symbol. Returns whether it
  /// does.
  bool check(const ObjectFile& object, const BtfDeclaration& declaration) {
    const Symbol& symbol = *declaration.symbol;
    if (!symbol.in_output) return false;  // with --gc-sections, its types may be gone
    auto difference = find_difference(ComparePolicy::CCompatible, object, declaration);
    if (!difference) return false;
    bool is_error =
        context_.options.check_types &&
        find_difference(ComparePolicy::LibbpfCompatible, object, declaration).has_value();
    uint32_t chosen = symbol.btf_file == symbol.file ? symbol.index : 0;
    std::vector references = {describe(*symbol.btf_file, symbol.btf_id, chosen),
                              describe(object, declaration.type_id, declaration.symbol_index)};
    explain(*difference, object, symbol, references);
    references.push_back(hint("declare it once, in a header that all include"));
    add_stale_hints(references, {symbol.btf_file, &object});
    context_.diagnostics.report({.severity = is_error ? Severity::Error : Severity::Warning,
                                 .message = fmt::format("conflicting types of '{}'", symbol.name),
                                 .code = DiagnosticCode::ConflictingTypes,
                                 .symbol = std::string(symbol.name),
                                 .references = std::move(references)});
    return true;
  }

  std::optional<TypeDifference> find_difference(ComparePolicy policy, const ObjectFile& object,
                                                const BtfDeclaration& declaration) const {
    const Symbol& symbol = *declaration.symbol;
    BtfType declared = declaration.type();
    BtfType chosen = symbol.btf_file->btf->type(symbol.btf_id);
    uint32_t declared_id = object.type_map[declared.type()];
    uint32_t chosen_id = symbol.btf_file->type_map[chosen.type()];
    if (declared.kind() == chosen.kind() && declared_id == chosen_id) return std::nullopt;
    // A ksym declared as `const void` has no type to disagree with.
    if (!symbol.loader_section.empty() && !symbol.is_defined &&
        (is_typeless(*object.btf, declaration.type_id) ||
         is_typeless(*symbol.btf_file->btf, symbol.btf_id)))
      return std::nullopt;
    if (declared.kind() != chosen.kind())
      return TypeDifference{std::string(symbol.name), {}, {}, {}};
    if (declaration.role == SectionRole::Maps) {
      bool is_extern = !object.symbols[declaration.symbol_index].is_defined();
      return compare_maps({types_, policy, declared_id, chosen_id, is_extern}, symbol.name);
    }
    return TypeComparison(types_, types_, policy).run(declared_id, chosen_id, symbol.name);
  }

  /// Adds where inside the types the difference is, unless the declarations show it.
  static void explain(const TypeDifference& difference, const ObjectFile& object,
                      const Symbol& symbol, std::vector<DiagnosticReference>& references) {
    std::string place = difference.place();
    if (place == symbol.name && difference.a.note.empty() && difference.b.note.empty()) return;
    references.push_back({.role = ReferenceRole::DiffersAt, .text = std::move(place)});
    references.push_back(describe_side(*symbol.btf_file, difference.b));
    references.push_back(describe_side(object, difference.a));
  }

  static DiagnosticReference describe_side(const ObjectFile& object, const DifferenceSide& side) {
    std::string text;
    const TypeMap& map = object.type_map;
    uint32_t id = side.type == 0 ? map.end_id() : 1;
    while (id < map.end_id() && map[id] != side.type) ++id;
    if (id < map.end_id()) text = print_c_declaration(*object.btf, id);
    if (id < map.end_id() && !side.note.empty()) text += ", ";
    return {ReferenceRole::Side, {.object = object.name}, text.append(side.note)};
  }

  static DiagnosticReference describe(const ObjectFile& object, uint32_t id,
                                      uint32_t symbol_index) {
    BtfType type = object.btf->type(id);
    const InputSymbol& symbol = object.symbols[symbol_index];
    std::string text = print_c_declaration(*object.btf, type.type(), object.btf->name(type));
    return reference_to(object, symbol, symbol.is_defined() ? text : "extern " + text);
  }

  Context& context_;
  BtfView types_;  ///< of the output
};

}  // namespace

void check_types(Context& context) {
  if (!context.btf) return;
  TypeChecker(context).run();
}

}  // namespace bpflink
