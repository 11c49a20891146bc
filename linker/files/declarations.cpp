#include "linker/files/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/symbols_by_place.hpp"

namespace bpflink {
namespace {

class DeclarationBinder {
 public:
  explicit DeclarationBinder(ObjectFile& object) : object_(object) {}

  /// Gives the VARs and FUNCs their symbols and DATASECs.
  void bind() {
    bind_globals();
    unbind_statics();
    for (uint32_t id : object_.datasecs) read_datasec(object_.btf->type(id));
    restore_externs();
    place_statics();
  }

  /// A global variable must have a symbol of its name, by which libbpf finds it. Tools such as
  /// objcopy rename symbols alone. A local one was made so since.
  std::expected<void, Error> check_variables() {
    std::optional<std::unordered_multimap<std::string_view, const InputSymbol*>> locals;
    for (const BtfDeclaration& declaration : object_.declarations) {
      bool is_defined = !declaration.is_func() && !declaration.datasec.empty() &&
                        !facts_of(declaration.role).has_loader_symbols &&
                        declaration.linkage() == BtfLinkage::Global;
      if (!is_defined || declaration.symbol_index != 0) continue;
      if (!locals) locals = find_local_variables();
      std::string_view name = object_.btf->name(declaration.type());
      if (locals->contains(name)) continue;
      return std::unexpected(
          Error{fmt::format(".BTF: type [{}] VAR '{}' is global, but there is no such symbol",
                            declaration.type_id, name),
                "objcopy renames symbols without their types: bpflink --redefine-sym does both"});
    }
    return {};
  }

  /// A FUNC that claims to be global must have a symbol, or code through func_info (the symbol may
  /// have been renamed since). A static FUNC of a global function, with a record, was made by a
  /// link: bpf-gcc calls all functions static but makes no records.
  std::expected<void, Error> check_functions(const ReadOptions& options) {
    const Btf& btf = *object_.btf;
    unbind_namesakes();
    std::vector<bool> has_record(btf.end_id());
    object_.for_each_func_info(
        [&](const InputSection&, FuncInfo record) { has_record[record.type_id] = true; });
    for (BtfDeclaration& declaration : object_.declarations) {
      BtfType type = declaration.type();
      if (declaration.is_func() && has_record[declaration.type_id] && declaration.symbol_index != 0)
        declaration.is_synthesized = is_static(declaration) &&
                                     is_void_of_void(btf.type(type.type())) &&
                                     object_.symbols[declaration.symbol_index].is_defined();
      if (declaration.is_func() && declaration.linkage() == BtfLinkage::Global &&
          !has_record[declaration.type_id] && declaration.symbol_index == 0 && !options.is_renamed)
        return fail(".BTF: type [{}] FUNC '{}' is global, but there is no such symbol",
                    declaration.type_id, btf.name(type));
    }
    find_local_functions();
    return {};
  }

 private:
  /// Compilers and links write declarations in the order of their symbols, those of functions and
  /// of variables each: most are found by looking at the next one.
  void bind_globals() {
    std::array<uint32_t, 2> next{1, 1};  // of variables, of functions
    std::optional<HashIndex> by_name;    // filled when another one stands there
    for (BtfDeclaration& declaration : object_.declarations) {
      std::string_view name = object_.btf->name(declaration.type());
      uint32_t& at = next[declaration.is_func()];
      const uint8_t other_type = declaration.is_func() ? STT_OBJECT : STT_FUNC;
      while (at < object_.symbols.size() &&
             (!is_global(object_.symbols[at]) || object_.symbols[at].type == other_type))
        ++at;
      if (at >= object_.symbols.size() || object_.symbols[at].name != name) {
        if (!by_name) by_name = index_globals();
        const uint32_t found = find_symbol(*by_name, name);
        if (found == 0) continue;
        at = found;
      }
      declaration.symbol_index = at++;
    }
  }

  static bool is_global(const InputSymbol& symbol) {
    return !symbol.is_local() && !symbol.is_absolute;
  }

  HashIndex index_globals() const {
    HashIndex by_name;
    for (uint32_t i = 1; i < object_.symbols.size(); ++i) {
      std::string_view name = object_.symbols[i].name;
      if (is_global(object_.symbols[i]) && find_symbol(by_name, name) == 0)
        by_name.insert(hash_bytes(name.data(), name.size()), i);
    }
    return by_name;
  }

  uint32_t find_symbol(const HashIndex& by_name, std::string_view name) const {
    return by_name.find(hash_bytes(name.data(), name.size()),
                        [&](uint32_t i) { return object_.symbols[i].name == name; });
  }

  /// Of several FUNCs of one name, which Rust has for functions of several modules, that of the
  /// symbol is the one whose code is there.
  void unbind_namesakes() {
    std::vector<bool> is_bound(object_.symbols.size()), is_shared(object_.symbols.size());
    for (const BtfDeclaration& declaration : object_.declarations) {
      if (!declaration.is_func() || declaration.symbol_index == 0) continue;
      if (is_bound[declaration.symbol_index]) is_shared[declaration.symbol_index] = true;
      is_bound[declaration.symbol_index] = true;
    }
    if (std::ranges::find(is_shared, true) == is_shared.end()) return;
    object_.for_each_func_info([&](const InputSection& section, FuncInfo record) {
      BtfDeclaration* declaration = object_.find_declaration(record.type_id);
      if (!declaration) return;
      uint32_t& index = declaration->symbol_index;
      if (is_shared[index] && object_.by_place().find_function(section.index, record.insn_off) !=
                                  &object_.symbols[index])
        index = 0;
    });
  }

  /// Finds the FUNCs that claim to be global or extern, and whose functions are not.
  void find_local_functions() {
    std::unordered_map<uint32_t, BtfDeclaration*> nameless;
    for (BtfDeclaration& declaration : object_.declarations)
      if (declaration.is_func() && declaration.symbol_index == 0 && !is_static(declaration))
        nameless.emplace(declaration.type_id, &declaration);
    if (nameless.empty()) return;
    object_.for_each_func_info([&](const InputSection& section, FuncInfo record) {
      auto declaration = nameless.find(record.type_id);
      if (declaration == nameless.end()) return;
      const InputSymbol* function =
          object_.by_place().find_function(section.index, record.insn_off);
      declaration->second->was_made_local = declaration->second->linkage() == BtfLinkage::Extern ||
                                            (function && function->is_local());
    });
  }

  /// Clang's DATASECs have the offsets of static variables. bpf-gcc's have 0 for all; then the
  /// offset is that of a local symbol with the variable's name. Clang before 16 lists constants of
  /// .rodata.cst16 and the like in .rodata; like clang since, those are in no DATASEC, as several
  /// may become one.
  void place_statics() {
    constexpr std::string_view listed_in = ".rodata", merged = ".rodata.cst";
    bool has_merged = std::ranges::any_of(
        object_.sections, [&](const InputSection& s) { return s.name.starts_with(merged); });
    std::optional<std::unordered_multimap<std::string_view, const InputSymbol*>> locals;
    for (BtfDeclaration& declaration : object_.declarations) {
      bool may_be_elsewhere = declaration.symbol_index == 0 && !declaration.datasec.empty() &&
                              !declaration.is_func() && (declaration.offset == 0 || has_merged);
      if (!may_be_elsewhere) continue;
      if (!locals) locals = find_local_variables();
      auto [begin, end] = locals->equal_range(object_.btf->name(declaration.type()));
      std::optional<uint64_t> found;
      bool is_merged = false;
      for (auto entry = begin; entry != end && found != 0; ++entry) {
        const InputSymbol& symbol = *entry->second;
        std::string_view section = object_.sections[symbol.section].name;
        is_merged |= section.starts_with(merged) && declaration.datasec == listed_in;
        if (section != declaration.datasec) continue;
        if (!found || symbol.value == 0) found = symbol.value;
      }
      if (!found && is_merged) declaration.datasec = {};
      if (declaration.offset == 0) declaration.offset = static_cast<uint32_t>(found.value_or(0));
    }
  }

  std::unordered_multimap<std::string_view, const InputSymbol*> find_local_variables() const {
    std::unordered_multimap<std::string_view, const InputSymbol*> variables;
    for (const InputSymbol& symbol : object_.symbols)
      if (symbol.is_local() && symbol.type == STT_OBJECT && symbol.is_in_section())
        variables.emplace(symbol.name, &symbol);
    return variables;
  }

  /// A C file has one declaration for each name, whatever linkage the compiler gives it. A linked
  /// object may have static declarations with the name of a global: those with local symbols or, if
  /// local symbols were stripped, those beside a declaration that is not static.
  void unbind_statics() {
    std::vector<bool> has_own(object_.symbols.size());
    for (const BtfDeclaration& declaration : object_.declarations)
      if (!is_static(declaration)) has_own[declaration.symbol_index] = true;
    std::optional<std::unordered_set<std::string_view>> locals;
    for (BtfDeclaration& declaration : object_.declarations) {
      uint32_t symbol = declaration.symbol_index;
      if (symbol == 0 || !is_static(declaration)) continue;
      if (!locals) locals = find_local_names();
      if (has_own[symbol] || locals->contains(object_.symbols[symbol].name))
        declaration.symbol_index = 0;
    }
  }

  /// Undefines externs to which libbpf's linker gives a symbol in their section, as it does for
  /// those of an arena: without type and size, at the section's start.
  void restore_externs() {
    for (const BtfDeclaration& declaration : object_.declarations) {
      if (declaration.is_func() || declaration.symbol_index == 0 ||
          declaration.linkage() != BtfLinkage::Extern)
        continue;
      InputSymbol& symbol = object_.symbols[declaration.symbol_index];
      if (symbol.is_in_section() && symbol.type == STT_NOTYPE && symbol.size == 0 &&
          object_.sections[symbol.section].name == declaration.datasec) {
        symbol.section = 0;
        symbol.value = 0;
      }
    }
  }

  static bool is_static(const BtfDeclaration& declaration) {
    return declaration.linkage() == BtfLinkage::Static;
  }

  std::unordered_set<std::string_view> find_local_names() const {
    std::unordered_set<std::string_view> names;
    for (const InputSymbol& symbol : object_.symbols)
      if (symbol.is_local() && (symbol.type == STT_FUNC || symbol.type == STT_OBJECT))
        names.insert(symbol.name);
    return names;
  }

  void read_datasec(BtfType datasec) {
    std::string_view name = object_.btf->name(datasec);
    SectionRole role = role_of(name);
    for (uint32_t i = 0; i < datasec.vlen(); ++i) {
      BtfVarSecinfo entry = datasec.var_secinfo(i);
      BtfDeclaration* declaration = object_.find_declaration(entry.type);
      if (!declaration) continue;
      declaration->datasec = name;
      declaration->role = role;
      declaration->offset = entry.offset;
      declaration->size = entry.size;
    }
  }

  static bool is_void_of_void(BtfType prototype) {
    return prototype.kind() == BtfKind::FuncProto && prototype.vlen() == 0 && prototype.type() == 0;
  }

  ObjectFile& object_;
};

}  // namespace

std::expected<void, Error> bind_declarations(ObjectFile& object, const ReadOptions& options) {
  if (!object.btf) return {};
  DeclarationBinder binder(object);
  binder.bind();
  if (!options.is_renamed) TRY(binder.check_variables());
  return binder.check_functions(options);
}

std::unordered_set<std::string_view> find_loader_names(const ObjectFile& object) {
  std::unordered_set<std::string_view> names;
  for (const BtfDeclaration& declaration : object.declarations)
    if (facts_of(declaration.role).has_loader_symbols)
      names.insert(object.btf->name(declaration.type()));
  return names;
}

}  // namespace bpflink
