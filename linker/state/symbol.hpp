// The global symbols of a link, one per name.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "dedup/for_linker.hpp"
#include "linker/files/object_file.hpp"
#include "linker/files/references.hpp"

namespace bpflink {

struct Symbol {
  std::string_view name;
  /// The object that defines it, or the first that refers to it.
  ObjectFile* file = nullptr;
  uint32_t index = 0;  ///< its entry in that object's symbol table
  bool is_defined = false;
  uint8_t binding = STB_WEAK;        ///< the definition's; of an extern, strong if a reference is
  uint8_t visibility = STV_DEFAULT;  ///< the strictest of all
  /// `.ksyms` or `.kconfig` if an object expects it from the loader.
  std::string_view loader_section;
  /// The VAR or FUNC that describes it in the output's BTF: the definition's, or else a
  /// reference's. `btf_file` is null if no object has one.
  ObjectFile* btf_file = nullptr;
  uint32_t btf_id = 0;
  bool is_btf_synthesized = false;  ///< an earlier link made it, without knowing the type
  /// Whether it is in the output's symbol table; set by mark_live().
  bool in_output = false;
  /// Its VAR or FUNC in the output's BTF, or 0.
  uint32_t output_btf_id = 0;
  /// Index in the output's symbol table, or 0.
  uint32_t output_index = 0;

  /// Whether it becomes a local symbol of the output (`--localize-hidden`).
  bool is_localized = false;

  const InputSymbol& input() const { return file->symbols[index]; }
  /// Where the definition is.
  InputPlace place() const {
    if (!input().is_in_section()) return {};
    return {&file->sections[input().section], static_cast<int64_t>(input().value)};
  }
  /// The type of the VAR that describes it, or 0.
  uint32_t variable_type() const {
    if (!btf_file) return 0;
    BtfType variable = btf_file->btf->type(btf_id);
    return variable.kind() == BtfKind::Var ? variable.type() : 0;
  }
  bool is_from(const ObjectFile& object, uint32_t symbol_index) const {
    return file == &object && index == symbol_index;
  }
};

/// The place of a target in the object that defines it.
inline InputPlace definition_of(const Target& target) {
  return target.global() ? target.global()->place() : target.place;
}

/// Whether another object's definition beat this definition of a global symbol.
inline bool lost_resolution(const ObjectFile& object, uint32_t symbol_index) {
  const InputSymbol& symbol = object.symbols[symbol_index];
  return symbol.global && symbol.is_defined() && !symbol.global->is_from(object, symbol_index);
}

/// Whether the declaration's VAR or FUNC describes its symbol in the output; always true for static
/// ones.
inline bool describes_symbol(const ObjectFile& object, const BtfDeclaration& declaration) {
  return !declaration.symbol || (declaration.symbol->btf_file == &object &&
                                 declaration.symbol->btf_id == declaration.type_id);
}

/// Whether a losing definition becomes a local symbol, because its section could not be split.
/// Valid after number_symbols().
inline bool lives_on_as_local(const ObjectFile& object, const BtfDeclaration& declaration) {
  return declaration.symbol && lost_resolution(object, declaration.symbol_index) &&
         object.symbols[declaration.symbol_index].output_index != 0;
}

/// Whether type `id` is a variable without a type: ksyms may be declared as `const void`.
bool is_typeless(const BtfView& btf, uint32_t id);

/// All global symbols, in order of first appearance.
class SymbolTable {
 public:
  SymbolTable() = default;
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  /// Reserves room for `count` symbols.
  void reserve(size_t count) {
    order_.reserve(count);
    index_.reserve(count);
  }
  /// The symbol of that name, created if necessary. `name` must outlive the table; the reference
  /// stays valid.
  Symbol& intern(std::string_view name);
  /// The symbol of that name or null.
  Symbol* find(std::string_view name) const;
  /// In order of first appearance.
  const std::vector<Symbol*>& all() const { return order_; }

 private:
  uint32_t find(std::string_view name, uint32_t hash) const;

  std::deque<Symbol> symbols_;
  std::vector<Symbol*> order_;
  HashIndex index_;  ///< positions in order_, from 1 on
};

}  // namespace bpflink
