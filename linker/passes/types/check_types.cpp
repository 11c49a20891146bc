// Pass: compare the types of each name's declarations and definition.
//
// A difference that libbpf's linker accepts is a warning; any other is an error. A ComparePolicy
// (dedup/compare/compare.hpp) defines which differences count, and MapComparison does so for
// maps.
//
// Types are merged already, so identical ones share an id. Only the rest is compared in depth.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "linker/lto/protocol.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

using Attributes = std::vector<MapAttribute>;

const MapAttribute* find(const Attributes& attributes, std::string_view name) {
  auto found = std::ranges::find(attributes, name, &MapAttribute::name);
  return found != attributes.end() ? &*found : nullptr;
}

/// Two definitions of a map, and how alike they have to be.
struct MapPair {
  const BtfView& types;
  /// CCompatible or LibbpfCompatible, which treats 0 like an absent attribute.
  ComparePolicy policy;
  uint32_t declared, defined;
  bool may_leave_out;     ///< whether `declared` is an extern, which may omit attributes
  bool is_inner = false;  ///< of a map that another one holds
};

/// Finds the first difference of two definitions of a map. Unknown attributes are compared like any
/// other.
class MapComparison {
 public:
  MapComparison(const MapPair& maps, std::string_view path)
      : maps_(maps), types_(maps.types), path_(path) {}

  std::optional<TypeDifference> run() {
    uint32_t declared = skip_modifiers(types_, maps_.declared);
    uint32_t defined = skip_modifiers(types_, maps_.defined);
    if (declared == defined) return std::nullopt;
    if (!is_composite(types_.kind(declared)) || types_.kind(declared) != types_.kind(defined))
      return TypeComparison(types_, types_, maps_.policy).run(declared, defined, path_);
    a_ = read_map_attributes(types_, declared);
    b_ = read_map_attributes(types_, defined);
    for (const MapAttribute& attribute : a_) {
      const MapAttribute* other = find(b_, attribute.name);
      if (other == nullptr && !may_be_absent(attribute, b_))
        return differ(attribute, type_of(declared, a_, attribute), "", 0, "no such attribute");
      if (other == nullptr) continue;
      if (auto difference = compare(attribute, type_of(declared, a_, attribute), *other,
                                    type_of(defined, b_, *other)))
        return difference;
    }
    if (maps_.may_leave_out) return std::nullopt;
    for (const MapAttribute& attribute : b_)
      if (find(a_, attribute.name) == nullptr && !may_be_absent(attribute, a_))
        return differ(attribute, 0, "no such attribute", type_of(defined, b_, attribute), "");
    return std::nullopt;
  }

 private:
  bool as_libbpf() const { return maps_.policy == ComparePolicy::LibbpfCompatible; }

  /// The type of an attribute's member.
  uint32_t type_of(uint32_t definition, const Attributes& all, const MapAttribute& one) const {
    return types_.type(definition).member(static_cast<uint32_t>(&one - all.data())).type;
  }

  std::string path_of(const MapAttribute& attribute) const {
    return fmt::format("{}.{}", path_, attribute.name);
  }

  std::optional<TypeDifference> differ(const MapAttribute& attribute, uint32_t a,
                                       std::string note_a, uint32_t b, std::string note_b) const {
    return TypeDifference{path_of(attribute), "", {a, std::move(note_a)}, {b, std::move(note_b)}};
  }

  /// The size of a key or value; 0 if it has none.
  uint64_t size_of(const MapAttribute& attribute) const {
    if (attribute.form != MapAttribute::Form::Type) return 0;
    return type_size(types_, attribute.type_id).value_or(0);
  }

  /// Whether omitting the attribute defines the same map, given the other definition's attributes.
  bool may_be_absent(const MapAttribute& attribute, const Attributes& others) const {
    if (!as_libbpf()) return false;
    std::string_view name = attribute.name;
    if (name == "map_extra") return true;
    if (attribute.form != MapAttribute::Form::Number) return false;
    if (name == "max_entries" || name == "map_flags" || name == "numa_node" || name == "pinning")
      return attribute.number == 0;
    auto follows_from = [&](std::string_view source) {
      const MapAttribute* found = find(others, source);
      return found != nullptr && size_of(*found) == attribute.number;
    };
    if (name == "key_size") return follows_from("key");
    if (name != "value_size") return false;
    // The slots of a map of maps or programs are file descriptors.
    return follows_from("value") ||
           (find(others, "values") != nullptr && attribute.number == sizeof(int));
  }

  /// Whether libbpf considers the maps or programs in two arrays `values` alike.
  bool hold_alike(const MapAttribute& a, const MapAttribute& b) const {
    if (a.type_id == 0 || b.type_id == 0) return a.type_id == b.type_id;
    if (types_.kind(a.type_id) != types_.kind(b.type_id)) return false;
    if (types_.kind(a.type_id) == BtfKind::FuncProto) return true;
    if (maps_.is_inner) return false;  // maps are not nested deeper
    MapPair inner{types_, maps_.policy, a.type_id, b.type_id, false, true};
    return !MapComparison(inner, path_).run();
  }

  std::optional<TypeDifference> compare(const MapAttribute& a, uint32_t type_a,
                                        const MapAttribute& b, uint32_t type_b) const {
    using Form = MapAttribute::Form;
    auto whole = [&] { return differ(a, type_a, "", type_b, ""); };
    if (skip_modifiers(types_, type_a) == skip_modifiers(types_, type_b)) return std::nullopt;
    if (as_libbpf() && a.name == "map_extra") return std::nullopt;
    if (a.form != b.form) return whole();
    if (a.form == Form::Number) {
      if (a.number == b.number) return std::nullopt;
      return differ(a, type_a, fmt::format("value {}", a.number), type_b,
                    fmt::format("value {}", b.number));
    }
    if (as_libbpf() && a.form == Form::Values) return hold_alike(a, b) ? std::nullopt : whole();
    TypeComparison comparison(types_, types_, maps_.policy);
    if (a.form == Form::Type) {
      auto difference = comparison.run(a.type_id, b.type_id, path_of(a) + "->");
      // In C, an array without a length agrees with any.
      return difference || size_of(a) == size_of(b) ? difference : whole();
    }
    if (a.form != Form::Values) return comparison.run(type_a, type_b, path_of(a));
    // The number of values does not matter.
    auto element = [&](uint32_t id) {
      return types_.type(skip_modifiers(types_, id)).array_element_type();
    };
    return comparison.run(element(type_a), element(type_b), path_of(a) + "[]");
  }

  MapPair maps_;
  const BtfView& types_;
  std::string_view path_;
  Attributes a_, b_;
};

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
    // Rust's crates declare these in their own ways, and the compiler's has another one.
    if (context_.options.for_rustc && lto::is_built_in(symbol.name)) return false;
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
      return MapComparison({types_, policy, declared_id, chosen_id, is_extern}, symbol.name).run();
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
